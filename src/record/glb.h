// Inside the record room: what a glTF file holds.
#ifndef RECORD_GLB_H
#define RECORD_GLB_H

#include "record/record.h"

typedef struct GlbBounds
{
    float lower[3], upper[3];
} GlbBounds;

// When a node is seen, by its scale, 1 or 0, which glTF names as the way to animate visibility.
typedef struct GlbShown
{
    int timeCount;    // of the scales; 1: it is always seen
    float time[3];    // s, timeCount
    int firstScale;   // of the scales 0, 1, 0
    long long timeAt; // bytes in the buffer
} GlbShown;

// A rigid body, or a soft one while it has one mesh.
typedef struct GlbBody
{
    char name[LONGEST_STEM + 16];
    int number;                                        // among the bodies of the record, or its rigid bodies
    int mesh;                                          // of a soft body
    bool mapped;                                       // it has texture coordinates
    bool doubleSided;                                  //
    int loose;                                         // indices where there are no triangles: ends of lines, or points
    bool lines;                                        //
    char *materials;                                   // names of skin.material, one behind the other
    int material;                                      // number of the first of them in the file
    bool borrows;                                      // the materials of the mesh before it
    RecordBody *body;                                  // while it is loaded
    Skin skin;                                         // likewise all of it; else its counts, parts and materials
    float *first;                                      // while it is loaded: pointCount x 3, at the first key
    int begin, end;                                    // frames
    int keyCount;                                      //
    int *key;                                          // keyCount: frames, `begin` first
    GlbBounds *bounds;                                 // keyCount: of positions, or of their differences
    long long indexAt, coordinateAt, vectorAt, timeAt; // bytes in the buffer
    bool rigid, moves; // a rigid body has one key; the second: and an animation of its node
    int poseCount;     // of a rigid body: frames
    float pose[7];     // its translation and rotation (x y z w) in frame 0
    GlbShown shown;
} GlbBody;

// The particles of a fluid at a key frame: points that are seen until the next key.
typedef struct GlbCloud
{
    int fluid, frame;
    int count;         // particles, at least 1
    GlbBounds bounds;  // of their places
    long long placeAt; // bytes in the buffer
    GlbShown shown;
} GlbCloud;

typedef struct GlbScratch
{
    int room;               // vertices
    float *vector, *normal; // room x 3
    double *sum;            // room x 3
    float *row;             // a number for every key
} GlbScratch;

typedef struct Glb
{
    int count;
    GlbBody *body; // count: the meshes of a soft body one after the other, then the rigid bodies
    int fluidCount, cloudCount;
    GlbCloud *cloud;   // cloudCount, those of a fluid together, by their frames
    long long cloudAt; // bytes in the buffer: all places
    long long scaleAt; // then the scales 0, 1, 0, then the times of what is not always seen
    double frameTime;
    long long size; // bytes of the buffer
    char *text;     // JSON, padded with blanks to a multiple of 4
    size_t textSize;
    GlbScratch scratch;
} Glb;

// samplers of the animation: weights, or translation and rotation
static inline int glbChannels(const GlbBody *own)
{
    return own->rigid ? (own->moves ? 2 : 0) : own->keyCount > 1 ? 1 : 0;
}

// ---- glb_shown.c ----------------------------------------------------------------------------------------------------

// From a frame to another one, -1: the end.
void glbShow(GlbShown *shown, int since, int until, double frameTime);
bool glbAnyHidden(const Glb *glb); // whether there is something that is not always seen
void shownLayOut(Glb *glb);        // behind all else
vvResult shownWrite(const Glb *glb, File *file);

// ---- glb_points.c ---------------------------------------------------------------------------------------------------

vvResult cloudsPrepare(Clip *clip, Glb *glb, int frames); // finds and measures them
void cloudsLayOut(Glb *glb);                              // behind the bodies
vvResult cloudsWrite(Clip *clip, const Glb *glb, File *file);

// ---- glb_text.c -----------------------------------------------------------------------------------------------------

typedef struct GlbText
{
    Memory *memory;
    char *bytes;
    size_t size, room;
    bool starved;
} GlbText;

vvResult glbText(Memory *memory, Glb *glb);
void glbAdd(GlbText *text, const char *format, ...) PRINTF_LIKE(2, 3);            // LONGEST_PIECE bytes at most
void glbComma(GlbText *text);                                                     // unless a list has just been opened
void glbAddFloats(GlbText *text, const char *key, const float *value, int count); // ,"key":[...]

// ---- glb_points_text.c: every function adds behind what the bodies have ---------------------------------------------

void cloudsAddRoots(GlbText *text, const Glb *glb); // nodes of the scene
void cloudsAddNodes(GlbText *text, const Glb *glb); // a node per fluid, whose children are its key frames
void cloudsAddMeshes(GlbText *text, const Glb *glb, int accessor, int material);
void cloudsAddMaterials(GlbText *text, const Glb *glb);
void cloudsAddView(GlbText *text, const Glb *glb);
void cloudsAddAccessors(GlbText *text, const Glb *glb, int view);
int cloudsFirstNode(const Glb *glb); // of their key frames

// ---- glb_shown.c: every function adds behind what bodies and fluids have --------------------------------------------

void shownAddSamplers(GlbText *text, const Glb *glb, int accessor);
void shownAddChannels(GlbText *text, const Glb *glb, int sampler);
void shownAddView(GlbText *text, const Glb *glb);
void shownAddAccessors(GlbText *text, const Glb *glb, int view);

#endif
