// Modes of bodies with flat tets, whose vertices turn unequally: what is exact in a step stays below what the step
// resolves, with the same bits from every instruction set; bodies without flat tets know nothing of it.
#include "solve/modal_flat.h"
#include "world/scenes.h"
#include "world/world.h"

#include <stdlib.h>

#define SUBSTEP (1.0 / 300)
#define LOW 0.003 // height of flat tets over an edge

static double sixfold(const double *x, const int *c) // m^3
{
    double e[9];
    for (int i = 0; i < 9; ++i)
        e[i] = x[3 * c[1 + i / 3] + i % 3] - x[3 * c[0] + i % 3];
    return e[0] * (e[4] * e[8] - e[5] * e[7]) - e[1] * (e[3] * e[8] - e[5] * e[6]) + e[2] * (e[3] * e[7] - e[4] * e[6]);
}

// a corner of a tet goes to the plane of the others, but for a little; false: another tet would be too small then
static bool flatten(const vvMesh *mesh, double *x, int tet, int corner)
{
    const int *c = mesh->tet + 4 * (ptrdiff_t)tet;
    int v = c[corner];
    Vec3 own = vecLoad(x + 3 * v), at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = vecLoad(x + 3 * c[(corner + 1 + i) % 4]);
    Vec3 edge = vecSub(at[1], at[0]), normal = vecCross(edge, vecSub(at[2], at[0]));
    normal = vecScale(1 / sqrt(vecDot(normal, normal)), normal);
    double height = vecDot(normal, vecSub(own, at[0])), keep = LOW * sqrt(vecDot(edge, edge));
    if (fabs(height) < 2 * keep)
        return false;
    vecStore(x + 3 * v, vecSub(own, vecScale(height > 0 ? height - keep : height + keep, normal)));
    bool fits = true;
    for (int t = 0; t < mesh->tetCount && fits; ++t)
    {
        const int *d = mesh->tet + 4 * (ptrdiff_t)t;
        bool has = d[0] == v || d[1] == v || d[2] == v || d[3] == v;
        fits = !has || sixfold(x, d) > (t == tet ? 1e-12 : 2e-7);
    }
    if (!fits)
        vecStore(x + 3 * v, own);
    return fits;
}

// a bar of 1 m, some of its tets flat
static vvMesh *makeBar(int flat, unsigned seed)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 20, 4, 4);
    assert_non_null(mesh);
    double *x = malloc((size_t)mesh->vertexCount * 3 * sizeof(double));
    memcpy(x, mesh->point, (size_t)mesh->vertexCount * 3 * sizeof(double));
    TestRandom random = { seed };
    for (int made = 0, tries = 0; made < flat && tries < 100 * flat; ++tries)
    {
        int tet = (int)(randomUnit(&random) * mesh->tetCount);
        made += flatten(mesh, x, tet, (int)(randomUnit(&random) * 4));
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = x;
    def.pointCount = mesh->vertexCount;
    def.tets = mesh->tet;
    def.tetCount = mesh->tetCount;
    vvMesh *made = vvCreateMesh(&def, NULL);
    free(x);
    vvDestroyMesh(mesh);
    return made;
}

static Body *addBar(vvWorldId world, int flat, unsigned seed)
{
    Body *body = bodyFind(makeBody(world, makeBar(flat, seed), elasticDef(1000, 1e5, 0.3)));
    CHECK_OK(vvWorld_Prepare(world));
    assert_non_null(body->member.modal);
    return body;
}

// bent by far, and shaken
static double *bent(const Body *body, double shake)
{
    double *x = malloc((size_t)body->count * 3 * sizeof(double));
    TestRandom random = { 5 };
    for (int i = 0; i < 3 * body->count; ++i)
    {
        double along = body->mesh->point[i / 3 * 3];
        x[i] = body->mesh->point[i] + (i % 3 == 1 ? along * along : 0) + randomBetween(&random, -shake, shake);
    }
    return x;
}

// hs^2/4 times the stiffest that L makes of the turned modes: by the power iteration
static double stiffest(const Body *body, const Modal *modal)
{
    double q[MODAL_MOST], value = 0, *y = malloc((size_t)body->count * 3 * sizeof(double));
    double *force = malloc((size_t)body->count * 3 * sizeof(double));
    for (int k = 0; k < modal->shape->count; ++k)
        q[k] = 1 + 0.1 * (k % 7);
    for (int turn = 0; turn < 60; ++turn)
    {
        double square = 0;
        for (int k = 0; k < modal->shape->count; ++k)
            square += q[k] * q[k];
        value = 0.25 * SUBSTEP * SUBSTEP * sqrt(square);
        for (int k = 0; k < modal->shape->count; ++k)
            q[k] /= sqrt(square);
        memset(y, 0, (size_t)body->count * 3 * sizeof(double));
        memset(force, 0, (size_t)body->count * 3 * sizeof(double));
        modalExpand(modal, q, NULL, NULL, y);
        for (int e = 0; e < body->member.energyCount; ++e)
        {
            if (modesEnters(body->member.energy[e]))
                energyAddMajorizerTimes(body->member.energy[e], y, force);
        }
        modalProject(modal, force, NULL, NULL, q);
    }
    free(force);
    free(y);
    return value;
}

static void turnedModesStayBelowTheStep(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 3; ++seed)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        Body *body = addBar(world, 40, seed);
        Modal *modal = body->member.modal;
        double *rest = bent(body, 0);
        memcpy(rest, body->mesh->point, (size_t)body->count * 3 * sizeof(double));
        modalTurn(modal, rest, NULL);
        modalFlatten(modal, SUBSTEP, NULL);
        assert_false(modal->clipped);
        double least = stiffest(body, modal);
        double *x = bent(body, 0.06);
        modalTurn(modal, x, NULL);
        double before = stiffest(body, modal);
        modalFlatten(modal, SUBSTEP, NULL);
        assert_true(modal->clipped);
        double after = stiffest(body, modal);
        print_message("hs^2/4 (RU)' L (RU): at rest %.3f, bent %.3f, without what is too stiff %.3f\n", least, before,
                      after);
        CHECK_BELOW(1, before);
        CHECK_BELOW(after, 0.6);
        free(x);
        free(rest);
        vvDestroyWorld(world);
    }
}

static void sameBitsEverywhere(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    Body *body = addBar(world, 40, 1);
    Memory *memory = &worldFind(world)->memory;
    Workers *workers = workersCreate(memory, 3, NULL);
    double *x = bent(body, 0.06), *first = NULL;
    assert_non_null(workers);
    int count = body->member.modal->shape->count;
    for (int i = 0; i < ISA_COUNT; ++i)
    {
        if (!isaAvailable((Isa)i))
            continue;
        Modal *modal = modalCreate(memory, body->member.modal->shape, (Isa)i);
        modalTurn(modal, x, NULL);
        modalFlatten(modal, SUBSTEP, i % 2 == 0 ? NULL : workers);
        if (first == NULL)
        {
            first = malloc((size_t)(count * count) * sizeof(double));
            memcpy(first, modal->clip, (size_t)(count * count) * sizeof(double));
        }
        assert_memory_equal(first, modal->clip, (size_t)(count * count) * sizeof(double));
        modalDestroy(memory, modal);
    }
    workersDestroy(workers);
    free(first);
    free(x);
    vvDestroyWorld(world);
}

static void otherBodiesStayAsTheyAre(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    assert_null(addBar(world, 0, 1)->member.modal->shape->flat);
    vvDestroyWorld(world);
}

static void addCollider(vvWorldId world, vvShapeKind kind, vvVec3 position)
{
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    shape.kind = kind;
    shape.radius = 0.2;
    def.shape = vvCreateShape(&shape, NULL);
    def.position = position;
    vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
}

// bars that fall onto four spheres: five substeps a frame, and no energy from nowhere
static void fallsNeedNoMoreSubsteps(void **state)
{
    (void)state;
    for (unsigned seed = 3; seed <= 5; ++seed)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.position = (vvVec3){ 0.1 * seed, 1.2, 0.05 };
        def.spin = (vvVec3){ 1, 2, 1.5 };
        makeBody(world, makeBar(60, seed), def);
        addCollider(world, VV_SHAPE_PLANE, (vvVec3){ 0, 0, 0 });
        for (int i = 0; i < 4; ++i)
            addCollider(world, VV_SHAPE_SPHERE, (vvVec3){ i % 2 ? 0.25 : -0.25, 0.3, i / 2 ? 0.15 : -0.15 });
        int substeps = 0;
        double most = 0;
        for (int frame = 0; frame < 90; ++frame)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            substeps += vvWorld_GetStatistics(world).substeps;
            most = fmax(most, vvWorld_GetLedger(world).numerical);
        }
        print_message("falls: %d substeps in 90 frames, gained %.2f J\n", substeps, most);
        CHECK_BELOW(substeps, 500);
        CHECK_BELOW(most, 5); // of 240 J that it falls
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turnedModesStayBelowTheStep),
        cmocka_unit_test(sameBitsEverywhere),
        cmocka_unit_test(otherBodiesStayAsTheyAre),
        cmocka_unit_test(fallsNeedNoMoreSubsteps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
