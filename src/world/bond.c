// Bonds: the attachments of a whole region of one body to another.
#include "world/world.h"

#define STIFF 10.0 // default stiffness over that of the softer body

vvBondDef vvDefaultBondDef(void)
{
    return (vvBondDef){ .distance = 1e-3, .breakForce = INFINITY, .cookie = BOND_COOKIE };
}

// ---- one vertex -----------------------------------------------------------------------------------------------------

// the tet that a triangle of the surface belongs to, -1: none has all three (in the mesh's order)
static int tetOf(const vvMesh *mesh, const int *corner)
{
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        int shared = 0;
        for (int k = 0; k < 12; ++k)
            shared += mesh->tet[4 * (ptrdiff_t)t + k / 3] == corner[k % 3];
        if (shared == 3)
            return t;
    }
    return -1;
}

static double volumeOf(Vec3 a, Vec3 b, Vec3 c, Vec3 d) // times 6
{
    return vecDot(vecSub(b, a), vecCross(vecSub(c, a), vecSub(d, a)));
}

// Barycentric coordinates of a point inside or outside of a tet; false: it is too flat for them.
static bool weighTet(const Body *body, int tet, Vec3 point, vvAttachmentDef *def)
{
    const int *vertex = body->mesh->tet + 4 * (ptrdiff_t)tet;
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    Vec3 p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = vecLoad(x + 3 * (ptrdiff_t)vertex[k]);
    double whole = volumeOf(p[0], p[1], p[2], p[3]), last = 1;
    for (int k = 0; k < 4; ++k)
    {
        Vec3 q[4] = { p[0], p[1], p[2], p[3] };
        q[k] = point;
        double weight = k < 3 ? volumeOf(q[0], q[1], q[2], q[3]) / whole : last;
        if (!(fabs(weight) < 10))
            return false;
        last -= weight;
        def->verticesB[k] = body->mesh->vertexToCaller[vertex[k]];
        def->weightsB[k] = weight;
    }
    return true;
}

// To a rigid body. False: the vertex is farther away.
static bool bondRigid(const Body *a, int vertex, const RigidBody *rigid, const vvBondDef *bond, vvAttachmentDef *def)
{
    Vec3 point = vecLoad(a->world->state.start + 3 * (ptrdiff_t)(a->first + vertex));
    double least = INFINITY;
    for (int k = 0; k < rigid->shapeCount; ++k)
    {
        Pose pose = rigidShapePose(rigid, k);
        Mat3 back = matTranspose(&pose.turn);
        Vec3 local = matApply(&back, vecSub(point, pose.position));
        least = minReal(least, shapeSample(rigid->shape[k].shape, local, INFINITY, -1).distance);
    }
    if (!(least <= bond->distance * (1 + 1e-12)))
        return false;
    *def = vvDefaultAttachmentDef();
    def->bodyA = bodyId(a);
    def->vertexA = a->mesh->vertexToCaller[vertex];
    def->rigidB = bond->rigidB;
    vvPose pose = vvRigidBody_GetPose(bond->rigidB);
    def->pointB = quatRotateBack(pose.rotation, vecSub(point, pose.position));
    return true;
}

// False: the vertex is farther away.
static bool bondVertex(const Body *a, int vertex, const Body *b, const vvBondDef *bond, vvAttachmentDef *def)
{
    Vec3 point = vecLoad(a->world->state.start + 3 * (ptrdiff_t)(a->first + vertex));
    vvPick pick = vvSoftBody_FindNearest(bodyId(b), point, bond->distance * (1 + 1e-12));
    if (pick.kind != VV_PICK_BODY)
        return false;
    *def = vvDefaultAttachmentDef();
    def->bodyA = bodyId(a);
    def->vertexA = a->mesh->vertexToCaller[vertex];
    def->bodyB = bodyId(b);
    if (b->mesh->matter == MATTER_SOLID)
    {
        int tet = tetOf(b->mesh, b->mesh->surface + 3 * (ptrdiff_t)pick.triangle);
        if (tet >= 0 && weighTet(b, tet, point, def))
            return true;
    }
    Vec3 foot = vec3(0, 0, 0);
    for (int k = 0; k < VV_ATTACHMENT_VERTICES; ++k)
    {
        def->verticesB[k] = k < 3 ? pick.vertices[k] : 0;
        def->weightsB[k] = k < 3 ? pick.weights[k] : 0;
        if (def->weightsB[k] == 0)
            continue;
        int v = b->first + b->mesh->vertexFromCaller[def->verticesB[k]];
        foot = vecAdd(foot, vecScale(def->weightsB[k], vecLoad(b->world->state.start + 3 * (ptrdiff_t)v)));
    }
    def->restLength = vecLength(vecSub(point, foot));
    return true;
}

// ---- the region -----------------------------------------------------------------------------------------------------

static double stiffnessOf(const Body *body)
{
    vvMaterial material = vvSoftBody_GetMaterial(bodyId(body));
    return material.young * (body->mesh->matter == MATTER_SOLID ? body->mesh->size : material.thickness);
}

static vvResult checkBond(const World *world, const vvBondDef *def, Body *body[2], Rigid **rigid)
{
    vvResult result = checkDef(def != NULL && def->cookie == BOND_COOKIE, "bond", "vvDefaultBondDef()");
    if (result.code != VV_OK)
        return result;
    World *of = NULL;
    bool toRigid = def->rigidB.index1 != 0 || def->rigidB.world1 != 0;
    body[0] = bodyFind(def->bodyA);
    body[1] = toRigid ? NULL : bodyFind(def->bodyB);
    *rigid = toRigid ? rigidFind(def->rigidB, &of) : NULL;
    if (body[0] == NULL || (body[1] == NULL && *rigid == NULL))
        return badId(body[0] == NULL ? "bodyA" : toRigid ? "rigidB" : "bodyB");
    if (body[0]->world != world || (toRigid ? of : body[1]->world) != world)
        return resultMake(VV_BAD_INPUT, "create both bodies in this world", "a body belongs to another world");
    if (body[0] == body[1])
        return resultMake(VV_BAD_INPUT, "use attachments within a body", "bodyA and bodyB are one body");
    if (!(def->distance > 0) || !isModest(def->distance))
        return resultMake(VV_BAD_INPUT, "a little more than the gap between the bodies",
                          "distance is %g m, must be above 0", def->distance);
    if (!(def->stiffness >= 0) || !isModest(def->stiffness))
        return resultMake(VV_BAD_INPUT, "0 takes one that suits the bodies",
                          "stiffness is %g N/m, must be 0, or 1e-30 to 1e30", def->stiffness);
    if (!(def->breakForce > 0))
        return resultMake(VV_BAD_INPUT, "infinity never breaks", "breakForce is %g N, must be above 0",
                          def->breakForce);
    return result;
}

// `out`: a number for each vertex, above 0 on the surface
static void markSurface(const vvMesh *mesh, int *out)
{
    for (int v = 0; v < mesh->vertexCount; ++v)
        out[v] = mesh->matter != MATTER_SOLID;
    for (int i = 0; i < 3 * mesh->surfaceCount; ++i)
        out[mesh->surface[i]] = 1;
}

static int findBonds(Body *const body[2], const Rigid *rigid, const vvBondDef *bond, int *surface,
                     vvAttachmentDef *defs)
{
    int count = 0;
    markSurface(body[0]->mesh, surface);
    for (int v = 0; v < body[0]->count; ++v)
    {
        bool found = surface[v] > 0 && (rigid != NULL ? bondRigid(body[0], v, &rigid->body, bond, &defs[count])
                                                      : bondVertex(body[0], v, body[1], bond, &defs[count]));
        count += found;
    }
    double softer = minReal(stiffnessOf(body[0]), rigid != NULL ? INFINITY : stiffnessOf(body[1]));
    double stiffness = bond->stiffness > 0 ? bond->stiffness : STIFF * softer;
    for (int i = 0; i < count; ++i)
    {
        defs[i].stiffness = stiffness / count;
        defs[i].breakForce = bond->breakForce / count;
    }
    return count;
}

static vvResult createBonds(World *world, const vvBondDef *def, vvAttachmentId *attachments, int capacity, int *made)
{
    Body *body[2];
    Rigid *rigid;
    vvResult result = checkBond(world, def, body, &rigid);
    if (result.code != VV_OK)
        return result;
    if (capacity < 0 || (capacity > 0 && attachments == NULL))
        return resultMake(VV_BAD_INPUT, "pass room for as many ids, or 0", "attachments is NULL with capacity %d",
                          capacity);
    Memory *memory = &world->memory;
    int *slots = ALLOCATE(memory, int, body[0]->count), count = 0;
    vvAttachmentDef *defs = ALLOCATE(memory, vvAttachmentDef, body[0]->count);
    if (slots == NULL || defs == NULL)
        result = resultOutOfMemory("the bonds of a body");
    if (result.code == VV_OK)
        count = findBonds(body, rigid, def, slots, defs);
    if (result.code == VV_OK && count == 0)
        result = resultMake(VV_BAD_INPUT, "move the bodies together, or give a larger distance",
                            "no vertex of bodyA lies within %g m of bodyB", def->distance);
    if (result.code == VV_OK)
        result = attachmentsCreate(world, defs, count, slots);
    *made = result.code == VV_OK ? count : 0;
    for (int i = 0; i < *made && i < capacity; ++i)
        attachments[i] = ID_OF(vvAttachmentId, world, slots[i], world->attachment[slots[i]].generation);
    memoryRelease(memory, slots);
    memoryRelease(memory, defs);
    return result;
}

int vvCreateBonds(vvWorldId id, const vvBondDef *def, vvAttachmentId *attachments, int capacity, vvResult *result)
{
    World *world = worldOpen(id);
    int made = 0;
    vvResult outcome = world ? createBonds(world, def, attachments, capacity, &made) : refused("world");
    return resultPass(result, &outcome) ? made : 0;
}
