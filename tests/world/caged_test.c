// A closed surface of somebody else's, as a jelly in a coarse cage: it falls, bounces and comes to rest, and the
// surface with it.
#include "check.h"
#include "mesh/surfaces.h"
#include "undamped.h"

#include <verve/verve.h>

#define RADIUS 0.1 // m

typedef struct Jelly
{
    vvWorldId world;
    vvSoftBodyId body;
    vvMesh *mesh;
    float *points; // of the surface
    int count;
} Jelly;

static Jelly makeJelly(void)
{
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), RADIUS, 10);
    soupTurn(&soup, 0, soup.triangleCount, 4);
    soupTear(&soup);
    vvMeshDef surface = soupDef(&soup);
    vvSolidDef solid = vvDefaultSolidDef();
    solid.kind = VV_SOLID_CAGE;
    solid.cells = 4;
    Jelly jelly = { .mesh = vvCreateSolidMesh(&surface, &solid, NULL, NULL), .count = soup.pointCount };
    jelly.points = malloc(3 * (size_t)jelly.count * sizeof(float));
    soupFree(&soup);
    vvWorldDef worldDef = vvDefaultWorldDef();
    jelly.world = vvCreateWorld(&worldDef, NULL);
    vvShapeDef floorDef = vvDefaultShapeDef();
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = vvCreateShape(&floorDef, NULL);
    vvCreateCollider(jelly.world, &colliderDef, NULL);
    vvDestroyShape(colliderDef.shape);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = jelly.mesh;
    bodyDef.material = vvMaterial_Jelly();
    bodyDef.material.loss = 0;
    bodyDef.position = (vvVec3){ 0, 3 * RADIUS, 0 };
    bodyDef.damping.rigidPreserving = 5;
    jelly.body = vvCreateSoftBody(jelly.world, &bodyDef, NULL);
    return jelly;
}

static void lowestAndHighest(const Jelly *jelly, double *low, double *high)
{
    vvRenderTarget target = { .positions = jelly->points, .positionStride = 12 };
    assert_int_equal(vvSoftBody_WriteEmbedding(jelly->body, vvMesh_GetEmbedding(jelly->mesh), 1, &target).code, VV_OK);
    *low = *high = (double)jelly->points[1];
    for (int i = 0; i < jelly->count; ++i)
    {
        *low = minReal(*low, (double)jelly->points[3 * i + 1]);
        *high = maxReal(*high, (double)jelly->points[3 * i + 1]);
    }
}

static void aJellyFallsBouncesAndRests(void **state)
{
    (void)state;
    Jelly jelly = makeJelly();
    double low, high, deepest = 0, leapt = 0, last = 0;
    double start = vvWorld_GetLedger(jelly.world).gravity;
    bool hit = false;
    for (int frame = 0; frame < 300; ++frame)
    {
        vvWorld_Step(jelly.world, 1.0 / 60);
        lowestAndHighest(&jelly, &low, &high);
        hit = hit || low < 0.02 * RADIUS;
        leapt = hit ? maxReal(leapt, high - last) : 0;
        last = high;
        deepest = minReal(deepest, low);
    }
    vvLedger ledger = vvWorld_GetLedger(jelly.world);
    assert_true(hit);
    assert_true(leapt > 0.01 * RADIUS); // it came up again
    if (!(deepest > -0.15 * RADIUS && low > -0.15 * RADIUS && high > 1.2 * RADIUS && high < 2.1 * RADIUS))
        fail_msg("the surface is between %g and %g m, and was at %g m", low, high, deepest);
    if (!(ledger.kinetic < 2e-3 * start))
        fail_msg("kinetic energy %g J at rest, of %g J", ledger.kinetic, start);
    vvDestroyWorld(jelly.world);
    vvDestroyMesh(jelly.mesh);
    free(jelly.points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aJellyFallsBouncesAndRests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
