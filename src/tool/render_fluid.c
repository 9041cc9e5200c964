// The fluids of a recorded run (src/record/fluid_frames.c).
#include "tool/render.h"

#include "record/replay.h"

static vvResult show(Run *run, ShownFluid *fluid, const FluidFrame *frame)
{
    if (frame->count > fluid->room)
    {
        void *points = fluid->points;
        if (!memoryGrow(run->show.memory, &points, 3 * (size_t)fluid->room, 3 * (size_t)frame->count, sizeof(double)))
            return resultOutOfMemory("the particles of a fluid");
        fluid->points = points;
        fluid->room = frame->count;
    }
    fluid->count = frame->count;
    for (size_t i = 0; i < 3 * (size_t)frame->count; ++i)
        fluid->points[i] = (double)frame->particle[i / 3].point[i % 3];
    return resultOk();
}

vvResult fluidsLoad(Run *run, int frame)
{
    Memory *memory = run->show.memory;
    vvResult result = resultOk();
    for (int i = 0; i < run->show.fluidCount && result.code == VV_OK; ++i)
    {
        bool there = false;
        result = fluidFrameRead(memory, run->fluidFolder, run->fluidStem, i, frame, &run->particles, &there);
        if (result.code == VV_OK && there) // else as before
            result = show(run, &run->show.fluid[i], &run->particles);
    }
    return result;
}

vvResult fluidsOpen(Run *run, const char *folder, const char *stem)
{
    vvFluidId fluid[MOST_FLUIDS];
    int count = minInt(vvWorld_GetFluids(sceneWorldId(run->built), fluid, MOST_FLUIDS), MOST_FLUIDS);
    snprintf(run->fluidFolder, sizeof run->fluidFolder, "%.900s", folder);
    snprintf(run->fluidStem, sizeof run->fluidStem, "%.100s", stem);
    run->fluidFrames = count > 0 ? fluidFrameCount(folder, stem) : 0;
    for (int i = 0; i < count && run->fluidFrames > 0; ++i)
        run->show.fluid[run->show.fluidCount++].spacing = vvFluid_GetSpacing(fluid[i]);
    return fluidsLoad(run, 0);
}
