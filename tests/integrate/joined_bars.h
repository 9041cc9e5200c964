// Bars of several blocks, each a body of its own, joined by attachments between their end faces, held against converged
// motion: free ones that spin, ones that are clamped and let go. Read off: momenta, energy, elastic share, frequencies,
// distance to Verlet's method in small steps.
#ifndef TESTS_INTEGRATE_JOINED_BARS_H
#define TESTS_INTEGRATE_JOINED_BARS_H

#include "integrate/truth.h"

#define BLOCKS_MOST 80

// which vertices of two faces are attached to each other
typedef enum Joint
{
    WELD,  // all
    HINGE, // those on a line along y
    POINT, // one in the middle
} Joint;

typedef struct Assembly
{
    Plan plan;
    int blocks;
    double length, thickness; // m, of all blocks together, and across
    int along, across;        // cells of a block
    Joint joint;
    double stiffness; // N/m, of each attachment
    bool clamped;     // at the lower end
} Assembly;

typedef struct Joined
{
    vvWorldId world;
    vvSoftBodyId body[BLOCKS_MOST];
    int blocks;
    double length;
} Joined;

static inline Joined makeJoined(const Assembly *a)
{
    vvWorldDef world = vvDefaultWorldDef();
    if (a->plan.method != NULL)
        world.method = a->plan.method;
    world.substeps = a->plan.substeps;
    world.gravity = a->plan.gravity;
    vvResult result;
    Joined made = { .world = vvCreateWorld(&world, &result), .blocks = a->blocks, .length = a->length };
    CHECK_OK(result);
    double block = a->length / a->blocks;
    for (int b = 0; b < a->blocks; ++b)
    {
        vvSoftBodyDef def = elasticDef(1000, a->plan.young, a->plan.poisson);
        def.damping.stiffness = a->plan.damping;
        def.position = (vvVec3){ (b + 0.5) * block - 0.5 * a->length, 0, 0 };
        vvVec3 size = { block, a->thickness, a->thickness };
        made.body[b] = makeBody(made.world, vvCreateBoxMesh(size, a->along, a->across, a->across), def);
    }
    for (int b = 0; b + 1 < a->blocks; ++b)
    {
        int vertices[256], count = vvSoftBody_FindVertices(made.body[b], planeBox(0, 0.5 * block, 1e-9), vertices, 256),
                           used = 0;
        for (int i = 0; i < count; ++i)
        {
            vvVec3 p = vertexPosition(made.body[b], vertices[i]);
            if ((a->joint != WELD && fabs(p.z) > 1e-9) || (a->joint == POINT && fabs(p.y) > 1e-9))
                continue;
            vvAttachmentDef link = vvDefaultAttachmentDef();
            link.bodyA = made.body[b];
            link.vertexA = vertices[i];
            link.bodyB = made.body[b + 1];
            link.vertexB = vvSoftBody_FindNearestVertex(made.body[b + 1], p);
            link.stiffness = a->stiffness;
            vvCreateAttachment(made.world, &link, &result);
            CHECK_OK(result);
            used += 1;
        }
        assert_true(used > 0);
    }
    if (a->clamped)
    {
        int vertices[256];
        int count = vvSoftBody_FindVertices(made.body[0], planeBox(0, -0.5 * block, 1e-9), vertices, 256);
        CHECK_OK(vvSoftBody_Pin(made.body[0], vertices, count));
    }
    return made;
}

typedef enum Start
{
    SPINNING, // about an axis
    TWISTING, // about x, from the clamped end on
    BENDING,  // along y
} Start;

static inline void startJoined(Joined made, Start start, vvVec3 rate)
{
    for (int b = 0; b < made.blocks; ++b)
    {
        int count = vvSoftBody_GetVertexCount(made.body[b]);
        const double *x = vvSoftBody_GetPositions(made.body[b]);
        double *v = calloc((size_t)count * 3, sizeof(double));
        for (int i = 0; i < count; ++i)
        {
            double along = x[3 * i] / made.length + 0.5;
            vvVec3 w = start == SPINNING   ? rate
                       : start == TWISTING ? (vvVec3){ rate.x * along, 0, 0 }
                                           : (vvVec3){ 0, 0, 0 };
            v[3 * i] = w.y * x[3 * i + 2] - w.z * x[3 * i + 1];
            v[3 * i + 1] = w.z * x[3 * i] - w.x * x[3 * i + 2] + (start == BENDING ? rate.y * along * along : 0);
            v[3 * i + 2] = w.x * x[3 * i + 1] - w.y * x[3 * i];
        }
        CHECK_OK(vvSoftBody_SetVelocities(made.body[b], v));
        free(v);
    }
}

static inline double joinedDistance(Joined a, Joined b)
{
    double sum = 0, mass = 0;
    for (int p = 0; p < a.blocks; ++p)
    {
        const double *m = vvSoftBody_GetMasses(a.body[p]), *x = vvSoftBody_GetPositions(a.body[p]);
        const double *y = vvSoftBody_GetPositions(b.body[p]);
        for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(a.body[p]); ++i)
        {
            sum += m[i / 3] * (x[i] - y[i]) * (x[i] - y[i]);
            mass += m[i / 3] / 3;
        }
    }
    return sqrt(sum / mass);
}

// the far end: what it is turned by about x, times a length, or where it is along y or z, m
static inline double endOf(Joined made, Start start)
{
    vvSoftBodyId body = made.body[made.blocks - 1];
    int vertices[256],
        count = vvSoftBody_FindVertices(body, planeBox(0, 0.5 * made.length / made.blocks, 1e-9), vertices, 256);
    if (start != TWISTING)
        return meanCoordinate(body, vertices, count, start == BENDING ? 1 : 2);
    const double *x = vvSoftBody_GetPositions(body);
    double sum = 0, square = 0;
    for (int i = 0; i < count; ++i)
    {
        double y = x[3 * vertices[i] + 1], z = x[3 * vertices[i] + 2];
        if (fmin(fabs(y), fabs(z)) < 0.5 * fmax(fabs(y), fabs(z)))
            continue; // corners alone
        sum += y * z > 0 ? fabs(z) - fabs(y) : fabs(y) - fabs(z);
        square += y * y + z * z;
    }
    return sum / sqrt(square);
}

typedef struct JoinedRun
{
    double linear;                   // kg m/s: largest momentum
    double angular;                  // 1: largest change of the angular one
    double least, most;              // 1: energy over that at the start
    double share, truth;             // 1: mean of elastic over all energy
    double frequency, trueFrequency; // Hz, of the far end; 0: too slow for the frames
    double error;                    // 1: largest distance to the truth over the largest travel
    double substeps;                 // on average
} JoinedRun;

// beside Verlet's method in `parts` steps a frame; 0: alone
static inline JoinedRun runJoined(const Assembly *a, Start start, vvVec3 rate, int frames, double h, int parts)
{
    Assembly exact = *a;
    exact.plan.method = "verlet";
    exact.plan.substeps = 0;
    Joined made = makeJoined(a), truth = { 0 }, first = makeJoined(a);
    JoinedRun got = { .least = 1, .most = 1 };
    double *series[2], travel = 0;
    if (parts > 0)
    {
        truth = makeJoined(&exact);
        startJoined(truth, start, rate);
    }
    for (int k = 0; k < 2; ++k)
        series[k] = calloc((size_t)frames, sizeof(double));
    startJoined(made, start, rate);
    vvLedger begin = vvWorld_GetLedger(made.world);
    for (int n = 0; n < frames; ++n)
    {
        CHECK_OK(vvWorld_Step(made.world, h));
        vvLedger now = vvWorld_GetLedger(made.world), other = now;
        for (int k = 0; k < parts; ++k)
            CHECK_OK(vvWorld_Step(truth.world, h / parts));
        if (parts > 0)
        {
            other = vvWorld_GetLedger(truth.world);
            travel = fmax(travel, joinedDistance(truth, first));
            got.error = fmax(got.error, joinedDistance(made, truth));
            got.truth += other.elastic / (other.elastic + other.kinetic) / frames;
            series[1][n] = endOf(truth, start);
        }
        series[0][n] = endOf(made, start);
        vvVec3 off = { now.angularMomentum.x - begin.angularMomentum.x, now.angularMomentum.y - begin.angularMomentum.y,
                       now.angularMomentum.z - begin.angularMomentum.z };
        got.angular = fmax(got.angular, length3(off) / length3(begin.angularMomentum));
        got.linear = fmax(got.linear, length3(now.momentum));
        got.least = fmin(got.least, now.total / begin.total);
        got.most = fmax(got.most, now.total / begin.total);
        got.share += now.elastic / (now.elastic + now.kinetic) / frames;
        got.substeps += (double)vvWorld_GetStatistics(made.world).substeps / frames;
    }
    got.frequency = frequencyOf(series[0], frames, h);
    got.trueFrequency = frequencyOf(series[1], frames, h);
    got.error /= travel;
    for (int k = 0; k < 2; ++k)
        free(series[k]);
    vvDestroyWorld(made.world);
    vvDestroyWorld(first.world);
    if (parts > 0)
        vvDestroyWorld(truth.world);
    return got;
}

#endif
