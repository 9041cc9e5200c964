// The JSON part of a glTF file.
#include "record/glb.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PIECE 512

static void makeRoom(GlbText *text, size_t size)
{
    void *block = text->bytes;
    if (text->starved || text->size + size <= text->room)
        return;
    size_t room = 2 * text->room + size + 4096;
    text->starved = !memoryGrow(text->memory, &block, text->size, room, 1);
    text->bytes = block;
    text->room = text->starved ? text->room : room;
}

void glbAdd(GlbText *text, const char *format, ...)
{
    makeRoom(text, LONGEST_PIECE);
    if (text->starved)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->size, LONGEST_PIECE, format, arguments);
    va_end(arguments);
    ASSERT(length >= 0 && length < LONGEST_PIECE, "a piece of JSON fits");
    text->size += (size_t)length;
}

void glbComma(GlbText *text)
{
    if (text->size > 0 && text->bytes[text->size - 1] != '[')
        glbAdd(text, ",");
}

static void addFloat(GlbText *text, float value)
{
    makeRoom(text, LONGEST_FLOAT);
    if (!text->starved)
        text->size += (size_t)(textFloat(text->bytes + text->size, value) - (text->bytes + text->size));
}

void glbAddFloats(GlbText *text, const char *key, const float *value, int count)
{
    for (int c = 0; c < count; ++c)
    {
        if (c == 0)
            glbAdd(text, ",\"%s\":[", key);
        addFloat(text, value[c]);
        glbAdd(text, c < count - 1 ? "," : "]");
    }
}

// a name of a file: quotes and control characters escaped, bytes that are no UTF-8 replaced
static void addName(GlbText *text, const char *name)
{
    for (int length; *name != 0; name += maxInt(length, 1))
    {
        length = utf8Length(name);
        if (*name == '"' || *name == '\\')
            glbAdd(text, "\\%c", *name);
        else if (length == 1 && (unsigned char)*name < 0x20)
            glbAdd(text, "\\u%04x", (unsigned)(unsigned char)*name);
        else if (length == 0)
            glbAdd(text, "\\ufffd");
        else
            glbAdd(text, "%.*s", length, name);
    }
}

// ---- numbers of things ----------------------------------------------------------------------------------------------

// of a body: indices of every part, texture coordinates, positions and normals of every key, times and weights
static int accessorCount(const GlbBody *own)
{
    int vectors = own->skin.triangleCount > 0 ? 2 : 1;
    int channels = glbChannels(own);
    return maxInt(own->skin.partCount, 1) + own->mapped + vectors * own->keyCount + (channels > 0 ? channels + 1 : 0);
}

static int viewCount(const GlbBody *own)
{
    return 2 + own->mapped + (glbChannels(own) > 0 ? 1 : 0);
}

// ---- what is in the buffer ------------------------------------------------------------------------------------------

static void addViews(GlbText *text, const GlbBody *own)
{
    long long end = own->timeAt + (own->rigid ? 32LL * own->poseCount : 4LL * own->keyCount * own->keyCount);
    glbAdd(text, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"target\":34963}", own->indexAt,
           own->coordinateAt - own->indexAt);
    if (own->mapped)
        glbAdd(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"target\":34962}", own->coordinateAt,
               own->vectorAt - own->coordinateAt);
    glbAdd(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"byteStride\":12,\"target\":34962}",
           own->vectorAt, own->timeAt - own->vectorAt);
    if (glbChannels(own) > 0)
        glbAdd(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld}", own->timeAt, end - own->timeAt);
}

static void addVector(GlbText *text, int view, long long offset, int count, const GlbBounds *bounds)
{
    glbAdd(text, ",{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"", view,
           offset, count);
    if (bounds != NULL)
    {
        glbAddFloats(text, "min", bounds->lower, 3);
        glbAddFloats(text, "max", bounds->upper, 3);
    }
    glbAdd(text, "}");
}

// times, translations and rotations of a rigid body
static void addPoses(GlbText *text, const GlbBody *own, int view, double frameTime)
{
    int count = own->poseCount;
    glbAdd(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"min\":[0],\"max\":[",
           view, count);
    addFloat(text, toFloat((count - 1) * frameTime));
    glbAdd(text, "]},{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}", view,
           4 * count, count);
    glbAdd(text, ",{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"}", view,
           16 * count, count);
}

static void addAccessors(GlbText *text, const GlbBody *own, int view, double frameTime)
{
    const Skin *skin = &own->skin;
    int vertices = skin->vertexCount, mapped = own->mapped, keys = own->keyCount;
    for (int p = 0; p < skin->partCount; ++p)
        glbAdd(text,
               "%s{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}",
               p > 0 ? "," : "", view, 12LL * skin->partStart[p], 3 * (skin->partStart[p + 1] - skin->partStart[p]));
    if (skin->partCount == 0)
        glbAdd(text, "{\"bufferView\":%d,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}", view, own->loose);
    if (mapped)
        glbAdd(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC2\"}", view + 1, vertices);
    long long offset = 0;
    for (int k = 0; k < keys; ++k)
    {
        addVector(text, view + 1 + mapped, offset, vertices, &own->bounds[k]);
        offset += 12LL * vertices;
        if (skin->triangleCount == 0)
            continue;
        addVector(text, view + 1 + mapped, offset, vertices, NULL);
        offset += 12LL * vertices;
    }
    if (own->moves)
        addPoses(text, own, view + 2 + mapped, frameTime);
    if (keys < 2)
        return;
    const float ends[] = { toFloat(own->key[0] * frameTime), toFloat(own->key[keys - 1] * frameTime) };
    glbAdd(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"", view + 2 + mapped,
           keys);
    glbAddFloats(text, "min", &ends[0], 1);
    glbAddFloats(text, "max", &ends[1], 1);
    glbAdd(text, "},{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"}",
           view + 2 + mapped, 4 * keys, keys * (keys - 1));
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

// `first`: accessor of the first part's indices
static void addPart(GlbText *text, const GlbBody *own, int part, int first, int material)
{
    const Skin *skin = &own->skin;
    bool lines = skin->triangleCount == 0;
    int at = first + maxInt(skin->partCount, 1), step = lines ? 1 : 2, vector = at + own->mapped;
    glbAdd(text, "%s{\"attributes\":{\"POSITION\":%d", part > 0 ? "," : "", vector);
    if (!lines)
        glbAdd(text, ",\"NORMAL\":%d", vector + 1);
    if (own->mapped)
        glbAdd(text, ",\"TEXCOORD_0\":%d", at);
    int mode = !lines ? 4 : own->lines ? 1 : 0;
    glbAdd(text, "},\"indices\":%d,\"material\":%d,\"mode\":%d", first + part, material, mode);
    for (int k = 1; k < own->keyCount; ++k)
    {
        glbAdd(text, "%s{\"POSITION\":%d", k > 1 ? "," : ",\"targets\":[", vector + step * k);
        if (!lines)
            glbAdd(text, ",\"NORMAL\":%d", vector + step * k + 1);
        glbAdd(text, "}");
    }
    glbAdd(text, own->keyCount > 1 ? "]}" : "}");
}

static void addMeshes(GlbText *text, const Glb *glb)
{
    int accessor = 0, materials = 0;
    glbAdd(text, "],\"meshes\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        int parts = maxInt(own->skin.partCount, 1);
        glbAdd(text, "%s{\"name\":\"%s\",\"primitives\":[", i > 0 ? "," : "", own->name);
        for (int p = 0; p < parts; ++p)
            addPart(text, own, p, accessor, own->material + p);
        glbAdd(text, "]}");
        accessor += accessorCount(own);
        materials = own->material + parts;
    }
    cloudsAddMeshes(text, glb, accessor, materials);
}

// colours tell bodies and materials apart: a file says names only
static void addMaterials(GlbText *text, const Glb *glb)
{
    static const char *const colours[] = { "0.8,0.25,0.2,1",  "0.15,0.4,0.75,1", "0.9,0.6,0.15,1", "0.2,0.6,0.35,1",
                                           "0.55,0.35,0.7,1", "0.3,0.65,0.7,1",  "0.75,0.5,0.4,1", "0.6,0.6,0.6,1" };
    glbAdd(text, "],\"materials\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        const char *name = own->materials;
        for (int p = 0; p < maxInt(own->skin.partCount, 1) && !own->borrows; ++p)
        {
            glbAdd(text, "%s{\"name\":\"", own->material + p > 0 ? "," : "");
            addName(text, name);
            name += strlen(name) + 1;
            glbAdd(
                text,
                "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s],\"metallicFactor\":0,\"roughnessFactor\":0.6}",
                colours[(own->material + p) % 8]);
            glbAdd(text, own->doubleSided ? ",\"doubleSided\":true}" : "}");
        }
    }
    cloudsAddMaterials(text, glb);
}

static bool isAnimated(const Glb *glb)
{
    bool animated = false;
    for (int i = 0; i < glb->count; ++i)
        animated = animated || glbChannels(&glb->body[i]) > 0;
    return animated || glbAnyHidden(glb);
}

static void addAnimation(GlbText *text, const Glb *glb)
{
    static const char *const paths[] = { "translation", "rotation" };
    int accessor = 0, sampler = 0;
    if (!isAnimated(glb))
        return;
    glbAdd(text, "],\"animations\":[{\"name\":\"simulation\",\"samplers\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        int channels = glbChannels(&glb->body[i]);
        accessor += accessorCount(&glb->body[i]);
        for (int k = 0; k < channels; ++k)
        {
            glbComma(text);
            glbAdd(text, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", accessor - channels - 1,
                   accessor - channels + k);
        }
    }
    shownAddSamplers(text, glb, accessor + glb->cloudCount);
    glbAdd(text, "],\"channels\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        for (int k = 0; k < glbChannels(&glb->body[i]); ++k, ++sampler)
        {
            glbComma(text);
            glbAdd(text, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", sampler, i,
                   glb->body[i].rigid ? paths[k] : "weights");
        }
    }
    shownAddChannels(text, glb, sampler);
    glbAdd(text, "]}");
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void addNodes(GlbText *text, const Glb *glb)
{
    glbAdd(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"verve\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < glb->count; ++i)
        glbAdd(text, "%s%d", i > 0 ? "," : "", i);
    cloudsAddRoots(text, glb);
    glbAdd(text, "]}],\"nodes\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        glbAdd(text, "%s{\"name\":\"%s\",\"mesh\":%d", i > 0 ? "," : "", own->name, i);
        if (own->shown.firstScale == 0)
            glbAdd(text, ",\"scale\":[0,0,0]");
        if (own->rigid)
        {
            glbAddFloats(text, "translation", own->pose, 3);
            glbAddFloats(text, "rotation", own->pose + 3, 4);
        }
        glbAdd(text, "}");
    }
    cloudsAddNodes(text, glb);
}

vvResult glbText(Memory *memory, Glb *glb)
{
    GlbText text = { .memory = memory };
    int view = 0;
    addNodes(&text, glb);
    addMeshes(&text, glb);
    addMaterials(&text, glb);
    addAnimation(&text, glb);
    glbAdd(&text, "],\"buffers\":[{\"byteLength\":%lld}],\"bufferViews\":[", glb->size);
    for (int i = 0; i < glb->count; ++i)
    {
        glbAdd(&text, i > 0 ? "," : "");
        addViews(&text, &glb->body[i]);
    }
    cloudsAddView(&text, glb);
    shownAddView(&text, glb);
    glbAdd(&text, "],\"accessors\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        glbAdd(&text, i > 0 ? "," : "");
        addAccessors(&text, &glb->body[i], view, glb->frameTime);
        view += viewCount(&glb->body[i]);
    }
    cloudsAddAccessors(&text, glb, view);
    shownAddAccessors(&text, glb, view + (glb->cloudCount > 0 ? 1 : 0));
    glbAdd(&text, "]}");
    while (text.size % 4 != 0 && !text.starved)
        glbAdd(&text, " ");
    glb->text = text.bytes;
    glb->textSize = text.size;
    return text.starved ? resultOutOfMemory("a glTF file") : resultOk();
}
