// Files of bytes for the tests of readers, and what every reader must do with them.
#ifndef TESTS_MESH_BYTES_H
#define TESTS_MESH_BYTES_H

#include "check.h"

#include "mesh/mesh.h"
#include "refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes
{
    unsigned char data[8192];
    size_t size;
    bool bigEndian;
} Bytes;

static inline void putBytes(Bytes *bytes, const void *data, size_t size)
{
    assert_true(bytes->size + size <= sizeof bytes->data);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static inline void putText(Bytes *bytes, const char *text)
{
    putBytes(bytes, text, strlen(text));
}

// the lowest `size` bytes of a whole number
static inline void putWhole(Bytes *bytes, long long value, size_t size)
{
    for (size_t i = 0; i < size; ++i)
    {
        size_t shift = 8 * (bytes->bigEndian ? size - 1 - i : i);
        unsigned char byte = (unsigned char)((unsigned long long)value >> shift);
        putBytes(bytes, &byte, 1);
    }
}

static inline void putInt(Bytes *bytes, long long value)
{
    putWhole(bytes, value, 4);
}

static inline void putFloat(Bytes *bytes, double value)
{
    float single = (float)value;
    unsigned int bits;
    memcpy(&bits, &single, sizeof bits);
    putWhole(bytes, (long long)bits, 4);
}

static inline void putDouble(Bytes *bytes, double value)
{
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    putWhole(bytes, bits, 8);
}

// ---- reading them ---------------------------------------------------------------------------------------------------

static inline vvMesh *tryBytes(const char *format, const void *data, size_t size, vvAllocator allocator,
                               vvResult *result)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = "data";
    def.format = format;
    def.data = data;
    def.dataSize = size;
    def.allocator = allocator;
    return vvCreateMesh(&def, result);
}

static inline vvMesh *readBytes(const char *format, const Bytes *bytes)
{
    vvResult result;
    vvMesh *mesh = tryBytes(format, bytes->data, bytes->size, (vvAllocator){ 0 }, &result);
    if (mesh == NULL)
        fail_msg("%s: %s", format, result.message);
    return mesh;
}

static inline void checkRefused(const char *format, const Bytes *bytes, const char *expected)
{
    vvResult result;
    if (tryBytes(format, bytes->data, bytes->size, (vvAllocator){ 0 }, &result) != NULL)
        fail_msg("%s accepted, must say \"%s\"", format, expected);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(strlen(result.remedy) > 0);
    if (strstr(result.message, expected) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", format, result.message, expected);
}

static inline void checkText(const char *format, const char *text, const char *expected)
{
    Bytes bytes = { .size = 0 };
    putText(&bytes, text);
    checkRefused(format, &bytes, expected);
}

static inline void checkMeshCounts(const vvMesh *mesh, int vertices, int tets, int surface)
{
    assert_int_equal(vvMesh_GetVertexCount(mesh), vertices);
    assert_int_equal(vvMesh_GetTetCount(mesh), tets);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), surface);
}

// Cut anywhere before its last `tail` bytes a file is refused, and never read past its end; every allocation may fail.
static inline void checkCuts(const char *format, const Bytes *bytes, size_t tail)
{
    vvResult result;
    for (size_t size = 0; size + tail < bytes->size; ++size)
    {
        char *cut = malloc(size + 1); // so that a sanitizer sees the end
        assert_non_null(cut);
        memcpy(cut, bytes->data, size);
        if (tryBytes(format, cut, size, (vvAllocator){ 0 }, &result) != NULL)
            fail_msg("%s accepted after %zu of %zu bytes", format, size, bytes->size);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(strlen(result.message) > 0 && strlen(result.remedy) > 0);
        free(cut);
    }
    vvMesh *mesh = NULL;
    for (int granted = 0; mesh == NULL; ++granted)
    {
        int left = granted;
        mesh = tryBytes(format, bytes->data, bytes->size, (vvAllocator){ refuseAfter, giveBack, &left }, &result);
        if (result.code != (mesh == NULL ? VV_OUT_OF_MEMORY : VV_OK))
            fail_msg("%s with %d allocations: %s", format, granted, result.message);
        assert_true(granted < 500);
    }
    vvDestroyMesh(mesh);
}

// Any one byte changed: refused with a reason or read, without harm.
static inline void checkChanges(const char *format, const Bytes *bytes)
{
    static const unsigned char values[] = { 0, 1, 0x7f, 0xff, '9' };
    Bytes changed = *bytes;
    for (size_t i = 0; i < bytes->size; ++i)
    {
        for (size_t v = 0; v < sizeof values; ++v)
        {
            vvResult result;
            changed.data[i] = values[v];
            vvMesh *mesh = tryBytes(format, changed.data, changed.size, (vvAllocator){ 0 }, &result);
            if (mesh == NULL)
                assert_true(result.code == VV_BAD_INPUT && strlen(result.message) > 0 && strlen(result.remedy) > 0);
            vvDestroyMesh(mesh);
        }
        changed.data[i] = bytes->data[i];
    }
}

#endif
