#include "solve/cloth.h"
#include <stdio.h>
static vvWorldId makeBar(const vvWorldDef *def, vvSoftBodyId *bar, int n)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    *bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 1.2, 0.4, 0.4 }, 3*n, n, n), elasticDef(1000, 1e6, 0.4));
    int held[400], count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(*bar); ++v)
        if (vertexPosition(*bar, v).x < -0.599)
            held[count++] = v;
    CHECK_OK(vvSoftBody_Pin(*bar, held, count));
    return world;
}
static void measure(void **s)
{
    (void)s;
    for (int n = 4; n < 10; n += 4)
    for (int exact = 0; exact < 2; ++exact)
    for (int p = 0; vvGetPreconditionerName(p); ++p)
    {
        vvWorldDef def = solverDef("newton-cg");
        def.preconditioner = vvGetPreconditionerName(p);
        vvSoftBodyId b;
        vvWorldId w = makeBar(&def, &b, n);
        worldFind(w)->method.solving.exactHessian = exact;
        double t = clockSeconds();
        Counts c = runCounted(w, 10);
        printf("%d exact %d %-9s: newton %.3f cg %.1f unconv %d  %.3f s\n", n, exact, def.preconditioner, c.newton/10.0, c.cg/10.0, c.unconverged, clockSeconds()-t);
        vvDestroyWorld(w);
    }
    const char *names[] = { "newton", "simplified-newton", "simplified-newton" };
    for (int n = 4; n < 10; n += 4)
    for (int k = 0; k < 3; ++k)
    {
        vvWorldDef def = solverDef(names[k]);
        def.jacobian = k == 2 ? "linear" : "frozen";
        def.iterations = k == 2 ? 60: 0;
        vvSoftBodyId b;
        vvWorldId w = makeBar(&def, &b, n);
        double t = clockSeconds();
        Counts c = runCounted(w, 10);
        printf("%d %s %s: newton %.3f fact %.2f unconv %d  %.3f s\n", n, names[k], def.jacobian, c.newton/10.0, c.factorizations/10.0, c.unconverged, clockSeconds()-t);
        vvDestroyWorld(w);
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(measure) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
