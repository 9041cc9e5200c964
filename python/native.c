// What the package adds to the libraries in C: memory that views can outlive, many worlds in one call, the log.
#include <verve/studio.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---- keepers: the allocator of a world whose arrays numpy sees ------------------------------------------------------

// A view pins the address that it begins at. A block that the library releases while something in it is pinned is kept
// until the last view is gone, so that no array ever points to freed memory, whatever was destroyed, cut or torn.

typedef struct Kept
{
    char *memory;
    size_t size;
} Kept;

typedef struct vvpyKeeper
{
    pthread_mutex_t lock;
    long long bytes, blocks; // in use, kept ones included
    const char **pin;        // pinRoom, pinCount of them in use
    int pinCount, pinRoom;
    Kept *kept; // keptRoom, keptCount of them in use
    int keptCount, keptRoom;
    int holders; // the object in Python, the world, and every view
} vvpyKeeper;

static atomic_llong allBytes, allBlocks;

static void count(vvpyKeeper *keeper, long long bytes, long long blocks)
{
    keeper->bytes += bytes;
    keeper->blocks += blocks;
    atomic_fetch_add(&allBytes, bytes);
    atomic_fetch_add(&allBlocks, blocks);
}

static void *allocate(size_t size, size_t alignment, void *userData)
{
    vvpyKeeper *keeper = userData;
    size_t unit = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *memory = size > SIZE_MAX - unit ? NULL : aligned_alloc(unit, (size + unit - 1) / unit * unit);
    if (memory == NULL)
        return NULL;
    pthread_mutex_lock(&keeper->lock);
    count(keeper, (long long)size, 1);
    pthread_mutex_unlock(&keeper->lock);
    return memory;
}

static bool isPinned(const vvpyKeeper *keeper, const char *memory, size_t size)
{
    for (int i = 0; i < keeper->pinCount; ++i)
    {
        if (keeper->pin[i] >= memory && keeper->pin[i] < memory + size)
            return true;
    }
    return false;
}

// without room to remember it the block is never freed: a leak is better than a dangling array
static void keep(vvpyKeeper *keeper, char *memory, size_t size)
{
    if (keeper->keptCount == keeper->keptRoom)
    {
        Kept *grown = realloc(keeper->kept, (size_t)(2 * keeper->keptRoom + 8) * sizeof *grown);
        if (grown == NULL)
            return;
        keeper->kept = grown;
        keeper->keptRoom = 2 * keeper->keptRoom + 8;
    }
    keeper->kept[keeper->keptCount++] = (Kept){ memory, size };
}

static void release(void *memory, size_t size, void *userData)
{
    vvpyKeeper *keeper = userData;
    pthread_mutex_lock(&keeper->lock);
    bool pinned = isPinned(keeper, memory, size);
    if (pinned)
        keep(keeper, memory, size);
    else
        count(keeper, -(long long)size, -1);
    pthread_mutex_unlock(&keeper->lock);
    if (!pinned)
        free(memory);
}

static vvpyKeeper *vvpyCreateKeeper(void)
{
    vvpyKeeper *keeper = calloc(1, sizeof *keeper);
    if (keeper == NULL || pthread_mutex_init(&keeper->lock, NULL) != 0)
    {
        free(keeper);
        return NULL;
    }
    keeper->holders = 1;
    return keeper;
}

static void vvpyRetainKeeper(vvpyKeeper *keeper)
{
    pthread_mutex_lock(&keeper->lock);
    keeper->holders += 1;
    pthread_mutex_unlock(&keeper->lock);
}

static void vvpyReleaseKeeper(vvpyKeeper *keeper)
{
    pthread_mutex_lock(&keeper->lock);
    int left = --keeper->holders;
    pthread_mutex_unlock(&keeper->lock);
    if (left > 0)
        return;
    pthread_mutex_destroy(&keeper->lock);
    free(keeper->pin);
    free(keeper->kept);
    free(keeper);
}

static vvAllocator vvpyKeeper_GetAllocator(vvpyKeeper *keeper)
{
    return (vvAllocator){ allocate, release, keeper };
}

static bool vvpyKeeper_Pin(vvpyKeeper *keeper, const void *address)
{
    pthread_mutex_lock(&keeper->lock);
    if (keeper->pinCount == keeper->pinRoom)
    {
        const char **grown = realloc(keeper->pin, (size_t)(2 * keeper->pinRoom + 8) * sizeof *grown);
        if (grown != NULL)
        {
            keeper->pin = grown;
            keeper->pinRoom = 2 * keeper->pinRoom + 8;
        }
    }
    bool room = keeper->pinCount < keeper->pinRoom;
    if (room)
    {
        keeper->pin[keeper->pinCount++] = address;
        keeper->holders += 1;
    }
    pthread_mutex_unlock(&keeper->lock);
    return room;
}

static void vvpyKeeper_Unpin(vvpyKeeper *keeper, const void *address)
{
    pthread_mutex_lock(&keeper->lock);
    for (int i = 0; i < keeper->pinCount; ++i)
    {
        if (keeper->pin[i] != address)
            continue;
        keeper->pin[i] = keeper->pin[--keeper->pinCount];
        break;
    }
    for (int i = keeper->keptCount - 1; i >= 0; --i)
    {
        Kept block = keeper->kept[i];
        if (isPinned(keeper, block.memory, block.size))
            continue;
        keeper->kept[i] = keeper->kept[--keeper->keptCount];
        count(keeper, -(long long)block.size, -1);
        free(block.memory);
    }
    pthread_mutex_unlock(&keeper->lock);
    vvpyReleaseKeeper(keeper);
}

static long long vvpyGetBytes(void)
{
    return atomic_load(&allBytes);
}

static long long vvpyGetBlocks(void)
{
    return atomic_load(&allBlocks);
}

// ---- many worlds ----------------------------------------------------------------------------------------------------

typedef struct Batch
{
    const vvWorldId *world;
    vvSceneWorld *const *scene; // of those that a scene drives; NULL: none
    int count, steps;
    double dt;
    vvResult *result;
    atomic_int next;
} Batch;

static void *work(void *context)
{
    Batch *batch = context;
    for (int i; (i = atomic_fetch_add(&batch->next, 1)) < batch->count;)
    {
        vvResult result = { .code = VV_OK };
        vvSceneWorld *scene = batch->scene ? batch->scene[i] : NULL;
        for (int k = 0; k < batch->steps && result.code == VV_OK; ++k)
            result = scene ? vvSceneWorld_Step(scene) : vvWorld_Step(batch->world[i], batch->dt);
        batch->result[i] = result;
    }
    return NULL;
}

#define MOST_THREADS 64

// Steps each world `steps` times on `threads` threads, the caller's included; worlds after a failed step stay there.
static void vvpyStepMany(const vvWorldId *worlds, vvSceneWorld *const *scenes, int count_, double dt, int steps,
                         int threads, vvResult *results)
{
    Batch batch = { .world = worlds, .scene = scenes, .count = count_, .steps = steps, .dt = dt, .result = results };
    pthread_t thread[MOST_THREADS];
    int started = 0;
    threads = threads < count_ ? threads : count_;
    while (started < threads - 1 && started < MOST_THREADS && pthread_create(&thread[started], NULL, work, &batch) == 0)
        started += 1;
    work(&batch);
    for (int i = 0; i < started; ++i)
        pthread_join(thread[i], NULL);
}

// Positions (0) or velocities (1) of a body of every world, one behind the other; false: one has another size.
static bool vvpyGather(const vvSoftBodyId *bodies, int count_, int what, double *target, int vertexCount)
{
    for (int i = 0; i < count_; ++i)
    {
        const double *from = what == 0 ? vvSoftBody_GetPositions(bodies[i]) : vvSoftBody_GetVelocities(bodies[i]);
        if (from == NULL || vvSoftBody_GetVertexCount(bodies[i]) != vertexCount)
            return false;
        memcpy(target + 3 * (size_t)vertexCount * (size_t)i, from, 3 * (size_t)vertexCount * sizeof(double));
    }
    return true;
}

// One constant force for every vertex, count x 3; those before an error stay set.
static vvResult vvpySetForces(vvSoftBodyId body, const double *forces, int count_)
{
    vvResult result = { .code = VV_OK };
    for (int i = 0; i < count_ && result.code == VV_OK; ++i)
        result = vvSoftBody_SetForce(body, i, (vvVec3){ forces[3 * i], forces[3 * i + 1], forces[3 * i + 2] });
    return result;
}

// The same for a body of every world: forces of count x vertexCount x 3.
static vvResult vvpyScatter(const vvSoftBodyId *bodies, int count_, const double *forces, int vertexCount)
{
    vvResult result = { .code = VV_OK };
    for (int i = 0; i < count_ && result.code == VV_OK; ++i)
        result = vvpySetForces(bodies[i], forces + 3 * (size_t)vertexCount * (size_t)i, vertexCount);
    return result;
}

static void vvpyLedgers(const vvWorldId *worlds, int count_, vvLedger *target)
{
    for (int i = 0; i < count_; ++i)
        target[i] = vvWorld_GetLedger(worlds[i]);
}
