// Rods, the whole grid: what a cantilever yields to a load and how it swings by radius, modulus, length, segments and
// method; at which angle rods and rings that are twisted buckle. It prints the tables of docs/notes/rods.md.
#include "world/rods.h"

#include <stdio.h>

static double tipOver(const RodCase *rod)
{
    double length = rod->length * (1 - 0.5 / rod->segments), load = 3e-4 * rodBending(rod) / (length * length);
    vvWorldId world = makeStillWorld();
    vvSoftBodyId body = makeRod(world, rod, NULL);
    clampSegment(body, rod, 0);
    CHECK_OK(vvSoftBody_SetForce(body, rod->segments, (vvVec3){ 0, 0, load }));
    settle(world, rod, 20);
    double bent = vertexPosition(body, rod->segments).z / (load * pow(length, 3) / (3 * rodBending(rod)));
    vvDestroyWorld(world);
    return bent;
}

static void cantilevers(void **unused)
{
    (void)unused;
    static const double youngs[] = { 1e5, 1e7, 2e11 }, slender[] = { 20, 100, 1000 }, lengths[] = { 0.05, 0.5, 5 };
    static const int segments[] = { 5, 10, 20, 40 };
    for (int k = 0; k < 27; ++k)
    {
        double length = lengths[k / 9];
        RodCase rod = { youngs[k % 3], 0.3, 1000, length / slender[k / 3 % 3], length, 0 };
        if (3 / cantileverFrequency(&rod, length) > 10) // s, that a step may have
            continue;
        printf("young %g Pa, length %g m, radius %g m: tip over that of a beam", rod.young, length, rod.radius);
        for (int n = 0; n < 4; ++n)
        {
            rod.segments = segments[n];
            double bent = tipOver(&rod);
            printf(" %d: %.5f", rod.segments, bent);
            CHECK_CLOSE(bent, 1, n == 0 ? 0.02 : 0.005);
        }
        printf("\n");
    }
}

// rad/s over that of a beam, by the zeros of its tip
static double swing(const RodCase *rod, const char *method, int substeps)
{
    double length = rod->length * (1 - 0.5 / rod->segments), w = cantileverFrequency(rod, length);
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.substeps = substeps;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyId body = makeRod(world, rod, NULL);
    clampSegment(body, rod, 0);
    double velocity[6 * MOST_SEGMENTS + 3] = { 0 }, time = 0, before = 0, first = 0;
    for (int v = 2; v <= 2 * rod->segments; ++v)
    {
        double s = (vertexPosition(body, v).x - rod->length + length) / length;
        velocity[3 * v + 2] = v == sideOf(rod, 0) ? 0 : 0.01 * length * w * s * s * (3 - s);
    }
    CHECK_OK(vvSoftBody_SetVelocities(body, velocity));
    int crossings = 0, wanted = 12;
    while (crossings < wanted && time < 40 * 2 * PI / w)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double now = vertexPosition(body, rod->segments).z;
        time += 1.0 / 60;
        crossings += before * now < 0;
        if (before * now < 0 && (crossings == 1 || crossings == wanted))
            *(crossings == 1 ? &first : &time) = time - now / (now - before) / 60;
        before = now;
    }
    vvDestroyWorld(world);
    return crossings < wanted ? 0 : (wanted - 1) * PI / (time - first) / w;
}

static void frequencies(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "small-steps", "stabilized", "implicit-midpoint" };
    static const double youngs[] = { 1e6, 1e8, 1e9, 2e11 };
    for (int k = 0; k < 8; ++k)
    {
        RodCase rod = { youngs[k % 4], 0.3, 1000, 0.005, 0.5, k < 4 ? 20 : 40 };
        double hertz = cantileverFrequency(&rod, rod.length * (1 - 0.5 / rod.segments)) / (2 * PI);
        printf("young %g Pa, %d segments, %.3g Hz:", rod.young, rod.segments, hertz);
        for (int m = 0; m < 4; ++m)
        {
            double over = swing(&rod, methods[m], 0);
            printf(" %s %.4f", methods[m], over);
            if (m == 0 && hertz < 10)
                CHECK_CLOSE(over, 1, 0.02);
        }
        printf("\n");
    }
    RodCase rod = { 1e8, 0.3, 1000, 0.005, 0.5, 40 };
    static const int substeps[] = { 20, 50, 100, 200 };
    for (int k = 0; k < 4; ++k)
        printf("young 1e8 Pa, 40 segments, small-steps, %d substeps: %.4f\n", substeps[k],
               swing(&rod, "small-steps", substeps[k]));
}

// ---- twist that buckles ---------------------------------------------------------------------------------------------

// A rod bent to a ring whose ends are joined after a turn by `twist`: whether it leaves its plane. The last segment is
// where the first is.
static bool ringBuckles(const RodCase *rod, double twist)
{
    int ring = rod->segments - 1;
    double step = 2 * PI / ring, chord = rod->length / rod->segments, radius = chord / 2 / sin(step / 2), out = 0;
    double x[6 * MOST_SEGMENTS + 3];
    vvWorldId world = makeStillWorld();
    vvSoftBodyId body = makeRod(world, rod, NULL);
    for (int v = 0; v <= 2 * rod->segments; ++v)
    {
        bool side = v > rod->segments, end = v < 2 || (v >= ring && v <= rod->segments);
        double place = side ? v - rod->segments - 0.5 : v, turn = twist * (place - 0.5) / ring, angle = place * step;
        double far = side ? radius * cos(step / 2) - chord * cos(turn) : radius;
        double up = side ? chord * sin(turn) : end ? 0 : 1e-4 * radius * sin(2 * angle);
        vecStore(x + 3 * v, vec3(far * sin(angle), up, far * cos(angle)));
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    clampSegment(body, rod, 0);
    clampSegment(body, rod, rod->segments - 1);
    for (int n = 0; n < 400 && out < 0.02 * radius; ++n)
    {
        settle(world, rod, 1);
        out = 0;
        for (int v = 0; v <= rod->segments; ++v)
            out = maxReal(out, fabs(vertexPosition(body, v).y));
    }
    vvDestroyWorld(world);
    return out >= 0.02 * radius;
}

static void rings(void **unused)
{
    (void)unused;
    static const double poissons[] = { 0, 0.3, 0.49 };
    for (int k = 0; k < 6; ++k)
    {
        RodCase rod = { 1e7, poissons[k % 3], 1000, 0.003, 0.5, k < 3 ? 25 : 49 };
        double critical = 2 * PI * sqrt(3) * rodBending(&rod) / rodTwisting(&rod), low = 0.9, high = 1.1;
        for (int n = 0; n < 6; ++n)
        {
            double middle = 0.5 * (low + high);
            *(ringBuckles(&rod, middle * critical) ? &high : &low) = middle;
        }
        printf("ring of %d segments, poisson %g: buckles at %.3f to %.3f of 2 pi sqrt(3) B/C = %.3f rad\n",
               rod.segments - 1, rod.poisson, low, high, critical);
        CHECK_CLOSE(0.5 * (low + high), 1, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
