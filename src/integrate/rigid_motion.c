// The rigid motion that has a body's linear and angular momentum: v_r = V + w x r about the centre of mass. What is
// left, u = v - v_r, is orthogonal to it in the metric of the masses (Mueller 2007, section 3.5).
#include "integrate/integrate.h"

#define FLAT 1e-12 // axes with less than this share of the greatest moment of inertia have no spin of their own

Mat3 inertiaOf(const double m[6])
{
    return (Mat3){ { { m[1] + m[2], -m[3], -m[4] }, { -m[3], m[0] + m[2], -m[5] }, { -m[4], -m[5], m[0] + m[1] } } };
}

// The least spin that has the angular momentum: rods, pairs and single vertices have inertia about some axes only.
Vec3 spinOf(const Mat3 *inertia, Vec3 angular)
{
    Svd3 svd = svd3(inertia);
    Mat3 left = matTranspose(&svd.u);
    double scaled[3];
    vecStore(scaled, matApply(&left, angular));
    for (int k = 0; k < 3; ++k)
        scaled[k] = svd.sigma[k] > FLAT * svd.sigma[0] ? scaled[k] / svd.sigma[k] : 0;
    return matApply(&svd.v, vecLoad(scaled));
}

RigidMotion rigidMotion(const State *s, const double *position, const double *velocity, int begin, int end)
{
    RigidMotion motion = { 0 };
    Vec3 moment = vec3(0, 0, 0), momentum = vec3(0, 0, 0), angular = vec3(0, 0, 0);
    for (int v = begin; v < end; ++v)
    {
        if (s->pinned[v])
            continue;
        motion.count += 1;
        motion.mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], vecLoad(position + 3 * (ptrdiff_t)v)));
        momentum = vecAdd(momentum, vecScale(s->mass[v], vecLoad(velocity + 3 * (ptrdiff_t)v)));
    }
    if (motion.count == 0)
        return motion;
    motion.centre = vecScale(1 / motion.mass, moment);
    motion.velocity = vecScale(1 / motion.mass, momentum);
    double second[6] = { 0 };
    for (int v = begin; v < end; ++v)
    {
        if (s->pinned[v])
            continue;
        Vec3 r = vecSub(vecLoad(position + 3 * (ptrdiff_t)v), motion.centre);
        Vec3 u = vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), motion.velocity);
        momentsAdd(second, s->mass[v], r);
        angular = vecAdd(angular, vecCross(vecScale(s->mass[v], r), u));
    }
    motion.inertia = inertiaOf(second);
    motion.spin = spinOf(&motion.inertia, angular);
    return motion;
}

double rigidMotionEnergy(const RigidMotion *motion)
{
    return 0.5 * (motion->mass * vecDot(motion->velocity, motion->velocity) +
                  vecDot(motion->spin, matApply(&motion->inertia, motion->spin)));
}

RigidMotion rigidMotionWith(const RigidMotion *a, const RigidMotion *b)
{
    RigidMotion sum = { .count = a->count + b->count, .mass = a->mass + b->mass };
    const RigidMotion *part[2] = { a, b };
    Vec3 angular = vec3(0, 0, 0);
    double second[6] = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        sum.centre = vecAdd(sum.centre, vecScale(part[k]->mass / sum.mass, part[k]->centre));
        sum.velocity = vecAdd(sum.velocity, vecScale(part[k]->mass / sum.mass, part[k]->velocity));
    }
    for (int k = 0; k < 2; ++k)
    {
        Vec3 r = vecSub(part[k]->centre, sum.centre), u = vecSub(part[k]->velocity, sum.velocity);
        angular = vecAdd(angular,
                         vecAdd(matApply(&part[k]->inertia, part[k]->spin), vecScale(part[k]->mass, vecCross(r, u))));
        momentsAdd(second, part[k]->mass, r);
    }
    sum.inertia = inertiaOf(second);
    for (int i = 0; i < 9; ++i)
        sum.inertia.m[i / 3][i % 3] += a->inertia.m[i / 3][i % 3] + b->inertia.m[i / 3][i % 3];
    sum.spin = spinOf(&sum.inertia, angular);
    return sum;
}
