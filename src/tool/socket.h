// Sockets of this machine alone: a listener on 127.0.0.1 and its connections, none of which ever waits. A body for
// POSIX (socket_posix.c); on Windows `socketListen` says that there is none.
#ifndef TOOL_SOCKET_H
#define TOOL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

int socketListen(int *port);    // a handle; *port 0: one that is free, and which; -1: errno says why
int socketAccept(int listener); // a handle; -1: nobody waits
void socketClose(int handle);

// Bytes; 0: nothing now; -1: the other side has gone, or an error
long long socketRead(int handle, void *bytes, size_t size);
long long socketWrite(int handle, const void *bytes, size_t size);

typedef struct SocketWait
{
    int handle;
    bool wantsWrite;         // wake up when it can be written to, too
    bool readable, writable; // what is so
} SocketWait;

void socketsWait(SocketWait *sockets, int count, double seconds); // until one is ready; negative: without end

bool randomBytes(void *bytes, size_t size); // that nobody can guess; false: the system gives none

#endif
