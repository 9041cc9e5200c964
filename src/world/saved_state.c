// Saved states: everything that decides how a run goes on, as bytes that are the same on every machine.
//
// One walk over the state (walkWorld) serves every purpose of an archive (archive.h). What can be made again is not in
// it: islands and matrices. Which factors local/global has, and in which precision, follows from the past of a run:
// that is kept.
#include "energy/yield.h"
#include "world/archive.h"
#include "world/remake.h"

#include <string.h>

#define STATE_VERSION 15
#define CHANGED_VERSION 16 // with changes of meshes behind the head
#define METHOD_BYTES 32

// ---- the header -----------------------------------------------------------------------------------------------------

enum
{
    MAGIC = 0,                // 8 bytes
    VERSION = 8,              // u64
    SIZE = 16,                // u64: of the whole state
    FINGERPRINT = 24,         // u64: of what the state belongs to
    CHECKSUM = 32,            // u64: of all other bytes
    HEADER_SIZE = STATE_TIME, // the head begins with the time
};

static uint64_t checksumOf(const unsigned char *state, size_t size)
{
    uint64_t hash = mixBytes(HASH_SEED, state, CHECKSUM);
    return hashFinish(mixBytes(hash, state + HEADER_SIZE, size - HEADER_SIZE));
}

// ---- the walk -------------------------------------------------------------------------------------------------------

static void walkYield(Archive *archive, Energy *energy)
{
    Yield *yield = energy->yield;
    size_t lanes = (size_t)energy->blockCount * LANES, count = (size_t)energy->kind->yields->count;
    for (int block = 0; block < energy->blockCount; ++block)
        archiveReals(archive, yieldParams(energy, block), count * LANES);
    archiveReals(archive, yield->strain, lanes);
    yield->flows += 1;
    if (yield->bound == NULL)
        return;
    // matrices are made of it: they are made anew where it changes
    uint64_t before = mixBytes(HASH_SEED, (const unsigned char *)yield->bound, lanes * count * sizeof(double));
    archiveReals(archive, yield->bound, lanes * count);
    energy->version +=
        before != mixBytes(HASH_SEED, (const unsigned char *)yield->bound, lanes * count * sizeof(double));
}

static void walkEnergy(Archive *archive, Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    ASSERT(kind->stateCount == 0 || kind->stateFirst > 0, "a weight is no state here: cached matrices hang on it");
    // whole blocks: lanes without an element belong to the kernels' arithmetic too
    for (int block = 0; block < energy->blockCount; ++block)
        archiveReals(archive, laneParams(energy, block) + kind->stateFirst * LANES, (size_t)kind->stateCount * LANES);
    for (int block = 0; block < energy->blockCount && kind->corners > 1; ++block)
    {
        const double *weight = energy->weight + block * LANES, *now = laneParams(energy, block);
        unsigned char active[LANES], was[LANES];
        for (int lane = 0; lane < LANES; ++lane)
            active[lane] = was[lane] = now[lane] == weight[lane];
        archiveFlags(archive, active, LANES);
        for (int lane = 0; lane < LANES; ++lane)
        {
            if (active[lane] != was[lane])
                energySetActive(energy, block * LANES + lane, active[lane]);
        }
    }
    archiveReals(archive, energy->kept, (size_t)energy->blockCount * LANES * (size_t)kind->keptCount);
    if (energy->yield != NULL)
        walkYield(archive, energy);
}

static void walkPrefactors(Archive *archive, Member *member)
{
    member->clock = (unsigned)archiveCount(archive, member->clock, UINT32_MAX);
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        const Prefactor *prefactor = &member->prefactor[k];
        double made[2] = { prefactor->s, prefactor->drag };
        archiveReals(archive, made, 2);
        bool rounded = archiveFlag(archive, prefactor->precision == FRONT_ROUNDED);
        unsigned lastUse = (unsigned)archiveCount(archive, prefactor->lastUse, UINT32_MAX);
        if (archive->mode == ARCHIVE_LOAD)
            memberRecallPrefactor(member, k,
                                  (PrefactorUse){ rounded ? FRONT_ROUNDED : FRONT_SINGLE, made[0], made[1], lastUse });
    }
}

// the slot of the body that a pair contact is on, by its number among the bodies
static int walkOther(Archive *archive, const World *world, int slot)
{
    int ordinal = slot < 0 ? 0 : 1 + world->body[slot].body->ordinal;
    ordinal = (int)archiveCount(archive, ordinal, world->bodyCount);
    for (int i = 0; archive->mode == ARCHIVE_LOAD && i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL && world->body[i].body->ordinal == ordinal - 1)
            return i;
    }
    return archive->mode == ARCHIVE_LOAD ? -1 : slot;
}

static void walkFeatureHolds(Archive *archive, const World *world, CollisionMesh *collisionMesh)
{
    for (int i = 0; i < collisionMesh->holdCount; ++i)
    {
        const FeatureHold *hold = &collisionMesh->hold[i];
        double force[3];
        if (!featureMayHold(collisionMesh, i))
            continue;
        vecStore(force, hold->force);
        int other = walkOther(archive, world, hold->other);
        int feature = (int)archiveCount(archive, hold->feature, INT32_MAX);
        archiveReals(archive, force, 3);
        if (archive->mode == ARCHIVE_LOAD)
            featureHoldSet(collisionMesh, i, (FeatureHold){ other, feature, vecLoad(force) });
    }
}

static void walkCollisionMesh(Archive *archive, const World *world, CollisionMesh *collisionMesh)
{
    for (int i = 0; i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        PairContact *pairContact = &collisionMesh->pairContact[i];
        pairContact->other = walkOther(archive, world, pairContact->other);
        pairContact->triangle = (int)archiveCount(archive, pairContact->triangle + 1, INT32_MAX) - 1;
        archiveReals(archive, pairContact->share, 3);
        archiveReals(archive, pairContact->normal, 3);
        archiveReals(archive, &pairContact->radius, 1);
        archiveReals(archive, &pairContact->weight, 1);
        archiveReals(archive, &pairContact->friction, 1);
        archiveReals(archive, &pairContact->force, 1);
        archiveReals(archive, pairContact->offset, 3);
        const CollisionMesh *other =
            pairContact->other < 0 ? NULL : world->body[pairContact->other].body->collisionMesh;
        if (archive->mode == ARCHIVE_LOAD &&
            (other == NULL || pairContact->triangle < 0 || pairContact->triangle >= other->triangleCount))
            *pairContact = (PairContact){ .other = -1, .triangle = -1 };
        if (archive->mode == ARCHIVE_LOAD)
            collisionMesh->partner[i] = pairContact->other;
    }
    walkFeatureHolds(archive, world, collisionMesh);
    collisionMeshCount(collisionMesh);
    if (archive->mode == ARCHIVE_LOAD)
        edgeContactsForget(collisionMesh, true); // of a step that this world may not have taken
    collisionMesh->together = walkOther(archive, world, collisionMesh->together);
    archiveReals(archive, collisionMesh->held, (size_t)collisionMesh->vertexCount);
    for (int v = 0; v < collisionMesh->vertexCount; ++v)
        collisionMesh->patience[v] = (unsigned char)archiveCount(archive, collisionMesh->patience[v], UINT8_MAX);
}

// slides; fixed is what the flags of pins say
static void walkHolds(Archive *archive, const Body *body, const Integrator *integrator, State *s)
{
    Method method = body->world->method;
    method.integrator = integrator;
    long long most = methodSlideObstacle(&method) ? HOLD_FIXED : HOLD_LINE;
    for (int v = 0; v < body->count; ++v)
    {
        s->hold[v] = (unsigned char)archiveCount(archive, s->hold[v], most);
        if (archive->mode == ARCHIVE_LOAD && (s->pinned[v] != 0) != (s->hold[v] == HOLD_FIXED))
            s->hold[v] = s->pinned[v] ? HOLD_FIXED : HOLD_FREE;
    }
    archiveReals(archive, s->holdAxis, 3 * (size_t)body->count);
    if (archive->mode == ARCHIVE_LOAD)
        memset(s->reaction, 0,
               3 * (size_t)body->count * sizeof(double)); // of a step that this world may not have taken
}

// what holds nothing is saved as zeros and not loaded; a check reads where the world may have no room
static void walkPast(Archive *archive, double *past, size_t count)
{
    double none = 0;
    for (size_t i = 0; i < count; ++i)
        archiveReals(archive, past ? past + i : &none, 1);
}

static void walkBody(Archive *archive, Body *body, const Integrator *integrator)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    IslandStep step = stepSlice(&body->world->step, body->first);
    size_t vectors = 3 * (size_t)body->count;
    archiveReals(archive, &body->account.opening, 1);
    archiveReals(archive, &body->account.added, 1);
    archiveReals(archive, &body->account.dissipated, 1);
    archiveReals(archive, s.start, vectors);
    archiveReals(archive, s.startVelocity, vectors);
    archiveReals(archive, s.previous, vectors);
    archiveReals(archive, s.pinTarget, vectors);
    if (archiveFlags(archive, s.pinned, (size_t)body->count))
        body->member.pinVersion += 1;
    walkHolds(archive, body, integrator, &s);
    // gravity and wind are the world's; attachments and contacts have their own walks
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (energy != body->gravity && (!isCircumstance(body, energy) || energy == body->press))
            walkEnergy(archive, energy);
    }
    if (body->press != NULL)
    {
        double upheld[5] = { body->upheld.x, body->upheld.y, body->upheld.z, body->owed, body->pays };
        archiveReals(archive, upheld, 5);
        body->upheld = vecLoad(upheld);
        body->owed = upheld[3];
        body->pays = upheld[4];
    }
    walkContact(archive, body);
    if (body->collisionMesh != NULL)
        walkCollisionMesh(archive, body->world, body->collisionMesh);
    if (body->world->rigids.count > 0)
    {
        int meets = walkOther(archive, body->world, body->meets);
        body->meets = meets >= 0 && meets <= body->slot ? meets : body->slot;
    }
    walkPrefactors(archive, &body->member);
    archiveReals(archive, body->step.recall.number, RECALL_NUMBERS);
    for (int k = 0; k < integrator->pastCount; ++k)
        walkPast(archive, historyHolds(integrator, &body->member, k) ? step.past[k] : NULL, vectors);
    archiveReals(archive, &body->calm, 1);
    body->asleep = archiveFlag(archive, body->asleep) && body->world->sleepEnergy > 0; // else nothing would wake it
    for (int p = 0; body->sleeper != NULL && p < body->step.pieces->count; ++p)
    {
        Sleeper *piece = &body->sleeper[p];
        archiveReals(archive, &piece->calm, 1);
        piece->asleep = archiveFlag(archive, piece->asleep) && body->world->sleepEnergy > 0;
    }
}

// a spring that stands for a joint
static void walkLink(Archive *archive, Attachment *attachment)
{
    double point[6] = { 0, 0, 0, attachment->stiffness, attachment->restLength, attachment->side };
    vecStore(point, attachment->point);
    archiveReals(archive, point, 6);
    bool broken = archiveFlag(archive, attachment->broken);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    attachment->broken = broken;
    attachment->point = vecLoad(point);
    attachment->stiffness = point[3];
    attachment->restLength = point[4];
    attachment->side = point[5];
    machineRestore(attachment->body[0]->world, attachment);
}

static void walkAttachment(Archive *archive, Attachment *attachment)
{
    double points[6];
    if (attachment->joint > 0)
        walkLink(archive, attachment);
    else if (attachmentBreaks(attachment))
    {
        bool broken = archiveFlag(archive, attachment->broken);
        if (archive->mode == ARCHIVE_LOAD)
            attachmentSetBroken(attachment, broken);
    }
    if (attachment->body[1] != NULL)
        return;
    vecStore(points, attachment->start);
    vecStore(points + 3, attachment->target);
    archiveReals(archive, points, 6);
    bool part = archiveFlag(archive, attachment->modes == MODES_PART);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    attachmentPlace(attachment, vecLoad(points), vecLoad(points + 3));
    attachment->modes = part ? MODES_PART : MODES_NONE;
    attachment->body[0]->modalTiesStale = true;
}

static const Integrator *walkMethod(Archive *archive, const Integrator *integrator)
{
    char name[METHOD_BYTES] = { 0 };
    strncpy(name, integrator->name, METHOD_BYTES - 1);
    archiveText(archive, name, sizeof name);
    for (int i = 0; i < integratorCount(); ++i)
    {
        if (strcmp(integratorAt(i)->name, name) == 0)
            return integratorAt(i);
    }
    if (archive->result.code == VV_OK)
        archive->result = resultMake(VV_BAD_INPUT, "use the version of the library that saved it",
                                     "the state's method '%s' is not known here", name);
    return integrator;
}

// time left over by Advance, less whole steps where this world's are shorter
static double restOf(double store, double timestep)
{
    return store < timestep ? maxReal(store, 0) : maxReal(store - floor(store / timestep) * timestep, 0);
}

// checking reads it too: bodies get what the air acts by before anything is loaded
static vvWind walkWind(Archive *archive, vvWind wind)
{
    double numbers[5] = { wind.velocity.x, wind.velocity.y, wind.velocity.z, wind.density, wind.drag };
    Archive ahead = { .mode = ARCHIVE_LOAD, .source = archive->source };
    archiveReals(archive, numbers, 5);
    if (archive->mode == ARCHIVE_CHECK)
        archiveReals(&ahead, numbers, 5);
    wind = (vvWind){ { numbers[0], numbers[1], numbers[2] }, numbers[3], numbers[4] };
    if (archive->mode == ARCHIVE_CHECK && archive->result.code == VV_OK)
        archive->result = checkWind(&wind);
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

static Head walkHead(Archive *archive, World *world)
{
    Head head = { .time = world->time, .store = world->store };
    vecStore(head.gravity, world->gravity);
    archiveReals(archive, &head.time, 1);
    archiveReals(archive, &head.store, 1);
    archiveReals(archive, head.gravity, 3);
    world->statistics.stepCount = archiveCount(archive, world->statistics.stepCount, INT64_MAX);
    head.integrator = walkMethod(archive, world->method.integrator);
    head.wind = walkWind(archive, world->wind);
    return head;
}

static void walkWorld(Archive *archive, World *world, const Integrator *measured)
{
    Head head = walkHead(archive, world);
    const Integrator *integrator = archive->mode == ARCHIVE_MEASURE ? measured : head.integrator;
    walkOrigins(archive, world);
    walkFluidCounts(archive, world);
    walkColliders(archive, world);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            walkBody(archive, world->body[i].body, integrator);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used)
            walkAttachment(archive, &world->attachment[i]);
    }
    walkRigids(archive, world);
    walkJoints(archive, world);
    walkFluids(archive, world);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    world->time = head.time;
    world->store = restOf(head.store, world->timestep);
    world->gravity = vecLoad(head.gravity);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        bodySetGravity(body, world->gravity);
}

static size_t stateSize(World *world, const Integrator *integrator)
{
    Archive archive = { .mode = ARCHIVE_MEASURE };
    walkWorld(&archive, world, integrator);
    return HEADER_SIZE + archive.size;
}

// ---- the calls ------------------------------------------------------------------------------------------------------

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
            "ask vvWorld_GetStateSize, and again when bodies, attachments, colliders, the particles of a fluid or the "
            "method have changed",
            "the room is %s with %zu bytes, must be given with %zu", target ? "given" : "NULL", size, needed);
    unsigned char *state = target;
    Archive archive = { .mode = ARCHIVE_SAVE, .target = state + HEADER_SIZE };
    walkWorld(&archive, world, NULL);
    memcpy(state + MAGIC, STATE_MAGIC, 8);
    archivePut64(state + VERSION, worldIsChanged(world) ? CHANGED_VERSION : STATE_VERSION);
    archivePut64(state + SIZE, needed);
    archivePut64(state + FINGERPRINT, worldFingerprint(world));
    archivePut64(state + CHECKSUM, checksumOf(state, size));
    return resultOk();
}

// whole, of this version and of a world like this one
static vvResult checkHeader(const unsigned char *state, size_t size)
{
    const char *whole = "pass all the bytes that vvWorld_SaveState wrote, and no others";
    if (state == NULL || size < HEADER_SIZE + HEAD_SIZE || memcmp(state, STATE_MAGIC, 8) != 0)
        return resultMake(VV_BAD_INPUT, whole, "%s with %zu bytes is no saved state",
                          state ? "a source" : "a source that is NULL", size);
    uint64_t version = archiveGet64(state + VERSION);
    if (version != STATE_VERSION && version != CHANGED_VERSION)
        return resultMake(VV_BAD_INPUT, "use the version of the library that saved it",
                          "the state has version %llu, this library reads %d and %d", (unsigned long long)version,
                          STATE_VERSION, CHANGED_VERSION);
    if (archiveGet64(state + SIZE) != size)
        return resultMake(VV_BAD_INPUT, whole, "the state has %llu bytes, size is %zu",
                          (unsigned long long)archiveGet64(state + SIZE), size);
    if (archiveGet64(state + CHECKSUM) != checksumOf(state, size))
        return resultMake(VV_BAD_INPUT, "fetch it again from where it was kept",
                          "the state was damaged after it was saved: its checksum does not fit");
    return resultOk();
}

static vvResult otherWorld(size_t size, size_t needed)
{
    return resultMake(
        VV_BAD_INPUT, "build the world from the same meshes and definitions in the same order",
        "the state (%zu bytes) is of other bodies, attachments or colliders than this world's (%zu bytes)", size,
        needed);
}

// bodies have the meshes of the state; `head`: that of the state
static vvResult checkState(World *world, const unsigned char *state, size_t size, const Head *head)
{
    Archive archive = { .mode = ARCHIVE_CHECK, .source = state + HEADER_SIZE + HEAD_SIZE };
    // what a method keeps is a part of the state
    size_t needed = stateSize(world, head->integrator), changes = 0;
    Archive measure = { .mode = ARCHIVE_MEASURE };
    walkOrigins(&measure, world);
    changes = measure.size;
    archive.source += changes;
    if (size >= HEADER_SIZE + HEAD_SIZE + changes + fluidsHeadSize(world))
        needed += walkFluidCounts(&archive, world) - fluidsParticleSize(world);
    if (archive.result.code != VV_OK)
        return archive.result;
    if (size != needed)
        return otherWorld(size, needed);
    archive = (Archive){ .mode = ARCHIVE_CHECK, .source = state + HEADER_SIZE };
    walkWorld(&archive, world, NULL);
    return archive.result;
}

// all that may be refused; an error leaves the world as it was
static vvResult makeReady(World *world, const unsigned char *state, size_t size, Head *head, Reshape *reshape)
{
    vvResult result = checkHeader(state, size);
    if (result.code != VV_OK)
        return result;
    Archive archive = { .mode = ARCHIVE_CHECK, .source = state + HEADER_SIZE };
    *head = walkHead(&archive, world);
    if (archive.result.code != VV_OK)
        return archive.result;
    if (archiveGet64(state + FINGERPRINT) != worldFingerprint(world))
        return otherWorld(size, stateSize(world, head->integrator));
    bool changed = archiveGet64(state + VERSION) == CHANGED_VERSION;
    size_t before = HEADER_SIZE + HEAD_SIZE;
    result = reshapeCreate(world, changed ? state + before : NULL, size - before, reshape);
    if (result.code != VV_OK)
        return result;
    result = checkState(world, state, size, head);
    if (result.code == VV_OK && changed != worldIsChanged(world))
        result = resultMake(VV_BAD_INPUT, "save it again from a world that runs",
                            "the state has version %d and no changes of meshes", CHANGED_VERSION);
    if (result.code == VV_OK)
        result = worldReadyFor(world, head->integrator);
    if (result.code == VV_OK && !fluidsReserveLoading(world))
        result = resultOutOfMemory("the particles of a saved state");
    if (result.code == VV_OK)
        result = worldSetWind(world, head->wind); // the last that may be refused
    reshapeEnd(world, reshape, result.code == VV_OK);
    if (result.code != VV_OK)
        worldReduce(world);
    return result;
}

vvResult vvWorld_RestoreState(vvWorldId id, const void *source, size_t size)
{
    World *world = worldOpen(id);
    Head head = { 0 };
    Reshape reshape;
    vvResult result = world ? makeReady(world, source, size, &head, &reshape) : refused("world");
    if (result.code != VV_OK)
        return result;
    worldTakeMethod(world, head.integrator);
    Archive archive = { .mode = ARCHIVE_LOAD, .source = (const unsigned char *)source + HEADER_SIZE };
    walkWorld(&archive, world, NULL);
    meshEventsClear(world);
    breaksForget(world);
    islandsNumber(world);
    limitsRestore(world);
    world->events.stale = true;
    world->rigidTouches.count = 0;
    return result;
}
