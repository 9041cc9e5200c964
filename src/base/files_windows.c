// Files and folders of Windows. Files are opened so that others may rename and remove them meanwhile, as on POSIX.
#include "base/system.h"

#if defined(_WIN32)

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_WIDE 4096 // characters of a path
#define MOST_AT_ONCE ((size_t)1 << 30)

// ---- errors and names -----------------------------------------------------------------------------------------------

// sets errno by what the system said last; -1
static int fail(void)
{
    static const struct
    {
        DWORD code;
        int error;
    } table[] = {
        { ERROR_FILE_NOT_FOUND, ENOENT },
        { ERROR_PATH_NOT_FOUND, ENOENT },
        { ERROR_INVALID_NAME, ENOENT },
        { ERROR_BAD_PATHNAME, ENOENT },
        { ERROR_BAD_NETPATH, ENOENT },
        { ERROR_ACCESS_DENIED, EACCES },
        { ERROR_SHARING_VIOLATION, EACCES },
        { ERROR_LOCK_VIOLATION, EACCES },
        { ERROR_FILE_EXISTS, EEXIST },
        { ERROR_ALREADY_EXISTS, EEXIST },
        { ERROR_DISK_FULL, ENOSPC },
        { ERROR_HANDLE_DISK_FULL, ENOSPC },
        { ERROR_DIRECTORY, ENOTDIR },
        { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
        { ERROR_WRITE_PROTECT, EROFS },
        { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
        { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
        { ERROR_INVALID_HANDLE, EBADF },
        { ERROR_CANT_RESOLVE_FILENAME, ENOENT },
    };
    DWORD code = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
    {
        if (table[i].code == code)
            errno = table[i].error;
    }
    return -1;
}

// false: not UTF-8, or too long
static bool widen(const char *path, wchar_t wide[LONGEST_WIDE])
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, LONGEST_WIDE) > 0)
        return true;
    errno = ENOENT;
    return false;
}

static bool narrow(const wchar_t *wide, char *path, size_t size)
{
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)size, NULL, NULL) > 0;
}

static HANDLE nativeOf(int handle)
{
    return (HANDLE)_get_osfhandle(handle);
}

// ---- files ----------------------------------------------------------------------------------------------------------

static FileStatus statusOf(HANDLE native)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(native) != FILE_TYPE_DISK)
        return (FileStatus){ .kind = FILE_OTHER, .named = true };
    if (!GetFileInformationByHandle(native, &info))
    {
        fail();
        return (FileStatus){ .kind = FILE_MISSING };
    }
    FILE_STANDARD_INFO standard;
    bool leaves = GetFileInformationByHandleEx(native, FileStandardInfo, &standard, sizeof standard) &&
                  (standard.DeletePending || standard.NumberOfLinks == 0);
    FileKind kind = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FILE_FOLDER : FILE_REGULAR;
    return (FileStatus){ kind, (long long)info.nFileSizeHigh << 32 | info.nFileSizeLow, !leaves };
}

// `flags` FILE_FLAG_BACKUP_SEMANTICS: a folder too
static HANDLE openNative(const wchar_t *wide, DWORD access, DWORD creation, DWORD flags)
{
    return CreateFileW(wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, creation,
                       FILE_ATTRIBUTE_NORMAL | flags, NULL);
}

FileStatus systemStatus(const char *path)
{
    FileStatus status = { .kind = FILE_MISSING };
    wchar_t wide[LONGEST_WIDE];
    if (!widen(path, wide))
        return status;
    HANDLE native = openNative(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (native == INVALID_HANDLE_VALUE)
    {
        fail();
        return status;
    }
    status = statusOf(native);
    CloseHandle(native);
    return status;
}

FileStatus systemHandleStatus(int handle)
{
    return statusOf(nativeOf(handle));
}

int systemOpen(const char *path, FileUse use)
{
    static const DWORD access[] = { GENERIC_READ, GENERIC_READ | GENERIC_WRITE, GENERIC_WRITE };
    wchar_t wide[LONGEST_WIDE];
    if (!widen(path, wide))
        return -1;
    HANDLE native = openNative(wide, access[use], use == FILE_TO_MAKE ? CREATE_NEW : OPEN_EXISTING, 0);
    if (native == INVALID_HANDLE_VALUE)
        return fail();
    int handle = _open_osfhandle((intptr_t)native, _O_BINARY | (use == FILE_TO_READ ? _O_RDONLY : _O_RDWR));
    if (handle < 0)
        CloseHandle(native);
    return handle;
}

FILE *systemStreamOf(int handle, FileUse use)
{
    static const char *const modes[] = { "rb", "r+b", "wb" };
    FILE *stream = _fdopen(handle, modes[use]);
    if (stream == NULL)
    {
        int error = errno;
        _close(handle);
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
    return _close(handle);
}

static OVERLAPPED placeAt(long long offset)
{
    OVERLAPPED place = { 0 };
    place.Offset = (DWORD)(offset & 0xffffffff);
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

long long systemReadAt(int handle, void *bytes, size_t size, long long offset)
{
    OVERLAPPED place = placeAt(offset);
    DWORD got = 0, wanted = (DWORD)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
    if (!ReadFile(nativeOf(handle), bytes, wanted, &got, &place) && GetLastError() != ERROR_HANDLE_EOF)
        return fail();
    return got;
}

long long systemWriteAt(int handle, const void *bytes, size_t size, long long offset)
{
    OVERLAPPED place = placeAt(offset);
    DWORD written = 0, wanted = (DWORD)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
    if (!WriteFile(nativeOf(handle), bytes, wanted, &written, &place))
        return fail();
    return written;
}

int systemCut(int handle, long long size)
{
    FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = size };
    return SetFileInformationByHandle(nativeOf(handle), FileEndOfFileInfo, &end, sizeof end) ? 0 : fail();
}

int systemRename(const char *from, const char *to)
{
    wchar_t wideFrom[LONGEST_WIDE], wideTo[LONGEST_WIDE];
    if (!widen(from, wideFrom) || !widen(to, wideTo))
        return -1;
    return MoveFileExW(wideFrom, wideTo, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

int systemRemove(const char *path)
{
    wchar_t wide[LONGEST_WIDE];
    if (!widen(path, wide))
        return -1;
    return DeleteFileW(wide) ? 0 : fail();
}

int systemMakeFolder(const char *path)
{
    wchar_t wide[LONGEST_WIDE];
    if (!widen(path, wide))
        return -1;
    return CreateDirectoryW(wide, NULL) ? 0 : fail();
}

void systemErrorText(int error, char *text, size_t size)
{
    if (strerror_s(text, size, error) != 0)
        snprintf(text, size, "error %d", error);
}

// ---- folders and paths ----------------------------------------------------------------------------------------------

struct FolderList
{
    HANDLE native;
    WIN32_FIND_DATAW found;
    bool ahead; // `found` holds a name that was not handed out
    char name[4 * MAX_PATH];
};

FolderList *folderListOpen(const char *folder)
{
    char pattern[LONGEST_WIDE];
    wchar_t wide[LONGEST_WIDE];
    snprintf(pattern, sizeof pattern, "%s/*", folder[0] != 0 ? folder : ".");
    FolderList *list = widen(pattern, wide) ? malloc(sizeof *list) : NULL;
    if (list == NULL)
        return NULL;
    list->native = FindFirstFileW(wide, &list->found);
    list->ahead = true;
    if (list->native != INVALID_HANDLE_VALUE)
        return list;
    fail();
    free(list);
    return NULL;
}

const char *folderListNext(FolderList *list)
{
    bool some = list->ahead || FindNextFileW(list->native, &list->found);
    list->ahead = false;
    return some && narrow(list->found.cFileName, list->name, sizeof list->name) ? list->name : NULL;
}

void folderListClose(FolderList *list)
{
    if (list == NULL)
        return;
    FindClose(list->native);
    free(list);
}

// hands a path out with '/' between its names
static bool handOut(wchar_t *wide, char *path, size_t size)
{
    for (wchar_t *c = wide; *c != 0; ++c)
        *c = *c == L'\\' ? L'/' : *c;
    return narrow(wide, path, size);
}

void pathPlain(char *path)
{
    for (char *c = path; *c != 0; ++c)
        *c = *c == '\\' ? '/' : *c;
}

char *pathLastSlash(const char *path)
{
    char *slash = strrchr(path, '/'), *other = strrchr(path, '\\');
    return slash == NULL || (other != NULL && other > slash) ? other : slash;
}

bool pathIsRooted(const char *path)
{
    bool letter = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
    return path[0] == '/' || path[0] == '\\' || (letter && path[1] == ':');
}

bool pathHere(char *path, size_t size)
{
    wchar_t wide[LONGEST_WIDE];
    DWORD length = GetCurrentDirectoryW(LONGEST_WIDE, wide);
    return length > 0 && length < LONGEST_WIDE && handOut(wide, path, size);
}

bool pathReal(const char *path, char *real, size_t size)
{
    wchar_t wide[LONGEST_WIDE];
    if (!widen(path, wide))
        return false;
    HANDLE native = openNative(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (native == INVALID_HANDLE_VALUE)
        return fail() == 0;
    DWORD length = GetFinalPathNameByHandleW(native, wide, LONGEST_WIDE, FILE_NAME_NORMALIZED);
    CloseHandle(native);
    if (length == 0 || length >= LONGEST_WIDE)
        return false;
    return handOut(wcsncmp(wide, L"\\\\?\\", 4) == 0 ? wide + 4 : wide, real, size);
}

bool pathOfProgram(char *path, size_t size)
{
    wchar_t wide[LONGEST_WIDE];
    DWORD length = GetModuleFileNameW(NULL, wide, LONGEST_WIDE);
    return length > 0 && length < LONGEST_WIDE && handOut(wide, path, size);
}

#endif
