// Another method, solver or setting of it for a world that is under way.
#include "world/settings.h"
#include "world/world.h"

#include <string.h>

vvResult worldReadyFor(World *world, const Integrator *integrator)
{
    const Method before = world->method;
    Method other = world->method;
    other.integrator = integrator;
    vvResult result = resultOk();
    for (const Body *body = world->firstBody; body != NULL && result.code == VV_OK; body = body->next)
        result = checkShapes(integrator, bodyMatchesShape(body));
    if (result.code != VV_OK)
        return result;
    if (!stateReservePast(world, &other))
        return resultOutOfMemory("what a method keeps");
    world->method = other;
    bool ok = true;
    for (Body *body = world->firstBody; body != NULL && ok; body = body->next)
        ok = bodyCreateMatrix(body);
    world->method = before;
    if (!ok)
        worldReduce(world);
    return ok ? resultOk() : resultOutOfMemory("the matrices of another method");
}

void worldReduce(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        bodyReduceMatrix(body);
    for (Blueprint *blueprint = world->blueprints; blueprint != NULL; blueprint = blueprint->next)
        blueprintReduce(world, blueprint);
}

// J of contact in a body's ledger, by the potential law
static double contactEnergy(const Body *body)
{
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    return (body->contact != NULL ? energyValue(body->contact, x) : 0) + softEnergy(body);
}

// Contacts by another law: what they kept means something else there, and only the potential has an energy.
static void takeLaw(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->account.added -= contactEnergy(body);
        bodyLoadSurface(body);
        for (int k = 0; k < 2; ++k)
        {
            if (bodyContact(body, k) != NULL)
                contactForget(bodyContact(body, k));
        }
        softForget(world, body);
    }
    softSearch(world, 0);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->account.added += contactEnergy(body);
    world->systemsStale = true;
}

void worldTakeMethod(World *world, const Integrator *integrator)
{
    Matrices before = methodMatrices(&world->method);
    const Integrator *former = world->method.integrator;
    world->method.integrator = integrator;
    if (integrator->hardContact != former->hardContact || integrator->listsPairs != former->listsPairs ||
        integrator->answers != former->answers)
        takeLaw(world);
    if (integrator->stands != former->stands)
        machinesRefit(world);
    if (methodMatrices(&world->method) == before)
        return;
    worldReduce(world);
    world->systemsStale = true;
}

// ---- settings without effect ----------------------------------------------------------------------------------------

// what a definition of the world as it is now would say about methods and solvers
static vvWorldDef presentDef(const World *world)
{
    static const vvTableau given;
    const Method *method = &world->method;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method->integrator->name;
    def.solver = method->solver->name;
    def.iterations = method->solving.iterations;
    def.tolerance = method->solving.tolerance;
    def.substeps = method->substeps;
    def.rigidSubsteps = world->rigids.substeps;
    def.sleepEnergy = world->sleepEnergy;
    def.sleepTime = world->sleepTime;
    def.settings = method->settings;
    def.settings.newtonCg.preconditioner = method->solving.preconditioner->name; // the caller's may be gone,
    def.settings.rungeKutta.tableau = method->tableau ? &given : NULL;           // as this one
    return def;
}

void worldNoteUnused(World *world, const char *name)
{
    char note[SETTING_NOTE_SIZE];
    const Setting *setting;
    const vvWorldDef def = presentDef(world);
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        bool asked = name == NULL || strcmp(name, setting->name) == 0;
        if (asked && settingNote(setting, &def, "", note, sizeof note))
            logWrite(&world->memory, &world->logger, VV_LOG_INFO, "%s", note);
    }
}

// ---- the method -----------------------------------------------------------------------------------------------------

// vertices that slide, where the method or its solver does not know them
static vvResult checkSlides(const World *world, const Method *method)
{
    const char *obstacle = methodSlideObstacle(method);
    bool slide = false;
    for (int v = 0; v < world->state.count; ++v)
        slide |= slides(&world->state, v);
    if (!slide || obstacle == NULL)
        return resultOk();
    return resultMake(VV_BAD_INPUT,
                      "unpin them first, or take a method like \"implicit-midpoint\" with solver \"newton\"",
                      "%s does not know vertices that slide", obstacle);
}

vvResult vvWorld_SetMethod(vvWorldId id, const char *method)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    Method other = world->method;
    vvResult result = integratorNamed(method, &other.integrator);
    if (result.code != VV_OK || other.integrator == world->method.integrator)
        return result;
    result = checkSlides(world, &other);
    if (result.code == VV_OK)
        result = worldReadyFor(world, other.integrator);
    if (result.code != VV_OK)
        return result;
    worldTakeMethod(world, other.integrator);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->step.recall = (Recall){ .number = { 0 } };
    worldNoteUnused(world, NULL);
    return result;
}

// ---- solver and settings --------------------------------------------------------------------------------------------

// needs no memory: the next step makes the matrices
static void takeSolver(World *world, const Solver *solver)
{
    world->method.solver = solver;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        memberDestroyMatrix(&body->member, &world->memory);
        memberDestroyPrefactors(&body->member, &world->memory);
        body->matricesStale = true;
    }
    worldReduce(world);
    world->systemsStale = true;
}

vvResult vvWorld_SetSolver(vvWorldId id, const char *solver)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    int index = -1;
    vvResult result = findWord("solver", solver, vvGetSolverName, &index);
    if (result.code != VV_OK || solverAt(index) == world->method.solver)
        return result;
    Method other = world->method;
    other.solver = solverAt(index);
    result = checkSlides(world, &other);
    if (result.code != VV_OK)
        return result;
    takeSolver(world, other.solver);
    worldNoteUnused(world, NULL);
    return result;
}

const char *vvWorld_GetSolver(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->method.solver->name : "";
}

vvResult vvWorld_SetIterations(vvWorldId id, int iterations)
{
    World *world = worldOpen(id);
    vvWorldDef def = vvDefaultWorldDef();
    def.iterations = iterations;
    vvResult result = world ? settingsCheck(&def) : refused("world");
    if (result.code != VV_OK)
        return result;
    world->method.solving.iterations = iterations;
    worldNoteUnused(world, "iterations");
    return result;
}

int vvWorld_GetIterations(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->method.solving.iterations : 0;
}

vvResult vvWorld_SetTolerance(vvWorldId id, double tolerance)
{
    World *world = worldOpen(id);
    vvWorldDef def = vvDefaultWorldDef();
    def.tolerance = tolerance;
    vvResult result = world ? settingsCheck(&def) : refused("world");
    if (result.code != VV_OK)
        return result;
    world->method.solving.tolerance = tolerance;
    worldNoteUnused(world, "tolerance");
    return result;
}

double vvWorld_GetTolerance(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->method.solving.tolerance : 0;
}

vvResult vvWorld_SetSubsteps(vvWorldId id, int substeps)
{
    World *world = worldOpen(id);
    vvWorldDef def = vvDefaultWorldDef();
    def.substeps = substeps;
    vvResult result = world ? settingsCheck(&def) : refused("world");
    if (result.code != VV_OK)
        return result;
    world->method.substeps = substeps;
    worldNoteUnused(world, "substeps");
    return result;
}

int vvWorld_GetSubsteps(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->method.substeps : 0;
}

vvResult vvWorld_SetRigidSubsteps(vvWorldId id, int rigidSubsteps)
{
    World *world = worldOpen(id);
    vvWorldDef def = vvDefaultWorldDef();
    def.rigidSubsteps = rigidSubsteps;
    vvResult result = world ? settingsCheck(&def) : refused("world");
    if (result.code == VV_OK)
        world->rigids.substeps = rigidSubsteps;
    return result;
}

int vvWorld_GetRigidSubsteps(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->rigids.substeps : 0;
}
