// Examples of a body: shapes beside its rest shape, from files or by stretching and turning the rest shape (rod.c).
#include "scene/built.h"

#include "base/vec.h"

#include <string.h>

// scaled and turned as the body's own mesh is
vvResult readShape(const SceneWorld *built, const Json *example, const Json *mesh, int count, double *out)
{
    vvMeshDef def = vvDefaultMeshDef();
    vvResult result = resultOk();
    def.shape = VV_MESH_FILE;
    def.allocator = built->memory.hook;
    def.file = treeString(example, "file");
    def.scale = treeNumber(mesh, "scale", 1) * unitMetres(treeString(mesh, "unit"));
    def.rotate = treeVector(mesh, "rotate");
    vvMesh *read = vvCreateMesh(&def, &result);
    if (read == NULL)
        return result;
    int found = vvMesh_GetVertexCount(read);
    if (found == count)
        memcpy(out, vvMesh_GetPoints(read), 3 * (size_t)count * sizeof(double));
    else
        result = resultMake(VV_BAD_INPUT, "save the deformed body with the same vertices in the same order",
                            "the file has %d vertices, must have the body's %d", found, count);
    vvDestroyMesh(read);
    return result;
}

vvResult readExamples(SceneWorld *built, int index, const Json *body, double **out)
{
    const vvMesh *mesh = built->mesh[index];
    const double *rest = vvMesh_GetPoints(mesh);
    int count = vvMesh_GetVertexCount(mesh), entry = 0;
    vvResult result = resultOk();
    *out = NULL;
    if (treeCount(body, "examples") == 0)
        return result;
    *out = ALLOCATE(&built->memory, double, 3 * (size_t)count * (size_t)treeCount(body, "examples"));
    if (*out == NULL)
        return resultOutOfMemory("the examples of a body");
    TREE_EACH(example, treeItem(body, "examples"))
    {
        double *points = *out + 3 * (size_t)count * (size_t)entry;
        Rod rod = rodOf(example, rest, NULL, count);
        for (int v = 0; v < count; ++v)
            vecStore(points + 3 * (ptrdiff_t)v, rodBent(&rod, vecLoad(rest + 3 * (ptrdiff_t)v)));
        if (treeString(example, "file") != NULL && result.code == VV_OK)
            result = readShape(built, example, treeItem(body, "mesh"), count, points);
        if (result.code != VV_OK)
            return resultMake(result.code, result.remedy, "bodies[%d].examples[%d].file: %s", index, entry,
                              result.message);
        entry += 1;
    }
    return result;
}
