#include "mesh/file.h"

#include <limits.h>

bool linesAdd(Memory *memory, Lines *lines, int number, long long line)
{
    if (lines->count > 0)
    {
        LineRun *run = &lines->run[lines->count - 1];
        long long step = line - run->line;
        if (number == run->first + 1 && step <= INT_MAX)
        {
            run->step = (int)step;
            return true;
        }
        if (run->line + (long long)(number - run->first) * run->step == line)
            return true;
    }
    if (lines->count == lines->room)
    {
        int room = maxInt(4, 2 * lines->room);
        void *grown = lines->run;
        if (!memoryGrow(memory, &grown, (size_t)lines->room, (size_t)room, sizeof(LineRun)))
            return false;
        lines->run = grown;
        lines->room = room;
    }
    lines->run[lines->count++] = (LineRun){ .first = number, .line = line };
    return true;
}

long long linesFind(const Lines *lines, int number)
{
    // the last run that starts at or before the element
    int low = 0, high = lines->count;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (lines->run[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    if (lines->count == 0)
        return 0;
    const LineRun *run = &lines->run[low];
    return run->line + (long long)(number - run->first) * run->step;
}
