// Contacts of edges, for lists of contacts and events: pair contacts belong to vertices, and edges have none.
#include "contact/list.h"
#include "contact/proximity.h"

#include <string.h>

#define FIRST_ROOM 16

static bool isSame(const EdgeContact *a, const EdgeContact *b)
{
    return a->other == b->other && a->first == b->first && memcmp(a->vertex, b->vertex, sizeof a->vertex) == 0;
}

static bool grow(CollisionMesh *mesh, Memory *memory)
{
    void *room = mesh->edgeContact;
    int grown = maxInt(FIRST_ROOM, 2 * mesh->edgeContactRoom);
    if (!memoryGrow(memory, &room, (size_t)mesh->edgeContactRoom, (size_t)grown, sizeof(EdgeContact)))
        return false;
    mesh->edgeContact = room;
    mesh->edgeContactRoom = grown;
    return true;
}

void edgeContactKeep(const ProximityBody *a, const ProximityBody *b, Memory *memory, const Contact *contact, double h,
                     EdgeContact about, int *place)
{
    CollisionMesh *mesh = a->mesh;
    about.other = b->mesh->slot;
    about.normal = contact->normal;
    about.impulse = contact->impulse;
    about.force = vecScale(1 / h, contact->impulse);
    memcpy(about.share, contact->weight, sizeof about.share);
    for (int k = 0; k < 4; ++k)
        about.vertex[k] = contact->vertex[k] - (k < about.first ? a : b)->offset;
    bool known = *place >= 0 && *place < mesh->edgeContactCount && isSame(&mesh->edgeContact[*place], &about);
    if (!known && mesh->edgeContactCount == mesh->edgeContactRoom && !grow(mesh, memory))
        return;
    if (known)
        about.impulse = vecAdd(about.impulse, mesh->edgeContact[*place].impulse);
    else
        *place = mesh->edgeContactCount++;
    mesh->edgeContact[*place] = about;
}

void edgeContactsForget(CollisionMesh *mesh, bool anew)
{
    if (anew)
        mesh->edgeContactCount = 0;
    for (int i = 0; i < mesh->edgeContactCount; ++i)
        mesh->edgeContact[i].force = vec3(0, 0, 0);
}

void edgeContactsDrop(CollisionMesh *mesh, int slot)
{
    int kept = 0;
    for (int i = 0; i < mesh->edgeContactCount; ++i)
    {
        if (mesh->edgeContact[i].other != slot)
            mesh->edgeContact[kept++] = mesh->edgeContact[i];
    }
    mesh->edgeContactCount = kept;
}
