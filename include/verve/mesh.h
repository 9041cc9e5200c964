// Verve meshes: points with tetrahedra, triangles and springs between them, from arrays or from a generator.
//
// A mesh is immutable and may be shared by any number of bodies and worlds; it lives until its creator has destroyed it
// and the last body that uses it is gone. Internally the library may reorder vertices and elements; every function here
// uses the caller's order.
#ifndef VERVE_MESH_H
#define VERVE_MESH_H

#include <verve/faces.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvMesh vvMesh; // immutable; made by vvCreateMesh and the functions below it

#define VV_MAX_VERTICES 20000000 // vertices of one mesh; also the limit for the cells of a generator

// Where a shape says so, "order" is the caller's vertex order of a generated mesh.
typedef enum vvMeshShape
{
    VV_MESH_ARRAYS,   // from the arrays of the definition
    VV_MESH_BOX,      // tets; size x, y, z; cells x, y, z (each cell 5 tets, alternating); order: z fastest,
                      // then y, then x
    VV_MESH_BAR,      // a box along x; size.x the length, size.y and size.z the cross-section; cells x, y, z
    VV_MESH_SHEET,    // triangles (facing +y, alternating cuts) and springs in the xz plane; size x and z; cells x and
                      // z; order: z fastest, then x
    VV_MESH_ROPE,     // springs along x; size.x the length; cells x segments; order: x
    VV_MESH_SPHERE,   // tets; size.x the diameter; cells x layers from centre to surface; order: from the
                      // centre outward
    VV_MESH_CYLINDER, // tets, axis y; size.x the diameter, size.y the height; cells x rings, cells y layers; order:
                      // each layer from its centre outward, layers by rising y
    VV_MESH_TORUS,    // tets, axis y; size.x the outer diameter, size.y the tube diameter (below half the outer); cells
                      // x rings, cells y around; order: each cross-section from its centre outward
    VV_MESH_TUBE, // triangles, axis y, open at both ends, facing outward; size.x the diameter, size.y the height; cells
                  // x around, cells y layers; order: around each ring, rings by rising y, every second half a step on
    VV_MESH_TET,  // one regular tetrahedron; size.x its edge length
    VV_MESH_COIL, // springs along a helix, axis y, right-handed; size.x its diameter, size.y its height; cells x
                  // segments, cells y turns; order: from below
    VV_MESH_FILE, // from a file, or from its bytes in memory; order: the file's

    // Stand-in models, smooth unions of ellipsoids and round cones: tets; they look along x, up is y; size.x
    // the longest side at rest; cells x fineness, 4 for as many vertices and tets as the models of the papers have (in
    // brackets), 8 for cells of half the size; at least 3. vvCreateSolidMesh takes a lattice in metres instead
    VV_MESH_HIPPO,  // 2,400 and 8,400
    VV_MESH_CACTUS, // 5,200 and 17,200
    VV_MESH_DOG,    // 28,400 and 117,000
    VV_MESH_BUNNY,  // 4,500 and 15,400
    VV_MESH_CAR,    // 5,000
    VV_MESH_HORN,   // 2,000: bent like a ram's
    VV_MESH_FIGURE, // 5,000: a person, standing, or at `time` of a walk
} vvMeshShape;

// What a spring of a sheet is for; each kind can have its own stiffness (vvSoftBodyDef).
typedef enum vvEdgeKind
{
    VV_EDGE_STRUCTURAL, // along the cells
    VV_EDGE_SHEAR,      // across a cell
    VV_EDGE_SKIP,       // over two cells: resists bending
    VV_EDGE_KINDS,      // their number
} vvEdgeKind;

// Everything a mesh can be made from. Start from vvDefaultMeshDef().
typedef struct vvMeshDef
{
    vvMeshShape shape; // default VV_MESH_BOX

    // generators, centred at the origin
    vvVec3 size;   // m, above 0 where the shape uses it; default 1 1 1
    int cells[3];  // at least 1 where the shape uses it (around a torus or tube: 3); default 4 4 4
    int diagonals; // sheet: shear springs per cell, 0, 1 or 2; default 2
    bool skip;     // sheet, rope: springs over two cells; default false
    double time;   // figure: s, at least 0, since it began to walk; default 0: it stands

    // VV_MESH_ARRAYS: copied during creation. Elements must be valid: indices in [0, pointCount), no vertex twice in an
    // element, tets not flatter than volume > 1e-12 x (longest edge)^3, triangles by area and square in the same way,
    // and at most two tets at a face, on opposite sides. Tets with negative volume are refused unless `reorient` is
    // set, which swaps two corners.
    const double *points; // pointCount x 3, m
    int pointCount;       // 1 to VV_MAX_VERTICES; every point must belong to a tet; without tets to a triangle;
                          // without both to a structural edge: else it would have no mass
    const int *tets;      // tetCount x 4
    int tetCount;         // at least 0
    const int *triangles; // triangleCount x 3; ignored as matter where there are tets
    int triangleCount;    // at least 0
    const int *edges;     // edgeCount x 2: springs, no pair twice; none given: the edges of tets or triangles
    const int *edgeKinds; // edgeCount, vvEdgeKind; NULL: all structural
    int edgeCount;        // at least 0
    bool reorient;        // default false

    // Points that no edge uses, in a mesh without tets and triangles, are single particles: balls of the diameter
    // vvMaterial.thickness, unless vvSoftBodyDef.vertexMass says what they weigh. Such a mesh may have no elements at
    // all; pins and attachments with a stiffness, contact, gravity and wind act on particles as on all vertices.
    // Default false: such points are refused.
    bool particles;

    const vvFaces *faces; // how the triangles were drawn, for files and records; ignored where there are tets. Default
                          // NULL: as triangles

    // VV_MESH_FILE: `file` is opened, or `data` is read as if it were the file. Tets with negative volume are turned,
    // points that nothing uses are left out; vvMesh_GetReorientedCount and vvMesh_GetDroppedCount say how many. Tets
    // are the matter; without them triangles, without both lines; elements of other kinds are ignored, of second order
    // the corners are taken. Errors say file, line, element and value; VV_INPUT_OUTPUT where it cannot be read at all.
    //   "obj"   Wavefront: faces become triangles (polygons are cut into fans), lines springs (the only ones); quads,
    //           texture coordinates, normals, groups and materials are kept (vvMesh_GetFaces)
    //   "msh"   Gmsh 2.2 and 4.1, ascii and binary
    //   "node"  TetGen .node and .ele, beside each other (in memory: one behind the other); either may be named
    //   "mesh"  Medit, ascii
    //   "vtk"   VTK legacy unstructured grid or poly data, ascii and binary
    //   "stl"   ascii and binary; corners at the same place become one
    //   "off"   ascii and binary
    //   "ply"   ascii and binary
    //   "meshb" Medit, binary
    //   "veg"   Vega
    //   "vtu"   VTK unstructured grid as XML, in every coding; packed by zlib or not
    //   "usda"  USD as text: the meshes that records have
    //   "gltf"  glTF 2.0, and "glb" its binary form: the meshes of its scene where its nodes put them, points that only
    //           texture coordinates or normals part joined; texture coordinates and materials are kept
    const char *file;   // path
    const char *format; // default NULL: by the ending of `file`; required with `data`
    const void *data;   // dataSize bytes, read during creation; default NULL: `file`
    size_t dataSize;    // bytes

    // every shape, after its points are known
    double scale;     // 1, above 0: 0.001 turns millimetres into metres; default 1
    vvVec3 rotate;    // degrees about x, then y, then z, about the origin; default 0
    vvVec3 translate; // m, added after the rotation; default 0

    // Ropes of any shape: makes a rod, which resists bending and twist (vvSoftBodyDef.bending, twisting). Behind all
    // other vertices come those beside the structural edges, one each in their order, as far from the middle as the
    // edge is long: edge and direction to it are the material frame of a segment. They have mass and are pinned, moved
    // and attached as all vertices, but touch nothing and are not drawn. Two springs each (VV_EDGE_SHEAR), behind all
    // other edges, hold them. Default false.
    bool rod;

    vvAllocator allocator; // default malloc and free
    int cookie;            // set by vvDefaultMeshDef; catches a definition that was not initialised
} vvMeshDef;

VV_API vvMeshDef vvDefaultMeshDef(void); // the defaults above

// Makes a mesh. Returns NULL on failure; `result` (may be NULL) says why.
VV_API vvMesh *vvCreateMesh(const vvMeshDef *def, vvResult *result);
VV_API void vvDestroyMesh(vvMesh *mesh); // NULL is fine

// Where points of a standing VV_MESH_FIGURE of this size are at a time of its walk: its surface follows the bones, with
// the same faces at any time. `points` and `out` hold 3 x count numbers, m, and may be the same. It walks along +x,
// 1.3 m/s at a size of 1.8 m, two steps in 1.1 s, after half a second in which it sets out.
VV_API vvResult vvWalkFigure(double size, double time, const double *points, int count, double *out);

// Shorthand for VV_MESH_FILE.
VV_API vvMesh *vvReadMesh(const char *file, vvResult *result);

// Writes the mesh in the caller's order to a file of one of the first five formats above, as ascii, or of "ply" or
// "glb", as binary (NULL: by its ending). Either the whole file is there afterwards or the old one untouched. Points
// and elements read back bit for bit: tets of a solid, triangles of a sheet, structural springs of a rope (no format
// knows the other springs). "obj" and "ply" take the surface of a solid and the faces of a sheet as they were drawn,
// "glb" takes it in single precision, cut into triangles; "node" takes solids only, "msh" is version 2.2.
VV_API vvResult vvWriteMesh(const vvMesh *mesh, const char *file, const char *format);
VV_API const char *vvGetMeshFormatName(int index); // NULL past the last

// Shorthands for the generators: NULL on failure (vvCreateMesh says why).
VV_API vvMesh *vvCreateBoxMesh(vvVec3 size, int cellsX, int cellsY, int cellsZ);
VV_API vvMesh *vvCreateBarMesh(double length, double width, int cellsAlong, int cellsAcross);
VV_API vvMesh *vvCreateSheetMesh(double sizeX, double sizeZ, int cellsX, int cellsZ);
VV_API vvMesh *vvCreateRopeMesh(double length, int segments);
VV_API vvMesh *vvCreateSphereMesh(double diameter, int layers);
VV_API vvMesh *vvCreateCylinderMesh(double diameter, double height, int rings, int layers);
VV_API vvMesh *vvCreateTorusMesh(double outerDiameter, double tubeDiameter, int rings, int around);
VV_API vvMesh *vvCreateTubeMesh(double diameter, double height, int around, int layers);

// Counts and arrays, in the caller's order (for a generated mesh: the one at vvMeshShape). The arrays live as long as
// the mesh; a NULL mesh has none of anything. Surface triangles: the boundary of the tets with outward winding,
// or the triangles of a sheet.
VV_API int vvMesh_GetVertexCount(const vvMesh *mesh);
VV_API int vvMesh_GetTetCount(const vvMesh *mesh);
VV_API int vvMesh_GetEdgeCount(const vvMesh *mesh);
VV_API int vvMesh_GetSurfaceCount(const vvMesh *mesh);
VV_API const double *vvMesh_GetPoints(const vvMesh *mesh); // vertexCount x 3
VV_API const int *vvMesh_GetTets(const vvMesh *mesh);      // tetCount x 4
VV_API const int *vvMesh_GetEdges(const vvMesh *mesh);     // edgeCount x 2
VV_API const int *vvMesh_GetEdgeKinds(const vvMesh *mesh); // edgeCount
VV_API const int *vvMesh_GetSurface(const vvMesh *mesh);   // surfaceCount x 3
VV_API const vvFaces *vvMesh_GetFaces(const vvMesh *mesh); // of a sheet; NULL: the triangles say all
VV_API double vvMesh_GetVolume(const vvMesh *mesh);        // m^3, of the tets
VV_API double vvMesh_GetArea(const vvMesh *mesh);          // m^2, of the surface triangles
VV_API double vvMesh_GetSize(const vvMesh *mesh);          // m, longest side of the bounding box
VV_API bool vvMesh_HasParticles(const vvMesh *mesh);      // it was made with `particles`, and has no tets and triangles
VV_API int vvMesh_GetReorientedCount(const vvMesh *mesh); // tets that `reorient` turned
VV_API int vvMesh_GetDroppedCount(const vvMesh *mesh);    // points of a file that nothing used

#ifdef __cplusplus
}
#endif

#endif
