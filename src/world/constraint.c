// Constraints of a body beside its material: what the definition asks for, as energies of their own.
#include "world/world.h"

#include <string.h>

// ---- checks ---------------------------------------------------------------------------------------------------------

// The Hessian of shape matching couples all vertices; its diagonal stands for it (shape_matching.c). Solvers that
// iterate still find the minimum, but one step of Newton's method takes it for drag on rigid motion.
vvResult checkShapes(const Integrator *integrator, bool shapes)
{
    if (!shapes || !integrator->linearizes)
        return resultOk();
    return resultMake(
        VV_BAD_INPUT, "use \"backward-euler\", or no shapeStiffness and no global exampleWeights",
        "%s takes one step of Newton's method, which would slow bodies with shapeStiffness or global exampleWeights",
        integrator->name);
}

static bool hasGlobalWeights(const vvSoftBodyDef *def)
{
    return def->exampleCount > 0 && def->exampleWeights == VV_EXAMPLE_WEIGHTS_GLOBAL;
}

bool defMatchesShape(const vvSoftBodyDef *def)
{
    return def->shapeStiffness > 0 || hasGlobalWeights(def);
}

bool bodyMatchesShape(const Body *body)
{
    for (int i = 0; i < body->constraintCount; ++i)
    {
        if (body->constraint[i]->kind == &shapeMatchingKind || body->constraint[i]->kind == &exampleBlendKind)
            return true;
    }
    return false;
}

static bool isLimited(const vvStrainLimit *limit)
{
    return limit->min != 0 || limit->max != 0;
}

static bool hasDirection(const vvStrainLimit *limit)
{
    return limit->direction.x != 0 || limit->direction.y != 0 || limit->direction.z != 0;
}

static vvResult checkRange(const char *what, double min, double max)
{
    if (min >= 0 && min <= 1 && max >= 1 && isModest(max))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "0.9 and 1.1 let a tenth pass; 0 and 0 is no limit",
                      "%s is %g to %g, must be 0 to 1 and from 1 on", what, min, max);
}

static vvResult checkLimit(const vvSoftBodyDef *def)
{
    const vvStrainLimit *limit = &def->strainLimit;
    if (!isLimited(limit))
        return resultOk();
    vvResult result = checkRange("strainLimit", limit->min, limit->max);
    if (result.code == VV_OK && !(limit->stiffness >= 0 && isModest(limit->stiffness)))
        result = resultMake(VV_BAD_INPUT, "0 takes 100 young",
                            "the stiffness of strainLimit is %g Pa, must be 0, or 1e-30 to 1e30", limit->stiffness);
    if (result.code == VV_OK)
        result = checkVector("the direction of strainLimit", limit->direction);
    if (result.code == VV_OK && hasDirection(limit) && def->mesh->matter == MATTER_ROPE)
        result = resultMake(VV_BAD_INPUT, "leave it out: a rope has one direction",
                            "strainLimit has a direction and the mesh is a rope");
    if (result.code == VV_OK && hasDirection(limit))
        result = checkRange("strainLimit across", limit->acrossMin, limit->acrossMax);
    return result;
}

static vvResult checkWord(const vvSoftBodyDef *def)
{
    static const char *const words[] = { "mean-curvature", "dihedral" };
    const char *word = def->bendingModel;
    if (vvGetExampleWeightsName((int)def->exampleWeights) == NULL)
        return resultMake(VV_BAD_INPUT, "the weights of examples are 0 local and 1 global",
                          "exampleWeights is %d, must be 0 or 1", (int)def->exampleWeights);
    if (word == NULL || strcmp(word, words[0]) == 0 || strcmp(word, words[1]) == 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "the models of bending are mean-curvature and dihedral",
                      "there is no bendingModel '%.60s', did you mean '%s'", word, nearestWord(word, words, 2));
}

static vvResult checkPressure(const vvSoftBodyDef *def)
{
    MeshQuality quality;
    if (def->pressure == 0)
        return resultOk();
    if (!isModest(def->pressure))
        return resultMake(VV_BAD_INPUT, "a party balloon has about 2000 Pa",
                          "pressure is %g Pa, must be 0 or of a size between 1e-30 and 1e30", def->pressure);
    if (!meshQuality(def->mesh, &quality))
        return resultOutOfMemory("the check of a surface");
    if (def->mesh->matter == MATTER_ROPE || !(quality.closed || def->mesh->changed))
        return resultMake(VV_BAD_INPUT, "close the surface, its triangles winding alike, or leave pressure out",
                          "pressure is %g Pa and the surface is not closed", def->pressure);
    return resultOk();
}

// a surface that was opened does not
static bool holdsPressure(const vvMesh *mesh, vvResult *result)
{
    MeshQuality quality = { .closed = true };
    if (mesh->changed && !meshQuality(mesh, &quality))
        *result = resultOutOfMemory("the check of a surface");
    return quality.closed;
}

static vvResult checkExamples(const vvSoftBodyDef *def)
{
    if (def->exampleCount == 0)
        return resultOk();
    if (def->exampleCount < 0 || def->exampleCount > VV_MAX_EXAMPLES || def->examples == NULL)
        return resultMake(VV_BAD_INPUT, "give an array of arrays of points",
                          "there are %d examples %s, must be 0 to %d", def->exampleCount,
                          def->examples ? "given" : "at NULL", VV_MAX_EXAMPLES);
    if (def->mesh->matter != MATTER_SOLID)
        return resultMake(VV_BAD_INPUT, "use a mesh with tets", "there are %d examples and the mesh has no tets",
                          def->exampleCount);
    vvResult result = resultOk();
    for (int k = 0; k < def->exampleCount && result.code == VV_OK; ++k)
        result = def->examples[k] ? checkPoints("an example", def->examples[k], def->mesh->vertexCount)
                                  : resultMake(VV_BAD_INPUT, "give vertexCount x 3 numbers", "example %d is NULL", k);
    if (result.code == VV_OK && !(def->exampleStiffness >= 0 && isModest(def->exampleStiffness)))
        result = resultMake(VV_BAD_INPUT, "0 takes young", "exampleStiffness is %g Pa, must be 0, or 1e-30 to 1e30",
                            def->exampleStiffness);
    return result;
}

static vvResult checkStiffness(const char *what, double value, bool fits, const char *needs)
{
    if (!(value >= 0 && isModest(value)))
        return resultMake(VV_BAD_INPUT, "0 is none; 10 young keeps soft bodies to about a percent",
                          "%s is %g Pa, must be 0, or 1e-30 to 1e30", what, value);
    if (value > 0 && !fits)
        return resultMake(VV_BAD_INPUT, "leave it out", "%s is %g Pa and the mesh has no %s", what, value, needs);
    return resultOk();
}

vvResult checkConstraints(const vvSoftBodyDef *def)
{
    vvResult result = checkLimit(def);
    if (result.code == VV_OK)
        result = checkStiffness("volumeStiffness", def->volumeStiffness, def->mesh->matter == MATTER_SOLID, "tets");
    if (result.code == VV_OK)
        result = checkStiffness("areaStiffness", def->areaStiffness, def->mesh->matter == MATTER_SHEET,
                                "triangles of a sheet");
    if (result.code == VV_OK && !(def->volumeMin >= 0.01 && def->volumeMin <= 1))
        result = resultMake(VV_BAD_INPUT, "1 resists any loss of volume", "volumeMin is %g, must be 0.01 to 1",
                            def->volumeMin);
    if (result.code == VV_OK && !(def->volumeMax >= 1 && isModest(def->volumeMax)))
        result = resultMake(VV_BAD_INPUT, "1 resists any gain of volume", "volumeMax is %g, must be 1 to 1e30",
                            def->volumeMax);
    if (result.code == VV_OK && !(def->shapeStiffness >= 0 && isModest(def->shapeStiffness)))
        result = resultMake(VV_BAD_INPUT, "1000 brings the shape back in about a tenth of a second",
                            "shapeStiffness is %g 1/s^2, must be 0, or 1e-30 to 1e30", def->shapeStiffness);
    if (result.code == VV_OK && (def->shapeClusters < 0 || def->shapeClusters > VV_MAX_CLUSTERS))
        result = resultMake(VV_BAD_INPUT, "0 or 1 is the body as a whole", "shapeClusters is %d, must be 0 to %d",
                            def->shapeClusters, VV_MAX_CLUSTERS);
    if (result.code == VV_OK)
        result = checkWord(def);
    if (result.code == VV_OK)
        result = checkPlasticity(def);
    if (result.code == VV_OK)
        result = checkPressure(def);
    if (result.code == VV_OK)
        result = checkExamples(def);
    if (result.code != VV_OK)
        return result;
    if (!((def->bending >= 0 && isModest(def->bending)) || def->bending == -1))
        return resultMake(VV_BAD_INPUT, "1 is a plate of the material, 0 none; -1 leaves it to the model",
                          "bending is %g, must be 0, or 1e-30 to 1e30, or -1", def->bending);
    bool rod = def->mesh->edgeSide != NULL;
    if (def->bending > 0 && def->mesh->matter != MATTER_SHEET && !rod)
        return resultMake(VV_BAD_INPUT, "leave it out, or set rod of the mesh of a rope",
                          "bending is %g and the mesh is neither sheet nor rod", def->bending);
    if (!((def->twisting >= 0 && isModest(def->twisting)) || def->twisting == -1))
        return resultMake(VV_BAD_INPUT, "1 is a round rod of the material, 0 none; -1 is 1",
                          "twisting is %g, must be 0, or 1e-30 to 1e30, or -1", def->twisting);
    if (def->twisting > 0 && !rod)
        return resultMake(VV_BAD_INPUT, "leave it out, or set rod of the mesh of a rope",
                          "twisting is %g and the mesh is no rod", def->twisting);
    return resultOk();
}

// ---- energies -------------------------------------------------------------------------------------------------------

vvResult bodyEnterConstraint(Body *body, Energy *energy)
{
    if (energy == NULL)
        return resultOutOfMemory("the constraints of a body");
    ASSERT(body->constraintCount < BODY_CONSTRAINTS, "a body has room for every kind of constraint");
    body->constraint[body->constraintCount++] = energy;
    body->member.energy[body->member.energyCount++] = energy;
    return resultOk();
}

// one element for every cell of the matter
static vvResult createCells(Body *body, const EnergyKind *kind, const Recipe *recipe)
{
    const vvMesh *mesh = body->mesh;
    bool solid = kind->corners == 4;
    return bodyEnterConstraint(body, energyCreate(&body->world->memory, kind, body->count,
                                                  solid ? mesh->tetCount : mesh->surfaceCount,
                                                  solid ? mesh->tet : mesh->surface, recipe));
}

// the structural edges of a rope; a weight is stiffness x cross-section x length
static vvResult createEdgeLimits(Body *body, const vvSoftBodyDef *def, Recipe *recipe)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = body->mesh;
    int *pair = ALLOCATE(memory, int, 2 * (size_t)mesh->edgeCount), count = 0;
    double *weight = ALLOCATE(memory, double, mesh->edgeCount), t = def->material.thickness;
    vvResult result = pair && weight ? resultOk() : resultOutOfMemory("the limits of a rope");
    for (int e = 0; e < mesh->edgeCount && result.code == VV_OK; ++e)
    {
        if (!(mesh->edgeShare[e] > 0))
            continue;
        memcpy(pair + 2 * count, mesh->edge + 2 * (ptrdiff_t)e, 2 * sizeof(int));
        weight[count++] = recipe->young * PI * t * t / 4 / mesh->edgeShare[e];
    }
    recipe->strength = weight;
    if (result.code == VV_OK && count > 0)
        result = bodyEnterConstraint(body, energyCreate(memory, &edgeLimitKind, body->count, count, pair, recipe));
    memoryRelease(memory, pair);
    memoryRelease(memory, weight);
    return result;
}

static vvResult createLimits(Body *body, const vvSoftBodyDef *def, Recipe recipe)
{
    const vvStrainLimit *limit = &def->strainLimit;
    bool solid = body->mesh->matter == MATTER_SOLID, directed = hasDirection(limit);
    recipe.young = limit->stiffness > 0 ? limit->stiffness : 100 * def->material.young;
    recipe.low = limit->min;
    recipe.high = limit->max;
    recipe.lowAcross = limit->acrossMin;
    recipe.highAcross = limit->acrossMax;
    recipe.direction = limit->direction;
    if (body->mesh->matter == MATTER_ROPE)
        return createEdgeLimits(body, def, &recipe);
    if (solid)
        return createCells(body, directed ? &tetFibreKind : &tetLimitKind, &recipe);
    return createCells(body, directed ? &triangleFibreKind : &triangleLimitKind, &recipe);
}

static vvResult createKept(Body *body, const vvSoftBodyDef *def, const EnergyKind *kind, double stiffness,
                           Recipe recipe)
{
    recipe.young = stiffness;
    recipe.low = def->volumeMin;
    recipe.high = def->volumeMax;
    return createCells(body, kind, &recipe);
}

static int bitsOf(uint64_t mask)
{
    int bits = 0;
    for (; mask != 0; mask &= mask - 1)
        bits += 1;
    return bits;
}

// Elements in the order of the clusters; a vertex shares its weight among those that it is in.
static vvResult createClusters(Body *body, const vvSoftBodyDef *def, const double *mass, const uint64_t *mask,
                               int clusters)
{
    Memory *memory = &body->world->memory;
    int total = 0, count = 0;
    for (int v = 0; v < body->count; ++v)
        total += bitsOf(mask[v]);
    int *vertex = ALLOCATE(memory, int, total), *unit = ALLOCATE(memory, int, total);
    double *weight = ALLOCATE(memory, double, total);
    vvResult result = vertex && unit && weight ? resultOk() : resultOutOfMemory("the shape of a body");
    for (int k = 0; k < clusters * body->count && result.code == VV_OK; ++k)
    {
        int v = k % body->count, cluster = k / body->count;
        if (!(mask[v] >> cluster & 1))
            continue;
        vertex[count] = v;
        unit[count] = cluster;
        weight[count++] = def->shapeStiffness * mass[v] / bitsOf(mask[v]);
    }
    Recipe recipe = { .rest = body->mesh->point, .strength = weight, .unit = unit, .isa = body->world->isa };
    if (result.code == VV_OK)
        result =
            bodyEnterConstraint(body, energyCreate(memory, &shapeMatchingKind, body->count, total, vertex, &recipe));
    memoryRelease(memory, vertex);
    memoryRelease(memory, unit);
    memoryRelease(memory, weight);
    return result;
}

// mass: count, kg
static vvResult createShape(Body *body, const vvSoftBodyDef *def, const double *mass)
{
    Memory *memory = &body->world->memory;
    double *away = ALLOCATE(memory, double, body->count);
    uint64_t *mask = ALLOCATE(memory, uint64_t, body->count), *near = ALLOCATE(memory, uint64_t, body->count);
    vvResult result = away && mask && near ? resultOk() : resultOutOfMemory("the shape of a body");
    if (result.code == VV_OK)
    {
        int clusters = clustersOf(body->mesh, maxInt(def->shapeClusters, 1), away, mask, near);
        result = createClusters(body, def, mass, mask, clusters);
    }
    memoryRelease(memory, away);
    memoryRelease(memory, mask);
    memoryRelease(memory, near);
    return result;
}

// examples come in the caller's order
static vvResult createExamples(Body *body, const vvSoftBodyDef *def, Recipe recipe)
{
    Memory *memory = &body->world->memory;
    const double *example[VV_MAX_EXAMPLES];
    size_t size = 3 * (size_t)body->count;
    double *points = ALLOCATE(memory, double, size *(size_t)def->exampleCount);
    if (points == NULL)
        return resultOutOfMemory("the examples of a body");
    for (int k = 0; k < def->exampleCount; ++k)
    {
        example[k] = points + size * (size_t)k;
        for (int v = 0; v < body->count; ++v)
            memcpy(points + size * (size_t)k + 3 * (size_t)v,
                   def->examples[k] + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v], 3 * sizeof(double));
    }
    recipe.young = def->exampleStiffness > 0 ? def->exampleStiffness : def->material.young;
    recipe.exampleCount = def->exampleCount;
    recipe.example = example;
    vvResult result = createCells(body, hasGlobalWeights(def) ? &exampleBlendKind : &exampleKind, &recipe);
    memoryRelease(memory, points);
    return result;
}

// the triangles of a closed sheet wind inward
static bool isInsideOut(const vvMesh *mesh)
{
    double volume = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        Vec3 at[3];
        for (int c = 0; c < 3; ++c)
            at[c] = vecSub(vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->surface[3 * t + c]), vecLoad(mesh->point));
        volume += vecDot(at[0], vecCross(at[1], at[2]));
    }
    return volume < 0;
}

vvResult bodyCreateConstraints(Body *body, const vvSoftBodyDef *def, const double *mass)
{
    const vvMaterial *material = &def->material;
    Recipe recipe = { .rest = def->mesh->point,
                      .young = material->young,
                      .poisson = material->poisson,
                      .thickness = material->thickness,
                      .former = body->inherited,
                      .isa = body->world->isa };
    vvResult result = bodyCreateBending(body, def, recipe);
    if (result.code == VV_OK && isLimited(&def->strainLimit))
        result = createLimits(body, def, recipe);
    if (result.code == VV_OK && def->volumeStiffness > 0)
        result = createKept(body, def, &volumeKind, def->volumeStiffness, recipe);
    if (result.code == VV_OK && def->areaStiffness > 0)
        result = createKept(body, def, &areaKind, def->areaStiffness, recipe);
    if (result.code == VV_OK && def->shapeStiffness > 0)
        result = createShape(body, def, mass);
    if (result.code == VV_OK && def->exampleCount > 0)
        result = createExamples(body, def, recipe);
    if (result.code != VV_OK || def->pressure == 0 || !holdsPressure(def->mesh, &result))
        return result;
    recipe.young = isInsideOut(def->mesh) ? -def->pressure : def->pressure;
    return createCells(body, &pressureKind, &recipe);
}

void bodyDestroyConstraints(Body *body)
{
    for (int k = 0; k < body->constraintCount; ++k)
        constraintDestroy(body->constraint[k]);
    memoryRelease(&body->world->memory, body->stencils.corner);
}
