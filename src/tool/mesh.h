// What crosses the files of `verve mesh`.
#ifndef TOOL_MESH_H
#define TOOL_MESH_H

#include "tool/tool.h"

// ---- mesh.c ---------------------------------------------------------------------------------------------------------

int meshTriple(const Words *words, const char *option, double *values /* 3 */); // -1, or the exit code
int meshPlacing(const Words *words, vvMeshDef *def); // --scale and --rotate; -1, or the exit code
int meshWrite(const vvMesh *mesh, const char *file, const char *format);

// ---- make.c ---------------------------------------------------------------------------------------------------------

int meshMake(const Words *words);

// ---- solid.c --------------------------------------------------------------------------------------------------------

int meshSolid(const Words *words);
int meshLattice(const Words *words, vvSolidDef *def); // --edge, --grading and --surface-edge; -1: go on

// ---- doctor.c -------------------------------------------------------------------------------------------------------

int meshDoctor(const Words *words);

#endif
