// rooms: base mesh
#include "mesh.h"

#include <verve/repair.h>

// what the doctor makes of it, with the faces as they were drawn
static void tryRepair(const uint8_t *data, size_t size)
{
    vvMeshDef def = vvDefaultMeshDef();
    vvRepairDef repair = vvDefaultRepairDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = size > 0 ? data : (const uint8_t *)"";
    def.dataSize = size;
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, NULL, NULL);
    tryFaces(vvMesh_GetFaces(mesh), vvMesh_GetVertexCount(mesh));
    vvDestroyMesh(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tryMesh("obj", data, size);
    tryRepair(data, size);
    return 0;
}
