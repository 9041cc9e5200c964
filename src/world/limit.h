// Inside the world room: limits of where vertices may be, as tether.c and skin.c make them.
#ifndef WORLD_LIMIT_H
#define WORLD_LIMIT_H

#include "contact/reach.h"
#include "world/world.h"

// Elements before there is an energy of them.
typedef struct LimitList
{
    int count, room;
    int *vertex;       // in the mesh's order
    int *anchor;       // of a tether: the vertex that it is tied to
    double *offset;    // m, of a backstop: how far behind the position of the skin it begins
    ReachForm *form;   //
    double *radius;    // m
    double *stiffness; // N/m, of methods that see a potential
} LimitList;

// What the limits of an energy follow (Energy.context).
typedef struct Limits
{
    int *anchor;         // elementCount; NULL: a skin, which the caller moves
    unsigned char *idle; // elementCount: the anchor is no pin now
    double *offset;      // elementCount
    Vec3 *marked;        // elementCount x 2: where anchors were and went before the step under way
} Limits;

bool limitListReserve(Memory *memory, LimitList *list, int room); // false: out of memory
void limitListAdd(const Body *body, LimitList *list, int vertex, int anchor, ReachForm form, double size,
                  double stiffness); // size: m, radius; stiffness 0: by the mass of the vertex
void limitListRelease(Memory *memory, LimitList *list);

Energy *limitCreate(Body *body, const LimitList *list, bool tethers); // NULL: out of memory
vvResult limitCheckStiffness(double stiffness);

#endif
