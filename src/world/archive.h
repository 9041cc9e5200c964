// An archive of bytes that are the same on every machine (little-endian): one walk over a state measures, saves, checks
// or loads it, so that the four cannot disagree.
#ifndef WORLD_ARCHIVE_H
#define WORLD_ARCHIVE_H

#include "base/base.h"

#include <math.h>
#include <string.h>

typedef enum ArchiveMode
{
    ARCHIVE_MEASURE,
    ARCHIVE_SAVE,
    ARCHIVE_CHECK, // reads and judges, changes nothing
    ARCHIVE_LOAD,
} ArchiveMode;

typedef struct Archive
{
    ArchiveMode mode;
    size_t size;                 // bytes passed so far
    unsigned char *target;       // of the next byte, when saving
    const unsigned char *source; // of the next byte, when reading
    vvResult result;             // of the check: the first number that cannot be
} Archive;

static inline void archivePut64(unsigned char *at, uint64_t word)
{
    for (int i = 0; i < 8; ++i)
        at[i] = (unsigned char)(word >> (8 * i));
}

static inline uint64_t archiveGet64(const unsigned char *at)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

// Of a saved state: it begins with this word, and its time in s stands at this byte.
#define STATE_MAGIC "VERVESTA"
#define STATE_TIME 40

// s; NAN: these bytes are no saved state
static inline double archiveTime(const void *state, size_t size)
{
    double time = NAN;
    if (state == NULL || size < STATE_TIME + sizeof time || memcmp(state, STATE_MAGIC, 8) != 0)
        return time;
    uint64_t bits = archiveGet64((const unsigned char *)state + STATE_TIME);
    memcpy(&time, &bits, sizeof time);
    return time;
}

// Fingerprints: like hashBytes, but of numbers, so that the order of bytes in memory does not matter.
static inline uint64_t mixWord(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x100000001b3ULL;
    return hash ^ (hash >> 32);
}

static inline uint64_t mixReal(uint64_t hash, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return mixWord(hash, word);
}

uint64_t mixBytes(uint64_t hash, const unsigned char *bytes, size_t size);

// Each passes what it is given and returns what there is now: the same, or when loading what was in the archive.
void archiveReals(Archive *archive, double *values, size_t count);         // finite, or the check refuses
bool archiveFlags(Archive *archive, unsigned char *flags, size_t count);   // 0 or 1; true: loading changed some
bool archiveFlag(Archive *archive, bool flag);                             //
long long archiveCount(Archive *archive, long long value, long long most); // 0 to most
void archiveText(Archive *archive, char *text, size_t size); // size bytes, the last is 0; checking reads it too

#endif
