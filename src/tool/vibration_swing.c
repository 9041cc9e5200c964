// What a method makes of the vibrations of a body: let go, and loaded.
#include "tool/vibration.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

// ---- let go ---------------------------------------------------------------------------------------------------------

#define EIGHTH 0.785  // rad, that a vibration turns between two looks at most, where a method has substeps
#define FIRST 12      // samples of the first fit
#define SAME 1e-3     // 1: two fits, the second over twice the samples, agree
#define ALONE 0.03    // 1: what a fit of one vibration may leave over
#define SLOWEST 0.02  // of the frequency: slower is not looked for
#define FASTEST 1.5   //
#define GRID 600      //
#define TURNS 3.0     // of a mixture, at least
#define STUCK 0.125   // of the frequency: what is slower,
#define STUCK_TURNS 8 //   after so many periods, does not swing

// One decaying vibration through samples, by least squares: s = q+ - 2 q + q- = -a q - b (q - q-), so that
// r^2 = 1 - b and 4 r sin^2(turn / 2) = a - (1 - r)^2. Returns what is left over, of |s|.
static double fitOne(const double *q, int count, double *turn, double *decay)
{
    double qq = 0, qd = 0, dd = 0, qs = 0, ds = 0, ss = 0;
    for (int i = 1; i + 1 < count; ++i)
    {
        double d = q[i] - q[i - 1], s = q[i + 1] - 2 * q[i] + q[i - 1];
        qq += q[i] * q[i];
        qd += q[i] * d;
        dd += d * d;
        qs += q[i] * s;
        ds += d * s;
        ss += s * s;
    }
    double determinant = qq * dd - qd * qd;
    double a = -(qs * dd - ds * qd) / determinant, b = -(qq * ds - qd * qs) / determinant;
    double r = sqrt(maxReal(1 - b, 0)), sine = (a - (1 - r) * (1 - r)) / (4 * r);
    *decay = r;
    *turn = sine > 0 && sine < 1 ? 2 * asin(sqrt(sine)) : NAN;
    return sqrt(maxReal(0, ss + a * qs + b * ds) / ss);
}

// |sum of q exp(-i turn n)| under a window that falls to 0 at both ends
static double strength(const double *q, int count, double turn)
{
    double real = 0, imaginary = 0;
    for (int i = 0; i < count; ++i)
    {
        double weight = q[i] * (1 - cos(2 * PI * (i + 0.5) / count));
        real += weight * cos(turn * i);
        imaginary += weight * sin(turn * i);
    }
    return sqrt(real * real + imaginary * imaginary);
}

// the strongest vibration of a mixture
static double strongest(const double *q, int count, double least, double most)
{
    double best = least, high = 0, width = (most - least) / GRID;
    for (int k = 0; k <= GRID; ++k)
    {
        double value = strength(q, count, least + k * width);
        best = value > high ? least + k * width : best;
        high = maxReal(high, value);
    }
    for (int k = 0; k < 30; ++k, width *= 0.6)
    {
        double below = strength(q, count, best - width), above = strength(q, count, best + width);
        high = strength(q, count, best);
        best += below > high && below > above ? -width : above > high ? width : 0;
    }
    return best;
}

static Swing fitMixture(const double *q, int count, double expected, double step)
{
    Swing swing = { 0 };
    double turn = strongest(q, count, SLOWEST * expected, minReal(FASTEST * expected, PI));
    double early = strength(q, count / 2, turn), late = strength(q + count / 2, count / 2, turn);
    swing.known = turn * count >= TURNS * 2 * PI && late > 0;
    swing.frequency = turn / step;
    if (expected * count >= STUCK_TURNS * 2 * PI && turn < STUCK * expected)
        return (Swing){ .known = true };
    swing.rate = log(early / late) / (count / 2 * step);
    return swing;
}

// `expected`: rad, of one step
static Swing fit(const double *q, int count, double expected, double step, bool *done)
{
    double turn, decay, before, ignored;
    double left = fitOne(q, count, &turn, &decay);
    fitOne(q, (count + 1) / 2, &before, &ignored);
    *done = left <= ALONE && fabs(turn - before) <= SAME * turn;
    if (*done)
        return (Swing){ .known = true, .frequency = turn / step, .rate = -log(decay) / step };
    return fitMixture(q, count, expected, step);
}

// Steps that see the vibration, of a method that divides them: fewer substeps of the same length
static double shorten(Vibrations *v, int mode)
{
    double seen = floor(EIGHTH / (v->frequency[mode] * v->step / v->substeps));
    int substeps = (int)maxReal(1, minReal(seen, v->substeps));
    vvWorld_SetSubsteps(sceneWorldId(v->built), substeps);
    return v->step * substeps / v->substeps;
}

Swing vibrationSwing(Vibrations *v, int mode, bool damped, int mostSteps)
{
    vvWorldId world = sceneWorldId(v->built);
    int before = vvWorld_GetSubsteps(world), count = 0;
    bool divides = vvMethod_HasSubsteps(vvWorld_GetMethod(world)), done = false;
    double step = divides ? shorten(v, mode) : v->step, expected = v->frequency[mode] * step;
    double *q = malloc((size_t)mostSteps * sizeof(double));
    Swing swing = { 0 };
    vvResult result =
        q != NULL ? vibrationDisplace(v, mode, vibrationAmplitude(v, mode)) : resultOutOfMemory("samples");
    if (damped && result.code == VV_OK)
        result = vvSoftBody_SetDamping(v->body, v->damping);
    for (int next = FIRST; result.code == VV_OK && !done && count < mostSteps; next *= 2)
    {
        for (; count < minInt(next, mostSteps) && result.code == VV_OK; ++count)
        {
            q[count] = vibrationMeasure(v, mode);
            result = vvWorld_Step(world, step);
        }
        if (result.code == VV_OK && count >= FIRST)
            swing = fit(q, count, expected, step, &done);
        done = done || (swing.known && next * expected > 8 * PI);
    }
    swing.diverged = result.code == VV_DIVERGED;
    swing.known = swing.known && !swing.diverged;
    vvWorld_SetSubsteps(world, before);
    vvSoftBody_SetDamping(v->body, (vvDamping){ 0 });
    free(q);
    return swing;
}

// ---- loaded ---------------------------------------------------------------------------------------------------------

#define LOAD_TURNS 2.5 // periods under load
#define LEAST_STEPS 32 // and steps
#define SETTLED 5e-3   // 1, of the displacement: in the last quarter of the time

static vvResult press(Vibrations *v, int mode, double amplitude)
{
    const double *m = vvSoftBody_GetMasses(v->body), *u = vibrationShape(v, mode);
    double push = amplitude * v->frequency[mode] * v->frequency[mode];
    vvResult result = resultOk();
    for (int i = 0; i < v->vertices && result.code == VV_OK; ++i)
    {
        const double *w = u + 3 * (ptrdiff_t)i;
        double f = push * m[i];
        if (!vvSoftBody_IsPinned(v->body, i))
            result = vvSoftBody_SetForce(v->body, i, (vvVec3){ f * w[0], f * w[1], f * w[2] });
    }
    return result;
}

static vvResult slow(Vibrations *v, double factor)
{
    const double *now = vvSoftBody_GetVelocities(v->body);
    for (int i = 0; i < 3 * v->vertices; ++i)
        v->work[i] = factor > 1e-3 ? factor * now[i] : 0;
    return vvSoftBody_SetVelocities(v->body, v->work);
}

// Critical damping leaves 1e-5 of the distance after LOAD_TURNS.
Loaded vibrationLoad(Vibrations *v, int mode, int mostSteps)
{
    vvWorldId world = sceneWorldId(v->built);
    // each substep as a step of its own: what turns by whole circles in a step would never rest
    bool divides = vvMethod_HasSubsteps(vvWorld_GetMethod(world));
    double step = divides ? v->step / v->substeps : v->step, a = vibrationAmplitude(v, mode), before = 0;
    double turn = v->frequency[mode] * step, keep = exp(-2 * turn);
    int substeps = vvWorld_GetSubsteps(world);
    mostSteps *= divides ? v->substeps : 1;
    int steps = (int)maxReal(LEAST_STEPS, minReal(ceil(LOAD_TURNS * 2 * PI / turn), mostSteps));
    Loaded loaded = { 0 };
    vvResult result = vibrationDisplace(v, mode, 0);
    if (result.code == VV_OK)
        result = press(v, mode, a);
    if (divides && result.code == VV_OK)
        result = vvWorld_SetSubsteps(world, 1);
    for (int n = 1; n <= steps && result.code == VV_OK; ++n)
    {
        result = vvWorld_Step(world, step);
        if (result.code != VV_OK)
            break;
        result = slow(v, keep);
        loaded.ratio = vibrationMeasure(v, mode) / a;
        loaded.time += step;
        before = n <= 3 * steps / 4 ? loaded.ratio : before;
    }
    loaded.known = result.code == VV_OK && steps * turn >= 0.99 * LOAD_TURNS * 2 * PI;
    loaded.settled = loaded.known && fabs(loaded.ratio - before) <= SETTLED * fabs(loaded.ratio);
    loaded.diverged = result.code == VV_DIVERGED;
    vvWorld_SetSubsteps(world, substeps);
    return loaded;
}
