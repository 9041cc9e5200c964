// One pool for everything: rigid bodies of three shapes, some of them jointed, soft cubes, a pinned sheet and a hanging
// rope fall into water or hang above it. The same bits from any number of threads, every step finite, nothing outside
// the pool, books close. make soak takes the large one; VERVE_CHECKPOINT names a file there that keeps the state
// every 500 frames, and from which an interrupted run goes on.
#include "rigid/rigid_scenes.h"
#include "undamped.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef RIGID // of everything_soak.c
#define RIGID 12
#define SOFT 2
#define CLOTH 6  // cells along a side
#define WATER 14 // particles along a side
#define DEPTH 5  // and upwards
#define EQUAL 12 // frames that all numbers of threads run
#define LONG 0   // frames that two threads run
#endif
#define SPACING 0.04                 // m, of the water
#define HALF (0.5 * WATER * SPACING) // m, of a side of the pool
#define LATE 100                     // frames
#define CALM 0.2                     // m/s: all water at that speed; what its constraint keeps it at is 0.1 to 0.13
#define GIVEN 1.0 // J a frame: soft and rigid bodies that press on each other under water give 0.45 too much

typedef struct Pool
{
    vvWorldId world;
    TestRandom random;
    vvRigidBodyId rigid[RIGID];
    vvSoftBodyId soft[SOFT + 2];
    vvFluidId water;
} Pool;

static double above = DEPTH * SPACING; // m, where the next layer begins

// m, the middle of one of `count` places in layers `height` apart, and a little off it
static vvVec3 place(Pool *pool, int index, double height)
{
    int across = (int)(2 * HALF / height);
    double x = (index % across + 0.5) * height - HALF, z = (index / across % across + 0.5) * height - HALF;
    double off = 0.05 * height * randomBetween(&pool->random, -1, 1);
    return (vvVec3){ x + off, above + (index / across / across + 0.5) * height, z - off };
}

static void addWalls(Pool *pool)
{
    static const vvVec3 normals[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shape = vvDefaultShapeDef();
        shape.normal = normals[i];
        shape.offset = i ? -HALF : 0;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shape, NULL);
        vvResult result;
        vvCreateCollider(pool->world, &def, &result);
        CHECK_OK(result);
        vvDestroyShape(def.shape);
    }
}

static void addSoft(Pool *pool, int index, vvMesh *mesh, vvMaterial material, vvVec3 at)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = material;
    def.damping.stiffness = 0.002;
    def.position = at;
    vvResult result;
    pool->soft[index] = vvCreateSoftBody(pool->world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(mesh);
}

static void addSwarm(Pool *pool)
{
    vvShape *shapes[3] = { boxShape((vvVec3){ 0.1, 0.08, 0.06 }), sphereShape(0.045), capsuleShape(0.03, 0.06) };
    vvVec3 last = { 0, 0, 0 };
    for (int i = 0; i < RIGID; ++i)
    {
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = shapes[i % 3];
        def.density = randomBetween(&pool->random, 300, 2500);
        def.position = place(pool, i, 0.14);
        def.rotation = vvQuat_FromDegrees((vvVec3){ 40 * i, 25 * i, 0 });
        vvResult result;
        pool->rigid[i] = vvCreateRigidBody(pool->world, &def, &result);
        CHECK_OK(result);
        if (i % 6 == 5)
        {
            vvJointDef joint = vvDefaultJointDef();
            joint.bodyA = pool->rigid[i - 1];
            joint.bodyB = pool->rigid[i];
            CHECK_OK(vvJointDef_Place(&joint, vecScale(0.5, vecAdd(def.position, last)), (vvVec3){ 1, 0, 0 }));
            vvCreateJoint(pool->world, &joint, &result);
            CHECK_OK(result);
        }
        last = def.position;
    }
    for (int i = 0; i < 3; ++i)
        vvDestroyShape(shapes[i]);
    above += 0.14 * (1 + RIGID / ((int)(2 * HALF / 0.14) * (int)(2 * HALF / 0.14)));
}

static Pool makePool(int threads)
{
    Pool pool = { .random = { 7 } };
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = threads;
    def.softContact = true;
    pool.world = vvCreateWorld(&def, NULL);
    above = DEPTH * SPACING;
    addWalls(&pool);

    vvFluidDef fluid = vvDefaultFluidDef();
    fluid.spacing = SPACING;
    pool.water = vvCreateFluid(pool.world, &fluid, NULL);
    vvBox box = { { -HALF, 0, -HALF }, { HALF, above, HALF } };
    CHECK_OK(vvFluid_AddBox(pool.water, box, (vvVec3){ 0, 0, 0 }));
    assert_int_equal(vvFluid_GetCount(pool.water), WATER * WATER * DEPTH);

    for (int i = 0; i < SOFT; ++i)
    {
        vvMaterial material = vvMaterial_Jelly();
        material.density = randomBetween(&pool.random, 500, 1500);
        material.young = randomBetween(&pool.random, 1e4, 1e5);
        addSoft(&pool, i, vvCreateBoxMesh((vvVec3){ 0.15, 0.15, 0.15 }, 3, 3, 3), material, place(&pool, i, 0.25));
    }
    above += 0.25 * (1 + SOFT / ((int)(2 * HALF / 0.25) * (int)(2 * HALF / 0.25)));

    addSoft(&pool, SOFT, vvCreateSheetMesh(HALF, HALF, CLOTH, CLOTH), vvMaterial_Denim(), (vvVec3){ 0, above, 0 });
    int side = CLOTH + 1, corners[4] = { 0, side - 1, side * (side - 1), side * side - 1 };
    CHECK_OK(vvSoftBody_Pin(pool.soft[SOFT], corners, 4));
    addSwarm(&pool);
    vvVec3 high = { 0, above, 0.9 * HALF };
    addSoft(&pool, SOFT + 1, vvCreateRopeMesh(1.5 * HALF, 20), vvMaterial_Rubber(), high);
    CHECK_OK(vvSoftBody_Pin(pool.soft[SOFT + 1], corners, 1));
    return pool;
}

static void checkInside(const Pool *pool, const char *what, Vec3 x, double slack)
{
    if (!(fabs(x.x) < HALF + slack && fabs(x.z) < HALF + slack && x.y > -slack && x.y < 100))
        fail_msg("%s is at %g %g %g after %g s, outside the pool of %g m", what, x.x, x.y, x.z,
                 vvWorld_GetTime(pool->world), 2 * HALF);
}

// every body and particle, which must be finite for it
static void checkPlaces(const Pool *pool)
{
    for (int i = 0; i < RIGID; ++i)
        checkInside(pool, "a rigid body", vvRigidBody_GetPose(pool->rigid[i]).position, 0);
    for (int i = 0; i < SOFT + 2; ++i)
        for (int k = 0; k < vvSoftBody_GetVertexCount(pool->soft[i]); ++k)
            checkInside(pool, "a vertex", vecLoad(vvSoftBody_GetPositions(pool->soft[i]) + 3 * (ptrdiff_t)k), 0.01);
    for (int i = 0; i < vvFluid_GetCount(pool->water); ++i)
        checkInside(pool, "a particle", vecLoad(vvFluid_GetPositions(pool->water) + 3 * (ptrdiff_t)i), 0);
}

static void report(const Pool *pool, int frame)
{
    vvLedger ledger = vvWorld_GetLedger(pool->world);
    double lowest = INFINITY, fastest = 0;
    for (int i = 0; i < RIGID; ++i)
        lowest = minReal(lowest, vvRigidBody_GetPose(pool->rigid[i]).position.y);
    for (int i = 0; i < SOFT; ++i)
        for (int k = 0; k < vvSoftBody_GetVertexCount(pool->soft[i]); ++k)
        {
            lowest = minReal(lowest, vvSoftBody_GetPositions(pool->soft[i])[3 * (ptrdiff_t)k + 1]);
            Vec3 v = vecLoad(vvSoftBody_GetVelocities(pool->soft[i]) + 3 * (ptrdiff_t)k);
            fastest = maxReal(fastest, vecLength(v));
        }
    printf("%5d frames: kinetic %.3g, numerical %.3g, dissipated %.3g J, compression %.2g %%, %d substeps, lowest %.3g "
           "m, fastest vertex %.3g m/s, hash %016llx\n",
           frame, ledger.kinetic, ledger.numerical, ledger.dissipated, 1e2 * vvFluid_GetCompression(pool->water),
           vvFluid_GetSubstepsTaken(pool->water), lowest, fastest, (unsigned long long)vvWorld_GetHash(pool->world));
    fflush(stdout);
}

// ---- checkpoints: the number of frames, the hash, the state ---------------------------------------------------------

typedef struct Checkpoint
{
    uint64_t frame, hash, size;
} Checkpoint;

static void keep(const Pool *pool, const char *path, int frame)
{
    size_t size = vvWorld_GetStateSize(pool->world);
    void *state = malloc(size);
    CHECK_OK(vvWorld_SaveState(pool->world, state, size));
    Checkpoint head = { (uint64_t)frame, vvWorld_GetHash(pool->world), size };
    char fresh[1024];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(&head, sizeof head, 1, file), 1);
    assert_int_equal(fwrite(state, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(fresh, path), 0); // a run that ends while writing leaves the one before
    free(state);
}

// frames that are done; 0: there is no file
static int resume(const Pool *pool, const char *path)
{
    Checkpoint head;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return 0;
    assert_int_equal(fread(&head, sizeof head, 1, file), 1);
    assert_int_equal(head.size, vvWorld_GetStateSize(pool->world));
    size_t size = (size_t)head.size;
    void *state = malloc(size);
    assert_int_equal(fread(state, 1, size, file), size);
    fclose(file);
    CHECK_OK(vvWorld_RestoreState(pool->world, state, size));
    free(state);
    if (vvWorld_GetHash(pool->world) != head.hash)
        fail_msg("the state of frame %d has another hash than when it was saved", (int)head.frame);
    printf("goes on from frame %d\n", (int)head.frame);
    return (int)head.frame;
}

// `late`: J, kinetic, the mean of the last LATE frames; NULL: not asked for
static void run(Pool *pool, int first, int frames, const char *path, double *late)
{
    for (int i = first + 1; i <= frames; ++i)
    {
        CHECK_OK(vvWorld_Step(pool->world, 1.0 / 60));
        if (late != NULL && i > frames - LATE)
            *late += vvWorld_GetLedger(pool->world).kinetic / LATE;
        if (i % 100 && i < frames)
            continue;
        checkPlaces(pool);
        if (frames > 100)
            report(pool, i);
        if (path && i % 500 == 0)
            keep(pool, path, i);
    }
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void testSameBits(void **state)
{
    (void)state;
    static const int threads[4] = { 1, 2, 3, 7 };
    uint64_t hash = 0;
    for (int i = 0; i < 4; ++i)
    {
        Pool pool = makePool(threads[i]);
        run(&pool, 0, EQUAL, NULL, NULL);
        uint64_t now = vvWorld_GetHash(pool.world);
        if (i && now != hash)
            fail_msg("%d threads end with the hash %llx, one with %llx", threads[i], (unsigned long long)now,
                     (unsigned long long)hash);
        hash = now;
        vvDestroyWorld(pool.world);
    }
}

// a run that goes on from a checkpoint is the run that was not interrupted
static void testGoesOn(void **state)
{
    (void)state;
    const char *path = "everything_checkpoint.tmp";
    int half = EQUAL / 2;
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i)
    {
        Pool pool = makePool(2);
        int done = i ? resume(&pool, path) : 0;
        assert_int_equal(done, i * half);
        run(&pool, done, half, NULL, NULL);
        if (i == 0)
            keep(&pool, path, half);
        run(&pool, half, EQUAL, NULL, NULL);
        hash[i] = vvWorld_GetHash(pool.world);
        vvDestroyWorld(pool.world);
    }
    remove(path);
    assert_true(hash[0] == hash[1]);
}

static void testLong(void **state)
{
    (void)state;
    if (!LONG)
        return;
    const char *threads = getenv("VERVE_SOAK_THREADS"), *path = getenv("VERVE_CHECKPOINT");
    Pool pool = makePool(threads ? atoi(threads) : 2);
    double start = vvWorld_GetLedger(pool.world).total, late = 0;
    double water = vvFluid_GetParticleMass(pool.water) * vvFluid_GetCount(pool.water);
    run(&pool, resume(&pool, path), LONG, path, &late);
    vvLedger end = vvWorld_GetLedger(pool.world);
    CHECK_BELOW(end.total, start);                // it fell, and nothing has lifted it
    CHECK_BELOW(late, 0.5 * water * CALM * CALM); // it is at rest
    CHECK_BELOW(fabs(end.added), GIVEN * LONG);   // nobody gives anything
    CHECK_BELOW(end.numerical, GIVEN * LONG);
    vvDestroyWorld(pool.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testSameBits), cmocka_unit_test(testGoesOn),
                                        cmocka_unit_test(testLong) };
    const struct CMUnitTest longOne[] = { cmocka_unit_test(testLong) };
    const char *only = getenv("VERVE_ONLY"); // "testLong": without the others
    return only != NULL && strcmp(only, "testLong") == 0 ? cmocka_run_group_tests(longOne, NULL, NULL)
                                                         : cmocka_run_group_tests(tests, NULL, NULL);
}
