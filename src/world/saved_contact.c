// Colliders and what bodies keep of their contacts, in a saved state (saved_state.c).
#include "world/archive.h"
#include "world/world.h"

// ---- what a state belongs to ----------------------------------------------------------------------------------------

static uint64_t mixVector(uint64_t hash, Vec3 v)
{
    return mixReal(mixReal(mixReal(hash, v.x), v.y), v.z);
}

// distances at some points tell shapes apart
uint64_t mixShape(uint64_t hash, const vvShape *shape)
{
    static const double spots[5][3] = {
        { 0, 0, 0 }, { 0.31, 0.17, 0.23 }, { -0.7, 0.4, 0.9 }, { 3, -2, 1 }, { -11, 17, -13 }
    };
    vvBox box = vvShape_GetBounds(shape);
    hash = mixVector(mixVector(hash, box.lower), box.upper);
    for (int i = 0; i < 5; ++i)
        hash = mixReal(hash, vvShape_GetDistance(shape, vecLoad(spots[i]), NULL));
    return hash;
}

static uint64_t mixCollider(uint64_t hash, const Collider *collider)
{
    hash = mixReal(hash, collider->friction);
    hash = mixReal(hash, collider->restitution);
    hash = mixReal(hash, collider->stiffness);
    hash = mixReal(hash, collider->vertexStiffness);
    hash = mixReal(mixWord(hash, collider->sensor), collider->adhesion);
    hash = mixVector(mixVector(hash, collider->oneWay), collider->surfaceVelocity);
    hash = mixWord(hash, collider->category);
    hash = mixWord(hash, collider->mask);
    return collider->deforms ? mixWord(hash, shapeTopologyHash(collider->shape)) : mixShape(hash, collider->shape);
}

static uint64_t mixContactDef(uint64_t hash, const ContactDef *def)
{
    hash = mixReal(mixReal(mixReal(hash, def->stiffness), def->friction), def->radius);
    hash = mixReal(mixReal(hash, def->mass), def->matter);
    hash = mixWord(hash, (uint64_t)def->samples);
    if (def->carried > 0) // states from before there was such a thing are still good
        hash = mixWord(hash, (uint64_t)def->carried);
    return mixWord(mixWord(hash, def->category), def->mask);
}

uint64_t mixColliders(uint64_t hash, const World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        if (world->colliders.item[i].used)
            hash = mixCollider(mixWord(hash, (uint64_t)i), &world->colliders.item[i]);
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body != NULL && body->contact != NULL)
            hash = mixContactDef(hash, &body->contactDef);
        if (body != NULL && body->faces != NULL)
            hash = mixWord(hash, (uint64_t)originTriangles(body));
        int vertices = 0;
        const double *friction = body != NULL ? originFriction(body, &vertices) : NULL;
        for (int v = 0; friction != NULL && v < vertices; ++v)
            hash = mixReal(hash, friction[v]);
    }
    return hash;
}

// ---- the walk -------------------------------------------------------------------------------------------------------

static void walkPose(Archive *archive, Pose *pose)
{
    double numbers[16];
    for (int i = 0; i < 4; ++i)
        numbers[i] = pose->quaternion[i];
    for (int i = 0; i < 9; ++i)
        numbers[4 + i] = pose->turn.m[i / 3][i % 3];
    vecStore(numbers + 13, pose->position);
    archiveReals(archive, numbers, 16);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    for (int i = 0; i < 4; ++i)
        pose->quaternion[i] = numbers[i];
    for (int i = 0; i < 9; ++i)
        pose->turn.m[i / 3][i % 3] = numbers[4 + i];
    pose->position = vecLoad(numbers + 13);
}

static void walkPoints(Archive *archive, vvShape *shape)
{
    double *start, *end;
    size_t count = 3 * (size_t)shapeMovingPoints(shape, &start, &end);
    archiveReals(archive, start, count);
    archiveReals(archive, end, count);
    if (archive->mode == ARCHIVE_LOAD)
        shapeReload(shape);
}

void walkColliders(Archive *archive, World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        Collider *collider = &world->colliders.item[i];
        if (!collider->used)
            continue;
        bool moves = archiveFlag(archive, collider->moves);
        walkPose(archive, &collider->start);
        walkPose(archive, &collider->target);
        if (archive->mode == ARCHIVE_LOAD)
            collider->moves = moves;
        if (collider->deforms)
            walkPoints(archive, collider->shape);
    }
}

static bool isThere(const Collider *collider)
{
    return collider->used || collider->rigid > 0;
}

// which collider an element holds is an index: it must be there. Weights follow from the collider, and dashpots are set
// anew by every step
static void walkElements(Archive *archive, Body *body, Energy *contact)
{
    const Colliders *colliders = &body->world->colliders;
    for (int e = 0; contact != NULL && e < contact->elementCount; ++e)
    {
        double kept[CONTACT_KEPT];
        int slot = (int)archiveCount(archive, contactGetKept(contact, e, kept) + 1, colliders->slotCount) - 1;
        archiveReals(archive, kept, CONTACT_KEPT);
        if (archive->mode == ARCHIVE_LOAD)
            contactSetKept(contact, e, slot >= 0 && isThere(&colliders->item[slot]) ? slot : -1, kept);
    }
}

void walkContact(Archive *archive, Body *body)
{
    walkElements(archive, body, body->contact);
    walkElements(archive, body, body->faces);
    if (body->faces != NULL)
        archiveReals(archive, body->faceBody->share, 3 * (size_t)body->faces->elementCount);
}
