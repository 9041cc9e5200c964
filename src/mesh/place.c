#include "mesh/build.h"

vvResult checkPlacing(const vvMeshDef *def)
{
    if (!(def->scale > 0 && isfinite(def->scale)))
        return resultMake(VV_BAD_INPUT, "give a factor such as 0.001, which turns millimetres into metres",
                          "scale is %g, must be above 0 and finite", def->scale);
    if (!vecFinite(def->rotate))
        return resultMake(VV_BAD_INPUT, "give angles in degrees about x, y and z",
                          "rotate is (%g, %g, %g) degrees, must be finite", def->rotate.x, def->rotate.y,
                          def->rotate.z);
    if (!vecFinite(def->translate))
        return resultMake(VV_BAD_INPUT, "give a displacement in metres", "translate is (%g, %g, %g) m, must be finite",
                          def->translate.x, def->translate.y, def->translate.z);
    return resultOk();
}

// quarter turns are exact: only what is left of them, at most 45 degrees, goes through the series
static void degreesSineCosine(double degrees, double *sine, double *cosine)
{
    double turn = fmod(degrees, 360);
    double quarters = floor(turn / 90 + 0.5);
    double s, c;
    sineCosine((turn - 90 * quarters) * (PI / 180), &s, &c);
    int quarter = (int)(quarters - 4 * floor(quarters / 4));
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

// one turn after the other, each exact where its angle is
static Vec3 turned(Vec3 p, const double *sine, const double *cosine)
{
    p = vec3(p.x, cosine[0] * p.y - sine[0] * p.z, sine[0] * p.y + cosine[0] * p.z);
    p = vec3(cosine[1] * p.x + sine[1] * p.z, p.y, cosine[1] * p.z - sine[1] * p.x);
    return vec3(cosine[2] * p.x - sine[2] * p.y, sine[2] * p.x + cosine[2] * p.y, p.z);
}

void placePoints(MeshArrays *arrays, const vvMeshDef *def)
{
    bool turns = def->rotate.x != 0 || def->rotate.y != 0 || def->rotate.z != 0;
    bool moves = def->translate.x != 0 || def->translate.y != 0 || def->translate.z != 0;
    if (def->scale == 1 && !turns && !moves) // the bits stay, signs of zeros too
        return;
    double sine[3], cosine[3], *normal = arrays->faces != NULL ? (double *)arrays->faces->normalValues : NULL;
    degreesSineCosine(def->rotate.x, &sine[0], &cosine[0]);
    degreesSineCosine(def->rotate.y, &sine[1], &cosine[1]);
    degreesSineCosine(def->rotate.z, &sine[2], &cosine[2]);
    for (int i = 0; i < arrays->pointCount; ++i)
    {
        Vec3 p = vecScale(def->scale, cornerPoint(arrays->point, i));
        p = turns ? turned(p, sine, cosine) : p;
        vecStore(arrays->point + 3 * (size_t)i, moves ? vecAdd(p, def->translate) : p);
    }
    for (int i = 0; turns && normal != NULL && i < arrays->faces->normalCount; ++i)
        vecStore(normal + 3 * (size_t)i, turned(vecLoad(normal + 3 * (size_t)i), sine, cosine));
}
