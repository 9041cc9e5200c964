// The file beside a file: written to its end, then renamed over its name.
#define _XOPEN_SOURCE 700 // O_NOFOLLOW, O_CLOEXEC
#define _FILE_OFFSET_BITS 64
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int partOpen(const char *path)
{
    // what a killed process left goes; a link goes too, and what it names stays
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}
