// Text or bytes that are read once, from a file or from memory, through a buffer of fixed size.
#ifndef MESH_SOURCE_H
#define MESH_SOURCE_H

#include "base/base.h"

#include <stdio.h>

#define LONGEST_WORD 4096 // bytes; longer ones are no numbers

typedef struct Source
{
    Memory *memory;
    FILE *file;       // NULL: from memory
    const char *data; // what is not in the buffer yet
    size_t dataLeft;  //
    size_t size;      // bytes in all
    size_t taken;     // bytes that went through the buffer

    char *buffer;
    size_t room;          // bytes of text that fit
    const char *at, *end; // unread; *end is 0
    bool last;            // nothing is behind `end`
    bool failed;          // the file could not be read on
    long long line;       // of `at`, from 1; where `binary`, the offset of what was read last
    bool binary;          // numbers are bytes, not words
    bool bigEndian;       // the most significant byte of a number comes first
    char comment;         // starts a comment up to the end of its line; 0: there are none
    bool lines;           // words are looked for on the same line only
    bool joins;           // a backslash at the end of a line joins it to the next
} Source;

vvResult sourceOpenFile(Source *source, Memory *memory, const char *path);
vvResult sourceOpenData(Source *source, Memory *memory, const void *data, size_t size);
void sourceClose(Source *source); // a closed or empty one is fine

// Moves to the next word. False: the line (`lines`) or the text has ended.
bool sourceSeek(Source *source);
bool sourceAtEnd(Source *source);    // no word is left, on any line
void sourceSkipLine(Source *source); // to the start of the next line

// Behind sourceSeek. False: the word is none of that kind, and is still to be read.
bool sourceReal(Source *source, double *value); // finite
bool sourceInteger(Source *source, long long *value);
bool sourceIndices(Source *source, long long *value); // "7", "7/1", "7//3" or "7/1/3": three, 0 where there is none

// The word, cut to what fits; it is passed as a whole.
void sourceWord(Source *source, char *word, size_t size);

// Bytes as they are. False: fewer are left.
bool sourceBytes(Source *source, void *bytes, size_t size);
bool sourceSkip(Source *source, size_t size);
int sourcePeek(Source *source);                      // the next byte; -1: none is left
int sourceNext(Source *source);                      // and passes it
bool sourceFind(Source *source, const char *words);  // moves behind the next place where they stand
const char *sourceLook(Source *source, size_t size); // without passing them, LONGEST_WORD at most; NULL: fewer are left

// Where `at` is in the file.
static inline size_t sourceOffset(const Source *source)
{
    return source->taken - (size_t)(source->end - source->at);
}

// The word without passing it, printable, for messages.
void sourceShow(Source *source, char *text, size_t size);

// What is left to read, as far as one can know: some files are longer than they say.
static inline size_t sourceBytesLeft(const Source *source)
{
    size_t behind = source->size > source->taken ? source->size - source->taken : LONGEST_WORD;
    return (size_t)(source->end - source->at) + behind;
}

#endif
