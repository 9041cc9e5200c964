// The benchmark: rows (bodies to simulate), Verve's own times, and the report. The verve command runs it alone, the
// verve-bench program with rivals.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/contender.h"

#include <stdbool.h>
#include <stdio.h>
#include <verve/verve.h>

#define BENCH_ITERATIONS 10
#define BENCH_STEP (1.0 / 30.0) // s
#define MOST_ROUNDS 50
#define MOST_CONTENDERS 8
#define MOST_ROWS 8
#define HELD 4 // vertices of a row that are attached

// ---- options --------------------------------------------------------------------------------------------------------

typedef struct BenchOptions
{
    const char *row;     // NULL: all
    const char *meshDir; // where hippo.mesh and cactus.mesh may be; NULL: our own models
    int threads;         // default: the cores
    int rounds;          // default 5
    bool json;
    bool help;
} BenchOptions;

// Words after the command's name. False: `message` says what is wrong with them.
bool benchParse(int count, char **words, BenchOptions *options, char *message, size_t size);
void benchHelp(FILE *out, const char *command);

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct Row
{
    const char *name;
    const char *file; // in the mesh folder, instead of the generated body; NULL: always generated
    vvMeshDef (*shape)(void);
    const double (*hold)[3]; // 4 x 3: attached are the vertices nearest to these points of the bounding box, 0 to 1
    double stiffness;        // N/m, of each attachment
    int frames;              // timed in one round, fewer of a contender that needs long
    int settle;              // frames before the state that is measured
    int converge;            // iterations of a second comparison, near the minimum; 0: none
} Row;

int rowCount(void);
const Row *rowAt(int index);
const Row *rowFind(const char *name); // NULL: none
void rowNames(char *text, size_t size);

// False: `message` says why. `file` tells whether the mesh came from the mesh folder.
bool problemCreate(const Row *row, const char *meshDir, Problem *problem, bool *file, char *message, size_t size);
void problemDestroy(Problem *problem);

// m^3, the volume of tet t (four vertices of `rest`); g: gradients of its shape functions, 1/m
double tetGradients(const double *rest, const int *t, vvVec3 g[4]);

// A mesh file, its longest side scaled to 1 m. NULL: `message` says why.
vvMesh *modelRead(const char *path, char *message, size_t size);
vvMeshDef modelShape(vvMeshShape shape); // our own, of the same size

// max |M^-1 grad g| at `position`, m, g the objective of a step from (start, velocity); double, independent of
// contenders
double objectiveResidual(const Problem *problem, const double *start, const double *velocity, const double *position);

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Samples
{
    int count;
    double value[MOST_ROUNDS]; // ms
} Samples;

void samplesAdd(Samples *samples, double ms);
double samplesAt(const Samples *samples, double fraction); // 0 least, 0.5 median, 1 largest; NaN without any
double seconds(void);

typedef struct FrameEntry
{
    const FrameContender *contender;
    double setup;      // ms, from arrays to the first frame
    Samples ms;        // of a frame
    double residual;   // m, after one frame from the state that is measured
    double difference; // largest distance to Verve's positions then, of the size
    double limit;      // of the difference
} FrameEntry;

typedef struct FrameReport
{
    const Row *row;
    bool file;
    int vertexCount, elementCount;
    int entryCount;
    FrameEntry entry[MOST_CONTENDERS]; // [0] is Verve
    // one frame run to convergence, Verve and the first double rival; iterations 0: not run
    int convergedIterations;
    double convergedDifference, convergedResidual[2];
} FrameReport;

#define CONVERGED_LIMIT 1e-8

extern const FrameContender verveFrames;
bool measureFrames(const BenchOptions *options, const Row *row, const Problem *problem, const Rivals *rivals,
                   FrameReport *report, char *message, size_t size);
bool frameReportValid(const FrameReport *report); // contenders agree

typedef struct LinearEntry
{
    const LinearContender *contender;
    double entries;                       // of L
    double error;                         // |A x - b| / |b|, largest entries
    Samples analyse, factor[2], solve[2]; // ms; [0] one thread, [1] all threads
    Samples update[2];                    // of 100 vertices in one cluster
    Samples clusters;                     // 1, update / factor for clusters elsewhere; one thread
} LinearEntry;

typedef struct LinearReport
{
    const Row *row;
    int entryCount;
    LinearEntry entry[MOST_CONTENDERS];
} LinearReport;

extern const LinearContender verveLinearSingle, verveLinearDouble;
bool measureLinear(const BenchOptions *options, const Row *row, const Problem *problem, const Rivals *rivals,
                   LinearReport *report, char *message, size_t size);

// ---- the whole ------------------------------------------------------------------------------------------------------

typedef struct BenchReport
{
    int rowCount;
    FrameReport frame[MOST_ROWS];
    LinearReport linear[MOST_ROWS];
} BenchReport;

void printTable(FILE *out, const BenchOptions *options, const Rivals *rivals, const BenchReport *report);
void printJson(FILE *out, const BenchOptions *options, const Rivals *rivals, const BenchReport *report);

const char *machineCpu(void);
const char *machineLoad(void); // average over a minute: well above the threads, others were at work
const char *machineIsa(void);
const char *buildCommit(void);
const char *buildCompiler(void);
const char *buildFlags(void);
int machineCores(void);

// Runs and prints. `rivals` NULL: Verve alone. The exit code: 0, 1 contenders disagree or something failed.
int benchRun(const BenchOptions *options, const Rivals *rivals);

#endif
