// Binary glTF files for tests: numbers go in one by one, the rest is JSON.
#ifndef TESTS_GLB_H
#define TESTS_GLB_H

#include "check.h"

#include <stdio.h>
#include <string.h>

typedef struct Glb
{
    unsigned char data[16384];
    size_t size;
    char views[4096], accessors[4096];
    int count;
} Glb;

// `rows` x `width` numbers as floats, or as unsigned numbers of 1 or 2 bytes; returns the accessor
static inline int glbPut(Glb *glb, const double *value, int rows, int width, int bytes)
{
    static const char *const types[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4", [16] = "MAT4" };
    size_t start = glb->size;
    assert_true(start + 4 * (size_t)(rows * width) + 4 < sizeof glb->data);
    for (int i = 0; i < rows * width; ++i)
    {
        float real = (float)value[i];
        unsigned bits = bytes == 4 ? 0 : (unsigned)value[i];
        if (bytes == 4)
            memcpy(&bits, &real, sizeof bits);
        for (int b = 0; b < bytes; ++b)
            glb->data[glb->size++] = (unsigned char)(bits >> (8 * b));
    }
    const char *comma = glb->count > 0 ? "," : "";
    size_t at = strlen(glb->views), behind = strlen(glb->accessors);
    snprintf(glb->views + at, sizeof glb->views - at, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma,
             start, glb->size - start);
    snprintf(glb->accessors + behind, sizeof glb->accessors - behind,
             "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"}", comma, glb->count,
             bytes == 4   ? 5126
             : bytes == 2 ? 5123
                          : 5121,
             rows, types[width]);
    while (glb->size % 4 != 0)
        glb->data[glb->size++] = 0;
    return glb->count++;
}

static inline void glbWord(unsigned char *out, size_t value)
{
    for (int b = 0; b < 4; ++b)
        out[b] = (unsigned char)(value >> (8 * b));
}

// the whole file into `out`, 32768 bytes; `rest`: "nodes", "meshes" and what else there is. Returns its size
static inline size_t glbBytes(const Glb *glb, const char *rest, unsigned char *out)
{
    char json[14000];
    int length = snprintf(json, sizeof json,
                          "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],"
                          "\"accessors\":[%s],%s}",
                          glb->size, glb->views, glb->accessors, rest);
    assert_true(length > 0 && (size_t)length + 4 < sizeof json);
    size_t text = (size_t)length;
    while (text % 4 != 0)
        json[text++] = ' ';
    memcpy(out, "glTF", 4);
    glbWord(out + 4, 2);
    glbWord(out + 8, 28 + text + glb->size);
    glbWord(out + 12, text);
    memcpy(out + 16, "JSON", 4);
    memcpy(out + 20, json, text);
    glbWord(out + 20 + text, glb->size);
    memcpy(out + 24 + text, "BIN\0", 4);
    memcpy(out + 28 + text, glb->data, glb->size);
    return 28 + text + glb->size;
}

static inline void glbWrite(const Glb *glb, const char *rest, const char *path)
{
    static unsigned char bytes[32768];
    size_t size = glbBytes(glb, rest, bytes);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

#endif
