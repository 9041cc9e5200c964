// Loops shared by the potentials of one vertex: linear ones, -w f.x, and harmonic ones, w/2 |x - a|^2.
#ifndef ENERGY_POINT_H
#define ENERGY_POINT_H

#include "energy/energy.h"

#include <stdio.h>

// ---- linear: params are w, f.x, f.y, f.z; the line is value and slope -----------------------------------------------

#define LINEAR_PARAMS 4
#define LINEAR_LINE 2

static inline Vec3 linearForce(const double *params, int lane)
{
    return vecScale(params[lane], vec3(params[LANES + lane], params[2 * LANES + lane], params[3 * LANES + lane]));
}

static inline void linearValues(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 position = laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, x);
        energy->value[i] = -vecDot(linearForce(laneParams(energy, i / LANES), i % LANES), position);
    }
}

static inline void linearGradient(Energy *energy, const double *x, int begin, int end)
{
    (void)x;
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 force = linearForce(laneParams(energy, i / LANES), i % LANES);
        vecStore(elementSlots(energy, i), vecScale(-1, force));
    }
}

static inline void linearLineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const int *vertices = laneVertices(energy, i / LANES);
        Vec3 force = linearForce(laneParams(energy, i / LANES), i % LANES);
        double *line = laneLine(energy, i / LANES) + i % LANES;
        line[0] = -vecDot(force, laneLoad(vertices, 0, i % LANES, x));
        line[LANES] = -vecDot(force, laneLoad(vertices, 0, i % LANES, d));
    }
}

static inline void linearLineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        energy->value[i] = line[0] + alpha * line[LANES];
    }
}

// ---- harmonic: param 0 is w, the kind says where a is; the line is x - a and its change -----------------------------

#define HARMONIC_LINE 6

typedef Vec3 (*PointTarget)(const Energy *energy, int element);

static inline Vec3 harmonicOffset(const Energy *energy, int element, const double *x, PointTarget target)
{
    Vec3 position = laneLoad(laneVertices(energy, element / LANES), 0, element % LANES, x);
    return vecSub(position, target(energy, element));
}

static inline double harmonicWeight(const Energy *energy, int element)
{
    return laneParams(energy, element / LANES)[element % LANES];
}

static inline void harmonicValues(Energy *energy, const double *x, int begin, int end, PointTarget target)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 offset = harmonicOffset(energy, i, x, target);
        energy->value[i] = 0.5 * harmonicWeight(energy, i) * vecDot(offset, offset);
    }
}

static inline void harmonicGradient(Energy *energy, const double *x, int begin, int end, PointTarget target)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        Vec3 force = vecScale(harmonicWeight(energy, i), harmonicOffset(energy, i, x, target));
        vecStore(elementSlots(energy, i), force);
    }
}

static inline void harmonicLineStart(Energy *energy, const double *x, const double *d, int begin, int end,
                                     PointTarget target)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        double *line = laneLine(energy, i / LANES);
        laneStore(line, 0, i % LANES, harmonicOffset(energy, i, x, target));
        laneStore(line, 1, i % LANES, laneLoad(laneVertices(energy, i / LANES), 0, i % LANES, d));
    }
}

static inline void harmonicLineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *line = laneLine(energy, i / LANES) + i % LANES;
        double sum = 0;
        for (int a = 0; a < 3; ++a)
        {
            double component = line[a * LANES] + alpha * line[(3 + a) * LANES];
            sum += component * component;
        }
        energy->value[i] = 0.5 * harmonicWeight(energy, i) * sum;
    }
}

static inline void harmonicHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    for (int i = 0; i < LANES * 9; ++i)
        out[i] = i % 9 % 4 == 0 ? harmonicWeight(energy, block * LANES + i / 9) : 0;
}

static inline void harmonicMajorizer(const Energy *energy, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
        out[lane] = harmonicWeight(energy, block * LANES + lane);
}

// ---- one line about element i ---------------------------------------------------------------------------------------

static inline void pointDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    int vertex = laneVertices(energy, element / LANES)[element % LANES];
    snprintf(text, size, "%s %d: vertex %d at %.4g %.4g %.4g, weight %.4g", energy->kind->name, element, vertex,
             x[3 * (ptrdiff_t)vertex], x[3 * (ptrdiff_t)vertex + 1], x[3 * (ptrdiff_t)vertex + 2],
             harmonicWeight(energy, element));
}

#endif
