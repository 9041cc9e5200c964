// Files and folders of POSIX systems.
#define _XOPEN_SOURCE 700 // O_NOFOLLOW, O_CLOEXEC, pwrite, strerror_r, realpath, readlink
#define _FILE_OFFSET_BITS 64
#include "base/system.h"

#if !defined(_WIN32)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

// ---- files ----------------------------------------------------------------------------------------------------------

static FileStatus statusOf(const struct stat *status)
{
    FileKind kind = S_ISREG(status->st_mode) ? FILE_REGULAR : S_ISDIR(status->st_mode) ? FILE_FOLDER : FILE_OTHER;
    return (FileStatus){ kind, (long long)status->st_size, status->st_nlink > 0 };
}

FileStatus systemStatus(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? statusOf(&status) : (FileStatus){ .kind = FILE_MISSING };
}

FileStatus systemHandleStatus(int handle)
{
    struct stat status;
    return fstat(handle, &status) == 0 ? statusOf(&status) : (FileStatus){ .kind = FILE_MISSING };
}

int systemOpen(const char *path, FileUse use)
{
    static const int flags[] = { O_RDONLY, O_RDWR, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW };
    return open(path, flags[use] | O_CLOEXEC, 0666);
}

FILE *systemStreamOf(int handle, FileUse use)
{
    static const char *const modes[] = { "rb", "r+b", "wb" };
    FILE *stream = fdopen(handle, modes[use]);
    if (stream == NULL)
    {
        int error = errno;
        close(handle);
        errno = error;
    }
    return stream;
}

FILE *systemStream(const char *path, FileUse use)
{
    int handle = systemOpen(path, use);
    return handle >= 0 ? systemStreamOf(handle, use) : NULL;
}

int systemClose(int handle)
{
    return close(handle);
}

long long systemReadAt(int handle, void *bytes, size_t size, long long offset)
{
    ssize_t got;
    do
        got = pread(handle, bytes, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got;
}

long long systemWriteAt(int handle, const void *bytes, size_t size, long long offset)
{
    ssize_t written;
    do
        written = pwrite(handle, bytes, size, (off_t)offset);
    while (written < 0 && errno == EINTR);
    return written;
}

int systemCut(int handle, long long size)
{
    return ftruncate(handle, (off_t)size);
}

int systemRename(const char *from, const char *to)
{
    return rename(from, to);
}

int systemRemove(const char *path)
{
    return unlink(path);
}

int systemMakeFolder(const char *path)
{
    return mkdir(path, 0777);
}

void systemErrorText(int error, char *text, size_t size)
{
    if (strerror_r(error, text, size) != 0)
        snprintf(text, size, "error %d", error);
}

// ---- folders and paths ----------------------------------------------------------------------------------------------

// a FolderList is what opendir returns
FolderList *folderListOpen(const char *folder)
{
    return (FolderList *)(void *)opendir(folder);
}

const char *folderListNext(FolderList *listing)
{
    const struct dirent *entry = readdir((DIR *)(void *)listing);
    return entry != NULL ? entry->d_name : NULL;
}

void folderListClose(FolderList *listing)
{
    if (listing != NULL)
        closedir((DIR *)(void *)listing);
}

void pathPlain(char *path)
{
    (void)path;
}

char *pathLastSlash(const char *path)
{
    return strrchr(path, '/');
}

bool pathIsRooted(const char *path)
{
    return path[0] == '/';
}

bool pathHere(char *path, size_t size)
{
    return getcwd(path, size) != NULL;
}

bool pathReal(const char *path, char *real, size_t size)
{
    char *found = realpath(path, NULL);
    bool fits = found != NULL && strlen(found) < size;
    if (fits)
        memcpy(real, found, strlen(found) + 1);
    free(found);
    return fits;
}

bool pathOfProgram(char *path, size_t size)
{
#if defined(__APPLE__)
    unsigned room = (unsigned)size;
    return _NSGetExecutablePath(path, &room) == 0;
#else
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
#endif
}

#endif
