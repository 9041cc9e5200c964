// What a glTF file shows for a while: the meshes of a body one after the other, and the particles of a fluid. The scale
// of a node is 1 or 0, and an animation steps from one to the other.
#include "record/glb.h"

#define ROW 12 // bytes of a scale

void glbShow(GlbShown *shown, int since, int until, double frameTime)
{
    *shown = (GlbShown){ .timeCount = 1, .firstScale = since > 0 ? 0 : 1 };
    if (since > 0)
        shown->time[shown->timeCount++] = toFloat(since * frameTime);
    if (until >= 0)
        shown->time[shown->timeCount++] = toFloat(until * frameTime);
}

// the bodies, then the clouds
static GlbShown *shownAt(const Glb *glb, int i)
{
    return i < glb->count ? &glb->body[i].shown : &glb->cloud[i - glb->count].shown;
}

static int shownCount(const Glb *glb)
{
    return glb->count + glb->cloudCount;
}

static int nodeOf(const Glb *glb, int i)
{
    return i < glb->count ? i : cloudsFirstNode(glb) + i - glb->count;
}

bool glbAnyHidden(const Glb *glb)
{
    bool hidden = false;
    for (int i = 0; i < shownCount(glb); ++i)
        hidden = hidden || shownAt(glb, i)->timeCount > 1;
    return hidden;
}

void shownLayOut(Glb *glb)
{
    glb->scaleAt = glb->size;
    glb->size += glbAnyHidden(glb) ? 3 * ROW : 0;
    for (int i = 0; i < shownCount(glb); ++i)
    {
        GlbShown *shown = shownAt(glb, i);
        shown->timeAt = glb->size;
        glb->size += shown->timeCount > 1 ? 4LL * shown->timeCount : 0;
    }
}

vvResult shownWrite(const Glb *glb, File *file)
{
    static const float scales[9] = { 0, 0, 0, 1, 1, 1, 0, 0, 0 };
    char bytes[3 * ROW];
    if (!glbAnyHidden(glb))
        return resultOk();
    storeArray(bytes, scales, 9, sizeof(float));
    vvResult result = diskAppend(file, bytes, sizeof bytes);
    for (int i = 0; i < shownCount(glb) && result.code == VV_OK; ++i)
    {
        const GlbShown *shown = shownAt(glb, i);
        if (shown->timeCount < 2)
            continue;
        const char *end = storeArray(bytes, shown->time, (size_t)shown->timeCount, sizeof(float));
        result = diskAppend(file, bytes, (size_t)(end - bytes));
    }
    return result;
}

// ---- text -----------------------------------------------------------------------------------------------------------

// Accessors: the three ways through the scales 0, 1, 0, then the times of what is not always seen.
#define SCALE_WAYS 3

static int wayOf(const GlbShown *shown)
{
    return shown->timeCount == 3 ? 0 : 1 + shown->firstScale;
}

void shownAddSamplers(GlbText *text, const Glb *glb, int accessor)
{
    int time = accessor + SCALE_WAYS;
    for (int i = 0; i < shownCount(glb); ++i)
    {
        if (shownAt(glb, i)->timeCount < 2)
            continue;
        glbComma(text);
        glbAdd(text, "{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}", time++,
               accessor + wayOf(shownAt(glb, i)));
    }
}

void shownAddChannels(GlbText *text, const Glb *glb, int sampler)
{
    for (int i = 0; i < shownCount(glb); ++i)
    {
        if (shownAt(glb, i)->timeCount < 2)
            continue;
        glbComma(text);
        glbAdd(text, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"scale\"}}", sampler++, nodeOf(glb, i));
    }
}

void shownAddView(GlbText *text, const Glb *glb)
{
    if (!glbAnyHidden(glb))
        return;
    glbComma(text);
    glbAdd(text, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld}", glb->scaleAt, glb->size - glb->scaleAt);
}

void shownAddAccessors(GlbText *text, const Glb *glb, int view)
{
    static const struct
    {
        int offset, count;
    } way[SCALE_WAYS] = { { 0, 3 }, { 0, 2 }, { ROW, 2 } };
    if (!glbAnyHidden(glb))
        return;
    for (int i = 0; i < SCALE_WAYS; ++i)
    {
        glbComma(text);
        glbAdd(text, "{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}",
               view, way[i].offset, way[i].count);
    }
    for (int i = 0; i < shownCount(glb); ++i)
    {
        const GlbShown *shown = shownAt(glb, i);
        if (shown->timeCount < 2)
            continue;
        glbAdd(text, ",{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"",
               view, shown->timeAt - glb->scaleAt, shown->timeCount);
        glbAddFloats(text, "min", shown->time, 1);
        glbAddFloats(text, "max", &shown->time[shown->timeCount - 1], 1);
        glbAdd(text, "}");
    }
}
