// verve lab small-steps: figures 3, 4 and 7 of Macklin 2019. Substeps against iterations on a hanging chain, with and without
// a heavy last particle; a cantilever beam, also by Newton's method with conjugate gradients on the paper's Eq 1-2.
// The paper does not state its frame: 0.03 s and g = 10 give its 322.1 m and 3.2 m.
#include "tool/lab.h"

#include "integrate/integrate.h"

#include <math.h>
#include <string.h>
#include <verve/verve.h>

#define PARTICLES 20
#define LENGTH 0.01 // m, of a link
#define GRAVITY 10.0
#define HEAVY 1e5  // kg
#define FRAME 0.03 // s
#define FRAMES 1000
#define EVERY 10 // frames between rows of figure 3
#define ARRAYS 14

// ---- the chain: an island made by hand, for links without compliance and a particle of any mass ----------------------------

typedef struct Chain
{
    Memory memory;
    System system;
    Part part, *parts[1];
    Energy *springs, *gravity;
    double array[ARRAYS][3 * PARTICLES], mass[PARTICLES], residual[1];
    unsigned char pinned[PARTICLES];
} Chain;

static void placeParticles(Chain *chain, double last)
{
    State *s = &chain->system.state;
    double **slots[ARRAYS] = { &s->start,     &s->startVelocity, &s->previous, &s->pinTarget, &s->position,
                               &s->velocity,  &s->inertial,      &s->blend,    &s->rate,      &s->gradient,
                               &s->direction, &s->scratch,       &s->saved,    &s->external };
    for (int i = 0; i < ARRAYS; ++i)
        *slots[i] = chain->array[i];
    s->count = PARTICLES;
    s->mass = chain->mass;
    s->pinned = chain->pinned;
    for (int v = 0; v < PARTICLES; ++v)
    {
        s->mass[v] = v == PARTICLES - 1 ? last : 1;
        s->start[3 * v + 1] = -LENGTH * v;
    }
    s->pinned[0] = 1;
    memcpy(s->pinTarget, s->start, sizeof chain->array[0]);
}

static bool chainMake(Chain *chain, double last)
{
    memset(chain, 0, sizeof *chain);
    chain->memory = memoryMake(NULL);
    placeParticles(chain, last);
    State *s = &chain->system.state;
    int pair[2 * (PARTICLES - 1)];
    double strength[PARTICLES];
    for (int v = 0; v < PARTICLES; ++v)
    {
        strength[v] = INFINITY;
        if (v > 0)
        {
            pair[2 * v - 2] = v - 1;
            pair[2 * v - 1] = v;
        }
    }
    Recipe recipe = { .rest = s->start, .strength = strength };
    Recipe weights = { .rest = s->start, .strength = s->mass, .gravity = vec3(0, -GRAVITY, 0) };
    chain->springs = energyCreate(&chain->memory, &springKind, PARTICLES, PARTICLES - 1, pair, &recipe);
    chain->gravity = energyCreate(&chain->memory, &gravityKind, PARTICLES, PARTICLES, NULL, &weights);
    if (chain->springs == NULL || chain->gravity == NULL)
        return false;
    chain->part = (Part){ .count = PARTICLES, .size = LENGTH * PARTICLES, .energyCount = 2 };
    chain->part.energy[0] = chain->springs;
    chain->part.energy[1] = chain->gravity;
    chain->parts[0] = &chain->part;
    chain->system.part = chain->parts;
    chain->system.partCount = 1;
    chain->system.memory = &chain->memory;
    chain->system.residual = chain->residual;
    return smallSteps.reserve(&chain->system);
}

static void chainFree(Chain *chain)
{
    systemSweepRelease(&chain->system);
    energyDestroy(chain->springs);
    energyDestroy(chain->gravity);
}

static double chainStretch(const Chain *chain)
{
    const double *x = chain->system.state.start;
    return x[1] - x[3 * (PARTICLES - 1) + 1] - LENGTH * (PARTICLES - 1);
}

// 2-norm of how far the links are from their length
static double chainResidual(const Chain *chain)
{
    const double *x = chain->system.state.start;
    double sum = 0;
    for (int v = 0; v + 1 < PARTICLES; ++v)
        sum += pow(x[3 * v + 1] - x[3 * v + 4] - LENGTH, 2);
    return sqrt(sum);
}

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
    bool made = chainMake(&chain, last);
    State *s = &chain.system.state;
    Method method = { .integrator = &smallSteps,
                      .solving = { .iterations = iterations },
                      .settings = { .substeps = substeps } };
    Cells c = {
        figure, last > 1 ? "heavy-chain" : "chain", "small-steps", substeps, iterations, 0, 0, 0, 0, 0, 0, 0, 0
    };
    c.work = (double)substeps * iterations;
    double since = clockSeconds(), seconds = 0;
    for (c.frame = 1; c.frame <= FRAMES && made; ++c.frame)
    {
        clockLap(&since);
        smallSteps.step(&chain.system, FRAME, &method);
        seconds += clockLap(&since);
        memcpy(s->start, s->position, sizeof chain.array[0]);
        memcpy(s->startVelocity, s->velocity, sizeof chain.array[0]);
        c.stretch = chainStretch(&chain);
        c.most = maxReal(c.most, c.stretch);
        if (c.frame != FRAMES && (every == 0 || c.frame % every != 0))
            continue;
        c.residual = chainResidual(&chain);
        c.energy = chainEnergy(&chain);
        c.force = -chain.springs->lambda[0];
        c.seconds = seconds / c.frame;
        row(table, &c);
    }
    chainFree(&chain);
    return made;
}

// ---- the beam: 4 x 0.8 x 0.8 m, 1e7 Pa, 0.45, 1000 kg/m^3, held at one end, falls for a second -----------------------------

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

// residual: the largest distance of the tip from the reference, of the reference's largest way
static vvResult beamRows(LabTable *table)
{
    double reference[BEAM_FRAMES], tip[BEAM_FRAMES], way = 0;
    vvWorldDef def = vvDefaultWorldDef(); // implicit midpoint by Newton, 8 steps a frame
    Cells c = { 0 };
    vvResult result = beamRun(&def, 8, reference, &c);
    for (int n = 0; n < BEAM_FRAMES; ++n)
        way = maxReal(way, fabs(reference[n]));
    for (size_t i = 0; i < sizeof beams / sizeof beams[0] && result.code == VV_OK; ++i)
    {
        const BeamRow *b = &beams[i];
        bool small = vvHasMethodSubsteps(b->method);
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
            c.residual = maxReal(c.residual, fabs(tip[n] - reference[n]) / way);
        }
        c.stretch = tip[BEAM_FRAMES - 1];
        c.residual = result.code == VV_OK ? c.residual : INFINITY;
        row(table, &c);
        result = result.code == VV_DIVERGED ? resultOk() : result;
    }
    return result;
}

// ---- the page ----------------------------------------------------------------------------------------------------------

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
                                run };
