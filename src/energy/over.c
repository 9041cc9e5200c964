// A batch over other vertices, for bodies whose mesh changes: elements, constants and state stay as they are.
#include "energy/energy.h"

#include <string.h>

static void copyLanes(double *to, const double *from, const Energy *energy, int perLane)
{
    if (to != NULL && from != NULL)
        memcpy(to, from, (size_t)energy->blockCount * LANES * (size_t)perLane * sizeof(double));
}

void energyCopyState(Energy *energy, int element, const Energy *other, int source)
{
    const EnergyKind *kind = energy->kind;
    ASSERT(kind == other->kind, "the same kind");
    ASSERT(kind->stateCount == 0 || kind->stateFirst > 0, "the weight is no state");
    double *param = laneParams(energy, element / LANES) + element % LANES;
    const double *from = laneParams(other, source / LANES) + source % LANES;
    for (int p = kind->stateFirst; p < kind->stateFirst + kind->stateCount; ++p)
        param[p * LANES] = from[p * LANES];
    for (int k = 0; k < kind->keptCount; ++k)
        laneKept(energy, element / LANES)[k * LANES + element % LANES] =
            laneKept(other, source / LANES)[k * LANES + source % LANES];
}

Energy *energyOver(const Energy *energy, int vertexCount, const int *to, const double *rest)
{
    const EnergyKind *kind = energy->kind;
    int corners = kind->corners;
    int *vertices = ALLOCATE(energy->memory, int, (size_t)energy->elementCount *(size_t)corners);
    if (vertices == NULL)
        return NULL;
    for (int i = 0; i < energy->elementCount * corners; ++i)
    {
        int e = i / corners;
        vertices[i] = to[laneVertices(energy, e / LANES)[i % corners * LANES + e % LANES]];
    }
    Recipe recipe = { .rest = rest,
                      .young = 1,
                      .thickness = 1,
                      .viscosity = energy->viscosity,
                      .dashpot = energy->dashpot,
                      .unit = energy->unit,
                      .isa = energy->isa };
    Energy *moved = energyCreate(energy->memory, kind, vertexCount, energy->elementCount, vertices, &recipe);
    memoryRelease(energy->memory, vertices);
    if (moved == NULL)
        return NULL;
    copyLanes(moved->param, energy->param, energy, kind->paramCount);
    copyLanes(moved->weight, energy->weight, energy, 1);
    copyLanes(moved->kept, energy->kept, energy, kind->keptCount);
    copyLanes(moved->marked, energy->marked, energy, kind->keptCount);
    moved->traits = energy->traits;
    moved->fraction = energy->fraction;
    moved->from = energy->from;
    moved->to = energy->to;
    moved->off = energy->off;
    return moved;
}
