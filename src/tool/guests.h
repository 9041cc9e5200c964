// Rigid bodies and fluids in reports.
#ifndef TOOL_GUESTS_H
#define TOOL_GUESTS_H

#include <verve/verve.h>

void guestsPrint(vvWorldId world, double step); // step: s

#endif
