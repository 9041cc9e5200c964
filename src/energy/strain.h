// What energies of a strain share: simplices of m + 1 corners with a rest frame, m = 1 (springs), 2 (corners of a
// grid's cells, triangles) or 3 (tets). F = sum over corners of x_c g_c^T has m columns; its strain is in the frame of
// the rest shape. That of woven cloth has warp and weft as its axes, along which it is stiffer or softer than mu and
// lambda say.
#ifndef ENERGY_STRAIN_H
#define ENERGY_STRAIN_H

#include "energy/energy.h"

enum StrainParam
{
    STRAIN_WEIGHT, // volume; with the thickness, or a damping time in it
    STRAIN_MU,
    STRAIN_LAMBDA,
    STRAIN_INVERSE, // of the rest edges in the frame of the rest shape, m x m row major
};

#define STRAIN_FROZEN(m) (STRAIN_INVERSE + (m) * (m)) // of dampers: the frame of their rates, 3 x m column by column

#define STRAIN_MOST 3

#define WEAVE_PARAMS 2                     // Pa, what is added along warp and weft: the last of their kinds
#define WEAVE_ELASTIC (STRAIN_INVERSE + 4) // where they are in the energy
#define WEAVE_RATE (STRAIN_FROZEN(2) + 6)  // and in its damper

typedef struct Simplex
{
    int m;
    double weight, mu, lambda;
    bool woven;
    double more[2];                         // Pa, of woven ones: weight/2 more e_jj^2 beside what mu and lambda make
    double g[STRAIN_MOST + 1][STRAIN_MOST]; // gradients of the shape functions
} Simplex;

typedef struct Columns
{
    Vec3 c[STRAIN_MOST];
} Columns;

typedef struct Strain
{
    double e[STRAIN_MOST][STRAIN_MOST]; // symmetric
} Strain;

// weave.c: law and frame of a woven element after prepareFrame; and Pa, the shear modulus of cloth that gives none
void weavePrepare(Energy *energy, int element, const Recipe *recipe);
double weaveShear(double young, double weft, double poisson);

static inline bool isWoven(const Energy *energy)
{
    return energy->kind == &wovenKind || energy->kind == &wovenDamperKind;
}

static inline Simplex simplexAt(const Energy *energy, int m, int element)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    Simplex s = { .m = m,
                  .weight = params[STRAIN_WEIGHT * LANES],
                  .mu = params[STRAIN_MU * LANES],
                  .lambda = params[STRAIN_LAMBDA * LANES] };
    for (int j = 0; j < m; ++j)
    {
        for (int c = 0; c < m; ++c)
        {
            s.g[c + 1][j] = params[(STRAIN_INVERSE + c * m + j) * LANES];
            s.g[0][j] -= s.g[c + 1][j];
        }
    }
    s.woven = m == 2 && isWoven(energy);
    for (int j = 0; j < WEAVE_PARAMS && s.woven; ++j)
        s.more[j] = params[(energy->kind->paramCount - WEAVE_PARAMS + j) * LANES];
    return s;
}

// F at x; of differences, so that a body far from the origin loses no digits
static inline Columns columnsAt(const Energy *energy, const Simplex *s, int element, const double *x)
{
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 origin = laneLoad(vertices, 0, element % LANES, x);
    Columns f = { 0 };
    for (int c = 1; c <= s->m; ++c)
    {
        Vec3 edge = vecSub(laneLoad(vertices, c, element % LANES, x), origin);
        for (int j = 0; j < s->m; ++j)
            f.c[j] = vecAdd(f.c[j], vecScale(s->g[c][j], edge));
    }
    return f;
}

// sym(A^T B)
static inline Strain symmetricProduct(int m, const Columns *a, const Columns *b)
{
    Strain s = { 0 };
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
            s.e[i][j] = 0.5 * (vecDot(a->c[i], b->c[j]) + vecDot(b->c[i], a->c[j]));
    return s;
}

static inline double strainTrace(int m, const Strain *s)
{
    double trace = 0;
    for (int i = 0; i < m; ++i)
        trace += s->e[i][i];
    return trace;
}

// 2 mu e + lambda tr(e), and more along warp and weft
static inline Strain stressOf(const Simplex *s, const Strain *strain)
{
    Strain stress = { 0 };
    double trace = s->lambda * strainTrace(s->m, strain);
    for (int i = 0; i < s->m; ++i)
        for (int j = 0; j < s->m; ++j)
            stress.e[i][j] = 2 * s->mu * strain->e[i][j] + (i == j ? trace : 0);
    for (int j = 0; j < 2 && s->woven; ++j)
        stress.e[j][j] += s->more[j] * strain->e[j][j];
    return stress;
}

// weight (mu e:e + lambda/2 tr(e)^2)
static inline double strainEnergy(const Simplex *s, const Strain *strain)
{
    double square = 0, trace = strainTrace(s->m, strain);
    for (int i = 0; i < s->m; ++i)
        for (int j = 0; j < s->m; ++j)
            square += strain->e[i][j] * strain->e[i][j];
    double sum = s->mu * square + 0.5 * s->lambda * trace * trace;
    for (int j = 0; j < 2 && s->woven; ++j)
        sum += 0.5 * s->more[j] * strain->e[j][j] * strain->e[j][j];
    return s->weight * sum;
}

// out, 3 numbers a corner: of an element whose energy has the derivative weight F stress by F
static inline void strainForces(const Simplex *s, const Columns *f, const Strain *stress, double *out)
{
    Vec3 first = vec3(0, 0, 0);
    for (int c = 1; c <= s->m; ++c)
    {
        Vec3 force = vec3(0, 0, 0);
        for (int i = 0; i < s->m; ++i)
        {
            double share = 0;
            for (int j = 0; j < s->m; ++j)
                share += stress->e[i][j] * s->g[c][j];
            force = vecAdd(force, vecScale(s->weight * share, f->c[i]));
        }
        vecStore(out + 3 * c, force);
        first = vecSub(first, force);
    }
    vecStore(out, first);
}

// adds weight more (f_j.d_j)^2 along warp and weft to the matrix below
static inline void weaveMatrix(const Simplex *s, const Columns *f, double *out)
{
    for (int k = 0; k < 2 * 81; ++k)
    {
        int axis = k / 81, row = k % 81 / 9, column = k % 9;
        const double *direction = &f->c[axis].x;
        out[k % 81] += s->weight * s->more[axis] * (s->g[row / 3][axis] * direction[row % 3]) *
                       (s->g[column / 3][axis] * direction[column % 3]);
    }
}

// The quadratic of strain rates in the frame F, weight (2 mu e:e + lambda tr(e)^2) with e = sym(F^T d), as a matrix of
// 3 (m + 1) by corners: mu ((f_i.f_j)(g_a.g_b) + (f_i.g_b)(f_j.g_a)) + lambda (f_i.g_a)(f_j.g_b), f_i the rows of F.
static inline void strainMatrix(const Simplex *s, const Columns *f, double *out)
{
    int m = s->m, width = 3 * (m + 1);
    double row[3][STRAIN_MOST], square[3][3], reach[STRAIN_MOST + 1][3], metric[STRAIN_MOST + 1][STRAIN_MOST + 1];
    for (int j = 0; j < m; ++j)
    {
        row[0][j] = f->c[j].x;
        row[1][j] = f->c[j].y;
        row[2][j] = f->c[j].z;
    }
    for (int i = 0; i < 9; ++i)
    {
        square[i / 3][i % 3] = 0;
        for (int j = 0; j < m; ++j)
            square[i / 3][i % 3] += row[i / 3][j] * row[i % 3][j];
    }
    for (int a = 0; a <= m; ++a)
    {
        for (int i = 0; i < 3; ++i)
        {
            reach[a][i] = 0;
            for (int j = 0; j < m; ++j)
                reach[a][i] += row[i][j] * s->g[a][j];
        }
        for (int b = 0; b <= m; ++b)
        {
            metric[a][b] = 0;
            for (int j = 0; j < m; ++j)
                metric[a][b] += s->g[a][j] * s->g[b][j];
        }
    }
    for (int k = 0; k < width * width; ++k)
    {
        int a = k / width / 3, i = k / width % 3, b = k % width / 3, j = k % width % 3;
        out[k] = s->weight * (s->mu * (square[i][j] * metric[a][b] + reach[b][i] * reach[a][j]) +
                              s->lambda * reach[a][i] * reach[b][j]);
    }
    if (s->woven)
        weaveMatrix(s, f, out);
}

// Pa, by the axes of woven cloth: what bounds the stiffness of strains in which the axis takes part. The coupling of
// the axes is shared in the ratio of their stiffness
static inline void weaveMost(const Simplex *s, double most[2])
{
    double along[2] = { 2 * s->mu + s->lambda + s->more[0], 2 * s->mu + s->lambda + s->more[1] };
    for (int j = 0; j < 2; ++j)
        most[j] = maxReal(along[j] + fabs(s->lambda) * sqrt(along[j] / along[1 - j]), 2 * s->mu);
}

// scale x weight x the largest eigenvalue of the law, times g_a . g_b, of woven cloth axis by axis: not below
// strainMatrix for F of norm 1
static inline void strainMajorizer(const Energy *energy, int m, int block, double scale, double *out)
{
    int corners = m + 1;
    for (int lane = 0; lane < LANES; ++lane)
    {
        Simplex s = simplexAt(energy, m, block * LANES + lane);
        // auxetic materials: then shear is the stiffest mode
        double stiffest = maxReal(2 * s.mu + m * s.lambda, 2 * s.mu), share[STRAIN_MOST] = { 1, 1, 1 };
        if (s.woven)
        {
            weaveMost(&s, share);
            stiffest = 1;
        }
        for (int k = 0; k < corners * corners; ++k)
        {
            double sum = 0;
            for (int j = 0; j < m; ++j)
                sum += share[j] * (s.g[k / corners][j] * s.g[k % corners][j]);
            out[lane * corners * corners + k] = scale * s.weight * stiffest * sum;
        }
    }
}

// Rest edges in a frame of the rest shape itself: their inverse into the params. Returns the volume that the element
// stands for: of a tet; a quarter of the parallelogram of a cell's corner, m^2; 1 for a spring.
static inline double prepareFrame(Energy *energy, int m, int element, const double *rest)
{
    double *params = laneParams(energy, element / LANES) + element % LANES;
    if (m == 1) // strain rates of springs are along them, m/s
    {
        params[STRAIN_INVERSE * LANES] = 1;
        return 1;
    }
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 edge[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int c = 0; c < m; ++c)
        edge[c] =
            vecSub(laneLoad(vertices, c + 1, element % LANES, rest), laneLoad(vertices, 0, element % LANES, rest));
    if (m == 2) // the first edge along the first axis
    {
        double length = vecLength(edge[0]), along = vecDot(edge[0], edge[1]) / length;
        double height = vecLength(vecCross(edge[0], edge[1])) / length;
        const double inverse[4] = { 1 / length, -along / (length * height), 0, 1 / height };
        for (int k = 0; k < 4; ++k)
            params[(STRAIN_INVERSE + k) * LANES] = inverse[k];
        return 0.25 * length * height;
    }
    Mat3 edges = { { { edge[0].x, edge[1].x, edge[2].x },
                     { edge[0].y, edge[1].y, edge[2].y },
                     { edge[0].z, edge[1].z, edge[2].z } } };
    Mat3 inverse = matInverse(&edges);
    for (int k = 0; k < 9; ++k)
        params[(STRAIN_INVERSE + k) * LANES] = inverse.m[k / 3][k % 3];
    return matDeterminant(&edges) / 6;
}

// Lame's numbers of a material, in the plane for m = 2 (plane stress)
static inline void prepareLaw(Energy *energy, int m, int element, const Recipe *recipe)
{
    double *params = laneParams(energy, element / LANES) + element % LANES;
    double young = recipe->young, nu = recipe->poisson;
    params[STRAIN_MU * LANES] = young / (2 * (1 + nu));
    params[STRAIN_LAMBDA * LANES] = m == 2 ? young * nu / (1 - nu * nu) : young * nu / ((1 + nu) * (1 - 2 * nu));
}

#endif
