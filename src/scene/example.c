// Examples of a body: shapes beside its rest shape, from files or by stretching and turning the rest shape.
#include "scene/built.h"

#include "base/vec.h"

#include <string.h>

// the rest shape as a rod: stretched about its middle, then turned along its length
typedef struct Rod
{
    Vec3 middle, stretch;
    int axis;                    // of its length
    Vec3 tangent;                // unit vector of that axis
    Vec3 pole;                   // unit vector that cross-sections turn about
    Vec3 straight, round, aside; // the tangent along the pole, across it, and the third direction
    double rate;                 // 1/m: radians per length
} Rod;

static Vec3 toVec(vvVec3 v)
{
    return vec3(v.x, v.y, v.z);
}

static double component(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static Rod rodOf(const Json *example, const double *rest, int count)
{
    Vec3 low = vecLoad(rest), high = low, turn = toVec(treeVector(example, "turn"));
    for (int v = 0; v < count; ++v)
    {
        Vec3 p = vecLoad(rest + 3 * (ptrdiff_t)v);
        low = vec3(minReal(low.x, p.x), minReal(low.y, p.y), minReal(low.z, p.z));
        high = vec3(maxReal(high.x, p.x), maxReal(high.y, p.y), maxReal(high.z, p.z));
    }
    Vec3 size = vecSub(high, low);
    Rod rod = { .middle = vecScale(0.5, vecAdd(low, high)), .stretch = vec3(1, 1, 1) };
    if (treeItem(example, "stretch") != NULL)
        rod.stretch = toVec(treeVector(example, "stretch"));
    rod.axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (treeString(example, "along") != NULL)
        rod.axis = treeString(example, "along")[0] - 'x';
    rod.tangent = vec3(rod.axis == 0, rod.axis == 1, rod.axis == 2);
    double whole = vecLength(turn), length = component(size, rod.axis) * component(rod.stretch, rod.axis);
    rod.pole = whole > 0 ? vecScale(1 / whole, turn) : rod.tangent;
    rod.rate = length > 0 ? whole * (PI / 180) / length : 0;
    rod.straight = vecScale(vecDot(rod.pole, rod.tangent), rod.pole);
    rod.round = vecSub(rod.tangent, rod.straight);
    rod.aside = vecCross(rod.pole, rod.tangent);
    return rod;
}

// Constant curvature and twist: the cross-section at s from the middle is turned by rate s, and the centre line is the
// integral of the turned tangent.
static Vec3 bent(const Rod *rod, Vec3 p)
{
    Vec3 q = vecSub(p, rod->middle);
    q = vec3(rod->stretch.x * q.x, rod->stretch.y * q.y, rod->stretch.z * q.z);
    if (rod->rate == 0)
        return vecAdd(rod->middle, q);
    double s = component(q, rod->axis), sine, cosine;
    sineCosine(rod->rate * s, &sine, &cosine);
    Vec3 centre = vecAdd(vecScale(s, rod->straight),
                         vecScale(1 / rod->rate, vecAdd(vecScale(sine, rod->round), vecScale(1 - cosine, rod->aside))));
    Vec3 off = vecSub(q, vecScale(s, rod->tangent)), along = vecScale(vecDot(rod->pole, off), rod->pole);
    Vec3 turned = vecAdd(along, vecAdd(vecScale(cosine, vecSub(off, along)), vecScale(sine, vecCross(rod->pole, off))));
    return vecAdd(rod->middle, vecAdd(centre, turned));
}

// scaled and turned as the body's own mesh is
static vvResult readPoints(const SceneWorld *built, const Json *example, const Json *mesh, int count, double *out)
{
    vvMeshDef def = vvDefaultMeshDef();
    vvResult result = resultOk();
    def.shape = VV_MESH_FILE;
    def.allocator = built->memory.hook;
    def.file = treeString(example, "file");
    def.scale = treeNumber(mesh, "scale", 1) * unitMetres(treeString(mesh, "unit"));
    def.rotate = treeVector(mesh, "rotate");
    vvMesh *read = vvCreateMesh(&def, &result);
    if (read == NULL)
        return result;
    int found = vvMesh_GetVertexCount(read);
    if (found == count)
        memcpy(out, vvMesh_GetPoints(read), 3 * (size_t)count * sizeof(double));
    else
        result = resultMake(VV_BAD_INPUT, "save the deformed body with the same vertices in the same order",
                            "the file has %d vertices, must have the body's %d", found, count);
    vvDestroyMesh(read);
    return result;
}

vvResult readExamples(SceneWorld *built, int index, const Json *body, double **out)
{
    const vvMesh *mesh = built->mesh[index];
    const double *rest = vvMesh_GetPoints(mesh);
    int count = vvMesh_GetVertexCount(mesh), entry = 0;
    vvResult result = resultOk();
    *out = NULL;
    if (treeCount(body, "examples") == 0)
        return result;
    *out = ALLOCATE(&built->memory, double, 3 * (size_t)count * (size_t)treeCount(body, "examples"));
    if (*out == NULL)
        return resultOutOfMemory("the examples of a body");
    TREE_EACH(example, treeItem(body, "examples"))
    {
        double *points = *out + 3 * (size_t)count * (size_t)entry;
        Rod rod = rodOf(example, rest, count);
        for (int v = 0; v < count; ++v)
            vecStore(points + 3 * (ptrdiff_t)v, bent(&rod, vecLoad(rest + 3 * (ptrdiff_t)v)));
        if (treeString(example, "file") != NULL && result.code == VV_OK)
            result = readPoints(built, example, treeItem(body, "mesh"), count, points);
        if (result.code != VV_OK)
            return resultMake(result.code, result.remedy, "bodies[%d].examples[%d].file: %s", index, entry,
                              result.message);
        entry += 1;
    }
    return result;
}
