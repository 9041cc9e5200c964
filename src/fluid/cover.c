// What walls take of the space around particles. A particle next to a wall has neighbours on one side only: without the
// density of the other side it would seem to have room, and the fluid would pack itself along walls.
#include "fluid/fluid.h"

#define LINES 400 // of the integrals

// Integrals over a plane (a line in 2D) at distance z of a particle: of (1 - r^2)^3, and of (1 - r)^3 / 3, which is the
// gradient that all beyond it has along its normal.
static void layer(int dimensions, double z, double *density, double *gradient)
{
    double reach = sqrt(maxReal(1 - z * z, 0)), step = reach / LINES;
    *density = *gradient = 0;
    for (int i = 0; i < LINES; ++i)
    {
        double y = (i + 0.5) * step, r2 = z * z + y * y, t = 1 - r2, u = 1 - sqrt(r2);
        double around = dimensions == 3 ? 2 * PI * y * step : 2 * step;
        *density += around * t * t * t;
        *gradient += around * u * u * u / 3;
    }
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
    double sum = 0, density, gradient, step = (1 - q) / LINES;
    for (int i = 0; i < LINES && q < 1; ++i)
    {
        layer(settings->dimensions, q + (i + 0.5) * step, &density, &gradient);
        sum += step * density;
    }
    return perVolume * sum;
}

// Matter that fills all beyond the wall, a little behind its surface: so that a lattice half a spacing off has its rest
// density.
void fluidTabulateCover(const FluidSettings *settings, float (*cover)[2])
{
    double perVolume = settings->support * settings->support * (settings->dimensions == 3 ? settings->support : 1);
    double half = 0.5 / settings->support, want = latticeBeyond(settings, 2 * half), low = 0, high = 1;
    while (high - low > 1e-6)
    {
        double q = (low + high) / 2;
        *(beyond(settings, q, perVolume) > want ? &low : &high) = q;
    }
    double shift = low - half, sum = 0, density, gradient, step = 1.0 / (COVER_ROWS * 8);
    for (int i = COVER_ROWS * 8; i >= 0; --i)
    {
        double q = i * step + shift;
        layer(settings->dimensions, minReal(q + step / 2, 1), &density, &gradient);
        sum += q + step / 2 < 1 ? step * perVolume * density : 0;
        if (i % 8 != 0)
            continue;
        layer(settings->dimensions, minReal(q, 1), &density, &gradient);
        cover[i / 8][0] = (float)sum;
        cover[i / 8][1] = (float)(perVolume * gradient);
    }
}

void fluidCover(const FluidNear *near, int particle, double distance, Vec3 normal, double carry)
{
    double q = maxReal(distance / near->fluid->scale.radius, 0) * COVER_ROWS;
    if (!(q < COVER_ROWS))
        return;
    int row = (int)q;
    float share = (float)(q - row), *to = near->cover + 4 * (ptrdiff_t)particle;
    const float(*table)[2] = near->fluid->scale.cover;
    float density = table[row][0] + share * (table[row + 1][0] - table[row][0]);
    float gradient = table[row][1] + share * (table[row + 1][1] - table[row][1]);
    to[0] += density;
    to[1] += gradient * (float)normal.x;
    to[2] += gradient * (float)normal.y;
    to[3] += gradient * (float)normal.z;
    near->carry[particle] += gradient * (float)carry;
}
