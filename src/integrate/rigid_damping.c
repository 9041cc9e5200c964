// Damping of everything but rigid motion. At the end of a step each body's velocity is split into the rigid motion that has
// its linear and angular momentum, v_r = V + w x r, and the rest u = v - v_r, which is orthogonal to it in the metric of
// the masses (Mueller 2007, section 3.5). u decays by exp(-rate h): exactly what the rate says for any h, so that n steps
// of h/n take as much as one of h. With the step this is a splitting whose error in positions is of second order.
#include "integrate/integrate.h"

#define FLAT 1e-12 // axes with less than this share of the greatest moment of inertia have no spin of their own

typedef struct RigidMotion
{
    int count; // free vertices
    Vec3 centre, velocity, spin;
} RigidMotion;

static void addInertia(Mat3 *inertia, double mass, Vec3 r)
{
    const double a[3] = { r.x, r.y, r.z };
    double square = vecDot(r, r);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
            inertia->m[i][j] += mass * ((i == j ? square : 0) - a[i] * a[j]);
    }
}

// The least spin that has the angular momentum: rods, pairs and single vertices have inertia about some axes only.
static Vec3 spinOf(const Mat3 *inertia, Vec3 angular)
{
    Svd3 svd = svd3(inertia);
    Mat3 left = matTranspose(&svd.u);
    double part[3];
    vecStore(part, matApply(&left, angular));
    for (int k = 0; k < 3; ++k)
        part[k] = svd.sigma[k] > FLAT * svd.sigma[0] ? part[k] / svd.sigma[k] : 0;
    return matApply(&svd.v, vecLoad(part));
}

static RigidMotion rigidMotion(const State *s, int begin, int end)
{
    RigidMotion motion = { 0 };
    double mass = 0;
    Vec3 moment = vec3(0, 0, 0), momentum = vec3(0, 0, 0), angular = vec3(0, 0, 0);
    for (int v = begin; v < end; ++v)
    {
        if (s->pinned[v])
            continue;
        motion.count += 1;
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], vecLoad(s->position + 3 * (ptrdiff_t)v)));
        momentum = vecAdd(momentum, vecScale(s->mass[v], vecLoad(s->velocity + 3 * (ptrdiff_t)v)));
    }
    if (motion.count == 0)
        return motion;
    motion.centre = vecScale(1 / mass, moment);
    motion.velocity = vecScale(1 / mass, momentum);
    Mat3 inertia = { 0 };
    for (int v = begin; v < end; ++v)
    {
        if (s->pinned[v])
            continue;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion.centre);
        Vec3 u = vecSub(vecLoad(s->velocity + 3 * (ptrdiff_t)v), motion.velocity);
        addInertia(&inertia, s->mass[v], r);
        angular = vecAdd(angular, vecScale(s->mass[v], vecCross(r, u)));
    }
    motion.spin = spinOf(&inertia, angular);
    return motion;
}

void dampNonRigid(System *system, double h)
{
    State *s = &system->state;
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        if (!(part->rigidDamping > 0))
            continue;
        int begin = part->offset, end = part->offset + part->count;
        RigidMotion motion = rigidMotion(s, begin, end);
        double lost = 1 - decayOver(part->rigidDamping * h), taken = 0;
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
        part->dissipated += taken;
    }
}
