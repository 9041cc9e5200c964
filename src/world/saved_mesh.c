// Changes of meshes in a saved state: before anything is loaded, bodies become what the state's changes made of them.
#include "world/archive.h"
#include "world/remake.h"

#include <string.h>

bool worldIsChanged(const World *world)
{
    bool changed = false;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
        changed |= body->origin != NULL && body->origin->stepCount > 0;
    return changed;
}

static void walkInts(Archive *archive, int *values, int count)
{
    for (int i = 0; i < count; ++i)
        values[i] = (int)archiveCount(archive, values[i], INT32_MAX);
}

static void walkStep(Archive *archive, MeshStep *step)
{
    archiveCount(archive, step->kind, MESH_STEP_KINDS - 1);
    archiveCount(archive, step->ordered, 1);
    archiveCount(archive, step->itemCount, INT32_MAX);
    archiveCount(archive, step->keptCount, INT32_MAX);
    archiveCount(archive, step->numberCount, INT32_MAX);
    walkInts(archive, step->item, step->itemCount);
    walkInts(archive, step->kept, step->keptCount);
    archiveReals(archive, step->number, (size_t)step->numberCount);
}

static void walkDebt(Archive *archive, Debt *debt)
{
    int vertex[2] = { debt->a, debt->b };
    double energy[2] = { debt->owed, debt->price };
    walkInts(archive, vertex, 2);
    archiveReals(archive, energy, 2);
}

void walkOrigins(Archive *archive, World *world)
{
    if (!worldIsChanged(world))
        return;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        int count = body->origin != NULL ? body->origin->stepCount : 0;
        archiveCount(archive, count, INT32_MAX);
        for (int k = 0; k < count; ++k)
            walkStep(archive, &body->origin->step[k]);
        int debts = body->origin != NULL ? body->origin->debtCount : 0;
        archiveCount(archive, debts, INT32_MAX);
        for (int k = 0; k < debts; ++k)
            walkDebt(archive, &body->origin->debt[k]);
    }
}

// ---- reading --------------------------------------------------------------------------------------------------------

// Bytes that may be fewer than they say.
typedef struct Source
{
    const unsigned char *at, *end;
    bool bad;
} Source;

static uint64_t readWord(Source *source)
{
    source->bad |= source->end - source->at < 8;
    if (source->bad)
        return 0;
    uint64_t word = archiveGet64(source->at);
    source->at += 8;
    return word;
}

// of so many words that follow
static int readCount(Source *source, int width)
{
    uint64_t count = readWord(source);
    source->bad |= count > (uint64_t)(source->end - source->at) / (8 * (uint64_t)width);
    return source->bad ? 0 : (int)count;
}

static bool readInts(Memory *memory, Source *source, int count, int **values)
{
    *values = count > 0 ? ALLOCATE(memory, int, count) : NULL;
    for (int i = 0; *values != NULL && i < count; ++i)
    {
        uint64_t word = readWord(source);
        source->bad |= word > INT32_MAX;
        (*values)[i] = (int)(word & INT32_MAX);
    }
    return *values != NULL || count == 0;
}

static bool readStep(Memory *memory, Source *source, MeshStep *step)
{
    uint64_t kind = readWord(source);
    source->bad |= kind >= MESH_STEP_KINDS;
    uint64_t ordered = readWord(source);
    source->bad |= ordered > 1;
    *step = (MeshStep){ .kind = (MeshStepKind)(kind % MESH_STEP_KINDS), .ordered = ordered == 1 };
    step->itemCount = readCount(source, 1);
    step->keptCount = readCount(source, 1);
    step->numberCount = readCount(source, 1);
    bool enough = readInts(memory, source, step->itemCount, &step->item) &&
                  readInts(memory, source, step->keptCount, &step->kept);
    if (enough && step->numberCount > 0)
        enough = (step->number = ALLOCATE(memory, double, step->numberCount)) != NULL;
    for (int i = 0; enough && i < step->numberCount; ++i)
    {
        uint64_t word = readWord(source);
        memcpy(&step->number[i], &word, sizeof word);
        source->bad |= !isfinite(step->number[i]);
    }
    return enough;
}

static bool isSame(const MeshStep *a, const MeshStep *b)
{
    return a->kind == b->kind && a->ordered == b->ordered && a->itemCount == b->itemCount &&
           a->keptCount == b->keptCount && a->numberCount == b->numberCount &&
           (a->itemCount == 0 || memcmp(a->item, b->item, (size_t)a->itemCount * sizeof(int)) == 0) &&
           (a->keptCount == 0 || memcmp(a->kept, b->kept, (size_t)a->keptCount * sizeof(int)) == 0) &&
           (a->numberCount == 0 || memcmp(a->number, b->number, (size_t)a->numberCount * sizeof(double)) == 0);
}

static bool hasSteps(const Body *body, const MeshStep *steps, int count, const Debt *debts, int debtCount)
{
    bool same = count == (body->origin != NULL ? body->origin->stepCount : 0) &&
                debtCount == (body->origin != NULL ? body->origin->debtCount : 0);
    for (int k = 0; k < debtCount && same; ++k)
        same = memcmp(&debts[k], &body->origin->debt[k], sizeof(Debt)) == 0;
    for (int k = 0; k < count && same; ++k)
        same = isSame(&steps[k], &body->origin->step[k]);
    return same;
}

// ---- going back and forth -------------------------------------------------------------------------------------------

static void releaseSteps(Memory *memory, MeshStep *steps, int count)
{
    for (int k = 0; steps != NULL && k < count; ++k)
        meshStepRelease(memory, &steps[k]);
    memoryRelease(memory, steps);
}

static bool readDebts(Memory *memory, Source *source, int count, Debt **debts)
{
    *debts = count > 0 ? ALLOCATE(memory, Debt, count) : NULL;
    for (int k = 0; *debts != NULL && k < count; ++k)
    {
        double energy[2];
        Debt *debt = &(*debts)[k];
        debt->a = (int)(readWord(source) & INT32_MAX);
        debt->b = (int)(readWord(source) & INT32_MAX);
        for (int i = 0; i < 2; ++i)
        {
            uint64_t word = readWord(source);
            memcpy(&energy[i], &word, sizeof word);
            source->bad |= !(energy[i] >= 0 && isfinite(energy[i]));
        }
        debt->owed = energy[0];
        debt->price = energy[1];
    }
    return *debts != NULL || count == 0;
}

// those of vertices that are not there are none
static void checkDebts(int vertices, Debt *debts, int *count)
{
    int left = 0;
    for (int k = 0; k < *count; ++k)
    {
        if (debts[k].a < vertices && debts[k].b < vertices)
            debts[left++] = debts[k];
    }
    *count = left;
}

static vvResult readBody(Body *body, Source *source, Reshape *reshape)
{
    Memory *memory = &body->world->memory;
    int count = source->at != NULL ? readCount(source, 5) : 0, read = 0;
    MeshStep *steps = count > 0 ? ALLOCATE(memory, MeshStep, count) : NULL;
    bool enough = steps != NULL || count == 0;
    for (; read < count && enough && !source->bad; ++read)
        enough = readStep(memory, source, &steps[read]);
    int debtCount = enough && !source->bad && source->at != NULL ? readCount(source, 4) : 0;
    Debt *debts = NULL;
    enough = enough && readDebts(memory, source, debtCount, &debts);
    vvResult result = enough ? resultOk() : resultOutOfMemory("the changes of a mesh");
    if (enough && source->bad)
        result = resultMake(VV_BAD_INPUT, "save it again from a world that runs",
                            "the state has changes of the mesh of body '%s' that cannot be", body->name);
    if (result.code == VV_OK && !hasSteps(body, steps, count, debts, debtCount))
    {
        ReshapedBody *item = &reshape->item[reshape->count];
        result = originReplay(body, steps, count, &item->remake);
        if (result.code == VV_OK)
        {
            checkDebts(item->remake.other->count, debts, &debtCount);
            *item = (ReshapedBody){ item->remake, steps, count, debts, debtCount };
            reshape->count += 1;
            return result;
        }
    }
    releaseSteps(memory, steps, count);
    memoryRelease(memory, debts);
    if (body->origin != NULL && body->origin->stepCount == 0)
        originRelease(body);
    return result;
}

vvResult reshapeCreate(World *world, const unsigned char *bytes, size_t size, Reshape *reshape)
{
    Source source = { bytes, bytes != NULL ? bytes + size : NULL, false };
    *reshape = (Reshape){ .count = 0 };
    if (bytes == NULL && !worldIsChanged(world))
        return resultOk();
    reshape->item = ALLOCATE(&world->memory, ReshapedBody, world->bodyCount + 1);
    vvResult result = reshape->item != NULL ? resultOk() : resultOutOfMemory("the changes of meshes");
    for (int i = 0; i < world->bodySlotCount && result.code == VV_OK; ++i)
    {
        if (world->body[i].body != NULL)
            result = readBody(world->body[i].body, &source, reshape);
    }
    for (int i = 0; i < reshape->count && result.code == VV_OK; ++i)
        remakeExchange(&reshape->item[i].remake);
    for (int i = 0; i < reshape->count && result.code == VV_OK; ++i)
        reshapeSteps(&reshape->item[i]);
    reshape->exchanged = result.code == VV_OK;
    if (result.code != VV_OK)
        reshapeEnd(world, reshape, false);
    return result;
}

// the steps of the other mesh become those of the body, and it has its own
void reshapeSteps(ReshapedBody *item)
{
    Origin *origin = item->remake.body->origin;
    MeshStep *steps = origin->step;
    int count = origin->stepCount;
    origin->step = item->steps;
    origin->stepCount = origin->stepRoom = item->count;
    item->steps = steps;
    item->count = count;
    Debt *debt = origin->debt;
    count = origin->debtCount;
    origin->debt = item->debt;
    origin->debtCount = origin->debtRoom = item->debtCount;
    item->debt = debt;
    item->debtCount = count;
}

void reshapeEnd(World *world, Reshape *reshape, bool keep)
{
    for (int i = reshape->count - 1; i >= 0 && reshape->exchanged && !keep; --i)
    {
        remakeExchange(&reshape->item[i].remake);
        reshapeSteps(&reshape->item[i]);
    }
    // those that were made last lie behind the others, and so do old ones only if bodies lie in that order
    for (int left = reshape->count; left > 0; --left)
    {
        ReshapedBody *last = NULL;
        for (int i = 0; i < reshape->count; ++i)
        {
            ReshapedBody *item = &reshape->item[i];
            if (item->remake.other != NULL && (last == NULL || item->remake.other->first > last->remake.other->first))
                last = item;
        }
        Body *body = last->remake.body;
        remakeRelease(&last->remake);
        if (keep)
        {
            softForget(world, body);
            for (int v = 0; v < body->count; ++v)
                body->callerMass[body->mesh->vertexToCaller[v]] = world->state.mass[body->first + v];
        }
        if (body->origin->stepCount == 0)
            originRelease(body);
        releaseSteps(&world->memory, last->steps, last->count);
        memoryRelease(&world->memory, last->debt);
    }
    memoryRelease(&world->memory, reshape->item);
    *reshape = (Reshape){ .count = 0 };
}
