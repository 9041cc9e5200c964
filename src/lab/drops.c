// verve lab drops: bodies that fall 1 m onto stiff ground (Dinev 2018, Figs 13 and 15), in steps of 10 ms, against
// symplectic Euler in small steps. Bodies: a cube, a sphere of 2,057 vertices, and a bar that lands on an edge, and a
// torus, on which nothing was tuned. Apexes are those of the centre of mass, over the drop from where the body just
// touches; energies are fractions of M g drop.
#include "lab/lab.h"

#include "base/base.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <verve/verve.h>

#define STEP 0.01        // s
#define SMALL 5e-5       // s, of the reference: below the limit of the lightest vertex on 1e7 N/m
#define QUICK 1.4        // s that are watched where that is wanted: the first apex
#define GRAVITY 9.81     // m/s^2
#define APEXES 3         // that are looked for
#define SIGNIFICANT 0.01 // m, by which a centre has to rise for its apex to count

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef struct Faller
{
    const char *name;
    double young;   // Pa
    double seconds; // that it is watched
    vvMesh *(*mesh)(void);
} Faller;

static vvMesh *cubeMesh(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4);
}

static vvMesh *sphereMesh(void)
{
    return vvCreateSphereMesh(1, 8);
}

static vvMesh *barMesh(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_BOX;
    def.size = (vvVec3){ 1.2, 0.5, 0.6 };
    def.cells[0] = 7;
    def.cells[1] = def.cells[2] = 3;
    def.rotate = (vvVec3){ 0, 0, 25 };
    return vvCreateMesh(&def, NULL);
}

static vvMesh *torusMesh(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TORUS;
    def.size = (vvVec3){ 1, 0.3, 1 };
    def.cells[0] = 2;
    def.cells[1] = 18;
    def.rotate = (vvVec3){ 50, 0, 20 };
    return vvCreateMesh(&def, NULL);
}

static const Faller fallers[] = {
    { "cube", 1e5, 3, cubeMesh },
    { "sphere", 1e5, 1.2, sphereMesh },
    { "bar", 3e5, 1.2, barMesh },
    { "torus", 2e5, 1.2, torusMesh },
};

static vvResult addCollider(vvWorldId world, const vvShapeDef *shape, vvVec3 position, double stiffness)
{
    vvResult result;
    vvColliderDef def = vvDefaultColliderDef();
    def.restitution = 1;
    def.shape = vvCreateShape(shape, &result);
    def.position = position;
    def.friction = 0;
    def.vertexStiffness = stiffness;
    if (result.code == VV_OK)
        vvCreateCollider(world, &def, &result);
    vvDestroyShape(def.shape);
    return result;
}

// tops of both at y = 0
static vvResult addGround(vvWorldId world, bool spheres, double stiffness)
{
    vvResult result = resultOk();
    vvShapeDef shape = vvDefaultShapeDef();
    if (!spheres)
        return addCollider(world, &shape, (vvVec3){ 0, 0, 0 }, stiffness);
    shape.kind = VV_SHAPE_SPHERE;
    shape.radius = 0.4;
    for (int i = 0; i < 4 && result.code == VV_OK; ++i)
    {
        vvVec3 centre = { i % 2 ? 0.35 : -0.35, -shape.radius, i / 2 ? 0.35 : -0.35 };
        result = addCollider(world, &shape, centre, stiffness);
    }
    return result;
}

static vvSoftBodyId addFaller(vvWorldId world, const Faller *faller, vvResult *result)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.loss = 0;
    vvMesh *mesh = faller->mesh();
    def.mesh = mesh;
    def.material.density = 1000;
    def.material.young = faller->young;
    def.material.poisson = 0;
    double lowest = INFINITY;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        lowest = minReal(lowest, vvMesh_GetPoints(mesh)[3 * v + 1]);
    def.position.y = 1 - lowest;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, result);
    vvDestroyMesh(mesh); // the body keeps it
    return body;
}

// ---- methods --------------------------------------------------------------------------------------------------------

typedef struct Variant
{
    const char *name, *method, *solver;
    bool accelerate;
    bool quick; // few vertices take so long under it that only the cube falls
} Variant;

static const Variant variants[] = {
    { "reference", "symplectic-euler", "local-global", false, false },
    { "small-midpoint", "small-midpoint", "local-global", false, false },
    { "stabilized", "stabilized", "local-global", false, false },
    { "stabilized accelerated", "stabilized", "local-global", true, false },
    { "stabilized newton", "stabilized", "newton", false, true },
};

typedef struct Fall
{
    double apex[APEXES];         // of the drop
    double most, least;          // above and below the target, as fractions of M g drop
    int substeps, blends, fails; // the most in a step; steps; times
    double seconds;              // of this process
} Fall;

// looks for places where the centre turned
typedef struct Turns
{
    double low, high; // m, since the last apex
    int count;
} Turns;

static void lookForApex(Turns *turns, double height, Fall *fall)
{
    bool fell = turns->high - turns->low > SIGNIFICANT && height < turns->high - 0.1 * SIGNIFICANT;
    if (fell && turns->count < APEXES)
    {
        fall->apex[turns->count++] = turns->high;
        turns->low = turns->high = height;
    }
    turns->high = height < turns->low ? height : maxReal(turns->high, height);
    turns->low = minReal(turns->low, height);
}

static vvResult watchFall(vvWorldId world, double seconds, double step, double mass, double lift, Fall *fall)
{
    vvResult result = resultOk();
    double drop = GRAVITY * mass;
    Turns turns = { .low = 1, .high = 1 };
    int steps = (int)(seconds / step + 0.5);
    for (int n = 0; n < steps && result.code == VV_OK; ++n)
    {
        result = vvWorld_Step(world, step);
        vvLedger ledger = vvWorld_GetLedger(world);
        vvStatistics statistics = vvWorld_GetStatistics(world);
        fall->most = maxReal(fall->most, ledger.numerical / drop);
        fall->least = minReal(fall->least, ledger.numerical / drop);
        fall->substeps = maxInt(fall->substeps, statistics.iterations);
        fall->blends += statistics.alpha != 0;
        fall->fails += statistics.blendFailures;
        lookForApex(&turns, ledger.gravity / drop - lift, fall);
    }
    return result;
}

static vvResult dropOnce(const Faller *faller, double seconds, bool spheres, double stiffness, const Variant *variant,
                         Fall *fall)
{
    vvResult result;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = variant->method;
    def.solver = variant->solver;
    def.settings.localGlobal.accelerate = variant->accelerate;
    vvWorldId world = vvCreateWorld(&def, &result);
    vvSoftBodyId body = { 0 };
    if (result.code == VV_OK)
        body = addFaller(world, faller, &result);
    if (result.code == VV_OK)
        result = addGround(world, spheres, stiffness);
    double step = strcmp(variant->name, "reference") == 0 ? SMALL : STEP, since = (double)clock();
    *fall = (Fall){ .apex = { NAN, NAN, NAN } };
    if (result.code == VV_OK)
    {
        double mass = vvSoftBody_GetMass(body);
        double lift = vvWorld_GetLedger(world).gravity / (GRAVITY * mass) - 1; // of the centre where it just touches
        result = watchFall(world, seconds, step, mass, lift, fall);
    }
    fall->seconds = ((double)clock() - since) / CLOCKS_PER_SEC;
    vvDestroyWorld(world);
    return result;
}

// ---- the page -------------------------------------------------------------------------------------------------------

static void row(LabTable *table, const char *body, bool spheres, double stiffness, const char *variant,
                const Fall *fall)
{
    labText(table, body);
    labText(table, spheres ? "spheres" : "plane");
    labNumber(table, stiffness);
    labText(table, variant);
    for (int i = 0; i < APEXES; ++i)
        labNumber(table, fall->apex[i]);
    labNumber(table, fall->most);
    labNumber(table, fall->least);
    labNumber(table, fall->substeps);
    labNumber(table, fall->blends);
    labNumber(table, fall->fails);
    labNumber(table, fall->seconds);
    fflush(table->out);
}

static bool isVariant(const char *name)
{
    for (size_t k = 0; k < sizeof variants / sizeof variants[0]; ++k)
    {
        if (strcmp(variants[k].name, name) == 0)
            return true;
    }
    return false;
}

static bool isFaller(const char *name)
{
    for (size_t k = 0; k < sizeof fallers / sizeof fallers[0]; ++k)
    {
        if (strcmp(fallers[k].name, name) == 0)
            return true;
    }
    return false;
}

static bool check(const LabWish *wish)
{
    if (wish->method != NULL && !isVariant(wish->method))
        fprintf(stderr,
                "verve lab: drops has no method '%s'; it has reference, small-midpoint, stabilized, 'stabilized "
                "accelerated' and 'stabilized newton'\n",
                shown(wish->method));
    else if (wish->problem != NULL && !isFaller(wish->problem))
        fprintf(stderr, "verve lab: drops has no problem '%s'; it has cube, sphere, bar and torus\n",
                shown(wish->problem));
    else
        return true;
    return false;
}

static int run(LabTable *table, const LabWish *wish)
{
    static const double stiffness[] = { 1e5, 1e6, 1e7 };
    if (!check(wish))
        return EXIT_BAD_INPUT;
    labColumns(table, "body,ground,stiffness,method,apex,second,third,most,least,substeps,blends,failures,seconds");
    for (int i = 0; i < 24; ++i)
    {
        const Faller *faller = &fallers[i / 6];
        bool spheres = i / 3 % 2;
        if (!labWants(wish->problem, faller->name) || (wish->quick && (i / 6 > 0 || i % 3 > 0)))
            continue;
        for (size_t k = 0; k < sizeof variants / sizeof variants[0]; ++k)
        {
            Fall fall;
            const Variant *variant = &variants[k];
            if (!labWants(wish->method, variant->name) || (variant->quick && i / 6 > 0))
                continue;
            double seconds = wish->quick ? QUICK : faller->seconds;
            vvResult result = dropOnce(faller, seconds, spheres, stiffness[i % 3], variant, &fall);
            if (result.code == VV_DIVERGED)
                fall.most = INFINITY;
            else if (result.code != VV_OK)
                return complain(&labCommand, &result);
            row(table, faller->name, spheres, stiffness[i % 3], variant->name, &fall);
        }
    }
    return EXIT_DONE;
}

const LabPage labDrops = {
    "drops", "apexes and energy of bodies that fall on stiff ground, against small steps", run, NULL, NULL, NULL, NULL
};
