// Frames of WebSockets (RFC 6455, section 5.2) and the answer of their handshake (section 4.2.2).
#include "tool/view.h"

#include <string.h>

long long socketFrameRead(uint8_t *bytes, size_t size, Frame *frame)
{
    if (size < 2)
        return 0;
    unsigned opcode = bytes[0] & 15u;
    bool control = opcode >= 8;
    if ((bytes[0] & 0x70) != 0 || (bytes[1] & 0x80) == 0 || (opcode > 2 && opcode < 8) || opcode > 10)
        return -1; // extensions that nobody agreed on, no mask, or a kind that there is not
    uint64_t length = bytes[1] & 127u;
    size_t head = 2;
    int extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (control && (extra > 0 || (bytes[0] & 0x80) == 0))
        return -1;
    if (size < head + (size_t)extra + 4)
        return 0;
    for (int i = 0; i < extra; ++i)
        length = (i == 0 ? 0 : length << 8) | bytes[head + (size_t)i];
    if (length > MESSAGE_MOST)
        return -1;
    head += (size_t)extra;
    const uint8_t *mask = bytes + head;
    head += 4;
    if (size - head < length)
        return 0;
    for (size_t i = 0; i < length; ++i)
        bytes[head + i] ^= mask[i & 3];
    *frame = (Frame){ (int)opcode, (bytes[0] & 0x80) != 0, bytes + head, (size_t)length };
    return (long long)(head + length);
}

size_t socketFrameHead(uint8_t head[10], int opcode, size_t size)
{
    head[0] = (uint8_t)(0x80 | opcode);
    int extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
    head[1] = (uint8_t)(extra == 0 ? size : extra == 2 ? 126 : 127);
    for (int i = 0; i < extra; ++i)
        head[2 + i] = (uint8_t)((uint64_t)size >> (8 * (extra - 1 - i)));
    return 2 + (size_t)extra;
}

// ---- the handshake --------------------------------------------------------------------------------------------------

static uint32_t turn(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

// FIPS 180-4, 6.1.2: one block of 64 bytes
static void shaBlock(uint32_t state[5], const uint8_t block[64])
{
    static const uint32_t constants[4] = { 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6 };
    uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < 16; ++t)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               (uint32_t)block[4 * t + 3];
    for (int t = 16; t < 80; ++t)
        w[t] = turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < 80; ++t)
    {
        uint32_t f = t < 20 ? (b & c) | (~b & d) : t >= 40 && t < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t next = turn(a, 5) + f + e + constants[t / 20] + w[t];
        e = d;
        d = c;
        c = turn(b, 30);
        b = a;
        a = next;
    }
    const uint32_t add[5] = { a, b, c, d, e };
    for (int i = 0; i < 5; ++i)
        state[i] += add[i];
}

// of at most 119 bytes
static void sha1(const char *text, uint8_t digest[20])
{
    uint32_t state[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
    uint8_t blocks[128] = { 0 };
    size_t size = strlen(text), used = size + 9 <= 64 ? 64 : 128;
    memcpy(blocks, text, size);
    blocks[size] = 0x80;
    for (int i = 0; i < 8; ++i)
        blocks[used - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> (8 * i));
    for (size_t at = 0; at < used; at += 64)
        shaBlock(state, blocks + at);
    for (int i = 0; i < 20; ++i)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void acceptKey(const char *key, char accept[29])
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[128];
    uint8_t digest[21] = { 0 };
    size_t length = strlen(key) < 64 ? strlen(key) : 64;
    memcpy(text, key, length);
    strcpy(text + length, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    sha1(text, digest);
    for (int i = 0; i < 7; ++i)
    {
        unsigned word = (unsigned)digest[3 * i] << 16 | (unsigned)digest[3 * i + 1] << 8 | digest[3 * i + 2];
        for (int k = 0; k < 4; ++k)
            accept[4 * i + k] = digit[word >> (18 - 6 * k) & 63];
    }
    accept[27] = '=';
    accept[28] = '\0';
}
