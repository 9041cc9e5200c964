// Fluids as USD: a layer with a Points prim for each, whose places have time samples in the order of the particles'
// ids, and with a reference to the layer of the bodies. It is written when the record is closed, from the PLY files.
#include "record/record.h"

#include <stdio.h>

typedef void AddFrame(UsdaText *text, const FluidFrame *frame);

static void addPlaces(UsdaText *text, const FluidFrame *frame)
{
    for (int i = 0; i < frame->count; ++i)
    {
        const float *p = frame->particle[i].point;
        usdaWord(text, i > 0 ? ", " : "");
        usdaTuple(text, (const double[]){ (double)p[0], (double)p[1], (double)p[2] }, 3);
    }
}

static void addIds(UsdaText *text, const FluidFrame *frame)
{
    for (int i = 0; i < frame->count; ++i)
    {
        char number[24];
        snprintf(number, sizeof number, "%s%lu", i > 0 ? ", " : "", (unsigned long)frame->particle[i].id);
        usdaWord(text, number);
    }
}

// the box that viewers fit the camera to; empty where there are no particles
static void addExtent(UsdaText *text, const FluidFrame *frame)
{
    double low[3] = { 0, 0, 0 }, high[3] = { 0, 0, 0 };
    for (int i = 0; i < frame->count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            double x = (double)frame->particle[i].point[a];
            low[a] = i == 0 ? x : minReal(low[a], x);
            high[a] = i == 0 ? x : maxReal(high[a], x);
        }
    }
    usdaTuple(text, low, 3);
    usdaWord(text, ", ");
    usdaTuple(text, high, 3);
}

static vvResult addSamples(UsdaText *text, Clip *clip, int fluid, const char *heading, AddFrame *add)
{
    vvResult result = resultOk();
    usdaWord(text, heading);
    for (int k = 0; k < clip->frameCount && result.code == VV_OK; ++k)
    {
        const FluidFrame *frame;
        result = clipFluid(clip, fluid, k, &frame);
        usdaWord(text, "            ");
        usdaInt(text, k);
        usdaWord(text, ": [");
        if (result.code == VV_OK)
            add(text, frame);
        usdaWord(text, "],\n");
    }
    usdaWord(text, "        }\n");
    return result;
}

static vvResult addFluid(UsdaText *text, Clip *clip, int fluid)
{
    char line[96];
    usdaWord(text, "    def Points \"fluid_");
    usdaInt(text, fluid);
    usdaWord(text, "\"\n    {\n        float[] widths = [");
    char *end = textFloat(line, toFloat(vvFluid_GetSpacing(clip->record->fluid[fluid])));
    *end = 0;
    usdaWord(text, line);
    usdaWord(text, "] (\n            interpolation = \"constant\"\n        )\n"
                   "        color3f[] primvars:displayColor = [(0.2, 0.45, 0.8)]\n");
    vvResult result = addSamples(text, clip, fluid, "        float3[] extent.timeSamples = {\n", addExtent);
    if (result.code == VV_OK)
        result = addSamples(text, clip, fluid, "        int64[] ids.timeSamples = {\n", addIds);
    if (result.code == VV_OK)
        result = addSamples(text, clip, fluid, "        point3f[] points.timeSamples = {\n", addPlaces);
    usdaWord(text, "    }\n");
    return result;
}

static vvResult addAll(UsdaText *text, Clip *clip)
{
    vvResult result = resultOk();
    usdaHead(text, clip);
    if (clip->pose != NULL)
        usdaReference(text, clip->record->frames, RECORD_RIGID_LAYER, "rigid");
    else
        usdaSoft(text, clip);
    for (int i = 0; i < clip->fluidCount && result.code == VV_OK; ++i)
        result = addFluid(text, clip, i);
    usdaWord(text, "}\n");
    return result;
}

vvResult usdaFluidWrite(Clip *clip)
{
    return usdaLayerWrite(clip, RECORD_FLUID_LAYER, addAll);
}
