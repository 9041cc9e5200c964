// VTK unstructured grids (VTU, appended raw binary): a file per body and frame; pvd.c lists them with their times.
// Everything but the numbers of a frame is the same in every file of a mesh, so a body keeps the image of its file.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_HEAD 3072

enum
{
    TIME,
    VELOCITY,
    FORCE,
    DENSITY,
    STRETCH,
    POINTS,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    ARRAYS,
};

typedef struct Grid
{
    char *image;
    size_t size;
    size_t at[ARRAYS]; // where the numbers of an array begin
    int meshNumber;    // of the body's mesh
} Grid;

// ---- the image of a file --------------------------------------------------------------------------------------------

static const char *const headFormat =
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
    "<UnstructuredGrid>\n"
    "<FieldData>\n"
    "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"appended\" offset=\"%zu\"/>\n"
    "</FieldData>\n"
    "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n"
    "<PointData Scalars=\"energyDensity\" Vectors=\"velocity\">\n"
    "<DataArray type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n"
    "<DataArray type=\"Float64\" Name=\"force\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n"
    "<DataArray type=\"Float64\" Name=\"energyDensity\" format=\"appended\" offset=\"%zu\"/>\n"
    "</PointData>\n"
    "<CellData Scalars=\"stretch\">\n"
    "<DataArray type=\"Float64\" Name=\"stretch\" format=\"appended\" offset=\"%zu\"/>\n"
    "</CellData>\n"
    "<Points>\n"
    "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"%zu\"/>\n"
    "</Points>\n"
    "<Cells>\n"
    "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"appended\" offset=\"%zu\"/>\n"
    "<DataArray type=\"Int32\" Name=\"offsets\" format=\"appended\" offset=\"%zu\"/>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" offset=\"%zu\"/>\n"
    "</Cells>\n"
    "</Piece>\n"
    "</UnstructuredGrid>\n"
    "<AppendedData encoding=\"raw\">\n_";

static const char *const foot = "\n</AppendedData>\n</VTKFile>\n";

static int cellCorners(const RecordBody *body)
{
    return body->tetCount > 0 ? 4 : body->triangleCount > 0 ? 3 : 2;
}

static const int *cells(const RecordBody *body)
{
    return body->tetCount > 0        ? vvMesh_GetTets(body->mesh)
           : body->triangleCount > 0 ? vvMesh_GetSurface(body->mesh)
                                     : vvMesh_GetEdges(body->mesh);
}

static void fillCells(const Grid *grid, const RecordBody *body)
{
    int corners = cellCorners(body);
    const char type = corners == 4 ? 10 : corners == 3 ? 5 : 3; // VTK_TETRA, VTK_TRIANGLE, VTK_LINE
    storeArray(grid->image + grid->at[CONNECTIVITY], cells(body), (size_t)corners * (size_t)body->cellCount,
               sizeof(int));
    char *out = grid->image + grid->at[OFFSETS];
    for (int c = 0; c < body->cellCount; ++c)
        out = storeWhole(out, (uint64_t)corners * ((uint64_t)c + 1), 4);
    memset(grid->image + grid->at[TYPES], type, (size_t)body->cellCount);
}

static bool gridMake(Memory *memory, const RecordBody *body, Grid *grid)
{
    size_t points = (size_t)body->vertexCount, count = (size_t)body->cellCount;
    const size_t sizes[ARRAYS] = {
        [TIME] = 8,
        [VELOCITY] = 24 * points,
        [FORCE] = 24 * points,
        [DENSITY] = 8 * points,
        [STRETCH] = 8 * count,
        [POINTS] = 24 * points,
        [CONNECTIVITY] = 4 * count * (size_t)cellCorners(body),
        [OFFSETS] = 4 * count,
        [TYPES] = count,
    };
    size_t offset[ARRAYS], total = 0;
    for (int a = 0; a < ARRAYS; ++a)
    {
        offset[a] = total;
        total += 8 + sizes[a];
    }
    char head[LONGEST_HEAD];
    int headSize = snprintf(head, sizeof head, headFormat, offset[TIME], body->vertexCount, body->cellCount,
                            offset[VELOCITY], offset[FORCE], offset[DENSITY], offset[STRETCH], offset[POINTS],
                            offset[CONNECTIVITY], offset[OFFSETS], offset[TYPES]);
    grid->size = (size_t)headSize + total + strlen(foot);
    grid->image = ALLOCATE(memory, char, grid->size);
    if (grid->image == NULL)
        return false;
    memcpy(grid->image, head, (size_t)headSize);
    for (int a = 0; a < ARRAYS; ++a)
    {
        grid->at[a] = (size_t)headSize + offset[a] + 8;
        storeWhole(grid->image + grid->at[a] - 8, sizes[a], 8);
    }
    memcpy(grid->image + grid->size - strlen(foot), foot, strlen(foot));
    fillCells(grid, body);
    return true;
}

// for a body whose mesh has changed
static bool gridRemake(Memory *memory, const RecordBody *body, Grid *grid)
{
    memoryRelease(memory, grid->image);
    *grid = (Grid){ .meshNumber = body->meshNumber };
    return gridMake(memory, body, grid);
}

static void gridFill(const Grid *grid, const RecordBody *body, double time)
{
    size_t points = (size_t)body->vertexCount;
    storeArray(grid->image + grid->at[TIME], &time, 1, sizeof time);
    storeArray(grid->image + grid->at[VELOCITY], body->velocity, 3 * points, sizeof(double));
    storeArray(grid->image + grid->at[FORCE], body->force, 3 * points, sizeof(double));
    storeArray(grid->image + grid->at[DENSITY], body->density, points, sizeof(double));
    storeArray(grid->image + grid->at[STRETCH], body->stretch, (size_t)body->cellCount, sizeof(double));
    storeArray(grid->image + grid->at[POINTS], body->position, 3 * points, sizeof(double));
}

// ---- the format -----------------------------------------------------------------------------------------------------

// the last frame to keep is of the same size, and equal but for its numbers
static vvResult checkGrid(vvRecorder *recorder, const RecordBody *body, const Grid *grid)
{
    Path path;
    framePath(recorder, &path, body->stem, recorder->resumeFrame, ".vtu");
    File file = { .handle = -1 };
    vvResult result = resumeOpen(&file, &path);
    if (result.code != VV_OK)
        return result;
    char *bytes = ALLOCATE(&recorder->memory, char, grid->size);
    bool isSame = file.size == (long long)grid->size;
    if (bytes == NULL)
        result = resultOutOfMemory("the check of a VTU file");
    else if (isSame)
        isSame = diskRead(&file, 0, bytes, grid->size).code == VV_OK &&
                 memcmp(bytes, grid->image, grid->at[TIME]) == 0 &&
                 memcmp(bytes + grid->at[CONNECTIVITY], grid->image + grid->at[CONNECTIVITY],
                        grid->size - grid->at[CONNECTIVITY]) == 0;
    if (result.code == VV_OK && !isSame)
        result = resumeRefused(&path, "is of another body or mesh");
    memoryRelease(&recorder->memory, bytes);
    diskClose(&file);
    return result;
}

static vvResult vtuOpen(vvRecorder *recorder, void **self)
{
    Grid *grid = ALLOCATE(&recorder->memory, Grid, recorder->bodyCount);
    *self = grid;
    if (grid == NULL)
        return resultOutOfMemory("the VTU files");
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (!gridMake(&recorder->memory, body, &grid[i]))
            return resultOutOfMemory("the VTU files");
        if (recorder->resumeFrame < 0)
            continue;
        vvResult result = seriesCheck(recorder, body->stem, ".vtu");
        if (result.code == VV_OK)
            result = checkGrid(recorder, body, &grid[i]);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

static vvResult vtuStart(vvRecorder *recorder, void *self)
{
    (void)self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = seriesSweep(recorder, recorder->body[i].stem, ".vtu");
    return result;
}

static vvResult vtuAdd(vvRecorder *recorder, void *self)
{
    Grid *grid = self;
    double time = vvWorld_GetTime(recorder->world);
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (grid[i].meshNumber != body->meshNumber && !gridRemake(&recorder->memory, body, &grid[i]))
            return resultOutOfMemory("the VTU files");
        gridFill(&grid[i], body, time);
        Path path;
        framePath(recorder, &path, body->stem, recorder->frameCount, ".vtu");
        result = diskReplace(&path, grid[i].image, grid[i].size);
    }
    return result;
}

static vvResult vtuClose(vvRecorder *recorder, void *self)
{
    Grid *grid = self;
    for (int i = 0; grid != NULL && i < recorder->bodyCount; ++i)
        memoryRelease(&recorder->memory, grid[i].image);
    memoryRelease(&recorder->memory, grid);
    return resultOk();
}

const Format vtuFormat = { "vtu", true, vtuOpen, vtuStart, vtuAdd, vtuClose };
