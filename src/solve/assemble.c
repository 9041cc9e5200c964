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

bool memberScatter(Member *member, Memory *memory, int index)
{
    const Energy *energy = member->energy[index];
    if (member->matrix == NULL || energy->kind->hessian == NULL || energy->kind->corners == 1)
        return true;
    memoryRelease(memory, member->scatter[index]);
    member->scatter[index] = createScatter(memory, energy, member->matrix->graph);
    return member->scatter[index] != NULL;
}

bool memberCreateMatrix(Member *member, Memory *memory, const Graph *graph, const Symbolic *symbolic,
                        const PreconditionerKind *preconditioner)
{
    member->matrix = matrixCreate(memory, graph);
    if (member->matrix != NULL && symbolic != NULL)
        member->factor = factorCreate(memory, symbolic);
    else if (member->matrix != NULL)
        member->preconditioner = preconditionerCreate(memory, preconditioner, member->matrix);
    bool ok = member->factor != NULL || member->preconditioner != NULL;
    for (int e = 0; ok && e < member->energyCount; ++e)
        ok = memberScatter(member, memory, e);
    if (!ok)
        memberDestroyMatrix(member, memory);
    return ok;
}

void memberDestroyMatrix(Member *member, Memory *memory)
{
    for (int e = 0; e < MEMBER_ENERGIES; ++e)
    {
        memoryRelease(memory, member->scatter[e]);
        member->scatter[e] = NULL;
    }
    matrixDestroy(member->matrix);
    factorDestroy(member->factor);
    preconditionerDestroy(member->preconditioner);
    member->matrix = NULL;
    member->factor = NULL;
    member->preconditioner = NULL;
}

// ---- assembly --------------------------------------------------------------------------------------------------------

// target += scale x the 3x3 block (a, b) of an element matrix
static void addBlock(double *target, double scale, const double *matrix, int width, int a, int b)
{
    for (int i = 0; i < 9; ++i)
        target[i] += scale * matrix[(3 * a + i / 3) * width + 3 * b + i % 3];
}

// the same of a block between vertices of the island that may be held
static void addHeldBlock(const State *s, int row, int column, double *target, double scale, const double *matrix,
                         int width, int a, int b)
{
    double block[9] = { 0 };
    Filter filter = stateFilter(s);
    addBlock(block, scale, matrix, width, a, b);
    filterBlock(&filter, row, column, block);
    addBlock(target, 1, block, 3, 0, 0);
}

static void addTerm(const Term *term, const State *s, const Stage *stage, HessianMode mode)
{
    const Energy *energy = term->energy;
    const Member *member = term->member;
    const int *scatter = member->scatter[term->place];
    if (energy->kind->hessian == NULL)
        return;
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    double scale = rate ? stage->sigma * stage->theta / stage->h : stage->sigma * stage->theta * stage->theta;
    const double *point = (rate ? s->rate : s->stage) + 3 * member->offset;
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
            int block = scatter ? scatter[e * corners * corners + k] : member->matrix->graph->start[vertex[0]];
            if (block < 0)
                continue;
            int row = member->offset + vertex[a * LANES], column = member->offset + vertex[b * LANES];
            double *target = member->matrix->value + 9 * (ptrdiff_t)block;
            if (s->hold[row] == HOLD_FREE && s->hold[column] == HOLD_FREE)
                addBlock(target, scale, matrix, width, a, b);
            else
                addHeldBlock(s, row, column, target, scale, matrix, width, a, b);
        }
    }
}

// mass on the diagonal; where vertices are held they keep only that, so that they leave the unknowns and the pattern stays
static void addMass(const Member *member, const State *s)
{
    for (int v = 0; v < member->count; ++v)
    {
        double *block = member->matrix->value + 9 * (ptrdiff_t)member->matrix->graph->start[v];
        for (int a = 0; a < 3; ++a)
            block[4 * a] += s->mass[member->offset + v];
    }
}

// c_a^2 H of each corner goes into its body's matrix; what lies between corners stays with the coupling
static void addJoint(System *system, const Term *joint, const Stage *stage, HessianMode mode)
{
    const Energy *energy = joint->energy;
    const State *s = &system->state;
    double scale = stage->sigma * stage->theta * stage->theta;
    double *matrices = energy->matrices;
    int corners = energy->kind->corners, width = 3 * corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, s->stage, e / LANES, mode, matrices);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        Coupling *coupling = &joint->coupling[e];
        memset(coupling->block, 0, sizeof coupling->block);
        addBlock(coupling->block, scale, matrices + (e % LANES) * width * width, width, 0, 0);
        for (int c = 0; c < corners; ++c)
        {
            coupling->live[c] = s->pinned[vertex[c * LANES]] ? 0 : coupling->share[c];
            const Member *member = system->member[coupling->member[c]];
            int diagonal = member->matrix->graph->start[vertex[c * LANES] - member->offset];
            addHeldBlock(s, vertex[c * LANES], vertex[c * LANES], member->matrix->value + 9 * (ptrdiff_t)diagonal,
                         coupling->live[c] * coupling->live[c], coupling->block, 3, 0, 0);
        }
    }
}

static void clearMatrices(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        matrixClear(system->member[p]->matrix);
        addMass(system->member[p], &system->state);
    }
}

void systemAssemble(System *system, const Stage *stage, HessianMode mode)
{
    clearMatrices(system);
    for (int t = 0; t < system->jointStart; ++t)
        addTerm(&system->term[t], &system->state, stage, mode);
    for (int t = system->jointStart; t < system->termCount; ++t)
        addJoint(system, &system->term[t], stage, mode);
}

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

// the constant majorizer of an energy (energy.h), times the identity
static void addMajorizer(const Term *term, const State *s, const Stage *stage)
{
    const Energy *energy = term->energy;
    const Member *member = term->member;
    if (energy->kind->majorizer == NULL)
        return;
    bool diagonal = energyIsDiagonal(energy), rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    double scale = rate ? stage->sigma * stage->theta / stage->h : stage->sigma * stage->theta * stage->theta;
    int corners = energy->kind->corners, numbers = diagonal ? corners : corners * corners;
    double weights[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->majorizer(energy, e / LANES, weights);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int k = 0; k < numbers; ++k)
        {
            int a = vertex[(diagonal ? k : k / corners) * LANES], b = vertex[(diagonal ? k : k % corners) * LANES];
            int block = diagonal ? member->matrix->graph->start[a] : member->scatter[term->place][e * numbers + k];
            if (block >= 0)
                addHeldBlock(s, member->offset + a, member->offset + b, member->matrix->value + 9 * (ptrdiff_t)block,
                             scale * weights[(e % LANES) * numbers + k], identity, 3, 0, 0);
        }
    }
}

// joints lie below a diagonal: nothing is left between bodies
static void addJointDiagonal(System *system, const Stage *stage)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount && system->couplingDiagonal != NULL; ++p)
    {
        const Member *member = system->member[p];
        for (int v = 0; v < member->count; ++v)
        {
            double weight = stage->sigma * stage->theta * stage->theta * system->couplingDiagonal[member->offset + v];
            addHeldBlock(s, member->offset + v, member->offset + v,
                         member->matrix->value + 9 * (ptrdiff_t)member->matrix->graph->start[v], weight, identity, 3, 0,
                         0);
        }
    }
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        for (int e = 0; e < system->term[t].energy->elementCount; ++e)
            memset(system->term[t].coupling[e].block, 0, sizeof system->term[t].coupling[e].block);
    }
}

void systemAssembleLinear(System *system, const Stage *stage)
{
    clearMatrices(system);
    for (int t = 0; t < system->jointStart; ++t)
        addMajorizer(&system->term[t], &system->state, stage);
    addJointDiagonal(system, stage);
}

bool systemFactor(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!factorCompute(system->member[p]->factor, system->member[p]->matrix))
            return false;
    }
    return true;
}

bool systemPrecondition(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!preconditionerCompute(system->member[p]->preconditioner))
            return false;
    }
    return true;
}

// ---- solution --------------------------------------------------------------------------------------------------------

// y_a += c_a S_a H (sum c_b S_b x_b - c_a S_a x_a): all but what the bodies' matrices hold
static void multiplyJoint(const System *system, const Term *joint, const double *x, double *y)
{
    const Energy *energy = joint->energy;
    Filter filter = stateFilter(&system->state);
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        const Coupling *coupling = &joint->coupling[e];
        double sum[3] = { 0, 0, 0 }, own[MAX_CORNERS][3];
        for (int c = 0; c < corners; ++c)
        {
            memcpy(own[c], x + 3 * (ptrdiff_t)vertex[c * LANES], sizeof own[c]);
            filterVertex(&filter, vertex[c * LANES], own[c]);
            for (int a = 0; a < 3; ++a)
                sum[a] += coupling->live[c] * own[c][a];
        }
        for (int c = 0; c < corners; ++c)
        {
            double *target = y + 3 * (ptrdiff_t)vertex[c * LANES], pull[3] = { 0, 0, 0 };
            for (int i = 0; i < 9; ++i)
                pull[i / 3] +=
                    coupling->live[c] * coupling->block[i] * (sum[i % 3] - coupling->live[c] * own[c][i % 3]);
            filterVertex(&filter, vertex[c * LANES], pull);
            for (int a = 0; a < 3; ++a)
                target[a] += pull[a];
        }
    }
}

static void multiplyIsland(void *user, const double *x, double *y)
{
    const System *system = user;
    for (int p = 0; p < system->memberCount; ++p)
        matrixMultiply(system->member[p]->matrix, x + 3 * system->member[p]->offset, y + 3 * system->member[p]->offset);
    for (int t = system->jointStart; t < system->termCount; ++t)
        multiplyJoint(system, &system->term[t], x, y);
}

static void solveMembers(void *user, const double *right, double *result)
{
    const System *system = user;
    for (int p = 0; p < system->memberCount; ++p)
        factorSolve(system->member[p]->factor, right + 3 * system->member[p]->offset,
                    result + 3 * system->member[p]->offset);
}

static void preconditionMembers(void *user, const double *right, double *result)
{
    const System *system = user;
    for (int p = 0; p < system->memberCount; ++p)
        preconditionerApply(system->member[p]->preconditioner, right + 3 * system->member[p]->offset,
                            result + 3 * system->member[p]->offset);
}

// direction = -A^-1 gradient
static bool conjugateGradient(System *system, CgProblem *problem, SolveReport *report)
{
    problem->size = 3 * system->state.count;
    problem->multiply = multiplyIsland;
    problem->user = system;
    problem->work = system->work;
    Filter filter = stateFilter(&system->state);
    problem->filter = &filter;
    memset(system->state.direction, 0, (size_t)problem->size * sizeof(double)); // held components do not move
    CgReport cg = cgSolve(problem, system->state.gradient, system->state.direction);
    report->linearIterations += cg.iterations;
    return !cg.negativeCurvature;
}

static void turnAround(System *system)
{
    for (int i = 0; i < 3 * system->state.count; ++i)
        system->state.direction[i] = -system->state.direction[i];
}

bool systemSolve(System *system, SolveReport *report)
{
    bool ok = true;
    if (!systemIsJoined(system))
    {
        Filter filter = stateFilter(&system->state);
        solveMembers(system, system->state.gradient, system->state.direction);
        filterApply(&filter, system->state.direction); // but for rounding it is so already
    }
    else
    {
        CgProblem problem = { .precondition = solveMembers, .tolerance = 1e-12, .iterationLimit = 200 };
        ok = conjugateGradient(system, &problem, report);
    }
    turnAround(system);
    return ok;
}

bool systemSolveInexact(System *system, double share, int limit, SolveReport *report)
{
    CgProblem problem = { .precondition = preconditionMembers, .tolerance = share, .iterationLimit = limit };
    bool ok = conjugateGradient(system, &problem, report);
    turnAround(system);
    return ok;
}
