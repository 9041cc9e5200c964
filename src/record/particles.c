// Fluids as sets of points, a file per fluid and frame, beside the bodies: PLY (binary, little endian) and VTU. The
// number of points changes from frame to frame; ids tell which is which.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

typedef struct Particles
{
    char *bytes; // room
    size_t room;
} Particles;

static const char *const endings[] = { ".ply", ".vtu" };
#define ENDINGS 2

// ---- bytes ----------------------------------------------------------------------------------------------------------

static char *storePoint(char *out, const double *values)
{
    const float row[3] = { toFloat(values[0]), toFloat(values[1]), toFloat(values[2]) };
    return storeArray(out, row, 3, sizeof(float));
}

static size_t plyFill(char *bytes, int index, vvFluidId fluid)
{
    int count = vvFluid_GetCount(fluid);
    const double *x = vvFluid_GetPositions(fluid), *v = vvFluid_GetVelocities(fluid);
    const uint32_t *id = vvFluid_GetIds(fluid);
    char *out = bytes;
    out += snprintf(bytes, LONGEST_VTU_HEAD,
                    "ply\nformat binary_little_endian 1.0\ncomment verve fluid %d\nelement vertex %d\n"
                    "property float x\nproperty float y\nproperty float z\n"
                    "property float vx\nproperty float vy\nproperty float vz\nproperty uint id\nend_header\n",
                    index, count);
    for (int i = 0; i < count; ++i)
    {
        out = storePoint(out, x + 3 * (ptrdiff_t)i);
        out = storePoint(out, v + 3 * (ptrdiff_t)i);
        out = storeWhole(out, id[i], 4);
    }
    return (size_t)(out - bytes);
}

enum
{
    TIME,
    VELOCITY,
    ID,
    POINTS,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    ARRAYS,
};

// a vertex of its own for every point: VTK_VERTEX is 1
static size_t vtuFill(char *bytes, vvFluidId fluid, double time)
{
    int count = vvFluid_GetCount(fluid);
    size_t points = (size_t)count;
    const VtuArray array[ARRAYS] = {
        [TIME] = { "Float64", "TimeValue", 1, 8 },
        [VELOCITY] = { "Float32", "velocity", 3, 12 * points },
        [ID] = { "UInt32", "id", 1, 4 * points },
        [POINTS] = { "Float32", "points", 3, 12 * points },
        [CONNECTIVITY] = { "Int32", "connectivity", 1, 4 * points },
        [OFFSETS] = { "Int32", "offsets", 1, 4 * points },
        [TYPES] = { "UInt8", "types", 1, points },
    };
    const double *x = vvFluid_GetPositions(fluid), *v = vvFluid_GetVelocities(fluid);
    const uint32_t *id = vvFluid_GetIds(fluid);
    char *out = bytes + vtuHead(bytes, count, count, array, 2, 0);
    for (int a = 0; a < ARRAYS; ++a)
    {
        out = storeWhole(out, array[a].size, 8);
        if (a == TIME)
            out = storeArray(out, &time, 1, sizeof time);
        for (int i = 0; i < count && a != TIME; ++i)
        {
            if (a == POINTS || a == VELOCITY)
                out = storePoint(out, (a == POINTS ? x : v) + 3 * (ptrdiff_t)i);
            else if (a == TYPES)
                out = storeWhole(out, 1, 1);
            else
                out = storeWhole(out, a == ID ? id[i] : (uint64_t)i + (a == OFFSETS ? 1 : 0), 4);
        }
    }
    return (size_t)(vtuFoot(out) - bytes);
}

// ---- the format -----------------------------------------------------------------------------------------------------

static vvResult particlesOpen(vvRecorder *recorder, void **self)
{
    Particles *particles = ALLOCATE(&recorder->memory, Particles, 1);
    *self = particles;
    if (particles == NULL)
        return resultOutOfMemory("the files of fluids");
    vvResult result = resultOk();
    for (int i = 0; i < recorder->fluidCount * ENDINGS && recorder->resumeFrame >= 0 && result.code == VV_OK; ++i)
    {
        char stem[LONGEST_STEM];
        fluidStem(recorder->frames, i / ENDINGS, stem);
        if (recorder->points[i % ENDINGS])
            result = seriesCheck(recorder, stem, endings[i % ENDINGS]);
    }
    return result;
}

static vvResult particlesStart(vvRecorder *recorder, void *self)
{
    (void)self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->fluidCount * ENDINGS && result.code == VV_OK; ++i)
    {
        char stem[LONGEST_STEM];
        fluidStem(recorder->frames, i / ENDINGS, stem);
        if (recorder->points[i % ENDINGS])
            result = seriesSweep(recorder, stem, endings[i % ENDINGS]);
    }
    return result;
}

static bool reserve(vvRecorder *recorder, Particles *particles, int count)
{
    size_t needed = LONGEST_VTU_HEAD + 128 + 48 * (size_t)count;
    if (needed <= particles->room)
        return true;
    memoryRelease(&recorder->memory, particles->bytes);
    particles->room = 2 * needed;
    particles->bytes = ALLOCATE(&recorder->memory, char, particles->room);
    return particles->bytes != NULL;
}

static vvResult particlesAdd(vvRecorder *recorder, void *self)
{
    Particles *particles = self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->fluidCount * ENDINGS && result.code == VV_OK; ++i)
    {
        vvFluidId fluid = recorder->fluid[i / ENDINGS];
        char stem[LONGEST_STEM];
        Path path;
        if (!recorder->points[i % ENDINGS])
            continue;
        if (!reserve(recorder, particles, vvFluid_GetCount(fluid)))
        {
            particles->room = 0;
            return resultOutOfMemory("the files of fluids");
        }
        fluidStem(recorder->frames, i / ENDINGS, stem);
        framePath(recorder, &path, stem, recorder->frameCount, endings[i % ENDINGS]);
        size_t size = i % ENDINGS == 0 ? plyFill(particles->bytes, i / ENDINGS, fluid)
                                       : vtuFill(particles->bytes, fluid, vvWorld_GetTime(recorder->world));
        result = diskReplace(&path, particles->bytes, size);
    }
    return result;
}

static vvResult particlesClose(vvRecorder *recorder, void *self)
{
    Particles *particles = self;
    if (particles != NULL)
        memoryRelease(&recorder->memory, particles->bytes);
    memoryRelease(&recorder->memory, particles);
    return resultOk();
}

const Format particlesFormat = { "particles", false, particlesOpen, particlesStart, particlesAdd, particlesClose };
