// Sizes and strengths of any magnitude: refused in words, or the books hold numbers.
#include "world/scenes.h"

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

static void stepOrSay(vvWorldId world)
{
    booksHoldNumbers(world);
    vvResult result = vvWorld_Step(world, 1e-3);
    assert_true(result.code == VV_OK || result.code == VV_DIVERGED);
    booksHoldNumbers(world);
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
    return bodyOf(world, value, vvDefaultSoftBodyDef());
}

#define BODY_CASE(name, field)                                                                                         \
    static bool name(vvWorldId world, double value)                                                                    \
    {                                                                                                                  \
        vvSoftBodyDef def = vvDefaultSoftBodyDef();                                                                    \
        def.field = value;                                                                                             \
        return bodyOf(world, 1, def);                                                                                  \
    }

BODY_CASE(dense, material.density)
BODY_CASE(stiff, material.young)
BODY_CASE(dragged, massDamping)
BODY_CASE(viscous, stiffnessDamping)
BODY_CASE(calmed, rigidDamping)
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
    vvResult result = vvSoftBody_AddHinge(plainBody(world), &def);
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

static void everyMagnitude(void **state)
{
    (void)state;
    static const Case cases[] = { sized, dense,    stiff,  dragged,  viscous, calmed,
                                  hard,  inflated, shaped, attached, hinged,  handled };
    static const char *const methods[] = { "small-midpoint", "backward-euler", "symplectic-euler" };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
    {
        int taken = 0;
        for (int k = -315; k <= 308; k += 7)
        {
            vvWorldId world = makeWorld(methods[(k + 315) % 3], (vvVec3){ 0, -9.81, 0 });
            vvShapeDef shape = vvDefaultShapeDef();
            vvColliderDef collider = vvDefaultColliderDef();
            collider.shape = vvCreateShape(&shape, NULL);
            collider.position.y = -0.45;
            vvCreateCollider(world, &collider, NULL);
            vvDestroyShape(collider.shape);
            number = (int)c;
            strength = pow(10, k);
            taken += cases[c](world, strength);
            stepOrSay(world);
            vvDestroyWorld(world);
        }
        if (taken < 2 || taken > 60)
            fail_msg("case %d took %d of 90 magnitudes", (int)c, taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyMagnitude) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
