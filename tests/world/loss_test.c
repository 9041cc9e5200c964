// The loss that a material has which nobody gave one: who has it, that what swings slowly keeps 95 % of its energy for
// a thousand frames, and that a heap comes to rest with it, which rings on without.
#include "contact/ground.h"
#include "world/scenes.h"

#define H (1.0 / 60)
#define LOSS 0.03
#define BETA(size, young, density) (LOSS * (size) / (3.14159265358979323846 * sqrt((young) / (density))))

static vvSoftBodyDef unstated(double young)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    assert_true(def.material.loss == -1);
    def.material.density = 1000;
    def.material.young = young;
    def.material.poisson = 0.3;
    return def;
}

// damping and loss that a body has after its creation
static void hasDamping(const char *method, const char *model, vvMesh *mesh, double loss, double damping)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = unstated(1e5);
    def.model = model;
    vvSoftBodyId body = makeBody(world, mesh, def);
    CHECK_CLOSE(vvSoftBody_GetDamping(body).stiffness, damping, 1e-9);
    assert_true(vvSoftBody_GetMaterial(body).loss == loss);
    CHECK_OK(vvSoftBody_SetMaterial(body, def.material)); // unstated again
    assert_true(vvSoftBody_GetMaterial(body).loss == loss);
    vvDestroyWorld(world);
}

static vvMesh *cube(void)
{
    return vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
}

static void solidsOfTheDefaultHaveIt(void **state)
{
    (void)state;
    double beta = BETA(0.2, 1e5, 1000);
    hasDamping("small-midpoint", NULL, cube(), LOSS, beta);
    hasDamping("small-midpoint", "corotated", cube(), LOSS, beta);
    hasDamping("backward-euler", NULL, cube(), 0, 0);
    hasDamping("verlet", NULL, cube(), 0, 0);
    hasDamping("small-midpoint", "stable-neo-hookean", cube(), 0, 0);
    hasDamping("small-midpoint", NULL, vvCreateSheetMesh(1, 1, 3, 3), 0, 0);
}

// J, kinetic and elastic energy and that of height
static double swingEnergy(vvWorldId world)
{
    vvLedger now = vvWorld_GetLedger(world);
    return now.kinetic + now.elastic + now.gravity;
}

static void aSwingKeepsItsEnergy(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.size = (vvVec3){ 0.25, 1, 0.25 };
    mesh.cells[0] = mesh.cells[2] = 2;
    mesh.cells[1] = 8;
    mesh.rotate.z = 70;
    vvResult result;
    vvSoftBodyDef def = unstated(1e5);
    def.position = (vvVec3){ 0.469846, -0.171010, 0 };
    vvSoftBodyId bar = makeBody(world, vvCreateMesh(&mesh, &result), def);
    vvBox hinge = { { -1e-3, -1e-3, -1 }, { 1e-3, 1e-3, 1 } };
    int vertex[16], count = vvSoftBody_FindVertices(bar, hinge, vertex, 16);
    assert_int_equal(count, 3);
    CHECK_OK(vvSoftBody_Pin(bar, vertex, count));
    // hanging at rest: half its length lower, and stretched by its weight, G^2 L / 6 E A lower again
    double weight = vvSoftBody_GetMass(bar) * 9.81, lowest = -weight * 0.5 - weight * weight / (6 * 1e5 * 0.0625);
    double start = swingEnergy(world);
    for (int n = 0; n < 1000; ++n)
        CHECK_OK(vvWorld_Step(world, H));
    double kept = (swingEnergy(world) - lowest) / (start - lowest);
    print_message("kept by the swing: %.4f\n", kept);
    assert_true(kept >= 0.95);
    CHECK_BELOW(kept, 0.98);
    vvDestroyWorld(world);
}

// a pen of 16 cubes of one cell
static double heapAfter8Seconds(double loss)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.softContact = true;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    for (int sign = -1; sign <= 1; sign += 2)
    {
        vvColliderDef wall = vvDefaultColliderDef();
        wall.position = (vvVec3){ sign * 0.57, 0.6, 0 };
        makeCollider(world, boxShape(0.3, 1.2, 0.84), wall);
        wall.position = (vvVec3){ 0, 0.6, sign * 0.57 };
        makeCollider(world, boxShape(0.84, 1.2, 0.3), wall);
    }
    for (int k = 0; k < 16; ++k)
    {
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.size = (vvVec3){ 0.2, 0.2, 0.2 };
        mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = 1;
        mesh.rotate.y = 20 * sin(3 * k);
        vvSoftBodyDef def = unstated(2e5);
        def.material.loss = loss;
        double shift = 0.05 * (k / 4 % 2 ? 1 : -1);
        def.position = (vvVec3){ (k % 2 - 0.5) * 0.256 + shift + 0.01 * sin(7 * k), 0.12 + 0.24 * (k / 4),
                                 (k / 2 % 2 - 0.5) * 0.256 + shift + 0.01 * cos(5 * k) };
        makeBody(world, vvCreateMesh(&mesh, &result), def);
        CHECK_OK(result);
    }
    double moving = 0;
    for (int n = 0; n < 480; ++n)
    {
        CHECK_OK(vvWorld_Step(world, H));
        moving = n >= 450 ? fmax(moving, vvWorld_GetLedger(world).kinetic) : 0;
    }
    vvDestroyWorld(world);
    return sqrt(2 * moving / (16 * 1000 * 0.2 * 0.2 * 0.2));
}

static void heapsComeToRest(void **state)
{
    (void)state;
    double with = heapAfter8Seconds(-1), without = heapAfter8Seconds(0);
    print_message("rms velocity of 16 cubes after 8 s: %.2g m/s, %.2g without loss\n", with, without);
    CHECK_BELOW(with, 1e-3);
    CHECK_BELOW(2e-3, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(solidsOfTheDefaultHaveIt),
                                        cmocka_unit_test(aSwingKeepsItsEnergy), cmocka_unit_test(heapsComeToRest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
