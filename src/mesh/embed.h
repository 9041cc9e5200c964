// Inside the mesh room: render meshes bound to meshes.
#ifndef MESH_EMBED_H
#define MESH_EMBED_H

#include "mesh/build.h"

#include <verve/embedding.h>

// What moves with its vertices: a tet, or a triangle of a sheet with a unit normal instead of the last edge.
typedef struct Carrier
{
    int corner[4];  // the caller's vertices; of a triangle the last is the first
    Mat3 inverse;   // of the edges from the first corner at rest, as columns
    double measure; // m^3 or m^2: its weight in averages
} Carrier;

struct vvEmbedding
{
    Memory memory;
    vvMesh *mesh; // retained, unless the mesh owns the embedding
    bool owned;   // by the mesh
    bool sheet, hasNormals, hasTangents;
    int pointCount, triangleCount, carrierCount;
    Carrier *carrier; // carrierCount: tets, or triangles
    double *rest;     // pointCount x 3
    int *triangle;    // triangleCount x 3
    vvFaces *faces;   // of the points; NULL: the triangles say all
    int *hangsOn;     // pointCount x 4: the caller's vertices that it hangs on; of a sheet the last is the first
    double *weight;   // pointCount x 4, sum 1; of a sheet the last is 0
    double *height;   // pointCount, m above a sheet; NULL: tets, or all are 0
    float *normal;    // pointCount x 3, or NULL
    float *tangent;   // pointCount x 3, or NULL
    double farthest;  // m
};

// Of a mesh and the surface it encages: the mesh owns it. NULL: `result` says why.
vvEmbedding *embeddingMake(const vvEmbeddingDef *def, bool owned, vvResult *result);

// ---- embed_find.c ---------------------------------------------------------------------------------------------------

// Carrier, weights, heights and the farthest distance of all points.
vvResult embeddingBind(vvEmbedding *embedding);

// ---- embed_tangents.c -----------------------------------------------------------------------------------------------

bool embeddingTangents(vvEmbedding *embedding, const vvFaces *faces); // with texture coordinates. false: out of memory

// ---- embed_write.c --------------------------------------------------------------------------------------------------

// Unit normals at the vertices of a sheet.
void sheetNormals(const vvMesh *mesh, const double *vertices, double *normal /* vertexCount x 3 */);

static inline Vec3 mixCorners(const double *at, const int *corner, const double *weight, int count)
{
    Vec3 sum = vecScale(weight[0], cornerPoint(at, corner[0]));
    for (int i = 1; i < count; ++i)
        sum = vecAdd(sum, vecScale(weight[i], cornerPoint(at, corner[i])));
    return sum;
}

static inline Vec3 unitOf(Vec3 a)
{
    double length = vecLength(a);
    return length > 0 ? vecScale(1 / length, a) : a;
}

#endif
