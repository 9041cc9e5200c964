// Several threads, each with its own worlds, on one mesh and one shape; ids of worlds that are gone are asked about all
// the while. Under ThreadSanitizer by tests/threads/run.sh.
#include "base/system.h"
#include "world/scenes.h"
#include "undamped.h"

#define THREADS 3
#define ROUNDS 66

static vvMesh *mesh;
static vvShape *plane;
static vvWorldId staleWorld;
static vvSoftBodyId staleBody;
static vvAttachmentId staleAttachment;
static vvColliderId staleCollider;
static vvHandleId staleHandle;

// what stands in every world: bodies on a floor, one of them held
static vvSoftBodyId furnish(vvWorldId world, vvAttachmentId *attachment, vvColliderId *collider)
{
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = plane;
    floor.position.y = -0.5;
    *collider = vvCreateCollider(world, &floor, NULL);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    vvSoftBodyId body = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        def.position.x = 2 * k;
        body = vvCreateSoftBody(world, &def, NULL);
    }
    *attachment = attachToPoint(world, body, 0, 10);
    return body;
}

static uint64_t askAboutTheGone(void)
{
    vvResult result = vvSoftBody_SetForce(staleBody, 0, (vvVec3){ 0, 0, 0 });
    return (uint64_t)(vvWorld_IsValid(staleWorld) + vvSoftBody_IsValid(staleBody) +
                      vvAttachment_IsValid(staleAttachment) + vvCollider_IsValid(staleCollider) +
                      vvHandle_IsValid(staleHandle) + (result.code != VV_BAD_ID));
}

static uint64_t liveOnce(int round)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = vvGetMethodName(round % 33);
    def.solver = vvGetSolverName(round % 4);
    def.threads = 1 + round % 2;
    def.softContact = round % 3 == 0;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvAttachmentId attachment;
    vvColliderId collider;
    furnish(world, &attachment, &collider);
    for (int k = 0; k < 3; ++k)
        vvWorld_Step(world, 1e-3);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void live(void *userData)
{
    uint64_t *hash = userData;
    for (int round = 0; round < ROUNDS; ++round)
    {
        *hash = *hash * 31 + liveOnce(round);
        for (int k = 0; k < 200; ++k)
            *hash += askAboutTheGone();
    }
}

static void threadsDoNotMeet(void **state)
{
    (void)state;
    uint64_t hashes[THREADS] = { 0 };
    vvShapeDef shape = vvDefaultShapeDef();
    plane = vvCreateShape(&shape, NULL);
    mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3);
    staleWorld = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    staleBody = furnish(staleWorld, &staleAttachment, &staleCollider);
    vvHandleDef handle = vvDefaultHandleDef();
    handle.body = staleBody;
    handle.vertices[0] = 0;
    staleHandle = vvCreateHandle(staleWorld, &handle, NULL);
    assert_true(vvHandle_IsValid(staleHandle));
    vvDestroyWorld(staleWorld);
    Thread thread[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_true(threadStart(&thread[i], live, &hashes[i]));
    for (int i = 0; i < THREADS; ++i)
        threadJoin(&thread[i]);
    for (int i = 1; i < THREADS; ++i)
        assert_true(hashes[i] == hashes[0]);
    assert_true(askAboutTheGone() == 0);
    vvDestroyMesh(mesh);
    vvDestroyShape(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threadsDoNotMeet) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
