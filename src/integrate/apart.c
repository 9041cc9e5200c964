// The rigid motion of each piece of a member that has fallen apart, as rigid_part.c has it of a whole one: what B
// resists of a turn of a piece is not there, and so each piece keeps its own momenta.
#include "integrate/integrate.h"

#define FLAT 1e-12 // of the greatest moment of inertia: axes with less have no spin of their own

void apartBegin(const State *s, Member *member)
{
    Pieces *pieces = member->step->pieces;
    for (int p = 0; p < pieces->count; ++p)
    {
        Piece *piece = &pieces->piece[p];
        piece->loose = true;
        for (int k = piece->begin; k < piece->end; ++k)
            piece->loose &= s->hold[member->offset + pieces->vertex[k]] == HOLD_FREE;
    }
}

static RigidFrame frameOf(const System *system, const Member *member, const Piece *piece, const double *position)
{
    const int *vertex = member->step->pieces->vertex;
    const double *mass = system->state.mass + member->offset, *own = position + 3 * (ptrdiff_t)member->offset;
    RigidFrame frame = { .mass = 0 };
    double second[6] = { 0 };
    for (int k = piece->begin; k < piece->end; ++k)
    {
        frame.mass += mass[vertex[k]];
        frame.centre = vecAdd(frame.centre, vecScale(mass[vertex[k]], vecLoad(own + 3 * (ptrdiff_t)vertex[k])));
    }
    frame.centre = vecScale(1 / frame.mass, frame.centre);
    for (int k = piece->begin; k < piece->end; ++k)
        momentsAdd(second, mass[vertex[k]], vecSub(vecLoad(own + 3 * (ptrdiff_t)vertex[k]), frame.centre));
    frame.inertia = inertiaOf(second);
    frame.inverse = matPseudoinverse(&frame.inertia, FLAT);
    return frame;
}

// the rigid motion that has the momenta of a field of forces, or of velocities if `massive`
static RigidTwist twistOf(const System *system, const Member *member, const Piece *piece, const RigidFrame *frame,
                          const double *position, const double *field, bool massive)
{
    const int *vertex = member->step->pieces->vertex;
    Vec3 linear = vec3(0, 0, 0), angular = vec3(0, 0, 0);
    for (int k = piece->begin; k < piece->end; ++k)
    {
        int v = member->offset + vertex[k];
        Vec3 u = vecLoad(field + 3 * (ptrdiff_t)v), r = vecSub(vecLoad(position + 3 * (ptrdiff_t)v), frame->centre);
        u = massive ? vecScale(system->state.mass[v], u) : u;
        linear = vecAdd(linear, u);
        angular = vecAdd(angular, vecCross(r, u));
    }
    return (RigidTwist){ vecScale(1 / frame->mass, linear), matApply(&frame->inverse, angular) };
}

// field += a twist, times the masses if `massive`
static void add(const System *system, const Member *member, const Piece *piece, const RigidFrame *frame,
                const double *position, RigidTwist twist, bool massive, double *field)
{
    const int *vertex = member->step->pieces->vertex;
    for (int k = piece->begin; k < piece->end; ++k)
    {
        int v = member->offset + vertex[k];
        double *u = field + 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(position + 3 * (ptrdiff_t)v), frame->centre);
        Vec3 more = vecAdd(twist.linear, vecCross(twist.spin, r));
        vecStore(u, vecAdd(vecLoad(u), massive ? vecScale(system->state.mass[v], more) : more));
    }
}

static RigidTwist minus(RigidTwist a)
{
    return (RigidTwist){ vecScale(-1, a.linear), vecScale(-1, a.spin) };
}

void apartTurn(const System *system, Member *member, const double *position)
{
    Pieces *pieces = member->step->pieces;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        if (pieces->piece[p].loose)
            pieces->piece[p].frame = frameOf(system, member, &pieces->piece[p], position);
    }
}

void apartTakeForces(const System *system, Member *member, double *right)
{
    Pieces *pieces = member->step->pieces;
    const double *position = system->state.blend;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        Piece *piece = &pieces->piece[p];
        if (!piece->loose)
            continue;
        piece->twist = twistOf(system, member, piece, &piece->frame, position, right, false);
        add(system, member, piece, &piece->frame, position, minus(piece->twist), true, right);
    }
}

void apartGiveMotion(const System *system, Member *member, double drag, double *result)
{
    Pieces *pieces = member->step->pieces;
    const double *position = system->state.blend;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        Piece *piece = &pieces->piece[p];
        if (!piece->loose)
            continue;
        RigidTwist excess = twistOf(system, member, piece, &piece->frame, position, result, true);
        RigidTwist missing = { vecSub(vecScale(drag, piece->twist.linear), excess.linear),
                               vecSub(vecScale(drag, piece->twist.spin), excess.spin) };
        add(system, member, piece, &piece->frame, position, missing, false, result);
    }
}

void apartRemove(const System *system, const Member *member, const double *position, double *field)
{
    const Pieces *pieces = member->step->pieces;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        const Piece *piece = &pieces->piece[p];
        if (!piece->loose)
            continue;
        RigidFrame frame = frameOf(system, member, piece, position);
        RigidTwist twist = twistOf(system, member, piece, &frame, position, field, true);
        add(system, member, piece, &frame, position, minus(twist), false, field);
    }
}

void apartRestore(const System *system, const Member *member, const double *position, const double *velocity)
{
    const Pieces *pieces = member->step->pieces;
    const State *s = &system->state;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        const Piece *piece = &pieces->piece[p];
        if (!piece->loose)
            continue;
        RigidFrame then = frameOf(system, member, piece, position), now = frameOf(system, member, piece, s->position);
        RigidTwist want = twistOf(system, member, piece, &then, position, velocity, true);
        RigidTwist have = twistOf(system, member, piece, &now, s->position, s->velocity, true);
        Vec3 spin = matApply(&now.inverse, matApply(&then.inertia, want.spin));
        RigidTwist missing = { vecSub(want.linear, have.linear), vecSub(spin, have.spin) };
        add(system, member, piece, &now, s->position, missing, false, s->velocity);
    }
}

// ---- couples of contacts --------------------------------------------------------------------------------------------

void apartForgetCouples(Member *member)
{
    Pieces *pieces = member->step->pieces;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
        pieces->piece[p].couple = vec3(0, 0, 0);
}

void apartGiveCouples(System *system, Member *member)
{
    Pieces *pieces = member->step->pieces;
    State *s = &system->state;
    for (int p = 0; member->step->apart && p < pieces->count; ++p)
    {
        Piece *piece = &pieces->piece[p];
        Vec3 taken = vec3(0, 0, 0);
        if (piece->loose && vecDot(piece->couple, piece->couple) > 0)
        {
            piece->frame = frameOf(system, member, piece, s->blend);
            taken = coupleTaken(&piece->frame.inertia, piece->couple);
            RigidTwist twist = { vec3(0, 0, 0), matApply(&piece->frame.inverse, taken) };
            add(system, member, piece, &piece->frame, s->blend, twist, false, s->velocity);
            RigidTwist before = twistOf(system, member, piece, &piece->frame, s->blend, s->startVelocity, true);
            RigidTwist after = twistOf(system, member, piece, &piece->frame, s->blend, s->velocity, true);
            member->step->coupleLoss -= 0.5 * vecDot(taken, vecAdd(before.spin, after.spin));
        }
        member->step->couple = vecAdd(member->step->couple, vecSub(piece->couple, taken));
    }
}
