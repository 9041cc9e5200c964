// What a run did to the momenta of bodies that nothing holds or touches.
#ifndef TOOL_FREE_H
#define TOOL_FREE_H

#include "scene/scene.h"

// One island of the world, at the frame since which it is free.
typedef struct Island
{
    bool known, touched;   // known: it is free, and the rest is of its first free frame
    int body;              // the first of its bodies, in the order of the scene
    double time;           // s
    double mass;           // kg
    double radius;         // m, of gyration
    vvVec3 momentum, spin; // kg m/s; kg m^2/s about its centre of mass
    double pushes;         // kg m/s, the momentum that its energy could carry
    double carries;        // kg m^2/s, the angular momentum that its inner motion could carry
} Island;

typedef struct FreeBodies
{
    Island *island; // count
    int count;
    bool hasContact;      // there is something to touch
    int frames;           // islands and frames that were compared
    double spinDrift;     // 1, the largest change of an angular momentum over what it was
    int body, frame;      // where that was
    double momentumDrift; // 1, the largest deviation of a momentum from what gravity makes of it, over its size
} FreeBodies;

void freeLook(FreeBodies *bodies, const SceneWorld *built, double from /* s, when the frame began */, int frame);
void freeRelease(FreeBodies *bodies);

#endif
