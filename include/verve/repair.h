// Verve repair: meshes from files as they come, with what is wrong in them mended or counted.
//
// vvCreateMesh refuses flat elements and corners that are there twice, and takes the rest as it is. A repaired mesh has
// none of them: points at one place are one, faces wind the same way and outward, faces are there once, small holes are
// closed. The command `verve mesh doctor FILE` is this call.
#ifndef VERVE_REPAIR_H
#define VERVE_REPAIR_H

#include <verve/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to mend. Start from vvDefaultRepairDef().
typedef struct vvRepairDef
{
    double weld; // m, points so close become one; default 0: at the same place
    int holes;   // edges, holes of at most so many are closed, by faces around their middle; default 64
    int piece;  // 1 leaves out all but the piece with most elements, 2 all but the next, and so on; default 0: all stay
    int cookie; // set by vvDefaultRepairDef
} vvRepairDef;

// What was found, and mended where a field says so.
typedef struct vvRepairReport
{
    int pointCount, faceCount, tetCount; // before
    int weldedPoints;                    // lay on others; now one
    int unusedPoints;                    // belonged to nothing; left out
    int collapsedElements;               // had a corner twice; dropped
    int flatElements;                    // had no area or volume; dropped, and their neighbours closed over them
    int doubledElements;                 // were there before; dropped
    int turnedFaces;                     // wound against their neighbours; turned
    int turnedShells;                    // wound inward; turned
    int turnedTets;                      // had a negative volume; turned
    int cavities;                        // shells inside others that wind inward: they stay
    int holes, closedHoles;              // rims of the surface, and those that were closed
    int openEdges;                       // edges with one face that are left
    int crowdedEdges;                    // with three or more: they stay
    int twistedEdges;                    // of one-sided surfaces: they stay
    int pieces;                          // parts that nothing joins, before any was left out
} vvRepairReport;

VV_API vvRepairDef vvDefaultRepairDef(void); // the defaults above

// Makes a mesh of what `mesh` defines (arrays, file or generator), mended. Returns NULL on failure; `report` and
// `result` may be NULL.
VV_API vvMesh *vvCreateRepairedMesh(const vvMeshDef *mesh, const vvRepairDef *def, vvRepairReport *report,
                                    vvResult *result);

#ifdef __cplusplus
}
#endif

#endif
