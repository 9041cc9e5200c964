// Values of JSON: memory in blocks, and lists of values with their keys.
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 4096 // bytes; longer strings get a block of their own
#define ALIGNMENT 8     // bytes: what a pointer and a double need

struct JsonBlock
{
    JsonBlock *before;
    size_t used, size; // bytes of `bytes`
    _Alignas(ALIGNMENT) char bytes[];
};

// ---- memory ---------------------------------------------------------------------------------------------------------

void jsonOpen(JsonTree *tree, const vvAllocator *allocator)
{
    *tree = (JsonTree){ .memory = memoryMake(allocator) };
}

void jsonClose(JsonTree *tree)
{
    for (JsonBlock *block = tree->block, *before; block != NULL; block = before)
    {
        before = block->before;
        memoryRelease(&tree->memory, block);
    }
    tree->block = NULL;
}

// zeroed; NULL: out of memory
static void *take(JsonTree *tree, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    JsonBlock *block = tree->block;
    if (block == NULL || block->size - block->used < size)
    {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = memoryAllocate(&tree->memory, sizeof *block + room, 1);
        if (block == NULL)
        {
            tree->isStarved = true;
            return NULL;
        }
        block->size = room;
        block->before = tree->block;
        tree->block = block;
    }
    void *taken = block->bytes + block->used;
    block->used += size;
    return taken;
}

char *jsonString(JsonTree *tree, const char *text, size_t length)
{
    char *copy = take(tree, length + 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

// ---- escapes --------------------------------------------------------------------------------------------------------

static int hexOf(const char *digits)
{
    char four[5] = { digits[0], digits[1], digits[2], digits[3], 0 };
    return (int)strtol(four, NULL, 16);
}

// a character as UTF-8; returns where it ends
static char *putCharacter(char *to, int code)
{
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800)
        *to++ = (char)(0xc0 | code >> 6);
    else if (code < 0x10000)
        *to++ = (char)(0xe0 | code >> 12);
    else
        *to++ = (char)(0xf0 | code >> 18);
    for (int shift = code < 0x80 ? -6 : code < 0x800 ? 0 : code < 0x10000 ? 6 : 12; shift >= 0; shift -= 6)
        *to++ = (char)(0x80 | (code >> shift & 0x3f));
    return to;
}

void jsonUnescape(char *text)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char *to = text;
    for (const char *from = text; *from != 0;)
    {
        if (*from != '\\')
        {
            *to++ = *from++;
            continue;
        }
        const char *letter = strchr(letters, from[1]);
        if (from[1] != 'u')
        {
            *to++ = letter != NULL ? meant[letter - letters] : from[1];
            from += 2;
            continue;
        }
        int code = hexOf(from + 2);
        from += 6;
        if (code >= 0xd800 && code <= 0xdbff)
        {
            code = 0x10000 + ((code & 0x3ff) << 10 | (hexOf(from + 2) & 0x3ff));
            from += 6;
        }
        to = putCharacter(to, code);
    }
    *to = 0;
}

// ---- looking --------------------------------------------------------------------------------------------------------

Json *jsonFind(const Json *object, const char *key)
{
    for (Json *value = jsonIs(object, JSON_OBJECT) ? object->first : NULL; value != NULL; value = value->next)
    {
        if (strcmp(value->key, key) == 0)
            return value;
    }
    return NULL;
}

Json *jsonEntry(const Json *list, int index)
{
    Json *value = list != NULL && index >= 0 ? list->first : NULL;
    for (; value != NULL && index > 0; --index)
        value = value->next;
    return value;
}

int jsonCount(const Json *value)
{
    int count = 0;
    for (const Json *entry = value != NULL ? value->first : NULL; entry != NULL; entry = entry->next)
        count += 1;
    return count;
}

bool jsonEqual(const Json *a, const Json *b)
{
    if (a == NULL || b == NULL || a->kind != b->kind)
        return a == b;
    if (a->kind == JSON_STRING)
        return strcmp(a->string, b->string) == 0;
    if (a->kind == JSON_NUMBER)
        return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    const Json *x = a->first, *y = b->first;
    for (; x != NULL && y != NULL; x = x->next, y = y->next)
    {
        if ((a->kind == JSON_OBJECT && strcmp(x->key, y->key) != 0) || !jsonEqual(x, y))
            return false;
    }
    return x == y; // both have ended
}

// the next step of a path, which moves on: "[3]", "key" or ".key"; NULL: there is no such value
static const Json *follow(const Json *at, const char **path)
{
    char key[64];
    if (**path == '[')
    {
        char *end = NULL;
        long index = strtol(*path + 1, &end, 10);
        *path = end + (*end == ']');
        return jsonIs(at, JSON_LIST) && index <= JSON_MOST_VALUES ? jsonEntry(at, (int)index) : NULL;
    }
    *path += **path == '.';
    size_t length = strcspn(*path, ".[");
    const char *name = *path;
    *path += length;
    if (length >= sizeof key)
        return NULL;
    memcpy(key, name, length);
    key[length] = 0;
    return jsonFind(at, key);
}

const Json *jsonPlace(const Json *root, const char *path)
{
    const Json *place = root;
    for (const Json *at = root; at != NULL && *path != 0;)
    {
        at = follow(at, &path);
        if (at != NULL && at->isTyped)
            return NULL;
        if (at != NULL && at->line > 0)
            place = at;
    }
    return place;
}

// ---- making ---------------------------------------------------------------------------------------------------------

Json *jsonMake(JsonTree *tree, JsonKind kind)
{
    Json *value = take(tree, sizeof *value);
    if (value == NULL)
        return NULL;
    value->tree = tree;
    value->kind = kind;
    return value;
}

bool jsonLink(Json *owner, const char *key, Json *value)
{
    if (owner == NULL || value == NULL)
        return false;
    if (key != NULL)
    {
        value->key = jsonString(owner->tree, key, strlen(key));
        if (value->key == NULL)
            return false;
    }
    value->next = NULL;
    if (owner->last != NULL)
        owner->last->next = value;
    else
        owner->first = value;
    owner->last = value;
    return true;
}

// what leads to a value of its owner, and the value before it
static Json **linkTo(Json *owner, const Json *value, Json **before)
{
    Json **link = &owner->first;
    for (*before = NULL; *link != value; link = &(*link)->next)
        *before = *link;
    return link;
}

void jsonUnlink(Json *owner, Json *value)
{
    Json *before, **link = linkTo(owner, value, &before);
    *link = value->next;
    if (owner->last == value)
        owner->last = before;
    value->next = NULL;
}

void jsonReplace(Json *owner, Json *before, Json *value)
{
    Json *other;
    *linkTo(owner, before, &other) = value;
    value->next = before->next;
    value->key = before->key;
    if (owner->last == before)
        owner->last = value;
    before->next = NULL;
}

bool jsonSetString(Json *value, const char *string)
{
    value->string = jsonString(value->tree, string, strlen(string));
    return value->string != NULL;
}

Json *jsonAdd(Json *owner, const char *key, JsonKind kind)
{
    Json *value = owner != NULL ? jsonMake(owner->tree, kind) : NULL;
    return jsonLink(owner, key, value) ? value : NULL;
}

Json *jsonAddNumber(Json *owner, const char *key, double number)
{
    Json *value = jsonAdd(owner, key, JSON_NUMBER);
    if (value != NULL)
        value->number = number;
    return value;
}

Json *jsonAddString(Json *owner, const char *key, const char *string)
{
    // the string first: no value of a tree is without it
    Json *value = owner != NULL ? jsonMake(owner->tree, JSON_STRING) : NULL;
    return value != NULL && jsonSetString(value, string) && jsonLink(owner, key, value) ? value : NULL;
}

Json *jsonAddCopy(Json *owner, const char *key, const Json *from)
{
    if (jsonIs(from, JSON_STRING))
        return jsonAddString(owner, key, from->string);
    Json *copy = from != NULL ? jsonAdd(owner, key, from->kind) : NULL;
    if (copy == NULL)
        return NULL;
    copy->number = from->number;
    for (const Json *entry = from->first; entry != NULL; entry = entry->next)
    {
        if (jsonAddCopy(copy, entry->key, entry) == NULL)
            return NULL;
    }
    return copy;
}

Json *jsonAddText(Json *owner, const char *key, const char *text)
{
    Json *value = owner != NULL ? jsonRead(owner->tree, text, strlen(text), NULL, NULL) : NULL;
    return jsonLink(owner, key, value) ? value : NULL;
}
