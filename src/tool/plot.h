// verve plot: columns of CSV files as curves.
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include "base/base.h"

#define PLOT_LINE 16384 // bytes of a line of a table
#define PLOT_COLUMNS 9  // x and up to eight others
#define PLOT_CURVES 64  // of a panel
#define PLOT_NAME 64    // bytes of a word that groups rows
#define PLOT_PANEL 300  // pixels, the default height of a panel
#define PLOT_PANELS (PLOT_COLUMNS - 1)

typedef struct PlotTable
{
    Memory *memory;
    int columnCount;                // wanted
    const char *name[PLOT_COLUMNS]; // x first
    const char *by;                 // rows with the same word there are one curve; NULL: all are one
    int column[PLOT_COLUMNS], byColumn;
    int count, room;
    double *value;            // count x PLOT_COLUMNS; NaN: no number
    char (*group)[PLOT_NAME]; // count
} PlotTable;

vvResult plotTableRead(PlotTable *table, const char *file); // a row that is not whole has NaN
void plotTableRelease(PlotTable *table);

#endif
