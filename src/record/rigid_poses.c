// The poses of rigid bodies of a record, read back (rigid.c writes them).
#include "record/record.h"
#include "record/replay.h"

#include "base/decimal.h"
#include "base/system.h"

#include <stdio.h>
#include <string.h>

// one line, however long; false: the end, or a row that was cut
static bool readLine(FILE *in, char *line, size_t size)
{
    return fgets(line, (int)size, in) != NULL && strchr(line, '\n') != NULL;
}

static bool readRow(const char *line, int count, double *row)
{
    const char *cell = line;
    for (int skip = 0; skip < 2 && cell != NULL; ++skip) // frame and time
        cell = (cell = strchr(cell, ',')) != NULL ? cell + 1 : NULL;
    for (int k = 0; k < POSE_NUMBERS * count; ++k)
    {
        if (cell == NULL || decimalRead(cell, &row[k]) == NULL)
            return false;
        cell = (cell = strchr(cell, ',')) != NULL ? cell + 1 : NULL;
    }
    return true;
}

vvResult posesRead(Memory *memory, const char *folder, const char *stem, int count, double **pose, int *frames)
{
    int room = 0;
    char path[LONGEST_PATH];
    *pose = NULL;
    *frames = 0;
    if (count == 0)
        return resultOk();
    snprintf(path, sizeof path, "%.700s/%.200s%s", folder, stem, RECORD_RIGID);
    FILE *in = systemStream(path, FILE_TO_READ);
    if (in == NULL)
        return resultOk(); // recorded before there were such files
    size_t width = POSE_NUMBERS * (size_t)count, size = 64 * (width + 4);
    char *line = ALLOCATE(memory, char, size);
    bool enough = line != NULL, more = enough && readLine(in, line, size);
    while (more && enough && readLine(in, line, size))
    {
        if (*frames == room)
        {
            void *poses = *pose;
            int grown = 2 * room + 256;
            enough = memoryGrow(memory, &poses, width * (size_t)room, width * (size_t)grown, sizeof(double));
            *pose = poses;
            room = enough ? grown : room;
        }
        more = enough && readRow(line, count, *pose + width * (size_t)*frames);
        *frames += more;
    }
    fclose(in);
    memoryRelease(memory, line);
    return enough ? resultOk() : resultOutOfMemory("the poses of rigid bodies");
}
