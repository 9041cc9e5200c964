#include "mesh/build.h"

// A ball: the 20 tets between the centre and the faces of an icosahedron, each cut into n^3. A lattice point of a tet
// has integer weights (centre, a, b, c) that sum to n; it lies in shell k = n - centre, pushed out to radius R k / n.
// Shells are numbered from the centre outward; within a shell come its 12 corners, then 30 edges, then 20 faces, so
// points that tets share get the same number by arithmetic.

typedef struct Icosahedron
{
    Vec3 corner[12];        // unit length
    int face[20][3];        // ascending
    int edgeNumber[12][12]; // of two corners, the lower first; -1: not joined
} Icosahedron;

typedef struct SphereWork
{
    MeshArrays *arrays;
    Icosahedron shape;
    int layers;
    double radius; // m
    int tets;      // written so far
} SphereWork;

// corners (0, +-1, +-g) / |.| and their cyclic shifts, g the golden ratio; joined where the angle is below 90 degrees
static void makeIcosahedron(Icosahedron *shape)
{
    double golden = (1 + sqrt(5.0)) / 2, length = sqrt(1 + golden * golden);
    for (int i = 0; i < 12; ++i)
    {
        double one = (i & 1 ? -1 : 1) / length, g = (i & 2 ? -golden : golden) / length;
        shape->corner[i] = i < 4 ? vec3(0, one, g) : i < 8 ? vec3(g, 0, one) : vec3(one, g, 0);
    }
    int edges = 0, faces = 0;
    for (int a = 0; a < 12; ++a)
    {
        for (int b = 0; b < 12; ++b)
        {
            bool joined = a < b && vecDot(shape->corner[a], shape->corner[b]) > 0;
            shape->edgeNumber[a][b] = joined ? edges++ : -1;
        }
    }
    // every three corners that are joined to each other make a face
    for (int a = 0; a < 12; ++a)
    {
        for (int b = a + 1; b < 12; ++b)
        {
            for (int c = b + 1; c < 12; ++c)
            {
                if (shape->edgeNumber[a][b] < 0 || shape->edgeNumber[a][c] < 0 || shape->edgeNumber[b][c] < 0)
                    continue;
                int *face = shape->face[faces++];
                face[0] = a;
                face[1] = b;
                face[2] = c;
            }
        }
    }
    ASSERT(edges == 30 && faces == 20, "an icosahedron has 30 edges and 20 faces");
}

// points in the shells before k: 1 + sum of 10 j^2 + 2
static double pointsBefore(double k)
{
    return k == 0 ? 0 : 1 + 10 * (k - 1) * k * (2 * k - 1) / 6 + 2 * (k - 1);
}

// the number of the point with these weights (centre, then the corners of the face)
static int latticeNumber(const SphereWork *work, int face, const int *weight)
{
    const int *corner = work->shape.face[face];
    int shell = work->layers - weight[0];
    int first = (int)pointsBefore(shell);
    int used[3], usedCount = 0;
    for (int i = 0; i < 3; ++i)
    {
        if (weight[1 + i] > 0)
            used[usedCount++] = i;
    }
    if (usedCount == 0)
        return 0;
    if (usedCount == 1)
        return first + corner[used[0]];
    if (usedCount == 2)
    {
        int edge = work->shape.edgeNumber[corner[used[0]]][corner[used[1]]];
        return first + 12 + edge * (shell - 1) + weight[1 + used[1]] - 1;
    }
    // inside the face: row by the first weight, place by the second
    int inside = (shell - 1) * (shell - 2) / 2;
    int row = shell - weight[1] - 2;
    return first + 12 + 30 * (shell - 1) + face * inside + row * (row + 1) / 2 + weight[2] - 1;
}

static Vec3 latticePosition(const SphereWork *work, int face, const int *weight)
{
    const int *corner = work->shape.face[face];
    int shell = work->layers - weight[0];
    if (shell == 0)
        return vec3(0, 0, 0);
    Vec3 sum = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        sum = vecAdd(sum, vecScale(weight[1 + i], work->shape.corner[corner[i]]));
    return vecScale(work->radius * shell / work->layers / vecLength(sum), sum);
}

static void addTet(SphereWork *work, int a, int b, int c, int d)
{
    int *tet = work->arrays->tet + 4 * (size_t)work->tets++;
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
}

// the number of base + step
static int stepNumber(const SphereWork *work, int face, const int *base, const int *step)
{
    int weight[4];
    for (int i = 0; i < 4; ++i)
        weight[i] = base[i] + step[i];
    return latticeNumber(work, face, weight);
}

// the octahedron base + e_i + e_j, cut into 4 tets around its shortest diagonal
static void addOctahedron(SphereWork *work, int face, const int *base)
{
    // the three diagonals, each followed by the ring of the other four points
    static const int way[3][6] = { { 0, 5, 1, 3, 4, 2 }, { 1, 4, 0, 3, 5, 2 }, { 2, 3, 0, 1, 5, 4 } };
    static const int step[6][4] = { { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 },
                                    { 0, 1, 1, 0 }, { 0, 1, 0, 1 }, { 0, 0, 1, 1 } };
    int point[6];
    for (int i = 0; i < 6; ++i)
        point[i] = stepNumber(work, face, base, step[i]);
    // equal lengths differ by rounding: the first wins unless another is clearly shorter
    int best = 0;
    double shortest = 0;
    for (int i = 0; i < 3; ++i)
    {
        double length = edgeLength(work->arrays->point, point[way[i][0]], point[way[i][1]]);
        if (i == 0 || length < shortest * (1 - 1e-9))
        {
            best = i;
            shortest = length;
        }
    }
    const int *chosen = way[best];
    for (int i = 0; i < 4; ++i)
        addTet(work, point[chosen[0]], point[chosen[1]], point[chosen[2 + i]], point[chosen[2 + (i + 1) % 4]]);
}

// the tet base + e_i, or, upside down, base + e_0 + e_1 + e_2 + e_3 - e_i
static void addLatticeTet(SphereWork *work, int face, const int *base, bool upsideDown)
{
    int point[4];
    for (int i = 0; i < 4; ++i)
    {
        int step[4];
        for (int c = 0; c < 4; ++c)
            step[c] = (c == i) != upsideDown;
        point[i] = stepNumber(work, face, base, step);
    }
    addTet(work, point[0], point[1], point[2], point[3]);
}

// calls for every lattice weight of one big tet whose sum is `sum`
typedef void LatticeVisit(SphereWork *work, int face, const int *weight);

static void visitLattice(SphereWork *work, int face, int sum, LatticeVisit *visit)
{
    for (int centre = 0; centre <= sum; ++centre)
    {
        for (int a = 0; a <= sum - centre; ++a)
        {
            for (int b = 0; b <= sum - centre - a; ++b)
            {
                const int weight[4] = { centre, a, b, sum - centre - a - b };
                visit(work, face, weight);
            }
        }
    }
}

static void visitPoint(SphereWork *work, int face, const int *weight)
{
    int number = latticeNumber(work, face, weight);
    vecStore(work->arrays->point + 3 * (size_t)number, latticePosition(work, face, weight));
}

static void visitUpright(SphereWork *work, int face, const int *weight)
{
    addLatticeTet(work, face, weight, false);
}

static void visitUpsideDown(SphereWork *work, int face, const int *weight)
{
    addLatticeTet(work, face, weight, true);
}

vvResult generateSphere(MeshArrays *arrays, const vvMeshDef *def)
{
    double n = def->cells[0];
    vvResult result = arraysAllocate(arrays, pointsBefore(n + 1), 20 * n * n * n, 0, 0);
    if (result.code != VV_OK)
        return result;
    SphereWork work = { .arrays = arrays, .layers = def->cells[0], .radius = def->size.x / 2 };
    makeIcosahedron(&work.shape);
    for (int face = 0; face < 20; ++face)
        visitLattice(&work, face, work.layers, visitPoint);
    for (int face = 0; face < 20; ++face)
    {
        visitLattice(&work, face, work.layers - 1, visitUpright);
        visitLattice(&work, face, work.layers - 2, addOctahedron);
        visitLattice(&work, face, work.layers - 3, visitUpsideDown);
    }
    ASSERT(work.tets == arrays->tetCount, "a tet is cut into n^3");
    arraysOrient(arrays);
    return result;
}
