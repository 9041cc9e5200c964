// glTF animations: nodes, skins and morph targets put the points where their formulas say, in the order of the mesh
// that is read from the file, and all else is refused with a reason.
#include "glb.h"

#include "mesh/mesh.h"
#include "refuse.h"

#include <math.h>
#include <stdlib.h>
#include <verve/verve.h>

#define FILE_NAME "gltf_motion_test.glb"
#define PI 3.14159265358979323846

static MeshMotion *openMotion(Memory *memory, const Glb *glb, const char *rest, const char *clip)
{
    vvResult result;
    glbWrite(glb, rest, FILE_NAME);
    MeshMotion *motion = meshMotionOpen(memory, FILE_NAME, clip, &result);
    if (motion == NULL)
        fail_msg("%s", result.message);
    return motion;
}

static void closeMotion(Memory *memory, MeshMotion *motion)
{
    meshMotionClose(motion);
    assert_int_equal(memory->blocks, 0);
    remove(FILE_NAME);
}

static void refuse(const Glb *glb, const char *rest, const char *clip, const char *word)
{
    Memory memory = memoryMake(NULL);
    vvResult result = { 0 };
    glbWrite(glb, rest, FILE_NAME);
    MeshMotion *motion = meshMotionOpen(&memory, FILE_NAME, clip, &result);
    if (motion != NULL)
        fail_msg("taken, must say '%s'", word);
    if (strstr(result.message, word) == NULL)
        fail_msg("'%s', must say '%s'", result.message, word);
    assert_true(result.remedy[0] != 0);
    assert_int_equal(memory.blocks, 0);
    remove(FILE_NAME);
}

// with numbers as the file has them
static void checkPoint(const double *p, double x, double y, double z, double within)
{
    CHECK_NEAR(p[0], x, within);
    CHECK_NEAR(p[1], y, within);
    CHECK_NEAR(p[2], z, within);
}

static const double triangle[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const double times[3] = { 0, 1, 2 };

#define MESH "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"scenes\":[{\"nodes\":[0]}],"
#define CHANNEL(path, way)                                                                                             \
    "\"animations\":[{\"name\":\"idle\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"" path          \
    "\"}}],\"samplers\":[{\"input\":1,\"output\":2,\"interpolation\":\"" way "\"}]}]"

// a node that turns by a quarter about z in a second and back, and another in it beside
static void nodesTurn(void **state)
{
    (void)state;
    const double half = sqrt(0.5), turn[12] = { 0, 0, 0, 1, 0, 0, half, half, 0, 0, 0, -1 }; // -1 is no turn as well
    Memory memory = memoryMake(NULL);
    Glb glb = { .size = 0 };
    glbPut(&glb, triangle, 3, 3, 4);
    glbPut(&glb, times, 3, 1, 4);
    glbPut(&glb, turn, 3, 4, 4);
    const char *nodes = "\"nodes\":[{\"children\":[1],\"scale\":[2,2,2]},{\"mesh\":0,\"translation\":[1,0,0]}],";
    char rest[2000];
    snprintf(rest, sizeof rest, MESH "%s" CHANNEL("rotation", "LINEAR"), nodes);
    MeshMotion *motion = openMotion(&memory, &glb, rest, "idle");
    assert_int_equal(meshMotionPoints(motion), 3);
    CHECK_NEAR(meshMotionEnd(motion), 2, 0);
    for (double t = -0.5; t < 3; t += 0.0625)
    {
        double point[9], s = fmin(fmax(t, 0), 2), angle = PI / 2 * (s < 1 ? s : 2 - s);
        meshMotionAt(motion, t, point);
        for (int v = 0; v < 3; ++v)
        {
            double x = 2 * (triangle[3 * v] + 1), y = 2 * triangle[3 * v + 1];
            checkPoint(point + 3 * v, cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y, 0, 1e-7);
        }
    }
    // the same pose at rest
    double point[9];
    meshMotionAt(motion, 0.5, point);
    closeMotion(&memory, motion);
    snprintf(rest, sizeof rest,
             MESH "\"nodes\":[{\"children\":[1],\"scale\":[2,2,2],\"rotation\":[0,0,%.17g,%.17g]},"
                  "{\"mesh\":0,\"translation\":[1,0,0]}]",
             sin(PI / 8), cos(PI / 8));
    glbWrite(&glb, rest, FILE_NAME);
    vvMesh *mesh = vvReadMesh(FILE_NAME, NULL);
    assert_non_null(mesh);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(vvMesh_GetPoints(mesh)[i], point[i], 1e-7);
    vvDestroyMesh(mesh);
    remove(FILE_NAME);
}

// steps stay until the next key; cubics follow their tangents: x = t^2 is one, y = 3 t is another
static void keysInterpolate(void **state)
{
    (void)state;
    const double linear[9] = { 0, 0, 0, 1, 3, 0, 4, 6, 0 };
    const double cubic[27] = { 0, 3, 0, 0, 0, 0, 0, 3, 0, 2, 3, 0, 1, 3, 0, 2, 3, 0, 4, 3, 0, 4, 6, 0, 4, 3, 0 };
    const double late[3] = { 5, 6, 7 }; // the first key is at time 0
    static const char *const ways[] = { "LINEAR", "STEP", "CUBICSPLINE" };
    Memory memory = memoryMake(NULL);
    for (int k = 0; k < 3; ++k)
    {
        Glb glb = { .size = 0 };
        glbPut(&glb, triangle, 3, 3, 4);
        glbPut(&glb, late, 3, 1, 4);
        glbPut(&glb, k == 2 ? cubic : linear, k == 2 ? 9 : 3, 3, 4);
        char rest[2000];
        snprintf(rest, sizeof rest,
                 MESH
                 "\"nodes\":[{\"mesh\":0}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                 "\"path\":\"translation\"}}],\"samplers\":[{\"input\":1,\"output\":2,\"interpolation\":\"%s\"}]}]",
                 ways[k]);
        MeshMotion *motion = openMotion(&memory, &glb, rest, NULL);
        CHECK_NEAR(meshMotionEnd(motion), 2, 0);
        for (double t = 0; t <= 2; t += 0.125)
        {
            double point[9], s = fmin(floor(t), 1) + 0, f = t - s;
            double x = k == 0 ? (s == 0 ? f : 1 + 3 * f) : k == 1 ? (t == 2 ? 4 : s) : t * t;
            double y = k == 1 ? 3 * floor(t) : 3 * t;
            meshMotionAt(motion, t, point);
            checkPoint(point + 3, x + 1, y, 0, 1e-12);
        }
        closeMotion(&memory, motion);
    }
}

// ---- skins ----------------------------------------------------------------------------------------------------------

#define CELLS 8

// a strip of 2 m along x; the second joint at 1 m bends it. `sum`: of the weights, which count by their shares
static void makeStrip(Glb *glb, double *point, double *share, double sum)
{
    double joint[8 * (CELLS + 1)] = { 0 }, weight[8 * (CELLS + 1)] = { 0 }, corner[6 * CELLS];
    for (int v = 0; v < 2 * (CELLS + 1); ++v)
    {
        point[3 * v] = 2.0 * (v / 2) / CELLS;
        point[3 * v + 1] = v % 2 ? 0.125 : -0.125;
        point[3 * v + 2] = 0;
        share[v] = fmin(fmax(2 * point[3 * v] - 1.5, 0), 1);
        joint[4 * v] = 1;
        weight[4 * v] = sum * share[v];
        weight[4 * v + 2] = sum * (1 - share[v]); // joint 0
    }
    for (int c = 0; c < CELLS; ++c)
    {
        const int quad[6] = { 2 * c, 2 * c + 2, 2 * c + 1, 2 * c + 1, 2 * c + 2, 2 * c + 3 };
        for (int i = 0; i < 6; ++i)
            corner[6 * c + i] = quad[i];
    }
    const double half = sqrt(0.5), turn[12] = { 0, 0, 0, 1, 0, 0, half, half, 0, 0, 0, 1 };
    const double inverse[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1,
                                 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1 };
    glbPut(glb, point, 2 * (CELLS + 1), 3, 4);
    glbPut(glb, times, 3, 1, 4);
    glbPut(glb, turn, 3, 4, 4);
    glbPut(glb, joint, 2 * (CELLS + 1), 4, 1);
    glbPut(glb, weight, 2 * (CELLS + 1), 4, 4);
    glbPut(glb, corner, 6 * CELLS, 1, 2);
    glbPut(glb, inverse, 2, 16, 4);
}

// the skeleton is turned by a quarter about x; where the node of the mesh is does not matter
#define STRIP                                                                                                          \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":3,\"WEIGHTS_0\":4},\"indices\":5}]}],"  \
    "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":6}],\"scenes\":[{\"nodes\":[3,0]}],\"nodes\":["              \
    "{\"rotation\":[0.70710678118654752,0,0,0.70710678118654752],\"children\":[1]},{\"children\":[2]},"                \
    "{\"translation\":[1,0,0]},{\"mesh\":0,\"skin\":0,\"translation\":[5,6,7],\"scale\":[-2,2,2]}],"                   \
    "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}],"                   \
    "\"samplers\":[{\"input\":1,\"output\":2}]}]"

static void stripsBend(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int k = 0; k < 2; ++k)
    {
        Glb glb = { .size = 0 };
        double rest[6 * (CELLS + 1)], share[2 * (CELLS + 1)], point[6 * (CELLS + 1)];
        makeStrip(&glb, rest, share, k == 0 ? 1 : 0.5);
        MeshMotion *motion = openMotion(&memory, &glb, STRIP, NULL);
        assert_int_equal(meshMotionPoints(motion), 2 * (CELLS + 1));
        for (double t = 0; t <= 2; t += 0.125)
        {
            double angle = PI / 2 * (t < 1 ? t : 2 - t);
            meshMotionAt(motion, t, point);
            for (int v = 0; v < 2 * (CELLS + 1); ++v)
            {
                const double *p = rest + 3 * v;
                double x = 1 + cos(angle) * (p[0] - 1) - sin(angle) * p[1];
                double y = sin(angle) * (p[0] - 1) + cos(angle) * p[1];
                x = p[0] + share[v] * (x - p[0]);
                y = p[1] + share[v] * (y - p[1]);
                checkPoint(point + 3 * v, x, 0, y, 1e-7);
            }
        }
        meshMotionAt(motion, 0, point);
        vvMesh *mesh = vvReadMesh(FILE_NAME, NULL); // at rest a skin is where its joints are
        assert_non_null(mesh);
        assert_memory_equal(vvMesh_GetPoints(mesh), point, sizeof point);
        vvDestroyMesh(mesh);
        closeMotion(&memory, motion);
    }
}

// ---- morph targets --------------------------------------------------------------------------------------------------

// a square whose points are split along the diagonal, and one that nothing uses before them
static const double square[21] = { 9, 9, 9, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0 };
static const double corners[6] = { 1, 2, 3, 4, 5, 6 };

#define MORPH                                                                                                          \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":3,\"targets\":[{\"POSITION\":4},"       \
    "{\"NORMAL\":4},{\"POSITION\":5}]}]}],\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"

static void makeMorph(Glb *glb, double parted)
{
    const double weight[9] = { 0, 0, 0, 1, 9, 0, 0.5, 9, 2 };
    double first[21] = { 0 }, second[21] = { 0 };
    for (int v = 0; v < 7; ++v)
    {
        first[3 * v + 2] = 1 + square[3 * v];
        second[3 * v] = square[3 * v + 1];
    }
    first[3 * 4 + 2] += parted;
    glbPut(glb, square, 7, 3, 4);
    glbPut(glb, times, 3, 1, 4);
    glbPut(glb, weight, 9, 1, 4);
    glbPut(glb, corners, 6, 1, 1);
    glbPut(glb, first, 7, 3, 4);
    glbPut(glb, second, 7, 3, 4);
}

static void targetsMorph(void **state)
{
    (void)state;
    static const double want[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 }; // of the mesh: one point for two
    Memory memory = memoryMake(NULL);
    Glb glb = { .size = 0 };
    makeMorph(&glb, 0);
    MeshMotion *motion = openMotion(&memory, &glb, MORPH CHANNEL("weights", "LINEAR"), NULL);
    assert_int_equal(meshMotionPoints(motion), 4);
    for (double t = 0; t <= 2; t += 0.25)
    {
        double point[12], a = t < 1 ? t : 1.5 - 0.5 * t, b = t < 1 ? 0 : 2 * (t - 1);
        meshMotionAt(motion, t, point);
        for (int v = 0; v < 4; ++v)
        {
            const double *p = want + 3 * v;
            checkPoint(point + 3 * v, p[0] + b * p[1], p[1], a * (1 + p[0]), 1e-12);
        }
    }
    closeMotion(&memory, motion);
}

// a target that lists the rows that are not 0, as Blender writes shape keys
static void sparseTargetsMorph(void **state)
{
    (void)state;
    static const double rows[2] = { 3, 5 }, values[6] = { 0, 0, 2, 0, 0, 2 };
    static const struct
    {
        const char *sparse, *fault;
    } tries[] = {
        { "\"count\":2,\"indices\":{\"bufferView\":4,\"componentType\":5121},\"values\":{\"bufferView\":5}", NULL },
        { "\"count\":3,\"indices\":{\"bufferView\":4,\"componentType\":5121},\"values\":{\"bufferView\":5}",
          "shorter" },
        { "\"count\":8,\"indices\":{\"bufferView\":4,\"componentType\":5121},\"values\":{\"bufferView\":5}",
          "count is something else" },
        { "\"count\":1,\"indices\":{\"bufferView\":5,\"componentType\":5121,\"byteOffset\":11},\"values\":{"
          "\"bufferView\":5}",
          "do not rise" },
        { "\"count\":1,\"indices\":{\"bufferView\":4,\"componentType\":5126},\"values\":{\"bufferView\":5}",
          "componentType" },
        { "\"count\":1", "is not there" },
    };
    static const double weights[3] = { 0, 1, 0.5 };
    for (size_t k = 0; k < sizeof tries / sizeof tries[0]; ++k)
    {
        Memory memory = memoryMake(NULL);
        Glb glb = { .size = 0 };
        glbPut(&glb, square, 7, 3, 4);
        glbPut(&glb, times, 3, 1, 4);
        glbPut(&glb, weights, 3, 1, 4);
        glbPut(&glb, corners, 6, 1, 1);
        glbPut(&glb, rows, 2, 1, 1);
        glbPut(&glb, values, 2, 3, 4);
        size_t end = strlen(glb.accessors);
        snprintf(glb.accessors + end, sizeof glb.accessors - end,
                 ",{\"componentType\":5126,\"count\":7,\"type\":\"VEC3\",\"sparse\":{%s}}", tries[k].sparse);
        const char *rest =
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":3,\"targets\":[{"
            "\"POSITION\":6}]}]}],\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]," CHANNEL("weights", "LINEAR");
        if (tries[k].fault != NULL)
        {
            refuse(&glb, rest, NULL, tries[k].fault);
            continue;
        }
        MeshMotion *motion = openMotion(&memory, &glb, rest, NULL);
        double point[12];
        meshMotionAt(motion, 1.5, point);
        for (int v = 0; v < 4; ++v)
            CHECK_NEAR(point[3 * v + 2], v == 2 ? 1.5 : 0, 1e-12); // the corner at (1, 1), twice in the file
        closeMotion(&memory, motion);
    }
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static void mistakesAreNamed(void **state)
{
    (void)state;
    const double backwards[3] = { 0, 1, 1 }, far[9] = { 0, 0, 0, 1e30, 0, 0, 0, 0, 0 };
    const double nan[9] = { 0, 0, 0, NAN, 0, 0, 0, 0, 0 };
#define NODE "\"nodes\":[{\"mesh\":0}],"
    Glb glb = { .size = 0 };
    glbPut(&glb, triangle, 3, 3, 4);
    glbPut(&glb, times, 3, 1, 4);
    glbPut(&glb, triangle, 3, 3, 4);
    refuse(&glb, MESH "\"nodes\":[{\"mesh\":0}]", NULL, "no animation");
    refuse(&glb, MESH NODE CHANNEL("translation", "LINEAR"), "run", "no animation 'run'; the first of its 1 is 'idle'");
    refuse(&glb, MESH NODE CHANNEL("translation", "BOUNCE"), NULL, "interpolation is 'BOUNCE'");
    refuse(&glb, MESH NODE CHANNEL("translation", "CUBICSPLINE"), NULL, "has 3 values of keys, must have 9");
    refuse(&glb, MESH NODE CHANNEL("rotation", "LINEAR"), NULL, "must be VEC4");
    refuse(&glb, MESH NODE CHANNEL("pointer", "LINEAR"), NULL, "moves nothing");
    refuse(&glb,
           MESH
           "\"nodes\":[{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]," CHANNEL("translation", "LINEAR"),
           NULL, "node 0 has a matrix");
    Glb wrong[3] = { { .size = 0 } };
    for (int k = 0; k < 3; ++k)
    {
        static const char *const words[] = { "key 2 is at 1 s", "1.73205e+30 m far, must stay", "not finite" };
        glbPut(&wrong[k], triangle, 3, 3, 4);
        glbPut(&wrong[k], k == 0 ? backwards : times, 3, 1, 4);
        glbPut(&wrong[k], k == 1 ? far : nan, 3, 3, 4);
        refuse(&wrong[k], MESH NODE CHANNEL("translation", "LINEAR"), NULL, words[k]);
    }
    Glb morph = { .size = 0 };
    makeMorph(&morph, 1);
    refuse(&morph, MORPH CHANNEL("weights", "LINEAR"), NULL, "points 1 and 4 are at one place at rest");
}

// one thing of a good text replaced by another
static void refuseStrip(const char *good, const char *bad, const char *word)
{
    Glb glb = { .size = 0 };
    double rest[6 * (CELLS + 1)], share[2 * (CELLS + 1)];
    char text[2000];
    makeStrip(&glb, rest, share, 1);
    const char *found = strstr(STRIP, good);
    assert_non_null(found);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(found - STRIP), STRIP, bad, found + strlen(good));
    refuse(&glb, text, NULL, word);
}

static void skinsAreChecked(void **state)
{
    (void)state;
    refuseStrip("\"joints\":[1,2]", "\"joints\":[1]", "names joint 1, its skin has 1");
    refuseStrip("\"joints\":[1,2]", "\"joints\":[1,2,2]", "2 matrices for 3 joints");
    refuseStrip("\"joints\":[1,2]", "\"joints\":[]", "no joints");
    refuseStrip("\"joints\":[1,2]", "\"joints\":[1,4]", "joint 1 of skin 0 is no node");
    refuseStrip("\"nodes\":[3,0]", "\"nodes\":[3]", "joint 0 of skin 0 is no node");
    refuseStrip("\"WEIGHTS_0\":4", "\"WEIGHTS_0\":2", "WEIGHTS_0 3, must have the 18");
    refuseStrip("\"WEIGHTS_0\":4", "\"WEIGHTS_1\":4", "WEIGHTS_0 is not there");
    refuseStrip("\"skin\":0", "\"skin\":1", "skin is something else");
    refuseStrip("\"inverseBindMatrices\":6", "\"inverseBindMatrices\":2", "must be MAT4");
}

// cut or changed anywhere: refused with a reason, or points that are finite
static void brokenFilesAreSafe(void **state)
{
    (void)state;
    static unsigned char bytes[32768], copy[32768];
    Glb glb = { .size = 0 };
    double rest[6 * (CELLS + 1)], share[2 * (CELLS + 1)], point[6 * (CELLS + 1)];
    makeStrip(&glb, rest, share, 1);
    size_t size = glbBytes(&glb, STRIP, bytes);
    for (size_t at = 0; at < size; at += 17)
    {
        for (int k = 0; k < 2; ++k)
        {
            Memory memory = memoryMake(NULL);
            vvResult result = { 0 };
            memcpy(copy, bytes, size);
            copy[at] = (unsigned char)(copy[at] ^ (k == 1 ? 0x11 : 0));
            FILE *file = fopen(FILE_NAME, "wb");
            assert_non_null(file);
            fwrite(copy, 1, k == 0 ? at : size, file);
            fclose(file);
            MeshMotion *motion = meshMotionOpen(&memory, FILE_NAME, NULL, &result);
            assert_true(motion == NULL || k == 1);
            assert_true(motion != NULL || (result.message[0] != 0 && result.remedy[0] != 0));
            for (double t = 0; motion != NULL && t < 3 && meshMotionPoints(motion) <= 2 * (CELLS + 1); t += 0.4)
            {
                meshMotionAt(motion, t, point);
                for (int i = 0; i < 3 * meshMotionPoints(motion); ++i)
                    assert_true(isfinite(point[i]));
            }
            meshMotionClose(motion);
            assert_int_equal(memory.blocks, 0);
        }
    }
    remove(FILE_NAME);
}

// one request is refused when it has come down to 0; those before and after are granted
static void *refuseOnce(size_t size, size_t alignment, void *userData)
{
    int *left = userData, all = 1;
    *left -= 1;
    return *left == -1 ? NULL : refuseAfter(size, alignment, &all);
}

// every allocation fails once: the reason is memory, and nothing is left
static void memoryMayEnd(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        Glb glb = { .size = 0 };
        double rest[6 * (CELLS + 1)], share[2 * (CELLS + 1)];
        if (k == 0)
            makeStrip(&glb, rest, share, 1);
        else
            makeMorph(&glb, 0);
        glbWrite(&glb, k == 0 ? STRIP : MORPH CHANNEL("weights", "LINEAR"), FILE_NAME);
        int left, refusals = 0;
        vvAllocator hook = { refuseOnce, giveBack, &left };
        MeshMotion *motion = NULL;
        Memory memory;
        for (int count = 0; motion == NULL; ++count)
        {
            vvResult result;
            left = count;
            memory = memoryMake(&hook);
            motion = meshMotionOpen(&memory, FILE_NAME, NULL, &result);
            assert_int_equal(result.code, left < 0 ? VV_OUT_OF_MEMORY : VV_OK);
            assert_true((motion == NULL) == (left < 0));
            assert_true(motion != NULL || memory.blocks == 0);
            refusals += motion == NULL;
            assert_true(count < 200);
        }
        assert_true(refusals > 20);
        closeMotion(&memory, motion);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodesTurn),          cmocka_unit_test(keysInterpolate),    cmocka_unit_test(stripsBend),
        cmocka_unit_test(targetsMorph),       cmocka_unit_test(mistakesAreNamed),   cmocka_unit_test(skinsAreChecked),
        cmocka_unit_test(brokenFilesAreSafe), cmocka_unit_test(sparseTargetsMorph), cmocka_unit_test(memoryMayEnd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
