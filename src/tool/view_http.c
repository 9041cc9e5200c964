// Requests of HTTP/1.1 as far as a page needs them, and who may ask for what.
#include "tool/view.h"

#include <stdio.h>
#include <string.h>

// ---- reading --------------------------------------------------------------------------------------------------------

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equalWords(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length && i < size; ++i)
    {
        if (lower(text[i]) != word[i])
            return false;
    }
    return size == length;
}

static bool hasWord(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; ++i)
    {
        if (equalWords(text + i, length, word))
            return true;
    }
    return false;
}

static bool copyText(char *to, size_t room, const char *from, size_t size)
{
    if (size >= room)
        return false;
    memcpy(to, from, size);
    to[size] = '\0';
    return true;
}

// "GET /path?token=T HTTP/1.1"
static bool readLine(const char *line, size_t size, Request *request)
{
    const char *path = memchr(line, ' ', size);
    if (path == NULL)
        return false;
    request->get = equalWords(line, (size_t)(path - line), "get");
    ++path;
    size_t left = size - (size_t)(path - line);
    const char *end = memchr(path, ' ', left);
    if (end == NULL || left - (size_t)(end - path) != strlen(" HTTP/1.1") || memcmp(end, " HTTP/1.", 8) != 0)
        return false;
    size_t length = (size_t)(end - path);
    const char *query = memchr(path, '?', length);
    if (!copyText(request->path, sizeof request->path, path, query != NULL ? (size_t)(query - path) : length))
        return false;
    const char *name = "?token=";
    if (query != NULL && (size_t)(end - query) > strlen(name) && memcmp(query, name, strlen(name)) == 0)
        return copyText(request->token, sizeof request->token, query + strlen(name),
                        (size_t)(end - query) - strlen(name));
    return true;
}

static bool readHeader(const char *line, size_t size, Request *request, bool *version)
{
    const char *colon = memchr(line, ':', size);
    if (colon == NULL || colon == line)
        return false;
    size_t name = (size_t)(colon - line);
    const char *value = colon + 1;
    size_t left = size - name - 1;
    for (; left > 0 && (*value == ' ' || *value == '\t'); ++value, --left)
        continue;
    for (; left > 0 && (value[left - 1] == ' ' || value[left - 1] == '\t'); --left)
        continue;
    if (equalWords(line, name, "host"))
        return request->host[0] == '\0' && copyText(request->host, sizeof request->host, value, left);
    if (equalWords(line, name, "origin"))
        return request->origin[0] == '\0' && copyText(request->origin, sizeof request->origin, value, left);
    if (equalWords(line, name, "sec-websocket-key"))
        return copyText(request->key, sizeof request->key, value, left);
    if (equalWords(line, name, "sec-websocket-version"))
        *version = equalWords(value, left, "13");
    if (equalWords(line, name, "upgrade"))
        request->upgrade = hasWord(value, left, "websocket");
    if (equalWords(line, name, "sec-fetch-site"))
        request->foreign = equalWords(value, left, "cross-site") || equalWords(value, left, "same-site");
    return !equalWords(line, name, "content-length") || equalWords(value, left, "0"); // nobody sends us anything
}

// the end of a line, behind which "\r\n" stands; NULL: there is none
static const char *lineEnd(const char *bytes, size_t size)
{
    for (size_t i = 0; i + 1 < size; ++i)
    {
        if (bytes[i] == '\r' && bytes[i + 1] == '\n')
            return bytes + i;
    }
    return NULL;
}

int requestRead(const char *bytes, size_t size, Request *request)
{
    memset(request, 0, sizeof *request);
    bool good = true, version = false;
    const char *line = bytes;
    for (int number = 0;; ++number)
    {
        size_t left = size - (size_t)(line - bytes);
        const char *end = lineEnd(line, left);
        if (end == NULL)
            return size >= HEAD_MOST ? -1 : 0;
        size_t length = (size_t)(end - line);
        if (length == 0 && number > 0)
            break;
        good = good && memchr(line, '\0', length) == NULL &&
               (number == 0 ? readLine(line, length, request) : readHeader(line, length, request, &version));
        line = end + 2;
    }
    request->upgrade = request->upgrade && version && request->key[0] != '\0';
    return good ? (int)(line + 2 - bytes) : -1;
}

// ---- who may ask for what -------------------------------------------------------------------------------------------

// takes as long for every wrong secret
static bool sameSecret(const char *given, const char *secret)
{
    unsigned differs = strlen(given) != strlen(secret);
    for (size_t i = 0; i < strlen(secret); ++i)
        differs |= (unsigned char)secret[i] ^ (i < strlen(given) ? (unsigned char)given[i] : 0u);
    return differs == 0 && secret[0] != '\0';
}

static bool isOurs(const char *text, const char *before, int port)
{
    char numbers[64], name[64];
    snprintf(numbers, sizeof numbers, "%s127.0.0.1:%d", before, port);
    snprintf(name, sizeof name, "%slocalhost:%d", before, port);
    return strcmp(text, numbers) == 0 || strcmp(text, name) == 0;
}

// names of letters, digits and "._-", none of which begins with a dot
static bool isPlainPath(const char *path)
{
    if (path[0] == '\0' || path[0] == '/')
        return false;
    for (const char *c = path; *c != '\0'; ++c)
    {
        bool first = c == path || c[-1] == '/';
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!letter && !(strchr("_-", *c) != NULL || (!first && (*c == '.' || *c == '/'))))
            return false;
    }
    return path[strlen(path) - 1] != '/';
}

Route routeOf(ViewSecrets *secrets, const Request *request)
{
    Route refused = { .kind = ROUTE_REFUSED, .status = 403 };
    if (!isOurs(request->host, "", secrets->port) || request->foreign ||
        (request->origin[0] != '\0' && !isOurs(request->origin, "http://", secrets->port)))
        return refused;
    if (!request->get)
        return (Route){ .kind = ROUTE_REFUSED, .status = 405 };
    if (strcmp(request->path, "/") == 0)
    {
        if (secrets->used || !sameSecret(request->token, secrets->token))
            return refused;
        secrets->used = true;
        return (Route){ .kind = ROUTE_REDIRECT, .status = 303 };
    }
    char session[sizeof request->path];
    snprintf(session, sizeof session, "%s", request->path + 1);
    char *slash = strchr(session, '/');
    if (request->path[0] != '/' || slash == NULL)
        return refused;
    *slash = '\0';
    if (!sameSecret(session, secrets->session))
        return refused;
    const char *rest = strchr(request->path + 1, '/') + 1;
    if (strcmp(rest, "live") == 0)
        return request->upgrade && request->origin[0] != '\0'
                   ? (Route){ .kind = ROUTE_SOCKET, .status = 101 }
                   : (Route){ .kind = ROUTE_REFUSED, .status = request->upgrade ? 403 : 426 };
    if (rest[0] == '\0')
        rest = "index.html";
    if (!isPlainPath(rest))
        return (Route){ .kind = ROUTE_REFUSED, .status = 404 };
    return (Route){ .kind = ROUTE_FILE, .status = 200, .file = rest };
}

const char *mediaType(const char *file)
{
    static const char *const types[][2] = {
        { ".html", "text/html; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".json", "application/json" },
        { ".wasm", "application/wasm" },
        { ".png", "image/png" },
        { ".jpg", "image/jpeg" },
        { ".svg", "image/svg+xml" },
        { ".webp", "image/webp" },
        { ".woff2", "font/woff2" },
        { ".webmanifest", "application/manifest+json" },
    };
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    {
        size_t ending = strlen(types[i][0]);
        if (length > ending && strcmp(file + length - ending, types[i][0]) == 0)
            return types[i][1];
    }
    return "application/octet-stream";
}
