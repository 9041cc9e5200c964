// Inside the tetrahedraliser: the state of stuffing, and what of one tet of the lattice is inside.
#ifndef MESH_STENCIL_H
#define MESH_STENCIL_H

#include "mesh/solid.h"

// Where the surface cuts an edge of the lattice.
typedef struct Cut
{
    int inside, outside; // vertices of the lattice
    double place;        // from inside to outside, [0, 1]
    Vec3 at;
    int number; // of its point in the mesh, -1: none yet
} Cut;

typedef struct Stuffing
{
    Filling *filling;
    MeshArrays *arrays;
    int *warp;   // vertexCount: 1 + the cut that the vertex moved to; 0: none
    int *number; // vertexCount: 1 + its point in the mesh; 0: none yet
    Cut *cut;    // cutCount
    int cutCount;
    int *slot; // slotMask + 1: 1 + the number of a cut, by the ends of its edge; 0: free
    size_t slotMask;
    size_t pointRoom, tetRoom;
    unsigned char *level; // of every cell: it is part of one of 2^level cells along each side; NULL: all are 0
    bool exhausted;       // out of memory
} Stuffing;

int cutFind(const Stuffing *s, int a, int b); // of an edge that is cut; -1: it is not

// Adds the tets of what of a tet of the lattice is inside.
void stencilEmit(Stuffing *s, const int *vertex /* 4 */);

// ---- grade.c --------------------------------------------------------------------------------------------------------

bool gradeCells(Stuffing *s); // finds the levels; false: out of memory
void gradeTets(Stuffing *s);  // the tets of all cells

#endif
