// Tearing: a double cantilever beam takes its toughness times the area that it opens, whatever the mesh, and a notched
// sheet tears along its weak seam and nowhere else. The books stay closed, and a state from the midst of it goes on
// with the same bits.
#include "scenes.h"
#include "world/world.h"

#include <stdlib.h>

#define LENGTH 0.4
#define WIDTH 0.1
#define THICK 0.002

static vvSoftBodyDef sheetDef(double toughness)
{
    vvSoftBodyDef def = elasticDef(900, 1e6, 0.3);
    def.model = "triangle";
    def.material.thickness = THICK;
    def.tear.toughness = toughness;
    return def;
}

// columns + 1 by rows + 1 vertices, i (rows + 1) + k
static int at(int rows, int i, int k)
{
    return i * (rows + 1) + k;
}

static void checkBooks(vvWorldId world, double scale, const char *when)
{
    vvLedger ledger = vvWorld_GetLedger(world);
    if (!(fabs(ledger.numerical) <= scale))
        fail_msg("%s: numerical is %g J, must be within %g", when, ledger.numerical, scale);
}

typedef struct Beam
{
    double toughness; // J/m^2, measured: work less what is stored and what damping took, by the area
    double opened;    // m
    double reached;   // m, along the line to the farthest vertex of the tear
    int off;          // vertices of the tear that are not on the middle line
} Beam;

// toughness of triangles at a line of vertices over that of the others
static double *seam(const vvMesh *mesh, double line, double factor)
{
    int count = vvMesh_GetSurfaceCount(mesh);
    const int *corner = vvMesh_GetSurface(mesh);
    const double *x = vvMesh_GetPoints(mesh);
    double *factors = malloc((size_t)count * sizeof(double));
    for (int t = 0; t < count; ++t)
    {
        int on = 0;
        for (int c = 0; c < 3; ++c)
            on += fabs(x[3 * corner[3 * t + c] + 2] - line) < 1e-9;
        factors[t] = on == 2 ? factor : 1;
    }
    return factors;
}

// Edges of a row of vertices that are opened before the pull: the notch, and slits of two edges behind bridges of
// `bridge` edges; 0: none.
static int listSlits(int rows, int row, int bridge, int *edges)
{
    int columns = 4 * rows, notch = columns / 4, count = 0;
    for (int i = 0; i < columns; ++i)
    {
        bool slit = bridge > 0 && i < columns - 2 && (i - notch) % (bridge + 2) >= bridge;
        if (i >= notch && !slit)
            continue;
        edges[2 * count] = at(rows, i, row);
        edges[2 * count++ + 1] = at(rows, i + 1, row);
    }
    return count;
}

// `row`: of the notch and the seam; `weak`: factor of the seam; `bridge`: as above
static Beam pullApart(int rows, int row, double weak, int bridge, int frames)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    int columns = 4 * rows, middle = row;
    vvSoftBodyDef def = sheetDef(40);
    def.damping.mass = bridge > 0 ? 0 : 1; // a bridge that gives way sets free what damping would take
    vvMesh *mesh = vvCreateSheetMesh(LENGTH, WIDTH, columns, rows);
    double line = vvMesh_GetPoints(mesh)[3 * at(rows, 0, middle) + 2], *factors = seam(mesh, line, weak);
    def.elementToughness = weak < 1 ? factors : NULL;
    vvSoftBodyId body = makeBody(world, mesh, def);
    free(factors);
    int *edges = malloc(2 * sizeof(int) * (size_t)columns);
    CHECK_OK(vvSoftBody_Split(body, edges, listSlits(rows, row, bridge, edges)));
    free(edges);
    int pins[2] = { at(rows, 0, 0), at(rows, 0, rows) };
    CHECK_OK(vvSoftBody_Pin(body, pins, 2));
    vvVec3 a = vertexPosition(body, pins[0]), b = vertexPosition(body, pins[1]);
    Beam beam = { 0 };
    double area = 0;
    for (int frame = 0; frame < frames; ++frame)
    {
        a.z -= 1e-4;
        b.z += 1e-4;
        CHECK_OK(vvSoftBody_MovePin(body, pins[0], a));
        CHECK_OK(vvSoftBody_MovePin(body, pins[1], b));
        CHECK_OK(vvWorld_Step(world, 1.0 / 120));
        vvMeshEvent events[4];
        int count = vvWorld_GetMeshEvents(world, events, 4);
        for (int k = 0; k < count && k < 4; ++k)
        {
            area += events[k].area;
            for (int v = events[k].vertexCountBefore; v < events[k].vertexCount; ++v)
            {
                const double *x = vvMesh_GetPoints(vvSoftBody_GetMesh(body));
                beam.off += fabs(x[3 * v + 2] - line) > 1e-9;
                beam.reached = fmax(beam.reached, x[3 * v] + LENGTH / 2);
            }
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        beam.toughness = (ledger.added - ledger.elastic - ledger.kinetic) / area;
    }
    beam.opened = area / THICK;
    checkBooks(world, 2e-2 * vvWorld_GetLedger(world).added, "after the pull");
    vvDestroyWorld(world);
    return beam;
}

static void toughnessIsThatAskedFor(void **unused)
{
    (void)unused;
    for (int rows = 6; rows <= 12; rows += rows == 6 ? 2 : 4)
    {
        Beam beam = pullApart(rows, rows / 2, 1, 0, 300);
        assert_true(beam.opened > 0.05 && beam.off == 0);
        CHECK_NEAR(beam.toughness, 40, 4);
    }
}

static void seamsTearAndNothingElse(void **unused)
{
    (void)unused;
    Beam beam = pullApart(8, 3, 0.2, 0, 200); // beside the middle line
    assert_true(beam.opened > 0.05);
    assert_int_equal(beam.off, 0);
}

// the bridges between slits take the toughness, what was slit before takes nothing
static void perforationsTearAlongTheirLine(void **unused)
{
    (void)unused;
    for (int bridge = 1; bridge <= 3; ++bridge)
    {
        Beam beam = pullApart(8, 3, 1, bridge, 300);
        assert_int_equal(beam.off, 0);
        // more than one bridge and its slit, of which the last one may be torn in part
        double line = beam.reached - LENGTH / 4, share = bridge / (bridge + 2.0), edge = LENGTH / 32;
        assert_true(line > 1.5 * (bridge + 2) * edge);
        CHECK_NEAR(beam.opened, share * line, (bridge + 1) * edge);
        CHECK_NEAR(beam.toughness, 40, 4);
    }
}

// a sheet that is pulled begins to tear at its rim, and a state from the midst of it comes back with the same bits
static void statesHoldTears(void **unused)
{
    (void)unused;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.timestep = 1.0 / 120;
    vvWorldId world[2];
    vvSoftBodyId body[2];
    vvSoftBodyDef def = sheetDef(5);
    def.tear.strength = 4e4;
    int pins[2] = { at(4, 0, 0), at(4, 0, 4) };
    for (int k = 0; k < 2; ++k)
    {
        world[k] = vvCreateWorld(&worldDef, NULL);
        body[k] = makeBody(world[k], vvCreateSheetMesh(0.4, 0.2, 8, 4), def);
        CHECK_OK(vvSoftBody_Pin(body[k], pins, 2));
    }
    size_t size = 0;
    void *state = NULL;
    uint64_t hash[2] = { 0, 0 };
    for (int k = 0; k < 2; ++k)
    {
        for (int frame = 0; frame < 120; ++frame)
        {
            if (k == 0 && frame == 60)
            {
                size = vvWorld_GetStateSize(world[0]);
                state = malloc(size);
                CHECK_OK(vvWorld_SaveState(world[0], state, size));
            }
            if (k == 1 && frame == 60)
                CHECK_OK(vvWorld_RestoreState(world[1], state, size));
            vvVec3 target = vertexPosition(body[k], pins[1]);
            target.z += 1e-3;
            CHECK_OK(vvSoftBody_MovePin(body[k], pins[1], target));
            if (k == 0 || frame >= 60)
                CHECK_OK(vvWorld_Step(world[k], 1.0 / 120));
        }
        hash[k] = vvWorld_GetHash(world[k]);
    }
    assert_true(vvSoftBody_GetChangeCount(body[0]) > 0);
    assert_int_equal(hash[0], hash[1]);
    free(state);
    vvDestroyWorld(world[0]);
    vvDestroyWorld(world[1]);
}

// A sheet clamped at two sides that move apart tears by its strength. Pinned vertices come apart too, and their copies
// go with them: left behind, they stretch what hangs between them without end, which gained up to a fifth.
static void clampsTakeTheirCopiesAlong(void **unused)
{
    (void)unused;
    enum
    {
        ROWS = 8,
        PINS = ROWS + 1
    };
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.threads = 1;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = sheetDef(1);
    def.tear.strength = 1e4;
    def.material.young = 2e5;
    vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(1, 1, ROWS, ROWS), def);
    int left[PINS], right[PINS];
    double rest[3 * PINS], most = 0;
    for (int i = 0; i < PINS; ++i)
    {
        left[i] = i;
        right[i] = ROWS * PINS + i;
        for (int a = 0; a < 3; ++a)
            rest[3 * i + a] = vvSoftBody_GetPositions(body)[3 * right[i] + a];
    }
    CHECK_OK(vvSoftBody_Pin(body, left, PINS));
    CHECK_OK(vvSoftBody_Pin(body, right, PINS));
    vvLedger ledger = { 0 };
    for (int frame = 1; frame <= 120; ++frame)
    {
        for (int i = 0; i < PINS; ++i)
            CHECK_OK(vvSoftBody_MovePin(body, right[i],
                                        (vvVec3){ rest[3 * i] + 0.005 * frame, rest[3 * i + 1], rest[3 * i + 2] }));
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        ledger = vvWorld_GetLedger(world);
        most = fmax(most, ledger.kinetic + ledger.elastic);
        CHECK_BELOW(ledger.numerical / fmax(most, 0.1), 0.01);
    }
    assert_true(vvSoftBody_GetChangeCount(body) > 5);
    CHECK_BELOW(ledger.elastic / most, 0.1); // nothing hangs between both sides
    vvDestroyWorld(world);
}

// ---- tears that begin inside ----------------------------------------------------------------------------------------

static double sizeOf(const vvLedger *ledger)
{
    return ledger->kinetic + fabs(ledger->elastic) + fabs(ledger->gravity) + fabs(ledger->contact);
}

// What tearing does between two steps, once more: it closes the books to 1e-9 of what it exchanges, beside what sums
// are rounded by, and both momenta to 1e-10. Returns what it exchanged.
static double settleAgain(vvWorldId world, double mass)
{
    vvLedger before = vvWorld_GetLedger(world);
    tearsSettle(worldFind(world));
    vvLedger after = vvWorld_GetLedger(world);
    double exchanged = fabs(after.dissipated - before.dissipated) + fabs(after.added - before.added);
    double momentum = 1e-10 * (sqrt(2 * before.kinetic * mass) + 1e-300);
    CHECK_NEAR(after.numerical, before.numerical, 1e-9 * exchanged + 1e-14 * sizeOf(&before));
    CHECK_NEAR(after.momentum.x, before.momentum.x, momentum);
    CHECK_NEAR(after.momentum.y, before.momentum.y, momentum);
    CHECK_NEAR(after.momentum.z, before.momentum.z, momentum);
    CHECK_NEAR(after.angularMomentum.x, before.angularMomentum.x, momentum);
    CHECK_NEAR(after.angularMomentum.y, before.angularMomentum.y, momentum);
    CHECK_NEAR(after.angularMomentum.z, before.angularMomentum.z, momentum);
    return exchanged;
}

// a sheet that is held all around and hit in its middle gets a hole there and stays in its frame; without strength it
// does not tear
static void sheetsTearFromInside(void **unused)
{
    (void)unused;
    for (int strong = 0; strong < 2; ++strong)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = sheetDef(500);
        def.tear.strength = strong ? 0 : 1e5;
        vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(0.4, 0.4, 12, 12), def);
        int rim[48], count = 0;
        double v[3 * 169] = { 0 };
        for (int i = 0; i < 169; ++i)
        {
            int x = i / 13, z = i % 13;
            if (x == 0 || z == 0 || x == 12 || z == 12)
                rim[count++] = i;
            v[3 * i + 1] = abs(x - 6) < 3 && abs(z - 6) < 3 ? -12 : 0;
        }
        CHECK_OK(vvSoftBody_Pin(body, rim, count));
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        double exchanged = 0;
        for (int frame = 0; frame < 40; ++frame)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 480));
            exchanged += settleAgain(world, vvSoftBody_GetMass(body));
        }
        const vvMesh *mesh = vvSoftBody_GetMesh(body);
        int vertices = vvMesh_GetVertexCount(mesh);
        assert_true(strong ? vertices == 169 : vertices > 172);
        assert_true(strong || exchanged > 0.01);
        const double *x = vvMesh_GetPoints(mesh) + 3 * 169; // the first that came apart
        assert_true(strong || (fabs(x[0]) < 0.13 && fabs(x[2]) < 0.13));
        vvDestroyWorld(world);
    }
}

// a closed film that is blown up beyond its strength opens, loses its pressure and the books stay closed
static void filmsBurst(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvMesh *ball = vvCreateSphereMesh(0.2, 2);
    vvMeshDef film = vvDefaultMeshDef();
    film.shape = VV_MESH_ARRAYS;
    // the surface of the ball alone
    int inside = 0, count = vvMesh_GetVertexCount(ball), triangles = vvMesh_GetSurfaceCount(ball);
    int *number = malloc(sizeof(int) * (size_t)count), *corner = malloc(sizeof(int) * 3 * (size_t)triangles);
    double *point = malloc(sizeof(double) * 3 * (size_t)count);
    for (int i = 0; i < count; ++i)
        number[i] = -1;
    for (int i = 0; i < 3 * triangles; ++i)
    {
        int v = vvMesh_GetSurface(ball)[i];
        if (number[v] < 0)
        {
            memcpy(point + 3 * inside, vvMesh_GetPoints(ball) + 3 * v, 3 * sizeof(double));
            number[v] = inside++;
        }
        corner[i] = number[v];
    }
    film.points = point;
    film.pointCount = inside;
    film.triangles = corner;
    film.triangleCount = triangles;
    vvSoftBodyDef def = sheetDef(50);
    def.material.thickness = 0.001;
    def.tear.strength = 2e5;
    def.damping.mass = 5;
    def.pressure = 500;
    vvSoftBodyId body = makeBody(world, vvCreateMesh(&film, NULL), def);
    vvDestroyMesh(ball);
    free(number);
    free(corner);
    free(point);
    for (int frame = 0; frame < 60; ++frame)
        CHECK_OK(vvWorld_Step(world, 1.0 / 240));
    assert_int_equal(vvSoftBody_GetChangeCount(body), 0); // p r / 2 t is 2.5e4 Pa
    CHECK_OK(vvSoftBody_SetPressure(body, 6000));
    double scale = 0;
    for (int frame = 0; frame < 60; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 240));
        settleAgain(world, vvSoftBody_GetMass(body));
        vvLedger ledger = vvWorld_GetLedger(world);
        scale = fmax(scale, sizeOf(&ledger));
    }
    assert_true(vvSoftBody_GetChangeCount(body) > 0);
    vvLedger ledger = vvWorld_GetLedger(world);
    assert_true(ledger.elastic >= 0); // that of pressure is below
    checkBooks(world, 0.05 * scale, "after the burst");
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheetsTearFromInside),           cmocka_unit_test(filmsBurst),
        cmocka_unit_test(toughnessIsThatAskedFor),        cmocka_unit_test(seamsTearAndNothingElse),
        cmocka_unit_test(perforationsTearAlongTheirLine), cmocka_unit_test(statesHoldTears),
        cmocka_unit_test(clampsTakeTheirCopiesAlong)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
