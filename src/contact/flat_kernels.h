// Facets of a sheet that is flat at rest, eight at once: how its plane is mapped to where it is, and whether that
// stretches all that goes through a window of it. Once per instruction set, with the same answers.
#ifndef CONTACT_FLAT_KERNELS_H
#define CONTACT_FLAT_KERNELS_H

#include <stdbool.h>

#define FLAT_LANES 8

typedef struct FlatPack
{
    int corner[3][FLAT_LANES];        // of the body; lanes that nobody uses repeat another
    float inverse[4][FLAT_LANES];     // 1/m: of the two sides from the first corner, in the plane
    float gradient[2][6][FLAT_LANES]; // 1, F: columns of where a substep starts, then ends
} FlatPack;

// What a window asks for: z^T sym(R^T F) z >= least z^T z for all z, for both F of all facets.
typedef struct FlatQuestion
{
    float frame[6]; // 1, R: two unit columns, at right angles
    float least;    // 1
} FlatQuestion;

typedef struct FlatKernels
{
    // F of a pack; `row`: x 8, where vertices are and how far they move, from the first of the body; adds F to a sum,
    // unless that is NULL
    void (*gradient)(const float *row, FlatPack *pack, float sum[6]);
    bool (*holds)(const FlatQuestion *question, const FlatPack *pack, int count);
} FlatKernels;

extern const FlatKernels flatKernels_base, flatKernels_avx2, flatKernels_avx512;

#endif
