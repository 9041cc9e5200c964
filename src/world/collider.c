// Colliders: rigid shapes that bodies meet.
#include "world/world.h"

vvColliderDef vvDefaultColliderDef(void)
{
    return (vvColliderDef){ .rotation = { 1, 0, 0, 0 },
                            .friction = FRICTION_DEFAULT,
                            .restitution = 0,
                            .category = 1,
                            .mask = UINT32_MAX,
                            .cookie = COLLIDER_COOKIE };
}

// ---- the search -----------------------------------------------------------------------------------------------------

static int searchBody(Body *body, double dt, Workers *workers)
{
    if (body->contact == NULL || body->asleep)
        return 0;
    State s = stateSlice(&body->world->state, body->first, body->count);
    Vec3 gravity = body->world->gravity;
    ContactMotion motion = { s.mass, s.pinned, s.start, s.startVelocity, gravity };
    body->contactBody->bonded = &body->world->bonded;
    body->contactBody->slot = body->slot;
    int on = contactSearch(body->contact, body->contactDamping, &motion, dt, workers);
    if (body->faces == NULL)
        return on;
    body->faceBody->bonded = body->contactBody->bonded;
    body->faceBody->slot = body->slot;
    body->faceBody->room = body->contactBody->room;
    return on + contactFaceSearch(body->faces, s.start, s.startVelocity, s.pinned, gravity, dt);
}

int bodySearch(Body *body, double dt)
{
    return searchBody(body, dt, NULL);
}

typedef struct SearchRun
{
    World *world;
    double dt;
    int on[COLLIDER_SEARCHES]; // by task
} SearchRun;

// It has more vertices than are a thread's share: all threads search it.
static bool isLarge(const World *world, const Body *body)
{
    return body->count > world->state.count / workersCount(world->workers);
}

// slots task, task + COLLIDER_SEARCHES ...
static void searchTask(void *context, int task)
{
    SearchRun *run = context;
    World *world = run->world;
    for (int i = task; i < world->bodySlotCount; i += COLLIDER_SEARCHES)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->contact == NULL || isLarge(world, body))
            continue;
        body->contactBody->room = task;
        run->on[task] += searchBody(body, run->dt, NULL);
    }
}

static int searchLarge(World *world, double dt)
{
    int on = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->contact == NULL || !isLarge(world, body))
            continue;
        body->contactBody->room = 0;
        on += searchBody(body, dt, world->workers);
    }
    return on;
}

void collidersTravel(World *world, double dt)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        Collider *collider = &world->colliders.item[i];
        Vec3 velocity = collider->surfaceVelocity;
        collider->travel = vecScale(dt, velocity);
        collider->drives = dt > 0 && vecDot(velocity, velocity) > 0;
    }
}

int contactsSearch(World *world, double dt)
{
    SearchRun run = { .world = world, .dt = dt };
    int on = 0;
    if (world->colliders.count == 0 && world->rigids.count == 0)
        return 0;
    collidersTravel(world, dt);
    on = searchLarge(world, dt);
    workersRun(world->workers, COLLIDER_SEARCHES, searchTask, &run);
    for (int task = 0; task < COLLIDER_SEARCHES; ++task)
        on += run.on[task];
    return on;
}

void contactsMark(World *world)
{
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        for (int k = 0; k < 2; ++k)
        {
            if (bodyContact(body, k) != NULL)
                contactMark(bodyContact(body, k));
        }
    }
}

void contactsRestore(World *world)
{
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        for (int k = 0; body != NULL && k < 2; ++k)
        {
            if (bodyContact(body, k) != NULL)
                contactRestore(bodyContact(body, k));
        }
    }
    collidersTravel(world, 0);
}

void collidersBook(World *world)
{
    rigidsWake(world);
    contactsBook(world);
}

void contactsBook(World *world)
{
    bodiesWake(world);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->contact == NULL)
            continue;
        State s = stateSlice(&world->state, body->first, body->count);
        double before = energyValue(body->contact, s.start);
        contactRearm(body->contact);
        if (body->faces != NULL)
            contactRearm(body->faces);
        bodySearch(body, 0);
        body->account.added += energyValue(body->contact, s.start) - before;
    }
}

// ---- creation -------------------------------------------------------------------------------------------------------

static vvResult checkAdhesion(double adhesion)
{
    if (adhesion >= 0 && isModest(adhesion))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "1e3 is a weak tape, 0 does not stick",
                      "adhesion is %g N/m^2, must be 0, or 1e-30 to 1e30", adhesion);
}

static vvResult checkCollider(const vvColliderDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == COLLIDER_COOKIE, "collider", "vvDefaultColliderDef()");
    if (result.code != VV_OK)
        return result;
    if (def->shape == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateShape with a vvResult says why a shape could not be made",
                          "shape is NULL");
    result = checkPose(def->position, def->rotation);
    if (result.code == VV_OK)
        result = checkFriction(def->friction);
    if (result.code == VV_OK)
        result = checkRestitution(def->restitution);
    if (result.code == VV_OK)
        result = checkAdhesion(def->adhesion);
    if (result.code == VV_OK)
        result = checkVector("oneWay", def->oneWay);
    if (result.code == VV_OK)
        result = checkVector("surfaceVelocity", def->surfaceVelocity);
    if (result.code == VV_OK && !(def->stiffness >= 0 && isModest(def->stiffness)))
        result = resultMake(VV_BAD_INPUT, "0 takes the body's", "stiffness is %g N/m^3, must be 0, or 1e-30 to 1e30",
                            def->stiffness);
    if (result.code == VV_OK && !(def->vertexStiffness >= 0 && isModest(def->vertexStiffness)))
        result = resultMake(VV_BAD_INPUT, "0 goes by area", "vertexStiffness is %g N/m, must be 0, or 1e-30 to 1e30",
                            def->vertexStiffness);
    return result;
}

int colliderReserve(World *world)
{
    Colliders *colliders = &world->colliders;
    for (int i = 0; i < colliders->slotCount; ++i)
    {
        if (!colliders->item[i].used && colliders->item[i].rigid == 0)
            return i;
    }
    int slot = colliders->slotCount, grown = maxInt(8, 2 * slot);
    void *slots = colliders->item, *candidate = colliders->candidate;
    if (!memoryGrow(&world->memory, &candidate, COLLIDER_SEARCHES * (size_t)slot, COLLIDER_SEARCHES * (size_t)grown,
                    sizeof(Candidate)))
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
vvResult contactsCreate(World *world)
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

// the definition's, or a copy whose points can be moved
static vvShape *shapeFor(World *world, const vvColliderDef *def, vvResult *result)
{
    if (def->deforms)
        return shapeCreateMoving(def->shape, &world->memory.hook, result);
    shapeRetain(def->shape);
    return def->shape;
}

static vvResult createCollider(World *world, const vvColliderDef *def, int *slot)
{
    vvResult result = checkCollider(def);
    if (result.code == VV_OK)
        result = checkCount("colliders", world->colliders.count);
    if (result.code != VV_OK)
        return result;
    *slot = colliderReserve(world);
    result = *slot < 0 ? resultOutOfMemory("a collider") : resultOk();
    vvShape *shape = result.code == VV_OK ? shapeFor(world, def, &result) : NULL;
    if (result.code == VV_OK)
        result = contactsCreate(world);
    if (result.code != VV_OK)
    {
        vvDestroyShape(shape);
        return result;
    }
    Pose pose = poseOf(def->position, def->rotation);
    world->colliders.item[*slot] = (Collider){ .used = true,
                                               .generation = nextGeneration(world),
                                               .shape = shape,
                                               .deforms = def->deforms,
                                               .start = pose,
                                               .target = pose,
                                               .friction = def->friction,
                                               .restitution = def->restitution,
                                               .stiffness = def->stiffness,
                                               .vertexStiffness = def->vertexStiffness,
                                               .sensor = def->sensor,
                                               .adhesion = def->adhesion,
                                               .oneWay = def->oneWay,
                                               .surfaceVelocity = def->surfaceVelocity,
                                               .category = def->category,
                                               .mask = def->mask,
                                               .userData = def->userData };
    world->colliders.count += 1;
    collidersBook(world);
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
    collidersBook(world);
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

// ---- changes --------------------------------------------------------------------------------------------------------

double vvCollider_GetFriction(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->friction : 0;
}

vvResult vvCollider_SetFriction(vvColliderId id, double friction)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkFriction(friction) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->friction = friction;
    collidersBook(world);
    return result;
}

double vvCollider_GetRestitution(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->restitution : 0;
}

vvResult vvCollider_SetRestitution(vvColliderId id, double restitution)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkRestitution(restitution) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->restitution = restitution;
    collidersBook(world);
    return result;
}

bool vvCollider_IsSensor(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider != NULL && collider->sensor;
}

// what it held lets go, or what is inside is pushed out
vvResult vvCollider_SetSensor(vvColliderId id, bool sensor)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    if (collider == NULL)
        return refused("collider");
    collider->sensor = sensor;
    collidersBook(world);
    return resultOk();
}

double vvCollider_GetAdhesion(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->adhesion : 0;
}

vvResult vvCollider_SetAdhesion(vvColliderId id, double adhesion)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkAdhesion(adhesion) : refused("collider");
    if (result.code != VV_OK)
        return result;
    // what it stores is a function of the adhesion: it is forgotten, then found again
    collider->used = false;
    collidersBook(world);
    collider->used = true;
    collider->adhesion = adhesion;
    collidersBook(world);
    return result;
}

vvVec3 vvCollider_GetOneWay(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->oneWay : (vvVec3){ 0, 0, 0 };
}

vvResult vvCollider_SetOneWay(vvColliderId id, vvVec3 direction)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkVector("direction", direction) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->oneWay = direction;
    collidersBook(world);
    return result;
}

vvVec3 vvCollider_GetSurfaceVelocity(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->surfaceVelocity : (vvVec3){ 0, 0, 0 };
}

vvResult vvCollider_SetSurfaceVelocity(vvColliderId id, vvVec3 velocity)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkVector("velocity", velocity) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->surfaceVelocity = velocity;
    bodiesWake(world);
    rigidsWake(world);
    return result;
}

// ---- what touches ---------------------------------------------------------------------------------------------------

static vvContact contactOf(const World *world, const Body *body, const Touch *touch)
{
    const Collider *collider = &world->colliders.item[touch->collider];
    vvContact contact = { .body = bodyId(body),
                          .vertex = body->mesh->vertexToCaller[touch->vertex],
                          .triangle = -1,
                          .point = touch->point,
                          .normal = touch->normal,
                          .force = touch->force,
                          .impulse = touch->impulse,
                          .overlap = touch->overlap };
    int rigid = collider->rigid - 1;
    if (rigid >= 0)
        contact.otherRigid = ID_OF(vvRigidBodyId, world, rigid, world->rigids.item[rigid].generation);
    else
        contact.collider = ID_OF(vvColliderId, world, touch->collider, collider->generation);
    return contact;
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
        const Energy *both[2] = { bodyContact(body, 0), bodyContact(body, 1) };
        int elements = both[0] != NULL ? both[0]->elementCount : 0, faces = both[1] != NULL ? both[1]->elementCount : 0;
        for (int e = 0; e < elements + faces; ++e)
        {
            Touch touch;
            if (!contactTouch(both[e >= elements], x, e < elements ? e : e - elements, &touch))
                continue;
            if (contacts != NULL && count < capacity)
                contacts[count] = contactOf(world, body, &touch);
            count += 1;
        }
        count = softContacts(body, contacts, capacity, count);
    }
    return world != NULL ? rigidTouches(world, contacts, capacity, count) : 0;
}
