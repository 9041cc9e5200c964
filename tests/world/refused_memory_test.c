// Memory that is refused leaves every byte of the saved state as it was: allocations of creating a fluid beside soft
// bodies, of a joint that makes a machine with soft ones, and of the first step with soft and rigid bodies in it, are
// refused in turn. So does a step that diverges after the fluid has woken a body. And what was not asked for in the
// first step is not later.
#include "base/system.h"
#include "world/scenes.h"

#include <stdlib.h>

static int failAfter = -1; // allocations until one is refused; negative: never

static void *allocate(size_t size, size_t alignment, void *userData)
{
    (void)userData;
    return failAfter >= 0 && failAfter-- == 0 ? NULL : systemAllocate(size, alignment);
}

static void release(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

typedef struct Bath
{
    vvWorldId world;
    vvSoftBodyId soft;
    vvAttachmentId spring; // of the first soft body
    vvFluidId fluid;
    unsigned char *before;
    size_t size;
} Bath;

static void remember(Bath *bath)
{
    free(bath->before);
    bath->size = vvWorld_GetStateSize(bath->world);
    bath->before = malloc(bath->size);
    CHECK_OK(vvWorld_SaveState(bath->world, bath->before, bath->size));
}

static void compare(const Bath *bath, const char *call, int refused)
{
    size_t size = vvWorld_GetStateSize(bath->world);
    unsigned char *after = malloc(size);
    CHECK_OK(vvWorld_SaveState(bath->world, after, size));
    if (size != bath->size || memcmp(after, bath->before, size) != 0)
        fail_msg("%s under %s: refusing allocation %d changed the state", call, vvWorld_GetMethod(bath->world),
                 refused);
    free(after);
}

static vvRigidBodyId addCube(vvWorldId world, vvVec3 position)
{
    vvResult result;
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_BOX;
    shape.size = (vvVec3){ 0.2, 0.2, 0.2 };
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    def.position = position;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return body;
}

// a soft body that moves, a rigid one beside it and a soft one that sleeps, without gravity
static Bath begin(const char *method, bool softContact)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.softContact = softContact;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.sleepEnergy = 1e-6;
    def.sleepTime = 1e-4;
    def.allocator = (vvAllocator){ allocate, release, NULL };
    vvResult result;
    Bath bath = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    for (int i = 0; i < 2; ++i)
    {
        vvSoftBodyDef body = elasticDef(1000, 1e4, 0.3);
        body.position = (vvVec3){ 2.0 * i, 0, 0 };
        body.velocity.x = i == 0 ? -0.1 : 0;
        bath.soft = makeBody(bath.world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), body);
        if (i == 0)
            bath.spring = attachToPoint(bath.world, bath.soft, 0, 10);
    }
    addCube(bath.world, (vvVec3){ 0.3, 0, 0 });
    for (int k = 0; k < 3; ++k)
        CHECK_OK(vvWorld_Step(bath.world, 2e-4));
    assert_false(vvSoftBody_IsAwake(bath.soft));
    return bath;
}

// every third is refused in turn, from the first on: the number of one that is not needed any more
static int create(Bath *bath, int first)
{
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = 0.05;
    vvResult result = { .code = VV_OUT_OF_MEMORY };
    int refused = first;
    remember(bath);
    for (; result.code == VV_OUT_OF_MEMORY; refused += 3)
    {
        failAfter = refused;
        bath->fluid = vvCreateFluid(bath->world, &def, &result);
        failAfter = -1;
        if (result.code != VV_OK)
            compare(bath, "vvCreateFluid", refused);
    }
    CHECK_OK(result);
    return refused;
}

// Most of what was allocated before one is refused stays: it is the next that is needed, or the one after it.
static int step(const Bath *bath)
{
    vvResult result = { .code = VV_OUT_OF_MEMORY };
    int refused = 0;
    for (; result.code == VV_OUT_OF_MEMORY && refused < 1000; ++refused)
    {
        failAfter = refused % 2 + refused / 50;
        result = vvWorld_Step(bath->world, 1e-3);
        failAfter = -1;
        if (result.code != VV_OK)
            compare(bath, "vvWorld_Step", refused);
    }
    CHECK_OK(result);
    return refused;
}

// fluid wakes the sleeper before the step of the other body fails
static void diverge(Bath *bath)
{
    CHECK_OK(vvAttachment_MoveTarget(bath->spring, (vvVec3){ 1e40, 0, 0 }));
    remember(bath);
    vvResult result = vvWorld_Step(bath->world, 1e-3);
    assert_int_equal(result.code, VV_DIVERGED);
    compare(bath, "vvWorld_Step that diverges", -1);
    CHECK_OK(vvAttachment_MoveTarget(bath->spring, (vvVec3){ 0, 0, 0 }));
}

static void nothingIsLeft(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "backward-euler", "bdf3" };
    for (int i = 0; i < 3; ++i)
    {
        Bath bath = begin(methods[i], i % 2);
        int created = create(&bath, i < 2 ? 0 : 1000); // it is the same under all methods
        const vvBox boxes[] = { { { 0, 0.09, -0.1 }, { 0.4, 0.24, 0.1 } },
                                { { 1.8, 0.09, -0.1 }, { 2.2, 0.24, 0.1 } } };
        for (int k = 0; k < 2; ++k)
            CHECK_OK(vvFluid_AddBox(bath.fluid, boxes[k], (vvVec3){ 0, -1, 0 }));
        CHECK_OK(vvWorld_Prepare(bath.world));
        remember(&bath);
        assert_false(vvSoftBody_IsAwake(bath.soft));
        int stepped = step(&bath);
        assert_true(vvSoftBody_IsAwake(bath.soft)); // fluid woke it
        print_message("%s: %d steps\n", methods[i], stepped);
        assert_true(created > 5 && stepped > 5);
        CHECK_OK(vvWorld_RestoreState(bath.world, bath.before, bath.size));
        assert_false(vvSoftBody_IsAwake(bath.soft));
        diverge(&bath);
        vvDestroyWorld(bath.world);
        free(bath.before);
    }
}

// rigid bodies that fall into a fluid and onto the ground: what touches later finds the room of the first step
static void fallsAskForNothing(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&shape, NULL);
    vvCreateCollider(world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    for (int i = 0; i < 8; ++i)
        addCube(world, (vvVec3){ 0.25 * (i % 4) - 0.4, 0.5 + 0.25 * (i / 4), 0.1 * (i % 3) - 0.1 });
    vvFluidDef fluid = vvDefaultFluidDef();
    fluid.spacing = 0.1;
    vvFluidId id = vvCreateFluid(world, &fluid, &result);
    CHECK_OK(result);
    CHECK_OK(vvFluid_AddBox(id, (vvBox){ { -0.5, 0, -0.3 }, { 0.5, 0.4, 0.3 } }, (vvVec3){ 0, 0, 0 }));
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    long long counted = vvWorld_GetStatistics(world).allocationCount;
    for (int i = 0; i < 60; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    assert_true(vvWorld_GetStatistics(world).rigidContactCount > 8);
    assert_int_equal(vvWorld_GetStatistics(world).allocationCount, counted);
    vvDestroyWorld(world);
}

// A hinge between a box and another that has a soft block bonded to it. With `refuse` allocations of its creation are
// refused in turn, which must leave the world as it was; returns the hash after some steps.
static unsigned long long hashOfMachine(bool refuse)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.allocator = (vvAllocator){ allocate, release, NULL };
    vvResult result;
    Bath bath = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    vvJointDef hinge = vvDefaultJointDef();
    vvBondDef bond = vvDefaultBondDef();
    hinge.kind = VV_JOINT_HINGE;
    hinge.bodyA = addCube(bath.world, (vvVec3){ 0, 0, 0 });
    hinge.bodyB = bond.rigidB = addCube(bath.world, (vvVec3){ 0.3, 0, 0 });
    hinge.lower = -0.1;
    hinge.upper = 0.1;
    CHECK_OK(vvJointDef_Place(&hinge, (vvVec3){ 0.15, 0, 0 }, (vvVec3){ 0, 0, 1 }));
    vvSoftBodyDef block = elasticDef(1000, 1e5, 0.3);
    block.position.x = 0.501;
    block.velocity.y = 1;
    bond.bodyA = makeBody(bath.world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), block);
    bond.distance = 0.002;
    assert_int_equal(vvCreateBonds(bath.world, &bond, NULL, 0, &result), 4);
    remember(&bath);
    result.code = VV_OUT_OF_MEMORY;
    for (int refused = refuse ? 0 : 1000; result.code == VV_OUT_OF_MEMORY; ++refused)
    {
        failAfter = refused;
        vvJointId joint = vvCreateJoint(bath.world, &hinge, &result);
        failAfter = -1;
        assert_true((joint.index1 == 0) == (result.code != VV_OK));
        if (result.code != VV_OK)
            compare(&bath, "vvCreateJoint", refused);
    }
    CHECK_OK(result);
    for (int k = 0; k < 10; ++k)
        CHECK_OK(vvWorld_Step(bath.world, 1.0 / 60));
    unsigned long long hash = vvWorld_GetHash(bath.world);
    free(bath.before);
    vvDestroyWorld(bath.world);
    return hash;
}

static void machinesAreMadeWholeOrNot(void **state)
{
    (void)state;
    assert_true(hashOfMachine(true) == hashOfMachine(false));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothingIsLeft), cmocka_unit_test(fallsAskForNothing),
                                        cmocka_unit_test(machinesAreMadeWholeOrNot) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
