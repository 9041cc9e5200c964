// What the caller's functions may do while a world calls them: read it, not change it.
#include "world/add.h"
#include "world/scenes.h"

#include "base/system.h"
#include "undamped.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvColliderId collider;
    vvHandleId handle;
    vvShape *shape;
    vvMesh *mesh;
    atomic_bool armed; // callbacks try their luck
    atomic_int tries;
} Scene;

// everything that changes a world, each refused; may run on any thread of the world
static void tryAll(Scene *scene)
{
    if (!atomic_load(&scene->armed))
        return;
    atomic_fetch_add(&scene->tries, 1);
    int vertex = 0;
    double points[3 * 64] = { 0 };
    vvVec3 zero = { 0, 0, 0 };
    vvSoftBodyDef body = undampedDef();
    vvAttachmentDef attachment = vvDefaultAttachmentDef();
    vvColliderDef collider = vvDefaultColliderDef();
    vvHandleDef handle = vvDefaultHandleDef();
    vvHingeDef hinge = vvDefaultHingeDef();
    vvConstraintDef constraint = vvDefaultConstraintDef();
    body.mesh = scene->mesh;
    attachment.bodyA = handle.body = scene->body;
    collider.shape = scene->shape;
    vvResult created[4];
    vvCreateSoftBody(scene->world, &body, &created[0]);
    vvCreateAttachment(scene->world, &attachment, &created[1]);
    vvCreateCollider(scene->world, &collider, &created[2]);
    vvCreateHandle(scene->world, &handle, &created[3]);
    const vvResult results[] = {
        created[0],
        created[1],
        created[2],
        created[3],
        vvWorld_Step(scene->world, 0.01),
        vvWorld_Advance(scene->world, 0.1),
        vvWorld_SetGravity(scene->world, zero),
        vvWorld_SetWind(scene->world, (vvWind){ zero, 1, 1 }),
        vvWorld_SetMethod(scene->world, "rk4"),
        vvWorld_SetSolver(scene->world, "newton-cg"),
        vvWorld_SetIterations(scene->world, 3),
        vvWorld_SetTolerance(scene->world, 1e-3),
        vvWorld_SetSubsteps(scene->world, 3),
        vvCollider_SetFriction(scene->collider, 1),
        vvCollider_SetPose(scene->collider, (vvPose){ zero, { 1, 0, 0, 0 } }),
        vvCollider_SetRestitution(scene->collider, 1),
        vvWorld_RestoreState(scene->world, points, sizeof points),
        vvSoftBody_SetPositions(scene->body, points),
        vvSoftBody_SetVelocities(scene->body, points),
        vvSoftBody_KeepForces(scene->body, true),
        vvSoftBody_SetForce(scene->body, 0, zero),
        vvSoftBody_ClearForces(scene->body),
        vvSoftBody_Pin(scene->body, &vertex, 1),
        vvSoftBody_Unpin(scene->body, &vertex, 1),
        vvSoftBody_MovePin(scene->body, 0, zero),
        vvSoftBody_Slide(scene->body, &vertex, 1, VV_SLIDE_PLANE, (vvVec3){ 0, 1, 0 }),
        addConstraint(scene->body, &constraint),
        addHinge(scene->body, &hinge),
        vvSoftBody_ApplyImpulse(scene->body, zero, zero),
        vvSoftBody_ApplyImpulseToVertex(scene->body, 0, zero),
        vvSoftBody_ApplyAngularImpulse(scene->body, zero),
        vvSoftBody_SetMaterial(scene->body, vvMaterial_Rubber()),
        vvSoftBody_SetDamping(scene->body, (vvDamping){ 0 }),
        vvSoftBody_SetPressure(scene->body, 0),
        vvSoftBody_SetFriction(scene->body, 0),
        vvAttachment_MoveTarget(scene->attachment, zero),
        vvCollider_MoveTo(scene->collider, zero, vvQuat_FromDegrees(zero)),
        vvHandle_MoveTo(scene->handle, zero),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; ++i)
    {
        if (results[i].code != VV_BAD_ID)
            abort(); // other threads cannot fail a test
    }
    vvSoftBody_Wake(scene->body);
    vvConstraintId own; // the one that is calling, perhaps
    vvHingeId fold;
    if (vvWorld_GetConstraints(scene->world, &own, 1) > 0)
    {
        vvDestroyConstraint(own);
        if (!vvConstraint_IsValid(own))
            abort();
    }
    if (vvWorld_GetHinges(scene->world, &fold, 1) > 0)
        vvDestroyHinge(fold);
    vvDestroyHandle(scene->handle);
    vvDestroyAttachment(scene->attachment);
    vvDestroyCollider(scene->collider);
    vvDestroySoftBody(scene->body);
    vvDestroyWorld(scene->world);
    // reading is fine
    if (!vvWorld_IsValid(scene->world) || !vvSoftBody_IsValid(scene->body) || !vvHandle_IsValid(scene->handle))
        abort();
}

static void stay(void *userData, int element, const double *z, double *p)
{
    (void)element;
    memcpy(p, z, 12 * sizeof(double));
    tryAll(userData);
}

static void hear(vvLogLevel level, const char *message, void *userData)
{
    (void)level;
    (void)message;
    tryAll(userData);
}

static void *allocate(size_t size, size_t alignment, void *userData)
{
    tryAll(userData);
    return systemAllocate(size, alignment);
}

static void release(void *memory, size_t size, void *userData)
{
    (void)size;
    tryAll(userData);
    systemRelease(memory);
}

static void *enqueue(void (*run)(void *context, int index), void *context, int count, void *userData)
{
    tryAll(userData);
    for (int i = 0; i < count; ++i)
        run(context, i);
    return userData;
}

static void finish(void *handle, void *userData)
{
    (void)handle;
    tryAll(userData);
}

enum
{
    LOGGER = 1,
    ALLOCATOR = 2,
    CONSTRAINT = 4,
    TASKS = 8,
};

static void build(Scene *scene, int which, int threads)
{
    *scene = (Scene){ .tries = 0 };
    vvResult result;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.iterations = 1;
    def.tolerance = 1e-15; // it warns
    def.threads = threads;
    if (which & LOGGER)
        def.logger = (vvLogger){ hear, scene };
    if (which & ALLOCATOR)
        def.allocator = (vvAllocator){ allocate, release, scene };
    if (which & TASKS)
        def.tasks = (vvTaskHooks){ enqueue, finish, scene };
    scene->world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = elasticDef(1000, 1e5, 0.3);
    body.mesh = scene->mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 9, 9, 9); // enough vertices for several threads
    body.spin.y = 5;
    scene->body = vvCreateSoftBody(scene->world, &body, &result);
    CHECK_OK(result);
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = scene->shape = vvCreateShape(&shape, &result);
    collider.position.y = -0.6;
    scene->collider = vvCreateCollider(scene->world, &collider, &result);
    CHECK_OK(result);
    scene->attachment = attachToPoint(scene->world, scene->body, 0, 10);
    vvHandleDef handle = vvDefaultHandleDef();
    handle.body = scene->body;
    handle.vertices[0] = 1;
    scene->handle = vvCreateHandle(scene->world, &handle, &result);
    CHECK_OK(result);
    static const int vertices[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    vvConstraintDef constraint = vvDefaultConstraintDef();
    constraint.vertices = vertices;
    constraint.count = 2;
    constraint.corners = 4;
    constraint.project = stay;
    constraint.userData = scene;
    if (which & CONSTRAINT)
        CHECK_OK(addConstraint(scene->body, &constraint));
}

// calls that allocate, release and evaluate while the world is between two states
static void changeAndBack(const Scene *scene)
{
    static const int vertices[] = { 0, 1, 12, 999 };
    vvMaterial material = vvSoftBody_GetMaterial(scene->body);
    vvHingeDef def = vvDefaultHingeDef();
    def.vertices = vertices;
    def.count = 1;
    vvResult result;
    material.young *= 2;
    CHECK_OK(vvSoftBody_SetMaterial(scene->body, material));
    CHECK_OK(vvSoftBody_SetDamping(scene->body, (vvDamping){ .stiffness = 1e-3 }));
    vvHingeId hinge = vvCreateHinge(scene->body, &def, &result);
    CHECK_OK(result);
    CHECK_OK(vvWorld_Step(scene->world, 0.01));
    assert_true(vvHinge_IsValid(hinge));
    vvDestroyHinge(hinge);
    CHECK_OK(vvWorld_Step(scene->world, 0.01));
}

// the same bits as a world whose callbacks hold still, and everything is still there
static void callbacksChangeNothing(void **state)
{
    (void)state;
    static const int which[] = { LOGGER, ALLOCATOR, CONSTRAINT, TASKS, CONSTRAINT };
    for (int k = 0; k < 5; ++k)
    {
        uint64_t hash[2];
        for (int armed = 0; armed < 2; ++armed)
        {
            static Scene scene;
            build(&scene, which[k], k >= 3 ? 3 : 1);
            scene.armed = armed;
            for (int i = 0; i < 2; ++i)
                CHECK_OK(vvWorld_Step(scene.world, 0.01));
            changeAndBack(&scene);
            vvLedger ledger = vvWorld_GetLedger(scene.world);
            assert_true(isfinite(ledger.total));
            scene.armed = false;
            assert_true((scene.tries > 0) == armed);
            hash[armed] = vvWorld_GetHash(scene.world);
            assert_true(vvAttachment_IsValid(scene.attachment) && vvCollider_IsValid(scene.collider));
            CHECK_OK(vvSoftBody_ClearForces(scene.body)); // not refused any more
            vvDestroyWorld(scene.world);
            assert_false(vvWorld_IsValid(scene.world));
            vvDestroyShape(scene.shape);
            vvDestroyMesh(scene.mesh);
        }
        assert_true(hash[0] == hash[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(callbacksChangeNothing) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
