// The inverse mass of bodies that springs join, in three parts: joined_groups.c has the groups of such bodies and
// their exact motions, joined_motions.c the small matrices over these, joined_mass.c what is done with them.
#ifndef INTEGRATE_JOINED_H
#define INTEGRATE_JOINED_H

#include "integrate/integrate.h"

#define RIGID_MOTIONS 6

// Where forces are taken: frames of the members, and which of their motions are exact.
void joinedPlace(System *system, int group, const double *position);
bool joinedHolds(const Energy *energy); // it holds a body in space: an attachment, a contact
// The two small matrices of a group, factored; both have first->size rows. Where they have no factor, its size becomes
// 0.
void joinedMatrices(System *system, const Stage *stage, int group, const double *position);
void joinedSolve(const System *system, int group, const double *matrix, double *x); // in place
// out += scale Kj field; 0 at pins
void joinedStiffness(const System *system, int group, const double *position, double scale, const double *field,
                     double *out);

#endif
