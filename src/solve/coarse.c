// A second level for islands. The bodies' matrices hold joints as a diagonal, which lies above them but also resists
// motion that bodies share: a stack would sink slowly, iteration by iteration. So every global step is followed by the
// best translation of each body, found from the joints as they are: Q(x - z - P t) is minimised over t, with Q the
// quadratic of M + s (L + w c c^T) and P the translations. Q majorizes g as well, so g still falls in every step.
// Bodies resist a translation by mass, drag and what holds them in space; elasticity does not take part.
#include "solve/solve.h"

#include <string.h>

static bool hasPins(const System *system, const Member *member)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (system->state.pinned[v])
            return true;
    }
    return false;
}

// what resists a translation at each vertex, of one member
static void fillAnchors(const System *system, const Member *member, double s, double drag)
{
    double weights[LANES * MAX_CORNERS];
    for (int v = member->offset; v < member->offset + member->count; ++v)
        system->anchor[v] = system->state.mass[v];
    for (int k = 0; k < member->energyCount; ++k)
    {
        const Energy *energy = member->energy[k];
        // shape matching has a diagonal majorizer, and lets the whole go where it likes
        if (energy->kind->majorizer == NULL || !energyIsDiagonal(energy) || (energy->traits & TRAIT_INTERNAL))
            continue;
        int corners = energy->kind->corners;
        double scale = energy->traits & TRAIT_DISSIPATIVE ? drag : s;
        for (int e = 0; e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->majorizer(energy, e / LANES, weights);
            const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
            for (int c = 0; c < corners; ++c)
                system->anchor[member->offset + vertex[c * LANES]] += scale * weights[(e % LANES) * corners + c];
        }
    }
}

// Cholesky in place, lower triangle; rows without a pivot are left out
static void factorCoarse(double *c, int n)
{
    for (int j = 0; j < n; ++j)
    {
        for (int k = 0; k < j; ++k)
            c[j * n + j] -= c[j * n + k] * c[j * n + k];
        c[j * n + j] = c[j * n + j] > 0 ? sqrt(c[j * n + j]) : INFINITY;
        for (int i = j + 1; i < n; ++i)
        {
            for (int k = 0; k < j; ++k)
                c[i * n + j] -= c[i * n + k] * c[j * n + k];
            c[i * n + j] /= c[j * n + j];
        }
    }
}

// how far both ends of a spring move apart when a member is moved by 1 m: 1 or -1, or 0 where it holds directions
static double movedApart(const Energy *joint, const Coupling *coupling, int member)
{
    double sum = 0;
    for (int k = 0; k < joint->kind->corners; ++k)
        sum += coupling->member[k] == member ? coupling->share[k] : 0;
    return floor(sum + 0.5);
}

void coarsePrepare(System *system, const Stage *stage)
{
    if (system->coarse == NULL || !systemIsJoined(system)) // under the hard law no pair joins
        return;
    int n = system->memberCount;
    double s = stage->sigma * stage->theta * stage->theta, drag = stage->sigma * stage->theta / stage->h;
    double *c = system->coarse;
    memset(c, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Energy *joint = system->term[t].energy;
        for (int e = 0; e < joint->elementCount; ++e)
        {
            const Coupling *coupling = &system->term[t].coupling[e];
            int p = coupling->member[0], q = coupling->member[1];
            double weight = p != q ? s * energyGetParam(joint, e, 0) : 0;
            double first = movedApart(joint, coupling, p), second = movedApart(joint, coupling, q);
            c[p * n + p] += weight * first * first;
            c[q * n + q] += weight * second * second;
            c[maxInt(p, q) * n + minInt(p, q)] += weight * first * second;
        }
    }
    for (int p = 0; p < n; ++p)
    {
        const Member *member = system->member[p];
        fillAnchors(system, member, s, drag);
        for (int v = member->offset; v < member->offset + member->count; ++v)
            c[p * n + p] += system->anchor[v];
        if (hasPins(system, member))
            c[p * n + p] = INFINITY; // it does not translate
    }
    factorCoarse(c, n);
}

// what joints between bodies resist of z, taken from the sums of their bodies (perMember, 3 each) or from their
// vertices
static void subtractJoints(const System *system, double s, const double *z, double *perMember, double *perVertex)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Energy *joint = system->term[t].energy;
        for (int e = 0; e < joint->elementCount; ++e)
        {
            const Coupling *coupling = &system->term[t].coupling[e];
            const int *vertex = laneVertices(joint, e / LANES) + e % LANES;
            double weight = s * energyGetParam(joint, e, 0);
            double first = movedApart(joint, coupling, coupling->member[0]);
            double second = movedApart(joint, coupling, coupling->member[1]);
            for (int a = 0; a < 3 && coupling->member[0] != coupling->member[1]; ++a)
            {
                double rel = 0;
                for (int k = 0; k < joint->kind->corners; ++k)
                    rel += coupling->share[k] * z[3 * vertex[k * LANES] + a];
                for (int k = 0; k < joint->kind->corners && perVertex != NULL; ++k)
                    perVertex[3 * vertex[k * LANES] + a] -= weight * coupling->share[k] * rel;
                if (perMember == NULL)
                    continue;
                perMember[3 * coupling->member[0] + a] -= weight * first * rel;
                perMember[3 * coupling->member[1] + a] -= weight * second * rel;
            }
        }
    }
}

// right - A z summed over each body, with the joints as they are
static void restrictResidual(const System *system, double s, const double *right, const double *z, double *r)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double sum[3] = { 0, 0, 0 };
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            sum[i % 3] += right[i] - system->anchor[i / 3] * z[i];
        for (int a = 0; a < 3; ++a)
            r[3 * p + a] = sum[a];
    }
    subtractJoints(system, s, z, r, NULL);
}

void coarseResidual(const System *system, const Stage *stage, const double *right, const double *z, double *left)
{
    for (int i = 0; i < 3 * system->state.count; ++i)
        left[i] = right[i] - system->anchor[i / 3] * z[i];
    subtractJoints(system, stage->sigma * stage->theta * stage->theta, z, NULL, left);
    for (int i = 0; i < 3 * system->state.count; ++i)
        left[i] = system->state.pinned[i / 3] ? 0 : left[i];
}

void coarseCorrect(const System *system, const Stage *stage, const double *right, double *z)
{
    if (system->coarse == NULL)
        return;
    int n = system->memberCount;
    const double *c = system->coarse;
    double *t = system->coarse + (ptrdiff_t)n * n;
    restrictResidual(system, stage->sigma * stage->theta * stage->theta, right, z, t);
    for (int a = 0; a < 3; ++a)
    {
        for (int i = 0; i < n; ++i)
        {
            for (int k = 0; k < i; ++k)
                t[3 * i + a] -= c[i * n + k] * t[3 * k + a];
            t[3 * i + a] /= c[i * n + i];
        }
        for (int i = n - 1; i >= 0; --i)
        {
            for (int k = i + 1; k < n; ++k)
                t[3 * i + a] -= c[k * n + i] * t[3 * k + a];
            t[3 * i + a] /= c[i * n + i];
        }
    }
    for (int p = 0; p < n; ++p)
    {
        const Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            z[i] += t[3 * p + i % 3];
    }
}
