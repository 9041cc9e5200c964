// Words, terminal, signals and processes of POSIX systems.
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE // SIGXFSZ
#define _DEFAULT_SOURCE  // SIGXFSZ
#include "tool/system.h"

#if !defined(_WIN32)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char **systemWords(int *count, char **words)
{
    (void)count;
    return words;
}

bool isTerminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

// ---- signals --------------------------------------------------------------------------------------------------------

void signalsCatch(void (*handler)(int signal))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

void signalsIgnoreLimits(void)
{
    signal(SIGXFSZ, SIG_IGN);
}

void signalsEndBy(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

// ---- folders --------------------------------------------------------------------------------------------------------

bool temporaryFolder(char *path, size_t size)
{
    const char *above = getenv("TMPDIR");
    above = above != NULL && above[0] == '/' ? above : "/tmp";
    if (snprintf(path, size, "%s/verve-XXXXXX", above) < (int)size && mkdtemp(path) != NULL)
        return true;
    path[0] = '\0';
    return false;
}

void removeFolder(const char *path)
{
    char file[PATH_MAX];
    DIR *folder = path[0] != '\0' ? opendir(path) : NULL;
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name) >= (int)sizeof file)
            continue;
        if (unlink(file) != 0 && errno != ENOENT)
            removeFolder(file);
    }
    if (folder != NULL)
        closedir(folder);
    if (path[0] != '\0')
        rmdir(path);
}

// ---- processes ------------------------------------------------------------------------------------------------------

int processStart(Process *process, char *const words[])
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN); // a program that died shows in what write returns
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t id = 0;
    int error = posix_spawnp(&id, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (error != 0)
        close(ends[1]);
    *process = (Process){ (void *)(intptr_t)id, error == 0 ? ends[1] : -1 };
    return error;
}

bool processWrite(Process *process, const void *bytes, size_t size)
{
    for (const char *from = bytes; size > 0;)
    {
        ssize_t wrote = write(process->handle, from, size);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

bool processEnd(Process *process)
{
    int status = -1;
    close(process->handle);
    while (waitpid((pid_t)(intptr_t)process->native, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
