// Rigid bodies: their definition, creation and destruction.
#include "world/world.h"

#include <string.h>

#define MOST_SHAPES 1000

vvRigidBodyDef vvDefaultRigidBodyDef(void)
{
    return (vvRigidBodyDef){ .density = 1000,
                             .rotation = { 1, 0, 0, 0 },
                             .friction = 0.5,
                             .category = 1,
                             .mask = UINT32_MAX,
                             .cookie = RIGID_COOKIE };
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkPositive(const char *what, const char *unit, double value)
{
    if (value > 0 && isModest(value))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "water has 1000 kg/m^3", "%s is %g %s, must be 1e-30 to 1e30", what, value, unit);
}

static vvResult checkPart(const vvRigidShape *part)
{
    static const vvQuat none;
    if (part->shape == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateShape with a vvResult says why a shape could not be made",
                          "a shape of the body is NULL");
    bool turned = memcmp(&part->rotation, &none, sizeof none) != 0;
    vvResult result = checkPose(part->position, turned ? part->rotation : (vvQuat){ 1, 0, 0, 0 });
    if (result.code == VV_OK && part->density != 0)
        result = checkPositive("density of a shape", "kg/m^3", part->density);
    return result;
}

static vvResult checkShapesOf(const vvRigidBodyDef *def)
{
    vvResult result = resultOk();
    if (def->shapeCount < 0 || def->shapeCount > MOST_SHAPES || (def->shapeCount > 0 && def->shapes == NULL))
        return resultMake(VV_BAD_INPUT, "give as many shapes as shapeCount says, or none",
                          "shapeCount is %d with shapes %s, must be 0 to %d", def->shapeCount,
                          def->shapes ? "given" : "NULL", MOST_SHAPES);
    if (def->shape == NULL && def->shapeCount == 0)
        return resultMake(VV_BAD_INPUT, "set shape, or shapes and shapeCount; vvCreateShape makes them",
                          "the body has no shape");
    for (int i = 0; i < def->shapeCount && result.code == VV_OK; ++i)
        result = checkPart(&def->shapes[i]);
    return result;
}

static vvResult checkRigid(const vvRigidBodyDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == RIGID_COOKIE, "rigid body", "vvDefaultRigidBodyDef()");
    if (result.code == VV_OK)
        result = checkShapesOf(def);
    if (result.code == VV_OK)
        result = checkPositive("density", "kg/m^3", def->density);
    if (result.code == VV_OK && def->mass != 0)
        result = checkPositive("mass", "kg", def->mass);
    if (result.code == VV_OK)
        result = checkPose(def->position, def->rotation);
    if (result.code == VV_OK)
        result = checkVector("velocity", def->velocity);
    if (result.code == VV_OK)
        result = checkVector("spin", def->spin);
    if (result.code == VV_OK)
        result = checkFriction(def->friction);
    if (result.code == VV_OK)
        result = checkRestitution(def->restitution);
    if (result.code == VV_OK && !(def->rollingFriction >= 0 && def->rollingFriction <= 1))
        result = resultMake(VV_BAD_INPUT, "0.01 is a tyre, 0 is none", "rollingFriction is %g, must be 0 to 1",
                            def->rollingFriction);
    return result;
}

// ---- shapes and mass ------------------------------------------------------------------------------------------------

static int partCount(const vvRigidBodyDef *def)
{
    return def->shapeCount + (def->shape != NULL);
}

// the shape alone first, then the others; rotations unit, densities filled in
static vvRigidShape partAt(const vvRigidBodyDef *def, int index)
{
    vvRigidShape part = { .shape = def->shape };
    if (def->shape == NULL || index > 0)
        part = def->shapes[index - (def->shape != NULL)];
    if (!quatUnit(&part.rotation))
        part.rotation = (vvQuat){ 1, 0, 0, 0 };
    if (part.density == 0)
        part.density = def->density;
    return part;
}

static vvResult massOf(const vvRigidBodyDef *def, MassProperties *sum)
{
    for (int i = 0; i < partCount(def); ++i)
    {
        vvRigidShape part = partAt(def, i);
        MassProperties own;
        if (!massOfShape(part.shape, part.density, &own))
            return resultMake(VV_BAD_INPUT,
                              "use boxes, spheres, capsules, convex hulls or meshes without sampling, or set kinematic",
                              "shape %d of the body has no volume of its own", i);
        own = massMoved(&own, part.position, part.rotation);
        *sum = i == 0 ? own : massSum(sum, &own);
    }
    double scale = def->mass > 0 ? def->mass / sum->mass : 1;
    sum->mass *= scale;
    for (int i = 0; i < 9; ++i)
        sum->inertia.m[i / 3][i % 3] *= scale;
    return checkPositive("mass", "kg", sum->mass);
}

static void takeMass(RigidBody *body, const MassProperties *mass, vvQuat axes)
{
    Vec3 i = body->inertia;
    body->mass = mass->mass;
    body->inverseMass = 1 / mass->mass;
    body->inverseInertia = vec3(1 / i.x, 1 / i.y, 1 / i.z);
    body->frame = quatConjugate(axes);
    body->origin = vecScale(-1, quatRotate(body->frame, mass->centre));
}

// m, of a ball about the origin of the principal frame
static double radiusOf(const RigidShape *shape)
{
    vvBox box = vvShape_GetBounds(shape->shape);
    double farthest = 0;
    for (int i = 0; i < 8; ++i)
    {
        Vec3 corner = vec3(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                           i & 4 ? box.upper.z : box.lower.z);
        if (!vecFinite(corner))
            return INFINITY;
        farthest = maxReal(farthest, vecLength(vecAdd(shape->position, quatRotate(shape->rotation, corner))));
    }
    return farthest;
}

static bool takeShapes(World *world, RigidBody *body, const vvRigidBodyDef *def)
{
    body->shapeCount = partCount(def);
    body->shape = ALLOCATE(&world->memory, RigidShape, body->shapeCount);
    if (!def->kinematic)
        body->memory = ALLOCATE(&world->memory, RigidMemory, RIGID_MEMORY);
    if (body->shape == NULL || (body->memory == NULL && !def->kinematic))
    {
        memoryRelease(&world->memory, body->shape);
        memoryRelease(&world->memory, body->memory);
        return false;
    }
    for (int i = 0; i < body->shapeCount; ++i)
    {
        vvRigidShape part = partAt(def, i);
        body->shape[i] = (RigidShape){ .shape = part.shape,
                                       .position = vecAdd(body->origin, quatRotate(body->frame, part.position)),
                                       .rotation = quatNormalized(quatMultiply(body->frame, part.rotation)) };
        shapeRetain(part.shape);
        body->radius = maxReal(body->radius, radiusOf(&body->shape[i]));
    }
    return true;
}

// ---- creation -------------------------------------------------------------------------------------------------------

static vvResult makeBody(World *world, const vvRigidBodyDef *def, RigidBody *body)
{
    MassProperties mass = { 0 };
    vvQuat axes = { 1, 0, 0, 0 }, rotation = def->rotation;
    quatUnit(&rotation);
    *body = (RigidBody){ .velocity = def->velocity,
                         .spin = def->spin,
                         .frame = axes,
                         .friction = def->friction,
                         .restitution = def->restitution,
                         .rollingFriction = def->rollingFriction,
                         .category = def->category,
                         .mask = def->mask };
    vvResult result = def->kinematic ? resultOk() : massOf(def, &mass);
    if (result.code != VV_OK)
        return result;
    if (!def->kinematic)
    {
        rigidPrincipal(&mass, &body->inertia, &axes);
        takeMass(body, &mass, axes);
        Vec3 inverse = body->inverseInertia;
        if (!(minReal(inverse.x, minReal(inverse.y, inverse.z)) > 0) || !vecFinite(inverse))
            return resultMake(VV_BAD_INPUT, "look at the sizes of its shapes",
                              "the moments of inertia are %g, %g and %g kg m^2, must be above 0", body->inertia.x,
                              body->inertia.y, body->inertia.z);
    }
    if (!takeShapes(world, body, def))
        return resultOutOfMemory("the shapes of a rigid body");
    body->rotation = quatNormalized(quatMultiply(rotation, axes));
    body->position = vecSub(def->position, quatRotate(body->rotation, body->origin));
    rigidSetSpin(body, def->spin);
    return result;
}

static int reserveSlot(World *world)
{
    Rigids *rigids = &world->rigids;
    for (int i = 0; i < rigids->slotCount && rigids->count < rigids->slotCount; ++i)
    {
        if (!rigids->item[i].used)
            return i;
    }
    int slot = rigids->slotCount, grown = maxInt(8, 2 * slot);
    void *items = rigids->item;
    if (!memoryGrow(&world->memory, &items, (size_t)slot, (size_t)grown, sizeof(Rigid)))
        return -1;
    rigids->item = items;
    rigids->slotCount = grown;
    return slot;
}

static void releaseBody(World *world, RigidBody *body)
{
    for (int i = 0; i < body->shapeCount; ++i)
        shapeRelease(body->shape[i].shape);
    memoryRelease(&world->memory, body->shape);
    memoryRelease(&world->memory, body->memory);
}

static vvResult createRigid(World *world, const vvRigidBodyDef *def, int *slot)
{
    vvResult result = checkRigid(def);
    if (result.code == VV_OK)
        result = checkCount("rigid bodies", world->rigids.count);
    if (result.code != VV_OK)
        return result;
    *slot = reserveSlot(world);
    if (*slot < 0)
        return resultOutOfMemory("a rigid body");
    RigidBody body;
    result = makeBody(world, def, &body);
    if (result.code != VV_OK)
        return result;
    Rigid *rigid = &world->rigids.item[*slot];
    *rigid = (Rigid){
        .used = true, .generation = nextGeneration(world), .body = body, .userData = def->userData, .collider = -1
    };
    rigid->account.opening = rigidKinetic(&body) - body.mass * vecDot(world->gravity, body.position);
    result = meetingCreate(world, *slot);
    if (result.code != VV_OK)
    {
        releaseBody(world, &rigid->body);
        rigid->used = false;
        return result;
    }
    world->rigids.count += 1;
    world->systemsStale |= world->rigids.count == 1;
    contactsBook(world);
    return result;
}

vvRigidBodyId vvCreateRigidBody(vvWorldId id, const vvRigidBodyDef *def, vvResult *result)
{
    World *world = worldOpen(id);
    int slot = -1;
    vvResult outcome = world ? createRigid(world, def, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvRigidBodyId){ 0, 0, 0 };
    return ID_OF(vvRigidBodyId, world, slot, world->rigids.item[slot].generation);
}

// ---- destruction ----------------------------------------------------------------------------------------------------

// its slot may be another's soon
static void forget(World *world, int id)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        RigidBody *body = &world->rigids.item[i].body;
        int kept = 0;
        for (int k = 0; world->rigids.item[i].used && k < body->memoryCount; ++k)
        {
            if (body->memory[k].partner != id)
                body->memory[kept++] = body->memory[k];
        }
        body->memoryCount = kept;
    }
}

void vvDestroyRigidBody(vvRigidBodyId id)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    if (rigid == NULL)
        return;
    jointsOfRigidDestroy(world, (int)id.index1 - 1);
    if (rigid->proxy != NULL)
        attachmentsOfBodyDestroy(rigid->proxy); // it goes with the last of them
    for (int c = rigid->collider; c >= 0; c = world->colliders.item[c].sibling)
        world->colliders.item[c].rigid = 0;
    collidersBook(world); // what contacts held of the shapes, which are still there
    meetingForget(world, (int)id.index1 - 1);
    releaseBody(world, &rigid->body);
    rigid->used = false;
    forget(world, 2 * (int)(rigid - world->rigids.item));
    world->rigids.count -= 1;
}

void rigidsDestroy(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used)
            releaseBody(world, &world->rigids.item[i].body);
    }
    memoryRelease(&world->memory, world->rigids.movable);
    memoryRelease(&world->memory, world->rigids.stand);
    rigidSystemRelease(&world->rigids.system, &world->memory);
    memoryRelease(&world->memory, world->rigids.item);
}

bool vvRigidBody_IsValid(vvRigidBodyId id)
{
    World *world;
    return rigidFind(id, &world) != NULL;
}

void *vvRigidBody_GetUserData(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->userData : NULL;
}
