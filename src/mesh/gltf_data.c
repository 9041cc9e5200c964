// The container of glTF 2.0: JSON alone or in a binary file, and buffers in it, in its text or beside it.
#include "mesh/gltf.h"

#include "base/system.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_PATH 4096
#define CHUNK_JSON 0x4e4f534aL
#define CHUNK_BINARY 0x004e4942L

bool gltfFault(Gltf *gltf, const char *remedy, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gltf->reader->result = resultMake(VV_BAD_INPUT, remedy, "%s: %s", gltf->reader->name, text);
    return false;
}

// a whole number from 0 to `most`; `fallback` where the key is not there, -1: it must be
bool gltfWhole(Gltf *gltf, const Json *object, const char *key, long long most, long long fallback, long long *value)
{
    const Json *item = jsonFind(object, key);
    *value = fallback;
    if (item == NULL && fallback >= 0)
        return true;
    if (!jsonIs(item, JSON_NUMBER) || !(item->number >= 0 && item->number <= (double)most) ||
        item->number != (double)(long long)item->number)
        return gltfFault(gltf, "repair the file, or export it again", "%s is %s, must be a whole number from 0 to %lld",
                         key, item == NULL ? "not there" : "something else", most);
    *value = (long long)item->number;
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool readAll(Gltf *gltf)
{
    Source *source = &gltf->reader->source;
    size_t behind = source->size > source->taken ? source->size - source->taken : 0;
    gltf->fileSize = (size_t)(source->end - source->at) + behind;
    gltf->file = ALLOCATE(gltf->reader->memory, char, gltf->fileSize + 1);
    if (gltf->file == NULL)
        return readerOutOfMemory(gltf->reader);
    return sourceBytes(source, gltf->file, gltf->fileSize) || readerEndFault(gltf->reader);
}

static long long wordAt(const char *bytes)
{
    long long value = 0;
    numberInteger(NUMBER_UINT32, (const unsigned char *)bytes, false, &value);
    return value;
}

// the JSON part of a binary file, and the buffer behind it
static bool findChunks(Gltf *gltf, const char **text, size_t *size)
{
    const char *file = gltf->file, *remedy = "the file is cut off or damaged: write or copy it again";
    if (gltf->fileSize < 20)
        return gltfFault(gltf, remedy, "a binary glTF file of %zu bytes", gltf->fileSize);
    if (wordAt(file + 4) != 2)
        return gltfFault(gltf, "export it as glTF 2.0", "glTF of version %lld, must be 2", wordAt(file + 4));
    size_t whole = (size_t)wordAt(file + 8), json = (size_t)wordAt(file + 12);
    if (whole > gltf->fileSize || whole < 20 || wordAt(file + 16) != CHUNK_JSON || json > whole - 20)
        return gltfFault(gltf, remedy, "it says %zu bytes, %zu of them JSON, and has %zu", whole, json, gltf->fileSize);
    size_t left = whole - 20 - json;
    const char *next = file + 20 + json;
    if (left >= 8 && wordAt(next + 4) == CHUNK_BINARY)
    {
        size_t bytes = (size_t)wordAt(next);
        if (bytes > left - 8)
            return gltfFault(gltf, remedy, "its buffer has %zu bytes, and %zu are left", bytes, left - 8);
        gltf->chunk = (GltfBuffer){ (const unsigned char *)next + 8, bytes, NULL };
    }
    *text = file + 20;
    *size = json;
    return true;
}

// ---- buffers --------------------------------------------------------------------------------------------------------

static int digitOf(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != 0 ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

static bool decodeText(Gltf *gltf, const char *text, GltfBuffer *buffer)
{
    size_t length = strlen(text), used = 0;
    unsigned char *bytes = ALLOCATE(gltf->reader->memory, unsigned char, length / 4 * 3 + 3);
    buffer->own = bytes;
    buffer->bytes = bytes;
    if (bytes == NULL)
        return readerOutOfMemory(gltf->reader);
    while (length > 0 && text[length - 1] == '=')
        --length;
    unsigned bits = 0;
    for (size_t i = 0; i < length; ++i)
    {
        int digit = digitOf(text[i]);
        if (digit < 0)
            return gltfFault(gltf, "repair the file, or export it again", "a buffer has a letter that is not base64");
        bits = bits << 6 | (unsigned)digit;
        if (i % 4 > 0)
            bytes[used++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    buffer->size = used;
    return true;
}

static int hexOf(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// %20 and the like become what they stand for
static void decodeName(char *name)
{
    char *out = name;
    for (const char *c = name; *c != 0; ++c)
    {
        bool escaped = c[0] == '%' && hexOf(c[1]) >= 0 && hexOf(c[2]) >= 0 && (hexOf(c[1]) > 0 || hexOf(c[2]) > 0);
        *out++ = escaped ? (char)(16 * hexOf(c[1]) + hexOf(c[2])) : *c;
        c += escaped ? 2 : 0;
    }
    *out = 0;
}

// the path of a file beside or below ours: a file that somebody sent must not open others
static bool findBeside(Gltf *gltf, const char *uri, char *path)
{
    char folder[LONGEST_PATH], real[LONGEST_PATH], own[LONGEST_PATH];
    const char *remedy = "use a binary .glb file, or put the file of the buffer beside the .gltf file";
    if (gltf->reader->path == NULL)
        return gltfFault(gltf, remedy, "a buffer is the file '%.60s', and data in memory has no folder", uri);
    const char *slash = pathLastSlash(gltf->reader->path);
    int length = slash != NULL ? (int)(slash - gltf->reader->path) + 1 : 0;
    bool fits = snprintf(folder, sizeof folder, "%.*s", length, gltf->reader->path) < LONGEST_PATH &&
                snprintf(path, LONGEST_PATH, "%s%s", folder, uri) < LONGEST_PATH;
    if (fits)
        decodeName(path + length);
    if (!fits || strchr(path + length, ':') != NULL)
        return gltfFault(gltf, remedy, "a buffer is '%.60s', which is no file beside it", uri);
    if (!pathReal(length > 0 ? folder : ".", own, sizeof own) || !pathReal(path, real, sizeof real))
        return gltfFault(gltf, remedy, "the file of a buffer, '%.100s', is not there", uri);
    size_t size = strlen(own);
    size -= size > 0 && own[size - 1] == '/';
    if (strncmp(real, own, size) != 0 || (real[size] != '/' && real[size] != '\\'))
        return gltfFault(gltf, remedy, "a buffer is '%.60s', outside the folder of the file", uri);
    return true;
}

static bool readBeside(Gltf *gltf, const char *uri, GltfBuffer *buffer)
{
    char path[LONGEST_PATH];
    Source source = { 0 };
    if (!findBeside(gltf, uri, path))
        return false;
    vvResult result = sourceOpenFile(&source, gltf->reader->memory, path);
    if (result.code == VV_OK)
    {
        buffer->size = source.size;
        buffer->own = ALLOCATE(gltf->reader->memory, char, buffer->size + 1);
        buffer->bytes = buffer->own;
        // the mark before UTF-8 that a source passes would be part of the numbers
        bool marked = source.at > source.buffer;
        if (buffer->own == NULL)
            result = resultOutOfMemory("a mesh file");
        else if (marked || !sourceBytes(&source, buffer->own, buffer->size))
            result = resultMake(VV_BAD_INPUT, "write or copy it again", "'%.100s' cannot be read to its end", uri);
    }
    sourceClose(&source);
    if (result.code != VV_OK && result.code != VV_OUT_OF_MEMORY)
        return gltfFault(gltf, result.remedy, "%s", result.message);
    gltf->reader->result = result;
    return result.code == VV_OK;
}

static bool loadBuffer(Gltf *gltf, int number)
{
    const Json *entry = gltf->buffers.entry[number], *uri = jsonFind(entry, "uri");
    GltfBuffer *buffer = &gltf->buffer[number];
    long long length;
    if (!gltfWhole(gltf, entry, "byteLength", (long long)1 << 40, -1, &length))
        return false;
    const char *data =
        jsonIs(uri, JSON_STRING) && strncmp(uri->string, "data:", 5) == 0 ? strstr(uri->string, ";base64,") : NULL;
    bool ok = true;
    if (data != NULL)
        ok = decodeText(gltf, data + 8, buffer);
    else if (jsonIs(uri, JSON_STRING))
        ok = readBeside(gltf, uri->string, buffer);
    else if (number == 0)
        *buffer = gltf->chunk;
    if (ok && (unsigned long long)length > buffer->size)
        return gltfFault(gltf, "the file is cut off or damaged: write or copy it again",
                         "buffer %d says %lld bytes and has %zu", number, length, buffer->size);
    return ok;
}

// ---- open and close -------------------------------------------------------------------------------------------------

static bool collect(Gltf *gltf, const char *key, GltfList *list)
{
    const Json *found = jsonFind(gltf->root, key);
    if (found != NULL && found->kind != JSON_LIST)
        return gltfFault(gltf, "repair the file, or export it again", "%s is no list", key);
    int count = jsonCount(found);
    list->entry = ALLOCATE(gltf->reader->memory, const Json *, count);
    if (list->entry == NULL)
        return readerOutOfMemory(gltf->reader);
    for (const Json *entry = found != NULL ? found->first : NULL; entry != NULL; entry = entry->next)
    {
        if (entry->kind != JSON_OBJECT)
            return gltfFault(gltf, "repair the file, or export it again", "entry %d of %s is no object", list->count,
                             key);
        list->entry[list->count++] = entry;
    }
    return true;
}

static bool checkVersion(Gltf *gltf)
{
    const Json *version = jsonFind(jsonFind(gltf->root, "asset"), "version");
    if (!jsonIs(version, JSON_STRING) || strncmp(version->string, "2.", 2) != 0)
        return gltfFault(gltf, "export it as glTF 2.0", "asset.version is '%.20s', must be 2.0",
                         jsonIs(version, JSON_STRING) ? version->string : "");
    const Json *needed = jsonFind(gltf->root, "extensionsRequired");
    if (jsonCount(needed) > 0)
        return gltfFault(gltf, "export it without compression and other extensions",
                         "the file needs the extension '%.60s', which is not known here",
                         jsonIs(needed->first, JSON_STRING) ? needed->first->string : "");
    return true;
}

bool gltfOpen(Gltf *gltf, Reader *reader)
{
    *gltf = (Gltf){ .reader = reader, .moves = reader->gltf == gltf };
    jsonOpen(&gltf->tree, &reader->memory->hook);
    if (!readAll(gltf))
        return false;
    const char *text = gltf->file;
    size_t size = gltf->fileSize;
    if (size >= 4 && memcmp(text, "glTF", 4) == 0 && !findChunks(gltf, &text, &size))
        return false;
    gltf->root = jsonRead(&gltf->tree, text, size, reader->name, &reader->result);
    if (gltf->root == NULL)
        return false;
    if (gltf->root->kind != JSON_OBJECT)
        return gltfFault(gltf, "export it as glTF 2.0", "the file is no object of JSON");
    if (!checkVersion(gltf) || !collect(gltf, "buffers", &gltf->buffers) ||
        !collect(gltf, "bufferViews", &gltf->views) || !collect(gltf, "accessors", &gltf->accessors) ||
        !collect(gltf, "meshes", &gltf->meshes) || !collect(gltf, "nodes", &gltf->nodes) ||
        !collect(gltf, "materials", &gltf->materials) || !collect(gltf, "skins", &gltf->skins) ||
        !collect(gltf, "animations", &gltf->animations))
        return false;
    gltf->buffer = ALLOCATE(reader->memory, GltfBuffer, gltf->buffers.count);
    if (gltf->buffer == NULL)
        return readerOutOfMemory(reader);
    bool ok = true;
    for (int i = 0; i < gltf->buffers.count && ok; ++i)
        ok = loadBuffer(gltf, i);
    return ok;
}

void gltfClose(Gltf *gltf)
{
    Memory *memory = gltf->reader->memory;
    for (int i = 0; gltf->buffer != NULL && i < gltf->buffers.count; ++i)
        memoryRelease(memory, gltf->buffer[i].own);
    const GltfList lists[] = { gltf->buffers, gltf->views,     gltf->accessors, gltf->meshes,
                               gltf->nodes,   gltf->materials, gltf->skins,     gltf->animations };
    gltfPoseClose(gltf);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i)
        memoryRelease(memory, (void *)lists[i].entry);
    memoryRelease(memory, gltf->buffer);
    memoryRelease(memory, gltf->file);
    jsonClose(&gltf->tree);
}
