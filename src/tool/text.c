// Text of others in what the tool prints. Everything that a scene, a file or the command line names goes through here.
#include "tool/tool.h"

#include "base/base.h"

#include <string.h>

#define SHOWN_SIZE 4200
#define SHOWN_TEXTS 4

const char *shown(const char *text)
{
    static char texts[SHOWN_TEXTS][SHOWN_SIZE];
    static int next;
    char *copy = texts[next++ % SHOWN_TEXTS];
    snprintf(copy, SHOWN_SIZE, "%s", text);
    textPlain(copy);
    return copy;
}

// at most three bytes, as all control characters are
static void printEscape(FILE *out, const char *text, int length)
{
    unsigned first = (unsigned char)text[0], code = length == 1 ? first : length == 2 ? first & 0x1f : first & 0x0f;
    for (int i = 1; i < length; ++i)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    fprintf(out, "\\u%04x", code);
}

void printJsonString(FILE *out, const char *text)
{
    fputc('"', out);
    for (int length; *text != 0; text += maxInt(length, 1))
    {
        length = utf8Length(text);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (length == 0)
            fprintf(out, "\\ufffd"); // a byte that is no text: JSON has no place for it
        else if (utf8IsControl(text, length))
            printEscape(out, text, length);
        else
            fwrite(text, 1, (size_t)length, out);
    }
    fputc('"', out);
}
