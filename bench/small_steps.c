// verve-small-steps: the method small-steps beside Bullet's soft body (cloth) and a scalar sweep (beam), in turns.
//   verve-small-steps [rounds] [threads]
// cpu ms: of all threads; on a busy machine those of one thread still compare, wall clock does not.
#include "bench/small_steps.h"

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SETTLE 30      // frames before the first round
#define ROUND_FRAMES 5 // of a contender, then the next
#define SMALL_CONTENDERS 5

// ---- Verve ----------------------------------------------------------------------------------------------------------

typedef struct Verve
{
    vvWorldId world;
    vvSoftBodyId body;
    double frame;
} Verve;

static void destroyVerve(void *self)
{
    Verve *v = self;
    vvDestroyWorld(v->world);
    free(v);
}

static void *createVerve(const SmallProblem *p, int threads)
{
    Verve *v = calloc(1, sizeof *v);
    vvResult result = { 0 };
    vvWorldDef world = vvDefaultWorldDef();
    world.method = "small-steps";
    world.solver = "local-global";
    world.iterations = 1;
    world.substeps = p->count;
    world.threads = threads;
    world.gravity = (vvVec3){ 0, -p->gravity, 0 };
    if (v == NULL)
        return NULL;
    v->frame = p->frame;
    v->world = vvCreateWorld(&world, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = p->mesh;
    def.material = (vvMaterial){ .density = 1000, .young = p->young, .poisson = p->poisson, .thickness = 0.001 };
    if (vvMesh_GetTetCount(p->mesh) == 0)
    {
        for (int k = 0; k < VV_EDGE_KINDS; ++k)
            def.springStiffness[k] = p->young;
    }
    v->body = vvCreateSoftBody(v->world, &def, &result);
    for (int i = 0; i < p->vertexCount && result.code == VV_OK; ++i)
    {
        if (p->held[i])
            result = vvSoftBody_Pin(v->body, &i, 1);
    }
    if (result.code == VV_OK)
        return v;
    fprintf(stderr, "verve-small-steps: %s\n", result.message);
    destroyVerve(v);
    return NULL;
}

static void *createVerveAlone(const SmallProblem *p, int threads)
{
    (void)threads;
    return createVerve(p, 1);
}

static void frameVerve(void *self)
{
    Verve *v = self;
    vvResult result = vvWorld_Step(v->world, v->frame);
    if (result.code != VV_OK)
        fprintf(stderr, "verve-small-steps: %s\n", result.message);
}

static void positionsVerve(void *self, double *out)
{
    Verve *v = self;
    memcpy(out, vvSoftBody_GetPositions(v->body), 3 * (size_t)vvSoftBody_GetVertexCount(v->body) * sizeof(double));
}

static const SmallContender verve = { "verve, all threads", createVerve, frameVerve, positionsVerve, destroyVerve };
static const SmallContender verveAlone = { "verve, 1 thread", createVerveAlone, frameVerve, positionsVerve,
                                           destroyVerve };

// ---- rows -----------------------------------------------------------------------------------------------------------

// lumped as bodies do it: taken from one
static bool takeMasses(SmallProblem *p, double *mass)
{
    unsigned char *held = calloc((size_t)p->vertexCount, 1);
    SmallProblem bare = *p;
    bare.held = held;
    Verve *v = held ? createVerve(&bare, 1) : NULL;
    if (v != NULL)
        memcpy(mass, vvSoftBody_GetMasses(v->body), (size_t)p->vertexCount * sizeof(double));
    if (v != NULL)
        destroyVerve(v);
    free(held);
    return v != NULL;
}

// by 1e-6 of the size: two corners of the cloth, the first face of the beam
static void holdVertices(const SmallProblem *p, bool cloth, unsigned char *held)
{
    for (int v = 0; v < p->vertexCount; ++v)
    {
        const double *x = p->rest + 3 * v;
        held[v] = cloth ? fabs(x[0]) > 0.5 - 1e-6 && x[2] < -0.5 + 1e-6 : x[0] < -2 + 1e-6;
    }
}

static vvMesh *clothMesh(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = def.cells[2] = 100;
    def.diagonals = 1;
    def.skip = true;
    return vvCreateMesh(&def, NULL);
}

typedef struct SmallRow
{
    const char *name, *elements;
    bool cloth;
    int count; // substeps
    double goal;
    int contenderCount;
    const SmallContender *contender[SMALL_CONTENDERS]; // [0] Verve with all threads, [2] the rival of the goal
} SmallRow;

static const SmallRow rows[] = {
    { "cloth 101 x 101",
      "springs",
      true,
      30,
      6,
#ifdef VERVE_BULLET
      4,
      { &verve, &verveAlone, &bulletCloth, &bulletClothSorted }
#else
      2,
      { &verve, &verveAlone }
#endif
    },
    { "beam 40 x 8 x 8 cells", "tets", false, 100, 6, 3, { &verve, &verveAlone, &scalarBeam } },
};

// ---- measuring ------------------------------------------------------------------------------------------------------

static double lowest(const SmallContender *contender, void *self, const SmallProblem *p, double *room)
{
    double least = INFINITY;
    contender->positions(self, room);
    for (int v = 0; v < p->vertexCount; ++v)
        least = room[3 * v + 1] - p->rest[3 * v + 1] < least ? room[3 * v + 1] - p->rest[3 * v + 1] : least;
    return least;
}

static void timeRow(const SmallRow *row, const SmallProblem *p, int rounds, int threads, double *room)
{
    void *self[SMALL_CONTENDERS] = { NULL };
    Samples ms[SMALL_CONTENDERS] = { { 0 } }, ratio[SMALL_CONTENDERS] = { { 0 } }, cpu[SMALL_CONTENDERS] = { { 0 } };
    double deep[SMALL_CONTENDERS] = { 0 };
    for (int i = 0; i < row->contenderCount; ++i)
    {
        self[i] = row->contender[i]->create(p, threads);
        for (int n = 0; n < SETTLE && self[i] != NULL; ++n)
            row->contender[i]->frame(self[i]);
        if (self[i] != NULL)
            deep[i] = lowest(row->contender[i], self[i], p, room);
    }
    for (int round = 0; round < rounds; ++round)
    {
        double first = 0;
        for (int i = 0; i < row->contenderCount; ++i)
        {
            if (self[i] == NULL)
                continue;
            row->contender[i]->frame(self[i]); // warm
            clock_t ticks = clock();
            double since = seconds();
            for (int n = 0; n < ROUND_FRAMES; ++n)
                row->contender[i]->frame(self[i]);
            double each = 1000 * (seconds() - since) / ROUND_FRAMES;
            first = i == 0 ? each : first;
            samplesAdd(&ms[i], each);
            samplesAdd(&cpu[i], 1000.0 * (double)(clock() - ticks) / CLOCKS_PER_SEC / ROUND_FRAMES);
            samplesAdd(&ratio[i], each / first);
        }
    }
    printf("%s: %d vertices, %d %s, %d a frame\n", row->name, p->vertexCount, p->elementCount, row->elements, p->count);
    printf("  %-22s %10s %21s %8s %21s %8s %10s\n", "", "ms", "least - most", "ratio", "least - most", "cpu ms",
           "lowest m");
    for (int i = 0; i < row->contenderCount; ++i)
    {
        if (self[i] == NULL)
            continue;
        printf("  %-22s %10.3f %10.3f %10.3f %8.2f %10.2f %10.2f %8.2f %10.4f\n", row->contender[i]->name,
               samplesAt(&ms[i], 0.5), samplesAt(&ms[i], 0), samplesAt(&ms[i], 1), samplesAt(&ratio[i], 0.5),
               samplesAt(&ratio[i], 0), samplesAt(&ratio[i], 1), samplesAt(&cpu[i], 0.5), deep[i]);
        row->contender[i]->destroy(self[i]);
    }
    if (row->contenderCount > 2)
        printf("  goal %g times %s: %s\n", row->goal, row->contender[2]->name,
               samplesAt(&ratio[2], 0.5) >= row->goal ? "reached" : "missed");
    else
        printf("  built without Bullet (libbullet-dev): nothing to compare with\n");
}

static bool runRow(const SmallRow *row, int rounds, int threads)
{
    SmallProblem p = { .young = row->cloth ? 1e5 : 1e7, .poisson = 0.45, .gravity = 9.81, .frame = 1.0 / 60 };
    p.mesh = row->cloth ? clothMesh() : vvCreateBoxMesh((vvVec3){ 4, 0.8, 0.8 }, 40, 8, 8);
    p.vertexCount = vvMesh_GetVertexCount(p.mesh);
    p.rest = vvMesh_GetPoints(p.mesh);
    p.elements = row->cloth ? vvMesh_GetEdges(p.mesh) : vvMesh_GetTets(p.mesh);
    p.elementCount = row->cloth ? vvMesh_GetEdgeCount(p.mesh) : vvMesh_GetTetCount(p.mesh);
    p.count = row->count;
    double *mass = calloc((size_t)p.vertexCount + 1, sizeof(double));
    double *room = calloc(3 * (size_t)p.vertexCount + 1, sizeof(double));
    unsigned char *held = calloc((size_t)p.vertexCount + 1, 1);
    bool ok = mass && room && held && takeMasses(&p, mass);
    if (ok)
    {
        holdVertices(&p, row->cloth, held);
        p.mass = mass;
        p.held = held;
        timeRow(row, &p, rounds, threads, room);
    }
    free(mass);
    free(room);
    free(held);
    vvDestroyMesh(p.mesh);
    return ok;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 9, threads = argc > 2 ? atoi(argv[2]) : 2;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    printf("verve %s, %s, %s\n%s, load %s, %d threads of %d cores, %d rounds of %d frames in turns\n", buildCommit(),
           buildCompiler(), buildFlags(), machineCpu(), machineLoad(), threads, machineCores(), rounds, ROUND_FRAMES);
    bool ok = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        ok = runRow(&rows[i], rounds, threads) && ok;
    return ok ? 0 : 1;
}
