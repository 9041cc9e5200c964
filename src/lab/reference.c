// A run that is converged: one that changes little when its substeps are halved.
#include "lab/advise.h"

#include <math.h>

#define MOST_DOUBLINGS 5
#define CALM 0.05        // damping ratio below which motion is nearly oscillatory
#define CONVERGED 0.3    // of what a candidate may be apart: two resolutions that are nearer agree
#define FIRST_SUBSTEPS 2 // of implicit methods, in the coarser of the first two runs

// takes a trial as the reference where two resolutions agree better than those there were; else lets it go
static void offer(const Advice *advice, Reference *reference, Trial *trial, double agrees)
{
    bool finished = trial->positions != NULL, first = reference->trial.positions == NULL;
    bool better = agrees >= 0 && (reference->agrees < 0 || agrees < reference->agrees);
    if (!first && !(finished && better))
    {
        trialFree(&advice->ground, trial);
        return;
    }
    trialFree(&advice->ground, &reference->trial);
    reference->trial = *trial;
    reference->agrees = agrees;
}

// one method, with twice the substeps each time, until two runs agree
static void refine(const Advice *advice, Reference *reference, Settings settings, int most)
{
    Trial last = { .settings = settings, .apart = -1 };
    double agrees = -1;
    for (int k = 0; k < MOST_DOUBLINGS && settings.substeps <= most && !reference->converged;
         ++k, settings.substeps *= 2)
    {
        Trial fine;
        trialRun(&advice->ground, &settings, &fine);
        if (fine.positions == NULL && last.positions != NULL)
        {
            trialFree(&advice->ground, &fine);
            break;
        }
        agrees = trialApart(&last, &fine, advice->size);
        trialFree(&advice->ground, &last);
        last = fine;
        bool keeps = maxReal(fine.lost, fine.gained) <= advice->mostLost;
        reference->converged = keeps && agrees >= 0 && agrees <= CONVERGED * advice->mostApart;
        if (fine.positions == NULL)
            break;
    }
    offer(advice, reference, &last, agrees);
}

const Reference *referenceFor(const Advice *advice, const char *method)
{
    return advice->touches && vvMethod_HasSubsteps(method) ? &advice->hard : &advice->reference;
}

void adviseReference(Advice *advice)
{
    const Settings explicitly = { "verlet", NULL, 0, maxInt(advice->explicitSubsteps, 1) };
    const Settings hard = { "small-midpoint", "newton", 0, 4 * FIRST_SUBSTEPS };
    const Settings implicitly[] = { { "implicit-midpoint", "newton", 0, FIRST_SUBSTEPS },
                                    hard,
                                    { "backward-euler", "newton", 0, FIRST_SUBSTEPS } };
    advice->reference.agrees = advice->hard.agrees = -1;
    refine(advice, &advice->reference, explicitly, 2 * MOST_EXPLICIT);
    for (int i = 0; i < 3 && !advice->reference.converged; ++i)
    {
        if (i != 1 || !advice->touches)
            refine(advice, &advice->reference, implicitly[i], MOST_EXPLICIT);
    }
    if (advice->touches)
        refine(advice, &advice->hard, hard, MOST_EXPLICIT);
    // where no motion resists bending there is no lowest frequency: a second stands for its period
    double lowest = advice->lowest > 0 ? advice->lowest : 2 * PI;
    advice->ratio = advice->reference.trial.dampingRate / (2 * lowest);
    advice->oscillatory = advice->ratio < CALM;
}
