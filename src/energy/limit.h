// Inside the energy room: what kinds share that let the stretches of cells (limit.c) or their product (volume.c) pass between
// two limits. Params: the weight, the limits, the rows of F.
#ifndef ENERGY_LIMIT_H
#define ENERGY_LIMIT_H

#include "energy/kernels.h"
#include "energy/spectral.h"

Rows limitShape(const Energy *energy);
void limitPrepare(Energy *energy, const Recipe *recipe, double factor); // weight: factor x young x matter of the cell
void limitMajorizer(const Energy *energy, int block, double *out);
void limitDescribe(const Energy *energy, const double *x, int element, char *text, size_t size);

// kernels of the kind, for triangles and for tets, and all that follows from them; `hessian` and `prepare` are its own
#define LIMIT_KERNELS(ofTriangles, ofTets)                                                                             \
    static const ElementKernels *const kernelsOf[2][ISA_COUNT] = { KERNELS_BY_ISA(ofTriangles),                        \
                                                                   KERNELS_BY_ISA(ofTets) };                           \
    KERNELS_CALL(kernelsOf[energy->kind->corners - 3])                                                                 \
    FEATURE_SWEEP(kernelsOf[energy->kind->corners - 3], 1)                                                             \
    static const SweepKind triangleSweep = FEATURE_SWEEP_KIND(2, 1 + LIMIT_EXTRA + 4);                                 \
    static const SweepKind tetSweep = FEATURE_SWEEP_KIND(3, 1 + LIMIT_EXTRA + 9);

#define LIMIT_KIND(word, count, its)                                                                                   \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC,             \
        .corners = count, .paramCount = 1 + LIMIT_EXTRA + ((count)-1) * ((count)-1), .lineCount = 6 * ((count)-1),     \
        .prepare = prepare, .values = values, .gradient = gradient, .lineStart = lineStart, .lineValues = lineValues,  \
        .hessian = hessian, .majorizer = limitMajorizer, .project = project, .sweep = &(its),                          \
        .describe = limitDescribe                                                                                      \
    }

#endif
