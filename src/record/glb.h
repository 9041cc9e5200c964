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

vvResult glbText(Memory *memory, Glb *glb); // glb_text.c

#endif
