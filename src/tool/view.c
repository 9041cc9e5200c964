// verve view: a scene in the browser, with the native engine behind the page.
#include "tool/view.h"

#include "live/live.h"
#include "tool/socket.h"
#include "tool/system.h"
#include "tool/tool.h"

#include "base/system.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define MOST_PEERS 24
#define MOST_SESSIONS 4 // scenes at work: two side by side, and those of a page that is being loaded again
#define HEAD_SECONDS 10 // for a request that does not come to its end
#define BUDGET 0.05     // s of stepping before the sockets are looked at again

typedef struct View
{
    ViewServer server;
    ViewPeer peer[MOST_PEERS];
    int handle[MOST_PEERS]; // -1: free
    long long since[MOST_PEERS];
    Live *live[MOST_PEERS]; // of the peer with that number
    char files[MOST_PEERS][512];
    int listener;
    const OpenedScene *opened;
    int threads;
    bool met; // a page has come
} View;

static volatile sig_atomic_t ended;

static void endView(int number)
{
    ended = number;
}

// ---- sessions -------------------------------------------------------------------------------------------------------

static void sendToPage(void *context, bool binary, const void *bytes, size_t size)
{
    peerSend(context, binary, bytes, size);
}

static int numberOf(const View *view, const ViewPeer *peer)
{
    return (int)(peer - view->peer);
}

static void *openSession(void *context, ViewPeer *peer)
{
    View *view = context;
    int number = numberOf(view, peer), sessions = 0;
    for (int i = 0; i < MOST_PEERS; ++i)
        sessions += view->live[i] != NULL;
    if (sessions >= MOST_SESSIONS)
        return NULL;
    bool hasFolder = temporaryFolder(view->files[number], sizeof view->files[number]);
    LiveOptions options = { .send = sendToPage, .context = peer, .engine = "native" };
    options.folder = hasFolder ? view->files[number] : NULL;
    options.scene = view->opened->path;
    options.sets = view->opened->sets;
    options.setCount = view->opened->setCount;
    options.threads = view->threads;
    vvResult result;
    view->live[number] = liveOpen(&options, &result);
    view->met = true;
    return view->live[number] != NULL ? peer : NULL;
}

static void receiveFromPage(void *session, bool binary, const void *bytes, size_t size)
{
    ViewPeer *peer = session;
    View *view = peer->server->context;
    liveReceive(view->live[numberOf(view, peer)], binary, bytes, size);
}

static void closeSession(void *session)
{
    ViewPeer *peer = session;
    View *view = peer->server->context;
    int number = numberOf(view, peer);
    liveClose(view->live[number]);
    view->live[number] = NULL;
    removeFolder(view->files[number]);
}

// ---- connections ----------------------------------------------------------------------------------------------------

static void acceptPeers(View *view)
{
    for (int handle; (handle = socketAccept(view->listener)) >= 0;)
    {
        int number = 0;
        while (number < MOST_PEERS && view->handle[number] >= 0)
            ++number;
        if (number == MOST_PEERS)
        {
            socketClose(handle);
            continue;
        }
        view->handle[number] = handle;
        view->since[number] = systemNanoseconds();
        view->peer[number] = (ViewPeer){ .server = &view->server };
    }
}

static void closePeer(View *view, int number)
{
    peerFree(&view->peer[number]);
    socketClose(view->handle[number]);
    view->handle[number] = -1;
}

static void readPeer(View *view, int number)
{
    static char bytes[1 << 16];
    ViewPeer *peer = &view->peer[number];
    for (int i = 0; i < 64; ++i) // then others have their turn
    {
        long long count = socketRead(view->handle[number], bytes, sizeof bytes);
        peer->broken = peer->broken || count < 0;
        if (count <= 0)
            return;
        peerReceive(peer, bytes, (size_t)count);
        view->since[number] = systemNanoseconds();
    }
}

static void writePeer(View *view, int number)
{
    ViewPeer *peer = &view->peer[number];
    size_t done = 0;
    while (done < peer->out.count)
    {
        long long count = socketWrite(view->handle[number], peer->out.byte + done, peer->out.count - done);
        peer->broken = peer->broken || count < 0;
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    if (done > 0)
        memmove(peer->out.byte, peer->out.byte + done, peer->out.count - done);
    peer->out.count -= done;
}

static bool isOver(const View *view, int number)
{
    const ViewPeer *peer = &view->peer[number];
    bool slow = !peer->socket && peer->out.count == 0 &&
                (double)(systemNanoseconds() - view->since[number]) * 1e-9 > HEAD_SECONDS;
    return peer->broken || slow || (peer->closing && peer->out.count == 0);
}

// one round: wait for somebody or for the next frame, answer, step
static void serve(View *view, double *due, long long *clock)
{
    SocketWait waits[MOST_PEERS + 1];
    int number[MOST_PEERS + 1], count = 0;
    for (int i = 0; i < MOST_PEERS; ++i)
    {
        if (view->handle[i] < 0)
            continue;
        number[count] = i;
        waits[count++] = (SocketWait){ .handle = view->handle[i], .wantsWrite = view->peer[i].out.count > 0 };
    }
    waits[count] = (SocketWait){ .handle = view->listener };
    socketsWait(waits, count + 1, *due < 0 ? 1 : *due);
    if (waits[count].readable)
        acceptPeers(view);
    for (int i = 0; i < count; ++i)
    {
        if (waits[i].readable)
            readPeer(view, number[i]);
    }
    long long now = systemNanoseconds();
    double seconds = (double)(now - *clock) * 1e-9;
    *clock = now;
    *due = -1;
    for (int i = 0; i < MOST_PEERS; ++i)
    {
        double next = view->live[i] != NULL ? liveAdvance(view->live[i], seconds, BUDGET) : -1;
        *due = next >= 0 && (*due < 0 || next < *due) ? next : *due;
    }
    for (int i = 0; i < MOST_PEERS; ++i)
    {
        if (view->handle[i] >= 0)
            writePeer(view, i);
        if (view->handle[i] >= 0 && isOver(view, i))
            closePeer(view, i);
    }
}

// ---- the command ----------------------------------------------------------------------------------------------------

// the built page: below the source tree of a build, or installed
static bool findPage(const char *named, char folder[PATH_SIZE + 32])
{
    static const char *const places[] = { "/web/dist", "/share/verve/web" };
    char path[PATH_SIZE], index[PATH_SIZE + 64];
    const size_t size = PATH_SIZE + 32;
    if (named != NULL)
    {
        snprintf(folder, size, "%s", named);
        snprintf(index, sizeof index, "%s/index.html", folder);
        return systemStatus(index).kind == FILE_REGULAR;
    }
    if (!pathOfProgram(path, sizeof path))
        return false;
    for (int level = 0; level < 4 && strrchr(path, '/') != NULL; ++level)
    {
        *strrchr(path, '/') = '\0';
        for (int i = 0; i < 2; ++i)
        {
            snprintf(folder, size, "%s%s", path, places[i]);
            snprintf(index, sizeof index, "%s/index.html", folder);
            if (systemStatus(index).kind == FILE_REGULAR)
                return true;
        }
    }
    return false;
}

static bool makeSecret(char text[SECRET_SIZE])
{
    unsigned char bytes[16];
    if (!randomBytes(bytes, sizeof bytes))
        return false;
    for (int i = 0; i < 16; ++i)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return true;
}

// Asks the desktop for its browser, which lives on by itself. Where there is none, the printed address is all.
static void openBrowser(const char *address)
{
    Process process;
    char *words[] = { "xdg-open", (char *)address, NULL };
    if (getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL)
        processStart(&process, words);
}

static int viewScene(const Words *words, struct Scene *scene, const OpenedScene *opened)
{
    static View view;
    char folder[PATH_SIZE + 32], address[128];
    int port = 0;
    int left = wordsInt(words, "--port", 0, 65535, &port);
    view.threads = 0;
    left = left < 0 ? wordsInt(words, "--threads", 1, 64, &view.threads) : left;
    if (left >= 0)
        return left;
    (void)scene; // it was read, so that mistakes in it are told here
    if (!findPage(wordsGet(words, "--page"), folder))
    {
        fprintf(stderr, "verve view: the page is not built; run 'make web' in the source tree, or name its folder by "
                        "--page\n");
        return EXIT_INPUT_OUTPUT;
    }
    view.listener = socketListen(&port);
    if (view.listener < 0 || !makeSecret(view.server.secrets.token) || !makeSecret(view.server.secrets.session))
    {
        fprintf(stderr, "verve view: cannot listen on 127.0.0.1:%d: %s; choose another --port\n", port,
                strerror(errno));
        return EXIT_INPUT_OUTPUT;
    }
    view.opened = opened;
    view.server.secrets.port = port;
    view.server.folder = folder;
    view.server.open = openSession;
    view.server.receive = receiveFromPage;
    view.server.close = closeSession;
    view.server.context = &view;
    for (int i = 0; i < MOST_PEERS; ++i)
        view.handle[i] = -1;
    signalsCatch(endView);
    snprintf(address, sizeof address, "http://127.0.0.1:%d/?token=%s", port, view.server.secrets.token);
    printf("%s\nOpen this address in a browser of this machine; it works once. Ctrl-C ends.\n", address);
    fflush(stdout);
    if (!wordsHas(words, "--no-browser"))
        openBrowser(address);
    double due = -1;
    for (long long clock = systemNanoseconds(); ended == 0;)
        serve(&view, &due, &clock);
    for (int i = 0; i < MOST_PEERS; ++i)
    {
        if (view.handle[i] >= 0)
            closePeer(&view, i);
    }
    socketClose(view.listener);
    return EXIT_DONE;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    return runOnScene(&viewCommand, count, words, viewScene);
}

static const Option options[] = {
    { "--set", "P=V", "replaces a value of the scene: --set bodies.0.material.young=2e5; as often as needed" },
    { "--port", "N", "of 127.0.0.1, 0 to 65535; default 0, one that is free" },
    { "--threads", "N", "1 to 64; default: the cores of the machine" },
    { "--page", "DIR", "the built page; default: web/dist of the source tree, or the installed one" },
    { "--no-browser", NULL, "print the address, and open nothing" },
    { "--allow-outside", NULL, "the scene may name files outside its folder" },
};

const Command viewCommand = {
    .name = "view",
    .summary = "show a scene in the browser, with hands on it",
    .usage = "SCENE",
    .about = "Serves the page that 'make web' built on 127.0.0.1, with this program as the engine behind it: grab,\n"
             "pin, cut, change the method while it runs. The address holds a token that is taken once; requests\n"
             "without it, from other pages and for other hosts are refused.",
    .example = "verve view swing",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
