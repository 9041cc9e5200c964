// The record room: a world's frames as files that other programs open. recorder.c leads, every format is one file
// behind the table `formats`, and all system calls are in file.c. What holds everywhere: a file is valid for its
// readers after every single call, so a killed process leaves complete frames behind.
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/base.h"
#include "mesh/faces.h"
#include "mesh/mesh.h"
#include "record/replay.h"

#include <verve/verve.h>

#define RECORDER_COOKIE 0x52564431
#define RECORD_SCENE "scene.json"        // beside the recorder's own files: what the tool keeps of a scene
#define RECORD_RIGID_STEM "_rigid"       // after the stem of the frames: of the files of rigid bodies
#define RECORD_RIGID "_rigid.csv"        // likewise: the poses of rigid bodies
#define RECORD_RIGID_LAYER "_rigid.usda" // likewise: their USD layer
#define RECORD_FLUID_LAYER "_fluid.usda" // likewise: the USD layer of fluids
#define MOST_RECORD_FLUIDS 64
#define LONGEST_PATH 1024
#define LONGEST_STEM 208 // of a file name without its ending
#define PAGE 4096        // a write within one page happens wholly or not at all, also when the process is killed

typedef struct Path
{
    char text[LONGEST_PATH];
} Path;

// ---- file.c: safe writing -------------------------------------------------------------------------------------------

typedef struct File
{
    int handle;     // -1: closed
    long long size; // bytes that count; what a failed append left behind it is cut off
    Path path;
} File;

vvResult diskReplace(const Path *path, const void *bytes, size_t size);    // written beside the target, then renamed
vvResult diskBegin(File *file, const Path *path);                          // the same in pieces: diskAppend, then
vvResult diskFinish(File *file, const Path *path, const vvResult *result); // renamed, or removed after a failure
vvResult diskOpen(File *file, const Path *path);                           // one that exists, for reading and writing
vvResult diskOpenToRead(File *file, const Path *path);
vvResult diskAppend(File *file, const void *bytes, size_t size);                      // all or nothing
vvResult diskOverwrite(File *file, long long offset, const void *bytes, size_t size); // at once, if within a page
vvResult diskCut(File *file, long long size);
vvResult diskRead(const File *file, long long offset, void *bytes, size_t size); // all of them
void diskClose(File *file);                                                      // closed already is fine

bool diskExists(const Path *path);
vvResult diskRemove(const Path *path);       // one that is not there is fine
vvResult diskFolderMake(const char *folder); // with its parents; one that exists is fine

// Removes the files of a folder that `stale` names.
vvResult diskFolderSweep(const char *folder, bool (*stale)(const char *name, void *userData), void *userData);

#define PART_ENDING ".part" // of a file that is being written

// ---- text.c: numbers as text, whatever the locale -------------------------------------------------------------------

#define LONGEST_FLOAT 16                     // "-1.23456789e-38" and no terminator
char *textFloat(char *out, float value);     // the shortest text that reads back as the same float; returns the end
char *textInt(char *out, int value);         // likewise
char *textReal(char *out, double value);     // the first of 15 to 17 digits that reads back as it, DECIMAL_SIZE at most
char *textWord(char *out, const char *word); //
float toFloat(double value);                 // nearest; beyond the floats the largest of them
char *storeWhole(char *out, uint64_t value, int bytes); // little endian, as everything stored
char *storeArray(char *out, const void *values, size_t count, size_t width);
uint64_t loadWhole(const char *bytes, int count);

// ---- body.c: what is recorded ---------------------------------------------------------------------------------------

typedef struct RecordBody
{
    vvSoftBodyId id;
    vvMesh *mesh;   // kept alive
    bool gone;      // destroyed: stays where it was
    int meshNumber; // of that mesh, from 0; what was made for an earlier one is made again
    int vertexCount, tetCount;
    int cellCount;           // tets, else triangles, else edges
    char name[LONGEST_STEM]; // letters, digits and _, no digit first; unique in the record
    char stem[LONGEST_STEM]; // of its files

    // what is seen: the surface, or the structural edges of a rope. Readers drop points that nothing uses, so there are
    // none
    int pointCount, triangleCount, lineCount;
    int seenCount;  // vertices, or the points of the surface that a cage carries
    double *seen;   // seenCount x 3, of a cage; else NULL
    int *vertex;    // pointCount: the caller's number of a point among them, ascending
    int *triangle;  // triangleCount x 3, points
    vvFaces *faces; // of the points, as they were drawn; NULL: the triangles say all
    int *line;      // lineCount x 2, points
    float *point;   // pointCount x 3, the present frame

    // all of it; only where a format wants fields
    double *position; // vertexCount x 3
    double *velocity; // vertexCount x 3
    double *force;    // vertexCount x 3
    double *density;  // vertexCount
    double *stretch;  // cellCount
} RecordBody;

#define LONGEST_PLAIN (VV_MAX_NAME + 8)
void namePlain(char *out /* LONGEST_PLAIN */, const char *name); // letters, digits and _, no digit first
bool sameName(const char *a, const char *b);                     // to every file system
bool endsLikeFrame(const char *name);                            // as in NAME_000042, or NAME_mesh1
vvResult bodiesFind(vvRecorder *recorder);
void bodyRest(const RecordBody *body, float *point /* pointCount x 3 */); // the mesh at rest
vvResult bodiesGather(vvRecorder *recorder);                              // the present state
void bodiesRelease(vvRecorder *recorder);

// ---- stretch.c: frames with one mesh --------------------------------------------------------------------------------

// A body whose mesh changes has further files from that frame on, in formats with one mesh per file: STEM, STEM_mesh1,
// STEM_mesh2 ...
#define RECORD_MESH "_mesh"

void meshStem(const RecordBody *body, int meshNumber, char *stem /* LONGEST_STEM */);

// The number of the mesh whose file holds a frame, by the frames at which files begin; -1 of `first`: it says none.
int meshFind(const vvRecorder *recorder, const RecordBody *body, const char *ending, int frame,
             int (*first)(const File *file));
vvResult meshSweep(const vvRecorder *recorder, const RecordBody *body, const char *ending); // files of later meshes

int pc2First(const File *file); // the frame at which a point cache begins

// ---- rigid_shapes.c -------------------------------------------------------------------------------------------------

vvResult rigidsFind(vvRecorder *recorder); // names, points and triangles in each body's frame; the rest is 0
void rigidsRelease(vvRecorder *recorder);

// ---- parts.c: the files of a frame ----------------------------------------------------------------------------------

// The soft bodies have a part each; behind them come all rigid bodies together, then the fluids.
void fluidsFind(vvRecorder *recorder);
int partCount(const vvRecorder *recorder);
void partStem(const vvRecorder *recorder, int part, char *stem /* LONGEST_STEM */);
void rigidStem(const vvRecorder *recorder, char *stem /* LONGEST_STEM */);
void fluidStem(const char *frames, int fluid, char *stem /* LONGEST_STEM */);

// ---- recorder.c -----------------------------------------------------------------------------------------------------

#define MOST_FORMATS 13

struct vvRecorder
{
    Memory memory;
    vvWorldId world;
    char folder[LONGEST_PATH];
    char frames[LONGEST_STEM];
    char ledger[LONGEST_STEM], snapshot[LONGEST_STEM];
    int snapshotEvery;
    double frameTime;
    int resumeFrame;
    bool wantsFields;
    bool wanted[MOST_FORMATS];
    bool points[2];           // fluids as PLY, as VTU
    bool surfaces[3];         // rigid bodies as OBJ, PLY, VTU
    void *self[MOST_FORMATS]; // what each format keeps
    int bodyCount;
    RecordBody *body;  // bodyCount
    int rigidCount;    // 0 where no format shows them
    RecordBody *rigid; // rigidCount
    int fluidCount;
    vvFluidId fluid[MOST_RECORD_FLUIDS]; // fluidCount
    int frameCount;                      // complete; the number of the frame that is being added
    bool failed;
    const vvLedger *now; // of the frame that is being added, if the caller knows it; else NULL
};

// vvRecorder_Add for a caller that has evaluated the ledger of the present state.
vvResult recorderAdd(vvRecorder *recorder, const vvLedger *now);

// A format: `open` allocates, and checks what is to be resumed without changing it; `start` makes its files or cuts
// them back to the resumed frame; `add` writes the frame that was gathered; `close` releases all, also after a failure.
// They are started in the order opposite to that of a frame, so that a list never names a file that is not there.
typedef struct Format
{
    const char *name;
    bool hasFields; // wants velocities, forces, ...
    vvResult (*open)(vvRecorder *recorder, void **self);
    vvResult (*start)(vvRecorder *recorder, void *self);
    vvResult (*add)(vvRecorder *recorder, void *self);
    vvResult (*close)(vvRecorder *recorder, void *self); // self may be NULL
} Format;

extern const Format objFormat, pc2Format, vtuFormat, usdaFormat, plyFormat, glbFormat, mddFormat, ledgerFormat,
    rigidFormat, rigidSurfaceFormat, snapshotFormat, particlesFormat, pvdFormat;

double snapshotTime(const char *file); // s, of the saved state; NAN: the file has none

void pathMake(const vvRecorder *recorder, Path *path, const char *stem, const char *ending); // in the folder
void framePath(const vvRecorder *recorder, Path *path, const char *stem, int frame, const char *ending);

// A CSV file with a row for every frame, which begins with its number (ledger.c).
typedef struct Table
{
    File file;
    Path path;
    long long keep; // bytes of the file to be resumed
} Table;

vvResult tableOpen(vvRecorder *recorder, Table *table, const char *stem, const char *ending, const char *heading);
vvResult tableStart(const vvRecorder *recorder, Table *table, const char *heading);

// VV_BAD_INPUT: a file does not hold what is to be resumed.
vvResult resumeRefused(const Path *path, const char *why);
vvResult resumeOpen(File *file, const Path *path); // diskOpen, with a refusal instead of a failure

// ---- clip.c: frames read back ---------------------------------------------------------------------------------------

// what a file holds of a body: only the vertices change while the mesh does not
typedef struct FrameText
{
    char *bytes; // head, vertices, elements
    size_t headSize;
    char *elements; // faces or lines, copied behind the vertices
    size_t elementSize;
    int meshNumber; // of the body's mesh
} FrameText;

// The frames of a body: those with the same mesh are a stretch.
typedef struct ClipBody
{
    bool cached;     // in point caches, one for every mesh; else there is an OBJ file per frame
    int meshCount;   // at least 1
    int *first;      // meshCount + 1: frame at which each begins, and the end
    int *pointCount; // meshCount
    int mesh;        // whose point cache is open
    File file;       // of it
    FrameText scene; // of OBJ files: the elements of the scene's mesh
} ClipBody;

// The frames of a folder, for the bodies of a recorder. What a killed process left unfinished is not counted.
typedef struct Clip
{
    vvRecorder *record; // its bodies and paths
    ClipBody *body;     // bodyCount
    char *bytes;        // a frame of the largest mesh
    float *point;       // likewise, for callers
    RecordBody loaded;  // of clipMesh
    int frameCount;     // complete for every body, at least 1
    double frameTime;   // s, for the formats of finish.c
    double *pose;       // frameCount x rigidCount x POSE_NUMBERS; NULL: there are no rigid bodies, or no poses of them
    int fluidCount;     // of the record, where their particles were recorded
    FluidFrame particles;
    int fewKeys;   // of a body in an animation, at least 2, where they are enough
    int mostKeys;  // where they are not
    int keys;      // out: most of a body
    double within; // m, out: how far frames that are no keys are from the line between two
} Clip;

vvResult clipOpen(Clip *clip, vvRecorder *record, bool soft);                 // soft: with the frames of soft bodies
const double *clipPose(const Clip *clip, int rigid, int frame);               // POSE_NUMBERS: x y z and w x y z
vvResult clipFluid(Clip *clip, int fluid, int frame, const FluidFrame **out); // until the next call; fluid_frames.c
int clipMeshAt(const Clip *clip, int body, int frame);
vvResult clipRead(Clip *clip, int body, int frame, float *point /* of its mesh's points x 3 */);
bool clipAddMesh(Memory *memory, ClipBody *own, int points, int end); // behind the last; false: out of memory
vvResult clipReserve(Clip *clip);                                     // room for a frame of the largest mesh
void clipClose(Clip *clip);                                           // also after a failure

// ---- clip_mesh.c: the meshes of a clip ------------------------------------------------------------------------------

vvResult clipFindMeshes(Clip *clip); // of OBJ files, each of which is read; point caches say it at once
int clipMeshCount(const Clip *clip, int body, int frames); // that the first so many frames have
// What is seen of a body, with a mesh at rest as its points (of OBJ files: in its first frame). Until the next call.
vvResult clipMesh(Clip *clip, int body, int mesh, RecordBody **out);
void clipMeshRelease(Clip *clip); // what was loaded

// ---- skin.c: vertices for renderers ---------------------------------------------------------------------------------

// Vertices are split where texture coordinates or shading break, and are in the order of their points.
typedef struct Skin
{
    int vertexCount, triangleCount, shadeCount;
    int *point;     // vertexCount: of the body
    int *row;       // vertexCount: texture coordinates of the body's faces, -1: none
    int *shade;     // vertexCount: those with the same one have the same normal
    int *triangle;  // triangleCount x 3, vertices, by material; none of a rope
    int partCount;  // materials that are used
    int *partStart; // partCount + 1: triangles
    int *material;  // partCount: of the body's faces, -1: none
} Skin;

bool skinMake(Memory *memory, const RecordBody *body, Skin *skin); // creases are those of body->point
void skinRelease(Memory *memory, Skin *skin);
void skinNormals(const Skin *skin, const float *point, double *sum /* shadeCount x 3 */,
                 float *normal /* vertexCount x 3 */);

// ---- keyframes.c ----------------------------------------------------------------------------------------------------

// The frames, `begin` first, between which frames `begin` to `end` - 1 of a body, all with one mesh, lie on straight
// lines within the tolerance, m, above 0. It grows up to `bound` until there are at most clip->fewKeys; beyond that
// there are more, and it grows further only where clip->mostKeys are too few. One: nothing moves.
vvResult keyframesFind(Clip *clip, int body, int begin, int end, double tolerance, double bound, int *key,
                       int *keyCount);

// ---- finish.c: formats that are written when the record is closed ---------------------------------------------------

// From the point caches of a record, which are recorded with them.
typedef vvResult FinishRecord(Clip *clip);
FinishRecord glbWrite, mddWrite, usdaRigidWrite, usdaFluidWrite;
FinishRecord usdaGuestsWrite; // the two layers before, those that there is something for
vvResult finishNow(vvRecorder *recorder, FinishRecord *write, bool soft); // soft: as of clipOpen

int clipFinite(Clip *clip, vvResult *result); // frames before the first with a number that is not finite

// ---- names.c --------------------------------------------------------------------------------------------------------

// Whether a record of this definition writes, replaces or removes a file of that name in its folder.
bool recordWrites(const vvRecorderDef *def, const char *name);

// Whether a file begins as the ledgers, saved states and OBJ files of records do; the other formats have no mark of
// ours.
bool recordMade(const Path *path);

// Whether the names of a definition can be those of a record.
vvResult recordNames(const vvRecorderDef *def);

// ---- series.c: a file per body and frame ----------------------------------------------------------------------------

// All of 0 .. resumeFrame are there; then later ones, also unfinished, are
// removed.
vvResult seriesCheck(const vvRecorder *recorder, const char *stem, const char *ending);
vvResult seriesSweep(const vvRecorder *recorder, const char *stem, const char *ending);

#define LONGEST_TEXT_HEAD (2 * LONGEST_STEM + 128) // of a file, before its vertices

typedef struct FrameSeries
{
    const char *ending, *what;                                             // ".obj", "the OBJ files"
    bool (*make)(Memory *memory, const RecordBody *body, FrameText *text); // false: out of memory
    size_t (*fill)(FrameText *text, const RecordBody *body, const float *point);
} FrameSeries;

// Room for a text with this head, so many bytes of vertices and of elements at most; false: out of memory.
bool frameTextReserve(Memory *memory, FrameText *text, const char *head, size_t vertices, size_t elements);
size_t frameTextEnd(FrameText *text, const char *vertexEnd); // copies the elements behind the vertices; the whole size
void frameTextRelease(Memory *memory, FrameText *text);

// the functions of a Format, but for its series; self is a FrameText per body
vvResult seriesOpen(vvRecorder *recorder, const FrameSeries *series, void **self);
vvResult seriesStart(vvRecorder *recorder, const FrameSeries *series);
vvResult seriesAdd(vvRecorder *recorder, const FrameSeries *series, void *self);
vvResult seriesClose(vvRecorder *recorder, void *self);

// ---- obj.c: a body as Wavefront text --------------------------------------------------------------------------------

bool objTextMake(Memory *memory, const RecordBody *body, FrameText *text); // false: out of memory
size_t objTextFill(FrameText *text, const RecordBody *body, const float *point);

// ---- frame_mesh.c: an OBJ file of a frame ---------------------------------------------------------------------------

// Its text with a zero behind it, to be released by the caller, also after a failure.
vvResult frameRead(vvRecorder *record, const RecordBody *body, int frame, char **text, size_t *size);
vvResult replayMeshLoad(Clip *clip, Memory *memory, int body, int mesh, ReplayMesh *out); // with its faces
bool frameIsOf(const FrameText *scene, const char *text, size_t size); // whether it has the elements of that mesh

// ---- usda_text.c: a layer that is written when all frames are known -------------------------------------------------

#define LONGEST_USDA_LINE 512
#define USDA_CHUNK 65536

// text that goes to the file in chunks
typedef struct UsdaText
{
    File file;
    vvResult result;
    size_t size;
    char bytes[USDA_CHUNK + LONGEST_USDA_LINE];
} UsdaText;

void usdaWord(UsdaText *text, const char *word); // LONGEST_USDA_LINE at most
void usdaInt(UsdaText *text, int value);
void usdaTuple(UsdaText *text, const double *value, int count);
void usdaHead(UsdaText *text, const Clip *clip);                                            // up to the brace of /World
void usdaReference(UsdaText *text, const char *stem, const char *ending, const char *name); // another layer's root

void usdaSoft(UsdaText *text, const Clip *clip); // the layers of soft bodies, if there are any

// Writes a layer into the folder by `fill`, behind the stem of the frames.
vvResult usdaLayerWrite(Clip *clip, const char *ending, vvResult (*fill)(UsdaText *text, Clip *clip));

// ---- usda_faces.c: a surface as it was drawn ------------------------------------------------------------------------

char *usdaInts(char *out, const int *values, int count); // [1, 2, 3]
size_t usdaFacesSize(const vvFaces *faces);              // bytes of text at most
char *usdaFaces(char *out, const vvFaces *faces);        // from behind the bracket of faceVertexCounts

// ---- vtu_head.c: the head of a VTU file whose arrays are appended ---------------------------------------------------

typedef struct VtuArray
{
    const char *type, *name; // "Float32", "velocity"
    int components;
    size_t size; // bytes
} VtuArray;

#define LONGEST_VTU_HEAD 3072

// Arrays in the order in which they are appended, each behind its size in 8 bytes: the time, `ofPoints` of points,
// `ofCells` of cells, then points, connectivity, offsets and types. Returns the size of the head.
size_t vtuHead(char *out, int points, int cells, const VtuArray *array, int ofPoints, int ofCells);
char *vtuFoot(char *out); // behind the arrays

#endif
