// The triangles of a leaf of a tree, eight at once: how far they are from a point. Once per instruction set, with the
// same answers.
#ifndef CONTACT_TREE_KERNELS_H
#define CONTACT_TREE_KERNELS_H

#define LEAF_LANES 8

typedef struct LeafPack
{
    float corner[3][3][LEAF_LANES]; // m, from an origin of the mesh: x y z of each; lanes that nobody uses are the last
} LeafPack;

typedef struct LeafKernels
{
    void (*squares)(const LeafPack *pack, const float point[3], float square[LEAF_LANES]); // m^2, of the distances
} LeafKernels;

extern const LeafKernels leafKernels_base, leafKernels_avx2, leafKernels_avx512;

#endif
