// Inside the world room: stand-ins of rigid bodies (proxy.c).
#ifndef WORLD_PROXY_H
#define WORLD_PROXY_H

#include "world/world.h"

// ---- proxy_form.c ---------------------------------------------------------------------------------------------------

// The stand-in as a rigid body.
typedef struct ProxyStand
{
    Vec3 position;
    vvQuat rotation;
} ProxyStand;

extern const double proxyCorner[4][3]; // signs of the places of the four masses

ProxyForm proxyForm(const World *world, int slot);
int proxyAnchor(const World *world, int slot); // 1 + slot of the one joint that its form is for; 0: there is none
Vec3 proxyHalf(const Rigid *rigid);            // m: the four lie at plus and minus this along the principal axes
Vec3 proxyPlace(Vec3 half, int k);             // m, of one of the four along these axes
ProxyStand proxyStand(const Rigid *rigid);     // for the body where it is
ProxyStand proxyStandAt(const ProxyForm *form, Vec3 position, vvQuat rotation);

// ---- proxy_step.c ---------------------------------------------------------------------------------------------------

// from the principal axes to the world, as the four at these places are turned and strained
Mat3 proxyDeformed(const Body *body, Vec3 half, const double *x, Vec3 centre);

// ---- proxy.c --------------------------------------------------------------------------------------------------------

void proxyStraighten(const Rigid *rigid); // its four masses are where it is, with its velocities
double proxyAttachedMass(const World *world, const Rigid *rigid); // kg, the heaviest body that is attached to it
Endpoint proxyEndpoint(const Body *body, Vec3 p);                 // of a point in the principal frame of the body
Endpoint proxyDirection(const Body *body, Vec3 d);                // of a direction there

#endif
