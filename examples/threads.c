// Your own threads instead of the library's: two hooks. The bits of a run do not depend on who runs the tasks.
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <verve/verve.h>

#define THREADS 3

// One batch of tasks: run(context, i) for every i below count. An engine would hand it to its job system; here every
// batch starts threads of its own, which is simple and slow.
typedef struct Batch
{
    void (*run)(void *context, int index);
    void *context;
    int count;
    atomic_int next;
    pthread_t threads[THREADS];
    int threadCount;
} Batch;

static void *work(void *argument)
{
    Batch *batch = argument;
    for (int i = atomic_fetch_add(&batch->next, 1); i < batch->count; i = atomic_fetch_add(&batch->next, 1))
        batch->run(batch->context, i);
    return NULL;
}

static void *enqueue(void (*run)(void *context, int index), void *context, int count, void *userData)
{
    int *batches = userData;
    ++*batches;
    Batch *batch = malloc(sizeof *batch);
    if (batch == NULL)
        abort();
    batch->run = run;
    batch->context = context;
    batch->count = count;
    atomic_init(&batch->next, 0);
    batch->threadCount = 0;
    while (batch->threadCount < THREADS && pthread_create(&batch->threads[batch->threadCount], NULL, work, batch) == 0)
        ++batch->threadCount;
    return batch;
}

static void finish(void *handle, void *userData)
{
    (void)userData;
    Batch *batch = handle;
    work(batch); // the caller helps
    for (int t = 0; t < batch->threadCount; ++t)
        pthread_join(batch->threads[t], NULL);
    free(batch);
}

static uint64_t simulate(vvMesh *mesh, bool hooked, int *batches)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.solver = "local-global";
    worldDef.method = "backward-euler";
    if (hooked)
    {
        worldDef.threads = THREADS + 1; // how many may run at the same time
        worldDef.tasks = (vvTaskHooks){ enqueue, finish, batches };
    }
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.spin = (vvVec3){ 1, 2, 3 };
    vvCreateSoftBody(world, &def, NULL);
    for (int frame = 0; frame < 5; ++frame)
        vvWorld_Step(world, 1.0 / 60);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

int main(void)
{
    int batches = 0;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 12, 12, 12);
    uint64_t alone = simulate(mesh, false, &batches), hooked = simulate(mesh, true, &batches);
    printf("one thread %016" PRIx64 ", own threads %016" PRIx64 ", %d batches of tasks\n", alone, hooked, batches);
    vvDestroyMesh(mesh);
    return alone == hooked && batches > 0 ? 0 : 1;
}
