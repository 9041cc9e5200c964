// Which of many pairs may come into range: eight at once, in whatever order kinds come.
#include "contact/proximity.h"

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &nearKernels_avx2
#else
#define TABLE_AVX2 &nearKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &nearKernels_avx512
#else
#define TABLE_AVX512 &nearKernels_base
#endif

static const NearKernels *const kernels[ISA_COUNT] = { &nearKernels_base, TABLE_AVX2, TABLE_AVX512 };

#define ROUNDING 1e-6 // of the largest number: sixteen times that of single precision

// ---- vertices -------------------------------------------------------------------------------------------------------

// `by`: m/s, `time`: s, how long; returns the largest number, m
static double setRow(float *row, Vec3 at, double slack, Vec3 by, double time)
{
    const double from[3] = { at.x, at.y, at.z }, rate[3] = { by.x, by.y, by.z };
    double largest = slack;
    for (int a = 0; a < 3; ++a)
    {
        row[a] = (float)from[a];
        row[4 + a] = (float)rate[a];
        largest = maxReal(largest, fabs(from[a]) + time * fabs(rate[a]));
    }
    row[3] = (float)slack;
    row[7] = (float)time;
    return largest;
}

static int followPaths(NearSlice *slice)
{
    const Proximity *p = slice->proximity;
    double time = slice->view->ahead;
    for (int v = slice->begin; v < slice->end; ++v)
    {
        const NearPath *path = &p->path[v];
        Vec3 at = vecAdd(path->from, vecScale(path->begin - time, path->rate));
        double largest = setRow(p->field + 8 * (ptrdiff_t)v, at, path->slack, path->rate, time - path->end);
        slice->largest = maxReal(slice->largest, largest);
    }
    return 0;
}

void nearFieldPaths(Proximity *p, const ProximityView *view)
{
    double largest;
    nearEachVertex(p, view, followPaths, NULL, &largest);
    p->doubt = ROUNDING * largest;
}

// With a reach, contacts are looked for half a substep behind the start, and a substep ahead of that.
#define FOLLOWED 2 // displacements

static int followMoves(NearSlice *slice)
{
    const Proximity *p = slice->proximity;
    const double *x = slice->view->x;
    Vec3 origin = vecLoad(x);
    double followed = slice->view->reach > 0 ? FOLLOWED : 1;
    for (ptrdiff_t v = slice->begin; v < slice->end; ++v)
    {
        Vec3 at = vecSub(vecLoad(x + 3 * v), origin);
        slice->largest = maxReal(slice->largest, setRow(p->field + 8 * v, at, 0, vecLoad(p->move + 3 * v), followed));
    }
    return 0;
}

void nearFieldMoves(Proximity *p, const ProximityView *view)
{
    double largest;
    nearEachVertex(p, view, followMoves, NULL, &largest);
    p->doubt = ROUNDING * largest;
}

static int standStill(NearSlice *slice)
{
    const double *x = slice->view->x;
    Vec3 origin = vecLoad(x), none = vec3(0, 0, 0);
    for (ptrdiff_t v = slice->begin; v < slice->end; ++v)
    {
        double largest = setRow(slice->proximity->field + 8 * v, vecSub(vecLoad(x + 3 * v), origin), 0, none, 0);
        slice->largest = maxReal(slice->largest, largest);
    }
    return 0;
}

void nearFieldStill(Proximity *p, const ProximityView *view)
{
    double largest;
    nearEachVertex(p, view, standStill, NULL, &largest);
    p->doubt = ROUNDING * largest;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static void sift(NearSieve *sieve, int kind)
{
    const Proximity *p = sieve->proximity;
    const NearKernels *table = kernels[p->body[0].mesh->features->isa];
    NearField field = { .row = p->field, .doubt = (float)p->doubt };
    unsigned bits =
        kind == 0 ? table->vertexTriangle(&field, &sieve->lanes[0]) : table->edges(&field, &sieve->lanes[1]);
    for (int lane = 0; lane < sieve->count[kind]; ++lane)
        sieve->passes[sieve->number[kind][lane]] = (bits >> lane & 1) != 0;
    sieve->count[kind] = 0;
}

// m: what may make a contact, and what displacements that change may bring together
static float rangeOf(const NearSieve *sieve, const NearName *pair)
{
    if (sieve->reach <= 0 || pair->pressed)
        return pair->range;
    double within = maxReal(pair->radius + sieve->reach, 2 * sieve->proximity->room);
    return within < (double)pair->range ? (float)within : pair->range;
}

void nearSieveAdd(NearSieve *sieve, int number, const NearName *pair)
{
    int kind = pair->first - 1, lane = sieve->count[kind]++;
    for (int k = 0; k < 4; ++k)
        sieve->lanes[kind].row[k][lane] = 2 * pair->vertex[k];
    sieve->lanes[kind].range[lane] = rangeOf(sieve, pair);
    sieve->number[kind][lane] = number;
    if (lane + 1 == NEAR_LANES)
        sift(sieve, kind);
}

void nearSieveEnd(NearSieve *sieve)
{
    for (int kind = 0; kind < 2; ++kind)
    {
        if (sieve->count[kind] > 0)
            sift(sieve, kind);
    }
}
