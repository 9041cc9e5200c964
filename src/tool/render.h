// Inside the render command: recorded runs, the panels that show them, and the files that panels end up in.
#ifndef TOOL_RENDER_H
#define TOOL_RENDER_H

#include "draw/draw.h"
#include "record/replay.h"
#include "scene/scene.h"
#include "shape/shape.h"
#include "tool/tool.h"

#define MOST_RUNS 16
#define MOST_COLUMNS 12 // of a strip

typedef struct Look Look;

typedef enum Colouring
{
    COLOUR_PLAIN,
    COLOUR_STRAIN,
    COLOUR_SPEED,
} Colouring;

// ---- render_ledger.c -------------------------------------------------------------------------------------------------

enum
{
    ACCOUNT_TIME,
    ACCOUNT_KINETIC,
    ACCOUNT_ELASTIC,
    ACCOUNT_GRAVITY,
    ACCOUNT_CONTACT,
    ACCOUNT_TOTAL,
    ACCOUNT_TARGET,
    ACCOUNTS,
};

typedef struct LedgerTable
{
    int count;                 // rows
    double *account[ACCOUNTS]; // count each
} LedgerTable;

vvResult ledgerRead(Memory *memory, const char *file, LedgerTable *table); // rows that are not whole end it
void ledgerRelease(Memory *memory, LedgerTable *table);

// ---- render_run.c: a folder that 'verve run' wrote --------------------------------------------------------------------

typedef struct RunBody
{
    vvSoftBodyId id;
    const vvMesh *mesh;
    int vertexCount;
    double *points, *before; // vertexCount x 3: the frame at hand, and the one before it
    double *field;           // vertexCount, not scaled
    double *weight;          // vertexCount, for means
} RunBody;

typedef struct RunCollider
{
    ShapeTriangles shape; // in its own frame; none: a plane
    double *points;       // shape.pointCount x 3: where they are in the frame at hand
    bool plane;           //
    Vec3 normal;          // of a plane, in the frame at hand
    double offset;        //
} RunCollider;

typedef struct Run
{
    Memory *memory;
    char label[128];
    Scene *scene;
    SceneWorld *built;
    Replay *replay;
    int bodyCount;
    RunBody *body; // bodyCount
    int colliderCount;
    RunCollider *collider; // colliderCount
    int frameCount;
    double timestep; // s between recorded frames
    LedgerTable ledger;
    char ledgerFile[1024];
} Run;

vvResult runOpen(Run *run, Memory *memory, const char *folder);
void runClose(Run *run); // a zeroed one is fine
vvResult runLoad(Run *run, int frame, Colouring colouring);
void runBounds(const Run *run, vvBox *box); // grows the box by the frame at hand

// ---- render_collider.c -------------------------------------------------------------------------------------------------

vvResult collidersOpen(Run *run);
void collidersClose(Run *run);
void collidersLoad(Run *run, int frame);
void collidersBounds(const Run *run, double largest,
                     vvBox *box); // grows the box; larger ones than `largest` m do not count

// The height of the highest level floor in the frame at hand, or `without`.
double collidersGround(const Run *run, double without);
bool collidersAdd(const Run *run, const Look *look, Stage *stage); // false: out of memory

// ---- render_field.c --------------------------------------------------------------------------------------------------

// Largest |principal stretch - 1| of the surface, or of the edges of a rope, averaged around each vertex.
void fieldStrain(RunBody *body);
void fieldSpeed(RunBody *body, double seconds); // m/s; seconds: since `before`

// ---- render_panel.c --------------------------------------------------------------------------------------------------

struct Look
{
    Colouring colouring;
    double fieldMost; // what the top of the colour map means
    Camera camera;
    double ground; // m
    double size;   // m, of what is seen: markers and ropes scale with it
    Vec3 centre;   // m, of what is seen
    bool curves;
};

// The run as it was loaded, in a rectangle; `caption` over it, the time in its corner.
vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame);
void panelCaption(Picture *picture, Rect rect, const char *left, const char *right);
void panelScale(const Look *look, Picture *picture, Rect rect); // the colour map with its ends named

// The energies of all runs: one curve each; of a single run its accounts. `cursor`: s, NaN for none.
void panelCurves(const Run *runs, int runCount, Picture *picture, Rect rect, double cursor);

// ---- render_look.c ---------------------------------------------------------------------------------------------------

typedef struct Job
{
    Memory memory;
    Run run[MOST_RUNS];
    int runCount;
    Look look;
    bool hasEye, hasTarget; // of the camera: given by the caller; it knows what is not
    const char *out;
    int width, height;   // 0: as fits
    int from, to, every; // frames, `to` inclusive; every 0: as fits
    int columns;         // 0: as fits
    double fps;          // 0: as fast as it was
    // what became of it
    int written; // pictures
    long long bytes;
} Job;

// Looks through the frames for the camera, the ground and the ends of the colour map; `shape`: width / height of a panel.
vvResult lookPrepare(Job *job, double shape);

// ---- render_movie.c --------------------------------------------------------------------------------------------------

typedef enum Ending
{
    ENDING_NONE,
    ENDING_PNG,      // a strip
    ENDING_PNG_EACH, // %04d in the name: a picture each
    ENDING_GIF,
    ENDING_MP4,
} Ending;

Ending movieEnding(const char *out);
vvResult movieWrite(Job *job); // by the ending of `out`

// ---- render_pipe.c ---------------------------------------------------------------------------------------------------

// A program that takes the frames of a movie and makes a file of them.
typedef struct Pipe Pipe;
Pipe *pipeOpen(Memory *memory, const char *out, int width, int height, double fps, vvResult *result);
bool pipeWrite(Pipe *pipe, const Picture *picture);
bool pipeClose(Pipe *pipe); // true: it ended well

#endif
