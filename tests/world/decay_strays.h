// How a vibration of a bar dies whose two ends are driven apart, sideways or against each other about its axis, and
// then held still, beside what follows its pins without force. Both are known from its stiffness matrix.
#ifndef TESTS_WORLD_DECAY_STRAYS_H
#define TESTS_WORLD_DECAY_STRAYS_H

#include "world/decay_grid.h"

#define STRAYS_FRAMES 60

typedef enum Drive
{
    DRIVE_APART,
    DRIVE_SIDEWAYS,
    DRIVE_TWIST,
    DRIVES
} Drive;

static const char *const driveNames[] = { "apart", "sideways", "twist" };

typedef struct Strays
{
    double driven, still;         // decay while pins move and after, over that of the ratio
    double lost, booked, highest; // J; highest: of the energy, above that at the start and what was added
} Strays;

static bool strayIsEnd(double x)
{
    return fabs(x) > 0.5 - 1e-9;
}

// m/s, of a pin at x
static vvVec3 driveVelocity(Drive drive, double speed, const double *x)
{
    double side = x[0] < 0 ? -1 : 1;
    return drive == DRIVE_APART      ? (vvVec3){ side * speed, 0, 0 }
           : drive == DRIVE_SIDEWAYS ? (vvVec3){ 0, side * speed, 0 }
                                     : (vvVec3){ 0, -side * speed * x[2] / 0.1, side * speed * x[1] / 0.1 };
}

// Of a clamped mode its shape times the roots of the masses, and what follows the pins without force; returns 1/s
static double strayMode(const DecayCase *c, Drive drive, const double *rest, const double *mass, int size,
                        double *shape, double *follow)
{
    DecayCase loose = *c;
    loose.shape = DECAY_FREE_BAR;
    double *matrix = calloc((3 * (size_t)size + 2) * (size_t)size, sizeof *matrix);
    double *held = matrix + (ptrdiff_t)size * size, *vectors = held + (ptrdiff_t)size * size;
    double *values = vectors + (ptrdiff_t)size * size, *pull = values + size, omega = 0;
    vvWorldId world = decayWorld("symplectic-euler", NULL);
    decayMatrix(&loose, world, decayBody(world, &loose, DECAY_SIZE, 0), matrix);
    vvDestroyWorld(world);
    memset(follow, 0, (size_t)size * sizeof *follow);
    for (int i = 0; i < size; i += 3)
    {
        vvVec3 u = strayIsEnd(rest[i]) ? driveVelocity(drive, 1, rest + i) : (vvVec3){ 0, 0, 0 };
        follow[i] = u.x, follow[i + 1] = u.y, follow[i + 2] = u.z;
    }
    for (int i = 0; i < size; ++i)
    {
        pull[i] = 0;
        for (int j = 0; j < size; ++j)
        {
            bool free_ = !strayIsEnd(rest[i - i % 3]) && !strayIsEnd(rest[j - j % 3]);
            held[i * size + j] = free_ ? matrix[i * size + j] : 0;
            pull[i] -= strayIsEnd(rest[i - i % 3]) ? 0 : matrix[i * size + j] * sqrt(mass[j / 3]) * follow[j];
        }
    }
    double *work = malloc((size_t)size * sizeof *work);
    eigenSymmetric(size, held, values, vectors, work);
    free(work);
    for (int k = 0, seen = 0; k < size; ++k)
    {
        const double *u = vectors + (ptrdiff_t)k * size;
        double share = 0;
        if (values[k] < 1e-8 * values[size - 1])
            continue;
        for (int i = 0; i < size; ++i)
            share += u[i] * pull[i];
        for (int i = 0; i < size; ++i)
            follow[i] += share / values[k] * u[i] / sqrt(mass[i / 3]);
        if (seen++ == c->mode)
        {
            omega = sqrt(values[k]);
            memcpy(shape, u, (size_t)size * sizeof *shape);
        }
    }
    free(matrix);
    assert_true(omega > 0);
    return omega;
}

static Strays straysOf(const DecayCase *c, Drive drive, double speed)
{
    DecayCase loose = *c;
    loose.shape = DECAY_FREE_BAR;
    vvWorldId world = decayWorld(c->method, c->solver);
    vvSoftBodyId body = decayBody(world, &loose, DECAY_SIZE, 0);
    int size = 3 * vvSoftBody_GetVertexCount(body), pins[64], pinCount = 0;
    double *all = malloc(5 * (size_t)size * sizeof *all), *rest = all, *shape = all + size, *mass = shape + size;
    double *follow = mass + size, *x = follow + size, most = 0, series[STRAYS_FRAMES + 1], turn;
    memcpy(rest, vvSoftBody_GetPositions(body), (size_t)size * sizeof *rest);
    memcpy(mass, vvSoftBody_GetMasses(body), (size_t)size / 3 * sizeof *mass);
    vvDestroyWorld(world);
    double first = strayMode(c, drive, rest, mass, size, shape, follow), omega = c->turn / c->h;
    double slow = c->ratio < 1 ? c->ratio : c->ratio - sqrt(c->ratio * c->ratio - 1);
    world = decayWorld(c->method, c->solver);
    body = decayBody(world, &loose, DECAY_SIZE * omega * omega / (first * first), 2 * c->ratio / omega);
    for (int v = 0; v < size / 3; ++v)
    {
        if (strayIsEnd(rest[3 * v]))
            pins[pinCount++] = v;
    }
    CHECK_OK(vvSoftBody_Pin(body, pins, pinCount));
    for (int i = 0; i < size; ++i)
        most = fmax(most, fabs(shape[i]) / sqrt(mass[i / 3]));
    for (int i = 0; i < size; ++i)
        x[i] = rest[i] + 1e-5 / most * shape[i] / sqrt(mass[i / 3]);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    for (int i = 0; i < size; ++i)
        x[i] = speed * 1e-5 * omega * follow[i];
    CHECK_OK(vvSoftBody_SetVelocities(body, x));
    int half = (int)fmin(fmax(fmin(12, 2 / slow) / c->turn, 6), STRAYS_FRAMES / 2);
    vvLedger begin = vvWorld_GetLedger(world), end = begin;
    Strays d = { 0 };
    for (int n = 0; n <= 2 * half; ++n)
    {
        const double *now = vvSoftBody_GetPositions(body);
        double way = speed * 1e-5 * omega * c->h * fmin(n, half),
               next = speed * 1e-5 * omega * c->h * fmin(n + 1, half);
        series[n] = 0;
        for (int i = 0; i < size; ++i)
            series[n] += sqrt(mass[i / 3]) * shape[i] * (now[i] - rest[i] - way * follow[i]) * most / 1e-5;
        for (int k = 0; k < pinCount; ++k)
        {
            const double *r = rest + 3 * (ptrdiff_t)pins[k], *f = follow + 3 * (ptrdiff_t)pins[k];
            CHECK_OK(vvSoftBody_MovePin(body, pins[k],
                                        (vvVec3){ r[0] + next * f[0], r[1] + next * f[1], r[2] + next * f[2] }));
        }
        CHECK_OK(vvWorld_Step(world, c->h));
        end = vvWorld_GetLedger(world);
        d.highest = fmax(d.highest, end.total - begin.total - end.added + begin.added);
    }
    decayFit(series, half + 1, c->h, &d.driven, &turn);
    decayFit(series + half, half + 1, c->h, &d.still, &turn);
    d.driven /= slow * omega;
    d.still /= slow * omega;
    d.lost = begin.total - end.total + end.added - begin.added;
    d.booked = end.dissipated - begin.dissipated;
    vvDestroyWorld(world);
    free(all);
    return d;
}

// false: off; stops the test unless it is to print all
static bool strayCheck(const DecayCase *c, Drive drive, double speed, bool all)
{
    Strays d = straysOf(c, drive, speed);
    // what pins put into the body counts to its energy, of which a hundredth may be missed
    bool good = fabs(d.driven - 1) < 0.05 && fabs(d.still - 1) < 0.05 && fabs(d.booked - d.lost) < 0.02 * d.lost &&
                d.highest < 1e-9 * d.lost;
    if (all || !good)
        print_message("%s %s %s nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f speed %.3f: decay %.3f driven, %.3f "
                      "still, booked %.4g of %.4g\n",
                      good ? "     " : "WRONG", c->method, driveNames[drive], c->poisson, c->thickness, c->mode, c->h,
                      c->turn, c->ratio, speed, d.driven, d.still, d.booked, d.lost);
    if (!all)
        assert_true(good);
    return good;
}

#endif
