// Bodies of an island do not cross each other or themselves, and do not pass through colliders: displacements of a
// substep end at the planes between them (contact/proximity.h), and before the far side of a collider.
#include "contact/contact.h"
#include "contact/proximity.h"
#include "contact/reach.h"
#include "integrate/integrate.h"

#include <string.h>

#define MOST_ABOVE 5e-3 // of the energy of motion: as much of what planes gave may come and go
#define LEAST_LEFT 0.1  // of the kinetic energy of bodies against each other, in a step
#define REMEMBERED 0.9  // in a step, of what contact took and may give back

ProximityView touchView(const System *system, double h)
{
    const State *s = &system->state;
    const IslandStep *step = system->step;
    return (ProximityView){ .x = s->start,
                            .to = s->position,
                            .pinned = s->pinned,
                            .h = h,
                            .ahead = h * (1 - step->from) / (step->to - step->from),
                            .workers = system->workers };
}

void touchPlanes(System *system, const ProximityView *view)
{
    proximityPlanes(system->proximity, view);
    if (system->proximity->incomplete)
        system->trouble = TROUBLE_MEMORY;
}

void touchBegin(System *system)
{
    if (system->proximity == NULL)
        return;
    system->proximity->incomplete = false;
    proximityFindCrossings(system->proximity, system->state.start, system->workers);
}

// ---- what clipping changes ------------------------------------------------------------------------------------------

// Positions moved at the same velocity, and impulses act where they moved to: bodies that nothing ties take back the
// angular momentum as a rigid motion. Returns how much kinetic energy that adds, J.
static double giveCouples(System *system)
{
    State *s = &system->state;
    double added = 0;
    Vec3 left = vec3(0, 0, 0);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        Vec3 couple = system->proximity->body[p].couple;
        if (memberIsTied(s, member) || (couple.x == 0 && couple.y == 0 && couple.z == 0))
            continue;
        int begin = member->offset, end = member->offset + member->count;
        RigidMotion motion = rigidMotion(s, s->position, s->velocity, begin, end);
        Vec3 taken = coupleTaken(&motion.inertia, couple), spin = spinOf(&motion.inertia, taken);
        left = vecAdd(left, vecSub(couple, taken));
        for (int v = begin; v < end; ++v)
        {
            double *u = s->velocity + 3 * (ptrdiff_t)v;
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion.centre);
            vecStore(u, vecAdd(vecLoad(u), vecCross(spin, r)));
        }
        added += vecDot(taken, motion.spin) + 0.5 * vecDot(taken, spin);
    }
    return added + coupleShare(system, s->position, s->velocity, left);
}

// J, that was stored more where the substep would have ended than where it ends
static double storedLess(System *system)
{
    State *s = &system->state;
    double *end = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        end[i] = s->start[i] + 2 * (s->blend[i] - s->start[i]);
    Balance before = balanceStored(system, end), after = balanceStored(system, s->position);
    scratchGive(s, end);
    return balanceTotal(&before) - balanceTotal(&after);
}

// Contacts with colliders that planes could push into, behind those of the list.
static void findFloors(System *system, const ProximityView *view, PlaneState *state)
{
    State *s = &system->state;
    int had = system->contacts.count;
    state->half = 0.5 * view->h;
    state->startVelocity = s->startVelocity;
    double *middle = scratchTake(s), *rate = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        middle[i] = s->start[i] + state->half * s->startVelocity[i];
        rate[i] = (s->position[i] - s->start[i]) / state->half;
    }
    ContactView near = { .z = middle, .velocity = rate, .h = view->h, .reach = system->proximity->room };
    for (int t = 0; t < system->termCount && system->contacts.near > 0; ++t)
    {
        near.term = t;
        near.first = system->term[t].first;
        if (contactIsKind(system->term[t].energy->kind))
            contactCollectLate(system->term[t].energy, &near, had, &system->contacts);
    }
    scratchGive(s, rate);
    scratchGive(s, middle);
    state->floor = system->contacts.item;
    state->floorCount = system->contacts.count;
}

// the stage is the middle of the displacement still
static bool clip(System *system, const ProximityView *view, double *velocity, bool floors)
{
    State *s = &system->state;
    PlaneState state = { .start = view->x,
                         .position = s->position,
                         .velocity = velocity,
                         .mass = s->mass,
                         .pinned = s->pinned,
                         .lost = &system->contacts.clipped,
                         .workers = system->workers };
    if (!planesArePassed(system->proximity, &state))
        return false;
    proximityLoosen(system->proximity, view);
    int had = system->contacts.count;
    if (floors)
        findFloors(system, view, &state);
    bool clipped = planesClip(system->proximity, &state);
    system->contacts.count = had;
    if (!clipped)
        return false;
    system->contacts.touched = true;
    return true;
}

// false: nobody passed through a collider
bool touchStayOutside(System *system, const double *start, double h, double from, double to, bool *pushed)
{
    State *s = &system->state;
    bool any = false;
    for (int t = 0; t < system->termCount && system->contacts.near > 0; ++t)
    {
        const Energy *energy = system->term[t].energy;
        ptrdiff_t first = 3 * (ptrdiff_t)system->term[t].first;
        if (energy->off || !(contactIsKind(energy->kind) || reachIsKind(energy->kind)))
            continue;
        OutsideState state = { .start = start + first,
                               .position = s->position + first,
                               .velocity = s->velocity + first,
                               .mass = s->mass + system->term[t].first,
                               .pinned = s->pinned + system->term[t].first,
                               .h = h,
                               .from = from,
                               .to = to,
                               .lost = &system->contacts.clipped,
                               .added = &system->term[t].member->added,
                               .pushed = pushed,
                               .workers = system->workers };
        any |= reachIsKind(energy->kind) ? reachHold(energy, &state) : contactStayOutside(energy, &state);
    }
    system->contacts.touched |= any;
    system->contacts.back |= any;
    return any;
}

// between bodies; false: nobody passed a plane
bool touchStayApart(System *system, const ProximityView *view, bool floors, double *added)
{
    *added = 0;
    if (system->proximity == NULL)
        return false;
    if (proximityIsExceeded(system->proximity, view))
        touchPlanes(system, view);
    if (!clip(system, view, system->state.velocity, floors))
        return false;
    *added = giveCouples(system);
    return true;
}

void touchApart(System *system, const Stage *stage)
{
    State *s = &system->state;
    ProximityView view = touchView(system, stage->h);
    double added;
    bool pushed = false;
    bool outside = touchStayOutside(system, s->start, stage->h, system->step->from, system->step->to, &pushed);
    bool apart = touchStayApart(system, &view, true, &added);
    if (!outside && !apart)
        return;
    double less = storedLess(system) - added;
    bool carried = apart && system->proximity->carries; // by pins, either way
    system->contacts.carried |= carried;
    if (carried || (pushed && less < 0)) // by a collider that moves
        system->member[0]->added -= less;
    else
        system->contacts.clipped += less;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
        s->rate[i] = (s->position[i] - s->start[i]) / stage->h;
    }
}

void touchApartFrom(System *system, const double *from)
{
    if (system->proximity == NULL)
        return;
    ProximityView view = touchView(system, 0);
    view.x = from;
    touchPlanes(system, &view);
    clip(system, &view, NULL, false);
}

// ---- the energy of a step -------------------------------------------------------------------------------------------

void touchClearClipped(System *system)
{
    system->contacts.clipped = system->contacts.lost = 0;
    system->contacts.carried = system->contacts.back = false;
    for (int p = 0; p < system->memberCount && system->proximity != NULL; ++p)
        system->proximity->body[p].reached = false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->pressed = REMEMBERED * system->member[p]->step->recall.energy.pressed;
}

static bool carries(const System *system, int member)
{
    return system->proximity->body[member].reached && !memberIsTied(&system->state, system->member[member]);
}

// of all bodies between which planes carried a load, as one; false: there are none
static bool commonMotion(const System *system, Vec3 *centre, RigidTwist *twist)
{
    const State *s = &system->state;
    RigidFrame whole = { 0 };
    Vec3 linear = vec3(0, 0, 0), angular = vec3(0, 0, 0);
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!carries(system, p))
            continue;
        RigidFrame frame = rigidFrame(system, system->member[p], s->position);
        whole = whole.mass > 0 ? rigidFrameWith(&whole, &frame) : frame;
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!carries(system, p))
            continue;
        RigidTwist sum = rigidMomenta(system, system->member[p], whole.centre, s->position, s->velocity, true);
        linear = vecAdd(linear, sum.linear);
        angular = vecAdd(angular, sum.spin);
    }
    if (!(whole.mass > 0))
        return false;
    *centre = whole.centre;
    *twist = (RigidTwist){ vecScale(1 / whole.mass, linear), matApply(&whole.inverse, angular) };
    return true;
}

// What planes stored in bodies that they held back is work of those that pressed: it is taken from how these bodies
// move against each other, so that both momenta of all of them stay.
static void takeBack(System *system, double gain)
{
    State *s = &system->state;
    Vec3 centre;
    RigidTwist twist;
    if (!commonMotion(system, &centre, &twist))
        return;
    double *rest = scratchTake(s), kinetic = 0;
    memset(rest, 0, (size_t)s->count * 3 * sizeof(double));
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        ptrdiff_t begin = 3 * (ptrdiff_t)member->offset, end = begin + 3 * (ptrdiff_t)member->count;
        if (!carries(system, p))
            continue;
        memcpy(rest + begin, s->velocity + begin, (size_t)(end - begin) * sizeof(double));
        rigidAddAbout(system, member, centre, s->position, -1, twist, false, rest);
        for (ptrdiff_t i = begin; i < end; ++i)
            kinetic += 0.5 * s->mass[i / 3] * rest[i] * rest[i];
    }
    double scale = kinetic > 0 ? sqrt(maxReal(1 - gain / kinetic, LEAST_LEFT)) : 1;
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] += (scale - 1) * rest[i];
    scratchGive(s, rest);
}

// What planes stored they gave back to bodies of what contacts took: both stop the same motion, and what they lose is
// what is left of both. And what pins carry along has velocities that damping takes from and that never move it: that
// was not lost. Returns how much was settled.
static double settleLoss(System *system, double most)
{
    double settled = most, left = most;
    for (int p = 0; p < system->memberCount; ++p)
    {
        double taken = minReal(left, maxReal(system->member[p]->dissipated, 0));
        system->member[p]->dissipated -= taken;
        left -= taken;
    }
    return settled - left;
}

// Of the whole step, for what one substep stores the next gives back. A loss counts for no more than the step misses:
// within a step the energy of motion that substeps do not resolve comes and goes, and clipping it is no loss.
void touchBookClipped(System *system)
{
    const State *s = &system->state;
    double clipped = system->contacts.clipped;
    if (clipped == 0 && !system->contacts.carried)
        return;
    systemSetFraction(system, 1);
    Balance end = balanceAt(system, s->position, s->velocity);
    double missing = controlTarget(system) - balanceTotal(&end);
    if (system->contacts.carried && missing < 0)
        missing += settleLoss(system, -missing);
    if (clipped > 0)
        system->member[0]->dissipated += minReal(clipped, maxReal(missing, 0));
    else if (missing < 0 && system->proximity != NULL)
    {
        double settled = settleLoss(system, minReal(minReal(-clipped, -missing), system->contacts.lost));
        double above = -missing - settled - MOST_ABOVE * (end.kinetic + end.elastic);
        if (above > 0)
            takeBack(system, minReal(-clipped - settled, above));
    }
}
