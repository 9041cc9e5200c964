// Bodies against bodies: what each brings, the pairs of a step, and what the ledger and records say of them.
#include "world/world.h"

// ---- collision meshes -----------------------------------------------------------------------------------------------

static vvResult reserveCollisionMeshes(World *world)
{
    if (world->collisionMeshSlotCount >= world->bodySlotCount)
        return resultOk();
    void *slots = world->collisionMesh;
    if (!memoryGrow(&world->memory, &slots, (size_t)world->collisionMeshSlotCount, (size_t)world->bodySlotCount,
                    sizeof(CollisionMesh *)))
        return resultOutOfMemory("the surfaces of bodies");
    world->collisionMesh = slots;
    world->collisionMeshSlotCount = world->bodySlotCount;
    return resultOk();
}

// edges of a rope, or triangles
static Features *createFeatures(const Body *body)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = body->mesh;
    if (mesh->matter != MATTER_ROPE)
        return featuresCreate(memory, body->collisionMesh, 3, mesh->surfaceCount, mesh->surface);
    int *segment = ALLOCATE(memory, int, 2 * (size_t)mesh->edgeCount), count = 0;
    for (int e = 0; segment != NULL && e < mesh->edgeCount; ++e)
    {
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        segment[2 * count] = mesh->edge[2 * (ptrdiff_t)e];
        segment[2 * count++ + 1] = mesh->edge[2 * (ptrdiff_t)e + 1];
    }
    Features *features = segment ? featuresCreate(memory, body->collisionMesh, 2, count, segment) : NULL;
    memoryRelease(memory, segment);
    return features;
}

vvResult bodyCreateCollisionMesh(Body *body)
{
    World *world = body->world;
    const vvMesh *mesh = body->mesh;
    vvResult result = reserveCollisionMeshes(world);
    if (result.code != VV_OK)
        return result;
    if (bodyCreateSurface(body))
        body->collisionMesh = collisionMeshCreate(&world->memory, body->contactBody, body->count, mesh->surfaceCount,
                                                  mesh->surface, mesh->point);
    if (body->collisionMesh != NULL)
        body->collisionMesh->features = createFeatures(body);
    if (body->collisionMesh == NULL || body->collisionMesh->features == NULL)
        return resultOutOfMemory("the surface of a body");
    CollisionMesh *collisionMesh = body->collisionMesh;
    collisionMesh->slot = body->slot;
    collisionMesh->closed = mesh->matter == MATTER_SOLID;
    if (!featureHoldsCreate(&world->memory, collisionMesh))
        return resultOutOfMemory("the surface of a body");
    collisionMesh->self = body->contactDef.self;
    collisionMesh->category = body->contactDef.category;
    collisionMesh->mask = body->contactDef.mask;
    bodyLoadSurface(body);
    world->collisionMesh[body->slot] = collisionMesh;
    return result;
}

void bodyDestroyCollisionMesh(Body *body)
{
    if (body->collisionMesh == NULL)
        return;
    body->world->collisionMesh[body->slot] = NULL;
    collisionMeshDestroy(&body->world->memory, body->collisionMesh);
    body->collisionMesh = NULL;
}

static Body *bodyAt(const World *world, int slot)
{
    return slot < world->bodySlotCount ? world->body[slot].body : NULL;
}

static int searchAround(World *world, int around, double dt)
{
    bool room = attachmentsBond(world);
    ASSERT(room, "attachments are made with room for what they hold together");
    (void)room;
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        CollisionMesh *collisionMesh = world->collisionMesh[i];
        if (collisionMesh == NULL)
            continue;
        const Body *body = bodyAt(world, i);
        State s = stateSlice(&world->state, body->first, collisionMesh->vertexCount);
        collisionMesh->bonded = &world->bonded;
        collisionMesh->x = s.start;
        collisionMesh->v = s.startVelocity;
        collisionMesh->pinTarget = s.pinTarget;
        collisionMesh->pinned = s.pinned;
        collisionMesh->piece = body->step.pieces != NULL ? body->step.pieces->of : NULL;
        collisionMesh->asleep = body->asleep;
    }
    PairSearch search = { .mesh = world->collisionMesh,
                          .slotCount = world->collisionMeshSlotCount,
                          .around = around,
                          .gravity = world->gravity,
                          .h = dt,
                          .broad = &world->broad,
                          .memory = &world->memory,
                          .workers = world->workers };
    int count = world->softContact ? pairsSearch(&search) : 0;
    if (world->softContact || world->rigids.count > 0)
        islandsRefresh(world);
    return count;
}

int softSearch(World *world, double dt)
{
    return searchAround(world, -1, dt);
}

#define DEEP 0.01 // of a body's size: what is less is a stack that touches

static void warnOverlap(World *world, const Body *body)
{
    double depth = DEEP * body->member.size;
    const Body *in = NULL, *deepest = NULL;
    for (int i = 0; i < world->collisionMeshSlotCount && !world->warnedOverlap; ++i)
    {
        const Body *other = bodyAt(world, i);
        if (world->collisionMesh[i] == NULL || other == body)
            continue;
        double ours = pairsDepth(body->collisionMesh, other->collisionMesh),
               theirs = pairsDepth(other->collisionMesh, body->collisionMesh);
        if (maxReal(ours, theirs) > depth)
        {
            depth = maxReal(ours, theirs);
            in = ours > theirs ? other : body;
            deepest = ours > theirs ? body : other;
        }
    }
    if (deepest == NULL)
        return;
    world->warnedOverlap = true;
    logWrite(&world->memory, &world->logger, VV_LOG_WARNING,
             "%s begins %.3g m inside %s: contact pushes them apart, which is booked as added; "
             "place them apart, or give them collision masks that do not meet (said once)",
             deepest->name, depth, in->name);
}

double softRenew(Body *body)
{
    if (body->collisionMesh == NULL)
        return 0;
    double before = softEnergyApart(body) + softEnergyOf(body);
    searchAround(body->world, body->slot, 0); // those near it look around too: what they find is no loss of theirs
    return softEnergyApart(body) + softEnergyOf(body) - before;
}

double softPlace(Body *body)
{
    double more = softRenew(body);
    if (body->collisionMesh != NULL)
        warnOverlap(body->world, body);
    return more;
}

#define TASKS 32

typedef struct MeshRun
{
    World *world;
    void (*act)(CollisionMesh *);
} MeshRun;

// slots task, task + TASKS ...
static void meshTask(void *context, int task)
{
    const MeshRun *run = context;
    for (int i = task; i < run->world->collisionMeshSlotCount; i += TASKS)
    {
        if (run->world->collisionMesh[i] != NULL)
            run->act(run->world->collisionMesh[i]);
    }
}

static void eachCollisionMesh(World *world, void (*act)(CollisionMesh *))
{
    MeshRun run = { world, act };
    workersRun(world->workers, minInt(world->collisionMeshSlotCount, TASKS), meshTask, &run);
}

void softMark(World *world)
{
    eachCollisionMesh(world, collisionMeshMark);
}

void softRewind(World *world)
{
    eachCollisionMesh(world, collisionMeshRewind);
}

void softAccept(World *world)
{
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        if (world->collisionMesh[i] != NULL)
            bodyAt(world, i)->account.dissipated += world->collisionMesh[i]->released;
    }
}

void softForget(World *world, const Body *body)
{
    if (body->collisionMesh == NULL)
        return;
    for (Body *other = world->firstBody; other != NULL; other = other->next)
    {
        if (other->island == body->island)
            bodyWake(other); // what it rests on may go
    }
    collisionMeshForget(body->collisionMesh);
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        CollisionMesh *collisionMesh = world->collisionMesh[i];
        if (collisionMesh != NULL && collisionMesh->together == body->slot)
            collisionMesh->together = -1;
        if (collisionMesh != NULL)
        {
            edgeContactsDrop(collisionMesh, body->slot);
            featureHoldsDrop(collisionMesh, body->slot);
        }
        for (int g = 0; collisionMesh != NULL && g < collisionMesh->surfaceCount * PAIR_CONTACTS; ++g)
        {
            if (collisionMesh->partner[g] != body->slot)
                continue;
            collisionMeshSet(collisionMesh, g, NULL);
            collisionMesh->contactCount -= 1;
        }
    }
}

// ---- ledger and records ---------------------------------------------------------------------------------------------

static Vec3 placeOf(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

static void placesOf(const Body *body, int index, Vec3 *vertex, Vec3 corner[3])
{
    const PairContact *pairContact = &body->collisionMesh->pairContact[index];
    const Body *other = bodyAt(body->world, pairContact->other);
    *vertex = placeOf(body, body->collisionMesh->vertex[index / PAIR_CONTACTS]);
    for (int k = 0; k < 3; ++k)
        corner[k] = placeOf(other, other->collisionMesh->triangle[3 * (ptrdiff_t)pairContact->triangle + k]);
}

// of the pair contacts on a certain slot, or all for -1
static double energyOn(const Body *body, int slot)
{
    double sum = 0;
    if (body->collisionMesh == NULL || body->collisionMesh->contactCount == 0)
        return 0;
    for (int i = 0; i < body->collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        const PairContact *pairContact = &body->collisionMesh->pairContact[i];
        int other = body->collisionMesh->partner[i];
        if (other < 0 || (slot >= 0 && other != slot))
            continue;
        Vec3 vertex, corner[3];
        placesOf(body, i, &vertex, corner);
        sum += pairContactEnergy(pairContact, vertex, corner);
    }
    return sum;
}

double softEnergy(const Body *body)
{
    return energyOn(body, -1);
}

double softEnergyOf(const Body *body)
{
    double sum = softEnergy(body);
    for (int i = 0; body->collisionMesh != NULL && i < body->world->collisionMeshSlotCount; ++i)
    {
        const Body *other = bodyAt(body->world, i);
        sum += other != NULL && other != body ? energyOn(other, body->slot) : 0;
    }
    return sum;
}

double softEnergyApart(const Body *body)
{
    const World *world = body->world;
    double sum = 0;
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
        sum += bodyAt(world, i) != NULL ? softEnergy(bodyAt(world, i)) : 0;
    return sum - softEnergyOf(body);
}

static uint64_t hashHolds(const Body *body, uint64_t hash)
{
    const CollisionMesh *collisionMesh = body->collisionMesh;
    for (int i = 0; i < collisionMesh->holdCount && collisionMesh->holds; ++i)
    {
        const FeatureHold *hold = &collisionMesh->hold[i];
        if (hold->other < 0)
            continue;
        const int names[3] = { i, bodyAt(body->world, hold->other)->ordinal, hold->feature };
        hash = hashBytes(hash, names, sizeof names);
        hash = hashBytes(hash, &hold->force, sizeof hold->force);
    }
    return hash;
}

uint64_t softHash(const Body *body, uint64_t hash)
{
    const CollisionMesh *collisionMesh = body->collisionMesh;
    for (int i = 0; collisionMesh != NULL && i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        PairContact pairContact = collisionMesh->pairContact[i];
        if (pairContact.other < 0)
            continue;
        pairContact.other = bodyAt(body->world, pairContact.other)->ordinal;
        vecStore(pairContact.impulse, vec3(0, 0, 0)); // of the last step: told, and never asked for again
        hash = hashBytes(hash, &i, sizeof i);
        hash = hashBytes(hash, &pairContact, sizeof pairContact);
    }
    if (collisionMesh != NULL)
    {
        hash = hashHolds(body, hash);
        hash = hashBytes(hash, collisionMesh->held, (size_t)collisionMesh->vertexCount * sizeof(double));
        hash = hashBytes(hash, collisionMesh->patience, (size_t)collisionMesh->vertexCount);
        int together = collisionMesh->together;
        together = together < 0 ? -1 : bodyAt(body->world, together)->ordinal;
        hash = hashBytes(hash, &together, sizeof together);
    }
    return hash;
}

// ---- what touches ---------------------------------------------------------------------------------------------------

// whether the two of an edge contact press on each other, or did within the step
static bool edgesTouch(const Body *body, const EdgeContact *edges, bool now, vvContact *contact)
{
    const Body *other = bodyAt(body->world, edges->other);
    Vec3 point = vec3(0, 0, 0), apart = point;
    int nearest = 0;
    if (!(vecDot(now ? edges->force : edges->impulse, edges->normal) > 0))
        return false;
    for (int k = 0; k < 4; ++k)
    {
        Vec3 part = vecScale(edges->share[k], placeOf(k < edges->first ? body : other, edges->vertex[k]));
        apart = vecAdd(apart, part);
        point = k < edges->first ? apart : point;
        nearest = k < edges->first && edges->share[k] > edges->share[nearest] ? k : nearest;
    }
    double distance = vecDot(edges->normal, apart) - edges->radius;
    *contact = (vvContact){ .body = bodyId(body),
                            .vertex = body->mesh->vertexToCaller[edges->vertex[nearest]],
                            .other = bodyId(other),
                            .triangle = edges->triangle,
                            .point = point,
                            .normal = edges->normal,
                            .force = now ? edges->force : vec3(0, 0, 0),
                            .impulse = edges->impulse,
                            .overlap = maxReal(-distance, 0) };
    return true;
}

static int pairContactCount(const Body *body)
{
    return body->collisionMesh->contactCount > 0 ? body->collisionMesh->surfaceCount * PAIR_CONTACTS : 0;
}

// those of vertices, then those of edges
int softContactCount(const Body *body)
{
    return body->collisionMesh != NULL ? pairContactCount(body) + body->collisionMesh->edgeContactCount : 0;
}

bool softTouch(const Body *body, int index, vvContact *contact)
{
    int edges = index - pairContactCount(body);
    if (edges >= 0)
        return edgesTouch(body, &body->collisionMesh->edgeContact[edges], true, contact);
    const PairContact *pairContact = &body->collisionMesh->pairContact[index];
    if (body->collisionMesh->partner[index] < 0 || (body->collisionMesh->hard && !(pairContact->force > 0)))
        return false;
    Vec3 vertex, corner[3];
    placesOf(body, index, &vertex, corner);
    double distance = pairContactDistance(pairContact, vertex, corner);
    if (!body->collisionMesh->hard && !(distance < 0))
        return false;
    *contact = (vvContact){ .body = bodyId(body),
                            .vertex = body->mesh->vertexToCaller[body->collisionMesh->vertex[index / PAIR_CONTACTS]],
                            .other = bodyId(bodyAt(body->world, pairContact->other)),
                            .triangle = pairContact->triangle,
                            .point = vertex,
                            .normal = vecLoad(pairContact->normal),
                            .force = pairContactForce(pairContact, vertex, corner),
                            .impulse = vecLoad(pairContact->impulse),
                            .overlap = maxReal(-distance, 0) };
    return true;
}

bool softTouched(const Body *body, int index, vvContact *contact)
{
    int edges = index - pairContactCount(body);
    if (edges >= 0)
        return edgesTouch(body, &body->collisionMesh->edgeContact[edges], false, contact);
    const PairContact *pairContact = &body->collisionMesh->pairContact[index];
    if (body->collisionMesh->partner[index] < 0)
        return false;
    Vec3 impulse = vecLoad(pairContact->impulse), normal = vecLoad(pairContact->normal);
    if (!body->collisionMesh->hard || !(vecDot(impulse, normal) > 0))
        return false;
    Vec3 vertex, corner[3];
    placesOf(body, index, &vertex, corner);
    *contact = (vvContact){ .body = bodyId(body),
                            .other = bodyId(bodyAt(body->world, pairContact->other)),
                            .point = vertex,
                            .normal = normal,
                            .impulse = impulse };
    return true;
}

int softContacts(const Body *body, vvContact *contacts, int capacity, int count)
{
    for (int i = 0; i < softContactCount(body); ++i)
    {
        vvContact contact;
        if (!softTouch(body, i, &contact))
            continue;
        if (contacts != NULL && count < capacity)
            contacts[count] = contact;
        count += 1;
    }
    return count;
}
