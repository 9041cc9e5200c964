// The surfaces of all rigid bodies of a frame in one file: OBJ with an object for each, PLY and VTU (binary, little
// endian) with the velocities of the points and the number of the body.
#include "record/record.h"

#include "base/quaternion.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_LINE (8 + 3 * (LONGEST_FLOAT + 1)) // "v x y z\n", "f a b c\n"
#define LONGEST_PLY_HEAD 512
#define ENDINGS 3

static const char *const endings[ENDINGS] = { ".obj", ".ply", ".vtu" };

typedef struct Surfaces
{
    vvRigidBodyId *id;             // rigidCount
    vvPose *pose;                  // rigidCount: the last known; a body that was destroyed stays
    int pointCount, triangleCount; // of all
    float *point, *velocity;       // pointCount x 3
    int *triangle;                 // triangleCount x 3, points of all
    int *pointBody;                // pointCount: number of the rigid body
    int *triangleBody;             // triangleCount
    char *bytes;                   // a file
    size_t headSize;               // of the file in `bytes`
} Surfaces;

// ---- the present state ----------------------------------------------------------------------------------------------

static void storeVector(float *out, Vec3 value)
{
    out[0] = toFloat(value.x);
    out[1] = toFloat(value.y);
    out[2] = toFloat(value.z);
}

static void gather(const vvRecorder *recorder, Surfaces *surfaces)
{
    size_t at = 0;
    for (int i = 0; i < recorder->rigidCount; ++i)
    {
        const RecordBody *body = &recorder->rigid[i];
        bool lives = vvRigidBody_IsValid(surfaces->id[i]);
        if (lives)
            surfaces->pose[i] = vvRigidBody_GetPose(surfaces->id[i]);
        vvVec3 o = surfaces->pose[i].position, c = vvRigidBody_GetCentreOfMass(surfaces->id[i]);
        vvVec3 v = vvRigidBody_GetVelocity(surfaces->id[i]), w = vvRigidBody_GetSpin(surfaces->id[i]);
        vvQuat q = surfaces->pose[i].rotation;
        for (int p = 0; p < body->pointCount; ++p, ++at)
        {
            const float *own = body->point + 3 * (size_t)p;
            Vec3 turned = quatRotate(q, vec3((double)own[0], (double)own[1], (double)own[2]));
            Vec3 x = vecAdd(vec3(o.x, o.y, o.z), turned);
            Vec3 motion = vecAdd(vec3(v.x, v.y, v.z), vecCross(vec3(w.x, w.y, w.z), vecSub(x, vec3(c.x, c.y, c.z))));
            storeVector(surfaces->point + 3 * at, x);
            storeVector(surfaces->velocity + 3 * at, lives ? motion : vec3(0, 0, 0));
        }
    }
}

// ---- files ----------------------------------------------------------------------------------------------------------

static size_t objFill(const vvRecorder *recorder, Surfaces *surfaces)
{
    char *out = surfaces->bytes;
    out += snprintf(out, LONGEST_PLY_HEAD, "# verve rigid bodies: %d of them, %d vertices, %d faces\n",
                    recorder->rigidCount, surfaces->pointCount, surfaces->triangleCount);
    surfaces->headSize = (size_t)(out - surfaces->bytes);
    const float *point = surfaces->point;
    const int *triangle = surfaces->triangle;
    for (int i = 0; i < recorder->rigidCount; ++i)
    {
        const RecordBody *body = &recorder->rigid[i];
        out = textWord(textWord(textWord(out, "o "), body->name), "\n");
        for (int p = 0; p < body->pointCount; ++p, point += 3)
        {
            out = textFloat(textWord(out, "v "), point[0]);
            out = textFloat(textWord(out, " "), point[1]);
            out = textWord(textFloat(textWord(out, " "), point[2]), "\n");
        }
        for (int t = 0; t < body->triangleCount; ++t, triangle += 3)
        {
            out = textInt(textWord(out, "f "), triangle[0] + 1);
            out = textInt(textWord(out, " "), triangle[1] + 1);
            out = textWord(textInt(textWord(out, " "), triangle[2] + 1), "\n");
        }
    }
    return (size_t)(out - surfaces->bytes);
}

static size_t plyFill(Surfaces *surfaces)
{
    char *out = surfaces->bytes;
    out += snprintf(out, LONGEST_PLY_HEAD,
                    "ply\nformat binary_little_endian 1.0\ncomment verve rigid bodies\nelement vertex %d\n"
                    "property float x\nproperty float y\nproperty float z\n"
                    "property float vx\nproperty float vy\nproperty float vz\nproperty int body\n"
                    "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                    surfaces->pointCount, surfaces->triangleCount);
    surfaces->headSize = (size_t)(out - surfaces->bytes);
    for (size_t i = 0; i < (size_t)surfaces->pointCount; ++i)
    {
        out = storeArray(out, surfaces->point + 3 * i, 3, sizeof(float));
        out = storeArray(out, surfaces->velocity + 3 * i, 3, sizeof(float));
        out = storeWhole(out, (uint64_t)surfaces->pointBody[i], 4);
    }
    for (size_t t = 0; t < (size_t)surfaces->triangleCount; ++t)
        out = storeArray(storeWhole(out, 3, 1), surfaces->triangle + 3 * t, 3, sizeof(int));
    return (size_t)(out - surfaces->bytes);
}

enum
{
    TIME,
    VELOCITY,
    BODY,
    POINTS,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    ARRAYS,
};

static size_t vtuFill(const vvRecorder *recorder, Surfaces *surfaces)
{
    size_t points = (size_t)surfaces->pointCount, cells = (size_t)surfaces->triangleCount;
    const VtuArray array[ARRAYS] = {
        [TIME] = { "Float64", "TimeValue", 1, 8 },
        [VELOCITY] = { "Float32", "velocity", 3, 12 * points },
        [BODY] = { "Int32", "body", 1, 4 * cells },
        [POINTS] = { "Float32", "points", 3, 12 * points },
        [CONNECTIVITY] = { "Int32", "connectivity", 1, 12 * cells },
        [OFFSETS] = { "Int32", "offsets", 1, 4 * cells },
        [TYPES] = { "UInt8", "types", 1, cells },
    };
    double time = vvWorld_GetTime(recorder->world);
    surfaces->headSize = vtuHead(surfaces->bytes, surfaces->pointCount, surfaces->triangleCount, array, 1, 1);
    char *out = surfaces->bytes + surfaces->headSize;
    out = storeArray(storeWhole(out, array[TIME].size, 8), &time, 1, sizeof time);
    out = storeArray(storeWhole(out, array[VELOCITY].size, 8), surfaces->velocity, 3 * points, sizeof(float));
    out = storeArray(storeWhole(out, array[BODY].size, 8), surfaces->triangleBody, cells, sizeof(int));
    out = storeArray(storeWhole(out, array[POINTS].size, 8), surfaces->point, 3 * points, sizeof(float));
    out = storeArray(storeWhole(out, array[CONNECTIVITY].size, 8), surfaces->triangle, 3 * cells, sizeof(int));
    out = storeWhole(out, array[OFFSETS].size, 8);
    for (size_t c = 1; c <= cells; ++c)
        out = storeWhole(out, 3 * (uint64_t)c, 4);
    out = storeWhole(out, array[TYPES].size, 8);
    memset(out, 5, cells); // VTK_TRIANGLE
    return (size_t)(vtuFoot(out + cells) - surfaces->bytes);
}

static size_t fill(const vvRecorder *recorder, Surfaces *surfaces, int ending)
{
    return ending == 0 ? objFill(recorder, surfaces) : ending == 1 ? plyFill(surfaces) : vtuFill(recorder, surfaces);
}

// ---- the format -----------------------------------------------------------------------------------------------------

static bool reserve(vvRecorder *recorder, Surfaces *surfaces)
{
    Memory *memory = &recorder->memory;
    for (int i = 0; i < recorder->rigidCount; ++i)
    {
        surfaces->pointCount += recorder->rigid[i].pointCount;
        surfaces->triangleCount += recorder->rigid[i].triangleCount;
    }
    size_t bodies = (size_t)recorder->rigidCount, points = (size_t)surfaces->pointCount;
    size_t triangles = (size_t)surfaces->triangleCount;
    surfaces->id = ALLOCATE(memory, vvRigidBodyId, bodies);
    surfaces->pose = ALLOCATE(memory, vvPose, bodies);
    surfaces->point = ALLOCATE(memory, float, 3 * points);
    surfaces->velocity = ALLOCATE(memory, float, 3 * points);
    surfaces->triangle = ALLOCATE(memory, int, 3 * triangles);
    surfaces->pointBody = ALLOCATE(memory, int, points);
    surfaces->triangleBody = ALLOCATE(memory, int, triangles);
    surfaces->bytes =
        ALLOCATE(memory, char, LONGEST_VTU_HEAD + 256 + 32 * bodies + LONGEST_LINE * (points + triangles));
    return surfaces->id && surfaces->pose && surfaces->point && surfaces->velocity && surfaces->triangle &&
           surfaces->pointBody && surfaces->triangleBody && surfaces->bytes;
}

static void number(const vvRecorder *recorder, Surfaces *surfaces)
{
    int points = 0, triangles = 0;
    for (int i = 0; i < recorder->rigidCount; ++i)
    {
        const RecordBody *body = &recorder->rigid[i];
        for (int k = 0; k < 3 * body->triangleCount; ++k)
            surfaces->triangle[3 * (size_t)triangles + (size_t)k] = points + body->triangle[k];
        for (int t = 0; t < body->triangleCount; ++t)
            surfaces->triangleBody[triangles++] = i;
        for (int p = 0; p < body->pointCount; ++p)
            surfaces->pointBody[points++] = i;
    }
}

// all frames are there, and the last to keep begins as ours would
static vvResult check(vvRecorder *recorder, Surfaces *surfaces, int ending)
{
    char stem[LONGEST_STEM], head[LONGEST_VTU_HEAD];
    Path path;
    File file = { .handle = -1 };
    rigidStem(recorder, stem);
    framePath(recorder, &path, stem, recorder->resumeFrame, endings[ending]);
    vvResult result = seriesCheck(recorder, stem, endings[ending]);
    if (result.code == VV_OK)
        result = resumeOpen(&file, &path);
    if (result.code != VV_OK)
        return result;
    fill(recorder, surfaces, ending);
    size_t size = surfaces->headSize;
    bool isSame = file.size >= (long long)size && diskRead(&file, 0, head, size).code == VV_OK &&
                  memcmp(head, surfaces->bytes, size) == 0;
    diskClose(&file);
    return isSame ? resultOk() : resumeRefused(&path, "is of other rigid bodies");
}

static vvResult surfacesOpen(vvRecorder *recorder, void **self)
{
    Surfaces *surfaces = ALLOCATE(&recorder->memory, Surfaces, 1);
    *self = surfaces;
    if (surfaces == NULL || !reserve(recorder, surfaces))
        return resultOutOfMemory("the surfaces of rigid bodies");
    vvWorld_GetRigidBodies(recorder->world, surfaces->id, recorder->rigidCount);
    number(recorder, surfaces);
    gather(recorder, surfaces);
    vvResult result = resultOk();
    for (int i = 0; i < ENDINGS && recorder->resumeFrame >= 0 && result.code == VV_OK; ++i)
    {
        if (recorder->surfaces[i])
            result = check(recorder, surfaces, i);
    }
    return result;
}

static vvResult surfacesStart(vvRecorder *recorder, void *self)
{
    (void)self;
    char stem[LONGEST_STEM];
    rigidStem(recorder, stem);
    vvResult result = resultOk();
    for (int i = 0; i < ENDINGS && result.code == VV_OK; ++i)
    {
        if (recorder->surfaces[i])
            result = seriesSweep(recorder, stem, endings[i]);
    }
    return result;
}

static vvResult surfacesAdd(vvRecorder *recorder, void *self)
{
    Surfaces *surfaces = self;
    char stem[LONGEST_STEM];
    rigidStem(recorder, stem);
    gather(recorder, surfaces);
    vvResult result = resultOk();
    for (int i = 0; i < ENDINGS && result.code == VV_OK; ++i)
    {
        Path path;
        if (!recorder->surfaces[i])
            continue;
        framePath(recorder, &path, stem, recorder->frameCount, endings[i]);
        size_t size = fill(recorder, surfaces, i);
        result = diskReplace(&path, surfaces->bytes, size);
    }
    return result;
}

static vvResult surfacesClose(vvRecorder *recorder, void *self)
{
    Surfaces *surfaces = self;
    if (surfaces == NULL)
        return resultOk();
    void *const blocks[] = { surfaces->id,           surfaces->pose,     surfaces->point,
                             surfaces->velocity,     surfaces->triangle, surfaces->pointBody,
                             surfaces->triangleBody, surfaces->bytes,    surfaces };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(&recorder->memory, blocks[i]);
    return resultOk();
}

const Format rigidSurfaceFormat = { "rigid surface", false, surfacesOpen, surfacesStart, surfacesAdd, surfacesClose };
