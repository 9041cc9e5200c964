// verve plot: columns of ledgers and of other tables as curves, PNG or SVG.
#include "tool/plot.h"

#include "tool/tool.h"

#include "base/system.h"
#include "draw/draw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST_FILES 16

typedef struct PlotJob
{
    Memory memory;
    int fileCount;
    const char *label[MOST_FILES];
    char path[MOST_FILES][OPENED_PATH];
    PlotTable table[MOST_FILES];
    char columns[1024]; // the words of --y, cut at their commas
    bool logX, logY;
    int width, height;
    const char *title;
} PlotJob;

// One panel: its curves and the numbers behind them.
typedef struct Panel
{
    PlotSeries series[PLOT_CURVES];
    char label[PLOT_CURVES][2 * PLOT_NAME + 4];
    double *x[PLOT_CURVES], *y[PLOT_CURVES];
    int count;
} Panel;

static bool endsWith(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

// ---- what is asked for ----------------------------------------------------------------------------------------------

static int refuse(const char *message)
{
    fprintf(stderr, "verve plot: %s\n", message);
    return EXIT_BAD_INPUT;
}

// a folder stands for its ledger
static void nameFile(PlotJob *job, int index, const char *word)
{
    bool folder = systemStatus(word).kind == FILE_FOLDER;
    snprintf(job->path[index], OPENED_PATH, "%.*s%s", (int)strcspn(word, "\n"), word, folder ? "/ledger.csv" : "");
    const char *slash = strrchr(word, '/');
    job->label[index] = slash != NULL && slash[1] != '\0' ? slash + 1 : word;
}

static int readColumns(const Words *read, PlotJob *job)
{
    const char *list = wordsGet(read, "--y"), *x = wordsGet(read, "--x"), *scale = wordsGet(read, "--log");
    if (list == NULL || list[0] == '\0')
        return refuse("no columns: give --y, such as --y total,alpha");
    if (strlen(list) >= sizeof job->columns)
        return refuse("--y is too long; take fewer columns");
    if (scale != NULL && strcmp(scale, "x") != 0 && strcmp(scale, "y") != 0 && strcmp(scale, "xy") != 0)
        return refuse("--log must be x, y or xy");
    job->logX = scale != NULL && strchr(scale, 'x') != NULL;
    job->logY = scale != NULL && strchr(scale, 'y') != NULL;
    snprintf(job->columns, sizeof job->columns, "%s", list);
    PlotTable *first = &job->table[0];
    first->name[0] = x != NULL ? x : "time";
    first->columnCount = 1;
    for (char *name = job->columns; name != NULL;)
    {
        char *comma = strchr(name, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (first->columnCount == PLOT_COLUMNS)
            return refuse("--y has more than 8 columns; take fewer");
        first->name[first->columnCount++] = name;
        name = comma;
    }
    first->by = wordsGet(read, "--by");
    for (int i = 1; i < job->fileCount; ++i)
        job->table[i] = *first;
    return -1;
}

static int readSize(const Words *read, PlotJob *job)
{
    const char *size = wordsGet(read, "--size");
    char rest;
    job->width = 960;
    job->height = PLOT_PANEL * (job->table[0].columnCount - 1);
    if (size == NULL)
        return -1;
    if (sscanf(size, "%5dx%5d%c", &job->width, &job->height, &rest) != 2 || job->width < 160 || job->height < 80 ||
        job->width > MOST_PIXELS || job->height > MOST_PIXELS || (long)job->width * job->height > MOST_AREA)
        return refuse("--size must be WxH in pixels, such as 960x600, from 160x80 to 7680x4320");
    return -1;
}

// ---- curves ---------------------------------------------------------------------------------------------------------

// the value of a row; its logarithm where the axis is logarithmic, NaN where that does not exist
static double valueAt(const PlotTable *table, int row, int column, bool isLog)
{
    double value = table->value[(size_t)PLOT_COLUMNS * (size_t)row + (size_t)column];
    return !isLog ? value : value > 0 ? log10(value) : NAN;
}

static bool addCurve(PlotJob *job, Panel *panel, int file, int first, int column)
{
    const PlotTable *table = &job->table[file];
    const char *group = table->group[first];
    int k = panel->count++, count = 0;
    panel->x[k] = ALLOCATE(&job->memory, double, table->count);
    panel->y[k] = ALLOCATE(&job->memory, double, table->count);
    if (panel->x[k] == NULL || panel->y[k] == NULL)
        return false;
    for (int row = first; row < table->count; ++row)
    {
        if (strcmp(table->group[row], group) != 0)
            continue;
        panel->x[k][count] = valueAt(table, row, 0, job->logX);
        panel->y[k][count++] = valueAt(table, row, column, job->logY);
    }
    bool several = job->fileCount > 1 || group[0] == '\0';
    snprintf(panel->label[k], sizeof panel->label[k], "%.60s%s%s", several ? job->label[file] : "",
             several && group[0] != '\0' ? " " : "", group);
    panel->series[k] = (PlotSeries){ panel->label[k], panel->x[k], panel->y[k], count, colourOfSeries(k) };
    return true;
}

// curves in the order in which their words occur
static vvResult fillPanel(PlotJob *job, Panel *panel, int column)
{
    for (int file = 0; file < job->fileCount; ++file)
    {
        const PlotTable *table = &job->table[file];
        for (int row = 0; row < table->count; ++row)
        {
            bool known = false;
            for (int before = 0; before < row && !known; ++before)
                known = strcmp(table->group[before], table->group[row]) == 0;
            if (known)
                continue;
            if (panel->count == PLOT_CURVES)
                return resultMake(VV_BAD_INPUT, "choose another column for --by, or fewer files",
                                  "there are more than %d curves", PLOT_CURVES);
            if (!addCurve(job, panel, file, row, column))
                return resultOutOfMemory("a curve");
        }
    }
    return resultOk();
}

static void emptyPanel(PlotJob *job, Panel *panel)
{
    for (int k = 0; k < panel->count; ++k)
    {
        memoryRelease(&job->memory, panel->x[k]);
        memoryRelease(&job->memory, panel->y[k]);
    }
}

// ---- the picture ----------------------------------------------------------------------------------------------------

static void beginSvg(FILE *file, const PlotJob *job)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" fill=\"#3a4148\">\n<style>.grid{stroke:#d9dde1;fill:none}"
            ".curve{fill:none;stroke-width:1.8;stroke-linejoin:round}</style>\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"#fbfbfa\"/>\n",
            job->width, job->height, job->width, job->height);
}

static vvResult drawPanels(PlotJob *job, FILE *file, Picture *picture)
{
    int panels = job->table[0].columnCount - 1;
    vvResult result = resultOk();
    for (int p = 0; p < panels && result.code == VV_OK; ++p)
    {
        Panel panel = { .count = 0 };
        char title[192], xLabel[80];
        Rect rect = { 0, p * job->height / panels, job->width, job->height / panels };
        result = fillPanel(job, &panel, p + 1);
        snprintf(title, sizeof title, "%.100s%s%.60s", job->title ? job->title : "", job->title ? ": " : "",
                 job->table[0].name[p + 1]);
        snprintf(xLabel, sizeof xLabel, "%.60s%s", job->table[0].name[0],
                 strcmp(job->table[0].name[0], "time") == 0 ? " / s" : "");
        Plot plot = { .title = title,
                      .xLabel = xLabel,
                      .series = panel.series,
                      .seriesCount = panel.count,
                      .cursor = NAN,
                      .logX = job->logX,
                      .logY = job->logY };
        if (result.code == VV_OK && picture != NULL)
            plotDraw(picture, rect, &plot);
        else if (result.code == VV_OK)
            plotWriteSvg(file, rect, &plot);
        emptyPanel(job, &panel);
    }
    return result;
}

static vvResult writePlot(PlotJob *job, const char *out)
{
    vvResult result = resultOk();
    Picture *picture = NULL;
    if (endsWith(out, ".png"))
    {
        result = pngReady();
        picture = result.code == VV_OK ? pictureCreate(&job->memory, job->width, job->height, &result) : NULL;
        // what is wrong is known before the file is touched
        if (result.code == VV_OK)
            result = drawPanels(job, NULL, picture);
    }
    char part[OPENED_PATH + 8]; // becomes the file when all is written
    snprintf(part, sizeof part, "%.*s.part", OPENED_PATH - 1, out);
    if (result.code == VV_OK && systemStatus(part).kind == FILE_REGULAR)
        systemRemove(part);
    FILE *file = result.code == VV_OK ? systemStream(part, FILE_TO_MAKE) : NULL;
    if (result.code == VV_OK && file == NULL)
        result = resultMake(VV_INPUT_OUTPUT, "check the folder and its permissions", "cannot write '%.120s': %s", out,
                            strerror(errno));
    if (file != NULL && picture != NULL)
        result = pngWrite(picture, file);
    else if (file != NULL)
    {
        beginSvg(file, job);
        result = drawPanels(job, file, NULL);
        fprintf(file, "</svg>\n");
    }
    bool good = file == NULL || ferror(file) == 0, made = file != NULL;
    good = (file == NULL || fclose(file) == 0) && good;
    if (result.code == VV_OK && !(good && systemRename(part, out) == 0))
        result = resultMake(VV_INPUT_OUTPUT, "free some space, and check the folder", "cannot write '%.120s'", out);
    if (result.code != VV_OK && made)
        systemRemove(part);
    pictureDestroy(picture);
    return result;
}

static int plotFiles(PlotJob *job, const char *out)
{
    vvResult result = resultOk();
    for (int i = 0; i < job->fileCount && result.code == VV_OK; ++i)
    {
        job->table[i].memory = &job->memory;
        result = plotTableRead(&job->table[i], job->path[i]);
    }
    if (result.code == VV_OK)
        result = writePlot(job, out);
    for (int i = 0; i < job->fileCount; ++i)
    {
        if (job->table[i].memory != NULL)
            plotTableRelease(&job->table[i]);
    }
    if (result.code != VV_OK)
        return complain(&plotCommand, &result);
    printf("%s: %d x %d pixels\n", shown(out), job->width, job->height);
    return EXIT_DONE;
}

int plotRun(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    static PlotJob job; // too large for the stack of some systems
    int left = wordsRead(&plotCommand, count, words, &read), labels = 0;
    if (left >= 0)
        return left;
    if (read.count < 1 || read.count > MOST_FILES)
        return refuse("takes 1 to 16 CSV files or folders of runs; verve plot swing euler --y total,alpha");
    job = (PlotJob){ .memory = memoryMake(NULL), .fileCount = read.count, .title = wordsGet(&read, "--title") };
    for (int i = 0; i < read.count; ++i)
        nameFile(&job, i, read.plain[i]);
    for (int i = 0; i < read.optionCount; ++i)
    {
        if (strcmp(read.option[i].name, "--label") == 0 && labels < MOST_FILES)
            job.label[labels++] = read.option[i].value;
    }
    const char *out = wordsGet(&read, "--out");
    out = out != NULL ? out : "plot.svg";
    if (!endsWith(out, ".svg") && !endsWith(out, ".png"))
        return refuse("--out must end in .svg or .png");
    if (labels > read.count)
        return refuse("there are more labels than files; give one for each at most");
    left = readColumns(&read, &job);
    left = left < 0 ? readSize(&read, &job) : left;
    return left >= 0 ? left : plotFiles(&job, out);
}

static const Option options[] = {
    { "--y", "C,C", "required: the columns, one panel for each, at most 8" },
    { "--x", "C", "the column along the axis; default time" },
    { "--by", "C", "rows with the same word in this column are one curve; default: a file is one curve" },
    { "--log", "AXES", "x, y or xy: logarithmic axes; what is not above 0 is left out" },
    { "--label", "TEXT", "name of the curves of a file, one per file; default: its name" },
    { "--title", "TEXT", "before the name of each column" },
    { "--size", "WxH", "pixels; default 960 x 300 for each panel" },
    { "--out", "FILE", ".svg or .png; default plot.svg" },
};

const Command plotCommand = {
    .name = "plot",
    .summary = "draw columns of ledgers and of other tables as curves",
    .usage = "FILE|DIR [FILE|DIR ...] --y COLUMN[,COLUMN ...]",
    .about = "Draws columns of CSV files, one panel for each column, one curve for each file. A folder stands for the\n"
             "ledger.csv in it. Any table will do whose first line names its columns, such as those of 'verve lab':\n"
             "--by then makes a curve of the rows with the same word in a column. Cells that are no numbers and lines\n"
             "that begin with '#' are left out.",
    .example = "verve plot swing euler --y total,alpha,lz --out compared.png",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = plotRun,
};
