// The bodies of a record: their names, their topology and their present state.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

// ---- names: of files and of prims, whatever the caller's say --------------------------------------------------------

static bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// some file systems do not tell a from A
bool sameName(const char *a, const char *b)
{
    for (; *a != 0 && lower(*a) == lower(*b); ++a, ++b)
        continue;
    return *a == 0 && *b == 0;
}

bool meshIsNumbered(const char *name, size_t length)
{
    size_t digits = 0, mark = strlen(RECORD_MESH);
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        ++digits;
    return digits > 0 && length > digits + mark && strncmp(name + length - digits - mark, RECORD_MESH, mark) == 0;
}

// NAME_000042 would meet frame 42 of NAME, NAME_mesh1 its second mesh
bool endsLikeFrame(const char *name)
{
    size_t length = strlen(name), digits = 0;
    if (meshIsNumbered(name, length))
        return true;
    while (digits < length && isDigit(name[length - 1 - digits]))
        ++digits;
    return digits >= 6 && digits < length && name[length - 1 - digits] == '_';
}

void namePlain(char *out, const char *name)
{
    int length = 0;
    if (isDigit(name[0]))
        out[length++] = '_';
    for (; *name != 0 && length < VV_MAX_NAME + 1; ++name)
    {
        bool isContinuation = ((unsigned char)*name & 0xc0) == 0x80; // one _ for a whole letter of UTF-8
        if (isLetter(*name) || isDigit(*name))
            out[length++] = *name;
        else if (!isContinuation)
            out[length++] = '_';
    }
    out[length] = 0;
    if (length == 0)
        strcpy(out, "body");
    else if (endsLikeFrame(out))
        strcat(out, "_");
}

static bool nameIsTaken(const vvRecorder *recorder, int count, const char *name)
{
    for (int i = 0; i < count; ++i)
    {
        if (sameName(recorder->body[i].name, name))
            return true;
    }
    return false;
}

static void bodyName(vvRecorder *recorder, int index)
{
    RecordBody *body = &recorder->body[index];
    char name[LONGEST_PLAIN];
    namePlain(name, vvSoftBody_GetName(body->id));
    snprintf(body->name, sizeof body->name, "%s", name);
    for (int number = index + 1; nameIsTaken(recorder, index, body->name); ++number)
        snprintf(body->name, sizeof body->name, "%s_%d", name, number);
    if (recorder->bodyCount == 1)
        snprintf(body->stem, sizeof body->stem, "%s", recorder->frames);
    else
        snprintf(body->stem, sizeof body->stem, "%.100s-%.80s", recorder->frames, body->name);
}

// ---- topology -------------------------------------------------------------------------------------------------------

// copies the elements that are seen; false: out of memory
static bool bodyElements(Memory *memory, RecordBody *body)
{
    const vvEmbedding *carried = vvMesh_GetEmbedding(body->mesh);
    body->seenCount = carried != NULL ? vvEmbedding_GetPointCount(carried) : body->vertexCount;
    body->seen = carried != NULL ? ALLOCATE(memory, double, 3 * (size_t)body->seenCount) : NULL;
    if (carried != NULL && body->seen == NULL)
        return false;
    body->triangleCount = carried ? vvEmbedding_GetTriangleCount(carried) : vvMesh_GetSurfaceCount(body->mesh);
    if (body->triangleCount > 0)
    {
        const int *given = carried ? vvEmbedding_GetTriangles(carried) : vvMesh_GetSurface(body->mesh);
        size_t count = 3 * (size_t)body->triangleCount;
        body->triangle = ALLOCATE(memory, int, count);
        if (body->triangle != NULL)
            memcpy(body->triangle, given, count * sizeof(int));
        return body->triangle != NULL;
    }
    const int *edge = vvMesh_GetEdges(body->mesh), *kind = vvMesh_GetEdgeKinds(body->mesh);
    int edgeCount = vvMesh_GetEdgeCount(body->mesh);
    body->line = ALLOCATE(memory, int, 2 * (size_t)edgeCount);
    if (body->line == NULL)
        return false;
    for (int e = 0; e < edgeCount; ++e)
    {
        if (kind[e] != VV_EDGE_STRUCTURAL)
            continue;
        memcpy(body->line + 2 * (size_t)body->lineCount, edge + 2 * (size_t)e, 2 * sizeof(int));
        body->lineCount += 1;
    }
    return true;
}

// numbers the vertices that are seen, in the caller's order
static bool bodyPoints(Memory *memory, RecordBody *body)
{
    const vvEmbedding *carried = vvMesh_GetEmbedding(body->mesh);
    const vvFaces *drawn = carried != NULL ? vvEmbedding_GetFaces(carried) : vvMesh_GetFaces(body->mesh);
    int *number = ALLOCATE(memory, int, body->seenCount);
    body->vertex = ALLOCATE(memory, int, body->seenCount);
    bool enough = number != NULL && body->vertex != NULL;
    int *element = body->triangle != NULL ? body->triangle : body->line;
    size_t corners = 3 * (size_t)body->triangleCount + 2 * (size_t)body->lineCount;
    for (size_t c = 0; enough && c < corners; ++c)
        number[element[c]] = 1;
    for (int v = 0; enough && vvMesh_HasParticles(body->mesh) && v < body->seenCount; ++v)
        number[v] = 1;
    for (int c = 0; enough && drawn != NULL && c < facesCorners(drawn); ++c)
        number[drawn->points[c]] = 1;
    for (int v = 0; enough && v < body->seenCount; ++v)
    {
        if (number[v] == 0)
            continue;
        number[v] = body->pointCount;
        body->vertex[body->pointCount++] = v;
    }
    for (size_t c = 0; enough && c < corners; ++c)
        element[c] = number[element[c]];
    body->faces = enough && drawn != NULL ? facesCopy(memory, drawn, number) : NULL;
    memoryRelease(memory, number);
    return enough && (drawn == NULL || body->faces != NULL);
}

static bool bodyPrepare(vvRecorder *recorder, RecordBody *body)
{
    Memory *memory = &recorder->memory;
    body->mesh = (vvMesh *)vvSoftBody_GetMesh(body->id);
    meshRetain(body->mesh);
    body->vertexCount = vvMesh_GetVertexCount(body->mesh);
    body->tetCount = vvMesh_GetTetCount(body->mesh);
    if (!bodyElements(memory, body) || !bodyPoints(memory, body))
        return false;
    body->cellCount = body->tetCount > 0        ? body->tetCount
                      : body->triangleCount > 0 ? body->triangleCount
                                                : vvMesh_GetEdgeCount(body->mesh);
    size_t count = (size_t)body->vertexCount;
    body->point = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    if (body->point == NULL)
        return false;
    if (!recorder->wantsFields)
        return true;
    body->position = ALLOCATE(memory, double, 3 * count);
    body->velocity = ALLOCATE(memory, double, 3 * count);
    body->force = ALLOCATE(memory, double, 3 * count);
    body->density = ALLOCATE(memory, double, count);
    body->stretch = ALLOCATE(memory, double, body->cellCount);
    return body->position != NULL && body->velocity != NULL && body->force != NULL && body->density != NULL &&
           body->stretch != NULL;
}

vvResult bodiesFind(vvRecorder *recorder)
{
    int count = vvWorld_GetBodies(recorder->world, NULL, 0);
    vvSoftBodyId *ids = ALLOCATE(&recorder->memory, vvSoftBodyId, count);
    recorder->body = ALLOCATE(&recorder->memory, RecordBody, count);
    bool enough = ids != NULL && recorder->body != NULL;
    if (enough)
    {
        vvWorld_GetBodies(recorder->world, ids, count);
        recorder->bodyCount = count;
    }
    for (int i = 0; enough && i < count; ++i)
    {
        recorder->body[i].id = ids[i];
        bodyName(recorder, i);
        enough = bodyPrepare(recorder, &recorder->body[i]);
    }
    memoryRelease(&recorder->memory, ids);
    return enough ? resultOk() : resultOutOfMemory("the bodies of a record");
}

static void bodyRelease(Memory *memory, RecordBody *body)
{
    if (body->mesh != NULL)
        meshRelease(body->mesh);
    void *blocks[] = { body->vertex, body->triangle, body->line,    body->point, body->position, body->velocity,
                       body->force,  body->density,  body->stretch, body->seen,  body->faces };
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b)
        memoryRelease(memory, blocks[b]);
}

void bodiesRelease(vvRecorder *recorder)
{
    for (int i = 0; i < recorder->bodyCount; ++i)
        bodyRelease(&recorder->memory, &recorder->body[i]);
    memoryRelease(&recorder->memory, recorder->body);
}

// the mesh that the body has now takes the place of the one before
static vvResult bodyRemake(vvRecorder *recorder, RecordBody *body)
{
    RecordBody fresh = { .id = body->id, .meshNumber = body->meshNumber + 1 };
    memcpy(fresh.name, body->name, sizeof fresh.name);
    memcpy(fresh.stem, body->stem, sizeof fresh.stem);
    bool enough = bodyPrepare(recorder, &fresh);
    bodyRelease(&recorder->memory, enough ? body : &fresh);
    if (enough)
        *body = fresh;
    return enough ? resultOk() : resultOutOfMemory("the changed mesh of a record");
}

// ---- the present state ----------------------------------------------------------------------------------------------

static vvResult fillPoints(const RecordBody *body, const double *position, float *point)
{
    if (body->seen != NULL)
    {
        vvResult result = vvEmbedding_GetPositions(vvMesh_GetEmbedding(body->mesh), position, body->seen);
        if (result.code != VV_OK)
            return result;
        position = body->seen;
    }
    for (int p = 0; p < body->pointCount; ++p)
    {
        const double *x = position + 3 * (size_t)body->vertex[p];
        for (int c = 0; c < 3; ++c)
            point[3 * (size_t)p + (size_t)c] = toFloat(x[c]);
    }
    return resultOk();
}

void bodyRest(const RecordBody *body, float *point)
{
    vvResult result = fillPoints(body, vvMesh_GetPoints(body->mesh), point);
    (void)result; // a cage is made of tets, whose points need no memory
}

static vvResult bodyGather(vvRecorder *recorder, RecordBody *body)
{
    if (body->gone || !vvSoftBody_IsValid(body->id))
    {
        // stays where it was, at rest
        body->gone = true;
        if (recorder->wantsFields)
        {
            memset(body->velocity, 0, 3 * (size_t)body->vertexCount * sizeof(double));
            memset(body->force, 0, 3 * (size_t)body->vertexCount * sizeof(double));
        }
        return resultOk();
    }
    vvResult result = vvSoftBody_GetMesh(body->id) != body->mesh ? bodyRemake(recorder, body) : resultOk();
    if (result.code != VV_OK)
        return result;
    size_t count = 3 * (size_t)body->vertexCount;
    if (recorder->wantsFields)
    {
        result = vvSoftBody_CopyForces(body->id, body->force);
        if (result.code == VV_OK)
            result = vvSoftBody_CopyEnergyDensities(body->id, body->density);
        if (result.code == VV_OK)
            result = vvSoftBody_CopyStretches(body->id, body->stretch);
        if (result.code != VV_OK)
            return result;
        memcpy(body->velocity, vvSoftBody_GetVelocities(body->id), count * sizeof(double));
    }
    const double *position = vvSoftBody_GetPositions(body->id);
    if (recorder->wantsFields)
        memcpy(body->position, position, count * sizeof(double));
    return fillPoints(body, position, body->point);
}

vvResult bodiesGather(vvRecorder *recorder)
{
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        vvResult result = bodyGather(recorder, &recorder->body[i]);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}
