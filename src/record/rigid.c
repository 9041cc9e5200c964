// Where the rigid bodies are in every frame, as CSV: frame, time, then x, y, z, qw, qx, qy and qz of each body's frame.
#include "record/record.h"
#include "record/replay.h"

#define COLUMNS POSE_NUMBERS
#define LONGEST_HEADING 64 // of a body
#define LONGEST_NUMBER 32

typedef struct Poses
{
    Table table;
    int count;
    vvRigidBodyId *body; // count
    vvPose *pose;        // count: the last known
    char *heading, *row;
} Poses;

static char *writeHeading(int count, char *out)
{
    static const char *const column[COLUMNS] = { "x", "y", "z", "qw", "qx", "qy", "qz" };
    out = textWord(out, "frame,time");
    for (int i = 0; i < count; ++i)
    {
        for (int k = 0; k < COLUMNS; ++k)
        {
            out = textInt(textWord(out, ","), i);
            out = textWord(textWord(out, "."), column[k]);
        }
    }
    out = textWord(out, "\n");
    *out = 0;
    return out;
}

static vvResult posesOpen(vvRecorder *recorder, void **self)
{
    Memory *memory = &recorder->memory;
    Poses *poses = ALLOCATE(memory, Poses, 1);
    *self = poses;
    if (poses == NULL)
        return resultOutOfMemory("the poses of rigid bodies");
    poses->table.file.handle = -1;
    poses->count = vvWorld_GetRigidBodies(recorder->world, NULL, 0);
    size_t count = (size_t)poses->count;
    poses->body = ALLOCATE(memory, vvRigidBodyId, count);
    poses->pose = ALLOCATE(memory, vvPose, count);
    poses->heading = ALLOCATE(memory, char, LONGEST_HEADING *COLUMNS *(count + 1));
    poses->row = ALLOCATE(memory, char, LONGEST_NUMBER *COLUMNS *(count + 1));
    if (!poses->body || !poses->pose || !poses->heading || !poses->row)
        return resultOutOfMemory("the poses of rigid bodies");
    vvWorld_GetRigidBodies(recorder->world, poses->body, poses->count);
    writeHeading(poses->count, poses->heading);
    return tableOpen(recorder, &poses->table, recorder->frames, RECORD_RIGID, poses->heading);
}

static vvResult posesStart(vvRecorder *recorder, void *self)
{
    Poses *poses = self;
    return tableStart(recorder, &poses->table, poses->heading);
}

static vvResult posesAdd(vvRecorder *recorder, void *self)
{
    Poses *poses = self;
    char *out = textWord(textInt(poses->row, recorder->frameCount), ",");
    out = textReal(out, vvWorld_GetTime(recorder->world));
    for (int i = 0; i < poses->count; ++i)
    {
        if (vvRigidBody_IsValid(poses->body[i]))
            poses->pose[i] = vvRigidBody_GetPose(poses->body[i]);
        const vvPose *pose = &poses->pose[i];
        const double number[COLUMNS] = { pose->position.x, pose->position.y, pose->position.z, pose->rotation.w,
                                         pose->rotation.x, pose->rotation.y, pose->rotation.z };
        for (int k = 0; k < COLUMNS; ++k)
            out = textReal(textWord(out, ","), number[k]);
    }
    out = textWord(out, "\n");
    return diskAppend(&poses->table.file, poses->row, (size_t)(out - poses->row));
}

static vvResult posesClose(vvRecorder *recorder, void *self)
{
    Poses *poses = self;
    if (poses == NULL)
        return resultOk();
    diskClose(&poses->table.file);
    void *const blocks[] = { poses->body, poses->pose, poses->heading, poses->row, poses };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(&recorder->memory, blocks[i]);
    return resultOk();
}

const Format rigidFormat = { "rigid", false, posesOpen, posesStart, posesAdd, posesClose };
