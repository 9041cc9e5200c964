// What walls do to particles: the space that they take, and how they keep them out.
//
// Cover is the density of the space beyond a wall. A particle next to a wall has neighbours on one side only: without
// the density of the other side it would seem to have room, and the fluid would pack itself along walls.
#include "fluid/fluid.h"

#define LINES 400 // of the integrals

// Integrals over a plane (a line in 2D) at distance z of a particle: of (1 - r^2)^3, and of (1 - r)^3 / 3, which is the
// gradient that all beyond it has along its normal.
static double layerDensity(int dimensions, double z)
{
    double reach = sqrt(maxReal(1 - z * z, 0)), step = reach / LINES, sum = 0;
    for (int i = 0; i < LINES; ++i)
    {
        double y = (i + 0.5) * step, t = 1 - (z * z + y * y);
        sum += (dimensions == 3 ? 2 * PI * y * step : 2 * step) * t * t * t;
    }
    return sum;
}

static double layerGradient(int dimensions, double z)
{
    double reach = sqrt(maxReal(1 - z * z, 0)), step = reach / LINES, sum = 0;
    for (int i = 0; i < LINES; ++i)
    {
        double y = (i + 0.5) * step, u = 1 - sqrt(z * z + y * y);
        sum += (dimensions == 3 ? 2 * PI * y * step : 2 * step) * u * u * u / 3;
    }
    return sum;
}

// the layers of the rest lattice from distance `first` on, where a plane of it has particles in line with the one
// that asks
static double latticeBeyond(const FluidSettings *settings, double first)
{
    double d = 1 / settings->support, sum = 0;
    int most = (int)settings->support + 1, deep = settings->dimensions == 3 ? most : 0;
    for (double z = first; z < 1; z += d)
    {
        for (int j = -most; j <= most; ++j)
        {
            for (int k = -deep; k <= deep; ++k)
            {
                double t = 1 - z * z - d * d * (j * j + k * k);
                sum += t > 0 ? t * t * t : 0;
            }
        }
    }
    return sum;
}

// density beyond a plane at distance q, as a sum over particles
static double beyond(const FluidSettings *settings, double q, double perVolume)
{
    double sum = 0, step = (1 - q) / LINES;
    for (int i = 0; i < LINES && q < 1; ++i)
        sum += step * layerDensity(settings->dimensions, q + (i + 0.5) * step);
    return perVolume * sum;
}

// Matter that fills all beyond the wall, a little behind its surface, and thinner for what is farther: so that the two
// layers of a lattice half a spacing off have their rest density. What is too dense where a block begins is thrown out,
// the faster the shorter the substep: 0.15 % in the second layer were a twentieth of the energy of a small splash.
void fluidTabulateCover(const FluidSettings *settings, float (*cover)[2])
{
    double perVolume = settings->support * settings->support * (settings->dimensions == 3 ? settings->support : 1);
    double half = 0.5 / settings->support, want = latticeBeyond(settings, 2 * half), low = 0, high = 1;
    while (high - low > 1e-6)
    {
        double q = (low + high) / 2;
        *(beyond(settings, q, perVolume) > want ? &low : &high) = q;
    }
    double shift = low - half, sum = 0, step = 1.0 / (COVER_ROWS * 8);
    double integral = beyond(settings, minReal(3 * half + shift, 1), perVolume);
    double second = integral > 0 ? latticeBeyond(settings, 4 * half) / integral : 0;
    for (int i = COVER_ROWS * 8; i >= 0; --i)
    {
        double q = i * step + shift;
        if (q + step / 2 < 1)
            sum += step * perVolume * layerDensity(settings->dimensions, q + step / 2);
        if (i % 8 != 0)
            continue;
        double to = minReal(maxReal((i * step - half) / (2 * half), 0), 1); // 0 in the first layer, 1 in the second
        cover[i / 8][0] = (float)((1 - to + to * second) * sum);
        cover[i / 8][1] = (float)(perVolume * layerGradient(settings->dimensions, minReal(q, 1)));
    }
}

// row of the table for a distance, and the share of the next one; false: too far
static bool rowOf(const Fluid *fluid, double distance, int *row, float *share)
{
    double q = maxReal(distance / fluid->scale.radius, 0) * COVER_ROWS;
    if (!(q < COVER_ROWS))
        return false;
    *row = (int)q;
    *share = (float)(q - *row);
    return true;
}

double fluidCoverGradient(const Fluid *fluid, double distance)
{
    int row;
    float share;
    if (!rowOf(fluid, distance, &row, &share))
        return 0;
    const float(*table)[2] = fluid->scale.cover;
    return (double)(table[row][1] + share * (table[row + 1][1] - table[row][1]));
}

// what a wall adds to the sums of densities and of gradients; false: too far
static bool coverOf(const Fluid *fluid, double distance, double share, float *density, float *gradient)
{
    int row;
    float next;
    if (!rowOf(fluid, distance, &row, &next))
        return false;
    const float(*table)[2] = fluid->scale.cover;
    *density = (float)share * (table[row][0] + next * (table[row + 1][0] - table[row][0]));
    *gradient = (float)share * (table[row][1] + next * (table[row + 1][1] - table[row][1]));
    return true;
}

static void addCover(const FluidNear *near, int particle, Vec3 normal, double carry, float density, float gradient)
{
    float *to = near->cover + 4 * (ptrdiff_t)particle;
    to[0] += density;
    to[1] += gradient * (float)normal.x;
    to[2] += gradient * (float)normal.y;
    to[3] += gradient * (float)normal.z;
    near->carry[particle] += gradient * (float)carry;
}

void fluidCover(const FluidNear *near, int particle, double distance, Vec3 normal, double carry, double share)
{
    float density, gradient;
    if (coverOf(near->fluid, distance, share, &density, &gradient))
        addCover(near, particle, normal, carry, density, gradient);
}

// With a and b the shares of the kernel beyond two walls, a b of it is beyond both: exact for a kernel that is a
// product, and near enough for ours that no particle of a block in a corner is too dense. Counted twice, it is 9 % too
// dense there, and thrown out the faster the shorter the substep.
void fluidCoverFixed(const FluidNear *near, int particle, double distance, Vec3 normal, double carry)
{
    float density, gradient, *to = near->cover + 4 * (ptrdiff_t)particle;
    if (!coverOf(near->fluid, distance, 1, &density, &gradient))
        return;
    float perRest = near->fluid->scale.perRest, free = 1 - density * perRest, left = 1 - to[0] * perRest;
    free = free > 0 ? free : 0;
    left = left > 0 ? left : 0;
    for (int a = 1; a < 4; ++a)
        to[a] *= free;
    near->carry[particle] *= free;
    addCover(near, particle, normal, carry, density * left, gradient * left);
}

// What Coulomb friction takes of the particle's way along the wall for a push of this depth, or drag.
static Vec3 rub(const FluidTouch *touch, Vec3 slide)
{
    double length = vecLength(slide), most = touch->friction * touch->depth;
    return length > 0 ? vecScale(-minReal(maxReal(most / length, touch->drag), 1), slide) : vec3(0, 0, 0);
}

FluidPushed fluidPushOut(const FluidPush *push, int particle, const FluidTouch *touch)
{
    double *x = push->position + 3 * (ptrdiff_t)particle, *from = push->start + 3 * (ptrdiff_t)particle;
    Vec3 lift = vecScale(touch->deep, touch->normal), before = vecCross(vecLoad(from), vecLoad(x));
    Vec3 at = vecAdd(vecLoad(x), lift), start = vecAdd(vecLoad(from), lift);
    Vec3 way = vecSub(vecSub(at, start), touch->carry);
    Vec3 slide = vecSub(way, vecScale(vecDot(way, touch->normal), touch->normal));
    Vec3 change = vecAdd(vecScale(touch->depth, touch->normal), rub(touch, slide)), after = vecAdd(at, change);
    double scale = push->mass / (push->dt * push->dt), work = scale * vecDot(change, touch->carry);
    Vec3 old = vecSub(at, start), new = vecSub(after, start);
    push->books->dissipated += work - scale / 2 * (vecDot(new, new) - vecDot(old, old));
    vecStore(from, start);
    vecStore(x, after);
    double perWay = push->mass / push->dt; // a particle's angular momentum is this times its two places' product
    return (FluidPushed){ .impulse = vecScale(perWay, change),
                          .moment = vecScale(perWay, vecSub(vecCross(start, after), before)),
                          .work = work };
}
