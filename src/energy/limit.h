// Inside the energy room: what kinds share that let the stretches of cells (limit.c) or their product (volume.c) pass
// between two limits. Params: the weight, the limits, the rows of F.
#ifndef ENERGY_LIMIT_H
#define ENERGY_LIMIT_H

#include "energy/kernels.h"
#include "energy/spectral.h"

Rows limitShape(const Energy *energy);
void limitPrepare(Energy *energy, const Recipe *recipe, double factor); // weight: factor x young x matter of the cell
void limitMajorizer(const Energy *energy, int block, double *out);
void limitDescribe(const Energy *energy, const double *x, int element, char *text, size_t size);

// a kind on triangles (3 corners) or tets (4); `hessian` and `prepare` are those of the file
#define LIMIT_SWEEP(count) FEATURE_SWEEP((count)-1, 1 + LIMIT_EXTRA + ((count)-1) * ((count)-1), featureConstantsPlain)
#define LIMIT_KIND(word, count, its, table)                                                                            \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC,             \
        .corners = count, .paramCount = 1 + LIMIT_EXTRA + ((count)-1) * ((count)-1), .lineCount = 6 * ((count)-1),     \
        .prepare = prepare, KERNEL_FUNCTIONS(table), .hessian = hessian, .majorizer = limitMajorizer,                  \
        .project = kernelProject, .sweep = &(its), .describe = limitDescribe                                           \
    }

#endif
