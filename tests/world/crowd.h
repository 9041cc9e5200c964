// Worlds of many small bodies from a seed: solids, sheets and ropes that fall onto a plane and a ball, some linked in
// pairs.
#ifndef TESTS_WORLD_CROWD_H
#define TESTS_WORLD_CROWD_H

#include "check.h"
#include "undamped.h"

#include <verve/verve.h>

#include <stdlib.h>

typedef struct CrowdDef
{
    unsigned seed;
    int bodies, threads;
    const char *method;
    bool softContact;      // bodies collide
    bool links;            // every fifth is linked to the one before
    bool space;            // no colliders and no weight; bodies fly towards each other
    bool ropes;            // all of them
    double room;           // m, between two bodies of the grid
    double sleepEnergy;    // J/kg
    vvAllocator allocator; // none: malloc
} CrowdDef;

static inline double crowdNoise(unsigned *seed) // 0 to 1
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24);
}

static inline vvMesh *crowdMesh(int kind)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = kind == 0 ? VV_MESH_BOX : kind == 1 ? VV_MESH_SHEET : VV_MESH_ROPE;
    def.size = (vvVec3){ 0.4, 0.4, 0.4 };
    def.cells[0] = def.cells[1] = def.cells[2] = 2 + kind;
    return vvCreateMesh(&def, NULL);
}

static inline void crowdCollider(vvWorldId world, vvShapeKind kind, vvVec3 position)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = kind;
    shape.radius = 0.5;
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    assert_int_equal(result.code, VV_OK);
    def.position = position;
    vvCreateCollider(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
    vvDestroyShape(def.shape);
}

static inline void crowdLink(vvWorldId world, vvSoftBodyId a, vvSoftBodyId b)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    vvResult result;
    def.bodyA = a;
    def.bodyB = b;
    def.restLength = 0.5;
    def.stiffness = 200;
    vvCreateAttachment(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
}

static inline vvWorldId makeCrowd(const CrowdDef *crowd)
{
    unsigned seed = crowd->seed * 2654435761u + 1;
    vvWorldDef def = vvDefaultWorldDef();
    vvResult result;
    def.method = crowd->method;
    def.solver = "local-global";
    def.softContact = crowd->softContact;
    def.sleepEnergy = crowd->sleepEnergy;
    def.threads = crowd->threads;
    if (crowd->space)
        def.gravity = (vvVec3){ 0, 0, 0 };
    def.allocator = crowd->allocator;
    vvWorldId world = vvCreateWorld(&def, &result);
    assert_int_equal(result.code, VV_OK);
    vvMesh *mesh[3] = { crowdMesh(0), crowdMesh(1), crowdMesh(2) };
    vvSoftBodyId before = { 0 };
    for (int i = 0; i < crowd->bodies; ++i)
    {
        vvSoftBodyDef body = undampedDef();
        int kind = crowdNoise(&seed) < 0.7 ? 0 : crowdNoise(&seed) < 0.7 ? 1 : 2;
        kind = crowd->ropes ? 2 : kind;
        body.mesh = mesh[kind];
        body.material.density = 1000;
        body.material.young = 2e4 * (1 + 4 * crowdNoise(&seed));
        body.material.thickness = 0.01;
        double shift = 0.2 * crowd->room;
        body.position = (vvVec3){ crowd->room * (i % 4) + shift * crowdNoise(&seed),
                                  0.3 + crowd->room * (double)(i / 16) + 0.3 * crowdNoise(&seed),
                                  crowd->room * (double)(i / 4 % 4) + shift * crowdNoise(&seed) };
        body.velocity = (vvVec3){ 4 * crowdNoise(&seed) - 2, -2 * crowdNoise(&seed), 4 * crowdNoise(&seed) - 2 };
        if (crowd->space)
            body.velocity = (vvVec3){ 2 * (1.5 * crowd->room - body.position.x), -body.position.y,
                                      2 * (1.5 * crowd->room - body.position.z) };
        body.spin = (vvVec3){ 6 * crowdNoise(&seed) - 3, 6 * crowdNoise(&seed) - 3, 6 * crowdNoise(&seed) - 3 };
        vvSoftBodyId id = vvCreateSoftBody(world, &body, &result);
        assert_int_equal(result.code, VV_OK);
        if (crowd->links && i % 5 == 4)
            crowdLink(world, before, id);
        before = id;
    }
    for (int k = 0; k < 3; ++k)
        vvDestroyMesh(mesh[k]);
    if (crowd->space)
        return world;
    crowdCollider(world, VV_SHAPE_PLANE, (vvVec3){ 0, 0, 0 });
    crowdCollider(world, VV_SHAPE_SPHERE, (vvVec3){ 1.5 * crowd->room, 0, 1.5 * crowd->room });
    return world;
}

// so many steps, as long as the numerics allow them: what fails must fail in every such world
static inline vvCode stepCrowd(vvWorldId world, int steps)
{
    vvCode code = VV_OK;
    for (int i = 0; i < steps && code == VV_OK; ++i)
        code = vvWorld_Step(world, 1.0 / 60).code;
    return code;
}

// the same bits for any number of threads, and after a state is saved and restored half way
static inline void checkSameBits(CrowdDef crowd, int steps)
{
    static const int threads[] = { 1, 2, 3, 7 };
    vvCode code[4];
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k)
    {
        crowd.threads = threads[k];
        vvWorldId world = makeCrowd(&crowd);
        code[k] = stepCrowd(world, steps / 2);
        size_t size = vvWorld_GetStateSize(world);
        void *saved = malloc(size);
        assert_int_equal((vvWorld_SaveState(world, saved, size)).code, VV_OK);
        if (k == 1) // goes on in another world
        {
            vvDestroyWorld(world);
            world = makeCrowd(&crowd);
            assert_int_equal((vvWorld_RestoreState(world, saved, size)).code, VV_OK);
        }
        code[k] = code[k] == VV_OK ? stepCrowd(world, steps - steps / 2) : code[k];
        hash[k] = vvWorld_GetHash(world);
        free(saved);
        vvDestroyWorld(world);
        assert_int_equal(code[k], code[0]);
        assert_int_equal(hash[k], hash[0]);
    }
}

#endif
