#include "tool/render.h"

#include "base/system.h"

#include "base/decimal.h"

#include <errno.h>
#include <string.h>

#define LINE_SIZE 4096
#define MOST_CELLS 64

static const char *const accountName[ACCOUNTS] = {
    "time", "kinetic", "elastic", "gravity", "contact", "total", "target"
};

// where each account is in the header; false: one is missing
static bool findColumns(char *line, int column[ACCOUNTS])
{
    for (int i = 0; i < ACCOUNTS; ++i)
        column[i] = -1;
    int index = 0;
    for (char *cell = line; cell != NULL; ++index)
    {
        char *comma = strchr(cell, ',');
        if (comma != NULL)
            *comma++ = '\0';
        cell[strcspn(cell, "\r\n")] = '\0';
        for (int i = 0; i < ACCOUNTS; ++i)
        {
            if (strcmp(cell, accountName[i]) == 0)
                column[i] = index;
        }
        cell = comma;
    }
    for (int i = 0; i < ACCOUNTS; ++i)
    {
        if (column[i] < 0 || column[i] >= MOST_CELLS)
            return false;
    }
    return true;
}

// the numbers of a row; returns how many cells it has. What is no number is NaN
static int readCells(const char *line, double cells[MOST_CELLS])
{
    int count = 0;
    for (const char *cell = line; cell != NULL && count < MOST_CELLS; ++count)
    {
        if (decimalRead(cell, &cells[count]) == NULL)
            cells[count] = NAN;
        cell = strchr(cell, ',');
        cell = cell != NULL ? cell + 1 : NULL;
    }
    return count;
}

static bool addRow(Memory *memory, LedgerTable *table, int *capacity, const int column[ACCOUNTS], const double *cells)
{
    int wanted = table->count < *capacity ? *capacity : 2 * *capacity + 256;
    for (int i = 0; i < ACCOUNTS && wanted > *capacity; ++i)
    {
        void *block = table->account[i];
        if (!memoryGrow(memory, &block, (size_t)table->count, (size_t)wanted, sizeof(double)))
            return false;
        table->account[i] = block;
    }
    *capacity = wanted;
    for (int i = 0; i < ACCOUNTS; ++i)
        table->account[i][table->count] = cells[column[i]];
    table->count += 1;
    return true;
}

vvResult ledgerRead(Memory *memory, const char *file, LedgerTable *table)
{
    const char *remedy = "run the scene again with record.ledger, or leave out --curves";
    FILE *in = systemStream(file, FILE_TO_READ);
    if (in == NULL)
        return resultMake(VV_INPUT_OUTPUT, remedy, "cannot read '%.120s': %s", file, strerror(errno));
    char line[LINE_SIZE];
    int column[ACCOUNTS], capacity = 0, most = 0;
    vvResult result = resultOk();
    if (fgets(line, sizeof line, in) == NULL || !findColumns(line, column))
        result = resultMake(VV_BAD_INPUT, remedy, "'%.120s' is no ledger: its first line lacks a column", file);
    for (int i = 0; i < ACCOUNTS && result.code == VV_OK; ++i)
        most = maxInt(most, column[i] + 1);
    while (result.code == VV_OK && fgets(line, sizeof line, in) != NULL)
    {
        double cells[MOST_CELLS];
        // a row that was cut is the last
        if (strchr(line, '\n') == NULL || readCells(line, cells) < most)
            break;
        if (!addRow(memory, table, &capacity, column, cells))
            result = resultOutOfMemory("the ledger");
    }
    fclose(in);
    if (result.code == VV_OK && table->count == 0)
        result = resultMake(VV_BAD_INPUT, remedy, "'%.120s' has no rows", file);
    return result;
}

void ledgerRelease(Memory *memory, LedgerTable *table)
{
    for (int i = 0; i < ACCOUNTS; ++i)
        memoryRelease(memory, table->account[i]);
}
