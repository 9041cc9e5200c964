// Saved states: a run that goes on from one has the same bits as the run that was never interrupted, in the world it
// came from and in one built again; and nothing but a whole, undamaged state of the same scene is taken.
#include "methods.h"
#include "scenes.h"
#include "undamped.h"

#include <stdlib.h>

// ---- a scene in which everything changes ----------------------------------------------------------------------------

typedef struct Setup
{
    const char *method, *solver;
    bool accelerate;
    int threads, cells;
} Setup;

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body[3]; // corotated box and spring sheet, linked; squared-spring bar
    vvAttachmentId point;
    double step;
} Scene;

static Scene makeScene(const Setup *setup)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = setup->method;
    worldDef.solver = setup->solver;
    worldDef.settings.localGlobal.accelerate = setup->accelerate;
    worldDef.threads = setup->threads;
    worldDef.timestep = stepFor(setup->method, 1.0 / 128, 1.0 / 1024);
    Scene scene = { .step = worldDef.timestep, .world = vvCreateWorld(&worldDef, NULL) };
    int n = setup->cells;
    vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
    def.damping.mass = 0.5;
    def.damping.rigidPreserving = 2;
    def.spin = (vvVec3){ 1, 2, 3 };
    scene.body[0] = makeBody(scene.world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, n, n, n), def);
    def = undampedDef();
    def.material = vvMaterial_Cotton();
    def.material.loss = 0;
    def.material.young = 1e5;
    def.position = (vvVec3){ 0, 2, 0 };
    scene.body[1] = makeBody(scene.world, vvCreateSheetMesh(1, 1, 3, 3), def);
    def = elasticDef(1000, 1e4, 0.3);
    def.model = "squared-spring";
    def.position = (vvVec3){ 3, 0, 0 };
    scene.body[2] = makeBody(scene.world, vvCreateBarMesh(1, 0.3, 3, 1), def);
    scene.point = attachToPoint(scene.world, scene.body[0], 4, 200);
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = scene.body[0];
    link.vertexA = 8;
    link.bodyB = scene.body[1];
    link.vertexB = 9;
    link.target.x = NAN; // not used, and no part of a state
    link.stiffness = 5;
    link.restLength = 0.5;
    assert_true(vvAttachment_IsValid(vvCreateAttachment(scene.world, &link, NULL)));
    return scene;
}

// frame by frame, from what the state itself says: pins come, move and go, points move, forces and gravity change
static void drive(Scene *scene, int frame)
{
    int corners[2] = { 0, 3 }, other = 1;
    if (frame == 3 || frame == 33)
        CHECK_OK(vvSoftBody_Pin(scene->body[1], corners, frame == 3 ? 1 : 2));
    if (frame == 20)
        CHECK_OK(vvSoftBody_Pin(scene->body[0], &other, 1));
    if (frame == 25 || frame == 40)
        CHECK_OK(vvSoftBody_Unpin(scene->body[frame == 25 ? 0 : 1], frame == 25 ? &other : corners, 1));
    if (vvSoftBody_IsPinned(scene->body[1], 0))
    {
        vvVec3 p = vertexPosition(scene->body[1], 0);
        CHECK_OK(vvSoftBody_MovePin(scene->body[1], 0, (vvVec3){ p.x + 1e-3, p.y, p.z }));
    }
    if (frame % 3 == 0)
        CHECK_OK(vvAttachment_MoveTarget(scene->point, (vvVec3){ -0.5, 0.01 * frame, 0.5 }));
    if (frame % 7 == 0)
        CHECK_OK(vvSoftBody_SetForce(scene->body[2], frame % 16, (vvVec3){ 1, 0.1 * frame, -3 }));
    if (frame == 28)
        CHECK_OK(vvWorld_SetGravity(scene->world, (vvVec3){ 1, -5, 0 }));
    if (frame == 15 || frame == 50) // bodies that were made in still air
        CHECK_OK(vvWorld_SetWind(scene->world, (vvWind){ { 2, 1, 0.2 * frame }, 1.2, 1.17 }));
    if (frame == 45)
        CHECK_OK(vvSoftBody_ClearForces(scene->body[2]));
    CHECK_OK(frame % 2 ? vvWorld_Step(scene->world, scene->step) : vvWorld_Advance(scene->world, scene->step + 1e-4));
}

typedef struct Trace
{
    uint64_t hash;
    vvLedger ledger;
    double time, interpolation;
    long long steps;
} Trace;

static Trace traceOf(const Scene *scene)
{
    Trace trace;
    memset(&trace, 0, sizeof trace);
    trace.hash = vvWorld_GetHash(scene->world);
    trace.ledger = vvWorld_GetLedger(scene->world);
    trace.time = vvWorld_GetTime(scene->world);
    trace.interpolation = vvWorld_GetInterpolation(scene->world);
    trace.steps = vvWorld_GetStatistics(scene->world).stepCount;
    return trace;
}

typedef struct Saved
{
    size_t size;
    unsigned char *bytes;
} Saved;

static Saved save(vvWorldId world)
{
    Saved saved = { .size = vvWorld_GetStateSize(world) };
    saved.bytes = malloc(saved.size);
    CHECK_OK(vvWorld_SaveState(world, saved.bytes, saved.size));
    return saved;
}

// ---- the same bits --------------------------------------------------------------------------------------------------

// saves at `middle`, goes on to `end`; then again from the state, in the same world and in a new one
static void goOnFromTheMiddle(const Setup *setup, const Setup *again, int middle, int end)
{
    Scene scene = makeScene(setup);
    size_t size = vvWorld_GetStateSize(scene.world);
    for (int frame = 0; frame < middle; ++frame)
        drive(&scene, frame);
    assert_int_equal(vvWorld_GetStateSize(scene.world), size);
    long long allocations = vvWorld_GetStatistics(scene.world).allocationCount;
    Trace before = traceOf(&scene);
    Saved saved = save(scene.world);
    Trace after = traceOf(&scene);
    assert_memory_equal(&before, &after, sizeof before); // saving changes nothing
    assert_int_equal(vvWorld_GetStatistics(scene.world).allocationCount, allocations);
    for (int frame = middle; frame < end; ++frame)
        drive(&scene, frame);
    Trace want = traceOf(&scene);

    // another method in between: the state knows its own
    CHECK_OK(vvWorld_SetMethod(scene.world, "backward-euler"));
    Scene fresh = makeScene(again);
    drive(&fresh, 0);
    CHECK_OK(vvWorld_SetMethod(fresh.world, "symplectic-euler"));
    Scene *worlds[2] = { &scene, &fresh };
    for (int w = 0; w < 2; ++w)
    {
        CHECK_OK(vvWorld_RestoreState(worlds[w]->world, saved.bytes, saved.size));
        assert_string_equal(vvWorld_GetMethod(worlds[w]->world), setup->method);
        after = traceOf(worlds[w]);
        assert_memory_equal(&before, &after, sizeof before);
        Saved copy = save(worlds[w]->world);
        assert_int_equal(copy.size, saved.size);
        assert_memory_equal(copy.bytes, saved.bytes, copy.size);
        free(copy.bytes);
        for (int frame = middle; frame < end; ++frame)
            drive(worlds[w], frame);
        after = traceOf(worlds[w]);
        assert_memory_equal(&want, &after, sizeof want);
        vvDestroyWorld(worlds[w]->world);
    }
    free(saved.bytes);
}

static void everyMethodAndSolverGoesOn(void **state)
{
    (void)state;
    for (int method = 0; vvGetMethodName(method) != NULL; ++method)
    {
        // explicit methods ask no solver
        for (int solver = 0; solver < (vvMethod_IsExplicit(vvGetMethodName(method)) ? 1 : 3); ++solver)
        {
            Setup setup = { .method = vvGetMethodName(method),
                            .solver = solver == 0 ? "newton" : "local-global",
                            .accelerate = solver == 2,
                            .threads = 1,
                            .cells = 2 };
            goOnFromTheMiddle(&setup, &setup, 20, 40);
        }
    }
}

// enough vertices that both threads work
static void anyNumberOfThreadsGoesOn(void **state)
{
    (void)state;
    Setup one = { .method = "implicit-midpoint", .solver = "local-global", .threads = 1, .cells = 8 }, two = one;
    two.threads = 2;
    goOnFromTheMiddle(&one, &two, 4, 8);
    goOnFromTheMiddle(&two, &one, 22, 27);
}

// The matrices of local/global keep a precision once they needed it. A world built again must not go back to float32:
// here the long step needs more, the short ones do not.
static void precisionIsRemembered(void **state)
{
    (void)state;
    const double steps[] = { 0.1, 0.01, 0.01, 0.005, 0.01, 0.002 };
    uint64_t want = 0, found = 0;
    Saved saved = { 0 };
    for (int run = 0; run < 2; ++run)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "implicit-midpoint";
        def.solver = "local-global";
        vvWorldId world = vvCreateWorld(&def, NULL);
        vvSoftBodyDef stiff = elasticDef(1000, 1e11, 0);
        stiff.spin = (vvVec3){ 0, 0, 1 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), stiff);
        if (run == 1)
            CHECK_OK(vvWorld_RestoreState(world, saved.bytes, saved.size));
        for (int i = run == 0 ? 0 : 2; i < 6; ++i)
        {
            if (i == 2 && run == 0)
                saved = save(world);
            CHECK_OK(vvWorld_Step(world, steps[i]));
        }
        *(run == 0 ? &want : &found) = vvWorld_GetHash(world);
        vvDestroyWorld(world);
    }
    assert_true(want == found);
    free(saved.bytes);
}

// what a world went through before it came to its bodies does not matter
static void slotsUsedTwiceGoOn(void **state)
{
    (void)state;
    Setup setup = { .method = "implicit-midpoint", .solver = "newton", .threads = 1, .cells = 1 };
    vvWorldId worlds[2];
    vvSoftBodyId bodies[2];
    for (int w = 0; w < 2; ++w)
    {
        worlds[w] = makeWorld(setup.method, (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyId gone = { 0, 0, 0 };
        if (w == 1)
            gone = makeBody(worlds[w], vvCreateRopeMesh(1, 2), undampedDef());
        bodies[w] = makeBody(worlds[w], vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), elasticDef(1000, 1e4, 0.2));
        vvDestroySoftBody(gone);
        attachToPoint(worlds[w], bodies[w], 0, 100);
        CHECK_OK(vvWorld_Step(worlds[w], 0.01 + 0.01 * w));
    }
    Saved saved = save(worlds[0]);
    CHECK_OK(vvWorld_RestoreState(worlds[1], saved.bytes, saved.size));
    for (int w = 0; w < 2; ++w)
        CHECK_OK(vvWorld_Step(worlds[w], 0.01));
    assert_true(vvWorld_GetHash(worlds[0]) == vvWorld_GetHash(worlds[1]));
    free(saved.bytes);
    vvDestroyWorld(worlds[0]);
    vvDestroyWorld(worlds[1]);
}

// a world without bodies has a state too: time, gravity, method
// Two cubes that fly at each other, and have nothing to do with each other yet.
static vvWorldId makeMeeting(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.softContact = true;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    for (int i = 0; i < 2; ++i)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.position = (vvVec3){ 0.1 * i, 1.5 * i, 0.05 * i };
        def.velocity = (vvVec3){ 0, i == 0 ? 3 : -3, 0 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
    }
    return world;
}

static void contactsBetweenBodiesAreRestored(void **state)
{
    (void)state;
    vvWorldId first = makeMeeting(), again = makeMeeting();
    for (int frame = 0; frame < 20 && vvWorld_GetContacts(first, NULL, 0) == 0; ++frame)
        CHECK_OK(vvWorld_Step(first, 1.0 / 60));
    Saved saved = save(first);
    CHECK_OK(vvWorld_RestoreState(again, saved.bytes, saved.size));
    // sharp edges tell of the last step alone, which is in no state
    assert_true(vvWorld_GetContacts(again, NULL, 0) > 0);
    CHECK_OK(vvWorld_RestoreState(first, saved.bytes, saved.size));
    assert_int_equal(vvWorld_GetContacts(again, NULL, 0), vvWorld_GetContacts(first, NULL, 0));
    assert_true(vvWorld_GetHash(first) == vvWorld_GetHash(again));
    for (int frame = 0; frame < 5; ++frame)
    {
        CHECK_OK(vvWorld_Step(first, 1.0 / 60));
        CHECK_OK(vvWorld_Step(again, 1.0 / 60));
        assert_true(vvWorld_GetHash(first) == vvWorld_GetHash(again));
    }
    free(saved.bytes);
    vvDestroyWorld(first);
    vvDestroyWorld(again);
}

static void emptyWorldGoesOn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 1, 2, 3 });
    CHECK_OK(vvWorld_Step(world, 0.5));
    Saved saved = save(world);
    CHECK_OK(vvWorld_Step(world, 0.5));
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, 0, 0 }));
    CHECK_OK(vvWorld_RestoreState(world, saved.bytes, saved.size));
    assert_true(vvWorld_GetTime(world) == 0.5 && vvWorld_GetGravity(world).z == 3);
    free(saved.bytes);
    vvDestroyWorld(world);
}

// ---- the bytes ------------------------------------------------------------------------------------------------------

static uint64_t readWord(const unsigned char *at)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; --i)
        word = word << 8 | at[i];
    return word;
}

static void bytesAreLittleEndian(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    CHECK_OK(vvWorld_Step(world, 0.5));
    Saved saved = save(world);
    assert_memory_equal(saved.bytes, "VERVESTA", 8);
    assert_int_equal(readWord(saved.bytes + 8), 15);
    assert_int_equal(readWord(saved.bytes + 16), saved.size);
    assert_int_equal(readWord(saved.bytes + 40), 0x3fe0000000000000); // time: 0.5
    assert_int_equal(readWord(saved.bytes + 64), 0xc0239eb851eb851f); // gravity in y: -9.81
    assert_int_equal(readWord(saved.bytes + 80), 1);                  // steps
    assert_memory_equal(saved.bytes + 88, "implicit-midpoint\0", 18);
    assert_int_equal(readWord(saved.bytes + 152), 0x3ff2b851eb851eb8); // drag of the wind: 1.17
    free(saved.bytes);
    vvDestroyWorld(world);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

// one tet, one pin, one attachment, one force
static vvWorldId makeSmall(vvSoftBodyId *body)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    worldDef.solver = "local-global";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TET;
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e4, 0.2);
    bodyDef.damping.rigidPreserving = 1;
    *body = makeBody(world, vvCreateMesh(&def, NULL), bodyDef);
    int pin = 1;
    CHECK_OK(vvSoftBody_Pin(*body, &pin, 1));
    CHECK_OK(vvSoftBody_SetForce(*body, 2, (vvVec3){ 1, 2, 3 }));
    attachToPoint(world, *body, 3, 100);
    CHECK_OK(vvWorld_Step(world, 0.01));
    return world;
}

static void refuse(vvWorldId world, const void *bytes, size_t size, const char *says)
{
    uint64_t hash = vvWorld_GetHash(world);
    vvResult result = vvWorld_RestoreState(world, bytes, size);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(result.remedy[0] != 0);
    if (strstr(result.message, says) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, says);
    assert_true(vvWorld_GetHash(world) == hash);
}

static void damagedStatesAreRefused(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvWorldId world = makeSmall(&body);
    Saved saved = save(world);
    CHECK_OK(vvWorld_Step(world, 0.01));
    for (size_t i = 0; i < saved.size; ++i)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            saved.bytes[i] ^= (unsigned char)(1 << bit);
            refuse(world, saved.bytes, saved.size, "state");
            saved.bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    // cut off anywhere, in a block of its own so that sanitizers see a byte too many; or longer
    for (size_t size = 0; size < saved.size; size += size < 64 ? 1 : 37)
    {
        unsigned char *part = malloc(size + (size == 0));
        memcpy(part, saved.bytes, size);
        refuse(world, part, size, "bytes");
        free(part);
    }
    unsigned char *longer = calloc(1, saved.size + 8);
    memcpy(longer, saved.bytes, saved.size);
    refuse(world, longer, saved.size + 8, "bytes");
    free(longer);
    refuse(world, NULL, saved.size, "NULL");
    CHECK_OK(vvWorld_RestoreState(world, saved.bytes, saved.size));
    free(saved.bytes);
    vvDestroyWorld(world);
}

// the checksum of a state, so that a test can lie
static void seal(Saved *saved)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < saved->size;)
    {
        size_t left = i < 32 ? 32 - i : saved->size - i;
        uint64_t word = left >= 8 ? readWord(saved->bytes + i) : saved->bytes[i];
        hash = (hash ^ word) * 0x100000001b3ULL;
        hash ^= hash >> 32;
        i += left >= 8 ? 8 : 1;
        i = i == 32 ? 40 : i;
    }
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33;
    for (int i = 0; i < 8; ++i)
        saved->bytes[32 + i] = (unsigned char)(hash >> (8 * i));
}

// states with a right checksum and wrong contents: refused, or a state like any other that steps or diverges
static void forgedStatesDoNoHarm(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvWorldId world = makeSmall(&body);
    Saved saved = save(world), forged = { .size = saved.size, .bytes = malloc(saved.size) };
    memcpy(forged.bytes, saved.bytes, saved.size);
    seal(&forged);
    assert_memory_equal(forged.bytes, saved.bytes, saved.size);
    int refused = 0, taken = 0;
    for (size_t i = 40; i < saved.size; ++i)
    {
        const unsigned char flips[] = { 1, 0x80, 0xff };
        for (int k = 0; k < 3; ++k)
        {
            memcpy(forged.bytes, saved.bytes, saved.size);
            forged.bytes[i] ^= flips[k];
            seal(&forged);
            vvResult result = vvWorld_RestoreState(world, forged.bytes, forged.size);
            if (result.code != VV_OK)
            {
                assert_int_equal(result.code, VV_BAD_INPUT);
                refused += 1;
                continue;
            }
            taken += 1;
            vvCode code = vvWorld_Step(world, 0.01).code;
            assert_true(code == VV_OK || code == VV_DIVERGED);
            CHECK_OK(vvWorld_RestoreState(world, saved.bytes, saved.size));
        }
    }
    assert_true(refused > 50 && taken > 500);

    // a number that is none, a method nobody knows
    memcpy(forged.bytes, saved.bytes, saved.size);
    memset(forged.bytes + 40, 0xff, 8);
    seal(&forged);
    refuse(world, forged.bytes, forged.size, "nan");
    memcpy(forged.bytes, saved.bytes, saved.size);
    memcpy(forged.bytes + 88, "unheard-", 8);
    seal(&forged);
    refuse(world, forged.bytes, forged.size, "method");
    memcpy(forged.bytes, saved.bytes, saved.size);
    forged.bytes[8] = 18;
    seal(&forged);
    refuse(world, forged.bytes, forged.size, "version 18");
    forged.bytes[8] = 16; // with changes of meshes, of which there are none
    seal(&forged);
    refuse(world, forged.bytes, forged.size, "");
    free(forged.bytes);
    free(saved.bytes);
    vvDestroyWorld(world);
}

typedef void Change(vvSoftBodyDef *def, vvAttachmentDef *attachment);

static void asIs(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)def;
    (void)attachment;
}

static void stiffer(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)attachment;
    def->material.young *= 1.0001;
}

static void heavier(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)attachment;
    def->material.density *= 1.0001;
}

static void calmer(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)attachment;
    def->damping.rigidPreserving = 1;
}

static void slower(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)attachment;
    def->damping.mass *= 2;
}

static void tighter(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)def;
    attachment->stiffness *= 2;
}

static void elsewhere(vvSoftBodyDef *def, vvAttachmentDef *attachment)
{
    (void)def;
    attachment->vertexA = 5;
}

static vvWorldId makeChanged(Change *change, vvVec3 size)
{
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e4, 0.2);
    def.damping.mass = 1;
    vvAttachmentDef attachment = vvDefaultAttachmentDef();
    attachment.vertexA = 4;
    change(&def, &attachment);
    attachment.bodyA = makeBody(world, vvCreateBoxMesh(size, 1, 1, 1), def);
    assert_true(vvAttachment_IsValid(vvCreateAttachment(world, &attachment, NULL)));
    return world;
}

static void statesOfOtherScenesAreRefused(void **state)
{
    (void)state;
    vvVec3 unit = { 1, 1, 1 };
    vvWorldId original = makeChanged(asIs, unit), same = makeChanged(asIs, unit);
    Saved saved = save(original);
    CHECK_OK(vvWorld_RestoreState(same, saved.bytes, saved.size));
    Change *const changes[] = { stiffer, heavier, calmer, slower, tighter, elsewhere };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i)
    {
        vvWorldId world = makeChanged(changes[i], unit);
        refuse(world, saved.bytes, saved.size, "other bodies");
        vvDestroyWorld(world);
    }
    vvWorldId longer = makeChanged(asIs, (vvVec3){ 1, 1, 1.001 });
    refuse(longer, saved.bytes, saved.size, "other bodies");
    vvDestroyWorld(longer);
    // one body more, and that one gone again
    vvSoftBodyId more = makeBody(same, vvCreateRopeMesh(1, 2), undampedDef());
    refuse(same, saved.bytes, saved.size, "other bodies");
    vvDestroySoftBody(more);
    CHECK_OK(vvWorld_RestoreState(same, saved.bytes, saved.size));
    free(saved.bytes);
    vvDestroyWorld(original);
    vvDestroyWorld(same);
}

static void roomMustFit(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvWorldId world = makeSmall(&body);
    Saved saved = save(world);
    assert_int_equal(vvWorld_SaveState(world, NULL, saved.size).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SaveState(world, saved.bytes, saved.size - 1).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_SaveState(world, saved.bytes, 0).code, VV_BAD_INPUT);
    vvDestroyWorld(world);
    assert_int_equal(vvWorld_GetStateSize(world), 0);
    assert_int_equal(vvWorld_SaveState(world, saved.bytes, saved.size).code, VV_BAD_ID);
    assert_int_equal(vvWorld_RestoreState(world, saved.bytes, saved.size).code, VV_BAD_ID);
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyMethodAndSolverGoesOn),
        cmocka_unit_test(anyNumberOfThreadsGoesOn),
        cmocka_unit_test(precisionIsRemembered),
        cmocka_unit_test(slotsUsedTwiceGoOn),
        cmocka_unit_test(contactsBetweenBodiesAreRestored),
        cmocka_unit_test(emptyWorldGoesOn),
        cmocka_unit_test(bytesAreLittleEndian),
        cmocka_unit_test(damagedStatesAreRefused),
        cmocka_unit_test(forgedStatesDoNoHarm),
        cmocka_unit_test(statesOfOtherScenesAreRefused),
        cmocka_unit_test(roomMustFit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
