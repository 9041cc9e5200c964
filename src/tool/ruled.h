// The substeps that a method's own rule gives to the bodies of a scene: what check and calibrate say, and what the
// trials of advise and a run begin with. Only a step knows them, as they follow from stiffness, size, joints, damping
// and what touches; so they are those of the scene's first step.
#ifndef TOOL_RULED_H
#define TOOL_RULED_H

#include "scene/scene.h"

// What the bodies have together.
typedef struct Ruled
{
    int least, most;  // by the rule
    int taken;        // most that were taken, where the first step was taken again in more; else `most`
    double softness;  // 1: times that the worst body is too soft at the solver's iterations
    vvSubsteps *each; // of every body; zeros where the method has no rule or the body sleeps
} Ruled;

// `ruled->each` is given with room for every body. A world that is no longer needed takes the step; or a new one.
vvResult ruledTry(SceneWorld *built, Ruled *ruled);
vvResult ruledOf(const Scene *scene, Ruled *ruled);

#endif
