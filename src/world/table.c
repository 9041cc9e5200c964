// The one locked table of worlds, and ids into worlds.
#include "world/world.h"

#include "base/system.h"

#include <string.h>

typedef struct WorldSlot
{
    World *world; // NULL: free
    uint32_t generation;
    uint32_t objectGeneration; // outlives the world, so that ids into an earlier world of this slot stay stale
    uint32_t firstGeneration;  // objectGeneration when the world came: ids up to it are of earlier worlds
} WorldSlot;

static Lock tableLock = LOCK_INITIAL;
static WorldSlot table[VV_MAX_WORLDS];

vvResult badId(const char *what)
{
    return resultMake(VV_BAD_ID, "keep ids only as long as the object lives; IsValid tells",
                      "the %s id is null, or its %s was destroyed", what, what);
}

vvResult refused(const char *what)
{
    return resultMake(VV_BAD_ID,
                      "IsValid tells whether the object lives; callbacks may read their world, not change it",
                      "the %s id is null, its %s was destroyed, or its world is calling you back", what, what);
}

World *worldFind(vvWorldId id)
{
    if (id.index1 == 0 || id.index1 > VV_MAX_WORLDS)
        return NULL;
    lockTake(&tableLock);
    WorldSlot *slot = &table[id.index1 - 1];
    World *world = slot->generation == id.generation ? slot->world : NULL;
    lockGive(&tableLock);
    return world;
}

// The world of an object's id. Ids of earlier worlds are told apart here, under the lock: the world that has the slot now may
// be another thread's and is not looked into.
static World *worldAt(uint32_t world1, uint32_t generation)
{
    if (world1 == 0 || world1 > VV_MAX_WORLDS)
        return NULL;
    lockTake(&tableLock);
    const WorldSlot *slot = &table[world1 - 1];
    bool later = generation - slot->firstGeneration - 1 < UINT32_MAX / 2; // the count may have gone around
    World *world = later ? slot->world : NULL;
    lockGive(&tableLock);
    return world;
}

Body *bodyFind(vvSoftBodyId id)
{
    World *world = worldAt(id.world1, id.generation);
    if (world == NULL || id.index1 == 0 || id.index1 > (uint32_t)world->bodySlotCount)
        return NULL;
    BodySlot *slot = &world->body[id.index1 - 1];
    return slot->body != NULL && slot->generation == id.generation ? slot->body : NULL;
}

Attachment *attachmentFind(vvAttachmentId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->attachmentSlotCount)
        return NULL;
    Attachment *attachment = &(*world)->attachment[id.index1 - 1];
    return attachment->used && attachment->generation == id.generation ? attachment : NULL;
}

Handle *handleFind(vvHandleId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->handleSlotCount)
        return NULL;
    Handle *handle = &(*world)->handle[id.index1 - 1];
    // it goes with its body
    bool alive = handle->count > 0 && attachmentFind(handle->attachment[0], world) != NULL;
    return alive && handle->generation == id.generation ? handle : NULL;
}

Collider *colliderFind(vvColliderId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->colliders.slotCount)
        return NULL;
    Collider *collider = &(*world)->colliders.item[id.index1 - 1];
    return collider->used && collider->generation == id.generation ? collider : NULL;
}

World *worldOpen(vvWorldId id)
{
    World *world = worldFind(id);
    return world != NULL && !memoryIsCalling(&world->memory) ? world : NULL;
}

Body *bodyOpen(vvSoftBodyId id)
{
    Body *body = bodyFind(id);
    return body != NULL && !memoryIsCalling(&body->world->memory) ? body : NULL;
}

Attachment *attachmentOpen(vvAttachmentId id, World **world)
{
    Attachment *attachment = attachmentFind(id, world);
    return attachment != NULL && !memoryIsCalling(&(*world)->memory) ? attachment : NULL;
}

Handle *handleOpen(vvHandleId id, World **world)
{
    Handle *handle = handleFind(id, world);
    return handle != NULL && !memoryIsCalling(&(*world)->memory) ? handle : NULL;
}

Collider *colliderOpen(vvColliderId id, World **world)
{
    Collider *collider = colliderFind(id, world);
    return collider != NULL && !memoryIsCalling(&(*world)->memory) ? collider : NULL;
}

uint32_t nextGeneration(World *world)
{
    return ++*world->generation;
}

// ---- definitions -----------------------------------------------------------------------------------------------------

vvWorldDef vvDefaultWorldDef(void)
{
    return (vvWorldDef){ .gravity = { 0, -9.81, 0 },
                         .wind = { .drag = 1.17 },
                         .method = "small-midpoint",
                         .solver = "newton",
                         .tolerance = 1e-10,
                         .forcing = 0.02,
                         .preconditioner = "ic",
                         .jacobian = "frozen",
                         .precision = "double",
                         .energyTolerance = 0.01,
                         .momentum = "auto",
                         .energyReturn = true,
                         .recoverySpeed = 1,
                         .gamma = 0.5,
                         .beta = 0.25,
                         .spectralRadius = 0.8,
                         .sleepTime = 0.5,
                         .timestep = 1.0 / 60,
                         .threads = 1,
                         .maxStepsPerAdvance = 8,
                         .cookie = WORLD_COOKIE };
}

const char *vvGetMethodName(int index)
{
    return index >= 0 && index < integratorCount() ? integratorAt(index)->name : NULL;
}

const char *vvGetSolverName(int index)
{
    return index >= 0 && index < solverCount() ? solverAt(index)->name : NULL;
}

const char *vvGetPreconditionerName(int index)
{
    return index >= 0 && index < preconditionerCount() ? preconditionerAt(index)->name : NULL;
}

static const char *const jacobianWords[] = { "frozen", "linear" };

const char *vvGetJacobianName(int index)
{
    return index >= 0 && index < 2 ? jacobianWords[index] : NULL;
}

static const char *const precisionWords[] = { "double", "single" };

const char *vvGetPrecisionName(int index)
{
    return index >= 0 && index < 2 ? precisionWords[index] : NULL;
}

static const Integrator *integratorFind(const char *name) // NULL: there is none
{
    for (int i = 0; name != NULL && i < integratorCount(); ++i)
    {
        if (strcmp(name, integratorAt(i)->name) == 0)
            return integratorAt(i);
    }
    return NULL;
}

bool vvIsMethodExplicit(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && integrator->isExplicit;
}

double vvGetMethodLimit(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    if (integrator == NULL)
        return 0;
    return integrator->isExplicit || integrator->hasLimit ? integrator->limit : INFINITY;
}

bool vvHasMethodSubsteps(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && integrator->hasSubsteps;
}

bool vvHasMethodSolver(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && !integrator->isExplicit && !integrator->hasSubsteps && !integrator->ownSolver;
}

const char *vvGetInstructionSetName(int index)
{
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (isaAvailable((Isa)isa) && index-- == 0)
            return isaName((Isa)isa);
    }
    return NULL;
}

// index of the word in a list of names, or an error that suggests the nearest one
static vvResult findWord(const char *what, const char *word, const char *(*nameAt)(int), int *found)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && nameAt(count) != NULL)
    {
        names[count] = nameAt(count);
        count += 1;
    }
    for (int i = 0; word != NULL && i < count; ++i)
    {
        if (strcmp(word, names[i]) == 0)
        {
            *found = i;
            return resultOk();
        }
    }
    char remedy[152] = "did you mean ";
    const char *nearest = nearestWord(word ? word : "", names, count);
    strncat(remedy, nearest, sizeof remedy - strlen(remedy) - 1);
    return resultMake(VV_BAD_INPUT, remedy, "there is no %s '%.60s'", what, word ? word : "(null)");
}

vvResult integratorNamed(const char *name, const Integrator **integrator)
{
    int found = 0;
    vvResult result = findWord("method", name, vvGetMethodName, &found);
    if (result.code == VV_OK)
        *integrator = integratorAt(found);
    return result;
}

static vvResult checkParallel(const vvWorldDef *def, int *instructionSet)
{
    if (def->threads < 0 || def->threads > WORKERS_MOST_THREADS)
        return resultMake(VV_BAD_INPUT, "0 takes as many as there are cores", "threads is %d, must be 0 to %d",
                          def->threads, WORKERS_MOST_THREADS);
    if ((def->tasks.enqueue == NULL) != (def->tasks.finish == NULL))
        return resultMake(VV_BAD_INPUT, "give both functions or none", "the task hooks have only one function");
    if (!(def->budget >= 0))
        return resultMake(VV_BAD_INPUT, "0 is no budget, 0.004 is a quarter of a frame",
                          "budget is %g s, must be at least 0", def->budget);
    return def->instructionSet
               ? findWord("instruction set", def->instructionSet, vvGetInstructionSetName, instructionSet)
               : resultOk();
}

static const char *const momentumWords[] = { "auto", "exact", "free" }; // as the enum Momentum

const char *vvGetMomentumName(int index)
{
    return index >= 0 && index < 3 ? momentumWords[index] : NULL;
}

// of a word that has been checked
static int indexOf(const char *word, const char *(*nameAt)(int))
{
    int found = 0;
    findWord("word", word, nameAt, &found);
    return found;
}

static vvResult checkBetween(const char *what, double value, double least, double most, const char *remedy)
{
    if (value >= least && value <= most)
        return resultOk();
    return resultMake(VV_BAD_INPUT, remedy, "%s is %g, must be %g to %g", what, value, least, most);
}

// ---- a caller's table ------------------------------------------------------------------------------------------------

#define SUM_ROUNDING 1e-10 // of weights written with some digits

static vvResult checkWeights(const char *name, const double *weight, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += weight[i];
    if (fabs(sum - 1) <= SUM_ROUNDING) // NaN fails
        return resultOk();
    return resultMake(VV_BAD_INPUT, "write weights as fractions with all their digits",
                      "tableau.%s sums to %.12g, must be 1 within %g", name, sum, SUM_ROUNDING);
}

static vvResult checkTableau(const vvTableau *tableau)
{
    if (tableau->stages < 1 || tableau->stages > VV_MAX_STAGES)
        return resultMake(VV_BAD_INPUT, "rk4 has 4", "tableau.stages is %d, must be 1 to %d", tableau->stages,
                          VV_MAX_STAGES);
    for (int i = 0; i < tableau->stages; ++i)
    {
        for (int j = 0; j < tableau->stages; ++j)
        {
            double a = tableau->a[i][j];
            if (isfinite(a) && (j < i || a == 0))
                continue;
            return resultMake(VV_BAD_INPUT, "stage i takes from the stages before it only; implicit methods have names",
                              "tableau.a[%d][%d] is %g, must be %s", i, j, a, j < i ? "finite" : "0");
        }
    }
    vvResult result = checkWeights("b", tableau->b, tableau->stages);
    if (result.code == VV_OK && tableau->hasEmbedded)
        result = checkWeights("embedded", tableau->embedded, tableau->stages);
    return result;
}

static Tableau tableauOf(const vvTableau *given)
{
    Tableau tableau = { .name = "runge-kutta" };
    if (given == NULL)
        return tableau;
    _Static_assert(VV_MAX_STAGES == TABLEAU_STAGES, "the same tables");
    tableau.stages = given->stages;
    tableau.embeddedOrder = given->hasEmbedded;
    for (int i = 0; i < given->stages; ++i)
    {
        tableau.b[i] = given->b[i];
        tableau.embedded[i] = given->hasEmbedded ? given->embedded[i] : 0;
        for (int j = 0; j < i; ++j)
        {
            tableau.a[i][j] = given->a[i][j];
            tableau.c[i] += given->a[i][j];
        }
    }
    return tableau;
}

// what single methods and solvers read
static vvResult checkMethodSettings(const vvWorldDef *def)
{
    int ignored;
    vvResult result = findWord("momentum", def->momentum, vvGetMomentumName, &ignored);
    if (result.code == VV_OK)
        result = checkBetween("energyTolerance", def->energyTolerance, 1e-9, 1, "0.01 is usual");
    if (result.code == VV_OK)
        result = checkBetween("substeps", def->substeps, 0, VV_MAX_SUBSTEPS, "0 takes the method's own rule");
    if (result.code == VV_OK)
        result = checkBetween("recoverySpeed", def->recoverySpeed, 0, 1e6, "1 m/s is gentle");
    if (result.code == VV_OK)
        result = checkBetween("gamma", def->gamma, 0, 1, "0.5 is second order and damps nothing");
    if (result.code == VV_OK)
        result = checkBetween("beta", def->beta, 0, 0.5, "0.25 is the trapezoidal rule");
    if (result.code == VV_OK)
        result = checkBetween("spectralRadius", def->spectralRadius, 0, 1, "0.8 damps what the step cannot resolve");
    if (result.code == VV_OK)
        result = checkBetween("stepTolerance", def->stepTolerance, 0, 1e6, "0 takes every step as it is");
    if (result.code == VV_OK)
        result = checkBetween("forcing", def->forcing, 1e-12, 0.9, "0.02 is usual");
    if (result.code == VV_OK)
        result = findWord("preconditioner", def->preconditioner, vvGetPreconditionerName, &ignored);
    if (result.code == VV_OK)
        result = findWord("jacobian", def->jacobian, vvGetJacobianName, &ignored);
    if (result.code == VV_OK)
        result = findWord("precision", def->precision, vvGetPrecisionName, &ignored);
    if (result.code == VV_OK && def->tableau != NULL)
        result = checkTableau(def->tableau);
    return result;
}

static vvResult checkWorldDef(const vvWorldDef *def, int *method, int *solver, int *instructionSet)
{
    vvResult result = checkDef(def != NULL && def->cookie == WORLD_COOKIE, "world", "vvDefaultWorldDef()");
    if (result.code == VV_OK)
        result = checkVector("gravity", def->gravity);
    if (result.code == VV_OK)
        result = checkWind(&def->wind);
    if (result.code == VV_OK)
        result = findWord("method", def->method, vvGetMethodName, method);
    if (result.code == VV_OK)
        result = findWord("solver", def->solver, vvGetSolverName, solver);
    if (result.code == VV_OK)
        result = checkParallel(def, instructionSet);
    if (result.code != VV_OK)
        return result;
    if (def->iterations < 0 || def->iterations > 10000)
        return resultMake(VV_BAD_INPUT, "0 takes the solver's own limit", "iterations is %d, must be 0 to 10000",
                          def->iterations);
    if (!(def->tolerance >= 1e-15 && def->tolerance <= 1))
        return resultMake(VV_BAD_INPUT, "1e-10 suits every scene; 1e-4 is enough for pictures",
                          "tolerance is %g, must be 1e-15 to 1", def->tolerance);
    if (!(def->timestep >= SHORTEST_STEP && def->timestep <= LONGEST_STEP))
        return resultMake(VV_BAD_INPUT, "1/60 s is usual", "timestep is %g s, must be %g to %g", def->timestep,
                          SHORTEST_STEP, LONGEST_STEP);
    if (!(def->sleepEnergy >= 0) || !isfinite(def->sleepEnergy))
        return resultMake(VV_BAD_INPUT, "1e-5 is usual, 0 is never",
                          "sleepEnergy is %g J/kg, must be at least 0 and finite", def->sleepEnergy);
    if (!(def->sleepTime >= 0) || !isfinite(def->sleepTime))
        return resultMake(VV_BAD_INPUT, "0.5 is usual", "sleepTime is %g s, must be at least 0 and finite",
                          def->sleepTime);
    if (def->maxStepsPerAdvance < 1)
        return resultMake(VV_BAD_INPUT, "8 is usual", "maxStepsPerAdvance is %d, must be at least 1",
                          def->maxStepsPerAdvance);
    result = checkMethodSettings(def);
    if (result.code != VV_OK)
        return result;
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return resultMake(VV_BAD_INPUT, "give both functions or none", "the allocator hook has only one function");
    return result;
}

// ---- creation and destruction ----------------------------------------------------------------------------------------

static vvResult insertWorld(World *world, vvWorldId *id)
{
    lockTake(&tableLock);
    int slot = 0;
    while (slot < VV_MAX_WORLDS && table[slot].world != NULL)
        slot += 1;
    if (slot < VV_MAX_WORLDS)
    {
        table[slot].world = world;
        table[slot].generation += 1;
        world->slot = slot;
        table[slot].firstGeneration = table[slot].objectGeneration;
        world->generation = &table[slot].objectGeneration;
        *id = (vvWorldId){ (uint32_t)slot + 1, table[slot].generation };
    }
    lockGive(&tableLock);
    if (slot == VV_MAX_WORLDS)
        return resultMake(VV_LIMIT, "destroy worlds that are no longer needed", "all %d worlds are in use",
                          VV_MAX_WORLDS);
    return resultOk();
}

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

static Method methodOf(const vvWorldDef *def, int method, int solver)
{
    return (
        Method){ .integrator = integratorAt(method),
                 .solver = solverAt(solver),
                 .solving = { .iterations = def->iterations,
                              .tolerance = def->tolerance,
                              .budget = def->budget,
                              .accelerate = def->accelerate,
                              .forcing = def->forcing,
                              .preconditioner = preconditionerAt(indexOf(def->preconditioner, vvGetPreconditionerName)),
                              .linearJacobian = indexOf(def->jacobian, vvGetJacobianName) == 1 },
                 .settings = { .energyTolerance = def->energyTolerance,
                               .momentum = (Momentum)indexOf(def->momentum, vvGetMomentumName),
                               .energyReturn = def->energyReturn,
                               .substeps = def->substeps,
                               .symmetric = def->symmetric,
                               .jacobi = def->jacobi,
                               .viscousPass = def->viscousPass,
                               .single = indexOf(def->precision, vvGetPrecisionName) == 1,
                               .recoverySpeed = def->recoverySpeed,
                               .gamma = def->gamma,
                               .beta = def->beta,
                               .spectralRadius = def->spectralRadius,
                               .stepTolerance = def->stepTolerance } };
}

static vvResult createWorld(const vvWorldDef *def, vvWorldId *id)
{
    int method = 0, solver = 0, instructionSet = -1;
    vvResult result = checkWorldDef(def, &method, &solver, &instructionSet);
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
                      .method = methodOf(def, method, solver),
                      .isa = instructionSet >= 0 ? instructionSetAt(instructionSet) : isaBest(),
                      .timestep = def->timestep,
                      .maxStepsPerAdvance = def->maxStepsPerAdvance,
                      .softContact = def->softContact,
                      .sleepEnergy = def->sleepEnergy,
                      .sleepTime = def->sleepTime };
    world->tableau = tableauOf(def->tableau);
    world->method.settings.tableau = def->tableau ? &world->tableau : NULL;
    result = startWorkers(world, def);
    if (result.code == VV_OK)
        result = insertWorld(world, id);
    if (result.code != VV_OK)
    {
        workersDestroy(world->workers);
        memory = world->memory;
        memoryRelease(&memory, world);
    }
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
    lockTake(&tableLock);
    table[world->slot].world = NULL;
    lockGive(&tableLock);

    systemsDestroy(world);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            bodyDestroy(world->body[i].body);
    }
    collidersDestroy(world);
    memoryRelease(&world->memory, world->skin);
    eventsDestroy(world);
    workersDestroy(world->workers);
    Memory memory = world->memory;
    memoryRelease(&memory, world->body);
    memoryRelease(&memory, world->attachment);
    memoryRelease(&memory, world->handle);
    memoryRelease(&memory, world->stateBlock);
    memoryRelease(&memory, world);
    ASSERT_CHEAP(memory.blocks == 0, "a world gives back everything it took");
}

bool vvWorld_IsValid(vvWorldId id)
{
    return worldFind(id) != NULL;
}
