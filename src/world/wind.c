// Wind: on each triangle of a surface 1/2 rho C A |u.n| (u.n) n, with u the velocity of the air less that of the
// triangle and n its normal; a third of it on each corner. N, from kg/m^3, 1, m^2 and m/s. Forces are those of the
// start of a step and stay for the step: an external force like the caller's, whose work is booked as added.
//
// Limit. A force frozen for a step of h s overshoots where h c / m is above 1, c = 1/2 rho C A |u.n| summed at a vertex
// of mass m: there it is cut to m / (h c) of itself, which takes the motion against the air within the step and does
// not turn it. Thin cloth in a storm at long steps meets it; shorter steps or substeps of the scene move it away.
#include "world/world.h"

vvResult checkWind(const vvWind *wind)
{
    vvResult result = checkVector("the velocity of the wind", wind->velocity);
    if (result.code != VV_OK)
        return result;
    if (!(wind->density >= 0 && wind->density <= 1e5))
        return resultMake(VV_BAD_INPUT, "air has 1.2, 0 is none",
                          "the density of the wind is %g kg/m^3, must be 0 to 1e5", wind->density);
    if (!(wind->drag >= 0 && wind->drag <= 1e3))
        return resultMake(VV_BAD_INPUT, "1.17 is a plate across the wind",
                          "the drag of the wind is %g, must be 0 to 1000", wind->drag);
    return result;
}

static bool hasAir(const World *world)
{
    return world->wind.density * world->wind.drag > 0;
}

vvResult bodyCreateWind(Body *body)
{
    if (body->wind != NULL || !hasAir(body->world) || body->mesh->surfaceCount == 0)
        return resultOk();
    Recipe recipe = { .rest = body->mesh->point };
    body->wind = energyCreate(&body->world->memory, &forceKind, body->count, body->count, NULL, &recipe);
    if (body->wind == NULL)
        return resultOutOfMemory("the wind on a body");
    body->member.energy[body->member.energyCount++] = body->wind;
    body->world->systemsStale = true;
    return resultOk();
}

static void blow(Body *body, double dt)
{
    const World *world = body->world;
    State s = stateSlice(&world->state, body->first, body->count);
    double *sum = scratchTake(&s), *resist = scratchTake(&s), factor = 0.5 * world->wind.density * world->wind.drag;
    for (int v = 0; v < body->count; ++v)
    {
        vecStore(sum + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        resist[v] = 0;
    }
    for (int t = 0; t < body->mesh->surfaceCount; ++t)
    {
        const int *corner = body->mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 x[3], v = { 0, 0, 0 };
        for (int c = 0; c < 3; ++c)
        {
            x[c] = vecLoad(s.start + 3 * (ptrdiff_t)corner[c]);
            v = vecAdd(v, vecScale(1.0 / 3, vecLoad(s.startVelocity + 3 * (ptrdiff_t)corner[c])));
        }
        Vec3 area = vecScale(0.5, vecCross(vecSub(x[1], x[0]), vecSub(x[2], x[0])));
        double size = vecLength(area);
        if (!(size > 0))
            continue;
        double along = vecDot(vecSub(world->wind.velocity, v), area) / size; // m/s, along the normal
        if (body->mesh->matter == MATTER_SOLID && along > 0)
            continue; // in the lee
        Vec3 third = vecScale(factor * fabs(along) * along / 3, area);
        for (int c = 0; c < 3; ++c)
        {
            double *target = sum + 3 * (ptrdiff_t)corner[c];
            vecStore(target, vecAdd(vecLoad(target), third));
            resist[corner[c]] += factor * fabs(along) * size / 3;
        }
    }
    for (int v = 0; v < body->count; ++v)
    {
        double limit = s.mass[v] / dt, share = resist[v] > limit ? limit / resist[v] : 1;
        for (int a = 0; a < 3; ++a)
            energySetParam(body->wind, v, 1 + a, share * sum[3 * (ptrdiff_t)v + a]);
    }
}

void windBlow(World *world, double dt)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->wind != NULL && !body->asleep && body->proxyOf == 0)
            blow(body, dt);
    }
}

vvWind vvWorld_GetWind(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->wind : (vvWind){ 0 };
}

vvResult worldSetWind(World *world, vvWind wind)
{
    vvResult result = checkWind(&wind);
    if (result.code != VV_OK)
        return result;
    vvWind before = world->wind;
    world->wind = wind;
    for (Body *body = world->firstBody; body != NULL && result.code == VV_OK; body = body->next)
        result = bodyCreateWind(body);
    if (result.code == VV_OK)
        bodiesWake(world);
    else
        world->wind = before; // energies without air push nothing
    return result;
}

vvResult vvWorld_SetWind(vvWorldId id, vvWind wind)
{
    World *world = worldOpen(id);
    return world ? worldSetWind(world, wind) : refused("world");
}
