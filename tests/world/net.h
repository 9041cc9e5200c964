// The net: random mild worlds, each drawn from its seed, and what must hold in all of them under the methods that keep
// energy. Mild: speeds up to 10 m/s, spins whose rims are as slow, strains that stay moderate (stress of weight, hits
// and spins well below young), 1e3 to 1e7 Pa, steps of 1/30 to 1/240 s, bodies that begin apart.
#ifndef TESTS_WORLD_NET_H
#define TESTS_WORLD_NET_H

#include "world/meeting.h"

#include "ledger/audit.h"
#include "undamped.h"

#include <stdio.h>
#include <stdlib.h>

#define NET_BODIES 5

typedef struct NetWay
{
    const char *word, *method, *solver;
} NetWay;

static const NetWay netWays[] = {
    { "small-midpoint", "small-midpoint", "newton" },
    { "stabilized-newton", "stabilized", "newton" },
    { "stabilized-local-global", "stabilized", "local-global" },
    { "small-steps", "small-steps", "newton" }, // in named scenes alone
};
enum
{
    NET_WAYS = 3,
    NET_SMALL_STEPS = 3,
};

typedef struct Net
{
    TestRandom random;
    vvWorldId world;
    int count;
    vvSoftBodyId body[NET_BODIES];
    int rigidCount; // net_rigid.h
    bool lone;      // one of them
    vvRigidBodyId rigid[NET_BODIES];
    double step; // s
    int frames;
    double gravity; // m/s^2
    bool free;      // nothing but gravity acts from outside
    bool meets;     // colliders, or bodies that touch
    char text[160]; // what it is
} Net;

// ---- drawing --------------------------------------------------------------------------------------------------------

static int netPick(Net *net, int count)
{
    return (int)(randomUnit(&net->random) * count);
}

static double netBetween(Net *net, double low, double high)
{
    return randomBetween(&net->random, low, high);
}

static double netOctaves(Net *net, double low, double high) // even in the logarithm
{
    return low * pow(high / low, randomUnit(&net->random));
}

static vvMesh *netMesh(Net *net, int shape, double size, vvSoftBodyDef *def)
{
    static const char *const solid[] = { NULL, NULL, "stable-neo-hookean", "spring" };
    static const char *const sheet[] = { "triangle", "membrane", "spring" };
    def->model = solid[netPick(net, 4)];
    double thin = size * netOctaves(net, 0.08, 0.4);
    switch (shape)
    {
    case 0:
        return vvCreateBoxMesh((vvVec3){ size, size, size }, 3, 3, 3);
    case 1:
        return vvCreateBoxMesh((vvVec3){ size, thin, 0.6 * size }, 5, 1 + netPick(net, 2), 3);
    case 2:
        return vvCreateBarMesh(size, thin, 7, 1 + netPick(net, 2));
    case 3:
        return vvCreateSphereMesh(size, 2);
    case 4:
        return vvCreateCylinderMesh(maxReal(thin, 0.2 * size), size, 1, 4);
    case 5:
        return vvCreateTorusMesh(size, maxReal(0.7 * thin, 0.15 * size), 1, 10);
    case 6:
        def->model = sheet[netPick(net, 3)];
        return vvCreateSheetMesh(size, 0.7 * size, 7, 5);
    case 7:
        def->model = sheet[2 * netPick(net, 2)];
        return vvCreateTubeMesh(0.5 * size, size, 8, 4);
    default:
        def->model = NULL;
        return vvCreateRopeMesh(size, 10);
    }
}

static void netDampings(Net *net, vvSoftBodyDef *def)
{
    int which = netPick(net, 8);
    bool drags = which == 0 || which == 1;
    def->damping.mass = drags ? netOctaves(net, 0.05, 2) : 0;
    def->damping.stiffness = which == 1 || which == 2 ? netOctaves(net, 1e-5, 1e-2) : 0;
    def->damping.rigidPreserving = which == 3 ? netOctaves(net, 0.1, 5) : 0;
    net->free &= !drags;
}

// weight, hits and spin stress the matter to a part of young at most
static vvSoftBodyDef netMatter(Net *net, double size)
{
    vvSoftBodyDef def = undampedDef();
    def.material.young = netOctaves(net, 1e3, 1e7);
    def.material.poisson = netPick(net, 3) == 0 ? 0.49 * randomUnit(&net->random) : netBetween(net, 0, 0.35);
    double heavy = def.material.young / (20 * 9.81 * size);
    def.material.density = fmin(netOctaves(net, 100, 2000), heavy);
    def.material.thickness = size * netOctaves(net, 0.003, 0.03);
    double waves = sqrt(def.material.young / def.material.density), most = fmin(10, 0.4 * waves);
    double direction[3], length = 0;
    for (int a = 0; a < 3; ++a)
    {
        direction[a] = netBetween(net, -1, 1);
        length += direction[a] * direction[a];
    }
    double speed = most * randomUnit(&net->random) / sqrt(length), spin = most * randomUnit(&net->random) / size;
    def.velocity = (vvVec3){ speed * direction[0], speed * direction[1], speed * direction[2] };
    def.spin = (vvVec3){ spin * netBetween(net, -1, 1), spin * netBetween(net, -1, 1), spin * netBetween(net, -1, 1) };
    netDampings(net, &def);
    return def;
}

// by hard pins or by springs, a corner of its box
static void netHold(Net *net, vvSoftBodyId body, double young, double size)
{
    const double *x = vvSoftBody_GetPositions(body);
    int count = vvSoftBody_GetVertexCount(body), held[400], most = 0;
    double top = -1e9;
    for (int v = 0; v < count; ++v)
        top = fmax(top, x[3 * v + 1] + 0.3 * x[3 * v]);
    for (int v = 0; v < count && most < 400; ++v)
    {
        if (x[3 * v + 1] + 0.3 * x[3 * v] > top - 0.15 * size)
            held[most++] = v;
    }
    bool hard = netPick(net, 2) == 0;
    if (hard)
        CHECK_OK(vvSoftBody_Pin(body, held, most));
    for (int i = 0; i < most && !hard; ++i)
        attachToPoint(net->world, body, held[i], 0.3 * young * size / most);
    net->free = false;
}

static void netCollide(Net *net)
{
    static const double restitutions[] = { 1, 1, 0.5, 0 };
    vvShapeDef shapeDef = vvDefaultShapeDef();
    bool ball = netPick(net, 4) == 0;
    shapeDef.kind = ball ? VV_SHAPE_SPHERE : VV_SHAPE_PLANE;
    shapeDef.radius = 0.6;
    vvResult result;
    vvShape *shape = vvCreateShape(&shapeDef, &result);
    CHECK_OK(result);
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = shape;
    def.position = (vvVec3){ 0, ball ? -0.6 : 0, 0 };
    def.friction = netPick(net, 2) * netBetween(net, 0, 1);
    def.restitution = restitutions[netPick(net, 4)];
    vvCreateCollider(net->world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
}

enum // what a world is about
{
    NET_FREE,
    NET_HELD,
    NET_GROUND, // it falls on something
    NET_MEET,   // bodies against bodies
    NET_HEAP,   // both
};

static void netBody(Net *net, int about, int index, double *side)
{
    static const char *const shapes[] = {
        "box", "plate", "bar", "sphere", "cylinder", "torus", "sheet", "tube", "rope"
    };
    double size = netOctaves(net, 0.2, 1);
    int shape = netPick(net, 9);
    vvSoftBodyDef def = netMatter(net, size);
    vvMesh *mesh = netMesh(net, shape, size, &def);
    bool up = about == NET_GROUND || about == NET_HEAP;
    *side += 0.75 * size; // nothing reaches further than .7 of it
    def.position = (vvVec3){ about == NET_HEAP ? 0.1 * netBetween(net, -1, 1) : *side, 0, 0 };
    def.position.y = about == NET_HEAP ? *side + 0.05 : up ? 0.75 * size + 0.1 : 0;
    *side += 0.75 * size + 0.02;
    if (about == NET_FREE && netPick(net, 2) == 0) // else flight hides what vibrations gain
        def.velocity = (vvVec3){ 0, 0, 0 };
    if (about == NET_MEET) // towards each other
        def.velocity.x = fabs(def.velocity.x) * (index % 2 == 0 ? 1 : -1);
    if (up)
        def.velocity.y = -fabs(def.velocity.y);
    net->body[index] = makeBody(net->world, mesh, def);
    if (about == NET_HELD && (index == 0 || netPick(net, 2) == 0))
        netHold(net, net->body[index], def.material.young, size);
    size_t used = strlen(net->text);
    snprintf(net->text + used, sizeof net->text - used, " %s %.0e", shapes[shape], def.material.young);
}

static Net netMake(int seed, const NetWay *way)
{
    static const char *const words[] = { "free", "held", "ground", "meet", "heap" };
    static const double steps[] = { 1.0 / 30, 1.0 / 60, 1.0 / 60, 1.0 / 60, 1.0 / 120, 1.0 / 240 };
    static const int counts[] = { 1, 1, 1, 2, 2, 3, 4, 5 };
    Net net = { .random = { (uint64_t)seed * 7919 + 88172645463325252U }, .free = true };
    for (int i = 0; i < 20; ++i)
        randomUnit(&net.random);
    int about = netPick(&net, 5);
    net.count = counts[netPick(&net, 8)];
    net.count = about == NET_MEET || about == NET_HEAP ? (net.count < 2 ? 2 : net.count) : net.count;
    net.step = steps[netPick(&net, 6)];
    net.frames = (int)fmin(fmax(0.8 / net.step, 30), 90);
    net.gravity = about == NET_MEET || (about == NET_FREE && netPick(&net, 4) > 0) ? 0 : 9.81;
    net.meets = about >= NET_GROUND;
    snprintf(net.text, sizeof net.text, "%s, 1/%.0f s:", words[about], 1 / net.step);
    vvWorldDef def = meetingDef(way->method, way->solver, 0);
    def.softContact = about == NET_MEET || about == NET_HEAP;
    def.gravity = (vvVec3){ 0, -net.gravity, 0 };
    net.world = makeMeeting(&def);
    if (about == NET_GROUND || about == NET_HEAP)
    {
        netCollide(&net);
        net.free = false;
    }
    double side = 0;
    for (int i = 0; i < net.count; ++i)
        netBody(&net, about, i, &side);
    return net;
}

// ---- what must hold -------------------------------------------------------------------------------------------------

typedef enum NetProperty
{
    NET_GAIN,    // of what physics had to give, gained by the numerics
    NET_BOOKS,   // of the same, booked as dissipated beyond all of it
    NET_LINEAR,  // momentum that no force explains, over that of the motion there is
    NET_ANGULAR, // likewise about the centre of mass
    NET_SHARE,   // by how much the elastic share leaves [0, 1], or total - target the numerical
    NET_STEPS,   // steps that failed
    NET_PROPERTIES,
} NetProperty;

typedef struct NetLimit
{
    const char *word;
    double low, high; // below: it holds; above: it does not; between them either is accepted, since little tips it
} NetLimit;

static const NetLimit netLimits[NET_PROPERTIES] = {
    { "gain", 0.015, 0.03 },   { "books", 0.015, 0.03 }, { "linear", 1e-7, 1e-6 },
    { "angular", 5e-4, 2e-3 }, { "share", 1e-9, 1e-6 },  { "steps", 0.5, 0.5 },
};

typedef struct NetResult
{
    double value[NET_PROPERTIES];
} NetResult;

typedef struct NetMotion // of all bodies together, about their centre
{
    double mass, radius; // kg; m, root mean square
    double linear[3], angular[3];
} NetMotion;

static NetMotion netMotion(const Net *net)
{
    NetMotion motion = { 0 };
    double moment[3] = { 0 }, second = 0;
    vvLedger ledger = vvWorld_GetLedger(net->world);
    for (int b = 0; b < net->count; ++b)
    {
        const double *x = vvSoftBody_GetPositions(net->body[b]), *m = vvSoftBody_GetMasses(net->body[b]);
        for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(net->body[b]); ++i)
        {
            motion.mass += i % 3 == 0 ? m[i / 3] : 0;
            moment[i % 3] += m[i / 3] * x[i];
            second += m[i / 3] * x[i] * x[i];
        }
    }
    for (int b = 0; b < net->rigidCount; ++b)
    {
        vvVec3 centre = vvRigidBody_GetCentreOfMass(net->rigid[b]);
        const double x[3] = { centre.x, centre.y, centre.z }, m = vvRigidBody_GetMass(net->rigid[b]);
        motion.mass += m;
        for (int a = 0; a < 3; ++a)
        {
            moment[a] += m * x[a];
            second += m * x[a] * x[a];
        }
    }
    double c[3], p[3] = { ledger.momentum.x, ledger.momentum.y, ledger.momentum.z };
    double l[3] = { ledger.angularMomentum.x, ledger.angularMomentum.y, ledger.angularMomentum.z };
    for (int a = 0; a < 3; ++a)
    {
        c[a] = moment[a] / motion.mass;
        second -= motion.mass * c[a] * c[a];
    }
    for (int a = 0; a < 3; ++a)
    {
        int i = (a + 1) % 3, k = (a + 2) % 3;
        motion.linear[a] = p[a];
        motion.angular[a] = l[a] - (c[i] * p[k] - c[k] * p[i]);
    }
    motion.radius = sqrt(fmax(second, 0) / motion.mass);
    return motion;
}

static void netMomenta(const Net *net, const NetMotion *first, double exchanged, NetResult *result)
{
    NetMotion now = netMotion(net);
    double linear = 0, angular = 0, scale = sqrt(2 * first->mass * exchanged);
    for (int a = 0; a < 3; ++a)
    {
        double pulled = a == 1 ? -first->mass * net->gravity * vvWorld_GetTime(net->world) : 0;
        linear += pow(now.linear[a] - first->linear[a] - pulled, 2);
        angular += pow(now.angular[a] - first->angular[a], 2);
    }
    result->value[NET_LINEAR] = fmax(result->value[NET_LINEAR], sqrt(linear) / scale);
    result->value[NET_ANGULAR] = fmax(result->value[NET_ANGULAR], sqrt(angular) / (scale * first->radius));
}

static void netFrame(const Net *net, const Audit *audit, const NetMotion *first, NetResult *result)
{
    vvLedger ledger = vvWorld_GetLedger(net->world);
    double exchanged = fmax(auditExchanged(audit), 1e-9 * first->mass);
    double booked = (ledger.dissipated - audit->first.dissipated) / exchanged - 1;
    double share = vvWorld_GetStatistics(net->world).elasticShare;
    double scale = fabs(ledger.total) + fabs(ledger.added) + ledger.dissipated + exchanged;
    double off = fabs(ledger.total - ledger.target - ledger.numerical) / scale;
    result->value[NET_BOOKS] = fmax(result->value[NET_BOOKS], booked);
    result->value[NET_SHARE] = fmax(result->value[NET_SHARE], fmax(off, fmax(-share, share - 1)));
    if (net->free)
        netMomenta(net, first, exchanged, result);
}

static inline NetResult netFollow(Net *net)
{
    NetResult result = { 0 };
    NetMotion first = netMotion(net);
    vvLedger ledger = vvWorld_GetLedger(net->world);
    Audit audit;
    auditStart(&audit, &ledger, 0, first.mass, net->gravity);
    for (int n = 1; n <= net->frames; ++n)
    {
        if (vvWorld_Step(net->world, net->step).code != VV_OK)
        {
            result.value[NET_STEPS] = 1;
            break;
        }
        ledger = vvWorld_GetLedger(net->world);
        auditLook(&audit, &ledger, vvWorld_GetTime(net->world), n);
        netFrame(net, &audit, &first, &result);
    }
    result.value[NET_GAIN] = auditGain(&audit);
    return result;
}

// `text`: the issue that is to cure what fails, and what the world is
static inline NetResult netRun(int seed, const NetWay *way, char *text, size_t size)
{
    Net net = netMake(seed, way);
    NetResult result = netFollow(&net);
    snprintf(text, size, "%-7s # %s", net.meets ? "contact" : "step", net.text);
    vvDestroyWorld(net.world);
    return result;
}

#endif
