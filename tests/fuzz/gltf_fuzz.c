// rooms: base mesh
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tryMesh("gltf", data, size);
    return 0;
}
