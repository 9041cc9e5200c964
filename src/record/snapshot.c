// Snapshots: the saved state of a frame, to go on from. Written after everything else of its frame.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

// "VERVESNP", version, frame (4 bytes each), size of the state, checksum of frame, size and state (8 each); then the state
#define HEADER_SIZE 32
#define MAGIC "VERVESNP"
#define VERSION 1

typedef struct Snapshot
{
    char *bytes; // header and state of the last complete frame
    size_t room; // for the state
    size_t size; // of the state
    int frame;   // -1: none yet
    int written; // the frame of the file; -1: none
} Snapshot;

static uint64_t checksum(const char *bytes, size_t stateSize)
{
    uint64_t hash = hashBytes(HASH_SEED, bytes + 12, 12);
    return hashFinish(hashBytes(hash, bytes + HEADER_SIZE, stateSize));
}

// room for the present size of the world's state: it changes only with bodies and attachments
static bool makeRoom(vvRecorder *recorder, Snapshot *snapshot)
{
    size_t size = vvWorld_GetStateSize(recorder->world);
    if (size > snapshot->room || snapshot->bytes == NULL)
    {
        char *bytes = ALLOCATE(&recorder->memory, char, HEADER_SIZE + size);
        if (bytes == NULL)
            return false;
        memoryRelease(&recorder->memory, snapshot->bytes);
        snapshot->bytes = bytes;
        snapshot->room = size;
    }
    snapshot->size = size;
    return true;
}

static vvResult snapshotOpen(vvRecorder *recorder, void **self)
{
    Snapshot *snapshot = ALLOCATE(&recorder->memory, Snapshot, 1);
    *self = snapshot;
    if (snapshot == NULL)
        return resultOutOfMemory("a saved state");
    snapshot->frame = snapshot->written = -1;
    return makeRoom(recorder, snapshot) ? resultOk() : resultOutOfMemory("a saved state");
}

// an old state does not belong to a new record
static vvResult snapshotStart(vvRecorder *recorder, void *self)
{
    (void)self;
    Path path;
    pathMake(recorder, &path, recorder->snapshot, "");
    return recorder->resumeFrame < 0 ? fileRemove(&path) : resultOk();
}

static vvResult snapshotWrite(vvRecorder *recorder, Snapshot *snapshot)
{
    Path path;
    pathMake(recorder, &path, recorder->snapshot, "");
    char *out = writeWord(snapshot->bytes, MAGIC);
    out = storeWhole(out, VERSION, 4);
    out = storeWhole(out, (uint64_t)snapshot->frame, 4);
    out = storeWhole(out, snapshot->size, 8);
    storeWhole(out, checksum(snapshot->bytes, snapshot->size), 8);
    vvResult result = fileReplace(&path, snapshot->bytes, HEADER_SIZE + snapshot->size);
    if (result.code == VV_OK)
        snapshot->written = snapshot->frame;
    return result;
}

// The state is kept of every frame: the world may have gone on when the recorder closes.
static vvResult snapshotAdd(vvRecorder *recorder, void *self)
{
    Snapshot *snapshot = self;
    if (!makeRoom(recorder, snapshot))
        return resultOutOfMemory("a saved state");
    vvResult result = vvWorld_SaveState(recorder->world, snapshot->bytes + HEADER_SIZE, snapshot->size);
    if (result.code != VV_OK)
        return result;
    snapshot->frame = recorder->frameCount;
    return recorder->frameCount % recorder->snapshotEvery == 0 ? snapshotWrite(recorder, snapshot) : result;
}

static vvResult snapshotClose(vvRecorder *recorder, void *self)
{
    Snapshot *snapshot = self;
    if (snapshot == NULL)
        return resultOk();
    vvResult result = resultOk();
    if (snapshot->frame > snapshot->written && snapshot->frame < recorder->frameCount)
        result = snapshotWrite(recorder, snapshot);
    memoryRelease(&recorder->memory, snapshot->bytes);
    memoryRelease(&recorder->memory, snapshot);
    return result;
}

const Format snapshotFormat = { "snapshot", false, snapshotOpen, snapshotStart, snapshotAdd, snapshotClose };

// ---- the way back --------------------------------------------------------------------------------------------------------------

static vvResult damaged(const char *file, const char *why)
{
    return resultMake(VV_BAD_INPUT, "record again from the start, or restore another copy of the file", "'%.100s' %s",
                      file, why);
}

static vvResult restore(vvWorldId world, const File *file, const char *name, char *bytes, int *frame)
{
    size_t size = (size_t)file->size;
    vvResult result = fileRead(file, 0, bytes, size);
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
    vvResult result = fileOpenToRead(&opened, &path);
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
    fileClose(&opened);
    return result;
}
