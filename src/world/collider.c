// Colliders: rigid shapes that bodies meet.
#include "world/world.h"

#define LAYER 10.0     // default contact stiffness: young over this share of the size deep, N/m^3
#define SHEET_RATE 1e6 // 1/s^2: limit of stiffness over mass per area for sheets and ropes, so that a solver can follow

vvColliderDef vvDefaultColliderDef(void)
{
    return (vvColliderDef){
        .friction = FRICTION_DEFAULT, .restitution = 1, .category = 1, .mask = UINT32_MAX, .cookie = COLLIDER_COOKIE
    };
}

// ---- what bodies bring ------------------------------------------------------------------------------------------------

// m^2 that a vertex of the surface stands for, in the mesh's order; 0 inside
static void surfaceAreas(const vvMesh *mesh, double thickness, double *area)
{
    for (int v = 0; v < mesh->vertexCount; ++v)
        area[v] = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *corner = mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 a = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[0]), b = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[1]);
        Vec3 c = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[2]);
        double size = 0.5 * vecLength(vecCross(vecSub(b, a), vecSub(c, a)));
        for (int k = 0; k < 3; ++k)
            area[corner[k]] += size / 3;
    }
    for (int e = 0; e < mesh->edgeCount && mesh->surfaceCount == 0; ++e)
    {
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        Vec3 a = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e]);
        Vec3 b = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e + 1]);
        for (int k = 0; k < 2; ++k)
            area[mesh->edge[2 * e + k]] += 0.5 * thickness * vecLength(vecSub(b, a));
    }
}

// m, of a rope; its mass is that of the material unless vertices have their own
static double ropeLength(const vvSoftBodyDef *def, double mass)
{
    const vvMesh *mesh = def->mesh;
    double t = def->material.thickness, length = 0;
    if (def->vertexMass == NULL)
        return mass / (def->material.density * 0.25 * PI * t * t);
    for (int e = 0; e < mesh->edgeCount; ++e)
        length += mesh->edgeShare[e] > 0 ? 1 / mesh->edgeShare[e] : 0;
    return length;
}

ContactDef contactDefOf(const vvSoftBodyDef *def, double mass)
{
    const vvMesh *mesh = def->mesh;
    bool solid = mesh->matter == MATTER_SOLID;
    ContactDef contact = { .stiffness = def->contactStiffness,
                           .friction = def->friction,
                           .radius = solid ? 0 : 0.5 * def->material.thickness,
                           .thickness = def->material.thickness,
                           .mass = mass,
                           .matter = def->material.density * def->material.young,
                           .category = def->category,
                           .mask = def->mask,
                           .samples = def->contactSamples,
                           .self = def->selfContact };
    if (contact.stiffness > 0)
        return contact;
    contact.stiffness = LAYER * def->material.young / mesh->size;
    if (!solid)
    {
        double length = mesh->matter == MATTER_SHEET ? 0 : ropeLength(def, mass);
        double area = mesh->matter == MATTER_SHEET ? mesh->area : length * def->material.thickness;
        contact.stiffness = minReal(contact.stiffness, SHEET_RATE * mass / area);
    }
    return contact;
}

double vvSoftBody_GetContactStiffness(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->contactDef.stiffness : 0;
}

void bodyLoadSurface(Body *body)
{
    const ContactDef *def = &body->contactDef;
    ContactBody *surface = body->contactBody;
    CollisionMesh *collisionMesh = body->collisionMesh;
    if (surface != NULL)
    {
        double *area = body->callerNormal; // that of a rope grows with its thickness
        surfaceAreas(body->mesh, def->thickness, area);
        for (int i = 0; i < surface->surfaceCount; ++i)
            surface->area[i] = area[surface->vertex[i]];
        surface->stiffness = def->stiffness;
        surface->friction = def->friction;
        surface->radius = def->radius;
        surface->mass = def->mass;
        surface->matter = def->matter;
    }
    if (body->contact != NULL)
        contactRearm(body->contact);
    if (collisionMesh != NULL)
    {
        collisionMesh->stiffness = def->stiffness;
        collisionMesh->friction = def->friction;
        collisionMesh->radius = def->radius;
    }
}

bool bodyCreateSurface(Body *body)
{
    if (body->contactBody != NULL)
        return true;
    Memory *memory = &body->world->memory;
    double *area = ALLOCATE(memory, double, body->count), *kept = ALLOCATE(memory, double, body->count);
    int *vertex = ALLOCATE(memory, int, body->count), count = 0;
    if (area != NULL && kept != NULL && vertex != NULL)
    {
        surfaceAreas(body->mesh, body->contactDef.thickness, area);
        for (int v = 0; v < body->count; ++v)
        {
            if (area[v] > 0)
            {
                vertex[count] = v;
                kept[count++] = area[v];
            }
        }
        body->contactBody = contactBodyCreate(memory, count, vertex, kept);
    }
    const vvMesh *mesh = body->mesh;
    if (body->contactBody != NULL && !contactBodySample(memory, body->contactBody, mesh->surfaceCount, mesh->surface,
                                                        body->count, mesh->point, body->contactDef.samples))
    {
        contactBodyDestroy(memory, body->contactBody);
        body->contactBody = NULL;
    }
    memoryRelease(memory, area);
    memoryRelease(memory, kept);
    memoryRelease(memory, vertex);
    if (body->contactBody == NULL)
        return false;
    body->contactBody->colliders = &body->world->colliders;
    body->contactBody->category = body->contactDef.category;
    body->contactBody->mask = body->contactDef.mask;
    bodyLoadSurface(body);
    return true;
}

// contact and its dashpots are energies of the body from now on; false: out of memory, as before
static bool enterMember(Body *body)
{
    Member *member = &body->member;
    Memory *memory = &body->world->memory;
    int first = member->energyCount;
    ASSERT_CHEAP(first + 2 < MEMBER_ENERGIES, "a member has room for contact and one batch of attachments");
    member->energy[first] = body->contact;
    member->energy[first + 1] = body->contactDamping;
    if (memberScatter(member, memory, first) && memberScatter(member, memory, first + 1))
    {
        member->energyCount += 2;
        return true;
    }
    memoryRelease(memory, member->scatter[first]);
    member->scatter[first] = NULL;
    return false;
}

vvResult bodyCreateContact(Body *body)
{
    if (body->contact != NULL)
        return resultOk();
    Memory *memory = &body->world->memory;
    const double *rest = body->mesh->point;
    bool ok = bodyCreateSurface(body), sampled = ok && body->contactBody->share != NULL;
    const EnergyKind *kind = sampled ? &contactSampleKind : &contactKind;
    const EnergyKind *damping = sampled ? &contactSampleDampingKind : &contactDampingKind;
    if (ok)
        body->contact = contactCreate(memory, kind, body->contactBody, body->count, rest);
    if (body->contact != NULL)
        body->contactDamping = contactCreate(memory, damping, body->contactBody, body->count, rest);
    if (body->contactDamping == NULL || !enterMember(body))
    {
        energyDestroy(body->contact);
        energyDestroy(body->contactDamping);
        body->contact = body->contactDamping = NULL;
        return resultOutOfMemory("the contacts of a body");
    }
    body->world->systemsStale = true;
    return resultOk();
}

// ---- the search ------------------------------------------------------------------------------------------------------

int bodySearch(Body *body, double dt)
{
    if (body->contact == NULL || body->asleep)
        return 0;
    State s = stateSlice(&body->world->state, body->first, body->count);
    return contactSearch(body->contact, body->contactDamping, s.mass, s.pinned, s.start, s.startVelocity,
                         body->world->gravity, dt);
}

int contactsSearch(World *world, double dt)
{
    int on = 0;
    for (int i = 0; i < world->bodySlotCount && world->colliders.count > 0; ++i)
        on += world->body[i].body ? bodySearch(world->body[i].body, dt) : 0;
    return on;
}

void contactsMark(World *world)
{
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->contact != NULL)
            contactMark(body->contact);
    }
}

void contactsRestore(World *world)
{
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body != NULL && body->contact != NULL)
            contactRestore(body->contact);
    }
}

// what every body holds after looking around; the change is what a new or vanished collider did
static void searchAndBook(World *world)
{
    bodiesWake(world);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->contact == NULL)
            continue;
        State s = stateSlice(&world->state, body->first, body->count);
        double before = energyValue(body->contact, s.start);
        bodySearch(body, 0);
        body->account.added += energyValue(body->contact, s.start) - before;
    }
}

// ---- creation --------------------------------------------------------------------------------------------------------

static vvResult checkCollider(const vvColliderDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == COLLIDER_COOKIE, "collider", "vvDefaultColliderDef()");
    if (result.code != VV_OK)
        return result;
    if (def->shape == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateShape with a vvResult says why a shape could not be made",
                          "shape is NULL");
    result = checkVector("position", def->position);
    if (result.code == VV_OK)
        result = checkVector("rotate", def->rotate);
    if (result.code == VV_OK && !(def->friction >= 0 && isModest(def->friction)))
        result = resultMake(VV_BAD_INPUT, "0.5 is usual, 0 is ice", "friction is %g, must be 0, or 1e-30 to 1e30",
                            def->friction);
    if (result.code == VV_OK && !(def->restitution >= 0 && def->restitution <= 1))
        result = resultMake(VV_BAD_INPUT, "1 takes no energy, 0 as much as it can", "restitution is %g, must be 0 to 1",
                            def->restitution);
    if (result.code == VV_OK && !(def->stiffness >= 0 && isModest(def->stiffness)))
        result = resultMake(VV_BAD_INPUT, "0 takes the body's", "stiffness is %g N/m^3, must be 0, or 1e-30 to 1e30",
                            def->stiffness);
    if (result.code == VV_OK && !(def->vertexStiffness >= 0 && isModest(def->vertexStiffness)))
        result = resultMake(VV_BAD_INPUT, "0 goes by area", "vertexStiffness is %g N/m, must be 0, or 1e-30 to 1e30",
                            def->vertexStiffness);
    return result;
}

static int reserveSlot(World *world)
{
    Colliders *colliders = &world->colliders;
    for (int i = 0; i < colliders->slotCount; ++i)
    {
        if (!colliders->item[i].used)
            return i;
    }
    int slot = colliders->slotCount, grown = maxInt(8, 2 * slot);
    void *slots = colliders->item, *candidate = colliders->candidate;
    if (!memoryGrow(&world->memory, &candidate, (size_t)slot, (size_t)grown, sizeof(Candidate)))
        return -1;
    colliders->candidate = candidate;
    if (!memoryGrow(&world->memory, &slots, (size_t)slot, (size_t)grown, sizeof(Collider)))
        return -1;
    colliders->item = slots;
    colliders->slotCount = grown;
    return slot;
}

// of a call that failed: its contacts are the last of its energies
static void destroyContact(Body *body)
{
    Member *member = &body->member;
    for (int k = 0; k < 2; ++k)
    {
        member->energyCount -= 1;
        memoryRelease(&body->world->memory, member->scatter[member->energyCount]);
        member->scatter[member->energyCount] = NULL;
    }
    energyDestroy(body->contact);
    energyDestroy(body->contactDamping);
    body->contact = body->contactDamping = NULL;
    body->world->systemsStale = true;
}

// of all bodies, or of none that had none
static vvResult createContacts(World *world)
{
    vvResult result = resultOk();
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->contactIsNew = body->contact == NULL && result.code == VV_OK;
        if (body->contactIsNew)
            result = bodyCreateContact(body);
    }
    for (Body *body = world->firstBody; body != NULL && result.code != VV_OK; body = body->next)
    {
        if (body->contactIsNew && body->contact != NULL)
            destroyContact(body);
    }
    return result;
}

static vvResult createCollider(World *world, const vvColliderDef *def, int *slot)
{
    vvResult result = checkCollider(def);
    if (result.code == VV_OK)
        result = checkCount("colliders", world->colliders.count);
    if (result.code != VV_OK)
        return result;
    *slot = reserveSlot(world);
    result = *slot < 0 ? resultOutOfMemory("a collider") : createContacts(world);
    if (result.code != VV_OK)
        return result;
    Pose pose = poseMake(def->position, def->rotate);
    shapeRetain(def->shape);
    world->colliders.item[*slot] = (Collider){ .used = true,
                                               .generation = nextGeneration(world),
                                               .shape = def->shape,
                                               .start = pose,
                                               .target = pose,
                                               .friction = def->friction,
                                               .restitution = def->restitution,
                                               .stiffness = def->stiffness,
                                               .vertexStiffness = def->vertexStiffness,
                                               .category = def->category,
                                               .mask = def->mask,
                                               .userData = def->userData };
    world->colliders.count += 1;
    searchAndBook(world);
    return result;
}

vvColliderId vvCreateCollider(vvWorldId id, const vvColliderDef *def, vvResult *result)
{
    World *world = worldOpen(id);
    int slot = -1;
    vvResult outcome = world ? createCollider(world, def, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvColliderId){ 0, 0, 0 };
    return ID_OF(vvColliderId, world, slot, world->colliders.item[slot].generation);
}

void vvDestroyCollider(vvColliderId id)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    if (collider == NULL)
        return;
    vvShape *shape = collider->shape;
    collider->used = false;
    world->colliders.count -= 1;
    searchAndBook(world);
    collider->shape = NULL;
    shapeRelease(shape);
}

void collidersDestroy(World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        if (world->colliders.item[i].used)
            shapeRelease(world->colliders.item[i].shape);
    }
    memoryRelease(&world->memory, world->colliders.item);
    memoryRelease(&world->memory, world->colliders.candidate);
}

bool vvCollider_IsValid(vvColliderId id)
{
    World *world;
    return colliderFind(id, &world) != NULL;
}

void *vvCollider_GetUserData(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->userData : NULL;
}

// ---- motion ----------------------------------------------------------------------------------------------------------

vvResult vvCollider_MoveTo(vvColliderId id, vvVec3 position, vvVec3 rotate)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    if (collider == NULL)
        return refused("collider");
    vvResult result = checkVector("position", position);
    if (result.code == VV_OK)
        result = checkVector("rotate", rotate);
    if (result.code != VV_OK)
        return result;
    collider->target = poseMake(position, rotate);
    collider->moves = true;
    return result;
}

void collidersArrive(World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        Collider *collider = &world->colliders.item[i];
        collider->start = collider->target;
        collider->moves = false;
    }
}

// ---- what touches ----------------------------------------------------------------------------------------------------

static vvContact contactOf(const World *world, const Body *body, const Touch *touch)
{
    const Collider *collider = &world->colliders.item[touch->collider];
    return (vvContact){ .body = bodyId(body),
                        .vertex = body->mesh->vertexToCaller[touch->vertex],
                        .collider = ID_OF(vvColliderId, world, touch->collider, collider->generation),
                        .triangle = -1,
                        .point = touch->point,
                        .normal = touch->normal,
                        .force = touch->force,
                        .overlap = touch->overlap };
}

int vvWorld_GetContacts(vvWorldId id, vvContact *contacts, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
        for (int e = 0; body->contact != NULL && e < body->contact->elementCount; ++e)
        {
            Touch touch;
            if (!contactTouch(body->contact, x, e, &touch))
                continue;
            if (contacts != NULL && count < capacity)
                contacts[count] = contactOf(world, body, &touch);
            count += 1;
        }
        count = softContacts(body, contacts, capacity, count);
    }
    return count;
}
