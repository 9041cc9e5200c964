#include "mesh/build.h"

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

bool sortTuples(Memory *memory, const int *key, int count, int width, int limit, int *order)
{
    int *bucket = ALLOCATE_BARE(memory, int, limit + 1);
    int *spare = ALLOCATE_BARE(memory, int, count);
    bool ok = bucket != NULL && spare != NULL;
    if (ok)
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
    memoryRelease(memory, bucket);
    memoryRelease(memory, spare);
    return ok;
}
