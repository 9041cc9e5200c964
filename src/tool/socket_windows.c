// No sockets for Windows yet: 'verve view' says so.
#include "tool/socket.h"

#if defined(_WIN32)

#include <errno.h>

int socketListen(int *port)
{
    (void)port;
    errno = ENOSYS;
    return -1;
}

int socketAccept(int listener)
{
    (void)listener;
    return -1;
}

void socketClose(int handle)
{
    (void)handle;
}

long long socketRead(int handle, void *bytes, size_t size)
{
    (void)handle, (void)bytes, (void)size;
    return -1;
}

long long socketWrite(int handle, const void *bytes, size_t size)
{
    (void)handle, (void)bytes, (void)size;
    return -1;
}

void socketsWait(SocketWait *sockets, int count, double seconds)
{
    (void)sockets, (void)count, (void)seconds;
}

bool randomBytes(void *bytes, size_t size)
{
    (void)bytes, (void)size;
    return false;
}

#endif
