// verve lab small-steps: figures 3, 4 and 7 of Macklin 2019. Substeps against iterations on a hanging chain, with and
// without a heavy last particle; a cantilever beam, also by Newton's method with conjugate gradients on the paper's Eq
// 1-2. The paper does not state its frame: 0.03 s and g = 10 give its 322.1 m and 3.2 m.
#include "lab/hanging_chain.h"
#include "lab/lab.h"

#include <math.h>
#include <string.h>
#include <verve/verve.h>

#define GRAVITY 10.0
#define HEAVY 1e5  // kg
#define FRAME 0.03 // s
#define FRAMES 1000
#define EVERY 10 // frames between rows of figure 3

// ---- the chain ------------------------------------------------------------------------------------------------------

// J, since the start
static double chainEnergy(const Chain *chain)
{
    const State *s = &chain->system.state;
    double sum = 0;
    for (int v = 1; v < PARTICLES; ++v)
    {
        double speed = s->startVelocity[3 * v + 1], height = s->start[3 * v + 1] + LENGTH * v;
        sum += s->mass[v] * (0.5 * speed * speed + GRAVITY * height);
    }
    return sum;
}

typedef struct Cells
{
    const char *figure, *scene, *method;
    int substeps, iterations, frame;
    double stretch, most, residual, energy, force, work, seconds;
} Cells;

#define COLUMNS "figure,scene,method,substeps,iterations,frame,stretch,most,residual,energy,force,work,seconds"

static void row(LabTable *table, const Cells *c)
{
    labText(table, c->figure);
    labText(table, c->scene);
    labText(table, c->method);
    labNumber(table, c->substeps);
    labNumber(table, c->iterations);
    labNumber(table, c->frame);
    labNumber(table, c->stretch);
    labNumber(table, c->most);
    labNumber(table, c->residual);
    labNumber(table, c->energy);
    labNumber(table, c->force);
    labNumber(table, c->work);
    labNumber(table, c->seconds);
}

// a thousand frames; `every`: frames between rows, the last one always
static bool hang(LabTable *table, const char *figure, double last, int substeps, int iterations, int every)
{
    static Chain chain;
    bool made = makeChain(&chain, INFINITY, last, 0, GRAVITY, 0);
    Cells c = {
        figure, last > 1 ? "heavy-chain" : "chain", "small-steps", substeps, iterations, 0, 0, 0, 0, 0, 0, 0, 0
    };
    c.work = (double)substeps * iterations;
    double since = clockSeconds(), seconds = 0;
    for (c.frame = 1; c.frame <= FRAMES && made; ++c.frame)
    {
        clockLap(&since);
        stepChain(&chain, FRAME, substeps, iterations, false, false);
        seconds += clockLap(&since);
        c.stretch = stretch(&chain);
        c.most = maxReal(c.most, c.stretch);
        if (c.frame != FRAMES && (every == 0 || c.frame % every != 0))
            continue;
        c.residual = chainResidual(&chain);
        c.energy = chainEnergy(&chain);
        c.force = topForce(&chain);
        c.seconds = seconds / c.frame;
        row(table, &c);
    }
    freeChain(&chain);
    return made;
}

// ---- the beam: 4 x 0.8 x 0.8 m, 1e7 Pa, 0.45, 1000 kg/m^3, held at one end, falls for a second ----------------------

#define BEAM_FRAMES 60
#define BEAM_CELLS 2 // across: 200 tets where the paper has 12,800, so that the reference takes a second

static vvResult beamMake(const vvWorldDef *def, vvWorldId *world, vvSoftBodyId *body)
{
    vvResult result;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 4, 0.8, 0.8 }, 5 * BEAM_CELLS, BEAM_CELLS, BEAM_CELLS);
    vvSoftBodyDef beam = vvDefaultSoftBodyDef();
    beam.mesh = mesh;
    beam.material = (vvMaterial){ .density = 1000, .young = 1e7, .poisson = 0.45, .thickness = 1 };
    *world = vvCreateWorld(def, &result);
    if (result.code == VV_OK)
        *body = vvCreateSoftBody(*world, &beam, &result);
    const double *x = vvMesh_GetPoints(mesh);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh) && result.code == VV_OK; ++v)
    {
        if (x[3 * v] < -2 + 1e-6)
            result = vvSoftBody_Pin(*body, &v, 1);
    }
    vvDestroyMesh(mesh); // the body keeps it
    return result;
}

static double beamTip(vvSoftBodyId body)
{
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(body)), *x = vvSoftBody_GetPositions(body);
    double sum = 0;
    int count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        bool end = rest[3 * v] > 2 - 1e-6;
        sum += end ? x[3 * v + 1] - rest[3 * v + 1] : 0;
        count += end;
    }
    return sum / count;
}

// tip: BEAM_FRAMES. `c->work`: sweeps a frame, or iterations of conjugate gradients
static vvResult beamRun(const vvWorldDef *def, int steps, double *tip, Cells *c)
{
    vvWorldId world;
    vvSoftBodyId body = { 0 };
    vvResult result = beamMake(def, &world, &body);
    double work = 0, since = clockSeconds();
    int frames = 0;
    for (; frames < BEAM_FRAMES && result.code == VV_OK; ++frames)
    {
        for (int n = 0; n < steps && result.code == VV_OK; ++n)
        {
            result = vvWorld_Step(world, 1.0 / 60 / steps);
            work += vvWorld_GetStatistics(world).linearIterations;
        }
        tip[frames] = beamTip(body);
    }
    c->frame = frames;
    c->seconds = clockLap(&since) / BEAM_FRAMES;
    c->work = strcmp(def->method, "small-steps") == 0 ? (double)c->substeps * c->iterations : work / BEAM_FRAMES;
    c->energy = vvWorld_GetLedger(world).numerical;
    vvDestroyWorld(world);
    return result;
}

typedef struct BeamRow
{
    const char *method, *solver;
    int substeps, iterations; // 0 iterations: to the tolerance
} BeamRow;

static const BeamRow beams[] = {
    { "small-steps", "local-global", 1, 100 },  { "small-steps", "local-global", 10, 10 },
    { "small-steps", "local-global", 10, 1 },   { "small-steps", "local-global", 30, 1 },
    { "small-steps", "local-global", 100, 1 },  { "small-steps", "local-global", 300, 1 },
    { "backward-euler", "newton-cg", 1, 1 },    { "backward-euler", "newton-cg", 1, 2 },
    { "backward-euler", "newton-cg", 1, 0 },    { "backward-euler", "newton-cg", 4, 0 },
    { "backward-euler", "newton-cg", 16, 0 },   { "implicit-midpoint", "newton-cg", 1, 0 },
    { "implicit-midpoint", "newton-cg", 4, 0 },
};

// residual: the largest distance of the tip from the reference, over the reference's largest deflection
static vvResult beamRows(LabTable *table)
{
    double reference[BEAM_FRAMES], tip[BEAM_FRAMES], deflection = 0;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint"; // by Newton, 8 steps a frame
    Cells c = { 0 };
    vvResult result = beamRun(&def, 8, reference, &c);
    for (int n = 0; n < BEAM_FRAMES; ++n)
        deflection = maxReal(deflection, fabs(reference[n]));
    for (size_t i = 0; i < sizeof beams / sizeof beams[0] && result.code == VV_OK; ++i)
    {
        const BeamRow *b = &beams[i];
        bool small = vvMethod_HasSubsteps(b->method);
        def = vvDefaultWorldDef();
        def.method = b->method;
        def.solver = b->solver;
        def.iterations = b->iterations;
        def.substeps = small ? b->substeps : 0;
        def.tolerance = 1e-6;
        c = (Cells){ "7", "beam", b->method, b->substeps, b->iterations, 0, 0, 0, 0, 0, NAN, 0, 0 };
        result = beamRun(&def, small ? 1 : b->substeps, tip, &c);
        for (int n = 0; n < c.frame; ++n)
        {
            c.most = maxReal(c.most, fabs(tip[n]));
            c.residual = maxReal(c.residual, fabs(tip[n] - reference[n]) / deflection);
        }
        c.stretch = tip[BEAM_FRAMES - 1];
        c.residual = result.code == VV_OK ? c.residual : INFINITY;
        row(table, &c);
        result = result.code == VV_DIVERGED ? resultOk() : result;
    }
    return result;
}

// ---- the page -------------------------------------------------------------------------------------------------------

static int run(LabTable *table, const LabWish *wish)
{
    (void)wish;
    static const int counts[] = { 1, 2, 5, 10, 20, 50, 100 };
    labColumns(table, COLUMNS);
    bool made = true;
    for (int heavy = 0; heavy < 2; ++heavy)
    {
        // over time, and for the same work divided otherwise
        double last = heavy ? HEAVY : 1;
        for (int i = 0; i < 7 && made; ++i)
            made = hang(table, "3", last, counts[i], 100 / counts[i], i == 0 || i == 6 ? EVERY : 0);
    }
    for (int i = 0; i < 7 && made; ++i)
        made = hang(table, "4", 1, 1, counts[i], 0) && hang(table, "4", 1, counts[i], 1, 0);
    vvResult result = made ? beamRows(table) : resultOutOfMemory("the chain");
    return result.code == VV_OK ? EXIT_DONE : complain(&labCommand, &result);
}

const LabPage labSmallSteps = { "small-steps",
                                "substeps against iterations on a chain, a beam also by newton-cg (Macklin 2019)",
                                run,
                                "frame",
                                "stretch",
                                "substeps",
                                "y" };
