// What the elements of a body are called, by its model.
#include "tool/tool.h"

#include <string.h>

const ElementWords *elementWords(vvSoftBodyId body)
{
    static const ElementWords springs = { "spring", "springs", "length ratio" },
                              edges = { "edge", "edges", "length ratio" },
                              triangles = { "triangle", "triangles", "ratio of areas" },
                              tets = { "tet", "tets", "det F" };
    const char *model = vvSoftBody_GetModel(body);
    if (strstr(model, "spring") != NULL || strcmp(model, "curve") == 0)
        return &springs;
    if (strcmp(model, "membrane") == 0)
        return &edges;
    return vvMesh_GetTetCount(vvSoftBody_GetMesh(body)) > 0 ? &tets : &triangles;
}

int elementCount(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const char *one = elementWords(body)->one;
    if (strcmp(one, "tet") == 0)
        return vvMesh_GetTetCount(mesh);
    return strcmp(one, "triangle") == 0 ? vvMesh_GetSurfaceCount(mesh) : vvMesh_GetEdgeCount(mesh);
}
