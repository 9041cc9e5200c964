// Verve: soft bodies that keep their energy. This header includes the whole API; each of the others also compiles
// alone.
//
//   vvWorldDef worldDef = vvDefaultWorldDef();
//   vvWorldId world = vvCreateWorld(&worldDef, NULL);
//   vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 8, 8, 8);
//   vvSoftBodyDef bodyDef = vvDefaultSoftBodyDef();
//   bodyDef.mesh = mesh;
//   bodyDef.material = vvMaterial_Jelly();
//   vvSoftBodyId jelly = vvCreateSoftBody(world, &bodyDef, NULL);
//   for (int frame = 0; frame < 600; ++frame)
//       vvWorld_Step(world, 1.0 / 60.0);
//   vvLedger ledger = vvWorld_GetLedger(world);
//
// Read base.h first: it has the conventions (units, errors as values, threads, lifetimes). Then, one noun per header,
// in the order below. Everything is created from a definition: take vvDefaultNounDef(), change fields, call
// vvCreateNoun. Calls on an object are vvNoun_Verb. docs/glossary.md explains the words.
#ifndef VERVE_VERVE_H
#define VERVE_VERVE_H

// in reading order
// clang-format off
#include <verve/base.h>     // conventions, results, hooks, vectors
#include <verve/id.h>       // ids of worlds and of what is in them
#include <verve/world.h>    // the world: settings, steps, time
#include <verve/method.h>   // methods and solvers, by one word each
#include <verve/faces.h>    // surfaces as they were drawn: quads, texture coordinates, groups
#include <verve/mesh.h>     // meshes, generated, from arrays or from files
#include <verve/repair.h>   // meshes with what is wrong in them mended
#include <verve/solid.h>    // tets that fill a closed surface
#include <verve/material.h> // materials and presets
#include <verve/body.h>     // soft bodies: definition, state, forces
#include <verve/embedding.h> // render meshes that move with bodies
#include <verve/change.h>   // bodies that are split and cut while they run
#include <verve/hold.h>     // pins, attachments, handles, hinges, constraints of your own
#include <verve/tissue.h>   // what bodies are made of, changed while they live; muscles
#include <verve/shape.h>    // rigid geometry
#include <verve/collider.h> // rigid shapes that bodies collide with
#include <verve/rigid.h>    // rigid bodies
#include <verve/joint.h>    // joints of rigid bodies
#include <verve/fluid.h>    // fluids
#include <verve/query.h>    // rays, spheres that move, what overlaps a box or a sphere
#include <verve/draw.h>     // a world as segments, points and triangles, for debugging
#include <verve/inspect.h>  // ledger, statistics, contacts, examination, saved states
#include <verve/record.h>   // files that other programs can open
// clang-format on

#endif
