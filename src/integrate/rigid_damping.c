// Damping of everything but rigid motion. At the end of a step, or of each substep of small midpoint, each body's
// velocity is split into the rigid motion that has its linear and angular momentum, v_r = V + w x r, and the rest
// u = v - v_r, which is orthogonal to it in the metric of the masses (Mueller 2007, section 3.5). u decays by
// exp(-rate h): exactly what the rate says for any h, so that n steps of h/n take as much as one of h. With the step
// this is a splitting whose error in positions is of second order. A vibration of half a turn in a step has no velocity
// wherever steps end, and would not decay: that is why substeps damp.
#include "integrate/integrate.h"

void dampNonRigid(System *system, double h)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double rate = member->step->rigidDamping + member->step->wetDamping;
        if (!(rate > 0))
            continue;
        int begin = member->offset, end = member->offset + member->count;
        RigidMotion motion = rigidMotion(s, s->position, s->velocity, begin, end);
        double lost = 1 - decayOver(rate * h), taken = 0;
        for (int v = begin; v < end; ++v)
        {
            if (s->pinned[v])
                continue;
            Vec3 before = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion.centre);
            Vec3 u = vecSub(before, vecAdd(motion.velocity, vecCross(motion.spin, r)));
            Vec3 after = vecSub(before, vecScale(lost, u));
            vecStore(s->velocity + 3 * (ptrdiff_t)v, after);
            // m/2 (|before|^2 - |after|^2)
            taken += 0.5 * s->mass[v] * vecDot(vecSub(before, after), vecAdd(before, after));
        }
        member->dissipated += taken;
    }
}
