// A solid with a flat rectangle for a plan, vertical walls, no bottom, and triangles on top: each cell is cut from its
// lowest x and z to its highest. Distances are exact, to triangles and to walls.
#include "shape/kinds.h"

#define STACK 128
#define FEW_CELLS 5 // along an axis: tried one by one

// a block of cells of some level
typedef struct Block
{
    double bound; // m^2, nothing in it is nearer
    int level, x, z;
} Block;

// ---- the grid -------------------------------------------------------------------------------------------------------

static int blocksAcross(int cells, int level)
{
    return (int)(((long long)cells + (1LL << level) - 1) >> level);
}

static double gridX(const Heights *h, int column)
{
    return column == h->columns - 1 ? h->halfX : column * h->cellX - h->halfX;
}

static double gridZ(const Heights *h, int row)
{
    return row == h->rows - 1 ? h->halfZ : row * h->cellZ - h->halfZ;
}

static Vec3 gridCorner(const Heights *h, int column, int row)
{
    return vec3(gridX(h, column), h->height[(size_t)row * (size_t)h->columns + (size_t)column], gridZ(h, row));
}

// triangle 2 c of cell c is the one toward z, 2 c + 1 the one toward x; both look up
static void loadTriangle(const Heights *h, int triangle, double *out /* 9 */)
{
    int cell = triangle / 2, x = cell % (h->columns - 1), z = cell / (h->columns - 1);
    vecStore(out, gridCorner(h, x, z));
    vecStore(out + 3, triangle % 2 == 0 ? gridCorner(h, x, z + 1) : gridCorner(h, x + 1, z + 1));
    vecStore(out + 6, triangle % 2 == 0 ? gridCorner(h, x + 1, z + 1) : gridCorner(h, x + 1, z));
}

static int cellAlong(double offset, double cell, int cells)
{
    double at = floor(offset / cell);
    return at < 0 ? 0 : at > cells - 1 ? cells - 1 : (int)at;
}

static int cellBelow(const Heights *h, double x, double z)
{
    return cellAlong(z + h->halfZ, h->cellZ, h->rows - 1) * (h->columns - 1) +
           cellAlong(x + h->halfX, h->cellX, h->columns - 1);
}

// height of the surface over a point of the rectangle
static double heightAt(const Heights *h, double x, double z)
{
    int cell = cellBelow(h, x, z), column = cell % (h->columns - 1), row = cell / (h->columns - 1);
    Vec3 a = gridCorner(h, column, row), d = gridCorner(h, column + 1, row + 1);
    double u = minReal(maxReal((x - a.x) / (d.x - a.x), 0), 1), w = minReal(maxReal((z - a.z) / (d.z - a.z), 0), 1);
    if (w >= u)
    {
        double c = gridCorner(h, column, row + 1).y;
        return a.y + w * (c - a.y) + u * (d.y - c);
    }
    double b = gridCorner(h, column + 1, row).y;
    return a.y + u * (b - a.y) + w * (d.y - b);
}

// ---- creation -------------------------------------------------------------------------------------------------------

static vvResult checkHeights(const vvShapeDef *def)
{
    const int most = 1 << 28;
    vvResult result = checkLength("size.x", def->size.x);
    if (result.code == VV_OK)
        result = checkLength("size.z", def->size.z);
    if (result.code != VV_OK)
        return result;
    if (def->columns < 2 || def->rows < 2 || (long long)def->columns * def->rows > most)
        return resultMake(VV_BAD_INPUT, "a heightfield is a grid of corners, row by row along z",
                          "there are %d columns and %d rows, must be at least 2 x 2 and at most %d heights",
                          def->columns, def->rows, most);
    if (def->heights == NULL)
        return resultMake(VV_BAD_INPUT, "set heights to rows x columns numbers", "heights is NULL");
    for (int i = 0; i < def->columns * def->rows; ++i)
    {
        if (!(fabs(def->heights[i]) <= SHAPE_LARGEST))
            return resultMake(VV_BAD_INPUT, "repair the file or the code that made the heights; they are in metres",
                              "the height of column %d, row %d is %g m, must be finite and within %g", i % def->columns,
                              i / def->columns, def->heights[i], SHAPE_LARGEST);
    }
    return resultOk();
}

// the range of a block from the blocks, or the corners, below it
static void fillBlock(Heights *h, int level, int x, int z)
{
    int across = blocksAcross(h->columns - 1, level);
    double *range = h->range + 2 * ((size_t)h->levelStart[level] + (size_t)z * (size_t)across + (size_t)x);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < 4; ++i)
    {
        int cx = (level == 0 ? x : 2 * x) + i % 2, cz = (level == 0 ? z : 2 * z) + i / 2;
        double low, high;
        if (level == 0)
            low = high = gridCorner(h, cx, cz).y;
        else
        {
            int below = blocksAcross(h->columns - 1, level - 1);
            if (cx >= below || cz >= blocksAcross(h->rows - 1, level - 1))
                continue;
            const double *child =
                h->range + 2 * ((size_t)h->levelStart[level - 1] + (size_t)cz * (size_t)below + (size_t)cx);
            low = child[0];
            high = child[1];
        }
        range[0] = minReal(range[0], low);
        range[1] = maxReal(range[1], high);
    }
}

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    vvResult result = checkHeights(def);
    if (result.code != VV_OK)
        return result;
    Heights *h = &shape->heights;
    *h = (Heights){ .columns = def->columns,
                    .rows = def->rows,
                    .cellX = def->size.x / (def->columns - 1),
                    .cellZ = def->size.z / (def->rows - 1),
                    .halfX = 0.5 * def->size.x,
                    .halfZ = 0.5 * def->size.z };
    int blocks = 0, across, along;
    do
    {
        across = blocksAcross(h->columns - 1, h->levels);
        along = blocksAcross(h->rows - 1, h->levels);
        h->levelStart[h->levels++] = blocks;
        blocks += across * along;
    } while (across > 1 || along > 1);
    h->height = ALLOCATE(&shape->memory, double, (size_t)h->columns *(size_t)h->rows);
    h->range = ALLOCATE(&shape->memory, double, 2 * (size_t)blocks);
    if (h->height == NULL || h->range == NULL)
        return resultOutOfMemory("a heightfield");
    for (int i = 0; i < h->columns * h->rows; ++i)
        h->height[i] = def->heights[i];
    for (int level = 0; level < h->levels; ++level)
        for (int z = 0; z < blocksAcross(h->rows - 1, level); ++z)
            for (int x = 0; x < blocksAcross(h->columns - 1, level); ++x)
                fillBlock(h, level, x, z);
    double top = h->range[2 * (size_t)h->levelStart[h->levels - 1] + 1];
    shape->bounds = (vvBox){ { -h->halfX, -INFINITY, -h->halfZ }, { h->halfX, top, h->halfZ } };
    return resultOk();
}

// ---- nearest triangle -----------------------------------------------------------------------------------------------

static vvBox blockBox(const Heights *h, int level, int x, int z)
{
    const double *range = h->range + 2 * ((size_t)h->levelStart[level] +
                                          (size_t)z * (size_t)blocksAcross(h->columns - 1, level) + (size_t)x);
    return (vvBox){ { gridX(h, x << level), range[0], gridZ(h, z << level) },
                    { gridX(h, minInt((x + 1) << level, h->columns - 1)), range[1],
                      gridZ(h, minInt((z + 1) << level, h->rows - 1)) } };
}

// a square below that of every distance to the block, also after rounding
static double blockBound(const Heights *h, const Block *block, Vec3 p)
{
    vvBox box = blockBox(h, block->level, block->x, block->z);
    double slack = 1e-12 * (h->halfX + h->halfZ + fabs(box.lower.y) + fabs(box.upper.y));
    double x = maxReal(0, maxReal(box.lower.x - p.x, p.x - box.upper.x) - slack);
    double y = maxReal(0, maxReal(box.lower.y - p.y, p.y - box.upper.y) - slack);
    double z = maxReal(0, maxReal(box.lower.z - p.z, p.z - box.upper.z) - slack);
    return (x * x + y * y + z * z) * (1 - 1e-11);
}

typedef struct Nearest
{
    double square; // m^2
    int triangle;
} Nearest;

static void tryTriangle(const Heights *h, int triangle, Vec3 point, Nearest *best)
{
    double corners[9];
    Region region;
    loadTriangle(h, triangle, corners);
    Vec3 gap = vecSub(point, triangleNearest(corners, point, &region));
    double square = vecDot(gap, gap);
    if (square < best->square || (square == best->square && triangle < best->triangle))
        *best = (Nearest){ square, triangle };
}

static int pushBlocks(const Heights *h, const Block *parent, Vec3 point, double best, Block *stack, int height)
{
    int base = height, level = parent->level - 1;
    for (int i = 0; i < 4; ++i)
    {
        Block child = { 0, level, 2 * parent->x + i % 2, 2 * parent->z + i / 2 };
        if (child.x >= blocksAcross(h->columns - 1, level) || child.z >= blocksAcross(h->rows - 1, level))
            continue;
        child.bound = blockBound(h, &child, point);
        if (child.bound > best)
            continue;
        int place = height++;
        while (place > base && stack[place - 1].bound < child.bound)
        {
            stack[place] = stack[place - 1];
            --place;
        }
        stack[place] = child;
    }
    return height;
}

// Tries the cells within reach where they are few, which spares the way down from the top; false: they are many.
static bool tryCells(const Heights *h, Vec3 p, Nearest *best)
{
    double reach = sqrt(best->square) * (1 + 1e-9) + 1e-9 * (h->halfX + h->halfZ);
    int x0 = cellAlong(p.x - reach + h->halfX, h->cellX, h->columns - 1);
    int x1 = cellAlong(p.x + reach + h->halfX, h->cellX, h->columns - 1);
    int z0 = cellAlong(p.z - reach + h->halfZ, h->cellZ, h->rows - 1);
    int z1 = cellAlong(p.z + reach + h->halfZ, h->cellZ, h->rows - 1);
    if (x1 - x0 >= FEW_CELLS || z1 - z0 >= FEW_CELLS)
        return false;
    for (int z = z0; z <= z1; ++z)
    {
        for (int x = x0; x <= x1; ++x)
        {
            Block block = { 0, 0, x, z };
            if (blockBound(h, &block, p) > best->square)
                continue;
            tryTriangle(h, 2 * (z * (h->columns - 1) + x), p, best);
            tryTriangle(h, 2 * (z * (h->columns - 1) + x) + 1, p, best);
        }
    }
    return true;
}

static int nearestTriangle(const Heights *h, Vec3 point, int hint)
{
    // the cell below is a good first guess
    int below = cellBelow(h, point.x, point.z), last = 2 * (h->columns - 1) * (h->rows - 1) - 1;
    Nearest best = { INFINITY, 0 };
    tryTriangle(h, 2 * below, point, &best);
    tryTriangle(h, 2 * below + 1, point, &best);
    if (hint >= 0 && hint <= last)
        tryTriangle(h, hint, point, &best);
    if (tryCells(h, point, &best))
        return best.triangle;
    Block stack[STACK] = { { 0, h->levels - 1, 0, 0 } };
    int height = 1;
    while (height > 0)
    {
        Block block = stack[--height];
        if (block.bound > best.square)
            continue;
        if (block.level > 0)
        {
            height = pushBlocks(h, &block, point, best.square, stack, height);
            continue;
        }
        int cell = block.z * (h->columns - 1) + block.x;
        tryTriangle(h, 2 * cell, point, &best);
        tryTriangle(h, 2 * cell + 1, point, &best);
    }
    return best.triangle;
}

// ---- distance -------------------------------------------------------------------------------------------------------

static ShapeSample toTriangles(const Heights *h, Vec3 point, double side, int hint)
{
    double corners[9];
    Region region;
    int triangle = nearestTriangle(h, point, hint);
    loadTriangle(h, triangle, corners);
    Vec3 nearest = triangleNearest(corners, point, &region), cross = triangleCross(corners);
    ShapeSample sample = triangleSample(corners, vecScale(1 / vecLength(cross), cross), point, nearest, side);
    sample.feature = triangle;
    return sample;
}

// The wall nearest to a point inside, where the wall is as high as the point; elsewhere its upper rim is nearer, which
// belongs to triangles.
static void tryWalls(const Heights *h, Vec3 p, ShapeSample *sample)
{
    const double gap[4] = { h->halfX - p.x, p.x + h->halfX, h->halfZ - p.z, p.z + h->halfZ };
    const Vec3 normal[4] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int w = 0; w < 4; ++w)
    {
        double x = w < 2 ? normal[w].x * h->halfX : p.x, z = w < 2 ? p.z : normal[w].z * h->halfZ;
        if (-gap[w] > sample->distance && p.y <= heightAt(h, x, z))
            *sample = (ShapeSample){ -gap[w], normal[w], 0, -1 };
    }
}

static ShapeSample sample(const vvShape *shape, Vec3 p, double limit, int hint)
{
    const Heights *h = &shape->heights;
    double x = minReal(maxReal(p.x, -h->halfX), h->halfX), z = minReal(maxReal(p.z, -h->halfZ), h->halfZ);
    double rise = p.y - heightAt(h, x, z), aside = sqrt((p.x - x) * (p.x - x) + (p.z - z) * (p.z - z));
    // above all heights, or too far aside
    double least = maxReal(p.y - shape->bounds.upper.y, aside);
    if (least > 0 && least >= limit)
        return (ShapeSample){ .distance = least, .feature = -1 };
    if (aside > 0 && rise <= 0) // beside a wall
        return (ShapeSample){ aside, vec3((p.x - x) / aside, 0, (p.z - z) / aside), 0, -1 };
    ShapeSample result = toTriangles(h, p, aside > 0 || rise >= 0 ? 1 : -1, hint);
    if (aside == 0 && rise < 0)
        tryWalls(h, p, &result);
    return result;
}

static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    const Heights *h = &shape->heights;
    ShapeSample s = sample(shape, point, INFINITY, -1);
    if (s.feature < 0)
    {
        // a wall, or the edge of two
        if (fabs(point.x) > h->halfX && fabs(point.z) > h->halfZ)
            curvatureAdd(out, 1 / s.distance, s.normal, vec3(0, 1, 0));
        return;
    }
    double corners[9];
    Region region;
    loadTriangle(h, s.feature, corners);
    Vec3 cross = triangleCross(corners);
    triangleNearest(corners, point, &region);
    triangleCurvature(corners, region, &s, vecScale(1 / vecLength(cross), cross), out);
}

// ---- ray ------------------------------------------------------------------------------------------------------------

// clips [*enter, *leave] to one slab; false: nothing is left
static bool clipSlab(double origin, double direction, double lower, double upper, double *enter, double *leave)
{
    if (direction == 0)
        return origin >= lower && origin <= upper;
    double first = (lower - origin) / direction, second = (upper - origin) / direction;
    *enter = maxReal(*enter, minReal(first, second));
    *leave = minReal(*leave, maxReal(first, second));
    return *enter <= *leave;
}

static bool hitsBlock(const Heights *h, const Block *block, Vec3 o, Vec3 d, double farthest)
{
    vvBox box = blockBox(h, block->level, block->x, block->z);
    double slack = 1e-9 * (h->halfX + h->halfZ + fabs(box.lower.y) + fabs(box.upper.y)), enter = 0, leave = farthest;
    return clipSlab(o.x, d.x, box.lower.x - slack, box.upper.x + slack, &enter, &leave) &&
           clipSlab(o.y, d.y, box.lower.y - slack, box.upper.y + slack, &enter, &leave) &&
           clipSlab(o.z, d.z, box.lower.z - slack, box.upper.z + slack, &enter, &leave);
}

static bool castTriangles(const Heights *h, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    Block stack[STACK] = { { 0, h->levels - 1, 0, 0 } };
    int height = 1;
    bool hit = false;
    while (height > 0)
    {
        Block block = stack[--height];
        if (!hitsBlock(h, &block, origin, direction, farthest))
            continue;
        for (int i = 0; i < 4 && block.level > 0; ++i)
        {
            Block child = { 0, block.level - 1, 2 * block.x + i % 2, 2 * block.z + i / 2 };
            if (child.x < blocksAcross(h->columns - 1, child.level) && child.z < blocksAcross(h->rows - 1, child.level))
                stack[height++] = child;
        }
        for (int i = 0; i < 2 && block.level == 0; ++i)
        {
            double corners[9], d;
            loadTriangle(h, 2 * (block.z * (h->columns - 1) + block.x) + i, corners);
            if (triangleCast(corners, origin, direction, &d) && d <= farthest)
            {
                farthest = *distance = d;
                hit = true;
            }
        }
    }
    return hit;
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    const Heights *h = &shape->heights;
    double enter = 0, leave = farthest;
    if (!clipSlab(origin.x, direction.x, -h->halfX, h->halfX, &enter, &leave) ||
        !clipSlab(origin.z, direction.z, -h->halfZ, h->halfZ, &enter, &leave))
        return false;
    // through a wall, or from above
    Vec3 at = vecAdd(origin, vecScale(enter, direction));
    if (at.y <= heightAt(h, at.x, at.z))
    {
        *distance = enter;
        return true;
    }
    return castTriangles(h, origin, direction, farthest, distance);
}

// ---- facets ---------------------------------------------------------------------------------------------------------

// the wall below two neighbours of the rim, down to `bottom`; from outside `a` is on the right
static bool visitWall(Vec3 a, Vec3 b, double bottom, int number, FacetVisit visit, void *context)
{
    Vec3 under[2] = { { a.x, minReal(bottom, a.y), a.z }, { b.x, minReal(bottom, b.y), b.z } };
    Facet first = { .corner = { a, b, under[1] }, .corners = 3, .number = number },
          second = { .corner = { a, under[1], under[0] }, .corners = 3, .number = number - 1 };
    return visit(&first, context) && visit(&second, context);
}

// top and walls of a cell
static bool visitCell(const Heights *h, int x, int z, double bottom, FacetVisit visit, void *context)
{
    bool on = true;
    for (int i = 0; i < 2 && on; ++i)
    {
        double corners[9];
        loadTriangle(h, 2 * (z * (h->columns - 1) + x) + i, corners);
        Facet facet = { .corner = { vecLoad(corners), vecLoad(corners + 3), vecLoad(corners + 6) },
                        .corners = 3,
                        .number = 2 * (z * (h->columns - 1) + x) + i };
        on = visit(&facet, context);
    }
    int wall = -1 - 8 * (z * (h->columns - 1) + x);
    if (on && x == 0)
        on = visitWall(gridCorner(h, 0, z + 1), gridCorner(h, 0, z), bottom, wall, visit, context);
    if (on && x == h->columns - 2)
        on = visitWall(gridCorner(h, x + 1, z), gridCorner(h, x + 1, z + 1), bottom, wall - 2, visit, context);
    if (on && z == 0)
        on = visitWall(gridCorner(h, x, 0), gridCorner(h, x + 1, 0), bottom, wall - 4, visit, context);
    if (on && z == h->rows - 2)
        on = visitWall(gridCorner(h, x + 1, z + 1), gridCorner(h, x, z + 1), bottom, wall - 6, visit, context);
    return on;
}

// walls go down below the box, or a little where it has no bottom: what moves straight down meets the rim first
static void facets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    const Heights *h = &shape->heights;
    if (near.lower.y > shape->bounds.upper.y)
        return;
    double bottom = isfinite(near.lower.y) ? near.lower.y - 1 : -SHAPE_LARGEST;
    int x0 = cellAlong(near.lower.x + h->halfX, h->cellX, h->columns - 1);
    int x1 = cellAlong(near.upper.x + h->halfX, h->cellX, h->columns - 1);
    int z0 = cellAlong(near.lower.z + h->halfZ, h->cellZ, h->rows - 1);
    int z1 = cellAlong(near.upper.z + h->halfZ, h->cellZ, h->rows - 1);
    for (int z = z0; z <= z1; ++z)
    {
        for (int x = x0; x <= x1; ++x)
        {
            if (!visitCell(h, x, z, bottom, visit, context))
                return;
        }
    }
}

const ShapeKind shapeHeightfield = { TAG_HEIGHTFIELD, create, sample, curvature, cast, facets };
