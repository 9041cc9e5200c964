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

// a floor, bodies that meet, and a bar of two halves of 4 cells: pieces of one body, or a body each
static vvWorldId halvesOn(double floor, bool cut, bool sleeps, int threads, vvSoftBodyId body[2], int **piece)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.softContact = true;
    worldDef.threads = threads;
    worldDef.sleepEnergy = sleeps ? 1e-4 : 0;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.offset = floor;
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = vvCreateShape(&shapeDef, NULL);
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(collider.shape);
    vvSoftBodyDef def = elasticDef(1000, 3e5, 0.3);
    def.selfContact = true;
    def.damping.stiffness = sleeps ? 0.01 : 0;
    double plane = 0;
    if (cut)
    {
        body[0] = body[1] = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.8, 0.2, 0.2 }, 8, 2, 2), def);
        splitAt(body[0], plane);
        *piece = piecesOf(body[0], &plane, 1);
        return world;
    }
    for (int k = 0; k < 2; ++k)
    {
        def.position = (vvVec3){ k == 0 ? -0.2 : 0.2, 0, 0 };
        body[k] = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 4, 2, 2), def);
    }
    *piece = calloc((size_t)vvSoftBody_GetVertexCount(body[0]), sizeof(int));
    return world;
}

// moves a half as a whole, and gives it a velocity and a spin about its middle
static void setHalf(vvSoftBodyId body, const int *piece, int which, vvVec3 move, vvVec3 velocity, vvVec3 spin)
{
    int count = vvSoftBody_GetVertexCount(body);
    vvVec3 centre = momentaOf(body, piece, which).centre;
    double *x = malloc(sizeof(double) * 6 * (size_t)count), *v = x + 3 * (ptrdiff_t)count;
    for (int i = 0; i < 3 * count; ++i)
    {
        x[i] = vvSoftBody_GetPositions(body)[i];
        v[i] = vvSoftBody_GetVelocities(body)[i];
    }
    for (int i = 0; i < count; ++i)
    {
        if (piece[i] != which)
            continue;
        double r[3] = { x[3 * i] - centre.x, x[3 * i + 1] - centre.y, x[3 * i + 2] - centre.z };
        v[3 * i] = velocity.x + spin.y * r[2] - spin.z * r[1];
        v[3 * i + 1] = velocity.y + spin.z * r[0] - spin.x * r[2];
        v[3 * i + 2] = velocity.z + spin.x * r[1] - spin.y * r[0];
        x[3 * i] += move.x;
        x[3 * i + 1] += move.y;
        x[3 * i + 2] += move.z;
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    free(x);
}

// halves that fly at each other part again as fast as two bodies do, which is 5 % apart with the contacts that happen
// to be found first
static void testPiecesMeetAsBodiesDo(void **state)
{
    (void)state;
    double parted[2];
    for (int cut = 0; cut < 2; ++cut)
    {
        vvSoftBodyId body[2];
        int *piece;
        vvWorldId world = halvesOn(-100, cut, false, 1, body, &piece);
        vvVec3 still = { 0, 0, 0 };
        setHalf(body[0], piece, 0, (vvVec3){ -0.02, 0, 0 }, (vvVec3){ 0.5, 0, 0 }, still);
        setHalf(body[1], piece, cut, (vvVec3){ 0.02, 0, 0 }, (vvVec3){ -0.5, 0, 0 }, still);
        for (int i = 0; i < 20; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        Momenta left = momentaOf(body[0], piece, 0), right = momentaOf(body[1], piece, cut);
        CHECK_BELOW(fabs(left.linear.x + right.linear.x), 1e-10 * left.mass);
        parted[cut] = right.linear.x / right.mass - left.linear.x / left.mass;
        free(piece);
        vvDestroyWorld(world);
    }
    assert_true(parted[0] > 0.2);
    CHECK_NEAR(parted[1], parted[0], 0.05);
}

// while one half slides on the floor the other, above it, keeps its spin and falls as a stone does
static void testPieceIsFreeBesideOneThatTouches(void **state)
{
    (void)state;
    vvSoftBodyId body[2];
    int *piece;
    vvWorldId world = halvesOn(-0.1, true, false, 1, body, &piece);
    setHalf(body[0], piece, 0, (vvVec3){ -0.5, 0, 0 }, (vvVec3){ -0.3, 0, 0 }, (vvVec3){ 0, 1, 0 });
    setHalf(body[0], piece, 1, (vvVec3){ 0.5, 1, 0 }, (vvVec3){ 1, 2, 0 }, (vvVec3){ 3, 5, -2 });
    Momenta before = momentaOf(body[0], piece, 1);
    for (int i = 0; i < 24; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    Momenta after = momentaOf(body[0], piece, 1);
    CHECK_BELOW(apart(after.angular, before.angular), 1e-9 * sqrt(before.mass));
    CHECK_NEAR(after.linear.y / after.mass, 2 + vvWorld_GetGravity(world).y * 0.4, 1e-9);
    assert_true(momentaOf(body[0], piece, 0).centre.y > -0.02);
    free(piece);
    vvDestroyWorld(world);
}

static int vertexIn(vvSoftBodyId body, const int *piece, int which)
{
    int v = 0;
    while (v < vvSoftBody_GetVertexCount(body) - 1 && piece[v] != which)
        v += 1;
    return v;
}

// One half lies on the floor and sleeps, by no bit elsewhere, while the other flies, falls on it and wakes it; then all
// sleeps. Saved where one half sleeps and gone on with in another world, with another number of threads: the same bits.
static void testPiecesSleepApart(void **state)
{
    (void)state;
    vvSoftBodyId body[2], twin[2];
    int *piece, *same, sleeping = 0;
    vvWorldId world = halvesOn(-0.1, true, true, 1, body, &piece), other = halvesOn(-0.1, true, true, 3, twin, &same);
    setHalf(body[0], piece, 0, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 0 });
    setHalf(body[0], piece, 1, (vvVec3){ -0.4, 0.3, 0 }, (vvVec3){ 0, 6, 0 }, (vvVec3){ 0.5, 0, 0 });
    int low = vertexIn(body[0], piece, 0), high = vertexIn(body[0], piece, 1);
    vvVec3 at = { 0, 0, 0 };
    char *saved = NULL;
    bool woken = false;
    for (int i = 0; i < 900 && vvSoftBody_IsAwake(body[0]); ++i)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        if (saved != NULL)
        {
            CHECK_OK(vvWorld_Step(other, 1.0 / 60));
            assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
        }
        bool awake = vvSoftBody_IsVertexAwake(body[0], low);
        woken |= awake && sleeping > 0;
        if (awake || woken)
            continue;
        assert_true(vvSoftBody_IsVertexAwake(body[0], high));
        assert_true(sleeping++ == 0 || apart(at, vertexPosition(body[0], low)) == 0);
        at = vertexPosition(body[0], low);
        if (sleeping != 2)
            continue;
        size_t size = vvWorld_GetStateSize(world);
        saved = malloc(size);
        CHECK_OK(vvWorld_SaveState(world, saved, size));
        CHECK_OK(vvWorld_RestoreState(other, saved, size));
        assert_false(vvSoftBody_IsVertexAwake(twin[0], low));
    }
    assert_true(sleeping > 10 && woken);
    assert_false(vvSoftBody_IsAwake(body[0]));
    free(saved);
    free(piece);
    free(same);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

// One half of a bar gets a kick so strong for its stiffness that steps are drawn back to meet the energy: the other
// half, which rests, knows nothing of it.
static void testHalfThatRestsStaysAtRest(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(1000, k % 2 ? 1e6 : 3e5, 0.3);
        vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.1, 0.1 }, 10, 1, 1), def);
        splitAt(body, 0);
        const double plane = 0, *x = vvSoftBody_GetPositions(body);
        int *piece = piecesOf(body, &plane, 1), count = vvMesh_GetVertexCount(vvSoftBody_GetMesh(body));
        double *kick = calloc(3 * (size_t)count, sizeof(double)), most = 0;
        for (int v = 0; v < count; ++v)
            kick[3 * v + 1] = piece[v] == 0 ? (k < 2 ? 1 : 3) * (x[3 * v] + 0.25) * (x[3 * v] + 0.45) * 10 : 0;
        CHECK_OK(vvSoftBody_SetVelocities(body, kick));
        for (int step = 0; step < 60; ++step)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        const double *velocity = vvSoftBody_GetVelocities(body);
        for (int i = 0; i < 3 * count; ++i)
            most = piece[i / 3] == 1 ? fmax(most, fabs(velocity[i])) : most;
        Momenta rest = momentaOf(body, piece, 1);
        const double left[6] = { rest.linear.x,  rest.linear.y,  rest.linear.z,
                                 rest.angular.x, rest.angular.y, rest.angular.z };
        for (int i = 0; i < 6; ++i)
            CHECK_BELOW(fabs(left[i]), 1e-4); // of 1 kg m/s: what such steps lack in all is given to both
        CHECK_BELOW(most, 1e-3); // m/s: modes of both halves are one set, and turn a little of one into the other
        free(kick);
        free(piece);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomentaOfPieces),
        cmocka_unit_test(testWhatComesOffFalls),
        cmocka_unit_test(testCutBarHasItsFrequency),
        cmocka_unit_test(testPiecesMeetAsBodiesDo),
        cmocka_unit_test(testPieceIsFreeBesideOneThatTouches),
        cmocka_unit_test(testPiecesSleepApart),
        cmocka_unit_test(testHalfThatRestsStaysAtRest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
