// What a sample does under a method: stretched, bent and released, beside the static solution and small converged steps
// on the same mesh, so that the method is not blamed for what the mesh does.
#include "lab/calibrate_rig.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STRAIN 2e-3     // of a stretched sample: small, and far above what float32 kernels round
#define DEFLECTION 0.01 // of a bent one, of its length
// 1, of the loads on others: Newton's method begins where the load alone would take the end, and small cells turn over
#define ROD_LOAD 0.05
#define STATIC_TURNS 3.0 // frequency x step of the static solution: longer ones guess so far ahead that sheets fold
#define STATIC_STEPS 24
#define LONGEST_STEP 10.0 // s; the longest there is
#define MOST_SUBSTEPS 80000
#define MOST_STEPS 600     // of implicit methods: they start where they should end
#define PERIODS 2          // of a released sample; of a rod, which has many more tets, one
#define REFERENCE_STEPS 48 // of a period: implicit midpoint is 0.15 % slow then
#define SEEN 24            // steps of a period, where a method has substeps to divide
#define RESTS 1e-6         // what the static solution may still move, of itself
#define SETTLED 5e-4
#define BENT_MOST 0.03   // 1, what the mesh of a rod may be off when bent
#define BENT_SQUARE 1.25 // 1, that times the square of the cells across, of linear tets from three cells on

// ---- loads ----------------------------------------------------------------------------------------------------------

// Aitken: where a sequence that halves its distance again and again ends
static double limitOf(const double *value)
{
    double a = value[1] - value[0], b = value[2] - value[1];
    return fabs(b - a) > 1e-3 * fabs(b) && fabs(b) < fabs(a) ? value[2] - b * b / (b - a) : value[2];
}

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
    result = rigLoad(&rig, axis, force);
    double value[3] = { 0, 0, 0 }, last = 0;
    bool rests = false;
    for (int n = 0; n < STATIC_STEPS && result.code == VV_OK && !rests; ++n) // a tenth of the error is left each time
    {
        result = vvWorld_Step(rig.world, minReal(STATIC_TURNS / frequency, LONGEST_STEP));
        if (result.code == VV_OK)
            result = rigSlow(&rig, 0);
        value[0] = value[1];
        value[1] = value[2];
        value[2] = rigResponse(&rig, axis);
        *out = limitOf(value);
        rests = n > 1 && fabs(*out - last) <= RESTS * fabs(*out);
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
    result = rigLoad(&rig, axis, force);
    double keep = exp(-2 * frequency * manner->step), value[3] = { 0, 0, 0 }, guess = 0;
    int window = (int)minReal(maxReal(1, 1 / (frequency * manner->step)), 1e6), windows = 0;
    value[2] = rigResponse(&rig, axis);
    for (int n = 1; n <= mostSteps(manner) && result.code == VV_OK && !pull->settled; ++n)
    {
        result = vvWorld_Step(rig.world, manner->step);
        if (result.code == VV_OK)
            result = rigSlow(&rig, keep > 1e-3 ? keep : 0);
        if (n % window != 0 || result.code != VV_OK)
            continue;
        value[0] = value[1];
        value[1] = value[2];
        value[2] = rigResponse(&rig, axis);
        double before = guess;
        guess = limitOf(value);
        windows += 1;
        pull->settled = windows > 3 && fabs(guess - before) <= SETTLED * fabs(guess) &&
                        fabs(guess - value[2]) <= 5 * SETTLED * fabs(guess);
    }
    *out = pull->settled ? guess : rigResponse(&rig, axis);
    rigDestroy(&rig);
    return result;
}

static vvResult pullSample(const Sample *sample, const Manner *manner, int axis, double force, double frequency,
                           double *positions, Pull *pull)
{
    double exact = 0, measured = 0, per = axis == 0 ? sample->area : 1;
    vvResult result = settleExactly(sample, axis, force, frequency, positions, &exact);
    if (result.code != VV_OK || !(force / exact > 0) || !isfinite(force / exact))
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
    double action = 0, before = rigTip(&rig, bent), from = 0, to = 0, time = 0;
    int crossings = 0;
    for (int n = 0; n < steps && result.code == VV_OK; ++n)
    {
        result = vvWorld_Step(rig.world, manner->step);
        if (result.code != VV_OK)
            break;
        vvLedger now = vvWorld_GetLedger(rig.world);
        action += manner->step * decayingMean(last.total, now.total);
        last = now;
        double displacement = rigTip(&rig, bent);
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
    const double *rest = vvMesh_GetPoints(sample->def.mesh);
    double length = sample->length;
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(sample->def.mesh); ++i)
    {
        double along = (rest[i] + 0.5 * length) / length;
        positions[i] = rest[i] + (i % 3 == 0 ? STRAIN * length * sin(0.5 * PI * along) : 0);
    }
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
    int periods = sample->kind == SAMPLE_ROD ? 1 : PERIODS;
    vvResult result = swing(sample, &fine, release->bent, positions, periods * REFERENCE_STEPS, &exact);
    if (result.code != VV_OK)
        return result;
    release->exactFrequency = exact.frequency > 0 ? exact.frequency : frequency;
    release->exactRate = maxReal(exact.rate, 0);
    Manner coarse = finer(manner, 2 * PI / release->exactFrequency);
    double wanted = periods * 2 * PI / release->exactFrequency / coarse.step;
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
        if (manner->substeps == 0)
        {
            c->diverged = vvWorld_Step(rig.world, manner->step).code == VV_DIVERGED;
            manner->substeps = maxInt(1, vvWorld_GetStatistics(rig.world).ruledSubsteps);
        }
    }
    rigDestroy(&rig);
    return result;
}

// both ways, and across where it resists that; `positions` are left where the last static solution was
static vvResult pullAll(Calibration *c, double modulus, double stretching, double *lowest, double *positions)
{
    const Sample *sample = &c->sample;
    double small = sample->kind == SAMPLE_ROD || sample->framed ? ROD_LOAD : 1;
    double force = small * STRAIN * modulus * sample->area, theory = sampleBendCompliance(sample),
           length = sample->length;
    // some bending of a strip costs nothing: the frequency of a cantilever with that stiffness at its tip instead
    bool strip = theory > 0 && sample->kind == SAMPLE_STRIP;
    double moved = 0.2427 * sample->def.material.density * sample->area * (length - sample->edge);
    *lowest = strip ? 1 / sqrt(theory * moved) : *lowest;
    c->bends = *lowest > (theory > 0 ? 1e-7 : 1e-4) * stretching; // else what is left is rounding
    vvResult result = pullSample(sample, &c->manner, 0, force, stretching, positions, &c->stretch);
    if (result.code == VV_OK && sampleIsSolid(sample))
        result = pullSample(sample, &c->manner, 0, -force, stretching, positions, &c->compress);
    if (result.code == VV_OK && c->bends)
    {
        double compliance = theory > 0 ? theory : 4 * pow(length, 3) / (modulus * pow(sampleWidth(sample), 4));
        result =
            pullSample(sample, &c->manner, 1, small * DEFLECTION * length / compliance, *lowest, positions, &c->bend);
        *lowest = strip ? sqrt(maxReal(c->bend.exact, 1e-3 / theory) / moved) : *lowest;
    }
    c->bends = c->bends && c->bend.exact > 0; // cloth too thin for its cells buckles instead
    if (!sample->raw)
    {
        c->meshStretch = c->stretch.exact / modulus;
        c->meshCompress = c->compress.exact / modulus;
        c->meshBend = c->bend.exact * theory;
    }
    return result;
}

static vvResult tryAll(Calibration *c, double *positions)
{
    const Sample *sample = &c->sample;
    const vvMaterial *m = &sample->def.material;
    double lowest = 0, modulus = sample->raw ? m->density * sample->speed * sample->speed : m->young;
    double stretching = 0.5 * PI * sqrt(modulus / m->density) / sample->length;
    vvResult result = look(c, &lowest);
    if (result.code != VV_OK)
        return result;
    c->courant = sample->speed * c->manner.step / c->manner.substeps / sample->edge;
    result = pullAll(c, modulus, stretching, &lowest, positions);
    if (result.code != VV_OK)
        return result;
    c->release.bent = c->bends;
    if (!c->bends)
        quarterWave(sample, positions);
    result = releaseSample(sample, &c->manner, c->bends ? lowest : stretching, positions, &c->release);
    c->diverged = c->diverged || c->stretch.diverged || c->compress.diverged || c->bend.diverged || c->release.diverged;
    return result;
}

vvResult calibrateSample(const Sample *sample, const Manner *manner, Calibration *calibration)
{
    Calibration *c = calibration;
    *c = (Calibration){ .sample = *sample, .manner = *manner };
    vvResult result = resultOk();
    vvMesh *mesh = sampleMesh(sample, &result);
    if (mesh == NULL)
        return result;
    c->sample.def.mesh = mesh;
    if (sample->kind == SAMPLE_ROD)
        c->sample.area = vvMesh_GetVolume(mesh) / sample->length;
    Memory memory = memoryMake(NULL);
    double *positions = ALLOCATE(&memory, double, 3 * vvMesh_GetVertexCount(mesh));
    result = positions != NULL ? tryAll(c, positions) : resultOutOfMemory("a sample");
    memoryRelease(&memory, positions);
    c->sample.def.mesh = NULL;
    vvDestroyMesh(mesh);
    return result;
}

// the error of linear tets falls with the square of the cells across
bool calibrateMeshAdvice(const Calibration *c, char *text, size_t size)
{
    const Sample *s = &c->sample;
    double error = c->meshBend - 1;
    if (s->kind != SAMPLE_ROD || !(c->meshBend > 0) || fabs(error) <= BENT_MOST)
        return false;
    bool smoothed = s->def.model != NULL && strcmp(s->def.model, "smoothed") == 0;
    double square = maxReal(fabs(error) * s->across * s->across, smoothed ? 0 : BENT_SQUARE);
    int wanted = (int)ceil(sqrt(square / BENT_MOST));
    snprintf(text, size, "%d cells across bend %.2g %% too %s by themselves: %d across, edges of %.2g m%s", s->across,
             100 * fabs(error), error > 0 ? "stiffly" : "softly", wanted, sampleWidth(s) / wanted,
             smoothed ? "" : ", or the model smoothed");
    return true;
}
