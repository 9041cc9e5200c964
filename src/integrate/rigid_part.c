// The rigid part of forces and velocities of a body that nothing ties, in the metric of the masses: what moves the body
// as a whole.
#include "integrate/integrate.h"
#include "integrate/rigid_kernels.h"

#define FLAT 1e-12 // axes with less than this share of the greatest moment of inertia have no spin of their own
#define PLAIN 1e-6 // det over trace cubed of inertias that have a plain inverse

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &rigidKernels_avx2
#else
#define TABLE_AVX2 &rigidKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &rigidKernels_avx512
#else
#define TABLE_AVX512 &rigidKernels_base
#endif

static const RigidKernels *const kernels[ISA_COUNT] = { &rigidKernels_base, TABLE_AVX2, TABLE_AVX512 };

static Mat3 inverseOf(const Mat3 *inertia)
{
    const double(*m)[3] = inertia->m;
    Vec3 x = vec3(m[0][0], m[0][1], m[0][2]), y = vec3(m[1][0], m[1][1], m[1][2]), z = vec3(m[2][0], m[2][1], m[2][2]);
    Vec3 yz = vecCross(y, z), zx = vecCross(z, x), xy = vecCross(x, y);
    double det = vecDot(x, yz), trace = x.x + y.y + z.z;
    if (det > PLAIN * trace * trace * trace)
        return (Mat3){ { { yz.x / det, zx.x / det, xy.x / det },
                         { yz.y / det, zx.y / det, xy.y / det },
                         { yz.z / det, zx.z / det, xy.z / det } } };
    return matPseudoinverse(inertia, FLAT);
}

RigidFrame rigidFrame(const System *system, const Member *member, const double *position)
{
    double sum[10];
    const double *own = position + 3 * (ptrdiff_t)member->offset;
    kernels[system->isa]->moments(own, system->state.mass + member->offset, member->count, sum);
    Vec3 away = vec3(sum[1] / sum[0], sum[2] / sum[0], sum[3] / sum[0]);
    momentsAdd(sum + 4, -sum[0], away);
    Mat3 inertia = inertiaOf(sum + 4);
    return (RigidFrame){
        .mass = sum[0], .centre = vecAdd(vecLoad(own), away), .inertia = inertia, .inverse = inverseOf(&inertia)
    };
}

RigidFrame rigidFrameWith(const RigidFrame *a, const RigidFrame *b)
{
    RigidFrame sum = { .mass = a->mass + b->mass };
    const RigidFrame *part[2] = { a, b };
    double second[6] = { 0 };
    sum.centre = vecAdd(vecScale(a->mass / sum.mass, a->centre), vecScale(b->mass / sum.mass, b->centre));
    for (int k = 0; k < 2; ++k)
        momentsAdd(second, part[k]->mass, vecSub(part[k]->centre, sum.centre));
    sum.inertia = inertiaOf(second);
    for (int i = 0; i < 9; ++i)
        sum.inertia.m[i / 3][i % 3] += a->inertia.m[i / 3][i % 3] + b->inertia.m[i / 3][i % 3];
    sum.inverse = inverseOf(&sum.inertia);
    return sum;
}

RigidTwist rigidMomenta(const System *system, const Member *member, Vec3 centre, const double *position,
                        const double *field, bool massive)
{
    ptrdiff_t begin = 3 * (ptrdiff_t)member->offset;
    const double *mass = massive ? system->state.mass + member->offset : NULL;
    double sum[6];
    kernels[system->isa]->momenta(position + begin, field + begin, mass, member->count, sum);
    Vec3 linear = vecLoad(sum), away = vecSub(centre, vecLoad(position + begin));
    return (RigidTwist){ linear, vecSub(vecLoad(sum + 3), vecCross(away, linear)) };
}

static RigidTwist twistOf(const System *system, const Member *member, const double *position, const double *field,
                          bool massive)
{
    const RigidFrame *frame = &member->step->frame;
    RigidTwist sum = rigidMomenta(system, member, frame->centre, position, field, massive);
    return (RigidTwist){ vecScale(1 / frame->mass, sum.linear), matApply(&frame->inverse, sum.spin) };
}

RigidTwist rigidOfForces(const System *system, const Member *member, const double *position, const double *force)
{
    return twistOf(system, member, position, force, false);
}

RigidTwist rigidOfVelocity(const System *system, const Member *member, const double *position, const double *velocity)
{
    return twistOf(system, member, position, velocity, true);
}

void rigidAddAbout(const System *system, const Member *member, Vec3 centre, const double *position, double scale,
                   RigidTwist twist, bool massive, double *field)
{
    ptrdiff_t begin = 3 * (ptrdiff_t)member->offset;
    RigidTwist scaled = { vecScale(scale, twist.linear), vecScale(scale, twist.spin) };
    kernels[system->isa]->add(position + begin, massive ? system->state.mass + member->offset : NULL, &scaled, centre,
                              member->count, field + begin);
}

void rigidAdd(const System *system, const Member *member, const double *position, double scale, RigidTwist twist,
              bool massive, double *field)
{
    rigidAddAbout(system, member, member->step->frame.centre, position, scale, twist, massive, field);
}
