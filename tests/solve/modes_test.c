// The modes of bodies against dense matrices, against formulas, and by their residuals.
#include "linear/eigen.h"
#include "solve/modes.h"
#include "world/scenes.h"
#include "world/world.h"
#include "undamped.h"

#include <stdlib.h>

#define WANTED 24

typedef struct Case
{
    vvWorldId world;
    vvSoftBodyId body;
    ModesRecipe recipe;
} Case;

static Case caseOf(vvMesh *mesh, vvSoftBodyDef def, int pins)
{
    Case made = { .world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 }) };
    made.body = makeBody(made.world, mesh, def);
    int pinned[3] = { 0, 1, 2 };
    if (pins > 0)
        CHECK_OK(vvSoftBody_Pin(made.body, pinned, pins));
    Body *body = bodyFind(made.body);
    World *world = worldFind(made.world);
    made.recipe = (ModesRecipe){ .graph = body->blueprint->graph,
                                 .rest = body->mesh->point,
                                 .mass = world->state.mass,
                                 .pinned = world->state.pinned,
                                 .energyCount = body->member.energyCount,
                                 .energy = body->member.energy,
                                 .slow = body->step.waves,
                                 .wanted = WANTED };
    return made;
}

static vvSoftBodyDef solid(const char *model, double young, double poisson)
{
    vvSoftBodyDef def = undampedDef();
    def.model = model;
    def.material.young = young;
    def.material.poisson = poisson;
    def.material.density = 1000;
    return def;
}

// all eigenvalues of M^-1/2 K0 M^-1/2 over the free vertices, element by element
static double *denseValues(const Case *made, int *count)
{
    const ModesRecipe *recipe = &made->recipe;
    int size = 3 * recipe->graph->count, *at = calloc((size_t)size, sizeof(int)), n = 0;
    for (int i = 0; i < size; ++i)
        at[i] = recipe->pinned[i / 3] ? -1 : n++;
    double *a = calloc((size_t)n * (size_t)n, sizeof(double)), *values = calloc((size_t)n, sizeof(double));
    double *vectors = calloc((size_t)n * (size_t)n, sizeof(double)), *work = calloc((size_t)n, sizeof(double));
    double *unit = calloc((size_t)size, sizeof(double)), *column = calloc((size_t)size, sizeof(double));
    for (int j = 0; j < size; ++j)
    {
        memset(column, 0, (size_t)size * sizeof(double));
        unit[j] = 1;
        for (int e = 0; e < recipe->energyCount; ++e)
        {
            if (modesEnters(recipe->energy[e]))
                energyAddHessianTimes(recipe->energy[e], recipe->rest, HESSIAN_SEMIDEFINITE, unit, column);
        }
        unit[j] = 0;
        for (int i = 0; i < size; ++i)
        {
            if (at[i] >= 0 && at[j] >= 0)
                a[at[i] * n + at[j]] = column[i] / sqrt(recipe->mass[i / 3] * recipe->mass[j / 3]);
        }
    }
    eigenSymmetric(n, a, values, vectors, work);
    free(a);
    free(vectors);
    free(work);
    free(unit);
    free(column);
    free(at);
    *count = n;
    return values;
}

static void checkOrthonormal(const Case *made, const Modes *modes)
{
    int size = 3 * made->recipe.graph->count;
    for (int i = 0; i < modes->count; ++i)
    {
        for (int j = 0; j <= i; ++j)
        {
            double sum = 0;
            for (int k = 0; k < size; ++k)
                sum += made->recipe.mass[k / 3] * modes->shape[i * size + k] * modes->shape[j * size + k];
            CHECK_NEAR(sum, i == j, 1e-7); // they are kept in float32
        }
        for (int k = 0; k < size; ++k)
            assert_true(!made->recipe.pinned[k / 3] || modes->shape[i * size + k] == 0);
    }
}

static void checkCase(vvMesh *mesh, vvSoftBodyDef def, int pins)
{
    Case made = caseOf(mesh, def, pins);
    Memory *memory = &worldFind(made.world)->memory;
    Modes *modes = modesCreate(memory, &made.recipe);
    assert_non_null(modes);
    assert_true(modes->tied == (pins > 0));
    int count, rigid = pins > 0 ? 0 : 6;
    double *dense = denseValues(&made, &count);
    bool reaches = def.model != NULL && strcmp(def.model, "smoothed") == 0; // beyond elements: by iteration
    assert_int_equal(modes->count, count - rigid < WANTED ? count - rigid : WANTED);
    for (int k = 0; k < modes->count; ++k)
    {
        double tolerance = reaches ? 1e-3 : 1e-5;
        CHECK_NEAR(modes->square[k], dense[k + rigid], tolerance * dense[k + rigid] + 1e-9 * dense[rigid + 6]);
        if (!reaches && dense[k + rigid] > 1e-6 * dense[count - 1])
            CHECK_BELOW(modesResidual(memory, &made.recipe, modes, k), 1e-1);
    }
    checkOrthonormal(&made, modes);
    free(dense);
    modesDestroy(modes);
    vvDestroyWorld(made.world);
}

// free, hanging by a vertex (three pendulums), by two (one) and by three; symmetric bodies have equal frequencies
static void modesAreThoseOfTheDenseMatrix(void **state)
{
    (void)state;
    static const char *const models[] = { "corotated", "stable-neo-hookean", "smoothed", "spring" };
    for (int model = 0; model < 4; ++model)
    {
        for (int pins = 0; pins < 4; ++pins)
        {
            vvSoftBodyDef def = solid(models[model], 1e5, model < 3 ? 0.45 : 0.25);
            checkCase(vvCreateBoxMesh((vvVec3){ 0.3, 0.3, 0.9 }, 2, 2, 5), def, pins);
        }
        checkCase(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3), solid(models[model], 1e7, 0), 0);
    }
    checkCase(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), solid("corotated", 1e5, 0.3), 0); // has 18 in all
    checkCase(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), solid("smoothed", 1e5, 0.3), 0);
    // vectors of the iteration that are not orthogonal: half of the frequencies in a cylinder like the second one
    checkCase(vvCreateSphereMesh(0.1, 1), solid("corotated", 8e6, 0.3), 0);
    checkCase(vvCreateCylinderMesh(0.1, 0.3, 1, 4), solid("corotated", 8e6, 0.3), 0);
    checkCase(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), solid("corotated", 1e5, 0.3), 3);
}

// without a factor: frequencies to 1e-4, orthonormal, of thin and nearly incompressible bodies too
static void iterationFindsThoseOfTheFactor(void **state)
{
    (void)state;
    static const struct
    {
        vvVec3 size;
        int cells[3], pins;
        double poisson;
    } rows[] = { { { 1, 0.6, 0.5 }, { 10, 6, 5 }, 0, 0.3 },
                 { { 1, 0.1, 0.1 }, { 20, 2, 2 }, 3, 0.45 },
                 { { 1, 0.8, 0.05 }, { 12, 10, 1 }, 0, 0.3 },
                 { { 1, 0.5, 0.4 }, { 8, 4, 3 }, 2, 0.49 } };
    for (int i = 0; i < 4; ++i)
    {
        vvMesh *mesh = vvCreateBoxMesh(rows[i].size, rows[i].cells[0], rows[i].cells[1], rows[i].cells[2]);
        Case made = caseOf(mesh, solid("corotated", 1e5, rows[i].poisson), rows[i].pins);
        Memory *memory = &worldFind(made.world)->memory;
        Modes *exact = modesCreate(memory, &made.recipe);
        made.recipe.mostFactored = 1;
        Modes *found = modesCreate(memory, &made.recipe);
        assert_non_null(found);
        assert_int_equal(found->count, WANTED);
        for (int k = 0; k < WANTED; ++k)
            CHECK_NEAR(sqrt(found->square[k]), sqrt(exact->square[k]),
                       1e-4 * sqrt(exact->square[k]) + 1e-6 * sqrt(exact->square[WANTED - 1]));
        checkOrthonormal(&made, found);
        modesDestroy(found);
        modesDestroy(exact);
        vvDestroyWorld(made.world);
    }
}

// a bar of many cells: torsion of a square bar is 1/2 L sqrt(.8435 G/rho), in the limit; bending comes in pairs
static void torsionOfABar(void **state)
{
    (void)state;
    Case made = caseOf(vvCreateBoxMesh((vvVec3){ 1, 0.1, 0.1 }, 40, 4, 4), solid("corotated", 1e6, 0.3), 0);
    Memory *memory = &worldFind(made.world)->memory;
    Modes *modes = modesCreate(memory, &made.recipe);
    assert_non_null(modes);
    assert_int_equal(modes->count, WANTED);
    for (int k = 0; k < WANTED; ++k)
        CHECK_BELOW(modesResidual(memory, &made.recipe, modes, k), 1e-1);
    checkOrthonormal(&made, modes);
    double shear = 1e6 / 2.6, torsion = acos(-1) * sqrt(0.8435 * shear / 1000), nearest = 0;
    for (int k = 0; k < WANTED; ++k)
    {
        double w = sqrt(modes->square[k]);
        nearest = fabs(w - torsion) < fabs(nearest - torsion) ? w : nearest;
    }
    CHECK_CLOSE(nearest, torsion, 0.08); // 4 linear tets across are too stiff by some percent
    CHECK_CLOSE(modes->square[1], modes->square[0], 0.02);
    modesDestroy(modes);
    vvDestroyWorld(made.world);
}

static void sameBitsFromEveryInstructionSet(void **state)
{
    (void)state;
    Case made = caseOf(vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.3 }, 6, 3, 2), solid("corotated", 1e6, 0.3), 2);
    Memory *memory = &worldFind(made.world)->memory;
    for (int i = 2; i < 2 * ISA_COUNT; ++i)
    {
        if (!isaAvailable((Isa)(i / 2)))
            continue;
        made.recipe.mostFactored = i % 2;
        made.recipe.isa = ISA_BASE;
        Modes *first = modesCreate(memory, &made.recipe);
        made.recipe.isa = (Isa)(i / 2);
        Modes *modes = modesCreate(memory, &made.recipe);
        assert_int_equal(modes->count, first->count);
        assert_memory_equal(modes->square, first->square, (size_t)modes->count * sizeof(double));
        assert_memory_equal(modes->shape, first->shape,
                            (size_t)modes->count * (size_t)modes->vertices * 3 * sizeof(double));
        modesDestroy(modes);
        modesDestroy(first);
    }
    vvDestroyWorld(made.world);
}

static void nothingFree(void **state)
{
    (void)state;
    Case made = caseOf(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), solid("corotated", 1e5, 0.3), 0);
    int all[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    CHECK_OK(vvSoftBody_Pin(made.body, all, 8));
    Modes *modes = modesCreate(&worldFind(made.world)->memory, &made.recipe);
    assert_non_null(modes);
    assert_int_equal(modes->count, 0);
    modesDestroy(modes);
    vvDestroyWorld(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modesAreThoseOfTheDenseMatrix),
        cmocka_unit_test(iterationFindsThoseOfTheFactor),
        cmocka_unit_test(torsionOfABar),
        cmocka_unit_test(sameBitsFromEveryInstructionSet),
        cmocka_unit_test(nothingFree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
