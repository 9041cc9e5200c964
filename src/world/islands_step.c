// The islands of a step: small ones side by side, one thread each; large ones one behind the other, all threads at
// each. Who solves what changes no bit.
#include "world/world.h"

#define SERIAL_VERTICES 500 // smaller islands are done before a second thread has woken
#define RUNAWAY 1e6         // a body that grew so many times its size has diverged
#define PER_THREAD 2        // islands as large as the largest, for each thread: then they are solved side by side

// what methods and solvers keep, before a step and after one that failed
static void mark(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
        energyMark(system->term[t].energy);
    system->step->spared = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->recalled = member->step->recall;
        memberMarkPrefactors(member);
    }
}

static void rewindSystem(System *system, const Integrator *integrator)
{
    rewindEnergies(system);
    if (system->step->spared)
        divisionRecall(system, integrator);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->recall = member->step->recalled;
        memberRewindPrefactors(member);
    }
}

// ---- one island -----------------------------------------------------------------------------------------------------

bool vertexIsSane(const Member *member, const State *s, int vertex)
{
    Vec3 x = vecLoad(s->position + 3 * (ptrdiff_t)vertex), v = vecLoad(s->velocity + 3 * (ptrdiff_t)vertex);
    return !isVast(x) && !isVast(v) && vecLength(vecSub(x, vecLoad(s->position))) <= RUNAWAY * member->size;
}

static bool isSane(const World *world, const System *system)
{
    int first = (int)(system->state.mass - world->state.mass); // of the island, in the world's state
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        State s = stateSlice(&world->state, first + member->offset, member->count);
        for (int v = 0; v < member->count; ++v)
        {
            if (!vertexIsSane(member, &s, v))
                return false;
        }
        if (!isfinite(member->added) || !isfinite(member->dissipated))
            return false;
    }
    return true;
}

static void endStep(System *system)
{
    if (system->proximity != NULL)
        proximityHold(system->proximity);
    systemSetFraction(system, 0);
}

// ---- one that is stepped in parts, by a fluid -----------------------------------------------------------------------

static bool isShared(const World *world, const System *system);

void islandOpen(World *world, int island)
{
    System *system = &world->system[island];
    systemListTerms(system, false);
    mark(system);
    world->runs[island].taken = true;
    system->trouble = TROUBLE_NONE;
    system->workers = isShared(world, system) ? world->workers : NULL;
    dividedSpare(system, world->method.integrator);
    beginEnergies(system, world->method.integrator->hasSubsteps ? isNotViscous : NULL, system->state.start);
}

void islandClose(World *world, int island, double dt, const Divided *divided)
{
    System *system = &world->system[island];
    dividedClose(system, divided);
    dividedSettle(system, dt, world->method.integrator);
    integratorFinish(system, dt, &world->method);
    endStep(system);
    world->runs[island].report = divided->sum;
    world->runs[island].sane = isSane(world, system);
}

// ---- all at once ----------------------------------------------------------------------------------------------------

// after the search: a step that is divided starts over from the mark
static void stepIsland(World *world, int island, double dt)
{
    System *system = &world->system[island];
    systemListTerms(system, false);
    mark(system);
    if (islandSleeps(system))
    {
        islandSkip(system);
        world->runs[island].sane = true;
        return;
    }
    system->trouble = TROUBLE_NONE;
    world->runs[island].report = integratorStep(system, dt, &world->method);
    endStep(system);
    world->runs[island].sane = isSane(world, system);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// solved by all threads together
static bool isShared(const World *world, const System *system)
{
    long long count = system->state.count;
    return count > SERIAL_VERTICES && count * PER_THREAD * workersCount(world->workers) > world->state.count;
}

typedef struct Run
{
    World *world;
    double dt;
    int first; // of the islands that are solved side by side: number of the first task
} Run;

static void islandTask(void *context, int task)
{
    const Run *run = context;
    stepIsland(run->world, run->world->runs[run->first + task].island, run->dt);
}

// phases of islands side by side are seconds of several threads: as shares of the time that passed
static void scalePhases(World *world, int count, double elapsed)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
    {
        const vvProfile *p = &world->runs[world->runs[k].island].report.solve.profile;
        sum += p->gradient + p->matrix + p->factor + p->solve + p->line + p->ledger;
    }
    double scale = sum > elapsed ? elapsed / sum : 1;
    for (int k = 0; k < count; ++k)
    {
        vvProfile *p = &world->runs[world->runs[k].island].report.solve.profile;
        p->gradient *= scale;
        p->matrix *= scale;
        p->factor *= scale;
        p->solve *= scale;
        p->line *= scale;
        p->ledger *= scale;
    }
}

void islandsStep(World *world, double dt, bool again)
{
    Run run = { .world = world, .dt = dt };
    int count = 0;
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        if (world->runs[i].taken || (again && !world->runs[i].again))
            continue;
        world->runs[i].report = (StepReport){ 0 };
        bool shared = isShared(world, system);
        system->workers = shared ? world->workers : NULL;
        if (shared)
            stepIsland(world, i, dt);
        else
            world->runs[count++].island = i;
    }
    double since = clockSeconds();
    for (run.first = 0; run.first < count; run.first += WORKERS_MOST_TASKS)
        workersRun(world->workers, minInt(count - run.first, WORKERS_MOST_TASKS), islandTask, &run);
    scalePhases(world, count, clockLap(&since));
}

void islandsRewind(World *world, bool meeting)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        if (!meeting || world->runs[i].again)
            rewindSystem(&world->system[i], world->method.integrator);
    }
}

void islandsRewindTaken(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        if (world->runs[i].taken)
            rewindSystem(&world->system[i], world->method.integrator);
    }
}
