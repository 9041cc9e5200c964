// The vibrations of a body about its rest shape, for the tool.
#ifndef WORLD_VIBRATION_H
#define WORLD_VIBRATION_H

#include <verve/id.h>

// The lowest vibrations of a body with its pins, K0 u = w^2 M u, at most `wanted`, ascending: w in rad/s, u in
// 1/sqrt(kg) in the caller's order of the vertices, `wanted` x vertexCount x 3, orthonormal in the masses, without the
// rigid motions of a body that no pin holds. Returns how many there are; -1: out of memory, 0 also for a bad id.
// Springs that hold a body, contact and pressure do not enter.
int vibrationModes(vvSoftBodyId body, int wanted, double *frequency, double *shape);

#endif
