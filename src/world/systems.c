// What a step solves: a system for each island. Systems are slices of one pool for all bodies, so that islands may
// change from step to step without a request for memory.
#include "energy/link.h"
#include "world/world.h"

#include <string.h>

// ---- the pool -------------------------------------------------------------------------------------------------------

void systemsDestroy(World *world)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    for (int i = 0; i < world->systemCount; ++i)
        systemSweepRelease(&world->system[i]);
    for (int i = 0; i < pool->proximityCount; ++i)
        proximityRelease(&pool->proximity[i]);
    pairsDestroy(world);
    energyDestroy(pool->link);
    void *block[] = { pool->order,        pool->end,    pool->links,
                      pool->member,       pool->term,   pool->residual,
                      pool->history,      pool->work,   pool->couplingDiagonal,
                      pool->linkDiagonal, pool->anchor, pool->coarse,
                      pool->rows,         pool->joint,  pool->linkCoupling,
                      pool->linkVertex,   pool->pairs,  pool->contact,
                      world->system,      world->steps, world->runs,
                      pool->proximity,    pool->near,   pool->reach,
                      pool->move,         pool->path,   pool->crossed,
                      pool->joined,       pool->field,  pool->ridge,
                      pool->carried,      pool->group,  pool->touched,
                      pool->mark };
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i)
        memoryRelease(memory, block[i]);
    *pool = (SystemPool){ 0 };
    world->system = NULL;
    world->steps = NULL;
    world->runs = NULL;
    world->systemCount = 0;
}

// with those that are broken, which a saved state may bring back
static int countLinks(const World *world)
{
    int count = 0;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
        count += world->attachment[i].used && world->attachment[i].body[1] != NULL;
    return count;
}

// numbers: two matrices over the motions of each group of joined bodies
static size_t joinedRoom(int bodies, int links)
{
    return 2 * (size_t)JOINED_ROOM * (size_t)minInt(bodies, 2 * links);
}

// Springs between bodies: one batch, of which every island has whole blocks; not more than there are springs.
static bool createLinks(World *world, int count)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    int room = count * LANES;
    Recipe recipe = { .rest = world->state.start, .isa = world->isa };
    pool->linkVertex = ALLOCATE(memory, int, LINK_CORNERS *(size_t)room);
    pool->linkCoupling = ALLOCATE(memory, Coupling, room);
    if (pool->linkVertex != NULL)
        pool->link =
            energyCreate(memory, &linkKind, world->state.count + world->bodyCount, room, pool->linkVertex, &recipe);
    if (world->method.integrator->usesModes)
        pool->joined = ALLOCATE(memory, double, joinedRoom(world->bodyCount, count));
    return pool->link != NULL && pool->linkCoupling != NULL &&
           (pool->joined != NULL || !world->method.integrator->usesModes);
}

// what the method asks for
static bool createWork(World *world, bool joined)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    size_t count = (size_t)world->state.count, bodies = (size_t)world->bodyCount;
    Matrices matrices = methodMatrices(&world->method);
    bool ok = true;
    if (world->method.solving.accelerate || (matrices == MATRICES_PREFACTORS && world->method.integrator->keepsPace))
        ok = (pool->history = ALLOCATE(memory, double, count * 3 * 2 * HISTORY)) != NULL;
    if (ok && world->method.integrator->usesModes)
    {
        pool->touched = ALLOCATE(memory, int, count);
        pool->mark = ALLOCATE(memory, bool, count);
        ok = pool->touched && pool->mark;
    }
    if (ok && (joined || matrices == MATRICES_NEWTON))
        ok = (pool->work = ALLOCATE(memory, double, 12 * count)) != NULL;
    if (ok && (world->method.integrator->sweeps || world->rigids.count > 0))
        ok = (pool->rows = ALLOCATE(memory, double, SWEEP_ROW_REALS *count)) != NULL;
    if (!ok || !joined)
        return ok;
    pool->couplingDiagonal = ALLOCATE(memory, double, count);
    pool->linkDiagonal = ALLOCATE(memory, double, count);
    ok = pool->couplingDiagonal && pool->linkDiagonal;
    if (ok && matrices == MATRICES_PREFACTORS && bodies > 1)
    {
        pool->coarse = ALLOCATE(memory, double, bodies *((size_t)minInt((int)bodies, COARSE_MOST) + 3));
        pool->anchor = ALLOCATE(memory, double, count);
        ok = pool->coarse && pool->anchor;
    }
    return ok;
}

// for what of bodies comes near each other, with hard contact
static bool createProximity(World *world)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    int count = world->state.count;
    if (!world->softContact || !world->method.integrator->listsPairs)
        return true;
    pool->near = ALLOCATE(memory, ProximityBody, world->bodyCount);
    pool->reach = ALLOCATE(memory, double, count);
    pool->move = ALLOCATE(memory, double, 3 * (size_t)count);
    pool->carried = ALLOCATE(memory, double, 3 * (size_t)count);
    pool->group = ALLOCATE(memory, int, count);
    pool->path = ALLOCATE(memory, NearPath, count);
    pool->field = ALLOCATE(memory, float, 8 * (size_t)count);
    pool->crossed = ALLOCATE(memory, unsigned char, count);
    pool->proximity = ALLOCATE(memory, Proximity, world->bodyCount);
    pool->proximityCount = pool->proximity != NULL ? world->bodyCount : 0;
    for (int i = 0; i < pool->proximityCount; ++i)
        pool->proximity[i].memory = memory;
    return pool->near && pool->reach && pool->move && pool->carried && pool->group && pool->path && pool->field &&
           pool->crossed && pool->proximity;
}

static int countTerms(const World *world)
{
    int count = JOINTS * world->bodyCount;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
        count += body->member.energyCount;
    return count;
}

static bool createPool(World *world)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    int bodies = world->bodyCount, links = countLinks(world);
    pool->order = ALLOCATE(memory, Body *, bodies);
    pool->end = ALLOCATE(memory, int, bodies);
    pool->links = ALLOCATE(memory, int, bodies);
    pool->member = ALLOCATE(memory, Member *, bodies);
    pool->term = ALLOCATE(memory, Term, countTerms(world));
    pool->residual = ALLOCATE(memory, double, world->state.count / WORKERS_GRAIN + bodies);
    pool->joint = ALLOCATE(memory, Energy, JOINTS * (size_t)bodies);
    pool->pairs = ALLOCATE(memory, Pairs, bodies);
    world->system = ALLOCATE(memory, System, bodies);
    world->steps = ALLOCATE(memory, IslandStep, bodies);
    world->runs = ALLOCATE(memory, IslandRun, bodies);
    bool ok = pool->order && pool->end && pool->links && pool->member && pool->term && pool->residual && pool->joint &&
              pool->pairs && world->system && world->steps && world->runs;
    return ok && createWork(world, links > 0 || world->softContact) && (links == 0 || createLinks(world, links)) &&
           createProximity(world);
}

// ---- the order of bodies --------------------------------------------------------------------------------------------

static void orderBodies(World *world)
{
    SystemPool *pool = &world->pool;
    for (int island = 0; island < world->islandCount; ++island)
        pool->end[island] = pool->links[island] = 0;
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
        pool->end[body->island] += 1;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (attachmentLinks(&world->attachment[i]))
            pool->links[world->attachment[i].body[0]->island] += 1;
    }
    // counts become starts, and starts ends while bodies are laid down
    for (int island = 0, sum = 0; island < world->islandCount; ++island)
    {
        int count = pool->end[island];
        pool->end[island] = sum;
        sum += count;
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            pool->order[pool->end[world->body[i].body->island]++] = world->body[i].body;
    }
}

static bool isInOrder(const World *world)
{
    for (int i = 0, next = 0; i < world->bodyCount; next += world->pool.order[i++]->count)
    {
        if (world->pool.order[i]->first != next)
            return false;
    }
    return true;
}

// ---- one system -----------------------------------------------------------------------------------------------------

// Where the slices of the next island begin.
typedef struct Place
{
    int body, vertex, term, piece, linkBlock;
    size_t coarse, joined;
} Place;

// members, one behind the other, and the terms of their energies
static void enterMembers(World *world, System *system, const Place *place, int bodyCount)
{
    Body *const *body = world->pool.order + place->body;
    int count = 0;
    system->member = world->pool.member + place->body;
    system->memberCount = bodyCount;
    for (int i = 0; i < bodyCount; ++i)
    {
        system->member[i] = &body[i]->member;
        body[i]->member.offset = count;
        body[i]->place = i;
        count += body[i]->count;
    }
    system->state = stateSlice(&world->state, place->vertex, count);
    *system->step = stepSlice(&world->step, place->vertex);
    system->term = world->pool.term + place->term;
    systemListTerms(system, true);
}

static void enterLink(System *system, Energy *joint, int element, const Attachment *a, int *vertex, Coupling *coupling)
{
    double shares[LINK_CORNERS], bound = attachmentBound(a);
    Endpoint second = attachmentAt(a, a->slid);
    for (int c = 0; c < LINK_CORNERS; ++c)
    {
        int end = linkEnd(c), k = c < 2 ? 0 : (c - 2) % (LINK_END - 1) + 1;
        const Endpoint *point = end == 1 ? &second : &a->end[0];
        bool used = k < point->count;
        double share = used ? point->share[k] : 0;
        vertex[c] = a->body[end]->member.offset + point->vertex[used ? k : 0];
        coupling->member[c] = a->body[end]->place;
        coupling->share[c] = end == 0 ? share : -share;
        shares[c] = -coupling->share[c];
        double most = used ? attachmentMost(a, end, k) : 0;
        system->linkDiagonal[vertex[c]] += bound * most;
        system->couplingDiagonal[vertex[c]] += bound * most;
    }
    linkSet(joint, element, a->stiffness, a->restLength, a->side, shares, a->slides ? a->along.share : NULL);
}

static void enterLinks(World *world, System *system, int island, const Place *place)
{
    SystemPool *pool = &world->pool;
    Energy *joint = &pool->joint[JOINTS * island];
    Coupling *coupling = pool->linkCoupling + (ptrdiff_t)place->linkBlock * LANES;
    int *vertex = pool->linkVertex + LINK_CORNERS * (ptrdiff_t)place->linkBlock * LANES, n = 0;
    *joint = energySlice(pool->link, place->linkBlock, place->vertex + island, system->state.count);
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (!attachmentLinks(a) || a->body[0]->island != island)
            continue;
        enterLink(system, joint, n, a, vertex + LINK_CORNERS * (ptrdiff_t)n, coupling + n);
        n += 1;
    }
    energyReindex(joint, n, vertex);
    systemAddJoint(system, joint, coupling);
}

// what joins members: springs, and pairs that touch
static void enterJoints(World *world, System *system, int island, Place *place)
{
    SystemPool *pool = &world->pool;
    int links = pool->links[island], count = system->state.count, bodies = system->memberCount;
    if (links == 0 && !world->softContact)
        return;
    system->work = pool->work + 12 * (ptrdiff_t)place->vertex;
    system->couplingDiagonal = pool->couplingDiagonal + place->vertex;
    system->linkDiagonal = pool->linkDiagonal + place->vertex;
    for (int v = 0; v < count; ++v)
        system->couplingDiagonal[v] = system->linkDiagonal[v] = 0;
    if (pool->coarse != NULL && bodies > 1 && bodies <= COARSE_MOST)
    {
        system->coarse = pool->coarse + place->coarse;
        system->anchor = pool->anchor + place->vertex;
        place->coarse += (size_t)bodies * ((size_t)bodies + 3);
    }
    if (links > 0)
        enterLinks(world, system, island, place);
    if (links > 0 && pool->joined != NULL)
    {
        system->joined = pool->joined + place->joined;
        place->joined += joinedRoom(bodies, links);
    }
    place->linkBlock += (links + LANES - 1) / LANES;
    if (world->softContact)
        systemAddJoint(system, &pool->joint[JOINTS * island + 1], NULL); // softLoad fills it
}

static void arrangeIsland(World *world, int island, Place *place)
{
    System *system = &world->system[island];
    SystemPool *pool = &world->pool;
    int bodyCount = pool->end[island] - place->body;
    *system = (System){ .step = &world->steps[island], .memory = &world->memory, .isa = world->isa };
    enterMembers(world, system, place, bodyCount);
    int count = system->state.count;
    system->residual = pool->residual + place->piece;
    if (pool->history != NULL)
        system->history = pool->history + 6 * HISTORY * (ptrdiff_t)place->vertex;
    if (pool->work != NULL)
        system->work = pool->work + 12 * (ptrdiff_t)place->vertex;
    if (pool->touched != NULL)
    {
        system->touched.vertex = pool->touched + place->vertex;
        system->touched.mark = pool->mark + place->vertex;
    }
    if (pool->rows != NULL)
        systemSweepLend(system, pool->rows + SWEEP_ROW_REALS * (ptrdiff_t)place->vertex);
    place->term += system->termCount + JOINTS;
    enterJoints(world, system, island, place);
    place->body += bodyCount;
    place->vertex += count;
    place->piece += systemPieces(count);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void systemsArrange(World *world)
{
    Place place = { 0 };
    for (int i = 0; i < world->systemCount; ++i)
        systemSweepRelease(&world->system[i]);
    orderBodies(world);
    if (!isInOrder(world))
        stateOrder(world, world->pool.order);
    for (int island = 0; island < world->islandCount; ++island)
        arrangeIsland(world, island, &place);
    world->systemCount = world->islandCount;
    world->systemsMoved = false;
}

bool systemsPrepare(World *world)
{
    if (!world->systemsStale)
        return true;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->matricesStale && !bodyRenewMatrices(body))
            return false;
        body->member.pinVersion += 1; // couplings may have changed
    }
    systemsDestroy(world);
    if (world->bodyCount > 0 && !createPool(world))
    {
        systemsDestroy(world);
        return false;
    }
    world->systemsStale = false;
    world->systemsMoved = true;
    return true;
}

// ---- the step ahead -------------------------------------------------------------------------------------------------

// lists of contacts of the hard law: slices too, for islands change
static bool lendContacts(World *world)
{
    SystemPool *pool = &world->pool;
    int sum = 0;
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        system->contacts.capacity = islandSleeps(system) ? 0 : touchRoom(system);
        sum += system->contacts.capacity;
    }
    if (sum > pool->contactRoom)
    {
        int grown = pool->contactRoom > 0 ? sum + sum / 2 : sum;
        memoryRelease(&world->memory, pool->contact);
        pool->contact = ALLOCATE(&world->memory, Contact, grown);
        pool->contactRoom = pool->contact != NULL ? grown : 0;
        if (pool->contact == NULL)
            return false;
    }
    Contact *item = pool->contact;
    for (int i = 0; i < world->systemCount; ++i)
    {
        world->system[i].contacts.item = item;
        item += world->system[i].contacts.capacity;
    }
    return true;
}

// what may be near, of islands in which a crossing cannot be undone: sheets and ropes have no inside
static void lendProximity(World *world)
{
    SystemPool *pool = &world->pool;
    for (int i = 0, body = 0; i < world->systemCount && pool->proximityCount > 0;
         body += world->system[i++].memberCount)
    {
        System *system = &world->system[i];
        Proximity *proximity = &pool->proximity[i];
        ptrdiff_t first = system->state.mass - world->state.mass;
        bool meets = false, several = system->memberCount > 1;
        proximity->bodyCount = system->memberCount;
        proximity->vertexCount = system->state.count;
        proximity->body = system->near = pool->near + body;
        proximity->reach = pool->reach + first;
        proximity->move = pool->move + 3 * first;
        proximity->carried = pool->carried + 3 * first;
        proximity->group = pool->group + first;
        proximity->path = pool->path + first;
        proximity->field = pool->field + 8 * first;
        proximity->crossed = pool->crossed + first;
        proximity->crossings = 0;
        proximity->known = false;
        for (int p = 0; p < system->memberCount; ++p)
        {
            const Body *own = bodyOfMember(system->member[p]);
            proximity->body[p] =
                (ProximityBody){ .mesh = own->collisionMesh, .offset = own->member.offset, .member = p };
            meets |= !own->collisionMesh->closed && (several || own->collisionMesh->self);
            if (!own->asleep)
                edgeContactsForget(own->collisionMesh, true);
        }
        system->proximity = meets ? proximity : NULL;
    }
}

// of the bodies of an island, behind those that there are; returns how many there are then
static int findRidges(const SystemPool *pool, const Proximity *bodies, int count)
{
    for (int i = 0; i < bodies->bodyCount; ++i)
    {
        for (int k = i + 1; k < bodies->bodyCount; ++k)
        {
            const ProximityBody *a = &bodies->body[i], *b = &bodies->body[k];
            if (a->mesh->closed && b->mesh->closed && collisionMeshesCollide(a->mesh, b->mesh))
                count +=
                    ridgesFind(a, b, pool->ridge + minInt(count, pool->ridgeRoom), maxInt(pool->ridgeRoom - count, 0));
        }
    }
    return count;
}

// Pairs of sharp edges have them now; those of sheets and ropes are listed within the step, if they meet anything.
static void dropHolds(const System *system)
{
    for (int p = 0; p < system->memberCount && system->near != NULL && !islandSleeps(system); ++p)
    {
        if (system->near[p].mesh->closed || system->proximity == NULL)
            featureHoldsDrop(system->near[p].mesh, -1);
    }
}

// sharp edges of solids that may meet, of islands awake; false: out of memory
static bool lendRidges(World *world)
{
    SystemPool *pool = &world->pool;
    int count = 0;
    for (bool again = true; again;)
    {
        count = 0;
        for (int i = 0; i < world->systemCount && pool->proximityCount > 0; ++i)
        {
            int first = count;
            if (world->system[i].memberCount > 1 && !islandSleeps(&world->system[i]))
                count = findRidges(pool, &pool->proximity[i], count);
            world->system[i].ridgeCount = count - first;
        }
        again = count > pool->ridgeRoom;
        if (!again)
            break;
        memoryRelease(&world->memory, pool->ridge);
        pool->ridgeRoom = count + count / 2;
        pool->ridge = ALLOCATE(&world->memory, RidgePair, pool->ridgeRoom);
        if (pool->ridge == NULL)
        {
            pool->ridgeRoom = 0;
            return false;
        }
    }
    RidgePair *ridge = pool->ridge;
    for (int i = 0; i < world->systemCount; ++i)
    {
        dropHolds(&world->system[i]);
        world->system[i].ridge = ridge;
        ridge += world->system[i].ridgeCount;
    }
    return true;
}

bool systemsReserve(World *world)
{
    const Integrator *integrator = world->method.integrator;
    for (int i = 0; i < world->systemCount && integrator->reserve != NULL; ++i)
    {
        if (!islandSleeps(&world->system[i]))
            systemListTerms(&world->system[i], true); // also for energies that are off now
    }
    lendProximity(world);
    if (integrator->listsPairs && !(lendRidges(world) && lendContacts(world)))
        return false;
    for (int i = 0; i < world->systemCount && integrator->reserve != NULL; ++i)
    {
        if (!islandSleeps(&world->system[i]) && !integrator->reserve(&world->system[i]))
            return false;
    }
    return true;
}
