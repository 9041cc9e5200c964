// The particles of fluids read back from the PLY files of a record (particles.c writes them).
#include "record/record.h"
#include "record/replay.h"

#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_MOST 512 // bytes of a line
#define ROW 28        // bytes of a particle: place, velocity, id
#define ID_AT 24

static FILE *openFrame(const char *folder, const char *frames, int fluid, int frame)
{
    char path[LONGEST_PATH], stem[LONGEST_STEM];
    fluidStem(frames, fluid, stem);
    snprintf(path, sizeof path, "%.700s/%.200s_%06d.ply", folder, stem, frame);
    return systemStream(path, FILE_TO_READ);
}

// how many particles follow behind the head; -1: it is not one of ours
static int readHead(FILE *in)
{
    char line[HEAD_MOST];
    int count = -1;
    for (int i = 0; i < 16 && fgets(line, sizeof line, in) != NULL; ++i)
    {
        if (strncmp(line, "element vertex ", 15) == 0)
            count = (int)strtol(line + 15, NULL, 10);
        if (strcmp(line, "end_header\n") == 0)
            return count >= 0 && count <= VV_MAX_FLUID_PARTICLES ? count : -1;
    }
    return -1;
}

static bool makeRoom(Memory *memory, FluidFrame *fluid, int count)
{
    if (count <= fluid->room)
        return true;
    fluidFrameRelease(memory, fluid);
    fluid->particle = ALLOCATE(memory, RecordParticle, 2 * (size_t)count);
    fluid->room = fluid->particle != NULL ? 2 * count : 0;
    return fluid->particle != NULL;
}

static int byId(const void *a, const void *b)
{
    const RecordParticle *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

vvResult fluidFrameRead(Memory *memory, const char *folder, const char *frames, int fluid, int frame, FluidFrame *out,
                        bool *there)
{
    FILE *in = openFrame(folder, frames, fluid, frame);
    *there = in != NULL;
    if (in == NULL)
        return resultOk();
    int count = readHead(in);
    bool enough = makeRoom(memory, out, count);
    char row[ROW];
    out->count = 0;
    while (enough && out->count < count && fread(row, ROW, 1, in) == 1)
    {
        RecordParticle *particle = &out->particle[out->count++];
        for (size_t a = 0; a < 3; ++a)
        {
            uint32_t bits = (uint32_t)loadWhole(row + 4 * a, 4);
            memcpy(&particle->point[a], &bits, sizeof bits);
        }
        particle->id = (uint32_t)loadWhole(row + ID_AT, 4);
    }
    fclose(in);
    if (out->count > 1)
        qsort(out->particle, (size_t)out->count, sizeof *out->particle, byId);
    return enough ? resultOk() : resultOutOfMemory("the particles of a fluid");
}

void fluidFrameRelease(Memory *memory, FluidFrame *fluid)
{
    memoryRelease(memory, fluid->particle);
    *fluid = (FluidFrame){ 0 };
}

int fluidFrameCount(const char *folder, const char *frames)
{
    int count = 0;
    for (FILE *in; (in = openFrame(folder, frames, 0, count)) != NULL; ++count)
        fclose(in);
    return count;
}

vvResult clipFluid(Clip *clip, int fluid, int frame, const FluidFrame **out)
{
    vvRecorder *record = clip->record;
    bool there = false;
    vvResult result =
        fluidFrameRead(&record->memory, record->folder, record->frames, fluid, frame, &clip->particles, &there);
    if (!there)
        clip->particles.count = 0;
    *out = &clip->particles;
    return result;
}
