// Free bodies of many shapes that spin for 10,000 steps under the default method and under `stabilized` with either
// solver: momenta, energy, elastic share, and the flips about the intermediate axis against converged motion.
// VERVE_SPINS=first-last,frames takes some of the rows, VERVE_SPINS_SOLVER=default, newton or local-global one of the
// three.
#include "integrate/truth.h"

#include "linear/eigen.h"

#include <stdio.h>

#define FRAMES 10000
#define TRUE_FRAMES 1800 // of the reference
#define H (1.0 / 60)
#define FLIPS 6

// ---- shapes ---------------------------------------------------------------------------------------------------------

typedef enum Shape
{
    PLATE,
    ROD,
    ELLIPSOID,
    TORUS,
    CONVEX,
    TREE,
} Shape;

static const char *const names[] = { "plate", "rod", "ellipsoid", "torus", "convex", "tree" };

typedef struct Row
{
    Shape shape;
    double young, poisson, spin; // Pa, 1, rad/s
    int axis;                    // 0: of the least inertia, 1: the intermediate one, 2: the greatest
    int seed;
} Row;

// planes and branches at random
typedef struct Cut
{
    double normal[8][3], distance[8];
    double end[5][3];
} Cut;

static Cut cutOf(int seed)
{
    Cut cut;
    TestRandom random = { (uint64_t)seed };
    for (int k = 0; k < 8; ++k)
    {
        double square = 0;
        for (int a = 0; a < 3; ++a)
        {
            cut.normal[k][a] = randomBetween(&random, -1, 1);
            square += cut.normal[k][a] * cut.normal[k][a];
        }
        for (int a = 0; a < 3; ++a)
            cut.normal[k][a] /= sqrt(square);
        cut.distance[k] = randomBetween(&random, 0.22, 0.4);
    }
    for (int i = 0; i < 15; ++i)
        cut.end[i / 3][i % 3] = randomBetween(&random, -0.5, 0.5);
    return cut;
}

// distance of a point from the line from 0 to `end`
static double fromBranch(const double *p, const double *end)
{
    double along = 0, length = 0, square = 0;
    for (int a = 0; a < 3; ++a)
    {
        along += p[a] * end[a];
        length += end[a] * end[a];
    }
    along = fmin(fmax(along / length, 0), 1);
    for (int a = 0; a < 3; ++a)
        square += (p[a] - along * end[a]) * (p[a] - along * end[a]);
    return sqrt(square);
}

static bool isInside(const Row *row, const Cut *cut, const double *p)
{
    double ring = sqrt(p[0] * p[0] + p[1] * p[1]) - 0.35, least = 1;
    switch (row->shape)
    {
    case PLATE:
        return fabs(p[1]) < 0.3 && fabs(p[2]) < 0.1;
    case ROD:
        return fabs(p[1]) < 0.1 && fabs(p[2]) < 0.1;
    case ELLIPSOID:
        return 4 * p[0] * p[0] + 9 * p[1] * p[1] + 20 * p[2] * p[2] < 1;
    case TORUS:
        return ring * ring + p[2] * p[2] < 0.15 * 0.15 && p[1] < 0.4;
    case CONVEX:
        for (int k = 0; k < 8; ++k)
        {
            if (p[0] * cut->normal[k][0] + p[1] * cut->normal[k][1] + p[2] * cut->normal[k][2] > cut->distance[k])
                return false;
        }
        return true;
    default:
        for (int k = 0; k < 5; ++k)
            least = fmin(least, fromBranch(p, cut->end[k]));
        return least < 0.11;
    }
}

// the cubes of a lattice whose centres lie in the shape
static vvMesh *meshOf(const Row *row)
{
    Cut cut = cutOf(row->seed);
    vvMesh *lattice = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 10, 10, 10);
    int *tets = malloc((size_t)lattice->tetCount * 4 * sizeof(int)), count = 0, points = 0;
    int *number = malloc((size_t)lattice->vertexCount * sizeof(int));
    double *x = malloc((size_t)lattice->vertexCount * 3 * sizeof(double));
    for (int v = 0; v < lattice->vertexCount; ++v)
        number[v] = -1;
    for (int t = 0; t < lattice->tetCount; ++t)
    {
        double centre[3] = { 0, 0, 0 };
        for (int i = 0; i < 12; ++i)
            centre[i % 3] += 0.25 * lattice->point[3 * lattice->tet[4 * t + i / 3] + i % 3];
        for (int a = 0; a < 3; ++a)
            centre[a] = 0.1 * floor(10 * centre[a]) + 0.05;
        if (!isInside(row, &cut, centre))
            continue;
        for (int c = 0; c < 4; ++c)
        {
            int v = lattice->tet[4 * t + c];
            if (number[v] < 0)
            {
                memcpy(x + 3 * points, lattice->point + 3 * v, 3 * sizeof(double));
                number[v] = points++;
            }
            tets[4 * count + c] = number[v];
        }
        count += 1;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = x;
    def.pointCount = points;
    def.tets = tets;
    def.tetCount = count;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    free(tets);
    free(number);
    free(x);
    vvDestroyMesh(lattice);
    return mesh;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

typedef struct Run
{
    Body3 made;
    double axis[3]; // at rest: the one that it spins about
    double *side;   // count: weights of vertices whose sum is along it
    double sign;
    vvVec3 start; // angular momentum
    double total; // J
    double angular, least, most, share;
    int frames, flips;
    double flip[FLIPS]; // s
} Run;

static Run startRun(const Row *row, Plan plan)
{
    Run run = { .made = makePlanned(plan, meshOf(row)), .sign = 1, .least = 1, .most = 1 };
    int n = run.made.count;
    const double *x = vvSoftBody_GetPositions(run.made.body), *m = vvSoftBody_GetMasses(run.made.body);
    double centre[3] = { 0, 0, 0 }, mass = 0, second[9] = { 0 }, values[3], vectors[9];
    for (int i = 0; i < 3 * n; ++i)
    {
        centre[i % 3] += m[i / 3] * x[i];
        mass += m[i / 3] / 3;
    }
    for (int a = 0; a < 3; ++a)
        centre[a] /= mass;
    for (int v = 0; v < n; ++v)
    {
        for (int i = 0; i < 9; ++i)
            second[i] += m[v] * (x[3 * v + i / 3] - centre[i / 3]) * (x[3 * v + i % 3] - centre[i % 3]);
    }
    eigenDense(3, second, values, vectors); // the greatest moment of mass has the least inertia
    double *velocity = malloc((size_t)n * 3 * sizeof(double)), spin[3];
    run.side = malloc((size_t)n * sizeof(double));
    for (int a = 0; a < 3; ++a)
    {
        run.axis[a] = vectors[3 * (2 - row->axis) + a];
        spin[a] = row->spin * (run.axis[a] + 0.01 * vectors[3 * ((3 - row->axis) % 3) + a]);
    }
    for (int v = 0; v < n; ++v)
    {
        double r[3];
        for (int a = 0; a < 3; ++a)
            r[a] = x[3 * v + a] - centre[a];
        for (int a = 0; a < 3; ++a)
            velocity[3 * v + a] = spin[(a + 1) % 3] * r[(a + 2) % 3] - spin[(a + 2) % 3] * r[(a + 1) % 3];
        run.side[v] = m[v] * (r[0] * run.axis[0] + r[1] * run.axis[1] + r[2] * run.axis[2]);
    }
    CHECK_OK(vvSoftBody_SetVelocities(run.made.body, velocity));
    free(velocity);
    run.start = vvSoftBody_GetAngularMomentum(run.made.body);
    run.total = totalEnergy(run.made.world);
    return run;
}

static void advance(Run *run, int parts)
{
    frame(run->made, H, parts);
    run->frames += 1;
    vvVec3 now = vvSoftBody_GetAngularMomentum(run->made.body);
    vvVec3 off = { now.x - run->start.x, now.y - run->start.y, now.z - run->start.z };
    vvLedger ledger = vvWorld_GetLedger(run->made.world);
    run->angular = fmax(run->angular, length3(off) / length3(run->start));
    run->least = fmin(run->least, ledger.total / run->total);
    run->most = fmax(run->most, ledger.total / run->total);
    run->share += ledger.elastic / (ledger.elastic + ledger.kinetic);
    const double *x = vvSoftBody_GetPositions(run->made.body);
    double axis = 0;
    for (int v = 0; v < run->made.count; ++v)
        axis += run->side[v] * (x[3 * v] * run->start.x + x[3 * v + 1] * run->start.y + x[3 * v + 2] * run->start.z);
    if (axis * run->sign >= 0)
        return;
    run->sign = -run->sign;
    if (run->flips < FLIPS)
        run->flip[run->flips] = run->frames * H;
    run->flips += 1;
}

static void endRun(Run *run)
{
    free(run->side);
    vvDestroyWorld(run->made.world);
}

// s, the mean of the first five intervals; 0: fewer
static double interval(const Run *run)
{
    return run->flips >= FLIPS ? (run->flip[FLIPS - 1] - run->flip[0]) / (FLIPS - 1) : 0;
}

static const Row rows[] = {
    { PLATE, 1e5, 0.3, 6, 1, 1 },      { PLATE, 1e6, 0.3, 6, 1, 1 },   { PLATE, 1e7, 0.3, 30, 1, 1 },
    { ROD, 1e6, 0.3, 4, 1, 1 },        { ROD, 1e5, 0.45, 8, 2, 1 },    { ELLIPSOID, 1e5, 0.3, 6, 1, 1 },
    { ELLIPSOID, 1e6, 0.3, 20, 2, 1 }, { TORUS, 1e5, 0.3, 5, 1, 1 },   { TORUS, 1e6, 0.45, 10, 0, 1 },
    { CONVEX, 1e4, 0.3, 2, 1, 2 },     { CONVEX, 1e6, 0.3, 12, 1, 3 }, { CONVEX, 1e7, 0.3, 30, 1, 4 },
    { TREE, 1e5, 0.3, 3, 1, 5 },       { TREE, 1e6, 0.3, 8, 1, 6 },    { TREE, 1e7, 0.3, 20, 2, 7 },
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

// what runs: the default, and `stabilized` with these solvers
static const char *const solvers[] = { NULL, "newton", "local-global" };

#define KINDS ((int)(sizeof solvers / sizeof solvers[0]))

// false: it misses what is asked of it
static bool judge(const Row *row, const char *solver, const Run *run, const Run *truth, double early)
{
    double share = truth->share / truth->frames;
    print_message("%2d %s %g Pa, %g, %g rad/s, axis %d, %d vertices, %s: dL %.1e, H %.4f to %.4f, share %.5f (truth "
                  "%.5f), first flip %.2f s (%.2f), interval %.2f s (%.2f), %d flips\n",
                  (int)(row - rows), names[row->shape], row->young, row->poisson, row->spin, row->axis, run->made.count,
                  solver == NULL ? "default" : solver, run->angular, run->least, run->most, early, share, run->flip[0],
                  truth->flip[0], interval(run), interval(truth), run->flips);
    bool good = run->angular < 1e-9 && run->least > 0.99 && run->most < 1.01;
    bool shares = fabs(early - share) < 0.2 * share;
    bool later = truth->flips == 0 && (run->flips == 0 || run->flip[0] > TRUE_FRAMES * H);
    bool flips = later || fabs(run->flip[0] - truth->flip[0]) <= 0.05 * truth->flip[0] + H;
    bool means = fabs(interval(run) - interval(truth)) <= 0.1 * interval(truth) || interval(truth) == 0;
    if (!good || !shares || !flips || !means)
        print_message("   missed:%s%s%s%s\n", good ? "" : " momentum or energy", shares ? "" : " share",
                      flips ? "" : " first flip", means ? "" : " intervals");
    return good && shares && flips && means;
}

static void spinningBodies(void **state)
{
    (void)state;
    int first = 0, last = ROWS - 1, frames = FRAMES, missed = 0;
    const char *chosen = getenv("VERVE_SPINS"), *only = getenv("VERVE_SPINS_SOLVER");
    if (chosen != NULL)
        sscanf(chosen, "%d-%d,%d", &first, &last, &frames);
    for (int i = first; i <= last && i < ROWS; ++i)
    {
        const Row *row = &rows[i];
        // Verlet's limit goes with the cell over the speed of waves
        int parts = (int)(4 * H * sqrt(row->young / 1000 * (row->poisson > 0.4 ? 3.8 : 1.35)) / 0.05 * 2) + 20;
        Run truth = startRun(row, (Plan){ .young = row->young, .poisson = row->poisson, .method = "verlet" });
        for (int n = 0; n < frames && n < TRUE_FRAMES; ++n)
            advance(&truth, parts);
        for (int k = 0; k < KINDS; ++k)
        {
            const char *solver = solvers[k], *method = solver != NULL ? "stabilized" : NULL;
            if (only != NULL && strcmp(only, solver != NULL ? solver : "default") != 0)
                continue;
            Plan plan = { .method = method, .solver = solver, .young = row->young, .poisson = row->poisson };
            Run run = startRun(row, plan);
            double early = 0;
            for (int n = 0; n < frames; ++n)
            {
                advance(&run, 1);
                early = run.frames <= truth.frames ? run.share / run.frames : early;
            }
            missed += !judge(row, solver, &run, &truth, early);
            endRun(&run);
        }
        endRun(&truth);
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(spinningBodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
