// Inside the mesh room: a glTF file and its numbers.
#ifndef MESH_GLTF_H
#define MESH_GLTF_H

#include "base/json.h"
#include "mesh/file.h"

// A list of the file by number.
typedef struct GltfList
{
    const Json **entry; // count
    int count;
} GltfList;

typedef struct GltfBuffer
{
    const unsigned char *bytes;
    size_t size;
    void *own; // to be released, or NULL
} GltfBuffer;

typedef struct Gltf
{
    Reader *reader;
    JsonTree tree;
    const Json *root;
    char *file; // all of it
    size_t fileSize;
    GltfBuffer chunk; // of a binary file
    GltfList buffers, views, accessors, meshes, nodes, materials;
    GltfBuffer *buffer; // buffers.count
} Gltf;

// The numbers of an accessor.
typedef struct GltfNumbers
{
    const unsigned char *bytes;
    size_t stride; // bytes
    int count, width;
    NumberType type;
    bool normalized; // whole numbers stand for 0 to 1
} GltfNumbers;

bool gltfFault(Gltf *gltf, const char *remedy, const char *format, ...) PRINTF_LIKE(3, 4); // false
bool gltfWhole(Gltf *gltf, const Json *object, const char *key, long long most, long long fallback, long long *value);

bool gltfOpen(Gltf *gltf, Reader *reader); // false after saying why
void gltfClose(Gltf *gltf);                // also after a failure

// `width`: 1, 2 or 3 numbers a row.
bool gltfNumbers(Gltf *gltf, long long accessor, int width, GltfNumbers *numbers);
double gltfReal(const GltfNumbers *numbers, int row, int column);
long long gltfIndex(const GltfNumbers *numbers, int row);

#endif
