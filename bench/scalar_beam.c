// The scalar reference for tets: the same substeps, six strains in the rotated frame and one block solve per tet,
// double, one tet at a time in colour order, its block inverted in advance, the rotation by Higham's iteration.
#include "bench/small_steps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLOURS 128
#define HIGHAM 5

typedef struct ScalarTet
{
    int v[4];
    double gradient[4][3]; // of the shape functions
    double block[6][6];
} ScalarTet;

typedef struct ScalarBeam
{
    const SmallProblem *problem;
    double *x, *before, *velocity; // vertexCount x 3
    ScalarTet *tet;                // elementCount, by colour
} ScalarBeam;

static double det3(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// inverse transposed
static double cofactors(double m[3][3], double out[3][3])
{
    double det = det3(m), over = 1 / det;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[i][j] = (m[a][c] * m[b][d] - m[a][d] * m[b][c]) * over;
        }
    }
    return det;
}

static void invertBlock(double m[6][6])
{
    for (int p = 0; p < 6; ++p)
    {
        double pivot = 1 / m[p][p];
        for (int j = 0; j < 6; ++j)
            m[p][j] *= j == p ? 0 : pivot;
        m[p][p] = pivot;
        for (int i = 0; i < 6; ++i)
        {
            double factor = m[i][p];
            if (i == p)
                continue;
            m[i][p] = 0;
            for (int j = 0; j < 6; ++j)
                m[i][j] -= factor * m[p][j];
        }
    }
}

static void prepare(const SmallProblem *p, const int *corners, ScalarTet *t)
{
    double edges[3][3], inverse[3][3], h = p->frame / p->count;
    memcpy(t->v, corners, sizeof t->v);
    for (int c = 0; c < 3; ++c)
    {
        for (int a = 0; a < 3; ++a)
            edges[c][a] = p->rest[3 * corners[c + 1] + a] - p->rest[3 * corners[0] + a];
    }
    double volume = cofactors(edges, inverse) / 6;
    for (int a = 0; a < 3; ++a)
    {
        t->gradient[0][a] = 0;
        for (int c = 0; c < 3; ++c)
        {
            t->gradient[c + 1][a] = inverse[c][a];
            t->gradient[0][a] -= inverse[c][a];
        }
    }
    double mu = p->young / (2 * (1 + p->poisson)), scale = 1 / (volume * h * h);
    memset(t->block, 0, sizeof t->block);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
            t->block[i][j] = scale * (i == j ? 1 : -p->poisson) / p->young;
        t->block[i + 3][i + 3] = scale / mu;
    }
    for (int c = 0; c < 4; ++c)
    {
        const double *g = t->gradient[c];
        double w = p->held[corners[c]] ? 0 : 1 / p->mass[corners[c]];
        const double b[6][3] = { { g[0], 0, 0 },    { 0, g[1], 0 },    { 0, 0, g[2] },
                                 { 0, g[2], g[1] }, { g[2], 0, g[0] }, { g[1], g[0], 0 } };
        for (int i = 0; i < 36; ++i)
        {
            const double *u = b[i / 6], *v = b[i % 6];
            t->block[i / 6][i % 6] += w * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
        }
    }
    invertBlock(t->block);
}

// greedy colours in mesh order, then one colour after the other
static int colourTets(const SmallProblem *p, int *colour)
{
    unsigned char *taken = calloc((size_t)p->vertexCount, MOST_COLOURS);
    int colours = 0;
    for (int e = 0; taken != NULL && e < p->elementCount; ++e)
    {
        int k = 0;
        for (bool free = false; !free && k < MOST_COLOURS - 1; k += !free)
        {
            free = true;
            for (int c = 0; c < 4; ++c)
                free = free && !taken[(size_t)p->elements[4 * e + c] * MOST_COLOURS + (size_t)k];
        }
        for (int c = 0; c < 4; ++c)
            taken[(size_t)p->elements[4 * e + c] * MOST_COLOURS + (size_t)k] = 1;
        colour[e] = k;
        colours = k + 1 > colours ? k + 1 : colours;
    }
    free(taken);
    return colours;
}

static void destroy(void *self)
{
    ScalarBeam *b = self;
    free(b->x);
    free(b->before);
    free(b->velocity);
    free(b->tet);
    free(b);
}

static void *create(const SmallProblem *problem, int threads)
{
    (void)threads;
    ScalarBeam *b = calloc(1, sizeof *b);
    int *colour = calloc((size_t)problem->elementCount, sizeof(int));
    size_t count = 3 * (size_t)problem->vertexCount;
    if (b == NULL || colour == NULL)
    {
        free(b);
        free(colour);
        return NULL;
    }
    b->problem = problem;
    b->x = calloc(count, sizeof(double));
    b->before = calloc(count, sizeof(double));
    b->velocity = calloc(count, sizeof(double));
    b->tet = calloc((size_t)problem->elementCount, sizeof(ScalarTet));
    if (!b->x || !b->before || !b->velocity || !b->tet)
    {
        free(colour);
        destroy(b);
        return NULL;
    }
    memcpy(b->x, problem->rest, count * sizeof(double));
    int colours = colourTets(problem, colour), at = 0;
    for (int k = 0; k < colours; ++k)
    {
        for (int e = 0; e < problem->elementCount; ++e)
        {
            if (colour[e] == k)
                prepare(problem, problem->elements + 4 * e, &b->tet[at++]);
        }
    }
    free(colour);
    return b;
}

// F = sum of x g^T; the nearest rotation by r <- (r + r^-T) / 2
static void rotate(double f[3][3], double r[3][3])
{
    memcpy(r, f, 9 * sizeof(double));
    for (int n = 0; n < HIGHAM; ++n)
    {
        double t[3][3], change = 0;
        cofactors(r, t);
        for (int i = 0; i < 9; ++i)
        {
            double next = 0.5 * (r[i / 3][i % 3] + t[i / 3][i % 3]), d = next - r[i / 3][i % 3];
            r[i / 3][i % 3] = next;
            change += d * d;
        }
        if (change < 1e-12)
            return;
    }
}

static void solveTet(ScalarBeam *b, const ScalarTet *t)
{
    double f[3][3] = { { 0 } }, r[3][3], s[3][3] = { { 0 } }, p[3][3] = { { 0 } };
    for (int c = 0; c < 4; ++c)
    {
        const double *x = b->x + 3 * t->v[c], *g = t->gradient[c];
        for (int i = 0; i < 3; ++i)
        {
            for (int j = 0; j < 3; ++j)
                f[i][j] += x[i] * g[j];
        }
    }
    rotate(f, r);
    for (int k = 0; k < 3; ++k)
    {
        for (int i = 0; i < 3; ++i)
        {
            for (int j = 0; j < 3; ++j)
                s[i][j] += r[k][i] * f[k][j];
        }
    }
    double e[6] = { s[0][0] - 1, s[1][1] - 1, s[2][2] - 1, s[1][2] + s[2][1], s[0][2] + s[2][0], s[0][1] + s[1][0] },
           l[6];
    for (int i = 0; i < 6; ++i)
    {
        l[i] = 0;
        for (int j = 0; j < 6; ++j)
            l[i] -= t->block[i][j] * e[j];
    }
    const double m[3][3] = { { l[0], l[5], l[4] }, { l[5], l[1], l[3] }, { l[4], l[3], l[2] } };
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            for (int j = 0; j < 3; ++j)
                p[i][j] += r[i][k] * m[k][j];
        }
    }
    for (int c = 0; c < 4; ++c)
    {
        int v = t->v[c];
        const double *g = t->gradient[c];
        double w = b->problem->held[v] ? 0 : 1 / b->problem->mass[v];
        for (int i = 0; i < 3; ++i)
            b->x[3 * v + i] += w * (p[i][0] * g[0] + p[i][1] * g[1] + p[i][2] * g[2]);
    }
}

static void frame(void *self)
{
    ScalarBeam *b = self;
    const SmallProblem *p = b->problem;
    double h = p->frame / p->count;
    for (int n = 0; n < p->count; ++n)
    {
        memcpy(b->before, b->x, 3 * (size_t)p->vertexCount * sizeof(double));
        for (int i = 0; i < 3 * p->vertexCount; ++i)
        {
            b->velocity[i] -= i % 3 == 1 ? h * p->gravity : 0;
            b->x[i] += p->held[i / 3] ? 0 : h * b->velocity[i];
        }
        for (int e = 0; e < p->elementCount; ++e)
            solveTet(b, &b->tet[e]);
        for (int i = 0; i < 3 * p->vertexCount; ++i)
            b->velocity[i] = (b->x[i] - b->before[i]) / h;
    }
}

static void positions(void *self, double *out)
{
    const ScalarBeam *b = self;
    memcpy(out, b->x, 3 * (size_t)b->problem->vertexCount * sizeof(double));
}

const SmallContender scalarBeam = { "scalar, 1 thread", create, frame, positions, destroy };
