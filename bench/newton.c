// verve-newton: steps of Newton's methods on bodies of some thousand vertices: time, phases, and the error of each step
// against the same step to 1e-10. With more than one thread every step is also taken by one, which must end in the same
// bits: between other programs, the least times of both in one run can be compared.
//   verve-newton [rows, comma separated] [mesh folder or -] [tolerance,...] [threads] [frames] [solver] [young Pa] [nu]
// A body held at one end of its longest side swings under its weight by the implicit midpoint rule, 60 steps a second.
#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP (1.0 / 60)
#define TIGHT 1e-10
#define SETTLE 2       // frames before the first that counts
#define HELD_PART 0.15 // of the size, along the longest side

typedef struct Setting
{
    const char *meshDir, *solver;
    double tolerance, young, poisson;
    int threads, frames;
} Setting;

static vvWorldId createWorld(const Setting *setting, vvMesh *mesh, double tolerance, int threads, vvSoftBodyId *body)
{
    vvResult result = { 0 };
    vvWorldDef world = vvDefaultWorldDef();
    world.method = "implicit-midpoint";
    world.solver = setting->solver;
    world.threads = threads;
    world.tolerance = tolerance;
    vvWorldId id = vvCreateWorld(&world, &result);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.material = (vvMaterial){ .density = 1000, .young = setting->young, .poisson = setting->poisson };
    *body = vvCreateSoftBody(id, &def, &result);
    const double *x = vvMesh_GetPoints(mesh);
    int count = vvMesh_GetVertexCount(mesh), axis = 0;
    double least[3], most[3];
    for (int a = 0; a < 3; ++a)
    {
        least[a] = most[a] = x[a];
        for (int v = 0; v < count; ++v)
        {
            least[a] = fmin(least[a], x[3 * v + a]);
            most[a] = fmax(most[a], x[3 * v + a]);
        }
        if (most[a] - least[a] > most[axis] - least[axis])
            axis = a;
    }
    int *held = malloc((size_t)count * sizeof(int)), heldCount = 0;
    for (int v = 0; v < count; ++v)
    {
        if (x[3 * v + axis] < least[axis] + HELD_PART * vvMesh_GetSize(mesh))
            held[heldCount++] = v;
    }
    if (result.code == VV_OK)
        result = vvSoftBody_Pin(*body, held, heldCount);
    free(held);
    if (result.code != VV_OK)
        fprintf(stderr, "verve-newton: %s\n", result.message);
    return id;
}

static double distance(const double *a, const double *b, int count)
{
    double most = 0;
    for (int v = 0; v < count; ++v)
    {
        double square = 0;
        for (int i = 0; i < 3; ++i)
            square += (a[3 * v + i] - b[3 * v + i]) * (a[3 * v + i] - b[3 * v + i]);
        most = fmax(most, sqrt(square));
    }
    return most;
}

typedef struct Course
{
    vvWorldId world, exact, one; // `one`: by one thread, of more than one
    vvSoftBodyId body, exactBody, oneBody;
    void *saved;
    size_t bytes;
    int count; // vertices
    int threads;
    Samples ms, oneMs;
    double iterations, factorizations, semidefinite, linear, error, total;
    bool failed;
} Course;

// of one thread the processor's time, which other programs on the machine disturb less
static double now(const Course *c)
{
    return c->threads > 1 ? seconds() : (double)clock() / CLOCKS_PER_SEC;
}

static void frameOfOne(Course *c)
{
    size_t bytes = 3 * (size_t)c->count * sizeof(double);
    c->failed |= vvWorld_RestoreState(c->one, c->saved, c->bytes).code != VV_OK;
    double since = seconds();
    c->failed |= vvWorld_Step(c->one, STEP).code != VV_OK;
    if (c->oneMs.count < MOST_ROUNDS)
        samplesAdd(&c->oneMs, 1000 * (seconds() - since));
    c->failed |= memcmp(vvSoftBody_GetPositions(c->body), vvSoftBody_GetPositions(c->oneBody), bytes) != 0;
}

static void frame(Course *c, double size)
{
    c->failed |= vvWorld_SaveState(c->world, c->saved, c->bytes).code != VV_OK;
    double since = now(c);
    c->failed |= vvWorld_Step(c->world, STEP).code != VV_OK;
    if (c->ms.count < MOST_ROUNDS)
        samplesAdd(&c->ms, 1000 * (now(c) - since));
    c->total += 1000 * (now(c) - since);
    if (c->threads > 1)
        frameOfOne(c);
    vvStatistics s = vvWorld_GetStatistics(c->world);
    c->iterations += s.iterations;
    c->factorizations += s.factorizations;
    c->semidefinite += s.semidefinite;
    c->linear += s.linearIterations;
    c->failed |= vvWorld_RestoreState(c->exact, c->saved, c->bytes).code != VV_OK;
    c->failed |= vvWorld_Step(c->exact, STEP).code != VV_OK;
    c->error = fmax(c->error,
                    distance(vvSoftBody_GetPositions(c->body), vvSoftBody_GetPositions(c->exactBody), c->count) / size);
}

static bool runRow(const Setting *setting, const Row *row)
{
    char message[256] = "";
    Problem problem;
    bool file;
    if (!problemCreate(row, setting->meshDir, &problem, &file, message, sizeof message))
    {
        fprintf(stderr, "verve-newton: %s\n", message);
        return false;
    }
    Course c = { .count = problem.vertexCount, .threads = setting->threads };
    double size = vvMesh_GetSize(problem.mesh);
    c.world = createWorld(setting, problem.mesh, setting->tolerance, setting->threads, &c.body);
    c.exact = createWorld(setting, problem.mesh, TIGHT, setting->threads, &c.exactBody);
    c.one = createWorld(setting, problem.mesh, setting->tolerance, 1, &c.oneBody);
    c.bytes = vvWorld_GetStateSize(c.world);
    c.saved = malloc(c.bytes);
    for (int n = 0; n < SETTLE; ++n)
        frame(&c, size);
    c.ms.count = c.oneMs.count = 0;
    c.iterations = c.factorizations = c.semidefinite = c.linear = c.error = c.total = 0;
    vvProfile before = vvWorld_GetProfile(c.world);
    double most = 0;
    for (int n = 0; n < setting->frames; ++n)
    {
        frame(&c, size);
        most = fmax(most, fabs(vvWorld_GetLedger(c.world).numerical));
    }
    vvProfile p = vvWorld_GetProfile(c.world);
    double n = setting->frames;
    printf("%-7s %7.0e %2d %7.2f %7.2f %7.2f %5.2f %5.2f %5.2f %6.1f | %6.2f %6.2f %6.2f %6.2f %6.2f %6.2f | %8.1e "
           "%9.1e",
           row->name, setting->tolerance, setting->threads, samplesAt(&c.ms, 0), samplesAt(&c.ms, 0.5), c.total / n,
           c.iterations / n, c.factorizations / n, c.semidefinite / n, c.linear / n,
           1000 * (p.gradient - before.gradient) / n, 1000 * (p.matrix - before.matrix) / n,
           1000 * (p.factor - before.factor) / n, 1000 * (p.solve - before.solve) / n,
           1000 * (p.line - before.line) / n,
           1000 * (p.ledger + p.other + p.prepare - before.ledger - before.other - before.prepare) / n, c.error, most);
    if (setting->threads > 1)
        printf(" | one thread %6.2f %6.2f, least %.2f of it", samplesAt(&c.oneMs, 0), samplesAt(&c.oneMs, 0.5),
               samplesAt(&c.ms, 0) / samplesAt(&c.oneMs, 0));
    printf("%s\n", c.failed ? "  FAILED" : "");
    fflush(stdout);
    vvDestroyWorld(c.world);
    vvDestroyWorld(c.exact);
    vvDestroyWorld(c.one);
    free(c.saved);
    problemDestroy(&problem);
    return !c.failed;
}

int main(int argc, char **argv)
{
    Setting setting = { .solver = argc > 6 ? argv[6] : "newton",
                        .meshDir = argc > 2 && strcmp(argv[2], "-") != 0 ? argv[2] : NULL,
                        .threads = argc > 4 ? atoi(argv[4]) : machineCores(),
                        .frames = argc > 5 ? atoi(argv[5]) : 30,
                        .young = argc > 7 ? atof(argv[7]) : 3e5,
                        .poisson = argc > 8 ? atof(argv[8]) : 0.3 };
    const char *rows = argc > 1 ? argv[1] : "cube,hippo,cactus";
    printf("%s, %s, load %s; %s, E %g Pa, poisson %g\n", machineCpu(), machineIsa(), machineLoad(), setting.solver,
           setting.young, setting.poisson);
    printf(
        "ms a step: least, median, mean; a step's mean: iterations, factors, of them semidefinite, linear iterations;\n"
        "phases in ms; largest error of a step over the size; largest numerical energy, J\n");
    printf("%-7s %7s %2s %7s %7s %7s %5s %5s %5s %6s | %6s %6s %6s %6s %6s %6s | %8s %9s\n", "row", "toler.", "t",
           "least", "median", "mean", "iter", "fact", "semi", "lin", "grad", "matrix", "factor", "solve", "line",
           "other", "error", "energy");
    bool fine = true;
    for (int i = 0; i < rowCount(); ++i)
    {
        const char *found = strstr(rows, rowAt(i)->name);
        if (found == NULL)
            continue;
        for (const char *t = argc > 3 ? argv[3] : "1e-4,1e-10"; t != NULL;
             t = strchr(t, ',') ? strchr(t, ',') + 1 : NULL)
        {
            setting.tolerance = atof(t);
            fine = runRow(&setting, rowAt(i)) && fine;
        }
    }
    return fine ? 0 : 1;
}
