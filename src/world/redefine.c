// A body whose definition changes while it lives: material, constraints, damping, contact. State and contacts stay.
//
// The energies of the new definition are made as for a new body. Those over the same elements as before give their
// constants to the ones that are there, whose state and place in the matrices stay; others come and go. So the body
// goes on bit for bit as one that was created so and has its state.
#include "world/world.h"

#include <string.h>

// ---- the definition as it is now ------------------------------------------------------------------------------------

static bool copyArray(Memory *memory, const double *values, int count, double **copy)
{
    *copy = values ? ALLOCATE(memory, double, count) : NULL;
    if (*copy != NULL)
        memcpy(*copy, values, (size_t)count * sizeof(double));
    return *copy != NULL || values == NULL;
}

// a word of the caller's that may not live as long as the body; the other one is the default
static const char *constant(const char *word, const char *known)
{
    return word != NULL && strcmp(word, known) == 0 ? known : NULL;
}

// of elementStiffness
static int factorCount(const vvSoftBodyDef *def)
{
    int corners = vvSoftBodyDef_GetElementCorners(def);
    return corners == 4 ? def->mesh->tetCount : corners == 3 ? def->mesh->surfaceCount : def->mesh->edgeCount;
}

bool bodyKeepDef(Body *body, const vvSoftBodyDef *def)
{
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = body->mesh;
    bool ok = copyArray(memory, def->elementStiffness, factorCount(def), &body->elementStiffness) &&
              copyArray(memory, def->elementToughness, tearElements(mesh), &body->elementToughness) &&
              copyArray(memory, def->elementWarp, 3 * mesh->surfaceCount, &body->elementWarp) &&
              copyArray(memory, def->vertexMass, body->count, &body->vertexMass) &&
              copyArray(memory, def->vertexFriction, body->count, &body->vertexFriction);
    for (int k = 0; k < def->exampleCount && ok; ++k)
        ok = copyArray(memory, def->examples[k], 3 * body->count, &body->example[k]);
    body->def = *def;
    body->def.elementStiffness = body->elementStiffness;
    body->def.elementToughness = body->elementToughness;
    body->def.elementWarp = body->elementWarp;
    body->def.vertexMass = body->vertexMass;
    body->def.vertexFriction = body->vertexFriction;
    body->def.examples = (const double *const *)body->example;
    body->def.bendingModel = constant(def->bendingModel, "dihedral");
    body->def.model = bodyModel(body);
    body->def.name = NULL;
    body->def.positions = NULL; // of the start alone
    return ok;
}

void bodyReleaseDef(Body *body)
{
    Memory *memory = &body->world->memory;
    memoryRelease(memory, body->elementStiffness);
    memoryRelease(memory, body->elementToughness);
    memoryRelease(memory, body->elementWarp);
    memoryRelease(memory, body->vertexMass);
    memoryRelease(memory, body->vertexFriction);
    for (int k = 0; k < VV_MAX_EXAMPLES; ++k)
        memoryRelease(memory, body->example[k]);
}

// ---- energies -------------------------------------------------------------------------------------------------------

static void destroyDefined(Body *body)
{
    energyDestroy(body->elastic);
    energyDestroy(body->gravity);
    energyDestroy(body->force);
    energyDestroy(body->drag);
    for (int k = 0; k < body->damperCount; ++k)
        energyDestroy(body->damper[k]);
    for (int k = 0; k < body->constraintCount; ++k)
        constraintDestroy(body->constraint[k]);
}

static void destroyFresh(const Body *body, Body *fresh)
{
    destroyDefined(fresh);
    if (fresh->stencils.corner != body->stencils.corner)
        memoryRelease(&body->world->memory, fresh->stencils.corner);
}

// the energies of another definition, in a body that has nothing else
static vvResult createFresh(const Body *body, const vvSoftBodyDef *def, const double *mass, Body *fresh)
{
    *fresh = *body;
    fresh->elastic = fresh->gravity = fresh->force = fresh->drag = NULL;
    fresh->damperCount = 0;
    fresh->constraintCount = 0;
    fresh->member.energyCount = 0;
    vvResult result = reachOf(def) != body->stencils.reach ? bodyCreateStencils(fresh, def) : resultOk();
    if (result.code == VV_OK)
        result = bodyCreateDefined(fresh, def, mass);
    if (result.code != VV_OK)
        destroyFresh(body, fresh);
    return result;
}

// the one of the body's energies that is over the same elements, by its definition; NULL: none
static Energy *counterpart(const Body *body, const Energy *fresh)
{
    for (int e = 0; e < body->definedEnergies; ++e)
    {
        Energy *energy = body->member.energy[e];
        bool yields = energy->yield != NULL, same = yields == (fresh->yield != NULL);
        if (energy->kind == fresh->kind && energy->elementCount == fresh->elementCount && same)
            return energy;
    }
    return NULL;
}

static Energy *chosen(const Body *body, Energy *fresh)
{
    Energy *energy = fresh != NULL ? counterpart(body, fresh) : NULL;
    return energy != NULL ? energy : fresh;
}

// Its lists with the energies of `fresh`, or their counterparts, in place of those of its definition; what came later
// stays behind them.
static void enlist(const Body *body, const Body *fresh, Body *after)
{
    *after = *body;
    after->stencils = fresh->stencils;
    after->elastic = chosen(body, fresh->elastic);
    after->gravity = chosen(body, fresh->gravity);
    after->force = chosen(body, fresh->force);
    after->drag = chosen(body, fresh->drag);
    after->damperCount = fresh->damperCount;
    for (int k = 0; k < fresh->damperCount; ++k)
        after->damper[k] = chosen(body, fresh->damper[k]);
    after->definedCount = after->constraintCount = fresh->definedCount;
    after->definedEnergies = after->member.energyCount = fresh->definedEnergies;
    for (int k = 0; k < fresh->constraintCount; ++k)
        after->constraint[k] = chosen(body, fresh->constraint[k]);
    for (int e = 0; e < fresh->member.energyCount; ++e)
        after->member.energy[e] = chosen(body, fresh->member.energy[e]);
    for (int k = body->definedCount; k < body->constraintCount; ++k)
        after->constraint[after->constraintCount++] = body->constraint[k];
    for (int e = body->definedEnergies; e < body->member.energyCount; ++e)
        after->member.energy[after->member.energyCount++] = body->member.energy[e];
}

static vvResult checkRoom(const Body *body, const Body *fresh)
{
    int constraints = fresh->constraintCount + body->constraintCount - body->definedCount;
    int energies = fresh->definedEnergies + body->member.energyCount - body->definedEnergies;
    bool grows = energies > body->member.energyCount;
    if (!grows || (constraints <= BODY_CONSTRAINTS && energies <= MEMBER_ENERGIES - 4))
        return resultOk();
    return resultMake(VV_LIMIT, "destroy a hinge or a constraint first", "the body has %d constraints, no more fit",
                      body->constraintCount);
}

// True where all energies have counterparts: matrices keep their shape.
static bool sameEnergies(const Body *body, const Body *fresh)
{
    bool same = body->definedEnergies == fresh->definedEnergies && body->stencils.reach == fresh->stencils.reach;
    for (int e = 0; e < fresh->definedEnergies && same; ++e)
        same = counterpart(body, fresh->member.energy[e]) == body->member.energy[e];
    return same;
}

// counterparts take the constants over; what is no longer needed goes
static void exchange(const Body *before, const Body *fresh)
{
    bool kept[MEMBER_ENERGIES] = { false };
    for (int e = 0; e < fresh->definedEnergies; ++e)
    {
        Energy *energy = counterpart(before, fresh->member.energy[e]);
        for (int k = 0; k < before->definedEnergies; ++k)
            kept[k] |= before->member.energy[k] == energy;
        if (energy == NULL)
            continue;
        energyAssign(energy, fresh->member.energy[e]);
        energyDestroy(fresh->member.energy[e]);
    }
    for (int k = 0; k < before->definedEnergies; ++k)
    {
        if (!kept[k])
            energyDestroy(before->member.energy[k]);
    }
}

// false: out of memory, nothing has changed
static bool takeEnergies(Body *body, const Body *fresh)
{
    Body before = *body, after;
    enlist(body, fresh, &after);
    bool same = sameEnergies(body, fresh);
    *body = after;
    if (!same && !bodyRenewMatrices(body))
    {
        *body = before;
        return false;
    }
    exchange(&before, fresh);
    if (before.stencils.corner != body->stencils.corner)
        memoryRelease(&body->world->memory, before.stencils.corner);
    return true;
}

// ---- the change -----------------------------------------------------------------------------------------------------

static void takeMasses(Body *body, const double *mass)
{
    body->mass = 0;
    for (int v = 0; v < body->count; ++v)
    {
        body->world->state.mass[body->first + v] = mass[v];
        body->callerMass[body->mesh->vertexToCaller[v]] = mass[v];
        body->mass += mass[v];
    }
}

static vvResult redefine(Body *body, vvSoftBodyDef *def)
{
    World *world = body->world;
    vvResult result = bodyCheckDef(world, def);
    if (result.code != VV_OK)
        return result;
    materialDamp(world, def);
    double *mass = ALLOCATE(&world->memory, double, body->count), before = bodyTotal(body);
    double modes = modesBasis(body);
    result = mass ? bodyMasses(def, mass) : resultOutOfMemory("the masses of a body");
    Body fresh;
    if (result.code == VV_OK)
        result = createFresh(body, def, mass, &fresh);
    if (result.code == VV_OK)
    {
        result = checkRoom(body, &fresh);
        if (result.code == VV_OK && !takeEnergies(body, &fresh))
            result = resultOutOfMemory("the matrix of a body");
        if (result.code != VV_OK)
            destroyFresh(body, &fresh);
    }
    if (result.code == VV_OK)
    {
        takeMasses(body, mass);
        body->def = *def;
        body->step.waves = fresh.step.waves;
        body->step.rigidDamping = fresh.step.rigidDamping;
        body->contactDef = contactDefOf(def, body->mass);
        body->handleStiffness = handleStiffness(def, body->mass);
        bodyLoadSurface(body);
        bodyWake(body); // it looks around
        bodySearch(body, 0);
        bodyBookJump(body, before);
        body->account.added += softRenew(body);
        body->fingerprint = bodyFingerprint(body);
        world->systemsStale = true;
        if (modes != 0 && modesBasis(body) != modes)
            modesWait(body);
    }
    memoryRelease(&world->memory, mass);
    return result;
}

// ---- the calls ------------------------------------------------------------------------------------------------------

// one field of the definition
static vvResult setField(vvSoftBodyId id, size_t offset, const void *value, size_t size)
{
    Body *body = bodyOpen(id);
    if (body == NULL)
        return refused("soft body");
    vvSoftBodyDef def = body->def;
    memcpy((char *)&def + offset, value, size);
    return redefine(body, &def);
}

// a parameter that is named as its field
#define SET_FIELD(id, field) setField((id), offsetof(vvSoftBodyDef, field), &(field), sizeof(field))

vvMaterial vvSoftBody_GetMaterial(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.material : (vvMaterial){ 0 };
}

vvResult vvSoftBody_SetMaterial(vvSoftBodyId id, vvMaterial material)
{
    return SET_FIELD(id, material);
}

vvLaw vvSoftBody_GetLaw(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.law : (vvLaw){ 0 };
}

vvResult vvSoftBody_SetLaw(vvSoftBodyId id, vvLaw law)
{
    return SET_FIELD(id, law);
}

// Numbers of elements: their factors of stiffness, or their warps. A copy becomes the body's.
static vvResult takeFactors(Body *body, double *copy)
{
    vvSoftBodyDef def = body->def;
    Memory *memory = &body->world->memory;
    double *before = body->elementStiffness;
    def.elementStiffness = copy;
    vvResult result = redefine(body, &def);
    if (result.code == VV_OK)
        body->elementStiffness = copy;
    memoryRelease(memory, result.code == VV_OK ? before : copy);
    return result;
}

static vvResult takeWarps(Body *body, double *copy)
{
    vvSoftBodyDef def = body->def;
    Memory *memory = &body->world->memory;
    double *before = body->elementWarp;
    def.elementWarp = copy;
    vvResult result = redefine(body, &def);
    if (result.code == VV_OK)
        body->elementWarp = copy;
    memoryRelease(memory, result.code == VV_OK ? before : copy);
    return result;
}

static vvResult checkFactored(const Body *body)
{
    if (body == NULL)
        return refused("soft body");
    if (body->origin != NULL) // saved states make its mesh again from what it began with
        return resultMake(VV_BAD_INPUT, "set them before, or vvSoftBody_SetMaterial for the whole body",
                          "the mesh of the body has changed: what its elements are can no longer be set");
    return resultOk();
}

// `all`: elements of the body
static vvResult checkRegion(const int *elements, int count, int all)
{
    if (count < 0 || (count > 0 && elements == NULL))
        return resultMake(VV_BAD_INPUT, "pass an array and how many it names", "count is %d and elements is %s", count,
                          elements != NULL ? "given" : "NULL");
    for (int i = 0; i < count; ++i)
    {
        if (elements[i] < 0 || elements[i] >= all)
            return resultMake(VV_BAD_INPUT, "vvSoftBodyDef_GetElementCorners says what counts as an element",
                              "elements[%d] is %d, must be 0 to %d", i, elements[i], all - 1);
    }
    return resultOk();
}

vvResult vvSoftBody_SetElementStiffness(vvSoftBodyId id, const double *factors)
{
    Body *body = bodyOpen(id);
    vvResult result = checkFactored(body);
    double *copy;
    if (result.code != VV_OK)
        return result;
    return copyArray(&body->world->memory, factors, factorCount(&body->def), &copy)
               ? takeFactors(body, copy)
               : resultOutOfMemory("the factors of elements");
}

vvResult vvSoftBody_SetRegionStiffness(vvSoftBodyId id, const int *elements, int count, double factor)
{
    Body *body = bodyOpen(id);
    vvResult result = checkFactored(body);
    int all = result.code == VV_OK ? factorCount(&body->def) : 0;
    if (result.code == VV_OK)
        result = checkRegion(elements, count, all);
    if (result.code != VV_OK)
        return result;
    double *copy = ALLOCATE(&body->world->memory, double, all);
    if (copy == NULL)
        return resultOutOfMemory("the factors of elements");
    for (int e = 0; e < all; ++e)
        copy[e] = body->elementStiffness != NULL ? body->elementStiffness[e] : 1;
    for (int i = 0; i < count; ++i)
        copy[elements[i]] = factor;
    return takeFactors(body, copy);
}

vvResult vvSoftBody_SetElementWarp(vvSoftBodyId id, const double *warps)
{
    Body *body = bodyOpen(id);
    vvResult result = checkFactored(body);
    double *copy;
    if (result.code != VV_OK)
        return result;
    return copyArray(&body->world->memory, warps, 3 * body->mesh->surfaceCount, &copy)
               ? takeWarps(body, copy)
               : resultOutOfMemory("the warps of triangles");
}

vvResult vvSoftBody_SetRegionWarp(vvSoftBodyId id, const int *elements, int count, vvVec3 warp)
{
    Body *body = bodyOpen(id);
    vvResult result = checkFactored(body);
    int all = result.code == VV_OK ? body->mesh->surfaceCount : 0;
    if (result.code == VV_OK)
        result = checkRegion(elements, count, all);
    if (result.code != VV_OK)
        return result;
    double *copy = ALLOCATE(&body->world->memory, double, 3 * (size_t)all);
    if (copy == NULL)
        return resultOutOfMemory("the warps of triangles");
    for (int t = 0; t < all; ++t)
    {
        Vec3 before = body->elementWarp != NULL ? vecLoad(body->elementWarp + 3 * (ptrdiff_t)t) : body->def.law.warp;
        vecStore(copy + 3 * (ptrdiff_t)t, before);
    }
    for (int i = 0; i < count; ++i)
        vecStore(copy + 3 * (ptrdiff_t)elements[i], warp);
    return takeWarps(body, copy);
}

double vvSoftBody_GetBending(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.bending : 0;
}

vvResult vvSoftBody_SetBending(vvSoftBodyId id, double bending)
{
    return SET_FIELD(id, bending);
}

double vvSoftBody_GetTwisting(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.twisting : 0;
}

vvResult vvSoftBody_SetTwisting(vvSoftBodyId id, double twisting)
{
    return SET_FIELD(id, twisting);
}

vvStrainLimit vvSoftBody_GetStrainLimit(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.strainLimit : (vvStrainLimit){ 0 };
}

vvResult vvSoftBody_SetStrainLimit(vvSoftBodyId id, vvStrainLimit strainLimit)
{
    return SET_FIELD(id, strainLimit);
}

vvResult vvSoftBody_SetPlasticity(vvSoftBodyId id, vvPlasticity plasticity)
{
    return SET_FIELD(id, plasticity);
}

double vvSoftBody_GetVolumeStiffness(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.volumeStiffness : 0;
}

vvResult vvSoftBody_SetVolumeStiffness(vvSoftBodyId id, double volumeStiffness)
{
    return SET_FIELD(id, volumeStiffness);
}

double vvSoftBody_GetAreaStiffness(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.areaStiffness : 0;
}

vvResult vvSoftBody_SetAreaStiffness(vvSoftBodyId id, double areaStiffness)
{
    return SET_FIELD(id, areaStiffness);
}

vvResult vvSoftBody_SetVolumeBounds(vvSoftBodyId id, double volumeMin, double volumeMax)
{
    Body *body = bodyOpen(id);
    if (body == NULL)
        return refused("soft body");
    vvSoftBodyDef def = body->def;
    def.volumeMin = volumeMin;
    def.volumeMax = volumeMax;
    return redefine(body, &def);
}

double vvSoftBody_GetVolumeMin(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.volumeMin : 0;
}

double vvSoftBody_GetVolumeMax(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.volumeMax : 0;
}

double vvSoftBody_GetShapeStiffness(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.shapeStiffness : 0;
}

vvResult vvSoftBody_SetShapeStiffness(vvSoftBodyId id, double shapeStiffness)
{
    return SET_FIELD(id, shapeStiffness);
}

vvDamping vvSoftBody_GetDamping(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.damping : (vvDamping){ 0 };
}

vvResult vvSoftBody_SetDamping(vvSoftBodyId id, vvDamping damping)
{
    return SET_FIELD(id, damping);
}

double vvSoftBody_GetPressure(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.pressure : 0;
}

vvResult vvSoftBody_SetPressure(vvSoftBodyId id, double pressure)
{
    return SET_FIELD(id, pressure);
}

double vvSoftBody_GetFriction(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.friction : 0;
}

vvResult vvSoftBody_SetFriction(vvSoftBodyId id, double friction)
{
    return SET_FIELD(id, friction);
}

vvResult vvSoftBody_SetContactStiffness(vvSoftBodyId id, double contactStiffness)
{
    return SET_FIELD(id, contactStiffness);
}
