// Models from files, and our own, at one size.
#include "bench/bench.h"

vvMesh *modelRead(const char *path, char *message, size_t size)
{
    vvResult result = { 0 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = path;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh != NULL)
    {
        def.scale = 1 / vvMesh_GetSize(mesh);
        vvDestroyMesh(mesh);
        mesh = vvCreateMesh(&def, &result);
    }
    if (mesh == NULL)
        snprintf(message, size, "%s", result.message);
    return mesh;
}

vvMeshDef modelShape(vvMeshShape shape)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = shape;
    return def;
}
