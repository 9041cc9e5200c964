// Rolling friction of small-midpoint: what presses on each other resists turning against each other, and swaying on the
// points that press. Solids that rest on edges and corners would rock for long, and solids that stand on each other
// bounce and shear for long, since a contact that is closed loses nothing and matter loses little where it is slow.
//
//   moment <= share x lever x normal force,  against the relative spin,  lever^2 = trace of the inertia / 2 mass
//   force <= share x normal force,  against the velocity that bodies as a whole have at the point, less that of the
//                                   point itself: the rate at which matter between it and the rest of them deforms
//
// The second is dry internal friction (Coulomb damping): it takes about twice the share of the energy of a bounce, and
// stops what is slow within a time that is in proportion to its velocity. Both are impulses where a substep ends, at
// most as large as stop what they act against: they take energy and never give any, keep both momenta and are booked as
// dissipated.
#include "contact/contact.h"
#include "contact/reach.h"
#include "contact/ridge.h"
#include "integrate/integrate.h"

#include <math.h>

#define HOLDS 0.9 // of the friction that a contact can bear: below, it sticks

// of solids alone: a sheet or rope has no spin that its contacts could resist
static bool rolls(const Member *member)
{
    return member->step->loose && member->modal != NULL;
}

static bool isBetweenBodies(const System *system, const Contact *contact)
{
    return contact->ridge || system->term[contact->term].coupling != NULL;
}

// NULL: none, as for scenery
static Member *otherOf(const System *system, const Contact *contact)
{
    return isBetweenBodies(system, contact) ? system->member[contact->pair[1]] : NULL;
}

static Member *firstOf(const System *system, const Contact *contact)
{
    return isBetweenBodies(system, contact) ? system->member[contact->pair[0]] : system->term[contact->term].member;
}

// N s: what presses, of contacts that resist rolling; not with colliders that move, whose spin is theirs
static double pressing(const Contact *contact)
{
    bool still = contact->movable == NULL && vecDot(contact->drift, contact->drift) == 0;
    return contact->near || !still ? 0 : vecDot(contact->impulse, contact->normal);
}

static void findMotion(void *context, Member *member, Workers *workers)
{
    const System *system = context;
    const State *s = &system->state;
    Rolling *rolling = &member->step->rolling;
    (void)workers;
    rolling->found = rolls(member);
    if (!rolling->found)
        return;
    rolling->frame = rigidFrame(system, member, s->position);
    const Mat3 *inertia = &rolling->frame.inertia;
    double trace = inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2];
    RigidTwist sum = rigidMomenta(system, member, rolling->frame.centre, s->position, s->velocity, true);
    rolling->lever = sqrt(trace / (2 * rolling->frame.mass));
    rolling->twist.linear = vecScale(1 / rolling->frame.mass, sum.linear);
    rolling->twist.spin = matApply(&rolling->frame.inverse, sum.spin);
    rolling->change = (RigidTwist){ vec3(0, 0, 0), vec3(0, 0, 0) };
}

// ---- turning --------------------------------------------------------------------------------------------------------

static void turn(Rolling *rolling, double impulse, Vec3 answer)
{
    Vec3 by = vecScale(impulse, answer);
    rolling->twist.spin = vecAdd(rolling->twist.spin, by);
    rolling->change.spin = vecAdd(rolling->change.spin, by);
}

// returns what it takes, J
static double resist(Rolling *a, Rolling *b, double share, double pressed)
{
    Vec3 spin = b != NULL ? vecSub(a->twist.spin, b->twist.spin) : a->twist.spin, back = vec3(0, 0, 0);
    double rate = vecLength(spin);
    if (!(rate > 0))
        return 0;
    Vec3 axis = vecScale(1 / rate, spin), answer = matApply(&a->frame.inverse, axis); // 1/(kg m^2)
    if (b != NULL)
        back = matApply(&b->frame.inverse, axis);
    double ease = vecDot(axis, answer) + vecDot(axis, back);
    double lever = b != NULL ? minReal(a->lever, b->lever) : a->lever;
    double impulse = minReal(share * lever * pressed, rate / ease);
    turn(a, -impulse, answer);
    if (b != NULL)
        turn(b, impulse, back);
    return impulse * (rate - 0.5 * impulse * ease);
}

// ---- swaying --------------------------------------------------------------------------------------------------------

// What a body as a whole does where it presses.
typedef struct Sway
{
    Vec3 arm;  // m, from the centre of mass
    Vec3 rate; // m/s
    Vec3 spin; // 1/(kg m): by a unit impulse there
} Sway;

static Sway swayOf(const Rolling *rolling, Vec3 point)
{
    Vec3 arm = vecSub(point, rolling->frame.centre);
    return (Sway){ .arm = arm, .rate = vecAdd(rolling->twist.linear, vecCross(rolling->twist.spin, arm)) };
}

// 1/kg: what a unit impulse along an axis changes the rate by, along it
static double easeOf(const Rolling *rolling, Sway *sway, Vec3 axis)
{
    Vec3 moment = vecCross(sway->arm, axis);
    sway->spin = matApply(&rolling->frame.inverse, moment);
    return 1 / rolling->frame.mass + vecDot(moment, sway->spin);
}

static void push(Rolling *rolling, const Sway *sway, double impulse, Vec3 axis)
{
    Vec3 linear = vecScale(impulse / rolling->frame.mass, axis), spin = vecScale(impulse, sway->spin);
    rolling->twist = (RigidTwist){ vecAdd(rolling->twist.linear, linear), vecAdd(rolling->twist.spin, spin) };
    rolling->change = (RigidTwist){ vecAdd(rolling->change.linear, linear), vecAdd(rolling->change.spin, spin) };
}

// m, of the first body
static Vec3 pointOf(const State *s, const Contact *contact)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < contact->count && contact->weight[k] > 0; ++k)
        sum = vecAdd(sum, vecScale(contact->weight[k], vecLoad(s->position + 3 * (ptrdiff_t)contact->vertex[k])));
    return sum;
}

// What slips, or nearly so, sways along the normal alone: across it, friction says what it may bear.
static Vec3 withoutSlip(const Contact *contact, Vec3 apart)
{
    double pressed = vecDot(contact->impulse, contact->normal), most = HOLDS * contact->friction * pressed;
    if (vecDot(contact->impulse, contact->impulse) < pressed * pressed + most * most)
        return apart;
    return vecScale(vecDot(apart, contact->normal), contact->normal);
}

// events tell all that bodies give each other
static void tell(System *system, const Contact *contact, Vec3 impulse)
{
    Energy *energy = system->term[contact->term].energy;
    if (contact->ridge)
        ridgeTellImpulse(&system->ridge[contact->element], system->near, impulse);
    else if (energy->kind == &pairKind)
        pairTellImpulse(energy, contact->element, impulse);
    else
        contactTellImpulse(energy, contact, impulse);
}

// returns what it takes, J
static double swayResist(System *system, const Contact *contact, Rolling *a, Rolling *b, double most)
{
    Vec3 point = pointOf(&system->state, contact);
    Sway one = swayOf(a, point), other = { .rate = vec3(0, 0, 0) };
    if (b != NULL)
        other = swayOf(b, point);
    Vec3 rate = vecSub(one.rate, other.rate), apart = withoutSlip(contact, vecSub(rate, contact->after));
    double speed = vecLength(apart), along = vecDot(apart, rate);
    if (!(along > 0))
        return 0;
    Vec3 axis = vecScale(1 / speed, apart);
    along /= speed;
    double ease = easeOf(a, &one, axis) + (b != NULL ? easeOf(b, &other, axis) : 0);
    double impulse = minReal(most, minReal(speed, along) / ease);
    push(a, &one, -impulse, axis);
    if (b != NULL)
        push(b, &other, impulse, axis);
    tell(system, contact, vecScale(-impulse, axis));
    return impulse * (along - 0.5 * impulse * ease);
}

// ---- a substep ------------------------------------------------------------------------------------------------------

static void changeMotion(void *context, Member *member, Workers *workers)
{
    System *system = context;
    State *s = &system->state;
    const Rolling *rolling = &member->step->rolling;
    RigidTwist change = rolling->change;
    (void)workers;
    if (rolling->found && (vecDot(change.linear, change.linear) > 0 || vecDot(change.spin, change.spin) > 0))
        rigidAddAbout(system, member, rolling->frame.centre, s->position, 1, change, false, s->velocity);
}

static bool anyPresses(const ContactList *list)
{
    for (int c = 0; c < list->count; ++c)
    {
        if (pressing(&list->item[c]) > 0)
            return true;
    }
    return false;
}

void rollingResist(System *system, double share)
{
    if (!(share > 0) || !anyPresses(&system->contacts))
        return;
    systemEachMember(system, findMotion, system);
    for (int c = 0; c < system->contacts.count; ++c)
    {
        const Contact *contact = &system->contacts.item[c];
        double pressed = pressing(contact);
        if (!(pressed > 0))
            continue;
        Member *one = firstOf(system, contact), *other = otherOf(system, contact);
        if (one == other || !one->step->rolling.found || (other != NULL && !other->step->rolling.found))
            continue;
        Rolling *a = &one->step->rolling, *b = other != NULL ? &other->step->rolling : NULL;
        one->dissipated += resist(a, b, share, pressed);
        if (!reachIsKind(system->term[contact->term].energy->kind)) // what hangs on a limit swings
            one->dissipated += swayResist(system, contact, a, b, share * pressed);
    }
    systemEachMember(system, changeMotion, system);
}
