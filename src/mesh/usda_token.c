#include "mesh/usda.h"

#include "base/decimal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static void skipSpace(Reader *reader)
{
    Source *source = &reader->source;
    for (int c; (c = sourcePeek(source)) >= 0 && (isspace(c) || c == '#');)
    {
        bool remark = c == '#';
        while (remark && (c = sourcePeek(source)) >= 0 && c != '\n')
            sourceNext(source);
        sourceNext(source);
    }
}

bool usdaAtEnd(Reader *reader)
{
    skipSpace(reader);
    return sourcePeek(&reader->source) < 0;
}

static bool isWord(int c)
{
    return c > 0 && (isalnum(c) || strchr("_.+-", c) != NULL);
}

bool usdaReal(Reader *reader, double *value)
{
    Source *source = &reader->source;
    skipSpace(reader);
    const char *end = sourceLook(source, 1) != NULL ? decimalRead(source->at, value) : NULL;
    if (end == NULL || !isfinite(*value) || isWord((unsigned char)*end))
        return false;
    source->at = end;
    return true;
}

// text between quotes, or between three of them; a path between @
static bool readQuoted(Reader *reader, int quote, UsdaToken *token)
{
    Source *source = &reader->source;
    size_t length = 0;
    const char *look = sourceLook(source, 2);
    bool three = look != NULL && look[0] == quote && look[1] == quote;
    for (int i = 0; i < 2 && three; ++i)
        sourceNext(source);
    for (int run = 0; run < (three ? 3 : 1);)
    {
        int c = sourceNext(source);
        if (c == '\\')
            c = sourceNext(source) >= 0 ? '?' : -1;
        if (c < 0)
            return readerEndFault(reader);
        run = c == quote ? run + 1 : 0;
        if (c != quote && length + 1 < sizeof token->text)
            token->text[length++] = (char)c;
    }
    token->text[length] = 0;
    return true;
}

bool usdaToken(Reader *reader, UsdaToken *token)
{
    Source *source = &reader->source;
    skipSpace(reader);
    int c = sourcePeek(source);
    size_t length = 0;
    token->text[0] = 0;
    if (c < 0)
        return readerEndFault(reader);
    if (isWord(c))
    {
        token->kind = 'w';
        // a namespace goes on behind its colon; a time before a list does not
        while (isWord(c) || (c == ':' && length > 0 && !isdigit((unsigned char)token->text[0])))
        {
            if (length + 1 < sizeof token->text)
                token->text[length++] = (char)c;
            sourceNext(source);
            c = sourcePeek(source);
        }
        token->text[length] = 0;
        return true;
    }
    sourceNext(source);
    token->kind = c == '\'' ? '"' : (char)c;
    token->text[0] = c >= ' ' && c <= '~' ? (char)c : '?';
    token->text[1] = 0;
    if (c == '"' || c == '\'' || c == '@')
        return readQuoted(reader, c, token);
    return strchr("()[]{}=,;:<>/", c) != NULL && c != 0
               ? true
               : readerFault(reader, "repair the file", "'%s' belongs to no word of a USD file", token->text);
}

bool usdaSkip(Reader *reader, int depth)
{
    UsdaToken token;
    do
    {
        if (!usdaToken(reader, &token))
            return false;
        depth += token.kind == '(' || token.kind == '[' || token.kind == '{' || token.kind == '<';
        depth -= token.kind == ')' || token.kind == ']' || token.kind == '}' || token.kind == '>';
    } while (depth > 0);
    return true;
}

bool usdaMetadata(Reader *reader, double *scale, bool *zUp)
{
    UsdaToken token;
    char name[USDA_WORD] = "";
    for (int depth = 1; depth > 0;)
    {
        double value;
        if (!usdaToken(reader, &token))
            return false;
        depth += token.kind == '(' || token.kind == '[' || token.kind == '{';
        depth -= token.kind == ')' || token.kind == ']' || token.kind == '}';
        if (token.kind == 'w')
            snprintf(name, sizeof name, "%s", token.text);
        if (token.kind == '@' &&
            (strcmp(name, "references") == 0 || strcmp(name, "payload") == 0 || strcmp(name, "subLayers") == 0))
            return readerFault(reader, "read the file that it names",
                               "it refers to %.64s, and files of others are not read", token.text);
        if (token.kind == '"' && zUp != NULL && strcmp(name, "upAxis") == 0)
            *zUp = strcmp(token.text, "Z") == 0;
        if (token.kind != '=' || scale == NULL || strcmp(name, "metersPerUnit") != 0)
            continue;
        if (!usdaReal(reader, &value) || !(value > 0 && value <= 1e6))
            return readerFault(reader, "repair the header", "metersPerUnit must be a number above 0 to 1e6");
        *scale = value;
    }
    return true;
}
