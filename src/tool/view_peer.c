// A connection: requests of HTTP, then messages of a WebSocket. Bytes come in as the socket has them, and answers wait
// in `out` until it takes them.
#include "tool/view.h"

#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_MOST (256u << 20) // bytes that may wait for a page that does not read

// ---- bytes ----------------------------------------------------------------------------------------------------------

static bool append(ViewPeer *peer, ViewBytes *to, const void *bytes, size_t size, size_t most)
{
    if (size > most || to->count > most - size)
        return false;
    if (to->count + size > to->room)
    {
        size_t room = 2 * to->room + size + 4096;
        uint8_t *block = realloc(to->byte, room);
        if (block == NULL)
        {
            peer->broken = true;
            return false;
        }
        to->byte = block;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->byte + to->count, bytes, size);
    to->count += size;
    return true;
}

static void drop(ViewBytes *from, size_t size)
{
    memmove(from->byte, from->byte + size, from->count - size);
    from->count -= size;
}

static void answer(ViewPeer *peer, const void *bytes, size_t size)
{
    if (!append(peer, &peer->out, bytes, size, OUT_MOST))
        peer->broken = true;
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

static const char *reasonOf(int status)
{
    return status == 200   ? "OK"
           : status == 303 ? "See Other"
           : status == 400 ? "Bad Request"
           : status == 404 ? "Not Found"
           : status == 405 ? "Method Not Allowed"
           : status == 426 ? "Upgrade Required"
           : status == 503 ? "Service Unavailable"
                           : "Forbidden";
}

// no other page may frame this one, or learn its address; threads need the page to be isolated
static void answerHead(ViewPeer *peer, int status, const char *type, long long size, const char *more)
{
    char head[1024];
    int port = peer->server->secrets.port;
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Content-Security-Policy: default-src 'self' blob: data:; script-src 'self' 'wasm-unsafe-eval' blob:; "
        "style-src 'self' 'unsafe-inline'; connect-src 'self' blob: data: ws://127.0.0.1:%d ws://localhost:%d; "
        "frame-ancestors 'none'\r\n%s\r\n",
        status, reasonOf(status), type, size, port, port, more);
    answer(peer, head, (size_t)length);
}

static void answerText(ViewPeer *peer, int status, const char *text, const char *more)
{
    answerHead(peer, status, "text/plain; charset=utf-8", (long long)strlen(text), more);
    answer(peer, text, strlen(text));
}

static void refuse(ViewPeer *peer, int status)
{
    answerText(peer, status,
               status == 403   ? "This is not for you. Open the address that 'verve view' printed; it works once.\n"
               : status == 404 ? "There is no such file.\n"
                               : "This request is not understood.\n",
               "Connection: close\r\n");
    peer->closing = true;
}

static void answerFile(ViewPeer *peer, const char *file)
{
    char path[1024], part[65536];
    bool fits = snprintf(path, sizeof path, "%s/%s", peer->server->folder, file) < (int)sizeof path;
    FileStatus status = fits ? systemStatus(path) : (FileStatus){ .kind = FILE_MISSING };
    FILE *in = status.kind == FILE_REGULAR ? systemStream(path, FILE_TO_READ) : NULL;
    if (in == NULL)
    {
        refuse(peer, 404);
        return;
    }
    answerHead(peer, 200, mediaType(file), status.size, "");
    long long left = status.size;
    for (size_t count; left > 0 && (count = fread(part, 1, sizeof part, in)) > 0;)
    {
        count = (long long)count < left ? count : (size_t)left;
        answer(peer, part, count);
        left -= (long long)count;
    }
    fclose(in);
    if (left > 0) // it became shorter while it was read
        peer->broken = true;
}

static void becomeSocket(ViewPeer *peer, const Request *request)
{
    char accept[29], text[256];
    peer->session = peer->server->open(peer->server->context, peer);
    if (peer->session == NULL)
    {
        refuse(peer, 503);
        return;
    }
    acceptKey(request->key, accept);
    int length = snprintf(text, sizeof text,
                          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: %s\r\n\r\n",
                          accept);
    answer(peer, text, (size_t)length);
    peer->socket = true;
}

// false: more bytes are needed
static bool takeRequest(ViewPeer *peer)
{
    Request request;
    int taken = requestRead((const char *)peer->in.byte, peer->in.count, &request);
    if (taken == 0)
        return false;
    if (taken < 0)
    {
        refuse(peer, 400);
        return false;
    }
    drop(&peer->in, (size_t)taken);
    Route route = routeOf(&peer->server->secrets, &request);
    char more[128];
    snprintf(more, sizeof more, "Location: /%s/\r\n", peer->server->secrets.session);
    if (route.kind == ROUTE_REDIRECT)
        answerText(peer, 303, "", more);
    else if (route.kind == ROUTE_FILE && strcmp(route.file, "engine.json") == 0) // tells the page where its engine is
        answerText(peer, 200, "{\"socket\": \"live\"}\n", "");
    else if (route.kind == ROUTE_FILE)
        answerFile(peer, route.file);
    else if (route.kind == ROUTE_SOCKET)
        becomeSocket(peer, &request);
    else
        refuse(peer, route.status);
    return !peer->closing;
}

// ---- WebSocket ------------------------------------------------------------------------------------------------------

static void sendFrame(ViewPeer *peer, int opcode, const void *bytes, size_t size)
{
    uint8_t head[10];
    answer(peer, head, socketFrameHead(head, opcode, size));
    answer(peer, bytes, size);
}

static void endSocket(ViewPeer *peer, unsigned code)
{
    uint8_t reason[2] = { (uint8_t)(code >> 8), (uint8_t)code };
    if (!peer->closing)
        sendFrame(peer, FRAME_CLOSE, reason, sizeof reason);
    peer->closing = true;
}

// pieces of a message come one behind the other, with control frames between them
static bool takePiece(ViewPeer *peer, const Frame *frame)
{
    bool begins = frame->opcode != FRAME_CONTINUES;
    if (begins == (peer->opcode != 0))
        return false;
    if (begins)
        peer->opcode = frame->opcode;
    if (begins && frame->last) // the usual one, where it lies
    {
        peer->opcode = 0;
        peer->server->receive(peer->session, frame->opcode == FRAME_BINARY, frame->payload, frame->size);
        return true;
    }
    if (!append(peer, &peer->message, frame->payload, frame->size, MESSAGE_MOST))
        return false;
    if (!frame->last)
        return true;
    peer->server->receive(peer->session, peer->opcode == FRAME_BINARY, peer->message.byte, peer->message.count);
    peer->message.count = 0;
    peer->opcode = 0;
    return true;
}

static bool takeFrame(ViewPeer *peer)
{
    Frame frame;
    long long taken = socketFrameRead(peer->in.byte, peer->in.count, &frame);
    if (taken == 0)
        return false;
    if (taken < 0)
    {
        endSocket(peer, 1002);
        return false;
    }
    if (frame.opcode == FRAME_CLOSE)
        endSocket(peer, 1000);
    else if (frame.opcode == FRAME_PING)
        sendFrame(peer, FRAME_PONG, frame.payload, frame.size);
    else if (frame.opcode != FRAME_PONG && !takePiece(peer, &frame))
        endSocket(peer, 1002);
    if (!peer->closing)
        drop(&peer->in, (size_t)taken);
    return !peer->closing;
}

// ---- both -----------------------------------------------------------------------------------------------------------

void peerReceive(ViewPeer *peer, const void *bytes, size_t size)
{
    if (peer->closing || peer->broken)
        return; // what follows an end is not read
    if (!append(peer, &peer->in, bytes, size, MESSAGE_MOST + HEAD_MOST))
    {
        peer->broken = true;
        return;
    }
    while (!peer->broken && (peer->socket ? takeFrame(peer) : takeRequest(peer)))
        continue;
}

void peerSend(ViewPeer *peer, bool binary, const void *bytes, size_t size)
{
    if (peer->socket && !peer->closing && !peer->broken)
        sendFrame(peer, binary ? FRAME_BINARY : FRAME_TEXT, bytes, size);
}

void peerFree(ViewPeer *peer)
{
    if (peer->session != NULL)
        peer->server->close(peer->session);
    free(peer->in.byte);
    free(peer->out.byte);
    free(peer->message.byte);
    *peer = (ViewPeer){ 0 };
}
