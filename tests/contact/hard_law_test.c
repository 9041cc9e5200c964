// The hard law of contact: unilateral contact with Coulomb friction inside the substeps of small-midpoint. Cubes of 0.4
// m on a plane against textbook numbers and against runs in far more substeps; every contact solve is audited for the
// energy it adds.
#include "contact/ground.h"
#include "world/world.h"

#define GRAVITY 9.81
#define SIDE 0.4
#define MU 0.5
#define DEGREE (3.14159265358979323846 / 180)
#define H (1.0 / 60)

typedef struct Cube
{
    vvWorldId world;
    vvSoftBodyId body;
    double energy;  // J, M g of a metre: scale
    double least;   // m, lowest vertex so far
    double highest; // J, total at most, above that at the start
    double start;   // J, total
} Cube;

typedef struct CubeDef
{
    double young, damping, friction, restitution;
    double drop, tilt;     // m, degrees about z
    double degrees, speed; // of the slope: gravity leans; m/s along x
    int substeps;
    double rolling, spin; // rolling friction, 0: the default, below: none; 1/s about y
} CubeDef;

static vvMesh *cubeMesh(double tilt)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.size = (vvVec3){ SIDE, SIDE, SIDE };
    def.rotate.z = tilt;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

static Cube makeCube(CubeDef how)
{
    double a = how.degrees * DEGREE, t = how.tilt * DEGREE;
    vvWorldDef world = vvDefaultWorldDef();
    world.gravity = (vvVec3){ GRAVITY * sin(a), -GRAVITY * cos(a), 0 };
    world.substeps = how.substeps;
    if (how.rolling != 0)
        world.settings.smallMidpoint.rollingFriction = fmax(how.rolling, 0);
    vvResult result;
    Cube cube = { .world = vvCreateWorld(&world, &result) };
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, how.young, 0.3);
    def.damping.stiffness = how.damping;
    def.position.y = how.drop + 0.5 * SIDE * (cos(t) + sin(t));
    def.velocity.x = how.speed;
    def.spin.y = how.spin;
    cube.body = makeBody(cube.world, cubeMesh(how.tilt), def);
    vvColliderDef plane = vvDefaultColliderDef();
    plane.friction = how.friction;
    plane.restitution = how.restitution;
    makeCollider(cube.world, planeShape(), plane);
    cube.energy = 1000 * SIDE * SIDE * SIDE * GRAVITY;
    cube.start = vvWorld_GetLedger(cube.world).total;
    return cube;
}

// no solve of a substep may add more than rounding
static void stepCube(Cube *cube)
{
    CHECK_OK(vvWorld_Step(cube->world, H));
    vvLedger ledger = vvWorld_GetLedger(cube->world);
    const World *world = worldFind(cube->world);
    CHECK_BELOW(world->system[0].contacts.gain, 1e-12 * (fabs(ledger.gravity) + ledger.kinetic + ledger.elastic));
    cube->highest = fmax(cube->highest, ledger.total - cube->start);
    const double *x = vvSoftBody_GetPositions(cube->body);
    for (int v = 0; v < vvSoftBody_GetVertexCount(cube->body); ++v)
        cube->least = fmin(cube->least, x[3 * v + 1]);
}

static void waitCube(Cube *cube, double seconds)
{
    for (int n = 0; n < (int)(seconds / H + 0.5); ++n)
        stepCube(cube);
}

static double rmsVelocity(const Cube *cube)
{
    return sqrt(2 * vvWorld_GetLedger(cube->world).kinetic / (cube->energy / GRAVITY));
}

// ---- rebound --------------------------------------------------------------------------------------------------------

static double firstApex(CubeDef how)
{
    Cube cube = makeCube(how);
    double before = 0, apex = 0;
    for (int n = 0; n < 120 && apex == 0; ++n)
    {
        stepCube(&cube);
        double speed = meanVelocity(cube.body).y;
        if (before > 0 && speed <= 0)
            apex = (massCentre(cube.body).y - 0.5 * SIDE) / how.drop;
        before = speed;
    }
    CHECK_BELOW(cube.highest, 1e-9 * cube.energy);
    CHECK_BELOW(-1e-3, cube.least);
    vvDestroyWorld(cube.world);
    return apex;
}

// what touches stops, and the rest of the body returns
static void rebounds_tend_to_those_of_short_substeps(void **state)
{
    (void)state;
    static const struct
    {
        double young, apex;
    } rows[] = { { 1e5, 0.580 }, { 1e6, 0.577 }, { 1e7, 0.577 } }; // in 96 substeps a frame
    for (int k = 0; k < 3; ++k)
    {
        CubeDef how = { .young = rows[k].young, .drop = 1 };
        double apex = firstApex(how);
        print_message("%g Pa: first apex %.3f of the drop\n", how.young, apex);
        CHECK_NEAR(apex, rows[k].apex, 0.05);
    }
}

// nothing is gained from 1e5 to 1e7 Pa, flat and tilted, however often it hits
static void bouncing_never_gains(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
    {
        CubeDef how = { .young = k / 2 == 0   ? 1e5
                                 : k / 2 == 1 ? 1e6
                                              : 1e7,
                        .drop = 1,
                        .tilt = k % 2 ? 20 : 0,
                        .friction = MU };
        Cube cube = makeCube(how);
        waitCube(&cube, 3);
        CHECK_BELOW(cube.highest, 1e-9 * cube.energy);
        CHECK_BELOW(-1e-3, cube.least);
        CHECK_NEAR(vvWorld_GetLedger(cube.world).numerical, 0, 0.05 * cube.energy);
        vvDestroyWorld(cube.world);
    }
}

// ---- friction -------------------------------------------------------------------------------------------------------

static Cube slopeCube(double young, double degrees, double speed)
{
    return makeCube((CubeDef){ .young = young, .damping = 7e-4, .friction = MU, .degrees = degrees, .speed = speed });
}

static void rests_on_gentle_slopes(void **state)
{
    (void)state;
    static const double degrees[] = { 20, 26.2 };
    for (int k = 0; k < 2; ++k)
    {
        Cube cube = slopeCube(1e6, degrees[k], 0);
        waitCube(&cube, 4);
        double before = massCentre(cube.body).x;
        waitCube(&cube, 1);
        CHECK_NEAR(massCentre(cube.body).x, before, 5e-6);
        CHECK_BELOW(rmsVelocity(&cube), 1e-4);
        vvDestroyWorld(cube.world);
    }
}

static void slides_as_coulomb_says(void **state)
{
    (void)state;
    static const double young[] = { 1e6, 1e5 }, near[] = { 0.01, 0.03 };
    for (int k = 0; k < 2; ++k)
    {
        Cube cube = slopeCube(young[k], 27, 0);
        waitCube(&cube, 3);
        double before = meanVelocity(cube.body).x;
        waitCube(&cube, 4);
        double found = (meanVelocity(cube.body).x - before) / 4;
        CHECK_CLOSE(found, GRAVITY * (sin(27 * DEGREE) - MU * cos(27 * DEGREE)), near[k]);
        vvDestroyWorld(cube.world);
        cube = slopeCube(young[k], 0, 3);
        before = massCentre(cube.body).x;
        waitCube(&cube, 1.5);
        CHECK_CLOSE(massCentre(cube.body).x - before, 9 / (2 * MU * GRAVITY), near[k]);
        CHECK_NEAR(vvWorld_GetLedger(cube.world).numerical, 0, 1e-3 * cube.energy);
        vvDestroyWorld(cube.world);
    }
}

// a damped body that was dropped comes to rest, and forces are its weight
static void comes_to_rest(void **state)
{
    (void)state;
    Cube cube = makeCube((CubeDef){ .young = 1e6, .damping = 7e-4, .friction = MU, .drop = 0.05 });
    waitCube(&cube, 5);
    CHECK_BELOW(rmsVelocity(&cube), 2e-6); // it rocks slowly, by 1e-6 m/s at most by then
    vvContact contacts[64];
    int count = vvWorld_GetContacts(cube.world, contacts, 64);
    assert_int_equal(count, 25);
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += contacts[i].force.y;
    CHECK_CLOSE(sum, cube.energy, 1e-4);
    vvDestroyWorld(cube.world);
}

// the law u' = -e u keeps the energy of what hits for e = 1
static void restitution_takes_nothing_at_one(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        Cube cube = makeCube((CubeDef){ .young = k ? 1e6 : 1e5, .drop = 1, .restitution = 1 });
        waitCube(&cube, 2);
        vvLedger ledger = vvWorld_GetLedger(cube.world);
        CHECK_BELOW(cube.highest, 0.02 * cube.energy);
        CHECK_BELOW(ledger.dissipated, 0.5 * cube.energy);
        vvDestroyWorld(cube.world);
    }
}

// ---- colliders that move --------------------------------------------------------------------------------------------

// A belt takes along what lies on it, and its work is kinetic energy and as much heat; a lift gives its load height.
static void moving_colliders_do_work(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -GRAVITY, 0 });
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
        def.damping.stiffness = 1e-3;
        def.position.y = 0.5 * SIDE;
        vvSoftBodyId body = makeBody(world, cubeMesh(0), def);
        vvColliderDef floor = vvDefaultColliderDef();
        floor.position.y = -0.1;
        vvColliderId collider = makeCollider(world, boxShape(4, 0.2, 4), floor);
        double mass = 1000 * SIDE * SIDE * SIDE, speed = k ? 0.3 : 0.5;
        for (int n = 1; n <= 120; ++n)
        {
            vvVec3 to = { k ? 0 : speed * n * H, k ? speed * n * H - 0.1 : -0.1, 0 };
            CHECK_OK(vvCollider_MoveTo(collider, to, (vvQuat){ 1, 0, 0, 0 }));
            CHECK_OK(vvWorld_Step(world, H));
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        vvVec3 velocity = meanVelocity(body);
        CHECK_NEAR(k ? velocity.y : velocity.x, speed, 0.01);
        double kinetic = 0.5 * mass * speed * speed;
        CHECK_CLOSE(ledger.added, k ? mass * GRAVITY * speed * 2 + kinetic : 2 * kinetic, k ? 0.02 : 0.05);
        CHECK_NEAR(ledger.numerical, 0, 0.01 * ledger.added);
        vvDestroyWorld(world);
    }
}

// ---- rolling friction -----------------------------------------------------------------------------------------------

// a cube that lands on an edge rocks, its base held by friction: of a loss factor of 0.04 at the cube's own wave little
// is left at such a slow motion, and without rolling friction it still rocks after 6 s
static void rocking_comes_to_rest(void **state)
{
    (void)state;
    double fastest[2] = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        Cube cube = makeCube((CubeDef){
            .young = 1e6, .damping = 1.6e-4, .friction = MU, .drop = 0.02, .tilt = 5, .rolling = k == 0 ? 0 : -1 });
        waitCube(&cube, 6);
        for (int n = 0; n < 30; ++n)
        {
            stepCube(&cube);
            fastest[k] = fmax(fastest[k], rmsVelocity(&cube));
        }
        CHECK_BELOW(cube.highest, 1e-9 * cube.energy);
        CHECK_BELOW(fabs(vvWorld_GetLedger(cube.world).numerical), 1e-4 * cube.energy);
        vvDestroyWorld(cube.world);
    }
    CHECK_BELOW(fastest[0], 1e-4);
    CHECK_BELOW(1e-3, fastest[1]); // else this shows nothing
}

// A soft cube of that loss bounces on where it stands at 3 Hz, its contacts closed. What presses resists that as well,
// by a force that bouncing does not change: the velocity falls by (2 / pi) share g = 0.031 m/s in a second.
static void bouncing_in_place_comes_to_rest(void **state)
{
    (void)state;
    double left[2][2];
    for (int k = 0; k < 2; ++k)
    {
        Cube cube = makeCube((CubeDef){ .young = 1e5, .damping = 5e-4, .friction = MU, .rolling = k == 0 ? 0 : -1 });
        double most[2] = { 0 };
        for (int n = 0; n < 360; ++n)
        {
            stepCube(&cube);
            if (n < 60 || n >= 330)
                most[n >= 330] = fmax(most[n >= 330], rmsVelocity(&cube));
        }
        left[k][0] = most[0];
        left[k][1] = most[1];
        CHECK_BELOW(cube.highest, 1e-9 * cube.energy);
        CHECK_BELOW(fabs(vvWorld_GetLedger(cube.world).numerical), 1e-4 * cube.energy);
        vvDestroyWorld(cube.world);
    }
    print_message("bouncing in place: %.2g to %.2g m/s, %.2g to %.2g without\n", left[0][0], left[0][1], left[1][0],
                  left[1][1]);
    CHECK_BELOW(left[0][1], 1e-4);
    CHECK_BELOW(1e-3, left[1][1]); // else this shows nothing
}

// on ice a cube turns about its axis against a moment of share x lever x weight, and stops
static void rolling_friction_slows_a_spin(void **state)
{
    (void)state;
    Cube cube = makeCube((CubeDef){ .young = 1e6, .damping = 2e-3, .rolling = 0.05, .spin = 3 });
    double mass = cube.energy / GRAVITY, inertia = vvWorld_GetLedger(cube.world).angularMomentum.y / 3;
    waitCube(&cube, 0.25);
    vvLedger first = vvWorld_GetLedger(cube.world);
    waitCube(&cube, 0.25);
    vvLedger last = vvWorld_GetLedger(cube.world);
    double moment = 0.05 * sqrt(1.5 * inertia / mass) * mass * GRAVITY, lost = moment * 0.25;
    double mean = 0.5 * (first.angularMomentum.y + last.angularMomentum.y) / inertia;
    CHECK_NEAR(first.angularMomentum.y - last.angularMomentum.y, lost, 0.01 * lost);
    CHECK_NEAR(last.dissipated - first.dissipated, lost * mean, 0.02 * lost * mean);
    waitCube(&cube, 0.75);
    CHECK_NEAR(vvWorld_GetLedger(cube.world).angularMomentum.y, 0, 1e-6 * inertia);
    vvDestroyWorld(cube.world);
}

// ---- pins -----------------------------------------------------------------------------------------------------------

// a hand that holds the top of a cube presses it against the ground: pins keep their places, and books close
static void pinned_bodies_are_pressed(void **state)
{
    (void)state;
    Cube cube = makeCube((CubeDef){ .young = 1e5, .damping = 1e-3, .friction = MU });
    int top[25], count = 0;
    const double *x = vvSoftBody_GetPositions(cube.body);
    for (int v = 0; v < vvSoftBody_GetVertexCount(cube.body); ++v)
    {
        if (x[3 * v + 1] > SIDE - 1e-9 && count < 25)
            top[count++] = v;
    }
    assert_int_equal(count, 25);
    CHECK_OK(vvSoftBody_Pin(cube.body, top, count));
    for (int n = 1; n <= 60; ++n)
    {
        for (int i = 0; i < count; ++i)
        {
            vvVec3 to = vertexPosition(cube.body, top[i]);
            to.y -= 0.001;
            CHECK_OK(vvSoftBody_MovePin(cube.body, top[i], to));
        }
        stepCube(&cube);
    }
    vvLedger ledger = vvWorld_GetLedger(cube.world);
    CHECK_NEAR(vertexPosition(cube.body, top[0]).y, SIDE - 0.06, 1e-9);
    CHECK_BELOW(-1e-5, cube.least);
    CHECK_BELOW(50, ledger.elastic); // J: 1e5 Pa x 0.16 m^2 x (0.06 m)^2 / (2 x 0.4 m), and more by Poisson's ratio
    CHECK_NEAR(ledger.numerical, 0, 0.01 * ledger.elastic);
    vvDestroyWorld(cube.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rebounds_tend_to_those_of_short_substeps),
        cmocka_unit_test(bouncing_never_gains),
        cmocka_unit_test(rests_on_gentle_slopes),
        cmocka_unit_test(slides_as_coulomb_says),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(rocking_comes_to_rest),
        cmocka_unit_test(bouncing_in_place_comes_to_rest),
        cmocka_unit_test(rolling_friction_slows_a_spin),
        cmocka_unit_test(restitution_takes_nothing_at_one),
        cmocka_unit_test(moving_colliders_do_work),
        cmocka_unit_test(pinned_bodies_are_pressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
