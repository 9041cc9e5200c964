// Limits of where vertices may be: tethers to pins, the farthest from a skin, backstops.
#include "check.h"
#include "contact/reach.h"
#include "world/scenes.h"
#include "undamped.h"

#include <stdlib.h>

#define DT (1.0 / 60)
#define HELD 1.1e-3 // of a limit: what small-midpoint leaves beyond it

typedef struct Cloth
{
    vvWorldId world;
    vvMesh *mesh;
    vvSoftBodyId body;
    int count, pinCount;
    int pin[64];
    double *rest; // count x 3
} Cloth;

static void check(vvResult result)
{
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
}

static Cloth makeCloth(const char *method, int substeps, vvMesh *mesh, double young, bool (*pinned)(const double *rest))
{
    Cloth cloth = { .mesh = mesh };
    vvWorldDef def = vvDefaultWorldDef();
    vvSoftBodyDef body = undampedDef();
    vvResult result;
    def.method = method;
    def.substeps = substeps;
    cloth.world = vvCreateWorld(&def, &result);
    check(result);
    body.mesh = mesh;
    body.model = vvMesh_GetSurfaceCount(mesh) > 0 ? "triangle" : "spring";
    body.material.young = young;
    body.material.density = 300;
    body.material.thickness = 0.001;
    cloth.body = vvCreateSoftBody(cloth.world, &body, &result);
    check(result);
    cloth.count = vvSoftBody_GetVertexCount(cloth.body);
    cloth.rest = malloc((size_t)cloth.count * 3 * sizeof(double));
    memcpy(cloth.rest, vvSoftBody_GetPositions(cloth.body), (size_t)cloth.count * 3 * sizeof(double));
    for (int v = 0; v < cloth.count && pinned != NULL; ++v)
    {
        if (pinned(cloth.rest + 3 * v))
            cloth.pin[cloth.pinCount++] = v;
    }
    if (cloth.pinCount > 0)
        check(vvSoftBody_Pin(cloth.body, cloth.pin, cloth.pinCount));
    return cloth;
}

static void freeCloth(Cloth *cloth)
{
    vvDestroyWorld(cloth->world);
    vvDestroyMesh(cloth->mesh);
    free(cloth->rest);
}

static bool oneRow(const double *rest)
{
    return rest[2] < -0.499;
}

static bool oneCorner(const double *rest)
{
    return rest[2] < -0.499 && rest[0] < -0.499;
}

static bool firstVertex(const double *rest)
{
    return rest[0] < -0.499;
}

static double away(const double *a, const double *b)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c)
        sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sqrt(sum);
}

// ---- tethers --------------------------------------------------------------------------------------------------------

// Of sheets by one row the pin above a vertex is nearest, of one pin that: at rest its distance along the edges is at
// most the sum of the coordinates of the way. Returns how far beyond the limit the worst is, over its limit.
static double beyond(const Cloth *cloth, double scale)
{
    const double *x = vvSoftBody_GetPositions(cloth->body);
    double worst = -1;
    for (int v = 0; v < cloth->count; ++v)
    {
        double limit = INFINITY, now = INFINITY;
        for (int i = 0; i < cloth->pinCount; ++i)
        {
            const double *a = cloth->rest + 3 * v, *b = cloth->rest + 3 * cloth->pin[i];
            double along = fabs(a[0] - b[0]) + fabs(a[2] - b[2]);
            if (along < limit)
            {
                limit = along;
                now = away(x + 3 * v, x + 3 * cloth->pin[i]);
            }
        }
        if (limit > 0)
            worst = maxReal(worst, now / (scale * limit) - 1);
    }
    return worst;
}

static void movePins(const Cloth *cloth, double by)
{
    for (int i = 0; i < cloth->pinCount; ++i)
    {
        const double *p = cloth->rest + 3 * cloth->pin[i];
        check(vvSoftBody_MovePin(cloth->body, cloth->pin[i], (vvVec3){ p[0] + by, p[1], p[2] }));
    }
}

// Soft cloths and ropes that fall and are shaken: never beyond their tethers, and no energy comes from them.
static void testTethers(void **state)
{
    (void)state;
    static const struct
    {
        const char *method;
        double most; // of a limit
    } rows[] = { { "small-midpoint", HELD }, { "small-steps", 1e-12 }, { "pbd", 1e-12 }, { "backward-euler", 0.05 } };
    for (int k = 0; k < 4 * 3; ++k)
    {
        bool (*const pins[])(const double *) = { oneRow, oneCorner, firstVertex };
        vvMesh *mesh = k % 3 == 2 ? vvCreateRopeMesh(1, 12) : vvCreateSheetMesh(1, 1, 8, 8);
        Cloth cloth = makeCloth(rows[k / 3].method, 0, mesh, k % 3 == 2 ? 1e5 : 3e3, pins[k % 3]);
        vvTetherDef def = vvDefaultTetherDef();
        vvResult result;
        double gained = 0, scale = 0;
        def.scale = 1.03;
        vvCreateTethers(cloth.body, &def, &result);
        check(result);
        for (int frame = 0; frame < 60; ++frame)
        {
            movePins(&cloth, frame < 20 ? 0 : 0.1 * sin(0.3 * (frame - 20)));
            check(vvWorld_Step(cloth.world, DT));
            vvLedger ledger = vvWorld_GetLedger(cloth.world);
            gained = maxReal(gained, ledger.numerical);
            scale = maxReal(scale, ledger.kinetic + ledger.elastic + fabs(ledger.gravity));
            CHECK_BELOW(beyond(&cloth, def.scale), rows[k / 3].most);
        }
        CHECK_BELOW(gained, 0.02 * scale);
        freeCloth(&cloth);
    }
}

// With two substeps a soft cloth hangs down to 1.4 of its length; with tethers not.
static void testFewSubsteps(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps" };
    for (int k = 0; k < 4; ++k)
    {
        Cloth cloth = makeCloth(methods[k / 2], 2, vvCreateSheetMesh(1, 1, 8, 8), 1e4, oneRow);
        vvTetherDef def = vvDefaultTetherDef();
        if (k % 2 == 1)
            vvCreateTethers(cloth.body, &def, NULL);
        double worst = 0;
        for (int frame = 0; frame < 90; ++frame)
        {
            check(vvWorld_Step(cloth.world, DT));
            worst = maxReal(worst, beyond(&cloth, 1));
        }
        if (k % 2 == 1)
            CHECK_BELOW(worst, HELD);
        else
            assert_true(worst > 0.2);
        freeCloth(&cloth);
    }
}

// Slack tethers, and those of pins that were released, change nothing: the body keeps its momentum.
static void testSlack(void **state)
{
    (void)state;
    Cloth cloth[2];
    for (int k = 0; k < 2; ++k)
    {
        cloth[k] = makeCloth("small-midpoint", 0, vvCreateSheetMesh(1, 1, 6, 6), 1e5, oneRow);
        vvTetherDef def = vvDefaultTetherDef();
        def.scale = 3;
        if (k == 1)
            vvCreateTethers(cloth[k].body, &def, NULL);
    }
    for (int frame = 0; frame < 40; ++frame)
    {
        for (int k = 0; k < 2; ++k)
        {
            if (frame == 20)
                check(vvSoftBody_Unpin(cloth[k].body, cloth[k].pin, cloth[k].pinCount));
            check(vvWorld_Step(cloth[k].world, DT));
        }
        vvVec3 a = vvWorld_GetLedger(cloth[0].world).momentum, b = vvWorld_GetLedger(cloth[1].world).momentum;
        CHECK_NEAR(away(&a.x, &b.x), 0, 1e-12);
    }
    freeCloth(&cloth[0]);
    freeCloth(&cloth[1]);
}

// ---- skins ----------------------------------------------------------------------------------------------------------

// A sheet that follows a turning one at random distances, with backstops: all limits hold, where they are at the end of
// the step, and the work of the skin is booked.
static void testSkin(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps" };
    for (int k = 0; k < 4; ++k)
    {
        Cloth cloth = makeCloth(methods[k / 2], 0, vvCreateSheetMesh(1, 1, 6, 6), 1e4, NULL);
        TestRandom random = { 7 };
        size_t count = (size_t)cloth.count;
        double *far = malloc(count * sizeof *far), *behind = malloc(count * sizeof *behind);
        double *target = malloc(3 * count * sizeof *target), ball = k % 2 == 0 ? 0 : 0.3, gained = 0, scale = 0;
        for (size_t v = 0; v < count; ++v)
        {
            far[v] = v % 5 == 0 ? INFINITY : randomBetween(&random, 0.02, 0.2);
            behind[v] = v % 3 == 0 ? INFINITY : randomBetween(&random, 0, 0.05);
        }
        vvSkinDef def = vvDefaultSkinDef();
        vvResult result;
        def.maxDistances = far;
        def.backstopDistances = behind;
        def.backstopRadius = ball;
        vvConstraintId skin = vvCreateSkin(cloth.body, &def, &result);
        check(result);
        for (int frame = 1; frame <= 60; ++frame)
        {
            double sine = sin(0.03 * frame), cosine = cos(0.03 * frame);
            for (size_t v = 0; v < count; ++v)
            {
                const double *p = cloth.rest + 3 * v;
                target[3 * v] = p[0] + 0.2 * sin(0.2 * frame);
                target[3 * v + 1] = cosine * p[1] - sine * p[2];
                target[3 * v + 2] = sine * p[1] + cosine * p[2];
            }
            check(vvConstraint_MoveSkin(skin, target));
            check(vvWorld_Step(cloth.world, DT));
            vvLedger ledger = vvWorld_GetLedger(cloth.world);
            gained = maxReal(gained, ledger.numerical);
            scale = maxReal(scale, ledger.kinetic + ledger.elastic + fabs(ledger.gravity));
            const double *x = vvSoftBody_GetPositions(cloth.body);
            for (size_t v = 0; v < count; ++v)
            {
                const double *a = x + 3 * v, *t = target + 3 * v, normal[3] = { 0, cosine, sine };
                if (isfinite(far[v]))
                    CHECK_BELOW(away(a, t), far[v] * (1 + HELD) + 1e-9);
                double high = 0, middle[3];
                for (int c = 0; c < 3; ++c)
                {
                    high += normal[c] * (a[c] - t[c]);
                    middle[c] = t[c] - (behind[v] + ball) * normal[c];
                }
                if (isfinite(behind[v]))
                    CHECK_BELOW(-(ball > 0 ? away(a, middle) - ball : high + behind[v]), HELD * ball + 1e-9);
            }
        }
        CHECK_BELOW(gained, 0.02 * scale);
        assert_true(vvWorld_GetLedger(cloth.world).added > 0);
        free(far);
        free(behind);
        free(target);
        freeCloth(&cloth);
    }
}

// ---- states and refusals --------------------------------------------------------------------------------------------

static void testState(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler" };
    for (int k = 0; k < 3; ++k)
    {
        Cloth cloth = makeCloth(methods[k], 0, vvCreateSheetMesh(1, 1, 6, 6), 3e3, oneRow);
        vvTetherDef def = vvDefaultTetherDef();
        vvCreateTethers(cloth.body, &def, NULL);
        size_t size = vvWorld_GetStateSize(cloth.world);
        void *bytes = malloc(size);
        check(vvWorld_SaveState(cloth.world, bytes, size)); // before the first step
        check(vvWorld_RestoreState(cloth.world, bytes, size));
        CHECK_NEAR(vvWorld_GetLedger(cloth.world).numerical, 0, 1e-12);
        for (int frame = 0; frame < 20; ++frame)
            check(vvWorld_Step(cloth.world, DT));
        check(vvWorld_SaveState(cloth.world, bytes, size));
        // into a world that was built again
        Cloth other = makeCloth(methods[k], 0, vvCreateSheetMesh(1, 1, 6, 6), 3e3, oneRow);
        vvCreateTethers(other.body, &def, NULL);
        check(vvWorld_RestoreState(other.world, bytes, size));
        vvLedger want = vvWorld_GetLedger(cloth.world), found = vvWorld_GetLedger(other.world);
        CHECK_NEAR(found.total, want.total, 1e-12 * fabs(want.total));
        CHECK_NEAR(found.numerical, want.numerical, 1e-12 * fabs(want.total));
        for (int frame = 0; frame < 5; ++frame)
        {
            check(vvWorld_Step(cloth.world, DT));
            check(vvWorld_Step(other.world, DT));
        }
        assert_true(vvWorld_GetHash(cloth.world) == vvWorld_GetHash(other.world));
        freeCloth(&other);
        free(bytes);
        freeCloth(&cloth);
    }
}

static void refuses(vvResult result, const char *word)
{
    assert_int_equal(result.code, VV_BAD_INPUT);
    if (strstr(result.message, word) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, word);
}

static void testRefusals(void **state)
{
    (void)state;
    Cloth cloth = makeCloth("small-midpoint", 0, vvCreateSheetMesh(1, 1, 2, 2), 1e4, NULL);
    vvTetherDef tether = vvDefaultTetherDef();
    vvSkinDef skin = vvDefaultSkinDef();
    vvResult result;
    vvCreateTethers(cloth.body, &tether, &result);
    refuses(result, "no pins");
    tether.scale = 0.9;
    vvCreateTethers(cloth.body, &tether, &result);
    refuses(result, "0.9");
    vvCreateSkin(cloth.body, &skin, &result);
    refuses(result, "limits no vertex");
    double far[9] = { 1, 1, 1, -1, 1, 1, 1, 1, 1 };
    skin.maxDistances = far;
    vvCreateSkin(cloth.body, &skin, &result);
    refuses(result, "vertex 3 is -1");
    far[3] = 1;
    vvConstraintId id = vvCreateSkin(cloth.body, &skin, &result);
    check(result);
    far[0] = NAN;
    refuses(vvConstraint_MoveSkin(id, NULL), "NULL");
    assert_true(vvConstraint_IsValid(id));
    vvDestroyConstraint(id);
    assert_int_equal(vvConstraint_MoveSkin(id, cloth.rest).code, VV_BAD_ID);
    check(vvWorld_Step(cloth.world, DT));
    freeCloth(&cloth);
}

// ---- the potential --------------------------------------------------------------------------------------------------

// slopes and second derivatives against differences, and the projection
static void testPotential(void **state)
{
    (void)state;
    TestRandom random = { 11 };
    Memory memory = memoryMake(NULL);
    for (int k = 0; k < 60; ++k)
    {
        const int vertex[1] = { 0 };
        const ReachForm form[1] = { (ReachForm)(k % 3) };
        const double radius[1] = { k % 3 == REACH_AGAINST ? 0 : randomBetween(&random, 0.3, 0.6) },
                     stiffness[1] = { 50 };
        Energy *energy = reachCreate(&memory, 1, 1, vertex, form, radius, stiffness);
        double x[3], still[3] = { 0, 0, 0 };
        unsigned char free1[1] = { 0 };
        for (int c = 0; c < 3; ++c)
            x[c] = randomBetween(&random, -1, 1);
        reachSend(energy, 0, vec3(0.1, 0.2, -0.1), vec3(0, 0.6, 0.8));
        reachArrive(energy);
        ReachView view = { .position = x, .velocity = still, .pinned = free1, .h = 10, .gravity = { 0, -10, 0 } };
        assert_int_equal(reachSearch(energy, &view), 1);
        double slope[3] = { 0, 0, 0 }, hessian[9 * LANES], right[3] = { 0, 0, 0 };
        energyAddGradient(energy, x, slope);
        energyAddProjection(energy, x, right);
        energy->kind->hessian(energy, x, 0, HESSIAN_EXACT, hessian);
        for (int c = 0; c < 3; ++c)
        {
            double there[2][3], two[2][3] = { { 0 } }, value[2];
            for (int side = 0; side < 2; ++side)
            {
                memcpy(there[side], x, sizeof x);
                there[side][c] += side == 0 ? -1e-6 : 1e-6;
                value[side] = energyValue(energy, there[side]);
                energyAddGradient(energy, there[side], two[side]);
            }
            CHECK_NEAR(slope[c], (value[1] - value[0]) / 2e-6, 1e-6);
            CHECK_NEAR(50 * x[c] - right[c], slope[c], 1e-9);
            for (int a = 0; a < 3; ++a)
                CHECK_NEAR(hessian[3 * c + a], (two[1][a] - two[0][a]) / 2e-6, 1e-5);
        }
        energyDestroy(energy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTethers),   cmocka_unit_test(testFewSubsteps), cmocka_unit_test(testSlack),
        cmocka_unit_test(testSkin),      cmocka_unit_test(testState),       cmocka_unit_test(testRefusals),
        cmocka_unit_test(testPotential),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
