// Scenes on which small-midpoint is judged, and what is read off them; shared by tests and soaks.
#ifndef TESTS_INTEGRATE_SMALL_MIDPOINT_H
#define TESTS_INTEGRATE_SMALL_MIDPOINT_H

#include "world/scenes.h"

#include "world/world.h"
#include "undamped.h"

typedef struct Setting
{
    const char *method;
    int substeps, iterations;
    bool energyReturn;
} Setting;

static inline vvWorldId makeSettingWorld(Setting setting, vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = setting.method;
    def.solver = "local-global";
    def.substeps = setting.substeps;
    def.iterations = setting.iterations;
    def.settings.smallMidpoint.energyReturn = setting.energyReturn;
    def.settings.smallMidpoint.rollingFriction = 0; // as in the references
    def.gravity = gravity;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// ---- cloth: 1 m x 1 m, 1 kg, horizontal, two corners of one side held by springs ------------------------------------

typedef struct Cloth
{
    vvWorldId world;
    vvSoftBodyId body;
    vvAttachmentId corner[2];
    int side, far; // vertices of a side; a corner that swings
} Cloth;

// springs of N/m and N s/m
static inline Cloth makeCloth(Setting setting, int side, double stiffness, double damping)
{
    Cloth cloth = { .side = side, .world = makeSettingWorld(setting, (vvVec3){ 0, -9.81, 0 }) };
    vvSoftBodyDef def = undampedDef();
    def.material.thickness = 0.001;
    def.material.density = 1000;
    def.springStiffness[VV_EDGE_STRUCTURAL] = def.springStiffness[VV_EDGE_SHEAR] = stiffness;
    def.springStiffness[VV_EDGE_SKIP] = 100;
    def.damping.spring = damping;
    vvMeshDef sheet = vvDefaultMeshDef();
    sheet.shape = VV_MESH_SHEET;
    sheet.cells[0] = sheet.cells[2] = side - 1;
    sheet.skip = true;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&sheet, &result);
    CHECK_OK(result);
    cloth.body = makeBody(cloth.world, mesh, def);
    const double *x = vvSoftBody_GetPositions(cloth.body);
    for (int v = 0, found = 0; v < side * side; ++v)
    {
        bool atEdge = fabs(fabs(x[3 * v]) - 0.5) < 1e-9;
        if (atEdge && fabs(x[3 * v + 2] + 0.5) < 1e-9)
            cloth.corner[found++] = attachToPoint(cloth.world, cloth.body, v, stiffness > 1000 ? stiffness : 1000);
        if (x[3 * v] > 0.5 - 1e-9 && x[3 * v + 2] > 0.5 - 1e-9)
            cloth.far = v;
    }
    return cloth;
}

// kinetic energy of the velocity averaged over two cells each way: what moves together
static inline double smoothKinetic(const Cloth *cloth)
{
    int n = cloth->side;
    const double *v = vvSoftBody_GetVelocities(cloth->body);
    double sum = 0;
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < n; ++j)
        {
            double mean[3] = { 0, 0, 0 };
            int count = 0;
            for (int a = i - 2; a <= i + 2; ++a)
            {
                for (int b = j - 2; b <= j + 2; ++b)
                {
                    if (a < 0 || b < 0 || a >= n || b >= n)
                        continue;
                    for (int k = 0; k < 3; ++k)
                        mean[k] += v[3 * (a * n + b) + k];
                    count += 1;
                }
            }
            for (int k = 0; k < 3; ++k)
                sum += 0.5 / (n * n) * (mean[k] / count) * (mean[k] / count);
        }
    }
    return sum;
}

typedef struct Course
{
    double least, most, mean;                 // J, of `numerical`
    double unresolved;                        // J, the largest of |numerical + unresolved|
    double kinetic[3], smooth[3], elastic[3]; // J, means over 0 to 1 s, 1 to 3 s, later
    double whole[3];       // J, likewise: kinetic energy with that of motion that substeps do not resolve
    double corner, centre; // m, rms distance from the reference in the first second
    double added;          // J, the largest in size
    double solves;         // in a step, mean
    int failures;
} Course;

// of a corner and the centre, in every frame of 33 ms
typedef struct Track
{
    int count;
    Vec3 corner[31], centre[31];
} Track;

static inline Vec3 centreOf(vvSoftBodyId body)
{
    const double *x = vvSoftBody_GetPositions(body);
    Vec3 sum = vec3(0, 0, 0);
    int count = vvSoftBody_GetVertexCount(body);
    for (int v = 0; v < count; ++v)
        sum = vecAdd(sum, vecScale(1.0 / count, vecLoad(x + 3 * v)));
    return sum;
}

// one corner goes up and down by 0.2 m once a second
static inline void shakeCloth(const Cloth *cloth, double t)
{
    CHECK_OK(vvAttachment_MoveTarget(cloth->corner[0], (vvVec3){ -0.5, 0.2 * sin(2 * PI * t), -0.5 }));
}

static inline Track trackCloth(const Cloth *cloth, int substeps)
{
    Track track = { 0 };
    for (int frame = 0; frame < 31; ++frame)
    {
        for (int i = 0; i < substeps; ++i)
            CHECK_OK(vvWorld_Step(cloth->world, 0.033 / substeps));
        track.corner[frame] = vertexPosition(cloth->body, cloth->far);
        track.centre[frame] = centreOf(cloth->body);
        track.count += 1;
    }
    return track;
}

static inline Course runCloth(const Cloth *cloth, int frames, bool shaken, const Track *reference)
{
    Course course = { .least = INFINITY, .most = -INFINITY };
    int count[3] = { 0 };
    for (int frame = 0; frame < frames; ++frame)
    {
        double t = (frame + 1) * 0.033;
        if (shaken)
            shakeCloth(cloth, t);
        CHECK_OK(vvWorld_Step(cloth->world, 0.033));
        vvLedger ledger = vvWorld_GetLedger(cloth->world);
        vvStatistics statistics = vvWorld_GetStatistics(cloth->world);
        int window = t <= 1 ? 0 : t <= 3 ? 1 : 2;
        count[window] += 1;
        course.kinetic[window] += ledger.kinetic;
        course.whole[window] += ledger.kinetic + statistics.unresolved;
        course.elastic[window] += ledger.elastic;
        course.smooth[window] += smoothKinetic(cloth);
        course.least = fmin(course.least, ledger.numerical);
        course.most = fmax(course.most, ledger.numerical);
        course.mean += ledger.numerical / frames;
        course.added = fmax(course.added, fabs(ledger.added));
        course.unresolved = fmax(course.unresolved, fabs(ledger.numerical + statistics.unresolved));
        course.solves += (double)statistics.iterations / frames;
        course.failures += statistics.blendFailures;
        if (reference != NULL && frame < reference->count)
        {
            Vec3 corner = vecSub(vertexPosition(cloth->body, cloth->far), reference->corner[frame]);
            Vec3 centre = vecSub(centreOf(cloth->body), reference->centre[frame]);
            course.corner += vecDot(corner, corner) / reference->count;
            course.centre += vecDot(centre, centre) / reference->count;
        }
    }
    for (int k = 0; k < 3 && count[k] > 0; ++k)
    {
        course.kinetic[k] /= count[k];
        course.whole[k] /= count[k];
        course.elastic[k] /= count[k];
        course.smooth[k] /= count[k];
    }
    course.corner = sqrt(course.corner);
    course.centre = sqrt(course.centre);
    return course;
}

// ---- spinning bodies ------------------------------------------------------------------------------------------------

typedef struct Spin
{
    double least, most, leastAngular, mostAngular; // of H and of L about z, over those at the start
    double share;                                  // elastic, mean
    int blends;
} Spin;

static inline Spin runSpin(vvWorldId world, int frames)
{
    vvLedger start = vvWorld_GetLedger(world);
    Spin spin = { .least = 1, .most = 1, .leastAngular = 1, .mostAngular = 1 };
    for (int frame = 0; frame < frames; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        vvLedger ledger = vvWorld_GetLedger(world);
        double energy = ledger.total / start.total, angular = ledger.angularMomentum.z / start.angularMomentum.z;
        spin.least = fmin(spin.least, energy);
        spin.most = fmax(spin.most, energy);
        spin.leastAngular = fmin(spin.leastAngular, angular);
        spin.mostAngular = fmax(spin.mostAngular, angular);
        spin.share += ledger.elastic / ledger.total / frames;
        spin.blends += vvWorld_GetStatistics(world).alpha != 0;
    }
    return spin;
}

// ---- a cube that falls 1 m onto a plane, steps of 10 ms -------------------------------------------------------------

// returns the most above the target, and the first apex; both over the drop
static inline double dropCube(Setting setting, double young, int frames, double *apex)
{
    vvWorldId world = makeSettingWorld(setting, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, young, 0);
    def.position = (vvVec3){ 0, 1.5, 0 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4), def);
    vvResult result;
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&plane, &result);
    CHECK_OK(result);
    floor.friction = 0;
    floor.restitution = 0;
    vvCreateCollider(world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    double most = 0, before = 0;
    *apex = 0;
    for (int frame = 0; frame < frames; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 0.01));
        vvLedger ledger = vvWorld_GetLedger(world);
        most = fmax(most, ledger.numerical / 9810);
        if (before > 0 && ledger.momentum.y <= 0 && *apex == 0)
            *apex = ledger.gravity / 9810 - 0.5;
        before = ledger.momentum.y;
    }
    vvDestroyWorld(world);
    return most;
}

// ---- a mesh that no lattice has: every point of a box goes astray ---------------------------------------------------

static inline vvMesh *makeUnstructured(vvVec3 size, int cellsX, int cellsY, int cellsZ, double astray)
{
    vvMesh *box = vvCreateBoxMesh(size, cellsX, cellsY, cellsZ);
    assert_non_null(box);
    int count = vvMesh_GetVertexCount(box);
    double *points = test_malloc((size_t)count * 3 * sizeof(double));
    const double cell[3] = { size.x / cellsX, size.y / cellsY, size.z / cellsZ };
    TestRandom random = { 11 };
    for (int i = 0; i < 3 * count; ++i)
        points[i] = vvMesh_GetPoints(box)[i] + astray * cell[i % 3] * randomBetween(&random, -1, 1);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.tets = vvMesh_GetTets(box);
    def.tetCount = vvMesh_GetTetCount(box);
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    vvDestroyMesh(box);
    test_free(points);
    return mesh;
}

// ---- scenes that nothing was tuned on -------------------------------------------------------------------------------

typedef enum HeldOut
{
    HELD_SWING, // an unstructured solid on two pins
    HELD_SHEET, // a sheet of 3 : 1 on one corner
    HELD_TORUS, // a soft torus that rolls
} HeldOut;

static inline vvSoftBodyId makeSwing(vvWorldId world)
{
    vvSoftBodyId body =
        makeBody(world, makeUnstructured((vvVec3){ 0.6, 0.2, 0.4 }, 6, 2, 4, 0.22), elasticDef(1000, 3e5, 0));
    int pins[2] = { vvSoftBody_FindNearestVertex(body, (vvVec3){ -0.3, 0.1, -0.2 }),
                    vvSoftBody_FindNearestVertex(body, (vvVec3){ -0.3, 0.1, 0.2 }) };
    CHECK_OK(vvSoftBody_Pin(body, pins, 2));
    return body;
}

static inline vvSoftBodyId makeStrip(vvWorldId world)
{
    vvSoftBodyDef def = undampedDef();
    def.material.density = 1000;
    def.springStiffness[VV_EDGE_STRUCTURAL] = def.springStiffness[VV_EDGE_SHEAR] = 1500;
    def.springStiffness[VV_EDGE_SKIP] = 50;
    vvMeshDef sheet = vvDefaultMeshDef();
    sheet.shape = VV_MESH_SHEET;
    sheet.size = (vvVec3){ 1.5, 1, 0.5 };
    sheet.cells[0] = 30;
    sheet.cells[2] = 10;
    sheet.skip = true;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&sheet, &result);
    CHECK_OK(result);
    vvSoftBodyId body = makeBody(world, mesh, def);
    int pin = vvSoftBody_FindNearestVertex(body, (vvVec3){ -0.75, 0, -0.25 });
    CHECK_OK(vvSoftBody_Pin(body, &pin, 1));
    return body;
}

static inline vvSoftBodyId makeRolling(vvWorldId world)
{
    vvMeshDef torus = vvDefaultMeshDef();
    torus.shape = VV_MESH_TORUS;
    torus.size = (vvVec3){ 1, 0.3, 1 };
    torus.cells[0] = 2;
    torus.cells[1] = 18;
    torus.rotate = (vvVec3){ 90, 0, 0 };
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&torus, &result);
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(500, 2e5, 0);
    def.position = (vvVec3){ 0, 0.505, 0 };
    def.velocity = (vvVec3){ 2, 0, 0 };
    def.spin = (vvVec3){ 0, 0, -4 };
    def.friction = 0.8;
    vvSoftBodyId body = makeBody(world, mesh, def);
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&plane, &result);
    CHECK_OK(result);
    floor.friction = 0.8;
    floor.restitution = 0;
    vvCreateCollider(world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    return body;
}

static inline vvSoftBodyId makeHeldOut(vvWorldId world, HeldOut scene)
{
    return scene == HELD_SWING ? makeSwing(world) : scene == HELD_SHEET ? makeStrip(world) : makeRolling(world);
}

// ---- mass inversion -------------------------------------------------------------------------------------------------

typedef struct Inversion
{
    double least, most; // of `numerical`, over the energy that goes to and fro
    double kinetic;     // J, mean over the last tenth
    int inverted;       // tets at a time, the most
} Inversion;

static inline Inversion runInversion(Setting setting, int frames)
{
    vvWorldId world = makeSettingWorld(setting, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e4, 0);
    def.velocity = (vvVec3){ 0, -3, 0 };
    vvSoftBodyId body = makeBody(world, makeUnstructured((vvVec3){ 0.28, 0.38, 0.27 }, 6, 8, 6, 0.22), def);
    const double *x = vvSoftBody_GetPositions(body);
    int pins[64], count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        if (x[3 * v + 1] > 0.175 && count < 64)
            pins[count++] = v;
    }
    CHECK_OK(vvSoftBody_Pin(body, pins, count));
    Inversion run = { 0 };
    double top = vvWorld_GetLedger(world).gravity, bottom = top, least = 0, most = 0;
    for (int frame = 0; frame < frames; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        vvLedger ledger = vvWorld_GetLedger(world);
        least = fmin(least, ledger.numerical);
        most = fmax(most, ledger.numerical);
        bottom = fmin(bottom, ledger.gravity);
        run.kinetic += frame >= frames - frames / 10 ? ledger.kinetic / (frames / 10) : 0;
        int inverted = 0;
        for (int t = 0; t < vvMesh_GetTetCount(vvSoftBody_GetMesh(body)); ++t)
            inverted += tetStretch(bodyFind(body), t) < 0;
        run.inverted = maxInt(run.inverted, inverted);
    }
    run.least = least / (top - bottom);
    run.most = most / (top - bottom);
    vvDestroyWorld(world);
    return run;
}

#endif
