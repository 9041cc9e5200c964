// Forces of fluids on soft bodies, for the soft step.
#include "world/world.h"

#include <string.h>

#define DEFORMING 0.1 // share of new deforming forces that a step takes on
#define BEARABLE 0.2  // of Young's modulus, as a pressure on the surface along a vertex
#define MOST_PAID 2.0 // of its rate in a step, by which vibrations decay for what they owe

vvResult bodyCreatePress(Body *body)
{
    if (body->press != NULL || body->world->fluids.count == 0 || body->mesh->matter != MATTER_SOLID ||
        body->mesh->surfaceCount == 0)
        return resultOk();
    Recipe recipe = { .rest = body->mesh->point };
    body->press = energyCreate(&body->world->memory, &forceKind, body->count, body->count, NULL, &recipe);
    if (body->press != NULL)
        body->pressed = ALLOCATE(&body->world->memory, double, 3 * (size_t)body->count);
    if (body->pressed == NULL)
    {
        energyDestroy(body->press);
        body->press = NULL;
        return resultOutOfMemory("the forces of fluids on a body");
    }
    body->member.energy[body->member.energyCount++] = body->press;
    body->world->systemsStale = true;
    return resultOk();
}

bool bodyMeetsFluids(const Body *body)
{
    return body->world->fluids.count > 0 && body->proxyOf == 0 &&
           (body->mesh->surfaceCount > 0 || body->mesh->matter == MATTER_ROPE);
}

// what fluidsPrepareBodies has made so far
static void takeBack(Body *body)
{
    if (body->surfaceIsNew)
        bodyDestroyCollisionMesh(body);
    if (body->pressIsNew && body->press != NULL)
    {
        body->member.energyCount -= 1;
        ASSERT(body->member.energy[body->member.energyCount] == body->press, "nothing was added after it");
        energyDestroy(body->press);
        memoryRelease(&body->world->memory, body->pressed);
        body->press = NULL;
        body->pressed = NULL;
        body->world->systemsStale = true;
    }
}

vvResult fluidsPrepareBodies(World *world)
{
    vvResult result = resultOk();
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->pressIsNew = body->press == NULL;
        body->surfaceIsNew = body->collisionMesh == NULL;
    }
    for (Body *body = world->firstBody; body != NULL && result.code == VV_OK; body = body->next)
    {
        result = bodyCreatePress(body);
        if (result.code == VV_OK && bodyMeetsFluids(body) && body->collisionMesh == NULL)
            result = bodyCreateCollisionMesh(body);
    }
    for (Body *body = world->firstBody; body != NULL && result.code != VV_OK; body = body->next)
        takeBack(body);
    return result;
}

Mat3 fluidInverseInertia(const State *s, Vec3 centre)
{
    Mat3 inertia = { { { 0 } } };
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), centre);
        const double of[3] = { r.x, r.y, r.z };
        for (int i = 0; i < 9; ++i)
            inertia.m[i / 3][i % 3] += s->mass[v] * ((i % 4 == 0 ? vecDot(r, r) : 0) - of[i / 3] * of[i % 3]);
    }
    return matInverse(&inertia);
}

// The rigid motion that forces give a body: accelerations of its centre and about it.
typedef struct Motion
{
    Vec3 centre, linear, angular; // m, m/s^2, rad/s^2
} Motion;

static Motion motionOf(const State *s, const double *force)
{
    Vec3 moment = vec3(0, 0, 0), sum = moment, torque = moment;
    double mass = 0;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 x = vecLoad(s->start + 3 * (ptrdiff_t)v), f = vecLoad(force + 3 * (ptrdiff_t)v);
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], x));
        sum = vecAdd(sum, f);
        torque = vecAdd(torque, vecCross(x, f));
    }
    Motion motion = { .centre = vecScale(1 / mass, moment), .linear = vecScale(1 / mass, sum) };
    Mat3 inverse = fluidInverseInertia(s, motion.centre);
    motion.angular = matApply(&inverse, vecSub(torque, vecCross(motion.centre, sum)));
    return motion;
}

static Vec3 partOf(const Motion *motion, const State *s, int v) // N: of a vertex
{
    Vec3 r = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), motion->centre);
    return vecScale(s->mass[v], vecAdd(motion->linear, vecCross(motion->angular, r)));
}

// A vertex of a surface bears this much and not more: particles as large as its cells may press with several times the
// modulus on one corner, turn it inside out, and go on pressing on what is now the wrong side.
static void limitForces(const Body *body, const double *force, double *limited)
{
    const CollisionMesh *mesh = body->collisionMesh;
    memcpy(limited, force, 3 * (size_t)body->count * sizeof *limited);
    for (int i = 0; i < mesh->surfaceCount; ++i)
    {
        double *f = limited + 3 * (ptrdiff_t)mesh->vertex[i], size = vecLength(vecLoad(f));
        double most = BEARABLE * body->def.material.young * mesh->area[i];
        if (most > 0 && size > most)
            vecStore(f, vecScale(most / size, vecLoad(f)));
    }
}

// What moves a body as a whole acts at once. What deforms it has no momentum, trembles with the particles, and is a
// step late: it comes in shares, or a body without damping begins to shake. The share grows with the part of the step.
void fluidSoothe(const Body *body, State *s, double *force, const double *before, double part)
{
    double *limited = scratchTake(s);
    limitForces(body, force, limited);
    Motion now = motionOf(s, force), then = motionOf(s, before), borne = motionOf(s, limited);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 bends = vecSub(vecLoad(limited + 3 * (ptrdiff_t)v), partOf(&borne, s, v));
        Vec3 bent = vecSub(vecLoad(before + 3 * (ptrdiff_t)v), partOf(&then, s, v));
        bends = vecAdd(bent, vecScale(DEFORMING * part, vecSub(bends, bent)));
        vecStore(force + 3 * (ptrdiff_t)v, vecAdd(partOf(&now, s, v), bends));
    }
    scratchGive(s, limited);
}

// Fluid along a body follows its deformation within a step, with a force of its mass over dt times the rate of it.
// Taken on in shares, and late, that force drives vibrations of more than a quarter of a radian a step by up to this
// share of it. Twice as much is taken from all vibrations.
double fluidWetDamping(double ratio, double dt)
{
    return 2 * DEFORMING * ratio / dt;
}

static bool anyOf(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (values[i] != 0)
            return true;
    }
    return false;
}

// J: of what moves otherwise than as a whole
static double vibrationOf(const State *s, const double *x, const double *velocity)
{
    RigidMotion motion = rigidMotion(s, x, velocity, 0, s->count);
    double sum = 0;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(x + 3 * (ptrdiff_t)v), motion.centre);
        Vec3 u = vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), vecAdd(motion.velocity, vecCross(motion.spin, r)));
        sum += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(u, u);
    }
    return sum;
}

// The fluid saw a body that kept its shape, so that it has not paid for what deforms it. That work is owed by the
// vibrations: what their damping has not taken of it is taken in the next steps, as long as forces remember.
void fluidOwe(Body *body, State *s, double dt)
{
    double *force = scratchTake(s), work = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        force[i] = energyGetParam(body->press, i / 3, 1 + i % 3);
    Motion motion = motionOf(s, force);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 bends = vecSub(vecLoad(force + 3 * (ptrdiff_t)v), partOf(&motion, s, v));
        Vec3 way = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), vecLoad(s->start + 3 * (ptrdiff_t)v));
        work += vecDot(bends, way);
    }
    scratchGive(s, force);
    double moving = (vibrationOf(s, s->start, s->startVelocity) + vibrationOf(s, s->position, s->velocity)) / 2;
    double taken = minReal(2 * dt * body->step.wetDamping, 1) * moving;
    body->owed = maxReal((1 - DEFORMING) * body->owed + work - taken, 0);
    body->pays = moving > 0 ? minReal(body->owed / (2 * moving), MOST_PAID) / dt : 0;
}

// What fluids give to a body is what its own step, or the part of it that ends, has got of their forces: of the fluid
// that pushes it, or else of the first one, as some of them stay for steps after it has left the fluid.
void fluidBookPress(World *world, const Body *body, const State *s)
{
    FluidBooks *books = body->pressBooks;
    for (int i = 0; i < world->fluids.slotCount && books == NULL; ++i)
        books = world->fluids.item[i].fluid != NULL ? &world->fluids.item[i].books : NULL;
    for (int v = 0; v < s->count && books != NULL; ++v)
    {
        ptrdiff_t at = 3 * (ptrdiff_t)v;
        Vec3 force = vec3(energyGetParam(body->press, v, 1), energyGetParam(body->press, v, 2),
                          energyGetParam(body->press, v, 3));
        books->added -= vecDot(force, vecSub(vecLoad(s->position + at), vecLoad(s->start + at)));
    }
}

void fluidsSoothe(World *world, bool wet)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->press == NULL || !anyOf(body->pressed, 3 * body->count) || (wet && world->runs[body->island].taken))
            continue;
        State s = stateSlice(&world->state, body->first, body->count);
        double *before = scratchTake(&s);
        for (int i = 0; i < 3 * body->count; ++i)
            before[i] = energyGetParam(body->press, i / 3, 1 + i % 3);
        fluidSoothe(body, &s, body->pressed, before, 1);
        bodyWake(body);
    }
}

// exchanges the forces of the step under way and those of the one before
void fluidsPressBodies(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        for (int i = 0; body->press != NULL && i < 3 * body->count; ++i)
        {
            double before = energyGetParam(body->press, i / 3, 1 + i % 3);
            energySetParam(body->press, i / 3, 1 + i % 3, body->pressed[i]);
            body->pressed[i] = before;
        }
    }
}
