// The columns of L for an order: elimination tree, postorder and the permuted matrix. Scratch of the analysis of
// fronts.
#ifndef LINEAR_COLUMNS_H
#define LINEAR_COLUMNS_H

#include "linear/linear.h"

#define COLUMNS_NONE (-1)

typedef struct Columns
{
    int count;
    int *order;    // count: vertex of each column, a postorder of the elimination tree
    int *place;    // count: column of each vertex
    int *rowStart; // count + 1
    int *column;   // entries below the diagonal: the permuted matrix by rows
    int *source;   // the same entries in the graph, ~index where it has them above the diagonal of the permuted matrix
    int *parent;   // count: elimination tree, COLUMNS_NONE at a root
    int *below;    // count: entries of L below the diagonal
    int *line;     // count: scratch
    int *other;    // count: scratch
} Columns;

bool columnsAllocate(Memory *memory, const Graph *graph, Columns *columns); // false: free it all the same
void columnsFree(Memory *memory, Columns *columns);
void columnsAnalyse(const Graph *graph,
                    Columns *columns); // everything but `below`, from order, which it makes a postorder
bool columnsCount(Columns *columns);   // below; false: L has 2^31 entries
void columnsPermute(const Graph *graph, Columns *columns); // place, rowStart, column, source from order

#endif
