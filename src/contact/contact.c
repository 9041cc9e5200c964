// Normal contact and friction of one point, a vertex or a sample of the surface, with one collider.
//
// Normal: w/2 min(d, 0)^2 (press.c) (Dinev 2018, Eq 38). Friction: the vertex is tied to an anchor on the collider by a
// spring of the same stiffness w in the tangent plane, which slips where it would pull with more than mu N: Huber's
// potential w/2 u^2 for u < s = mu N / w, mu N (u - s/2) beyond, with N, the normal and the anchor of the step before.
// The paper's Eq 39 is identically zero as printed: the penalty force is along n. Both parts together lie below w/2 |x
// - p|^2, for they act in orthogonal directions, so w alone is the majorizer. Where the normal turned by t since the
// step before they overlap and reach (1 + sin t) w: less than twice the matrix, with which a descent still converges.
//
// Tried for N, one run each, undamped midpoint: the pressure at x_n, or at x_n + h v_n / 2. Steps of 1 ms: a box on 20
// degrees creeps by 3.2 and 2.8 cm/s instead of 4.1, and stops from 3 m/s after 0.939 and 0.912 m instead of 1.063
// (Coulomb: 0.917). Steps of 10 ms: it creeps by 11 and 9 mm/s instead of 3 and stops after 0.80 and 0.52 m instead of
// 0.95. The ledger did not balance (up to 33 J of 144), as the change of N between steps was not booked, so this is
// open. Not tried: a second solve.
#include "contact/element.h"

#include <math.h>
#include <stdio.h>

// ---- one element at one point ---------------------------------------------------------------------------------------

// friction, with what the step before left
bool contactEvaluateFriction(const Energy *energy, int element, Vec3 x, double fraction, ContactState *state)
{
    state->weight = energyGetParam(energy, element, CONTACT_WEIGHT);
    if (state->weight == 0)
        return false;
    const Collider *collider = contactCollider(energy, element);
    state->shape = collider->shape;
    state->moment = energyMoment(energy, fraction);
    state->feature = -1;
    state->pose = colliderPose(collider, state->moment);
    Mat3 back = matTranspose(&state->pose.turn);
    state->local = matApply(&back, vecSub(x, state->pose.position));
    double limit = energyGetParam(energy, element, CONTACT_FRICTION) * contactKept(energy, element, KEPT_FORCE);
    Vec3 offset = vecSub(state->local, contactKeptVector(energy, element, KEPT_ANCHOR));
    if (collider->drives)
        offset = vecSub(offset, vecScale(state->moment, collider->travel));
    if (collider->deforms)
        offset = vecSub(offset, vecScale(state->moment, ((const ContactBody *)energy->context)->carried[element]));
    offset = tangential(offset, contactKeptVector(energy, element, KEPT_NORMAL));
    state->friction = frictionAt(state->weight, limit, offset);
    return true;
}

// `mean`: over the step; `pressed`: distance and normal from any distance
static bool evaluate(const Energy *energy, int element, Vec3 x, double fraction, bool mean, bool pressed,
                     ContactState *state)
{
    if (!contactEvaluateFriction(energy, element, x, fraction, state))
        return false;
    const ContactBody *body = energy->context;
    // over a step a vertex that leaves is still pressed on from any distance, one that enters only if it ends inside
    double limit = body->radius, start = contactKept(energy, element, KEPT_START);
    if (mean)
        limit = start < 0 ? INFINITY : limit + 0.5 * start;
    double range = contactTearRange(energy, element);
    if (pressed || range > 0)
        limit = INFINITY;
    double least = contactLeast(energy, element, state->local);
    ShapeSample sample = { .distance = least, .feature = -1 };
    if (!(least * (1 - 1e-9) > limit))
        sample = shapeSampleAt(state->shape, state->moment, state->local, limit, body->feature[element]);
    state->feature = sample.feature;
    state->distance = sample.distance - body->radius;
    state->range = range;
    state->press = range > 0 ? pressSticky(state->weight, state->distance, range)
                   : mean    ? pressOver(state->weight, start, state->distance)
                             : pressAt(state->weight, state->distance);
    state->localNormal = sample.normal;
    state->steepness = 1 - sample.shortfall;
    state->normal = matApply(&state->pose.turn, sample.normal);
    return true;
}

bool contactEvaluate(const Energy *energy, int element, Vec3 x, ContactState *state)
{
    return evaluate(energy, element, x, energy->fraction, energy->mean, false, state);
}

bool contactEvaluateAt(const Energy *energy, int element, Vec3 x, double fraction, ContactState *state)
{
    return evaluate(energy, element, x, fraction, false, false, state);
}

bool contactEvaluatePressed(const Energy *energy, int element, Vec3 x, bool pressed, ContactState *state)
{
    return evaluate(energy, element, x, energy->fraction, energy->mean, pressed, state);
}

// its point, given the positions of vertices
static bool evaluateAt(const Energy *energy, int element, const double *x, ContactState *state)
{
    if (energyGetParam(energy, element, CONTACT_WEIGHT) == 0) // most
        return false;
    return contactEvaluate(energy, element, contactPoint(energy, element, x), state);
}

double contactStateValue(const ContactState *m)
{
    return m->press.value + frictionValue(&m->friction);
}

Vec3 contactStateFrictionGradient(const ContactState *m)
{
    return matApply(&m->pose.turn, frictionGradient(&m->friction));
}

Vec3 contactStateGradient(const ContactState *m)
{
    return vecAdd(vecScale(-m->press.force * m->steepness, m->normal), contactStateFrictionGradient(m));
}

// ---- the kind -------------------------------------------------------------------------------------------------------

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)recipe;
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneKept(energy, i / LANES)[KEPT_COLLIDER * LANES + i % LANES] = -1;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        bool off = contactIsOff(energy, block);
        for (int i = block * LANES; i < (block + 1) * LANES; ++i)
        {
            ContactState m;
            energy->value[i] = !off && evaluateAt(energy, i, x, &m) ? contactStateValue(&m) : 0;
        }
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        if (contactRests(energy, block)) // most
            continue;
        for (int i = block * LANES; i < (block + 1) * LANES; ++i)
        {
            ContactState m;
            contactStore(energy, i, evaluateAt(energy, i, x, &m) ? contactStateGradient(&m) : vec3(0, 0, 0));
        }
    }
}

// the distance is no polynomial: the line keeps where it starts and goes
static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        laneStore(laneLine(energy, i / LANES), 0, i % LANES, contactPoint(energy, i, x));
        laneStore(laneLine(energy, i / LANES), 1, i % LANES, contactPoint(energy, i, d));
    }
}

static Vec3 lineVector(const Energy *energy, int element, int index)
{
    const double *p = laneLine(energy, element / LANES) + 3 * index * LANES + element % LANES;
    return vec3(p[0], p[LANES], p[2 * LANES]);
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        ContactState m;
        Vec3 position = vecAdd(lineVector(energy, i, 0), vecScale(alpha, lineVector(energy, i, 1)));
        energy->value[i] = contactEvaluate(energy, i, position, &m) ? contactStateValue(&m) : 0;
    }
}

// w n n^T - force (second derivative of d), and friction: w in the tangent plane, or mu N / u across the pull.
// Where the shape is convex its curvature only subtracts: the semidefinite form leaves it out
static bool curvesInward(const double *c)
{
    double trace = c[0] + c[4] + c[8];
    double minors = c[0] * c[4] - c[1] * c[3] + c[4] * c[8] - c[5] * c[7] + c[0] * c[8] - c[2] * c[6];
    return trace < 0 && minors >= -1e-12 * trace * trace;
}

static void addNormalHessian(const ContactState *m, HessianMode mode, double *out)
{
    if (m->press.force == 0)
        return;
    const double n[3] = { m->normal.x, m->normal.y, m->normal.z };
    for (int i = 0; i < 9; ++i)
        out[i] += m->press.slope * m->steepness * m->steepness * n[i / 3] * n[i % 3];
    double local[9];
    shapeCurvature(m->shape, m->moment, m->local, local);
    if (mode != HESSIAN_EXACT && !curvesInward(local))
        return;
    for (int i = 0; i < 9; ++i)
    {
        double sum = 0;
        for (int k = 0; k < 9; ++k)
            sum += m->pose.turn.m[i / 3][k / 3] * local[k] * m->pose.turn.m[i % 3][k % 3];
        out[i] -= m->press.force * m->steepness * sum;
    }
}

static void addFrictionHessian(const ContactState *m, Vec3 localNormal, double *out)
{
    const Friction *f = &m->friction;
    Vec3 direction = f->slips ? matApply(&m->pose.turn, vecScale(1 / f->length, f->offset)) : vec3(0, 0, 0);
    frictionAddHessian(f, matApply(&m->pose.turn, localNormal), direction, out);
}

void contactSpread(const Energy *energy, int element, const double *matrix, double *out)
{
    const double *share = contactShares(energy, element);
    int width = 3 * energy->kind->corners;
    for (int row = 0; row < width; ++row)
    {
        for (int column = 0; column < width; ++column)
            out[row * width + column] = share[row / 3] * share[column / 3] * matrix[3 * (row % 3) + column % 3];
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    int size = 9 * energy->kind->corners * energy->kind->corners;
    for (int i = 0; i < LANES * size; ++i)
        out[i] = 0;
    for (int lane = 0; lane < LANES; ++lane)
    {
        ContactState m;
        int element = block * LANES + lane;
        if (!evaluateAt(energy, element, x, &m))
            continue;
        double matrix[9] = { 0 };
        addNormalHessian(&m, mode, matrix);
        addFrictionHessian(&m, contactKeptVector(energy, element, KEPT_NORMAL), matrix);
        contactSpread(energy, element, matrix, out + size * lane);
    }
}

// |sum b_a d_a|^2 <= sum |b_a| sum |b_a| |d_a|^2 (Jensen): the diagonal w |b_a| sum |b_a| lies above w b b^T. Points
// outside their tet have shares below 0; without, the sum is 1
static double contactBound(const Energy *energy, int element, int corner)
{
    const double *share = contactShares(energy, element);
    double sum = 0;
    if (energy->kind->corners < 4)
        return share[corner];
    for (int c = 0; c < 4; ++c)
        sum += fabs(share[c]);
    return fabs(share[corner]) * sum;
}

void contactDiagonal(const Energy *energy, int block, double *out)
{
    int corners = energy->kind->corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        for (int c = 0; c < corners; ++c)
            out[lane * corners + c] = contactBound(energy, block * LANES + lane, c) * laneParams(energy, block)[lane];
    }
}

// p, the nearest point that neither overlaps nor pulls too hard: gradient = w (x - p). Of a sample each corner has its
// own
static void project(Energy *energy, const double *x, int begin, int end)
{
    gradient(energy, x, begin, end);
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        double weight = energyGetParam(energy, i, CONTACT_WEIGHT);
        for (int c = 0; c < energy->kind->corners; ++c)
        {
            Vec3 position = laneLoad(laneVertices(energy, i / LANES), c, i % LANES, x);
            double *slot = elementSlots(energy, i) + 3 * c;
            vecStore(slot, vecSub(vecScale(weight * contactBound(energy, i, c), position), vecLoad(slot)));
        }
    }
}

// how far outside a substep starts; whole steps know it from the search
static void beginSubstep(Energy *energy, const double *start)
{
    const ContactBody *body = energy->context;
    if ((energy->from == 0 && energy->to == 1) || energy->unarmed)
        return;
    for (int i = contactNextOn(energy, 0); i < energy->elementCount; i = contactNextOn(energy, i + 1))
    {
        ContactState m;
        Vec3 point = contactPoint(energy, i, start);
        if (!contactEvaluateFriction(energy, i, point, 0, &m))
            continue;
        ShapeSample sample = shapeSampleAt(m.shape, m.moment, m.local, INFINITY, body->feature[i]);
        body->feature[i] = sample.feature;
        body->spot[i] = (ContactSpot){ m.local, sample.shortfall == 0 ? sample.distance : -INFINITY, point };
        contactKeep(energy, i, KEPT_START, sample.distance - body->radius);
        body->outside[i] = maxReal(sample.distance - body->radius, 0);
    }
}

// of the collider under the vertex during the step
static Vec3 stepDisplacement(const Energy *energy, int element, const ContactState *m)
{
    const Collider *collider = contactCollider(energy, element);
    ColliderPlace place = contactPlace(m);
    Vec3 belt = vecScale(energy->to - energy->from, contactBelt(collider, &m->pose, m->normal));
    return vecAdd(colliderDisplacement(collider, energy->from, energy->to, &place), belt);
}

// J, the work of moving colliders: their force times their displacement
static double work(const Energy *energy, const double *stage, const double *displacement)
{
    (void)displacement;
    double sum = 0;
    if (energy->unarmed)
        return 0;
    for (int i = contactNextOn(energy, 0); i < energy->elementCount; i = contactNextOn(energy, i + 1))
    {
        ContactState m;
        if (energyGetParam(energy, i, CONTACT_WEIGHT) == 0 ||
            !(contactCollider(energy, i)->moves || contactCollider(energy, i)->drives))
            continue;
        if (evaluateAt(energy, i, stage, &m))
            sum -= vecDot(contactStateGradient(&m), stepDisplacement(energy, i, &m));
    }
    return sum;
}

// m, in its collider's frame, what the surface at a new anchor moves from the start of the step to where forces are
// taken
static Vec3 surfaceWay(const Energy *energy, int element, const ContactState *m)
{
    const Collider *collider = contactCollider(energy, element);
    Vec3 way = collider->travel;
    if (collider->deforms)
    {
        Vec3 *carried = &((const ContactBody *)energy->context)->carried[element];
        *carried = shapeCarry(collider->shape, m->moment, m->local, m->feature);
        way = vecAdd(way, *carried);
    }
    return vecScale(m->moment, way);
}

// where the anchor goes and how hard the next step may pull: the stage decides, where the forces were taken. What
// presses is the spring and the dashpot
static void moveAnchor(Energy *energy, int element, const ContactState *m, double force)
{
    if (contactKept(energy, element, KEPT_FORCE) == 0)
        contactKeepVector(energy, element, KEPT_ANCHOR, vecSub(m->local, surfaceWay(energy, element, m)));
    else if (m->friction.slips)
    {
        Vec3 anchor = contactKeptVector(energy, element, KEPT_ANCHOR);
        Vec3 slip = vecScale(frictionSlip(&m->friction) / m->friction.length, m->friction.offset);
        contactKeepVector(energy, element, KEPT_ANCHOR, vecAdd(anchor, slip));
    }
    contactKeep(energy, element, KEPT_FORCE, force);
    if (force > 0)
        contactKeepVector(energy, element, KEPT_NORMAL, m->localNormal);
}

// J, that the spring of a sticky surface stores where the step ended; it holds nothing from now on
static double tear(Energy *energy, int element, Vec3 end)
{
    ContactState last;
    contactEvaluateAt(energy, element, end, 1, &last);
    contactKeep(energy, element, KEPT_START, maxReal(last.distance, last.range));
    return last.press.value - pressAt(last.weight, last.distance).value;
}

// J that friction took: its work over the step less what the anchors store more than before. After substeps (no
// stage) the anchors stood still, so that the work is what their potential grew by
static double settle(Energy *energy, const double *start, const double *stage, const double *end)
{
    const ContactBody *body = energy->context;
    double sum = 0, h = body->step * (energy->to - energy->from);
    if (body->hard) // the law keeps its own impulses
        return 0;
    for (int i = contactNextHeld(energy, 0); energy->from == 0 && i < energy->elementCount;
         i = contactNextHeld(energy, i + 1))
    {
        if (!contactIsApart(body, contactCollider(energy, i))) // these keep their own
            contactImpulseForget(energy, i);
    }
    for (int i = contactNextOn(energy, 0); i < energy->elementCount; i = contactNextOn(energy, i + 1))
    {
        ContactState first, middle, last;
        if (!evaluateAt(energy, i, stage != NULL ? stage : end, &middle))
            continue;
        Vec3 from = contactPoint(energy, i, start), to = contactPoint(energy, i, end);
        contactEvaluateFriction(energy, i, from, 0, &first);
        Vec3 displacement = vecSub(vecSub(to, from), stepDisplacement(energy, i, &middle));
        double dashpot = body->damping != NULL ? dashpotForce(body->damping, i, vecSub(to, from)) : 0;
        Vec3 force = vecSub(vecScale(dashpot, middle.normal), contactStateGradient(&middle));
        ContactPush push = { .impulse = vecScale(h, force),
                             .point = contactPoint(energy, i, stage != NULL ? stage : end),
                             .from = energy->from,
                             .to = energy->to };
        contactImpulseAdd(energy, i, &push);
        double held = middle.range * middle.weight;
        double pressed = maxReal(middle.press.force + dashpot + held, 0);
        if (held > 0 && pressed == 0)
            sum += tear(energy, i, to);
        contactEvaluateFriction(energy, i, to, 1, &last);
        double work = stage != NULL ? vecDot(contactStateFrictionGradient(&middle), displacement)
                                    : frictionValue(&last.friction) - frictionValue(&first.friction);
        moveAnchor(energy, i, &middle, pressed);
        contactEvaluateFriction(energy, i, to, 1, &last);
        sum += work - (frictionValue(&last.friction) - frictionValue(&first.friction));
    }
    return sum;
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Touch touch;
    if (contactTouch(energy, x, element, &touch))
        snprintf(text, size, "contact %d: vertex %d is %.4g m inside collider %d, force %.4g %.4g %.4g N", element,
                 touch.vertex, touch.overlap, touch.collider, touch.force.x, touch.force.y, touch.force.z);
    else
        snprintf(text, size, "contact %d: vertex %d touches nothing", element, contactVertex(energy, element));
}

bool contactTouch(const Energy *energy, const double *x, int element, Touch *touch)
{
    ContactState m;
    if (contactKept(energy, element, KEPT_COLLIDER) >= 0 && contactCollider(energy, element)->sensor)
        return sensorTouch(energy, x, element, touch);
    if (((const ContactBody *)energy->context)->hard)
        return contactImpulseTouch(energy, x, element, touch);
    if (hardTouch(energy, x, element, touch))
        return true;
    if (!evaluateAt(energy, element, x, &m) || !(m.distance < m.range))
        return false;
    *touch = (Touch){ .vertex = contactVertex(energy, element),
                      .collider = (int)contactKept(energy, element, KEPT_COLLIDER),
                      .point = contactPoint(energy, element, x),
                      .normal = m.normal,
                      .force = vecScale(-1, contactStateGradient(&m)),
                      .impulse = contactImpulse(energy, element),
                      .overlap = maxReal(-m.distance, 0) };
    return true;
}

#define FIELDS                                                                                                         \
    .column = COLUMN_CONTACT, .paramCount = CONTACT_PARAMS, .lineCount = 6, .stateFirst = CONTACT_WEIGHT,              \
    .stateCount = CONTACT_PARAMS, .keptCount = KEPT_COUNT, .project = project, .begin = beginSubstep,                  \
    .sweep = &contactSweep

const EnergyKind contactKind = CONTACT_KIND("contact", TRAIT_PROJECTIVE | TRAIT_SWEEP, 1, FIELDS);
const EnergyKind contactSampleKind =
    CONTACT_KIND("contact-sample", TRAIT_PROJECTIVE | TRAIT_DIAGONAL | TRAIT_SWEEP, 3, FIELDS);
const EnergyKind contactInnerKind =
    CONTACT_KIND("contact-inner", TRAIT_PROJECTIVE | TRAIT_DIAGONAL | TRAIT_SWEEP, 4, FIELDS);
