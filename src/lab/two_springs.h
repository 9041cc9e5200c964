// The two springs of Dinev et al. 2018, appendix C: rest length sqrt 2, from fixed ends to a particle of 1 kg that
// slides on a line at distance 1 from them, E = k (sqrt(x^2 + 1) - sqrt 2)^2 (Eq 47). Not convex: backward Euler may
// raise H.
#ifndef LAB_TWO_SPRINGS_H
#define LAB_TWO_SPRINGS_H

#include "lab/ode.h"

void twoSpringsSet(double stiffness);          // N/m, of all that follows: the rates of an OdeProblem know nothing else
double twoSpringsEnergy(double x);             // J
double twoSpringsSlope(double x);              // N, dE/dx
double twoSpringsHamiltonian(const double *y); // J, of (x, v)
double twoSpringsBeta(void); // m: where the line E(0) + (x + 1) E'(s), s the steepest point of [-1, 1], meets E (Eq 53)
OdeProblem twoSpringsFrom(double x, double v);

#endif
