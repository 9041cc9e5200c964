// Rest modes: the lowest vibrations of a body about its rest shape, K0 u = w^2 M u.
#ifndef SOLVE_MODES_H
#define SOLVE_MODES_H

#include "base/isa.h"
#include "energy/energy.h"
#include "linear/front.h"

// What the modes of a body follow from.
typedef struct ModesRecipe
{
    const Graph *graph;          // over the vertices, with every pair that an energy couples
    const FrontTree *tree;       // of the graph, whose order a factor can take; or NULL
    const double *rest;          // count x 3, m
    const double *mass;          // count, kg
    const unsigned char *pinned; // count: what leaves the unknowns
    const double *tie;           // count, N/m: springs that hold vertices where they rest; or NULL
    int energyCount;             //
    Energy *const *energy;       // those that have a stiffness at rest enter (modesEnters)
    double slow;                 // 1/s: a frequency not far above the lowest one, above 0
    int wanted;                  // modes, at most
    int pieceCount;              // parts that nothing joins and nothing holds; 0: it hangs together
    const int *piece;            // count: which of them a vertex is in, -1: none
    int mostFactored;            // vertices of a body whose matrix is factored, at most; 0: where that is faster
    Isa isa;                     // of the sums: speed only, the bits are the same
} ModesRecipe;

typedef struct Modes
{
    Memory *memory;
    int count;      // modes
    int vertices;   //
    bool tied;      // something is pinned or held: else the six rigid motions are not among the modes
    double *square; // count: w^2, 1/s^2, ascending
    double *shape;  // count x vertices x 3: u, orthonormal in the masses, 1/sqrt(kg)
} Modes;

bool modesEnters(const Energy *energy); // elastic, with forces between the vertices of the body alone

// NULL: out of memory. A body without any (all pinned, or its stiffness is no number) has a count of 0; one
// whose iteration does not arrive has fewer than wanted.
double modesWork(const ModesRecipe *recipe); // multiply-adds of making them, about
Modes *modesCreate(Memory *memory, const ModesRecipe *recipe);
void modesDestroy(Modes *modes);

// |K0 u - w^2 M u| in the inverse masses over w^2 |u|, of mode k; for tests
double modesResidual(Memory *memory, const ModesRecipe *recipe, const Modes *modes, int k);

#endif
