// What overlaps a region and what a moving sphere hits first, against plain references over random scenes: polygons
// clipped by a box, nearest points by trying every face, colliders by their signed distance, ways in small steps.
#include "world/scenes.h"
#include "undamped.h"

#include <stdlib.h>

typedef vvVec3 V;

static V add(V a, V b)
{
    return (V){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static V scaled(double s, V a)
{
    return (V){ s * a.x, s * a.y, s * a.z };
}

static V minus(V a, V b)
{
    return add(a, scaled(-1, b));
}

static double dot(V a, V b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length(V a)
{
    return sqrt(dot(a, a));
}

static V someVector(TestRandom *r, double size)
{
    V v;
    v.x = randomBetween(r, -size, size);
    v.y = randomBetween(r, -size, size);
    v.z = randomBetween(r, -size, size);
    return v;
}

// ---- references -----------------------------------------------------------------------------------------------------

// solves the n x n system by elimination with pivots; false: singular
static bool solve(int n, double a[3][4])
{
    for (int c = 0; c < n; ++c)
    {
        int best = c;
        for (int r = c + 1; r < n; ++r)
            best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        if (fabs(a[best][c]) < 1e-14)
            return false;
        for (int k = 0; k < 4; ++k)
        {
            double t = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = t;
        }
        for (int r = 0; r < n; ++r)
        {
            double f = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k < 4; ++k)
                a[r][k] -= f * a[c][k];
        }
    }
    return true;
}

// distance from a point to the hull of up to 4 corners: the least over all their subsets whose nearest point has
// weights that are not negative
static double hullDistance(const V *p, int count, V point)
{
    double least = INFINITY;
    for (int set = 1; set < 1 << count; ++set)
    {
        V base = { 0, 0, 0 }, edge[3];
        int n = -1;
        for (int k = 0; k < count; ++k)
        {
            if (!(set >> k & 1))
                continue;
            if (n < 0)
                base = p[k];
            else
                edge[n] = minus(p[k], base);
            n += 1;
        }
        double a[3][4] = { { 0 } }, sum = 0;
        for (int i = 0; i < n; ++i)
        {
            for (int j = 0; j < n; ++j)
                a[i][j] = dot(edge[i], edge[j]);
            a[i][3] = dot(edge[i], minus(point, base));
        }
        if (!solve(n, a))
            continue;
        V at = base;
        bool inside = true;
        for (int i = 0; i < n; ++i)
        {
            double w = a[i][3] / a[i][i];
            inside &= w >= 0;
            sum += w;
            at = add(at, scaled(w, edge[i]));
        }
        if (inside && sum <= 1)
            least = fmin(least, length(minus(point, at)));
    }
    return least;
}

// what is left of a polygon inside the box, cut by one side after the other
static bool polygonMeetsBox(const V *corner, int count, vvBox box)
{
    V p[32], q[32];
    memcpy(p, corner, (size_t)count * sizeof(V));
    for (int side = 0; side < 6 && count > 0; ++side)
    {
        int axis = side / 2, kept = 0;
        double sign = side % 2 ? -1 : 1, limit = sign * (side % 2 ? (&box.lower.x)[axis] : (&box.upper.x)[axis]);
        for (int i = 0; i < count; ++i)
        {
            V a = p[i], b = p[(i + 1) % count];
            double da = sign * (&a.x)[axis] - limit, db = sign * (&b.x)[axis] - limit;
            if (da <= 0)
                q[kept++] = a;
            if ((da < 0 && db > 0) || (da > 0 && db < 0))
                q[kept++] = add(a, scaled(da / (da - db), minus(b, a)));
        }
        count = kept;
        memcpy(p, q, sizeof q);
    }
    return count > 0;
}

static double boxDistance(vvBox box, V p)
{
    V c = { fmin(fmax(p.x, box.lower.x), box.upper.x), fmin(fmax(p.y, box.lower.y), box.upper.y),
            fmin(fmax(p.z, box.lower.z), box.upper.z) };
    return length(minus(p, c));
}

// least distance of a segment from a box, by trying many points of it
static double segmentDistance(const V *p, vvBox box)
{
    double least = INFINITY;
    for (int i = 0; i <= 20000; ++i)
        least = fmin(least, boxDistance(box, add(p[0], scaled(i / 20000.0, minus(p[1], p[0])))));
    return least;
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

#define BODIES 3
#define COLLIDERS 7

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body[BODIES];
    vvColliderId collider[COLLIDERS];
    vvShape *shape[COLLIDERS];
    V position[COLLIDERS], axis[COLLIDERS][3];
} Scene;

static const double thickness = 0.12;

static void turn(V degrees, V axis[3])
{
    const V unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int k = 0; k < 3; ++k)
    {
        V v = unit[k];
        double a = degrees.x * acos(-1) / 180, b = degrees.y * acos(-1) / 180, c = degrees.z * acos(-1) / 180;
        v = (V){ v.x, cos(a) * v.y - sin(a) * v.z, sin(a) * v.y + cos(a) * v.z };
        v = (V){ cos(b) * v.x + sin(b) * v.z, v.y, -sin(b) * v.x + cos(b) * v.z };
        axis[k] = (V){ cos(c) * v.x - sin(c) * v.y, sin(c) * v.x + cos(c) * v.y, v.z };
    }
}

static vvShape *makeShape(TestRandom *r, int kind)
{
    static const double tetra[12] = { -0.6, -0.4, -0.5, 0.8, -0.3, -0.4, 0, -0.4, 0.7, 0.1, 0.6, 0 };
    static const int faces[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
    double heights[20];
    for (int i = 0; i < 20; ++i)
        heights[i] = randomBetween(r, -0.3, 0.3);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = (vvShapeKind)kind;
    def.normal = someVector(r, 1);
    def.offset = -1.5;
    def.radius = 0.4;
    def.size = (V){ randomBetween(r, 0.3, 1), randomBetween(r, 0.3, 1), randomBetween(r, 0.3, 1) };
    def.points = tetra;
    def.pointCount = 4;
    def.triangles = faces;
    def.triangleCount = 4;
    def.heights = heights;
    def.columns = 5;
    def.rows = 4;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    CHECK_OK(result);
    return shape;
}

static Scene makeScene(uint64_t seed)
{
    TestRandom r = { seed };
    Scene scene = { .world = makeWorld("backward-euler", (V){ 0, 0, 0 }) };
    vvMesh *mesh[BODIES] = { vvCreateBoxMesh((V){ 0.8, 0.6, 0.7 }, 2, 2, 2), vvCreateSheetMesh(1, 1, 3, 3),
                             vvCreateRopeMesh(1.2, 5) };
    for (int b = 0; b < BODIES; ++b)
    {
        vvSoftBodyDef def = undampedDef();
        def.position = someVector(&r, 0.8);
        def.material.thickness = thickness;
        scene.body[b] = makeBody(scene.world, mesh[b], def);
        double x[200];
        int size = 3 * vvSoftBody_GetVertexCount(scene.body[b]);
        for (int i = 0; i < size; ++i)
            x[i] = vvSoftBody_GetPositions(scene.body[b])[i] + randomBetween(&r, -0.25, 0.25); // some tets turn over
        CHECK_OK(vvSoftBody_SetPositions(scene.body[b], x));
    }
    for (int c = 0; c < COLLIDERS; ++c)
    {
        vvColliderDef def = vvDefaultColliderDef();
        V degrees = someVector(&r, 180);
        scene.shape[c] = def.shape = makeShape(&r, c);
        scene.position[c] = def.position = c == VV_SHAPE_PLANE ? (V){ 0, 0, 0 } : someVector(&r, 1.2);
        def.rotation = vvQuat_FromDegrees(degrees);
        turn(degrees, scene.axis[c]);
        def.mask = 0; // they are only asked about
        scene.collider[c] = vvCreateCollider(scene.world, &def, NULL);
        assert_true(vvCollider_IsValid(scene.collider[c]));
    }
    return scene;
}

static void destroyScene(Scene *scene)
{
    for (int c = 0; c < COLLIDERS; ++c)
        vvDestroyShape(scene->shape[c]);
    vvDestroyWorld(scene->world);
}

static V vertex(vvSoftBodyId body, int v)
{
    return vertexPosition(body, v);
}

static double colliderDistance(const Scene *scene, int c, V point)
{
    V from = minus(point, scene->position[c]);
    V local = { dot(scene->axis[c][0], from), dot(scene->axis[c][1], from), dot(scene->axis[c][2], from) };
    return vvShape_GetDistance(scene->shape[c], local, NULL);
}

// corners of an element of the matter of body b; returns how many
static int elementCorners(const Scene *scene, int b, int e, V *p)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(scene->body[b]);
    static const int corners[BODIES] = { 4, 3, 2 };
    const int *index = b == 0 ? vvMesh_GetTets(mesh) : b == 1 ? vvMesh_GetSurface(mesh) : vvMesh_GetEdges(mesh);
    for (int k = 0; k < corners[b]; ++k)
        p[k] = vertex(scene->body[b], index[corners[b] * e + k]);
    return corners[b];
}

static int elementCount(const Scene *scene, int b)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(scene->body[b]);
    return b == 0 ? vvMesh_GetTetCount(mesh) : b == 1 ? vvMesh_GetSurfaceCount(mesh) : vvMesh_GetEdgeCount(mesh);
}

// ---- overlaps -------------------------------------------------------------------------------------------------------

static bool elementMeetsBox(const V *p, int corners, vvBox box)
{
    if (corners == 2)
        return segmentDistance(p, box) <= thickness / 2;
    if (corners == 3)
        return polygonMeetsBox(p, 3, box);
    for (int k = 0; k < 4; ++k)
    {
        const V face[3] = { p[k], p[(k + 1) % 4], p[(k + 2) % 4] };
        if (polygonMeetsBox(face, 3, box))
            return true;
    }
    return hullDistance(p, 4, scaled(0.5, add(box.lower, box.upper))) < 1e-12;
}

static bool has(const int *list, int count, int value)
{
    for (int i = 0; i < count; ++i)
    {
        if (list[i] == value)
            return true;
    }
    return false;
}

static const vvOverlap *find(const vvOverlap *list, int count, uint32_t body, uint32_t collider)
{
    for (int i = 0; i < count; ++i)
    {
        if ((body > 0 && list[i].body.index1 == body) || (collider > 0 && list[i].collider.index1 == collider))
            return &list[i];
    }
    return NULL;
}

typedef struct Tally
{
    int met, missed, colliderMet, colliderMissed;
} Tally;

static void checkBodies(const Scene *scene, bool ball, vvBox box, V centre, double radius, const vvOverlap *list,
                        int count, Tally *tally)
{
    for (int b = 0; b < BODIES; ++b)
    {
        int found[256], elements = elementCount(scene, b), want = 0;
        int number = ball ? vvSoftBody_OverlapSphere(scene->body[b], centre, radius, found, 256)
                          : vvSoftBody_OverlapBox(scene->body[b], box, found, 256);
        for (int e = 0; e < elements; ++e)
        {
            V p[4];
            int corners = elementCorners(scene, b, e, p);
            bool meets = ball ? hullDistance(p, corners, centre) <= radius + (corners == 2 ? thickness / 2 : 0)
                              : elementMeetsBox(p, corners, box);
            if (has(found, number, e) != meets)
                fail_msg("element %d of body %d: found %d, is %d (%s)", e, b, !meets, meets, ball ? "ball" : "box");
            want += meets;
            tally->met += meets;
            tally->missed += !meets;
        }
        assert_int_equal(number, want);
        for (int i = 1; i < number; ++i)
            assert_true(found[i] > found[i - 1]);
        const vvOverlap *entry = find(list, count, scene->body[b].index1, 0);
        assert_int_equal(entry != NULL ? entry->elementCount : 0, want);
    }
}

// the least distance over a grid in the box decides, unless it is less than what lies between its points
static void checkBoxColliders(const Scene *scene, vvBox box, const vvOverlap *list, int count, Tally *tally)
{
    const int n = 12;
    V cell = scaled(1.0 / n, minus(box.upper, box.lower));
    for (int c = 0; c < COLLIDERS; ++c)
    {
        double least = INFINITY;
        for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); ++i)
        {
            V at = { box.lower.x + i % (n + 1) * cell.x, box.lower.y + i / (n + 1) % (n + 1) * cell.y,
                     box.lower.z + i / ((n + 1) * (n + 1)) * cell.z };
            least = fmin(least, colliderDistance(scene, c, at));
        }
        bool met = find(list, count, 0, scene->collider[c].index1) != NULL;
        if (least <= 0)
            assert_true(met);
        if (least > 0.5 * length(cell))
            assert_false(met);
        tally->colliderMet += least <= 0;
        tally->colliderMissed += least > 0.5 * length(cell);
    }
}

static void overlapsAreThoseOfTheReference(void **state)
{
    (void)state;
    Tally tally = { 0, 0, 0, 0 };
    for (uint64_t seed = 1; seed <= 12; ++seed)
    {
        Scene scene = makeScene(seed);
        TestRandom r = { 100 + seed };
        for (int n = 0; n < 8; ++n)
        {
            V centre = someVector(&r, 0.7), half = someVector(&r, n % 2 ? 0.15 : 0.6);
            half = (V){ fabs(half.x), fabs(half.y), fabs(half.z) };
            vvBox box = { minus(centre, half), add(centre, half) };
            vvOverlap list[BODIES + COLLIDERS];
            int count = vvWorld_OverlapBox(scene.world, box, list, BODIES + COLLIDERS);
            assert_int_equal(vvWorld_OverlapBox(scene.world, box, NULL, 0), count);
            checkBodies(&scene, false, box, centre, 0, list, count, &tally);
            checkBoxColliders(&scene, box, list, count, &tally);
            double radius = randomBetween(&r, 0, 0.5);
            count = vvWorld_OverlapSphere(scene.world, centre, radius, list, BODIES + COLLIDERS);
            checkBodies(&scene, true, box, centre, radius, list, count, &tally);
            for (int c = 0; c < COLLIDERS; ++c)
                assert_int_equal(find(list, count, 0, scene.collider[c].index1) != NULL,
                                 colliderDistance(&scene, c, centre) <= radius);
        }
        destroyScene(&scene);
    }
    print_message("elements %d in, %d out; colliders %d in, %d out\n", tally.met, tally.missed, tally.colliderMet,
                  tally.colliderMissed);
    assert_true(tally.met > 500 && tally.missed > 500 && tally.colliderMet > 50 && tally.colliderMissed > 50);
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

// of a sphere's centre from what it may hit: surfaces of bodies, axes of ropes less their radius, colliders
static double leastDistance(const Scene *scene, V point)
{
    double least = INFINITY;
    for (int b = 0; b < BODIES; ++b)
    {
        const vvMesh *mesh = vvSoftBody_GetMesh(scene->body[b]);
        int corners = b == 2 ? 2 : 3, count = b == 2 ? vvMesh_GetEdgeCount(mesh) : vvMesh_GetSurfaceCount(mesh);
        const int *index = b == 2 ? vvMesh_GetEdges(mesh) : vvMesh_GetSurface(mesh);
        for (int e = 0; e < count; ++e)
        {
            V p[3];
            for (int k = 0; k < corners; ++k)
                p[k] = vertex(scene->body[b], index[corners * e + k]);
            least = fmin(least, hullDistance(p, corners, point) - (b == 2 ? thickness / 2 : 0));
        }
    }
    for (int c = 0; c < COLLIDERS; ++c)
        least = fmin(least, colliderDistance(scene, c, point));
    return least;
}

// the point lies on what was hit, a radius from the centre, in the direction of the normal
static void checkHit(const Scene *scene, const vvPick *pick, V centre, double radius)
{
    CHECK_NEAR(length(minus(centre, pick->point)), radius, 1e-9);
    CHECK_NEAR(length(minus(add(pick->point, scaled(radius, pick->normal)), centre)), 0, 1e-9);
    if (pick->kind == VV_PICK_COLLIDER)
    {
        for (int c = 0; c < COLLIDERS; ++c)
        {
            if (scene->collider[c].index1 == pick->collider.index1)
                CHECK_NEAR(colliderDistance(scene, c, pick->point), 0, 1e-9);
        }
        return;
    }
    V at = { 0, 0, 0 };
    bool rope = pick->vertices[2] < 0;
    for (int k = 0; k < (rope ? 2 : 3); ++k)
        at = add(at, scaled(pick->weights[k], vertex(pick->body, pick->vertices[k])));
    CHECK_NEAR(length(minus(at, pick->point)), rope ? thickness / 2 : 0, 1e-9);
    const vvMesh *mesh = vvSoftBody_GetMesh(pick->body);
    const int *index = rope ? vvMesh_GetEdges(mesh) + 2 * pick->triangle : vvMesh_GetSurface(mesh) + 3 * pick->triangle;
    for (int k = 0; k < (rope ? 2 : 3); ++k)
        assert_int_equal(index[k], pick->vertices[k]);
}

static void sweepsStopWhereTheyTouch(void **state)
{
    (void)state;
    int hits = 0, misses = 0, starts = 0, colliders = 0;
    for (uint64_t seed = 1; seed <= 10; ++seed)
    {
        Scene scene = makeScene(seed);
        TestRandom r = { 500 + seed };
        for (int n = 0; n < 12; ++n)
        {
            V origin = someVector(&r, 2.5), direction = someVector(&r, 1);
            double radius = n % 3 ? randomBetween(&r, 0.02, 0.3) : 0.01, farthest = n % 4 ? INFINITY : 1.5;
            vvPick pick = vvWorld_CastSphere(scene.world, origin, radius, direction, farthest);
            V unit = scaled(1 / length(direction), direction);
            double end = pick.kind == VV_PICK_NOTHING ? fmin(farthest, 6) : pick.distance;
            bool started = leastDistance(&scene, origin) <= radius;
            assert_int_equal(started, pick.kind != VV_PICK_NOTHING && pick.distance == 0);
            starts += started;
            if (started)
                continue;
            for (int k = 0; k < 60; ++k) // nothing was touched on the way
                assert_true(leastDistance(&scene, add(origin, scaled(end * k / 60, unit))) > radius - 1e-9);
            if (pick.kind == VV_PICK_NOTHING)
            {
                misses += 1;
                continue;
            }
            hits += 1;
            colliders += pick.kind == VV_PICK_COLLIDER;
            V centre = add(origin, scaled(pick.distance, unit));
            CHECK_NEAR(leastDistance(&scene, centre), radius, 1e-9);
            checkHit(&scene, &pick, centre, radius);
        }
        destroyScene(&scene);
    }
    assert_true(hits > 20 && misses > 5 && starts > 5 && colliders > 5);
}

// a sphere without size is a ray; far away no digits are lost
static void smallSpheresAndLongWays(void **state)
{
    (void)state;
    Scene scene = makeScene(3);
    TestRandom r = { 9 };
    for (int n = 0; n < 50; ++n)
    {
        V origin = someVector(&r, 2), direction = someVector(&r, 1);
        vvPick ray = vvWorld_CastRay(scene.world, origin, direction, INFINITY);
        vvPick sphere = vvWorld_CastSphere(scene.world, origin, 0, direction, INFINITY);
        assert_int_equal(ray.kind, sphere.kind);
        assert_true(ray.distance == sphere.distance);
    }
    destroyScene(&scene);

    vvWorldId world = makeWorld("backward-euler", (V){ 0, 0, 0 });
    vvSoftBodyDef def = undampedDef();
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((V){ 1, 1, 1 }, 2, 2, 2), def);
    vvPick pick = vvWorld_CastSphere(world, (V){ 1e6, 0.75, 0.1 }, 0.5, (V){ -1, 0, 0 }, INFINITY);
    assert_int_equal(pick.body.index1, cube.index1);
    // 0.25 m above the upper edge: a 0.5 m sphere touches it sqrt(0.1875) m ahead of its centre
    CHECK_NEAR(pick.distance, 1e6 - 0.5 - sqrt(0.1875), 1e-8);
    CHECK_NEAR(pick.normal.y, 0.5, 1e-8);
    vvDestroyWorld(world);
}

static void nonsenseFindsNothing(void **state)
{
    (void)state;
    Scene scene = makeScene(2);
    static const double odd[] = { NAN, INFINITY, -INFINITY, -1 };
    const V zero = { 0, 0, 0 };
    for (int k = 0; k < 4; ++k)
    {
        assert_int_equal(vvWorld_OverlapSphere(scene.world, zero, odd[k], NULL, 0), 0);
        assert_int_equal(vvSoftBody_OverlapSphere(scene.body[0], zero, odd[k], NULL, 0), 0);
        assert_int_equal(vvWorld_CastSphere(scene.world, zero, odd[k], (V){ 1, 0, 0 }, 9).kind, VV_PICK_NOTHING);
        vvBox box = { zero, { 1, odd[k], 1 } };
        assert_int_equal(vvWorld_OverlapBox(scene.world, box, NULL, 0), 0);
        assert_int_equal(vvSoftBody_OverlapBox(scene.body[0], box, NULL, 0), 0);
    }
    // everything is in a box as wide as the numbers
    vvBox all = { { -1e300, -1e300, -1e300 }, { 1e300, 1e300, 1e300 } };
    assert_int_equal(vvWorld_OverlapBox(scene.world, all, NULL, 0), BODIES + COLLIDERS);
    assert_int_equal(vvWorld_OverlapSphere(scene.world, zero, 1e12, NULL, 0), BODIES + COLLIDERS);
    vvWorldId world = scene.world;
    vvSoftBodyId body = scene.body[0];
    destroyScene(&scene);
    assert_int_equal(vvWorld_OverlapBox(world, all, NULL, 0), 0);
    assert_int_equal(vvSoftBody_OverlapBox(body, all, NULL, 0), 0);
}

// samples of a mesh: as the mesh itself to a cell
static void sampledShapes(void **state)
{
    (void)state;
    static const double points[24] = { -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                       -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1 };
    static const int faces[36] = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                   3, 7, 6, 3, 6, 2, 0, 4, 7, 0, 7, 3, 1, 2, 6, 1, 6, 5 };
    vvWorldId world = makeWorld("backward-euler", (V){ 0, 0, 0 });
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_MESH;
    shape.points = points;
    shape.pointCount = 8;
    shape.triangles = faces;
    shape.triangleCount = 12;
    shape.sampling = 0.1;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shape, NULL);
    vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    vvPick pick = vvWorld_CastSphere(world, (V){ 5, 0.1, 0.2 }, 0.5, (V){ -1, 0, 0 }, INFINITY);
    CHECK_NEAR(pick.distance, 5 - 1.5, 1e-3);
    vvBox box = { { 1.15, -9, -9 }, { 2, 9, 9 } };
    assert_int_equal(vvWorld_OverlapBox(world, box, NULL, 0), 0);
    box.lower.x = 0.85;
    assert_int_equal(vvWorld_OverlapBox(world, box, NULL, 0), 1);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapsAreThoseOfTheReference),
        cmocka_unit_test(sweepsStopWhereTheyTouch),
        cmocka_unit_test(smallSpheresAndLongWays),
        cmocka_unit_test(nonsenseFindsNothing),
        cmocka_unit_test(sampledShapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
