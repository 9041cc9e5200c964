// What is added to a world that runs already, with each allocation failing once: the addition is refused for want of
// memory, every byte of the state is the one before, and the world steps on. Under every solver, and with contact.
#include "world/add.h"
#include "check.h"
#include "refuse.h"
#include "undamped.h"

#include <verve/verve.h>

#include <limits.h>
#include <string.h>

static int left; // requests that are granted
static int corners[4] = { 0, 1, 3, 9 };

typedef struct Stage
{
    vvWorldId world;
    vvSoftBodyId body;
    vvShape *floor;
} Stage;

// on a floor, or two bodies above it
static Stage begin(const char *method, const char *solver, bool stands)
{
    Stage stage = { 0 };
    vvResult result;
    left = INT_MAX;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = solver;
    if (strcmp(method, "backward-euler") == 0) // these fall asleep at once, and what is refused does not wake them
    {
        worldDef.sleepEnergy = 1e6;
        worldDef.sleepTime = 0;
    }
    worldDef.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
    stage.world = vvCreateWorld(&worldDef, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    vvShapeDef shapeDef = vvDefaultShapeDef();
    stage.floor = vvCreateShape(&shapeDef, NULL);
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = stage.floor;
    if (stands)
        vvCreateCollider(stage.world, &colliderDef, NULL);
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
    def.material = vvMaterial_Jelly();
    def.position.y = 0.0999;
    stage.body = vvCreateSoftBody(stage.world, &def, &result);
    if (!stands)
        vvCreateSoftBody(stage.world, &def, &result);
    vvDestroyMesh(def.mesh);
    assert_int_equal(result.code, VV_OK);
    for (int k = 0; k < 2; ++k)
        assert_int_equal(vvWorld_Step(stage.world, 0.005).code, VV_OK);
    return stage;
}

static void end(Stage *stage)
{
    left = INT_MAX;
    vvDestroyWorld(stage->world);
    vvDestroyShape(stage->floor);
}

// ---- additions ------------------------------------------------------------------------------------------------------

static void nearest(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    memcpy(p, z, 3 * sizeof *p);
}

static double height(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    memset(gradient, 0, 3 * sizeof *gradient);
    gradient[1] = 1;
    return x[1] - 0.1;
}

static vvResult addProjection(const Stage *stage)
{
    static const double difference[2] = { -1, 1 };
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = corners;
    def.count = 1;
    def.corners = 2;
    def.rows = 1;
    def.matrix = difference;
    def.weight = 100;
    def.project = nearest;
    return addConstraint(stage->body, &def);
}

static vvResult addFunction(const Stage *stage)
{
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = corners;
    def.count = 2;
    def.corners = 1;
    def.weight = 100;
    def.function = height;
    return addConstraint(stage->body, &def);
}

static vvResult addFarProjection(const Stage *stage) // vertices that no element joins: another graph of the matrix
{
    static const int far[2] = { 0, 26 };
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = far;
    def.count = 1;
    def.corners = 2;
    def.weight = 100;
    def.rows = 1;
    static const double difference[2] = { -1, 1 };
    def.matrix = difference;
    def.project = nearest;
    return addConstraint(stage->body, &def);
}

static vvResult addFold(const Stage *stage)
{
    vvHingeDef def = vvDefaultHingeDef();
    def.vertices = corners;
    def.count = 1;
    def.stiffness = 1;
    def.minAngle = -90;
    def.maxAngle = 90;
    return addHinge(stage->body, &def);
}

static vvResult addWind(const Stage *stage)
{
    return vvWorld_SetWind(stage->world, (vvWind){ .velocity = { 1, 0, 0 }, .density = 1.2, .drag = 1 });
}

static vvResult addAttachment(const Stage *stage)
{
    vvResult result;
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = stage->body;
    def.vertexA = 26;
    def.target = (vvVec3){ 0.1, 0.3, 0.1 };
    def.stiffness = 10;
    vvCreateAttachment(stage->world, &def, &result);
    return result;
}

static vvResult addBody(const Stage *stage, vvMesh *mesh, const char *bendingModel, const double *const *examples)
{
    vvResult result;
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = examples ? vvMaterial_Jelly() : vvMaterial_Cotton();
    def.position.y = 1;
    def.bending = bendingModel ? 1 : -1;
    def.bendingModel = bendingModel;
    def.pressure = bendingModel ? 0 : 1;
    def.examples = examples;
    def.exampleCount = examples != NULL;
    def.contactSamples = 1;
    vvCreateSoftBody(stage->world, &def, &result);
    vvDestroyMesh(mesh);
    return result;
}

static vvResult addCurvedSheet(const Stage *stage)
{
    return addBody(stage, vvCreateSheetMesh(1, 1, 3, 3), "mean-curvature", NULL);
}

static vvResult addHingedSheet(const Stage *stage)
{
    return addBody(stage, vvCreateSheetMesh(1, 1, 3, 3), "dihedral", NULL);
}

static vvResult addExample(const Stage *stage)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.1, 0.1, 0.1 }, 1, 1, 1);
    double points[24];
    memcpy(points, vvMesh_GetPoints(mesh), sizeof points);
    return addBody(stage, mesh, NULL, &(const double *){ points });
}

static vvResult addCollider(const Stage *stage) // two bodies get contacts with it, one after the other
{
    vvResult result;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = stage->floor;
    def.position.y = -0.1;
    vvCreateCollider(stage->world, &def, &result);
    return result;
}

static vvResult addHandle(const Stage *stage) // three springs
{
    vvResult result;
    vvHandleDef def = vvDefaultHandleDef();
    def.body = stage->body;
    for (int k = 0; k < 3; ++k)
    {
        def.vertices[k] = corners[k];
        def.weights[k] = k == 2 ? 0.5 : 0.25;
    }
    vvCreateHandle(stage->world, &def, &result);
    return result;
}

static vvResult addMethod(const Stage *stage)
{
    return vvWorld_SetMethod(stage->world, "bdf4");
}

// ---- the fact -------------------------------------------------------------------------------------------------------

typedef vvResult (*Addition)(const Stage *stage);

typedef struct Saved
{
    size_t size;
    unsigned char bytes[1 << 16];
} Saved;

static Saved save(vvWorldId world)
{
    static Saved saved;
    memset(&saved, 0, sizeof saved);
    saved.size = vvWorld_GetStateSize(world);
    assert_true(saved.size <= sizeof saved.bytes);
    assert_int_equal(vvWorld_SaveState(world, saved.bytes, saved.size).code, VV_OK);
    return saved;
}

// the number of allocations that the addition makes
static int failEach(const char *method, const char *solver, Addition add)
{
    for (int n = 0; n < 500; n += refusedApart())
    {
        Stage stage = begin(method, solver, add != addCollider);
        uint64_t hash = vvWorld_GetHash(stage.world);
        Saved before = save(stage.world);
        left = n;
        vvResult result = add(&stage);
        left = INT_MAX;
        Saved after = save(stage.world);
        if (result.code != VV_OK &&
            (vvWorld_GetHash(stage.world) != hash || memcmp(&before, &after, sizeof after) != 0))
            fail_msg("%s with %s: allocation %d changed the state", method, solver, n);
        if (result.code != VV_OK && result.code != VV_OUT_OF_MEMORY)
            fail_msg("%s with %s: allocation %d: %s", method, solver, n, result.message);
        vvResult stepped = vvWorld_Step(stage.world, 0.005);
        if (stepped.code != VV_OK)
            fail_msg("%s with %s: a step after allocation %d: %s", method, solver, n, stepped.message);
        end(&stage);
        if (result.code == VV_OK)
            return n;
    }
    fail_msg("no end");
    return 0;
}

static void additionsFailWhole(void **state)
{
    (void)state;
    static const Addition additions[] = { addProjection, addFunction,    addFarProjection, addFold,
                                          addWind,       addAttachment,  addCollider,      addHandle,
                                          addMethod,     addCurvedSheet, addHingedSheet,   addExample };
    static const struct
    {
        const char *method, *solver;
    } ways[] = {
        { "implicit-midpoint", "newton" },    { "backward-euler", "local-global" },
        { "backward-euler", "newton-cg" },    { "backward-euler", "simplified-newton" },
        { "small-midpoint", "local-global" }, { "small-steps", "local-global" },
    };
    enum
    {
        WAYS = sizeof ways / sizeof ways[0]
    };
    for (size_t a = 0; a < sizeof additions / sizeof additions[0]; ++a)
    {
        int most = 0;
        bool isBody = additions[a] == addCurvedSheet || additions[a] == addHingedSheet || additions[a] == addExample;
        for (int w = isBody ? WAYS - 1 : 0; w < WAYS; ++w) // bodies ask for much: one way is enough
        {
            int count = failEach(ways[w].method, ways[w].solver, additions[a]);
            most = count > most ? count : most;
        }
        assert_true(most > 0); // the fact was put to the test
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(additionsFailWhole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
