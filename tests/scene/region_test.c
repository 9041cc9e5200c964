// Regions of a scene's body: they are what the arrays of the C definition say, of the elements that lie in them whole.
#include "scene/scene.h"
#include "world/scenes.h"

#include <stdio.h>
#include <stdlib.h>

static SceneWorld *build(const char *text, Scene **scene)
{
    vvResult result;
    *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    if (*scene == NULL)
        fail_msg("%s", result.message);
    SceneWorld *built = sceneBuild(*scene, NULL, &result);
    if (built == NULL)
        fail_msg("%s", result.message);
    return built;
}

static void release(SceneWorld *built, Scene *scene)
{
    sceneRelease(built);
    sceneDestroy(scene);
}

// ---- as in C --------------------------------------------------------------------------------------------------------

typedef struct Case
{
    const char *mesh, *model;
    int corners, matter; // of what has a stiffness, of what has a mass
} Case;

static const Case cases[] = {
    { "\"shape\": \"box\", \"size\": [1, 0.5, 0.5], \"cells\": [4, 2, 2]", "corotated", 4, 4 },
    { "\"shape\": \"box\", \"size\": [1, 0.5, 0.5], \"cells\": [4, 2, 2]", "stable-neo-hookean", 4, 4 },
    { "\"shape\": \"box\", \"size\": [1, 0.5, 0.5], \"cells\": [4, 2, 2]", "smoothed", 4, 4 },
    { "\"shape\": \"box\", \"size\": [1, 0.5, 0.5], \"cells\": [4, 2, 2]", "spring", 2, 4 },
    { "\"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [4, 4]", "triangle", 3, 3 },
    { "\"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [4, 4]", "squared-spring", 2, 3 },
    { "\"shape\": \"rope\", \"size\": 1, \"cells\": 8", "spring", 2, 2 },
};

static const int *elements(const vvMesh *mesh, int corners, int *count)
{
    *count = corners == 4   ? vvMesh_GetTetCount(mesh)
             : corners == 3 ? vvMesh_GetSurfaceCount(mesh)
                            : vvMesh_GetEdgeCount(mesh);
    return corners == 4 ? vvMesh_GetTets(mesh) : corners == 3 ? vvMesh_GetSurface(mesh) : vvMesh_GetEdges(mesh);
}

// elements on the left, and among them those at the end: stiffness 10 and 0.5, density 500 and 2000
static bool liesLeft(const vvMesh *mesh, const int *corner, int corners, double limit)
{
    bool left = true;
    for (int c = 0; c < corners; ++c)
        left = left && vvMesh_GetPoints(mesh)[3 * corner[c]] <= limit;
    return left;
}

static double measure(const vvMesh *mesh, const int *corner, int corners)
{
    double e[3][3] = { { 0 } };
    for (int i = 0; i < 3 * (corners - 1); ++i)
        e[i / 3][i % 3] =
            vvMesh_GetPoints(mesh)[3 * corner[i / 3 + 1] + i % 3] - vvMesh_GetPoints(mesh)[3 * corner[0] + i % 3];
    if (corners == 2)
        return sqrt(e[0][0] * e[0][0] + e[0][1] * e[0][1] + e[0][2] * e[0][2]);
    double n[3] = { e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                    e[0][0] * e[1][1] - e[0][1] * e[1][0] };
    if (corners == 3)
        return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    return fabs(n[0] * e[2][0] + n[1] * e[2][1] + n[2] * e[2][2]) / 6;
}

static double *stiffnesses(const vvMesh *mesh, const Case *c)
{
    int count;
    const int *corner = elements(mesh, c->corners, &count);
    double *factor = malloc((size_t)count * sizeof(double));
    for (int e = 0; e < count; ++e)
        factor[e] = liesLeft(mesh, corner + c->corners * e, c->corners, -0.2)  ? 0.5
                    : liesLeft(mesh, corner + c->corners * e, c->corners, 0.1) ? 10
                                                                               : 1;
    return factor;
}

static double *masses(const vvMesh *mesh, const Case *c, double thickness)
{
    int count;
    const int *corner = elements(mesh, c->matter, &count);
    double *mass = calloc((size_t)vvMesh_GetVertexCount(mesh), sizeof(double));
    double section = c->matter == 4 ? 1 : c->matter == 3 ? thickness : acos(-1) / 4 * thickness * thickness;
    for (int e = 0; e < count; ++e, corner += c->matter)
    {
        double density = liesLeft(mesh, corner, c->matter, -0.2)  ? 2000
                         : liesLeft(mesh, corner, c->matter, 0.1) ? 500
                                                                  : 1000;
        for (int k = 0; k < c->matter; ++k)
            mass[corner[k]] += density * section * measure(mesh, corner, c->matter) / c->matter;
    }
    return mass;
}

static void compare(const Case *c)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{ \"verve\": 1, \"integrator\": { \"method\": \"backward-euler\" }, \"bodies\": [ { \"mesh\": { %s }, "
             "\"material\": "
             "{ \"preset\": \"jelly\", \"model\": \"%s\", \"density\": 1000, \"thickness\": 0.02 }, \"regions\": [ { "
             "\"where\": "
             "{ \"box\": [[-9, -9, -9], [0.1, 9, 9]] }, \"stiffness\": 10, \"density\": 500 }, { \"where\": { \"box\": "
             "[[-9, -9, -9], [-0.2, 9, 9]] }, \"stiffness\": 0.5, \"density\": 2000 } ], \"pins\": [ { \"where\": { "
             "\"vertices\": "
             "[0] } } ] } ] }",
             c->mesh, c->model);
    Scene *scene;
    SceneWorld *built = build(text, &scene);
    vvSoftBodyId body = sceneBody(built, 0);
    vvMesh *mesh = (vvMesh *)(uintptr_t)vvSoftBody_GetMesh(body); // only read
    double *factor = stiffnesses(mesh, c), *mass = masses(mesh, c, 0.02);
    vvWorldDef worldDef;
    vvTableau tableau;
    vvResult result = sceneWorldDef(scene, &worldDef, &tableau);
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    vvSoftBodyDef def = sceneBodyDef(scene, 0, mesh);
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        CHECK_CLOSE(vvSoftBody_GetMasses(body)[v], mass[v], 1e-12);
    memcpy(mass, vvSoftBody_GetMasses(body),
           (size_t)vvSoftBody_GetVertexCount(body) * sizeof(double)); // to the last bit
    def.elementStiffness = factor;
    def.vertexMass = mass;
    vvSoftBodyId other = vvCreateSoftBody(world, &def, &result);
    assert_string_equal(result.message, "");
    int pinned = 0;
    CHECK_OK(vvSoftBody_Pin(other, &pinned, 1));
    for (int step = 0; step < 5; ++step)
    {
        CHECK_OK(sceneStep(built));
        CHECK_OK(vvWorld_Step(world, sceneTimestep(scene)));
    }
    assert_true(vvWorld_GetHash(sceneWorldId(built)) == vvWorld_GetHash(world));
    vvDestroyWorld(world);
    free(factor);
    free(mass);
    release(built, scene);
}

static void regionsAreArraysOfElements(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        compare(&cases[k]);
}

// ---- one key alone --------------------------------------------------------------------------------------------------

// a region that is the whole body says what the material says
static void wholeBodiesAreTheMaterial(void **state)
{
    (void)state;
    static const char plain[] =
        "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 2 }, \"material\": "
        "{ \"young\": 4e5, \"density\": 500 } } ] }";
    static const char region[] =
        "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 2 }, \"material\": "
        "{ \"young\": 1e5, \"density\": 1000 }, \"regions\": [ { \"where\": { \"all\": true }, "
        "\"stiffness\": 4 }, { \"where\": { \"all\": true }, \"density\": 500 } ] } ] }";
    vvExamination examination[2];
    double mass[2];
    for (int k = 0; k < 2; ++k)
    {
        Scene *scene;
        SceneWorld *built = build(k ? region : plain, &scene);
        CHECK_OK(vvSoftBody_Examine(sceneBody(built, 0), &examination[k]));
        mass[k] = vvSoftBody_GetMass(sceneBody(built, 0));
        release(built, scene);
    }
    CHECK_CLOSE(mass[0], mass[1], 1e-12);
    CHECK_CLOSE(examination[0].lowestFrequency, examination[1].lowestFrequency, 1e-6);
    CHECK_CLOSE(examination[0].highestFrequency, examination[1].highestFrequency, 1e-6);
}

// the later region counts; cloth all of whose regions have a warp is cloth with that warp, other models have none
static void regionsTurnTheWarp(void **state)
{
    (void)state;
    static const char turned[] =
        "\"model\": \"woven\", \"law\": { \"weft\": 1e5 } }, \"regions\": [ { \"where\": { \"box\": [[-9, -9, -9], [0, "
        "9, 9]] }, \"warp\": [0, 0, 1] }, { \"where\": { \"all\": true }, \"warp\": [1, 0, 2] } ]";
    static const char *const cloth[] = {
        "\"model\": \"woven\", \"law\": { \"weft\": 1e5, \"warp\": [1, 0, 2] } }",
        turned,
        "\"model\": \"triangle\" }, \"regions\": [ { \"where\": { \"all\": true }, \"warp\": [1, 0, 2] } ]",
    };
    uint64_t hash[2];
    for (int k = 0; k < 3; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text,
                 "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"sheet\", \"cells\": 3 }, \"pins\": [ { "
                 "\"where\": { \"vertices\": [0, 3] } } ], \"material\": { \"young\": 1e6, %s } ] }",
                 cloth[k]);
        vvResult result;
        Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
        SceneWorld *built = sceneBuild(scene, NULL, &result);
        if (k == 2)
            assert_non_null(strstr(result.message, "bodies[0].regions[0].warp is given and model 'triangle'"));
        for (int step = 0; step < 5 && k < 2; ++step)
            CHECK_OK(sceneStep(built));
        if (k < 2)
            hash[k] = vvWorld_GetHash(sceneWorldId(built));
        release(built, scene);
    }
    assert_true(hash[0] == hash[1]);
}

// the elements of a membrane are not cells of the mesh
static void membranesAreRefused(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"sheet\" }, \"material\": { \"model\": "
        "\"membrane\" }, \"regions\": [ { \"where\": { \"all\": true }, \"stiffness\": 2 } ] } ] }";
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    assert_null(sceneBuild(scene, NULL, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "bodies[0].regions[0].stiffness is 2 and the elements of model 'membrane'"));
    sceneDestroy(scene);
}

// a blade cuts in the step of its time, one that takes its time in every step of it, and pieces come apart
static void bladesCut(void **unused)
{
    (void)unused;
    Scene *scene;
    SceneWorld *built = build(
        "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.1, \"frames\": 10, \"bodies\": [ { \"name\": \"bar\","
        "\"mesh\": { \"shape\": \"box\", \"size\": [1, 0.2, 0.2], \"cells\": [5, 1, 1] },"
        "\"material\": { \"loss\": 0 }, \"blades\": ["
        "{ \"time\": 0.2, \"from\": [[0.1, 1, -1], [0.1, 1, 1]], \"to\": [[0.1, -1, -1], [0.1, -1, 1]] },"
        "{ \"time\": 0.4, \"duration\": 0.2, \"from\": [[-0.3, 0.2, -1], [-0.3, 0.2, 1]],"
        "\"to\": [[-0.3, -0.2, -1], [-0.3, -0.2, 1]] } ] } ] }",
        &scene);
    vvSoftBodyId body = sceneBody(built, 0);
    static const int changes[10] = { 0, 0, 1, 1, 2, 3, 3, 3, 3, 3 };
    for (int frame = 0; frame < 10; ++frame)
    {
        CHECK_OK(sceneStep(built));
        assert_int_equal(vvSoftBody_GetChangeCount(body), changes[frame]);
    }
    release(built, scene);
}

// steps whose sum misses the end of a blade's way by rounding do not end the run
static void bladesEndWithTheirTime(void **unused)
{
    (void)unused;
    Scene *scene;
    SceneWorld *built = build(
        "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"frames\": 40, \"bodies\": [ { \"mesh\": { \"shape\": \"box\","
        "\"size\": [1, 0.2, 0.2], \"cells\": [5, 1, 1] }, \"blades\": [ { \"time\": 0.4, \"duration\": 0.2,"
        "\"from\": [[-0.3, 0.2, -1], [-0.3, 0.2, 1]], \"to\": [[-0.3, -0.2, -1], [-0.3, -0.2, 1]] } ] } ] }",
        &scene);
    for (int frame = 0; frame < 40; ++frame)
        CHECK_OK(sceneStep(built));
    release(built, scene);
}

// ---- saved states ---------------------------------------------------------------------------------------------------

// Saved while regions stiffen and after they have come back to what they were, a scene goes on with the same bits in
// another world; so does the world itself that goes back. Where regions overlap, the later one counts all the time.
static void stiffeningGoesOnFromStates(void **unused)
{
    (void)unused;
    static const char *const meshes[] = { "\"shape\": \"bar\", \"size\": [1, 0.2, 0.2], \"cells\": [5, 1, 1]",
                                          "\"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [4, 4]" };
    for (int k = 0; k < 4; ++k)
    {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{ \"verve\": 1, \"timestep\": 0.02, \"integrator\": { \"method\": \"%s\" }, \"bodies\": [ { \"mesh\": "
            "{ %s }, \"pins\": [ { \"where\": { \"box\": [[-1, -1, -1], [-0.45, 1, 1]] } } ], \"regions\": [ { "
            "\"where\": { \"box\": [[-1, -1, -1], [0.1, 1, 1]] }, \"stiffening\": [[0.04, 1], [0.2, 9], [0.3, 1]] }, "
            "{ \"where\": { \"box\": [[-0.3, -1, -1], [1, 1, 1]] }, \"stiffness\": 3 } ] } ] }",
            k < 2 ? "small-midpoint" : "stabilized", meshes[k % 2]);
        Scene *scene, *second;
        SceneWorld *built = build(text, &scene), *other = build(text, &second);
        size_t size = vvWorld_GetStateSize(sceneWorldId(built));
        void *state[2] = { malloc(size), malloc(size) };
        uint64_t hash = 0, after[2] = { 0, 0 };
        for (int frame = 0; frame < 24; ++frame)
        {
            if (frame == 6 || frame == 20)
                CHECK_OK(vvWorld_SaveState(sceneWorldId(built), state[frame == 20], size));
            CHECK_OK(sceneStep(built));
            if (frame == 9)
                after[0] = vvWorld_GetHash(sceneWorldId(built));
        }
        after[1] = vvWorld_GetHash(sceneWorldId(built));
        for (int again = 0; again < 4; ++again) // into the other world forth and back, then into the first
        {
            SceneWorld *into = again < 3 ? other : built;
            int which = again % 2 == 1;
            if (vvWorld_GetTime(sceneWorldId(into)) < 0.1)
                assert_int_equal(vvWorld_RestoreState(sceneWorldId(into), state[0], size).code, VV_BAD_INPUT);
            CHECK_OK(sceneRestore(into, state[which], size));
            for (int frame = 0; frame < 4; ++frame)
                CHECK_OK(sceneStep(into));
            hash = vvWorld_GetHash(sceneWorldId(into));
            if (hash != after[which])
                fail_msg("case %d, state %d, world %d: the bits differ", k, which, again);
        }
        free(state[0]);
        free(state[1]);
        release(built, scene);
        release(other, second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regionsAreArraysOfElements), cmocka_unit_test(wholeBodiesAreTheMaterial),
        cmocka_unit_test(regionsTurnTheWarp),         cmocka_unit_test(membranesAreRefused),
        cmocka_unit_test(stiffeningGoesOnFromStates), cmocka_unit_test(bladesCut),
        cmocka_unit_test(bladesEndWithTheirTime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
