// Rotations are found at some vertices, the knots, no two of which are neighbours while every other vertex has one
// beside it: a seventh of them in solids. The rotations of all vertices are means of the ones at the knots around them.
#include "solve/modal_knots.h"

#include <math.h>

#define SCALE 32767 // of weights
#define BLUNT 1e-3  // of the moments of knots around a vertex: they may lie in a plane

// a number of a scale that ends at `most`
static int16_t onScale(double value, double most)
{
    return (int16_t)(most > 0 ? floor(SCALE * (value / most) + 0.5) : 0);
}

// ---- knots ----------------------------------------------------------------------------------------------------------

static void chooseKnots(ModalShape *shape, const Patch *patch, int *number)
{
    for (int v = 0; v < shape->vertices; ++v)
        number[v] = -1;
    for (int v = 0; v < shape->vertices; ++v)
    {
        bool open = patch->volume[v] > 0;
        for (int k = patch->start[v]; k < patch->start[v + 1] && open; ++k)
            open = number[patch->neighbour[k]] < 0;
        if (open)
            number[v] = shape->knots++;
    }
}

// F = sum of (x_j - x_i) w_ij^T over the tets at a knot, times a factor, which rotations do not see
static void fillKnot(ModalShape *shape, const Patch *patch, int place)
{
    int vertex = shape->knot[place], block = place / MODAL_BLOCK, lane = place % MODAL_BLOCK;
    int k = patch->start[vertex];
    double longest = 0;
    for (int i = k; i < patch->start[vertex + 1]; ++i)
    {
        for (int a = 0; a < 3; ++a)
            longest = maxReal(longest, fabs(patch->sum[3 * i + a]));
    }
    for (int slot = shape->slotStart[block]; slot < shape->slotStart[block + 1]; ++slot, ++k)
    {
        int16_t *weight = shape->weight + (ptrdiff_t)slot * 3 * MODAL_BLOCK + lane;
        bool has = k < patch->start[vertex + 1];
        shape->neighbour[slot * MODAL_BLOCK + lane] = has ? patch->neighbour[k] : vertex;
        for (int a = 0; a < 3; ++a)
            weight[a * MODAL_BLOCK] = has ? onScale(patch->sum[3 * k + a], longest) : 0;
    }
}

static bool createKnots(ModalShape *shape, const Patch *patch, const int *number)
{
    Memory *memory = shape->memory;
    shape->knotBlocks = (shape->knots + MODAL_BLOCK - 1) / MODAL_BLOCK;
    shape->knot = ALLOCATE(memory, int, maxInt(shape->knotBlocks, 1) * MODAL_BLOCK);
    shape->slotStart = ALLOCATE(memory, int, shape->knotBlocks + 1);
    if (shape->knot == NULL || shape->slotStart == NULL)
        return false;
    for (int v = 0; v < shape->vertices; ++v)
    {
        if (number[v] >= 0)
            shape->knot[number[v]] = v;
    }
    for (int i = shape->knots; i < shape->knotBlocks * MODAL_BLOCK; ++i)
        shape->knot[i] = shape->knot[shape->knots - 1]; // beyond the last one there are copies of it
    shape->slotStart[0] = 0;
    for (int block = 0; block < shape->knotBlocks; ++block)
    {
        int most = 0;
        for (int i = block * MODAL_BLOCK; i < (block + 1) * MODAL_BLOCK; ++i)
            most = maxInt(most, patch->start[shape->knot[i] + 1] - patch->start[shape->knot[i]]);
        shape->slotStart[block + 1] = shape->slotStart[block] + most;
    }
    size_t lanes = (size_t)maxInt(shape->slotStart[shape->knotBlocks], 1) * MODAL_BLOCK;
    shape->neighbour = ALLOCATE(memory, int, lanes);
    shape->weight = ALLOCATE(memory, int16_t, 3 * lanes);
    if (shape->neighbour == NULL || shape->weight == NULL)
        return false;
    for (int i = 0; i < shape->knotBlocks * MODAL_BLOCK; ++i)
        fillKnot(shape, patch, i);
    return true;
}

// ---- means ----------------------------------------------------------------------------------------------------------

// The knots around a vertex, the nearest first.
typedef struct Around
{
    int count, knot[MODAL_MEANS];
    double square[MODAL_MEANS]; // m^2, of the distance
    Vec3 away[MODAL_MEANS];     // m
    double volume[MODAL_MEANS]; // m^3
} Around;

static void addAround(Around *around, int knot, Vec3 away, double volume)
{
    double square = vecDot(away, away);
    int place = around->count;
    for (int k = 0; k < around->count; ++k)
    {
        if (around->knot[k] == knot)
            return;
    }
    while (place > 0 && around->square[place - 1] > square)
        place -= 1;
    if (place == MODAL_MEANS)
        return;
    around->count = minInt(around->count + 1, MODAL_MEANS);
    for (int k = around->count - 1; k > place; --k)
    {
        around->knot[k] = around->knot[k - 1];
        around->square[k] = around->square[k - 1];
        around->away[k] = around->away[k - 1];
        around->volume[k] = around->volume[k - 1];
    }
    around->knot[place] = knot;
    around->square[place] = square;
    around->away[place] = away;
    around->volume[place] = volume;
}

// as far as two edges away; returns the mean square of an edge, m^2
static double lookAround(const Patch *patch, const ModalMesh *mesh, const int *number, int vertex, Around *around)
{
    Vec3 own = vecLoad(mesh->rest + 3 * (ptrdiff_t)vertex);
    double sum = 0;
    int begin = patch->start[vertex], end = patch->start[vertex + 1];
    around->count = 0;
    if (number[vertex] >= 0)
        addAround(around, number[vertex], vec3(0, 0, 0), patch->volume[vertex]);
    for (int i = begin; i < end; ++i)
    {
        int v = patch->neighbour[i];
        Vec3 edge = vecSub(vecLoad(mesh->rest + 3 * (ptrdiff_t)v), own);
        sum += vecDot(edge, edge) / (end - begin);
        for (int j = patch->start[v] - 1; j < patch->start[v + 1]; ++j)
        {
            int other = j < patch->start[v] ? v : patch->neighbour[j];
            if (number[other] >= 0)
                addAround(around, number[other], vecSub(vecLoad(mesh->rest + 3 * (ptrdiff_t)other), own),
                          patch->volume[other]);
        }
    }
    return sum;
}

// x = A^-1 x, 4 x 4, symmetric and positive definite
static void solveFour(double a[4][4], double x[4])
{
    for (int j = 0; j < 4; ++j)
    {
        for (int i = j + 1; i < 4; ++i)
        {
            double factor = a[i][j] / a[j][j];
            for (int k = j; k < 4; ++k)
                a[i][k] -= factor * a[j][k];
            x[i] -= factor * x[j];
        }
    }
    for (int j = 3; j >= 0; --j)
    {
        for (int k = j + 1; k < 4; ++k)
            x[j] -= a[j][k] * x[k];
        x[j] /= a[j][j];
    }
}

// Weights near volume / (distance^2 + edge^2) whose mean is the vertex itself: a field linear in space stays as it is
static void weighAround(const Around *around, double edge, double *weight)
{
    double a[4][4] = { { 0 } }, x[4] = { 1, 0, 0, 0 }, base[MODAL_MEANS];
    for (int k = 0; k < around->count; ++k)
    {
        double row[4] = { 1 };
        vecStore(row + 1, around->away[k]);
        base[k] = around->volume[k] / (around->square[k] + edge);
        for (int i = 0; i < 16; ++i)
            a[i / 4][i % 4] += base[k] * row[i / 4] * row[i % 4];
    }
    double blunt = BLUNT * (a[1][1] + a[2][2] + a[3][3]) + 1e-9 * a[0][0] * edge;
    for (int i = 1; i < 4; ++i)
        a[i][i] += blunt;
    solveFour(a, x);
    for (int k = 0; k < around->count; ++k)
        weight[k] = base[k] * (x[0] + x[1] * around->away[k].x + x[2] * around->away[k].y + x[3] * around->away[k].z);
}

static void fillMean(ModalShape *shape, const Patch *patch, const ModalMesh *mesh, const int *number, int place)
{
    int vertex = minInt(place, shape->vertices - 1), block = place / MODAL_BLOCK, lane = place % MODAL_BLOCK;
    Around around;
    double edge = lookAround(patch, mesh, number, vertex, &around), weight[MODAL_MEANS] = { 1 }, most = 1;
    if (around.count > 1)
    {
        weighAround(&around, edge, weight);
        most = 0;
        for (int k = 0; k < around.count; ++k)
            most = maxReal(most, fabs(weight[k]));
    }
    for (int k = 0; k < MODAL_MEANS; ++k)
    {
        int at = (block * MODAL_MEANS + k) * MODAL_BLOCK + lane;
        shape->meanKnot[at] = k < around.count ? around.knot[k] : around.count > 0 ? around.knot[0] : 0;
        shape->meanShare[at] = k < maxInt(around.count, 1) ? onScale(weight[k], most) : 0;
    }
}

bool modalKnotsCreate(ModalShape *shape, const Patch *patch, const ModalMesh *mesh)
{
    Memory *memory = shape->memory;
    size_t lanes = (size_t)shape->blocks * MODAL_MEANS * MODAL_BLOCK;
    int *number = ALLOCATE(memory, int, shape->vertices);
    shape->meanKnot = ALLOCATE(memory, int, lanes);
    shape->meanShare = ALLOCATE(memory, int16_t, lanes);
    bool ok = number != NULL && shape->meanKnot != NULL && shape->meanShare != NULL;
    if (ok)
    {
        chooseKnots(shape, patch, number);
        ok = createKnots(shape, patch, number);
    }
    for (int v = 0; v < shape->blocks * MODAL_BLOCK && ok; ++v)
        fillMean(shape, patch, mesh, number, v);
    memoryRelease(memory, number);
    return ok;
}
