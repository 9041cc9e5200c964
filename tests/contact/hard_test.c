// Contact under small steps: hard, with the friction of Coulomb to the last digit, and overlap that leaves at a set
// speed. Two particles on a light rope lie across the slope: each is a point on a plane.
#include "contact/ground.h"
#include "undamped.h"

#define RADIUS 0.005

typedef struct Plane
{
    double friction, restitution, recovery;
    int substeps, iterations;
    vvVec3 gravity;
} Plane;

typedef struct Slide
{
    vvWorldId world;
    vvSoftBodyId rope;
    vvColliderId plane;
} Slide;

static Slide makeSlide(Plane plane, vvVec3 position, vvVec3 velocity)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "small-steps";
    worldDef.substeps = plane.substeps;
    worldDef.iterations = plane.iterations;
    worldDef.settings.smallSteps.recoverySpeed = plane.recovery;
    worldDef.gravity = plane.gravity;
    vvResult result;
    Slide slide = { .world = vvCreateWorld(&worldDef, &result) };
    CHECK_OK(result);
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.shape = VV_MESH_ROPE;
    mesh.size.x = 0.1;
    mesh.cells[0] = 1;
    mesh.rotate = (vvVec3){ 0, 90, 0 };
    vvSoftBodyDef def = undampedDef();
    def.material.thickness = 2 * RADIUS;
    def.material.young = 1e4;
    def.position = (vvVec3){ position.x, position.y + RADIUS, position.z };
    def.velocity = velocity;
    slide.rope = makeBody(slide.world, vvCreateMesh(&mesh, &result), def);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.friction = plane.friction;
    collider.restitution = plane.restitution;
    slide.plane = makeCollider(slide.world, planeShape(), collider);
    return slide;
}

static vvVec3 velocityOf(Slide slide)
{
    const double *v = vvSoftBody_GetVelocities(slide.rope);
    return (vvVec3){ v[0], v[1], v[2] };
}

static vvVec3 tilted(double degrees)
{
    double angle = degrees * 3.14159265358979323846 / 180;
    return (vvVec3){ 9.81 * sin(angle), -9.81 * cos(angle), 0 };
}

// sticks below atan(1/2) = 26.565 degrees and slides above as Coulomb says, longer by 1 + h/T: symplectic Euler's
// excess
static void slopeSticksOrSlides(void **unused)
{
    (void)unused;
    static const double degrees[] = { 26.07, 26.52, 26.62, 27.07, 29.97 };
    for (int i = 0; i < 5; ++i)
    {
        vvVec3 g = tilted(degrees[i]);
        Slide slide = makeSlide((Plane){ .friction = 0.5, .substeps = 20, .gravity = g }, (vvVec3){ 0 }, (vvVec3){ 0 });
        double start = vertexPosition(slide.rope, 0).x;
        for (int n = 0; n < 120; ++n)
            CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
        double way = vertexPosition(slide.rope, 0).x - start, exact = 0.5 * (g.x + 0.5 * g.y) * 4;
        vvLedger ledger = vvWorld_GetLedger(slide.world);
        print_message("%.2f degrees: %.6f m, Coulomb %.6f m\n", degrees[i], way, fmax(exact, 0));
        if (i < 2)
            CHECK_NEAR(way, 0, 1e-9);
        else
        {
            CHECK_NEAR(way / exact, 1 + 1.0 / 1200 / 2, 1e-4);
            // what friction took is its force times the way
            CHECK_CLOSE(ledger.dissipated, -0.5 * g.y * vvSoftBody_GetMass(slide.rope) * way, 2e-3);
        }
        vvDestroyWorld(slide.world);
    }
}

// both ways: v^2 / (2 mu g), short by v h / 2
static void slidesToAStop(void **unused)
{
    (void)unused;
    static const int counts[] = { 1, 10, 100 };
    static const double ways[] = { 0.892575, 0.914931, 0.917181 };
    for (int i = 0; i < 6; ++i)
    {
        double sign = i < 3 ? 1 : -1;
        Plane plane = { .friction = 0.5, .substeps = counts[i % 3], .gravity = { 0, -9.81, 0 } };
        Slide slide = makeSlide(plane, (vvVec3){ 0 }, (vvVec3){ 3 * sign, 0, 0 });
        double start = vertexPosition(slide.rope, 0).x;
        for (int n = 0; n < 60; ++n)
            CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
        CHECK_NEAR(sign * (vertexPosition(slide.rope, 0).x - start), ways[i % 3], 1e-6);
        CHECK_NEAR(velocityOf(slide).x, 0, 1e-12);
        vvDestroyWorld(slide.world);
    }
}

// a point 0.1 m inside leaves at the speed that is set, for every number of substeps
static void overlapLeavesAtItsSpeed(void **unused)
{
    (void)unused;
    static const int counts[] = { 1, 10, 100 };
    static const double speeds[] = { 1, 0.2 };
    for (int i = 0; i < 6; ++i)
    {
        Plane plane = { .substeps = counts[i % 3], .recovery = speeds[i / 3], .gravity = { 0, -9.81, 0 } };
        Slide slide = makeSlide(plane, (vvVec3){ 0, -0.1, 0 }, (vvVec3){ 0 });
        double most = 0;
        for (int n = 0; n < 60; ++n)
        {
            CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
            most = fmax(most, velocityOf(slide).y);
        }
        CHECK_NEAR(most, speeds[i / 3], 1e-6);
        vvDestroyWorld(slide.world);
    }
}

// from 1 m at 30 m/s, half a metre per step: found before it is there, and at rest after
static void fastPointsAreMet(void **unused)
{
    (void)unused;
    Plane plane = { .substeps = 20, .recovery = 1, .gravity = { 0, -9.81, 0 } };
    Slide slide = makeSlide(plane, (vvVec3){ 0, 1, 0 }, (vvVec3){ 0, -30, 0 });
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
        assert_true(vertexPosition(slide.rope, 0).y > RADIUS - 1e-9);
    }
    CHECK_NEAR(vertexPosition(slide.rope, 0).y, RADIUS, 1e-9);
    CHECK_NEAR(velocityOf(slide).y, 0, 1e-9);
    // restitution 0: the blow took all there was
    vvLedger ledger = vvWorld_GetLedger(slide.world);
    CHECK_CLOSE(ledger.dissipated, vvSoftBody_GetMass(slide.rope) * (450 + 9.81), 0.01);
    vvDestroyWorld(slide.world);
}

// leaves with the share of the speed of approach
static void reboundsByItsShare(void **unused)
{
    (void)unused;
    static const double shares[] = { 0.25, 0.5, 1 };
    for (int i = 0; i < 3; ++i)
    {
        Plane plane = { .restitution = shares[i], .substeps = 20, .recovery = 1 };
        Slide slide = makeSlide(plane, (vvVec3){ 0, 0.05, 0 }, (vvVec3){ 0, -2, 0 });
        for (int n = 0; n < 6; ++n)
            CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
        CHECK_NEAR(velocityOf(slide).y, 2 * shares[i], 1e-9);
        vvLedger ledger = vvWorld_GetLedger(slide.world);
        CHECK_NEAR(ledger.numerical, 0, 1e-9);
        vvDestroyWorld(slide.world);
    }
}

// on a belt at 1 m/s a body speeds up by mu g and then goes along; the belt pays for both, half becomes heat
static void beltDragsAlong(void **unused)
{
    (void)unused;
    Plane plane = { .friction = 0.5, .substeps = 50, .recovery = 1, .gravity = { 0, -9.81, 0 } };
    Slide slide = makeSlide(plane, (vvVec3){ 0 }, (vvVec3){ 0 });
    double mass = vvSoftBody_GetMass(slide.rope);
    for (int n = 0; n < 30; ++n)
    {
        CHECK_OK(vvCollider_MoveTo(slide.plane, (vvVec3){ (n + 1) / 60.0, 0, 0 }, (vvQuat){ 1, 0, 0, 0 }));
        CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
        if (n == 5) // 0.1 s
            CHECK_CLOSE(velocityOf(slide).x, 0.5 * 9.81 * 0.1, 1e-6);
    }
    CHECK_NEAR(velocityOf(slide).x, 1, 1e-9);
    vvLedger ledger = vvWorld_GetLedger(slide.world);
    CHECK_CLOSE(ledger.added, mass, 0.01);
    CHECK_CLOSE(ledger.dissipated, 0.5 * mass, 0.02);
    CHECK_CLOSE(ledger.kinetic, 0.5 * mass, 1e-6);
    vvDestroyWorld(slide.world);
}

// at rest the forces of contact carry the weight
static void contactsCarryTheWeight(void **unused)
{
    (void)unused;
    Plane plane = { .friction = 0.5, .substeps = 20, .recovery = 1, .gravity = { 1, -9.81, 0 } };
    Slide slide = makeSlide(plane, (vvVec3){ 0 }, (vvVec3){ 0 });
    for (int n = 0; n < 20; ++n)
        CHECK_OK(vvWorld_Step(slide.world, 1.0 / 60));
    vvContact contacts[4];
    assert_int_equal(vvWorld_GetContacts(slide.world, contacts, 4), 2);
    double mass = vvSoftBody_GetMass(slide.rope);
    CHECK_CLOSE(contacts[0].force.y + contacts[1].force.y, 9.81 * mass, 1e-6);
    CHECK_CLOSE(contacts[0].force.x + contacts[1].force.x, -mass, 1e-6);
    vvDestroyWorld(slide.world);
}

// ---- soft bodies: what rests does not rebound, whatever the matter behind it presses with ---------------------------

static vvWorldId makeOnPlane(vvSoftBodyId *body, vvVec3 gravity, double friction, double restitution, bool wheel)
{
    vvWorldId world = makeWorld("small-steps", gravity);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.friction = friction;
    collider.restitution = restitution;
    makeCollider(world, planeShape(), collider);
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.shape = wheel ? VV_MESH_CYLINDER : VV_MESH_BOX;
    mesh.size = wheel ? (vvVec3){ 0.4, 0.15, 0.15 } : (vvVec3){ 0.3, 0.15, 0.2 };
    mesh.cells[0] = 4;
    mesh.cells[1] = mesh.cells[2] = 2;
    mesh.rotate = (vvVec3){ wheel ? 90 : 0, 0, 0 };
    vvResult result;
    vvSoftBodyDef def = elasticDef(1000, wheel ? 1e5 : 5e5, 0.3);
    def.position = (vvVec3){ 0, wheel ? 0.2 : 0.075, 0 };
    *body = makeBody(world, vvCreateMesh(&mesh, &result), def);
    return world;
}

static double centreOf(vvSoftBodyId body)
{
    double sum = 0;
    int count = vvSoftBody_GetVertexCount(body);
    for (int v = 0; v < count; ++v)
        sum += vertexPosition(body, v).x / count;
    return sum;
}

static void blocksStickForAnyRestitution(void **unused)
{
    (void)unused;
    for (double restitution = 0; restitution <= 1; restitution += 0.5)
    {
        vvSoftBodyId body;
        vvWorldId world = makeOnPlane(&body, tilted(20), 0.5, restitution, false); // tan 20 = 0.36
        for (int n = 0; n < 90; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        CHECK_NEAR(centreOf(body), 0, 0.01); // it leans, and comes to rest from where it was put
        vvDestroyWorld(world);
    }
}

// of what gravity does a rolling wheel loses little, and never more than there was
static void blowsAreBookedAsTheyAre(void **unused)
{
    (void)unused;
    for (double restitution = 0; restitution <= 1; restitution += 0.5)
    {
        vvSoftBodyId body;
        vvWorldId world = makeOnPlane(&body, tilted(10), 0.8, restitution, true);
        vvLedger before = vvWorld_GetLedger(world);
        for (int n = 0; n < 90; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger after = vvWorld_GetLedger(world);
        double work = before.gravity - after.gravity;
        assert_true(work > 20);
        assert_true(after.dissipated >= 0 && after.dissipated < 0.1 * work);
        assert_true(after.numerical < 0.01 * work && after.numerical > -0.2 * work);
        vvDestroyWorld(world);
    }
}

// ---- between bodies -------------------------------------------------------------------------------------------------

// a damped cube on a slab of which all vertices are pinned, `up` m above it; friction 0.5 on both
static vvWorldId cubeOnSlab(double degrees, double up, vvSoftBodyId *cube)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "small-steps";
    worldDef.softContact = true;
    worldDef.gravity = tilted(degrees);
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.friction = 0.5;
    def.damping.stiffness = 2e-3;
    def.position = (vvVec3){ 0.4, -0.1, 0 };
    vvSoftBodyId slab = makeBody(world, vvCreateBoxMesh((vvVec3){ 2, 0.2, 0.8 }, 7, 1, 3), def);
    for (int v = 0; v < vvSoftBody_GetVertexCount(slab); ++v)
        CHECK_OK(vvSoftBody_Pin(slab, &v, 1));
    def.position = (vvVec3){ 0, 0.1 + up, 0 };
    *cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
    return world;
}

// a cube that lands stays down, holds on a slope of 20 degrees and slides on one of 30 as Coulomb says; what is booked
// is what was lost
static void bodiesHoldEachOther(void **unused)
{
    (void)unused;
    static const double degrees[] = { 0, 20, 30 };
    for (int k = 0; k < 3; ++k)
    {
        vvSoftBodyId cube;
        vvWorldId world = cubeOnSlab(degrees[k], k ? 0.002 : 0.05, &cube);
        double mass = vvSoftBody_GetMass(cube), start = vvWorld_GetLedger(world).total, highest = 0, before = 0,
               speed = 0;
        vvVec3 g = tilted(degrees[k]);
        for (int n = 0; n < 60; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            if (n == 29)
            {
                before = massCentre(cube).x;
                speed = meanVelocity(cube).x;
            }
            highest = n < 30 ? highest : fmax(highest, meanVelocity(cube).y);
        }
        double way = massCentre(cube).x - before;
        vvLedger ledger = vvWorld_GetLedger(world);
        double lost = start + ledger.added - ledger.total;
        print_message("%.0f degrees: %.2e m in half a second, rises at %.1e m/s, lost %.4f J, booked %.4f J\n",
                      degrees[k], way, highest, lost, ledger.dissipated);
        if (k < 2)
        {
            CHECK_BELOW(fabs(way), 2e-4);
            CHECK_BELOW(vvWorld_GetLedger(world).kinetic, 1e-4 * mass * 9.81 * 0.05);
        }
        else
            CHECK_CLOSE((meanVelocity(cube).x - speed) / 0.5, g.x + 0.5 * g.y, 0.01);
        CHECK_BELOW(highest, 2e-3);
        CHECK_CLOSE(ledger.dissipated, lost, 0.1);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopeSticksOrSlides),     cmocka_unit_test(slidesToAStop),
        cmocka_unit_test(overlapLeavesAtItsSpeed), cmocka_unit_test(fastPointsAreMet),
        cmocka_unit_test(reboundsByItsShare),      cmocka_unit_test(beltDragsAlong),
        cmocka_unit_test(contactsCarryTheWeight),  cmocka_unit_test(blocksStickForAnyRestitution),
        cmocka_unit_test(blowsAreBookedAsTheyAre), cmocka_unit_test(bodiesHoldEachOther),
    };
    return cmocka_run_group_tests_name("hard", tests, NULL, NULL);
}
