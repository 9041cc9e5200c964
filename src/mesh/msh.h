// A Gmsh file on its way: file_msh.c reads its sections and elements, msh_nodes.c its nodes.
#ifndef MESH_MSH_H
#define MESH_MSH_H

#include "mesh/file.h"
#include "mesh/tags.h"

typedef struct Msh
{
    Reader *reader;
    bool modern;    // 4.1
    NumberType tag; // of binary tags and, in 4.1, of counts
    bool plain;     // tags count up one by one from 1
    int tagRoom;    // of reader->pointTag
    Tags tags;      // where they do not
    bool nodesRead; //
} Msh;

bool mshNextLine(Msh *msh); // text: moves to the next line that holds something
void mshEndLine(Msh *msh);  // text: whatever follows on the line

bool mshNodes(Msh *msh);

#endif
