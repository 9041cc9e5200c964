#include "contact/tree_kernels.h"

#include "contact/lanes.h"

_Static_assert(LEAF_LANES == 8, "triangles fill a Float8");

static void squares(const LeafPack *pack, const float point[3], float square[LEAF_LANES])
{
    Point8 at[4] = { { float8Set(point[0]), float8Set(point[1]), float8Set(point[2]) } };
    SIMD_UNROLL
    for (int k = 0; k < 3; ++k)
        at[1 + k] =
            (Point8){ float8Load(pack->corner[k][0]), float8Load(pack->corner[k][1]), float8Load(pack->corner[k][2]) };
    Point8 gap = fromTriangle(at);
    Float8 result = dot(gap, gap);
    memcpy(square, &result, sizeof result);
}

const LeafKernels KERNEL(leafKernels) = { squares };
