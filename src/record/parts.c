// The files of a frame that formats with a file per part write: soft bodies, all rigid bodies together, fluids.
#include "record/record.h"

#include <stdio.h>

void fluidsFind(vvRecorder *recorder)
{
    int count = vvWorld_GetFluids(recorder->world, recorder->fluid, MOST_RECORD_FLUIDS);
    recorder->fluidCount = minInt(count, MOST_RECORD_FLUIDS);
}

// the numbers of frames follow behind a '_', and names of bodies behind a '-', so that no two files meet
void rigidStem(const vvRecorder *recorder, char *stem)
{
    snprintf(stem, LONGEST_STEM, "%.100s" RECORD_RIGID_STEM, recorder->frames);
}

// names of bodies have no '-'
void fluidStem(const char *frames, int fluid, char *stem)
{
    snprintf(stem, LONGEST_STEM, "%.100s-fluid-%d", frames, fluid);
}

int partCount(const vvRecorder *recorder)
{
    return recorder->bodyCount + (recorder->rigidCount > 0 ? 1 : 0) + recorder->fluidCount;
}

void partStem(const vvRecorder *recorder, int part, char *stem)
{
    int behind = part - recorder->bodyCount;
    if (behind < 0)
        snprintf(stem, LONGEST_STEM, "%s", recorder->body[part].stem);
    else if (behind == 0 && recorder->rigidCount > 0)
        rigidStem(recorder, stem);
    else
        fluidStem(recorder->frames, behind - (recorder->rigidCount > 0 ? 1 : 0), stem);
}
