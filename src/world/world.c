// Worlds: their definition, creation and destruction.
#include "world/world.h"
#include "world/settings.h"

#include "base/system.h"

vvWorldDef vvDefaultWorldDef(void)
{
    vvWorldDef def = { .gravity = { 0, -9.81, 0 },
                       .wind = { .drag = 1.17 },
                       .timestep = 1.0 / 60,
                       .threads = 1,
                       .maxStepsPerAdvance = 8,
                       .cookie = WORLD_COOKIE };
    settingsReset(&def);
    return def;
}

static vvResult checkParallel(const vvWorldDef *def, int *instructionSet)
{
    if (def->threads < 0 || def->threads > WORKERS_MOST_THREADS)
        return resultMake(VV_BAD_INPUT, "0 takes as many as there are cores", "threads is %d, must be 0 to %d",
                          def->threads, WORKERS_MOST_THREADS);
    if ((def->tasks.enqueue == NULL) != (def->tasks.finish == NULL))
        return resultMake(VV_BAD_INPUT, "give both functions or none", "the task hooks have only one function");
    return def->instructionSet
               ? findWord("instruction set", def->instructionSet, vvGetInstructionSetName, instructionSet)
               : resultOk();
}

static vvResult checkWorldDef(const vvWorldDef *def, int *instructionSet)
{
    vvResult result = checkDef(def != NULL && def->cookie == WORLD_COOKIE, "world", "vvDefaultWorldDef()");
    if (result.code == VV_OK)
        result = checkVector("gravity", def->gravity);
    if (result.code == VV_OK)
        result = checkWind(&def->wind);
    if (result.code == VV_OK)
        result = settingsCheck(def);
    if (result.code == VV_OK && def->settings.rungeKutta.tableau != NULL)
        result = checkTableau(def->settings.rungeKutta.tableau);
    if (result.code == VV_OK)
        result = checkParallel(def, instructionSet);
    if (result.code != VV_OK)
        return result;
    if (!(def->timestep >= SHORTEST_STEP && def->timestep <= LONGEST_STEP))
        return resultMake(VV_BAD_INPUT, "1/60 s is usual", "timestep is %g s, must be %g to %g", def->timestep,
                          SHORTEST_STEP, LONGEST_STEP);
    if (def->maxStepsPerAdvance < 1)
        return resultMake(VV_BAD_INPUT, "8 is usual", "maxStepsPerAdvance is %d, must be at least 1",
                          def->maxStepsPerAdvance);
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return resultMake(VV_BAD_INPUT, "give both functions or none", "the allocator hook has only one function");
    return result;
}

// ---- creation and destruction ---------------------------------------------------------------------------------------

// the isa behind a number of the list of names
static Isa instructionSetAt(int index)
{
    int isa = 0;
    while (!isaAvailable((Isa)isa) || index-- > 0)
        isa += 1;
    return (Isa)isa;
}

static int threadCount(const vvWorldDef *def)
{
    if (def->threads > 0)
        return def->threads;
    return minInt(systemCores(), WORKERS_MOST_THREADS);
}

static vvResult startWorkers(World *world, const vvWorldDef *def)
{
    int threads = threadCount(def);
    if (threads == 1 && def->tasks.enqueue == NULL)
        return resultOk();
    world->workers = workersCreate(&world->memory, threads, &def->tasks);
    if (world->workers == NULL)
        return resultOutOfMemory("the threads of a world");
    return resultOk();
}

static Method methodOf(const vvWorldDef *def)
{
    const vvMethodSettings *settings = &def->settings;
    int preconditioner = indexOf(settings->newtonCg.preconditioner, vvGetPreconditionerName);
    return (Method){ .integrator = integratorAt(indexOf(def->method, vvGetMethodName)),
                     .solver = solverAt(indexOf(def->solver, vvGetSolverName)),
                     .solving = { .iterations = def->iterations,
                                  .tolerance = def->tolerance,
                                  .budget = settings->localGlobal.budget,
                                  .accelerate = settings->localGlobal.accelerate,
                                  .modes = settings->localGlobal.modes,
                                  .forcing = settings->newtonCg.forcing,
                                  .preconditioner = preconditionerAt(preconditioner),
                                  .linearJacobian = settings->simplifiedNewton.jacobian == VV_JACOBIAN_LINEAR },
                     .substeps = def->substeps,
                     .settings = *settings };
}

static vvResult createWorld(const vvWorldDef *def, vvWorldId *id)
{
    int instructionSet = -1;
    vvResult result = checkWorldDef(def, &instructionSet);
    if (result.code != VV_OK)
        return result;
    Memory memory = memoryMake(&def->allocator);
    World *world = ALLOCATE(&memory, World, 1);
    if (world == NULL)
        return resultOutOfMemory("a world");
    *world = (World){ .memory = memory,
                      .logger = def->logger,
                      .userData = def->userData,
                      .gravity = def->gravity,
                      .wind = def->wind,
                      .method = methodOf(def),
                      .isa = instructionSet >= 0 ? instructionSetAt(instructionSet) : isaBest(),
                      .timestep = def->timestep,
                      .maxStepsPerAdvance = def->maxStepsPerAdvance,
                      .softContact = def->softContact,
                      .rigids = { .substeps = def->rigidSubsteps },
                      .sleepEnergy = def->sleepEnergy,
                      .sleepTime = def->sleepTime };
    const vvTableau *tableau = def->settings.rungeKutta.tableau;
    world->tableau = tableauOf(tableau);
    world->method.tableau = tableau ? &world->tableau : NULL;
    result = startWorkers(world, def);
    if (result.code == VV_OK)
        result = worldInsert(world, id);
    if (result.code != VV_OK)
    {
        workersDestroy(world->workers);
        memory = world->memory;
        memoryRelease(&memory, world);
        return result;
    }
    worldNoteUnused(world, NULL);
    return result;
}

vvWorldId vvCreateWorld(const vvWorldDef *def, vvResult *result)
{
    vvWorldId id = { 0, 0 };
    vvResult outcome = createWorld(def, &id);
    resultPass(result, &outcome);
    return id;
}

void vvDestroyWorld(vvWorldId id)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return;
    worldRemove(world);
    world->refitting = true;
    systemsDestroy(world);
    broadRelease(&world->broad, &world->memory);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            bodyDestroy(world->body[i].body);
    }
    collidersDestroy(world);
    jointsDestroy(world);
    rigidsDestroy(world);
    fluidsDestroy(world);
    memoryRelease(&world->memory, world->collisionMesh);
    eventsDestroy(world);
    meshEventsDestroy(world);
    rigidTouchesDestroy(world);
    workersDestroy(world->workers);
    Memory memory = world->memory;
    memoryRelease(&memory, world->body);
    memoryRelease(&memory, world->attachment);
    bondedRelease(&world->bonded, &memory);
    memoryRelease(&memory, world->handle);
    memoryRelease(&memory, world->added);
    memoryRelease(&memory, world->stateBlock);
    memoryRelease(&memory, world);
    ASSERT_CHEAP(memory.blocks == 0, "a world gives back everything it took");
}
