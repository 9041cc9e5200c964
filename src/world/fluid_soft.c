// Soft solids as walls of a fluid. Within the substeps of a fluid a soft body keeps its shape, and moves as if it were
// rigid: the whole of it is as heavy as the layer along it, one vertex is not, and its vibrations are faster than a
// step. The impulses on each vertex are then forces of the soft step, constant through it. What these give to
// vibrations nobody has paid for, so that vibrations lose it again (fluidOwe in fluid_force.c). That step may put its
// surface elsewhere than the substeps did: particles that overlap it then have not hit it, and go without momentum.
#include "base/quaternion.h"
#include "world/world.h"

#include <string.h>

#define DEEPEST 2  // spacings: what is deeper inside is not found any more
#define LAYERS 2.0 // of particles that a body has to carry: as in fluid_rigid.c
#define FACING 0.3 // share of them that push in one direction
#define UPHELD 0.2 // share of what holds a body in a step, in the mean over steps
#define FREE 1e-3  // of gravity: what holds a body less does not

static Vec3 forceOf(const Body *body, int vertex)
{
    return vec3(energyGetParam(body->press, vertex, 1), energyGetParam(body->press, vertex, 2),
                energyGetParam(body->press, vertex, 3));
}

static void setForce(Body *body, int vertex, Vec3 force)
{
    energySetParam(body->press, vertex, 1, force.x);
    energySetParam(body->press, vertex, 2, force.y);
    energySetParam(body->press, vertex, 3, force.z);
}

// ---- which bodies ---------------------------------------------------------------------------------------------------

static bool reserve(FluidSofts *surfaces, Memory *memory, int bodies, int vertices, int particles)
{
    void *surface = surfaces->surface, *vertex = surfaces->vertex, *touch = surfaces->touch, *at = surfaces->position;
    void *clear = surfaces->clear;
    if (bodies > surfaces->surfaceRoom)
    {
        if (!memoryGrow(memory, &surface, 0, (size_t)bodies, sizeof(FluidSoft)))
            return false;
        surfaces->surface = surface;
        surfaces->surfaceRoom = bodies;
    }
    if (vertices > surfaces->vertexRoom)
    {
        if (!memoryGrow(memory, &vertex, 0, (size_t)vertices, sizeof(FluidVertex)))
            return false;
        surfaces->vertex = vertex;
        if (!memoryGrow(memory, &at, 0, (size_t)vertices * 3, sizeof(double)))
            return false;
        surfaces->position = at;
        surfaces->vertexRoom = vertices;
    }
    if (particles > surfaces->touchRoom)
    {
        if (!memoryGrow(memory, &touch, 0, (size_t)particles, SOFT_TOUCHES * sizeof(FluidContact)))
            return false;
        surfaces->touch = touch;
        if (!memoryGrow(memory, &clear, 0, (size_t)particles, sizeof(FluidClear)))
            return false;
        surfaces->clear = clear;
        surfaces->touchRoom = particles;
    }
    return true;
}

void fluidSoftsRelease(FluidSofts *surfaces, Memory *memory)
{
    memoryRelease(memory, surfaces->surface);
    memoryRelease(memory, surfaces->vertex);
    memoryRelease(memory, surfaces->position);
    memoryRelease(memory, surfaces->touch);
    memoryRelease(memory, surfaces->clear);
    *surfaces = (FluidSofts){ 0 };
}

// What moves a body beside gravity and fluids (the ground, other bodies) trembles from step to step. Foreseen from one
// step, the body moves in the fluid as it then does not, which is work on the fluid that nobody pays for: four cubes on
// the ground of a pool of 330 kg heated it by 45 W, and began to jump. So it is a mean. Impacts are no part of it.
void fluidSoftsWatch(World *world, double dt)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->press == NULL)
            continue;
        State s = stateSlice(&world->state, body->first, body->count);
        Vec3 gained = vec3(0, 0, 0), known = gained;
        double mass = 0, most = vecLength(world->gravity);
        for (int v = 0; v < body->count; ++v)
        {
            ptrdiff_t at = 3 * (ptrdiff_t)v;
            mass += s.mass[v];
            gained =
                vecAdd(gained, vecScale(s.mass[v], vecSub(vecLoad(s.velocity + at), vecLoad(s.startVelocity + at))));
            known = vecAdd(known, forceOf(body, v));
        }
        fluidOwe(body, &s, dt);
        if (!world->runs[body->island].taken)
            fluidBookPress(world, body, &s);
        Vec3 other = vecScale(1 / mass, vecSub(vecScale(1 / dt, gained), known));
        Vec3 holds = vecSub(other, world->gravity);
        double size = vecLength(holds);
        if (!(size > FREE * most))
            body->upheld = vec3(0, 0, 0);
        else if (size < 2 * most)
            body->upheld = vecAdd(body->upheld, vecScale(UPHELD, vecSub(holds, body->upheld)));
    }
}

// Where the vertices are, and how heavy the whole is.
static void loadVertices(FluidSofts *surfaces, FluidSoft *surface, const State *s, Vec3 gravity)
{
    Vec3 moment = vec3(0, 0, 0), momentum = moment;
    bool held = false;
    double mass = 0;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 start = vecLoad(s->start + 3 * (ptrdiff_t)v), rate = vecLoad(s->startVelocity + 3 * (ptrdiff_t)v);
        FluidVertex *vertex = &surfaces->vertex[surface->first + v];
        vertex->start = vertex->before = start;
        vertex->impulse = vec3(0, 0, 0);
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], start));
        momentum = vecAdd(momentum, vecScale(s->mass[v], rate));
        held = held || s->pinned[v];
    }
    surface->centre = vecScale(1 / mass, moment);
    surface->give = vec3(0, 0, 0);
    surface->rotation = (vvQuat){ 1, 0, 0, 0 };
    surface->rate = vecScale(1 / mass, momentum);
    surface->inverseMass = held ? 0 : 1 / mass;
    surface->acceleration = held ? vec3(0, 0, 0) : vecAdd(gravity, surface->body->upheld);
}

static void loadSpin(FluidSoft *surface, const State *s)
{
    Vec3 momentum = vec3(0, 0, 0);
    surface->radius = 0;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), surface->centre);
        Vec3 rate = vecSub(vecLoad(s->startVelocity + 3 * (ptrdiff_t)v), surface->rate);
        momentum = vecAdd(momentum, vecScale(s->mass[v], vecCross(r, rate)));
        surface->radius = maxReal(surface->radius, vecLength(r));
    }
    Mat3 inverse = fluidInverseInertia(s, surface->centre);
    surface->spin = matApply(&inverse, momentum);
    surface->inverseInertia = surface->inverseMass > 0 ? inverse : (Mat3){ { { 0 } } };
}

// mass of the particles along it that the whole has to carry, over its own
static double easeOf(const FluidSoft *surface, const Fluid *fluid)
{
    const CollisionMesh *mesh = surface->body->collisionMesh;
    double area = 0;
    for (int i = 0; i < mesh->surfaceCount; ++i)
        area += mesh->area[i];
    return LAYERS * FACING * fluid->settings.density * fluid->settings.spacing * area * surface->inverseMass;
}

static bool isSolid(const Body *body)
{
    return body->press != NULL && body->mesh->matter == MATTER_SOLID;
}

bool fluidSoftsLoad(World *world, const WorldFluid *item, double dt)
{
    FluidSofts *surfaces = &world->fluids.surfaces;
    int bodies = 0, vertices = 0;
    surfaces->surfaceCount = 0;
    surfaces->farthest = 0;
    surfaces->fluid = item->fluid;
    surfaces->step = dt;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        bodies += isSolid(body);
        vertices += isSolid(body) ? body->count : 0;
    }
    if (bodies == 0)
        return true;
    if (!reserve(surfaces, &world->memory, bodies, vertices, item->fluid->room))
        return false;
    int first = 0;
    surfaces->moved = 0;
    for (int i = 0; i < item->fluid->count; ++i)
        surfaces->clear[i].left = 0;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (!isSolid(body) || (body->contactDef.mask & item->walls.category) == 0 ||
            (item->walls.mask & body->contactDef.category) == 0)
            continue;
        FluidSoft *surface = &surfaces->surface[surfaces->surfaceCount++];
        *surface = (FluidSoft){ .body = body, .first = first, .lent = body->collisionMesh->x };
        State slice = stateSlice(&world->state, body->first, body->count);
        memset(surfaces->vertex + first, 0, (size_t)body->count * sizeof *surfaces->vertex);
        loadVertices(surfaces, surface, &slice, world->gravity);
        loadSpin(surface, &slice);
        surface->ease = easeOf(surface, item->fluid);
        double size = body->member.size, way = dt * (vecLength(surface->rate) + size * vecLength(surface->spin));
        surfaces->farthest = maxReal(surfaces->farthest, way);
        body->collisionMesh->x = surfaces->position + 3 * (ptrdiff_t)first;
        first += body->count;
    }
    return true;
}

// 1/s, with this mass of particles along it
static double wetDampingOf(const FluidSoft *surface, double wet, double dt)
{
    return wet > 0 ? fluidWetDamping(wet * surface->inverseMass, dt) + surface->body->pays : 0;
}

void fluidSoftsGive(FluidSofts *surfaces, double dt)
{
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        const FluidSoft *surface = &surfaces->surface[i];
        if (!surface->parted)
            surface->body->step.wetDamping += wetDampingOf(surface, surface->wetTime / dt, dt);
        for (int v = 0; v < surface->body->count; ++v)
        {
            const FluidVertex *from = &surfaces->vertex[surface->first + v];
            double *to = surface->body->pressed + 3 * (ptrdiff_t)v;
            Vec3 impulse = surface->parted ? from->given : from->impulse;
            vecStore(to, vecAdd(vecLoad(to), vecScale(1 / dt, impulse)));
        }
    }
}

// ---- bodies whose island takes its step in the substeps, as it has a sheet there -----------------------------------

// vertices of a body within its island
static State partedSlice(const World *world, const Body *body)
{
    return stateSlice(&world->system[body->island].state, body->member.offset, body->count);
}

void fluidSoftsPress(FluidSofts *surfaces, const World *world, int island, double dt)
{
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        FluidSoft *surface = &surfaces->surface[i];
        Body *body = surface->body;
        if (body->island != island)
            continue;
        State s = partedSlice(world, body);
        double *force = scratchTake(&s), *before = scratchTake(&s);
        for (int v = 0; v < body->count; ++v)
        {
            FluidVertex *vertex = &surfaces->vertex[surface->first + v];
            vecStore(before + 3 * (ptrdiff_t)v, forceOf(body, v));
            vecStore(force + 3 * (ptrdiff_t)v, vecScale(1 / dt, vertex->impulse));
            if (!surface->parted)
                vertex->kept = forceOf(body, v);
        }
        surface->parted = true;
        fluidSoothe(body, &s, force, before, dt / surfaces->step);
        for (int v = 0; v < body->count; ++v)
        {
            Vec3 f = vecLoad(force + 3 * (ptrdiff_t)v);
            FluidVertex *vertex = &surfaces->vertex[surface->first + v];
            vertex->given = vecAdd(vertex->given, vecScale(dt, f));
            setForce(body, v, f);
        }
        body->step.wetDamping = wetDampingOf(surface, surface->wet, surfaces->step);
    }
}

void fluidSoftsBook(const FluidSofts *surfaces, World *world, int island)
{
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        Body *body = surfaces->surface[i].body;
        if (body->island != island)
            continue;
        State s = partedSlice(world, body);
        fluidBookPress(world, body, &s);
    }
}

void fluidSoftsFollow(FluidSofts *surfaces, const World *world, int island)
{
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        FluidSoft *surface = &surfaces->surface[i];
        if (surface->body->island != island)
            continue;
        State s = partedSlice(world, surface->body);
        double off = 0; // m, from where the fluid saw it
        for (int v = 0; v < s.count; ++v)
            off = maxReal(off, vecLength(vecSub(vecLoad(s.start + 3 * (ptrdiff_t)v),
                                                surfaces->vertex[surface->first + v].before)));
        loadVertices(surfaces, surface, &s, world->gravity);
        loadSpin(surface, &s);
        surface->path += off;
    }
}

void fluidSoftsReturn(FluidSofts *surfaces)
{
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        const FluidSoft *surface = &surfaces->surface[i];
        surface->body->collisionMesh->x = surface->lent;
        for (int v = 0; v < surface->body->count && surface->parted; ++v)
            setForce(surface->body, v, surfaces->vertex[surface->first + v].kept);
    }
    surfaces->surfaceCount = 0;
}

// ---- substeps -------------------------------------------------------------------------------------------------------

static Vec3 placeOf(const FluidSoft *surface, const FluidVertex *vertex)
{
    Vec3 turned = quatRotate(surface->rotation, vecSub(vertex->start, surface->centre));
    return vecAdd(vecAdd(surface->centre, surface->give), turned);
}

static void advance(FluidSoft *surface, Vec3 give, Vec3 turn)
{
    surface->give = vecAdd(surface->give, give);
    surface->rotation = quatTurned(surface->rotation, turn);
    surface->path += vecLength(give) + surface->radius * vecLength(turn);
}

void fluidSoftsBegin(FluidSofts *surfaces, double dt)
{
    double most = 0;
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        FluidSoft *surface = &surfaces->surface[i];
        CollisionMesh *mesh = surface->body->collisionMesh;
        surface->rate = vecAdd(surface->rate, vecScale(dt, surface->acceleration));
        advance(surface, vecScale(dt, surface->rate), vecScale(dt, surface->spin));
        surface->push = surface->twist = vec3(0, 0, 0);
        surface->wet = 0;
        most = maxReal(most, surface->path);
        surface->path = 0;
        for (int v = 0; v < surface->body->count; ++v)
            vecStore(surfaces->position + 3 * (ptrdiff_t)(surface->first + v),
                     placeOf(surface, &surfaces->vertex[surface->first + v]));
        collisionMeshRefit(mesh);
        const CollisionNode *root = &mesh->node[0];
        surface->box = (vvBox){ vecLoad(root->lower), vecLoad(root->upper) };
    }
    surfaces->moved += most;
    for (int i = 0; i < surfaces->fluid->count && surfaces->surfaceCount > 0; ++i)
        surfaces->touch[(ptrdiff_t)i * SOFT_TOUCHES].surface = -1;
}

// m: what a point of a triangle moves by in the substep
static Vec3 carryOf(const FluidSofts *surfaces, const FluidSoft *surface, const CollisionHit *hit)
{
    const int *corner = surface->body->collisionMesh->triangle + 3 * (ptrdiff_t)hit->triangle;
    Vec3 carry = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k)
    {
        int vertex = surface->first + corner[k];
        Vec3 now = vecLoad(surfaces->position + 3 * (ptrdiff_t)vertex);
        carry = vecAdd(carry, vecScale(hit->share[k], vecSub(now, surfaces->vertex[vertex].before)));
    }
    return carry;
}

// m, outside of a box; 0: within
static double boxDistance(const vvBox *box, Vec3 p)
{
    double x = maxReal(maxReal(box->lower.x - p.x, p.x - box->upper.x), 0);
    double y = maxReal(maxReal(box->lower.y - p.y, p.y - box->upper.y), 0);
    double z = maxReal(maxReal(box->lower.z - p.z, p.z - box->upper.z), 0);
    return sqrt(x * x + y * y + z * z);
}

// Where what a particle pushes this surface with is kept, of several passes in a substep together; NULL: no room.
static FluidContact *contactFor(FluidContact *first, int number)
{
    for (int k = 0; k < SOFT_TOUCHES; ++k)
    {
        if (first[k].surface == number)
            return &first[k];
        if (first[k].surface >= 0)
            continue;
        first[k] = (FluidContact){ .surface = -1 };
        if (k + 1 < SOFT_TOUCHES)
            first[k + 1].surface = -1;
        return &first[k];
    }
    return NULL;
}

// An impulse takes the way towards the surface in the substep, and no more: an overlap from before, taken as velocity,
// would give a particle a radius per substep, the more the shorter it is. The overlap is undone by at most a spacing in
// the whole step, or what lies behind the particle, a wall or its neighbours, throws it back at that speed.
// Returns how far outside of the surface the particle is at least, m; 0: that is not known.
static double pushParticle(FluidSofts *surfaces, int number, double friction, const FluidPush *push, int particle)
{
    const FluidSoft *surface = &surfaces->surface[number];
    Vec3 at = vecLoad(push->position + 3 * (ptrdiff_t)particle);
    if (!fluidBoxNear(&surface->box, at, push->radius))
        return boxDistance(&surface->box, at);
    CollisionQuery query = { .collisionMesh = surface->body->collisionMesh, .self = -1, .most = 1 };
    CollisionHit hit[PAIR_CONTACTS];
    if (collisionMeshNearest(&query, at, 2 * DEEPEST * push->radius, hit) == 0)
        return 0;
    bool inside = vecDot(hit->direction, hit->face) < 0;
    double distance = inside ? -hit->distance : hit->distance;
    if (!(distance < push->radius))
        return distance;
    ptrdiff_t place = (push->start - surfaces->fluid->start) / 3 + particle;
    FluidContact *to = contactFor(surfaces->touch + place * SOFT_TOUCHES, number);
    if (to == NULL)
        return 0;
    Vec3 normal = inside ? vecScale(-1, hit->direction) : hit->direction, carry = carryOf(surfaces, surface, hit);
    Vec3 way = vecSub(vecSub(at, vecLoad(push->start + 3 * (ptrdiff_t)particle)), carry);
    double overlap = push->radius - distance, met = minReal(overlap, maxReal(-vecDot(way, normal), 0));
    FluidTouch touch = { .depth = met / (1 + surface->ease),
                         .deep = minReal(overlap - met, 2 * push->radius * push->dt / surfaces->step),
                         .normal = normal,
                         .carry = carry,
                         .friction = friction < 0 ? maxReal(surface->body->contactDef.friction, 0) : friction };
    FluidPushed pushed = fluidPushOut(push, particle, &touch);
    to->surface = number;
    to->triangle = hit->triangle;
    to->impulse = vecAdd(to->impulse, pushed.impulse);
    memcpy(to->share, hit->share, sizeof to->share);
    return 0;
}

void fluidSoftsPush(FluidSofts *surfaces, const FluidColliders *rules, const FluidPush *push)
{
    FluidClear *clear = surfaces->clear + (push->start - surfaces->fluid->start) / 3;
    for (int i = 0; i < push->count && surfaces->surfaceCount > 0; ++i)
    {
        Vec3 at = vecLoad(push->position + 3 * (ptrdiff_t)i);
        if (vecLength(vecSub(at, clear[i].at)) + surfaces->moved + push->radius < clear[i].left)
            continue;
        double least = INFINITY;
        for (int number = 0; number < surfaces->surfaceCount; ++number)
            least = minReal(least, pushParticle(surfaces, number, rules->friction, push, i));
        clear[i] = (FluidClear){ .at = at, .left = least + surfaces->moved };
    }
}

static void gatherContact(FluidSofts *surfaces, const FluidContact *touch)
{
    FluidSoft *surface = &surfaces->surface[touch->surface];
    const int *corner = surface->body->collisionMesh->triangle + 3 * (ptrdiff_t)touch->triangle;
    Vec3 point = vec3(0, 0, 0), centre = vecAdd(surface->centre, surface->give);
    for (int k = 0; k < 3; ++k)
    {
        FluidVertex *to = &surfaces->vertex[surface->first + corner[k]];
        to->impulse = vecSub(to->impulse, vecScale(touch->share[k], touch->impulse));
        Vec3 at = vecLoad(surfaces->position + 3 * (ptrdiff_t)(surface->first + corner[k]));
        point = vecAdd(point, vecScale(touch->share[k], vecSub(at, centre)));
    }
    surface->wet += surfaces->fluid->scale.mass;
    surface->push = vecSub(surface->push, touch->impulse);
    surface->twist = vecSub(surface->twist, vecCross(point, touch->impulse));
}

// particles in their order: the same sums for any number of workers
static void gather(FluidSofts *surfaces)
{
    for (int i = 0; i < surfaces->fluid->count && surfaces->surfaceCount > 0; ++i)
    {
        const FluidContact *touch = &surfaces->touch[(ptrdiff_t)i * SOFT_TOUCHES];
        for (int k = 0; k < SOFT_TOUCHES && touch[k].surface >= 0; ++k)
            gatherContact(surfaces, &touch[k]);
    }
}

void fluidSoftsEnd(FluidSofts *surfaces, double dt)
{
    gather(surfaces);
    for (int i = 0; i < surfaces->surfaceCount; ++i)
    {
        FluidSoft *surface = &surfaces->surface[i];
        Vec3 rate = vecScale(surface->inverseMass, surface->push);
        Vec3 twist = quatRotateBack(surface->rotation, surface->twist);
        Vec3 spin = quatRotate(surface->rotation, matApply(&surface->inverseInertia, twist));
        surface->wetTime += dt * surface->wet;
        if (surface->wet > 0)
            surface->body->pressBooks = surfaces->books;
        surface->rate = vecAdd(surface->rate, rate);
        surface->spin = vecAdd(surface->spin, spin);
        advance(surface, vecScale(dt, rate), vecScale(dt, spin));
        for (int v = 0; v < surface->body->count; ++v)
        {
            FluidVertex *vertex = &surfaces->vertex[surface->first + v];
            vertex->before = placeOf(surface, vertex);
        }
    }
}
