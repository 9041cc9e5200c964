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

typedef enum NoteLevel
{
    LEVEL_NOTE,
    LEVEL_WARNING,
} NoteLevel;

// Where sentences go: lines of `before`, "note: " or "warning: " and the sentence; or the items of a JSON list, of one
// level only. Out of memory there are none.
typedef struct Notes
{
    FILE *out;
    const char *before;
    bool json;
    NoteLevel level; // of JSON
    int count;       // written so far, of JSON
} Notes;

void noteMesh(Notes *notes, const vvMesh *mesh, const MeshQuality *quality, const char *file);
void noteScene(Notes *notes, const SceneWorld *built, int body);  // of bodies from files and of solids
void noteSceneJson(FILE *out, const SceneWorld *built, int body); // the same: `, "notes": [...], "warnings": [...]`
void noteSettings(Notes *notes, const Scene *scene);              // keys that the method and solver do not use

#endif
