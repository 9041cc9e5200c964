// Corotated tetrahedra, WIDE at a time (the energy is in corotated.c): values, forces, projections.
#include "energy/corotated_wide.h"

// V (mu |F - R|^2 + lambda/2 tr(R^T F - I)^2), and the rotations that were found
SIMD_INLINE void storeValues(Energy *energy, const Group *group, int first, int count)
{
    for (int vector = 0; vector < count; ++vector)
    {
        Place p = placeOf(first, vector);
        const double *params = laneParams(energy, p.block) + p.lane;
        Quaternion q = vectorQuaternion(group, vector);
        quaternionStore(laneFound(energy, p.block) + p.lane, q);
        Matrix f = vectorMatrix(group, vector), r = rotationOf(q);
        Vec3Wide a = vecWideSub(f.a, r.a), b = vecWideSub(f.b, r.b), c = vecWideSub(f.c, r.c);
        DoubleWide trace = volumetric(r, f), distance = vecWideDot(a, a) + vecWideDot(b, b) + vecWideDot(c, c);
        DoubleWide density =
            wideLoad(params + TET_MU * LANES) * distance + 0.5 * wideLoad(params + TET_LAMBDA * LANES) * trace * trace;
        wideStore(energy->value + p.block * LANES + p.lane, wideLoad(params + TET_VOLUME * LANES) * density);
    }
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    Group group;
    for (int first = begin; first < end; first += GROUP)
        storeValues(energy, &group, first, turnBlocks(&group, energy, x, first, end, NEAR_VALUES));
}

// V P = V (2 mu (F - R) + lambda tr(R^T F - I) R)
SIMD_INLINE Matrix stressOf(const double *params, Matrix f, Matrix r)
{
    DoubleWide volume = wideLoad(params + TET_VOLUME * LANES);
    DoubleWide shear = volume * (2 * wideLoad(params + TET_MU * LANES));
    DoubleWide pressure = volume * (wideLoad(params + TET_LAMBDA * LANES) * volumetric(r, f));
    return (Matrix){ vecWideAdd(vecWideScale(shear, vecWideSub(f.a, r.a)), vecWideScale(pressure, r.a)),
                     vecWideAdd(vecWideScale(shear, vecWideSub(f.b, r.b)), vecWideScale(pressure, r.b)),
                     vecWideAdd(vecWideScale(shear, vecWideSub(f.c, r.c)), vecWideScale(pressure, r.c)) };
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    Group group;
    for (int first = begin; first < end; first += GROUP)
    {
        int count = turnBlocks(&group, energy, x, first, end, NEAR);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            Quaternion q = vectorQuaternion(&group, vector);
            quaternionStore(laneKept(energy, p.block) + p.lane, q);
            storeStress(energy, p,
                        stressOf(laneParams(energy, p.block) + p.lane, vectorMatrix(&group, vector), rotationOf(q)));
        }
    }
}

// lambda = 0: p = R, and w A^T p is 2 mu V R g_c (Bouaziz 2014, Eq 9 and 10)
static void project(Energy *energy, const double *x, int begin, int end)
{
    Group group;
    for (int first = begin; first < end; first += GROUP)
    {
        int count = turnBlocks(&group, energy, x, first, end, NEAR);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            const double *params = laneParams(energy, p.block) + p.lane;
            Quaternion q = vectorQuaternion(&group, vector);
            quaternionStore(laneKept(energy, p.block) + p.lane, q);
            Matrix r = rotationOf(q);
            DoubleWide weight = wideLoad(params + TET_VOLUME * LANES) * (2 * wideLoad(params + TET_MU * LANES));
            storeStress(energy, p,
                        (Matrix){ vecWideScale(weight, r.a), vecWideScale(weight, r.b), vecWideScale(weight, r.c) });
        }
    }
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            double *line = laneLine(energy, block) + lane;
            matrixStore(line, deformation(energy, block, lane, x));
            matrixStore(line + 9 * LANES, deformation(energy, block, lane, d));
        }
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    Group group;
    DoubleWide a = wideSet(alpha);
    for (int first = begin; first < end; first += GROUP)
    {
        int count = minInt(GROUP, end - first) * (LANES / WIDE);
        for (int vector = 0; vector < count; ++vector)
        {
            Place p = placeOf(first, vector);
            const double *line = laneLine(energy, p.block) + p.lane;
            Matrix f = { lineColumn(line, a), lineColumn(line + 3 * LANES, a), lineColumn(line + 6 * LANES, a) };
            setVector(&group, vector, f, laneKept(energy, p.block) + p.lane);
        }
        turnGroup(&group, count, NEAR_VALUES);
        storeValues(energy, &group, first, count);
    }
}

const ElementKernels KERNEL(corotatedKernels) = { values, gradient, lineStart, lineValues, project, NULL };
