#include "base/simd.h"
#include "mesh/build.h"

#include <string.h>

// ---- one walk over the matter ---------------------------------------------------------------------------------------

// What one element gives: `mass` in kg to its `width` corners.
typedef void MassVisit(const vvMesh *mesh, const int *corner, int width, double mass, double *diagonal,
                       double *offDiagonal);

// Density of the elements, kg/m^3: `each` has one for every element in the caller's order; NULL: `all`.
typedef struct Density
{
    double all;
    const double *each;
} Density;

static double densityAt(Density density, const int *toCaller, int element)
{
    return density.each == NULL ? density.all : density.each[toCaller ? toCaller[element] : element];
}

SIMD_INLINE void visitMatter(const vvMesh *mesh, Density given, double thickness, MassVisit *visit, double *diagonal,
                             double *offDiagonal)
{
    // every element in turn: the sums have the same bits in every run
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        const int *corner = mesh->tet + 4 * t;
        double density = densityAt(given, mesh->tetToCaller, t);
        visit(mesh, corner, 4, density * tetVolume(mesh->point, corner), diagonal, offDiagonal);
    }
    for (int t = 0; t < mesh->surfaceCount && mesh->matter == MATTER_SHEET; ++t)
    {
        const int *corner = mesh->surface + 3 * t;
        double density = densityAt(given, NULL, t);
        visit(mesh, corner, 3, density * thickness * triangleArea(mesh->point, corner), diagonal, offDiagonal);
    }
    double section = PI / 4 * thickness * thickness;
    for (int e = 0; e < mesh->edgeCount && mesh->matter == MATTER_ROPE; ++e)
    {
        const int *corner = mesh->edge + 2 * e;
        double density = densityAt(given, mesh->edgeToCaller, e);
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        double length = edgeLength(mesh->point, corner[0], corner[1]), mass = density * section * length;
        double share = mesh->edgeSide != NULL ? meshSideShare(length, thickness) : 0;
        visit(mesh, corner, 2, (1 - share) * mass, diagonal, offDiagonal);
        if (share > 0)
            visit(mesh, mesh->edgeSide + e, 1, share * mass, diagonal, offDiagonal);
    }
}

// ---- lumped ---------------------------------------------------------------------------------------------------------

static void lumpElement(const vvMesh *mesh, const int *corner, int width, double mass, double *diagonal,
                        double *offDiagonal)
{
    (void)mesh;
    (void)offDiagonal;
    for (int i = 0; i < width; ++i)
        diagonal[corner[i]] += mass / width;
}

// particles are balls
static void lumpParticles(const vvMesh *mesh, double density, double thickness, double *mass)
{
    for (int v = 0; v < mesh->vertexCount && mesh->particles; ++v)
        mass[v] = mass[v] == 0 ? density * PI / 6 * thickness * thickness * thickness : mass[v];
}

void meshLumpedMass(const vvMesh *mesh, double density, double thickness, double *mass)
{
    meshLumpedMassOf(mesh, density, NULL, thickness, mass);
}

void meshLumpedMassOf(const vvMesh *mesh, double density, const double *densities, double thickness, double *mass)
{
    memset(mass, 0, sizeof(double) * (size_t)mesh->vertexCount);
    visitMatter(mesh, (Density){ .all = density, .each = densities }, thickness, lumpElement, mass, NULL);
    lumpParticles(mesh, density, thickness, mass);
}

// ---- consistent -----------------------------------------------------------------------------------------------------

// integral of N_i N_j for linear shape functions over a simplex of w corners: measure (1 + delta_ij) / (w (w + 1));
// Zienkiewicz and Taylor, "The Finite Element Method": 1/20 for tets, 1/12 for triangles, 1/6 for bars
static void spreadElement(const vvMesh *mesh, const int *corner, int width, double mass, double *diagonal,
                          double *offDiagonal)
{
    double unit = mass / (width * (width + 1));
    for (int i = 0; i < width; ++i)
    {
        diagonal[corner[i]] += 2 * unit;
        for (int j = i + 1; j < width; ++j)
            offDiagonal[meshFindPair(mesh, corner[i], corner[j])] += unit;
    }
}

void meshConsistentMass(const vvMesh *mesh, double density, double thickness, double *diagonal, double *offDiagonal)
{
    memset(diagonal, 0, sizeof(double) * (size_t)mesh->vertexCount);
    memset(offDiagonal, 0, sizeof(double) * (size_t)mesh->pairCount);
    visitMatter(mesh, (Density){ .all = density }, thickness, spreadElement, diagonal, offDiagonal);
    lumpParticles(mesh, density, thickness, diagonal);
}
