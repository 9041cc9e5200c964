// What every kind of shape must do: the list at the top is all that knows about kinds.
#include "solids.h"

#define KINDS 8

typedef struct Sample
{
    const char *name;
    vvShape *shape;
    double size;   // points are tried in a cube of this half side
    double rough;  // what the interpolant of samples may miss: 0 for exact kinds
    double curves; // tolerance of the curvature
} Sample;

static double heights[9 * 7];
static double hullPoints[3 * 20];

static vvShape *create(const vvShapeDef *def)
{
    vvResult result;
    vvShape *shape = vvCreateShape(def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

static void makeKinds(Sample *kind)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.normal = vec3(1, 2, -0.5);
    def.offset = 0.2;
    kind[0] = (Sample){ "plane", create(&def), 2, 0, 1e-6 };
    def.kind = VV_SHAPE_SPHERE;
    kind[1] = (Sample){ "sphere", create(&def), 2, 0, 1e-6 };
    def.kind = VV_SHAPE_BOX;
    def.size = vec3(1, 0.6, 1.4);
    kind[2] = (Sample){ "box", create(&def), 2, 0, 1e-6 };
    def.kind = VV_SHAPE_CAPSULE;
    def.size.y = 0.8;
    kind[3] = (Sample){ "capsule", create(&def), 2, 0, 1e-6 };

    TestRandom random = { 77 };
    for (int i = 0; i < 20; ++i)
        vecStore(hullPoints + 3 * i, randomIn(&random, 1));
    def.kind = VV_SHAPE_CONVEX;
    def.points = hullPoints;
    def.pointCount = 20;
    kind[4] = (Sample){ "convex", create(&def), 2, 0, 1e-5 };

    Solid solid = solidAngle();
    kind[5] = (Sample){ "mesh", solidShape(&solid, 0), 2, 0, 1e-5 };
    solidFree(&solid);

    for (int i = 0; i < 63; ++i)
        heights[i] = randomBetween(&random, -0.5, 0.5);
    def.kind = VV_SHAPE_HEIGHTFIELD;
    def.size = vec3(2, 1, 1.6);
    def.columns = 9;
    def.rows = 7;
    def.heights = heights;
    kind[6] = (Sample){ "heightfield", create(&def), 1.6, 0, 1e-5 };

    Solid torus = solidTorus(0.8, 0.3, 24, 16);
    kind[7] = (Sample){ "samples", solidShape(&torus, 0.05), 1.3, 0.2, 1e-5 };
    solidFree(&torus);
}

static int setUp(void **state)
{
    Sample *kind = calloc(KINDS, sizeof *kind);
    makeKinds(kind);
    *state = kind;
    return 0;
}

static int tearDown(void **state)
{
    Sample *kind = *state;
    for (int k = 0; k < KINDS; ++k)
        vvDestroyShape(kind[k].shape);
    free(kind);
    return 0;
}

static double distanceAt(const Sample *kind, Vec3 p)
{
    return vvShape_GetDistance(kind->shape, p, NULL);
}

static Vec3 axis(int a)
{
    return vec3(a == 0, a == 1, a == 2);
}

// central differences of the distance
static Vec3 slopeAt(const Sample *kind, Vec3 p, double step)
{
    double g[3];
    for (int a = 0; a < 3; ++a)
        g[a] = (distanceAt(kind, vecAdd(p, vecScale(step, axis(a)))) -
                distanceAt(kind, vecSub(p, vecScale(step, axis(a))))) /
               (2 * step);
    return vecLoad(g);
}

// The normal is the gradient. Points on a ridge have none: there the gradient by differences is shorter than 1.
static void normalIsTheGradient(void **state)
{
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        TestRandom random = { 31 };
        int smooth = 0;
        for (int i = 0; i < 3000; ++i)
        {
            Vec3 p = randomIn(&random, kind->size), normal;
            vvShape_GetDistance(kind->shape, p, &normal);
            CHECK_NEAR(vecLength(normal), 1, 1e-12);
            Vec3 slope = slopeAt(kind, p, 1e-6);
            double length = vecLength(slope);
            // the gradient of an interpolant is not of unit length, its direction is what counts; outside its grid the
            // direction is that of a sum
            bool apt = kind->rough > 0 ? length > 0.5 : fabs(length - 1) < 1e-7;
            if (!apt)
                continue;
            smooth += 1;
            if (!(vecLength(vecSub(vecScale(1 / length, slope), normal)) <= 2e-4))
                fail_msg("%s at (%.17g, %.17g, %.17g)", kind->name, p.x, p.y, p.z);
        }
        assert_true(smooth > 2900);
    }
}

static void distanceIsLipschitz(void **state)
{
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        TestRandom random = { 13 };
        for (int i = 0; i < 10000; ++i)
        {
            Vec3 a = randomIn(&random, kind->size);
            Vec3 b = vecAdd(a, randomIn(&random, i % 2 == 0 ? 0.05 : 1));
            double most = vecLength(vecSub(a, b)) * (1 + kind->rough) + 1e-12;
            if (kind->rough > 0) // outside the grid two slopes add up
                most *= sqrt(2);
            if (!(fabs(distanceAt(kind, a) - distanceAt(kind, b)) <= most))
                fail_msg("%s between (%g, %g, %g) and (%g, %g, %g)", kind->name, a.x, a.y, a.z, b.x, b.y, b.z);
        }
    }
}

// the curvature is how the normal turns, by central differences of it
static void curvatureTurnsTheNormal(void **state)
{
    const double step = 1e-6;
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        TestRandom random = { 41 };
        int fits = 0, all = 0, bent = 0;
        for (int i = 0; i < 2000; ++i)
        {
            Vec3 p = randomIn(&random, kind->size);
            if (fabs(distanceAt(kind, p)) < 0.02 || (kind->rough > 0 && distanceAt(kind, p) > 0.09))
                continue;
            double h[9], most = 0, size = 0;
            shapeCurvature(kind->shape, 0, p, h);
            for (int a = 0; a < 3; ++a)
            {
                Vec3 up, down;
                vvShape_GetDistance(kind->shape, vecAdd(p, vecScale(step, axis(a))), &up);
                vvShape_GetDistance(kind->shape, vecSub(p, vecScale(step, axis(a))), &down);
                Vec3 turn = vecScale(0.5 / step, vecSub(up, down));
                double column[3] = { turn.x, turn.y, turn.z };
                for (int r = 0; r < 3; ++r)
                {
                    CHECK_NEAR(h[3 * r + a], h[3 * a + r], 1e-9);
                    most = fmax(most, fabs(h[3 * r + a] - column[r]));
                    size = fmax(size, fabs(h[3 * r + a]));
                }
            }
            all += 1;
            bent += size > 0;
            // samples: the normal also turns along itself where the slope is no unit vector, which is left out
            fits += most <= (kind->rough > 0 ? 0.35 * size + 0.1 : kind->curves * (1 + 1000 * size));
        }
        // a few points are within a step of where the feature changes
        if (fits < all * (kind->rough > 0 ? 0.9 : 0.995))
            fail_msg("%s: %d of %d fit", kind->name, fits, all);
        if (kind->shape != ((Sample *)*state)[0].shape)
            assert_true(bent > all / 50);
    }
}

// where the ray enters the distance is 0, and before it is positive
static void castEndsOnTheSurface(void **state)
{
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        TestRandom random = { 51 };
        int hits = 0;
        double near = kind->rough > 0 ? 1e-6 : 1e-9;
        for (int i = 0; i < 5000; ++i)
        {
            Vec3 o = randomIn(&random, kind->size), d = randomDirection(&random);
            double t = -1;
            bool hit = shapeCast(kind->shape, o, d, 3, &t);
            if (distanceAt(kind, o) <= 0)
            {
                assert_true(hit && t == 0);
                continue;
            }
            hits += hit;
            double travel = hit ? t : 3;
            if (hit && !(fabs(distanceAt(kind, vecAdd(o, vecScale(t, d)))) <= near))
                fail_msg("%s: ray %d ends %g away from the surface", kind->name, i,
                         distanceAt(kind, vecAdd(o, vecScale(t, d))));
            for (int k = 0; k < 100; ++k)
                if (!(distanceAt(kind, vecAdd(o, vecScale(travel * k / 100, d))) > -near))
                    fail_msg("%s: ray %d passes through the shape", kind->name, i);
            double again;
            assert_false(hit && shapeCast(kind->shape, o, d, 0.999 * t, &again));
        }
        assert_true(hits > 100);
        double t;
        assert_false(shapeCast(kind->shape, vec3(0, 5, 0), vec3(0, 1, 0), INFINITY, &t));
    }
}

// awkward points: the answer is a number and a unit vector
static void neverNotANumber(void **state)
{
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        static const double value[] = { 0, 0.5, -0.5, 0.3, -1, 1e-300, 1e9, -1e50, 0.7, 5e-324, 0.35 };
        enum
        {
            VALUES = sizeof value / sizeof value[0]
        };
        for (int i = 0; i < VALUES * VALUES * VALUES; ++i)
        {
            Vec3 p = vec3(value[i % VALUES], value[i / VALUES % VALUES], value[i / VALUES / VALUES]), normal;
            double distance = vvShape_GetDistance(kind->shape, p, &normal), h[9];
            shapeCurvature(kind->shape, 0, p, h);
            if (!isfinite(distance) || !(fabs(vecLength(normal) - 1) < 1e-9) || !allFinite(h, 9))
                fail_msg("%s at (%g, %g, %g)", kind->name, p.x, p.y, p.z);
        }
        const Vec3 odd[3] = { vec3(NAN, 0, 0), vec3(0, INFINITY, 0), vec3(0, 0, -1e300) };
        for (int i = 0; i < 3; ++i)
        {
            Vec3 normal;
            assert_true(vvShape_GetDistance(kind->shape, odd[i], &normal) == INFINITY);
            assert_true(vecLength(normal) == 0);
        }
    }
}

// no triangle, corner or sample of a shape is outside its bounds, and nothing outside them is inside the shape
static void boundsHoldTheShape(void **state)
{
    for (const Sample *kind = *state, *end = kind + KINDS; kind < end; ++kind)
    {
        TestRandom random = { 61 };
        vvBox box = vvShape_GetBounds(kind->shape);
        assert_true(box.lower.y < box.upper.y);
        for (int i = 0; i < 5000; ++i)
        {
            Vec3 p = randomIn(&random, kind->size);
            bool within = p.x >= box.lower.x && p.y >= box.lower.y && p.z >= box.lower.z && p.x <= box.upper.x &&
                          p.y <= box.upper.y && p.z <= box.upper.z;
            assert_true(within || distanceAt(kind, p) > -1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalIsTheGradient),     cmocka_unit_test(distanceIsLipschitz),
        cmocka_unit_test(curvatureTurnsTheNormal), cmocka_unit_test(castEndsOnTheSurface),
        cmocka_unit_test(neverNotANumber),         cmocka_unit_test(boundsHoldTheShape),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
