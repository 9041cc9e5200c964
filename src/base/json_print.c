// A tree as text. Numbers keep every bit.
#include "base/json.h"

#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 100 // columns an object may fill before it is written over several lines

typedef struct Text
{
    char *data; // capacity
    size_t length, capacity;
    bool fixed;  // a buffer of the caller: what does not fit is dropped
    bool failed; // out of memory, or dropped
} Text;

static void put(Text *text, const char *bytes, size_t count)
{
    if (text->failed)
        return;
    if (text->length + count + 1 > text->capacity)
    {
        size_t grown = 2 * (text->length + count) + 256;
        char *data = text->fixed ? NULL : realloc(text->data, grown);
        if (data == NULL)
        {
            text->failed = true;
            return;
        }
        text->data = data;
        text->capacity = grown;
    }
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = 0;
}

static void putText(Text *text, const char *words)
{
    put(text, words, strlen(words));
}

void jsonNumber(double number, char *text)
{
    if (isfinite(number))
        *decimalWrite(text, number) = 0;
    else
        memcpy(text, "null", 5);
}

static void putString(Text *text, const char *string)
{
    putText(text, "\"");
    for (const char *s = string; *s; ++s)
    {
        char escape[8];
        if (*s == '"' || *s == '\\')
            snprintf(escape, sizeof escape, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*s);
        else
            snprintf(escape, sizeof escape, "%c", *s);
        putText(text, escape);
    }
    putText(text, "\"");
}

static void putScalar(Text *text, const Json *item)
{
    char number[JSON_NUMBER_SIZE];
    if (jsonIs(item, JSON_STRING))
        putString(text, item->string);
    else if (jsonIs(item, JSON_NUMBER))
    {
        jsonNumber(item->number, number);
        putText(text, number);
    }
    else
        putText(text, jsonIs(item, JSON_TRUE) ? "true" : jsonIs(item, JSON_FALSE) ? "false" : "null");
}

static void putIndent(Text *text, int depth)
{
    putText(text, "\n");
    for (int i = 0; i < depth; ++i)
        putText(text, "  ");
}

static bool holdsObject(const Json *item)
{
    for (const Json *child = item->first; child != NULL; child = child->next)
    {
        if (jsonIs(child, JSON_OBJECT) || (jsonIs(child, JSON_LIST) && holdsObject(child)))
            return true;
    }
    return false;
}

static void putValue(Text *text, const Json *item, int depth, bool flat);

static void putEntries(Text *text, const Json *item, int depth, bool flat)
{
    bool object = jsonIs(item, JSON_OBJECT);
    putText(text, object ? "{" : "[");
    for (const Json *child = item->first; child != NULL && !text->failed; child = child->next)
    {
        if (!flat)
            putIndent(text, depth + 1);
        else if (object)
            putText(text, " ");
        if (object)
        {
            putString(text, child->key);
            putText(text, ": ");
        }
        putValue(text, child, depth + 1, flat);
        if (child->next != NULL)
            putText(text, flat && !object ? ", " : ",");
    }
    if (!flat)
        putIndent(text, depth);
    else if (object)
        putText(text, " ");
    putText(text, object ? "}" : "]");
}

// lists of plain values are flat; objects without objects where they fit on a line
static void putValue(Text *text, const Json *item, int depth, bool flat)
{
    if (!jsonIs(item, JSON_OBJECT) && !jsonIs(item, JSON_LIST))
    {
        putScalar(text, item);
        return;
    }
    if (item->first == NULL)
    {
        putText(text, jsonIs(item, JSON_OBJECT) ? "{}" : "[]");
        return;
    }
    size_t start = text->length;
    if (flat || !holdsObject(item))
    {
        putEntries(text, item, depth, true);
        if (flat || text->failed || jsonIs(item, JSON_LIST) || text->length - start + 2 * (size_t)depth <= LINE_WIDTH)
            return;
        text->length = start;
    }
    putEntries(text, item, depth, false);
}

char *jsonPrint(const Json *item)
{
    Text text = { 0 };
    putValue(&text, item, 0, false);
    putText(&text, "\n");
    if (text.failed)
    {
        free(text.data);
        return NULL;
    }
    return text.data;
}

void jsonShort(const Json *item, char *buffer, size_t size)
{
    Text text = { .data = buffer, .capacity = size - 3, .fixed = true };
    buffer[0] = 0;
    putValue(&text, item, 0, true);
    if (!text.failed)
        return;
    while (text.length > 0 && (buffer[text.length - 1] & 0x80) != 0) // not through a character
        text.length -= 1;
    memcpy(buffer + text.length, "...", 4);
}
