// Folders that the library's recorder wrote from a program, without a scene: the point caches and the OBJ files beside
// them, or the OBJ files of all frames, say what the bodies are, and the ledger how long a frame takes. The scene made
// of them only serves to be drawn.
#include "tool/render.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CACHES 1024
#define LONGEST_NAME 256
#define FIRST_FRAME "_000000.obj"
#define LONGEST_ENTRY (2 * LONGEST_NAME + 80)

typedef struct Caches
{
    char (*stem)[LONGEST_NAME]; // count, without their ending; in order
    int count;
    const char *mesh; // ending of the file with the topology
} Caches;

static int byName(const void *a, const void *b)
{
    return strcmp(a, b);
}

// the letters that a recorder uses: they need no escape in JSON
static bool isPlain(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")] == '\0';
}

// the files of all rigid bodies of a record, which stand beside those of its soft bodies
static bool isRigid(const char *stem)
{
    size_t length = strlen(stem), rigid = strlen("_rigid");
    return length > rigid && strcmp(stem + length - rigid, "_rigid") == 0;
}

// those, and later meshes of bodies
static void dropRigid(Caches *caches)
{
    int kept = 0;
    for (int i = 0; i < caches->count; ++i)
    {
        if (!isRigid(caches->stem[i]) && !meshIsNumbered(caches->stem[i], strlen(caches->stem[i])))
            memmove(caches->stem[kept++], caches->stem[i], LONGEST_NAME);
    }
    caches->count = kept > 0 ? kept : caches->count; // rigid bodies alone are drawn as one mesh
}

// names of files with an ending
static void listCaches(const char *folder, const char *ending, Caches *caches)
{
    FolderList *list = folderListOpen(folder);
    size_t end = strlen(ending);
    for (const char *name; list != NULL && caches->count < MOST_CACHES && (name = folderListNext(list)) != NULL;)
    {
        size_t length = strlen(name);
        if (length <= end || length >= LONGEST_NAME || strcmp(name + length - end, ending) != 0 || !isPlain(name))
            continue;
        snprintf(caches->stem[caches->count++], LONGEST_NAME, "%.*s", (int)(length - end), name);
    }
    folderListClose(list);
    qsort(caches->stem, (size_t)caches->count, sizeof caches->stem[0], byName);
}

// s between frames, from the times of the ledger; the recorder's default without one
static double frameTime(const char *folder)
{
    char path[1024];
    Memory memory = memoryMake(NULL);
    LedgerTable table = { 0 };
    double time = vvDefaultRecorderDef().frameTime;
    snprintf(path, sizeof path, "%.800s/ledger.csv", folder);
    if (ledgerRead(&memory, path, &table).code == VV_OK && table.count > 1)
    {
        const double *at = table.account[ACCOUNT_TIME];
        double mean = (at[table.count - 1] - at[0]) / (table.count - 1);
        time = mean > 0 && mean <= 10 ? mean : time;
    }
    ledgerRelease(&memory, &table);
    return time;
}

// The caches of one record: FRAMES alone, or FRAMES-BODY each. The name of a body has no '-'.
static vvResult findStem(const Caches *caches, const char *folder, char *stem, size_t stemSize)
{
    if (caches->count == 0)
        return resultMake(
            VV_INPUT_OUTPUT,
            "name a folder of 'verve run SCENE --out DIR', or of a recorder with the format \"pc2\" or \"obj\"",
            "'%.120s' holds neither scene.json nor frames as point caches or OBJ files", folder);
    snprintf(stem, stemSize, "%s", caches->stem[0]);
    char *dash = strrchr(stem, '-');
    if (caches->count > 1 && dash != NULL)
        *dash = '\0';
    size_t length = strlen(stem);
    for (int i = 0; i < caches->count && caches->count > 1; ++i)
    {
        const char *other = caches->stem[i];
        if (strncmp(other, stem, length) != 0 || other[length] != '-' || strchr(other + length + 1, '-') != NULL)
            return resultMake(VV_BAD_INPUT, "keep the frames of one record in a folder of its own",
                              "'%.60s' holds frames of '%.60s' and '%.60s', which are not of one record", folder,
                              caches->stem[0], other);
    }
    return resultOk();
}

static Scene *makeScene(const Caches *caches, const char *folder, const char *stem, vvResult *result)
{
    size_t room = (size_t)caches->count * LONGEST_ENTRY + 256, skip = strlen(stem) + 1;
    char *text = malloc(room);
    if (text == NULL)
    {
        *result = resultOutOfMemory("the scene of a record");
        return NULL;
    }
    int at = snprintf(text, room, "{\"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": %.17g, \"bodies\": [",
                      frameTime(folder));
    for (int i = 0; i < caches->count; ++i)
        at += snprintf(text + at, room - (size_t)at, "%s{\"name\": \"%s\", \"mesh\": {\"file\": \"%s%s\"}}",
                       i > 0 ? ", " : "", caches->count > 1 ? caches->stem[i] + skip : "body", caches->stem[i],
                       caches->mesh);
    at += snprintf(text + at, room - (size_t)at, "]}");
    Scene *scene = sceneParse(text, (size_t)at, folder, NULL, 0, result);
    free(text);
    return scene;
}

Scene *bareScene(const char *folder, char *stem, size_t stemSize, vvResult *result)
{
    Caches caches = { malloc(MOST_CACHES * sizeof caches.stem[0]), 0, ".obj" };
    Scene *scene = NULL;
    *result = resultOutOfMemory("the names of a record");
    if (caches.stem != NULL)
    {
        listCaches(folder, ".pc2", &caches);
        caches.mesh = caches.count > 0 ? ".obj" : FIRST_FRAME;
        if (caches.count == 0)
            listCaches(folder, FIRST_FRAME, &caches);
        dropRigid(&caches);
        *result = findStem(&caches, folder, stem, stemSize);
    }
    if (result->code == VV_OK)
        scene = makeScene(&caches, folder, stem, result);
    free(caches.stem);
    return scene;
}
