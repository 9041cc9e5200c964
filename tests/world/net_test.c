// The net of random mild worlds and named scenes, against the list of what fails today (net_failures.txt), which can
// only shrink: what is listed and holds must be taken from it, what is not listed must hold. A slice here, all of it in
// the soak.
//
//   test_world_net_soak 17          one world, every value; 17 40: those from 17 to 39
//   test_world_net_soak torsion     one named scene
//   test_world_net_soak list        the lines of the list, as they would be now; list 0 100: of these worlds
#include "world/net_scenes.h"

#ifndef NET_SEEDS
#define NET_SEEDS 10                // worlds 0, 1 ...
#define NET_SLICE 1                 // scenes that take a moment
#define NET_CURED 52, 181, 228, 241 // worlds that a defect was found in, and take a moment
#endif
#ifndef NET_LIST
#define NET_LIST "net_failures.txt"
#define NET_RUN netRun
#define NET_RUN_WAYS NET_WAYS
#define NET_ALSO
#endif

// ---- the list -------------------------------------------------------------------------------------------------------

#define LINES 1000

typedef struct Failure
{
    char name[32], way[32], property[32], issue[16]; // name: a seed, or that of a scene
    double amount;
    bool met; // looked at in this run
} Failure;

static Failure listed[LINES];
static int listedCount, wrong;
static bool printing; // rows as for the list, nothing is judged
static int firstSeed, endSeed = NET_SEEDS;

static void readList(void)
{
    char line[512];
    FILE *file = fopen(SOURCE_FOLDER "/tests/world/" NET_LIST, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
    {
        Failure f = { .met = false };
        if (line[0] == '#' || line[0] == '\n')
            continue;
        assert_true(listedCount < LINES);
        assert_int_equal(sscanf(line, "%31s %31s %31s %lf %15s", f.name, f.way, f.property, &f.amount, f.issue), 5);
        assert_true(strcmp(f.issue, "step") == 0 || strcmp(f.issue, "contact") == 0);
        listed[listedCount++] = f;
    }
    fclose(file);
}

static Failure *findListed(const char *name, const char *way, const char *property)
{
    for (int i = 0; i < listedCount; ++i)
    {
        Failure *f = &listed[i];
        if (strcmp(f->name, name) == 0 && strcmp(f->way, way) == 0 && strcmp(f->property, property) == 0)
            return f;
    }
    return NULL;
}

static void judge(const char *name, const char *way, const NetLimit *limit, double value, const char *text)
{
    bool holds = value <= limit->low, fails = !(value <= limit->high);
    if (printing)
    {
        if (fails)
        {
            printf("%-11s %-23s %-10s %-9.3g %s\n", name, way, limit->word, value, text);
            fflush(stdout);
        }
        return;
    }
    Failure *f = findListed(name, way, limit->word);
    if (f != NULL)
        f->met = true;
    if (fails && f == NULL)
        print_message("%s, %s: %s is %.3g, must be at most %g (%s)\n", name, way, limit->word, value, limit->high,
                      text);
    if (holds && f != NULL)
        print_message("%s, %s: %s is %.3g now: take it from " NET_LIST "\n", name, way, limit->word, value);
    wrong += (fails && f == NULL) || (holds && f != NULL);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static void runSeed(int seed, bool everything)
{
    char name[16], text[256];
    snprintf(name, sizeof name, "%d", seed);
    for (int w = 0; w < NET_RUN_WAYS; ++w)
    {
        NetResult result = NET_RUN(seed, &netWays[w], text, sizeof text);
        if (everything)
            printf("%s %s, %s\n", name, netWays[w].word, text);
        for (int p = 0; p < NET_PROPERTIES; ++p)
        {
            if (everything)
                printf("  %-8s %-10.3g (at most %g)\n", netLimits[p].word, result.value[p], netLimits[p].low);
            else
                judge(name, netWays[w].word, &netLimits[p], result.value[p], text);
        }
    }
}

static void runScene(const NetScene *row, bool everything)
{
    for (const char *letter = row->ways; *letter != '\0'; ++letter)
    {
        const NetWay *way = &netWays[netWayOf(*letter)];
        NetLimit limit = { row->property, row->low, row->high };
        double value = netSceneRun(row, way);
        if (everything)
            printf("%s %s: %s %.3g (at most %g)\n", row->name, way->word, row->property, value, row->low);
        else
            judge(row->name, way->word, &limit, value, row->issue);
    }
}

// in the slice, those that take a moment
static bool isRun(const NetScene *row)
{
#ifdef NET_RIGID
    return row == NULL; // they have none
#elif defined(NET_SLICE)
    return row->measure == netSceneParting || strstr(row->name, "spin") != NULL;
#else
    return row != NULL;
#endif
}

static void everythingHoldsButTheList(void **state)
{
    (void)state;
    if (!printing)
        readList();
    for (int seed = firstSeed; seed < endSeed; ++seed)
        runSeed(seed, false);
#ifdef NET_SLICE
    static const int cured[] = { NET_CURED };
    for (size_t i = 0; i < sizeof cured / sizeof *cured && endSeed == NET_SEEDS; ++i)
        runSeed(cured[i], false);
#endif
    for (int i = 0; i < NET_SCENES && endSeed == NET_SEEDS; ++i)
    {
        if (isRun(&netScenes[i]))
            runScene(&netScenes[i], false);
    }
#ifndef NET_SLICE
    for (int i = 0; i < listedCount; ++i)
    {
        if (!listed[i].met)
            print_message("%s, %s, %s of " NET_LIST " is nowhere in the net\n", listed[i].name, listed[i].way,
                          listed[i].property),
                wrong += 1;
    }
#endif
    assert_int_equal(wrong, 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everythingHoldsButTheList) NET_ALSO };
    if (count < 2)
        return cmocka_run_group_tests_name("net", tests, NULL, NULL);
    if (strcmp(words[1], "list") == 0)
    {
        printing = true;
        firstSeed = count > 3 ? atoi(words[2]) : 0;
        endSeed = count > 3 ? atoi(words[3]) : NET_SEEDS;
        everythingHoldsButTheList(NULL);
        return 0;
    }
    char *end;
    long from = strtol(words[1], &end, 10), to = count > 2 ? strtol(words[2], NULL, 10) : from + 1;
    for (long seed = from; *end == '\0' && seed < to; ++seed)
        runSeed((int)seed, true);
    for (int i = 0; i < NET_SCENES && *end != '\0'; ++i)
    {
        if (strcmp(netScenes[i].name, words[1]) == 0)
            runScene(&netScenes[i], true);
    }
    return 0;
}
