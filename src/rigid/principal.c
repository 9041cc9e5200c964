#include "linear/eigen.h"
#include "rigid/rigid.h"

void rigidPrincipal(const MassProperties *of, Vec3 *inertia, vvQuat *rotation)
{
    double matrix[9], values[3], axis[9];
    for (int i = 0; i < 9; ++i)
        matrix[i] = of->inertia.m[i / 3][i % 3];
    bool isDiagonal = matrix[1] == 0 && matrix[2] == 0 && matrix[5] == 0;
    if (isDiagonal) // the frame of boxes and capsules stays, whatever the order of their moments
    {
        *inertia = vec3(matrix[0], matrix[4], matrix[8]);
        *rotation = (vvQuat){ 1, 0, 0, 0 };
        return;
    }
    eigenDense(3, matrix, values, axis);
    // the columns of the rotation are the axes; the third follows from the others, so that the frame is right-handed
    Vec3 x = vecLoad(axis), y = vecLoad(axis + 3), z = vecCross(x, y);
    Mat3 turn = { { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } };
    *inertia = vec3(values[0], values[1], values[2]);
    *rotation = quatOfMatrix(&turn);
}
