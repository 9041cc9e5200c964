// A body made again over another mesh, in place: its id, its account and what hangs on it stay.
//
// The other body is made beside it, with its energies in the same order, and then takes its place; until the old one is
// released the exchange can be taken back. Vertices keep the caller's numbers from mesh to mesh, and so attachments,
// handles, hinges and constraints hold on to the vertices that they held.
#include "world/remake.h"
#include "energy/own.h"

#include <string.h>

// the caller's numbers stay; `to`: from the order of one mesh to that of another
static bool mapVertices(const vvMesh *from, const vvMesh *into, int *to)
{
    bool all = true;
    for (int v = 0; v < from->vertexCount; ++v)
    {
        int caller = from->vertexToCaller[v];
        to[v] = caller < into->vertexCount ? into->vertexFromCaller[caller] : -1;
        all &= to[v] >= 0;
    }
    return all;
}

// ---- the energies of circumstance, in their order -------------------------------------------------------------------

static bool mapped(const Energy *energy, const int *to)
{
    for (int i = 0; i < energy->elementCount * energy->kind->corners; ++i)
    {
        int e = i / energy->kind->corners, c = i % energy->kind->corners;
        if (to[laneVertices(energy, e / LANES)[c * LANES + e % LANES]] < 0)
            return false;
    }
    return true;
}

static vvResult moveEnergy(Body *fresh, Energy *energy, const int *to, Energy **moved)
{
    if (!mapped(energy, to))
        return resultMake(VV_BAD_INPUT, "destroy it first",
                          "something is held at a vertex that the other mesh has not");
    *moved = energyOver(energy, fresh->count, to, fresh->mesh->point);
    if (*moved == NULL || !constraintKeepContext(*moved, energy, to))
    {
        energyDestroy(*moved);
        *moved = NULL;
        return resultOutOfMemory("the constraints of a body");
    }
    fresh->member.energy[fresh->member.energyCount++] = *moved;
    return resultOk();
}

// what came to a body after its definition: the air, fluids, colliders, attachments, the caller's constraints
static vvResult createLater(Body *fresh, const Body *body, const int *to)
{
    vvResult result = resultOk();
    for (int e = body->definedEnergies; e < body->member.energyCount && result.code == VV_OK; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (energy == body->wind)
            result = bodyCreateWind(fresh);
        else if (energy == body->press)
            result = bodyCreatePress(fresh);
        else if (energy == body->contact)
            result = bodyCreateContact(fresh);
        else if (energy == body->faces)
            result = bodyCreateFaces(fresh);
        else if (energy == body->attachments)
            result = moveEnergy(fresh, energy, to, &fresh->attachments);
        else if (energy != body->contactDamping)
        {
            Energy *moved = NULL;
            result = moveEnergy(fresh, energy, to, &moved);
            if (moved != NULL)
                fresh->constraint[fresh->constraintCount++] = moved;
        }
    }
    return result;
}

static vvResult build(Body *fresh, const Body *body, const vvSoftBodyDef *def, const Heritage *heritage, const int *to)
{
    World *world = body->world;
    int both = world->state.count + fresh->count;
    vvResult result = bodyCreateStencils(fresh, def);
    if (result.code == VV_OK &&
        (!bodyCreateCallerArrays(fresh) || !stateReserveBeside(world, both, both - body->count)))
        result = resultOutOfMemory("the state of a body");
    if (result.code != VV_OK)
        return result;
    fresh->first = world->state.count;
    bool changed = heritage != NULL && heritage->change != NULL;
    result = changed ? bodyPlaceMasses(fresh, def) : bodyPlaceVertices(fresh, def);
    if (changed && result.code == VV_OK)
        bodyCarryPlaces(body, fresh, heritage->change);
    Former former = { body->member.energy, body->definedEnergies, heritage != NULL ? heritage->touched : NULL };
    fresh->inherited = former.touched != NULL ? &former : NULL;
    if (result.code == VV_OK)
        result = bodyCreateDefined(fresh, def, world->state.mass + fresh->first);
    fresh->inherited = NULL;
    fresh->contactDef = body->contactDef; // the surface is that of the same matter
    fresh->handleStiffness = body->handleStiffness;
    if (result.code == VV_OK)
        result = createLater(fresh, body, to);
    if (result.code == VV_OK && body->collisionMesh != NULL)
        result = bodyCreateCollisionMesh(fresh);
    if (result.code == VV_OK && (!bodyKeepDef(fresh, def) || !bodyCreateTears(fresh, def) || !bodyCreatePieces(fresh)))
        result = resultOutOfMemory("the definition of a body");
    if (result.code != VV_OK)
        return result;
    if (fresh->vertexFriction != NULL)
        bodyLoadSurface(fresh);
    fresh->blueprint = bodyAcquireBlueprint(fresh, heritage);
    bool enough = fresh->blueprint != NULL && bodyCreateMatrix(fresh);
    return enough ? result : resultOutOfMemory("the matrix of a body");
}

// ---- beside the body ------------------------------------------------------------------------------------------------

vvResult remakeCreate(Remake *remake, Body *body, const vvSoftBodyDef *def, const Heritage *heritage)
{
    World *world = body->world;
    *remake = (Remake){ .body = body };
    vvResult result = bodyCheckDef(world, def);
    if (result.code == VV_OK && def->mesh->vertexCount > VV_MAX_VERTICES - world->state.count)
        result = resultMake(VV_LIMIT, "use a coarser mesh or a second world",
                            "the world would have %lld vertices, at most %d fit",
                            (long long)def->mesh->vertexCount + world->state.count, VV_MAX_VERTICES);
    if (result.code != VV_OK)
        return result;
    Body *fresh = ALLOCATE(&world->memory, Body, 1);
    remake->to = ALLOCATE(&world->memory, int, body->count);
    if (fresh == NULL || remake->to == NULL)
    {
        memoryRelease(&world->memory, fresh);
        memoryRelease(&world->memory, remake->to);
        return resultOutOfMemory("a body");
    }
    mapVertices(body->mesh, def->mesh, remake->to);
    *fresh = (Body){
        .world = world, .mesh = def->mesh, .count = def->mesh->vertexCount, .slot = body->slot, .meets = body->meets
    };
    CollisionMesh *surface = body->collisionMesh;
    result = build(fresh, body, def, heritage, remake->to);
    if (result.code == VV_OK)
    {
        remake->other = fresh;
        world->state.count += fresh->count;
    }
    else
    {
        bodyFree(fresh);
        memoryRelease(&world->memory, remake->to);
    }
    if (surface != NULL)
        world->collisionMesh[body->slot] = surface;
    world->systemsStale = true;
    return result;
}

// ---- in its place ---------------------------------------------------------------------------------------------------

// what points into the body itself
static void point(Body *body)
{
    body->member.step = &body->step;
    body->def.examples = (const double *const *)body->example;
}

static void moveAttachments(const Body *body, const vvMesh *from)
{
    World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        for (int end = 0; end < 2 && attachment->used; ++end)
        {
            Endpoint *at = &attachment->end[end];
            for (int k = 0; k < at->count && attachment->body[end] == body; ++k)
                at->vertex[k] = body->mesh->vertexFromCaller[from->vertexToCaller[at->vertex[k]]];
        }
    }
}

static void moveAdded(const Body *body, const Body *other)
{
    World *world = body->world;
    for (int i = 0; i < world->addedSlotCount; ++i)
    {
        Added *added = &world->added[i];
        for (int k = other->definedCount; k < other->constraintCount && added->body == body; ++k)
        {
            if (added->energy == other->constraint[k])
            {
                added->energy = body->constraint[body->definedCount + k - other->definedCount];
                break;
            }
        }
    }
}

// What a method keeps of the energy of motion goes on with the body, but for what it measured of the old one: it
// measures that anew. Which step brings the modes is the new body's own.
static void keepRecall(Body *body, const Recall *before)
{
    if (body->world->method.integrator->pastSlots > 0)
        return;
    EnergyRecall kept = before->energy;
    kept.stored = kept.moving = kept.alone = kept.adrift = 0;
    kept.modes = body->step.recall.energy.modes;
    body->step.recall.energy = kept;
}

void remakeExchange(Remake *remake)
{
    Body *body = remake->body, *other = remake->other, before = *body;
    *body = *other;
    *other = before;
    body->before = before.before;
    body->next = before.next;
    memcpy(body->name, before.name, sizeof body->name);
    body->island = before.island;
    body->formerIsland = before.formerIsland;
    body->ordinal = before.ordinal;
    body->proxyOf = before.proxyOf;
    body->meets = before.meets;
    body->markedMeets = before.markedMeets;
    body->reach = before.reach;
    body->fingerprint = before.fingerprint;
    body->place = before.place;
    body->account = before.account;
    body->markedAccount = before.markedAccount;
    body->asleep = before.asleep;
    body->calm = before.calm;
    body->upheld = before.upheld;
    body->owed = before.owed;
    body->pays = before.pays;
    body->userData = before.userData;
    body->origin = before.origin;
    body->modalTiesStale = true;
    keepRecall(body, &before.step.recall);
    point(body);
    point(other);
    World *world = body->world;
    if (body->collisionMesh != NULL)
        world->collisionMesh[body->slot] = body->collisionMesh;
    moveAttachments(body, other->mesh);
    moveAdded(body, other);
    world->systemsStale = true;
}

// the one beside it goes; where several bodies are made again, the last that was made goes first
void remakeRelease(Remake *remake)
{
    if (remake->other == NULL)
        return;
    World *world = remake->body->world;
    Body *other = remake->other;
    CollisionMesh *surface = remake->body->collisionMesh;
    stateRemove(world, other->first, other->count);
    other->origin = NULL;
    bodyFree(other);
    if (surface != NULL)
        world->collisionMesh[remake->body->slot] = surface;
    memoryRelease(&world->memory, remake->to);
    *remake = (Remake){ .body = NULL };
}
