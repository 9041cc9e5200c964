// The mesh room: an immutable, reference-counted container in the library's own order, with the way back to the
// caller's.
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "base/base.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <verve/mesh.h>

// What the matter of a mesh is made of: decides masses and the meaning of `edgeShare`.
typedef enum MeshMatter
{
    MATTER_SOLID, // tets
    MATTER_SHEET, // triangles with a thickness
    MATTER_ROPE,  // edges with a diameter
} MeshMatter;

// What a mesh came from.
typedef struct MeshOrigin
{
    const char *format;     // "obj", ...; NULL: no file
    size_t bytes;           // read
    int droppedCount;       // points that nothing used
    long long ignoredCount; // elements of kinds that are no matter here
    bool mapped;            // its surface had texture coordinates
    double readSeconds;     // s, to parse
    double buildSeconds;    // s, from arrays to the mesh
} MeshOrigin;

struct vvMesh
{
    Memory memory;
    MeshOrigin origin;
    atomic_int references;
    MeshMatter matter;
    bool particles; // a rope whose vertices without an edge are particles
    bool changed;   // made from another one by a split, a cut or a removal

    // counts
    int vertexCount, tetCount, edgeCount, surfaceCount, pairCount;

    // the library's order: vertices breadth-first for locality, elements by their first vertices
    double *point;     // vertexCount x 3
    int *tet;          // tetCount x 4, positive volume
    int *edge;         // edgeCount x 2
    int *edgeKind;     // edgeCount
    double *edgeShare; // edgeCount: spring stiffness per Young's modulus: solid m, sheet 1 (times thickness), rope 1/m
                       // (times area)
    int *edgeSide;     // edgeCount: of a rod the vertex beside a segment, -1 for other springs; NULL: no rod
    int *surface;      // surfaceCount x 3, outward; triangles in the caller's order
    int *pair;         // pairCount x 2, a < b, sorted: every two vertices that share a tet, triangle or spring
    int *pairStart;    // vertexCount + 1: the pairs whose lower vertex is v are pairStart[v] .. pairStart[v + 1] - 1

    // the way back
    int *vertexToCaller;   // vertexCount: caller's index of our vertex
    int *vertexFromCaller; // vertexCount: our index of the caller's vertex
    int *tetToCaller;      // tetCount
    int *edgeToCaller;     // edgeCount

    // the caller's order, for the getters
    double *callerPoint; // vertexCount x 3
    int *callerTet;      // tetCount x 4
    int *callerEdge;     // edgeCount x 2
    int *callerEdgeKind; // edgeCount
    int *callerSurface;  // surfaceCount x 3, same order of triangles as `surface`

    vvFaces *faces;                // of the caller's vertices, of a sheet; NULL: the triangles say all
    struct vvEmbedding *embedding; // of the surface that a cage was made for; NULL: none

    // measures
    double volume, area, size;
    int reorientedCount;
    int cellTets; // tets of a cell: those of cell c are number c x cellTets and on in the caller's order; 0: none
};

void meshRetain(vvMesh *mesh);
void meshRelease(vvMesh *mesh); // the last one frees

// The number of the pair of two vertices (ours, either order), -1: they share no element.
int meshFindPair(const vvMesh *mesh, int a, int b);

// The structure of a generated sheet, grid.c: vertex (i, k) has the caller's number i (nz + 1) + k.
typedef struct MeshGrid
{
    int nx, nz; // cells
} MeshGrid;

// False: the structural edges are not those of a grid, or a cell lacks a diagonal.
bool meshGrid(const vvMesh *mesh, MeshGrid *grid);

// Rods, rod.c. A vertex beside a segment is as far from its middle as the segment is long, and has the share of its
// mass with which it turns about its axis as a round rod does, r^2/2 over the distance squared; within limits, so that
// it is neither too light to be stepped nor too heavy to be beside the rod.
#define SIDE_DISTANCE 1.0 // over the length of the segment
#define LEAST_SIDE 1e-5
#define MOST_SIDE 0.5

double meshSideShare(double length, double thickness);

// Where two segments meet: count x 5, the vertex, their other ends, the vertices beside them; where more meet, each
// with the next. The caller's to release. False: out of memory.
bool meshRodJoints(const vvMesh *mesh, Memory *memory, int **joint, int *count);

// Lumped masses, kg, in our order: each element gives equal shares to its corners (of a rope: each structural edge;
// springs over two segments are no matter). Density kg/m^3; thickness m is the sheet's thickness or the rope's diameter
// (unused for solids).
void meshLumpedMass(const vvMesh *mesh, double density, double thickness, double *mass /* vertexCount */);

// The same with a density for every tet, triangle of a sheet or edge of a rope, in the caller's order.
void meshLumpedMassOf(const vvMesh *mesh, double density, const double *densities /* NULL: all have `density` */,
                      double thickness, double *mass /* vertexCount */);

// The consistent mass matrix (linear shape functions): its diagonal, and its entry for every pair of `pair`.
void meshConsistentMass(const vvMesh *mesh, double density, double thickness, double *diagonal /* vertexCount */,
                        double *offDiagonal /* pairCount */);

// Rings of the surface: the neighbours of each vertex in the order around it; none for vertices at the rim and where
// more than two triangles meet.
typedef struct MeshRings
{
    int *start;     // vertexCount + 1
    int *neighbour; // the ring of v is neighbour[start[v] .. start[v + 1])
} MeshRings;

bool meshRings(const vvMesh *mesh, Memory *memory, MeshRings *rings); // false: out of memory
void meshRingsRelease(Memory *memory, MeshRings *rings);

// Edges of the surface with two triangles: hingeCount x 4, the edge and the vertices across; the caller's to release.
bool meshHinges(const vvMesh *mesh, Memory *memory, int **hinge, int *hingeCount); // false: out of memory

// The pairs of the mesh and those of more elements (count x width, a vertex may repeat), sorted as `pair`; the caller's
// to release. False: out of memory.
bool meshJoinedPairs(const vvMesh *mesh, Memory *memory, const int *corner, int count, int width, int **pair,
                     int *pairCount);

// ---- embedding.c ----------------------------------------------------------------------------------------------------

const vvMesh *embeddingMesh(const struct vvEmbedding *embedding);
// The caller's vertices that a point hangs on and their weights, 4 each; of a sheet the last weight is 0.
void embeddingHangsOn(const struct vvEmbedding *embedding, int point, const int **corner, const double **weight);

// How good a mesh is: quality.c.
typedef struct MeshQuality
{
    double smallestVolume, largestVolume; // m^3, of the tets; 0 without
    double worstRatio;                    // 3 x inscribed / circumscribed radius of the worst tet, 1 is regular; or
                                          // 2 x of the worst triangle of a sheet; 1 for a rope
    double leastCosine, largestCosine;    // of the dihedral angles of the tets: the largest and the smallest angle; 1
                                          // and -1 without tets
    int worstElement;                     // with worstRatio, in the caller's order; -1: none
    int componentCount;                   // parts that no element joins
    bool closed;                          // every edge of the surface has two triangles that wind in opposite ways
} MeshQuality;

bool meshQuality(const vvMesh *mesh, MeshQuality *quality); // false: out of memory

// ---- repair.c -------------------------------------------------------------------------------------------------------

// For every point one that is at most `distance` m away and stands for itself; returns how many lie on others, -1: out
// of memory. With distance 0 the one is the first of those at the same place.
int repairWeld(Memory *memory, const double *point, int pointCount, double distance, int *first /* pointCount */);

// ---- file.c ---------------------------------------------------------------------------------------------------------

// The files that reading `file` opens, one after the other; false past the last. A TetGen mesh is two.
bool meshFile(const char *file, const char *formatName, int index, char *path, size_t size);

// ---- gltf_motion.c --------------------------------------------------------------------------------------------------

// A glTF file that moves: by its nodes, skins and morph targets. Points are those of the mesh that is read from it.
typedef struct MeshMotion MeshMotion;

bool meshMotionIs(const char *file); // by its ending
// `clip`: the name of an animation; NULL: the first. NULL after saying why.
MeshMotion *meshMotionOpen(Memory *memory, const char *file, const char *clip, vvResult *result);
void meshMotionClose(MeshMotion *motion); // NULL is fine
int meshMotionPoints(const MeshMotion *motion);
double meshMotionEnd(const MeshMotion *motion);                           // s, its last key; the first is at time 0
void meshMotionAt(MeshMotion *motion, double time, double *point /*x3*/); // it stays after the last key

#endif
