// A world from a checked scene.
#include "base/quaternion.h"
#include "scene/built.h"
#include "world/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vvResult under(const char *path, const vvResult *result)
{
    return resultMake(result->code, result->remedy, "%s: %s", path, result->message);
}

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
                                 treeNumber(material, "loss", 0) };
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
            result = under(path, &result);
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
        return under(path, &result);
    result = createBody(built, index, body);
    return result.code == VV_OK ? holdBody(built, index, body) : result;
}

static vvResult buildBodies(SceneWorld *built)
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

// ---- attachments ----------------------------------------------------------------------------------------------------

static int findNamed(const SceneWorld *built, const char *list, const char *name) // -1: none
{
    int index = 0;
    TREE_EACH(candidate, treeItem(built->scene->tree, list))
    {
        if (strcmp(treeString(candidate, "name"), name) == 0)
            return index;
        index += 1;
    }
    return -1;
}

// One end of an attachment.
typedef struct AttachedEnd
{
    vvSoftBodyId *body;
    int *vertex, *vertices;
    double *weights;
    vvRigidBodyId *rigid;
    vvVec3 *place;
} AttachedEnd;

static vvResult findEnd(const SceneWorld *built, const Json *end, const char *path, const AttachedEnd *out)
{
    int index = findNamed(built, "bodies", treeString(end, "body"));
    if (index < 0) // a rigid body
    {
        *out->rigid = built->rigid[findNamed(built, "rigidBodies", treeString(end, "body"))].id;
        vvPose pose = vvRigidBody_GetPose(*out->rigid);
        vvVec3 at = treeVector(end, "surface"),
               away = { at.x - pose.position.x, at.y - pose.position.y, at.z - pose.position.z };
        *out->place = quatRotateBack(pose.rotation, away);
        return resultOk();
    }
    *out->body = built->body[index];
    *out->vertex = treeInteger(end, "vertex", 0);
    if (treeItem(end, "point") != NULL)
        *out->vertex = selectNearest(built->mesh[index], treeVector(end, "point"));
    if (treeItem(end, "surface") != NULL)
    {
        vvPick pick = vvSoftBody_FindNearest(*out->body, treeVector(end, "surface"), INFINITY);
        for (int k = 0; k < 3; ++k)
        {
            out->vertices[k] = pick.vertices[k];
            out->weights[k] = pick.weights[k];
        }
    }
    int count = vvSoftBody_GetVertexCount(*out->body);
    if (*out->vertex < count)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "vertices count from 0 in the order of the mesh",
                      "%s.vertex is %d, must be 0 to %d", path, *out->vertex, count - 1);
}

static vvResult buildAttachment(SceneWorld *built, const Json *attachment, int index)
{
    char path[40];
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.stiffness = treeNumber(attachment, "stiffness", def.stiffness);
    def.restLength = treeNumber(attachment, "restLength", def.restLength);
    def.breakForce = treeNumber(attachment, "breakForce", def.breakForce);
    snprintf(path, sizeof path, "attachments[%d].a", index);
    AttachedEnd a = { &def.bodyA, &def.vertexA, def.verticesA, def.weightsA, NULL, NULL };
    AttachedEnd b = { &def.bodyB, &def.vertexB, def.verticesB, def.weightsB, &def.rigidB, &def.pointB };
    vvResult result = findEnd(built, treeItem(attachment, "a"), path, &a);
    if (result.code != VV_OK)
        return result;
    snprintf(path, sizeof path, "attachments[%d].b", index);
    result = findEnd(built, treeItem(attachment, "b"), path, &b);
    if (result.code != VV_OK)
        return result;
    vvCreateAttachment(built->world, &def, &result);
    if (result.code == VV_OK)
        built->attachment[built->attachmentCount++] = def;
    snprintf(path, sizeof path, "attachments[%d]", index);
    return result.code == VV_OK ? result : under(path, &result);
}

static vvResult buildBond(const SceneWorld *built, const Json *bond, int index)
{
    vvBondDef def = vvDefaultBondDef();
    int other = findNamed(built, "bodies", treeString(bond, "b"));
    def.bodyA = built->body[findNamed(built, "bodies", treeString(bond, "a"))];
    if (other >= 0)
        def.bodyB = built->body[other];
    else
        def.rigidB = built->rigid[findNamed(built, "rigidBodies", treeString(bond, "b"))].id;
    def.distance = treeNumber(bond, "distance", def.distance);
    def.stiffness = treeNumber(bond, "stiffness", def.stiffness);
    def.breakForce = treeNumber(bond, "breakForce", def.breakForce);
    vvResult result;
    char path[40];
    vvCreateBonds(built->world, &def, NULL, 0, &result);
    snprintf(path, sizeof path, "bonds[%d]", index);
    return result.code == VV_OK ? result : under(path, &result);
}

static vvResult buildAttachments(SceneWorld *built)
{
    const Json *tree = built->scene->tree;
    vvResult result = resultOk();
    int index = 0;
    built->attachment = ALLOCATE(&built->memory, vvAttachmentDef, treeCount(tree, "attachments") + 1);
    if (built->attachment == NULL)
        result = resultOutOfMemory("the attachments of a scene");
    TREE_EACH(attachment, treeItem(tree, "attachments"))
    {
        if (result.code == VV_OK)
            result = buildAttachment(built, attachment, index++);
    }
    index = 0;
    TREE_EACH(bond, treeItem(tree, "bonds"))
    {
        if (result.code == VV_OK)
            result = buildBond(built, bond, index++);
    }
    return result;
}

// ---- the world ------------------------------------------------------------------------------------------------------

static vvResult readRow(const Json *row, const char *name, int most, double *out)
{
    int count = 0;
    TREE_EACH(number, row)
    {
        // what is too long must at least be zeros
        if (count >= most && number->number != 0)
            return resultMake(VV_BAD_INPUT, "a has a row for every stage, stage i i numbers, b one for each",
                              "integrator.tableau.%s has more than the %d numbers of its place", name, most);
        if (count < most)
            out[count++] = number->number;
    }
    return resultOk();
}

static vvResult readTableau(const Json *tree, vvTableau *out)
{
    const Json *a = treeItem(tree, "a"), *embedded = treeItem(tree, "embedded");
    *out = (vvTableau){ .stages = treeCount(tree, "a"), .hasEmbedded = embedded != NULL };
    if (out->stages > VV_MAX_STAGES)
        return resultMake(VV_BAD_INPUT, "rk4 has 4", "integrator.tableau.a has %d rows, must be 1 to %d", out->stages,
                          VV_MAX_STAGES);
    int stage = 0;
    vvResult result = resultOk();
    TREE_EACH(row, a)
    {
        if (result.code == VV_OK)
            result = readRow(row, "a", stage, out->a[stage]);
        stage += 1;
    }
    if (result.code == VV_OK)
        result = readRow(treeItem(tree, "b"), "b", out->stages, out->b);
    return result.code == VV_OK ? readRow(embedded, "embedded", out->stages, out->embedded) : result;
}

static void readSettings(const Json *integrator, vvWorldDef *def)
{
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        const Json *item = treeItem(integrator, setting->name);
        if (item != NULL)
            settingSet(setting, def, (SettingValue){ item->string, treeValue(item) });
    }
}

vvResult sceneWorldDef(const Scene *scene, vvWorldDef *out, vvTableau *tableau)
{
    const Json *tree = scene->tree, *integrator = treeItem(tree, "integrator");
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = treeVector(tree, "gravity");
    const Json *wind = treeItem(tree, "wind");
    if (wind != NULL)
        def.wind = (vvWind){ .velocity = treeVector(wind, "velocity"),
                             .density = treeNumber(wind, "density", 1.2),
                             .drag = treeNumber(wind, "drag", def.wind.drag) };
    readSettings(integrator, &def);
    if (!vvMethod_HasSubsteps(def.method))
        def.substeps = 0; // they are steps of a frame
    def.softContact = treeSwitch(tree, "softContact");
    def.timestep = sceneTimestep(scene) / sceneSubsteps(scene);
    vvResult result = resultOk();
    if (treeItem(integrator, "tableau") != NULL)
    {
        result = readTableau(treeItem(integrator, "tableau"), tableau);
        def.settings.rungeKutta.tableau = tableau;
    }
    *out = def;
    return result;
}

bool sceneUnused(const Scene *scene, int index, char *text, size_t size)
{
    vvWorldDef def;
    vvTableau tableau;
    sceneWorldDef(scene, &def, &tableau); // its error is that of sceneBuild
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        if (settingNote(setting, &def, "integrator.", text, size) && index-- == 0)
            return true;
    }
    return false;
}

static vvResult buildWorld(SceneWorld *built, const SceneOptions *options)
{
    vvWorldDef def;
    vvTableau tableau;
    vvResult result = sceneWorldDef(built->scene, &def, &tableau);
    if (result.code != VV_OK)
        return result;
    def.threads = options->threads;
    def.logger = options->logger;
    def.allocator = options->allocator;
    built->world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK && def.settings.rungeKutta.tableau != NULL)
        return under("integrator", &result);
    if (result.code == VV_OK)
        result = buildBodies(built);
    if (result.code == VV_OK)
        result = buildColliders(built);
    if (result.code == VV_OK)
        result = buildFluids(built);
    if (result.code == VV_OK)
        result = buildRigids(built);
    if (result.code == VV_OK)
        result = buildAttachments(built);
    return result.code == VV_OK ? bindFollowers(built) : result;
}

SceneWorld *sceneBuild(const Scene *scene, const SceneOptions *options, vvResult *out)
{
    static const SceneOptions standard = { .threads = 1 };
    options = options ? options : &standard;
    Memory memory = memoryMake(&options->allocator);
    SceneWorld *built = ALLOCATE(&memory, SceneWorld, 1);
    vvResult result = built ? resultOk() : resultOutOfMemory("the scene's world");
    if (!resultPass(out, &result))
        return NULL;
    built->memory = memory;
    built->scene = scene;
    built->substeps = sceneSubsteps(scene);
    built->step = sceneTimestep(scene) / built->substeps;
    result = buildWorld(built, options);
    if (resultPass(out, &result))
        return built;
    sceneRelease(built);
    return NULL;
}

void sceneRelease(SceneWorld *built)
{
    if (built == NULL)
        return;
    Memory memory = built->memory;
    vvDestroyWorld(built->world);
    for (int i = 0; i < built->bodyCount; ++i)
    {
        if (built->ownMesh[i])
            vvDestroyMesh(built->mesh[i]);
        for (int k = 0; k < built->pushes[i].count; ++k)
        {
            memoryRelease(&memory, built->pushes[i].push[k].vertex);
            memoryRelease(&memory, built->pushes[i].push[k].share);
        }
        memoryRelease(&memory, built->pushes[i].push);
        memoryRelease(&memory, built->pushes[i].sum);
    }
    for (int i = 0; i < built->motionCount; ++i)
    {
        Motion *motion = &built->motion[i];
        animationRelease(built, &motion->animation);
        void *const blocks[] = { motion->vertex, motion->start,    motion->attachment, motion->keyframe,
                                 motion->point,  motion->follower, motion->target };
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
            memoryRelease(&memory, blocks[k]);
    }
    releaseColliders(built);
    releaseRigids(built);
    void *const blocks[] = { built->body,   built->mesh,    built->ownMesh, built->meshHash,   built->solid,
                             built->pushes, built->muscles, built->motion,  built->attachment, built };
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
        memoryRelease(&memory, blocks[k]);
}

void sceneDivide(SceneWorld *built, int substeps)
{
    built->substeps = maxInt(1, substeps);
    built->step = sceneTimestep(built->scene) / built->substeps;
}

int sceneAttachmentCount(const SceneWorld *built)
{
    return built->attachmentCount;
}

vvAttachmentDef sceneAttachment(const SceneWorld *built, int index)
{
    return built->attachment[index];
}

const Scene *sceneOf(const SceneWorld *built)
{
    return built->scene;
}

vvWorldId sceneWorldId(const SceneWorld *built)
{
    return built->world;
}

int sceneBodyCount(const SceneWorld *built)
{
    return built->bodyCount;
}

const vvSolidReport *sceneSolid(const SceneWorld *built, int index)
{
    return built->solid[index].tetCount > 0 ? &built->solid[index] : NULL;
}

vvSoftBodyId sceneBody(const SceneWorld *built, int index)
{
    return index >= 0 && index < built->bodyCount ? built->body[index] : (vvSoftBodyId){ 0 };
}
