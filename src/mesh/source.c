#include "mesh/source.h"

#include "base/decimal.h"
#include "base/system.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define BUFFER_SIZE (256 * 1024)

// ---- the buffer -----------------------------------------------------------------------------------------------------

// moves what is unread to the front and fills the rest
static void refill(Source *source)
{
    size_t kept = (size_t)(source->end - source->at);
    memmove(source->buffer, source->at, kept);
    size_t wanted = source->room - kept, got;
    if (source->file != NULL)
    {
        got = fread(source->buffer + kept, 1, wanted, source->file);
        source->failed |= ferror(source->file) != 0;
        source->last = got < wanted;
    }
    else
    {
        got = wanted < source->dataLeft ? wanted : source->dataLeft;
        memcpy(source->buffer + kept, source->data, got);
        source->data += got;
        source->dataLeft -= got;
        source->last = source->dataLeft == 0;
    }
    source->taken += got;
    source->at = source->buffer;
    source->end = source->buffer + kept + got;
    source->buffer[kept + got] = 0;
}

static vvResult start(Source *source)
{
    // no more than the text needs; a file may still grow while it is read
    source->room = source->size < BUFFER_SIZE ? source->size + LONGEST_WORD : BUFFER_SIZE;
    source->buffer = ALLOCATE(source->memory, char, source->room + 1);
    if (source->buffer == NULL)
    {
        sourceClose(source);
        return resultOutOfMemory("the buffer of a mesh file");
    }
    source->at = source->end = source->buffer;
    source->line = 1;
    refill(source);
    if (source->size == 0 && source->at == source->end)
        return resultMake(VV_BAD_INPUT, "write the file again, or give another one", "the file is empty");
    if (strncmp(source->at, "\xef\xbb\xbf", 3) == 0) // the mark some editors put before UTF-8
        source->at += 3;
    return resultOk();
}

vvResult sourceOpenFile(Source *source, Memory *memory, const char *path)
{
    *source = (Source){ .memory = memory };
    FileStatus status = systemStatus(path);
    if (status.kind == FILE_MISSING)
        return resultMake(VV_INPUT_OUTPUT, "check the path and its permissions", "it cannot be opened: %s",
                          strerror(errno));
    // a pipe would wait for ever, a device never ends
    if (status.kind != FILE_REGULAR)
        return resultMake(VV_INPUT_OUTPUT, "give the path of a file", "it is %s, not a regular file",
                          status.kind == FILE_FOLDER ? "a directory" : "a pipe or a device");
    source->file = systemStream(path, FILE_TO_READ);
    if (source->file == NULL)
        return resultMake(VV_INPUT_OUTPUT, "check the path and its permissions", "it cannot be opened: %s",
                          strerror(errno));
    setvbuf(source->file, NULL, _IONBF, 0); // the buffer here is enough
    source->size = (size_t)status.size;
    return start(source);
}

vvResult sourceOpenData(Source *source, Memory *memory, const void *data, size_t size)
{
    *source = (Source){ .memory = memory, .data = data, .dataLeft = size, .size = size };
    return start(source);
}

void sourceClose(Source *source)
{
    if (source->file != NULL)
        fclose(source->file);
    source->file = NULL;
    if (source->memory != NULL)
        memoryRelease(source->memory, source->buffer);
    source->buffer = NULL;
    source->at = source->end = NULL;
    source->last = true;
}

// a whole word is in the buffer, or all that is left
static inline void need(Source *source)
{
    if (source->end - source->at < LONGEST_WORD && !source->last)
        refill(source);
}

// ---- words ----------------------------------------------------------------------------------------------------------

static inline bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// does a word end before this character?
static inline bool isEnd(const Source *source, const char *c)
{
    return isBlank(*c) || *c == '\n' || (*c == 0 && c == source->end && source->last) ||
           (*c == source->comment && *c != 0);
}

// up to the end of the line, which stays
static void skipRest(Source *source)
{
    for (;;)
    {
        const char *newline = memchr(source->at, '\n', (size_t)(source->end - source->at));
        source->at = newline != NULL ? newline : source->end;
        if (newline != NULL || source->last)
            return;
        refill(source);
    }
}

// a backslash before the end of the line, which may be two characters
static int joinLength(const Source *source)
{
    const char *c = source->at;
    if (!source->joins || c[0] != '\\')
        return 0;
    return c[1] == '\n' ? 2 : c[1] == '\r' && c[2] == '\n' ? 3 : 0;
}

bool sourceSeek(Source *source)
{
    for (;;)
    {
        need(source);
        const char *c = source->at;
        while (isBlank(*c))
            ++c;
        source->at = c;
        if (*c > '#' && *c != '\\') // most words, at once
            return true;
        int join = joinLength(source);
        if (*c == '\n' && source->lines)
            return false;
        if (*c == '\n' || join > 0)
        {
            source->at += maxInt(1, join);
            source->line += !source->binary;
        }
        else if (*c == source->comment && *c != 0)
            skipRest(source);
        else if (*c != 0 || c != source->end)
            return true;
        else if (source->last)
            return false;
    }
}

bool sourceAtEnd(Source *source)
{
    bool lines = source->lines;
    source->lines = false;
    bool found = sourceSeek(source);
    source->lines = lines;
    return !found;
}

void sourceSkipLine(Source *source)
{
    skipRest(source);
    if (source->at < source->end)
    {
        source->at += 1;
        source->line += !source->binary;
    }
}

bool sourceReal(Source *source, double *value)
{
    const char *end = decimalRead(source->at, value);
    if (end == NULL || !isEnd(source, end) || !isfinite(*value))
        return false;
    source->at = end;
    return true;
}

// the digits of an integer; NULL: there are none, or too many
static const char *readDigits(const char *text, long long *value)
{
    const char *c = text;
    bool negative = *c == '-';
    if (*c == '-' || *c == '+')
        ++c;
    const char *first = c;
    long long number = 0;
    for (; (unsigned char)(*c - '0') < 10 && c - first < 18; ++c)
        number = 10 * number + (*c - '0');
    *value = negative ? -number : number;
    return c > first ? c : NULL;
}

bool sourceInteger(Source *source, long long *value)
{
    const char *end = readDigits(source->at, value);
    if (end == NULL || !isEnd(source, end))
        return false;
    source->at = end;
    return true;
}

bool sourceIndices(Source *source, long long *value)
{
    value[1] = value[2] = 0;
    const char *end = readDigits(source->at, &value[0]);
    for (int i = 1; i < 3 && end != NULL && *end == '/'; ++i)
    {
        const char *digits = end + 1;
        end = readDigits(digits, &value[i]);
        if (end == NULL && (*digits == '/' || isEnd(source, digits))) // nothing between two strokes
        {
            value[i] = 0;
            end = digits;
        }
    }
    if (end == NULL || !isEnd(source, end))
        return false;
    source->at = end;
    return true;
}

void sourceWord(Source *source, char *word, size_t size)
{
    size_t length = 0;
    while (!isEnd(source, source->at))
    {
        if (length + 1 < size)
            word[length++] = *source->at;
        if (source->at < source->end)
            source->at += 1;
        need(source);
    }
    word[length] = 0;
}

void sourceShow(Source *source, char *text, size_t size)
{
    size_t length = 0;
    for (const char *c = source->at; c < source->end && !isEnd(source, c) && length + 4 < size; ++c)
        text[length++] = *c >= ' ' && *c <= '~' ? *c : '?';
    if (length + 4 >= size)
    {
        memcpy(text + length, "...", 3);
        length += 3;
    }
    text[length] = 0;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

const char *sourceLook(Source *source, size_t size)
{
    ASSERT(size <= LONGEST_WORD, "the buffer holds what is looked at");
    need(source);
    return (size_t)(source->end - source->at) >= size ? source->at : NULL;
}

bool sourceSkip(Source *source, size_t size)
{
    if (size > sourceBytesLeft(source))
        return false;
    while (size > (size_t)(source->end - source->at))
    {
        size -= (size_t)(source->end - source->at);
        source->at = source->end;
        if (source->last)
            return false;
        refill(source);
    }
    source->at += size;
    return true;
}

bool sourceBytes(Source *source, void *bytes, size_t size)
{
    if (source->binary)
        source->line = (long long)sourceOffset(source);
    char *to = bytes;
    while (size > (size_t)(source->end - source->at))
    {
        size_t part = (size_t)(source->end - source->at);
        memcpy(to, source->at, part);
        to += part;
        size -= part;
        source->at = source->end;
        if (source->last)
            return false;
        refill(source);
    }
    memcpy(to, source->at, size);
    source->at += size;
    return true;
}

int sourcePeek(Source *source)
{
    if (source->at == source->end)
        need(source);
    return source->at < source->end ? (unsigned char)*source->at : -1;
}

int sourceNext(Source *source)
{
    int c = sourcePeek(source);
    source->at += c >= 0;
    source->line += c == '\n' && !source->binary;
    return c;
}

bool sourceFind(Source *source, const char *words)
{
    size_t length = strlen(words);
    for (const char *at; (at = sourceLook(source, length)) != NULL;)
    {
        if (memcmp(at, words, length) == 0)
        {
            source->at += length;
            return true;
        }
        const char *next = memchr(at + 1, words[0], (size_t)(source->end - at) - 1);
        source->at = next != NULL ? next : source->end;
    }
    return false;
}
