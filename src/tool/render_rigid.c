// The poses of rigid bodies in a recorded run (src/record/rigid.c).
#include "tool/render.h"

#include "base/decimal.h"
#include "base/system.h"
#include "record/record.h"

#include <string.h>

#define COLUMNS 7

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
    for (int k = 0; k < COLUMNS * count; ++k)
    {
        if (cell == NULL || decimalRead(cell, &row[k]) == NULL)
            return false;
        cell = (cell = strchr(cell, ',')) != NULL ? cell + 1 : NULL;
    }
    return true;
}

vvResult rigidRead(Run *run, const char *folder, const char *stem)
{
    int count = sceneRigidCount(run->built), room = 0;
    char path[1024];
    if (count == 0)
        return resultOk();
    snprintf(path, sizeof path, "%.700s/%.200s%s", folder, stem, RECORD_RIGID);
    FILE *in = systemStream(path, FILE_TO_READ);
    if (in == NULL)
        return resultOk(); // recorded before there were such files: they stay where they start
    size_t width = COLUMNS * (size_t)count, size = 64 * (width + 4);
    char *line = ALLOCATE(run->memory, char, size);
    bool enough = line != NULL, more = enough && readLine(in, line, size);
    while (more && enough && readLine(in, line, size))
    {
        if (run->poseCount == room)
        {
            void *poses = run->pose;
            int grown = 2 * room + 256;
            enough = memoryGrow(run->memory, &poses, width * (size_t)room, width * (size_t)grown, sizeof(double));
            run->pose = poses;
            room = enough ? grown : room;
        }
        more = enough && readRow(line, count, run->pose + width * (size_t)run->poseCount);
        run->poseCount += more;
    }
    fclose(in);
    memoryRelease(run->memory, line);
    return enough ? resultOk() : resultOutOfMemory("the poses of rigid bodies");
}

vvPose rigidPose(const Run *run, int index, int frame)
{
    if (run->poseCount == 0)
        return vvRigidBody_GetPose(sceneRigid(run->built, index));
    int at = frame < run->poseCount ? frame : run->poseCount - 1;
    const double *p = run->pose + COLUMNS * ((size_t)at * (size_t)sceneRigidCount(run->built) + (size_t)index);
    return (vvPose){ vecLoad(p), { p[3], p[4], p[5], p[6] } };
}
