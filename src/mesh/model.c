#include "mesh/model.h"

#include "base/base.h"

// ---- parts ----------------------------------------------------------------------------------------------------------

static double ellipsoidDistance(Vec3 p, Vec3 radii)
{
    Vec3 q = vec3(p.x / radii.x, p.y / radii.y, p.z / radii.z);
    Vec3 w = vec3(q.x / radii.x, q.y / radii.y, q.z / radii.z);
    double length = vecLength(q), slope = vecLength(w);
    return slope > 0 ? length * (length - 1) / slope : -minReal(radii.x, minReal(radii.y, radii.z));
}

// in the plane of the axis and the point: at one of the balls, or at the straight side between them
static double coneDistance(Vec3 p, const Part *part)
{
    Vec3 axis = vecSub(part->b, part->a), off = vecSub(p, part->a);
    double length = vecLength(axis), shrink = part->r - part->s;
    if (length <= fabs(shrink)) // one ball within the other
        return minReal(vecLength(off) - part->r, vecLength(vecSub(p, part->b)) - part->s);
    double along = vecDot(off, axis) / length;
    double across = sqrt(maxReal(0, vecDot(off, off) - along * along));
    double slope = shrink / length, side = sqrt(1 - slope * slope);
    double place = along * side - across * slope; // along the side, from where it leaves the first ball
    if (place < 0)
        return sqrt(along * along + across * across) - part->r;
    if (place > length * side)
        return sqrt((along - length) * (along - length) + across * across) - part->s;
    return along * slope + across * side - part->r;
}

static double boxDistance(Vec3 p, const Part *part)
{
    double x = fabs(p.x - part->a.x) - part->b.x + part->r, y = fabs(p.y - part->a.y) - part->b.y + part->r,
           z = fabs(p.z - part->a.z) - part->b.z + part->r;
    Vec3 out = vec3(maxReal(x, 0), maxReal(y, 0), maxReal(z, 0));
    return vecLength(out) + minReal(0, maxReal(x, maxReal(y, z))) - part->r;
}

double partDistance(const Part *part, Vec3 point)
{
    if (part->kind == PART_ELLIPSOID)
        return ellipsoidDistance(vecSub(point, part->a), part->b);
    return part->kind == PART_CONE ? coneDistance(point, part) : boxDistance(point, part);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void modelEnclose(Model *model)
{
    for (int i = 0; i < model->count; ++i)
    {
        const Part *part = &model->part[i];
        bool cone = part->kind == PART_CONE;
        model->middle[i] = cone ? vecScale(0.5, vecAdd(part->a, part->b)) : part->a;
        model->reach[i] = cone ? 0.5 * vecLength(vecSub(part->b, part->a)) + maxReal(part->r, part->s)
                               : maxReal(part->b.x, maxReal(part->b.y, part->b.z));
        if (part->kind == PART_BOX)
            model->reach[i] = vecLength(part->b);
    }
}

void modelMake(Model *model, const ModelTable *table)
{
    model->count = 0;
    for (int i = 0; i < table->count; ++i)
    {
        Part part = table->part[i];
        model->part[model->count++] = part;
        if (!part.twice)
            continue;
        part.a.z = -part.a.z;
        if (part.kind == PART_CONE)
            part.b.z = -part.b.z;
        part.bone = -part.bone;
        model->part[model->count++] = part;
    }
    ASSERT_CHEAP(model->count <= MOST_PARTS, "the parts of a model fit");
    modelEnclose(model);
}

double modelScale(const ModelTable *table, double size, Vec3 *centre)
{
    Vec3 side = vecSub(table->upper, table->lower);
    *centre = vecScale(0.5, vecAdd(table->lower, table->upper));
    return size / maxReal(side.x, maxReal(side.y, side.z));
}

// smooth minimum, quadratic where two distances differ by less than `blend`
static double flow(double a, double b, double blend)
{
    double near = maxReal(0, blend - fabs(a - b));
    return minReal(a, b) - (blend > 0 ? near * near / (4 * blend) : 0);
}

double modelDistance(const Model *model, Vec3 point)
{
    double distance = INFINITY;
    for (int i = 0; i < model->count; ++i)
    {
        const Part *part = &model->part[i];
        Vec3 off = vecSub(point, model->middle[i]);
        double far = distance + part->blend + model->reach[i]; // from here on it changes nothing
        if (far > 0 && vecDot(off, off) < far * far)
            distance = flow(distance, partDistance(part, point), part->blend);
    }
    return distance;
}
