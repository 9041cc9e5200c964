// Bodies whose mesh changes while they run: splits, cuts, elements that go.
//
// The body stays what it is: its id, its name, its account, and what is attached to it. Vertices keep their numbers,
// new ones follow behind them; a new vertex has place and velocity of the vertices that it came from. What held a
// vertex goes on holding that number: pins are copied with their vertex, attachments, forces, hinges, constraints,
// tethers and skins stay with the vertex that kept the number. Mass and momenta stay; energy that a change takes is
// booked as dissipated. Saved states hold the changes and bring them to any world that was built alike.
//
// A change makes mesh and energies of the body anew within the call and keeps the elimination order and what the change
// does not reach of the factor. Modes follow some steps later, vvWorld_Prepare makes them at once. Embeddings hang on
// the mesh that they were made for, and must be made again.
#ifndef VERVE_CHANGE_H
#define VERVE_CHANGE_H

#include <verve/base.h>
#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

// Opens the body along facets of its mesh: edges of a sheet (2 vertices each), faces of a solid (3 each), points of a
// rope (1 each). `vertices` has count facets one after the other. Sides come apart where nothing closed joins them: an
// edge inside a sheet opens together with the next one, and until then the body remembers it.
VV_API vvResult vvSoftBody_Split(vvSoftBodyId body, const int *vertices, int count);

// A straight blade before and after it moved, m: it sweeps the two triangles before[0] before[1] after[1] and
// before[0] after[1] after[0].
typedef struct vvBlade
{
    vvVec3 before[2]; // its ends at first
    vvVec3 after[2];  // and at last
} vvBlade;

// Cuts what the blade sweeps through, where the body is now. Elements are divided along the cut; where it passes close
// to a vertex it goes through the vertex, and one that ends inside an element ends at its nearest facet.
VV_API vvResult vvSoftBody_Cut(vvSoftBodyId body, const vvBlade *blade);

// Takes elements away with their mass: tets of a solid, triangles of a sheet, edges of a rope, by number; those behind
// them close up. Vertices that lose their last element keep their number, without mass and pinned.
VV_API vvResult vvSoftBody_Remove(vvSoftBodyId body, const int *elements, int count);

VV_API int vvSoftBody_GetChangeCount(vvSoftBodyId body); // changes that made its mesh; 0 for a bad id

// A change of a body's mesh. Arrays are the world's and live until the next step.
typedef struct vvMeshEvent
{
    vvSoftBodyId body;           // whose mesh is vvSoftBody_GetMesh, with the triangles to draw
    int vertexCountBefore;       // vertices from this number on are new
    int vertexCount;             // vertices after it
    int triangleCount;           // triangles of the surface after it
    const int *vertexParents;    // vertexCount x 2: the vertices that it lies between; both equal: itself or a copy
    const double *vertexWeights; // vertexCount: share of the second parent, [0, 1]
    const int *triangleParents;  // triangleCount: the former triangle that it is a part of; -1: opened
    double area;                 // m^2 at rest, of the new surface counted once; 0 for ropes
    double energy;               // J, booked as dissipated
} vvMeshEvent;

// Each piece of a body that has fallen apart sleeps by itself: whether the one with this vertex is awake. False for a
// bad id or vertex.
VV_API bool vvSoftBody_IsVertexAwake(vvSoftBodyId body, int vertex);

// Changes since the last step began: writes at most `capacity` of them in their order and returns how many there are.
VV_API int vvWorld_GetMeshEvents(vvWorldId world, vvMeshEvent *events, int capacity);

#ifdef __cplusplus
}
#endif

#endif
