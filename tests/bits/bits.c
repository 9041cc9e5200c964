// A few scenes, one line each: the hash of the last state and the energy, bit for bit; and shapes by their distances.
// run.sh compares compilers.
#include <verve/shape.h>
#include <verve/verve.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scene
{
    const char *name;
    const char *method; // NULL: the default
    const char *solver; // NULL: the default
    bool sphere;        // of silicone; else a box of rubber
    bool ground;        // with friction, a turning box and a ball that takes energy
    int steps;
    double timeStep; // s
    int threads;     // 0: the default
} Scene;

static const Scene scenes[] = {
    { "box default", NULL, NULL, false, false, 48, 1.0 / 60, 0 },
    { "box backward-euler", "backward-euler", NULL, false, false, 48, 1.0 / 60, 0 },
    { "box implicit-midpoint", "implicit-midpoint", NULL, false, false, 48, 1.0 / 60, 0 },
    { "box local-global", "backward-euler", "local-global", false, false, 48, 1.0 / 60, 0 },
    { "box symplectic-euler", "symplectic-euler", NULL, false, false, 480, 1.0 / 12000,
      0 }, // explicit: below the stability limit
    { "sphere backward-euler", "backward-euler", NULL, true, false, 36, 1.0 / 60, 0 },
    { "sphere implicit-midpoint", "implicit-midpoint", NULL, true, false, 36, 1.0 / 60, 0 },
    { "sphere local-global", "implicit-midpoint", "local-global", true, false, 36, 1.0 / 60, 0 },
    { "sphere local-global, 3 threads", "implicit-midpoint", "local-global", true, false, 36, 1.0 / 60, 3 },
    { "sphere newton-cg", "backward-euler", "newton-cg", true, false, 12, 1.0 / 60, 0 },
    { "box simplified-newton", "implicit-midpoint", "simplified-newton", false, false, 12, 1.0 / 60, 0 },
    { "sphere symplectic-euler", "symplectic-euler", NULL, true, false, 480, 1.0 / 12000, 0 },
    { "contact backward-euler", "backward-euler", "local-global", false, true, 48, 1.0 / 60, 0 },
    { "contact implicit-midpoint", "implicit-midpoint", NULL, true, true, 48, 1.0 / 60, 0 },
};

static int complain(const Scene *scene, const char *what, const vvResult *result)
{
    fprintf(stderr, "%s: %s: %s; %s\n", scene->name, what, result->message, result->remedy);
    return 1;
}

// the turning box; null when something failed
static vvColliderId placeGround(vvWorldId world)
{
    vvColliderId turning = { 0, 0, 0 };
    static const vvShapeKind kinds[3] = { VV_SHAPE_PLANE, VV_SHAPE_SPHERE, VV_SHAPE_BOX };
    for (int i = 0; i < 3; ++i)
    {
        vvShapeDef shapeDef = vvDefaultShapeDef();
        shapeDef.kind = kinds[i];
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shapeDef, NULL);
        def.position = (vvVec3){ 0.6 * (i - 1), i == 0 ? -0.6 : -0.9, 0.1 * i };
        def.rotation = vvQuat_FromDegrees((vvVec3){ 5, 0, 10 });
        def.restitution = i == 1 ? 0.5 : 1;
        turning = vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
    return turning;
}

static int run(const Scene *scene)
{
    vvResult result = { .code = VV_OK };
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    if (scene->method != NULL)
        worldDef.method = scene->method;
    if (scene->solver != NULL)
        worldDef.solver = scene->solver;
    if (scene->threads > 0)
        worldDef.threads = scene->threads; // where there are none, the caller does it all
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    if (result.code != VV_OK)
        return complain(scene, "world", &result);

    vvMesh *mesh = scene->sphere ? vvCreateSphereMesh(1, 3) : vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3);
    vvSoftBodyDef bodyDef = vvDefaultSoftBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.material = scene->sphere ? vvMaterial_Silicone() : vvMaterial_Rubber();
    bodyDef.velocity = (vvVec3){ 0.5, scene->ground ? -1 : 2, -0.25 };
    bodyDef.spin = (vvVec3){ 0, 0, 6 };
    bodyDef.damping.stiffness = scene->ground ? 1e-3 : 0;
    vvCreateSoftBody(world, &bodyDef, &result);
    if (result.code != VV_OK)
        return complain(scene, "body", &result);

    vvColliderId turning = scene->ground ? placeGround(world) : (vvColliderId){ 0, 0, 0 };
    for (int step = 0; step < scene->steps; ++step)
    {
        if (scene->ground)
            vvCollider_MoveTo(turning, (vvVec3){ 0.6, -0.9 + 0.005 * step, 0.2 },
                              vvQuat_FromDegrees((vvVec3){ 5, 2.0 * step, 10 }));
        result = vvWorld_Step(world, scene->timeStep);
        if (result.code != VV_OK)
            return complain(scene, "step", &result);
    }
    double total = vvWorld_GetLedger(world).total;
    if (!isfinite(total))
        return complain(scene, "the energy is not finite", &result);
    printf("%016" PRIx64 " %a J %s\n", vvWorld_GetHash(world), total, scene->name);
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
    return 0;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

// the same numbers everywhere, in [-1, 1)
static double scatter(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void hashNumber(uint64_t *hash, double number)
{
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    *hash = (*hash ^ word) * 0x100000001b3ULL;
}

// a hull, a spiked octahedron exact and sampled, and a heightfield, asked at many points
static int runShape(const char *name, vvShapeKind kind, double sampling)
{
    static const int octahedron[24] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };
    static const double spikes[18] = { 1, 0.1, 0, -0.7, 0, 0.2, 0, 1.3, 0, 0.1, -0.6, 0, 0, 0, 0.9, 0.3, 0, -1.1 };
    double numbers[300];
    uint64_t seed = 7, hash = 0xcbf29ce484222325ULL;
    for (int i = 0; i < 300; ++i)
        numbers[i] = scatter(&seed);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    def.points = kind == VV_SHAPE_MESH ? spikes : numbers;
    def.pointCount = kind == VV_SHAPE_MESH ? 6 : 100;
    def.triangles = octahedron;
    def.triangleCount = 8;
    def.sampling = sampling;
    def.heights = numbers;
    def.columns = 20;
    def.rows = 15;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
    {
        fprintf(stderr, "%s: %s; %s\n", name, result.message, result.remedy);
        return 1;
    }
    for (int i = 0; i < 20000; ++i)
    {
        vvVec3 point, normal;
        point.x = 1.5 * scatter(&seed);
        point.y = 1.5 * scatter(&seed);
        point.z = 1.5 * scatter(&seed);
        hashNumber(&hash, vvShape_GetDistance(shape, point, &normal));
        hashNumber(&hash, normal.x);
        hashNumber(&hash, normal.y);
        hashNumber(&hash, normal.z);
    }
    printf("%016" PRIx64 " %s\n", hash, name);
    vvDestroyShape(shape);
    return 0;
}

// an open tube filled with tets, and what a cage carries, bent
static int runSolid(const char *name, vvSolidKind kind)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    vvMeshDef surface = vvDefaultMeshDef();
    surface.shape = VV_MESH_TUBE;
    surface.size = (vvVec3){ 0.7, 1.3, 1 };
    surface.cells[0] = 17;
    surface.rotate = (vvVec3){ 10, 20, 30 };
    vvSolidDef def = vvDefaultSolidDef();
    def.kind = kind;
    def.cells = 6;
    def.grading = kind == VV_SOLID_CAGE;
    def.surfaceEdge = kind == VV_SOLID_CAGE ? 0 : 0.15;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, &result);
    if (mesh == NULL)
    {
        fprintf(stderr, "%s: %s; %s\n", name, result.message, result.remedy);
        return 1;
    }
    double bent[6000];
    float normals[3000] = { 0 };
    for (int i = 0; i < 3 * vvMesh_GetVertexCount(mesh); ++i)
    {
        double x = vvMesh_GetPoints(mesh)[i];
        hashNumber(&hash, x);
        bent[i] = x + 0.3 * x * x;
    }
    for (int i = 0; i < 4 * vvMesh_GetTetCount(mesh); ++i)
        hashNumber(&hash, vvMesh_GetTets(mesh)[i]);
    vvRenderTarget target = { .normals = normals, .normalStride = 12 };
    if (vvMesh_GetEmbedding(mesh) != NULL)
        vvEmbedding_Write(vvMesh_GetEmbedding(mesh), bent, &target);
    for (int i = 0; i < 3000; ++i)
        hashNumber(&hash, (double)normals[i]);
    printf("%016" PRIx64 " %s\n", hash, name);
    vvDestroyMesh(mesh);
    return 0;
}

// a model, and where its points walk
static int runFigure(void)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FIGURE;
    def.cells[0] = 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    int count = mesh != NULL ? vvMesh_GetVertexCount(mesh) : 0;
    double *points = malloc(24 * (size_t)count);
    if (count == 0 || points == NULL || vvWalkFigure(1, 0.83, vvMesh_GetPoints(mesh), count, points).code != VV_OK)
    {
        fprintf(stderr, "there is no figure\n");
        return 1;
    }
    for (int i = 0; i < 3 * count; ++i)
    {
        hashNumber(&hash, vvMesh_GetPoints(mesh)[i]);
        hashNumber(&hash, points[i]);
    }
    printf("%016" PRIx64 " figure\n", hash);
    free(points);
    vvDestroyMesh(mesh);
    return 0;
}

// a sheet or a box with every constraint that it can have
static int runConstraints(const char *name, bool sheet, const char *solver, int threads)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler";
    worldDef.solver = solver;
    worldDef.threads = threads;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = sheet ? vvCreateSheetMesh(1, 1, 8, 8) : vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3);
    const double *example = vvMesh_GetPoints(def.mesh);
    def.model = sheet ? "triangle" : "corotated";
    def.bendingModel = sheet && threads > 1 ? "dihedral" : NULL;
    def.material = (vvMaterial){ .density = 1000, .young = 2e4, .poisson = 0.3, .thickness = 0.01 };
    def.strainLimit = (vvStrainLimit){ .min = 0.95, .max = 1.05 };
    def.areaStiffness = sheet ? 1e4 : 0;
    def.volumeStiffness = sheet ? 0 : 1e5;
    def.shapeStiffness = 20;
    def.pressure = sheet ? 0 : 100;
    def.examples = &example;
    def.exampleCount = sheet ? 0 : 1;
    def.spin = (vvVec3){ 3, 1, 2 };
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    int pins[1] = { 0 };
    if (result.code == VV_OK)
        result = vvSoftBody_Pin(body, pins, 1);
    for (int step = 0; step < 30 && result.code == VV_OK; ++step)
        result = vvWorld_Step(world, 1.0 / 60);
    if (result.code != VV_OK)
        fprintf(stderr, "%s: %s; %s\n", name, result.message, result.remedy);
    printf("%016" PRIx64 " %s\n", vvWorld_GetHash(world), name);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return result.code != VV_OK;
}

int main(void)
{
    int failures = runConstraints("sheet local-global", true, "local-global", 1) +
                   runConstraints("sheet newton", true, "newton", 2) +
                   runConstraints("constraints local-global", false, "local-global", 2) +
                   runConstraints("constraints newton", false, "newton", 1);
    failures += runShape("hull", VV_SHAPE_CONVEX, 0) + runShape("mesh", VV_SHAPE_MESH, 0) +
                runShape("samples", VV_SHAPE_MESH, 0.1) + runShape("heightfield", VV_SHAPE_HEIGHTFIELD, 0);
    failures += runSolid("solid", VV_SOLID_CONFORMING) + runSolid("cage", VV_SOLID_CAGE) + runFigure();
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        failures += run(&scenes[i]);
    return failures > 0;
}
