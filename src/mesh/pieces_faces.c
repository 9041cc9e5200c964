// Faces of a sheet after a change.
#include "mesh/pieces.h"

typedef struct Drawing
{
    const Pieces *p;
    const vvFaces *old;
    Memory *memory;
    int *pieceStart, *pieceAt; // pieces of an old triangle
    int *triangle;             // of every triangle of the fans: the old triangle, -1: none
    bool *drawn;               // old triangles that a face has
    FaceList list;
} Drawing;

// ---- which triangle is which ----------------------------------------------------------------------------------------

static void sortedKey(int a, int b, int c, int *key)
{
    key[0] = minInt(a, minInt(b, c));
    key[2] = maxInt(a, maxInt(b, c));
    key[1] = a + b + c - key[0] - key[2];
}

static void fanKeys(const vvFaces *faces, int *key)
{
    for (int f = 0; f < faces->faceCount; ++f)
    {
        const int *point = faces->points + faces->starts[f];
        for (int c = 1; c + 1 < faces->starts[f + 1] - faces->starts[f]; ++c, key += 3)
            sortedKey(point[0], point[c], point[c + 1], key);
    }
}

// fans and triangles in one sorted list: those with the same points stand beside each other
static bool matchFans(Drawing *d, int fans)
{
    const vvMesh *mesh = d->p->old;
    int rows = fans + mesh->surfaceCount;
    int *key = ALLOCATE(d->memory, int, 3 * (size_t)rows), *order = ALLOCATE(d->memory, int, rows);
    bool ok = key != NULL && order != NULL;
    if (ok)
    {
        fanKeys(d->old, key);
        for (int t = 0; t < mesh->surfaceCount; ++t)
        {
            const int *corner = mesh->callerSurface + 3 * (size_t)t;
            sortedKey(corner[0], corner[1], corner[2], key + 3 * (size_t)(fans + t));
        }
        ok = sortTuples(d->memory, key, rows, 3, mesh->vertexCount, order);
    }
    for (int f = 0; f < fans && ok; ++f)
        d->triangle[f] = -1;
    for (int i = 1; i < rows && ok; ++i)
    {
        const int *a = key + 3 * (size_t)order[i - 1], *b = key + 3 * (size_t)order[i];
        if (order[i - 1] >= fans || order[i] < fans || a[0] != b[0] || a[1] != b[1] || a[2] != b[2])
            continue;
        d->triangle[order[i - 1]] = order[i] - fans;
        d->drawn[order[i] - fans] = true;
    }
    memoryRelease(d->memory, key);
    memoryRelease(d->memory, order);
    return ok;
}

static bool fillPieces(Drawing *d)
{
    const Pieces *p = d->p;
    int count = p->old->surfaceCount;
    d->pieceStart = ALLOCATE(d->memory, int, count + 2);
    d->pieceAt = ALLOCATE(d->memory, int, p->elementCount);
    d->drawn = ALLOCATE(d->memory, bool, count);
    if (d->pieceStart == NULL || d->pieceAt == NULL || d->drawn == NULL)
        return false;
    int *next = d->pieceStart + 1;
    for (int e = 0; e < p->elementCount; ++e)
        next[p->parent[e] + 1] += 1;
    for (int e = 0; e < count; ++e)
        next[e + 1] += next[e];
    for (int e = 0; e < p->elementCount; ++e)
        d->pieceAt[next[p->parent[e]]++] = e;
    return true;
}

// ---- corners --------------------------------------------------------------------------------------------------------

// the row of values between two rows; -1: one of them is not there
static bool between(Memory *memory, RealList *values, int size, int a, int b, double weight, int *row)
{
    bool ok = true;
    *row = a;
    if (a < 0 || b < 0)
        *row = -1;
    else if (a != b)
    {
        *row = values->count / size;
        for (int i = 0; i < size && ok; ++i)
        {
            double first = values->value[size * a + i], second = values->value[size * b + i];
            ok = faceListReal(memory, values, (1 - weight) * first + weight * second);
        }
    }
    return ok;
}

static int cornerOf(const vvFaces *faces, const int *corner, int point)
{
    for (int i = 0; i < 3; ++i)
    {
        if (faces->points[corner[i]] == point)
            return corner[i];
    }
    return corner[0];
}

// a corner of a piece; `corner`: those of the old face that its triangle has
static bool addCorner(Drawing *d, const int *corner, int vertex)
{
    const Pieces *p = d->p;
    const vvFaces *old = d->old;
    int a = cornerOf(old, corner, p->vertexParent[2 * vertex]);
    int b = cornerOf(old, corner, p->vertexParent[2 * vertex + 1]), row = -1, normal = -1;
    double weight = p->vertexWeight[vertex];
    bool ok = true;
    if (old->coordinates != NULL)
        ok = between(d->memory, &d->list.coordinateValue, 2, old->coordinates[a], old->coordinates[b], weight, &row);
    if (ok && old->normals != NULL)
        ok = between(d->memory, &d->list.normalValue, 3, old->normals[a], old->normals[b], weight, &normal);
    return ok && faceListCorner(d->memory, &d->list, vertex, row, normal);
}

static bool beginFace(Drawing *d, int face)
{
    d->list.groups.current = face >= 0 && d->old->groups != NULL ? d->old->groups[face] : -1;
    d->list.materials.current = face >= 0 && d->old->materials != NULL ? d->old->materials[face] : -1;
    return faceListBegin(d->memory, &d->list);
}

// ---- faces ----------------------------------------------------------------------------------------------------------

// the vertex of a whole triangle that is an old one or its copy
static int copyOf(const Pieces *p, int piece, int old)
{
    for (int c = 0; c < 3; ++c)
    {
        int v = pieceCorner(p, piece, c);
        if (p->vertexParent[2 * v] == old && p->vertexParent[2 * v + 1] == old)
            return v;
    }
    return -1;
}

// the new points of a polygon; false: it is no longer one. `fan`: its first triangle
static bool wholePolygon(const Drawing *d, int face, int fan, int *point)
{
    int first = d->old->starts[face], size = d->old->starts[face + 1] - first;
    for (int c = 0; c < size; ++c)
        point[c] = -1;
    for (int c = 1; c + 1 < size; ++c)
    {
        int triangle = d->triangle[fan + c - 1];
        if (triangle < 0 || d->pieceStart[triangle + 1] != d->pieceStart[triangle] + 1)
            return false;
        const int corner[3] = { 0, c, c + 1 };
        for (int i = 0; i < 3; ++i)
        {
            int copy = copyOf(d->p, d->pieceAt[d->pieceStart[triangle]], d->old->points[first + corner[i]]);
            if (copy < 0 || (point[corner[i]] >= 0 && point[corner[i]] != copy))
                return false;
            point[corner[i]] = copy;
        }
    }
    return true;
}

static bool drawFace(Drawing *d, int face, int fan, int *point)
{
    const vvFaces *old = d->old;
    int first = old->starts[face], size = old->starts[face + 1] - first;
    bool ok = true;
    if (wholePolygon(d, face, fan, point))
    {
        ok = beginFace(d, face);
        for (int c = 0; c < size && ok; ++c)
            ok = faceListCorner(d->memory, &d->list, point[c],
                                old->coordinates != NULL ? old->coordinates[first + c] : -1,
                                old->normals != NULL ? old->normals[first + c] : -1);
        return ok;
    }
    for (int c = 1; c + 1 < size && ok; ++c)
    {
        const int corner[3] = { first, first + c, first + c + 1 };
        int triangle = d->triangle[fan + c - 1];
        for (int k = triangle < 0 ? 0 : d->pieceStart[triangle]; triangle >= 0 && k < d->pieceStart[triangle + 1] && ok;
             ++k)
        {
            ok = beginFace(d, face);
            for (int i = 0; i < 3 && ok; ++i)
                ok = addCorner(d, corner, pieceCorner(d->p, d->pieceAt[k], i));
        }
    }
    return ok;
}

static bool drawAll(Drawing *d)
{
    const vvFaces *old = d->old;
    int most = 0;
    for (int f = 0; f < old->faceCount; ++f)
        most = maxInt(most, old->starts[f + 1] - old->starts[f]);
    int *point = ALLOCATE(d->memory, int, most);
    bool ok = point != NULL;
    for (int f = 0, fan = 0; f < old->faceCount && ok; ++f)
    {
        ok = drawFace(d, f, fan, point);
        fan += old->starts[f + 1] - old->starts[f] - 2;
    }
    memoryRelease(d->memory, point);
    for (int e = 0; e < d->p->elementCount && ok; ++e)
    {
        if (d->drawn[d->p->parent[e]])
            continue;
        ok = beginFace(d, -1);
        for (int i = 0; i < 3 && ok; ++i)
            ok = faceListCorner(d->memory, &d->list, pieceCorner(d->p, e, i), -1, -1);
    }
    return ok;
}

bool piecesFaces(const Pieces *pieces, Memory *memory, vvFaces **faces)
{
    const vvFaces *old = pieces->old->faces;
    int fans = facesCorners(old) - 2 * old->faceCount;
    Drawing d = { .p = pieces, .old = old, .memory = memory, .triangle = ALLOCATE(memory, int, fans) };
    faceListOpen(&d.list);
    *faces = NULL;
    bool ok = d.triangle != NULL && fillPieces(&d) && matchFans(&d, fans) && faceListRows(memory, &d.list, old) &&
              drawAll(&d) && faceListTake(memory, &d.list, pieces->elementCount, faces);
    faceListClose(memory, &d.list);
    memoryRelease(memory, d.triangle);
    memoryRelease(memory, d.pieceStart);
    memoryRelease(memory, d.pieceAt);
    memoryRelease(memory, d.drawn);
    return ok;
}
