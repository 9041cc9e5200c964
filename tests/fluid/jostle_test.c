// Very soft cubes that push each other about under water, with rigid bodies on top. What the fluid gives to their
// vibrations they must lose again: the water has to come to rest with them, and no energy comes from nowhere.
#include "rigid/rigid_scenes.h"
#include "undamped.h"

#define SPACING 0.04 // m
#define HALF (3 * SPACING)
#define DEEP (14 * SPACING)
#define FRAMES 120
#define GIVEN 5.0  // J, `added` of all together: nobody gives anything
#define RESTLESS 3 // J, kinetic, in the mean of the second half

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
    static const double size[4] = { 0.176, 0.147, 0.170, 0.142 }, density[4] = { 782, 1111, 1224, 1098 };
    static const vvVec3 at[4] = { { -0.0086, 0.6600, 0.0022 },
                                  { -0.0099, 0.8600, 0.0032 },
                                  { -0.0071, 1.0600, 0.0078 },
                                  { 0.0096, 1.2600, 0.0001 } };
    static const int cells[4] = { 3, 4, 3, 2 };
    for (int i = 0; i < 4; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = vvCreateBoxMesh((vvVec3){ size[i], size[i], size[i] }, cells[i], cells[i], cells[i]);
        def.material = vvMaterial_Jelly();
        def.material.density = density[i];
        def.material.young = 1e4;
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
    addRigid(world, boxShape((vvVec3){ 0.1, 0.08, 0.06 }), (vvVec3){ -0.0026, 1.4600, 0.0000 }, 0.877);
    addRigid(world, sphereShape(0.045), (vvVec3){ -0.0067, 1.6600, 0.0000 }, 0.684);
    double restless = 0;
    for (int frame = 0; frame < FRAMES; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        if (frame >= FRAMES / 2)
            restless += 2 * vvWorld_GetLedger(world).kinetic / FRAMES;
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    print_message("kinetic energy %.3g J, added %.3g J\n", restless, ledger.added);
    CHECK_BELOW(ledger.added, GIVEN);
    CHECK_BELOW(restless, RESTLESS);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTheyCalmDown) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
