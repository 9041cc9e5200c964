// The body itself: the lowest of its vibrations of every kind, let go and loaded, in the steps and substeps of the
// scene.
#include "lab/calibrate.h"

#include "base/base.h"

#include <math.h>

#define MOST_STEPS 1500 // of one trial
#define CALM 0.3        // damping ratio up to which a damped vibration is looked at

static ModeReport look(Vibrations *v, int mode)
{
    ModeReport report = { .kind = v->kind[mode],
                          .exactFrequency = v->frequency[mode],
                          .exactRate = vibrationDamping(v, mode) };
    const vvDamping *d = &v->damping;
    bool damped = d->mass > 0 || d->stiffness > 0 || d->spring > 0 || d->rigidPreserving > 0;
    report.swing = vibrationSwing(v, mode, false, MOST_STEPS);
    if (damped && !(report.exactRate > CALM * report.exactFrequency))
        report.damped = vibrationSwing(v, mode, true, MOST_STEPS);
    report.loaded = vibrationLoad(v, mode, MOST_STEPS);
    return report;
}

double modeRate(const ModeReport *mode)
{
    if (mode->damped.known && mode->damped.frequency > 0)
        return mode->damped.rate;
    return mode->swing.known && mode->swing.frequency > 0 && mode->exactRate == 0 ? mode->swing.rate : NAN;
}

vvResult calibrateModes(const Scene *scene, int body, int substeps, ModesReport *report)
{
    Vibrations v;
    bool seen[MOST_MODES] = { false };
    *report = (ModesReport){ 0 };
    vvResult result = vibrationsOpen(&v, scene, body, MOST_VIBRATIONS, substeps);
    if (result.code != VV_OK)
        return result;
    report->substeps = v.substeps;
    for (int k = 0; k < v.count; ++k)
    {
        if (!v.isTrue[k] || seen[v.kind[k]])
            continue;
        seen[v.kind[k]] = true;
        report->mode[report->count++] = look(&v, k);
    }
    vibrationsClose(&v);
    return result;
}
