// The motion of a body as a whole: bounds, centre of mass, momenta, and impulses that change them.
#include "world/world.h"

static State bodyState(const Body *body)
{
    return stateSlice(&body->world->state, body->first, body->count);
}

// ---- measures -------------------------------------------------------------------------------------------------------

vvBox vvSoftBody_GetBounds(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    if (body == NULL)
        return (vvBox){ { 0, 0, 0 }, { 0, 0, 0 } };
    const double *x = bodyState(body).start;
    vvBox box = { vecLoad(x), vecLoad(x) };
    for (int v = 1; v < body->count; ++v)
        boxInclude(&box, vecLoad(x + 3 * (ptrdiff_t)v));
    return box;
}

vvVec3 vvSoftBody_GetCentreOfMass(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    if (body == NULL)
        return vec3(0, 0, 0);
    State s = bodyState(body);
    Vec3 origin = vecLoad(s.start), moment = vec3(0, 0, 0); // near the body, so that no digits are lost far away
    for (int v = 0; v < body->count; ++v)
        moment = vecAdd(moment, vecScale(s.mass[v], vecSub(vecLoad(s.start + 3 * (ptrdiff_t)v), origin)));
    return vecAdd(origin, vecScale(1 / body->mass, moment));
}

static vvLedger motionOf(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    vvLedger ledger = { 0 };
    if (body == NULL)
        return ledger;
    State s = bodyState(body);
    ledgerAddMotion(&ledger, s.count, s.mass, s.pinned, s.start, s.startVelocity);
    return ledger;
}

vvVec3 vvSoftBody_GetMomentum(vvSoftBodyId id)
{
    return motionOf(id).momentum;
}

vvVec3 vvSoftBody_GetAngularMomentum(vvSoftBodyId id)
{
    return motionOf(id).angularMomentum;
}

double vvSoftBody_GetKineticEnergy(vvSoftBodyId id)
{
    return motionOf(id).kinetic;
}

// ---- impulses -------------------------------------------------------------------------------------------------------

// v += change + spin x (x - centre) of the vertices [begin, end); refused where a velocity would be vast
static vvResult push(Body *body, int begin, int end, Vec3 change, Vec3 spin, Vec3 centre)
{
    State s = bodyState(body);
    Filter filter = stateFilter(&s);
    for (int pass = 0; pass < 2; ++pass)
    {
        double before = pass == 1 ? bodyTotal(body) : 0;
        for (int v = begin; v < end; ++v)
        {
            double *velocity = s.startVelocity + 3 * (ptrdiff_t)v, more[3];
            Vec3 arm = vecSub(vecLoad(s.start + 3 * (ptrdiff_t)v), centre);
            vecStore(more, vecAdd(change, vecCross(spin, arm)));
            filterVertex(&filter, v, more);
            Vec3 after = vecAdd(vecLoad(velocity), vecLoad(more));
            if (pass == 1)
                vecStore(velocity, after);
            else if (isVast(after))
                return resultMake(VV_BAD_INPUT, "check its unit, N s, and the masses of the body",
                                  "the impulse would give vertex %d the velocity %g %g %g, must be within %g",
                                  body->mesh->vertexToCaller[v], after.x, after.y, after.z, VAST);
        }
        if (pass == 1)
            bodyBookJump(body, before);
    }
    return resultOk();
}

// as a rigid whole, about the centre of mass of what is free
static vvResult pushWhole(Body *body, Vec3 impulse, const Vec3 *point, Vec3 angular)
{
    State s = bodyState(body);
    RigidMotion motion = rigidMotion(&s, s.start, s.startVelocity, 0, body->count);
    if (motion.count == 0)
        return resultOk();
    if (point != NULL)
        angular = vecAdd(angular, vecCross(vecSub(*point, motion.centre), impulse));
    Vec3 spin = vecFinite(angular) ? spinOf(&motion.inertia, angular) : angular;
    return push(body, 0, body->count, vecScale(1 / motion.mass, impulse), spin, motion.centre);
}

vvResult vvSoftBody_ApplyImpulse(vvSoftBodyId id, vvVec3 impulse, vvVec3 point)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkVector("impulse", impulse) : refused("soft body");
    if (result.code == VV_OK)
        result = checkVector("point", point);
    return result.code == VV_OK ? pushWhole(body, impulse, &point, vec3(0, 0, 0)) : result;
}

vvResult vvSoftBody_ApplyAngularImpulse(vvSoftBodyId id, vvVec3 impulse)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkVector("impulse", impulse) : refused("soft body");
    return result.code == VV_OK ? pushWhole(body, vec3(0, 0, 0), NULL, impulse) : result;
}

vvResult vvSoftBody_ApplyImpulseToVertex(vvSoftBodyId id, int vertex, vvVec3 impulse)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? checkVertex(body, vertex) : refused("soft body");
    if (result.code == VV_OK)
        result = checkVector("impulse", impulse);
    if (result.code != VV_OK)
        return result;
    int v = body->mesh->vertexFromCaller[vertex];
    Vec3 change = vecScale(1 / bodyState(body).mass[v], impulse);
    return push(body, v, v + 1, change, vec3(0, 0, 0), vec3(0, 0, 0));
}
