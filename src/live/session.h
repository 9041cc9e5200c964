// What the files of the live room share about a session.
#ifndef LIVE_SESSION_H
#define LIVE_SESSION_H

#include "base/json.h"
#include "base/vec.h"
#include "ledger/audit.h"
#include "live/live.h"
#include "shape/shape.h"

#define MOST_HANDS 8
#define MOST_STATES 120                     // saved, one for every second
#define MOST_STATE_BYTES ((size_t)64 << 20) // of all saved states
#define MOST_SETS 1024
#define PATH_MOST 4096

// ---- pack.c: binary messages ----------------------------------------------------------------------------------------

typedef enum PackKind // web/src/protocol.ts
{
    PACK_SHAPES = 1,
    PACK_FRAME = 2,
    PACK_FILE = 3,
    PACK_UPLOAD = 4,
} PackKind;

typedef enum SectionKind // likewise
{
    SECTION_POSITIONS = 1,
    SECTION_TRIANGLES = 3,
    SECTION_LINES = 4,
    SECTION_VALUES = 5,
    SECTION_POSES = 6,
    SECTION_LEDGER = 7,
    SECTION_STATISTICS = 8,
    SECTION_CONTACTS = 9,
    SECTION_HANDS = 10,
    SECTION_PINS = 11,
    SECTION_FORCES = 12,
    SECTION_TEXT = 13,
    SECTION_BYTES = 14,
} SectionKind;

// A binary message that is being made. Its memory is kept for the next one.
typedef struct Pack
{
    unsigned char *bytes;
    size_t size, capacity;
    int sectionCount, mostSections;
    bool isStarved; // an allocation failed: it is not sent
} Pack;

void packBegin(Live *live, Pack *pack, PackKind kind, int frame, double time, int mostSections);

// Room for count x width bytes, zeroed; it stays in place until the next section begins. NULL: out of memory.
void *packSection(Live *live, Pack *pack, SectionKind kind, int object, int count, size_t width);
void packSend(Live *live, Pack *pack);

// A section of a message from the page; NULL: it has none, or its bounds are wrong.
const unsigned char *packFind(const unsigned char *bytes, size_t size, SectionKind kind, size_t *count);
bool packIsUpload(const unsigned char *bytes, size_t size);

// ---- objects.c: what is seen ----------------------------------------------------------------------------------------

typedef enum DrawnKind
{
    DRAWN_BODY,
    DRAWN_COLLIDER,
    DRAWN_RIGID,
    DRAWN_FLUID,
} DrawnKind;

// One thing of the scene as it is sent.
typedef struct Drawn
{
    DrawnKind kind;
    int index;                    // among its kind
    int pose;                     // entry in POSES; -1: its positions come with every frame
    bool isPlane;                 //
    vvSoftBodyId body;            //
    vvFluidId fluid;              //
    int *vertex;                  // vertexCount: of the body, those that are sent
    int *slot;                    // vertices of the body: where they are sent; -1: they are not
    int vertexCount, bodyCount;   //
    int *corner;                  // elementCount x (3 triangles, 2 lines), among those that are sent
    int elementCount;             //
    bool lines;                   //
    int changes;                  // of the body's mesh when this was made
    const vvEmbedding *embedding; // its points are sent instead of vertices; NULL: none
    ShapeTriangles shape;         // of colliders and rigid bodies
    bool deforms;                 // a collider whose points move
    double *points;               // shape.pointCount x 3, or embedded points x 3, scratch
} Drawn;

vvResult drawnMake(Live *live); // of the scene that is loaded
void drawnFree(Live *live);
bool drawnRenew(Live *live);                      // after changes of meshes; true: there were some
void drawnDescribe(const Live *live, Json *list); // the objects of message `scene`
void drawnSendShapes(Live *live);
int drawnOf(const Live *live, DrawnKind kind, int index); // its place among the objects; -1: none

// ---- frame.c --------------------------------------------------------------------------------------------------------

typedef enum Field
{
    FIELD_NONE,
    FIELD_STRAIN,
    FIELD_ENERGY,
    FIELD_SPEED,
} Field;

void frameSend(Live *live);
void frameNames(Json *ready); // of the numbers in LEDGER and STATISTICS

// ---- hand.c ---------------------------------------------------------------------------------------------------------

// Holds a point of a body by a spring that is as stiff as the body.
typedef struct Hand
{
    bool holds;
    vvSoftBodyId body; // null: a rigid body
    vvHandleId handle;
    int vertices[3];
    double weights[3];
    vvRigidBodyId rigid;
    vvJointId joint;
    vvJointDef jointDef;
    Vec3 target; // m, where its end is
    Vec3 wanted; // m, where it is to go
} Hand;

void handGrab(Live *live, const Json *message, Json *answer, vvResult *result);
void handDrag(Live *live, const Json *message, vvResult *result);
void handRelease(Live *live, const Json *message, vvResult *result);
void handPin(Live *live, const Json *message, Json *answer, vvResult *result);
void handCut(Live *live, const Json *message, Json *answer, vvResult *result);
void handWind(Live *live, const Json *message, vvResult *result);
void handsMove(Live *live); // before a frame: ends of springs follow the pointers
void handsFree(Live *live); // let go of everything
bool handsHold(const Live *live);
Vec3 handPoint(const Hand *hand); // m, where it holds
Vec3 handForce(const Hand *hand); // N

// ---- adjust.c -------------------------------------------------------------------------------------------------------

void adjustSet(Live *live, const Json *message, Json *answer, vvResult *result);
void adjustSend(Live *live); // message `settings`

// ---- states.c -------------------------------------------------------------------------------------------------------

typedef struct SavedState
{
    void *bytes;
    size_t size;
    int frame;
    double time; // s
    Audit audit;
} SavedState;

void statesKeep(Live *live); // saves the present state where a second has passed
void statesFree(Live *live);
vvResult statesRewind(Live *live, double seconds);

// ---- files.c --------------------------------------------------------------------------------------------------------

void fileUpload(Live *live, const unsigned char *bytes, size_t size);
void fileRecord(Live *live, const Json *message, Json *answer, vvResult *result);
void fileRecordFrame(Live *live); // after a frame
void fileRecordEnd(Live *live);   // closes the record and forgets it
void fileExport(Live *live, vvResult *result);
void fileImport(Live *live, const Json *message, Json *answer, vvResult *result);

// ---- session.c ------------------------------------------------------------------------------------------------------

struct Live
{
    Memory memory;
    LiveOptions options;
    char folder[PATH_MOST]; // "": none
    Scene *scene;           // that the world was built from
    Scene *next;            // with what was set since then; may be `scene`
    SceneWorld *built;      // NULL: nothing is loaded
    char *text;             // of the scene that is loaded; NULL: a file of the engine's
    size_t textSize;        //
    char *sets[MOST_SETS];  // setCount words, "path=value"
    int setCount;           //
    int frame;
    bool playing;
    double speed;   // of the scene's time to wall clock
    double store;   // s of the scene, to be stepped
    bool isNew;     // the present frame has not been sent
    bool isAwaited; // a frame was sent and not yet `got`
    double stepSeconds;
    vvProfile before, after; // around the last frame
    Drawn *drawn;            // drawnCount
    int drawnCount, poseCount;
    Hand hand[MOST_HANDS];
    vvWind wind; // the scene's own
    Field field;
    bool contacts, forces;
    Audit audit;
    SavedState state[MOST_STATES]; // stateCount, oldest first
    int stateCount;
    size_t stateBytes;
    vvRecorder *recorder;
    int recordNumber;
    Pack pack;
};

void liveSend(Live *live, const Json *message);
void liveError(Live *live, const char *of, const Json *message /* or NULL */, const vvResult *result);
void liveStarted(Live *live);                 // a world is there: sends what the page needs to show it
vvResult liveBuild(Live *live, Scene *scene); // the scene at work instead of the present one, which stays on failure
double liveTime(const Live *live);
Scene *liveReadAgain(Live *live, vvResult *result); // the scene that is loaded, with its sets as they are now
void liveLoad(Live *live, const Json *message, vvResult *result);
void liveReset(Live *live, vvResult *result); // the scene from its start
bool liveFrame(Live *live);                   // takes the next one; false: it failed, and the page was told
void liveSendFrame(Live *live);               // where it is new and the page waits for one
void liveReady(Live *live);                   // message `ready`

// The begin of an answer of a type to a message, or of an error about one.
Json *liveAnswer(JsonTree *tree, const char *type, const char *of, const Json *message);

// ---- messages.c -----------------------------------------------------------------------------------------------------

// Reading of messages; false or NULL: `result` says what is wrong.
bool messageVector(const Json *message, const char *key, Vec3 *out, vvResult *result);
bool messagePoint(const Json *list, const char *key, Vec3 *out, vvResult *result);
bool messageNumber(const Json *message, const char *key, double least, double most, double *out, vvResult *result);

#endif
