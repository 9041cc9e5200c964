// What verve-small-steps times: a cloth of springs and a beam of tets, as plain arrays for Verve's rivals. Readable
// from C and C++.
#ifndef BENCH_SMALL_STEPS_H
#define BENCH_SMALL_STEPS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SmallProblem
{
    struct vvMesh *mesh; // what Verve is given
    int vertexCount;
    const double *rest;        // vertexCount x 3, m
    const double *mass;        // vertexCount, kg
    const unsigned char *held; // vertexCount
    int elementCount;
    const int *elements; // springs: x 2; tets: x 4
    double young, poisson;
    double gravity; // m/s^2, downwards along y
    double frame;   // s
    int count;      // substeps or iterations of a frame
} SmallProblem;

typedef struct SmallContender
{
    const char *name;
    void *(*create)(const SmallProblem *problem, int threads); // NULL: failed
    void (*frame)(void *self);
    void (*positions)(void *self, double *out); // vertexCount x 3
    void (*destroy)(void *self);
} SmallContender;

extern const SmallContender scalarBeam;
extern const SmallContender bulletCloth, bulletClothSorted; // where the program has Bullet

#ifdef __cplusplus
}
#endif

#endif
