// A curtain on a rail: the vertices of one edge may slide along a line and not leave it. A constraint of your own is a
// projection and a weight; docs/constraints.md walks through this file.
#include <stdio.h>
#include <verve/verve.h>

// the point of the rail, a line along z through the origin, that is nearest to the vertex
static void toRail(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    p[0] = 0;
    p[1] = 0;
    p[2] = z[2];
}

int main(void)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef bodyDef = vvDefaultSoftBodyDef();
    bodyDef.mesh = vvCreateSheetMesh(1, 1, 12, 12);
    bodyDef.model = "triangle";
    bodyDef.material = vvMaterial_Cotton();
    bodyDef.position = (vvVec3){ 0.5, 0, 0 };
    bodyDef.velocity = (vvVec3){ 0, 0, 0.3 };
    vvSoftBodyId curtain = vvCreateSoftBody(world, &bodyDef, NULL);

    // one vertex per element, every one of the edge at the rail
    int edge[13];
    vvBox box = { { -0.51, -1, -1 }, { -0.49, 1, 1 } };
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = edge;
    def.count = vvSoftBody_FindVertices(curtain, box, edge, 13);
    def.corners = 1;
    def.weight = 1000; // N/m
    def.project = toRail;
    vvResult result;
    vvCreateConstraint(curtain, &def, &result);

    for (int frame = 0; frame < 120 && result.code == VV_OK; ++frame)
        result = vvWorld_Step(world, 1.0 / 60);
    if (result.code != VV_OK)
        fprintf(stderr, "constraint: %s; %s\n", result.message, result.remedy);
    const double *x = vvSoftBody_GetPositions(curtain);
    for (int k = 0; k < def.count; k += 4)
        printf("vertex %3d: %.4f m off the rail, at %.3f m along it\n", edge[k], -x[3 * edge[k] + 1],
               x[3 * edge[k] + 2]);
    vvDestroyMesh(bodyDef.mesh);
    vvDestroyWorld(world);
    return result.code == VV_OK ? 0 : 1;
}
