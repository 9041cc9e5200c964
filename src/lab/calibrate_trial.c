// What a sample does under a method: stretched, bent and released, beside the static solution and small converged steps
// on the same mesh, so that the method is not blamed for what the mesh does.
#include "lab/calibrate.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 128
#define STRAIN 2e-3       // of a stretched sample: small, and far above what float32 kernels round
#define DEFLECTION 0.01   // of a bent one, of its length
#define STATIC_TURNS 3.0  // frequency x step of the static solution: longer ones guess so far ahead that sheets fold
#define LONGEST_STEP 10.0 // s; the longest there is
#define MOST_SUBSTEPS 80000
#define MOST_STEPS 600     // of implicit methods: they start where they should end
#define PERIODS 2          // of a released sample
#define REFERENCE_STEPS 48 // of a period: implicit midpoint is 0.15 % slow then
#define SEEN 24            // steps of a period, where a method has substeps to divide
#define SETTLED 5e-4

// A sample in a world of its own.
typedef struct Rig
{
    const Sample *sample;
    vvWorldId world;
    vvSoftBodyId body;
    vvMesh *mesh;
    int count;                   // vertices
    const double *rest;          // count x 3
    double share[MOST_VERTICES]; // of the load; 0 away from the end
} Rig;

// ---- rigs -----------------------------------------------------------------------------------------------------------

static int columnOf(const Rig *rig, int vertex)
{
    return (int)floor(rig->rest[3 * vertex] / rig->sample->edge + 0.5 * SAMPLE_CELLS + 0.5);
}

// each vertex of the end by the area, width or point that it stands for
static void shareLoad(Rig *rig)
{
    double half = 0.5 * rig->sample->edge * rig->sample->across, sum = 0;
    memset(rig->share, 0, sizeof rig->share);
    for (int v = 0; v < rig->count; ++v)
    {
        double share = columnOf(rig, v) == SAMPLE_CELLS;
        for (int a = 1; a < 3; ++a)
        {
            bool rim = rig->sample->across > 0 && fabs(fabs(rig->rest[3 * v + a]) - half) < 1e-6 * half;
            share *= rim ? 0.5 : 1;
        }
        rig->share[v] = share;
        sum += share;
    }
    for (int v = 0; v < rig->count; ++v)
        rig->share[v] /= sum;
}

static void rigDestroy(Rig *rig)
{
    vvDestroyWorld(rig->world);
    vvDestroyMesh(rig->mesh);
}

// `clamped`: sheets are held by two columns, which holds their slope
static vvResult rigCreate(const Sample *sample, const vvWorldDef *world, bool damped, bool clamped, Rig *rig)
{
    vvResult result = resultOk();
    *rig = (Rig){ .sample = sample, .mesh = sampleMesh(sample, &result) };
    if (rig->mesh == NULL)
        return result;
    vvWorldDef def = *world;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.softContact = false;
    def.sleepEnergy = def.settings.localGlobal.budget = 0;
    def.threads = 1;
    rig->world = vvCreateWorld(&def, &result);
    vvSoftBodyDef body = sample->def;
    body.mesh = rig->mesh;
    if (!damped)
        body.damping.mass = body.damping.rigidPreserving = 0; // what hinders motion does not change where it ends
    if (result.code == VV_OK)
        rig->body = vvCreateSoftBody(rig->world, &body, &result);
    rig->count = vvMesh_GetVertexCount(rig->mesh);
    rig->rest = vvMesh_GetPoints(rig->mesh);
    if (result.code == VV_OK)
        shareLoad(rig);
    int last = clamped && sample->kind == SAMPLE_STRIP ? 1 : 0;
    for (int v = 0; v < rig->count && result.code == VV_OK; ++v)
    {
        if (columnOf(rig, v) <= last)
            result = vvSoftBody_Pin(rig->body, &v, 1);
    }
    if (result.code != VV_OK)
        rigDestroy(rig);
    return result;
}

static vvResult load(Rig *rig, int axis, double force)
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

// mean displacement of a column
static double columnDisplacement(const Rig *rig, int column, int axis)
{
    const double *x = vvSoftBody_GetPositions(rig->body);
    double sum = 0;
    int count = 0;
    for (int v = 0; v < rig->count; ++v)
    {
        if (columnOf(rig, v) != column)
            continue;
        sum += x[3 * v + axis] - rig->rest[3 * v + axis];
        count += 1;
    }
    return sum / count;
}

// Strain away from the held end, which cannot contract, or the displacement of the tip.
static double response(const Rig *rig, int axis)
{
    if (axis == 1)
        return columnDisplacement(rig, SAMPLE_CELLS, 1);
    double displacement = columnDisplacement(rig, SAMPLE_CELLS - 1, 0) - columnDisplacement(rig, 3, 0);
    return displacement / ((SAMPLE_CELLS - 4) * rig->sample->edge);
}

static vvResult slow(Rig *rig, double factor)
{
    double velocity[3 * MOST_VERTICES];
    const double *now = vvSoftBody_GetVelocities(rig->body);
    for (int i = 0; i < 3 * rig->count; ++i)
        velocity[i] = factor > 0 ? factor * now[i] : 0;
    return vvSoftBody_SetVelocities(rig->body, velocity);
}

// ---- loads ----------------------------------------------------------------------------------------------------------

// backward Euler in long steps, velocities taken away: the minimum of the energy
static vvResult settleExactly(const Sample *sample, int axis, double force, double frequency, double *positions,
                              double *out)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.solver = "newton";
    Sample calm = *sample;
    calm.def.damping.stiffness = calm.def.damping.spring = 0;
    Rig rig;
    vvResult result = rigCreate(&calm, &def, false, axis == 1, &rig);
    if (result.code != VV_OK)
        return result;
    result = load(&rig, axis, force);
    double last = 0;
    bool rests = false;
    for (int n = 0; n < 24 && result.code == VV_OK && !rests; ++n) // a tenth of the error is left each time
    {
        result = vvWorld_Step(rig.world, minReal(STATIC_TURNS / frequency, LONGEST_STEP));
        if (result.code == VV_OK)
            result = slow(&rig, 0);
        *out = response(&rig, axis);
        rests = n > 1 && fabs(*out - last) <= 1e-7 * fabs(*out);
        last = *out;
    }
    *out = rests ? *out : 0;
    memcpy(positions, vvSoftBody_GetPositions(rig.body), 3 * (size_t)rig.count * sizeof(double));
    rigDestroy(&rig);
    return result;
}

static int mostSteps(const Manner *manner)
{
    if (vvMethod_HasSubsteps(manner->world.method))
        return maxInt(MOST_SUBSTEPS / maxInt(manner->substeps, 1), 8);
    return vvMethod_IsExplicit(manner->world.method) ? MOST_SUBSTEPS : MOST_STEPS;
}

// Aitken: where a sequence that halves its distance again and again ends
static double limitOf(const double *value)
{
    double a = value[1] - value[0], b = value[2] - value[1];
    return fabs(b - a) > 1e-3 * fabs(b) && fabs(b) < fabs(a) ? value[2] - b * b / (b - a) : value[2];
}

// Each substep as a step of its own: what turns by whole circles in a step would never rest.
static Manner everySubstep(const Manner *manner)
{
    Manner out = *manner;
    if (!vvMethod_HasSubsteps(manner->world.method))
        return out;
    out.world.substeps = out.substeps = 1;
    out.step = manner->step / manner->substeps;
    return out;
}

// From rest to where the method comes to rest under the load. Velocities shrink between steps by critical damping of
// the slowest motion, which moves no resting point; damping inside the steps would.
static vvResult settle(const Sample *sample, const Manner *whole, int axis, double force, double frequency, Pull *pull,
                       double *out)
{
    Manner each = everySubstep(whole);
    const Manner *manner = &each;
    Rig rig;
    vvResult result = rigCreate(sample, &manner->world, false, axis == 1, &rig);
    if (result.code != VV_OK)
        return result;
    result = load(&rig, axis, force);
    double keep = exp(-2 * frequency * manner->step), value[3] = { 0, 0, 0 }, guess = 0;
    int window = (int)minReal(maxReal(1, 1 / (frequency * manner->step)), 1e6), windows = 0;
    value[2] = response(&rig, axis);
    for (int n = 1; n <= mostSteps(manner) && result.code == VV_OK && !pull->settled; ++n)
    {
        result = vvWorld_Step(rig.world, manner->step);
        if (result.code == VV_OK)
            result = slow(&rig, keep > 1e-3 ? keep : 0);
        if (n % window != 0 || result.code != VV_OK)
            continue;
        value[0] = value[1];
        value[1] = value[2];
        value[2] = response(&rig, axis);
        double before = guess;
        guess = limitOf(value);
        windows += 1;
        pull->settled = windows > 3 && fabs(guess - before) <= SETTLED * fabs(guess) &&
                        fabs(guess - value[2]) <= 5 * SETTLED * fabs(guess);
    }
    *out = pull->settled ? guess : response(&rig, axis);
    rigDestroy(&rig);
    return result;
}

static vvResult pullSample(const Sample *sample, const Manner *manner, int axis, double force, double frequency,
                           double *positions, Pull *pull)
{
    double exact = 0, measured = 0, per = axis == 0 ? sample->area : 1;
    vvResult result = settleExactly(sample, axis, force, frequency, positions, &exact);
    if (result.code != VV_OK || !(exact > 0))
        return result;
    *pull = (Pull){ .exact = force / per / exact };
    result = settle(sample, manner, axis, force, frequency, pull, &measured);
    pull->diverged = result.code == VV_DIVERGED;
    // implicit methods start where they should end, and may have nowhere to go
    bool steps = vvMethod_HasSubsteps(manner->world.method) || vvMethod_IsExplicit(manner->world.method);
    pull->done = result.code == VV_OK && (pull->settled || !steps) && force / measured > 0;
    pull->measured = pull->done ? force / per / measured : 0;
    return pull->diverged ? resultOk() : result;
}

double pullRatio(const Pull *pull)
{
    return pull->done ? pull->measured / pull->exact : NAN;
}

// ---- release --------------------------------------------------------------------------------------------------------

typedef struct Decay
{
    double frequency, rate; // rad/s, 1/s: of the amplitude, dE/dt = -2 rate E
} Decay;

// the mean of a quantity that decays from a to b exponentially
static double decayingMean(double a, double b)
{
    return a > 0 && b > 0 && fabs(a - b) > 1e-9 * a ? (a - b) / log(a / b) : 0.5 * (a + b);
}

static vvResult swing(const Sample *sample, const Manner *manner, bool bent, const double *positions, int steps,
                      Decay *out)
{
    Rig rig;
    vvResult result = rigCreate(sample, &manner->world, true, bent, &rig);
    if (result.code != VV_OK)
        return result;
    result = vvSoftBody_SetPositions(rig.body, positions);
    vvLedger first = vvWorld_GetLedger(rig.world), last = first;
    double action = 0, before = columnDisplacement(&rig, SAMPLE_CELLS, bent), from = 0, to = 0, time = 0;
    int crossings = 0;
    for (int n = 0; n < steps && result.code == VV_OK; ++n)
    {
        result = vvWorld_Step(rig.world, manner->step);
        if (result.code != VV_OK)
            break;
        vvLedger now = vvWorld_GetLedger(rig.world);
        action += manner->step * decayingMean(last.total, now.total);
        last = now;
        double displacement = columnDisplacement(&rig, SAMPLE_CELLS, bent);
        if ((displacement > 0) != (before > 0))
        {
            to = time + manner->step * before / (before - displacement);
            from = crossings == 0 ? to : from;
            crossings += 1;
        }
        before = displacement;
        time += manner->step;
    }
    *out = (Decay){ .frequency = crossings > 1 ? PI * (crossings - 1) / (to - from) : 0 };
    out->rate = action > 0 ? (first.total - last.total) / (2 * action) : 0;
    rigDestroy(&rig);
    return result;
}

// a quarter wave along the sample: its first mode of stretching
static void quarterWave(const Sample *sample, double *positions)
{
    vvMesh *mesh = sampleMesh(sample, NULL);
    const double *rest = vvMesh_GetPoints(mesh);
    double length = sample->edge * SAMPLE_CELLS;
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(mesh); ++i)
    {
        double along = (rest[i] + 0.5 * length) / length;
        positions[i] = rest[i] + (i % 3 == 0 ? STRAIN * length * sin(0.5 * PI * along) : 0);
    }
    vvDestroyMesh(mesh);
}

// Steps that see the vibration, of a method that divides them: fewer substeps of the same length
static Manner finer(const Manner *manner, double period)
{
    Manner out = *manner;
    if (!vvMethod_HasSubsteps(manner->world.method))
        return out;
    double seen = floor(manner->substeps * period / SEEN / manner->step);
    out.substeps = (int)maxReal(1, minReal(seen, manner->substeps));
    out.world.substeps = out.substeps;
    out.step = manner->step * out.substeps / manner->substeps;
    return out;
}

// Rates come from the energy left, which is a function of the state: what is not asked for is the numerics', whatever a
// method books as damping.
static vvResult releaseSample(const Sample *sample, const Manner *manner, double frequency, const double *positions,
                              Release *release)
{
    Manner fine = { .world = vvDefaultWorldDef(), .substeps = 1 };
    fine.step = minReal(2 * PI / frequency / REFERENCE_STEPS, LONGEST_STEP);
    fine.world.method = "implicit-midpoint";
    fine.world.solver = "newton";
    Decay exact, measured;
    vvResult result = swing(sample, &fine, release->bent, positions, PERIODS * REFERENCE_STEPS, &exact);
    if (result.code != VV_OK)
        return result;
    release->exactFrequency = exact.frequency > 0 ? exact.frequency : frequency;
    release->exactRate = maxReal(exact.rate, 0);
    Manner coarse = finer(manner, 2 * PI / release->exactFrequency);
    double wanted = PERIODS * 2 * PI / release->exactFrequency / coarse.step;
    int steps = (int)maxReal(4, minReal(ceil(wanted), mostSteps(&coarse)));
    result = swing(sample, &coarse, release->bent, positions, steps, &measured);
    release->diverged = result.code == VV_DIVERGED;
    release->done = result.code == VV_OK;
    release->frequency = measured.frequency;
    release->rate = measured.rate;
    release->numericalRate = measured.rate - release->exactRate;
    return release->diverged ? resultOk() : result;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

// one step tells how a method divides it; the frequencies tell whether anything resists bending
static vvResult look(Calibration *c, double *lowest)
{
    Rig rig;
    Manner *manner = &c->manner;
    vvResult result = rigCreate(&c->sample, &manner->world, true, true, &rig);
    if (result.code != VV_OK)
        return result;
    vvExamination examination;
    result = vvSoftBody_Examine(rig.body, &examination);
    *lowest = examination.lowestFrequency;
    c->stableStep = examination.stableStep;
    manner->substeps = 1;
    if (result.code == VV_OK && vvMethod_HasSubsteps(manner->world.method))
    {
        manner->substeps = manner->world.substeps;
        int sweeps = manner->world.settings.smallSteps.symmetric ? maxInt(2, manner->world.iterations)
                                                                 : maxInt(1, manner->world.iterations);
        sweeps = strcmp(manner->world.method, "small-steps") == 0 ? sweeps : 1;
        if (manner->substeps == 0)
        {
            c->diverged = vvWorld_Step(rig.world, manner->step).code == VV_DIVERGED;
            manner->substeps = maxInt(1, vvWorld_GetStatistics(rig.world).iterations / sweeps);
        }
    }
    rigDestroy(&rig);
    return result;
}

vvResult calibrateSample(const Sample *sample, const Manner *manner, Calibration *calibration)
{
    Calibration *c = calibration;
    *c = (Calibration){ .sample = *sample, .manner = *manner };
    double positions[3 * MOST_VERTICES], lowest = 0, length = sample->edge * SAMPLE_CELLS;
    vvResult result = look(c, &lowest);
    if (result.code != VV_OK)
        return result;
    c->courant = sample->speed * manner->step / c->manner.substeps / sample->edge;
    const vvMaterial *m = &sample->def.material;
    double modulus = sample->raw ? m->density * sample->speed * sample->speed : m->young;
    double stretching = 0.5 * PI * sqrt(modulus / m->density) / length;
    double theory = sampleBendCompliance(sample);
    // some bending of a strip costs nothing: the frequency of a cantilever with that stiffness at its tip instead
    bool strip = theory > 0 && sample->kind == SAMPLE_STRIP;
    double moved = 0.2427 * m->density * sample->area * (length - sample->edge);
    lowest = strip ? 1 / sqrt(theory * moved) : lowest;
    c->bends = lowest > (theory > 0 ? 1e-7 : 1e-4) * stretching; // else what is left is rounding
    result = pullSample(sample, &c->manner, 0, STRAIN * modulus * sample->area, stretching, positions, &c->stretch);
    if (result.code != VV_OK)
        return result;
    c->meshStretch = sample->raw ? 0 : c->stretch.exact / m->young;
    if (c->bends)
    {
        double width = sample->edge * maxInt(sample->across, 1);
        double compliance = theory > 0 ? theory : 4 * pow(length, 3) / (modulus * pow(width, 4));
        result = pullSample(sample, &c->manner, 1, DEFLECTION * length / compliance, lowest, positions, &c->bend);
        lowest = strip ? sqrt(maxReal(c->bend.exact, 1e-3 / theory) / moved) : lowest;
        c->meshBend = theory > 0 && !sample->raw ? c->bend.exact * theory : 0;
    }
    if (result.code != VV_OK)
        return result;
    c->bends = c->bends && c->bend.exact > 0; // cloth too thin for its cells buckles instead
    c->release.bent = c->bends;
    if (!c->bends)
        quarterWave(sample, positions);
    result = releaseSample(sample, &c->manner, c->bends ? lowest : stretching, positions, &c->release);
    c->diverged = c->diverged || c->stretch.diverged || c->bend.diverged || c->release.diverged;
    return result;
}
