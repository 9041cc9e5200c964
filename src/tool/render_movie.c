// Pictures to files: a strip, a picture each, or a movie. A file has its name only when it is complete.
#include "tool/player.h"

#include "base/system.h"

#include <errno.h>
#include <string.h>

#define PATH_SIZE 1200
#define PALETTE_PICTURES 6 // of a movie, to find its colours
#define STRIP_FRAMES 4
#define STILL_WIDTH 1280 // pixels
#define GRID_PANEL 480   // pixels: width of a panel in a grid of one or two columns
#define LEAST_PANEL 240  // pixels: height of a panel
#define MOST_PANEL 480   //
#define NARROWEST 0.8    // width / height of a panel
#define WIDEST 2         //

Ending movieEnding(const char *out)
{
    const char *dot = strrchr(out, '.');
    if (dot == NULL)
        return ENDING_NONE;
    if (strcmp(dot, ".gif") == 0)
        return ENDING_GIF;
    if (strcmp(dot, ".mp4") == 0)
        return ENDING_MP4;
    if (strcmp(dot, ".html") == 0)
        return ENDING_HTML;
    if (strcmp(dot, ".png") != 0)
        return ENDING_NONE;
    return strchr(out, '%') != NULL ? ENDING_PNG_EACH : ENDING_PNG;
}

// ---- where things are in a picture ----------------------------------------------------------------------------------

typedef struct Layout
{
    int columns, rows;
    int panelsHeight; // what the curves leave
    Rect curves;
} Layout;

static Layout layoutMake(const Job *job, int columns, int rows)
{
    int curves = job->look.curves ? maxInt(minInt(job->height * 3 / 10, 240), minInt(job->height / 2, 180)) : 0;
    return (Layout){ columns, rows, job->height - curves, (Rect){ 0, job->height - curves, job->width, curves } };
}

static Rect panelRect(const Job *job, const Layout *layout, int column, int row)
{
    // a thin line of paper between panels
    int gap = 2, left = job->width * column / layout->columns, right = job->width * (column + 1) / layout->columns;
    int top = layout->panelsHeight * row / layout->rows, bottom = layout->panelsHeight * (row + 1) / layout->rows;
    return (Rect){ left + (column > 0 ? gap : 0), top + (row > 0 ? gap : 0), right - left - (column > 0 ? gap : 0),
                   bottom - top - (row > 0 ? gap : 0) };
}

// a still of several runs: each in a panel of its own, at the last frame
static bool isGrid(const Job *job)
{
    return movieEnding(job->out) != ENDING_PNG ||
           (job->runCount > 1 && job->every == 0 && (job->columns > 0 || job->from == job->to));
}

// N runs in C columns: as many rows as it takes
static Layout gridLayout(const Job *job)
{
    int columns = job->columns > 0     ? minInt(job->columns, job->runCount)
                  : job->runCount <= 3 ? job->runCount
                  : job->runCount == 4 ? 2
                                       : 3;
    return layoutMake(job, columns, (job->runCount + columns - 1) / columns);
}

static double shapeOf(const Job *job, const Layout *layout)
{
    Rect rect = panelRect(job, layout, 0, 0);
    return rect.height > 0 ? (double)rect.width / rect.height : 1;
}

// ---- one picture ----------------------------------------------------------------------------------------------------

static vvResult drawOne(Job *job, Stage *stage, Picture *picture, const Layout *layout, int run, int frame, Rect rect)
{
    vvResult result = runLoad(&job->run[run], frame, job->look.colouring);
    if (result.code == VV_OK)
        result = panelDraw(&job->run[run], &job->look, stage, picture, rect, frame);
    if (result.code == VV_OK && job->look.colouring != VV_COLOUR_PLAIN && rect.x == 0 &&
        rect.y + rect.height >= layout->panelsHeight)
        panelScale(&job->look, picture, rect);
    return result;
}

static vvResult drawFrame(Job *job, Stage *stage, Picture *picture, int frame)
{
    Layout layout = gridLayout(job);
    vvResult result = resultOk();
    pictureFill(picture, (Rect){ 0, 0, picture->width, picture->height }, colourHex(0xFBFBFA), 1);
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        result = drawOne(job, stage, picture, &layout, i, frame,
                         panelRect(job, &layout, i % layout.columns, i / layout.columns));
    if (job->look.curves && result.code == VV_OK)
        panelCurves(job->run, job->runCount, picture, layout.curves, frame * job->run[0].timestep);
    return result;
}

static vvResult drawStrip(Job *job, Stage *stage, Picture *picture, const Layout *layout)
{
    vvResult result = resultOk();
    pictureFill(picture, (Rect){ 0, 0, picture->width, picture->height }, colourHex(0xFBFBFA), 1);
    for (int i = 0; i < layout->columns * layout->rows && result.code == VV_OK; ++i)
    {
        int column = i % layout->columns, row = i / layout->columns;
        result = drawOne(job, stage, picture, layout, row, jobFrame(job, column), panelRect(job, layout, column, row));
    }
    if (job->look.curves && result.code == VV_OK)
        panelCurves(job->run, job->runCount, picture, layout->curves, NAN);
    return result;
}

// ---- files ----------------------------------------------------------------------------------------------------------

static vvResult cannotWrite(const char *path)
{
    return resultMake(VV_INPUT_OUTPUT, "check the folder, its permissions and the room on the disk",
                      "cannot write '%.120s': %s", path, errno != 0 ? strerror(errno) : "the disk is full");
}

static void temporaryName(char temporary[PATH_SIZE], const char *path)
{
    snprintf(temporary, PATH_SIZE, "%.1100s.part", path);
}

// the temporary gets its name, or goes away; either way it is closed
static vvResult settle(Job *job, FILE *file, const char *path, vvResult result)
{
    char temporary[PATH_SIZE];
    temporaryName(temporary, path);
    errno = 0;
    if (file != NULL)
    {
        bool bad = fflush(file) != 0;
        long size = ftell(file);
        bad = fclose(file) != 0 || bad;
        job->bytes += size > 0 ? size : 0;
        if (bad && result.code == VV_OK)
            result = cannotWrite(path);
    }
    if (result.code == VV_OK && systemRename(temporary, path) != 0)
        result = cannotWrite(path);
    if (result.code != VV_OK)
        systemRemove(temporary);
    return result;
}

static FILE *openTemporary(const char *path, vvResult *result)
{
    char temporary[PATH_SIZE];
    temporaryName(temporary, path);
    errno = 0;
    int handle = partOpen(temporary);
    FILE *file = handle >= 0 ? systemStreamOf(handle, FILE_TO_MAKE) : NULL;
    if (file == NULL)
        *result = cannotWrite(path);
    return file;
}

static vvResult writePng(Job *job, const Picture *picture, const char *path)
{
    vvResult result = resultOk();
    FILE *file = openTemporary(path, &result);
    if (file == NULL)
        return result;
    result = settle(job, file, path, pngWrite(picture, file));
    job->written += result.code == VV_OK;
    return result;
}

// "a%04d.png" and 7: "a0007.png"; false: the name has no such place, or more than one
static bool numberName(char out[PATH_SIZE], const char *pattern, int number)
{
    const char *percent = strchr(pattern, '%'), *d = percent + 1;
    int digits = 0;
    for (; *d >= '0' && *d <= '9'; ++d)
        digits = minInt(10 * digits + (*d - '0'), 99);
    if (*d != 'd' || digits > 9 || strchr(d, '%') != NULL)
        return false;
    return snprintf(out, PATH_SIZE, "%.*s%0*d%s", (int)(percent - pattern), pattern, maxInt(digits, 1), number, d + 1) <
           PATH_SIZE - 8;
}

// ---- endings --------------------------------------------------------------------------------------------------------

static int stripColumns(const Job *job)
{
    int span = job->to - job->from, columns = job->columns > 0 ? job->columns : STRIP_FRAMES;
    columns = minInt(minInt(columns, span + 1), MOST_COLUMNS);
    if (job->every > 0)
        columns = minInt(MOST_COLUMNS, span / job->every + 1);
    return columns;
}

static Layout layoutOf(const Job *job)
{
    return isGrid(job) ? gridLayout(job) : layoutMake(job, stripColumns(job), job->runCount);
}

// Where the caller leaves the size open, a still is as high as what is seen fills its panels, within limits.
static void chooseSize(Job *job, double shape)
{
    if (job->width > 0)
        return;
    Layout layout = layoutOf(job);
    bool single = layout.columns * layout.rows == 1;
    job->width = 960;
    job->height = 540;
    if (movieEnding(job->out) != ENDING_PNG || single)
        return;
    job->width = isGrid(job) && layout.columns < 3 ? GRID_PANEL * layout.columns : STILL_WIDTH;
    double panel = (double)job->width / layout.columns, high = panel / minReal(maxReal(shape, NARROWEST), WIDEST);
    high = minReal(maxReal(high, LEAST_PANEL), MOST_PANEL);
    job->height = minInt((int)(high * layout.rows) + (job->look.curves ? 180 : 0), MOST_PIXELS);
}

int jobFrame(const Job *job, int index)
{
    return minInt(job->from + (int)(index * job->stride + 0.5), job->to);
}

// the frames that are drawn, or enough of them to see where everything goes
static void chooseFrames(Job *job)
{
    bool still = movieEnding(job->out) == ENDING_PNG;
    if (still && isGrid(job))
        job->from = job->to;
    int span = job->to - job->from, columns = stripColumns(job);
    job->strides = still ? columns - 1 : minInt(span, FRAMES_SAMPLED);
    job->stride = still && job->every > 0 ? job->every : (double)span / maxInt(job->strides, 1);
}

static vvResult writeStrip(Job *job, Stage *stage, Picture *picture)
{
    Layout layout = layoutOf(job);
    vvResult result = isGrid(job) ? drawFrame(job, stage, picture, job->to) : drawStrip(job, stage, picture, &layout);
    return result.code == VV_OK ? writePng(job, picture, job->out) : result;
}

static vvResult writeEach(Job *job, Stage *stage, Picture *picture)
{
    char path[PATH_SIZE];
    vvResult result = resultOk();
    if (!numberName(path, job->out, 0))
        return resultMake(VV_BAD_INPUT, "name the pictures like frame%04d.png", "'%.120s' has no single %%d", job->out);
    for (int frame = job->from; frame <= job->to && result.code == VV_OK; frame += maxInt(job->every, 1))
    {
        numberName(path, job->out, frame);
        result = drawFrame(job, stage, picture, frame);
        if (result.code == VV_OK)
            result = writePng(job, picture, path);
    }
    return result;
}

// frames between pictures and s between them; at most `most` pictures a second unless the caller says otherwise
static double pace(const Job *job, double most, int *every)
{
    double timestep = job->run[0].timestep;
    *every = job->every > 0 ? job->every : maxInt(1, (int)(1 / (most * timestep) + 0.5));
    return job->fps > 0 ? 1 / job->fps : *every * timestep;
}

static vvResult writeGif(Job *job, Stage *stage, Picture *picture)
{
    int every;
    double period = pace(job, 25, &every);
    vvResult result = resultOk();
    Gif *gif = gifCreate(&job->memory, job->width, job->height);
    if (gif == NULL)
        return resultOutOfMemory("a GIF");
    for (int i = 0; i < PALETTE_PICTURES && result.code == VV_OK; ++i)
    {
        result = drawFrame(job, stage, picture,
                           job->from + (int)((double)(job->to - job->from) * i / (PALETTE_PICTURES - 1)));
        gifSample(gif, picture);
    }
    FILE *file = result.code == VV_OK ? openTemporary(job->out, &result) : NULL;
    if (file != NULL)
        result = gifStart(gif, file, period);
    for (int frame = job->from; frame <= job->to && result.code == VV_OK; frame += every)
    {
        result = drawFrame(job, stage, picture, frame);
        if (result.code == VV_OK)
            result = gifFrame(gif, picture);
        job->written += result.code == VV_OK;
    }
    if (result.code == VV_OK)
        result = gifFinish(gif);
    gifDestroy(gif);
    return file != NULL ? settle(job, file, job->out, result) : result;
}

static vvResult writeMp4(Job *job, Stage *stage, Picture *picture)
{
    int every;
    double period = pace(job, 60, &every);
    char temporary[PATH_SIZE];
    vvResult result = resultOk();
    if (job->width % 2 != 0 || job->height % 2 != 0)
        return resultMake(VV_BAD_INPUT, "use even numbers, such as 960x540", "an mp4 of %d x %d pixels", job->width,
                          job->height);
    FILE *empty = openTemporary(job->out, &result); // ffmpeg finds a file that is ours, not a link
    if (empty == NULL)
        return result;
    fclose(empty);
    temporaryName(temporary, job->out);
    Pipe *pipe = pipeOpen(&job->memory, temporary, job->width, job->height, 1 / period, &result);
    if (pipe == NULL)
        return settle(job, NULL, job->out, result);
    bool flows = true;
    for (int frame = job->from; frame <= job->to && result.code == VV_OK && flows; frame += every)
    {
        result = drawFrame(job, stage, picture, frame);
        flows = result.code == VV_OK && pipeWrite(pipe, picture);
        job->written += flows;
    }
    bool ended = pipeClose(pipe);
    if (result.code == VV_OK && !(ended && flows))
        result = resultMake(VV_INPUT_OUTPUT, "see what ffmpeg says above, or use .gif", "ffmpeg did not write '%.120s'",
                            job->out);
    // the size, while the temporary still is one
    FILE *file = result.code == VV_OK ? systemStream(temporary, FILE_TO_READ) : NULL;
    if (file != NULL)
        fseek(file, 0, SEEK_END);
    return settle(job, file, job->out, result);
}

static vvResult writePlayer(Job *job)
{
    int every;
    pace(job, 30, &every);
    vvResult result = resultOk();
    FILE *file = openTemporary(job->out, &result);
    if (file == NULL)
        return result;
    Layout layout = layoutOf(job);
    result = playerWrite(job, file, every, shapeOf(job, &layout));
    if (result.code == VV_OK && ferror(file))
        result = cannotWrite(job->out);
    return settle(job, file, job->out, result);
}

vvResult movieReady(const char *out)
{
    Ending ending = movieEnding(out);
    return ending == ENDING_PNG || ending == ENDING_PNG_EACH ? pngReady()
           : ending == ENDING_GIF                            ? gifReady()
                                                             : resultOk();
}

vvResult movieWrite(Job *job)
{
    double shape = 1;
    chooseFrames(job);
    vvResult result = lookSurvey(job, &shape);
    chooseSize(job, shape);
    Ending ending = movieEnding(job->out);
    Layout layout = layoutOf(job);
    if (ending == ENDING_HTML)
    {
        if (result.code == VV_OK)
            result = lookPrepare(job, shapeOf(job, &layout));
        return result.code == VV_OK ? writePlayer(job) : result;
    }
    Picture *picture = result.code == VV_OK ? pictureCreate(&job->memory, job->width, job->height, &result) : NULL;
    Stage *stage = picture != NULL ? stageCreate(&job->memory) : NULL;
    if (picture != NULL && stage == NULL)
        result = resultOutOfMemory("a stage");
    if (result.code == VV_OK)
        result = lookPrepare(job, shapeOf(job, &layout));
    if (result.code == VV_OK)
        result = ending == ENDING_PNG        ? writeStrip(job, stage, picture)
                 : ending == ENDING_PNG_EACH ? writeEach(job, stage, picture)
                 : ending == ENDING_GIF      ? writeGif(job, stage, picture)
                                             : writeMp4(job, stage, picture);
    stageDestroy(stage);
    pictureDestroy(picture);
    return result;
}
