// Soft bodies of a scene, with their meshes.
#include "scene/built.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- meshes ---------------------------------------------------------------------------------------------------------

// the numbers of `size` or `cells` onto the components the shape uses: one for all, one for each, or x, y and z
void spreadNumbers(const Json *item, int count, const int *axis, double *component)
{
    int given = jsonIs(item, JSON_LIST) ? jsonCount(item) : 1;
    const Json *entry = jsonIs(item, JSON_LIST) ? item->first : item;
    for (int i = 0; i < (given == 1 || given == MOST_AXES ? MOST_AXES : count); ++i)
    {
        component[given == count && count < MOST_AXES ? axis[i] : i] = entry->number;
        entry = given == 1 ? entry : entry->next;
    }
}

// as a solid, where the scene says so
static vvMesh *createFilled(const Json *tree, const vvMeshDef *def, vvSolidReport *report, vvResult *result)
{
    const Json *solid = treeItem(tree, "solid");
    if (solid == NULL)
        return vvCreateMesh(def, result);
    vvSolidDef solidDef = vvDefaultSolidDef();
    solidDef.kind = (vvSolidKind)treeWord(solid, "kind", vvGetSolidKindName);
    solidDef.cells = treeInteger(solid, "cells", solidDef.cells);
    solidDef.edge = treeNumber(solid, "edge", 0);
    solidDef.grading = treeInteger(solid, "grading", 0);
    solidDef.surfaceEdge = treeNumber(solid, "surfaceEdge", 0);
    return vvCreateSolidMesh(def, &solidDef, report, result);
}

// particles, and springs between them
static vvMesh *createPoints(const Json *tree, vvMeshDef *def, vvResult *result)
{
    int points = treeCount(tree, "points"), springs = treeCount(tree, "springs"), count = 0;
    double *point = malloc(sizeof *point * 3 * (size_t)points);
    int *spring = malloc(sizeof *spring * (2 * (size_t)springs + 1));
    vvMesh *mesh = NULL;
    TREE_EACH(row, point != NULL ? treeItem(tree, "points") : NULL)
    {
        for (const Json *number = row->first; number != NULL; number = number->next)
            point[count++] = number->number;
    }
    count = 0;
    TREE_EACH(row, spring != NULL ? treeItem(tree, "springs") : NULL)
    {
        for (const Json *number = row->first; number != NULL; number = number->next)
            spring[count++] = (int)number->number;
    }
    def->shape = VV_MESH_ARRAYS;
    def->points = point;
    def->pointCount = points;
    def->edges = spring;
    def->edgeCount = springs;
    def->particles = true;
    if (point != NULL && spring != NULL)
        mesh = vvCreateMesh(def, result);
    else
        *result = resultOutOfMemory("the points of a mesh");
    free(point);
    free(spring);
    return mesh;
}

static vvMesh *createMesh(const Json *tree, const vvAllocator *allocator, vvSolidReport *report, vvResult *result)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.allocator = *allocator;
    def.scale = treeNumber(tree, "scale", 1) * unitMetres(treeString(tree, "unit"));
    def.rotate = treeVector(tree, "rotate");
    def.rod = treeSwitch(tree, "rod");
    def.file = treeString(tree, "file");
    def.format = treeString(tree, "format");
    if (def.file != NULL)
    {
        def.shape = VV_MESH_FILE;
        return createFilled(tree, &def, report, result);
    }
    if (treeItem(tree, "points") != NULL)
        return createPoints(tree, &def, result);
    const Shape *shape = shapeFind(treeString(tree, "shape"));
    double size[3] = { 1, 1, 1 }, cells[3] = { def.cells[0], def.cells[1], def.cells[2] };
    spreadNumbers(treeItem(tree, "size"), shape->sizeCount, shape->sizeAxis, size);
    if (treeItem(tree, "cells") != NULL) // else the lattice of a model
        spreadNumbers(treeItem(tree, "cells"), shape->cellsCount, shape->cellsAxis, cells);
    def.shape = shape->shape;
    def.size = (vvVec3){ size[0], size[1], size[2] };
    for (int i = 0; i < 3; ++i)
        def.cells[i] = (int)cells[i];
    def.diagonals = treeInteger(tree, "diagonals", def.diagonals);
    def.skip = treeSwitch(tree, "skip");
    def.time = treeNumber(tree, "time", 0);
    return createFilled(tree, &def, report, result);
}

static uint64_t hashTree(const Json *item)
{
    char *text = jsonPrint(item);
    uint64_t hash = text ? hashFinish(hashBytes(HASH_SEED, text, strlen(text))) : 0; // 0: only a slower search
    free(text);
    return hash;
}

// bodies with the same mesh share it
static vvMesh *findMesh(const SceneWorld *built, int index, const Json *body)
{
    const Json *before = treeItem(built->scene->tree, "bodies")->first;
    for (int i = 0; i < index; ++i, before = before->next)
    {
        if (built->meshHash[i] == built->meshHash[index] && jsonEqual(treeItem(before, "mesh"), treeItem(body, "mesh")))
            return built->mesh[i];
    }
    return NULL;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static vvStrainLimit strainLimit(const Json *limit)
{
    if (limit == NULL)
        return (vvStrainLimit){ 0 };
    return (vvStrainLimit){ .min = treeNumber(limit, "min", 0),
                            .max = treeNumber(limit, "max", 0),
                            .stiffness = treeNumber(limit, "stiffness", 0),
                            .direction = treeVector(limit, "direction"),
                            .acrossMin = treeNumber(limit, "acrossMin", 0),
                            .acrossMax = treeNumber(limit, "acrossMax", 1000) };
}

// numbers of a row; -1: more than fit
static int readNumbers(const Json *row, int most, double *out)
{
    int count = 0;
    TREE_EACH(number, row)
    {
        if (count == most)
            return -1;
        out[count++] = number->number;
    }
    return count;
}

// a count that does not fit is refused with the body
static vvLaw readLaw(const Json *tree)
{
    vvLaw law = vvDefaultLaw();
    const Json *exponents = treeItem(tree, "exponents"), *shares = treeItem(tree, "shares");
    law.secondShare = treeNumber(tree, "secondShare", law.secondShare);
    law.warp = treeItem(tree, "warp") ? treeVector(tree, "warp") : law.warp;
    law.weft = treeNumber(tree, "weft", law.weft);
    law.shear = treeNumber(tree, "shear", law.shear);
    if (exponents != NULL || shares != NULL)
    {
        law.termCount = readNumbers(exponents, VV_MAX_TERMS, law.exponent);
        if (readNumbers(shares, VV_MAX_TERMS, law.share) != law.termCount)
            law.termCount = -1;
    }
    const Json *strains = treeItem(tree, "strains"), *stresses = treeItem(tree, "stresses");
    if (strains != NULL || stresses != NULL)
    {
        law.pointCount = readNumbers(strains, VV_MAX_CURVE, law.strain);
        if (readNumbers(stresses, VV_MAX_CURVE, law.stress) != law.pointCount)
            law.pointCount = -1;
    }
    return law;
}

static vvPlasticity plasticity(const Json *given)
{
    return (vvPlasticity){ .yield = treeNumber(given, "yield", 0),
                           .hardening = treeNumber(given, "hardening", 0),
                           .rate = treeNumber(given, "rate", 0),
                           .limit = treeNumber(given, "limit", 0) };
}

static vvSoftBodyDef bodyDef(const Json *body, vvMesh *mesh)
{
    static const char *const kinds[VV_EDGE_KINDS] = { "structural", "shear", "skip" };
    const Json *material = treeItem(body, "material"), *damping = treeItem(body, "damping");
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.name = treeString(body, "name");
    def.model = treeString(material, "model");
    def.material = (vvMaterial){ treeNumber(material, "density", 0), treeNumber(material, "young", 0),
                                 treeNumber(material, "poisson", 0), treeNumber(material, "thickness", 0),
                                 treeNumber(material, "loss", def.material.loss) };
    def.law = readLaw(treeItem(material, "law"));
    for (int i = 0; i < VV_EDGE_KINDS; ++i)
        def.springStiffness[i] = treeNumber(treeItem(material, "springStiffness"), kinds[i], def.springStiffness[i]);
    def.bending = treeNumber(material, "bending", def.bending);
    def.twisting = treeNumber(material, "twisting", def.twisting);
    def.strainLimit = strainLimit(treeItem(material, "strainLimit"));
    def.plasticity = plasticity(treeItem(material, "plasticity"));
    def.bendingModel = treeString(material, "bendingModel");
    def.shapeStiffness = treeNumber(material, "shapeStiffness", 0);
    def.shapeClusters = treeInteger(material, "shapeClusters", 0);
    def.exampleWeights = (vvExampleWeights)treeWord(material, "exampleWeights", vvGetExampleWeightsName);
    def.exampleStiffness = treeNumber(material, "exampleStiffness", 0);
    def.pressure = treeNumber(body, "pressure", 0);
    def.volumeStiffness = treeNumber(material, "volumeStiffness", 0);
    def.areaStiffness = treeNumber(material, "areaStiffness", 0);
    def.tear = (vvTear){ treeNumber(material, "toughness", 0), treeNumber(material, "strength", 0) };
    def.volumeMin = treeNumber(material, "volumeMin", 1);
    def.volumeMax = treeNumber(material, "volumeMax", 1);
    def.position = treeVector(body, "position");
    def.velocity = treeVector(body, "velocity");
    def.spin = treeVector(body, "spin");
    def.damping.mass = treeNumber(damping, "mass", 0);
    def.damping.stiffness = treeNumber(damping, "stiffness", def.damping.stiffness);
    def.damping.spring = treeNumber(damping, "spring", 0);
    def.damping.rigidPreserving = treeNumber(damping, "rigidPreserving", 0);
    def.contactStiffness = treeNumber(body, "contactStiffness", 0);
    def.contactSamples = (int)treeNumber(body, "contactSamples", 0);
    def.contactSurface = (int)treeNumber(body, "contactSurface", 0);
    def.friction = treeNumber(body, "friction", def.friction);
    def.selfContact = treeSwitch(body, "selfContact");
    def.category = (uint32_t)treeNumber(body, "category", 1);
    def.mask = (uint32_t)treeNumber(body, "mask", UINT32_MAX);
    return def;
}

vvSoftBodyDef sceneBodyDef(const Scene *scene, int index, vvMesh *mesh)
{
    return bodyDef(jsonEntry(treeItem(scene->tree, "bodies"), index), mesh);
}

// the body itself, of a mesh that is there
static vvResult createBody(SceneWorld *built, int index, const Json *body)
{
    char path[32];
    vvMesh *mesh = built->mesh[index];
    vvSoftBodyDef def = bodyDef(body, mesh);
    const double *example[VV_MAX_EXAMPLES];
    double *points, *start;
    Regions regions;
    vvResult result = readExamples(built, index, body, &points);
    vvResult started = readStart(built, index, body, &start);
    vvResult other = readRegions(built, index, body, &def, &regions);
    if (result.code == VV_OK)
        result = started.code == VV_OK ? other : started;
    if (result.code == VV_OK)
    {
        def.positions = start;
        def.exampleCount = treeCount(body, "examples");
        def.examples = example;
        for (int k = 0; k < def.exampleCount; ++k)
            example[k] = points + 3 * (size_t)vvMesh_GetVertexCount(mesh) * (size_t)k;
        def.elementStiffness = regions.elementStiffness;
        def.elementToughness = regions.elementToughness;
        def.elementWarp = regions.elementWarp;
        def.vertexMass = regions.vertexMass;
        def.vertexFriction = regions.vertexFriction;
        built->body[index] = vvCreateSoftBody(built->world, &def, &result);
        snprintf(path, sizeof path, "bodies[%d]", index);
        if (result.code != VV_OK)
            result = pathResult(path, &result);
    }
    memoryRelease(&built->memory, points);
    memoryRelease(&built->memory, start);
    releaseRegions(built, &regions);
    return result;
}

static vvResult buildBody(SceneWorld *built, const Json *body)
{
    int index = built->bodyCount;
    char path[32];
    vvResult result = resultOk();
    built->meshHash[index] = hashTree(treeItem(body, "mesh"));
    vvMesh *mesh = findMesh(built, index, body);
    if (mesh == NULL)
    {
        mesh = createMesh(treeItem(body, "mesh"), &built->memory.hook, &built->solid[index], &result);
        built->ownMesh[index] = mesh != NULL;
    }
    built->mesh[index] = mesh;
    built->bodyCount += 1;
    snprintf(path, sizeof path, "bodies[%d].mesh", index);
    if (mesh == NULL)
        return pathResult(path, &result);
    result = createBody(built, index, body);
    return result.code == VV_OK ? holdBody(built, index, body) : result;
}

vvResult buildBodies(SceneWorld *built)
{
    int count = treeCount(built->scene->tree, "bodies"), pins = 0;
    const Json *bodies = treeItem(built->scene->tree, "bodies");
    TREE_EACH(body, bodies)
        pins += treeCount(body, "pins");
    built->body = ALLOCATE(&built->memory, vvSoftBodyId, count);
    built->mesh = ALLOCATE(&built->memory, vvMesh *, count);
    built->ownMesh = ALLOCATE(&built->memory, bool, count);
    built->meshHash = ALLOCATE(&built->memory, uint64_t, count);
    built->solid = ALLOCATE(&built->memory, vvSolidReport, count);
    built->pushes = ALLOCATE(&built->memory, Pushes, count);
    built->muscles = ALLOCATE(&built->memory, Muscles, count);
    built->motion = ALLOCATE(&built->memory, Motion, pins + 1);
    if (!built->body || !built->mesh || !built->ownMesh || !built->meshHash || !built->solid || !built->pushes ||
        !built->muscles || !built->motion)
        return resultOutOfMemory("the scene's bodies");
    vvResult result = resultOk();
    TREE_EACH(body, bodies)
    {
        if (result.code == VV_OK)
            result = buildBody(built, body);
    }
    return result;
}
