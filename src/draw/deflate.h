// Inside the draw room: bytes compressed as RFC 1951 says.
#ifndef DRAW_DEFLATE_H
#define DRAW_DEFLATE_H

#include "base/base.h"

typedef struct Bytes
{
    Memory *memory;
    uint8_t *data; // count of capacity
    size_t count, capacity;
    bool failed; // out of memory: from then on nothing is kept
} Bytes;

void bytesPut(Bytes *bytes, uint8_t value);
bool deflateBytes(Bytes *out, const uint8_t *data, size_t count); // appends; false: out of memory

#endif
