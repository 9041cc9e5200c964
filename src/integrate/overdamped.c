// Motion that strain damping stops within a step. The midpoint rule damps by the mean velocity u of a step, which is
// right for everything slow, and for creep at any step; but the velocity at its end is 2 u - v_n, so that what must
// stop at once goes to and fro instead. So what the velocity has beyond u is damped once more, by a share of the step,
//
//   (M + g h K) (v' - u) = M (v - u).
//
// What is slow hardly has such a part (h/2 times its acceleration), creep has none; what is stiff ends with u, as it
// should. It can only lose energy, and what it lost is booked.
#include "integrate/integrate.h"

#include <string.h>

#define MOST 40    // iterations
#define LEFT 1e-3  // of the velocity: where they may end
#define LEAST 1e-8 // of the kinetic energy: less need not be stopped

double memberKinetic(const State *s, const Member *member, const double *velocity)
{
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * velocity[i] * velocity[i];
    return sum;
}

// v - u, with v as the frame sees it that a member turns with
static void setExcess(const System *system, double h, double *excess)
{
    const State *s = &system->state;
    memcpy(excess, s->velocity, (size_t)s->count * 3 * sizeof(double));
    spinFrameCarry(system, s->position, -1, excess);
    for (int i = 0; i < 3 * s->count; ++i)
        excess[i] = s->pinned[i / 3] ? 0 : excess[i] - (s->position[i] - s->start[i]) / h;
}

// Damping changes neither momentum of a body that no pin holds: what it is off by, for it was frozen elsewhere, is put
// back.
static void keepMomenta(System *system, const Member *member)
{
    State *s = &system->state;
    int begin = member->offset, end = member->offset + member->count;
    if (memberIsPinned(s, member))
        return;
    RigidMotion now = rigidMotion(s, s->position, s->velocity, begin, end), was = member->step->rigid;
    Vec3 velocity = vecSub(was.velocity, now.velocity), spin = vecSub(was.spin, now.spin);
    for (int v = begin; v < end; ++v)
    {
        double *u = s->velocity + 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), now.centre);
        vecStore(u, vecAdd(vecLoad(u), vecAdd(velocity, vecCross(spin, r))));
    }
}

double stopOverdamped(System *system, double h, double *const room[2])
{
    State *s = &system->state;
    double *excess = room[0], *position = room[1], before = 0, much = 0;
    if (!systemIsViscous(system))
        return 0;
    setExcess(system, h, excess);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->sum[0] = memberKinetic(s, member, s->velocity);
        member->step->rigid = rigidMotion(s, s->position, s->velocity, member->offset, member->offset + member->count);
        before += member->step->sum[0];
        much += memberKinetic(s, member, excess);
    }
    if (!(much > LEAST * before))
        return 0;
    memcpy(position, s->position, (size_t)s->count * 3 * sizeof(double));
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] -= excess[i];
    Damping damping = { .filter = energyIsViscous, .h = OVERDAMPED_SHARE * h, .theta = 1, .most = MOST, .left = LEFT };
    systemDampRates(system, &damping, excess);
    memcpy(s->position, position, (size_t)s->count * 3 * sizeof(double));
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] += excess[i];
    double lost = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        keepMomenta(system, member);
        double taken = member->step->sum[0] - memberKinetic(s, member, s->velocity);
        member->dissipated += taken;
        lost += taken;
    }
    return lost;
}
