// The hard law of contact in one substep: unilateral contact with Coulomb friction, solved in the metric W of the
// step's own inverse mass, so that contact cannot raise the energy that the step keeps.
//
//   v' = v_f + W J^T l,   u'_n >= target,   l_n >= 0,   |l_t| <= mu l_n against u'_t
//
// J gathers the velocities u of all contacts. Gaps are measured at z, where forces are taken, and z moves by h v' to
// the next substep: the target -gap/h lets a point arrive at a surface exactly there (speculative contact). Overlap
// leaves at a capped speed. For gaps that are not negative the admissible velocities contain 0, and the projection onto
// them never raises 1/2 v^T W^-1 v.
#ifndef SOLVE_HARD_H
#define SOLVE_HARD_H

#include "contact/list.h"
#include "contact/movable.h"
#include "solve/rows.h"
#include "solve/solve.h"

typedef struct HardLaw
{
    double h;            // s, of the substep
    ContactList *list;   // contacts at z, with warm starts; the impulses afterwards
    double *change;      // count x 3, m/s: by all impulses together
    InverseMass inverse; // W; overwrites its right side
    // The same at the vertices of system->touched alone, where right is zero elsewhere and nothing else is read of the
    // result; and what prepares it, false: it is not known. NULL: it never is
    bool (*touch)(System *system, const Stage *stage);
    InverseMass inverseTouched;
    const Stage *stage; // handed to them
    int iterations;     // at most,
    int most;           // but so many while a point sinks in
    double deep;        // m, that is or gets deeper than this
    double least;       // of the majorizers: to which they may shrink; 1: they do not
    // rigid motion of a member, where W is near what cached rows make of it; NULL: it is not
    RowsFrame (*frame)(const Member *member);
} HardLaw;

// What a solve did.
typedef struct HardReport
{
    double gain; // J: by which it raised 1/2 v^T W^-1 v beyond what restitution and recovery of overlap may: rounding
    double allowed; // J, of these
    int iterations; // applications of W
} HardReport;

// Given the velocity without contact, leaves that with contact. Takes gradient and direction of the state. Drops
// contacts that cannot act in the substep.
HardReport hardSolve(System *system, const HardLaw *law, double *velocity);
// The same once more, after something else changed the velocity that the first left: impulses go on from what they are.
HardReport hardResume(System *system, const HardLaw *law, double *velocity);
// After a solve: contacts from a number on take part from now on, as hardResume goes on.
void hardAdmit(System *system, const HardLaw *law, int from, const double *velocity);
// Adds to the ledger of the members: what contact took, the work of colliders and pins.
void hardBook(System *system, const HardLaw *law, const double *velocity);

double hardPinWork(const State *s, const Contact *contact, const double *velocity); // J, of a contact on pins

// hard_touched.c: while iterations need velocities at touched vertices alone, W of these alone serves, where it is
// known and takes less: between both, hardPush adds to `change` there alone. The end finds all of it, and their u.
void hardTouchBegin(System *system, const HardLaw *law);
void hardTouchSolve(System *system); // direction = B^-1 gradient there
void hardTouchPush(System *system, const HardLaw *law);
void hardTouchEnd(System *system, const HardLaw *law);
// hard_majorizer.c: d of every contact, such that diag(d) is not below J W J^T, nearly. Takes gradient and direction.
void hardMajorize(System *system, const HardLaw *law);
// hard_gradient.c: accelerated projected gradient, one application of W a step. Returns how many.
int hardGradient(System *system, const HardLaw *law);
// m/s: by which the substep changed a contact before contact, at most
double hardChanged(const ContactList *list);
// All impulses times one number, where the least of what the iteration descends is at more than these; costs no W.
// False: it is not, and nothing changed
bool hardStretch(System *system, const HardLaw *law);
// hard_rows.c: false: contacts are too many, or rows are not known. Drops contacts of pins alone.
bool hardRowsGather(System *system, const HardLaw *law);
// Gauss-Seidel on the cached rows, from what W made of the impulses so far, until both agree on the rest. Returns how
// often W was applied; 0: they do not come to agree, and the gradient goes on.
int hardRows(System *system, const HardLaw *law);
// impulses += steps, change += W J^T steps, u of all contacts. Takes gradient and direction
void hardApply(System *system, const HardLaw *law);
// the first half of it: change += W J^T steps, which are in direction
void hardPush(System *system, const HardLaw *law);

// The second half, of one contact: its impulse, and its u by what steps of all do to vertices (x 3, m/s).
static inline void hardTake(Contact *contact, const double *direction)
{
    contact->stepRate = contactPointRate(contact, direction);
    if (contact->movable != NULL)
    {
        Vec3 answer = movableAnswer(contact->movable, contact->arm);
        contact->stepRate = vecSub(contact->stepRate, answer);
        contact->response = vecAdd(contact->response, answer);
    }
    contact->after = vecAdd(contact->after, contact->stepRate);
    contact->impulse = vecAdd(contact->impulse, contact->step);
}

// The nearest impulse that presses and lies in the cone.
static inline Vec3 hardCone(const Contact *contact, Vec3 impulse)
{
    double along = vecDot(impulse, contact->normal), pressed = maxReal(along, -contact->hold);
    double most = contact->friction * (pressed + contact->hold);
    Vec3 across = vecSub(impulse, vecScale(along, contact->normal));
    double length = vecLength(across);
    across = vecScale(length > most ? most / length : 1, across);
    return vecAdd(vecScale(pressed, contact->normal), across);
}

#endif
