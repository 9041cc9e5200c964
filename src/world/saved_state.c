// Saved states: everything that decides how a run goes on, as bytes that are the same on every machine.
//
// One walk over the state (walkWorld) serves every purpose of a tape (tape.h). What can be made again is not in it: islands
// and matrices. Which factors local/global has, and in which precision, follows from the past of a run: that is kept.
#include "world/tape.h"
#include "world/world.h"

#include <string.h>

#define STATE_MAGIC "VERVESTA"
#define STATE_VERSION 4
#define METHOD_BYTES 32

// ---- the header ----------------------------------------------------------------------------------------------------------

enum
{
    MAGIC = 0,        // 8 bytes
    VERSION = 8,      // u64
    SIZE = 16,        // u64: of the whole state
    FINGERPRINT = 24, // u64: of what the state belongs to
    CHECKSUM = 32,    // u64: of all other bytes
    HEADER_SIZE = 40,
};

static uint64_t mixBytes(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (; size >= 8; bytes += 8, size -= 8)
        hash = mixWord(hash, tapeGet64(bytes));
    for (; size > 0; ++bytes, --size)
        hash = mixWord(hash, *bytes);
    return hash;
}

static uint64_t checksumOf(const unsigned char *state, size_t size)
{
    uint64_t hash = mixBytes(HASH_SEED, state, CHECKSUM);
    return hashFinish(mixBytes(hash, state + HEADER_SIZE, size - HEADER_SIZE));
}

// ---- what a state belongs to -----------------------------------------------------------------------------------------------

static uint64_t mixEnergy(uint64_t hash, const Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    hash = mixBytes(hash, (const unsigned char *)kind->name, strlen(kind->name));
    hash = mixWord(hash, (uint64_t)energy->elementCount);
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < kind->corners; ++c)
            hash = mixWord(hash, (uint64_t)vertex[c * LANES]);
        hash = mixReal(hash, energy->weight[e]);
        for (int p = 1; p < kind->paramCount; ++p)
        {
            bool changes = p >= kind->stateFirst && p < kind->stateFirst + kind->stateCount;
            hash = changes ? hash : mixReal(hash, energyGetParam(energy, e, p));
        }
    }
    return hash;
}

// of the air, of colliders or of attachments, which are told apart by themselves
static bool isCircumstance(const Body *body, const Energy *energy)
{
    return energy == body->wind || energy == body->contact || energy == body->contactDamping ||
           energy == body->attachments;
}

uint64_t bodyFingerprint(const Body *body)
{
    const double *mass = body->world->state.mass + body->first;
    uint64_t hash = mixWord(HASH_SEED, (uint64_t)body->count);
    for (int v = 0; v < body->count; ++v)
    {
        hash = mixWord(hash, (uint64_t)body->mesh->vertexToCaller[v]);
        hash = mixReal(hash, mass[v]);
    }
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        const Energy *energy = body->member.energy[e];
        if (!isCircumstance(body, energy))
            hash = mixEnergy(hash, energy);
    }
    return mixReal(hash, body->step.rigidDamping);
}

static uint64_t mixAttachment(uint64_t hash, const Attachment *attachment)
{
    for (int end = 0; end < 2; ++end)
    {
        const Body *body = attachment->body[end];
        hash = mixWord(hash, body ? (uint64_t)body->ordinal : UINT64_MAX);
        hash = mixWord(hash, body ? (uint64_t)attachment->vertex[end] : 0);
    }
    hash = mixReal(hash, attachment->stiffness);
    hash = mixReal(hash, attachment->restLength);
    // its place in the batch: sums are taken in that order
    return mixWord(hash, (uint64_t)attachment->element);
}

static uint64_t worldFingerprint(const World *world)
{
    uint64_t hash = mixWord(HASH_SEED, (uint64_t)world->bodyCount);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        hash = mixWord(hash, body->fingerprint);
        hash = mixWord(hash, body->attachments ? (uint64_t)body->attachments->elementCount : 0);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used)
            hash = mixAttachment(hash, &world->attachment[i]);
    }
    return hashFinish(mixColliders(hash, world));
}

// ---- the walk ----------------------------------------------------------------------------------------------------------------

static void walkEnergy(Tape *tape, Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    ASSERT(kind->stateCount == 0 || kind->stateFirst > 0, "a weight is no state here: cached matrices hang on it");
    // whole blocks: lanes without an element belong to the kernels' arithmetic too
    for (int block = 0; block < energy->blockCount; ++block)
        tapeReals(tape, laneParams(energy, block) + kind->stateFirst * LANES, (size_t)kind->stateCount * LANES);
    for (int block = 0; block < energy->blockCount && kind->corners > 1; ++block)
    {
        const double *weight = energy->weight + block * LANES, *now = laneParams(energy, block);
        unsigned char active[LANES], was[LANES];
        for (int lane = 0; lane < LANES; ++lane)
            active[lane] = was[lane] = now[lane] == weight[lane];
        tapeFlags(tape, active, LANES);
        for (int lane = 0; lane < LANES; ++lane)
        {
            if (active[lane] != was[lane])
                energySetActive(energy, block * LANES + lane, active[lane]);
        }
    }
    tapeReals(tape, energy->kept, (size_t)energy->blockCount * LANES * (size_t)kind->keptCount);
}

static void walkPrefactors(Tape *tape, Member *member)
{
    member->clock = (unsigned)tapeCount(tape, member->clock, UINT32_MAX);
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        const Prefactor *prefactor = &member->prefactor[k];
        double made[2] = { prefactor->s, prefactor->drag };
        tapeReals(tape, made, 2);
        bool rounded = tapeFlag(tape, prefactor->precision == FRONT_ROUNDED);
        unsigned lastUse = (unsigned)tapeCount(tape, prefactor->lastUse, UINT32_MAX);
        if (tape->mode == TAPE_LOAD)
            memberRecallPrefactor(member, k,
                                  (PrefactorUse){ rounded ? FRONT_ROUNDED : FRONT_SINGLE, made[0], made[1], lastUse });
    }
}

// the slot of the body that a grip is on, by its number among the bodies
static int walkOther(Tape *tape, const World *world, int slot)
{
    int ordinal = slot < 0 ? 0 : 1 + world->body[slot].body->ordinal;
    ordinal = (int)tapeCount(tape, ordinal, world->bodyCount);
    for (int i = 0; tape->mode == TAPE_LOAD && i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL && world->body[i].body->ordinal == ordinal - 1)
            return i;
    }
    return tape->mode == TAPE_LOAD ? -1 : slot;
}

static void walkSkin(Tape *tape, const World *world, Skin *skin)
{
    for (int i = 0; i < skin->surfaceCount * GRIPS; ++i)
    {
        Grip *grip = &skin->grip[i];
        grip->other = walkOther(tape, world, grip->other);
        grip->triangle = (int)tapeCount(tape, grip->triangle + 1, INT32_MAX) - 1;
        tapeReals(tape, grip->share, 3);
        tapeReals(tape, grip->normal, 3);
        tapeReals(tape, &grip->radius, 1);
        tapeReals(tape, &grip->weight, 1);
        tapeReals(tape, &grip->friction, 1);
        tapeReals(tape, &grip->force, 1);
        tapeReals(tape, grip->offset, 3);
        const Skin *other = grip->other < 0 ? NULL : world->body[grip->other].body->skin;
        if (tape->mode == TAPE_LOAD && (other == NULL || grip->triangle < 0 || grip->triangle >= other->triangleCount))
            *grip = (Grip){ .other = -1, .triangle = -1 };
    }
    tapeReals(tape, skin->held, (size_t)skin->vertexCount);
    for (int v = 0; v < skin->vertexCount; ++v)
        skin->patience[v] = (unsigned char)tapeCount(tape, skin->patience[v], UINT8_MAX);
}

// slides; fixed is what the flags of pins say
static void walkHolds(Tape *tape, const Body *body, const Integrator *integrator, State *s)
{
    Method method = body->world->method;
    method.integrator = integrator;
    long long most = methodSlideObstacle(&method) ? HOLD_FIXED : HOLD_LINE;
    for (int v = 0; v < body->count; ++v)
    {
        s->hold[v] = (unsigned char)tapeCount(tape, s->hold[v], most);
        if (tape->mode == TAPE_LOAD && (s->pinned[v] != 0) != (s->hold[v] == HOLD_FIXED))
            s->hold[v] = s->pinned[v] ? HOLD_FIXED : HOLD_FREE;
    }
    tapeReals(tape, s->holdAxis, 3 * (size_t)body->count);
    if (tape->mode == TAPE_LOAD)
        memset(s->reaction, 0,
               3 * (size_t)body->count * sizeof(double)); // of a step that this world may not have taken
}

// what holds nothing is saved as zeros and not loaded; a check reads where the world may have no room
static void walkPast(Tape *tape, double *past, size_t count)
{
    double none = 0;
    for (size_t i = 0; i < count; ++i)
        tapeReals(tape, past ? past + i : &none, 1);
}

static void walkBody(Tape *tape, Body *body, const Integrator *integrator)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    size_t vectors = 3 * (size_t)body->count;
    tapeReals(tape, &body->account.opening, 1);
    tapeReals(tape, &body->account.added, 1);
    tapeReals(tape, &body->account.dissipated, 1);
    tapeReals(tape, s.start, vectors);
    tapeReals(tape, s.startVelocity, vectors);
    tapeReals(tape, s.previous, vectors);
    tapeReals(tape, s.pinTarget, vectors);
    if (tapeFlags(tape, s.pinned, (size_t)body->count))
        body->member.pinVersion += 1;
    walkHolds(tape, body, integrator, &s);
    // gravity and wind are the world's; attachments and contacts have their own walks
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (energy != body->gravity && !isCircumstance(body, energy))
            walkEnergy(tape, energy);
    }
    walkContact(tape, body);
    if (body->skin != NULL)
        walkSkin(tape, body->world, body->skin);
    walkPrefactors(tape, &body->member);
    tapeReals(tape, body->step.recall.number, RECALL_NUMBERS);
    for (int k = 0; k < integrator->pastCount; ++k)
        walkPast(tape, historyHolds(integrator, &body->member, k) ? s.past[k] : NULL, vectors);
    tapeReals(tape, &body->calm, 1);
    body->asleep = tapeFlag(tape, body->asleep) && body->world->sleepEnergy > 0; // else nothing would wake it
}

static void walkAttachment(Tape *tape, Attachment *attachment)
{
    double points[6];
    vecStore(points, attachment->start);
    vecStore(points + 3, attachment->target);
    tapeReals(tape, points, 6);
    if (tape->mode == TAPE_LOAD)
        attachmentPlace(attachment, vecLoad(points), vecLoad(points + 3));
}

static const Integrator *walkMethod(Tape *tape, const Integrator *integrator)
{
    char name[METHOD_BYTES] = { 0 };
    strncpy(name, integrator->name, METHOD_BYTES - 1);
    tapeText(tape, name, sizeof name);
    for (int i = 0; i < integratorCount(); ++i)
    {
        if (strcmp(integratorAt(i)->name, name) == 0)
            return integratorAt(i);
    }
    if (tape->result.code == VV_OK)
        tape->result = resultMake(VV_BAD_INPUT, "use the version of the library that saved it",
                                  "the state's method '%s' is not known here", name);
    return integrator;
}

// time left over by Advance, less whole steps where this world's are shorter
static double restOf(double store, double timestep)
{
    return store < timestep ? maxReal(store, 0) : maxReal(store - floor(store / timestep) * timestep, 0);
}

// checking reads it too: bodies get what the air acts by before anything is loaded
static vvWind walkWind(Tape *tape, vvWind wind)
{
    double numbers[5] = { wind.velocity.x, wind.velocity.y, wind.velocity.z, wind.density, wind.drag };
    Tape ahead = { .mode = TAPE_LOAD, .source = tape->source };
    tapeReals(tape, numbers, 5);
    if (tape->mode == TAPE_CHECK)
        tapeReals(&ahead, numbers, 5);
    wind = (vvWind){ { numbers[0], numbers[1], numbers[2] }, numbers[3], numbers[4] };
    if (tape->mode == TAPE_CHECK && tape->result.code == VV_OK)
        tape->result = checkWind(&wind);
    return wind;
}

#define HEAD_SIZE (11 * 8 + METHOD_BYTES)

// The first HEAD_SIZE bytes: what belongs to no body. Loading leaves all but the steps to the caller.
typedef struct Head
{
    double time, store;
    double gravity[3];
    const Integrator *integrator;
    vvWind wind;
} Head;

static Head walkHead(Tape *tape, World *world)
{
    Head head = { .time = world->time, .store = world->store };
    vecStore(head.gravity, world->gravity);
    tapeReals(tape, &head.time, 1);
    tapeReals(tape, &head.store, 1);
    tapeReals(tape, head.gravity, 3);
    world->statistics.stepCount = tapeCount(tape, world->statistics.stepCount, INT64_MAX);
    head.integrator = walkMethod(tape, world->method.integrator);
    head.wind = walkWind(tape, world->wind);
    return head;
}

static void walkWorld(Tape *tape, World *world, const Integrator *measured)
{
    Head head = walkHead(tape, world);
    const Integrator *integrator = tape->mode == TAPE_MEASURE ? measured : head.integrator;
    walkColliders(tape, world);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            walkBody(tape, world->body[i].body, integrator);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used && world->attachment[i].body[1] == NULL)
            walkAttachment(tape, &world->attachment[i]);
    }
    if (tape->mode != TAPE_LOAD)
        return;
    world->time = head.time;
    world->store = restOf(head.store, world->timestep);
    world->gravity = vecLoad(head.gravity);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        bodySetGravity(body, world->gravity);
}

static size_t stateSize(World *world, const Integrator *integrator)
{
    Tape tape = { .mode = TAPE_MEASURE };
    walkWorld(&tape, world, integrator);
    return HEADER_SIZE + tape.size;
}

// ---- the calls -----------------------------------------------------------------------------------------------------------------

size_t vvWorld_GetStateSize(vvWorldId id)
{
    World *world = worldFind(id);
    return world ? stateSize(world, world->method.integrator) : 0;
}

vvResult vvWorld_SaveState(vvWorldId id, void *target, size_t size)
{
    World *world = worldFind(id);
    if (world == NULL)
        return badId("world");
    size_t needed = stateSize(world, world->method.integrator);
    if (target == NULL || size != needed)
        return resultMake(
            VV_BAD_INPUT,
            "ask vvWorld_GetStateSize, and again when bodies, attachments, colliders or the method have changed",
            "the room is %s with %zu bytes, must be given with %zu", target ? "given" : "NULL", size, needed);
    unsigned char *state = target;
    Tape tape = { .mode = TAPE_SAVE, .target = state + HEADER_SIZE };
    walkWorld(&tape, world, NULL);
    memcpy(state + MAGIC, STATE_MAGIC, 8);
    tapePut64(state + VERSION, STATE_VERSION);
    tapePut64(state + SIZE, needed);
    tapePut64(state + FINGERPRINT, worldFingerprint(world));
    tapePut64(state + CHECKSUM, checksumOf(state, size));
    return resultOk();
}

// `head`: that of the state
static vvResult checkState(World *world, const unsigned char *state, size_t size, Head *head)
{
    const char *whole = "pass all the bytes that vvWorld_SaveState wrote, and no others";
    if (state == NULL || size < HEADER_SIZE + HEAD_SIZE || memcmp(state, STATE_MAGIC, 8) != 0)
        return resultMake(VV_BAD_INPUT, whole, "%s with %zu bytes is no saved state",
                          state ? "a source" : "a source that is NULL", size);
    if (tapeGet64(state + VERSION) != STATE_VERSION)
        return resultMake(VV_BAD_INPUT, "use the version of the library that saved it",
                          "the state has version %llu, this library reads %d",
                          (unsigned long long)tapeGet64(state + VERSION), STATE_VERSION);
    if (tapeGet64(state + SIZE) != size)
        return resultMake(VV_BAD_INPUT, whole, "the state has %llu bytes, size is %zu",
                          (unsigned long long)tapeGet64(state + SIZE), size);
    if (tapeGet64(state + CHECKSUM) != checksumOf(state, size))
        return resultMake(VV_BAD_INPUT, "fetch it again from where it was kept",
                          "the state was damaged after it was saved: its checksum does not fit");
    // what a method keeps is a part of the state
    Tape tape = { .mode = TAPE_CHECK, .source = state + HEADER_SIZE };
    *head = walkHead(&tape, world);
    if (tape.result.code != VV_OK)
        return tape.result;
    size_t needed = stateSize(world, head->integrator);
    if (tapeGet64(state + FINGERPRINT) != worldFingerprint(world) || size != needed)
        return resultMake(
            VV_BAD_INPUT, "build the world from the same meshes and definitions in the same order",
            "the state (%zu bytes) is of other bodies, attachments or colliders than this world's (%zu bytes)", size,
            needed);
    tape = (Tape){ .mode = TAPE_CHECK, .source = state + HEADER_SIZE };
    walkWorld(&tape, world, NULL);
    return tape.result;
}

vvResult vvWorld_RestoreState(vvWorldId id, const void *source, size_t size)
{
    World *world = worldOpen(id);
    Head head = { 0 };
    vvResult result = world ? checkState(world, source, size, &head) : refused("world");
    if (result.code != VV_OK)
        return result;
    result = worldReadyFor(world, head.integrator);
    if (result.code == VV_OK)
        result = worldSetWind(world, head.wind);
    if (result.code != VV_OK)
    {
        worldReduce(world);
        return result;
    }
    worldTakeMethod(world, head.integrator);
    Tape tape = { .mode = TAPE_LOAD, .source = (const unsigned char *)source + HEADER_SIZE };
    walkWorld(&tape, world, NULL);
    world->events.stale = true;
    return result;
}
