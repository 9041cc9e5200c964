// verve render: recorded runs as pictures and movies.
#include "tool/render.h"

#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

static const Option options[] = {
    { "--out", "FILE",
      "required: .gif and .mp4 are movies, .html plays in a browser, .png is a strip of frames, %04d.png a picture "
      "each" },
    { "--size", "WxH",
      "pixels of the whole picture; default 960x540, for stills of several panels as high as their content" },
    { "--from", "F", "first frame, default 0" },
    { "--to", "F", "last frame, default the last recorded one" },
    { "--every", "N",
      "every Nth frame; default: up to 25 a second in a .gif, 30 in a .html, 60 in a .mp4, all as pictures" },
    { "--fps", "N", "frames of the movie per second; default: real time" },
    { "--colour", "WORD", "plain (default), strain or speed" },
    { "--label", "TEXT", "title of a panel, one per DIR; default: the method, or \"rigid bodies\", \"fluid\"" },
    { "--eye", "X,Y,Z",
      "m, position of the camera; default: in the scene's direction, at a distance that shows everything that moves" },
    { "--target", "X,Y,Z", "m, the point it looks at; default: the middle of the bodies" },
    { "--fov", "D", "vertical field of view in degrees, 1 to 150; default 35" },
    { "--trail", "WHICH",
      "draws the path of a vertex up to the frame: its number, several as 0,5, BODY:0,5 of a body, or all; may be "
      "repeated" },
    { "--curves", NULL, "energy over time below the picture, from the ledger" },
    { "--particles", NULL, "of fluids, as balls; default: their surface" },
    { "--columns", "N", "1 to 12: with one run, frames in a strip; with several, runs in a row at the frame of --to" },
    { "--json", NULL, "report what was written as JSON" },
};

// "1,2.5,-3"; -1 to go on, or the exit code
static int readPoint(const Words *words, const char *option, Vec3 *point, bool *given)
{
    const char *text = wordsGet(words, option), *at = text;
    double value[3];
    if (text == NULL)
        return -1;
    bool good = true;
    for (int i = 0; i < 3 && good; ++i)
    {
        at = decimalRead(at, &value[i]);
        good = at != NULL && *at == (i < 2 ? ',' : '\0') && isfinite(value[i]);
        at = good && i < 2 ? at + 1 : at;
    }
    if (!good)
    {
        fprintf(stderr, "verve render: %s is '%s', must be three numbers like 1,2.5,-3\n", option, shown(text));
        return EXIT_BAD_INPUT;
    }
    *point = vecLoad(value);
    *given = true;
    return -1;
}

static int readSize(const Words *words, Job *job)
{
    const char *text = wordsGet(words, "--size");
    if (text == NULL)
        return -1;
    char *end = NULL;
    long width = strtol(text, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end != '\0' || width < 16 || height < 16 || width > MOST_PIXELS || height > MOST_PIXELS)
    {
        fprintf(stderr, "verve render: --size is '%s', must be WxH with sides from 16 to %d, such as 960x540\n",
                shown(text), MOST_PIXELS);
        return EXIT_BAD_INPUT;
    }
    job->width = (int)width;
    job->height = (int)height;
    return -1;
}

static int readColour(const Words *words, Job *job)
{
    static const char *const names[] = { "plain", "strain", "speed" };
    const char *text = wordsGet(words, "--colour");
    for (int i = 0; i < 3 && text != NULL; ++i)
    {
        if (strcmp(text, names[i]) == 0)
        {
            job->look.colouring = (vvColouring)i;
            return -1;
        }
    }
    if (text == NULL)
        return -1;
    fprintf(stderr, "verve render: --colour is '%s', must be plain, strain or speed; did you mean %s?\n", shown(text),
            nearestWord(text, names, 3));
    return EXIT_BAD_INPUT;
}

static int unknownEnding(const char *out)
{
    static const char *const endings[] = { ".gif", ".mp4", ".png", ".html" };
    const char *dot = strrchr(out, '.');
    fprintf(stderr, "verve render: --out is '%s', must end in .gif, .mp4, .html or .png", shown(out));
    if (dot != NULL && strpbrk(dot, "/\\") == NULL)
        fprintf(stderr, "; did you mean %s?", nearestWord(dot, endings, 4));
    fprintf(stderr, "\n");
    return EXIT_BAD_INPUT;
}

static int readOut(const Words *words, Job *job)
{
    job->out = wordsGet(words, "--out");
    if (words->count < 1 || words->count > MOST_RUNS)
    {
        fprintf(stderr, "verve render: %d folders, must be 1 to %d; 'verve run SCENE --out DIR' records one\n",
                words->count, MOST_RUNS);
        return EXIT_BAD_INPUT;
    }
    if (job->out == NULL)
    {
        fprintf(stderr, "verve render: --out is missing: %s\n", renderCommand.example);
        return EXIT_BAD_INPUT;
    }
    if (movieEnding(job->out) == ENDING_NONE)
        return unknownEnding(job->out);
    if (strlen(job->out) > 1000)
    {
        fprintf(stderr, "verve render: --out has %zu letters, at most 1000\n", strlen(job->out));
        return EXIT_BAD_INPUT;
    }
    return -1;
}

static int readWords(const Words *words, Job *job)
{
    int left = readOut(words, job);
    job->to = -1;
    left = left < 0 ? readSize(words, job) : left;
    left = left < 0 ? readColour(words, job) : left;
    left = left < 0 ? readPoint(words, "--eye", &job->look.camera.eye, &job->hasEye) : left;
    left = left < 0 ? readPoint(words, "--target", &job->look.camera.target, &job->hasTarget) : left;
    left = left < 0 ? wordsReal(words, "--fov", 1, 150, &job->look.camera.fieldOfView) : left;
    left = left < 0 ? wordsInt(words, "--from", 0, INT32_MAX, &job->from) : left;
    left = left < 0 ? wordsInt(words, "--to", 0, INT32_MAX, &job->to) : left;
    left = left < 0 ? wordsInt(words, "--every", 1, 1000000, &job->every) : left;
    left = left < 0 ? wordsInt(words, "--columns", 1, MOST_COLUMNS, &job->columns) : left;
    left = left < 0 ? wordsReal(words, "--fps", 0.01, 1000, &job->fps) : left;
    job->look.curves = wordsHas(words, "--curves");
    job->look.particles = wordsHas(words, "--particles");
    return left;
}

static void nameRuns(const Words *words, Job *job)
{
    for (int i = 0, run = 0; i < words->optionCount && run < job->runCount; ++i)
    {
        if (strcmp(words->option[i].name, "--label") == 0)
            snprintf(job->run[run].label, sizeof job->run[run].label, "%s", words->option[i].value), ++run;
    }
}

static vvResult openRuns(const Words *words, Job *job)
{
    vvResult result = resultOk();
    int frames = 0;
    for (int i = 0; i < words->count && result.code == VV_OK; ++i)
    {
        job->runCount = i + 1;
        result = recordFind(words->plain[i]);
        if (result.code == VV_OK)
            result = runOpen(&job->run[i], &job->memory, words->plain[i]);
        bool page = movieEnding(job->out) == ENDING_HTML; // which shows a ledger where there is one
        vvResult ledger = resultOk();
        if (result.code == VV_OK && (job->look.curves || page))
            ledger = ledgerRead(&job->memory, job->run[i].ledgerFile, &job->run[i].ledger);
        result = job->look.curves && ledger.code != VV_OK ? ledger : result;
        if (result.code == VV_OK && wordsHas(words, "--trail") && page)
            result = resultMake(VV_BAD_INPUT, "write a .png, .gif or .mp4", "--trail is for pictures, not for a page");
        if (result.code == VV_OK)
            result = trailsOpen(&job->run[i], words);
        frames = maxInt(frames, job->run[i].frameCount);
    }
    if (result.code != VV_OK)
        return result;
    nameRuns(words, job);
    job->to = job->to < 0 ? frames - 1 : job->to;
    if (job->from > job->to || job->to >= frames)
        return resultMake(VV_BAD_INPUT, "choose frames that were recorded",
                          "frames %d to %d of a run with frames 0 to %d", job->from, job->to, frames - 1);
    return result;
}

static void report(const Words *words, const Job *job)
{
    if (!wordsHas(words, "--json"))
    {
        if (movieEnding(job->out) == ENDING_HTML)
            printf("%s: a page of %d frames, %.1f kB; open it in a browser\n", shown(job->out), job->written,
                   (double)job->bytes / 1000);
        else
            printf("%s: %d picture%s of %d x %d, %.1f kB\n", shown(job->out), job->written,
                   job->written == 1 ? "" : "s", job->width, job->height, (double)job->bytes / 1000);
        return;
    }
    printf("{\"out\": ");
    printJsonString(stdout, job->out);
    printf(", \"pictures\": %d, \"width\": %d, \"height\": %d, \"bytes\": %lld}\n", job->written, job->width,
           job->height, job->bytes);
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&renderCommand, count, words, &read);
    if (left >= 0)
        return left;
    Job *job = calloc(1, sizeof *job);
    if (job == NULL)
    {
        vvResult none = resultOutOfMemory("the job");
        return complain(&renderCommand, &none);
    }
    job->memory = memoryMake(NULL);
    left = readWords(&read, job);
    if (left < 0)
    {
        vvResult result = movieReady(job->out);
        if (result.code == VV_OK)
            result = openRuns(&read, job);
        if (result.code == VV_OK)
            result = movieWrite(job);
        if (result.code == VV_OK)
            report(&read, job);
        left = result.code == VV_OK ? EXIT_DONE : complain(&renderCommand, &result);
    }
    for (int i = 0; i < job->runCount; ++i)
        runClose(&job->run[i]);
    free(job);
    return left;
}

const Command renderCommand = {
    .name = "render",
    .summary = "draw recorded runs as pictures and movies",
    .usage = "DIR [DIR ...] --out FILE",
    .about =
        "Draws what 'verve run SCENE --out DIR' or a recorder wrote as PC2 or OBJ; no display is needed. Several\n"
        "folders are drawn side by side, each labelled with its method. A .html is one file that plays the frames in\n"
        "any browser, offline, with a camera to turn and the curves of the ledger. A .mp4 needs the program ffmpeg;\n"
        ".png and .gif need a build with libpng and giflib.",
    .example = "verve render out/stabilized out/backward-euler --out swing.gif --curves",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
