// The rigid bodies that a fluid may meet in a step, what else moves them, and what they get from it.
#include "world/world.h"

#include <string.h>

static bool reserve(FluidBodies *bodies, Memory *memory, int bodyCount, int shapeCount, int sumCount)
{
    void *body = bodies->body, *shape = bodies->shape, *sum = bodies->sum;
    if (bodyCount > bodies->bodyRoom)
    {
        if (!memoryGrow(memory, &body, 0, (size_t)bodyCount, sizeof(FluidBody)))
            return false;
        bodies->body = body;
        bodies->bodyRoom = bodyCount;
    }
    if (shapeCount > bodies->shapeRoom)
    {
        if (!memoryGrow(memory, &shape, 0, (size_t)shapeCount, sizeof(FluidShape)))
            return false;
        bodies->shape = shape;
        bodies->shapeRoom = shapeCount;
    }
    if (sumCount > bodies->sumRoom)
    {
        if (!memoryGrow(memory, &sum, 0, (size_t)sumCount, sizeof(FluidSum)))
            return false;
        bodies->sum = sum;
        bodies->sumRoom = sumCount;
    }
    return true;
}

void fluidBodiesRelease(FluidBodies *bodies, Memory *memory)
{
    memoryRelease(memory, bodies->body);
    memoryRelease(memory, bodies->shape);
    memoryRelease(memory, bodies->sum);
    fluidPairsRelease(&bodies->pairs, memory);
    *bodies = (FluidBodies){ 0 };
}

// m, that a point of a body may move by in the step
static double wayOf(const RigidBody *body, Vec3 gravity, double dt)
{
    double radius = isfinite(body->radius) ? body->radius : 0;
    double fall = body->inverseMass > 0 ? vecLength(gravity) + body->inverseMass * vecLength(body->force) : 0;
    return dt * (vecLength(body->velocity) + radius * vecLength(body->spin) + dt * fall);
}

// it may be pushed faster than it is: the fluid's own fastest particle may push it
static bool mayMeet(const RigidBody *body, const vvBox *fluid, double reach)
{
    vvBox box = { body->position, body->position };
    box = fluidBoxGrown(box, body->radius + reach);
    return fluidBoxesMeet(&box, fluid);
}

static void add(FluidBodies *bodies, Rigid *rigid)
{
    RigidBody *body = &rigid->body;
    for (int i = 0; i < body->shapeCount; ++i)
        bodies->shape[bodies->shapeCount++] = (FluidShape){ .shape = body->shape[i].shape,
                                                            .part = i,
                                                            .body = bodies->bodyCount,
                                                            .own = vvShape_GetBounds(body->shape[i].shape) };
    bodies->body[bodies->bodyCount++] = (FluidBody){ .rigid = rigid, .body = body, .now = *body };
}

// Everything else that moves it in the step, contacts and joints too, is a constant acceleration: as in a step that is
// only looked at, less what fluids push with there.
static void foresee(FluidBody *body, double dt)
{
    const Rigid *rigid = body->rigid;
    RigidBody *now = &body->now;
    now->force = now->torque = now->acting = now->actingTorque = vec3(0, 0, 0);
    if (!(now->inverseMass > 0))
        return;
    Vec3 turning = vecScale(1 / dt, vecSub(rigid->foreseenSpin, now->spin)), i = now->inertia;
    turning = quatRotateBack(now->rotation, turning);
    now->force = vecScale(now->mass / dt, vecSub(rigid->foreseenVelocity, now->velocity));
    now->torque = quatRotate(now->rotation, vec3(i.x * turning.x, i.y * turning.y, i.z * turning.z));
    now->force = vecSub(now->force, rigid->usual);
    now->torque = vecSub(now->torque, rigid->usualTorque);
}

bool fluidBodiesLoad(World *world, const WorldFluid *item, double dt)
{
    FluidBodies *bodies = &world->fluids.bodies;
    const Rigids *rigids = &world->rigids;
    const Fluid *fluid = item->fluid;
    int shapes = 0;
    bodies->bodyCount = bodies->shapeCount = 0;
    bodies->taskCount = fluidTasks(fluid->room);
    bodies->gravity = world->gravity;
    if (rigids->count == 0)
        return true;
    for (int i = 0; i < rigids->slotCount; ++i)
        shapes += rigids->item[i].used ? rigids->item[i].body.shapeCount : 0;
    if (!reserve(bodies, &world->memory, rigids->count, shapes, rigids->count * bodies->taskCount) ||
        !fluidPairsExpect(&bodies->pairs, &world->memory, rigids, fluid))
        return false;
    double fastest = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        Vec3 v = vecLoad(fluid->velocity + 3 * (ptrdiff_t)i);
        fastest = maxReal(fastest, vecDot(v, v));
    }
    double way = dt * (sqrt(fastest) + dt * vecLength(world->gravity)) + fluid->scale.radius;
    vvBox box = fluidBoxGrown(fluidBoxOf(fluid->position, fluid->count), way);
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        RigidBody *body = &rigids->item[i].body;
        if (rigids->item[i].used && (body->mask & item->walls.category) != 0 &&
            (item->walls.mask & body->category) != 0 && mayMeet(body, &box, wayOf(body, world->gravity, dt)))
            add(bodies, &rigids->item[i]);
    }
    if (bodies->bodyCount > 0 && !bodies->foreseen && !rigidsForesee(world, dt))
        return false;
    for (int i = 0; i < bodies->bodyCount; ++i)
        foresee(&bodies->body[i], dt);
    if (bodies->bodyCount > 0)
        memset(bodies->sum, 0, (size_t)bodies->taskCount * (size_t)bodies->bodyCount * sizeof *bodies->sum);
    fluidBodiesWeigh(bodies, fluid);
    fluidPairsBegin(bodies, fluid, world->workers, dt);
    return true;
}

double fluidBodiesWay(const FluidBodies *bodies, double dt)
{
    double farthest = 0;
    for (int i = 0; i < bodies->bodyCount; ++i)
        farthest = maxReal(farthest, wayOf(bodies->body[i].body, bodies->gravity, dt));
    return farthest;
}

void fluidBodiesGive(FluidBodies *bodies, double dt)
{
    for (int i = 0; i < bodies->bodyCount; ++i)
    {
        const FluidBody *from = &bodies->body[i];
        from->rigid->stirred |= vecDot(from->impulse, from->impulse) > 0;
        from->rigid->flowBooks = bodies->books;
        from->rigid->body.flow = vecAdd(from->rigid->body.flow, vecScale(1 / dt, from->impulse));
        from->rigid->body.flowTorque = vecAdd(from->rigid->body.flowTorque, vecScale(1 / dt, from->moment));
    }
}
