// scale and rotate: exact for quarter turns, rigid for the others, the same for every shape.
#include "check.h"
#include "mesh/mesh.h"

#include <stdlib.h>

static vvMesh *place(int shape, double scale, vvVec3 rotate)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = (vvMeshShape)shape;
    def.size = (vvVec3){ 1, 0.25, 0.5 };
    def.scale = scale;
    def.rotate = rotate;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

// about x, then y, then z: right-handed, y goes to z first
static void quarterTurnsAreExact(void **state)
{
    (void)state;
    static const struct
    {
        vvVec3 rotate;
        int axis[3]; // where x, y and z of a point come from, from 1, negative: mirrored
    } cases[] = {
        { { 90, 0, 0 }, { 1, -3, 2 } },    { { 0, 90, 0 }, { 3, 2, -1 } },       { { 0, 0, 90 }, { -2, 1, 3 } },
        { { -90, 0, 0 }, { 1, 3, -2 } },   { { 180, 0, 0 }, { 1, -2, -3 } },     { { 360, -720, 0 }, { 1, 2, 3 } },
        { { 90, 90, 0 }, { 2, -3, -1 } },  { { 90, 0, 90 }, { 3, 1, 2 } },       { { 0, 90, 90 }, { -2, 3, -1 } },
        { { 450, 0, -270 }, { 3, 1, 2 } }, { { 36000090, 0, 0 }, { 1, -3, 2 } },
    };
    vvMesh *plain = place(VV_MESH_BOX, 1, (vvVec3){ 0, 0, 0 });
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        vvMesh *mesh = place(VV_MESH_BOX, 1, cases[i].rotate);
        for (int v = 0; v < 3 * mesh->vertexCount; ++v)
        {
            int from = cases[i].axis[v % 3];
            double p = plain->callerPoint[v - v % 3 + abs(from) - 1];
            if (mesh->callerPoint[v] != (from < 0 ? -p : p))
                fail_msg("case %zu: %.17g, want %.17g", i, mesh->callerPoint[v], from < 0 ? -p : p);
        }
        vvDestroyMesh(mesh);
    }
    vvDestroyMesh(plain);
}

static void placingKeepsTheShape(void **state)
{
    (void)state;
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        vvMesh *plain = place(shape, 1, (vvVec3){ 0, 0, 0 });
        vvMesh *mesh = place(shape, 0.001, (vvVec3){ 33, -71.5, 190 });
        assert_int_equal(mesh->tetCount, plain->tetCount);
        CHECK_CLOSE(mesh->volume, 1e-9 * plain->volume, 1e-12);
        CHECK_CLOSE(mesh->area, 1e-6 * plain->area, 1e-12);
        for (int e = 0; e < mesh->edgeCount; ++e)
        {
            // springs keep their share: 1 m, 1 or 1/m by what the matter is
            double factor = mesh->matter == MATTER_SOLID ? 0.001 : mesh->matter == MATTER_SHEET ? 1 : 1000;
            CHECK_CLOSE(mesh->edgeShare[mesh->edgeToCaller[e]], factor * plain->edgeShare[plain->edgeToCaller[e]],
                        1e-9);
        }
        vvDestroyMesh(plain);
        vvDestroyMesh(mesh);
    }
}

// the matrix of the turns, from libm
static void turnsAreAboutXThenYThenZ(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, a = 0.3, b = -1.1, c = 2.2;
    vvMesh *plain = place(VV_MESH_TET, 1, (vvVec3){ 0, 0, 0 });
    vvMesh *mesh = place(VV_MESH_TET, 2, (vvVec3){ a * 180 / pi, b * 180 / pi, c * 180 / pi });
    for (int v = 0; v < 4; ++v)
    {
        const double *p = plain->callerPoint + 3 * v;
        double y1 = cos(a) * p[1] - sin(a) * p[2], z1 = sin(a) * p[1] + cos(a) * p[2];
        double x2 = cos(b) * p[0] + sin(b) * z1, z2 = cos(b) * z1 - sin(b) * p[0];
        CHECK_NEAR(mesh->callerPoint[3 * v], 2 * (cos(c) * x2 - sin(c) * y1), 1e-15);
        CHECK_NEAR(mesh->callerPoint[3 * v + 1], 2 * (sin(c) * x2 + cos(c) * y1), 1e-15);
        CHECK_NEAR(mesh->callerPoint[3 * v + 2], 2 * z2, 1e-15);
    }
    vvDestroyMesh(plain);
    vvDestroyMesh(mesh);
}

static void badPlacingIsRefused(void **state)
{
    (void)state;
    const double scales[] = { 0, -1, NAN, INFINITY };
    vvMeshDef def = vvDefaultMeshDef();
    vvResult result;
    for (int i = 0; i < 4; ++i)
    {
        def.scale = scales[i];
        assert_null(vvCreateMesh(&def, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "scale is"));
    }
    def.scale = 1;
    def.rotate.y = NAN;
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "rotate is"));
    // arrays too, and what leaves the finite numbers
    def = vvDefaultMeshDef();
    def.size.x = 1e200;
    def.scale = 1e200;
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "must be finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarterTurnsAreExact),
        cmocka_unit_test(placingKeepsTheShape),
        cmocka_unit_test(turnsAreAboutXThenYThenZ),
        cmocka_unit_test(badPlacingIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
