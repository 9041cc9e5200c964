// Couples that contact owes to bodies: with a gap between two points the forces of a pair have a moment, and clipped
// displacements change angular momentum. A body takes its couple back as a rigid motion about its own centre, but for
// the axes about which it has next to no inertia, as a straight rope has none along itself: there any couple is a spin
// beyond all bounds. What is along them is for all bodies of the island together, which turn as one: of all motions
// with that angular momentum it has the least energy. Their inertia is at least that of the two points of the pair, so
// that this changes velocities by no more than the impulse did: ropes that lie along each other roll.
#include "integrate/integrate.h"

#define SLENDER 1e-2 // of the greatest moment of inertia: less is an axis about which a body does not turn,
#define NONE 1e-9    //   or all of them

// The least moment of inertia is not below det / trace^2, the greatest not above the trace.
static bool isCompact(const Mat3 *inertia, double least)
{
    const double(*m)[3] = inertia->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    return matDeterminant(inertia) > least * trace * trace * trace;
}

// the part along axes with at least so much of the greatest moment of inertia
static Vec3 alongAxes(const Mat3 *inertia, double least, Vec3 couple)
{
    if (isCompact(inertia, least))
        return couple;
    Svd3 svd = svd3(inertia);
    Vec3 taken = couple;
    for (int k = 0; k < 3; ++k)
    {
        Vec3 axis = vec3(svd.u.m[0][k], svd.u.m[1][k], svd.u.m[2][k]);
        if (!(svd.sigma[k] > least * svd.sigma[0]))
            taken = vecSub(taken, vecScale(vecDot(axis, couple), axis));
    }
    return taken;
}

Vec3 coupleTaken(const Mat3 *inertia, Vec3 couple)
{
    return alongAxes(inertia, SLENDER, couple);
}

double coupleShare(System *system, const double *position, const double *before, Vec3 couple)
{
    State *s = &system->state;
    RigidFrame whole = { 0 };
    if (couple.x == 0 && couple.y == 0 && couple.z == 0)
        return 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (memberIsTied(s, system->member[p]))
            continue;
        RigidFrame frame = rigidFrame(system, system->member[p], position);
        whole = whole.mass > 0 ? rigidFrameWith(&whole, &frame) : frame;
    }
    if (!(whole.mass > 0))
        return 0;
    Vec3 taken = alongAxes(&whole.inertia, NONE, couple), spin = matApply(&whole.inverse, taken), sum = taken;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (memberIsTied(s, member))
            continue;
        sum = vecAdd(sum, rigidMomenta(system, member, whole.centre, position, before, true).spin);
        sum = vecAdd(sum, rigidMomenta(system, member, whole.centre, position, s->velocity, true).spin);
        rigidAddAbout(system, member, whole.centre, position, 1, (RigidTwist){ vec3(0, 0, 0), spin }, false,
                      s->velocity);
    }
    return 0.5 * vecDot(spin, sum);
}
