// Solids from surfaces: a lattice of tets over the box of a surface, cut where winding numbers say that inside ends.
#ifndef MESH_SOLID_H
#define MESH_SOLID_H

#include "mesh/build.h"
#include "mesh/winding.h"

#include <verve/solid.h>

// ---- lattice.c ------------------------------------------------------------------------------------------------------

// Body-centred cubic: corners of cells, then their centres. Two of a kind are joined along the axes (a long edge, one
// spacing), a centre and the corners of its cell by short ones (sqrt(3) / 2 of it). Twelve tets per cell, each with two
// corners and two centres.
typedef struct Lattice
{
    Vec3 origin;    // of the first corner
    double spacing; // m
    int cells[3];
    int cornerCount, vertexCount;
} Lattice;

#define LATTICE_NEIGHBOURS 14

typedef struct LatticePlace
{
    int at[3];
    bool centre;
} LatticePlace;

LatticePlace latticePlace(const Lattice *lattice, int vertex);
int latticeVertex(const Lattice *lattice, LatticePlace place); // -1: outside
Vec3 latticePoint(const Lattice *lattice, int vertex);
bool latticeIsOdd(const Lattice *lattice, int vertex);               // the ends of a long edge differ in this
bool latticeIsLong(const Lattice *lattice, int a, int b);            // of the edge of two neighbours
int latticeNeighbour(const Lattice *lattice, int vertex, int which); // the first 6 are long; -1: outside

// The tet of each cell: `cell` from 0, `which` from 0 to 11; centres first. False: it reaches outside.
bool latticeTet(const Lattice *lattice, int cell, int which, int *vertex /* 4 */);

// The tet that a point within the cells lies in, and the vertex next to it.
void latticeFind(const Lattice *lattice, Vec3 point, int *tet /* 4 */, int *nearest);

// ---- signs.c: inside and outside ------------------------------------------------------------------------------------

enum
{
    OUTSIDE = -1,
    SURFACE,
    INSIDE,
    THIN, // inside of a cage only: a part of the surface that is thinner than the lattice
};

// What a lattice is cut by: a surface of triangles, or a formula.
typedef struct Boundary
{
    bool (*isInside)(const void *of, Vec3 point);
    double (*cut)(const void *of, Vec3 inside, Vec3 outside); // where along the segment inside ends, [0, 1]
    const void *of;
} Boundary;

// A lattice over a surface; true of the callback: go on.
typedef struct Filling
{
    Memory *memory;
    Boundary boundary;
    const Winding *winding; // NULL: a formula, of which no part is looked for that is too thin
    const vvSolidDef *def;
    Lattice lattice;
    signed char *sign; // vertexCount
    double missedArea; // m^2, of the surface where it was thinner than the lattice
} Filling;

Boundary windingBoundary(const Winding *winding);
vvResult fillingMake(Filling *filling, const vvBox *box);
vvResult fillingSigns(Filling *filling);

// m^2, of the surface that no tet will be near; in a cage the vertices next to it become THIN.
double fillingCover(Filling *filling);
vvResult fillingProgress(const Filling *filling, double share);

// ---- stuff.c --------------------------------------------------------------------------------------------------------

// Makes the tets of what is inside: fills points and tets of the arrays, which are empty before.
vvResult stuffLattice(Filling *filling, MeshArrays *arrays);

// ---- skin.c ---------------------------------------------------------------------------------------------------------

// Halves edges of the boundary that are longer than the definition's surfaceEdge, if it has one.
vvResult skinRefine(const Filling *filling, MeshArrays *arrays);

// ---- fill_volume.c --------------------------------------------------------------------------------------------------

// m^3, where the winding number is above one half: along `lines`^2 lines through the shortest side.
vvResult windingVolume(Memory *memory, const Winding *winding, const vvBox *box, int lines, double *volume);

// Moves points of the surface along its normals by its curvature, all by the same factor, until the volume is `volume`
// or an angle would fall below what stuffing guarantees.
vvResult correctVolume(MeshArrays *arrays, double volume);

// m, the least distance through the body from the middle of a face straight inward, up to `farthest`.
double windingThinnest(const Winding *winding, double farthest);

#endif
