// The points, normals and tangents of an embedding for one state of its mesh.
#include "base/simd.h"
#include "mesh/embed.h"

// the deformation at a vertex of the mesh, as the columns of two matrices: what turns tangents, and what turns normals
typedef struct Turn
{
    Float4 tangent[3], normal[3];
} Turn;

void sheetNormals(const vvMesh *mesh, const double *vertices, double *normal)
{
    for (int i = 0; i < 3 * mesh->vertexCount; ++i)
        normal[i] = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *c = mesh->callerSurface + 3 * (size_t)t;
        Vec3 a = cornerPoint(vertices, c[0]);
        Vec3 area = vecCross(vecSub(cornerPoint(vertices, c[1]), a), vecSub(cornerPoint(vertices, c[2]), a));
        for (int i = 0; i < 3; ++i)
        {
            double *own = normal + 3 * (size_t)c[i];
            vecStore(own, vecAdd(vecLoad(own), area));
        }
    }
    for (int v = 0; v < mesh->vertexCount; ++v)
        vecStore(normal + 3 * (size_t)v, unitOf(vecLoad(normal + 3 * (size_t)v)));
}

// ---- positions ------------------------------------------------------------------------------------------------------

static Vec3 positionOf(const vvEmbedding *e, const double *vertices, const double *normal, int i)
{
    const int *corner = e->hangsOn + 4 * (size_t)i;
    const double *weight = e->weight + 4 * (size_t)i;
    if (!e->sheet)
        return mixCorners(vertices, corner, weight, 4);
    Vec3 at = mixCorners(vertices, corner, weight, 3);
    if (e->height == NULL)
        return at;
    return vecAdd(at, vecScale(e->height[i], unitOf(mixCorners(normal, corner, weight, 3))));
}

// normals of the sheet where something hangs above it; *normal NULL: none are needed
static vvResult heightNormals(const vvEmbedding *e, Memory *memory, const double *vertices, double **normal)
{
    *normal = NULL;
    if (e->height == NULL)
        return resultOk();
    *normal = ALLOCATE(memory, double, 3 * (size_t)e->mesh->vertexCount);
    if (*normal == NULL)
        return resultOutOfMemory("an embedding");
    sheetNormals(e->mesh, vertices, *normal);
    return resultOk();
}

vvResult vvEmbedding_GetPositions(const vvEmbedding *e, const double *vertices, double *positions)
{
    if (e == NULL || vertices == NULL || positions == NULL)
        return resultMake(VV_BAD_INPUT, "pass an embedding, vertexCount x 3 numbers, and room for pointCount x 3",
                          "an argument is NULL");
    Memory memory = memoryMake(&e->memory.hook);
    double *normal;
    vvResult result = heightNormals(e, &memory, vertices, &normal);
    for (int i = 0; i < e->pointCount && result.code == VV_OK; ++i)
        vecStore(positions + 3 * (size_t)i, positionOf(e, vertices, normal, i));
    memoryRelease(&memory, normal);
    return result;
}

// ---- the deformation at the vertices --------------------------------------------------------------------------------

// edges now, times the inverse of those at rest
static Mat3 gradientOf(const vvEmbedding *e, const Carrier *carrier, const double *vertices)
{
    Vec3 origin = cornerPoint(vertices, carrier->corner[0]), edge[3];
    for (int i = 0; i < 3; ++i)
        edge[i] = vecSub(cornerPoint(vertices, carrier->corner[i + 1]), origin);
    if (e->sheet)
        edge[2] = unitOf(vecCross(edge[0], edge[1]));
    Mat3 now = { { { edge[0].x, edge[1].x, edge[2].x },
                   { edge[0].y, edge[1].y, edge[2].y },
                   { edge[0].z, edge[1].z, edge[2].z } } };
    return matMultiply(&now, &carrier->inverse);
}

static Float4 column(const Mat3 *m, int j)
{
    return (Float4){ (float)m->m[0][j], (float)m->m[1][j], (float)m->m[2][j], 0 };
}

// normals turn by the cofactors: the cross product of two turned tangents
static Turn turnOf(const Mat3 *m)
{
    Turn turn;
    Vec3 c[3];
    for (int j = 0; j < 3; ++j)
    {
        turn.tangent[j] = column(m, j);
        c[j] = vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
    }
    for (int j = 0; j < 3; ++j)
    {
        Vec3 n = vecCross(c[(j + 1) % 3], c[(j + 2) % 3]);
        turn.normal[j] = (Float4){ (float)n.x, (float)n.y, (float)n.z, 0 };
    }
    return turn;
}

static Turn *makeTurns(const vvEmbedding *e, Memory *memory, const double *vertices)
{
    int count = e->mesh->vertexCount;
    Mat3 *sum = ALLOCATE(memory, Mat3, count);
    double *measure = ALLOCATE(memory, double, count);
    Turn *turn = ALLOCATE(memory, Turn, count);
    bool ok = sum != NULL && measure != NULL && turn != NULL;
    for (int f = 0; f < e->carrierCount && ok; ++f)
    {
        const Carrier *carrier = &e->carrier[f];
        Mat3 gradient = gradientOf(e, carrier, vertices);
        for (int i = 0; i < (e->sheet ? 3 : 4); ++i)
        {
            double *own = &sum[carrier->corner[i]].m[0][0], *g = &gradient.m[0][0];
            for (int k = 0; k < 9; ++k)
                own[k] += carrier->measure * g[k];
            measure[carrier->corner[i]] += carrier->measure;
        }
    }
    for (int v = 0; v < count && ok; ++v)
    {
        double *own = &sum[v].m[0][0];
        for (int k = 0; k < 9; ++k)
            own[k] /= measure[v];
        turn[v] = turnOf(&sum[v]);
    }
    memoryRelease(memory, sum);
    memoryRelease(memory, measure);
    if (ok)
        return turn;
    memoryRelease(memory, turn);
    return NULL;
}

// ---- into the buffers -----------------------------------------------------------------------------------------------

static float *placeOf(float *target, int stride, int i)
{
    return (float *)(void *)((char *)target + (ptrdiff_t)i * stride);
}

SIMD_INLINE Float4 splat(float a)
{
    return (Float4){ a, a, a, a };
}

SIMD_INLINE Float4 turned(const Float4 *matrix, const float *vector)
{
    return matrix[0] * splat(vector[0]) + matrix[1] * splat(vector[1]) + matrix[2] * splat(vector[2]);
}

static void storeUnit(float *out, float x, float y, float z)
{
    float square = x * x + y * y + z * z, scale = square > 0 ? 1 / (float)sqrt((double)square) : 0;
    out[0] = x * scale;
    out[1] = y * scale;
    out[2] = z * scale;
}

static void writeDirections(const vvEmbedding *e, const Turn *turn, const vvRenderTarget *target, int i)
{
    const int *corner = e->hangsOn + 4 * (size_t)i;
    const double *w = e->weight + 4 * (size_t)i;
    Float4 normal = splat(0), tangent = splat(0);
    for (int c = 0; c < 4; ++c)
    {
        Float4 share = splat((float)w[c]);
        const Turn *own = &turn[corner[c]];
        normal += share * turned(own->normal, e->normal + 3 * (size_t)i);
        if (target->tangents != NULL)
            tangent += share * turned(own->tangent, e->tangent + 3 * (size_t)i);
    }
    float n[3];
    storeUnit(n, normal[0], normal[1], normal[2]);
    if (target->normals != NULL)
        memcpy(placeOf(target->normals, target->normalStride, i), n, sizeof n);
    if (target->tangents == NULL)
        return;
    float along = n[0] * tangent[0] + n[1] * tangent[1] + n[2] * tangent[2];
    storeUnit(placeOf(target->tangents, target->tangentStride, i), tangent[0] - along * n[0], tangent[1] - along * n[1],
              tangent[2] - along * n[2]);
}

static vvResult checkStride(const char *name, const float *target, int stride)
{
    if (target == NULL || (stride >= 12 && stride % 4 == 0))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "12 for packed floats, 16 for vec4",
                      "%sStride is %d, must be at least 12 and a multiple of 4", name, stride);
}

static vvResult checkTarget(const vvEmbedding *e, const double *vertices, const vvRenderTarget *target)
{
    if (e == NULL || vertices == NULL || target == NULL)
        return resultMake(VV_BAD_INPUT, "pass an embedding, vertexCount x 3 numbers, and a target",
                          "an argument is NULL");
    if ((target->normals != NULL && !e->hasNormals) || (target->tangents != NULL && !e->hasTangents))
        return resultMake(VV_BAD_INPUT, "give them to vvCreateEmbedding, or triangles for the normals",
                          "the embedding has no %s", e->hasNormals ? "tangents" : "normals");
    vvResult result = checkStride("position", target->positions, target->positionStride);
    if (result.code == VV_OK)
        result = checkStride("normal", target->normals, target->normalStride);
    return result.code == VV_OK ? checkStride("tangent", target->tangents, target->tangentStride) : result;
}

vvResult vvEmbedding_Write(const vvEmbedding *e, const double *vertices, const vvRenderTarget *target)
{
    vvResult result = checkTarget(e, vertices, target);
    if (result.code != VV_OK)
        return result;
    Memory memory = memoryMake(&e->memory.hook);
    bool directions = target->normals != NULL || target->tangents != NULL;
    double *normal;
    result = heightNormals(e, &memory, vertices, &normal);
    Turn *turn = directions && result.code == VV_OK ? makeTurns(e, &memory, vertices) : NULL;
    if (directions && turn == NULL)
        result = resultOutOfMemory("an embedding");
    for (int i = 0; i < e->pointCount && result.code == VV_OK; ++i)
    {
        if (target->positions != NULL)
        {
            Vec3 p = positionOf(e, vertices, normal, i);
            float *out = placeOf(target->positions, target->positionStride, i);
            out[0] = (float)p.x;
            out[1] = (float)p.y;
            out[2] = (float)p.z;
        }
        if (directions)
            writeDirections(e, turn, target, i);
    }
    memoryRelease(&memory, normal);
    memoryRelease(&memory, turn);
    return result;
}
