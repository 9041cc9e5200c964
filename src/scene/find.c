// Where the shipped scenes lie.
#include "scene/scene_data.h"

#include "base/base.h"
#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define MOST_LEVELS 5 // folders above the program that are looked at: build/sanitize/tests/program

// a pipe or a device is there too, but opening it may wait for ever
static bool exists(const char *path)
{
    FileKind kind = systemStatus(path).kind;
    if (kind != FILE_REGULAR)
        return kind == FILE_OTHER;
    FILE *file = systemStream(path, FILE_TO_READ);
    char byte;
    bool readable = file != NULL && (fread(&byte, 1, 1, file) == 1 || feof(file)); // a folder opens but does not read
    if (file != NULL)
        fclose(file);
    return readable;
}

// folder/<what>, if the schema lies in it: then the scenes beside it are ours
static bool isLibrary(const char *folder, const char *what, char *found, size_t size)
{
    char schema[PATH_SIZE + 64];
    snprintf(schema, sizeof schema, "%s%s/verve.schema.json", folder, what);
    snprintf(found, size, "%s%s", folder, what);
    return exists(schema);
}

// the folders of scenes above a file; counts `index` down
static bool above(char *path, int *index, char *folder, size_t size)
{
    static const char *const places[] = { "/scenes", "/share/verve/scenes" };
    for (int level = 0; level < MOST_LEVELS && strrchr(path, '/') != NULL; ++level)
    {
        *strrchr(path, '/') = 0;
        for (int i = 0; i < 2; ++i)
        {
            if (isLibrary(path, places[i], folder, size) && (*index)-- == 0)
                return true;
        }
    }
    return false;
}

bool sceneLibrary(int index, char *folder, size_t size)
{
    const char *named = getenv("VERVE_SCENES");
    if (named != NULL && named[0] != 0)
    {
        snprintf(folder, size, "%s", named);
        if (index-- == 0)
            return true;
    }
    char path[PATH_SIZE];
    // a shared library brings its scenes along, whatever program it is loaded into
    if (pathOfLibrary(path, sizeof path) && above(path, &index, folder, size))
        return true;
    return pathOfProgram(path, sizeof path) && above(path, &index, folder, size);
}

bool sceneFind(const char *word, char *path, size_t size)
{
    char folder[PATH_SIZE];
    snprintf(path, size, "%s", word);
    if (exists(word))
        return true;
    for (int i = 0; pathLastSlash(word) == NULL && sceneLibrary(i, folder, sizeof folder); ++i)
    {
        const char *ending = strlen(word) > 5 && strcmp(word + strlen(word) - 5, ".json") == 0 ? "" : ".json";
        snprintf(path, size, "%s/%s%s", folder, word, ending);
        if (exists(path))
            return true;
    }
    snprintf(path, size, "%s", word);
    return false;
}

bool sceneNearest(const char *word, char *name, size_t size)
{
    char folder[PATH_SIZE], stem[64];
    size_t length = strlen(word);
    length -= length > 5 && strcmp(word + length - 5, ".json") == 0 ? 5 : 0;
    int fewest = (int)length / 3 + 1; // more edits than that is another word
    if (length >= sizeof stem || pathLastSlash(word) != NULL || !sceneLibrary(0, folder, sizeof folder))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)length, word);
    FolderList *list = folderListOpen(folder);
    name[0] = 0;
    for (const char *file; list != NULL && (file = folderListNext(list)) != NULL;)
    {
        char other[64];
        size_t end = strlen(file);
        if (end <= 5 || end - 5 >= sizeof other || strcmp(file + end - 5, ".json") != 0)
            continue;
        snprintf(other, sizeof other, "%.*s", (int)(end - 5), file);
        int edits = wordEdits(stem, other);
        if (edits > fewest || (edits == fewest && name[0] != 0 && strcmp(other, name) > 0))
            continue;
        fewest = edits;
        snprintf(name, size, "%s", other);
    }
    folderListClose(list);
    return name[0] != 0;
}
