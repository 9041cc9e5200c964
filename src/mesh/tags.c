#include "mesh/tags.h"

// open addressing with linear probing; a slot holds a place from 1, 0 is free
static size_t slotOf(const Tags *tags, long long tag)
{
    uint64_t mixed = hashFinish((uint64_t)tag ^ tags->salt);
    return (size_t)(mixed >> 32) & (tags->slots - 1);
}

static size_t probe(const Tags *tags, const long long *names, long long tag)
{
    size_t slot = slotOf(tags, tag);
    while (tags->slot[slot] != 0 && names[tags->slot[slot] - 1] != tag)
        slot = (slot + 1) & (tags->slots - 1);
    return slot;
}

bool tagsBuild(Tags *tags, Memory *memory, const long long *names, int count, int *twice)
{
    *twice = -1;
    tags->slots = 16;
    while (tags->slots < 2 * (size_t)count)
        tags->slots *= 2;
    tags->slot = ALLOCATE(memory, int, tags->slots);
    if (tags->slot == NULL)
        return false;
    // what is found does not depend on it, but nobody can make up tags that all meet in one slot
    tags->salt = hashFinish((uint64_t)(uintptr_t)tags->slot ^ (uint64_t)(1e9 * clockSeconds()));
    for (int i = 0; i < count; ++i)
    {
        size_t slot = probe(tags, names, names[i]);
        if (tags->slot[slot] != 0)
        {
            *twice = i;
            return true;
        }
        tags->slot[slot] = i + 1;
    }
    return true;
}

int tagsFind(const Tags *tags, const long long *names, long long tag)
{
    return tags->slots > 0 ? tags->slot[probe(tags, names, tag)] - 1 : -1;
}

void tagsRelease(Tags *tags, Memory *memory)
{
    memoryRelease(memory, tags->slot);
    *tags = (Tags){ 0 };
}
