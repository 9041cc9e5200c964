// PLY, binary and little endian: the points of the surface in full precision, faces as they were drawn with the texture
// coordinates of their corners, or the springs of a rope as edges.
#include "mesh/file.h"

#include <string.h>

static void sinkDouble(Sink *sink, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sinkLittle(sink, bits, 8);
}

static void sinkCount(Sink *sink, const char *name, int count)
{
    sinkText(sink, "element ");
    sinkText(sink, name);
    sinkText(sink, " ");
    sinkInteger(sink, count);
    sinkText(sink, "\n");
}

// a list of texture coordinates has two numbers for a corner, and its length must fit in a byte too
static bool hasLargeFaces(const vvFaces *faces)
{
    int most = 0;
    for (int f = 0; faces != NULL && f < faces->faceCount; ++f)
        most = maxInt(most, faces->starts[f + 1] - faces->starts[f]);
    return most > 127;
}

static void writeHead(Sink *sink, const vvMesh *mesh, int points, int lines)
{
    const vvFaces *faces = mesh->faces;
    const char *length = hasLargeFaces(faces) ? "int" : "uchar";
    sinkText(sink, "ply\nformat binary_little_endian 1.0\ncomment verve\n");
    sinkCount(sink, "vertex", points);
    sinkText(sink, "property double x\nproperty double y\nproperty double z\n");
    if (mesh->surfaceCount > 0)
    {
        sinkCount(sink, "face", faces != NULL ? faces->faceCount : mesh->surfaceCount);
        sinkText(sink, "property list ");
        sinkText(sink, length);
        sinkText(sink, " int vertex_indices\n");
        if (faces != NULL && faces->coordinates != NULL)
        {
            sinkText(sink, "property list ");
            sinkText(sink, length);
            sinkText(sink, " float texcoord\n");
        }
    }
    else
    {
        sinkCount(sink, "edge", lines);
        sinkText(sink, "property int vertex1\nproperty int vertex2\n");
    }
    sinkText(sink, "end_header\n");
}

static void writeFaces(Sink *sink, const vvFaces *faces)
{
    int bytes = hasLargeFaces(faces) ? 4 : 1;
    for (int f = 0; f < faces->faceCount; ++f)
    {
        int first = faces->starts[f], end = faces->starts[f + 1];
        sinkLittle(sink, (uint64_t)(end - first), bytes);
        for (int c = first; c < end; ++c)
            sinkLittle(sink, (uint64_t)faces->points[c], 4);
        if (faces->coordinates == NULL)
            continue;
        sinkLittle(sink, 2 * (uint64_t)(end - first), bytes);
        for (int c = first; c < end; ++c)
        {
            const double *row = faces->coordinates[c] >= 0 ? faces->coordinateValues + 2 * (size_t)faces->coordinates[c]
                                                           : (const double[2]){ 0, 0 };
            sinkFloat(sink, row[0]);
            sinkFloat(sink, row[1]);
        }
    }
}

void writePly(Sink *sink, const vvMesh *mesh)
{
    int points = 0, *number = surfaceNumbers(sink->memory, mesh, &points);
    WrittenSet set = writtenSet(mesh);
    if (number == NULL)
    {
        sink->outOfMemory = true;
        return;
    }
    writeHead(sink, mesh, points, set.count);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        for (int c = 0; c < 3 && number[v] > 0; ++c)
            sinkDouble(sink, mesh->callerPoint[3 * (size_t)v + (size_t)c]);
    }
    if (mesh->faces != NULL)
        writeFaces(sink, mesh->faces);
    for (int i = 0; mesh->faces == NULL && i < 3 * mesh->surfaceCount; ++i)
    {
        if (i % 3 == 0)
            sinkLittle(sink, 3, 1);
        sinkLittle(sink, (uint64_t)(number[mesh->callerSurface[i]] - 1), 4);
    }
    for (int e = 0; mesh->matter == MATTER_ROPE && e < 2 * set.rows; ++e)
    {
        if (isWritten(&set, e / 2))
            sinkLittle(sink, (uint64_t)(number[set.corner[e]] - 1), 4);
    }
    memoryRelease(sink->memory, number);
}
