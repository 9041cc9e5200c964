// What contacts keep from step to step: weights that follow from it, forgetting, and saving them in states.
#include "contact/element.h"

#include <math.h>
#include <string.h>

#define ON 1e-30 // N/m

#define AHEAD 12 // blocks: they lie too far apart for the processor to foresee the next

// of most blocks none does
int contactNextHeld(const Energy *energy, int element)
{
    for (; element < energy->elementCount; ++element)
    {
        const double *slot = laneKept(energy, element / LANES) + KEPT_COLLIDER * LANES;
        double most = slot[0];
        if (element % LANES == 0 && element / LANES + AHEAD < energy->blockCount)
            __builtin_prefetch(laneKept(energy, element / LANES + AHEAD) + KEPT_COLLIDER * LANES);
        for (int lane = 1; lane < LANES && element % LANES == 0; ++lane)
            most = maxReal(most, slot[lane]);
        if (element % LANES == 0 && most < 0)
            element += LANES - 1;
        else if (slot[element % LANES] >= 0)
            return element;
    }
    return energy->elementCount;
}

static double weightOf(const Energy *contact, int element, const Collider *collider)
{
    const ContactBody *body = contact->context;
    if (collider->vertexStiffness > 0)
        return collider->vertexStiffness * sampleShare(body, element / CONTACT_SLOTS);
    double stiffness = collider->stiffness > 0 ? collider->stiffness : body->stiffness;
    return stiffness * contactFacing(contact, element);
}

static double frictionOf(const Energy *contact, int element)
{
    const ContactBody *body = contact->context;
    if (body->vertexFriction == NULL)
        return body->friction;
    return body->vertexFriction[body->toCaller[contactVertex(contact, element)]];
}

void contactArm(Energy *contact, int element)
{
    ((const ContactBody *)contact->context)->spot[element].distance = -INFINITY; // may be of another collider
    contactWeigh(contact, element);
}

void contactWeigh(Energy *contact, int element)
{
    const ContactBody *body = contact->context;
    int slot = (int)contactKept(contact, element, KEPT_COLLIDER);
    contact->off = false;
    contact->unarmed = body->hard;
    if (slot < 0)
    {
        energySetParam(contact, element, CONTACT_WEIGHT, 0);
        return;
    }
    const Collider *collider = &body->colliders->item[slot];
    energySetParam(contact, element, CONTACT_FRICTION, frictionMix(frictionOf(contact, element), collider->friction));
    bool none = body->hard || collider->sensor || contactIsApart(body, collider);
    // what travels is on without an energy
    double weight = none ? 0 : body->rests != NULL ? ON : weightOf(contact, element, collider);
    energySetParam(contact, element, CONTACT_WEIGHT, weight);
}

void contactRearm(Energy *contact)
{
    for (int e = 0; e < contact->elementCount; ++e)
        contactArm(contact, e);
}

const Collider *contactColliderOf(const Energy *contact, int element)
{
    return contactCollider(contact, element);
}

void contactForget(Energy *contact)
{
    for (int block = 0; block < contact->blockCount; ++block)
        memset(laneKept(contact, block) + KEPT_FORCE * LANES, 0, LANES * sizeof(double));
}

static size_t keptBytes(const Energy *contact)
{
    return (size_t)contact->blockCount * LANES * KEPT_COUNT * sizeof(double);
}

void contactMark(const Energy *contact)
{
    ContactBody *body = contact->context;
    body->marked = false;
}

void contactPutBy(const Energy *contact)
{
    ContactBody *body = contact->context;
    if (!body->marked)
        memcpy(body->before, contact->kept, keptBytes(contact));
    if (!body->marked && body->rests != NULL)
        memcpy(body->shareBefore, body->share, 3 * (size_t)contact->elementCount * sizeof(double));
    body->marked = true;
}

void contactRestore(Energy *contact)
{
    const ContactBody *body = contact->context;
    if (!body->marked)
        return; // there was no search
    memcpy(contact->kept, body->before, keptBytes(contact));
    if (body->rests != NULL)
        memcpy(body->share, body->shareBefore, 3 * (size_t)contact->elementCount * sizeof(double));
    contactRearm(contact);
}

int contactGetKept(const Energy *contact, int element, double *kept)
{
    for (int k = 0; k < CONTACT_KEPT; ++k)
        kept[k] = contactKept(contact, element, KEPT_ANCHOR + k);
    return (int)contactKept(contact, element, KEPT_COLLIDER);
}

void contactSetKept(Energy *contact, int element, int slot, const double *kept)
{
    for (int k = 0; k < CONTACT_KEPT; ++k)
        contactKeep(contact, element, KEPT_ANCHOR + k, kept[k]);
    contactKeep(contact, element, KEPT_COLLIDER, slot);
    ((const ContactBody *)contact->context)->impulse[element] = (ContactImpulse){ .impulse = { 0, 0, 0 } };
    contactArm(contact, element);
}
