// Stand-ins of rigid bodies in islands, for attachments of soft bodies to them.
//
// A stand-in is a soft body of one stiff tet that no caller sees: its four equal masses stand where they have the mass,
// the centre and the inertia of the rigid body, so that a point fixed to the rigid body is a mean of the four, inside
// or outside of them. An attachment to that point is a spring between two bodies like any other, under every method. A
// stand-in starts each step where the rigid body is, with its momenta, and feels what that would feel without soft
// bodies (rigidsForesee); what its momenta change by beyond that is the reaction that the rigid body is given for its
// own step. Of kinematic bodies the four are pinned, and go where the body goes.
//
// What a joint lets a body do has to answer within the step: a stand-in that goes its way whatever pulls it, and a body
// that is pulled later, drive each other. Four masses may do that for hinges and ball joints to the world: with a great
// mass at the joint, and the body's inertia about it; and for sliders, which are hinges far away. Bodies that anything
// else holds go their way.
#include "world/proxy.h"
#include "base/quaternion.h"

#include <string.h>

#define STIFF 50.0     // radians by which the slowest deformation of a stand-in turns in a step; it is then hardly any
#define STIFFER 1500.0 // the same where it meets colliders: a blow on a corner must not make it vibrate
#define EXPLICIT 0.5   // the same where it limits the step
#define RESOLVED 2.0   // of mass / dt^2: stiffness of a joint that counts as a spring

static vvMesh *makeMesh(Vec3 half, vvResult *result)
{
    double points[12];
    const int tet[4] = { 0, 1, 2, 3 };
    for (int k = 0; k < 4; ++k)
        vecStore(points + 3 * k, proxyPlace(half, k));
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 4;
    def.tets = tet;
    def.tetCount = 1;
    return vvCreateMesh(&def, result);
}

// 1/s: how fast the slowest deformation vibrates, for steps of about this length
static double rateFor(const World *world, double dt, bool meets)
{
    bool limited = vvMethod_GetLimit(world->method.integrator->name) < INFINITY;
    return (limited ? EXPLICIT : meets ? STIFFER : STIFF) / exp2(floor(log2(dt) + 0.5));
}

static vvSoftBodyDef defineStandIn(Vec3 position, Vec3 half, const double *masses, double rate)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    double most = maxReal(half.x, maxReal(half.y, half.z)), volume = 8.0 / 3 * half.x * half.y * half.z;
    def.name = "rigid";
    def.vertexMass = masses;
    def.material.young = 4 * masses[0] * rate * rate * most * most / volume;
    def.material.poisson = 0;
    def.material.loss = 0;
    def.category = def.mask = 0;
    def.position = position;
    return def;
}

void proxyStraighten(const Rigid *rigid)
{
    const Body *body = rigid->proxy;
    State s = stateSlice(&body->world->state, body->first, 4);
    Vec3 half = proxyHalf(rigid);
    ProxyStand stand = proxyStand(rigid);
    for (int k = 0; k < 4; ++k)
    {
        ptrdiff_t at = 3 * (ptrdiff_t)body->mesh->vertexFromCaller[k];
        Vec3 place = vecAdd(stand.position, quatRotate(stand.rotation, proxyPlace(half, k)));
        vecStore(s.start + at, place);
        vecStore(s.startVelocity + at, rigidPointVelocity(&rigid->body, place));
    }
}

Body *proxyAcquire(World *world, int slot, vvResult *result)
{
    Rigid *rigid = &world->rigids.item[slot];
    if (rigid->proxy != NULL)
        return rigid->proxy;
    rigid->form = proxyForm(world, slot);
    double mass = rigid->body.inverseMass > 0 ? rigid->form.mass / 4 : 1, masses[4] = { mass, mass, mass, mass };
    Vec3 half = proxyHalf(rigid);
    ProxyStand stand = proxyStand(rigid);
    vvMesh *mesh = makeMesh(half, result);
    if (mesh == NULL)
        return NULL;
    double rate = rateFor(world, world->timestep, false);
    vvSoftBodyDef def = defineStandIn(stand.position, half, masses, rate);
    def.mesh = mesh;
    Body *body = bodyFind(vvCreateSoftBody(worldId(world), &def, result));
    vvDestroyMesh(mesh);
    if (body == NULL)
        return NULL;
    world->bodiesMade -= 1; // names of others do not count it
    world->proxyCount += 1;
    body->proxyOf = slot + 1;
    body->step.waves = 0; // substeps need not resolve them
    body->step.standsForRigid = true;
    if (rigid->form.slides)
        body->member.size = rigid->body.radius; // tolerances are shares of that
    rigid->proxy = body;
    rigid->proxyRate = rate;
    rigid->proxyTimes = 1;
    rigid->pull = rigid->pullTorque = vec3(0, 0, 0);
    proxyStraighten(rigid);
    State s = stateSlice(&world->state, body->first, 4);
    memcpy(s.previous, s.start, 12 * sizeof(double));
    body->account.opening = bodyTotal(body);
    const int all[4] = { 0, 1, 2, 3 };
    if (!(rigid->body.inverseMass > 0))
        vvSoftBody_Pin(bodyId(body), all, 4);
    return body;
}

// a joint whose springs vibrate slowly enough for steps of dt, and that drives nothing
static bool isSpring(const vvJointDef *def, const RigidBody *b, double dt)
{
    bool turns = def->kind == VV_JOINT_BALL || def->kind == VV_JOINT_DISTANCE || def->kind == VV_JOINT_PULLEY;
    double least = minReal(b->inertia.x, minReal(b->inertia.y, b->inertia.z));
    return def->motor == VV_MOTOR_NONE && dt * dt <= RESOLVED * b->mass * def->compliance &&
           (turns || dt * dt <= RESOLVED * least * def->angularCompliance);
}

// nothing rigid touches it, and joints hold it by springs at most
static bool isFree(const World *world, int slot, double dt)
{
    const RigidBody *b = &world->rigids.item[slot].body;
    int joint = world->rigids.item[slot].form.joint;
    if (world->rigids.item[slot].linked)
        return !proxyMeetsRigid(&world->rigids.item[slot]);
    bool free = b->memoryCount == 0 && (joint == 0 || joint == proxyAnchor(world, slot));
    for (int i = 0; i < world->joints.slotCount && free; ++i)
    {
        const WorldJoint *other = &world->joints.item[i];
        bool holds = other->used && !other->broken && (other->bodyA == slot || other->bodyB == slot);
        free = !holds || i + 1 == joint || isSpring(&other->def, b, dt);
    }
    return free;
}

double proxyAttachedMass(const World *world, const Rigid *rigid)
{
    double most = 0;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (a->used && a->body[1] == rigid->proxy)
            most = maxReal(most, a->body[0]->mass);
    }
    return most;
}

// how many times as heavy a stand-in is that others hold
static double heldTimes(const World *world, const Rigid *rigid)
{
    return PROXY_HELD * maxReal(1, proxyAttachedMass(world, rigid) / rigid->body.mass);
}

void proxyTune(Rigid *rigid, double rate, double times)
{
    Body *body = rigid->proxy;
    Energy *elastic = body->elastic;
    State s = stateSlice(&body->world->state, body->first, 4);
    double ratio = rate / rigid->proxyRate, heavier = times / rigid->proxyTimes;
    energySetParam(elastic, 0, 0, heavier * ratio * ratio * energyGetParam(elastic, 0, 0));
    for (int v = 0; v < 4; ++v)
    {
        s.mass[v] = 0.25 * times * rigid->form.mass;
        body->callerMass[v] = s.mass[v];
        energySetParam(body->gravity, v, 0, s.mass[v]);
    }
    body->mass = times * rigid->form.mass;
    body->member.pinVersion += 1; // factors are made anew
    rigid->proxyRate = rate;
    rigid->proxyTimes = times;
}

void proxiesTune(World *world, double dt)
{
    machinesTune(world, dt);
    for (int i = 0; i < world->rigids.slotCount && world->proxyCount > 0; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        bool moves = rigid->used && rigid->proxy != NULL && rigid->body.inverseMass > 0;
        double rate = moves ? rateFor(world, dt, proxyMeetsColliders(world, i, dt)) : 0, times = 1;
        if (moves && !isFree(world, i, dt))
            times = heldTimes(world, rigid);
        if (!moves || (rate == rigid->proxyRate && times == rigid->proxyTimes))
            continue;
        double before = bodyTotal(rigid->proxy);
        if (rate > rigid->proxyRate) // its strain would be that many times as stiff
            proxyStraighten(rigid);
        proxyTune(rigid, rate, times);
        bodyBookJump(rigid->proxy, before);
    }
}

void proxyRefit(World *world, int slot)
{
    Rigid *rigid = slot >= 0 ? &world->rigids.item[slot] : NULL;
    if (rigid == NULL || rigid->proxy == NULL || proxyAnchor(world, slot) == rigid->form.joint)
        return;
    Body *old = rigid->proxy;
    Rigid before = *rigid;
    vvResult result = resultOk();
    rigid->proxy = NULL;
    Body *fresh = proxyAcquire(world, slot, &result);
    if (fresh == NULL) // without memory the old one goes on, held
    {
        *rigid = before;
        return;
    }
    rigid->pull = before.pull;
    rigid->pullTorque = before.pullTorque;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (!attachment->used || attachment->body[1] != old)
            continue;
        attachment->body[1] = fresh;
        attachment->end[1] = proxyPoint(fresh, attachment->point);
        pastForget(attachment->body[0]);
    }
    world->proxyCount -= 1;
    bodyDestroy(old);
    world->systemsStale = true;
    islandsRefresh(world);
}

void proxyRelease(Body *body)
{
    World *world = body->world;
    world->rigids.item[body->proxyOf - 1].proxy = NULL;
    world->proxyCount -= 1;
    bodyDestroy(body);
}

// with `whole` 1 a point; with 0 a direction, from one point of the body to another
static Endpoint pointAt(const Body *body, Vec3 half, Vec3 p, double whole)
{
    Endpoint point = { .count = 4 };
    int largest = 0;
    for (int k = 0; k < 4; ++k)
    {
        point.vertex[k] = body->mesh->vertexFromCaller[k];
        point.share[k] = 0.25 * (whole + proxyCorner[k][0] * p.x / half.x + proxyCorner[k][1] * p.y / half.y +
                                 proxyCorner[k][2] * p.z / half.z);
        largest = fabs(point.share[k]) > fabs(point.share[largest]) ? k : largest;
    }
    int vertex = point.vertex[0];
    double share = point.share[0];
    point.vertex[0] = point.vertex[largest];
    point.share[0] = point.share[largest];
    point.vertex[largest] = vertex;
    point.share[largest] = share;
    return point;
}

Endpoint proxyEndpoint(const Body *body, Vec3 p)
{
    const Rigid *rigid = &body->world->rigids.item[body->proxyOf - 1];
    return pointAt(body, proxyHalf(rigid), quatRotateBack(rigid->form.turn, vecSub(p, rigid->form.arm)), 1);
}

Endpoint proxyDirection(const Body *body, Vec3 d)
{
    const Rigid *rigid = &body->world->rigids.item[body->proxyOf - 1];
    return pointAt(body, proxyHalf(rigid), quatRotateBack(rigid->form.turn, d), 0);
}

Endpoint groundAt(const Body *body, Vec3 centre, double size, Vec3 point)
{
    return pointAt(body, vec3(size, size, size), vecSub(point, centre), 1);
}

Endpoint groundDirection(const Body *body, double size, Vec3 d)
{
    return pointAt(body, vec3(size, size, size), d, 0);
}

Body *proxyGround(World *world, int slot, Vec3 centre, double size, vvResult *result)
{
    const double masses[4] = { 1, 1, 1, 1 };
    const int all[4] = { 0, 1, 2, 3 };
    Vec3 half = vec3(size, size, size);
    vvMesh *mesh = makeMesh(half, result);
    if (mesh == NULL)
        return NULL;
    vvSoftBodyDef def = defineStandIn(centre, half, masses, rateFor(world, world->timestep, false));
    def.mesh = mesh;
    Body *body = bodyFind(vvCreateSoftBody(worldId(world), &def, result));
    vvDestroyMesh(mesh);
    if (body == NULL)
        return NULL;
    world->bodiesMade -= 1;
    world->proxyCount += 1;
    body->proxyOf = slot + 1;
    body->step.waves = 0;
    vvSoftBody_Pin(bodyId(body), all, 4);
    return body;
}

Endpoint proxyPoint(const Body *body, Vec3 local)
{
    const RigidBody *b = &body->world->rigids.item[body->proxyOf - 1].body;
    return proxyEndpoint(body, vecAdd(b->origin, quatRotate(b->frame, local)));
}
