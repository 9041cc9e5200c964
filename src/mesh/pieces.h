// Inside the mesh room: a mesh while it changes. One path: piecesBegin -> elements are divided or go -> piecesSeparate
// -> piecesFinish.
#ifndef MESH_PIECES_H
#define MESH_PIECES_H

#include "mesh/build.h"
#include "mesh/change.h"

#define MOST_CORNERS 4 // of an element

// The surface along which a cut separates, by vertex.
typedef struct CutSides
{
    signed char *side; // vertexRoom: -1 or 1; 0: on the cut
    double *height;    // vertexRoom: m above the swept surface, before snapping
    bool *active;      // vertexRoom: on the cut, within the reach of the blade
} CutSides;

typedef struct Pieces
{
    Memory *memory;
    const vvMesh *old;
    int width; // corners of an element: 4, 3 or 2

    int vertexCount, vertexRoom;
    double *point;        // vertexRoom x 3, at rest
    int *vertexParent;    // vertexRoom x 2
    double *vertexWeight; // vertexRoom
    bool *touched;        // vertexRoom: its elements may come apart

    // what has mass: tets, triangles, structural edges
    int elementCount, elementRoom;
    int *corner; // elementRoom x width
    int *parent; // elementRoom: old element; ropes: old edge

    bool *dropped; // edgeCount of the old mesh: edges that go; NULL: none
    CutSides cut;  // NULL: no cut
} Pieces;

// ---- pieces.c -------------------------------------------------------------------------------------------------------

bool piecesBegin(Pieces *pieces, Memory *memory, const vvMesh *mesh); // false: out of memory
void piecesRelease(Pieces *pieces);

// Its number, -1: out of memory.
int piecesAddVertex(Pieces *pieces, int first, int second, double weight);
int piecesCopyVertex(Pieces *pieces, int vertex);
int piecesAddElement(Pieces *pieces, const int *corner, int parent);

// The elements of a mesh, of a rope with its springs.
int meshElementCount(const vvMesh *mesh);
int meshElementWidth(const vvMesh *mesh);
const int *meshElementCorners(const vvMesh *mesh, int element);
bool meshElementIsMatter(const vvMesh *mesh, int element);

static inline bool sameCorners(const int *a, const int *b, int width)
{
    bool same = true;
    for (int c = 0; c < width; ++c)
        same &= a[c] == b[c];
    return same;
}

static inline int pieceCorner(const Pieces *pieces, int element, int corner)
{
    return pieces->corner[(size_t)element * (size_t)pieces->width + (size_t)corner];
}

// ---- separate.c -----------------------------------------------------------------------------------------------------

// Copies touched vertices where their elements fall into several parts that no closed facet joins. Open are the given
// facets, or those of the cut between elements on different sides. Says what opened and what did not.
vvResult piecesSeparate(Pieces *pieces, const int *facets, int count, MeshChange *change);

// ---- cut.c ----------------------------------------------------------------------------------------------------------

// Divides elements along the surface that a blade swept and separates them there.
vvResult piecesCut(Pieces *pieces, const double *positions, const Blade *blade, MeshChange *change);

// ---- springs.c ------------------------------------------------------------------------------------------------------

// The edges of the new mesh.
typedef struct Springs
{
    int count, room;
    int *end;      // room x 2
    int *kind;     // room
    int *parent;   // room: old edge, -1: new
    double *share; // room
    int *side;     // room: of a rod the vertex beside a segment, -1: none; NULL: it is no rod
    bool sided;    // it is
} Springs;

// False: out of memory.
bool springsFollow(const Pieces *pieces, Springs *springs);
bool springsAdd(Memory *memory, Springs *springs, const int *end, int kind, int parent, double share, int side);
bool springsAddInner(const Pieces *pieces, Springs *springs); // springs_inner.c
void springsRelease(Memory *memory, Springs *springs);

// ---- touched.c ------------------------------------------------------------------------------------------------------

bool piecesTouched(const Pieces *pieces, const Springs *springs, MeshChange *change); // false: out of memory

// ---- pieces_faces.c -------------------------------------------------------------------------------------------------

// The faces of a sheet: polygons that stayed whole stay, others become the triangles of their pieces. What is at new
// corners lies between what was at the old ones. NULL: the triangles say all. False: out of memory.
bool piecesFaces(const Pieces *pieces, Memory *memory, vvFaces **faces);

// ---- pieces_mesh.c --------------------------------------------------------------------------------------------------

// The new mesh and what came from what.
vvResult piecesFinish(Pieces *pieces, MeshChange *change);

#endif
