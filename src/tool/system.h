// What the command asks of the operating system beside files (base/system.h): its words, the terminal, signals, and a
// program that reads what it writes. A body for POSIX (system_posix.c) and one for Windows (system_windows.c).
#ifndef TOOL_SYSTEM_H
#define TOOL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// The words of the command line in UTF-8; standard output takes bytes as they are.
char **systemWords(int *count, char **words);

bool isTerminal(FILE *stream); // one that obeys escape sequences

void signalsCatch(void (*handler)(int signal)); // what asks the program to end
void signalsIgnoreLimits(void);                 // a limit on file sizes is an error of the write
void signalsEndBy(int signal);                  // ends the program the way the signal asked for

// A folder of this program alone, in which nothing is; false: there is none to be had.
bool temporaryFolder(char *path, size_t size);
void removeFolder(const char *path); // with the files in it; an empty path is fine

typedef struct Process // a program that reads what is written to it
{
    void *native;
    int handle;
} Process;

int processStart(Process *process, char *const words[]);             // 0, or errno; `words` ends with NULL
bool processWrite(Process *process, const void *bytes, size_t size); // false: it died
bool processEnd(Process *process);                                   // waits for it; whether it ended well

#endif
