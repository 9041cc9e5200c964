// JSON: text to a tree of values, strictly, and back without losing a bit. The parser is our own because the same one
// has to serve Linux, Windows, WebAssembly and Python, because messages need the place of every value, and because
// numbers are to keep their last bit whatever the locale says.
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/base.h"

#define JSON_MOST_BYTES ((size_t)64 << 20) // of a text
#define JSON_MOST_DEPTH 64                 // objects and lists inside each other
#define JSON_MOST_KEYS 256                 // of an object
#define JSON_MOST_VALUES 4000000           // 72 bytes each in a tree

typedef enum JsonKind
{
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT,
} JsonKind;

typedef struct Json Json;
typedef struct JsonTree JsonTree;
typedef struct JsonBlock JsonBlock;

// A value. Fields of other kinds than its own are 0.
struct Json
{
    JsonTree *tree;     // that holds its memory
    Json *next;         // in its list or object
    Json *first, *last; // entries of a list, members of an object
    char *key;          // in an object
    char *string;       // UTF-8
    double number;
    JsonKind kind;
    int line, column; // in the text it was read from, both from 1, in characters; 0: it was made
    bool isTyped;     // on the command line, not in the file: --set
};

// The memory of all values of a tree. It is given back as a whole: a value that is taken out just is no longer seen.
struct JsonTree
{
    Memory memory;
    JsonBlock *block; // the newest
    bool isStarved;   // an allocation failed
};

void jsonOpen(JsonTree *tree, const vvAllocator *allocator); // NULL: malloc and free
void jsonClose(JsonTree *tree);

// ---- json_read.c ----------------------------------------------------------------------------------------------------

// RFC 8259 to the letter, UTF-8, numbers that fit a double, no key twice in an object. NULL on failure; `name`
// ("swing.json") goes before line and column in the message; NULL: the text is no file, and its values get no place.
// `result` may be NULL.
Json *jsonRead(JsonTree *tree, const char *text, size_t size, const char *name, vvResult *result);

// ---- json.c: values -------------------------------------------------------------------------------------------------

static inline bool jsonIs(const Json *value, JsonKind kind) // NULL is of no kind
{
    return value != NULL && value->kind == kind;
}

Json *jsonFind(const Json *object, const char *key); // NULL: not there; NULL has nothing
Json *jsonEntry(const Json *list, int index);        // likewise
int jsonCount(const Json *value);                    // entries or members; 0: it has none, or is NULL
bool jsonEqual(const Json *a, const Json *b);        // the same kinds, bits, keys and order

// The value at a path, "bodies[0].material.young", or the deepest on the way there that was read from the text. NULL:
// it was typed, so that no place in the text says what was used.
const Json *jsonPlace(const Json *root, const char *path);

// New values. NULL: out of memory, which `isStarved` of the tree keeps, or an owner that is NULL; so many may be added
// before one looks. They go to the end of their owner; the key is NULL in a list.
Json *jsonMake(JsonTree *tree, JsonKind kind); // without an owner
Json *jsonAdd(Json *owner, const char *key, JsonKind kind);
Json *jsonAddNumber(Json *owner, const char *key, double number);
Json *jsonAddString(Json *owner, const char *key, const char *string);
Json *jsonAddCopy(Json *owner, const char *key, const Json *value);
Json *jsonAddText(Json *owner, const char *key, const char *text); // JSON that is known to be good

bool jsonLink(Json *owner, const char *key, Json *value); // a value without an owner gets one; false: out of memory
void jsonUnlink(Json *owner, Json *value);                // takes a value out
void jsonReplace(Json *owner, Json *before, Json *value); // in the same place, under the same key
bool jsonSetString(Json *value, const char *string);      // false: out of memory
char *jsonString(JsonTree *tree, const char *text, size_t length); // a copy, ended by a zero; NULL: out of memory
void jsonUnescape(char *text); // what stood between quotes, in place: it never gets longer. It must be good JSON

// ---- json_print.c ---------------------------------------------------------------------------------------------------

// The tree as text, ended by a newline; numbers come back with the same bits. NULL: out of memory. Release with free.
char *jsonPrint(const Json *value);

// The value on one line for a message, cut off with "..." where `size` ends.
void jsonShort(const Json *value, char *text, size_t size);

// A number that reads back with the same bits.
#define JSON_NUMBER_SIZE 33
void jsonNumber(double number, char *text /* JSON_NUMBER_SIZE */);

#endif
