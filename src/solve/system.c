// The objective of one implicit step over an island: value along a line, gradient, and what a step is measured by.
#include "solve/solve.h"

#include <string.h>

// ---- terms ----------------------------------------------------------------------------------------------------------

int membersTerms(Member *const *member, int memberCount)
{
    int count = 0;
    for (int p = 0; p < memberCount; ++p)
        count += member[p]->energyCount;
    return count;
}

void systemListTerms(System *system, bool all)
{
    Term joint[JOINTS];
    int count = 0, joints = system->termCount - system->jointStart;
    if (joints > 0)
        memcpy(joint, system->term + system->jointStart, (size_t)joints * sizeof(Term));
    system->dissipates = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        for (int e = 0; e < member->energyCount; ++e)
        {
            if (!all && member->energy[e]->off)
                continue;
            system->term[count++] =
                (Term){ .energy = member->energy[e], .first = member->offset, .member = member, .place = e };
            system->dissipates |= (member->energy[e]->traits & TRAIT_DISSIPATIVE) != 0;
        }
    }
    system->jointStart = count;
    system->termCount = count + joints;
    if (joints > 0)
        memcpy(system->term + count, joint, (size_t)joints * sizeof(Term));
}

void systemAddJoint(System *system, Energy *joint, Coupling *coupling)
{
    ASSERT(system->termCount < system->jointStart + JOINTS, "an island has room for every kind of joint");
    system->term[system->termCount++] = (Term){ .energy = joint, .member = system->member[0], .coupling = coupling };
}

bool systemIsJoined(const System *system)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Energy *joint = system->term[t].energy;
        if (!joint->off && !energyIsIdle(joint)) // pairs under the hard law are
            return true;
    }
    return false;
}

#define MEMBERS_PER_THREAD 2 // at least, to be solved side by side

typedef struct MemberRun
{
    System *system;
    MemberFunction function;
    void *context;
    int first; // number of the first task of this run
} MemberRun;

static void memberTask(void *context, int task)
{
    const MemberRun *run = context;
    run->function(run->context, run->system->member[run->first + task], NULL);
}

void systemEachMember(System *system, MemberFunction function, void *context)
{
    int threads = workersCount(system->workers), count = system->memberCount, largest = 0;
    for (int p = 0; p < count && threads > 1; ++p)
        largest = maxInt(largest, system->member[p]->count);
    if (threads == 1 || count < MEMBERS_PER_THREAD * threads || largest > system->state.count / threads)
    {
        for (int p = 0; p < count; ++p)
            function(context, system->member[p], system->workers);
        return;
    }
    MemberRun run = { .system = system, .function = function, .context = context };
    for (; run.first < count; run.first += WORKERS_MOST_TASKS)
        workersRun(system->workers, minInt(count - run.first, WORKERS_MOST_TASKS), memberTask, &run);
}

static void setTime(System *system, double fraction, bool mean)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        system->term[t].energy->fraction = fraction;
        system->term[t].energy->mean = mean;
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
    for (int t = 0; t < system->termCount; ++t)
    {
        system->term[t].energy->from = from;
        system->term[t].energy->to = to;
    }
}

// ---- work in pieces -------------------------------------------------------------------------------------------------

#define BLOCK_GRAIN 48    // blocks of elements of one task: some microseconds

typedef struct Piece
{
    int begin, end;
} Piece;

typedef struct Work
{
    System *system;
    const Stage *stage;
    EnergyFilter filter;
    const double *point;
    bool values;           // instead of gradients
    bool freezes;          // likewise: elements freeze what they know of the point
    const double *descent; // subtracted from the position first, or NULL
    int first;             // number of the first task of this run
} Work;

int systemPieces(int vertexCount)
{
    int grain = workersGrain(vertexCount);
    return (vertexCount + grain - 1) / grain;
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
    bool works = work->freezes ? energy->kind->freeze != NULL : !energy->idle;
    return works && (work->filter == NULL || work->filter(energy));
}

// Contacts of bodies that are near nothing are most of their elements: looked at before every evaluation, and left out
static void lookForIdle(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        energy->idle = !(energy->traits & TRAIT_EXTERNAL) && (energy->off || energyIsIdle(energy));
    }
}

static int grainOf(const Energy *energy)
{
    return energy->traits & TRAIT_WHOLE ? maxInt(energy->blockCount, 1) : BLOCK_GRAIN;
}

// the blocks of a term's elements are tasks, one term behind the other: returns how many there are of those that pass
static int numberTasks(const Work *work)
{
    int count = 0;
    for (int t = 0; t < work->system->termCount; ++t)
    {
        Term *term = &work->system->term[t];
        term->task = count;
        count += passes(work, term->energy) ? pieceCount(term->energy->blockCount, grainOf(term->energy)) : 0;
    }
    return count;
}

// the last term that begins at or before a task: those before it without tasks have the same number
static const Term *termOfTask(const System *system, int task)
{
    int low = 0, high = system->termCount;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (system->term[middle].task <= task)
            low = middle;
        else
            high = middle;
    }
    return &system->term[low];
}

static void elementTask(void *context, int task)
{
    const Work *work = context;
    const Term *term = termOfTask(work->system, work->first + task);
    Energy *energy = term->energy;
    Piece piece = pieceOf(work->first + task - term->task, energy->blockCount, grainOf(energy));
    bool rates = (energy->traits & TRAIT_DISSIPATIVE) && !work->freezes;
    const double *x = rates ? work->system->state.rate : work->point;
    if (work->freezes)
        energy->kind->freeze(energy, x + 3 * (ptrdiff_t)term->first, piece.begin, piece.end);
    else if (work->values)
        energyValueBlocks(energy, x + 3 * (ptrdiff_t)term->first, piece.begin, piece.end);
    else
        energyGradientBlocks(energy, x + 3 * (ptrdiff_t)term->first, piece.begin, piece.end);
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
    Piece piece = pieceOf(work->first + task, s->count, workersGrain(s->count));
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

// ---- gradients ------------------------------------------------------------------------------------------------------

// the first term that has vertices at or behind this one, of those that are no joints
static int firstTerm(const System *system, int vertex)
{
    int low = 0, high = system->jointStart;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        const Member *member = system->term[middle].member;
        if (member->offset + member->count <= vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// target += what the vertices [begin, end) of the island find in the slots of the energies that pass
static void gather(const Work *work, int begin, int end, double *target)
{
    const System *system = work->system;
    for (int t = firstTerm(system, begin); t < system->jointStart && system->term[t].first < end; ++t)
    {
        int first = system->term[t].first, last = minInt(end, first + system->term[t].member->count);
        if (passes(work, system->term[t].energy))
            energyGather(system->term[t].energy, target + 3 * (ptrdiff_t)first, maxInt(begin, first) - first,
                         last - first);
    }
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        if (passes(work, system->term[t].energy))
            energyGather(system->term[t].energy, target, begin, end);
    }
}

static void forceTask(void *context, int task)
{
    const Work *work = context;
    State *s = &work->system->state;
    Piece piece = pieceOf(work->first + task, s->count, workersGrain(s->count));
    for (int i = 3 * piece.begin; i < 3 * piece.end; ++i)
        s->gradient[i] = 0;
    gather(work, piece.begin, piece.end, s->gradient);
}

void systemForces(System *system, EnergyFilter filter, const double *point)
{
    Work work = { .system = system, .filter = filter, .point = point };
    lookForIdle(system);
    runTasks(system, numberTasks(&work), elementTask, &work);
    runTasks(system, systemPieces(system->state.count), forceTask, &work);
}

void systemValues(System *system, EnergyFilter filter, const double *point)
{
    Work work = { .system = system, .filter = filter, .point = point, .values = true };
    runTasks(system, numberTasks(&work), elementTask, &work);
}

void systemFreeze(System *system, EnergyFilter filter, const double *point)
{
    Work work = { .system = system, .filter = filter, .point = point, .freezes = true };
    runTasks(system, numberTasks(&work), elementTask, &work);
}

bool isNotExternal(const Energy *energy)
{
    return (energy->traits & TRAIT_EXTERNAL) == 0;
}

static bool isGradient(const Energy *energy)
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
    Piece piece = pieceOf(work->first + task, s->count, workersGrain(s->count));
    for (int i = 3 * piece.begin; i < 3 * piece.end; ++i)
        s->gradient[i] = s->external[i];
    gather(work, piece.begin, piece.end, s->gradient);
    double scale = work->stage->sigma * work->stage->theta, largest = 0;
    Filter filter = stateFilter(s);
    for (int v = piece.begin; v < piece.end; ++v)
    {
        double mass = s->mass[v], *to = s->gradient + 3 * (ptrdiff_t)v;
        Vec3 away = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), vecLoad(s->inertial + 3 * (ptrdiff_t)v));
        Vec3 g = vecAdd(vecScale(mass, away), vecScale(scale, vecLoad(to)));
        vecStore(to, g);
        if (s->hold[v] != HOLD_FREE)
        {
            hold(s, &filter, v, scale);
            g = vecLoad(to);
        }
        double square = vecDot(g, g) / (mass * mass);
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
    EnergyFilter filter = system->dampedApart ? isGradient : isNotExternal;
    Work work = { .system = system, .stage = stage, .filter = filter, .point = system->state.stage };
    lookForIdle(system);
    runTasks(system, numberTasks(&work), elementTask, &work);
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

// ---- along a line ---------------------------------------------------------------------------------------------------

// the stage moves by theta d, the rate by d / h: `direction` becomes the one this energy needs
static void lineStart(Energy *energy, const State *s, int base, const Stage *stage, double *direction)
{
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    if (energy->idle)
        return;
    double scale = rate ? 1 / stage->h : stage->theta;
    for (int i = base; i < base + 3 * energy->vertexCount; ++i)
        direction[i] = scale * s->direction[i];
    energyLineStart(energy, (rate ? s->rate : s->stage) + base, direction + base);
}

void systemLineStart(System *system, const Stage *stage)
{
    State *s = &system->state;
    double *sums = system->inertia, *direction = scratchTake(s);
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
    for (int t = 0; t < system->termCount; ++t)
        lineStart(system->term[t].energy, s, 3 * system->term[t].first, stage, direction);
    scratchGive(s, direction);
}

static double lineScale(const Energy *energy, const Stage *stage)
{
    return energy->traits & TRAIT_DISSIPATIVE ? stage->sigma * stage->theta * stage->h : stage->sigma;
}

double systemLineValue(System *system, const Stage *stage, double alpha, double *magnitude)
{
    double sum = system->inertia[0] + alpha * (system->inertia[1] + alpha * system->inertia[2]);
    *magnitude = fabs(sum);
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        if (energy->idle)
            continue;
        double value = lineScale(energy, stage) * energyLineValue(energy, alpha);
        sum += value;
        *magnitude += fabs(value);
    }
    return sum;
}
