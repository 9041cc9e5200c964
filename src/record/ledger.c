// The ledger of every frame as CSV, one row per frame; row 0 is the initial state.
#include "record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char header[] = "frame,time,kinetic,elastic,gravity,contact,added,dissipated,total,target,numerical,alpha,"
                             "px,py,pz,lx,ly,lz,iterations,residual,hash\n";

#define LONGEST_ROW 640

static size_t writeRow(vvWorldId world, vvLedger ledger, int frame, char *row)
{
    vvStatistics statistics = vvWorld_GetStatistics(world);
    const double columns[] = {
        vvWorld_GetTime(world),  ledger.kinetic,    ledger.elastic,           ledger.gravity,
        ledger.contact,          ledger.added,      ledger.dissipated,        ledger.total,
        ledger.target,           ledger.numerical,  statistics.alpha,         ledger.momentum.x,
        ledger.momentum.y,       ledger.momentum.z, ledger.angularMomentum.x, ledger.angularMomentum.y,
        ledger.angularMomentum.z
    };
    char *out = textInt(row, frame);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
    {
        *out++ = ',';
        out = textReal(out, columns[c]);
    }
    *out++ = ',';
    out = textInt(out, statistics.iterations);
    *out++ = ',';
    out = textReal(out, statistics.residual);
    out += snprintf(out, 24, ",%016" PRIx64 "\n", vvWorld_GetHash(world));
    return (size_t)(out - row);
}

// ---- tables of a row per frame --------------------------------------------------------------------------------------

// How many bytes hold the header and the rows 0 .. last; -1: they are not there.
static long long rowsEnd(const char *bytes, size_t size, const char *heading, int last)
{
    size_t length = strlen(heading);
    if (size < length || memcmp(bytes, heading, length) != 0)
        return -1;
    const char *at = bytes + length, *end = bytes + size;
    for (int frame = 0; frame <= last; ++frame)
    {
        char begin[16];
        *textWord(textInt(begin, frame), ",") = 0;
        const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (newline == NULL || strncmp(at, begin, strlen(begin)) != 0)
            return -1;
        at = newline + 1;
    }
    return at - bytes;
}

vvResult tableOpen(vvRecorder *recorder, Table *table, const char *stem, const char *ending, const char *heading)
{
    pathMake(recorder, &table->path, stem, ending);
    table->file.handle = -1;
    if (recorder->resumeFrame < 0)
        return resultOk();
    vvResult result = resumeOpen(&table->file, &table->path);
    if (result.code != VV_OK)
        return result;
    char *bytes = ALLOCATE(&recorder->memory, char, table->file.size + 1); // ends with 0
    if (bytes == NULL)
        return resultOutOfMemory("the check of a table");
    result = diskRead(&table->file, 0, bytes, (size_t)table->file.size);
    table->keep = result.code == VV_OK ? rowsEnd(bytes, (size_t)table->file.size, heading, recorder->resumeFrame) : 0;
    if (table->keep < 0)
        result = resumeRefused(&table->path, "is another table, or has fewer rows");
    memoryRelease(&recorder->memory, bytes);
    return result;
}

vvResult tableStart(const vvRecorder *recorder, Table *table, const char *heading)
{
    if (recorder->resumeFrame >= 0)
        return diskCut(&table->file, table->keep);
    vvResult result = diskReplace(&table->path, heading, strlen(heading));
    return result.code == VV_OK ? diskOpen(&table->file, &table->path) : result;
}

// ---- the ledger -----------------------------------------------------------------------------------------------------

static vvResult ledgerOpen(vvRecorder *recorder, void **self)
{
    Table *table = ALLOCATE(&recorder->memory, Table, 1);
    *self = table;
    return table ? tableOpen(recorder, table, recorder->ledger, "", header) : resultOutOfMemory("the ledger file");
}

static vvResult ledgerStart(vvRecorder *recorder, void *self)
{
    return tableStart(recorder, self, header);
}

static vvResult ledgerAdd(vvRecorder *recorder, void *self)
{
    Table *table = self;
    char row[LONGEST_ROW];
    vvLedger now = recorder->now ? *recorder->now : vvWorld_GetLedger(recorder->world);
    size_t size = writeRow(recorder->world, now, recorder->frameCount, row);
    return diskAppend(&table->file, row, size);
}

static vvResult ledgerClose(vvRecorder *recorder, void *self)
{
    Table *table = self;
    if (table != NULL)
        diskClose(&table->file);
    memoryRelease(&recorder->memory, table);
    return resultOk();
}

const Format ledgerFormat = { "ledger", false, ledgerOpen, ledgerStart, ledgerAdd, ledgerClose };
