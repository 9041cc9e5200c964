// Sharp edges of solids against each other, for the hard law: two bars that lie across each other touch where neither
// has a vertex. Such pairs are contacts like any others, without planes between them: whoever comes through is pushed
// back by its vertices too.
#ifndef CONTACT_RIDGE_H
#define CONTACT_RIDGE_H

#include "contact/proximity.h"

// Two sharp edges of different bodies that may meet in the step.
typedef struct RidgePair
{
    int vertex[4];   // of the island: the first edge, the second
    int beside[4];   // the third corners of the facets beside the first, and beside the second
    int member[2];   // of the island
    double radius;   // m, closer than this is overlap
    double depth;    // m: what overlaps more is no contact of edges
    double friction; // Coulomb's coefficient
    Vec3 force;      // N, of the substep before
    int edge[2];     // of the features of both
    int triangle;    // beside the second edge, of the surface of its body
    int told;        // where edge contacts tell of it, if one does (soft.h)
} RidgePair;

// Of two solids, after a search (soft.h): as many as there is room for, with the forces where the last step ended.
// Returns how many there are.
int ridgesFind(const ProximityBody *a, const ProximityBody *b, RidgePair *pair, int room);
// Appends those within reach; the element of a contact is its number.
void ridgesCollect(const RidgePair *pair, int count, const ContactView *view, ContactList *list);
// After a substep; `body`: of all members of the island. A step ends with what bodies hold then.
void ridgesForgetImpulses(RidgePair *pair, int count, const ProximityBody *body);
void ridgeKeepImpulse(RidgePair *pair, const ProximityBody *body, Memory *memory, const Contact *from, double h);
void ridgeTellImpulse(const RidgePair *pair, const ProximityBody *body, Vec3 impulse); // N s, beside the law's

#endif
