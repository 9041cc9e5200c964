// Points between the vertices that meet colliders: what vvSoftBodyDef.contactSamples asks for.
#include "contact/element.h"

#include "base/system.h"
#include "contact/yard.h"
#include "mesh/mesh.h"
#include "undamped.h"

#include <stdlib.h>

#define STEP 1e-6 // m, of central differences: next to no point crosses a surface within it
#define MOST 64   // vertices of a fixture

static const vvVec3 down = { 0, -9.81, 0 };
static TestRandom numbers;

// ---- the points -----------------------------------------------------------------------------------------------------

typedef struct Fixture
{
    Memory memory;
    vvMesh *mesh;
    vvShape *shape;
    Collider item;
    Colliders colliders;
    Candidate candidate[1];
    ContactBody *body;
    Energy *contact, *damping;
    double mass[MOST], start[3 * MOST], velocity[3 * MOST];
    unsigned char pinned[MOST];
    int size; // numbers of a vector
} Fixture;

static double triangleArea(const vvMesh *mesh, int t)
{
    const int *c = mesh->surface + 3 * t;
    Vec3 a = vecLoad(mesh->point + 3 * c[0]), b = vecLoad(mesh->point + 3 * c[1]), d = vecLoad(mesh->point + 3 * c[2]);
    return 0.5 * vecLength(vecCross(vecSub(b, a), vecSub(d, a)));
}

#define WITHIN -1 // instead of a number of samples: points within tets

// some anywhere in every tet
static void pointsWithin(Fixture *f)
{
    int corner[4 * MOST];
    double share[4 * MOST], area[MOST];
    for (int p = 0; p < MOST; ++p)
    {
        double left = 1;
        for (int c = 0; c < 4; ++c)
        {
            corner[4 * p + c] = f->mesh->tet[4 * (p % f->mesh->tetCount) + c];
            share[4 * p + c] = c < 3 ? left * randomBetween(&numbers, -0.2, 0.6) : left; // some are outside
            left -= share[4 * p + c];
        }
        area[p] = 0.3;
    }
    assert_true(contactBodyEmbed(&f->memory, f->body, MOST, corner, share, area));
    double sum = 0;
    for (int p = 0; p < f->body->pointCount; ++p)
    {
        double bound = 0; // what a point stands for is a part of what its corners have
        for (int c = 0; c < 4; ++c)
            bound += share[4 * p + c] * share[4 * p + c];
        assert_true(f->body->sampleArea[p] * bound <= f->body->whole[p] * (1 + 1e-12));
        sum += f->body->sampleArea[p];
    }
    CHECK_CLOSE(sum, 0.3 * MOST, 1e-12);
}

// the surface of a box, all of whose vertices lie on it, around the collider's surface
static void fixtureMake(Fixture *f, vvShape *shape, double friction, int samples)
{
    *f = (Fixture){ .memory = memoryMake(NULL), .shape = shape };
    f->mesh = vvCreateBoxMesh((vvVec3){ 0.8, 0.8, 0.8 }, 1, 1, 2);
    f->size = 3 * f->mesh->vertexCount;
    f->item = (Collider){ .used = true, .shape = shape, .friction = friction, .restitution = 0.4, .stiffness = 250 };
    f->item.category = f->item.mask = 1;
    f->item.start = f->item.target = poseMake(vec3(0.02, -0.01, 0.03), vvQuat_FromDegrees(vec3(10, 20, 30)));
    f->colliders = (Colliders){ .slotCount = 1, .count = 1, .item = &f->item, .candidate = f->candidate };
    int vertex[MOST];
    double area[MOST] = { 0 };
    for (int i = 0; i < 3 * f->mesh->surfaceCount; ++i)
        area[f->mesh->surface[i]] += triangleArea(f->mesh, i / 3) / 3;
    for (int v = 0; v < f->mesh->vertexCount; ++v)
    {
        vertex[v] = v;
        f->mass[v] = 1;
    }
    for (int i = 0; i < f->size; ++i)
    {
        f->start[i] = f->mesh->point[i] + randomBetween(&numbers, -0.05, 0.05);
        f->velocity[i] = randomBetween(&numbers, -1, 1);
    }
    f->body = contactBodyCreate(&f->memory, f->mesh->vertexCount, vertex, area);
    assert_non_null(f->body);
    f->body->colliders = &f->colliders;
    f->body->friction = -1;
    f->body->mass = 12;
    f->body->matter = 1e8;
    f->body->category = f->body->mask = 1;
    if (samples == WITHIN)
        pointsWithin(f);
    else
        assert_true(contactBodySample(&f->memory, f->body, f->mesh->surfaceCount, f->mesh->surface,
                                      f->mesh->vertexCount, f->mesh->point, samples));
    f->contact = contactCreate(&f->memory, contactKindOf(f->body), f->body, f->mesh->vertexCount, f->mesh->point);
    f->damping =
        contactCreate(&f->memory, contactDampingKindOf(f->body), f->body, f->mesh->vertexCount, f->mesh->point);
    assert_true(f->contact != NULL && f->damping != NULL);
}

static int fixtureSearch(Fixture *f)
{
    ContactMotion motion = { f->mass, f->pinned, f->start, f->velocity, vec3(0, 0, 0) };
    return contactSearch(f->contact, f->damping, &motion, 0.01, NULL);
}

static void fixtureFree(Fixture *f)
{
    energyDestroy(f->contact);
    energyDestroy(f->damping);
    contactBodyDestroy(&f->memory, f->body);
    vvDestroyMesh(f->mesh);
    vvDestroyShape(f->shape);
    assert_int_equal(f->memory.blocks, 0);
}

// every point once, the area as a whole, shares that add to 1
static void latticeCoversTheSurface(void **state)
{
    (void)state;
    for (int samples = 0; samples <= 16; ++samples)
    {
        Fixture f;
        fixtureMake(&f, planeShape(), 0, samples);
        int triangles = f.mesh->surfaceCount, edges = 3 * triangles / 2; // closed
        int want = f.mesh->vertexCount + edges * samples + triangles * samples * (samples - 1) / 2;
        assert_int_equal(f.body->pointCount, want);
        double sum = 0, least = INFINITY;
        for (int i = 0; i < want; ++i)
        {
            Vec3 p = contactPoint(f.contact, i * CONTACT_SLOTS, f.mesh->point);
            sum += contactArea(f.body, i);
            if (samples > 0)
                CHECK_NEAR(f.body->share[3 * i] + f.body->share[3 * i + 1] + f.body->share[3 * i + 2], 1, 1e-15);
            for (int j = 0; j < i && samples < 6; ++j)
                least = minReal(least, vecLength(vecSub(p, contactPoint(f.contact, j * CONTACT_SLOTS, f.mesh->point))));
        }
        CHECK_CLOSE(sum, f.mesh->area, 1e-13);
        CHECK_BELOW(0.39 / (samples + 1), least); // the shortest edge is 0.4 m
        fixtureFree(&f);
    }
}

// only where no corner with a share can move
static void pinnedPointsAreOff(void **state)
{
    (void)state;
    Fixture f;
    fixtureMake(&f, sphereShape(2), 0, 2); // around all of it
    int all = fixtureSearch(&f);
    assert_int_equal(all, f.body->pointCount);
    f.pinned[f.mesh->surface[0]] = 1;
    assert_int_equal(fixtureSearch(&f), all - 1); // the vertex itself
    f.pinned[f.mesh->surface[1]] = 1;
    assert_int_equal(fixtureSearch(&f), all - 4); // both, and two samples of their edge
    f.pinned[f.mesh->surface[2]] = 1;
    assert_int_equal(fixtureSearch(&f), all - 10); // three corners, six points of edges, one inside
    fixtureFree(&f);
}

// ---- the potential --------------------------------------------------------------------------------------------------

// anchors of a step before; some slip, none just so
static void leaveAnchors(Fixture *f)
{
    for (int e = 0; e < f->contact->elementCount; ++e)
    {
        ContactState m;
        if (!contactEvaluateAt(f->contact, e, contactPoint(f->contact, e, f->start), 0, &m))
            continue;
        Vec3 off = vec3(0.0313 * (e % 5), -0.0227 * (e % 7), 0.0119);
        contactKeep(f->contact, e, KEPT_FORCE, e % 4 == 0 ? 0 : 1 + e % 6);
        contactKeepVector(f->contact, e, KEPT_ANCHOR, vecAdd(m.local, off));
        contactKeepVector(f->contact, e, KEPT_NORMAL, m.localNormal);
    }
}

static void moved(const Fixture *f, double alpha, const double *d, double *out)
{
    for (int i = 0; i < f->size; ++i)
        out[i] = f->start[i] + alpha * d[i];
}

static double dotOf(const Fixture *f, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < f->size; ++i)
        sum += a[i] * b[i];
    return sum;
}

static void checkDerivatives(Fixture *f, Energy *energy, const double *d)
{
    double gradient[3 * MOST] = { 0 }, plus[3 * MOST], minus[3 * MOST], high[3 * MOST] = { 0 }, low[3 * MOST] = { 0 };
    double product[3 * MOST] = { 0 }, definite[3 * MOST] = { 0 }, major[3 * MOST] = { 0 };
    moved(f, STEP, d, plus);
    moved(f, -STEP, d, minus);
    energyAddGradient(energy, f->start, gradient);
    double slope = (energyValue(energy, plus) - energyValue(energy, minus)) / (2 * STEP);
    CHECK_NEAR(dotOf(f, gradient, d), slope, 1e-6 * (1 + fabs(slope)));
    // value along a line is the value
    energyLineStart(energy, f->start, d);
    CHECK_NEAR(energyLineValue(energy, STEP), energyValue(energy, plus), 1e-12 * (1 + energyValue(energy, plus)));

    energyAddGradient(energy, plus, high);
    energyAddGradient(energy, minus, low);
    energyAddHessianTimes(energy, f->start, HESSIAN_EXACT, d, product);
    for (int i = 0; i < f->size; ++i)
        CHECK_NEAR(product[i], (high[i] - low[i]) / (2 * STEP), 1e-4 * 250);

    energyAddHessianTimes(energy, f->start, HESSIAN_SEMIDEFINITE, d, definite);
    energyAddMajorizerTimes(energy, d, major);
    double exact = dotOf(f, product, d), above = dotOf(f, definite, d), most = dotOf(f, major, d);
    double rounding = 1e-12 * most;
    assert_true(above >= exact - rounding && above >= -rounding && most >= above - rounding && most > 0);
    if (energy->kind->project == NULL)
        return;
    double right[3 * MOST] = { 0 }, left[3 * MOST] = { 0 };
    energyAddProjection(energy, f->start, right);
    energyAddMajorizerTimes(energy, f->start, left);
    for (int i = 0; i < f->size; ++i)
        CHECK_NEAR(gradient[i], left[i] - right[i], 1e-11);
}

static void derivativesAreRight(void **state)
{
    (void)state;
    static const double fractions[3] = { 0, 0.5, 1 };
    numbers.state = 11;
    int slipping = 0, touching = 0;
    for (int run = 0; run < 48; ++run)
    {
        Fixture f;
        int samples = run % 4 == 3 ? WITHIN : 1 + run % 3;
        fixtureMake(&f, run % 2 ? planeShape() : sphereShape(0.6), run % 8 < 4 ? 0 : 0.6, samples);
        assert_true(fixtureSearch(&f) > 10);
        leaveAnchors(&f);
        f.contact->fraction = fractions[run % 3];
        f.contact->mean = run % 3 == 1;
        for (int e = 0; e < f.contact->elementCount; ++e)
        {
            ContactState m;
            bool on = contactEvaluate(f.contact, e, contactPoint(f.contact, e, f.start), &m);
            slipping += on && m.friction.slips;
            touching += on && m.press.force > 0;
        }
        double d[3 * MOST];
        for (int i = 0; i < f.size; ++i)
            d[i] = randomBetween(&numbers, -1, 1);
        checkDerivatives(&f, f.contact, d);
        checkDerivatives(&f, f.damping, d);
        for (int i = 0; i < f.size; ++i) // as a whole: what the corners get is all of the force
            d[i] = i % 3 == run % 2;
        checkDerivatives(&f, f.contact, d);
        fixtureFree(&f);
    }
    assert_true(slipping > 50 && touching > 200); // the facts were put to the test
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// m of the centre of a coarse box 3 s after it fell 5 cm onto a ball that fits between its vertices
static double onABall(const char *solver, int samples)
{
    vvWorldId world = contactWorld("backward-euler", solver, 20, down);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.contactSamples = samples;
    def.position.y = 0.33;
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 1, 1, 1), def);
    vvColliderDef ball = vvDefaultColliderDef();
    ball.restitution = 0;
    makeCollider(world, sphereShape(0.08), ball);
    for (int n = 0; n < 300; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    double height = massCentre(box).y;
    if (samples > 0)
        CHECK_BELOW(fabs(meanVelocity(box).y), 1e-3);
    print_message("%s, %d samples: centre at %.4f m, speed %.4f m/s\n", solver, samples, height, meanVelocity(box).y);
    vvDestroyWorld(world);
    return height;
}

static void coarseBoxRestsOnABall(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int k = 0; k < 2; ++k)
    {
        assert_true(onABall(solvers[k], 0) < -3);
        CHECK_NEAR(onABall(solvers[k], 3), 0.265, 0.02); // radius, half the box, less what both give way
    }
}

static double settledDepth(vvMesh *mesh, vvSoftBodyDef def, double lift, int samples)
{
    vvWorldId world = contactWorld("backward-euler", "newton", 0, down);
    def.contactSamples = samples;
    def.contactStiffness = 1e6;
    def.position.y = lift;
    vvSoftBodyId body = makeBody(world, mesh, def);
    vvColliderDef ground = vvDefaultColliderDef();
    ground.restitution = 0;
    makeCollider(world, planeShape(), ground);
    for (int n = 0; n < 150; ++n)
        CHECK_OK(vvWorld_Step(world, 0.02));
    double depth = lift - massCentre(body).y;
    vvDestroyWorld(world);
    return depth;
}

// weight / (stiffness area that touches): of a sheet all of it, of a box its lower face, however much of its sides the
// points on the lower edges stand for
static void depthFollowsTheArea(void **state)
{
    (void)state;
    static const int samples[] = { 0, 1, 3 };
    for (int k = 0; k < 3; ++k)
    {
        vvSoftBodyDef sheet = undampedDef(), box = elasticDef(1000, 1e8, 0);
        sheet.material = vvMaterial_Cotton();
        sheet.material.loss = 0;
        sheet.material.thickness = 0.01;
        double weight = sheet.material.density * 0.01 * 9.81; // N/m^2
        double flat = settledDepth(vvCreateSheetMesh(1, 1, 4, 4), sheet, 0.005, samples[k]);
        double deep = settledDepth(vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 1, 1, 1), box, 0.2, samples[k]);
        print_message("%d samples: sheet %.4g m, box %.4g m\n", samples[k], flat, deep);
        CHECK_CLOSE(flat, weight / 1e6, 0.02);
        CHECK_CLOSE(deep, 64 * 9.81 / (1e6 * 0.16), 0.02);
    }
}

// a coarse cube bounces on a ball and a plane: nothing is made, nothing is lost
static void booksAreClosed(void **state)
{
    (void)state;
    for (int run = 0; run < 2; ++run)
    {
        vvWorldId world = contactWorld("implicit-midpoint", "newton", 0, down);
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
        def.contactSamples = 3;
        def.position = (vvVec3){ 0.03, 0.7, 0.01 };
        vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 1, 1, 1), def);
        vvColliderDef ball = vvDefaultColliderDef();
        ball.friction = run ? 0.5 : 0;
        makeCollider(world, planeShape(), ball);
        makeCollider(world, sphereShape(0.15), ball);
        double worst = 0;
        for (int n = 0; n < 1500; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.001));
            worst = maxReal(worst, fabs(vvWorld_GetLedger(world).numerical));
        }
        vvLedger books = vvWorld_GetLedger(world);
        print_message("numerical at most %.3g J of %.4g; friction took %.4g J; centre at %.3f m\n", worst,
                      64 * 9.81 * 0.5, books.dissipated, massCentre(cube).y);
        CHECK_BELOW(worst, 2e-3 * 64 * 9.81 * 0.5);
        vvDestroyWorld(world);
    }
}

static void rangeIsChecked(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", down);
    vvSoftBodyDef def = undampedDef();
    assert_int_equal(def.contactSamples, 0);
    def.mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1);
    for (int samples = -1; samples <= VV_MAX_CONTACT_SAMPLES + 1; samples += VV_MAX_CONTACT_SAMPLES + 2)
    {
        vvResult result;
        def.contactSamples = samples;
        assert_false(vvSoftBody_IsValid(vvCreateSoftBody(world, &def, &result)));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "contactSamples"));
    }
    vvDestroyMesh((vvMesh *)def.mesh);
    vvDestroyWorld(world);
}

// ---- bits -----------------------------------------------------------------------------------------------------------

// any number of threads, a saved state goes on with the same bits, and no step asks for memory
static void bitsAreKept(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int solver = 0; solver < 2; ++solver)
    {
        vvWorldDef def = yardWorldDef("implicit-midpoint", solvers[solver]);
        Yard yard = yardMakeSampled(&def, 2);
        def.threads = 3;
        Yard other = yardMakeSampled(&def, 2);
        yardStep(&yard);
        long long warm = vvWorld_GetStatistics(yard.world).allocationCount;
        yardRun(&yard, 24);
        assert_true(vvWorld_GetContacts(yard.world, NULL, 0) > 3);
        size_t size = vvWorld_GetStateSize(yard.world);
        unsigned char *bytes = malloc(size);
        CHECK_OK(vvWorld_SaveState(yard.world, bytes, size));
        yardRun(&yard, 15);
        assert_int_equal(vvWorld_GetStatistics(yard.world).allocationCount, warm);
        uint64_t want = vvWorld_GetHash(yard.world);
        yardRun(&other, 40);
        assert_true(vvWorld_GetHash(other.world) == want);

        CHECK_OK(vvWorld_RestoreState(other.world, bytes, size));
        other.steps = 25;
        yardRun(&other, 15);
        assert_true(vvWorld_GetHash(other.world) == want);
        Yard fewer = yardMakeSampled(&def, 1); // a state knows what it belongs to
        assert_int_equal(vvWorld_RestoreState(fewer.world, bytes, size).code, VV_BAD_INPUT);
        vvDestroyWorld(yard.world);
        vvDestroyWorld(other.world);
        vvDestroyWorld(fewer.world);
        free(bytes);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct Hook
{
    int calls, refuse, blocks; // the call with number `refuse` gets NULL
} Hook;

static void *hookAllocate(size_t size, size_t alignment, void *userData)
{
    Hook *hook = userData;
    if (++hook->calls == hook->refuse)
        return NULL;
    hook->blocks += 1;
    return systemAllocate(size, alignment);
}

static void hookRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    ((Hook *)userData)->blocks -= memory != NULL;
    systemRelease(memory);
}

// a body that waits for its first collider, one request of that refused: nothing happened, and the next try succeeds
static bool meetsRefused(const char *solver, int refuse, uint64_t *hash)
{
    Hook hook = { 0 };
    vvAllocator allocator = { .allocate = hookAllocate, .release = hookRelease, .userData = &hook };
    vvWorldDef worldDef = yardWorldDef("backward-euler", solver);
    worldDef.allocator = allocator;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.contactSamples = 2;
    def.position.y = 0.2;
    makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 1, 1, 1), def);
    vvResult result;
    vvColliderDef ground = vvDefaultColliderDef();
    ground.shape = planeShape();
    hook.refuse = refuse > 0 ? hook.calls + refuse : 0;
    bool refused = !vvCollider_IsValid(vvCreateCollider(world, &ground, &result));
    assert_int_equal(result.code, refused ? VV_OUT_OF_MEMORY : VV_OK);
    hook.refuse = 0;
    CHECK_OK(vvWorld_Step(world, 0.01));
    if (refused)
        assert_true(vvCollider_IsValid(vvCreateCollider(world, &ground, &result)));
    vvDestroyShape(ground.shape);
    for (int n = 0; n < 5; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    *hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    assert_int_equal(hook.blocks, 0);
    return refused;
}

static void refusedMemoryDoesNoHarm(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int k = 0; k < 2; ++k)
    {
        uint64_t first = 0, hash;
        int refused = 0;
        assert_false(meetsRefused(solvers[k], 0, &hash));
        while (meetsRefused(solvers[k], refused + 1, &hash))
        {
            first = refused == 0 ? hash : first;
            assert_true(hash == first);
            refused += 1;
        }
        assert_true(refused > 20); // points, elements of two kinds, and what they scatter to
    }
}

// points in tasks find what one point after the other finds, step after step
static void tasksSearchAlike(void **state)
{
    (void)state;
    Fixture f[2];
    Workers *workers[2] = { NULL };
    int found = 0, lost = 0, before = 0;
    for (int k = 0; k < 2; ++k)
    {
        numbers = (TestRandom){ 11 };
        fixtureMake(&f[k], sphereShape(0.45), 0.5, 12);
        f[k].body->hard = true;
    }
    assert_true(f[0].body->pointCount > 4 * 64); // several tasks
    workers[1] = workersCreate(&f[1].memory, 3, NULL);
    assert_non_null(workers[1]);
    for (int step = 0; step < 20; ++step)
    {
        int on[2];
        for (int k = 0; k < 2; ++k)
        {
            for (int i = 0; i < f[k].size; ++i)
                f[k].start[i] += i % 3 == 0 ? (step < 10 ? 0.02 : -0.03) : 0;
            f[k].pinned[0] = step % 2 == 0;
            ContactMotion motion = { f[k].mass, f[k].pinned, f[k].start, f[k].velocity, vec3(0, 0, 0) };
            on[k] = contactSearch(f[k].contact, f[k].damping, &motion, 1e-4, workers[k]);
        }
        assert_int_equal(on[0], on[1]);
        found += on[0] > before;
        lost += on[0] < before;
        before = on[0];
        assert_true(f[0].contact->version == f[1].contact->version);
        for (int e = 0; e < f[0].contact->elementCount; ++e)
        {
            for (int i = 0; i < KEPT_COUNT; ++i)
                CHECK_NEAR(contactKept(f[0].contact, e, i), contactKept(f[1].contact, e, i), 0);
            CHECK_NEAR(energyGetParam(f[0].contact, e, CONTACT_FRICTION),
                       energyGetParam(f[1].contact, e, CONTACT_FRICTION), 0);
            assert_int_equal(f[0].body->feature[e], f[1].body->feature[e]);
        }
    }
    assert_true(found > 2 && lost > 2);
    workersDestroy(workers[1]);
    for (int k = 0; k < 2; ++k)
        fixtureFree(&f[k]);
}

// what touches is reported with a vertex of the body
static void contactsNameAVertex(void **state)
{
    (void)state;
    vvWorldId world = contactWorld("backward-euler", "newton", 0, down);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.contactSamples = 2;
    def.position.y = 0.199;
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 1, 1, 1), def);
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    vvContact contacts[32];
    assert_int_equal(vvWorld_GetContacts(world, contacts, 32), 16); // 4 x 4 points of the lower face
    for (int i = 0; i < 16; ++i)
    {
        vvVec3 vertex = vertexPosition(box, contacts[i].vertex);
        CHECK_BELOW(vecLength(vecSub(contacts[i].point, vertex)),
                    0.4 * sqrt(5) / 3 + 1e-9); // from the middle of a triangle
        CHECK_NEAR(contacts[i].overlap, 0.001, 1e-12);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latticeCoversTheSurface), cmocka_unit_test(pinnedPointsAreOff),
        cmocka_unit_test(derivativesAreRight),     cmocka_unit_test(coarseBoxRestsOnABall),
        cmocka_unit_test(depthFollowsTheArea),     cmocka_unit_test(booksAreClosed),
        cmocka_unit_test(rangeIsChecked),          cmocka_unit_test(bitsAreKept),
        cmocka_unit_test(contactsNameAVertex),     cmocka_unit_test(refusedMemoryDoesNoHarm),
        cmocka_unit_test(tasksSearchAlike),
    };
    return cmocka_run_group_tests_name("contact samples", tests, NULL, NULL);
}
