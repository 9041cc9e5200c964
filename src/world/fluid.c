// Fluids: their definition, creation and destruction, and what is added to them.
#include "world/world.h"

vvFluidDef vvDefaultFluidDef(void)
{
    FluidSettings defaults = fluidDefaults(3);
    return (vvFluidDef){ .spacing = defaults.spacing,
                         .density = defaults.density,
                         .smoothing = defaults.smoothing,
                         .maxParticles = 100000,
                         .substeps = defaults.substeps,
                         .maxSubsteps = defaults.mostSubsteps,
                         .iterations = defaults.iterations,
                         .maxDisplacement = defaults.courant,
                         .category = 1,
                         .mask = UINT32_MAX,
                         .cookie = FLUID_COOKIE };
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkRange(const char *what, double value, double least, double most)
{
    if (value >= least && value <= most)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "vvDefaultFluidDef() has a usual value", "%s of the fluid is %g, must be %g to %g",
                      what, value, least, most);
}

static vvResult checkFluid(const vvFluidDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == FLUID_COOKIE, "fluid", "vvDefaultFluidDef()");
    if (result.code != VV_OK)
        return result;
    const struct
    {
        const char *what;
        double value, least, most;
    } range[] = {
        { "spacing", def->spacing, 1e-6, 1e6 },
        { "density", def->density, 1e-6, 1e9 },
        { "viscosity", def->viscosity, 0, 1e12 },
        { "surfaceTension", def->surfaceTension, 0, 1e12 },
        { "smoothing", def->smoothing, 0, 0.5 },
        { "friction", def->friction < 0 ? 0 : def->friction, 0, 1e12 },
        { "maxParticles", def->maxParticles, 1, VV_MAX_FLUID_PARTICLES },
        { "substeps", def->substeps, 1, VV_MAX_SUBSTEPS },
        { "maxSubsteps", def->maxSubsteps, 1, VV_MAX_SUBSTEPS },
        { "iterations", def->iterations, 1, 10000 },
        { "maxDisplacement", def->maxDisplacement, 0.01, 1 },
    };
    for (int i = 0; i < (int)(sizeof range / sizeof *range) && result.code == VV_OK; ++i)
        result = checkRange(range[i].what, range[i].value, range[i].least, range[i].most);
    return result;
}

// ---- creation -------------------------------------------------------------------------------------------------------

static int reserveSlot(World *world)
{
    Fluids *fluids = &world->fluids;
    for (int i = 0; i < fluids->slotCount; ++i)
    {
        if (fluids->item[i].fluid == NULL)
            return i;
    }
    int slot = fluids->slotCount, grown = maxInt(4, 2 * slot);
    void *items = fluids->item;
    if (!memoryGrow(&world->memory, &items, (size_t)slot, (size_t)grown, sizeof(WorldFluid)))
        return -1;
    fluids->item = items;
    fluids->slotCount = grown;
    return slot;
}

static FluidSettings settingsOf(const vvFluidDef *def)
{
    FluidSettings settings = fluidDefaults(3);
    settings.spacing = def->spacing;
    settings.density = def->density;
    settings.viscosity = def->viscosity;
    settings.surfaceTension = def->surfaceTension;
    settings.smoothing = def->smoothing;
    settings.courant = def->maxDisplacement;
    settings.substeps = def->substeps;
    settings.mostSubsteps = def->maxSubsteps;
    settings.iterations = def->iterations;
    return settings;
}

static vvResult createFluid(World *world, const vvFluidDef *def, int *slot)
{
    vvResult result = checkFluid(def);
    if (result.code == VV_OK)
        result = checkCount("fluids", world->fluids.count);
    if (result.code != VV_OK)
        return result;
    *slot = reserveSlot(world);
    FluidSettings settings = settingsOf(def);
    Fluid *fluid = *slot >= 0 ? fluidCreate(&world->memory, &settings) : NULL;
    if (fluid == NULL)
        return resultOutOfMemory("a fluid");
    world->fluids.item[*slot] = (WorldFluid){
        .fluid = fluid,
        .generation = nextGeneration(world),
        .most = def->maxParticles,
        .walls = { .colliders = &world->colliders,
                   .friction = def->friction,
                   .category = def->category,
                   .mask = def->mask },
        .userData = def->userData,
    };
    world->fluids.count += 1;
    result = fluidsPrepareBodies(world);
    if (result.code == VV_OK)
        return result;
    fluidDestroy(fluid);
    world->fluids.item[*slot] = (WorldFluid){ 0 };
    world->fluids.count -= 1;
    return result;
}

vvFluidId vvCreateFluid(vvWorldId id, const vvFluidDef *def, vvResult *result)
{
    World *world = worldOpen(id);
    int slot = -1;
    vvResult outcome = world ? createFluid(world, def, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvFluidId){ 0, 0, 0 };
    return ID_OF(vvFluidId, world, slot, world->fluids.item[slot].generation);
}

void vvDestroyFluid(vvFluidId id)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    if (item == NULL)
        return;
    fluidDestroy(item->fluid);
    fluidSurfaceRelease(&world->memory, &item->surface);
    *item = (WorldFluid){ 0 };
    world->fluids.count -= 1;
}

void fluidsDestroy(World *world)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        fluidDestroy(world->fluids.item[i].fluid);
        fluidSurfaceRelease(&world->memory, &world->fluids.item[i].surface);
    }
    fluidBodiesRelease(&world->fluids.bodies, &world->memory);
    fluidSoftsRelease(&world->fluids.surfaces, &world->memory);
    fluidSheetsRelease(&world->fluids.sheets, &world->memory);
    memoryRelease(&world->memory, world->fluids.item);
}

bool vvFluid_IsValid(vvFluidId id)
{
    World *world;
    return fluidFind(id, &world) != NULL;
}

void *vvFluid_GetUserData(vvFluidId id)
{
    World *world;
    const WorldFluid *item = fluidFind(id, &world);
    return item ? item->userData : NULL;
}

// ---- particles ------------------------------------------------------------------------------------------------------

double particleEnergy(const World *world, const Fluid *fluid, Vec3 position, Vec3 velocity)
{
    return fluid->scale.mass * (vecDot(velocity, velocity) / 2 - vecDot(world->gravity, position));
}

// room for so many more
static vvResult reserve(WorldFluid *item, double more)
{
    Fluid *fluid = item->fluid;
    if (!(fluid->count + more <= item->most))
        return resultMake(VV_LIMIT, "raise maxParticles, or take a larger spacing",
                          "the fluid has %d particles and would get %.0f more, maxParticles is %d", fluid->count, more,
                          item->most);
    return fluidReserve(fluid, fluid->count + (int)more) ? resultOk() : resultOutOfMemory("particles of a fluid");
}

static void addParticle(const World *world, WorldFluid *item, Vec3 position, Vec3 velocity)
{
    fluidAdd(item->fluid, position, velocity);
    item->account.opening += particleEnergy(world, item->fluid, position, velocity);
}

static vvResult checkBox(vvBox box)
{
    vvResult result = checkVector("lower corner of the box", box.lower);
    if (result.code == VV_OK)
        result = checkVector("upper corner of the box", box.upper);
    if (result.code == VV_OK &&
        !(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z))
        result = resultMake(VV_BAD_INPUT, "give the lower corner first",
                            "the box is from %g %g %g to %g %g %g m, its lower corner must not be above the upper one",
                            box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z);
    return result;
}

// particles along an edge: a whole number of spacings up to rounding
static double along(double length, double spacing)
{
    return floor(length / spacing + 1e-6);
}

static vvResult addBox(const World *world, WorldFluid *item, vvBox box, Vec3 velocity)
{
    double d = item->fluid->settings.spacing;
    double nx = along(box.upper.x - box.lower.x, d), ny = along(box.upper.y - box.lower.y, d);
    double nz = along(box.upper.z - box.lower.z, d);
    vvResult result = reserve(item, nx * ny * nz);
    for (int i = 0; result.code == VV_OK && i < (int)(nx * ny * nz); ++i)
    {
        int x = i % (int)nx, y = i / (int)nx % (int)ny, z = i / (int)nx / (int)ny;
        addParticle(world, item, vecAdd(box.lower, vec3((x + 0.5) * d, (y + 0.5) * d, (z + 0.5) * d)), velocity);
    }
    return result;
}

vvResult vvFluid_AddBox(vvFluidId id, vvBox box, vvVec3 velocity)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? checkBox(box) : refused("fluid");
    if (result.code == VV_OK)
        result = checkVector("velocity", velocity);
    return result.code == VV_OK ? addBox(world, item, box, velocity) : result;
}

vvResult vvFluid_AddParticles(vvFluidId id, const double *positions, const double *velocities, int count)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? resultOk() : refused("fluid");
    if (result.code == VV_OK && (count < 0 || (count > 0 && positions == NULL)))
        result = resultMake(VV_BAD_INPUT, "pass as many positions as count says", "count is %d with positions %s",
                            count, positions ? "given" : "NULL");
    for (int i = 0; i < count && result.code == VV_OK; ++i)
    {
        result = checkVector("a position", vecLoad(positions + 3 * (ptrdiff_t)i));
        if (result.code == VV_OK && velocities != NULL)
            result = checkVector("a velocity", vecLoad(velocities + 3 * (ptrdiff_t)i));
    }
    if (result.code == VV_OK)
        result = reserve(item, count);
    for (int i = 0; i < count && result.code == VV_OK; ++i)
    {
        Vec3 velocity = velocities ? vecLoad(velocities + 3 * (ptrdiff_t)i) : vec3(0, 0, 0);
        addParticle(world, item, vecLoad(positions + 3 * (ptrdiff_t)i), velocity);
    }
    return result;
}

// ---- emitters and drains --------------------------------------------------------------------------------------------

static vvResult checkIndex(const char *what, int index, int count)
{
    if (index >= 0 && index < count)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "they are numbered from 0 in the order of adding",
                      "the fluid has %d %s, none is %d", count, what, index);
}

static vvResult checkRoom(const char *what, int count)
{
    if (count < VV_MAX_FLUID_FLOWS)
        return resultOk();
    return resultMake(VV_LIMIT, "change one of them, or make another fluid", "a fluid has at most %d %s",
                      VV_MAX_FLUID_FLOWS, what);
}

static vvResult checkEmitter(const vvFluidEmitter *emitter)
{
    if (emitter == NULL)
        return resultMake(VV_BAD_INPUT, "pass a vvFluidEmitter", "emitter is NULL");
    vvResult result = checkVector("position of the emitter", emitter->position);
    if (result.code == VV_OK)
        result = checkVector("direction of the emitter", emitter->direction);
    if (result.code == VV_OK && !(vecLength(emitter->direction) > 0))
        result = resultMake(VV_BAD_INPUT, "0 -1 0 is down", "direction of the emitter is 0, must have a length");
    if (result.code == VV_OK)
        result = checkRange("radius of an emitter", emitter->radius, 1e-6, 1e6);
    if (result.code == VV_OK)
        result = checkRange("speed of an emitter", emitter->speed, 0, 1e6);
    return result.code == VV_OK ? checkRange("rate of an emitter", emitter->rate, 0, 1e18) : result;
}

vvResult vvFluid_AddEmitter(vvFluidId id, const vvFluidEmitter *emitter)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? checkEmitter(emitter) : refused("fluid");
    if (result.code == VV_OK)
        result = checkRoom("emitters", item->emitterCount);
    if (result.code == VV_OK)
        item->emitter[item->emitterCount++] = (Emitter){ .def = *emitter };
    return result;
}

vvResult vvFluid_SetEmitter(vvFluidId id, int index, const vvFluidEmitter *emitter)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? checkIndex("emitters", index, item->emitterCount) : refused("fluid");
    if (result.code == VV_OK)
        result = checkEmitter(emitter);
    if (result.code == VV_OK)
        item->emitter[index].def = *emitter;
    return result;
}

int vvFluid_GetEmitterCount(vvFluidId id)
{
    World *world;
    const WorldFluid *item = fluidFind(id, &world);
    return item ? item->emitterCount : 0;
}

vvResult vvFluid_AddDrain(vvFluidId id, vvBox box)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? checkBox(box) : refused("fluid");
    if (result.code == VV_OK)
        result = checkRoom("drains", item->drainCount);
    if (result.code == VV_OK)
        item->drain[item->drainCount++] = box;
    return result;
}

vvResult vvFluid_SetDrain(vvFluidId id, int index, vvBox box)
{
    World *world;
    WorldFluid *item = fluidOpen(id, &world);
    vvResult result = item ? checkIndex("drains", index, item->drainCount) : refused("fluid");
    if (result.code == VV_OK)
        result = checkBox(box);
    if (result.code == VV_OK)
        item->drain[index] = box;
    return result;
}

int vvFluid_GetDrainCount(vvFluidId id)
{
    World *world;
    const WorldFluid *item = fluidFind(id, &world);
    return item ? item->drainCount : 0;
}
