// Patches of tetrahedra: the tets around each edge and around each vertex of a batch. The deformation gradient of a
// patch is the mean of those of its tets. A tet gives a sixth of its volume to every edge and a quarter to every
// vertex.
#ifndef ENERGY_PATCHES_H
#define ENERGY_PATCHES_H

#include "energy/energy.h"

#define PATCHES_OF_TET 10 // six edges, four vertices
#define PATCH_EDGES 6     // the first of them
#define PATCH_PLACE 12    // numbers of a tet or patch in `deformation` and `stress`: three columns of four

// Patch p sits in block p / LANES, lane p % LANES, as elements do; those of a block have about as many tets.
typedef struct Patches
{
    Memory *memory;
    int count, blockCount;
    unsigned version; // of the energy whose constants `share` and `law` were made from
    int *slotStart;   // blockCount + 1
    int *place;       // slots x LANES: PATCH_PLACE times the number of a tet
    double *share;    // slots x LANES: 1, what this tet is of the mean; 0: it is padding, or switched off
    double *law;      // blockCount x 2 x LANES: of |F - R|^2 and of tr(R^T F - I)^2 / 2: 1 and 0 of edges, 0 and 1 of
        //   vertices. Auxetic materials: edges have both, so that shear is never below a negative pressure
    int *member;         // blocks of tets x PATCHES_OF_TET x LANES: PATCH_PLACE times the number of a patch
    double *deformation; // tets x PATCH_PLACE: F, or its change
    double *stress;      // patches x PATCH_PLACE: derivative of the law of each patch; the fourth number is its value
    double *turn;        // patches x 4: quaternions of the rotations found last
    double *bent;        // (blocks of tets + blockCount) x PATCH_BENT x LANES: for second derivatives
} Patches;

enum PatchBent // of each tet, then of each patch
{
    BENT_ROTATION,                       // 9: columns
    BENT_COMPLIANCE = BENT_ROTATION + 9, // 6: xx yy zz yz xz xy of c H^-1
    BENT_MU = BENT_COMPLIANCE + 6,       //
    BENT_LAMBDA,                         //
    PATCH_BENT,
};

Patches *patchesCreate(const Energy *energy); // over the tets of a batch; NULL: out of memory
void patchesDestroy(Patches *patches);
void patchesRefresh(const Energy *energy); // where constants of the batch changed

#endif
