// Stand-ins of rigid bodies (proxy.c) in a step: they start where their bodies are, feel what those would feel, give
// them what attachments changed of their momenta, and at its end lead those that nothing else moves.
#include "base/quaternion.h"
#include "world/proxy.h"

#define HELD_PART 0.1   // of what pulls a body that other things hold, times its share of both masses: that acts at
#define DRIVEN_PART 0.2 //   once, the rest later; and of what pulls one that a motor drives, which is fast and strong

static Vec3 momentumAt(const ProxyForm *form, vvQuat rotation, Vec3 spin)
{
    Vec3 i = form->inertia, local = quatRotateBack(rotation, spin);
    return quatRotate(rotation, vec3(i.x * local.x, i.y * local.y, i.z * local.z));
}

static Vec3 turnedBy(const ProxyForm *form, vvQuat rotation, Vec3 momentum) // rad/s of an angular momentum
{
    Vec3 i = form->inertia, local = quatRotateBack(rotation, momentum);
    return quatRotate(rotation, vec3(local.x / i.x, local.y / i.y, local.z / i.z));
}

// linear momentum, and angular momentum about a point
typedef struct Momenta
{
    Vec3 linear, angular, centre;
} Momenta;

static Momenta momentaOf(const double *mass, const double *x, const double *v, Vec3 about)
{
    Momenta sum = { vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0) };
    for (int k = 0; k < 4; ++k)
    {
        Vec3 p = vecLoad(x + 3 * (ptrdiff_t)k), momentum = vecScale(mass[k], vecLoad(v + 3 * (ptrdiff_t)k));
        sum.linear = vecAdd(sum.linear, momentum);
        sum.angular = vecAdd(sum.angular, vecCross(vecSub(p, about), momentum));
        sum.centre = vecAdd(sum.centre, vecScale(0.25, p));
    }
    return sum;
}

Mat3 proxyDeformed(const Body *body, Vec3 half, const double *x, Vec3 centre)
{
    const double inverse[3] = { 0.25 / half.x, 0.25 / half.y, 0.25 / half.z };
    Mat3 f = { { { 0 } } };
    for (int k = 0; k < 4; ++k)
    {
        double p[3];
        vecStore(p, vecSub(vecLoad(x + 3 * (ptrdiff_t)body->mesh->vertexFromCaller[k]), centre));
        for (int i = 0; i < 9; ++i)
            f.m[i / 3][i % 3] += p[i / 3] * proxyCorner[k][i % 3] * inverse[i % 3];
    }
    return f;
}

static Mat3 turnOf(const Body *body, Vec3 half, const double *x, Vec3 centre) // how the four are turned
{
    Mat3 f = proxyDeformed(body, half, x, centre);
    return nearestRotation(&f);
}

// rad, the small rotation from one to the other
static Vec3 between(vvQuat from, vvQuat to)
{
    vvQuat q = quatMultiply(to, quatConjugate(from));
    return vecScale(q.w < 0 ? -2 : 2, vec3(q.x, q.y, q.z));
}

// The part of a rotation that the joint of a form lets it have.
static Vec3 along(const Rigid *rigid, Vec3 turn)
{
    Vec3 axis = quatRotate(rigid->body.rotation, rigid->form.axis);
    return rigid->form.hinged ? vecScale(vecDot(axis, turn), axis) : turn;
}

// The part of a way or an impulse that a slider lets it have.
static Vec3 sliding(const Rigid *rigid, Vec3 way)
{
    Vec3 slide = quatRotate(rigid->body.rotation, rigid->form.slide);
    return vecScale(rigid->form.slides ? vecDot(slide, way) : 0, slide);
}

// What a push along a slider is to the far hinge, as a moment.
static Vec3 farMoment(const Rigid *rigid, Vec3 push)
{
    Vec3 slide = quatRotate(rigid->body.rotation, rigid->form.slide);
    Vec3 axis = quatRotate(rigid->body.rotation, rigid->form.axis);
    return vecScale(vecLength(rigid->form.arm) * vecDot(slide, push), axis);
}

// Angular momentum about a joint. A step ends with half a substep of gravity that no joint has answered yet: it is in
// the velocity, not in the spin.
static Vec3 aboutJoint(Vec3 own, Vec3 arm, Vec3 velocity, double mass)
{
    return vecAdd(own, vecScale(mass, vecCross(arm, velocity)));
}

// The velocity and the angular momentum that a stand-in starts with. Where other things hold the body they may be
// sudden (motors, impacts), and those of a step's end have half a substep of what pulls the body and no joint's answer
// to it: then those of the way that is foreseen. So does the place of a joint.
static void startOf(const Rigid *rigid, double dt, Vec3 *velocity, Vec3 *momentum)
{
    const RigidBody *b = &rigid->body;
    const ProxyForm *form = &rigid->form;
    ProxyStand now = proxyStand(rigid), then = proxyStandAt(form, rigid->foreseenPosition, rigid->foreseenRotation);
    *velocity = vecScale(1 / dt, vecSub(then.position, now.position));
    Vec3 way = vecSub(rigid->foreseenPosition, b->position);
    if (form->slides) // what turns the body turns no hinge that far
        *velocity = vecScale(1 / dt, rigid->proxyTimes != 1 ? way : vecSub(way, sliding(rigid, way)));
    if (form->slides && rigid->proxyTimes == 1)
        *momentum = farMoment(rigid, vecScale(b->mass, b->velocity));
    else if (rigid->proxyTimes != 1)
        *momentum = momentumAt(form, now.rotation, vecScale(1 / dt, between(b->rotation, rigid->foreseenRotation)));
    else if (form->joint > 0)
        *momentum =
            along(rigid, aboutJoint(b->angularMomentum, vecSub(b->position, now.position), b->velocity, b->mass));
    else
    {
        *velocity = b->velocity;
        *momentum = b->angularMomentum;
    }
}

// N s and N m s about its centre: what a rigid body gets in the step from all but its attachments, as foreseen with
// those of the last step; where other things hold it, none: it goes evenly
static void foreseenOf(const Rigid *rigid, double dt, Vec3 *impulse, Vec3 *turn)
{
    const RigidBody *b = &rigid->body;
    const ProxyForm *form = &rigid->form;
    *impulse = *turn = vec3(0, 0, 0);
    if (rigid->proxyTimes != 1)
        return;
    if (rigid->linked) // the springs of its joints are in the island
    {
        Vec3 weight = vecScale(b->mass, rigid->proxy->world->gravity);
        *impulse = vecScale(dt, vecAdd(vecAdd(b->force, rigid->body.flow), weight));
        *turn = vecScale(dt, vecAdd(b->torque, rigid->body.flowTorque));
        return;
    }
    Vec3 velocity, momentum;
    startOf(rigid, dt, &velocity, &momentum);
    if (form->slides)
    {
        Vec3 gained = vecScale(b->mass, vecSub(rigid->foreseenVelocity, b->velocity));
        *turn = farMoment(rigid, vecSub(gained, vecScale(dt, rigid->pull)));
        return;
    }
    if (form->joint > 0)
    {
        ProxyStand now = proxyStand(rigid), then = proxyStandAt(form, rigid->foreseenPosition, rigid->foreseenRotation);
        Vec3 torque = vecSub(rigid->pullTorque, vecCross(vecSub(now.position, b->position), rigid->pull));
        Vec3 arm = vecSub(rigid->foreseenPosition, then.position);
        Vec3 after = aboutJoint(rigid->foreseenMomentum, arm, rigid->foreseenVelocity, b->mass);
        *turn = along(rigid, vecSub(vecSub(after, momentum), vecScale(dt, torque)));
        return;
    }
    Vec3 way = vecSub(rigid->foreseenPosition, b->position);
    // its mean in time, of a body that is pushed evenly
    way = vecAdd(vecScale(dt / 6, b->velocity), vecScale(1.0 / 3, way));
    Vec3 torque = vecSub(rigid->pullTorque, vecCross(way, rigid->pull));
    *impulse = vecSub(vecScale(b->mass, vecSub(rigid->foreseenVelocity, velocity)), vecScale(dt, rigid->pull));
    *turn = vecSub(vecSub(rigid->foreseenMomentum, momentum), vecScale(dt, torque));
}

// that, gravity aside, spread over the four
static void loadForces(Body *body, const Rigid *rigid, double dt)
{
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    const ProxyForm *form = &rigid->form;
    ProxyStand stand = proxyStand(rigid);
    Vec3 impulse, turn;
    foreseenOf(rigid, dt, &impulse, &turn);
    double share = 1 / (dt * rigid->proxyTimes);
    Vec3 gain = vecSub(vecScale(share / form->mass, impulse), body->world->gravity);
    Vec3 turning = vecScale(share, turnedBy(form, stand.rotation, turn));
    for (int v = 0; v < 4; ++v)
    {
        Vec3 arm = vecSub(vecLoad(x + 3 * (ptrdiff_t)v), stand.position);
        double force[3];
        vecStore(force, vecScale(0.25 * rigid->proxyTimes * form->mass, vecAdd(gain, vecCross(turning, arm))));
        for (int a = 0; a < 3; ++a)
            energySetParam(body->force, v, 1 + a, force[a]);
    }
}

// Moves the four as a whole to where the rigid body is, with its momenta. How they are deformed and vibrate stays: what
// springs feel of it goes on from step to step, and no energy is made of it.
static void carry(const Body *body, const Rigid *rigid, double dt, State *s)
{
    const ProxyForm *form = &rigid->form;
    ProxyStand stand = proxyStand(rigid);
    double times = rigid->proxyTimes;
    Vec3 velocity, momentum;
    startOf(rigid, dt, &velocity, &momentum);
    Momenta own = momentaOf(s->mass, s->start, s->startVelocity, stand.position);
    Vec3 mean = vecScale(1 / (form->mass * times), own.linear);
    own = momentaOf(s->mass, s->start, s->startVelocity, own.centre);
    Mat3 was = turnOf(body, proxyHalf(rigid), s->start, own.centre), now = quatMatrix(stand.rotation);
    Mat3 by = matMultiplyTransposed(&now, &was);
    Vec3 lacks = vecSub(momentum, vecScale(1 / times, matApply(&by, own.angular)));
    Vec3 turning = turnedBy(form, stand.rotation, lacks);
    if (rigid->body.stands && rigid->pressed) // what contact strained of it
    {
        proxyStraighten(rigid);
        return;
    }
    for (int v = 0; v < 4; ++v)
    {
        double *x = s->start + 3 * (ptrdiff_t)v, *rate = s->startVelocity + 3 * (ptrdiff_t)v;
        Vec3 arm = matApply(&by, vecSub(vecLoad(x), own.centre));
        Vec3 beside = matApply(&by, vecSub(vecLoad(rate), mean));
        vecStore(x, vecAdd(stand.position, arm));
        vecStore(rate, vecAdd(velocity, vecAdd(beside, vecCross(turning, arm))));
        vecStore(s->pinTarget + 3 * (ptrdiff_t)v, vecLoad(x));
    }
}

// of a body that nothing moves: where it is, and where it goes
static void place(const Body *body, const Rigid *rigid, State *s)
{
    Vec3 half = proxyHalf(rigid);
    for (int k = 0; k < 4; ++k)
    {
        ptrdiff_t at = 3 * (ptrdiff_t)body->mesh->vertexFromCaller[k];
        Vec3 local = proxyPlace(half, k);
        vecStore(s->start + at, vecAdd(rigid->body.position, quatRotate(rigid->body.rotation, local)));
        vecStore(s->pinTarget + at, vecAdd(rigid->foreseenPosition, quatRotate(rigid->foreseenRotation, local)));
    }
}

static void loadBody(Body *body, const Rigid *rigid, double dt)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    double before = bodyTotal(body);
    if (rigid->body.inverseMass > 0)
    {
        carry(body, rigid, dt, &s);
        loadForces(body, rigid, dt);
    }
    else
        place(body, rigid, &s);
    double calm = body->calm; // what only follows its rigid body is not woken by that
    bodyBookJump(body, before);
    body->calm = calm;
}

void proxiesLoad(World *world, double dt)
{
    for (int i = 0; i < world->rigids.slotCount && world->proxyCount > 0; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        if (rigid->used && rigid->proxy != NULL && !rigid->proxy->asleep)
            loadBody(rigid->proxy, rigid, dt);
    }
}

// what part of a pull acts at once where other things hold a body
static double partOf(const World *world, const Rigid *rigid)
{
    int slot = (int)(rigid - world->rigids.item);
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (joint->used && !joint->broken && joint->def.motor != VV_MOTOR_NONE &&
            (joint->bodyA == slot || joint->bodyB == slot))
            return DRIVEN_PART;
    }
    double mass = rigid->body.mass;
    return HELD_PART * mass / (mass + proxyAttachedMass(world, rigid));
}

static void react(const Body *body, Rigid *rigid, double dt)
{
    const World *world = body->world;
    State s = stateSlice(&world->state, body->first, body->count);
    RigidBody *b = &rigid->body;
    Momenta begins = momentaOf(s.mass, s.start, s.startVelocity, b->reactionPoint);
    Momenta after = momentaOf(s.mass, s.position, s.velocity, b->reactionPoint);
    Vec3 own, ownTurn;
    foreseenOf(rigid, dt, &own, &ownTurn);
    Vec3 middle = vecSub(vecScale(0.5, vecAdd(begins.centre, after.centre)), b->reactionPoint);
    ownTurn = vecAdd(ownTurn, vecCross(middle, own));
    Vec3 impulse = vecSub(vecSub(after.linear, begins.linear), own);
    Vec3 turn = vecSub(vecSub(after.angular, begins.angular), ownTurn);
    bool free = rigid->proxyTimes == 1, anchored = free && rigid->form.joint > 0;
    double part = free && !anchored ? 1 : partOf(world, rigid);
    if (anchored && rigid->form.slides)
    {
        Vec3 at = sliding(rigid, impulse), was = sliding(rigid, rigid->pull);
        Vec3 rest = vecAdd(vecScale(1 - part, vecSub(rigid->pull, was)), vecScale(part / dt, vecSub(impulse, at)));
        rigid->pull = vecAdd(rest, vecScale(1 / dt, at));
        rigid->pullTorque = vecAdd(vecScale(1 - part, rigid->pullTorque), vecScale(part / dt, turn));
        b->reaction = vecAdd(b->reaction, rigid->pull);
        b->reactionTorque = vecAdd(b->reactionTorque, rigid->pullTorque);
        return;
    }
    Vec3 arm = anchored ? vecSub(proxyStand(rigid).position, b->reactionPoint) : vec3(0, 0, 0);
    // about the joint, where what it takes has no moment
    turn = vecSub(turn, vecCross(arm, impulse));
    Vec3 before = vecSub(rigid->pullTorque, vecCross(arm, rigid->pull));
    Vec3 at = anchored ? along(rigid, turn) : vec3(0, 0, 0), was = anchored ? along(rigid, before) : vec3(0, 0, 0);
    rigid->pull = vecAdd(vecScale(1 - part, rigid->pull), vecScale(part / dt, impulse));
    turn = vecAdd(vecScale(1 - part, vecSub(before, was)), vecScale(part / dt, vecSub(turn, at)));
    rigid->pullTorque = vecAdd(vecAdd(turn, vecScale(1 / dt, at)), vecCross(arm, rigid->pull));
    b->reaction = vecAdd(b->reaction, rigid->pull);
    b->reactionTorque = vecAdd(b->reactionTorque, rigid->pullTorque);
}

void proxiesReact(World *world, double dt)
{
    for (int i = 0; i < world->rigids.slotCount && world->proxyCount > 0; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        if (!rigid->used || rigid->proxy == NULL || !(rigid->body.inverseMass > 0))
            continue;
        if (!rigid->proxy->asleep)
            react(rigid->proxy, rigid, dt);
        else // what it fell asleep with
        {
            rigid->body.reaction = vecAdd(rigid->body.reaction, rigid->pull);
            rigid->body.reactionTorque = vecAdd(rigid->body.reactionTorque, rigid->pullTorque);
        }
    }
}

// J: what attachments did on a body in its step. It came from its island, where it was not booked.
static double pullWork(const Rigid *rigid)
{
    const RigidBody *b = &rigid->body, *was = &rigid->marked;
    Vec3 way = vecSub(b->position, was->position), turn = between(was->rotation, b->rotation);
    Vec3 torque = vecSub(rigid->pullTorque, vecScale(0.5, vecCross(way, rigid->pull)));
    return vecDot(rigid->pull, way) + vecDot(torque, turn);
}

// Where the joint lets it turn it stands as its stand-in does, with the spin that it has.
static void turnAtJoint(Rigid *rigid, vvQuat turned)
{
    RigidBody *b = &rigid->body;
    ProxyStand now = proxyStand(rigid);
    Vec3 turn = along(rigid, between(now.rotation, turned)), spin = b->spin;
    Vec3 arm = quatRotate(b->rotation, rigid->form.arm);
    b->rotation = quatTurned(b->rotation, turn);
    b->position = vecAdd(b->position, vecSub(arm, quatRotate(b->rotation, rigid->form.arm)));
    Vec3 i = b->inertia, local = quatRotateBack(b->rotation, spin);
    b->angularMomentum = quatRotate(b->rotation, vec3(i.x * local.x, i.y * local.y, i.z * local.z));
}

// and on a slider it is as far along
static void moveAlong(Rigid *rigid, const State *s)
{
    Endpoint centre = proxyEndpoint(rigid->proxy, vec3(0, 0, 0));
    Vec3 at = vec3(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        at = vecAdd(at, vecScale(centre.share[k], vecLoad(s->start + 3 * (ptrdiff_t)centre.vertex[k])));
    rigid->body.position = vecAdd(rigid->body.position, sliding(rigid, vecSub(at, rigid->body.position)));
}

bool proxyLeads(const Rigid *rigid)
{
    return rigid->linked && rigid->proxy != NULL && rigid->proxyTimes == 1 && !proxyMeetsRigid(rigid) &&
           !rigid->proxy->asleep;
}

// A body of a machine is where its stand-in is, with its momenta: its own step knows what pulls it as a mean alone. The
// impulses of soft bodies that touch it come on top, which its island has for a body of its own.
static void takeState(Rigid *rigid, const State *s, Vec3 centre, vvQuat turned, double dt)
{
    RigidBody *b = &rigid->body;
    const RigidBody *was = &rigid->marked;
    Momenta own = momentaOf(s->mass, s->start, s->startVelocity, centre);
    Vec3 way = vecSub(centre, was->position), turn = between(was->rotation, turned);
    Vec3 touch = vecScale(dt, vecSub(b->reaction, vecAdd(rigid->pull, rigid->body.flow)));
    Vec3 twist = vecScale(dt, vecSub(b->reactionTorque, vecAdd(rigid->pullTorque, rigid->body.flowTorque)));
    b->position = centre;
    b->rotation = turned;
    b->velocity = vecScale(b->inverseMass, own.linear);
    b->angularMomentum = own.angular;
    rigidRefresh(b);
    double before = rigidKinetic(b);
    b->velocity = vecAdd(b->velocity, vecScale(b->inverseMass, touch));
    b->angularMomentum = vecAdd(b->angularMomentum, vecSub(twist, vecCross(vecSub(centre, b->reactionPoint), touch)));
    rigidRefresh(b);
    b->flowWork = vecDot(b->flow, way) + vecDot(b->flowTorque, turn);
    rigid->account.added +=
        vecDot(was->force, way) + vecDot(was->torque, turn) + b->flowWork + rigidKinetic(b) - before;
}

void proxiesSettle(World *world, double dt)
{
    for (int i = 0; i < world->rigids.slotCount && world->proxyCount > 0; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        RigidBody *b = &rigid->body;
        if (!rigid->used || rigid->proxy == NULL || !(b->inverseMass > 0))
            continue;
        bool leads = proxyLeads(rigid);
        rigid->account.added -= leads ? 0 : pullWork(rigid);
        if (rigid->proxyTimes != 1 || rigid->proxy->asleep)
            continue;
        State s = stateSlice(&world->state, rigid->proxy->first, 4);
        Vec3 centre = momentaOf(s.mass, s.start, s.startVelocity, b->position).centre;
        Mat3 turned = turnOf(rigid->proxy, proxyHalf(rigid), s.start, centre);
        if (rigid->form.slides)
            moveAlong(rigid, &s);
        else if (rigid->form.joint > 0)
            turnAtJoint(rigid, quatOfMatrix(&turned));
        else if (leads)
            takeState(rigid, &s, centre, quatOfMatrix(&turned), dt);
        else
        {
            Vec3 momentum = vecScale(b->mass, b->velocity);
            b->angularMomentum = vecAdd(b->angularMomentum, vecCross(vecSub(b->position, centre), momentum));
            b->position = centre;
            b->rotation = quatOfMatrix(&turned);
        }
        rigidRefresh(b);
    }
    machinesSettle(world, dt);
}
