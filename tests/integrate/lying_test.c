// Sheets that lie still take fewer substeps, and no fewer once they move.
#include "world/scenes.h"

#include <math.h>
#include <stdlib.h>

#define STEP (1.0 / 60)
#define SHEETS 3
#define CELLS 9

typedef struct Layers
{
    vvWorldId world;
    vvSoftBodyId body[SHEETS];
} Layers;

// of cotton, turned against each other, above a plane
static Layers layers(int substeps, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    def.substeps = substeps;
    def.threads = threads;
    vvResult result;
    Layers made = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    vvShapeDef plane = vvDefaultShapeDef();
    plane.kind = VV_SHAPE_PLANE;
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&plane, NULL);
    vvCreateCollider(made.world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    for (int k = 0; k < SHEETS; ++k)
    {
        vvMeshDef meshDef = vvDefaultMeshDef();
        meshDef.shape = VV_MESH_SHEET;
        meshDef.size = (vvVec3){ 1, 1, 1 };
        meshDef.cells[0] = meshDef.cells[2] = CELLS;
        meshDef.rotate = (vvVec3){ 0, 7.0 * k, 0 };
        vvSoftBodyDef body = vvDefaultSoftBodyDef();
        body.mesh = vvCreateMesh(&meshDef, NULL);
        body.material = vvMaterial_Cotton();
        body.selfContact = true;
        body.position = (vvVec3){ 0, 0.02 + 0.02 * k, 0 };
        made.body[k] = vvCreateSoftBody(made.world, &body, &result);
        CHECK_OK(result);
        vvDestroyMesh(body.mesh);
    }
    return made;
}

static void run(vvWorldId world, int frames)
{
    for (int n = 0; n < frames; ++n)
        CHECK_OK(vvWorld_Step(world, STEP));
}

// m/s, rms over the vertices of all sheets
static double speedOf(const Layers *layers)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < SHEETS; ++k)
    {
        int numbers = 3 * vvSoftBody_GetVertexCount(layers->body[k]);
        const double *velocity = vvSoftBody_GetVelocities(layers->body[k]);
        for (int i = 0; i < numbers; ++i)
            sum += velocity[i] * velocity[i];
        count += numbers / 3;
    }
    return sqrt(sum / count);
}

// While they fall a wave crosses them in ten substeps; where they lie, in half as many. They come to rest as in the
// many (after two seconds 2 mm/s, against 7 there), and nothing is gained that counts against the energy of the fall.
static void whatLiesTakesFewer(void **unused)
{
    (void)unused;
    Layers ruled = layers(0, 1), fixed = layers(11, 1);
    run(ruled.world, 3);
    assert_int_equal(vvSoftBody_GetSubsteps(ruled.body[0]).ruled, 11);
    run(ruled.world, 117);
    run(fixed.world, 120);
    assert_int_equal(vvSoftBody_GetSubsteps(ruled.body[0]).taken, 6);
    print_message("%.2g m/s in six, %.2g in eleven; numerical %.2g and %.2g J\n", speedOf(&ruled), speedOf(&fixed),
                  vvWorld_GetLedger(ruled.world).numerical, vvWorld_GetLedger(fixed.world).numerical);
    assert_true(speedOf(&ruled) < 5e-3 && speedOf(&ruled) < speedOf(&fixed));
    vvLedger ledger = vvWorld_GetLedger(ruled.world);
    assert_true(ledger.numerical < 0.01 * ledger.dissipated);
    vvDestroyWorld(ruled.world);
    vvDestroyWorld(fixed.world);
}

static void whatIsPushedTakesAllAgain(void **unused)
{
    (void)unused;
    Layers made = layers(0, 1);
    run(made.world, 120);
    assert_int_equal(vvSoftBody_GetSubsteps(made.body[0]).taken, 6);
    CHECK_OK(vvSoftBody_ApplyImpulse(made.body[SHEETS - 1], (vvVec3){ 0, 0.1, 0 }, (vvVec3){ 0, 0, 0 }));
    run(made.world, 2); // the step begins with what it knows of the last
    assert_int_equal(vvSoftBody_GetSubsteps(made.body[0]).taken, 11);
    vvDestroyWorld(made.world);
}

// a saved state knows how long they have lain, on any number of threads
static void aRestoredStateGoesOn(void **unused)
{
    (void)unused;
    Layers made = layers(0, 1), other = layers(0, 2);
    int frames = 0;
    while (vvSoftBody_GetSubsteps(made.body[0]).taken != 6 && ++frames < 120)
        run(made.world, 1);
    size_t size = vvWorld_GetStateSize(made.world);
    void *state = malloc(size);
    CHECK_OK(vvWorld_SaveState(made.world, state, size));
    CHECK_OK(vvWorld_RestoreState(other.world, state, size));
    run(made.world, 20);
    run(other.world, 20);
    assert_true(vvWorld_GetHash(made.world) == vvWorld_GetHash(other.world));
    free(state);
    vvDestroyWorld(made.world);
    vvDestroyWorld(other.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatLiesTakesFewer),
        cmocka_unit_test(whatIsPushedTakesAllAgain),
        cmocka_unit_test(aRestoredStateGoesOn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
