// Scenes for methods that watch their energy. Energy alone is no proof: what is measured is the total, both momenta,
// where the energy sits and how short the motion is.
#ifndef TESTS_INTEGRATE_WATCHED_H
#define TESTS_INTEGRATE_WATCHED_H

#include "contact/ground.h"
#include "undamped.h"

typedef struct Watched
{
    const char *method, *solver;
    vvMomentum momentum;
    int iterations, steps;
    double tolerance; // 0: the default
    bool accelerate;
    // what came of it
    double lowest, highest;           // total over its start (free bodies), or numerical over the exchange
    double leastAngular, mostAngular; // along its start, over it
    double linear;                    // largest |P| over sum m |v|
    double share, peak;               // elastic, mean and largest
    double leastWindow, mostWindow;   // means over 100 steps
    double alpha, spectrum, iterated; // means
    int blended, failures, doubled;   // steps; step that first doubled the energy
} Watched;

static inline vvWorldId watchedWorld(const Watched *w, vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = w->method;
    def.solver = w->solver;
    def.iterations = w->iterations;
    def.settings.localGlobal.accelerate = w->accelerate;
    def.gravity = gravity;
    def.settings.stabilized.momentum = w->momentum;
    if (w->tolerance > 0)
        def.settings.energyTolerance = w->tolerance;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// unit cube of `cells`, 1000 kg/m^3, spinning about z, steps of 0.033 s, no gravity
static inline void spinCube(Watched *w, int cells, double young, double spin)
{
    vvWorldId world = watchedWorld(w, (vvVec3){ 0, 0, 0 });
    vvSoftBodyId cube = spinningCube(world, cells, young, spin);
    vvLedger first = vvWorld_GetLedger(world);
    double motion = 0, window = 0;
    for (int i = 0; i < vvSoftBody_GetVertexCount(cube); ++i)
    {
        const double *v = vvSoftBody_GetVelocities(cube) + 3 * i;
        motion += vvSoftBody_GetMasses(cube)[i] * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    w->lowest = w->highest = w->leastAngular = w->mostAngular = w->leastWindow = 1;
    for (int n = 1; n <= w->steps; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        vvLedger ledger = vvWorld_GetLedger(world);
        vvStatistics statistics = vvWorld_GetStatistics(world);
        double total = ledger.total / first.total, angular = ledger.angularMomentum.z / first.angularMomentum.z;
        double share = ledger.elastic / (ledger.elastic + ledger.kinetic);
        w->lowest = fmin(w->lowest, total);
        w->highest = fmax(w->highest, total);
        w->leastAngular = fmin(w->leastAngular, angular);
        w->mostAngular = fmax(w->mostAngular, angular);
        w->linear = fmax(
            w->linear, fmax(fabs(ledger.momentum.x), fmax(fabs(ledger.momentum.y), fabs(ledger.momentum.z))) / motion);
        w->share += share / w->steps;
        w->peak = fmax(w->peak, share);
        window += share / 100;
        if (n % 100 == 0)
        {
            w->leastWindow = fmin(w->leastWindow, window);
            w->mostWindow = fmax(w->mostWindow, window);
            window = 0;
        }
        w->alpha += fabs(statistics.alpha) / w->steps;
        w->spectrum += statistics.spectrum / w->steps;
        w->iterated += (double)statistics.iterations / w->steps;
        w->blended += statistics.alpha != 0;
        w->failures += statistics.blendFailures;
        if (w->doubled == 0 && total > 2)
            w->doubled = n;
    }
    vvDestroyWorld(world);
    print_message("%s %s %s, %d cells, young %g, %d steps: H %.4f to %.4f, L %.9f to %.9f, P %.1e, elastic share %.3f "
                  "(peak %.3f, "
                  "windows %.3f to %.3f), short %.3f, |alpha| %.5f, %d blended, %d failures, %.2f iterations\n",
                  w->method, w->solver, vvGetMomentumName((int)w->momentum), cells, young, w->steps, w->lowest,
                  w->highest, w->leastAngular, w->mostAngular, w->linear, w->share, w->peak, w->leastWindow,
                  w->mostWindow, w->spectrum, w->alpha, w->blended, w->failures, w->iterated);
}

// Unit cube of 4 cells, 1e5 Pa, falls 1 m on a plane or on four spheres, contact springs of `stiffness` N/m at each
// vertex, no friction, steps of 0.01 s. Energies as fractions of M g 1 m, apexes of the centre of mass, m above where
// it would rest.
typedef struct Bounce
{
    double stiffness, seconds;
    bool spheres;
    int apexes;
    double apex[3];
} Bounce;

static inline void dropCube(Watched *w, Bounce *b)
{
    vvWorldId world = watchedWorld(w, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
    def.position.y = 1.5;
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4), def);
    vvColliderDef ground = vvDefaultColliderDef();
    ground.restitution = 1;
    ground.friction = 0;
    ground.vertexStiffness = b->stiffness;
    if (!b->spheres)
        makeCollider(world, planeShape(), ground);
    for (int i = 0; i < 4 && b->spheres; ++i)
    {
        ground.position = (vvVec3){ i % 2 ? 0.35 : -0.35, -0.4, i / 2 ? 0.35 : -0.35 };
        makeCollider(world, sphereShape(0.4), ground);
    }
    double fall = 9.81 * vvSoftBody_GetMass(cube), before = 1, now = 1;
    for (int n = 0; n < (int)(b->seconds / 0.01 + 0.5); ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.01));
        vvLedger ledger = vvWorld_GetLedger(world);
        vvStatistics statistics = vvWorld_GetStatistics(world);
        w->lowest = fmin(w->lowest, ledger.numerical / fall);
        w->highest = fmax(w->highest, ledger.numerical / fall);
        w->blended += statistics.alpha != 0;
        w->failures += statistics.blendFailures;
        double height = massCentre(cube).y - 0.5;
        if (now > before && now >= height && b->apexes < 3)
            b->apex[b->apexes++] = now;
        before = now;
        now = height;
    }
    vvDestroyWorld(world);
    print_message("%s %s%s on %s, %g N/m: apexes %.4f %.4f %.4f, numerical %.4f to %.4f, %d blended, %d failures\n",
                  w->method, w->solver, w->accelerate ? " accelerated" : "", b->spheres ? "spheres" : "a plane",
                  b->stiffness, b->apex[0], b->apex[1], b->apex[2], w->lowest, w->highest, w->blended, w->failures);
}

// Cube of 4 cells with every coordinate of its vertices random in +-0.5, damped at 2.53/s: the frame from which its
// elastic energy is below a millionth of its start, or 0 if that is not within `frames`.
typedef struct Tangle
{
    int settled;
    int inverted;        // tets at the end
    double left, moving; // elastic and kinetic energy at the end, over the start
    double gained;       // largest numerical, over the start
    double spin;         // |L| at the end, kg m^2/s
} Tangle;

static inline Tangle untangle(const Watched *w, double young, uint64_t seed, int frames)
{
    vvWorldId world = watchedWorld(w, (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, young, 0);
    def.damping.rigidPreserving = 2.53;
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4), def);
    double x[375];
    assert_int_equal(vvSoftBody_GetVertexCount(cube), 125);
    TestRandom random = { 88172645463325252ULL + seed * 7919 };
    for (int i = 0; i < 100; ++i)
        randomUnit(&random);
    for (int i = 0; i < 375; ++i)
        x[i] = randomUnit(&random) - 0.5;
    CHECK_OK(vvSoftBody_SetPositions(cube, x));
    double start = vvWorld_GetLedger(world).total;
    Tangle tangle = { 0 };
    vvLedger ledger = { 0 };
    for (int n = 1; n <= frames && tangle.settled == 0; ++n)
    {
        if (vvWorld_Step(world, 0.033).code != VV_OK)
            break; // ran away
        ledger = vvWorld_GetLedger(world);
        tangle.gained = fmax(tangle.gained, ledger.numerical / start);
        if (ledger.elastic < 1e-6 * start)
            tangle.settled = n;
    }
    vvExamination examination;
    CHECK_OK(vvSoftBody_Examine(cube, &examination));
    tangle.inverted = examination.invertedCount;
    tangle.left = ledger.elastic / start;
    tangle.moving = ledger.kinetic / start;
    tangle.spin =
        sqrt(ledger.angularMomentum.x * ledger.angularMomentum.x + ledger.angularMomentum.y * ledger.angularMomentum.y +
             ledger.angularMomentum.z * ledger.angularMomentum.z);
    vvDestroyWorld(world);
    return tangle;
}

// a squared spring of Dinev 2018, Figs 2 and 3: k/2 (|x|^2 - 1)^2 with the paper's k = 1e5, 0.5 kg on it, the other end
// pinned
typedef struct Spring
{
    vvWorldId world;
    vvSoftBodyId body;
} Spring;

static inline Spring makeSpring(const Watched *w)
{
    Spring spring = { .world = watchedWorld(w, (vvVec3){ 0, 0, 0 }) };
    vvSoftBodyDef def = undampedDef();
    def.model = "squared-spring";
    def.springStiffness[VV_EDGE_STRUCTURAL] = 4e5; // ours is k/8 (|x|^2 - 1)^2
    def.material.thickness = 0.1;
    def.material.density = 1 / (0.25 * 3.14159265358979323846 * 0.01); // 1 kg, half of it at each end
    spring.body = makeBody(spring.world, vvCreateRopeMesh(1, 1), def);
    double x[6], v[6] = { 0, 0, 0, 0, 10, 0 };
    memcpy(x, vvSoftBody_GetPositions(spring.body), sizeof x);
    CHECK_NEAR(vvSoftBody_GetMasses(spring.body)[1], 0.5, 1e-12);
    for (int a = 0; a < 3; ++a)
        x[3 + a] = x[a] + (a == 0 ? 1.5 : 0);
    int held = 0;
    CHECK_OK(vvSoftBody_Pin(spring.body, &held, 1));
    CHECK_OK(vvSoftBody_SetPositions(spring.body, x));
    CHECK_OK(vvSoftBody_SetVelocities(spring.body, v));
    return spring;
}

static inline double springLength(vvSoftBodyId body)
{
    vvVec3 a = vertexPosition(body, 0), b = vertexPosition(body, 1);
    return sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
}

#endif
