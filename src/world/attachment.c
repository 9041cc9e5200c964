// Attachments: springs from a vertex to a point of space (an energy of the body) or between points of two bodies (a
// link of the island).
#include "world/world.h"

vvAttachmentDef vvDefaultAttachmentDef(void)
{
    return (vvAttachmentDef){ .stiffness = 1e4, .breakForce = INFINITY, .cookie = ATTACHMENT_COOKIE };
}

vvResult checkShares(const Body *body, const int *vertices, const double *weights, int most, double least)
{
    double sum = 0;
    for (int k = 0; k < most; ++k)
    {
        if (!(weights[k] >= least && weights[k] <= 1 - least))
            return resultMake(VV_BAD_INPUT, "weights are barycentric coordinates",
                              "weights[%d] is %g, must be %g to %g", k, weights[k], least, 1 - least);
        sum += weights[k];
        vvResult result = weights[k] != 0 ? checkVertex(body, vertices[k]) : resultOk();
        if (result.code != VV_OK)
            return result;
        for (int j = 0; j < k; ++j)
        {
            if (weights[j] != 0 && weights[k] != 0 && vertices[j] == vertices[k])
                return resultMake(VV_BAD_INPUT, "add their weights up", "vertex %d is named twice", vertices[k]);
        }
    }
    if (!(fabs(sum - 1) < 1e-9))
        return resultMake(VV_BAD_INPUT, "divide them by their sum", "the weights add up to %.12g, must be 1", sum);
    return resultOk();
}

#define LEAST_WEIGHT (-10.0)

// One end as its caller gives it.
typedef struct GivenPoint
{
    const int *vertices;
    const double *weights;
    int count;
} GivenPoint;

static GivenPoint givenPoint(const vvAttachmentDef *def, int end)
{
    static const double whole = 1;
    const double *weights = end == 0 ? def->weightsA : def->weightsB;
    for (int k = 0; k < VV_ATTACHMENT_VERTICES; ++k)
    {
        if (weights[k] != 0) // or no number
            return (GivenPoint){ end == 0 ? def->verticesA : def->verticesB, weights, VV_ATTACHMENT_VERTICES };
    }
    return (GivenPoint){ end == 0 ? &def->vertexA : &def->vertexB, &whole, 1 };
}

static vvResult checkPoint(const Body *body, const vvAttachmentDef *def, int end)
{
    GivenPoint given = givenPoint(def, end);
    return checkShares(body, given.vertices, given.weights, given.count, given.count > 1 ? LEAST_WEIGHT : 0);
}

// the vertex with the largest share first: joints are measured by it
static Endpoint pointOf(const Body *body, const vvAttachmentDef *def, int end)
{
    GivenPoint given = givenPoint(def, end);
    Endpoint point = { .count = 0 };
    for (int k = 0; k < given.count; ++k)
    {
        if (given.weights[k] == 0)
            continue;
        point.vertex[point.count] = body->mesh->vertexFromCaller[given.vertices[k]];
        point.share[point.count] = given.weights[k];
        if (fabs(given.weights[k]) > fabs(point.share[0]))
        {
            int vertex = point.vertex[0];
            double share = point.share[0];
            point.vertex[0] = point.vertex[point.count];
            point.share[0] = point.share[point.count];
            point.vertex[point.count] = vertex;
            point.share[point.count] = share;
        }
        point.count += 1;
    }
    return point;
}

static bool isSamePoint(const vvAttachmentDef *def)
{
    GivenPoint a = givenPoint(def, 0), b = givenPoint(def, 1);
    bool same = a.count == b.count;
    for (int k = 0; k < a.count && same; ++k)
        same = a.weights[k] == b.weights[k] && (a.weights[k] == 0 || a.vertices[k] == b.vertices[k]);
    return same;
}

static vvResult checkSpring(const vvAttachmentDef *def)
{
    if (!(def->stiffness > 0) || !isModest(def->stiffness))
        return resultMake(VV_BAD_INPUT, "1e4 N/m holds about a kilogram within a millimetre",
                          "stiffness is %g N/m, must be 1e-30 to 1e30", def->stiffness);
    if (!(def->restLength >= 0) || !isModest(def->restLength))
        return resultMake(VV_BAD_INPUT, "0 pulls the two points together", "restLength is %g m, must be at least 0",
                          def->restLength);
    if (!(def->breakForce > 0))
        return resultMake(VV_BAD_INPUT, "infinity never breaks", "breakForce is %g N, must be above 0",
                          def->breakForce);
    return resultOk();
}

static bool isNull(vvRigidBodyId id)
{
    return id.index1 == 0 && id.world1 == 0;
}

// the soft bodies of both ends; the second is NULL for a point of space or a rigid body
static vvResult findEnds(const World *world, const vvAttachmentDef *def, Body *body[2])
{
    bool toBody = def->bodyB.index1 != 0 || def->bodyB.world1 != 0, toRigid = !isNull(def->rigidB);
    World *of = NULL;
    body[0] = bodyFind(def->bodyA);
    body[1] = toBody ? bodyFind(def->bodyB) : NULL;
    if (body[0] == NULL || (toBody && body[1] == NULL))
        return badId(body[0] == NULL ? "bodyA" : "bodyB");
    if (toRigid && rigidFind(def->rigidB, &of) == NULL)
        return badId("rigidB");
    if (toBody && toRigid)
        return resultMake(VV_BAD_INPUT, "leave one of them null", "both bodyB and rigidB are given");
    if (body[0]->world != world || (toBody && body[1]->world != world) || (toRigid && of != world))
        return resultMake(VV_BAD_INPUT, "create both bodies in this world", "a body belongs to another world");
    return resultOk();
}

static vvResult checkAttachment(const World *world, const vvAttachmentDef *def, Body *body[2])
{
    vvResult result =
        checkDef(def != NULL && def->cookie == ATTACHMENT_COOKIE, "attachment", "vvDefaultAttachmentDef()");
    if (result.code == VV_OK)
        result = findEnds(world, def, body);
    if (result.code != VV_OK)
        return result;
    bool toRigid = !isNull(def->rigidB);
    result = checkPoint(body[0], def, 0);
    if (result.code == VV_OK && body[1] != NULL)
        result = checkPoint(body[1], def, 1);
    if (result.code == VV_OK && body[1] == NULL)
        result = toRigid ? checkVector("pointB", def->pointB) : checkVector("target", def->target);
    if (result.code != VV_OK)
        return result;
    if (body[1] == NULL && !toRigid && givenPoint(def, 0).count > 1)
        return resultMake(VV_BAD_INPUT, "hold a point between vertices by a handle",
                          "weightsA are given and bodyB is not: attachments to points of space hold a vertex");
    if (body[0] == body[1] && isSamePoint(def))
        return resultMake(VV_BAD_INPUT, "choose two vertices", "both ends are vertex %d of one body",
                          givenPoint(def, 0).vertices[0]);
    return checkSpring(def);
}

static int reserveSlot(World *world)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (!world->attachment[i].used)
            return i;
    }
    int grown = maxInt(16, 2 * world->attachmentSlotCount), slot = world->attachmentSlotCount;
    void *slots = world->attachment;
    if (!memoryGrow(&world->memory, &slots, (size_t)slot, (size_t)grown, sizeof(Attachment)))
        return -1;
    world->attachment = slots;
    world->attachmentSlotCount = grown;
    return slot;
}

static bool isPointOf(const Attachment *attachment, const Body *body)
{
    return attachment->used && attachment->body[0] == body && attachment->body[1] == NULL;
}

static void setPoint(Energy *energy, int element, int first, Vec3 point)
{
    energySetParam(energy, element, first, point.x);
    energySetParam(energy, element, first + 1, point.y);
    energySetParam(energy, element, first + 2, point.z);
}

static void writePoint(const Attachment *attachment)
{
    setPoint(attachment->body[0]->attachments, attachment->element, 1, attachment->start);
    setPoint(attachment->body[0]->attachments, attachment->element, 4, attachment->target);
}

// makes the body's batch of attachments anew; false: out of memory, the old one stays
static bool rebuildBatch(Body *body)
{
    World *world = body->world;
    int count = 0;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
        count += isPointOf(&world->attachment[i], body);
    int *vertices = ALLOCATE(&world->memory, int, count);
    double *stiffness = ALLOCATE(&world->memory, double, count);
    Energy *batch = NULL;
    if (vertices != NULL && stiffness != NULL)
    {
        for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
        {
            const Attachment *attachment = &world->attachment[i];
            if (!isPointOf(attachment, body))
                continue;
            vertices[n] = attachment->end[0].vertex[0];
            stiffness[n++] = attachment->broken ? 0 : attachment->stiffness;
        }
        Recipe recipe = { .rest = body->mesh->point, .strength = stiffness };
        batch = energyCreate(&world->memory, &attachmentKind, body->count, count, vertices, &recipe);
    }
    memoryRelease(&world->memory, vertices);
    memoryRelease(&world->memory, stiffness);
    if (batch == NULL)
        return false;

    // it takes the place of the old one, so that the others keep theirs
    Member *member = &body->member;
    int place = 0;
    while (place < member->energyCount && member->energy[place] != body->attachments)
        place += 1;
    member->energyCount = maxInt(member->energyCount, place + 1);
    energyDestroy(body->attachments);
    body->attachments = batch;
    member->energy[place] = batch;
    world->systemsStale = true;
    for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
    {
        if (isPointOf(&world->attachment[i], body))
        {
            world->attachment[i].element = n++;
            writePoint(&world->attachment[i]);
        }
    }
    return true;
}

// takes a slot and fills it; the world does not act by it yet
static vvResult enterAttachment(World *world, const vvAttachmentDef *def, int *slot)
{
    Body *body[2] = { NULL, NULL };
    vvResult result = checkAttachment(world, def, body);
    if (result.code == VV_OK)
        result = checkCount("attachments", world->attachmentCount);
    if (result.code == VV_OK && !isNull(def->rigidB))
        body[1] = proxyAcquire(world, (int)def->rigidB.index1 - 1, &result);
    *slot = result.code == VV_OK ? reserveSlot(world) : -1;
    if (*slot < 0)
        return result.code == VV_OK ? resultOutOfMemory("an attachment") : result;
    Attachment *attachment = &world->attachment[*slot];
    *attachment = (Attachment){ .used = true,
                                .body = { body[0], body[1] },
                                .stiffness = def->stiffness,
                                .restLength = body[1] ? def->restLength : 0,
                                .breakForce = def->breakForce,
                                .start = def->target,
                                .target = def->target,
                                .element = -1 };
    attachment->end[0] = pointOf(body[0], def, 0);
    attachment->point = def->pointB;
    if (body[1] != NULL)
        attachment->end[1] = body[1]->proxyOf > 0 ? proxyPoint(body[1], def->pointB) : pointOf(body[1], def, 1);
    return result;
}

static void announce(World *world, Attachment *attachment)
{
    Body *const *body = attachment->body;
    attachment->generation = nextGeneration(world);
    bodyWake(body[0]);
    if (body[1] != NULL)
        bodyWake(body[1]);
    world->attachmentCount += 1;
    body[0]->account.added += attachmentEnergy(world, attachment);
    world->systemsStale |= body[1] != NULL;
    islandsRefresh(world);
    pastForget(body[0]);
}

void attachmentLetGo(World *world, Attachment *attachment)
{
    attachment->body[0]->account.added -= attachmentEnergy(world, attachment);
    pastForget(attachment->body[0]);
    attachment->body[0]->modalTiesStale |= attachment->modes != MODES_NONE;
    bodyWake(attachment->body[0]);
    if (attachment->body[1] != NULL)
        bodyWake(attachment->body[1]);
}

// what stands for a rigid body to which nothing is attached any more
static void releaseIdle(World *world, Body *body)
{
    bool idle = body->proxyOf > 0 && world->rigids.item[body->proxyOf - 1].proxy == body;
    for (int i = 0; i < world->attachmentSlotCount && idle; ++i)
        idle = !(world->attachment[i].used &&
                 (world->attachment[i].body[0] == body || world->attachment[i].body[1] == body));
    if (idle)
        proxyRelease(body);
}

// needs no memory: the element of a batch is only switched off, and goes when the batch is next made
static void destroyAttachment(World *world, Attachment *attachment)
{
    attachmentLetGo(world, attachment);
    attachment->used = false;
    world->attachmentCount -= attachment->joint == 0;
    if (attachment->body[1] == NULL)
    {
        energySetParam(attachment->body[0]->attachments, attachment->element, 0, 0);
        return;
    }
    world->systemsStale = true;
    islandsRefresh(world);
    if (attachment->joint > 0)
        return; // machinesRefit sees to the stand-ins
    if (!world->refitting)
        releaseIdle(world, attachment->body[1]);
    vvResult result = machinesRefit(world);
    (void)result; // without memory a machine is not solved as one
}

// what contact stored where the two are held together now is booked as removed
static void renewContact(Body *body)
{
    double before = bodyTotal(body);
    bodySearch(body, 0);
    bodyBookJump(body, before);
    body->account.added += softRenew(body);
}

vvResult attachmentsCreate(World *world, const vvAttachmentDef *defs, int count, int *slots)
{
    vvResult result = resultOk();
    int entered = 0;
    for (; entered < count && result.code == VV_OK; entered += result.code == VV_OK)
        result = enterAttachment(world, &defs[entered], &slots[entered]);
    const Attachment *first = result.code == VV_OK ? &world->attachment[slots[0]] : NULL;
    if (first != NULL && first->body[1] == NULL && !rebuildBatch(first->body[0]))
        result = resultOutOfMemory("an attachment");
    for (int k = 0; k < entered; ++k)
    {
        if (result.code == VV_OK)
            announce(world, &world->attachment[slots[k]]);
        else
            world->attachment[slots[k]].used = false;
    }
    if (result.code == VV_OK && world->attachment[slots[0]].body[1] != NULL)
        result = attachmentsBond(world) ? machinesRefit(world) : resultOutOfMemory("what attachments hold together");
    else
        entered = 0;
    for (int k = 0; k < entered && result.code != VV_OK; ++k)
        destroyAttachment(world, &world->attachment[slots[k]]);
    if (entered > 0 && result.code == VV_OK)
        renewContact(world->attachment[slots[0]].body[0]);
    return result;
}

vvAttachmentId vvCreateAttachment(vvWorldId worldId, const vvAttachmentDef *def, vvResult *result)
{
    World *world = worldOpen(worldId);
    int slot = -1;
    vvResult outcome = world ? attachmentsCreate(world, def, 1, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvAttachmentId){ 0, 0, 0 };
    return ID_OF(vvAttachmentId, world, slot, world->attachment[slot].generation);
}

void attachmentsReleaseIdle(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used && world->rigids.item[i].proxy != NULL)
            releaseIdle(world, world->rigids.item[i].proxy);
    }
}

void attachmentsOfJointDestroy(World *world, int joint)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used && world->attachment[i].joint == joint)
            destroyAttachment(world, &world->attachment[i]);
    }
}

int attachmentLink(World *world, Body *a, Endpoint endA, Body *b, Endpoint endB, int joint, vvResult *result)
{
    int slot = reserveSlot(world);
    if (slot < 0)
    {
        *result = resultOutOfMemory("the springs of a joint");
        return -1;
    }
    world->attachment[slot] = (Attachment){ .used = true,
                                            .body = { a, b },
                                            .end = { endA, endB },
                                            .breakForce = INFINITY,
                                            .element = -1,
                                            .generation = nextGeneration(world),
                                            .joint = joint };
    bodyWake(a);
    bodyWake(b);
    world->systemsStale = true;
    islandsRefresh(world);
    pastForget(a);
    return slot;
}

void vvDestroyAttachment(vvAttachmentId id)
{
    World *world;
    Attachment *attachment = attachmentOpen(id, &world);
    if (attachment != NULL)
        destroyAttachment(world, attachment);
}

void attachmentsOfBodyDestroy(Body *body)
{
    World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (attachment->used && (attachment->body[0] == body || attachment->body[1] == body))
            destroyAttachment(world, attachment);
    }
}

bool vvAttachment_IsValid(vvAttachmentId id)
{
    World *world;
    return attachmentFind(id, &world) != NULL;
}

// the weights only where there are several vertices
static void givePoint(const Body *body, const Endpoint *point, int *vertex, int *vertices, double *weights)
{
    *vertex = body->mesh->vertexToCaller[point->vertex[0]];
    for (int k = 0; k < point->count && point->count > 1; ++k)
    {
        vertices[k] = body->mesh->vertexToCaller[point->vertex[k]];
        weights[k] = point->share[k];
    }
}

vvResult vvAttachment_GetDef(vvAttachmentId id, vvAttachmentDef *def)
{
    World *world;
    const Attachment *attachment = attachmentFind(id, &world);
    if (attachment == NULL)
        return badId("attachment");
    if (def == NULL)
        return resultMake(VV_BAD_INPUT, "pass room for a vvAttachmentDef", "def is NULL");
    Body *const *body = attachment->body;
    *def = vvDefaultAttachmentDef();
    def->bodyA = bodyId(body[0]);
    givePoint(body[0], &attachment->end[0], &def->vertexA, def->verticesA, def->weightsA);
    bool rigid = body[1] != NULL && body[1]->proxyOf > 0;
    if (rigid)
    {
        int slot = body[1]->proxyOf - 1;
        def->rigidB = ID_OF(vvRigidBodyId, world, slot, world->rigids.item[slot].generation);
        def->pointB = attachment->point;
    }
    def->bodyB = body[1] && !rigid ? bodyId(body[1]) : (vvSoftBodyId){ 0, 0, 0 };
    if (body[1] != NULL && !rigid)
        givePoint(body[1], &attachment->end[1], &def->vertexB, def->verticesB, def->weightsB);
    def->target = attachment->target;
    def->restLength = attachment->restLength;
    def->stiffness = attachment->stiffness;
    def->breakForce = attachment->breakForce;
    return resultOk();
}

vvResult vvAttachment_MoveTarget(vvAttachmentId id, vvVec3 target)
{
    World *world;
    Attachment *attachment = attachmentOpen(id, &world);
    if (attachment == NULL)
        return refused("attachment");
    vvResult result = checkVector("target", target);
    if (result.code != VV_OK)
        return result;
    if (attachment->body[1] != NULL)
        return resultMake(VV_BAD_INPUT, "move one of the bodies, or attach to a point",
                          "the attachment is between two bodies and has no target");
    if (vecLength(vecSub(target, attachment->start)) > 0)
        bodyWake(attachment->body[0]);
    attachmentPlace(attachment, attachment->start, target);
    return result;
}

void attachmentPlace(Attachment *attachment, Vec3 start, Vec3 target)
{
    attachment->start = start;
    attachment->target = target;
    writePoint(attachment);
}

void attachmentsArrive(World *world)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (!attachment->used || attachment->body[1] != NULL)
            continue;
        attachmentPlace(attachment, attachment->target, attachment->target);
    }
}
