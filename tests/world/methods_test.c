// Every method with everything a scene may have: numbers stay finite, the ledger closes, internal forces keep momentum,
// and saved states and threads give the same bits.
#include "methods.h"
#include "world/meeting.h"

#include <stdlib.h>

#define STEP (1.0 / 240)
#define STEPS 20

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body, other;
    vvAttachmentId attachment;
    vvVec3 held; // where it started
} Scene;

typedef enum Edge
{
    EDGE_FREE,       // shaken, nothing from outside
    EDGE_DRAG,       //
    EDGE_DAMPED,     // by strain rates
    EDGE_PIN,        // moved
    EDGE_ATTACHMENT, // moved
    EDGE_GROUND,     // contact with a collider
    EDGE_JOINED,     // two bodies
    EDGE_MEETING,    // two bodies in contact
    EDGE_SOLID,      // constraints of solids
    EDGE_SHEET,      // and of sheets, with a model that no sweep takes
    EDGE_COUNT,
} Edge;

// vertices get small velocities that are not rigid, and no momentum of their own
static void shake(vvSoftBodyId body)
{
    double v[3 * 64];
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 64);
    TestRandom random = { 5 };
    memcpy(v, vvSoftBody_GetVelocities(body), (size_t)count * 3 * sizeof(double));
    for (int i = 0; i < 3 * count; ++i)
        v[i] += randomBetween(&random, -0.1, 0.1);
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
}

static vvSoftBodyId addBlock(vvWorldId world, vvSoftBodyDef def, vvVec3 at, vvVec3 velocity)
{
    def.position = at;
    def.velocity = velocity;
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 2, 1, 1), def);
    shake(body);
    return body;
}

static Scene makeScene(const char *method, Edge edge, int threads)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.threads = threads;
    worldDef.softContact = edge == EDGE_MEETING;
    bool floats = edge == EDGE_FREE || edge == EDGE_DAMPED || edge == EDGE_SOLID || edge == EDGE_SHEET;
    worldDef.gravity = (vvVec3){ 0, floats ? 0 : -9.81, 0 };
    vvResult result;
    Scene scene = { .world = vvCreateWorld(&worldDef, &result) };
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, 1e4, 0.3);
    def.damping.mass = edge == EDGE_DRAG ? 3 : 0;
    def.damping.stiffness = edge == EDGE_DAMPED ? 2e-3 : 0;
    if (edge == EDGE_SOLID)
    {
        def.volumeStiffness = 5e3;
        def.shapeStiffness = strcmp(method, "linear-implicit-euler") == 0 ? 0 : 400; // refused
        def.pressure = 50;
        def.strainLimit = (vvStrainLimit){ .min = 0.999, .max = 1.001, .stiffness = 1e4 };
    }
    if (edge == EDGE_SHEET)
    {
        def.model = "triangle";
        def.material.thickness = 0.02;
        def.bending = 1;
        def.areaStiffness = 5e3;
        def.damping.stiffness = 2e-3;
        scene.body = makeBody(scene.world, vvCreateSheetMesh(0.4, 0.4, 3, 3), def);
        shake(scene.body);
        return scene;
    }
    scene.body = addBlock(scene.world, def, (vvVec3){ 0, 0.1, 0 }, (vvVec3){ 0.3, 0, 0 });
    if (edge == EDGE_PIN)
        CHECK_OK(vvSoftBody_Pin(scene.body, (int[]){ 0, 1 }, 2));
    scene.held = vertexPosition(scene.body, 3);
    if (edge == EDGE_ATTACHMENT)
        scene.attachment = attachToPoint(scene.world, scene.body, 3, 500);
    if (edge == EDGE_GROUND)
        addPlane(scene.world, (vvVec3){ 0, 1, 0 }, 0);
    if (edge == EDGE_JOINED || edge == EDGE_MEETING)
        scene.other = addBlock(scene.world, def, (vvVec3){ 0.01, 0.3, 0.02 }, (vvVec3){ 0, -0.5, 0 });
    if (edge == EDGE_JOINED)
    {
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = scene.body;
        link.bodyB = scene.other;
        link.vertexA = 2;
        link.vertexB = 5;
        link.stiffness = 500;
        vvCreateAttachment(scene.world, &link, &result);
        CHECK_OK(result);
    }
    return scene;
}

static void takeSteps(const Scene *scene, Edge edge, int begin, int end)
{
    for (int n = begin; n < end; ++n)
    {
        if (edge == EDGE_PIN)
        {
            vvVec3 at = vertexPosition(scene->body, 0);
            at.x += 0.001;
            CHECK_OK(vvSoftBody_MovePin(scene->body, 0, at));
        }
        if (edge == EDGE_ATTACHMENT)
            CHECK_OK(vvAttachment_MoveTarget(scene->attachment, vecAdd(scene->held, vec3(0.001 * (n + 1), 0, 0))));
        CHECK_OK(vvWorld_Step(scene->world, STEP));
    }
}

// ---- facts ----------------------------------------------------------------------------------------------------------

static void checkLedger(const char *method, Edge edge, const vvLedger *before, const vvLedger *ledger)
{
    double scale = fabs(ledger->kinetic) + fabs(ledger->elastic) + fabs(ledger->contact) + fabs(ledger->gravity) + 1e-3;
    if (!isfinite(ledger->total) || !isfinite(ledger->added) || !isfinite(ledger->dissipated))
        fail_msg("%s, edge %d: not finite", method, (int)edge);
    CHECK_NEAR(ledger->numerical, ledger->total - ledger->target, 1e-12 * scale);
    CHECK_NEAR(ledger->total, ledger->kinetic + ledger->elastic + ledger->gravity + ledger->contact, 1e-12 * scale);
    bool drags = edge == EDGE_DRAG || edge == EDGE_DAMPED || edge == EDGE_SHEET;
    if (drags && !(ledger->dissipated > before->dissipated))
        fail_msg("%s, edge %d: damping took %g J", method, (int)edge, ledger->dissipated - before->dissipated);
    if ((edge == EDGE_PIN || edge == EDGE_ATTACHMENT) && ledger->added == before->added)
        fail_msg("%s, edge %d: nothing was added", method, (int)edge);
    // methods that damp may take all there is; at this step none invents more than a part of it, but those that always
    // grow or know no energy
    double most = vvMethod_GetLimit(method) == 0 || strcmp(method, "pbd") == 0 ? INFINITY : 0.3 * scale;
    if (!(ledger->numerical < most && ledger->numerical > -before->total - fabs(ledger->added) - scale))
        fail_msg("%s, edge %d: %g J of %g J are numerical", method, (int)edge, ledger->numerical, scale);
}

// internal forces alone: momentum stays but for rounding, and but for the comparators that move velocities by force
static void checkMomentum(const char *method, Edge edge, const vvLedger *before, const vvLedger *after)
{
    bool floats = edge == EDGE_FREE || edge == EDGE_DAMPED || edge == EDGE_SOLID || edge == EDGE_SHEET;
    if (!floats || !keepsMomentum(method))
        return;
    double scale = sqrt(2 * before->kinetic * 16); // kg m/s: 16 kg
    double drift = vecLength(vecSub(after->momentum, before->momentum));
    if (!(drift <= 1e-9 * scale))
        fail_msg("%s, edge %d: momentum moves by %g of %g kg m/s", method, (int)edge, drift, scale);
}

static void checkMethod(const char *method, Edge edge)
{
    Scene scene = makeScene(method, edge, 1);
    vvLedger before = vvWorld_GetLedger(scene.world);
    takeSteps(&scene, edge, 0, STEPS / 2);
    size_t size = vvWorld_GetStateSize(scene.world);
    void *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(scene.world, saved, size));
    takeSteps(&scene, edge, STEPS / 2, STEPS);
    uint64_t hash = vvWorld_GetHash(scene.world);
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkLedger(method, edge, &before, &after);
    checkMomentum(method, edge, &before, &after);
    CHECK_OK(vvWorld_RestoreState(scene.world, saved, size));
    takeSteps(&scene, edge, STEPS / 2, STEPS);
    if (vvWorld_GetHash(scene.world) != hash)
        fail_msg("%s, edge %d: a restored state goes on differently", method, (int)edge);
    free(saved);
    vvDestroyWorld(scene.world);
    Scene wide = makeScene(method, edge, 3);
    takeSteps(&wide, edge, 0, STEPS);
    if (vvWorld_GetHash(wide.world) != hash)
        fail_msg("%s, edge %d: three threads have other bits", method, (int)edge);
    vvDestroyWorld(wide.world);
}

static void everyMethodMeetsEverything(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        for (int edge = 0; edge < EDGE_COUNT; ++edge)
            checkMethod(vvGetMethodName(m), (Edge)edge);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyMethodMeetsEverything) };
    return cmocka_run_group_tests_name("methods", tests, NULL, NULL);
}
