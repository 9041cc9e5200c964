// What verve.h promises, one promise per test, through the public API alone; threads are the tests' own.
#include "check.h"

#include "base/system.h"
#include "undamped.h"

#include <verve/verve.h>

#include <string.h>

#define DT (1.0 / 64.0) // s; a power of two, so that sums of steps are exact

// ---- scenes ---------------------------------------------------------------------------------------------------------

static vvWorldId makeWorld(const char *method)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.timestep = DT;
    if (method != NULL)
        def.method = method;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    assert_int_equal(result.code, VV_OK);
    return world;
}

static vvSoftBodyId makeBody(vvWorldId world, vvMesh *mesh, vvVec3 position)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = vvMaterial_Jelly();
    def.position = position;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
    assert_true(vvSoftBody_IsValid(body));
    return body;
}

static vvSoftBodyId makeBox(vvWorldId world, vvVec3 position)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    assert_non_null(mesh);
    vvSoftBodyId body = makeBody(world, mesh, position);
    vvDestroyMesh(mesh);
    return body;
}

static vvAttachmentId attach(vvWorldId world, vvSoftBodyId body, int vertex, vvVec3 target)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = body;
    def.vertexA = vertex;
    def.target = target;
    vvResult result;
    vvAttachmentId attachment = vvCreateAttachment(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
    return attachment;
}

static void step(vvWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
        assert_int_equal(vvWorld_Step(world, DT).code, VV_OK);
}

// a hanging, deforming box: everything a state has
static vvWorldId makeHanging(const char *method, vvSoftBodyId *body, vvAttachmentId *attachment)
{
    vvWorldId world = makeWorld(method);
    *body = makeBox(world, (vvVec3){ 0, 2, 0 });
    *attachment = attach(world, *body, 26, (vvVec3){ 0.5, 2.75, 0.5 });
    int pins[2] = { 0, 9 };
    assert_int_equal(vvSoftBody_Pin(*body, pins, 2).code, VV_OK);
    assert_int_equal(vvSoftBody_SetForce(*body, 13, (vvVec3){ 5, 0, 0 }).code, VV_OK);
    return world;
}

// ---- the first screen -----------------------------------------------------------------------------------------------

static void snippetOfTheHeader(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4); // 8 cells and 600 frames there
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    bodyDef.material = vvMaterial_Rubber();
    vvSoftBodyId jelly = vvCreateSoftBody(world, &bodyDef, NULL);
    for (int frame = 0; frame < 60; ++frame)
        vvWorld_Step(world, 1.0 / 60.0);
    vvLedger ledger = vvWorld_GetLedger(world);

    // it fell for a second: nothing but gravity turned into motion
    double mass = vvSoftBody_GetMass(jelly);
    CHECK_CLOSE(mass, 930, 1e-12);
    CHECK_CLOSE(ledger.kinetic, 0.5 * mass * 9.81 * 9.81, 1e-9);
    CHECK_CLOSE(ledger.gravity, -0.5 * mass * 9.81 * 9.81, 1e-9);
    CHECK_NEAR(ledger.numerical, 0, 1e-9 * ledger.kinetic);
    CHECK_NEAR(vvWorld_GetTime(world), 1, 1e-12);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

static void defaultsAreAsDocumented(void **state)
{
    (void)state;
    vvWorldDef world = vvDefaultWorldDef();
    world.method = "implicit-midpoint";
    assert_true(world.gravity.x == 0 && world.gravity.y == -9.81 && world.gravity.z == 0);
    assert_string_equal(world.method, "implicit-midpoint");
    assert_string_equal(world.solver, "newton");
    assert_int_equal(world.iterations, 0);
    assert_true(world.tolerance == 1e-10 && world.timestep == 1.0 / 60);
    assert_int_equal(world.maxStepsPerAdvance, 8);
    assert_true(world.allocator.allocate == NULL && world.allocator.release == NULL && world.logger.write == NULL);
    assert_null(world.userData);

    vvSoftBodyDef body = undampedDef();
    assert_null(body.mesh);
    assert_null(body.model);
    assert_true(body.material.young == vvMaterial_Rubber().young);
    for (int k = 0; k < VV_EDGE_KINDS; ++k)
        assert_true(body.springStiffness[k] < 0);
    assert_true(body.position.x == 0 && body.velocity.y == 0 && body.spin.z == 0 && body.damping.mass == 0);
    assert_true(body.damping.rigidPreserving == 0 && body.name == NULL);

    vvAttachmentDef attachment = vvDefaultAttachmentDef();
    assert_int_equal(attachment.bodyB.index1, 0);
    assert_true(attachment.stiffness == 1e4 && attachment.restLength == 0);
}

static void materialsAreAsDocumented(void **state)
{
    (void)state;
    const struct
    {
        vvMaterial material;
        double density, young, poisson;
    } solids[] = {
        { vvMaterial_Rubber(), 930, 1.5e6, 0.45 }, { vvMaterial_Silicone(), 1070, 125e3, 0.45 },
        { vvMaterial_Jelly(), 1020, 10e3, 0.45 },  { vvMaterial_Muscle(), 1060, 12e3, 0.45 },
        { vvMaterial_Liver(), 1060, 4.5e3, 0.45 }, { vvMaterial_Foam(), 30, 60e3, 0.1 },
    };
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; ++i)
    {
        assert_true(solids[i].material.density == solids[i].density);
        assert_true(solids[i].material.young == solids[i].young);
        assert_true(solids[i].material.poisson == solids[i].poisson);
        assert_true(solids[i].material.thickness > 0);
    }
    const struct
    {
        vvMaterial material;
        double thickness, perArea;
    } cloths[] = { { vvMaterial_Cotton(), 0.30e-3, 0.12 },
                   { vvMaterial_Silk(), 0.15e-3, 0.06 },
                   { vvMaterial_Denim(), 0.80e-3, 0.40 } };
    for (size_t i = 0; i < sizeof cloths / sizeof cloths[0]; ++i)
    {
        CHECK_CLOSE(cloths[i].material.thickness, cloths[i].thickness, 1e-12);
        CHECK_CLOSE(cloths[i].material.density * cloths[i].material.thickness, cloths[i].perArea, 1e-12);
    }
}

// ---- ids ------------------------------------------------------------------------------------------------------------

static void zeroIdsAreNull(void **state)
{
    (void)state;
    assert_int_equal(sizeof(vvWorldId), 8);
    assert_int_equal(sizeof(vvSoftBodyId), 8);
    assert_int_equal(sizeof(vvAttachmentId), 8);
    vvWorldId world = makeWorld(NULL); // slot 0 is taken: a null id must not find it
    makeBox(world, (vvVec3){ 0, 0, 0 });
    assert_false(vvWorld_IsValid((vvWorldId){ 0, 0 }));
    assert_false(vvSoftBody_IsValid((vvSoftBodyId){ 0, 0, 0 }));
    assert_false(vvAttachment_IsValid((vvAttachmentId){ 0, 0, 0 }));
    // ids nobody handed out
    assert_false(vvWorld_IsValid((vvWorldId){ VV_MAX_WORLDS + 1, 1 }));
    assert_false(vvSoftBody_IsValid((vvSoftBodyId){ 0x3fffff, world.index1 & 0x3ff, 1 }));
    assert_false(vvSoftBody_IsValid((vvSoftBodyId){ 1, 0xff, 1 }));
    assert_false(vvAttachment_IsValid((vvAttachmentId){ 1, world.index1 & 0xff, 1 }));
    vvDestroyWorld(world);
    vvDestroyWorld((vvWorldId){ 0, 0 });
    vvDestroySoftBody((vvSoftBodyId){ 0, 0, 0 });
    vvDestroyAttachment((vvAttachmentId){ 0, 0, 0 });
}

static void staleIdsAreRecognised(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyId body = makeBox(world, (vvVec3){ 0, 0, 0 });
    vvAttachmentId attachment = attach(world, body, 0, (vvVec3){ 0, 1, 0 });

    // an attachment, also when its slot is used again
    vvDestroyAttachment(attachment);
    assert_false(vvAttachment_IsValid(attachment));
    vvAttachmentId second = attach(world, body, 0, (vvVec3){ 0, 1, 0 });
    assert_int_equal(second.index1, attachment.index1);
    assert_false(vvAttachment_IsValid(attachment));
    vvDestroyAttachment(attachment); // twice: harmless, and not the new one
    assert_true(vvAttachment_IsValid(second));
    assert_int_equal(vvAttachment_MoveTarget(attachment, (vvVec3){ 0, 0, 0 }).code, VV_BAD_ID);

    // a body takes its attachments along
    vvDestroySoftBody(body);
    assert_false(vvSoftBody_IsValid(body));
    assert_false(vvAttachment_IsValid(second));
    vvSoftBodyId next = makeBox(world, (vvVec3){ 0, 0, 0 });
    assert_int_equal(next.index1, body.index1);
    assert_false(vvSoftBody_IsValid(body));
    vvDestroySoftBody(body);
    assert_true(vvSoftBody_IsValid(next));

    // a world takes its bodies along; its slot of the table, and their slots in it, are used again
    vvAttachmentId third = attach(world, next, 0, (vvVec3){ 0, 1, 0 });
    vvDestroyWorld(world);
    assert_false(vvWorld_IsValid(world));
    assert_false(vvSoftBody_IsValid(next));
    assert_false(vvAttachment_IsValid(third));
    vvWorldId reborn = makeWorld(NULL);
    vvSoftBodyId young = makeBox(reborn, (vvVec3){ 0, 0, 0 });
    vvAttachmentId tie = attach(reborn, young, 0, (vvVec3){ 0, 1, 0 });
    assert_int_equal(reborn.index1, world.index1);
    assert_int_equal(young.index1, next.index1);
    assert_int_equal(tie.index1, third.index1);
    assert_false(vvWorld_IsValid(world));
    assert_false(vvSoftBody_IsValid(next) || vvSoftBody_IsValid(body));
    assert_false(vvAttachment_IsValid(third) || vvAttachment_IsValid(attachment));
    vvDestroyWorld(world);
    vvDestroySoftBody(next);
    vvDestroyAttachment(third);
    assert_true(vvWorld_IsValid(reborn) && vvSoftBody_IsValid(young) && vvAttachment_IsValid(tie));
    vvDestroyWorld(reborn);
    vvDestroyWorld(reborn);
}

static void worldsAreLimited(void **state)
{
    (void)state;
    vvWorldId worlds[VV_MAX_WORLDS];
    for (int i = 0; i < VV_MAX_WORLDS; ++i)
        worlds[i] = makeWorld(NULL);
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    vvResult result;
    vvWorldId none = vvCreateWorld(&def, &result);
    assert_int_equal(none.index1, 0);
    assert_int_equal(result.code, VV_LIMIT);
    assert_non_null(strstr(result.message, "1000"));
    assert_true(result.remedy[0] != 0);

    vvDestroyWorld(worlds[77]);
    worlds[77] = vvCreateWorld(&def, &result);
    assert_int_equal(result.code, VV_OK);
    for (int i = 0; i < VV_MAX_WORLDS; ++i)
    {
        assert_true(vvWorld_IsValid(worlds[i]));
        vvDestroyWorld(worlds[i]);
    }
}

static void badIdsReadAsNothing(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyId body = makeBox(world, (vvVec3){ 0, 1, 0 });
    vvDestroyWorld(world);

    vvLedger ledger = vvWorld_GetLedger(world), island = vvWorld_GetIslandLedger(world, 0);
    assert_true(ledger.total == 0 && ledger.target == 0 && ledger.momentum.x == 0 && island.total == 0);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    assert_true(statistics.bodyCount == 0 && statistics.stepCount == 0 && statistics.memoryBytes == 0);
    assert_true(vvWorld_GetTime(world) == 0 && vvWorld_GetInterpolation(world) == 0);
    assert_true(vvWorld_GetGravity(world).y == 0);
    assert_string_equal(vvWorld_GetMethod(world), "");
    assert_null(vvWorld_GetUserData(world));
    assert_true(vvWorld_GetHash(world) == 0);
    assert_int_equal(vvWorld_GetIslandCount(world), 0);

    assert_int_equal(vvSoftBody_GetVertexCount(body), 0);
    assert_true(vvSoftBody_GetMass(body) == 0);
    assert_null(vvSoftBody_GetMesh(body));
    assert_null(vvSoftBody_GetUserData(body));
    assert_null(vvSoftBody_GetPositions(body));
    assert_null(vvSoftBody_GetVelocities(body));
    assert_null(vvSoftBody_GetMasses(body));
    assert_int_equal(vvSoftBody_FindVertices(body, (vvBox){ { -9, -9, -9 }, { 9, 9, 9 } }, NULL, 0), 0);
    assert_int_equal(vvSoftBody_FindNearestVertex(body, (vvVec3){ 0, 0, 0 }), -1);
    assert_false(vvSoftBody_IsPinned(body, 0));
    assert_int_equal(vvSoftBody_GetIsland(body), -1);
    assert_string_equal(vvSoftBody_GetName(body), "");
    assert_int_equal(vvWorld_GetBodies(world, NULL, 0), 0);
    assert_int_equal(vvWorld_GetStateSize(world), 0);
    assert_true(vvWorld_GetProfile(world).step == 0);
}

// ---- reading --------------------------------------------------------------------------------------------------------

static void bodyKeepsItsMesh(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyId body = makeBox(world, (vvVec3){ 0, 0, 0 }); // its creator has destroyed the mesh
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 27);
    assert_int_equal(vvMesh_GetTetCount(mesh), 40);
    step(world, 3);
    CHECK_CLOSE(vvSoftBody_GetMass(body), 1020, 1e-12);
    vvDestroyWorld(world);
}

static vvMesh *makeShape(vvMeshShape shape)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = shape;
    def.size = (vvVec3){ 1, 0.4, 0.5 };
    def.cells[0] = shape == VV_MESH_TUBE ? 3 : 2; // two steps around are flat
    def.cells[1] = 3;
    def.cells[2] = 2;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static void stateIsInTheCallersOrder(void **state)
{
    (void)state;
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        vvWorldId world = makeWorld(NULL);
        vvMesh *mesh = makeShape((vvMeshShape)shape);
        vvVec3 position = { 0.3, -2, 7 };
        vvSoftBodyId body = makeBody(world, mesh, position);
        int count = vvSoftBody_GetVertexCount(body);
        assert_int_equal(count, vvMesh_GetVertexCount(mesh));
        const double *point = vvMesh_GetPoints(mesh), *now = vvSoftBody_GetPositions(body);
        for (int v = 0; v < count; ++v)
        {
            assert_true(now[3 * v] == point[3 * v] + position.x);
            assert_true(now[3 * v + 1] == point[3 * v + 1] + position.y);
            assert_true(now[3 * v + 2] == point[3 * v + 2] + position.z);
        }

        // what is set comes back at the same place; a pin holds the vertex it names
        double sent[600];
        assert_true(3 * count <= 600);
        for (int i = 0; i < 3 * count; ++i)
            sent[i] = 0.001 * i;
        assert_int_equal(vvSoftBody_SetVelocities(body, sent).code, VV_OK);
        assert_memory_equal(vvSoftBody_GetVelocities(body), sent, 3 * (size_t)count * sizeof(double));
        for (int i = 0; i < 3 * count; ++i)
            sent[i] = point[i] * 1.25 + 0.125 * (i % 3);
        assert_int_equal(vvSoftBody_SetPositions(body, sent).code, VV_OK);
        assert_memory_equal(vvSoftBody_GetPositions(body), sent, 3 * (size_t)count * sizeof(double));
        int pin = count / 2;
        vvSoftBody_Pin(body, &pin, 1);
        step(world, 1);
        const double *after = vvSoftBody_GetPositions(body);
        for (int v = 0; v < count; ++v)
        {
            bool still = after[3 * v] == sent[3 * v] && after[3 * v + 1] == sent[3 * v + 1];
            assert_true(still == (v == pin));
        }

        double mass = 0;
        for (int v = 0; v < count; ++v)
        {
            assert_true(vvSoftBody_GetMasses(body)[v] > 0);
            mass += vvSoftBody_GetMasses(body)[v];
        }
        CHECK_CLOSE(mass, vvSoftBody_GetMass(body), 1e-12);
        vvDestroyMesh(mesh);
        vvDestroyWorld(world);
    }
}

static void massesAreInTheCallersOrder(void **state)
{
    (void)state;
    // a rope whose points are named in disorder: x = 0, 1, 3, 7, so every vertex has its own mass
    const double points[] = { 3, 0, 0, 0, 0, 0, 7, 0, 0, 1, 0, 0 };
    const int edges[] = { 1, 3, 3, 0, 0, 2 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 4;
    def.edges = edges;
    def.edgeCount = 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyId body = makeBody(world, mesh, (vvVec3){ 0, 0, 0 });
    double perLength = vvSoftBody_GetMass(body) / 7;
    const double halfLengths[] = { 3, 0.5, 2, 1.5 };
    for (int v = 0; v < 4; ++v)
        CHECK_CLOSE(vvSoftBody_GetMasses(body)[v], halfLengths[v] * perLength, 1e-12);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

static void copiesOfPositions(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvWorldId world = makeHanging(NULL, &body, &attachment);
    step(world, 5);
    double before[81], now[81];
    memcpy(before, vvSoftBody_GetPositions(body), sizeof before);
    step(world, 1);
    memcpy(now, vvSoftBody_GetPositions(body), sizeof now);
    const double fractions[] = { 0, 0.25, 1 };
    for (int k = 0; k < 3; ++k)
    {
        float packed[81], wide[27 * 5];
        for (int i = 0; i < 27 * 5; ++i)
            wide[i] = -77;
        assert_int_equal(vvSoftBody_CopyPositions(body, fractions[k], packed, 12).code, VV_OK);
        assert_int_equal(vvSoftBody_CopyPositions(body, fractions[k], wide, 20).code, VV_OK);
        for (int i = 0; i < 81; ++i)
        {
            CHECK_NEAR(packed[i], before[i] + fractions[k] * (now[i] - before[i]), 4e-7);
            assert_true(packed[i] == wide[i / 3 * 5 + i % 3]);
        }
        for (int v = 0; v < 27; ++v)
            assert_true(wide[5 * v + 3] == -77 && wide[5 * v + 4] == -77);
    }
    float exact[81];
    vvSoftBody_CopyPositions(body, 1, exact, 12);
    for (int i = 0; i < 81; ++i)
        assert_true(exact[i] == (float)now[i]);
    vvDestroyWorld(world);
}

static void normalsOfASphere(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSphereMesh(1, 3);
    vvWorldId world = makeWorld(NULL);
    vvVec3 centre = { 4, 5, 6 };
    vvSoftBodyId body = makeBody(world, mesh, centre);
    float normals[4 * 1000];
    int count = vvMesh_GetVertexCount(mesh), outside = 0;
    assert_true(count <= 1000);
    assert_int_equal(vvSoftBody_CopyNormals(body, normals, 16).code, VV_OK);
    const double *point = vvMesh_GetPoints(mesh);
    for (int v = 0; v < count; ++v)
    {
        double n[3] = { normals[4 * v], normals[4 * v + 1], normals[4 * v + 2] };
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double radius = sqrt(point[3 * v] * point[3 * v] + point[3 * v + 1] * point[3 * v + 1] +
                             point[3 * v + 2] * point[3 * v + 2]);
        if (radius < 0.45)
        {
            assert_true(length == 0);
            continue;
        }
        // a coarse sphere: the mean of the faces leaves the radius by a few degrees
        double along = (n[0] * point[3 * v] + n[1] * point[3 * v + 1] + n[2] * point[3 * v + 2]) / radius;
        CHECK_NEAR(length, 1, 1e-6);
        CHECK_NEAR(along, 1, 0.02);
        outside += 1;
    }
    assert_true(outside > 20 && outside < count);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

static void findingVertices(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyId body = makeBox(world, (vvVec3){ 10, 0, 0 });
    // the face at -x of the mesh, corners included; the body's place does not matter
    vvBox face = { { -0.5, -0.5, -0.5 }, { -0.5, 0.5, 0.5 } };
    int found[27];
    assert_int_equal(vvSoftBody_FindVertices(body, face, NULL, 0), 9);
    for (int i = 0; i < 27; ++i)
        found[i] = -5;
    assert_int_equal(vvSoftBody_FindVertices(body, face, found, 4), 9);
    assert_int_equal(found[4], -5);
    assert_int_equal(vvSoftBody_FindVertices(body, face, found, 27), 9);
    for (int i = 0; i < 9; ++i)
        assert_int_equal(found[i], i); // z fastest, then y, then x
    assert_int_equal(found[9], -5);
    vvBox nowhere = { { 1, 1, 1 }, { 2, 2, 2 } };
    assert_int_equal(vvSoftBody_FindVertices(body, nowhere, found, 27), 0);

    // nearest goes by present positions
    assert_int_equal(vvSoftBody_FindNearestVertex(body, (vvVec3){ 10.1, 0.1, -0.1 }), 13);
    assert_int_equal(vvSoftBody_FindNearestVertex(body, (vvVec3){ 99, 99, 99 }), 26);
    assert_int_equal(vvSoftBody_FindNearestVertex(body, (vvVec3){ 9, -9, -9 }), 0);
    vvDestroyWorld(world);
}

static void userDataComesBack(void **state)
{
    (void)state;
    int yours[2];
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    worldDef.userData = &yours[0];
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvMesh *mesh = vvCreateRopeMesh(1, 2);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    bodyDef.userData = &yours[1];
    vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, NULL);
    assert_ptr_equal(vvWorld_GetUserData(world), &yours[0]);
    assert_ptr_equal(vvSoftBody_GetUserData(body), &yours[1]);
    assert_ptr_equal(vvSoftBody_GetMesh(body), mesh);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

static void startMotionIsRigid(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvWorldId world = makeWorld(NULL);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = (vvVec3){ 3, 0, 0 };
    def.velocity = (vvVec3){ 1, 2, 3 };
    def.spin = (vvVec3){ 0, 0, 2 };
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    const double *v = vvSoftBody_GetVelocities(body);
    CHECK_NEAR(v[3 * 13], 1, 1e-12); // the centre
    CHECK_NEAR(v[3 * 26], 1 - 2 * 0.5, 1e-12);
    CHECK_NEAR(v[3 * 26 + 1], 2 + 2 * 0.5, 1e-12);
    CHECK_NEAR(v[3 * 26 + 2], 3, 1e-12);
    CHECK_CLOSE(vvWorld_GetLedger(world).momentum.y, 2 * vvSoftBody_GetMass(body), 1e-12);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

// ---- methods --------------------------------------------------------------------------------------------------------

static void everyMethodWorksByItsWord(void **state)
{
    (void)state;
    int count = 0;
    bool hasDefault = false;
    for (const char *name; (name = vvGetMethodName(count)) != NULL; ++count)
    {
        vvWorldId world = makeWorld(name);
        makeBox(world, (vvVec3){ 0, 0, 0 });
        assert_string_equal(vvWorld_GetMethod(world), name);
        step(world, 2);
        assert_int_equal(vvWorld_GetStatistics(world).stepCount, 2);
        hasDefault = hasDefault || strcmp(name, vvDefaultWorldDef().method) == 0;
        vvDestroyWorld(world);
    }
    assert_true(count >= 3 && hasDefault);
    assert_null(vvGetMethodName(-1));
    assert_string_equal(vvGetSolverName(0), vvDefaultWorldDef().solver);
    assert_null(vvGetSolverName(-1));
    assert_null(vvGetSolverName(1000));
}

// every model makes a body of some mesh, and the body says which it is
static void everyModelWorksByItsWord(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint");
    for (int m = 0; vvGetModelName(m) != NULL; ++m)
    {
        int made = 0;
        for (int solid = 0; solid < 2; ++solid)
        {
            vvSoftBodyDef def = undampedDef();
            def.mesh = solid ? vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1) : vvCreateSheetMesh(1, 1, 2, 2);
            def.model = vvGetModelName(m);
            def.material.thickness = 0.01;
            def.law.pointCount = strstr(def.model, "curve") != NULL ? 1 : 0; // the only ones without a default
            def.law.strain[0] = 0.1;
            def.law.stress[0] = 1e5;
            vvResult result;
            vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
            made += result.code == VV_OK;
            assert_string_equal(vvSoftBody_GetModel(body), result.code == VV_OK ? def.model : "");
            vvDestroyMesh(def.mesh);
        }
        assert_true(made > 0);
    }
    step(world, 1);
    assert_null(vvGetModelName(-1));
    assert_null(vvGetModelName(1000));
    vvDestroyWorld(world);
}

static uint64_t hashAfter(const char *created, const char *changed)
{
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvWorldId world = makeHanging(created, &body, &attachment);
    if (changed != NULL)
    {
        assert_int_equal(vvWorld_SetMethod(world, changed).code, VV_OK);
        assert_string_equal(vvWorld_GetMethod(world), changed);
    }
    step(world, 4);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void methodCanBeChanged(void **state)
{
    (void)state;
    uint64_t euler = hashAfter("backward-euler", NULL), midpoint = hashAfter("implicit-midpoint", NULL);
    assert_true(euler != midpoint);
    assert_true(hashAfter("implicit-midpoint", "backward-euler") == euler);
    assert_true(hashAfter("backward-euler", "implicit-midpoint") == midpoint);
}

// ---- advance --------------------------------------------------------------------------------------------------------

static void advanceTakesWholeSteps(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvWorldId advanced = makeHanging(NULL, &body, &attachment);
    vvWorldId stepped = makeHanging(NULL, &body, &attachment);
    // multiples of 1/1024 s: exact sums, so the number of steps is exactly floor(sum / timestep)
    const int ticks[] = { 3, 0, 16, 17, 1, 40, 15, 5, 64, 11, 16 };
    int sum = 0, taken = 0;
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; ++i)
    {
        assert_int_equal(vvWorld_Advance(advanced, ticks[i] / 1024.0).code, VV_OK);
        sum += ticks[i];
        vvStatistics statistics = vvWorld_GetStatistics(advanced);
        assert_int_equal(statistics.advanceSteps, sum / 16 - taken);
        assert_true(statistics.droppedSeconds == 0);
        taken = sum / 16;
        double left = vvWorld_GetInterpolation(advanced);
        assert_true(left >= 0 && left < 1);
        assert_true(left == (sum % 16) / 16.0);
    }
    step(stepped, taken);
    assert_true(vvWorld_GetHash(advanced) == vvWorld_GetHash(stepped));
    assert_true(vvWorld_GetTime(advanced) == taken * DT);
    vvDestroyWorld(advanced);
    vvDestroyWorld(stepped);
}

static void advanceDropsWhatIsTooMuch(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.timestep = DT;
    def.maxStepsPerAdvance = 3;
    vvWorldId world = vvCreateWorld(&def, NULL);
    makeBox(world, (vvVec3){ 0, 0, 0 });
    assert_int_equal(vvWorld_Advance(world, 5.5 * DT).code, VV_OK);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    assert_int_equal(statistics.advanceSteps, 3);
    assert_true(statistics.droppedSeconds == 2 * DT);
    assert_true(vvWorld_GetInterpolation(world) == 0.5);
    assert_true(vvWorld_GetTime(world) == 3 * DT);
    // what was dropped is gone
    assert_int_equal(vvWorld_Advance(world, 0.5 * DT).code, VV_OK);
    statistics = vvWorld_GetStatistics(world);
    assert_int_equal(statistics.advanceSteps, 1);
    assert_true(statistics.droppedSeconds == 0);
    assert_int_equal(vvWorld_Advance(world, 1e6).code, VV_OK);
    assert_int_equal(vvWorld_GetStatistics(world).advanceSteps, 3);
    assert_true(vvWorld_GetInterpolation(world) >= 0 && vvWorld_GetInterpolation(world) < 1);
    vvDestroyWorld(world);
}

// seconds that are no sum of binary fractions
static void interpolationStaysBelowOne(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.maxStepsPerAdvance = 2;
    vvWorldId world = vvCreateWorld(&def, NULL);
    TestRandom random = { 7 };
    for (int i = 0; i < 20000; ++i)
    {
        // now and then within a rounding of a whole number of steps
        double seconds = i % 3 ? randomBetween(&random, 0, 0.1) : floor(randomBetween(&random, 0, 9)) * def.timestep;
        assert_int_equal(vvWorld_Advance(world, seconds).code, VV_OK);
        double left = vvWorld_GetInterpolation(world);
        assert_true(left >= 0 && left < 1);
    }
    vvDestroyWorld(world);
}

// ---- hashes and bits ------------------------------------------------------------------------------------------------

static void equalWorldsHaveEqualHashes(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        uint64_t hash = hashAfter(vvGetMethodName(m), NULL);
        assert_true(hashAfter(vvGetMethodName(m), NULL) == hash);
    }
}

static void hashSeesEveryPartOfTheState(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvWorldId world = makeHanging(NULL, &body, &attachment);
    step(world, 2);
    uint64_t seen[8];
    int count = 0;
    seen[count++] = vvWorld_GetHash(world);
    double values[81];

    // one coordinate by its last bit, and back again
    memcpy(values, vvSoftBody_GetPositions(body), sizeof values);
    values[80] = nextafter(values[80], 99);
    vvSoftBody_SetPositions(body, values);
    seen[count++] = vvWorld_GetHash(world);
    values[80] = nextafter(values[80], -99);
    vvSoftBody_SetPositions(body, values);
    assert_true(vvWorld_GetHash(world) == seen[0]);

    memcpy(values, vvSoftBody_GetVelocities(body), sizeof values);
    values[40] = nextafter(values[40], 99);
    vvSoftBody_SetVelocities(body, values);
    seen[count++] = vvWorld_GetHash(world);
    vvSoftBody_SetForce(body, 13, (vvVec3){ 5, 0, 1e-9 });
    seen[count++] = vvWorld_GetHash(world);
    int vertex = 9; // pinned and at rest: only the flag changes
    step(world, 1);
    uint64_t before = vvWorld_GetHash(world);
    seen[count++] = before;
    vvSoftBody_Unpin(body, &vertex, 1);
    seen[count++] = vvWorld_GetHash(world);
    vvSoftBody_Pin(body, &vertex, 1);
    assert_true(vvWorld_GetHash(world) == before);
    const double *p = vvSoftBody_GetPositions(body);
    vvSoftBody_MovePin(body, vertex, (vvVec3){ p[27], p[28], p[29] + 1e-9 });
    seen[count++] = vvWorld_GetHash(world);
    vvAttachment_MoveTarget(attachment, (vvVec3){ 0.5, 2.75, 0.501 });
    seen[count++] = vvWorld_GetHash(world);
    assert_int_equal(count, 8);
    for (int i = 0; i < count; ++i)
    {
        for (int k = 0; k < i; ++k)
            assert_true(seen[i] != seen[k]);
    }
    vvDestroyWorld(world);

    // an empty world has nothing but its time
    vvWorldId empty = makeWorld(NULL);
    uint64_t start = vvWorld_GetHash(empty);
    step(empty, 1);
    assert_true(vvWorld_GetHash(empty) != start);
    vvDestroyWorld(empty);
}

static void farBodyChangesNoBit(void **state)
{
    (void)state;
    vvSoftBodyId alone, first;
    vvAttachmentId attachment;
    vvWorldId one = makeHanging(NULL, &alone, &attachment);
    vvWorldId two = makeHanging(NULL, &first, &attachment);
    step(one, 2);
    step(two, 2);
    vvMesh *mesh = vvCreateSphereMesh(1, 2);
    vvSoftBodyId second = makeBody(two, mesh, (vvVec3){ 1000, 0, 0 });
    vvDestroyMesh(mesh);
    attach(two, second, 3, (vvVec3){ 1000, 1, 0 });
    for (int i = 0; i < 10; ++i)
    {
        step(one, 1);
        step(two, 1);
        if (i == 6)
            vvDestroySoftBody(second);
        assert_memory_equal(vvSoftBody_GetPositions(alone), vvSoftBody_GetPositions(first), 81 * sizeof(double));
        assert_memory_equal(vvSoftBody_GetVelocities(alone), vvSoftBody_GetVelocities(first), 81 * sizeof(double));
    }
    assert_true(vvWorld_GetHash(one) == vvWorld_GetHash(two));
    vvDestroyWorld(one);
    vvDestroyWorld(two);
}

// ---- threads --------------------------------------------------------------------------------------------------------

typedef struct Job
{
    vvMesh *mesh; // shared by all
    const char *method;
    uint64_t hash;
} Job;

static void runJob(void *argument)
{
    Job *job = argument;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = job->method;
    // no asserts here: cmocka's jump out of a test only in the main thread
    for (int round = 0; round < 3; ++round)
    {
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyDef bodyDef = undampedDef();
        bodyDef.mesh = job->mesh;
        bodyDef.material = vvMaterial_Jelly();
        bodyDef.spin = (vvVec3){ 1, 2, 3 };
        vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, NULL);
        int pin = 0;
        vvSoftBody_Pin(body, &pin, 1);
        for (int i = 0; i < 20; ++i)
            vvWorld_Step(world, DT);
        job->hash = vvWorld_GetHash(world) + 31 * job->hash;
        vvDestroyWorld(world);
    }
}

static void worldsInTwoThreads(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    Job alone[2] = { { mesh, "implicit-midpoint", 0 }, { mesh, "backward-euler", 0 } };
    Job together[2] = { alone[0], alone[1] };
    for (int i = 0; i < 2; ++i)
        runJob(&alone[i]);
    Thread threads[2];
    for (int i = 0; i < 2; ++i)
        assert_true(threadStart(&threads[i], runJob, &together[i]));
    for (int i = 0; i < 2; ++i)
        threadJoin(&threads[i]);
    for (int i = 0; i < 2; ++i)
        assert_true(alone[i].hash != 0 && alone[i].hash == together[i].hash);
    assert_true(alone[0].hash != alone[1].hash);
    vvDestroyMesh(mesh);
}

// ---- log and statistics ---------------------------------------------------------------------------------------------

static void countMessages(vvLogLevel level, const char *message, void *userData)
{
    assert_int_equal(level, VV_LOG_WARNING);
    assert_non_null(strstr(message, "iterations"));
    *(int *)userData += 1;
}

static void unconvergedIsSaidOnce(void **state)
{
    (void)state;
    int messages = 0;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.solver = "local-global";
    def.iterations = 1;
    def.logger = (vvLogger){ countMessages, &messages };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId body = makeBox(world, (vvVec3){ 0, 0, 0 });
    int pin = 0;
    vvSoftBody_Pin(body, &pin, 1);
    double most = 0;
    for (int i = 0; i < 100; ++i)
    {
        step(world, 1);
        assert_false(vvWorld_GetStatistics(world).converged);
        assert_int_equal(vvWorld_GetStatistics(world).iterations, 1);
        most = fmax(most, vvWorld_GetStatistics(world).correction);
        assert_int_equal(messages, most > 0.1); // smaller ones are harmless
    }
    assert_true(most > 0.1);
    vvDestroyWorld(world);
}

static void statisticsCount(void **state)
{
    (void)state;
    vvSoftBodyId body;
    vvAttachmentId attachment;
    vvWorldId world = makeHanging(NULL, &body, &attachment);
    makeBox(world, (vvVec3){ 9, 0, 0 });
    step(world, 3);
    vvStatistics s = vvWorld_GetStatistics(world);
    assert_int_equal(s.bodyCount, 2);
    assert_int_equal(s.vertexCount, 54);
    assert_int_equal(s.elementCount, 80);
    assert_int_equal(s.attachmentCount, 1);
    assert_int_equal(s.islandCount, 2);
    assert_int_equal(s.stepCount, 3);
    assert_true(s.memoryBytes > 1000 && s.allocationCount > 10);
    assert_true(s.converged && s.iterations >= 1 && s.factorizations >= 1);
    CHECK_BELOW(s.residual, 1e-6);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snippetOfTheHeader),
        cmocka_unit_test(defaultsAreAsDocumented),
        cmocka_unit_test(materialsAreAsDocumented),
        cmocka_unit_test(zeroIdsAreNull),
        cmocka_unit_test(staleIdsAreRecognised),
        cmocka_unit_test(worldsAreLimited),
        cmocka_unit_test(badIdsReadAsNothing),
        cmocka_unit_test(bodyKeepsItsMesh),
        cmocka_unit_test(stateIsInTheCallersOrder),
        cmocka_unit_test(massesAreInTheCallersOrder),
        cmocka_unit_test(copiesOfPositions),
        cmocka_unit_test(normalsOfASphere),
        cmocka_unit_test(findingVertices),
        cmocka_unit_test(userDataComesBack),
        cmocka_unit_test(startMotionIsRigid),
        cmocka_unit_test(everyMethodWorksByItsWord),
        cmocka_unit_test(everyModelWorksByItsWord),
        cmocka_unit_test(methodCanBeChanged),
        cmocka_unit_test(advanceTakesWholeSteps),
        cmocka_unit_test(advanceDropsWhatIsTooMuch),
        cmocka_unit_test(interpolationStaysBelowOne),
        cmocka_unit_test(equalWorldsHaveEqualHashes),
        cmocka_unit_test(hashSeesEveryPartOfTheState),
        cmocka_unit_test(farBodyChangesNoBit),
        cmocka_unit_test(worldsInTwoThreads),
        cmocka_unit_test(unconvergedIsSaidOnce),
        cmocka_unit_test(statisticsCount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
