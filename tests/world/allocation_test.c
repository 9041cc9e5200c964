// Memory: a step that has warmed up asks for none, and every request may be refused without harm.
#include "check.h"

#include "base/system.h"
#include "methods.h"
#include "refuse.h"
#include "undamped.h"

#include <verve/verve.h>

#include <stdlib.h>

// ---- a hook that counts and refuses ---------------------------------------------------------------------------------

typedef struct Hook
{
    long long calls;  // of allocate
    long long blocks; // not given back yet
    long long bytes;
    long long refuse; // the call with this number gets NULL; 0: none
    bool refused;
} Hook;

static void *hookAllocate(size_t size, size_t alignment, void *userData)
{
    Hook *hook = userData;
    assert_true(size > 0 && alignment > 0 && alignment <= 64 && (alignment & (alignment - 1)) == 0);
    if (++hook->calls == hook->refuse)
    {
        hook->refused = true;
        return NULL;
    }
    hook->blocks += 1;
    hook->bytes += (long long)size;
    return systemAllocate(size, alignment);
}

static void hookRelease(void *memory, size_t size, void *userData)
{
    Hook *hook = userData;
    assert_non_null(memory);
    hook->blocks -= 1;
    hook->bytes -= (long long)size; // the size comes back as it was asked for
    systemRelease(memory);
}

// ---- a scene with everything ----------------------------------------------------------------------------------------

typedef struct Scene
{
    Hook hook;
    vvAllocator allocator;
    const char *method, *solver;
    vvMesh *box, *sheet;
    vvWorldId world;
    vvSoftBodyId body[3]; // box, sheet, box
    vvAttachmentId point[2], link;
    vvResult result; // of the last call
} Scene;

static vvCode createBoxMesh(Scene *scene)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.cells[0] = def.cells[1] = 2;
    def.cells[2] = 1;
    def.allocator = scene->allocator;
    scene->box = vvCreateMesh(&def, &scene->result);
    assert_true((scene->box != NULL) == (scene->result.code == VV_OK));
    return scene->result.code;
}

static vvCode createSheetMesh(Scene *scene)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = def.cells[2] = 3;
    def.skip = true;
    def.allocator = scene->allocator;
    scene->sheet = vvCreateMesh(&def, &scene->result);
    assert_true((scene->sheet != NULL) == (scene->result.code == VV_OK));
    return scene->result.code;
}

static vvCode createWorld(Scene *scene)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = scene->method;
    def.solver = scene->solver;
    def.timestep = 0.002;
    def.allocator = scene->allocator;
    scene->world = vvCreateWorld(&def, &scene->result);
    assert_true(vvWorld_IsValid(scene->world) == (scene->result.code == VV_OK));
    return scene->result.code;
}

static vvCode createBody(Scene *scene, int index, const vvSoftBodyDef *def)
{
    scene->body[index] = vvCreateSoftBody(scene->world, def, &scene->result);
    assert_true(vvSoftBody_IsValid(scene->body[index]) == (scene->result.code == VV_OK));
    return scene->result.code;
}

static vvCode createFirstBox(Scene *scene)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.material = vvMaterial_Jelly();
    def.damping.mass = 0.5;
    def.damping.stiffness = 1e-3;
    return createBody(scene, 0, &def);
}

static vvCode createSheet(Scene *scene)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->sheet;
    def.material = vvMaterial_Cotton();
    def.material.young = 1e4;
    def.springStiffness[VV_EDGE_SKIP] = 0.1;
    def.position = (vvVec3){ 3, 0, 0 };
    def.damping.mass = 1;
    def.damping.spring = 0.01;
    return createBody(scene, 1, &def);
}

static vvCode createSecondBox(Scene *scene)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.model = "squared-spring";
    def.material = vvMaterial_Jelly();
    def.position = (vvVec3){ 0, -2, 0 };
    return createBody(scene, 2, &def);
}

static vvCode createAttachment(Scene *scene, const vvAttachmentDef *def, vvAttachmentId *id)
{
    *id = vvCreateAttachment(scene->world, def, &scene->result);
    assert_true(vvAttachment_IsValid(*id) == (scene->result.code == VV_OK));
    return scene->result.code;
}

static vvCode attachFirstPoint(Scene *scene)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene->body[0];
    def.vertexA = 5;
    def.stiffness = 500;
    def.target = (vvVec3){ 0, 1, 0 };
    return createAttachment(scene, &def, &scene->point[0]);
}

static vvCode attachSecondPoint(Scene *scene)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene->body[0];
    def.vertexA = 17;
    def.stiffness = 300;
    def.target = (vvVec3){ 0.5, 0.5, 0.5 };
    return createAttachment(scene, &def, &scene->point[1]);
}

static vvCode linkBoxes(Scene *scene)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene->body[0];
    def.vertexA = 0;
    def.bodyB = scene->body[2];
    def.vertexB = 4;
    def.stiffness = 400;
    def.restLength = 1;
    return createAttachment(scene, &def, &scene->link);
}

static vvCode firstStep(Scene *scene)
{
    scene->result = vvWorld_Step(scene->world, 0.001);
    return scene->result.code;
}

static vvCode examineFirstBox(Scene *scene)
{
    vvExamination found;
    scene->result = vvSoftBody_Examine(scene->body[0], &found);
    return scene->result.code;
}

typedef vvCode (*Call)(Scene *scene);

static const Call calls[] = { createBoxMesh, createSheetMesh, createWorld,      createFirstBox,
                              createSheet,   createSecondBox, attachFirstPoint, attachSecondPoint,
                              linkBoxes,     firstStep,       examineFirstBox };

#define CALLS ((int)(sizeof calls / sizeof calls[0]))

static void startScene(Scene *scene, const char *method, const char *solver)
{
    *scene = (Scene){ .method = method, .solver = solver };
    scene->allocator = (vvAllocator){ hookAllocate, hookRelease, &scene->hook };
}

static void pinAndPush(Scene *scene)
{
    int pins[2] = { 0, 3 };
    assert_int_equal(vvSoftBody_Pin(scene->body[1], pins, 2).code, VV_OK);
    assert_int_equal(vvSoftBody_SetForce(scene->body[1], 9, (vvVec3){ 0.01, 0, 0 }).code, VV_OK);
}

static void endScene(Scene *scene)
{
    vvDestroyMesh(scene->box);
    vvDestroyMesh(scene->sheet);
    vvDestroyWorld(scene->world);
    assert_int_equal(scene->hook.blocks, 0);
    assert_int_equal(scene->hook.bytes, 0);
}

// ---- no memory in a step --------------------------------------------------------------------------------------------

static void moveThings(Scene *scene, int i)
{
    const double *x = vvSoftBody_GetPositions(scene->body[1]);
    float copy[4 * 32];
    assert_true(vvSoftBody_GetVertexCount(scene->body[1]) <= 32);
    assert_int_equal(vvSoftBody_MovePin(scene->body[1], 0, (vvVec3){ x[0], x[1] + 1e-4, x[2] }).code, VV_OK);
    assert_int_equal(vvAttachment_MoveTarget(scene->point[0], (vvVec3){ 0, 1 + 1e-4 * i, 0 }).code, VV_OK);
    assert_int_equal(vvSoftBody_SetForce(scene->body[2], 3, (vvVec3){ 0, 0.1 * i, 0 }).code, VV_OK);
    if (i % 10 == 9)
        assert_int_equal(vvSoftBody_ClearForces(scene->body[2]).code, VV_OK);
    assert_int_equal(vvSoftBody_CopyPositions(scene->body[1], 0.5, copy, 16).code, VV_OK);
    assert_int_equal(vvSoftBody_CopyNormals(scene->body[1], copy, 12).code, VV_OK);
    assert_non_null(vvSoftBody_GetVelocities(scene->body[0]));
    assert_true(vvSoftBody_FindNearestVertex(scene->body[0], (vvVec3){ 0, 0, 0 }) >= 0);
    assert_true(isfinite(vvWorld_GetLedger(scene->world).total));
    assert_true(isfinite(vvWorld_GetIslandLedger(scene->world, 0).total));
    assert_true(vvWorld_GetHash(scene->world) != 0);
    double numbers[3 * 64];
    static unsigned char saved[1 << 16];
    size_t size = vvWorld_GetStateSize(scene->world);
    assert_true(size <= sizeof saved);
    assert_int_equal(vvSoftBody_CopyForces(scene->body[0], numbers).code, VV_OK);
    assert_int_equal(vvSoftBody_CopyEnergyDensities(scene->body[0], numbers).code, VV_OK);
    assert_int_equal(vvSoftBody_CopyStretches(scene->body[0], numbers).code, VV_OK);
    assert_int_equal(vvWorld_SaveState(scene->world, saved, size).code, VV_OK);
    assert_int_equal(vvWorld_RestoreState(scene->world, saved, size).code, VV_OK);
    assert_int_equal(vvWorld_SetGravity(scene->world, (vvVec3){ 0, -9.81 + 0.01 * i, 0 }).code, VV_OK);
}

static bool hasNewtonsMatrix(const char *method)
{
    static const char *const others[] = { "small-midpoint", "small-steps", "pbd", "pd-jacobi", NULL };
    return !vvMethod_IsExplicit(method) && !isOneOf(method, others);
}

static void stepsAskForNothing(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        Scene scene;
        startScene(&scene, vvGetMethodName(m), "newton");
        for (int c = 0; c < CALLS; ++c)
            assert_int_equal(calls[c](&scene), VV_OK);
        pinAndPush(&scene);
        assert_int_equal(vvWorld_GetIslandCount(scene.world), 2);
        long long hookCalls = scene.hook.calls, counted = vvWorld_GetStatistics(scene.world).allocationCount;
        for (int i = 0; i < 24; ++i)
        {
            moveThings(&scene, i);
            vvResult result = i % 2 ? vvWorld_Step(scene.world, 0.001) : vvWorld_Advance(scene.world, 0.005);
            assert_int_equal(result.code, VV_OK);
            assert_int_equal(scene.hook.calls, hookCalls);
        }
        assert_int_equal(vvWorld_GetStatistics(scene.world).allocationCount, counted);

        // changing the method later needs no memory either, but from or to one that has no or another kind of matrix
        assert_int_equal(vvWorld_SetMethod(scene.world, "implicit-midpoint").code, VV_OK);
        vvWorld_Step(scene.world, 0.001);
        assert_true((scene.hook.calls == hookCalls) == hasNewtonsMatrix(vvGetMethodName(m)));
        hookCalls = scene.hook.calls;

        // what comes or goes: destruction never asks
        vvDestroyAttachment(scene.link);
        vvDestroyAttachment(scene.point[0]);
        vvDestroySoftBody(scene.body[1]);
        assert_int_equal(scene.hook.calls, hookCalls);
        endScene(&scene);
    }
}

static void statisticsKnowTheMemory(void **state)
{
    (void)state;
    Scene scene;
    startScene(&scene, "implicit-midpoint", "newton");
    for (int c = 0; c < 2; ++c)
        assert_int_equal(calls[c](&scene), VV_OK);
    long long meshBytes = scene.hook.bytes, meshCalls = scene.hook.calls;
    for (int c = 2; c < CALLS; ++c)
        assert_int_equal(calls[c](&scene), VV_OK);
    vvStatistics statistics = vvWorld_GetStatistics(scene.world);
    assert_int_equal(statistics.allocationCount, scene.hook.calls - meshCalls);
    assert_int_equal(statistics.memoryBytes, scene.hook.bytes - meshBytes);
    endScene(&scene);
}

// ---- every request refused once -------------------------------------------------------------------------------------

// Runs the scene; the request with number `refuse` of one call gets NULL, then the call is made again. False: the call
// made fewer requests.
static bool runRefusing(const char *const *words, int failing, int refuse, uint64_t *hash)
{
    Scene scene;
    startScene(&scene, words[0], words[1]);
    for (int c = 0; c < CALLS; ++c)
    {
        if (c == failing)
        {
            uint64_t before = vvWorld_GetHash(scene.world);
            vvStatistics counts = vvWorld_GetStatistics(scene.world);
            vvLedger ledger = vvWorld_GetLedger(scene.world);
            scene.hook.refuse = scene.hook.calls + refuse;
            vvCode code = calls[c](&scene);
            scene.hook.refuse = 0;
            if (!scene.hook.refused)
            {
                assert_int_equal(code, VV_OK);
                endScene(&scene);
                return false;
            }
            if (code != VV_OUT_OF_MEMORY)
                fail_msg("%s, %s: request %d of call %d was refused, and the code is %d", words[0], words[1], refuse, c,
                         code);
            assert_true(scene.result.message[0] != 0 && scene.result.remedy[0] != 0);
            // nothing changed
            assert_true(vvWorld_GetHash(scene.world) == before);
            assert_int_equal(vvWorld_GetStatistics(scene.world).bodyCount, counts.bodyCount);
            assert_int_equal(vvWorld_GetStatistics(scene.world).attachmentCount, counts.attachmentCount);
            assert_int_equal(vvWorld_GetIslandCount(scene.world), counts.islandCount);
            assert_true(vvWorld_GetLedger(scene.world).total == ledger.total);
            assert_true(vvWorld_GetLedger(scene.world).added == ledger.added);
        }
        assert_int_equal(calls[c](&scene), VV_OK);
    }
    pinAndPush(&scene);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(vvWorld_Step(scene.world, 0.005).code, VV_OK);
    *hash = vvWorld_GetHash(scene.world);
    endScene(&scene);
    return true;
}

static void everyRequestMayBeRefused(void **state)
{
    (void)state;
    // one of each kind of matrix or memory of their own
    static const char *const words[][2] = {
        { "implicit-midpoint", "newton" },    { "implicit-midpoint", "local-global" },
        { "implicit-midpoint", "newton-cg" }, { "small-midpoint", "newton" },
        { "small-steps", "newton" },          { "stabilized", "local-global" },
    };
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
    {
        uint64_t undisturbed = 0, hash = 0;
        assert_true(runRefusing(words[w], -1, 0, &undisturbed));
        for (int c = 0; c < CALLS; ++c)
        {
            int refused = 0, number = 1 + c % refusedApart();
            // what is not the method's is the same for all
            if (w > 0 && calls[c] != createFirstBox && calls[c] != firstStep)
                continue;
            for (; runRefusing(words[w], c, number, &hash); number += refusedApart())
            {
                if (hash != undisturbed)
                    fail_msg("%s, %s: request %d of call %d was refused, then other bits", words[w][0], words[w][1],
                             number, c);
                refused += 1;
            }
            // a link is a line in a table that the first points made room for; all others ask for memory
            assert_true(refused > 0 || calls[c] == linkBoxes || number > 1);
        }
    }
}

// the first attachment of a world makes the table; let it be a link
static void firstLinkMayBeRefused(void **state)
{
    (void)state;
    Scene scene;
    startScene(&scene, "implicit-midpoint", "newton");
    const Call order[] = { createBoxMesh, createSheetMesh, createWorld, createFirstBox, createSheet, createSecondBox };
    for (size_t c = 0; c < sizeof order / sizeof order[0]; ++c)
        assert_int_equal(order[c](&scene), VV_OK);
    scene.hook.refuse = scene.hook.calls + 1;
    assert_int_equal(linkBoxes(&scene), VV_OUT_OF_MEMORY);
    assert_int_equal(vvWorld_GetIslandCount(scene.world), 3);
    assert_int_equal(firstStep(&scene), VV_OK);
    assert_int_equal(linkBoxes(&scene), VV_OK);
    assert_int_equal(vvWorld_GetIslandCount(scene.world), 2);
    // a step that cannot be prepared is not taken; the next one is
    scene.hook.refuse = scene.hook.calls + 3;
    uint64_t hash = vvWorld_GetHash(scene.world);
    assert_int_equal(firstStep(&scene), VV_OUT_OF_MEMORY);
    assert_true(vvWorld_GetHash(scene.world) == hash);
    assert_int_equal(vvWorld_Advance(scene.world, 0.003).code, VV_OK);
    assert_int_equal(vvWorld_GetStatistics(scene.world).stepCount, 2);
    endScene(&scene);
}

// a scene that is torn down halfway gives everything back
static void halfASceneLeaksNothing(void **state)
{
    (void)state;
    for (int last = 0; last < CALLS; ++last)
    {
        Scene scene;
        startScene(&scene, "implicit-midpoint", "newton");
        for (int c = 0; c < last; ++c)
            assert_int_equal(calls[c](&scene), VV_OK);
        scene.hook.refuse = scene.hook.calls + 1;
        calls[last](&scene);
        endScene(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepsAskForNothing),       cmocka_unit_test(statisticsKnowTheMemory),
        cmocka_unit_test(everyRequestMayBeRefused), cmocka_unit_test(firstLinkMayBeRefused),
        cmocka_unit_test(halfASceneLeaksNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
