#include "mesh/embed.h"

#include <string.h>

#define COOKIE 0x4545

vvEmbeddingDef vvDefaultEmbeddingDef(void)
{
    return (vvEmbeddingDef){ .cookie = COOKIE };
}

static vvResult checkDef(const vvEmbeddingDef *def)
{
    if (def == NULL || def->cookie != COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultEmbeddingDef()",
                          "the embedding definition is NULL or was not initialised");
    if (def->mesh == NULL || def->mesh->surfaceCount == 0)
        return resultMake(VV_BAD_INPUT, "use a mesh of tets or triangles", "the mesh has no surface to hang on");
    if (def->points == NULL || def->pointCount < 1 || def->pointCount > VV_MAX_VERTICES)
        return resultMake(VV_BAD_INPUT, "give the points of the render mesh", "pointCount is %d, must be 1 to %d",
                          def->pointCount, VV_MAX_VERTICES);
    if (def->triangleCount < 0 || (def->triangleCount > 0 && def->triangles == NULL))
        return resultMake(VV_BAD_INPUT, "give the array, or set its count to 0",
                          "triangleCount is %d, and the array %s", def->triangleCount,
                          def->triangles ? "is there" : "is NULL");
    for (size_t i = 0; i < 3 * (size_t)def->triangleCount; ++i)
    {
        if (def->triangles[i] < 0 || def->triangles[i] >= def->pointCount)
            return resultMake(VV_BAD_INPUT, "indices count from 0", "triangle %zu names point %d, must be 0 to %d",
                              i / 3, def->triangles[i], def->pointCount - 1);
    }
    for (size_t i = 0; i < 3 * (size_t)def->pointCount; ++i)
    {
        if (!isfinite(def->points[i]) || (def->normals != NULL && !isfinite(def->normals[i])) ||
            (def->tangents != NULL && !isfinite(def->tangents[i])))
            return resultMake(VV_BAD_INPUT, "repair the coordinates", "point %zu, its normal or tangent is not finite",
                              i / 3);
    }
    return def->faces != NULL ? facesCheck(def->faces, def->pointCount) : resultOk();
}

// ---- what carries ---------------------------------------------------------------------------------------------------

static Mat3 columns(Vec3 a, Vec3 b, Vec3 c)
{
    return (Mat3){ { { a.x, b.x, c.x }, { a.y, b.y, c.y }, { a.z, b.z, c.z } } };
}

static void makeCarrier(const vvEmbedding *embedding, int number, Carrier *carrier)
{
    const vvMesh *mesh = embedding->mesh;
    const double *point = mesh->callerPoint;
    int width = embedding->sheet ? 3 : 4;
    const int *corner = (embedding->sheet ? mesh->callerSurface : mesh->callerTet) + (size_t)width * (size_t)number;
    for (int i = 0; i < 4; ++i)
        carrier->corner[i] = corner[i % width];
    Vec3 origin = cornerPoint(point, corner[0]), edge[3];
    edge[0] = vecSub(cornerPoint(point, corner[1]), origin);
    edge[1] = vecSub(cornerPoint(point, corner[2]), origin);
    Vec3 cross = vecCross(edge[0], edge[1]);
    edge[2] = embedding->sheet ? unitOf(cross) : vecSub(cornerPoint(point, corner[3]), origin);
    Mat3 edges = columns(edge[0], edge[1], edge[2]);
    carrier->inverse = matInverse(&edges);
    carrier->measure = fabs(matDeterminant(&edges));
}

// ---- normals at rest ------------------------------------------------------------------------------------------------

static void storeUnit(float *target, Vec3 value)
{
    Vec3 unit = unitOf(value);
    target[0] = (float)unit.x;
    target[1] = (float)unit.y;
    target[2] = (float)unit.z;
}

static bool makeNormals(vvEmbedding *e, const vvEmbeddingDef *def)
{
    double *sum = ALLOCATE(&e->memory, double, 3 * (size_t)e->pointCount);
    e->normal = ALLOCATE(&e->memory, float, 3 * (size_t)e->pointCount);
    bool ok = sum != NULL && e->normal != NULL;
    for (size_t i = 0; i < 3 * (size_t)e->triangleCount && ok && def->normals == NULL; ++i)
    {
        const int *c = e->triangle + i / 3 * 3;
        Vec3 a = cornerPoint(e->rest, c[0]),
             normal = vecCross(vecSub(cornerPoint(e->rest, c[1]), a), vecSub(cornerPoint(e->rest, c[2]), a));
        double *own = sum + 3 * (size_t)e->triangle[i];
        vecStore(own, vecAdd(vecLoad(own), normal));
    }
    for (size_t i = 0; i < (size_t)e->pointCount && ok; ++i)
        storeUnit(e->normal + 3 * i, vecLoad((def->normals != NULL ? def->normals : sum) + 3 * i));
    memoryRelease(&e->memory, sum);
    return ok;
}

static bool hasCoordinates(const vvFaces *faces)
{
    return faces != NULL && faces->coordinates != NULL && faces->coordinateCount > 0;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bool allocate(vvEmbedding *e, const vvEmbeddingDef *def)
{
    size_t points = (size_t)e->pointCount;
    e->carrier = ALLOCATE(&e->memory, Carrier, e->carrierCount);
    e->rest = ALLOCATE(&e->memory, double, 3 * points);
    e->triangle = ALLOCATE(&e->memory, int, 3 * (size_t)e->triangleCount);
    e->hangsOn = ALLOCATE(&e->memory, int, 4 * points);
    e->weight = ALLOCATE(&e->memory, double, 4 * points);
    e->height = e->sheet ? ALLOCATE(&e->memory, double, points) : NULL;
    e->tangent = e->hasTangents ? ALLOCATE(&e->memory, float, 3 * points) : NULL;
    if (e->carrier == NULL || e->rest == NULL || e->triangle == NULL || e->hangsOn == NULL || e->weight == NULL ||
        (e->sheet && e->height == NULL) || (e->hasTangents && e->tangent == NULL))
        return false;
    e->faces = def->faces != NULL ? facesCopy(&e->memory, def->faces, NULL) : NULL;
    if (def->faces != NULL && e->faces == NULL)
        return false;
    memcpy(e->rest, def->points, 3 * points * sizeof(double));
    if (e->triangleCount > 0)
        memcpy(e->triangle, def->triangles, 3 * (size_t)e->triangleCount * sizeof(int));
    for (size_t i = 0; i < points && def->tangents != NULL && e->hasTangents; ++i)
        storeUnit(e->tangent + 3 * i, vecLoad(def->tangents + 3 * i));
    for (int f = 0; f < e->carrierCount; ++f)
        makeCarrier(e, f, &e->carrier[f]);
    if (e->hasNormals && !makeNormals(e, def))
        return false;
    return !e->hasTangents || def->tangents != NULL || embeddingTangents(e, def->faces);
}

vvEmbedding *embeddingMake(const vvEmbeddingDef *def, bool owned, vvResult *result)
{
    vvResult outcome = checkDef(def);
    if (!resultPass(result, &outcome))
        return NULL;
    Memory memory = memoryMake(&def->allocator);
    vvEmbedding *e = ALLOCATE(&memory, vvEmbedding, 1);
    outcome = resultOutOfMemory("an embedding");
    if (e == NULL)
    {
        resultPass(result, &outcome);
        return NULL;
    }
    e->memory = memory;
    e->mesh = (vvMesh *)def->mesh;
    e->owned = owned;
    if (!owned)
        meshRetain(e->mesh);
    e->sheet = def->mesh->matter == MATTER_SHEET;
    e->hasNormals = def->normals != NULL || def->triangleCount > 0;
    e->hasTangents = e->hasNormals && (def->tangents != NULL || hasCoordinates(def->faces));
    e->pointCount = def->pointCount;
    e->triangleCount = def->triangleCount;
    e->carrierCount = e->sheet ? def->mesh->surfaceCount : def->mesh->tetCount;
    if (allocate(e, def))
        outcome = embeddingBind(e);
    if (resultPass(result, &outcome))
        return e;
    vvDestroyEmbedding(e);
    return NULL;
}

vvEmbedding *vvCreateEmbedding(const vvEmbeddingDef *def, vvResult *result)
{
    return embeddingMake(def, false, result);
}

void vvDestroyEmbedding(vvEmbedding *embedding)
{
    if (embedding == NULL)
        return;
    Memory memory = embedding->memory;
    if (!embedding->owned)
        meshRelease(embedding->mesh);
    void *const blocks[] = { embedding->carrier, embedding->rest,    embedding->triangle,
                             embedding->hangsOn, embedding->weight,  embedding->height,
                             embedding->normal,  embedding->tangent, embedding->faces };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(&memory, blocks[i]);
    memoryRelease(&memory, embedding);
}

const vvMesh *embeddingMesh(const vvEmbedding *embedding)
{
    return embedding->mesh;
}

int vvEmbedding_GetPointCount(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->pointCount : 0;
}

int vvEmbedding_GetTriangleCount(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->triangleCount : 0;
}

const int *vvEmbedding_GetTriangles(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->triangle : NULL;
}

const vvFaces *vvEmbedding_GetFaces(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->faces : NULL;
}

const double *vvEmbedding_GetPoints(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->rest : NULL;
}

double vvEmbedding_GetFarthest(const vvEmbedding *embedding)
{
    return embedding != NULL ? embedding->farthest : 0;
}

void embeddingHangsOn(const vvEmbedding *embedding, int point, const int **corner, const double **weight)
{
    *corner = embedding->hangsOn + 4 * (size_t)point;
    *weight = embedding->weight + 4 * (size_t)point;
}
