// Skins: positions that an animation has for the vertices of a body, and how far it may leave them. Backstops lie
// behind these positions, against the normals of the surface that they make.
#include "world/limit.h"

vvSkinDef vvDefaultSkinDef(void)
{
    return (vvSkinDef){ .cookie = SKIN_COOKIE };
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkDistances(const Body *body, const char *what, const double *values, double least)
{
    for (int v = 0; values != NULL && v < body->count; ++v)
    {
        bool none = isinf(values[v]) && values[v] > 0;
        if (!none && !(fabs(values[v]) <= VAST && values[v] >= least))
            return resultMake(VV_BAD_INPUT, "infinity: the vertex has no such limit",
                              "%s of vertex %d is %g m, must be a number of at least %g, or infinity", what, v,
                              values[v], least);
    }
    return resultOk();
}

static vvResult checkSkin(const Body *body, const vvSkinDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == SKIN_COOKIE, "skin", "vvDefaultSkinDef()");
    if (result.code == VV_OK)
        result = checkDistances(body, "maxDistances", def->maxDistances, 0);
    if (result.code == VV_OK)
        result = checkDistances(body, "backstopDistances", def->backstopDistances, -VAST);
    if (result.code == VV_OK && !(def->backstopRadius >= 0 && isModest(def->backstopRadius)))
        result = resultMake(VV_BAD_INPUT, "0 is a half-space", "backstopRadius is %g m, must be 0, or 1e-30 to 1e30",
                            def->backstopRadius);
    if (result.code == VV_OK && def->backstopDistances != NULL && body->mesh->surfaceCount == 0)
        result = resultMake(VV_BAD_INPUT, "leave backstopDistances out", "a rope has no normals, which backstops need");
    if (result.code == VV_OK && def->positions != NULL)
        result = checkPoints("positions", def->positions, body->count);
    if (result.code == VV_OK)
        result = limitCheckStiffness(def->stiffness);
    return result.code == VV_OK ? bodyCheckRoom(body) : result;
}

// ---- where it is ----------------------------------------------------------------------------------------------------

static Vec3 positionOf(const Body *body, const double *positions, int vertex)
{
    if (positions != NULL)
        return vecLoad(positions + 3 * (ptrdiff_t)body->mesh->vertexToCaller[vertex]);
    return vecLoad(body->world->state.start + 3 * (ptrdiff_t)(body->first + vertex));
}

// of the surface that the positions make, in the mesh's order, into the scratch of copies; weighted by area
static const double *findNormals(Body *body, const double *positions)
{
    double *normal = body->callerNormal;
    for (int i = 0; i < 3 * body->count; ++i)
        normal[i] = 0;
    for (int t = 0; t < body->mesh->surfaceCount; ++t)
    {
        const int *corner = body->mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 a = positionOf(body, positions, corner[0]);
        Vec3 n = vecCross(vecSub(positionOf(body, positions, corner[1]), a),
                          vecSub(positionOf(body, positions, corner[2]), a));
        for (int c = 0; c < 3; ++c)
        {
            double *own = normal + 3 * (ptrdiff_t)corner[c];
            vecStore(own, vecAdd(vecLoad(own), n));
        }
    }
    return normal;
}

// the points and normals of all limits; jump: at once, else at the end of the next step
static void placeSkin(Body *body, Energy *energy, const double *positions, bool jump)
{
    const Limits *limits = energy->context;
    const double *normals = findNormals(body, positions);
    for (int i = 0; i < energy->elementCount; ++i)
    {
        int vertex = laneVertices(energy, i / LANES)[i % LANES];
        Vec3 normal = vecLoad(normals + 3 * (ptrdiff_t)vertex), point = positionOf(body, positions, vertex);
        double length = vecLength(normal);
        normal = length > 0 ? vecScale(1 / length, normal) : vec3(0, 1, 0);
        point = vecSub(point, vecScale(limits->offset[i], normal));
        reachSend(energy, i, point, normal);
    }
    if (jump)
        reachArrive(energy);
}

// ---- coming and moving ----------------------------------------------------------------------------------------------

static vvResult listSkin(const Body *body, const vvSkinDef *def, LimitList *list)
{
    ReachForm form = def->backstopRadius > 0 ? REACH_BEHIND : REACH_AGAINST;
    for (int v = 0; v < body->count; ++v)
    {
        int own = body->mesh->vertexFromCaller[v];
        if (def->maxDistances != NULL && isfinite(def->maxDistances[v]))
            limitListAdd(body, list, own, -1, REACH_WITHIN, def->maxDistances[v], def->stiffness);
        if (def->backstopDistances == NULL || !isfinite(def->backstopDistances[v]))
            continue;
        limitListAdd(body, list, own, -1, form, def->backstopRadius, def->stiffness);
        list->offset[list->count - 1] = def->backstopDistances[v];
    }
    if (list->count > 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "give maxDistances or backstopDistances, finite for some vertices",
                      "the skin limits no vertex");
}

vvConstraintId vvCreateSkin(vvSoftBodyId id, const vvSkinDef *def, vvResult *result)
{
    Body *body = bodyOpen(id);
    int slot = -1;
    vvResult outcome = body ? checkSkin(body, def) : refused("body");
    if (outcome.code == VV_OK)
    {
        Memory *memory = &body->world->memory;
        LimitList list = { .count = 0 };
        bool enough = limitListReserve(memory, &list, 2 * body->count);
        outcome = enough ? listSkin(body, def, &list) : resultOutOfMemory("a skin");
        Energy *energy = outcome.code == VV_OK ? limitCreate(body, &list, false) : NULL;
        if (energy != NULL)
            placeSkin(body, energy, def->positions, true);
        if (outcome.code == VV_OK)
            outcome = bodyJoin(body, energy, &slot);
        limitListRelease(memory, &list);
    }
    if (!resultPass(result, &outcome))
        return (vvConstraintId){ 0, 0, 0 };
    return ID_OF(vvConstraintId, body->world, slot, body->world->added[slot].generation);
}

vvResult vvConstraint_MoveSkin(vvConstraintId id, const double *positions)
{
    World *world;
    Added *added = addedFind(id.world1, id.index1, id.generation, &world);
    Body *body = added != NULL ? bodyOpen(bodyId(added->body)) : NULL;
    if (body == NULL)
        return refused("constraint");
    if (!reachIsKind(added->energy->kind) || ((const Limits *)added->energy->context)->anchor != NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateSkin makes one that moves", "the constraint is no skin");
    vvResult result = checkPoints("positions", positions, body->count);
    if (result.code != VV_OK)
        return result;
    placeSkin(body, added->energy, positions, false);
    bodyWake(body);
    return result;
}
