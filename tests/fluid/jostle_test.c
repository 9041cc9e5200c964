// Very soft cubes that push each other about under water, with rigid bodies on top. What the fluid gives to their
// vibrations they must lose again: the water has to come to rest with them, and no energy comes from nowhere.
#include "rigid/rigid_scenes.h"

#define SPACING 0.04 // m
#define HALF (3 * SPACING)
#define DEEP (12 * SPACING)
#define FRAMES 120
#define GIVEN 5.0  // J, `added` of all together: nobody gives anything
#define RESTLESS 4 // J, in the second half; 38 J fall

static void addWalls(vvWorldId world)
{
    static const vvVec3 normals[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shape = vvDefaultShapeDef();
        shape.normal = normals[i];
        shape.offset = i ? -HALF : 0;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shape, NULL);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
}

static void addCubes(vvWorldId world)
{
    static const double size[3] = { 0.117, 0.146, 0.141 }, density[3] = { 1746, 1634, 558 };
    static const vvVec3 at[3] = { { -0.0062, 0.58, -0.0005 }, { 0.0029, 0.78, 0.0029 }, { -0.0053, 0.98, 0.0039 } };
    static const int cells[3] = { 2, 4, 3 };
    for (int i = 0; i < 3; ++i)
    {
        vvSoftBodyDef def = vvDefaultSoftBodyDef();
        def.mesh = vvCreateBoxMesh((vvVec3){ size[i], size[i], size[i] }, cells[i], cells[i], cells[i]);
        def.material = vvMaterial_Jelly();
        def.material.density = density[i];
        def.material.young = 1e4;
        def.damping.stiffness = 0.002;
        def.position = at[i];
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        CHECK_OK(result);
        vvDestroyMesh(def.mesh);
    }
}

static void testTheyCalmDown(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    vvWorldId world = vvCreateWorld(&def, NULL);
    addWalls(world);
    vvFluidDef fluidDef = vvDefaultFluidDef();
    fluidDef.spacing = SPACING;
    vvFluidId water = vvCreateFluid(world, &fluidDef, NULL);
    vvBox box = { { -HALF, 0, -HALF }, { HALF, DEEP, HALF } };
    CHECK_OK(vvFluid_AddBox(water, box, (vvVec3){ 0, 0, 0 }));
    addCubes(world);
    addRigid(world, boxShape((vvVec3){ 0.1, 0.08, 0.06 }), (vvVec3){ 0.0021, 1.18, 0 }, 0.977);
    addRigid(world, sphereShape(0.045), (vvVec3){ -0.0078, 1.38, 0 }, 0.842);
    double restless = 0;
    for (int frame = 0; frame < FRAMES; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        if (frame >= FRAMES / 2)
            restless = fmax(restless, vvWorld_GetLedger(world).kinetic);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    print_message("kinetic energy at most %.3g J, added %.3g J\n", restless, ledger.added);
    CHECK_BELOW(ledger.added, GIVEN);
    CHECK_BELOW(restless, RESTLESS);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTheyCalmDown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
