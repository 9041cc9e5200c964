// Coulomb friction, all of it: the law, its cone, the rule that mixes two coefficients, and the default.
//
// As a potential, for methods that minimise: a spring of stiffness w holds the point to an anchor in the tangent plane
// and slips where it would pull harder than mu N. That is Huber's potential of the offset u: w/2 u^2 for u < mu N / w,
// and mu N (u - mu N / (2 w)) beyond. As an impulse, for small steps: the multiplier is clamped to the cone |p| <= mu N
// (Macklin 2019, Eq 11 and 12).
#ifndef CONTACT_FRICTION_H
#define CONTACT_FRICTION_H

#include "base/vec.h"

#include <stdbool.h>

#define FRICTION_DEFAULT 0.5     // Coulomb's coefficient where nobody states one
#define FRICTION_UNSTATED (-1.0) // a body takes the coefficient of what it touches

// The spring at one offset.
typedef struct Friction
{
    double weight; // N/m
    double limit;  // N, mu N; 0: there is no anchor
    Vec3 offset;   // m, tangential, from the anchor to the point; 0 without an anchor
    double length; // m, of the offset
    bool slips;    // the spring would pull harder than the limit
} Friction;

double frictionMix(double a, double b); // the coefficient of two surfaces; below 0: unstated

Friction frictionAt(double weight, double limit, Vec3 offset);
double frictionValue(const Friction *f);     // J
double frictionStiffness(const Friction *f); // N/m: force over offset
Vec3 frictionGradient(const Friction *f);    // N, by the offset
double frictionSlip(const Friction *f);      // m: how far a slipping anchor follows along the offset
double frictionKept(const Friction *f);      // in (0, 1]: the share of the offset that is left after slipping

// Adds the second derivative by the point. `normal` is unit, `direction` the offset's unit vector; both in the frame of
// `out`.
void frictionAddHessian(const Friction *f, Vec3 normal, Vec3 direction, double out[9]);

Vec3 frictionClamp(Vec3 impulse, double limit); // the nearest impulse in the cone

static inline Vec3 tangential(Vec3 a, Vec3 normal)
{
    return vecSub(a, vecScale(vecDot(a, normal), normal));
}

#endif
