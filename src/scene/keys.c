// Every key of the format, once: kind, unit, range, default and a line of help. Validation, defaults, the JSON Schema
// and docs/scenes.md are made from this table.
#include "scene/keys.h"
#include "scene/ranges.h"
#include "world/settings.h"

#include <stdio.h>
#include <string.h>
#include <verve/record.h>

// ---- the rest of a scene --------------------------------------------------------------------------------------------

static const Key endKeys[] = {
    { .name = "body",
      .kind = KIND_STRING,
      .help = "name of a body; of b also of a rigid body, with surface",
      .required = true },
    { .name = "vertex",
      .kind = KIND_INTEGER,
      .help = "number of the vertex, from 0 in the order of the mesh",
      BETWEEN(0, VV_MAX_VERTICES - 1) },
    { .name = "point", .kind = KIND_VECTOR, .help = "the vertex nearest to this point, in rest coordinates", LENGTHS },
    { .name = "surface",
      .kind = KIND_VECTOR,
      .help = "the point of its surface nearest to this point of the world, which may lie between vertices; of "
              "a rigid body the point itself",
      LENGTHS },
};

static const Object endObject = {
    .name = "end",
    .help = "A vertex of a body, or a point of its surface.",
    KEYS(endKeys),
    .exactlyOne = { "vertex", "point", "surface" },
};

static const Key attachmentKeys[] = {
    { .name = "a", .kind = KIND_OBJECT, .help = "one end of the spring", .object = &endObject, .required = true },
    { .name = "b", .kind = KIND_OBJECT, .help = "the other end of the spring", .object = &endObject, .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "stiffness of the spring",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .fallback = "10000" },
    { .name = "restLength",
      .kind = KIND_NUMBER,
      .help = "rest length of the spring; 0 pulls the two points together",
      .unit = "m",
      BETWEEN(0, 1e6),
      .fallback = "0" },
    { .name = "breakForce",
      .kind = KIND_NUMBER,
      .help = "force above which it breaks",
      .unit = "N",
      ABOVE(0, 1e12),
      .otherwise = "it never breaks" },
};

static const Object attachmentObject = {
    .name = "attachment",
    .help = "A spring between two points of bodies; it makes the bodies one island.",
    KEYS(attachmentKeys),
};

static const Key bondKeys[] = {
    { .name = "a", .kind = KIND_STRING, .help = "name of the body whose surface vertices are held", .required = true },
    { .name = "b", .kind = KIND_STRING, .help = "name of the body or rigid body they are held to", .required = true },
    { .name = "distance",
      .kind = KIND_NUMBER,
      .help = "vertices of a within this distance of b are held",
      .unit = "m",
      ABOVE(0, 1e6),
      .fallback = "0.001" },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "stiffness of all bonds together",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .otherwise = "ten times young x size of the softer body (sheets and ropes: young x thickness)" },
    { .name = "breakForce",
      .kind = KIND_NUMBER,
      .help = "force of all together above which they break, each at its share",
      .unit = "N",
      ABOVE(0, 1e12),
      .otherwise = "they never break" },
};

static const Object bondObject = {
    .name = "bond",
    .help = "A region in which two bodies are glued or sewn together.",
    KEYS(bondKeys),
};

static const Key tableauKeys[] = {
    { .name = "a",
      .kind = KIND_ROWS,
      .help = "a row for every stage: the weights of the stages before it; the first is [0]",
      BETWEEN(-1e6, 1e6),
      .required = true },
    { .name = "b", .kind = KIND_ROW, .help = "the weights of the step, sum 1", BETWEEN(-1e6, 1e6), .required = true },
    { .name = "embedded",
      .kind = KIND_ROW,
      .help = "weights of the embedded solution, sum 1, for stepTolerance",
      BETWEEN(-1e6, 1e6),
      .otherwise = "steps are not divided" },
};

static const Object tableauObject = {
    .name = "tableau",
    .help = "An explicit Runge-Kutta method of your own, 1 to 8 stages.",
    KEYS(tableauKeys),
};

// one row per setting of a world (world/settings.h)
#define WORD_KEY(field, place, usedBy, words, value, text)                                                             \
    { .name = #field, .kind = KIND_WORD, .help = (text), .users = (usedBy), .word = (words), .fallback = #value },
#define SWITCH_KEY(field, place, usedBy, value, text)                                                                  \
    { .name = #field, .kind = KIND_SWITCH, .help = (text), .users = (usedBy), .fallback = #value },
#define RANGE_KEY(keyKind, field, usedBy, low, high, value, units, text)                                               \
    { .name = #field,                                                                                                  \
      .kind = (keyKind),                                                                                               \
      .help = (text),                                                                                                  \
      .users = (usedBy),                                                                                               \
      .unit = UNIT(units),                                                                                             \
      BETWEEN(low, high),                                                                                              \
      .fallback = value },
#define NUMBER_KEY(field, place, usedBy, low, high, value, units, remedy, text)                                        \
    RANGE_KEY(KIND_NUMBER, field, usedBy, low, high, #value, units, text)
#define INTEGER_KEY(field, place, usedBy, low, high, value, units, remedy, text)                                       \
    RANGE_KEY(KIND_INTEGER, field, usedBy, low, high, #value, units, text)
#define OBJECT_KEY(field, place, usedBy, without, text)                                                                \
    { .name = #field,                                                                                                  \
      .kind = KIND_OBJECT,                                                                                             \
      .help = (text),                                                                                                  \
      .users = (usedBy),                                                                                               \
      .object = &field##Object,                                                                                        \
      .otherwise = (without) },
#define UNIT(text) (sizeof(text) > 1 ? (text) : NULL)

static const Key integratorKeys[] = { WORLD_SETTINGS(WORD_KEY, WORD_KEY, SWITCH_KEY, NUMBER_KEY, INTEGER_KEY,
                                                     OBJECT_KEY) };

static const Object integratorObject = {
    .name = "integrator",
    .help = "How a step is taken. Keys that the chosen method and solver do not use have no effect; verve check "
            "lists them.",
    KEYS(integratorKeys),
};

static const Key recordKeys[] = {
    { .name = "ledger", .kind = KIND_STRING, .help = "file for the energy ledger, CSV", .fallback = "\"ledger.csv\"" },
    { .name = "frames",
      .kind = KIND_STRINGS,
      .help = "files for the frames: one stem, endings obj, pc2, vtu, usda, ply, glb, mdd; [] for none; "
              "frames.obj without the key where a body has toughness",
      .fallback = "\"frames.pc2\"" },
    { .name = "snapshot",
      .kind = KIND_STRING,
      .help = "file for the saved state, from which a run is resumed",
      .fallback = "\"snapshot.vvs\"" },
    { .name = "snapshotEvery",
      .kind = KIND_INTEGER,
      .help = "frames between saved states",
      BETWEEN(1, 1e9),
      .fallback = "50" },
};

static const Object recordObject = {
    .name = "record",
    .help = "The files written into the folder of the run: names without folders.",
    KEYS(recordKeys),
};

static const Key cameraKeys[] = {
    { .name = "eye",
      .kind = KIND_VECTOR,
      .help = "position of the camera; gives the direction, and the distance where it is `fixed`",
      LENGTHS,
      .required = true },
    { .name = "target", .kind = KIND_VECTOR, .help = "the point it looks at", LENGTHS, .fallback = "[0, 0, 0]" },
    { .name = "fieldOfView",
      .kind = KIND_NUMBER,
      .help = "vertical angle",
      .unit = "degrees",
      BETWEEN(1, 170),
      .fallback = "40" },
    { .name = "fixed",
      .kind = KIND_SWITCH,
      .help = "the camera stays at `eye`, and what goes far leaves the picture",
      .fallback = "false" },
};

static const Object cameraObject = {
    .name = "camera",
    .help = "The view of pictures. The renderer keeps the direction from `target` to `eye` and chooses the distance so "
            "that everything that moves is in view, unless the camera is `fixed`.",
    KEYS(cameraKeys),
};

static const Key windKeys[] = {
    { .name = "velocity",
      .kind = KIND_VECTOR,
      .help = "velocity of the air",
      .unit = "m/s",
      BETWEEN(-1e4, 1e4),
      .required = true },
    { .name = "density",
      .kind = KIND_NUMBER,
      .help = "density of the air; 0: no wind",
      .unit = "kg/m^3",
      BETWEEN(0, 1e5),
      .fallback = "1.2" },
    { .name = "drag",
      .kind = KIND_NUMBER,
      .help = "drag coefficient of a triangle that faces the wind",
      BETWEEN(0, 1000),
      .fallback = "1.17" },
};

static const Object windObject = {
    .name = "wind",
    .help = "Moving air. The force on a triangle of a surface is 1/2 density drag area |u.n| (u.n) along its normal n; "
            "u is the "
            "velocity of the air minus that of the triangle. It acts on both sides of sheets, on solids where they "
            "face the "
            "wind, and not on ropes.",
    KEYS(windKeys),
};

static const Key sceneKeys[] = {
    { .name = "$schema", .kind = KIND_ANYTHING, .help = "the schema, for editors; ignored here" },
    { .name = "verve",
      .kind = KIND_INTEGER,
      .help = "version of the format; this program reads 1",
      BETWEEN(1, 1),
      .required = true },
    { .name = "name", .kind = KIND_STRING, .help = "name of the scene", .fallback = "\"scene\"" },
    { .name = "description", .kind = KIND_STRING, .help = "what the scene shows", .fallback = "\"\"" },
    { .name = "gravity",
      .kind = KIND_VECTOR,
      .help = "acceleration of free fall",
      .unit = "m/s^2",
      BETWEEN(-1e4, 1e4),
      .fallback = "[0, -9.81, 0]" },
    { .name = "wind",
      .kind = KIND_OBJECT,
      .help = "moving air",
      .object = &windObject,
      .otherwise = "there is no air" },
    { .name = "timestep",
      .kind = KIND_NUMBER,
      .help = "time from frame to frame",
      .unit = "s",
      BETWEEN(1e-9, 10),
      .fallback = "0.016666666666666666" },
    { .name = "frames", .kind = KIND_INTEGER, .help = "number of frames", BETWEEN(0, 1e9), .fallback = "300" },
    { .name = "integrator",
      .kind = KIND_OBJECT,
      .help = "how a step is taken",
      .object = &integratorObject,
      .fallback = "{}" },
    { .name = "bodies",
      .kind = KIND_LIST,
      .help = "the soft bodies",
      .object = &bodyObject,
      ENTRIES(1, 4096),
      .otherwise = "none: the scene has fluids or rigid bodies then" },
    { .name = "fluids",
      .kind = KIND_LIST,
      .help = "fluids of particles",
      .object = &fluidObject,
      ENTRIES(1, MOST_FLUIDS),
      .otherwise = "none" },
    { .name = "softContact",
      .kind = KIND_SWITCH,
      .help = "bodies collide with each other; with colliders they always do",
      .fallback = "false" },
    { .name = "attachments",
      .kind = KIND_LIST,
      .help = "springs between points of bodies",
      .object = &attachmentObject,
      ENTRIES(0, 65536),
      .otherwise = "none" },
    { .name = "bonds",
      .kind = KIND_LIST,
      .help = "regions in which bodies are glued or sewn together",
      .object = &bondObject,
      ENTRIES(0, 4096),
      .otherwise = "none" },
    { .name = "colliders",
      .kind = KIND_LIST,
      .help = "rigid shapes that bodies collide with",
      .object = &colliderObject,
      ENTRIES(0, 4096),
      .otherwise = "none" },
    { .name = "rigidBodies",
      .kind = KIND_LIST,
      .help = "shapes with mass that move as a whole",
      .object = &rigidObject,
      ENTRIES(0, 65536),
      .otherwise = "none" },
    { .name = "joints",
      .kind = KIND_LIST,
      .help = "what holds rigid bodies together",
      .object = &jointObject,
      ENTRIES(0, 65536),
      .otherwise = "none" },
    { .name = "record", .kind = KIND_OBJECT, .help = "what is written", .object = &recordObject, .fallback = "{}" },
    { .name = "camera",
      .kind = KIND_OBJECT,
      .help = "the view of pictures",
      .object = &cameraObject,
      .otherwise = "the renderer's choice" },
};

const Object sceneObject = {
    .name = "scene",
    .help = "The file itself: one JSON object. Right-handed, y up, SI units.",
    KEYS(sceneKeys),
};

// ---- looking things up ----------------------------------------------------------------------------------------------

const Key *keyFind(const Object *object, const char *name)
{
    for (int i = 0; i < object->keyCount; ++i)
    {
        if (strcmp(object->keys[i].name, name) == 0)
            return &object->keys[i];
    }
    return NULL;
}

void keyRange(const Key *key, char *text, size_t size)
{
    const Range *r = &key->range;
    const char *space = key->unit ? " " : "", *unit = key->unit ? key->unit : "";
    if (r->least == r->most && r->least == 0)
        snprintf(text, size, "%s", "");
    else if (r->least == r->most)
        snprintf(text, size, "%.10g%s%s", r->least, space, unit);
    else if (r->above || r->below)
        snprintf(text, size, "above %.10g and %s %.10g%s%s", r->least, r->below ? "below" : "at most", r->most, space,
                 unit);
    else
        snprintf(text, size, "%.10g to %.10g%s%s", r->least, r->most, space, unit);
}

void keyWords(const char *(*word)(int index), char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; word(i) != NULL && length < size; ++i)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", word(i));
}

const Object *keyObject(int index)
{
    static const Object *const objects[] = {
        &sceneObject,     &integratorObject, &bodyObject,       &meshObject,     &solidObject,    &materialObject,
        &springObject,    &dampingObject,    &pinObject,        &keyframeObject, &forceObject,    &whereObject,
        &sphereObject,    &attachmentObject, &bondObject,       &endObject,      &colliderObject, &poseObject,
        &animationObject, &recordObject,     &cameraObject,     &tableauObject,  &limitObject,    &lawObject,
        &muscleObject,    &bladeObject,      &plasticityObject, &windObject,     &exampleObject,  &deformObject,
        &regionObject,    &fluidObject,      &blockObject,      &emitterObject,  &drainObject,    &rigidObject,
        &jointObject,
    };
    return index >= 0 && index < (int)(sizeof objects / sizeof objects[0]) ? objects[index] : NULL;
}
