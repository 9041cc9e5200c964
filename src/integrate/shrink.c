// Energy that a step has no right to, taken from motion: velocities are made smaller beside a rigid motion. Beside
// their own, bodies keep both momenta each; beside that of all, together.
#include "contact/contact.h"
#include "contact/movable.h"
#include "integrate/integrate.h"

double shrinkBeside(State *s, int begin, int end, const RigidMotion *motion, double share)
{
    double kinetic = 0;
    for (int v = begin; v < end; ++v)
    {
        double *velocity = s->velocity + 3 * (ptrdiff_t)v;
        if (s->pinned[v])
            continue;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion->centre);
        Vec3 u = vecSub(vecLoad(velocity), vecAdd(motion->velocity, vecCross(motion->spin, r)));
        kinetic += 0.5 * s->mass[v] * vecDot(u, u);
        vecStore(velocity, vecSub(vecLoad(velocity), vecScale(share, u)));
    }
    return kinetic;
}

double shrinkBodies(System *system, double share)
{
    State *s = &system->state;
    double kinetic = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = member->offset, end = member->offset + member->count;
        RigidMotion own = { 0 };
        if (!memberIsPinned(s, member))
            own = rigidMotion(s, s->position, s->velocity, begin, end);
        kinetic += shrinkBeside(s, begin, end, &own, share);
    }
    return kinetic;
}

bool meetsScenery(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (contactIsKind(energy->kind) && !energy->off && contactPushesScenery(energy))
            return true;
    }
    return false;
}

static RigidMotion movableMotion(const Movable *movable)
{
    return (RigidMotion){ .count = 1,
                          .mass = movable->flight.inverseMass > 0 ? 1 / movable->flight.inverseMass : 0,
                          .centre = movable->at,
                          .velocity = movable->rate,
                          .spin = movable->rotating,
                          .inertia = movableInertia(movable) };
}

double shrinkIsland(System *system, double share)
{
    State *s = &system->state;
    RigidMotion whole = { 0 };
    if (nextPin(s, 0, s->count) >= s->count && !meetsScenery(system))
        whole = rigidMotion(s, s->position, s->velocity, 0, s->count);
    for (int m = 0; m < system->movableCount && whole.count > 0; ++m)
    {
        RigidMotion one = movableMotion(&system->movable[m]);
        if (system->movable[m].flight.alone)
            whole = rigidMotionWith(&whole, &one);
    }
    double kinetic = shrinkBeside(s, 0, s->count, &whole, share);
    for (int m = 0; m < system->movableCount; ++m)
    {
        if (system->movable[m].flight.alone)
            kinetic += movableShrink(&system->movable[m], whole.centre, whole.velocity, whole.spin, share);
    }
    return kinetic;
}

double shrinkBy(System *system, double (*shrink)(System *, double), double excess, double most)
{
    double kinetic = excess > 0 ? shrink(system, 0) : 0, taken = minReal(excess, most * kinetic);
    if (!(taken > 0))
        return 0;
    shrink(system, 1 - sqrt(maxReal(1 - taken / kinetic, 0)));
    return taken;
}
