// Faces after a repair: triangles that are still there keep what was at their corners, polygons all of whose triangles
// are there stay polygons, and new triangles have nothing at theirs.
#include "mesh/faces.h"

#include "mesh/build.h"

typedef struct Cut
{
    int face, corner; // triangle of the fan: the first corner of the face, this one and the next
    int found;        // 0: gone, 1: there, -1: there and turned around
} Cut;

typedef struct Follow
{
    Memory *memory;
    const vvFaces *old;
    const int *map;      // points of the old faces: their new numbers, -1: gone
    const int *triangle; // triangleCount x 3
    int triangleCount, cutCount;
    Cut *cut;    // cutCount
    bool *known; // triangleCount: it is a cut
    FaceList list;
} Follow;

static int mapped(const Follow *f, int corner)
{
    return f->map[f->old->points[corner]];
}

// ascending; false: not three points
static bool makeKey(int a, int b, int c, int *key)
{
    key[0] = minInt(a, minInt(b, c));
    key[2] = maxInt(a, maxInt(b, c));
    key[1] = a + b + c - key[0] - key[2];
    return a != b && b != c && c != a && key[0] >= 0;
}

static void cutCorners(const Follow *f, const Cut *cut, int *corner)
{
    corner[0] = f->old->starts[cut->face];
    corner[1] = cut->corner;
    corner[2] = cut->corner + 1;
}

// -1: the other way round
static int direction(const int *a, const int *b)
{
    for (int i = 0; i < 3; ++i)
    {
        if (a[0] == b[i])
            return a[1] == b[(i + 1) % 3] ? 1 : -1;
    }
    return 1;
}

static bool sameKey(const int *a, const int *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void match(Follow *f, Cut *cut, int triangle)
{
    int corner[3], point[3];
    cutCorners(f, cut, corner);
    for (int i = 0; i < 3; ++i)
        point[i] = mapped(f, corner[i]);
    cut->found = direction(point, f->triangle + 3 * (size_t)triangle);
    f->known[triangle] = true;
}

// cuts and triangles in one sorted list: those with the same points stand beside each other
static bool matchAll(Follow *f, int pointCount)
{
    int rows = f->cutCount + f->triangleCount, corner[3];
    int *key = ALLOCATE(f->memory, int, 3 * (size_t)rows), *order = ALLOCATE(f->memory, int, rows);
    bool ok = key != NULL && order != NULL;
    for (int i = 0; i < rows && ok; ++i)
    {
        const int *t = i < f->cutCount ? NULL : f->triangle + 3 * (size_t)(i - f->cutCount);
        if (i < f->cutCount)
            cutCorners(f, &f->cut[i], corner);
        if (!(i < f->cutCount
                  ? makeKey(mapped(f, corner[0]), mapped(f, corner[1]), mapped(f, corner[2]), key + 3 * (size_t)i)
                  : makeKey(t[0], t[1], t[2], key + 3 * (size_t)i)))
            key[3 * (size_t)i] = key[3 * (size_t)i + 1] = key[3 * (size_t)i + 2] = pointCount; // behind all others
    }
    ok = ok && sortTuples(f->memory, key, rows, 3, pointCount + 1, order);
    for (int i = 0, end; i < rows && ok; i = end)
    {
        int cut = -1, triangle = -1;
        for (end = i; end < rows && sameKey(key + 3 * (size_t)order[i], key + 3 * (size_t)order[end]); ++end)
        {
            if (order[end] < f->cutCount)
                cut = cut < 0 ? order[end] : cut;
            else
                triangle = triangle < 0 ? order[end] - f->cutCount : triangle;
        }
        if (cut >= 0 && triangle >= 0 && key[3 * (size_t)order[i]] < pointCount)
            match(f, &f->cut[cut], triangle);
    }
    memoryRelease(f->memory, key);
    memoryRelease(f->memory, order);
    return ok;
}

// ---- what is left ---------------------------------------------------------------------------------------------------

static bool keepCorner(Follow *f, int corner, bool turned)
{
    int row = f->old->coordinates != NULL ? f->old->coordinates[corner] : -1;
    int normal = f->old->normals != NULL && !turned ? f->old->normals[corner] : -1;
    return faceListCorner(f->memory, &f->list, mapped(f, corner), row, normal);
}

static bool beginFace(Follow *f, int face)
{
    f->list.groups.current = face >= 0 && f->old->groups != NULL ? f->old->groups[face] : -1;
    f->list.materials.current = face >= 0 && f->old->materials != NULL ? f->old->materials[face] : -1;
    return faceListBegin(f->memory, &f->list);
}

// the whole polygon, or the triangles that are left of it; `cut` is its first
static bool keepFace(Follow *f, int face, const Cut *cut)
{
    int first = f->old->starts[face], end = f->old->starts[face + 1], count = end - first - 2;
    bool whole = true, ok = true;
    for (int i = 0; i < count; ++i)
        whole = whole && cut[i].found != 0 && cut[i].found == cut[0].found;
    if (whole)
    {
        bool turned = cut[0].found < 0;
        ok = beginFace(f, face);
        for (int c = first; c < end && ok; ++c)
            ok = keepCorner(f, turned ? first + end - 1 - c : c, turned);
        return ok;
    }
    for (int i = 0; i < count && ok; ++i)
    {
        int corner[3];
        if (cut[i].found == 0)
            continue;
        bool turned = cut[i].found < 0;
        cutCorners(f, &cut[i], corner);
        ok = beginFace(f, face) && keepCorner(f, corner[0], turned) && keepCorner(f, corner[turned ? 2 : 1], turned) &&
             keepCorner(f, corner[turned ? 1 : 2], turned);
    }
    return ok;
}

static bool keepAll(Follow *f)
{
    bool ok = true;
    for (int face = 0, at = 0; face < f->old->faceCount && ok; ++face)
    {
        ok = keepFace(f, face, f->cut + at);
        at += f->old->starts[face + 1] - f->old->starts[face] - 2;
    }
    for (int t = 0; t < f->triangleCount && ok; ++t)
    {
        if (f->known[t])
            continue;
        ok = beginFace(f, -1);
        for (int i = 0; i < 3 && ok; ++i)
            ok = faceListCorner(f->memory, &f->list, f->triangle[3 * t + i], -1, -1);
    }
    return ok;
}

bool faceListRows(Memory *memory, FaceList *list, const vvFaces *old)
{
    bool ok = true;
    for (int i = 0; i < 2 * old->coordinateCount && ok; ++i)
        ok = faceListReal(memory, &list->coordinateValue, old->coordinateValues[i]);
    for (int i = 0; i < 3 * old->normalCount && ok; ++i)
        ok = faceListReal(memory, &list->normalValue, old->normalValues[i]);
    for (int i = 0; i < old->groupCount && ok; ++i)
        ok = faceListName(memory, &list->groups, old->groupNames[i]);
    for (int i = 0; i < old->materialCount && ok; ++i)
        ok = faceListName(memory, &list->materials, old->materialNames[i]);
    if (ok && old->materialFile != NULL)
    {
        list->materialFile = faceListText(memory, old->materialFile);
        ok = list->materialFile != NULL;
    }
    return ok;
}

bool facesFollow(Memory *memory, const vvFaces *old, const int *map, const int *triangle, int triangleCount,
                 int pointCount, vvFaces **faces)
{
    Follow f = { .memory = memory, .old = old, .map = map, .triangle = triangle, .triangleCount = triangleCount };
    f.cutCount = facesCorners(old) - 2 * old->faceCount;
    faceListOpen(&f.list);
    *faces = NULL;
    f.cut = ALLOCATE(memory, Cut, f.cutCount);
    f.known = ALLOCATE(memory, bool, triangleCount);
    bool ok = f.cut != NULL && f.known != NULL;
    for (int face = 0, at = 0; face < old->faceCount && ok; ++face)
    {
        for (int c = old->starts[face] + 1; c + 1 < old->starts[face + 1]; ++c)
            f.cut[at++] = (Cut){ face, c, 0 };
    }
    ok = ok && matchAll(&f, pointCount) && faceListRows(memory, &f.list, old) && keepAll(&f) &&
         faceListTake(memory, &f.list, triangleCount, faces);
    faceListClose(memory, &f.list);
    memoryRelease(memory, f.cut);
    memoryRelease(memory, f.known);
    return ok;
}
