// Words, terminal, signals and processes of Windows.
#include "tool/system.h"

#if defined(_WIN32)

#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <signal.h>
#include <stdlib.h>
#include <wchar.h>

#define LONGEST_LINE 32768 // characters of a command line
#define MOST_AT_ONCE ((size_t)1 << 20)

static char *narrow(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t)size) : NULL;
    if (text != NULL)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    return text;
}

// they live as long as the program
char **systemWords(int *count, char **words)
{
    _setmode(_fileno(stdout), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    int found = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &found);
    char **own = wide != NULL && found == *count ? calloc((size_t)found + 1, sizeof *own) : NULL;
    for (int i = 0; own != NULL && i < found; ++i)
    {
        own[i] = narrow(wide[i]);
        own[i] = own[i] != NULL ? own[i] : words[i];
    }
    LocalFree(wide);
    return own != NULL ? own : words;
}

bool isTerminal(FILE *stream)
{
    HANDLE native = (HANDLE)_get_osfhandle(_fileno(stream));
    DWORD mode;
    return GetConsoleMode(native, &mode) && SetConsoleMode(native, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

// ---- signals --------------------------------------------------------------------------------------------------------

void signalsCatch(void (*handler)(int signal))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

void signalsIgnoreLimits(void)
{
}

void signalsEndBy(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

// ---- processes ------------------------------------------------------------------------------------------------------

// appends a word so that the program's C library reads the same: quotes around it, backslashes before a quote doubled
static bool addWord(wchar_t *line, size_t *used, const char *word)
{
    wchar_t wide[LONGEST_LINE / 4];
    size_t at = *used, slashes = 0;
    if (MultiByteToWideChar(CP_UTF8, 0, word, -1, wide, LONGEST_LINE / 4) == 0 ||
        at + 2 * wcslen(wide) + 4 > LONGEST_LINE)
        return false;
    line[at++] = L'"';
    for (const wchar_t *c = wide;; ++c)
    {
        bool quote = *c == L'"' || *c == 0;
        for (; quote && slashes > 0; --slashes)
            line[at++] = L'\\';
        if (*c == 0)
            break;
        if (*c == L'"')
            line[at++] = L'\\';
        slashes = *c == L'\\' ? slashes + 1 : 0;
        line[at++] = *c;
    }
    line[at++] = L'"';
    line[at++] = L' ';
    line[at] = 0;
    *used = at;
    return true;
}

static int startReading(HANDLE reading, wchar_t *line, HANDLE *process)
{
    STARTUPINFOW start = { .cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = reading };
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    PROCESS_INFORMATION made;
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        return GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES;
    CloseHandle(made.hThread);
    *process = made.hProcess;
    return 0;
}

int processStart(Process *process, char *const words[])
{
    static wchar_t line[LONGEST_LINE];
    size_t used = 0;
    for (int i = 0; words[i] != NULL; ++i)
    {
        if (!addWord(line, &used, words[i]))
            return E2BIG;
    }
    HANDLE reading, writing, native = NULL;
    SECURITY_ATTRIBUTES inherited = { .nLength = sizeof inherited, .bInheritHandle = TRUE };
    if (!CreatePipe(&reading, &writing, &inherited, 0))
        return EMFILE;
    SetHandleInformation(writing, HANDLE_FLAG_INHERIT, 0);
    int error = startReading(reading, line, &native);
    CloseHandle(reading);
    int handle = error == 0 ? _open_osfhandle((intptr_t)writing, _O_BINARY) : -1;
    if (handle < 0)
        CloseHandle(writing);
    *process = (Process){ native, handle };
    return error;
}

bool processWrite(Process *process, const void *bytes, size_t size)
{
    for (const char *from = bytes; size > 0;)
    {
        int wrote = _write(process->handle, from, (unsigned)(size < MOST_AT_ONCE ? size : MOST_AT_ONCE));
        if (wrote <= 0)
            return false;
        from += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

bool temporaryFolder(char *path, size_t size)
{
    (void)size;
    path[0] = '\0';
    return false;
}

void removeFolder(const char *path)
{
    (void)path;
}

bool processEnd(Process *process)
{
    DWORD code = 1;
    _close(process->handle);
    WaitForSingleObject(process->native, INFINITE);
    bool known = GetExitCodeProcess(process->native, &code);
    CloseHandle(process->native);
    return known && code == 0;
}

#endif
