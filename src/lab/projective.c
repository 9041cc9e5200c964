// verve lab projective: figures 4, 5, 9, 11 and 12 of Bouaziz 2014, and a large mixed scene, measured.
#include "lab/lab.h"

#include "base/base.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <verve/verve.h>

#define MOST_VERTICES 40000

typedef struct Lab
{
    LabTable *table;
    bool quick;
} Lab;

static void row(const Lab *lab, const char *figure, const char *what, int iterations, double seconds, double value,
                const char *unit)
{
    labText(lab->table, figure);
    labText(lab->table, what);
    labNumber(lab->table, iterations);
    labNumber(lab->table, seconds);
    labNumber(lab->table, value);
    labText(lab->table, unit);
    fflush(lab->table->out);
}

static vvWorldDef worldDef(const char *method, const char *solver, int iterations, bool accelerate)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.iterations = iterations;
    def.settings.localGlobal.accelerate = accelerate;
    def.settings.localGlobal.modes = false; // as published
    def.tolerance = 1e-15;
    return def;
}

// the body takes over the mesh; a null id where memory ran out
static vvSoftBodyId addBody(vvWorldId world, vvMesh *mesh, vvSoftBodyDef def)
{
    def.mesh = mesh;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    return body;
}

static void pinBox(vvSoftBodyId body, vvBox box)
{
    static int vertex[MOST_VERTICES];
    int count = vvSoftBody_FindVertices(body, box, vertex, MOST_VERTICES);
    vvSoftBody_Pin(body, vertex, count);
}

// s of this process, all threads: bodies here are stepped by one, and other processes do not count
static double processSeconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void failed(const char *figure, vvResult result)
{
    fprintf(stderr, "verve lab: %s: %s\n", figure, result.message);
}

// ---- figures 11 and 12: one step, more and more iterations ----------------------------------------------------------

static double start[3 * MOST_VERTICES], exact[3 * MOST_VERTICES];

typedef struct Variant
{
    const char *name, *solver;
    bool accelerate;
} Variant;

typedef struct Outcome
{
    double seconds, error;
} Outcome;

static double distance(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static vvSoftBodyDef rubberDef(void)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 0.01 };
    return def;
}

// a body whose first metres along x are held
typedef struct Twisted
{
    vvMeshDef mesh;
    double held; // m
} Twisted;

static Twisted boxOf(vvVec3 size, const int cells[3])
{
    Twisted twisted = { .mesh = vvDefaultMeshDef(), .held = 1e-6 };
    twisted.mesh.size = size;
    memcpy(twisted.mesh.cells, cells, sizeof twisted.mesh.cells);
    return twisted;
}

// a step of 1/30 s from `start` at rest, six times for the clock; the distance to `exact` over that of the start
static Outcome oneStep(const Twisted *twisted, const Variant *variant, int iterations, double *out)
{
    Outcome outcome = { INFINITY, NAN };
    vvWorldDef def = worldDef("backward-euler", variant->solver, iterations, variant->accelerate);
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId body = addBody(world, vvCreateMesh(&twisted->mesh, NULL), rubberDef());
    int count = 3 * vvSoftBody_GetVertexCount(body);
    pinBox(body, (vvBox){ { -1e3, -1e3, -1e3 }, { -0.5 * twisted->mesh.size.x + twisted->held, 1e3, 1e3 } });
    static const double still[3 * MOST_VERTICES];
    for (int n = 0; n < (out ? 1 : 6); ++n)
    {
        vvSoftBody_SetPositions(body, start);
        vvSoftBody_SetVelocities(body, still);
        double since = processSeconds();
        vvWorld_Step(world, 1.0 / 30);
        double seconds = processSeconds() - since;
        outcome.seconds = n > 0 || out ? fmin(outcome.seconds, seconds) : outcome.seconds; // not the first factor
    }
    const double *x = vvSoftBody_GetPositions(body);
    if (out)
        memcpy(out, x, (size_t)count * sizeof(double));
    outcome.error = distance(x, exact, count) / distance(start, exact, count);
    vvDestroyWorld(world);
    return outcome;
}

// the rest shape, twisted by an angle from end to end
static void twist(const Twisted *twisted, double angle)
{
    vvMesh *mesh = vvCreateMesh(&twisted->mesh, NULL);
    const double *x = vvMesh_GetPoints(mesh);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        double a = angle * (x[3 * v] / twisted->mesh.size.x + 0.5), c = cos(a), s = sin(a);
        start[3 * v] = x[3 * v];
        start[3 * v + 1] = c * x[3 * v + 1] - s * x[3 * v + 2];
        start[3 * v + 2] = s * x[3 * v + 1] + c * x[3 * v + 2];
    }
    vvDestroyMesh(mesh);
}

static const Variant variants[] = {
    { "newton", "newton", false },
    { "local-global", "local-global", false },
    { "accelerated", "local-global", true },
};

// the error that a variant reaches in `seconds`, between its measurements
static double errorAt(const Outcome *outcome, int count, double seconds)
{
    if (seconds <= outcome[0].seconds)
        return seconds < outcome[0].seconds ? 1 : outcome[0].error;
    for (int i = 1; i < count; ++i)
    {
        if (seconds > outcome[i].seconds)
            continue;
        double share = (seconds - outcome[i - 1].seconds) / (outcome[i].seconds - outcome[i - 1].seconds);
        return exp((1 - share) * log(outcome[i - 1].error) + share * log(outcome[i].error));
    }
    return outcome[count - 1].error;
}

static void figure12(const Lab *lab)
{
    static const int counts[] = { 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 400, 800, 1600 };
    enum
    {
        COUNTS = sizeof counts / sizeof counts[0]
    };
    const vvVec3 size = { 1, 0.4, 0.16 };
    const int whole[3] = { 25, 10, 4 }, small[3] = { 10, 4, 2 };
    const Twisted bar = boxOf(size, lab->quick ? small : whole);
    Outcome outcome[3][COUNTS];
    int tried[3];
    twist(&bar, 3.14159265358979);
    oneStep(&bar, &variants[0], 200, exact);
    for (int w = 0; w < 3; ++w)
    {
        int n = 0;
        for (; n < COUNTS && (!lab->quick || counts[n] <= 100); ++n)
        {
            outcome[w][n] = oneStep(&bar, &variants[w], counts[n], NULL);
            row(lab, "fig12", variants[w].name, counts[n], outcome[w][n].seconds, outcome[w][n].error, "of the start");
            // as good as rounding, or a float32 factor, lets it be
            if (outcome[w][n].error < 1e-12 || (n > 0 && w == 0 && outcome[w][n].error >= outcome[w][n - 1].error))
                break;
        }
        tried[w] = n < COUNTS ? n + 1 : n;
        tried[w] = lab->quick && n < COUNTS && counts[n] > 100 ? n : tried[w];
    }
    // the first iterate of Newton's that is nearer than what the other variant reaches in the same time
    for (int w = 1; w < 3; ++w)
    {
        double cross = 0, seconds = INFINITY;
        for (int n = tried[0] - 1; n >= 0; --n)
        {
            if (!(outcome[0][n].error < errorAt(outcome[w], tried[w], outcome[0][n].seconds)))
                break;
            cross = outcome[0][n].error;
            seconds = outcome[0][n].seconds;
        }
        row(lab, "fig12", w == 1 ? "newton passes local-global" : "newton passes accelerated", 0, seconds, cross,
            "of the start");
    }
}

// the stand-in hippo, 7,161 unknowns, held at its tail; paper: 1, 10 and 20 iterations
static void figure11(const Lab *lab)
{
    const int counts[] = { 1, 2, 5, 10, 20, 50 };
    Twisted hippo = { .mesh = vvDefaultMeshDef(), .held = 0.08 };
    hippo.mesh.shape = VV_MESH_HIPPO;
    hippo.mesh.cells[0] = lab->quick ? 3 : 4;
    twist(&hippo, 1.5);
    oneStep(&hippo, &variants[0], 200, exact);
    for (int w = 1; w < 3; ++w)
    {
        for (int n = 0; n < 6; ++n)
        {
            Outcome outcome = oneStep(&hippo, &variants[w], counts[n], NULL);
            row(lab, "fig11", variants[w].name, counts[n], outcome.seconds, outcome.error, "of the start");
        }
    }
}

// ---- figures 4 and 5: settled sheets --------------------------------------------------------------------------------

#define WINDOW 30   // steps within which a settled sag does not change by
#define CHANGE 1e-4 // of itself
#define MOST_STEPS 1200

typedef struct Hanging
{
    const char *name, *method;
    bool accelerate;
} Hanging;

typedef struct Sag
{
    double metres;  // by which the lower rim is below its place at rest
    double settled; // s of the scene after which it changed no more; infinite: it did not settle
    double seconds; // of the process, a step
} Sag;

static double lowest(vvSoftBodyId cloth)
{
    double low = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(cloth); ++v)
        low = fmin(low, vvSoftBody_GetPositions(cloth)[3 * v + 2]);
    return low;
}

static vvSoftBodyId hangCloth(vvWorldId world, int cells)
{
    vvMeshDef sheet = vvDefaultMeshDef();
    sheet.shape = VV_MESH_SHEET;
    sheet.size = (vvVec3){ 1, 0, 1 };
    sheet.cells[0] = sheet.cells[2] = cells;
    sheet.diagonals = 1;
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.material = vvMaterial_Cotton();
    body.damping.mass = 8;
    for (int k = 0; k < VV_EDGE_KINDS; ++k)
        body.springStiffness[k] = body.material.young * body.material.thickness;
    vvSoftBodyId cloth = addBody(world, vvCreateMesh(&sheet, NULL), body);
    pinBox(cloth, (vvBox){ { -9, -9, 0.499 }, { 9, 9, 9 } });
    return cloth;
}

// a cotton cloth of springs hangs from one side until it rests
static Sag hangingSag(const Lab *lab, const Hanging *variant, int iterations)
{
    const double h = 1.0 / 60;
    vvWorldDef def = worldDef(variant->method, "local-global", iterations, variant->accelerate);
    def.gravity = (vvVec3){ 0, 0, -9.81 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId cloth = hangCloth(world, lab->quick ? 16 : 80);
    vvResult result = { .code = VV_OK };
    Sag sag = { .settled = INFINITY };
    double since = processSeconds(), before = 0;
    int n = 0;
    while (n < MOST_STEPS && isinf(sag.settled) && result.code == VV_OK)
    {
        result = vvWorld_Step(world, h);
        if (++n % WINDOW != 0)
            continue;
        sag.metres = -lowest(cloth) - 0.5;
        sag.settled = fabs(sag.metres - before) <= CHANGE * sag.metres ? (n - WINDOW) * h : INFINITY;
        before = sag.metres;
    }
    sag.seconds = (processSeconds() - since) / n;
    if (result.code != VV_OK)
        failed("fig4", result);
    vvDestroyWorld(world);
    return sag;
}

static void figure4(const Lab *lab)
{
    static const Hanging hangings[] = { { "local-global", "backward-euler", false },
                                        { "accelerated", "backward-euler", true },
                                        { "pbd", "pbd", false },
                                        { "pd-jacobi", "pd-jacobi", false } };
    static const char *const spreads[] = { "local-global spread", "accelerated spread", "pbd spread",
                                           "pd-jacobi spread" };
    static const int counts[] = { 2, 5, 10, 20, 50 };
    for (int m = 0; m < 4; ++m)
    {
        double least = INFINITY, most = 0;
        for (int n = 0; n < 5; ++n)
        {
            Sag sag = hangingSag(lab, &hangings[m], counts[n]);
            least = fmin(least, sag.metres);
            most = fmax(most, sag.metres);
            row(lab, "fig4", hangings[m].name, counts[n], sag.seconds, sag.metres, "m");
            row(lab, "fig4", hangings[m].name, counts[n], sag.seconds, sag.settled, "s until it rests");
        }
        row(lab, "fig4", spreads[m], 0, NAN, most / least, "1");
    }
}

// inner vertices shifted in the plane by a share of a cell
static vvMesh *shiftedSheet(int cells, double shift, unsigned seed)
{
    static double points[3 * MOST_VERTICES];
    vvMesh *plain = vvCreateSheetMesh(1, 1, cells, cells);
    int count = vvMesh_GetVertexCount(plain);
    memcpy(points, vvMesh_GetPoints(plain), 3 * (size_t)count * sizeof(double));
    for (int i = 0; i < 3 * count; ++i)
    {
        seed = seed * 1664525u + 1013904223u;
        bool inner = fabs(points[i / 3 * 3]) < 0.499 && fabs(points[i / 3 * 3 + 2]) < 0.499;
        points[i] += inner && i % 3 != 1 ? shift / cells * (2.0 * (seed >> 8) / (1 << 24) - 1) : 0;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.triangles = vvMesh_GetSurface(plain);
    def.triangleCount = vvMesh_GetSurfaceCount(plain);
    vvMesh *mesh = shift > 0 ? vvCreateMesh(&def, NULL) : NULL;
    if (shift > 0)
        vvDestroyMesh(plain);
    return shift > 0 ? mesh : plain;
}

// a sheet held along two sides sags under its weight; how far at its lowest
static double spannedSag(const Lab *lab, vvMesh *mesh, double *seconds)
{
    vvWorldDef def = worldDef("backward-euler", "local-global", 30, true);
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.material = vvMaterial_Cotton();
    body.material.young = 1e5;
    body.model = "triangle";
    body.damping.mass = 4;
    vvSoftBodyId cloth = addBody(world, mesh, body);
    pinBox(cloth, (vvBox){ { -9, -9, -9 }, { -0.499, 9, 9 } });
    pinBox(cloth, (vvBox){ { 0.499, -9, -9 }, { 9, 9, 9 } });
    int steps = lab->quick ? 100 : 250;
    double since = processSeconds(), low = 0;
    vvResult result = { .code = VV_OK };
    for (int n = 0; n < steps && result.code == VV_OK; ++n)
        result = vvWorld_Step(world, 0.02);
    *seconds = (processSeconds() - since) / steps;
    if (result.code != VV_OK)
        failed("fig5", result);
    for (int v = 0; v < vvSoftBody_GetVertexCount(cloth); ++v)
        low = fmin(low, vvSoftBody_GetPositions(cloth)[3 * v + 1]);
    vvDestroyWorld(world);
    return -low;
}

static void figure5(const Lab *lab)
{
    static const char *const names[] = { "coarse", "medium", "fine", "irregular 1", "irregular 2" };
    int fine = lab->quick ? 16 : 40;
    double least = INFINITY, most = 0;
    for (int k = 0; k < 5; ++k)
    {
        int cells = k < 3 ? fine >> (2 - k) : fine / 2;
        double seconds;
        double sag = spannedSag(lab, shiftedSheet(cells, k < 3 ? 0 : 0.3, k == 3 ? 7u : 90210u), &seconds);
        least = fmin(least, sag);
        most = fmax(most, sag);
        row(lab, "fig5", names[k], 30, seconds, sag, "m");
    }
    row(lab, "fig5", "spread", 0, NAN, most / least, "1");
}

// ---- figure 9: a cylinder of cloth, compressed ----------------------------------------------------------------------

#define RADIUS 0.1
#define HEIGHT 0.2

// waves around the ring where the wall has moved most: half the changes of sign of the radial displacement less its
// mean
static int countWaves(vvSoftBodyId body, int around, int along, double *height)
{
    const double *x = vvSoftBody_GetPositions(body);
    int waves = 0;
    *height = 0;
    for (int b = 1; b < along; ++b)
    {
        double mean = 0, square = 0, radius[512];
        for (int a = 0; a < around; ++a)
        {
            const double *p = x + 3 * (b * around + a);
            radius[a] = sqrt(p[0] * p[0] + p[2] * p[2]);
            mean += radius[a] / around;
        }
        int changes = 0;
        for (int a = 0; a < around; ++a)
        {
            double here = radius[a] - mean, next = radius[(a + 1) % around] - mean;
            changes += (here > 0) != (next > 0);
            square += here * here / around;
        }
        if (sqrt(square) <= *height)
            continue;
        *height = sqrt(square);
        waves = changes / 2;
    }
    return waves;
}

#define WALL 0.001

// a tube of rubber, its wall rough by a millionth of the radius: a perfect one has no reason to choose
static vvSoftBodyId roughTube(vvWorldId world, int around, int along, double bending, unsigned seed)
{
    static double points[3 * MOST_VERTICES];
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.material = vvMaterial_Rubber();
    body.material.poisson = 0.3;
    body.material.thickness = WALL;
    body.model = "triangle";
    body.bending = bending;
    body.damping.mass = 2;
    vvSoftBodyId tube = addBody(world, vvCreateTubeMesh(2 * RADIUS, HEIGHT, around, along), body);
    int count = 3 * vvSoftBody_GetVertexCount(tube);
    memcpy(points, vvSoftBody_GetPositions(tube), (size_t)count * sizeof(double));
    for (int i = 0; i < count; ++i)
    {
        seed = seed * 1664525u + 1013904223u;
        points[i] += i % 3 != 1 ? 1e-6 * RADIUS * (2.0 * (seed >> 8) / (1 << 24) - 1) : 0;
    }
    vvSoftBody_SetPositions(tube, points);
    pinBox(tube, (vvBox){ { -9, -9, -9 }, { 9, -0.499 * HEIGHT, 9 } });
    pinBox(tube, (vvBox){ { -9, 0.499 * HEIGHT, -9 }, { 9, 9, 9 } });
    return tube;
}

// The upper rim comes down by a 3000th of the height in a step until the wall has moved by its thickness. Later the
// waves grow together, and their number says little.
static int buckle(const Lab *lab, double bending, unsigned seed, double *seconds, double *strain)
{
    int around = lab->quick ? 48 : 96, along = lab->quick ? 16 : 32, waves = 0, steps = 0;
    vvWorldDef def = worldDef("backward-euler", "local-global", 20, true);
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId tube = roughTube(world, around, along, bending, seed);
    vvResult result = { .code = VV_OK };
    double since = processSeconds(), height = 0;
    for (; steps < 200 && height < WALL && result.code == VV_OK; ++steps)
    {
        for (int v = along * around; v < (along + 1) * around; ++v)
        {
            const double *p = vvSoftBody_GetPositions(tube) + 3 * v;
            vvSoftBody_MovePin(tube, v, (vvVec3){ p[0], p[1] - HEIGHT / 3000, p[2] });
        }
        result = vvWorld_Step(world, 0.01);
        waves = countWaves(tube, around, along, &height);
    }
    if (result.code != VV_OK)
        failed("fig9", result);
    *seconds = (processSeconds() - since) / steps;
    *strain = steps / 3000.0;
    vvDestroyWorld(world);
    return height < WALL ? 0 : waves;
}

static void figure9(const Lab *lab)
{
    static const double bending[] = { 10, 1, 0.1 };
    static const char *const names[] = { "bending 10", "bending 1", "bending 0.1" };
    static const unsigned seeds[] = { 5, 90210, 777 };
    for (int k = 0; k < 3; ++k)
    {
        for (int n = 0; n < (lab->quick ? 1 : 3); ++n)
        {
            double seconds, strain;
            int waves = buckle(lab, bending[k], seeds[n], &seconds, &strain);
            row(lab, "fig9", names[k], 20, seconds, waves, "waves");
            row(lab, "fig9", names[k], 20, seconds, strain, "of the height");
        }
    }
}

// ---- a large mixed scene --------------------------------------------------------------------------------------------

static void mixed(const Lab *lab)
{
    int n = lab->quick ? 5 : 20, sheet = lab->quick ? 20 : 80, steps = lab->quick ? 3 : 30;
    vvWorldDef def = worldDef("backward-euler", "local-global", 10, false);
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvColliderDef ground = vvDefaultColliderDef();
    vvShapeDef plane = vvDefaultShapeDef();
    ground.shape = vvCreateShape(&plane, NULL);
    vvCreateCollider(world, &ground, NULL);
    vvDestroyShape(ground.shape);
    vvSoftBodyDef solid = vvDefaultSoftBodyDef(), cloth = solid, shell = solid, rope = solid;
    solid.material = vvMaterial_Jelly();
    solid.position = (vvVec3){ 0, 0.6, 0 };
    cloth.material = vvMaterial_Cotton();
    cloth.model = "triangle";
    cloth.position = (vvVec3){ 2, 1, 0 };
    shell.material = vvMaterial_Rubber();
    shell.material.thickness = 0.002;
    shell.model = "triangle";
    shell.position = (vvVec3){ -2, 1, 0 };
    rope.material = vvMaterial_Rubber();
    rope.material.thickness = 0.01;
    rope.position = (vvVec3){ 0, 1.5, 2 };
    vvSoftBodyId bodies[4] = { addBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, n, n, n), solid),
                               addBody(world, vvCreateSheetMesh(1, 1, sheet, sheet), cloth),
                               addBody(world, vvCreateSheetMesh(0.5, 0.5, sheet / 3, sheet / 3), shell),
                               addBody(world, vvCreateRopeMesh(1, 10 * n), rope) };
    pinBox(bodies[1], (vvBox){ { -9, -9, -9 }, { -0.499, 9, 9 } });
    pinBox(bodies[3], (vvBox){ { -9, -9, -9 }, { -0.499, 9, 9 } });
    vvResult result = vvWorld_Step(world, 1.0 / 60);
    double since = processSeconds();
    for (int k = 0; k < steps && result.code == VV_OK; ++k)
        result = vvWorld_Step(world, 1.0 / 60);
    if (result.code != VV_OK)
        failed("mixed", result);
    double seconds = (processSeconds() - since) / steps;
    vvStatistics statistics = vvWorld_GetStatistics(world);
    double inner = 0; // bending at inner vertices
    for (int k = 1; k < 3; ++k)
        inner += vvSoftBody_GetVertexCount(bodies[k]);
    row(lab, "mixed", "unknowns", 10, NAN, 3 * statistics.vertexCount, "1");
    row(lab, "mixed", "constraints", 10, NAN, statistics.elementCount + inner, "1");
    row(lab, "mixed", "a step", 10, seconds, 1e3 * seconds, "ms");
    row(lab, "mixed", "an iteration (paper 3.1)", 10, seconds / 10, 1e2 * seconds, "ms");
    vvDestroyWorld(world);
}

// ---- the page -------------------------------------------------------------------------------------------------------

static int run(LabTable *table, const LabWish *wish)
{
    static const struct
    {
        const char *name;
        void (*measure)(const Lab *lab);
    } figures[] = { { "fig12", figure12 }, { "fig11", figure11 }, { "fig4", figure4 },
                    { "fig5", figure5 },   { "fig9", figure9 },   { "mixed", mixed } };
    Lab lab = { table, wish->quick };
    int count = (int)(sizeof figures / sizeof figures[0]), found = 0;
    for (int i = 0; i < count; ++i)
        found += labWants(wish->figure, figures[i].name);
    if (found == 0)
    {
        fprintf(stderr, "verve lab: there is no figure '%s': fig4, fig5, fig9, fig11, fig12 or mixed\n",
                shown(wish->figure));
        return EXIT_BAD_INPUT;
    }
    labColumns(table, "figure,case,iterations,seconds,value,unit");
    for (int i = 0; i < count; ++i)
    {
        if (labWants(wish->figure, figures[i].name))
            figures[i].measure(&lab);
    }
    return EXIT_DONE;
}

const LabPage labProjective = { "projective", "figures 4, 5, 9, 11 and 12 of Bouaziz 2014 and a large mixed scene",
                                run,          "iterations",
                                "value",      "case",
                                "xy" };
