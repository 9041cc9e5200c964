// A sample in a world of its own: held at one end, loaded evenly at the other.
#ifndef TOOL_CALIBRATE_RIG_H
#define TOOL_CALIBRATE_RIG_H

#include "lab/calibrate.h"

#include "base/base.h"

typedef struct Rig
{
    const Sample *sample;
    Memory memory;
    vvWorldId world;
    vvSoftBodyId body;
    int count;          // vertices
    const double *rest; // count x 3
    double *share;      // count, of the load; 0 away from the end
    double *velocity;   // count x 3, for rigSlow
} Rig;

// `damped`: as the body is. `clamped`: sheets are held by two columns, which holds their slope
vvResult rigCreate(const Sample *sample, const vvWorldDef *world, bool damped, bool clamped, Rig *rig);
void rigDestroy(Rig *rig);
vvResult rigLoad(Rig *rig, int axis, double force /* N */);
vvResult rigSlow(Rig *rig, double factor); // multiplies all velocities
double rigTip(const Rig *rig, int axis);   // m, mean displacement of the loaded end

// 1, the strain along x away from the held end, which cannot contract; of axis 1 m, the displacement of the tip, of a
// rod the part of it that is bending
double rigResponse(const Rig *rig, int axis);

#endif
