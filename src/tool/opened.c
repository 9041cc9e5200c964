// The scene that commands about one scene work on: check, advise, calibrate.
#include "scene/scene.h"
#include "tool/tool.h"

#include <string.h>

Scene *openScene(const Command *command, const Words *words, OpenedScene *opened, int *code)
{
    *code = EXIT_BAD_INPUT;
    if (words->count != 1)
    {
        fprintf(stderr, "verve %s: takes one scene, was given %d; %s\n", command->name, words->count, command->example);
        return NULL;
    }
    opened->setCount = 0;
    opened->anywhere = wordsHas(words, "--allow-outside");
    for (int i = 0; i < words->optionCount; ++i)
    {
        if (strcmp(words->option[i].name, "--set") == 0)
            opened->sets[opened->setCount++] = words->option[i].value;
    }
    vvResult result;
    sceneFind(words->plain[0], opened->path, sizeof opened->path);
    Scene *scene = sceneRead(opened->path, opened->anywhere, opened->sets, opened->setCount, &result);
    if (scene == NULL)
        *code = complain(command, &result);
    return scene;
}
