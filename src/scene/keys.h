// The table of keys: what a scene file may say. It is ours because one row gives the check with its message, the
// default, the schema and the page of the documentation; a validator gives only the first. Inside the scene room only.
#ifndef SCENE_KEYS_H
#define SCENE_KEYS_H

#include <verve/verve.h>

typedef enum Kind
{
    KIND_NUMBER,         //
    KIND_INTEGER,        //
    KIND_SWITCH,         // true or false
    KIND_STRING,         //
    KIND_WORD,           // a string out of a list
    KIND_VECTOR,         // [x, y, z]
    KIND_NUMBERS,        // a number, or a list of one to three
    KIND_INTEGERS,       // an integer, or a list of one to three
    KIND_INDICES,        // a list of integers, at least one
    KIND_ROW,            // a list of numbers, at least one
    KIND_BOX,            // [[x, y, z], [x, y, z]]
    KIND_ROWS,           // a list of lists of numbers
    KIND_STRINGS,        // a string, or a list of at least one
    KIND_OBJECT,         //
    KIND_LIST,           // of objects
    KIND_WORD_OR_OBJECT, // a word alone stands for the object's first key
    KIND_ANYTHING,       // not looked at
} Kind;

// Limits of a number; `above` and `below` leave the limit itself out.
typedef struct Range
{
    double least, most;
    bool above, below;
} Range;

typedef struct Object Object;

typedef struct Key
{
    const char *name;
    Kind kind;
    const char *help;               // one line
    const char *users;              // methods and solvers that use it (world/settings.h); NULL or "": all
    const char *unit;               // of numbers; NULL: none
    Range range;                    // of each number; of a list: how many entries
    const char *fallback;           // default, as JSON; NULL: none
    const char *otherwise;          // where there is no fallback: what happens without the key, in words
    const char *(*word)(int index); // words to choose from; NULL past the last
    const Object *object;           // of objects and their lists
    bool required;
} Key;

#define MOST_CHOICES 4
struct Object
{
    const char *name; // "body"
    const char *help; //
    const Key *keys;  // keyCount
    int keyCount;
    const char *exactlyOne[MOST_CHOICES + 1]; // of these keys one must be there and no other; NULL-terminated
};

extern const Object sceneObject;

const Key *keyFind(const Object *object, const char *name); // NULL: there is none

// The key's range in words, with its unit: "above 0 Pa and at most 1e+13 Pa"; "" for no limits.
void keyRange(const Key *key, char *text, size_t size);

// The words of a list, "a, b, c".
void keyWords(const char *(*word)(int index), char *text, size_t size);

// A remedy for a key that the object does not have: the nearest one, or where a key of that name is (advice.c).
void keyAdvise(const Object *object, const char *name, char *remedy, size_t size);

// Every object of the format, each once, the scene first; NULL past the last.
const Object *keyObject(int index);

// ---- keys_collider.c ------------------------------------------------------------------------------------------------

extern const Object colliderObject, poseObject, animationObject;
const char *solidName(int index); // shapes of colliders, "plane", ...; NULL past the last
vvShapeKind solidKind(const char *name);
#define SOLID_FIGURE "figure" // a person, by a mesh of its surface
bool solidIsFigure(const char *name);

// ---- keys_fluid.c ---------------------------------------------------------------------------------------------------

#define MOST_FLUIDS 64
extern const Object blockObject, emitterObject, drainObject, fluidObject;

// ---- keys_rigid.c ---------------------------------------------------------------------------------------------------

extern const Object rigidObject, jointObject;
const char *rigidShapeName(int index); // NULL past the last; so the others
const char *jointKindName(int index);  // by vvJointKind
const char *motorKindName(int index);  // by vvMotorKind

// ---- keys_body.c, keys_material.c -----------------------------------------------------------------------------------

extern const Object sphereObject, whereObject, dampingObject;
extern const Object keyframeObject, pinObject, forceObject, regionObject, muscleObject, bladeObject, bodyObject;
extern const Object meshObject, solidObject, springObject, limitObject, lawObject, plasticityObject, materialObject;

// ---- keys_deform.c --------------------------------------------------------------------------------------------------

extern const Object exampleObject, deformObject;

// ---- presets.c: words that stand for numbers ------------------------------------------------------------------------

const char *presetName(int index); // "rubber", ...; NULL past the last
vvMaterial presetMaterial(const char *name);
const char *bendingModelName(int index);
const char *axisName(int index); // "x", "y", "z"

// ---- shapes.c: how the numbers of a shape are read ------------------------------------------------------------------

#define MOST_AXES 3
typedef struct Shape
{
    const char *name;
    vvMeshShape shape;
    int sizeCount;            // numbers it needs, each for
    int sizeAxis[MOST_AXES];  // this component of vvMeshDef.size
    int cellsCount;           // likewise
    int cellsAxis[MOST_AXES]; //
    const char *size, *cells; // defaults, as JSON
    const char *sizeHelp;     // for messages
    const char *cellsHelp;    //
} Shape;

const char *shapeName(int index);         // NULL past the last
const Shape *shapeFind(const char *name); // NULL: there is none

#endif
