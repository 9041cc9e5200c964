// glTF 2.0 in one binary file: a node per body whose surface moves by morph targets. The first frame is the mesh, every
// further key frame a target with the differences of positions and normals, and the weights of an animation go from one
// to the next. Viewers hold all weights of a mesh at once, so there are not many of them; frames that lie on a
// straight line between others are left out. A body whose mesh changes has a node for each mesh, of which one is shown
// at a time. Meshes are loaded one by one, to be measured and to be written.
#include "record/glb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 5e-4          // of the size of a body, for frames that are left out
#define BOUND 1e-3              // before there are more keys than every viewer has room for
#define MOST_BYTES 4000000000LL // a file of 32-bit offsets
#define CHUNK 65536

// ---- what is written ------------------------------------------------------------------------------------------------

// what is seen, its vertices and the frame of the first key
static vvResult load(Clip *clip, GlbBody *own)
{
    Memory *memory = &clip->record->memory;
    own->body = own->rigid ? &clip->record->rigid[own->number] : NULL;
    vvResult result = own->rigid ? resultOk() : clipMesh(clip, own->number, own->mesh, &own->body);
    if (result.code != VV_OK)
        return result;
    skinRelease(memory, &own->skin);
    own->first = ALLOCATE(memory, float, 3 * (size_t)own->body->pointCount);
    if (own->first == NULL || !skinMake(memory, own->body, &own->skin))
        return resultOutOfMemory("a glTF file");
    if (!own->rigid)
        return clipRead(clip, own->number, own->begin, own->first);
    memcpy(own->first, own->body->point, 3 * (size_t)own->body->pointCount * sizeof(float));
    return result;
}

// all but what the text of the file says
static void unload(Memory *memory, GlbBody *own)
{
    Skin *skin = &own->skin;
    int *const blocks[] = { skin->point, skin->row, skin->shade, skin->triangle };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    memoryRelease(memory, own->first);
    skin->point = skin->row = skin->shade = skin->triangle = NULL;
    own->first = NULL;
    own->body = NULL;
}

static const char *materialName(const GlbBody *own, int part)
{
    int row = part < own->skin.partCount ? own->skin.material[part] : -1;
    return row >= 0 ? own->body->faces->materialNames[row] : own->body->name;
}

// what the text says of a body that is loaded; false: out of memory
static bool describe(Memory *memory, GlbBody *own)
{
    const RecordBody *body = own->body;
    int parts = maxInt(own->skin.partCount, 1);
    size_t size = 0;
    own->mapped = body->faces != NULL && body->faces->coordinates != NULL;
    own->doubleSided = body->tetCount == 0 && !own->rigid;
    own->lines = body->lineCount > 0;
    own->loose = own->lines ? 2 * body->lineCount : body->pointCount;
    if (own->mesh > 0)
        snprintf(own->name, sizeof own->name, "%s" RECORD_MESH "%d", body->name, own->mesh);
    else
        snprintf(own->name, sizeof own->name, "%s", body->name);
    for (int p = 0; p < parts; ++p)
        size += strlen(materialName(own, p)) + 1;
    own->materials = ALLOCATE(memory, char, size);
    char *out = own->materials;
    for (int p = 0; p < parts && out != NULL; ++p)
    {
        strcpy(out, materialName(own, p));
        out += strlen(out) + 1;
    }
    return out != NULL;
}

// m, what tolerances are measured by: of a mesh that changes that of its points at rest
static double sizeOf(const Clip *clip, const GlbBody *own)
{
    const RecordBody *body = own->body;
    if (body != &clip->loaded)
        return vvMesh_GetSize(body->mesh);
    double sum = 0;
    for (size_t c = 0; c < 3; ++c)
    {
        double lower = (double)body->point[c], upper = lower;
        for (size_t p = 1; p < (size_t)body->pointCount; ++p)
        {
            lower = minReal(lower, (double)body->point[3 * p + c]);
            upper = maxReal(upper, (double)body->point[3 * p + c]);
        }
        sum += (upper - lower) * (upper - lower);
    }
    return sqrt(sum);
}

static vvResult prepareMesh(Clip *clip, int number, int mesh, int frames, GlbBody *own)
{
    Memory *memory = &clip->record->memory;
    const ClipBody *from = &clip->body[number];
    own->number = number;
    own->mesh = mesh;
    own->begin = from->first[mesh];
    own->end = minInt(from->first[mesh + 1], frames);
    glbShow(&own->shown, own->begin, own->end < frames ? own->end : -1, clip->frameTime);
    vvResult result = load(clip, own);
    if (result.code != VV_OK)
        return result;
    int most = minInt(clip->mostKeys, own->end - own->begin);
    own->key = ALLOCATE(memory, int, most);
    own->bounds = ALLOCATE(memory, GlbBounds, most);
    if (own->key == NULL || own->bounds == NULL || !describe(memory, own))
        return resultOutOfMemory("a glTF file");
    double unit = maxReal(sizeOf(clip, own), 1e-6);
    return keyframesFind(clip, number, own->begin, own->end, TOLERANCE * unit, BOUND * unit, own->key, &own->keyCount);
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
    own->rigid = true;
    own->number = rigid;
    own->keyCount = 1;
    own->poseCount = own->end = frames;
    own->key = ALLOCATE(memory, int, 1);
    own->bounds = ALLOCATE(memory, GlbBounds, 1);
    glbShow(&own->shown, 0, -1, clip->frameTime);
    vvResult result = load(clip, own);
    if (result.code != VV_OK)
        return result;
    if (own->key == NULL || own->bounds == NULL || !describe(memory, own))
        return resultOutOfMemory("a glTF file");
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

// the vectors of a key frame: positions of the first, differences of others, whose points are those of the body then
static vvResult loadKey(Clip *clip, const GlbBody *own, int key, float *vector)
{
    if (key == 0)
    {
        positions(own, vector);
        return resultOk();
    }
    vvResult result = clipRead(clip, own->number, own->key[key], own->body->point);
    if (result.code == VV_OK)
        differences(own, own->body->point, vector);
    return result;
}

static bool scratchReserve(Memory *memory, GlbScratch *scratch, int vertices)
{
    if (vertices <= scratch->room)
        return true;
    memoryRelease(memory, scratch->vector);
    memoryRelease(memory, scratch->normal);
    memoryRelease(memory, scratch->sum);
    scratch->vector = ALLOCATE(memory, float, 3 * (size_t)vertices);
    scratch->normal = ALLOCATE(memory, float, 3 * (size_t)vertices);
    scratch->sum = ALLOCATE(memory, double, 3 * (size_t)vertices);
    bool enough = scratch->vector != NULL && scratch->normal != NULL && scratch->sum != NULL;
    scratch->room = enough ? vertices : 0;
    return enough;
}

static vvResult measureBody(Clip *clip, GlbBody *own, GlbScratch *scratch)
{
    if (!scratchReserve(&clip->record->memory, scratch, own->skin.vertexCount))
        return resultOutOfMemory("a glTF file");
    vvResult result = resultOk();
    for (int k = 0; k < own->keyCount && result.code == VV_OK; ++k)
    {
        result = loadKey(clip, own, k, scratch->vector);
        if (result.code == VV_OK)
            measure(scratch->vector, own->skin.vertexCount, &own->bounds[k]);
    }
    return result;
}

// offsets of the parts of a body in the buffer; returns what follows
static long long layOut(GlbBody *own, long long at)
{
    const Skin *skin = &own->skin;
    long long vertices = skin->vertexCount, keys = own->keyCount;
    own->indexAt = at;
    at += 4 * (skin->triangleCount > 0 ? 3LL * skin->triangleCount : own->loose);
    own->coordinateAt = at;
    at += own->mapped ? 8 * vertices : 0;
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

static vvResult writeKeys(Clip *clip, GlbBody *own, File *file, GlbScratch *scratch)
{
    size_t numbers = 3 * (size_t)own->skin.vertexCount;
    vvResult result = resultOk();
    for (int k = 0; k < own->keyCount && result.code == VV_OK; ++k)
    {
        result = loadKey(clip, own, k, scratch->vector);
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

static vvResult writeLoaded(Clip *clip, GlbBody *own, File *file, GlbScratch *scratch)
{
    const Skin *skin = &own->skin;
    vvResult result = skin->triangleCount > 0 ? writeInts(file, skin->triangle, 3 * (size_t)skin->triangleCount)
                      : own->lines            ? writeInts(file, own->body->line, (size_t)own->loose)
                                              : writeInts(file, own->body->vertex, (size_t)own->loose); // all are seen
    if (result.code == VV_OK && own->mapped)
        result = writeCoordinates(file, own, scratch->vector);
    if (result.code == VV_OK)
        result = writeKeys(clip, own, file, scratch);
    if (own->rigid)
        return result.code == VV_OK && own->moves ? writePoses(clip, own, file) : result;
    return result.code == VV_OK && own->keyCount > 1 ? writeAnimation(file, own, clip->frameTime, scratch->row)
                                                     : result;
}

static vvResult writeBody(Clip *clip, GlbBody *own, File *file, GlbScratch *scratch)
{
    vvResult result = load(clip, own);
    if (result.code == VV_OK)
        result = writeLoaded(clip, own, file, scratch);
    unload(&clip->record->memory, own);
    return result;
}

// ---- the file -------------------------------------------------------------------------------------------------------

// the meshes of a body that have the same materials share them
static void numberMaterials(Glb *glb)
{
    int next = 0;
    for (int i = 0; i < glb->count; ++i)
    {
        GlbBody *own = &glb->body[i];
        const GlbBody *before = i > 0 ? &glb->body[i - 1] : NULL;
        int parts = maxInt(own->skin.partCount, 1);
        own->borrows = own->mesh > 0 && maxInt(before->skin.partCount, 1) == parts;
        const char *a = own->materials, *b = own->borrows ? before->materials : NULL;
        for (int p = 0; p < parts && own->borrows; ++p, a += strlen(a) + 1, b += strlen(b) + 1)
            own->borrows = strcmp(a, b) == 0;
        own->material = own->borrows ? before->material : next;
        next = own->material + parts;
    }
}

// one mesh after the other, then one rigid body after the other: described, measured and left
static vvResult prepareBodies(Clip *clip, Glb *glb, int frames)
{
    vvRecorder *record = clip->record;
    vvResult result = resultOk();
    for (int i = 0; i < record->bodyCount + record->rigidCount && result.code == VV_OK; ++i)
    {
        int rigid = i - record->bodyCount;
        if (rigid >= 0 && (clip->pose == NULL || record->rigid[rigid].triangleCount == 0))
            continue; // a plane
        int meshes = rigid < 0 ? clipMeshCount(clip, i, frames) : 1;
        for (int m = 0; m < meshes && result.code == VV_OK; ++m)
        {
            GlbBody *own = &glb->body[glb->count++];
            result = rigid < 0 ? prepareMesh(clip, i, m, frames, own) : prepareRigid(clip, rigid, frames, own);
            if (result.code == VV_OK)
                result = measureBody(clip, own, &glb->scratch);
            unload(&record->memory, own);
            glb->size = layOut(own, glb->size);
        }
    }
    return result;
}

static vvResult prepare(Clip *clip, Glb *glb)
{
    Memory *memory = &clip->record->memory;
    vvResult result = clipFindMeshes(clip);
    int frames = result.code == VV_OK ? clipFinite(clip, &result) : 0, most = clip->record->rigidCount;
    if (result.code == VV_OK && frames == 0)
        result = resultMake(VV_BAD_INPUT, "look at the run: it diverged before its first frame",
                            "frame 0 has numbers that are not finite, which glTF does not know");
    if (result.code != VV_OK)
        return result;
    for (int i = 0; i < clip->record->bodyCount; ++i)
        most += clipMeshCount(clip, i, frames);
    glb->body = ALLOCATE(memory, GlbBody, most);
    glb->scratch.row = ALLOCATE(memory, float, clip->mostKeys);
    if (glb->body == NULL || glb->scratch.row == NULL)
        return resultOutOfMemory("a glTF file");
    result = prepareBodies(clip, glb, frames);
    if (result.code == VV_OK)
        result = cloudsPrepare(clip, glb, frames);
    if (result.code != VV_OK)
        return result;
    numberMaterials(glb);
    cloudsLayOut(glb);
    shownLayOut(glb);
    if (glb->size > MOST_BYTES)
        return resultMake(VV_BAD_INPUT, "use pc2 or usda, which have no such limit, or record fewer frames",
                          "the glTF file would have %lld bytes, at most 4 GB fit", glb->size);
    return glbText(memory, glb);
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
        result = writeBody(clip, &glb->body[i], file, &glb->scratch);
    if (result.code == VV_OK)
        result = cloudsWrite(clip, glb, file);
    return result.code == VV_OK ? shownWrite(glb, file) : result;
}

static void release(Memory *memory, Glb *glb)
{
    for (int i = 0; glb->body != NULL && i < glb->count; ++i)
    {
        skinRelease(memory, &glb->body[i].skin);
        memoryRelease(memory, glb->body[i].key);
        memoryRelease(memory, glb->body[i].bounds);
        memoryRelease(memory, glb->body[i].first);
        memoryRelease(memory, glb->body[i].materials);
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
    Glb glb = { .frameTime = clip->frameTime };
    vvResult result = prepare(clip, &glb);
    pathMake(clip->record, &path, clip->record->frames, ".glb");
    if (result.code == VV_OK)
        result = diskBegin(&file, &path);
    if (result.code == VV_OK)
        result = writeAll(clip, &glb, &file);
    result = diskFinish(&file, &path, &result);
    release(memory, &glb);
    return result;
}
