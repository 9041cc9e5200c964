// Time per frame: every contender starts a round from the same state and computes the same frames, one contender after
// the other, round by round, so that a busy machine slows all of them.
#include "bench/bench.h"

#include "base/system.h"

#include <math.h>
#include <stdlib.h>

#define LONGEST 0.4 // s of timed frames in one round
// the classical form in float32 loses the condition number of the matrix, on cloth 5e-4; another problem, or another
// number of iterations, is off by 1e-2
#define SINGLE_LIMIT 1e-3
#define DOUBLE_LIMIT 1e-5 // before convergence Verve's float32 factor shows

typedef struct State
{
    double *position, *velocity; // vertexCount x 3 each
} State;

// the state that is measured, where Verve is one frame later, room for a contender's answer
typedef struct Course
{
    const Problem *problem;
    State start, reference, other;
    void *self[MOST_CONTENDERS];
} Course;

// ---- samples --------------------------------------------------------------------------------------------------------

void samplesAdd(Samples *samples, double ms)
{
    if (samples->count < MOST_ROUNDS)
        samples->value[samples->count++] = ms;
}

static int compareReals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double samplesAt(const Samples *samples, double fraction)
{
    if (samples->count == 0)
        return NAN;
    Samples sorted = *samples;
    qsort(sorted.value, (size_t)sorted.count, sizeof(double), compareReals);
    double at = fraction * (sorted.count - 1);
    int below = (int)at, above = below + 1 < sorted.count ? below + 1 : below;
    return sorted.value[below] + (at - below) * (sorted.value[above] - sorted.value[below]);
}

// ---- state ----------------------------------------------------------------------------------------------------------

static bool stateMake(State *state, int count)
{
    state->position = calloc((size_t)count * 3, sizeof(double));
    state->velocity = calloc((size_t)count * 3, sizeof(double));
    return state->position != NULL && state->velocity != NULL;
}

static void stateFree(State *state)
{
    free(state->position);
    free(state->velocity);
}

// largest distance of two vertices, of the size
static double difference(const Problem *p, const State *a, const State *b)
{
    double largest = 0;
    for (int v = 0; v < p->vertexCount; ++v)
    {
        double square = 0;
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            square += (a->position[i] - b->position[i]) * (a->position[i] - b->position[i]);
        largest = square <= largest ? largest : square; // a NaN stays
    }
    return sqrt(largest) / p->size;
}

// ---- one row --------------------------------------------------------------------------------------------------------

static bool createAll(const BenchOptions *options, const Rivals *rivals, Course *course, FrameReport *report)
{
    int rivalCount = rivals != NULL ? rivals->frameCount : 0;
    for (int i = 0; i < 1 + rivalCount; ++i)
    {
        FrameEntry *entry = &report->entry[i];
        entry->contender = i == 0 ? &verveFrames : rivals->frame[i - 1];
        double begin = seconds();
        course->self[i] = entry->contender->create(course->problem, BENCH_ITERATIONS, options->threads);
        if (course->self[i] == NULL)
            return false;
        if (i == 0)
            entry->contender->frame(course->self[i]); // Verve factors in the first step
        entry->setup = 1000 * (seconds() - begin);
        report->entryCount += 1;
    }
    return true;
}

// from rest until the body swings
static void settle(Course *course, const Row *row)
{
    for (int i = 1; i < row->settle; ++i)
        verveFrames.frame(course->self[0]);
    verveFrames.getState(course->self[0], course->start.position, course->start.velocity);
}

static void runFrom(const FrameContender *contender, void *self, const State *from, State *to)
{
    contender->setState(self, from->position, from->velocity);
    contender->frame(self);
    contender->getState(self, to->position, to->velocity);
}

// one frame from the same state: the iterates are the same, so the positions must be
static void compare(Course *course, FrameReport *report)
{
    const State *start = &course->start;
    for (int i = 0; i < report->entryCount; ++i)
    {
        FrameEntry *entry = &report->entry[i];
        State *result = i == 0 ? &course->reference : &course->other;
        runFrom(entry->contender, course->self[i], start, result);
        entry->difference = difference(course->problem, result, &course->reference);
        entry->residual = objectiveResidual(course->problem, start->position, start->velocity, result->position);
        entry->limit = entry->contender->single ? SINGLE_LIMIT : DOUBLE_LIMIT;
    }
}

static bool convergeOne(const BenchOptions *options, Course *course, const FrameContender *contender, int iterations,
                        State *result, double *residual)
{
    void *self = contender->create(course->problem, iterations, options->threads);
    if (self == NULL)
        return false;
    runFrom(contender, self, &course->start, result);
    *residual = objectiveResidual(course->problem, course->start.position, course->start.velocity, result->position);
    contender->destroy(self);
    return true;
}

// many iterations: the same minimum, whatever the precision of the matrix
static bool compareConverged(const BenchOptions *options, Course *course, FrameReport *report)
{
    const FrameContender *rival = NULL;
    for (int i = 1; i < report->entryCount; ++i)
    {
        if (!report->entry[i].contender->single)
            rival = report->entry[i].contender;
    }
    int iterations = report->row->converge;
    if (rival == NULL || iterations == 0)
        return true;
    if (!convergeOne(options, course, &verveFrames, iterations, &course->reference, &report->convergedResidual[0]) ||
        !convergeOne(options, course, rival, iterations, &course->other, &report->convergedResidual[1]))
        return false;
    report->convergedIterations = iterations;
    report->convergedDifference = difference(course->problem, &course->other, &course->reference);
    return true;
}

static void timeRound(Course *course, FrameEntry *entry, void *self, int frames)
{
    // the threads of the contender before are spinning still
    threadSleep(0.005);
    entry->contender->setState(self, course->start.position, course->start.velocity);
    entry->contender->frame(self);
    double begin = seconds(), taken = 0;
    int done = 0;
    for (; done == 0 || (done < frames && taken < LONGEST); ++done)
    {
        entry->contender->frame(self);
        taken = seconds() - begin;
    }
    samplesAdd(&entry->ms, 1000 * taken / done);
}

static bool measure(const BenchOptions *options, const Row *row, const Rivals *rivals, Course *course,
                    FrameReport *report)
{
    int count = course->problem->vertexCount;
    if (!stateMake(&course->start, count) || !stateMake(&course->reference, count) || !stateMake(&course->other, count))
        return false;
    if (!createAll(options, rivals, course, report))
        return false;
    settle(course, row);
    compare(course, report);
    for (int round = 0; round < options->rounds; ++round)
    {
        for (int i = 0; i < report->entryCount; ++i)
            timeRound(course, &report->entry[i], course->self[i], row->frames);
    }
    return compareConverged(options, course, report);
}

bool measureFrames(const BenchOptions *options, const Row *row, const Problem *problem, const Rivals *rivals,
                   FrameReport *report, char *message, size_t size)
{
    Course course = { .problem = problem };
    report->row = row;
    report->vertexCount = problem->vertexCount;
    report->elementCount = problem->tetCount + problem->springCount;
    bool ok = measure(options, row, rivals, &course, report);
    if (!ok)
        snprintf(message, size, "%s: a contender could not be created", row->name);
    for (int i = 0; i < report->entryCount; ++i)
        report->entry[i].contender->destroy(course.self[i]);
    stateFree(&course.start);
    stateFree(&course.reference);
    stateFree(&course.other);
    return ok;
}

bool frameReportValid(const FrameReport *report)
{
    bool valid = report->convergedDifference <= CONVERGED_LIMIT;
    for (int i = 0; i < report->entryCount; ++i)
        valid = valid && isfinite(report->entry[i].residual) && report->entry[i].difference <= report->entry[i].limit;
    return valid;
}
