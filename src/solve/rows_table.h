// Inside the rows: how the numbers of a table are made.
#ifndef SOLVE_ROWS_TABLE_H
#define SOLVE_ROWS_TABLE_H

#include "solve/rows.h"

static inline bool rowsIsLarge(const ModalShape *shape) // its bodies have tables of their own
{
    return shape->vertices > ROWS_VERTICES;
}

static inline float *rowsBlock(const RowsTable *table, int from, int to) // of two of its rows
{
    return table->block + ((ptrdiff_t)from * table->room + to) * ROWS_BLOCK;
}

int rowsLow(const ModalShape *shape); // columns of P, a multiple of 8
// Between steps: P, and room to make tables in. False: out of memory.
bool rowsMakeFirst(ModalShape *shape, const double *mass);
// All rows of a table, or of a larger body none yet.
void rowsMake(const ModalShape *shape, const RowsSource *source, RowsTable *table);
// The rows from one on, of vertices that were added.
void rowsMakeFrom(const ModalShape *shape, const RowsSource *source, RowsTable *table, int begin);
void rowsForget(const ModalShape *shape, RowsTable *table); // all vertices

#endif
