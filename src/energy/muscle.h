// What the world asks of muscles.
#ifndef ENERGY_MUSCLE_H
#define ENERGY_MUSCLE_H

#include "energy/energy.h"

// Elements of a group of muscleKind, [0, 1]. False: it has none; -1: likewise.
bool muscleActivate(Energy *energy, int group, double activation);
double muscleActivation(const Energy *energy, int group);

#endif
