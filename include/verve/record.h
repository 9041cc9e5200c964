// Verve records: what other programs can open. A recorder writes the present state of a world as the next frame, into a
// folder, in as many formats as asked for.
//
//   "obj"   a Wavefront file per body and frame: NAME_000042.obj
//   "pc2"   a point cache per body, NAME.pc2, beside NAME.obj with the topology (Blender: Mesh Cache modifier)
//   "vtu"   a VTK file per body and frame with velocity, force, elastic energy density and stretch, and one FRAMES.pvd
//           with the physical time of each (ParaView)
//   "usda"  a USD layer per body with time samples, and FRAMES.usda that holds them all (metres, y up)
//   "ply"   a PLY file per body and frame, binary: NAME_000042.ply
//   "glb"   one glTF file of all bodies, FRAMES.glb, that browsers and Blender play: morph targets between which
//           weights go; frames that lie on a line between others within a two-thousandth of a body are left out, within
//           a thousandth where a body would need more than 240, and more where it would need more than 900 even so
//   "mdd"   a point cache per body as some programs want it: NAME.mdd
//
// "vtu" holds all of the body, the others what is seen: the vertices of the surface (of a rope: all), in the caller's
// order, with faces as they were drawn (vvFaces) in "obj", "usda", "ply" and "glb". Body names become file and prim
// names with letters, digits and _ only.
//
// Where the mesh of a body changes (verve/change.h), "obj", "ply" and "vtu" have the new one from that frame on,
// "usda" has another prim and "glb" another node that is visible from then on, and "usda", "pc2" and "mdd" go on in
// files of the new mesh: NAME_mesh1.usda, to which NAME.usda or FRAMES.usda refers, NAME_mesh1.pc2 beside
// NAME_mesh1.obj, then NAME_mesh2 ...
//
// "glb" and "mdd" need all frames at once. They are written when the recorder is closed, from the point caches "pc2",
// which are recorded with them; what a killed process did not come to, `verve export` does.
//
// NAME is FRAMES-BODY, or FRAMES alone in a world with one body. Whatever happens, a killed process or a full disk,
// every frame that was added is readable in every other format. (A process that would rather get an error than a signal
// at a limit on file sizes ignores SIGXFSZ.) A loss of power is another matter: nothing waits for the disk.
#ifndef VERVE_RECORD_H
#define VERVE_RECORD_H

#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvRecorder vvRecorder; // writes frames; made by vvCreateRecorder

// What is recorded, and where. Start from vvDefaultRecorderDef().
typedef struct vvRecorderDef
{
    const char *folder;  // made if it is not there; required
    const char *frames;  // stem of the frame files: letters, digits, _, -, . and spaces. Default "frames"
    const char *formats; // words above, separated by commas. Default "" for none. Where there is one and the world has
                         // rigid bodies, FRAMES_rigid.csv has their poses: frame, time, then x, y, z, qw, qx, qy, qz;
                         // "obj", "ply" and "vtu" have their surfaces in FRAMES_rigid_NUMBER. Fluids are in "ply" and
                         // "vtu" (FRAMES-fluid-0_NUMBER), "glb" and "usda" (FRAMES_fluid.usda)
    const char *ledger;  // file in the folder for the ledger of every frame as CSV. Default NULL: none
    const char
        *snapshot;     // file in the folder for the saved state. Default NULL: none. Neither may be scene.json, where
                       // the tool keeps the scene, nor have the ending of a format
    int snapshotEvery; // frames between saved states, at least 1. Default 50
    double frameTime;  // s of simulated time between frames, above 0; for the players. Default 1/60
    // -1: a new record, files of the same names are replaced. Otherwise it continues after this frame, and what was
    // recorded later is cut off. Default -1
    int resumeFrame;
    vvAllocator allocator; // default malloc and free
    int cookie;            // set by vvDefaultRecorderDef
} vvRecorderDef;

VV_API vvRecorderDef vvDefaultRecorderDef(void); // the defaults above

// NULL on failure. A record that cannot be resumed (files missing, too short, or of other bodies) is refused before
// anything is changed; one that is resumed ends with the same bytes as if it had never stopped. The bodies of the world
// at this moment are recorded; a body that is destroyed later stays where it was.
VV_API vvRecorder *vvCreateRecorder(vvWorldId world, const vvRecorderDef *def, vvResult *result);

// The present state becomes the next frame (the first is 0). After VV_INPUT_OUTPUT the frames before it are intact and
// the recorder takes no more.
VV_API vvResult vvRecorder_Add(vvRecorder *recorder);
VV_API int vvRecorder_GetFrameCount(const vvRecorder *recorder); // complete ones, resumed ones included

// Writes what is left (a last saved state, if the world still stands at the last frame) and closes all files; NULL is
// fine. The recorder is destroyed, whatever the result.
VV_API vvResult vvRecorder_Close(vvRecorder *recorder);

// Puts the saved state of a snapshot file back into `world` and says which frame it belongs to, for `resumeFrame`.
VV_API vvResult vvRestoreSnapshot(vvWorldId world, const char *file, int *frame);

VV_API const char *vvGetRecordFormatName(int index); // NULL past the last

#ifdef __cplusplus
}
#endif

#endif
