// What the files of nested dissection share.
#ifndef LINEAR_DISSECT_H
#define LINEAR_DISSECT_H

#include "base/vec.h"
#include "linear/linear.h"

#define LEAF 300      // smaller pieces are left to minimum degree
#define DEEPEST 25    // separators inside each other: the class of the first one
#define DIRECTIONS 13 // of planes
#define SEEDS 4       // vertices that distances are measured from
#define PAIRS 6       // of seeds
#define CUTS 3        // positions of a plane or level
#define REFINED 3     // candidates
#define BINS 1024     // of a histogram
#define MOST_COST 63  // of a move in refinement: this and above is never worth it
#define MOST_PASSES 8 // of refinement
#define HEAVIEST 0.6  // share of a side
#define CLUSTERS 48   // of edge directions
#define NONE (-1)

enum Side
{
    LOWER,
    UPPER,
    SEPARATOR,
    OUTSIDE = 255 // of the piece that is being cut
};

// A cut: the vertices below a bound against the others. The boundary of one of the two sides is the separator.
typedef struct Candidate
{
    double score; // the lower the better, below 0: none
    int key;      // what vertices are compared by: position in a direction, distance, or difference of two distances
    double bound;
    enum Side thick; // the side whose boundary becomes the separator
} Candidate;

typedef struct Piece
{
    int begin, end; // in `list`
    int depth;
    bool connected; // known to be
} Piece;

typedef struct Dissection
{
    int count;
    Neighbours near;
    const double *points; // count x 3 or NULL
    Vec3 direction[DIRECTIONS];
    int *class; // count: the result

    int *list;    // count: the vertices, those of a piece together
    Piece *stack; // pieces to be cut: disjoint, each above LEAF vertices
    int waiting;  // on the stack

    unsigned char *side;  // count: enum Side, or a bucket while cuts are compared
    unsigned char *best;  // count: the best separator so far
    double *value;        // count: what the vertices are compared by
    int *queue;           // count
    int *distance[SEEDS]; // count each: from a seed
    int bin[BINS];        // vertices in each

    // refinement: a separator vertex may move to either side
    int *cost[2]; // count each: neighbours on the other side, which become separator
    int *next[2]; // count each: in the list by cost
    int *previous[2];
    int head[2][MOST_COST + 1];
    bool *locked;           // count
    int size[3];            // vertices by enum Side
    int *log;               // 3 count: the vertices that changed sides
    unsigned char *logSide; // 3 count: the side before
    int logged;
} Dissection;

void dissectDirections(Dissection *d); // 13 directions of planes in the mesh's own lattice

// One pass of refinement over the separator of a piece; true: `score` went down and the sides are better.
bool dissectRefine(Dissection *d, Piece piece, double *score);
double dissectScore(int separator, int lower, int upper); // the lower the better

#endif
