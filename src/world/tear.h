// Inside the world room: what tears of sheets, solids and ropes share.
#ifndef WORLD_TEAR_H
#define WORLD_TEAR_H

#include "world/remake.h"

#define TEAR_SAME 1e-9 // of an edge: sides of a crack are together at rest

// N, of an element on its corner, after the gradients of all elements were found
static inline Vec3 tearForce(const Body *body, int element, int corner)
{
    return vecScale(-1, vecLoad(elementSlots(body->elastic, element) + 3 * (ptrdiff_t)corner));
}

static inline Vec3 tearRest(const Body *body, int vertex)
{
    return vecLoad(body->mesh->point + 3 * (ptrdiff_t)vertex);
}

static inline Vec3 tearPlace(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

// of toughness and strength; of an element in the caller's numbers
static inline double tearFactor(const Body *body, int element)
{
    return body->elementToughness != NULL ? body->elementToughness[element] : 1;
}

// ---- tear.c ---------------------------------------------------------------------------------------------------------

bool tearReserve(Body *body, int more); // room for debts; false: out of memory
void tearOwe(Body *body, int a, int b, double price);
double tearOwedBy(const Body *body, int a, int b); // J, by two vertices in the library's order

// ---- tear_bulk.c ----------------------------------------------------------------------------------------------------

#define MOST_FACES 1024 // of a solid that are looked at in a step; fronts open at most as many more

// A face of a solid between two tets.
typedef struct TearFace
{
    int tet[2], vertex[3];
    Vec3 normal;    // where it is now
    double urgency; // the stress across it over its strength
    double factor;  // of toughness
    int cluster;    // of faces beyond their strength that hang together: the first of them
    bool waits;     // for the crack beside it, which energy rules
    bool chosen;
} TearFace;

vvResult tearSolid(Body *body); // both after the gradients of the elements were found
vvResult tearRope(Body *body);
int tearAcross(const Body *body, int tet, const int *face); // the tet on the other side of a face; -1: none
int tearCommon(const TearFace *a, const TearFace *b);       // vertices that they share
void tearSpread(TearFace *faces, int count, int cluster);   // from those chosen; -1: all that do not wait
bool tearEdgeAtSurface(const Body *body, int a, int b);     // of an edge of a tet

// ---- tear_front.c ---------------------------------------------------------------------------------------------------

bool tearFindFronts(Body *body); // of a new mesh; false: out of memory

// Which of these faces wait for a crack, and which faces a crack opens: these are chosen, and put behind the others
// where they are not among them. Returns how many faces there are then.
int tearFronts(const Body *body, TearFace *faces, int count, int room);

#endif
