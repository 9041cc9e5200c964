#include "mesh/pieces.h"

vvResult meshCut(const vvMesh *mesh, const double *positions, const Blade *blade, MeshChange *change)
{
    (void)mesh;
    (void)positions;
    (void)blade;
    (void)change;
    return resultMake(VV_BAD_INPUT, "split the mesh along its facets (meshSplit)", "meshes are not cut yet");
}
