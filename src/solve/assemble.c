// Matrices of an island: one sparse matrix per body, couplings between bodies beside them.
#include "solve/solve.h"

#include <string.h>

// ---- creation --------------------------------------------------------------------------------------------------------

// where the block of corners (a, b) of each element goes; only the lower triangle is stored
static int *createScatter(Memory *memory, const Energy *energy, const Graph *graph)
{
    int corners = energy->kind->corners;
    int *scatter = ALLOCATE(memory, int, (size_t)energy->elementCount *(size_t)(corners * corners));
    if (scatter == NULL)
        return NULL;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int k = 0; k < corners * corners; ++k)
        {
            int row = vertex[(k / corners) * LANES], column = vertex[(k % corners) * LANES];
            scatter[e * corners * corners + k] = row >= column ? graphFind(graph, row, column) : -1;
            ASSERT(row < column || scatter[e * corners * corners + k] >= 0, "the graph holds every pair of an element");
        }
    }
    return scatter;
}

bool partCreateMatrix(Part *part, Memory *memory, const Graph *graph, const Symbolic *symbolic)
{
    part->matrix = matrixCreate(memory, graph);
    part->factor = factorCreate(memory, symbolic);
    bool ok = part->matrix != NULL && part->factor != NULL;
    for (int e = 0; ok && e < part->energyCount; ++e)
    {
        const Energy *energy = part->energy[e];
        if (energy->kind->hessian != NULL && energy->kind->corners > 1)
            ok = (part->scatter[e] = createScatter(memory, energy, graph)) != NULL;
    }
    if (!ok)
        partDestroyMatrix(part, memory);
    return ok;
}

void partDestroyMatrix(Part *part, Memory *memory)
{
    for (int e = 0; e < PART_ENERGIES; ++e)
    {
        memoryRelease(memory, part->scatter[e]);
        part->scatter[e] = NULL;
    }
    matrixDestroy(part->matrix);
    factorDestroy(part->factor);
    part->matrix = NULL;
    part->factor = NULL;
}

// ---- assembly --------------------------------------------------------------------------------------------------------

// target += scale x the 3x3 block (a, b) of an element matrix
static void addBlock(double *target, double scale, const double *matrix, int width, int a, int b)
{
    for (int i = 0; i < 9; ++i)
        target[i] += scale * matrix[(3 * a + i / 3) * width + 3 * b + i % 3];
}

static void addEnergy(const Part *part, int index, const State *s, const Stage *stage, HessianMode mode)
{
    const Energy *energy = part->energy[index];
    if (energy->kind->hessian == NULL)
        return;
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    double scale = rate ? stage->sigma * stage->theta / stage->h : stage->sigma * stage->theta * stage->theta;
    const double *point = (rate ? s->rate : s->stage) + 3 * part->offset;
    int corners = energy->kind->corners, width = 3 * corners;
    double matrices[LANES * 9 * MAX_CORNERS * MAX_CORNERS];
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, point, e / LANES, mode, matrices);
        const double *matrix = matrices + (e % LANES) * width * width;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int k = 0; k < corners * corners; ++k)
        {
            int a = k / corners, b = k % corners;
            int block = part->scatter[index] ? part->scatter[index][e * corners * corners + k]
                                             : part->matrix->graph->start[vertex[0]];
            bool free = !s->pinned[part->offset + vertex[a * LANES]] && !s->pinned[part->offset + vertex[b * LANES]];
            if (block >= 0 && free)
                addBlock(part->matrix->value + 9 * (ptrdiff_t)block, scale, matrix, width, a, b);
        }
    }
}

// mass on the diagonal; pinned vertices keep only that, so that they leave the unknowns and the pattern stays
static void addMass(const Part *part, const State *s)
{
    for (int v = 0; v < part->count; ++v)
    {
        double *block = part->matrix->value + 9 * (ptrdiff_t)part->matrix->graph->start[v];
        for (int a = 0; a < 3; ++a)
            block[4 * a] += s->mass[part->offset + v];
    }
}

static void addLinks(System *system, const Stage *stage, HessianMode mode)
{
    const Energy *links = system->links;
    const State *s = &system->state;
    double scale = stage->sigma * stage->theta * stage->theta;
    double matrices[LANES * 36];
    for (int e = 0; e < links->elementCount; ++e)
    {
        if (e % LANES == 0)
            links->kind->hessian(links, s->stage, e / LANES, mode, matrices);
        const double *matrix = matrices + (e % LANES) * 36;
        const int *vertex = laneVertices(links, e / LANES) + e % LANES;
        Coupling *coupling = &system->coupling[e];
        memset(coupling->block, 0, sizeof coupling->block);
        bool free[2] = { !s->pinned[vertex[0]], !s->pinned[vertex[LANES]] };
        for (int end = 0; end < 2; ++end)
        {
            const Part *part = system->part[coupling->part[end]];
            int diagonal = part->matrix->graph->start[vertex[end * LANES] - part->offset];
            if (free[end])
                addBlock(part->matrix->value + 9 * (ptrdiff_t)diagonal, scale, matrix, 6, end, end);
        }
        if (free[0] && free[1])
            addBlock(coupling->block, scale, matrix, 6, 0, 1);
    }
}

void systemAssemble(System *system, const Stage *stage, HessianMode mode)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        matrixClear(part->matrix);
        addMass(part, &system->state);
        for (int e = 0; e < part->energyCount; ++e)
            addEnergy(part, e, &system->state, stage, mode);
    }
    if (system->links != NULL)
        addLinks(system, stage, mode);
}

bool systemFactor(System *system)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        if (!factorCompute(system->part[p]->factor, system->part[p]->matrix))
            return false;
    }
    return true;
}

// ---- solution --------------------------------------------------------------------------------------------------------

static void multiplyIsland(void *user, const double *x, double *y)
{
    const System *system = user;
    for (int p = 0; p < system->partCount; ++p)
        matrixMultiply(system->part[p]->matrix, x + 3 * system->part[p]->offset, y + 3 * system->part[p]->offset);
    for (int e = 0; e < system->links->elementCount; ++e)
    {
        // the blocks between two vertices are symmetric matrices (central forces)
        const int *vertex = laneVertices(system->links, e / LANES) + e % LANES;
        for (int end = 0; end < 2; ++end)
        {
            const double *source = x + 3 * vertex[(1 - end) * LANES];
            double *target = y + 3 * vertex[end * LANES];
            for (int i = 0; i < 9; ++i)
                target[i / 3] += system->coupling[e].block[i] * source[i % 3];
        }
    }
}

static void solveParts(void *user, const double *right, double *result)
{
    const System *system = user;
    for (int p = 0; p < system->partCount; ++p)
        factorSolve(system->part[p]->factor, right + 3 * system->part[p]->offset, result + 3 * system->part[p]->offset);
}

bool systemSolve(System *system)
{
    State *s = &system->state;
    bool ok = true;
    if (system->links == NULL)
        solveParts(system, s->gradient, s->direction);
    else
    {
        CgProblem problem = { .size = 3 * s->count,
                              .multiply = multiplyIsland,
                              .precondition = solveParts,
                              .user = system,
                              .tolerance = 1e-12,
                              .iterationLimit = 200,
                              .work = system->work };
        ok = !cgSolve(&problem, s->gradient, s->direction).negativeCurvature;
    }
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = -s->direction[i];
    return ok;
}
