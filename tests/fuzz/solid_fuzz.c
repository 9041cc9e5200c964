// rooms: base mesh
// fewer: 50
// Any OBJ file that can be read can be mended, filled or refused with a reason, and a cage carries what it was made
// for.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verve/embedding.h>
#include <verve/repair.h>
#include <verve/solid.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void checkMesh(vvMesh *mesh, const vvResult *result)
{
    if (mesh == NULL && (result->code != VV_BAD_INPUT || result->message[0] == 0 || result->remedy[0] == 0))
        abort();
    const double *point = vvMesh_GetPoints(mesh);
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(mesh); ++i)
    {
        if (!isfinite(point[i]))
            abort();
    }
}

static void checkCage(const vvMesh *mesh)
{
    const vvEmbedding *embedding = vvMesh_GetEmbedding(mesh);
    size_t count = 3 * (size_t)vvEmbedding_GetPointCount(embedding);
    double *points = malloc(count * sizeof(double));
    if (vvEmbedding_GetPositions(embedding, vvMesh_GetPoints(mesh), points).code != VV_OK)
        abort();
    for (size_t i = 0; i < count; ++i)
    {
        if (!(fabs(points[i] - vvEmbedding_GetPoints(embedding)[i]) <= 1e-6 * (vvMesh_GetSize(mesh) + fabs(points[i]))))
            abort();
    }
    free(points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = size > 0 ? data : (const uint8_t *)"";
    def.dataSize = size;
    vvResult result;
    vvRepairDef repair = vvDefaultRepairDef();
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, NULL, &result);
    checkMesh(mesh, &result);
    vvDestroyMesh(mesh);
    double edge = 0;
    for (int kind = 0; kind < 3; ++kind)
    {
        vvSolidDef solid = vvDefaultSolidDef();
        vvSolidReport report = { 0 };
        solid.kind = (vvSolidKind)(kind % 2);
        solid.cells = 3;
        solid.surfaceEdge = kind == 2 ? 0.6 * edge : 0;
        mesh = vvCreateSolidMesh(&def, &solid, &report, &result);
        checkMesh(mesh, &result);
        if (mesh != NULL && !(report.leastAngle > 5))
            abort();
        if (mesh != NULL && kind == VV_SOLID_CAGE)
            checkCage(mesh);
        edge = report.edge;
        vvDestroyMesh(mesh);
    }
    return 0;
}
