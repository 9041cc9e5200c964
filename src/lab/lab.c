// verve lab: chooses the page and prints its table.
#include "lab/lab.h"

#include "base/base.h"
#include "lab/ode.h"

#include <math.h>
#include <string.h>

#define PAGE_COUNT ((int)(sizeof pages / sizeof pages[0]))

static const LabPage *const pages[] = { &labOrders,     &labWorkPrecision, &labStability, &labStepLimit, &labSmallSteps,
                                        &labProjective, &labMass,          &labCost,      &labDrops };

// ---- tables ------------------------------------------------------------------------------------------------------------

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

// ---- the command -------------------------------------------------------------------------------------------------------

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
    { "--figure", "F", "projective: this figure only, fig4, fig5, fig9, fig11, fig12 or mixed; cost: this scene" },
    { "--quick", NULL, "projective, mass, cost, drops: small bodies and few steps" },
    { "--json", NULL, "JSON instead of CSV" },
};

const Command labCommand = {
    .name = "lab",
    .summary = "orders, costs, stability and step limits of the classical methods, measured",
    .usage = "orders | work-precision | stability | step-limit | small-steps | projective | mass | cost | drops",
    .about =
        "Measures the classical methods on small equations with known solutions (verve ode --list) and prints a\n"
        "table. orders: by halving the step until rounding shows. work-precision: error against evaluations, flops\n"
        "and time. stability: sectors, amplification on the axes, boundaries of the regions. step-limit: the largest\n"
        "stable step. A scene takes its coefficients from the same tables. small-steps: figures 3, 4 and 7 of Macklin\n"
        "2019; stretch in m (of the beam: the tip's height), most over all frames, residual of the constraints (of "
        "the\n"
        "beam: distance from small converged steps, of its way), energy in J since the start (of the beam: "
        "numerical),\n"
        "force at the top in N, work in sweeps or linear iterations a frame. projective: the figures of Projective\n"
        "Dynamics, on bodies. mass: consistent against lumped mass on a bar. cost: CPU time of steps that keep their\n"
        "energy, over Projective Dynamics with as many iterations, and the share of the search for alpha. drops: "
        "bodies\n"
        "that fall 1 m on a plane and on spheres of 1e5 to 1e7 N/m a vertex, steps of 10 ms, against small steps:\n"
        "apexes, the most above and below the target as fractions of M g drop, solves in a step at most, blends,\n"
        "failures, time. docs/notes/ has the tables: projective.md, stabilized.md, small-midpoint.md.",
    .example = "verve lab step-limit --problem hauth-7",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
