// Every element of every energy in a world says in words what it is, wherever it came from: the material, what a definition
// adds, constraints of the caller, contact with colliders and between bodies.
#include "check.h"

#include "world/world.h"

#include <verve/verve.h>

#include <stdio.h>
#include <string.h>

static void stay(void *user, int element, const double *z, double *p)
{
    (void)user;
    (void)element;
    memcpy(p, z, 3 * sizeof *p);
}

// a box over a plane and one on top of it, with all that a definition can add to tets
static vvWorldId createWorld(const char *exampleWeights, vvShape *plane)
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
    double bent[81];
    memcpy(bent, vvMesh_GetPoints(mesh), sizeof bent);
    for (int v = 0; v < 27; ++v)
        bent[3 * v] += 0.2 * bent[3 * v + 1];
    const double *examples[] = { bent };
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = vvDefaultSoftBodyDef();
        def.mesh = mesh;
        def.material = vvMaterial_Jelly();
        def.position = (vvVec3){ 0.03 * k, 0.0999 + 0.1998 * k, 0.02 * k };
        def.shapeStiffness = 50;
        def.volumeStiffness = 1e4;
        def.stiffnessDamping = 0.001;
        def.examples = examples;
        def.exampleCount = 1;
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
        assert_int_equal(vvSoftBody_AddConstraint(body, &own).code, VV_OK);
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

static int describeAll(const Energy *energy, const double *x, const char *word)
{
    int found = 0;
    for (int e = 0; energy != NULL && e < energy->elementCount; ++e)
    {
        char text[300] = "", number[20];
        energyDescribe(energy, x, e, text, sizeof text);
        snprintf(number, sizeof number, " %d:", e);
        assert_true(strlen(text) > 15 && strlen(text) < sizeof text - 1);
        assert_non_null(strstr(text, number));
        found += strstr(text, word) != NULL;
    }
    return found;
}

static void everyEnergyOfAWorldHasWords(void **state)
{
    (void)state;
    static const char *const words[] = { "tet",     "gravity",         "shape",    "constraint",
                                         "contact", "contact damping", "m inside", "touches nothing",
                                         "pair",    "coefficients" };
    for (int global = 0; global < 2; ++global)
    {
        vvShape *plane = createPlane();
        vvWorldId id = createWorld(global ? "global" : "local", plane);
        const World *world = worldFind(id);
        for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
        {
            int found = 0;
            for (int i = 0; i < world->systemCount; ++i)
            {
                const System *system = &world->system[i];
                for (int k = 0; k < JOINTS; ++k)
                    found += describeAll(system->joint[k], system->state.start, words[w]);
                for (int p = 0; p < system->partCount; ++p)
                {
                    const Part *part = system->part[p];
                    for (int e = 0; e < part->energyCount; ++e)
                        found +=
                            describeAll(part->energy[e], system->state.start + 3 * (ptrdiff_t)part->offset, words[w]);
                }
            }
            if (found == 0)
                fail_msg("nothing speaks of '%s'", words[w]);
        }
        vvDestroyWorld(id);
        vvDestroyShape(plane);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyEnergyOfAWorldHasWords) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
