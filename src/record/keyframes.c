// Which frames a player needs: between two keys it interpolates, and what lies between stays within a tolerance.
#include "record/record.h"

#include <math.h>
#include <string.h>

#define GROWTH 1.25 // of a tolerance that needs too many keys

typedef struct Search
{
    Clip *clip;
    int body;
    size_t numbers;               // of a frame
    float *first, *last, *middle; // a frame each
    vvResult result;
} Search;

static bool load(Search *search, int frame, float *point)
{
    search->result = clipRead(search->clip, search->body, frame, point);
    return search->result.code == VV_OK;
}

// all frames between two lie within the tolerance, m, of the line between them; the first is loaded
static bool isStraight(Search *search, int from, int to, double tolerance)
{
    if (to - from < 2)
        return true;
    bool straight = load(search, to, search->last);
    for (int frame = from + 1; frame < to && straight; ++frame)
    {
        double share = (double)(frame - from) / (to - from);
        straight = load(search, frame, search->middle);
        for (size_t i = 0; i < search->numbers && straight; ++i)
        {
            double a = (double)search->first[i], line = a + share * ((double)search->last[i] - a);
            straight = fabs((double)search->middle[i] - line) <= tolerance;
        }
    }
    return straight;
}

// the key behind `from`: as far as the frames between are straight, found by doubling and halving
static int nextKey(Search *search, int from, int end, double tolerance)
{
    int good = from + 1, step = 1;
    if (!load(search, from, search->first))
        return end;
    while (good < end && isStraight(search, from, minInt(good + step, end), tolerance))
    {
        good = minInt(good + step, end);
        step *= 2;
    }
    for (; step > 0; step /= 2)
    {
        if (good + step <= end && isStraight(search, from, good + step, tolerance))
            good += step;
    }
    return good;
}

// a body that stays where it is needs no second key
static bool isStill(const Search *search, double tolerance)
{
    bool still = true;
    for (size_t i = 0; i < search->numbers && still; ++i)
        still = fabs((double)search->last[i] - (double)search->first[i]) <= tolerance;
    return still;
}

// the keys for a tolerance; false: there would be more than `most`, or a frame could not be read
static bool walk(Search *search, int begin, int last, double tolerance, int most, int *key, int *keyCount)
{
    int count = 1;
    key[0] = begin;
    while (key[count - 1] < last && count < most && search->result.code == VV_OK)
    {
        key[count] = nextKey(search, key[count - 1], last, tolerance);
        ++count;
    }
    *keyCount = count;
    return key[count - 1] == last && search->result.code == VV_OK;
}

vvResult keyframesFind(Clip *clip, int body, int begin, int end, double tolerance, double bound, int *key,
                       int *keyCount)
{
    Memory *memory = &clip->record->memory;
    const double given = tolerance;
    int points = clip->body[body].pointCount[clipMeshAt(clip, body, begin)];
    Search search = { clip, body, 3 * (size_t)points, NULL, NULL, NULL, resultOk() };
    search.first = ALLOCATE(memory, float, search.numbers);
    search.last = ALLOCATE(memory, float, search.numbers);
    search.middle = ALLOCATE(memory, float, search.numbers);
    if (search.first == NULL || search.last == NULL || search.middle == NULL)
        search.result = resultOutOfMemory("the frames of a record");
    int most = clip->fewKeys;
    for (bool fits = false; !fits && isfinite(tolerance) && search.result.code == VV_OK;)
    {
        fits = walk(&search, begin, end - 1, tolerance, most, key, keyCount);
        if (fits)
            clip->within = maxReal(clip->within, tolerance);
        bool more = most < clip->mostKeys && tolerance >= bound;
        tolerance = more ? bound : most < clip->mostKeys ? minReal(bound, GROWTH * tolerance) : GROWTH * tolerance;
        most = more ? clip->mostKeys : most;
    }
    clip->keys = maxInt(clip->keys, *keyCount);
    bool two = search.result.code == VV_OK && *keyCount == 2 && load(&search, begin, search.first);
    if (two && load(&search, end - 1, search.last) && isStill(&search, given))
        *keyCount = 1;
    memoryRelease(memory, search.first);
    memoryRelease(memory, search.last);
    memoryRelease(memory, search.middle);
    return search.result;
}
