// verve-accelerate: how far local/global is from the exact step after some iterations, plain and accelerated, and what
// an iteration costs. Prints the table of docs/notes/speed.md.
//   verve-accelerate [word in the scene's name]
#include <verve/verve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STATES 12 // of a motion, from which one step is taken
#define EVERY 5   // frames between them
#define COUNTS 4  // of iterations
#define ROUNDS 3  // the least time counts
#define TIME_STEP (1.0 / 60)
#define FLOOR 1e-13 // errors below this are rounding

static const int counts[COUNTS] = { 5, 10, 20, 40 };

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef struct Scene
{
    const char *name;
    vvMesh *(*mesh)(void);
    double young, poisson; // of the tets; 0: springs
    bool clamped;          // at the least x; else the sheet hangs by two corners, the ball flies and spins
} Scene;

static vvMesh *barMesh(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 0.0625, 0.0625 }, 32, 2, 2);
}

static vvMesh *plateMesh(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 0.71, 0.11 }, 28, 20, 3);
}

static vvMesh *ballMesh(void)
{
    return vvCreateSphereMesh(1, 6);
}

static vvMesh *sheetMesh(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.size = (vvVec3){ 1, 1, 1 };
    def.cells[0] = def.cells[2] = 40;
    def.diagonals = 1;
    def.skip = true;
    return vvCreateMesh(&def, NULL);
}

static const Scene scenes[] = {
    { "bar, ratio 0.45", barMesh, 2e5, 0.45, true },   { "plate, ratio 0", plateMesh, 1e5, 0, true },
    { "plate, ratio 0.3", plateMesh, 1e5, 0.3, true }, { "ball, ratio 0", ballMesh, 1e5, 0, false },
    { "ball, ratio 0.3", ballMesh, 1e5, 0.3, false },  { "cloth of springs", sheetMesh, 0, 0, false },
};

typedef struct Run
{
    vvWorldId world;
    vvSoftBodyId body;
    int count; // vertices
} Run;

static void hold(const Run *run, const Scene *scene)
{
    const double *x = vvSoftBody_GetPositions(run->body);
    for (int v = 0; v < run->count; ++v)
    {
        bool corner = fabs(x[3 * v]) > 0.5 - 1e-9 && x[3 * v + 2] < -0.5 + 1e-9;
        if (scene->clamped ? x[3 * v] < -0.5 + 1e-9 : scene->young == 0 && corner)
            vvSoftBody_Pin(run->body, &v, 1);
    }
}

static Run runCreate(const Scene *scene, const char *method, int iterations, bool accelerate, double tolerance)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = "local-global";
    worldDef.iterations = iterations;
    worldDef.settings.localGlobal.accelerate = accelerate;
    worldDef.tolerance = tolerance;
    vvMesh *mesh = scene->mesh();
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.loss = 0;
    def.mesh = mesh;
    def.material.density = 1000;
    if (scene->young > 0)
    {
        def.material.young = scene->young;
        def.material.poisson = scene->poisson;
        def.spin = scene->clamped ? (vvVec3){ 0, 0, 0 } : (vvVec3){ 1, 4, 2 };
    }
    else
    {
        const double stiffness[VV_EDGE_KINDS] = { 200, 100, 20 }; // N/m
        memcpy(def.springStiffness, stiffness, sizeof stiffness);
        def.material.thickness = 0.001;
    }
    Run run = { .world = vvCreateWorld(&worldDef, NULL), .count = vvMesh_GetVertexCount(mesh) };
    run.body = vvCreateSoftBody(run.world, &def, NULL);
    vvDestroyMesh(mesh);
    hold(&run, scene);
    return run;
}

// ---- the motion and its exact steps ---------------------------------------------------------------------------------

typedef struct Motion
{
    size_t bytes;                                             // of one array
    double *start[STATES], *velocity[STATES], *exact[STATES]; // vertexCount x 3
} Motion;

static double *copy(const double *source, size_t bytes)
{
    double *result = malloc(bytes);
    if (result == NULL)
        exit(1);
    return memcpy(result, source, bytes);
}

static Motion motionRecord(const Scene *scene, const char *method)
{
    Run run = runCreate(scene, method, 5000, true, 1e-13);
    Motion motion = { .bytes = sizeof(double) * 3 * (size_t)run.count };
    for (int frame = 1, k = 0; k < STATES; ++frame)
    {
        if (frame % EVERY == 0)
        {
            motion.start[k] = copy(vvSoftBody_GetPositions(run.body), motion.bytes);
            motion.velocity[k] = copy(vvSoftBody_GetVelocities(run.body), motion.bytes);
        }
        vvWorld_Step(run.world, TIME_STEP);
        if (frame % EVERY == 0)
            motion.exact[k++] = copy(vvSoftBody_GetPositions(run.body), motion.bytes);
    }
    vvDestroyWorld(run.world);
    return motion;
}

static void motionFree(Motion *motion)
{
    for (int k = 0; k < STATES; ++k)
    {
        free(motion->start[k]);
        free(motion->velocity[k]);
        free(motion->exact[k]);
    }
}

// distance to the exact step, of its length
static double errorOf(const Run *run, const Motion *motion, int k)
{
    const double *x = vvSoftBody_GetPositions(run->body);
    double error = 0, length = 0;
    for (int i = 0; i < 3 * run->count; ++i)
    {
        error += (x[i] - motion->exact[k][i]) * (x[i] - motion->exact[k][i]);
        length += (motion->start[k][i] - motion->exact[k][i]) * (motion->start[k][i] - motion->exact[k][i]);
    }
    return sqrt(error / length);
}

// ---- the table ------------------------------------------------------------------------------------------------------

static double milliseconds(void) // of processor time: one thread, and others may be at work
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

typedef struct Result
{
    double mean, worst; // error over the states: geometric mean, largest
    double ms;          // of a step, mean over the states
} Result;

static Result measure(const Scene *scene, const char *method, const Motion *motion, int iterations, bool accelerate)
{
    Run run = runCreate(scene, method, iterations, accelerate, 1e-15);
    Result result = { 0 };
    double logarithms = 0;
    for (int k = 0; k < STATES; ++k)
    {
        double least = 1e300;
        for (int round = 0; round <= ROUNDS; ++round)
        {
            vvSoftBody_SetPositions(run.body, motion->start[k]);
            vvSoftBody_SetVelocities(run.body, motion->velocity[k]);
            double begin = milliseconds();
            vvWorld_Step(run.world, TIME_STEP);
            if (round > 0) // the first may factor
                least = fmin(least, milliseconds() - begin);
        }
        double error = errorOf(&run, motion, k);
        logarithms += log(fmax(error, FLOOR));
        result.worst = fmax(result.worst, error);
        result.ms += least / STATES;
    }
    result.mean = exp(logarithms / STATES);
    vvDestroyWorld(run.world);
    return result;
}

static void printRow(const Scene *scene, const char *method)
{
    Motion motion = motionRecord(scene, method);
    Result result[2][COUNTS];
    for (int i = 0; i < 2 * COUNTS; ++i)
        result[i % 2][i / 2] = measure(scene, method, &motion, counts[i / 2], i % 2 == 1);
    printf("| %s, %s |", scene->name, method);
    for (int i = 0; i < COUNTS; ++i)
        printf(" %.1e → %.1e |", result[0][i].mean, result[1][i].mean);
    printf(" %.0e → %.0e |", result[0][2].worst, result[1][2].worst);
    printf(" %.3f → %.3f |\n", result[0][2].ms / counts[2], result[1][2].ms / counts[2]);
    fflush(stdout);
    motionFree(&motion);
}

int main(int argc, char **argv)
{
    printf("| scene, method |");
    for (int i = 0; i < COUNTS; ++i)
        printf(" %d iterations |", counts[i]);
    printf(" worst at %d | ms per iteration |\n| --- |", counts[2]);
    for (int i = 0; i < COUNTS + 2; ++i)
        printf(" --- |");
    printf("\n");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
    {
        if (argc > 1 && strstr(scenes[i].name, argv[1]) == NULL)
            continue;
        printRow(&scenes[i], "backward-euler");
        printRow(&scenes[i], "implicit-midpoint");
    }
    return 0;
}
