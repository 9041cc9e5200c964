// The hard law in random worlds: shapes, stiffnesses, steps, tilts, frictions and numbers of bodies by seed. Nothing is
// gained, every contact solve is audited, books close, and what falls stays above the ground.
#include "contact/ground.h"
#include "world/world.h"

#include <stdio.h>

#ifndef WORLDS
#define WORLDS 7 // by seed
#endif

typedef struct Random
{
    uint64_t state;
} Random;

static double between(Random *random, double low, double high)
{
    random->state = random->state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(random->state >> 11) / 9007199254740992.0;
}

static vvMesh *anyMesh(Random *random)
{
    static const vvMeshShape shapes[] = { VV_MESH_BOX, VV_MESH_SPHERE, VV_MESH_CYLINDER, VV_MESH_TORUS, VV_MESH_SHEET };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = shapes[(int)between(random, 0, 5)];
    double size = between(random, 0.2, 0.5);
    def.size = (vvVec3){ size, def.shape == VV_MESH_TORUS ? 0.3 * size : size, size };
    int cells = def.shape == VV_MESH_SHEET ? 8 : 3;
    def.cells[0] = def.cells[2] = cells;
    def.cells[1] = def.shape == VV_MESH_TORUS ? 12 : cells;
    def.rotate = (vvVec3){ between(random, 0, 90), between(random, 0, 90), between(random, 0, 90) };
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

// a column of bodies above a plane that leans, with a ball beside it
static vvWorldId anyWorld(Random *random, double *step)
{
    static const double steps[] = { 1.0 / 120, 1.0 / 60, 1.0 / 30 };
    double lean = between(random, 0, 0.5);
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    def.gravity = (vvVec3){ 9.81 * sin(lean), -9.81 * cos(lean), 0 };
    *step = steps[(int)between(random, 0, 3)];
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    int count = 1 + (int)between(random, 0, 4);
    for (int k = 0; k < count; ++k)
    {
        vvSoftBodyDef body = elasticDef(between(random, 200, 2000), exp(between(random, log(1e5), log(1e7))), 0.3);
        body.material.thickness = 2e-3;
        body.friction = between(random, 0, 1);
        body.damping.stiffness = between(random, 0, 1) < 0.5 ? between(random, 0, 3e-3) : 0;
        body.position = (vvVec3){ between(random, -0.1, 0.1), 0.5 + 0.8 * k, between(random, -0.1, 0.1) };
        body.velocity.y = -between(random, 0, 3);
        makeBody(world, anyMesh(random), body);
    }
    vvColliderDef ground = vvDefaultColliderDef();
    ground.friction = between(random, 0, 1);
    makeCollider(world, planeShape(), ground);
    ground.position = (vvVec3){ 0.3, 0.2, 0 };
    makeCollider(world, sphereShape(0.2), ground);
    return world;
}

static double lowestOf(vvWorldId world)
{
    vvSoftBodyId body[8];
    int count = vvWorld_GetBodies(world, body, 8);
    double lowest = 0;
    for (int k = 0; k < count; ++k)
    {
        const double *x = vvSoftBody_GetPositions(body[k]);
        for (int v = 0; v < vvSoftBody_GetVertexCount(body[k]); ++v)
            lowest = fmin(lowest, x[3 * v + 1]);
    }
    return lowest;
}

static void runWorld(uint64_t seed)
{
    Random random = { seed * 7919 + 17 };
    double step, lowest = 0, most = 0, exchanged = 0;
    vvWorldId id = anyWorld(&random, &step);
    vvLedger start = vvWorld_GetLedger(id);
    for (int n = 0; n < (int)(1.2 / step); ++n)
    {
        CHECK_OK(vvWorld_Step(id, step));
        vvLedger ledger = vvWorld_GetLedger(id);
        const World *world = worldFind(id);
        double size = fabs(ledger.gravity) + ledger.kinetic + ledger.elastic + ledger.dissipated;
        for (int i = 0; i < world->systemCount; ++i)
            CHECK_BELOW(world->system[i].contacts.gain, 1e-11 * size);
        exchanged = fmax(exchanged, start.gravity - ledger.gravity + start.kinetic);
        most = fmax(most, ledger.numerical);
        lowest = fmin(lowest, lowestOf(id));
    }
    print_message("world %d: %.3g of %.3g J above the target, lowest %.2g m\n", (int)seed, most, exchanged, lowest);
    CHECK_BELOW(most, 0.015 * exchanged);
    CHECK_BELOW(-0.01, lowest);
    vvDestroyWorld(id);
}

static void random_worlds_gain_nothing(void **state)
{
    (void)state;
    // a sheet between a cylinder and the ground, which planes and impulses threw 28 mm into it; and a solve that gained
    // where overlap is parted
    static const uint64_t hardest[] = { 98, 299 };
    int first = 0, last = WORLDS - 1;
    const char *chosen = getenv("VERVE_HARD_WORLDS"); // "100-149": these alone
    if (chosen != NULL)
        sscanf(chosen, "%d-%d", &first, &last);
    for (int seed = first; seed <= last; ++seed)
        runWorld((uint64_t)seed);
    for (int k = 0; k < 2 && WORLDS <= hardest[k] && chosen == NULL; ++k)
        runWorld(hardest[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_worlds_gain_nothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
