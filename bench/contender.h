// What is measured against what: one interface for Verve and its rivals, and the problems they are given as plain
// arrays. Readable from C and C++.
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#ifdef __cplusplus
extern "C" {
#endif

// Projective Dynamics as Bouaziz 2014 runs it: backward Euler, ARAP tets (young x volume / 2 |F - R|^2), springs, and
// vertices attached to points. All indices in one order, which every contender may change inside.
typedef struct Problem
{
    struct vvMesh *mesh; // what Verve is given; rivals use the arrays
    int vertexCount;
    double *rest; // vertexCount x 3, m
    double *mass; // vertexCount, kg
    double size;  // m, longest side of the bounding box

    int tetCount;
    int *tets;        // tetCount x 4
    double young;     // Pa
    double density;   // kg/m^3
    double thickness; // m, of a sheet

    int springCount;
    int *springs;            // springCount x 2
    double *springLength;    // springCount, m
    double *springStiffness; // springCount, N/m

    int attachedCount;
    int *attached;            // attachedCount; each at its rest position
    double attachedStiffness; // N/m

    double gravity; // m/s^2, downwards along y
    double h;       // s
} Problem;

// One way to compute frames. create returns NULL when it fails.
typedef struct FrameContender
{
    const char *name;
    int single; // 1: positions and matrices in float32
    void *(*create)(const Problem *problem, int iterations, int threads);
    void (*setState)(void *self, const double *position, const double *velocity); // vertexCount x 3 each
    void (*frame)(void *self);
    void (*getState)(void *self, double *position, double *velocity);
    void (*destroy)(void *self);
} FrameContender;

// A x = b with A = M + h^2 L: the lower triangle by columns, rows ascending, the diagonal first.
typedef struct LinearProblem
{
    const void *graph; // Verve's own form of start and row
    int count;
    const int *start;     // count + 1
    const int *row;       // start[count]
    const double *value;  // start[count]
    const double *points; // count x 3, m
    int columns;          // right-hand sides of a solve
} LinearProblem;

typedef struct LinearContender
{
    const char *name;
    void *(*create)(const LinearProblem *problem, int threads);
    int (*analyse)(void *self); // order and symbolic factor; 0: failed. May be called again
    int (*factor)(void *self);  // numeric; 0: failed
    void (*solve)(void *self, const double *right, double *result); // count x columns each, row by row
    int (*update)(void *self, const double *value, const int *changed, int changedCount); // NULL: cannot
    double (*entries)(void *self);                                                        // of L
    void (*destroy)(void *self);
} LinearContender;

// Rivals are compiled into the verve-bench program alone.
typedef struct Rivals
{
    const FrameContender *const *frame;
    int frameCount;
    const LinearContender *const *linear;
    int linearCount;
    const char *(*describe)(void); // versions, compiler, flags, BLAS
} Rivals;

const Rivals *rivalTable(void);

#ifdef __cplusplus
}
#endif

#endif
