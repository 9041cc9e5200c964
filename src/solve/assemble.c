// Matrices of an island: one sparse matrix per body, couplings between bodies beside them.
#include "energy/link.h"
#include "solve/solve.h"

#include <string.h>

// ---- creation -------------------------------------------------------------------------------------------------------

// pairs of corners (a, b), a >= b, and their numbers
static int pairCount(int corners)
{
    return corners * (corners + 1) / 2;
}

static int pairNumber(int a, int b)
{
    return a * (a + 1) / 2 + b;
}

// where the block of each pair of corners of each element goes; it is transposed if a's vertex comes before b's
static int *createScatter(Memory *memory, const Energy *energy, const Graph *graph)
{
    int corners = energy->kind->corners, pairs = pairCount(corners);
    int *scatter = ALLOCATE(memory, int, (size_t)energy->elementCount *(size_t)pairs);
    if (scatter == NULL)
        return NULL;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int a = 0; a < corners; ++a)
        {
            for (int b = 0; b <= a; ++b)
            {
                int row = vertex[a * LANES], column = vertex[b * LANES];
                int block = graphFind(graph, maxInt(row, column), minInt(row, column));
                ASSERT(block >= 0, "the graph holds every pair of an element");
                scatter[e * pairs + pairNumber(a, b)] = block;
            }
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

bool memberCreateMatrix(Member *member, Memory *memory, const Graph *graph, const FrontTree *blocks, Isa isa,
                        const PreconditionerKind *preconditioner)
{
    member->matrix = matrixCreate(memory, graph);
    if (member->matrix != NULL && blocks != NULL)
        member->factor = frontFactorCreate(memory, blocks, FRONT_DOUBLE, isa);
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
    frontFactorDestroy(member->factor);
    preconditionerDestroy(member->preconditioner);
    member->matrix = NULL;
    member->factor = NULL;
    member->preconditioner = NULL;
}

// ---- assembly -------------------------------------------------------------------------------------------------------

// target += scale x a 3x3 block whose rows lie `width` apart
static inline __attribute__((always_inline)) void addBlock(double *target, double scale, const double *block, int width)
{
    for (int i = 0; i < 3; ++i, target += 3, block += width)
    {
        target[0] += scale * block[0];
        target[1] += scale * block[1];
        target[2] += scale * block[2];
    }
}

// the same of a block between vertices of the island that may be held
static void addHeldBlock(const State *s, int row, int column, double *target, double scale, const double *block,
                         int width)
{
    double held[9] = { 0 };
    Filter filter = stateFilter(s);
    addBlock(held, scale, block, width);
    filterBlock(&filter, row, column, held);
    addBlock(target, 1, held, 3);
}

// Assembly by columns: a task owns a range of the island's vertices and computes every element that touches one of
// them. Entries are sums over the elements in their order, whoever computes them.
typedef struct Assembly
{
    System *system;
    const Stage *stage;
    HessianMode mode;
    int tasks;
} Assembly;

typedef struct Columns
{
    int begin, end; // vertices of the island
} Columns;

static Columns columnsOf(const Assembly *assembly, int task)
{
    long long count = assembly->system->state.count;
    return (Columns){ (int)(count * task / assembly->tasks), (int)(count * (task + 1) / assembly->tasks) };
}

// some element of a block has a vertex among the columns; vertices count from `first`
static bool touchesColumns(const Energy *energy, int block, int first, Columns columns)
{
    const int *vertex = laneVertices(energy, block);
    int least = vertex[0], most = vertex[0];
    for (int k = 1; k < energy->kind->corners * LANES; ++k)
    {
        least = minInt(least, vertex[k]);
        most = maxInt(most, vertex[k]);
    }
    return first + most >= columns.begin && first + least < columns.end;
}

// the blocks of element e whose columns are among those
static void addElement(const Term *term, const State *s, int e, double scale, const double *matrix, Columns columns)
{
    const Energy *energy = term->energy;
    const Member *member = term->member;
    const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
    const int *scatter = member->scatter[term->place];
    int corners = energy->kind->corners, width = 3 * corners;
    const int *block = scatter ? scatter + (ptrdiff_t)e * pairCount(corners) : &member->matrix->graph->start[vertex[0]];
    for (int a = 0; a < corners; ++a)
    {
        for (int b = 0; b <= a; ++b, ++block)
        {
            bool turned = vertex[a * LANES] < vertex[b * LANES];
            int i = turned ? b : a, j = turned ? a : b;
            int row = member->offset + vertex[i * LANES], column = member->offset + vertex[j * LANES];
            if (column < columns.begin || column >= columns.end)
                continue;
            double *target = member->matrix->value + 9 * (ptrdiff_t)*block;
            const double *source = matrix + (ptrdiff_t)3 * (i * width + j);
            if ((s->hold[row] | s->hold[column]) == HOLD_FREE)
                addBlock(target, scale, source, width);
            else if (s->hold[row] != HOLD_FIXED && s->hold[column] != HOLD_FIXED) // else all of it is held
                addHeldBlock(s, row, column, target, scale, source, width);
            if (row == column && i != j) // a corner that repeats another
                addHeldBlock(s, row, column, target, scale, matrix + (ptrdiff_t)3 * (j * width + i), width);
        }
    }
}

#define SMALL_CORNERS 4 // a block of their matrices fits on the stack

static void addTerm(const Term *term, const Assembly *assembly, Columns columns)
{
    const Energy *energy = term->energy;
    const Stage *stage = assembly->stage;
    const State *s = &assembly->system->state;
    if (energy->kind->hessian == NULL || energy->idle)
        return;
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    double scale = rate ? stage->sigma * stage->theta / stage->h : stage->sigma * stage->theta * stage->theta;
    const double *point = (rate ? s->rate : s->stage) + 3 * (ptrdiff_t)term->member->offset;
    int corners = energy->kind->corners, size = 9 * corners * corners;
    double small[LANES * 9 * SMALL_CORNERS * SMALL_CORNERS];
    double *matrices = corners <= SMALL_CORNERS ? small : energy->matrices;
    for (int block = 0; block < energy->blockCount; ++block)
    {
        if (!touchesColumns(energy, block, term->member->offset, columns))
            continue;
        energy->kind->hessian(energy, point, block, assembly->mode, matrices);
        for (int lane = 0; lane < LANES && block * LANES + lane < energy->elementCount; ++lane)
        {
            if (laneParams(energy, block)[lane] != 0) // else it is off
                addElement(term, s, block * LANES + lane, scale, matrices + lane * size, columns);
        }
    }
}

// zero but for the mass on the diagonal; where vertices are held they keep only that, so that they leave the unknowns
// and the pattern stays
static void clearColumns(const Member *member, const State *s, Columns columns)
{
    int begin = maxInt(columns.begin - member->offset, 0), end = minInt(columns.end - member->offset, member->count);
    if (begin >= end)
        return;
    const int *start = member->matrix->graph->start;
    double *value = member->matrix->value;
    memset(value + 9 * (ptrdiff_t)start[begin], 0, 9 * (size_t)(start[end] - start[begin]) * sizeof(double));
    for (int v = begin; v < end; ++v)
    {
        for (int a = 0; a < 3; ++a)
            value[9 * (ptrdiff_t)start[v] + 4 * a] = s->mass[member->offset + v];
    }
}

// c_a^2 H of each corner goes into its body's matrix; what lies between corners stays with the coupling
static void addJoint(System *system, const Term *joint, const Stage *stage, HessianMode mode)
{
    const Energy *energy = joint->energy;
    const State *s = &system->state;
    double scale = stage->sigma * stage->theta * stage->theta;
    double matrices[LANES * 9 * JOINT_CORNERS * JOINT_CORNERS]; // islands share the room of a joint's energy
    int corners = energy->kind->corners, width = 3 * corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->hessian(energy, s->stage, e / LANES, mode, matrices);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        Coupling *coupling = &joint->coupling[e];
        if (energy->kind == &linkKind)
            linkShares(energy, e, s->stage, coupling->share);
        double first = coupling->share[0];
        memset(coupling->block, 0, sizeof coupling->block);
        addBlock(coupling->block, scale / (first * first), matrices + (e % LANES) * width * width, width);
        for (int c = 0; c < corners; ++c)
        {
            coupling->live[c] = s->pinned[vertex[c * LANES]] ? 0 : coupling->share[c];
            const Member *member = system->member[coupling->member[c]];
            int diagonal = member->matrix->graph->start[vertex[c * LANES] - member->offset];
            addHeldBlock(s, vertex[c * LANES], vertex[c * LANES], member->matrix->value + 9 * (ptrdiff_t)diagonal,
                         coupling->live[c] * coupling->live[c], coupling->block, 3);
        }
    }
}

static void assembleColumns(void *context, int task)
{
    const Assembly *assembly = context;
    const System *system = assembly->system;
    Columns columns = columnsOf(assembly, task);
    for (int p = 0; p < system->memberCount; ++p)
        clearColumns(system->member[p], &system->state, columns);
    for (int t = 0; t < system->jointStart; ++t)
        addTerm(&system->term[t], assembly, columns);
}

bool systemReaches(const System *system)
{
    for (int t = 0; t < system->jointStart; ++t)
    {
        if (system->term[t].energy->kind->beyondTimes != NULL)
            return true;
    }
    return false;
}

// what stays beside the matrices of bodies
static void startBeyond(System *system, const Stage *stage, HessianMode mode)
{
    system->beyond = systemReaches(system) ? stage->sigma * stage->theta * stage->theta : 0;
    for (int t = 0; t < system->jointStart && system->beyond > 0; ++t)
    {
        Energy *energy = system->term[t].energy;
        if (energy->kind->beyondStart != NULL && !energy->idle)
            energy->kind->beyondStart(energy, system->state.stage + 3 * (ptrdiff_t)system->term[t].first, mode);
    }
}

void systemAssemble(System *system, const Stage *stage, HessianMode mode)
{
    // elements across the border of two ranges are computed twice: no more ranges than threads
    Assembly assembly = { system, stage, mode, minInt(workersCount(system->workers), WORKERS_MOST_TASKS) };
    for (int t = 0; t < system->jointStart; ++t)
    {
        if (system->term[t].energy->kind->corners > SMALL_CORNERS)
            assembly.tasks = 1; // there is room for one block of its matrices
    }
    workersRun(system->workers, assembly.tasks, assembleColumns, &assembly);
    for (int t = system->jointStart; t < system->termCount; ++t)
        addJoint(system, &system->term[t], stage, mode);
    startBeyond(system, stage, mode);
}

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

// the constant majorizer of an energy (energy.h), times the identity
static void addMajorizer(const Term *term, const State *s, const Stage *stage)
{
    const Energy *energy = term->energy;
    const Member *member = term->member;
    if (energy->kind->majorizer == NULL)
        return;
    const int *scatter = member->scatter[term->place];
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
            int a = diagonal ? k : k / corners, b = diagonal ? k : k % corners;
            int row = vertex[a * LANES], column = vertex[b * LANES];
            if (row < column)
                continue; // the lower triangle is stored
            int block = diagonal ? member->matrix->graph->start[row]
                                 : scatter[e * pairCount(corners) + pairNumber(maxInt(a, b), minInt(a, b))];
            addHeldBlock(s, member->offset + row, member->offset + column, member->matrix->value + 9 * (ptrdiff_t)block,
                         scale * weights[(e % LANES) * numbers + k], identity, 3);
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
                         member->matrix->value + 9 * (ptrdiff_t)member->matrix->graph->start[v], weight, identity, 3);
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
    for (int p = 0; p < system->memberCount; ++p)
        clearColumns(system->member[p], &system->state, (Columns){ 0, system->state.count });
    for (int t = 0; t < system->jointStart; ++t)
        addMajorizer(&system->term[t], &system->state, stage);
    addJointDiagonal(system, stage);
    system->beyond = 0;
}
