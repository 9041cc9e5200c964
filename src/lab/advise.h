// verve advise in pieces: trials of a scene under other settings (trial.c), and what follows from them (advise.c).
#ifndef TOOL_ADVISE_H
#define TOOL_ADVISE_H

#include "base/base.h"
#include "scene/scene.h"
#include "tool/tool.h"

// How a scene is stepped: what --set says.
typedef struct Settings
{
    const char *method, *solver; // solver NULL: the method solves no system
    int iterations;              // of the solver; 0: its own
    int substeps;                // of a frame; 0: by the method's rule
} Settings;

// What a few frames of a scene told about one way to step it.
typedef struct Trial
{
    Settings settings;
    vvResult result;       // VV_DIVERGED, or why it would not run
    int frames;            // done
    bool slow;             // stopped by the clock
    double cost;           // s of wall clock of the median frame, the first left out: it prepares
    double lost, gained;   // 1, the most that `numerical` fell or rose, of the energy that was exchanged
    double elasticShare;   // 1, of elastic and kinetic energy at the end
    double iterations;     // of the solver a step, mean
    double unconverged;    // 1, share of the steps
    double dampingRate;    // 1/s, what damping took over twice the kinetic energy, of all frames
    double motion;         // 1, kinetic over all energy exchanged, mean
    double least, most;    // 1, stretches of the cells
    double apart;          // 1, mean distance from the reference at the end, over the size; negative: not compared
    double *positions;     // of all bodies at the end; NULL: it did not finish
    long long coordinates; //
} Trial;

// What all trials of a scene share.
typedef struct Ground
{
    const char *path;        // of the scene
    const char *const *sets; // the caller's
    bool anywhere;           // --allow-outside
    int setCount;
    int frames;        // of a trial
    int threads;       //
    double most;       // s of wall clock for one trial
    const void *state; // where trials start; NULL: at the start of the scene
    size_t stateSize;  //
    Memory *memory;
} Ground;

void trialRun(const Ground *ground, const Settings *settings, Trial *trial);
void trialCompare(Trial *trial, const Trial *reference, double size);
void trialFree(const Ground *ground, Trial *trial);

// The state after some frames under the scene's own settings, to start trials from. NULL on failure.
void *groundScout(const Ground *ground, int frames, size_t *size, vvResult *result);

#endif
