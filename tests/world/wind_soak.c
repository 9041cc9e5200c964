// Figure 10 of Bouaziz 2014: a flag in extreme wind, 10,000 steps, and it is still a flag.
#include "scenes.h"
#include "undamped.h"

static void aFlagOutlastsTheStorm(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.solver = "local-global";
    def.iterations = 10;
    def.wind = (vvWind){ .velocity = { 60, 10, 3 }, .density = 1.2, .drag = 1.17 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef flag = undampedDef();
    flag.material = vvMaterial_Cotton();
    flag.material.loss = 0;
    flag.model = "triangle";
    vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(1.2, 0.75, 16, 10), flag);
    int mast[11];
    for (int k = 0; k < 11; ++k)
        mast[k] = k;
    CHECK_OK(vvSoftBody_Pin(body, mast, 11));
    for (int n = 0; n < 10000; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        vvVec3 x = vertexPosition(body, v);
        assert_true(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
        CHECK_BELOW(fabs(x.x) + fabs(x.y) + fabs(x.z), 20); // within reach of the mast
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(aFlagOutlastsTheStorm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
