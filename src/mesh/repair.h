// What artists' surfaces have, and what can be mended without asking: points that lie on each other, faces with a
// corner twice, faces twice, faces and shells that wind the wrong way.
#ifndef MESH_REPAIR_H
#define MESH_REPAIR_H

#include "base/vec.h"

// What was found, and mended where the name says so.
typedef struct SurfaceRepair
{
    int weldedPoints;    // that lay on others
    int droppedFaces;    // with a corner twice
    int doubledFaces;    // that were there before, either way round; dropped
    int turnedFaces;     // against their neighbours; turned
    int turnedShells;    // that wound inward; turned
    int shells;          // parts that edges of two faces join
    int cavities;        // shells inside others that wind inward: they stay
    int openEdges;       // with one face
    int crowdedEdges;    // with three faces or more
    int twistedEdges;    // whose two faces cannot both be right: a Moebius strip
    double signedVolume; // m^3, afterwards: of a closed surface what is inside
} SurfaceRepair;

// Half edge 3 t + i goes from corner i of triangle t to the next. For each the one across, or why there is none.
enum
{
    HALF_OPEN = -1,    // the edge has one face
    HALF_CROWDED = -2, // three or more
};

static inline int halfNext(int half)
{
    return half % 3 == 2 ? half - 2 : half + 1;
}

bool repairNeighbours(Memory *memory, const int *triangle, int count, int pointCount, int *neighbour /* count x 3 */,
                      int *openEdges, int *crowdedEdges);

// Mends the triangles in place. Points stay where they are; some are used no more: `first` (or NULL) says by which each
// is replaced. False: out of memory.
bool repairSurface(Memory *memory, const double *point, int pointCount, int *triangle, int *triangleCount,
                   int *first /* pointCount */, SurfaceRepair *repair);

#endif
