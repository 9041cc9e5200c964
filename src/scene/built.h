// A scene at work: its world, and what must be told to it over time. Inside the scene room only.
#ifndef SCENE_BUILT_H
#define SCENE_BUILT_H

#include "base/base.h"
#include "base/vec.h"
#include "scene/scene_data.h"

// Of a pin: how far from where it started. Of a collider: where.
typedef struct Keyframe
{
    double time;   // s
    vvVec3 move;   // m
    vvVec3 rotate; // degrees
} Keyframe;

// Points over time, from a file (animation.c).
typedef struct Animation
{
    int pointCount, frameCount; // 0: there is none
    float *point;               // frameCount x pointCount x 3, m
    double rate;                // frames per second
    bool loop;                  // the first frame follows the last; else it stays
    double figure;              // m, the size of a figure that walks instead; 0: none
    struct MeshMotion *motion;  // a glTF file instead; NULL: none
    double scale;               // of its points
    double back;                // s, from its end to its begin where it loops
    double *standing;           // pointCount x 3, m: points of the figure or the file at time 0
} Animation;

typedef struct SceneCollider
{
    vvColliderId id;
    vvShape *shape;
    Keyframe start;     // at time 0
    Keyframe *keyframe; // keyframeCount
    int keyframeCount;
    Animation animation; // of its points, in its frame
    double *point;       // animation.pointCount x 3: where they are at
    double pointTime;    // s; below 0: not known
} SceneCollider;

typedef struct SceneRigid
{
    vvRigidBodyId id;
    vvShape *shape;
} SceneRigid;

typedef struct Follower Follower; // follow.c

// A pin that moves or lets go.
typedef struct Motion
{
    vvSoftBodyId body;
    int count;                  // vertices
    int *vertex;                // count
    double *start;              // count x 3, m: where they are at time 0
    vvAttachmentId *attachment; // count; NULL: hard
    vvVec3 centre;              // m, that rotations are about
    Keyframe *keyframe;         // keyframeCount
    int keyframeCount;          //
    double release;             // s; infinite: never
    Animation animation;        // where the vertices go
    double *point;              // animation.pointCount or count x 3, scratch
    bool whole;                 // the animation has all vertices of the body; else the `count` pinned ones
    int follow;                 // the collider that the vertices go along with; -1: none
    Follower *follower;         // count
    vvConstraintId skin;        // null: the vertices are held
    double *target;             // vertices of the body x 3, m: of a skin
} Motion;

// A force on some vertices of a body.
typedef struct Push
{
    int count;       // vertices
    int *vertex;     // count
    double *share;   // count: of the vertex's mass in that of all
    vvVec3 force;    // N
    double from, to; // s; `to` may be infinite
} Push;

// All forces on one body.
typedef struct Pushes
{
    Push *push;  // count
    int count;   //
    bool steady; // the same at all times
    double *sum; // vertexCount x 3, N; NULL: no forces
} Pushes;

// The muscles of one body: groups of one constraint.
typedef struct Muscles
{
    vvConstraintId id;
    const Json *list; // of the scene, an entry for each group; NULL: none
} Muscles;

struct SceneWorld
{
    const Scene *scene;
    Memory memory;
    vvWorldId world;
    double step; // s
    int substeps;
    vvSoftBodyId *body;   // bodyCount
    vvMesh **mesh;        // bodyCount; equal meshes are one
    bool *ownMesh;        // bodyCount: this body's entry is the one to destroy
    uint64_t *meshHash;   // bodyCount, of what the scene says about the mesh
    vvSolidReport *solid; // bodyCount, of meshes that were filled for this body; tetCount 0: it was not
    Pushes *pushes;       // bodyCount
    Muscles *muscles;     // bodyCount
    int bodyCount;
    Motion *motion; // motionCount
    int motionCount;
    vvAttachmentDef *attachment; // attachmentCount: springs between bodies
    int attachmentCount;
    SceneCollider *collider; // colliderCount
    int colliderCount;
    SceneRigid *rigid; // rigidCount
    int rigidCount;
};

// ---- build.c --------------------------------------------------------------------------------------------------------

vvResult pathResult(const char *path, const vvResult *result); // the same error, with the key that it is about

// ---- body.c: soft bodies and their meshes ---------------------------------------------------------------------------

vvResult buildBodies(SceneWorld *built);

// A number or a list onto `count` components of three: one for all, one for each axis, or x, y and z.
void spreadNumbers(const Json *item, int count, const int *axis, double *component);

// ---- attachment.c ---------------------------------------------------------------------------------------------------

vvResult buildAttachments(SceneWorld *built);           // when there are bodies, soft and rigid
bool isTiedToRigid(const SceneWorld *built, int index); // a spring or bond joins the soft body to a rigid one

// ---- collider.c -----------------------------------------------------------------------------------------------------

vvResult buildColliders(SceneWorld *built);
void releaseColliders(SceneWorld *built);

// What `shape` and its keys describe; NULL on failure. out: of a collider, which may be a figure.
vvShape *sceneShape(SceneWorld *built, SceneCollider *out, const Json *tree, vvResult *result);

// ---- fluid.c --------------------------------------------------------------------------------------------------------

vvResult buildFluids(SceneWorld *built);

// ---- rigid.c: rigid bodies and joints -------------------------------------------------------------------------------

vvResult buildRigids(SceneWorld *built);
void releaseRigids(SceneWorld *built);

// ---- select.c -------------------------------------------------------------------------------------------------------

// Marks the vertices of a mesh that `where` chooses: chosen[v] = 1. `path` names the owner of `where` in messages.
vvResult selectVertices(const vvMesh *mesh, const Json *where, const char *path, unsigned char *chosen, int *count);

// The vertex whose rest position is nearest to a point; the first of equals.
int selectNearest(const vvMesh *mesh, vvVec3 point);

// ---- rod.c ----------------------------------------------------------------------------------------------------------

// A shape as a rod: stretched about its middle, then turned along its length.
typedef struct Rod
{
    Vec3 middle, stretch;
    int axis;                    // of its length
    Vec3 tangent;                // unit vector of that axis
    Vec3 pole;                   // unit vector that cross-sections turn about
    Vec3 straight, round, aside; // the tangent along the pole, across it, and the third direction
    double rate;                 // 1/m: radians per length
} Rod;

// `keys` has stretch, turn, along and centre; `chosen`: which points count, NULL: all.
Rod rodOf(const Json *keys, const double *points, const unsigned char *chosen, int count);
Vec3 rodBent(const Rod *rod, Vec3 p);

// ---- deform.c -------------------------------------------------------------------------------------------------------

// Where a body's vertices start, in its mesh's order; NULL: at the mesh's points. Release with the memory.
vvResult readStart(SceneWorld *built, int index, const Json *body, double **out);

// ---- example.c ------------------------------------------------------------------------------------------------------

// The points of a body's examples, one after the other, in its mesh's order; NULL: it has none. Release with the
// memory.
vvResult readShape(const SceneWorld *built, const Json *keys, const Json *mesh, int count, double *out); // from `file`
vvResult readExamples(SceneWorld *built, int index, const Json *body, double **out);

// ---- region.c -------------------------------------------------------------------------------------------------------

// What a body's regions say, in the caller's order; NULL: nothing.
typedef struct Regions
{
    double *elementStiffness, *elementToughness, *elementWarp, *vertexMass, *vertexFriction;
} Regions;

// `def`: mesh, model and material. Release them after an error too.
vvResult readRegions(SceneWorld *built, int index, const Json *body, const vvSoftBodyDef *def, Regions *regions);
void releaseRegions(SceneWorld *built, Regions *regions);
// Those that stiffen over time get what they have at `now`, where it differs from what they had `before`.
vvResult moveRegions(SceneWorld *built, int index, const Json *body, double before, double now);

// ---- hold.c: pins and forces of a body ------------------------------------------------------------------------------

vvResult holdBody(SceneWorld *built, int index, const Json *body);

// ---- muscle.c -------------------------------------------------------------------------------------------------------

double courseAt(const Json *rows, double time); // [time, value] each: linear in between, constant before and after
vvResult holdMuscles(SceneWorld *built, int index, const Json *body);
vvResult moveMuscles(const Muscles *muscles, double time); // sets what they pull at a time

// ---- blade.c --------------------------------------------------------------------------------------------------------

vvResult sweepBlades(vvSoftBodyId id, const Json *body, int index, double begin, double end); // over a step, in s

// ---- animation.c ----------------------------------------------------------------------------------------------------

// What `tree` names, times `scale`. Release after an error too.
vvResult animationRead(SceneWorld *built, const Json *tree, double scale, Animation *animation);
// The points of a file alone; `clip`: one of several animations in it, NULL: the first.
vvResult animationLoad(SceneWorld *built, const char *file, const char *clip, Animation *animation);
void animationRelease(SceneWorld *built, Animation *animation);
static inline bool animationIs(const Animation *animation) // there is one
{
    return animation->frameCount > 0 || animation->figure > 0 || animation->motion != NULL;
}

bool animationMoves(const Animation *animation, double begin, double end); // do the points differ at these times?
void animationAt(const Animation *animation, double time, double *out);    // pointCount x 3: linear between frames

const double *colliderPointsAt(SceneCollider *collider, double time); // collider.c: of an animation, in its frame

// ---- follow.c -------------------------------------------------------------------------------------------------------

vvResult bindFollowers(SceneWorld *built);                                    // when there are colliders
void followersAt(const SceneWorld *built, const Motion *motion, double time); // into `point`, count x 3

// ---- motion.c -------------------------------------------------------------------------------------------------------

// What keyframes say at a time: linear from `start` at time 0, still after the last.
Keyframe keyframeAt(const Keyframe *keyframe, int count, const Keyframe *start, double time);

vvVec3 rotateDegrees(vvVec3 degrees, vvVec3 p); // about x, then y, then z

// Where a vertex that stands at `start` at time 0 is to be at `time`.
vvVec3 motionAt(const Motion *motion, vvVec3 start, double time);

// Sets the forces of a body for a step from `begin` to `end`.
vvResult pushBody(vvSoftBodyId body, const Pushes *pushes, double begin, double end);

#endif
