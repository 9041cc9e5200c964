// What a user writes first: a world, a jelly box, one step, the books. Built against the installed copy in every way.
#include <verve/verve.h>

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    vvResult result = { .code = VV_OK };
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    if (result.code != VV_OK)
    {
        fprintf(stderr, "no world: %s; %s\n", result.message, result.remedy);
        return 1;
    }

    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef bodyDef = vvDefaultSoftBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.material = vvMaterial_Rubber();
    vvCreateSoftBody(world, &bodyDef, &result);
    if (result.code != VV_OK)
    {
        fprintf(stderr, "no body: %s; %s\n", result.message, result.remedy);
        return 1;
    }

    result = vvWorld_Step(world, 1.0 / 60.0);
    if (result.code != VV_OK)
    {
        fprintf(stderr, "no step: %s; %s\n", result.message, result.remedy);
        return 1;
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    printf("verve %s total %.17g J hash %016" PRIx64 "\n", vvGetVersion(), ledger.total, vvWorld_GetHash(world));

    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
    return 0;
}
