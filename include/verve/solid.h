// Verve solids: tetrahedra that fill a closed surface, as artists make them.
//
// The surface may have holes, intersect itself, have faces twice or turned around, several shells, edges of three faces
// and more: inside is where its generalised winding number is above one half. The tets come from a body-centred lattice
// that is cut along the surface (isosurface stuffing), so that no dihedral angle is below 9 degrees whatever the
// surface; sharp edges are rounded by less than a cell. The same input gives the same bits.
#ifndef VERVE_SOLID_H
#define VERVE_SOLID_H

#include <verve/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the tets are for.
typedef enum vvSolidKind
{
    VV_SOLID_CONFORMING, // the boundary of the tets is the surface; parts thinner than a cell are lost, and reported
    VV_SOLID_CAGE,       // the tets cover every part of the surface, which an embedding then carries; parts thinner
                         // than a cell become about a cell thick
} vvSolidKind;

// How to fill a surface. Start from vvDefaultSolidDef().
typedef struct vvSolidDef
{
    vvSolidKind kind;   // default VV_SOLID_CONFORMING
    int cells;          // of the lattice along the longest side, 2 to 1000; default 10
    double edge;        // m, spacing of the lattice, about the longest edge of a tet; default 0: from cells
    int grading;        // how often cells may double in size from the surface inward, 0 to 8; default 0: all are equal
    double surfaceEdge; // m: edges of the boundary longer than that are halved, on the surface; at least half the
                        // spacing; default 0: as the lattice has them

    // Called now and then with how much is done, [0, 1]; false stops the work. NULL: nobody asks.
    bool (*progress)(double share, void *userData);
    void *userData; // yours; handed to `progress`
    int cookie;     // set by vvDefaultSolidDef
} vvSolidDef;

// What came out.
typedef struct vvSolidReport
{
    int vertexCount, tetCount;     // of the solid
    double edge;                   // m, spacing of the lattice
    double leastAngle, mostAngle;  // degrees, of the dihedral angles
    double volume;                 // m^3, of the tets
    double surfaceVolume;          // m^3, where the winding number of the surface is above one half
    double thinnest;               // m, the least thickness found, up to 4 edges; 0: none is below that
    double missedArea;             // m^2, of the surface where it was too thin for the lattice: lost, or thickened
    int pieces;                    // parts of the solid that no tet joins
    int weldedPoints;              // points of the surface that lay on others
    int droppedFaces;              // faces with a corner twice, or there before
    int turnedFaces, turnedShells; // faces against their neighbours, shells that wound inward
    int cavities;                  // shells inside others that wind inward: holes in the solid
    int openEdges;                 // edges of the surface with one face: it has holes
    int crowdedEdges;              // with three faces or more
    double seconds;                // s, of wall clock
} vvSolidReport;

VV_API vvSolidDef vvDefaultSolidDef(void);        // the defaults above
VV_API const char *vvGetSolidKindName(int index); // "conforming", "cage"; NULL past the last

// Fills the surface that `surface` defines (arrays, file or a generator of triangles), after its scale and rotation.
// Faces may be flat or have corners twice. A stand-in model gets this lattice instead of that of its `cells`. Returns
// NULL on failure; `report` and `result` may be NULL.
VV_API vvMesh *vvCreateSolidMesh(const vvMeshDef *surface, const vvSolidDef *def, vvSolidReport *report,
                                 vvResult *result);

#ifdef __cplusplus
}
#endif

#endif
