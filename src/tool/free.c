// The momenta of free bodies. What nothing holds or touches keeps its angular momentum about its centre of mass, and
// gravity alone changes its momentum, whatever the energy says.
#include "tool/free.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define TOUCH 1e-6     // of the momentum: a larger change in a frame was a touch between two looks, where there are any
#define LEAST_SPIN 0.5 // of what its inner motion could carry: the least angular momentum that a drift is compared with
#define SLIGHT 0.01    // likewise, of what its whole motion could carry: a slower spin is not seen
#define RESTING 1e-9   // 1/s: turns and ways of the radius so slow are the rounding of what rests

static bool grow(FreeBodies *bodies, int count)
{
    Island *island = realloc(bodies->island, (size_t)maxInt(count, 1) * sizeof *island);
    if (island == NULL)
        return false;
    bodies->island = island;
    bodies->count = count;
    for (int i = 0; i < count; ++i)
        island[i] = (Island){ .known = false };
    return true;
}

void freeRelease(FreeBodies *bodies)
{
    free(bodies->island);
    *bodies = (FreeBodies){ 0 };
}

// ---- one island -----------------------------------------------------------------------------------------------------

static vvVec3 cross(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double length(vvVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static vvVec3 plus(vvVec3 a, double s, vvVec3 b) // a + s b
{
    return (vvVec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

// mass, radius and momenta of an island now
static Island measure(const SceneWorld *built, int index)
{
    Island now = { .known = true, .time = vvWorld_GetTime(sceneWorldId(built)), .body = -1 };
    vvVec3 first = { 0 }; // sum of m x
    double second = 0;    // sum of m x^2
    for (int i = 0; i < sceneBodyCount(built); ++i)
    {
        vvSoftBodyId body = sceneBody(built, i);
        if (vvSoftBody_GetIsland(body) != index)
            continue;
        now.body = now.body < 0 ? i : now.body;
        const double *x = vvSoftBody_GetPositions(body), *m = vvSoftBody_GetMasses(body);
        const double *v = vvSoftBody_GetVelocities(body);
        int count = vvSoftBody_GetVertexCount(body);
        for (int k = 0; k < count; ++k, x += 3, v += 3)
        {
            vvVec3 at = { x[0], x[1], x[2] }, speed = { v[0], v[1], v[2] };
            now.mass += m[k];
            first = plus(first, m[k], at);
            second += m[k] * (at.x * at.x + at.y * at.y + at.z * at.z);
            now.momentum = plus(now.momentum, m[k], speed);
            now.spin = plus(now.spin, m[k], cross(at, speed));
        }
    }
    vvVec3 centre = { first.x / now.mass, first.y / now.mass, first.z / now.mass };
    double away = length(centre);
    now.spin = plus(now.spin, -1, cross(centre, now.momentum));
    now.radius = sqrt(maxReal(0, second / now.mass - away * away));
    return now;
}

// where an island becomes free: also what its energy could carry. The energies are evaluated for this frame alone
static Island measureFirst(const SceneWorld *built, int index)
{
    Island now = measure(built, index);
    vvLedger ledger = vvWorld_GetIslandLedger(sceneWorldId(built), index);
    double speed = length(now.momentum) / now.mass;
    double inner = maxReal(0, ledger.kinetic - 0.5 * now.mass * speed * speed) + maxReal(0, ledger.elastic);
    now.carries = now.radius * sqrt(2 * inner * now.mass);
    now.pushes = sqrt(2 * now.mass * (ledger.kinetic + maxReal(0, ledger.elastic)));
    return now;
}

static bool held(const SceneWorld *built, int island, double from, double to)
{
    for (int i = 0; i < sceneBodyCount(built); ++i)
    {
        if (vvSoftBody_GetIsland(sceneBody(built, i)) == island && sceneBodyHeld(built, i, from, to))
            return true;
    }
    return false;
}

static void compare(FreeBodies *bodies, Island *start, const Island *now, vvVec3 gravity, int frame)
{
    double time = now->time - start->time;
    vvVec3 expected = plus(start->momentum, start->mass * time, gravity);
    double slipped = length(plus(now->momentum, -1, expected));
    double scale = start->pushes + start->mass * length(gravity) * time;
    scale = maxReal(scale, RESTING * start->mass * start->radius);
    double turned = length(plus(now->spin, -1, start->spin));
    double spin = maxReal(length(start->spin), LEAST_SPIN * start->carries);
    spin = maxReal(spin, maxReal(SLIGHT * scale, RESTING * start->mass * start->radius) * start->radius);
    if (bodies->hasContact && slipped > TOUCH * scale)
    {
        start->known = false;
        return;
    }
    bodies->frames += 1;
    if (scale > 0)
        bodies->momentumDrift = maxReal(bodies->momentumDrift, slipped / scale);
    if (spin > 0 && turned / spin > bodies->spinDrift)
    {
        bodies->spinDrift = turned / spin;
        bodies->body = start->body;
        bodies->frame = frame;
    }
}

// ---- the run --------------------------------------------------------------------------------------------------------

// marks the islands that touched something in the last step
static void markTouched(FreeBodies *bodies, vvWorldId world)
{
    int count = vvWorld_GetContactEvents(world, NULL, 0);
    vvContactEvent *event = malloc((size_t)maxInt(count, 1) * sizeof *event);
    for (int i = 0; i < bodies->count; ++i)
        bodies->island[i].touched = event == NULL;
    if (event == NULL)
        return;
    vvWorld_GetContactEvents(world, event, count);
    for (int i = 0; i < count; ++i)
    {
        int island = vvSoftBody_GetIsland(event[i].body), other = vvSoftBody_GetIsland(event[i].other);
        if (island >= 0)
            bodies->island[island].touched = true;
        if (other >= 0)
            bodies->island[other].touched = true;
    }
    free(event);
}

void freeLook(FreeBodies *bodies, const SceneWorld *built, double from, int frame)
{
    vvWorldId world = sceneWorldId(built);
    int count = vvWorld_GetIslandCount(world);
    if (count != bodies->count && !grow(bodies, count))
        return;
    bodies->hasContact = sceneHasContact(built);
    markTouched(bodies, world);
    for (int i = 0; i < count; ++i)
    {
        Island *island = &bodies->island[i];
        if (island->touched || held(built, i, from, vvWorld_GetTime(world)))
            island->known = false;
        else if (!island->known)
            *island = measureFirst(built, i);
        else
        {
            Island now = measure(built, i);
            compare(bodies, island, &now, vvWorld_GetGravity(world), frame);
        }
    }
}
