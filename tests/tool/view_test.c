// The server of 'verve view' as bytes in and bytes out: who is let in, what it answers, and that nothing hurts it.
#define _XOPEN_SOURCE 700
#include "check.h"
#include "folders.h"
#include "tool/view.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
#define SESSION "fedcba9876543210fedcba9876543210"
#define HOST "Host: 127.0.0.1:4711\r\n"
#define ORIGIN "Origin: http://127.0.0.1:4711\r\n"
#define UPGRADE                                                                                                        \
    "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"                           \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// ---- a server that remembers what it was told -----------------------------------------------------------------------

static char folder[64], heard[1 << 16];
static size_t heardSize;
static int heardCount, openCount, closeCount;
static bool heardBinary, full;

static void *openOne(void *context, ViewPeer *peer)
{
    (void)context;
    openCount += !full;
    return full ? NULL : peer;
}

static void receiveOne(void *session, bool binary, const void *bytes, size_t size)
{
    heardCount += 1;
    heardBinary = binary;
    heardSize = size;
    memcpy(heard, bytes, size < sizeof heard ? size : sizeof heard);
    if (size == 4 && memcmp(bytes, "echo", 4) == 0)
        peerSend(session, binary, bytes, size);
}

static void closeOne(void *session)
{
    (void)session;
    closeCount += 1;
}

static ViewServer serverMake(void)
{
    ViewServer server = { .secrets = { .port = 4711, .token = TOKEN, .session = SESSION }, .folder = folder };
    server.open = openOne;
    server.receive = receiveOne;
    server.close = closeOne;
    heardCount = openCount = closeCount = 0;
    full = false;
    return server;
}

static int setUp(void **state)
{
    (void)state;
    char path[128];
    folderNew(folder);
    snprintf(path, sizeof path, "%s/index.html", folder);
    FILE *file = fopen(path, "wb");
    fputs("<p>the page", file);
    fclose(file);
    return 0;
}

static int tearDown(void **state)
{
    (void)state;
    folderRemove(folder);
    return 0;
}

// the status of the answer to one request, -1 for none
static int ask(ViewServer *server, const char *text, const char *expected)
{
    ViewPeer peer = { .server = server };
    int status = -1;
    peerReceive(&peer, text, strlen(text));
    if (peer.out.count > 12)
    {
        char *answer = calloc(1, peer.out.count + 1);
        memcpy(answer, peer.out.byte, peer.out.count);
        status = atoi(answer + strlen("HTTP/1.1 "));
        if (expected != NULL && strstr(answer, expected) == NULL)
            fail_msg("'%s' is not in: %s", expected, answer);
        free(answer);
    }
    peerFree(&peer);
    return status;
}

// ---- who may come in ------------------------------------------------------------------------------------------------

static void tokenWorksOnce(void **state)
{
    (void)state;
    ViewServer server = serverMake();
    assert_int_equal(ask(&server, "GET / HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /?token=" SESSION " HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /?token=" TOKEN "0 HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /?token= HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n", "Location: /" SESSION "/\r\n"),
                     303);
    assert_int_equal(ask(&server, "GET /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    // below the session everything is there, as often as one likes
    for (int i = 0; i < 2; ++i)
        assert_int_equal(ask(&server, "GET /" SESSION "/ HTTP/1.1\r\n" HOST "\r\n", "<p>the page"), 200);
    assert_int_equal(ask(&server, "GET /" SESSION "/engine.json HTTP/1.1\r\n" HOST "\r\n", "live"), 200);
    assert_int_equal(ask(&server, "GET /" TOKEN "/ HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /index.html HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET //index.html HTTP/1.1\r\n" HOST "\r\n", NULL), 403);
}

static void othersAreRefused(void **state)
{
    (void)state;
    ViewServer server = serverMake();
    const char *const heads[] = {
        "",                                                    // no host
        "Host: evil.example:4711\r\n",                         // a name that leads here
        "Host: 127.0.0.1\r\n",                                 //
        "Host: 127.0.0.1:4712\r\n",                            //
        "Host: 127.0.0.1:4711.evil.example\r\n",               //
        HOST "Origin: http://evil.example\r\n",                // another page
        HOST "Origin: null\r\n",                               // a file or a sandbox
        HOST "Origin: http://127.0.0.1:4712\r\n",              // another server of this machine
        HOST "Origin: https://127.0.0.1:4711\r\n",             //
        HOST "Sec-Fetch-Site: cross-site\r\n",                 //
        HOST "Origin: http://127.0.0.1:4711.evil.example\r\n", //
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i)
    {
        char text[1024];
        snprintf(text, sizeof text, "GET /" SESSION "/ HTTP/1.1\r\n%s\r\n", heads[i]);
        assert_int_equal(ask(&server, text, NULL), 403);
        snprintf(text, sizeof text, "GET /?token=" TOKEN " HTTP/1.1\r\n%s\r\n", heads[i]);
        assert_int_equal(ask(&server, text, NULL), 403);
        snprintf(text, sizeof text, "GET /" SESSION "/live HTTP/1.1\r\n" UPGRADE "%s\r\n", heads[i]);
        assert_int_equal(ask(&server, text, NULL), 403);
    }
    assert_false(server.secrets.used);
    assert_int_equal(openCount, 0);
    // a socket names its origin, the page's
    assert_int_equal(ask(&server, "GET /" SESSION "/live HTTP/1.1\r\n" HOST UPGRADE "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /" TOKEN "/live HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n", NULL), 403);
    assert_int_equal(ask(&server, "GET /" SESSION "/live HTTP/1.1\r\n" HOST ORIGIN "\r\n", NULL), 426);
    assert_int_equal(ask(&server, "POST /" SESSION "/ HTTP/1.1\r\n" HOST "\r\n", NULL), 405);
    full = true;
    assert_int_equal(ask(&server, "GET /" SESSION "/live HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n", NULL), 503);
}

static void onlyFilesOfThePage(void **state)
{
    (void)state;
    ViewServer server = serverMake();
    const char *const paths[] = { "../index.html", "..",          ".hidden",     "a/../index.html", "%2e%2e/index.html",
                                  "a//b",          "/etc/passwd", "a\\b",        "index.html/",     "index.html%00.js",
                                  "missing.js",    "a/./b",       "C:index.html" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
    {
        char text[512];
        snprintf(text, sizeof text, "GET /" SESSION "/%s HTTP/1.1\r\n" HOST "\r\n", paths[i]);
        assert_int_equal(ask(&server, text, NULL), 404);
    }
    assert_string_equal(mediaType("a/b.js"), "text/javascript; charset=utf-8");
    assert_string_equal(mediaType("b.wasm"), "application/wasm");
    assert_string_equal(mediaType("js"), "application/octet-stream");
}

// ---- sockets --------------------------------------------------------------------------------------------------------

// the example of RFC 6455, section 1.3
static void handshakeIsAnswered(void **state)
{
    (void)state;
    ViewServer server = serverMake();
    const char *text = "GET /" SESSION "/live HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n";
    assert_int_equal(ask(&server, text, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), 101);
    assert_int_equal(openCount, 1);
    assert_int_equal(closeCount, 1);
}

static ViewPeer socketMake(ViewServer *server)
{
    const char *text = "GET /" SESSION "/live HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n";
    ViewPeer peer = { .server = server };
    for (size_t i = 0; i < strlen(text); ++i) // byte by byte
        peerReceive(&peer, text + i, 1);
    assert_true(peer.socket);
    peer.out.count = 0;
    return peer;
}

// a frame as a browser sends it; returns its size
static size_t frameMake(uint8_t *out, unsigned first, const void *payload, size_t size)
{
    size_t at = 0;
    out[at++] = (uint8_t)first;
    out[at++] = (uint8_t)(0x80 | (size < 126 ? size : size < 65536 ? 126 : 127));
    for (int i = size < 126 ? 0 : size < 65536 ? 2 : 8; i > 0; --i)
        out[at++] = (uint8_t)((uint64_t)size >> (8 * (i - 1)));
    const uint8_t mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
    memcpy(out + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < size; ++i)
        out[at + i] = (uint8_t)(((const uint8_t *)payload)[i] ^ mask[i & 3]);
    return at + size;
}

static void messagesArriveWhole(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 18], payload[70000];
    ViewServer server = serverMake();
    ViewPeer peer = socketMake(&server);
    peer.session = &peer; // it has moved
    const size_t sizes[] = { 0, 5, 125, 126, 127, 65535, 65536, 70000 };
    for (size_t i = 0; i < sizeof payload; ++i)
        payload[i] = (uint8_t)(i * 31 + 7);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    {
        size_t size = frameMake(bytes, 0x80 | FRAME_BINARY, payload, sizes[i]);
        peerReceive(&peer, bytes, size / 3);
        peerReceive(&peer, bytes + size / 3, size - size / 3);
        assert_int_equal(heardCount, (int)i + 1);
        assert_int_equal(heardSize, sizes[i]);
        assert_true(heardBinary);
        assert_memory_equal(heard, payload, sizes[i] < sizeof heard ? sizes[i] : sizeof heard);
    }
    // in pieces, with a ping between them that is answered at once
    size_t size = frameMake(bytes, FRAME_TEXT, "he", 2);
    size += frameMake(bytes + size, FRAME_CONTINUES, "ll", 2);
    size += frameMake(bytes + size, 0x80 | FRAME_PING, "hi", 2);
    size += frameMake(bytes + size, 0x80 | FRAME_CONTINUES, "o", 1);
    heardCount = 0;
    peerReceive(&peer, bytes, size);
    assert_int_equal(heardCount, 1);
    assert_int_equal(heardSize, 5);
    assert_memory_equal(heard, "hello", 5);
    assert_memory_equal(peer.out.byte, "\x8a\x02hi", 4);
    // what the engine says goes out unmasked
    peer.out.count = 0;
    peerReceive(&peer, bytes, frameMake(bytes, 0x80 | FRAME_TEXT, "echo", 4));
    assert_int_equal(peer.out.count, 6);
    assert_memory_equal(peer.out.byte,
                        "\x81\x04"
                        "echo",
                        6);
    peer.out.count = 0;
    peerSend(&peer, true, payload, 70000);
    assert_int_equal(peer.out.count, 70010);
    assert_memory_equal(peer.out.byte, "\x82\x7f\0\0\0\0\0\x01\x11\x70", 10);
    // an end is answered by an end
    peer.out.count = 0;
    peerReceive(&peer, bytes, frameMake(bytes, 0x80 | FRAME_CLOSE, "\x03\xe8", 2));
    assert_memory_equal(peer.out.byte, "\x88\x02\x03\xe8", 4);
    assert_true(peer.closing);
    peerFree(&peer);
    assert_int_equal(closeCount, 1);
}

static void brokenRulesEndASocket(void **state)
{
    (void)state;
    uint8_t big[14] = { 0x82, 0xff, 0, 0, 0, 0, 4, 0, 0, 1, 1, 2, 3, 4 }; // 64 MiB and one byte
    const struct
    {
        const void *bytes;
        size_t size;
    } wrong[] = {
        { "\x81\x02hi", 4 },                        // no mask
        { "\xc1\x80\1\2\3\4", 6 },                  // an extension
        { "\x83\x80\1\2\3\4", 6 },                  // kinds that there are not
        { "\x8b\x80\1\2\3\4", 6 },                  //
        { "\x80\x80\1\2\3\4", 6 },                  // goes on with nothing
        { "\x09\x80\1\2\3\4", 6 },                  // a ping in pieces
        { "\x89\xfe\x01\0\1\2\3\4", 8 },            // a large ping
        { "\x01\x80\1\2\3\4\x01\x80\1\2\3\4", 12 }, // begins before the last has ended
        { big, sizeof big },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        ViewServer server = serverMake();
        ViewPeer peer = socketMake(&server);
        peerReceive(&peer, wrong[i].bytes, wrong[i].size);
        assert_true(peer.closing);
        assert_memory_equal(peer.out.byte, "\x88\x02\x03\xea", 4); // 1002, protocol error
        size_t waiting = peer.out.count;
        peerReceive(&peer, "\x81\x80\1\2\3\4", 6);
        assert_int_equal(peer.out.count, waiting);
        assert_int_equal(heardCount, 0);
        peerFree(&peer);
    }
}

// ---- whatever comes -------------------------------------------------------------------------------------------------

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

// 100,000 requests and frames that are damaged in some place: the server answers or ends the connection, gives away no
// file without the secret, and keeps no memory
static void damagedBytesDoNoHarm(void **state)
{
    (void)state;
    static const char *const samples[] = {
        "GET /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n",
        "GET /" SESSION "/index.html HTTP/1.1\r\n" HOST ORIGIN "\r\n",
        "GET /" SESSION "/live HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n",
    };
    ViewServer server = serverMake();
    server.secrets.used = true;
    int ended = 0, messages = 0;
    for (int round = 0; round < 100000; ++round)
    {
        uint8_t bytes[1024];
        ViewPeer peer = { .server = &server };
        seed = (uint32_t)round * 2654435761u + 1;
        bool socket = round % 2 == 1;
        const char *sample = samples[draw(3)];
        size_t size = strlen(sample);
        memcpy(bytes, sample, size);
        if (socket)
        {
            peerReceive(&peer, samples[2], strlen(samples[2]));
            assert_true(peer.socket);
            size = 0;
            const char *text = samples[2]; // the longest
            for (uint32_t i = draw(4); i < 4; ++i)
            {
                static const unsigned kinds[] = { 0x81, 0x82, 0x01, 0x00, 0x80, 0x88, 0x89, 0x8a, 0x83, 0xf1 };
                size += frameMake(bytes + size, kinds[draw(10)], text, draw(130));
            }
        }
        heardCount = 0;
        for (uint32_t i = draw(6); i > 0; --i)
            bytes[draw((uint32_t)size)] = (uint8_t)draw(256);
        size_t half = draw((uint32_t)size + 1);
        peerReceive(&peer, bytes, half);
        peerReceive(&peer, bytes + half, size - half);
        assert_false(peer.broken);
        ended += peer.closing;
        messages += heardCount;
        peerFree(&peer);
    }
    assert_true(ended > 10000);   // most are noticed
    assert_true(messages > 1000); // and some are messages still
    assert_int_equal(openCount, closeCount);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tokenWorksOnce, setUp, tearDown),
        cmocka_unit_test_setup_teardown(othersAreRefused, setUp, tearDown),
        cmocka_unit_test_setup_teardown(onlyFilesOfThePage, setUp, tearDown),
        cmocka_unit_test(handshakeIsAnswered),
        cmocka_unit_test(messagesArriveWhole),
        cmocka_unit_test(brokenRulesEndASocket),
        cmocka_unit_test_setup_teardown(damagedBytesDoNoHarm, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
