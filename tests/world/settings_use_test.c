// Who uses a setting: where its row says that a method with its solver does not, a run has the same bits whatever the
// value and a line of the log says so at creation and after a change; where the row names a method or solver, some
// value changes the run.
#include "check.h"
#include "world/scenes.h"

#include "world/settings.h"
#include "world/world.h"
#include "undamped.h"

#include <stdio.h>
#include <string.h>

#define STEPS 3
#define DT (1.0 / 100)

typedef struct Heard
{
    int count;
    char text[32][SETTING_NOTE_SIZE];
} Heard;

static void hear(vvLogLevel level, const char *message, void *userData)
{
    Heard *heard = userData;
    if (strstr(message, "has no effect") == NULL)
        return;
    assert_int_equal(level, VV_LOG_INFO);
    assert_true(heard->count < 32);
    snprintf(heard->text[heard->count++], SETTING_NOTE_SIZE, "%s", message);
}

static bool hasHeard(const Heard *heard, const char *name)
{
    char start[64];
    snprintf(start, sizeof start, "%s has no effect: ", name);
    for (int i = 0; i < heard->count; ++i)
    {
        if (strncmp(heard->text[i], start, strlen(start)) == 0)
            return true;
    }
    return false;
}

static void addBody(vvWorldId world, vvMesh *mesh, vvVec3 position, vvVec3 spin, double damping)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = position;
    def.spin = spin;
    def.damping.spring = vvMesh_GetTetCount(mesh) == 0 ? damping : 0;
    def.damping.stiffness = damping / 100;
    def.material = vvMaterial_Jelly();
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(mesh);
}

// Four islands: a damped box that begins within the ground, a free box without damping, a free sheet of undamped
// springs, a damped rope.
static uint64_t run(const vvWorldDef *def)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    vvShapeDef shapeDef = vvDefaultShapeDef();
    vvColliderDef ground = vvDefaultColliderDef();
    ground.shape = vvCreateShape(&shapeDef, &result);
    CHECK_OK(result);
    vvCreateCollider(world, &ground, &result);
    CHECK_OK(result);
    vvDestroyShape(ground.shape);
    addBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 1, 1), (vvVec3){ 0, 0.09, 0 }, (vvVec3){ 0, 5, 0 },
            0.1);
    addBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 2, 1, 1), (vvVec3){ 0, 5, 5 }, (vvVec3){ 3, 20, 30 }, 0);
    addBody(world, vvCreateSheetMesh(0.2, 0.2, 2, 2), (vvVec3){ 5, 5, 0 }, (vvVec3){ 40, 20, 0 }, 0);
    addBody(world, vvCreateRopeMesh(0.3, 3), (vvVec3){ -5, 5, 0 }, (vvVec3){ 0, 20, 30 }, 0.1);
    for (int i = 0; i < STEPS; ++i)
        vvWorld_Step(world, DT); // may fail; then all of them fail alike
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static const vvTableau heun = { .stages = 2, .a = { { 0 }, { 1 } }, .b = { 0.5, 0.5 } };
static const vvTableau estimated = {
    .stages = 2, .a = { { 0 }, { 0.5 } }, .b = { 0, 1 }, .hasEmbedded = true, .embedded = { 1, 0 }
};

// Values beside the default, by number; false: there are no more.
static bool setOther(const Setting *setting, vvWorldDef *def, int number)
{
    const double numbers[] = { 2, setting->least, 1e-9, setting->most }; // cheap ones first
    SettingValue other[4];
    int count = 0;
    for (int i = 0; setting->word != NULL && i < 4 && setting->word(i) != NULL; ++i)
        other[count++] = (SettingValue){ .word = setting->word(i) };
    for (int i = 0; setting->word == NULL && i < 4; ++i)
        other[count++] = (SettingValue){ .number = numbers[i] };
    if (setting->kind == SETTING_SWITCH || setting->kind == SETTING_OBJECT)
        other[0] = (SettingValue){ .number = 1 - setting->initial }, count = 1;
    for (int i = 0; i < count; ++i)
    {
        settingSet(setting, def, other[i]);
        if (setting->kind == SETTING_OBJECT)
            def->settings.rungeKutta.tableau = &heun;
        bool isRanged = setting->kind == SETTING_NUMBER || setting->kind == SETTING_INTEGER;
        bool isOut = isRanged && !(other[i].number >= setting->least && other[i].number <= setting->most);
        if (!isOut && !settingIsInitial(setting, def) && number-- == 0)
            return true;
    }
    return false;
}

static vvWorldDef definition(const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    if (strcmp(method, "small-midpoint") == 0)
        def.settings.energyTolerance = 1e-9; // so that there is something to return
    if (strcmp(method, "runge-kutta") == 0)
        def.settings.rungeKutta.tableau = &estimated;
    return def;
}

// Every setting that is not used has another value, but the solver: the others would then be those of another.
static void expectNoEffect(const vvWorldDef *base, uint64_t want, int number)
{
    vvWorldDef def = *base;
    Heard heard = { 0 };
    int count = 0;
    const Setting *setting;
    def.logger = (vvLogger){ .write = hear, .userData = &heard };
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        if (strcmp(setting->name, "solver") != 0 && !settingIsUsed(setting, base->method, base->solver))
        {
            if (!setOther(setting, &def, number))
                assert_true(setOther(setting, &def, 0)); // a switch has only one
            count += 1;
        }
    }
    bool isSame = run(&def) == want;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        bool unused = !settingIsUsed(setting, base->method, base->solver) && !settingIsInitial(setting, &def);
        if (hasHeard(&heard, setting->name) != unused)
            fail_msg("%s with %s: the log on %s is wrong", base->method, base->solver, setting->name);
    }
    assert_int_equal(heard.count, count + (!vvMethod_HasSolver(def.method) && strcmp(def.solver, "newton") != 0));
    if (!isSame)
        fail_msg("%s with %s: values %d of settings that it does not use change the run", base->method, base->solver,
                 number);
}

static void testUnusedHasNoEffect(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        uint64_t want = 0;
        for (int s = 0; vvGetSolverName(s) != NULL; ++s)
        {
            vvWorldDef def = definition(vvGetMethodName(m), vvGetSolverName(s));
            if (s == 0 || vvMethod_HasSolver(def.method)) // else that of the first
                want = run(&def);
            expectNoEffect(&def, want, s % 3);
        }
    }
}

static void expectEffect(const Setting *setting, const char *method, const char *solver)
{
    vvWorldDef def = definition(method, solver);
    Heard heard = { 0 };
    uint64_t want = run(&def);
    assert_true(settingIsUsed(setting, method, solver));
    def.logger = (vvLogger){ .write = hear, .userData = &heard };
    for (int number = 0; setOther(setting, &def, number); ++number)
    {
        if (run(&def) != want)
        {
            assert_false(hasHeard(&heard, setting->name));
            return;
        }
    }
    fail_msg("%s has no effect on %s with %s", setting->name, method, solver);
}

static void expectHeard(Heard *heard, const char *names)
{
    int count = 0;
    for (char name[32]; sscanf(names, "%31s", name) == 1; ++count)
    {
        if (!hasHeard(heard, name))
            fail_msg("nothing was said about %s", name);
        names += strcspn(names, " ");
        names += strspn(names, " ");
    }
    assert_int_equal(heard->count, count);
    heard->count = 0;
}

// of a world under way: what loses its effect with another method or solver, and what is set without one
static void testChangesAreNoted(void **state)
{
    (void)state;
    Heard heard = { 0 };
    vvResult result;
    char word[] = "ssor"; // of the caller's, gone after the call
    vvWorldDef def = vvDefaultWorldDef();
    def.logger = (vvLogger){ .write = hear, .userData = &heard };
    def.method = "backward-euler";
    def.solver = "newton-cg";
    def.settings.newtonCg.preconditioner = word;
    def.settings.smallSteps.jacobi = true;
    def.settings.rungeKutta.tableau = &heun;
    def.tolerance = 1e-6;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    memset(word, 'x', sizeof word);
    expectHeard(&heard, "jacobi tableau");
    CHECK_OK(vvWorld_SetMethod(world, "small-steps"));
    expectHeard(&heard, "solver tolerance preconditioner tableau");
    CHECK_OK(vvWorld_SetMethod(world, "small-steps")); // as it was
    CHECK_OK(vvWorld_SetSubsteps(world, 4));
    expectHeard(&heard, "");
    CHECK_OK(vvWorld_SetMethod(world, "implicit-midpoint"));
    expectHeard(&heard, "substeps jacobi tableau");
    CHECK_OK(vvWorld_SetSolver(world, "newton"));
    expectHeard(&heard, "substeps jacobi preconditioner tableau");
    CHECK_OK(vvWorld_SetSubsteps(world, 5));
    expectHeard(&heard, "substeps");
    CHECK_OK(vvWorld_SetSubsteps(world, 0));
    CHECK_OK(vvWorld_SetIterations(world, 3));
    expectHeard(&heard, "");
    CHECK_OK(vvWorld_SetMethod(world, "rk4"));
    heard.count = 0;
    CHECK_OK(vvWorld_SetIterations(world, 4));
    expectHeard(&heard, "iterations");
    CHECK_OK(vvWorld_SetTolerance(world, 1e-5));
    expectHeard(&heard, "tolerance");
    vvDestroyWorld(world);
}

static bool isName(const char *word, const char *(*name)(int))
{
    int ignored;
    return findWord("word", word, name, &ignored).code == VV_OK;
}

static void testUsersAreTrue(void **state)
{
    (void)state;
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        char users[256];
        snprintf(users, sizeof users, "%s", setting->users);
        for (char *user = users, *end; user != NULL && user[0] != 0; user = end)
        {
            end = strstr(user, ", ");
            if (end != NULL)
            {
                *end = 0;
                end += 2;
            }
            if (isName(user, vvGetMethodName))
                expectEffect(setting, user, "newton");
            else if (isName(user, vvGetSolverName))
                expectEffect(setting, "backward-euler", user);
            else if (strcmp(user, "methods with a solver") == 0 || strcmp(user, "implicit methods") == 0)
                expectEffect(setting, "implicit-midpoint", "local-global"); // which does not converge
            else
                assert_true(strncmp(user, "not ", 4) == 0 && isName(user + 4, vvGetMethodName));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testUnusedHasNoEffect),
        cmocka_unit_test(testUsersAreTrue),
        cmocka_unit_test(testChangesAreNoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
