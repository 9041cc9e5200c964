// What broke since the last call that stepped the world began. Every attachment and joint knows the step that broke it:
// nothing is kept beside them.
#include "world/world.h"

void breaksForget(World *world)
{
    world->brokenSince = world->statistics.stepCount;
}

static void give(vvBreakEvent *events, int capacity, int *count, const vvBreakEvent *event)
{
    if (events != NULL && *count < capacity)
        events[*count] = *event;
    *count += 1;
}

int vvWorld_GetBreakEvents(vvWorldId id, vvBreakEvent *events, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (!attachment->used || !attachment->broken || attachment->brokeAt <= world->brokenSince)
            continue;
        vvBreakEvent event = { .attachment = ID_OF(vvAttachmentId, world, i, attachment->generation),
                               .force = attachment->brokeUnder };
        give(events, capacity, &count, &event);
    }
    for (int i = 0; world != NULL && i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (!joint->used || !joint->broken || joint->brokeAt <= world->brokenSince)
            continue;
        vvBreakEvent event = { .joint = ID_OF(vvJointId, world, i, joint->generation),
                               .force = vecLength(joint->force),
                               .torque = vecLength(joint->torque) };
        give(events, capacity, &count, &event);
    }
    return count;
}
