// The scene that commands about one scene work on: check, advise, calibrate.
#include "scene/scene.h"
#include "tool/tool.h"

#include <string.h>

// NULL after saying what is wrong: `code` is the exit code
static Scene *openScene(const Command *command, const Words *words, OpenedScene *opened, int *code)
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

int runOnScene(const Command *command, int count, char **words, SceneWork work)
{
    Words read;
    int code = wordsRead(command, count, words, &read);
    if (code >= 0)
        return code;
    OpenedScene opened;
    Scene *scene = openScene(command, &read, &opened, &code);
    if (scene == NULL)
        return code;
    code = work(&read, scene, &opened);
    sceneDestroy(scene);
    return code;
}
