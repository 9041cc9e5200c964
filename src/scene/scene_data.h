// What the files of the scene room share about a scene.
#ifndef SCENE_SCENE_DATA_H
#define SCENE_SCENE_DATA_H

#include "scene/scene.h"
#include "scene/tree.h"

struct Scene
{
    Memory memory;                 // of this struct
    JsonTree json;                 // memory of the tree
    Json *tree;                    // checked, every default in it
    char stem[200];                // of recorded frames
    char formats[64];              // of recorded frames, separated by commas
    bool methodGiven, solverGiven; // by the file or --set; else they are the defaults
};

// ---- find.c ---------------------------------------------------------------------------------------------------------

// The shipped scene that a word that names none is closest to; false: none is close.
bool sceneNearest(const char *word, char *name, size_t size);

#endif
