// What verve-rigid times: boxes, and pins between them, as plain arrays for Verve's rivals. Readable from C and C++.
#ifndef BENCH_RIGID_H
#define BENCH_RIGID_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BenchBox
{
    double size[3];     // m
    double position[3]; // m
    double rotation[4]; // w x y z
    double mass;        // kg; 0: it stands still
} BenchBox;

typedef struct BenchPin // a ball joint
{
    int a, b;         // boxes
    double anchor[3]; // m, world
} BenchPin;

typedef struct BoxProblem
{
    const BenchBox *box; // boxCount; below them is a floor at y = 0, where `floor` is set
    const BenchPin *pin; // pinCount; what it joins does not collide
    int boxCount, pinCount, floor;
    double friction, gravity; // 1, m/s^2 downwards along y
    double frame;             // s
    int sweeps;               // of a frame
} BoxProblem;

#define BOX_STATE 13 // position, rotation w x y z, velocity, spin

typedef struct BoxContender
{
    const char *name;
    void *(*create)(const BoxProblem *problem); // NULL: failed
    int (*frame)(void *self);                   // 0: it failed
    void (*states)(void *self, double *out);    // boxCount x BOX_STATE; not of what stands still
    void (*destroy)(void *self);
} BoxContender;

extern int benchThreads; // of the second of Verve's
extern const BoxContender verveBoxes, verveBoxesThreads, verveBoxesFew;
// where the program has Bullet: one step of all sweeps, and as many steps as there are sweeps
extern const BoxContender bulletBoxes, bulletBoxesSubsteps;

// ---- rigid_quality.c: by the same measures for all ------------------------------------------------------------------

typedef struct Quality
{
    int contacts;          // nearer than 2 mm
    double deepest, gap;   // m: of overlaps; of pins
    double drift, speed;   // m, m/s: the largest, root of the mean square
    double energy, gained; // J: kinetic and potential; what it rose by since the lowest so far
    double lowest, mass;   // J, kg
} Quality;

void qualityFollow(Quality *quality, const BoxProblem *problem, const double *states, int first); // energies of a frame
void qualityJudge(const BoxProblem *problem, const double *states, Quality *quality);             // all else

#ifdef __cplusplus
}
#endif

#endif
