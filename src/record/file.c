// Safe writing: every file of the room is written here. What a call came to is in its result; nothing here knows about
// frames.
#include "record/record.h"

#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_PATH 100 // bytes of a path in a message: its end says more than its beginning

static const char *remedyFor(int error)
{
    switch (error)
    {
    case ENOSPC:
#if defined(EDQUOT)
    case EDQUOT:
#endif
        return "free space on the disk or choose another folder, then resume";
    case EFBIG:
        return "raise the limit on file sizes (ulimit -f), or record fewer frames or formats, then resume";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a folder that you may write to, or change its permissions";
    case ENOENT:
    case ENOTDIR:
        return "the folder or file was removed or renamed: leave it alone while recording";
    case EMFILE:
    case ENFILE:
        return "close files, or raise the limit on open files (ulimit -n)";
    case EISDIR:
        return "a folder has the name of a file: rename it, or record elsewhere";
    default:
        return "check the disk and the folder, then resume";
    }
}

static vvResult failure(const char *verb, const char *path, int error)
{
    char words[96];
    systemErrorText(error, words, sizeof words);
    size_t length = strlen(path);
    bool isLong = length > SHOWN_PATH;
    return resultMake(VV_INPUT_OUTPUT, remedyFor(error), "cannot %s '%s%s': %s", verb, isLong ? "..." : "",
                      isLong ? path + length - SHOWN_PATH : path, words);
}

// 0, or errno
static int writeAll(int handle, const char *bytes, size_t size, long long offset)
{
    while (size > 0)
    {
        long long written = systemWriteAt(handle, bytes, size, offset);
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        bytes += written;
        offset += written;
        size -= (size_t)written;
    }
    return 0;
}

vvResult diskReplace(const Path *path, const void *bytes, size_t size)
{
    char temporary[LONGEST_PATH + sizeof PART_ENDING];
    snprintf(temporary, sizeof temporary, "%s%s", path->text, PART_ENDING);
    int handle = partOpen(temporary);
    if (handle < 0)
        return failure("write", path->text, errno);
    int error = writeAll(handle, bytes, size, 0);
    if (systemClose(handle) != 0 && error == 0)
        error = errno;
    if (error == 0 && systemRename(temporary, path->text) != 0)
        error = errno;
    if (error == 0)
        return resultOk();
    systemRemove(temporary);
    return failure("write", path->text, error);
}

vvResult diskBegin(File *file, const Path *path)
{
    *file = (File){ .handle = -1 };
    if (snprintf(file->path.text, sizeof file->path.text, "%.*s%s", LONGEST_PATH - 8, path->text, PART_ENDING) < 0)
        return failure("write", path->text, EINVAL);
    file->handle = partOpen(file->path.text);
    return file->handle >= 0 ? resultOk() : failure("write", path->text, errno);
}

vvResult diskFinish(File *file, const Path *path, const vvResult *result)
{
    if (file->handle < 0)
        return *result;
    vvResult outcome = *result;
    if (systemClose(file->handle) != 0 && outcome.code == VV_OK)
        outcome = failure("write", path->text, errno);
    file->handle = -1;
    if (outcome.code == VV_OK && systemRename(file->path.text, path->text) != 0)
        outcome = failure("write", path->text, errno);
    if (outcome.code != VV_OK)
        systemRemove(file->path.text);
    return outcome;
}

static vvResult openAs(File *file, const Path *path, FileUse use)
{
    file->path = *path;
    file->handle = systemOpen(path->text, use);
    if (file->handle < 0)
        return failure("open", path->text, errno);
    FileStatus status = systemHandleStatus(file->handle);
    if (status.kind != FILE_REGULAR)
    {
        diskClose(file);
        return failure("open", path->text, EINVAL);
    }
    file->size = status.size;
    return resultOk();
}

vvResult diskOpen(File *file, const Path *path)
{
    return openAs(file, path, FILE_TO_CHANGE);
}

vvResult diskOpenToRead(File *file, const Path *path)
{
    return openAs(file, path, FILE_TO_READ);
}

vvResult diskAppend(File *file, const void *bytes, size_t size)
{
    int error = writeAll(file->handle, bytes, size, file->size);
    // a file without a name takes bytes that nobody will ever read
    FileStatus status = systemHandleStatus(file->handle);
    if (error == 0 && status.kind != FILE_MISSING && !status.named)
        error = ENOENT;
    if (error != 0)
    {
        if (systemCut(file->handle, file->size) != 0)
            return failure("write and then shorten", file->path.text, error);
        return failure("write", file->path.text, error);
    }
    file->size += (long long)size;
    return resultOk();
}

vvResult diskOverwrite(File *file, long long offset, const void *bytes, size_t size)
{
    int error = writeAll(file->handle, bytes, size, offset);
    if (error != 0)
        return failure("write", file->path.text, error);
    if (offset + (long long)size > file->size)
        file->size = offset + (long long)size;
    return resultOk();
}

vvResult diskCut(File *file, long long size)
{
    if (systemCut(file->handle, size) != 0)
        return failure("shorten", file->path.text, errno);
    file->size = size;
    return resultOk();
}

vvResult diskRead(const File *file, long long offset, void *bytes, size_t size)
{
    char *target = bytes;
    while (size > 0)
    {
        long long got = systemReadAt(file->handle, target, size, offset);
        if (got < 0)
            return failure("read", file->path.text, errno);
        if (got == 0)
            return resultMake(VV_INPUT_OUTPUT, "the file was cut: record again from the start",
                              "'%.*s' ends before byte %lld", SHOWN_PATH, file->path.text, offset + (long long)size);
        target += got;
        offset += got;
        size -= (size_t)got;
    }
    return resultOk();
}

void diskClose(File *file)
{
    if (file->handle >= 0)
        systemClose(file->handle); // every byte was handed over by a write that was checked
    file->handle = -1;
}

bool diskExists(const Path *path)
{
    return systemStatus(path->text).kind == FILE_REGULAR;
}

vvResult diskRemove(const Path *path)
{
    return systemRemove(path->text) == 0 || errno == ENOENT ? resultOk() : failure("remove", path->text, errno);
}

// its parents are there: nothing was removed
static vvResult noFolder(const char *path, int error)
{
    vvResult result = failure("make the folder", path, error);
    if (error == ENOENT)
        snprintf(result.remedy, sizeof result.remedy, "no folder can be made there: choose one on a disk");
    else if (error == ENOTDIR)
        snprintf(result.remedy, sizeof result.remedy, "a file has that name: rename it, or choose another folder");
    return result;
}

vvResult diskFolderMake(const char *folder)
{
    char made[LONGEST_PATH];
    snprintf(made, sizeof made, "%s", folder);
    pathPlain(made);
    for (char *c = made + 1;; ++c)
    {
        if (*c != '/' && *c != 0)
            continue;
        char end = *c;
        *c = 0;
        bool isFolder = systemStatus(made).kind == FILE_FOLDER;
        if (!isFolder && systemMakeFolder(made) != 0 && errno != EEXIST)
            return noFolder(made, errno);
        if (!isFolder && systemStatus(made).kind != FILE_FOLDER)
            return noFolder(made, ENOTDIR);
        *c = end;
        if (end == 0)
            return resultOk();
    }
}

vvResult diskFolderSweep(const char *folder, bool (*stale)(const char *name, void *userData), void *userData)
{
    FolderList *listing = folderListOpen(folder);
    if (listing == NULL)
        return failure("read the folder", folder, errno);
    vvResult result = resultOk();
    for (const char *name; result.code == VV_OK && (name = folderListNext(listing)) != NULL;)
    {
        if (!stale(name, userData))
            continue;
        char path[LONGEST_PATH + 256];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (systemRemove(path) != 0 && errno != ENOENT)
            result = failure("remove", path, errno);
    }
    folderListClose(listing);
    return result;
}
