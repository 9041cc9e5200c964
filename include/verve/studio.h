// Verve studio: worlds from scene files, and pictures of worlds. A library of its own, libverve-studio, which needs
// libverve and, for PNG, libpng: link both (pkg-config: verve-studio; CMake: verve::studio). verve.h does not include
// this header.
//
// docs/scenes.md describes scene files. Errors name the key by its path, the value, the limit and the remedy.
#ifndef VERVE_STUDIO_H
#define VERVE_STUDIO_H

#include <verve/record.h>
#include <verve/verve.h>

#ifdef __cplusplus
extern "C" {
#endif

// =====================================================================================================================
// Scenes
// =====================================================================================================================

typedef struct vvScene vvScene; // a checked scene file, immutable; made by vvCreateScene

// What a scene is read from. Start from vvDefaultSceneDef().
typedef struct vvSceneDef
{
    const char *file;   // path of a scene file, or the bare name of a shipped scene ("swing"). Default NULL: `text`
    const char *text;   // the JSON itself instead of a file. Default NULL
    const char *folder; // with `text`: files that it names are found relative to this. Default NULL: the present folder
    // "path=value" words that change the scene before it is checked, as --set of the tool does:
    // "bodies.0.material.young=2e5". Values are JSON, or a word where a string is meant. Default none.
    const char *const *sets;
    int setCount;  // at least 0
    bool anywhere; // mesh files may lie anywhere: for scenes that you trust. Default false: in the folder of the
                   // scene or in VERVE_MESH_DIR, unless a set names them
    vvAllocator allocator; // default malloc and free
    int cookie;            // set by vvDefaultSceneDef
} vvSceneDef;

VV_API vvSceneDef vvDefaultSceneDef(void);                              // the defaults above
VV_API vvScene *vvCreateScene(const vvSceneDef *def, vvResult *result); // NULL on failure
VV_API void vvDestroyScene(vvScene *scene); // NULL is fine; worlds made from the scene keep what they need of it

// What the scene says, with defaults filled in. Texts live as long as the scene; "" and 0 for NULL.
VV_API const char *vvScene_GetName(const vvScene *scene);
VV_API const char *vvScene_GetDescription(const vvScene *scene);
VV_API int vvScene_GetFrames(const vvScene *scene);         // how many frames `verve run` takes
VV_API double vvScene_GetTimestep(const vvScene *scene);    // s, of a frame
VV_API int vvScene_GetSubsteps(const vvScene *scene);       // steps of a frame
VV_API const char *vvScene_GetMethod(const vvScene *scene); // one of vvGetMethodName
VV_API const char *vvScene_GetSolver(const vvScene *scene); // one of vvGetSolverName

// What the scene wants recorded; `folder` is left to you. Texts live as long as the scene.
VV_API vvRecorderDef vvScene_GetRecorderDef(const vvScene *scene);

// The scene as it was understood, every default written out: JSON, to be released with vvDestroyText. NULL: no memory.
VV_API char *vvScene_CreateText(const vvScene *scene);
VV_API char *vvCreateSceneSchema(void); // the JSON Schema of scene files; likewise
VV_API void vvDestroyText(char *text);  // NULL is fine

// Where shipped scenes lie: $VERVE_SCENES, or found from where the library or the program lies. False: nowhere.
VV_API bool vvFindSceneFolder(char *folder, size_t size);

// The names of the scenes in a folder (NULL: the shipped ones), without ".json" and in alphabetical order. False past
// the last.
VV_API bool vvGetSceneName(const char *folder, int index, char *name, size_t size);

// =====================================================================================================================
// The world of a scene
// =====================================================================================================================

typedef struct vvSceneWorld vvSceneWorld; // a world with what drives it: keyframes, forces, muscles, walking colliders

// How the world of a scene is made. Start from vvDefaultSceneWorldDef().
typedef struct vvSceneWorldDef
{
    int threads;           // as in vvWorldDef, [0, 64]. Default 1
    vvLogger logger;       // default none
    vvAllocator allocator; // default malloc and free
    int cookie;            // set by vvDefaultSceneWorldDef
} vvSceneWorldDef;

VV_API vvSceneWorldDef vvDefaultSceneWorldDef(void); // the defaults above

// `def` may be NULL: the defaults. NULL on failure.
VV_API vvSceneWorld *vvCreateSceneWorld(const vvScene *scene, const vvSceneWorldDef *def, vvResult *result);
VV_API void vvDestroySceneWorld(vvSceneWorld *sceneWorld); // with its world; NULL is fine

// One frame: keyframed pins, colliders and forces are set for the world's time, then `substeps` steps follow.
VV_API vvResult vvSceneWorld_Step(vvSceneWorld *sceneWorld);
VV_API vvWorldId vvSceneWorld_GetWorld(const vvSceneWorld *sceneWorld); // null for NULL

// What the scene made, in the order of the scene; null ids past the last.
VV_API vvSoftBodyId vvSceneWorld_GetBody(const vvSceneWorld *sceneWorld, int index);
VV_API vvSoftBodyId vvSceneWorld_FindBody(const vvSceneWorld *sceneWorld, const char *name); // null: none has it
VV_API vvColliderId vvSceneWorld_GetCollider(const vvSceneWorld *sceneWorld, int index);
VV_API vvRigidBodyId vvSceneWorld_GetRigidBody(const vvSceneWorld *sceneWorld, int index);
VV_API vvRigidBodyId vvSceneWorld_FindRigidBody(const vvSceneWorld *sceneWorld, const char *name); // null: none has it
VV_API const char *vvSceneWorld_GetRigidName(const vvSceneWorld *sceneWorld, int index);           // "" past the last

// =====================================================================================================================
// Pictures
// =====================================================================================================================

// Where a picture is taken from.
typedef struct vvCamera
{
    vvVec3 eye, target; // m
    double fieldOfView; // degrees, vertical, [1, 150]
} vvCamera;

// The camera of a scene; false: it leaves it to the picture, and `camera` is as before.
VV_API bool vvScene_GetCamera(const vvScene *scene, vvCamera *camera);

// What the colours of soft bodies show.
typedef enum vvColouring
{
    VV_COLOUR_PLAIN,  // "plain": which body it is
    VV_COLOUR_STRAIN, // "strain": the largest stretch or compression of the surface
    VV_COLOUR_SPEED,  // "speed": of the vertices
} vvColouring;

VV_API const char *vvGetColouringName(int index); // the words of vvColouring in its order; NULL past the last

// How a picture is taken. Start from vvDefaultPictureDef().
typedef struct vvPictureDef
{
    int width, height;       // pixels, [1, 16384], at most 2^25 together. Default 640 and 480
    bool hasEye, hasTarget;  // `camera` has that; the picture chooses the other. Default false
    vvCamera camera;         // fieldOfView 0: 35 degrees. Default: all that moves is seen, from a little above
    vvColouring colouring;   // default VV_COLOUR_PLAIN
    double fieldMost;        // what the top of the colour map means: strain 1, or m/s. Default 0: from the picture
    const uint32_t *colours; // colourCount, 0xRRGGBB, of soft bodies in turn. Default NULL: well apart from each other
    int colourCount;         // at least 0
    bool particles;          // fluids as balls instead of their surface. Default false
    const char *caption;     // in its upper left corner; printable ASCII. Default NULL: none
    const char *note;        // in its upper right corner. Default NULL: none
    vvAllocator allocator;   // default malloc and free
    int cookie;              // set by vvDefaultPictureDef
} vvPictureDef;

VV_API vvPictureDef vvDefaultPictureDef(void); // the defaults above

// Draws the present state of a world with light and shadow, without display or GPU, always to the same pixels. `rgba`:
// height x width x 4 bytes, sRGB, rows from above; `size` is their number. The opacity is 255 everywhere.
VV_API vvResult vvWorld_Paint(vvWorldId world, const vvPictureDef *def, uint8_t *rgba, size_t size);

// Such pixels as the bytes of a PNG file without opacity, to be released with vvDestroyPng. NULL on failure: a build
// without libpng writes none.
VV_API uint8_t *vvCreatePng(const uint8_t *rgba, int width, int height, size_t *size, vvResult *result);
VV_API void vvDestroyPng(uint8_t *png); // NULL is fine

#ifdef __cplusplus
}
#endif

#endif
