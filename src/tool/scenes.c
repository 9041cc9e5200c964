// verve scenes: the shipped scenes, and what a scene file may say.
#include "tool/tool.h"

#include "base/base.h"
#include "base/system.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define MOST_SCENES 512

typedef struct Listing
{
    char *name[MOST_SCENES]; // count, without ".json"
    int count;
} Listing;

static int byName(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void addName(Listing *listing, const char *file)
{
    size_t length = strlen(file);
    bool scene = length > 5 && strcmp(file + length - 5, ".json") == 0 && file[0] != '.';
    if (!scene || strcmp(file, "verve.schema.json") == 0 || listing->count == MOST_SCENES)
        return;
    char *name = calloc(1, length);
    if (name == NULL)
        return;
    memcpy(name, file, length - 5);
    listing->name[listing->count++] = name;
}

// name, vertices and description of one scene; a file that is not one says so in its line
static int printScene(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    vvResult result;
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    Scene *scene = sceneRead(path, false, NULL, 0, &result);
    SceneWorld *built = scene ? sceneBuild(scene, NULL, &result) : NULL;
    if (built == NULL)
    {
        printf("%-16s  %s\n", shown(name), shown(result.message));
        sceneDestroy(scene);
        return EXIT_BAD_INPUT;
    }
    vvStatistics counts = vvWorld_GetStatistics(sceneWorldId(built));
    printf("%-16s  %d %-6s %5d vertices  %s\n", shown(name), counts.bodyCount,
           counts.bodyCount == 1 ? "body" : "bodies", counts.vertexCount, shown(sceneDescription(scene)));
    sceneRelease(built);
    sceneDestroy(scene);
    return EXIT_DONE;
}

static int list(const char *folder)
{
    FolderList *files = folderListOpen(folder);
    if (files == NULL)
    {
        fprintf(stderr, "verve scenes: the folder %s cannot be read; --folder names another\n", shown(folder));
        return EXIT_INPUT_OUTPUT;
    }
    Listing listing = { .count = 0 };
    for (const char *name; (name = folderListNext(files)) != NULL;)
        addName(&listing, name);
    folderListClose(files);
    qsort(listing.name, (size_t)listing.count, sizeof listing.name[0], byName);
    int code = EXIT_DONE;
    for (int i = 0; i < listing.count; ++i)
    {
        int left = printScene(folder, listing.name[i]);
        code = maxInt(code, left);
        free(listing.name[i]);
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
    if (sceneLibrary(0, folder, sizeof folder))
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
