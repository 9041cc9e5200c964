// What edges and vertices press on, from step to step: a first guess of impulses in the first substep of the next step.
// Pair contacts (soft.h) know a part of it: the search chooses one triangle of several that a vertex lies between, and
// another in the next step.
#include "contact/proximity.h"

#include <math.h>
#include <string.h>

bool featureHoldsCreate(Memory *memory, CollisionMesh *mesh)
{
    mesh->edgeCount = mesh->features->edgeCount;
    mesh->holdCount = mesh->edgeCount + (mesh->closed ? 0 : VERTEX_HOLDS * mesh->vertexCount);
    mesh->hold = ALLOCATE(memory, FeatureHold, maxInt(mesh->holdCount, 1));
    mesh->markedHold = ALLOCATE(memory, FeatureHold, maxInt(mesh->holdCount, 1));
    if (mesh->hold == NULL || mesh->markedHold == NULL)
        return false;
    mesh->holds = true;
    featureHoldsDrop(mesh, -1);
    return true;
}

void featureHoldsDrop(CollisionMesh *mesh, int slot)
{
    for (int i = 0; i < mesh->holdCount && mesh->holds; ++i)
    {
        if (slot < 0 || mesh->hold[i].other == slot)
            mesh->hold[i] = (FeatureHold){ .other = -1 };
    }
    mesh->holds = mesh->holds && slot >= 0;
}

void featureHoldsMark(CollisionMesh *mesh)
{
    mesh->markedHolds = mesh->holds;
    if (mesh->holds)
        memcpy(mesh->markedHold, mesh->hold, (size_t)mesh->holdCount * sizeof(FeatureHold));
}

void featureHoldsRewind(CollisionMesh *mesh)
{
    if (!mesh->markedHolds)
        featureHoldsDrop(mesh, -1);
    else
        memcpy(mesh->hold, mesh->markedHold, (size_t)mesh->holdCount * sizeof(FeatureHold));
    mesh->holds = mesh->markedHolds;
}

bool featureMayHold(const CollisionMesh *mesh, int place)
{
    return !mesh->closed || mesh->features->sharp[place];
}

void featureHoldSet(CollisionMesh *mesh, int place, FeatureHold now)
{
    mesh->hold[place] = now;
    mesh->holds |= now.other >= 0;
}

// ---- pairs of which one is of a sheet or a rope ---------------------------------------------------------------------

// Where a pair may be kept: by both edges, or at any of the places of its vertex. A solid has none: its edge keeps
// nothing, and for its vertex a corner of the triangle does.
typedef struct Place
{
    FeatureHold *hold; // NULL: there is no such place
    FeatureHold as;    // but for the force
    double sign;       // of that
} Place;

static Place vertexPlace(CollisionMesh *mesh, int vertex, int k, const CollisionMesh *other, int feature, double sign)
{
    FeatureHold *hold = &mesh->hold[mesh->edgeCount + VERTEX_HOLDS * vertex + k];
    return (Place){ hold, { .other = other->slot, .feature = feature }, sign };
}

static Place placeOf(const Proximity *p, int number, int k)
{
    const NearPair *pair = &p->pair[number];
    CollisionMesh *a = p->body[pair->member[0]].mesh, *b = p->body[pair->member[1]].mesh;
    int own = pair->feature[0], other = pair->feature[1];
    if (p->name[number].first == 1 && a->closed) // behind the numbers of its facets
        return vertexPlace(b, b->features->corner[3 * other + own % 3], k, a, a->features->count + own, -1);
    if (p->name[number].first == 1)
        return vertexPlace(a, own, k, b, other, 1);
    if (k == 0)
        return (Place){ a->closed ? NULL : &a->hold[own], { .other = b->slot, .feature = other }, 1 };
    return (Place){ b->closed ? NULL : &b->hold[other], { .other = a->slot, .feature = own }, -1 };
}

Vec3 nearHeld(const Proximity *p, int number)
{
    const NearPair *pair = &p->pair[number];
    bool any = p->body[pair->member[0]].mesh->holds || p->body[pair->member[1]].mesh->holds;
    for (int k = 0; k < VERTEX_HOLDS && any; ++k)
    {
        Place place = placeOf(p, number, k);
        if (place.hold != NULL && place.hold->other == place.as.other && place.hold->feature == place.as.feature)
            return vecScale(place.sign, place.hold->force);
    }
    return vec3(0, 0, 0);
}

// at the place that is free, or has the least that is less
static void keep(const Proximity *p, int number, Vec3 force)
{
    Place best = { .hold = NULL };
    double least = vecDot(force, force);
    for (int k = 0; k < VERTEX_HOLDS; ++k)
    {
        Place place = placeOf(p, number, k);
        double square = place.hold == NULL      ? INFINITY
                        : place.hold->other < 0 ? -1
                                                : vecDot(place.hold->force, place.hold->force);
        if (!(square < least))
            continue;
        best = place;
        least = square;
    }
    if (best.hold == NULL)
        return;
    best.as.force = vecScale(best.sign, force);
    *best.hold = best.as;
}

void proximityHold(Proximity *p)
{
    for (int b = 0; b < p->bodyCount; ++b)
    {
        CollisionMesh *mesh = p->body[b].mesh;
        if (mesh->closed)
            continue;
        featureHoldsDrop(mesh, -1);
        mesh->holds = p->known && p->pressedCount > 0;
    }
    for (int i = 0; i < p->pressedCount && p->known; ++i)
        keep(p, p->pressed[i], vecScale(1 / p->pressedFor, p->pair[p->pressed[i]].impulse));
}
