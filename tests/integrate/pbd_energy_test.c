// Contact under pbd: the energy of motion never rises above what there was, momentum is kept, and angular momentum
// within the order of the method. The elastic energy that the ledger finds for the material is not pbd's own.
#include "rigid/soft_scenes.h"

typedef struct Kept
{
    double momentum, angular; // of their scale, off by so much at most
    double gained;            // share of the energy of motion, and of gravity
    double exchanged;         // of the scale: by what the first rigid body changed
} Kept;

static vvSoftBodyId addSoft(vvWorldId world, vvSoftBodyDef def)
{
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

static double movingOf(const vvLedger *ledger) // J
{
    return ledger->total - ledger->elastic - ledger->contact;
}

static Kept follow(vvWorldId world, double mass, int count)
{
    vvLedger before = vvWorld_GetLedger(world);
    double scale = sqrt(2 * before.kinetic * mass);
    vvRigidBodyId rigid;
    vvWorld_GetRigidBodies(world, &rigid, 1);
    vvVec3 velocity = vvRigidBody_GetVelocity(rigid);
    Kept kept = { 0 };
    for (int i = 0; i < count; ++i)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger now = vvWorld_GetLedger(world);
        kept.momentum = fmax(kept.momentum, away(now.momentum, before.momentum) / scale);
        kept.angular = fmax(kept.angular, away(now.angularMomentum, before.angularMomentum) / scale);
        kept.gained = fmax(kept.gained, (movingOf(&now) - movingOf(&before)) / before.kinetic);
    }
    kept.exchanged = away(vvRigidBody_GetVelocity(rigid), velocity) * vvRigidBody_GetMass(rigid) / scale;
    return kept;
}

// a small rigid body at a free plate, cloth or block
static Kept throwAt(int i)
{
    const double edge = 0.1;
    vvWorldId world = makeWorldOf("pbd", (vvVec3){ 0, 0, 0 }, 1);
    vvSoftBodyDef def = undampedDef();
    double height = i % 3 == 0 ? edge : 3 * edge;
    def.mesh = i % 3 == 1 ? vvCreateSheetMesh(4 * edge, 4 * edge, 4, 4)
                          : vvCreateBoxMesh((vvVec3){ 4 * edge, height, 4 * edge }, 4, i % 3 == 0 ? 1 : 3, 4);
    def.material.young = 1e6;
    def.material.thickness = i % 3 == 1 ? 1e-3 : def.material.thickness;
    def.position.y = i % 3 == 1 ? 0 : -height / 2;
    addSoft(world, def);
    Random random = { (uint32_t)i + 1 };
    vvVec3 place = vectorWithin(&random, edge), velocity = vectorWithin(&random, 0.5);
    place.y = 0.06;
    velocity.y = i % 2 ? -2 : -10;
    int kind = i / 3 % 3;
    vvShape *shape = kind == 0   ? sphereShape(edge / 4)
                     : kind == 1 ? boxShape((vvVec3){ 0.04, 0.03, 0.05 })
                                 : capsuleShape(0.01, 0.03);
    vvRigidBodyId body = addRigid(world, shape, place, 0.3);
    CHECK_OK(vvRigidBody_SetVelocity(body, velocity));
    CHECK_OK(vvRigidBody_SetSpin(body, vectorWithin(&random, 5)));
    Kept kept = follow(world, 0.3, 16);
    vvDestroyWorld(world);
    return kept;
}

// Throws 9, 32, 48, 57, 74 and 75 gained 0.2 to 20 times the energy, each by another cause: strain next to contacts,
// points that a ball was to pass and that each took its whole approach, spins of ten radians in a step.
static void throwsGainNothing(void **state)
{
    (void)state;
    static const int known[] = { 9, 23, 32, 48, 57, 74, 75 };
    double exchanged = 0;
    int count = sliceOf(2) == 1 ? 270 : 18;
    for (int i = 0; i < count + 7; ++i)
    {
        int seed = i < 7 ? known[i] : i - 7;
        Kept kept = throwAt(seed);
        CHECK_BELOW(kept.gained, 1e-9);
        CHECK_BELOW(kept.momentum, 1e-9);
        CHECK_BELOW(kept.angular, 1e-2);
        exchanged += kept.exchanged;
    }
    assert_true(exchanged > 0.3 * (count + 7));
}

// cubes against balls, boxes and capsules of a hundredth to a hundred times their mass, in flight and on the ground
static void collisionsGainNothing(void **state)
{
    (void)state;
    int count = sliceOf(2) == 1 ? 60 : 8;
    for (int i = 0; i < count; ++i)
    {
        bool ground = i % 2;
        vvWorldId world = makeWorldOf("pbd", (vvVec3){ 0, ground ? -9.81 : 0, 0 }, 1);
        if (ground)
            addGround(world, 0.5, 0);
        addCollision(world, 100 + (uint32_t)i, i % 4 < 2 ? 10 : 100);
        Kept kept = follow(world, JELLY_MASS, ground ? 60 : 30);
        CHECK_BELOW(kept.gained, 1e-3);
        if (!ground)
        {
            CHECK_BELOW(kept.momentum, 1e-9);
            CHECK_BELOW(kept.angular, 2e-2);
        }
        vvDestroyWorld(world);
    }
}

// What the constraints took is given back: a cloth that a ball falls on throws it up again, but not higher.
static void heldIsGivenBack(void **state)
{
    (void)state;
    vvWorldId world = makeWorldOf("pbd", (vvVec3){ 0, -9.81, 0 }, 1);
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateSheetMesh(0.6, 0.6, 6, 6);
    def.material.thickness = 1e-3;
    def.material.young = 1e6;
    vvSoftBodyId cloth = addSoft(world, def);
    const double *x = vvSoftBody_GetPositions(cloth);
    for (int v = 0; v < vvSoftBody_GetVertexCount(cloth); ++v)
    {
        if (fabs(x[3 * v]) > 0.29 || fabs(x[3 * v + 2]) > 0.29)
            CHECK_OK(vvSoftBody_Pin(cloth, &v, 1));
    }
    vvRigidBodyId ball = addRigid(world, sphereShape(0.08), (vvVec3){ 0, 0.3, 0 }, 0.5);
    double lowest = INFINITY, highest = -INFINITY;
    for (int k = 0; k < 60; ++k)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        double y = vvRigidBody_GetPose(ball).position.y;
        highest = y < lowest ? -INFINITY : fmax(highest, y);
        lowest = fmin(lowest, y);
    }
    assert_true(lowest > -0.4);
    assert_true(highest < 0.3);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(throwsGainNothing), cmocka_unit_test(collisionsGainNothing),
                                        cmocka_unit_test(heldIsGivenBack) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
