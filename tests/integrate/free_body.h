// Free bodies that spin, of many shapes: what the stabilized method and its solvers are held against converged motion
// with.
#ifndef TESTS_INTEGRATE_FREE_BODY_H
#define TESTS_INTEGRATE_FREE_BODY_H

#include "contact/ground.h"
#include "integrate/truth.h"

typedef struct FreeBody
{
    const char *method, *solver; // NULL: the default
    const char *shape;
    double young, poisson;
    double damping; // s, of strain rates
    double rate;    // 1/s, of the spin
    int axis;       // about which it spins, nearly: 0 x, the longest; 1 y; 2 z, the shortest
    unsigned seed;  // of random shapes
    double h, seconds;
    int parts;      // steps of a frame
    int iterations; // 0: the default
} FreeBody;

// What came of it.
typedef struct FreeMotion
{
    double angular;     // 1: largest change of the angular momentum
    double least, most; // 1: energy over that at the start
    double share;       // 1: mean of elastic over all energy
    double first;       // s, when the axis first stood across the angular momentum; 0: never
    double blended;     // steps
    double failures;    // of blends
    double iterations;  // of a step, on average
} FreeMotion;

// a lattice of cells of .1 m of which a rule keeps some
static inline vvMesh *carvedMesh(const int cells[3], bool (*keeps)(const int cell[3], unsigned seed), unsigned seed)
{
    vvMesh *whole =
        vvCreateBoxMesh((vvVec3){ 0.1 * cells[0], 0.1 * cells[1], 0.1 * cells[2] }, cells[0], cells[1], cells[2]);
    assert_non_null(whole);
    int *tets = malloc((size_t)whole->tetCount * 4 * sizeof(int)),
        *name = malloc((size_t)whole->vertexCount * sizeof(int));
    double *points = malloc((size_t)whole->vertexCount * 3 * sizeof(double));
    int tetCount = 0, pointCount = 0;
    for (int v = 0; v < whole->vertexCount; ++v)
        name[v] = -1;
    for (int t = 0; t < whole->tetCount; ++t)
    {
        int cell[3];
        for (int a = 0; a < 3; ++a)
        {
            double middle = 0;
            for (int c = 0; c < 4; ++c)
                middle += whole->point[3 * whole->tet[4 * t + c] + a] / 4;
            cell[a] = (int)floor(middle / 0.1 + 0.5 * cells[a]);
        }
        if (!keeps(cell, seed))
            continue;
        for (int c = 0; c < 4; ++c)
        {
            int v = whole->tet[4 * t + c];
            if (name[v] < 0)
            {
                memcpy(points + 3 * pointCount, whole->point + 3 * v, 3 * sizeof(double));
                name[v] = pointCount++;
            }
            tets[4 * tetCount + c] = name[v];
        }
        tetCount += 1;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = pointCount;
    def.tets = tets;
    def.tetCount = tetCount;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    free(tets);
    free(name);
    free(points);
    vvDestroyMesh(whole);
    return mesh;
}

// inside of six random planes about the middle of 8 x 5 x 4 cells
static inline bool isConvex(const int cell[3], unsigned seed)
{
    TestRandom random = { 1000 + seed };
    static const double half[3] = { 4, 2.5, 2 };
    for (int k = 0; k < 6; ++k)
    {
        double sum = 0, length = 0;
        for (int a = 0; a < 3; ++a)
        {
            double n = randomBetween(&random, -1, 1);
            sum += n * (cell[a] + 0.5 - half[a]) / half[a];
            length += n * n;
        }
        if (sum > 0.85 * sqrt(length))
            return false;
    }
    return true;
}

// a trunk along x of 10 x 6 x 4 cells, two cells thick, with branches along y and z
static inline bool isTree(const int cell[3], unsigned seed)
{
    TestRandom random = { 2000 + seed };
    bool trunk = cell[1] >= 2 && cell[1] < 4 && cell[2] >= 1 && cell[2] < 3;
    for (int k = 0; k < 4; ++k)
    {
        int at = (int)randomBetween(&random, 0, 4.5) * 2, along = (int)randomBetween(&random, 0, 4);
        bool side = along % 2 ? cell[1] >= 3 : cell[1] < 3;
        bool up = along < 2 ? cell[2] < 3 && cell[2] >= 1 : along == 2 ? cell[2] >= 1 : cell[2] < 3;
        trunk = trunk || (cell[0] >= at && cell[0] < at + 2 && side && up);
    }
    return trunk;
}

static inline vvMesh *freeMesh(const char *shape, unsigned seed)
{
    if (strcmp(shape, "plate") == 0)
        return vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.2 }, 6, 3, 2);
    if (strcmp(shape, "rod") == 0)
        return vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.15 }, 8, 2, 2);
    if (strcmp(shape, "torus") == 0)
        return vvCreateTorusMesh(0.8, 0.2, 1, 12);
    if (strcmp(shape, "ellipsoid") == 0)
    {
        vvMesh *mesh = vvCreateSphereMesh(0.5, 3);
        assert_non_null(mesh);
        double *x = malloc((size_t)mesh->vertexCount * 3 * sizeof(double));
        for (int i = 0; i < 3 * mesh->vertexCount; ++i)
            x[i] = mesh->point[i] * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.6 : 0.4);
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_ARRAYS;
        def.points = x;
        def.pointCount = mesh->vertexCount;
        def.tets = mesh->tet;
        def.tetCount = mesh->tetCount;
        vvResult result;
        vvMesh *made = vvCreateMesh(&def, &result);
        CHECK_OK(result);
        free(x);
        vvDestroyMesh(mesh);
        return made;
    }
    if (strcmp(shape, "convex") == 0)
        return carvedMesh((int[3]){ 8, 5, 4 }, isConvex, seed);
    return carvedMesh((int[3]){ 10, 6, 4 }, isTree, seed);
}

static inline vvVec3 minus(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline FreeMotion spinFreeBody(const FreeBody *f)
{
    vvWorldDef world = vvDefaultWorldDef();
    if (f->method != NULL)
        world.method = f->method;
    if (f->solver != NULL)
        world.solver = f->solver;
    world.gravity = (vvVec3){ 0, 0, 0 };
    world.iterations = f->iterations;
    vvResult result;
    Body3 made = { .world = vvCreateWorld(&world, &result) };
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, f->young, f->poisson);
    def.damping.stiffness = f->damping;
    double spin[3] = { 0.01 * f->rate, 0.01 * f->rate, 0.01 * f->rate };
    spin[f->axis] = f->rate;
    def.spin = (vvVec3){ spin[0], spin[1], spin[2] };
    made.body = makeBody(made.world, freeMesh(f->shape, f->seed), def);
    made.count = vvSoftBody_GetVertexCount(made.body);
    const double *mass = vvSoftBody_GetMasses(made.body);
    double *rest = malloc((size_t)made.count * 3 * sizeof(double));
    memcpy(rest, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    vvVec3 start = vvWorld_GetLedger(made.world).angularMomentum;
    double total = totalEnergy(made.world), before = 0;
    int frames = (int)(f->seconds / f->h + 0.5);
    FreeMotion got = { .least = 1, .most = 1 };
    for (int n = 1; n <= frames; ++n)
    {
        for (int k = 0; k < f->parts; ++k)
        {
            if (vvWorld_Step(made.world, f->h / f->parts).code != VV_OK)
            {
                got.most = INFINITY;
                n = frames + 1;
                break;
            }
        }
        vvLedger ledger = vvWorld_GetLedger(made.world);
        vvStatistics statistics = vvWorld_GetStatistics(made.world);
        got.angular = fmax(got.angular, length3(minus(ledger.angularMomentum, start)) / length3(start));
        got.least = fmin(got.least, ledger.total / total);
        got.most = fmax(got.most, ledger.total / total);
        got.share += ledger.elastic / (ledger.elastic + ledger.kinetic) / frames;
        got.iterations += (double)statistics.iterations / frames;
        got.blended += statistics.alpha != 0;
        got.failures += statistics.blendFailures;
        // the axis of the rest shape that it spins about, as it is now
        const double *x = vvSoftBody_GetPositions(made.body);
        vvVec3 centre = massCentre(made.body), axis = { 0, 0, 0 };
        for (int v = 0; v < made.count; ++v)
        {
            double along = mass[v] * rest[3 * v + f->axis];
            axis.x += along * (x[3 * v] - centre.x);
            axis.y += along * (x[3 * v + 1] - centre.y);
            axis.z += along * (x[3 * v + 2] - centre.z);
        }
        double now = axis.x * start.x + axis.y * start.y + axis.z * start.z;
        if (before * now < 0 && got.first == 0)
            got.first = (n - 1 + before / (before - now)) * f->h;
        before = now;
    }
    free(rest);
    vvDestroyWorld(made.world);
    return got;
}

// the same by Verlet's method, in as many steps of a frame as its limit asks for
static inline FreeMotion spinTruly(const FreeBody *f)
{
    FreeBody truth = *f;
    truth.method = "verlet";
    truth.solver = NULL;
    truth.parts = (int)(f->h * sqrt(f->young / 1000 * (f->poisson > 0.4 ? 4 : 1.4)) / 0.1 * 12) + 4;
    return spinFreeBody(&truth);
}

// body i of an endless list: shapes in turn, stiffness 1e4 to 1e7 Pa, an axis, a spin of 2 to 30/s with rho w^2 a^2 / E
// at most .3
static inline FreeBody randomFreeBody(int i)
{
    static const char *const shapes[] = { "plate", "rod", "ellipsoid", "torus", "convex", "tree" };
    TestRandom random = { 5000 + (unsigned)i };
    for (int k = 0; k < 20; ++k)
        randomBetween(&random, 0, 1);
    FreeBody body = { .shape = shapes[i % 6], .poisson = 0.3, .h = 1.0 / 60, .parts = 1, .seed = (unsigned)i };
    body.young = pow(10, randomBetween(&random, 4, 7));
    body.axis = (int)randomBetween(&random, 0, 2.999);
    double most = fmin(30, sqrt(0.3 * body.young / 1000 / 0.25));
    body.rate = 2 * pow(most / 2, randomBetween(&random, 0, 1));
    return body;
}

// Prints a row; true: it is the motion of the truth. Ten iterations of local/global leave some vibration that is not
// there.
static inline bool isTrueMotion(const FreeBody *body, const FreeMotion *got, const FreeMotion *truth)
{
    double more = strcmp(body->solver, "local-global") != 0 ? 0.2 : body->h < 0.02 ? 0.3 : 1;
    bool ok = got->angular < 1e-9 && got->least > 0.99 - 2e-4 && got->most < 1.01 + 2e-4 &&
              got->share > 0.8 * truth->share && got->share < (1 + more) * truth->share &&
              (truth->first == 0 || fabs(got->first / truth->first - 1) < 0.05);
    print_message(
        "%s %s %s %.2g Pa, axis %d, %.1f/s, 1/%.0f s: dL %.0e, H %.4f to %.4f, share %.4f of %.4f, first flip %.2f "
        "of %.2f s, %.0f blends, %.1f iterations%s\n",
        body->method, body->solver, body->shape, body->young, body->axis, body->rate, 1 / body->h, got->angular,
        got->least, got->most, got->share, truth->share, got->first, truth->first, got->blended, got->iterations,
        ok ? "" : ": NOT TRUE");
    return ok;
}

#endif
