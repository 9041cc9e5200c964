// Single elements as sweeps hold them: sets of a body, their multipliers and forces.
#include "world/world.h"

#include <string.h>

#define SETS (MEMBER_ENERGIES + JOINTS + 1)

// over the vertices of the body, or of its island
typedef struct ElementSet
{
    const Energy *energy;
    const ContactList *list; // contacts between bodies instead
    int offset;              // the body's first vertex among them
} ElementSet;

static bool isSwept(const Energy *energy)
{
    return energy->kind->sweep != NULL && energy->elementCount > 0;
}

static int findSets(const Body *body, ElementSet *sets)
{
    const World *world = body->world;
    int count = 0;
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        if (isSwept(body->member.energy[e]))
            sets[count++] = (ElementSet){ .energy = body->member.energy[e] };
    }
    // islands as the last step had them; none before the first
    const System *system =
        world->system != NULL && !world->systemsStale && !world->systemsMoved ? &world->system[body->island] : NULL;
    for (int t = system ? system->jointStart : 0; system != NULL && t < system->termCount; ++t)
    {
        if (isSwept(system->term[t].energy))
            sets[count++] = (ElementSet){ .energy = system->term[t].energy, .offset = body->member.offset };
    }
    if (system != NULL && world->method.integrator->sweeps && system->contacts.count > 0)
        sets[count++] = (ElementSet){ .list = &system->contacts, .offset = body->member.offset };
    return count;
}

vvResult vvSoftBody_KeepForces(vvSoftBodyId id, bool keep)
{
    Body *body = bodyOpen(id);
    if (body == NULL)
        return refused("body");
    body->member.keepsForces = keep;
    return resultOk();
}

int vvSoftBody_GetElementSetCount(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    ElementSet sets[SETS];
    return body ? findSets(body, sets) : 0;
}

static int elementsOf(const ElementSet *set)
{
    return set->list != NULL ? set->list->count : set->energy->elementCount;
}

int vvSoftBody_GetElementCount(vvSoftBodyId id, int set)
{
    const Body *body = bodyFind(id);
    ElementSet sets[SETS];
    return body && set >= 0 && set < findSets(body, sets) ? elementsOf(&sets[set]) : -1;
}

// the corner before that has the same vertex, or its own: corners that are left over repeat another and hold nothing
static int firstLike(const int *vertices, int corner)
{
    int c = 0;
    while (vertices[c * LANES] != vertices[corner * LANES])
        c += 1;
    return c;
}

static void copyCorners(const Body *body, const ElementSet *set, int index, vvElement *element)
{
    Vec3 force[MAX_CORNERS];
    int place[MAX_CORNERS];
    const int *vertices = laneVertices(set->energy, index / LANES) + index % LANES;
    sweepForces(set->energy, index, force);
    for (int c = 0; c < set->energy->kind->corners; ++c)
    {
        int v = vertices[c * LANES] - set->offset, first = firstLike(vertices, c);
        place[c] = first < c ? place[first] : element->vertexCount;
        vvVec3 *sum = &element->force[place[c]];
        *sum = first < c ? vecAdd(*sum, force[c]) : force[c];
        element->vertex[place[c]] = v >= 0 && v < body->count ? body->mesh->vertexToCaller[v] : -1;
        element->vertexCount += first == c;
    }
}

// a contact of the last substep between bodies
static void copyContact(const Body *body, const ElementSet *set, int index, vvElement *element)
{
    const Contact *contact = &set->list->item[index];
    Vec3 force = vecScale(1 / set->list->h, contact->impulse);
    double pressed = vecDot(force, contact->normal);
    *element = (vvElement){ .kind = pairKind.name, .vertexCount = contact->count, .multiplierCount = 4 };
    for (int k = 0; k < contact->count; ++k)
    {
        int v = contact->vertex[k] - set->offset;
        element->vertex[k] = v >= 0 && v < body->count ? body->mesh->vertexToCaller[v] : -1;
        element->force[k] = vecScale(contact->weight[k], force);
    }
    element->multiplier[0] = pressed;
    vecStore(element->multiplier + 1, vecSub(force, vecScale(pressed, contact->normal)));
}

vvResult vvSoftBody_GetElement(vvSoftBodyId id, int set, int index, vvElement *element)
{
    const Body *body = bodyFind(id);
    ElementSet sets[SETS];
    if (body == NULL)
        return badId("body");
    if (element == NULL)
        return resultMake(VV_BAD_INPUT, "give the place of a vvElement", "element is NULL");
    int count = findSets(body, sets);
    if (set < 0 || set >= count)
        return resultMake(VV_BAD_INPUT, "ask vvSoftBody_GetElementSetCount", "set is %d, the body has %d", set, count);
    const Energy *energy = sets[set].energy;
    if (index < 0 || index >= elementsOf(&sets[set]))
        return resultMake(VV_BAD_INPUT, "ask vvSoftBody_GetElementCount", "index is %d, set %d has %d elements", index,
                          set, elementsOf(&sets[set]));
    if (energy == NULL)
    {
        copyContact(body, &sets[set], index, element);
        return resultOk();
    }
    *element = (vvElement){ .kind = energy->kind->name };
    copyCorners(body, &sets[set], index, element);
    // of contact what follows normal and friction is no multiplier, of a link what follows its tension
    bool contact = energy->kind->column == COLUMN_CONTACT, link = energy->kind == &linkKind;
    element->multiplierCount = contact ? 4 : link ? 1 : energy->kind->sweep->rows;
    for (int r = 0; r < element->multiplierCount; ++r)
        element->multiplier[r] = elementLambda(energy, index)[r * LANES];
    return resultOk();
}
