// Bodies whose mesh changes while they run: random changes over real-time methods and shapes, and all that they keep.
#ifndef TESTS_WORLD_CHANGES_H
#define TESTS_WORLD_CHANGES_H

#include "methods.h"
#include "scenes.h"

#include <stdlib.h>

static unsigned seedNow;

static unsigned draw(unsigned below)
{
    seedNow = seedNow * 1664525u + 1013904223u;
    return (seedNow >> 8) % below;
}

// ---- scenes ---------------------------------------------------------------------------------------------------------

#define SHAPES 6

static const char *const methods[] = { "small-midpoint", "stabilized", "small-steps",
                                       "backward-euler", "pbd",        "implicit-midpoint" };
#define METHODS ((int)(sizeof methods / sizeof methods[0]))

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
    double step;
} Scene;

static vvMesh *meshOf(int shape)
{
    if (shape == 5)
        return vvCreateRopeMesh(1, 12);
    return shape < 3 ? vvCreateSheetMesh(1, 0.8, 5, 4) : vvCreateBoxMesh((vvVec3){ 0.8, 0.4, 0.4 }, 4, 2, 2);
}

static void addConstraints(vvSoftBodyId body, int shape)
{
    vvResult result = { .code = VV_OK };
    double reach[64];
    for (int v = 0; v < 64; ++v)
        reach[v] = v % 3 ? 0.3 : INFINITY;
    vvTetherDef tethers = vvDefaultTetherDef();
    vvSkinDef skin = vvDefaultSkinDef();
    skin.maxDistances = reach;
    int hinge[4] = { 6, 7, 1, 12 };
    vvHingeDef bent = vvDefaultHingeDef();
    bent.vertices = hinge;
    bent.count = 1;
    bent.maxAngle = 30;
    bent.stiffness = 0.01;
    if (shape == 2)
        vvCreateTethers(body, &tethers, &result);
    else if (shape == 4)
        vvCreateSkin(body, &skin, &result);
    else if (shape == 1)
        vvCreateHinge(body, &bent, &result);
    CHECK_OK(result);
}

static Scene makeScene(const char *method, int shape, int threads)
{
    static double factors[400];
    for (int i = 0; i < 400; ++i)
        factors[i] = 1 + 0.25 * (i % 5);
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.threads = threads;
    worldDef.softContact = shape == 1 || shape == 3;
    worldDef.timestep = stepFor(method, 1.0 / 128, 1.0 / 1024);
    vvResult result;
    Scene scene = { .step = worldDef.timestep, .world = vvCreateWorld(&worldDef, &result) };
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(800, 2e4, 0.3);
    static const char *const models[SHAPES] = { "triangle",           "spring", "triangle", "corotated",
                                                "stable-neo-hookean", "spring" };
    def.model = models[shape];
    def.material.thickness = shape < 3 ? 0.002 : 0.02;
    def.material.young = shape < 3 ? 2e5 : 2e4;
    def.spin = (vvVec3){ 1, 0.5, 2 };
    def.velocity = (vvVec3){ 0.3, 0, 0.1 };
    def.position = (vvVec3){ 0, shape == 0 || shape == 3 ? 0.05 : 0.6, 0 }; // those with a ground touch it
    def.elementStiffness = shape == 0 || shape == 3 ? factors : NULL;
    def.bendingModel = shape == 2 ? "dihedral" : NULL;
    def.selfContact = shape == 1;
    scene.body = makeBody(scene.world, meshOf(shape), def);
    if (shape == 1 || shape == 4)
        attachToPoint(scene.world, scene.body, 2, 30);
    int pins[2] = { 0, 5 };
    if (shape == 2 || shape == 4)
        CHECK_OK(vvSoftBody_Pin(scene.body, pins, shape == 2 ? 2 : 1));
    if (shape == 0 || shape == 3)
    {
        vvShapeDef plane = vvDefaultShapeDef();
        plane.kind = VV_SHAPE_PLANE;
        plane.normal = (vvVec3){ 0, 1, 0 };
        vvShape *ground = vvCreateShape(&plane, NULL);
        vvColliderDef collider = vvDefaultColliderDef();
        collider.shape = ground;
        vvCreateCollider(scene.world, &collider, &result);
        CHECK_OK(result);
        vvDestroyShape(ground);
    }
    addConstraints(scene.body, shape);
    CHECK_OK(vvSoftBody_SetForce(scene.body, 3, (vvVec3){ 0.01, 0, 0.02 }));
    CHECK_OK(vvWorld_Step(scene.world, scene.step)); // limits have been looked for
    return scene;
}

// ---- changes --------------------------------------------------------------------------------------------------------

static vvResult splitSomewhere(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int tets = vvMesh_GetTetCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh), facets[36], count = 0;
    if (tets == 0 && triangles == 0)
    {
        facets[0] = vvMesh_GetEdges(mesh)[draw(2 * (unsigned)vvMesh_GetEdgeCount(mesh))];
        return vvSoftBody_Split(body, facets, 1);
    }
    int corners = tets > 0 ? 4 : 3;
    const int *cell = (tets > 0 ? vvMesh_GetTets(mesh) : vvMesh_GetSurface(mesh)) +
                      (size_t)corners * draw((unsigned)(tets > 0 ? tets : triangles));
    int most = 1 + (int)draw((unsigned)corners); // facets of one cell, up to all of them
    for (int k = 0; k < most; ++k)
    {
        for (int c = 0; c < corners; ++c)
        {
            if (c != k)
                facets[count++] = cell[c];
        }
    }
    return vvSoftBody_Split(body, facets, most);
}

static vvResult cutSomewhere(vvSoftBodyId body)
{
    vvVec3 c = vvSoftBody_GetCentreOfMass(body);
    double turn = 0.1 * draw(63), x = cos(turn), z = sin(turn);
    vvBlade blade = { { { c.x - x, c.y - 2, c.z - z }, { c.x - x, c.y + 2, c.z - z } },
                      { { c.x + x, c.y - 2, c.z + z }, { c.x + x, c.y + 2, c.z + z } } };
    return vvSoftBody_Cut(body, &blade);
}

static void checkClose(double a, double b, double scale, double most, const char *what)
{
    if (!(fabs(a - b) <= most * scale))
        fail_msg("%s is %.17g, was %.17g: %.3g of %.3g", what, a, b, fabs(a - b) / scale, scale);
}

static void checkVectors(vvVec3 a, vvVec3 b, double scale, const char *what)
{
    checkClose(a.x, b.x, scale, 1e-10, what);
    checkClose(a.y, b.y, scale, 1e-10, what);
    checkClose(a.z, b.z, scale, 1e-10, what);
}

// all that a change keeps
static void change(Scene *scene, int kind)
{
    vvLedger before = vvWorld_GetLedger(scene->world);
    double mass = vvSoftBody_GetMass(scene->body);
    int vertices = vvSoftBody_GetVertexCount(scene->body), events = vvWorld_GetMeshEvents(scene->world, NULL, 0),
        element = 0;
    vvResult result = kind == 0   ? splitSomewhere(scene->body)
                      : kind == 1 ? cutSomewhere(scene->body)
                                  : vvSoftBody_Remove(scene->body, &element, 1);
    CHECK_OK(result);
    vvLedger after = vvWorld_GetLedger(scene->world);
    assert_int_equal(vvWorld_GetMeshEvents(scene->world, NULL, 0), events + 1);
    assert_true(vvSoftBody_GetVertexCount(scene->body) >= vertices);
    // 1e-9 of what was exchanged, and what sums of the energies are rounded by
    double scale = before.kinetic + fabs(before.elastic) + fabs(before.gravity) + before.contact;
    double exchanged = fabs(after.dissipated - before.dissipated) + fabs(after.added - before.added);
    checkClose(after.numerical, before.numerical, exchanged + 1e-5 * scale, 1e-9, "numerical");
    if (kind == 2)
        return;
    checkClose(vvSoftBody_GetMass(scene->body), mass, mass, 1e-12, "the mass");
    double size = 3, momentum = sqrt(2 * before.kinetic * mass) + 1e-300;
    checkVectors(after.momentum, before.momentum, momentum, "momentum");
    checkVectors(after.angularMomentum, before.angularMomentum, size * momentum, "angular momentum");
}

typedef struct Saved
{
    unsigned char *bytes;
    size_t size;
} Saved;

static Saved save(vvWorldId world)
{
    Saved saved = { .size = vvWorld_GetStateSize(world) };
    saved.bytes = malloc(saved.size);
    CHECK_OK(vvWorld_SaveState(world, saved.bytes, saved.size));
    return saved;
}

static void frame(Scene *scene, int number, unsigned seed)
{
    seedNow = seed + 977u * (unsigned)number;
    if (number % 2 == 1)
        change(scene, number % 8 == 5 ? 1 : number % 8 == 7 ? 2 : 0);
    CHECK_OK(vvWorld_Step(scene->world, scene->step));
}

// a run of so many frames, a change in every second one; returns how many changes there were, in two worlds
static int run(const char *method, int shape, unsigned seed, int frames)
{
    Scene scene = makeScene(method, shape, 1), other = makeScene(method, shape, 3);
    Saved *saved = malloc(sizeof(Saved) * (size_t)frames);
    uint64_t *hash = malloc(sizeof(uint64_t) * (size_t)(frames + 1));
    vvLedger *ledger = malloc(sizeof(vvLedger) * (size_t)(frames + 1));
    for (int k = 0; k < frames; ++k)
    {
        saved[k] = save(scene.world);
        hash[k] = vvWorld_GetHash(scene.world);
        ledger[k] = vvWorld_GetLedger(scene.world);
        frame(&scene, k, seed);
    }
    hash[frames] = vvWorld_GetHash(scene.world);
    for (int k = frames - 1; k >= 0; --k)
    {
        const Scene *into = k % 2 ? &scene : &other;
        CHECK_OK(vvWorld_RestoreState(into->world, saved[k].bytes, saved[k].size));
        if (vvWorld_GetHash(into->world) != hash[k])
            fail_msg("%s, shape %d, seed %u: the state before frame %d of %d comes back with other bits in %s world",
                     method, shape, seed, k, frames, k % 2 ? "this" : "another");
        vvLedger now = vvWorld_GetLedger(into->world);
        checkClose(now.numerical, ledger[k].numerical, 1, 0, "numerical after restoring");
        Saved again = save(into->world);
        assert_int_equal(again.size, saved[k].size);
        assert_memory_equal(again.bytes, saved[k].bytes, again.size);
        free(again.bytes);
    }
    for (int k = 0; k < frames; ++k)
    {
        frame(&other, k, seed);
        if (vvWorld_GetHash(other.world) != hash[k + 1])
            fail_msg("%s, shape %d, seed %u: frame %d of %d has other bits with three threads", method, shape, seed, k,
                     frames);
    }
    for (int k = 0; k < frames; ++k)
        free(saved[k].bytes);
    free(saved);
    free(hash);
    free(ledger);
    int changes = vvSoftBody_GetChangeCount(scene.body) + vvSoftBody_GetChangeCount(other.body);
    vvDestroyWorld(scene.world);
    vvDestroyWorld(other.world);
    return changes;
}

#endif
