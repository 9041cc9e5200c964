// What turning alone changes of the velocities of a body that nothing ties. In a substep of hs its velocities, which
// are rigid motion but for a little, turn with it,
//
//   v' - v = -hs d_c,   d_c = -(C - 1) v / hs,   C = (1 - hs/2 w x)^-1 (1 + hs/2 w x),   w its spin,
//
// Cayley's turn, by which a rigid body's positions stay rigid under the midpoint rule. That change points inwards and
// is no rigid motion, so that the matrix of the substep, W^-1 = M + (1 + margin) hs^2/4 L + c hs K_L, resists it with
// the mass that stiffness and damping have in it. Strain must then hold against that mass: c hs w^2 K_L/K in a body
// that does not vibrate at all, .01 at Poisson's ratio .49, and energy that nobody put in. So the matrix gets what is
// left of the forces, and the velocity its turn,
//
//   v' = v - hs (d_c + W (g + f - M d_c)),
//
// which is the same where W is the inverse of the masses. Without the rigid part of d_c, which forces have alone: both
// momenta stay as they were. Rates of strain are those of the velocity in the middle of its turn: at x + hs/2 v, where
// forces are taken, the body is wider than at x, and v itself would strain it.
#include "integrate/integrate.h"

static bool turns(const System *system, const Member *member)
{
    return system->dampedInside && member->step->loose && member->viscosity != NULL;
}

// (C - 1) v, a = hs w / 2
static Vec3 turnOf(Vec3 a, double share, Vec3 v)
{
    Vec3 across = vecCross(a, v);
    return vecScale(share, vecAdd(across, vecCross(a, across)));
}

static void findMember(System *system, const Stage *stage, Member *member, double *field)
{
    State *s = &system->state;
    const double *velocity = s->startVelocity;
    RigidTwist twist = rigidOfVelocity(system, member, s->blend, velocity);
    Vec3 a = vecScale(0.5 * stage->h, twist.spin);
    a = vecScale(1 + vecDot(a, a), a); // the spin of z = x + hs/2 v is slower by that
    double share = 2 / (1 + vecDot(a, a)), scale = -0.5 * stage->h;
    int begin = member->offset, end = begin + member->count;
    for (int v = begin; v < end; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        vecStore(field + i, vecScale(scale, turnOf(a, share, vecSub(vecLoad(velocity + i), twist.linear))));
    }
    rigidAdd(system, member, s->blend, -1, rigidOfVelocity(system, member, s->blend, field), false, field);
    double inverse = 1 / stage->h, *restrict rate = s->rate;
    for (int i = 3 * begin; i < 3 * end; ++i)
        rate[i] -= inverse * field[i];
}

double *centripetalFind(System *system, const Stage *stage)
{
    double *field = NULL;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!turns(system, system->member[p]))
            continue;
        field = field != NULL ? field : scratchTake(&system->state);
        findMember(system, stage, system->member[p], field);
    }
    return field;
}

void centripetalTake(const System *system, const double *field, double *right)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount && field != NULL; ++p)
    {
        const Member *member = system->member[p];
        int end = turns(system, member) ? member->offset + member->count : member->offset;
        for (int v = member->offset; v < end; ++v)
        {
            const double mass = s->mass[v], *turn = field + 3 * (ptrdiff_t)v;
            double *force = right + 3 * (ptrdiff_t)v;
            force[0] -= mass * turn[0];
            force[1] -= mass * turn[1];
            force[2] -= mass * turn[2];
        }
    }
}

void centripetalGive(System *system, const double *field, double *result)
{
    for (int p = 0; p < system->memberCount && field != NULL; ++p)
    {
        const Member *member = system->member[p];
        int end = turns(system, member) ? 3 * (member->offset + member->count) : 0;
        for (int i = 3 * member->offset; i < end; ++i)
            result[i] += field[i];
    }
    if (field != NULL)
        scratchGive(&system->state, field);
}
