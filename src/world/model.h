// What other rooms ask about models.
#ifndef WORLD_MODEL_H
#define WORLD_MODEL_H

#include <verve/body.h>

// Corners of the elements that elementStiffness is for: 4 for tets, 3 for triangles, 2 for edges; 0: the model takes
// none.
int modelCorners(const vvSoftBodyDef *def);

#endif
