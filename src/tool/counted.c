// An allocator that knows how much it ever had out at once: worlds, meshes, and what they need while they are made.
#include "tool/tool.h"

#include "base/system.h"

static void *allocate(size_t size, size_t alignment, void *userData)
{
    Counted *counted = userData;
    void *memory = systemAllocate(size, alignment);
    if (memory == NULL)
        return NULL;
    counted->bytes += size;
    counted->peak = counted->bytes > counted->peak ? counted->bytes : counted->peak;
    return memory;
}

static void release(void *memory, size_t size, void *userData)
{
    Counted *counted = userData;
    counted->bytes -= size;
    systemRelease(memory);
}

vvAllocator countedAllocator(Counted *counted)
{
    return (vvAllocator){ .allocate = allocate, .release = release, .userData = counted };
}
