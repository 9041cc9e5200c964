// Formats with one mesh per file: a body whose mesh changes goes on in another file, from that frame on.
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void meshStem(const RecordBody *body, int meshNumber, char *stem)
{
    if (meshNumber > 0)
        snprintf(stem, LONGEST_STEM, "%.181s" RECORD_MESH "%d", body->stem, meshNumber % 100000000);
    else
        snprintf(stem, LONGEST_STEM, "%s", body->stem);
}

int meshFind(const vvRecorder *recorder, const RecordBody *body, const char *ending, int frame,
             int (*first)(const File *file))
{
    int number = 0;
    for (bool later = true; later;)
    {
        Path path;
        char stem[LONGEST_STEM];
        File file = { .handle = -1 };
        meshStem(body, number + 1, stem);
        pathMake(recorder, &path, stem, ending);
        later = diskExists(&path) && diskOpenToRead(&file, &path).code == VV_OK;
        int begin = later ? first(&file) : -1;
        diskClose(&file);
        later = begin >= 0 && begin <= frame;
        number += later ? 1 : 0;
    }
    return number;
}

typedef struct Later
{
    const RecordBody *body;
    const char *ending;
} Later;

// the file of a later mesh, or one that was not finished
static bool isLater(const char *name, void *userData)
{
    const Later *later = userData;
    size_t stem = strlen(later->body->stem), mark = strlen(RECORD_MESH);
    if (strncmp(name, later->body->stem, stem) != 0 || strncmp(name + stem, RECORD_MESH, mark) != 0)
        return false;
    char *end;
    long number = strtol(name + stem + mark, &end, 10);
    size_t ending = strlen(later->ending);
    bool ours = end > name + stem + mark && strncmp(end, later->ending, ending) == 0;
    return ours && ((end[ending] == 0 && number > later->body->meshNumber) || strcmp(end + ending, PART_ENDING) == 0);
}

vvResult meshSweep(const vvRecorder *recorder, const RecordBody *body, const char *ending)
{
    Later later = { body, ending };
    return diskFolderSweep(recorder->folder, isLater, &later);
}
