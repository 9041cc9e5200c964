// Unpacks what zlib has packed: RFC 1950 around RFC 1951. Ours because the library needs nothing but the C library, and
// its builds for Windows and WebAssembly have no zlib.
#ifndef MESH_INFLATE_H
#define MESH_INFLATE_H

#include <stddef.h>

#define INFLATE_MOST 1032 // no byte becomes more than so many

// Fills `out`, all of it. Returns NULL, or what is wrong with the packed bytes.
const char *inflateZlib(const unsigned char *in, size_t inSize, unsigned char *out, size_t outSize);

#endif
