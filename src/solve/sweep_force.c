// What small steps do not sweep acts by its force, as in symplectic Euler: substeps must resolve it. A bound of its
// fastest motion: rows of the majorizers, over mass (Gershgorin).
#include "solve/solve.h"

double systemSweepForceRate(System *system)
{
    State *s = &system->state;
    double *sum = scratchTake(s), largest = 0, out[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        bool any = false;
        for (int v = 0; v < member->count; ++v)
            sum[v] = 0;
        for (int k = 0; k < member->energyCount; ++k)
        {
            const Energy *energy = member->energy[k];
            int corners = energy->kind->corners;
            if (energy->kind->sweep != NULL || (energy->traits & (TRAIT_EXTERNAL | TRAIT_DISSIPATIVE)) ||
                energy->kind->majorizer == NULL || energyIsIdle(energy))
                continue;
            any = true;
            for (int e = 0; e < energy->elementCount; ++e)
            {
                if (e % LANES == 0)
                    energy->kind->majorizer(energy, e / LANES, out);
                int width = energyIsDiagonal(energy) ? 1 : corners;
                const double *row = out + (ptrdiff_t)(e % LANES) * corners * width;
                for (int c = 0; c < corners * width; ++c)
                    sum[laneVertices(energy, e / LANES)[c / width * LANES + e % LANES]] += fabs(row[c]);
            }
        }
        for (int v = 0; v < member->count && any; ++v)
            largest = maxReal(largest, s->pinned[member->offset + v] ? 0 : sum[v] / s->mass[member->offset + v]);
    }
    scratchGive(s, sum);
    return sqrt(largest);
}
