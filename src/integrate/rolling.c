// Rolling friction of small-midpoint: what presses on each other resists turning against each other. Solids that rest
// on edges and corners would rock for long, since a contact that is closed loses nothing and matter loses little where
// it is slow.
//
//   moment <= share x lever x normal force,  against the relative spin,  lever^2 = trace of the inertia / 2 mass
//
// It is an impulse where a substep ends, at most as large as stops the spin: it takes energy and never gives any, keeps
// both momenta and is booked as dissipated.
#include "contact/ridge.h"
#include "integrate/integrate.h"

#include <math.h>

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

static void findSpin(void *context, Member *member, Workers *workers)
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
    rolling->spin = matApply(&rolling->frame.inverse, sum.spin);
    rolling->change = vec3(0, 0, 0);
}

static void turn(Rolling *rolling, double impulse, Vec3 axis)
{
    Vec3 by = vecScale(impulse, matApply(&rolling->frame.inverse, axis));
    rolling->spin = vecAdd(rolling->spin, by);
    rolling->change = vecAdd(rolling->change, by);
}

static double easeOf(const Rolling *rolling, Vec3 axis) // 1/(kg m^2)
{
    return vecDot(axis, matApply(&rolling->frame.inverse, axis));
}

// returns what it takes, J
static double resist(Rolling *a, Rolling *b, double share, double pressed)
{
    Vec3 spin = b != NULL ? vecSub(a->spin, b->spin) : a->spin;
    double rate = vecLength(spin);
    if (!(rate > 0))
        return 0;
    Vec3 axis = vecScale(1 / rate, spin);
    double ease = easeOf(a, axis) + (b != NULL ? easeOf(b, axis) : 0);
    double lever = b != NULL ? minReal(a->lever, b->lever) : a->lever;
    double impulse = minReal(share * lever * pressed, rate / ease);
    turn(a, -impulse, axis);
    if (b != NULL)
        turn(b, impulse, axis);
    return impulse * (rate - 0.5 * impulse * ease);
}

static void changeSpin(void *context, Member *member, Workers *workers)
{
    System *system = context;
    State *s = &system->state;
    const Rolling *rolling = &member->step->rolling;
    RigidTwist twist = { vec3(0, 0, 0), rolling->change };
    (void)workers;
    if (rolling->found && vecDot(rolling->change, rolling->change) > 0)
        rigidAddAbout(system, member, rolling->frame.centre, s->position, 1, twist, false, s->velocity);
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
    systemEachMember(system, findSpin, system);
    for (int c = 0; c < system->contacts.count; ++c)
    {
        const Contact *contact = &system->contacts.item[c];
        double pressed = pressing(contact);
        if (!(pressed > 0))
            continue;
        Member *one = firstOf(system, contact), *other = otherOf(system, contact);
        if (one == other || !one->step->rolling.found || (other != NULL && !other->step->rolling.found))
            continue;
        one->dissipated += resist(&one->step->rolling, other != NULL ? &other->step->rolling : NULL, share, pressed);
    }
    systemEachMember(system, changeSpin, system);
}
