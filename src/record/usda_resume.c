// Going on with a USD layer: what it holds is found line by line, checked, and cut behind a frame.
#include "record/usda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 65536

// Calls of diskRead for single bytes, through a buffer.
struct UsdaReader
{
    const File *file;
    long long begin, end; // what the buffer holds
    char buffer[CHUNK];
};

UsdaReader *usdaReaderMake(Memory *memory)
{
    return ALLOCATE(memory, UsdaReader, 1);
}

static void readFrom(UsdaReader *reader, const File *file)
{
    reader->file = file;
    reader->begin = reader->end = 0;
}

static int byteAt(UsdaReader *reader, long long offset)
{
    if (offset < 0 || offset >= reader->file->size)
        return -1;
    if (offset < reader->begin || offset >= reader->end)
    {
        reader->begin = offset / CHUNK * CHUNK;
        long long rest = reader->file->size - reader->begin;
        reader->end = reader->begin + (rest < CHUNK ? rest : CHUNK);
        if (diskRead(reader->file, reader->begin, reader->buffer, (size_t)(reader->end - reader->begin)).code != VV_OK)
        {
            reader->end = reader->begin;
            return -1;
        }
    }
    return (unsigned char)reader->buffer[offset - reader->begin];
}

static bool startsWith(UsdaReader *reader, long long offset, const char *word)
{
    for (; *word != 0; ++word, ++offset)
    {
        if (byteAt(reader, offset) != (unsigned char)*word)
            return false;
    }
    return true;
}

// The end of the line that begins at `offset`; -1: the file ends first.
static long long lineEnd(UsdaReader *reader, long long offset)
{
    for (int byte; (byte = byteAt(reader, offset)) != -1; ++offset)
    {
        if (byte == '\n')
            return offset + 1;
    }
    return -1;
}

int usdaFirst(const File *file)
{
    char head[USDA_HEAD + LONGEST_STEM] = "";
    size_t size = file->size < (long long)sizeof head - 1 ? (size_t)file->size : sizeof head - 1;
    if (diskRead(file, 0, head, size).code != VV_OK)
        return -1;
    const char *word = "startTimeCode = ", *at = strstr(head, word);
    long first = at != NULL ? strtol(at + strlen(word), NULL, 10) : -1;
    return first >= 0 && first < 1000000000 ? (int)first : -1;
}

// The offset behind frame `last`, or behind the last one there is, which is *found. The tail's second line may follow.
static long long framesEnd(UsdaReader *reader, const UsdaLayer *layer, int last, int *found)
{
    long long at = layer->headSize;
    *found = layer->since - 1;
    for (int frame = layer->since; frame <= last; ++frame)
    {
        char begin[16];
        snprintf(begin, sizeof begin, "  %d: [", frame);
        long long end = startsWith(reader, at, begin) ? lineEnd(reader, at) : -1;
        if (end < 0)
            break;
        at = startsWith(reader, end, "}\n") ? end + 2 : end;
        *found = frame;
    }
    return at;
}

static bool isWithin(long long at, long long begin, int width)
{
    return at >= begin && at < begin + width;
}

vvResult usdaLayerCheck(const vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer, UsdaReader *reader)
{
    Path path;
    usdaLayerPath(recorder, body, layer->meshNumber, &path);
    vvResult result = resumeOpen(&layer->file, &path);
    if (result.code != VV_OK)
        return result;
    readFrom(reader, &layer->file);
    bool isSame = layer->file.size >= layer->headSize;
    for (long long i = 0; isSame && i < layer->headSize - USDA_TAIL_SIZE; ++i)
    {
        bool changes = isWithin(i, layer->endAt, USDA_END_WIDTH) || isWithin(i, layer->visibleAt, USDA_VISIBLE_WIDTH);
        isSame = changes || byteAt(reader, i) == (unsigned char)layer->bytes[i];
    }
    if (!isSame)
        return resumeRefused(&path, "is of another body, mesh or frame time");
    int found;
    framesEnd(reader, layer, recorder->resumeFrame, &found);
    return found == recorder->resumeFrame ? resultOk() : resumeRefused(&path, "holds fewer frames");
}

static long long lineBegin(UsdaReader *reader, long long offset)
{
    while (offset > 0 && byteAt(reader, offset - 1) != '\n')
        --offset;
    return offset;
}

// Hides one frame after the other, from the last, and cuts it off, until the resumed one is the last. What stands
// behind all frames goes first: one that never came to light, or references to later meshes.
vvResult usdaLayerCut(UsdaLayer *layer, UsdaReader *reader, int last)
{
    File *file = &layer->file;
    int found;
    readFrom(reader, file);
    vvResult result = diskCut(file, framesEnd(reader, layer, INT32_MAX - 1, &found));
    long long end = framesEnd(reader, layer, last, &found);
    while (result.code == VV_OK && file->size > end)
    {
        long long line = lineBegin(reader, file->size - USDA_TAIL_SIZE);
        if (end < layer->headSize || line < end)
            return resumeRefused(&file->path, "cannot be read");
        result = diskOverwrite(file, file->size - USDA_TAIL_SIZE, usdaOpenTail, USDA_TAIL_SIZE); // all on one line
        if (result.code == VV_OK)
            result = diskOverwrite(file, line - USDA_TAIL_SIZE, usdaHidden, USDA_TAIL_SIZE + 1);
        if (result.code == VV_OK)
            result = diskCut(file, line);
    }
    // a process may have ended before the tail got its newline
    if (result.code == VV_OK)
        result = diskOverwrite(file, file->size - USDA_TAIL_SIZE, usdaTail, USDA_TAIL_SIZE);
    if (result.code == VV_OK)
        result = usdaLayerShow(layer, -1);
    return result.code == VV_OK ? usdaLayerEnd(file, layer->endAt, last + 1) : result;
}

long long usdaReferencesEnd(const File *file, const RecordBody *body, UsdaReader *reader)
{
    char prim[LONGEST_STEM + 32];
    char *out = textWord(prim, body->triangleCount > 0 ? "def Mesh \"" : "def BasisCurves \"");
    *textWord(usdaPrim(out, body, body->meshNumber), "\"") = 0;
    readFrom(reader, file);
    long long at = 0;
    while (at >= 0 && !startsWith(reader, at, prim))
        at = lineEnd(reader, at);
    for (int line = 0; line < 5 && at >= 0; ++line)
        at = lineEnd(reader, at);
    return at;
}
