// Text of others (names, paths, words of files) as it may stand on a terminal.
#include "base/base.h"

int utf8Length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    int length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                               : 0;
    for (int i = 1; i < length; ++i)
    {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    }
    // overlong forms, surrogates and numbers beyond the last
    bool bad = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
               (c[0] == 0xf4 && c[1] > 0x8f);
    return bad ? 0 : length;
}

bool utf8IsControl(const char *text, int length)
{
    const unsigned char *c = (const unsigned char *)text;
    if (length <= 1)
        return length == 0 || c[0] < 0x20 || c[0] == 0x7f;
    if (length == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    return length == 3 && c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) || (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

void textPlain(char *text)
{
    while (*text != 0)
    {
        int length = utf8Length(text);
        bool control = utf8IsControl(text, length);
        for (int i = maxInt(length, 1); i > 0; --i, ++text)
            *text = control ? '?' : *text;
    }
}
