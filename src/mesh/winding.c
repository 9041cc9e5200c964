// Winding numbers by a tree: near triangles exactly, far ones by the first three terms of an expansion (Barill,
// Dickson, Schmidt, Levin and Jacobson 2018, "Fast winding numbers for soups and clouds", Eqs 12 to 15).
#include "mesh/winding.h"

#define FAR 2.0   // distance per radius from which on a group of triangles is far
#define STACK 128 // see bvh.c

// ---- one triangle ---------------------------------------------------------------------------------------------------

// |error| < 2e-5; Abramowitz and Stegun 1964, 4.4.49. Not atan2: the bits are the same everywhere.
static double arcTangent(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    if (a == 0 && b == 0)
        return 0;
    double z = a > b ? b / a : a / b, q = z * z;
    double angle = z * (0.9998660 + q * (-0.3302995 + q * (0.1801410 + q * (-0.0851330 + q * 0.0208351))));
    angle = a > b ? angle : 0.5 * PI - angle;
    angle = x < 0 ? PI - angle : angle;
    return y < 0 ? -angle : angle;
}

// van Oosterom and Strackee 1983; a point in the plane of the triangle sees none of it
double windingOfTriangle(const double *corners, Vec3 point)
{
    Vec3 a = vecSub(vecLoad(corners), point), b = vecSub(vecLoad(corners + 3), point),
         c = vecSub(vecLoad(corners + 6), point);
    double volume = vecDot(a, vecCross(b, c));
    if (volume == 0)
        return 0;
    double la = vecLength(a), lb = vecLength(b), lc = vecLength(c);
    double rest = la * lb * lc + vecDot(a, b) * lc + vecDot(b, c) * la + vecDot(c, a) * lb;
    return arcTangent(volume, rest) / (2 * PI);
}

// ---- the tree -------------------------------------------------------------------------------------------------------

// sums over the triangles below a child: area, area x place, area x normal
typedef struct Sum
{
    double area;
    Vec3 place, dipole;
    Vec3 lower, upper;
    int first, end; // triangles of the tree: a child holds a range
} Sum;

static Sum sumMake(void)
{
    return (
        Sum){ .lower = { INFINITY, INFINITY, INFINITY }, .upper = { -INFINITY, -INFINITY, -INFINITY }, .first = -1 };
}

static void sumTriangle(Sum *sum, const double *corners, int triangle)
{
    const double *c = corners + 9 * (size_t)triangle;
    Vec3 p = vecLoad(c), q = vecLoad(c + 3), r = vecLoad(c + 6);
    Vec3 normal = vecScale(0.5, vecCross(vecSub(q, p), vecSub(r, p)));
    double area = vecLength(normal);
    sum->area += area;
    sum->dipole = vecAdd(sum->dipole, normal);
    sum->place = vecAdd(sum->place, vecScale(area / 3, vecAdd(p, vecAdd(q, r))));
    vvBox box = { sum->lower, sum->upper };
    boxInclude(&box, p);
    boxInclude(&box, q);
    boxInclude(&box, r);
    sum->lower = box.lower;
    sum->upper = box.upper;
}

static void sumJoin(Sum *sum, const Sum *part)
{
    sum->area += part->area;
    sum->dipole = vecAdd(sum->dipole, part->dipole);
    sum->place = vecAdd(sum->place, part->place);
    vvBox box = { sum->lower, sum->upper };
    boxInclude(&box, part->lower);
    boxInclude(&box, part->upper);
    sum->lower = box.lower;
    sum->upper = box.upper;
    sum->first = sum->first < 0 ? part->first : minInt(sum->first, part->first);
    sum->end = maxInt(sum->end, part->end);
}

// moments of one triangle about a centre, added to those of its group: first[i][k] of place i and normal k,
// second[i][j][k]
typedef struct Moments
{
    double first[3][3], second[3][3][3];
} Moments;

static void addMoments(Moments *sum, const double *corners, Vec3 centre)
{
    double c[4][3], n[3];
    Vec3 p = vecLoad(corners);
    vecStore(n, vecScale(0.5, vecCross(vecSub(vecLoad(corners + 3), p), vecSub(vecLoad(corners + 6), p))));
    for (int i = 0; i < 3; ++i)
        vecStore(c[i], vecSub(vecLoad(corners + 3 * i), centre));
    for (int i = 0; i < 3; ++i)
        c[3][i] = c[0][i] + c[1][i] + c[2][i];
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
            sum->first[i][k] += c[3][i] / 3 * n[k];
        for (int j = 0; j < 3; ++j)
        {
            double moment = (c[0][i] * c[0][j] + c[1][i] * c[1][j] + c[2][i] * c[2][j] + c[3][i] * c[3][j]) / 12;
            for (int k = 0; k < 3; ++k)
                sum->second[i][j][k] += 0.5 * moment * n[k];
        }
    }
}

// the symmetric part, times how often its entry is there
static float symmetric(const Moments *m, int i, int j, int k)
{
    double sum = m->second[i][j][k] + m->second[j][k][i] + m->second[k][i][j];
    return (float)(i == j && j == k ? sum / 3 : i != j && j != k && i != k ? 2 * sum : sum);
}

static void expand(const Winding *winding, const Sum *sum, WindingFar *far)
{
    Vec3 middle = vecScale(0.5, vecAdd(sum->lower, sum->upper));
    *far = (WindingFar){ .dipole = sum->dipole };
    far->centre = sum->area > 0 ? vecScale(1 / sum->area, sum->place) : middle;
    double radius = vecLength(vecSub(far->centre, middle)) + vecLength(vecSub(sum->upper, middle));
    far->reach = FAR * radius * FAR * radius;
    Moments m = { 0 };
    for (int t = sum->first; t < sum->end; ++t)
        addMoments(&m, winding->corners + 9 * (size_t)t, far->centre);
    static const int pair[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
    static const int triple[10][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 2, 2, 2 }, { 0, 0, 1 }, { 0, 0, 2 },
                                       { 0, 1, 1 }, { 1, 1, 2 }, { 0, 2, 2 }, { 1, 2, 2 }, { 0, 1, 2 } };
    for (int e = 0; e < 6; ++e)
    {
        int i = pair[e][0], j = pair[e][1];
        far->first[e] = (float)(i == j ? m.first[i][i] : m.first[i][j] + m.first[j][i]);
    }
    for (int e = 0; e < 10; ++e)
        far->second[e] = symmetric(&m, triple[e][0], triple[e][1], triple[e][2]);
    far->trace = (float)(m.first[0][0] + m.first[1][1] + m.first[2][2]);
    for (int j = 0; j < 3; ++j)
    {
        double whole = 0;
        for (int i = 0; i < 3; ++i)
            whole += 2 * m.second[i][j][i] + m.second[i][i][j];
        far->vector[j] = (float)whole;
    }
}

static Sum expandNode(const Winding *winding, int number)
{
    const TreeNode *node = winding->tree.node + number;
    Sum whole = sumMake();
    for (int i = 0; i < node->count; ++i)
    {
        Sum sum = sumMake();
        if (node->child[i] >= 0)
            sum = expandNode(winding, node->child[i]);
        else
        {
            sum.first = ~node->child[i];
            sum.end = sum.first + 1;
            sumTriangle(&sum, winding->corners, sum.first);
        }
        expand(winding, &sum, winding->far + 4 * (size_t)number + (size_t)i);
        sumJoin(&whole, &sum);
    }
    return whole;
}

bool windingBuild(Memory *memory, Winding *winding, const double *point, const int *triangle, int triangleCount)
{
    *winding = (Winding){ .triangleCount = triangleCount };
    double *given = ALLOCATE(memory, double, 9 * (size_t)triangleCount);
    winding->corners = ALLOCATE(memory, double, 9 * (size_t)triangleCount);
    winding->order = ALLOCATE(memory, int, triangleCount);
    bool ok = given != NULL && winding->corners != NULL && winding->order != NULL;
    for (size_t i = 0; ok && i < 3 * (size_t)triangleCount; ++i)
        vecStore(given + 3 * i, vecLoad(point + 3 * (size_t)triangle[i]));
    ok = ok && treeBuild(memory, &winding->tree, given, triangleCount, winding->order);
    for (int t = 0; ok && t < triangleCount; ++t)
    {
        for (int i = 0; i < 9; ++i)
            winding->corners[9 * (size_t)t + (size_t)i] = given[9 * (size_t)winding->order[t] + (size_t)i];
    }
    memoryRelease(memory, given);
    winding->far = ok ? ALLOCATE(memory, WindingFar, 4 * (size_t)winding->tree.nodeCount) : NULL;
    if (winding->far == NULL)
        return false;
    expandNode(winding, 0);
    return true;
}

void windingFree(Memory *memory, Winding *winding)
{
    memoryRelease(memory, winding->tree.node);
    memoryRelease(memory, winding->corners);
    memoryRelease(memory, winding->order);
    memoryRelease(memory, winding->far);
    *winding = (Winding){ 0 };
}

// ---- queries --------------------------------------------------------------------------------------------------------

// Taylor series of r . n / |r|^3 about the centre
static double fromAfar(const WindingFar *far, Vec3 r, double square)
{
    double x = r.x, y = r.y, z = r.z, inverse = 1 / square, cube = inverse / sqrt(square), fifth = 3 * cube * inverse;
    const float *f = far->first, *s = far->second, *v = far->vector;
    double xx = x * x, yy = y * y, zz = z * z;
    double first = (double)f[0] * xx + (double)f[1] * yy + (double)f[2] * zz + (double)f[3] * x * y +
                   (double)f[4] * x * z + (double)f[5] * y * z;
    double vector = (double)v[0] * x + (double)v[1] * y + (double)v[2] * z;
    double second = xx * ((double)s[0] * x + (double)s[3] * y + (double)s[4] * z) +
                    yy * ((double)s[5] * x + (double)s[1] * y + (double)s[6] * z) +
                    zz * ((double)s[7] * x + (double)s[8] * y + (double)s[2] * z) + (double)s[9] * x * y * z;
    double sum =
        cube * (vecDot(far->dipole, r) + (double)far->trace) - fifth * (first + vector) + 5 * fifth * inverse * second;
    return sum / (4 * PI);
}

double windingNumber(const Winding *winding, Vec3 point)
{
    int stack[STACK] = { 0 }, height = 1;
    double sum = 0;
    while (height > 0)
    {
        int number = stack[--height];
        const TreeNode *node = winding->tree.node + number;
        for (int i = 0; i < node->count; ++i)
        {
            const WindingFar *far = winding->far + 4 * (size_t)number + (size_t)i;
            Vec3 r = vecSub(far->centre, point);
            double square = vecDot(r, r);
            if (square > far->reach)
                sum += fromAfar(far, r, square);
            else if (node->child[i] < 0)
                sum += windingOfTriangle(winding->corners + 9 * (size_t)~node->child[i], point);
            else
                stack[height++] = node->child[i];
        }
    }
    return sum;
}

typedef struct Crossings
{
    const Winding *winding;
    Vec3 from, along;
    double *place;
    int *sign;
    int count, room;
} Crossings;

// Moeller and Trumbore 1997, from both sides
static bool addCrossing(int triangle, void *context)
{
    Crossings *list = context;
    const double *c = list->winding->corners + 9 * (size_t)triangle;
    Vec3 a = vecLoad(c), ab = vecSub(vecLoad(c + 3), a), ac = vecSub(vecLoad(c + 6), a);
    Vec3 side = vecCross(list->along, ac), offset = vecSub(list->from, a);
    double area = vecDot(ab, side);
    if (area == 0)
        return true;
    Vec3 turn = vecCross(offset, ab);
    double u = vecDot(offset, side) / area, v = vecDot(list->along, turn) / area, place = vecDot(ac, turn) / area;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && place >= 0 && place <= 1))
        return true;
    int at = list->count++;
    if (at >= list->room)
        return true;
    for (; at > 0 && list->place[at - 1] > place; --at)
    {
        list->place[at] = list->place[at - 1];
        list->sign[at] = list->sign[at - 1];
    }
    list->place[at] = place;
    list->sign[at] = area < 0 ? 1 : -1;
    return true;
}

int windingCrossings(const Winding *winding, Vec3 from, Vec3 to, double *place, int *sign, int room)
{
    Crossings list = { winding, from, vecSub(to, from), place, sign, 0, room };
    vvBox box = { from, from };
    boxInclude(&box, to);
    treeVisit(&winding->tree, box, addCrossing, &list);
    return list.count;
}
