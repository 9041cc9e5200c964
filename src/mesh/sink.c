#include "mesh/sink.h"

#include "base/decimal.h"
#include "base/system.h"

#include <errno.h>
#include <string.h>

#define BUFFER_SIZE (64 * 1024)
#define ATTEMPTS 100 // names for the temporary file

// ---- files ----------------------------------------------------------------------------------------------------------

static vvResult sinkFault(const Sink *sink, const char *what, int error)
{
    return resultMake(VV_INPUT_OUTPUT, "check the path, its permissions and the space on the disk", "%.100s %s: %s",
                      sink->path, what, strerror(error));
}

// a name that is free now; nobody else makes it in between
static void openTemporary(Sink *sink, size_t size)
{
    for (int i = 0; i < ATTEMPTS && sink->file == NULL; ++i)
    {
        snprintf(sink->temporary, size, "%s.%d.tmp", sink->path, i);
        sink->file = systemStream(sink->temporary, FILE_TO_MAKE);
        sink->error = errno;
        if (sink->file == NULL && sink->error != EEXIST)
            return;
    }
}

vvResult sinkOpen(Sink *sink, Memory *memory, const char *path)
{
    *sink = (Sink){ .memory = memory, .path = path };
    FileKind kind = systemStatus(path).kind;
    if (kind != FILE_MISSING && kind != FILE_REGULAR) // renaming over a device would replace it
        return resultMake(VV_INPUT_OUTPUT, "give the path of a file", "%.100s is not a regular file", path);
    size_t size = strlen(path) + 16;
    sink->temporary = ALLOCATE(memory, char, size);
    sink->buffer = ALLOCATE(memory, char, BUFFER_SIZE);
    if (sink->temporary == NULL || sink->buffer == NULL)
        return resultOutOfMemory("a mesh file");
    openTemporary(sink, size);
    if (sink->file == NULL)
        return sinkFault(sink, "cannot be written", sink->error);
    sink->made = true;
    setvbuf(sink->file, NULL, _IONBF, 0);
    return resultOk();
}

static void flush(Sink *sink)
{
    if (sink->used > 0 && fwrite(sink->buffer, 1, sink->used, sink->file) != sink->used && !sink->failed)
    {
        sink->failed = true;
        sink->error = errno;
    }
    sink->used = 0;
}

vvResult sinkClose(Sink *sink)
{
    flush(sink);
    if (fclose(sink->file) != 0 && !sink->failed)
    {
        sink->failed = true;
        sink->error = errno;
    }
    sink->file = NULL;
    if (sink->outOfMemory)
        return resultOutOfMemory("a mesh file");
    return sink->failed ? sinkFault(sink, "could not be written to its end", sink->error) : resultOk();
}

vvResult sinkCommit(Sink *sink)
{
    if (systemRename(sink->temporary, sink->path) != 0)
        return sinkFault(sink, "could not be replaced", errno);
    sink->made = false;
    return resultOk();
}

void sinkAbandon(Sink *sink)
{
    if (sink->memory == NULL)
        return;
    if (sink->file != NULL)
        fclose(sink->file);
    if (sink->made)
        systemRemove(sink->temporary);
    memoryRelease(sink->memory, sink->temporary);
    memoryRelease(sink->memory, sink->buffer);
    *sink = (Sink){ 0 };
}

// ---- text -----------------------------------------------------------------------------------------------------------

static char *room(Sink *sink, size_t size)
{
    if (sink->used + size > BUFFER_SIZE)
        flush(sink);
    return sink->buffer + sink->used;
}

void sinkBytes(Sink *sink, const void *bytes, size_t size)
{
    ASSERT(size <= BUFFER_SIZE, "a piece fits in the buffer");
    memcpy(room(sink, size), bytes, size);
    sink->used += size;
}

void sinkLittle(Sink *sink, uint64_t value, int bytes)
{
    unsigned char out[8];
    for (int i = 0; i < bytes; ++i)
        out[i] = (unsigned char)(value >> (8 * i));
    sinkBytes(sink, out, (size_t)bytes);
}

void sinkFloat(Sink *sink, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    sinkLittle(sink, bits, 4);
}

void sinkText(Sink *sink, const char *text)
{
    sinkBytes(sink, text, strlen(text));
}

void sinkInteger(Sink *sink, long long value)
{
    char digits[24], *c = digits + sizeof digits;
    unsigned long long left = value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
    do
    {
        *--c = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0)
        *--c = '-';
    size_t size = (size_t)(digits + sizeof digits - c);
    memcpy(room(sink, size), c, size);
    sink->used += size;
}

void sinkReal(Sink *sink, double value)
{
    char *text = room(sink, DECIMAL_SIZE);
    sink->used += (size_t)(decimalWrite(text, value) - text);
}

void sinkPoint(Sink *sink, const double *point, const char *tail)
{
    for (int i = 0; i < 3; ++i)
    {
        sinkReal(sink, point[i]);
        sinkText(sink, i < 2 ? " " : tail);
    }
}

void sinkIndices(Sink *sink, const int *index, int count, int base, const char *tail)
{
    for (int i = 0; i < count; ++i)
    {
        sinkInteger(sink, (long long)base + index[i]);
        sinkText(sink, i + 1 < count ? " " : tail);
    }
}
