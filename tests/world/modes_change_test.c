// Modes of a body whose pins, stiffness or shape changes while it moves: steps go on without them and allocate nothing,
// vvWorld_Prepare makes them anew, saved states keep which are in use, and a crumpled body does without.
#include "scenes.h"

#include "base/system.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
    long long calls; // for memory
} Scene;

static void *countAllocate(size_t size, size_t alignment, void *userData)
{
    *(long long *)userData += 1;
    return systemAllocate(size, alignment);
}

static void countRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

// a bar that spins, `scene` stays where it is
static void makeScene(Scene *scene)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.allocator = (vvAllocator){ countAllocate, countRelease, &scene->calls };
    def.substeps = 6;
    vvResult result;
    scene->calls = 0;
    scene->world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = elasticDef(1000, 1e6, 0.3);
    body.spin = (vvVec3){ 0.5, 0.2, 0.3 };
    scene->body = makeBody(scene->world, vvCreateBoxMesh((vvVec3){ 1, 0.3, 0.2 }, 8, 2, 2), body);
}

static void run(const Scene *scene, int steps)
{
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(scene->world, 1.0 / 60));
}

static bool usesModes(const Scene *scene)
{
    const Modal *modal = bodyFind(scene->body)->member.modal;
    return modal != NULL && modal->used;
}

static void stepsNeitherMakeModesNorAllocate(void **state)
{
    (void)state;
    Scene scene;
    makeScene(&scene);
    int pin[2] = { 0, 1 };
    run(&scene, 2);
    assert_true(usesModes(&scene));
    CHECK_OK(vvSoftBody_Pin(scene.body, pin, 2));
    run(&scene, 1); // the factor without these vertices may be new
    long long before = scene.calls;
    run(&scene, 3);
    assert_false(usesModes(&scene));
    CHECK_OK(vvSoftBody_Unpin(scene.body, pin, 2)); // taken back: the old ones are right again
    run(&scene, 3);
    assert_true(usesModes(&scene));
    assert_int_equal(scene.calls, before);
    CHECK_OK(vvSoftBody_Pin(scene.body, pin, 2));
    CHECK_OK(vvWorld_Prepare(scene.world));
    assert_true(scene.calls > before);
    before = scene.calls;
    run(&scene, 3);
    assert_true(usesModes(&scene));
    assert_true(bodyFind(scene.body)->member.modal->shape->tied);
    assert_int_equal(scene.calls, before);
    CHECK_OK(vvWorld_Prepare(scene.world)); // nothing changed
    assert_int_equal(scene.calls, before);
    vvDestroyWorld(scene.world);
}

// a state saved with `pinned` and `prepared` goes on with the same bits in a world made anew
static void checkResume(bool pinned, bool prepared)
{
    Scene whole, again;
    int pin[2] = { 3, 7 };
    makeScene(&whole);
    makeScene(&again);
    run(&whole, 3);
    if (pinned)
        CHECK_OK(vvSoftBody_Pin(whole.body, pin, 2));
    if (prepared)
        CHECK_OK(vvWorld_Prepare(whole.world));
    run(&whole, 2);
    size_t size = vvWorld_GetStateSize(whole.world);
    void *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(whole.world, saved, size));
    CHECK_OK(vvWorld_RestoreState(again.world, saved, size));
    for (int part = 0; part < 2; ++part)
    {
        run(&whole, 3);
        run(&again, 3);
        assert_int_equal(usesModes(&whole), usesModes(&again));
        assert_true(vvWorld_GetHash(whole.world) == vvWorld_GetHash(again.world));
        CHECK_OK(vvSoftBody_Unpin(whole.body, pin, 2));
        CHECK_OK(vvSoftBody_Unpin(again.body, pin, 2));
    }
    free(saved);
    vvDestroyWorld(whole.world);
    vvDestroyWorld(again.world);
}

static void statesKeepWhichModesAreInUse(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
        checkResume(i % 2 == 1, i / 2 == 1);
}

static void crumpledBodiesDoWithout(void **state)
{
    (void)state;
    Scene scene;
    makeScene(&scene);
    run(&scene, 1);
    assert_true(usesModes(&scene));
    int count = vvSoftBody_GetVertexCount(scene.body);
    double *x = malloc((size_t)count * 3 * sizeof(double));
    TestRandom random = { 5 };
    for (int i = 0; i < 3 * count; ++i)
        x[i] = randomBetween(&random, -0.1, 0.1);
    CHECK_OK(vvSoftBody_SetPositions(scene.body, x));
    run(&scene, 1);
    assert_false(usesModes(&scene));
    free(x);
    vvDestroyWorld(scene.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepsNeitherMakeModesNorAllocate),
        cmocka_unit_test(statesKeepWhichModesAreInUse),
        cmocka_unit_test(crumpledBodiesDoWithout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
