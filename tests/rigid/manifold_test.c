// The narrow phase against independent facts: no direction parts two convex shapes earlier than the normal that it
// reports, the points lie on both surfaces, and nothing depends on the order or the frame.
#include "check.h"
#include "rigid/rigid.h"

static vvShape *makeShape(vvShapeKind kind, Vec3 size, double radius, const double *points, int count)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    def.size = size;
    def.radius = radius;
    def.points = points;
    def.pointCount = count;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

static vvQuat randomTurn(TestRandom *random)
{
    vvQuat q = { randomBetween(random, -1, 1), randomBetween(random, -1, 1), randomBetween(random, -1, 1),
                 randomBetween(random, -1, 1) };
    return quatUnit(&q) ? q : (vvQuat){ 1, 0, 0, 0 };
}

static Vec3 randomVec(TestRandom *random, double reach)
{
    double x = randomBetween(random, -reach, reach), y = randomBetween(random, -reach, reach);
    return vec3(x, y, randomBetween(random, -reach, reach));
}

// ---- shapes of all convex kinds, and what they reach along a direction ----------------------------------------------

enum
{
    HULL_POINTS = 14
};

typedef struct Solid
{
    vvShape *shape;
    vvShapeKind kind;
    double point[3 * HULL_POINTS]; // whose hull, with the radius around it, is the solid
    int count;
    double radius;
} Solid;

static Solid makeSolid(TestRandom *random, int which)
{
    Solid solid = { .count = 1 };
    double thin = which == 4 ? 0.01 : 1; // a card
    Vec3 size = { randomBetween(random, 0.3, 1.2), thin * randomBetween(random, 0.3, 1.2),
                  randomBetween(random, 0.3, 1.2) };
    solid.radius = which < 2 ? randomBetween(random, 0.05, 0.4) : 0;
    solid.kind = which == 0   ? VV_SHAPE_SPHERE
                 : which == 1 ? VV_SHAPE_CAPSULE
                 : which == 3 ? VV_SHAPE_CONVEX
                              : VV_SHAPE_BOX;
    if (which == 1)
    {
        solid.count = 2;
        solid.point[1] = -0.5 * size.y;
        solid.point[4] = 0.5 * size.y;
    }
    if (which == 2 || which == 4)
    {
        solid.count = 8;
        for (int i = 0; i < 8; ++i)
            vecStore(solid.point + 3 * i,
                     vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z));
    }
    if (which == 3)
    {
        solid.count = HULL_POINTS;
        for (int i = 0; i < HULL_POINTS; ++i)
            vecStore(solid.point + 3 * i, randomVec(random, 0.5));
    }
    solid.shape = makeShape(solid.kind, size, solid.radius, solid.point, solid.count);
    return solid;
}

static double reachAlong(const Solid *solid, const Pose *pose, Vec3 direction)
{
    double most = -INFINITY;
    for (int i = 0; i < solid->count; ++i)
    {
        Vec3 p = vecAdd(matApply(&pose->turn, vecLoad(solid->point + 3 * i)), pose->position);
        most = maxReal(most, vecDot(direction, p));
    }
    return most + solid->radius;
}

// m, how far a is beyond b along a direction from b to a; negative: they overlap by that much
static double separation(const Solid *a, const Pose *poseA, const Solid *b, const Pose *poseB, Vec3 u)
{
    return -reachAlong(a, poseA, vecScale(-1, u)) - reachAlong(b, poseB, u);
}

static Vec3 unit(Vec3 v)
{
    return vecScale(1 / vecLength(v), v);
}

// The largest separation over all directions, by trying many and improving the best: a lower bound.
static double bestSeparation(const Solid *a, const Pose *poseA, const Solid *b, const Pose *poseB, Vec3 *normal)
{
    TestRandom random = { 77 };
    double best = -INFINITY;
    for (int i = 0; i < 400; ++i)
    {
        double width = i < 100 ? 10 : pow(0.97, i - 100);
        Vec3 u = vecAdd(i == 0 ? vec3(0, 1, 0) : *normal, randomVec(&random, width));
        if (!(vecLength(u) > 0))
            continue;
        u = unit(u);
        double at = separation(a, poseA, b, poseB, u);
        if (at > best)
        {
            best = at;
            *normal = u;
        }
    }
    return best;
}

static Vec3 placed(const Pose *pose, Vec3 local)
{
    return vecAdd(matApply(&pose->turn, local), pose->position);
}

static double deepest(const ManifoldPoint *point, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; ++i)
        least = minReal(least, point[i].distance);
    return least;
}

// A capsule touches with balls about points of its axis, whose surface is inside the capsule where it is tilted.
static void checkOnSurface(const vvShape *shape, Vec3 point)
{
    double distance = vvShape_GetDistance(shape, point, NULL);
    CHECK_BELOW(distance, 2e-7);
    if (shapeForm(shape).kind != VV_SHAPE_CAPSULE)
        CHECK_NEAR(distance, 0, 2e-7);
}

// what every point must be, of any two shapes
static void checkPoints(const vvShape *a, const Pose *poseA, const vvShape *b, const Pose *poseB,
                        const ManifoldPoint *point, int count, double margin)
{
    assert_in_range(count, 0, MANIFOLD_LIMIT);
    for (int i = 0; i < count; ++i)
    {
        const ManifoldPoint *p = point + i;
        CHECK_NEAR(vecLength(p->normal), 1, 1e-12);
        CHECK_BELOW(p->distance, margin);
        Vec3 gap = vecSub(placed(poseA, p->onA), placed(poseB, p->onB));
        CHECK_NEAR(vecDot(gap, p->normal), p->distance, 1e-9);
        checkOnSurface(a, p->onA);
        checkOnSurface(b, p->onB);
        for (int k = 0; k < i; ++k)
            assert_true(point[k].feature != p->feature);
    }
}

// ---- random pairs ---------------------------------------------------------------------------------------------------

enum
{
    KINDS = 5,
    TRIALS = 60
};

// Whether the pair was near, and of how many points the features were kept by a small motion.
typedef struct Tally
{
    int near, far, points, kept;
} Tally;

static void checkPair(const Solid *a, const Pose *poseA, const Solid *b, const Pose *poseB, Tally *tally)
{
    const double margin = 0.1;
    ManifoldPoint point[MANIFOLD_LIMIT], other[MANIFOLD_LIMIT];
    int count = rigidManifold(a->shape, *poseA, b->shape, *poseB, margin, point);
    checkPoints(a->shape, poseA, b->shape, poseB, point, count, margin);
    Vec3 direction = { 0, 1, 0 };
    double reference = bestSeparation(a, poseA, b, poseB, &direction);
    if (count == 0)
    {
        tally->far++;
        if (reference < margin - 0.02) // a lower bound: nearer than it says it cannot be, farther it can
            CHECK_BELOW(-reference, 0.0);
        return;
    }
    tally->near++;
    // the normal parts them as well as any, and the deepest point is as deep
    double along = separation(a, poseA, b, poseB, point[0].normal), least = deepest(point, count);
    CHECK_BELOW(reference - along, 2e-3);
    CHECK_BELOW(along - least, 1e-9);
    CHECK_BELOW(least - along, 5e-3);

    // the other order
    int swapped = rigidManifold(b->shape, *poseB, a->shape, *poseA, margin, other);
    assert_int_equal(swapped, count);
    CHECK_NEAR(deepest(other, swapped), least, 1e-6);
    CHECK_NEAR(vecDot(other[0].normal, point[0].normal), -1, 1e-6);

    // another place: the same features
    vvQuat turn = { 0.5, 0.5, -0.5, 0.5 };
    Pose movedA = poseMake(vecAdd(quatRotate(turn, poseA->position), vec3(3, -2, 5)),
                           quatMultiply(turn, (vvQuat){ poseA->quaternion[0], poseA->quaternion[1],
                                                        poseA->quaternion[2], poseA->quaternion[3] }));
    Pose movedB = poseMake(vecAdd(quatRotate(turn, poseB->position), vec3(3, -2, 5)),
                           quatMultiply(turn, (vvQuat){ poseB->quaternion[0], poseB->quaternion[1],
                                                        poseB->quaternion[2], poseB->quaternion[3] }));
    assert_int_equal(rigidManifold(a->shape, movedA, b->shape, movedB, margin, other), count);
    CHECK_NEAR(deepest(other, count), least, 1e-9);
    CHECK_NEAR(vecDot(other[0].normal, quatRotate(turn, point[0].normal)), 1, 1e-9);

    // a small motion keeps most features
    Pose near = *poseA;
    near.position = vecAdd(near.position, vec3(1e-6, -1e-6, 1e-6));
    int after = rigidManifold(a->shape, near, b->shape, *poseB, margin, other);
    for (int i = 0; i < count; ++i)
    {
        tally->points++;
        for (int k = 0; k < after; ++k)
            tally->kept += other[k].feature == point[i].feature;
    }
}

static void randomPairs(void **state)
{
    (void)state;
    TestRandom random = { 5 };
    Tally tally = { 0 };
    for (int i = 0; i < KINDS * KINDS * TRIALS; ++i)
    {
        Solid a = makeSolid(&random, i % KINDS), b = makeSolid(&random, i / KINDS % KINDS);
        Pose poseA = poseMake(randomVec(&random, 0.6), randomTurn(&random)),
             poseB = poseMake(randomVec(&random, 0.6), randomTurn(&random));
        checkPair(&a, &poseA, &b, &poseB, &tally);
        vvDestroyShape(a.shape);
        vvDestroyShape(b.shape);
    }
    print_message("%d near, %d far; features kept %d of %d\n", tally.near, tally.far, tally.kept, tally.points);
    assert_true(tally.near > 500 && tally.far > 200);
    CHECK_BELOW(0.98 * tally.points, tally.kept);
}

// Two boxes, and the same two as hulls of their corners.
static void boxesAndHulls(void **state)
{
    (void)state;
    TestRandom random = { 12 };
    for (int i = 0; i < 300; ++i)
    {
        Solid a = makeSolid(&random, i % 2 ? 2 : 4), b = makeSolid(&random, i % 3 ? 2 : 4);
        vvShape *hullA = makeShape(VV_SHAPE_CONVEX, vec3(1, 1, 1), 0, a.point, 8),
                *hullB = makeShape(VV_SHAPE_CONVEX, vec3(1, 1, 1), 0, b.point, 8);
        Pose poseA = poseMake(randomVec(&random, 0.4), randomTurn(&random)),
             poseB = poseMake(randomVec(&random, 0.4), randomTurn(&random));
        ManifoldPoint p[MANIFOLD_LIMIT], q[MANIFOLD_LIMIT];
        int count = rigidManifold(a.shape, poseA, b.shape, poseB, 0.05, p);
        assert_int_equal(rigidManifold(hullA, poseA, hullB, poseB, 0.05, q), count);
        if (count > 0)
        {
            CHECK_NEAR(deepest(p, count), deepest(q, count), 1e-8);
            CHECK_NEAR(vecDot(p[0].normal, q[0].normal), 1, 1e-8);
        }
        vvDestroyShape(a.shape);
        vvDestroyShape(b.shape);
        vvDestroyShape(hullA);
        vvDestroyShape(hullB);
    }
}

// ---- known places ---------------------------------------------------------------------------------------------------

static const vvQuat UPRIGHT = { 1, 0, 0, 0 };

static vvQuat aboutZ(double angle)
{
    return (vvQuat){ cos(0.5 * angle), 0, 0, sin(0.5 * angle) };
}

static Pose at(double x, double y, double z, vvQuat turn)
{
    return poseMake(vec3(x, y, z), turn);
}

// Makes the points of two shapes and checks their number and what all points must be; destroys nothing.
static int points(const vvShape *a, Pose poseA, const vvShape *b, Pose poseB, ManifoldPoint *out)
{
    int count = rigidManifold(a, poseA, b, poseB, 0.02, out);
    checkPoints(a, &poseA, b, &poseB, out, count, 0.02);
    return count;
}

// a box over a box that it overhangs: the corners of the rectangle that both share, apart and pressed in
static void boxOnBox(void **state)
{
    (void)state;
    ManifoldPoint p[MANIFOLD_LIMIT];
    for (int card = 0; card < 2; ++card)
    {
        vvShape *box = makeShape(VV_SHAPE_BOX, vec3(1, card ? 0.01 : 1, 1), 0, NULL, 0);
        double height = card ? 0.01 : 1;
        for (int k = 0; k < 3; ++k)
        {
            double gap = k == 0 ? 0.01 : k == 1 ? 0 : -0.1 * height;
            assert_int_equal(points(box, at(0.3, height + gap, 0.2, UPRIGHT), box, at(0, 0, 0, UPRIGHT), p), 4);
            for (int i = 0; i < 4; ++i)
            {
                CHECK_NEAR(p[i].normal.y, 1, 1e-12);
                CHECK_NEAR(p[i].distance, gap, 1e-12);
                CHECK_NEAR(fabs(p[i].onB.x - 0.15), 0.35, 1e-12);
                CHECK_NEAR(fabs(p[i].onB.z - 0.1), 0.4, 1e-12);
            }
        }
        vvDestroyShape(box);
    }
}

// what leans on an edge has two points there; two edges that cross, one; parallel edges, two
static void edges(void **state)
{
    (void)state;
    ManifoldPoint p[MANIFOLD_LIMIT];
    vvShape *box = makeShape(VV_SHAPE_BOX, vec3(1, 1, 1), 0, NULL, 0);
    double up = 0.5 + 0.5 * sqrt(2.0);
    assert_int_equal(points(box, at(0.1, up + 0.001, 0, aboutZ(0.25 * PI)), box, at(0, 0, 0, UPRIGHT), p), 2);
    CHECK_NEAR(p[0].distance, 0.001, 1e-9);
    vvQuat crossed = quatMultiply((vvQuat){ sqrt(0.5), 0, sqrt(0.5), 0 }, aboutZ(0.25 * PI));
    for (int k = 0; k < 2; ++k)
    {
        double gap = k == 0 ? 0.001 : -0.001;
        Pose above = at(0, sqrt(2.0) + gap, 0, crossed), below = at(0, 0, 0, aboutZ(0.25 * PI));
        assert_int_equal(points(box, above, box, below, p), 1);
        CHECK_NEAR(p[0].normal.y, 1, 1e-9);
        CHECK_NEAR(p[0].distance, gap, 1e-9);
    }
    // (pressed in, faces part them with less)
    Pose above = at(0, sqrt(2.0) + 0.001, 0.3, aboutZ(0.25 * PI)), below = at(0, 0, 0, aboutZ(0.25 * PI));
    assert_int_equal(points(box, above, box, below, p), 2);
    CHECK_NEAR(p[0].distance, 0.001, 1e-9);
    CHECK_NEAR(fabs(p[0].onB.z - p[1].onB.z), 0.7, 1e-9);
    vvDestroyShape(box);
}

static void capsules(void **state)
{
    (void)state;
    ManifoldPoint p[MANIFOLD_LIMIT];
    vvShape *capsule = makeShape(VV_SHAPE_CAPSULE, vec3(1, 1, 1), 0.1, NULL, 0);
    vvShape *box = makeShape(VV_SHAPE_BOX, vec3(2, 1, 2), 0, NULL, 0);
    vvShape *hull = makeShape(VV_SHAPE_CONVEX, vec3(1, 1, 1), 0,
                              (double[]){ -1, -0.5, -1,   1, -0.5, -1,  -1, 0.5, -1,  1, 0.5, -1,  -1, -0.5,
                                          1,  1,    -0.5, 1, -1,   0.5, 1,  1,   0.5, 1, 0.2, 0.5, 0.1 },
                              9);
    vvQuat lying = aboutZ(0.5 * PI), across = quatMultiply((vvQuat){ sqrt(0.5), 0, sqrt(0.5), 0 }, lying);
    // parallel, crossed, on one line inside each other, and the same place
    assert_int_equal(points(capsule, at(0.4, 0.199, 0, lying), capsule, at(0, 0, 0, lying), p), 2);
    CHECK_NEAR(p[0].distance, -0.001, 1e-12);
    CHECK_NEAR(fabs(p[0].onB.y - p[1].onB.y), 0.6, 1e-12);
    assert_int_equal(points(capsule, at(0, 0.21, 0.1, across), capsule, at(0, 0, 0, lying), p), 1);
    CHECK_NEAR(p[0].distance, 0.01, 1e-12);
    assert_true(points(capsule, at(0.3, 0, 0, lying), capsule, at(0, 0, 0, lying), p) > 0);
    CHECK_NEAR(p[0].distance, -0.2, 1e-9);
    // lying on a face: two points, a box or the same box as a hull, one that its point in a face does not spoil
    for (int k = 0; k < 2; ++k)
    {
        assert_int_equal(points(capsule, at(0.2, 0.59, 0.1, lying), k ? hull : box, at(0, 0, 0, UPRIGHT), p), 2);
        CHECK_NEAR(p[0].distance, -0.01, 1e-9);
        CHECK_NEAR(fabs(p[0].onB.x - p[1].onB.x), 1, 1e-9);
        assert_int_equal(points(capsule, at(1.3, 0.59, 0.1, lying), k ? hull : box, at(0, 0, 0, UPRIGHT), p), 2);
        CHECK_NEAR(fabs(p[0].onB.x - p[1].onB.x), 0.2, 1e-9);
    }
    assert_int_equal(points(box, at(0.5, 1.005, 0.3, UPRIGHT), hull, at(0, 0, 0, UPRIGHT), p), 4);
    vvDestroyShape(hull);
    vvDestroyShape(box);
    vvDestroyShape(capsule);
}

// All kinds at the same place, and turned: a unit normal, and a depth that parts them.
static void coincident(void **state)
{
    (void)state;
    TestRandom random = { 9 };
    for (int i = 0; i < 2 * KINDS * KINDS; ++i)
    {
        Solid a = makeSolid(&random, i % KINDS), b = makeSolid(&random, i / KINDS % KINDS);
        Pose pose = poseMake(vec3(1, 2, 3), i < KINDS * KINDS ? UPRIGHT : randomTurn(&random));
        ManifoldPoint p[MANIFOLD_LIMIT];
        int count = rigidManifold(a.shape, pose, b.shape, pose, 0.02, p);
        checkPoints(a.shape, &pose, b.shape, &pose, p, count, 0.02);
        assert_true(count > 0);
        Vec3 direction = { 0, 1, 0 };
        CHECK_BELOW(bestSeparation(&a, &pose, &b, &pose, &direction),
                    separation(&a, &pose, &b, &pose, p[0].normal) + 2e-3);
        vvDestroyShape(a.shape);
        vvDestroyShape(b.shape);
    }
}

// ---- scenery --------------------------------------------------------------------------------------------------------

enum
{
    CELLS = 12,
    SIDE = CELLS + 1
};

// a flat floor at y = 0 of many triangles, the top of a closed mesh or a heightfield, and a plane
static vvShape *makeFloor(int which)
{
    double height[SIDE * SIDE] = { 0 }, point[2 * 3 * SIDE * SIDE];
    int triangle[3 * (4 * CELLS * CELLS + 8 * CELLS)], count = 0;
    vvShapeDef def = vvDefaultShapeDef();
    def.sampling = which == 3 ? 0.02 : 0;
    def.kind = which == 0 ? VV_SHAPE_PLANE : which == 1 ? VV_SHAPE_HEIGHTFIELD : VV_SHAPE_MESH;
    def.size = vec3(3, 1, 3);
    def.heights = height;
    def.columns = def.rows = SIDE;
    for (int i = 0; i < 2 * SIDE * SIDE; ++i)
        vecStore(point + 3 * i, vec3(3.0 * (i % SIDE) / CELLS - 1.5, i < SIDE * SIDE ? 0 : -0.05,
                                     3.0 * (i / SIDE % SIDE) / CELLS - 1.5));
#define TRIANGLE(a, b, c) (triangle[count] = a, triangle[count + 1] = b, triangle[count + 2] = c, count += 3)
    for (int i = 0; i < CELLS * CELLS; ++i)
    {
        int a = i / CELLS * SIDE + i % CELLS, under = SIDE * SIDE;
        TRIANGLE(a, a + SIDE, a + SIDE + 1);
        TRIANGLE(a, a + SIDE + 1, a + 1);
        TRIANGLE(under + a, under + a + SIDE + 1, under + a + SIDE);
        TRIANGLE(under + a, under + a + 1, under + a + SIDE + 1);
    }
    for (int i = 0; i < 4 * CELLS; ++i)
    {
        int k = i % CELLS, s = i / CELLS, under = SIDE * SIDE;
        int a = s == 0 ? k : s == 1 ? k * SIDE + CELLS : s == 2 ? CELLS * SIDE + CELLS - k : (CELLS - k) * SIDE;
        int b = s == 0 ? k + 1 : s == 1 ? a + SIDE : s == 2 ? a - 1 : a - SIDE;
        TRIANGLE(a, b, under + b);
        TRIANGLE(a, under + b, under + a);
    }
    def.points = point;
    def.pointCount = 2 * SIDE * SIDE;
    def.triangles = triangle;
    def.triangleCount = count / 3;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

// Whatever lies or slides on a flat floor is pushed straight up, however the floor is cut: apart, touching and pressed
// in; and a floor in the first place is the same.
static void flatFloors(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    for (int which = 0; which < 3; ++which)
    {
        vvShape *ground = makeFloor(which);
        for (int i = 0; i < 40 * KINDS; ++i)
        {
            Solid a = makeSolid(&random, i % KINDS);
            double x = randomBetween(&random, -0.5, 0.5), z = randomBetween(&random, -0.5, 0.5);
            Pose ground0 = at(0, 0, 0, UPRIGHT), pose = at(x, 0, z, i % 2 ? UPRIGHT : randomTurn(&random));
            double gap = randomBetween(&random, -0.004, 0.004);
            pose.position.y = gap + reachAlong(&a, &pose, vec3(0, -1, 0));
            ManifoldPoint p[MANIFOLD_LIMIT], q[MANIFOLD_LIMIT];
            int count = points(a.shape, pose, ground, ground0, p);
            assert_true(count > 0);
            CHECK_NEAR(deepest(p, count), gap, 1e-9);
            for (int k = 0; k < count; ++k)
                CHECK_NEAR(p[k].normal.y, 1, 1e-9);
            if (i % 2 && a.kind == VV_SHAPE_BOX)
                assert_in_range(count, 4, MANIFOLD_LIMIT);
            assert_int_equal(points(ground, ground0, a.shape, pose, q), count);
            CHECK_NEAR(q[0].normal.y, -1, 1e-9);
            vvDestroyShape(a.shape);
        }
        vvDestroyShape(ground);
    }
}

// The rim of a mesh pushes sideways where a body comes from the side, and what has sunk in to its middle comes out.
static void solidMesh(void **state)
{
    (void)state;
    vvShape *slab = makeFloor(2), *ball = makeShape(VV_SHAPE_SPHERE, vec3(1, 1, 1), 0.1, NULL, 0);
    vvShape *box = makeShape(VV_SHAPE_BOX, vec3(0.2, 0.2, 0.2), 0, NULL, 0);
    ManifoldPoint p[MANIFOLD_LIMIT];
    assert_int_equal(points(ball, at(1.59, -0.02, 0.03, UPRIGHT), slab, at(0, 0, 0, UPRIGHT), p), 1);
    CHECK_NEAR(p[0].normal.x, 1, 1e-9);
    CHECK_NEAR(p[0].distance, -0.01, 1e-9);
    int count = rigidManifold(ball, at(0.4, -0.01, 0.2, UPRIGHT), slab, at(0, 0, 0, UPRIGHT), 0.02, p);
    assert_int_equal(count, 1);
    CHECK_NEAR(p[0].normal.y, 1, 1e-9);
    CHECK_NEAR(p[0].distance, -0.11, 1e-9);
    count = rigidManifold(box, at(0.4, -0.01, 0.2, UPRIGHT), slab, at(0, 0, 0, UPRIGHT), 0.02, p);
    assert_int_equal(count, 4);
    CHECK_NEAR(p[0].distance, -0.11, 1e-9);
    // over the rim: no point but those of the top, nothing from the face below
    count = points(box, at(1.5, 0.099, 0.2, UPRIGHT), slab, at(0, 0, 0, UPRIGHT), p);
    assert_in_range(count, 4, MANIFOLD_LIMIT);
    for (int i = 0; i < count; ++i)
        CHECK_NEAR(p[i].normal.y, 1, 1e-9);
    // the same by samples of the distance
    vvShape *sampled = makeFloor(3);
    assert_int_equal(rigidManifold(ball, at(0.4, 0.095, 0.2, UPRIGHT), sampled, at(0, 0, 0, UPRIGHT), 0.02, p), 1);
    CHECK_NEAR(p[0].normal.y, 1, 1e-3);
    CHECK_NEAR(p[0].distance, -0.005, 1e-3);
    assert_int_equal(rigidManifold(box, at(0.4, 0.099, 0.2, UPRIGHT), sampled, at(0, 0, 0, UPRIGHT), 0.02, p), 4);
    vvDestroyShape(sampled);
    vvDestroyShape(box);
    vvDestroyShape(ball);
    vvDestroyShape(slab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesAndHulls), cmocka_unit_test(randomPairs), cmocka_unit_test(boxOnBox),
        cmocka_unit_test(edges),         cmocka_unit_test(capsules),    cmocka_unit_test(coincident),
        cmocka_unit_test(flatFloors),    cmocka_unit_test(solidMesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
