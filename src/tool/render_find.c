// The folder of a recorded run, by the word that was typed.
#include "tool/render.h"

#include "base/system.h"

#include <string.h>

#define PATH_SIZE 4096

// the folder beside `word` whose name is nearest to it, unless that is another word altogether
static bool nearestFolder(const char *word, char *name, size_t size)
{
    const char *slash = pathLastSlash(word), *last = slash != NULL ? slash + 1 : word;
    int before = (int)(last - word), fewest = (int)strlen(last) / 3 + 1;
    char parent[PATH_SIZE], path[PATH_SIZE];
    snprintf(parent, sizeof parent, "%.*s", before > 0 ? before : 1, before > 0 ? word : ".");
    FolderList *list = folderListOpen(parent);
    name[0] = '\0';
    for (const char *other; list != NULL && (other = folderListNext(list)) != NULL;)
    {
        int edits = wordEdits(last, other);
        snprintf(path, sizeof path, "%.*s%s", before, word, other);
        if (other[0] == '.' || edits > fewest || (edits == fewest && name[0] != '\0' && strcmp(path, name) > 0) ||
            systemStatus(path).kind != FILE_FOLDER)
            continue;
        fewest = edits;
        snprintf(name, size, "%s", path);
    }
    folderListClose(list);
    return name[0] != '\0';
}

vvResult recordFind(const char *word)
{
    char path[PATH_SIZE], remedy[sizeof(vvResult){ 0 }.remedy];
    if (systemStatus(word).kind == FILE_FOLDER)
        return resultOk();
    if (sceneFind(word, path, sizeof path))
    {
        snprintf(remedy, sizeof remedy, "record it first: verve run %.50s --out DIR, then verve render DIR", word);
        return resultMake(VV_INPUT_OUTPUT, remedy, "'%.120s' is a file or a scene, not a folder of a run", word);
    }
    if (nearestFolder(word, path, sizeof path))
        snprintf(remedy, sizeof remedy, "did you mean \"%.100s\"?", path);
    else
        snprintf(remedy, sizeof remedy, "name a folder that 'verve run SCENE --out DIR' wrote");
    return resultMake(VV_INPUT_OUTPUT, remedy, "there is no folder '%.120s'", word);
}
