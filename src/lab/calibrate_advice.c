// What the trials of a body say is wrong, and what would help.
#include "lab/calibrate.h"

#include "base/base.h"
#include "tool/tool.h"

#include <math.h>
#include <string.h>

#define COURANT 0.3     // below, one sweep a substep is within LOOSE
#define LOOSE 0.05      // 1, what the modulus may be off, of small steps and explicit methods
#define TIGHT 0.02      // of converged implicit methods
#define RATIO_MOST 0.01 // damping ratio that the numerics may add to the lowest vibration of the body

static bool isSmallSteps(const Calibration *c)
{
    return strcmp(c->manner.world.method, "small-steps") == 0;
}

double calibrateAllowed(const Calibration *c)
{
    return isSmallSteps(c) || vvMethod_IsExplicit(c->manner.world.method) ? LOOSE : TIGHT;
}

// of stretching, compressing and bending, the ratio furthest from 1; NaN: none was measured
static double worstRatio(const Calibration *c)
{
    const Pull *const pulls[] = { &c->stretch, &c->compress, &c->bend };
    double worst = NAN;
    for (int i = 0; i < 3; ++i)
    {
        double ratio = pullRatio(pulls[i]);
        if (isnan(worst) || fabs(log(ratio)) > fabs(log(worst)))
            worst = ratio;
    }
    return worst;
}

void calibrateDescribe(double ratio, char *text, size_t size)
{
    if (fabs(ratio - 1) < 1e-4)
        snprintf(text, size, "within 0.01 %%");
    else if (ratio < 1 / 1.5)
        snprintf(text, size, "%.2g times too soft", 1 / ratio);
    else if (ratio > 1.5)
        snprintf(text, size, "%.2g times too stiff", ratio);
    else
        snprintf(text, size, "%.2g %% too %s", 100 * fabs(ratio - 1), ratio < 1 ? "soft" : "stiff");
}

// The softness of one sweep grows with the square of the Courant number at least: where 0.3 is not enough for LOOSE, as
// with much damping, what is.
static double courantWanted(const Calibration *c, double ratio)
{
    double softness = 1 / ratio - 1, wanted = COURANT;
    if (softness > 0)
        wanted = minReal(wanted, c->courant * sqrt(0.9 * LOOSE / softness));
    return wanted;
}

static int substepsFor(const Calibration *c, double courant)
{
    double wanted = ceil(c->courant * c->manner.substeps / courant * (1 - 1e-9));
    return (int)minReal(wanted, (double)VV_MAX_SUBSTEPS + 1);
}

// small steps: the Courant number decides
static void adviseSubsteps(const Calibration *c, double ratio, char *text, size_t size)
{
    char how[64];
    calibrateDescribe(ratio, how, sizeof how);
    bool off = !(fabs(ratio - 1) <= LOOSE);
    double wanted = courantWanted(c, ratio);
    if (c->courant > COURANT && substepsFor(c, wanted) > VV_MAX_SUBSTEPS)
        snprintf(text, size, "small-steps at Courant %.2g is %s, and no number of substeps is enough: small-midpoint",
                 c->courant, how);
    else if (off && ratio > 1 && c->sample.def.model != NULL && strcmp(c->sample.def.model, "smoothed") == 0)
        snprintf(text, size, "small-steps takes the model smoothed as corotated and is %s: small-midpoint", how);
    else if (c->courant > COURANT && off)
        snprintf(text, size, "small-steps at Courant %.2g is %s: %d substeps bring it below %.2g", c->courant, how,
                 substepsFor(c, wanted), wanted);
    else if (c->courant > COURANT)
        snprintf(
            text, size,
            "within %g %% here, but small-steps at Courant %.2g is outside what is sure: %d substeps bring it below "
            "%.1g",
            100 * LOOSE, c->courant, substepsFor(c, COURANT), COURANT);
    else if (off && c->sample.def.damping.stiffness + c->sample.def.damping.spring > 0)
        snprintf(text, size, "%s at Courant %.2g: its damping is more than one sweep can carry; more substeps, or less",
                 how, c->courant);
    else if (off)
        snprintf(text, size, "small-steps at Courant %.2g is %s: %d substeps bring it below %.2g", c->courant, how,
                 substepsFor(c, wanted), wanted);
}

static void adviseDivergence(const Calibration *c, char *text, size_t size)
{
    const char *other = adviseMethod(c->manner.world.method);
    double limit = 0.5 * vvMethod_GetLimit(c->manner.world.method) * c->stableStep;
    if (vvMethod_IsExplicit(c->manner.world.method) && limit > 0 && isfinite(limit))
        snprintf(text, size, "%s diverges: steps of %.3g s, its limit is %.3g s; shorter ones, or small-midpoint",
                 c->manner.world.method, c->manner.step, limit);
    else
        snprintf(text, size, "%s diverges with steps of %.3g s; smaller ones%s%s", c->manner.world.method,
                 c->manner.step, other ? ", or " : "", other ? other : "");
}

static void adviseMotion(const Calibration *c, char *text, size_t size)
{
    const Release *r = &c->release;
    double square = r->frequency / r->exactFrequency * (r->frequency / r->exactFrequency);
    char how[64];
    calibrateDescribe(square, how, sizeof how);
    if (r->numericalRate > maxReal(0.1 * r->exactRate, 0.01 * r->exactFrequency))
        snprintf(
            text, size,
            "the numerics take %.3g 1/s of a vibration of %.3g Hz, asked for was %.3g 1/s: smaller steps, or a method "
            "that keeps energy",
            r->numericalRate, r->exactFrequency / (2 * PI), r->exactRate);
    else if (-r->numericalRate > maxReal(0.1 * r->exactRate, 0.01 * r->exactFrequency))
        snprintf(text, size, "the numerics feed a vibration of %.3g Hz at %.3g 1/s: smaller steps",
                 r->exactFrequency / (2 * PI), -r->numericalRate);
    else if (r->frequency > 0 && fabs(square - 1) > LOOSE)
        snprintf(text, size, "it vibrates at %.3g Hz instead of %.3g, as if %s: %s", r->frequency / (2 * PI),
                 r->exactFrequency / (2 * PI), how,
                 c->manner.step / c->manner.substeps * r->exactFrequency > 0.5 ? "the step is too long to see it"
                                                                               : "smaller steps, or more iterations");
}

// ---- the body itself ------------------------------------------------------------------------------------------------

static double frequencyError(const ModeReport *mode)
{
    return mode->swing.known ? mode->swing.frequency / mode->exactFrequency - 1 : 0;
}

// the lowest: its frequency, its deflection and what the numerics take; then frequency and deflection of the others
// that have a name
static void adviseMode(const Scene *scene, const ModesReport *modes, int k, char *text, size_t size)
{
    const ModeReport *mode = &modes->mode[k];
    double off = modeRate(mode) - mode->exactRate;
    char words[160];
    if (fabs(frequencyError(mode)) > FREQUENCY_MOST)
    {
        adviseFrequency(scene, modes->substeps, frequencyError(mode), words, sizeof words);
        snprintf(text, size, "its %s swings at %.4g Hz instead of %.4g (%+.2g %%): %s", vibrationWord(mode->kind),
                 mode->swing.frequency / (2 * PI), mode->exactFrequency / (2 * PI), 100 * frequencyError(mode), words);
    }
    else if (mode->loaded.known && !(fabs(mode->loaded.ratio - 1) <= LOOSE))
    {
        calibrateDescribe(1 / mode->loaded.ratio, words, sizeof words);
        snprintf(text, size, "loaded in %s it is %s after %.3g s: more iterations, or the solver newton",
                 vibrationWord(mode->kind), words, mode->loaded.time);
    }
    else if (k == 0 && fabs(off) > maxReal(0.1 * mode->exactRate, RATIO_MOST * mode->exactFrequency))
        snprintf(text, size, "the numerics %s %.3g 1/s of its %s of %.3g Hz: smaller steps%s",
                 off > 0 ? "take" : "give", fabs(off), vibrationWord(mode->kind), mode->exactFrequency / (2 * PI),
                 off > 0 ? ", or a method that keeps energy" : "");
}

bool calibrateAdvice(const Scene *scene, const Calibration *c, const ModesReport *modes, char *text, size_t size)
{
    double ratio = worstRatio(c);
    char how[64];
    text[0] = '\0';
    if (c->diverged)
        adviseDivergence(c, text, size);
    else if (isnan(ratio))
        snprintf(text, size, "nothing came to rest: larger steps, or fewer substeps");
    else if (isSmallSteps(c))
        adviseSubsteps(c, ratio, text, size);
    else if (!(fabs(ratio - 1) <= calibrateAllowed(c)))
    {
        calibrateDescribe(ratio, how, sizeof how);
        snprintf(text, size, "%s: more iterations, or the solver newton", how);
    }
    for (int k = 0; k < modes->count && text[0] == '\0'; ++k)
    {
        if (k == 0 || modes->mode[k].kind != VIBRATION_SHAPE)
            adviseMode(scene, modes, k, text, size);
    }
    // where the body has no vibrations of its own, its sample has
    if (text[0] == '\0' && modes->count == 0 && c->release.done)
        adviseMotion(c, text, size);
    if (text[0] == '\0')
        calibrateMeshAdvice(c, text, size);
    return text[0] != '\0';
}
