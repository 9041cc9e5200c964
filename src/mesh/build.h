// What crosses files inside the mesh room. One path: a generator or the caller's arrays -> MeshArrays in the caller's
// order -> checkArrays -> buildMesh.
#ifndef MESH_BUILD_H
#define MESH_BUILD_H

#include "mesh/faces.h"
#include "mesh/mesh.h"

#include <verve/solid.h>

// How messages call elements and points: arrays count from 0, files as they like.
typedef struct Naming
{
    int first;        // number of the first element, and of the first point where `point` is NULL
    long long *point; // pointCount, or NULL

    // out: the element that a refusal is about; width 0: none
    int width, number; // corners, and its place from 0
} Naming;

// Raw arrays on their way into a mesh.
typedef struct MeshArrays
{
    Memory *memory;
    Naming naming;
    int pointCount, tetCount, triangleCount, edgeCount;
    double *point;         // pointCount x 3
    int *tet;              // tetCount x 4
    int *triangle;         // triangleCount x 3; none where there are tets
    int *edge;             // edgeCount x 2; none: the edges of the elements
    int *edgeKind;         // edgeCount
    double *edgeShare;     // edgeCount, or NULL: worked out from the elements
    bool particles;        // points without elements are particles, where there are no tets and triangles
    bool lenient;          // a file may have elements with a corner twice: something else drops them
    vvFaces *faces;        // of the triangles, or NULL: they say all
    int sideCount;         // the last points are beside segments of a rod, in the order of its structural edges
    int *edgeSide;         // edgeCount: or the point beside each edge, -1: none; NULL: as sideCount says
    int *toCaller;         // pointCount: the library's order of the points; NULL: breadth-first
    const vvMesh *old;     // the mesh before a change, with its order, and where it changed; NULL: none
    const bool *touched;   // pointCount, as of MeshChange
    const int *edgeParent; // edgeCount: edges of the old mesh, -1: none
    int cellTets;          // tets that make one cell, one behind the other; 0: there are no cells
} MeshArrays;

// ---- arrays.c: the arrays themselves --------------------------------------------------------------------------------

// Counts are reals so that a product of three cell counts cannot wrap; refuses what a mesh cannot hold.
vvResult arraysAllocate(MeshArrays *arrays, double points, double tets, double triangles, double edges);
vvResult arraysFit(const MeshArrays *arrays); // the same limits, for arrays that are filled already
void arraysRelease(MeshArrays *arrays);
vvResult arraysCopy(MeshArrays *arrays, const vvMeshDef *def);
void arraysOrient(MeshArrays *arrays); // swaps two corners of every tet with negative volume

MeshMatter arraysMatter(const MeshArrays *arrays);

// ---- check.c: what may become a mesh --------------------------------------------------------------------------------

#define FARTHEST 1e12 // m, of a coordinate: a light-hour

vvResult checkMeshPoints(const MeshArrays *arrays); // refuses what is not finite or far away

// Refuses bad numbers and bad elements; turns negative tets if `reorient`, and counts them.
vvResult checkArrays(MeshArrays *arrays, bool reorient, int *reorientedCount);

// ---- generators: fill arrays from a definition ----------------------------------------------------------------------

vvResult checkGenerator(const vvMeshDef *def); // generate.c: the sizes and cells that the shape uses

vvResult generateBox(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateSheet(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateRope(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateCoil(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateSphere(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateCylinder(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateTorus(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateTube(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateTet(MeshArrays *arrays, const vvMeshDef *def);
vvResult generateModel(MeshArrays *arrays, const vvMeshDef *def, const vvSolidDef *solid /* or NULL: by cells */);

// ---- place.c: scale and rotate --------------------------------------------------------------------------------------

vvResult checkPlacing(const vvMeshDef *def);
void placePoints(MeshArrays *arrays, const vvMeshDef *def);

// ---- rod.c: vertices beside the segments of a rope ------------------------------------------------------------------

vvResult arraysMakeRod(MeshArrays *arrays);                             // for arrays that were checked
bool fillSides(Memory *memory, vvMesh *mesh, const MeshArrays *arrays); // edgeSide; false: out of memory

// ---- mesh.c: all together -------------------------------------------------------------------------------------------

// What becomes of the arrays of a definition before they are checked.
typedef struct MeshEdit
{
    vvResult (*apply)(MeshArrays *arrays, void *context); // faces too; NULL: nothing
    void *context;
    const vvSolidDef *solid; // the lattice of a stand-in model; NULL: by its cells
} MeshEdit;

vvMesh *meshCreate(const vvMeshDef *def, const MeshEdit *change /* or NULL */, vvResult *result);

// A mesh from arrays that need no check. Takes arrays and their memory over; NULL: all of it is released.
vvMesh *meshFromArrays(MeshArrays *arrays, vvResult *result);

// ---- build.c: the container -----------------------------------------------------------------------------------------

// Takes the arrays over. After a failure the mesh holds what was made so far; meshRelease frees it.
vvResult buildMesh(vvMesh *mesh, MeshArrays *arrays);

// ---- sort.c, order.c, topology.c, share.c: its parts; false is out of memory ----------------------------------------

// order[k]: the number of the k-th tuple in lexicographic order. Stable, linear time; all keys in [0, limit).
bool sortTuples(Memory *memory, const int *key /* count x width */, int count, int width, int limit, int *order);

// toCaller[k]: the caller's number of our vertex k.
bool orderVertices(Memory *memory, const int *pair, int pairCount, int vertexCount, int *toCaller);

// Elements of one kind.
typedef struct ElementSet
{
    const int *corner; // count x width
    int count, width;
} ElementSet;

// The pairs a < b of vertices that share an element, each once, sorted; *pair is allocated.
bool collectPairs(Memory *memory, const ElementSet *sets, int setCount, int vertexCount, int **pair, int *pairCount);
// touched.c: the pairs of the new mesh from those before it. False: out of memory
bool inheritPairs(Memory *memory, const ElementSet *sets, int setCount, const vvMesh *old, const bool *touched,
                  vvMesh *mesh);

// The faces that belong to one tet, wound outward, lowest vertex first, sorted by their vertices; *face is allocated.
vvResult collectBoundary(Memory *memory, const int *tet, int tetCount, int vertexCount, Naming *naming, int **face,
                         int *faceCount);

// edgeShare from the elements; needs the pairs.
bool shareStiffness(Memory *memory, vvMesh *mesh);

// ---- quality.c ------------------------------------------------------------------------------------------------------

// The least and the largest cosine of the dihedral angles of a tet, measured inside.
void tetCosines(const double *point, const int *corner, double *least, double *largest);

// ---- measures of one element ----------------------------------------------------------------------------------------

static inline long long pointName(const Naming *naming, int point)
{
    return naming->point != NULL ? naming->point[point] : (long long)naming->first + point;
}

static inline Vec3 cornerPoint(const double *point, int vertex)
{
    return vecLoad(point + 3 * (size_t)vertex);
}

static inline double edgeLength(const double *point, int a, int b)
{
    return vecLength(vecSub(cornerPoint(point, b), cornerPoint(point, a)));
}

static inline double triangleArea(const double *point, const int *corner)
{
    Vec3 a = cornerPoint(point, corner[0]);
    Vec3 normal = vecCross(vecSub(cornerPoint(point, corner[1]), a), vecSub(cornerPoint(point, corner[2]), a));
    return 0.5 * vecLength(normal);
}

// det[x1 - x0, x2 - x0, x3 - x0] / 6
static inline double tetVolume(const double *point, const int *corner)
{
    Vec3 a = cornerPoint(point, corner[0]);
    Vec3 u = vecSub(cornerPoint(point, corner[1]), a);
    Vec3 v = vecSub(cornerPoint(point, corner[2]), a);
    Vec3 w = vecSub(cornerPoint(point, corner[3]), a);
    return vecDot(u, vecCross(v, w)) / 6;
}

// the longest edge between any two of the corners of one element
static inline double longestEdge(const double *point, const int *corner, int width)
{
    double longest = 0;
    for (int i = 0; i < width; ++i)
    {
        for (int j = i + 1; j < width; ++j)
            longest = maxReal(longest, edgeLength(point, corner[i], corner[j]));
    }
    return longest;
}

#endif
