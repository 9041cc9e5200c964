// Meshes made from others by splitting, cutting and removing. Numbers are the caller's throughout: vertices, the
// elements (tets of a solid, triangles of a sheet, edges of a rope) and the edges.
#ifndef MESH_CHANGE_H
#define MESH_CHANGE_H

#include "mesh/mesh.h"

// A mesh made from another. Old vertices keep their numbers, in the library's order too, and new ones follow; the first
// piece of an element keeps the element's number and further pieces follow at the end. Where elements went, those
// behind them close up. Parents are numbers of the old mesh.
typedef struct MeshChange
{
    vvMesh *mesh;         // the new mesh, the caller's afterwards
    int *vertexParent;    // vertexCount x 2: the old vertices between which it lies at rest; both equal: a copy, or
                          // itself
    double *vertexWeight; // vertexCount: share of the second parent, [0, 1]
    int *elementParent;   // tets, triangles or edges: the old element it is a part of, -1: a new edge of a rope
    double openedArea;    // new surface at rest counted once: solids m2; sheets m, to be multiplied by the thickness;
                          // ropes 0

    int *edgeParent;    // edgeCount: the old edge it is a part or a copy of, -1: new
    int *surfaceParent; // surfaceCount: the old triangle of the surface it is a part of, -1: the change opened it
    int *kept;          // keptCount: which of the given edges, faces or points did not come apart. Give them again with
    int keptCount;      // the next ones: neighbours of an opened facet open it
    int *orphan;        // orphanCount: vertices without an element and without mass, all of the mesh, ascending. They
    int orphanCount;    // stay so that numbers do
    int openedCount;    // facets (edges, faces, points) that came apart
    // vertexCount, the library's order: corners of elements and springs that only one of both meshes has. All others
    // are the same in both, one behind the other as before. NULL: of a rope
    bool *touched;
    bool snapped; // a cut ended inside an element and was moved to its nearest facet

    Memory memory; // of the arrays
} MeshChange;

// Two positions of the edge of a blade, m: the swept surface is two triangles, before 0, before 1, after 1 and
// before 0, after 1, after 0. One of them may have no area.
typedef struct Blade
{
    Vec3 before[2], after[2];
} Blade;

// Opens facets: vertex pairs of a sheet, vertex triples of a solid, vertices of a rope. A vertex is copied where its
// elements fall into several parts that no closed facet joins: an edge inside a sheet whose ends both stay shared
// stays closed. Facets at the rim are nothing to open and are accepted. After a failure `change` is all zero.
vvResult meshSplit(const vvMesh *mesh, const int *facets, int count, MeshChange *change);

// Cuts along the surface that a blade swept. `positions` (vertexCount x 3, the caller's order) says where the vertices
// are; the cut divides edges there and at rest in the same ratio.
vvResult meshCut(const vvMesh *mesh, const double *positions, const Blade *blade, MeshChange *change);

// Takes elements away. Vertices that lose their last one stay as orphans; parts that only touched in a vertex of what
// went come apart.
vvResult meshRemove(const vvMesh *mesh, const int *elements, int count, MeshChange *change);

void meshChangeRelease(MeshChange *change); // the arrays, and the mesh unless it was taken (NULL)

#endif
