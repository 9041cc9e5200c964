// Bodies that have fallen apart, under the default method: each piece that nothing holds keeps its own momenta, one
// that comes off a held body falls freely, and what is left of a cut bar vibrates as a bar of that length does.
#include "scenes.h"

#include <stdlib.h>

// ---- pieces ---------------------------------------------------------------------------------------------------------

// opens a body along the planes x = `plane`, which are planes of its mesh
static void splitAt(vvSoftBodyId body, double plane)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    bool solid = vvMesh_GetTetCount(mesh) > 0;
    int corners = solid ? 4 : 3, count = solid ? vvMesh_GetTetCount(mesh) : vvMesh_GetSurfaceCount(mesh), found = 0;
    const int *element = solid ? vvMesh_GetTets(mesh) : vvMesh_GetSurface(mesh);
    const double *x = vvMesh_GetPoints(mesh);
    int *facet = malloc(sizeof(int) * (size_t)(count * corners * corners));
    for (int i = 0; i < count * corners; ++i)
    {
        const int *corner = element + (ptrdiff_t)(i / corners) * corners;
        bool on = true;
        for (int c = 0, k = 0; c < corners; ++c)
        {
            if (c == i % corners)
                continue;
            facet[found * (corners - 1) + k++] = corner[c];
            on = on && fabs(x[3 * corner[c]] - plane) < 1e-9;
        }
        found += on;
    }
    assert_true(found > 0);
    CHECK_OK(vvSoftBody_Split(body, facet, found));
    free(facet);
}

// which piece a vertex is in: by the elements between the planes
static int *piecesOf(vvSoftBodyId body, const double *plane, int planes)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    bool solid = vvMesh_GetTetCount(mesh) > 0;
    int corners = solid ? 4 : 3, count = solid ? vvMesh_GetTetCount(mesh) : vvMesh_GetSurfaceCount(mesh);
    const int *element = solid ? vvMesh_GetTets(mesh) : vvMesh_GetSurface(mesh);
    const double *x = vvMesh_GetPoints(mesh);
    int *piece = calloc((size_t)vvMesh_GetVertexCount(mesh), sizeof(int));
    for (int e = 0; e < count; ++e)
    {
        double middle = 0;
        int in = 0;
        for (int c = 0; c < corners; ++c)
            middle += x[3 * element[e * corners + c]] / corners;
        for (int k = 0; k < planes; ++k)
            in += middle > plane[k];
        for (int c = 0; c < corners; ++c)
            piece[element[e * corners + c]] = in;
    }
    return piece;
}

typedef struct Momenta
{
    vvVec3 linear, angular, centre; // the second about the third
    double mass;
} Momenta;

static Momenta momentaOf(vvSoftBodyId body, const int *piece, int which)
{
    const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body),
                 *m = vvSoftBody_GetMasses(body);
    int count = vvMesh_GetVertexCount(vvSoftBody_GetMesh(body));
    double linear[3] = { 0 }, angular[3] = { 0 }, centre[3] = { 0 }, mass = 0;
    for (int i = 0; i < 3 * count; ++i)
    {
        double share = piece[i / 3] == which ? m[i / 3] : 0;
        linear[i % 3] += share * v[i];
        centre[i % 3] += share * x[i];
        mass += share / 3;
    }
    for (int i = 0; i < 3 * count; ++i)
    {
        int axis = i % 3, a = (axis + 1) % 3, b = (axis + 2) % 3, first = i / 3 * 3;
        double share = piece[i / 3] == which ? m[i / 3] : 0;
        angular[axis] += share * ((x[first + a] - centre[a] / mass) * v[first + b] -
                                  (x[first + b] - centre[b] / mass) * v[first + a]);
    }
    return (Momenta){ { linear[0], linear[1], linear[2] },
                      { angular[0], angular[1], angular[2] },
                      { centre[0] / mass, centre[1] / mass, centre[2] / mass },
                      mass };
}

static double apart(vvVec3 a, vvVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void testMomentaOfPieces(void **state)
{
    (void)state;
    for (int shape = 0; shape < 3; ++shape)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(900, shape == 2 ? 1e6 : 1e5, 0.3);
        def.model = shape == 0 ? "corotated" : shape == 1 ? "stable-neo-hookean" : "triangle";
        def.material.thickness = 0.002;
        def.spin = (vvVec3){ 3, 5, -2 };
        vvMesh *mesh =
            shape < 2 ? vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 10, 2, 2) : vvCreateSheetMesh(1, 0.4, 10, 4);
        double low = INFINITY, plane[2];
        for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
            low = fmin(low, vvMesh_GetPoints(mesh)[3 * v]);
        vvSoftBodyId body = makeBody(world, mesh, def);
        plane[0] = low + 0.3;
        plane[1] = low + 0.7;
        for (int i = 0; i < 10; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double total = vvWorld_GetLedger(world).total;
        splitAt(body, plane[0]);
        splitAt(body, plane[1]);
        int *piece = piecesOf(body, plane, 2);
        Momenta first[3];
        for (int k = 0; k < 3; ++k)
            first[k] = momentaOf(body, piece, k);
        for (int i = 0; i < 60; ++i)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            if (i == 30)
                CHECK_OK(vvWorld_Prepare(world)); // with modes of the pieces from there on
        }
        for (int k = 0; k < 3; ++k)
        {
            Momenta now = momentaOf(body, piece, k);
            double speed = sqrt(2 * total * now.mass);
            CHECK_BELOW(apart(now.linear, first[k].linear), 1e-10 * speed);
            CHECK_BELOW(apart(now.angular, first[k].angular), 1e-10 * speed * 0.4);
        }
        CHECK_BELOW(fabs(vvWorld_GetLedger(world).total - total), 0.02 * total);
        free(piece);
        vvDestroyWorld(world);
    }
}

// a bar by its end, split in two; `left` cells stay
static vvSoftBodyId clampedBar(vvWorldId world, int cells, int left, int **piece)
{
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.model = "corotated";
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.1 * cells, 0.2, 0.2 }, cells, 2, 2);
    double low = INFINITY;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        low = fmin(low, vvMesh_GetPoints(mesh)[3 * v]);
    int pins[9], count = 0;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        if (vvMesh_GetPoints(mesh)[3 * v] < low + 1e-9)
            pins[count++] = v;
    }
    assert_int_equal(count, 9);
    vvSoftBodyId body = makeBody(world, mesh, def);
    CHECK_OK(vvSoftBody_Pin(body, pins, 9));
    double plane = low + 0.1 * left;
    if (left < cells)
        splitAt(body, plane);
    *piece = piecesOf(body, &plane, left < cells ? 1 : 0);
    return body;
}

static void testWhatComesOffFalls(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -10, 0 });
    int *piece;
    vvSoftBodyId body = clampedBar(world, 8, 5, &piece);
    for (int i = 0; i < 60; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 120));
    Momenta off = momentaOf(body, piece, 1);
    CHECK_NEAR(off.linear.y / off.mass, -5, 1e-10);
    CHECK_BELOW(apart(off.angular, (vvVec3){ 0, 0, 0 }), 1e-9);
    CHECK_NEAR(off.centre.y, -1.25, 1e-9);
    free(piece);
    vvDestroyWorld(world);
}

// s, of the swing of the end that is left
static double periodOf(int cells, int left)
{
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    int *piece, crossings = 0;
    vvSoftBodyId body = clampedBar(world, cells, left, &piece);
    CHECK_OK(vvWorld_Prepare(world));
    int count = vvMesh_GetVertexCount(vvSoftBody_GetMesh(body));
    for (int v = 0; v < count; ++v)
        CHECK_OK(vvSoftBody_SetForce(body, v, (vvVec3){ 0, piece[v] == 0 ? 0.5 : 0, 0 }));
    double before = 0, first = 0, last = 0, h = 1.0 / 240;
    for (int i = 0; i < 480; ++i)
    {
        CHECK_OK(vvWorld_Step(world, h));
        if (i == 20)
            CHECK_OK(vvSoftBody_ClearForces(body));
        double now = momentaOf(body, piece, 0).linear.y;
        if (i > 30 && before < 0 && now >= 0)
        {
            last = (i - now / (now - before)) * h;
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(crossings > 3);
    free(piece);
    vvDestroyWorld(world);
    return (last - first) / (crossings - 1);
}

static void testCutBarHasItsFrequency(void **state)
{
    (void)state;
    CHECK_NEAR(periodOf(9, 6) / periodOf(6, 6), 1, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomentaOfPieces),
        cmocka_unit_test(testWhatComesOffFalls),
        cmocka_unit_test(testCutBarHasItsFrequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
