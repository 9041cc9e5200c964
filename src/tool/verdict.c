// What a run did to energy and momenta, in words.
#include "tool/run.h"

#include "base/base.h"

#include <math.h>

#define DRIFT_MOST 0.05 // of an angular momentum: more is worth a word of its own
#define TOLD 0.1        // of what was lost, that is not resolved: less is not worth a line

// a share in %: without decimals where it is huge
static const char *percent(double share, char *text, size_t size)
{
    double value = 100 * fabs(share);
    snprintf(text, size, value >= 1e9 ? "%.3g" : value >= 1000 ? "%.0f" : "%.3g", value);
    return text;
}

// The method concerns soft bodies alone.
const char *gainRemedy(const Run *run)
{
    if (sceneBodyCount(run->built) == 0 && sceneFluidMass(run->built) > 0)
        return "half the timestep, twice the substeps and maxSubsteps of the fluid, or more of its smoothing would "
               "help";
    if (sceneBodyCount(run->built) == 0)
        return "twice the rigidSubsteps, or half the timestep would help";
    if (sceneFluidMass(run->built) > 0)
        return "half the timestep, twice the substeps of the fluid, or more damping.stiffness of bodies in it would "
               "help";
    if (adviseMethod(vvWorld_GetMethod(sceneWorldId(run->built))) == NULL)
        return "more integrator.iterations or half the timestep would help";
    return "half the timestep, or --method backward-euler, which loses energy instead, would help";
}

void printVerdict(FILE *out, const Run *run)
{
    const Audit *audit = &run->audit;
    Verdict verdict = auditVerdict(audit);
    char text[32];
    if (verdict == VERDICT_FINE)
        return;
    percent(auditGain(audit), text, sizeof text);
    if (verdict == VERDICT_GAINED)
        fprintf(out,
                "ENERGY GAINED: by frame %d the numerics gained %.4g J, +%s %% of the %.4g J that physics could "
                "exchange: do not trust the motion; %s\n",
                audit->gainedFrame, audit->gained, text, auditExchanged(audit), gainRemedy(run));
    else
        fprintf(out,
                "ACCOUNTS DO NOT BALANCE: %.4g J are booked as dissipated, but physics could exchange only %.4g J (+%s "
                "%%): do not "
                "trust the energies; less damping or half the timestep would help\n",
                audit->last.dissipated - audit->first.dissipated, auditExchanged(audit), text);
}

static void printFree(FILE *out, const Run *run)
{
    const FreeBodies *free = &run->free;
    char turned[32], moved[32];
    if (free->frames == 0)
        return;
    percent(free->spinDrift, turned, sizeof turned);
    percent(free->momentumDrift, moved, sizeof moved);
    fprintf(out, "free bodies: angular momentum %s %s %%, momentum within %s %%",
            free->spinDrift > DRIFT_MOST ? "CHANGED by" : "within", turned, moved);
    if (free->spinDrift > DRIFT_MOST)
        fprintf(out, " (body %s by frame %d; nothing touches or holds it: do not trust its rotation)",
                shown(vvSoftBody_GetName(sceneBody(run->built, free->body))), free->frame);
    fprintf(out, "\n");
}

void printBalance(FILE *out, const Run *run)
{
    const Audit *audit = &run->audit;
    double numerical = auditNumerical(audit);
    char text[32];
    fprintf(
        out,
        "energy: the numerics %s %.4g J, %s %% of the %.4g J to exchange (%.4g stored at the start, %.4g added, %.4g "
        "from gravity); %.4g J dissipated\n",
        numerical > 0 ? "gained" : "lost", fabs(numerical), percent(auditShare(audit), text, sizeof text),
        auditExchanged(audit), auditStored(audit), audit->added, audit->released,
        audit->last.dissipated - audit->first.dissipated);
    double unresolved = vvWorld_GetStatistics(sceneWorldId(run->built)).unresolved;
    if (numerical < 0 && unresolved > TOLD * -numerical)
        fprintf(out, "energy: %.4g J are in motion that the substeps do not resolve: slowed, not lost\n", unresolved);
    printFree(out, run);
}
