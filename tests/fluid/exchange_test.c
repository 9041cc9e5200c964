// What bodies and water give each other: no energy comes from nowhere, in a step or by the number of its substeps.
#include "rigid/rigid_scenes.h"

#define SPACING 0.04 // m
#define GAINED 2.0   // J: a seventh of what it is without that, and three times the motion of the water at rest

static vvFluidId addTank(vvWorldId world, double half, double deep)
{
    static const vvVec3 normals[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shape = vvDefaultShapeDef();
        shape.normal = normals[i];
        shape.offset = i ? -half : 0;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shape, NULL);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
    vvFluidDef fluidDef = vvDefaultFluidDef();
    fluidDef.spacing = SPACING;
    vvFluidId water = vvCreateFluid(world, &fluidDef, NULL);
    vvBox box = { { -half, 0, -half }, { half, deep, half } };
    CHECK_OK(vvFluid_AddBox(water, box, (vvVec3){ 0, 0, 0 }));
    return water;
}

static void run(vvWorldId world, int frames)
{
    for (int i = 0; i < frames; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
}

static void addCube(vvWorldId world, vvVec3 at)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.12, 0.12, 0.12 }, 3, 3, 3);
    def.material = vvMaterial_Jelly();
    def.material.young = 3e4;
    def.position = at;
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
}

// Bodies that fall into a tank, sink, float, lie on its ground and on each other: what they lose the water gets, as the
// same number.
static void testBothSidesBookTheSame(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&def, NULL);
    addTank(world, 8 * SPACING, 8 * SPACING);
    for (int i = 0; i < 6; ++i)
        addRigid(world, i % 2 ? boxShape((vvVec3){ 0.1, 0.08, 0.06 }) : sphereShape(0.045),
                 (vvVec3){ 0.01 * i - 0.2, 0.42 + 0.1 * i, 0.02 * i - 0.1 }, 0.2 + 0.15 * i);
    addCube(world, (vvVec3){ 0.15, 0.5, 0.1 });
    double start = vvWorld_GetLedger(world).total;
    run(world, 80);
    vvLedger end = vvWorld_GetLedger(world);
    CHECK_BELOW(fabs(end.added), 1e-9 * (start - end.total));
    CHECK_BELOW(0.5 * (start - end.total), end.dissipated); // it was not booked away
    CHECK_BELOW(end.numerical, 0.01 * end.dissipated);
    vvDestroyWorld(world);
}

// A particle that flies off needs more substeps of all water. Under its own weight a column 1 m deep gives way by what
// gravity does in a substep: if it did less in shorter ones, all of it would rise, by 0.5 % of its depth.
static void testSubstepsThrowNothingUp(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvFluidId water = addTank(world, 4 * SPACING, 26 * SPACING);
    run(world, 60);
    vvLedger rest = vvWorld_GetLedger(world);
    vvBox above = { { -SPACING / 2, 3, -SPACING / 2 }, { SPACING / 2, 3 + SPACING, SPACING / 2 } };
    CHECK_OK(vvFluid_AddBox(water, above, (vvVec3){ 0, 8, 0 }));
    double given = vvWorld_GetLedger(world).total - rest.total, most = 0;
    for (int i = 0; i < 12; ++i)
    {
        run(world, 1);
        assert_true(vvFluid_GetSubstepsTaken(water) > 15);
        most = fmax(most, vvWorld_GetLedger(world).total - rest.total - given);
    }
    print_message("given %.3g J, gained %.3g J, at rest %.3g J of motion\n", given, most, rest.kinetic);
    CHECK_BELOW(most, GAINED);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testBothSidesBookTheSame),
                                        cmocka_unit_test(testSubstepsThrowNothingUp) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
