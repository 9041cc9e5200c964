// The engine in a Worker of the page: messages in, messages out, time. web/src/worker.ts calls these functions and
// gives `send`.
#include "live/live.h"

#include <emscripten.h>
#include <stdlib.h>

#define FOLDER "/session"

// Module.send, of web/src/worker.ts
EM_JS(void, sendOut, (int binary, const void *bytes, int size), { Module.send(binary, bytes, size); })

static Live *live;
static unsigned char *inbox; // a message from the page
static size_t inboxSize;

static void send(void *context, bool binary, const void *bytes, size_t size)
{
    (void)context;
    sendOut(binary, bytes, (int)size);
}

EMSCRIPTEN_KEEPALIVE int frontOpen(int threads)
{
    LiveOptions options = { .send = send, .engine = "wasm", .folder = FOLDER, .threads = threads };
    live = liveOpen(&options, NULL);
    return live != NULL;
}

// Where the page writes the bytes of its next message; NULL: out of memory.
EMSCRIPTEN_KEEPALIVE void *frontInbox(int size)
{
    if ((size_t)size > inboxSize)
    {
        free(inbox);
        inbox = malloc((size_t)size);
        inboxSize = inbox != NULL ? (size_t)size : 0;
    }
    return inbox;
}

EMSCRIPTEN_KEEPALIVE void frontReceive(int binary, int size)
{
    liveReceive(live, binary != 0, inbox, (size_t)size);
    if (inboxSize > 1 << 20) // a file that was dropped
    {
        free(inbox);
        inbox = NULL;
        inboxSize = 0;
    }
}

EMSCRIPTEN_KEEPALIVE double frontAdvance(double seconds, double budget)
{
    return liveAdvance(live, seconds, budget);
}
