// What surfaces of colliders do beyond holding points back: belts drag what they touch along, sticky ones pull up to a
// force per area, one-way ones hold what comes against their direction, sensors report and push nothing.
//
// Sticky, under the potential: the spring of contact pulls too, up to adhesion x area, which it reaches s m outside,
// and no harder beyond. What touched is held so; a step that takes it further than s tears it off, and what the spring
// stored is lost. Friction presses with that force as well. Under the hard law and for small steps an impulse may pull
// by adhesion x area x time while the point touches.
#include "contact/element.h"
#include "contact/movable.h"

#include <math.h>
#include <string.h>

#define TOUCHES 1e-3 // of the distance between points: closer ones stick

Vec3 contactBelt(const Collider *collider, const Pose *pose, Vec3 normal)
{
    if (!collider->drives)
        return vec3(0, 0, 0);
    return tangential(matApply(&pose->turn, collider->travel), normal);
}

double contactHold(const Energy *energy, int element)
{
    const Collider *collider = contactCollider(energy, element);
    return collider->adhesion > 0 ? collider->adhesion * contactFacing(energy, element) : 0;
}

double contactStickRange(const Energy *energy, int element)
{
    return TOUCHES * sqrt(contactArea(energy->context, element / CONTACT_SLOTS));
}

Press pressSticky(double weight, double d, double range)
{
    if (d < range)
        return (Press){ .force = -weight * d, .slope = weight, .value = 0.5 * weight * d * d };
    return (Press){ .force = -weight * range, .slope = 0, .value = weight * range * (d - 0.5 * range) };
}

double contactTearRange(const Energy *energy, int element)
{
    bool touched = contactKept(energy, element, KEPT_FORCE) > 0 || contactKept(energy, element, KEPT_START) <= 0;
    return touched ? contactHold(energy, element) / energyGetParam(energy, element, CONTACT_WEIGHT) : 0;
}

// Outside it holds what is on the side of its direction; inside what it held before. What comes from elsewhere passes.
bool contactIsHeld(const Collider *collider, bool held, double distance, Vec3 localNormal)
{
    if (vecDot(collider->oneWay, collider->oneWay) == 0)
        return true;
    return distance < 0 ? held : vecDot(localNormal, collider->oneWay) > 0;
}

// of its collider, at a point, between steps
static ShapeSample sampleNow(const Energy *contact, int element, Vec3 point)
{
    const ContactBody *body = contact->context;
    const Collider *collider = contactCollider(contact, element);
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(point, collider->start.position));
    return shapeSample(collider->shape, local, INFINITY, body->feature[element]);
}

bool sensorTouch(const Energy *contact, const double *x, int element, Touch *touch)
{
    const ContactBody *body = contact->context;
    Vec3 point = contactPoint(contact, element, x);
    ShapeSample sample = sampleNow(contact, element, point);
    if (!(sample.distance < body->radius))
        return false;
    *touch = (Touch){ .vertex = contactVertex(contact, element),
                      .collider = (int)contactKept(contact, element, KEPT_COLLIDER),
                      .point = point,
                      .normal = matApply(&contactCollider(contact, element)->start.turn, sample.normal),
                      .overlap = body->radius - sample.distance };
    return true;
}

// anchors go along with the belt or the deforming surface that they are tied to
void contactArrive(Energy *contact)
{
    const ContactBody *body = contact->context;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        const Collider *collider = contactCollider(contact, e);
        if (collider->deforms)
            body->spot[e].distance = -INFINITY; // it was of the surface before
        if (body->hard || contactKept(contact, e, KEPT_FORCE) == 0)
            continue;
        Vec3 travel = tangential(collider->travel, contactKeptVector(contact, e, KEPT_NORMAL));
        Vec3 anchor = contactKeptVector(contact, e, KEPT_ANCHOR);
        if (collider->drives)
            contactKeepVector(contact, e, KEPT_ANCHOR, anchor = vecAdd(anchor, travel));
        if (collider->deforms)
            contactKeepVector(contact, e, KEPT_ANCHOR, vecAdd(anchor, body->carried[e]));
    }
}

// ---- impulses over a step -------------------------------------------------------------------------------------------

void contactImpulseClear(const Energy *contact)
{
    const ContactBody *body = contact->context;
    memset(body->impulse, 0, (size_t)contact->elementCount * sizeof(ContactImpulse));
}

bool contactPushesScenery(const Energy *contact)
{
    const ContactBody *body = contact->context;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        Vec3 impulse = body->impulse[e].impulse;
        if (contactCollider(contact, e)->movable == NULL && vecDot(impulse, impulse) > 0)
            return true;
    }
    return false;
}

void contactImpulseForget(const Energy *contact, int element)
{
    ((const ContactBody *)contact->context)->impulse[element] = (ContactImpulse){ .impulse = { 0, 0, 0 } };
}

void contactImpulsePart(const Energy *contact, bool again)
{
    ContactImpulse *sum = ((const ContactBody *)contact->context)->impulse;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        if (again)
        {
            sum[e].impulse = vecSub(sum[e].impulse, sum[e].lastImpulse);
            sum[e].moment = vecSub(sum[e].moment, sum[e].lastMoment);
        }
        sum[e].lastImpulse = sum[e].lastMoment = vec3(0, 0, 0);
    }
}

void contactImpulseAdd(const Energy *contact, int element, const ContactPush *push)
{
    const ContactBody *body = contact->context;
    Movable *movable = contactCollider(contact, element)->movable;
    ContactImpulse *sum = &body->impulse[element];
    sum->impulse = vecAdd(sum->impulse, push->impulse);
    sum->lastImpulse = vecAdd(sum->lastImpulse, push->impulse);
    if (movable == NULL)
        return;
    Vec3 moment = vecCross(vecSub(push->point, movable->position), push->impulse);
    sum->moment = vecAdd(sum->moment, moment);
    sum->lastMoment = vecAdd(sum->lastMoment, moment);
    movablePulse(movable, vecScale(-1, push->impulse), vecScale(-1, moment), push->from, push->to);
}

bool contactTouched(const Energy *contact, const double *x, int element, Touch *touch)
{
    Vec3 impulse = contactImpulse(contact, element);
    if (!(vecLength(impulse) > 0) || !(contactKept(contact, element, KEPT_COLLIDER) >= 0))
        return false;
    ShapeSample sample = sampleNow(contact, element, contactPoint(contact, element, x));
    Vec3 normal = matApply(&contactCollider(contact, element)->start.turn, sample.normal);
    *touch = (Touch){ .vertex = contactVertex(contact, element),
                      .collider = (int)contactKept(contact, element, KEPT_COLLIDER),
                      .point = contactPoint(contact, element, x),
                      .normal = normal,
                      .impulse = impulse };
    return vecDot(impulse, normal) > 0;
}
