// A monkey at the keyboard: random calls with random arguments, many of them wrong. Nothing may crash, leak or leave a
// world that cannot step; whatever is refused must say why.
#include "world/scenes.h"

#include <stdlib.h>

#ifndef MONKEY_ROUNDS
#define MONKEY_ROUNDS 12
#endif
#define MONKEY_CALLS 400
#define SLOTS 6
#define METHODS 34 // the last of them is none

typedef struct Monkey
{
    TestRandom random;
    vvWorldId world;
    vvSoftBodyId body[SLOTS];
    vvAttachmentId attachment[2 * SLOTS];
    vvColliderId collider[SLOTS];
    vvHandleId handle;
    long long blocks; // of memory that are out
    int failAfter;    // allocations until one fails; negative: never
    int refused;      // calls that said no
    size_t savedSize; // of the last saved state
    unsigned char *saved;
} Monkey;

static void *monkeyAllocate(size_t size, size_t alignment, void *user)
{
    Monkey *monkey = user;
    if (monkey->failAfter >= 0 && monkey->failAfter-- == 0)
        return NULL;
    monkey->blocks += 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void monkeyRelease(void *memory, size_t size, void *user)
{
    (void)size;
    ((Monkey *)user)->blocks -= 1;
    free(memory);
}

static int pick(Monkey *monkey, int count)
{
    return (int)(randomUnit(&monkey->random) * count);
}

// mostly sensible, sometimes absurd
static double number(Monkey *monkey, double low, double high)
{
    static const double odd[] = { 0, -1, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY };
    if (pick(monkey, 60) == 0)
        return odd[pick(monkey, 8)];
    return randomBetween(&monkey->random, low, high);
}

static vvVec3 vector(Monkey *monkey, double size)
{
    vvVec3 v;
    v.x = number(monkey, -size, size);
    v.y = number(monkey, -size, size);
    v.z = number(monkey, -size, size);
    return v;
}

static void judge(Monkey *monkey, vvResult result)
{
    if (result.code == VV_OK)
        return;
    monkey->refused += 1;
    assert_true(strlen(result.message) > 0 && strlen(result.remedy) > 0);
}

static int maxInt(int a, int b)
{
    return a > b ? a : b;
}

static vvMesh *someMesh(Monkey *monkey)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = (vvMeshShape)(VV_MESH_BOX + pick(monkey, 8));
    def.size = (vvVec3){ number(monkey, 0.5, 1), number(monkey, 0.1, 0.24), number(monkey, 0.5, 1) };
    for (int i = 0; i < 3; ++i)
        def.cells[i] = pick(monkey, 20) ? 1 + pick(monkey, 3) : 0;
    def.diagonals = pick(monkey, 20) ? pick(monkey, 3) : -1;
    def.skip = pick(monkey, 2) == 0;
    def.allocator = (vvAllocator){ monkeyAllocate, monkeyRelease, monkey };
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    judge(monkey, result);
    assert_true((mesh != NULL) == (result.code == VV_OK));
    return mesh;
}

static void createSomething(Monkey *monkey)
{
    static const char *const models[] = { NULL, NULL, "corotated", "spring", "squared-spring", "membrane", "springy" };
    vvResult result;
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = someMesh(monkey);
    def.model = models[pick(monkey, 7)];
    def.material.young = number(monkey, 1e3, 1e6);
    def.material.poisson = number(monkey, -0.2, 0.49);
    def.material.density = number(monkey, 10, 2000);
    def.massDamping = pick(monkey, 2) ? 0 : number(monkey, 0, 3);
    def.stiffnessDamping = pick(monkey, 3) ? 0 : number(monkey, 0, 0.01);
    def.springDamping = pick(monkey, 6) ? 0 : number(monkey, 0, 10);
    def.rigidDamping = pick(monkey, 2) ? 0 : number(monkey, 0, 30);
    def.name = pick(monkey, 2) ? NULL : "monkey";
    def.velocity = vector(monkey, 1);
    def.spin = vector(monkey, 3);
    def.position = vector(monkey, 2);
    int slot = pick(monkey, SLOTS);
    vvDestroySoftBody(monkey->body[slot]);
    monkey->body[slot] = vvCreateSoftBody(monkey->world, &def, &result);
    vvDestroyMesh(def.mesh);
    judge(monkey, result);
}

static void attachSomething(Monkey *monkey)
{
    vvResult result;
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = monkey->body[pick(monkey, SLOTS)];
    def.vertexA = pick(monkey, 40) - 1;
    if (pick(monkey, 2))
        def.bodyB = monkey->body[pick(monkey, SLOTS)];
    def.vertexB = pick(monkey, 40);
    def.target = vector(monkey, 2);
    def.stiffness = number(monkey, 1, 1e4);
    def.restLength = number(monkey, 0, 1);
    int slot = pick(monkey, 2 * SLOTS);
    vvDestroyAttachment(monkey->attachment[slot]);
    monkey->attachment[slot] = vvCreateAttachment(monkey->world, &def, &result);
    judge(monkey, result);
}

static vvShape *someShape(Monkey *monkey)
{
    double points[27], heights[9];
    static const int triangles[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 };
    for (int i = 0; i < 27; ++i)
        points[i] = number(monkey, -1, 1);
    for (int i = 0; i < 9; ++i)
        heights[i] = number(monkey, -0.3, 0.3);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = (vvShapeKind)pick(monkey, 8); // one too many
    def.normal = vector(monkey, 1);
    def.offset = number(monkey, -1, 1);
    def.radius = number(monkey, 0.1, 1);
    def.size = (vvVec3){ number(monkey, 0.1, 2), number(monkey, 0.1, 2), number(monkey, 0.1, 2) };
    def.points = points;
    def.pointCount = def.kind == VV_SHAPE_MESH ? 4 : 9;
    def.triangles = triangles;
    def.triangleCount = 4;
    def.heights = heights;
    def.columns = def.rows = 3;
    def.sampling = def.kind == VV_SHAPE_MESH && pick(monkey, 2) ? number(monkey, 0.1, 0.3) : 0;
    def.allocator = (vvAllocator){ monkeyAllocate, monkeyRelease, monkey };
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    judge(monkey, result);
    assert_true((shape != NULL) == (result.code == VV_OK));
    return shape;
}

// colliders come, go and move
static void obstruct(Monkey *monkey)
{
    vvResult result;
    int slot = pick(monkey, SLOTS);
    if (pick(monkey, 3))
    {
        judge(monkey, vvCollider_MoveTo(monkey->collider[slot], vector(monkey, 2), vector(monkey, 180)));
        return;
    }
    vvDestroyCollider(monkey->collider[slot]);
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = someShape(monkey);
    def.position = vector(monkey, 2);
    def.rotate = vector(monkey, 180);
    def.friction = number(monkey, 0, 1);
    def.restitution = number(monkey, 0, 1);
    def.stiffness = pick(monkey, 2) ? 0 : number(monkey, 1e3, 1e6);
    def.category = pick(monkey, 4) ? 1 : 2;
    monkey->collider[slot] = vvCreateCollider(monkey->world, &def, &result);
    judge(monkey, result);
    vvDestroyShape(def.shape);
    int count = vvWorld_GetContacts(monkey->world, NULL, 0);
    vvContact *contacts = test_malloc((size_t)(count + 1) * sizeof(vvContact));
    assert_int_equal(vvWorld_GetContacts(monkey->world, contacts, count), count);
    test_free(contacts);
}

// a handle comes, and moves or goes
static void drag(Monkey *monkey, vvSoftBodyId body)
{
    vvResult result;
    if (pick(monkey, 2))
    {
        judge(monkey, vvHandle_MoveTo(monkey->handle, vector(monkey, 1)));
        return;
    }
    vvDestroyHandle(monkey->handle);
    vvHandleDef def = vvDefaultHandleDef();
    def.body = body;
    def.vertices[0] = pick(monkey, 20);
    def.stiffness = number(monkey, 0, 1e3);
    monkey->handle = vvCreateHandle(monkey->world, &def, &result);
    judge(monkey, result);
}

static void disturb(Monkey *monkey)
{
    vvSoftBodyId body = monkey->body[pick(monkey, SLOTS)];
    int count = vvSoftBody_GetVertexCount(body), vertex = pick(monkey, count + 2) - 1;
    double *values = test_malloc((size_t)(3 * count + 1) * sizeof(double));
    for (int i = 0; i < 3 * count; ++i)
        values[i] = pick(monkey, 2000) ? randomBetween(&monkey->random, -1, 1) : NAN;
    switch (pick(monkey, 11))
    {
    case 0:
        judge(monkey, vvSoftBody_SetPositions(body, values));
        break;
    case 1:
        judge(monkey, vvSoftBody_SetVelocities(body, values));
        break;
    case 2:
        judge(monkey, vvSoftBody_SetForce(body, vertex, vector(monkey, 10)));
        break;
    case 3:
        judge(monkey, vvSoftBody_Pin(body, &vertex, 1));
        break;
    case 4:
        judge(monkey, vvSoftBody_Unpin(body, &vertex, 1));
        break;
    case 5:
        judge(monkey, vvSoftBody_MovePin(body, vertex, vector(monkey, 1)));
        break;
    case 6:
        judge(monkey, vvAttachment_MoveTarget(monkey->attachment[pick(monkey, 2 * SLOTS)], vector(monkey, 2)));
        break;
    case 7:
        judge(monkey, vvWorld_SetGravity(monkey->world, vector(monkey, 10)));
        break;
    case 8:
        judge(monkey, vvWorld_SetWind(monkey->world,
                                      (vvWind){ vector(monkey, 5), number(monkey, 0, 2), number(monkey, 0, 2) }));
        break;
    case 9:
        drag(monkey, body);
        break;
    default:
        judge(monkey, vvSoftBody_ClearForces(body));
    }
    test_free(values);
}

// what a body feels, and what it can bear
static void look(Monkey *monkey)
{
    vvSoftBodyId bodies[SLOTS], body = monkey->body[pick(monkey, SLOTS)];
    int count = vvSoftBody_GetVertexCount(body), cells = maxInt(vvMesh_GetTetCount(vvSoftBody_GetMesh(body)),
                                                                maxInt(vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(body)),
                                                                       vvMesh_GetEdgeCount(vvSoftBody_GetMesh(body))));
    double *values = test_malloc((size_t)(3 * count + cells + 1) * sizeof(double));
    vvExamination found;
    uint64_t hash = vvWorld_GetHash(monkey->world);
    judge(monkey, vvSoftBody_CopyForces(body, values));
    judge(monkey, vvSoftBody_CopyEnergyDensities(body, values));
    judge(monkey, vvSoftBody_CopyStretches(body, values));
    vvResult result = vvSoftBody_Examine(body, &found);
    judge(monkey, result);
    if (result.code == VV_OK)
        assert_false(isnan(found.highestFrequency) || isnan(found.lowestFrequency) || isnan(found.worstStretch));
    assert_true(vvWorld_GetBodies(monkey->world, bodies, SLOTS) <= SLOTS);
    assert_true(vvWorld_GetHash(monkey->world) == hash);
    test_free(values);
}

static void saveOrRestore(Monkey *monkey)
{
    if (pick(monkey, 2))
    {
        judge(monkey, vvWorld_RestoreState(monkey->world, monkey->saved, monkey->savedSize));
        return;
    }
    free(monkey->saved);
    monkey->savedSize = vvWorld_GetStateSize(monkey->world);
    monkey->saved = malloc(monkey->savedSize);
    judge(monkey, vvWorld_SaveState(monkey->world, monkey->saved, monkey->savedSize));
    if (pick(monkey, 4) == 0)
        monkey->saved[pick(monkey, (int)monkey->savedSize)] ^= 4;
}

static void playOn(Monkey *monkey)
{
    int choice = pick(monkey, 28);
    if (choice < 3)
        createSomething(monkey);
    else if (choice < 6)
        attachSomething(monkey);
    else if (choice < 12)
        disturb(monkey);
    else if (choice < 13)
        vvDestroySoftBody(monkey->body[pick(monkey, SLOTS)]);
    else if (choice < 14)
        judge(monkey, vvWorld_SetMethod(monkey->world, vvGetMethodName(pick(monkey, METHODS))));
    else if (choice < 15)
        judge(monkey, vvWorld_Advance(monkey->world, number(monkey, 0, 0.05)));
    else if (choice < 16)
        monkey->failAfter = pick(monkey, 2) ? pick(monkey, 40) : -1;
    else if (choice < 17)
        look(monkey);
    else if (choice < 19)
        saveOrRestore(monkey);
    else if (choice < 22)
        obstruct(monkey);
    else
        judge(monkey, vvWorld_Step(monkey->world, number(monkey, 1e-4, 0.03)));
}

// the books hold numbers, whatever was asked for; stiffnesses of 1e300 may make the energy itself too large for one
static void readBooks(Monkey *monkey)
{
    vvLedger ledger = vvWorld_GetLedger(monkey->world);
    if (!isfinite(ledger.kinetic) || !isfinite(ledger.gravity) || isnan(ledger.added) || isnan(ledger.dissipated))
        fail_msg("the books are lost: kinetic %g, gravity %g, added %g, dissipated %g J", ledger.kinetic,
                 ledger.gravity, ledger.added, ledger.dissipated);
}

static void nothingBreaks(void **unused)
{
    (void)unused;
    int refused = 0;
    for (int round = 0; round < MONKEY_ROUNDS; ++round)
    {
        static Monkey monkey;
        monkey = (Monkey){ .random = { (uint64_t)round + 1 }, .failAfter = -1 };
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "implicit-midpoint";
        def.allocator = (vvAllocator){ monkeyAllocate, monkeyRelease, &monkey };
        def.solver = vvGetSolverName(round % 4);
        def.iterations = 12; // scrambled bodies need not converge
        monkey.world = vvCreateWorld(&def, NULL);
        for (int call = 0; call < MONKEY_CALLS; ++call)
        {
            playOn(&monkey);
            readBooks(&monkey);
        }
        monkey.failAfter = -1;
        // whatever happened: with a gentle method the world still steps, or says that a body has long run away
        judge(&monkey, vvWorld_SetMethod(monkey.world, "backward-euler"));
        vvResult result = vvWorld_Step(monkey.world, 1e-3);
        assert_true(result.code == VV_OK || result.code == VV_DIVERGED);
        refused += monkey.refused;
        free(monkey.saved);
        vvDestroyWorld(monkey.world);
        assert_int_equal(monkey.blocks, 0);
    }
    print_message("%d calls, %d refused\n", MONKEY_ROUNDS * MONKEY_CALLS, refused);
    assert_true(refused > MONKEY_ROUNDS * 20); // it did make mistakes
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothingBreaks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
