// Every constraint under every method: it pulls the way its force says, from the first step on, and takes what it says.
#include "world/add.h"
#include "methods.h"
#include "world/scenes.h"

#define STEP 1e-3
#define MOST 64

typedef enum Constraint
{
    MEAN_BENDING,
    DIHEDRAL_BENDING,
    TRIANGLE_LIMIT,
    AREA,
    EDGE_LIMIT,
    TET_LIMIT,
    VOLUME,
    SHAPE,
    PRESSURE,
    EXAMPLES,
    OWN,
    CONSTRAINT_COUNT,
} Constraint;

static double example[3 * MOST];

static vvMesh *meshOf(Constraint which)
{
    if (which <= AREA)
        return vvCreateSheetMesh(0.4, 0.4, 3, 3);
    return which == EDGE_LIMIT ? vvCreateRopeMesh(0.4, 4) : vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, 2, 1, 1);
}

// soft, so that a step of a millisecond hardly changes the force
static vvSoftBodyDef defOf(Constraint which)
{
    static const double *const examples[] = { example };
    vvSoftBodyDef def = elasticDef(1000, 1e3, 0.3);
    def.material.thickness = 0.02;
    def.bending = which <= DIHEDRAL_BENDING ? 20 : 0;
    def.bendingModel = which == DIHEDRAL_BENDING ? "dihedral" : NULL;
    if (which == TRIANGLE_LIMIT || which == EDGE_LIMIT || which == TET_LIMIT)
        def.strainLimit = (vvStrainLimit){ .min = 0.99, .max = 1.01, .stiffness = 1e4 };
    def.areaStiffness = which == AREA ? 1e4 : 0;
    def.volumeStiffness = which == VOLUME ? 1e4 : 0;
    def.shapeStiffness = which == SHAPE ? 1000 : 0;
    def.pressure = which == PRESSURE ? 500 : 0;
    def.examples = which == EXAMPLES ? examples : NULL;
    def.exampleCount = which == EXAMPLES;
    def.exampleStiffness = which == EXAMPLES ? 1e4 : 0;
    return def;
}

// a length of 0.1 m
static void toLength(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    double length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int a = 0; a < 3; ++a)
        p[a] = 0.1 / length * z[a];
}

// stretched by a fifth along x, and curved upwards
static void deform(vvSoftBodyId body, double *x)
{
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= MOST);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    for (int v = 0; v < count; ++v)
    {
        x[3 * v] *= 1.2;
        x[3 * v + 1] += x[3 * v] * x[3 * v];
    }
}

typedef struct Look
{
    double force[3 * MOST], velocity[3 * MOST], mass[MOST];
    int count;
} Look;

static Look look(const char *method, Constraint which, bool constrained)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = constrained ? defOf(which) : defOf(OWN);
    vvSoftBodyId body = makeBody(world, meshOf(which), def);
    if (which == OWN && constrained)
    {
        static const int ends[2] = { 0, 5 };
        static const double difference[2] = { -1, 1 };
        vvConstraintDef own = vvDefaultConstraintDef();
        own.vertices = ends;
        own.count = own.rows = 1;
        own.corners = 2;
        own.matrix = difference;
        own.weight = 200;
        own.project = toLength;
        CHECK_OK(addConstraint(body, &own));
    }
    Look out = { .count = vvSoftBody_GetVertexCount(body) };
    double x[3 * MOST];
    deform(body, x);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_CopyForces(body, out.force));
    CHECK_OK(vvWorld_Step(world, STEP));
    memcpy(out.velocity, vvSoftBody_GetVelocities(body), (size_t)out.count * 3 * sizeof(double));
    memcpy(out.mass, vvSoftBody_GetMasses(body), (size_t)out.count * sizeof(double));
    vvDestroyWorld(world);
    return out;
}

// impulse of the constraint alone, against its force over the step
static void checkPull(const char *method, Constraint which)
{
    Look with = look(method, which, true), without = look(method, which, false);
    double product = 0, impulses = 0, forces = 0;
    for (int i = 0; i < 3 * with.count; ++i)
    {
        double impulse = with.mass[i / 3] * (with.velocity[i] - without.velocity[i]);
        double force = STEP * (with.force[i] - without.force[i]);
        product += impulse * force;
        impulses += impulse * impulse;
        forces += force * force;
    }
    assert_true(forces > 0);
    // the force turns and weakens by some percent within the step; methods that meet the energy by force change
    // velocities by up to a third
    double cosine = product / sqrt(impulses * forces), length = sqrt(impulses / forces);
    if (strcmp(method, "pbd") == 0)
        return; // it acts, but asks no stiffness
    if (!(cosine > 0.95) || !(length > 0.7 && length < 1.4))
        fail_msg("%s, constraint %d: cosine %g, length %g", method, (int)which, cosine, length);
}

static void everyConstraintActsUnderEveryMethod(void **state)
{
    (void)state;
    vvMesh *mesh = meshOf(EXAMPLES);
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(mesh); ++i)
        example[i] = vvMesh_GetPoints(mesh)[i] * (i % 3 == 0 ? 1.3 : 0.9);
    vvDestroyMesh(mesh);
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        for (int which = 0; which < CONSTRAINT_COUNT; ++which)
        {
            bool refused = which == SHAPE && strcmp(vvGetMethodName(m), "linear-implicit-euler") == 0;
            if (!refused)
                checkPull(vvGetMethodName(m), (Constraint)which);
        }
    }
}

// one step of Newton's method would slow rigid motion by shape matching: refused, whichever comes first
static void shapesAreRefusedWhereTheyWouldDrag(void **state)
{
    (void)state;
    vvSoftBodyDef def = defOf(SHAPE);
    vvWorldId world = makeWorld("linear-implicit-euler", (vvVec3){ 0, 0, 0 });
    vvResult result;
    def.mesh = meshOf(SHAPE);
    vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "linear-implicit-euler"));
    CHECK_OK(vvWorld_SetMethod(world, "backward-euler"));
    makeBody(world, def.mesh, def);
    assert_int_equal(vvWorld_SetMethod(world, "linear-implicit-euler").code, VV_BAD_INPUT);
    assert_string_equal(vvWorld_GetMethod(world), "backward-euler");
    vvDestroyWorld(world);
}

// A stiff constraint, swept or not (then substeps of small-steps resolve it by their own rule): half a second later the
// body has no more energy.
static void stiffConstraintsStayStableUnderSmallSteps(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("small-steps", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = defOf(k == 0 ? VOLUME : EXAMPLES);
        // 55 m/s over cells of 0.1 m: 5000 rad/s, some hundred substeps of 1/60 s
        *(k == 0 ? &def.volumeStiffness : &def.exampleStiffness) = 3e6;
        vvSoftBodyId body = makeBody(world, meshOf(VOLUME), def);
        double x[3 * MOST];
        deform(body, x);
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        vvLedger before = vvWorld_GetLedger(world);
        for (int n = 0; n < 30; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_BELOW(after.total, 1.05 * before.total);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyConstraintActsUnderEveryMethod),
        cmocka_unit_test(shapesAreRefusedWhereTheyWouldDrag),
        cmocka_unit_test(stiffConstraintsStayStableUnderSmallSteps),
    };
    return cmocka_run_group_tests_name("constraints under methods", tests, NULL, NULL);
}
