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

bool partScatter(Part *part, Memory *memory, int index)
{
    const Energy *energy = part->energy[index];
    if (part->matrix == NULL || energy->kind->hessian == NULL || energy->kind->corners == 1)
        return true;
    memoryRelease(memory, part->scatter[index]);
    part->scatter[index] = createScatter(memory, energy, part->matrix->graph);
    return part->scatter[index] != NULL;
}

bool partCreateMatrix(Part *part, Memory *memory, const Graph *graph, const Symbolic *symbolic)
{
    part->matrix = matrixCreate(memory, graph);
    part->factor = factorCreate(memory, symbolic);
    bool ok = part->matrix != NULL && part->factor != NULL;
    for (int e = 0; ok && e < part->energyCount; ++e)
        ok = partScatter(part, memory, e);
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
    double *matrices = energy->matrices;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, point, e / LANES, mode, matrices);
        if (laneParams(energy, e / LANES)[e % LANES] == 0)
            continue; // off
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

// c_a^2 H of each corner goes into its body's matrix; what lies between corners stays with the coupling
static void addJoint(System *system, int joint, const Stage *stage, HessianMode mode)
{
    const Energy *energy = system->joint[joint];
    const State *s = &system->state;
    double scale = stage->sigma * stage->theta * stage->theta;
    double *matrices = energy->matrices;
    int corners = energy->kind->corners, width = 3 * corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, s->stage, e / LANES, mode, matrices);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        Coupling *coupling = &system->coupling[joint][e];
        memset(coupling->block, 0, sizeof coupling->block);
        addBlock(coupling->block, scale, matrices + (e % LANES) * width * width, width, 0, 0);
        for (int c = 0; c < corners; ++c)
        {
            coupling->live[c] = s->pinned[vertex[c * LANES]] ? 0 : coupling->share[c];
            const Part *part = system->part[coupling->part[c]];
            int diagonal = part->matrix->graph->start[vertex[c * LANES] - part->offset];
            addBlock(part->matrix->value + 9 * (ptrdiff_t)diagonal, coupling->live[c] * coupling->live[c],
                     coupling->block, 3, 0, 0);
        }
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
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
            addJoint(system, k, stage, mode);
    }
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

// y_a += c_a H (sum c_b x_b - c_a x_a): all but what the bodies' matrices hold
static void multiplyJoint(const System *system, int joint, const double *x, double *y)
{
    const Energy *energy = system->joint[joint];
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        const Coupling *coupling = &system->coupling[joint][e];
        double sum[3] = { 0, 0, 0 };
        for (int c = 0; c < corners; ++c)
        {
            for (int a = 0; a < 3; ++a)
                sum[a] += coupling->live[c] * x[3 * vertex[c * LANES] + a];
        }
        for (int c = 0; c < corners; ++c)
        {
            const double *own = x + 3 * vertex[c * LANES];
            double *target = y + 3 * vertex[c * LANES];
            for (int i = 0; i < 9; ++i)
                target[i / 3] += coupling->live[c] * coupling->block[i] * (sum[i % 3] - coupling->live[c] * own[i % 3]);
        }
    }
}

static void multiplyIsland(void *user, const double *x, double *y)
{
    const System *system = user;
    for (int p = 0; p < system->partCount; ++p)
        matrixMultiply(system->part[p]->matrix, x + 3 * system->part[p]->offset, y + 3 * system->part[p]->offset);
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
            multiplyJoint(system, k, x, y);
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
    if (!systemIsJoined(system))
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
