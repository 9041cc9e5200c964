// Every energy in a world, wherever it came from: the material, what a definition adds, constraints of the caller,
// contact with colliders and between bodies. Every element says in words what it is; projective ones split their
// gradient.
#include "check.h"
#include "world/add.h"

#include "world/world.h"
#include "undamped.h"

#include <verve/verve.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static void stay(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    memcpy(p, z, 3 * sizeof *p);
}

// a box over a plane and one on top of it, with all that a definition can add to tets
static vvWorldId createWorld(vvExampleWeights exampleWeights, int exampleCount, vvShape *plane)
{
    vvResult result;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    worldDef.softContact = true;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = plane;
    vvCreateCollider(world, &colliderDef, &result);
    assert_int_equal(result.code, VV_OK);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
    static double shape[VV_MAX_EXAMPLES][81];
    const double *examples[VV_MAX_EXAMPLES];
    for (int k = 0; k < VV_MAX_EXAMPLES; ++k)
    {
        examples[k] = shape[k];
        memcpy(shape[k], vvMesh_GetPoints(mesh), sizeof shape[k]);
        for (int v = 0; v < 27; ++v)
            shape[k][3 * v + k % 3] += (0.2 + 0.1 * k) * shape[k][3 * v + (k + 1) % 3];
    }
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh;
        def.material = vvMaterial_Jelly();
        def.material.loss = 0;
        def.position = (vvVec3){ 0.03 * k, 0.0999 + 0.1998 * k, 0.02 * k };
        def.shapeStiffness = 50;
        def.volumeStiffness = 1e4;
        def.damping.stiffness = 0.001;
        def.examples = examples;
        def.exampleCount = exampleCount;
        def.exampleWeights = exampleWeights;
        vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
        if (result.code != VV_OK)
            fail_msg("%s", result.message);
        int vertex = 13;
        vvConstraintDef own = vvDefaultConstraintDef();
        own.vertices = &vertex;
        own.count = own.corners = 1;
        own.weight = 1;
        own.project = stay;
        assert_int_equal(addConstraint(body, &own).code, VV_OK);
    }
    vvDestroyMesh(mesh);
    for (int k = 0; k < 5; ++k)
        assert_int_equal(vvWorld_Step(world, 0.002).code, VV_OK);
    return world;
}

static vvShape *createPlane(void)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_PLANE;
    def.normal = (vvVec3){ 0, 1, 0 };
    return vvCreateShape(&def, NULL);
}

typedef void (*Visit)(Energy *energy, const double *x, int count, void *context);

static void visitAll(const World *world, Visit visit, void *context)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        const System *system = &world->system[i];
        for (int k = 0; k < system->termCount; ++k)
        {
            const Term *term = &system->term[k];
            visit(term->energy, system->state.start + 3 * (ptrdiff_t)term->first, term->energy->vertexCount, context);
        }
    }
}

// ---- words ----------------------------------------------------------------------------------------------------------

typedef struct Words
{
    const char *word;
    int found;
} Words;

static void describe(Energy *energy, const double *x, int count, void *context)
{
    Words *words = context;
    (void)count;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        char text[300] = "", number[20];
        energyDescribe(energy, x, e, text, sizeof text);
        snprintf(number, sizeof number, " %d:", e);
        assert_true(strlen(text) > 15 && strlen(text) < sizeof text - 1);
        assert_non_null(strstr(text, number));
        words->found += strstr(text, words->word) != NULL;
    }
}

static void checkWords(const World *world)
{
    static const char *const words[] = { "tet",     "gravity",         "shape",    "constraint",
                                         "contact", "contact damping", "m inside", "touches nothing",
                                         "pair",    "coefficients" };
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
    {
        Words found = { words[w], 0 };
        visitAll(world, describe, &found);
        if (found.found == 0)
            fail_msg("nothing speaks of '%s'", words[w]);
    }
}

// ---- projections ----------------------------------------------------------------------------------------------------

#define MOST 200 // vertices

// gradient = majorizer x - projection, by 1e-9 of the largest of them
static void checkSplit(Energy *energy, const double *x, int count, void *context)
{
    double gradient[3 * MOST] = { 0 }, product[3 * MOST] = { 0 }, right[3 * MOST] = { 0 }, size = 0;
    assert_true(count <= MOST);
    if (!(energy->traits & TRAIT_PROJECTIVE))
        return;
    energyAddGradient(energy, x, gradient);
    energyAddProjection(energy, x, right);
    energyAddMajorizerTimes(energy, x, product);
    for (int i = 0; i < 3 * count; ++i)
        size = fmax(size, fmax(fabs(product[i]), fabs(right[i])));
    for (int i = 0; i < 3 * count; ++i)
    {
        if (!(fabs(gradient[i] - (product[i] - right[i])) <= 1e-9 * size))
            fail_msg("%s: gradient %g is not %g - %g", energy->kind->name, gradient[i], product[i], right[i]);
    }
    *(int *)context += size > 0;
}

static void everyEnergyOfAWorldHolds(void **state)
{
    (void)state;
    for (int global = 0; global < 2; ++global)
    {
        for (int examples = 1; examples <= VV_MAX_EXAMPLES; ++examples)
        {
            int projective = 0;
            vvShape *plane = createPlane();
            vvWorldId id = createWorld(global ? VV_EXAMPLE_WEIGHTS_GLOBAL : VV_EXAMPLE_WEIGHTS_LOCAL, examples, plane);
            const World *world = worldFind(id);
            checkWords(world);
            visitAll(world, checkSplit, &projective);
            assert_true(projective >= 4);
            vvDestroyWorld(id);
            vvDestroyShape(plane);
        }
    }
}

// ---- terms ----------------------------------------------------------------------------------------------------------

// the terms of an island: the energies of its members in their order, then the joints, each over the whole island;
// returns how many there are
static int checkTerms(const World *world)
{
    int sum = 0;
    for (int i = 0; i < world->systemCount; ++i)
    {
        const System *system = &world->system[i];
        int t = 0;
        for (int p = 0; p < system->memberCount; ++p)
        {
            for (int e = 0; e < system->member[p]->energyCount; ++e, ++t)
            {
                if (system->member[p]->energy[e]->off) // near nothing in the last step
                {
                    t -= 1;
                    continue;
                }
                assert_true(t < system->jointStart);
                assert_ptr_equal(system->term[t].energy, system->member[p]->energy[e]);
                assert_ptr_equal(system->term[t].member, system->member[p]);
                assert_int_equal(system->term[t].first, system->member[p]->offset);
                assert_int_equal(system->term[t].place, e);
                assert_null(system->term[t].coupling);
            }
        }
        assert_int_equal(t, system->jointStart);
        for (; t < system->termCount; ++t)
        {
            assert_non_null(system->term[t].coupling);
            assert_int_equal(system->term[t].first, 0);
            assert_int_equal(system->term[t].energy->vertexCount, system->state.count);
        }
        sum += system->termCount;
    }
    return sum;
}

static vvSoftBodyId idOf(const World *world, int slot)
{
    return ID_OF(vvSoftBodyId, world, slot, world->body[slot].generation);
}

static void attach(vvWorldId id, const World *world, bool between)
{
    vvResult result;
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = idOf(world, 0);
    def.stiffness = 10;
    if (between)
        def.bodyB = idOf(world, 1);
    vvCreateAttachment(id, &def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
}

static void blow(vvWorldId id, const World *world, bool between)
{
    (void)world;
    (void)between;
    vvWind wind = { .velocity = { 1, 0, 0 }, .density = 1.2, .drag = 1 };
    assert_int_equal(vvWorld_SetWind(id, wind).code, VV_OK);
}

static void constrain(vvWorldId id, const World *world, bool between)
{
    (void)id;
    (void)between;
    vvResult result;
    int vertex = 5;
    vvConstraintDef own = vvDefaultConstraintDef();
    own.vertices = &vertex;
    own.count = own.corners = 1;
    own.weight = 1;
    own.project = stay;
    vvCreateConstraint(idOf(world, 0), &own, &result);
    assert_int_equal(result.code, VV_OK);
}

static void letGo(vvWorldId id, const World *world, bool between)
{
    (void)world;
    (void)between;
    vvConstraintId constraint;
    assert_true(vvWorld_GetConstraints(id, &constraint, 1) >= 1);
    vvDestroyConstraint(constraint);
}

static void termsFollowWhatComesAndGoes(void **state)
{
    (void)state;
    static const struct
    {
        void (*make)(vvWorldId id, const World *world, bool between);
        bool between;
        int more; // terms
    } change[] = { { attach, false, 1 }, { attach, false, 0 },    { attach, true, 1 },
                   { blow, false, 2 },   { constrain, false, 1 }, { letGo, false, -1 } };
    vvShape *plane = createPlane();
    vvWorldId id = createWorld(VV_EXAMPLE_WEIGHTS_LOCAL, 1, plane);
    const World *world = worldFind(id);
    int count = checkTerms(world);
    for (size_t k = 0; k < sizeof change / sizeof change[0]; ++k)
    {
        change[k].make(id, world, change[k].between);
        assert_int_equal(vvWorld_Step(id, 0.002).code, VV_OK);
        count += change[k].more;
        assert_int_equal(checkTerms(world), count);
    }
    vvDestroyWorld(id);
    vvDestroyShape(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyEnergyOfAWorldHolds),
                                        cmocka_unit_test(termsFollowWhatComesAndGoes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
