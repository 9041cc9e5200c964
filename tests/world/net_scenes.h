// The named part of the net: scenes of tests/net whose truth is known, closed forms or converged small steps.
#ifndef TESTS_WORLD_NET_SCENES_H
#define TESTS_WORLD_NET_SCENES_H

#include "world/net.h"

#include "scene/scene.h"

typedef struct NetScene NetScene;
struct NetScene
{
    const char *name, *property;
    double (*measure)(SceneWorld *built, int frames); // how far from the truth
    double truth, low, high;                          // low and high as in NetLimit
    const char *ways;  // letters: m small-midpoint, n stabilized newton, l local-global, s small-steps
    const char *issue; // that is to cure what fails
};

static const NetScene *netScene; // under way, for its truth

static bool netStep(SceneWorld *built)
{
    return sceneStep(built).code == VV_OK;
}

// ---- measures: NaN where a step failed ------------------------------------------------------------------------------

static double netSceneGain(SceneWorld *built, int frames)
{
    vvWorldId world = sceneWorldId(built);
    vvVec3 g = vvWorld_GetGravity(world);
    vvLedger ledger = vvWorld_GetLedger(world);
    double mass = 0;
    for (int b = 0; b < sceneBodyCount(built); ++b)
        mass += vvSoftBody_GetMass(sceneBody(built, b));
    Audit audit;
    auditStart(&audit, &ledger, 0, mass, sqrt(g.x * g.x + g.y * g.y + g.z * g.z));
    for (int n = 1; n <= frames; ++n)
    {
        if (!netStep(built))
            return NAN;
        ledger = vvWorld_GetLedger(world);
        auditLook(&audit, &ledger, vvWorld_GetTime(world), n);
    }
    return auditGain(&audit);
}

static double netSceneAngular(SceneWorld *built, int frames)
{
    vvWorldId world = sceneWorldId(built);
    vvVec3 l = vvWorld_GetLedger(world).angularMomentum;
    double most = 0;
    for (int n = 0; n < frames; ++n)
    {
        if (!netStep(built))
            return NAN;
        vvVec3 now = vvWorld_GetLedger(world).angularMomentum;
        double off = pow(now.x - l.x, 2) + pow(now.y - l.y, 2) + pow(now.z - l.z, 2);
        most = fmax(most, sqrt(off / (l.x * l.x + l.y * l.y + l.z * l.z)));
    }
    return most;
}

// rad, of the end at the largest x
static double netTwist(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const double *rest = vvMesh_GetPoints(mesh), *x = vvSoftBody_GetPositions(body);
    double across = 0, square = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        const double *a = rest + 3 * v, *b = x + 3 * v;
        if (a[0] < 0.499)
            continue;
        across += a[1] * b[2] - a[2] * b[1];
        square += a[1] * a[1] + a[2] * a[2];
    }
    return across / square;
}

// after the release at 0.5 s
static double netSceneFrequency(SceneWorld *built, int frames)
{
    double before = 0, first = 0, last = 0;
    int crossings = 0;
    for (int n = 0; n < frames; ++n)
    {
        if (!netStep(built))
            return NAN;
        double time = vvWorld_GetTime(sceneWorldId(built)), twist = netTwist(sceneBody(built, 0));
        if (time > 0.55 && (twist < 0) != (before < 0))
        {
            last = time - twist / (twist - before) * sceneTimestep(sceneOf(built));
            first = crossings++ == 0 ? last : first;
        }
        before = twist;
    }
    return crossings < 3 ? 1 : fabs(0.5 * (crossings - 1) / (last - first) / netScene->truth - 1);
}

static double netMeanX(vvSoftBodyId body, const double *of)
{
    const double *m = vvSoftBody_GetMasses(body);
    double sum = 0, mass = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        sum += m[v] * of[3 * v];
        mass += m[v];
    }
    return sum / mass;
}

static double netSceneParting(SceneWorld *built, int frames)
{
    double speed[2] = { 0 };
    for (int n = 0; n <= frames; ++n)
    {
        vvSoftBodyId a = sceneBody(built, 0), b = sceneBody(built, 1);
        speed[n > 0] = netMeanX(b, vvSoftBody_GetVelocities(b)) - netMeanX(a, vvSoftBody_GetVelocities(a));
        if (n < frames && !netStep(built))
            return NAN;
    }
    return fabs(-speed[1] / speed[0] - netScene->truth);
}

// m, once it has settled for a second
static double netSceneSlide(SceneWorld *built, int frames)
{
    vvSoftBodyId body = sceneBody(built, 0);
    double from = 0;
    for (int n = 1; n <= frames; ++n)
    {
        if (!netStep(built))
            return NAN;
        if (n == 60)
            from = netMeanX(body, vvSoftBody_GetPositions(body));
    }
    return fabs(netMeanX(body, vvSoftBody_GetPositions(body)) - from);
}

static double netSceneRolled(SceneWorld *built, int frames)
{
    vvSoftBodyId body = sceneBody(built, 0);
    double from = netMeanX(body, vvSoftBody_GetPositions(body));
    for (int n = 0; n < frames; ++n)
    {
        if (!netStep(built))
            return NAN;
    }
    return fabs((netMeanX(body, vvSoftBody_GetPositions(body)) - from) / netScene->truth - 1);
}

// booked as dissipated, of the work of gravity
static double netSceneLost(SceneWorld *built, int frames)
{
    double from = vvWorld_GetLedger(sceneWorldId(built)).gravity;
    for (int n = 0; n < frames; ++n)
    {
        if (!netStep(built))
            return NAN;
    }
    vvLedger ledger = vvWorld_GetLedger(sceneWorldId(built));
    return ledger.dissipated / (from - ledger.gravity);
}

static double netSceneDeflection(SceneWorld *built, int frames)
{
    vvSoftBodyId body = sceneBody(built, 0);
    int tip[64], count = vvSoftBody_FindVertices(body, planeBox(0, 0.6, 1e-6), tip, 64);
    double from = meanCoordinate(body, tip, count, 1);
    for (int n = 0; n < frames; ++n)
    {
        if (!netStep(built))
            return NAN;
    }
    return fabs((from - meanCoordinate(body, tip, count, 1)) / netScene->truth - 1);
}

static const NetScene netScenes[] = {
    { "torsion", "frequency", netSceneFrequency, 5.01, 0.04, 0.08, "mnl", "step" },
    { "middle-axis", "angular", netSceneAngular, 0, 5e-4, 2e-3, "mnl", "step" },
    { "middle-axis", "gain", netSceneGain, 0, 0.015, 0.03, "mnl", "step" },
    { "stiff-spin", "gain", netSceneGain, 0, 0.015, 0.03, "mnl", "step" },
    { "light-spin", "gain", netSceneGain, 0, 0.015, 0.03, "mnl", "step" },
    { "beam", "deflection", netSceneDeflection, 1.1e-3, 0.03, 0.06, "ml", "step" },
    { "two-cubes", "parting", netSceneParting, 0.823, 0.05, 0.08, "nl", "contact" },
    // contact that takes the speed of what touches: 960 steps of 1/600 s in 96 substeps
    { "two-cubes", "parting", netSceneParting, 0.757, 0.05, 0.08, "m", "contact" },
    { "cloth-slope", "slide", netSceneSlide, 0, 1e-3, 3e-3, "mnls", "contact" },
    { "block-slope", "slide", netSceneSlide, 0, 0.01, 0.03, "mnls", "contact" },
    { "wheel", "rolled", netSceneRolled, 2.225, 0.1, 0.15, "mnls", "contact" },
    { "wheel", "lost", netSceneLost, 0, 0.2, 0.4, "mnls", "contact" },
    { "mill", "gain", netSceneGain, 0, 0.015, 0.03, "mnl", "contact" },
    { "inside", "gain", netSceneGain, 0, 0.015, 0.03, "mnl", "contact" },
};
#define NET_SCENES ((int)(sizeof netScenes / sizeof netScenes[0]))

static int netWayOf(char letter)
{
    return (int)(strchr("mnls", letter) - "mnls");
}

static double netSceneRun(const NetScene *row, const NetWay *way)
{
    char file[512], method[64], solver[64];
    snprintf(file, sizeof file, "%s/tests/net/%s.json", SOURCE_FOLDER, row->name);
    snprintf(method, sizeof method, "integrator.method=%s", way->method);
    snprintf(solver, sizeof solver, "integrator.solver=%s", way->solver);
    const char *sets[] = { method, solver };
    vvResult result;
    Scene *scene = sceneRead(file, false, sets, 2, &result);
    CHECK_OK(result);
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    CHECK_OK(result);
    netScene = row;
    double value = row->measure(built, sceneFrames(scene));
    sceneRelease(built);
    sceneDestroy(scene);
    return value;
}

#endif
