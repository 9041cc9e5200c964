// The mesh of a single frame, where it is another one than the scene's: from the OBJ file of that frame.
#include "record/record.h"
#include "record/replay.h"

#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

vvResult frameRead(vvRecorder *record, const RecordBody *body, int frame, char **text, size_t *size)
{
    Path path;
    File file = { .handle = -1 };
    framePath(record, &path, body->stem, frame, ".obj");
    vvResult result = diskOpenToRead(&file, &path);
    if (result.code != VV_OK)
        return result;
    *size = (size_t)file.size;
    *text = ALLOCATE(&record->memory, char, *size + 1); // ends with 0
    result = *text != NULL ? diskRead(&file, 0, *text, *size) : resultOutOfMemory("a frame of a record");
    diskClose(&file);
    return result;
}

bool frameIsOf(const FrameText *scene, const char *text, size_t size)
{
    return size > scene->elementSize && text[size - scene->elementSize - 1] == '\n' &&
           memcmp(text + size - scene->elementSize, scene->elements, scene->elementSize) == 0;
}

static const char *nextLine(const char *line)
{
    line = strchr(line, '\n');
    return line != NULL ? line + 1 : NULL;
}

// "v x y z"; false: no numbers
static bool readPoint(const char *line, double *point)
{
    const char *at = line + 1;
    for (int c = 0; c < 3 && at != NULL; ++c)
        at = *at == ' ' ? decimalRead(at + 1, &point[c]) : NULL;
    return at != NULL;
}

// "f 1/2 2 3/4 5" or "l 1 2": a face becomes a fan of triangles around its first corner
static bool readElement(const char *line, ReplayMesh *mesh, bool fill)
{
    int corner[3] = { 0, 0, 0 }, count = 0, needed = line[0] == 'f' ? 3 : 2;
    bool good = true;
    for (const char *at = line + 1; *at == ' ' && good; ++count)
    {
        char *end;
        long number = strtol(at, &end, 10);
        good = number >= 1 && (!fill || number <= mesh->pointCount);
        at = end + strcspn(end, " \n");
        if (count >= needed)
            corner[1] = corner[2];
        corner[minInt(count, needed - 1)] = (int)number - 1;
        if (count + 1 < needed)
            continue;
        int *to = needed == 2 ? mesh->line : mesh->triangle;
        int *place = needed == 2 ? &mesh->lineCount : &mesh->triangleCount;
        if (fill && good)
            memcpy(to + (size_t)needed * (size_t)*place, corner, (size_t)needed * sizeof(int));
        *place += 1;
    }
    return good && (needed == 3 ? count >= 3 : count == 2);
}

// Counts, or fills what has been counted. The head of the file says how much it holds: one that was cut holds less.
static bool readLines(const char *text, ReplayMesh *mesh, bool fill)
{
    const char *counts = strstr(text, ": ");
    int vertices = -1, faces = -1, lines = -1, found = 0;
    bool good = counts != NULL && text[0] == '#' && text[strlen(text) - 1] == '\n' &&
                sscanf(counts, ": %d vertices, %d faces, %d lines", &vertices, &faces, &lines) == 3;
    mesh->pointCount = mesh->triangleCount = mesh->lineCount = 0;
    for (const char *line = text; line != NULL && good; line = nextLine(line))
    {
        if (line[0] == 'v' && line[1] == ' ')
        {
            good = !fill || readPoint(line, mesh->point + 3 * (size_t)mesh->pointCount);
            mesh->pointCount += 1;
        }
        else if ((line[0] == 'f' || line[0] == 'l') && line[1] == ' ')
        {
            good = readElement(line, mesh, fill);
            found += line[0] == 'f' ? 1 : 0;
        }
    }
    return good && mesh->pointCount == vertices && found == faces && mesh->lineCount == lines;
}

vvResult replayMeshRead(Memory *memory, const char *text, ReplayMesh *mesh)
{
    replayMeshRelease(memory, mesh);
    bool good = readLines(text, mesh, false);
    mesh->point = ALLOCATE(memory, double, 3 * (size_t)mesh->pointCount);
    mesh->triangle = ALLOCATE(memory, int, 3 * (size_t)mesh->triangleCount);
    mesh->line = ALLOCATE(memory, int, 2 * (size_t)mesh->lineCount);
    if (mesh->point == NULL || mesh->triangle == NULL || mesh->line == NULL)
        return resultOutOfMemory("a frame of a record");
    if (good && readLines(text, mesh, true))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "record the scene again", "an OBJ file of the record is not whole");
}

void replayMeshRelease(Memory *memory, ReplayMesh *mesh)
{
    memoryRelease(memory, mesh->point);
    memoryRelease(memory, mesh->triangle);
    memoryRelease(memory, mesh->line);
    *mesh = (ReplayMesh){ 0 };
}
