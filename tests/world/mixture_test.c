// Random mixtures of bodies, models, constraints, attachments, contacts, wind and handles under every method and
// solver: the same bits from any number of threads and from a restored state, books that close, momentum that follows
// the forces, no memory asked for in a step, and steps that fail leave no trace.
//
//   test_world_mixture_soak bdf6 11576        one mixture; bdf6 11576 11580: those from 11576 to 11579
//   test_world_mixture_soak books rk4 10145   what is left over in its books, at two steps
#include "methods.h"
#include "world/add.h"

#include "base/system.h"
#include "integrate/tables.h"
#include "world/meeting.h"

#include <stdlib.h>

#ifndef MIXTURES
#define MIXTURES 2 // for each method
#endif
#ifndef FIRST
#define FIRST 0 // seed
#endif
#define STEP (1.0 / 400)
#define WARM 10  // steps: until the past of every method is full
#define SAVED 12 // when the state is saved
#define STEPS 22
#define BODIES 3
#define MOST 800 // vertices of a body

// ---- memory ---------------------------------------------------------------------------------------------------------

static void *countedAllocate(size_t size, size_t alignment, void *userData)
{
    *(long long *)userData += 1;
    return systemAllocate(size, alignment);
}

static void countedRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef struct Mixture
{
    const char *method;
    int seed;
    TestRandom random;
    long long *requests; // of memory
    vvWorldId world;
    int bodyCount;
    vvSoftBodyId body[BODIES];
    vvAttachmentId point; // moved; null: none
    vvHandleId handle;    //
    vvColliderId collider;
    vvVec3 pointAt, handleAt;
    bool pinned; // vertex 0 of the first body, moved
    bool floats; // nothing from outside but gravity and forces on vertices
    bool meets;  // bodies touch: room for contacts may grow
    vvVec3 push; // N, on a vertex of the first body
    double step; // s
    int steps;   // tried
    double left; // m: what solvers left of the residual, over all steps, times what the step makes of it
} Mixture;

static bool poisoned; // callbacks answer with NaN

static int pick(Mixture *m, int count)
{
    return (int)(randomUnit(&m->random) * count);
}

static double between(Mixture *m, double low, double high)
{
    return randomBetween(&m->random, low, high);
}

// a point in a ball of 0.12 m around the first vertex of the element
static void intoBall(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    double length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int a = 0; a < 3; ++a)
        p[a] = poisoned ? NAN : length > 0.12 ? 0.12 / length * z[a] : z[a];
}

static void constrainMixture(Mixture *m, vvSoftBodyId body)
{
    static const double difference[2] = { -1, 1 };
    int count = vvSoftBody_GetVertexCount(body);
    int ends[2] = { pick(m, count), pick(m, count - 1) };
    ends[1] += ends[1] >= ends[0];
    vvConstraintDef own = vvDefaultConstraintDef();
    own.vertices = ends;
    own.count = own.rows = 1;
    own.corners = 2;
    own.matrix = difference;
    own.weight = between(m, 10, 100);
    own.project = intoBall;
    CHECK_OK(addConstraint(body, &own));
}

// the edge that the first triangle of a sheet shares with another one
static void hingeMixture(Mixture *m, vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const int *first = vvMesh_GetSurface(mesh);
    int vertices[4] = { first[0], first[1], first[2], -1 };
    for (int t = 1; t < vvMesh_GetSurfaceCount(mesh) && vertices[3] < 0; ++t)
    {
        const int *other = first + 3 * t;
        int shared = 0, apart = -1;
        for (int k = 0; k < 3; ++k)
        {
            bool on = other[k] == vertices[0] || other[k] == vertices[1];
            shared += on;
            apart = on ? apart : other[k];
        }
        vertices[3] = shared == 2 ? apart : -1;
    }
    if (vertices[3] < 0)
        return;
    vvHingeDef hinge = vvDefaultHingeDef();
    hinge.vertices = vertices;
    hinge.count = 1;
    hinge.stiffness = between(m, 0.01, 0.1);
    hinge.minAngle = -2;
    hinge.maxAngle = 2;
    CHECK_OK(addHinge(body, &hinge));
}

static void fillSolid(Mixture *m, vvSoftBodyDef *def)
{
    static const char *const models[] = { NULL, "stable-neo-hookean", "linear", "spring", "squared-spring" };
    def->model = models[pick(m, 5)];
    def->volumeStiffness = pick(m, 4) ? 0 : 5e3;
    def->pressure = pick(m, 4) ? 0 : between(m, -100, 100);
    def->shapeStiffness = pick(m, 4) ? 0 : 300;
    def->shapeClusters = pick(m, 3);
    if (pick(m, 4) == 0)
        def->strainLimit = (vvStrainLimit){ .min = 0.99, .max = 1.01, .stiffness = 2e4 };
    def->contactSamples = pick(m, 4) ? 0 : 1;
}

static void fillSheet(Mixture *m, vvSoftBodyDef *def)
{
    static const char *const models[] = { NULL, "triangle", "membrane", "squared-spring" };
    def->model = models[pick(m, 4)];
    def->material.thickness = 0.02;
    def->bending = pick(m, 2) ? -1 : 0.5;
    def->bendingModel = pick(m, 2) ? NULL : "dihedral";
    def->areaStiffness = pick(m, 4) ? 0 : 2e3;
    if (pick(m, 4) == 0)
        def->strainLimit = (vvStrainLimit){
            .min = 0.99, .max = 1.01, .stiffness = 2e4, .direction = { 1, 0, 0 }, .acrossMin = 0.95, .acrossMax = 1.05
        };
}

// stretched and bent, beside the shape of rest
static void makeExample(const vvMesh *mesh, double *points)
{
    const double *rest = vvMesh_GetPoints(mesh);
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(mesh); ++i)
        points[i] = i % 3 == 1 ? rest[i] + rest[i - 1] * rest[i - 1] : 1.1 * rest[i];
}

static vvSoftBodyId addBody(Mixture *m, int index)
{
    static double points[3 * MOST];
    static const double *const examples[] = { points };
    int kind = pick(m, 8);
    vvSoftBodyDef def = elasticDef(1000, 5e3, 0.3);
    def.damping.mass = pick(m, 4) || m->floats ? 0 : between(m, 0, 3);
    def.damping.stiffness = pick(m, 4) ? 0 : between(m, 0, 2e-3);
    def.damping.rigidPreserving = pick(m, 4) ? 0 : between(m, 0, 3);
    def.friction = pick(m, 2) ? -1 : 0.3;
    if (kind < 4)
    {
        def.mesh = vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 2, 1, 1 + pick(m, 2));
        fillSolid(m, &def);
        bool hasExamples = pick(m, 4) == 0, global = pick(m, 2);
        if (hasExamples)
        {
            makeExample(def.mesh, points);
            def.examples = examples;
            def.exampleCount = 1;
            def.exampleWeights = global ? VV_EXAMPLE_WEIGHTS_GLOBAL : VV_EXAMPLE_WEIGHTS_LOCAL;
        }
    }
    else if (kind < 7)
    {
        // one of them large enough for threads
        int cells = pick(m, 8) ? 3 : 23;
        def.mesh = vvCreateSheetMesh(0.4, 0.4, cells, cells);
        fillSheet(m, &def);
        if (cells > 3)
            def.material.young /= 50; // the same frequencies on the finer mesh
        def.selfContact = m->meets && pick(m, 2);
    }
    else
    {
        vvMeshDef line = vvDefaultMeshDef();
        line.shape = VV_MESH_ROPE;
        line.size.x = 0.4;
        line.cells[0] = 5;
        line.rod = index % 2 == 1;
        def.mesh = vvCreateMesh(&line, NULL);
        def.material.thickness = 0.03;
    }
    def.damping.spring = def.model == NULL && kind > 3 && pick(m, 3) == 0 ? 0.05 : 0;
    def.position = (vvVec3){ between(m, -0.05, 0.05), 0.12 + 0.2 * index, between(m, -0.05, 0.05) };
    def.velocity = (vvVec3){ between(m, -0.3, 0.3), between(m, -0.3, 0), between(m, -0.3, 0.3) };
    def.spin = (vvVec3){ between(m, -2, 2), between(m, -2, 2), between(m, -2, 2) };
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(m->world, &def, &result);
    if (result.code == VV_BAD_INPUT &&
        strcmp(m->method, "linear-implicit-euler") == 0) // shapes are refused, and say so
    {
        def.shapeStiffness = 0;
        def.exampleWeights = VV_EXAMPLE_WEIGHTS_LOCAL;
        body = vvCreateSoftBody(m->world, &def, &result);
    }
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    if (pick(m, 3) == 0)
        constrainMixture(m, body);
    if (kind >= 4 && kind < 7 && pick(m, 4) == 0)
        hingeMixture(m, body);
    return body;
}

static void addObstacle(Mixture *m)
{
    addPlane(m->world, (vvVec3){ 0, 1, 0 }, 0);
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = pick(m, 2) ? VV_SHAPE_SPHERE : VV_SHAPE_BOX;
    shapeDef.radius = 0.1;
    shapeDef.size = (vvVec3){ 0.2, 0.2, 0.2 };
    vvResult result;
    vvShape *shape = vvCreateShape(&shapeDef, &result);
    CHECK_OK(result);
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = shape;
    def.position = (vvVec3){ 0.25, 0.1, 0.05 };
    def.restitution = pick(m, 2) ? 1 : 0.3;
    m->collider = vvCreateCollider(m->world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
}

static void linkBodies(Mixture *m)
{
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = m->body[0];
    link.bodyB = m->body[1];
    link.vertexA = pick(m, vvSoftBody_GetVertexCount(m->body[0]));
    link.vertexB = pick(m, vvSoftBody_GetVertexCount(m->body[1]));
    link.restLength = 0.1;
    link.stiffness = between(m, 20, 100);
    vvResult result;
    vvCreateAttachment(m->world, &link, &result);
    CHECK_OK(result);
}

static void addHold(Mixture *m)
{
    vvSoftBodyId body = m->body[0];
    m->pinned = pick(m, 3) == 0;
    if (m->pinned)
        CHECK_OK(vvSoftBody_Pin(body, (int[]){ 0, 1 }, 2));
    if (pick(m, 3) == 0)
    {
        m->point = attachToPoint(m->world, body, 3, 100);
        m->pointAt = vertexPosition(body, 3);
    }
    if (pick(m, 3) == 0)
    {
        vvHandleDef def = vvDefaultHandleDef();
        def.body = m->body[m->bodyCount - 1];
        def.vertices[0] = 2;
        def.vertices[1] = 3;
        def.weights[0] = def.weights[1] = 0.5;
        def.stiffness = 100;
        vvResult result;
        m->handle = vvCreateHandle(m->world, &def, &result);
        CHECK_OK(result);
        m->handleAt = vvHandle_GetTarget(m->handle);
    }
}

static Mixture makeMixture(const char *method, int seed, int threads, long long *requests)
{
    Mixture m = {
        .method = method, .seed = seed, .random = { (uint64_t)seed * 7919 + 1 }, .requests = requests, .step = STEP
    };
    for (int i = 0; i < 4; ++i)
        randomUnit(&m.random);
    m.floats = pick(&m, 3) == 0;
    m.meets = pick(&m, 4) == 0;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = vvGetSolverName(pick(&m, 4));
    def.threads = threads;
    def.softContact = m.meets;
    def.settings.localGlobal.accelerate = pick(&m, 3) == 0;
    def.settings.smallSteps.viscousPass = pick(&m, 3) == 0;
    def.settings.smallSteps.symmetric = pick(&m, 3) == 0;
    def.settings.smallSteps.jacobi = pick(&m, 3) == 0;
    def.settings.newtonCg.preconditioner = vvGetPreconditionerName(pick(&m, 5));
    def.allocator = (vvAllocator){ countedAllocate, countedRelease, requests };
    if (!m.floats && pick(&m, 3) == 0)
        def.wind = (vvWind){ .velocity = { 1, 0, 2 }, .density = 1.2, .drag = 1.17 };
    vvResult result;
    m.world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    m.bodyCount = 1 + pick(&m, BODIES);
    for (int i = 0; i < m.bodyCount; ++i)
        m.body[i] = addBody(&m, i);
    if (m.bodyCount > 1 && pick(&m, 2))
        linkBodies(&m);
    m.push = (vvVec3){ between(&m, -1, 1), between(&m, -1, 1), between(&m, -1, 1) };
    CHECK_OK(vvSoftBody_SetForce(m.body[0], 4, m.push));
    if (m.floats)
        return m;
    if (pick(&m, 2))
        addObstacle(&m);
    addHold(&m);
    return m;
}

// 0.3 m/s
static vvVec3 moved(vvVec3 from, double time)
{
    double way = 0.2 * time;
    return (vvVec3){ from.x + way, from.y + 0.5 * way, from.z - way };
}

// everything that moves, to where it is at the end of the next step
static void sendTargets(const Mixture *m)
{
    double time = vvWorld_GetTime(m->world) + m->step;
    if (m->pinned)
        CHECK_OK(vvSoftBody_MovePin(m->body[0], 0, moved(vertexPosition(m->body[0], 0), m->step)));
    if (vvAttachment_IsValid(m->point))
        CHECK_OK(vvAttachment_MoveTarget(m->point, moved(m->pointAt, time)));
    if (vvHandle_IsValid(m->handle))
        CHECK_OK(vvHandle_MoveTo(m->handle, moved(m->handleAt, time)));
    if (vvCollider_IsValid(m->collider))
        CHECK_OK(vvCollider_MoveTo(m->collider, (vvVec3){ 0.25 - 0.4 * time, 0.1, 0.05 },
                                   vvQuat_FromDegrees((vvVec3){ 0, 200 * time, 0 })));
}

// ---- facts ----------------------------------------------------------------------------------------------------------

#define BAD(m, ...)                                                                                                    \
    do                                                                                                                 \
    {                                                                                                                  \
        print_message("%s, seed %d: ", (m)->method, (m)->seed);                                                        \
        print_message(__VA_ARGS__);                                                                                    \
        print_message("\n");                                                                                           \
        failures += 1;                                                                                                 \
    } while (0)

static int failures;

// How far the velocity of a step is off, times the step, for 1 m of residual left in its solves. Velocities are up to
// 20 / h times the way (bdf6). Multistep methods of order k above 2 begin with k - 1 steps that extrapolate backward
// Euler in n = 1 ... k substeps: n of them leave n / h each, with weights that are large and alternate, 7100 in all for
// bdf6.
static double residualWeight(const Mixture *m)
{
    const Multistep *table = multistepFind(m->method);
    double sum = 0;
    if (table == NULL || table->order <= 2 || table->beta[0] == 0 || m->steps >= table->steps - 1)
        return 20;
    for (int n = 1; n <= table->order; ++n)
    {
        double weight = n * n;
        for (int k = 1; k <= table->order; ++k)
            weight *= k == n ? 1 : n / fabs((double)(n - k));
        sum += weight;
    }
    return sum;
}

// One step; false: it failed. Then nothing has changed, and it says why.
static bool takeStep(Mixture *m)
{
    sendTargets(m);
    uint64_t hash = vvWorld_GetHash(m->world);
    vvLedger before = vvWorld_GetLedger(m->world);
    vvResult result = vvWorld_Step(m->world, m->step);
    bool moves = vvWorld_GetHash(m->world) != hash;
    m->left += residualWeight(m) * vvWorld_GetStatistics(m->world).residual;
    m->steps += 1;
    if (moves != (result.code == VV_OK))
        BAD(m, "at %g s a step %s", vvWorld_GetTime(m->world), moves ? "failed and left a trace" : "moved nothing");
    if (result.code == VV_OK)
        return true;
    vvLedger after = vvWorld_GetLedger(m->world);
    if (memcmp(&before, &after, sizeof after) != 0)
        BAD(m, "a failed step wrote into the books");
    if (result.code != VV_DIVERGED || result.message[0] == 0 || result.remedy[0] == 0)
        BAD(m, "a step failed with code %d: %s (%s)", (int)result.code, result.message, result.remedy);
    return false;
}

// steps from `begin` to `end`; explicit methods may run away, which ends the run; returns how many it took
static int takeSteps(Mixture *m, int begin, int end)
{
    for (int n = begin; n < end; ++n)
    {
        long long requests = *m->requests;
        if (!takeStep(m))
        {
            if (!(vvMethod_GetLimit(m->method) < INFINITY))
                BAD(m, "step %d failed", n);
            return n;
        }
        if (n >= WARM && begin == 0 && !m->meets && *m->requests != requests)
            BAD(m, "step %d asked for memory %lld times", n, *m->requests - requests);
    }
    return end;
}

// the ledger against sums of our own over what is seen from outside
static void checkColumns(Mixture *m)
{
    vvLedger ledger = vvWorld_GetLedger(m->world);
    double kinetic = 0, gravity = 0, scale = 1e-3 + fabs(ledger.total) + fabs(ledger.added);
    vvVec3 g = vvWorld_GetGravity(m->world);
    for (int b = 0; b < m->bodyCount; ++b)
    {
        const double *mass = vvSoftBody_GetMasses(m->body[b]);
        for (int v = 0; v < vvSoftBody_GetVertexCount(m->body[b]); ++v)
        {
            const double *u = vvSoftBody_GetVelocities(m->body[b]) + 3 * v,
                         *x = vvSoftBody_GetPositions(m->body[b]) + 3 * v;
            if (!vvSoftBody_IsPinned(m->body[b], v))
                kinetic += 0.5 * mass[v] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            gravity -= mass[v] * (g.x * x[0] + g.y * x[1] + g.z * x[2]);
        }
    }
    scale += kinetic + fabs(gravity);
    if (!(fabs(kinetic - ledger.kinetic) <= 1e-12 * scale && fabs(gravity - ledger.gravity) <= 1e-12 * scale))
        BAD(m, "kinetic %g J and gravity %g J are booked as %g and %g", kinetic, gravity, ledger.kinetic,
            ledger.gravity);
    double total = ledger.kinetic + ledger.elastic + ledger.gravity + ledger.contact;
    if (!(fabs(total - ledger.total) <= 1e-12 * scale &&
          fabs(ledger.total - ledger.target - ledger.numerical) <= 1e-12 * scale))
        BAD(m, "the books do not add up");
}

static double massOf(const Mixture *m)
{
    double mass = 0;
    for (int b = 0; b < m->bodyCount; ++b)
        mass += vvSoftBody_GetMass(m->body[b]);
    return mass;
}

// gravity and the push are all that acts from outside
static void checkMomentum(Mixture *m, vvVec3 before)
{
    // blends of islands of several bodies scale velocities
    bool joined = vvWorld_GetIslandCount(m->world) < m->bodyCount;
    if (!m->floats || !keepsMomentum(m->method) || (joined && strncmp(m->method, "stabilized", 10) == 0))
        return;
    double t = vvWorld_GetTime(m->world), mass = massOf(m);
    vvVec3 g = vvWorld_GetGravity(m->world), after = vvWorld_GetLedger(m->world).momentum;
    double want[3] = { before.x + t * (mass * g.x + m->push.x), before.y + t * (mass * g.y + m->push.y),
                       before.z + t * (mass * g.z + m->push.z) };
    double off = fabs(after.x - want[0]) + fabs(after.y - want[1]) + fabs(after.z - want[2]);
    // |sum grad g| is at most mass x residual
    double limit = 1e-9 * (mass + 1) + 3 * mass * m->left / m->step;
    if (!(off <= limit))
        BAD(m, "momentum is off by %g kg m/s of %g kg, limit %g", off, mass, limit);
}

static void checkSame(Mixture *m, uint64_t hash, int end, int wantEnd, const char *what)
{
    if (end != wantEnd)
        BAD(m, "%s: ends at step %d instead of %d", what, end, wantEnd);
    else if (vvWorld_GetHash(m->world) != hash)
        BAD(m, "%s: other bits", what);
}

// a step in which callbacks answer with NaN; false: it succeeded all the same, for there are none
static bool failStep(Mixture *m)
{
    poisoned = true;
    bool ok = takeStep(m);
    poisoned = false;
    return !ok;
}

// whatever comes and goes, the numerics have nothing to do with it
static void checkBooked(Mixture *m, double numerical, const char *what)
{
    vvLedger ledger = vvWorld_GetLedger(m->world);
    double scale = 1 + fabs(ledger.total) + fabs(ledger.added);
    if (!(fabs(ledger.numerical - numerical) <= 1e-10 * scale))
        BAD(m, "%s: %g J too many", what, ledger.numerical - numerical);
}

// a body comes, gravity and the method change, the first body goes; returns the hash a few steps later
static uint64_t changeMidway(Mixture *m)
{
    double numerical = vvWorld_GetLedger(m->world).numerical;
    vvSoftBodyId more = addBody(m, BODIES);
    checkBooked(m, numerical, "a body comes");
    CHECK_OK(vvWorld_SetGravity(m->world, (vvVec3){ 1, -5, 2 }));
    checkBooked(m, numerical, "other gravity");
    CHECK_OK(vvSoftBody_SetVelocities(more, vvSoftBody_GetVelocities(more)));
    takeSteps(m, 1, 3);
    CHECK_OK(vvWorld_SetMethod(m->world, "backward-euler"));
    takeSteps(m, 1, 3);
    CHECK_OK(vvWorld_SetMethod(m->world, m->method));
    vvDestroySoftBody(m->body[0]);
    m->pinned = false;
    m->body[0] = more;
    takeSteps(m, 1, 4);
    checkColumns(m);
    return vvWorld_GetHash(m->world);
}

static void checkMixture(const char *method, int seed)
{
    long long requests = 0, others = 0;
    Mixture m = makeMixture(method, seed, 1, &requests);
    vvVec3 momentum = vvWorld_GetLedger(m.world).momentum;
    int end = takeSteps(&m, 0, SAVED);
    size_t size = vvWorld_GetStateSize(m.world);
    void *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(m.world, saved, size));
    if (end == SAVED)
        end = takeSteps(&m, SAVED, STEPS);
    uint64_t hash = vvWorld_GetHash(m.world), changed = 0;
    checkColumns(&m);
    if (end == STEPS)
        checkMomentum(&m, momentum);
    if (end == STEPS)
        changed = changeMidway(&m);
    vvDestroyWorld(m.world);

    Mixture wide = makeMixture(method, seed, 3, &others);
    checkSame(&wide, hash, takeSteps(&wide, 0, STEPS), end, "three threads");
    if (end == STEPS && changeMidway(&wide) != changed)
        BAD(&wide, "three threads and changes: other bits");
    vvDestroyWorld(wide.world);
    if (end > SAVED)
    {
        Mixture fresh = makeMixture(method, seed, 1, &others);
        CHECK_OK(vvWorld_RestoreState(fresh.world, saved, size));
        if (!failStep(&fresh))
            CHECK_OK(vvWorld_RestoreState(fresh.world, saved, size));
        // the step that fails, too: what was asked for it is a part of the state
        checkSame(&fresh, hash, takeSteps(&fresh, SAVED, STEPS), end, "restored, after a step that failed");
        vvDestroyWorld(fresh.world);
    }
    free(saved);
}

// J that the numerics made or lost in 30 ms, and what there was
static double lostBy(const char *method, int seed, double step, double *scale)
{
    long long requests = 0;
    Mixture m = makeMixture(method, seed, 1, &requests);
    m.step = step;
    int count = (int)(0.03 / step + 0.5), taken = takeSteps(&m, 1, count + 1) - 1;
    vvLedger ledger = vvWorld_GetLedger(m.world);
    *scale = ledger.kinetic + fabs(ledger.elastic) + fabs(ledger.contact) + fabs(ledger.added) + ledger.dissipated;
    vvDestroyWorld(m.world);
    return taken == count ? fabs(ledger.numerical) : NAN;
}

// Where a force jumps within a step (a contact that goes from one face of a box to another, friction that begins to
// slide), up to the jump in power times the step is left over, by where in the step it is: it falls with the step, but
// one run may hit it in the right moment, or several cancel. So, unless the first does, the worst of three coarse steps
// that are nearly the same is asked.
static double coarseLoss(const char *method, int seed, double enough)
{
    static const int rates[] = { 1000, 900, 1100 }; // 1/s
    double scale, worst = lostBy(method, seed, 1.0 / rates[0], &scale);
    for (int i = 1; i < 3 && worst < enough; ++i)
        worst = fmax(worst, lostBy(method, seed, 1.0 / rates[i], &scale));
    return worst; // NaN: the first failed
}

// What is booked is what happened: with a step a quarter as long, next to nothing is left over, under methods that keep
// energy.
static void checkBooks(const char *method, int seed, bool everything)
{
    double scale, fine = lostBy(method, seed, 1.0 / 4000, &scale);
    // rounding, solvers that stop early, and corners of friction: 5e-5
    double rest = fine - 5e-5 * scale, coarse = coarseLoss(method, seed, rest / 0.6);
    bool holds = rest <= 0.6 * coarse;
    if (!holds || everything)
        print_message("%s, seed %d: %g J, then %g J of %g J\n", method, seed, coarse, fine, scale);
    failures += !holds;
}

// (Not small-steps: contacts that begin with an overlap are pushed out at a speed of their own.)
static void booksConverge(void **state)
{
    (void)state;
    static const char *const methods[] = { "implicit-midpoint", "small-midpoint", "stabilized",
                                           "trapezoid",         "verlet",         "rk4" };
    failures = 0;
    for (int i = FIRST; i < FIRST + 3 * MIXTURES; ++i)
        checkBooks(methods[i % 6], i, false);
    assert_int_equal(failures, 0);
}

static void everyMixtureHolds(void **state)
{
    (void)state;
    failures = 0;
    for (int k = 0; vvGetMethodName(k) != NULL; ++k)
    {
        for (int i = 0; i < MIXTURES; ++i)
            checkMixture(vvGetMethodName(k), FIRST + k * MIXTURES + i);
    }
    assert_int_equal(failures, 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyMixtureHolds), cmocka_unit_test(booksConverge) };
    if (count < 3)
        return cmocka_run_group_tests_name("mixtures", tests, NULL, NULL);
    bool books = strcmp(words[1], "books") == 0;
    int at = books ? 3 : 2, first = count > at ? atoi(words[at]) : 0,
        end = count > at + 1 ? atoi(words[at + 1]) : first + 1;
    for (int seed = first; seed < end; ++seed)
    {
        if (books)
            checkBooks(words[2], seed, true);
        else
            checkMixture(words[1], seed);
    }
    return failures > 0;
}
