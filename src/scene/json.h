// JSON text: strict checking with messages that say where, finding the line of a path, and printing that loses no bit.
// cJSON makes the tree in between. Inside the scene room only.
#ifndef SCENE_JSON_H
#define SCENE_JSON_H

#include <cjson/cJSON.h>
#include <verve/base.h>

#define JSON_MOST_BYTES ((size_t)64 << 20) // of a scene file
#define JSON_MOST_DEPTH 64                 // objects and lists inside each other

// RFC 8259 to the letter, UTF-8, numbers that fit a double. `name` ("swing.json") goes before line and column.
vvResult jsonCheck(const char *text, size_t size, const char *name);

// The line, from 1, on which the value of "bodies[0].material.young" begins, or the deepest part of the path that is
// there. The text must have passed jsonCheck.
int jsonLine(const char *text, size_t size, const char *path);

// The tree as text, ended by a newline; numbers come back with the same bits. NULL: out of memory. Release with free.
char *jsonPrint(const cJSON *item);

// The value on one line for a message, cut off with "..." where `size` ends.
void jsonShort(const cJSON *item, char *text, size_t size);

// A number that reads back with the same bits.
#define JSON_NUMBER_SIZE 33
void jsonNumber(double number, char *text /* JSON_NUMBER_SIZE */);

#endif
