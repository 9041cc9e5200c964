// Samples in worlds of their own: how they are held and loaded, and what is read from them.
#include "lab/calibrate_rig.h"

#include <math.h>
#include <string.h>

#define END 0.05     // of the width of a rod: what is nearer to an end is on it
#define FIT_FROM 0.3 // of the length of a rod: where displacements are fitted, away from both ends
#define FIT_TO 0.9
#define FIT 4 // unknowns

static int columnOf(const Rig *rig, int vertex)
{
    return (int)floor(rig->rest[3 * vertex] / rig->sample->edge + 0.5 * SAMPLE_CELLS + 0.5);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

// the end of a rod is loaded evenly: each vertex by the area of its faces
static void shareByArea(Rig *rig)
{
    const vvMesh *mesh = rig->sample->def.mesh;
    const int *face = vvMesh_GetSurface(mesh);
    double from = 0.5 * rig->sample->length - END * sampleWidth(rig->sample);
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t, face += 3)
    {
        const double *p = rig->rest + 3 * face[0], *q = rig->rest + 3 * face[1], *r = rig->rest + 3 * face[2];
        if (minReal(p[0], minReal(q[0], r[0])) < from)
            continue;
        double area = 0.5 * fabs((q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1]));
        for (int i = 0; i < 3; ++i)
            rig->share[face[i]] += area / 3;
    }
}

// each vertex of the last column by the area, width or point that it stands for
static void shareByColumn(Rig *rig)
{
    double half = 0.5 * sampleWidth(rig->sample);
    for (int v = 0; v < rig->count; ++v)
    {
        double share = columnOf(rig, v) == SAMPLE_CELLS && !(rig->sample->framed && v > SAMPLE_CELLS);
        for (int a = 1; a < 3; ++a)
        {
            bool rim = rig->sample->across > 0 && fabs(fabs(rig->rest[3 * v + a]) - half) < 1e-6 * half;
            share *= rim ? 0.5 : 1;
        }
        rig->share[v] = share;
    }
}

static void shareLoad(Rig *rig)
{
    double sum = 0;
    memset(rig->share, 0, (size_t)rig->count * sizeof(double));
    if (rig->sample->kind == SAMPLE_ROD)
        shareByArea(rig);
    else
        shareByColumn(rig);
    for (int v = 0; v < rig->count; ++v)
        sum += rig->share[v];
    for (int v = 0; v < rig->count; ++v)
        rig->share[v] /= sum;
}

vvResult rigLoad(Rig *rig, int axis, double force)
{
    vvResult result = resultOk();
    for (int v = 0; v < rig->count && result.code == VV_OK; ++v)
    {
        double load = force * rig->share[v];
        if (load != 0)
            result = vvSoftBody_SetForce(rig->body, v, (vvVec3){ axis == 0 ? load : 0, axis == 1 ? load : 0, 0 });
    }
    return result;
}

vvResult rigSlow(Rig *rig, double factor)
{
    const double *now = vvSoftBody_GetVelocities(rig->body);
    for (int i = 0; i < 3 * rig->count; ++i)
        rig->velocity[i] = factor > 0 ? factor * now[i] : 0;
    return vvSoftBody_SetVelocities(rig->body, rig->velocity);
}

// ---- rigs -----------------------------------------------------------------------------------------------------------

static bool isHeld(const Rig *rig, int vertex, bool clamped)
{
    const Sample *s = rig->sample;
    if (s->kind == SAMPLE_ROD)
        return rig->rest[3 * vertex] < -0.5 * s->length + END * sampleWidth(s);
    return columnOf(rig, vertex) <= (s->framed || (clamped && s->kind == SAMPLE_STRIP) ? 1 : 0);
}

void rigDestroy(Rig *rig)
{
    vvDestroyWorld(rig->world);
    memoryRelease(&rig->memory, rig->share);
    memoryRelease(&rig->memory, rig->velocity);
}

vvResult rigCreate(const Sample *sample, const vvWorldDef *world, bool damped, bool clamped, Rig *rig)
{
    const vvMesh *mesh = sample->def.mesh;
    vvResult result = resultOk();
    *rig = (Rig){ .sample = sample, .memory = memoryMake(NULL) };
    rig->count = vvMesh_GetVertexCount(mesh);
    rig->rest = vvMesh_GetPoints(mesh);
    rig->share = ALLOCATE(&rig->memory, double, rig->count);
    rig->velocity = ALLOCATE(&rig->memory, double, 3 * rig->count);
    vvWorldDef def = *world;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.softContact = false;
    def.sleepEnergy = def.settings.localGlobal.budget = 0;
    def.threads = 1;
    rig->world = vvCreateWorld(&def, &result);
    vvSoftBodyDef body = sample->def;
    if (!damped)
        body.damping.mass = body.damping.rigidPreserving = 0; // what hinders motion does not change where it ends
    if (result.code == VV_OK && (rig->share == NULL || rig->velocity == NULL))
        result = resultOutOfMemory("a sample");
    if (result.code == VV_OK)
        rig->body = vvCreateSoftBody(rig->world, &body, &result);
    if (result.code == VV_OK)
        shareLoad(rig);
    for (int v = 0; v < rig->count && result.code == VV_OK; ++v)
    {
        if (isHeld(rig, v, clamped))
            result = vvSoftBody_Pin(rig->body, &v, 1);
    }
    if (result.code != VV_OK)
        rigDestroy(rig);
    return result;
}

// ---- responses ------------------------------------------------------------------------------------------------------

double rigTip(const Rig *rig, int axis)
{
    const double *x = vvSoftBody_GetPositions(rig->body);
    double sum = 0;
    for (int v = 0; v < rig->count; ++v)
        sum += rig->share[v] * (x[3 * v + axis] - rig->rest[3 * v + axis]);
    return sum;
}

// mean displacement of a column along x
static double columnDisplacement(const Rig *rig, int column)
{
    const double *x = vvSoftBody_GetPositions(rig->body);
    double sum = 0;
    int count = 0;
    for (int v = 0; v < rig->count; ++v)
    {
        if (columnOf(rig, v) != column)
            continue;
        sum += x[3 * v] - rig->rest[3 * v];
        count += 1;
    }
    return sum / count;
}

// Gauss without pivots: the matrix of a least squares fit is positive definite
static void solveFit(double a[FIT][FIT], double *b)
{
    for (int i = 0; i < FIT; ++i)
    {
        for (int j = i + 1; j < FIT; ++j)
        {
            double factor = a[j][i] / a[i][i];
            for (int k = i; k < FIT; ++k)
                a[j][k] -= factor * a[i][k];
            b[j] -= factor * b[i];
        }
    }
    for (int i = FIT - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < FIT; ++k)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
}

// Least squares away from the ends, lengths over that of the rod: u = c0 + c1 x + c2 y + c3 y (x - x^2 / 2). c1 is the
// strain; in Saint-Venant's solution of a bent rod c3 is -P length^2 / (young x second moment of area), and shear moves
// c2 alone. So neither the held end, which cannot contract, nor shear counts.
static void fitRod(const Rig *rig, double *c)
{
    const double *now = vvSoftBody_GetPositions(rig->body), *rest = rig->rest;
    double a[FIT][FIT] = { { 0 } }, length = rig->sample->length;
    memset(c, 0, FIT * sizeof *c);
    for (int v = 0; v < rig->count; ++v)
    {
        double x = rest[3 * v] / length + 0.5, y = rest[3 * v + 1] / length;
        if (x < FIT_FROM || x > FIT_TO)
            continue;
        const double row[FIT] = { 1, x, y, y * (x - 0.5 * x * x) };
        for (int i = 0; i < FIT; ++i)
        {
            for (int j = 0; j < FIT; ++j)
                a[i][j] += row[i] * row[j];
            c[i] += row[i] * (now[3 * v] - rest[3 * v]) / length;
        }
    }
    solveFit(a, c);
}

double rigResponse(const Rig *rig, int axis)
{
    if (rig->sample->kind == SAMPLE_ROD)
    {
        double c[FIT];
        fitRod(rig, c);
        return axis == 1 ? -c[3] * rig->sample->length / 3 : c[1];
    }
    if (axis == 1)
        return rigTip(rig, 1);
    double displacement = columnDisplacement(rig, SAMPLE_CELLS - 1) - columnDisplacement(rig, 3);
    return displacement / ((SAMPLE_CELLS - 4) * rig->sample->edge);
}
