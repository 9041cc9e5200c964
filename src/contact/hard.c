// Contact as small steps have it (Macklin 2019, Eq 9 to 12): a hard constraint d >= 0 for each element that is switched
// on, then friction, then restitution as a change of velocity.
//
// Overlap that the step began with is let be but for vmax times the time since then: Eq 10 with d_0 of the step, not of
// the substep, where the solver's own residual would turn the clamp into a soft contact. Friction is two-sided and sees
// the tangential displacement of the substep, with the normal multiplier of the same substep: solved before the normal
// it would be none.
#include "contact/element.h"
#include "contact/movable.h"
#include "energy/endpoint.h"

#define RECOVERED 0.1 // of the overlap that a point that travels comes upon, in a substep,
#define FASTEST 0.1   // m/s: but no faster

enum // rows of multipliers
{
    HARD_NORMAL,                        // outward, at least 0
    HARD_FRICTION,                      // 3
    HARD_DIRECTION = HARD_FRICTION + 3, // 3: the normal
    HARD_START = HARD_DIRECTION + 3,    // 3: m/s, of the point where the substep began
    HARD_ROWS = HARD_START + 3,
};

static Endpoint pointOf(const Energy *energy, int element)
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    const double *share = contactShares(energy, element);
    Endpoint point = { .count = energy->kind->corners };
    for (int c = 0; c < point.count; ++c)
    {
        point.vertex[c] = vertices[c * LANES];
        point.share[c] = share[c];
    }
    return point;
}

// of the collider under a point in the substep that ends now
static Vec3 substepDisplacement(const Energy *energy, int element, const ContactState *m, double share)
{
    const Collider *collider = contactCollider(energy, element);
    ColliderPlace place = contactPlace(m);
    Vec3 moved = colliderDisplacement(collider, maxReal(m->moment - share, 0), m->moment, &place);
    return vecAdd(moved, vecScale(share, contactBelt(collider, &m->pose, m->normal)));
}

static void storeVector(double *lambda, int row, Vec3 a)
{
    lambda[row * LANES] = a.x;
    lambda[(row + 1) * LANES] = a.y;
    lambda[(row + 2) * LANES] = a.z;
}

static Vec3 loadVector(const double *lambda, int row)
{
    return vec3(lambda[row * LANES], lambda[(row + 1) * LANES], lambda[(row + 2) * LANES]);
}

// A rigid body under the point of an element: how it gives way.
typedef struct Footing
{
    Movable *movable; // NULL: scenery
    Vec3 point, arm;  // m; that from its centre of mass
    double h;         // s, of the substep
} Footing;

static Footing footingOf(const Energy *energy, int element, Vec3 point, double h)
{
    Movable *movable = contactCollider(energy, element)->movable;
    if (movable == NULL)
        return (Footing){ .movable = NULL };
    return (Footing){ movable, point, vecSub(point, movableArrival(movable)), h };
}

static double footingInverse(const Footing *footing, Vec3 direction) // 1/kg
{
    return footing->movable != NULL ? movableInverse(footing->movable, footing->arm, direction) : 0;
}

static Vec3 footingGave(const Footing *footing) // m, so far
{
    return footing->movable != NULL ? vecScale(footing->h, movableChange(footing->movable, footing->arm))
                                    : vec3(0, 0, 0);
}

// kg m, on the body: the rigid one takes the opposite, and it is kept at once, for sweeps may forget multipliers
// Returns its work, J, which the body gets.
static double footingPush(const Footing *footing, const Energy *energy, int element, const SweepContext *context,
                          Vec3 impulse)
{
    if (footing->movable == NULL)
        return 0;
    ContactPush push = { .impulse = vecScale(1 / footing->h, impulse),
                         .point = footing->point,
                         .from = energyMoment(energy, energy->fraction) - context->share,
                         .to = energyMoment(energy, energy->fraction) };
    double work = -movablePush(footing->movable, footing->arm, vecScale(-1, push.impulse));
    contactImpulseAdd(energy, element, &push);
    return work;
}

static FaceView faceView(const Energy *energy, const SweepContext *context)
{
    return (FaceView){
        .x = context->row, .stride = 4, .origin = context->origin, .moment = energyMoment(energy, energy->fraction)
    };
}

// m, how far outside a point that travels was when the substep began
static void startAt(const Energy *energy, const SweepContext *context, int e)
{
    const ContactBody *body = energy->context;
    const Collider *collider = contactCollider(energy, e);
    Endpoint end = pointOf(energy, e);
    double moment = maxReal(energyMoment(energy, energy->fraction) - context->share, 0);
    Pose pose = colliderPose(collider, moment);
    Mat3 back = matTranspose(&pose.turn);
    Vec3 point = vecAdd(context->origin, endpointAt(&end, context->before));
    Vec3 local = matApply(&back, vecSub(point, pose.position));
    body->outside[e] =
        shapeSampleAt(collider->shape, moment, local, INFINITY, body->feature[e]).distance - body->radius;
}

// m, overlap that is let be
static double allowedOverlap(const Energy *energy, const SweepContext *context, int e)
{
    if (!contactTravels(energy))
        return maxReal(-contactKept(energy, e, KEPT_START) - context->clear, 0);
    double overlap = -((const ContactBody *)energy->context)->outside[e];
    return maxReal(overlap - minReal(RECOVERED * overlap, FASTEST * context->h), 0);
}

// points that travel are where they are needed from the first sweep of a substep on
static void follow(const Energy *energy, const SweepContext *context)
{
    if (context->again || energy->off || !contactTravels(energy))
        return;
    FaceView view = faceView(energy, context);
    contactFollow(energy, &view);
    for (int e = contactNextHeld(energy, 0); e < energy->elementCount; e = contactNextHeld(energy, e + 1))
    {
        for (int r = 0; r < HARD_START && contactHasRest(energy, e); ++r)
            elementLambda(energy, e)[r * LANES] = 0;
        if (!contactHasRest(energy, e))
            startAt(energy, context, e);
    }
}

static void solveElement(Energy *energy, const SweepContext *context, int e, SweepWork *work)
{
    ContactState m;
    Endpoint end = pointOf(energy, e);
    double *lambda = elementLambda(energy, e), pull = context->h * context->h * contactHold(energy, e);
    bool touched = lambda[0] != 0; // in the substep before, or the sweep
    for (int r = 0; r < HARD_START && !context->again; ++r)
        lambda[r * LANES] = 0;
    // what was pressed out in an earlier iteration may be let back
    Vec3 point = vecAdd(context->origin, endpointAt(&end, context->row));
    if (!contactEvaluatePressed(energy, e, point, lambda[0] != 0 || pull > 0, &m))
        return;
    if (contactTravels(energy))
    {
        FaceView view = faceView(energy, context);
        m.normal = contactFaceNormal(energy, e, &view, m.normal);
    }
    Footing footing = footingOf(energy, e, point, context->h);
    m.distance -= vecDot(footingGave(&footing), m.normal);
    pull = touched || m.distance < contactStickRange(energy, e) ? pull : 0;
    double inverse = endpointInverse(&end, context->row, m.normal);
    if (!(inverse > 0))
        return;
    inverse += footingInverse(&footing, m.normal);
    double allowed = allowedOverlap(energy, context, e);
    double before = lambda[0], after = maxReal(before - (m.distance + allowed) / inverse, -pull);
    if (before == 0 && after == 0)
        return;
    Vec3 displacement = substepDisplacement(energy, e, &m, context->share), from = endpointAt(&end, context->before);
    if (contactTravels(energy))
    {
        // its normal is that of the triangle, and it may be elsewhere than in the last substep: overlap does not say
        // that it approaches. It leaves at most as fast as it came, so that no push raises the energy
        Vec3 way = vecSub(vecSub(endpointAt(&end, context->row), from), vecAdd(displacement, footingGave(&footing)));
        double approach = maxReal(inverse * before - vecDot(way, m.normal), 0);
        after = minReal(after, (approach + minReal(approach, FASTEST * context->h)) / inverse);
    }
    double change = after - before;
    lambda[0] = after;
    storeVector(lambda, HARD_DIRECTION, m.normal);
    endpointPush(&end, context->row, context->row, vecScale(change, m.normal));
    double given = footingPush(&footing, energy, e, context, vecScale(change, m.normal));

    // friction: the multiplier so far and what would stop the point, within the cone
    Vec3 slip = vecSub(vecSub(endpointAt(&end, context->row), from), vecAdd(displacement, footingGave(&footing)));
    slip = tangential(slip, m.normal);
    inverse = endpointInverse(&end, context->row, endpointDirection(slip)) +
              footingInverse(&footing, endpointDirection(slip));
    Vec3 held = loadVector(lambda, HARD_FRICTION);
    double most = energyGetParam(energy, e, CONTACT_FRICTION) * (after + pull);
    Vec3 wanted = frictionClamp(vecSub(held, vecScale(1 / inverse, slip)), most), step = vecSub(wanted, held);
    storeVector(lambda, HARD_FRICTION, wanted);
    endpointPush(&end, context->row, context->row, step);
    given += footingPush(&footing, energy, e, context, step);
    slip = vecAdd(slip, vecScale(inverse, step));
    double scale = 1 / (context->h * context->h);
    work->dissipated -= scale * vecDot(step, slip);
    bool stands = footing.movable == NULL;
    work->added += stands ? scale * vecDot(vecAdd(vecScale(change, m.normal), step), displacement) : given;
}

// What scenery gave, kg m: that of a rigid body is kept as it is pushed.
static void keepPush(const Energy *energy, const SweepContext *context, int element, Vec3 impulse)
{
    if (contactCollider(energy, element)->movable != NULL)
        return;
    Endpoint end = pointOf(energy, element);
    ContactPush push = { .impulse = vecScale(1 / context->h, impulse),
                         .point = vecAdd(context->origin, endpointAt(&end, context->row)),
                         .from = energyMoment(energy, energy->fraction) - context->share,
                         .to = energyMoment(energy, energy->fraction) };
    contactImpulseAdd(energy, element, &push);
}

static Vec3 heldImpulse(const double *lambda)
{
    return vecAdd(vecScale(lambda[0], loadVector(lambda, HARD_DIRECTION)), loadVector(lambda, HARD_FRICTION));
}

static void elements(Energy *energy, const SweepContext *context, SweepWork *work)
{
    follow(energy, context);
    for (int n = 0; n < energy->elementCount; ++n)
    {
        int e = context->backward ? energy->elementCount - 1 - n : n;
        if (energyGetParam(energy, e, CONTACT_WEIGHT) == 0 || contactHasRest(energy, e))
            continue;
        solveElement(energy, context, e, work);
        if (context->forgets)
            keepPush(energy, context, e, heldImpulse(elementLambda(energy, e)));
    }
}

// v_n = e times the speed of approach, at least (Mueller 2020, Eq 34). The approach is that of the velocity with which
// the substep began: within it the matter behind a point that rests presses it against the ground, and that is no hit.
// What is lost is the motion of the point that the pass leaves it.
static void reboundElement(Energy *energy, const SweepContext *context, int e, double *before, SweepWork *work)
{
    double *lambda = elementLambda(energy, e);
    ContactState m;
    Endpoint end = pointOf(energy, e);
    Vec3 n = loadVector(lambda, HARD_DIRECTION), now = endpointAt(&end, context->row);
    if (!contactEvaluate(energy, e, vecAdd(context->origin, now), &m))
        return;
    m.normal = n;
    Vec3 displacement = substepDisplacement(energy, e, &m, context->share);
    double speed = vecDot(n, displacement) / context->h - vecDot(n, loadVector(lambda, HARD_START));
    if (!(speed > context->slow))
        return;
    Footing footing = footingOf(energy, e, vecAdd(context->origin, now), context->h);
    displacement = vecAdd(displacement, footingGave(&footing));
    double inverse = endpointInverse(&end, context->row, n) + footingInverse(&footing, n);
    double restitution = contactCollider(energy, e)->restitution;
    double leaving = vecDot(n, vecSub(vecSub(now, endpointAt(&end, before)), displacement)) / context->h;
    double lack = restitution * speed - leaving;
    if (lack > 0)
    {
        endpointPush(&end, context->row, before, vecScale(-lack * context->h / inverse, n));
        work->added += footingPush(&footing, energy, e, context, vecScale(lack * context->h / inverse, n));
        lambda[0] += lack * context->h / inverse; // it is the contact's force as well
        leaving += lack;
    }
    work->dissipated += 0.5 / inverse * maxReal(speed * speed - leaving * leaving, 0);
}

static bool meets(const Energy *contact, int element)
{
    if (contactKept(contact, element, KEPT_COLLIDER) < 0)
        return false; // what it touched in the last step has gone
    const Collider *collider = contactCollider(contact, element);
    return contactIsApart(contact->context, collider) && collider->movable != NULL;
}

void contactForgetMovables(Energy *contact)
{
    if (!((const ContactBody *)contact->context)->hard)
        hardForget(contact); // of an attempt before
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        if (contactCollider(contact, e)->movable != NULL)
            contactImpulseForget(contact, e);
    }
}

void contactMeetStart(Energy *contact, const double *velocity)
{
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        if (meets(contact, e))
            storeVector(elementLambda(contact, e), HARD_START, contactPoint(contact, e, velocity));
    }
}

void contactMeetKeep(Energy *contact, const double *x)
{
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        ContactState m;
        if (meets(contact, e) && contactEvaluatePressed(contact, e, contactPoint(contact, e, x), true, &m))
            contactKeep(contact, e, KEPT_START, m.distance);
    }
}

void contactMeet(Energy *contact, const SweepContext *context, SweepWork *work)
{
    follow(contact, context);
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        if (!meets(contact, e) || contactHasRest(contact, e))
            continue;
        energySetParam(contact, e, CONTACT_WEIGHT, 1); // it is on
        solveElement(contact, context, e, work);
        energySetParam(contact, e, CONTACT_WEIGHT, 0);
    }
}

// multipliers become forces, as after small steps
void contactMeetEnd(Energy *contact, const SweepContext *context, double *before, SweepWork *work)
{
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        if (!meets(contact, e))
            continue;
        double *lambda = elementLambda(contact, e);
        energySetParam(contact, e, CONTACT_WEIGHT, 1);
        if (lambda[0] > 0)
            reboundElement(contact, context, e, before, work);
        energySetParam(contact, e, CONTACT_WEIGHT, 0);
        Endpoint end = pointOf(contact, e);
        for (int r = 0; r < HARD_START; ++r)
            lambda[r * LANES] *= 1 / (context->h * context->h);
        Vec3 moved = vecSub(endpointAt(&end, context->row), endpointAt(&end, before));
        storeVector(lambda, HARD_START, vecScale(1 / context->h, moved));
    }
}

static void rebound(Energy *energy, const SweepContext *context, double *before, SweepWork *work)
{
    for (int e = 0; e < energy->elementCount; ++e)
    {
        double *lambda = elementLambda(energy, e);
        if (energyGetParam(energy, e, CONTACT_WEIGHT) == 0)
            continue;
        Vec3 kept = context->forgets ? heldImpulse(lambda) : vec3(0, 0, 0);
        if (lambda[0] > 0)
            reboundElement(energy, context, e, before, work);
        Endpoint end = pointOf(energy, e);
        keepPush(energy, context, e, vecSub(heldImpulse(lambda), kept));
        Vec3 moved = vecSub(endpointAt(&end, context->row), endpointAt(&end, before));
        storeVector(lambda, HARD_START, vecScale(1 / context->h, moved));
    }
}

// rows were scaled to forces, the normal along with them
static Vec3 heldForce(const Energy *contact, int element)
{
    const double *lambda = elementLambda(contact, element);
    Vec3 n = loadVector(lambda, HARD_DIRECTION);
    double length = vecLength(n);
    if (lambda[0] == 0 || !(length > 0))
        return vec3(0, 0, 0);
    return vecAdd(vecScale(lambda[0] / length, n), loadVector(lambda, HARD_FRICTION));
}

bool hardTouch(const Energy *contact, const double *x, int element, Touch *touch)
{
    const double *lambda = elementLambda(contact, element);
    if (lambda[0] == 0 || (energyGetParam(contact, element, CONTACT_WEIGHT) == 0 && !meets(contact, element)))
        return false;
    Vec3 n = loadVector(lambda, HARD_DIRECTION);
    ContactState m;
    Vec3 point = contactPoint(contact, element, x);
    contactEvaluate(contact, element, point, &m);
    n = vecScale(1 / vecLength(n), n);
    *touch = (Touch){ .vertex = contactVertex(contact, element),
                      .collider = (int)contactKept(contact, element, KEPT_COLLIDER),
                      .point = point,
                      .normal = n,
                      .force = heldForce(contact, element),
                      .impulse = contactImpulse(contact, element),
                      .overlap = maxReal(-m.distance, 0) };
    return true;
}

static void forces(const Energy *contact, int element, Vec3 *out)
{
    const double *share = contactShares(contact, element);
    Vec3 force = heldForce(contact, element);
    for (int c = 0; c < contact->kind->corners; ++c)
        out[c] = vecScale(share[c], force);
}

void hardForget(Energy *contact)
{
    for (int i = 0; i < contact->blockCount * LANES * HARD_ROWS; ++i)
        contact->lambda[i] = 0;
}

// no anchors: what friction holds is a multiplier of the substep. Forces of a part of the step that is done are none
static void begin(Energy *energy)
{
    contactForget(energy);
    hardForget(energy);
}

const SweepKind contactSweep = {
    .rows = HARD_ROWS, .begin = begin, .elements = elements, .forces = forces, .rebound = rebound
};
