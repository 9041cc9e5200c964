// The energy of a blend whose momenta are then put right (momentum.c). That replaces the rigid part of the velocity by
// the one that has the momenta wanted, and leaves the rest: K becomes K - R(P, L) + R(P*, L*), R = P^2 / 2M + 1/2 L_c .
// I^-1 L_c about the centre of mass. On the line between two ends P is linear in alpha, L and I are quadratic, so that
// a few sums of each member give it for any alpha. Searched with this energy, a blend meets the target as it will be
// taken; correcting after the search instead put in what the blend had taken from the spin, in every step.
#include "integrate/integrate.h"

void turningStart(const Blend *blend, System *system)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (!member->step->loose)
            continue;
        Turning t = { .wantedLinear = { member->step->turning.wantedLinear[0], member->step->turning.wantedLinear[1] },
                      .wantedAngular = { member->step->turning.wantedAngular[0],
                                         member->step->turning.wantedAngular[1] } };
        Vec3 origin = vecLoad(s->start + 3 * (ptrdiff_t)member->offset);
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            double m = s->mass[v];
            Vec3 r = vecSub(vecLoad(blend->start + i), origin), d = vecLoad(s->direction + i);
            Vec3 u = vecLoad(blend->velocity + i), w = vecSub(vecLoad(s->velocity + i), u);
            Vec3 mu = vecScale(m, u), mw = vecScale(m, w);
            t.first[0] = vecAdd(t.first[0], vecScale(m, r));
            t.first[1] = vecAdd(t.first[1], vecScale(m, d));
            momentsAdd(t.second[0], m, r);
            momentsAdd(t.second[1], m, vecAdd(r, d)); // of the other end, for now
            momentsAdd(t.second[2], m, d);
            t.linear[0] = vecAdd(t.linear[0], mu);
            t.linear[1] = vecAdd(t.linear[1], mw);
            t.angular[0] = vecAdd(t.angular[0], vecCross(r, mu));
            t.angular[1] = vecAdd(t.angular[1], vecAdd(vecCross(r, mw), vecCross(d, mu)));
            t.angular[2] = vecAdd(t.angular[2], vecCross(d, mw));
        }
        for (int k = 0; k < 6; ++k)
            t.second[1][k] -= t.second[0][k] + t.second[2][k];
        member->step->turning = t;
    }
}

// J of the rigid motion with these momenta about the origin
static double rigidEnergy(double mass, Vec3 off, const Mat3 *inertia, Vec3 linear, Vec3 angular)
{
    Vec3 about = vecSub(angular, vecCross(off, linear));
    return 0.5 * vecDot(linear, linear) / mass + 0.5 * vecDot(about, spinOf(inertia, about));
}

static Vec3 along(Vec3 from, Vec3 displacement, double alpha)
{
    return vecAdd(from, vecScale(alpha, displacement));
}

static double massOf(const State *s, const Member *member)
{
    double mass = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
        mass += s->mass[v];
    return mass;
}

double turningKinetic(const System *system, double alpha)
{
    double sum = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const Turning *t = &member->step->turning;
        if (!member->step->loose)
            continue;
        double mass = massOf(&system->state, member), second[6];
        Vec3 off = vecScale(1 / mass, along(t->first[0], t->first[1], alpha));
        for (int k = 0; k < 6; ++k)
            second[k] = t->second[0][k] + alpha * (t->second[1][k] + alpha * t->second[2][k]);
        momentsAdd(second, -mass, off);
        Mat3 inertia = inertiaOf(second);
        Vec3 linear = along(t->linear[0], t->linear[1], alpha);
        Vec3 angular = along(t->angular[0], along(t->angular[1], t->angular[2], alpha), alpha);
        // what the outer forces make of them depends on the displacement linearly, or nearly
        Vec3 wanted = along(t->wantedLinear[0], vecSub(t->wantedLinear[1], t->wantedLinear[0]), alpha);
        Vec3 turned = along(t->wantedAngular[0], vecSub(t->wantedAngular[1], t->wantedAngular[0]), alpha);
        sum += rigidEnergy(mass, off, &inertia, wanted, turned) - rigidEnergy(mass, off, &inertia, linear, angular);
    }
    return sum;
}
