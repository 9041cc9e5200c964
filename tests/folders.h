// Folders of tests, which vanish. Before it, define _XOPEN_SOURCE 700 (mkdtemp).
#ifndef TESTS_FOLDERS_H
#define TESTS_FOLDERS_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// where the system keeps such folders; on Windows, whose is long, in the present one
static inline void folderNew(char folder[64])
{
#if defined(_WIN32)
    static int count;
    snprintf(folder, 64, "verve-test-%d-%d", (int)getpid(), count++);
    assert_int_equal(mkdir(folder), 0);
#else
    strcpy(folder, "/tmp/verve-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
#endif
}

static inline void folderEmpty(const char *folder)
{
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;)
    {
        char path[1024];
        snprintf(path, sizeof path, "%.700s/%.255s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(path) != 0)
        {
            folderEmpty(path);
            rmdir(path);
        }
    }
    if (listing != NULL)
        closedir(listing);
}

static inline void folderRemove(const char *folder)
{
    folderEmpty(folder);
    rmdir(folder);
}

#endif
