// The islands of sheets and ropes in a fluid: they take their step in the substeps of the fluid, by the world's method.
//
// A sheet is a hundred times lighter than the particles along it, so that what holds it has to move them with it: each
// particle that it keeps off lends its mass to the vertices that do so. In a substep, m and v of the vertices, M and w
// of particles, a their shares:
//
//   what touches goes on together:         v1 = (m v + sum a M w) / (m + sum a M)
//   the island takes its step from v1 to v2, with the masses m + sum a M
//   particles have what they touch:        w2 = sum a v2
//
// Momentum changes by the forces of the island alone. Sums of shares lose energy and never gain it, and the step in
// between is as good as its method. The force of the impact in the step instead, with the same masses, has the same
// momentum, but is work along a way that begins with v: methods that do not damp then gain energy until they diverge.
// What particles slide with along a sheet stays their own, but for friction.
#include "world/world.h"

#include <string.h>

#define SLIP 0.9 // of its slide along a sheet, that a particle keeps in a substep: with all of it sheets heat water
#define ROOMS 10 // numbers for each vertex of an island: three vectors of a division, and masses

// ---- which sheets ---------------------------------------------------------------------------------------------------

static bool isThin(const Body *body, const WorldFluid *item)
{
    return body->mesh->matter != MATTER_SOLID && body->collisionMesh != NULL &&
           (body->contactDef.mask & item->walls.category) != 0 && (item->walls.mask & body->contactDef.category) != 0;
}

// m: what a vertex moves by in the step, if nothing stops it
static double wayOf(const Body *body, double dt)
{
    const World *world = body->world;
    State s = stateSlice(&world->state, body->first, body->count);
    double fastest = 0;
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 u = vecLoad(s.startVelocity + 3 * (ptrdiff_t)v);
        if (s.pinned[v])
            u = vecScale(1 / dt, vecSub(vecLoad(s.pinTarget + 3 * (ptrdiff_t)v), vecLoad(s.start + 3 * (ptrdiff_t)v)));
        fastest = maxReal(fastest, vecDot(u, u));
    }
    return dt * (sqrt(fastest) + dt * vecLength(world->gravity));
}

static vvBox boxOf(const Body *body)
{
    return fluidBoxOf(body->world->state.start + 3 * (ptrdiff_t)body->first, body->count);
}

static vvBox fluidReach(const World *world, const Fluid *fluid, double dt)
{
    double fastest = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        Vec3 v = vecLoad(fluid->velocity + 3 * (ptrdiff_t)i);
        fastest = maxReal(fastest, vecDot(v, v));
    }
    double way = dt * (sqrt(fastest) + dt * vecLength(world->gravity)) + 2 * fluid->settings.spacing;
    return fluidBoxGrown(fluidBoxOf(fluid->position, fluid->count), way);
}

static bool mayMeet(const Body *body, const vvBox *fluid, double dt)
{
    vvBox box = fluidBoxGrown(boxOf(body), wayOf(body, dt) + body->contactDef.radius);
    return fluidBoxesMeet(&box, fluid);
}

bool fluidMayMeetSheets(World *world, const WorldFluid *item, double dt)
{
    vvBox reach = fluidReach(world, item->fluid, dt);
    bool any = false;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (!isThin(body, item) || !mayMeet(body, &reach, dt))
            continue;
        bodyWake(body);
        any = true;
    }
    return any;
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool grow(Memory *memory, void **block, int *room, int count, size_t size)
{
    if (count <= *room)
        return true;
    if (!memoryGrow(memory, block, 0, (size_t)count, size))
        return false;
    *room = count;
    return true;
}

static bool reserve(FluidSheets *sheets, Memory *memory, int bodies, int vertices, int wet, int particles)
{
    void *sheet = sheets->sheet, *island = sheets->island, *touch = sheets->touch, *room = sheets->room;
    void *holds = sheets->holds;
    int holdsRoom = sheets->touchRoom;
    bool ok = grow(memory, &sheet, &sheets->sheetRoom, bodies, sizeof(FluidSheet));
    ok = ok && grow(memory, &island, &sheets->islandRoom, bodies, sizeof(FluidIsland));
    ok = ok && grow(memory, &holds, &holdsRoom, particles, sizeof(int));
    ok = ok && grow(memory, &touch, &sheets->touchRoom, particles, SHEET_TOUCHES * sizeof(FluidHold));
    ok = ok && grow(memory, &room, &sheets->wetRoom, wet, ROOMS * sizeof(double));
    sheets->sheet = sheet;
    sheets->island = island;
    sheets->touch = touch;
    sheets->holds = holds;
    sheets->room = room;
    if (!ok || vertices <= sheets->vertexRoom)
        return ok;
    void *from = sheets->from, *at = sheets->at, *momentum = sheets->momentum, *lent = sheets->lent;
    ok = memoryGrow(memory, &from, 0, (size_t)vertices, 3 * sizeof(double));
    ok = ok && memoryGrow(memory, &at, 0, (size_t)vertices, 3 * sizeof(double));
    ok = ok && memoryGrow(memory, &momentum, 0, (size_t)vertices, 3 * sizeof(double));
    ok = ok && memoryGrow(memory, &lent, 0, (size_t)vertices, sizeof(double));
    sheets->from = from;
    sheets->at = at;
    sheets->momentum = momentum;
    sheets->lent = lent;
    sheets->vertexRoom = ok ? vertices : sheets->vertexRoom;
    return ok;
}

void fluidSheetsRelease(FluidSheets *sheets, Memory *memory)
{
    memoryRelease(memory, sheets->sheet);
    memoryRelease(memory, sheets->island);
    memoryRelease(memory, sheets->from);
    memoryRelease(memory, sheets->at);
    memoryRelease(memory, sheets->momentum);
    memoryRelease(memory, sheets->lent);
    memoryRelease(memory, sheets->room);
    memoryRelease(memory, sheets->touch);
    memoryRelease(memory, sheets->holds);
    *sheets = (FluidSheets){ 0 };
}

// ---- a step ---------------------------------------------------------------------------------------------------------

static bool knowsIsland(const FluidSheets *sheets, int island)
{
    for (int i = 0; i < sheets->islandCount; ++i)
    {
        if (sheets->island[i].island == island)
            return true;
    }
    return false;
}

static void addSheet(FluidSheets *sheets, Body *body, int *vertices, int *wet)
{
    if (!knowsIsland(sheets, body->island))
    {
        sheets->island[sheets->islandCount++] = (FluidIsland){ .island = body->island, .first = *wet };
        *wet += sheets->world->system[body->island].state.count;
    }
    double half = body->mesh->matter == MATTER_ROPE ? body->contactDef.radius : 0;
    sheets->sheet[sheets->sheetCount++] =
        (FluidSheet){ .body = body, .first = *vertices, .lent = body->collisionMesh->x, .half = half };
    *vertices += body->count;
}

// An island meets the first fluid that it is near to.
bool fluidSheetsLoad(World *world, WorldFluid *item, double dt)
{
    FluidSheets *sheets = &world->fluids.sheets;
    sheets->sheetCount = sheets->islandCount = sheets->substep = 0;
    sheets->open = false;
    if (!item->wet)
        return true;
    int bodies = 0, vertices = 0, wet = 0;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        bodies += body->mesh->matter != MATTER_SOLID;
        vertices += body->mesh->matter != MATTER_SOLID ? body->count : 0;
    }
    if (!reserve(sheets, &world->memory, bodies, vertices, world->state.count, item->fluid->room))
        return false;
    sheets->world = world;
    sheets->item = item;
    sheets->step = dt;
    vertices = 0;
    vvBox reach = fluidReach(world, item->fluid, dt);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (isThin(body, item) && !world->runs[body->island].taken && mayMeet(body, &reach, dt))
            addSheet(sheets, body, &vertices, &wet);
    }
    return true;
}

double fluidSheetsWay(const FluidSheets *sheets, double dt)
{
    double farthest = 0;
    for (int i = 0; i < sheets->sheetCount; ++i)
        farthest = maxReal(farthest, wayOf(sheets->sheet[i].body, dt));
    return farthest;
}

static void openIslands(FluidSheets *sheets)
{
    for (int i = 0; i < sheets->islandCount; ++i)
    {
        FluidIsland *island = &sheets->island[i];
        System *system = &sheets->world->system[island->island];
        double *room = sheets->room + ROOMS * (ptrdiff_t)island->first;
        ptrdiff_t vector = 3 * (ptrdiff_t)system->state.count;
        double *const rooms[3] = { room, room + vector, room + 2 * vector };
        islandOpen(sheets->world, island->island);
        island->mass = system->state.mass;
        island->divided = dividedOpen(system, rooms);
    }
}

// vertices of a sheet within their island
static State slice(const FluidSheets *sheets, const FluidSheet *sheet)
{
    const System *system = &sheets->world->system[sheet->body->island];
    return stateSlice(&system->state, sheet->body->member.offset, sheet->body->count);
}

void fluidSheetsBegin(FluidSheets *sheets, double dt)
{
    if (sheets->sheetCount == 0)
        return;
    if (!sheets->open)
    {
        sheets->open = true;
        sheets->substeps = (int)lround(sheets->step / dt);
        openIslands(sheets);
    }
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        const FluidSheet *sheet = &sheets->sheet[i];
        const System *system = &sheets->world->system[sheet->body->island];
        State s = slice(sheets, sheet);
        const double *target = NULL;
        for (int k = 0; k < sheets->islandCount; ++k)
        {
            if (sheets->island[k].island == sheet->body->island)
                target = sheets->island[k].divided.whole.pinTarget + (s.start - system->state.start);
        }
        for (int v = 0; v < s.count; ++v)
        {
            Vec3 x = vecLoad(s.start + 3 * (ptrdiff_t)v), u = vecLoad(s.startVelocity + 3 * (ptrdiff_t)v);
            Vec3 way = vecScale(dt, u);
            if (s.pinned[v])
                way =
                    vecScale(1.0 / (sheets->substeps - sheets->substep), vecSub(vecLoad(target + 3 * (ptrdiff_t)v), x));
            vecStore(sheets->from + 3 * (ptrdiff_t)(sheet->first + v), x);
            vecStore(sheets->at + 3 * (ptrdiff_t)(sheet->first + v), vecAdd(x, way));
        }
        memset(sheets->momentum + 3 * (ptrdiff_t)sheet->first, 0, 3 * (size_t)s.count * sizeof(double));
        memset(sheets->lent + sheet->first, 0, (size_t)s.count * sizeof(double));
    }
    fluidSheetsPlace(sheets);
    memset(sheets->holds, 0, (size_t)sheets->item->fluid->count * sizeof *sheets->holds);
}

// ---- what islands do ------------------------------------------------------------------------------------------------

// The velocity that a particle shares with the sheets it touches, less what it slides along them with, which stays its
// own; `slip`: that.
static Vec3 sharedVelocity(const FluidSheets *sheets, int particle, const FluidHold *hold, int count, Vec3 *slip)
{
    const Fluid *fluid = sheets->item->fluid;
    Vec3 pushed = vecLoad(fluid->velocity + 3 * (ptrdiff_t)particle), own = pushed;
    for (int k = 0; k < count; ++k)
        own = vecSub(own, vecScale(1 / fluid->scale.mass, hold[k].impulse));
    *slip = vec3(0, 0, 0);
    if (count == 1)
    {
        const FluidSheet *sheet = &sheets->sheet[hold->sheet];
        State s = slice(sheets, sheet);
        Vec3 under = vec3(0, 0, 0);
        for (int c = 0; c < 3; ++c)
            under = vecAdd(under, vecScale(hold->share[c], vecLoad(s.startVelocity + 3 * (ptrdiff_t)hold->corner[c])));
        Vec3 way = vecSub(pushed, under); // friction has had its part
        *slip = vecScale(SLIP, vecSub(way, vecScale(vecDot(way, hold->normal), hold->normal)));
    }
    return vecSub(own, *slip);
}

// particles in their order: the same sums for any number of workers
static void gather(FluidSheets *sheets)
{
    const Fluid *fluid = sheets->item->fluid;
    for (int i = 0; i < fluid->count; ++i)
    {
        FluidHold *hold = sheets->touch + (ptrdiff_t)i * SHEET_TOUCHES;
        int count = sheets->holds[i];
        if (count == 0)
            continue;
        Vec3 slip, shared = sharedVelocity(sheets, i, hold, count, &slip);
        for (int k = 0; k < count; ++k)
        {
            int first = sheets->sheet[hold[k].sheet].first;
            for (int c = 0; c < 3; ++c)
            {
                int v = first + hold[k].corner[c];
                double mass = hold[k].share[c] * fluid->scale.mass / count, *to = sheets->momentum + 3 * (ptrdiff_t)v;
                vecStore(to, vecAdd(vecLoad(to), vecScale(mass, shared)));
                sheets->lent[v] += mass;
            }
        }
        hold->impulse = slip;
    }
}

// vertices and what touches them go on together
static void impact(FluidSheets *sheets)
{
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        const FluidSheet *sheet = &sheets->sheet[i];
        State s = slice(sheets, sheet);
        double gained = 0;
        for (int v = 0; v < s.count; ++v)
        {
            double *u = s.startVelocity + 3 * (ptrdiff_t)v, lent = sheets->lent[sheet->first + v];
            if (s.pinned[v] || !(lent > 0))
                continue;
            Vec3 before = vecLoad(u), brings = vecLoad(sheets->momentum + 3 * (ptrdiff_t)(sheet->first + v));
            Vec3 after = vecScale(1 / (s.mass[v] + lent), vecAdd(vecScale(s.mass[v], before), brings));
            gained += 0.5 * s.mass[v] * (vecDot(after, after) - vecDot(before, before));
            vecStore(u, after);
        }
        sheets->sheet[i].gained = gained;
        if (gained != 0)
            pastForget(sheet->body); // of methods that have one
        sheets->world->system[sheet->body->island].step->target += gained;
    }
}

// J: of what particles lend, at these velocities
static double lentEnergy(const FluidSheets *sheets, const FluidSheet *sheet, const double *velocity)
{
    double sum = 0;
    State s = slice(sheets, sheet);
    for (int v = 0; v < s.count; ++v)
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v);
        sum += s.pinned[v] ? 0 : 0.5 * sheets->lent[sheet->first + v] * vecDot(u, u);
    }
    return sum;
}

static void lendMasses(FluidSheets *sheets, bool back)
{
    for (int i = 0; i < sheets->islandCount; ++i)
    {
        const FluidIsland *island = &sheets->island[i];
        System *system = &sheets->world->system[island->island];
        double *mass = sheets->room + ROOMS * (ptrdiff_t)island->first + 9 * (ptrdiff_t)system->state.count;
        memcpy(mass, island->mass, (size_t)system->state.count * sizeof *mass);
        system->state.mass = back ? (double *)island->mass : mass;
    }
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        const FluidSheet *sheet = &sheets->sheet[i];
        sheet->body->member.pinVersion += 1; // factors are made anew
        if (back)
            continue;
        State s = slice(sheets, sheet);
        double energy = lentEnergy(sheets, sheet, s.startVelocity);
        sheets->world->system[sheet->body->island].step->target += energy;
        for (int v = 0; v < s.count; ++v)
            s.mass[v] += s.pinned[v] ? 0 : sheets->lent[sheet->first + v];
    }
}

// what the lent masses gained is not the sheets' own
static void bookLent(FluidSheets *sheets)
{
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        const FluidSheet *sheet = &sheets->sheet[i];
        State s = slice(sheets, sheet);
        double before = lentEnergy(sheets, sheet, s.startVelocity), after = lentEnergy(sheets, sheet, s.velocity);
        sheets->world->system[sheet->body->island].step->target -= before + sheet->gained;
        sheet->body->member.added += sheet->gained + before - after;
    }
}

static void stepIslands(FluidSheets *sheets)
{
    World *world = sheets->world;
    Method method = world->method;
    method.solving.modes = false; // they are those of the masses without what is lent
    for (int i = 0; i < sheets->islandCount; ++i)
    {
        FluidIsland *island = &sheets->island[i];
        System *system = &world->system[island->island];
        for (int p = 0; p < system->memberCount && method.integrator == &smallMidpoint; ++p)
        {
            system->member[p]->step->recall.energy.level = WITHOUT_MODES;
            system->member[p]->step->recall.energy.levelSteps = 2;
        }
        if (system->trouble == TROUBLE_NONE)
            dividedPart(system, sheets->step, &method, &island->divided, sheets->substep, sheets->substeps);
        if (system->trouble == TROUBLE_NONE)
            continue;
        size_t vectors = 3 * (size_t)system->state.count * sizeof(double); // the step fails: attempt() says why
        memcpy(system->state.position, system->state.start, vectors);
        memcpy(system->state.velocity, system->state.startVelocity, vectors);
    }
}

// ---- what particles do ----------------------------------------------------------------------------------------------

// they go with the vertices that they lent their mass to
static void carryParticles(FluidSheets *sheets, Vec3 gravity)
{
    Fluid *fluid = sheets->item->fluid;
    double work = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        const FluidHold *hold = sheets->touch + (ptrdiff_t)i * SHEET_TOUCHES;
        int count = sheets->holds[i];
        if (count == 0)
            continue;
        Vec3 after = hold->impulse, farther = vec3(0, 0, 0);
        for (int k = 0; k < count; ++k)
        {
            const FluidSheet *sheet = &sheets->sheet[hold[k].sheet];
            State s = slice(sheets, sheet);
            for (int c = 0; c < 3; ++c)
            {
                ptrdiff_t v = 3 * (ptrdiff_t)hold[k].corner[c], own = 3 * (ptrdiff_t)sheet->first + v;
                Vec3 shift = vecSub(vecLoad(s.position + v), vecLoad(sheets->at + own));
                after = vecAdd(after, vecScale(hold[k].share[c] / count, vecLoad(s.velocity + v)));
                farther = vecAdd(farther, vecScale(hold[k].share[c] / count, shift));
            }
        }
        double *x = fluid->position + 3 * (ptrdiff_t)i, *u = fluid->velocity + 3 * (ptrdiff_t)i;
        Vec3 before = vecLoad(u);
        work += vecDot(after, after) / 2 - vecDot(before, before) / 2 - vecDot(gravity, farther);
        vecStore(u, after);
        vecStore(x, vecAdd(vecLoad(x), farther));
    }
    sheets->item->books.added += fluid->scale.mass * work;
}

void fluidSheetsEnd(FluidSheets *sheets, double dt)
{
    if (sheets->sheetCount == 0)
        return;
    gather(sheets);
    impact(sheets);
    for (int i = 0; i < sheets->islandCount; ++i)
        fluidSoftsPress(&sheets->world->fluids.surfaces, sheets->world, sheets->island[i].island, dt);
    lendMasses(sheets, false);
    stepIslands(sheets);
    lendMasses(sheets, true);
    bookLent(sheets);
    carryParticles(sheets, sheets->world->gravity);
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        const FluidSheet *sheet = &sheets->sheet[i];
        State s = slice(sheets, sheet);
        memcpy(sheets->at + 3 * (ptrdiff_t)sheet->first, s.position, 3 * (size_t)s.count * sizeof(double));
    }
    fluidSheetsPlace(sheets);
    fluidSheetsKeepApart(sheets);
    for (int i = 0; i < sheets->islandCount; ++i)
    {
        fluidSoftsBook(&sheets->world->fluids.surfaces, sheets->world, sheets->island[i].island);
        dividedNext(&sheets->world->system[sheets->island[i].island]);
        fluidSoftsFollow(&sheets->world->fluids.surfaces, sheets->world, sheets->island[i].island);
    }
    sheets->substep += 1;
}

void fluidSheetsReturn(FluidSheets *sheets)
{
    if (sheets->sheetCount == 0)
        return;
    for (int i = 0; i < sheets->sheetCount; ++i)
        sheets->sheet[i].body->collisionMesh->x = sheets->sheet[i].lent;
    for (int i = 0; i < sheets->islandCount && sheets->open; ++i)
        islandClose(sheets->world, sheets->island[i].island, sheets->step, &sheets->island[i].divided);
    sheets->sheetCount = sheets->islandCount = 0;
}
