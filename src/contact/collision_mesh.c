// The surface of a body that other bodies collide with: what it is made of, and its pair contacts from step to step.
#include "contact/proximity.h"

#include <string.h>

static double meanEdge(const CollisionMesh *collisionMesh)
{
    double sum = 0, area = 0;
    for (int t = 0; t < collisionMesh->triangleCount; ++t)
    {
        const int *corner = collisionMesh->triangle + 3 * (ptrdiff_t)t;
        for (int k = 0; k < 3; ++k)
        {
            Vec3 a = vecLoad(collisionMesh->rest + 3 * (ptrdiff_t)corner[k]);
            Vec3 b = vecLoad(collisionMesh->rest + 3 * (ptrdiff_t)corner[(k + 1) % 3]);
            sum += vecLength(vecSub(b, a)) / (3.0 * collisionMesh->triangleCount);
        }
    }
    for (int i = 0; i < collisionMesh->surfaceCount; ++i)
        area += collisionMesh->area[i];
    return collisionMesh->triangleCount > 0 ? sum : sqrt(area / collisionMesh->surfaceCount);
}

CollisionMesh *collisionMeshCreate(Memory *memory, const ContactBody *surface, int vertexCount, int triangleCount,
                                   const int *triangle, const double *rest)
{
    CollisionMesh *collisionMesh = ALLOCATE(memory, CollisionMesh, 1);
    if (collisionMesh == NULL)
        return NULL;
    collisionMesh->surfaceCount = surface->surfaceCount;
    collisionMesh->vertex = surface->vertex;
    collisionMesh->area = surface->area;
    collisionMesh->vertexCount = vertexCount;
    collisionMesh->triangleCount = triangleCount;
    collisionMesh->triangle = triangle;
    collisionMesh->rest = rest;
    collisionMesh->edge = meanEdge(collisionMesh);
    size_t pairContacts = (size_t)surface->surfaceCount * PAIR_CONTACTS;
    collisionMesh->pairContact = ALLOCATE(memory, PairContact, pairContacts);
    collisionMesh->marked = ALLOCATE(memory, PairContact, pairContacts);
    collisionMesh->partner = ALLOCATE(memory, int, pairContacts);
    collisionMesh->markedPartner = ALLOCATE(memory, int, pairContacts);
    collisionMesh->pieceReleased = ALLOCATE(memory, double, surface->surfaceCount / PAIR_PIECE + 1);
    collisionMesh->pieceCount = ALLOCATE(memory, int, surface->surfaceCount / PAIR_PIECE + 1);
    collisionMesh->load = ALLOCATE(memory, double, vertexCount);
    collisionMesh->held = ALLOCATE(memory, double, vertexCount);
    collisionMesh->markedHeld = ALLOCATE(memory, double, vertexCount);
    collisionMesh->applied = ALLOCATE(memory, double, vertexCount);
    collisionMesh->patience = ALLOCATE(memory, unsigned char, vertexCount);
    collisionMesh->markedPatience = ALLOCATE(memory, unsigned char, vertexCount);
    bool ok = collisionMesh->pieceReleased && collisionMesh->pieceCount && collisionMesh->pairContact &&
              collisionMesh->marked && collisionMesh->load && collisionMesh->held && collisionMesh->markedHeld &&
              collisionMesh->applied && collisionMesh->patience && collisionMesh->markedPatience &&
              collisionMesh->partner && collisionMesh->markedPartner && collisionMeshBuildTree(memory, collisionMesh);
    if (!ok)
    {
        collisionMeshDestroy(memory, collisionMesh);
        return NULL;
    }
    collisionMeshForget(collisionMesh);
    collisionMeshMark(collisionMesh);
    return collisionMesh;
}

void collisionMeshDestroy(Memory *memory, CollisionMesh *collisionMesh)
{
    if (collisionMesh == NULL)
        return;
    memoryRelease(memory, collisionMesh->pairContact);
    memoryRelease(memory, collisionMesh->marked);
    memoryRelease(memory, collisionMesh->partner);
    memoryRelease(memory, collisionMesh->markedPartner);
    memoryRelease(memory, collisionMesh->edgeContact);
    memoryRelease(memory, collisionMesh->hold);
    memoryRelease(memory, collisionMesh->markedHold);
    memoryRelease(memory, collisionMesh->pieceReleased);
    memoryRelease(memory, collisionMesh->pieceCount);
    memoryRelease(memory, collisionMesh->load);
    memoryRelease(memory, collisionMesh->held);
    memoryRelease(memory, collisionMesh->markedHeld);
    memoryRelease(memory, collisionMesh->applied);
    memoryRelease(memory, collisionMesh->patience);
    memoryRelease(memory, collisionMesh->markedPatience);
    memoryRelease(memory, collisionMesh->node);
    memoryRelease(memory, collisionMesh->order);
    memoryRelease(memory, collisionMesh->leaf);
    featuresDestroy(memory, collisionMesh->features);
    memoryRelease(memory, collisionMesh);
}

static const PairContact nothing = { .other = -1, .triangle = -1 };

// Few vertices hold on to something: only what they have is copied.
static void copyContacts(int count, const PairContact *from, const int *partner, PairContact *to, int *toPartner)
{
    for (int i = 0; i < count; ++i)
    {
        if (partner[i] >= 0)
            to[i] = from[i];
        else if (toPartner[i] >= 0)
            to[i] = nothing;
        toPartner[i] = partner[i];
    }
}

void collisionMeshMark(CollisionMesh *collisionMesh)
{
    collisionMesh->markedCount = collisionMesh->contactCount;
    if (collisionMesh->contactCount > 0)
        copyContacts(collisionMesh->surfaceCount * PAIR_CONTACTS, collisionMesh->pairContact, collisionMesh->partner,
                     collisionMesh->marked, collisionMesh->markedPartner);
    memcpy(collisionMesh->markedHeld, collisionMesh->held, (size_t)collisionMesh->vertexCount * sizeof(double));
    memcpy(collisionMesh->markedPatience, collisionMesh->patience, (size_t)collisionMesh->vertexCount);
    featureHoldsMark(collisionMesh);
    collisionMesh->markedTogether = collisionMesh->together;
    collisionMesh->released = 0;
}

void collisionMeshRewind(CollisionMesh *collisionMesh)
{
    if (collisionMesh->markedCount > 0)
        copyContacts(collisionMesh->surfaceCount * PAIR_CONTACTS, collisionMesh->marked, collisionMesh->markedPartner,
                     collisionMesh->pairContact, collisionMesh->partner);
    else if (collisionMesh->contactCount > 0)
        collisionMeshForget(collisionMesh);
    collisionMesh->contactCount = collisionMesh->markedCount;
    collisionMesh->edgeContactCount = 0;
    memcpy(collisionMesh->held, collisionMesh->markedHeld, (size_t)collisionMesh->vertexCount * sizeof(double));
    memcpy(collisionMesh->patience, collisionMesh->markedPatience, (size_t)collisionMesh->vertexCount);
    featureHoldsRewind(collisionMesh);
    collisionMesh->together = collisionMesh->markedTogether;
    collisionMesh->released = 0;
}

void collisionMeshSet(CollisionMesh *collisionMesh, int index, const PairContact *pairContact)
{
    collisionMesh->pairContact[index] = pairContact != NULL ? *pairContact : nothing;
    collisionMesh->partner[index] = collisionMesh->pairContact[index].other;
}

void collisionMeshForget(CollisionMesh *collisionMesh)
{
    for (int i = 0; i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
        collisionMeshSet(collisionMesh, i, NULL);
    collisionMesh->together = -1;
    collisionMesh->contactCount = collisionMesh->edgeContactCount = 0;
    featureHoldsDrop(collisionMesh, -1);
}

void collisionMeshCount(CollisionMesh *collisionMesh)
{
    collisionMesh->contactCount = 0;
    for (int i = 0; i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
        collisionMesh->contactCount += collisionMesh->partner[i] >= 0;
}
