// Woven cloth: the law of plane stress with Young's moduli along warp and weft, a ratio between them and a shear
// modulus, in the frame of warp and weft. With c the stiffness of that law, 1/2 (c00 e00^2 + c11 e11^2) + c01 e00 e11 +
// 2 G e01^2 is mu e:e + lambda/2 tr(e)^2 with mu = G and lambda = c01, and (c_jj - lambda - 2 mu)/2 e_jj^2 along each
// axis.
#include "energy/strain.h"

// the axes of the frame of prepareFrame turned so that the first one is the warp in the triangle's plane
static void turnFrame(Energy *energy, int element, Vec3 warp, const double *rest)
{
    const int *vertices = laneVertices(energy, element / LANES);
    double *inverse = laneParams(energy, element / LANES) + element % LANES + STRAIN_INVERSE * LANES;
    Vec3 origin = laneLoad(vertices, 0, element % LANES, rest);
    Vec3 first = vecSub(laneLoad(vertices, 1, element % LANES, rest), origin);
    Vec3 normal = vecCross(first, vecSub(laneLoad(vertices, 2, element % LANES, rest), origin));
    Vec3 second = vecCross(normal, first);
    double c = vecDot(warp, first) / vecLength(first), s = vecDot(warp, second) / vecLength(second);
    double length = sqrt(c * c + s * s);
    if (!(length > 0))
        return; // across the triangle: its first edge
    c /= length;
    s /= length;
    for (int k = 0; k < 2; ++k)
    {
        double *g = inverse + 2 * k * LANES, x = g[0], y = g[LANES];
        g[0] = c * x + s * y;
        g[LANES] = c * y - s * x;
    }
}

void weavePrepare(Energy *energy, int element, const Recipe *recipe)
{
    const vvLaw *law = recipe->law;
    double *params = laneParams(energy, element / LANES) + element % LANES;
    double young = recipe->young, nu = recipe->poisson;
    double weft = law && law->weft > 0 ? law->weft : young, back = nu * weft / young; // the ratio of a pull along weft
    double shear = law && law->shear > 0 ? law->shear : weaveShear(young, weft, nu);
    double along[2] = { young / (1 - nu * back), weft / (1 - nu * back) }, coupling = nu * along[1];
    params[STRAIN_MU * LANES] = shear;
    params[STRAIN_LAMBDA * LANES] = coupling;
    for (int j = 0; j < WEAVE_PARAMS; ++j)
        params[(energy->kind->paramCount - WEAVE_PARAMS + j) * LANES] = along[j] - coupling - 2 * shear;
    const double *own = recipe->directions;
    Vec3 warp = own != NULL   ? vecLoad(own + 3 * (ptrdiff_t)minInt(element, energy->elementCount - 1))
                : law != NULL ? vec3(law->warp.x, law->warp.y, law->warp.z)
                              : vec3(1, 0, 0);
    turnFrame(energy, element, warp, recipe->rest);
}

// Huber's mean
double weaveShear(double young, double weft, double poisson)
{
    double ratio = weft / young;
    return young * sqrt(ratio) / (2 * (1 + poisson * sqrt(ratio)));
}
