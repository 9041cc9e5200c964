// Soft bodies: creation and destruction.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

vvSoftBodyDef vvDefaultSoftBodyDef(void)
{
    vvSoftBodyDef def = { .material = vvMaterial_Rubber(),
                          .law = vvDefaultLaw(),
                          .volumeMin = 1,
                          .volumeMax = 1,
                          .bending = -1,
                          .twisting = -1,
                          .damping = { .stiffness = DAMPING_OF_MATERIAL },
                          .friction = FRICTION_UNSTATED,
                          .category = 1,
                          .mask = UINT32_MAX,
                          .cookie = BODY_COOKIE };
    def.material.loss = LOSS_UNSTATED;
    for (int k = 0; k < VV_EDGE_KINDS; ++k)
        def.springStiffness[k] = -1;
    return def;
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkPositive(const char *what, double value, const char *unit, const char *remedy)
{
    if (value >= 1e-30 && value <= MODEST)
        return resultOk();
    return resultMake(VV_BAD_INPUT, remedy, "%s is %g %s, must be 1e-30 to 1e30", what, value, unit);
}

static vvResult checkMaterial(const vvMaterial *material, MeshMatter matter)
{
    vvResult result = checkPositive("density", material->density, "kg/m^3", "water has 1000, rubber about 930");
    if (result.code == VV_OK)
        result = checkPositive("young", material->young, "Pa", "jelly has about 1e4, rubber about 1.5e6");
    if (result.code == VV_OK && matter != MATTER_SOLID)
        result = checkPositive("thickness", material->thickness, "m", "cloth has about 0.0003");
    if (result.code == VV_OK && !(material->poisson > -1 && material->poisson < 0.5))
        result = resultMake(VV_BAD_INPUT, "0.45 is nearly incompressible and does not lock",
                            "poisson is %g, must be above -1 and below 0.5", material->poisson);
    if (result.code == VV_OK && material->loss != LOSS_UNSTATED &&
        !(material->loss >= 0 && material->loss <= MOST_LOSS))
        result = resultMake(VV_BAD_INPUT, "0 is none, rubber has about 0.04",
                            "loss is %g, must be 0 to %d: above 2 nothing swings", material->loss, MOST_LOSS);
    return result;
}

static vvResult checkDamping(const vvDamping *damping)
{
    const struct
    {
        const char *name, *unit, *remedy;
        double value;
    } rows[] = {
        { "mass", "1/s", "0 is none, 1 stops motion in about a second", damping->mass },
        { "stiffness", "s", "0 is none, 0.001 stills vibration above a few hundred hertz",
          damping->stiffness == DAMPING_OF_MATERIAL ? 0 : damping->stiffness },
        { "spring", "N s/m", "0 is none, twice the root of stiffness times mass stops a spring at once",
          damping->spring },
        { "rigidPreserving", "1/s", "0 is none, 10 calms a body in some tenths of a second", damping->rigidPreserving },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        if (!(rows[i].value >= 0 && isModest(rows[i].value)))
            return resultMake(VV_BAD_INPUT, rows[i].remedy, "damping.%s is %g %s, must be 0, or 1e-30 to 1e30",
                              rows[i].name, rows[i].value, rows[i].unit);
    }
    return resultOk();
}

static vvResult checkContactSurface(const vvSoftBodyDef *def)
{
    if (!(def->contactSurface >= 0 && def->contactSurface <= VV_MAX_CONTACT_SURFACE))
        return resultMake(VV_BAD_INPUT, "0 takes the mesh's own surface, 500 is plenty for most",
                          "contactSurface is %d, must be 0 to %d", def->contactSurface, VV_MAX_CONTACT_SURFACE);
    if (def->contactSurface > 0 && vvMesh_GetEmbedding(def->mesh) == NULL)
        return resultMake(VV_BAD_INPUT, "make the mesh a cage (VV_SOLID_CAGE, \"kind\": \"cage\"), or set it to 0",
                          "contactSurface is %d, but the mesh carries no surface", def->contactSurface);
    if (def->contactSurface > 0 && def->contactSamples > 0)
        return resultMake(VV_BAD_INPUT, "set one of them to 0",
                          "contactSurface is %d and contactSamples %d, must not be both above 0", def->contactSurface,
                          def->contactSamples);
    return resultOk();
}

static vvResult checkVertexFriction(double friction, int vertex)
{
    if ((friction >= 0 && isModest(friction)) || friction == FRICTION_UNSTATED)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "0.5 is usual; -1 takes the other side's",
                      "vertexFriction[%d] is %g, must be at least 0, or -1", vertex, friction);
}

vvResult bodyCheckDef(const World *world, const vvSoftBodyDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == BODY_COOKIE, "soft body", "vvDefaultSoftBodyDef()");
    if (result.code != VV_OK)
        return result;
    if (def->mesh == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateMesh with a vvResult says why a mesh could not be made",
                          "mesh is NULL");
    result = checkMaterial(&def->material, def->mesh->matter);
    if (result.code == VV_OK)
        result = checkVector("position", def->position);
    if (result.code == VV_OK)
        result = checkVector("velocity", def->velocity);
    if (result.code == VV_OK)
        result = checkVector("spin", def->spin);
    if (result.code == VV_OK)
        result = checkDamping(&def->damping);
    if (result.code == VV_OK && def->name != NULL && strlen(def->name) > VV_MAX_NAME)
        result = resultMake(VV_BAD_INPUT, "shorten it", "the name '%.20s...' has %zu bytes, at most %d fit", def->name,
                            strlen(def->name), VV_MAX_NAME);
    if (result.code == VV_OK && !(def->contactStiffness >= 0 && isModest(def->contactStiffness)))
        result = resultMake(VV_BAD_INPUT, "0 takes it from the material",
                            "contactStiffness is %g N/m^3, must be 0, or 1e-30 to 1e30", def->contactStiffness);
    if (result.code == VV_OK && !(def->contactSamples >= 0 && def->contactSamples <= VV_MAX_CONTACT_SAMPLES))
        result = resultMake(VV_BAD_INPUT, "0 takes vertices alone, 3 is plenty for coarse bodies",
                            "contactSamples is %d, must be 0 to %d", def->contactSamples, VV_MAX_CONTACT_SAMPLES);
    if (result.code == VV_OK)
        result = checkContactSurface(def);
    if (result.code == VV_OK && !((def->friction >= 0 && isModest(def->friction)) || def->friction == -1))
        result = resultMake(VV_BAD_INPUT, "0.5 is usual; -1 takes the other side's",
                            "friction is %g, must be at least 0, or -1", def->friction);
    for (int v = 0; result.code == VV_OK && def->vertexFriction != NULL && v < def->mesh->vertexCount; ++v)
        result = checkVertexFriction(def->vertexFriction[v], v);
    if (result.code == VV_OK && def->selfContact && !world->softContact)
        result = resultMake(VV_BAD_INPUT, "set softContact in the definition of the world",
                            "selfContact is true in a world without softContact");
    if (result.code == VV_OK)
        result = checkTear(def);
    if (result.code == VV_OK)
        result = checkConstraints(def);
    if (result.code == VV_OK)
        result = checkShapes(world->method.integrator, defMatchesShape(def));
    for (int k = 0; k < VV_EDGE_KINDS && result.code == VV_OK; ++k)
    {
        if (!isModest(def->springStiffness[k]))
            result = resultMake(VV_BAD_INPUT, "a negative value takes the stiffness from the material",
                                "springStiffness[%d] is %g N/m, must be finite", k, def->springStiffness[k]);
    }
    return result;
}

static vvResult checkNewBody(const World *world, const vvSoftBodyDef *def)
{
    vvResult result = bodyCheckDef(world, def);
    if (result.code == VV_OK && def->mesh->vertexCount > VV_MAX_VERTICES - world->state.count)
        result = resultMake(VV_LIMIT, "use a coarser mesh or a second world",
                            "the world would have %lld vertices, at most %d fit",
                            (long long)def->mesh->vertexCount + world->state.count, VV_MAX_VERTICES);
    return result;
}

// ---- energies -------------------------------------------------------------------------------------------------------

// gravity, forces and drag act on every vertex; mass: count, kg
static vvResult createVertexEnergies(Body *body, const vvSoftBodyDef *def, const double *mass)
{
    World *world = body->world;
    Memory *memory = &world->memory;
    Recipe recipe = { .rest = def->mesh->point, .strength = mass, .gravity = world->gravity };
    body->gravity = energyCreate(memory, &gravityKind, body->count, body->count, NULL, &recipe);
    body->force = energyCreate(memory, &forceKind, body->count, body->count, NULL, &recipe);
    bool ok = body->gravity != NULL && body->force != NULL;
    if (ok && def->damping.mass > 0)
    {
        double *rate = ALLOCATE(memory, double, body->count);
        if (rate != NULL)
        {
            for (int v = 0; v < body->count; ++v)
                rate[v] = def->damping.mass * mass[v];
            recipe.strength = rate;
            body->drag = energyCreate(memory, &dragKind, body->count, body->count, NULL, &recipe);
        }
        ok = body->drag != NULL;
        memoryRelease(memory, rate);
    }
    return ok ? resultOk() : resultOutOfMemory("the forces of a body");
}

bool bodyCreateMatrix(Body *body)
{
    World *world = body->world;
    Member *member = &body->member;
    Blueprint *blueprint = body->blueprint;
    if (!blueprintComplete(world, blueprint))
        return false;
    member->graph = blueprint->graph;
    Matrices matrices = methodMatrices(&world->method);
    if (matrices == MATRICES_NONE)
        return true;
    if (matrices == MATRICES_PREFACTORS)
        return member->majorizer || memberCreatePrefactors(member, &world->memory, blueprint->graph, blueprint->tree);
    const FrontTree *blocks = world->method.solver->iterative ? NULL : blueprint->blocks;
    return member->matrix || memberCreateMatrix(member, &world->memory, blueprint->graph, blocks, world->isa,
                                                world->method.solving.preconditioner);
}

void bodyReduceMatrix(Body *body)
{
    Matrices matrices = methodMatrices(&body->world->method);
    if (matrices != MATRICES_NEWTON)
        memberDestroyMatrix(&body->member, &body->world->memory);
    if (matrices != MATRICES_PREFACTORS && body->member.majorizer != NULL)
        memberDestroyPrefactors(&body->member, &body->world->memory);
}

vvResult bodyCreateDefined(Body *body, const vvSoftBodyDef *def, const double *mass)
{
    vvResult result = bodyCreateElastic(body, def);
    if (result.code == VV_OK)
        result = createVertexEnergies(body, def, mass);
    if (result.code != VV_OK)
        return result;
    Member *member = &body->member;
    member->count = body->count;
    // a particle alone has no other size than its diameter
    member->size = body->mesh->particles ? maxReal(body->mesh->size, def->material.thickness) : body->mesh->size;
    member->step = &body->step;
    member->step->waves = bodyWaveSpeed(body, def, mass) / member->size;
    member->step->rigidDamping = def->damping.rigidPreserving;
    member->energy[member->energyCount++] = body->elastic;
    member->energy[member->energyCount++] = body->gravity;
    member->energy[member->energyCount++] = body->force;
    if (body->drag != NULL)
        member->energy[member->energyCount++] = body->drag;
    for (int k = 0; k < body->damperCount; ++k)
        member->energy[member->energyCount++] = body->damper[k];
    int dampers = body->damperCount;
    result = bodyCreateConstraints(body, def, mass);
    for (int k = dampers; k < body->damperCount; ++k) // of bending
        member->energy[member->energyCount++] = body->damper[k];
    body->definedCount = body->constraintCount;
    body->definedEnergies = member->energyCount;
    return result;
}

static vvResult createEnergies(Body *body, const vvSoftBodyDef *def, const double *mass)
{
    vvResult result = bodyCreateDefined(body, def, mass);
    if (result.code == VV_OK)
        result = bodyCreateWind(body);
    if (result.code == VV_OK)
        result = bodyCreatePress(body);
    if (result.code != VV_OK)
        return result;
    return bodyCreateMatrix(body) ? resultOk() : resultOutOfMemory("the matrix of a body");
}

// ---- state ----------------------------------------------------------------------------------------------------------

#define ORPHAN_MASS 1e-12 // of the mean mass of vertices: of one that lost its last element and is pinned

// those without mass that share no element with another are marked by -1
static void markOrphans(const vvMesh *mesh, double *mass)
{
    bool any = false;
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        any |= mass[v] == 0;
        mass[v] = mass[v] == 0 ? -1 : mass[v];
    }
    for (int i = 0; i < 2 * mesh->pairCount && any; ++i)
        mass[mesh->pair[i]] = maxReal(mass[mesh->pair[i]], 0);
}

vvResult bodyMasses(const vvSoftBodyDef *def, double *mass)
{
    double whole = 0;
    meshLumpedMass(def->mesh, def->material.density, def->material.thickness, mass);
    markOrphans(def->mesh, mass);
    for (int v = 0; v < def->mesh->vertexCount; ++v)
        whole += maxReal(mass[v], 0);
    for (int v = 0; v < def->mesh->vertexCount; ++v)
    {
        int caller = def->mesh->vertexToCaller[v];
        bool orphan = mass[v] < 0;
        mass[v] = def->vertexMass != NULL ? def->vertexMass[caller] : mass[v];
        mass[v] = orphan ? ORPHAN_MASS * whole / def->mesh->vertexCount : mass[v];
        if (!(mass[v] > 0) || !isfinite(mass[v]) || (def->vertexMass != NULL && !isModest(mass[v])))
            return resultMake(VV_BAD_INPUT,
                              def->vertexMass ? "give every vertex a mass in kg"
                                              : "check density, thickness and the unit of the mesh (metres)",
                              "vertex %d has mass %g kg, must be 1e-30 to 1e30", caller, mass[v]);
    }
    return resultOk();
}

vvResult bodyPlaceMasses(Body *body, const vvSoftBodyDef *def)
{
    double *mass = body->world->state.mass + body->first;
    vvResult result = bodyMasses(def, mass);
    for (int v = 0; v < body->count && result.code == VV_OK; ++v)
        body->mass += mass[v];
    return result;
}

// writes the body's first state behind the last vertex; it counts only once the body is committed
vvResult bodyPlaceVertices(Body *body, const vvSoftBodyDef *def)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    vvResult result = bodyPlaceMasses(body, def);
    Vec3 moment = vec3(0, 0, 0);
    for (int v = 0; v < body->count && result.code == VV_OK; ++v)
    {
        const double *start = def->positions != NULL ? def->positions + 3 * (ptrdiff_t)def->mesh->vertexToCaller[v]
                                                     : def->mesh->point + 3 * (ptrdiff_t)v;
        Vec3 x = vecAdd(vecLoad(start), def->position);
        vecStore(s.start + 3 * v, x);
        moment = vecAdd(moment, vecScale(s.mass[v], x));
    }
    if (result.code != VV_OK)
        return result;
    Vec3 centre = vecScale(1 / body->mass, moment);
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 x = vecLoad(s.start + 3 * v);
        Vec3 velocity = vecAdd(def->velocity, vecCross(def->spin, vecSub(x, centre)));
        if (isVast(x) || isVast(velocity))
            return resultMake(VV_BAD_INPUT, "check position, velocity and spin: their sum must stay a number",
                              "vertex %d would start at %g %g %g with velocity %g %g %g, must be finite and within %g",
                              def->mesh->vertexToCaller[v], x.x, x.y, x.z, velocity.x, velocity.y, velocity.z, VAST);
        vecStore(s.startVelocity + 3 * v, velocity);
        vecStore(s.previous + 3 * v, x);
        vecStore(s.pinTarget + 3 * v, x);
        s.pinned[v] = 0;
        s.hold[v] = HOLD_FREE;
        vecStore(s.holdAxis + 3 * v, vec3(0, 0, 0));
        vecStore(s.reaction + 3 * v, vec3(0, 0, 0));
    }
    return resultOk();
}

bool bodyCreateCallerArrays(Body *body)
{
    Memory *memory = &body->world->memory;
    body->callerMass = ALLOCATE_BARE(memory, double, body->count);
    body->callerPosition = ALLOCATE_BARE(memory, double, 3 * (size_t)body->count);
    body->callerVelocity = ALLOCATE_BARE(memory, double, 3 * (size_t)body->count);
    body->callerNormal = ALLOCATE_BARE(memory, double, 3 * (size_t)body->count);
    return body->callerMass && body->callerPosition && body->callerVelocity && body->callerNormal;
}

// a free slot, or a new one; -1: out of memory
static int reserveSlot(World *world)
{
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body == NULL)
            return i;
    }
    int grown = maxInt(8, 2 * world->bodySlotCount);
    void *slots = world->body;
    if (!memoryGrow(&world->memory, &slots, (size_t)world->bodySlotCount, (size_t)grown, sizeof(BodySlot)))
        return -1;
    world->body = slots;
    int slot = world->bodySlotCount;
    world->bodySlotCount = grown;
    return slot;
}

static vvResult buildBody(Body *body, const vvSoftBodyDef *def)
{
    World *world = body->world;
    vvResult result = bodyCreateStencils(body, def);
    if (result.code != VV_OK)
        return result;
    body->blueprint = blueprintAcquire(world, def->mesh, &body->stencils, NULL);
    if (body->blueprint == NULL)
        return resultOutOfMemory("the analysis of a mesh");
    body->slot = body->meets = reserveSlot(world);
    if (body->slot < 0 || !bodyCreateCallerArrays(body) || !stateReserve(world, world->state.count + body->count))
        return resultOutOfMemory("the state of a body");
    body->first = world->state.count;
    result = bodyPlaceVertices(body, def);
    if (result.code == VV_OK)
        result = createEnergies(body, def, world->state.mass + body->first);
    body->contactDef = contactDefOf(def, body->mass);
    body->handleStiffness = handleStiffness(def, body->mass);
    if (result.code == VV_OK && (world->colliders.count > 0 || world->rigids.count > 0))
        result = bodyCreateContact(body);
    if (result.code == VV_OK && world->rigids.count > 0)
        result = bodyCreateFaces(body);
    if (result.code == VV_OK && (world->softContact || bodyMeetsFluids(body)))
        result = bodyCreateCollisionMesh(body);
    if (result.code == VV_OK && (!bodyKeepDef(body, def) || !bodyCreateTears(body, def)))
        result = resultOutOfMemory("the definition of a body");
    if (result.code == VV_OK && body->vertexFriction != NULL)
        bodyLoadSurface(body);
    return result;
}

// the last in the order of creation
static void enlist(Body *body)
{
    World *world = body->world;
    body->before = world->lastBody;
    *(body->before ? &body->before->next : &world->firstBody) = body;
    world->lastBody = body;
}

static void strike(Body *body)
{
    World *world = body->world;
    *(body->before ? &body->before->next : &world->firstBody) = body->next;
    *(body->next ? &body->next->before : &world->lastBody) = body->before;
}

static void nameBody(Body *body, const char *name)
{
    if (name != NULL)
        snprintf(body->name, sizeof body->name, "%s", name);
    else
        snprintf(body->name, sizeof body->name, "body%lld", body->world->bodiesMade);
}

static void commitBody(Body *body)
{
    World *world = body->world;
    for (int v = 0; v < body->count; ++v)
        body->callerMass[body->mesh->vertexToCaller[v]] = world->state.mass[body->first + v];
    world->state.count += body->count;
    world->body[body->slot] = (BodySlot){ .body = body, .generation = nextGeneration(world) };
    world->bodyCount += 1;
    world->bodiesMade += 1;
    enlist(body);
    world->systemsStale = true;
    if (body->elastic->kind == &smoothedKind && world->method.integrator->sweeps)
        logWrite(
            &world->memory, &world->logger, VV_LOG_WARNING,
            "body '%s': %s sweeps tets one by one and takes the model 'smoothed' as 'corotated', too stiff in bending "
            "where few cells lie across; small-midpoint has it",
            body->name, world->method.integrator->name);
    body->island = world->islandCount++; // its own, until it joins another
    islandsRefresh(world);
    bodySearch(body, 0);
    body->account.opening = bodyTotal(body);
    body->account.added = softPlace(body);
    body->fingerprint = bodyFingerprint(body);
}

void bodyFree(Body *body)
{
    Memory *memory = &body->world->memory;
    memberDestroyMatrix(&body->member, memory);
    memberDestroyPrefactors(&body->member, memory);
    bodyReleaseModes(body);
    bodyReleaseSmooth(body);
    energyDestroy(body->elastic);
    energyDestroy(body->gravity);
    energyDestroy(body->force);
    energyDestroy(body->wind);
    energyDestroy(body->press);
    memoryRelease(memory, body->pressed);
    energyDestroy(body->drag);
    for (int k = 0; k < body->damperCount; ++k)
        energyDestroy(body->damper[k]);
    bodyDestroyConstraints(body);
    bodyReleaseDef(body);
    originRelease(body);
    bodyDestroyTears(body);
    bodyDestroyPieces(body);
    energyDestroy(body->attachments);
    energyDestroy(body->contact);
    energyDestroy(body->contactDamping);
    energyDestroy(body->faces);
    bodyDestroyCollisionMesh(body);
    contactBodyDestroy(memory, body->contactBody);
    contactBodyDestroy(memory, body->faceBody);
    memoryRelease(memory, body->callerMass);
    memoryRelease(memory, body->callerPosition);
    memoryRelease(memory, body->callerVelocity);
    memoryRelease(memory, body->callerNormal);
    blueprintRelease(body->world, body->former);
    blueprintRelease(body->world, body->blueprint);
    memoryRelease(memory, body);
}

vvSoftBodyId vvCreateSoftBody(vvWorldId worldId, const vvSoftBodyDef *def, vvResult *result)
{
    vvSoftBodyId none = { 0, 0, 0 };
    World *world = worldOpen(worldId);
    vvResult outcome = world ? checkNewBody(world, def) : refused("world");
    if (!resultPass(result, &outcome))
        return none;
    Body *body = ALLOCATE(&world->memory, Body, 1);
    if (body == NULL)
        outcome = resultOutOfMemory("a body");
    else
    {
        *body = (Body){
            .world = world, .mesh = def->mesh, .count = def->mesh->vertexCount, .userData = def->userData, .slot = -1
        };
        nameBody(body, def->name);
        vvSoftBodyDef damped = *def;
        materialDamp(world, &damped);
        outcome = buildBody(body, &damped);
        if (outcome.code != VV_OK)
            bodyFree(body);
    }
    if (!resultPass(result, &outcome))
        return none;
    commitBody(body);
    return bodyId(body);
}

vvSoftBodyId bodyId(const Body *body)
{
    const World *world = body->world;
    return ID_OF(vvSoftBodyId, world, body->slot, world->body[body->slot].generation);
}

void bodyDestroy(Body *body)
{
    World *world = body->world;
    attachmentsOfBodyDestroy(body);
    addedOfBodyRelease(body);
    if (body->collisionMesh != NULL)
    {
        body->account.added -= softEnergyOf(body);
        softForget(world, body);
        islandsRefresh(world); // it is booked while it is still there
    }
    meetingLeave(world, body);
    world->body[body->slot].body = NULL;
    world->bodyCount -= 1;
    strike(body);
    stateRemove(world, body->first, body->count);
    bodyFree(body);
    islandsNumber(world);
}

void vvDestroySoftBody(vvSoftBodyId id)
{
    Body *body = bodyOpen(id);
    if (body != NULL)
        bodyDestroy(body);
}
