// A step that fails leaves every byte of the saved state as it was, under all methods and solvers: also of the past
// that a method keeps, of the factors that a solver made, and of who sleeps.
#include "world/scenes.h"

#include <stdlib.h>

#define METHODS 33
#define SOLVERS 4

typedef struct Stage
{
    vvWorldId world;
    vvAttachmentId spring;
    vvColliderId floor;
} Stage;

static vvSoftBodyId bodyAt(vvWorldId world, vvVec3 position, double speed)
{
    vvSoftBodyDef def = elasticDef(1000, 1e4, 0.3);
    def.position = position;
    def.velocity.x = speed;
    def.mask = 2; // of the floor
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), def);
}

// a body that sleeps, far from the floor, and one that stands on it
static Stage begin(const char *method, const char *solver, bool divides)
{
    Stage stage;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.iterations = 2;
    def.settings.stepTolerance = divides ? 1e-9 : 0;
    def.sleepEnergy = 1e-6;
    def.sleepTime = 1e-4;
    vvResult result;
    stage.world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&shape, NULL);
    floor.category = 2;
    stage.floor = vvCreateCollider(stage.world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    vvSoftBodyId asleep = bodyAt(stage.world, (vvVec3){ 0, 3, 0 }, 0);
    vvSoftBodyId awake = bodyAt(stage.world, (vvVec3){ 1, 0.0999, 0 }, 0.1);
    stage.spring = attachToPoint(stage.world, awake, 0, 10);
    for (int k = 0; k < 3; ++k)
        CHECK_OK(vvWorld_Step(stage.world, 2e-4));
    assert_true(vvSoftBody_IsAwake(awake) && !vvSoftBody_IsAwake(asleep));
    return stage;
}

static unsigned char *save(vvWorldId world, size_t *size)
{
    *size = vvWorld_GetStateSize(world);
    unsigned char *bytes = malloc(*size);
    CHECK_OK(vvWorld_SaveState(world, bytes, *size));
    return bytes;
}

static int failed; // steps

static void failOnce(const char *method, const char *solver, bool divides)
{
    Stage stage = begin(method, solver, divides);
    // a spring makes the step run away, and the floor wakes the sleeper; neither makes methods forget their past
    CHECK_OK(vvAttachment_MoveTarget(stage.spring, (vvVec3){ 1e40, 0, 0 }));
    CHECK_OK(vvCollider_MoveTo(stage.floor, (vvVec3){ 0, 0.01, 0 }, (vvQuat){ 1, 0, 0, 0 }));
    for (int k = 0; k < 2; ++k)
    {
        size_t sizes[2];
        unsigned char *before = save(stage.world, &sizes[0]);
        vvResult result = vvWorld_Step(stage.world, k == 0 ? 2e-4 : 1e-3);
        failed += result.code == VV_DIVERGED; // some move by the force a step later, or turn back
        unsigned char *after = save(stage.world, &sizes[1]);
        if (result.code != VV_OK && (sizes[0] != sizes[1] || memcmp(before, after, sizes[0]) != 0))
            fail_msg("%s with %s%s: a step that failed changed the state", method, solver, divides ? ", divided," : "");
        free(before);
        free(after);
    }
    vvDestroyWorld(stage.world);
}

static void failureChangesNothing(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        for (int s = 0; s < (vvMethod_HasSolver(vvGetMethodName(m)) ? SOLVERS : 1); ++s)
        {
            failOnce(vvGetMethodName(m), vvGetSolverName(s), false);
            if (s < 2 && strcmp(vvGetMethodName(m), "bdf2-variable") != 0) // which takes 4096 substeps
                failOnce(vvGetMethodName(m), vvGetSolverName(s), true);
        }
    }
    print_message("%d steps failed\n", failed);
    assert_true(failed > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(failureChangesNothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
