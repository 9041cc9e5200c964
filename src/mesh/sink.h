// Text that is written once, to a temporary file beside its target that takes the target's place when all went well.
#ifndef MESH_SINK_H
#define MESH_SINK_H

#include "base/base.h"

#include <stdio.h>

typedef struct Sink
{
    Memory *memory;
    const char *path; // the target
    char *temporary;  // path of the file that is written
    FILE *file;
    char *buffer;
    size_t used;
    bool made; // the temporary file exists
    bool failed, outOfMemory;
    int error; // errno of the first failure
} Sink;

vvResult sinkOpen(Sink *sink, Memory *memory, const char *path);
vvResult sinkClose(Sink *sink);  // flushes; the target is still untouched
vvResult sinkCommit(Sink *sink); // the temporary becomes the target
void sinkAbandon(Sink *sink);    // removes what is left; fine at any time

// Failures are kept until sinkClose.
void sinkText(Sink *sink, const char *text);
void sinkBytes(Sink *sink, const void *bytes, size_t size); // a few
void sinkLittle(Sink *sink, uint64_t value, int bytes);     // the lowest byte first
void sinkFloat(Sink *sink, double value);                   // likewise, in single precision
void sinkInteger(Sink *sink, long long value);
void sinkReal(Sink *sink, double value); // reads back with the same bits

// Numbers with blanks between them and `tail` behind the last.
void sinkPoint(Sink *sink, const double *point, const char *tail);
void sinkIndices(Sink *sink, const int *index, int count, int base, const char *tail);

#endif
