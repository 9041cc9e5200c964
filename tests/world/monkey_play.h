// What the monkey does to a world that is there: it moves, pins, reads, saves, restores and steps it.
#ifndef TESTS_WORLD_MONKEY_PLAY_H
#define TESTS_WORLD_MONKEY_PLAY_H

#include "world/monkey_rigid.h"

static void moveVertices(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    int count = vvSoftBody_GetVertexCount(body);
    double *values = malloc((size_t)(3 * count + 1) * sizeof(double));
    for (int i = 0; i < 3 * count; ++i)
        values[i] = pick(monkey, 2000) ? randomBetween(&monkey->random, -1, 1) : number(monkey, -1, 1);
    if (rarely(monkey, 400) && count > 0)
        values[pick(monkey, 3 * count)] = NAN;
    if (pick(monkey, 2))
        TRY(monkey, vvSoftBody_SetPositions(body, values));
    else
        TRY(monkey, vvSoftBody_SetVelocities(body, values));
    free(values);
}

static void hold(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    int vertex = pick(monkey, vvSoftBody_GetVertexCount(body) + 2) - 1;
    switch (pick(monkey, 5))
    {
    case 0:
        TRY(monkey, vvSoftBody_Pin(body, &vertex, 1));
        break;
    case 1:
        TRY(monkey, vvSoftBody_Unpin(body, &vertex, 1));
        break;
    case 2:
        TRY(monkey, vvSoftBody_MovePin(body, vertex, vector(monkey, 1)));
        break;
    case 3:
        TRY(monkey, vvSoftBody_Slide(body, &vertex, 1, (vvSlideKind)pick(monkey, 3), vector(monkey, 1)));
        break;
    default:
        vvSoftBody_IsPinned(body, vertex);
        vvSoftBody_Wake(body);
    }
}

static void disturb(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    switch (pick(monkey, 12))
    {
    case 0:
        TRY(monkey, vvSoftBody_SetForce(body, pick(monkey, 20) - 1, vector(monkey, 10)));
        break;
    case 1:
        TRY(monkey, vvSoftBody_ClearForces(body));
        break;
    case 2:
        TRY(monkey, vvAttachment_MoveTarget(monkey->attachment[pick(monkey, 2 * SLOTS)], vector(monkey, 2)));
        break;
    case 3:
        TRY(monkey, vvWorld_SetGravity(monkey->world, vector(monkey, 10)));
        break;
    case 4:
        TRY(monkey,
            vvWorld_SetWind(monkey->world, (vvWind){ vector(monkey, 5), number(monkey, 0, 2), number(monkey, 0, 2) }));
        break;
    case 5:
        TRY(monkey, vvHandle_MoveTo(monkey->handle, vector(monkey, 1)));
        break;
    case 6:
        TRY(monkey, vvSoftBody_KeepForces(body, pick(monkey, 2) == 0));
        break;
    case 7:
        TRY(monkey, vvSoftBody_ApplyImpulse(body, vector(monkey, 1), vector(monkey, 1)));
        break;
    case 8:
        TRY(monkey, vvSoftBody_ApplyImpulseToVertex(body, pick(monkey, 20) - 1, vector(monkey, 0.1)));
        break;
    case 9:
        TRY(monkey, vvSoftBody_ApplyAngularImpulse(body, vector(monkey, 0.1)));
        break;
    default:
        TRY(monkey, vvCollider_MoveTo(monkey->collider[pick(monkey, SLOTS)], vector(monkey, 2),
                                      vvQuat_FromDegrees(vector(monkey, 180))));
    }
}

// another material, constraint, damping, pressure, friction or contact stiffness
static void redefine(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    vvMaterial material = vvSoftBody_GetMaterial(body);
    vvDamping damping = vvSoftBody_GetDamping(body);
    double limit = number(monkey, 1, 1.5);
    switch (pick(monkey, 8))
    {
    case 0:
        material.young = number(monkey, 1e3, 1e6);
        material.poisson = pick(monkey, 2) ? material.poisson : number(monkey, -0.2, 0.49);
        material.density = pick(monkey, 2) ? material.density : number(monkey, 10, 2000);
        material.thickness = pick(monkey, 4) ? material.thickness : number(monkey, 1e-3, 0.1);
        TRY(monkey, vvSoftBody_SetMaterial(body, material));
        break;
    case 1:
        damping.mass = pick(monkey, 2) ? damping.mass : number(monkey, 0, 3);
        damping.stiffness = pick(monkey, 2) ? 0 : number(monkey, 0, 0.01);
        damping.spring = pick(monkey, 4) ? damping.spring : number(monkey, 0, 10);
        damping.rigidPreserving = number(monkey, 0, 30);
        TRY(monkey, vvSoftBody_SetDamping(body, damping));
        break;
    case 2:
        TRY(monkey, vvSoftBody_SetPressure(body, pick(monkey, 2) ? vvSoftBody_GetPressure(body) + 1
                                                                 : number(monkey, -100, 100)));
        break;
    case 3:
        TRY(monkey, vvSoftBody_SetBending(body, pick(monkey, 3) ? number(monkey, 0, 3) : pick(monkey, 2) - 1));
        break;
    case 4:
        TRY(monkey,
            vvSoftBody_SetStrainLimit(body, pick(monkey, 3) ? (vvStrainLimit){ .min = 1 / limit,
                                                                               .max = limit,
                                                                               .acrossMax = limit,
                                                                               .direction = { pick(monkey, 2), 0, 0 } }
                                                            : (vvStrainLimit){ 0 }));
        break;
    case 5:
        TRY(monkey, vvSoftBody_SetVolumeStiffness(body, pick(monkey, 2) ? 0 : number(monkey, 0, 1e5)));
        TRY(monkey, vvSoftBody_SetAreaStiffness(body, pick(monkey, 2) ? 0 : number(monkey, 0, 1e5)));
        TRY(monkey, vvSoftBody_SetShapeStiffness(body, pick(monkey, 2) ? 0 : number(monkey, 0, 1e3)));
        break;
    case 6:
        TRY(monkey, vvSoftBody_SetContactStiffness(body, pick(monkey, 2) ? 0 : number(monkey, 1e4, 1e7)));
        break;
    default:
        TRY(monkey,
            vvSoftBody_SetFriction(body, rarely(monkey, 8) ? vvSoftBody_GetFriction(body) : number(monkey, 0, 1)));
    }
    readBooks(monkey, "another material");
}

// ---- reading: changes nothing ---------------------------------------------------------------------------------------

static void readElements(Monkey *monkey, vvSoftBodyId body)
{
    int sets = vvSoftBody_GetElementSetCount(body), set = pick(monkey, sets + 2) - 1;
    vvElement element;
    TRY(monkey,
        vvSoftBody_GetElement(body, set, pick(monkey, vvSoftBody_GetElementCount(body, set) + 2) - 1, &element));
}

static void readContacts(Monkey *monkey)
{
    int count = vvWorld_GetContacts(monkey->world, NULL, 0), events = vvWorld_GetContactEvents(monkey->world, NULL, 0);
    vvContact *contacts = malloc((size_t)(count + 1) * sizeof *contacts);
    vvContactEvent *told = malloc((size_t)(events + 1) * sizeof *told);
    assert_int_equal(vvWorld_GetContacts(monkey->world, contacts, count), count);
    assert_int_equal(vvWorld_GetContactEvents(monkey->world, told, events), events);
    for (int i = 0; i < count; ++i)
        assert_true(isFinite(contacts[i].force) && isfinite(contacts[i].overlap));
    free(contacts);
    free(told);
}

static void readBody(Monkey *monkey, vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int count = vvSoftBody_GetVertexCount(body);
    int cells = vvMesh_GetTetCount(mesh) + vvMesh_GetSurfaceCount(mesh) + vvMesh_GetEdgeCount(mesh);
    double *values = malloc((size_t)(3 * count + 6 * cells + 1) * sizeof(double));
    float *floats = malloc((size_t)(3 * count + 1) * sizeof(float));
    TRY(monkey, vvSoftBody_CopyForces(body, values));
    TRY(monkey, vvSoftBody_CopyEnergyDensities(body, values));
    TRY(monkey, vvSoftBody_CopyStretches(body, values));
    TRY(monkey, vvSoftBody_CopyConstraintForces(body, values));
    TRY(monkey, vvSoftBody_CopyElementForces(body, values));
    TRY(monkey, vvSoftBody_CopyPositions(body, number(monkey, 0, 1), floats, 12));
    TRY(monkey, vvSoftBody_CopyNormals(body, floats, 12 - rarely(monkey, 20)));
    vvSoftBody_FindVertices(body, (vvBox){ vector(monkey, 1), vector(monkey, 1) }, NULL, 0);
    vvSoftBody_FindNearestVertex(body, vector(monkey, 1));
    free(values);
    free(floats);
}

static void readMotion(vvSoftBodyId body)
{
    vvBox box = vvSoftBody_GetBounds(body);
    assert_true(isFinite(box.lower) && isFinite(box.upper) && isFinite(vvSoftBody_GetCentreOfMass(body)));
    assert_true(isFinite(vvSoftBody_GetMomentum(body)) && isFinite(vvSoftBody_GetAngularMomentum(body)));
    assert_true(isfinite(vvSoftBody_GetKineticEnergy(body)));
}

// what is listed is there, and its ids survive being integers
static void readLists(Monkey *monkey)
{
    vvAttachmentId attachments[2 * SLOTS];
    vvColliderId colliders[SLOTS];
    vvHandleId handles[SLOTS];
    vvHingeId hinges[SLOTS];
    vvConstraintId constraints[SLOTS];
    vvSoftBodyId bodies[SLOTS];
    vvAttachmentDef def;
    int count = vvWorld_GetAttachments(monkey->world, attachments, 2 * SLOTS);
    for (int i = 0; i < count && i < 2 * SLOTS; ++i)
        CHECK_OK(vvAttachment_GetDef(vvLoadAttachmentId(vvStoreAttachmentId(attachments[i])), &def));
    count = vvWorld_GetColliders(monkey->world, colliders, SLOTS);
    for (int i = 0; i < count && i < SLOTS; ++i)
        assert_true(vvCollider_IsValid(vvLoadColliderId(vvStoreColliderId(colliders[i]))));
    count = vvWorld_GetHandles(monkey->world, handles, SLOTS);
    for (int i = 0; i < count && i < SLOTS; ++i)
        assert_true(vvSoftBody_IsValid(vvHandle_GetBody(vvLoadHandleId(vvStoreHandleId(handles[i])))));
    count = vvWorld_GetHinges(monkey->world, hinges, SLOTS);
    for (int i = 0; i < count && i < SLOTS; ++i)
        assert_true(vvSoftBody_IsValid(vvHinge_GetBody(vvLoadHingeId(vvStoreHingeId(hinges[i])))));
    count = vvWorld_GetConstraints(monkey->world, constraints, SLOTS);
    for (int i = 0; i < count && i < SLOTS; ++i)
        assert_true(vvSoftBody_IsValid(vvConstraint_GetBody(vvLoadConstraintId(vvStoreConstraintId(constraints[i])))));
    count = vvWorld_GetBodies(monkey->world, bodies, SLOTS);
    assert_true(count <= SLOTS);
    for (int i = 0; i < count; ++i)
        assert_true(vvStoreWorldId(vvSoftBody_GetWorld(vvLoadSoftBodyId(vvStoreSoftBodyId(bodies[i])))) ==
                    vvStoreWorldId(monkey->world));
    TRY(monkey, vvAttachment_GetDef(monkey->attachment[pick(monkey, 2 * SLOTS)], rarely(monkey, 9) ? NULL : &def));
}

static void ask(Monkey *monkey, vvSoftBodyId body)
{
    vvOverlap found[2 * SLOTS];
    int elements[8];
    vvBox box = { vector(monkey, 1), vector(monkey, 1) };
    vvVec3 point = vector(monkey, 1);
    double radius = number(monkey, 0, 1);
    assert_true(vvWorld_OverlapBox(monkey->world, box, found, 2 * SLOTS) <= 2 * SLOTS);
    assert_true(vvWorld_OverlapSphere(monkey->world, point, radius, found, 2 * SLOTS) <= 2 * SLOTS);
    assert_true(vvSoftBody_OverlapBox(body, box, elements, 8) >= 0);
    assert_true(vvSoftBody_OverlapSphere(body, point, radius, elements, 8) >= 0);
    vvPick pick = vvWorld_CastSphere(monkey->world, point, radius, vector(monkey, 1), number(monkey, 0, 10));
    assert_true(pick.kind == VV_PICK_NOTHING || pick.distance >= 0);
}

static void countStroke(vvVec3 a, vvVec3 b, uint32_t colour, void *userData)
{
    (void)colour;
    *(int *)userData += isFinite(a) && isFinite(b);
}

static void sketch(Monkey *monkey)
{
    int strokes = 0;
    vvDebugDraw draw = vvDefaultDebugDraw();
    draw.drawSegment = pick(monkey, 8) ? countStroke : NULL;
    draw.flags = (uint32_t)pick(monkey, VV_DRAW_ALL + 1);
    draw.forceScale = number(monkey, 0, 1);
    draw.planeSize = number(monkey, 0.1, 10);
    draw.userData = &strokes;
    TRY(monkey, vvWorld_Draw(monkey->world, &draw));
}

static void look(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    vvExamination found;
    uint64_t hash = vvWorld_GetHash(monkey->world);
    readBody(monkey, body);
    readContacts(monkey);
    readElements(monkey, body);
    ask(monkey, body);
    sketch(monkey);
    vvPose pose = vvCollider_GetPose(monkey->collider[pick(monkey, SLOTS)]);
    CHECK_NEAR(pose.rotation.w * pose.rotation.w + pose.rotation.x * pose.rotation.x +
                   pose.rotation.y * pose.rotation.y + pose.rotation.z * pose.rotation.z,
               1, 1e-9);
    if (TRY(monkey, vvSoftBody_Examine(body, &found)) == VV_OK)
        assert_false(isnan(found.highestFrequency) || isnan(found.lowestFrequency) || isnan(found.worstStretch));
    readMotion(body);
    readLists(monkey);
    vvWorld_GetIslandLedger(monkey->world, pick(monkey, 3) - 1);
    assert_true(vvWorld_GetHash(monkey->world) == hash);
}

// ---- states ---------------------------------------------------------------------------------------------------------

static void saveOrRestore(Monkey *monkey)
{
    if (pick(monkey, 2))
    {
        TRY(monkey, vvWorld_RestoreState(monkey->world, monkey->saved, monkey->savedSize));
        return;
    }
    free(monkey->saved);
    monkey->savedSize = vvWorld_GetStateSize(monkey->world);
    monkey->saved = malloc(monkey->savedSize);
    TRY(monkey, vvWorld_SaveState(monkey->world, monkey->saved, monkey->savedSize));
    if (rarely(monkey, 4))
        monkey->saved[pick(monkey, (int)monkey->savedSize)] ^= 4;
}

// the state of this world goes into a second one, made with another method from the same calls; then back
static void build(Monkey *monkey, uint64_t seed, const char *method, const char *solver)
{
    monkey->random.state = seed;
    vvWorldDef def = someWorld(monkey, method, solver);
    vvResult result;
    monkey->world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    for (int k = 0; k < 4; ++k)
        createSomething(monkey);
    obstruct(monkey);
    attachSomething(monkey);
    constrain(monkey);
    for (int k = 0; k < 3; ++k)
        playRigid(monkey);
}

static void goAcross(Monkey *monkey)
{
    Monkey saved = *monkey;
    int round = monkey->round;
    uint64_t seed = monkey->random.state | 1;
    vvWorldId worlds[2];
    monkey->failAfter = -1;
    for (int k = 0; k < 2; ++k)
    {
        memset(monkey->body, 0, sizeof monkey->body);
        memset(monkey->rigid, 0, sizeof monkey->rigid);
        memset(monkey->joint, 0, sizeof monkey->joint);
        monkey->fluid = vvLoadFluidId(0);
        monkey->hinge = vvLoadHingeId(0); // so that both worlds see the same calls
        monkey->constraint = vvLoadConstraintId(0);
        build(monkey, seed, vvGetMethodName((round + 7 * k) % 33), vvGetSolverName((round / 3 + k) % 4));
        worlds[k] = monkey->world;
        TRY(monkey, vvWorld_Step(monkey->world, 1e-3));
    }
    for (int k = 0; k < 2; ++k) // there and back, with a step after each
    {
        size_t size = vvWorld_GetStateSize(worlds[1 - k]);
        unsigned char *state = malloc(2 * size);
        CHECK_OK(vvWorld_SaveState(worlds[1 - k], state, size));
        monkey->world = worlds[k];
        if (TRY(monkey, vvWorld_RestoreState(worlds[k], state, size)) == VV_OK)
        {
            CHECK_OK(vvWorld_SaveState(worlds[k], state + size, size));
            assert_memory_equal(state, state + size, size);
        }
        if (TRY(monkey, vvWorld_Step(worlds[k], 1e-3)) == VV_OK)
            readBooks(monkey, "a step after a state of another world");
        free(state);
    }
    vvDestroyWorld(worlds[0]);
    vvDestroyWorld(worlds[1]);
    monkey->world = saved.world;
    memcpy(monkey->body, saved.body, sizeof monkey->body);
    memcpy(monkey->attachment, saved.attachment, sizeof monkey->attachment);
    memcpy(monkey->collider, saved.collider, sizeof monkey->collider);
    memcpy(monkey->rigid, saved.rigid, sizeof monkey->rigid);
    memcpy(monkey->joint, saved.joint, sizeof monkey->joint);
    monkey->fluid = saved.fluid;
    monkey->hinge = saved.hinge;
    monkey->constraint = saved.constraint;
}

// ---- time -----------------------------------------------------------------------------------------------------------

static void step(Monkey *monkey)
{
    if (TRY(monkey, vvWorld_Step(monkey->world, number(monkey, 1e-4, 0.03))) != VV_OK)
        return;
    monkey->steps += 1;
    monkey->touching += vvWorld_GetContacts(monkey->world, NULL, 0) > 0;
    readBooks(monkey, "a step");
}

static void advance(Monkey *monkey)
{
    remember(monkey);
    vvResult result = vvWorld_Advance(monkey->world, number(monkey, 0, 0.05));
    checkWords(monkey, "vvWorld_Advance", result); // the steps before one that failed stay taken
    double ahead = vvWorld_GetInterpolation(monkey->world);
    assert_true(ahead >= 0 && ahead < 1);
}

static void changeMethod(Monkey *monkey)
{
    const char *method = rarely(monkey, 20) ? "euler" : oneOf(monkey, vvGetMethodName);
    if (!isSlow(monkey, method))
        TRY(monkey, vvWorld_SetMethod(monkey->world, method));
}

// the points of a collider that deforms, to where some of them are mirrored or flattened
static void deform(Monkey *monkey, vvColliderId collider)
{
    double points[12];
    int count = vvCollider_GetPoints(collider, points, 4);
    for (int i = 0; i < 3 * count; ++i)
        points[i] = i % 5 == 0 ? -points[i] : i % 7 == 0 ? 0.1 : 0.9 * points[i] + 0.02 * i - 0.1;
    if (count > 0 && vvCollider_GetFriction(collider) < 0.3)
        TRY(monkey, vvCollider_SetPoints(collider, points, count));
    else
        TRY(monkey, vvCollider_MovePoints(collider, points, count));
}

static void tune(Monkey *monkey)
{
    vvColliderId collider = monkey->collider[pick(monkey, SLOTS)];
    switch (pick(monkey, 7))
    {
    case 0:
        TRY(monkey, vvWorld_SetSolver(monkey->world, rarely(monkey, 20) ? "none" : oneOf(monkey, vvGetSolverName)));
        break;
    case 1:
        TRY(monkey, vvWorld_SetIterations(monkey->world, pick(monkey, monkey->divides ? 2 : 12) + !rarely(monkey, 9)));
        break;
    case 2:
        TRY(monkey, vvWorld_SetTolerance(monkey->world, number(monkey, 1e-10, 1e-3)));
        break;
    case 3:
        TRY(monkey, vvWorld_SetSubsteps(monkey->world, pick(monkey, 7) - rarely(monkey, 9)));
        break;
    case 6:
        TRY(monkey,
            vvCollider_SetPose(collider, (vvPose){ vector(monkey, 2), vvQuat_FromDegrees(vector(monkey, 180)) }));
        break;
    case 4:
        TRY(monkey, vvCollider_SetFriction(collider, number(monkey, 0, 1)));
        break;
    default:
        TRY(monkey, vvCollider_SetRestitution(collider, number(monkey, 0, 1)));
    }
    deform(monkey, collider);
    assert_true(vvWorld_GetSolver(monkey->world) != NULL && vvWorld_GetIterations(monkey->world) >= 0);
    assert_true(vvWorld_GetTolerance(monkey->world) > 0 && vvWorld_GetSubsteps(monkey->world) >= 0);
    assert_true(vvCollider_GetFriction(collider) >= 0 && vvCollider_GetRestitution(collider) >= 0);
}

static void letGo(Monkey *monkey)
{
    if (pick(monkey, 2))
        vvDestroyHinge(monkey->hinge);
    else
        vvDestroyConstraint(monkey->constraint);
    readBooks(monkey, "a hinge or a constraint that went");
}

static void playOn(Monkey *monkey)
{
    int choice = pick(monkey, 42);
    monkey->sober = !rarely(monkey, 4);
    if (choice < 3)
        createSomething(monkey);
    else if (choice < 5)
        attachSomething(monkey);
    else if (choice < 7)
        moveVertices(monkey);
    else if (choice < 9)
        hold(monkey);
    else if (choice < 13)
        disturb(monkey);
    else if (choice < 14)
        vvDestroySoftBody(someBody(monkey));
    else if (choice < 15)
        changeMethod(monkey);
    else if (choice < 16)
        advance(monkey);
    else if (choice < 18)
        monkey->failAfter = pick(monkey, 2) ? pick(monkey, 40) : -1;
    else if (choice < 19)
        look(monkey);
    else if (choice < 21)
        saveOrRestore(monkey);
    else if (choice < 23)
        obstruct(monkey);
    else if (choice < 24)
        takeHold(monkey);
    else if (choice < 25)
        constrain(monkey);
    else if (choice < 26)
        letGo(monkey);
    else if (choice < 28)
        redefine(monkey);
    else if (choice < 30)
        tune(monkey);
    else if (choice < 35)
        playRigid(monkey);
    else
        step(monkey);
}

#endif
