#include "linear/linear.h"

#include <math.h>
#include <string.h>

#define NONE (-1)
#define PIVOT_TOLERANCE 1e-14 // of the diagonal entry before elimination: what is left below it is rounding

struct Factor
{
    Memory *memory;
    const Symbolic *symbolic;
    double *value; // symbolic->start[count] x 9: blocks of L, row-major; diagonal blocks are lower triangular
    double *work;  // count x 3: the permuted vector of a solve
    int *head;     // count: first finished column whose next row is this one
    int *next;     // count: and the one after it
    int *cursor;   // count: that row's block in the column
    int *position; // count: block of a row in the column under construction, counted from its diagonal
};

Factor *factorCreate(Memory *memory, const Symbolic *symbolic)
{
    Factor *factor = ALLOCATE(memory, Factor, 1);
    if (factor == NULL)
        return NULL;
    size_t count = (size_t)symbolic->count;
    factor->memory = memory;
    factor->symbolic = symbolic;
    factor->value = ALLOCATE(memory, double, (size_t)symbolic->start[count] * 9);
    factor->work = ALLOCATE(memory, double, count * 3);
    factor->head = ALLOCATE(memory, int, count);
    factor->next = ALLOCATE(memory, int, count);
    factor->cursor = ALLOCATE(memory, int, count);
    factor->position = ALLOCATE(memory, int, count);
    if (factor->value != NULL && factor->work != NULL && factor->head != NULL && factor->next != NULL &&
        factor->cursor != NULL && factor->position != NULL)
        return factor;
    factorDestroy(factor);
    return NULL;
}

void factorDestroy(Factor *factor)
{
    if (factor == NULL)
        return;
    Memory *memory = factor->memory;
    memoryRelease(memory, factor->value);
    memoryRelease(memory, factor->work);
    memoryRelease(memory, factor->head);
    memoryRelease(memory, factor->next);
    memoryRelease(memory, factor->cursor);
    memoryRelease(memory, factor->position);
    memoryRelease(memory, factor);
}

// ---- factorisation ---------------------------------------------------------------------------------------------------

// Column j of P A P^T, zero where L fills in, and the way from its rows to their blocks.
static void gatherColumn(Factor *factor, const double *matrix, int j)
{
    const Symbolic *s = factor->symbolic;
    int begin = s->start[j], end = s->start[j + 1];
    memset(factor->value + 9 * (size_t)begin, 0, sizeof(double) * 9 * (size_t)(end - begin));
    for (int p = begin; p < end; ++p)
        factor->position[s->row[p]] = p - begin;
    for (int g = s->gatherStart[j]; g < s->gatherStart[j + 1]; ++g)
    {
        int target = s->gather[g].target;
        const double *a = matrix + 9 * (size_t)s->gather[g].source;
        double *b = factor->value + 9 * (size_t)(target >= 0 ? target : ~target);
        if (target >= 0)
            memcpy(b, a, sizeof(double) * 9);
        else
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    b[3 * r + c] = a[3 * c + r];
    }
}

// Subtracts what a finished column k contributes to the column under construction: for its `count` blocks L(i,k) from
// L(j,k) on, C(i) -= L(i,k) L(j,k)^T. The kernel of the factorisation.
static void subtractColumn(const double *restrict a, const int *restrict row, int count, const int *restrict position,
                           double *restrict column)
{
    const double b00 = a[0], b01 = a[1], b02 = a[2];
    const double b10 = a[3], b11 = a[4], b12 = a[5];
    const double b20 = a[6], b21 = a[7], b22 = a[8];
    for (int k = 0; k < count; ++k, a += 9)
    {
        double *c = column + 9 * (size_t)position[row[k]];
        for (int r = 0; r < 9; r += 3)
        {
            double a0 = a[r], a1 = a[r + 1], a2 = a[r + 2];
            c[r] -= a0 * b00 + a1 * b01 + a2 * b02;
            c[r + 1] -= a0 * b10 + a1 * b11 + a2 * b12;
            c[r + 2] -= a0 * b20 + a1 * b21 + a2 * b22;
        }
    }
}

// Files finished column k under the row of the block at `cursor`, if there is one.
static void fileColumn(Factor *factor, int k, int cursor)
{
    const Symbolic *s = factor->symbolic;
    if (cursor == s->start[k + 1])
        return;
    int row = s->row[cursor];
    factor->cursor[k] = cursor;
    factor->next[k] = factor->head[row];
    factor->head[row] = k;
}

static void subtractDescendants(Factor *factor, int j)
{
    const Symbolic *s = factor->symbolic;
    double *column = factor->value + 9 * (size_t)s->start[j];
    for (int k = factor->head[j], next; k != NONE; k = next)
    {
        next = factor->next[k];
        int cursor = factor->cursor[k];
        subtractColumn(factor->value + 9 * (size_t)cursor, s->row + cursor, s->start[k + 1] - cursor, factor->position,
                       column);
        fileColumn(factor, k, cursor + 1);
    }
}

// Cholesky of the diagonal block in place. False if a pivot is lost against the entry it started from.
static bool factorDiagonal(double *d, const double *original)
{
    for (int c = 0; c < 3; ++c)
    {
        double pivot = d[4 * c];
        for (int t = 0; t < c; ++t)
            pivot -= d[3 * c + t] * d[3 * c + t];
        // a pivot only shrinks from its original, so this refuses zero and negative originals and infinity too; written
        // so that NaN fails
        if (!(pivot > PIVOT_TOLERANCE * original[c]))
            return false;
        d[4 * c] = sqrt(pivot);
        for (int r = c + 1; r < 3; ++r)
        {
            double sum = d[3 * r + c];
            for (int t = 0; t < c; ++t)
                sum -= d[3 * r + t] * d[3 * c + t];
            d[3 * r + c] = sum / d[4 * c];
        }
    }
    d[1] = d[2] = d[5] = 0;
    return true;
}

// C(i) D^-T for the blocks below the diagonal block D.
static void scaleColumn(double *restrict column, int count)
{
    const double d10 = column[3], d20 = column[6], d21 = column[7];
    const double r0 = 1 / column[0], r1 = 1 / column[4], r2 = 1 / column[8];
    for (double *c = column + 9, *end = column + 9 * (size_t)count; c < end; c += 3)
    {
        double x0 = c[0] * r0;
        double x1 = (c[1] - x0 * d10) * r1;
        c[0] = x0;
        c[1] = x1;
        c[2] = (c[2] - x0 * d20 - x1 * d21) * r2;
    }
}

bool factorCompute(Factor *factor, const BlockMatrix *matrix)
{
    const Symbolic *s = factor->symbolic;
    ASSERT_CHEAP(matrix->graph->count == s->count && matrix->graph->start[s->count] == s->gatherStart[s->count],
                 "the matrix lies on the graph that was analysed");
    for (int j = 0; j < s->count; ++j)
        factor->head[j] = NONE;
    for (int j = 0; j < s->count; ++j)
    {
        double *column = factor->value + 9 * (size_t)s->start[j];
        gatherColumn(factor, matrix->value, j);
        const double original[3] = { column[0], column[4], column[8] };
        subtractDescendants(factor, j);
        if (!factorDiagonal(column, original))
            return false;
        scaleColumn(column, s->start[j + 1] - s->start[j]);
        fileColumn(factor, j, s->start[j] + 1);
    }
    return true;
}

// ---- solution --------------------------------------------------------------------------------------------------------

// L y = b in place
static void solveLower(const Symbolic *s, const double *b, double *y)
{
    for (int j = 0; j < s->count; ++j)
    {
        double *u = y + 3 * (size_t)j;
        double u0 = u[0] / b[0];
        double u1 = (u[1] - b[3] * u0) / b[4];
        double u2 = (u[2] - b[6] * u0 - b[7] * u1) / b[8];
        u[0] = u0;
        u[1] = u1;
        u[2] = u2;
        b += 9;
        for (int p = s->start[j] + 1; p < s->start[j + 1]; ++p, b += 9)
        {
            double *v = y + 3 * (size_t)s->row[p];
            v[0] -= b[0] * u0 + b[1] * u1 + b[2] * u2;
            v[1] -= b[3] * u0 + b[4] * u1 + b[5] * u2;
            v[2] -= b[6] * u0 + b[7] * u1 + b[8] * u2;
        }
    }
}

// L^T x = y in place
static void solveUpper(const Symbolic *s, const double *value, double *y)
{
    for (int j = s->count - 1; j >= 0; --j)
    {
        const double *d = value + 9 * (size_t)s->start[j], *b = d + 9;
        double *u = y + 3 * (size_t)j;
        double u0 = u[0], u1 = u[1], u2 = u[2];
        for (int p = s->start[j] + 1; p < s->start[j + 1]; ++p, b += 9)
        {
            const double *v = y + 3 * (size_t)s->row[p];
            u0 -= b[0] * v[0] + b[3] * v[1] + b[6] * v[2];
            u1 -= b[1] * v[0] + b[4] * v[1] + b[7] * v[2];
            u2 -= b[2] * v[0] + b[5] * v[1] + b[8] * v[2];
        }
        u[2] = u2 / d[8];
        u[1] = (u1 - d[7] * u[2]) / d[4];
        u[0] = (u0 - d[3] * u[1] - d[6] * u[2]) / d[0];
    }
}

void factorSolve(Factor *factor, const double *right, double *result)
{
    const Symbolic *s = factor->symbolic;
    for (int k = 0; k < s->count; ++k)
        memcpy(factor->work + 3 * (size_t)k, right + 3 * (size_t)s->order[k], sizeof(double) * 3);
    solveLower(s, factor->value, factor->work);
    solveUpper(s, factor->value, factor->work);
    for (int k = 0; k < s->count; ++k)
        memcpy(result + 3 * (size_t)s->order[k], factor->work + 3 * (size_t)k, sizeof(double) * 3);
}
