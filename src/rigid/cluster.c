// Clusters: bodies that contacts and joints of a step connect.
#include "rigid/system.h"

static int rootOf(const RigidSystem *system, int body)
{
    while (system->body[body]->cluster != body)
        body = system->body[body]->cluster;
    return body;
}

static void join(RigidSystem *system, const RigidBody *a, const RigidBody *b)
{
    if (!(a->inverseMass > 0) || !(b->inverseMass > 0))
        return;
    int first = rootOf(system, a->index), second = rootOf(system, b->index);
    int root = minInt(first, second);
    system->body[first]->cluster = system->body[second]->cluster = root;
    system->body[a->index]->cluster = system->body[b->index]->cluster = root;
}

void rigidClusters(RigidSystem *system, bool anew)
{
    for (int i = 0; i < system->bodyCount && anew; ++i)
        system->body[i]->cluster = i;
    for (int i = 0; i < system->contactCount; ++i)
        join(system, system->contact[i].a, system->contact[i].b);
    for (int i = 0; i < system->linkCount; ++i)
        join(system, system->link[i].a, system->link[i].b);
    for (int i = 0; i < system->bodyCount; ++i)
        system->body[i]->cluster = rootOf(system, i);
}

// Contacts never give: what they lift out of penetrations is less than what sinking into them lost. Where it is not, it
// is no dissipation, and the ledger has it as numerical.
void rigidClustersBook(RigidSystem *system)
{
    for (int i = 0; i < system->bodyCount; ++i)
        system->cluster[i].lost = 0;
    for (int i = 0; i < system->activeCount; ++i)
        system->cluster[system->active[i]->cluster].lost += system->active[i]->dissipated;
    for (int i = 0; i < system->activeCount; ++i)
    {
        if (system->cluster[system->active[i]->cluster].lost < 0)
            system->active[i]->dissipated = 0;
    }
}
