// The objective of one implicit step over an island: value along a line, gradient, and what a step is measured by.
#include "solve/solve.h"

void systemSetFraction(System *system, double fraction)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
            system->part[p]->energy[e]->fraction = fraction;
    }
}

void systemSetStage(System *system, const Stage *stage)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double moved = s->position[i] - s->start[i];
        s->stage[i] = s->start[i] + stage->theta * moved;
        s->rate[i] = moved / stage->h;
    }
}

// adds the derivative of one energy, at the point or at the rate
static void addDerivative(Energy *energy, const double *point, const double *rate, double *gradient)
{
    energyAddGradient(energy, energy->traits & TRAIT_DISSIPATIVE ? rate : point, gradient);
}

void systemForces(System *system, EnergyFilter filter, const double *point)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->gradient[i] = 0;
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        int base = 3 * part->offset;
        for (int e = 0; e < part->energyCount; ++e)
        {
            if (filter == NULL || filter(part->energy[e]))
                addDerivative(part->energy[e], point + base, s->rate + base, s->gradient + base);
        }
    }
    if (system->links != NULL && (filter == NULL || filter(system->links)))
        addDerivative(system->links, point, s->rate, s->gradient);
}

void systemGradient(System *system, const Stage *stage)
{
    State *s = &system->state;
    systemForces(system, NULL, s->stage);
    double scale = stage->sigma * stage->theta;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double inertia = s->mass[i / 3] * (s->position[i] - s->inertial[i]);
        s->gradient[i] = s->pinned[i / 3] ? 0 : inertia + scale * s->gradient[i];
    }
}

double systemResidual(const System *system)
{
    const State *s = &system->state;
    double largest = 0;
    for (int v = 0; v < s->count; ++v)
    {
        double length = vecLength(vecLoad(s->gradient + 3 * v)) / s->mass[v];
        if (isnan(length))
            return length;
        largest = maxReal(largest, length);
    }
    return largest;
}

double systemStepSize(const System *system, double step)
{
    double largest = 0;
    for (int p = 0; p < system->partCount; ++p)
    {
        const Part *part = system->part[p];
        double longest = largestMagnitude(system->state.direction + 3 * part->offset, 3 * part->count);
        if (isnan(longest))
            return longest;
        largest = maxReal(largest, step * longest / part->size);
    }
    return largest;
}

// ---- along a line ----------------------------------------------------------------------------------------------------

static void lineStart(Energy *energy, const State *s, int base, const Stage *stage)
{
    // the stage moves by theta d, the rate by d / h: scratch holds the one this energy needs
    bool rate = (energy->traits & TRAIT_DISSIPATIVE) != 0;
    double scale = rate ? 1 / stage->h : stage->theta;
    for (int i = base; i < base + 3 * energy->vertexCount; ++i)
        s->scratch[i] = scale * s->direction[i];
    energyLineStart(energy, (rate ? s->rate : s->stage) + base, s->scratch + base);
}

void systemLineStart(System *system, const Stage *stage)
{
    State *s = &system->state;
    double *sums = system->inertia;
    sums[0] = sums[1] = sums[2] = 0;
    for (int v = 0; v < s->count; ++v)
    {
        if (s->pinned[v])
            continue;
        Vec3 offset = vecSub(vecLoad(s->position + 3 * v), vecLoad(s->inertial + 3 * v));
        Vec3 d = vecLoad(s->direction + 3 * v);
        sums[0] += 0.5 * s->mass[v] * vecDot(offset, offset);
        sums[1] += s->mass[v] * vecDot(offset, d);
        sums[2] += 0.5 * s->mass[v] * vecDot(d, d);
    }
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
            lineStart(system->part[p]->energy[e], s, 3 * system->part[p]->offset, stage);
    }
    if (system->links != NULL)
        lineStart(system->links, s, 0, stage);
}

static double lineScale(const Energy *energy, const Stage *stage)
{
    return energy->traits & TRAIT_DISSIPATIVE ? stage->sigma * stage->theta * stage->h : stage->sigma;
}

double systemLineValue(System *system, const Stage *stage, double alpha, double *magnitude)
{
    double sum = system->inertia[0] + alpha * (system->inertia[1] + alpha * system->inertia[2]);
    *magnitude = fabs(sum);
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
        {
            Energy *energy = system->part[p]->energy[e];
            double value = lineScale(energy, stage) * energyLineValue(energy, alpha);
            sum += value;
            *magnitude += fabs(value);
        }
    }
    if (system->links != NULL)
        sum += lineScale(system->links, stage) * energyLineValue(system->links, alpha);
    return sum;
}
