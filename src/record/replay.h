// Reading records back: the point caches or OBJ files of a folder, for the bodies of a world that was built from the
// same scene.
#ifndef RECORD_REPLAY_H
#define RECORD_REPLAY_H

#include "base/base.h"

#include <verve/id.h>

#define FEW_KEYS 240  // in an animation: every graphics card has places for 256 numbers of a kind
#define MOST_KEYS 900 // those of desktops for 1024

#define POSE_NUMBERS 7 // of a rigid body in a frame: x, y, z, and w, x, y, z of its rotation

typedef struct Replay Replay;

bool meshIsNumbered(const char *name, size_t length); // whether it ends with _mesh and a number, as of later meshes

typedef struct RecordParticle
{
    float point[3];
    uint32_t id;
} RecordParticle;

// The particles of a fluid in a frame, in the order of their ids.
typedef struct FluidFrame
{
    int count, room;
    RecordParticle *particle; // count
} FluidFrame;

// From the PLY file of the frame; `there` is false, and `out` as it was, where it was not recorded. A zeroed `out` is
// fine.
vvResult fluidFrameRead(Memory *memory, const char *folder, const char *frames, int fluid, int frame, FluidFrame *out,
                        bool *there);
void fluidFrameRelease(Memory *memory, FluidFrame *fluid);
int fluidFrameCount(const char *folder, const char *frames); // frames that were recorded of the first fluid

// The poses of `count` rigid bodies in all frames that were recorded, frames x count x POSE_NUMBERS. NULL and 0 frames
// where there are none.
vvResult posesRead(Memory *memory, const char *folder, const char *stem, int count, double **pose, int *frames);

// `frames`: the stem of the files, as in vvRecorderDef. NULL on failure: VV_INPUT_OUTPUT where a file is not there or
// not readable, VV_BAD_INPUT where it is of another body. What a killed process left unfinished at the end is not
// counted.
Replay *replayOpen(vvWorldId world, const char *folder, const char *frames, vvResult *result);
void replayClose(Replay *replay); // NULL is fine

int replayFrameCount(const Replay *replay); // complete for every body, at least 1
int replayBodyCount(const Replay *replay);
vvSoftBodyId replayBody(const Replay *replay, int body); // in the order of the world

// Positions of a frame, vertexCount x 3, in the caller's order of the mesh; of a cage those of the surface that it
// carries (vvMesh_GetEmbedding). Point caches hold what is seen: vertices
// inside a solid come as NaN, and values that are not finite are handed on.
vvResult replayPositions(Replay *replay, int frame, int body, double *target);

// What is seen of a body in a frame: of a mesh that is another one than the scene's.
typedef struct ReplayMesh
{
    int pointCount, triangleCount, lineCount;
    double *point; // pointCount x 3; of sheets and ropes that lost nothing in the caller's order, new ones behind
    int *triangle; // triangleCount x 3
    int *line;     // lineCount x 2, of a rope
    struct vvFaces *faces; // of the points, as they were drawn; NULL: the triangles say all
} ReplayMesh;

// Fills the mesh of a frame where it is another one than the scene's, and says whether it is: then replayPositions has
// nothing to say.
vvResult replayMesh(Replay *replay, Memory *memory, int frame, int body, ReplayMesh *mesh, bool *changed);
// From the text of an OBJ file; drawn: with its faces.
vvResult replayMeshRead(Memory *memory, const char *text, bool drawn, ReplayMesh *mesh);
void replayMeshRelease(Memory *memory, ReplayMesh *mesh);

// Writes the frames into the folder in formats that need all of them at once: "glb", "mdd", "usda" (rigid bodies and
// fluids), separated by commas. `frameTime` in s; `keys`: most of a body in an animation, at least 2, 0 for the
// default, and how many there are; `within`, m: how far frames that are no keys are from the line between two.
vvResult replayExport(Replay *replay, const char *formats, double frameTime, int *keys, double *within);

#endif
