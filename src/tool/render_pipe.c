// Frames to ffmpeg through a pipe; no shell is between, so any file name will do.
#include "tool/render.h"

#include "tool/system.h"

#include <errno.h>
#include <string.h>

struct Pipe
{
    Memory *memory;
    Process process;
};

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
    int error = processStart(&made->process, arguments);
    if (error == 0)
        return made;
    *result = resultMake(error == ENOENT ? VV_BAD_INPUT : VV_INPUT_OUTPUT, "install ffmpeg or use .gif",
                         "ffmpeg cannot be started: %s", strerror(error));
    memoryRelease(memory, made);
    return NULL;
}

bool pipeWrite(Pipe *pipe, const Picture *picture)
{
    return processWrite(&pipe->process, picture->rgb, 3 * (size_t)picture->width * (size_t)picture->height);
}

bool pipeClose(Pipe *pipe)
{
    bool ended = processEnd(&pipe->process);
    memoryRelease(pipe->memory, pipe);
    return ended;
}
