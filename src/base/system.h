// What the operating system gives: threads, clock, memory, files. Each function has a body for POSIX (system_posix.c,
// files_posix.c) and one for Windows (system_windows.c, files_windows.c); outside this room and src/tool/system_*.c no
// code knows which system it runs on. Paths are UTF-8. Functions that fail set errno on every system.
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#if !defined(_WIN32)
#include <pthread.h>
#endif

// ---- threads --------------------------------------------------------------------------------------------------------

#if defined(_WIN32)
typedef struct Lock
{
    void *native; // SRWLOCK
} Lock;

typedef struct Condition
{
    void *native; // CONDITION_VARIABLE
} Condition;

#define LOCK_INITIAL                                                                                                   \
    {                                                                                                                  \
        NULL                                                                                                           \
    }
#else
typedef pthread_mutex_t Lock;
typedef pthread_cond_t Condition;
#define LOCK_INITIAL PTHREAD_MUTEX_INITIALIZER
#endif

typedef void (*ThreadFunction)(void *argument);

typedef struct Thread // stays where it is until it is joined
{
    ThreadFunction function;
    void *argument;
#if defined(_WIN32)
    void *native; // HANDLE
#else
    pthread_t native;
#endif
} Thread;

bool lockInit(Lock *lock); // or LOCK_INITIAL
void lockDestroy(Lock *lock);
void lockTake(Lock *lock);
void lockGive(Lock *lock);

bool conditionInit(Condition *condition);
void conditionDestroy(Condition *condition);
void conditionWait(Condition *condition, Lock *lock); // may return early: look again
void conditionWake(Condition *condition);             // one of those who wait

// A thread that takes no signals: those are for the threads of the host. False: the system grants no more.
bool threadStart(Thread *thread, ThreadFunction function, void *argument);
void threadJoin(Thread *thread);
void threadYield(void);
void threadSleep(double seconds);

int systemCores(void);             // at least 1
long long systemPreemptions(void); // how often threads of this process lost their core to others; 0: unknown
long long systemNanoseconds(void); // since some fixed moment; never goes back

// ---- memory ---------------------------------------------------------------------------------------------------------

// As aligned_alloc and free. `alignment` is a power of two; `size` need not be a multiple of it.
void *systemAllocate(size_t size, size_t alignment);
void systemRelease(void *memory);

// ---- files ----------------------------------------------------------------------------------------------------------

typedef enum FileUse
{
    FILE_TO_READ,
    FILE_TO_CHANGE, // reads and writes what is there
    FILE_TO_MAKE,   // writes a file that was not there: a link is not followed. EEXIST: it is
} FileUse;

typedef enum FileKind
{
    FILE_MISSING, // or not to be seen: errno says why
    FILE_REGULAR,
    FILE_FOLDER,
    FILE_OTHER, // a pipe waits for ever, a device never ends
} FileKind;

typedef struct FileStatus
{
    FileKind kind;
    long long size; // bytes
    bool named;     // some folder has it: bytes written to it can be read again
} FileStatus;

FileStatus systemStatus(const char *path);

int systemOpen(const char *path, FileUse use);     // a handle; -1: errno says why
FILE *systemStream(const char *path, FileUse use); // the same as a stream of bytes; NULL: errno says why
FILE *systemStreamOf(int handle, FileUse use);     // owns the handle from then on; NULL: errno says why, it is closed
FileStatus systemHandleStatus(int handle);
int systemClose(int handle); // 0; -1: errno says why

// Bytes read or written, fewer than asked for at the end of the file or of the disk; -1: errno says why.
long long systemReadAt(int handle, void *bytes, size_t size, long long offset);
long long systemWriteAt(int handle, const void *bytes, size_t size, long long offset);

// 0; -1: errno says why
int systemCut(int handle, long long size);
int systemRename(const char *from, const char *to); // whatever had the name before
int systemRemove(const char *path);                 // a file or a link
int systemMakeFolder(const char *path);

// What errno means, in words.
void systemErrorText(int error, char *text, size_t size);

// ---- folders and paths ----------------------------------------------------------------------------------------------

typedef struct FolderList FolderList;

FolderList *folderListOpen(const char *folder);  // NULL: errno says why
const char *folderListNext(FolderList *listing); // the next name, "." and ".." too, until the next call; NULL: no more
void folderListClose(FolderList *listing);       // NULL is fine

void pathPlain(char *path);                               // '/' between names, where the system takes more than that
char *pathLastSlash(const char *path);                    // before the last name; NULL: there is only one
bool pathIsRooted(const char *path);                      // names the same file from every folder
bool pathHere(char *path, size_t size);                   // the present folder; '/' between names on every system
bool pathReal(const char *path, char *real, size_t size); // links followed; false: not there, or too long
bool pathOfProgram(char *path, size_t size);
bool pathOfLibrary(char *path, size_t size); // that this code is part of, or the program; false: not known

#endif
