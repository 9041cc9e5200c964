// Soft bodies that are thrown into water, in which its pressure is above their stiffness, stay in one piece.
#include "rigid/rigid_scenes.h"
#include "undamped.h"

#define SPACING 0.04 // m
#define EDGE 0.48    // m, of the pool, and twice its depth
#define SPEED 6.0    // m/s
#define TIME 0.2     // s

typedef struct Throw
{
    const char *method;
    double dt, spin; // s, rad/s
    int cubes;
} Throw;

static void addPool(vvWorldId world)
{
    static const vvVec3 normals[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shape = vvDefaultShapeDef();
        shape.normal = normals[i];
        shape.offset = i ? -EDGE / 2 : 0;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shape, NULL);
        vvResult result;
        vvCreateCollider(world, &def, &result);
        CHECK_OK(result);
        vvDestroyShape(def.shape);
    }
    vvFluidDef fluid = vvDefaultFluidDef();
    fluid.spacing = SPACING;
    vvBox box = { { -EDGE / 2, 0, -EDGE / 2 }, { EDGE / 2, EDGE / 2, EDGE / 2 } };
    CHECK_OK(vvFluid_AddBox(vvCreateFluid(world, &fluid, NULL), box, (vvVec3){ 0, 0, 0 }));
}

static vvSoftBodyId addCube(vvWorldId world, int index, double spin)
{
    double x = 0.13 * (index % 2 ? 1 : -1), z = 0.13 * (index / 2 ? 1 : -1), r = sqrt(3.0);
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.15, 0.15, 0.15 }, 3, 3, 3);
    def.material = vvMaterial_Jelly();
    def.material.loss = 0;
    def.material.density = 700 + 200 * index;
    def.material.young = 1e4;
    def.damping.stiffness = 0.002;
    def.position = (vvVec3){ x, EDGE / 2 + 0.1, z };
    def.velocity = (vvVec3){ SPEED / r * (index % 2 ? -1 : 1), -SPEED / r, SPEED / r * (index % 3 ? 1 : -1) };
    def.spin = (vvVec3){ spin / r, -spin / r, spin / r };
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

static double fastestOf(vvSoftBodyId body)
{
    double fastest = 0;
    for (int i = 0; i < vvSoftBody_GetVertexCount(body); ++i)
        fastest = maxReal(fastest, vecLength(vecLoad(vvSoftBody_GetVelocities(body) + 3 * (ptrdiff_t)i)));
    return fastest;
}

static void throwInto(const Throw *how)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = how->method;
    def.softContact = true;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId cube[4];
    addPool(world);
    double first = 0;
    for (int i = 0; i < how->cubes; ++i)
    {
        cube[i] = addCube(world, i, how->spin);
        first = maxReal(first, fastestOf(cube[i]));
    }
    double thrown = vvWorld_GetLedger(world).kinetic;
    for (int step = 0; step < (int)(TIME / how->dt + 0.5); ++step)
    {
        CHECK_OK(vvWorld_Step(world, how->dt));
        CHECK_BELOW(vvWorld_GetLedger(world).elastic, thrown);
        for (int i = 0; i < how->cubes; ++i)
        {
            if (!(fastestOf(cube[i]) < 2 * first))
                fail_msg("%s, %g s, %g rad/s: cube %d of %d has a vertex at %g m/s, thrown at %g", how->method, how->dt,
                         how->spin, i, how->cubes, fastestOf(cube[i]), first);
        }
    }
    for (int i = 0; i < how->cubes; ++i)
        CHECK_BELOW(fastestOf(cube[i]), first);
    vvDestroyWorld(world);
}

static void testStayInOnePiece(void **state)
{
    (void)state;
    static const Throw throws[] = {
        { "small-midpoint", 1.0 / 30, 0, 1 },  { "small-midpoint", 1.0 / 60, 0, 1 },
        { "small-midpoint", 1.0 / 60, 20, 1 }, { "small-midpoint", 1.0 / 240, 0, 1 },
        { "small-midpoint", 1.0 / 60, 20, 4 }, { "backward-euler", 1.0 / 60, 20, 1 },
        { "stabilized", 1.0 / 60, 0, 1 },
    };
    for (int i = 0; i < (int)(sizeof throws / sizeof throws[0]); ++i)
        throwInto(&throws[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testStayInOnePiece) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
