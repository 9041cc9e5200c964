// A tree of boxes over triangles: bvh.c.
#ifndef SHAPE_TREE_H
#define SHAPE_TREE_H

#include "base/vec.h"

// Four children per node, a leaf is one triangle. Boxes are float and a little too large: they only ever cull.
typedef struct TreeNode
{
    float center[3][4], half[3][4]; // about the centre of the tree
    int child[4];                   // a node, or ~triangle
    int count;                      // children
} TreeNode;

typedef struct Tree
{
    TreeNode *node;
    int nodeCount;
    Vec3 center;
} Tree;

// Builds the tree over corner triples; `order` receives the triangle at each leaf, and the triangles that the tree
// names are places in it: the caller reorders its triangles by it.
bool treeBuild(Memory *memory, Tree *tree, const double *corners /* count x 9 */, int count, int *order /* count */);

// The triangle nearest to the point; of equals the one of lowest number. `hint` changes the time it takes, no more.
int treeNearest(const Tree *tree, const double *corners, Vec3 point, int hint);

// The same of triangles on their way from `corners` to `end`, at a moment from 0 to 1.
int treeNearestAt(const Tree *tree, const double *corners, const double *end, double moment, Vec3 point, int hint);

// One triangle at a moment.
static inline void cornersAt(const double *start /* 9 */, const double *end /* 9 */, double moment, double *out /* 9 */)
{
    for (int i = 0; i < 9; ++i)
        out[i] = (1 - moment) * start[i] + moment * end[i];
}

// The same tree with boxes around triangles that go from `corners` to `end`. box: nodeCount x 6, scratch.
void treeRefit(Tree *tree, const double *corners, const double *end, int count, double *box);

// The first triangle that the ray passes against its normal, within `farthest`; -1: none.
int treeCast(const Tree *tree, const double *corners, Vec3 origin, Vec3 direction, double farthest, double *distance);

// Calls `visit` for the triangles whose boxes in the tree meet a box, until it returns false.
void treeVisit(const Tree *tree, vvBox near, bool (*visit)(int triangle, void *context), void *context);

#endif
