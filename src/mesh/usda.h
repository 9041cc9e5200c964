// Words of USD files: usda_token.c. file_usda.c reads what they say.
#ifndef MESH_USDA_H
#define MESH_USDA_H

#include "mesh/file.h"

#define USDA_WORD 64

typedef struct UsdaToken
{
    char kind;            // 'w' a word or a number, '"' a string, '@' a path, or one of ()[]{}=,;:
    char text[USDA_WORD]; // cut to what fits
} UsdaToken;

bool usdaAtEnd(Reader *reader);                   // nothing but blanks and comments is left
bool usdaReal(Reader *reader, double *value);     // false: no finite number stands there, and nothing is passed
bool usdaToken(Reader *reader, UsdaToken *token); // false: the result says why
bool usdaSkip(Reader *reader, int depth);         // a value, or with `depth` open brackets all that they hold

// Behind "(": up to its ")". What a layer says of its units goes to `scale` and `zUp` (NULL: passed); references are
// refused.
bool usdaMetadata(Reader *reader, double *scale, bool *zUp);

#endif
