// A piece of a body's material with cells of the body's own size: what locks on the body's mesh locks here too.
#include "lab/calibrate.h"

#include "base/base.h"
#include "world/model.h"

#include <math.h>
#include <string.h>

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
    if (sample->kind == SAMPLE_BAR)
        modulus *= (1 - nu) / ((1 + nu) * (1 - 2 * nu));
    else if (sample->kind == SAMPLE_STRIP)
        modulus /= 1 - nu * nu;
    double k = sample->def.springStiffness[VV_EDGE_STRUCTURAL];
    if (!sample->raw || !(k > 0))
        return sqrt(modulus / m->density);
    double cell = sample->edge, matter = sample->kind == SAMPLE_BAR     ? cell * cell
                                         : sample->kind == SAMPLE_STRIP ? cell * m->thickness
                                                                        : PI / 4 * m->thickness * m->thickness;
    return cell * sqrt(k / (m->density * matter * cell)); // l sqrt(k / m)
}

Sample sampleOf(const vvSoftBodyDef *def)
{
    const vvMesh *mesh = def->mesh;
    int tets = vvMesh_GetTetCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh), structural, shear, skip;
    Sample s = { .def = *def, .kind = tets > 0 ? SAMPLE_BAR : triangles > 0 ? SAMPLE_STRIP : SAMPLE_ROPE };
    double edge = meanEdge(mesh, VV_EDGE_STRUCTURAL, &structural);
    meanEdge(mesh, VV_EDGE_SHEAR, &shear);
    meanEdge(mesh, VV_EDGE_SKIP, &skip);
    double thickness = def->material.thickness;
    if (s.kind == SAMPLE_BAR) // five tets a cell
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
    s.skip = skip > 0;
    if (modelCorners(def) == 2) // springs
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
    return a->kind == b->kind && fabs(a->edge - b->edge) <= 1e-9 * a->edge && a->diagonals == b->diagonals &&
           a->skip == b->skip && sameWord(x->model, y->model) && sameWord(x->bendingModel, y->bendingModel) &&
           memcmp(&x->material, &y->material, sizeof x->material) == 0 &&
           memcmp(x->springStiffness, y->springStiffness, sizeof x->springStiffness) == 0 &&
           memcmp(&x->strainLimit, &y->strainLimit, sizeof x->strainLimit) == 0 && x->bending == y->bending &&
           x->volumeStiffness == y->volumeStiffness && x->areaStiffness == y->areaStiffness &&
           x->damping.mass == y->damping.mass && x->damping.stiffness == y->damping.stiffness &&
           x->damping.spring == y->damping.spring && x->damping.rigidPreserving == y->damping.rigidPreserving;
}

vvMesh *sampleMesh(const Sample *sample, vvResult *result)
{
    vvMeshDef def = vvDefaultMeshDef();
    double width = sample->edge * sample->across;
    def.shape = sample->kind == SAMPLE_BAR ? VV_MESH_BOX : sample->kind == SAMPLE_STRIP ? VV_MESH_SHEET : VV_MESH_ROPE;
    def.size = (vvVec3){ sample->edge * SAMPLE_CELLS, width, width };
    def.cells[0] = SAMPLE_CELLS;
    def.cells[1] = def.cells[2] = maxInt(sample->across, 1);
    def.diagonals = sample->diagonals;
    def.skip = sample->skip;
    return vvCreateMesh(&def, result);
}

// Tip of a cantilever: a bar by Timoshenko (bending and shear), a strip as a plate that bends in one direction. Strips
// are held by their first two columns and are one cell shorter.
double sampleBendCompliance(const Sample *sample)
{
    const vvMaterial *m = &sample->def.material;
    double length = sample->edge * SAMPLE_CELLS, width = sample->edge * sample->across, nu = m->poisson;
    if (sample->kind == SAMPLE_BAR && !sample->raw)
    {
        double shear = m->young / (2 * (1 + nu)), kappa = 10 * (1 + nu) / (12 + 11 * nu);
        return 4 * pow(length, 3) / (m->young * pow(width, 4)) + length / (kappa * shear * sample->area);
    }
    bool triangles = sample->def.model != NULL && strcmp(sample->def.model, "triangle") == 0;
    double times = sample->def.bending < 0 ? triangles : sample->def.bending;
    if (sample->kind != SAMPLE_STRIP || times == 0)
        return 0;
    double plate = times * m->young * pow(m->thickness, 3) / (12 * (1 - nu * nu));
    return pow(length - sample->edge, 3) / (3 * plate * width);
}
