// Solver, iterations, tolerance and substeps of a world, friction and restitution of colliders change under way: from
// there on the world goes on bit for bit as one that was created so and has its state.
#include "methods.h"
#include "scenes.h"

#include <stdlib.h>

typedef struct Settings
{
    const char *solver;
    int iterations, substeps;
    double tolerance, friction, restitution;
} Settings;

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
    vvColliderId floor;
} Scene;

// a box that slides on a floor and rubs against another one
static Scene build(const char *method, const Settings *settings, bool meets)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = settings->solver;
    def.iterations = settings->iterations;
    def.substeps = settings->substeps;
    def.tolerance = settings->tolerance;
    def.softContact = meets;
    vvResult result;
    Scene scene = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
    bodyDef.velocity = (vvVec3){ 1, -1, 0 };
    bodyDef.position.y = 0.2;
    scene.body = makeBody(scene.world, vvCreateBoxMesh((vvVec3){ 0.6, 0.4, 0.4 }, 2, 1, 1), bodyDef);
    bodyDef.position.x = 0.61;
    bodyDef.velocity.x = -1;
    makeBody(scene.world, vvCreateBoxMesh((vvVec3){ 0.6, 0.4, 0.4 }, 1, 1, 2), bodyDef);
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&plane, &result);
    floor.friction = settings->friction;
    floor.restitution = settings->restitution;
    scene.floor = vvCreateCollider(scene.world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    return scene;
}

static void change(const Scene *scene, const Settings *settings)
{
    CHECK_OK(vvWorld_SetSolver(scene->world, settings->solver));
    CHECK_OK(vvWorld_SetIterations(scene->world, settings->iterations));
    CHECK_OK(vvWorld_SetTolerance(scene->world, settings->tolerance));
    CHECK_OK(vvWorld_SetSubsteps(scene->world, settings->substeps));
    vvLedger before = vvWorld_GetLedger(scene->world);
    CHECK_OK(vvCollider_SetFriction(scene->floor, settings->friction));
    CHECK_OK(vvCollider_SetRestitution(scene->floor, settings->restitution));
    vvLedger after = vvWorld_GetLedger(scene->world);
    CHECK_NEAR(after.numerical, before.numerical, 1e-9);
    assert_string_equal(vvWorld_GetSolver(scene->world), settings->solver);
    assert_int_equal(vvWorld_GetIterations(scene->world), settings->iterations);
    assert_int_equal(vvWorld_GetSubsteps(scene->world), settings->substeps);
    assert_true(vvWorld_GetTolerance(scene->world) == settings->tolerance);
    assert_true(vvCollider_GetFriction(scene->floor) == settings->friction);
    assert_true(vvCollider_GetRestitution(scene->floor) == settings->restitution);
}

static void compare(const char *method, const Settings *from, const Settings *to, bool meets)
{
    Scene changed = build(method, from, meets), created = build(method, to, meets);
    double dt = stepFor(method, 0.01, 1e-5);
    for (int step = 0; step < 3; ++step)
        CHECK_OK(vvWorld_Step(changed.world, dt));
    change(&changed, to);
    size_t size = vvWorld_GetStateSize(changed.world);
    void *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(changed.world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(created.world, bytes, size));
    free(bytes);
    for (int step = 0; step < 3; ++step)
    {
        CHECK_OK(vvWorld_Step(changed.world, dt));
        CHECK_OK(vvWorld_Step(created.world, dt));
        if (vvWorld_GetHash(changed.world) != vvWorld_GetHash(created.world))
            fail_msg("%s, %s to %s: step %d differs", method, from->solver, to->solver, step);
        if (vvWorld_GetStatistics(changed.world).iterations != vvWorld_GetStatistics(created.world).iterations)
            fail_msg("%s, %s to %s: step %d has other iterations", method, from->solver, to->solver, step);
    }
    vvDestroyWorld(changed.world);
    vvDestroyWorld(created.world);
}

static void worldsGoOnAsIfCreatedSo(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        for (int k = 0; k < 4; ++k)
        {
            Settings from = { vvGetSolverName(k), 4, 7, 1e-6, 0.5, 1 };
            Settings to = { vvGetSolverName((k + 1 + m % 3) % 4), 9, 3, 1e-9, 0.1 * k, 0.2 * k };
            compare(vvGetMethodName(m), &from, &to, (m + k) % 2 == 0);
        }
    }
}

// fewer iterations and a coarser tolerance take fewer iterations, and more substeps are counted
static void settingsAct(void **state)
{
    (void)state;
    Settings settings = { "newton", 0, 0, 1e-12, 0.5, 1 };
    Scene scene = build("implicit-midpoint", &settings, false);
    CHECK_OK(vvWorld_Step(scene.world, 0.01));
    int full = vvWorld_GetStatistics(scene.world).iterations;
    CHECK_OK(vvWorld_SetTolerance(scene.world, 1e-2));
    CHECK_OK(vvWorld_Step(scene.world, 0.01));
    assert_true(vvWorld_GetStatistics(scene.world).iterations < full);
    CHECK_OK(vvWorld_SetTolerance(scene.world, 1e-12));
    CHECK_OK(vvWorld_SetIterations(scene.world, 1));
    CHECK_OK(vvWorld_Step(scene.world, 0.01));
    assert_int_equal(vvWorld_GetStatistics(scene.world).iterations, 1);
    CHECK_OK(vvWorld_SetMethod(scene.world, "small-steps"));
    CHECK_OK(vvWorld_SetSubsteps(scene.world, 17));
    CHECK_OK(vvWorld_Step(scene.world, 0.01));
    assert_int_equal(vvWorld_GetStatistics(scene.world).substeps, 17);
    vvDestroyWorld(scene.world);
}

// the box that slides on ice slows down when the floor is no ice any longer
static void frictionOfAColliderActs(void **state)
{
    (void)state;
    Settings settings = { "newton", 0, 0, 1e-10, 0, 0 };
    Scene scene = build("implicit-midpoint", &settings, false);
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(scene.world, 0.01));
    CHECK_CLOSE(vvSoftBody_GetMomentum(scene.body).x, 96, 1e-6);
    CHECK_OK(vvCollider_SetFriction(scene.floor, 0.3));
    for (int step = 0; step < 20; ++step)
        CHECK_OK(vvWorld_Step(scene.world, 0.01));
    CHECK_NEAR(vvSoftBody_GetMomentum(scene.body).x, 96 * (1 - 0.3 * 9.81 * 0.2), 15);
    vvDestroyWorld(scene.world);
}

// the floor is put a metre lower at once: what it held is booked, and the box falls freely
static void collidersAreTeleported(void **state)
{
    (void)state;
    Settings settings = { "newton", 0, 0, 1e-10, 0.5, 0 };
    Scene scene = build("implicit-midpoint", &settings, false);
    for (int step = 0; step < 20; ++step)
        CHECK_OK(vvWorld_Step(scene.world, 0.01));
    vvLedger before = vvWorld_GetLedger(scene.world);
    assert_true(before.contact > 1e-6);
    vvPose pose = vvCollider_GetPose(scene.floor);
    CHECK_OK(vvCollider_SetPose(scene.floor, pose)); // where it is: contact stays, but for friction
    assert_true(vvWorld_GetContacts(scene.world, NULL, 0) > 0);
    pose.position.y -= 1;
    CHECK_OK(vvCollider_SetPose(scene.floor, pose));
    assert_true(vvCollider_IsValid(scene.floor) && vvCollider_GetPose(scene.floor).position.y == pose.position.y);
    vvLedger after = vvWorld_GetLedger(scene.world);
    assert_true(after.contact == 0);
    CHECK_NEAR(after.added - before.added, -before.contact, 1e-9);
    CHECK_NEAR(after.numerical, before.numerical, 1e-9);
    double fall = vvSoftBody_GetMomentum(scene.body).y, mass = vvSoftBody_GetMass(scene.body);
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(scene.world, 0.01));
    CHECK_CLOSE(vvSoftBody_GetMomentum(scene.body).y - fall, -9.81 * 0.1 * mass, 1e-6);

    // and back under it
    pose.position.y = vvSoftBody_GetBounds(scene.body).lower.y + 0.01;
    after = vvWorld_GetLedger(scene.world);
    CHECK_OK(vvCollider_SetPose(scene.floor, pose));
    before = vvWorld_GetLedger(scene.world);
    assert_true(before.contact > 0);
    CHECK_NEAR(before.numerical, after.numerical, 1e-9);
    pose.rotation = (vvQuat){ 0, 0, 0, 0 };
    assert_int_equal(vvCollider_SetPose(scene.floor, pose).code, VV_BAD_INPUT);
    vvDestroyWorld(scene.world);
    assert_int_equal(vvCollider_SetPose(scene.floor, pose).code, VV_BAD_ID);
}

static void absurdSettingsAreRefused(void **state)
{
    (void)state;
    Settings settings = { "newton", 5, 6, 1e-10, 0.5, 1 };
    Scene scene = build("implicit-midpoint", &settings, false);
    int vertex = 0;
    assert_int_equal(vvWorld_SetSolver(scene.world, "newtown").code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SetSolver(scene.world, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SetIterations(scene.world, -1).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SetTolerance(scene.world, NAN).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SetSubsteps(scene.world, VV_MAX_SUBSTEPS + 1).code, VV_BAD_INPUT);
    assert_int_equal(vvCollider_SetFriction(scene.floor, -1).code, VV_BAD_INPUT);
    assert_int_equal(vvCollider_SetRestitution(scene.floor, 1.5).code, VV_BAD_INPUT);
    CHECK_OK(vvSoftBody_Slide(scene.body, &vertex, 1, VV_SLIDE_LINE, (vvVec3){ 1, 0, 0 }));
    assert_int_equal(vvWorld_SetSolver(scene.world, "local-global").code, VV_BAD_INPUT); // it knows no slides
    assert_string_equal(vvWorld_GetSolver(scene.world), "newton");
    assert_int_equal(vvWorld_GetIterations(scene.world), 5);
    assert_int_equal(vvWorld_GetSubsteps(scene.world), 6);
    CHECK_OK(vvWorld_Step(scene.world, 0.01));
    vvDestroyWorld(scene.world);
    assert_int_equal(vvWorld_SetSolver(scene.world, "newton").code, VV_BAD_ID);
    assert_int_equal(vvWorld_SetIterations(scene.world, 1).code, VV_BAD_ID);
    assert_int_equal(vvWorld_SetTolerance(scene.world, 1).code, VV_BAD_ID);
    assert_int_equal(vvWorld_SetSubsteps(scene.world, 1).code, VV_BAD_ID);
    assert_int_equal(vvCollider_SetFriction(scene.floor, 1).code, VV_BAD_ID);
    assert_int_equal(vvCollider_SetRestitution(scene.floor, 1).code, VV_BAD_ID);
    assert_string_equal(vvWorld_GetSolver(scene.world), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worldsGoOnAsIfCreatedSo),  cmocka_unit_test(settingsAct),
        cmocka_unit_test(frictionOfAColliderActs),  cmocka_unit_test(collidersAreTeleported),
        cmocka_unit_test(absurdSettingsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
