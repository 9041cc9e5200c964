// The points of a glTF file over time, in the order of the mesh that is read from it.
#include "mesh/gltf.h"

#include <math.h>

#define PARTED 1e-3 // of the size of the file: points that are one in the mesh may be so far apart
#define LOOKS 8     // times at which they are looked at

struct MeshMotion
{
    Memory *memory;
    Reader reader;
    Gltf gltf;
    GltfKeys keys;
    int pointCount;
    int *source; // pointCount: the point of the file
    double *all; // points of the file x 3
    int allCount;
};

bool meshMotionIs(const char *file)
{
    const MeshFormat *format = NULL;
    return formatFind(NULL, file, &format).code == VV_OK && format->read == readGltf;
}

static void placeAll(MeshMotion *motion, double time)
{
    const GltfPose *pose = &motion->gltf.pose;
    gltfKeysAt(&motion->gltf, &motion->keys, motion->keys.begin + time);
    for (int i = 0; i < pose->partCount; ++i)
    {
        const GltfPart *part = &pose->part[i];
        for (int row = 0; row < part->count; ++row)
            gltfPointAt(&motion->gltf, part, row, motion->all + 3 * ((size_t)part->first + (size_t)row));
    }
}

static double apart(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static double sizeOf(const double *point, int count)
{
    double most = 0;
    for (int i = 1; i < count; ++i)
        most = maxReal(most, apart(point, point + 3 * (size_t)i));
    return most;
}

// `first`: of every point of the file, the one that stands for it in the mesh
static bool checkSeams(MeshMotion *motion, const int *first)
{
    for (int k = 0; k < LOOKS; ++k)
    {
        double time = meshMotionEnd(motion) * k / (LOOKS - 1);
        placeAll(motion, time);
        double size = sizeOf(motion->all, motion->allCount);
        for (int i = 0; i < motion->allCount; ++i)
        {
            double gap = apart(motion->all + 3 * (size_t)i, motion->all + 3 * (size_t)first[i]);
            if (gap > PARTED * size)
                return gltfFault(&motion->gltf, "let the parts not touch at rest, or export them as one mesh",
                                 "points %d and %d are at one place at rest and %g m apart at %g s", first[i], i, gap,
                                 time);
        }
    }
    return true;
}

// the points of the file at rest, and which of them are one
static bool prepare(MeshMotion *motion)
{
    GltfPose *pose = &motion->gltf.pose;
    for (int i = 0; i < pose->partCount; ++i)
        motion->allCount = maxInt(motion->allCount, pose->part[i].first + pose->part[i].count);
    motion->all = ALLOCATE(motion->memory, double, 3 * (size_t)motion->allCount);
    int *first = ALLOCATE(motion->memory, int, motion->allCount);
    bool ok = motion->all != NULL && first != NULL;
    for (int i = 0; i < pose->partCount && ok; ++i)
    {
        for (int row = 0; row < pose->part[i].count; ++row)
            gltfPointAt(&motion->gltf, &pose->part[i], row,
                        motion->all + 3 * ((size_t)pose->part[i].first + (size_t)row));
    }
    ok = ok && repairWeld(motion->memory, motion->all, motion->allCount, 0, first) >= 0;
    ok = ok ? checkSeams(motion, first) : readerOutOfMemory(&motion->reader);
    memoryRelease(motion->memory, first);
    return ok;
}

// what reading left of the points
static bool takeNames(MeshMotion *motion, const MeshArrays *arrays)
{
    motion->pointCount = arrays->pointCount;
    motion->source = ALLOCATE(motion->memory, int, arrays->pointCount);
    for (int i = 0; motion->source != NULL && i < arrays->pointCount; ++i)
        motion->source[i] = (int)(arrays->naming.point[i] - arrays->naming.first);
    return motion->source != NULL || readerOutOfMemory(&motion->reader);
}

MeshMotion *meshMotionOpen(Memory *memory, const char *file, const char *clip, vvResult *result)
{
    MeshMotion *motion = ALLOCATE(memory, MeshMotion, 1);
    if (motion == NULL)
    {
        *result = resultOutOfMemory("an animation");
        return NULL;
    }
    vvMeshDef def = vvDefaultMeshDef();
    MeshArrays arrays = { .memory = memory, .lenient = true };
    MeshOrigin origin = { 0 };
    def.shape = VV_MESH_FILE;
    def.file = file;
    motion->memory = memory;
    motion->reader.gltf = &motion->gltf;
    bool ok = fileRead(&motion->reader, &arrays, &def, &origin).code == VV_OK && takeNames(motion, &arrays);
    arraysRelease(&arrays);
    ok = ok && gltfKeysOpen(&motion->gltf, clip, &motion->keys) && gltfReach(&motion->gltf, &motion->keys) &&
         prepare(motion);
    *result = motion->reader.result;
    if (ok)
        return motion;
    meshMotionClose(motion);
    return NULL;
}

void meshMotionClose(MeshMotion *motion)
{
    if (motion == NULL)
        return;
    Memory *memory = motion->memory;
    if (motion->gltf.reader != NULL)
    {
        gltfKeysClose(&motion->gltf, &motion->keys);
        gltfClose(&motion->gltf);
    }
    fileClose(&motion->reader);
    memoryRelease(memory, motion->source);
    memoryRelease(memory, motion->all);
    memoryRelease(memory, motion);
}

int meshMotionPoints(const MeshMotion *motion)
{
    return motion->pointCount;
}

double meshMotionEnd(const MeshMotion *motion)
{
    return motion->keys.end - motion->keys.begin;
}

void meshMotionAt(MeshMotion *motion, double time, double *point)
{
    placeAll(motion, time);
    for (int i = 0; i < motion->pointCount; ++i)
        vecStore(point + 3 * (size_t)i, cornerPoint(motion->all, motion->source[i]));
}
