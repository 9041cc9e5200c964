// The fluids of a glTF file. Particles come and go, so that no mesh with morph targets can hold them: every key frame
// is a set of points of its own, and one is shown after the other.
#include "record/glb.h"

#include <string.h>

#define ROW 12     // bytes of a place
#define CHUNK 5461 // places that are written at once

static void measure(const FluidFrame *frame, GlbBounds *bounds)
{
    for (int i = 0; i < frame->count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            float x = frame->particle[i].point[a];
            bounds->lower[a] = i == 0 || x < bounds->lower[a] ? x : bounds->lower[a];
            bounds->upper[a] = i == 0 || x > bounds->upper[a] ? x : bounds->upper[a];
        }
    }
}

static vvResult findClouds(Clip *clip, Glb *glb, int fluid, int frames, int stride)
{
    GlbCloud *last = NULL;
    vvResult result = resultOk();
    for (int frame = 0; frame < frames && result.code == VV_OK; frame += stride)
    {
        const FluidFrame *particles;
        result = clipFluid(clip, fluid, frame, &particles);
        if (result.code != VV_OK)
            return result;
        if (last != NULL)
            glbShow(&last->shown, last->frame, frame, clip->frameTime);
        last = NULL;
        if (particles->count == 0)
            continue;
        last = &glb->cloud[glb->cloudCount++];
        *last = (GlbCloud){ .fluid = fluid, .frame = frame, .count = particles->count };
        measure(particles, &last->bounds);
        glbShow(&last->shown, frame, -1, clip->frameTime);
    }
    return result;
}

vvResult cloudsPrepare(Clip *clip, Glb *glb, int frames)
{
    int stride = (frames + clip->mostKeys - 1) / clip->mostKeys;
    glb->fluidCount = clip->fluidCount;
    if (clip->fluidCount == 0)
        return resultOk();
    glb->cloud = ALLOCATE(&clip->record->memory, GlbCloud, (size_t)clip->fluidCount * (size_t)(frames / stride + 1));
    if (glb->cloud == NULL)
        return resultOutOfMemory("a glTF file");
    vvResult result = resultOk();
    for (int i = 0; i < clip->fluidCount && result.code == VV_OK; ++i)
        result = findClouds(clip, glb, i, frames, stride);
    return result;
}

void cloudsLayOut(Glb *glb)
{
    glb->cloudAt = glb->size;
    for (int i = 0; i < glb->cloudCount; ++i)
    {
        glb->cloud[i].placeAt = glb->size;
        glb->size += ROW * (long long)glb->cloud[i].count;
    }
}

static vvResult writePlaces(Clip *clip, const GlbCloud *cloud, File *file)
{
    const FluidFrame *particles;
    char bytes[ROW * CHUNK];
    vvResult result = clipFluid(clip, cloud->fluid, cloud->frame, &particles);
    if (result.code == VV_OK && particles->count != cloud->count)
        result = resultMake(VV_INPUT_OUTPUT, "leave the files of a record alone while it is exported",
                            "the particles of frame %d have changed", cloud->frame);
    for (int i = 0; i < cloud->count && result.code == VV_OK;)
    {
        char *out = bytes;
        for (; i < cloud->count && out < bytes + sizeof bytes; ++i)
            out = storeArray(out, particles->particle[i].point, 3, sizeof(float));
        result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

vvResult cloudsWrite(Clip *clip, const Glb *glb, File *file)
{
    vvResult result = resultOk();
    for (int i = 0; i < glb->cloudCount && result.code == VV_OK; ++i)
        result = writePlaces(clip, &glb->cloud[i], file);
    return result;
}
