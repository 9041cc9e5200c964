// Inside the render command: recorded runs, the panels that show them, and the files that panels end up in.
#ifndef TOOL_RENDER_H
#define TOOL_RENDER_H

#include "scene/scene.h"
#include "studio/show.h"
#include "tool/tool.h"

#define MOST_RUNS 16
#define MOST_COLUMNS 12    // of a strip
#define FRAMES_SAMPLED 120 // of a run, to see where it goes

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

typedef struct Run
{
    Show show; // the frame at hand
    char label[128];
    Scene *scene;
    SceneWorld *built;
    Replay *replay;
    double *pose; // poseCount x rigid bodies x 7, recorded: x y z and w x y z
    int poseCount;
    int fluidFrames;                        // frames of recorded fluids
    char fluidFolder[1024], fluidStem[128]; // of their files
    FluidFrame particles;                   // of the fluid that was loaded last
    int frameCount;
    int saneCount;   // frames before the one in which it diverged
    bool diverged;   //
    double timestep; // s between recorded frames
    LedgerTable ledger;
    char ledgerFile[1024];
    int trailStride; // frames between two places of a trail
} Run;

// render_changed.c: a body with the mesh of a frame, the scene's or its own
vvResult runBodyLoad(Run *run, int index, int frame);
vvResult runBodyLoadBefore(Run *run, int index, int frame); // into `before`, after bodyLoad

vvResult runOpen(Run *run, Memory *memory, const char *folder);
void runClose(Run *run); // a zeroed one is fine
vvResult runLoad(Run *run, int frame, vvColouring colouring);

// ---- render_trail.c -------------------------------------------------------------------------------------------------

vvResult trailsOpen(Run *run, const Words *words); // the paths of the vertices that --trail names

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
vvResult fluidsLoad(Run *run, int frame);

vvResult collidersOpen(Run *run);
void collidersLoad(Run *run, int frame);

// ---- render_panel.c -------------------------------------------------------------------------------------------------

// The run as it was loaded, in a rectangle; `caption` over it, the time in its corner.
vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame);

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
