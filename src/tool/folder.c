// The folder of a new record: nothing in it is replaced that verve did not write itself.
#include "tool/run.h"

#include "base/base.h"
#include "base/system.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

// the bytes of a file are the text that verve would write for it: every default in it, in the order of the keys
static bool isPrinted(const Path *path, const Scene *scene)
{
    char *text = sceneText(scene);
    size_t size = text != NULL ? strlen(text) : 0;
    char *bytes = text != NULL ? malloc(size + 1) : NULL;
    File file = { .handle = -1 };
    bool same = bytes != NULL && diskOpenToRead(&file, path).code == VV_OK && file.size == (long long)size &&
                diskRead(&file, 0, bytes, size).code == VV_OK && memcmp(bytes, text, size) == 0;
    diskClose(&file);
    free(bytes);
    sceneFreeText(text);
    return same;
}

// The scene of the record that lies in a folder; NULL: there is none. A scene that somebody wrote by hand is no record:
// it is neither as verve prints it, nor has it the ledger of a run beside it.
static Scene *findRecord(const char *folder, vvRecorderDef *def)
{
    Path path, ledger;
    vvResult result;
    if (snprintf(path.text, sizeof path.text, "%s/" RECORD_SCENE, folder) >= (int)sizeof path.text)
        return NULL;
    Scene *scene = sceneRead(path.text, true, NULL, 0, &result);
    if (scene == NULL)
        return NULL;
    sceneRecord(scene, def);
    bool fits = def->ledger != NULL &&
                snprintf(ledger.text, sizeof ledger.text, "%s/%s", folder, def->ledger) < (int)sizeof ledger.text;
    if ((fits && recordMade(&ledger)) || isPrinted(&path, scene))
        return scene;
    sceneDestroy(scene);
    return NULL;
}

vvResult folderCheck(const char *folder, const Scene *scene)
{
    FolderList *list = folderListOpen(folder);
    if (list == NULL) // to be made, or the recorder says why not
        return resultOk();
    Path path;
    vvRecorderDef def = vvDefaultRecorderDef(), before = vvDefaultRecorderDef();
    char foreign[256] = "";
    sceneRecord(scene, &def);
    Scene *record = findRecord(folder, &before);
    for (const char *name; (name = folderListNext(list)) != NULL;)
    {
        bool isScene = sameName(name, RECORD_SCENE), wanted = isScene || recordWrites(&def, name);
        bool own = record != NULL && (isScene || recordWrites(&before, name));
        if (wanted && !own && snprintf(path.text, sizeof path.text, "%s/%s", folder, name) < (int)sizeof path.text)
            own = !isScene && recordMade(&path); // of an earlier one, or of one that was stopped at its start
        if (wanted && !own && (foreign[0] == 0 || strcmp(name, foreign) < 0)) // the same one on every file system
            snprintf(foreign, sizeof foreign, "%s", name);
    }
    folderListClose(list);
    sceneDestroy(record);
    if (foreign[0] == 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "record into another folder with --out, or replace the file with --force",
                      "'%.120s/%.100s' is there and is no part of a record there: nothing was written", folder,
                      foreign);
}
