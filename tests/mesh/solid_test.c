// Solids from twenty awkward surfaces: valid tets with bounded angles and the volume of the surface, or a message.
#include "check.h"
#include "mesh/mesh.h"
#include "mesh/surfaces.h"
#include "refuse.h"

#include <limits.h>
#include <verve/solid.h>

#define SMOOTH_ANGLE 8.0 // degrees, least of a closed smooth surface
#define CAGE_ANGLE 5.0   // of any
#define VOLUME 0.02      // relative
#define FINE 8           // quads along a side of the cube that becomes a ball

static vvMesh *fillSoup(const Soup *soup, vvSolidKind kind, int cells, vvSolidReport *report, vvResult *result)
{
    vvMeshDef surface = soupDef(soup);
    vvSolidDef def = vvDefaultSolidDef();
    def.kind = kind;
    def.cells = cells;
    return vvCreateSolidMesh(&surface, &def, report, result);
}

// ---- the surfaces ---------------------------------------------------------------------------------------------------

static void ball(Soup *soup)
{
    soupBall(soup, vec3(0.1, -0.2, 0.3), 1, FINE);
}

static void twelve(Soup *soup)
{
    soupBox(soup, vec3(0, 0, 0), vec3(1, 0.4, 0.3), 1);
}

static void torus(Soup *soup)
{
    soupTorus(soup, 1, 0.35, 40, 16);
}

static void insideOut(Soup *soup)
{
    ball(soup);
    soupTurn(soup, 0, soup->triangleCount, 1);
}

static void someTurned(Soup *soup)
{
    ball(soup);
    soupTurn(soup, 0, soup->triangleCount, 3);
}

static void torn(Soup *soup)
{
    someTurned(soup);
    soupTear(soup);
}

static void everyFaceTwice(Soup *soup)
{
    ball(soup);
    ball(soup);
    soupTurn(soup, 0, soup->triangleCount / 2, 2);
}

static void zeroArea(Soup *soup)
{
    ball(soup);
    for (int i = 0; i < 50; ++i)
    {
        soupFace(soup, i, i, i + 1);
        int middle = soupPoint(soup, 0.5 * (soup->point[3 * i] + soup->point[3 * i + 3]),
                               0.5 * (soup->point[3 * i + 1] + soup->point[3 * i + 4]),
                               0.5 * (soup->point[3 * i + 2] + soup->point[3 * i + 5]));
        soupFace(soup, i, i + 1, middle);
    }
}

static void holes(Soup *soup)
{
    ball(soup);
    soupOpen(soup, 0.6);
}

static void missingFaces(Soup *soup)
{
    ball(soup);
    for (int t = 0; t < soup->triangleCount; t += 25)
        soup->triangle[3 * t] = soup->triangle[3 * t + 1]; // a corner twice: as good as gone
}

static void crossing(Soup *soup)
{
    soupBall(soup, vec3(0, 0, 0), 1, FINE);
    soupBall(soup, vec3(0.8, 0.1, 0), 0.9, FINE);
    soupBox(soup, vec3(-0.7, 0, 0), vec3(0.5, 0.5, 0.5), 3);
}

static void cavity(Soup *soup)
{
    soupBall(soup, vec3(0, 0, 0), 1, FINE);
    int first = soup->triangleCount;
    soupBall(soup, vec3(0, 0, 0), 0.4, FINE);
    soupTurn(soup, first, soup->triangleCount, 1);
}

static void cavityInsideOut(Soup *soup)
{
    cavity(soup);
    soupTurn(soup, 0, soup->triangleCount, 1);
}

static void nested(Soup *soup)
{
    soupBall(soup, vec3(0, 0, 0), 1, FINE);
    soupBall(soup, vec3(0.1, 0, 0), 0.4, FINE);
}

static void apart(Soup *soup)
{
    soupBall(soup, vec3(0, 0, 0), 0.5, FINE);
    int first = soup->triangleCount;
    soupBall(soup, vec3(1.5, 0, 0), 0.5, FINE);
    soupTurn(soup, first, soup->triangleCount, 1);
}

static void edgeOfFour(Soup *soup)
{
    soupBox(soup, vec3(0, 0, 0), vec3(0.5, 0.5, 0.5), 2);
    soupBox(soup, vec3(1, 1, 0), vec3(0.5, 0.5, 0.5), 2);
}

static void wall(Soup *soup)
{
    // a face across the middle of a box: edges of three faces
    twelve(soup);
    int a = soupPoint(soup, -1, -0.4, -0.3), b = soupPoint(soup, 1, -0.4, 0.3), c = soupPoint(soup, 1, 0.4, 0.3),
        d = soupPoint(soup, -1, 0.4, -0.3);
    soupQuad(soup, a, b, c, d);
}

static void fins(Soup *soup)
{
    soupBall(soup, vec3(0, 0, 0), 1, FINE);
    for (int k = -2; k <= 2; ++k)
        soupBox(soup, vec3(1.2, 0.3 * k, 0), vec3(0.5, 0.01, 0.4), 2);
}

static void plate(Soup *soup)
{
    soupBox(soup, vec3(0, 0, 0), vec3(1, 0.01, 1), 4);
}

static void moebius(Soup *soup)
{
    const int around = 40;
    for (int i = 0; i < around; ++i)
    {
        double a = 2 * PI * i / around, w = 0.3;
        for (int k = -1; k <= 1; k += 2)
            soupPoint(soup, (1 + k * w * cos(a / 2)) * cos(a), k * w * sin(a / 2), (1 + k * w * cos(a / 2)) * sin(a));
    }
    for (int i = 0; i < around; ++i)
    {
        int a = 2 * i, b = i + 1 < around ? a + 2 : 1, c = i + 1 < around ? a + 3 : 0;
        soupQuad(soup, a, b, c, a + 1);
    }
}

static void oneFace(Soup *soup)
{
    soupFace(soup, soupPoint(soup, 0, 0, 0), soupPoint(soup, 1, 0, 0), soupPoint(soup, 0, 1, 0));
}

typedef struct Case
{
    const char *name;
    void (*make)(Soup *soup);
    bool smooth;   // its angles are those of smooth surfaces
    double volume; // m^3, 0: none is known; -1: nothing is inside
    int pieces;
    bool thin; // lost parts are reported
} Case;

#define UNIT 4.124 // m^3, of a ball of radius 1 made of FINE x FINE quads on each side of a cube

static const Case cases[] = {
    { "ball", ball, true, UNIT, 1, false },
    { "twelve triangles", twelve, true, 0.96, 1, false },
    { "torus", torus, true, 2.33, 1, false },
    { "inside out", insideOut, true, UNIT, 1, false },
    { "turned faces", someTurned, true, UNIT, 1, false },
    { "torn", torn, true, UNIT, 1, false },
    { "every face twice", everyFaceTwice, true, UNIT, 1, false },
    { "zero area", zeroArea, true, UNIT, 1, false },
    { "holes", holes, true, 0, 1, false },
    { "missing faces", missingFaces, true, 0, 1, false },
    { "crossing", crossing, true, 0, 1, false },
    { "cavity", cavity, true, UNIT *(1 - 0.064), 1, false },
    { "cavity inside out", cavityInsideOut, true, UNIT *(1 - 0.064), 1, false },
    { "nested", nested, true, UNIT, 1, false },
    { "apart", apart, true, 2 * UNIT / 8, 2, false },
    { "edge of four faces", edgeOfFour, true, 2, 1, false },
    { "wall", wall, true, 0.96, 1, false },
    { "fins", fins, false, 0, 1, true },
    { "plate", plate, false, -1, 1, true },
    { "Moebius strip", moebius, false, -1, 1, true },
    { "one face", oneFace, false, -1, 1, true },
};

// ---- tests ----------------------------------------------------------------------------------------------------------

static void checkTets(const vvMesh *mesh, const vvSolidReport *report, const char *name, double leastAngle)
{
    MeshQuality quality;
    assert_true(meshQuality(mesh, &quality));
    if (!(quality.smallestVolume > 0 && report->leastAngle > leastAngle && report->mostAngle < 180 - leastAngle))
        fail_msg("%s: angles from %g to %g degrees, least volume %g", name, report->leastAngle, report->mostAngle,
                 quality.smallestVolume);
    assert_int_equal(report->tetCount, vvMesh_GetTetCount(mesh));
    assert_int_equal(report->vertexCount, vvMesh_GetVertexCount(mesh));
}

static void awkwardSurfacesBecomeSolids(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        const Case *c = &cases[i];
        Soup soup = { 0 };
        vvSolidReport report;
        vvResult result;
        c->make(&soup);
        vvMesh *mesh = fillSoup(&soup, VV_SOLID_CONFORMING, 10, &report, &result);
        soupFree(&soup);
        if ((mesh == NULL) != (c->volume < 0))
            fail_msg("%s: %s", c->name, mesh ? "a mesh of what has no inside" : result.message);
        if (mesh == NULL)
        {
            assert_non_null(strstr(result.message, "encloses"));
            assert_non_null(strstr(result.remedy, "cage"));
            continue;
        }
        checkTets(mesh, &report, c->name, c->smooth ? SMOOTH_ANGLE : CAGE_ANGLE);
        if (!c->thin && !(fabs(report.volume / report.surfaceVolume - 1) < VOLUME))
            fail_msg("%s: volume %g of %g", c->name, report.volume, report.surfaceVolume);
        if (c->volume > 0 && !(fabs(report.surfaceVolume / c->volume - 1) < 0.01))
            fail_msg("%s: volume of the surface %g, not %g", c->name, report.surfaceVolume, c->volume);
        if (c->thin != (report.missedArea > 0.1))
            fail_msg("%s: missed %g m^2, thinnest %g m", c->name, report.missedArea, report.thinnest);
        if (report.pieces != c->pieces)
            fail_msg("%s: %d pieces", c->name, report.pieces);
        vvDestroyMesh(mesh);
    }
}

// every part of the surface has a tet near by, however thin it is
static void cagesCoverAll(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        Soup soup = { 0 };
        vvSolidReport report;
        vvResult result;
        cases[i].make(&soup);
        vvMesh *mesh = fillSoup(&soup, VV_SOLID_CAGE, 7, &report, &result);
        if (mesh == NULL)
            fail_msg("%s: %s", cases[i].name, result.message);
        checkTets(mesh, &report, cases[i].name, CAGE_ANGLE);
        const double *point = vvMesh_GetPoints(mesh);
        for (int k = 0; k < soup.triangleCount; ++k)
        {
            Vec3 p = vecLoad(soup.point + 3 * (size_t)soup.triangle[3 * k]);
            double nearest = INFINITY;
            for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
                nearest = minReal(nearest, vecLength(vecSub(p, vecLoad(point + 3 * (size_t)v))));
            if (nearest > report.edge)
                fail_msg("%s: a point %g edges away", cases[i].name, nearest / report.edge);
        }
        soupFree(&soup);
        vvDestroyMesh(mesh);
    }
}

// parts of two cells keep their volume; the box is exact
static void coarseLatticesKeepTheVolume(void **state)
{
    (void)state;
    for (int cells = 3; cells <= 7; ++cells)
    {
        Soup soup = { 0 };
        vvSolidReport report;
        soupBall(&soup, vec3(0, 0, 0), 1, FINE);
        vvMesh *mesh = fillSoup(&soup, VV_SOLID_CONFORMING, cells, &report, NULL);
        assert_non_null(mesh);
        CHECK_CLOSE(report.volume, report.surfaceVolume, VOLUME);
        vvDestroyMesh(mesh);
        soupFree(&soup);
    }
    Soup box = { 0 };
    vvSolidReport report;
    soupBox(&box, vec3(0.3, 0.2, 0.1), vec3(1, 1, 1), 1);
    vvMesh *mesh = fillSoup(&box, VV_SOLID_CONFORMING, 4, &report, NULL);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 8, 1e-12);
    CHECK_CLOSE(vvMesh_GetArea(mesh), 24, 1e-12);
    vvDestroyMesh(mesh);
    soupFree(&box);
}

// Graded cells fit each other: no face is left inside, nothing is lost, and angles stay those of the surface.
static void cellsGrowInward(void **state)
{
    (void)state;
    Soup box = { 0 };
    int tets = INT_MAX;
    soupBox(&box, vec3(0.3, 0.2, 0.1), vec3(1, 1, 1), 1);
    vvMeshDef surface = soupDef(&box);
    vvSolidDef def = vvDefaultSolidDef();
    def.cells = 16;
    for (def.grading = 0; def.grading <= 3; ++def.grading)
    {
        vvSolidReport report;
        vvMesh *mesh = vvCreateSolidMesh(&surface, &def, &report, NULL);
        assert_non_null(mesh);
        CHECK_CLOSE(vvMesh_GetVolume(mesh), 8, 1e-9);
        CHECK_CLOSE(vvMesh_GetArea(mesh), 24, 1e-9);
        assert_true(report.leastAngle > 44.9 && report.mostAngle < 120.1 && report.pieces == 1);
        assert_true(def.grading < 2 ? report.tetCount < tets : report.tetCount <= tets);
        tets = report.tetCount;
        vvDestroyMesh(mesh);
    }
    soupFree(&box);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        Soup soup = { 0 };
        vvSolidReport even, graded;
        cases[i].make(&soup);
        surface = soupDef(&soup);
        def.cells = 10;
        def.kind = i % 2 == 0 ? VV_SOLID_CONFORMING : VV_SOLID_CAGE;
        def.grading = 0;
        vvMesh *first = vvCreateSolidMesh(&surface, &def, &even, NULL);
        def.grading = 2;
        vvResult result;
        vvMesh *second = vvCreateSolidMesh(&surface, &def, &graded, &result);
        if ((first == NULL) != (second == NULL))
            fail_msg("%s: %s", cases[i].name, result.message);
        if (second != NULL)
        {
            checkTets(second, &graded, cases[i].name, minReal(even.leastAngle, 45) - 1e-6);
            CHECK_CLOSE(vvMesh_GetArea(second), vvMesh_GetArea(first), 1e-9);
            CHECK_CLOSE(vvMesh_GetVolume(second), vvMesh_GetVolume(first), 1e-9);
            assert_true(graded.tetCount <= even.tetCount && graded.pieces == even.pieces);
        }
        vvDestroyMesh(first);
        vvDestroyMesh(second);
        soupFree(&soup);
    }
}

// edges of the boundary that are longer than this
static int longEdges(const vvMesh *mesh, double longest)
{
    int count = 0;
    const int *face = vvMesh_GetSurface(mesh);
    for (int i = 0; i < 3 * vvMesh_GetSurfaceCount(mesh); ++i)
    {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        const double *points = vvMesh_GetPoints(mesh);
        count += vecLength(vecSub(vecLoad(points + 3 * face[i]), vecLoad(points + 3 * face[next]))) > longest;
    }
    return count;
}

// A finer boundary on the same lattice: its edges are short, its points on the surface, and tets stay as good.
static void surfacesAreRefined(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        Soup soup = { 0 };
        vvSolidReport coarse, fine;
        vvResult result;
        cases[i].make(&soup);
        vvMeshDef surface = soupDef(&soup);
        vvSolidDef def = vvDefaultSolidDef();
        def.cells = 5;
        def.kind = i % 2 == 0 ? VV_SOLID_CONFORMING : VV_SOLID_CAGE;
        def.grading = (int)(i % 3);
        vvMesh *first = vvCreateSolidMesh(&surface, &def, &coarse, NULL);
        def.surfaceEdge = first != NULL ? 0.6 * coarse.edge : 1;
        vvMesh *second = vvCreateSolidMesh(&surface, &def, &fine, &result);
        if ((first == NULL) != (second == NULL))
            fail_msg("%s: %s", cases[i].name, result.message);
        if (second != NULL)
        {
            checkTets(second, &fine, cases[i].name, minReal(coarse.leastAngle, 10.4) - 1e-6);
            if (fabs(vvMesh_GetVolume(second) / vvMesh_GetVolume(first) - 1) > 0.035) // sharp edges, five cells
                fail_msg("%s: %g m^3, refined %g", cases[i].name, coarse.volume, fine.volume);
            assert_true(fine.pieces == coarse.pieces && fine.mostAngle < 165);
            int all = vvMesh_GetSurfaceCount(second) * 3, left = longEdges(second, 1.01 * def.surfaceEdge);
            if (left > all / 20 || longEdges(first, 1.01 * def.surfaceEdge) == 0)
                fail_msg("%s: %d of %d edges are still long", cases[i].name, left, all);
        }
        vvDestroyMesh(first);
        vvDestroyMesh(second);
        soupFree(&soup);
    }
}

// new points lie on the surface, not on the faces that they halve
static void refinedSurfacesAreNearer(void **state)
{
    (void)state;
    double error[2];
    for (int fine = 0; fine < 2; ++fine)
    {
        Soup soup = { 0 };
        soupBall(&soup, vec3(0, 0, 0), 1, 24);
        vvMeshDef surface = soupDef(&soup);
        vvSolidDef def = vvDefaultSolidDef();
        def.edge = 0.4;
        def.surfaceEdge = fine ? 0.2 : 0;
        vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, NULL);
        error[fine] = 0;
        for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
        {
            Vec3 sum = vec3(0, 0, 0);
            for (int c = 0; c < 3; ++c)
                sum = vecAdd(sum, vecLoad(vvMesh_GetPoints(mesh) + 3 * vvMesh_GetSurface(mesh)[3 * t + c]));
            error[fine] += fabs(vecLength(sum) / 3 - 1) / vvMesh_GetSurfaceCount(mesh);
        }
        vvDestroyMesh(mesh);
        soupFree(&soup);
    }
    if (error[1] > 0.6 * error[0])
        fail_msg("faces are off by %g, refined by %g", error[0], error[1]);
}

// a ball by longitude and latitude: at its poles are many points that only rounding parts
static void polesAreOnePoint(void **state)
{
    (void)state;
    const int rows = 12, columns = 20;
    Soup soup = { 0 };
    for (int i = 0; i < (rows + 1) * columns; ++i)
    {
        double theta = PI * (i / columns) / rows, phi = 2 * PI * (i % columns) / columns;
        soupPoint(&soup, sin(theta) * cos(phi), cos(theta), sin(theta) * sin(phi));
    }
    for (int i = 0; i < rows * columns; ++i)
    {
        int next = i % columns == columns - 1 ? i + 1 - columns : i + 1;
        soupQuad(&soup, i, next, next + columns, i + columns);
    }
    vvSolidReport report;
    vvResult result;
    vvMesh *mesh = fillSoup(&soup, VV_SOLID_CONFORMING, 6, &report, &result);
    assert_non_null(mesh);
    assert_int_equal(report.openEdges, 0);
    assert_int_equal(report.weldedPoints, 2 * (columns - 1));
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static void sameInputSameBits(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int run = 0; run < 2; ++run)
    {
        Soup soup = { 0 };
        crossing(&soup);
        vvMesh *mesh = fillSoup(&soup, VV_SOLID_CONFORMING, 8, NULL, NULL);
        hash[run] = hashBytes(HASH_SEED, vvMesh_GetPoints(mesh), 24 * (size_t)vvMesh_GetVertexCount(mesh));
        hash[run] = hashBytes(hash[run], vvMesh_GetTets(mesh), 16 * (size_t)vvMesh_GetTetCount(mesh));
        vvDestroyMesh(mesh);
        soupFree(&soup);
    }
    assert_true(hash[0] == hash[1]);
}

static bool stopHalfway(double share, void *userData)
{
    double *last = userData;
    assert_true(share >= *last && share <= 1);
    *last = share;
    return share < 0.5;
}

static void progressIsToldAndCanStop(void **state)
{
    (void)state;
    Soup soup = { 0 };
    ball(&soup);
    vvMeshDef surface = soupDef(&soup);
    vvSolidDef def = vvDefaultSolidDef();
    double last = 0;
    def.progress = stopHalfway;
    def.userData = &last;
    vvResult result;
    assert_null(vvCreateSolidMesh(&surface, &def, NULL, &result));
    assert_int_equal(result.code, VV_LIMIT);
    assert_true(last >= 0.5);
    soupFree(&soup);
}

static void badDefinitionsAreRefused(void **state)
{
    (void)state;
    vvMeshDef box = vvDefaultMeshDef(), tube = vvDefaultMeshDef();
    tube.shape = VV_MESH_SHEET;
    vvSolidDef good = vvDefaultSolidDef(), bad[8];
    for (int i = 0; i < 8; ++i)
        bad[i] = good;
    bad[0].cookie = 0;
    bad[1].cells = 1;
    bad[2].edge = -1;
    bad[3].kind = (vvSolidKind)7;
    bad[4].edge = 1e-5;
    bad[5].grading = 9;
    bad[6].surfaceEdge = -1;
    bad[7].surfaceEdge = NAN;
    vvResult result;
    for (int i = 0; i < 8; ++i)
    {
        assert_null(vvCreateSolidMesh(&tube, &bad[i], NULL, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(result.remedy[0] != 0);
    }
    assert_null(vvCreateSolidMesh(&box, &good, NULL, &result));
    assert_non_null(strstr(result.message, "tets already"));
    assert_null(vvCreateSolidMesh(&box, NULL, NULL, &result));
}

static void everyAllocationMayFail(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 3);
    vvMeshDef surface = soupDef(&soup);
    vvSolidDef def = vvDefaultSolidDef();
    def.cells = 3;
    def.grading = 1;
    def.surfaceEdge = 0.4;
    int left = 0;
    surface.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
    vvMesh *mesh = NULL;
    int count = 0;
    for (; mesh == NULL; count += refusedApart())
    {
        vvResult result;
        left = count;
        mesh = vvCreateSolidMesh(&surface, &def, NULL, &result);
        if (mesh == NULL)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    }
    assert_true(count > 30);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(awkwardSurfacesBecomeSolids),
        cmocka_unit_test(cagesCoverAll),
        cmocka_unit_test(coarseLatticesKeepTheVolume),
        cmocka_unit_test(sameInputSameBits),
        cmocka_unit_test(progressIsToldAndCanStop),
        cmocka_unit_test(badDefinitionsAreRefused),
        cmocka_unit_test(everyAllocationMayFail),
        cmocka_unit_test(polesAreOnePoint),
        cmocka_unit_test(cellsGrowInward),
        cmocka_unit_test(surfacesAreRefined),
        cmocka_unit_test(refinedSurfacesAreNearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
