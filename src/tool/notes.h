// What is often wrong and looks right in its numbers: said in one sentence, with what mends it.
#ifndef TOOL_NOTES_H
#define TOOL_NOTES_H

#include "mesh/mesh.h"
#include "scene/scene.h"

#include <stdio.h>

// ---- weld.c ---------------------------------------------------------------------------------------------------------

// The first vertex at the place of every vertex; returns how many lie on an earlier one, -1: out of memory.
int weldFind(const vvMesh *mesh, int *first /* vertexCount */);

// A copy whose vertices at one place are one; elements that this makes flat are left out. NULL: `result` says why.
vvMesh *weldMesh(const vvMesh *mesh, vvResult *result);

// ---- notes.c --------------------------------------------------------------------------------------------------------

// Each note is a line, `before` and the sentence. Out of memory there are none.
void noteMesh(FILE *out, const char *before, const vvMesh *mesh, const MeshQuality *quality, const char *file);
void noteScene(FILE *out, const char *before, const SceneWorld *built, int body); // only of bodies from files
void noteSettings(FILE *out, const char *before, const Scene *scene); // keys that the method and solver do not use
void noteSettingsJson(FILE *out, const Scene *scene);                 // the same sentences as a list

#endif
