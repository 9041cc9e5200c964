// Windows of a sheet that is flat and convex at rest, inside the room: flat_make.c makes them, flat.c asks them.
#ifndef CONTACT_FLAT_H
#define CONTACT_FLAT_H

#include "contact/proximity.h"

#define FLAT_PACKS (FEATURES_LEAF / FLAT_LANES) // of a leaf

// Around a node of the tree.
typedef struct FlatWindow
{
    int node;
    int leaf;                  // its number; -1: a fork, with
    int left, right;           //   windows of its own
    double lower[2], upper[2]; // m, at rest, of the node, in the plane
    int nearBegin, nearEnd;    // leaves that the window meets
    double least;              // m: D, of these
    float frame[6];            // 1, R: two unit columns, of when it was last looked for
    int cover;                 // the largest window around it that holds, itself or that of a node above; -1: none
    bool lost;                 // that was larger, or around more
} FlatWindow;

// Of a leaf.
typedef struct FlatLeaf
{
    int node;
    double least;  // m: D, of its facets
    float mean[6]; // 1, the sum of F, of when windows could last begin
} FlatLeaf;

struct Flat
{
    int *number;             // nodes: of windows; -1: it is too large for one
    int windowCount;         //
    FlatWindow *window;      // windowCount, children behind their parents
    int topCount, leafCount; //
    int *top;                // topCount: windows that are in no other
    FlatLeaf *leaf;          // leafCount
    FlatPack *pack;          // leafCount x FLAT_PACKS
    bool *busy;              // leafCount: something of the sheet may be in range, where the step begins
    int *home;               // vertices: the leaf that they belong to; -1: none
    float *row;              // vertices x 8: room for where they are
    int *near;               // as of windows
    double margin;           // m, of windows around nodes
};

#endif
