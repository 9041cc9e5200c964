// VTK unstructured grids (VTU, appended raw binary): a file per body and frame, listed with their times in one PVD.
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

typedef struct Grids
{
    Grid *grid;       // bodyCount
    File list;        // the PVD
    long long tail;   // where its tail is
    long long *lines; // lineCount x 2, of the PVD to be resumed: begin and end of every line
    int lineCount;
} Grids;

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

static vvResult checkList(vvRecorder *recorder, Grids *grids)
{
    Path path;
    pathMake(recorder, &path, recorder->frames, ".pvd");
    vvResult result = resumeOpen(&grids->list, &path);
    return result.code == VV_OK ? pvdFind(recorder, &grids->list, &grids->lineCount, &grids->lines) : result;
}

static vvResult vtuOpen(vvRecorder *recorder, void **self)
{
    Grids *grids = ALLOCATE(&recorder->memory, Grids, 1);
    *self = grids;
    if (grids == NULL)
        return resultOutOfMemory("the VTU files");
    grids->list.handle = -1;
    grids->grid = ALLOCATE(&recorder->memory, Grid, recorder->bodyCount);
    if (grids->grid == NULL)
        return resultOutOfMemory("the VTU files");
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (!gridMake(&recorder->memory, body, &grids->grid[i]))
            return resultOutOfMemory("the VTU files");
        if (recorder->resumeFrame < 0)
            continue;
        vvResult result = seriesCheck(recorder, body->stem, ".vtu");
        if (result.code == VV_OK)
            result = checkGrid(recorder, body, &grids->grid[i]);
        if (result.code != VV_OK)
            return result;
    }
    return recorder->resumeFrame < 0 ? resultOk() : checkList(recorder, grids);
}

static vvResult vtuStart(vvRecorder *recorder, void *self)
{
    Grids *grids = self;
    vvResult result;
    if (recorder->resumeFrame < 0)
    {
        Path path;
        pathMake(recorder, &path, recorder->frames, ".pvd");
        result = pvdStart(&grids->list, &path, &grids->tail);
    }
    else
    {
        int keep = (recorder->resumeFrame + 1) * recorder->bodyCount;
        result = pvdCut(&grids->list, grids->lines, grids->lineCount, keep, &grids->tail);
    }
    memoryRelease(&recorder->memory, grids->lines);
    grids->lines = NULL;
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = seriesSweep(recorder, recorder->body[i].stem, ".vtu");
    return result;
}

static vvResult vtuAdd(vvRecorder *recorder, void *self)
{
    Grids *grids = self;
    double time = vvWorld_GetTime(recorder->world);
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (grids->grid[i].meshNumber != body->meshNumber && !gridRemake(&recorder->memory, body, &grids->grid[i]))
            return resultOutOfMemory("the VTU files");
        gridFill(&grids->grid[i], body, time);
        Path path;
        framePath(recorder, &path, body->stem, recorder->frameCount, ".vtu");
        result = diskReplace(&path, grids->grid[i].image, grids->grid[i].size);
    }
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = pvdAdd(&grids->list, &grids->tail, time, i, recorder->body[i].stem, recorder->frameCount);
    return result;
}

static vvResult vtuClose(vvRecorder *recorder, void *self)
{
    Grids *grids = self;
    if (grids == NULL)
        return resultOk();
    diskClose(&grids->list);
    for (int i = 0; grids->grid != NULL && i < recorder->bodyCount; ++i)
        memoryRelease(&recorder->memory, grids->grid[i].image);
    memoryRelease(&recorder->memory, grids->grid);
    memoryRelease(&recorder->memory, grids->lines);
    memoryRelease(&recorder->memory, grids);
    return resultOk();
}

const Format vtuFormat = { "vtu", true, false, vtuOpen, vtuStart, vtuAdd, vtuClose };
