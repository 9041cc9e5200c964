// Single elements under small-steps: their forces are all that acts besides weight and what the caller does.
#include "contact/ground.h"
#include "world/add.h"

#include <string.h>

typedef enum Case
{
    SPRINGS,
    SQUARED,
    MEMBRANE,
    SHEET,     // triangles, hinges along the edges, area, limits, shape, a constraint of one's own
    CURVED,    // triangles with mean curvature, limits along fibres
    COROTATED, // and volume, limits
    LINEAR,
    NEO_HOOKEAN,
    CASES,
} Case;

static const char *const models[CASES] = { "spring",   "squared-spring", "membrane", "triangle",
                                           "triangle", "corotated",      "linear",   "stable-neo-hookean" };

#define H (1.0 / 240)
#define MOST 300

// apart by a tenth
static double gap(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    double r = 0;
    for (int a = 0; a < 3; ++a)
        r += (x[3 + a] - x[a]) * (x[3 + a] - x[a]);
    r = sqrt(r);
    for (int a = 0; a < 6; ++a)
        gradient[a] = (a < 3 ? -1 : 1) * (x[3 + a % 3] - x[a % 3]) / r;
    return r - 0.1;
}

static vvSoftBodyId makeCase(vvWorldId world, Case which, double height)
{
    vvSoftBodyDef def = elasticDef(500, which < SHEET ? 1e5 : 3e4, 0.3);
    bool sheet = which < COROTATED;
    def.model = models[which];
    def.material.thickness = 0.02;
    def.position = (vvVec3){ 0, height, 0 };
    def.spin = (vvVec3){ 0.4, 1, -2 };
    def.velocity = (vvVec3){ 0.3, -1, 0 };
    def.bending = which == SHEET || which == CURVED ? 1 : 0;
    def.bendingModel = which == SHEET ? "dihedral" : NULL;
    def.areaStiffness = which == SHEET ? 2e4 : 0;
    def.shapeStiffness = which == SHEET ? 20 : 0;
    def.volumeStiffness = which == COROTATED ? 3e4 : 0;
    if (which == SHEET || which == COROTATED)
        def.strainLimit = (vvStrainLimit){ .min = 0.999, .max = 1.001, .stiffness = 3e4 };
    if (which == CURVED)
        def.strainLimit = (vvStrainLimit){ .min = 0.999,
                                           .max = 1.001,
                                           .stiffness = 3e4,
                                           .direction = { 1, 0, 0.5 },
                                           .acrossMin = 0.99,
                                           .acrossMax = 1.001 };
    vvSoftBodyId body = makeBody(
        world, sheet ? vvCreateSheetMesh(0.4, 0.4, 4, 4) : vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 4, 2, 2), def);
    vvConstraintDef own = vvDefaultConstraintDef();
    own.vertices = (const int[]){ 0, 7, 7, 12 };
    own.count = 2;
    own.corners = 2;
    own.weight = 300;
    own.function = gap;
    if (which == SHEET)
        CHECK_OK(addConstraint(body, &own));
    CHECK_OK(vvSoftBody_KeepForces(body, true));
    return body;
}

static vvWorldId makeGround(int iterations, bool symmetric, bool jacobi)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "small-steps";
    def.substeps = 1;
    def.iterations = iterations;
    def.softContact = true;
    def.settings.smallSteps.symmetric = symmetric;
    def.settings.smallSteps.jacobi = jacobi;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvColliderDef ground = vvDefaultColliderDef();
    ground.restitution = 0;
    makeCollider(world, planeShape(), ground);
    return world;
}

// what all elements do to the vertices of a body; returns the sizes of single forces, summed
static double addForces(vvSoftBodyId body, double *sum, int *kinds)
{
    double size = 0;
    memset(sum, 0, (size_t)vvSoftBody_GetVertexCount(body) * 3 * sizeof(double));
    *kinds = 0;
    for (int set = 0; set < vvSoftBody_GetElementSetCount(body); ++set)
    {
        double own = 0;
        for (int e = 0; e < vvSoftBody_GetElementCount(body, set); ++e)
        {
            vvElement element;
            CHECK_OK(vvSoftBody_GetElement(body, set, e, &element));
            for (int k = 0; k < element.vertexCount; ++k)
            {
                const double f[3] = { element.force[k].x, element.force[k].y, element.force[k].z };
                for (int a = 0; a < 3 && element.vertex[k] >= 0; ++a)
                {
                    sum[3 * element.vertex[k] + a] += f[a];
                    own += fabs(f[a]);
                }
            }
        }
        size += own;
        *kinds += own > 0;
    }
    return size;
}

// of a step of one substep: m (v' - v) / h = m g + forces, at free vertices
static void forcesAreAllThatActs(void **state)
{
    (void)state;
    for (int i = 0; i < CASES * 4; ++i)
    {
        Case which = (Case)(i % CASES);
        vvWorldId world = makeGround(i < CASES ? 1 : 3, i / CASES == 2, i / CASES == 3);
        vvSoftBodyId body[2] = { makeCase(world, which, 0.25), makeCase(world, which, 0.4) };
        attachToPoint(world, body[0], 3, 500);
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = body[0];
        link.bodyB = body[1];
        link.vertexA = 4;
        link.vertexB = 9;
        link.restLength = 0.3;
        link.stiffness = 200;
        vvResult result;
        vvCreateAttachment(world, &link, &result);
        CHECK_OK(result);
        CHECK_OK(vvSoftBody_Pin(body[1], (const int[]){ 0 }, 1));
        double worst = 0;
        int most = 0;
        for (int n = 0; n < 60; ++n)
        {
            double before[2][3 * MOST], force[3 * MOST];
            int kinds, count = vvSoftBody_GetVertexCount(body[0]);
            assert_true(count <= MOST);
            for (int b = 0; b < 2; ++b)
                memcpy(before[b], vvSoftBody_GetVelocities(body[b]), (size_t)count * 3 * sizeof(double));
            CHECK_OK(vvWorld_Step(world, H));
            for (int b = 0; b < 2; ++b)
            {
                const double *v = vvSoftBody_GetVelocities(body[b]), *mass = vvSoftBody_GetMasses(body[b]);
                double size = addForces(body[b], force, &kinds) / count;
                most = kinds > most ? kinds : most;
                for (int k = b == 1 ? 3 : 0; k < 3 * count; ++k)
                {
                    double a = (v[k] - before[b][k]) / H + (k % 3 == 1 ? 9.81 : 0);
                    worst = fmax(worst, fabs(mass[k / 3] * a - force[k]) / (size + mass[k / 3] * 9.81));
                }
            }
        }
        print_message("%s, %d: %d sets act, off %.2e of the mean force\n", models[which], i / CASES, most, worst);
        // the material, what it has besides; attachment, contact, spring and contact to the other
        assert_int_equal(most, which == SHEET ? 10 : which == CURVED || which == COROTATED ? 7 : 5);
        // rounding of positions of 1 m is m 6e-12 N, over h^2; weights are 10 m. Curved ones would
        // cross in a sweep, and planes stop them
        CHECK_BELOW(worst, which == CURVED ? 0.1 : 1e-11);
        vvDestroyWorld(world);
    }
}

// multipliers of a rope are its tensions, and an element without a sweep has none
static void multipliersAreTensions(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-steps", (vvVec3){ 10, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0);
    def.material.thickness = 0.02;
    def.damping.mass = 10;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(0.4, 4), def);
    CHECK_OK(vvSoftBody_Pin(rope, (const int[]){ 0 }, 1));
    CHECK_OK(vvSoftBody_KeepForces(rope, true));
    for (int n = 0; n < 300; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    double weight = 0;
    for (int v = 1; v < 5; ++v)
        weight += 10 * vvSoftBody_GetMasses(rope)[v];
    vvElement element;
    assert_int_equal(vvSoftBody_GetElementSetCount(rope), 1);
    assert_int_equal(vvSoftBody_GetElementCount(rope, 0), 4);
    CHECK_OK(vvSoftBody_GetElement(rope, 0, 0, &element));
    assert_string_equal(element.kind, "spring");
    assert_int_equal(element.vertexCount, 2);
    assert_int_equal(element.multiplierCount, 1);
    CHECK_CLOSE(-element.multiplier[0], weight, 1e-6);
    CHECK_CLOSE(-element.force[element.vertex[0] == 1 ? 0 : 1].x, weight, 1e-6);
    // let go, they are forgotten
    CHECK_OK(vvSoftBody_KeepForces(rope, false));
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    CHECK_OK(vvSoftBody_GetElement(rope, 0, 0, &element));
    assert_true(element.force[0].x == 0 && element.force[1].x == 0);
    CHECK_CLOSE(-element.multiplier[0], weight, 1e-6);
    // mistakes
    assert_int_equal(vvSoftBody_GetElementCount(rope, 1), -1);
    assert_int_equal(vvSoftBody_GetElement(rope, 1, 0, &element).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_GetElement(rope, 0, 4, &element).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_GetElement(rope, 0, 0, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_GetElement((vvSoftBodyId){ 0 }, 0, 0, &element).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_KeepForces((vvSoftBodyId){ 0 }, true).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_GetElementSetCount((vvSoftBodyId){ 0 }), 0);
    vvDestroyWorld(world);
}

// what is remembered changes no run
static void keepingChangesNothing(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeGround(1, false, false);
        vvSoftBodyId body = makeCase(world, SHEET, 0.2);
        CHECK_OK(vvSoftBody_KeepForces(body, k == 1));
        for (int n = 0; n < 30; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        hash[k] = vvWorld_GetHash(world);
        vvDestroyWorld(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forcesAreAllThatActs),
        cmocka_unit_test(multipliersAreTensions),
        cmocka_unit_test(keepingChangesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
