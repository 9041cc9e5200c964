// Inside the control of the energy of small-midpoint.
#ifndef INTEGRATE_ENERGY_CONTROL_H
#define INTEGRATE_ENERGY_CONTROL_H

#include "integrate/integrate.h"

typedef struct Control
{
    System *system;
    Stage stage;
    int count;         // substeps
    double h;          // s, of the whole step
    double target;     // J
    double tolerance;  // J
    double rounding;   // J, of the energies that it is a difference of
    double scale;      // J, that it is a share of
    double unresolved; // J, that substeps do not resolve: of bodies with modes all, else of sheets and ropes
    double kept;       // J, of that, what sheets and ropes hold
    bool ruled;        // the number of substeps is the rule's
    bool finer;        // it was doubled in this step
    bool early;        // forces were taken before the middle of the substeps: they may have turned bodies
} Control;

// energy_return.c: change velocities, and return the change of the kinetic energy; rigid motion of untied bodies stays
double controlReturn(const Control *c, double missing); // along the displacement of the step
double controlCut(const Control *c, double gained);     // from what the velocity has beside it
// Of sheets and ropes what is beside their smooth motion loses what was gained, or gets what is missing (negative): it
// holds `kept` besides its kinetic energy.
double controlUnresolved(const Control *c, double gained, double kept);

#endif
