// Rigid bodies as USD: a layer with a prim for each, whose translation and orientation have time samples, and with a
// reference to the layer of the soft bodies. It is written when the record is closed, from the poses that were
// recorded.
#include "record/record.h"

static void addShape(UsdaText *text, const RecordBody *body)
{
    usdaWord(text, "        def Mesh \"shape\"\n        {\n            int[] faceVertexCounts = [");
    for (int t = 0; t < body->triangleCount; ++t)
        usdaWord(text, t > 0 ? ", 3" : "3");
    usdaWord(text, "]\n            int[] faceVertexIndices = [");
    for (int i = 0; i < 3 * body->triangleCount; ++i)
    {
        usdaWord(text, i > 0 ? ", " : "");
        usdaInt(text, body->triangle[i]);
    }
    usdaWord(text, "]\n            point3f[] points = [");
    for (int i = 0; i < body->pointCount; ++i)
    {
        const float *p = body->point + 3 * (size_t)i;
        usdaWord(text, i > 0 ? ", " : "");
        usdaTuple(text, (const double[]){ (double)p[0], (double)p[1], (double)p[2] }, 3);
    }
    usdaWord(text, "]\n            uniform token orientation = \"rightHanded\"\n"
                   "            uniform token subdivisionScheme = \"none\"\n        }\n");
}

static void addSamples(UsdaText *text, const Clip *clip, int number, const char *heading, int first, int count)
{
    usdaWord(text, heading);
    for (int frame = 0; frame < clip->frameCount; ++frame)
    {
        usdaWord(text, "            ");
        usdaInt(text, frame);
        usdaWord(text, ": ");
        usdaTuple(text, clipPose(clip, number, frame) + first, count);
        usdaWord(text, ",\n");
    }
    usdaWord(text, "        }\n");
}

static void addBody(UsdaText *text, const Clip *clip, int number)
{
    const RecordBody *body = &clip->record->rigid[number];
    usdaWord(text, "    def Xform \"");
    usdaWord(text, body->name);
    usdaWord(text, "\"\n    {\n");
    addSamples(text, clip, number, "        double3 xformOp:translate.timeSamples = {\n", 0, 3);
    addSamples(text, clip, number, "        quatf xformOp:orient.timeSamples = {\n", 3, 4);
    usdaWord(text, "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
    if (body->triangleCount > 0)
        addShape(text, body);
    usdaWord(text, "    }\n");
}

static vvResult addAll(UsdaText *text, Clip *clip)
{
    usdaHead(text, clip);
    usdaSoft(text, clip);
    for (int i = 0; i < clip->record->rigidCount; ++i)
        addBody(text, clip, i);
    usdaWord(text, "}\n");
    return resultOk();
}

vvResult usdaRigidWrite(Clip *clip)
{
    return usdaLayerWrite(clip, RECORD_RIGID_LAYER, addAll);
}

vvResult usdaGuestsWrite(Clip *clip)
{
    bool rigid = clip->pose != NULL, fluid = clip->fluidCount > 0;
    if (!rigid && !fluid)
        return resultMake(VV_BAD_INPUT, "'verve run --format usda' records soft bodies",
                          "the record has neither poses of rigid bodies nor particles of fluids, which an export to "
                          "usda is made of");
    vvResult result = rigid ? usdaRigidWrite(clip) : resultOk();
    return result.code == VV_OK && fluid ? usdaFluidWrite(clip) : result;
}
