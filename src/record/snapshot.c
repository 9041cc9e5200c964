// Snapshots: the saved state of a frame, to go on from. Written after everything else of its frame.
#include "record/record.h"
#include "world/archive.h"

#include <math.h>
#include <string.h>

// "VERVESNP", version, frame (4 bytes each), size of the state, checksum of frame, size and state (8 each); then the
// state
#define HEADER_SIZE 32
#define MAGIC "VERVESNP"
#define VERSION 1

typedef struct Snapshot
{
    char *bytes;   // header and state
    size_t room;   // for the state
    int frame;     // the last complete one; -1: none yet
    uint64_t hash; // of the world then
    int written;   // the frame of the file; -1: none
} Snapshot;

static uint64_t checksum(const char *bytes, size_t stateSize)
{
    uint64_t hash = hashBytes(HASH_SEED, bytes + 12, 12);
    return hashFinish(hashBytes(hash, bytes + HEADER_SIZE, stateSize));
}

// room for a state: its size changes only with bodies and attachments
static bool makeRoom(vvRecorder *recorder, Snapshot *snapshot, size_t size)
{
    if (snapshot->bytes != NULL && size <= snapshot->room)
        return true;
    char *bytes = ALLOCATE(&recorder->memory, char, HEADER_SIZE + size);
    if (bytes == NULL)
        return false;
    memoryRelease(&recorder->memory, snapshot->bytes);
    snapshot->bytes = bytes;
    snapshot->room = size;
    return true;
}

static vvResult snapshotOpen(vvRecorder *recorder, void **self)
{
    Snapshot *snapshot = ALLOCATE(&recorder->memory, Snapshot, 1);
    *self = snapshot;
    if (snapshot == NULL)
        return resultOutOfMemory("a saved state");
    snapshot->frame = snapshot->written = -1;
    bool enough = makeRoom(recorder, snapshot, vvWorld_GetStateSize(recorder->world));
    return enough ? resultOk() : resultOutOfMemory("a saved state");
}

// an old state does not belong to a new record
static vvResult snapshotStart(vvRecorder *recorder, void *self)
{
    (void)self;
    Path path;
    pathMake(recorder, &path, recorder->snapshot, "");
    return recorder->resumeFrame < 0 ? diskRemove(&path) : resultOk();
}

static vvResult snapshotWrite(vvRecorder *recorder, Snapshot *snapshot, int frame)
{
    size_t size = vvWorld_GetStateSize(recorder->world);
    if (!makeRoom(recorder, snapshot, size))
        return resultOutOfMemory("a saved state");
    vvResult result = vvWorld_SaveState(recorder->world, snapshot->bytes + HEADER_SIZE, size);
    if (result.code != VV_OK)
        return result;
    char *out = textWord(snapshot->bytes, MAGIC);
    out = storeWhole(out, VERSION, 4);
    out = storeWhole(out, (uint64_t)frame, 4);
    out = storeWhole(out, size, 8);
    storeWhole(out, checksum(snapshot->bytes, size), 8);
    Path path;
    pathMake(recorder, &path, recorder->snapshot, "");
    result = diskReplace(&path, snapshot->bytes, HEADER_SIZE + size);
    if (result.code == VV_OK)
        snapshot->written = frame;
    return result;
}

static vvResult snapshotAdd(vvRecorder *recorder, void *self)
{
    Snapshot *snapshot = self;
    if (recorder->frameCount % recorder->snapshotEvery == 0)
    {
        vvResult result = snapshotWrite(recorder, snapshot, recorder->frameCount);
        if (result.code != VV_OK)
            return result;
    }
    snapshot->frame = recorder->frameCount;
    snapshot->hash = vvWorld_GetHash(recorder->world);
    return resultOk();
}

// The last frame is saved too, unless the world has gone on since.
static vvResult snapshotClose(vvRecorder *recorder, void *self)
{
    Snapshot *snapshot = self;
    if (snapshot == NULL)
        return resultOk();
    vvResult result = resultOk();
    if (snapshot->frame > snapshot->written && vvWorld_IsValid(recorder->world) &&
        vvWorld_GetHash(recorder->world) == snapshot->hash)
        result = snapshotWrite(recorder, snapshot, snapshot->frame);
    memoryRelease(&recorder->memory, snapshot->bytes);
    memoryRelease(&recorder->memory, snapshot);
    return result;
}

const Format snapshotFormat = { "snapshot", false, snapshotOpen, snapshotStart, snapshotAdd, snapshotClose };

// ---- the way back ---------------------------------------------------------------------------------------------------

static vvResult damaged(const char *file, const char *why)
{
    return resultMake(VV_BAD_INPUT, "record again from the start, or restore another copy of the file", "'%.100s' %s",
                      file, why);
}

static vvResult restore(vvWorldId world, const File *file, const char *name, char *bytes, int *frame)
{
    size_t size = (size_t)file->size;
    vvResult result = diskRead(file, 0, bytes, size);
    if (result.code != VV_OK)
        return result;
    if (memcmp(bytes, MAGIC, 8) != 0)
        return damaged(name, "is no saved state");
    if (loadWhole(bytes + 8, 4) != VERSION)
        return damaged(name, "is a saved state of another version");
    uint64_t stateSize = loadWhole(bytes + 16, 8);
    if (stateSize != size - HEADER_SIZE || checksum(bytes, (size_t)stateSize) != loadWhole(bytes + 24, 8))
        return damaged(name, "is damaged: its checksum does not fit");
    result = vvWorld_RestoreState(world, bytes + HEADER_SIZE, (size_t)stateSize);
    if (result.code == VV_OK && frame != NULL)
        *frame = (int)loadWhole(bytes + 12, 4);
    return result;
}

double snapshotTime(const char *file)
{
    Path path;
    File opened = { .handle = -1 };
    char bytes[HEADER_SIZE + 64];
    if (strlen(file) >= sizeof path.text)
        return NAN;
    strcpy(path.text, file);
    bool readable = diskOpenToRead(&opened, &path).code == VV_OK;
    bool enough =
        readable && opened.size >= (long long)sizeof bytes && diskRead(&opened, 0, bytes, sizeof bytes).code == VV_OK;
    if (readable)
        diskClose(&opened);
    return enough ? archiveTime(bytes + HEADER_SIZE, sizeof bytes - HEADER_SIZE) : NAN;
}

vvResult vvRestoreSnapshot(vvWorldId world, const char *file, int *frame)
{
    if (!vvWorld_IsValid(world))
        return resultMake(VV_BAD_ID, "restore into a world that lives",
                          "the world id is null, or its world was destroyed");
    Path path;
    if (file == NULL || file[0] == 0 || strlen(file) >= sizeof path.text)
        return resultMake(VV_BAD_INPUT, "give the path of a snapshot file", "file is %s",
                          file == NULL ? "NULL" : "empty or too long");
    strcpy(path.text, file);
    File opened = { .handle = -1 };
    vvResult result = diskOpenToRead(&opened, &path);
    if (result.code != VV_OK)
        return result;
    Memory memory = memoryMake(NULL);
    char *bytes = NULL;
    if (opened.size < HEADER_SIZE)
        result = damaged(file, "is no saved state");
    else if ((bytes = ALLOCATE(&memory, char, opened.size)) == NULL)
        result = resultOutOfMemory("a saved state");
    else
        result = restore(world, &opened, file, bytes, frame);
    memoryRelease(&memory, bytes);
    diskClose(&opened);
    return result;
}
