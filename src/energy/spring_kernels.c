// Hooke's springs, WIDE at a time (the law is in spring.c).
#include "energy/kernels.h"
#include "energy/wide.h"

// the WIDE springs from `lane` on of one block
typedef struct Springs
{
    DoubleWide stiffness, length; // N/m, m
} Springs;

SIMD_INLINE Springs springsAt(const Energy *energy, int block, int lane)
{
    const double *params = laneParams(energy, block) + lane;
    return (Springs){ wideLoad(params), wideLoad(params + LANES) };
}

SIMD_INLINE Vec3Wide difference(const Energy *energy, int block, int lane, const double *x)
{
    const int *vertices = laneVertices(energy, block) + lane;
    return vecWideSub(vecWideGather(x, vertices + LANES), vecWideGather(x, vertices));
}

// k/2 (r - l)^2
SIMD_INLINE void storeValue(Energy *energy, int block, int lane, Vec3Wide d)
{
    Springs s = springsAt(energy, block, lane);
    DoubleWide stretch = wideSqrt(vecWideDot(d, d)) - s.length;
    wideStore(energy->value + block * LANES + lane, 0.5 * s.stiffness * stretch * stretch);
}

SIMD_INLINE void storeForce(Energy *energy, int block, int lane, Vec3Wide force)
{
    double *slots = elementSlots(energy, block * LANES + lane);
    wideStoreQuads(slots, 6, -force.x, -force.y, -force.z, force.x);
    wideStorePairs(slots + 4, 6, force.y, force.z);
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < LANES; lane += WIDE)
            storeValue(energy, block, lane, difference(energy, block, lane, x));
}

// k (1 - l/r) d; a spring of length zero pushes along x
static void gradient(Energy *energy, const double *x, int begin, int end)
{
    DoubleWide zero = wideSet(0);
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Springs s = springsAt(energy, block, lane);
            Vec3Wide d = difference(energy, block, lane, x);
            DoubleWide r = wideSqrt(vecWideDot(d, d));
            Vec3Wide force = vecWideScale(s.stiffness * (1 - s.length / r), d);
            LongWide collapsed = r == zero;
            if (wideAny(collapsed))
                force = vecWideSelect(collapsed, (Vec3Wide){ s.stiffness * (r - s.length), zero, zero }, force);
            storeForce(energy, block, lane, force);
        }
    }
}

// p = l d/|d|: w A^T p is k p at x1 and -k p at x0 (Bouaziz 2014, section 3)
static void project(Energy *energy, const double *x, int begin, int end)
{
    DoubleWide zero = wideSet(0);
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Springs s = springsAt(energy, block, lane);
            Vec3Wide d = difference(energy, block, lane, x);
            DoubleWide r = wideSqrt(vecWideDot(d, d)), pull = s.stiffness * s.length;
            Vec3Wide force = vecWideScale(pull / r, d);
            LongWide collapsed = r == zero;
            if (wideAny(collapsed))
                force = vecWideSelect(collapsed, (Vec3Wide){ pull, zero, zero }, force);
            storeForce(energy, block, lane, force);
        }
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            double *line = laneLine(energy, block) + lane;
            vecWideStore(line, difference(energy, block, lane, x));
            vecWideStore(line + 3 * LANES, difference(energy, block, lane, d));
        }
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            const double *line = laneLine(energy, block) + lane;
            Vec3Wide displacement = vecWideScale(wideSet(alpha), vecWideLoad(line + 3 * LANES));
            storeValue(energy, block, lane, vecWideAdd(vecWideLoad(line), displacement));
        }
    }
}

const ElementKernels KERNEL(springKernels) = { values, gradient, lineStart, lineValues, project, NULL };
