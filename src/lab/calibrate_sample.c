// A piece of a body's material with cells of the body's own size: what locks on the body's mesh locks here too.
#include "lab/calibrate.h"

#include "base/base.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verve/solid.h>

#define ROD_RINGS 10 // of the surface of a rod: 60 faces around
#define ROD_LAYERS 30

static double meanEdge(const vvMesh *mesh, vvEdgeKind kind, int *count)
{
    const double *x = vvMesh_GetPoints(mesh);
    const int *edge = vvMesh_GetEdges(mesh), *kinds = vvMesh_GetEdgeKinds(mesh);
    double sum = 0;
    *count = 0;
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        double square = 0;
        for (int a = 0; a < 3 && kinds[e] == (int)kind; ++a)
            square += pow(x[3 * edge[2 * e] + a] - x[3 * edge[2 * e + 1] + a], 2);
        sum += sqrt(square);
        *count += kinds[e] == (int)kind;
    }
    return *count > 0 ? sum / *count : 0;
}

// c of longitudinal waves: a solid cannot contract sideways, a sheet in one direction, a rope in both
static double soundSpeed(const Sample *sample)
{
    const vvMaterial *m = &sample->def.material;
    double modulus = m->young, nu = m->poisson;
    if (sampleIsSolid(sample))
        modulus *= (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    else if (sample->kind == SAMPLE_STRIP)
        modulus /= 1 - nu * nu;
    double k = sample->def.springStiffness[VV_EDGE_STRUCTURAL];
    if (!sample->raw || !(k > 0))
        return sqrt(modulus / m->density);
    double cell = sample->edge, matter = sampleIsSolid(sample)          ? cell * cell
                                         : sample->kind == SAMPLE_STRIP ? cell * m->thickness
                                                                        : PI / 4 * m->thickness * m->thickness;
    return cell * sqrt(k / (m->density * matter * cell)); // l sqrt(k / m)
}

bool sampleIsSolid(const Sample *sample)
{
    return sample->kind == SAMPLE_BAR || sample->kind == SAMPLE_ROD;
}

double sampleWidth(const Sample *sample)
{
    return sample->edge * maxInt(sample->across, 1);
}

// ---- rods -----------------------------------------------------------------------------------------------------------

// the least eigenvalue of a symmetric matrix, by its characteristic polynomial
static double leastEigenvalue(double a[3][3])
{
    double mean = (a[0][0] + a[1][1] + a[2][2]) / 3, square = 0;
    for (int i = 0; i < 3; ++i)
    {
        a[i][i] -= mean;
        for (int j = 0; j < 3; ++j)
            square += a[i][j] * a[i][j] / 6;
    }
    double p = sqrt(square), det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                                   a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                                   a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    double r = p > 0 ? maxReal(-1, minReal(1, 0.5 * det / (p * p * p))) : 0;
    return mean + 2 * p * cos((acos(r) + 2 * PI) / 3);
}

// Adds a tet's volume, first and second moments; the mean of x_a x_b over a tet is (sums of corners + corners) / 20.
static void addMoments(const double *x, const int *tet, double *total, double *first, double second[3][3])
{
    Vec3 p = vecLoad(x + 3 * tet[0]), q = vecLoad(x + 3 * tet[1]), r = vecLoad(x + 3 * tet[2]);
    Vec3 s = vecLoad(x + 3 * tet[3]);
    double volume = fabs(vecDot(vecSub(q, p), vecCross(vecSub(r, p), vecSub(s, p)))) / 6;
    double sum[3] = { p.x + q.x + r.x + s.x, p.y + q.y + r.y + s.y, p.z + q.z + r.z + s.z };
    for (int a = 0; a < 3; ++a)
    {
        first[a] += volume * sum[a] / 4;
        for (int b = 0; b < 3; ++b)
        {
            double corners = 0;
            for (int i = 0; i < 4; ++i)
                corners += x[3 * tet[i] + a] * x[3 * tet[i] + b];
            second[a][b] += volume * (sum[a] * sum[b] + corners) / 20;
        }
    }
    *total += volume;
}

// How matter spreads in the direction where it spreads least, m: the standard deviation.
static double leastSpread(const vvMesh *mesh)
{
    double first[3] = { 0 }, second[3][3] = { { 0 } }, total = 0;
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
        addMoments(vvMesh_GetPoints(mesh), vvMesh_GetTets(mesh) + 4 * (size_t)t, &total, first, second);
    for (int a = 0; a < 3; ++a)
    {
        for (int b = 0; b < 3; ++b)
            second[a][b] = second[a][b] / total - first[a] * first[b] / (total * total);
    }
    return sqrt(maxReal(0, leastEigenvalue(second)));
}

static int byValue(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median of the longest edges of all tets, m: of a filled surface the spacing of its lattice, as most tets are whole.
static double cellOf(const vvMesh *mesh)
{
    Memory memory = memoryMake(NULL);
    const double *x = vvMesh_GetPoints(mesh);
    const int *tet = vvMesh_GetTets(mesh);
    int count = vvMesh_GetTetCount(mesh);
    double *longest = ALLOCATE(&memory, double, count);
    if (longest == NULL)
        return cbrt(12 * vvMesh_GetVolume(mesh) / count); // tets are a twelfth of a cube of the lattice
    for (int t = 0; t < count; ++t, tet += 4)
    {
        Vec3 corner[4];
        for (int i = 0; i < 4; ++i)
            corner[i] = vecLoad(x + 3 * tet[i]);
        longest[t] = 0;
        for (int i = 0; i < 6; ++i)
        {
            static const int pair[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
            longest[t] = maxReal(longest[t], vecLength(vecSub(corner[pair[i][0]], corner[pair[i][1]])));
        }
    }
    qsort(longest, (size_t)count, sizeof *longest, byValue);
    double cell = longest[count / 2];
    memoryRelease(&memory, longest);
    return cell;
}

// Cells as large as the body's, and as many across. Four standard deviations are the diameter of a cylinder, six
// volumes over the area that of a ball or the side of a cube.
static void makeRod(Sample *s, const vvMesh *mesh)
{
    double volume = vvMesh_GetVolume(mesh),
           thickness = minReal(4 * leastSpread(mesh), 6 * volume / vvMesh_GetArea(mesh));
    s->kind = SAMPLE_ROD;
    s->edge = cellOf(mesh);
    s->bodyAcross = thickness / s->edge;
    s->across = (int)minReal(maxReal(floor(s->bodyAcross + 0.5), LEAST_ROD_ACROSS), MOST_ROD_ACROSS);
    s->area = PI / 4 * sampleWidth(s) * sampleWidth(s);
    s->length = ROD_LENGTH * sampleWidth(s);
}

// the surface of a cylinder, filled
static vvMesh *rodMesh(const Sample *sample, vvResult *result)
{
    vvMesh *cylinder = vvCreateCylinderMesh(sampleWidth(sample), sample->length, ROD_RINGS, ROD_LAYERS);
    if (cylinder == NULL)
    {
        *result = resultOutOfMemory("a sample");
        return NULL;
    }
    vvMeshDef surface = vvDefaultMeshDef();
    surface.shape = VV_MESH_ARRAYS;
    surface.points = vvMesh_GetPoints(cylinder);
    surface.pointCount = vvMesh_GetVertexCount(cylinder);
    surface.triangles = vvMesh_GetSurface(cylinder);
    surface.triangleCount = vvMesh_GetSurfaceCount(cylinder);
    surface.rotate = (vvVec3){ 0, 0, -90 }; // from y to x
    vvSolidDef def = vvDefaultSolidDef();
    def.edge = sample->edge;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, result);
    vvDestroyMesh(cylinder);
    return mesh;
}

// ---- samples --------------------------------------------------------------------------------------------------------

Sample sampleOf(const vvSoftBodyDef *def, bool filled)
{
    const vvMesh *mesh = def->mesh;
    int tets = vvMesh_GetTetCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh), structural, shear, skip;
    Sample s = { .def = *def, .kind = tets > 0 ? SAMPLE_BAR : triangles > 0 ? SAMPLE_STRIP : SAMPLE_ROPE };
    double edge = meanEdge(mesh, VV_EDGE_STRUCTURAL, &structural);
    meanEdge(mesh, VV_EDGE_SHEAR, &shear);
    meanEdge(mesh, VV_EDGE_SKIP, &skip);
    double thickness = def->material.thickness;
    if (s.kind == SAMPLE_BAR && filled)
        makeRod(&s, mesh);
    else if (s.kind == SAMPLE_BAR) // five tets a cell
    {
        s.edge = cbrt(5 * vvMesh_GetVolume(mesh) / tets);
        s.across = 2;
        s.area = 4 * s.edge * s.edge;
    }
    else if (s.kind == SAMPLE_STRIP) // two triangles a cell
    {
        s.edge = sqrt(2 * vvMesh_GetArea(mesh) / triangles);
        s.across = 4;
        s.area = 4 * s.edge * thickness;
        s.diagonals = shear == 0 ? 0 : shear > 3 * triangles / 4 ? 2 : 1;
        // triangles of a file have springs along all their edges
        s.diagonals = shear == 0 && structural > 5 * triangles / 4 ? 1 : s.diagonals;
    }
    else
    {
        s.edge = edge;
        s.area = PI / 4 * thickness * thickness;
    }
    s.length = s.kind == SAMPLE_ROD ? s.length : s.edge * SAMPLE_CELLS;
    s.skip = skip > 0;
    s.framed = s.kind == SAMPLE_ROPE && shear > 0;
    if (vvSoftBodyDef_GetElementCorners(def) == 2) // springs
    {
        for (int k = 0; k < VV_EDGE_KINDS; ++k)
            s.raw = s.raw || def->springStiffness[k] > 0;
    }
    s.speed = soundSpeed(&s);
    s.def.mesh = NULL;
    s.def.name = NULL;
    s.def.position = s.def.velocity = s.def.spin = (vvVec3){ 0, 0, 0 };
    s.def.pressure = 0; // needs a closed surface
    s.def.selfContact = false;
    s.def.examples = NULL; // they are shapes of the body, not of its matter
    s.def.exampleCount = 0;
    s.def.shapeStiffness = 0;
    return s;
}

static bool sameWord(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool sampleSame(const Sample *a, const Sample *b)
{
    const vvSoftBodyDef *x = &a->def, *y = &b->def;
    return a->kind == b->kind && fabs(a->edge - b->edge) <= 1e-9 * a->edge && a->across == b->across &&
           a->diagonals == b->diagonals && a->skip == b->skip && a->framed == b->framed &&
           sameWord(x->model, y->model) && sameWord(x->bendingModel, y->bendingModel) &&
           memcmp(&x->material, &y->material, sizeof x->material) == 0 &&
           memcmp(x->springStiffness, y->springStiffness, sizeof x->springStiffness) == 0 &&
           memcmp(&x->strainLimit, &y->strainLimit, sizeof x->strainLimit) == 0 && x->bending == y->bending &&
           x->twisting == y->twisting && x->volumeStiffness == y->volumeStiffness &&
           x->areaStiffness == y->areaStiffness && x->damping.mass == y->damping.mass &&
           x->damping.stiffness == y->damping.stiffness && x->damping.spring == y->damping.spring &&
           x->damping.rigidPreserving == y->damping.rigidPreserving;
}

vvMesh *sampleMesh(const Sample *sample, vvResult *result)
{
    if (sample->kind == SAMPLE_ROD)
        return rodMesh(sample, result);
    vvMeshDef def = vvDefaultMeshDef();
    double width = sample->edge * sample->across;
    def.shape = sample->kind == SAMPLE_BAR ? VV_MESH_BOX : sample->kind == SAMPLE_STRIP ? VV_MESH_SHEET : VV_MESH_ROPE;
    def.size = (vvVec3){ sample->length, width, width };
    def.cells[0] = SAMPLE_CELLS;
    def.cells[1] = def.cells[2] = maxInt(sample->across, 1);
    def.diagonals = sample->diagonals;
    def.skip = sample->skip;
    def.rod = sample->framed;
    return vvCreateMesh(&def, result);
}

// Tip of a cantilever: a rod by bending alone, a bar by Timoshenko (bending and shear), a strip as a plate that bends
// in one direction, a rope that is a rod by its own stiffness. Strips are held by their first two columns and are one
// cell shorter.
double sampleBendCompliance(const Sample *sample)
{
    const vvMaterial *m = &sample->def.material;
    double length = sample->length, width = sample->edge * sample->across, nu = m->poisson;
    if (sample->kind == SAMPLE_BAR && !sample->raw)
    {
        double shear = m->young / (2 * (1 + nu)), kappa = 10 * (1 + nu) / (12 + 11 * nu);
        return 4 * pow(length, 3) / (m->young * pow(width, 4)) + length / (kappa * shear * sample->area);
    }
    if (sample->kind == SAMPLE_ROD && !sample->raw) // the second moment of area of a circle is area^2 / (4 pi)
        return pow(length, 3) * 4 * PI / (3 * m->young * sample->area * sample->area);
    if (sample->framed) // held in the middle of the first segment
        return pow(length - 0.5 * sample->edge, 3) * 64 /
               (3 * fabs(sample->def.bending) * m->young * PI * pow(m->thickness, 4));
    bool triangles = vvSoftBodyDef_GetElementCorners(&sample->def) == 3;
    double times = sample->def.bending < 0 ? triangles : sample->def.bending;
    if (sample->kind != SAMPLE_STRIP || times == 0)
        return 0;
    double plate = times * m->young * pow(m->thickness, 3) / (12 * (1 - nu * nu));
    return pow(length - sample->edge, 3) / (3 * plate * width);
}
