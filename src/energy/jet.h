// Numbers that carry their first and second derivatives in a few variables (nine: three edges of an element): exact
// Hessians of formulas that nobody wants to differentiate twice by hand.
#ifndef ENERGY_JET_H
#define ENERGY_JET_H

#include <math.h>

#ifndef JET_SIZE
#define JET_SIZE 9 // variables; a source may set fewer before it includes this
#endif

typedef struct Jet
{
    double v, g[JET_SIZE], h[JET_SIZE][JET_SIZE];
} Jet;

static inline Jet jetVariable(double value, int index)
{
    Jet a = { .v = value };
    a.g[index] = 1;
    return a;
}

static inline Jet jetSum(double s, Jet a, double t, Jet b) // s a + t b
{
    Jet c;
    c.v = s * a.v + t * b.v;
    for (int i = 0; i < JET_SIZE; ++i)
    {
        c.g[i] = s * a.g[i] + t * b.g[i];
        for (int j = 0; j < JET_SIZE; ++j)
            c.h[i][j] = s * a.h[i][j] + t * b.h[i][j];
    }
    return c;
}

static inline Jet jetProduct(Jet a, Jet b)
{
    Jet c;
    c.v = a.v * b.v;
    for (int i = 0; i < JET_SIZE; ++i)
    {
        c.g[i] = a.v * b.g[i] + a.g[i] * b.v;
        for (int j = 0; j < JET_SIZE; ++j)
            c.h[i][j] = a.v * b.h[i][j] + a.g[i] * b.g[j] + a.g[j] * b.g[i] + a.h[i][j] * b.v;
    }
    return c;
}

// f(a) from f, f' and f'' at a.v
static inline Jet jetApply(Jet a, double f, double first, double second)
{
    Jet c;
    c.v = f;
    for (int i = 0; i < JET_SIZE; ++i)
    {
        c.g[i] = first * a.g[i];
        for (int j = 0; j < JET_SIZE; ++j)
            c.h[i][j] = first * a.h[i][j] + second * a.g[i] * a.g[j];
    }
    return c;
}

static inline Jet jetRoot(Jet a)
{
    double root = sqrt(a.v);
    return jetApply(a, root, 0.5 / root, -0.25 / (a.v * root));
}

static inline Jet jetInverse(Jet a)
{
    return jetApply(a, 1 / a.v, -1 / (a.v * a.v), 2 / (a.v * a.v * a.v));
}

static inline Jet jetDot(const Jet *a, const Jet *b)
{
    return jetSum(1, jetSum(1, jetProduct(a[0], b[0]), 1, jetProduct(a[1], b[1])), 1, jetProduct(a[2], b[2]));
}

static inline void jetCross(const Jet *a, const Jet *b, Jet *c)
{
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = jetSum(1, jetProduct(a[j], b[k]), -1, jetProduct(a[k], b[j]));
    }
}

#endif
