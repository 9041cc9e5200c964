// Modes in motion: rotations of bodies that are turned, products against plain sums, the same bits from every
// instruction set and with any number of threads.
#include "solve/modal.h"
#include "world/scenes.h"
#include "world/world.h"

#include <stdlib.h>

typedef struct Case
{
    vvWorldId world;
    Body *body;
    Modes *modes;
    ModalShape *shape;
    Memory *memory;
    int size;
} Case;

static Case caseOf(void)
{
    Case made = { .world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 }) };
    vvSoftBodyId id =
        makeBody(made.world, vvCreateBoxMesh((vvVec3){ 1, 0.4, 0.3 }, 7, 3, 2), elasticDef(1000, 1e5, 0.3));
    int pin = 3;
    CHECK_OK(vvSoftBody_Pin(id, &pin, 1));
    made.body = bodyFind(id);
    World *world = worldFind(made.world);
    made.memory = &world->memory;
    ModesRecipe recipe = { .graph = made.body->blueprint->graph,
                           .rest = made.body->mesh->point,
                           .mass = world->state.mass,
                           .pinned = world->state.pinned,
                           .energyCount = made.body->member.energyCount,
                           .energy = made.body->member.energy,
                           .slow = made.body->step.waves,
                           .wanted = 18 };
    made.modes = modesCreate(made.memory, &recipe);
    ModalMesh mesh = { made.body->mesh->tetCount, made.body->mesh->tet, made.body->mesh->point };
    made.shape = modalShapeCreate(made.memory, made.modes, &mesh);
    assert_non_null(made.shape);
    made.size = 3 * made.body->count;
    return made;
}

static void drop(Case *made)
{
    modalShapeDestroy(made->shape);
    modesDestroy(made->modes);
    vvDestroyWorld(made->world);
}

static const double turned[3][3] = { { 0.36, 0.48, -0.8 }, { -0.8, 0.6, 0 }, { 0.48, 0.64, 0.6 } };

// far away, turned and somewhat bent
static double *placed(const Case *made, double bend)
{
    double *x = malloc((size_t)made->size * sizeof(double));
    for (int v = 0; v < made->size / 3; ++v)
    {
        const double *p = made->body->mesh->point + 3 * v;
        double q[3] = { p[0], p[1] + bend * p[0] * p[0], p[2] + bend * p[0] * p[1] };
        for (int a = 0; a < 3; ++a)
            x[3 * v + a] = 100 + turned[a][0] * q[0] + turned[a][1] * q[1] + turned[a][2] * q[2];
    }
    return x;
}

static void rotationsAreThoseOfTheBody(void **state)
{
    (void)state;
    Case made = caseOf();
    Modal *modal = modalCreate(made.memory, made.shape, ISA_BASE);
    double *x = placed(&made, 0);
    for (int pass = 0; pass < 2; ++pass)
    {
        modalTurn(modal, x, NULL);
        for (int v = 0; v < made.size / 3; ++v)
        {
            for (int i = 0; i < 9; ++i)
                CHECK_NEAR((double)modal->rotation[(v / MODAL_BLOCK * 9 + i) * MODAL_BLOCK + v % MODAL_BLOCK],
                           turned[i / 3][i % 3], 2e-5); // weights have 16 bits
        }
    }
    free(x);
    modalDestroy(made.memory, modal);
    drop(&made);
}

// tets that are turned against their vertices: none of a bent body, all of one whose vertices lie at random
static void tornTetsAreFound(void **state)
{
    (void)state;
    Case made = caseOf();
    Modal *modal = modalCreate(made.memory, made.shape, isaBest());
    double *x = placed(&made, 0.5);
    modalTurn(modal, x, NULL);
    CHECK_NEAR(modalTorn(modal, NULL), 0, 0);
    TestRandom random = { 4 };
    for (int i = 0; i < made.size; ++i)
        x[i] = randomBetween(&random, -1, 1);
    modal->warm = false;
    modalTurn(modal, x, NULL);
    CHECK_BELOW(0.5, modalTorn(modal, NULL));
    CHECK_BELOW(modalTorn(modal, NULL), 1.0001);
    free(x);
    modalDestroy(made.memory, modal);
    drop(&made);
}

static void productsArePlainSums(void **state)
{
    (void)state;
    Case made = caseOf();
    Modal *modal = modalCreate(made.memory, made.shape, isaBest());
    double *x = placed(&made, 0.3), *y = malloc((size_t)made.size * sizeof(double)), q[MODAL_MOST];
    double *back = malloc((size_t)made.size * sizeof(double));
    const double *mass = worldFind(made.world)->state.mass;
    TestRandom random = { 3 };
    for (int i = 0; i < made.size; ++i)
        y[i] = randomBetween(&random, -1, 1);
    modalTurn(modal, x, NULL);
    modalProject(modal, y, mass, NULL, q);
    for (int k = 0; k < made.shape->count; ++k)
    {
        double sum = 0;
        for (int i = 0; i < 9 * (made.size / 3) && k < made.modes->count; ++i)
        {
            int v = i / 9, a = i % 9 / 3, b = i % 3;
            double r = (double)modal->rotation[(v / MODAL_BLOCK * 9 + 3 * a + b) * MODAL_BLOCK + v % MODAL_BLOCK];
            sum += made.modes->shape[k * made.size + 3 * v + b] * r * mass[v] * y[3 * v + a];
        }
        CHECK_NEAR(q[k], sum, 1e-6);
    }
    // R U is orthonormal: what is expanded is found again
    memset(back, 0, (size_t)made.size * sizeof(double));
    modalExpand(modal, q, NULL, NULL, back);
    double again[MODAL_MOST];
    modalProject(modal, back, mass, NULL, again);
    for (int k = 0; k < made.shape->count; ++k)
        CHECK_NEAR(again[k], q[k], 1e-6);
    free(x);
    free(y);
    free(back);
    modalDestroy(made.memory, modal);
    drop(&made);
}

static void sameBitsEverywhere(void **state)
{
    (void)state;
    Case made = caseOf();
    double *x = placed(&made, 0.5), *first = NULL;
    size_t bytes = (size_t)made.size * sizeof(double);
    Workers *workers = workersCreate(made.memory, 3, NULL);
    for (int i = 0; i < 2 * ISA_COUNT; ++i)
    {
        if (!isaAvailable((Isa)(i / 2)))
            continue;
        Modal *modal = modalCreate(made.memory, made.shape, (Isa)(i / 2));
        double *y = malloc(bytes), q[MODAL_MOST];
        Workers *team = i % 2 ? workers : NULL;
        memcpy(y, x, bytes);
        modalTurn(modal, x, team);
        modalProject(modal, y, worldFind(made.world)->state.mass, team, q);
        modalExpand(modal, q, worldFind(made.world)->state.mass, team, y);
        if (first == NULL)
        {
            first = malloc(bytes);
            memcpy(first, y, bytes);
        }
        assert_memory_equal(first, y, bytes);
        free(y);
        modalDestroy(made.memory, modal);
    }
    free(first);
    free(x);
    workersDestroy(workers);
    drop(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotationsAreThoseOfTheBody),
        cmocka_unit_test(tornTetsAreFound),
        cmocka_unit_test(productsArePlainSums),
        cmocka_unit_test(sameBitsEverywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
