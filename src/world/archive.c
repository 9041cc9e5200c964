#include "world/archive.h"

#include <math.h>
#include <string.h>

static void archiveRefuse(Archive *archive, const char *what, double value)
{
    if (archive->result.code == VV_OK)
        archive->result = resultMake(VV_BAD_INPUT, "save it again from a world that runs",
                                     "the state has %s of %g, %zu bytes behind its header", what, value, archive->size);
}

static void archiveSkip(Archive *archive, size_t bytes)
{
    archive->size += bytes;
    if (archive->mode == ARCHIVE_SAVE)
        archive->target += bytes;
    else if (archive->mode != ARCHIVE_MEASURE)
        archive->source += bytes;
}

static uint64_t archiveWord(Archive *archive, uint64_t word)
{
    if (archive->mode == ARCHIVE_SAVE)
        archivePut64(archive->target, word);
    else if (archive->mode != ARCHIVE_MEASURE)
        word = archiveGet64(archive->source);
    archiveSkip(archive, 8);
    return word;
}

static uint64_t bitsOf(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double realOf(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

void archiveReals(Archive *archive, double *values, size_t count)
{
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_SAVE; ++i)
        archivePut64(archive->target + 8 * i, bitsOf(values[i]));
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_CHECK; ++i)
    {
        double value = realOf(archiveGet64(archive->source + 8 * i));
        if (!isfinite(value))
            archiveRefuse(archive, "a number", value);
    }
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_LOAD; ++i)
        values[i] = realOf(archiveGet64(archive->source + 8 * i));
    archiveSkip(archive, 8 * count);
}

// a number from 0 to `most`
long long archiveCount(Archive *archive, long long value, long long most)
{
    uint64_t word = archiveWord(archive, (uint64_t)value);
    if (archive->mode == ARCHIVE_CHECK && word > (uint64_t)most)
        archiveRefuse(archive, "a count", (double)word);
    return archive->mode == ARCHIVE_LOAD ? (long long)word : value;
}

// bytes that are 0 or 1; true: loading changed some of them
bool archiveFlags(Archive *archive, unsigned char *flags, size_t count)
{
    bool changed = false;
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_SAVE; ++i)
        archive->target[i] = flags[i] != 0;
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_CHECK; ++i)
    {
        if (archive->source[i] > 1)
            archiveRefuse(archive, "a flag", archive->source[i]);
    }
    for (size_t i = 0; i < count && archive->mode == ARCHIVE_LOAD; ++i)
    {
        changed |= (flags[i] != 0) != (archive->source[i] != 0);
        flags[i] = archive->source[i];
    }
    archiveSkip(archive, count);
    return changed;
}

bool archiveFlag(Archive *archive, bool flag)
{
    unsigned char byte = flag;
    archiveFlags(archive, &byte, 1);
    return byte != 0;
}

void archiveText(Archive *archive, char *text, size_t size)
{
    if (archive->mode == ARCHIVE_SAVE)
        memcpy(archive->target, text, size);
    else if (archive->mode != ARCHIVE_MEASURE)
    {
        memcpy(text, archive->source, size);
        text[size - 1] = 0;
    }
    archiveSkip(archive, size);
}

uint64_t mixBytes(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (; size >= 8; bytes += 8, size -= 8)
        hash = mixWord(hash, archiveGet64(bytes));
    for (; size > 0; ++bytes, --size)
        hash = mixWord(hash, *bytes);
    return hash;
}
