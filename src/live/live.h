// The live room: a scene at work behind messages. A page in the browser shows it and puts hands on it; the same code
// runs as WebAssembly in the page's Worker and in the tool behind a WebSocket. web/src/protocol.ts describes the
// messages. Nothing here waits, draws or knows how messages travel.
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "scene/scene.h"

typedef struct Live Live; // one session: a scene at work, its hands, its saved states

typedef struct LiveOptions
{
    // Takes a message to the page: text is JSON in UTF-8 without a zero at its end. Bytes live until it returns.
    void (*send)(void *context, bool binary, const void *bytes, size_t size);
    void *context;
    const char *engine;      // "wasm", "native"
    const char *folder;      // where uploaded files and records are kept, the session's own; NULL: none are taken
    const char *scene;       // what `load` with an empty scene loads: a path or the name of a shipped scene; NULL: none
    const char *const *sets; // "path=value" words for that scene; setCount
    int setCount;
    int threads; // 0: all cores
    vvAllocator allocator;
} LiveOptions;

Live *liveOpen(const LiveOptions *options, vvResult *result); // NULL on failure
void liveClose(Live *live);                                   // NULL is fine

// Handles one message from the page. Whatever the bytes are, the session survives and answers. What it answers goes
// through `send` before this returns.
void liveReceive(Live *live, bool binary, const void *bytes, size_t size);

// Lets `seconds` of wall clock pass. While it plays, the time of the scene follows, and frames are taken until it has
// caught up or `budget` seconds of wall clock are spent; what is missing is dropped, so that long frames slow time.
// Sends the present frame if it is new and the last one has been `got`. Returns s until the next frame is due; a
// negative number: nothing is due before the next message.
double liveAdvance(Live *live, double seconds, double budget);

vvWorldId liveWorld(const Live *live); // null: nothing is loaded

#endif
