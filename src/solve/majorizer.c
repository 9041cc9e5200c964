// The majorizers of a member's energies over its graph, and what a body whose mesh changed has of the one before.
#include "solve/solve.h"

#include <string.h>

bool memberEnters(const Member *member, const Energy *energy)
{
    return energy->kind->majorizer != NULL && !(member->bare && energyIsTouching(energy));
}

// not diagonal: those come cheap
static bool isCoupling(const Member *member, const Energy *energy)
{
    return memberEnters(member, energy) && !energyIsDiagonal(energy);
}

unsigned memberMajorizerVersion(const Member *member)
{
    unsigned version = 1;
    for (int e = 0; e < member->energyCount; ++e)
        version += energyIsDiagonal(member->energy[e]) ? 0 : member->energy[e]->version;
    return version;
}

static void addElement(const Graph *graph, const int *vertex, int corners, const double *matrix, const bool *renewed,
                       double *target)
{
    for (int r = 0; r < corners; ++r)
    {
        int row = vertex[r * LANES];
        if (renewed != NULL && !renewed[row])
            continue;
        for (int c = 0; c < corners; ++c)
        {
            int column = vertex[c * LANES];
            double value = matrix[r * corners + c]; // 0 where a ring has fewer neighbours
            if (row >= column && value != 0 && (renewed == NULL || renewed[column]))
                target[graphFind(graph, row, column)] += value;
        }
    }
}

static bool hasRenewed(const int *vertices, int corners, const bool *renewed)
{
    bool found = false;
    for (int i = 0; i < corners * LANES; ++i)
        found |= renewed[vertices[i]];
    return found;
}

void memberAddMajorizers(Member *member, const bool *renewed)
{
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int index = 0; index < member->energyCount; ++index)
    {
        const Energy *energy = member->energy[index];
        int corners = energy->kind->corners;
        if (!isCoupling(member, energy))
            continue;
        double *target = energy->traits & TRAIT_DISSIPATIVE ? member->viscosity : member->majorizer;
        for (int block = 0; block < energy->blockCount; ++block)
        {
            const int *vertices = laneVertices(energy, block);
            if (renewed != NULL && !hasRenewed(vertices, corners, renewed))
                continue;
            energy->kind->majorizer(energy, block, matrices);
            for (int lane = 0; lane < minInt(LANES, energy->elementCount - block * LANES); ++lane)
                addElement(member->graph, vertices + lane, corners, matrices + lane * corners * corners, renewed,
                           target);
        }
    }
}

// ---- after a change of the mesh -------------------------------------------------------------------------------------

bool memberInheritPrefactors(Member *member, Member *from)
{
    bool own = false;
    for (int k = 0; k < MEMBER_FACTORS; ++k)
        own |= from->prefactor[k].ready;
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        Prefactor *old = &from->prefactor[k];
        FrontFactor **taken = own ? &old->factor : &old->former;
        member->prefactor[k] = (Prefactor){ .precision = old->precision,
                                            .s = old->s,
                                            .drag = old->drag,
                                            .lastUse = old->lastUse,
                                            .former = !own || old->ready ? *taken : NULL };
        if (member->prefactor[k].former != NULL)
            *taken = NULL;
        old->ready = false;
    }
    member->clock = from->clock;
    return own;
}

// The same energies with nothing set since they were made, none of them of contact.
static bool isAlike(const Member *member, const Member *from)
{
    bool alike = from->majorizerVersion == memberMajorizerVersion(from) && member->energyCount == from->energyCount &&
                 (member->viscosity == NULL) == (from->viscosity == NULL) && member->bare == from->bare;
    for (int e = 0; e < member->energyCount && alike; ++e)
    {
        const Energy *a = member->energy[e], *b = from->energy[e];
        alike = a->kind == b->kind;
        if (alike && (isCoupling(member, a) || isCoupling(from, b)))
            alike = a->version == 0 && b->version == 0 && a->yield == NULL && b->yield == NULL && !energyIsTouching(a);
    }
    return alike;
}

// columns that stay are copied; of the others the entries whose row does, and the rest is zero
static void copyEntries(const Graph *graph, const Graph *former, const bool *renewed, const double *from, double *to)
{
    for (int j = 0; j < former->count; ++j)
    {
        int begin = graph->start[j], end = graph->start[j + 1], source = former->start[j];
        if (!renewed[j])
        {
            memcpy(to + begin, from + source, (size_t)(end - begin) * sizeof(double));
            continue;
        }
        for (int k = begin; k < end; ++k)
        {
            to[k] = 0;
            if (renewed[graph->row[k]])
                continue;
            while (former->row[source] != graph->row[k])
                source += 1;
            to[k] = from[source];
        }
    }
    for (int k = graph->start[former->count]; k < graph->start[graph->count]; ++k)
        to[k] = 0;
}

bool memberInheritMajorizer(Member *member, const Member *from, Memory *memory, const bool *touched)
{
    if (!isAlike(member, from))
        return false;
    const Graph *graph = member->graph;
    bool *renewed = ALLOCATE(memory, bool, graph->count);
    if (renewed == NULL)
        return false;
    graphMarkNeighbours(from->graph, touched, renewed);
    graphMarkNeighbours(graph, touched, renewed);
    copyEntries(graph, from->graph, renewed, from->majorizer, member->majorizer);
    if (member->viscosity != NULL)
        copyEntries(graph, from->graph, renewed, from->viscosity, member->viscosity);
    memberAddMajorizers(member, renewed);
    memoryRelease(memory, renewed);
    member->majorizerVersion = memberMajorizerVersion(member);
    return true;
}
