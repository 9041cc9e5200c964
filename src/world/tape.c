#include "world/tape.h"

#include <math.h>
#include <string.h>

static void tapeRefuse(Tape *tape, const char *what, double value)
{
    if (tape->result.code == VV_OK)
        tape->result = resultMake(VV_BAD_INPUT, "save it again from a world that runs",
                                  "the state has %s of %g, %zu bytes behind its header", what, value, tape->size);
}

static void tapeSkip(Tape *tape, size_t bytes)
{
    tape->size += bytes;
    if (tape->mode == TAPE_SAVE)
        tape->target += bytes;
    else if (tape->mode != TAPE_MEASURE)
        tape->source += bytes;
}

static uint64_t tapeWord(Tape *tape, uint64_t word)
{
    if (tape->mode == TAPE_SAVE)
        tapePut64(tape->target, word);
    else if (tape->mode != TAPE_MEASURE)
        word = tapeGet64(tape->source);
    tapeSkip(tape, 8);
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

void tapeReals(Tape *tape, double *values, size_t count)
{
    for (size_t i = 0; i < count && tape->mode == TAPE_SAVE; ++i)
        tapePut64(tape->target + 8 * i, bitsOf(values[i]));
    for (size_t i = 0; i < count && tape->mode == TAPE_CHECK; ++i)
    {
        double value = realOf(tapeGet64(tape->source + 8 * i));
        if (!isfinite(value))
            tapeRefuse(tape, "a number", value);
    }
    for (size_t i = 0; i < count && tape->mode == TAPE_LOAD; ++i)
        values[i] = realOf(tapeGet64(tape->source + 8 * i));
    tapeSkip(tape, 8 * count);
}

// a number from 0 to `most`
long long tapeCount(Tape *tape, long long value, long long most)
{
    uint64_t word = tapeWord(tape, (uint64_t)value);
    if (tape->mode == TAPE_CHECK && word > (uint64_t)most)
        tapeRefuse(tape, "a count", (double)word);
    return tape->mode == TAPE_LOAD ? (long long)word : value;
}

// bytes that are 0 or 1; true: loading changed some of them
bool tapeFlags(Tape *tape, unsigned char *flags, size_t count)
{
    bool changed = false;
    for (size_t i = 0; i < count && tape->mode == TAPE_SAVE; ++i)
        tape->target[i] = flags[i] != 0;
    for (size_t i = 0; i < count && tape->mode == TAPE_CHECK; ++i)
    {
        if (tape->source[i] > 1)
            tapeRefuse(tape, "a flag", tape->source[i]);
    }
    for (size_t i = 0; i < count && tape->mode == TAPE_LOAD; ++i)
    {
        changed |= (flags[i] != 0) != (tape->source[i] != 0);
        flags[i] = tape->source[i];
    }
    tapeSkip(tape, count);
    return changed;
}

bool tapeFlag(Tape *tape, bool flag)
{
    unsigned char byte = flag;
    tapeFlags(tape, &byte, 1);
    return byte != 0;
}

void tapeText(Tape *tape, char *text, size_t size)
{
    if (tape->mode == TAPE_SAVE)
        memcpy(tape->target, text, size);
    else if (tape->mode != TAPE_MEASURE)
    {
        memcpy(text, tape->source, size);
        text[size - 1] = 0;
    }
    tapeSkip(tape, size);
}
