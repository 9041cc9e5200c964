// Models: what holds a body together, and the damper of its strain rates.
#include "world/world.h"

#include <stdio.h>
#include <string.h>

typedef enum Need
{
    NEED_EDGES,     // any mesh
    NEED_TRIANGLES, // a sheet
    NEED_GRID,      // a sheet whose vertices lie on one
    NEED_TETS,      // a solid
} Need;

// One row a model: `create` makes body->elastic of this kind and, where there is damping, the first of
// body->damper.
typedef struct Model
{
    const char *word;
    const EnergyKind *kind, *damper;
    bool sweepDamps; // its sweep has the damper in its compliance; of others the damper acts by itself
    Need need;
    vvResult (*create)(Body *body, const vvSoftBodyDef *def, const struct Model *model, Recipe *recipe);
} Model;

vvResult bodyEnterDamper(Body *body, Energy *energy)
{
    if (energy == NULL)
        return resultOutOfMemory("the damping of a body");
    ASSERT(body->damperCount < BODY_DAMPERS, "a body has room for every kind of damper");
    body->damper[body->damperCount++] = energy;
    return resultOk();
}

// ---- makers ---------------------------------------------------------------------------------------------------------

// of the stiffness of an element, by its number in the caller's order
static double factorOf(const vvSoftBodyDef *def, int element)
{
    return def->elementStiffness != NULL ? def->elementStiffness[element] : 1;
}

#define SIDE_HOLD 0.2 // over the share of mass: springs that hold a vertex beside a rod, as parts of its segment's

// N/m of one of the two springs that hold a vertex beside a segment of a rod: it swings with about a quarter of the
// frequency with which the segment stretches
static double holdStiffness(const vvSoftBodyDef *def, int edge)
{
    const double *point = def->mesh->point;
    const int *corner = def->mesh->edge + 2 * (ptrdiff_t)edge;
    double t = def->material.thickness, away = sqrt(0.25 + SIDE_DISTANCE * SIDE_DISTANCE);
    Vec3 d = vecSub(vecLoad(point + 3 * (ptrdiff_t)corner[1]), vecLoad(point + 3 * (ptrdiff_t)corner[0]));
    double length = vecLength(d) / away;
    return SIDE_HOLD * meshSideShare(length, t) * def->material.young * PI * t * t / 4 / length;
}

// a spring that holds a vertex beside a rod
static bool isHold(const vvMesh *mesh, int edge)
{
    return mesh->edgeSide != NULL && mesh->edgeKind[edge] == VV_EDGE_SHEAR;
}

// N/m of an edge whose share of the matter is 1
static double matterStiffness(const vvSoftBodyDef *def)
{
    MeshMatter matter = def->mesh->matter;
    double t = def->material.thickness;
    return def->material.young * (matter == MATTER_SOLID ? 1 : matter == MATTER_SHEET ? t : PI * t * t / 4);
}

// N/m of one edge of the mesh; `matter` is that of matterStiffness
static inline double edgeStiffness(const vvSoftBodyDef *def, double matter, int edge)
{
    const vvMesh *mesh = def->mesh;
    double given = def->springStiffness[mesh->edgeKind[edge]], factor = factorOf(def, mesh->edgeToCaller[edge]);
    if (given >= 0)
        return factor * given;
    if (isHold(mesh, edge))
        return factor * holdStiffness(def, edge);
    return factor * (matter * mesh->edgeShare[edge]);
}

static vvResult createSprings(Body *body, const vvSoftBodyDef *def, const Model *model, Recipe *recipe)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = def->mesh;
    int count = 0;
    double matter = matterStiffness(def);
    int *pairs = ALLOCATE_BARE(memory, int, 2 * (size_t)mesh->edgeCount);
    double *stiffness = ALLOCATE_BARE(memory, double, mesh->edgeCount);
    bool damped = def->damping.spring > 0 || def->damping.stiffness > 0, holds = mesh->edgeSide != NULL;
    double *viscous = ALLOCATE_BARE(memory, double, damped ? mesh->edgeCount : 0);
    double *factor = ALLOCATE_BARE(memory, double, holds ? mesh->edgeCount : 0);
    vvResult result = pairs && stiffness && viscous && factor ? resultOk() : resultOutOfMemory("the springs of a body");
    for (int e = 0; e < mesh->edgeCount && result.code == VV_OK; ++e)
    {
        double k = edgeStiffness(def, matter, e);
        if (k <= 0)
            continue; // a spring that is left out
        pairs[2 * count] = mesh->edge[2 * e];
        pairs[2 * count + 1] = mesh->edge[2 * e + 1];
        bool hold = isHold(mesh, e); // no spring of the material
        if (damped)
            viscous[count] = (hold ? 0 : def->damping.spring) + def->damping.stiffness * k;
        if (holds)
            factor[count] = hold ? INFINITY : 1;
        stiffness[count++] = k;
    }
    if (result.code == VV_OK && count == 0 && !mesh->particles)
        result = resultMake(VV_BAD_INPUT, "give springStiffness a value above 0 for a kind of edge the mesh has",
                            "none of the %d edges has a stiffness above 0", mesh->edgeCount);
    if (result.code == VV_OK)
    {
        recipe->strength = stiffness;
        recipe->yieldFactor = holds ? factor : NULL;
        body->elastic = energyCreate(memory, model->kind, body->count, count, pairs, recipe);
        recipe->strength = viscous; // N s/m from here on
        recipe->twin = body->elastic;
        if (damped)
            result = bodyEnterDamper(body, energyCreate(memory, model->damper, body->count, count, pairs, recipe));
        if (body->elastic == NULL)
            result = resultOutOfMemory("the springs of a body");
    }
    memoryRelease(memory, pairs);
    memoryRelease(memory, stiffness);
    memoryRelease(memory, viscous);
    memoryRelease(memory, factor);
    return result;
}

// Elements of a model that is no spring.
typedef struct Cells
{
    int count;
    const int *vertices;       // count x corners
    const int *toCaller;       // count; NULL: the caller's order
    double matter, rateMatter; // factors of the strengths of the energy and of its damper
} Cells;

// an energy over elements and, where strain rates are damped, its damper
static vvResult createStrained(Body *body, const vvSoftBodyDef *def, const Model *model, Cells cells, Recipe *recipe)
{
    Memory *memory = &body->world->memory;
    bool damped = def->damping.stiffness > 0;
    double *strength = ALLOCATE(memory, double, cells.count);
    for (int e = 0; strength != NULL && e < cells.count; ++e)
        strength[e] = factorOf(def, cells.toCaller ? cells.toCaller[e] : e) * cells.matter;
    recipe->strength = strength;
    if (strength != NULL)
        body->elastic = energyCreate(memory, model->kind, body->count, cells.count, cells.vertices, recipe);
    for (int e = 0; strength != NULL && e < cells.count; ++e)
        strength[e] =
            factorOf(def, cells.toCaller ? cells.toCaller[e] : e) * (def->damping.stiffness * cells.rateMatter);
    recipe->viscosity = def->damping.stiffness; // whether its sweep damps or not
    recipe->twin = body->elastic;
    vvResult result = body->elastic != NULL ? resultOk() : resultOutOfMemory("the elements of a body");
    if (result.code == VV_OK && damped)
        result = bodyEnterDamper(body,
                                 energyCreate(memory, model->damper, body->count, cells.count, cells.vertices, recipe));
    memoryRelease(memory, strength);
    return result;
}

// four elements a cell: each corner with its neighbours along both directions
static vvResult createMembrane(Body *body, const vvSoftBodyDef *def, const Model *model, Recipe *recipe)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = def->mesh;
    MeshGrid grid;
    if (!meshGrid(mesh, &grid))
        return resultMake(VV_BAD_INPUT, "use a sheet mesh", "the mesh is no grid");
    int count = 4 * grid.nx * grid.nz, line = grid.nz + 1;
    int *corners = ALLOCATE(memory, int, 3 * (size_t)count);
    for (int e = 0; corners != NULL && e < count; ++e)
    {
        int cell = e / 4, i = e % 4 / 2, k = e % 2;
        int first = cell / grid.nz * line + cell % grid.nz;
        const int caller[3] = { first + i * line + k, first + (1 - i) * line + k, first + i * line + 1 - k };
        for (int c = 0; c < 3; ++c)
            corners[3 * e + c] = mesh->vertexFromCaller[caller[c]];
    }
    double t = def->material.thickness;
    Cells cells = { .count = count, .vertices = corners, .matter = t, .rateMatter = t };
    vvResult result =
        corners ? createStrained(body, def, model, cells, recipe) : resultOutOfMemory("the grid of a body");
    memoryRelease(memory, corners);
    return result;
}

static vvResult createTriangles(Body *body, const vvSoftBodyDef *def, const Model *model, Recipe *recipe)
{
    // elements of its damper stand for a quarter of a parallelogram, triangles are half of one
    double t = def->material.thickness;
    Cells cells = {
        .count = def->mesh->surfaceCount, .vertices = def->mesh->surface, .matter = 1, .rateMatter = 2 * t
    };
    return createStrained(body, def, model, cells, recipe);
}

// cells of boxes are swept as units
static vvResult createTets(Body *body, const vvSoftBodyDef *def, const Model *model, Recipe *recipe)
{
    const vvMesh *mesh = def->mesh;
    Memory *memory = &body->world->memory;
    int *unit = mesh->cellTets > 0 ? ALLOCATE(memory, int, mesh->tetCount) : NULL;
    for (int t = 0; t < mesh->tetCount && unit != NULL; ++t)
        unit[t] = mesh->tetToCaller[t] / mesh->cellTets;
    recipe->unit = unit;
    Cells cells = {
        .count = mesh->tetCount, .vertices = mesh->tet, .toCaller = mesh->tetToCaller, .matter = 1, .rateMatter = 1
    };
    vvResult result = unit != NULL || mesh->cellTets == 0 ? createStrained(body, def, model, cells, recipe)
                                                          : resultOutOfMemory("the cells of a body");
    memoryRelease(memory, unit);
    return result;
}

// ---- the list -------------------------------------------------------------------------------------------------------

static const Model models[] = {
    { "corotated", &corotatedKind, &corotatedDamperKind, true, NEED_TETS, createTets },
    { "stable-neo-hookean", &neoHookeanKind, &corotatedDamperKind, false, NEED_TETS, createTets },
    { "stvk", &stvkKind, &corotatedDamperKind, false, NEED_TETS, createTets },
    { "mooney-rivlin", &mooneyRivlinKind, &corotatedDamperKind, false, NEED_TETS, createTets },
    { "ogden", &ogdenKind, &corotatedDamperKind, false, NEED_TETS, createTets },
    { "smoothed", &smoothedKind, &corotatedDamperKind, true, NEED_TETS, createTets },
    { "linear", &linearKind, &corotatedDamperKind, true, NEED_TETS, createTets },
    { "spring", &springKind, &springDamperKind, true, NEED_EDGES, createSprings },
    { "squared-spring", &squaredSpringKind, &springDamperKind, true, NEED_EDGES, createSprings },
    { "curve", &curveKind, &springDamperKind, false, NEED_EDGES, createSprings },
    { "triangle-curve", &triangleCurveKind, &membraneDamperKind, false, NEED_TRIANGLES, createTriangles },
    { "tet-curve", &tetCurveKind, &corotatedDamperKind, false, NEED_TETS, createTets },
    { "membrane", &membraneKind, &membraneDamperKind, false, NEED_GRID, createMembrane },
    { "triangle", &triangleKind, &membraneDamperKind, false, NEED_TRIANGLES, createTriangles },
    { "woven", &wovenKind, &wovenDamperKind, false, NEED_TRIANGLES, createTriangles },
};
#define MODELS ((int)(sizeof models / sizeof models[0]))

const char *vvGetModelName(int index)
{
    return index >= 0 && index < MODELS ? models[index].word : NULL;
}

static const Model *modelOf(const Body *body)
{
    const Model *model = models;
    while (model->kind != body->elastic->kind)
        model += 1;
    return model;
}

const char *bodyModel(const Body *body)
{
    return modelOf(body)->word;
}

const char *vvSoftBody_GetModel(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? bodyModel(body) : "";
}

// what a mesh of this matter may have
static bool isFor(const Model *model, MeshMatter matter)
{
    return model->need == NEED_EDGES || (model->need == NEED_TETS) == (matter == MATTER_SOLID);
}

static vvResult findModel(const char *word, MeshMatter matter, const Model **found)
{
    const char *names[MODELS], *fitting[MODELS];
    char remedy[sizeof((vvResult){ 0 }).remedy] = "use ";
    int count = 0;
    for (int i = 0; i < MODELS; ++i)
    {
        names[i] = models[i].word;
        if (strcmp(word, names[i]) == 0)
        {
            *found = &models[i];
            return resultOk();
        }
        if (isFor(&models[i], matter))
            fitting[count++] = names[i];
    }
    for (int i = 0; i < count; ++i)
    {
        size_t used = strlen(remedy);
        snprintf(remedy + used, sizeof remedy - used, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", fitting[i]);
    }
    return resultMake(VV_BAD_INPUT, remedy, "there is no model '%.60s', did you mean '%s'", word,
                      nearestWord(word, names, MODELS));
}

static vvResult checkFactors(const vvSoftBodyDef *def, int count)
{
    for (int e = 0; e < count && def->elementStiffness != NULL; ++e)
    {
        double factor = def->elementStiffness[e];
        if (!(factor >= 1e-9 && factor <= 1e9) || !isModest(factor * def->material.young))
            return resultMake(VV_BAD_INPUT, "1 is the material itself, 10 is ten times as stiff",
                              "elementStiffness[%d] is %g, must be 1e-9 to 1e9, and times young at most 1e30", e,
                              factor);
    }
    return resultOk();
}

static const char *modelWord(const vvSoftBodyDef *def)
{
    return def->model != NULL ? def->model : def->mesh->tetCount > 0 ? "corotated" : "spring";
}

static vvResult chooseModel(const vvSoftBodyDef *def, const Model **found)
{
    const vvMesh *mesh = def->mesh;
    bool solid = mesh->tetCount > 0;
    const char *word = modelWord(def);
    vvResult result = findModel(word, mesh->matter, found);
    if (result.code != VV_OK)
        return result;
    Need need = (*found)->need;
    MeshGrid grid;
    if (need == NEED_TETS && !solid)
        return resultMake(VV_BAD_INPUT, "use \"spring\", or a mesh with tets",
                          "model '%s' needs tets and the mesh has none", word);
    if (need == NEED_TRIANGLES && mesh->matter != MATTER_SHEET)
        return resultMake(VV_BAD_INPUT, solid ? "use \"corotated\"" : "use \"spring\", or a mesh with triangles",
                          "model '%s' needs a sheet and the mesh is a %s", word, solid ? "solid" : "rope");
    if (need == NEED_GRID && !meshGrid(mesh, &grid))
        return resultMake(VV_BAD_INPUT, "use a sheet mesh with both diagonals (diagonals: 2), or model \"spring\"",
                          "model '%s' takes differences on a grid and the mesh is none", word);
    if (def->damping.spring > 0 && need != NEED_EDGES)
        return resultMake(VV_BAD_INPUT, "use damping.stiffness, or model \"spring\"",
                          "damping.spring is %g N s/m and model '%s' has no springs", def->damping.spring, word);
    if (def->plasticity.yield > 0 && (*found)->kind->yields == NULL)
        return resultMake(VV_BAD_INPUT, need == NEED_TETS ? "use \"corotated\"" : "use \"triangle\" or \"spring\"",
                          "plasticity.yield is %g Pa and model '%s' does not yield", def->plasticity.yield, word);
    if (def->elementStiffness != NULL && need == NEED_GRID)
        return resultMake(VV_BAD_INPUT, "use \"triangle\" or \"spring\"",
                          "elementStiffness is given and the elements of model '%s' are no cells of the mesh", word);
    if (def->elementWarp != NULL && (*found)->kind != &wovenKind)
        return resultMake(VV_BAD_INPUT, "use \"woven\", or leave elementWarp out",
                          "elementWarp is given and model '%s' has no warp", word);
    result = checkLaw(def, (*found)->kind);
    if (result.code != VV_OK)
        return result;
    return need == NEED_TETS        ? checkFactors(def, mesh->tetCount)
           : need == NEED_TRIANGLES ? checkFactors(def, mesh->surfaceCount)
                                    : checkFactors(def, mesh->edgeCount);
}

// of the elements of a model in its mesh
static int cornersOf(const Model *model)
{
    return model->need == NEED_TETS ? 4 : model->need == NEED_TRIANGLES ? 3 : model->need == NEED_EDGES ? 2 : 0;
}

int vvSoftBodyDef_GetElementCorners(const vvSoftBodyDef *def)
{
    const Model *model = NULL;
    if (def == NULL || def->mesh == NULL)
        return 0;
    return findModel(modelWord(def), def->mesh->matter, &model).code == VV_OK ? cornersOf(model) : 0;
}

vvResult bodyCreateElastic(Body *body, const vvSoftBodyDef *def)
{
    const Model *model = NULL;
    vvResult result = chooseModel(def, &model);
    if (result.code != VV_OK)
        return result;
    Recipe recipe = { .rest = def->mesh->point,
                      .young = def->material.young,
                      .poisson = def->material.poisson,
                      .thickness = def->material.thickness,
                      .law = &def->law,
                      .directions = def->elementWarp,
                      .viscosity = model->sweepDamps ? def->damping.stiffness : 0,
                      .dashpot = model->sweepDamps ? def->damping.spring : 0,
                      .former = body->inherited,
                      .isa = body->world->isa };
    plasticRecipe(def, &recipe);
    return model->create(body, def, model, &recipe);
}

// the mean over the matter of the factors of its elements
static double meanFactor(const vvSoftBodyDef *def)
{
    const vvMesh *mesh = def->mesh;
    bool solid = mesh->matter == MATTER_SOLID;
    int count = solid ? mesh->tetCount : mesh->surfaceCount, corners = solid ? 4 : 3;
    double sum = 0, whole = 0;
    for (int e = 0; e < count && def->elementStiffness != NULL; ++e)
    {
        const int *corner = (solid ? mesh->tet : mesh->surface) + (ptrdiff_t)corners * e;
        Vec3 edge[3] = { { 0, 0, 0 } }, origin = vecLoad(mesh->point + 3 * (ptrdiff_t)corner[0]);
        for (int c = 1; c < corners; ++c)
            edge[c - 1] = vecSub(vecLoad(mesh->point + 3 * (ptrdiff_t)corner[c]), origin);
        Vec3 area = vecCross(edge[0], edge[1]);
        double size = solid ? fabs(vecDot(area, edge[2])) : vecLength(area);
        sum += factorOf(def, solid ? mesh->tetToCaller[e] : e) * size;
        whole += size;
    }
    return def->elementStiffness != NULL ? sum / whole : 1;
}

// kg/m^3
static double meanDensity(const vvSoftBodyDef *def, const double *mass)
{
    const vvMesh *mesh = def->mesh;
    if (def->vertexMass == NULL)
        return def->material.density;
    double whole = 0;
    for (int v = 0; v < mesh->vertexCount; ++v)
        whole += mass[v];
    return whole / (mesh->matter == MATTER_SOLID ? mesh->volume : mesh->area * def->material.thickness);
}

// m/s, of waves that press the matter together; of a lattice of springs that of its structural ones
double bodyWaveSpeed(const Body *body, const vvSoftBodyDef *def, const double *mass)
{
    const vvMesh *mesh = def->mesh;
    double young = maxReal(def->material.young, body->elastic->kind == &wovenKind ? def->law.weft : 0);
    if (modelOf(body)->need != NEED_EDGES)
        return sqrt(young * meanFactor(def) / meanDensity(def, mass));
    double matter = matterStiffness(def);
    double stiff = 0, whole = 0, axes = mesh->matter == MATTER_SOLID ? 3 : mesh->matter == MATTER_SHEET ? 2 : 1;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        Vec3 a = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e]);
        Vec3 b = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->edge[2 * e + 1]);
        Vec3 edge = vecSub(b, a);
        stiff += edgeStiffness(def, matter, e) * vecDot(edge, edge);
    }
    for (int v = 0; v < body->count; ++v)
        whole += mass[v];
    return sqrt(stiff / (axes * whole));
}
