// A heap of 16 damped cubes under the hard law: it gains nothing, every contact solve is audited, no cube sinks into
// the ground, and the heap comes to rest.
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
        CHECK_BELOW(rms, 0.05);
        vvDestroyWorld(id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(heap_comes_to_rest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
