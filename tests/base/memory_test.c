#include "base/base.h"
#include "base/system.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

// a hook that hands out dirty memory, counts, and can be told to fail
typedef struct Bank
{
    int allocations, releases;
    size_t bytes;     // handed out and not returned
    size_t alignment; // of the last request
    int failAt;       // fail this request and all after it; -1 never
} Bank;

static void *bankAllocate(size_t size, size_t alignment, void *userData)
{
    Bank *bank = userData;
    if (bank->failAt >= 0 && bank->allocations >= bank->failAt)
        return NULL;
    void *memory = systemAllocate(size, alignment);
    assert_non_null(memory);
    memset(memory, 0xff, size);
    bank->allocations += 1;
    bank->bytes += size;
    bank->alignment = alignment;
    return memory;
}

static void bankRelease(void *memory, size_t size, void *userData)
{
    Bank *bank = userData;
    bank->releases += 1;
    bank->bytes -= size;
    systemRelease(memory);
}

static Memory bankMemory(Bank *bank)
{
    vvAllocator hook = { bankAllocate, bankRelease, bank };
    return memoryMake(&hook);
}

static bool allZero(const void *block, size_t size)
{
    const unsigned char *bytes = block;
    for (size_t i = 0; i < size; ++i)
    {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static void blocksAreAlignedAndZeroed(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    void *blocks[64];
    for (size_t i = 0; i < 64; ++i)
    {
        size_t size = 1 + i * 37;
        blocks[i] = memoryAllocate(&memory, size, 1);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        assert_true(allZero(blocks[i], size));
        memset(blocks[i], 0xff, size); // all of it is ours: the sanitizer watches
        // return every other block, so that dirty memory comes back
        if (i % 2 == 1)
        {
            memoryRelease(&memory, blocks[i]);
            blocks[i] = NULL;
        }
    }
    for (size_t i = 0; i < 64; ++i)
        memoryRelease(&memory, blocks[i]);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.bytes, 0);
}

static void dirtyHookMemoryIsZeroed(void **state)
{
    (void)state;
    Bank bank = { .failAt = -1 };
    Memory memory = bankMemory(&bank);
    double *values = ALLOCATE(&memory, double, 1000);
    assert_non_null(values);
    assert_true(allZero(values, 1000 * sizeof(double)));
    assert_int_equal(bank.alignment, 64);
    memoryRelease(&memory, values);
}

static void booksAgreeWithTheHook(void **state)
{
    (void)state;
    Bank bank = { .failAt = -1 };
    Memory memory = bankMemory(&bank);
    int *a = ALLOCATE(&memory, int, 10);
    int *b = ALLOCATE(&memory, int, 1000);
    assert_int_equal(memory.blocks, 2);
    assert_int_equal(memory.requests, 2);
    assert_true(memory.bytes >= 1010 * sizeof(int));
    assert_int_equal(memory.bytes, bank.bytes);
    memoryRelease(&memory, a);
    assert_int_equal(memory.blocks, 1);
    assert_int_equal(memory.bytes, bank.bytes);
    memoryRelease(&memory, b);
    memoryRelease(&memory, NULL);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(bank.bytes, 0); // the sizes told to release are those told to allocate
    assert_int_equal(bank.releases, 2);
    assert_int_equal(memory.requests, 2); // a count of requests, not of blocks in use
}

static void nothingIsStillABlock(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    double *none = ALLOCATE(&memory, double, 0);
    assert_non_null(none);
    memoryRelease(&memory, none);
    assert_int_equal(memory.blocks, 0);
}

static void overflowIsRefused(void **state)
{
    (void)state;
    Bank bank = { .failAt = -1 };
    Memory memory = bankMemory(&bank);
    assert_null(memoryAllocate(&memory, SIZE_MAX, 1));
    assert_null(memoryAllocate(&memory, SIZE_MAX / 8 + 2, 8)); // wraps round to 8 bytes
    assert_null(memoryAllocate(&memory, SIZE_MAX, SIZE_MAX));  // wraps round to 1
    assert_null(memoryAllocate(&memory, 2, SIZE_MAX / 2 + 1));
    assert_null(memoryAllocate(&memory, SIZE_MAX - 63, 1));              // wraps round with the header
    assert_null(memoryAllocate(&memory, (size_t)-1000, sizeof(double))); // a negative count
    assert_int_equal(bank.allocations, 0);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.bytes, 0);
}

static void failingHookLeavesTheBooks(void **state)
{
    (void)state;
    Bank bank = { .failAt = 1 };
    Memory memory = bankMemory(&bank);
    int *a = ALLOCATE(&memory, int, 4);
    assert_non_null(a);
    size_t bytes = memory.bytes;
    assert_null(ALLOCATE(&memory, int, 4));
    assert_int_equal(memory.blocks, 1);
    assert_int_equal(memory.bytes, bytes);
    memoryRelease(&memory, a);
    assert_int_equal(memory.bytes, 0);
}

static void growthKeepsContentsAndZeroesTheRest(void **state)
{
    (void)state;
    Bank bank = { .failAt = -1 };
    Memory memory = bankMemory(&bank);
    void *block = NULL;
    assert_true(memoryGrow(&memory, &block, 0, 3, sizeof(int)));
    int *values = block;
    for (int i = 0; i < 3; ++i)
        values[i] = 7 + i;
    assert_true(memoryGrow(&memory, &block, 3, 100, sizeof(int)));
    values = block;
    for (int i = 0; i < 100; ++i)
        assert_int_equal(values[i], i < 3 ? 7 + i : 0);
    assert_int_equal(memory.blocks, 1);

    // no memory, or too much asked for: the old block stays as it was
    bank.failAt = 0;
    assert_false(memoryGrow(&memory, &block, 100, 200, sizeof(int)));
    bank.failAt = -1;
    assert_false(memoryGrow(&memory, &block, 100, SIZE_MAX / 2, sizeof(int)));
    assert_ptr_equal(block, values);
    assert_int_equal(values[2], 9);
    assert_int_equal(memory.blocks, 1);
    memoryRelease(&memory, block);
    assert_int_equal(bank.bytes, 0);
}

static void halfAHookIsNoHook(void **state)
{
    (void)state;
    Bank bank = { .failAt = -1 };
    vvAllocator halves[3] = { { bankAllocate, NULL, &bank }, { NULL, bankRelease, &bank }, { NULL, NULL, NULL } };
    for (int i = 0; i < 3; ++i)
    {
        Memory memory = memoryMake(&halves[i]);
        int *block = ALLOCATE(&memory, int, 4);
        assert_non_null(block);
        memoryRelease(&memory, block);
    }
    assert_int_equal(bank.allocations + bank.releases, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocksAreAlignedAndZeroed),
        cmocka_unit_test(dirtyHookMemoryIsZeroed),
        cmocka_unit_test(booksAgreeWithTheHook),
        cmocka_unit_test(nothingIsStillABlock),
        cmocka_unit_test(overflowIsRefused),
        cmocka_unit_test(failingHookLeavesTheBooks),
        cmocka_unit_test(growthKeepsContentsAndZeroesTheRest),
        cmocka_unit_test(halfAHookIsNoHook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
