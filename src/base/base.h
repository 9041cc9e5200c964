// The base room: memory, results, asserts, log, sums and the state hash. Nothing here knows about physics.
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <verve/base.h>

#include <stdatomic.h>

// ---- memory ---------------------------------------------------------------------------------------------------------

// An allocator hook with its book-keeping. Every block is zeroed, 64-byte aligned and remembers its size.
typedef struct Memory
{
    vvAllocator hook;
    size_t bytes;       // in use now, headers included
    size_t blocks;      // in use now
    long long requests; // calls of hook.allocate so far: a step after warm-up must not raise it
    atomic_bool busy;   // a thread allocates or releases: the hook is never called twice at a time
    atomic_int calling; // functions of the caller's that run now, on any thread
} Memory;

// Around every call of a function of the caller's: hooks, constraints, the logger. What owns the memory does not change
// then.
static inline void memoryEnterCall(Memory *memory)
{
    atomic_fetch_add_explicit(&memory->calling, 1, memory_order_relaxed);
}

static inline void memoryLeaveCall(Memory *memory)
{
    atomic_fetch_sub_explicit(&memory->calling, 1, memory_order_relaxed);
}

static inline bool memoryIsCalling(Memory *memory)
{
    return atomic_load_explicit(&memory->calling, memory_order_relaxed) > 0;
}

Memory memoryMake(const vvAllocator *hook);                      // hook NULL or empty: malloc and free
void *memoryAllocate(Memory *memory, size_t count, size_t size); // NULL when exhausted, or count x size overflows
void *memoryAllocateBare(Memory *memory, size_t count,
                         size_t size);                    // not cleared: for what is written before it is read
void memoryRelease(Memory *memory, void *block);          // NULL is fine
void memoryGive(Memory *memory, Memory *to, void *block); // to memory of the same allocator, which releases it

// Grows `*block` from oldCount to newCount elements, contents kept, the rest zero. False: nothing changed.
bool memoryGrow(Memory *memory, void **block, size_t oldCount, size_t newCount, size_t size);

#define ALLOCATE(memory, type, count) ((type *)memoryAllocate((memory), (size_t)(count), sizeof(type)))
#define ALLOCATE_BARE(memory, type, count) ((type *)memoryAllocateBare((memory), (size_t)(count), sizeof(type)))

// ---- results --------------------------------------------------------------------------------------------------------

#if defined(__MINGW32__) // printf of C17, not that of the system's library (CMakeLists.txt)
#define PRINTF_LIKE(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

vvResult resultOk(void);
vvResult resultMake(vvCode code, const char *remedy, const char *format, ...) PRINTF_LIKE(3, 4);
vvResult resultOutOfMemory(const char *what);

// Hands a result out through an optional pointer; true if it is a success.
bool resultPass(vvResult *out, const vvResult *result);

// ---- asserts: our own bugs, never user input ------------------------------------------------------------------------
// Three levels, chosen at build time by VERVE_ASSERT_LEVEL: 0 none, 1 cheap (release), 2 normal (debug), 3 slow too.

#ifndef VERVE_ASSERT_LEVEL
#define VERVE_ASSERT_LEVEL 1
#endif

_Noreturn void assertFailed(const char *words, const char *condition, const char *file, int line);

#define ASSERT_AT(level, condition, words)                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (VERVE_ASSERT_LEVEL >= (level) && !(condition))                                                             \
            assertFailed((words), #condition, __FILE__, __LINE__);                                                     \
    } while (0)

#define ASSERT_CHEAP(condition, words) ASSERT_AT(1, condition, words)
#define ASSERT(condition, words) ASSERT_AT(2, condition, words)
#define ASSERT_SLOW(condition, words) ASSERT_AT(3, condition, words)

// ---- log ------------------------------------------------------------------------------------------------------------

// `memory`: of what logs
void logWrite(Memory *memory, const vvLogger *logger, vvLogLevel level, const char *format, ...) PRINTF_LIKE(4, 5);

// ---- files ----------------------------------------------------------------------------------------------------------

// A new file to write, whatever had its name before: a link is not followed. -1: errno says why.
int partOpen(const char *path);

// ---- words: tables of names chosen by one word ----------------------------------------------------------------------

// Bytes of the UTF-8 character that the text begins with; 0: it begins with none.
int utf8Length(const char *text);

// Whether a terminal obeys the character instead of showing it: ASCII and C1 controls, marks that turn the direction of
// writing around, bytes that are no UTF-8 (length 0).
bool utf8IsControl(const char *text, int length);

// Puts '?' for every such character; the length in bytes stays. Results and log messages have gone through it.
void textPlain(char *text);

// The name of the table nearest to `word` in edits, for "did you mean"; NULL for an empty table.
const char *nearestWord(const char *word, const char *const *names, int count);
int wordEdits(const char *a, const char *b); // letters to insert, remove or replace; of the first 63 of each

// ---- numbers with the same bits everywhere --------------------------------------------------------------------------

// Pairwise sum: the tree depends on count alone, the rounding error grows with log(count).
double sumPairwise(const double *values, int count);

// Largest absolute value; NaN if any value is NaN.
double largestMagnitude(const double *values, int count);

bool allFinite(const double *values, int count);

// sin and cos without libm, which differs between platforms: |error| < 4e-16 for |angle| <= 1000.
void sineCosine(double angle, double *sine, double *cosine);

// exp(-x) for x >= 0 without libm: relative error below 4e-16; 0 from x = 708 on.
double decayOver(double x);

// natural, 0 for what has none; without libm, so that the bits are the same everywhere
double logarithm(double value);

#define PI 3.14159265358979323846

// s of wall clock since some fixed moment; for budgets and statistics, never for physics.
double clockSeconds(void);
double clockLap(double *since); // s since that moment, which becomes now

// 64-bit hash (FNV-1a over 8-byte words, finished by an avalanche). Start with HASH_SEED, chain the calls.
#define HASH_SEED 0xcbf29ce484222325ULL
uint64_t hashBytes(uint64_t hash, const void *data, size_t size);
uint64_t hashFinish(uint64_t hash);

static inline int minInt(int a, int b)
{
    return a < b ? a : b;
}

static inline int maxInt(int a, int b)
{
    return a > b ? a : b;
}

static inline double minReal(double a, double b)
{
    return a < b ? a : b;
}

static inline double maxReal(double a, double b)
{
    return a > b ? a : b;
}

#endif
