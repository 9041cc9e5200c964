// Verve embeddings: a render mesh that moves with a body, however coarse the body is.
//
// Every point of the render mesh hangs on a tet (or, of a sheet, on a triangle and a height above it) by barycentric
// weights, which are found once from the shapes at rest. Affine motion of the body is reproduced exactly. Normals and
// tangents turn with the deformation gradient, which is averaged at the vertices of the body so that shading has no
// facets. An embedding may serve any number of bodies that use its mesh, from any number of threads.
#ifndef VERVE_EMBEDDING_H
#define VERVE_EMBEDDING_H

#include <verve/id.h>
#include <verve/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvEmbedding vvEmbedding; // immutable; made by vvCreateEmbedding

// A render mesh and what carries it. Start from vvDefaultEmbeddingDef(). Arrays are copied.
typedef struct vvEmbeddingDef
{
    const vvMesh *mesh;     // tets or triangles; kept alive by the embedding
    const double *points;   // pointCount x 3, m, where they are when the mesh is at rest
    int pointCount;         // at least 1
    const double *normals;  // pointCount x 3, any length above 0; default NULL: from the triangles
    const double *tangents; // pointCount x 3; default NULL: where u grows, if `faces` have texture coordinates
    const int *triangles;   // triangleCount x 3; for normals, records and pictures; default NULL
    int triangleCount;      // at least 0
    const vvFaces *faces;   // how the triangles were drawn, for records; default NULL: as triangles
    vvAllocator allocator;  // default malloc and free
    int cookie;             // set by vvDefaultEmbeddingDef
} vvEmbeddingDef;

// Where the vertices of a frame go: vertex i at (char *)target + i x stride. NULL: not wanted. Strides in bytes, at
// least 12 and a multiple of 4.
typedef struct vvRenderTarget
{
    float *positions;   // m
    float *normals;     // unit
    float *tangents;    // unit, at right angles to the normals
    int positionStride; // bytes
    int normalStride;   // bytes
    int tangentStride;  // bytes
} vvRenderTarget;

VV_API vvEmbeddingDef vvDefaultEmbeddingDef(void); // the defaults above

// Binds every point to the tet it is in, or to that of the nearest face. NULL on failure; `result` may be NULL.
VV_API vvEmbedding *vvCreateEmbedding(const vvEmbeddingDef *def, vvResult *result);
VV_API void vvDestroyEmbedding(vvEmbedding *embedding); // NULL is fine

// Counts and arrays, as given. The arrays live as long as the embedding.
VV_API int vvEmbedding_GetPointCount(const vvEmbedding *embedding);
VV_API int vvEmbedding_GetTriangleCount(const vvEmbedding *embedding);
VV_API const int *vvEmbedding_GetTriangles(const vvEmbedding *embedding); // triangleCount x 3
VV_API const double *vvEmbedding_GetPoints(const vvEmbedding *embedding); // pointCount x 3, at rest
VV_API const vvFaces *vvEmbedding_GetFaces(const vvEmbedding *embedding); // NULL: the triangles say all
VV_API double
vvEmbedding_GetFarthest(const vvEmbedding *embedding); // m, of the points from the mesh; 0: all are inside

// The points for vertices of the mesh (vertexCount x 3, its caller's order), in full precision.
VV_API vvResult vvEmbedding_GetPositions(const vvEmbedding *embedding, const double *vertices,
                                         double *positions /* pointCount x 3 */);

// The same with normals and tangents into the buffers of a renderer.
VV_API vvResult vvEmbedding_Write(const vvEmbedding *embedding, const double *vertices, const vvRenderTarget *target);

// For a body with the embedding's mesh. `interpolation` 1 is the present state, 0 the one before the last step.
VV_API vvResult vvSoftBody_WriteEmbedding(vvSoftBodyId body, const vvEmbedding *embedding, double interpolation,
                                          const vvRenderTarget *target);

// The surface that a cage (VV_SOLID_CAGE) was made for, bound to it; NULL of other meshes. It lives as long as the
// mesh.
VV_API const vvEmbedding *vvMesh_GetEmbedding(const vvMesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
