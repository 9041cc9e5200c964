// Readers of the record formats, written from the formats' descriptions and nothing of the library. Each returns how
// many frames a file holds, -1 when it is not valid.
#ifndef TESTS_RECORD_READERS_H
#define TESTS_RECORD_READERS_H

#include "record/fixture.h"

#include <ctype.h>

#define MOST_NUMBERS 4096

// The numbers of the last frame that was read.
typedef struct Numbers
{
    int count;
    double value[MOST_NUMBERS];
} Numbers;

static inline int32_t readInt32(const char *bytes)
{
    int32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline int readPc2(const char *folder, const char *name, Numbers *numbers)
{
    size_t size;
    char *bytes = fileBytes(folder, name, &size);
    int frames = -1;
    if (bytes != NULL && size >= 32 && memcmp(bytes, "POINTCACHE2", 12) == 0 && readInt32(bytes + 12) == 1)
    {
        size_t frame = 12 * (size_t)readInt32(bytes + 16);
        frames = readInt32(bytes + 28);
        if (size < 32 + (size_t)frames * frame)
            frames = -1;
        numbers->count = 0;
        for (size_t i = 0; frames > 0 && i < frame; i += 4)
        {
            float value;
            memcpy(&value, bytes + 32 + (size_t)(frames - 1) * frame + i, sizeof value);
            numbers->value[numbers->count++] = (double)value;
        }
    }
    free(bytes);
    return frames;
}

// Elements nest, comments hold no "--", nothing but white space, comments and instructions stands outside the root.
static inline int readPvd(const char *folder, const char *name)
{
    char *bytes = fileBytes(folder, name, NULL);
    char stack[8][32];
    int depth = 0, roots = 0, sets = 0;
    bool good = bytes != NULL && strncmp(bytes, "<?xml ", 6) == 0;
    for (const char *at = bytes; good && *at != 0;)
    {
        if (*at != '<')
        {
            good = isspace((unsigned char)*at++) != 0;
            continue;
        }
        const char *close = strncmp(at, "<?", 2) == 0 ? "?>" : strncmp(at, "<!--", 4) == 0 ? "-->" : ">";
        const char *end = strstr(at + (close[0] == '-' ? 4 : 1), close);
        if ((good = end != NULL) == false)
            break;
        if (close[0] == '-')
            good = strstr(at + 4, "--") == end;
        else if (close[0] == '>' && at[1] == '/')
            good = depth > 0 && strncmp(at + 2, stack[depth - 1], (size_t)(end - at - 2)) == 0 &&
                   strlen(stack[--depth]) == (size_t)(end - at - 2);
        else if (close[0] == '>')
        {
            good = depth > 0 || roots++ == 0;
            sets += strncmp(at, "<DataSet ", 9) == 0;
            if (good && end[-1] != '/')
                good = depth < 8 && sscanf(at + 1, "%31[A-Za-z]", stack[depth++]) == 1;
            const char *file = strstr(at, "file=\"");
            char path[256];
            if (file != NULL && file < end && sscanf(file + 6, "%255[^\"]", path) == 1)
            {
                char whole[512];
                snprintf(whole, sizeof whole, "%s/%s", folder, path);
                good = good && access(whole, R_OK) == 0;
            }
        }
        at = end + strlen(close);
    }
    free(bytes);
    return good && depth == 0 && roots == 1 ? sets : -1;
}

static inline void stripComments(char *text)
{
    bool inString = false;
    for (char *at = text + 1; *at != 0; ++at) // the first line is a comment that counts
    {
        inString = inString != (*at == '"');
        if (*at == '#' && !inString)
            while (*at != 0 && *at != '\n')
                *at++ = ' ';
        if (*at == 0)
            return;
    }
}

static inline const char *skipSpace(const char *at)
{
    while (isspace((unsigned char)*at))
        ++at;
    return at;
}

// "[(x, y, z), ...]"; NULL: malformed
static inline const char *readPoints(const char *at, Numbers *numbers)
{
    numbers->count = 0;
    if (*at++ != '[')
        return NULL;
    while (*at == '(')
    {
        for (int c = 0; c < 3; ++c)
        {
            char *end;
            numbers->value[numbers->count++] = strtod(at + 1, &end);
            if (end == at + 1 || *end != (c < 2 ? ',' : ')'))
                return NULL;
            at = end;
        }
        at = skipSpace(at + 1);
        if (*at == ',')
            at = skipSpace(at + 1);
    }
    return *at == ']' ? at + 1 : NULL;
}

// One prim whose last property is the list of samples; separators are ';' or newlines.
static inline int readUsda(const char *folder, const char *name, Numbers *numbers, int *end)
{
    char *bytes = fileBytes(folder, name, NULL);
    if (bytes == NULL)
        return -1;
    int frames = -1;
    bool good = strncmp(bytes, "#usda 1.0\n", 10) == 0;
    stripComments(bytes);
    const char *code = strstr(bytes, "endTimeCode = ");
    const char *at = strstr(bytes, "point3f[] points.timeSamples = {");
    good = good && code != NULL && sscanf(code, "endTimeCode = %d", end) == 1 && at != NULL;
    if (good)
    {
        at = skipSpace(strchr(at, '{') + 1);
        for (frames = 0; isdigit((unsigned char)*at); ++frames)
        {
            good = good && atoi(at) == frames;
            at = strchr(at, '[');
            at = at != NULL ? readPoints(at, numbers) : NULL;
            if (at == NULL || *at != ',')
                break;
            at = skipSpace(at + 1);
        }
        if ((good = good && at != NULL && *at++ == '}'))
        {
            const char *next = at;
            while (*next == ';' || isspace((unsigned char)*next))
                ++next;
            good = strpbrk(at, ";\n") != NULL && strpbrk(at, ";\n") < next && *next == '}' && *skipSpace(next + 1) == 0;
        }
    }
    free(bytes);
    return good ? frames : -1;
}

// Complete rows behind the header; a row that was cut short is not counted.
static inline int readCsv(const char *folder, const char *name)
{
    char *bytes = fileBytes(folder, name, NULL);
    int rows = -1;
    for (char *at = bytes, *end; at != NULL && (end = strchr(at, '\n')) != NULL; at = end + 1)
    {
        int commas = 0;
        for (const char *c = at; c < end; ++c)
            commas += *c == ',';
        if (commas != 20 || (rows >= 0 ? atoi(at) != rows : strncmp(at, "frame,time,", 11) != 0))
        {
            rows = -1;
            break;
        }
        ++rows;
    }
    free(bytes);
    return rows;
}

static inline bool readObj(const char *folder, const char *name, Numbers *numbers)
{
    char *bytes = fileBytes(folder, name, NULL);
    bool good = bytes != NULL && bytes[strlen(bytes) - 1] == '\n';
    numbers->count = 0;
    for (char *at = bytes, *end; good && (end = strchr(at, '\n')) != NULL; at = end + 1)
    {
        double *v = numbers->value + numbers->count;
        int a = 1, b = 1, c = 1, most = numbers->count / 3;
        if (*at == 'v')
        {
            good = sscanf(at, "v %lf %lf %lf", v, v + 1, v + 2) == 3;
            numbers->count += 3;
        }
        else if (*at == 'f' || *at == 'l')
            good = sscanf(at + 1, " %d %d %d", &a, &b, &c) == (*at == 'f' ? 3 : 2) && a > 0 && b > 0 && c > 0 &&
                   a <= most && b <= most && c <= most;
        else
            good = *at == '#' || *at == 'o';
    }
    free(bytes);
    return good;
}

// Whole by its own account: the last array ends where the footer begins.
static inline bool readVtu(const char *folder, const char *name)
{
    size_t size;
    char *bytes = fileBytes(folder, name, &size);
    static const char foot[] = "\n</AppendedData>\n</VTKFile>\n";
    bool good = bytes != NULL && size > sizeof foot && strcmp(bytes + size - sizeof foot + 1, foot) == 0;
    const char *data = good ? strstr(bytes, "<AppendedData encoding=\"raw\">\n_") : NULL;
    if (data != NULL)
    {
        const char *at = strchr(data, '_') + 1, *end = bytes + size - sizeof foot + 1;
        for (uint64_t length; at < end; at += 8 + length)
            memcpy(&length, at, sizeof length);
        good = at == end;
    }
    free(bytes);
    return good && data != NULL;
}

static const char *const stems[] = { "frames-jelly", "frames-___esc_ape", "frames-Jelly_3" };

static inline bool fileIsThere(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

// Everything a fixture of three bodies recorded is valid and holds at least `frames` frames.
static inline void checkRecord(const char *folder, int frames)
{
    static Numbers numbers;
    for (int b = 0; b < 3; ++b)
    {
        char name[128];
        snprintf(name, sizeof name, "%s.pc2", stems[b]);
        if (readPc2(folder, name, &numbers) < frames)
            fail_msg("%s holds %d frames, want %d", name, readPc2(folder, name, &numbers), frames);
        int end;
        snprintf(name, sizeof name, "%s.usda", stems[b]);
        if (readUsda(folder, name, &numbers, &end) < frames || end < frames - 1)
            fail_msg("%s holds %d frames, want %d", name, readUsda(folder, name, &numbers, &end), frames);
        // the last frame, and the one behind it if it is there
        for (int frame = frames > 0 ? frames - 1 : 0; frame <= frames; ++frame)
        {
            snprintf(name, sizeof name, "%s_%06d.obj", stems[b], frame);
            if ((frame < frames || fileIsThere(folder, name)) && !readObj(folder, name, &numbers))
                fail_msg("%s is not whole", name);
            snprintf(name, sizeof name, "%s_%06d.vtu", stems[b], frame);
            if ((frame < frames || fileIsThere(folder, name)) && !readVtu(folder, name))
                fail_msg("%s is not whole", name);
        }
    }
    if (readPvd(folder, "frames.pvd") < 3 * frames)
        fail_msg("frames.pvd lists %d files, want %d", readPvd(folder, "frames.pvd"), 3 * frames);
    if (readCsv(folder, "ledger.csv") < frames)
        fail_msg("ledger.csv holds %d rows, want %d", readCsv(folder, "ledger.csv"), frames);
}

#endif
