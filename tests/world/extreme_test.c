// Sizes, strengths, speeds and settings of any magnitude, under all methods: refused in words, or the books hold
// numbers.
#include "world/add.h"
#include "world/scenes.h"
#include "undamped.h"

static int number;      // of the case
static double strength; // that it was given

static void isInWords(const vvResult *result)
{
    assert_true(strlen(result->message) > 0 && strlen(result->remedy) > 0);
    assert_null(strstr(result->message, "nan"));
    assert_null(strstr(result->message, "inf m"));
}

static void booksHoldNumbers(vvWorldId world)
{
    vvLedger ledger = vvWorld_GetLedger(world);
    const double books[] = { ledger.kinetic, ledger.elastic,    ledger.gravity, ledger.contact,
                             ledger.added,   ledger.dissipated, ledger.total,   ledger.target };
    for (int i = 0; i < 8; ++i)
    {
        if (!isfinite(books[i]))
            fail_msg("%s, case %d at %g: number %d of the books is %g", vvWorld_GetMethod(world), number, strength, i,
                     books[i]);
    }
}

static void stepOrSay(vvWorldId world, double dt)
{
    booksHoldNumbers(world);
    for (int k = 0; k < 2; ++k)
    {
        vvResult result = vvWorld_Step(world, dt);
        assert_true(result.code == VV_OK || result.code == VV_DIVERGED || (result.code == VV_BAD_INPUT && dt != 1e-3));
        if (result.code != VV_OK)
            isInWords(&result);
        booksHoldNumbers(world);
    }
}

// one number of a definition of every kind, times 10^k; returns whether it was taken
typedef bool (*Case)(vvWorldId world, double value);

static bool made(const vvResult *result)
{
    if (result->code != VV_OK)
        isInWords(result);
    return result->code == VV_OK;
}

static bool bodyOf(vvWorldId world, double size, vvSoftBodyDef def)
{
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.size = (vvVec3){ size, size, size };
    mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = 1;
    vvResult result;
    def.mesh = vvCreateMesh(&mesh, &result);
    if (!made(&result))
        return false;
    vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(def.mesh);
    return made(&result);
}

static bool sized(vvWorldId world, double value)
{
    return bodyOf(world, value, undampedDef());
}

#define BODY_CASE(name, field)                                                                                         \
    static bool name(vvWorldId world, double value)                                                                    \
    {                                                                                                                  \
        vvSoftBodyDef def = undampedDef();                                                                    \
        def.field = value;                                                                                             \
        return bodyOf(world, 1, def);                                                                                  \
    }

BODY_CASE(dense, material.density)
BODY_CASE(stiff, material.young)
BODY_CASE(dragged, damping.mass)
BODY_CASE(viscous, damping.stiffness)
BODY_CASE(calmed, damping.rigidPreserving)
BODY_CASE(hard, contactStiffness)
BODY_CASE(inflated, pressure)
BODY_CASE(shaped, shapeStiffness)

static vvSoftBodyId plainBody(vvWorldId world)
{
    vvSoftBodyId body;
    assert_true(sized(world, 1));
    vvWorld_GetBodies(world, &body, 1);
    return body;
}

static bool attached(vvWorldId world, double value)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = plainBody(world);
    def.target = (vvVec3){ 0, 2, 0 };
    def.stiffness = value;
    vvResult result;
    vvCreateAttachment(world, &def, &result);
    return made(&result);
}

static bool hinged(vvWorldId world, double value)
{
    static const int vertices[4] = { 0, 1, 2, 4 };
    vvHingeDef def = vvDefaultHingeDef();
    def.vertices = vertices;
    def.count = 1;
    def.minAngle = def.maxAngle = 10;
    def.stiffness = value;
    vvResult result = addHinge(plainBody(world), &def);
    return made(&result);
}

static bool handled(vvWorldId world, double value)
{
    vvHandleDef def = vvDefaultHandleDef();
    def.body = plainBody(world);
    def.vertices[0] = 1;
    def.stiffness = value;
    vvResult result;
    vvHandleId handle = vvCreateHandle(world, &def, &result);
    if (made(&result))
        vvHandle_MoveTo(handle, (vvVec3){ 0, 3, 0 });
    return result.code == VV_OK;
}

// ---- what moves a body ----------------------------------------------------------------------------------------------

BODY_CASE(thrown, velocity.x)
BODY_CASE(spun, spin.y)
BODY_CASE(far, position.z)

static bool blown(vvWorldId world, vvWind wind)
{
    plainBody(world);
    vvResult result = vvWorld_SetWind(world, wind);
    return made(&result);
}

static bool blownFast(vvWorldId world, double value)
{
    return blown(world, (vvWind){ { value, 0, 0 }, 1.2, 1 });
}

static bool blownByLead(vvWorldId world, double value)
{
    return blown(world, (vvWind){ { 1, 0, 0 }, value, 1 });
}

static bool blownHard(vvWorldId world, double value)
{
    return blown(world, (vvWind){ { 1, 0, 0 }, 1.2, value });
}

static bool pulled(vvWorldId world, double value)
{
    vvResult result = vvSoftBody_SetForce(plainBody(world), 1, (vvVec3){ value, 0, 0 });
    return made(&result);
}

static bool heavy(vvWorldId world, double value)
{
    plainBody(world);
    vvResult result = vvWorld_SetGravity(world, (vvVec3){ 0, -value, 0 });
    return made(&result);
}

static bool carried(vvWorldId world, double value)
{
    vvSoftBodyId body = plainBody(world);
    int vertex = 0;
    CHECK_OK(vvSoftBody_Pin(body, &vertex, 1));
    vvResult result = vvSoftBody_MovePin(body, 0, (vvVec3){ value, 0, 0 });
    return made(&result);
}

static bool led(vvWorldId world, double value)
{
    vvResult result = vvAttachment_MoveTarget(attachToPoint(world, plainBody(world), 0, 10), (vvVec3){ 0, value, 0 });
    return made(&result);
}

// ---- what it meets --------------------------------------------------------------------------------------------------

static bool met(vvWorldId world, vvShapeDef shape, vvColliderDef def, vvVec3 target)
{
    plainBody(world);
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    if (!made(&result))
        return false;
    vvColliderId collider = vvCreateCollider(world, &def, &result);
    vvDestroyShape(def.shape);
    if (made(&result))
        result = vvCollider_MoveTo(collider, target, (vvQuat){ 1, 0, 0, 0 });
    return made(&result);
}

#define SHAPE_CASE(name, sort, field)                                                                                  \
    static bool name(vvWorldId world, double value)                                                                    \
    {                                                                                                                  \
        vvShapeDef shape = vvDefaultShapeDef();                                                                        \
        shape.kind = sort;                                                                                             \
        shape.field = value;                                                                                           \
        return met(world, shape, vvDefaultColliderDef(), (vvVec3){ 0, 0, 0 });                                         \
    }

SHAPE_CASE(onPlane, VV_SHAPE_PLANE, offset)
SHAPE_CASE(inSphere, VV_SHAPE_SPHERE, radius)
SHAPE_CASE(inBox, VV_SHAPE_BOX, size.x)
SHAPE_CASE(inCapsule, VV_SHAPE_CAPSULE, size.y)
SHAPE_CASE(inThickCapsule, VV_SHAPE_CAPSULE, radius)

#define COLLIDER_CASE(name, field)                                                                                     \
    static bool name(vvWorldId world, double value)                                                                    \
    {                                                                                                                  \
        vvColliderDef def = vvDefaultColliderDef();                                                                    \
        def.field = value;                                                                                             \
        return met(world, vvDefaultShapeDef(), def, def.position);                                                     \
    }

COLLIDER_CASE(onStiff, stiffness)
COLLIDER_CASE(onStiffVertices, vertexStiffness)
COLLIDER_CASE(onRough, friction)
COLLIDER_CASE(inHigh, position.y)

static bool hit(vvWorldId world, double value)
{
    return met(world, vvDefaultShapeDef(), vvDefaultColliderDef(), (vvVec3){ 0, value, 0 });
}

static void everyMagnitude(void **state)
{
    (void)state;
    static const Case cases[] = {
        sized,       dense,     stiff,          dragged, viscous,         calmed,  hard,    inflated,
        shaped,      attached,  hinged,         handled, thrown,          spun,    far,     blownFast,
        blownByLead, blownHard, pulled,         heavy,   carried,         led,     onPlane, inSphere,
        inBox,       inCapsule, inThickCapsule, onStiff, onStiffVertices, onRough, inHigh,  hit
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
    {
        int taken = 0;
        for (int k = -315; k <= 308; k += 7)
        {
            vvWorldId world = makeWorld(vvGetMethodName(((k + 315) / 7 + (int)c * 5) % 33), (vvVec3){ 0, -9.81, 0 });
            vvShapeDef shape = vvDefaultShapeDef();
            vvColliderDef collider = vvDefaultColliderDef();
            collider.shape = vvCreateShape(&shape, NULL);
            collider.position.y = -0.45;
            vvCreateCollider(world, &collider, NULL);
            vvDestroyShape(collider.shape);
            number = (int)c;
            strength = pow(10, k);
            taken += cases[c](world, strength);
            stepOrSay(world, 1e-3);
            vvDestroyWorld(world);
        }
        if (taken < 2 || taken > 60) // nothing is taken in all magnitudes
            fail_msg("case %d took %d of 90 magnitudes", (int)c, taken);
    }
}

// settings of a world, and the length of a step
static void everySetting(void **state)
{
    (void)state;
    for (int k = -315; k <= 308; k += 7)
    {
        strength = pow(10, k);
        for (number = 100; number < 107; ++number)
        {
            vvWorldDef def = vvDefaultWorldDef();
            double *const settings[] = { &def.sleepEnergy,
                                         &def.sleepTime,
                                         &def.settings.stepTolerance,
                                         &def.tolerance,
                                         &def.timestep,
                                         &def.settings.smallSteps.recoverySpeed,
                                         &def.settings.localGlobal.budget };
            *settings[number - 100] = strength;
            static const char *const methods[] = { "small-midpoint", "small-steps", "bdf2", "rk23", "stabilized" };
            def.method = methods[(k + 315) % 5];
            vvResult result;
            vvWorldId world = vvCreateWorld(&def, &result);
            if (made(&result))
            {
                plainBody(world);
                stepOrSay(world, 1e-3);
                vvDestroyWorld(world);
            }
        }
        vvWorldId world = makeWorld(vvGetMethodName((k + 315) / 7 % 33), (vvVec3){ 0, -9.81, 0 });
        int vertex = 0;
        vvSoftBodyId body = plainBody(world);
        CHECK_OK(vvSoftBody_Pin(body, &vertex, 1));
        CHECK_OK(vvSoftBody_MovePin(body, 0, (vvVec3){ 0, 1, 0 }));
        stepOrSay(world, strength);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyMagnitude), cmocka_unit_test(everySetting) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
