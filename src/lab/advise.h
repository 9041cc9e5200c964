// verve advise in pieces: trials of a scene under other settings (trial.c), how far two of them are apart (apart.c), a
// run that is converged (reference.c), what follows from them (advise.c), and the words (advise_words.c).
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
    double apart;          // 1, distance from the reference, over the motion of that; negative: not compared
    int ruled;             // substeps of the first step by the method's own rule;
    int mostSubsteps;      //   that were taken, the most of a frame
    double *positions;     // of all bodies at each look; NULL: it did not finish
    int looks;             // the first at the start, the last at the end
    int bodies;            //
    int *vertices;         // bodies
    long long coordinates; // of one look
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
    double *damping;   // s, of strain rates, of each body as the scene is: what is not stated depends on the method
    Memory *memory;
} Ground;

void trialRun(const Ground *ground, const Settings *settings, Trial *trial);
void trialFree(const Ground *ground, Trial *trial);

// The state after some frames under the scene's own settings, to start trials from. NULL on failure.
void *groundScout(const Ground *ground, int frames, size_t *size, vvResult *result);

// ---- apart.c: how far two trials are apart --------------------------------------------------------------------------

// The root of the mean square, over looks and vertices, of the distance between two trials over that of the reference
// from its start; of the bodies' centres, and of what vertices do beside them: the larger of the two. What moves by
// less than a thousandth of the size is not seen. Negative: one of them did not finish.
double trialApart(const Trial *trial, const Trial *reference, double size);

#define MOST_TRIALS 64
#define MOST_EXPLICIT 400 // substeps of a frame beyond which explicit methods are not tried

// A run with which others are compared.
typedef struct Reference
{
    Trial trial;
    double agrees;  // 1, its distance from a run of half its substeps; negative: there is no such run
    bool converged; // that is well below what a candidate may be apart
} Reference;

// A run with other substeps of rigid bodies or of fluids.
typedef struct GuestTrial
{
    int substeps, frames;
    vvResult result;
    bool slow;          // stopped by the clock
    double cost;        // s of wall clock a frame, mean
    double apart;       // 1, distance of the centres from the reference's, over the way of those; negative: unknown
    double compression; // 1, of the fluid that is compressed the most, mean over the second half
} GuestTrial;

#define MOST_GUEST_TRIALS 8
#define MOST_GUEST_FLUIDS 64

typedef struct GuestAdvice
{
    const char *word, *json;
    bool fluid;
    GuestTrial reference;
    int trialCount, best; // best -1: none will do
    GuestTrial trial[MOST_GUEST_TRIALS];
} GuestAdvice;

typedef struct Advice
{
    Ground ground;
    const char *word;                // the scene, as the caller called it
    const char *name;                //
    double frame;                    // s
    double highest, lowest;          // rad/s; 0: none
    double size;                     // m, of the largest body
    double mostLost, mostApart;      // 1, what a candidate may lose or gain, and its error
    int explicitSubsteps;            // 0: nothing vibrates
    double ratio;                    // damping ratio of the lowest frequency
    bool stiff, oscillatory;         //
    bool touches;                    // bodies may touch something
    Reference reference, hard;       // hard: of methods whose contacts are constraints, where bodies may touch
    Trial proof;                     // of the advice, over the whole scene; no frames: there was nothing left to prove
    int frames;                      // of the scene, from where trials start
    int trialCount, best;            // best -1: none finished
    bool satisfied;                  // the best is within both limits
    Trial trial[MOST_TRIALS];        //
    int rigids, fluids;              // of the scene
    int guestCount;                  //
    GuestAdvice guest[2];            // of rigid bodies, of fluids
    const char *reason[MOST_TRIALS]; // why it is not taken; NULL: it could be
    char text[MOST_TRIALS][120];
} Advice;

// ---- reference.c ----------------------------------------------------------------------------------------------------

void adviseReference(Advice *advice);
// Contacts as springs and as constraints are two laws: a method is compared with a run of its own.
const Reference *referenceFor(const Advice *advice, const char *method);

// ---- advise_guests.c ------------------------------------------------------------------------------------------------

void adviseGuests(Advice *advice); // tries substeps of rigid bodies and fluids
void guestsAdvicePrint(const Advice *advice);
void guestsAdvicePrintJson(const Advice *advice); // "guests": [...],

// ---- advise_words.c -------------------------------------------------------------------------------------------------

void nameSettings(const Settings *settings, char *text, size_t size);
void advicePrint(const Advice *advice);
void advicePrintJson(const Advice *advice);
void advicePrintNoneJson(const Advice *advice, vvWorldId world); // of a scene without soft bodies

#endif
