// Muscles: fibres of tets that pull as far as they are activated.
#include "energy/muscle.h"
#include "world/world.h"

vvMuscleDef vvDefaultMuscleDef(void)
{
    return (vvMuscleDef){ .direction = { 1, 0, 0 }, .cookie = MUSCLE_COOKIE };
}

static int tetsOf(const Body *body, const vvMuscleDef *def)
{
    return def->tets != NULL ? def->count : body->mesh->tetCount;
}

static vvResult checkDirection(const vvMuscleDef *def, int element)
{
    const double *d = def->directions + 3 * (ptrdiff_t)element;
    double length = vecLength(vecLoad(d));
    if (isfinite(length) && length > 1e-30)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "give a vector of any length above 0", "directions[%d] is %g %g %g, which is none",
                      element, d[0], d[1], d[2]);
}

static vvResult checkElement(const Body *body, const vvMuscleDef *def, int element)
{
    int tet = def->tets ? def->tets[element] : element, group = def->groups ? def->groups[element] : 0;
    if (tet < 0 || tet >= body->mesh->tetCount)
        return resultMake(VV_BAD_INPUT, "vvMesh_GetTets lists them", "tets[%d] is %d, must be 0 to %d", element, tet,
                          body->mesh->tetCount - 1);
    if (group < 0 || group >= VV_MAX_MUSCLE_GROUPS)
        return resultMake(VV_BAD_INPUT, "number groups from 0 on", "groups[%d] is %d, must be 0 to %d", element, group,
                          VV_MAX_MUSCLE_GROUPS - 1);
    return def->directions ? checkDirection(def, element) : resultOk();
}

static vvResult checkMuscle(const Body *body, const vvMuscleDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == MUSCLE_COOKIE, "muscle", "vvDefaultMuscleDef()");
    if (result.code != VV_OK)
        return result;
    if (body->mesh->tetCount == 0)
        return resultMake(VV_BAD_INPUT, "use a mesh with tets", "a muscle needs tets and the mesh has none");
    if (tetsOf(body, def) < 1)
        return resultMake(VV_BAD_INPUT, "NULL takes all tets", "tets are given and count is %d, must be above 0",
                          def->count);
    Vec3 d = vec3(def->direction.x, def->direction.y, def->direction.z);
    if (def->directions == NULL && !(isfinite(vecLength(d)) && vecLength(d) > 1e-30))
        return resultMake(VV_BAD_INPUT, "give a vector of any length above 0", "direction is %g %g %g, which is none",
                          d.x, d.y, d.z);
    if (!(def->stress >= 0 && isModest(def->stress)))
        return resultMake(VV_BAD_INPUT, "0 takes young; skeletal muscle has up to 3e5",
                          "stress is %g Pa, must be 0, or 1e-30 to 1e30", def->stress);
    for (int e = 0; e < tetsOf(body, def) && result.code == VV_OK; ++e)
        result = checkElement(body, def, e);
    return result.code == VV_OK ? bodyCheckRoom(body) : result;
}

// the mesh's number of each tet by the caller's; NULL: out of memory
static int *tetsFromCaller(const Body *body)
{
    int *ours = ALLOCATE(&body->world->memory, int, body->mesh->tetCount);
    for (int t = 0; ours != NULL && t < body->mesh->tetCount; ++t)
        ours[body->mesh->tetToCaller[t]] = t;
    return ours;
}

// NULL: out of memory
static Energy *createMuscle(Body *body, const vvMuscleDef *def)
{
    Memory *memory = &body->world->memory;
    int count = tetsOf(body, def), *ours = tetsFromCaller(body), *corner = ALLOCATE(memory, int, 4 * (size_t)count);
    Recipe recipe = { .rest = body->mesh->point,
                      .young = def->stress > 0 ? def->stress : body->def.material.young,
                      .direction = { def->direction.x, def->direction.y, def->direction.z },
                      .directions = def->directions,
                      .unit = def->groups,
                      .isa = body->world->isa };
    Energy *energy = NULL;
    for (int i = 0; ours != NULL && corner != NULL && i < 4 * count; ++i)
    {
        int tet = ours[def->tets ? def->tets[i / 4] : i / 4];
        corner[i] = body->mesh->tet[4 * (ptrdiff_t)tet + i % 4];
    }
    if (ours != NULL && corner != NULL)
        energy = energyCreate(memory, &muscleKind, body->count, count, corner, &recipe);
    memoryRelease(memory, ours);
    memoryRelease(memory, corner);
    return energy;
}

vvConstraintId vvCreateMuscle(vvSoftBodyId id, const vvMuscleDef *def, vvResult *result)
{
    Body *body = bodyOpen(id);
    int slot = -1;
    vvResult outcome = body ? checkMuscle(body, def) : refused("body");
    if (outcome.code == VV_OK)
        outcome = bodyJoin(body, createMuscle(body, def), &slot);
    if (!resultPass(result, &outcome))
        return (vvConstraintId){ 0, 0, 0 };
    return ID_OF(vvConstraintId, body->world, slot, body->world->added[slot].generation);
}

static Energy *muscleOf(vvConstraintId id, Body **body)
{
    World *world;
    const Added *added = addedFind(id.world1, id.index1, id.generation, &world);
    *body = added != NULL ? added->body : NULL;
    return added != NULL && added->energy->kind == &muscleKind ? added->energy : NULL;
}

vvResult vvConstraint_SetActivation(vvConstraintId id, int group, double activation)
{
    Body *body;
    Energy *energy = muscleOf(id, &body);
    if (body == NULL || bodyOpen(bodyId(body)) == NULL)
        return refused("constraint");
    if (energy == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateMuscle makes one", "the constraint is no muscle");
    if (!(activation >= 0 && activation <= 1))
        return resultMake(VV_BAD_INPUT, "1 pulls with the whole stress of its definition",
                          "activation is %g, must be 0 to 1", activation);
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    double before = energyValue(energy, x);
    if (!muscleActivate(energy, group, activation))
        return resultMake(VV_BAD_INPUT, "groups are those of its definition, 0 where none are given",
                          "the muscle has no tet of group %d", group);
    double jump = energyValue(energy, x) - before;
    body->account.added += jump;
    if (jump != 0)
        bodyWake(body);
    return resultOk();
}

double vvConstraint_GetActivation(vvConstraintId id, int group)
{
    Body *body;
    const Energy *energy = muscleOf(id, &body);
    return energy != NULL ? maxReal(muscleActivation(energy, group), 0) : 0;
}
