// Names, the list of bodies, and what a body feels: forces, energy densities, stretches. Asking never changes a run.
#include "scenes.h"
#include "undamped.h"

#include <stdlib.h>

static const vvVec3 GRAVITY = { 0, -9.81, 0 };

// ---- names and the list ---------------------------------------------------------------------------------------------

static vvSoftBodyId makeNamed(vvWorldId world, const char *name)
{
    vvSoftBodyDef def = undampedDef();
    def.name = name;
    return makeBody(world, vvCreateRopeMesh(1, 2), def);
}

static void namesAreCopied(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", GRAVITY);
    char name[VV_MAX_NAME + 2] = "left hand";
    vvSoftBodyId first = makeNamed(world, NULL), second = makeNamed(world, name), third = makeNamed(world, NULL);
    strcpy(name, "something else");
    assert_string_equal(vvSoftBody_GetName(first), "body0");
    assert_string_equal(vvSoftBody_GetName(second), "left hand");
    assert_string_equal(vvSoftBody_GetName(third), "body2");

    // the longest name that fits, and one byte more
    memset(name, 'n', VV_MAX_NAME);
    name[VV_MAX_NAME] = 0;
    assert_string_equal(vvSoftBody_GetName(makeNamed(world, name)), name);
    strcat(name, "n");
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateRopeMesh(1, 2);
    def.name = name;
    vvResult result;
    assert_false(vvSoftBody_IsValid(vvCreateSoftBody(world, &def, &result)));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "64"));
    assert_int_equal(vvWorld_GetBodies(world, NULL, 0), 4);
    vvDestroyMesh(def.mesh);
    vvDestroySoftBody(first);
    assert_string_equal(vvSoftBody_GetName(first), "");
    vvDestroyWorld(world);
}

static void bodiesAreListedInTheOrderOfCreation(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", GRAVITY);
    vvSoftBodyId made[4], list[5];
    for (int i = 0; i < 3; ++i)
        made[i] = makeNamed(world, NULL);
    vvDestroySoftBody(made[0]);
    made[3] = makeNamed(world, NULL); // in the slot of the first
    assert_int_equal(made[3].index1, made[0].index1);
    assert_string_equal(vvSoftBody_GetName(made[3]), "body3");
    assert_int_equal(vvWorld_GetBodies(world, list, 5), 3);
    assert_memory_equal(list, made + 1, 3 * sizeof list[0]);

    // room for two
    memset(list, 0, sizeof list);
    assert_int_equal(vvWorld_GetBodies(world, list, 2), 3);
    assert_memory_equal(list, made + 1, 2 * sizeof list[0]);
    assert_int_equal(list[2].index1, 0);
    assert_int_equal(vvWorld_GetBodies(world, NULL, 7), 3);

    // the last, one in the middle, all
    vvDestroySoftBody(made[3]);
    vvDestroySoftBody(made[1]);
    assert_int_equal(vvWorld_GetBodies(world, list, 5), 1);
    assert_memory_equal(list, made + 2, sizeof list[0]);
    vvDestroySoftBody(made[2]);
    assert_int_equal(vvWorld_GetBodies(world, list, 5), 0);
    made[0] = makeNamed(world, NULL);
    assert_int_equal(vvWorld_GetBodies(world, list, 5), 1);
    vvDestroyWorld(world);
    assert_int_equal(vvWorld_GetBodies(world, list, 5), 0);
}

static void divergenceNamesTheBody(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("symplectic-euler", GRAVITY);
    vvSoftBodyDef def = undampedDef();
    def.name = "the bar";
    def.spin = (vvVec3){ 0, 0, 1 };
    makeBody(world, vvCreateBarMesh(1, 0.2, 4, 1), def);
    vvResult result = { .code = VV_OK };
    for (int i = 0; i < 200 && result.code == VV_OK; ++i)
        result = vvWorld_Step(world, 0.1);
    assert_int_equal(result.code, VV_DIVERGED);
    assert_non_null(strstr(result.message, "of the bar went to"));
    vvDestroyWorld(world);
}

// ---- a scene with every energy --------------------------------------------------------------------------------------

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body[3]; // corotated box, spring sheet, squared-spring bar; the first two are linked
} Scene;

static Scene makeScene(const char *method, const char *solver)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = solver;
    Scene scene = { .world = vvCreateWorld(&worldDef, NULL) };
    vvSoftBodyDef def = elasticDef(1000, 1e4, 0.3);
    def.damping.mass = 0.5;
    def.spin = (vvVec3){ 1, 2, 3 };
    scene.body[0] = makeBody(scene.world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
    def = undampedDef();
    def.material = vvMaterial_Cotton();
    def.material.young = 1e5;
    def.position = (vvVec3){ 0, 2, 0 };
    scene.body[1] = makeBody(scene.world, vvCreateSheetMesh(1, 1, 3, 3), def);
    def = elasticDef(1000, 1e4, 0.3);
    def.model = "squared-spring";
    def.position = (vvVec3){ 3, 0, 0 };
    scene.body[2] = makeBody(scene.world, vvCreateBarMesh(1, 0.3, 3, 1), def);
    int pins[2] = { 0, 3 };
    CHECK_OK(vvSoftBody_Pin(scene.body[1], pins, 2));
    CHECK_OK(vvSoftBody_SetForce(scene.body[2], 5, (vvVec3){ 1, 2, -3 }));
    attachToPoint(scene.world, scene.body[0], 4, 200);
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = scene.body[0];
    link.vertexA = 8;
    link.bodyB = scene.body[1];
    link.vertexB = 9;
    link.stiffness = 5;
    link.restLength = 0.5;
    assert_true(vvAttachment_IsValid(vvCreateAttachment(scene.world, &link, NULL)));
    return scene;
}

static void step(vvWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 240));
}

// ---- forces ---------------------------------------------------------------------------------------------------------

// minus the slope of the potential energy along one coordinate, by central differences; the caller's forces apart
static double potentialSlope(Scene *scene, int b, double *x, int coordinate)
{
    double saved = x[coordinate], energy[2], d = 1e-6;
    for (int side = 0; side < 2; ++side)
    {
        x[coordinate] = saved + (side ? d : -d);
        CHECK_OK(vvSoftBody_SetPositions(scene->body[b], x));
        vvLedger ledger = vvWorld_GetLedger(scene->world);
        energy[side] = ledger.elastic + ledger.gravity;
    }
    x[coordinate] = saved;
    CHECK_OK(vvSoftBody_SetPositions(scene->body[b], x));
    return -(energy[1] - energy[0]) / (2 * d);
}

static void forcesAreSlopesOfTheEnergy(void **state)
{
    (void)state;
    Scene scene = makeScene("implicit-midpoint", "newton");
    step(scene.world, 20);
    for (int b = 0; b < 3; ++b)
    {
        int count = vvSoftBody_GetVertexCount(scene.body[b]);
        double *x = malloc(3 * (size_t)count * sizeof(double)), *force = malloc(3 * (size_t)count * sizeof(double));
        memcpy(x, vvSoftBody_GetPositions(scene.body[b]), 3 * (size_t)count * sizeof(double));
        CHECK_OK(vvSoftBody_CopyForces(scene.body[b], force));
        for (int i = 0; i < 3 * count; ++i)
        {
            double given = b == 2 && i / 3 == 5 ? (const double[]){ 1, 2, -3 }[i % 3] : 0;
            // differences of the total lose 1e-16 x 1e4 J / 1e-6 m, and the third derivative 1e-12 x 1e6
            CHECK_NEAR(force[i], given + potentialSlope(&scene, b, x, i), 2e-5);
        }
        free(x);
        free(force);
    }
    vvDestroyWorld(scene.world);
}

// a hanging bar that has come to rest: nothing pulls at free vertices, the pins hold the weight
static void pinsHoldTheWeight(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", GRAVITY);
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.2, 4, 1), elasticDef(1000, 1e6, 0.3));
    int pins[8], count = vvSoftBody_FindVertices(body, planeBox(0, -0.5, 1e-6), pins, 8);
    assert_int_equal(count, 4);
    CHECK_OK(vvSoftBody_Pin(body, pins, count));
    for (int i = 0; i < 200; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0));
    double force[3 * 20], held = 0, weight = 9.81 * vvSoftBody_GetMass(body);
    assert_int_equal(vvSoftBody_GetVertexCount(body), 20);
    CHECK_OK(vvSoftBody_CopyForces(body, force));
    for (int v = 0; v < 20; ++v)
    {
        if (vvSoftBody_IsPinned(body, v))
            held += force[3 * v + 1];
        else
            CHECK_NEAR(fabs(force[3 * v]) + fabs(force[3 * v + 1]) + fabs(force[3 * v + 2]), 0, 1e-6 * weight);
    }
    CHECK_CLOSE(held, -weight, 1e-6);
    vvDestroyWorld(world);
}

// ---- energy densities -----------------------------------------------------------------------------------------------

static void densitiesSumToTheElasticEnergy(void **state)
{
    (void)state;
    Scene scene = makeScene("implicit-midpoint", "newton");
    step(scene.world, 20);
    double density[64], links = 0, sum = 0;
    const double rho[] = { 1000, vvMaterial_Cotton().density, 1000 };
    for (int b = 0; b < 3; ++b)
    {
        CHECK_OK(vvSoftBody_CopyEnergyDensities(scene.body[b], density));
        for (int v = 0; v < vvSoftBody_GetVertexCount(scene.body[b]); ++v)
            sum += density[v] * vvSoftBody_GetMasses(scene.body[b])[v] / rho[b];
    }
    // what is not in the materials is in the two attachments
    vvVec3 a = vertexPosition(scene.body[0], 8), b = vertexPosition(scene.body[1], 9);
    double length = sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
    links += 0.5 * 5 * (length - 0.5) * (length - 0.5);
    vvVec3 tied = vertexPosition(scene.body[0], 4);
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(scene.body[0])) + 12;
    double dx = tied.x - rest[0], dy = tied.y - rest[1], dz = tied.z - rest[2];
    links += 0.5 * 200 * (dx * dx + dy * dy + dz * dz);
    CHECK_CLOSE(sum + links, vvWorld_GetLedger(scene.world).elastic, 1e-12);
    vvDestroyWorld(scene.world);
}

// a bar stretched evenly along x without Poisson's effect stores E/2 strain^2 everywhere
static void evenStretchHasAnEvenDensity(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.2, 4, 2), elasticDef(1000, 1e5, 0));
    int count = vvSoftBody_GetVertexCount(body);
    double x[3 * 64], density[64];
    assert_true(count <= 64);
    memcpy(x, vvSoftBody_GetPositions(body), 3 * (size_t)count * sizeof(double));
    for (int v = 0; v < count; ++v)
        x[3 * v] *= 1.01;
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_CopyEnergyDensities(body, density));
    for (int v = 0; v < count; ++v)
        CHECK_CLOSE(density[v], 0.5 * 1e5 * 0.01 * 0.01, 1e-9);
    vvDestroyWorld(world);
}

// ---- stretches ------------------------------------------------------------------------------------------------------

static void stretchesOfScaledBodies(void **state)
{
    (void)state;
    vvMesh *meshes[] = { vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 2, 1, 1), vvCreateSheetMesh(1, 2, 2, 3),
                         vvCreateRopeMesh(2, 5) };
    const double factor[3] = { 2, 3, -1.5 }; // mirrored in z
    for (int m = 0; m < 3; ++m)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        const vvMesh *mesh = meshes[m];
        int cells = m == 0   ? vvMesh_GetTetCount(mesh)
                    : m == 1 ? vvMesh_GetSurfaceCount(mesh)
                             : vvMesh_GetEdgeCount(mesh);
        vvSoftBodyId body = makeBody(world, meshes[m], undampedDef());
        int count = vvSoftBody_GetVertexCount(body);
        double x[3 * 64], stretch[64];
        assert_true(count <= 64 && cells <= 64);
        memcpy(x, vvSoftBody_GetPositions(body), 3 * (size_t)count * sizeof(double));
        CHECK_OK(vvSoftBody_CopyStretches(body, stretch));
        for (int c = 0; c < cells; ++c)
            CHECK_NEAR(stretch[c], 1, 1e-14);
        for (int i = 0; i < 3 * count; ++i)
            x[i] *= factor[i % 3];
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_CopyStretches(body, stretch));
        for (int c = 0; c < cells; ++c)
            CHECK_CLOSE(stretch[c], m == 0 ? -9 : m == 1 ? 3 : 2, 1e-13); // volume, |area in xz|, length along x
        vvDestroyWorld(world);
    }
}

// one vertex moved: exactly the cells that the caller's own lists show around it change
static void stretchesAreInTheCallersOrder(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        vvMesh *mesh = kind == 0   ? vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 2, 2)
                       : kind == 1 ? vvCreateSheetMesh(1, 1, 4, 3)
                                   : vvCreateRopeMesh(1, 9);
        vvSoftBodyId body = makeBody(world, mesh, undampedDef());
        int corners = 4 - kind, count = vvSoftBody_GetVertexCount(body);
        int cells = kind == 0   ? vvMesh_GetTetCount(mesh)
                    : kind == 1 ? vvMesh_GetSurfaceCount(mesh)
                                : vvMesh_GetEdgeCount(mesh);
        const int *cell = kind == 0   ? vvMesh_GetTets(mesh)
                          : kind == 1 ? vvMesh_GetSurface(mesh)
                                      : vvMesh_GetEdges(mesh);
        double x[3 * 64], stretch[128];
        assert_true(count <= 64 && cells <= 128);
        memcpy(x, vvSoftBody_GetPositions(body), 3 * (size_t)count * sizeof(double));
        for (int a = 0; a < 3; ++a)
            x[3 * 7 + a] += 0.013 * (a + 1); // vertex 7, in a direction along no cell
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_CopyStretches(body, stretch));
        for (int c = 0; c < cells; ++c)
        {
            bool around = false;
            for (int k = 0; k < corners; ++k)
                around |= cell[corners * c + k] == 7;
            assert_true(around == (fabs(stretch[c] - 1) > 1e-9));
        }
        vvDestroyWorld(world);
    }
}

// ---- asking is free -------------------------------------------------------------------------------------------------

static void askingDoesNotChangeTheRun(void **state)
{
    (void)state;
    for (int solver = 0; vvGetSolverName(solver) != NULL; ++solver)
    {
        Scene quiet = makeScene("implicit-midpoint", vvGetSolverName(solver));
        Scene asked = makeScene("implicit-midpoint", vvGetSolverName(solver));
        step(quiet.world, 1);
        step(asked.world, 1);
        long long allocations = vvWorld_GetStatistics(asked.world).allocationCount;
        for (int i = 0; i < 20; ++i)
        {
            double numbers[3 * 64];
            for (int b = 0; b < 3; ++b)
            {
                uint64_t hash = vvWorld_GetHash(asked.world);
                CHECK_OK(vvSoftBody_CopyForces(asked.body[b], numbers));
                CHECK_OK(vvSoftBody_CopyEnergyDensities(asked.body[b], numbers));
                CHECK_OK(vvSoftBody_CopyStretches(asked.body[b], numbers));
                assert_true(vvWorld_GetHash(asked.world) == hash);
            }
            step(quiet.world, 1);
            step(asked.world, 1);
            assert_true(vvWorld_GetHash(quiet.world) == vvWorld_GetHash(asked.world));
        }
        assert_int_equal(vvWorld_GetStatistics(asked.world).allocationCount, allocations);
        vvDestroyWorld(quiet.world);
        vvDestroyWorld(asked.world);
    }
}

static void mistakesAreRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", GRAVITY);
    vvSoftBodyId body = makeNamed(world, NULL);
    double numbers[9];
    vvResult (*const copies[])(vvSoftBodyId, double *) = { vvSoftBody_CopyForces, vvSoftBody_CopyEnergyDensities,
                                                           vvSoftBody_CopyStretches };
    for (int i = 0; i < 3; ++i)
    {
        vvResult result = copies[i](body, NULL);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(result.message[0] != 0 && result.remedy[0] != 0);
        assert_int_equal(copies[i]((vvSoftBodyId){ 0, 0, 0 }, numbers).code, VV_BAD_ID);
    }
    vvDestroySoftBody(body);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(copies[i](body, numbers).code, VV_BAD_ID);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(namesAreCopied),
        cmocka_unit_test(bodiesAreListedInTheOrderOfCreation),
        cmocka_unit_test(divergenceNamesTheBody),
        cmocka_unit_test(forcesAreSlopesOfTheEnergy),
        cmocka_unit_test(pinsHoldTheWeight),
        cmocka_unit_test(densitiesSumToTheElasticEnergy),
        cmocka_unit_test(evenStretchHasAnEvenDensity),
        cmocka_unit_test(stretchesOfScaledBodies),
        cmocka_unit_test(stretchesAreInTheCallersOrder),
        cmocka_unit_test(askingDoesNotChangeTheRun),
        cmocka_unit_test(mistakesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
