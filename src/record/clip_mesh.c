// The meshes of a record read back: those of a body whose mesh changes, from the OBJ files of point caches and frames.
#include "record/record.h"

#include <string.h>

static const char *lineAfter(const char *line)
{
    line = strchr(line, '\n');
    return line != NULL ? line + 1 : NULL;
}

// where the vertices of an OBJ file of ours end, and how many there are
static const char *elementsOf(const char *text, int *points)
{
    *points = 0;
    for (const char *next; text != NULL && (text[0] == '#' || text[0] == 'o' || strncmp(text, "v ", 2) == 0);
         text = next)
    {
        *points += text[0] == 'v';
        next = lineAfter(text);
    }
    return text != NULL ? text : "";
}

// one mesh after the other as the elements of the files change
static vvResult findInFiles(Clip *clip, int number)
{
    Memory *memory = &clip->record->memory;
    ClipBody *own = &clip->body[number];
    char *before = NULL, *text = NULL;
    const char *elements = "";
    vvResult result = resultOk();
    own->meshCount = 0;
    for (int frame = 0, count = 0, points = 0; frame < clip->frameCount && result.code == VV_OK; ++frame)
    {
        size_t size;
        result = frameRead(clip->record, &clip->record->body[number], frame, &text, &size);
        const char *now = result.code == VV_OK ? elementsOf(text, &points) : "";
        if (result.code == VV_OK && (frame == 0 || points != count || strcmp(now, elements) != 0))
            result = clipAddMesh(memory, own, points, frame + 1) ? result : resultOutOfMemory("the frames of a record");
        if (result.code != VV_OK)
            break;
        own->first[own->meshCount] = frame + 1;
        memoryRelease(memory, before);
        before = text;
        text = NULL;
        elements = now;
        count = points;
    }
    memoryRelease(memory, before);
    memoryRelease(memory, text);
    return result;
}

vvResult clipFindMeshes(Clip *clip)
{
    vvResult result = resultOk();
    for (int i = 0; i < clip->record->bodyCount && result.code == VV_OK; ++i)
        result = clip->body[i].cached ? resultOk() : findInFiles(clip, i);
    return result.code == VV_OK ? clipReserve(clip) : result;
}

int clipMeshCount(const Clip *clip, int body, int frames)
{
    return clipMeshAt(clip, body, maxInt(frames - 1, 0)) + 1;
}

// ---- a mesh ---------------------------------------------------------------------------------------------------------

void clipMeshRelease(Clip *clip)
{
    Memory *memory = &clip->record->memory;
    RecordBody *body = &clip->loaded;
    void *const blocks[] = { body->vertex, body->triangle, body->line, body->point, body->faces };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    clip->loaded = (RecordBody){ 0 };
}

// takes over what was read
static bool bodyTake(Memory *memory, const RecordBody *scene, ReplayMesh *mesh, RecordBody *body)
{
    memcpy(body->name, scene->name, sizeof body->name);
    memcpy(body->stem, scene->stem, sizeof body->stem);
    body->tetCount = scene->tetCount;
    body->pointCount = mesh->pointCount;
    body->triangleCount = mesh->triangleCount;
    body->lineCount = mesh->lineCount;
    body->triangle = mesh->triangle;
    body->line = mesh->line;
    body->faces = mesh->faces;
    mesh->triangle = mesh->line = NULL;
    mesh->faces = NULL;
    body->vertex = ALLOCATE(memory, int, body->pointCount);
    body->point = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    if (body->vertex == NULL || body->point == NULL)
        return false;
    for (int p = 0; p < body->pointCount; ++p)
        body->vertex[p] = p;
    for (size_t i = 0; i < 3 * (size_t)body->pointCount; ++i)
        body->point[i] = (float)mesh->point[i];
    return true;
}

vvResult clipMesh(Clip *clip, int number, int mesh, RecordBody **out)
{
    vvRecorder *record = clip->record;
    RecordBody *body = &record->body[number];
    const ClipBody *own = &clip->body[number];
    clipMeshRelease(clip);
    *out = body;
    if (own->meshCount == 1 && body->meshNumber == 0)
    {
        bodyRest(body, body->point);
        return resultOk();
    }
    ReplayMesh read = { 0 };
    vvResult result = replayMeshLoad(clip, &record->memory, number, mesh, &read);
    if (result.code == VV_OK && read.pointCount != own->pointCount[mesh])
        result = resultMake(VV_BAD_INPUT, "keep the OBJ files and the point caches of one run together",
                            "mesh %d of body '%s' has %d points, its frames have %d", mesh, body->name, read.pointCount,
                            own->pointCount[mesh]);
    if (result.code == VV_OK && !bodyTake(&record->memory, body, &read, &clip->loaded))
        result = resultOutOfMemory("the meshes of a record");
    replayMeshRelease(&record->memory, &read);
    *out = &clip->loaded;
    return result;
}
