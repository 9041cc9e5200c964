// Verve faces: a surface as its artist drew it, with quads and polygons, texture coordinates, groups and materials.
//
// A simulation needs triangles and points; what else a file says about its faces is kept beside them, and goes into the
// files that are written. The corners of a face have texture coordinates of their own, so that a seam needs no point
// twice.
#ifndef VERVE_FACES_H
#define VERVE_FACES_H

#include <verve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Numbers count from 0. Arrays that are NULL are not there.
typedef struct vvFaces
{
    int faceCount;          // at least 1
    const int *starts;      // faceCount + 1: the corners of face f are starts[f] to starts[f + 1] - 1, three or more
    const int *points;      // starts[faceCount]: vertices of the mesh, or points of the embedding
    const int *coordinates; // starts[faceCount]: rows of coordinateValues, -1: none; or NULL
    const double *coordinateValues; // coordinateCount x 2: u to the right, v up
    int coordinateCount;            // at least 0
    const int *normals; // starts[faceCount]: rows of normalValues, -1: none; or NULL. Corners of a point with the
                        // same row are shaded as one
    const double *normalValues;       // normalCount x 3, of the surface at rest
    int normalCount;                  // at least 0
    const int *groups;                // faceCount: rows of groupNames, -1: none; or NULL
    const char *const *groupNames;    // groupCount
    int groupCount;                   // at least 0
    const int *materials;             // faceCount: rows of materialNames, -1: none; or NULL
    const char *const *materialNames; // materialCount
    int materialCount;                // at least 0
    const char *materialFile;         // where a file says its materials are, relative to it; or NULL
} vvFaces;

#ifdef __cplusplus
}
#endif

#endif
