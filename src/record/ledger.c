// The ledger of every frame as CSV, one row per frame; row 0 is the initial state.
#include "record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char header[] = "frame,time,kinetic,elastic,gravity,contact,added,dissipated,total,target,numerical,alpha,"
                             "px,py,pz,lx,ly,lz,iterations,residual,hash\n";

#define HEADER_SIZE ((long long)sizeof header - 1)
#define LONGEST_ROW 640

typedef struct Table
{
    File file;
    long long keep; // bytes of the file to be resumed
} Table;

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

// How many bytes hold the header and the rows 0 .. last; -1: they are not there.
static long long rowsEnd(const char *bytes, size_t size, int last)
{
    if (size < (size_t)HEADER_SIZE || memcmp(bytes, header, (size_t)HEADER_SIZE) != 0)
        return -1;
    const char *at = bytes + HEADER_SIZE, *end = bytes + size;
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

static vvResult ledgerOpen(vvRecorder *recorder, void **self)
{
    Table *table = ALLOCATE(&recorder->memory, Table, 1);
    *self = table;
    if (table == NULL)
        return resultOutOfMemory("the ledger file");
    table->file.handle = -1;
    if (recorder->resumeFrame < 0)
        return resultOk();
    Path path;
    pathMake(recorder, &path, recorder->ledger, "");
    vvResult result = resumeOpen(&table->file, &path);
    if (result.code != VV_OK)
        return result;
    char *bytes = ALLOCATE(&recorder->memory, char, table->file.size + 1); // ends with 0
    if (bytes == NULL)
        return resultOutOfMemory("the check of the ledger file");
    result = diskRead(&table->file, 0, bytes, (size_t)table->file.size);
    table->keep = result.code == VV_OK ? rowsEnd(bytes, (size_t)table->file.size, recorder->resumeFrame) : 0;
    if (table->keep < 0)
        result = resumeRefused(&path, "is no ledger, or has fewer rows");
    memoryRelease(&recorder->memory, bytes);
    return result;
}

static vvResult ledgerStart(vvRecorder *recorder, void *self)
{
    Table *table = self;
    if (recorder->resumeFrame >= 0)
        return diskCut(&table->file, table->keep);
    Path path;
    pathMake(recorder, &path, recorder->ledger, "");
    vvResult result = diskReplace(&path, header, (size_t)HEADER_SIZE);
    return result.code == VV_OK ? diskOpen(&table->file, &path) : result;
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
