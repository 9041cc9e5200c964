#include "rigid/manifold.h"

#define COPLANAR 1e-7 // of the size: corners this close to a face belong to it

static Vec3 outward(const Core *core, Vec3 local)
{
    return vecAdd(matApply(&core->turn, local), core->position);
}

static Vec3 column(const Mat3 *m, int k)
{
    return vec3(m->m[0][k], m->m[1][k], m->m[2][k]);
}

static double component(Vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

// ---- making them ----------------------------------------------------------------------------------------------------

static const int counts[][3] = { // vertices, faces, edges
    [CORE_POINT] = { 1, 0, 0 },
    [CORE_SEGMENT] = { 2, 0, 1 },
    [CORE_TRIANGLE] = { 3, 2, 3 },
    [CORE_BOX] = { 8, 6, 12 },
    [CORE_HULL] = { 0, 0, 0 }
};

static void setKind(Core *core, CoreKind kind)
{
    core->kind = kind;
    core->vertexCount = counts[kind][0];
    core->faceCount = counts[kind][1];
    core->edgeCount = counts[kind][2];
}

bool coreMake(const vvShape *shape, const Pose *pose, Vec3 about, Core *core)
{
    *core = (Core){ .turn = pose->turn, .position = vecSub(pose->position, about), .form = shapeForm(shape) };
    core->half = core->form.half;
    core->radius = core->form.radius;
    vvBox bounds = vvShape_GetBounds(shape);
    core->size = vecLength(vecSub(bounds.upper, bounds.lower));
    switch (core->form.kind)
    {
    case VV_SHAPE_SPHERE:
        setKind(core, CORE_POINT);
        return true;
    case VV_SHAPE_CAPSULE:
        setKind(core, CORE_SEGMENT);
        return true;
    case VV_SHAPE_BOX:
        setKind(core, CORE_BOX);
        return true;
    case VV_SHAPE_CONVEX:
        setKind(core, CORE_HULL);
        core->vertexCount = core->edgeCount = 3 * core->form.faceCount;
        core->faceCount = core->form.faceCount;
        return true;
    default:
        return false;
    }
}

Core coreTriangle(const Vec3 corner[3])
{
    Core core = { .turn = matIdentity(), .corner = { corner[0], corner[1], corner[2] } };
    setKind(&core, CORE_TRIANGLE);
    Vec3 ab = vecSub(corner[1], corner[0]), ac = vecSub(corner[2], corner[0]), cross = vecCross(ab, ac);
    double length = vecLength(cross);
    core.normal = length > 0 ? vecScale(1 / length, cross) : vec3(0, 1, 0);
    core.size = maxReal(vecLength(ab), vecLength(ac));
    return core;
}

// ---- vertices -------------------------------------------------------------------------------------------------------

// corner i of a box has the signs of its bits: x 1, y 2, z 4
static Vec3 boxCorner(Vec3 half, int i)
{
    return vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
}

Vec3 coreVertex(const Core *core, int vertex)
{
    switch (core->kind)
    {
    case CORE_POINT:
        return core->position;
    case CORE_SEGMENT:
        return outward(core, vec3(0, vertex == 0 ? -core->half.y : core->half.y, 0));
    case CORE_TRIANGLE:
        return core->corner[vertex];
    case CORE_BOX:
        return outward(core, boxCorner(core->half, vertex));
    default:
        return outward(core, vecLoad(core->form.corner + 3 * (size_t)vertex));
    }
}

int coreVertexName(const Core *core, int vertex)
{
    return core->kind == CORE_HULL ? core->form.point[vertex] : vertex;
}

int coreSupport(const Core *core, Vec3 direction)
{
    if (core->kind == CORE_POINT)
        return 0;
    if (core->kind == CORE_TRIANGLE)
    {
        double at[3];
        for (int k = 0; k < 3; ++k)
            at[k] = vecDot(core->corner[k], direction);
        int best = at[1] > at[0] ? 1 : 0;
        return at[2] > at[best] ? 2 : best;
    }
    Mat3 back = matTranspose(&core->turn);
    Vec3 d = matApply(&back, direction);
    if (core->kind == CORE_SEGMENT)
        return d.y > 0 ? 1 : 0;
    if (core->kind == CORE_BOX)
        return (d.x > 0 ? 1 : 0) + (d.y > 0 ? 2 : 0) + (d.z > 0 ? 4 : 0);
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < core->vertexCount; ++i)
    {
        double at = vecDot(vecLoad(core->form.corner + 3 * (size_t)i), d);
        if (at > most)
        {
            most = at;
            best = i;
        }
    }
    return best;
}

vvBox coreBounds(const Core *core)
{
    Vec3 first = coreVertex(core, 0), around = vec3(core->radius, core->radius, core->radius);
    vvBox box = { first, first };
    for (int i = 1; i < core->vertexCount; ++i)
        boxInclude(&box, coreVertex(core, i));
    return (vvBox){ vecSub(box.lower, around), vecAdd(box.upper, around) };
}

// ---- faces ----------------------------------------------------------------------------------------------------------

// of a box: axis face / 2, the upper side first
Vec3 coreFaceNormal(const Core *core, int face)
{
    if (core->kind == CORE_TRIANGLE)
        return face == 0 ? core->normal : vecScale(-1, core->normal);
    if (core->kind == CORE_BOX)
        return vecScale(face % 2 == 0 ? 1 : -1, column(&core->turn, face / 2));
    return matApply(&core->turn, vecLoad(core->form.faceNormal + 3 * (size_t)face));
}

Vec3 coreFacePoint(const Core *core, int face)
{
    if (core->kind == CORE_TRIANGLE)
        return core->corner[0];
    if (core->kind == CORE_BOX)
        return coreVertex(core, face % 2 == 0 ? 7 : 0);
    return coreVertex(core, 3 * face);
}

int coreFaceAlong(const Core *core, Vec3 direction, double *cosine)
{
    *cosine = -INFINITY;
    if (core->faceCount == 0)
        return -1;
    if (core->kind == CORE_TRIANGLE)
    {
        double at = vecDot(core->normal, direction);
        *cosine = fabs(at);
        return at >= 0 ? 0 : 1;
    }
    Mat3 back = matTranspose(&core->turn);
    Vec3 d = matApply(&back, direction);
    int best = 0;
    for (int f = 0; f < core->faceCount; ++f)
    {
        double at = core->kind == CORE_BOX ? (f % 2 == 0 ? 1 : -1) * component(d, f / 2)
                                           : vecDot(vecLoad(core->form.faceNormal + 3 * (size_t)f), d);
        if (at > *cosine)
        {
            *cosine = at;
            best = f;
        }
    }
    return best;
}

// grows with the angle of (x, y) from 0 to 4
static double pseudoAngle(double x, double y)
{
    double sum = fabs(x) + fabs(y), at = sum > 0 ? y / sum : 0;
    return x >= 0 ? (y >= 0 ? at : 4 + at) : 2 - at;
}

// The corners of a hull in the plane of a face, in the order of their angles about their middle. They are corners of a
// convex polygon.
static void hullPolygon(const Core *core, int face, Polygon *polygon, int *name)
{
    Vec3 normal = vecLoad(core->form.faceNormal + 3 * (size_t)face);
    const double *corner = core->form.corner;
    double level = vecDot(normal, vecLoad(corner + 9 * (size_t)face)), angle[POLYGON_LIMIT];
    Vec3 middle = vec3(0, 0, 0), flat[POLYGON_LIMIT];
    int count = 0;
    for (int i = 0; i < core->vertexCount && count < POLYGON_LIMIT; ++i)
    {
        Vec3 p = vecLoad(corner + 3 * (size_t)i);
        bool new = fabs(vecDot(normal, p) - level) <= COPLANAR * core->size;
        for (int k = 0; k < count && new; ++k)
            new = name[k] != core->form.point[i];
        if (!new)
            continue;
        name[count] = core->form.point[i];
        flat[count++] = p;
        middle = vecAdd(middle, p);
    }
    middle = vecScale(1.0 / count, middle);
    Vec3 u = vecSub(flat[0], middle), v = vecCross(normal, u);
    for (int i = 0; i < count; ++i)
    {
        Vec3 from = vecSub(flat[i], middle), p = flat[i];
        double at = i == 0 ? 0 : pseudoAngle(vecDot(from, u), vecDot(from, v));
        int own = name[i], place = i;
        for (; place > 0 && angle[place - 1] > at; --place)
        {
            angle[place] = angle[place - 1];
            flat[place] = flat[place - 1];
            name[place] = name[place - 1];
        }
        angle[place] = at;
        flat[place] = p;
        name[place] = own;
    }
    polygon->count = count;
    for (int i = 0; i < count; ++i)
        polygon->point[i] = outward(core, flat[i]);
}

void polygonOfFace(const Core *core, int face, Polygon *polygon)
{
    int name[POLYGON_LIMIT];
    if (core->kind == CORE_HULL)
        hullPolygon(core, face, polygon, name);
    else if (core->kind == CORE_BOX)
    {
        static const int around[4] = { 0, 1, 3, 2 }; // bits along the two other axes
        int axis = face / 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, side = face % 2 == 0 ? 1 << axis : 0;
        polygon->count = 4;
        for (int i = 0; i < 4; ++i)
        {
            int bits = around[face % 2 == 0 ? i : 3 - i];
            name[i] = side + (bits & 1 ? u : 0) + (bits & 2 ? v : 0);
            polygon->point[i] = coreVertex(core, name[i]);
        }
    }
    else
    {
        polygon->count = core->vertexCount;
        for (int i = 0; i < core->vertexCount; ++i)
        {
            name[i] = face == 1 ? core->vertexCount - 1 - i : i; // the back of a triangle
            polygon->point[i] = coreVertex(core, name[i]);
        }
    }
    for (int i = 0; i < polygon->count; ++i)
        polygon->edge[i] = featureOfEdge(name[i], name[(i + 1) % polygon->count]);
}

// ---- edges ----------------------------------------------------------------------------------------------------------

static CoreEdge betweenVertices(const Core *core, int from, int to)
{
    Vec3 start = coreVertex(core, from);
    return (CoreEdge){ .start = start,
                       .along = vecSub(coreVertex(core, to), start),
                       .name = { coreVertexName(core, from), coreVertexName(core, to) } };
}

// Of a hull each edge comes twice, once from each side; the later has no length.
CoreEdge coreEdge(const Core *core, int edge)
{
    if (core->kind == CORE_SEGMENT)
        return betweenVertices(core, 0, 1);
    if (core->kind == CORE_TRIANGLE)
    {
        CoreEdge result = betweenVertices(core, edge, (edge + 1) % 3);
        Vec3 out = vecCross(result.along, core->normal);
        double length = vecLength(out);
        result.sides = 3;
        result.side[0] = core->normal;
        result.side[1] = length > 0 ? vecScale(1 / length, out) : core->normal;
        result.side[2] = vecScale(-1, core->normal);
        return result;
    }
    if (core->kind == CORE_BOX)
    {
        int axis = edge / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        int from = (edge & 1 ? 1 << u : 0) + (edge & 2 ? 1 << v : 0);
        CoreEdge result = betweenVertices(core, from, from + (1 << axis));
        result.sides = 2;
        result.side[0] = vecScale(edge & 1 ? 1 : -1, column(&core->turn, u));
        result.side[1] = vecScale(edge & 2 ? 1 : -1, column(&core->turn, v));
        return result;
    }
    int face = edge / 3, other = core->form.neighbour[edge], next = 3 * face + (edge + 1) % 3;
    if (other < face)
        return (CoreEdge){ .sides = 0 };
    CoreEdge result = betweenVertices(core, edge, next);
    result.sides = 2;
    result.side[0] = coreFaceNormal(core, face);
    result.side[1] = coreFaceNormal(core, other);
    return result;
}
