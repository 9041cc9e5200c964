// Separating planes, eight at once, in double precision: where two simplices are nearest, and what corners do at the
// planes between them. Once per instruction set, with the bits of closest.c.
#ifndef CONTACT_PLANE_KERNELS_H
#define CONTACT_PLANE_KERNELS_H

#define PLANE_LANES 8
#define PLANE_FLAT 1e-12 // square of the sine of two edges that have no common normal, or of a sliver
#define PLANE_KEPT 0.05  // of its distance from a plane at the start, that a corner has at the end
// of the distance that a pair keeps: what is closer comes no closer, for rounding needs room
#define PLANE_FLOOR 1e-3

// Numbers of a plane (proximity.h), each as many doubles behind its start.
enum
{
    PLANE_WEIGHT = 0,
    PLANE_NORMAL = 4, // and the distance
    PLANE_SLACK = 8,
    PLANE_SHIFT = 12, // the gap, and the radius
};

typedef struct PlaneLanes
{
    int vertex[4][PLANE_LANES]; // corners
    int place[PLANE_LANES];     // of each plane, in doubles; lanes that nobody uses repeat another
} PlaneLanes;

// x: where vertices are, x 3; plane: doubles that places count from.
typedef struct PlaneKernels
{
    void (*vertexTriangle)(const double *x, const PlaneLanes *lanes, double *plane);
    void (*edges)(const double *x, const PlaneLanes *lanes, double *plane);
    // gap: m, at z; ahead: m, with what they near each other by in h s
    void (*reach)(const double *z, const double *velocity, double h, const PlaneLanes *lanes, const double *plane,
                  double *gap, double *ahead);
    // second: -1 where the second corner belongs to the first, else 1; most: m, how far a corner is beyond what it may
    void (*place)(const double *move, const double *second, const PlaneLanes *lanes, const double *plane, double *shift,
                  double *most);
} PlaneKernels;

extern const PlaneKernels planeKernels_base, planeKernels_avx2, planeKernels_avx512;

#endif
