// Rigid bodies near an island, in its steps and substeps (contact/movable.h).
#include "contact/movable.h"
#include "integrate/integrate.h"

void movablesStart(System *system)
{
    for (int m = 0; m < system->movableCount; ++m)
        movableStart(&system->movable[m]);
}

void movablesBegin(System *system, double from, double to, double theta)
{
    for (int m = 0; m < system->movableCount; ++m)
        movableBegin(&system->movable[m], from, to, theta);
}

void movablesEnd(System *system)
{
    for (int m = 0; m < system->movableCount; ++m)
        movableEnd(&system->movable[m]);
}
