// Which particles of a fluid are near which shapes of rigid bodies: a list for several substeps. It is made with a
// margin for particles and one for each body, as far as that goes in a step: one fast body then costs the others
// nothing. It holds for a particle until it has moved by its margin, less what any body has moved beyond its own; then
// the particle asks all shapes. The list changes what a substep costs, not what it finds.
#include "world/world.h"

#define BATCH 32          // particles that are asked about together first
#define MARGIN 0.75       // spacings
#define BODY_MARGIN 2.0   // spacings, at most
#define LEAVING 64        // of so many particles one may ask all shapes before a list is made anew
#define MOST_EXPECTED 1e6 // pairs that room is made for before they are met

void fluidPairsRelease(FluidPairs *pairs, Memory *memory)
{
    memoryRelease(memory, pairs->first);
    memoryRelease(memory, pairs->at);
    memoryRelease(memory, pairs->meeting);
    memoryRelease(memory, pairs->near);
    *pairs = (FluidPairs){ 0 };
}

static bool reserveParticles(FluidPairs *pairs, int count)
{
    void *first = pairs->first, *at = pairs->at;
    if (count <= pairs->particleRoom)
        return true;
    if (!memoryGrow(pairs->memory, &first, 0, (size_t)count + 1, sizeof *pairs->first))
        return false;
    pairs->first = first;
    if (!memoryGrow(pairs->memory, &at, 0, (size_t)count, sizeof *pairs->at))
        return false;
    pairs->at = at;
    pairs->particleRoom = count;
    return true;
}

static bool reserveNear(FluidPairs *pairs, int count)
{
    void *near = pairs->near;
    if (count <= pairs->nearRoom)
        return true;
    if (!memoryGrow(pairs->memory, &near, 0, (size_t)count, sizeof *pairs->near))
        return false;
    pairs->near = near;
    pairs->nearRoom = count;
    return true;
}

static bool reserveMeetings(FluidPairs *pairs, int count)
{
    void *meeting = pairs->meeting;
    if (count <= pairs->room)
        return true;
    int room = count + count / 2;
    if (!memoryGrow(pairs->memory, &meeting, 0, (size_t)room, sizeof *pairs->meeting))
        return false;
    pairs->meeting = meeting;
    pairs->room = room;
    return true;
}

// so many that fluid somewhat denser than at rest about all of it finds room
static double expectedOf(const vvShape *shape, const Fluid *fluid)
{
    double reach = fluid->scale.radius + MARGIN * fluid->settings.spacing, count = 1.5;
    vvBox box = fluidBoxGrown(vvShape_GetBounds(shape), reach);
    const double sides[3] = { box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z };
    for (int a = 0; a < fluid->settings.dimensions; ++a)
        count *= 1 + sides[a] / fluid->settings.spacing;
    return minReal(count, fluid->room);
}

bool fluidPairsExpect(FluidPairs *pairs, Memory *memory, const Rigids *rigids, const Fluid *fluid)
{
    double count = 0;
    int shapes = 0;
    pairs->memory = memory;
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        const RigidBody *body = &rigids->item[i].body;
        shapes += rigids->item[i].used ? body->shapeCount : 0;
        for (int s = 0; rigids->item[i].used && s < body->shapeCount; ++s)
            count += expectedOf(body->shape[s].shape, fluid);
    }
    return reserveParticles(pairs, fluid->room) && reserveNear(pairs, fluidTasks(fluid->room) * shapes) &&
           reserveMeetings(pairs, (int)minReal(count, MOST_EXPECTED));
}

void fluidPairsBegin(FluidBodies *bodies, const Fluid *fluid, Workers *workers, double dt)
{
    FluidPairs *pairs = &bodies->pairs;
    pairs->step = dt;
    pairs->fluid = fluid;
    pairs->workers = workers;
    pairs->holds = false;
    pairs->margin = MARGIN * fluid->settings.spacing;
}

// ---- how far all have moved -----------------------------------------------------------------------------------------

// m: what a point of a body has moved by since the list was made, at most
static double bodyWay(const FluidBody *body)
{
    const RigidBody *now = &body->now;
    vvQuat a = now->rotation, b = body->listedRotation;
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sine = sqrt(maxReal(1 - cosine * cosine, 0));
    double turned = sine > 0 ? 2 * sine * body->now.radius : 0;
    return vecLength(vecSub(now->position, body->listedPosition)) + turned;
}

// m: by how much the one that is farthest off has left its margin
static double bodiesBeyond(const FluidBodies *bodies)
{
    double most = 0;
    for (int i = 0; i < bodies->bodyCount; ++i)
        most = maxReal(most, bodyWay(&bodies->body[i]) - bodies->body[i].margin);
    return most;
}

// from here on, to the end of a step
static void markBodies(FluidBodies *bodies)
{
    const FluidPairs *pairs = &bodies->pairs;
    for (int i = 0; i < bodies->bodyCount; ++i)
    {
        FluidBody *body = &bodies->body[i];
        const RigidBody *now = &body->now;
        body->listedPosition = now->position;
        body->listedRotation = now->rotation;
        double pace = vecLength(now->velocity) + (isfinite(now->radius) ? now->radius * vecLength(now->spin) : 0);
        body->margin = minReal(pace * pairs->step, BODY_MARGIN * pairs->fluid->settings.spacing);
    }
}

// whether most particles would still find it valid at the end of this substep, if they go on as before
static bool lasts(const FluidPairs *pairs)
{
    const Fluid *fluid = pairs->fluid;
    double most = pairs->margin * pairs->age / (pairs->age + 1) - pairs->moved;
    int left = fluid->count / LEAVING;
    for (int i = 0; i < fluid->count && most > 0 && left >= 0; ++i)
    {
        Vec3 way = vecSub(vecLoad(fluid->position + 3 * (ptrdiff_t)i), pairs->at[i]);
        left -= vecDot(way, way) > most * most;
    }
    return most > 0 && left >= 0;
}

// ---- the list -------------------------------------------------------------------------------------------------------

// the square of the distance of a point to the box of a shape in its own frame: the shape is no nearer
static double boxDistance2(const FluidShape *shape, Vec3 point)
{
    Vec3 p = matApply(&shape->back, vecSub(point, shape->to.position));
    const vvBox *own = &shape->own;
    double x = maxReal(maxReal(own->lower.x - p.x, p.x - own->upper.x), 0);
    double y = maxReal(maxReal(own->lower.y - p.y, p.y - own->upper.y), 0);
    double z = maxReal(maxReal(own->lower.z - p.z, p.z - own->upper.z), 0);
    return x * x + y * y + z * z;
}

// Shapes near a particle, in ascending order; `to` NULL: only how many they are.
static int listParticle(const FluidBodies *bodies, Vec3 at, double reach, const int *near, int nearCount,
                        FluidMeeting *to)
{
    int count = 0;
    for (int k = 0; k < nearCount; ++k)
    {
        const FluidShape *shape = &bodies->shape[near[k]];
        double far = reach + bodies->body[shape->body].margin;
        if (!fluidBoxNear(&shape->box, at, far) || !(boxDistance2(shape, at) < far * far))
            continue;
        if (to != NULL)
            to[count] = (FluidMeeting){ .shape = near[k], .cover = -1 };
        count += 1;
    }
    return count;
}

// shapes near some particles, into `near`
static int shapesNear(const FluidBodies *bodies, const double *position, int count, double reach, int *near)
{
    int found = 0;
    vvBox box = fluidBoxGrown(fluidBoxOf(position, count), reach);
    for (int s = 0; s < bodies->shapeCount; ++s)
    {
        vvBox own = fluidBoxGrown(bodies->shape[s].box, bodies->body[bodies->shape[s].body].margin);
        if (fluidBoxesMeet(&own, &box))
            near[found++] = s;
    }
    return found;
}

// first counts, which are added up then, and lead to where the pairs go
static void listTask(void *context, int task)
{
    FluidBodies *bodies = context;
    FluidPairs *pairs = &bodies->pairs;
    const Fluid *fluid = pairs->fluid;
    int tasks = fluidTasks(fluid->count), *near = pairs->near + (ptrdiff_t)task * bodies->shapeCount;
    int begin = (int)((long long)fluid->count * task / tasks);
    int stop = (int)((long long)fluid->count * (task + 1) / tasks);
    double reach = fluid->scale.radius + pairs->margin;
    for (int from = begin; from < stop; from += BATCH)
    {
        int end = minInt(from + BATCH, stop);
        int nearCount = shapesNear(bodies, fluid->position + 3 * (ptrdiff_t)from, end - from, reach, near);
        for (int i = from; i < end; ++i)
        {
            if (pairs->fills && pairs->first[i] == pairs->first[i + 1])
                continue;
            Vec3 at = vecLoad(fluid->position + 3 * (ptrdiff_t)i);
            FluidMeeting *to = pairs->fills ? pairs->meeting + pairs->first[i] : NULL;
            int count = listParticle(bodies, at, reach, near, nearCount, to);
            if (!pairs->fills)
                pairs->first[i + 1] = count;
            pairs->at[i] = at;
        }
    }
}

static bool makeList(FluidBodies *bodies)
{
    FluidPairs *pairs = &bodies->pairs;
    int count = pairs->fluid->count, tasks = fluidTasks(count);
    markBodies(bodies);
    pairs->fills = false;
    workersRun(pairs->workers, tasks, listTask, bodies);
    pairs->first[0] = 0;
    for (int i = 0; i < count; ++i)
        pairs->first[i + 1] += pairs->first[i];
    if (!reserveMeetings(pairs, pairs->first[count]))
        return false;
    pairs->fills = true;
    workersRun(pairs->workers, tasks, listTask, bodies);
    return true;
}

void fluidPairsRenew(FluidBodies *bodies)
{
    FluidPairs *pairs = &bodies->pairs;
    if (bodies->shapeCount == 0)
        return;
    pairs->moved = bodiesBeyond(bodies);
    if (!pairs->holds || !lasts(pairs))
    {
        pairs->holds = makeList(bodies);
        pairs->moved = 0;
        pairs->age = 0;
    }
    pairs->age += 1;
}
