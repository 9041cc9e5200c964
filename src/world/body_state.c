// Soft bodies: reading and changing their state. What jumps is booked.
#include "world/world.h"

static State bodyState(const Body *body)
{
    return stateSlice(&body->world->state, body->first, body->count);
}

void bodyBookJump(Body *body, double before)
{
    bodyWake(body);
    pastForget(body);
    body->account.added += bodyTotal(body) - before;
}

bool vvSoftBody_IsValid(vvSoftBodyId id)
{
    return bodyFind(id) != NULL;
}

const char *vvSoftBody_GetName(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->name : "";
}

int vvSoftBody_GetVertexCount(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->count : 0;
}

double vvSoftBody_GetMass(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->mass : 0;
}

const vvMesh *vvSoftBody_GetMesh(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->mesh : NULL;
}

void *vvSoftBody_GetUserData(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->userData : NULL;
}

vvWorldId vvSoftBody_GetWorld(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? worldId(body->world) : (vvWorldId){ 0, 0 };
}

int vvSoftBody_GetIsland(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->island : -1;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static const double *toCallerOrder(const Body *body, const double *source, double *target)
{
    for (int v = 0; v < body->count; ++v)
        vecStore(target + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v], vecLoad(source + 3 * (ptrdiff_t)v));
    return target;
}

const double *vvSoftBody_GetPositions(vvSoftBodyId id)
{
    Body *body = bodyFind(id);
    return body ? toCallerOrder(body, bodyState(body).start, body->callerPosition) : NULL;
}

const double *vvSoftBody_GetVelocities(vvSoftBodyId id)
{
    Body *body = bodyFind(id);
    return body ? toCallerOrder(body, bodyState(body).startVelocity, body->callerVelocity) : NULL;
}

const double *vvSoftBody_GetMasses(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->callerMass : NULL;
}

static vvResult checkCopy(const Body *body, const float *target, int strideBytes)
{
    if (body == NULL)
        return badId("soft body");
    if (target == NULL)
        return resultMake(VV_BAD_INPUT, "pass room for vertexCount positions", "target is NULL");
    if (strideBytes < 12 || strideBytes % 4 != 0)
        return resultMake(VV_BAD_INPUT, "12 for packed floats, 16 for vec4",
                          "strideBytes is %d, must be at least 12 and a multiple of 4", strideBytes);
    return resultOk();
}

static void storeFloats(float *target, int strideBytes, int index, Vec3 value)
{
    float *f = (float *)(void *)((char *)target + (ptrdiff_t)index * strideBytes);
    f[0] = (float)value.x;
    f[1] = (float)value.y;
    f[2] = (float)value.z;
}

vvResult vvSoftBody_CopyPositions(vvSoftBodyId id, double interpolation, float *target, int strideBytes)
{
    const Body *body = bodyFind(id);
    vvResult result = checkCopy(body, target, strideBytes);
    if (result.code != VV_OK)
        return result;
    if (!(interpolation >= 0 && interpolation <= 1))
        return resultMake(VV_BAD_INPUT, "1 is the present state", "interpolation is %g, must be 0 to 1", interpolation);
    State s = bodyState(body);
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 now = vecLoad(s.start + 3 * (ptrdiff_t)v), before = vecLoad(s.previous + 3 * (ptrdiff_t)v);
        Vec3 point = vecAdd(now, vecScale(1 - interpolation, vecSub(before, now)));
        storeFloats(target, strideBytes, body->mesh->vertexToCaller[v], point);
    }
    return result;
}

vvResult vvSoftBody_WriteEmbedding(vvSoftBodyId id, const vvEmbedding *embedding, double interpolation,
                                   const vvRenderTarget *target)
{
    Body *body = bodyFind(id);
    if (body == NULL)
        return badId("soft body");
    if (embedding == NULL || embeddingMesh(embedding) != body->mesh)
        return resultMake(VV_BAD_INPUT, "make it with the mesh of the body, vvSoftBody_GetMesh",
                          "the embedding is NULL or hangs on another mesh than body '%s'", body->name);
    if (!(interpolation >= 0 && interpolation <= 1))
        return resultMake(VV_BAD_INPUT, "1 is the present state", "interpolation is %g, must be 0 to 1", interpolation);
    State s = bodyState(body);
    double *vertex = body->callerNormal; // room for as many numbers
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 now = vecLoad(s.start + 3 * (ptrdiff_t)v), before = vecLoad(s.previous + 3 * (ptrdiff_t)v);
        vecStore(vertex + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v],
                 vecAdd(now, vecScale(1 - interpolation, vecSub(before, now))));
    }
    return vvEmbedding_Write(embedding, vertex, target);
}

vvResult vvSoftBody_CopyNormals(vvSoftBodyId id, float *target, int strideBytes)
{
    Body *body = bodyFind(id);
    vvResult result = checkCopy(body, target, strideBytes);
    if (result.code != VV_OK)
        return result;
    const vvMesh *mesh = body->mesh;
    State s = bodyState(body);
    double *normal = body->callerNormal; // in the mesh's order here
    for (int i = 0; i < 3 * body->count; ++i)
        normal[i] = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *corner = mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 a = vecLoad(s.start + 3 * (ptrdiff_t)corner[0]);
        Vec3 area = vecCross(vecSub(vecLoad(s.start + 3 * (ptrdiff_t)corner[1]), a),
                             vecSub(vecLoad(s.start + 3 * (ptrdiff_t)corner[2]), a));
        for (int c = 0; c < 3; ++c)
        {
            double *n = normal + 3 * (ptrdiff_t)corner[c];
            vecStore(n, vecAdd(vecLoad(n), area));
        }
    }
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 n = vecLoad(normal + 3 * (ptrdiff_t)v);
        double length = vecLength(n);
        storeFloats(target, strideBytes, mesh->vertexToCaller[v], length > 0 ? vecScale(1 / length, n) : n);
    }
    return result;
}

int vvSoftBody_FindVertices(vvSoftBodyId id, vvBox box, int *vertices, int capacity)
{
    const Body *body = bodyFind(id);
    int found = 0;
    for (int v = 0; body != NULL && v < body->count; ++v)
    {
        Vec3 p = vecLoad(body->mesh->callerPoint + 3 * (ptrdiff_t)v);
        bool inside = p.x >= box.lower.x && p.x <= box.upper.x && p.y >= box.lower.y && p.y <= box.upper.y &&
                      p.z >= box.lower.z && p.z <= box.upper.z;
        if (inside && vertices != NULL && found < capacity)
            vertices[found] = v;
        found += inside;
    }
    return found;
}

int vvSoftBody_FindNearestVertex(vvSoftBodyId id, vvVec3 point)
{
    const double *x = vvSoftBody_GetPositions(id);
    int count = vvSoftBody_GetVertexCount(id), nearest = -1;
    double least = INFINITY;
    for (int v = 0; v < count; ++v)
    {
        Vec3 away = vecSub(vecLoad(x + 3 * (ptrdiff_t)v), point);
        double distance = vecDot(away, away);
        if (distance < least)
        {
            least = distance;
            nearest = v;
        }
    }
    return nearest;
}

// ---- changing -------------------------------------------------------------------------------------------------------

vvResult vvSoftBody_SetPositions(vvSoftBodyId id, const double *positions)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkPoints("position", positions, body->count) : refused("soft body");
    if (result.code != VV_OK)
        return result;
    double before = bodyTotal(body);
    State s = bodyState(body);
    bodyWake(body); // it looks around
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 p = vecLoad(positions + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v]);
        vecStore(s.start + 3 * (ptrdiff_t)v, p);
        vecStore(s.previous + 3 * (ptrdiff_t)v, p);
        vecStore(s.pinTarget + 3 * (ptrdiff_t)v, p);
    }
    for (int k = 0; k < 2; ++k)
    {
        if (bodyContact(body, k) != NULL)
            contactForget(bodyContact(body, k));
    }
    bodySearch(body, 0);
    softForget(body->world, body);
    bodyBookJump(body, before);
    body->account.added += softPlace(body);
    return result;
}

vvResult vvSoftBody_SetVelocities(vvSoftBodyId id, const double *velocities)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkPoints("velocity", velocities, body->count) : refused("soft body");
    if (result.code != VV_OK)
        return result;
    double before = bodyTotal(body);
    State s = bodyState(body);
    Filter filter = stateFilter(&s);
    for (int v = 0; v < body->count; ++v)
    {
        Vec3 velocity = vecLoad(velocities + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v]);
        vecStore(s.startVelocity + 3 * (ptrdiff_t)v, velocity);
        filterVertex(&filter, v, s.startVelocity + 3 * (ptrdiff_t)v);
    }
    bodyBookJump(body, before);
    return result;
}

static void setForce(Body *body, int vertex, Vec3 force)
{
    const double f[3] = { force.x, force.y, force.z };
    for (int a = 0; a < 3; ++a)
    {
        if (energyGetParam(body->force, vertex, 1 + a) != f[a])
            bodyWake(body);
        energySetParam(body->force, vertex, 1 + a, f[a]);
    }
}

vvResult vvSoftBody_SetForce(vvSoftBodyId id, int vertex, vvVec3 force)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkVertex(body, vertex) : refused("soft body");
    if (result.code == VV_OK)
        result = checkVector("force", force);
    if (result.code == VV_OK)
        setForce(body, body->mesh->vertexFromCaller[vertex], force);
    return result;
}

vvResult vvSoftBody_ClearForces(vvSoftBodyId id)
{
    Body *body = bodyOpen(id);
    if (body == NULL)
        return refused("soft body");
    for (int v = 0; v < body->count; ++v)
        setForce(body, v, vec3(0, 0, 0));
    return resultOk();
}

// ---- pins -----------------------------------------------------------------------------------------------------------

static vvResult checkVertexList(const Body *body, const int *vertices, int count)
{
    if (body == NULL)
        return refused("soft body");
    if (count < 0 || (count > 0 && vertices == NULL))
        return resultMake(VV_BAD_INPUT, "pass an array and how many vertices it names",
                          "count is %d and vertices is %s", count, vertices ? "given" : "NULL");
    vvResult result = resultOk();
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = checkVertex(body, vertices[i]);
    return result;
}

// pinning stops a vertex and takes its kinetic energy; unpinning lets it go on with the velocity it was moved at
static vvResult setPinned(vvSoftBodyId id, const int *vertices, int count, bool pinned)
{
    Body *body = bodyOpen(id);
    vvResult result = checkVertexList(body, vertices, count);
    if (result.code != VV_OK)
        return result;
    double before = bodyTotal(body);
    State s = bodyState(body);
    for (int i = 0; i < count; ++i)
    {
        int v = body->mesh->vertexFromCaller[vertices[i]];
        if (pinned && !s.pinned[v])
            vecStore(s.startVelocity + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        body->member.pinVersion += (s.pinned[v] != 0) != pinned;
        s.pinned[v] = pinned;
        s.hold[v] = pinned ? HOLD_FIXED : HOLD_FREE;
        vecStore(s.reaction + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        vecStore(s.pinTarget + 3 * (ptrdiff_t)v, vecLoad(s.start + 3 * (ptrdiff_t)v));
    }
    bodySearch(body, 0); // pinned vertices touch nothing
    bodyBookJump(body, before);
    return result;
}

vvResult vvSoftBody_Pin(vvSoftBodyId id, const int *vertices, int count)
{
    return setPinned(id, vertices, count, true);
}

vvResult vvSoftBody_Unpin(vvSoftBodyId id, const int *vertices, int count)
{
    return setPinned(id, vertices, count, false);
}

static vvResult checkSlide(const Body *body, vvSlideKind kind, vvVec3 axis)
{
    const char *obstacle = methodSlideObstacle(&body->world->method);
    if (obstacle != NULL)
        return resultMake(
            VV_BAD_INPUT,
            "take solver \"newton\", \"newton-cg\" or \"simplified-newton\" and a method like \"implicit-midpoint\"",
            "%s does not know vertices that slide", obstacle);
    if (kind != VV_SLIDE_PLANE && kind != VV_SLIDE_LINE)
        return resultMake(VV_BAD_INPUT, "VV_SLIDE_PLANE or VV_SLIDE_LINE", "the kind of a slide is %d", (int)kind);
    vvResult result = checkVector("axis", axis);
    double length = vecLength(axis);
    if (result.code == VV_OK && !(length > 0 && isfinite(length)))
        result = resultMake(VV_BAD_INPUT, "any length above 0 will do", "the axis of a slide is %g %g %g", axis.x,
                            axis.y, axis.z);
    return result;
}

// the vertex loses the velocity that it may not have any longer
vvResult vvSoftBody_Slide(vvSoftBodyId id, const int *vertices, int count, vvSlideKind kind, vvVec3 axis)
{
    Body *body = bodyOpen(id);
    vvResult result = checkVertexList(body, vertices, count);
    if (result.code == VV_OK)
        result = checkSlide(body, kind, axis);
    if (result.code != VV_OK)
        return result;
    double before = bodyTotal(body);
    State s = bodyState(body);
    Filter filter = stateFilter(&s);
    for (int i = 0; i < count; ++i)
    {
        int v = body->mesh->vertexFromCaller[vertices[i]];
        body->member.pinVersion += s.pinned[v] != 0;
        s.pinned[v] = 0;
        s.hold[v] = kind == VV_SLIDE_PLANE ? HOLD_PLANE : HOLD_LINE;
        vecStore(s.holdAxis + 3 * (ptrdiff_t)v, vecScale(1 / vecLength(axis), axis));
        vecStore(s.pinTarget + 3 * (ptrdiff_t)v, vecLoad(s.start + 3 * (ptrdiff_t)v));
        vecStore(s.reaction + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        filterVertex(&filter, v, s.startVelocity + 3 * (ptrdiff_t)v);
    }
    bodySearch(body, 0);
    bodyBookJump(body, before);
    return result;
}

vvResult vvSoftBody_CopyConstraintForces(vvSoftBodyId id, double *target)
{
    const Body *body = bodyFind(id);
    vvResult result = checkTarget(body, target, "vertexCount x 3 doubles");
    for (int v = 0; result.code == VV_OK && v < body->count; ++v)
        vecStore(target + 3 * (ptrdiff_t)body->mesh->vertexToCaller[v],
                 vecLoad(bodyState(body).reaction + 3 * (ptrdiff_t)v));
    return result;
}

bool vvSoftBody_IsPinned(vvSoftBodyId id, int vertex)
{
    const Body *body = bodyFind(id);
    if (body == NULL || vertex < 0 || vertex >= body->count)
        return false;
    return bodyState(body).pinned[body->mesh->vertexFromCaller[vertex]] != 0;
}

// A pin holds all that its vertex has come apart into: copies that are still where it is go with it.
static void moveCopies(Body *body, int vertex, Vec3 target)
{
    State s = bodyState(body);
    const vvMesh *mesh = body->mesh;
    const double *from = s.pinTarget + 3 * (ptrdiff_t)mesh->vertexFromCaller[vertex];
    for (int w = bodyVerticesAtFirst(body); w < body->count; ++w)
    {
        int v = mesh->vertexFromCaller[w];
        double *at = s.pinTarget + 3 * (ptrdiff_t)v;
        size_t size = 3 * sizeof(double);
        if (w != vertex && s.pinned[v] && memcmp(at, from, size) == 0 &&
            memcmp(mesh->callerPoint + 3 * (ptrdiff_t)w, mesh->callerPoint + 3 * (ptrdiff_t)vertex, size) == 0)
            vecStore(at, target);
    }
}

vvResult vvSoftBody_MovePin(vvSoftBodyId id, int vertex, vvVec3 target)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkVertex(body, vertex) : refused("soft body");
    if (result.code == VV_OK)
        result = checkVector("target", target);
    if (result.code != VV_OK)
        return result;
    int v = body->mesh->vertexFromCaller[vertex];
    State s = bodyState(body);
    if (!s.pinned[v])
        return resultMake(VV_BAD_INPUT, "pin it first with vvSoftBody_Pin", "vertex %d is not pinned", vertex);
    if (vecLength(vecSub(target, vecLoad(s.start + 3 * (ptrdiff_t)v))) > 0)
        bodyWake(body);
    if (vertex < bodyVerticesAtFirst(body))
        moveCopies(body, vertex, target);
    vecStore(s.pinTarget + 3 * (ptrdiff_t)v, target);
    return result;
}
