// Where the shared library lies that this code is part of.
#define _GNU_SOURCE // dladdr
#include "base/system.h"

#if (defined(__linux__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)

#include <dlfcn.h>
#include <string.h>

bool pathOfLibrary(char *path, size_t size)
{
    static const char here = 0;
    Dl_info about;
    return dladdr(&here, &about) != 0 && about.dli_fname != NULL && strchr(about.dli_fname, '/') != NULL &&
           pathReal(about.dli_fname, path, size);
}

#else

bool pathOfLibrary(char *path, size_t size)
{
    (void)path;
    (void)size;
    return false;
}

#endif
