// Inside 'verve view': a server on 127.0.0.1 that gives the built page to one browser and puts the native engine behind
// it.
//
// Who may ask: the address that the tool prints holds a token, which is taken once. It leads to /<session>/, another
// secret, below which everything lies; the token has no more use then, whoever saw it. A request for another host (a
// name that was made to lead to 127.0.0.1), or from a page of another origin, is refused whatever it knows.
#ifndef TOOL_VIEW_H
#define TOOL_VIEW_H

#include "base/base.h"

#include <stdint.h>

// ---- view_http.c: requests, without any socket ----------------------------------------------------------------------

#define HEAD_MOST 8192 // bytes of a request
#define SECRET_SIZE 33 // 128 bits as hexadecimal, and a zero

typedef struct Request
{
    char path[512]; // without the query
    char token[64]; // of the query; empty: none
    char host[128]; // headers; empty: none
    char origin[128];
    char key[64]; // Sec-WebSocket-Key
    bool get;     // the method
    bool upgrade; // to a WebSocket of version 13
    bool foreign; // Sec-Fetch-Site says that another site asks
} Request;

// The bytes that the request takes; 0: it is not complete; -1: it is none.
int requestRead(const char *bytes, size_t size, Request *request);

typedef struct ViewSecrets
{
    int port;
    char token[SECRET_SIZE];
    char session[SECRET_SIZE];
    bool used; // the token was
} ViewSecrets;

typedef enum RouteKind
{
    ROUTE_REFUSED,  // `status`
    ROUTE_REDIRECT, // to the session
    ROUTE_FILE,     // `file`, below the folder of the page
    ROUTE_SOCKET,
} RouteKind;

typedef struct Route
{
    RouteKind kind;
    int status; // of HTTP
    const char *file;
} Route;

Route routeOf(ViewSecrets *secrets, const Request *request); // `file` points into the request
const char *mediaType(const char *file);

// ---- view_frame.c: WebSockets (RFC 6455), without any socket --------------------------------------------------------

#define MESSAGE_MOST (64u << 20) // bytes: a mesh file

enum
{
    FRAME_CONTINUES = 0,
    FRAME_TEXT = 1,
    FRAME_BINARY = 2,
    FRAME_CLOSE = 8,
    FRAME_PING = 9,
    FRAME_PONG = 10,
};

typedef struct Frame
{
    int opcode;
    bool last; // of its message
    uint8_t *payload;
    size_t size;
} Frame;

// The bytes that the first frame takes, its payload without the mask; 0: it is not complete; -1: it breaks the rules.
long long socketFrameRead(uint8_t *bytes, size_t size, Frame *frame);
size_t socketFrameHead(uint8_t head[10], int opcode, size_t size); // what goes before a payload; how many bytes it has
void acceptKey(const char *key, char accept[29]);                  // base64 of the SHA-1 that the handshake asks for

// ---- view_peer.c: one connection, as bytes in and bytes out ---------------------------------------------------------

typedef struct ViewBytes
{
    uint8_t *byte;
    size_t count, room;
} ViewBytes;

typedef struct ViewPeer ViewPeer;

// What a connection talks to.
typedef struct ViewServer
{
    ViewSecrets secrets;
    const char *folder;                           // of the built page
    void *(*open)(void *context, ViewPeer *peer); // a session for a WebSocket; NULL: there are too many
    void (*receive)(void *session, bool binary, const void *bytes, size_t size);
    void (*close)(void *session);
    void *context;
} ViewServer;

struct ViewPeer
{
    ViewServer *server;
    ViewBytes in, out;
    ViewBytes message; // of several frames
    int opcode;        // of it; 0: none
    bool socket;       // a WebSocket by now
    bool closing;      // when `out` is empty
    bool broken;       // out of memory
    void *session;
};

void peerReceive(ViewPeer *peer, const void *bytes, size_t size);
void peerSend(ViewPeer *peer, bool binary, const void *bytes, size_t size); // a message of the engine
void peerFree(ViewPeer *peer);

#endif
