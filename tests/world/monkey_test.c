// A monkey at the keyboard: random calls with random arguments, many of them wrong, while memory may run out. Nothing
// may crash, hang, leak or leave a world that cannot step; what is refused says why and changes nothing; what is
// accepted leaves books that hold numbers. Over all pairs of methods and solvers, in turn.
//   MONKEY_SECONDS=600 plays for so long; MONKEY_SEED=17 MONKEY_SECONDS=1 plays round 17 again
//   MONKEY_SEED=17 MONKEY_ROUNDS=1 plays it as make test does, without what takes seconds
#include "world/monkey_play.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef MONKEY_SECONDS
#define MONKEY_SECONDS "0" // 0: MONKEY_ROUNDS of them
#endif
#define MONKEY_ROUNDS "36"
#define MONKEY_CALLS 80

static const char *setting(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : fallback;
}

static void play(Monkey *monkey)
{
    const char *method = vvGetMethodName(monkey->round % 33), *solver = vvGetSolverName(monkey->round / 2 % 4);
    vvWorldDef def = someWorld(monkey, method, solver);
    vvResult result;
    monkey->world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    settle(monkey);
    for (int call = 0; call < MONKEY_CALLS; ++call)
        playOn(monkey);
    goAcross(monkey);
    monkey->failAfter = -1;
    // whatever happened: with a gentle method the world still steps, or says that a body has long run away
    TRY(monkey, vvWorld_SetMethod(monkey->world, "backward-euler"));
    vvCode code = TRY(monkey, vvWorld_Step(monkey->world, 1e-3));
    assert_true(code == VV_OK || code == VV_DIVERGED);
    vvDestroyWorld(monkey->world);
    assert_int_equal(monkey->blocks, 0);
}

static Monkey monkey;

#ifdef __SANITIZE_ADDRESS__
static void lastWords(void)
{
    fprintf(stderr, "this was round %d, after %lld calls\n", monkey.round, monkey.calls);
}
#endif

static void nothingBreaks(void **unused)
{
    (void)unused;
    double seconds = strtod(setting("MONKEY_SECONDS", MONKEY_SECONDS), NULL);
    int first = atoi(setting("MONKEY_SEED", "0")), most = atoi(setting("MONKEY_ROUNDS", MONKEY_ROUNDS)), rounds = 0;
    time_t end = time(NULL) + (time_t)seconds;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_set_death_callback(lastWords);
#endif
    for (; seconds > 0 ? time(NULL) < end : rounds < most; ++rounds)
    {
        Monkey fresh = { .random = { (uint64_t)(first + rounds) * 2654435761u + 1 },
                         .failAfter = -1,
                         .round = first + rounds,
                         .patient = seconds > 0,
                         .calls = monkey.calls,
                         .refused = monkey.refused,
                         .steps = monkey.steps,
                         .touching = monkey.touching,
                         .slowest = monkey.slowest };
        memcpy(fresh.slowestName, monkey.slowestName, sizeof fresh.slowestName);
        monkey = fresh;
        if (rounds % 100 == 0)
            print_message("round %d, %lld calls so far\n", monkey.round, monkey.calls);
        play(&monkey);
        free(monkey.saved);
        free(monkey.before);
    }
    print_message("%d rounds, %lld calls, %lld refused; %lld steps, %lld in touch; the slowest took %.2f s: %s\n",
                  rounds, monkey.calls, monkey.refused, monkey.steps, monkey.touching, monkey.slowest,
                  monkey.slowestName);
    assert_true(monkey.refused > rounds * 5); // it did make mistakes
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothingBreaks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
