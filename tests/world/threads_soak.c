// Several threads, each with its own worlds, on one mesh; ids of worlds that are gone are asked about all the while. Run under
// a thread sanitizer by make soak.
#include "world/scenes.h"

#include <pthread.h>

#define THREADS 3
#define ROUNDS 40

static vvMesh *mesh;
static vvSoftBodyId staleBody;
static vvAttachmentId staleAttachment;
static uint64_t hashes[THREADS];

static uint64_t liveOnce(int round)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = vvGetMethodName(round % 33);
    def.solver = vvGetSolverName(round % 4);
    def.threads = 1 + round % 2;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.mesh = mesh;
    for (int k = 0; k < 3; ++k)
        vvCreateSoftBody(world, &body, NULL);
    for (int k = 0; k < 3; ++k)
        vvWorld_Step(world, 1e-3);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void *live(void *user)
{
    uint64_t *hash = user;
    for (int round = 0; round < ROUNDS; ++round)
    {
        *hash = *hash * 31 + liveOnce(round);
        for (int k = 0; k < 100; ++k)
            *hash += vvSoftBody_IsValid(staleBody) + vvAttachment_IsValid(staleAttachment);
    }
    return NULL;
}

static void threadsDoNotMeet(void **state)
{
    (void)state;
    mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 8, 8, 8);
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.mesh = mesh;
    staleBody = vvCreateSoftBody(world, &body, NULL);
    staleAttachment = attachToPoint(world, staleBody, 0, 1);
    vvDestroyWorld(world);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&thread[i], NULL, live, &hashes[i]), 0);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < THREADS; ++i)
        assert_true(hashes[i] == hashes[0]);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threadsDoNotMeet) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
