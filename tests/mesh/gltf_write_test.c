// Meshes written as binary glTF: read back they are the same to single precision, with texture coordinates,
// materials and groups.
#include "check.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

#define FILE_NAME "gltf_write_test.glb"

static vvMesh *throughFile(const vvMesh *mesh)
{
    vvResult result = vvWriteMesh(mesh, FILE_NAME, NULL);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    vvMesh *back = vvReadMesh(FILE_NAME, &result);
    if (back == NULL)
        fail_msg("%s", result.message);
    remove(FILE_NAME);
    return back;
}

// all generators: sheets and ropes with their elements, of solids the surface
static void generatorsComeBack(void **state)
{
    (void)state;
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = (vvMeshShape)shape;
        def.size = (vvVec3){ 1.1, 0.37, 0.7 };
        def.cells[0] = 3;
        def.cells[1] = 5;
        def.rotate = (vvVec3){ 10, 20, 30 };
        vvMesh *mesh = vvCreateMesh(&def, NULL), *back = throughFile(mesh);
        assert_int_equal(back->surfaceCount, mesh->surfaceCount);
        CHECK_CLOSE(back->area, mesh->area, 1e-6);
        CHECK_CLOSE(back->size, mesh->size, 1e-6);
        if (mesh->matter != MATTER_SOLID)
        {
            assert_int_equal(back->vertexCount, mesh->vertexCount);
            for (int i = 0; i < 3 * mesh->vertexCount; ++i)
                CHECK_NEAR(back->callerPoint[i], mesh->callerPoint[i], 1e-7);
            if (mesh->surfaceCount > 0)
                assert_memory_equal(back->callerSurface, mesh->callerSurface,
                                    3 * sizeof(int) * (size_t)mesh->surfaceCount);
        }
        if (mesh->matter == MATTER_ROPE)
            assert_int_equal(back->edgeCount, mesh->edgeCount);
        vvDestroyMesh(mesh);
        vvDestroyMesh(back);
    }
}

// two quads and a triangle, a seam between the quads, materials that are not in order, two groups, corners without
// texture
static const char *const drawn = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nv 3 0.5 0\n"
                                 "vt 0 0\nvt 0.5 0\nvt 0.5 1\nvt 0 1\nvt 0.75 0.25\nvt 1 0.5\nvt 1 1\nvt 0.75 1\n"
                                 "g left\nusemtl wood\nf 1/1 2/2 3/3 4/4\n"
                                 "usemtl \"iron\" \xff\nf 2/5 5/6 6/7 3/8\n"
                                 "g right\nusemtl wood\nf 5 7 6\n";

static void textureIsKept(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = drawn;
    def.dataSize = strlen(drawn);
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    vvMesh *back = throughFile(mesh);
    const vvFaces *faces = vvMesh_GetFaces(back);
    assert_non_null(faces);
    assert_int_equal(back->vertexCount, 7);
    assert_int_equal(faces->faceCount, 5);
    // triangles of wood come first
    static const int points[15] = { 0, 1, 2, 0, 2, 3, 4, 6, 5, 1, 4, 5, 1, 5, 2 };
    static const double wanted[15][2] = { { 0, 0 },   { 0.5, 0 }, { 0.5, 1 },     { 0, 0 }, { 0.5, 1 },
                                          { 0, 1 },   { 0, 0 },   { 0, 0 },       { 0, 0 }, { 0.75, 0.25 },
                                          { 1, 0.5 }, { 1, 1 },   { 0.75, 0.25 }, { 1, 1 }, { 0.75, 1 } };
    for (int c = 0; c < 15; ++c)
    {
        assert_int_equal(faces->points[c], points[c]);
        const double *row = faces->coordinateValues + 2 * (size_t)faces->coordinates[c];
        CHECK_NEAR(row[0], wanted[c][0], 1e-7);
        CHECK_NEAR(row[1], wanted[c][1], 1e-7);
        const char *name = faces->materialNames[faces->materials[c / 3]];
        assert_string_equal(name, c < 9 ? "wood" : "\"iron\" ?");
        assert_string_equal(faces->groupNames[faces->groups[c / 3]], c >= 6 && c < 9 ? "right" : "left");
    }
    assert_int_equal(faces->materialCount, 2);
    vvDestroyMesh(mesh);
    vvDestroyMesh(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(generatorsComeBack), cmocka_unit_test(textureIsKept) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
