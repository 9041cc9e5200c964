// glTF 2.0 in one binary file: a node per body whose surface moves by morph targets. The first frame is the mesh, every
// further key frame a target with the differences of positions and normals, and the weights of an animation go from one
// to the next. Viewers hold all weights of a mesh at once, so there are not many of them; frames that lie on a
// straight line between others are left out.
#include "record/glb.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 5e-4          // of the size of a body, for frames that are left out
#define BOUND 1e-3              // before there are more keys than every viewer has room for
#define MOST_BYTES 4000000000LL // a file of 32-bit offsets
#define CHUNK 65536

// ---- what is written ------------------------------------------------------------------------------------------------

static vvResult prepareBody(Clip *clip, int number, int frames, GlbBody *own)
{
    Memory *memory = &clip->record->memory;
    RecordBody *body = &clip->record->body[number];
    own->body = body;
    own->key = ALLOCATE(memory, int, clip->mostKeys);
    own->bounds = ALLOCATE(memory, GlbBounds, clip->mostKeys);
    own->first = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    bodyRest(body);
    if (own->key == NULL || own->bounds == NULL || own->first == NULL || !skinMake(memory, body, &own->skin))
        return resultOutOfMemory("a glTF file");
    double unit = maxReal(vvMesh_GetSize(body->mesh), 1e-6);
    return keyframesFind(clip, number, frames, TOLERANCE * unit, BOUND * unit, own->key, &own->keyCount);
}

static void poseOf(const Clip *clip, int rigid, int frame, float *pose)
{
    const double *p = clipPose(clip, rigid, frame);
    static const int order[7] = { 0, 1, 2, 4, 5, 6, 3 }; // w comes last in glTF
    for (int k = 0; k < 7; ++k)
        pose[k] = toFloat(p[order[k]]);
}

static vvResult prepareRigid(Clip *clip, int rigid, int frames, GlbBody *own)
{
    Memory *memory = &clip->record->memory;
    const RecordBody *body = &clip->record->rigid[rigid];
    own->body = body;
    own->rigid = true;
    own->number = rigid;
    own->keyCount = 1;
    own->poseCount = frames;
    own->key = ALLOCATE(memory, int, 1);
    own->bounds = ALLOCATE(memory, GlbBounds, 1);
    own->first = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    if (own->key == NULL || own->bounds == NULL || own->first == NULL || !skinMake(memory, body, &own->skin))
        return resultOutOfMemory("a glTF file");
    memcpy(own->first, body->point, 3 * (size_t)body->pointCount * sizeof(float));
    poseOf(clip, rigid, 0, own->pose);
    for (int frame = 1; frame < frames && !own->moves; ++frame)
    {
        float pose[7];
        poseOf(clip, rigid, frame, pose);
        own->moves = memcmp(pose, own->pose, sizeof pose) != 0;
    }
    return resultOk();
}

// what a key frame adds to the first
static void differences(const GlbBody *own, const float *point, float *out)
{
    for (size_t v = 0; v < (size_t)own->skin.vertexCount; ++v)
    {
        size_t from = 3 * (size_t)own->skin.point[v];
        for (size_t c = 0; c < 3; ++c)
            out[3 * v + c] = point[from + c] - own->first[from + c];
    }
}

static void positions(const GlbBody *own, float *out)
{
    for (size_t v = 0; v < (size_t)own->skin.vertexCount; ++v)
        memcpy(out + 3 * v, own->first + 3 * (size_t)own->skin.point[v], 3 * sizeof(float));
}

static void measure(const float *value, int count, GlbBounds *bounds)
{
    for (int c = 0; c < 3; ++c)
        bounds->lower[c] = bounds->upper[c] = value[c];
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
    {
        bounds->lower[i % 3] = fminf(bounds->lower[i % 3], value[i]);
        bounds->upper[i % 3] = fmaxf(bounds->upper[i % 3], value[i]);
    }
}

// the vectors of a key frame: positions of the first, differences of others
static vvResult loadKey(Clip *clip, int number, const GlbBody *own, int key, float *vector)
{
    float *point = key == 0 ? own->first : own->body->point;
    vvResult result = own->rigid ? resultOk() : clipRead(clip, number, own->key[key], point);
    if (result.code == VV_OK && key == 0)
        positions(own, vector);
    else if (result.code == VV_OK)
        differences(own, point, vector);
    return result;
}

static vvResult measureBody(Clip *clip, int number, GlbBody *own, float *vector)
{
    vvResult result = resultOk();
    for (int k = 0; k < own->keyCount && result.code == VV_OK; ++k)
    {
        result = loadKey(clip, number, own, k, vector);
        if (result.code == VV_OK)
            measure(vector, own->skin.vertexCount, &own->bounds[k]);
    }
    return result;
}

// offsets of the parts of a body in the buffer; returns what follows
static long long layOut(GlbBody *own, long long at)
{
    const Skin *skin = &own->skin;
    long long vertices = skin->vertexCount, keys = own->keyCount;
    own->indexAt = at;
    at += 4 * (skin->triangleCount > 0 ? 3LL * skin->triangleCount : glbLoose(own));
    own->coordinateAt = at;
    at += glbMapped(own) ? 8 * vertices : 0;
    own->vectorAt = at;
    at += 12 * vertices * keys * (skin->triangleCount > 0 ? 2 : 1);
    own->timeAt = at;
    if (own->rigid)
        return own->moves ? at + 32LL * own->poseCount : at;
    return keys > 1 ? at + 4 * keys + 4 * keys * (keys - 1) : at;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

static vvResult writeInts(File *file, const int *value, size_t count)
{
    char bytes[CHUNK];
    vvResult result = resultOk();
    for (size_t i = 0; i < count && result.code == VV_OK;)
    {
        char *out = bytes;
        for (; i < count && out < bytes + CHUNK - 4; ++i)
            out = storeWhole(out, (uint32_t)value[i], 4);
        result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

static vvResult writeFloats(File *file, const float *value, size_t count)
{
    char bytes[CHUNK];
    vvResult result = resultOk();
    for (size_t i = 0; i < count && result.code == VV_OK; i += CHUNK / 4)
    {
        size_t piece = count - i < CHUNK / 4 ? count - i : CHUNK / 4;
        storeArray(bytes, value + i, piece, sizeof(float));
        result = diskAppend(file, bytes, 4 * piece);
    }
    return result;
}

// v counts down in glTF
static vvResult writeCoordinates(File *file, const GlbBody *own, float *pair)
{
    const vvFaces *faces = own->body->faces;
    for (size_t v = 0; v < (size_t)own->skin.vertexCount; ++v)
    {
        int row = own->skin.row[v];
        pair[2 * v] = row >= 0 ? toFloat(faces->coordinateValues[2 * (size_t)row]) : 0;
        pair[2 * v + 1] = row >= 0 ? toFloat(1 - faces->coordinateValues[2 * (size_t)row + 1]) : 0;
    }
    return writeFloats(file, pair, 2 * (size_t)own->skin.vertexCount);
}

// one key after the other, each with one weight 1; the first is the mesh itself
static vvResult writeAnimation(File *file, const GlbBody *own, double frameTime, float *row)
{
    for (int k = 0; k < own->keyCount; ++k)
        row[k] = toFloat(own->key[k] * frameTime);
    vvResult result = writeFloats(file, row, (size_t)own->keyCount);
    for (int k = 0; k < own->keyCount && result.code == VV_OK; ++k)
    {
        for (int t = 0; t + 1 < own->keyCount; ++t)
            row[t] = t + 1 == k ? 1 : 0;
        result = writeFloats(file, row, (size_t)own->keyCount - 1);
    }
    return result;
}

// times, translations, rotations; a quaternion and its opposite are the same rotation, and neighbours are near
static vvResult writePoses(const Clip *clip, const GlbBody *own, File *file)
{
    vvResult result = resultOk();
    for (int part = 0; part < 3; ++part)
    {
        float last[4] = { 0, 0, 0, 0 }, pose[7];
        for (int frame = 0; frame < own->poseCount && result.code == VV_OK; ++frame)
        {
            float time = toFloat(frame * clip->frameTime), *turn = pose + 3;
            poseOf(clip, own->number, frame, pose);
            bool flips = last[0] * turn[0] + last[1] * turn[1] + last[2] * turn[2] + last[3] * turn[3] < 0;
            for (int k = 0; k < 4; ++k)
                last[k] = turn[k] = flips ? -turn[k] : turn[k];
            result = writeFloats(file, part == 0 ? &time : part == 1 ? pose : turn, part == 0 ? 1 : part == 1 ? 3 : 4);
        }
    }
    return result;
}

static vvResult writeKeys(Clip *clip, int number, GlbBody *own, File *file, GlbScratch *scratch)
{
    size_t numbers = 3 * (size_t)own->skin.vertexCount;
    vvResult result = resultOk();
    for (int k = 0; k < own->keyCount && result.code == VV_OK; ++k)
    {
        result = loadKey(clip, number, own, k, scratch->vector);
        if (result.code == VV_OK)
            result = writeFloats(file, scratch->vector, numbers);
        if (result.code != VV_OK || own->skin.triangleCount == 0)
            continue;
        skinNormals(&own->skin, k == 0 ? own->first : own->body->point, scratch->sum, scratch->vector);
        if (k == 0)
            memcpy(scratch->normal, scratch->vector, numbers * sizeof(float));
        for (size_t i = 0; i < numbers && k > 0; ++i)
            scratch->vector[i] -= scratch->normal[i];
        result = writeFloats(file, scratch->vector, numbers);
    }
    return result;
}

static vvResult writeBody(Clip *clip, int number, GlbBody *own, File *file, GlbScratch *scratch)
{
    const Skin *skin = &own->skin;
    vvResult result = skin->triangleCount > 0 ? writeInts(file, skin->triangle, 3 * (size_t)skin->triangleCount)
                      : own->body->lineCount > 0
                          ? writeInts(file, own->body->line, (size_t)glbLoose(own))
                          : writeInts(file, own->body->vertex, (size_t)glbLoose(own)); // all are seen
    if (result.code == VV_OK && glbMapped(own))
        result = writeCoordinates(file, own, scratch->vector);
    if (result.code == VV_OK)
        result = writeKeys(clip, number, own, file, scratch);
    if (own->rigid)
        return result.code == VV_OK && own->moves ? writePoses(clip, own, file) : result;
    return result.code == VV_OK && own->keyCount > 1 ? writeAnimation(file, own, clip->frameTime, scratch->row)
                                                     : result;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static vvResult prepare(Clip *clip, Glb *glb)
{
    Memory *memory = &clip->record->memory;
    vvResult result = resultOk();
    int frames = clipFinite(clip, &result), vertices = 0;
    if (result.code == VV_OK && frames == 0)
        result = resultMake(VV_BAD_INPUT, "look at the run: it diverged before its first frame",
                            "frame 0 has numbers that are not finite, which glTF does not know");
    for (int i = 0; i < glb->count && result.code == VV_OK; ++i)
    {
        int rigid = i - clip->record->bodyCount;
        result =
            rigid < 0 ? prepareBody(clip, i, frames, &glb->body[i]) : prepareRigid(clip, rigid, frames, &glb->body[i]);
        vertices = maxInt(vertices, glb->body[i].skin.vertexCount);
    }
    for (int i = 0; clip->pose != NULL && i < clip->record->rigidCount && result.code == VV_OK; ++i)
    {
        if (clip->record->rigid[i].triangleCount == 0)
            continue; // a plane
        GlbBody *own = &glb->body[glb->count++];
        result = prepareRigid(clip, i, frames, own);
        vertices = maxInt(vertices, own->skin.vertexCount);
    }
    if (result.code != VV_OK)
        return result;
    GlbScratch *scratch = &glb->scratch;
    scratch->vector = ALLOCATE(memory, float, 3 * (size_t)vertices);
    scratch->normal = ALLOCATE(memory, float, 3 * (size_t)vertices);
    scratch->sum = ALLOCATE(memory, double, 3 * (size_t)vertices);
    scratch->row = ALLOCATE(memory, float, clip->mostKeys);
    if (scratch->vector == NULL || scratch->normal == NULL || scratch->sum == NULL || scratch->row == NULL)
        return resultOutOfMemory("a glTF file");
    for (int i = 0; i < glb->count && result.code == VV_OK; ++i)
    {
        result = measureBody(clip, i, &glb->body[i], scratch->vector);
        glb->size = layOut(&glb->body[i], glb->size);
    }
    if (result.code == VV_OK)
        result = cloudsPrepare(clip, glb, frames);
    cloudsLayOut(glb);
    if (result.code == VV_OK && glb->size > MOST_BYTES)
        result = resultMake(VV_BAD_INPUT, "use pc2 or usda, which have no such limit, or record fewer frames",
                            "the glTF file would have %lld bytes, at most 4 GB fit", glb->size);
    return result.code == VV_OK ? glbText(memory, glb) : result;
}

static vvResult writeAll(Clip *clip, Glb *glb, File *file)
{
    char head[20], tail[8];
    size_t text = glb->textSize;
    memcpy(head, "glTF", 4);
    storeWhole(head + 4, 2, 4);
    storeWhole(head + 8, (uint64_t)(12 + 8 + (long long)text + 8 + glb->size), 4);
    storeWhole(head + 12, text, 4);
    memcpy(head + 16, "JSON", 4);
    storeWhole(tail, (uint64_t)glb->size, 4);
    memcpy(tail + 4, "BIN", 4);
    vvResult result = diskAppend(file, head, sizeof head);
    if (result.code == VV_OK)
        result = diskAppend(file, glb->text, text);
    if (result.code == VV_OK)
        result = diskAppend(file, tail, sizeof tail);
    for (int i = 0; i < glb->count && result.code == VV_OK; ++i)
        result = writeBody(clip, i, &glb->body[i], file, &glb->scratch);
    return result.code == VV_OK ? cloudsWrite(clip, glb, file) : result;
}

static void release(Memory *memory, Glb *glb)
{
    for (int i = 0; glb->body != NULL && i < glb->count; ++i)
    {
        skinRelease(memory, &glb->body[i].skin);
        memoryRelease(memory, glb->body[i].key);
        memoryRelease(memory, glb->body[i].bounds);
        memoryRelease(memory, glb->body[i].first);
    }
    void *const blocks[] = { glb->body,           glb->text,        glb->cloud,      glb->scratch.vector,
                             glb->scratch.normal, glb->scratch.sum, glb->scratch.row };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
}

vvResult glbWrite(Clip *clip)
{
    Memory *memory = &clip->record->memory;
    Path path;
    File file = { .handle = -1 };
    Glb glb = { .count = clip->record->bodyCount, .frameTime = clip->frameTime };
    glb.body = ALLOCATE(memory, GlbBody, glb.count + clip->record->rigidCount);
    vvResult result = glb.body != NULL ? prepare(clip, &glb) : resultOutOfMemory("a glTF file");
    pathMake(clip->record, &path, clip->record->frames, ".glb");
    if (result.code == VV_OK)
        result = diskBegin(&file, &path);
    if (result.code == VV_OK)
        result = writeAll(clip, &glb, &file);
    result = diskFinish(&file, &path, &result);
    release(memory, &glb);
    return result;
}
