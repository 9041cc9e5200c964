#include "mesh/build.h"
#include "mesh/embed.h"
#include "mesh/file.h"

#define COOKIE 0x5656

// ---- creation -------------------------------------------------------------------------------------------------------

vvMeshDef vvDefaultMeshDef(void)
{
    return (vvMeshDef){
        .shape = VV_MESH_BOX,
        .size = { 1, 1, 1 },
        .cells = { 4, 4, 4 },
        .diagonals = 2,
        .scale = 1,
        .cookie = COOKIE,
    };
}

static vvResult checkDef(const vvMeshDef *def)
{
    if (def == NULL)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultMeshDef()", "the mesh definition is NULL");
    if (def->cookie != COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultMeshDef()",
                          "the mesh definition was not initialised: its cookie is %d, must be %d", def->cookie, COOKIE);
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return resultMake(VV_BAD_INPUT, "set both functions of the allocator, or none",
                          "the allocator has 1 of its 2 functions");
    if ((int)def->shape < VV_MESH_ARRAYS || (int)def->shape > VV_MESH_FIGURE)
        return resultMake(VV_BAD_INPUT, "use a vvMeshShape", "shape is %d, must be %d to %d", (int)def->shape,
                          VV_MESH_ARRAYS, VV_MESH_FIGURE);
    vvResult result = checkPlacing(def);
    if (result.code != VV_OK || def->shape == VV_MESH_ARRAYS || def->shape == VV_MESH_FILE)
        return result;
    return checkGenerator(def);
}

static vvResult fillArrays(MeshArrays *arrays, const vvMeshDef *def, const vvSolidDef *solid, Reader *reader,
                           MeshOrigin *origin)
{
    switch (def->shape)
    {
    case VV_MESH_ARRAYS:
        return arraysCopy(arrays, def);
    case VV_MESH_BOX:
    case VV_MESH_BAR:
        return generateBox(arrays, def);
    case VV_MESH_SHEET:
        return generateSheet(arrays, def);
    case VV_MESH_ROPE:
        return generateRope(arrays, def);
    case VV_MESH_SPHERE:
        return generateSphere(arrays, def);
    case VV_MESH_CYLINDER:
        return generateCylinder(arrays, def);
    case VV_MESH_TORUS:
        return generateTorus(arrays, def);
    case VV_MESH_TUBE:
        return generateTube(arrays, def);
    case VV_MESH_TET:
        return generateTet(arrays, def);
    case VV_MESH_COIL:
        return generateCoil(arrays, def);
    case VV_MESH_HIPPO:
    case VV_MESH_CACTUS:
    case VV_MESH_DOG:
    case VV_MESH_BUNNY:
    case VV_MESH_CAR:
    case VV_MESH_HORN:
    case VV_MESH_FIGURE:
        return generateModel(arrays, def, solid);
    case VV_MESH_FILE:
        return fileRead(reader, arrays, def, origin);
    }
    return resultMake(VV_BAD_INPUT, "use a vvMeshShape", "shape is %d", (int)def->shape);
}

static void freeMesh(Memory *memory, vvMesh *mesh)
{
    vvDestroyEmbedding(mesh->embedding);
    void *blocks[] = { mesh->point,         mesh->tet,
                       mesh->edge,          mesh->edgeKind,
                       mesh->edgeShare,     mesh->surface,
                       mesh->pair,          mesh->pairStart,
                       mesh->tetToCaller,   mesh->edgeToCaller,
                       mesh->callerPoint,   mesh->vertexToCaller,
                       mesh->callerTet,     mesh->vertexFromCaller,
                       mesh->callerEdge,    mesh->callerEdgeKind,
                       mesh->callerSurface, mesh->faces,
                       mesh->edgeSide };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(memory, blocks[i]);
    memoryRelease(memory, mesh);
    ASSERT_CHEAP(memory->blocks == 0, "a mesh frees all it allocated");
}

static vvResult createFrom(vvMesh *mesh, MeshArrays *arrays, const vvMeshDef *def, const MeshEdit *change)
{
    Reader reader = { 0 };
    bool file = def->shape == VV_MESH_FILE;
    vvResult result = fillArrays(arrays, def, change != NULL ? change->solid : NULL, &reader, &mesh->origin);
    if (result.code == VV_OK)
    {
        double start = clockSeconds();
        mesh->origin.mapped = arrays->faces != NULL && arrays->faces->coordinates != NULL;
        placePoints(arrays, def);
        if (change != NULL && change->apply != NULL)
            result = change->apply(arrays, change->context);
        if (result.code == VV_OK)
            result = checkArrays(arrays, def->reorient || file || change != NULL, &mesh->reorientedCount);
        if (result.code == VV_OK && def->rod)
            result = arraysMakeRod(arrays);
        if (result.code == VV_OK)
            result = buildMesh(mesh, arrays);
        if (change != NULL)
            arrays->naming.width = 0; // elements have no lines any more
        if (file && result.code != VV_OK)
            result = fileBlame(&reader, arrays, &result);
        mesh->origin.buildSeconds = clockSeconds() - start;
    }
    fileClose(&reader);
    return result;
}

vvMesh *meshCreate(const vvMeshDef *def, const MeshEdit *change, vvResult *result)
{
    vvResult outcome = checkDef(def);
    if (!resultPass(result, &outcome))
        return NULL;

    // the book-keeping moves into the mesh when all is done
    Memory memory = memoryMake(&def->allocator);
    vvMesh *mesh = ALLOCATE(&memory, vvMesh, 1);
    if (mesh == NULL)
    {
        outcome = resultOutOfMemory("a mesh");
        resultPass(result, &outcome);
        return NULL;
    }
    MeshArrays arrays = { .memory = &memory, .lenient = change != NULL };
    outcome = createFrom(mesh, &arrays, def, change);
    arraysRelease(&arrays);
    if (!resultPass(result, &outcome))
    {
        freeMesh(&memory, mesh);
        return NULL;
    }
    mesh->memory = memory;
    atomic_init(&mesh->references, 1);
    return mesh;
}

vvMesh *meshFromArrays(MeshArrays *arrays, vvResult *result)
{
    Memory *memory = arrays->memory;
    vvMesh *mesh = ALLOCATE(memory, vvMesh, 1);
    vvResult outcome = mesh != NULL ? buildMesh(mesh, arrays) : resultOutOfMemory("a mesh");
    arraysRelease(arrays);
    if (resultPass(result, &outcome))
    {
        mesh->memory = *memory;
        atomic_init(&mesh->references, 1);
        return mesh;
    }
    if (mesh != NULL)
        freeMesh(memory, mesh);
    return NULL;
}

vvMesh *vvCreateMesh(const vvMeshDef *def, vvResult *result)
{
    return meshCreate(def, NULL, result);
}

// ---- shared ownership -----------------------------------------------------------------------------------------------

void meshRetain(vvMesh *mesh)
{
    int before = atomic_fetch_add(&mesh->references, 1);
    (void)before;
    ASSERT(before > 0, "only a living mesh is retained");
}

void meshRelease(vvMesh *mesh)
{
    int before = atomic_fetch_sub(&mesh->references, 1);
    ASSERT_CHEAP(before > 0, "a mesh is released as often as it was retained");
    if (before > 1)
        return;
    Memory memory = mesh->memory;
    freeMesh(&memory, mesh);
}

void vvDestroyMesh(vvMesh *mesh)
{
    if (mesh != NULL)
        meshRelease(mesh);
}

// ---- shorthands -----------------------------------------------------------------------------------------------------

static vvMesh *createShape(vvMeshShape shape, vvVec3 size, int x, int y, int z)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = shape;
    def.size = size;
    def.cells[0] = x;
    def.cells[1] = y;
    def.cells[2] = z;
    return vvCreateMesh(&def, NULL);
}

vvMesh *vvCreateBoxMesh(vvVec3 size, int cellsX, int cellsY, int cellsZ)
{
    return createShape(VV_MESH_BOX, size, cellsX, cellsY, cellsZ);
}

vvMesh *vvCreateBarMesh(double length, double width, int cellsAlong, int cellsAcross)
{
    return createShape(VV_MESH_BAR, vec3(length, width, width), cellsAlong, cellsAcross, cellsAcross);
}

vvMesh *vvCreateSheetMesh(double sizeX, double sizeZ, int cellsX, int cellsZ)
{
    return createShape(VV_MESH_SHEET, vec3(sizeX, 0, sizeZ), cellsX, 0, cellsZ);
}

vvMesh *vvCreateRopeMesh(double length, int segments)
{
    return createShape(VV_MESH_ROPE, vec3(length, 0, 0), segments, 0, 0);
}

vvMesh *vvCreateSphereMesh(double diameter, int layers)
{
    return createShape(VV_MESH_SPHERE, vec3(diameter, 0, 0), layers, 0, 0);
}

vvMesh *vvCreateCylinderMesh(double diameter, double height, int rings, int layers)
{
    return createShape(VV_MESH_CYLINDER, vec3(diameter, height, 0), rings, layers, 0);
}

vvMesh *vvCreateTorusMesh(double outerDiameter, double tubeDiameter, int rings, int around)
{
    return createShape(VV_MESH_TORUS, vec3(outerDiameter, tubeDiameter, 0), rings, around, 0);
}

vvMesh *vvCreateTubeMesh(double diameter, double height, int around, int layers)
{
    return createShape(VV_MESH_TUBE, vec3(diameter, height, 0), around, layers, 0);
}

// ---- what a mesh says -----------------------------------------------------------------------------------------------

int meshFindPair(const vvMesh *mesh, int a, int b)
{
    int lower = minInt(a, b), upper = maxInt(a, b);
    int first = mesh->pairStart[lower], last = mesh->pairStart[lower + 1] - 1;
    while (first <= last)
    {
        int middle = first + (last - first) / 2;
        int found = mesh->pair[2 * middle + 1];
        if (found == upper)
            return middle;
        if (found < upper)
            first = middle + 1;
        else
            last = middle - 1;
    }
    return -1;
}

int vvMesh_GetVertexCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->vertexCount : 0;
}

int vvMesh_GetTetCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->tetCount : 0;
}

int vvMesh_GetEdgeCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->edgeCount : 0;
}

int vvMesh_GetSurfaceCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->surfaceCount : 0;
}

const double *vvMesh_GetPoints(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->callerPoint : NULL;
}

const int *vvMesh_GetTets(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->callerTet : NULL;
}

const int *vvMesh_GetEdges(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->callerEdge : NULL;
}

const int *vvMesh_GetEdgeKinds(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->callerEdgeKind : NULL;
}

const int *vvMesh_GetSurface(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->callerSurface : NULL;
}

const vvFaces *vvMesh_GetFaces(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->faces : NULL;
}

double vvMesh_GetVolume(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->volume : 0;
}

double vvMesh_GetArea(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->area : 0;
}

double vvMesh_GetSize(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->size : 0;
}

bool vvMesh_HasParticles(const vvMesh *mesh)
{
    return mesh != NULL && mesh->particles;
}

int vvMesh_GetReorientedCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->reorientedCount : 0;
}

int vvMesh_GetDroppedCount(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->origin.droppedCount : 0;
}

const vvEmbedding *vvMesh_GetEmbedding(const vvMesh *mesh)
{
    return mesh != NULL ? mesh->embedding : NULL;
}
