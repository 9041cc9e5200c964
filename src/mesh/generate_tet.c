#include "mesh/build.h"

// Four alternate corners of a cube with side edge / sqrt 2, centre at the origin.
vvResult generateTet(MeshArrays *arrays, const vvMeshDef *def)
{
    static const double corner[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    vvResult result = arraysAllocate(arrays, 4, 1, 0, 0);
    if (result.code != VV_OK)
        return result;
    double half = def->size.x / (2 * sqrt(2.0));
    for (int i = 0; i < 4; ++i)
    {
        arrays->tet[i] = i;
        for (int c = 0; c < 3; ++c)
            arrays->point[3 * i + c] = half * corner[i][c];
    }
    arraysOrient(arrays);
    return result;
}
