// The settings of methods and solvers, each once. Their defaults, checks, scene keys (`integrator`), schema and
// docs/scenes.md are made from these rows: settings.c and scene/keys.c expand the list with macros of their own.
//
//   WORD(name, place, users, words, initial, help)                          one word out of a list
//   CHOICE(name, place, users, words, initial, help)                        an enum, by the word of its value
//   SWITCH(name, place, users, initial, help)                               true or false
//   NUMBER(name, place, users, least, most, initial, unit, remedy, help)    a number in [least, most]; unit "": none
//   INTEGER(name, place, users, least, most, initial, unit, remedy, help)   a whole number
//   OBJECT(name, place, users, otherwise, help)                             numbers of its own kind, checked apart
//
// `name` is the key of a scene and, after `place`, the field of vvWorldDef. `users` are the methods and solvers that
// use it, "": all. Beside their names there are "methods with a solver", "implicit methods", and "not NAME".
#ifndef WORLD_SETTINGS_H
#define WORLD_SETTINGS_H

#include <verve/world.h>

// clang-format off
#define WORLD_SETTINGS(WORD, CHOICE, SWITCH, NUMBER, INTEGER, OBJECT)                                                  \
    WORD(method, , "", vvGetMethodName, "small-midpoint", "how time advances")                                         \
    WORD(solver, , "methods with a solver", vvGetSolverName, "newton", "how an implicit step is solved")               \
    INTEGER(iterations, , "methods with a solver, small-steps, pbd, pd-jacobi, not linear-implicit-euler", 0, 10000,   \
            0, "", "0 takes the solver's own limit", "most iterations of one step; 0: the solver's own limit")         \
    NUMBER(tolerance, , "methods with a solver, pd-jacobi", 1e-15, 1, 1e-10, "",                                       \
           "1e-10 suits every scene; 1e-4 is enough for pictures",                                                     \
           "iterations stop below this fraction of the body's size")                                                   \
    SWITCH(accelerate, settings.localGlobal., "local-global, not linear-implicit-euler", false,                        \
           "Anderson acceleration from the last iterations")                                                           \
    SWITCH(modes, settings.localGlobal., "local-global, not linear-implicit-euler", true,                              \
           "the lowest modes of solids get their own stiffness in every iteration")                                    \
    NUMBER(budget, settings.localGlobal., "local-global, not linear-implicit-euler", 0, 1000, 0, "s",                  \
           "0 is no budget, 0.004 is a quarter of a frame",                                                            \
           "wall clock time for a step; 0: no limit. The bits of a run then depend on the machine")                    \
    INTEGER(substeps, , "small-midpoint, small-steps", 0, VV_MAX_SUBSTEPS, 0, "", "0 takes the method's own rule",     \
            "substeps of a step; 0: by the method's rule. Other methods: steps of a frame; 0: 1")                      \
    INTEGER(rigidSubsteps, , "", 1, VV_MAX_SUBSTEPS, 20, "", "20 is usual, 100 holds heavy bodies on light ones",      \
            "substeps of rigid bodies in a step")                                                                      \
    INTEGER(rigidIterations, settings., "", 0, 10000, 0, "", "0 is usual: substeps pay more than sweeps",              \
            "sweeps over joints and contacts in a substep of rigid bodies; 0: one, and all joints at once")            \
    NUMBER(forcing, settings.newtonCg., "newton-cg", 1e-12, 0.9, 0.02, "", "0.02 is usual",                            \
           "conjugate gradients stop at this fraction of the gradient")                                                \
    WORD(preconditioner, settings.newtonCg., "newton-cg", vvGetPreconditionerName, "ic",                               \
         "the preconditioner of the conjugate gradients")                                                              \
    CHOICE(jacobian, settings.simplifiedNewton., "simplified-newton, not linear-implicit-euler", vvGetJacobianName,    \
           "frozen", "which Jacobian is kept")                                                                         \
    CHOICE(momentum, settings.stabilized., "stabilized", vvGetMomentumName, "auto",                                    \
           "whether momenta follow the external forces exactly")                                                       \
    SWITCH(printed, settings.stabilized., "stabilized", false,                                                         \
           "the paper's algorithm as printed, for its figures: not robust, momenta as blends leave them")              \
    SWITCH(energyReturn, settings.smallMidpoint., "small-midpoint", true, "returns the energy that its substeps lost") \
    NUMBER(rollingFriction, settings.smallMidpoint., "small-midpoint", 0, 1, 0.005, "", "0.005 is usual, 0 is none",   \
           "moment that resists turning of solids that touch, over the normal force times half their size, and "       \
           "force that resists swaying, over the normal force; 0: none")                                               \
    SWITCH(symmetric, settings.smallSteps., "small-steps, pbd", false,                                                 \
           "every second sweep of a substep goes backward")                                                            \
    SWITCH(jacobi, settings.smallSteps., "small-steps, pbd", false,                                                    \
           "Jacobi's iteration: all elements at once instead of one after the other; softer")                          \
    CHOICE(precision, settings.smallSteps., "small-steps, pbd", vvGetPrecisionName, "double",                          \
           "precision of the substeps of undamped springs")                                                            \
    SWITCH(viscousPass, settings.smallSteps., "small-steps, pbd", false,                                               \
           "strain rates are damped by an implicit solve for the velocities")                                          \
    NUMBER(recoverySpeed, settings.smallSteps., "small-steps, pbd", 0, 1e6, 1, "m/s", "1 m/s is gentle",               \
           "how fast contact removes penetration")                                                                     \
    NUMBER(gamma, settings.newmark., "newmark", 0, 1, 0.5, "", "0.5 is second order and damps nothing",                \
           "0.5 is second order, more adds damping")                                                                   \
    NUMBER(beta, settings.newmark., "newmark", 0, 0.5, 0.25, "", "0.25 is the trapezoidal rule",                       \
           "0.25 is the trapezoidal rule, 0 is explicit")                                                              \
    NUMBER(spectralRadius, settings.generalizedAlpha., "generalized-alpha", 0, 1, 0.8, "",                             \
           "0.8 damps what the step cannot resolve", "factor per step of motion that is far too fast for the step")    \
    NUMBER(stepTolerance, settings., "implicit methods, explicit-midpoint, rk23, rk45, runge-kutta", 0, 1e6, 0, "m",   \
           "0 takes every step as it is",                                                                              \
           "a step is divided where its error is above this, or its solver does not converge; 0: never")               \
    OBJECT(tableau, settings.rungeKutta., "runge-kutta", "those of rk4", "its coefficients")                           \
    NUMBER(sleepEnergy, , "", 0, 1e6, 0, "J/kg", "1e-5 is usual, 0 is never",                                          \
           "kinetic energy per mass below which bodies fall asleep; 0: never; 1e-5 is usual")                          \
    NUMBER(sleepTime, , "", 0, 1e6, 0.5, "s", "0.5 is usual", "how long bodies must stay below sleepEnergy")           \
    NUMBER(energyTolerance, settings.,                                                                                 \
           "small-midpoint, stabilized, stabilized-explicit, energy-budget, energy-multiplier", 1e-9, 1, 0.01, "",     \
           "0.01 is usual", "allowed error of the total energy, as a fraction of the energy of motion")
// clang-format on

typedef enum SettingKind
{
    SETTING_WORD,    // const char *
    SETTING_CHOICE,  // an enum, as large as int
    SETTING_SWITCH,  // bool
    SETTING_NUMBER,  // double
    SETTING_INTEGER, // int
    SETTING_OBJECT,  // a pointer; NULL: the default
} SettingKind;

// A row of the list.
typedef struct Setting
{
    const char *name;
    SettingKind kind;
    size_t offset;                  // in vvWorldDef
    const char *users;              // "": all methods
    const char *(*word)(int index); // of words and choices; NULL past the last
    const char *initialWord;        // default of words and choices
    double initial;                 // default of the others; a switch: 0 or 1
    double least, most;             // of numbers and integers
    const char *unit;               // "": none
    const char *remedy;             // of a number out of range
} Setting;

// A setting of any kind: its word or its number. Choices have both; the word is NULL for a number out of the enum.
typedef struct SettingValue
{
    const char *word;
    double number; // switches: 0 or 1; objects: whether there is one
} SettingValue;

const Setting *settingAt(int index); // NULL past the last

SettingValue settingInitial(const Setting *setting);
SettingValue settingGet(const Setting *setting, const vvWorldDef *def);
void settingSet(const Setting *setting, vvWorldDef *def, SettingValue value); // choices by their word; objects: none
bool settingIsInitial(const Setting *setting, const vvWorldDef *def);

// Whether the method, with the solver where it has one, looks at the setting. Both are words of their lists.
bool settingIsUsed(const Setting *setting, const char *method, const char *solver);

// A sentence for a setting that is not its default and has no effect: `prefix` and its name begin it. False: none.
bool settingNote(const Setting *setting, const vvWorldDef *def, const char *prefix, char *text, size_t size);
#define SETTING_NOTE_SIZE 320

void settingsReset(vvWorldDef *def);           // every one to its default
vvResult settingsCheck(const vvWorldDef *def); // the first that is out of its range, or no word of its list

#endif
