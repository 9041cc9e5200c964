// Cached rows of the inverse mass: those of the operator itself where a body turns as a whole, near it where it bends;
// one table for all small bodies of a shape, whoever makes it; tables of larger bodies, whatever they knew before.
#include "integrate/integrate.h"
#include "solve/rows.h"
#include "world/scenes.h"
#include "world/world.h"

#include <stdlib.h>

static const double turned[3][3] = { { 0.36, 0.48, -0.8 }, { -0.8, 0.6, 0 }, { 0.48, 0.64, 0.6 } };

typedef struct Case
{
    vvWorldId id;
    World *world;
    System *system;
    Member *member;
    Stage stage;
} Case;

// cubes far above a plane that have taken one step, and where the first is to be looked at
static Case caseOf(int bodies, int finer, double damping, double bend)
{
    Case made = { .id = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 }) };
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.4, 0.3, 0.5 }, 4 * finer, 3 * finer, 4 * finer);
    def.damping.stiffness = damping;
    vvResult result;
    for (int i = 0; i < bodies; ++i)
    {
        def.position = (vvVec3){ 3 * i, 5, 0 };
        vvCreateSoftBody(made.id, &def, &result);
        CHECK_OK(result);
    }
    vvDestroyMesh(def.mesh);
    vvColliderDef collider = vvDefaultColliderDef();
    vvShapeDef plane = vvDefaultShapeDef();
    plane.kind = VV_SHAPE_PLANE;
    collider.shape = vvCreateShape(&plane, NULL);
    vvCreateCollider(made.id, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(collider.shape);
    CHECK_OK(vvWorld_Step(made.id, 1.0 / 60));
    made.world = worldFind(made.id);
    made.system = &made.world->system[0];
    made.member = made.system->member[0];
    made.stage = stageMidpoint(1.0 / 60 / vvWorld_GetStatistics(made.id).substeps);
    const double *rest = made.member->modal->shape->rest;
    for (int v = 0; v < made.member->count; ++v)
    {
        const double *p = rest + 3 * v;
        double q[3] = { p[0], p[1] + bend * p[0] * p[0], p[2] + bend * p[0] * p[1] };
        for (int a = 0; a < 3; ++a)
            made.system->state.blend[3 * v + a] = turned[a][0] * q[0] + turned[a][1] * q[1] + turned[a][2] * q[2];
    }
    made.member->modal->used = true;
    made.member->modal->warm = false;
    inverseMassTurn(made.system, &made.stage, 0, made.system->state.blend);
    return made;
}

static Rows *begin(const Case *made)
{
    Member *member = made->member;
    State *s = &made->system->state;
    Modal *modal = member->modal;
    const RigidFrame *rigid = &member->step->frame;
    RowsFrame frame = { member->step->loose, rigid->mass, rigid->centre, rigid->inverse };
    RowsSource source = { .key = { member->prefactor[0].content, frame.loose, { 0 } },
                          .factor = member->current,
                          .mass = s->mass,
                          .work = { s->gradient, s->direction } };
    assert_ptr_equal(member->prefactor[0].factor, member->current);
    memcpy(source.key.gain, modal->gain, (size_t)modal->shape->count * sizeof(double));
    assert_non_null(modal->rows);
    assert_true(rowsBegin(modal->rows, &source, &frame));
    return modal->rows;
}

// the greatest difference of velocities by an impulse, over the greatest of them
static double difference(Case *made, Rows *rows, int pushed, Vec3 impulse)
{
    State *s = &made->system->state;
    double apart = 0, most = 0;
    memset(s->gradient, 0, 3 * (size_t)s->count * sizeof(double));
    vecStore(s->gradient + 3 * pushed, impulse);
    inverseMass(made->system, &made->stage, s->gradient, s->direction);
    rowsRest(rows);
    rowsPush(rows, rows->placeOf[pushed], impulse);
    for (int k = 0; k < rows->count; ++k)
    {
        Vec3 u = vecLoad(s->direction + 3 * rows->vertex[k]);
        apart = maxReal(apart, vecLength(vecSub(rowsRate(rows, k), u)));
        most = maxReal(most, vecLength(u));
    }
    return apart / most;
}

static double greatestDifference(Case *made)
{
    Rows *rows = begin(made);
    double most = 0;
    for (int v = 0; v < made->member->count; v += 7)
        assert_int_equal(rowsPlace(rows, v, made->system->state.blend + 3 * v), v / 7);
    rowsLearn(rows);
    for (int v = 0; v < made->member->count; v += 7)
    {
        most = maxReal(most, difference(made, rows, v, vec3(0.3, -1, 0.2)));
        most = maxReal(most, difference(made, rows, v, vec3(-0.1, 0.1, 1)));
    }
    return most;
}

static void rowsAreThoseOfTheStep(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        double damping = k % 2 ? 1e-3 : 0;
        Case straight = caseOf(1, 1 + k / 2, damping, 0), bent = caseOf(1, 1 + k / 2, damping, 0.5);
        assert_int_equal(straight.member->count > ROWS_VERTICES, k / 2);
        double exact = greatestDifference(&straight), near = greatestDifference(&bent);
        print_message("turned as a whole: %.2g of the greatest velocity; bent: %.2g\n", exact, near);
        CHECK_BELOW(exact, 1e-4); // rotations have 16 bits
        CHECK_BELOW(near, 0.1);
        vvDestroyWorld(straight.id);
        vvDestroyWorld(bent.id);
    }
}

// the velocities of contacts are symmetric in who pushes whom, to the last bit of the table
static void tablesAreSymmetricAndShared(void **state)
{
    (void)state;
    Case made = caseOf(3, 1, 0, 0);
    const RowsTable *table = begin(&made)->table;
    int count = made.member->count;
    for (int i = 0; i < count * count * 9; ++i)
    {
        int v = i / 9 / count, w = i / 9 % count, a = i % 9 / 3, b = i % 3;
        float there = table->block[(v * count + w) * ROWS_BLOCK + 4 * a + b];
        float back = table->block[(w * count + v) * ROWS_BLOCK + 4 * b + a];
        assert_memory_equal(&there, &back, sizeof there);
    }
    size_t size = (size_t)count * (size_t)count * ROWS_BLOCK * sizeof(float);
    float *kept = malloc(size);
    memcpy(kept, table->block, size);
    for (int i = 0; i < 3; ++i) // each makes it anew from its own factor
    {
        Case other = made;
        other.system = &made.world->system[i];
        other.member = other.system->member[0];
        assert_ptr_equal(other.member->modal->shape, made.member->modal->shape);
        other.member->modal->rows->table = NULL;
        ((RowsTable *)table)->made = false;
        assert_ptr_equal(begin(&other)->table, table);
        assert_memory_equal(table->block, kept, size);
    }
    free(kept);
    vvDestroyWorld(made.id);
}

// the vertices of one run and a few of another, in an order
static void placeAll(const Case *made, Rows *rows, int first, int step, bool backward)
{
    int count = (made->member->count - first + step - 1) / step;
    for (int i = 0; i < count; ++i)
    {
        int v = first + step * (backward ? count - 1 - i : i);
        assert_true(rowsPlace(rows, v, made->system->state.blend + 3 * v) >= 0);
    }
    rowsLearn(rows);
}

// Numbers of a table do not depend on the order in which vertices came, on what came beside them, or on those that it
// forgot when it was full: else a resumed run would have other bits.
static void tablesForgetWithoutATrace(void **state)
{
    (void)state;
    Case made = caseOf(1, 2, 0, 0.5);
    Rows *rows = begin(&made);
    enum
    {
        STEP = 7,
        MOST = 120
    };
    static Vec3 kept[MOST][MOST];
    int count = (made.member->count + STEP - 1) / STEP;
    assert_true(count <= MOST);
    for (int round = 0; round < 4; ++round)
    {
        // two and three: other vertices come first, the second time so many that the table is full
        for (int other = 1; other < 2 * round - 2; ++other)
        {
            placeAll(&made, begin(&made), other, STEP, false);
            assert_true(rows->table->known <= ROWS_KNOWN);
        }
        if (round == 1)
            rows->own->made = rows->own->next->made = false;
        rows = begin(&made);
        placeAll(&made, rows, 0, STEP, round % 2 == 1);
        for (int i = 0; i < count * count; ++i)
        {
            int v = i / count, w = i % count;
            Vec3 u = rowsBetween(rows, rows->placeOf[STEP * v], vec3(0.3, -1, 0.2), rows->placeOf[STEP * w]);
            if (round == 0)
                kept[v][w] = u;
            assert_memory_equal(&kept[v][w], &u, sizeof u);
        }
    }
    vvDestroyWorld(made.id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsAreThoseOfTheStep),
        cmocka_unit_test(tablesAreSymmetricAndShared),
        cmocka_unit_test(tablesForgetWithoutATrace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
