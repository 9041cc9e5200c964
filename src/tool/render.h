// Inside the render command: recorded runs, the panels that show them, and the files that panels end up in.
#ifndef TOOL_RENDER_H
#define TOOL_RENDER_H

#include "draw/draw.h"
#include "record/replay.h"
#include "scene/scene.h"
#include "shape/shape.h"
#include "tool/tool.h"

#define MOST_RUNS 16
#define MOST_COLUMNS 12    // of a strip
#define MOST_MARKERS 24    // pins of a body that are marked; more of them are a clamp, not pins
#define FRAMES_SAMPLED 120 // of a run, to see where it goes

typedef struct Look Look;

typedef enum Colouring
{
    COLOUR_PLAIN,
    COLOUR_STRAIN,
    COLOUR_SPEED,
} Colouring;

// ---- render_ledger.c ------------------------------------------------------------------------------------------------

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

// ---- render_bare.c --------------------------------------------------------------------------------------------------

// The scene of a folder without scene.json, as the library's recorder leaves it: a body for each point cache with its
// OBJ file, or for each series of OBJ files, no colliders, no pins. NULL: nothing there that can be drawn. `stem`: of
// the caches.
Scene *bareScene(const char *folder, char *stem, size_t stemSize, vvResult *result);

// ---- render_run.c: a folder that 'verve run' or a recorder wrote ----------------------------------------------------

typedef struct RunBody
{
    vvSoftBodyId id;
    const vvMesh *mesh;
    bool embedded;           // what is seen is the surface that a cage carries; else the mesh
    int vertexCount;         // of what is seen
    const double *rest;      // vertexCount x 3
    const int *triangle;     // triangleCount x 3
    int triangleCount;       //
    const int *line;         // lineCount x 2, of a rope
    int lineCount;           //
    bool changed;            // the frame at hand has another mesh than the scene's: `shown`
    bool numbered;           // in which the scene's vertices have their numbers
    ReplayMesh shown;        //
    double *restNow;         // vertexCount x 3, of its vertices; NaN where it is not known
    int room;                // vertices that the arrays below have places for
    double *points, *before; // vertexCount x 3: the frame at hand, and the one before it
    double *field;           // vertexCount, not scaled
    double *weight;          // vertexCount, for means
    double size;             // m, of its box at rest or in the first frame, the larger
    bool solid;              // tets, or a closed surface
    int finiteCount;         // vertices with a finite position in the first frame
} RunBody;

typedef struct RunCollider
{
    ShapeTriangles shape; // in its own frame; none: a plane
    double *points;       // shape.pointCount x 3: where they are in the frame at hand
    bool plane;           //
    Vec3 normal;          // of a plane, in the frame at hand
    double offset;        //
    bool glass;           // it hides bodies from the eye
    int rigid;            // the rigid body that it is; -1: scenery
} RunCollider;

#define RUN_FLUIDS 64

typedef struct RunFluid
{
    double *points; // room x 3: the frame at hand
    int count, room;
    double spacing; // m
} RunFluid;

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
    double *pose;          // poseCount x rigid bodies x 7, recorded: x y z and w x y z
    int poseCount;
    RunFluid fluid[RUN_FLUIDS];
    int fluidCount, fluidFrames; // fluids that were recorded, and their frames
    char fluidStem[1024];        // of their files
    int frameCount;
    int saneCount;   // frames before the one in which it diverged
    bool diverged;   //
    double timestep; // s between recorded frames
    LedgerTable ledger;
    char ledgerFile[1024];
} Run;

// render_changed.c: a body with the mesh of a frame, the scene's or its own
void runBodyShow(RunBody *body);                               // the scene's
bool runBodyReserve(Memory *memory, RunBody *body, int count); // false: out of memory
void runBodyFree(Memory *memory, RunBody *body);
vvResult runBodyLoad(Run *run, int index, int frame);
vvResult runBodyLoadBefore(Run *run, int index, int frame); // into `before`, after bodyLoad

vvResult runOpen(Run *run, Memory *memory, const char *folder);
void runClose(Run *run); // a zeroed one is fine
vvResult runLoad(Run *run, int frame, Colouring colouring);
bool runPoints(const Run *run, int index, const double **points, int *count); // of what moves; false past the last
void runBounds(const Run *run, vvBox *box);                                   // grows the box by the frame at hand
Vec3 runMiddle(const Run *run);                  // m, mean of what is finite in the frame at hand
int bodyBounds(const RunBody *body, vvBox *box); // likewise for one body; returns how many vertices are finite

// ---- render_find.c --------------------------------------------------------------------------------------------------

vvResult recordFind(const char *word); // whether a folder of a run has this name; the nearest one in the remedy

// ---- render_survey.c ------------------------------------------------------------------------------------------------

void surveyStart(Run *run);                    // with the first frame at hand
vvResult surveyDivergence(Run *run, int last); // the frames up to `last`: sets saneCount and diverged
vvResult surveyGlass(Run *run, const Look *look, int from, int to); // sets which colliders are glass

// ---- render_collider.c ----------------------------------------------------------------------------------------------

vvResult rigidRead(Run *run, const char *folder, const char *stem); // recorded poses; render_rigid.c
vvPose rigidPose(const Run *run, int index, int frame);

// render_fluid.c: files that are not there leave a fluid as it was
vvResult fluidsOpen(Run *run, const char *folder, const char *stem);
void fluidsClose(Run *run);
vvResult fluidsLoad(Run *run, int frame);
Colour fluidColour(int index);
bool fluidsAdd(const Run *run, const Look *look, Stage *stage); // false: out of memory

vvResult collidersOpen(Run *run);
void collidersClose(Run *run);
void collidersLoad(Run *run, int frame);
void collidersFit(const Run *run, double largest, CameraFit *fit); // those of at most `largest` m; no planes

// The height of the highest level plane in the frame at hand; NaN: there is none, and no floor is drawn.
double collidersGround(const Run *run);
bool colliderIsLevel(const RunCollider *collider); // a plane that is ground
void colliderSlab(const RunCollider *collider, const Look *look,
                  double points[12]);                              // corners of a tilted plane's piece
bool collidersAdd(const Run *run, const Look *look, Stage *stage); // false: out of memory

// ---- render_field.c -------------------------------------------------------------------------------------------------

// Largest |principal stretch - 1| of the surface, or of the edges of a rope, averaged around each vertex.
void fieldStrain(RunBody *body);
void fieldSpeed(RunBody *body, double seconds); // m/s; seconds: since `before`

// ---- render_panel.c -------------------------------------------------------------------------------------------------

struct Look
{
    Colouring colouring;
    double fieldMost; // what the top of the colour map means
    Camera camera;
    bool follow;    // the camera is about the middle of the bodies
    double size;    // m, of what is seen: ropes scale with it
    vvBox box;      // m, of the bodies over all frames
    double largest; // m, of the bodies in one frame
    Vec3 centre;    // m, of what is seen
    bool curves;
    bool particles; // of fluids, instead of their surface
};

// The run as it was loaded, in a rectangle; `caption` over it, the time in its corner.
vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame);
void panelCaption(Picture *picture, Rect rect, const char *left, const char *right);
void panelScale(const Look *look, Picture *picture, Rect rect); // the colour map with its ends named

// The energies of all runs: one curve each; of a single run its accounts. `cursor`: s, NaN for none.
void panelCurves(const Run *runs, int runCount, Picture *picture, Rect rect, double cursor);

// The range of the axis for such curves: all of them, as long as the energies are sound.
void curvesRange(const Run *runs, int runCount, const PlotSeries *curves, int count, double *low, double *high);

// ---- render_look.c --------------------------------------------------------------------------------------------------

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
    int strides;         // frames are looked at from 0 to this, and drawn in a strip
    double stride;       // frames between them
    double fps;          // 0: as fast as it was
    // what became of it
    int written; // pictures
    long long bytes;
} Job;

// Looks through the frames: where runs diverge, what the bodies span, the ends of the colour map, and the shape of a
// panel (width / height) that they would fill.
vvResult lookSurvey(Job *job, double *shape);

// After the survey: the camera for panels of this shape, and the colliders that become glass.
vvResult lookPrepare(Job *job, double shape);
Camera lookCamera(const Look *look, const Run *run); // for the frame at hand

// ---- render_movie.c -------------------------------------------------------------------------------------------------

typedef enum Ending
{
    ENDING_NONE,
    ENDING_PNG,      // a strip
    ENDING_PNG_EACH, // %04d in the name: a picture each
    ENDING_GIF,
    ENDING_MP4,
    ENDING_HTML, // a page that plays the frames
} Ending;

int jobFrame(const Job *job, int index); // the frame of a stride
Ending movieEnding(const char *out);
vvResult movieReady(const char *out); // VV_BAD_INPUT: this build cannot write such a file
vvResult movieWrite(Job *job);        // by the ending of `out`

// ---- render_pipe.c --------------------------------------------------------------------------------------------------

// A program that takes the frames of a movie and makes a file of them.
typedef struct Pipe Pipe;
Pipe *pipeOpen(Memory *memory, const char *out, int width, int height, double fps, vvResult *result);
bool pipeWrite(Pipe *pipe, const Picture *picture);
bool pipeClose(Pipe *pipe); // true: it ended well

#endif
