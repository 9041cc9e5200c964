// The inverse mass of bodies that springs join (inverse_mass.c has that of single ones).
//
// W are the motions of a group of such bodies that are to be exact: of each, six rigid ones if it has no pins, and its
// lowest modes. What joins them enters as it is, as small matrices over these motions:
//
//   N = M + s Kj,  C = W^T Kj W,  G = 1 + s C,  X = (D^-1 + s C)^-1,  P = 1 - W G^-1 W^T N
//   d = P B^-1 P^T g + W X W^T g
//
// with s = hs^2/4, Kj the stiffness of the springs where forces are taken and of what holds the bodies in space, D that
// of the modes alone (1 for rigid motions), and B with a bound of the springs on its diagonal. The rest of the motion
// is N-orthogonal to W, so that springs couple the two by no more than the masses do. Orthogonality in the masses
// alone, as single bodies have it, would let the rest stretch stiff springs with a mass that does not know of them.
// Symmetric and positive.
//
// Where nothing holds the group in space, its motion as one rigid body follows the forces exactly, and with it both
// momenta.
#include "integrate/joined.h"

#include <string.h>

// ---- motions of a group ---------------------------------------------------------------------------------------------

static bool isIn(const System *system, int member, int group)
{
    return system->member[member]->step->joined.group == group;
}

// q = W^T field
static void project(const System *system, int group, const double *field, double *q)
{
    const double *position = system->state.blend;
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const JoinedMember *joined = &member->step->joined;
        if (!isIn(system, p, group) || joined->motions == 0)
            continue;
        double *own = q + joined->place, modes[MODAL_MOST];
        int rigid = joined->rigid;
        if (rigid > 0)
        {
            const RigidFrame *frame = &member->step->frame;
            RigidTwist sum = rigidMomenta(system, member, frame->centre, position, field, false);
            Mat3 back = matTranspose(&joined->turn);
            vecStore(own, vecScale(1 / sqrt(frame->mass), sum.linear));
            if (rigid == RIGID_MOTIONS)
                vecStore(own + 3, matApply(&back, sum.spin));
        }
        if (joined->motions == rigid)
            continue;
        modalProject(member->modal, field + 3 * (ptrdiff_t)member->offset, NULL, system->workers, modes);
        memcpy(own + rigid, modes, (size_t)(joined->motions - rigid) * sizeof(double));
    }
}

// field += W q
static void expand(const System *system, int group, const double *q, double *field)
{
    const double *position = system->state.blend;
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const JoinedMember *joined = &member->step->joined;
        if (!isIn(system, p, group) || joined->motions == 0)
            continue;
        const double *own = q + joined->place;
        double modes[MODAL_MOST] = { 0 };
        int rigid = joined->rigid;
        if (rigid > 0)
        {
            Vec3 spin = rigid == RIGID_MOTIONS ? matApply(&joined->turn, vecLoad(own + 3)) : vec3(0, 0, 0);
            RigidTwist twist = { vecScale(1 / sqrt(member->step->frame.mass), vecLoad(own)), spin };
            rigidAdd(system, member, position, 1, twist, false, field);
        }
        if (joined->motions == rigid)
            continue;
        memcpy(modes, own + rigid, (size_t)(joined->motions - rigid) * sizeof(double));
        modalExpand(member->modal, modes, NULL, system->workers, field + 3 * (ptrdiff_t)member->offset);
    }
}

// ---- the group as one rigid body ------------------------------------------------------------------------------------

static RigidTwist wholeOf(const System *system, int group, const double *field, bool massive)
{
    const RigidFrame *whole = &system->member[group]->step->joined.whole;
    RigidTwist sum = { vec3(0, 0, 0), vec3(0, 0, 0) };
    for (int p = group; p < system->memberCount; ++p)
    {
        if (!isIn(system, p, group))
            continue;
        RigidTwist own = rigidMomenta(system, system->member[p], whole->centre, system->state.blend, field, massive);
        sum = (RigidTwist){ vecAdd(sum.linear, own.linear), vecAdd(sum.spin, own.spin) };
    }
    return (RigidTwist){ vecScale(1 / whole->mass, sum.linear), matApply(&whole->inverse, sum.spin) };
}

static void addWhole(const System *system, int group, double scale, RigidTwist twist, bool massive, double *field)
{
    Vec3 centre = system->member[group]->step->joined.whole.centre;
    for (int p = group; p < system->memberCount; ++p)
    {
        if (isIn(system, p, group))
            rigidAddAbout(system, system->member[p], centre, system->state.blend, scale, twist, massive, field);
    }
}

// ---- the operator ---------------------------------------------------------------------------------------------------

// out = M field, or out -= M field, in the same manner with springs
static void timesMetric(const System *system, const Stage *stage, int group, const double *field, bool minus,
                        double *out)
{
    const State *s = &system->state;
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = 3 * member->offset, end = 3 * (member->offset + member->count);
        for (int i = begin; i < end && isIn(system, p, group); ++i)
        {
            double inertia = s->pinned[i / 3] ? 0 : s->mass[i / 3] * field[i];
            out[i] = minus ? out[i] - inertia : inertia;
        }
    }
    joinedStiffness(system, group, s->blend, (minus ? -0.25 : 0.25) * stage->h * stage->h, field, out);
}

static bool isZero(const System *system, int group, const double *field)
{
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count) && isIn(system, p, group); ++i)
        {
            if (field[i] != 0)
                return false;
        }
    }
    return true;
}

static void clear(const System *system, int group, double *field)
{
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (isIn(system, p, group))
            memset(field + 3 * (ptrdiff_t)member->offset, 0, 3 * (size_t)member->count * sizeof(double));
    }
}

static void applyGroup(System *system, const Stage *stage, int group, double *right, double *result)
{
    const JoinedMember *first = &system->member[group]->step->joined;
    double q[JOINED_MOST], y[JOINED_MOST];
    size_t bytes = (size_t)first->size * sizeof(double);
    RigidTwist push = { vec3(0, 0, 0), vec3(0, 0, 0) };
    clear(system, group, result);
    if (isZero(system, group, right))
        return;
    if (!first->tied)
    {
        push = wholeOf(system, group, right, false);
        addWhole(system, group, -1, push, true, right);
    }
    project(system, group, right, q);
    memcpy(y, q, bytes);
    joinedSolve(system, group, first->metric, y);
    expand(system, group, y, result);
    timesMetric(system, stage, group, result, true, right);
    for (int p = group; p < system->memberCount; ++p)
    {
        if (isIn(system, p, group))
            globalStepMember(system, NULL, system->member[p], system->workers, right, result);
    }
    timesMetric(system, stage, group, result, false, right);
    project(system, group, right, y);
    joinedSolve(system, group, first->metric, y);
    joinedSolve(system, group, first->inverse, q);
    for (int i = 0; i < first->size; ++i)
        y[i] = q[i] - y[i];
    expand(system, group, y, result);
    if (first->tied)
        return;
    RigidTwist have = wholeOf(system, group, result, true);
    double drag = 1 / first->drag;
    RigidTwist missing = { vecSub(vecScale(drag, push.linear), have.linear),
                           vecSub(vecScale(drag, push.spin), have.spin) };
    addWhole(system, group, 1, missing, false, result);
}

void joinedMass(System *system, const Stage *stage, double *right, double *result)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (isIn(system, p, p))
            applyGroup(system, stage, p, right, result);
    }
}

void joinedTurn(System *system, const Stage *stage, const double *position)
{
    double *room = system->joined;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!isIn(system, p, p))
            continue;
        JoinedMember *first = &system->member[p]->step->joined;
        joinedPlace(system, p, position);
        first->metric = room;
        first->inverse = room + first->size * first->size;
        room += 2 * (ptrdiff_t)first->size * first->size;
        joinedMatrices(system, stage, p, position);
    }
}

void joinedRest(System *system, double *rest)
{
    double *momenta = scratchTake(&system->state), q[JOINED_MOST];
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!isIn(system, p, p))
            continue;
        for (int i = 0; i < 3 * system->state.count; ++i)
            momenta[i] = system->state.pinned[i / 3] ? 0 : system->state.mass[i / 3] * rest[i];
        project(system, p, momenta, q);
        for (int k = 0; k < system->member[p]->step->joined.size; ++k)
            q[k] = -q[k];
        expand(system, p, q, rest);
    }
    scratchGive(&system->state, momenta);
}
