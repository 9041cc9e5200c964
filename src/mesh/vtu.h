// Arrays of VTU files: file_vtu.c finds them, vtu_array.c reads their numbers.
#ifndef MESH_VTU_H
#define MESH_VTU_H

#include "mesh/file.h"

typedef struct VtuArray
{
    bool present;
    NumberType type;
    bool bigEndian;
    long long offset; // in the appended data
    long long line;   // of its tag
    unsigned char *bytes;
    size_t size, room;
} VtuArray;

// How bytes stand in the file.
typedef struct VtuCoding
{
    bool bigEndian;
    bool base64;
    bool zlib;         // packed in blocks
    NumberType header; // of the sizes before the bytes
} VtuCoding;

// Both begin where the source stands, and return false after they filled in the result.
bool vtuText(Reader *reader, VtuArray *array); // numbers as words, up to a '<'
bool vtuBytes(Reader *reader, const VtuCoding *coding, VtuArray *array);

static inline size_t vtuCount(const VtuArray *array)
{
    return array->present ? array->size / numberSize(array->type) : 0;
}

#endif
