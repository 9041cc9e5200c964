// verve export: a record in another format, from the frames that are in its folder.
#include "tool/render.h"

#include "base/base.h"
#include "record/replay.h"

#include <string.h>

#define MOST_KEYS_ASKED 4000 // the file has so many squared numbers for every body

static int exportFolder(const Words *words, const char *folder)
{
    Memory memory = memoryMake(NULL);
    Run run = { 0 };
    int keys = 0;
    double within = 0;
    const char *formats = wordsGet(words, "--format");
    int left = wordsInt(words, "--keys", 2, MOST_KEYS_ASKED, &keys);
    if (left >= 0)
        return left;
    formats = formats != NULL ? formats : "glb";
    vvResult result = runOpen(&run, &memory, folder);
    int frames = result.code == VV_OK ? run.frameCount : 0;
    if (result.code == VV_OK)
        result = replayExport(run.replay, formats, run.timestep, &keys, &within);
    runClose(&run);
    if (result.code != VV_OK)
        return complain(&exportCommand, &result);
    printf("%s: %d frames as %s", shown(folder), frames, shown(formats));
    if (within > 0)
        printf(", an animation of %d keys within %.2g m of them", keys, within);
    printf("\n");
    if (keys > FEW_KEYS && !wordsHas(words, "--keys"))
        printf("note: some phones hold %d keys only; --keys %d makes a file for them that is less exact\n", FEW_KEYS,
               FEW_KEYS);
    return EXIT_DONE;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&exportCommand, count, words, &read);
    if (left >= 0)
        return left;
    if (read.count != 1)
    {
        fprintf(stderr, "verve export: takes the folder of one record, was given %d; %s\n", read.count,
                exportCommand.example);
        return EXIT_BAD_INPUT;
    }
    return exportFolder(&read, read.plain[0]);
}

static const Option options[] = {
    { "--format", "F,F", "glb, mdd, usda (of rigid bodies and fluids); default glb" },
    { "--keys", "N",
      "glb: key frames of a body at most, 2 to 4000; default: 240, which every browser plays, or up to 900 where "
      "frames between them, which are interpolated, would be off by more than 1/1000 of the body's size" },
};

const Command exportCommand = {
    .name = "export",
    .summary = "write a record as glTF (glb) or as MDD point caches",
    .usage = "DIR",
    .about =
        "Writes the frames of a record, its point caches (pc2) or OBJ files, in a format that needs all frames at\n"
        "once: glb, a glTF file that browsers and Blender play, mdd, point caches, and usda, the layers of rigid\n"
        "bodies and fluids. 'verve run --format glb' does the same at its end; this is for runs that were killed,\n"
        "and for records that are there already.",
    .example = "verve export swing --format glb",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
