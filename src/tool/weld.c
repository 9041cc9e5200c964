// Vertices that lie on each other: many programs write a corner once for every face that meets there.
#include "tool/notes.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

int weldFind(const vvMesh *mesh, int *first)
{
    Memory memory = memoryMake(NULL);
    return repairWeld(&memory, vvMesh_GetPoints(mesh), vvMesh_GetVertexCount(mesh), 0, first);
}

// elements with their new corners; those with one corner twice are left out. Returns how many are left
static int renumber(const int *element, int count, int width, const int *number, int *out)
{
    int kept = 0;
    for (int e = 0; e < count; ++e)
    {
        int *to = out + (size_t)width * (size_t)kept;
        bool flat = false;
        for (int i = 0; i < width; ++i)
        {
            to[i] = number[element[(size_t)width * (size_t)e + (size_t)i]];
            for (int k = 0; k < i; ++k)
                flat = flat || to[k] == to[i];
        }
        kept += !flat;
    }
    return kept;
}

// faces with their new points, if all of their triangles are left
static bool renumberFaces(const vvMesh *mesh, int triangleCount, const int *number, vvFaces *faces, int *out)
{
    const vvFaces *given = vvMesh_GetFaces(mesh);
    if (given == NULL || triangleCount != vvMesh_GetSurfaceCount(mesh))
        return false;
    *faces = *given;
    faces->points = out;
    for (int c = 0; c < given->starts[given->faceCount]; ++c)
        out[c] = number[given->points[c]];
    return true;
}

typedef struct Welded
{
    int *number; // vertexCount: of a vertex in the new mesh
    double *point;
    int *element;
    int *corner; // points of the faces
} Welded;

static vvMesh *build(const vvMesh *mesh, Welded *w, vvResult *result)
{
    int vertexCount = vvMesh_GetVertexCount(mesh);
    vvMeshDef def = vvDefaultMeshDef();
    vvFaces faces;
    def.shape = VV_MESH_ARRAYS;
    for (int v = 0; v < vertexCount; ++v)
    {
        bool isFirst = w->number[v] == v;
        if (isFirst)
            memcpy(w->point + 3 * (size_t)def.pointCount, vvMesh_GetPoints(mesh) + 3 * (size_t)v, 3 * sizeof(double));
        w->number[v] = isFirst ? def.pointCount++ : w->number[w->number[v]]; // an earlier one has its number already
    }
    def.points = w->point;
    if (vvMesh_GetTetCount(mesh) > 0)
    {
        def.tetCount = renumber(vvMesh_GetTets(mesh), vvMesh_GetTetCount(mesh), 4, w->number, w->element);
        def.tets = w->element;
    }
    else if (vvMesh_GetSurfaceCount(mesh) > 0)
    {
        def.triangleCount = renumber(vvMesh_GetSurface(mesh), vvMesh_GetSurfaceCount(mesh), 3, w->number, w->element);
        def.triangles = w->element;
        def.faces = renumberFaces(mesh, def.triangleCount, w->number, &faces, w->corner) ? &faces : NULL;
    }
    else
    {
        def.edgeCount = renumber(vvMesh_GetEdges(mesh), vvMesh_GetEdgeCount(mesh), 2, w->number, w->element);
        def.edges = w->element;
    }
    return vvCreateMesh(&def, result);
}

vvMesh *weldMesh(const vvMesh *mesh, vvResult *result)
{
    size_t vertices = (size_t)vvMesh_GetVertexCount(mesh);
    size_t corners = 4 * (size_t)vvMesh_GetTetCount(mesh) + 3 * (size_t)vvMesh_GetSurfaceCount(mesh) +
                     2 * (size_t)vvMesh_GetEdgeCount(mesh);
    Welded welded = { malloc(vertices * sizeof(int)), malloc(3 * vertices * sizeof(double)),
                      malloc(corners * sizeof(int)), malloc(corners * sizeof(int)) };
    vvMesh *made = NULL;
    bool enough = welded.number != NULL && welded.point != NULL && welded.element != NULL && welded.corner != NULL;
    if (enough && weldFind(mesh, welded.number) >= 0)
        made = build(mesh, &welded, result);
    else
        *result = resultOutOfMemory("a welded mesh");
    free(welded.number);
    free(welded.point);
    free(welded.element);
    free(welded.corner);
    return made;
}
