// The JSON part of a glTF file.
#include "record/glb.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_PIECE 512

typedef struct Text
{
    Memory *memory;
    char *bytes;
    size_t size, room;
    bool starved;
} Text;

static void add(Text *text, const char *format, ...) PRINTF_LIKE(2, 3);

static void makeRoom(Text *text, size_t size)
{
    void *block = text->bytes;
    if (text->starved || text->size + size <= text->room)
        return;
    size_t room = 2 * text->room + size + 4096;
    text->starved = !memoryGrow(text->memory, &block, text->size, room, 1);
    text->bytes = block;
    text->room = text->starved ? text->room : room;
}

static void add(Text *text, const char *format, ...)
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

static void addFloat(Text *text, float value)
{
    makeRoom(text, LONGEST_FLOAT);
    if (!text->starved)
        text->size += (size_t)(textFloat(text->bytes + text->size, value) - (text->bytes + text->size));
}

static void addFloats(Text *text, const char *key, const float *value, int count)
{
    for (int c = 0; c < count; ++c)
    {
        if (c == 0)
            add(text, ",\"%s\":[", key);
        addFloat(text, value[c]);
        add(text, c < count - 1 ? "," : "]");
    }
}

// a name of a file: quotes and control characters escaped, bytes that are no UTF-8 replaced
static void addName(Text *text, const char *name)
{
    for (int length; *name != 0; name += maxInt(length, 1))
    {
        length = utf8Length(name);
        if (*name == '"' || *name == '\\')
            add(text, "\\%c", *name);
        else if (length == 1 && (unsigned char)*name < 0x20)
            add(text, "\\u%04x", (unsigned)(unsigned char)*name);
        else if (length == 0)
            add(text, "\\ufffd");
        else
            add(text, "%.*s", length, name);
    }
}

// ---- numbers of things ----------------------------------------------------------------------------------------------

// of a body: indices of every part, texture coordinates, positions and normals of every key, times and weights
static int accessorCount(const GlbBody *own)
{
    int vectors = own->skin.triangleCount > 0 ? 2 : 1;
    int channels = glbChannels(own);
    return maxInt(own->skin.partCount, 1) + glbMapped(own) + vectors * own->keyCount +
           (channels > 0 ? channels + 1 : 0);
}

static int viewCount(const GlbBody *own)
{
    return 2 + glbMapped(own) + (glbChannels(own) > 0 ? 1 : 0);
}

// ---- what is in the buffer ------------------------------------------------------------------------------------------

static void addViews(Text *text, const GlbBody *own)
{
    long long end = own->timeAt + (own->rigid ? 32LL * own->poseCount : 4LL * own->keyCount * own->keyCount);
    add(text, "{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"target\":34963}", own->indexAt,
        own->coordinateAt - own->indexAt);
    if (glbMapped(own))
        add(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"target\":34962}", own->coordinateAt,
            own->vectorAt - own->coordinateAt);
    add(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld,\"byteStride\":12,\"target\":34962}",
        own->vectorAt, own->timeAt - own->vectorAt);
    if (glbChannels(own) > 0)
        add(text, ",{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld}", own->timeAt, end - own->timeAt);
}

static void addVector(Text *text, int view, long long offset, int count, const GlbBounds *bounds)
{
    add(text, ",{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"", view,
        offset, count);
    if (bounds != NULL)
    {
        addFloats(text, "min", bounds->lower, 3);
        addFloats(text, "max", bounds->upper, 3);
    }
    add(text, "}");
}

// times, translations and rotations of a rigid body
static void addPoses(Text *text, const GlbBody *own, int view, double frameTime)
{
    int count = own->poseCount;
    add(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"min\":[0],\"max\":[", view,
        count);
    addFloat(text, toFloat((count - 1) * frameTime));
    add(text, "]},{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}", view,
        4 * count, count);
    add(text, ",{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"}", view,
        16 * count, count);
}

static void addAccessors(Text *text, const GlbBody *own, int view, double frameTime)
{
    const Skin *skin = &own->skin;
    int vertices = skin->vertexCount, mapped = glbMapped(own), keys = own->keyCount;
    for (int p = 0; p < skin->partCount; ++p)
        add(text, "%s{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}",
            p > 0 ? "," : "", view, 12LL * skin->partStart[p], 3 * (skin->partStart[p + 1] - skin->partStart[p]));
    if (skin->partCount == 0)
        add(text, "{\"bufferView\":%d,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}", view, glbLoose(own));
    if (mapped)
        add(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"VEC2\"}", view + 1, vertices);
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
    add(text, ",{\"bufferView\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\",\"min\":[0],\"max\":[",
        view + 2 + mapped, keys);
    addFloat(text, toFloat(own->key[keys - 1] * frameTime));
    add(text, "]},{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"}",
        view + 2 + mapped, 4 * keys, keys * (keys - 1));
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

// `first`: accessor of the first part's indices
static void addPart(Text *text, const GlbBody *own, int part, int first, int material)
{
    const Skin *skin = &own->skin;
    bool lines = skin->triangleCount == 0;
    int at = first + maxInt(skin->partCount, 1), step = lines ? 1 : 2, vector = at + glbMapped(own);
    add(text, "%s{\"attributes\":{\"POSITION\":%d", part > 0 ? "," : "", vector);
    if (!lines)
        add(text, ",\"NORMAL\":%d", vector + 1);
    if (glbMapped(own))
        add(text, ",\"TEXCOORD_0\":%d", at);
    add(text, "},\"indices\":%d,\"material\":%d,\"mode\":%d", first + part, material,
        !lines                     ? 4
        : own->body->lineCount > 0 ? 1
                                   : 0);
    for (int k = 1; k < own->keyCount; ++k)
    {
        add(text, "%s{\"POSITION\":%d", k > 1 ? "," : ",\"targets\":[", vector + step * k);
        if (!lines)
            add(text, ",\"NORMAL\":%d", vector + step * k + 1);
        add(text, "}");
    }
    add(text, own->keyCount > 1 ? "]}" : "}");
}

static void addMeshes(Text *text, const Glb *glb)
{
    int accessor = 0, material = 0;
    add(text, "],\"meshes\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        int parts = maxInt(own->skin.partCount, 1);
        add(text, "%s{\"name\":\"%s\",\"primitives\":[", i > 0 ? "," : "", own->body->name);
        for (int p = 0; p < parts; ++p)
            addPart(text, own, p, accessor, material + p);
        add(text, "]}");
        accessor += accessorCount(own);
        material += parts;
    }
}

// colours tell bodies and materials apart: a file says names only
static void addMaterials(Text *text, const Glb *glb)
{
    static const char *const colours[] = { "0.8,0.25,0.2,1",  "0.15,0.4,0.75,1", "0.9,0.6,0.15,1", "0.2,0.6,0.35,1",
                                           "0.55,0.35,0.7,1", "0.3,0.65,0.7,1",  "0.75,0.5,0.4,1", "0.6,0.6,0.6,1" };
    int number = 0;
    add(text, "],\"materials\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        for (int p = 0; p < maxInt(own->skin.partCount, 1); ++p, ++number)
        {
            int row = own->skin.partCount > 0 ? own->skin.material[p] : -1;
            add(text, "%s{\"name\":\"", number > 0 ? "," : "");
            addName(text, row >= 0 ? own->body->faces->materialNames[row] : own->body->name);
            add(text,
                "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s],\"metallicFactor\":0,\"roughnessFactor\":0.6}",
                colours[number % 8]);
            add(text, own->body->tetCount == 0 && !own->rigid ? ",\"doubleSided\":true}" : "}");
        }
    }
}

static void addAnimation(Text *text, const Glb *glb)
{
    static const char *const paths[] = { "translation", "rotation" };
    int accessor = 0, sampler = 0;
    for (int i = 0; i < glb->count; ++i)
    {
        int channels = glbChannels(&glb->body[i]);
        accessor += accessorCount(&glb->body[i]);
        for (int k = 0; k < channels; ++k)
            add(text, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
                sampler++ > 0 ? "," : "],\"animations\":[{\"name\":\"simulation\",\"samplers\":[",
                accessor - channels - 1, accessor - channels + k);
    }
    if (sampler == 0)
        return;
    add(text, "],\"channels\":[");
    sampler = 0;
    for (int i = 0; i < glb->count; ++i)
    {
        for (int k = 0; k < glbChannels(&glb->body[i]); ++k, ++sampler)
            add(text, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", sampler > 0 ? "," : "", sampler, i,
                glb->body[i].rigid ? paths[k] : "weights");
    }
    add(text, "]}");
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void addNodes(Text *text, const Glb *glb)
{
    add(text, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"verve\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < glb->count; ++i)
        add(text, "%s%d", i > 0 ? "," : "", i);
    add(text, "]}],\"nodes\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        const GlbBody *own = &glb->body[i];
        add(text, "%s{\"name\":\"%s\",\"mesh\":%d", i > 0 ? "," : "", own->body->name, i);
        if (own->rigid)
        {
            addFloats(text, "translation", own->pose, 3);
            addFloats(text, "rotation", own->pose + 3, 4);
        }
        add(text, "}");
    }
}

vvResult glbText(Memory *memory, Glb *glb)
{
    Text text = { .memory = memory };
    int view = 0;
    addNodes(&text, glb);
    addMeshes(&text, glb);
    addMaterials(&text, glb);
    addAnimation(&text, glb);
    add(&text, "],\"buffers\":[{\"byteLength\":%lld}],\"bufferViews\":[", glb->size);
    for (int i = 0; i < glb->count; ++i)
    {
        add(&text, i > 0 ? "," : "");
        addViews(&text, &glb->body[i]);
    }
    add(&text, "],\"accessors\":[");
    for (int i = 0; i < glb->count; ++i)
    {
        add(&text, i > 0 ? "," : "");
        addAccessors(&text, &glb->body[i], view, glb->frameTime);
        view += viewCount(&glb->body[i]);
    }
    add(&text, "]}");
    while (text.size % 4 != 0 && !text.starved)
        add(&text, " ");
    glb->text = text.bytes;
    glb->textSize = text.size;
    return text.starved ? resultOutOfMemory("a glTF file") : resultOk();
}
