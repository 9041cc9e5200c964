// Rigid bodies and fluids in reports.
#ifndef TOOL_GUESTS_H
#define TOOL_GUESTS_H

#include <verve/verve.h>

void guestsPrint(vvWorldId world, double step); // step: s
double guestsRatio(vvWorldId world);            // of the masses of two bodies that a hard joint holds, at least 1
double guestsHeight(vvFluidId fluid);           // m, of its particles

#endif
