#include "base/base.h"
#include "base/system.h"

#include <string.h>

#define HEADER_SIZE 64            // keeps the block behind it aligned to 64 bytes
#define MOST_BYTES (SIZE_MAX / 4) // of a block: sums of sizes stay far from overflow, on 32-bit machines too

typedef struct Header
{
    size_t size; // of the whole allocation
} Header;

static void *defaultAllocate(size_t size, size_t alignment, void *userData)
{
    (void)userData;
    return systemAllocate(size, alignment);
}

static void defaultRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

Memory memoryMake(const vvAllocator *hook)
{
    Memory memory = { .hook = { defaultAllocate, defaultRelease, NULL } };
    if (hook != NULL && hook->allocate != NULL && hook->release != NULL)
        memory.hook = *hook;
    return memory;
}

// islands that are solved side by side may ask at the same time; rarely, and never in a step that has warmed up
static void enter(Memory *memory)
{
    while (atomic_exchange_explicit(&memory->busy, true, memory_order_acquire))
        threadYield();
    memoryEnterCall(memory);
}

static void leave(Memory *memory)
{
    memoryLeaveCall(memory);
    atomic_store_explicit(&memory->busy, false, memory_order_release);
}

void *memoryAllocateBare(Memory *memory, size_t count, size_t size)
{
    ASSERT(size > 0, "an element has a size");
    if (count > MOST_BYTES / size)
        return NULL;
    size_t total = HEADER_SIZE + count * size;
    enter(memory);
    memory->requests += 1;
    char *raw = memory->hook.allocate(total, HEADER_SIZE, memory->hook.userData);
    memory->bytes += raw != NULL ? total : 0;
    memory->blocks += raw != NULL;
    leave(memory);
    if (raw == NULL)
        return NULL;
    memset(raw, 0, HEADER_SIZE);
    ((Header *)(void *)raw)->size = total;
    return raw + HEADER_SIZE;
}

void *memoryAllocate(Memory *memory, size_t count, size_t size)
{
    void *block = memoryAllocateBare(memory, count, size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

void memoryGive(Memory *memory, Memory *to, void *block)
{
    if (block == NULL)
        return;
    size_t total = ((Header *)(void *)((char *)block - HEADER_SIZE))->size;
    ASSERT_CHEAP(memory->hook.allocate == to->hook.allocate && memory->hook.userData == to->hook.userData,
                 "a block goes to memory of the same allocator");
    memory->bytes -= total;
    memory->blocks -= 1;
    to->bytes += total;
    to->blocks += 1;
}

void memoryRelease(Memory *memory, void *block)
{
    if (block == NULL)
        return;
    char *raw = (char *)block - HEADER_SIZE;
    size_t total = ((Header *)(void *)raw)->size;
    enter(memory);
    ASSERT_CHEAP(memory->blocks > 0 && memory->bytes >= total, "a block is released where it was allocated, once");
    memory->bytes -= total;
    memory->blocks -= 1;
    memory->hook.release(raw, total, memory->hook.userData);
    leave(memory);
}

bool memoryGrow(Memory *memory, void **block, size_t oldCount, size_t newCount, size_t size)
{
    ASSERT(newCount >= oldCount, "growth does not shrink");
    char *grown = memoryAllocateBare(memory, newCount, size);
    if (grown == NULL)
        return false;
    if (oldCount > 0)
        memcpy(grown, *block, oldCount * size);
    memset(grown + oldCount * size, 0, (newCount - oldCount) * size);
    memoryRelease(memory, *block);
    *block = grown;
    return true;
}
