#include "mesh/build.h"

#define FEW 16 // tuples, of the limit of their numbers: fewer are merged, for counting visits every number

// ---- by counting ----------------------------------------------------------------------------------------------------

// one stable counting pass by column `column` of the keys
static void sortColumn(const int *key, int count, int width, int column, int limit, int *bucket, const int *from,
                       int *to)
{
    for (int v = 0; v <= limit; ++v)
        bucket[v] = 0;
    for (int i = 0; i < count; ++i)
        bucket[key[(size_t)i * (size_t)width + (size_t)column] + 1] += 1;
    for (int v = 0; v < limit; ++v)
        bucket[v + 1] += bucket[v];
    for (int i = 0; i < count; ++i)
    {
        int number = from[i];
        int place = bucket[key[(size_t)number * (size_t)width + (size_t)column]]++;
        to[place] = number;
    }
}

static void sortByCounting(const int *key, int count, int width, int limit, int *bucket, int *spare, int *order)
{
    // last column first: each pass keeps the order of the ones before. Start where the last pass ends in `order`
    int *from = width % 2 == 0 ? order : spare;
    int *to = width % 2 == 0 ? spare : order;
    for (int i = 0; i < count; ++i)
        from[i] = i;
    for (int column = width - 1; column >= 0; --column)
    {
        sortColumn(key, count, width, column, limit, bucket, from, to);
        int *swap = from;
        from = to;
        to = swap;
    }
}

// ---- by merging -----------------------------------------------------------------------------------------------------

static bool isAfter(const int *key, int width, int a, int b)
{
    const int *first = key + (size_t)a * (size_t)width, *second = key + (size_t)b * (size_t)width;
    for (int c = 0; c < width; ++c)
    {
        if (first[c] != second[c])
            return first[c] > second[c];
    }
    return false;
}

static void sortByMerging(const int *key, int count, int width, int *spare, int *order)
{
    for (int i = 0; i < count; ++i)
        order[i] = i;
    for (int run = 1; run < count; run *= 2)
    {
        for (int begin = 0; begin + run < count; begin += 2 * run)
        {
            int end = minInt(begin + 2 * run, count), a = 0, b = begin + run;
            for (int i = 0; i < run; ++i)
                spare[i] = order[begin + i];
            for (int to = begin; a < run; ++to)
            {
                bool second = b < end && isAfter(key, width, spare[a], order[b]);
                order[to] = second ? order[b] : spare[a];
                b += second;
                a += !second;
            }
        }
    }
}

// ---- either ---------------------------------------------------------------------------------------------------------

bool sortTuples(Memory *memory, const int *key, int count, int width, int limit, int *order)
{
    bool few = count < limit / FEW;
    int *bucket = ALLOCATE_BARE(memory, int, few ? 0 : limit + 1);
    int *spare = ALLOCATE_BARE(memory, int, count);
    bool ok = bucket != NULL && spare != NULL;
    if (ok && few)
        sortByMerging(key, count, width, spare, order);
    else if (ok)
        sortByCounting(key, count, width, limit, bucket, spare, order);
    memoryRelease(memory, bucket);
    memoryRelease(memory, spare);
    return ok;
}
