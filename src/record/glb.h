// Inside the record room: what a glTF file holds.
#ifndef RECORD_GLB_H
#define RECORD_GLB_H

#include "record/record.h"

typedef struct GlbBounds
{
    float lower[3], upper[3];
} GlbBounds;

typedef struct GlbBody
{
    const RecordBody *body;
    Skin skin;
    int keyCount;
    int *key;                                          // keyCount: frames, 0 first
    GlbBounds *bounds;                                 // keyCount: of positions, or of their differences
    float *first;                                      // pointCount x 3, frame 0
    long long indexAt, coordinateAt, vectorAt, timeAt; // bytes in the buffer
    int number;                                        // among the bodies of the record, or its rigid bodies
    bool rigid, moves; // a rigid body has one key; the second: and an animation of its node
    int poseCount;     // of a rigid body: frames
    float pose[7];     // its translation and rotation (x y z w) in frame 0
} GlbBody;

// The particles of a fluid at a key frame: points that are seen until the next key, by the scale of their node.
typedef struct GlbCloud
{
    int fluid, frame;
    int count;         // particles, at least 1
    GlbBounds bounds;  // of their places
    long long placeAt; // bytes in the buffer
    long long timeAt;  // from when to when: times of the scales
    int timeCount;     // 1: it is always seen
    float time[3];     // s, timeCount
    int firstScale;    // of the scales 0, 1, 0
} GlbCloud;

typedef struct GlbScratch
{
    float *vector, *normal; // of the largest body
    double *sum;
    float *row; // a number for every key
} GlbScratch;

typedef struct Glb
{
    int count;
    GlbBody *body; // count
    int fluidCount, cloudCount;
    GlbCloud *cloud;   // cloudCount, those of a fluid together, by their frames
    long long cloudAt; // bytes in the buffer: all places
    long long scaleAt; // then the scales 0, 1, 0, then all times
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

static inline bool glbMapped(const GlbBody *own)
{
    return own->body->faces != NULL && own->body->faces->coordinates != NULL;
}

// indices of a body without triangles: the ends of its lines, or its points where there are only particles
static inline int glbLoose(const GlbBody *own)
{
    return own->body->lineCount > 0 ? 2 * own->body->lineCount : own->body->pointCount;
}

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
void cloudsAddSamplers(GlbText *text, const Glb *glb, int accessor);
void cloudsAddChannels(GlbText *text, const Glb *glb, int sampler);
void cloudsAddViews(GlbText *text, const Glb *glb);
void cloudsAddAccessors(GlbText *text, const Glb *glb, int view);

#endif
