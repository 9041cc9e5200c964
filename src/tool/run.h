// verve run in pieces: the loop (run.c), what it shows while it works (progress.c), how it fares (health.c), what it
// gained (audit.c, free.c, verdict.c), what its steps do to frequencies (resolution.c), what it says afterwards
// (summary.c) and what it finds when a run dies (autopsy.c).
#ifndef TOOL_RUN_H
#define TOOL_RUN_H

#include "ledger/audit.h"
#include "scene/scene.h"
#include "tool/free.h"
#include "tool/tool.h"
#include "tool/vibration.h"

#define HEALTH_FRAMES 60 // how far back a run is judged

// How a method that watches its energy fares: it may hold the total by blending alone while the motion turns into
// noise.
typedef struct Health
{
    bool troubled[HEALTH_FRAMES]; // of the last frames: a strong blend, or none met the target
    int troubledCount;            // of them
    int blended, failures;        // frames, islands, in the whole run
    double alpha;                 // the largest by size
    double share, spectrum;       // sums over the frames
    bool warned;                  //
} Health;

// What the steps at the ends of frames took.
typedef struct Effort
{
    int frames;
    long long iterations,
        substeps; // sums: of the solver, or substeps of methods with their own; that a step was divided into
    int mostIterations, mostSubsteps; //
    int ruled, mostRuled;             // substeps by the method's rule: of the first step, and the most
    int unconverged;                  // frames
    double correction, worst;         // 1, vvStatistics.correction: sum, and the largest
    double softness;                  // 1, vvStatistics.softness: the largest
} Effort;

// What the steps do to frequencies.
typedef struct Resolution
{
    double unresolved, kinetic;       // J, sums over the frames that nothing drives; unresolved: of small-midpoint
    double driven;                    // J, likewise of the others
    double added;                     // J, of the frame before
    bool known;                       // the rest is of the body whose lowest vibration is furthest off
    int body, substeps;               // substeps of a step
    VibrationKind kind;               //
    double frequency, exactFrequency; // rad/s; 0: it does not swing
    double error;                     // 1, of the frequency
} Resolution;

typedef struct Run
{
    const Scene *scene;
    SceneWorld *built;
    vvRecorder *recorder;  // NULL: nothing is recorded
    const char *folder;    // of the records; NULL: none
    int firstFrame;        // where a resumed run goes on; else 0
    int frame, frames;     // done, wanted
    double seconds;        // wall clock of the steps
    double slowest;        // s, of one frame
    Audit audit;           // its ledgers, first and last
    FreeBodies free;       //
    Resolution resolution; //
    Effort effort;         //
    Counted memory;        // of all that was built
    bool warnedGrowth;     // said that energy grows
    Health health;         //
} Run;

// ---- progress.c: one line on a terminal, nothing in a pipe ----------------------------------------------------------

typedef struct Progress
{
    bool shown;       // stderr is a terminal and nobody asked for quiet
    double start;     // s, clock
    double lastPrint; // s
} Progress;

Progress progressStart(bool quiet);
void progressShow(Progress *progress, const Run *run);
void progressClear(Progress *progress); // before other text

// ---- health.c -------------------------------------------------------------------------------------------------------

void healthLook(Run *run, Progress *progress, bool quiet); // after a frame; warns once where a run lives on blending
void printHealth(FILE *out, const Run *run);               // a line of the summary, of methods that watch their energy

// ---- effort.c -------------------------------------------------------------------------------------------------------

void effortLook(Effort *effort, const vvStatistics *statistics); // after a frame
void printEffort(FILE *out, const Run *run);                     // lines of the summary
void printEffortJson(FILE *out, const Run *run);

// ---- verdict.c ------------------------------------------------------------------------------------------------------

const char *gainRemedy(const Run *run);       // what would not gain
void printVerdict(FILE *out, const Run *run); // one line if the run gained energy, else nothing
void printBalance(FILE *out, const Run *run); // what the numerics gained or lost, and what they did to free bodies

// ---- resolution.c ---------------------------------------------------------------------------------------------------

void resolutionLook(Resolution *resolution, const vvStatistics *statistics, const vvLedger *ledger); // after a frame
void resolutionMeasure(Run *run);                // after the run: bodies by themselves, in its steps
double resolutionShare(const Run *run);          // 1, false inertia over inertia; NaN: not known
void printResolution(FILE *out, const Run *run); // one line, or nothing where nothing is known
void warnResolution(const Run *run);             // on stderr, where a frequency is off by more than FREQUENCY_MOST

// ---- summary.c ------------------------------------------------------------------------------------------------------

void printSummary(FILE *out, const Run *run);
void printSummaryJson(FILE *out, const Run *run, const vvResult *result);
void printProfile(FILE *out, const Run *run);

// ---- folder.c -------------------------------------------------------------------------------------------------------

// VV_BAD_INPUT: a new record of the scene would replace a file of the folder that verve did not write.
vvResult folderCheck(const char *folder, const Scene *scene);

// ---- autopsy.c ------------------------------------------------------------------------------------------------------

// Says on `out` what broke: step, element, its stretch and frequency, the largest stable step, what would work.
void printAutopsy(FILE *out, const Run *run, const vvResult *result);

#endif
