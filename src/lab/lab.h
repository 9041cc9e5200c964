// verve lab: pages of measurements, one file each, as rows of a table that is printed as CSV or JSON.
#ifndef TOOL_LAB_H
#define TOOL_LAB_H

#include "tool/tool.h"

#include <stdio.h>

typedef struct LabTable
{
    FILE *out;
    bool json;
    const char *columns; // "method,problem,order"
    int rows, cells;     // cells of the row so far
} LabTable;

void labColumns(LabTable *table, const char *columns); // once, first
void labText(LabTable *table, const char *text);       // the next cell; the last of a row ends it
void labNumber(LabTable *table, double number); // infinite: inf in CSV, a string in JSON; not a number: empty, null

// What a page may be restricted to; NULL: everything.
typedef struct LabWish
{
    const char *method, *problem;
    const char *figure; // of projective and dinev; of cost a scene
    bool quick;         // small bodies and few steps, to see that it runs; projective, mass, cost, drops, dinev
} LabWish;

bool labWants(const char *wish, const char *name);

typedef struct LabPage
{
    const char *name;
    const char *about;
    int (*run)(LabTable *table, const LabWish *wish); // an exit code
    const char *x, *y, *by, *log;                     // columns that --out draws (verve plot); NULL: none, no log
} LabPage;

extern const LabPage labOrders, labWorkPrecision, labStability, labStepLimit, labSmallSteps, labProjective, labMass,
    labCost, labDrops, labDinev;

#endif
