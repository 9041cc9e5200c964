// The contacts of an island in one substep, for the hard law (solve/hard.h). A contact is a point of a body against a
// collider, or two points of bodies against each other, each a weighted sum of vertices; every kind of contact takes
// the same form:
//
//   u = sum of weight x velocity - drift - response,   impulses on the vertices: weight x impulse
//
// Vertex against collider: weights (1); sample: (b1, b2, b3); vertex against triangle: (1, -b1, -b2, -b3); edge against
// edge: (1 - s, s, -(1 - t), -t). Searches append contacts, the law fills in the impulses, and each source keeps the
// impulses of its contacts for the next substep.
#ifndef CONTACT_LIST_H
#define CONTACT_LIST_H

#include "base/base.h"
#include "base/vec.h"
#include "base/workers.h"

#define LIST_CORNERS 4

// Eight cache lines; what a pass of the law reads lies side by side, in the order of how often it is read.
typedef struct Contact
{
    int count;                // vertices
    int vertex[LIST_CORNERS]; // of the island
    bool near;                // the element is a pair of the island's list instead (proximity.h)
    bool untold;              // after the law, of a near one: no pair contact tells of it
    bool ridge;               // the element is one of the island's pairs of sharp edges instead (ridge.h)
    unsigned char stands;     // above 0: the element is one of the island's StandContacts instead (solve/solve.h); 2:
                              // with so many vertices more, `further`
    double weight[LIST_CORNERS]; // 1
    double target;               // of the law, m/s: least velocity along the normal

    Vec3 step;        // of the law, N s: the last change of the impulse
    Vec3 normal;      // unit; out of the collider, or from the second body to the first
    double majorizer; // of the law, 1/kg: d, not below the contact's rows of J W J^T, nearly
    double friction;  // Coulomb's coefficient

    Vec3 impulse; // N s, on the first point, normal and friction; before the law: the warm start
    Vec3 after;   // of the law, m/s: u with the impulses so far
    double gap;   // m, at the positions where forces are taken; negative: overlap
    double hold;  // N s, by which it may pull: a sticky surface

    Vec3 stepRate;           // of the law, m/s: the last change of u by those of all contacts
    Vec3 drift;              // m/s, of the collider under the point; 0 between bodies
    struct Movable *movable; // whose point that is, and which answers (movable.h); NULL: of scenery, or of bodies
    int term, element;       // the energy of the island that it comes from, and its element there

    union // of the law, by the gradient or by rows (solve/hard_rows.c)
    {
        struct
        {
            Vec3 ahead, aheadRate; // N s, m/s: the extrapolated impulse, and u with it
        };
        struct
        {
            Vec3 own;       // 1/kg: J W J^T n of this contact alone
            double ease[2]; // 1/kg: along the normal, across it at most
        };
    };
    int pair[2];        // between bodies: the members of the island; of near ones, after the law of all
    double restitution; // [0, 1]

    Vec3 before, free;                               // m/s: u where the substep began, and without contact at its end
    short member[LIST_CORNERS], place[LIST_CORNERS]; // of each vertex, for rows; a place of -1: it is pinned

    Vec3 begin;    // m/s, as drift, where the substep begins
    Vec3 response; // m/s, by which the movable gave way so far
    union
    {
        struct
        {
            Vec3 point, arm; // m, with a movable: where the impulse acts, and that from its centre of mass
        };
        struct
        {
            int further[LIST_CORNERS]; // vertices of a second body, and their weights, below 0 in sum
            double furtherWeight[LIST_CORNERS];
        };
    };
} Contact;

typedef struct ContactList
{
    int count, capacity;
    int near;       // that may be within the step
    bool touched;   // something pressed in a substep of it
    double gain;    // J: HardReport.gain of the substeps so far, at most
    bool back;      // something was held back from passing through a collider
    double clipped; // J, that planes took in the substeps so far
    double lost;    // J, that impulses of contacts took in them
    bool carried;   // pins took vertices along in them
    double h;       // s, of the substep, where sweeps solve them
    Contact *item;  // capacity
} ContactList;

// Where a source looks for contacts in a substep.
typedef struct ContactView
{
    const double *z;              // x 3, m: positions of the vertices of the island where forces are taken
    const double *start;          // x 3, m: and where the substep starts; of pairs of the island's list
    const double *velocity;       // x 3, m/s: at the end of the substep without contact
    double h;                     // s, of the substep
    double reach;                 // m: contacts farther away than this and what they move do not count
    double from, to;              // 1: fractions of the world's step: the substep
    int term, first;              // the source, and the vertex of the island that its own count from
    Workers *workers;             // that look
    const unsigned char *overlap; // of vertices whose bodies overlap others: pair contacts are for these; NULL: for all
} ContactView;

bool contactListReserve(ContactList *list, Memory *memory, int capacity); // before a step; false: out of memory
void contactListRelease(ContactList *list, Memory *memory);

// The next contact of the list, all zero; NULL: it is full.
static inline Contact *contactListAdd(ContactList *list)
{
    if (list->count == list->capacity)
        return NULL;
    list->item[list->count] = (Contact){ 0 };
    return &list->item[list->count++];
}

static inline int contactFurther(const Contact *contact) // how many vertices it has in `further`
{
    return contact->stands > 1 ? LIST_CORNERS : 0;
}

// Velocity of a contact's point, or of its points against each other, given velocities of vertices (x 3): of those
// alone, and with what it is against.
static inline Vec3 contactPointRate(const Contact *contact, const double *velocity)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < contact->count; ++c)
        sum = vecAdd(sum, vecScale(contact->weight[c], vecLoad(velocity + 3 * (ptrdiff_t)contact->vertex[c])));
    for (int c = 0; c < contactFurther(contact); ++c)
        sum = vecAdd(sum, vecScale(contact->furtherWeight[c], vecLoad(velocity + 3 * (ptrdiff_t)contact->further[c])));
    return sum;
}

static inline Vec3 contactRate(const Contact *contact, const double *velocity)
{
    return vecSub(contactPointRate(contact, velocity), vecAdd(contact->drift, contact->response));
}

// Adds an impulse at its vertices to a field (x 3).
static inline void contactSpreadImpulse(const Contact *contact, Vec3 impulse, double *field)
{
    for (int c = 0; c < contact->count; ++c)
    {
        double *f = field + 3 * (ptrdiff_t)contact->vertex[c];
        vecStore(f, vecAdd(vecLoad(f), vecScale(contact->weight[c], impulse)));
    }
    for (int c = 0; c < contactFurther(contact); ++c)
    {
        double *f = field + 3 * (ptrdiff_t)contact->further[c];
        vecStore(f, vecAdd(vecLoad(f), vecScale(contact->furtherWeight[c], impulse)));
    }
}

#endif
