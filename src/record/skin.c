// What a renderer draws of a body: one vertex for every point, texture coordinate and side of a crease, and triangles
// in the order of their materials.
#include "record/record.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define CREASE 0.5 // cosine of the angle between two faces beyond which an edge is drawn sharp: 60 degrees

// ---- faces of any body ----------------------------------------------------------------------------------------------

// as they were drawn, or the triangles; `starts` is allocated for these
static bool facesOf(Memory *memory, const RecordBody *body, vvFaces *faces, int **starts)
{
    *starts = NULL;
    if (body->faces != NULL)
    {
        *faces = *body->faces;
        return true;
    }
    *starts = ALLOCATE(memory, int, body->triangleCount + 1);
    for (int t = 0; *starts != NULL && t <= body->triangleCount; ++t)
        (*starts)[t] = 3 * t;
    *faces = (vvFaces){ .faceCount = body->triangleCount, .starts = *starts, .points = body->triangle };
    return *starts != NULL;
}

// ---- creases --------------------------------------------------------------------------------------------------------

typedef struct Side
{
    int low, high;             // points of an edge
    int face;                  // on this side of it
    int lowCorner, highCorner; // of the face
} Side;

static int bySide(const void *left, const void *right)
{
    const Side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->lowCorner < b->lowCorner ? -1 : a->lowCorner > b->lowCorner;
}

static Vec3 pointAt(const float *point, int number)
{
    const float *p = point + 3 * (size_t)number;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

// unit, 0 of a face without area
static Vec3 faceNormal(const vvFaces *faces, int f, const float *point)
{
    Vec3 sum = vec3(0, 0, 0), first = pointAt(point, faces->points[faces->starts[f]]);
    for (int c = faces->starts[f] + 1; c + 1 < faces->starts[f + 1]; ++c)
        sum = vecAdd(sum, vecCross(vecSub(pointAt(point, faces->points[c]), first),
                                   vecSub(pointAt(point, faces->points[c + 1]), first)));
    double length = vecLength(sum);
    return length > 0 ? vecScale(1 / length, sum) : sum;
}

static int rootOf(int *parent, int corner)
{
    for (; parent[corner] != corner; corner = parent[corner])
        parent[corner] = parent[parent[corner]];
    return corner;
}

static void join(int *parent, int a, int b)
{
    int first = rootOf(parent, a), second = rootOf(parent, b);
    parent[maxInt(first, second)] = minInt(first, second);
}

static void fillSides(const vvFaces *faces, Side *side)
{
    for (int f = 0; f < faces->faceCount; ++f)
    {
        for (int c = faces->starts[f]; c < faces->starts[f + 1]; ++c)
        {
            int next = c + 1 < faces->starts[f + 1] ? c + 1 : faces->starts[f];
            bool up = faces->points[c] < faces->points[next];
            side[c] =
                (Side){ faces->points[up ? c : next], faces->points[up ? next : c], f, up ? c : next, up ? next : c };
        }
    }
}

// joins the corners of faces that meet smoothly at an edge
static bool joinCorners(Memory *memory, const vvFaces *faces, const float *point, int *parent)
{
    int corners = facesCorners(faces);
    Side *side = ALLOCATE(memory, Side, corners);
    if (side == NULL)
        return false;
    fillSides(faces, side);
    qsort(side, (size_t)corners, sizeof *side, bySide);
    for (int i = 0; i + 1 < corners; ++i)
    {
        const Side *a = &side[i], *b = &side[i + 1];
        if (a->low != b->low || a->high != b->high)
            continue;
        Vec3 first = faceNormal(faces, a->face, point), second = faceNormal(faces, b->face, point);
        bool flat = vecLength(first) == 0 || vecLength(second) == 0;
        if (!flat && vecDot(first, second) < CREASE)
            continue;
        join(parent, a->lowCorner, b->lowCorner);
        join(parent, a->highCorner, b->highCorner);
    }
    memoryRelease(memory, side);
    return true;
}

// corners of the same shade of a point are lit as one: the rows of its normals, or what no crease parts
static bool findShades(Memory *memory, const vvFaces *faces, const float *point, int *shade)
{
    int corners = facesCorners(faces);
    for (int c = 0; c < corners; ++c)
        shade[c] = faces->normals != NULL ? faces->normals[c] : c;
    if (faces->normals != NULL)
        return true;
    if (!joinCorners(memory, faces, point, shade))
        return false;
    for (int c = 0; c < corners; ++c)
        shade[c] = rootOf(shade, c);
    return true;
}

// ---- vertices -------------------------------------------------------------------------------------------------------

typedef struct Corner
{
    int point, shade, row, number;
} Corner;

static int byCorner(const void *left, const void *right)
{
    const Corner *a = left, *b = right;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    if (a->shade != b->shade)
        return a->shade < b->shade ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// corners that agree become one vertex; `vertex` gets that of every corner
static bool makeVertices(Memory *memory, const vvFaces *faces, const int *shade, Skin *skin, int *vertex)
{
    int corners = facesCorners(faces);
    Corner *corner = ALLOCATE(memory, Corner, corners);
    if (corner == NULL)
        return false;
    for (int c = 0; c < corners; ++c)
        corner[c] = (Corner){ faces->points[c], shade[c], faces->coordinates != NULL ? faces->coordinates[c] : -1, c };
    qsort(corner, (size_t)corners, sizeof *corner, byCorner);
    for (int i = 0; i < corners; ++i)
    {
        const Corner *own = &corner[i], *last = i > 0 ? &corner[i - 1] : NULL;
        bool sameShade = last != NULL && last->point == own->point && last->shade == own->shade;
        if (!sameShade)
            skin->shadeCount += 1;
        if (!sameShade || last->row != own->row)
        {
            skin->point[skin->vertexCount] = own->point;
            skin->row[skin->vertexCount] = own->row;
            skin->shade[skin->vertexCount++] = skin->shadeCount - 1;
        }
        vertex[own->number] = skin->vertexCount - 1;
    }
    memoryRelease(memory, corner);
    return true;
}

// fans, material by material
static void makeTriangles(const vvFaces *faces, const int *vertex, Skin *skin)
{
    for (int m = -1; m < faces->materialCount; ++m)
    {
        int before = skin->triangleCount;
        for (int f = 0; f < faces->faceCount; ++f)
        {
            if ((faces->materials != NULL ? faces->materials[f] : -1) != m)
                continue;
            for (int c = faces->starts[f] + 1; c + 1 < faces->starts[f + 1]; ++c)
            {
                int *triangle = skin->triangle + 3 * (size_t)skin->triangleCount++;
                triangle[0] = vertex[faces->starts[f]];
                triangle[1] = vertex[c];
                triangle[2] = vertex[c + 1];
            }
        }
        if (skin->triangleCount == before)
            continue;
        skin->material[skin->partCount] = m;
        skin->partStart[skin->partCount++] = before;
        skin->partStart[skin->partCount] = skin->triangleCount;
    }
}

// a rope: its points as they are
static void makeLine(const RecordBody *body, Skin *skin)
{
    skin->vertexCount = body->pointCount;
    for (int v = 0; v < body->pointCount; ++v)
    {
        skin->point[v] = v;
        skin->row[v] = -1;
    }
}

bool skinMake(Memory *memory, const RecordBody *body, Skin *skin)
{
    vvFaces faces = { 0 };
    int *starts = NULL;
    *skin = (Skin){ 0 };
    bool lines = body->triangleCount == 0, ok = lines || facesOf(memory, body, &faces, &starts);
    int corners = ok && !lines ? facesCorners(&faces) : body->pointCount;
    skin->point = ALLOCATE(memory, int, corners);
    skin->row = ALLOCATE(memory, int, corners);
    skin->shade = ALLOCATE(memory, int, corners);
    skin->triangle = ALLOCATE(memory, int, 3 * (size_t)corners);
    skin->partStart = ALLOCATE(memory, int, faces.materialCount + 2);
    skin->material = ALLOCATE(memory, int, faces.materialCount + 1);
    int *shade = ALLOCATE(memory, int, corners), *vertex = ALLOCATE(memory, int, corners);
    ok = ok && skin->point != NULL && skin->row != NULL && skin->shade != NULL && skin->triangle != NULL &&
         skin->partStart != NULL && skin->material != NULL && shade != NULL && vertex != NULL;
    if (ok && lines)
        makeLine(body, skin);
    else if (ok)
        ok = findShades(memory, &faces, body->point, shade) && makeVertices(memory, &faces, shade, skin, vertex);
    if (ok && !lines)
        makeTriangles(&faces, vertex, skin);
    memoryRelease(memory, shade);
    memoryRelease(memory, vertex);
    memoryRelease(memory, starts);
    return ok;
}

void skinRelease(Memory *memory, Skin *skin)
{
    void *const blocks[] = { skin->point, skin->row, skin->shade, skin->triangle, skin->partStart, skin->material };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    *skin = (Skin){ 0 };
}

void skinNormals(const Skin *skin, const float *point, double *sum, float *normal)
{
    memset(sum, 0, 3 * (size_t)skin->shadeCount * sizeof(double));
    for (int t = 0; t < skin->triangleCount; ++t)
    {
        const int *corner = skin->triangle + 3 * (size_t)t;
        Vec3 a = pointAt(point, skin->point[corner[0]]), b = pointAt(point, skin->point[corner[1]]),
             c = pointAt(point, skin->point[corner[2]]), area = vecCross(vecSub(b, a), vecSub(c, a));
        for (int i = 0; i < 3; ++i)
        {
            double *own = sum + 3 * (size_t)skin->shade[corner[i]];
            vecStore(own, vecAdd(vecLoad(own), area));
        }
    }
    for (size_t v = 0; v < (size_t)skin->vertexCount; ++v)
    {
        Vec3 own = vecLoad(sum + 3 * (size_t)skin->shade[v]);
        double length = vecLength(own);
        own = length > 0 && isfinite(length) ? vecScale(1 / length, own) : vec3(0, 1, 0);
        normal[3 * v] = (float)own.x;
        normal[3 * v + 1] = (float)own.y;
        normal[3 * v + 2] = (float)own.z;
    }
}
