// From the numbers that a file gives to its points, in any order and with gaps, to their places.
#ifndef MESH_TAGS_H
#define MESH_TAGS_H

#include "base/base.h"

typedef struct Tags
{
    int *slot;    // slots
    size_t slots; // a power of two
    uint64_t salt;
} Tags;

// `names` stay with the caller. *twice: the place of a name that came before, -1: none. False: out of memory.
bool tagsBuild(Tags *tags, Memory *memory, const long long *names, int count, int *twice);
int tagsFind(const Tags *tags, const long long *names, long long tag); // -1: unknown
void tagsRelease(Tags *tags, Memory *memory);

#endif
