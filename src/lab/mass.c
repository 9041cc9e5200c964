// verve lab mass: consistent against lumped mass (Bouaziz 2014, section 8: "without any noticeable difference"). The
// forces are those of the library, the masses those of the mesh room, and the page itself steps both by velocity
// Verlet: a solver with a consistent mass would need kinetic energy, momenta and residuals of its own for a mass that
// no figure can tell.
#include "lab/lab.h"

#include "base/base.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <verve/verve.h>

#define LENGTH 1.0
#define WIDTH 0.25
#define STEP_SHARE 0.4 // of the limit of Verlet's method
#define CROSSINGS 9    // of the end of a bar through its rest: four whole periods
#define SWING_SECONDS 1.0
#define SOLVE_ERROR 1e-12

// ---- masses ---------------------------------------------------------------------------------------------------------

// In the caller's order; `off` belongs to the pairs of the mesh and is NULL for lumped masses.
typedef struct Bar
{
    vvMesh *mesh;
    vvWorldId world;
    vvSoftBodyId body;
    int count;
    bool sideways;          // all three coordinates move; else x alone
    double *diagonal, *off; // count; pairCount
    double *x, *v, *a, *f;  // count x 3
    double *r, *z, *p, *q;  // count x 3, of the solver
    double *block;          // all of it
} Bar;

// the clamped end, and coordinates that do not move, are no unknowns
static bool moves(const Bar *bar, int i)
{
    return vvMesh_GetPoints(bar->mesh)[i / 3 * 3] > -0.499 * LENGTH && (bar->sideways || i % 3 == 0);
}

static void multiply(const Bar *bar, const double *x, double *y)
{
    const vvMesh *mesh = bar->mesh;
    for (int i = 0; i < 3 * bar->count; ++i)
        y[i] = bar->diagonal[i / 3] * x[i];
    for (int k = 0; k < mesh->pairCount; ++k)
    {
        int a = mesh->vertexToCaller[mesh->pair[2 * k]], b = mesh->vertexToCaller[mesh->pair[2 * k + 1]];
        for (int c = 0; c < 3; ++c)
        {
            y[3 * a + c] += bar->off[k] * x[3 * b + c];
            y[3 * b + c] += bar->off[k] * x[3 * a + c];
        }
    }
    for (int i = 0; i < 3 * bar->count; ++i)
        y[i] = moves(bar, i) ? y[i] : 0;
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// M a = f by conjugate gradients from the last a: scaled by its diagonal the mass of tets has a condition of 10 at most
static void solveMass(Bar *bar)
{
    int size = 3 * bar->count;
    for (int i = 0; i < size && bar->off == NULL; ++i)
        bar->a[i] = moves(bar, i) ? bar->f[i] / bar->diagonal[i / 3] : 0;
    if (bar->off == NULL)
        return;
    double before = 1, start = 0;
    multiply(bar, bar->a, bar->q);
    for (int i = 0; i < size; ++i)
    {
        bar->f[i] = moves(bar, i) ? bar->f[i] : 0;
        bar->r[i] = bar->f[i] - bar->q[i];
        start += bar->f[i] * bar->f[i] / bar->diagonal[i / 3];
    }
    for (int n = 0; n < 100; ++n)
    {
        for (int i = 0; i < size; ++i)
            bar->z[i] = bar->r[i] / bar->diagonal[i / 3];
        double now = dot(bar->r, bar->z, size);
        if (!(now > SOLVE_ERROR * SOLVE_ERROR * start))
            return;
        for (int i = 0; i < size; ++i)
            bar->p[i] = bar->z[i] + (n > 0 ? now / before : 0) * bar->p[i];
        multiply(bar, bar->p, bar->q);
        double step = now / dot(bar->p, bar->q, size);
        for (int i = 0; i < size; ++i)
        {
            bar->a[i] += step * bar->p[i];
            bar->r[i] -= step * bar->q[i];
        }
        before = now;
    }
}

// ---- the bar --------------------------------------------------------------------------------------------------------

static void destroyBar(Bar *bar)
{
    vvDestroyWorld(bar->world);
    vvDestroyMesh(bar->mesh);
    free(bar->block);
}

static bool createBar(Bar *bar, int cells, bool consistent, double gravity)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.gravity = (vvVec3){ 0, -gravity, 0 };
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 0.01 };
    int across = cells / 4;
    *bar = (Bar){ .sideways = gravity > 0 };
    bar->world = vvCreateWorld(&worldDef, NULL);
    bar->mesh = vvCreateBoxMesh((vvVec3){ LENGTH, WIDTH, WIDTH }, cells, across, across);
    def.mesh = bar->mesh;
    bar->body = vvCreateSoftBody(bar->world, &def, NULL);
    bar->count = bar->mesh ? bar->mesh->vertexCount : 0;
    size_t vertices = (size_t)bar->count, pairs = bar->mesh ? (size_t)bar->mesh->pairCount : 0;
    bar->block = calloc(26 * vertices + pairs, sizeof(double));
    if (vvSoftBody_GetVertexCount(bar->body) == 0 || bar->block == NULL)
        return false;
    double **vectors[] = { &bar->x, &bar->v, &bar->a, &bar->f, &bar->r, &bar->z, &bar->p, &bar->q };
    for (size_t i = 0; i < 8; ++i)
        *vectors[i] = bar->block + 3 * vertices * i;
    bar->diagonal = bar->block + 24 * vertices;
    double *ours = bar->block + 25 * vertices;
    bar->off = consistent ? bar->block + 26 * vertices : NULL;
    if (consistent)
        meshConsistentMass(bar->mesh, def.material.density, 0, ours, bar->off);
    else
        meshLumpedMass(bar->mesh, def.material.density, 0, ours);
    for (int v = 0; v < bar->count; ++v)
        bar->diagonal[bar->mesh->vertexToCaller[v]] = ours[v];
    memcpy(bar->x, vvMesh_GetPoints(bar->mesh), 3 * vertices * sizeof(double));
    return true;
}

static void accelerate(Bar *bar)
{
    vvSoftBody_SetPositions(bar->body, bar->x);
    vvSoftBody_CopyForces(bar->body, bar->f);
    solveMass(bar);
}

static void verlet(Bar *bar, double dt)
{
    for (int i = 0; i < 3 * bar->count; ++i)
    {
        bar->v[i] += 0.5 * dt * bar->a[i];
        bar->x[i] += dt * bar->v[i];
    }
    accelerate(bar);
    for (int i = 0; i < 3 * bar->count; ++i)
        bar->v[i] += 0.5 * dt * bar->a[i];
}

// The mass of a tet is at most 5 times smaller for some motion when it is consistent: frequencies are up to sqrt 5
// times higher. Both masses take the same step.
static double stepOf(const Bar *bar)
{
    vvExamination examination = { 0 };
    vvSoftBody_Examine(bar->body, &examination);
    return STEP_SHARE * examination.stableStep / sqrt(5.0);
}

// the displacement of the free end, m
static double endOf(const Bar *bar, int axis)
{
    const double *rest = vvMesh_GetPoints(bar->mesh);
    double sum = 0;
    int count = 0;
    for (int v = 0; v < bar->count; ++v)
    {
        if (rest[3 * v] < 0.499 * LENGTH)
            continue;
        sum += bar->x[3 * v + axis] - rest[3 * v + axis];
        count += 1;
    }
    return sum / count;
}

// ---- what is measured -----------------------------------------------------------------------------------------------

// rad/s of the first mode along a clamped bar whose points move along it alone; closed form pi/2 sqrt(E / rho) / L
static double frequency(int cells, bool consistent)
{
    Bar bar;
    if (!createBar(&bar, cells, consistent, 0))
        return NAN;
    const double *rest = vvMesh_GetPoints(bar.mesh);
    for (int v = 0; v < bar.count; ++v)
        bar.x[3 * v] += 1e-5 * LENGTH * sin(PI / 2 * (rest[3 * v] / LENGTH + 0.5));
    accelerate(&bar);
    double dt = stepOf(&bar), before = endOf(&bar, 0), first = 0, last = 0;
    for (int n = 0, crossings = 0; crossings < CROSSINGS; ++n)
    {
        verlet(&bar, dt);
        double now = endOf(&bar, 0);
        if ((now > 0) != (before > 0))
        {
            last = dt * (n + before / (before - now));
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    destroyBar(&bar);
    // Verlet's own frequency is above: sin(w' dt / 2) = w dt / 2
    return 2 / dt * sin(0.5 * dt * PI * (CROSSINGS - 1) / (last - first));
}

// m: the largest distance between the ends of two bars that swing under their weight, one of each mass; and how far
// they swing
static double swing(int cells, double *height)
{
    Bar bars[2];
    double most = NAN;
    *height = NAN;
    bool ready = createBar(&bars[0], cells, false, 1), both = createBar(&bars[1], cells, true, 1);
    if (ready && both)
    {
        double dt = stepOf(&bars[0]), low = 0;
        most = 0;
        for (int k = 0; k < 2; ++k)
            accelerate(&bars[k]);
        for (double t = 0; t < SWING_SECONDS; t += dt)
        {
            for (int k = 0; k < 2; ++k)
                verlet(&bars[k], dt);
            most = fmax(most, fabs(endOf(&bars[0], 1) - endOf(&bars[1], 1)));
            low = fmin(low, endOf(&bars[0], 1));
        }
        *height = -low;
    }
    destroyBar(&bars[0]);
    destroyBar(&bars[1]);
    return most;
}

static int run(LabTable *table, const LabWish *wish)
{
    const double exact = PI / 2 * sqrt(1e5 / 1000) / LENGTH;
    labColumns(table, "case,cells,value,unit");
    for (int cells = 4; cells <= (wish->quick ? 8 : 16); cells *= 2)
    {
        for (int k = 0; k < 2; ++k)
        {
            labText(table, k == 0 ? "frequency lumped" : "frequency consistent");
            labNumber(table, cells);
            labNumber(table, frequency(cells, k == 1) / exact - 1);
            labText(table, "of the closed form");
        }
        double height, most = swing(cells, &height);
        labText(table, "swing");
        labNumber(table, cells);
        labNumber(table, height);
        labText(table, "m");
        labText(table, "swing lumped less consistent");
        labNumber(table, cells);
        labNumber(table, most / height);
        labText(table, "of the swing");
        fflush(table->out);
    }
    return EXIT_DONE;
}

const LabPage labMass = { "mass", "consistent against lumped mass: frequency and swing of a bar at three resolutions",
                          run,    NULL,
                          NULL,   NULL,
                          NULL };
