// The hard law between bodies: vertices against triangles in one island. Momenta are kept to rounding, nothing is
// gained, and what lies on something comes to rest.
#include "contact/ground.h"
#include "world/world.h"

#define H (1.0 / 60)

static vvWorldId pairWorld(vvVec3 gravity, int substeps)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = gravity;
    def.softContact = true;
    def.substeps = substeps;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static vvMesh *pairMesh(vvMeshShape shape, int cells, vvVec3 rotate)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = shape;
    def.size = (vvVec3){ 0.4, shape == VV_MESH_TORUS ? 0.15 : 0.4, 0.4 };
    for (int k = 0; k < 3; ++k)
        def.cells[k] = cells;
    def.rotate = rotate;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

// J; every solve of a substep is audited
static void stepAudited(vvWorldId id)
{
    CHECK_OK(vvWorld_Step(id, H));
    const World *world = worldFind(id);
    vvLedger ledger = vvWorld_GetLedger(id);
    for (int i = 0; i < world->systemCount; ++i)
        CHECK_BELOW(world->system[i].contacts.gain,
                    1e-12 * (fabs(ledger.gravity) + ledger.kinetic + ledger.elastic + ledger.dissipated));
}

// ---- two bodies that meet -------------------------------------------------------------------------------------------

typedef struct Meeting
{
    vvMeshShape shape[2];
    double young[2], friction, aside; // Pa, 1, m
} Meeting;

static double largestOf(vvVec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

// how fast they part over how fast they met
static double meet(const Meeting *meeting)
{
    vvWorldId world = pairWorld((vvVec3){ 0, 0, 0 }, 0);
    vvSoftBodyId body[2];
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = elasticDef(1000, meeting->young[k], 0.3);
        def.friction = meeting->friction;
        def.position = (vvVec3){ k ? 0.25 : -0.25, k ? meeting->aside : 0, k ? 0.03 : 0 };
        def.velocity.x = k ? -2 : 2;
        body[k] = makeBody(world, pairMesh(meeting->shape[k], 4 + k, (vvVec3){ 0, 0, 0 }), def);
    }
    vvLedger start = vvWorld_GetLedger(world);
    double worst = 0, momentum = 0, angular = 0;
    for (int n = 0; n < 30; ++n)
    {
        stepAudited(world);
        vvLedger now = vvWorld_GetLedger(world);
        worst = fmax(worst, now.numerical);
        momentum = fmax(momentum, largestOf(vecSub(now.momentum, start.momentum)));
        angular = fmax(angular, largestOf(vecSub(now.angularMomentum, start.angularMomentum)));
    }
    vvLedger end = vvWorld_GetLedger(world);
    CHECK_BELOW(momentum, 1e-9 * 128); // kg m/s of one cube
    CHECK_BELOW(angular, 1e-9 * 128 * 0.4);
    CHECK_BELOW(worst, 0.03 * start.kinetic);
    CHECK_BELOW(0.01 * start.kinetic, end.dissipated);
    double parting = (meanVelocity(body[1]).x - meanVelocity(body[0]).x) / 4;
    vvDestroyWorld(world);
    return parting;
}

// two-cubes.json of the net, and others; 0.757 in 9,600 substeps a second
static void meetings_keep_both_momenta(void **state)
{
    (void)state;
    static const Meeting cubes = { { VV_MESH_BOX, VV_MESH_BOX }, { 2e5, 2e5 }, 0, 0 };
    CHECK_NEAR(meet(&cubes), 0.757, 0.05);
    static const Meeting others[] = {
        { { VV_MESH_BOX, VV_MESH_BOX }, { 2e5, 2e5 }, 0.5, 0.1 },
        { { VV_MESH_BOX, VV_MESH_SPHERE }, { 1e5, 1e7 }, 0.5, 0.15 },
        { { VV_MESH_SPHERE, VV_MESH_SPHERE }, { 1e6, 1e5 }, 0.3, 0.1 },
        { { VV_MESH_BOX, VV_MESH_TORUS }, { 1e6, 3e5 }, 0.8, 0.05 },
    };
    for (int k = 0; k < 4; ++k)
        meet(&others[k]);
}

// ---- a stack --------------------------------------------------------------------------------------------------------

static void stack_stands(void **state)
{
    (void)state;
    vvWorldId world = pairWorld((vvVec3){ 0, -9.81, 0 }, 0);
    vvColliderDef plane = vvDefaultColliderDef();
    plane.restitution = 0;
    makeCollider(world, planeShape(), plane);
    vvSoftBodyId body[3];
    for (int k = 0; k < 3; ++k)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
        def.damping.stiffness = 2e-3;
        def.position = (vvVec3){ 0.02 * k, 0.2 + 0.401 * k, 0 };
        body[k] = makeBody(world, pairMesh(VV_MESH_BOX, 3 + k % 2, (vvVec3){ 0, 10.0 * k, 0 }), def);
    }
    double total = vvWorld_GetLedger(world).total, moving[2] = { 0 };
    for (int n = 0; n < 240; ++n)
    {
        stepAudited(world);
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_BELOW(ledger.total - total - ledger.added, 1e-6 * fabs(total));
        moving[n >= 120] = fmax(moving[n >= 120], ledger.kinetic);
    }
    for (int k = 0; k < 3; ++k)
    {
        CHECK_NEAR(massCentre(body[k]).x, 0.02 * k, 0.015);
        CHECK_NEAR(massCentre(body[k]).y, 0.2 + 0.4 * k, 0.01); // pressed by some mm
    }
    CHECK_BELOW(moving[1], 0.1 * moving[0]); // it sways a little
    CHECK_BELOW(moving[1], 0.3);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meetings_keep_both_momenta),
        cmocka_unit_test(stack_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
