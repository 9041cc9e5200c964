// The mesh of a frame, where it is another one than the scene's: from the OBJ file of the frame, or of its point cache.
#include "record/record.h"
#include "record/replay.h"

#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_DRAWN 1024 // name of a group or material

static vvResult textRead(vvRecorder *record, const Path *path, char **text, size_t *size)
{
    File file = { .handle = -1 };
    vvResult result = diskOpenToRead(&file, path);
    if (result.code != VV_OK)
        return result;
    *size = (size_t)file.size;
    *text = ALLOCATE(&record->memory, char, *size + 1); // ends with 0
    result = *text != NULL ? diskRead(&file, 0, *text, *size) : resultOutOfMemory("a frame of a record");
    diskClose(&file);
    return result;
}

vvResult frameRead(vvRecorder *record, const RecordBody *body, int frame, char **text, size_t *size)
{
    Path path;
    framePath(record, &path, body->stem, frame, ".obj");
    return textRead(record, &path, text, size);
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

// "f 1/2 2 3/4 5" or "l 1 2": a face becomes a fan of triangles around its first corner. `faces`: it is kept there as
// it was drawn, and so are the numbers of its texture coordinates; NULL: it is not.
static bool readElement(Memory *memory, const char *line, ReplayMesh *mesh, bool fill, FaceList *faces)
{
    int corner[3] = { 0, 0, 0 }, count = 0, needed = line[0] == 'f' ? 3 : 2;
    bool good = faces == NULL || line[0] == 'l' || faceListBegin(memory, faces);
    for (const char *at = line + 1; *at == ' ' && good; ++count)
    {
        char *end;
        long number = strtol(at, &end, 10);
        long row = *end == '/' ? strtol(end + 1, NULL, 10) : 0;
        good = number >= 1 && number <= INT32_MAX && (!fill || number <= mesh->pointCount);
        if (good && faces != NULL && line[0] == 'f')
            good = faceListCorner(memory, faces, (int)number - 1, row >= 1 && row <= INT32_MAX ? (int)row - 1 : -1, -1);
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

// "vt u v", "g name" and "usemtl name"; a name that is empty ends the one before
static bool readDrawn(Memory *memory, const char *line, FaceList *faces)
{
    NameList *names = strncmp(line, "g ", 2) == 0 ? &faces->groups : &faces->materials;
    if (strncmp(line, "vt ", 3) == 0)
    {
        double u = 0, v = 0;
        const char *at = decimalRead(line + 3, &u);
        at = at != NULL && *at == ' ' ? decimalRead(at + 1, &v) : NULL;
        return at != NULL && faceListReal(memory, &faces->coordinateValue, u) &&
               faceListReal(memory, &faces->coordinateValue, v);
    }
    if (strncmp(line, "g ", 2) != 0 && strncmp(line, "usemtl ", 7) != 0)
        return true;
    char name[LONGEST_DRAWN];
    const char *begin = strchr(line, ' ') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "\n"), begin);
    if (name[0] == 0)
        names->current = -1;
    return name[0] == 0 || faceListName(memory, names, name);
}

// Counts, or fills what has been counted. The head of the file says how much it holds: one that was cut holds less.
static bool readLines(Memory *memory, const char *text, ReplayMesh *mesh, bool fill, FaceList *list)
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
            good = readElement(memory, line, mesh, fill, list);
            found += line[0] == 'f' ? 1 : 0;
        }
        else if (list != NULL)
            good = readDrawn(memory, line, list);
    }
    return good && mesh->pointCount == vertices && found == faces && mesh->lineCount == lines;
}

vvResult replayMeshRead(Memory *memory, const char *text, bool drawn, ReplayMesh *mesh)
{
    FaceList list;
    replayMeshRelease(memory, mesh);
    faceListOpen(&list);
    bool good = readLines(memory, text, mesh, false, NULL);
    mesh->point = ALLOCATE(memory, double, 3 * (size_t)mesh->pointCount);
    mesh->triangle = ALLOCATE(memory, int, 3 * (size_t)mesh->triangleCount);
    mesh->line = ALLOCATE(memory, int, 2 * (size_t)mesh->lineCount);
    bool enough = mesh->point != NULL && mesh->triangle != NULL && mesh->line != NULL;
    good = good && enough && readLines(memory, text, mesh, true, drawn ? &list : NULL);
    if (good && drawn)
        enough = faceListTake(memory, &list, mesh->triangleCount, &mesh->faces);
    faceListClose(memory, &list);
    if (!enough)
        return resultOutOfMemory("a frame of a record");
    return good ? resultOk()
                : resultMake(VV_BAD_INPUT, "record the scene again", "an OBJ file of the record is not whole");
}

vvResult replayMeshLoad(Clip *clip, Memory *memory, int number, int mesh, ReplayMesh *out)
{
    vvRecorder *record = clip->record;
    const RecordBody *body = &record->body[number];
    Path path;
    char stem[LONGEST_STEM], *text = NULL;
    size_t size;
    meshStem(body, mesh, stem);
    if (clip->body[number].cached)
        pathMake(record, &path, stem, ".obj");
    else
        framePath(record, &path, body->stem, clip->body[number].first[mesh], ".obj");
    vvResult result = textRead(record, &path, &text, &size);
    if (result.code == VV_OK)
        result = replayMeshRead(memory, text, true, out);
    memoryRelease(&record->memory, text);
    return result;
}

void replayMeshRelease(Memory *memory, ReplayMesh *mesh)
{
    memoryRelease(memory, mesh->point);
    memoryRelease(memory, mesh->triangle);
    memoryRelease(memory, mesh->line);
    memoryRelease(memory, mesh->faces);
    *mesh = (ReplayMesh){ 0 };
}
