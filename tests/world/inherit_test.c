// A body whose mesh changes in one place takes over what its other elements are made of: constants, graph, matrices.
// The bits are those of a body made from scratch, as a saved state makes it in another world.
#include "scenes.h"
#include "undamped.h"

#include <stdlib.h>

#define CELLS 24

typedef struct Kind
{
    const char *model, *bending, *method;
    bool solid, remove;
} Kind;

static vvWorldId makeKind(const Kind *kind, vvSoftBodyId *body)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    if (kind->method != NULL)
        worldDef.method = kind->method;
    worldDef.threads = 1;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = undampedDef();
    def.material = kind->solid ? vvMaterial_Rubber() : vvMaterial_Cotton();
    def.model = kind->model;
    def.bendingModel = kind->bending;
    vvMesh *mesh =
        kind->solid ? vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.5 }, 10, 5, 5) : vvCreateSheetMesh(1, 1, CELLS, CELLS);
    *body = makeBody(world, mesh, def);
    CHECK_OK(vvSoftBody_Pin(*body, (int[]){ 0, CELLS }, 2));
    return world;
}

// some edges from a side inwards, the faces of a tet, or elements that go
static void change(vvSoftBodyId body, const Kind *kind, int frame)
{
    int item[12];
    if (kind->remove)
    {
        for (int k = 0; k < 3; ++k)
            item[k] = 40 * frame + 7 * k;
        CHECK_OK(vvSoftBody_Remove(body, item, 3));
        return;
    }
    const int *tet = kind->solid ? vvMesh_GetTets(vvSoftBody_GetMesh(body)) + 4 * (97 * frame + 5) : NULL;
    for (int k = 0; k < 12 && kind->solid; ++k)
        item[k] = tet[(k / 3 + 1 + k % 3) % 4];
    for (int k = 0; k < 3 && !kind->solid; ++k)
    {
        item[2 * k] = (CELLS - k) * (CELLS + 1) + 4 + 3 * frame;
        item[2 * k + 1] = item[2 * k] - (CELLS + 1);
    }
    CHECK_OK(vvSoftBody_Split(body, item, kind->solid ? 4 : 3));
}

static void sameAsFromScratch(void **unused)
{
    (void)unused;
    static const Kind kinds[] = { { "triangle", NULL, NULL, false, false },
                                  { "triangle", "dihedral", NULL, false, false },
                                  { "triangle", NULL, "implicit-midpoint", false, true },
                                  { "spring", NULL, NULL, false, false },
                                  { "corotated", NULL, NULL, true, false } };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
    {
        vvSoftBodyId body, other;
        vvWorldId world = makeKind(&kinds[k], &body), second = makeKind(&kinds[k], &other);
        for (int frame = 0; frame < 4; ++frame)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            change(body, &kinds[k], frame);
            size_t size = vvWorld_GetStateSize(world);
            void *bytes = malloc(size);
            CHECK_OK(vvWorld_SaveState(world, bytes, size));
            CHECK_OK(vvWorld_RestoreState(second, bytes, size));
            free(bytes);
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            CHECK_OK(vvWorld_Step(second, 1.0 / 60));
            if (vvWorld_GetHash(world) != vvWorld_GetHash(second))
                fail_msg("%s, frame %d: other bits than a body made from scratch", kinds[k].model, frame);
        }
        vvDestroyWorld(world);
        vvDestroyWorld(second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sameAsFromScratch) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
