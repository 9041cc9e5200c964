// Damping of springs and of strain rates (Rayleigh's beta) in whole worlds: decay rates, books, momenta, rigid motion.
#include "energy/energy.h"
#include "world/scenes.h"
#include "undamped.h"

// ---- one spring -----------------------------------------------------------------------------------------------------

#define MASS 0.5      // kg, of each end
#define STIFFNESS 200 // N/m

// two masses on a spring along x, pulled apart by 0.1 m; its ends move on a line, so that the energy is a quadratic
static vvSoftBodyId damped(vvWorldId world, double spring, double stiffness)
{
    vvSoftBodyDef def = undampedDef();
    def.springStiffness[VV_EDGE_STRUCTURAL] = STIFFNESS;
    def.material.thickness = 0.01;
    def.material.density = 2 * MASS / (3.14159265358979323846 / 4 * 1e-4 * 1);
    def.damping.spring = spring;
    def.damping.stiffness = stiffness;
    vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 1), def);
    CHECK_CLOSE(vvSoftBody_GetMasses(body)[0], MASS, 1e-12);
    const double apart[6] = { -0.55, 0, 0, 0.55, 0, 0 };
    CHECK_OK(vvSoftBody_SetPositions(body, apart));
    return body;
}

typedef struct Motion
{
    double stretch, rate; // m, m/s
} Motion;

static Motion motionAfter(const char *method, double spring, double stiffness, double seconds, int steps)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = damped(world, spring, stiffness);
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, seconds / steps));
    const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body);
    Motion motion = { x[3] - x[0] - 1, v[3] - v[0] };
    vvDestroyWorld(world);
    return motion;
}

// The closed form of the stretch: reduced mass m/2, omega = sqrt(2k/m), zeta = d / sqrt(2 k m), amplitude
// exp(-zeta omega t). The error in stretch and rate/omega falls at the order of the method.
static void springsDecayAsTheirCoefficientSays(void **state)
{
    (void)state;
    static const struct
    {
        const char *method;
        double order;
    } methods[] = { { "implicit-midpoint", 2 }, { "backward-euler", 1 }, { "symplectic-euler", 1 } };
    double d = 2, seconds = 1, omega = sqrt(2 * STIFFNESS / MASS), zeta = d / sqrt(2 * STIFFNESS * MASS);
    double turn = omega * sqrt(1 - zeta * zeta), decay = zeta * omega, left = 0.1 * exp(-decay * seconds);
    double stretch = left * (cos(turn * seconds) + decay / turn * sin(turn * seconds));
    double rate = -left * omega * omega / turn * sin(turn * seconds);
    for (int i = 0; i < 3; ++i)
    {
        double error[2];
        for (int k = 0; k < 2; ++k)
        {
            int steps = (i == 0 ? 200 : 3200) << k;
            Motion motion = motionAfter(methods[i].method, d, 0, seconds, steps);
            error[k] = hypot(motion.stretch - stretch, (motion.rate - rate) / omega);
        }
        // omega h is 0.14 and 0.07, first order 0.009 and 0.0045: the next term is a few percent of the first
        CHECK_NEAR(log2(error[0] / error[1]), methods[i].order, 0.1);
        // and the decay itself, exp(-4) of 0.1 m, is there
        CHECK_BELOW(error[1], 0.1 * left);
    }
}

static void stiffnessDampingOfSpringsIsBetaTimesStiffness(void **state)
{
    (void)state;
    double d = 2;
    // the same numbers but for the rounding of d / k k
    CHECK_NEAR(motionAfter("implicit-midpoint", d, 0, 1, 60).stretch,
               motionAfter("implicit-midpoint", 0, d / STIFFNESS, 1, 60).stretch, 1e-14);
}

// midpoint on a quadratic: what is lost is booked, to rounding
static void booksOfAQuadraticAreExact(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    damped(world, 2, 0.001);
    double opening = vvWorld_GetLedger(world).total;
    for (int i = 0; i < 100; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvLedger ledger = vvWorld_GetLedger(world);
    // the jump to the start was booked as added; 2.2 exp(-8) of it is left after 1.7 s
    CHECK_NEAR(ledger.dissipated, ledger.added, 2e-2 * ledger.added);
    assert_true(ledger.dissipated > 0.9 && opening > 0.9);
    CHECK_NEAR(ledger.numerical, 0, 1e-12 * opening);
    vvDestroyWorld(world);
}

// A moved pin works against the damper: what it puts in is added, what the damper takes is never negative, and both
// columns together close the books.
static void movedPinsWorkAgainstDampers(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = damped(world, 5, 0);
    int pin = 0;
    CHECK_OK(vvSoftBody_Pin(body, &pin, 1));
    vvLedger before = vvWorld_GetLedger(world);
    double h = 1.0 / 60, taken = 0;
    for (int i = 0; i < 60; ++i)
    {
        const double *x = vvSoftBody_GetPositions(body);
        double stretch = x[3] - x[0];
        CHECK_OK(vvSoftBody_MovePin(body, 0, (vvVec3){ -0.55 + 0.2 * sin(0.3 * i), 0, 0 }));
        CHECK_OK(vvWorld_Step(world, h));
        x = vvSoftBody_GetPositions(body);
        double rate = (x[3] - x[0] - stretch) / h;
        taken += 5 * rate * rate * h; // d times the square of the rate, over the step
        vvLedger now = vvWorld_GetLedger(world);
        CHECK_NEAR(now.dissipated - before.dissipated, taken, 1e-12 * (1 + taken));
        CHECK_NEAR(now.numerical, before.numerical, 1e-12 * (1 + taken));
    }
    assert_true(taken > 0.1);
    vvDestroyWorld(world);
}

// a restored state takes the same steps, bit for bit: what is frozen is no state
static void restoredBodiesGoOnTheSame(void **state)
{
    (void)state;
    uint64_t hash[2];
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    damped(world, 2, 0.001);
    CHECK_OK(vvWorld_Step(world, 0.01));
    char bytes[4096];
    size_t size = vvWorld_GetStateSize(world);
    assert_true(size <= sizeof bytes);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    for (int run = 0; run < 2; ++run)
    {
        CHECK_OK(vvWorld_RestoreState(world, bytes, size));
        for (int i = 0; i < 5; ++i)
            CHECK_OK(vvWorld_Step(world, 0.01));
        hash[run] = vvWorld_GetHash(world);
    }
    assert_true(hash[0] == hash[1]);
    vvDestroyWorld(world);
}

// ---- dampers against the energies they damp -------------------------------------------------------------------------

typedef struct Pair
{
    const EnergyKind *energy, *damper;
    int corners;
    double share; // a triangle is two quarters of a parallelogram
} Pair;

static const Pair pairs[] = {
    { &springKind, &springDamperKind, 2, 1 },       { &squaredSpringKind, &springDamperKind, 2, 1 },
    { &membraneKind, &membraneDamperKind, 3, 1 },   { &triangleKind, &membraneDamperKind, 3, 2 },
    { &corotatedKind, &corotatedDamperKind, 4, 1 }, { &neoHookeanKind, &corotatedDamperKind, 4, 1 },
    { &wovenKind, &wovenDamperKind, 3, 2 },         { &linearKind, &corotatedDamperKind, 4, 1 },
    { &dihedralKind, &dihedralDamperKind, 4, 1 },
};
#define PAIRS ((int)(sizeof pairs / sizeof pairs[0]))

static const double rest[12] = { 0.1, 0, 0.05, 1.1, 0.2, 0, 0.1, 0.9, -0.1, 0, 0.1, 1.2 };
static const int corners[4] = { 0, 1, 2, 3 };

static Energy *create(Memory *memory, const EnergyKind *kind, double strength, double poisson)
{
    static const vvLaw law = { .warp = { 1, 0.5, 0 }, .weft = 300, .shear = 50 }; // of woven cloth
    Recipe recipe = {
        .rest = rest, .strength = &strength, .young = 1000, .poisson = poisson, .thickness = 1, .law = &law
    };
    Energy *energy = energyCreate(memory, kind, 4, 1, corners, &recipe);
    assert_non_null(energy);
    return energy;
}

// at rest the force of the damper is beta times the Hessian of the energy times the velocity
static void dampersAreBetaTimesTheHessianAtRest(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    for (int k = 0; k < PAIRS; ++k)
    {
        for (double poisson = -0.3; poisson < 0.45; poisson += 0.3)
        {
            Memory memory = memoryMake(NULL);
            bool spring = pairs[k].corners == 2;
            double matter = spring ? 300 : 1, beta = 0.02;
            Energy *energy = create(&memory, pairs[k].energy, matter, poisson);
            Energy *damper = create(&memory, pairs[k].damper, beta * matter * pairs[k].share, poisson);
            double v[12], force[12] = { 0 }, want[12] = { 0 };
            for (int i = 0; i < 12; ++i)
                v[i] = randomBetween(&random, -1, 1);
            energyAddGradient(damper, v, force);
            energyAddHessianTimes(energy, rest, HESSIAN_EXACT, v, want);
            double size = largestMagnitude(want, 12);
            assert_true(size > 1);
            for (int i = 0; i < 12; ++i) // a dozen roundings
                CHECK_NEAR(force[i], beta * want[i], 1e-13 * beta * size);
            energyDestroy(energy);
            energyDestroy(damper);
        }
    }
}

// frozen at any shape, however strained: no force against a rigid motion of that shape, no force or moment ever, and
// never above the majorizer
static void dampersLeaveRigidMotionAndMomentaAlone(void **state)
{
    (void)state;
    TestRandom random = { 9 };
    for (int trial = 0; trial < 200; ++trial)
    {
        const Pair *pair = &pairs[trial % PAIRS];
        Memory memory = memoryMake(NULL);
        Energy *damper = create(&memory, pair->damper, 3, 0.3);
        double x[12], v[12], turning[12], force[12] = { 0 }, none[12] = { 0 }, bound[12] = { 0 };
        double scale = trial < 100 ? 0.3 : 3; // strains below and far above 1
        for (int i = 0; i < 12; ++i)
        {
            x[i] = scale * (rest[i] + randomBetween(&random, -0.5, 0.5));
            v[i] = randomBetween(&random, -1, 1);
        }
        Vec3 spin = vec3(1.5, -2, 0.7), shift = vec3(3, 1, -2);
        for (int c = 0; c < 4; ++c)
            vecStore(turning + 3 * c, vecAdd(shift, vecCross(spin, vecLoad(x + 3 * c))));
        damper->kind->freeze(damper, x, 0, damper->blockCount);
        energyAddGradient(damper, v, force);
        energyAddGradient(damper, turning, none);
        energyAddMajorizerTimes(damper, v, bound);
        double size = largestMagnitude(bound, 12), quadratic = 0, most = 0;
        // velocities of 10 m/s cancel: 1e-13 of the coefficient
        CHECK_BELOW(largestMagnitude(none, 12), 1e-12 * size);
        Vec3 sum = vec3(0, 0, 0), moment = vec3(0, 0, 0);
        for (int c = 0; c < 4; ++c)
        {
            sum = vecAdd(sum, vecLoad(force + 3 * c));
            moment = vecAdd(moment, vecCross(vecLoad(x + 3 * c), vecLoad(force + 3 * c)));
        }
        CHECK_BELOW(vecLength(sum), 1e-13 * size);
        CHECK_BELOW(vecLength(moment), 1e-12 * size);
        for (int i = 0; i < 12; ++i)
        {
            quadratic += v[i] * force[i];
            most += v[i] * bound[i];
        }
        assert_true(quadratic > 0);
        CHECK_BELOW(quadratic, most * (1 + 1e-13));
        energyDestroy(damper);
    }
}

// elements with damping in their gradients: the force of the element and of its damper frozen there, and what it takes
static void elementsDampAsTheirDampersDo(void **state)
{
    (void)state;
    TestRandom random = { 11 };
    for (int trial = 0; trial < 60; ++trial)
    {
        Memory memory = memoryMake(NULL);
        double beta = 0.02, x[12], v[12], both[12] = { 0 }, want[12] = { 0 }, power = 0;
        Energy *elements = create(&memory, &corotatedKind, 1, 0.3),
               *damper = create(&memory, &corotatedDamperKind, beta, 0.3);
        assert_true(corotatedKind.damps);
        for (int i = 0; i < 12; ++i)
        {
            x[i] = rest[i] + randomBetween(&random, -0.4, 0.4);
            v[i] = randomBetween(&random, -1, 1);
        }
        damper->kind->freeze(damper, x, 0, damper->blockCount);
        energyAddGradient(damper, v, want);
        for (int i = 0; i < 12; ++i)
            power += want[i] * v[i];
        energyAddGradient(elements, x, want);
        elements->rate = v;
        elements->rateTime = beta;
        energyAddGradient(elements, x, both);
        double size = largestMagnitude(want, 12);
        for (int i = 0; i < 12; ++i)
            CHECK_NEAR(both[i], want[i], 1e-13 * size);
        CHECK_CLOSE(energySum(elements), power, 1e-12);
        energyDestroy(elements);
        energyDestroy(damper);
    }
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

typedef struct Case
{
    const char *model;
    double spring;
    const char *bending;
} Case;

static const Case cases[] = {
    { "corotated", 0, NULL }, { "membrane", 0, NULL },           { "spring", 0.5, NULL },
    { "triangle", 0, NULL },  { "stable-neo-hookean", 0, NULL }, { "triangle", 0, "dihedral" },
};
#define CASES ((int)(sizeof cases / sizeof cases[0]))

// a small body, struck so that it shakes; spinning about z
static vvSoftBodyId shaken(vvWorldId world, const Case *c, double stiffness, double strain, double spin)
{
    bool solid = strcmp(c->model, "corotated") == 0 || strcmp(c->model, "stable-neo-hookean") == 0;
    vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
    def.model = c->model;
    def.bendingModel = c->bending != NULL ? c->bending : def.bendingModel;
    def.material.thickness = 0.02;
    def.damping.stiffness = stiffness;
    def.damping.spring = stiffness > 0 ? c->spring : 0;
    vvMesh *mesh = solid ? vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 2, 1, 1) : vvCreateSheetMesh(0.4, 0.4, 3, 3);
    vvSoftBodyId body = makeBody(world, mesh, def);
    int count = vvSoftBody_GetVertexCount(body);
    double x[3 * 64], v[3 * 64];
    assert_true(count <= 64);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    TestRandom random = { 3 };
    for (int i = 0; i < count; ++i)
    {
        // sheets stand in the plane of x and y
        double y = solid ? x[3 * i + 1] : x[3 * i + 2], z = solid ? x[3 * i + 2] : 0;
        vecStore(x + 3 * i, vec3(x[3 * i], y, z));
        vecStore(v + 3 * i, vecCross(vec3(0, 0, spin), vecLoad(x + 3 * i)));
        for (int a = 0; a < 3; ++a)
            v[3 * i + a] += strain * randomBetween(&random, -1, 1);
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    return body;
}

typedef struct Outcome
{
    vvLedger before, after;
    double moved; // m, of the last vertex: something to compare
} Outcome;

static Outcome shakeBy(const char *method, const Case *c, const char *solver, double stiffness, double strain,
                       double spin, int steps)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    worldDef.method = method;
    worldDef.solver = solver;
    worldDef.iterations = strcmp(solver, "newton") == 0 ? 0 : 300;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyId body = shaken(world, c, stiffness, strain, spin);
    Outcome outcome = { .before = vvWorld_GetLedger(world) };
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, 0.25 / steps));
    outcome.after = vvWorld_GetLedger(world);
    outcome.moved = vvSoftBody_GetPositions(body)[0];
    vvDestroyWorld(world);
    return outcome;
}

static Outcome shake(const Case *c, const char *solver, double stiffness, double strain, double spin, int steps)
{
    return shakeBy("implicit-midpoint", c, solver, stiffness, strain, spin, steps);
}

static double momentDrift(const Outcome *o)
{
    return vecLength(vecSub(o->after.angularMomentum, o->before.angularMomentum)) /
           vecLength(o->before.angularMomentum);
}

// A turning body that shakes: linear momentum to rounding. Angular momentum as the frozen directions are right, to the
// second order of the step, while most of the vibration is gone.
static void shakingBodiesKeepTheirMomenta(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; ++c)
    {
        Outcome coarse = shake(&cases[c], "newton", 0.005, 0.2, 5, 50);
        Outcome fine = shake(&cases[c], "newton", 0.005, 0.2, 5, 100);
        double mass = sqrt(2 * coarse.before.kinetic); // kg m/s for the scale: a few kg at a few m/s
        CHECK_BELOW(vecLength(vecSub(coarse.after.momentum, coarse.before.momentum)), 1e-11 * mass);
        assert_true(coarse.after.dissipated > 0.02 * coarse.before.kinetic);
        CHECK_BELOW(momentDrift(&fine), 2e-6);
        CHECK_BELOW(momentDrift(&fine), 0.3 * momentDrift(&coarse)); // a quarter
        // the ledger closes at the order of the method
        double lost = fabs(coarse.after.numerical), less = fabs(fine.after.numerical);
        CHECK_BELOW(less, 1e-4 * coarse.before.kinetic);
        CHECK_BELOW(less, 0.3 * lost);
        // damping took vibration, not rotation: what is left is at least the energy of the rigid turn
        assert_true(fine.after.kinetic > 0.5 * fine.before.kinetic);
    }
}

// Without vibration there is nothing to damp: a stiff body turns on. What it loses is what its own stretching takes.
static void rotationIsNotDamped(void **state)
{
    (void)state;
    for (int c = 0; c < CASES; ++c)
    {
        // a hundred times the damping of the test above changes the spin by as little
        Outcome outcome = shake(&cases[c], "newton", 0.5, 0, 1, 25);
        CHECK_BELOW(momentDrift(&outcome), 1e-8);
        CHECK_NEAR(outcome.after.kinetic, outcome.before.kinetic, 1e-3 * outcome.before.kinetic);
        CHECK_BELOW(outcome.after.dissipated, 1e-3 * outcome.before.kinetic);
    }
}

// A leaf that turns by more than a radian in a substep, as scraps of torn cloth do in a storm: no substep resolves it,
// but the end that a step is drawn back to cannot gain, with damping or without (it ran away to 1e14 times its energy).
static void spinsBeyondTheSubstepDoNotRunAway(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.substeps = 4;
        vvResult result;
        vvWorldId world = vvCreateWorld(&worldDef, &result);
        CHECK_OK(result);
        vvSoftBodyDef def = elasticDef(400, 2e6, 0.3);
        def.model = "triangle";
        def.material.thickness = 3e-4;
        def.damping.stiffness = k == 0 ? 0 : k == 1 ? 6e-5 : 3e-4;
        def.spin = (vvVec3){ 600, 10, 30 };
        makeBody(world, vvCreateSheetMesh(0.042, 0.042, 1, 1), def);
        double before = vvWorld_GetLedger(world).kinetic, most = 0;
        for (int i = 0; i < 120; ++i)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 120));
            most = fmax(most, vvWorld_GetLedger(world).total);
        }
        CHECK_BELOW(most, 3 * before);
        vvDestroyWorld(world);
    }
}

// both solvers find the same minimum: positions to the tolerance of 300 iterations
static void localGlobalAgreesWithNewton(void **state)
{
    (void)state;
    for (int c = 0; c < 3; ++c)
    {
        Outcome exact = shake(&cases[c], "newton", 0.005, 0.2, 5, 10);
        Outcome other = shake(&cases[c], "local-global", 0.005, 0.2, 5, 10);
        CHECK_NEAR(other.moved, exact.moved, 1e-7);
        CHECK_CLOSE(other.after.dissipated, exact.after.dissipated, 1e-5);
    }
}

// A regular tet that breathes, x = s X, is an oscillator: E = V (3 mu + 9/2 lambda) (s - 1)^2 for small strains. Damped
// by beta K its amplitude goes with exp(-zeta omega t), zeta = beta omega / 2; by mass with exp(-alpha t / 2).
static void breathe(const char *method, const char *model, double zeta, bool byMass, double tolerance)
{
    static const double points[] = { 0.1, 0.1, 0.1, 0.1, -0.1, -0.1, -0.1, 0.1, -0.1, -0.1, -0.1, 0.1 };
    static const int tet[] = { 0, 2, 1, 3 };
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_ARRAYS;
    meshDef.points = points;
    meshDef.pointCount = 4;
    meshDef.tets = tet;
    meshDef.tetCount = 1;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    worldDef.tolerance = 1e-14;
    double young = 1e4, nu = 0.3, mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    // V = mass / density, sum m |X|^2 = 0.03 mass
    double omega = sqrt(2 * (3 * mu + 4.5 * lambda) / (1000 * 0.03)), amplitude = 1e-5;
    vvSoftBodyDef def = elasticDef(1000, young, nu);
    def.model = model;
    def.damping.stiffness = byMass ? 0 : 2 * zeta / omega;
    def.damping.mass = byMass ? 2 * zeta * omega : 0;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyId body = makeBody(world, vvCreateMesh(&meshDef, NULL), def);
    double x[12];
    for (int i = 0; i < 12; ++i)
        x[i] = (1 + amplitude) * points[i];
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    double opening = vvWorld_GetLedger(world).total;
    double time = 0, decay = zeta * omega, turn = omega * sqrt(1 - zeta * zeta), left = amplitude;
    for (int i = 0; i < 1000; ++i)
    {
        CHECK_OK(vvWorld_Step(world, 0.02 / omega));
        time += 0.02 / omega;
        double s = vvSoftBody_GetPositions(body)[0] / points[0] - 1;
        left = amplitude * exp(-decay * time);
        double want = left * (cos(turn * time) + decay / turn * sin(turn * time));
        if (!(fabs(s - want) <= tolerance * left))
            fail_msg("%s, %s by %s, step %d: %g, not %g", method, model, byMass ? "mass" : "beta", i, s, want);
    }
    CHECK_NEAR(left / amplitude, exp(-20 * zeta), 1e-3);
    // what went is booked as dissipated
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.dissipated, opening, 0.1 * opening);
    vvDestroyWorld(world);
}

static void breathingDecaysByBeta(void **state)
{
    (void)state;
    // strains of 1e-5 turn up in what is frozen; (omega h)^2 / 12 over 20 radians is 7e-4
    breathe("implicit-midpoint", "corotated", 0.1, false, 2e-3);
    breathe("implicit-midpoint", "stable-neo-hookean", 0.1, false, 2e-3);
    breathe("implicit-midpoint", "linear", 0.1, false, 2e-3);
    breathe("implicit-midpoint", "corotated", 0.1, true, 2e-3);
}

// parts of a step of 1/20 of that; damping by the way is first order in them
static void smallStepsDecayByBeta(void **state)
{
    (void)state;
    breathe("small-steps", "corotated", 0.1, false, 2e-2);
    breathe("small-steps", "stable-neo-hookean", 0.1, false, 2e-2);
    breathe("small-steps", "linear", 0.1, false, 2e-2);
    breathe("small-steps", "corotated", 0.1, true, 2e-2);
    breathe("small-midpoint", "corotated", 0.1, false, 5e-3);
    breathe("small-midpoint", "stable-neo-hookean", 0.1, false, 2e-2); // its majorizer is far above its stiffness
    breathe("small-midpoint", "corotated", 0.1, true, 5e-3);
}

// what small-midpoint does not resolve is the energy of a mass that stiffness adds: never below zero, whatever damping
// has in the same matrix and however fast pins go
static void unresolvedEnergyKnowsDamping(void **state)
{
    (void)state;
    for (int byMass = 0; byMass < 2; ++byMass)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
        def.damping.mass = byMass ? 50 : 0;
        def.damping.stiffness = byMass ? 0 : 0.05;
        vvSoftBodyId body = makeBody(world, vvCreateBarMesh(0.4, 0.2, 2, 1), def);
        int pins[4];
        assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.2, 1e-6), pins, 4), 4);
        CHECK_OK(vvSoftBody_Pin(body, pins, 4));
        for (int n = 0; n < 20; ++n)
        {
            for (int k = 0; k < 4; ++k)
            {
                vvVec3 at = vertexPosition(body, pins[k]);
                at.y += 0.005;
                CHECK_OK(vvSoftBody_MovePin(body, pins[k], at));
            }
            CHECK_OK(vvWorld_Step(world, 1.0 / 240));
            vvStatistics statistics = vvWorld_GetStatistics(world);
            double kinetic = vvWorld_GetLedger(world).kinetic;
            assert_true(statistics.unresolved >= -1e-12 * kinetic && statistics.unresolved < kinetic);
        }
        vvDestroyWorld(world);
    }
}

// sheets whose sweep has no damping: the same share is damped as under the implicit midpoint; momentum stays but for
// positions, which the pushes of a sweep round one after the other, over a substep of 2.5e-4 s
static void smallStepsDampSheets(void **state)
{
    (void)state;
    for (int c = 1; c < 4; ++c)
    {
        Outcome exact = shakeBy("implicit-midpoint", &cases[c], "newton", 0.005, 0.2, 5, 100);
        Outcome small = shakeBy("small-steps", &cases[c], "newton", 0.005, 0.2, 5, 100);
        CHECK_NEAR(small.after.dissipated, exact.after.dissipated, 0.1 * exact.after.dissipated);
        CHECK_NEAR(small.after.numerical, 0, 0.05 * small.before.kinetic);
        double scale = sqrt(2 * small.before.kinetic);
        CHECK_BELOW(vecLength(vecSub(small.after.momentum, small.before.momentum)), 1e-10 * scale);
    }
}

// where a damped, bending bar under gravity is after a tenth of a second; directions turn while it bends
static void bend(const char *method, const char *model, int steps, double *x)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, -50, 0 });
    vvSoftBodyDef def = elasticDef(1000, 3e4, 0.3);
    def.model = model;
    def.damping.stiffness = 0.01;
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(0.4, 0.2, 2, 1), def);
    int pins[4];
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.2, 1e-6), pins, 4), 4);
    CHECK_OK(vvSoftBody_Pin(body, pins, 4));
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(world, 0.1 / steps));
    memcpy(x, vvSoftBody_GetPositions(body), 36 * sizeof(double));
    vvDestroyWorld(world);
}

static double farthest(const double *a, const double *b)
{
    double d[36];
    for (int i = 0; i < 36; ++i)
        d[i] = a[i] - b[i];
    return largestMagnitude(d, 36);
}

// Frozen directions leave the methods their orders: of implicit ones up to 2, for the middle of the way is known to
// that; of explicit ones whatever they have, as far as damping is smooth. That of springs is; that of solids is capped
// where they stretch, and its kinks leave rk4 errors of 1e-10 m that fall more slowly.
static void dampedBendingHasTheOrderOfTheMethod(void **state)
{
    (void)state;
    static const struct
    {
        const char *method, *model;
        int order, steps;
    } rows[] = { { "implicit-midpoint", "corotated", 2, 50 },
                 { "backward-euler", "corotated", 1, 200 },
                 { "symplectic-euler", "corotated", 1, 800 },
                 { "verlet", "corotated", 2, 400 },
                 { "explicit-midpoint", "corotated", 2, 400 },
                 { "trapezoid", "corotated", 2, 100 },
                 { "generalized-alpha", "corotated", 2, 100 },
                 { "bdf2", "corotated", 2, 200 },
                 { "linear-implicit-euler", "corotated", 1, 400 },
                 { "rk4", "spring", 4, 100 },
                 { "verlet", "spring", 2, 400 },
                 { "adams-bashforth-3", "spring", 3, 800 } };
    double exact[2][36], coarse[36], fine[36];
    bend("rk4", "corotated", 3200, exact[0]);
    bend("rk4", "spring", 3200, exact[1]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        const double *want = exact[strcmp(rows[i].model, "spring") == 0];
        bend(rows[i].method, rows[i].model, rows[i].steps, coarse);
        bend(rows[i].method, rows[i].model, 2 * rows[i].steps, fine);
        // steps of 2 ms and less: the next term of the error is below 5 %
        double order = log2(farthest(coarse, want) / farthest(fine, want));
        if (!(fabs(order - rows[i].order) < 0.1))
            fail_msg("%s with %s has order %g, not %d", rows[i].method, rows[i].model, order, rows[i].order);
    }
}

static void badDampingIsRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvMesh *box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), *sheet = vvCreateSheetMesh(1, 1, 2, 2);
    static const struct
    {
        double stiffness, spring;
        const char *model, *message;
        bool solid;
    } bad[] = { { -2, 0, NULL, "damping.stiffness is -2 s", true },
                { NAN, 0, NULL, "damping.stiffness is nan s", true },
                { 0, -2, "spring", "damping.spring is -2 N s/m", true },
                { 0, INFINITY, "spring", "damping.spring is inf N s/m", true },
                { 0, 2, NULL, "model 'corotated' has no springs", true },
                { 0, 2, "membrane", "model 'membrane' has no springs", false },
                { 0, 0, "membrane", "the mesh is none", true } };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = bad[i].solid ? box : sheet;
        def.model = bad[i].model;
        def.damping.stiffness = bad[i].stiffness;
        def.damping.spring = bad[i].spring;
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        if (strstr(result.message, bad[i].message) == NULL)
            fail_msg("'%s' does not say '%s'", result.message, bad[i].message);
    }
    vvDestroyMesh(box);
    vvDestroyMesh(sheet);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springsDecayAsTheirCoefficientSays),
        cmocka_unit_test(stiffnessDampingOfSpringsIsBetaTimesStiffness),
        cmocka_unit_test(booksOfAQuadraticAreExact),
        cmocka_unit_test(movedPinsWorkAgainstDampers),
        cmocka_unit_test(restoredBodiesGoOnTheSame),
        cmocka_unit_test(dampersAreBetaTimesTheHessianAtRest),
        cmocka_unit_test(dampersLeaveRigidMotionAndMomentaAlone),
        cmocka_unit_test(elementsDampAsTheirDampersDo),
        cmocka_unit_test(shakingBodiesKeepTheirMomenta),
        cmocka_unit_test(rotationIsNotDamped),
        cmocka_unit_test(spinsBeyondTheSubstepDoNotRunAway),
        cmocka_unit_test(localGlobalAgreesWithNewton),
        cmocka_unit_test(breathingDecaysByBeta),
        cmocka_unit_test(smallStepsDecayByBeta),
        cmocka_unit_test(unresolvedEnergyKnowsDamping),
        cmocka_unit_test(smallStepsDampSheets),
        cmocka_unit_test(dampedBendingHasTheOrderOfTheMethod),
        cmocka_unit_test(badDampingIsRefused),
    };
    return cmocka_run_group_tests_name("strain damping", tests, NULL, NULL);
}
