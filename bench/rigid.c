// verve-rigid: heaps of rigid boxes beside Bullet, where it is installed.
//   verve-rigid [word in a row's name or -] [frames or 0] [threads]
// The contenders take turns, frame by frame, with equal numbers of sweeps in a frame of 1/60 s: Verve takes substeps of
// one sweep, Bullet one step of all of them, and as many steps of one; Verve with a quarter of them is there for its
// time. Times are those of the last two thirds of the
// frames. cpu ms: of all threads; on a busy machine those of one thread still compare, wall clock does not. Fast and
// wrong is no rival, so that states are judged by the same measures, in double: overlap of the boxes and gaps of the
// pins, how far boxes are from where they began, how fast they still are, and how far their energy rose above
// the lowest so far.
#include "bench/rigid.h"

#include "base/quaternion.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BOX_CONTENDERS 5
#define GRAVITY 9.81 // m/s^2

static const BoxContender *contenders[] = {
    &verveBoxes,  &verveBoxesThreads,   &verveBoxesFew,
#ifdef VERVE_BULLET
    &bulletBoxes, &bulletBoxesSubsteps,
#endif
};

#define CONTENDERS ((int)(sizeof contenders / sizeof contenders[0]))

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct Scene
{
    BenchBox *box;
    BenchPin *pin;
    int boxCount, pinCount;
} Scene;

static BenchBox *sceneAdd(Scene *scene, vvVec3 size, vvVec3 position, double mass)
{
    BenchBox *box = &scene->box[scene->boxCount++];
    *box = (BenchBox){ .rotation = { 1, 0, 0, 0 }, .mass = mass };
    vecStore(box->size, size);
    vecStore(box->position, position);
    return box;
}

// 10 x 10 columns of boxes of 0.4 m, each turned a little, fall into a bin that is 4.6 m wide
static void fillBin(Scene *scene, int count)
{
    const double half = 2.3, thick = 0.5, high = 6; // m
    for (int k = 0; k < 4; ++k)
    {
        double side = (k % 2 ? 1 : -1) * (half + 0.5 * thick);
        bool alongX = k < 2;
        sceneAdd(scene, alongX ? vec3(thick, high, 6) : vec3(6, high, thick),
                 alongX ? vec3(side, 0.5 * high, 0) : vec3(0, 0.5 * high, side), 0);
    }
    uint32_t seed = 1;
    for (int i = 0; i < count; ++i)
    {
        double turn[3];
        int row = i / 100;
        for (int k = 0; k < 3; ++k)
        {
            seed = seed * 1664525u + 1013904223u;
            turn[k] = 40 * ((seed >> 8) / 16777216.0 - 0.5); // degrees
        }
        BenchBox *box = sceneAdd(scene, vec3(0.4, 0.4, 0.4),
                                 vec3(0.45 * (i % 10 - 4.5), 0.35 + 0.5 * row, 0.45 * (i / 10 % 10 - 4.5)), 64);
        vvQuat q = vvQuat_FromDegrees((vvVec3){ turn[0], turn[1], turn[2] });
        box->rotation[0] = q.w, box->rotation[1] = q.x, box->rotation[2] = q.y, box->rotation[3] = q.z;
    }
}

static void fillPyramid(Scene *scene, int count)
{
    for (int row = 0; row < count; ++row)
        for (int i = 0; i < count - row; ++i)
            sceneAdd(scene, vec3(0.4, 0.4, 0.4), vec3(0.42 * (i + 0.5 * row), 0.2 + 0.4 * row, 0), 64);
}

// links of 1 kg hang from a block that stands, with a cube of 1000 kg at their end, aside
static void fillChain(Scene *scene, int count)
{
    double y = 10; // m, of the joint
    sceneAdd(scene, vec3(0.4, 0.4, 0.4), vec3(0, y + 0.25, 0), 0);
    for (int i = 0; i <= count; ++i)
    {
        bool last = i == count;
        double size = last ? 1 : 0.2;
        scene->pin[scene->pinCount++] = (BenchPin){ i, i + 1, { 0, y, 0 } };
        sceneAdd(scene, last ? vec3(1, 1, 1) : vec3(0.1, 0.2, 0.1), vec3(0, y - 0.5 * size, 0), last ? 1000 : 1);
        y -= size;
    }
}

typedef struct BoxRow
{
    const char *name;
    int count; // of the filling
    bool floor;
    int sweeps, frames;
    void (*fill)(Scene *scene, int count);
} BoxRow;

static const BoxRow rows[] = {
    { "heap of 1000 boxes in a bin", 1000, true, 20, 120, fillBin },
    { "pyramid of 210 boxes", 20, true, 20, 120, fillPyramid },
    { "chain of 10 links with a ton", 10, false, 100, 120, fillChain },
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Run
{
    void *self;
    double *ms, *cpu; // of the frames that are timed
    Quality quality;
} Run;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at(double *values, int count, double fraction)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)(fraction * (count - 1))];
}

// the boxes that stand are where they began: contenders do not tell
static void readStates(const BoxProblem *p, int k, Run *run, double *states)
{
    contenders[k]->states(run->self, states);
    for (int i = 0; i < p->boxCount; ++i)
    {
        if (p->box[i].mass > 0)
            continue;
        memset(states + (size_t)i * BOX_STATE, 0, BOX_STATE * sizeof *states);
        memcpy(states + (size_t)i * BOX_STATE, p->box[i].position, sizeof p->box[i].position);
        memcpy(states + (size_t)i * BOX_STATE + 3, p->box[i].rotation, sizeof p->box[i].rotation);
    }
}

static bool timeFrames(const BoxProblem *p, Run *run, int frames, double *states)
{
    int from = frames / 3;
    for (int n = 0; n < frames; ++n)
    {
        for (int turn = 0; turn < CONTENDERS; ++turn)
        {
            int k = (turn + n) % CONTENDERS;
            clock_t ticks = clock();
            double since = seconds();
            if (!contenders[k]->frame(run[k].self))
                return false;
            if (n >= from)
            {
                run[k].ms[n - from] = 1000 * (seconds() - since);
                run[k].cpu[n - from] = 1000.0 * (double)(clock() - ticks) / CLOCKS_PER_SEC;
            }
            readStates(p, k, &run[k], states);
            qualityFollow(&run[k].quality, p, states, n == 0);
        }
    }
    return true;
}

static void report(const BoxRow *row, const BoxProblem *p, Run *run, int frames, double *states)
{
    int count = frames - frames / 3;
    double base = at(run[0].cpu, count, 0.5);
    printf("%s: %d boxes, %d pins, %d frames of %d sweeps\n", row->name, p->boxCount, p->pinCount, frames, p->sweeps);
    printf("  %-26s %8s %17s %8s %7s %8s %9s %8s %9s %9s %10s\n", "", "ms", "10 % - 90 %", "cpu ms", "/ verve",
           "contacts", "deep mm", "gap mm", "drift mm", "rms mm/s", "gained J/t");
    for (int k = 0; k < CONTENDERS; ++k)
    {
        Quality *q = &run[k].quality;
        readStates(p, k, &run[k], states);
        qualityJudge(p, states, q);
        double cpu = at(run[k].cpu, count, 0.5);
        printf("  %-26s %8.2f %8.2f %8.2f %8.2f %7.2f %8d %9.3f %8.3f %9.3g %9.3g %10.3g\n", contenders[k]->name,
               at(run[k].ms, count, 0.5), at(run[k].ms, count, 0.1), at(run[k].ms, count, 0.9), cpu, cpu / base,
               q->contacts, 1e3 * q->deepest, 1e3 * q->gap, 1e3 * q->drift, 1e3 * q->speed, 1e3 * q->gained / q->mass);
    }
    fflush(stdout);
}

static bool runRow(const BoxRow *row, int frames)
{
    Scene scene = { .box = calloc(1200, sizeof(BenchBox)), .pin = calloc(64, sizeof(BenchPin)) };
    Run run[BOX_CONTENDERS] = { { 0 } };
    frames = frames > 0 ? frames : row->frames;
    bool fine = scene.box != NULL && scene.pin != NULL;
    if (fine)
        row->fill(&scene, row->count);
    BoxProblem p = { .box = scene.box, .pin = scene.pin, .boxCount = scene.boxCount, .pinCount = scene.pinCount };
    p.floor = row->floor;
    p.friction = 0.5;
    p.gravity = GRAVITY;
    p.frame = 1.0 / 60;
    p.sweeps = row->sweeps;
    double *states = calloc((size_t)p.boxCount * BOX_STATE, sizeof(double));
    for (int k = 0; k < CONTENDERS && fine; ++k)
    {
        run[k].self = contenders[k]->create(&p);
        run[k].ms = calloc((size_t)frames, sizeof(double));
        run[k].cpu = calloc((size_t)frames, sizeof(double));
        fine = run[k].self != NULL && run[k].ms != NULL && run[k].cpu != NULL;
    }
    fine = fine && states != NULL && timeFrames(&p, run, frames, states);
    if (fine)
        report(row, &p, run, frames, states);
    else
        fprintf(stderr, "verve-rigid: %s failed\n", row->name);
    for (int k = 0; k < CONTENDERS; ++k)
    {
        if (run[k].self != NULL)
            contenders[k]->destroy(run[k].self);
        free(run[k].ms);
        free(run[k].cpu);
    }
    free(states);
    free(scene.box);
    free(scene.pin);
    return fine;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : "";
    int frames = argc > 2 ? atoi(argv[2]) : 0;
    benchThreads = argc > 3 ? atoi(argv[3]) : 2;
    printf("verve %s, %s, %s\n%s, %s, load %s, %d threads of %d cores\n", buildCommit(), buildCompiler(), buildFlags(),
           machineCpu(), machineIsa(), machineLoad(), benchThreads, machineCores());
    if (CONTENDERS == 3)
        printf("built without Bullet (libbullet-dev): nothing to compare with\n");
    bool fine = true;
    for (int i = 0; i < ROWS; ++i)
    {
        if (strstr(rows[i].name, word) != NULL)
            fine = runRow(&rows[i], frames) && fine;
    }
    return fine ? 0 : 1;
}
