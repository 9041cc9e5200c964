// The table of keys in words: the reference part of docs/scenes.md.
#include "scene/scene.h"

#include "scene/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_SIZE 65536 // the table makes about a quarter of it

typedef struct Page
{
    char *text; // PAGE_SIZE
    size_t length;
} Page;

static void print(Page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(page->text + page->length, PAGE_SIZE - page->length, format, arguments);
    va_end(arguments);
    page->length += count > 0 ? (size_t)count : 0;
    if (page->length >= PAGE_SIZE)
        page->length = PAGE_SIZE - 1;
}

static void printKind(Page *page, const Key *key)
{
    static const char *const kinds[] = {
        [KIND_NUMBER] = "number",
        [KIND_INTEGER] = "integer",
        [KIND_SWITCH] = "true or false",
        [KIND_STRING] = "text",
        [KIND_VECTOR] = "[x, y, z]",
        [KIND_NUMBERS] = "number, or list of one to three",
        [KIND_INTEGERS] = "integer, or list of one to three",
        [KIND_INDICES] = "list of integers",
        [KIND_ROW] = "list of numbers",
        [KIND_BOX] = "[[x, y, z], [x, y, z]]",
        [KIND_ROWS] = "list of lists of numbers",
        [KIND_STRINGS] = "text, or list of texts",
        [KIND_ANYTHING] = "anything",
    };
    char words[1000];
    switch (key->kind)
    {
    case KIND_WORD:
        keyWords(key->word, words, sizeof words);
        print(page, "%s", words);
        break;
    case KIND_OBJECT:
        print(page, "[%s](#%s)", key->object->name, key->object->name);
        break;
    case KIND_LIST:
        print(page, "list of [%s](#%s)", key->object->name, key->object->name);
        break;
    case KIND_WORD_OR_OBJECT:
        keyWords(key->word, words, sizeof words);
        print(page, "%s; or [%s](#%s)", words, key->object->name, key->object->name);
        break;
    default:
        print(page, "%s", kinds[key->kind]);
        break;
    }
}

static void printKey(Page *page, const Key *key)
{
    char range[100];
    keyRange(key, range, sizeof range);
    print(page, "| `%s` | ", key->name);
    printKind(page, key);
    print(page, " | %s%s | ", key->kind == KIND_LIST ? "" : range, key->unit && range[0] == 0 ? key->unit : "");
    if (key->required)
        print(page, "required");
    else if (key->fallback != NULL)
        print(page, "`%s`", key->fallback);
    else
        print(page, "%s", key->otherwise ? key->otherwise : "");
    const char *users = key->users ? key->users : "";
    print(page, " | %s%s%s |\n", users, users[0] ? ": " : "", key->help);
}

static void printShapes(Page *page)
{
    print(page, "\n| shape | `size` | default | `cells` | default |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; shapeName(i) != NULL; ++i)
    {
        const Shape *shape = shapeFind(shapeName(i));
        print(page, "| %s | %s | `%s` | %s | `%s` |\n", shape->name, shape->sizeHelp, shape->size, shape->cellsHelp,
              shape->cells);
    }
}

char *sceneKeys(void)
{
    Page page = { .text = malloc(PAGE_SIZE) };
    if (page.text == NULL)
        return NULL;
    page.text[0] = 0;
    for (int i = 0; keyObject(i) != NULL; ++i)
    {
        const Object *object = keyObject(i);
        print(&page, "%s### %s\n\n%s", i > 0 ? "\n" : "", object->name, object->help);
        for (int k = 0; object->exactlyOne[k] != NULL; ++k)
            print(&page, "%s`%s`", k == 0 ? " Exactly one of " : ", ", object->exactlyOne[k]);
        print(&page, "%s\n\n| key | what | range | without it | meaning |\n| --- | --- | --- | --- | --- |\n",
              object->exactlyOne[0] ? "." : "");
        for (int k = 0; k < object->keyCount; ++k)
            printKey(&page, &object->keys[k]);
        if (strcmp(object->name, "mesh") == 0)
            printShapes(&page);
    }
    return page.text;
}
