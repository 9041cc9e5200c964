// A rod whose closed surface was filled with tets has the modulus of its material: stretched, compressed and bent.
#include "check.h"
#include "mesh/surfaces.h"
#include "undamped.h"

#include <verve/solid.h>
#include <verve/verve.h>

#define LENGTH 0.6  // m
#define RADIUS 0.1  // m
#define YOUNG 1e6   // Pa
#define STRAIN 1e-4 // of the stretched rod, and about that at the rim of the bent one
#define LIMIT 0.03  // 1, of the modulus
#define AROUND 64

// along x from 0 to LENGTH, both ends closed
static void soupRod(Soup *soup)
{
    const int along = 30;
    for (int i = 0; i <= along; ++i)
    {
        for (int k = 0; k < AROUND; ++k)
            soupPoint(soup, LENGTH * i / along, RADIUS * cos(2 * PI * k / AROUND), RADIUS * sin(2 * PI * k / AROUND));
    }
    int first = soupPoint(soup, 0, 0, 0), last = soupPoint(soup, LENGTH, 0, 0);
    for (int k = 0; k < AROUND; ++k)
    {
        int next = (k + 1) % AROUND;
        for (int i = 0; i < along; ++i)
            soupQuad(soup, i * AROUND + k, i * AROUND + next, (i + 1) * AROUND + next, (i + 1) * AROUND + k);
        soupFace(soup, first, next, k);
        soupFace(soup, last, along * AROUND + k, along * AROUND + next);
    }
}

static vvMesh *rod(int across)
{
    Soup soup = { 0 };
    soupRod(&soup);
    vvMeshDef surface = soupDef(&soup);
    vvSolidDef def = vvDefaultSolidDef();
    def.edge = 2 * RADIUS / across;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    soupFree(&soup);
    return mesh;
}

// the free end is loaded evenly, by the area of its faces; m^2, of those
static double load(vvSoftBodyId body, const vvMesh *mesh, vvVec3 stress)
{
    const double *x = vvMesh_GetPoints(mesh);
    const int *face = vvMesh_GetSurface(mesh);
    double *share = calloc((size_t)vvMesh_GetVertexCount(mesh), sizeof *share), area = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *c = face + 3 * (size_t)t;
        Vec3 p = vecLoad(x + 3 * (size_t)c[0]), q = vecLoad(x + 3 * (size_t)c[1]), r = vecLoad(x + 3 * (size_t)c[2]);
        bool end = minReal(p.x, minReal(q.x, r.x)) > LENGTH - 0.1 * RADIUS;
        for (int i = 0; i < 3 && end; ++i)
            share[c[i]] += vecLength(vecCross(vecSub(q, p), vecSub(r, p))) / 6;
    }
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        area += share[v];
        vvVec3 force = { share[v] * stress.x, share[v] * stress.y, share[v] * stress.z };
        if (share[v] > 0)
            assert_int_equal(vvSoftBody_SetForce(body, v, force).code, VV_OK);
    }
    free(share);
    return area;
}

// solves the normal equations of n unknowns
static void solveDense(double *a, double *b, int n)
{
    for (int i = 0; i < n; ++i)
    {
        for (int j = i + 1; j < n; ++j)
        {
            double factor = a[j * n + i] / a[i * n + i];
            for (int k = i; k < n; ++k)
                a[j * n + k] -= factor * a[i * n + k];
            b[j] -= factor * b[i];
        }
    }
    for (int i = n - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < n; ++k)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
}

// Least squares away from the ends: u_x = c0 + c1 x + c2 y + c3 y (LENGTH x - x^2 / 2). c1 is the strain; in Saint-
// Venant's solution of a bent rod c3 is -P / (young x second moment of area), and shear moves c2 alone.
static void fit(const vvMesh *mesh, const double *now, double *c)
{
    const double *x = vvMesh_GetPoints(mesh);
    double a[16] = { 0 };
    memset(c, 0, 4 * sizeof *c);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        const double *p = x + 3 * (size_t)v;
        if (p[0] < 0.3 * LENGTH || p[0] > 0.9 * LENGTH)
            continue;
        const double row[4] = { 1, p[0], p[1], p[1] * (LENGTH * p[0] - 0.5 * p[0] * p[0]) };
        for (int i = 0; i < 4; ++i)
        {
            for (int j = 0; j < 4; ++j)
                a[4 * i + j] += row[i] * row[j];
            c[i] += row[i] * (now[3 * (size_t)v] - p[0]);
        }
    }
    solveDense(a, c, 4);
}

// 1, of Young's modulus
static double modulus(const vvMesh *mesh, const char *model, double poisson, vvVec3 stress)
{
    vvWorldDef world = vvDefaultWorldDef();
    world.gravity = (vvVec3){ 0, 0, 0 };
    world.method = "backward-euler";
    world.solver = "newton";
    vvWorldId id = vvCreateWorld(&world, NULL);
    vvSoftBodyDef def = undampedDef();
    def.mesh = (vvMesh *)(uintptr_t)mesh;
    def.model = model;
    def.material = (vvMaterial){ .density = 1000, .young = YOUNG, .poisson = poisson, .thickness = 0.01 };
    vvSoftBodyId body = vvCreateSoftBody(id, &def, NULL);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        if (vvMesh_GetPoints(mesh)[3 * (size_t)v] < 0.1 * RADIUS)
            assert_int_equal(vvSoftBody_Pin(body, &v, 1).code, VV_OK);
    }
    double loaded = load(body, mesh, stress);
    for (int step = 0; step < 3; ++step) // of which each leaves about a tenth of the lowest vibration
        assert_int_equal(vvWorld_Step(id, 0.5).code, VV_OK);
    double c[4], area = vvMesh_GetVolume(mesh) / LENGTH;
    fit(mesh, vvSoftBody_GetPositions(body), c);
    vvDestroyWorld(id);
    // the second moment of area of a circle is area^2 / (4 pi)
    double force = loaded * (stress.y != 0 ? -stress.y : stress.x);
    return force / (stress.y != 0 ? c[3] * area * area / (4 * PI) : c[1] * area) / YOUNG;
}

typedef struct Row
{
    int across; // cells
    const char *model;
    double bent; // 1, by how much it may be too stiff or too soft when bent
} Row;

// Linear tets are too stiff when bent, by 1.1 / across^2; smoothed ones hardly. Whole tables: docs/notes/meshes.md.
static void rodsHaveTheirModulus(void **state)
{
    (void)state;
    static const Row rows[] = { { 4, "corotated", 0.08 }, { 4, "smoothed", LIMIT }, { 7, "corotated", LIMIT } };
    bool whole = getenv("VERVE_WHOLE") != NULL;
    for (int i = 0; i < (whole ? 3 : 2); ++i)
    {
        vvMesh *mesh = rod(rows[i].across);
        for (int k = 0; k < (whole ? 2 : 1); ++k)
        {
            double poisson = k == 0 ? 0.45 : 0.3, load = STRAIN * YOUNG;
            double stretched = modulus(mesh, rows[i].model, poisson, (vvVec3){ load, 0, 0 });
            double compressed = modulus(mesh, rows[i].model, poisson, (vvVec3){ -load, 0, 0 });
            double bent = modulus(mesh, rows[i].model, poisson, (vvVec3){ 0, 0.02 * load, 0 });
            print_message("%d across, %d tets, %s, Poisson %.2f: stretched %.4f, compressed %.4f, bent %.4f\n",
                          rows[i].across, vvMesh_GetTetCount(mesh), rows[i].model, poisson, stretched, compressed,
                          bent);
            CHECK_CLOSE(stretched, 1, 0.003);
            CHECK_CLOSE(compressed, 1, 0.003);
            CHECK_CLOSE(bent, 1, rows[i].bent);
        }
        vvDestroyMesh(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rodsHaveTheirModulus) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
