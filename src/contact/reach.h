// Limits of where a vertex may be: within a ball about a point that is given (tethers, the farthest from a skin), or
// outside of a ball or half-space behind it (backstops). Points move in straight lines through a step, and what they
// move by is booked as work.
//
// A limit is an inequality gap(x) >= 0 like a contact, and has the two laws of contact: small-midpoint solves it in the
// list of its substep (contact/list.h), small steps sweep it without compliance, and the other methods see the
// potential w/2 min(gap, 0)^2. Only those that may be reached within the step are on.
#ifndef CONTACT_REACH_H
#define CONTACT_REACH_H

#include "contact/contact.h"
#include "contact/list.h"
#include "energy/energy.h"

typedef enum ReachForm
{
    REACH_WITHIN,  // the ball of `radius` about the point
    REACH_BEHIND,  // not into the ball of `radius` that touches the point from behind, against the normal
    REACH_AGAINST, // not behind the plane through the point
} ReachForm;

// One corner, the vertex.
extern const EnergyKind reachKind;

// Elements as given: forms, m, N/m. Points and normals are 0 until they are set.
Energy *reachCreate(Memory *memory, int vertexCount, int count, const int *vertices, const ReachForm *form,
                    const double *radius, const double *stiffness);

// Where the point of an element stands at the start of the step and at its end.
void reachMove(Energy *reach, int element, Vec3 start, Vec3 end);
void reachPlace(const Energy *reach, int element, Vec3 *start, Vec3 *end); // tells
// Point and normal, of length 1, at the end of the step.
void reachSend(Energy *reach, int element, Vec3 point, Vec3 normal);
void reachArrive(Energy *reach); // starts become the ends

// Where a step begins.
typedef struct ReachView
{
    const double *position, *velocity; // x 3, m, m/s, of the body's vertices
    const unsigned char *pinned;       //
    const unsigned char *idle;         // elementCount: elements that do nothing; NULL: none
    Vec3 gravity;                      // m/s^2
    double h;                          // s
    bool hard;                         // limits are in the list
} ReachView;

int reachSearch(Energy *reach, const ReachView *view); // which may be reached within the step; returns how many

int reachCountOn(const Energy *reach);
void reachCollect(const Energy *reach, const ContactView *view, ContactList *list);
bool reachHold(const Energy *reach, const OutsideState *state); // what the law left beyond; false: nothing
void reachForgetImpulses(Energy *reach);
void reachKeepImpulse(Energy *reach, const Contact *from, double h);

static inline bool reachIsKind(const EnergyKind *kind)
{
    return kind == &reachKind;
}

#endif
