// A heap of 16 damped cubes under the hard law: it gains nothing, every contact solve is audited, no cube sinks into
// the ground, and the heap comes to rest. And cubes in a pen, of a small loss of the material: rolling friction, dry
// friction inside bodies and overlap that is left as it is bring them to rest within 8 s.
#include "contact/ground.h"
#include "world/world.h"

#define CUBES 16
#define H (1.0 / 60)

static vvWorldId makeHeap(double young)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    for (int k = 0; k < CUBES; ++k)
    {
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.size = (vvVec3){ 0.4, 0.4, 0.4 };
        mesh.rotate = (vvVec3){ 30 * sin(3 * k), 30 * cos(2 * k), 30 * sin(4 * k) };
        vvSoftBodyDef body = elasticDef(1000, young, 0.3);
        body.damping.stiffness = 2e-3;
        body.position =
            (vvVec3){ k % 2 * 0.75 + 0.1 * sin(7 * k), 0.57 + 0.72 * (k / 4), k / 2 % 2 * 0.75 + 0.1 * cos(5 * k) };
        makeBody(world, vvCreateMesh(&mesh, &result), body);
        CHECK_OK(result);
    }
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    return world;
}

static void heap_comes_to_rest(void **state)
{
    (void)state;
    static const double young[] = { 1e5, 1e6 };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId id = makeHeap(young[k]);
        vvLedger start = vvWorld_GetLedger(id);
        double most = 0, moving = 0, exchanged = 0;
        for (int n = 0; n < 900; ++n)
        {
            CHECK_OK(vvWorld_Step(id, H));
            vvLedger ledger = vvWorld_GetLedger(id);
            const World *world = worldFind(id);
            for (int i = 0; i < world->systemCount; ++i)
                CHECK_BELOW(world->system[i].contacts.gain, 1e-11 * fabs(start.gravity));
            most = fmax(most, ledger.numerical);
            exchanged = fmax(exchanged, start.gravity - ledger.gravity);
            moving = n >= 840 ? fmax(moving, ledger.kinetic) : 0;
        }
        double rms = sqrt(2 * moving / (CUBES * 64.0));
        print_message("%g Pa: %.2g of what was exchanged above the target, rms velocity %.2g m/s in the last second\n",
                      young[k], most / exchanged, rms);
        CHECK_BELOW(most, 0.01 * exchanged);
        CHECK_BELOW(rms, 1e-3);
        vvDestroyWorld(id);
    }
}

// ---- in a pen -------------------------------------------------------------------------------------------------------

#define EDGE 0.2

typedef struct Pen
{
    int side, layers, cells; // cubes across and up, cells of each
    double young, loss;
} Pen;

static void addWall(vvWorldId world, vvVec3 size, vvVec3 position)
{
    vvColliderDef def = vvDefaultColliderDef();
    def.position = position;
    makeCollider(world, boxShape(size.x, size.y, size.z), def);
}

static vvWorldId makePen(const Pen *pen)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    double cell = 1.28 * EDGE, half = 0.5 * pen->side * cell + 0.16, high = 0.8 * pen->layers * EDGE;
    for (int k = 0; k < pen->side * pen->side * pen->layers; ++k)
    {
        int layer = k / (pen->side * pen->side);
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.size = (vvVec3){ EDGE, EDGE, EDGE };
        mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = pen->cells;
        mesh.rotate.y = 20 * sin(3 * k);
        vvSoftBodyDef body = elasticDef(1000, pen->young, 0.3);
        body.damping.stiffness = pen->loss * EDGE / (3.14159265358979323846 * sqrt(pen->young / 1000));
        double shift = 0.05 * (layer % 2 ? 1 : -1), middle = 0.5 * (pen->side - 1);
        body.position =
            (vvVec3){ (k % pen->side - middle) * cell + shift + 0.01 * sin(7 * k), 0.6 * EDGE + 1.2 * EDGE * layer,
                      (k / pen->side % pen->side - middle) * cell + shift + 0.01 * cos(5 * k) };
        makeBody(world, vvCreateMesh(&mesh, &result), body);
        CHECK_OK(result);
    }
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    for (int sign = -1; sign <= 1; sign += 2)
    {
        addWall(world, (vvVec3){ 0.3, 2 * high, 2 * half }, (vvVec3){ sign * (half + 0.15), high, 0 });
        addWall(world, (vvVec3){ 2 * half, 2 * high, 0.3 }, (vvVec3){ 0, high, sign * (half + 0.15) });
    }
    return world;
}

static void pens_come_to_rest(void **state)
{
    (void)state;
    static const Pen pens[] = { { 2, 4, 1, 2e5, 0.04 }, { 4, 4, 1, 2e5, 0.04 }, { 5, 4, 1, 2e5, 0.04 },
                                { 2, 4, 4, 1e6, 0.04 }, { 4, 4, 2, 1e6, 0.02 }, { 5, 4, 1, 1e6, 0.02 } };
    for (int k = 0; k < 6; ++k)
    {
        vvWorldId world = makePen(&pens[k]);
        int count = pens[k].side * pens[k].side * pens[k].layers;
        double moving = 0;
        for (int n = 0; n < 480; ++n)
        {
            CHECK_OK(vvWorld_Step(world, H));
            moving = n >= 450 ? fmax(moving, vvWorld_GetLedger(world).kinetic) : 0;
        }
        double rms = sqrt(2 * moving / (count * 1000 * EDGE * EDGE * EDGE));
        print_message("%d cubes of %d cells, %g Pa, loss %g: rms velocity %.2g m/s after 8 s\n", count, pens[k].cells,
                      pens[k].young, pens[k].loss, rms);
        CHECK_BELOW(rms, 1e-3);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(heap_comes_to_rest), cmocka_unit_test(pens_come_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
