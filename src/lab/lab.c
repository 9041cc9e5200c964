// verve lab: chooses the page and prints its table.
#include "lab/lab.h"

#include "base/base.h"
#include "base/system.h"
#include "lab/ode.h"

#include <math.h>
#include <string.h>

#define PAGE_COUNT ((int)(sizeof pages / sizeof pages[0]))

static const LabPage *const pages[] = { &labOrders,     &labWorkPrecision, &labStability, &labStepLimit, &labSmallSteps,
                                        &labProjective, &labMass,          &labCost,      &labDrops,     &labDinev };

// ---- tables ---------------------------------------------------------------------------------------------------------

void labColumns(LabTable *table, const char *columns)
{
    table->columns = columns;
    if (table->json)
        fprintf(table->out, "[");
    else
        fprintf(table->out, "%s\n", columns);
}

// before a cell: its comma, its key
static void beginCell(LabTable *table)
{
    if (!table->json)
    {
        fputs(table->cells > 0 ? "," : "", table->out);
        return;
    }
    const char *key = table->columns;
    for (int i = 0; i < table->cells; ++i)
        key = strchr(key, ',') + 1;
    if (table->cells == 0)
        fputs(table->rows > 0 ? ",\n  {" : "\n  {", table->out);
    fprintf(table->out, "%s \"%.*s\": ", table->cells > 0 ? "," : "", (int)strcspn(key, ","), key);
}

static void endCell(LabTable *table)
{
    int columns = 1;
    for (const char *c = table->columns; *c; ++c)
        columns += *c == ',';
    table->cells += 1;
    if (table->cells < columns)
        return;
    fputs(table->json ? " }" : "\n", table->out);
    table->cells = 0;
    table->rows += 1;
}

void labText(LabTable *table, const char *text)
{
    beginCell(table);
    fprintf(table->out, table->json ? "\"%s\"" : "%s", text);
    endCell(table);
}

void labNumber(LabTable *table, double number)
{
    beginCell(table);
    if (isnan(number))
        fputs(table->json ? "null" : "", table->out);
    else if (isinf(number))
        fprintf(table->out, table->json ? "\"%sinf\"" : "%sinf", number < 0 ? "-" : "");
    else
        fprintf(table->out, "%.9g", number);
    endCell(table);
}

bool labWants(const char *wish, const char *name)
{
    return wish == NULL || strcmp(wish, name) == 0;
}

// ---- the command ----------------------------------------------------------------------------------------------------

static int unknownPage(const char *word)
{
    const char *names[PAGE_COUNT];
    for (int i = 0; i < PAGE_COUNT; ++i)
        names[i] = pages[i]->name;
    fprintf(stderr, "verve lab: there is no page '%s'; did you mean %s?\n", shown(word),
            nearestWord(word, names, PAGE_COUNT));
    return EXIT_BAD_INPUT;
}

// methods and problems of equations; drops has its own and looks itself
static int checkWish(const LabPage *page, const LabWish *wish)
{
    if (page == &labDrops)
        return EXIT_DONE;
    OdeMethod method;
    OdeProblem problem;
    if (wish->method != NULL && !odeMethodFind(wish->method, &method))
    {
        fprintf(stderr, "verve lab: there is no method '%s' for equations; 'verve ode --list' has them\n",
                shown(wish->method));
        return EXIT_BAD_INPUT;
    }
    if (wish->problem != NULL && !odeProblemFind(wish->problem, &problem))
    {
        fprintf(stderr, "verve lab: there is no problem '%s'; 'verve ode --list' has them\n", shown(wish->problem));
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

// the table beside the picture, with the ending csv; NULL: --out is no picture
static FILE *beginPicture(const char *out, char *table, size_t size)
{
    size_t stem = strlen(out) > 4 ? strlen(out) - 4 : 0;
    if (stem == 0 || stem + 5 > size || (strcmp(out + stem, ".png") != 0 && strcmp(out + stem, ".svg") != 0))
    {
        fprintf(stderr, "verve lab: --out is '%s', must be a file .png or .svg\n", shown(out));
        return NULL;
    }
    snprintf(table, size, "%.*s.csv", (int)stem, out);
    if (systemStatus(table).kind == FILE_REGULAR)
        systemRemove(table);
    FILE *file = systemStream(table, FILE_TO_MAKE);
    if (file == NULL)
        fprintf(stderr, "verve lab: cannot write '%s'; check the folder and its permissions\n", shown(table));
    return file;
}

// the columns that the page is about, as verve plot draws them
static int drawPage(const LabPage *page, const char *table, const char *out)
{
    const char *words[] = { table, "--x", page->x, "--y", page->y, "--by", page->by, "--out", out, "--log", page->log };
    char *copies[sizeof words / sizeof words[0]];
    int count = (int)(sizeof words / sizeof words[0]) - (page->log == NULL ? 2 : 0);
    memcpy(copies, words, sizeof words);
    return plotRun("verve", count, copies);
}

static int runDrawn(const LabPage *page, const LabWish *wish, const char *out)
{
    char table[1024];
    if (page->x == NULL)
    {
        fprintf(stderr, "verve lab: %s has no curve; leave --out out\n", page->name);
        return EXIT_BAD_INPUT;
    }
    FILE *file = beginPicture(out, table, sizeof table);
    if (file == NULL)
        return EXIT_BAD_INPUT;
    LabTable rows = { .out = file };
    int code = page->run(&rows, wish);
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    if (code == EXIT_DONE && !written)
        return EXIT_INPUT_OUTPUT;
    return code == EXIT_DONE ? drawPage(page, table, out) : code;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&labCommand, count, words, &read);
    if (left >= 0)
        return left;
    if (read.count != 1)
    {
        fprintf(stderr, "verve lab: takes one page, was given %d:\n", read.count);
        for (int i = 0; i < PAGE_COUNT; ++i)
            fprintf(stderr, "  %-15s %s\n", pages[i]->name, pages[i]->about);
        return EXIT_BAD_INPUT;
    }
    LabWish wish = { wordsGet(&read, "--method"), wordsGet(&read, "--problem"), wordsGet(&read, "--figure"),
                     wordsHas(&read, "--quick") };
    for (int i = 0; i < PAGE_COUNT; ++i)
    {
        if (strcmp(pages[i]->name, read.plain[0]) != 0)
            continue;
        if (checkWish(pages[i], &wish) != EXIT_DONE)
            return EXIT_BAD_INPUT;
        if (wordsHas(&read, "--out"))
            return runDrawn(pages[i], &wish, wordsGet(&read, "--out"));
        LabTable table = { .out = stdout, .json = wordsHas(&read, "--json") };
        int code = pages[i]->run(&table, &wish);
        if (table.json)
            fputs("\n]\n", stdout);
        return code;
    }
    return unknownPage(read.plain[0]);
}

static const Option options[] = {
    { "--method", "M", "this method only" },
    { "--problem", "P", "this problem only" },
    { "--figure", "F",
      "projective: this figure only, fig4, fig5, fig9, fig11, fig12 or mixed; dinev: fig2, fig17, fig18, fig19 or "
      "rises; cost: this scene" },
    { "--quick", NULL, "projective, mass, cost, drops, dinev: small bodies and few steps" },
    { "--json", NULL, "print JSON instead of CSV" },
    { "--out", "FILE",
      "work-precision, stability, small-steps, projective, dinev: draw it, .png or .svg; the table is FILE.csv" },
};

const Command labCommand = {
    .name = "lab",
    .summary = "measure orders, costs, stability and step limits of the classical methods",
    .usage =
        "orders | work-precision | stability | step-limit | small-steps | projective | mass | cost | drops | dinev",
    .about = "Measures methods and prints a table. On small equations with known solutions (verve ode --list) and with "
             "the\ncoefficients that scenes use: orders halves the step until rounding shows;\n"
             "work-precision prints the error against evaluations, flops and time; stability prints sectors,\n"
             "amplification on the axes and boundaries of the regions; step-limit prints the largest stable step. On\n"
             "bodies: small-steps repeats figures 3, 4 and 7 of Macklin 2019 (largest stretch over all frames in m,\n"
             "for the beam the height of the tip; residual of the constraints, for the beam the distance from small\n"
             "converged steps over its deflection; energy in J since the start; force at the top in N; work in sweeps\n"
             "or linear iterations per frame); projective repeats the figures of Projective Dynamics; mass compares\n"
             "consistent with lumped mass on a bar; cost compares the CPU time of methods that keep the energy with\n"
             "that of Projective Dynamics with as many iterations; drops lets bodies fall 1 m on a plane and on\n"
             "spheres of 1e5 to 1e7 N/m per vertex in steps of 10 ms and compares with small steps (apexes, energy\n"
             "above and below the target as fractions of M g drop, most solves in a step, blends, failures, time);\n"
             "dinev follows the particle on a squared spring of Dinev et al. 2018 and the two springs of its appendix\n"
             "(position in m, energy in J, angular momentum in kg m^2/s; rises: the share of backward Euler's steps\n"
             "that raise the energy, how many break the bound of the paper, the largest rise over E(0)).\n"
             "docs/notes/ has the tables: projective.md, stabilized.md, small-midpoint.md.",
    .example = "verve lab step-limit --problem hauth-7",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
