// What verve check and advise say of rigid bodies and fluids, which are stepped alike under every method.
#include "tool/guests.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIGHT 1e-3      // m, that hard joints may give way by
#define COURANT 0.3     // of half a spacing, that particles move by in a substep
#define STANDS 400      // bodies of a stack x what the lowest carries over its mass, that stand at substeps of 1/1200 s
#define DENSE 0.03      // compression of a fluid by its weight, that is told
#define STACK_MOST 4000 // bodies that are looked at

double guestsRatio(vvWorldId world)
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

// ---- stacks ---------------------------------------------------------------------------------------------------------

typedef struct Standing
{
    vvVec3 at;           // m
    double mass, radius; // kg; m, half of its largest side
} Standing;

static Standing standingOf(vvRigidBodyId id)
{
    Standing body = { .at = vvRigidBody_GetCentreOfMass(id), .mass = vvRigidBody_GetMass(id) };
    vvRigidShape shapes[8];
    int count = minInt(vvRigidBody_GetShapes(id, shapes, 8), 8);
    for (int i = 0; i < count; ++i)
    {
        vvBox box = vvShape_GetBounds(shapes[i].shape);
        double x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y, z = box.upper.z - box.lower.z;
        body.radius = maxReal(body.radius, 0.5 * maxReal(x, maxReal(y, z)));
    }
    return body;
}

// whether a body is above another one, in its column
static bool isAbove(const Standing *upper, const Standing *lower, vvVec3 up)
{
    vvVec3 d = { upper->at.x - lower->at.x, upper->at.y - lower->at.y, upper->at.z - lower->at.z };
    double high = d.x * up.x + d.y * up.y + d.z * up.z;
    double aside = d.x * d.x + d.y * d.y + d.z * d.z - high * high;
    return high > 0 && aside < lower->radius * lower->radius;
}

// Stacks of equal boxes (10 to 60 of them, 20 to 80 substeps of 1/60 s) and boxes under 20 to 1000 times their mass
// lean by less than 1 mm in 5 s up to this product, which grows with the substeps to the power of 1.5.
static void printStacks(vvWorldId world, double step, double g)
{
    int count = vvWorld_GetRigidBodies(world, NULL, 0), substeps = maxInt(vvWorld_GetRigidSubsteps(world), 1);
    vvVec3 gravity = vvWorld_GetGravity(world), up = { -gravity.x / g, -gravity.y / g, -gravity.z / g };
    vvRigidBodyId *id = malloc((size_t)maxInt(count, 1) * sizeof *id);
    Standing *body = malloc((size_t)maxInt(count, 1) * sizeof *body);
    double worst = 0, most = 0;
    int tallest = 0;
    if (id != NULL && body != NULL && count <= STACK_MOST)
    {
        vvWorld_GetRigidBodies(world, id, count);
        for (int i = 0; i < count; ++i)
            body[i] = standingOf(id[i]);
        for (int i = 0; i < count; ++i)
        {
            double carried = 0;
            int high = 1;
            for (int j = 0; j < count && body[i].mass > 0; ++j)
            {
                bool above = j != i && isAbove(&body[j], &body[i], up);
                carried += above ? body[j].mass : 0;
                high += above;
            }
            double ratio = body[i].mass > 0 ? carried / body[i].mass : 0;
            if (ratio * high <= worst)
                continue;
            worst = ratio * high;
            most = ratio;
            tallest = high;
        }
    }
    free(id);
    free(body);
    double stands = STANDS * pow(substeps / (1200 * step), 1.5);
    if (worst > stands)
        printf(
            "  note: a stack of %d rigid bodies has %.3g times the mass of its lowest upon it: with %d substeps it may "
            "lean and fall; --set integrator.rigidSubsteps=%.0f\n",
            tallest, most, substeps, ceil(1200 * step * pow(worst / STANDS, 2.0 / 3)));
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
    double ratio = guestsRatio(world), g = weightOf(world), sag = ratio * g * (step / substeps) * (step / substeps);
    if (counts.jointCount > 0 && sag > TIGHT)
        printf("  note: a joint holds bodies whose masses differ %.3g times: it gives way by about %.2g m; --set "
               "integrator.rigidSubsteps=%.0f makes that 1 mm\n",
               ratio, sag, ceil(step * sqrt(ratio * g / TIGHT)));
    if (counts.bodyCount > 0 && strcmp(vvWorld_GetMethod(world), "implicit-midpoint") == 0)
        printf(
            "  note: under implicit-midpoint rigid bodies are stepped beside the soft ones, and what they hit may gain "
            "energy, more with smaller steps; small-midpoint and small-steps step them together\n");
    if (g > 0)
        printStacks(world, step, g);
}

double guestsHeight(vvFluidId fluid)
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

// docs/fluid.md: 48 layers of 2 cm compress by 2.6 % in substeps of 1/600 s, with their number over the spacing and the
// square of the substep
static void printDepth(vvWorldId world, vvFluidId fluid, int number, double step)
{
    int substeps = vvFluid_GetSubstepsTaken(fluid); // 0: nothing was stepped
    double spacing = vvFluid_GetSpacing(fluid), layers = guestsHeight(fluid) / spacing + 1;
    double rest = 0.026 * layers / 48 * 0.02 / spacing * weightOf(world) / 9.81 * 360000 * step * step;
    if (substeps > 0 && rest / (substeps * substeps) > DENSE)
        printf("  note: fluid %d is %.0f layers deep: in %d substeps its weight compresses it by about %.2g %%; --set "
               "fluids.%d.substeps=%.0f makes that 3 %%\n",
               number, layers, substeps, 100 * rest / (substeps * substeps), number, ceil(sqrt(rest / DENSE)));
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
        double speed = sqrt(2 * weightOf(world) * guestsHeight(fluid[i])),
               way = 0.5 * COURANT * vvFluid_GetSpacing(fluid[i]);
        if (speed > 0)
            printf("  fluid %d: what falls as far as it is high has %.3g m/s, which takes %.0f substeps a step; above "
                   "its maxSubsteps particles are slowed down\n",
                   i, speed, ceil(speed * step / way));
        printDepth(world, fluid[i], i, step);
    }
    free(fluid);
}

void guestsPrint(vvWorldId world, double step)
{
    printFluids(world, step);
    printRigid(world, step);
}
