// What verve check and advise say of rigid bodies and fluids, which are stepped alike under every method.
#include "tool/guests.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TIGHT 1e-3  // m, that hard joints may give way by
#define COURANT 0.3 // of half a spacing, that particles move by in a substep

// the largest ratio of the masses of two bodies that a joint holds together, at least 1
static double worstRatio(vvWorldId world)
{
    int count = vvWorld_GetJoints(world, NULL, 0);
    vvJointId *joint = malloc((size_t)maxInt(count, 1) * sizeof *joint);
    double worst = 1;
    if (joint == NULL)
        return worst;
    vvWorld_GetJoints(world, joint, count);
    for (int i = 0; i < count; ++i)
    {
        vvJointDef def;
        if (vvJoint_GetDef(joint[i], &def).code != VV_OK || def.compliance > 0)
            continue;
        double a = vvRigidBody_GetMass(def.bodyA), b = vvRigidBody_GetMass(def.bodyB);
        if (a > 0 && b > 0)
            worst = maxReal(worst, maxReal(a / b, b / a));
    }
    free(joint);
    return worst;
}

static double weightOf(vvWorldId world) // m/s^2
{
    vvVec3 g = vvWorld_GetGravity(world);
    return sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
}

// docs/rigid.md: a hard joint gives way by ratio x g x (step / substeps)^2
static void printRigid(vvWorldId world, double step)
{
    vvStatistics counts = vvWorld_GetStatistics(world);
    int substeps = maxInt(vvWorld_GetRigidSubsteps(world), 1);
    if (counts.rigidBodyCount == 0)
        return;
    printf("  rigid bodies %d, joints %d, %d substeps of %.4g s\n", counts.rigidBodyCount, counts.jointCount, substeps,
           step / substeps);
    double ratio = worstRatio(world), g = weightOf(world), sag = ratio * g * (step / substeps) * (step / substeps);
    if (counts.jointCount > 0 && sag > TIGHT)
        printf("  note: a joint holds bodies whose masses differ %.3g times: it gives way by about %.2g m; --set "
               "integrator.rigidSubsteps=%.0f makes that 1 mm\n",
               ratio, sag, ceil(step * sqrt(ratio * g / TIGHT)));
}

static double heightOf(vvFluidId fluid) // m, of its particles
{
    const double *x = vvFluid_GetPositions(fluid);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
    {
        low = minReal(low, x[3 * (ptrdiff_t)i + 1]);
        high = maxReal(high, x[3 * (ptrdiff_t)i + 1]);
    }
    return high > low ? high - low : 0;
}

static void printFluids(vvWorldId world, double step)
{
    int count = vvWorld_GetFluids(world, NULL, 0);
    vvFluidId *fluid = malloc((size_t)maxInt(count, 1) * sizeof *fluid);
    if (count > 0)
        printf("  fluids %d, particles %d\n", count, vvWorld_GetStatistics(world).particleCount);
    if (fluid != NULL)
        vvWorld_GetFluids(world, fluid, count);
    for (int i = 0; fluid != NULL && i < count; ++i)
    {
        double speed = sqrt(2 * weightOf(world) * heightOf(fluid[i])),
               way = 0.5 * COURANT * vvFluid_GetSpacing(fluid[i]);
        if (speed > 0)
            printf("  fluid %d: what falls as far as it is high has %.3g m/s, which takes %.0f substeps a step; above "
                   "its maxSubsteps particles are slowed down\n",
                   i, speed, ceil(speed * step / way));
    }
    free(fluid);
}

void guestsPrint(vvWorldId world, double step)
{
    printFluids(world, step);
    printRigid(world, step);
}
