// verve scenes: the shipped scenes, and what a scene file may say.
#include "tool/tool.h"

#include "base/base.h"
#include "base/system.h"
#include "scene/scene.h"

#include <verve/studio.h>

#define PATH_SIZE 4096
#define NAME_SIZE 256

// name, vertices and description of one scene; a file that is not one says so in its line
static int printScene(const char *folder, const char *name)
{
    char path[PATH_SIZE + NAME_SIZE];
    vvResult result;
    snprintf(path, sizeof path, "%.*s/%s.json", PATH_SIZE - 16, folder, name);
    vvSceneDef def = vvDefaultSceneDef();
    def.file = path;
    vvScene *scene = vvCreateScene(&def, &result);
    vvSceneWorld *built = scene ? vvCreateSceneWorld(scene, NULL, &result) : NULL;
    if (built == NULL)
    {
        printf("%-16s  %s\n", shown(name), shown(result.message));
        vvDestroyScene(scene);
        return EXIT_BAD_INPUT;
    }
    vvStatistics counts = vvWorld_GetStatistics(vvSceneWorld_GetWorld(built));
    printf("%-16s  %d %-6s %5d vertices  %s\n", shown(name), counts.bodyCount,
           counts.bodyCount == 1 ? "body" : "bodies", counts.vertexCount, shown(vvScene_GetDescription(scene)));
    vvDestroySceneWorld(built);
    vvDestroyScene(scene);
    return EXIT_DONE;
}

static int list(const char *folder)
{
    if (systemStatus(folder).kind != FILE_FOLDER)
    {
        fprintf(stderr, "verve scenes: the folder %s cannot be read; --folder names another\n", shown(folder));
        return EXIT_INPUT_OUTPUT;
    }
    char name[NAME_SIZE];
    int code = EXIT_DONE;
    for (int i = 0; vvGetSceneName(folder, i, name, sizeof name); ++i)
    {
        int left = printScene(folder, name);
        code = maxInt(code, left);
    }
    printf("in %s; run one by its name: verve run %s\n", shown(folder), "swing");
    return code;
}

static int printText(char *text)
{
    if (text == NULL)
    {
        vvResult result = resultOutOfMemory("the text");
        return complain(&scenesCommand, &result);
    }
    fputs(text, stdout);
    sceneFreeText(text);
    return EXIT_DONE;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&scenesCommand, count, words, &read);
    if (left >= 0)
        return left;
    if (read.count > 0)
    {
        fprintf(stderr, "verve scenes: takes no words, was given '%s'; verve check %s reports on one scene\n",
                shown(read.plain[0]), shown(read.plain[0]));
        return EXIT_BAD_INPUT;
    }
    if (wordsHas(&read, "--schema"))
        return printText(sceneSchema(NULL));
    if (wordsHas(&read, "--keys"))
        return printText(sceneKeys());
    char folder[PATH_SIZE];
    if (wordsHas(&read, "--folder"))
        return list(wordsGet(&read, "--folder"));
    if (vvFindSceneFolder(folder, sizeof folder))
        return list(folder);
    fprintf(stderr, "verve scenes: no shipped scenes were found; name their folder by --folder or VERVE_SCENES\n");
    return EXIT_INPUT_OUTPUT;
}

static const Option options[] = {
    { "--folder", "DIR", "the scenes of this folder; default: VERVE_SCENES, or those shipped with the program" },
    { "--schema", NULL, "print the JSON Schema of scene files" },
    { "--keys", NULL, "print every key of the format as Markdown" },
};

const Command scenesCommand = {
    .name = "scenes",
    .summary = "list the shipped scenes and the keys of the format",
    .usage = "",
    .about = "Lists the shipped scenes, or prints the keys of a scene file: as a JSON Schema for editors, or as text.",
    .example = "verve scenes --schema",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
