// verve-kinds: what the local step of every kind of energy costs, per element: the gradient at a point that moves a
// little from call to call, as the iterates of a step do. CPU time of one thread, kinds in turns, the least of some
// rounds. Prints the table of docs/notes/materials.md.
//   verve-kinds [word in the name of a kind]
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15
#define CALLS 12    // of one round, through points in turns
#define POINTS 4    //
#define STRAIN 0.15 // from rest to the points
#define MOVES 1e-3  // m, between them
#define EXAMPLES 3
#define MOST_ROWS 64

// ---- bodies ---------------------------------------------------------------------------------------------------------

static vvMesh *boxMesh(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 8, 8, 8); // 2560 tets
}

static vvMesh *sheetMesh(void)
{
    return vvCreateSheetMesh(1, 1, 36, 36); // 2592 triangles
}

static vvMesh *ropeMesh(void)
{
    return vvCreateRopeMesh(1, 2500);
}

// the surface of a box as a sheet
static vvMesh *balloonMesh(void)
{
    vvMesh *box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 14, 14, 14), *mesh = NULL;
    int count = vvMesh_GetVertexCount(box), sides = 3 * vvMesh_GetSurfaceCount(box), used = 0;
    int *place = malloc((size_t)count * sizeof(int)), *corner = malloc((size_t)sides * sizeof(int));
    double *points = malloc((size_t)count * 3 * sizeof(double));
    if (place && corner && points)
    {
        memset(place, -1, (size_t)count * sizeof(int));
        for (int k = 0; k < sides; ++k)
        {
            int v = vvMesh_GetSurface(box)[k];
            if (place[v] < 0)
            {
                memcpy(points + 3 * used, vvMesh_GetPoints(box) + 3 * v, 3 * sizeof(double));
                place[v] = used++;
            }
            corner[k] = place[v];
        }
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_ARRAYS;
        def.points = points;
        def.pointCount = used;
        def.triangles = corner;
        def.triangleCount = sides / 3;
        mesh = vvCreateMesh(&def, NULL);
    }
    free(place);
    free(corner);
    free(points);
    vvDestroyMesh(box);
    return mesh;
}

// ---- kinds ----------------------------------------------------------------------------------------------------------

static void toPlane(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    p[0] = z[0];
    p[1] = 0;
    p[2] = z[2];
}

static void toPlanes(void *userData, const int *elements, const double *z, double *p)
{
    (void)userData;
    (void)elements;
    for (int i = 0; i < 3 * VV_CONSTRAINT_LANES; ++i)
        p[i] = i / VV_CONSTRAINT_LANES == 1 ? 0 : z[i];
}

static double toSphere(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    for (int a = 0; a < 3; ++a)
        gradient[a] = 2 * x[a];
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 0.49;
}

static void plain(vvSoftBodyDef *def, double value)
{
    (void)def;
    (void)value;
}

static void shearing(vvSoftBodyDef *def, double value)
{
    def->material.poisson = value;
}

static void damped(vvSoftBodyDef *def, double value)
{
    def->damping.stiffness = value;
}

static void dashed(vvSoftBodyDef *def, double value)
{
    def->damping.spring = value;
}

static void limited(vvSoftBodyDef *def, double value)
{
    def->strainLimit = (vvStrainLimit){ .min = 1 - value, .max = 1 + value, .stiffness = 1e6 };
}

static void woven(vvSoftBodyDef *def, double value)
{
    limited(def, value);
    def->strainLimit.direction = (vvVec3){ 1, 0, 0.3 };
    def->strainLimit.acrossMin = 1 - value;
    def->strainLimit.acrossMax = 1 + value;
}

static void filled(vvSoftBodyDef *def, double value)
{
    def->volumeStiffness = value;
}

static void covered(vvSoftBodyDef *def, double value)
{
    def->areaStiffness = value;
}

static void bent(vvSoftBodyDef *def, double value)
{
    def->bending = value;
}

static void folded(vvSoftBodyDef *def, double value)
{
    def->bending = value;
    def->bendingModel = "dihedral";
}

static void blown(vvSoftBodyDef *def, double value)
{
    def->pressure = value;
}

static void shaped(vvSoftBodyDef *def, double value)
{
    def->shapeStiffness = value;
}

static void clustered(vvSoftBodyDef *def, double value)
{
    def->shapeStiffness = value;
    def->shapeClusters = 20;
}

// longer, bent, sheared; `value` of them
static void taught(vvSoftBodyDef *def, double value)
{
    static double *points[EXAMPLES];
    static const double *examples[EXAMPLES];
    int count = vvMesh_GetVertexCount(def->mesh);
    for (int k = 0; k < EXAMPLES; ++k)
    {
        points[k] = realloc(points[k], (size_t)count * 3 * sizeof(double));
        if (points[k] == NULL)
            exit(1);
        examples[k] = points[k];
        for (int v = 0; v < count; ++v)
        {
            const double *p = vvMesh_GetPoints(def->mesh) + 3 * v;
            const double shape[EXAMPLES][3] = { { 1.4 * p[0], p[1], p[2] },
                                                { p[0], p[1] + 0.4 * p[0] * p[0], p[2] },
                                                { p[0] + 0.3 * p[1], p[1], p[2] } };
            memcpy(points[k] + 3 * v, shape[k], sizeof shape[k]);
        }
    }
    def->examples = examples;
    def->exampleCount = (int)value;
    def->exampleStiffness = 1e5;
}

static void taughtAsOne(vvSoftBodyDef *def, double value)
{
    taught(def, value);
    def->exampleWeights = VV_EXAMPLE_WEIGHTS_GLOBAL;
}

typedef struct Row
{
    const char *what, *kind; // as the table and as the energy are named
    vvMesh *(*mesh)(void);
    const char *model;
    void (*set)(vvSoftBodyDef *def, double value);
    double value;
} Row;

static const Row rows[] = {
    { "springs", "spring", sheetMesh, "spring", plain, 0 },
    { "squared springs", "squared-spring", sheetMesh, "squared-spring", plain, 0 },
    { "dampers of springs", "spring-damper", sheetMesh, "spring", dashed, 1 },
    { "limit of segments", "edge-limit", ropeMesh, "spring", limited, 0.01 },
    { "strain of triangles", "triangle", sheetMesh, "triangle", plain, 0 },
    { "limit of triangles", "triangle-limit", sheetMesh, "triangle", limited, 0.05 },
    { "the same, none reached", "triangle-limit", sheetMesh, "triangle", limited, 0.5 },
    { "limits by direction, triangles", "triangle-fibre", sheetMesh, "triangle", woven, 0.05 },
    { "area", "area", sheetMesh, "triangle", covered, 1e5 },
    { "membrane", "membrane", sheetMesh, "membrane", plain, 0 },
    { "dampers of the membrane", "membrane-damper", sheetMesh, "membrane", damped, 0.01 },
    { "bending by curvature", "bending", sheetMesh, "triangle", bent, 1 },
    { "dampers of curvature", "bending-damper", sheetMesh, "triangle", damped, 0.01 },
    { "bending by angle, hinges", "dihedral", sheetMesh, "triangle", folded, 1 },
    { "pressure", "pressure", balloonMesh, "triangle", blown, 100 },
    { "strain of tets", "corotated", boxMesh, "corotated", plain, 0 },
    { "the same, ratio 0.3", "corotated", boxMesh, "corotated", shearing, 0.3 },
    { "stable neo-Hookean", "stable-neo-hookean", boxMesh, "stable-neo-hookean", shearing, 0.3 },
    { "linear tets", "linear", boxMesh, "linear", shearing, 0.3 },
    { "dampers of tets", "corotated-damper", boxMesh, "corotated", damped, 0.01 },
    { "limit of tets", "tet-limit", boxMesh, "corotated", limited, 0.05 },
    { "the same, none reached", "tet-limit", boxMesh, "corotated", limited, 0.5 },
    { "limits by direction, tets", "tet-fibre", boxMesh, "corotated", woven, 0.05 },
    { "volume", "volume", boxMesh, "corotated", filled, 1e6 },
    { "1 example", "example", boxMesh, "corotated", taught, 1 },
    { "2 examples", "example", boxMesh, "corotated", taught, 2 },
    { "3 examples", "example", boxMesh, "corotated", taught, 3 },
    { "1 example, one blend", "example-blend", boxMesh, "corotated", taughtAsOne, 1 },
    { "2 examples, one blend", "example-blend", boxMesh, "corotated", taughtAsOne, 2 },
    { "shape matching", "shape-matching", boxMesh, "corotated", shaped, 100 },
    { "the same, 20 clusters", "shape-matching", boxMesh, "corotated", clustered, 100 },
    { "your own, by projection", "own", sheetMesh, "triangle", plain, 0 },
    { "your own, in lanes", "own", sheetMesh, "triangle", plain, 1 },
    { "your own, by function", "own", sheetMesh, "triangle", plain, 2 },
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))
_Static_assert(ROWS <= MOST_ROWS, "room for what rows measure");

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Measure
{
    vvWorldId world;
    Energy *energy;
    double *point[POINTS], *sum;
    double gradient, value; // s of a round, least
} Measure;

static vvResult addOwn(vvSoftBodyId body, int form)
{
    int count = vvSoftBody_GetVertexCount(body), *vertices = malloc((size_t)count * sizeof(int));
    vvConstraintDef def = vvDefaultConstraintDef();
    for (int v = 0; v < count && vertices; ++v)
        vertices[v] = v;
    def.vertices = vertices;
    def.count = count;
    def.corners = 1;
    def.project = form == 0 ? toPlane : NULL;
    def.projectLanes = form == 1 ? toPlanes : NULL;
    def.function = form == 2 ? toSphere : NULL;
    vvResult result;
    vvCreateConstraint(body, &def, &result);
    free(vertices);
    return result;
}

static bool make(const Row *row, Measure *m)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    vvResult result = { 0 };
    worldDef.method = "backward-euler";
    worldDef.solver = "local-global";
    m->world = vvCreateWorld(&worldDef, &result);
    def.mesh = row->mesh();
    def.model = row->model;
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 0.01 };
    row->set(&def, row->value);
    vvSoftBodyId id = vvCreateSoftBody(m->world, &def, &result);
    if (result.code == VV_OK && strcmp(row->kind, "own") == 0)
        result = addOwn(id, (int)row->value);
    if (result.code != VV_OK)
    {
        fprintf(stderr, "%s: %s\n", row->what, result.message);
        return false;
    }
    Body *body = bodyFind(id);
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        if (strcmp(body->member.energy[e]->kind->name, row->kind) == 0)
            m->energy = body->member.energy[e];
    }
    size_t size = (size_t)body->count * 3 * sizeof(double);
    m->sum = malloc(size);
    unsigned random = 1;
    for (int k = 0; k < POINTS; ++k)
        m->point[k] = malloc(size);
    for (int i = 0; i < 3 * body->count; ++i)
    {
        const double *p = body->mesh->point + i / 3 * 3;
        double smooth[3] = { p[0] + STRAIN * p[0] + 0.3 * p[1] * p[2], p[1] + 0.3 * p[0] * p[0],
                             p[2] - 0.2 * p[0] * p[1] };
        for (int k = 0; k < POINTS; ++k)
        {
            random = random * 1664525u + 1013904223u;
            m->point[k][i] = smooth[i % 3] + MOVES * ((random >> 8) / 16777216.0 - 0.5);
        }
    }
    m->gradient = m->value = 1e30;
    vvDestroyMesh(def.mesh);
    return m->energy != NULL;
}

static void measure(Measure *m)
{
    clock_t start = clock();
    for (int k = 0; k < CALLS; ++k)
        energyAddGradient(m->energy, m->point[k % POINTS], m->sum);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    m->gradient = seconds < m->gradient ? seconds : m->gradient;
    start = clock();
    for (int k = 0; k < CALLS; ++k)
        m->sum[0] += energyValue(m->energy, m->point[k % POINTS]);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    m->value = seconds < m->value ? seconds : m->value;
}

int main(int argc, char **argv)
{
    static Measure all[MOST_ROWS];
    bool taken[MOST_ROWS] = { false };
    for (int i = 0; i < ROWS; ++i)
    {
        taken[i] = argc < 2 || strstr(rows[i].kind, argv[1]) != NULL;
        if (taken[i] && !make(&rows[i], &all[i]))
            return 1;
    }
    for (int round = 0; round < ROUNDS; ++round)
    {
        for (int i = 0; i < ROWS; ++i)
        {
            if (taken[i])
                measure(&all[i]);
        }
    }
    printf("instruction set: %s\n\n", isaName(isaBest()));
    printf("| what | kind | elements | gradient, ns | value, ns |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < ROWS; ++i)
    {
        if (!taken[i])
            continue;
        double scale = 1e9 / CALLS / all[i].energy->elementCount;
        printf("| %s | `%s` | %d | %.1f | %.1f |\n", rows[i].what, rows[i].kind, all[i].energy->elementCount,
               scale * all[i].gradient, scale * all[i].value);
        for (int k = 0; k < POINTS; ++k)
            free(all[i].point[k]);
        free(all[i].sum);
        vvDestroyWorld(all[i].world);
    }
    return 0;
}
