// The objective of one step, written once more and plainly: what every contender's result is judged by.
#include "bench/bench.h"

#include "base/vec.h"

#include <stdlib.h>

// corner k of a tet minus corner 0 as columns
static Mat3 edgesOf(const double *x, const int *t)
{
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
    {
        for (int a = 0; a < 3; ++a)
            edges.m[a][c] = x[3 * t[c + 1] + a] - x[3 * t[0] + a];
    }
    return edges;
}

// young x volume (F - R) times the gradients of the shape functions
static void addTet(const Problem *p, const int *t, const double *x, double *force)
{
    Mat3 rest = edgesOf(p->rest, t), now = edgesOf(x, t), inverse = matInverse(&rest);
    Mat3 f = matMultiply(&now, &inverse);
    Svd3 svd = svd3(&f);
    Mat3 r = matMultiplyTransposed(&svd.u, &svd.v), stress;
    double weight = p->young * matDeterminant(&rest) / 6;
    for (int i = 0; i < 9; ++i)
        stress.m[i / 3][i % 3] = weight * (f.m[i / 3][i % 3] - r.m[i / 3][i % 3]);
    Mat3 share = matMultiplyTransposed(&stress, &inverse); // column c: on corner c + 1
    for (int c = 0; c < 3; ++c)
    {
        for (int a = 0; a < 3; ++a)
        {
            force[3 * t[c + 1] + a] += share.m[a][c];
            force[3 * t[0] + a] -= share.m[a][c];
        }
    }
}

static void addSpring(const Problem *p, int i, const double *x, double *force)
{
    int a = p->springs[2 * i], b = p->springs[2 * i + 1];
    Vec3 d = vecSub(vecLoad(x + 3 * b), vecLoad(x + 3 * a));
    double r = vecLength(d);
    Vec3 pull = vecScale(r > 0 ? p->springStiffness[i] * (1 - p->springLength[i] / r) : 0, d);
    vecStore(force + 3 * a, vecSub(vecLoad(force + 3 * a), pull));
    vecStore(force + 3 * b, vecAdd(vecLoad(force + 3 * b), pull));
}

double objectiveResidual(const Problem *p, const double *start, const double *velocity, const double *x)
{
    double *gradient = calloc((size_t)p->vertexCount * 3, sizeof(double));
    if (gradient == NULL)
        return NAN;
    for (int i = 0; i < p->tetCount; ++i)
        addTet(p, p->tets + 4 * i, x, gradient);
    for (int i = 0; i < p->springCount; ++i)
        addSpring(p, i, x, gradient);
    for (int i = 0; i < p->attachedCount; ++i)
    {
        for (int a = 0, at = 3 * p->attached[i]; a < 3; ++a)
            gradient[at + a] += p->attachedStiffness * (x[at + a] - p->rest[at + a]);
    }
    double largest = 0;
    for (int v = 0; v < p->vertexCount; ++v)
    {
        double square = 0;
        for (int i = 3 * v; i < 3 * v + 3; ++i)
        {
            double gravity = i % 3 == 1 ? -p->gravity : 0;
            double inertia = x[i] - start[i] - p->h * velocity[i] - p->h * p->h * gravity;
            double g = inertia + p->h * p->h / p->mass[v] * gradient[i];
            square += g * g;
        }
        largest = square <= largest ? largest : square; // a NaN stays
    }
    free(gradient);
    return sqrt(largest);
}
