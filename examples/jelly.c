// A jelly from a mesh file falls on a floor.
//   jelly [FILE]    reads FILE (tetrahedra: .msh, .ele, .mesh, .vtk); without it a ball that is written and read back
#include <stdio.h>
#include <verve/verve.h>

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "ball.mesh";
    if (argc == 1)
    {
        vvMesh *ball = vvCreateSphereMesh(0.2, 4);
        vvWriteMesh(ball, file, NULL);
        vvDestroyMesh(ball);
    }

    // files say nothing of units: scale turns those of the file into metres
    vvResult result;
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_FILE;
    meshDef.file = file;
    meshDef.scale = 1; // 0.01 for a file in centimetres
    vvMesh *mesh = vvCreateMesh(&meshDef, &result);
    if (mesh == NULL || vvMesh_GetTetCount(mesh) == 0)
    {
        fprintf(stderr, "jelly: %s\n", mesh ? "the file has no tetrahedra: it would be a hollow skin" : result.message);
        return 1;
    }
    printf("%d vertices, %d tetrahedra, %.3f m\n", vvMesh_GetVertexCount(mesh), vvMesh_GetTetCount(mesh),
           vvMesh_GetSize(mesh));

    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvShapeDef floorDef = vvDefaultShapeDef(); // the plane y = 0
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = vvCreateShape(&floorDef, NULL);
    colliderDef.restitution = 0.3;
    vvCreateCollider(world, &colliderDef, NULL);
    vvDestroyShape(colliderDef.shape);

    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.material = vvMaterial_Jelly();
    def.damping.stiffness = 0.005; // s
    def.position = (vvVec3){ 0, vvMesh_GetSize(mesh), 0 };
    vvSoftBodyId jelly = vvCreateSoftBody(world, &def, &result);
    for (int frame = 0; frame < 90 && result.code == VV_OK; ++frame)
        result = vvWorld_Step(world, 1.0 / 60);
    if (result.code != VV_OK)
        fprintf(stderr, "jelly: %s; %s\n", result.message, result.remedy);

    double height = 0;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        height += vvSoftBody_GetPositions(jelly)[3 * v + 1] / vvMesh_GetVertexCount(mesh);
    printf("after 1.5 s its middle is %.3f m above the floor\n", height);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
