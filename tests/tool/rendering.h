// What the tests of 'verve render' share: a folder that vanishes, the command by its words, and pictures read back.
#ifndef TESTS_TOOL_RENDERING_H
#define TESTS_TOOL_RENDERING_H

#include "check.h"
#include "draw/inflate.h"
#include "tool/render.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; // everything of a test is in here

static inline int makeFolder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/verve-render-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static inline int removeFolder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static inline const char *inFolder(const char *name)
{
    static char path[64][400];
    static int turn;
    turn = (turn + 1) % 64;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline long sizeOf(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

#define RENDER(...) renderWords((const char *[]){ __VA_ARGS__, NULL })

static inline int renderWords(const char *const *words)
{
    int count = 0;
    char *copy[64];
    for (; words[count] != NULL; ++count)
        copy[count] = (char *)words[count];
    return renderCommand.run("verve", count, copy);
}

// ---- pictures read back ----------------------------------------------------------------------------------------------

typedef struct Image
{
    int width, height;
    uint8_t *rgb; // height x width x 3
} Image;

static inline uint32_t bigEndian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// PNG specification, section 9.4
static inline int paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static inline void unfilter(const uint8_t *raw, Image *image)
{
    size_t row = 3 * (size_t)image->width;
    for (int y = 0; y < image->height; ++y)
    {
        const uint8_t *from = raw + (row + 1) * (size_t)y;
        uint8_t *to = image->rgb + row * (size_t)y;
        for (size_t x = 0; x < row; ++x)
        {
            int a = x >= 3 ? to[x - 3] : 0, b = y > 0 ? to[x - row] : 0, c = x >= 3 && y > 0 ? to[x - row - 3] : 0;
            int guess[5] = { 0, a, b, (a + b) / 2, paeth(a, b, c) };
            assert_true(from[0] < 5);
            to[x] = (uint8_t)(from[x + 1] + guess[from[0]]);
        }
    }
}

static inline Image imageRead(const char *path)
{
    long size = sizeOf(path);
    FILE *file = fopen(path, "rb");
    if (file == NULL || size < 40)
        fail_msg("cannot read %s", path);
    uint8_t *bytes = malloc((size_t)size), *data = malloc((size_t)size);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    Image image = { (int)bigEndian(bytes + 16), (int)bigEndian(bytes + 20), NULL };
    size_t length = 0, needed = (3 * (size_t)image.width + 1) * (size_t)image.height;
    for (long at = 8; at + 12 <= size; at += 12 + (long)bigEndian(bytes + at))
    {
        size_t count = bigEndian(bytes + at);
        if (memcmp(bytes + at + 4, "IDAT", 4) != 0)
            continue;
        memcpy(data + length, bytes + at + 8, count);
        length += count;
    }
    uint8_t *raw = malloc(needed);
    image.rgb = malloc(3 * (size_t)image.width * (size_t)image.height);
    assert_int_equal(inflateAll(data + 2, length - 6, raw, needed), needed); // less zlib's header and checksum
    unfilter(raw, &image);
    free(bytes);
    free(data);
    free(raw);
    return image;
}

static inline void imageFree(Image *image)
{
    free(image->rgb);
    image->rgb = NULL;
}

static inline bool isPaper(const Image *image, int x, int y)
{
    static const uint8_t paper[3] = { 0xFB, 0xFB, 0xFA };
    return memcmp(image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x), paper, 3) == 0;
}

// ---- records -----------------------------------------------------------------------------------------------------------

// `frames` steps of a scene and the state before them; what 'verve run' does, in short
static inline void recordScene(Scene *scene, const char *name, int frames)
{
    vvResult result;
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    if (built == NULL)
        fail_msg("%s: %s", name, result.message);
    vvRecorderDef def = vvDefaultRecorderDef();
    sceneRecord(scene, &def);
    def.folder = inFolder(name);
    vvRecorder *recorder = vvCreateRecorder(sceneWorldId(built), &def, &result);
    assert_non_null(recorder);
    for (int frame = 0; frame <= frames; ++frame)
    {
        assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
        if (frame < frames)
            assert_int_equal(sceneStep(built).code, VV_OK);
    }
    assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
    char path[420];
    snprintf(path, sizeof path, "%s/scene.json", def.folder);
    FILE *file = fopen(path, "wb");
    char *whole = sceneText(scene);
    fputs(whole, file);
    fclose(file);
    sceneFreeText(whole);
    sceneRelease(built);
}

#endif
