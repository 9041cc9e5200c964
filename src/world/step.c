// The step: prepare, integrate every island, look at the result, accept it or keep the state before it.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define WIDEST_REACH 0.3  // of a body that waves may cross in a substep
#define LEAST_MOTION 1e-9 // of a body's size in a step: what rests moves by less
#define TOO_SOFT 1.1      // times: from there on it is worth one
#define MOST_MEETINGS 2   // times that a step is taken again
#define HARMLESS 0.1      // of the motion of a step: a last correction below it is not worth a warning

static void collect(vvStatistics *statistics, const System *system, const StepReport *report)
{
    if (report->solve.correction > 0)
        statistics->correction =
            maxReal(statistics->correction, report->solve.correction / maxReal(systemMotion(system), LEAST_MOTION));
    if (report->solve.softness.factor > statistics->softness)
        statistics->softness = report->solve.softness.factor;
    statistics->iterations = maxInt(statistics->iterations, report->solve.iterations);
    statistics->factorizations += report->solve.factorizations;
    statistics->semidefinite += report->solve.semidefinite;
    statistics->lineSearchSteps += report->solve.lineSearchSteps;
    statistics->linearIterations += report->solve.linearIterations;
    statistics->residual = maxReal(statistics->residual, report->solve.residual);
    statistics->converged = statistics->converged && report->solve.converged;
    if (fabs(report->alpha) > fabs(statistics->alpha))
        statistics->alpha = report->alpha;
    statistics->blendFailures += report->failures;
    statistics->elasticShare = maxReal(statistics->elasticShare, report->share);
    statistics->spectrum = maxReal(statistics->spectrum, report->spectrum);
    statistics->unresolved += report->unresolved;
    statistics->substeps = maxInt(statistics->substeps, report->substeps);
    statistics->ruledSubsteps = maxInt(statistics->ruledSubsteps, report->ruled);
    statistics->crossings += system->proximity != NULL ? system->proximity->crossings : 0;
}

// what a step that failed took is not known
static void noteSubsteps(World *world, bool done)
{
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        const StepReport *report = &world->runs[body->island].report;
        body->substeps = (vvSubsteps){ 0 };
        if (done && !islandSleeps(&world->system[body->island]))
            body->substeps = (vvSubsteps){ maxInt(report->ruled, 1), maxInt(report->substeps, 1) };
    }
}

static void warnUnresolved(World *world, const StepReport *report)
{
    if (!(report->reach > WIDEST_REACH) || world->warnedUnresolved)
        return;
    world->warnedUnresolved = true;
    double wanted = ceil(report->solve.iterations * report->reach / WIDEST_REACH);
    char remedy[80];
    if (wanted <= VV_MAX_SUBSTEPS)
        snprintf(remedy, sizeof remedy, "set substeps to %.0f or more", wanted);
    else
        snprintf(remedy, sizeof remedy, "what is so stiff turns and bends too slowly; soften it");
    logWrite(
        &world->memory, &world->logger, VV_LOG_WARNING,
        "step %lld: a wave crosses %.2g of a body in one of the %d substeps, and %s is slow to follow above %g: %s "
        "(said once)",
        world->statistics.stepCount + 1, report->reach, report->solve.iterations, world->method.integrator->name,
        WIDEST_REACH, remedy);
}

// in words, once: a residual says nothing to a user
static void warnSoft(World *world, const StepReport *report)
{
    Softness soft = report->solve.softness;
    if (!(soft.factor > TOO_SOFT) || world->warnedSoft)
        return;
    world->warnedSoft = true;
    const SolverSettings *solving = &world->method.solving;
    char how[48], remedy[120];
    if (soft.factor < 1.5)
        snprintf(how, sizeof how, "%.0f %% too soft", 100 * (soft.factor - 1));
    else
        snprintf(how, sizeof how, "%.2g times too soft", soft.factor);
    snprintf(remedy, sizeof remedy, "%s%sthe solver newton, or %d iterations", solving->modes ? "" : "set modes, ",
             solving->accelerate ? "" : "accelerate, ", soft.iterations);
    logWrite(
        &world->memory, &world->logger, VV_LOG_WARNING,
        "a body is not its material at these iterations of local-global: it creeps, or is up to %s: %s (said once)",
        how, remedy);
}

static void addPhases(vvProfile *profile, const vvProfile *phases)
{
    profile->gradient += phases->gradient;
    profile->matrix += phases->matrix;
    profile->factor += phases->factor;
    profile->solve += phases->solve;
    profile->line += phases->line;
    profile->ledger += phases->ledger;
}

// what would not have diverged: never the method in use
static const char *steadier(const World *world)
{
    if (strcmp(world->method.integrator->name, "backward-euler") == 0)
        return "take a smaller step, or more iterations";
    if (strcmp(world->method.integrator->name, "small-midpoint") == 0)
        return "take a smaller step, or method \"backward-euler\"";
    return "take a smaller step, or method \"small-midpoint\" or \"backward-euler\"";
}

static vvResult diverged(const World *world, const Body *body, int vertex, const double *position)
{
    return resultMake(VV_DIVERGED, steadier(world),
                      "step %lld of %s ran away: vertex %d of %s went to %g %g %g (the body's size is %g m)",
                      world->statistics.stepCount + 1, world->method.integrator->name,
                      body->mesh->vertexToCaller[vertex], body->name, position[0], position[1], position[2],
                      body->member.size);
}

// a step that a solver could not even begin
static vvResult checkTrouble(const World *world, const System *system)
{
    if (system->trouble == TROUBLE_NONE)
        return resultOk();
    if (system->trouble == TROUBLE_MEMORY)
        return resultOutOfMemory("the factor of a step");
    const Body *body = world->firstBody;
    while (body->next != NULL && &body->member != system->member[0])
        body = body->next;
    return resultMake(
        VV_DIVERGED, "check densities and stiffnesses, take a smaller step, or solver \"newton\"",
        "step %lld of %s: the matrix of %s or a body joined to it has no factor, for its masses are too small for "
        "its stiffness",
        world->statistics.stepCount + 1, world->method.integrator->name, body->name);
}

// what is booked is a number too
static vvResult checkBooks(const World *world, const Body *body)
{
    if (isfinite(body->member.added) && isfinite(body->member.dissipated))
        return resultOk();
    return resultMake(VV_DIVERGED, "check the body's stiffnesses and what moves it, or take a smaller step",
                      "step %lld of %s would book %g J added and %g J dissipated for %s, must be finite",
                      world->statistics.stepCount + 1, world->method.integrator->name, body->member.added,
                      body->member.dissipated, body->name);
}

static vvResult checkBody(const World *world, const Body *body)
{
    State s = stateSlice(&world->state, body->first, body->count);
    for (int v = 0; v < body->count; ++v)
    {
        if (!vertexIsSane(&body->member, &s, v))
            return diverged(world, body, v, s.position + 3 * (ptrdiff_t)v);
    }
    return checkBooks(world, body);
}

// islands have looked at themselves
static vvResult checkBodies(const World *world)
{
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        vvResult result = body != NULL && !world->runs[body->island].sane ? checkBody(world, body) : resultOk();
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

// soft bodies, then fluids, then rigid bodies
static vvResult attempt(World *world, double dt, bool again)
{
    vvResult result = resultOk();
    islandsStep(world, dt, again);
    for (int i = 0; i < world->systemCount && result.code == VV_OK; ++i)
    {
        if (!islandSleeps(&world->system[i]))
            result = checkTrouble(world, &world->system[i]);
    }
    if (result.code == VV_OK)
        result = checkBodies(world);
    if (result.code != VV_OK)
        return result;
    meetingReact(world, dt);
    rigidsFlow(world);
    result = rigidsStep(world, dt);
    if (result.code == VV_OK)
        railsSettle(world);
    return result;
}

// again, where rigid bodies did not give way as their islands thought
static vvResult takeStep(World *world, double dt)
{
    vvResult result = attempt(world, dt, false);
    for (int k = 0; k < MOST_MEETINGS && result.code == VV_OK && meetingDiffers(world, dt, k); ++k)
    {
        islandsRewind(world, true);
        proxiesLoad(world, dt);
        result =
            meetingLend(world, dt, true) ? attempt(world, dt, true) : resultOutOfMemory("rigid bodies near an island");
    }
    return result;
}

static vvResult integrateIslands(World *world, double dt)
{
    vvStatistics *statistics = &world->statistics;
    statistics->iterations = statistics->factorizations = statistics->semidefinite = statistics->lineSearchSteps = 0;
    statistics->residual = statistics->alpha = statistics->elasticShare = statistics->spectrum = 0;
    statistics->unresolved = statistics->correction = 0;
    statistics->blendFailures = statistics->linearIterations = statistics->crossings = 0;
    statistics->substeps = statistics->ruledSubsteps = 1;
    statistics->softness = 1;
    statistics->converged = true;
    rigidsBegin(world);
    islandsMark(world);
    contactsMark(world);
    softMark(world);
    sleepMark(world);
    vvResult flowed = fluidsStep(world, dt); // first: what fluids push with acts in the step of the bodies
    bool ready = meetingSearch(world, dt) && standsSearch(world, dt);
    if (ready)
    {
        machinesBegin(world, dt);
        proxiesLoad(world, dt);
    }
    statistics->nearCount = softSearch(world, dt);
    if (world->systemsMoved)
        systemsArrange(world);
    ready = meetingLend(world, dt, false) && ready;
    sleepPrepare(world, dt);
    statistics->nearCount += limitsSearch(world, dt);
    islandTargets(world);
    windBlow(world, dt);
    statistics->nearCount += contactsSearch(world, dt);
    standsLend(world);
    ready = ready && modesPrepare(world, false) && softLoad(world) && systemsReserve(world);
    vvResult result = ready ? flowed : resultOutOfMemory("what a step keeps of an island");
    if (result.code == VV_OK)
        result = fluidsStepWet(world, dt); // with the islands that they wet
    if (result.code == VV_OK && !meetingFlow(world, dt))
        result = resultOutOfMemory("rigid bodies in a fluid");
    bool begun = result.code == VV_OK; // islands have marked what they are rewound to
    if (begun)
        result = takeStep(world, dt);
    for (int i = 0; i < world->systemCount && result.code == VV_OK; ++i)
    {
        const System *system = &world->system[i];
        const StepReport *report = &world->runs[i].report;
        if (islandSleeps(system))
            continue;
        collect(statistics, system, report);
        warnUnresolved(world, report);
        warnSoft(world, report);
        addPhases(&world->profile, &report->solve.profile);
    }
    noteSubsteps(world, result.code == VV_OK);
    if (result.code != VV_OK)
    {
        if (flowed.code == VV_OK)
            fluidsRewind(world);
        if (begun)
            islandsRewind(world, false);
        contactsRestore(world);
        limitsRewind(world);
        machinesFail(world);
        meetingFail(world);
        softRewind(world);
        sleepRewind(world);
        islandsRestore(world);
    }
    return result;
}

static void accept(World *world, double dt)
{
    State *s = &world->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    fluidSoftsWatch(world, dt);
    if (s->count > 0)
    {
        memcpy(s->previous, s->start, vectors);
        memcpy(s->start, s->position, vectors);
        memcpy(s->startVelocity, s->velocity, vectors);
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        body->account.added += body->member.added;
        body->account.dissipated += body->member.dissipated;
    }
    modesAccept(world);
    softAccept(world);
    attachmentsArrive(world);
    limitsArrive(world);
    rigidsAccept(world, dt);
    proxiesSettle(world, dt);
    standsBook(world);
    fluidsAccept(world);
    collidersArrive(world);
    meetingPlace(world);
    attachmentsBreak(world);
    world->time += dt;
    world->statistics.stepCount += 1;
}

static void warnOnce(World *world)
{
    const vvStatistics *statistics = &world->statistics;
    bool known = statistics->correction > 0;
    if (statistics->converged || world->warnedUnconverged || (known && statistics->correction <= HARMLESS))
        return;
    world->warnedUnconverged = true;
    char left[80] = "nothing is known of what is left";
    if (known)
        snprintf(left, sizeof left, "its last correction was %.2g %% of the motion", 100 * statistics->correction);
    logWrite(&world->memory, &world->logger, VV_LOG_WARNING,
             "step %lld stopped after %d iterations before it converged: %s; take a smaller step or allow more "
             "iterations (said once)",
             statistics->stepCount, statistics->iterations, left);
}

static vvResult stepWorld(World *world, double dt)
{
    if (!(dt >= SHORTEST_STEP && dt <= LONGEST_STEP))
        return resultMake(VV_BAD_INPUT, "1/60 s is usual", "dt is %g s, must be %g to %g", dt, SHORTEST_STEP,
                          LONGEST_STEP);
    double begin = clockSeconds(), since = begin;
    proxiesTune(world, dt);
    bool prepared = systemsPrepare(world) && eventsPrepare(world);
    world->profile.prepare += clockLap(&since);
    vvResult result = prepared ? integrateIslands(world, dt) : resultOutOfMemory("the islands of a step");
    if (result.code == VV_OK)
    {
        accept(world, dt);
        piecesHold(world);
        sleepSettle(world, dt);
        eventsCollect(world);
        tearsSettle(world);
    }
    world->profile.step += clockSeconds() - begin;
    if (result.code == VV_OK)
        warnOnce(world);
    return result;
}

vvResult vvWorld_Prepare(vvWorldId id)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    if (!systemsPrepare(world) || !eventsPrepare(world) || !modesPrepare(world, true))
        return resultOutOfMemory("what a step needs");
    modesAccept(world);
    return resultOk();
}

vvResult vvWorld_Step(vvWorldId id, double dt)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    meshEventsClear(world);
    breaksForget(world);
    return stepWorld(world, dt);
}

vvResult vvWorld_Advance(vvWorldId id, double seconds)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    if (!(seconds >= 0 && seconds <= 1e6))
        return resultMake(VV_BAD_INPUT, "pass the time since the last call", "seconds is %g, must be 0 to 1e6",
                          seconds);
    world->store += seconds;
    meshEventsClear(world);
    breaksForget(world);
    world->statistics.advanceSteps = 0;
    world->statistics.droppedSeconds = 0;
    vvResult result = resultOk();
    while (result.code == VV_OK && world->store >= world->timestep &&
           world->statistics.advanceSteps < world->maxStepsPerAdvance)
    {
        result = stepWorld(world, world->timestep);
        if (result.code == VV_OK)
        {
            world->store -= world->timestep;
            world->statistics.advanceSteps += 1;
        }
    }
    if (world->store >= world->timestep)
    {
        world->statistics.droppedSeconds = floor(world->store / world->timestep) * world->timestep;
        world->store = maxReal(world->store - world->statistics.droppedSeconds, 0);
    }
    return result;
}

double vvWorld_GetInterpolation(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->store / world->timestep : 0;
}

double vvWorld_GetTime(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->time : 0;
}

vvVec3 vvWorld_GetGravity(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->gravity : vec3(0, 0, 0);
}

void bodySetGravity(Body *body, Vec3 gravity)
{
    for (int v = 0; v < body->count; ++v)
    {
        energySetParam(body->gravity, v, 1, gravity.x);
        energySetParam(body->gravity, v, 2, gravity.y);
        energySetParam(body->gravity, v, 3, gravity.z);
    }
}

vvResult vvWorld_SetGravity(vvWorldId id, vvVec3 gravity)
{
    World *world = worldOpen(id);
    vvResult result = world ? checkVector("gravity", gravity) : refused("world");
    if (result.code != VV_OK)
        return result;
    bodiesWake(world);
    rigidsWake(world);
    rigidsBookGravity(world, vecSub(world->gravity, gravity));
    fluidsBookGravity(world, vecSub(world->gravity, gravity));
    world->gravity = gravity;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        double before = bodyTotal(body);
        bodySetGravity(body, gravity);
        pastForget(body);
        body->account.added += bodyTotal(body) - before;
    }
    return result;
}

const char *vvWorld_GetMethod(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->method.integrator->name : "";
}

void *vvWorld_GetUserData(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->userData : NULL;
}

vvProfile vvWorld_GetProfile(vvWorldId id)
{
    const World *world = worldFind(id);
    if (world == NULL)
        return (vvProfile){ 0 };
    vvProfile p = world->profile;
    double known = p.prepare + p.gradient + p.matrix + p.factor + p.solve + p.line + p.ledger;
    p.other = maxReal(p.step - known, 0);
    return p;
}

vvSubsteps vvSoftBody_GetSubsteps(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->substeps : (vvSubsteps){ 0 };
}

vvStatistics vvWorld_GetStatistics(vvWorldId id)
{
    const World *world = worldFind(id);
    if (world == NULL)
        return (vvStatistics){ 0 };
    vvStatistics statistics = world->statistics;
    statistics.bodyCount = world->bodyCount - world->proxyCount;
    statistics.vertexCount = world->state.count - 4 * world->proxyCount;
    statistics.attachmentCount = world->attachmentCount;
    statistics.colliderCount = world->colliders.count;
    statistics.rigidBodyCount = world->rigids.count;
    statistics.jointCount = world->joints.count;
    statistics.rigidContactCount = world->rigidTouches.count;
    statistics.fluidCount = world->fluids.count;
    for (int i = 0; i < world->fluids.slotCount; ++i)
        statistics.particleCount += world->fluids.item[i].fluid != NULL ? world->fluids.item[i].fluid->count : 0;
    statistics.islandCount = world->islandCount;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
        statistics.sleepingCount += body->asleep;
    for (int i = 0; i < world->rigids.slotCount; ++i)
        statistics.sleepingCount += world->rigids.item[i].used && world->rigids.item[i].body.asleep;
    statistics.memoryBytes = world->memory.bytes;
    statistics.allocationCount = world->memory.requests;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL && world->body[i].body->proxyOf == 0)
            statistics.elementCount += world->body[i].body->elastic->elementCount;
    }
    return statistics;
}
