#include "world/tape.h"

#include <math.h>
#include <string.h>

static void tapeRefuse(Tape *tape, const char *what, double value)
{
    if (tape->result.code == VV_OK)
        tape->result = resultMake(VV_BAD_INPUT, "save it again from a world that runs",
                                  "the state has %s of %g, %zu bytes behind its header", what, value, tape->size);
}

static uint64_t tapeWord(Tape *tape, uint64_t word)
{
    if (tape->mode == TAPE_SAVE)
    {
        tapePut64(tape->target, word);
        tape->target += 8;
    }
    else if (tape->mode != TAPE_MEASURE)
    {
        word = tapeGet64(tape->source);
        tape->source += 8;
    }
    tape->size += 8;
    return word;
}

void tapeReals(Tape *tape, double *values, size_t count)
{
    if (tape->mode == TAPE_MEASURE)
    {
        tape->size += 8 * count;
        return;
    }
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t word;
        double value;
        memcpy(&word, &values[i], sizeof word);
        word = tapeWord(tape, word);
        memcpy(&value, &word, sizeof value);
        if (tape->mode == TAPE_CHECK && !isfinite(value))
            tapeRefuse(tape, "a number", value);
        if (tape->mode == TAPE_LOAD)
            values[i] = value;
    }
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
    for (size_t i = 0; i < count && tape->mode != TAPE_MEASURE; ++i)
    {
        if (tape->mode == TAPE_SAVE)
            *tape->target++ = flags[i] != 0;
        else if (*tape->source > 1 && tape->mode == TAPE_CHECK)
            tapeRefuse(tape, "a flag", *tape->source++);
        else if (tape->mode == TAPE_CHECK)
            tape->source++;
        else
        {
            changed |= (flags[i] != 0) != (*tape->source != 0);
            flags[i] = *tape->source++;
        }
    }
    tape->size += count;
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
    {
        memcpy(tape->target, text, size);
        tape->target += size;
    }
    else if (tape->mode != TAPE_MEASURE)
    {
        memcpy(text, tape->source, size);
        text[size - 1] = 0;
        tape->source += size;
    }
    tape->size += size;
}
