// Inside the mesh room: a glTF file and its numbers.
#ifndef MESH_GLTF_H
#define MESH_GLTF_H

#include "base/json.h"
#include "mesh/file.h"

// A list of the file by number.
typedef struct GltfList
{
    const Json **entry; // count
    int count;
} GltfList;

typedef struct GltfBuffer
{
    const unsigned char *bytes;
    size_t size;
    void *own; // to be released, or NULL
} GltfBuffer;

// The numbers of an accessor.
typedef struct GltfNumbers
{
    const unsigned char *bytes; // NULL: all that is not listed is 0
    size_t stride;              // bytes
    int count, width;
    NumberType type;
    bool normalized;                    // whole numbers stand for -1 to 1
    int sparse;                         // rows that are listed apart
    NumberType indexType;               // of their numbers
    const unsigned char *index, *value; //
} GltfNumbers;

// ---- where points are: gltf_pose.c ----------------------------------------------------------------------------------

typedef struct GltfPlace
{
    double m[3][4]; // rows of a rotation, scale and shear, and the displacement
} GltfPlace;

typedef struct GltfNode
{
    bool seen;                    // it is in the scene
    int parent, mesh, skin;       // -1: none
    bool fixed;                   // `matrix` says where it is, else the others
    GltfPlace matrix;             //
    double move[3], turn[4];      // turn: x, y, z, w
    double scale[3];              //
    int firstWeight, weightCount; // of its morph targets
} GltfNode;

typedef struct GltfSkin
{
    int *joint; // jointCount nodes; NULL: no node of the scene has this skin
    int jointCount;
    GltfNumbers inverse; // bind matrices; count 0: none
    GltfPlace *bone;     // jointCount: from the points of the mesh to their places
} GltfSkin;

#define GLTF_SETS 2 // of four joints for a point

// Points that have the same attributes.
typedef struct GltfPart
{
    int node;         // -1: the file has no scene
    int skin;         // -1: none
    int first, count; // points, in the order of the file
    GltfNumbers position, joints[GLTF_SETS], weights[GLTF_SETS];
    int firstTarget, targetCount;
} GltfPart;

typedef struct GltfPose
{
    GltfNode *node; // nodes.count
    int *order;     // orderCount nodes of the scene: what a node is in comes before it
    int orderCount;
    GltfPlace *place; // nodes.count
    GltfSkin *skin;   // skins.count
    double *weight;   // of all nodes
    int weightCount, weightRoom;
    GltfPart *part;
    int partCount, partRoom;
    GltfNumbers *target; // of all parts; count 0: it moves no point
    int targetCount, targetRoom;
} GltfPose;

typedef struct Gltf
{
    Reader *reader;
    JsonTree tree;
    const Json *root;
    char *file; // all of it
    size_t fileSize;
    GltfBuffer chunk; // of a binary file
    GltfList buffers, views, accessors, meshes, nodes, materials, skins, animations;
    GltfBuffer *buffer; // buffers.count
    GltfPose pose;
    bool moves; // by an animation: the file stays open, and all morph targets are wanted
} Gltf;

bool gltfFault(Gltf *gltf, const char *remedy, const char *format, ...) PRINTF_LIKE(3, 4); // false
bool gltfWhole(Gltf *gltf, const Json *object, const char *key, long long most, long long fallback, long long *value);

bool gltfOpen(Gltf *gltf, Reader *reader); // false after saying why
void gltfClose(Gltf *gltf);                // also after a failure

// `width`: 1, 2, 3, 4 or 16 numbers a row.
bool gltfNumbers(Gltf *gltf, long long accessor, int width, GltfNumbers *numbers);
double gltfReal(const GltfNumbers *numbers, int row, int column);
long long gltfIndex(const GltfNumbers *numbers, int row, int column);
double gltfLargest(const GltfNumbers *numbers); // of the absolute values; -1: one is not finite

bool gltfPoseOpen(Gltf *gltf);   // the nodes of the scene where they are at rest
void gltfPoseUpdate(Gltf *gltf); // places and bones, after nodes moved
void gltfPoseClose(Gltf *gltf);

// Room for `more` behind `used` elements. False after saying why.
bool gltfGrow(Gltf *gltf, void **block, int used, int more, int *room, size_t size, const char *what);

// ---- gltf_part.c ----------------------------------------------------------------------------------------------------

// The part of a primitive, whose points are `first` and on. False after saying why.
bool gltfAddPart(Gltf *gltf, int node, const Json *primitive, int first);
void gltfPointAt(const Gltf *gltf, const GltfPart *part, int row, double *point);
GltfPlace gltfInverse(const GltfSkin *skin, int joint); // its inverse bind matrix
bool gltfMirrors(const Gltf *gltf, int node);           // it turns faces inside out

// ---- gltf_keys.c: what an animation does with nodes -----------------------------------------------------------------

typedef enum GltfPath
{
    GLTF_MOVE,
    GLTF_TURN,
    GLTF_SCALE,
    GLTF_WEIGHTS,
    GLTF_PATHS, // none that moves points
} GltfPath;

typedef enum GltfWay
{
    GLTF_LINEAR,
    GLTF_STEP,
    GLTF_CUBIC,
} GltfWay;

typedef struct GltfChannel
{
    int node;
    GltfPath path;
    GltfWay way;
    GltfNumbers input, output;
    int width;   // numbers of a key
    double most; // no number is larger in between
} GltfChannel;

typedef struct GltfKeys
{
    GltfChannel *channel;
    int count;
    double begin, end; // s, the first and the last key
} GltfKeys;

bool gltfKeysOpen(Gltf *gltf, const char *clip, GltfKeys *keys); // `clip`: a name; NULL: the first
void gltfKeysClose(Gltf *gltf, GltfKeys *keys);
void gltfKeysAt(Gltf *gltf, const GltfKeys *keys, double time); // moves the nodes

// ---- gltf_reach.c ---------------------------------------------------------------------------------------------------

bool gltfReach(Gltf *gltf, const GltfKeys *keys); // refuses an animation that may take points far away

#endif
