// What is hardest on sheets, ropes and solids that may not cross: crumpling, twisting, stuffing, throwing. Shared by
// the test and the long run; `seed` varies sizes and speeds.
#ifndef TESTS_CONTACT_ORDEALS_H
#define TESTS_CONTACT_ORDEALS_H

#include "contact/apart.h"

#define TURNS 20 // of one hand against the other

typedef enum OrdealKind
{
    ORDEAL_CRUMPLE, // between four plates that close and open
    ORDEAL_TWIST,   // between two hands
    ORDEAL_STUFF,   // into a box by a ball
    ORDEAL_THROW,   // sheets, ropes and solids onto sheets
    ORDEALS
} OrdealKind;

typedef struct Ordeal
{
    OrdealKind kind;
    Twist twist; // its scene is that of all kinds
    vvColliderId mover[4];
    int frames; // that it takes
    int frame;
} Ordeal;

static const char *const ordealName[ORDEALS] = { "crumpling", "twisting", "stuffing", "throwing" };

static inline vvColliderId apartBox(const ApartScene *scene, vvVec3 size, vvVec3 position)
{
    vvColliderDef def = vvDefaultColliderDef();
    def.position = position;
    return makeCollider(scene->world, boxShape(size.x, size.y, size.z), def);
}

// m: where a plate is; it closes and opens in two seconds
static inline vvVec3 plateAt(int plate, int frame)
{
    double at = 0.45 - 0.16 * (1 - cos(2 * 3.14159265358979 * frame / 120.0)), side = plate % 2 ? at : -at;
    return (vvVec3){ plate / 2 ? 0 : side, 0.3, plate / 2 ? side : 0 };
}

static inline void crumpled(Ordeal *ordeal, TestRandom *random)
{
    ApartScene *scene = &ordeal->twist.scene;
    int cells = 12 + (int)randomBetween(random, 0, 5);
    *scene = apartScene(1, true);
    apartSheet(scene, (vvVec3){ 0.7, 1, 0.7 }, cells, cells,
               (vvVec3){ randomBetween(random, -20, 20), 0, randomBetween(random, -20, 20) }, (vvVec3){ 0, 0.25, 0 });
    for (int k = 0; k < 4; ++k)
        ordeal->mover[k] =
            apartBox(scene, k / 2 ? (vvVec3){ 1.2, 0.8, 0.1 } : (vvVec3){ 0.1, 0.8, 1.2 }, plateAt(k, 0));
    ordeal->frames = 360;
}

// m: of the middle of the ball; down and up in two seconds
static inline vvVec3 ballAt(int frame)
{
    return (vvVec3){ 0, 0.36 + 0.24 * cos(2 * 3.14159265358979 * frame / 120.0), 0 };
}

static inline void stuffed(Ordeal *ordeal, TestRandom *random)
{
    ApartScene *scene = &ordeal->twist.scene;
    int cells = 12 + (int)randomBetween(random, 0, 5);
    *scene = apartScene(1, true);
    for (int k = 0; k < 4; ++k)
    {
        double side = k % 2 ? 0.22 : -0.22;
        apartBox(scene, k / 2 ? (vvVec3){ 0.54, 0.3, 0.1 } : (vvVec3){ 0.1, 0.3, 0.54 },
                 (vvVec3){ k / 2 ? 0 : side, 0.15, k / 2 ? side : 0 });
    }
    apartSheet(scene, (vvVec3){ 0.7, 1, 0.7 }, cells, cells, (vvVec3){ 0, randomBetween(random, 0, 90), 0 },
               (vvVec3){ 0, 0.34, 0 });
    vvColliderDef ball = vvDefaultColliderDef();
    ball.position = ballAt(0);
    ordeal->mover[0] = makeCollider(scene->world, sphereShape(0.09), ball);
    ordeal->frames = 360;
}

static inline void throwBody(ApartScene *scene, TestRandom *random, vvMeshShape shape, int number)
{
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.shape = shape;
    mesh.size = shape == VV_MESH_ROPE ? (vvVec3){ 0.6, 1, 1 } : (vvVec3){ 0.16, 0.16, 0.16 };
    mesh.cells[0] = shape == VV_MESH_ROPE ? 20 : 2;
    mesh.cells[1] = mesh.cells[2] = 2;
    mesh.rotate = (vvVec3){ randomBetween(random, 0, 90), randomBetween(random, 0, 90), 0 };
    vvSoftBodyDef def = elasticDef(shape == VV_MESH_ROPE ? 1000 : 500, 1e5, 0.3);
    def.material.thickness = shape == VV_MESH_ROPE ? 0.01 : def.material.thickness;
    def.damping.stiffness = 1e-3;
    def.selfContact = shape == VV_MESH_ROPE;
    def.position = (vvVec3){ randomBetween(random, -0.2, 0.2), 0.75 + 0.3 * number, randomBetween(random, -0.2, 0.2) };
    def.velocity =
        (vvVec3){ randomBetween(random, -2, 2), randomBetween(random, -6, -1), randomBetween(random, -2, 2) };
    vvResult result;
    vvMesh *made = vvCreateMesh(&mesh, &result);
    CHECK_OK(result);
    scene->self[scene->bodyCount] = def.selfContact;
    scene->body[scene->bodyCount++] = makeBody(scene->world, made, def);
}

static inline void thrown(Ordeal *ordeal, TestRandom *random)
{
    ApartScene *scene = &ordeal->twist.scene;
    *scene = apartScene(1, true);
    for (int k = 0; k < 2; ++k)
        apartSheet(scene, (vvVec3){ 0.8, 1, 0.8 }, 9, 9, (vvVec3){ 0, randomBetween(random, 0, 90), 0 },
                   (vvVec3){ 0, 0.2 + 0.2 * k, 0 });
    throwBody(scene, random, VV_MESH_ROPE, 0);
    throwBody(scene, random, VV_MESH_BOX, 1);
    throwBody(scene, random, VV_MESH_ROPE, 2);
    throwBody(scene, random, VV_MESH_BOX, 3);
    apartSheet(scene, (vvVec3){ 0.4, 1, 0.4 }, 6, 6,
               (vvVec3){ randomBetween(random, 0, 90), randomBetween(random, 0, 90), 0 }, (vvVec3){ 0, 2.2, 0 });
    ordeal->frames = 200;
}

static inline Ordeal ordealBegin(OrdealKind kind, TestRandom *random)
{
    Ordeal ordeal = { .kind = kind };
    if (kind == ORDEAL_CRUMPLE)
        crumpled(&ordeal, random);
    else if (kind == ORDEAL_STUFF)
        stuffed(&ordeal, random);
    else if (kind == ORDEAL_THROW)
        thrown(&ordeal, random);
    else
    {
        ordeal.twist = twistedStrip(1, 2, 0.04, 120, 2);
        ordeal.frames = 300 + (int)randomBetween(random, 0, 300);
    }
    return ordeal;
}

// returns how many crossings there are after it
static inline int ordealStep(Ordeal *ordeal)
{
    vvQuat upright = vvQuat_FromDegrees((vvVec3){ 0, 0, 0 });
    ordeal->frame += 1;
    if (ordeal->kind == ORDEAL_TWIST) // each hand half of it
        twistOn(&ordeal->twist, TURNS * 3.14159265358979 / ordeal->frames);
    for (int k = 0; k < 4 && ordeal->kind == ORDEAL_CRUMPLE; ++k)
        CHECK_OK(vvCollider_MoveTo(ordeal->mover[k], plateAt(k, ordeal->frame), upright));
    if (ordeal->kind == ORDEAL_STUFF)
        CHECK_OK(vvCollider_MoveTo(ordeal->mover[0], ballAt(ordeal->frame), upright));
    return apartStep(&ordeal->twist.scene);
}

#endif
