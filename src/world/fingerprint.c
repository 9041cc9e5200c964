// What a saved state belongs to: hashes of bodies and worlds as they were made, which a state must meet again.
#include "energy/yield.h"
#include "world/archive.h"
#include "world/remake.h"

#include <string.h>

static uint64_t mixYield(uint64_t hash, const Energy *energy, int element)
{
    const Yield *yield = energy->yield;
    int count = energy->kind->yields->count;
    hash = mixReal(mixReal(mixReal(hash, yield->rate), yield->hardening), yield->limit);
    hash = mixReal(hash, yield->threshold[element]);
    for (int k = 0; k < count; ++k)
        hash = mixReal(hash, yield->rest[((size_t)(element / LANES * count + k)) * LANES + (size_t)(element % LANES)]);
    return hash;
}

static uint64_t mixEnergy(uint64_t hash, const Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    hash = mixBytes(hash, (const unsigned char *)kind->name, strlen(kind->name));
    hash = mixWord(hash, (uint64_t)energy->elementCount);
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < kind->corners; ++c)
            hash = mixWord(hash, (uint64_t)vertex[c * LANES]);
        hash = kind->column != COLUMN_CONTACT ? mixReal(hash, energy->weight[e]) : hash; // limits come and go
        for (int p = 1; p < kind->paramCount; ++p)
        {
            bool changes = (p >= kind->stateFirst && p < kind->stateFirst + kind->stateCount) || yieldMoves(energy, p);
            hash = changes ? hash : mixReal(hash, energyGetParam(energy, e, p));
        }
        hash = energy->yield != NULL ? mixYield(hash, energy, e) : hash;
    }
    return hash;
}

bool isCircumstance(const Body *body, const Energy *energy)
{
    return energy == body->wind || energy == body->press || energy == body->contact || energy == body->contactDamping ||
           energy == body->faces || energy == body->attachments;
}

uint64_t bodyFingerprint(const Body *body)
{
    const double *mass = body->world->state.mass + body->first;
    uint64_t hash = mixWord(HASH_SEED, (uint64_t)body->count);
    for (int v = 0; v < body->count; ++v)
    {
        hash = mixWord(hash, (uint64_t)body->mesh->vertexToCaller[v]);
        hash = mixReal(hash, mass[v]);
    }
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        const Energy *energy = body->member.energy[e];
        if (!isCircumstance(body, energy))
            hash = mixEnergy(hash, energy);
    }
    hash = mixReal(hash, body->step.rigidDamping);
    return body->origin != NULL ? mixWord(hash, body->fingerprint) : hash; // of its origin, then of every change
}

static uint64_t mixAttachment(uint64_t hash, const Attachment *attachment)
{
    if (attachment->joint > 0) // it follows from the joint, the step and the state
        return mixWord(hash, (uint64_t)attachment->joint);
    for (int end = 0; end < 2; ++end)
    {
        const Body *body = attachment->body[end];
        const Endpoint *point = &attachment->end[end];
        hash = mixWord(hash, body ? (uint64_t)body->ordinal : UINT64_MAX);
        hash = mixWord(hash, body ? (uint64_t)originVertex(body, point->vertex[0]) : 0);
        for (int k = 0; k < point->count && point->count > 1; ++k)
            hash = mixReal(mixWord(hash, (uint64_t)originVertex(body, point->vertex[k])), point->share[k]);
    }
    if (attachmentBreaks(attachment))
        hash = mixReal(hash, attachment->breakForce);
    hash = mixReal(hash, attachment->stiffness);
    hash = mixReal(hash, attachment->restLength);
    // its place in the batch: sums are taken in that order
    return mixWord(hash, (uint64_t)attachment->element);
}

uint64_t worldFingerprint(const World *world)
{
    uint64_t hash = mixWord(HASH_SEED, (uint64_t)world->bodyCount);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        hash = mixWord(hash, body->proxyOf > 0 ? (uint64_t)body->proxyOf : body->fingerprint);
        hash = mixWord(hash, body->attachments ? (uint64_t)body->attachments->elementCount : 0);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used)
            hash = mixAttachment(hash, &world->attachment[i]);
    }
    return hashFinish(mixFluids(mixJoints(mixRigids(mixColliders(hash, world), world), world), world));
}
