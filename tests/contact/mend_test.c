// A list of pairs that is mended where vertices stray tells the same planes as one that is made anew, in every substep.
#include "check.h"

#include "contact/proximity.h"

#include <stdlib.h>

#define SIDE 12 // vertices
#define VERTICES (SIDE * SIDE)
#define FACETS (2 * (SIDE - 1) * (SIDE - 1))
#define SUBSTEPS 25

typedef struct Layers
{
    double rest[3 * VERTICES];
    int vertex[VERTICES], triangle[3 * FACETS];
    PairContact contact[VERTICES * PAIR_CONTACTS];
    CollisionMesh mesh[2];
    ProximityBody body[2];
    double reach[2 * VERTICES], move[6 * VERTICES];
    NearPath path[2 * VERTICES];
    float field[16 * VERTICES];
    unsigned char crossed[2 * VERTICES];
    Proximity proximity;
} Layers;

static void makeLayers(Memory *memory, Layers *layers)
{
    int facets = 0;
    for (int v = 0; v < VERTICES; ++v)
    {
        layers->vertex[v] = v;
        layers->rest[3 * v] = v % SIDE;
        layers->rest[3 * v + 2] = v / SIDE;
        int i = v % SIDE, k = v / SIDE;
        if (i == SIDE - 1 || k == SIDE - 1)
            continue;
        const int corner[6] = { v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE };
        memcpy(layers->triangle + 3 * facets, corner, sizeof corner);
        facets += 2;
    }
    for (int i = 0; i < VERTICES * PAIR_CONTACTS; ++i)
        layers->contact[i] = (PairContact){ .other = -1, .triangle = -1 };
    for (int b = 0; b < 2; ++b)
    {
        layers->mesh[b] = (CollisionMesh){ .slot = b,
                                           .surfaceCount = VERTICES,
                                           .vertex = layers->vertex,
                                           .vertexCount = VERTICES,
                                           .triangleCount = FACETS,
                                           .triangle = layers->triangle,
                                           .rest = layers->rest,
                                           .self = true,
                                           .edge = 1,
                                           .category = 1,
                                           .mask = 1,
                                           .pairContact = layers->contact };
        layers->mesh[b].features = featuresCreate(memory, &layers->mesh[b], 3, FACETS, layers->triangle);
        layers->body[b] = (ProximityBody){ .mesh = &layers->mesh[b], .offset = b * VERTICES, .member = b };
    }
    layers->proximity = (Proximity){ .memory = memory,
                                     .bodyCount = 2,
                                     .vertexCount = 2 * VERTICES,
                                     .body = layers->body,
                                     .reach = layers->reach,
                                     .move = layers->move,
                                     .path = layers->path,
                                     .field = layers->field,
                                     .crossed = layers->crossed };
}

static int byVertices(const void *a, const void *b)
{
    return memcmp(a, b, 5 * sizeof(int));
}

// kinds and vertices of all planes, in one order
static int planesOf(const Layers *layers, int (*key)[5], int room)
{
    const Proximity *p = &layers->proximity;
    assert_true(p->planeCount <= room);
    for (int i = 0; i < p->planeCount; ++i)
    {
        const Plane *plane = &p->plane[i];
        memcpy(key[i], plane->vertex, sizeof plane->vertex);
        key[i][4] = (int)plane->first;
    }
    qsort(key, (size_t)p->planeCount, sizeof key[0], byVertices);
    return p->planeCount;
}

// All fall; some vertices are pushed about, a few strongly.
static void moveLayers(TestRandom *random, double *velocity)
{
    int pushed = (int)(randomUnit(random) * 20);
    for (int i = 0; i < 6 * VERTICES; ++i)
        velocity[i] -= i % 3 == 1 ? 0.2 : 0;
    for (int k = 0; k < pushed; ++k)
    {
        int v = (int)(randomUnit(random) * 2 * VERTICES);
        for (int a = 0; a < 3; ++a)
            velocity[3 * v + a] += randomBetween(random, -1, 1) * (k % 5 == 0 ? 2 : 0.3);
    }
}

#define ROOM 200000

static void mended_lists_miss_nothing(void **state)
{
    (void)state;
    static Layers kept, fresh;
    static int a[ROOM][5], b[ROOM][5];
    static double x[6 * VERTICES], to[6 * VERTICES], velocity[6 * VERTICES];
    static unsigned char pinned[2 * VERTICES];
    TestRandom random = { 3 };
    int mended = 0;
    Memory memory = memoryMake(NULL);
    makeLayers(&memory, &kept);
    makeLayers(&memory, &fresh);
    for (int v = 0; v < 2 * VERTICES; ++v)
    {
        for (int i = 0; i < 3; ++i)
            x[3 * v + i] = kept.rest[3 * (v % VERTICES) + i] + (v >= VERTICES ? 0.3 : 0) + 0.1 * randomUnit(&random);
    }
    for (int n = 0; n < SUBSTEPS; ++n)
    {
        double h = 0.05;
        moveLayers(&random, velocity);
        for (int i = 0; i < 6 * VERTICES; ++i)
            to[i] = x[i] + h * velocity[i];
        ProximityView view = { .x = x, .to = to, .pinned = pinned, .h = h, .ahead = h * (SUBSTEPS - n) };
        bool known = kept.proximity.known;
        int strays = nearStrays(&kept.proximity, &view);
        mended += known && strays > 0 && strays < VERTICES / 4;
        fresh.proximity.known = false;
        proximityPlanes(&kept.proximity, &view);
        proximityPlanes(&fresh.proximity, &view);
        int count = planesOf(&kept, a, ROOM);
        assert_int_equal(count, planesOf(&fresh, b, ROOM));
        assert_memory_equal(a, b, (size_t)count * sizeof a[0]);
        assert_true(count > 0);
        memcpy(x, to, sizeof x);
    }
    assert_true(mended > SUBSTEPS / 4);
    proximityRelease(&kept.proximity);
    proximityRelease(&fresh.proximity);
    for (int i = 0; i < 2; ++i)
    {
        featuresDestroy(&memory, kept.mesh[i].features);
        featuresDestroy(&memory, fresh.mesh[i].features);
    }
}

// Substeps are taken again: two sheets that part were near before the list was made.
static void lists_do_not_hold_before_they_were_made(void **state)
{
    (void)state;
    static Layers kept;
    static double x[6 * VERTICES], to[6 * VERTICES];
    static unsigned char pinned[2 * VERTICES];
    Memory memory = memoryMake(NULL);
    double h = 0.05;
    int count[2];
    makeLayers(&memory, &kept);
    for (int n = 0; n < 2; ++n)
    {
        double time = n == 0 ? 10 * h : 0;
        for (int i = 0; i < 6 * VERTICES; ++i)
        {
            double rate = i % 3 == 1 && i >= 3 * VERTICES ? 2 : 0;
            x[i] = kept.rest[i % (3 * VERTICES)] + (rate > 0 ? 0.2 : 0) + time * rate;
            to[i] = x[i] + h * rate;
        }
        ProximityView view = { .x = x, .to = to, .pinned = pinned, .h = h, .ahead = 20 * h - time };
        proximityPlanes(&kept.proximity, &view);
        count[n] = kept.proximity.planeCount;
    }
    assert_int_equal(count[0], 0);
    assert_true(count[1] > VERTICES);
    proximityRelease(&kept.proximity);
    for (int i = 0; i < 2; ++i)
        featuresDestroy(&memory, kept.mesh[i].features);
}

// where a vertex of a sheet is that is folded over by so much, at a seam that is no line of vertices
static Vec3 folded(const double *rest, double angle)
{
    double beyond = rest[0] - 0.45 * SIDE;
    if (beyond <= 0)
        return vec3(rest[0], rest[1], rest[2]);
    return vec3(rest[0] - beyond + beyond * cos(angle), rest[1] + beyond * sin(angle), rest[2] + 0.1 * beyond);
}

// A sheet is folded flat onto itself, a second one stands far off: with windows that keep apart, the list is without
// pairs of neighbours, but has all that come into range.
static void windows_miss_nothing(void **state)
{
    (void)state;
    static Layers flat, plain;
    static double x[6 * VERTICES], to[6 * VERTICES];
    static unsigned char pinned[2 * VERTICES];
    TestRandom random = { 5 };
    int fewer = 0, close = 0;
    Memory memory = memoryMake(NULL);
    makeLayers(&memory, &flat);
    makeLayers(&memory, &plain);
    for (int b = 0; b < 2; ++b)
    {
        assert_non_null(flat.mesh[b].features->flat);
        flatDestroy(&memory, plain.mesh[b].features->flat);
        plain.mesh[b].features->flat = NULL;
    }
    for (int n = 0; n <= SUBSTEPS; ++n)
    {
        static int a[ROOM][5], b[ROOM][5];
        double h = 0.05, angle = 3.1 * n / SUBSTEPS;
        memcpy(x, to, sizeof x);
        for (int v = 0; v < 2 * VERTICES; ++v)
        {
            Vec3 at = folded(flat.rest + 3 * (v % VERTICES), angle);
            at = vecAdd(at, vec3(randomBetween(&random, -0.05, 0.05), v < VERTICES ? 0 : 100, 0));
            vecStore(to + 3 * v, at);
        }
        if (n == 0)
            continue;
        ProximityView view = { .x = x, .to = to, .pinned = pinned, .h = h, .ahead = h * (SUBSTEPS + 1 - n) };
        proximityPlanes(&flat.proximity, &view);
        proximityPlanes(&plain.proximity, &view);
        fewer += flat.proximity.count < plain.proximity.count;
        int count = planesOf(&flat, a, ROOM), all = planesOf(&plain, b, ROOM), found = 0;
        for (int i = 0; i < all; ++i)
        {
            Vec3 corner[4];
            while (found < count && byVertices(a[found], b[i]) < 0)
                found += 1;
            for (int k = 0; k < 4; ++k)
                corner[k] = vecLoad(x + 3 * b[i][k]);
            double from = (b[i][4] == 1 ? closestVertexTriangle(corner) : closestEdges(corner)).distance;
            for (int k = 0; k < 4; ++k)
                corner[k] = vecLoad(to + 3 * b[i][k]);
            double end = (b[i][4] == 1 ? closestVertexTriangle(corner) : closestEdges(corner)).distance;
            bool near = minReal(from, end) < NEAR_AROUND * nearRadius(&flat.mesh[0], &flat.mesh[0]);
            assert_true(!near || (found < count && byVertices(a[found], b[i]) == 0));
            close += near;
        }
    }
    assert_true(fewer > SUBSTEPS / 4);
    assert_true(close > SIDE);
    proximityRelease(&flat.proximity);
    proximityRelease(&plain.proximity);
    for (int i = 0; i < 2; ++i)
    {
        featuresDestroy(&memory, flat.mesh[i].features);
        featuresDestroy(&memory, plain.mesh[i].features);
    }
}

// Vertices of a folded sheet that are told to be alone have no triangle in range but those around them; most are alone
// where it is half folded, and not all where it lies on itself.
static void who_is_alone_has_nothing_in_range(void **state)
{
    (void)state;
    static Layers layers;
    static double x[3 * VERTICES];
    Memory memory = memoryMake(NULL);
    makeLayers(&memory, &layers);
    CollisionMesh *mesh = &layers.mesh[0];
    mesh->x = x;
    for (int n = 0; n < 2; ++n)
    {
        int alone = 0;
        for (int v = 0; v < VERTICES; ++v)
        {
            Vec3 at = folded(layers.rest + 3 * v, n == 0 ? 1.5 : 3.1);
            vecStore(x + 3 * v, at);
            featuresBoxPath(mesh, v, at, vec3(0, 0, 0));
        }
        featuresRefit(mesh->features, NULL);
        flatFindAlone(mesh);
        for (int i = 0; i < VERTICES * FACETS; ++i)
        {
            int v = i / FACETS;
            const int *corner = layers.triangle + 3 * (i % FACETS);
            const Vec3 at[4] = { vecLoad(x + 3 * v), vecLoad(x + 3 * corner[0]), vecLoad(x + 3 * corner[1]),
                                 vecLoad(x + 3 * corner[2]) };
            alone += i % FACETS == 0 && flatIsAlone(mesh->features, v);
            if (flatIsAlone(mesh->features, v) && v != corner[0] && v != corner[1] && v != corner[2])
                assert_true(closestVertexTriangle(at).distance > NEAR_AROUND * nearRadius(mesh, mesh));
        }
        assert_true(n == 0 ? alone > VERTICES / 4 : alone < VERTICES);
    }
    for (int i = 0; i < 2; ++i)
        featuresDestroy(&memory, layers.mesh[i].features);
}

// Only sheets that are flat and convex at rest have windows.
static void windows_need_a_flat_convex_sheet(void **state)
{
    (void)state;
    static Layers layers;
    Memory memory = memoryMake(NULL);
    makeLayers(&memory, &layers);
    CollisionMesh mesh = layers.mesh[0];
    Features *whole = layers.mesh[0].features, *notched, *bent;
    notched = featuresCreate(&memory, &mesh, 3, FACETS - 1, layers.triangle);
    layers.rest[3 * 40 + 1] += 0.01;
    bent = featuresCreate(&memory, &mesh, 3, FACETS, layers.triangle);
    assert_non_null(whole->flat);
    assert_null(bent->flat);
    layers.rest[3 * 40 + 1] = 0;
    layers.rest[3 * 5 + 2] += 0.01; // of the rim
    Features *dented = featuresCreate(&memory, &mesh, 3, FACETS, layers.triangle);
    assert_null(dented->flat);
    layers.rest[3 * 5 + 2] = -0.01;
    Features *bulged = featuresCreate(&memory, &mesh, 3, FACETS, layers.triangle);
    assert_non_null(notched->flat); // a corner less is convex still
    assert_null(bulged->flat);      // beside the bulge the rim is not
    Features *all[] = { notched, bent, dented, bulged, whole, layers.mesh[1].features };
    for (int i = 0; i < 6; ++i)
        featuresDestroy(&memory, all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mended_lists_miss_nothing),
        cmocka_unit_test(lists_do_not_hold_before_they_were_made),
        cmocka_unit_test(windows_miss_nothing),
        cmocka_unit_test(who_is_alone_has_nothing_in_range),
        cmocka_unit_test(windows_need_a_flat_convex_sheet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
