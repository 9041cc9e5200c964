// How a scene's body starts (deform): where the vertices are, with the energy of that shape as the opening of the
// ledger.
#include "scene/scene.h"
#include "world/scenes.h"

#include <stdio.h>
#include <stdlib.h>

#define BOX "\"mesh\": { \"shape\": \"box\", \"size\": [1, 0.5, 0.25], \"cells\": [4, 2, 2] }"

static SceneWorld *build(const char *body, Scene **scene)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { %s, "
             "\"material\": { \"model\": \"corotated\", \"density\": 1000, \"young\": 1e5, \"poisson\": 0 } } ] }",
             body);
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

// Poisson's ratio 0: young/2 (s - 1)^2 per volume and direction. Nothing is added: it is the opening of the ledger.
static void stretchHasItsEnergy(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    for (int k = 0; k < 20; ++k)
    {
        double s[3], energy = 0;
        char body[512];
        for (int i = 0; i < 3; ++i)
        {
            s[i] = randomBetween(&random, 0.5, 2);
            energy += 0.5 * 1e5 * 0.125 * (s[i] - 1) * (s[i] - 1);
        }
        snprintf(body, sizeof body,
                 BOX ", \"position\": [0, 3, 0], \"deform\": [ { \"stretch\": [%.17g, %.17g, %.17g] } ]", s[0], s[1],
                 s[2]);
        Scene *scene;
        SceneWorld *built = build(body, &scene);
        vvLedger ledger = vvWorld_GetLedger(sceneWorldId(built));
        CHECK_CLOSE(ledger.elastic, energy, 1e-10);
        CHECK_CLOSE(ledger.target, energy, 1e-10);
        assert_true(ledger.added == 0);
        vvBox box = vvSoftBody_GetBounds(sceneBody(built, 0));
        CHECK_CLOSE(box.upper.y, 3 + 0.25 * s[1], 1e-14);
        release(built, scene);
    }
}

// what `where` leaves out stays, bit for bit; what it chooses is stretched about the centre, then moved
static void someVerticesAreStretched(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = build(BOX ", \"deform\": [ { \"where\": { \"box\": [[0.1, -1, -1], [1, 1, 1]] }, "
                                  "\"centre\": [0, 0, 0], \"stretch\": [2, 1, 1], \"move\": [0, 0.5, 0] } ]",
                              &scene);
    vvSoftBodyId body = sceneBody(built, 0);
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(body)), *x = vvSoftBody_GetPositions(body);
    int moved = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        bool chosen = rest[3 * v] > 0.1;
        moved += chosen;
        for (int i = 0; i < 3; ++i)
        {
            double wanted = rest[3 * v + i] * (chosen && i == 0 ? 2 : 1) + (chosen && i == 1 ? 0.5 : 0);
            if (chosen)
                CHECK_CLOSE(x[3 * v + i] + 10, wanted + 10, 1e-15);
            else
                assert_true(x[3 * v + i] == wanted);
        }
    }
    assert_int_equal(moved, 2 * 9);
    release(built, scene);
}

// a draw is of its seed, within its bounds, and fills them; a vertex draws the same whatever `where` chooses
static void drawsAreOfTheirSeed(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        BOX ", \"deform\": [ { \"scatter\": [[-1, -2, -3], [1, 0, 3]], \"seed\": 5 } ]",
        BOX ", \"deform\": [ { \"scatter\": [[-1, -2, -3], [1, 0, 3]], \"seed\": 5 } ]",
        BOX ", \"deform\": [ { \"scatter\": [[-1, -2, -3], [1, 0, 3]], \"seed\": 6 } ]",
        BOX ", \"deform\": [ { \"scatter\": [[-1, -2, -3], [1, 0, 3]], \"seed\": 5, "
            "\"where\": { \"vertices\": [3, 17] } } ]",
    };
    double x[4][3 * 45];
    for (int k = 0; k < 4; ++k)
    {
        Scene *scene;
        SceneWorld *built = build(bodies[k], &scene);
        assert_int_equal(vvSoftBody_GetVertexCount(sceneBody(built, 0)), 45);
        memcpy(x[k], vvSoftBody_GetPositions(sceneBody(built, 0)), sizeof x[k]);
        release(built, scene);
    }
    double low = 0, high = 0;
    for (int i = 0; i < 3 * 45; ++i)
    {
        double least = (double[]){ -1, -2, -3 }[i % 3], most = (double[]){ 1, 0, 3 }[i % 3];
        assert_true(x[0][i] >= least && x[0][i] <= most);
        low = fmin(low, (x[0][i] - least) / (most - least) - 0.5);
        high = fmax(high, (x[0][i] - least) / (most - least) - 0.5);
        assert_true(x[1][i] == x[0][i]);
        assert_true(x[2][i] != x[0][i]);
        bool chosen = i / 3 == 3 || i / 3 == 17;
        assert_true((x[3][i] == x[0][i]) == chosen);
    }
    assert_true(low < -0.45 && high > 0.45); // 135 draws: the chance of less is below 1e-5
}

// jitter moves every coordinate, none by more than it says; deformations follow one another
static void jitterComesLast(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built =
        build(BOX ", \"deform\": [ { \"stretch\": [2, 2, 2] }, { \"move\": [1, 0, 0], \"jitter\": 0.01 } ]", &scene);
    vvSoftBodyId body = sceneBody(built, 0);
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(body)), *x = vvSoftBody_GetPositions(body);
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(body); ++i)
    {
        double away = x[i] - 2 * rest[i] - (i % 3 == 0 ? 1 : 0);
        assert_true(away != 0);
        CHECK_BELOW(fabs(away), 0.01 + 1e-15);
    }
    release(built, scene);
}

// a hard pin holds a vertex where the deformation put it
static void pinsHoldWhereItStarts(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = build(BOX ", \"deform\": [ { \"stretch\": [1.5, 1, 1] } ], "
                                  "\"pins\": [ { \"where\": { \"box\": [[-1, -1, -1], [-0.49, 1, 1]] } } ]",
                              &scene);
    for (int frame = 0; frame < 5; ++frame)
        assert_int_equal(sceneStep(built).code, VV_OK);
    vvSoftBodyId body = sceneBody(built, 0);
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(body)), *x = vvSoftBody_GetPositions(body);
    int held = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        if (rest[3 * v] > -0.49)
            continue;
        assert_true(x[3 * v] == -0.75 && x[3 * v + 1] == rest[3 * v + 1] && x[3 * v + 2] == rest[3 * v + 2]);
        held += 1;
    }
    assert_int_equal(held, 9);
    release(built, scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretchHasItsEnergy),   cmocka_unit_test(someVerticesAreStretched),
        cmocka_unit_test(drawsAreOfTheirSeed),   cmocka_unit_test(jitterComesLast),
        cmocka_unit_test(pinsHoldWhereItStarts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
