// The frame that a free body turns with. The midpoint rule takes forces in the middle of a chord: a body that turns by
// an angle t in a step is shorter there by 1 - cos(t/2), which its stiffness answers though nothing strains it, and an
// iterative solver has to find the whole turn. So the step of a body that nothing holds is taken in a frame that turns
// at a constant rate W about the centre of mass and stands as the world does in the middle of the step. With r, u place
// and velocity about the centre,
//
//   r' = exp(-(t - h/2) W) r,   w = exp(-(t - h/2) W) u - W x r',   dw/dt = a - 2 W x w - W x (W x r').
//
// The midpoint rule in r' and w is of second order as before and reversible, and exact in steady rotation, where it
// finds the true strain of the spin. Its last two terms are found by iteration: the rounds of stabilized.c. W is the
// spin in the middle of the step of a rigid body with the same momentum and inertia.
//
// Within the frame state->start and startVelocity are x_n turned by half the angle and w; state->velocity is w + W x
// r', with which kinetic energy and momenta are those of the world, turned.
#include "integrate/integrate.h"

#include <string.h>

#define LEAST_TURN 1e-7 // rad in a step: less is not worth a frame
// rad in a substep: then rounds converge fast, and the spin hardly changes; the second for few iterations of
// local/global
#define MOST_TURN 0.25
#define MOST_SLOW 0.125
#define MOST_SUBSTEPS 8
#define FASTEST 0.5        // rad in a substep that a frame turns by at most: what is faster turns in it
#define SPIN_ROUNDS 8      // for the spin in the middle
#define SPIN_NEAR 1e-12    // of it
#define LEAST_INERTIA 0.01 // of the greatest moment of inertia: none is less

// exp of the rotation vector
static Mat3 rotationBy(Vec3 angle)
{
    double t = vecLength(angle), half = 0.5 * t;
    double s = t > 1e-8 ? sin(t) / t : 1, c = t > 1e-8 ? 2 * sin(half) * sin(half) / (t * t) : 0.5;
    Mat3 out;
    for (int column = 0; column < 3; ++column)
    {
        double unit[3] = { column == 0, column == 1, column == 2 };
        Vec3 e = vecLoad(unit), across = vecCross(angle, e);
        Vec3 image = vecAdd(e, vecAdd(vecScale(s, across), vecScale(c, vecCross(angle, across))));
        out.m[0][column] = image.x;
        out.m[1][column] = image.y;
        out.m[2][column] = image.z;
    }
    return out;
}

// Potentials that a turn of the whole does not change; what is constant within a step acts in the middle of it, where
// the frame stands as the world does.
static bool turnsFreely(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool invariant = (energy->traits & (TRAIT_INTERNAL | TRAIT_DISSIPATIVE | TRAIT_EXTERNAL)) != 0 ||
                         energy->kind == &pressureKind || energy->kind == &muscleKind;
        if (!invariant && !energyIsIdle(energy))
            return false;
    }
    return true;
}

// The spin of an angular momentum, with no axis of less inertia than a share of the greatest: a rope that is nearly
// straight turns about itself at any rate. The frame need not turn as fast as the body.
static Vec3 calmSpin(const Svd3 *inertia, Vec3 angular)
{
    Mat3 left = matTranspose(&inertia->u);
    double part[3];
    vecStore(part, matApply(&left, angular));
    for (int k = 0; k < 3; ++k)
        part[k] /= maxReal(inertia->sigma[k], LEAST_INERTIA * inertia->sigma[0]);
    return matApply(&inertia->v, vecLoad(part));
}

// The spin w with L = R I R^T w, R = exp(h/2 w), of a rigid body that begins with the inertia I.
static Vec3 spinInMiddle(const RigidMotion *motion, double h)
{
    Vec3 angular = matApply(&motion->inertia, motion->spin);
    Svd3 inertia = svd3(&motion->inertia);
    if (!(inertia.sigma[0] > 0))
        return vec3(0, 0, 0);
    Vec3 spin = calmSpin(&inertia, angular);
    for (int k = 0; k < SPIN_ROUNDS; ++k)
    {
        Mat3 turn = rotationBy(vecScale(0.5 * h, spin)), back = matTranspose(&turn);
        Vec3 next = matApply(&turn, calmSpin(&inertia, matApply(&back, angular)));
        double change = vecLength(vecSub(next, spin));
        spin = next;
        if (change <= SPIN_NEAR * vecLength(spin))
            break;
    }
    return spin;
}

static Vec3 frameSpin(System *system, int index, double h)
{
    const State *s = &system->state;
    const Member *member = system->member[index];
    if (!member->step->loose || !memberIsFree(system, index) || !turnsFreely(member))
        return vec3(0, 0, 0);
    RigidMotion motion = rigidMotion(s, s->start, s->startVelocity, member->offset, member->offset + member->count);
    return spinInMiddle(&motion, h);
}

int spinSubsteps(System *system, double h, const Method *method)
{
    double angle = method->solver->prefactored ? MOST_SLOW : MOST_TURN;
    double most = 0;
    momentumBegin(system, method->settings.stabilized.momentum);
    for (int p = 0; p < system->memberCount; ++p)
        most = maxReal(most, h * vecLength(frameSpin(system, p, h)));
    return most < MOST_SUBSTEPS * angle ? maxInt(1, (int)ceil(most / angle)) : MOST_SUBSTEPS;
}

static Vec3 centreOf(const State *s, const Member *member, const double *x)
{
    Vec3 moment = vec3(0, 0, 0);
    double mass = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], vecLoad(x + 3 * (ptrdiff_t)v)));
    }
    return vecScale(1 / mass, moment);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

// state's vectors <-> those of the frame
static void exchange(System *system, SpinFrame *frame)
{
    swap(&system->state.start, &frame->start);
    swap(&system->state.startVelocity, &frame->startVelocity);
    swap(&system->state.previous, &frame->previous);
}

static Vec3 turnedAbout(Vec3 centre, const Mat3 *turn, const double *x)
{
    return vecAdd(centre, matApply(turn, vecSub(vecLoad(x), centre)));
}

// turned about their mean
static void turnAbout(const State *s, const Member *member, const double *x, const Mat3 *turn, double *out)
{
    Vec3 centre = centreOf(s, member, x);
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); i += 3)
        vecStore(out + i, turnedAbout(centre, turn, x + i));
}

// Rates are seen from outside the frame: x_n less the way of the frame at the middle that is foreseen. Dampers of
// strain are frozen there (beginRates), so that they do not see this part.
static void setOrigin(System *system, double h, double *origin)
{
    const State *s = &system->state;
    double *middle = scratchTake(&system->state);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        middle[i] = s->start[i] + 0.5 * h * s->startVelocity[i];
        origin[i] = 0;
    }
    spinFrameCarry(system, middle, -1, origin);
    for (int i = 0; i < 3 * s->count; ++i)
        origin[i] = s->start[i] + h * origin[i];
    scratchGive(&system->state, middle);
    system->step->origin = origin;
}

bool spinFrameOpen(SpinFrame *frame, System *system, double h, double *const room[SPIN_FRAME_ROOM])
{
    State *s = &system->state;
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Vec3 spin = frameSpin(system, p, h);
        double angle = h * vecLength(spin);
        spin = vecScale(minReal(1, FASTEST / maxReal(angle, FASTEST)), spin);
        member->step->turns = vecFinite(spin) && angle > LEAST_TURN;
        member->step->frameSpin = member->step->turns ? spin : vec3(0, 0, 0);
        member->step->frameHalf = rotationBy(vecScale(0.5 * h, member->step->frameSpin));
        any |= member->step->turns;
    }
    *frame = (SpinFrame){ .h = h, .open = any, .start = room[0], .startVelocity = room[1], .previous = room[2] };
    system->step->origin = NULL;
    if (!any)
        return false;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    memcpy(frame->start, s->start, vectors);
    memcpy(frame->startVelocity, s->startVelocity, vectors);
    memcpy(frame->previous, s->previous, vectors);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const Mat3 *half = &member->step->frameHalf;
        if (!member->step->turns)
            continue;
        Mat3 more = rotationBy(vecScale(1.5 * h, member->step->frameSpin));
        turnAbout(s, member, s->start, half, frame->start);
        turnAbout(s, member, s->startVelocity, half, frame->startVelocity);
        turnAbout(s, member, s->previous, &more, frame->previous);
    }
    exchange(system, frame);
    spinFrameCarry(system, s->start, -1, s->startVelocity);
    if (system->dissipates)
        setOrigin(system, h, room[3]);
    return true;
}

void spinFrameCarry(const System *system, const double *x, double sign, double *velocity)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!member->step->turns)
            continue;
        Vec3 centre = centreOf(s, member, x), spin = vecScale(sign, member->step->frameSpin);
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            vecStore(velocity + i, vecAdd(vecLoad(velocity + i), vecCross(spin, vecSub(vecLoad(x + i), centre))));
        }
    }
}

void spinFrameDraw(const System *system, double h, double share, const double *displacement, double *velocity)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        Vec3 spin = member->step->frameSpin;
        if (!member->step->turns)
            continue;
        Vec3 from = centreOf(s, member, s->start), along = centreOf(s, member, displacement);
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            Vec3 moved = vecSub(vecLoad(displacement + i), along), r = vecSub(vecLoad(s->start + i), from);
            r = vecAdd(r, vecScale(share, moved));
            Vec3 drawn = vecAdd(vecScale(2, vecCross(spin, moved)), vecScale(h, vecCross(spin, vecCross(spin, r))));
            vecStore(velocity + i, vecSub(vecLoad(velocity + i), drawn));
        }
    }
}

double spinFrameInertia(System *system, double h, double share, const double *displacement, const double *extra)
{
    State *s = &system->state;
    double most = 0, *velocity = scratchTake(s);
    memcpy(velocity, s->startVelocity, (size_t)s->count * 3 * sizeof(double));
    // the midpoint rule moves by the mean velocity, backward Euler by the last
    for (int i = 0; i < 3 * s->count; ++i)
        velocity[i] = s->startVelocity[i] / share;
    spinFrameDraw(system, h, share, displacement, velocity);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        bool turns = member->step->turns || member->step->paced;
        for (int v = member->offset; v < member->offset + member->count && turns; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            Vec3 y = vecAdd(vecLoad(s->start + i), vecScale(share * h, vecLoad(velocity + i)));
            y = vecAdd(y, vecLoad(extra + i));
            most = maxReal(most, vecLength(vecSub(y, vecLoad(s->inertial + i))) / member->size);
            vecStore(s->inertial + i, y);
        }
    }
    scratchGive(s, velocity);
    return most;
}

Vec3 spinFrameBack(const Member *member, Vec3 a)
{
    Mat3 back = matTranspose(&member->step->frameHalf);
    return member->step->turns ? matApply(&back, a) : a;
}

void spinFrameWorld(const System *system, double *start, double *end)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        Mat3 back = matTranspose(&member->step->frameHalf);
        if (!member->step->turns)
            continue;
        turnAbout(s, member, s->start, &back, start);
        turnAbout(s, member, s->position, &member->step->frameHalf, end);
    }
}

void spinFrameClose(SpinFrame *frame, System *system)
{
    State *s = &system->state;
    if (!frame->open)
        return;
    exchange(system, frame);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        const Mat3 *half = &member->step->frameHalf;
        if (!member->step->turns)
            continue;
        turnAbout(s, member, s->position, half, s->position);
        turnAbout(s, member, s->velocity, half, s->velocity);
        member->step->turns = false;
        member->step->frameSpin = vec3(0, 0, 0);
    }
    system->step->origin = NULL;
    frame->open = false;
}
