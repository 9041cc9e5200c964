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
// momenta; where joints hold it, so do those motions that they let it have.
#include "integrate/joined.h"
#include "linear/eigen.h"

#include <string.h>

#define FREE 1e-9 // of the stiffest motion of a held group as a whole: what moves it without a spring

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

static bool isMoved(const System *system, int member, int group)
{
    return isIn(system, member, group) && !system->member[member]->step->joined.pinned;
}

static RigidTwist momentaOf(const System *system, int group, const double *field, bool massive)
{
    Vec3 centre = system->member[group]->step->joined.whole.centre;
    RigidTwist sum = { vec3(0, 0, 0), vec3(0, 0, 0) };
    for (int p = group; p < system->memberCount; ++p)
    {
        if (!isMoved(system, p, group))
            continue;
        RigidTwist own = rigidMomenta(system, system->member[p], centre, system->state.blend, field, massive);
        sum = (RigidTwist){ vecAdd(sum.linear, own.linear), vecAdd(sum.spin, own.spin) };
    }
    return sum;
}

// by motions that are orthonormal in the masses
static void coordinatesOf(const JoinedMember *first, RigidTwist momenta, double y[6])
{
    Mat3 back = matTranspose(&first->wholeTurn);
    vecStore(y, vecScale(1 / sqrt(first->whole.mass), momenta.linear));
    vecStore(y + 3, matApply(&back, momenta.spin));
}

static RigidTwist twistBy(const JoinedMember *first, const double y[6])
{
    return (RigidTwist){ vecScale(1 / sqrt(first->whole.mass), vecLoad(y)),
                         matApply(&first->wholeTurn, vecLoad(y + 3)) };
}

// what of it nothing holds
static RigidTwist wholeOf(const System *system, int group, const double *field, bool massive)
{
    const JoinedMember *first = &system->member[group]->step->joined;
    RigidTwist sum = momentaOf(system, group, field, massive);
    if (!first->partly)
        return (RigidTwist){ vecScale(1 / first->whole.mass, sum.linear), matApply(&first->whole.inverse, sum.spin) };
    double y[6], free[6] = { 0 };
    coordinatesOf(first, sum, y);
    for (int i = 0; i < 36; ++i)
        free[i / 6] += first->free[i] * y[i % 6];
    return twistBy(first, free);
}

static void addWhole(const System *system, int group, double scale, RigidTwist twist, bool massive, double *field)
{
    Vec3 centre = system->member[group]->step->joined.whole.centre;
    for (int p = group; p < system->memberCount; ++p)
    {
        if (isMoved(system, p, group))
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
    if (!first->tied || first->partly)
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
    if (first->tied && !first->partly)
        return;
    RigidTwist have = wholeOf(system, group, result, true);
    double drag = 1 / first->drag;
    RigidTwist missing = { vecSub(vecScale(drag, push.linear), have.linear),
                           vecSub(vecScale(drag, push.spin), have.spin) };
    addWhole(system, group, 1, missing, false, result);
}

// what pins of other bodies hold, and springs to them, and nothing else
static bool isHeldByJoints(const System *system, int group)
{
    double drag = system->member[group]->step->joined.drag;
    bool moves = false;
    for (int p = group; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const JoinedMember *joined = &member->step->joined;
        if (!isIn(system, p, group))
            continue;
        if (joined->stiff || joined->drag != drag || memberIsHeld(member))
            return false;
        moves |= !joined->pinned;
        for (int v = member->offset; v < member->offset + member->count && joined->pinned; ++v)
        {
            if (!system->state.pinned[v])
                return false;
        }
    }
    return moves;
}

// Which motions of a held group as one rigid body stretch no spring: along a slider, about a hinge. They follow the
// forces exactly too.
static void findFree(System *system, int group)
{
    JoinedMember *first = &system->member[group]->step->joined;
    first->partly = false;
    if (!first->tied || !isHeldByJoints(system, group))
        return;
    double *motion = scratchTake(&system->state), *pull = scratchTake(&system->state);
    double stiffness[36], values[6], vectors[36];
    for (int k = 0; k < 6; ++k)
    {
        double unit[6] = { 0 };
        unit[k] = 1;
        clear(system, group, motion);
        clear(system, group, pull);
        addWhole(system, group, 1, twistBy(first, unit), false, motion);
        joinedStiffness(system, group, system->state.blend, 1, motion, pull);
        coordinatesOf(first, momentaOf(system, group, pull, false), stiffness + 6 * k);
    }
    scratchGive(&system->state, pull);
    scratchGive(&system->state, motion);
    eigenDense(6, stiffness, values, vectors);
    memset(first->free, 0, sizeof first->free);
    for (int k = 0; k < 6 && values[k] < FREE * values[5]; ++k)
    {
        first->partly = true;
        for (int i = 0; i < 36; ++i)
            first->free[i] += vectors[6 * k + i / 6] * vectors[6 * k + i % 6];
    }
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
        findFree(system, p);
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
