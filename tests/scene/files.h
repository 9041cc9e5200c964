// Files of the source tree for the tests of the scene room.
#ifndef TESTS_SCENE_FILES_H
#define TESTS_SCENE_FILES_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

// the whole text of a file below the source folder; release with free
static inline char *readSource(const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", SOURCE_FOLDER, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, length, file), length);
    text[length] = 0;
    fclose(file);
    if (size != NULL)
        *size = length;
    return text;
}

#endif
