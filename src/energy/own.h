// The caller's own constraints: w/2 |A x - p|^2 with p from a callback, the nearest point of a set to z = A x; or with
// p found from a function C and its gradient.
#ifndef ENERGY_OWN_H
#define ENERGY_OWN_H

#include "energy/energy.h"

// What a batch needs to know; its `context`.
typedef struct OwnConstraint
{
    int corners, rows; // what the callbacks see; the kind may have more corners, which repeat
    double *matrix;    // elementCount x rows x corners; NULL: the identity
    bool unilateral;   // C below 0 alone is corrected
    void (*project)(void *userData, int element, const double *z, double *p);
    void (*projectLanes)(void *userData, const int *elements, const double *z, double *p); // LANES at once
    double (*value)(void *userData, int element, const double *x, double *gradient);
    void *userData;
    Memory *memory; // knows when callbacks run
} OwnConstraint;

const EnergyKind *ownKind(int corners); // the smallest that has room
bool energyIsOwn(const Energy *energy);

#endif
