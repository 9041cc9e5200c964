// How far a few iterations of local/global are from the material, from the lowest modes at rest.
//
// Along a mode u of frequency w an iteration with A leaves rho = 1 - (1 + s w^2) / (u^T A u) of the distance to the
// minimum, and N of them leave e = rho^N. A step under a steady load f starts where the load alone would take it. Where
// it ends on its start, the body rests, at
//
//   q = (f / w^2) (1 + e s w^2) / (1 - e)
//
// instead of f / w^2: the factor is how many times too soft it is. Where steps are taken again from x_n instead
// (local_global.c), it comes to rest where it should, but takes 1 - e of every motion: it creeps.
#include "solve/solve.h"

#define ENOUGH 1.05  // times too soft, that nobody minds
#define MOST 1000000 // iterations asked for

static double power(double base, int exponent)
{
    double result = 1;
    for (; exponent > 0; exponent /= 2, base *= base)
        result *= exponent % 2 ? base : 1;
    return result;
}

// 1: what is left of a mode with this share of the matrix. Accelerated: as of conjugate gradients
static double leftOver(double share, int iterations, bool accelerated)
{
    if (!accelerated)
        return power(1 - share, iterations);
    double root = sqrt(share), rate = power((1 - root) / (1 + root), iterations);
    return 2 * rate / (1 + rate * rate);
}

static double softness(double left, double stiff)
{
    return left < 1 ? (1 + left * stiff) / (1 - left) : INFINITY;
}

Softness memberSoftness(const Member *member, const Stage *stage, int iterations, bool accelerated)
{
    const ModalShape *shape = member->modal != NULL ? member->modal->shape : NULL;
    double s = stage->sigma * stage->theta * stage->theta;
    Softness worst = { 1, iterations };
    for (int k = 0; shape != NULL && shape->bound != NULL && k < shape->count; ++k)
    {
        double stiff = s * shape->square[k], share = (1 + stiff) / (1 + s * shape->bound[k * shape->count + k]);
        double now = softness(leftOver(minReal(share, 1), iterations, accelerated), stiff);
        if (!isfinite(stiff) || !(now > worst.factor))
            continue;
        worst.factor = now;
        for (worst.iterations = iterations; worst.iterations < MOST; worst.iterations *= 2)
        {
            if (softness(leftOver(share, worst.iterations, accelerated), stiff) <= ENOUGH)
                break;
        }
    }
    return worst;
}
