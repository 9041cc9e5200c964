// Stand-in models: bodies of animals and things as smooth unions of ellipsoids, round cones and rounded boxes.
#ifndef MESH_MODEL_H
#define MESH_MODEL_H

#include "base/vec.h"

#include <verve/solid.h>

typedef enum PartKind
{
    PART_ELLIPSOID, // a: the centre, b: the radii
    PART_CONE,      // the hull of a ball of radius r at a and one of radius s at b
    PART_BOX,       // a: the centre, b: half the sides, edges rounded by r
} PartKind;

typedef struct Part
{
    PartKind kind;
    Vec3 a, b;
    double r, s;  // m
    double blend; // m, over which it flows into what came before
    bool twice;   // there is a mirror image at -z
    int bone;     // figure: that it moves with
} Part;

#define MOST_PARTS 64

// All lengths in the model's own unit.
typedef struct Model
{
    Part part[MOST_PARTS];
    Vec3 middle[MOST_PARTS];  // of a ball around the part
    double reach[MOST_PARTS]; // its radius
    int count;
} Model;

// ---- models.c: the tables -------------------------------------------------------------------------------------------

typedef struct ModelTable
{
    const Part *part;
    int count;
    Vec3 lower, upper; // of the box around it, at rest
    double edge;       // of the lattice at 4 cells
    double surface;    // longest edge of the boundary then; 0: as the lattice has them
} ModelTable;

const ModelTable *modelTable(vvMeshShape shape); // NULL: no model

// ---- model.c --------------------------------------------------------------------------------------------------------

void modelMake(Model *model, const ModelTable *table);                 // with the mirror images
double modelScale(const ModelTable *table, double size, Vec3 *centre); // m per unit, and what becomes the origin
double modelEdge(const vvMeshDef *def, const vvSolidDef *solid);       // m, of the lattice
void modelEnclose(Model *model);                                       // the balls, after parts have moved
double partDistance(const Part *part, Vec3 point);                     // below 0 inside; of ellipsoids about
double modelDistance(const Model *model, Vec3 point);

// ---- figure.c: the walk ---------------------------------------------------------------------------------------------

void figurePose(Model *model, double time); // in place

#endif
