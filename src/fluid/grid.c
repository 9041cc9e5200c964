#include "fluid/fluid.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES 255
#define FARTHEST_CELL 1e9

// ---- the table ------------------------------------------------------------------------------------------------------

static int compareReals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The median of some particles: places are single precision from here, and drops that fall far away do not move it.
static double middleOf(const Fluid *fluid, int axis)
{
    double sample[SAMPLES];
    int count = minInt(fluid->count, SAMPLES);
    for (int i = 0; i < count; ++i)
        sample[i] = fluid->position[3 * ((ptrdiff_t)i * fluid->count / count) + axis];
    qsort(sample, (size_t)count, sizeof *sample, compareReals);
    return sample[count / 2];
}

static int bitsFor(double cells)
{
    int bits = 2;
    while (bits < 28 && (double)(1 << bits) < cells)
        bits += 1;
    return bits;
}

// m, of a cell along an axis
static double widthOf(const Fluid *fluid, int axis)
{
    return fluid->scale.radius / (axis == 0 ? FLUID_COLUMNS : 1);
}

// A table that holds the whole box where there is room for it. Where there is not, the grid is folded onto it: cells
// that share a place only offer each other candidates that are too far away. Its size depends on the number of
// particles alone, not on the memory there is: the order of sums does too, and a saved state goes on with equal bits.
void fluidShapeGrid(Fluid *fluid)
{
    int axes = fluid->settings.dimensions, most = fluidTableSize(fluid->count), *bits = fluid->cells.bits;
    double middle[3] = { 0, 0, 0 };
    bits[2] = 0;
    for (int a = 0; a < axes; ++a)
    {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < fluid->count; ++i)
        {
            double x = fluid->position[3 * (ptrdiff_t)i + a];
            lower = minReal(lower, x);
            upper = maxReal(upper, x);
        }
        middle[a] = fluid->count > 0 ? middleOf(fluid, a) : 0;
        bits[a] = bitsFor(minReal((upper - lower) / widthOf(fluid, a) + 3, 1e9));
    }
    if (axes == 2 && fluid->count > 0)
        middle[2] = fluid->position[2];
    fluid->origin = vecLoad(middle);
    while (1LL << (bits[0] + bits[1] + bits[2]) > most)
    {
        int longest = 0;
        for (int a = 1; a < axes; ++a)
            longest = bits[a] > bits[longest] ? a : longest;
        bits[longest] -= 1;
    }
}

bool fluidKeys(Fluid *fluid, int first, int end)
{
    const double *origin = &fluid->origin.x;
    const int *bits = fluid->cells.bits;
    double scale[3];
    for (int a = 0; a < 3; ++a)
        scale[a] = 1 / widthOf(fluid, a);
    for (int i = first; i < end; ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)i;
        int key = 0, shift = 0;
        for (int a = 0; a < fluid->settings.dimensions; ++a)
        {
            double q = (x[a] - origin[a]) * scale[a];
            if (!(fabs(q) < FARTHEST_CELL))
                return false;
            key |= ((int)floor(q) & ((1 << bits[a]) - 1)) << shift;
            shift += bits[a];
        }
        fluid->key[i] = key;
    }
    return true;
}

// counting sort: particles of a cell stay in the order of the state
void fluidSort(Fluid *fluid)
{
    const int *bits = fluid->cells.bits;
    int cells = 1 << (bits[0] + bits[1] + bits[2]), *start = fluid->cellStart, sum = 0;
    memset(start, 0, (size_t)(cells + 1) * sizeof *start);
    for (int i = 0; i < fluid->count; ++i)
        start[fluid->key[i] + 1] += 1;
    for (int c = 0; c < cells; ++c)
    {
        int count = start[c + 1];
        start[c + 1] = sum; // where the cell begins, until its particles have been placed
        sum += count;
    }
    for (int i = 0; i < fluid->count; ++i)
    {
        int to = start[fluid->key[i] + 1]++;
        fluid->order[to] = i;
        fluid->cell[to] = fluid->key[i];
    }
    fluid->cells.start = start;
    fluid->cells.cell = fluid->cell;
    fluid->cells.list = fluid->list;
    fluid->cells.listAt = fluid->listAt;
    for (int a = 0; a < 3; ++a)
        fluid->cells.at[a] = fluid->at[a];
}

void fluidPlace(Fluid *fluid, int first, int end)
{
    const double *origin = &fluid->origin.x;
    double scale = 1 / fluid->scale.radius;
    for (int i = first; i < end; ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)fluid->order[i];
        const double *start = fluid->start + 3 * (ptrdiff_t)fluid->order[i];
        for (int a = 0; a < 3; ++a)
        {
            fluid->at[a][i] = a < fluid->settings.dimensions ? (float)((x[a] - origin[a]) * scale) : 0;
            fluid->way[a][i] = (float)((x[a] - start[a]) * scale);
        }
    }
}

void fluidArrange(Fluid *fluid)
{
    for (int i = 0; i < fluid->count; ++i)
    {
        int from = fluid->order[i];
        memcpy(fluid->start + 3 * (ptrdiff_t)i, fluid->position + 3 * (ptrdiff_t)from, 3 * sizeof(double));
        fluid->key[i] = (int)fluid->id[from];
    }
    memcpy(fluid->position, fluid->start, (size_t)fluid->count * 3 * sizeof(double));
    for (int i = 0; i < fluid->count; ++i)
    {
        memcpy(fluid->start + 3 * (ptrdiff_t)i, fluid->velocity + 3 * (ptrdiff_t)fluid->order[i], 3 * sizeof(double));
        fluid->id[i] = (uint32_t)fluid->key[i];
    }
    memcpy(fluid->velocity, fluid->start, (size_t)fluid->count * 3 * sizeof(double));
}
