// How many threads take part, on machines that are made up: what a run takes is a table, and time is a sum.
#include "check.h"

#include "base/team.h"

static void taskA(void *context, int task)
{
    (void)context;
    (void)task;
}

static void taskB(void *context, int task)
{
    (void)context;
    (void)task;
}

typedef struct Machine
{
    double pace[TEAM_SIZES];      // time of a run, of that of one thread, for teams of all, half, ... threads
    double preempted[TEAM_SIZES]; // times a window
    double noise;                 // of the times: factors of 1 to 1 + noise, and rarely ten times that
} Machine;

typedef struct Course
{
    Team team;
    double work, time;       // ns: what one thread would have taken, and what it took
    double each[TEAM_SIZES]; // ns of `time`, by size
    double preemptions;
    uint32_t random;
} Course;

static double uniform(Course *course)
{
    course->random = course->random * 1664525u + 1013904223u;
    return course->random / 4294967296.0;
}

// two functions whose tasks differ a hundredfold, in runs of 10 and 100 tasks
static void work(Course *course, const Machine *machine, double nanoseconds)
{
    course->work = course->time = 0;
    memset(course->each, 0, sizeof course->each);
    for (int run = 0; course->work < nanoseconds; ++run)
    {
        int now = course->team.now;
        double noise = machine->noise * uniform(course) * (uniform(course) < 0.02 ? 10 : 1);
        double alone = run % 50 == 0 ? 10 * 20000.0 : 100 * 200.0;
        double time = alone * machine->pace[now] * (1 + noise);
        course->work += alone * (1 + machine->noise / 2 * 1.18);
        course->time += time;
        course->each[now] += time;
        course->preemptions += machine->preempted[now] * time / TEAM_WINDOW;
        if (teamNote(&course->team, run % 50 == 0 ? taskA : taskB, run % 50 == 0 ? 10 : 100, time))
            teamJudge(&course->team, (long long)course->preemptions);
    }
}

static Course begin(int threads)
{
    Course course = { .random = 1 };
    teamInit(&course.team, threads);
    return course;
}

static void sizes_are_halves(void **state)
{
    (void)state;
    Team team;
    teamInit(&team, 1);
    assert_int_equal(team.sizeCount, 1);
    teamInit(&team, 2);
    assert_int_equal(team.sizeCount, 2);
    teamInit(&team, WORKERS_MOST_THREADS);
    assert_int_equal(team.sizeCount, TEAM_SIZES);
    assert_int_equal(teamThreads(&team), WORKERS_MOST_THREADS);
    teamInit(&team, 6);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(team.size[k].threads, 6 >> k);
}

// where cores are free the whole team works, but for one look at each other size
static void a_team_that_pays_stays(void **state)
{
    (void)state;
    const Machine idle = { .pace = { 0.15, 0.28, 0.52, 1 } };
    Course course = begin(8);
    work(&course, &idle, 100e9);
    assert_true(course.time < 1.01 * 0.15 * course.work);
    for (int k = 1; k < 4; ++k)
        assert_true(course.each[k] < 1.5 * TEAM_WINDOW);
}

// helpers without a core make runs up to many times as long: the loss against one thread is below 10 %
static void a_team_that_costs_rests(void **state)
{
    (void)state;
    static const double slow[] = { 1.05, 1.2, 1.6, 2.5, 10, 50 };
    static const double noise[] = { 0, 0.5, 2 };
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; ++i)
    {
        for (size_t j = 0; j < sizeof noise / sizeof noise[0]; ++j)
        {
            Machine busy = { .pace = { slow[i], 1 }, .preempted = { 4, 1 }, .noise = noise[j] };
            Course course = begin(2);
            work(&course, &busy, 20e9);
            if (course.time > 1.1 * course.work)
                fail_msg("a team %g times slower, noise %g: %g times one thread", slow[i], noise[j],
                         course.time / course.work);
        }
    }
}

// A team that is hardly faster and loses cores rests, for its losses are seen late; one that is much faster works on.
static void a_disturbed_team_has_to_pay(void **state)
{
    (void)state;
    const Machine even = { .pace = { 0.93, 1 }, .preempted = { 4, 0 }, .noise = 0.2 };
    const Machine fast = { .pace = { 0.6, 1 }, .preempted = { 4, 0 }, .noise = 0.2 };
    Course course = begin(2);
    work(&course, &even, 20e9);
    assert_true(course.each[0] < 0.2 * course.time);
    course = begin(2);
    work(&course, &fast, 20e9);
    assert_true(course.time < 1.1 * 0.6 * course.work);
}

static void half_a_team_is_found(void **state)
{
    (void)state;
    const Machine half = { .pace = { 1.5, 0.6, 0.7, 1 }, .preempted = { 5, 1, 0, 0 }, .noise = 0.2 };
    Course course = begin(8);
    work(&course, &half, 20e9);
    assert_true(course.time < 1.12 * 0.6 * course.work);
}

// the others come and go: within two seconds each time the team fits again
static void the_team_follows_the_machine(void **state)
{
    (void)state;
    const Machine idle = { .pace = { 0.55, 1 }, .noise = 0.1 };
    const Machine busy = { .pace = { 2.5, 1 }, .preempted = { 4, 0 }, .noise = 0.5 };
    Course course = begin(2);
    for (int k = 0; k < 10; ++k)
    {
        work(&course, &busy, 2e9);
        work(&course, &busy, 10e9);
        assert_true(course.time < 1.1 * course.work);
        work(&course, &idle, 2e9);
        work(&course, &idle, 10e9);
        assert_true(course.time < 1.05 * 0.55 * course.work);
    }
}

static void functions_beyond_the_table_do_no_harm(void **state)
{
    (void)state;
    static const TaskFunction first[] = { taskA, taskB };
    Team team;
    teamInit(&team, 2);
    for (int k = 0; k < TEAM_FUNCTIONS; ++k)
        team.function[k].function = (TaskFunction)(uintptr_t)(0x1000 + k);
    for (int run = 0; run < 1000; ++run)
    {
        if (teamNote(&team, first[run % 2], 10, 1e6))
            teamJudge(&team, 0);
        assert_in_range(teamThreads(&team), 1, 2);
    }
    for (int k = 0; k < 2; ++k)
        assert_true(team.size[k].known && team.size[k].pace == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_halves),
        cmocka_unit_test(a_team_that_pays_stays),
        cmocka_unit_test(a_team_that_costs_rests),
        cmocka_unit_test(half_a_team_is_found),
        cmocka_unit_test(a_disturbed_team_has_to_pay),
        cmocka_unit_test(the_team_follows_the_machine),
        cmocka_unit_test(functions_beyond_the_table_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
