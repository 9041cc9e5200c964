// Pressure, WIDE triangles at a time (the energy is in pressure.c). The features are the three corners, from the body's
// first vertex.
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 3, 3, 0 }) // of a line alone

SIMD_INLINE void cornersAt(const Energy *energy, int block, int lane, const double *x, Vec3Wide *z)
{
    const int *vertices = laneVertices(energy, block) + lane;
    Vec3Wide origin = { wideSet(x[0]), wideSet(x[1]), wideSet(x[2]) };
    for (int c = 0; c < 3; ++c)
        z[c] = vecWideSub(vecWideGather(x, vertices + c * LANES), origin);
}

// -p (V - V_rest), V = z0.(z1 x z2) / 6
SIMD_INLINE DoubleWide pressureLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    (void)slope;
    DoubleWide volume = vecWideDot(z[0], vecWideCross(z[1], z[2])) / 6;
    return -wideLoad(params + PRESSURE * LANES) * (volume - wideLoad(params + PRESSURE_REST * LANES));
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[3];
            cornersAt(energy, block, lane, x, z);
            wideStore(energy->value + block * LANES + lane, pressureLaw(laneParams(energy, block) + lane, z, NULL));
        }
    }
}

// every corner gets a third of -p times the area vector
static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            const int *vertices = laneVertices(energy, block) + lane;
            double *slots = elementSlots(energy, block * LANES + lane);
            Vec3Wide o = vecWideGather(x, vertices), e = vecWideSub(vecWideGather(x, vertices + LANES), o);
            Vec3Wide f = vecWideSub(vecWideGather(x, vertices + 2 * LANES), o);
            Vec3Wide t = vecWideScale(-wideLoad(laneParams(energy, block) + lane) / 6, vecWideCross(e, f));
            wideStoreQuads(slots, 9, t.x, t.y, t.z, t.x);
            wideStoreQuads(slots + 4, 9, t.y, t.z, t.x, t.y);
            for (int l = 0; l < WIDE; ++l)
                slots[8 + 9 * l] = t.z[l];
        }
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[6];
            cornersAt(energy, block, lane, x, z);
            cornersAt(energy, block, lane, d, z + 3);
            for (int r = 0; r < 6; ++r)
                vecWideStore(laneLine(energy, block) + lane + 3 * r * LANES, z[r]);
        }
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    featureLineValues(energy, alpha, begin, end, SHAPE, pressureLaw);
}

const ElementKernels KERNEL(pressureKernels) = { values, gradient, lineStart, lineValues, NULL, NULL };
