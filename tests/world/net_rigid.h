// Worlds of the net with rigid bodies: soft bodies of net.h with boxes, balls and capsules that fly at them, lie on
// them and under them. One alone has a hundredth to a hundred times their mass, several a tenth to ten times, in three
// of ten worlds on joints to each other. In one of eight of the others the first is bonded to a soft body.
#ifndef TESTS_WORLD_NET_RIGID_H
#define TESTS_WORLD_NET_RIGID_H

#include "world/net.h"

static inline vvShape *netShape(Net *net, double size)
{
    vvShapeDef def = vvDefaultShapeDef();
    int kind = netPick(net, 3);
    def.kind = kind == 0 ? VV_SHAPE_BOX : kind == 1 ? VV_SHAPE_SPHERE : VV_SHAPE_CAPSULE;
    def.size = (vvVec3){ size, size * netBetween(net, 0.4, 1), size * netBetween(net, 0.4, 1) };
    def.radius = kind == 1 ? 0.5 * size : 0.25 * size;
    if (kind == 2)
        def.size.y = 0.5 * size;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    CHECK_OK(result);
    return shape;
}

static inline double netMassOf(const Net *net)
{
    double mass = 0;
    for (int b = 0; b < net->count; ++b)
        mass += vvSoftBody_GetMass(net->body[b]);
    return net->count > 0 ? mass / net->count : 0;
}

static inline vvRigidBodyId netRigid(Net *net, vvVec3 place, double size, double speed)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = netShape(net, size);
    def.position = place;
    def.mass = net->count > 0 ? netMassOf(net) * pow(netOctaves(net, 0.1, 10), net->lone ? 2 : 1)
                              : 1000 * pow(size, 3) * netOctaves(net, 0.1, 3);
    def.friction = netPick(net, 2) * netBetween(net, 0, 1);
    def.restitution = 0; // several contacts of rigid bodies that rebound may gain by themselves (notes on rigid bodies)
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(net->world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    vvVec3 spin = { netBetween(net, -1, 1), netBetween(net, -1, 1), netBetween(net, -1, 1) };
    CHECK_OK(vvRigidBody_SetVelocity(body, (vvVec3){ 0, -speed, 0 }));
    CHECK_OK(
        vvRigidBody_SetSpin(body, (vvVec3){ speed * spin.x / size, speed * spin.y / size, speed * spin.z / size }));
    return body;
}

static inline void netJoin(Net *net, vvRigidBodyId a, vvRigidBodyId b)
{
    static const vvJointKind kinds[] = { VV_JOINT_FIXED, VV_JOINT_BALL, VV_JOINT_HINGE, VV_JOINT_DISTANCE };
    vvVec3 x = vvRigidBody_GetPose(a).position, y = vvRigidBody_GetPose(b).position;
    vvJointDef def = vvDefaultJointDef();
    def.kind = kinds[netPick(net, 4)];
    def.bodyA = a;
    def.bodyB = b;
    vvVec3 middle = { 0.5 * (x.x + y.x), 0.5 * (x.y + y.y), 0.5 * (x.z + y.z) };
    vvJointDef_Place(&def, middle, (vvVec3){ 0, 0, 1 });
    if (def.kind == VV_JOINT_DISTANCE)
    {
        def.frameA.position = def.frameB.position = (vvVec3){ 0, 0, 0 };
        def.lower = def.upper = hypot(hypot(x.x - y.x, x.y - y.y), x.z - y.z);
    }
    vvResult result;
    vvCreateJoint(net->world, &def, &result);
    CHECK_OK(result);
}

// the first rigid body to the first soft one, by what is nearest
static inline void netBond(Net *net)
{
    vvBondDef def = vvDefaultBondDef();
    def.bodyA = net->body[0];
    def.rigidB = net->rigid[0];
    vvResult result = { .code = VV_BAD_INPUT };
    for (def.distance = 0.02; def.distance < 20 && result.code != VV_OK; def.distance *= 1.5)
        vvCreateBonds(net->world, &def, NULL, 0, &result);
    CHECK_OK(result);
    strncat(net->text, " bonded", sizeof net->text - strlen(net->text) - 1);
}

enum // what a world is about
{
    NET_STRUCK,  // rigid bodies fly at a soft one, without gravity
    NET_LOADED,  // they fall on soft ones that lie on the ground
    NET_CARRIED, // soft bodies fall on rigid ones that lie there
    NET_MIXED,   // in turns
};

static inline double netHalf(vvSoftBodyId body) // m, half the largest side of its box
{
    const double *x = vvSoftBody_GetPositions(body);
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, most = 0;
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(body); ++i)
    {
        low[i % 3] = fmin(low[i % 3], x[i]);
        high[i % 3] = fmax(high[i % 3], x[i]);
    }
    for (int a = 0; a < 3; ++a)
        most = fmax(most, 0.5 * (high[a] - low[a]));
    return most;
}

// one above the other, nothing touches at first
static inline double netSoftAbove(Net *net, double height, bool rests)
{
    static const char *const shapes[] = {
        "box", "plate", "bar", "sphere", "cylinder", "torus", "sheet", "tube", "rope"
    };
    double size = netOctaves(net, 0.2, 1);
    int shape = netPick(net, 9);
    vvSoftBodyDef def = netMatter(net, size);
    vvMesh *mesh = netMesh(net, shape, size, &def);
    def.position = (vvVec3){ 0.1 * size * netBetween(net, -1, 1), height + 0.75 * size, 0 };
    def.velocity.x = def.velocity.z = 0;
    def.velocity.y = rests ? 0 : -fabs(def.velocity.y);
    if (rests)
        def.spin = (vvVec3){ 0, 0, 0 };
    net->body[net->count++] = makeBody(net->world, mesh, def);
    size_t used = strlen(net->text);
    snprintf(net->text + used, sizeof net->text - used, " %s %.0e", shapes[shape], def.material.young);
    return height + 1.5 * size + 0.02;
}

static inline double netRigidAbove(Net *net, double height, double speed)
{
    double size = net->count > 0 ? netHalf(net->body[0]) * netOctaves(net, 0.3, 1.5) : netOctaves(net, 0.2, 0.6);
    double aside = 0.2 * size * netBetween(net, -1, 1);
    net->rigid[net->rigidCount++] = netRigid(net, (vvVec3){ aside, height + 0.9 * size, 0 }, size, speed);
    size_t used = strlen(net->text);
    snprintf(net->text + used, sizeof net->text - used, " rigid");
    return height + 1.8 * size + 0.02;
}

static inline Net netMakeRigid(int seed, const NetWay *way, int threads)
{
    static const char *const words[] = { "struck", "loaded", "carried", "mixed" };
    static const double steps[] = { 1.0 / 30, 1.0 / 60, 1.0 / 60, 1.0 / 60, 1.0 / 120, 1.0 / 240 };
    Net net = { .random = { (uint64_t)seed * 104729 + 88172645463325252U }, .free = true, .meets = true };
    for (int i = 0; i < 20; ++i)
        randomUnit(&net.random);
    int about = netPick(&net, 4), rigids = 1 + netPick(&net, 3), softs = 1 + netPick(&net, 2);
    net.step = steps[netPick(&net, 6)];
    net.frames = (int)fmin(fmax(0.8 / net.step, 30), 90);
    net.gravity = about == NET_STRUCK ? 0 : 9.81;
    snprintf(net.text, sizeof net.text, "%s, 1/%.0f s:", words[about], 1 / net.step);
    vvWorldDef def = meetingDef(way->method, way->solver, 0);
    def.softContact = softs > 1;
    def.threads = threads;
    def.gravity = (vvVec3){ 0, -net.gravity, 0 };
    net.world = makeMeeting(&def);
    if (about != NET_STRUCK)
    {
        addPlane(net.world, (vvVec3){ 0, 1, 0 }, 0);
        net.free = false;
    }
    net.lone = about == NET_MIXED ? softs == 1 : rigids == 1;
    double height = 0.01, speed = netBetween(&net, 0, 4);
    for (int i = 0; i < rigids && about == NET_CARRIED; ++i)
        height = netRigidAbove(&net, height, 0);
    for (int i = 0; i < softs; ++i)
    {
        height = netSoftAbove(&net, height, about != NET_CARRIED && (about != NET_MIXED || i == 0));
        if (about == NET_MIXED)
            height = netRigidAbove(&net, height, speed);
    }
    for (int i = 0; i < rigids && about <= NET_LOADED; ++i)
        height = netRigidAbove(&net, height, speed);
    bool joined = netPick(&net, 10) < 3 && net.rigidCount > 1;
    for (int i = 1; i < net.rigidCount && joined; ++i)
        netJoin(&net, net.rigid[i - 1], net.rigid[i]);
    if (joined)
        strncat(net.text, " joined", sizeof net.text - strlen(net.text) - 1);
    if (netPick(&net, 8) == 0 && !joined)
        netBond(&net);
    return net;
}

// angular momentum of small steps is right to their order
static inline NetResult netRunRigid(int seed, const NetWay *way, char *text, size_t size)
{
    Net net = netMakeRigid(seed, way, 1);
    NetResult result = netFollow(&net);
    if (strcmp(way->method, "small-steps") == 0)
        result.value[NET_ANGULAR] *= 0.05;
    snprintf(text, size, "contact # %s", net.text);
    vvDestroyWorld(net.world);
    return result;
}

// after some frames, with this many threads; a state is saved, steps are taken, and it is restored
static inline uint64_t netHashRigid(int seed, const NetWay *way, int threads, bool restores)
{
    Net net = netMakeRigid(seed, way, threads);
    size_t size;
    for (int n = 0; n < 20; ++n)
    {
        if (restores && n == 12)
        {
            void *state = malloc(size = vvWorld_GetStateSize(net.world));
            CHECK_OK(vvWorld_SaveState(net.world, state, size));
            CHECK_OK(vvWorld_Step(net.world, net.step));
            CHECK_OK(vvWorld_RestoreState(net.world, state, size));
            free(state);
        }
        CHECK_OK(vvWorld_Step(net.world, net.step));
    }
    uint64_t hash = vvWorld_GetHash(net.world);
    vvDestroyWorld(net.world);
    return hash;
}

#endif
