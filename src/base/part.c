// The file beside a file: written to its end, then renamed over its name.
#include "base/base.h"
#include "base/system.h"

#include <errno.h>

int partOpen(const char *path)
{
    // what a killed process left goes; a link goes too, and what it names stays
    if (systemRemove(path) != 0 && errno != ENOENT)
        return -1;
    return systemOpen(path, FILE_TO_MAKE);
}
