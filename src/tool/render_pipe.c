// Frames to ffmpeg through a pipe; no shell is between, so any file name will do.
#define _POSIX_C_SOURCE 200809L
#include "tool/render.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Pipe
{
    Memory *memory;
    pid_t process;
    int handle;
};

static int start(Pipe *pipe_, char *const arguments[])
{
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int error = posix_spawnp(&pipe_->process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (error != 0)
        close(ends[1]);
    pipe_->handle = error == 0 ? ends[1] : -1;
    return error;
}

Pipe *pipeOpen(Memory *memory, const char *out, int width, int height, double fps, vvResult *result)
{
    char size[32], rate[32], file[1300];
    snprintf(file, sizeof file, "file:%s", out); // never an option, a protocol or standard output
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.6f", fps);
    char *arguments[] = { "ffmpeg",     "-loglevel", "error",    "-f",      "rawvideo", "-pix_fmt", "rgb24",
                          "-s",         size,        "-r",       rate,      "-i",       "-",        "-an",
                          "-c:v",       "libx264",   "-pix_fmt", "yuv420p", "-crf",     "18",       "-movflags",
                          "+faststart", "-f",        "mp4",      "-y",      file,       NULL };
    Pipe *made = ALLOCATE(memory, Pipe, 1);
    if (made == NULL)
    {
        *result = resultOutOfMemory("a pipe");
        return NULL;
    }
    made->memory = memory;
    signal(SIGPIPE, SIG_IGN); // a program that died shows in what write returns
    int error = start(made, arguments);
    if (error == 0)
        return made;
    *result = resultMake(error == ENOENT ? VV_BAD_INPUT : VV_INPUT_OUTPUT, "install ffmpeg or use .gif",
                         "ffmpeg cannot be started: %s", strerror(error));
    memoryRelease(memory, made);
    return NULL;
}

bool pipeWrite(Pipe *pipe_, const Picture *picture)
{
    size_t left = 3 * (size_t)picture->width * (size_t)picture->height;
    const uint8_t *from = picture->rgb;
    while (left > 0)
    {
        ssize_t wrote = write(pipe_->handle, from, left);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        left -= (size_t)wrote;
    }
    return true;
}

bool pipeClose(Pipe *pipe_)
{
    int status = -1;
    close(pipe_->handle);
    while (waitpid(pipe_->process, &status, 0) < 0 && errno == EINTR)
        continue;
    memoryRelease(pipe_->memory, pipe_);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
