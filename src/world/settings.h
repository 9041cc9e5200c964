// The settings of methods and solvers, each once. Their defaults, checks, scene keys (`integrator`), schema and
// docs/scenes.md are made from these rows: settings.c and scene/keys.c expand the list with macros of their own.
//
//   WORD(name, words, initial, help)                                one word out of a list
//   SWITCH(name, initial, help)                                     true or false
//   NUMBER(name, least, most, initial, unit, remedy, help)          a real number in [least, most]; unit "": none
//   INTEGER(name, least, most, initial, unit, remedy, help)         a whole number
//   OBJECT(name, otherwise, help)                                   numbers of its own kind, checked and read apart
//
// `name` is the field of vvWorldDef and the key of a scene.
#ifndef WORLD_SETTINGS_H
#define WORLD_SETTINGS_H

#include <verve/world.h>

// clang-format off
#define WORLD_SETTINGS(WORD, SWITCH, NUMBER, INTEGER, OBJECT)                                                          \
    WORD(method, vvGetMethodName, "small-midpoint", "how time advances")                                               \
    WORD(solver, vvGetSolverName, "newton", "how an implicit step is solved")                                          \
    INTEGER(iterations, 0, 10000, 0, "", "0 takes the solver's own limit",                                             \
            "of the solver in one step, at most; 0: the solver's own")                                                 \
    NUMBER(tolerance, 1e-15, 1, 1e-10, "", "1e-10 suits every scene; 1e-4 is enough for pictures",                     \
           "the solver stops below this fraction of the body's size")                                                  \
    SWITCH(accelerate, false, "local-global: quasi-Newton steps from the last iterations")                             \
    NUMBER(budget, 0, 1000, 0, "s", "0 is no budget, 0.004 is a quarter of a frame",                                   \
           "wall clock for a step; 0: none. The bits then depend on the machine")                                      \
    INTEGER(substeps, 0, VV_MAX_SUBSTEPS, 0, "", "0 takes the method's own rule",                                      \
            "steps per frame, or inside a step where the method divides it; 0: by its rule, else 1")                   \
    NUMBER(forcing, 1e-12, 0.9, 0.02, "", "0.02 is usual",                                                             \
           "newton-cg: the conjugate gradient stops at this share of the gradient")                                    \
    WORD(preconditioner, vvGetPreconditionerName, "ic", "newton-cg: what the conjugate gradient is helped by")         \
    WORD(jacobian, vvGetJacobianName, "frozen", "simplified-newton: the matrix that is kept")                          \
    WORD(momentum, vvGetMomentumName, "auto", "stabilized: whether momenta follow the external forces exactly")        \
    SWITCH(energyReturn, true, "small-midpoint: gives back what its substeps lost")                                    \
    SWITCH(symmetric, false, "small-steps: every second sweep of a substep goes backward")                             \
    SWITCH(jacobi, false, "small-steps: elements all at once instead of one after the other; softer")                  \
    WORD(precision, vvGetPrecisionName, "double", "small-steps: of the substeps of undamped springs")                  \
    SWITCH(viscousPass, false, "small-steps: strain rates are damped by an implicit solve over the velocities")        \
    NUMBER(recoverySpeed, 0, 1e6, 1, "m/s", "1 m/s is gentle", "small-steps: how fast contact pushes out overlap")     \
    NUMBER(gamma, 0, 1, 0.5, "", "0.5 is second order and damps nothing", "newmark")                                   \
    NUMBER(beta, 0, 0.5, 0.25, "", "0.25 is the trapezoidal rule", "newmark")                                          \
    NUMBER(spectralRadius, 0, 1, 0.8, "", "0.8 damps what the step cannot resolve",                                    \
           "generalized-alpha: what is left of motion far too fast for a step")                                        \
    NUMBER(stepTolerance, 0, 1e6, 0, "m", "0 takes every step as it is",                                               \
           "error above which methods divide a step, or where their solver fails; 0: never")                           \
    OBJECT(tableau, "those of rk4", "runge-kutta: its coefficients")                                                   \
    NUMBER(sleepEnergy, 0, 1e6, 0, "J/kg", "1e-5 is usual, 0 is never",                                                \
           "kinetic energy per mass below which bodies fall asleep; 0: never, 1e-5 is usual")                          \
    NUMBER(sleepTime, 0, 1e6, 0.5, "s", "0.5 is usual", "how long they must have been below it")                       \
    NUMBER(energyTolerance, 1e-9, 1, 0.01, "", "0.01 is usual",                                                        \
           "allowed drift of the energy, for methods that watch it")
// clang-format on

typedef enum SettingKind
{
    SETTING_WORD,    // const char *
    SETTING_SWITCH,  // bool
    SETTING_NUMBER,  // double
    SETTING_INTEGER, // int
} SettingKind;

// A row of the list, but OBJECT.
typedef struct Setting
{
    const char *name;
    SettingKind kind;
    size_t offset;                  // in vvWorldDef
    const char *(*word)(int index); // of words; NULL past the last
    const char *initialWord;        // default of words
    double initial;                 // default of the others; a switch: 0 or 1
    double least, most;             // of numbers and integers
    const char *unit;               // "": none
    const char *remedy;             // of a number out of range
} Setting;

const Setting *settingAt(int index); // NULL past the last

void settingsReset(vvWorldDef *def);           // every one to its default
vvResult settingsCheck(const vvWorldDef *def); // the first that is out of its range, or no word of its list

#endif
