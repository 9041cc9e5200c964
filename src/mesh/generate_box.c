#include "mesh/build.h"

// Vertex (i, j, k) is number (i (ny + 1) + j) (nz + 1) + k. Each cell is 5 tets, a middle one and four at its corners;
// odd cells mirror even ones, so that the diagonals of neighbours meet.
static const int split[2][5][4] = {
    { { 0, 3, 5, 6 }, { 1, 0, 3, 5 }, { 2, 0, 3, 6 }, { 4, 0, 5, 6 }, { 7, 3, 5, 6 } },
    { { 1, 2, 4, 7 }, { 0, 1, 2, 4 }, { 3, 1, 2, 7 }, { 5, 1, 4, 7 }, { 6, 2, 4, 7 } },
};

static int boxVertex(const int *cells, int i, int j, int k)
{
    return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k;
}

static void boxPoints(MeshArrays *arrays, const vvMeshDef *def)
{
    const int *cells = def->cells;
    for (int i = 0; i <= cells[0]; ++i)
    {
        for (int j = 0; j <= cells[1]; ++j)
        {
            for (int k = 0; k <= cells[2]; ++k)
            {
                Vec3 p = { def->size.x * ((double)i / cells[0] - 0.5), def->size.y * ((double)j / cells[1] - 0.5),
                           def->size.z * ((double)k / cells[2] - 0.5) };
                vecStore(arrays->point + 3 * (size_t)boxVertex(cells, i, j, k), p);
            }
        }
    }
}

// corner q of a cell is (i + bit 0, j + bit 1, k + bit 2)
static void boxCell(const int *cells, int i, int j, int k, int *tet)
{
    for (int t = 0; t < 5; ++t)
    {
        for (int c = 0; c < 4; ++c)
        {
            int q = split[(i + j + k) % 2][t][c];
            tet[4 * t + c] = boxVertex(cells, i + (q & 1), j + (q >> 1 & 1), k + (q >> 2 & 1));
        }
    }
}

vvResult generateBox(MeshArrays *arrays, const vvMeshDef *def)
{
    const int *cells = def->cells;
    double points = (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0);
    double tets = 5.0 * cells[0] * cells[1] * cells[2];
    vvResult result = arraysAllocate(arrays, points, tets, 0, 0);
    if (result.code != VV_OK)
        return result;
    boxPoints(arrays, def);
    arrays->cellTets = 5;
    int *tet = arrays->tet;
    for (int i = 0; i < cells[0]; ++i)
    {
        for (int j = 0; j < cells[1]; ++j)
        {
            for (int k = 0; k < cells[2]; ++k, tet += 5 * 4)
                boxCell(cells, i, j, k, tet);
        }
    }
    arraysOrient(arrays);
    return result;
}
