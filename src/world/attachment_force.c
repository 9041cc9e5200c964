// What attachments pull with, and which of them break.
#include "energy/link.h"
#include "world/world.h"

static Vec3 pointAt(const World *world, const Body *body, const Endpoint *point)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < point->count; ++k)
    {
        int vertex = body->first + point->vertex[k];
        sum = vecAdd(sum, vecScale(point->share[k], vecLoad(world->state.start + 3 * (ptrdiff_t)vertex)));
    }
    return sum;
}

double attachmentSlid(const World *world, const Attachment *attachment)
{
    if (!attachment->slides)
        return 0;
    Vec3 line = pointAt(world, attachment->body[1], &attachment->along);
    Vec3 apart = vecSub(pointAt(world, attachment->body[0], &attachment->end[0]),
                        pointAt(world, attachment->body[1], &attachment->end[1]));
    double square = vecDot(line, line);
    return square > 0 ? vecDot(apart, line) / square : 0;
}

Endpoint attachmentAt(const Attachment *attachment, double slid)
{
    Endpoint point = attachment->end[1];
    for (int k = 0; k < point.count && attachment->slides; ++k)
        point.share[k] += slid * attachment->along.share[k];
    return point;
}

Vec3 attachmentEnd(const World *world, const Attachment *attachment, int end)
{
    if (attachment->body[end] == NULL)
        return attachment->start;
    Endpoint point = end == 1 ? attachmentAt(attachment, attachmentSlid(world, attachment)) : attachment->end[end];
    return pointAt(world, attachment->body[end], &point);
}

double attachmentEnergy(const World *world, const Attachment *attachment)
{
    Vec3 offset = vecSub(attachmentEnd(world, attachment, 0), attachmentEnd(world, attachment, 1));
    double stretch = linkStretch(vecLength(offset) - attachment->restLength, attachment->side);
    return attachment->broken ? 0 : 0.5 * attachment->stiffness * stretch * stretch;
}

Vec3 attachmentPull(const World *world, const Attachment *attachment)
{
    Vec3 offset = vecSub(attachmentEnd(world, attachment, 1), attachmentEnd(world, attachment, 0));
    double length = vecLength(offset), k = attachment->broken ? 0 : attachment->stiffness;
    // a spring of length zero pushes along x, as in the step (pairDirection)
    Vec3 direction = length > 0 ? vecScale(1 / length, offset) : vec3(1, 0, 0);
    return vecScale(k * linkStretch(length - attachment->restLength, attachment->side), direction);
}

double attachmentMost(const Attachment *attachment, int end, int k)
{
    double share = attachment->end[end].share[k];
    if (end == 0 || !attachment->slides)
        return fabs(share);
    double along = attachment->along.share[k];
    return fabs(share + attachment->slid * along) + attachment->reach * fabs(along);
}

// k c c^T lies below k sum |c| times |c| on the diagonal
double attachmentBound(const Attachment *attachment)
{
    double sum = 0;
    for (int end = 0; end < 2; ++end)
    {
        for (int k = 0; k < attachment->end[end].count; ++k)
            sum += attachmentMost(attachment, end, k);
    }
    return sum * attachment->stiffness;
}

void attachmentChanged(World *world, const Attachment *attachment)
{
    for (int end = 0; end < 2 && attachment->body[1] != NULL; ++end)
        attachment->body[end]->member.pinVersion += 1;
    world->systemsMoved = true;
}

// ---- what they hold together ----------------------------------------------------------------------------------------

// A spring that is longer than the edges of both surfaces leaves bodies apart, and contact has its part.
static double longestRest(const Body *body)
{
    return body->proxyOf > 0 || body->collisionMesh == NULL ? INFINITY : body->collisionMesh->edge;
}

static bool holdsTogether(const Attachment *attachment)
{
    return attachmentLinks(attachment) && attachment->joint == 0 &&
           attachment->restLength <= minReal(longestRest(attachment->body[0]), longestRest(attachment->body[1]));
}

static void bondEnds(Bonded *bonded, const Attachment *attachment)
{
    const Endpoint *a = &attachment->end[0], *b = &attachment->end[1];
    const Body *const *body = (const Body *const *)attachment->body;
    for (int i = 0; i < a->count; ++i)
    {
        if (body[1]->proxyOf > 0)
            bondedAddRigid(bonded, body[0]->slot, a->vertex[i], body[1]->proxyOf);
        for (int k = 0; k < b->count && body[1]->proxyOf == 0; ++k)
            bondedAdd(bonded, body[0]->slot, a->vertex[i], body[1]->slot, b->vertex[k]);
    }
}

// broken ones have room too, for a saved state may mend them
bool attachmentsBond(World *world)
{
    int most = 0;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (attachment->used && attachment->body[1] != NULL && attachment->joint == 0)
            most += 2 * attachment->end[0].count * attachment->end[1].count;
    }
    if (!bondedClear(&world->bonded, &world->memory, most))
        return false;
    for (int i = 0; i < world->attachmentSlotCount && most > 0; ++i)
    {
        if (holdsTogether(&world->attachment[i]))
            bondEnds(&world->bonded, &world->attachment[i]);
    }
    return true;
}

// ---- breaking -------------------------------------------------------------------------------------------------------

bool attachmentBreaks(const Attachment *attachment)
{
    return attachment->used && isfinite(attachment->breakForce);
}

void attachmentSetBroken(Attachment *attachment, bool broken)
{
    attachment->broken = broken;
    attachment->brokeAt = 0;
    if (attachment->body[1] == NULL)
        energySetParam(attachment->body[0]->attachments, attachment->element, 0, broken ? 0 : attachment->stiffness);
}

void attachmentsBreak(World *world)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *attachment = &world->attachment[i];
        if (!attachmentBreaks(attachment) || attachment->broken)
            continue;
        double force = vecLength(attachmentPull(world, attachment));
        if (!(force > attachment->breakForce))
            continue;
        attachmentLetGo(world, attachment);
        attachmentSetBroken(attachment, true);
        attachment->brokeAt = world->statistics.stepCount + 1;
        attachment->brokeUnder = force;
        islandsRefresh(world);
        attachmentChanged(world, attachment);
    }
}

vvVec3 vvAttachment_GetForce(vvAttachmentId id)
{
    World *world;
    const Attachment *attachment = attachmentFind(id, &world);
    return attachment ? attachmentPull(world, attachment) : vec3(0, 0, 0);
}

bool vvAttachment_IsBroken(vvAttachmentId id)
{
    World *world;
    const Attachment *attachment = attachmentFind(id, &world);
    return attachment != NULL && attachment->broken;
}
