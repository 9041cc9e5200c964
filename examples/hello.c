// A jelly cube spins and wobbles for ten seconds. What does it keep of its energy?
#include <stdio.h>
#include <verve/verve.h>

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef jelly = vvDefaultSoftBodyDef();
    jelly.mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 4, 4, 4);
    jelly.material = vvMaterial_Jelly();
    jelly.spin = (vvVec3){ 0, 0, 6 };
    vvCreateSoftBody(world, &jelly, NULL);
    for (int frame = 0; frame < 600; ++frame)
        vvWorld_Step(world, 1.0 / 60.0);
    vvLedger l = vvWorld_GetLedger(world);
    printf("After 600 frames the jelly keeps %.1f %% of its energy.\n", 100 * l.total / l.target);
}
