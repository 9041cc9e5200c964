// Files of a session: meshes that the page brings, records and scenes that it takes away. All lie in the session's
// folder; in the browser that is memory.
#include "live/session.h"

#include "base/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 80
#define UPLOAD_MOST ((size_t)256 << 20)

static bool isPlainName(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";
    size_t length = strlen(name);
    return length > 0 && length < NAME_MOST && name[0] != '.' && strspn(name, allowed) == length;
}

static void pathOf(const Live *live, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", live->folder, name);
}

// ---- to the engine --------------------------------------------------------------------------------------------------

static vvResult keepUpload(Live *live, const char *name, const unsigned char *content, size_t size)
{
    char path[PATH_MOST + NAME_MOST + 8];
    if (live->folder[0] == 0)
        return resultMake(VV_BAD_INPUT, "open the page in a browser, where it has memory for files",
                          "this engine takes no files");
    if (!isPlainName(name))
        return resultMake(VV_BAD_INPUT, "rename it: letters, digits, _ - . and spaces, at most 79",
                          "\"%.80s\" is no name of a file here", name);
    if (size > UPLOAD_MOST)
        return resultMake(VV_LIMIT, "take a coarser mesh", "%.80s has %.3g MB, must be at most %.3g", name,
                          (double)size / 1e6, (double)UPLOAD_MOST / 1e6);
    systemMakeFolder(live->folder);
    pathOf(live, name, path, sizeof path);
    systemRemove(path);
    FILE *file = systemStream(path, FILE_TO_MAKE);
    bool written = file != NULL && fwrite(content, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0)
        written = false;
    return written ? resultOk() : resultMake(VV_INPUT_OUTPUT, "free some space", "%.80s cannot be kept", name);
}

void fileUpload(Live *live, const unsigned char *bytes, size_t size)
{
    char name[NAME_MOST + 1] = "";
    size_t length = 0, count = 0;
    const unsigned char *word = NULL, *content = NULL;
    if (packIsUpload(bytes, size))
    {
        word = packFind(bytes, size, SECTION_TEXT, &length);
        content = packFind(bytes, size, SECTION_BYTES, &count);
    }
    vvResult result = resultMake(VV_BAD_INPUT, "web/src/protocol.ts has the layout", "the bytes are no upload");
    if (word != NULL && content != NULL)
    {
        snprintf(name, sizeof name, "%.*s", (int)(length < NAME_MOST ? length : NAME_MOST), (const char *)word);
        result = keepUpload(live, name, content, count);
    }
    if (result.code != VV_OK)
    {
        liveError(live, "upload", NULL, &result);
        return;
    }
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *answer = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(answer, "type", "did");
    jsonAddString(answer, "of", "upload");
    jsonAddString(answer, "name", name);
    jsonAddNumber(answer, "size", (double)count);
    liveSend(live, answer);
    jsonClose(&tree);
}

// ---- a scene around a mesh ------------------------------------------------------------------------------------------

static void addList(Json *owner, const char *key, double x, double y, double z)
{
    Json *list = jsonAdd(owner, key, JSON_LIST);
    jsonAddNumber(list, NULL, x);
    jsonAddNumber(list, NULL, y);
    jsonAddNumber(list, NULL, z);
}

static vvBox boundsOf(const vvMesh *mesh)
{
    vvBox box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        boxInclude(&box, vecLoad(vvMesh_GetPoints(mesh) + 3 * (ptrdiff_t)v));
    return box;
}

// it falls on a floor from a little above it, soft enough to be seen deforming
static void makeScene(Json *scene, const char *file, const char *unit, const vvMesh *mesh, bool fill)
{
    vvBox box = boundsOf(mesh);
    Vec3 size = vecSub(box.upper, box.lower);
    double longest = maxReal(size.x, maxReal(size.y, size.z));
    bool solid = fill || vvMesh_GetTetCount(mesh) > 0;
    char name[NAME_MOST];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    jsonAddNumber(scene, "verve", 1);
    jsonAddString(scene, "name", name);
    jsonAddString(scene, "description", "A mesh of your own falls on a floor.");
    Json *body = jsonAdd(jsonAdd(scene, "bodies", JSON_LIST), NULL, JSON_OBJECT);
    jsonAddString(body, "name", name);
    Json *description = jsonAdd(body, "mesh", JSON_OBJECT);
    jsonAddString(description, "file", file);
    jsonAddString(description, "unit", unit);
    if (fill)
    {
        Json *way = jsonAdd(description, "solid", JSON_OBJECT);
        jsonAddString(way, "kind", "cage");
        jsonAddNumber(way, "cells", 8);
        jsonAddNumber(body, "contactSurface", 500);
    }
    Json *material = jsonAdd(body, "material", JSON_OBJECT);
    jsonAddString(material, "preset", solid ? "silicone" : "cotton");
    if (solid) // its own weight presses it by about 2 %
        jsonAddNumber(material, "young", maxReal(1e3, 50 * 1070 * 9.81 * maxReal(size.y, 0.2 * longest)));
    addList(body, "position", -0.5 * (box.lower.x + box.upper.x), 0.3 * longest - box.lower.y,
            -0.5 * (box.lower.z + box.upper.z));
    Json *floor = jsonAdd(jsonAdd(scene, "colliders", JSON_LIST), NULL, JSON_OBJECT);
    jsonAddString(floor, "shape", "plane");
    addList(floor, "normal", 0, 1, 0);
    jsonAddNumber(floor, "friction", 0.6);
    Json *camera = jsonAdd(scene, "camera", JSON_OBJECT);
    addList(camera, "eye", 1.6 * longest, 1.4 * longest, 2.4 * longest);
    addList(camera, "target", 0, 0.5 * longest, 0);
}

void fileImport(Live *live, const Json *message, Json *answer, vvResult *result)
{
    const Json *file = jsonFind(message, "file"), *unit = jsonFind(message, "unit"),
               *solid = jsonFind(message, "solid");
    char path[PATH_MOST + NAME_MOST + 8];
    if (!jsonIs(file, JSON_STRING) || !isPlainName(file->string) || !jsonIs(unit, JSON_STRING))
    {
        *result =
            resultMake(VV_BAD_INPUT, "upload the file, then name it and its unit", "import has no file or no unit");
        return;
    }
    pathOf(live, file->string, path, sizeof path);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = path;
    def.scale = unitMetres(unit->string);
    vvMesh *mesh = vvCreateMesh(&def, result);
    if (mesh == NULL)
        return;
    bool fill = vvMesh_GetTetCount(mesh) == 0 && vvMesh_GetSurfaceCount(mesh) > 0 && !jsonIs(solid, JSON_FALSE);
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *scene = jsonMake(&tree, JSON_OBJECT);
    makeScene(scene, file->string, unit->string, mesh, fill);
    char *text = jsonPrint(scene);
    if (text != NULL)
        jsonAddString(answer, "scene", text);
    jsonAddNumber(answer, "vertices", vvMesh_GetVertexCount(mesh));
    jsonAddNumber(answer, "size", vvMesh_GetSize(mesh));
    free(text);
    jsonClose(&tree);
    vvDestroyMesh(mesh);
}

// ---- to the page ----------------------------------------------------------------------------------------------------

static void sendFile(Live *live, const char *name, const void *content, size_t size)
{
    packBegin(live, &live->pack, PACK_FILE, live->frame, liveTime(live), 2);
    void *to = packSection(live, &live->pack, SECTION_TEXT, 0, (int)strlen(name), 1);
    if (to != NULL)
        memcpy(to, name, strlen(name));
    to = size <= INT32_MAX ? packSection(live, &live->pack, SECTION_BYTES, 0, (int)size, 1) : NULL;
    if (to != NULL)
        memcpy(to, content, size);
    live->pack.isStarved = live->pack.isStarved || to == NULL;
    packSend(live, &live->pack);
}

// paths of the session's folder mean nothing elsewhere: files are named alone
static void stripFolder(const Live *live, char *text)
{
    size_t length = strlen(live->folder);
    for (char *at = strstr(text, live->folder); length > 0 && at != NULL; at = strstr(at, live->folder))
        memmove(at, at + length + 1, strlen(at + length + 1) + 1);
}

void fileExport(Live *live, vvResult *result)
{
    char *text = sceneText(live->next), name[NAME_MOST + 8];
    if (text == NULL)
    {
        *result = resultOutOfMemory("the scene's text");
        return;
    }
    stripFolder(live, text);
    snprintf(name, sizeof name, "%.60s.json", isPlainName(sceneName(live->next)) ? sceneName(live->next) : "scene");
    sendFile(live, name, text, strlen(text));
    sceneFreeText(text);
}

// ---- records --------------------------------------------------------------------------------------------------------

static void recordFolder(const Live *live, char *path, size_t size)
{
    snprintf(path, size, "%s/record-%d", live->folder, live->recordNumber);
}

static void sendAndRemove(Live *live, const char *folder, const char *name)
{
    char path[PATH_MOST + 400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FileStatus status = systemStatus(path);
    FILE *file = status.kind == FILE_REGULAR ? systemStream(path, FILE_TO_READ) : NULL;
    char *content = file != NULL ? memoryAllocate(&live->memory, (size_t)status.size + 1, 1) : NULL;
    if (content != NULL && fread(content, 1, (size_t)status.size, file) == (size_t)status.size)
        sendFile(live, name, content, (size_t)status.size);
    memoryRelease(&live->memory, content);
    if (file != NULL)
        fclose(file);
    if (status.kind == FILE_REGULAR)
        systemRemove(path);
}

static void sendRecord(Live *live)
{
    char folder[PATH_MOST + 40], name[256];
    recordFolder(live, folder, sizeof folder);
    for (bool more = true; more;) // the list is read anew after every file that goes
    {
        FolderList *list = folderListOpen(folder);
        const char *next = NULL;
        more = false;
        while (list != NULL && (next = folderListNext(list)) != NULL)
        {
            if (next[0] == '.')
                continue;
            snprintf(name, sizeof name, "%s", next);
            more = true;
            break;
        }
        folderListClose(list);
        if (more)
            sendAndRemove(live, folder, name);
    }
}

void fileRecordEnd(Live *live)
{
    vvRecorder_Close(live->recorder);
    live->recorder = NULL;
}

void fileRecordFrame(Live *live)
{
    if (live->recorder == NULL)
        return;
    vvResult result = vvRecorder_Add(live->recorder);
    if (result.code == VV_OK)
        return;
    liveError(live, "record", NULL, &result);
    fileRecordEnd(live);
}

static void beginRecord(Live *live, const char *formats, vvResult *result)
{
    char folder[PATH_MOST + 40];
    if (live->folder[0] == 0)
    {
        *result = resultMake(VV_BAD_INPUT, "run the scene with 'verve run'", "this engine keeps no files");
        return;
    }
    live->recordNumber += 1;
    systemMakeFolder(live->folder);
    recordFolder(live, folder, sizeof folder);
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = formats;
    def.frames = isPlainName(sceneName(live->scene)) ? sceneName(live->scene) : "frames";
    def.ledger = "ledger.csv";
    def.frameTime = sceneTimestep(live->scene);
    live->recorder = vvCreateRecorder(sceneWorldId(live->built), &def, result);
    if (live->recorder != NULL)
        fileRecordFrame(live);
}

void fileRecord(Live *live, const Json *message, Json *answer, vvResult *result)
{
    const Json *formats = jsonFind(message, "formats");
    if (!jsonIs(formats, JSON_STRING))
    {
        *result = resultMake(VV_BAD_INPUT, "formats is a list of words, \"glb,pc2\"; \"\" ends the record",
                             "record has no formats");
        return;
    }
    int frames = live->recorder != NULL ? vvRecorder_GetFrameCount(live->recorder) : 0;
    bool was = live->recorder != NULL;
    fileRecordEnd(live);
    if (was)
        sendRecord(live);
    jsonAddNumber(answer, "frames", frames);
    if (formats->string[0] != 0)
        beginRecord(live, formats->string, result);
}
