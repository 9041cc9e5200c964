// The line of a path in a text that is known to be JSON.
#include "scene/json.h"

#include <stdlib.h>
#include <string.h>

static const char *skipSpace(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skipString(const char *at)
{
    for (at += 1; *at != '"'; ++at)
        at += *at == '\\';
    return at + 1;
}

// behind the value that begins at `at`
static const char *skipValue(const char *at)
{
    int depth = 0;
    do
    {
        if (*at == '"')
            at = skipString(at);
        else if (depth == 0 && *at != '{' && *at != '[')
            return at + strcspn(at, ",]} \t\r\n");
        else
        {
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
            at += 1;
        }
    } while (depth > 0);
    return at;
}

// the value of a key in the object that begins at `at`; NULL: there is none
static const char *findMember(const char *at, const char *key, size_t length)
{
    if (*at != '{')
        return NULL;
    for (at = skipSpace(at + 1); *at == '"'; at = skipSpace(at + (*at == ',')))
    {
        const char *name = at + 1;
        at = skipString(at);
        bool same = (size_t)(at - 1 - name) == length && memcmp(name, key, length) == 0;
        at = skipSpace(skipSpace(at) + 1); // the colon
        if (same)
            return at;
        at = skipSpace(skipValue(at));
    }
    return NULL;
}

static const char *findEntry(const char *at, long index)
{
    if (*at != '[')
        return NULL;
    at = skipSpace(at + 1);
    for (long i = 0; *at != ']'; ++i)
    {
        if (i == index)
            return at;
        at = skipSpace(skipValue(at));
        at = skipSpace(at + (*at == ','));
    }
    return NULL;
}

int jsonLine(const char *text, size_t size, const char *path)
{
    const char *at = skipSpace(text), *next = at;
    while (*path != 0 && next != NULL)
    {
        if (*path == '[')
        {
            char *end = NULL;
            next = findEntry(at, strtol(path + 1, &end, 10));
            path = end + (*end == ']');
        }
        else
        {
            path += *path == '.';
            size_t length = strcspn(path, ".[");
            next = findMember(at, path, length);
            path += length;
        }
        at = next != NULL ? next : at;
    }
    int line = 1;
    for (const char *s = text; s < at && s < text + size; ++s)
        line += *s == '\n';
    return line;
}
