// A CSV file as columns of numbers, and rows in groups by the words of one column.
#include "tool/plot.h"

#include "base/decimal.h"
#include "base/system.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// the next cell of a line, which is cut there; NULL: no more
static char *nextCell(char **line)
{
    char *cell = *line;
    if (cell == NULL)
        return NULL;
    char *comma = strchr(cell, ',');
    *line = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL)
        *comma = '\0';
    cell[strcspn(cell, "\r\n")] = '\0';
    return cell;
}

static int columnOf(const char *header, const char *name)
{
    char copy[PLOT_LINE], *rest = copy;
    snprintf(copy, sizeof copy, "%s", header);
    int index = 0;
    for (char *cell = nextCell(&rest); cell != NULL; cell = nextCell(&rest), ++index)
    {
        if (strcmp(cell, name) == 0)
            return index;
    }
    return -1;
}

static bool keep(PlotTable *table, const double *values, const char *group)
{
    if (table->count == table->room)
    {
        size_t wanted = 2 * (size_t)table->room + 256, old = (size_t)table->room;
        void *rows = table->value, *names = table->group;
        bool enough = memoryGrow(table->memory, &rows, old * PLOT_COLUMNS, wanted * PLOT_COLUMNS, sizeof(double));
        table->value = rows;
        enough = enough && memoryGrow(table->memory, &names, old, wanted, sizeof *table->group);
        table->group = names;
        if (!enough)
            return false;
        table->room = (int)wanted;
    }
    memcpy(table->value + (size_t)PLOT_COLUMNS * (size_t)table->count, values, PLOT_COLUMNS * sizeof(double));
    snprintf(table->group[table->count], sizeof table->group[0], "%s", group);
    table->count += 1;
    return true;
}

static vvResult findColumns(PlotTable *table, const char *file, const char *header)
{
    for (int k = 0; k < table->columnCount; ++k)
    {
        table->column[k] = columnOf(header, table->name[k]);
        if (table->column[k] < 0)
            return resultMake(VV_BAD_INPUT, "its first line names the columns",
                              "'%.100s' has no column '%.40s' (%.160s)", file, table->name[k], header);
    }
    table->byColumn = table->by != NULL ? columnOf(header, table->by) : -1;
    if (table->by != NULL && table->byColumn < 0)
        return resultMake(VV_BAD_INPUT, "its first line names the columns", "'%.100s' has no column '%.40s' (%.160s)",
                          file, table->by, header);
    return resultOk();
}

// a line without comments
static bool readLine(FILE *in, char *line)
{
    while (fgets(line, PLOT_LINE, in) != NULL)
    {
        if (line[0] != '#')
            return true;
    }
    return false;
}

vvResult plotTableRead(PlotTable *table, const char *file)
{
    char line[PLOT_LINE];
    FILE *in = systemStream(file, FILE_TO_READ);
    if (in == NULL)
        return resultMake(VV_INPUT_OUTPUT, "name a CSV file, or the folder of a run", "cannot read '%.120s': %s", file,
                          strerror(errno));
    vvResult result = resultOk();
    if (!readLine(in, line))
        result = resultMake(VV_BAD_INPUT, "name a CSV file", "'%.120s' is empty", file);
    line[strcspn(line, "\r\n")] = '\0';
    if (result.code == VV_OK)
        result = findColumns(table, file, line);
    while (result.code == VV_OK && readLine(in, line))
    {
        double values[PLOT_COLUMNS];
        const char *group = "";
        char *rest = line;
        for (int k = 0; k < PLOT_COLUMNS; ++k)
            values[k] = NAN;
        int index = 0;
        for (char *cell = nextCell(&rest); cell != NULL; cell = nextCell(&rest), ++index)
        {
            group = index == table->byColumn ? cell : group;
            for (int k = 0; k < table->columnCount; ++k)
            {
                if (index == table->column[k] && decimalRead(cell, &values[k]) == NULL)
                    values[k] = NAN;
            }
        }
        if (!keep(table, values, group))
            result = resultOutOfMemory("the rows of a table");
    }
    fclose(in);
    if (result.code == VV_OK && table->count == 0)
        result = resultMake(VV_BAD_INPUT, "run it again", "'%.120s' has no rows", file);
    return result;
}

void plotTableRelease(PlotTable *table)
{
    memoryRelease(table->memory, table->value);
    memoryRelease(table->memory, table->group);
}
