// Any bytes as a scene: refused with a reason, or understood; and what was understood reads back as the same text.
// Nothing is built, so no input can ask for a monster.
// rooms: base mesh scene
#include "scene/scene.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// the bytes up to the first zero are the scene, the rest is a --set
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    const char *set = length + 1 < size ? text + length + 1 : NULL;
    vvResult result;
    Scene *scene = sceneParse(text, length, "/", &set, set != NULL, &result);
    if (scene == NULL && (result.code != VV_BAD_INPUT || strlen(result.message) == 0 || strlen(result.remedy) == 0))
        abort();
    if (scene != NULL)
    {
        char *first = sceneText(scene);
        Scene *again = sceneParse(first, strlen(first), "/", NULL, 0, &result);
        char *second = again ? sceneText(again) : NULL;
        if (second == NULL || strcmp(first, second) != 0)
            abort();
        sceneFreeText(first);
        sceneFreeText(second);
        sceneDestroy(again);
    }
    sceneDestroy(scene);
    free(text);
    return 0;
}
