// Text to a tree, strictly: what is not JSON is refused with line, column and a remedy. Every value knows its place.
#include "base/json.h"

#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 60 // characters of a number

typedef struct Reader
{
    const unsigned char *text; // size
    size_t size, at;
    size_t lineStart; // of the line that `at` is on
    size_t hidden;    // bytes of that line that go on with a character
    int line;         // from 1
    int values;
    int depth;                   //
    Json *open[JSON_MOST_DEPTH]; // depth: the objects and lists around `at`, the outermost first
    JsonTree *tree;
    const char *name; // NULL: values get no place
    vvResult result;
} Reader;

static bool refuse(Reader *reader, const char *remedy, const char *what)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < reader->at; ++i)
    {
        column += (reader->text[i] & 0xc0) != 0x80; // characters, not bytes
        if (reader->text[i] == '\n')
        {
            line += 1;
            column = 1;
        }
    }
    reader->result =
        resultMake(VV_BAD_INPUT, remedy, "%.80s:%d:%d: %s", reader->name ? reader->name : "", line, column, what);
    return false;
}

static bool starve(Reader *reader)
{
    reader->result = resultOutOfMemory("JSON");
    return false;
}

static int peek(const Reader *reader)
{
    return reader->at < reader->size ? reader->text[reader->at] : -1;
}

static void skipSpace(Reader *reader)
{
    for (; reader->at < reader->size && memchr(" \t\r\n", reader->text[reader->at], 4) != NULL; reader->at += 1)
    {
        if (reader->text[reader->at] != '\n') // nowhere else: text has none
            continue;
        reader->line += 1;
        reader->lineStart = reader->at + 1;
        reader->hidden = 0;
    }
}

static bool refuseHere(Reader *reader, const char *wanted)
{
    char what[120];
    int c = peek(reader);
    if (c == '/' || c == '#')
        return refuse(reader, "remove it; \"description\" is the place for words", "JSON has no comments");
    if (c == '\'')
        return refuse(reader, "write \"...\"", "text is in single quotes, must be in double quotes");
    if (c == '.' || c == '+')
        return refuse(reader, "write 0.5, 1 or -1: numbers of JSON begin with a digit or -", "no number begins so");
    if (c < 0)
        snprintf(what, sizeof what, "the text ends where %s must follow", wanted);
    else if (c > 0x20 && c < 0x7f)
        snprintf(what, sizeof what, "'%c' stands where %s must be", c, wanted);
    else
        snprintf(what, sizeof what, "byte 0x%02x stands where %s must be", (unsigned)c, wanted);
    return refuse(reader, "an editor that knows JSON shows the place; commas, quotes and brackets are the usual cause",
                  what);
}

// ---- text -----------------------------------------------------------------------------------------------------------

// one character of UTF-8 beyond ASCII: no stray, overlong or surrogate forms (RFC 3629, section 4)
static bool readWide(Reader *reader)
{
    const unsigned char *s = reader->text + reader->at;
    size_t left = reader->size - reader->at;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    bool good = length > 0 && left >= length;
    for (size_t i = 1; good && i < length; ++i)
        good = (s[i] & 0xc0) == 0x80;
    good = good && !(s[0] == 0xe0 && s[1] < 0xa0) && !(s[0] == 0xed && s[1] > 0x9f);
    good = good && !(s[0] == 0xf0 && s[1] < 0x90) && !(s[0] == 0xf4 && s[1] > 0x8f);
    if (!good)
    {
        char what[64];
        snprintf(what, sizeof what, "byte 0x%02x is not UTF-8", (unsigned)s[0]);
        return refuse(reader, "save the file as UTF-8", what);
    }
    reader->at += length;
    reader->hidden += length - 1;
    return true;
}

// four hex digits behind \u; -1: not there
static int readHex(Reader *reader)
{
    int code = 0;
    for (int i = 0; i < 4; ++i, reader->at += 1)
    {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = peek(reader) > 0 ? memchr(digits, peek(reader), 32) : NULL;
        if (digit == NULL)
            return -1;
        code = 16 * code + (int)((digit - digits) % 16);
    }
    return code;
}

static bool readEscape(Reader *reader)
{
    size_t start = reader->at++;
    int c = peek(reader);
    bool good = c > 0 && strchr("\"\\/bfnrtu", c) != NULL;
    reader->at += good;
    if (good && c == 'u')
    {
        int code = readHex(reader);
        good = code > 0 && (code < 0xdc00 || code > 0xdfff);
        if (good && code >= 0xd800 && code <= 0xdbff) // the first half of a pair
        {
            good = reader->at + 2 <= reader->size && memcmp(reader->text + reader->at, "\\u", 2) == 0;
            reader->at += 2 * (size_t)good;
            int second = good ? readHex(reader) : -1;
            good = second >= 0xdc00 && second <= 0xdfff;
        }
    }
    if (good)
        return true;
    reader->at = start;
    return refuse(reader, "write \\\\ for a backslash, / in paths; \\u0000 and half pairs are no text",
                  "an escape that JSON does not have");
}

static bool skipString(Reader *reader)
{
    reader->at += 1;
    for (;;)
    {
        int c = peek(reader);
        if (c < 0 || c == '\n')
            return refuse(reader, "write \\n for a line break inside text", "text without its closing quote");
        if (c == '"')
        {
            reader->at += 1;
            return true;
        }
        if (c < 0x20)
            return refuse(reader, "write \\t or \\u00XX", "a control character inside text");
        if (c == '\\')
        {
            if (!readEscape(reader))
                return false;
        }
        else if (c < 0x80)
            reader->at += 1;
        else if (!readWide(reader))
            return false;
    }
}

// NULL: refused, or out of memory
static char *readString(Reader *reader)
{
    size_t start = reader->at + 1;
    if (!skipString(reader))
        return NULL;
    char *string = jsonString(reader->tree, (const char *)reader->text + start, reader->at - 1 - start);
    if (string == NULL)
        starve(reader);
    else
        jsonUnescape(string);
    return string;
}

// ---- numbers and words ----------------------------------------------------------------------------------------------

static bool readDigits(Reader *reader)
{
    size_t start = reader->at;
    while (peek(reader) >= '0' && peek(reader) <= '9')
        reader->at += 1;
    return reader->at > start;
}

static bool readNumber(Reader *reader, double *value)
{
    char digits[MOST_DIGITS + 1], what[120];
    size_t start = reader->at;
    reader->at += peek(reader) == '-';
    bool zero = peek(reader) == '0', good = readDigits(reader);
    size_t whole = reader->at - start;
    good = good && !(zero && whole > (reader->text[start] == '-' ? 2u : 1u)); // no leading zeros
    if (good && peek(reader) == '.')
    {
        reader->at += 1;
        good = readDigits(reader);
    }
    if (good && (peek(reader) == 'e' || peek(reader) == 'E'))
    {
        reader->at += 1;
        reader->at += peek(reader) == '+' || peek(reader) == '-';
        good = readDigits(reader);
    }
    size_t length = reader->at - start;
    reader->at = start;
    if (!good)
        return refuse(reader, "write numbers like 12, -0.5 or 1e-3", "a number JSON does not know");
    snprintf(digits, sizeof digits, "%.*s", (int)(length > MOST_DIGITS ? MOST_DIGITS : length),
             (const char *)reader->text + start);
    if (length > MOST_DIGITS)
        return refuse(reader, "17 digits are all a number can hold", "a number of more than 60 characters");
    decimalRead(digits, value);
    if (!isfinite(*value))
    {
        snprintf(what, sizeof what, "%s is beyond the largest number, 1.8e308", digits);
        return refuse(reader, "write a number in SI units", what);
    }
    reader->at = start + length;
    return true;
}

static bool readWord(Reader *reader, JsonKind *kind)
{
    static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };
    for (int i = 0; i < 3; ++i)
    {
        size_t length = strlen(words[i]);
        if (reader->size - reader->at < length || memcmp(reader->text + reader->at, words[i], length) != 0)
            continue;
        reader->at += length;
        *kind = (JsonKind)i;
        return true;
    }
    char what[80], word[24];
    size_t length = 0, left = reader->size - reader->at;
    const unsigned char *s = reader->text + reader->at;
    while (length < left && length < sizeof word - 1 && ((s[length] | 0x20) >= 'a') && ((s[length] | 0x20) <= 'z'))
        length += 1;
    if (length == 0)
        return refuseHere(reader, "a value");
    memcpy(word, s, length);
    word[length] = 0;
    snprintf(what, sizeof what, "%s is neither a number nor true, false or null", word);
    return refuse(reader, "put text in double quotes; NaN and Infinity are no numbers in JSON", what);
}

// ---- structure ------------------------------------------------------------------------------------------------------

static Json *readValue(Reader *reader, Json *owner, char *key);

// "bodies[0].material.young": the value that was begun last
static void writePath(const Reader *reader, char *path, size_t size)
{
    size_t length = 0;
    path[0] = 0;
    for (int i = 0; i < reader->depth && length < size; ++i)
    {
        const Json *owner = reader->open[i];
        if (owner->kind == JSON_LIST)
            length += (size_t)snprintf(path + length, size - length, "[%d]", jsonCount(owner) - 1);
        else
            length +=
                (size_t)snprintf(path + length, size - length, "%s%.40s", length > 0 ? "." : "", owner->last->key);
    }
}

static bool readMember(Reader *reader, Json *owner)
{
    skipSpace(reader);
    size_t start = reader->at;
    if (peek(reader) != '"')
        return refuseHere(reader, "a key in double quotes");
    char *key = readString(reader);
    if (key == NULL)
        return false;
    skipSpace(reader);
    if (peek(reader) != ':')
        return refuseHere(reader, "':'");
    reader->at += 1;
    const Json *value = readValue(reader, owner, key);
    if (value == NULL || jsonFind(owner, key) == value)
        return value != NULL;
    char path[100], shown[52], what[200];
    writePath(reader, path, sizeof path);
    jsonShort(value, shown, sizeof shown);
    snprintf(what, sizeof what, "%s is given twice, the second time as %s", path, shown);
    reader->at = start;
    return refuse(reader, "keep one of them", what);
}

// what stands between the brackets: members of an object or entries of a list
static bool readEntries(Reader *reader, Json *owner)
{
    bool object = owner->kind == JSON_OBJECT;
    int close = object ? '}' : ']', count = 0;
    reader->at += 1;
    skipSpace(reader);
    if (peek(reader) == close)
    {
        reader->at += 1;
        return true;
    }
    for (;;)
    {
        if (object && ++count > JSON_MOST_KEYS)
            return refuse(reader, "remove those that nobody reads", "more than 256 keys in an object");
        if (!(object ? readMember(reader, owner) : readValue(reader, owner, NULL) != NULL))
            return false;
        skipSpace(reader);
        if (peek(reader) == close)
        {
            reader->at += 1;
            return true;
        }
        if (peek(reader) != ',')
            return refuseHere(reader, object ? "',' or '}'" : "',' or ']'");
        size_t comma = reader->at++;
        skipSpace(reader);
        if (peek(reader) == close)
        {
            reader->at = comma;
            return refuse(reader, "remove it", "a comma behind the last entry");
        }
    }
}

// the kind and what it holds
static bool readContent(Reader *reader, Json *value)
{
    int c = peek(reader);
    if (c == '-' || (c >= '0' && c <= '9'))
    {
        value->kind = JSON_NUMBER;
        return readNumber(reader, &value->number);
    }
    if (c == '"')
    {
        value->kind = JSON_STRING;
        value->string = readString(reader);
        return value->string != NULL;
    }
    if (c != '{' && c != '[')
        return readWord(reader, &value->kind);
    if (reader->depth == JSON_MOST_DEPTH)
        return refuse(reader, "a scene needs 7 levels, other files fewer", "more than 64 levels of brackets");
    value->kind = c == '{' ? JSON_OBJECT : JSON_LIST;
    reader->open[reader->depth++] = value;
    bool good = readEntries(reader, value);
    reader->depth -= 1;
    return good;
}

// NULL: refused, or out of memory. `owner` NULL: the outermost value.
static Json *readValue(Reader *reader, Json *owner, char *key)
{
    skipSpace(reader);
    if (++reader->values > JSON_MOST_VALUES)
    {
        refuse(reader, "keep meshes and buffers in files of their own", "more than 4000000 values");
        return NULL;
    }
    Json *value = jsonMake(reader->tree, JSON_NULL);
    if (value == NULL)
    {
        starve(reader);
        return NULL;
    }
    value->key = key;
    if (reader->name != NULL)
    {
        value->line = reader->line;
        value->column = (int)(reader->at - reader->lineStart - reader->hidden) + 1;
    }
    jsonLink(owner, NULL, value);
    return readContent(reader, value) ? value : NULL;
}

Json *jsonRead(JsonTree *tree, const char *text, size_t size, const char *name, vvResult *result)
{
    Reader reader = {
        .text = (const unsigned char *)text, .size = size, .line = 1, .tree = tree, .name = name, .result = resultOk()
    };
    Json *root = NULL;
    if (size > JSON_MOST_BYTES)
        reader.result = resultMake(VV_BAD_INPUT, "keep meshes and buffers in files of their own",
                                   "%.80s has more than %zu bytes (64 MB)", name ? name : "", JSON_MOST_BYTES);
    else if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        refuse(&reader, "save the file as UTF-8 without it", "the text begins with a byte order mark");
    else if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        refuse(&reader, "save the file as UTF-8", "the text is UTF-16");
    else
        root = readValue(&reader, NULL, NULL);
    if (root != NULL)
    {
        skipSpace(&reader);
        if (reader.at < size)
            refuse(&reader, "remove what follows the last bracket", "text behind the end of the object");
    }
    return resultPass(result, &reader.result) ? root : NULL;
}
