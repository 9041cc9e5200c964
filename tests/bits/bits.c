// A few scenes, one line each: the hash of the last state and the energy, bit for bit. run.sh compares compilers.
#include <verve/verve.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct Scene
{
    const char *name;
    const char *method; // NULL: the default
    const char *solver; // NULL: the default
    bool sphere;        // of silicone; else a box of rubber
    int steps;
    double timeStep; // s
    int threads;     // 0: the default
} Scene;

static const Scene scenes[] = {
    { "box default", NULL, NULL, false, 48, 1.0 / 60, 0 },
    { "box backward-euler", "backward-euler", NULL, false, 48, 1.0 / 60, 0 },
    { "box implicit-midpoint", "implicit-midpoint", NULL, false, 48, 1.0 / 60, 0 },
    { "box local-global", "backward-euler", "local-global", false, 48, 1.0 / 60, 0 },
    { "box symplectic-euler", "symplectic-euler", NULL, false, 480,
      1.0 / 12000, 0 }, // explicit: below the stability limit
    { "sphere backward-euler", "backward-euler", NULL, true, 36, 1.0 / 60, 0 },
    { "sphere implicit-midpoint", "implicit-midpoint", NULL, true, 36, 1.0 / 60, 0 },
    { "sphere local-global", "implicit-midpoint", "local-global", true, 36, 1.0 / 60, 0 },
    { "sphere local-global, 3 threads", "implicit-midpoint", "local-global", true, 36, 1.0 / 60, 3 },
    { "sphere symplectic-euler", "symplectic-euler", NULL, true, 480, 1.0 / 12000, 0 },
};

static int complain(const Scene *scene, const char *what, const vvResult *result)
{
    fprintf(stderr, "%s: %s: %s; %s\n", scene->name, what, result->message, result->remedy);
    return 1;
}

static int run(const Scene *scene)
{
    vvResult result = { .code = VV_OK };
    vvWorldDef worldDef = vvDefaultWorldDef();
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
    bodyDef.velocity = (vvVec3){ 0.5, 2, -0.25 };
    bodyDef.spin = (vvVec3){ 0, 0, 6 };
    vvCreateSoftBody(world, &bodyDef, &result);
    if (result.code != VV_OK)
        return complain(scene, "body", &result);

    for (int step = 0; step < scene->steps; ++step)
    {
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

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        failures += run(&scenes[i]);
    return failures > 0;
}
