// Pick a body by a ray, drag it by the point that was hit, read the force, let go. docs/cookbook.md walks through it.
#include <stdio.h>
#include <verve/verve.h>

#define DT (1.0 / 60)

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);

    // a block of silicone, its underside held
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.1, 0.2 }, 6, 3, 6);
    def.material = vvMaterial_Silicone();
    def.damping.rigidPreserving = 10; // 1/s: vibrations die away
    vvResult result;
    vvSoftBodyId block = vvCreateSoftBody(world, &def, &result);
    int held[49];
    vvBox underside = { { -1, -0.0501, -1 }, { 1, -0.0499, 1 } };
    int count = vvSoftBody_FindVertices(block, underside, held, 49);
    if (result.code == VV_OK)
        result = vvSoftBody_Pin(block, held, count);

    // a ray from above, as from a camera through the mouse
    vvPick pick = vvWorld_CastRay(world, (vvVec3){ 0.03, 1, 0.02 }, (vvVec3){ 0, -1, 0 }, 10);
    if (pick.kind != VV_PICK_BODY)
        return 1; // the ray hit nothing, or a collider

    // a spring to the point that was hit
    vvHandleDef handleDef = vvDefaultHandleDef();
    handleDef.body = pick.body;
    for (int k = 0; k < 3; ++k)
    {
        handleDef.vertices[k] = pick.vertices[k];
        handleDef.weights[k] = pick.weights[k];
    }
    vvHandleId handle = vvCreateHandle(world, &handleDef, &result);

    // pull it up by 3 cm in half a second, then hold still
    for (int frame = 1; frame <= 120 && result.code == VV_OK; ++frame)
    {
        double way = 0.03 * (frame < 30 ? frame / 30.0 : 1);
        vvHandle_MoveTo(handle, (vvVec3){ pick.point.x, pick.point.y + way, pick.point.z });
        result = vvWorld_Step(world, DT);
        if (frame % 30 == 0)
            printf("frame %3d: the hand pulls with %.3f N\n", frame, vvHandle_GetForce(handle).y);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    printf("the hand has done %.4f J of work, %.4f J are stored\n", ledger.added, ledger.elastic);

    vvDestroyHandle(handle); // let go
    for (int frame = 0; frame < 60 && result.code == VV_OK; ++frame)
        result = vvWorld_Step(world, DT);
    if (result.code != VV_OK)
        fprintf(stderr, "grab: %s; %s\n", result.message, result.remedy);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
