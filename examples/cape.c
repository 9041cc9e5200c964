// A cape on a walking figure: cloth, two capsules that move, pins that move with them. docs/cookbook.md walks through
// it.
#include <math.h>
#include <stdio.h>
#include <verve/verve.h>

#define CELLS 16
#define DT (1.0 / 60)

static vvColliderId addCapsule(vvWorldId world, double radius, double length, vvVec3 position, vvQuat rotation)
{
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_CAPSULE;
    shapeDef.radius = radius;
    shapeDef.size.y = length; // between the centres of the caps
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shapeDef, NULL);
    def.position = position;
    def.rotation = rotation;
    def.restitution = 0; // cloth does not bounce
    vvColliderId capsule = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape); // the collider keeps it alive
    return capsule;
}

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler"; // calm, as cloth should be
    worldDef.solver = "local-global";   // real time
    vvWorldId world = vvCreateWorld(&worldDef, NULL);

    // the figure: a torso along y, shoulders along x
    vvVec3 torso = { 0, 1.1, 0 }, shoulders = { 0, 1.45, 0 };
    vvQuat upright = { 1, 0, 0, 0 }, across = vvQuat_FromDegrees((vvVec3){ 0, 0, 90 });
    vvColliderId torsoId = addCapsule(world, 0.16, 0.5, torso, upright);
    vvColliderId shouldersId = addCapsule(world, 0.09, 0.3, shoulders, across);

    // the cape: a sheet that begins level behind the shoulders and falls down the back
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateSheetMesh(0.5, 0.9, CELLS, CELLS);
    def.model = "triangle";
    def.material = vvMaterial_Cotton();
    def.damping.mass = 0.5; // 1/s, air
    def.contactSamples = 2; // points between vertices meet the capsules too
    def.position = (vvVec3){ 0, 1.5, -0.56 };
    vvResult result;
    vvSoftBodyId cape = vvCreateSoftBody(world, &def, &result);

    // its front edge is pinned; pins are moved with the shoulders
    int edge[CELLS + 1];
    vvBox front = { { -1, -1, 0.449 }, { 1, 1, 0.451 } };
    int count = vvSoftBody_FindVertices(cape, front, edge, CELLS + 1);
    if (result.code == VV_OK)
        result = vvSoftBody_Pin(cape, edge, count);

    for (int frame = 1; frame <= 120 && result.code == VV_OK; ++frame)
    {
        double forward = 0.25 * frame * DT, up = 0.02 * sin(6 * frame * DT);
        vvVec3 step = { 0, up, forward };
        vvCollider_MoveTo(torsoId, (vvVec3){ 0, torso.y + step.y, step.z }, upright);
        vvCollider_MoveTo(shouldersId, (vvVec3){ 0, shoulders.y + step.y, step.z }, across);
        for (int k = 0; k < count; ++k)
        {
            const double *rest = vvMesh_GetPoints(def.mesh) + 3 * edge[k];
            vvSoftBody_MovePin(cape, edge[k], (vvVec3){ rest[0], 1.5 + step.y, rest[2] - 0.56 + step.z });
        }
        result = vvWorld_Step(world, DT);
    }
    if (result.code != VV_OK)
        fprintf(stderr, "cape: %s; %s\n", result.message, result.remedy);

    double lowest = 10;
    for (int v = 0; v < vvSoftBody_GetVertexCount(cape); ++v)
        lowest = fmin(lowest, vvSoftBody_GetPositions(cape)[3 * v + 1]);
    printf("the hem hangs %.2f m below the shoulders; %d vertices touch the figure\n", 1.5 - lowest,
           vvWorld_GetContacts(world, NULL, 0));
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
