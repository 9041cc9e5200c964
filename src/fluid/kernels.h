// Sums over the neighbours of particles, eight neighbours at once. Once per instruction set, with the same bits.
#ifndef FLUID_KERNELS_H
#define FLUID_KERNELS_H

#include <stdbool.h>

#define FLUID_LANES 8

// Particles sorted by the cells of a grid that is folded onto a table: cell (i, j, k) is at i mod 2^bits[0] and so on,
// x fastest. The cells are cubes (squares in 2D) with the radius of the smoothing kernel as edge. All lengths are in
// units of that radius, so that a neighbour is what is nearer than 1.
typedef struct FluidCells
{
    int bits[3];        // log2 of the table's size; at least 2, or 0 along the axis that a fluid in 2D does not have
    const int *start;   // cells + 1: the first particle of each cell
    const int *cell;    // usedCount: the cells that have particles
    int usedCount;      //
    const float *at[3]; // particles: places, from an origin that all have
} FluidCells;

// What neighbours do to each other's motion: drag takes a share of what their ways differ by, cohesion pulls.
typedef struct FluidDrag
{
    bool acts;
    float share;         // of a neighbour at distance 0; it falls as 1 - r
    float pull;          // radii: towards a neighbour, times r (1 - r)^2
    const float *way[3]; // particles: in the substep before the corrections, in radii
    float *change[3];    // particles: of that, in radii
} FluidDrag;

// The density constraint C = density / rest density - 1, where above 0 (Macklin and Mueller 2013, Eqs 1 to 14).
typedef struct FluidDensity
{
    float perRest;      // 1 over the sum of (1 - r^2)^3 on the rest lattice
    float gradient;     // of C by a neighbour's place: this times (1 - r)^2
    float softening;    // added to the denominator of a multiplier
    float relaxation;   // of the corrections, which all particles compute from the same places
    const int *order;   // particles: their places in `cover`
    const float *cover; // x 4: what walls add to the sum of densities, and to that of gradients; NULL: nothing
    float *compression; // particles: C
    float *multiplier;  // particles
    float *move[3];     // particles: the correction, in units of the radius
    FluidDrag drag;     //
} FluidDensity;

typedef struct FluidKernels
{
    // for the particles of used cells from `first` to before `end`
    void (*multipliers)(const FluidCells *cells, const FluidDensity *density, int first, int end);
    void (*corrections)(const FluidCells *cells, const FluidDensity *density, int first, int end);
} FluidKernels;

extern const FluidKernels fluidKernels_base, fluidKernels_avx2, fluidKernels_avx512;

#endif
