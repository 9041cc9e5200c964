#include "base/simd.h"
#include "shape/kinds.h"

#define STACK 128 // a tree over 2^31 triangles is 16 deep and leaves at most 3 open per level

typedef int32_t Int4 __attribute__((vector_size(16)));

// ---- build ----------------------------------------------------------------------------------------------------------

typedef struct Builder
{
    Tree *tree;
    const double *corners; // count x 9
    double *middle;        // count x 3: centres of the triangles' boxes
    int *order;            // count
    double slack;          // m, added to every box: more than float loses here, and double far from the origin
} Builder;

static void boxOf(const Builder *b, int first, int end, double *lower, double *upper)
{
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
    for (int i = first; i < end; ++i)
    {
        const double *corner = b->corners + 9 * (size_t)b->order[i];
        for (int c = 0; c < 9; ++c)
        {
            lower[c % 3] = minReal(lower[c % 3], corner[c]);
            upper[c % 3] = maxReal(upper[c % 3], corner[c]);
        }
    }
}

// how many nodes a range takes: the cuts below depend on its length alone
static int nodesFor(int count)
{
    const int half[2] = { count / 2, count - count / 2 };
    int nodes = 1;
    for (int i = 0; i < 4 && count > 4; ++i)
    {
        int quarter = i % 2 == 0 ? half[i / 2] / 2 : half[i / 2] - half[i / 2] / 2;
        nodes += quarter > 1 ? nodesFor(quarter) : 0;
    }
    return nodes;
}

static int buildNode(Builder *b, int first, int end)
{
    int number = b->tree->nodeCount++;
    // up to four ranges, from two cuts
    int cut[5] = { first, end, end, end, end }, cuts = 1;
    if (end - first > 1)
    {
        int middle = splitAtMedian(b->middle, b->order, first, end);
        cuts = 0;
        if (middle - first > 1)
            cut[++cuts] = splitAtMedian(b->middle, b->order, first, middle);
        cut[++cuts] = middle;
        if (end - middle > 1)
            cut[++cuts] = splitAtMedian(b->middle, b->order, middle, end);
        cut[++cuts] = end;
    }
    const double center[3] = { b->tree->center.x, b->tree->center.y, b->tree->center.z };
    for (int i = 0; i < cuts; ++i)
    {
        double lower[3], upper[3];
        boxOf(b, cut[i], cut[i + 1], lower, upper);
        int child = cut[i + 1] - cut[i] == 1 ? ~cut[i] : buildNode(b, cut[i], cut[i + 1]);
        TreeNode *node = b->tree->node + number;
        node->child[i] = child;
        node->count = cuts;
        for (int a = 0; a < 3; ++a)
        {
            node->center[a][i] = (float)(0.5 * (lower[a] + upper[a]) - center[a]);
            node->half[a][i] = (float)(0.5 * (upper[a] - lower[a]) + b->slack);
        }
    }
    return number;
}

// the centre of all, and what boxes are larger by
static double centreTree(Tree *tree, const double *lower, const double *upper)
{
    double extent = 0, largest = 0;
    for (int a = 0; a < 3; ++a)
    {
        extent = maxReal(extent, upper[a] - lower[a]);
        largest = maxReal(largest, maxReal(-lower[a], upper[a]));
    }
    tree->center = vecScale(0.5, vecAdd(vecLoad(lower), vecLoad(upper)));
    return 1e-6 * extent + 1e-14 * largest;
}

bool treeBuild(Memory *memory, Tree *tree, const double *corners, int count, int *order)
{
    Builder b = { .tree = tree, .corners = corners, .order = order };
    b.middle = ALLOCATE(memory, double, 3 * (size_t)count);
    tree->node = ALLOCATE(memory, TreeNode, nodesFor(count));
    tree->nodeCount = 0;
    bool ok = b.middle != NULL && tree->node != NULL;
    if (ok)
    {
        for (int t = 0; t < count; ++t)
            order[t] = t;
        double lower[3], upper[3];
        boxOf(&b, 0, count, lower, upper);
        b.slack = centreTree(tree, lower, upper);
        for (int t = 0; t < count; ++t)
        {
            const double *c = corners + 9 * (size_t)t;
            for (size_t a = 0; a < 3; ++a)
                b.middle[3 * (size_t)t + a] =
                    0.5 * (minReal(c[a], minReal(c[a + 3], c[a + 6])) + maxReal(c[a], maxReal(c[a + 3], c[a + 6])));
        }
        buildNode(&b, 0, count);
    }
    memoryRelease(memory, b.middle);
    return ok;
}

// ---- triangles that move --------------------------------------------------------------------------------------------

static void boxWiden(double *box, const double *points, int count) // box: lower, upper
{
    for (int i = 0; i < 3 * count; ++i)
    {
        box[i % 3] = minReal(box[i % 3], points[i]);
        box[3 + i % 3] = maxReal(box[3 + i % 3], points[i]);
    }
}

// of a child: a triangle on its way, or a node whose box is known
static void childBox(const double *corners, const double *end, const double *box, int child, double *out)
{
    for (int a = 0; a < 6; ++a)
        out[a] = child >= 0 ? box[6 * (size_t)child + (size_t)a] : a < 3 ? INFINITY : -INFINITY;
    if (child >= 0)
        return;
    boxWiden(out, corners + 9 * (size_t)~child, 3);
    boxWiden(out, end + 9 * (size_t)~child, 3);
}

void treeRefit(Tree *tree, const double *corners, const double *end, int count, double *box)
{
    double all[6] = { INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY };
    boxWiden(all, corners, 3 * count);
    boxWiden(all, end, 3 * count);
    double slack = centreTree(tree, all, all + 3);
    const double center[3] = { tree->center.x, tree->center.y, tree->center.z };
    for (int n = tree->nodeCount - 1; n >= 0; --n) // children have higher numbers
    {
        TreeNode *node = tree->node + n;
        double *own = box + 6 * (size_t)n;
        for (int a = 0; a < 6; ++a)
            own[a] = a < 3 ? INFINITY : -INFINITY;
        for (int i = 0; i < node->count; ++i)
        {
            double child[6];
            childBox(corners, end, box, node->child[i], child);
            boxWiden(own, child, 2);
            for (int a = 0; a < 3; ++a)
            {
                node->center[a][i] = (float)(0.5 * (child[a] + child[3 + a]) - center[a]);
                node->half[a][i] = (float)(0.5 * (child[3 + a] - child[a]) + slack);
            }
        }
    }
}

// ---- nearest triangle -----------------------------------------------------------------------------------------------

// squares of lower bounds of the distances to the four boxes
SIMD_INLINE Float4 boxDistances(const TreeNode *node, const float *point)
{
    const Int4 magnitude = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
    Float4 sum = { 0, 0, 0, 0 };
    for (int a = 0; a < 3; ++a)
    {
        Float4 p = { point[a], point[a], point[a], point[a] };
        Float4 over = (Float4)((Int4)(p - float4Load(node->center[a])) & magnitude) - float4Load(node->half[a]);
        over = (Float4)((Int4)over & (over > 0));
        sum += over * over;
    }
    return sum * (float)(1 - 1e-5); // less than float lost on the way
}

typedef struct Open
{
    float bound; // m^2, no triangle below is nearer
    int child;
} Open;

// puts the children that may hold something nearer on the stack, the nearest on top
static inline int pushChildren(const TreeNode *node, const float *point, double best, Open *stack, int height)
{
    float bound[4];
    float4Store(bound, boxDistances(node, point));
    int base = height;
    for (int i = 0; i < node->count; ++i)
    {
        // a distance that left the range of float culls nothing
        float d = bound[i] < 1e30F ? bound[i] : 0;
        if ((double)d > best)
            continue;
        int place = height++;
        while (place > base && stack[place - 1].bound < d)
        {
            stack[place] = stack[place - 1];
            --place;
        }
        stack[place] = (Open){ d, node->child[i] };
    }
    return height;
}

// end: NULL where they stand still
static inline double squareTo(const double *corners, const double *end, double moment, int triangle, Vec3 point)
{
    Region region;
    double now[9];
    const double *own = corners + 9 * (size_t)triangle;
    if (end != NULL)
        cornersAt(own, end + 9 * (size_t)triangle, moment, now);
    Vec3 gap = vecSub(point, triangleNearest(end != NULL ? now : own, point, &region));
    return vecDot(gap, gap);
}

static inline int nearestOf(const Tree *tree, const double *corners, const double *end, double moment, Vec3 point,
                            int hint)
{
    Vec3 local = vecSub(point, tree->center);
    const float p[3] = { (float)local.x, (float)local.y, (float)local.z };
    int nearest = hint;
    double best = hint >= 0 ? squareTo(corners, end, moment, hint, point) : INFINITY;
    Open stack[STACK];
    int height = pushChildren(tree->node, p, best, stack, 0);
    while (height > 0)
    {
        Open open = stack[--height];
        if ((double)open.bound > best)
            continue;
        if (open.child >= 0)
        {
            height = pushChildren(tree->node + open.child, p, best, stack, height);
            continue;
        }
        int triangle = ~open.child;
        double square = squareTo(corners, end, moment, triangle, point);
        if (square < best || (square == best && triangle < nearest) || nearest < 0)
        {
            best = square;
            nearest = triangle;
        }
    }
    return nearest;
}

int treeNearest(const Tree *tree, const double *corners, Vec3 point, int hint)
{
    return nearestOf(tree, corners, NULL, 0, point, hint);
}

int treeNearestAt(const Tree *tree, const double *corners, const double *end, double moment, Vec3 point, int hint)
{
    return nearestOf(tree, corners, end, moment, point, hint);
}

// ---- ray ------------------------------------------------------------------------------------------------------------

// whether the ray meets a child's box before `farthest`
static bool hitsBox(const TreeNode *node, int i, const double *from, const double *direction, double farthest)
{
    double enter = 0, leave = farthest;
    for (int a = 0; a < 3; ++a)
    {
        double center = (double)node->center[a][i], half = (double)node->half[a][i];
        if (direction[a] == 0)
        {
            if (fabs(from[a] - center) > half)
                return false;
            continue;
        }
        double first = (center - half - from[a]) / direction[a], second = (center + half - from[a]) / direction[a];
        enter = maxReal(enter, minReal(first, second));
        leave = minReal(leave, maxReal(first, second));
    }
    return enter <= leave;
}

int treeCast(const Tree *tree, const double *corners, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    Vec3 local = vecSub(origin, tree->center);
    const double from[3] = { local.x, local.y, local.z }, along[3] = { direction.x, direction.y, direction.z };
    int stack[STACK] = { 0 }, height = 1, hit = -1;
    double best = farthest;
    while (height > 0)
    {
        const TreeNode *node = tree->node + stack[--height];
        for (int i = 0; i < node->count; ++i)
        {
            if (!hitsBox(node, i, from, along, best))
                continue;
            if (node->child[i] >= 0)
            {
                stack[height++] = node->child[i];
                continue;
            }
            int triangle = ~node->child[i];
            double d;
            if (triangleCast(corners + 9 * (size_t)triangle, origin, direction, &d) &&
                (d < best || (d == best && (hit < 0 || triangle < hit))))
            {
                best = d;
                hit = triangle;
            }
        }
    }
    *distance = best;
    return hit;
}

// ---- all in a box ---------------------------------------------------------------------------------------------------

void treeVisit(const Tree *tree, vvBox near, bool (*visit)(int triangle, void *context), void *context)
{
    Vec3 lower = vecSub(near.lower, tree->center), upper = vecSub(near.upper, tree->center);
    const double low[3] = { lower.x, lower.y, lower.z }, high[3] = { upper.x, upper.y, upper.z };
    int stack[STACK] = { 0 }, height = 1;
    while (height > 0)
    {
        const TreeNode *node = tree->node + stack[--height];
        for (int i = 0; i < node->count; ++i)
        {
            bool apart = false;
            for (int a = 0; a < 3; ++a)
            {
                double center = (double)node->center[a][i], half = (double)node->half[a][i];
                apart |= center - half > high[a] || center + half < low[a];
            }
            if (!apart && node->child[i] >= 0)
                stack[height++] = node->child[i];
            else if (!apart && !visit(~node->child[i], context))
                return;
        }
    }
}
