// The scene room: scene files to worlds. Text becomes a tree, --set changes the tree, the table of keys (keys.c) checks
// it and fills in defaults, and what is left is built. The table is the one source: validation, the published JSON
// Schema and the defaults all come from it.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include <verve/record.h>
#include <verve/verve.h>

typedef struct Scene Scene; // a checked scene: everything it says, defaults filled in

// `sets`: "path=value" words of --set, "bodies.0.material.young=2e5"; values are JSON, or a word where a string is
// meant. NULL on failure: the result names the key by its path, the value, the limit and the remedy.
// Mesh files must lie in the scene's folder or in VERVE_MESH_DIR, links followed, unless a set names them; `anywhere`
// lifts that, for scenes that the user trusts.
Scene *sceneRead(const char *file, bool anywhere, const char *const *sets, int setCount, vvResult *result);
Scene *sceneParse(const char *text, size_t size, const char *folder, const char *const *sets, int setCount,
                  vvResult *result); // `folder`: mesh files are found relative to it
Scene *sceneParseIn(const vvAllocator *allocator, const char *text, size_t size, const char *folder,
                    const char *const *sets, int setCount, vvResult *result); // with memory of the caller's
void sceneDestroy(Scene *scene);                                              // NULL is fine

// The scene as it was understood, every default written out, mesh files by a path that works from anywhere: what
// a folder of records keeps as scene.json. NULL: out of memory. Release with sceneFreeText.
char *sceneText(const Scene *scene);
void sceneFreeText(char *text);

const char *sceneName(const Scene *scene);
const char *sceneDescription(const Scene *scene);
int sceneFrames(const Scene *scene);
double sceneTimestep(const Scene *scene); // s, of a frame
int sceneSubsteps(const Scene *scene);    // steps of a frame
const char *sceneMethod(const Scene *scene);
const char *sceneSolver(const Scene *scene); // not all methods ask one
bool sceneMethodGiven(const Scene *scene);   // the scene or --set names it; else it is the default
bool sceneSolverGiven(const Scene *scene);   // likewise

// What can be adjusted, for sliders, as a JSON list of objects with path ("integrator.substeps", for treeSet), group
// ("method", "world", "body", "collider"), label, kind ("word", "switch", "number", "integer", "vector"), words, unit,
// least, most, initial, value, help and whether the present method uses it. Where there are many bodies, "bodies.*"
// stands for all of them. NULL: out of memory. Release with sceneFreeText.
char *sceneSettings(const Scene *scene);

// What is to be recorded; `folder` is left to the caller.
void sceneRecord(const Scene *scene, vvRecorderDef *def);

// Where pictures are taken from; false: the scene leaves it to the renderer.
bool sceneCamera(const Scene *scene, vvVec3 *eye, vvVec3 *target, double *fieldOfView /* degrees, vertical */);
bool sceneCameraIsFixed(const Scene *scene); // the distance is the scene's, too

// What the scene's world and bodies are made with, for worlds beside it. `tableau` is where the definition's points to.
vvResult sceneWorldDef(const Scene *scene, vvWorldDef *def, vvTableau *tableau);

// A sentence for each key of `integrator` that has no effect, because the method and solver do not use it. False: past
// the last.
bool sceneUnused(const Scene *scene, int index, char *text, size_t size);
// With that mesh instead of its own; without regions and examples.
vvSoftBodyDef sceneBodyDef(const Scene *scene, int index, vvMesh *mesh);
vvFluidDef sceneFluidDef(const Scene *scene, int index); // without its particles

// What a body is made from: its mesh file (NULL: a shape), the word of its material, and whether its thickness is the
// material's own.
const char *sceneMeshFile(const Scene *scene, int index);
bool sceneIsFilled(const Scene *scene, int index); // the tets fill a surface or a model, or come from a file

// Units of files.
const char *unitName(int index);                      // "mm", ...; NULL past the last
double unitMetres(const char *name /* or NULL: m */); // m
const char *scenePreset(const Scene *scene, int index);
bool scenePresetThickness(const Scene *scene, int index);

// ---- a scene at work ------------------------------------------------------------------------------------------------

typedef struct SceneOptions
{
    int threads;           // 0: all cores
    vvLogger logger;       //
    vvAllocator allocator; //
} SceneOptions;

typedef struct SceneWorld SceneWorld;

// NULL on failure. The scene must live as long as what was built from it.
SceneWorld *sceneBuild(const Scene *scene, const SceneOptions *options, vvResult *result);
void sceneRelease(SceneWorld *built); // with its world; NULL is fine
const Scene *sceneOf(const SceneWorld *built);
vvWorldId sceneWorldId(const SceneWorld *built);
int sceneBodyCount(const SceneWorld *built);
double sceneFluidMass(const SceneWorld *built);             // kg, of all fluids
vvSoftBodyId sceneBody(const SceneWorld *built, int index); // in the order of the scene

// Of the first body with a mesh that was filled (mesh.solid); NULL of others.
const vvSolidReport *sceneSolid(const SceneWorld *built, int index);

int sceneAttachmentCount(const SceneWorld *built); // springs between bodies
vvAttachmentDef sceneAttachment(const SceneWorld *built, int index);

int sceneColliderCount(const SceneWorld *built);
vvColliderId sceneCollider(const SceneWorld *built, int index); // in the order of the scene
const vvShape *sceneColliderShape(const SceneWorld *built, int index);
const char *sceneColliderKind(const SceneWorld *built, int index);               // the word of its shape
double sceneColliderNumber(const SceneWorld *built, int index, const char *key); // "friction"; 0: not given
// Of one that deforms: its points at a time, in its frame; how many there are, 0: it does not.
int sceneColliderPoints(const SceneWorld *built, int index, double time, double *points /* x 3, or NULL */);
void sceneColliderPose(const SceneWorld *built, int index, double time, vvVec3 *position, vvVec3 *rotate);

int sceneRigidCount(const SceneWorld *built);
vvRigidBodyId sceneRigid(const SceneWorld *built, int index); // in the order of the scene
const vvShape *sceneRigidShape(const SceneWorld *built, int index);
const char *sceneRigidName(const SceneWorld *built, int index);

// Whether something outside acts on a body between two times, other than gravity and touch: pins, forces, wind, drag,
// springs and bonds to rigid bodies.
bool sceneBodyHeld(const SceneWorld *built, int index, double from, double to);
bool sceneHasContact(const SceneWorld *built); // bodies may touch something: colliders, or each other

// A frame is taken in this many steps from the next one on, at least 1: `substeps` of methods without their own.
void sceneDivide(SceneWorld *built, int substeps);

// A saved state goes back into a body that is made of the same: regions that stiffen while the scene runs become what
// they were in the step before `time`, which must be one of the scene's present steps. Then a state of that time fits.
vvResult sceneReadyFor(SceneWorld *built, double time);
vvResult sceneRestore(SceneWorld *built, const void *state, size_t size); // both; an error leaves all as it was

// One frame: keyframed pins, colliders and forces are set for the world's time, then `substeps` steps.
vvResult sceneStep(SceneWorld *built);

// ---- the library of scenes and the schema ---------------------------------------------------------------------------

char *sceneSchema(const vvAllocator *allocator); // JSON Schema of scene files, from the table of keys
char *sceneKeys(void);                           // the same table in words, Markdown; release with sceneFreeText

// Folders that hold shipped scenes, best first: $VERVE_SCENES, then those found from where the shared library or the
// program lies (a build in its source tree, an installed copy). False past the last.
bool sceneLibrary(int index, char *folder, size_t size);

// A word of the command line as the path of a scene: a file, or the bare name of a shipped scene ("swing"). False:
// there is neither; `path` is then the word.
bool sceneFind(const char *word, char *path, size_t size);

#endif
