// Runs a fuzz target without libFuzzer: every seed of its corpus as it is, then mutations of the seeds, always the same
// ones.
//   fuzz_NOUN RUNS CORPUS
// It shares the library of the other tests under the sanitizers, so that a short look at every reader costs no build of
// its own.
// The input under which a run dies is left in crash-NOUN.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    MAX_INPUT = 4096, // bytes
    MAX_SEEDS = 256,
    MAX_SECONDS = 10, // for one input
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Input
{
    uint8_t byte[MAX_INPUT];
    size_t size;
} Input;

static Input seeds[MAX_SEEDS];
static int seedCount;
static Input current;
static char crashName[128];

static uint64_t randomState = 1;

// splitmix64
static uint32_t draw(uint32_t below)
{
    uint64_t z = (randomState += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

// a sanitizer, an assertion or the clock has ended the run
static void keepInput(int number)
{
    int file = open(crashName, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, current.byte, current.size) == (ssize_t)current.size)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

static int compareNames(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int readSeed(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || seedCount == MAX_SEEDS)
        return 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    Input *seed = &seeds[seedCount++];
    seed->size = fread(seed->byte, 1, MAX_INPUT, file);
    fclose(file);
    return 1;
}

// in the order of their names, so that every machine draws the same inputs
static void readSeeds(const char *folder)
{
    char *name[MAX_SEEDS];
    int count = 0;
    DIR *list = opendir(folder);
    if (list == NULL)
        return;
    for (struct dirent *entry = readdir(list); entry != NULL && count < MAX_SEEDS; entry = readdir(list))
    {
        if (entry->d_name[0] != '.')
            name[count++] = strdup(entry->d_name);
    }
    closedir(list);
    qsort(name, (size_t)count, sizeof name[0], compareNames);
    for (int i = 0; i < count; ++i)
    {
        readSeed(folder, name[i]);
        free(name[i]);
    }
}

// puts `count` bytes in the place of `removed` ones
static void splice(Input *input, size_t at, size_t removed, const uint8_t *byte, size_t count)
{
    size_t tail = input->size - at - removed;
    if (at + count + tail > MAX_INPUT)
        return;
    memmove(input->byte + at + count, input->byte + at + removed, tail);
    memmove(input->byte + at, byte, count);
    input->size = at + count + tail;
}

static void mutate(Input *input)
{
    static const char *const words[] = { "-1", "0",  "1e999", "nan", "4294967296", "99999999", "-0.0", "\n",
                                         " ",  "\"", "{",     "}",   "[",          "]",        ",",    "/" };
    uint8_t block[64];
    size_t at = input->size > 0 ? draw((uint32_t)input->size) : 0;
    size_t left = input->size - at;
    size_t length = 1 + draw(sizeof block);
    if (length > left)
        length = left;
    const Input *other = &seeds[draw((uint32_t)seedCount)];
    const char *word = words[draw(sizeof words / sizeof words[0])];
    switch (draw(7))
    {
    case 0: // one bit
        if (left > 0)
            input->byte[at] ^= (uint8_t)(1u << draw(8));
        break;
    case 1: // bytes at random
        for (size_t i = 0; i < length; ++i)
            input->byte[at + i] = (uint8_t)draw(256);
        break;
    case 2: // a block less
        splice(input, at, length, block, 0);
        break;
    case 3: // a block twice
        memcpy(block, input->byte + at, length);
        splice(input, at, 0, block, length);
        break;
    case 4: // a word in the place of some bytes
        splice(input, at, left > 0 ? draw(4) % (uint32_t)(left + 1) : 0, (const uint8_t *)word, strlen(word));
        break;
    case 5: // cut off here
        input->size = at;
        break;
    default: // a piece of another seed
        if (other->size > 0)
        {
            size_t from = draw((uint32_t)other->size);
            size_t count = 1 + draw(sizeof block);
            splice(input, at, 0, other->byte + from, count < other->size - from ? count : other->size - from);
        }
        break;
    }
}

static void run(const Input *input)
{
    // a copy of its own size: the address sanitizer sees what reads beyond it
    uint8_t *copy = malloc(input->size > 0 ? input->size : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, input->byte, input->size);
    alarm(MAX_SECONDS);
    LLVMFuzzerTestOneInput(copy, input->size);
    alarm(0);
    free(copy);
}

int main(int count, char **word)
{
    if (count != 3)
    {
        fprintf(stderr, "usage: %s RUNS CORPUS\n", word[0]);
        return 2;
    }
    const char *slash = strrchr(word[0], '/');
    snprintf(crashName, sizeof crashName, "crash-%s", slash != NULL ? slash + 1 : word[0]);
    signal(SIGABRT, keepInput);
    signal(SIGALRM, keepInput);
    readSeeds(word[2]);
    if (seedCount == 0)
    {
        fprintf(stderr, "fuzz: no seeds in %s\n", word[2]);
        return 2;
    }
    long runs = atol(word[1]);
    for (long i = 0; i < runs + seedCount; ++i)
    {
        current = seeds[i < seedCount ? (uint32_t)i : draw((uint32_t)seedCount)];
        for (uint32_t change = i < seedCount ? 0 : 1 + draw(6); change > 0; --change)
            mutate(&current);
        run(&current);
    }
    printf("fuzz: %s survived %d seeds and %ld mutations of them\n", word[0], seedCount, runs);
    return 0;
}
