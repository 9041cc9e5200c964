// Fluids in a step, in the ledger and in the hash of a world; what can be asked of them.
#include "world/world.h"

#include <string.h>

// ---- emitters and drains --------------------------------------------------------------------------------------------

// two directions across a unit one
static void acrossOf(Vec3 along, Vec3 *u, Vec3 *v)
{
    Vec3 least = fabs(along.x) <= fabs(along.y) && fabs(along.x) <= fabs(along.z) ? vec3(1, 0, 0)
                 : fabs(along.y) <= fabs(along.z)                                 ? vec3(0, 1, 0)
                                                                                  : vec3(0, 0, 1);
    *u = vecCross(along, least);
    *u = vecScale(1 / vecLength(*u), *u);
    *v = vecCross(along, *u);
}

// One layer of particles on a lattice across the opening, this far along its direction; -1: only how many they are.
static int emitLayer(WorldFluid *item, const vvFluidEmitter *e, double far)
{
    Fluid *fluid = item->fluid;
    double d = fluid->settings.spacing;
    int most = (int)minReal(floor(e->radius / d), 1000), count = 0;
    Vec3 along = vecScale(1 / vecLength(e->direction), e->direction), u, v;
    acrossOf(along, &u, &v);
    for (int j = -most; j <= most; ++j)
    {
        for (int i = -most; i <= most; ++i)
        {
            if (d * d * (i * i + j * j) > e->radius * e->radius)
                continue;
            count += 1;
            if (far < 0 || fluid->count >= fluid->room)
                continue;
            Vec3 at = vecAdd(e->position, vecScale(far, along));
            at = vecAdd(at, vecAdd(vecScale(i * d, u), vecScale(j * d, v)));
            fluidAdd(fluid, at, vecScale(e->speed, along));
        }
    }
    return count;
}

// s between layers
static double periodOf(WorldFluid *item, const vvFluidEmitter *e)
{
    double d = item->fluid->settings.spacing, least = d / e->speed;
    return e->rate > 0 ? maxReal(emitLayer(item, e, -1) * d * d * d / e->rate, least) : least;
}

// Room for what comes: by doubling, so that it is asked for rarely. Where there is none, less is emitted.
static bool makeRoom(WorldFluid *item, int layer)
{
    Fluid *fluid = item->fluid;
    if (fluid->count + layer <= fluid->room || fluid->room == item->most)
        return true;
    return fluidReserve(fluid, minInt(maxInt(2 * fluid->room, fluid->count + layer), item->most));
}

static bool emit(const World *world, WorldFluid *item, double dt)
{
    Fluid *fluid = item->fluid;
    for (int k = 0; k < item->emitterCount; ++k)
    {
        Emitter *emitter = &item->emitter[k];
        if (!(emitter->def.speed > 0))
            continue;
        double period = periodOf(item, &emitter->def);
        int layer = emitLayer(item, &emitter->def, -1), before = fluid->count;
        for (; emitter->due < dt && fluid->count < item->most; emitter->due += period)
        {
            if (!makeRoom(item, layer))
                return false;
            emitLayer(item, &emitter->def, emitter->def.speed * (dt - emitter->due));
        }
        emitter->due = maxReal(emitter->due - dt, 0);
        for (int i = before; i < fluid->count; ++i)
            item->books.added += particleEnergy(world, fluid, vecLoad(fluid->position + 3 * (ptrdiff_t)i),
                                                vecLoad(fluid->velocity + 3 * (ptrdiff_t)i));
    }
    return true;
}

static bool isInside(const vvBox *box, Vec3 x)
{
    return x.x >= box->lower.x && x.x <= box->upper.x && x.y >= box->lower.y && x.y <= box->upper.y &&
           x.z >= box->lower.z && x.z <= box->upper.z;
}

static void drain(const World *world, WorldFluid *item)
{
    Fluid *fluid = item->fluid;
    for (int i = fluid->count - 1; i >= 0 && item->drainCount > 0; --i)
    {
        Vec3 x = vecLoad(fluid->position + 3 * (ptrdiff_t)i);
        bool goes = false;
        for (int k = 0; k < item->drainCount; ++k)
            goes = goes || isInside(&item->drain[k], x);
        if (!goes)
            continue;
        item->books.added -= particleEnergy(world, fluid, x, vecLoad(fluid->velocity + 3 * (ptrdiff_t)i));
        fluidRemove(fluid, i);
    }
}

// ---- the step -------------------------------------------------------------------------------------------------------

static vvResult stepFluid(World *world, WorldFluid *item, double dt)
{
    FluidBodies *bodies = &world->fluids.bodies;
    FluidSofts *surfaces = &world->fluids.surfaces;
    FluidSheets *sheets = &world->fluids.sheets;
    FluidContext context = { fluidWallsOf(&item->walls), &item->walls, bodies, surfaces, sheets };
    if (!fluidBodiesLoad(world, item, dt) || !fluidSoftsLoad(world, item, dt) || !fluidSheetsLoad(world, item, dt))
        return resultOutOfMemory("bodies in a fluid");
    surfaces->books = bodies->books = &item->books;
    FluidMotion motion = { .gravity = world->gravity,
                           .dt = dt,
                           .isa = world->isa,
                           .workers = world->workers,
                           .walls = fluidWallsIn(&context) };
    motion.wallWay = maxReal(fluidWallWay(&world->colliders), fluidBodiesWay(bodies, dt));
    motion.wallWay = maxReal(motion.wallWay, maxReal(surfaces->farthest, fluidSheetsWay(sheets, dt)));
    bool done = fluidStep(item->fluid, &motion, &item->books);
    if (done)
        fluidSoftsGive(surfaces, dt);
    fluidSoftsReturn(surfaces);
    fluidSheetsReturn(sheets);
    if (!done)
        return resultMake(VV_DIVERGED, "take a smaller step or more substeps of the fluid, or drain what falls away",
                          "step %lld: a particle of fluid %d is no number, or farther away than 1e9 spacings",
                          world->statistics.stepCount + 1, (int)(item - world->fluids.item));
    fluidBodiesGive(bodies, dt);
    drain(world, item);
    return emit(world, item, dt) ? resultOk() : resultOutOfMemory("particles of a fluid");
}

static vvResult stepFluids(World *world, double dt, bool wet)
{
    vvResult result = resultOk();
    for (int i = 0; i < world->fluids.slotCount && result.code == VV_OK; ++i)
    {
        if (world->fluids.item[i].fluid != NULL && world->fluids.item[i].wet == wet)
            result = stepFluid(world, &world->fluids.item[i], dt);
    }
    return result;
}

// wet: the islands of sheets have taken their step
static void press(World *world, bool done, bool wet)
{
    if (done)
        fluidsSoothe(world, wet);
    fluidsPressBodies(world);
    world->fluids.pressing = true;
}

vvResult fluidsStep(World *world, double dt)
{
    vvResult result = resultOk();
    bool wet = false;
    world->fluids.bodies.foreseen = world->fluids.pressing = world->fluids.flowed = false;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->step.wetDamping = 0;
        body->pressBooks = NULL;
        if (body->pressed != NULL)
            memset(body->pressed, 0, 3 * (size_t)body->count * sizeof *body->pressed);
    }
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        if (item->fluid == NULL)
            continue;
        fluidKeep(item->fluid);
        item->books = (FluidBooks){ 0 };
        for (int k = 0; k < item->emitterCount; ++k)
            item->emitter[k].keptDue = item->emitter[k].due;
        item->wet = fluidMayMeetSheets(world, item, dt);
        wet = wet || item->wet;
    }
    result = stepFluids(world, dt, false);
    world->fluids.flowed = !wet;
    if (!wet || result.code != VV_OK)
        press(world, result.code == VV_OK, false);
    if (result.code != VV_OK)
        fluidsRewind(world);
    return result;
}

vvResult fluidsStepWet(World *world, double dt)
{
    bool wet = false;
    for (int i = 0; i < world->systemCount; ++i)
        world->runs[i].taken = false;
    for (int i = 0; i < world->fluids.slotCount; ++i)
        wet = wet || (world->fluids.item[i].fluid != NULL && world->fluids.item[i].wet);
    if (!wet)
        return resultOk();
    vvResult result = stepFluids(world, dt, true);
    world->fluids.flowed = true;
    press(world, result.code == VV_OK, true);
    if (result.code != VV_OK)
        islandsRewindTaken(world);
    return result;
}

void fluidsRewind(World *world)
{
    if (world->fluids.pressing)
        fluidsPressBodies(world);
    world->fluids.pressing = false;
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        if (item->fluid == NULL)
            continue;
        fluidRewind(item->fluid);
        for (int k = 0; k < item->emitterCount; ++k)
            item->emitter[k].due = item->emitter[k].keptDue;
    }
}

static double energyOf(const World *world, const Fluid *fluid)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < fluid->count; ++i)
        sum += particleEnergy(world, fluid, vecLoad(fluid->position + 3 * i), vecLoad(fluid->velocity + 3 * i));
    return sum;
}

// The density constraint throws particles against walls and against each other, and walls and drag take that again,
// most of it in the same substep. Only what is gone of the energy was dissipated, up to what they took: energy beyond
// the account stays there as numerical. The energy of surface tension is not known: then all is booked.
static double dissipatedOf(const World *world, const WorldFluid *item)
{
    double taken = item->books.dissipated;
    if (item->fluid->settings.surfaceTension > 0)
        return taken;
    double gone = accountTarget(&item->account) - energyOf(world, item->fluid);
    return maxReal(minReal(gone, taken), 0);
}

// What a fluid gives to rigid bodies is what their own step has got of it: that knows what else holds them.
static void bookFlow(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        if (rigid->used && rigid->flowBooks != NULL)
            rigid->flowBooks->added -= rigid->body.flowWork;
    }
}

void fluidsAccept(World *world)
{
    bookFlow(world);
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        WorldFluid *item = &world->fluids.item[i];
        if (item->fluid == NULL)
            continue;
        item->account.added += item->books.added;
        item->account.dissipated += dissipatedOf(world, item);
        item->books = (FluidBooks){ 0 };
    }
}

// ---- ledger and hash ------------------------------------------------------------------------------------------------

static Vec3 sumOf(const double *vectors, int count)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i)
        sum = vecAdd(sum, vecLoad(vectors + 3 * (ptrdiff_t)i));
    return sum;
}

void fluidsBookGravity(World *world, Vec3 change)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        const Fluid *fluid = world->fluids.item[i].fluid;
        if (fluid != NULL)
            world->fluids.item[i].account.added +=
                fluid->scale.mass * vecDot(change, sumOf(fluid->position, fluid->count));
    }
}

void fluidsAddLedger(const World *world, vvLedger *ledger)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        const WorldFluid *item = &world->fluids.item[i];
        const Fluid *fluid = item->fluid;
        if (fluid == NULL)
            continue;
        double square = 0, mass = fluid->scale.mass;
        Vec3 spin = vec3(0, 0, 0);
        for (int p = 0; p < fluid->count; ++p)
        {
            Vec3 x = vecLoad(fluid->position + 3 * (ptrdiff_t)p), v = vecLoad(fluid->velocity + 3 * (ptrdiff_t)p);
            square += vecDot(v, v);
            spin = vecAdd(spin, vecCross(x, v));
        }
        ledger->kinetic += mass / 2 * square;
        ledger->gravity -= mass * vecDot(world->gravity, sumOf(fluid->position, fluid->count));
        ledger->momentum = vecAdd(ledger->momentum, vecScale(mass, sumOf(fluid->velocity, fluid->count)));
        ledger->angularMomentum = vecAdd(ledger->angularMomentum, vecScale(mass, spin));
        ledgerAddAccount(ledger, &item->account);
    }
}

uint64_t fluidsHash(const World *world, uint64_t hash)
{
    for (int i = 0; i < world->fluids.slotCount; ++i)
    {
        const WorldFluid *item = &world->fluids.item[i];
        const Fluid *fluid = item->fluid;
        if (fluid == NULL)
            continue;
        hash = hashBytes(hash, &i, sizeof i);
        hash = hashBytes(hash, fluid->position, 3 * (size_t)fluid->count * sizeof(double));
        hash = hashBytes(hash, fluid->velocity, 3 * (size_t)fluid->count * sizeof(double));
        hash = hashBytes(hash, fluid->id, (size_t)fluid->count * sizeof(uint32_t));
        hash = hashBytes(hash, &fluid->nextId, sizeof fluid->nextId);
        for (int k = 0; k < item->emitterCount; ++k)
            hash = hashBytes(hash, &item->emitter[k].due, sizeof(double));
    }
    return hash;
}

// ---- what can be asked ----------------------------------------------------------------------------------------------

static const Fluid *fluidOf(vvFluidId id)
{
    World *world;
    const WorldFluid *item = fluidFind(id, &world);
    return item ? item->fluid : NULL;
}

int vvFluid_GetCount(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid ? fluid->count : 0;
}

double vvFluid_GetParticleMass(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid ? fluid->scale.mass : 0;
}

double vvFluid_GetSpacing(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid ? fluid->settings.spacing : 0;
}

double vvFluid_GetCompression(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid ? fluid->meanCompression : 0;
}

int vvFluid_GetSubstepsTaken(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid ? fluid->substepsTaken : 0;
}

const double *vvFluid_GetPositions(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid && fluid->count > 0 ? fluid->position : NULL;
}

const double *vvFluid_GetVelocities(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid && fluid->count > 0 ? fluid->velocity : NULL;
}

const uint32_t *vvFluid_GetIds(vvFluidId id)
{
    const Fluid *fluid = fluidOf(id);
    return fluid && fluid->count > 0 ? fluid->id : NULL;
}

vvResult vvFluid_MakeSurface(vvFluidId id, vvFluidSurface *surface)
{
    World *world;
    WorldFluid *item = fluidFind(id, &world);
    if (surface == NULL)
        return resultMake(VV_BAD_INPUT, "pass room for a vvFluidSurface", "surface is NULL");
    *surface = (vvFluidSurface){ 0 };
    if (item == NULL)
        return badId("fluid");
    const Fluid *fluid = item->fluid;
    FluidSurface *made = &item->surface;
    if (!fluidSurfaceMake(&world->memory, fluid->position, fluid->count, fluid->settings.spacing, made))
        return resultOutOfMemory("the surface of a fluid");
    *surface = (vvFluidSurface){ .pointCount = made->pointCount,
                                 .triangleCount = made->triangleCount,
                                 .points = made->point,
                                 .triangles = made->triangle };
    return resultOk();
}

int vvFluid_CopyPositions(vvFluidId id, float *target, int capacity, int stride)
{
    const Fluid *fluid = fluidOf(id);
    int count = fluid ? fluid->count : 0;
    size_t step = stride > 0 ? (size_t)stride : 3 * sizeof(float);
    for (int i = 0; target != NULL && i < minInt(count, capacity); ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)i;
        const float row[3] = { (float)x[0], (float)x[1], (float)x[2] };
        memcpy((char *)target + (size_t)i * step, row, sizeof row);
    }
    return count;
}
