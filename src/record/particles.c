// Fluids as sets of points, a file per fluid and frame, beside the bodies: PLY (binary, little endian) and VTU. The
// number of points changes from frame to frame; ids tell which is which.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_HEAD 1600
#define FLUIDS_MOST 64

typedef struct Particles
{
    int count; // fluids
    vvFluidId fluid[FLUIDS_MOST];
    char *bytes; // room
    size_t room;
} Particles;

// names of bodies have no '-'
static void stemOf(const vvRecorder *recorder, int fluid, char *stem /* LONGEST_STEM */)
{
    snprintf(stem, LONGEST_STEM, "%.100s-fluid-%d", recorder->frames, fluid);
}

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
    out += snprintf(bytes, LONGEST_HEAD,
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

// sizes of the arrays of a VTU file, per point, in the order in which they are appended: points, velocities, ids,
// connectivity, offsets, types
static const int width[] = { 12, 12, 4, 4, 4, 1 };
#define ARRAYS 6

static size_t vtuHead(char *bytes, int count)
{
    size_t offset[ARRAYS];
    for (int i = 0; i < ARRAYS; ++i)
        offset[i] = i == 0 ? 0 : offset[i - 1] + 8 + (size_t)width[i - 1] * (size_t)count;
    return (size_t)snprintf(
        bytes, LONGEST_HEAD,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<Points>\n"
        "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n</Points>\n"
        "<PointData>\n"
        "<DataArray type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"UInt32\" Name=\"id\" format=\"appended\" offset=\"%zu\"/>\n</PointData>\n<Cells>\n"
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%zu\"/>\n"
        "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"%zu\"/>\n</Cells>\n"
        "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
        count, count, offset[0], offset[1], offset[2], offset[3], offset[4], offset[5]);
}

static size_t vtuFill(char *bytes, vvFluidId fluid)
{
    int count = vvFluid_GetCount(fluid);
    const double *x = vvFluid_GetPositions(fluid), *v = vvFluid_GetVelocities(fluid);
    const uint32_t *id = vvFluid_GetIds(fluid);
    char *out = bytes + vtuHead(bytes, count);
    for (int a = 0; a < ARRAYS; ++a)
    {
        out = storeWhole(out, (uint64_t)width[a] * (uint64_t)count, 8);
        for (int i = 0; i < count; ++i)
        {
            if (a < 2)
                out = storePoint(out, (a == 0 ? x : v) + 3 * (ptrdiff_t)i);
            else // a vertex of its own for every point: VTK_VERTEX is 1
                out = storeWhole(out, a == 2 ? id[i] : a == 3 ? (uint64_t)i : a == 4 ? (uint64_t)i + 1 : 1, width[a]);
        }
    }
    static const char foot[] = "\n</AppendedData>\n</VTKFile>\n";
    memcpy(out, foot, sizeof foot - 1);
    return (size_t)(out - bytes) + sizeof foot - 1;
}

// ---- the format -----------------------------------------------------------------------------------------------------

static vvResult particlesOpen(vvRecorder *recorder, void **self)
{
    Particles *particles = ALLOCATE(&recorder->memory, Particles, 1);
    *self = particles;
    if (particles == NULL)
        return resultOutOfMemory("the files of fluids");
    particles->count = minInt(vvWorld_GetFluids(recorder->world, particles->fluid, FLUIDS_MOST), FLUIDS_MOST);
    vvResult result = resultOk();
    for (int i = 0; i < particles->count * ENDINGS && recorder->resumeFrame >= 0 && result.code == VV_OK; ++i)
    {
        char stem[LONGEST_STEM];
        stemOf(recorder, i / ENDINGS, stem);
        if (recorder->points[i % ENDINGS])
            result = seriesCheck(recorder, stem, endings[i % ENDINGS]);
    }
    return result;
}

static vvResult particlesStart(vvRecorder *recorder, void *self)
{
    const Particles *particles = self;
    vvResult result = resultOk();
    for (int i = 0; i < particles->count * ENDINGS && result.code == VV_OK; ++i)
    {
        char stem[LONGEST_STEM];
        stemOf(recorder, i / ENDINGS, stem);
        if (recorder->points[i % ENDINGS])
            result = seriesSweep(recorder, stem, endings[i % ENDINGS]);
    }
    return result;
}

static bool reserve(vvRecorder *recorder, Particles *particles, int count)
{
    size_t needed = LONGEST_HEAD + 128 + 48 * (size_t)count;
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
    for (int i = 0; i < particles->count * ENDINGS && result.code == VV_OK; ++i)
    {
        vvFluidId fluid = particles->fluid[i / ENDINGS];
        char stem[LONGEST_STEM];
        Path path;
        if (!recorder->points[i % ENDINGS])
            continue;
        if (!reserve(recorder, particles, vvFluid_GetCount(fluid)))
        {
            particles->room = 0;
            return resultOutOfMemory("the files of fluids");
        }
        stemOf(recorder, i / ENDINGS, stem);
        framePath(recorder, &path, stem, recorder->frameCount, endings[i % ENDINGS]);
        size_t size =
            i % ENDINGS == 0 ? plyFill(particles->bytes, i / ENDINGS, fluid) : vtuFill(particles->bytes, fluid);
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

const Format particlesFormat = {
    "particles", false, false, particlesOpen, particlesStart, particlesAdd, particlesClose
};
