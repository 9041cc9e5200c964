// Rods bend and twist as Kirchhoff's theory says, from Young's modulus, Poisson's ratio and radius alone.
#include "world/rods.h"

static const RodCase base = { 1e7, 0.3, 1000, 0.005, 0.5, 20 };

// ---- straight at rest -----------------------------------------------------------------------------------------------

// The tip under a small load across it: P L^3 / 3 E I, with the clamp in the middle of the pinned segment. Radius,
// modulus, length, and the number of segments by whose square the error falls.
static void cantileverBendsAsABeam(void **unused)
{
    (void)unused;
    static const RodCase cases[] = {
        { 1e7, 0.3, 1000, 0.005, 0.5, 10 }, { 1e7, 0.3, 1000, 0.005, 0.5, 40 }, { 2e11, 0.3, 7800, 0.001, 0.3, 20 },
        { 1e5, 0.45, 900, 0.01, 0.2, 20 },  { 5e9, 0, 1300, 4e-5, 0.1, 20 },    { 1e7, 0.3, 1000, 0.02, 3, 20 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    {
        const RodCase *rod = &cases[k];
        double length = rod->length * (1 - 0.5 / rod->segments), load = 3e-4 * rodBending(rod) / (length * length);
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, rod, NULL);
        clampSegment(body, rod, 0);
        CHECK_OK(vvSoftBody_SetForce(body, rod->segments, (vvVec3){ 0, 0, load }));
        settle(world, rod, 12);
        double bent = vertexPosition(body, rod->segments).z / (load * pow(length, 3) / (3 * rodBending(rod)));
        CHECK_CLOSE(bent, 1, rod->segments == 10 ? 0.005 : 0.002);
        vvDestroyWorld(world);
    }
}

// far bent: Euler's elastica
static void cantileverIsAnElastica(void **unused)
{
    (void)unused;
    static const double loads[] = { 1, 5 };
    RodCase rod = base;
    rod.segments = 16;
    for (int k = 0; k < 2; ++k)
    {
        double length = rod.length * (1 - 0.5 / rod.segments), start = rod.length - length;
        Tip tip = elasticaTip(loads[k]);
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        clampSegment(body, &rod, 0);
        CHECK_OK(
            vvSoftBody_SetForce(body, rod.segments, (vvVec3){ 0, loads[k] * rodBending(&rod) / (length * length), 0 }));
        settle(world, &rod, 10);
        vvVec3 end = vertexPosition(body, rod.segments);
        CHECK_NEAR((end.x - start) / length, tip.along, 0.005);
        CHECK_NEAR(end.y / length, tip.across, 0.005);
        vvDestroyWorld(world);
    }
}

// a torque at the end turns it by T L / G J
static void twistIsThatOfARoundBar(void **unused)
{
    (void)unused;
    static const double poissons[] = { 0, 0.3, 0.49 };
    for (int k = 0; k < 3; ++k)
    {
        RodCase rod = base;
        rod.poisson = poissons[k];
        double segment = rod.length / rod.segments, torque = 0.5 * rodTwisting(&rod) / rod.length;
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        clampSegment(body, &rod, 0);
        int axis[21];
        for (int v = 0; v <= rod.segments; ++v)
            axis[v] = v;
        CHECK_OK(vvSoftBody_Pin(body, axis, rod.segments + 1));
        // the end of the lever goes around: its force is turned after it
        int last = sideOf(&rod, rod.segments - 1);
        for (int n = 0; n < 12; ++n)
        {
            vvVec3 at = vertexPosition(body, last);
            double square = at.y * at.y + at.z * at.z;
            CHECK_OK(vvSoftBody_SetForce(body, last, (vvVec3){ 0, -torque * at.z / square, torque * at.y / square }));
            settle(world, &rod, 1);
        }
        vvVec3 at = vertexPosition(body, last);
        CHECK_CLOSE(atan2(at.z, at.y), torque * (rod.length - segment) / rodTwisting(&rod), 1e-3);
        vvDestroyWorld(world);
    }
}

// Frequencies of the model, and of the default method at its usual step.
static void frequenciesAreThoseOfABeam(void **unused)
{
    (void)unused;
    RodCase rod = base;
    double length = rod.length * (1 - 0.5 / rod.segments),
           speed = sqrt(rod.young / (2 * (1 + rod.poisson) * rod.density));
    vvExamination seen;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeRod(world, &rod, NULL);
    clampSegment(body, &rod, 0);
    CHECK_OK(vvSoftBody_Examine(body, &seen));
    CHECK_CLOSE(seen.lowestFrequency, cantileverFrequency(&rod, length), 0.002);

    // let go from the bend of a load at its end: a quarter of a period to the middle
    double velocity[3 * 41] = { 0 }, time = 0, before = 0;
    for (int v = 2; v <= 2 * rod.segments; ++v)
    {
        double x = (vertexPosition(body, v).x - rod.length + length) / length;
        velocity[3 * v + 2] = v == sideOf(&rod, 0) ? 0 : 0.01 * x * x * (3 - x);
    }
    CHECK_OK(vvSoftBody_SetVelocities(body, velocity));
    int crossings = 0;
    while (crossings < 4)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        time += 1.0 / 60;
        double now = vertexPosition(body, rod.segments).z;
        crossings += before * now < 0;
        if (crossings == 4)
            time -= now / (now - before) / 60;
        before = now;
        assert_true(time < 10);
    }
    CHECK_CLOSE(4 * PI / time, cantileverFrequency(&rod, length), 0.02);
    vvDestroyWorld(world);

    world = makeStillWorld();
    body = makeRod(world, &rod, NULL);
    int axis[22];
    for (int v = 0; v < 22; ++v)
        axis[v] = v;
    CHECK_OK(vvSoftBody_Pin(body, axis, 22));
    CHECK_OK(vvSoftBody_Examine(body, &seen));
    CHECK_CLOSE(seen.lowestFrequency, PI / 2 * speed / length, 0.002);
    vvDestroyWorld(world);
}

// ---- curved at rest -------------------------------------------------------------------------------------------------

// A quarter of a circle, loaded across its plane at the end: P R^3 (pi/4 / E I + (3 pi/4 - 2) / G J); in its plane
// along its end: P R^3 (3 pi/4 - 2) / E I (Castigliano).
static void bowBendsAndTwists(void **unused)
{
    (void)unused;
    RodCase rod = base;
    rod.segments = 40;
    rod.length = 0.5;
    // the clamp is half a segment behind the quarter
    double radius = rod.length * (1 - 0.5 / rod.segments) / (PI / 2), step = PI / 2 / (rod.segments - 0.5);
    double points[3 * 41], chord = 2 * radius * tan(step / 2);
    for (int v = 0; v <= rod.segments; ++v)
    {
        double angle = (v - 0.5) * step;
        points[3 * v] = radius * sin(angle);
        points[3 * v + 1] = radius * (1 - cos(angle));
        points[3 * v + 2] = 0;
    }
    rod.length = rod.segments * chord;
    for (int across = 0; across < 2; ++across)
    {
        double load = 1e-3 * rodBending(&rod) / (radius * radius), cube = load * pow(radius, 3);
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, &rod, points);
        settle(world, &rod, 2);
        CHECK_NEAR(vertexPosition(body, rod.segments).y, points[3 * rod.segments + 1], 1e-12); // at rest it is at rest
        clampSegment(body, &rod, 0);
        CHECK_OK(vvSoftBody_SetForce(body, rod.segments, (vvVec3){ 0, across ? 0 : load, across ? load : 0 }));
        settle(world, &rod, 10);
        vvVec3 end = vertexPosition(body, rod.segments);
        if (across)
            CHECK_CLOSE(end.z, cube * (PI / 4 / rodBending(&rod) + (3 * PI / 4 - 2) / rodTwisting(&rod)), 0.005);
        else
            CHECK_CLOSE(end.y - points[3 * rod.segments + 1], cube * (3 * PI / 4 - 2) / rodBending(&rod), 0.005);
        vvDestroyWorld(world);
    }
}

// a close-coiled spring: G d^4 / 8 D^3 n
static void coilIsASpring(void **unused)
{
    (void)unused;
    int turns = 4, around = 24, segments = turns * around;
    RodCase rod = { 1e9, 0.3, 1200, 0.001, 0, segments };
    double points[3 * 97], radius = 0.02, rise = 0.005;
    for (int v = 0; v <= segments; ++v)
    {
        double angle = 2 * PI * v / around;
        points[3 * v] = radius * cos(angle);
        points[3 * v + 1] = rise * v / around;
        points[3 * v + 2] = radius * sin(angle);
    }
    rod.length = 2 * PI * radius * turns;
    double stiffness = rod.young / (2 * (1 + rod.poisson)) * pow(2 * rod.radius, 4) / (8 * pow(2 * radius, 3) * turns);
    vvWorldId world = makeStillWorld();
    vvSoftBodyId body = makeRod(world, &rod, points);
    clampSegment(body, &rod, 0);
    // the other end is led along the axis of the coil, as a spring between plates is, and pulled by 1 mm
    clampSegment(body, &rod, segments - 1);
    int pins[3] = { segments - 1, segments, sideOf(&rod, segments - 1) };
    for (int k = 0; k < 3; ++k)
    {
        vvVec3 at = vertexPosition(body, pins[k]);
        at.y += 1e-3;
        CHECK_OK(vvSoftBody_MovePin(body, pins[k], at));
    }
    settle(world, &rod, 20);
    double forces[3 * 193], pull = 0;
    CHECK_OK(vvSoftBody_CopyConstraintForces(body, forces));
    for (int k = 0; k < 3; ++k)
        pull += forces[3 * pins[k] + 1];
    CHECK_CLOSE(pull / 1e-3, stiffness * turns / (turns - 1.0 / around), 0.05);
    vvDestroyWorld(world);
}

// ---- twist that buckles ---------------------------------------------------------------------------------------------

// how far vertices of a rod that was straight are from its line
static double bulge(vvSoftBodyId body, const RodCase *rod)
{
    double most = 0;
    for (int v = 0; v <= rod->segments; ++v)
    {
        vvVec3 at = vertexPosition(body, v);
        most = maxReal(most, sqrt(at.y * at.y + at.z * at.z));
    }
    return most;
}

// turns the vertex beside the last segment to an angle about the x axis through a point
static void turnLast(vvSoftBodyId body, const RodCase *rod, double angle)
{
    int last = sideOf(rod, rod->segments - 1);
    vvVec3 at = vertexPosition(body, last), end = vertexPosition(body, rod->segments);
    double distance = rod->length / rod->segments;
    at.y = end.y + distance * cos(angle);
    at.z = end.z + distance * sin(angle);
    CHECK_OK(vvSoftBody_MovePin(body, last, at));
}

// A straight rod between clamps buckles at the moment 8.987 B / L (Greenhill 1883; tan u = u), an angle that does not
// depend on the modulus: 8.987 B / C.
static void twistedRodBuckles(void **unused)
{
    (void)unused;
    RodCase rod = base;
    rod.segments = 24;
    for (int above = 0; above < 2; ++above)
    {
        double free = rod.segments - 1;
        double critical = 8.98682 * rodBending(&rod) / rodTwisting(&rod);
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        clampSegment(body, &rod, 0);
        clampSegment(body, &rod, rod.segments - 1);
        // all frames in line with the twist: turned by the same angle from each to the next
        double angle = (above ? 1.04 : 0.96) * critical, x[3 * 49];
        for (int n = 1; n <= 20; ++n)
        {
            turnLast(body, &rod, angle * n / 20);
            settle(world, &rod, 1);
        }
        for (int v = 0; v < 49; ++v)
        {
            vvVec3 at = vertexPosition(body, v);
            double s = minReal(maxReal((at.x / rod.length * rod.segments - 0.5) / free, 0), 1);
            double push = 1e-4 * rod.length * sin(PI * s) * sin(PI * s);
            x[3 * v] = at.x;
            x[3 * v + 1] = at.y + push * cos(angle * s);
            x[3 * v + 2] = at.z + push * sin(angle * s);
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        settle(world, &rod, 40);
        if (above)
            assert_true(bulge(body, &rod) > 2e-3 * rod.length);
        else
            CHECK_BELOW(bulge(body, &rod), 3e-5 * rod.length);
        vvDestroyWorld(world);
    }
}

// A rod bent to a ring, its ends joined after a turn by an angle, stays flat below 2 pi sqrt(3) B / C and leaves its
// plane above (Michell 1889, Zajac 1962). The last segment is where the first is.
static void twistedRingLeavesItsPlane(void **unused)
{
    (void)unused;
    RodCase rod = base;
    rod.segments = 21;
    int ring = rod.segments - 1;
    double step = 2 * PI / ring, chord = rod.length / rod.segments, radius = chord / 2 / sin(step / 2);
    for (int above = 0; above < 2; ++above)
    {
        double twist = (above ? 1.05 : 0.95) * 2 * PI * sqrt(3) * rodBending(&rod) / rodTwisting(&rod), x[3 * 43];
        vvWorldId world = makeStillWorld();
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        for (int v = 0; v <= 2 * rod.segments; ++v)
        {
            bool side = v > rod.segments;
            double place = side ? v - rod.segments - 1 + 0.5 : v, turn = twist * (place - 0.5) / ring;
            double angle = place * step, out = side ? radius * cos(step / 2) - chord * cos(turn) : radius;
            x[3 * v] = out * sin(angle);
            x[3 * v + 1] = side ? chord * sin(turn) : 1e-4 * radius * sin(2 * angle);
            x[3 * v + 2] = out * cos(angle);
        }
        for (int v = 0; v < 2; ++v)
            x[3 * v + 1] = x[3 * (ring + v) + 1] = 0;
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        clampSegment(body, &rod, 0);
        clampSegment(body, &rod, rod.segments - 1);
        settle(world, &rod, 60);
        double out = 0;
        for (int v = 0; v <= rod.segments; ++v)
            out = maxReal(out, fabs(vertexPosition(body, v).y));
        if (above)
            assert_true(out > 0.02 * radius);
        else
            CHECK_BELOW(out, 1e-5 * radius);
        vvDestroyWorld(world);
    }
}

// ---- damped ---------------------------------------------------------------------------------------------------------

// a vibration dies by its damping ratio beta w / 2, and the ledger books it
static void dampingOfBendingIsAsAsked(void **unused)
{
    (void)unused;
    RodCase rod = base;
    rod.segments = 8;
    double length = rod.length * (1 - 0.5 / rod.segments), w = cantileverFrequency(&rod, length), beta = 0.05;
    static const char *const methods[] = { "small-midpoint", "stabilized", "small-steps" };
    for (int m = 0; m < 3; ++m)
    {
        vvWorldId world = makeWorld(methods[m], (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(rod.density, rod.young, rod.poisson);
        def.material.thickness = 2 * rod.radius;
        def.damping.stiffness = beta;
        vvSoftBodyId body = makeBody(world, rodMesh(&rod, NULL), def);
        clampSegment(body, &rod, 0);
        double velocity[3 * 17] = { 0 }, most[2] = { 0, 0 };
        for (int v = 2; v <= 2 * rod.segments; ++v)
        {
            double s = (vertexPosition(body, v).x - rod.length + length) / length;
            velocity[3 * v + 2] = v == sideOf(&rod, 0) ? 0 : 0.01 * s * s * (3 - s);
        }
        CHECK_OK(vvSoftBody_SetVelocities(body, velocity));
        int period = (int)(2 * PI / w * 60 + 0.5);
        for (int n = 0; n < 3 * period; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            double *seen = n < period ? &most[0] : &most[1];
            *seen = n < period || n >= 2 * period ? maxReal(*seen, vertexPosition(body, rod.segments).z) : *seen;
        }
        CHECK_CLOSE(log(most[0] / most[1]) / (2 * period / 60.0), 0.5 * beta * w * w, 0.05);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantileverBendsAsABeam),    cmocka_unit_test(cantileverIsAnElastica),
        cmocka_unit_test(twistIsThatOfARoundBar),    cmocka_unit_test(frequenciesAreThoseOfABeam),
        cmocka_unit_test(bowBendsAndTwists),         cmocka_unit_test(coilIsASpring),
        cmocka_unit_test(twistedRodBuckles),         cmocka_unit_test(twistedRingLeavesItsPlane),
        cmocka_unit_test(dampingOfBendingIsAsAsked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
