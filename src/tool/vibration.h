// The vibrations of a body of a scene: what they are, and what the scene's method makes of them. The body stands alone
// in a world of its own, with its pins, at rest, without gravity, wind and contact, and takes the steps of the scene.
#ifndef TOOL_VIBRATION_H
#define TOOL_VIBRATION_H

#include "scene/scene.h"

#define MOST_VIBRATIONS 20

typedef enum VibrationKind
{
    VIBRATION_BENDING,    // sections of the longest axis move across it
    VIBRATION_TORSION,    // they turn about it
    VIBRATION_STRETCHING, // they move along it
    VIBRATION_SHEAR,      // as bending, of a body less than twice as long as wide
    VIBRATION_SHAPE,      // something else
} VibrationKind;

const char *vibrationWord(VibrationKind kind);

typedef struct Vibrations
{
    SceneWorld *built;
    vvSoftBodyId body;
    double step;       // s, of the scene's steps
    int substeps;      // of a step, those of the rule in the scene (tool/ruled.h); 1: the method takes none
    vvDamping damping; // of the scene; the body has none unless it is asked to
    int vertices;      //
    double reach;      // m, the largest displacement of a vertex that is tried
    double *rest;      // vertices x 3, m
    double *work;      // vertices x 3
    double *shape;     // count x vertices x 3, 1/sqrt(kg)
    void *state;       // of the world, at rest
    size_t stateSize;
    int count;                           // 0: none is known
    double frequency[MOST_VIBRATIONS];   // rad/s, ascending
    VibrationKind kind[MOST_VIBRATIONS]; //
    bool isTrue[MOST_VIBRATIONS];        // the body's own forces agree; else nothing is known of it
} Vibrations;

// `scene`: of the body; `wanted`: modes, at most MOST_VIBRATIONS; `substeps`: that it has in the scene, 0: those that
// the method's rule gives to the body alone. A body whose modes say nothing of how it moves (nothing resists, or it is
// under load at rest) has a count of 0.
vvResult vibrationsOpen(Vibrations *v, const Scene *scene, int body, int wanted, int substeps);
void vibrationsClose(Vibrations *v);

const double *vibrationShape(const Vibrations *v, int mode);           // vertices x 3
double vibrationAmplitude(const Vibrations *v, int mode);              // m sqrt(kg), at which a vertex moves by `reach`
vvResult vibrationDisplace(Vibrations *v, int mode, double amplitude); // at rest, by so much of a mode
double vibrationMeasure(const Vibrations *v, int mode);                // m sqrt(kg), its amplitude now

double vibrationDamping(const Vibrations *v,
                        int mode); // 1/s, that the scene asks for, of the amplitude; NaN: not known

// ---- vibration_swing.c ----------------------------------------------------------------------------------------------

// How a mode moves under the method, let go with a small amplitude.
typedef struct Swing
{
    bool known;       // else it did not swing, or not as one vibration, in the steps it had
    bool diverged;    //
    double frequency; // rad/s; 0: it does not swing
    double rate;      // 1/s, of the amplitude
} Swing;

Swing vibrationSwing(Vibrations *v, int mode, bool damped, int mostSteps);

// Under a constant load that bends the body into a mode when it is at rest, applied to the body at rest. Between steps
// velocities shrink by critical damping of the mode.
typedef struct Loaded
{
    bool known;    // else it diverged, or took more steps than it had
    bool settled;  // else it still moved
    bool diverged; //
    double ratio;  // 1, of the static displacement: what it came to in two and a half periods
    double time;   // s
} Loaded;

Loaded vibrationLoad(Vibrations *v, int mode, int mostSteps);

#endif
