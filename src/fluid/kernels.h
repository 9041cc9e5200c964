// Sums over the neighbours of particles. Once per instruction set, with the same bits.
#ifndef FLUID_KERNELS_H
#define FLUID_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#define FLUID_CHUNK 8   // particles that meet their candidates together, one in each lane
#define FLUID_COLUMNS 4 // cells per radius along x
#define FLUID_LISTED 16 // places in the lists of candidates for each particle

// for each mask of eight lanes: which are set, and how many
typedef struct FluidPacking
{
    uint8_t lane[256][8], count[256];
} FluidPacking;

// Particles sorted by the cells of a grid that is folded onto a table: cell (i, j, k) is at i mod 2^bits[0] and so on,
// x fastest. A cell is as high and deep as the radius of the smoothing kernel and a quarter as wide: consecutive
// particles of a row are near each other. All lengths are in units of that radius, so that a neighbour is what is
// nearer than 1.
typedef struct FluidCells
{
    const FluidPacking *packing;
    int bits[3];        // log2 of the table's size; at least 2, or 0 along the axis that a fluid in 2D does not have
    const int *start;   // cells + 1: the first particle of each cell
    const int *cell;    // particles: their cells
    const float *at[3]; // particles: places, from an origin that all have
    int *list;          // particles x FLUID_LISTED: candidates of chunks, kept from one pass for the next
    int *listAt;        // particles: where the list of the chunk that begins here is, its length first; -1: not kept
} FluidCells;

// What neighbours do to each other's motion: drag takes a share of what their ways differ by, cohesion pulls.
typedef struct FluidDrag
{
    bool acts;
    float share;         // of a neighbour at distance 0; it falls as 1 - r
    float pull;          // towards a neighbour, times (r - `apart`) (1 - r)^2
    float apart;         // where cohesion neither pulls nor pushes
    const float *way[3]; // particles: in the substep before the corrections
    float *change[3];    // particles: of that, by drag
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
    float *multiplier;  // particles: times `relaxation` and `gradient`
    float *move[3];     // particles: the correction, with what cohesion does
    FluidDrag drag;     //
} FluidDensity;

typedef struct FluidKernels
{
    // for particles from `first` to before `end`, the same in both passes
    void (*multipliers)(const FluidCells *cells, const FluidDensity *density, int first, int end);
    void (*corrections)(const FluidCells *cells, const FluidDensity *density, int first, int end);
} FluidKernels;

extern const FluidKernels fluidKernels_base, fluidKernels_avx2, fluidKernels_avx512;

#endif
