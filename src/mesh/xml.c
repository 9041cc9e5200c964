#include "mesh/xml.h"

#include <string.h>

static bool isSpace(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void xmlSkipSpace(Reader *reader)
{
    while (isSpace(sourcePeek(&reader->source)))
        sourceNext(&reader->source);
}

// up to one of `ends`, which is not passed; longer ones are cut
static bool readUntil(Reader *reader, const char *ends, char *word)
{
    size_t length = 0;
    for (int c; (c = sourcePeek(&reader->source)) < 0 || c == 0 || strchr(ends, c) == NULL;)
    {
        if (sourceNext(&reader->source) < 0)
            return readerEndFault(reader);
        if (length + 1 < XML_WORD)
            word[length++] = (char)c;
    }
    word[length] = 0;
    return true;
}

static bool readAttribute(Reader *reader, XmlTag *tag)
{
    char passed[XML_WORD];
    bool room = tag->attributes < MOST_ATTRIBUTES;
    char *key = room ? tag->key[tag->attributes] : passed, *value = room ? tag->value[tag->attributes] : passed;
    if (!readUntil(reader, "= \t\r\n>", key))
        return false;
    xmlSkipSpace(reader);
    bool given = sourceNext(&reader->source) == '=';
    xmlSkipSpace(reader);
    int quote = sourceNext(&reader->source);
    if (!given || (quote != '"' && quote != '\''))
        return readerFault(reader, "repair the tag", "an attribute of '%.24s' is not key=\"value\"", tag->name);
    if (!readUntil(reader, quote == '"' ? "\"" : "'", value))
        return false;
    sourceNext(&reader->source);
    tag->attributes += room;
    return true;
}

// "<?...?>", "<!-- ... -->", "<!...>"
static bool skipRemark(Reader *reader)
{
    bool comment = sourceLook(&reader->source, 3) != NULL && memcmp(reader->source.at, "!--", 3) == 0;
    for (int c, before[2] = { 0, 0 }; (c = sourceNext(&reader->source)) >= 0; before[0] = before[1], before[1] = c)
    {
        if (c == '>' && (!comment || (before[0] == '-' && before[1] == '-')))
            return true;
    }
    return readerEndFault(reader);
}

bool xmlTag(Reader *reader, XmlTag *tag)
{
    for (;;)
    {
        int c;
        while ((c = sourceNext(&reader->source)) >= 0 && c != '<')
            continue;
        if (c < 0)
            return readerEndFault(reader);
        if (sourcePeek(&reader->source) != '?' && sourcePeek(&reader->source) != '!')
            break;
        if (!skipRemark(reader))
            return false;
    }
    tag->attributes = 0;
    tag->name[0] = (char)sourcePeek(&reader->source);
    if (sourceNext(&reader->source) < 0)
        return readerEndFault(reader);
    char rest[XML_WORD];
    if (!readUntil(reader, " \t\r\n>/", rest))
        return false;
    snprintf(tag->name + 1, sizeof tag->name - 1, "%.*s", XML_WORD - 2, rest);
    for (;;)
    {
        xmlSkipSpace(reader);
        int c = sourcePeek(&reader->source);
        if (c < 0)
            return readerEndFault(reader);
        tag->empty = c == '/';
        if (c == '/' || c == '>')
        {
            sourceNext(&reader->source);
            return c == '>' || sourceNext(&reader->source) == '>' ||
                   readerFault(reader, "repair the tag", "a '/' is no end of a tag");
        }
        if (!readAttribute(reader, tag))
            return false;
    }
}

const char *xmlAttribute(const XmlTag *tag, const char *key, const char *otherwise)
{
    for (int i = 0; i < tag->attributes; ++i)
    {
        if (strcmp(tag->key[i], key) == 0)
            return tag->value[i];
    }
    return otherwise;
}

bool xmlWhole(Reader *reader, const XmlTag *tag, const char *key, long long most, long long *value)
{
    const char *text = xmlAttribute(tag, key, "");
    *value = 0;
    for (const char *c = text; *c >= '0' && *c <= '9' && c - text < 18; ++c)
        *value = 10 * *value + (*c - '0');
    if (text[0] < '0' || text[0] > '9' || *value > most)
        return readerFault(reader, "repair the tag, or split the mesh", "%s of '%.24s' is '%.24s', must be 0 to %lld",
                           key, tag->name, text, most);
    return true;
}
