// The bodies that are simulated. Where a published model is not at hand, our own with as many vertices and tets to 1 %
// stands in.
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG 1e5      // Pa
#define DENSITY 1000.0 // kg/m^3
#define GRAVITY 9.81   // m/s^2
#define PATH_SIZE 4096

// a sheet of soft rubber, held at four corners: springs in tension, so that rounding is not amplified by buckling
static const double springStiffness[VV_EDGE_KINDS] = { 200, 100, 20 }; // N/m
static const double clothDensity = 1000;                               // kg/m^3
static const double clothThickness = 0.001;                            // m

static vvMeshDef boxShape(double x, double y, double z, int cellsX, int cellsY, int cellsZ)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.size = (vvVec3){ x, y, z };
    def.cells[0] = cellsX;
    def.cells[1] = cellsY;
    def.cells[2] = cellsZ;
    return def;
}

static vvMeshDef barShape(void)
{
    return boxShape(1, 0.0625, 0.0625, 32, 2, 2); // 297 vertices, 640 tets
}

static vvMeshDef cubeShape(void)
{
    return boxShape(0.5, 0.5, 0.5, 6, 6, 6); // 343 vertices, 1080 tets
}

static vvMeshDef hippoShape(void)
{
    return modelShape(VV_MESH_HIPPO); // 2387 vertices, 8416 tets
}

static vvMeshDef cactusShape(void)
{
    return modelShape(VV_MESH_CACTUS); // 5219 vertices, 17211 tets
}

static vvMeshDef clothShape(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.size = (vvVec3){ 1, 1, 1 };
    def.cells[0] = def.cells[2] = 100;
    def.diagonals = 1;
    def.skip = true;
    return def; // 10201 vertices, 50198 springs
}

static vvMeshDef solidShape(void)
{
    return boxShape(1, 1, 1, 29, 29, 29); // 27000 vertices, 121945 tets
}

// corners of the bounding box; what hangs does not buckle, which would amplify rounding
static const double left[HELD][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, 1, 1 } };
static const double above[HELD][3] = { { 0, 1, 0 }, { 0, 1, 1 }, { 1, 1, 0 }, { 1, 1, 1 } };
static const double below[HELD][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { 1, 0, 1 } };

// clang-format off
static const Row rows[] = {
    // name     file           shape        hold   N/m  frames settle converge
    { "bar",    NULL,          barShape,    left,  1e4, 20,    15,    1000 },
    { "cube",   NULL,          cubeShape,   left,  1e4, 20,    15,    300 },
    { "hippo",  "hippo.mesh",  hippoShape,  left,  1e4, 5,     15,    300 },
    { "cactus", "cactus.mesh", cactusShape, above, 1e4, 3,     15,    300 },
    { "cloth",  NULL,          clothShape,  below, 1e3, 3,     5,     1000 },
    { "solid",  NULL,          solidShape,  left,  1e5, 2,     10,    0 },
};
// clang-format on

int rowCount(void)
{
    return (int)(sizeof rows / sizeof rows[0]);
}

const Row *rowAt(int index)
{
    return &rows[index];
}

const Row *rowFind(const char *name)
{
    for (int i = 0; i < rowCount(); ++i)
    {
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    }
    return NULL;
}

void rowNames(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < rowCount(); ++i)
    {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", rows[i].name);
    }
}

// ---- from a row to plain arrays -------------------------------------------------------------------------------------

static vvMesh *makeMesh(const Row *row, const char *meshDir, bool *file, char *message, size_t size)
{
    *file = false;
    if (row->file != NULL && meshDir != NULL)
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", meshDir, row->file);
        *file = true;
        return modelRead(path, message, size);
    }
    vvMeshDef def = row->shape();
    vvResult result = { 0 };
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        snprintf(message, size, "%s: %s", row->name, result.message);
    return mesh;
}

static double distance(const double *a, const double *b)
{
    double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

static bool isAttached(const Problem *p, int vertex)
{
    for (int i = 0; i < p->attachedCount; ++i)
    {
        if (p->attached[i] == vertex)
            return true;
    }
    return false;
}

// the vertices nearest to the row's points of the bounding box, none twice
static void attach(Problem *p, const Row *row)
{
    double low[3], high[3];
    for (int a = 0; a < 3; ++a)
        low[a] = high[a] = p->rest[a];
    for (int i = 0; i < 3 * p->vertexCount; ++i)
    {
        low[i % 3] = fmin(low[i % 3], p->rest[i]);
        high[i % 3] = fmax(high[i % 3], p->rest[i]);
    }
    for (int k = 0; k < HELD; ++k)
    {
        double point[3];
        for (int a = 0; a < 3; ++a)
            point[a] = low[a] + row->hold[k][a] * (high[a] - low[a]);
        int best = -1;
        for (int v = 0; v < p->vertexCount; ++v)
        {
            bool nearer = best < 0 || distance(p->rest + 3 * v, point) < distance(p->rest + 3 * best, point);
            if (nearer && !isAttached(p, v))
                best = v;
        }
        p->attached[p->attachedCount++] = best;
    }
    p->attachedStiffness = row->stiffness;
}

// lumped: every tet, or triangle of a sheet, gives equal shares to its corners
static void addMass(Problem *p, const int *corners, int count, double mass)
{
    for (int i = 0; i < count; ++i)
        p->mass[corners[i]] += mass / count;
}

static double tetVolume(const double *x, const int *t)
{
    double e[3][3];
    for (int c = 0; c < 3; ++c)
    {
        for (int a = 0; a < 3; ++a)
            e[c][a] = x[3 * t[c + 1] + a] - x[3 * t[0] + a];
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static void copySprings(Problem *p, const vvMesh *mesh)
{
    const int *kinds = vvMesh_GetEdgeKinds(mesh);
    memcpy(p->springs, vvMesh_GetEdges(mesh), (size_t)p->springCount * 2 * sizeof(int));
    for (int i = 0; i < p->springCount; ++i)
    {
        p->springLength[i] = distance(p->rest + 3 * p->springs[2 * i], p->rest + 3 * p->springs[2 * i + 1]);
        p->springStiffness[i] = springStiffness[kinds[i]];
    }
}

bool problemCreate(const Row *row, const char *meshDir, Problem *p, bool *file, char *message, size_t size)
{
    *p = (Problem){ .young = YOUNG, .density = DENSITY, .gravity = GRAVITY, .h = BENCH_STEP };
    p->mesh = makeMesh(row, meshDir, file, message, size);
    if (p->mesh == NULL)
        return false;
    p->vertexCount = vvMesh_GetVertexCount(p->mesh);
    p->tetCount = vvMesh_GetTetCount(p->mesh);
    p->springCount = p->tetCount > 0 ? 0 : vvMesh_GetEdgeCount(p->mesh);
    p->size = vvMesh_GetSize(p->mesh);
    size_t vertices = (size_t)p->vertexCount, springs = (size_t)p->springCount;
    p->rest = calloc(3 * vertices, sizeof(double));
    p->mass = calloc(vertices, sizeof(double));
    p->tets = calloc(4 * (size_t)p->tetCount + 1, sizeof(int));
    p->springs = calloc(2 * springs + 1, sizeof(int));
    p->springLength = calloc(springs + 1, sizeof(double));
    p->springStiffness = calloc(springs + 1, sizeof(double));
    p->attached = calloc(HELD, sizeof(int));
    if (!p->rest || !p->mass || !p->tets || !p->springs || !p->springLength || !p->springStiffness || !p->attached)
    {
        snprintf(message, size, "%s: out of memory", row->name);
        problemDestroy(p);
        return false;
    }
    memcpy(p->rest, vvMesh_GetPoints(p->mesh), 3 * vertices * sizeof(double));
    attach(p, row);
    if (p->tetCount > 0)
        memcpy(p->tets, vvMesh_GetTets(p->mesh), 4 * (size_t)p->tetCount * sizeof(int));
    else
    {
        copySprings(p, p->mesh);
        p->density = clothDensity;
        p->thickness = clothThickness;
        const int *triangles = vvMesh_GetSurface(p->mesh);
        int count = vvMesh_GetSurfaceCount(p->mesh);
        double share = clothDensity * clothThickness * vvMesh_GetArea(p->mesh) / count; // all triangles are alike
        for (int i = 0; i < count; ++i)
            addMass(p, triangles + 3 * i, 3, share);
    }
    for (int i = 0; i < p->tetCount; ++i)
        addMass(p, p->tets + 4 * i, 4, DENSITY * tetVolume(p->rest, p->tets + 4 * i));
    return true;
}

void problemDestroy(Problem *p)
{
    vvDestroyMesh(p->mesh);
    free(p->rest);
    free(p->mass);
    free(p->tets);
    free(p->springs);
    free(p->springLength);
    free(p->springStiffness);
    free(p->attached);
    *p = (Problem){ 0 };
}
