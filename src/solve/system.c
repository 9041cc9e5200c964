// The objective of one implicit step over an island: value along a line, gradient, and what a step is measured by.
#include "solve/solve.h"

#include <string.h>

bool systemIsJoined(const System *system)
{
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL && system->joint[k]->elementCount > 0)
            return true;
    }
    return false;
}

static void setTime(System *system, double fraction, bool mean)
{
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] == NULL)
            continue;
        system->joint[k]->fraction = fraction;
        system->joint[k]->mean = mean;
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            system->member[p]->energy[e]->fraction = fraction;
            system->member[p]->energy[e]->mean = mean;
        }
    }
}

void systemSetFraction(System *system, double fraction)
{
    setTime(system, fraction, false);
}

void systemSetMidpoint(System *system)
{
    setTime(system, 0.5, true);
}

void systemSetTime(System *system, const Stage *stage)
{
    setTime(system, stage->theta, stage->mean);
}

void systemSetWindow(System *system, double from, double to)
{
    system->from = from;
    system->to = to;
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
        {
            system->joint[k]->from = from;
            system->joint[k]->to = to;
        }
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            system->member[p]->energy[e]->from = from;
            system->member[p]->energy[e]->to = to;
        }
    }
}

// ---- work in pieces --------------------------------------------------------------------------------------------------

#define VERTEX_GRAIN 1024 // vertices of one task
#define BLOCK_GRAIN 48    // blocks of elements of one task: some microseconds

// tasks are pieces of the members, one member after the other: finds the piece behind a task number
typedef struct Piece
{
    int member, energy, begin, end;
} Piece;

typedef struct Work
{
    System *system;
    const Stage *stage;
    EnergyFilter filter;
    const double *point;
    bool values;           // instead of gradients
    const double *descent; // subtracted from the position first, or NULL
    int first;             // number of the first task of this run
} Work;

int systemPieces(int vertexCount)
{
    return (vertexCount + VERTEX_GRAIN - 1) / VERTEX_GRAIN;
}

static int pieceCount(int items, int grain)
{
    return (items + grain - 1) / grain;
}

static Piece pieceOf(int task, int items, int grain)
{
    return (Piece){ .begin = task * grain, .end = minInt((task + 1) * grain, items) };
}

static bool passes(const Work *work, const Energy *energy)
{
    return !energy->idle && (work->filter == NULL || work->filter(energy));
}

// Contacts of bodies that are near nothing are most of their elements: looked at before every evaluation, and left out
static void lookForIdle(System *system)
{
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
            system->joint[k]->idle = energyIsIdle(system->joint[k]);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            Energy *energy = system->member[p]->energy[e];
            energy->idle = !(energy->traits & TRAIT_EXTERNAL) && energyIsIdle(energy);
        }
    }
}

static int grainOf(const Energy *energy)
{
    return energy->traits & TRAIT_WHOLE ? maxInt(energy->blockCount, 1) : BLOCK_GRAIN;
}

// pieces of an energy that may be NULL
static int piecesOf(const Work *work, const Energy *energy)
{
    return energy != NULL && passes(work, energy) ? pieceCount(energy->blockCount, grainOf(energy)) : 0;
}

// the energies of all members in blocks, the joints last
static int countBlocks(const Work *work)
{
    const System *system = work->system;
    int count = 0;
    for (int k = 0; k < JOINTS; ++k)
        count += piecesOf(work, system->joint[k]);
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
            count += piecesOf(work, system->member[p]->energy[e]);
    }
    return count;
}

static void elementPiece(const Work *work, Energy *energy, int task, int base)
{
    Piece piece = pieceOf(task, energy->blockCount, grainOf(energy));
    const double *x = (energy->traits & TRAIT_DISSIPATIVE ? work->system->state.rate : work->point) + base;
    if (work->values)
        energyValueBlocks(energy, x, piece.begin, piece.end);
    else
        energyGradientBlocks(energy, x, piece.begin, piece.end);
}

static void elementTask(void *context, int task)
{
    const Work *work = context;
    System *system = work->system;
    task += work->first;
    for (int p = 0; p < system->memberCount; ++p)
    {
        int base = 3 * system->member[p]->offset;
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            Energy *energy = system->member[p]->energy[e];
            int pieces = piecesOf(work, energy);
            if (task < pieces)
            {
                elementPiece(work, energy, task, base);
                return;
            }
            task -= pieces;
        }
    }
    int k = 0;
    for (; task >= piecesOf(work, system->joint[k]); ++k)
        task -= piecesOf(work, system->joint[k]);
    elementPiece(work, system->joint[k], task, 0);
}

static void runTasks(System *system, int count, TaskFunction function, Work *work)
{
    for (work->first = 0; work->first < count; work->first += WORKERS_MOST_TASKS)
        workersRun(system->workers, minInt(count - work->first, WORKERS_MOST_TASKS), function, work);
}

static void stageTask(void *context, int task)
{
    const Work *work = context;
    State *s = &work->system->state;
    Piece piece = pieceOf(work->first + task, s->count, VERTEX_GRAIN);
    double theta = work->stage->theta, inverse = 1 / work->stage->h;
    for (int v = piece.begin; v < piece.end && work->descent != NULL; ++v)
    {
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            s->position[i] -= s->pinned[v] ? 0 : work->descent[i];
    }
    for (int i = 3 * piece.begin; i < 3 * piece.end && s->stage == s->blend; ++i)
        s->blend[i] = s->start[i] + theta * (s->position[i] - s->start[i]);
    const double *from = work->stage->from ? work->stage->from : s->start;
    for (int i = 3 * piece.begin; i < 3 * piece.end && work->system->dissipates; ++i)
        s->rate[i] = (s->position[i] - from[i]) * inverse;
}

void systemSetStage(System *system, const Stage *stage)
{
    systemDescend(system, stage, NULL);
}

void systemDescend(System *system, const Stage *stage, const double *descent)
{
    system->state.stage = stage->theta == 1 ? system->state.position : system->state.blend;
    Work work = { .system = system, .stage = stage, .descent = descent };
    runTasks(system, systemPieces(system->state.count), stageTask, &work);
}

// ---- gradients -------------------------------------------------------------------------------------------------------

// target += what the vertices [begin, end) of the island find in the slots of the energies that pass
static void gather(const Work *work, int begin, int end, double *target)
{
    const System *system = work->system;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int from = maxInt(begin, member->offset), to = minInt(end, member->offset + member->count);
        for (int e = 0; e < member->energyCount && from < to; ++e)
        {
            if (passes(work, member->energy[e]))
                energyGather(member->energy[e], target + 3 * member->offset, from - member->offset,
                             to - member->offset);
        }
    }
    for (int k = 0; k < JOINTS; ++k)
    {
        if (piecesOf(work, system->joint[k]) > 0)
            energyGather(system->joint[k], target, begin, end);
    }
}

static void forceTask(void *context, int task)
{
    const Work *work = context;
    State *s = &work->system->state;
    Piece piece = pieceOf(work->first + task, s->count, VERTEX_GRAIN);
    for (int i = 3 * piece.begin; i < 3 * piece.end; ++i)
        s->gradient[i] = 0;
    gather(work, piece.begin, piece.end, s->gradient);
}

void systemForces(System *system, EnergyFilter filter, const double *point)
{
    Work work = { .system = system, .filter = filter, .point = point };
    lookForIdle(system);
    runTasks(system, countBlocks(&work), elementTask, &work);
    runTasks(system, systemPieces(system->state.count), forceTask, &work);
}

void systemValues(System *system, EnergyFilter filter, const double *point)
{
    Work work = { .system = system, .filter = filter, .point = point, .values = true };
    runTasks(system, countBlocks(&work), elementTask, &work);
}

bool isNotExternal(const Energy *energy)
{
    return (energy->traits & TRAIT_EXTERNAL) == 0;
}

static bool isNotViscous(const Energy *energy)
{
    return isNotExternal(energy) && !energyIsViscous(energy);
}

// S gradient stays, the rest is what holds the vertex: M (x - y) + sigma theta grad E = sigma theta f
static void hold(State *s, const Filter *filter, int vertex, double scale)
{
    double *gradient = s->gradient + 3 * (ptrdiff_t)vertex, *reaction = s->reaction + 3 * (ptrdiff_t)vertex;
    memcpy(reaction, gradient, 3 * sizeof(double));
    filterVertex(filter, vertex, gradient);
    for (int a = 0; a < 3; ++a)
        reaction[a] = (reaction[a] - gradient[a]) / scale;
}

static void gradientTask(void *context, int task)
{
    const Work *work = context;
    State *s = &work->system->state;
    Piece piece = pieceOf(work->first + task, s->count, VERTEX_GRAIN);
    for (int i = 3 * piece.begin; i < 3 * piece.end; ++i)
        s->gradient[i] = s->external[i];
    gather(work, piece.begin, piece.end, s->gradient);
    double scale = work->stage->sigma * work->stage->theta, largest = 0;
    Filter filter = stateFilter(s);
    for (int v = piece.begin; v < piece.end; ++v)
    {
        double square = 0;
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            s->gradient[i] = s->mass[v] * (s->position[i] - s->inertial[i]) + scale * s->gradient[i];
        if (s->hold[v] != HOLD_FREE)
            hold(s, &filter, v, scale);
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            square += s->gradient[i] * s->gradient[i];
        square /= s->mass[v] * s->mass[v];
        largest = square > largest || isnan(square) ? square : largest;
    }
    work->system->residual[work->first + task] = largest;
}

static bool isExternal(const Energy *energy)
{
    return (energy->traits & TRAIT_EXTERNAL) != 0;
}

void systemSetExternal(System *system)
{
    State *s = &system->state;
    systemForces(system, isExternal, s->start);
    memcpy(s->external, s->gradient, (size_t)s->count * 3 * sizeof(double));
}

void systemGradient(System *system, const Stage *stage)
{
    EnergyFilter filter = system->dampedApart ? isNotViscous : isNotExternal;
    Work work = { .system = system, .stage = stage, .filter = filter, .point = system->state.stage };
    lookForIdle(system);
    runTasks(system, countBlocks(&work), elementTask, &work);
    runTasks(system, systemPieces(system->state.count), gradientTask, &work);
}

double systemSize(const System *system)
{
    double smallest = system->member[0]->size;
    for (int p = 1; p < system->memberCount; ++p)
        smallest = minReal(smallest, system->member[p]->size);
    return smallest;
}

double systemResidual(const System *system)
{
    return sqrt(largestMagnitude(system->residual, systemPieces(system->state.count)));
}

double systemStepSize(const System *system, double step)
{
    double largest = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double longest = largestMagnitude(system->state.direction + 3 * member->offset, 3 * member->count);
        if (isnan(longest))
            return longest;
        largest = maxReal(largest, step * longest / member->size);
    }
    return largest;
}

double systemMotion(const System *system)
{
    double largest = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const double *x = system->state.position + 3 * member->offset,
                     *start = system->state.start + 3 * member->offset;
        double longest = 0;
        for (int i = 0; i < 3 * member->count; ++i)
            longest = maxReal(longest, fabs(x[i] - start[i]));
        largest = maxReal(largest, longest / member->size);
    }
    return largest;
}

// ---- along a line ----------------------------------------------------------------------------------------------------

// the stage moves by theta d, the rate by d / h: `way` becomes the one this energy needs
static void lineStart(Energy *energy, const State *s, int base, const Stage *stage, double *way)
{
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    if (energy->idle)
        return;
    double scale = rate ? 1 / stage->h : stage->theta;
    for (int i = base; i < base + 3 * energy->vertexCount; ++i)
        way[i] = scale * s->direction[i];
    energyLineStart(energy, (rate ? s->rate : s->stage) + base, way + base);
}

void systemLineStart(System *system, const Stage *stage)
{
    State *s = &system->state;
    double *sums = system->inertia, *way = scratchTake(s);
    sums[0] = sums[1] = sums[2] = 0;
    lookForIdle(system);
    for (int v = 0; v < s->count; ++v)
    {
        if (s->pinned[v])
            continue;
        Vec3 offset = vecSub(vecLoad(s->position + 3 * v), vecLoad(s->inertial + 3 * v));
        Vec3 d = vecLoad(s->direction + 3 * v);
        sums[0] += 0.5 * s->mass[v] * vecDot(offset, offset);
        sums[1] += s->mass[v] * vecDot(offset, d);
        sums[2] += 0.5 * s->mass[v] * vecDot(d, d);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
            lineStart(system->member[p]->energy[e], s, 3 * system->member[p]->offset, stage, way);
    }
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
            lineStart(system->joint[k], s, 0, stage, way);
    }
    scratchGive(s, way);
}

static double lineScale(const Energy *energy, const Stage *stage)
{
    return energy->traits & TRAIT_DISSIPATIVE ? stage->sigma * stage->theta * stage->h : stage->sigma;
}

double systemLineValue(System *system, const Stage *stage, double alpha, double *magnitude)
{
    double sum = system->inertia[0] + alpha * (system->inertia[1] + alpha * system->inertia[2]);
    *magnitude = fabs(sum);
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            Energy *energy = system->member[p]->energy[e];
            if (energy->idle)
                continue;
            double value = lineScale(energy, stage) * energyLineValue(energy, alpha);
            sum += value;
            *magnitude += fabs(value);
        }
    }
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL && !system->joint[k]->idle)
            sum += lineScale(system->joint[k], stage) * energyLineValue(system->joint[k], alpha);
    }
    return sum;
}
