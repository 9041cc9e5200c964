#include "mesh/build.h"

// A wall of triangles, axis y: rings of vertices, every second turned by half a step, so that triangles are isosceles
// and no direction around is preferred. Vertex a of ring b is number b n + a; the springs are the edges of the
// triangles.

static void tubePoints(MeshArrays *arrays, const vvMeshDef *def)
{
    int around = def->cells[0], along = def->cells[1];
    double *point = arrays->point, radius = def->size.x / 2;
    for (int b = 0; b <= along; ++b)
    {
        for (int a = 0; a < around; ++a, point += 3)
        {
            double sine, cosine;
            sineCosine(2 * PI * (a + 0.5 * (b % 2)) / around, &sine, &cosine);
            vecStore(point, vec3(radius * cosine, def->size.y * ((double)b / along - 0.5), radius * sine));
        }
    }
}

// the two triangles above the edge from vertex a of ring b to the next, outward
static void tubeCell(int around, int a, int b, int *triangle)
{
    int low = b * around + a, lowNext = b * around + (a + 1) % around;
    int high = low + around, highNext = lowNext + around;
    const int even[6] = { low, high, lowNext, lowNext, high, highNext };
    const int odd[6] = { low, high, highNext, low, highNext, lowNext };
    for (int n = 0; n < 6; ++n)
        triangle[n] = b % 2 == 0 ? even[n] : odd[n];
}

vvResult generateTube(MeshArrays *arrays, const vvMeshDef *def)
{
    int around = def->cells[0], along = def->cells[1];
    vvResult result = arraysAllocate(arrays, around * (along + 1.0), 0, 2.0 * around * along, 0);
    if (result.code != VV_OK)
        return result;
    tubePoints(arrays, def);
    int *triangle = arrays->triangle;
    for (int b = 0; b < along; ++b)
    {
        for (int a = 0; a < around; ++a, triangle += 6)
            tubeCell(around, a, b, triangle);
    }
    return result;
}
