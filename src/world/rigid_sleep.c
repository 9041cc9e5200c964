// Sleeping of rigid bodies: as soft bodies do (sleep.c), in islands of their own (rigid/island.c). A body near a soft
// one that is awake stays awake, and so does what a caller or a fluid pushes.
#include "world/world.h"

#define TREMBLING 10.0 // of sleepEnergy: that of the motion of a step

void rigidsWake(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
        rigidWake(&world->rigids.item[i].body);
}

static bool isPushed(Vec3 force, Vec3 torque)
{
    return vecDot(force, force) + vecDot(torque, torque) > 0;
}

void rigidsStir(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        RigidBody *body = &rigid->body;
        body->stirred = rigid->stirred || isPushed(body->force, body->torque) ||
                        (!rigid->near && rigid->proxy == NULL && isPushed(body->reaction, body->reactionTorque));
    }
}

void rigidFollowProxy(Rigid *rigid)
{
    rigid->stirred |= rigid->proxy != NULL && !rigid->proxy->asleep && rigid->body.asleep;
}

// ---- with the soft bodies that are attached to them -----------------------------------------------------------------

static Rigid *standsFor(World *world, const Body *body)
{
    Rigid *rigid = body->proxyOf > 0 ? &world->rigids.item[body->proxyOf - 1] : NULL;
    return rigid != NULL && rigid->proxy == body ? rigid : NULL;
}

static bool isKinematic(const RigidBody *body)
{
    return !(body->inverseMass > 0);
}

static bool isRestless(const World *world, const Rigid *rigid)
{
    const RigidBody *body = &rigid->body;
    return isKinematic(body) ? isPushed(body->velocity, body->spin)
                             : body->stirred || (!body->asleep && body->calm < world->sleepTime);
}

bool islandRests(World *world, const System *system)
{
    bool rests = true;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Body *body = bodyOfMember(system->member[p]);
        const Rigid *rigid = standsFor(world, body);
        rests &= body->asleep || body->calm >= world->sleepTime;
        rests &= rigid == NULL || !isRestless(world, rigid);
    }
    return rests;
}

// Rigid bodies in whose soft island something is not tired are stirred, and so are those that these hold awake. True:
// some were not before.
static bool spreadUnrest(World *world)
{
    Rigids *rigids = &world->rigids;
    bool spread = false;
    for (int i = 0; i < world->systemCount; ++i)
    {
        bool rests = islandRests(world, &world->system[i]);
        for (int p = 0; p < world->system[i].memberCount && !rests; ++p)
        {
            Rigid *rigid = standsFor(world, bodyOfMember(world->system[i].member[p]));
            if (rigid == NULL || rigid->body.stirred || isKinematic(&rigid->body))
                continue;
            rigid->body.stirred = spread = true;
        }
    }
    for (int i = 0; i < rigids->system.bodyCount; ++i)
        rigids->system.awake[i] = false;
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        const RigidBody *body = &rigids->item[i].body;
        if (rigids->item[i].used && !isKinematic(body))
            rigids->system.awake[rigids->system.island[body->index]] |= isRestless(world, &rigids->item[i]);
    }
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        bool held = rigid->used && rigid->proxy != NULL && !isKinematic(&rigid->body) && !rigid->body.stirred;
        if (held && rigids->system.awake[rigids->system.island[rigid->body.index]])
            rigid->body.stirred = spread = true;
    }
    return spread;
}

// J/kg x s^2: twice the energy of a motion from one pose to another in 1 s
static double wayOf(const RigidBody *body, Vec3 position, vvQuat rotation)
{
    vvQuat turn = quatMultiply(quatConjugate(rotation), body->rotation);
    Vec3 way = vecSub(body->position, position), angle = vecScale(2, vec3(turn.x, turn.y, turn.z)), i = body->inertia;
    double turning = i.x * angle.x * angle.x + i.y * angle.y * angle.y + i.z * angle.z * angle.z;
    return vecDot(way, way) + turning / body->mass;
}

// A heap at rest trembles: a body is calm while its mean motion over `sleepTime` is slow, and none of a step is fast.
static void calm(const World *world, Rigid *rigid, double dt)
{
    RigidBody *body = &rigid->body;
    double time = maxReal(world->sleepTime, dt), most = 2 * world->sleepEnergy;
    if (body->calm == 0)
    {
        body->calmPosition = rigid->marked.position;
        body->calmRotation = rigid->marked.rotation;
    }
    bool slow = wayOf(body, rigid->marked.position, rigid->marked.rotation) < TREMBLING * most * dt * dt &&
                wayOf(body, body->calmPosition, body->calmRotation) < most * time * time;
    body->calm = slow && !body->stirred ? body->calm + dt : 0;
}

void rigidsSettle(World *world, double dt)
{
    if (world->sleepEnergy == 0 || world->rigids.count == 0)
        return;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->body.dissipated = 0;
        if (!rigid->used || !(rigid->body.inverseMass > 0) || rigid->body.asleep)
            continue;
        calm(world, rigid, dt);
    }
    while (world->proxyCount > 0 && spreadUnrest(world))
        continue;
    rigidTire(&world->rigids.system, world->sleepTime);
    for (int i = 0; i < world->rigids.slotCount; ++i)
        world->rigids.item[i].account.dissipated += world->rigids.item[i].body.dissipated;
}

// ---- asking ---------------------------------------------------------------------------------------------------------

bool vvRigidBody_IsAwake(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid != NULL && !rigid->body.asleep;
}

void vvRigidBody_Wake(vvRigidBodyId id)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    if (rigid != NULL)
        rigidWake(&rigid->body);
}
