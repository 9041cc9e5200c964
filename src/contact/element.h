// Inside the contact room: what an element keeps, and one element at one point.
#ifndef CONTACT_ELEMENT_H
#define CONTACT_ELEMENT_H

#include "contact/contact.h"

#include <math.h>

enum // params
{
    CONTACT_WEIGHT,   // N/m; 0: off
    CONTACT_FRICTION, // Coulomb's coefficient
    CONTACT_PARAMS,
};

enum // kept from step to step
{
    KEPT_COLLIDER,                 // slot of the collider, -1: none
    KEPT_ANCHOR,                   // 3: in the collider's frame
    KEPT_NORMAL = KEPT_ANCHOR + 3, // 3: in the collider's frame, at the last stage that touched
    KEPT_FORCE = KEPT_NORMAL + 3,  // N, normal force at the last stage; 0: it did not touch, there is no anchor
    KEPT_REST,                     // steps since the element was last near
    KEPT_START,                    // m, how far outside the vertex was when the step began
    KEPT_FACING,                   // m^2 of its point that face the collider; of points of sharp surfaces (facing.c)
    KEPT_COUNT,
};

_Static_assert(KEPT_COLLIDER == 0 && KEPT_COUNT == CONTACT_KEPT + 1, "all but the slot");

static inline double contactKept(const Energy *energy, int element, int index)
{
    return laneKept(energy, element / LANES)[index * LANES + element % LANES];
}

static inline Vec3 contactKeptVector(const Energy *energy, int element, int index)
{
    const double *p = laneKept(energy, element / LANES) + index * LANES + element % LANES;
    return vec3(p[0], p[LANES], p[2 * LANES]);
}

static inline void contactKeep(Energy *energy, int element, int index, double value)
{
    laneKept(energy, element / LANES)[index * LANES + element % LANES] = value;
}

static inline void contactKeepVector(Energy *energy, int element, int index, Vec3 value)
{
    contactKeep(energy, element, index, value.x);
    contactKeep(energy, element, index + 1, value.y);
    contactKeep(energy, element, index + 2, value.z);
}

static inline const Collider *contactCollider(const Energy *energy, int element)
{
    const ContactBody *body = energy->context;
    return &body->colliders->item[(int)contactKept(energy, element, KEPT_COLLIDER)];
}

// shares of an element's corners; those of a vertex alone are (1)
static inline const double *contactShares(const Energy *energy, int element)
{
    static const double alone[1] = { 1 };
    const ContactBody *body = energy->context;
    if (energy->kind->corners == 1)
        return alone;
    return body->share + energy->kind->corners * (ptrdiff_t)(body->rests != NULL ? element : element / CONTACT_SLOTS);
}

// where an element's point is, `x` being positions; or its velocity, or its displacement
static inline Vec3 contactPoint(const Energy *energy, int element, const double *x)
{
    const int *vertices = laneVertices(energy, element / LANES);
    int lane = element % LANES;
    if (energy->kind->corners == 1)
        return laneLoad(vertices, 0, lane, x);
    const double *share = contactShares(energy, element);
    Vec3 sum = vecScale(share[0], laneLoad(vertices, 0, lane, x));
    for (int c = 1; c < energy->kind->corners; ++c)
        sum = vecAdd(sum, vecScale(share[c], laneLoad(vertices, c, lane, x)));
    return sum;
}

static inline int contactVertex(const Energy *energy, int element) // the corner with the largest share
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    const double *share = contactShares(energy, element);
    int best = 0;
    for (int c = 1; c < energy->kind->corners; ++c)
        best = share[c] > share[best] ? c : best;
    return vertices[best * LANES];
}

static inline void contactStore(const Energy *energy, int element, Vec3 gradient) // by the point, to its corners
{
    const double *share = contactShares(energy, element);
    for (int c = 0; c < energy->kind->corners; ++c)
        vecStore(elementSlots(energy, element) + 3 * c, vecScale(share[c], gradient));
}

// is nothing of a block on, as of all blocks under the hard law?
static inline bool contactIsOff(const Energy *energy, int block)
{
    const double *weight = laneParams(energy, block); // CONTACT_WEIGHT, or DASHPOT_WEIGHT
    int on = 0;
    for (int lane = 0; lane < LANES; ++lane)
        on |= weight[lane] != 0;
    return !on;
}

// Then its gradient is stored, which is 0.
static inline bool contactRests(const Energy *energy, int block)
{
    if (!contactIsOff(energy, block))
        return false;
    double *slot = elementSlots(energy, block * LANES);
    for (int i = 0; i < LANES * energy->kind->corners * 3; ++i)
        slot[i] = 0;
    return true;
}

// the first element at or after one whose block is not off, or the end
static inline int contactNextOn(const Energy *energy, int element)
{
    while (element < energy->elementCount && element % LANES == 0 && contactIsOff(energy, element / LANES))
        element += LANES;
    return minInt(element, energy->elementCount);
}

static inline double contactArea(const ContactBody *body, int point) // m^2
{
    return body->sampleArea ? body->sampleArea[point] : body->area[point];
}

// the share of its corners' area that a point stands for: 1 without samples
static inline double sampleShare(const ContactBody *body, int point)
{
    return body->sampleArea ? body->sampleArea[point] / body->whole[point] : 1;
}

static inline double contactMass(const Energy *energy, int element, const double *mass) // kg that go with a point alone
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    const double *share = contactShares(energy, element);
    double sum = 0;
    for (int c = 0; c < energy->kind->corners; ++c)
        sum += fabs(share[c]) * mass[vertices[c * LANES]];
    return sum * sampleShare(energy->context, element / CONTACT_SLOTS);
}

// by the point -> by the corners: share_a share_b times the 3x3 matrix
void contactSpread(const Energy *energy, int element, const double *matrix, double *out);
void contactDiagonal(const Energy *energy, int block, double *out); // share_a times the weight of each element

// Where the vertices of a body are.
typedef struct FaceView
{
    const double *x; // m
    int stride;      // numbers from one to the next
    Vec3 origin;     // m, that they count from
    double moment;   // of the step
} FaceView;

// faces.c, of bodies whose points travel: where they are now; and the direction in which one is met
void contactFollow(const Energy *contact, const FaceView *view);
Vec3 contactFaceNormal(const Energy *contact, int element, const FaceView *view, Vec3 normal);

static inline bool contactTravels(const Energy *contact)
{
    return ((const ContactBody *)contact->context)->rests != NULL;
}

static inline bool contactHasRest(const Energy *contact, int element)
{
    const ContactBody *body = contact->context;
    return body->rests != NULL && body->rests[element];
}

// facing.c. How much of a point's area faces a collider; whether that depends on directions, and what it is for a
// normal out of the collider (unit, world), `x` being the vertices, x 3.
double contactFacing(const Energy *contact, int element); // m^2, as of the last search
bool contactFaces(const ContactBody *body, int point);
double contactFacingNow(const ContactBody *body, int point, const double *x, Vec3 normal);

bool contactMayTouch(const ContactBody *body, const Collider *collider); // by their masks
void contactPutBy(const Energy *contact); // what is kept, the first time after contactMark

static inline Candidate *contactCandidates(const ContactBody *body) // of its search
{
    return body->colliders->candidate + (ptrdiff_t)body->room * body->colliders->slotCount;
}

// into them, in the order of the colliders; returns how many
int contactCull(const ContactBody *body, const double *x, const double *v, Vec3 gravity, double h, double reach);
bool boxesOverlap(const vvBox *a, const vvBox *b);
vvBox sweptBox(Vec3 from, Vec3 to, double reach);
void contactArm(Energy *contact, int element);   // weight and friction, as its collider says; where it was is forgotten
void contactWeigh(Energy *contact, int element); // weight and friction alone

// A kind on a vertex (one corner) or on a sample (three) by the functions of the file that uses it; the rest are its
// own fields.
#define CONTACT_KIND(kindName, kindTraits, kindCorners, ...)                                                           \
    {                                                                                                                  \
        .name = (kindName), .traits = (kindTraits), .corners = (kindCorners), .prepare = prepare, .values = values,    \
        .gradient = gradient, .lineStart = lineStart, .lineValues = lineValues, .hessian = hessian,                    \
        .majorizer = contactDiagonal, .work = work, .settle = settle, .describe = describe, __VA_ARGS__                \
    }

// The normal force of a contact of weight w (N/m) at d m outside.
typedef struct Press
{
    double force; // N, at least 0
    double slope; // N/m, by which it falls as d grows
    double value; // J, its potential
} Press;

Press pressAt(double weight, double d);                   // at one moment
Press pressOver(double weight, double d0, double middle); // over a step of the midpoint rule from d0

// surface.c. The displacement of a belt in the step at a point, m; N by which an element may pull; m, how far away it
// still does under the hard law; m, where the potential tears, and its normal force
Vec3 contactBelt(const Collider *collider, const Pose *pose, Vec3 normal);
double contactHold(const Energy *energy, int element);
double contactStickRange(const Energy *energy, int element);
double contactTearRange(const Energy *energy, int element); // m; 0: it is not held
Press pressSticky(double weight, double d, double range);
// does a one-way surface hold a point that is `distance` m outside and that it held before?
bool contactIsHeld(const Collider *collider, bool held, double distance, Vec3 localNormal);
bool sensorTouch(const Energy *contact, const double *x, int element, Touch *touch); // is it inside?
void contactImpulseClear(const Energy *contact);                                     // of all elements
// What an element gives its body in a substep.
typedef struct ContactPush
{
    Vec3 impulse;    // N s
    Vec3 point;      // m, where it acts
    double from, to; // moments of the step
} ContactPush;

void contactImpulseForget(const Energy *contact, int element);
void contactImpulseAdd(const Energy *contact, int element, const ContactPush *push);

static inline Vec3 contactImpulse(const Energy *contact, int element)
{
    return ((const ContactBody *)contact->context)->impulse[element].impulse;
}

// What an element that small steps pressed on in the last substep feels, by its multipliers; false: none of that
bool hardTouch(const Energy *contact, const double *x, int element, Touch *touch);
void hardForget(Energy *contact); // at the start of a step: of any method

// What an element under the hard law was pressed with in the last substep; false: it was not
bool contactImpulseTouch(const Energy *contact, const double *x, int element, Touch *touch);

// A point and its collider at one moment.
typedef struct ContactState
{
    const vvShape *shape;
    Pose pose;
    double moment;            // of the step, 0 to 1
    int feature;              // of the sample; -1: none was taken
    double weight;            // N/m
    Vec3 local;               // the point in the collider's frame
    Vec3 localNormal, normal; // of the surface next to it
    double distance;          // m, negative inside
    double range;             // m, up to where a sticky surface pulls; 0: it does not
    double steepness;         // length of its gradient: 1 where distances are exact
    Press press;              //
    Friction friction;        // in the collider's frame
} ContactState;

static inline ColliderPlace contactPlace(const ContactState *state)
{
    return (ColliderPlace){ state->local, state->moment, state->feature };
}

// m, at least as far as a place in the collider's frame is from its surface at any moment of the step
static inline double contactLeast(const Energy *energy, int element, Vec3 local)
{
    const ContactBody *body = energy->context;
    const ContactSpot *spot = &body->spot[element];
    double farthest = shapeFarthest(contactCollider(energy, element)->shape);
    return spot->distance - vecLength(vecSub(local, spot->point)) - farthest;
}

// whether a point in the frame of the world is farther than that from the surface of a collider that stays where it is
static inline bool contactIsBeyond(const Energy *energy, int element, Vec3 point, double limit)
{
    const ContactSpot *spot = &((const ContactBody *)energy->context)->spot[element];
    double room = spot->distance * (1 - 1e-9) - limit;
    Vec3 moved = vecSub(point, spot->at);
    return room > 0 && vecDot(moved, moved) < room * room && !contactCollider(energy, element)->moves;
}

// friction alone, then with the normal force; false: off
bool contactEvaluateFriction(const Energy *energy, int element, Vec3 x, double fraction, ContactState *state);
bool contactEvaluate(const Energy *energy, int element, Vec3 x,
                     ContactState *state); // as the energy's fraction and mean say
bool contactEvaluateAt(const Energy *energy, int element, Vec3 x, double fraction,
                       ContactState *state); // at that moment
// `pressed`: distance and normal from any distance; else of points outside a bound of the distance, and no normal
bool contactEvaluatePressed(const Energy *energy, int element, Vec3 x, bool pressed, ContactState *state);
double contactStateValue(const ContactState *state); // J
Vec3 contactStateGradient(const ContactState *state);
Vec3 contactStateFrictionGradient(const ContactState *state);

enum // params of the dashpot
{
    DASHPOT_WEIGHT,                     // N s/m; 0: off
    DASHPOT_NORMAL,                     // 3: in space
    DASHPOT_SPEED = DASHPOT_NORMAL + 3, // m/s of the collider along the normal
    DASHPOT_STEP,                       // s
    DASHPOT_PARAMS,
};

// Where a dashpot points in this step; its element's weight if it acts, else 0. Then how strong all of them are.
double dashpotAim(const Energy *contact, Energy *damping, int element, const Vec3 *now, const Vec3 *later, double h);
void dashpotsSet(const Energy *contact, Energy *damping, const double *mass);
// N along the normal, outward, in a step or substep with this displacement of its point
double dashpotForce(const Energy *damping, int element, Vec3 displacement);

#endif
