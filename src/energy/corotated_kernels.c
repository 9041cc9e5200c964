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

// Beside it the stress of damping, as of a damper frozen at F (damper.c): beta F (2 mu e + lambda tr e), e the rate of
// strain; what it takes, W, into energy->value
SIMD_INLINE Matrix addRates(Energy *energy, Place p, Matrix f, Matrix stress)
{
    const double *params = laneParams(energy, p.block) + p.lane;
    Matrix d = deformation(energy, p.block, p.lane, energy->rate);
    DoubleWide e11 = vecWideDot(f.a, d.a), e22 = vecWideDot(f.b, d.b), e33 = vecWideDot(f.c, d.c);
    DoubleWide e12 = 0.5 * (vecWideDot(f.a, d.b) + vecWideDot(d.a, f.b));
    DoubleWide e13 = 0.5 * (vecWideDot(f.a, d.c) + vecWideDot(d.a, f.c));
    DoubleWide e23 = 0.5 * (vecWideDot(f.b, d.c) + vecWideDot(d.b, f.c));
    // as in damper.c: over a bound of the largest eigenvalue of F^T F, where that is above 1
    DoubleWide zero = wideSet(0), bound = wideSet(1), c12 = vecWideDot(f.a, f.b), c13 = vecWideDot(f.a, f.c),
               c23 = vecWideDot(f.b, f.c);
    c12 = wideSelect(c12 < zero, -c12, c12);
    c13 = wideSelect(c13 < zero, -c13, c13);
    c23 = wideSelect(c23 < zero, -c23, c23);
    DoubleWide row1 = vecWideDot(f.a, f.a) + c12 + c13, row2 = vecWideDot(f.b, f.b) + c12 + c23;
    DoubleWide row3 = vecWideDot(f.c, f.c) + c13 + c23;
    bound = wideSelect(row1 > bound, row1, bound);
    bound = wideSelect(row2 > bound, row2, bound);
    bound = wideSelect(row3 > bound, row3, bound);
    DoubleWide weight = energy->rateTime * wideLoad(params + TET_VOLUME * LANES) / bound;
    DoubleWide twice = 2 * weight * wideLoad(params + TET_MU * LANES), trace = e11 + e22 + e33;
    DoubleWide pressure = weight * wideLoad(params + TET_LAMBDA * LANES) * trace;
    DoubleWide square = e11 * e11 + e22 * e22 + e33 * e33 + 2 * (e12 * e12 + e13 * e13 + e23 * e23);
    wideStore(energy->value + p.block * LANES + p.lane, twice * square + pressure * trace);
    e12 *= twice;
    e13 *= twice;
    e23 *= twice;
    e11 = twice * e11 + pressure;
    e22 = twice * e22 + pressure;
    e33 = twice * e33 + pressure;
    stress.a = vecWideAdd(
        stress.a, vecWideAdd(vecWideAdd(vecWideScale(e11, f.a), vecWideScale(e12, f.b)), vecWideScale(e13, f.c)));
    stress.b = vecWideAdd(
        stress.b, vecWideAdd(vecWideAdd(vecWideScale(e12, f.a), vecWideScale(e22, f.b)), vecWideScale(e23, f.c)));
    stress.c = vecWideAdd(
        stress.c, vecWideAdd(vecWideAdd(vecWideScale(e13, f.a), vecWideScale(e23, f.b)), vecWideScale(e33, f.c)));
    return stress;
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
            Matrix f = vectorMatrix(&group, vector);
            Matrix stress = stressOf(laneParams(energy, p.block) + p.lane, f, rotationOf(q));
            storeStress(energy, p, energy->rate == NULL ? stress : addRates(energy, p, f, stress));
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
