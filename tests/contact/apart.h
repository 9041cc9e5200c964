// Scenes in which bodies fold, meet and tangle, and nothing may cross: shared by the test and the long run.
#ifndef TESTS_CONTACT_APART_H
#define TESTS_CONTACT_APART_H

#include "contact/crossings.h"
#include "contact/ground.h"

#define APART_H (1.0 / 60)
#define APART_BODIES 8

typedef struct ApartScene
{
    vvWorldId world;
    int bodyCount;
    vvSoftBodyId body[APART_BODIES];
    bool self[APART_BODIES];
} ApartScene;

static const char *apartMethod = "small-midpoint"; // of the scenes to come

static inline ApartScene apartScene(int threads, bool floor)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = apartMethod;
    def.softContact = true;
    def.threads = threads;
    vvResult result;
    ApartScene scene = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    vvColliderDef plane = vvDefaultColliderDef();
    plane.restitution = 0;
    if (floor)
        makeCollider(scene.world, planeShape(), plane);
    return scene;
}

static inline vvSoftBodyId apartSheet(ApartScene *scene, vvVec3 size, int nx, int nz, vvVec3 rotate, vvVec3 position)
{
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.shape = VV_MESH_SHEET;
    mesh.size = size;
    mesh.cells[0] = nx;
    mesh.cells[2] = nz;
    mesh.rotate = rotate;
    vvSoftBodyDef def = elasticDef(200, 1e6, 0.3);
    def.material.thickness = 1e-3;
    def.damping.stiffness = 1e-3;
    def.selfContact = true;
    def.position = position;
    vvResult result;
    vvMesh *made = vvCreateMesh(&mesh, &result);
    CHECK_OK(result);
    scene->self[scene->bodyCount] = true;
    return scene->body[scene->bodyCount++] = makeBody(scene->world, made, def);
}

// stands on its edge, falls and folds
static inline ApartScene foldingSheet(int threads, int cells)
{
    ApartScene scene = apartScene(threads, true);
    apartSheet(&scene, (vvVec3){ 1, 1, 0.5 }, cells, cells / 2, (vvVec3){ 0, 0, 89 }, (vvVec3){ 0, 0.55, 0 });
    return scene;
}

static inline ApartScene droppedSheets(int threads, int cells)
{
    ApartScene scene = apartScene(threads, true);
    vvColliderDef ball = vvDefaultColliderDef();
    ball.restitution = 0;
    ball.position = (vvVec3){ 0, 0.25, 0 };
    makeCollider(scene.world, sphereShape(0.2), ball);
    for (int k = 0; k < 2; ++k)
        apartSheet(&scene, (vvVec3){ 1, 1, 1 }, cells, cells, (vvVec3){ 0, 35.0 * k, 0 },
                   (vvVec3){ 0, 0.5 + 0.03 * k, 0 });
    return scene;
}

// a solid that is thrown at a sheet with nothing to hold it
static inline ApartScene thrownSolids(int threads, TestRandom *random)
{
    ApartScene scene = apartScene(threads, true);
    apartSheet(&scene, (vvVec3){ 0.8, 1, 0.8 }, 8, 8, (vvVec3){ 0, randomBetween(random, 0, 90), 0 },
               (vvVec3){ 0, 0.3, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.damping.stiffness = 1e-3;
    def.position = (vvVec3){ randomBetween(random, -0.1, 0.1), 0.7, randomBetween(random, -0.1, 0.1) };
    def.velocity =
        (vvVec3){ randomBetween(random, -2, 2), randomBetween(random, -4, -1), randomBetween(random, -2, 2) };
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.size = (vvVec3){ 0.3, 0.3, 0.3 };
    mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = 3;
    mesh.rotate = (vvVec3){ randomBetween(random, 0, 90), randomBetween(random, 0, 90), 0 };
    vvResult result;
    vvMesh *made = vvCreateMesh(&mesh, &result);
    CHECK_OK(result);
    scene.body[scene.bodyCount++] = makeBody(scene.world, made, def);
    return scene;
}

// two ends of a sheet are held, and turned against each other
typedef struct Twist
{
    ApartScene scene;
    double angle;   // rad, so far
    double nearest; // m, that each hand comes nearer, at most
    int heldCount[2], held[2][128];
    vvVec3 at[2][128];
} Twist;

static inline Twist twistedStrip(int threads, double length, double width, int along, int across)
{
    Twist twist = { .scene = apartScene(threads, false), .nearest = fmin(0.25, 0.625 * width) };
    vvSoftBodyId body =
        apartSheet(&twist.scene, (vvVec3){ length, 1, width }, along, across, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 1, 0 });
    int count = vvMesh_GetVertexCount(vvSoftBody_GetMesh(body));
    for (int v = 0; v < count; ++v)
    {
        vvVec3 x = vertexPosition(body, v);
        int end = x.x > 0;
        if (fabs(fabs(x.x) - 0.5 * length) > 1e-6 || twist.heldCount[end] == 128)
            continue;
        twist.at[end][twist.heldCount[end]] = x;
        twist.held[end][twist.heldCount[end]++] = v;
    }
    for (int end = 0; end < 2; ++end)
        CHECK_OK(vvSoftBody_Pin(body, twist.held[end], twist.heldCount[end]));
    return twist;
}

static inline Twist twistedSheet(int threads, int cells)
{
    return twistedStrip(threads, 1, 0.4, cells, cells / 2);
}

static inline void twistOn(Twist *twist, double angle)
{
    twist->angle += angle;
    for (int end = 0; end < 2; ++end)
    {
        double a = end ? twist->angle : -twist->angle, nearer = fmin(twist->nearest, 0.006 * fabs(twist->angle));
        for (int k = 0; k < twist->heldCount[end]; ++k)
        {
            vvVec3 x = twist->at[end][k];
            double y = x.y - 1;
            vvVec3 to = { x.x - (end ? nearer : -nearer), 1 + cos(a) * y - sin(a) * x.z, sin(a) * y + cos(a) * x.z };
            CHECK_OK(vvSoftBody_MovePin(twist->scene.body[0], twist->held[end][k], to));
        }
    }
}

// one rope falls over another that is held at both ends
static inline ApartScene ropes(int threads)
{
    ApartScene scene = apartScene(threads, false);
    for (int k = 0; k < 2; ++k)
    {
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.shape = VV_MESH_ROPE;
        mesh.size.x = 1;
        mesh.cells[0] = 23 + 6 * k;
        mesh.rotate = (vvVec3){ 0, 80.0 * k, 0 };
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
        def.material.thickness = 0.01;
        def.damping.stiffness = 2e-3;
        def.friction = 1;
        def.selfContact = true;
        def.position = (vvVec3){ 0.013 * k, 1 + 0.1 * k, 0.007 * k };
        vvResult result;
        vvMesh *made = vvCreateMesh(&mesh, &result);
        CHECK_OK(result);
        scene.self[scene.bodyCount] = def.selfContact;
        scene.body[scene.bodyCount++] = makeBody(scene.world, made, def);
    }
    int ends[2] = { 0, 23 };
    CHECK_OK(vvSoftBody_Pin(scene.body[0], ends, 2));
    return scene;
}

static inline int apartStep(const ApartScene *scene)
{
    CHECK_OK(vvWorld_Step(scene->world, APART_H));
    return countCrossings(scene->body, scene->self, scene->bodyCount);
}

#endif
