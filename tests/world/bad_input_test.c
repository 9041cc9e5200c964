// Mistakes, one at a time. Each is refused with the right code, a message that names the value and a remedy, and leaves
// the world as if it had not been made.
#include "check.h"
#include "undamped.h"

#include <verve/verve.h>

#include <string.h>

#define DT (1.0 / 60.0)
#define COUNT 27 // vertices of the box

// ---- the scene that must not notice ---------------------------------------------------------------------------------

typedef struct Scene
{
    vvWorldId world, other, dead;
    vvSoftBodyId body, second, stranger, deadBody; // stranger lives in `other`
    vvAttachmentId point, link, deadPoint;
    vvMesh *box, *sheet;
    double values[3 * COUNT]; // positions, for spoiling
} Scene;

static vvSoftBodyId makeBox(Scene *scene, vvWorldId world, double x)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.material = vvMaterial_Jelly();
    def.position = (vvVec3){ x, 0, 0 };
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    assert_true(vvSoftBody_IsValid(body));
    return body;
}

static vvAttachmentDef pointDef(const Scene *scene)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene->body;
    def.vertexA = 26;
    def.target = (vvVec3){ 0.5, 1, 0.5 };
    def.stiffness = 500;
    return def;
}

static vvAttachmentDef linkDef(const Scene *scene)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene->body;
    def.vertexA = 22;
    def.bodyB = scene->second;
    def.vertexB = 4;
    def.restLength = 1;
    return def;
}

static void step(vvWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
        assert_int_equal(vvWorld_Step(world, DT).code, VV_OK);
}

static Scene makeScene(void)
{
    Scene scene = { .box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), .sheet = vvCreateSheetMesh(1, 1, 2, 2) };
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    scene.world = vvCreateWorld(&def, NULL);
    scene.other = vvCreateWorld(&def, NULL);
    scene.dead = vvCreateWorld(&def, NULL);
    scene.body = makeBox(&scene, scene.world, 0);
    scene.second = makeBox(&scene, scene.world, 2);
    scene.stranger = makeBox(&scene, scene.other, 0);
    scene.deadBody = makeBox(&scene, scene.dead, 0);
    vvAttachmentDef point = pointDef(&scene), link = linkDef(&scene);
    scene.point = vvCreateAttachment(scene.world, &point, NULL);
    scene.link = vvCreateAttachment(scene.world, &link, NULL);
    point.bodyA = scene.deadBody;
    scene.deadPoint = vvCreateAttachment(scene.dead, &point, NULL);
    assert_true(vvAttachment_IsValid(scene.point) && vvAttachment_IsValid(scene.link));
    assert_true(vvAttachment_IsValid(scene.deadPoint));
    vvDestroyWorld(scene.dead);
    int pin = 0;
    assert_int_equal(vvSoftBody_Pin(scene.body, &pin, 1).code, VV_OK);
    step(scene.world, 3);
    memcpy(scene.values, vvSoftBody_GetPositions(scene.body), sizeof scene.values);
    return scene;
}

static void endScene(Scene *scene)
{
    vvDestroyWorld(scene->world);
    vvDestroyWorld(scene->other);
    vvDestroyMesh(scene->box);
    vvDestroyMesh(scene->sheet);
}

// ---- the mistakes ---------------------------------------------------------------------------------------------------

typedef struct Mistake
{
    const char *what;
    vvResult (*make)(Scene *scene, const struct Mistake *mistake);
    vvCode code;
    const char *says;  // in the message
    const char *hints; // in the message or the remedy; NULL: any remedy
    size_t offset;     // of the number to spoil in the definition
    double value;      // to spoil it with
} Mistake;

static void spoil(void *def, const Mistake *mistake)
{
    memcpy((char *)def + mistake->offset, &mistake->value, sizeof mistake->value);
}

// a definition with one wrong number
static vvResult spoiltWorld(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    spoil(&def, mistake);
    vvResult result;
    assert_false(vvWorld_IsValid(vvCreateWorld(&def, &result)));
    return result;
}

static vvResult createBody(vvWorldId world, const vvSoftBodyDef *def)
{
    vvResult result;
    assert_false(vvSoftBody_IsValid(vvCreateSoftBody(world, def, &result)));
    assert_int_equal(vvCreateSoftBody(world, def, NULL).index1, 0); // the result is optional
    return result;
}

static vvResult spoiltBody(Scene *scene, const Mistake *mistake)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    spoil(&def, mistake);
    return createBody(scene->world, &def);
}

static vvResult spoiltSheet(Scene *scene, const Mistake *mistake)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->sheet;
    spoil(&def, mistake);
    return createBody(scene->world, &def);
}

static vvResult attach(const Scene *scene, const vvAttachmentDef *def)
{
    vvResult result;
    assert_false(vvAttachment_IsValid(vvCreateAttachment(scene->world, def, &result)));
    assert_int_equal(vvCreateAttachment(scene->world, def, NULL).index1, 0);
    return result;
}

static vvResult spoiltPoint(Scene *scene, const Mistake *mistake)
{
    vvAttachmentDef def = pointDef(scene);
    spoil(&def, mistake);
    return attach(scene, &def);
}

static vvResult spoiltLink(Scene *scene, const Mistake *mistake)
{
    vvAttachmentDef def = linkDef(scene);
    spoil(&def, mistake);
    return attach(scene, &def);
}

// a call with one wrong number
static vvResult badStep(Scene *scene, const Mistake *mistake)
{
    return vvWorld_Step(scene->world, mistake->value);
}

static vvResult badAdvance(Scene *scene, const Mistake *mistake)
{
    return vvWorld_Advance(scene->world, mistake->value);
}

static vvResult badGravity(Scene *scene, const Mistake *mistake)
{
    return vvWorld_SetGravity(scene->world, (vvVec3){ 0, mistake->value, 0 });
}

static vvResult badPositions(Scene *scene, const Mistake *mistake)
{
    scene->values[3 * 20 + 1] = mistake->value;
    return vvSoftBody_SetPositions(scene->body, scene->values);
}

static vvResult badVelocities(Scene *scene, const Mistake *mistake)
{
    scene->values[3 * 26 + 2] = mistake->value;
    return vvSoftBody_SetVelocities(scene->body, scene->values);
}

static vvResult badForce(Scene *scene, const Mistake *mistake)
{
    return vvSoftBody_SetForce(scene->body, 5, (vvVec3){ 0, 0, mistake->value });
}

static vvResult badPinTarget(Scene *scene, const Mistake *mistake)
{
    return vvSoftBody_MovePin(scene->body, 0, (vvVec3){ mistake->value, 0, 0 });
}

static vvResult badPointTarget(Scene *scene, const Mistake *mistake)
{
    return vvAttachment_MoveTarget(scene->point, (vvVec3){ mistake->value, 0, 0 });
}

static vvResult badInterpolation(Scene *scene, const Mistake *mistake)
{
    float target[3 * COUNT];
    return vvSoftBody_CopyPositions(scene->body, mistake->value, target, 12);
}

static vvResult badStride(Scene *scene, const Mistake *mistake)
{
    float target[4 * COUNT];
    vvResult result = vvSoftBody_CopyNormals(scene->body, target, (int)mistake->value);
    assert_int_equal(vvSoftBody_CopyPositions(scene->body, 1, target, (int)mistake->value).code, result.code);
    return result;
}

static vvResult badForceVertex(Scene *scene, const Mistake *mistake)
{
    return vvSoftBody_SetForce(scene->body, (int)mistake->value, (vvVec3){ 0, 1, 0 });
}

// a good vertex before the bad one must not be pinned
static vvResult badPinVertex(Scene *scene, const Mistake *mistake)
{
    int vertices[2] = { 13, (int)mistake->value };
    vvResult result = vvSoftBody_Pin(scene->body, vertices, 2);
    assert_false(vvSoftBody_IsPinned(scene->body, 13));
    return result;
}

static vvResult badUnpinVertex(Scene *scene, const Mistake *mistake)
{
    int vertices[2] = { 0, (int)mistake->value };
    vvResult result = vvSoftBody_Unpin(scene->body, vertices, 2);
    assert_true(vvSoftBody_IsPinned(scene->body, 0));
    return result;
}

static vvResult badMovePinVertex(Scene *scene, const Mistake *mistake)
{
    return vvSoftBody_MovePin(scene->body, (int)mistake->value, (vvVec3){ 0, 0, 0 });
}

static vvResult badIterations(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.iterations = (int)mistake->value;
    vvResult result;
    vvCreateWorld(&def, &result);
    return result;
}

static vvResult badStepsPerAdvance(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.maxStepsPerAdvance = (int)mistake->value;
    vvResult result;
    vvCreateWorld(&def, &result);
    return result;
}

static vvResult badVertexA(Scene *scene, const Mistake *mistake)
{
    vvAttachmentDef def = pointDef(scene);
    def.vertexA = (int)mistake->value;
    return attach(scene, &def);
}

static vvResult badVertexB(Scene *scene, const Mistake *mistake)
{
    vvAttachmentDef def = linkDef(scene);
    def.vertexB = (int)mistake->value;
    return attach(scene, &def);
}

// NULL, and definitions nobody filled in
static vvResult nullWorldDef(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvResult result;
    vvCreateWorld(NULL, &result);
    return result;
}

static vvResult emptyWorldDef(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvWorldDef def;
    memset(&def, 0, sizeof def);
    vvResult result;
    vvCreateWorld(&def, &result);
    return result;
}

static vvResult nullBodyDef(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return createBody(scene->world, NULL);
}

static vvResult emptyBodyDef(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def;
    memset(&def, 0, sizeof def);
    def.mesh = scene->box;
    return createBody(scene->world, &def);
}

static vvResult nullMesh(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    return createBody(scene->world, &def);
}

static vvResult nullAttachmentDef(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return attach(scene, NULL);
}

static vvResult emptyAttachmentDef(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvAttachmentDef def;
    memset(&def, 0, sizeof def);
    def.bodyA = scene->body;
    return attach(scene, &def);
}

static vvResult nullPositions(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvSoftBody_SetPositions(scene->body, NULL);
}

static vvResult nullVelocities(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvSoftBody_SetVelocities(scene->body, NULL);
}

static vvResult nullPins(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvSoftBody_Pin(scene->body, NULL, 4);
}

static vvResult negativePins(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    int vertex = 4;
    return vvSoftBody_Unpin(scene->body, &vertex, -3);
}

static vvResult nullCopy(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    assert_int_equal(vvSoftBody_CopyNormals(scene->body, NULL, 12).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_CopyForces(scene->body, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_CopyEnergyDensities(scene->body, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_CopyStretches(scene->body, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Examine(scene->body, NULL).code, VV_BAD_INPUT);
    return vvSoftBody_CopyPositions(scene->body, 1, NULL, 12);
}

static vvResult noRoomForState(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    char room[8];
    assert_int_equal(vvWorld_SaveState(scene->world, NULL, vvWorld_GetStateSize(scene->world)).code, VV_BAD_INPUT);
    return vvWorld_SaveState(scene->world, room, sizeof room);
}

static vvResult noState(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    assert_int_equal(vvWorld_RestoreState(scene->world, NULL, 1000).code, VV_BAD_INPUT);
    return vvWorld_RestoreState(scene->world, "this is no state of any world, but long enough", 46);
}

static vvResult longName(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.name = "a name that goes on and on until nobody can remember how it started";
    return createBody(scene->world, &def);
}

// words
static vvResult badMethod(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backwards-eular";
    vvResult result;
    vvCreateWorld(&def, &result);
    return result;
}

static vvResult nullMethod(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvResult result = vvWorld_SetMethod(scene->world, NULL);
    assert_string_equal(vvWorld_GetMethod(scene->world), "implicit-midpoint");
    return result;
}

static vvResult badSetMethod(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvResult result = vvWorld_SetMethod(scene->world, "implicit-middle");
    assert_string_equal(vvWorld_GetMethod(scene->world), "implicit-midpoint");
    return result;
}

static vvResult badSolver(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.solver = "neuton";
    vvResult result;
    vvCreateWorld(&def, &result);
    return result;
}

static vvResult badModel(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.model = "squared-sprang";
    return createBody(scene->world, &def);
}

static vvResult energyThatIsNoModel(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.model = "gravity"; // a word of the library, but not of this list
    return createBody(scene->world, &def);
}

static vvResult longWord(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    char word[2000];
    memset(word, 'q', sizeof word);
    word[sizeof word - 1] = 0;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->box;
    def.model = word;
    assert_int_equal(createBody(scene->world, &def).code, VV_BAD_INPUT);
    return vvWorld_SetMethod(scene->world, word);
}

// things that do not go together
static vvResult corotatedSheet(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->sheet;
    def.model = "corotated";
    return createBody(scene->world, &def);
}

static vvResult noSprings(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef def = undampedDef();
    def.mesh = scene->sheet;
    for (int k = 0; k < VV_EDGE_KINDS; ++k)
        def.springStiffness[k] = 0;
    return createBody(scene->world, &def);
}

static vvResult bodyOfAnotherWorld(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvAttachmentDef def = linkDef(scene);
    def.bodyB = scene->stranger;
    assert_int_equal(attach(scene, &def).code, VV_BAD_INPUT);
    def = pointDef(scene);
    def.bodyA = scene->stranger;
    return attach(scene, &def);
}

static vvResult sameEnds(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvAttachmentDef def = linkDef(scene);
    def.bodyB = scene->body;
    def.vertexB = def.vertexA;
    return attach(scene, &def);
}

static vvResult unpinnedMove(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvSoftBody_MovePin(scene->body, 17, (vvVec3){ 0, 0, 0 });
}

static vvResult targetOfALink(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvAttachment_MoveTarget(scene->link, (vvVec3){ 0, 0, 0 });
}

static void *allocateNothing(size_t size, size_t alignment, void *userData)
{
    (void)size;
    (void)alignment;
    (void)userData;
    return NULL;
}

static vvResult halfAnAllocator(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.allocator.allocate = allocateNothing;
    vvResult result;
    assert_null(vvCreateMesh(&mesh, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(result.remedy[0] != 0);
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.allocator.allocate = allocateNothing;
    vvCreateWorld(&def, &result);
    return result;
}

// ids of what is gone
static vvResult deadWorld(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyDef body = undampedDef();
    body.mesh = scene->box;
    assert_int_equal(createBody(scene->dead, &body).code, VV_BAD_ID);
    vvAttachmentDef attachment = pointDef(scene);
    vvResult result;
    vvCreateAttachment(scene->dead, &attachment, &result);
    assert_int_equal(result.code, VV_BAD_ID);
    assert_int_equal(vvWorld_Advance(scene->dead, 1).code, VV_BAD_ID);
    assert_int_equal(vvWorld_SetGravity(scene->dead, (vvVec3){ 0, 0, 0 }).code, VV_BAD_ID);
    assert_int_equal(vvWorld_SetMethod(scene->dead, "backward-euler").code, VV_BAD_ID);
    char state[8];
    assert_int_equal(vvWorld_GetStateSize(scene->dead), 0);
    assert_int_equal(vvWorld_SaveState(scene->dead, state, sizeof state).code, VV_BAD_ID);
    assert_int_equal(vvWorld_RestoreState(scene->dead, state, sizeof state).code, VV_BAD_ID);
    return vvWorld_Step(scene->dead, DT);
}

static vvResult deadBody(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvSoftBodyId body = scene->deadBody;
    int vertex = 0;
    float copy[3 * COUNT];
    assert_int_equal(vvSoftBody_SetPositions(body, scene->values).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_SetVelocities(body, scene->values).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyPositions(body, 1, copy, 12).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyNormals(body, copy, 12).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_SetForce(body, 0, (vvVec3){ 0, 0, 0 }).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_ClearForces(body).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_Pin(body, &vertex, 1).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_Unpin(body, &vertex, 1).code, VV_BAD_ID);
    double numbers[3 * COUNT];
    vvExamination found;
    assert_int_equal(vvSoftBody_CopyForces(body, numbers).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyEnergyDensities(body, numbers).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyStretches(body, numbers).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_Examine(body, &found).code, VV_BAD_ID);
    return vvSoftBody_MovePin(body, 0, (vvVec3){ 0, 0, 0 });
}

static vvResult deadAttachment(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    return vvAttachment_MoveTarget(scene->deadPoint, (vvVec3){ 0, 0, 0 });
}

static vvResult deadBodyA(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvAttachmentDef def = linkDef(scene);
    def.bodyA = (vvSoftBodyId){ 0, 0, 0 };
    assert_int_equal(attach(scene, &def).code, VV_BAD_ID);
    def.bodyA = scene->deadBody;
    return attach(scene, &def);
}

static vvResult deadBodyB(Scene *scene, const Mistake *mistake)
{
    (void)mistake;
    vvAttachmentDef def = linkDef(scene);
    def.bodyB = scene->deadBody; // not null: must not be taken for an attachment to a point
    return attach(scene, &def);
}

// meshes: two tets over the face 0 1 2, one of them with a mistake
static const double goodPoints[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1 };
static const int goodTets[] = { 0, 1, 2, 3, 0, 2, 1, 4 };

static vvResult createArrays(const double *points, const int *tets)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 5;
    def.tets = tets;
    def.tetCount = 2;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    assert_true((mesh != NULL) == (result.code == VV_OK));
    vvDestroyMesh(mesh);
    return result;
}

static vvResult badPoint(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    assert_int_equal(createArrays(goodPoints, goodTets).code, VV_OK);
    double points[15];
    memcpy(points, goodPoints, sizeof points);
    points[14] = mistake->value; // z of point 4; 0 makes its tet flat
    return createArrays(points, goodTets);
}

static vvResult badIndex(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    int tets[8];
    memcpy(tets, goodTets, sizeof tets);
    tets[7] = (int)mistake->value;
    return createArrays(goodPoints, tets);
}

static vvResult invertedTet(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    const int tets[] = { 0, 1, 2, 3, 0, 1, 2, 4 };
    return createArrays(goodPoints, tets);
}

static vvResult nullPoints(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    return createArrays(NULL, goodTets);
}

static vvResult nullMeshDef(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvResult result;
    assert_null(vvCreateMesh(NULL, &result));
    return result;
}

static vvResult emptyMeshDef(Scene *scene, const Mistake *mistake)
{
    (void)scene;
    (void)mistake;
    vvMeshDef def;
    memset(&def, 0, sizeof def);
    vvResult result;
    assert_null(vvCreateMesh(&def, &result));
    return result;
}

// clang-format off
#define NUMBER(make, type, field, value, says) \
    { #make " " #field " " #value, make, VV_BAD_INPUT, says, NULL, offsetof(type, field), value }
#define VALUE(make, value, says) { #make " " #value, make, VV_BAD_INPUT, says, NULL, 0, value }
#define CALL(make, code, says, hints) { #make, make, code, says, hints, 0, 0 }

static const Mistake mistakes[] = {
    // numbers of definitions
    NUMBER(spoiltWorld, vvWorldDef, gravity.x, NAN, "nan"),
    NUMBER(spoiltWorld, vvWorldDef, gravity.z, INFINITY, "gravity is 0 -9.81 inf"),
    NUMBER(spoiltWorld, vvWorldDef, tolerance, 0, "tolerance is 0"),
    NUMBER(spoiltWorld, vvWorldDef, tolerance, 2, "tolerance is 2"),
    NUMBER(spoiltWorld, vvWorldDef, tolerance, NAN, "nan"),
    NUMBER(spoiltWorld, vvWorldDef, timestep, 0, "timestep is 0"),
    NUMBER(spoiltWorld, vvWorldDef, timestep, -0.01, "timestep is -0.01"),
    NUMBER(spoiltWorld, vvWorldDef, timestep, NAN, "nan"),
    NUMBER(spoiltWorld, vvWorldDef, timestep, INFINITY, "timestep is inf"),
    NUMBER(spoiltWorld, vvWorldDef, timestep, 11, "timestep is 11"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.young, 0, "young is 0"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.young, -5, "young is -5 Pa"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.young, NAN, "nan"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.young, INFINITY, "young is inf"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.poisson, 0.5, "poisson is 0.5"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.poisson, 0.7, "poisson is 0.7"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.poisson, -1, "poisson is -1"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.poisson, NAN, "nan"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.density, 0, "density is 0"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.density, -930, "density is -930"),
    NUMBER(spoiltBody, vvSoftBodyDef, material.density, NAN, "nan"),
    NUMBER(spoiltBody, vvSoftBodyDef, position.y, NAN, "position"),
    NUMBER(spoiltBody, vvSoftBodyDef, velocity.x, INFINITY, "velocity is inf"),
    NUMBER(spoiltBody, vvSoftBodyDef, spin.z, -INFINITY, "spin is 0 0 -inf"),
    NUMBER(spoiltBody, vvSoftBodyDef, damping.mass, -0.5, "damping.mass is -0.5"),
    NUMBER(spoiltBody, vvSoftBodyDef, damping.mass, NAN, "nan"),
    NUMBER(spoiltBody, vvSoftBodyDef, damping.rigidPreserving, -0.5, "damping.rigidPreserving is -0.5"),
    NUMBER(spoiltBody, vvSoftBodyDef, damping.rigidPreserving, INFINITY, "damping.rigidPreserving is inf"),
    NUMBER(spoiltBody, vvSoftBodyDef, damping.rigidPreserving, NAN, "nan"),
    NUMBER(spoiltBody, vvSoftBodyDef, springStiffness[1], NAN, "springStiffness[1]"),
    NUMBER(spoiltSheet, vvSoftBodyDef, material.thickness, 0, "thickness is 0"),
    NUMBER(spoiltSheet, vvSoftBodyDef, material.thickness, -0.001, "thickness is -0.001"),
    NUMBER(spoiltSheet, vvSoftBodyDef, material.thickness, NAN, "nan"),
    NUMBER(spoiltPoint, vvAttachmentDef, stiffness, 0, "stiffness is 0"),
    NUMBER(spoiltPoint, vvAttachmentDef, stiffness, -3, "stiffness is -3"),
    NUMBER(spoiltPoint, vvAttachmentDef, stiffness, NAN, "nan"),
    NUMBER(spoiltPoint, vvAttachmentDef, stiffness, INFINITY, "stiffness is inf"),
    NUMBER(spoiltPoint, vvAttachmentDef, target.y, NAN, "target"),
    NUMBER(spoiltLink, vvAttachmentDef, stiffness, -1, "stiffness is -1"),
    NUMBER(spoiltLink, vvAttachmentDef, restLength, -0.5, "restLength is -0.5"),
    NUMBER(spoiltLink, vvAttachmentDef, restLength, NAN, "nan"),
    VALUE(badIterations, -1, "iterations is -1"),
    VALUE(badIterations, 10001, "iterations is 10001"),
    VALUE(badStepsPerAdvance, 0, "maxStepsPerAdvance is 0"),

    // numbers of calls
    VALUE(badStep, 0, "dt is 0"),
    VALUE(badStep, -0.5, "dt is -0.5"),
    VALUE(badStep, NAN, "nan"),
    VALUE(badStep, INFINITY, "dt is inf"),
    VALUE(badStep, 11, "dt is 11"),
    VALUE(badAdvance, -1, "seconds is -1"),
    VALUE(badAdvance, NAN, "nan"),
    VALUE(badAdvance, INFINITY, "seconds is inf"),
    VALUE(badGravity, NAN, "nan"),
    VALUE(badGravity, -INFINITY, "gravity is 0 -inf 0"),
    VALUE(badPositions, NAN, "position of vertex 20"),
    VALUE(badPositions, INFINITY, "inf in y"),
    VALUE(badVelocities, NAN, "velocity of vertex 26"),
    VALUE(badVelocities, -INFINITY, "-inf in z"),
    VALUE(badForce, NAN, "nan"),
    VALUE(badForce, INFINITY, "force is 0 0 inf"),
    VALUE(badPinTarget, NAN, "nan"),
    VALUE(badPinTarget, INFINITY, "target is inf 0 0"),
    VALUE(badPointTarget, NAN, "nan"),
    VALUE(badPointTarget, INFINITY, "target is inf 0 0"),
    VALUE(badInterpolation, 2, "interpolation is 2"),
    VALUE(badInterpolation, -0.1, "interpolation is -0.1"),
    VALUE(badInterpolation, NAN, "nan"),
    VALUE(badStride, 8, "strideBytes is 8"),
    VALUE(badStride, 14, "strideBytes is 14"),
    VALUE(badStride, -12, "strideBytes is -12"),
    VALUE(badForceVertex, 27, "vertex is 27, must be 0 to 26"),
    VALUE(badForceVertex, -1, "vertex is -1"),
    VALUE(badPinVertex, 27, "vertex is 27"),
    VALUE(badPinVertex, -2, "vertex is -2"),
    VALUE(badUnpinVertex, 1000, "vertex is 1000"),
    VALUE(badMovePinVertex, 27, "vertex is 27"),
    VALUE(badVertexA, 27, "vertex is 27"),
    VALUE(badVertexA, -1, "vertex is -1"),
    VALUE(badVertexB, 99, "vertex is 99"),

    // NULL, and definitions nobody filled in
    CALL(nullWorldDef, VV_BAD_INPUT, "world definition", "vvDefaultWorldDef"),
    CALL(emptyWorldDef, VV_BAD_INPUT, "world definition", "vvDefaultWorldDef"),
    CALL(nullBodyDef, VV_BAD_INPUT, "soft body definition", "vvDefaultSoftBodyDef"),
    CALL(emptyBodyDef, VV_BAD_INPUT, "soft body definition", "vvDefaultSoftBodyDef"),
    CALL(nullMesh, VV_BAD_INPUT, "mesh is NULL", "vvCreateMesh"),
    CALL(nullAttachmentDef, VV_BAD_INPUT, "attachment definition", "vvDefaultAttachmentDef"),
    CALL(emptyAttachmentDef, VV_BAD_INPUT, "attachment definition", "vvDefaultAttachmentDef"),
    CALL(nullPositions, VV_BAD_INPUT, "position is NULL", NULL),
    CALL(nullVelocities, VV_BAD_INPUT, "velocity is NULL", NULL),
    CALL(nullPins, VV_BAD_INPUT, "count is 4 and vertices is NULL", NULL),
    CALL(negativePins, VV_BAD_INPUT, "count is -3", NULL),
    CALL(nullCopy, VV_BAD_INPUT, "target is NULL", NULL),

    // words
    CALL(badMethod, VV_BAD_INPUT, "backwards-eular", "did you mean backward-euler"),
    CALL(nullMethod, VV_BAD_INPUT, "method", "did you mean"),
    CALL(badSetMethod, VV_BAD_INPUT, "implicit-middle", "did you mean implicit-midpoint"),
    CALL(badSolver, VV_BAD_INPUT, "neuton", "did you mean newton"),
    CALL(badModel, VV_BAD_INPUT, "squared-sprang", "did you mean 'squared-spring'"),
    CALL(energyThatIsNoModel, VV_BAD_INPUT, "gravity", "did you mean"),
    CALL(longWord, VV_BAD_INPUT, "qqqqqqqq", "did you mean"),

    // things that do not go together
    CALL(corotatedSheet, VV_BAD_INPUT, "corotated", "spring"),
    CALL(noSprings, VV_BAD_INPUT, "edges", "springStiffness"),
    CALL(bodyOfAnotherWorld, VV_BAD_INPUT, "another world", NULL),
    CALL(sameEnds, VV_BAD_INPUT, "both ends are vertex 22", NULL),
    CALL(unpinnedMove, VV_BAD_INPUT, "vertex 17 is not pinned", "vvSoftBody_Pin"),
    CALL(targetOfALink, VV_BAD_INPUT, "no target", NULL),
    CALL(halfAnAllocator, VV_BAD_INPUT, "allocator", "both"),

    // ids of what is gone
    CALL(noRoomForState, VV_BAD_INPUT, "8 bytes", "GetStateSize"),
    CALL(noState, VV_BAD_INPUT, "46 bytes", "SaveState"),
    CALL(longName, VV_BAD_INPUT, "67 bytes", "63"),
    CALL(deadWorld, VV_BAD_ID, "world", "IsValid"),
    CALL(deadBody, VV_BAD_ID, "soft body", "IsValid"),
    CALL(deadAttachment, VV_BAD_ID, "attachment", "IsValid"),
    CALL(deadBodyA, VV_BAD_ID, "bodyA", "IsValid"),
    CALL(deadBodyB, VV_BAD_ID, "bodyB", "IsValid"),

    // meshes
    VALUE(badPoint, NAN, "point 4"),
    VALUE(badPoint, INFINITY, "inf"),
    VALUE(badPoint, 0, "tet 1 is flat"),
    VALUE(badPoint, -1e-13, "tet 1 is flat"),
    VALUE(badIndex, 5, "point 5"),
    VALUE(badIndex, -1, "point -1"),
    VALUE(badIndex, 2, "point 2 twice"),
    CALL(invertedTet, VV_BAD_INPUT, "tet 1 has the volume -0.167", "reorient"),
    CALL(nullPoints, VV_BAD_INPUT, "point", NULL),
    CALL(nullMeshDef, VV_BAD_INPUT, "NULL", "vvDefaultMeshDef"),
    CALL(emptyMeshDef, VV_BAD_INPUT, "cookie", "vvDefaultMeshDef"),
};
// clang-format on

// ---- the tests ------------------------------------------------------------------------------------------------------

static void checkAnswer(const Mistake *mistake, const vvResult *result)
{
    if (result->code != mistake->code)
        fail_msg("%s: code is '%s', want '%s'; message '%s'", mistake->what, vvCode_GetName(result->code),
                 vvCode_GetName(mistake->code), result->message);
    if (strstr(result->message, mistake->says) == NULL)
        fail_msg("%s: message '%s' does not say '%s'", mistake->what, result->message, mistake->says);
    if (result->remedy[0] == 0)
        fail_msg("%s: '%s' has no remedy", mistake->what, result->message);
    if (mistake->hints != NULL && strstr(result->message, mistake->hints) == NULL &&
        strstr(result->remedy, mistake->hints) == NULL)
        fail_msg("%s: neither '%s' nor '%s' hints at '%s'", mistake->what, result->message, result->remedy,
                 mistake->hints);
}

static void mistakesAreRefusedWithoutATrace(void **state)
{
    (void)state;
    Scene innocent = makeScene();
    step(innocent.world, 3);
    uint64_t want = vvWorld_GetHash(innocent.world);
    vvLedger wantLedger = vvWorld_GetLedger(innocent.world);
    endScene(&innocent);
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    {
        const Mistake *mistake = &mistakes[i];
        Scene scene = makeScene();
        uint64_t before = vvWorld_GetHash(scene.world);
        vvStatistics counts = vvWorld_GetStatistics(scene.world);
        vvResult result = mistake->make(&scene, mistake);
        checkAnswer(mistake, &result);
        if (vvWorld_GetHash(scene.world) != before)
            fail_msg("%s: the state changed", mistake->what);
        vvStatistics after = vvWorld_GetStatistics(scene.world);
        if (after.bodyCount != counts.bodyCount || after.attachmentCount != counts.attachmentCount ||
            after.vertexCount != counts.vertexCount || after.islandCount != counts.islandCount)
            fail_msg("%s: something was left behind", mistake->what);
        step(scene.world, 3);
        vvLedger ledger = vvWorld_GetLedger(scene.world);
        if (vvWorld_GetHash(scene.world) != want)
            fail_msg("%s: the run after it differs", mistake->what);
        if (ledger.added != wantLedger.added || ledger.target != wantLedger.target)
            fail_msg("%s: the books differ", mistake->what);
        endScene(&scene);
    }
}

// every mistake one after the other in one world
static void allMistakesInOneWorld(void **state)
{
    (void)state;
    Scene innocent = makeScene(), clumsy = makeScene();
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    {
        memcpy(clumsy.values, vvSoftBody_GetPositions(clumsy.body), sizeof clumsy.values);
        vvResult result = mistakes[i].make(&clumsy, &mistakes[i]);
        checkAnswer(&mistakes[i], &result);
        if (i % 8 == 0)
        {
            step(innocent.world, 1);
            step(clumsy.world, 1);
        }
        if (vvWorld_GetHash(innocent.world) != vvWorld_GetHash(clumsy.world))
            fail_msg("%s: left a trace", mistakes[i].what);
    }
    endScene(&innocent);
    endScene(&clumsy);
}

// ---- runs that explode ----------------------------------------------------------------------------------------------

static void explosionIsReportedAndUndone(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "symplectic-euler";
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef bodyDef = undampedDef(); // rubber: the step limit is a few milliseconds
    bodyDef.mesh = mesh;
    vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, NULL);
    vvDestroyMesh(mesh);
    int pin = 0;
    vvSoftBody_Pin(body, &pin, 1);

    vvResult result = { .code = VV_OK };
    uint64_t before = 0;
    double time = 0;
    vvLedger ledger = { 0 };
    int steps = 0;
    for (; result.code == VV_OK && steps < 200; ++steps)
    {
        before = vvWorld_GetHash(world);
        time = vvWorld_GetTime(world);
        ledger = vvWorld_GetLedger(world);
        result = vvWorld_Step(world, 0.1);
    }
    assert_int_equal(result.code, VV_DIVERGED);
    assert_true(steps > 1);
    assert_non_null(strstr(result.message, "symplectic-euler"));
    assert_non_null(strstr(result.remedy, "backward-euler"));
    assert_true(vvWorld_GetHash(world) == before);
    assert_true(vvWorld_GetTime(world) == time);
    assert_int_equal(vvWorld_GetStatistics(world).stepCount, steps - 1);
    assert_true(vvWorld_GetLedger(world).added == ledger.added && vvWorld_GetLedger(world).total == ledger.total);
    const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body);
    for (int i = 0; i < 3 * COUNT; ++i)
        assert_true(isfinite(x[i]) && isfinite(v[i]));

    // again the same answer; then the remedy works
    assert_int_equal(vvWorld_Step(world, 0.1).code, VV_DIVERGED);
    assert_true(vvWorld_GetHash(world) == before);
    assert_int_equal(vvWorld_SetMethod(world, "backward-euler").code, VV_OK);
    // backward Euler does not invent energy for long: the wreck calms down
    for (int i = 0; i < 60; ++i)
        assert_int_equal(vvWorld_Step(world, DT).code, VV_OK);
    CHECK_BELOW(vvWorld_GetLedger(world).total, 1e-6 * ledger.total);
    vvDestroyWorld(world);
}

// the store of Advance is not lost with the step that failed
static void explosionInsideAdvance(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "symplectic-euler";
    def.timestep = 0.125;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, NULL);
    vvDestroyMesh(mesh);
    int pin = 0;
    vvSoftBody_Pin(body, &pin, 1);
    vvResult result = { .code = VV_OK };
    for (int i = 0; result.code == VV_OK && i < 200; ++i)
        result = vvWorld_Advance(world, 0.25);
    assert_int_equal(result.code, VV_DIVERGED);
    assert_true(vvWorld_GetInterpolation(world) <= 1);
    assert_true(vvWorld_GetTime(world) == 0.125 * (double)vvWorld_GetStatistics(world).stepCount);
    assert_int_equal(vvWorld_SetMethod(world, "backward-euler").code, VV_OK);
    assert_int_equal(vvWorld_Advance(world, 0.125).code, VV_OK);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakesAreRefusedWithoutATrace),
        cmocka_unit_test(allMistakesInOneWorld),
        cmocka_unit_test(explosionIsReportedAndUndone),
        cmocka_unit_test(explosionInsideAdvance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
