// A word among the words of a setting; apart from the lists of words, so that the studio can have it alone.
#include "world/world.h"

#include <string.h>

vvResult findWord(const char *what, const char *word, const char *(*nameAt)(int), int *found)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && nameAt(count) != NULL)
    {
        names[count] = nameAt(count);
        count += 1;
    }
    for (int i = 0; word != NULL && i < count; ++i)
    {
        if (strcmp(word, names[i]) == 0)
        {
            *found = i;
            return resultOk();
        }
    }
    char remedy[152] = "did you mean ";
    const char *nearest = nearestWord(word ? word : "", names, count);
    strncat(remedy, nearest, sizeof remedy - strlen(remedy) - 1);
    return resultMake(VV_BAD_INPUT, remedy, "there is no %s '%.60s'", what, word ? word : "(null)");
}

int indexOf(const char *word, const char *(*nameAt)(int))
{
    int found = 0;
    findWord("word", word, nameAt, &found);
    return found;
}
