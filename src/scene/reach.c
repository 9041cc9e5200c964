// Which files a scene may read: those of its own folder, of the folder VERVE_MESH_DIR, and what a user typed himself.
// A link counts as what it leads to.
#include "scene/tree.h"

#include "base/base.h"
#include "base/system.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE 4096

void reachTyped(Json *value)
{
    value->isTyped = true;
    for (Json *child = value->first; child != NULL; child = child->next)
        reachTyped(child);
}

// ---- paths ----------------------------------------------------------------------------------------------------------

// `name` of a folder, or of the present one, as a path that works from anywhere; false: too long
static bool join(char *whole, const char *folder, const char *name)
{
    char here[FILE_SIZE] = "";
    bool rooted = pathIsRooted(name);
    if (!rooted && !pathIsRooted(folder) && !pathHere(here, sizeof here))
        return false;
    int length = rooted ? snprintf(whole, FILE_SIZE, "%s", name)
                        : snprintf(whole, FILE_SIZE, "%s%s%s%s%s", here, here[0] != 0 ? "/" : "", folder,
                                   folder[0] != 0 ? "/" : "", name);
    pathPlain(whole);
    return length >= 0 && length < FILE_SIZE;
}

// "/a/./b//../c" to "/a/c": by the letters alone; begins with a slash
static void tidy(char *path)
{
    char *end = path;
    for (const char *segment = path; *segment != 0;)
    {
        segment += strspn(segment, "/");
        size_t length = strcspn(segment, "/");
        bool up = length == 2 && segment[0] == '.' && segment[1] == '.';
        if (up)
        {
            while (end > path && *--end != '/')
                continue;
        }
        else if (length > 0 && !(length == 1 && segment[0] == '.'))
        {
            *end++ = '/';
            memmove(end, segment, length);
            end += length;
        }
        segment += length;
    }
    *end = 0;
}

// both without a slash at their end; the root is ""
static bool isBelow(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Where a path leads, without a slash at its end, links followed as far as it exists; false: too long.
static bool resolve(char *whole, const char *path)
{
    char given[FILE_SIZE], real[FILE_SIZE];
    if (!join(given, "", path))
        return false;
    size_t length = strlen(given);
    for (;;)
    {
        char end = given[length];
        given[length] = 0;
        bool found = pathReal(length > 0 ? given : "/", real, sizeof real);
        given[length] = end;
        if (found)
        {
            const char *root = real[0] == '/' ? "" : "/"; // before the letter of a drive
            bool fits = snprintf(whole, FILE_SIZE, "%s%s%s", root, real, given + length) < FILE_SIZE;
            tidy(whole);
            return fits;
        }
        if (length == 0)
            return false;
        while (length > 0 && given[--length] != '/')
            continue;
    }
}

static bool isInside(const char *file, const char *folder)
{
    char realFile[FILE_SIZE], realFolder[FILE_SIZE];
    return resolve(realFile, file) && resolve(realFolder, folder) && isBelow(realFile, realFolder);
}

// ---- the file of a mesh, a collider or an example -------------------------------------------------------------------

// the files that a name stands for, one after the other: of a mesh format, or the frames of a sequence
static bool nextFile(const Json *owner, const char *whole, int index, char *file, size_t size)
{
    if (strchr(whole, '#') == NULL || treeItem(owner, "fps") == NULL)
        return meshFile(whole, treeString(owner, "format"), index, file, size);
    return animationFrameFile(whole, maxInt(animationFirstFrame(whole), 0) + index, file, size) &&
           (index == 0 || systemStatus(file).kind != FILE_MISSING);
}

static vvResult checkReach(const Json *owner, const char *path, const char *whole, const Reach *reach)
{
    const char *meshes = getenv("VERVE_MESH_DIR");
    char file[FILE_SIZE + 8];
    if (reach->anywhere || treeItem(owner, "file")->isTyped)
        return resultOk();
    for (int i = 0; nextFile(owner, whole, i, file, sizeof file); ++i)
    {
        if (!isInside(file, reach->folder) && !(meshes != NULL && meshes[0] != 0 && isInside(file, meshes)))
            return resultMake(
                VV_BAD_INPUT,
                "put the file into the scene's folder, or permit it with --allow-outside if you trust the scene",
                "%s.file is \"%.100s\", outside the scene's folder", path, treeString(owner, "file"));
    }
    return resultOk();
}

vvResult treeFile(Json *owner, const char *path, const Reach *reach)
{
    char whole[FILE_SIZE];
    const char *file = treeString(owner, "file");
    if (!join(whole, reach->folder, file))
        return resultMake(VV_BAD_INPUT, "use a shorter path, and run from a folder that exists",
                          "%s.file is \"%.80s\", whose whole path is longer than %d bytes", path, file, FILE_SIZE - 1);
    vvResult result = checkReach(owner, path, whole, reach);
    if (result.code != VV_OK || pathIsRooted(file))
        return result;
    return jsonSetString(treeItem(owner, "file"), whole) ? resultOk() : resultOutOfMemory("the scene");
}
