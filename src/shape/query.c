// Questions about volumes: where a ball that moves first touches a shape, and whether a box meets it.
#include "shape/kinds.h"

// ---- balls that move ------------------------------------------------------------------------------------------------

typedef struct Sweep
{
    Vec3 centre, direction;
    double radius, first; // m; shrinks as facets are met
} Sweep;

static bool sweepFacet(const Facet *facet, void *context)
{
    Sweep *sweep = context;
    sweep->first = minReal(sweep->first, facetSweep(facet, sweep->centre, sweep->direction, sweep->radius));
    return true;
}

// clips [*enter, *leave] of a path along one axis to where it is within [lower, upper]; false: nothing is left
static bool clip(double origin, double direction, double lower, double upper, double *enter, double *leave)
{
    if (direction == 0)
        return origin >= lower && origin <= upper;
    double first = (lower - origin) / direction, second = (upper - origin) / direction;
    *enter = maxReal(*enter, minReal(first, second));
    *leave = minReal(*leave, maxReal(first, second));
    return *enter <= *leave;
}

static double along(double origin, double direction, double travel)
{
    return direction == 0 ? origin : origin + travel * direction;
}

// the box around the part of the path on which the ball is near the bounds; false: it never is
static bool boxOfSweep(const vvBox *bounds, const Sweep *sweep, double farthest, vvBox *near)
{
    double enter = 0, leave = farthest, r = sweep->radius * (1 + 1e-9);
    Vec3 o = sweep->centre, d = sweep->direction;
    if (!clip(o.x, d.x, bounds->lower.x - r, bounds->upper.x + r, &enter, &leave) ||
        !clip(o.y, d.y, bounds->lower.y - r, bounds->upper.y + r, &enter, &leave) ||
        !clip(o.z, d.z, bounds->lower.z - r, bounds->upper.z + r, &enter, &leave))
        return false;
    Vec3 from = { along(o.x, d.x, enter), along(o.y, d.y, enter), along(o.z, d.z, enter) };
    Vec3 to = { along(o.x, d.x, leave), along(o.y, d.y, leave), along(o.z, d.z, leave) };
    r += 1e-9 * (fabs(from.x) + fabs(from.y) + fabs(from.z)); // what rounding may have lost
    near->lower = vec3(minReal(from.x, to.x) - r, minReal(from.y, to.y) - r, minReal(from.z, to.z) - r);
    near->upper = vec3(maxReal(from.x, to.x) + r, maxReal(from.y, to.y) + r, maxReal(from.z, to.z) + r);
    return true;
}

bool shapeSweep(const vvShape *shape, Vec3 centre, double radius, Vec3 direction, double farthest, double *distance)
{
    double gap = shapeSample(shape, centre, INFINITY, -1).distance;
    *distance = 0;
    if (gap <= radius)
        return true;
    if (!isfinite(gap))
        return false;
    if (shapeIs(shape, TAG_SAMPLED))
        return samplesMarch(shape, centre, direction, radius, farthest, distance);
    if (shapeIs(shape, TAG_PLANE))
    {
        double slope = -vecDot(shape->normal, direction);
        *distance = (gap - radius) / slope;
        return slope > 0 && *distance <= farthest;
    }
    Sweep sweep = { centre, direction, radius, INFINITY };
    vvBox near;
    if (!boxOfSweep(&shape->bounds, &sweep, farthest, &near))
        return false;
    shape->kind->facets(shape, near, sweepFacet, &sweep);
    *distance = sweep.first;
    return sweep.first <= farthest;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

typedef struct Search
{
    const TurnedBox *box;
    bool met;
} Search;

static bool tryFacet(const Facet *facet, void *context)
{
    Search *search = context;
    search->met = facetOverlapsBox(facet, search->box);
    return !search->met;
}

// Of samples: halves of the box along its longest side, those that may hold a point of the shape, down to half a cell,
// which is what samples resolve. Distances may be too large by a factor below 2.
static bool samplesOverlapBox(const vvShape *shape, TurnedBox box)
{
    double gap = shapeSample(shape, box.centre, INFINITY, -1).distance, reach = vecLength(box.half);
    if (gap <= 0 || 0.5 * gap > reach)
        return gap <= 0;
    if (reach < 0.5 * shape->samples.cell)
        return false;
    double longest = maxReal(box.half.x, maxReal(box.half.y, box.half.z));
    int axis = box.half.x == longest ? 0 : box.half.y == longest ? 1 : 2;
    *(axis == 0 ? &box.half.x : axis == 1 ? &box.half.y : &box.half.z) = 0.5 * longest;
    Vec3 side = vecScale(0.5 * longest, vec3(box.axes.m[0][axis], box.axes.m[1][axis], box.axes.m[2][axis]));
    TurnedBox other = box;
    box.centre = vecAdd(box.centre, side);
    other.centre = vecSub(other.centre, side);
    return samplesOverlapBox(shape, box) || samplesOverlapBox(shape, other);
}

bool shapeOverlapsBox(const vvShape *shape, const TurnedBox *box)
{
    double gap = shapeSample(shape, box->centre, INFINITY, -1).distance;
    if (gap <= 0 || !isfinite(gap))
        return gap <= 0;
    if (shapeIs(shape, TAG_SAMPLED))
        return samplesOverlapBox(shape, *box);
    if (shapeIs(shape, TAG_PLANE))
    {
        Mat3 back = matTranspose(&box->axes);
        Vec3 n = matApply(&back, shape->normal);
        return gap <= fabs(n.x) * box->half.x + fabs(n.y) * box->half.y + fabs(n.z) * box->half.z;
    }
    Search search = { box, false };
    shape->kind->facets(shape, turnedBounds(box), tryFacet, &search);
    return search.met;
}
