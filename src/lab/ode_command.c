// verve ode: one method on one small equation with a known solution.
#include "tool/tool.h"

#include "base/base.h"
#include "lab/ode.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the problem ----------------------------------------------------------------------------------------------------

// numbers separated by blanks or commas; rows by ';'. Returns how many, -1 after saying what is wrong
static int readNumbers(const char *option, const char *text, int most, double *numbers, int *rows)
{
    int count = 0;
    *rows = 1;
    for (const char *at = text; *at;)
    {
        if (isspace((unsigned char)*at) || *at == ',' || *at == ';')
        {
            *rows += *at == ';' && strspn(at + 1, " \t\n;") < strlen(at + 1);
            ++at;
            continue;
        }
        char *end = NULL;
        double number = strtod(at, &end);
        if (end == at || !isfinite(number))
        {
            fprintf(stderr, "verve ode: %s has '%.20s' where a number belongs; write rows as \"0 1; -5 0\"\n", option,
                    shown(at));
            return -1;
        }
        if (count == most)
        {
            fprintf(stderr, "verve ode: %s has more than %d numbers; at most %d unknowns\n", option, most, ODE_SIZE);
            return -1;
        }
        numbers[count++] = number;
        at = end;
    }
    return count;
}

static int readLinear(const Words *read, OdeProblem *problem)
{
    static double matrix[ODE_SIZE * ODE_SIZE];
    double start[ODE_SIZE], time = 10;
    int rows, ignored;
    int entries = readNumbers("--matrix", wordsGet(read, "--matrix"), ODE_SIZE * ODE_SIZE, matrix, &rows);
    if (entries < 0)
        return EXIT_BAD_INPUT;
    if (entries == 0 || rows * rows != entries)
    {
        fprintf(stderr, "verve ode: --matrix has %d numbers in %d rows, must be square; write \"0 1; -5 0\"\n", entries,
                rows);
        return EXIT_BAD_INPUT;
    }
    if (!wordsHas(read, "--start"))
    {
        fprintf(stderr, "verve ode: --matrix needs --start with %d numbers\n", rows);
        return EXIT_BAD_INPUT;
    }
    int numbers = readNumbers("--start", wordsGet(read, "--start"), ODE_SIZE, start, &ignored);
    if (numbers != rows)
    {
        if (numbers >= 0)
            fprintf(stderr, "verve ode: --start has %d numbers, the matrix %d rows; give one for each\n", numbers,
                    rows);
        return EXIT_BAD_INPUT;
    }
    int left = wordsReal(read, "--time", 1e-9, 1e9, &time);
    if (left >= 0)
        return left;
    vvResult result = odeProblemLinear(rows, matrix, start, time, problem);
    return result.code == VV_OK ? -1 : complain(&odeCommand, &result);
}

static int readProblem(const Words *read, OdeProblem *problem)
{
    const char *name = wordsGet(read, "--problem");
    if (name != NULL && wordsHas(read, "--matrix"))
    {
        fprintf(stderr, "verve ode: --problem and --matrix both name a problem; leave one out\n");
        return EXIT_BAD_INPUT;
    }
    if (wordsHas(read, "--matrix"))
        return readLinear(read, problem);
    if (wordsHas(read, "--start") || wordsHas(read, "--time"))
    {
        fprintf(stderr, "verve ode: --start and --time belong to --matrix\n");
        return EXIT_BAD_INPUT;
    }
    if (name == NULL)
    {
        fprintf(stderr, "verve ode: no problem; give --problem or --matrix, 'verve ode --list' has the names\n");
        return EXIT_BAD_INPUT;
    }
    if (odeProblemFind(name, problem))
        return -1;
    const char *names[64];
    int count = minInt(odeProblemCount(), 64);
    for (int i = 0; i < count; ++i)
        names[i] = odeProblemName(i);
    fprintf(stderr, "verve ode: there is no problem '%s'; did you mean %s? 'verve ode --list' has all\n", shown(name),
            nearestWord(name, names, count));
    return EXIT_BAD_INPUT;
}

static int readMethod(const Words *read, OdeMethod *method)
{
    static Tableau own;
    const char *name = wordsGet(read, "--method"), *rows = wordsGet(read, "--tableau");
    if ((name == NULL) == (rows == NULL))
    {
        fprintf(stderr, "verve ode: %s; 'verve ode --list' has the names\n",
                name == NULL ? "no method: give --method or --tableau" : "--method and --tableau: leave one out");
        return EXIT_BAD_INPUT;
    }
    if (rows != NULL)
    {
        vvResult result = tableauRead(rows, &own);
        if (result.code != VV_OK)
            return complain(&odeCommand, &result);
        *method = odeMethodTableau(&own);
        return -1;
    }
    if (!odeMethodFind(name, method))
    {
        const char *names[64];
        int count = minInt(odeMethodCount(), 64);
        for (int i = 0; i < count; ++i)
            names[i] = odeMethodAt(i).name;
        fprintf(stderr,
                "verve ode: there is no method '%s' for equations; did you mean %s? 'verve ode --list' has all\n", name,
                nearestWord(name, names, count));
        return EXIT_BAD_INPUT;
    }
    // the settings of two families
    double gamma = 0.5, beta = 0.25, radius = 0.8;
    int left = wordsReal(read, "--gamma", 0, 1, &gamma);
    left = left < 0 ? wordsReal(read, "--beta", 0, 1, &beta) : left;
    left = left < 0 ? wordsReal(read, "--rho", 0, 1, &radius) : left;
    if (strcmp(name, "newmark") == 0)
        *method = odeMethodNewmark(gamma, beta);
    if (strcmp(name, "generalized-alpha") == 0)
        *method = odeMethodGeneralizedAlpha(radius);
    return left;
}

// ---- what it prints -------------------------------------------------------------------------------------------------

static void printList(void)
{
    printf("problems:\n");
    for (int i = 0; i < odeProblemCount(); ++i)
        printf("  %-22s %s\n", odeProblemName(i), odeProblemAt(i).about);
    printf("methods:\n");
    for (int i = 0; i < odeMethodCount(); ++i)
    {
        OdeMethod m = odeMethodAt(i);
        printf("  %-22s order %d, %s%s\n", m.name, m.order, m.isExplicit ? "explicit" : "implicit",
               m.kind >= ODE_SYMPLECTIC_EULER ? ", for x'' = f(x, x')" : "");
    }
}

static void printValues(const char *key, const double *y, int size, bool json)
{
    if (json)
        printf("  \"%s\": [", key);
    else
        printf("%-12s", key);
    for (int i = 0; i < size && json; ++i)
    {
        printf("%s", i > 0 ? ", " : "");
        printJsonReal(stdout, y[i]);
    }
    for (int i = 0; i < size && !json; ++i)
        printf(" %.17g", y[i]);
    printf(json ? "],\n" : "\n");
}

static void printReport(const OdeProblem *p, const OdeMethod *m, const double *y, const OdeReport *r, bool json)
{
    double exact[ODE_SIZE];
    odeExact(p, p->time, exact);
    if (json)
        printf("{\n  \"problem\": \"%s\",\n  \"method\": \"%s\",\n  \"time\": %.17g,\n", p->name, m->name, p->time);
    else
        printf("%s: %s\n%s, order %d, to t = %g\n", p->name, p->about, m->name, odeNominalOrder(p, m), p->time);
    printValues("state", y, p->size, json);
    printValues("exact", exact, p->size, json);
    const struct
    {
        const char *name;
        double value;
    } rows[] = {
        { "error", r->error },
        { "steps", (double)r->steps },
        { "rejected", (double)r->rejected },
        { "evaluations", (double)r->evaluations },
        { "jacobians", (double)r->jacobians },
        { "solves", (double)r->solves },
        { "flops", r->flops },
    };
    for (int i = 0; i < 7 && json; ++i)
        printJsonPair(stdout, i > 0 ? ",\n  " : "  ", rows[i].name, rows[i].value);
    for (int i = 0; i < 7 && !json; ++i)
        printf("%-12s %.10g\n", rows[i].name, rows[i].value);
    if (json)
        printf(",\n  \"seconds\": %.3g\n}\n", r->seconds);
}

static void printRow(void *context, double t, const double *y)
{
    const OdeProblem *p = context;
    double exact[ODE_SIZE];
    odeExact(p, t, exact);
    printf("%.17g", t);
    for (int i = 0; i < 2 * p->size; ++i)
        printf(",%.17g", i < p->size ? y[i] : exact[i - p->size]);
    printf("\n");
}

// every step as a row, the exact solution beside it
static int printTrajectory(OdeProblem *problem, const OdeMethod *method, OdeOptions *options)
{
    double y[ODE_SIZE];
    OdeReport report;
    vvResult result = odeSolve(problem, method, &(OdeOptions){ .steps = 1 }, y, &report);
    if (result.code == VV_BAD_INPUT) // before anything is printed
        return complain(&odeCommand, &result);
    printf("time");
    for (int i = 0; i < 2 * problem->size; ++i)
        printf(",%s%d", i < problem->size ? "y" : "exact", i % problem->size + 1);
    printf("\n");
    options->visit = printRow;
    options->context = problem;
    result = odeSolve(problem, method, options, y, &report);
    return result.code == VV_OK ? EXIT_DONE : complain(&odeCommand, &result);
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&odeCommand, count, words, &read);
    if (left >= 0)
        return left;
    if (wordsHas(&read, "--list"))
    {
        printList();
        return EXIT_DONE;
    }
    if (read.count > 0)
    {
        fprintf(stderr, "verve ode: takes options only, was given '%s'\n", shown(read.plain[0]));
        return EXIT_BAD_INPUT;
    }
    OdeProblem problem;
    OdeMethod method;
    OdeOptions options = { .steps = 100,
                           .watchNewton = wordsHas(&read, "--watch-newton"),
                           .exactStart = wordsHas(&read, "--exact-start"),
                           .eulerStart = wordsHas(&read, "--euler-start") };
    left = readProblem(&read, &problem);
    left = left < 0 ? readMethod(&read, &method) : left;
    left = left < 0 ? wordsInt(&read, "--steps", 1, ODE_MOST_STEPS, &options.steps) : left;
    left = left < 0 ? wordsReal(&read, "--tolerance", 1e-14, 1, &options.tolerance) : left;
    if (left >= 0)
        return left;
    if (wordsHas(&read, "--trajectory") && wordsHas(&read, "--json"))
    {
        fprintf(stderr, "verve ode: --trajectory prints CSV; leave --json out\n");
        return EXIT_BAD_INPUT;
    }
    if (wordsHas(&read, "--trajectory"))
        return printTrajectory(&problem, &method, &options);
    double y[ODE_SIZE];
    OdeReport report;
    vvResult result = odeSolve(&problem, &method, &options, y, &report);
    if (result.code != VV_OK)
        return complain(&odeCommand, &result);
    printReport(&problem, &method, y, &report, wordsHas(&read, "--json"));
    return EXIT_DONE;
}

static const Option options[] = {
    { "--problem", "P", "hauth-1a, hauth-1b, hauth-2, hauth-3, hauth-7, wave, kepler, riccati" },
    { "--matrix", "ROWS", "a linear system instead: \"0 1; -5 0\"" },
    { "--start", "NUMBERS", "its start: \"0 1\"" },
    { "--time", "T", "its end, s; default 10" },
    { "--method", "M", "one of --list: the words of scenes" },
    { "--tableau", "ROWS", "your own Butcher array: c and a by rows, b last: \"0; 1/2 1/2; 0 1\"" },
    { "--steps", "N", "equal steps, 1 to 1e8; default 100" },
    { "--tolerance", "E", "control the steps by the estimate of their error; off by default" },
    { "--watch-newton", NULL, "control the steps by the iterations of Newton's method; off by default" },
    { "--exact-start", NULL, "start multistep methods from exact values" },
    { "--euler-start", NULL, "or from backward Euler, to see what that costs" },
    { "--gamma", "G", "of newmark; default 0.5" },
    { "--beta", "B", "of newmark; default 0.25" },
    { "--rho", "R", "of generalized-alpha, 0 to 1; default 0.8" },
    { "--trajectory", NULL, "print every step as CSV, the exact solution beside it" },
    { "--list", NULL, "the problems and methods" },
    { "--json", NULL, "print JSON" },
};

const Command odeCommand = {
    .name = "ode",
    .summary = "run one classical method on a small equation with a known solution",
    .usage = "",
    .about = "Solves y' = f(t, y) and compares with the exact solution: final state, error (2-norm at the end),\n"
             "evaluations. A run that diverges exits with 1 and says how many steps would have sufficed.",
    .example = "verve ode --problem hauth-3 --method verlet --steps 400",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
