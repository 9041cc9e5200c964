// The fluids of a recorded run (src/record/particles.c).
#include "tool/render.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_MOST 512 // bytes of a file's head
#define ROW 28        // bytes of a particle: place, velocity, id

static FILE *openFrame(const Run *run, int fluid, int frame)
{
    char path[1200];
    snprintf(path, sizeof path, "%.900s-fluid-%d_%06d.ply", run->fluidStem, fluid, frame);
    return systemStream(path, FILE_TO_READ);
}

static double loadFloat(const unsigned char *bytes)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i)
        word |= (uint32_t)bytes[i] << (8 * i);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
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

static vvResult loadFluid(Run *run, ShownFluid *fluid, FILE *in)
{
    int count = readHead(in);
    fluid->count = 0;
    if (count > fluid->room)
    {
        void *points = fluid->points;
        if (!memoryGrow(run->show.memory, &points, 3 * (size_t)fluid->room, 3 * (size_t)count, sizeof(double)))
            return resultOutOfMemory("the particles of a fluid");
        fluid->points = points;
        fluid->room = count;
    }
    unsigned char row[ROW];
    for (int i = 0; i < count && fread(row, ROW, 1, in) == 1; ++i)
    {
        for (int a = 0; a < 3; ++a)
            fluid->points[3 * (size_t)i + (size_t)a] = loadFloat(row + 4 * a);
        fluid->count += 1;
    }
    return resultOk();
}

vvResult fluidsLoad(Run *run, int frame)
{
    vvResult result = resultOk();
    for (int i = 0; i < run->show.fluidCount && result.code == VV_OK; ++i)
    {
        FILE *in = openFrame(run, i, frame);
        if (in == NULL)
            continue; // as before
        result = loadFluid(run, &run->show.fluid[i], in);
        fclose(in);
    }
    return result;
}

vvResult fluidsOpen(Run *run, const char *folder, const char *stem)
{
    vvFluidId fluid[MOST_FLUIDS];
    int count = minInt(vvWorld_GetFluids(sceneWorldId(run->built), fluid, MOST_FLUIDS), MOST_FLUIDS);
    snprintf(run->fluidStem, sizeof run->fluidStem, "%.700s/%.100s", folder, stem);
    for (FILE *in; count > 0 && (in = openFrame(run, 0, run->fluidFrames)) != NULL; ++run->fluidFrames)
        fclose(in);
    for (int i = 0; i < count && run->fluidFrames > 0; ++i)
        run->show.fluid[run->show.fluidCount++].spacing = vvFluid_GetSpacing(fluid[i]);
    return fluidsLoad(run, 0);
}
