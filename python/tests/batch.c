// The counterpart in C of Worlds.step: as many worlds of 125 vertices, stepped by as many threads, measured alike.
//   batch <worlds> <steps> <threads>
// prints the seconds of CPU that the steps took, and a sum of the state hashes.
#include <verve/verve.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_WORLDS 1000
#define WARM_UP 3

static vvWorldId world[MOST_WORLDS];
static int worldCount;
static atomic_int next;

static void *work(void *context)
{
    (void)context;
    for (int i; (i = atomic_fetch_add(&next, 1)) < worldCount;)
        vvWorld_Step(world[i], 1.0 / 60);
    return NULL;
}

static void stepAll(int threads)
{
    pthread_t thread[64];
    int started = 0;
    atomic_store(&next, 0);
    while (started < threads - 1 && pthread_create(&thread[started], NULL, work, NULL) == 0)
        started += 1;
    work(NULL);
    for (int i = 0; i < started; ++i)
        pthread_join(thread[i], NULL);
}

static double cpuSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words)
{
    worldCount = count > 1 ? atoi(words[1]) : 256;
    int steps = count > 2 ? atoi(words[2]) : 20, threads = count > 3 ? atoi(words[3]) : 2;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.4, 0.1, 0.1 }, 4, 4, 4);
    int held[125], heldCount = 0;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        if (vvMesh_GetPoints(mesh)[3 * v] < -0.199)
            held[heldCount++] = v;
    }
    for (int i = 0; i < worldCount; ++i)
    {
        vvWorldDef def = vvDefaultWorldDef();
        world[i] = vvCreateWorld(&def, NULL);
        vvSoftBodyDef body = vvDefaultSoftBodyDef();
        body.material.loss = 0;
        body.mesh = mesh;
        body.material.density = 1000;
        body.material.young = 2e4 * (1 + i);
        body.material.poisson = 0.3;
        vvSoftBody_Pin(vvCreateSoftBody(world[i], &body, NULL), held, heldCount);
    }
    for (int k = 0; k < WARM_UP; ++k)
        stepAll(threads);
    double start = cpuSeconds();
    for (int k = 0; k < steps; ++k)
        stepAll(threads);
    double seconds = cpuSeconds() - start;
    uint64_t sum = 0;
    for (int i = 0; i < worldCount; ++i)
    {
        sum += vvWorld_GetHash(world[i]);
        vvDestroyWorld(world[i]);
    }
    vvDestroyMesh(mesh);
    printf("%.6f %016" PRIx64 "\n", seconds, sum);
    return 0;
}
