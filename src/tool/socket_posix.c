// Sockets of POSIX systems.
#define _POSIX_C_SOURCE 200809L
#define _DARWIN_C_SOURCE
#define _DEFAULT_SOURCE
#include "tool/socket.h"

#if !defined(_WIN32)

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_WAITED 64

static int prepared(int handle)
{
    int on = 1;
    if (handle < 0)
        return -1;
    fcntl(handle, F_SETFD, FD_CLOEXEC);
    fcntl(handle, F_SETFL, O_NONBLOCK);
    setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return handle;
}

int socketListen(int *port)
{
    signal(SIGPIPE, SIG_IGN); // who has gone shows in what write returns
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)*port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int handle = prepared(socket(AF_INET, SOCK_STREAM, 0)), on = 1;
    if (handle < 0)
        return -1;
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = sizeof address;
    if (bind(handle, (struct sockaddr *)&address, sizeof address) != 0 || listen(handle, 16) != 0 ||
        getsockname(handle, (struct sockaddr *)&address, &size) != 0)
    {
        int error = errno;
        close(handle);
        errno = error;
        return -1;
    }
    *port = ntohs(address.sin_port);
    return handle;
}

int socketAccept(int listener)
{
    return prepared(accept(listener, NULL, NULL));
}

void socketClose(int handle)
{
    close(handle);
}

static long long outcome(ssize_t count, bool endIsError)
{
    if (count > 0 || (count == 0 && !endIsError))
        return count;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? 0 : -1;
}

long long socketRead(int handle, void *bytes, size_t size)
{
    return outcome(read(handle, bytes, size), true);
}

long long socketWrite(int handle, const void *bytes, size_t size)
{
    return outcome(write(handle, bytes, size), false);
}

void socketsWait(SocketWait *sockets, int count, double seconds)
{
    struct pollfd polled[MOST_WAITED];
    count = count < MOST_WAITED ? count : MOST_WAITED;
    for (int i = 0; i < count; ++i)
        polled[i] = (struct pollfd){ .fd = sockets[i].handle,
                                     .events = (short)(POLLIN | (sockets[i].wantsWrite ? POLLOUT : 0)) };
    int most = seconds < 0 ? -1 : seconds > 60 ? 60000 : (int)(1000 * seconds);
    int ready = poll(polled, (nfds_t)count, most);
    for (int i = 0; i < count; ++i)
    {
        sockets[i].readable = ready > 0 && (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
        sockets[i].writable = ready > 0 && (polled[i].revents & POLLOUT) != 0;
    }
}

bool randomBytes(void *bytes, size_t size)
{
    int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    bool good = source >= 0;
    for (size_t done = 0; good && done < size;)
    {
        ssize_t count = read(source, (char *)bytes + done, size - done);
        good = count > 0 || (count < 0 && errno == EINTR);
        done += count > 0 ? (size_t)count : 0;
    }
    if (source >= 0)
        close(source);
    return good;
}

#endif
