#include "mesh/build.h"

// Stiffness shares of springs in a square lattice, by diagonals per cell. Structural springs k1 and diagonal springs
// that sum to k2 per cell make a plane with C11 = k1 + k2/2 and C12 = C33 = k2/2. k1 = k2 is isotropic: E = 4/3 k1,
// Poisson 1/3. Without diagonals there is no shear stiffness, and E = k1.
static const double structuralShare[3] = { 1, 3.0 / 4, 3.0 / 4 };
static const double shearShare[3] = { 0, 3.0 / 4, 3.0 / 8 };

// Sheets: vertex (i, k) is number i (nz + 1) + k; springs come structural (along x, then along z), shear, skip.
typedef struct SheetWork
{
    MeshArrays *arrays;
    int nx, nz;
    double dx, dz; // size of a cell, m
    int edges;     // written so far
} SheetWork;

static int sheetVertex(const SheetWork *work, int i, int k)
{
    return i * (work->nz + 1) + k;
}

static void addEdge(SheetWork *work, int a, int b, vvEdgeKind kind, double share)
{
    int e = work->edges++;
    work->arrays->edge[2 * e] = a;
    work->arrays->edge[2 * e + 1] = b;
    work->arrays->edgeKind[e] = (int)kind;
    work->arrays->edgeShare[e] = share;
}

// a spring along a line stands for the strip halfway to both neighbouring lines: half of it at the border
static double stripShare(int line, int lines)
{
    return line == 0 || line == lines ? 0.5 : 1;
}

static void sheetStructural(SheetWork *work, double share)
{
    for (int i = 0; i < work->nx; ++i)
    {
        for (int k = 0; k <= work->nz; ++k)
            addEdge(work, sheetVertex(work, i, k), sheetVertex(work, i + 1, k), VV_EDGE_STRUCTURAL,
                    share * stripShare(k, work->nz) * work->dz / work->dx);
    }
    for (int i = 0; i <= work->nx; ++i)
    {
        for (int k = 0; k < work->nz; ++k)
            addEdge(work, sheetVertex(work, i, k), sheetVertex(work, i, k + 1), VV_EDGE_STRUCTURAL,
                    share * stripShare(i, work->nx) * work->dx / work->dz);
    }
}

// one diagonal per cell alternates like the triangles do: no direction is preferred
static void sheetShear(SheetWork *work, int diagonals, double share)
{
    // scaled by cell area over diagonal^2, the form of Van Gelder 1998; 1 for square cells
    double scaled = share * 2 * work->dx * work->dz / (work->dx * work->dx + work->dz * work->dz);
    for (int i = 0; i < work->nx; ++i)
    {
        for (int k = 0; k < work->nz; ++k)
        {
            bool even = (i + k) % 2 == 0;
            if (diagonals == 2 || (diagonals == 1 && even))
                addEdge(work, sheetVertex(work, i, k), sheetVertex(work, i + 1, k + 1), VV_EDGE_SHEAR, scaled);
            if (diagonals == 2 || (diagonals == 1 && !even))
                addEdge(work, sheetVertex(work, i, k + 1), sheetVertex(work, i + 1, k), VV_EDGE_SHEAR, scaled);
        }
    }
}

// bending has no continuum share
static void sheetSkip(SheetWork *work)
{
    for (int i = 0; i + 2 <= work->nx; ++i)
    {
        for (int k = 0; k <= work->nz; ++k)
            addEdge(work, sheetVertex(work, i, k), sheetVertex(work, i + 2, k), VV_EDGE_SKIP, 0);
    }
    for (int i = 0; i <= work->nx; ++i)
    {
        for (int k = 0; k + 2 <= work->nz; ++k)
            addEdge(work, sheetVertex(work, i, k), sheetVertex(work, i, k + 2), VV_EDGE_SKIP, 0);
    }
}

static void sheetTriangles(SheetWork *work)
{
    int *triangle = work->arrays->triangle;
    for (int i = 0; i < work->nx; ++i)
    {
        for (int k = 0; k < work->nz; ++k, triangle += 6)
        {
            // corners of the cell, counter-clockwise seen from +y; the cut joins the first and the third
            int c[4] = { sheetVertex(work, i, k), sheetVertex(work, i, k + 1), sheetVertex(work, i + 1, k + 1),
                         sheetVertex(work, i + 1, k) };
            int turn = (i + k) % 2;
            const int pick[6] = { 0, 1, 2, 0, 2, 3 };
            for (int n = 0; n < 6; ++n)
                triangle[n] = c[(pick[n] + turn) % 4];
        }
    }
}

vvResult generateSheet(MeshArrays *arrays, const vvMeshDef *def)
{
    double nx = def->cells[0], nz = def->cells[2];
    double edges = nx * (nz + 1) + nz * (nx + 1) + def->diagonals * nx * nz;
    if (def->skip)
        edges += (nx - 1) * (nz + 1) + (nz - 1) * (nx + 1);
    vvResult result = arraysAllocate(arrays, (nx + 1) * (nz + 1), 0, 2 * nx * nz, edges);
    if (result.code != VV_OK)
        return result;
    arrays->edgeShare = ALLOCATE(arrays->memory, double, edges);
    if (arrays->edgeShare == NULL)
        return resultOutOfMemory("the springs of a sheet");

    SheetWork work = { arrays, def->cells[0], def->cells[2], def->size.x / nx, def->size.z / nz, 0 };
    for (int i = 0; i <= work.nx; ++i)
    {
        for (int k = 0; k <= work.nz; ++k)
            vecStore(arrays->point + 3 * (size_t)sheetVertex(&work, i, k),
                     vec3(def->size.x * (i / nx - 0.5), 0, def->size.z * (k / nz - 0.5)));
    }
    sheetTriangles(&work);
    sheetStructural(&work, structuralShare[def->diagonals]);
    sheetShear(&work, def->diagonals, shearShare[def->diagonals]);
    if (def->skip)
        sheetSkip(&work);
    ASSERT(work.edges == arrays->edgeCount, "the springs of a sheet are counted right");
    return result;
}

// Ropes: vertices by rising x; segments first, then the springs over two.
vvResult generateRope(MeshArrays *arrays, const vvMeshDef *def)
{
    int segments = def->cells[0];
    int skips = def->skip ? segments - 1 : 0;
    vvResult result = arraysAllocate(arrays, segments + 1.0, 0, 0, (double)segments + skips);
    if (result.code != VV_OK)
        return result;
    for (int i = 0; i <= segments; ++i)
        vecStore(arrays->point + 3 * (size_t)i, vec3(def->size.x * ((double)i / segments - 0.5), 0, 0));
    for (int e = 0; e < segments + skips; ++e)
    {
        bool skip = e >= segments;
        int first = skip ? e - segments : e;
        arrays->edge[2 * e] = first;
        arrays->edge[2 * e + 1] = first + (skip ? 2 : 1);
        arrays->edgeKind[e] = skip ? VV_EDGE_SKIP : VV_EDGE_STRUCTURAL;
    }
    return result;
}

vvResult generateCoil(MeshArrays *arrays, const vvMeshDef *def)
{
    int segments = def->cells[0], turns = def->cells[1];
    vvResult result = arraysAllocate(arrays, segments + 1.0, 0, 0, segments);
    if (result.code != VV_OK)
        return result;
    for (int i = 0; i <= segments; ++i)
    {
        // the whole turns leave: points of a coil with the same angle have the same x and z
        double part = (double)i / segments, turn = (double)((long long)i * turns % segments) / segments, sine, cosine;
        sineCosine(-2 * PI * turn, &sine, &cosine);
        vecStore(arrays->point + 3 * (size_t)i,
                 vec3(0.5 * def->size.x * cosine, def->size.y * (part - 0.5), 0.5 * def->size.x * sine));
    }
    for (int i = 0; i < 2 * segments; ++i)
        arrays->edge[i] = (i + 1) / 2;
    return result;
}
