// One frame as bytes: where everything is, what is shown on it, and the accounts.
#include "live/session.h"

#include "base/quaternion.h"

#include <math.h>
#include <string.h>

#define MOST_CONTACTS 4096

static const char *const ledgerNames[] = { "kinetic",  "elastic",  "gravity",   "contact",   "added",     "dissipated",
                                           "total",    "target",   "numerical", "momentumX", "momentumY", "momentumZ",
                                           "angularX", "angularY", "angularZ",  "exchanged", "share" };
static const char *const statisticNames[] = { "milliseconds", "iterations", "residual", "converged", "substeps",
                                              "contacts",     "asleep",     "prepare",  "gradient",  "matrix",
                                              "factor",       "solve",      "line",     "ledger",    "other",
                                              "memory",       "saved" };
#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

void frameNames(Json *ready)
{
    Json *list = jsonAdd(ready, "ledger", JSON_LIST);
    for (int i = 0; i < COUNT(ledgerNames); ++i)
        jsonAddString(list, NULL, ledgerNames[i]);
    list = jsonAdd(ready, "statistics", JSON_LIST);
    for (int i = 0; i < COUNT(statisticNames); ++i)
        jsonAddString(list, NULL, statisticNames[i]);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// mean over the cells of each vertex of how far their stretch is from 1
static void strainOf(vvSoftBodyId body, double *cell, double *value, double *weight)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int tets = vvMesh_GetTetCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh);
    int count = tets > 0 ? tets : triangles > 0 ? triangles : vvMesh_GetEdgeCount(mesh);
    int width = tets > 0 ? 4 : triangles > 0 ? 3 : 2;
    const int *corner = tets > 0        ? vvMesh_GetTets(mesh)
                        : triangles > 0 ? vvMesh_GetSurface(mesh)
                                        : vvMesh_GetEdges(mesh);
    if (vvSoftBody_CopyStretches(body, cell).code != VV_OK)
        return;
    for (int c = 0; c < count; ++c)
    {
        for (int k = 0; k < width; ++k)
        {
            int v = corner[width * (ptrdiff_t)c + k];
            value[v] += fabs(cell[c] - 1);
            weight[v] += 1;
        }
    }
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        value[v] = weight[v] > 0 ? value[v] / weight[v] : 0;
}

static void speedOf(vvSoftBodyId body, double *value)
{
    const double *velocity = vvSoftBody_GetVelocities(body);
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        value[v] = vecLength(vecLoad(velocity + 3 * (ptrdiff_t)v));
}

// the field at the vertices of the body; false: out of memory
static bool fieldOf(Live *live, const Drawn *drawn, double **out)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(drawn->body);
    size_t count = (size_t)drawn->bodyCount, cells = (size_t)maxInt(vvMesh_GetTetCount(mesh), 0) +
                                                     (size_t)vvMesh_GetSurfaceCount(mesh) +
                                                     (size_t)vvMesh_GetEdgeCount(mesh);
    double *value = ALLOCATE(&live->memory, double, 2 * count + cells);
    *out = value;
    if (value == NULL)
        return false;
    if (live->field == FIELD_STRAIN)
        strainOf(drawn->body, value + 2 * count, value, value + count);
    else if (live->field == FIELD_ENERGY)
        vvSoftBody_CopyEnergyDensities(drawn->body, value);
    else
        speedOf(drawn->body, value);
    return true;
}

static void putField(Live *live, int object, const Drawn *drawn)
{
    double *value;
    float *to = packSection(live, &live->pack, SECTION_VALUES, object, drawn->vertexCount, sizeof *to);
    if (to == NULL || !fieldOf(live, drawn, &value))
        return;
    if (drawn->embedding != NULL) // as the first coordinate of points, which the embedding carries
    {
        double *vertex = drawn->points + 3 * (ptrdiff_t)drawn->vertexCount;
        memset(vertex, 0, 3 * (size_t)drawn->bodyCount * sizeof *vertex);
        for (int v = 0; v < drawn->bodyCount; ++v)
            vertex[3 * (ptrdiff_t)v] = value[v];
        vvEmbedding_GetPositions(drawn->embedding, vertex, drawn->points);
    }
    for (int i = 0; i < drawn->vertexCount; ++i)
        to[i] = (float)(drawn->embedding != NULL ? drawn->points[3 * (ptrdiff_t)i] : value[drawn->vertex[i]]);
    memoryRelease(&live->memory, value);
}

static void putBody(Live *live, int object, const Drawn *drawn)
{
    float *to = packSection(live, &live->pack, SECTION_POSITIONS, object, drawn->vertexCount, 3 * sizeof *to);
    const double *position = vvSoftBody_GetPositions(drawn->body);
    if (to == NULL || position == NULL)
        return;
    if (drawn->embedding != NULL)
    {
        vvEmbedding_GetPositions(drawn->embedding, position, drawn->points);
        for (ptrdiff_t k = 0; k < 3 * (ptrdiff_t)drawn->vertexCount; ++k)
            to[k] = (float)drawn->points[k];
    }
    for (ptrdiff_t i = 0; i < drawn->vertexCount && drawn->embedding == NULL; ++i)
    {
        for (int c = 0; c < 3; ++c)
            to[3 * i + c] = (float)position[3 * (ptrdiff_t)drawn->vertex[i] + c];
    }
    if (live->field != FIELD_NONE)
        putField(live, object, drawn);
}

// ---- fluids and colliders -------------------------------------------------------------------------------------------

static void putFluid(Live *live, int object, const Drawn *drawn)
{
    int count = vvFluid_GetCount(drawn->fluid);
    float *to = packSection(live, &live->pack, SECTION_POSITIONS, object, count, 3 * sizeof *to);
    if (to != NULL)
        vvFluid_CopyPositions(drawn->fluid, to, count, 0);
    const double *velocity = vvFluid_GetVelocities(drawn->fluid);
    if (live->field != FIELD_SPEED || velocity == NULL)
        return;
    to = packSection(live, &live->pack, SECTION_VALUES, object, count, sizeof *to);
    for (int i = 0; to != NULL && i < count; ++i)
        to[i] = (float)vecLength(vecLoad(velocity + 3 * (ptrdiff_t)i));
}

static void putDeforming(Live *live, int object, const Drawn *drawn)
{
    vvPose pose = vvCollider_GetPose(sceneCollider(live->built, drawn->index));
    int count = sceneColliderPoints(live->built, drawn->index, liveTime(live), drawn->points);
    float *to = packSection(live, &live->pack, SECTION_POSITIONS, object, count, 3 * sizeof *to);
    for (ptrdiff_t i = 0; to != NULL && i < count; ++i)
    {
        Vec3 at = vecAdd(quatRotate(pose.rotation, vecLoad(drawn->points + 3 * i)), pose.position);
        to[3 * i] = (float)at.x;
        to[3 * i + 1] = (float)at.y;
        to[3 * i + 2] = (float)at.z;
    }
}

static void putPoses(Live *live)
{
    double *to = packSection(live, &live->pack, SECTION_POSES, 0, live->poseCount, 7 * sizeof *to);
    for (int i = 0; i < live->drawnCount && to != NULL; ++i)
    {
        const Drawn *drawn = &live->drawn[i];
        if (drawn->pose < 0)
            continue;
        vvPose pose = drawn->kind == DRAWN_RIGID ? vvRigidBody_GetPose(sceneRigid(live->built, drawn->index))
                                                 : vvCollider_GetPose(sceneCollider(live->built, drawn->index));
        double *entry = to + 7 * (ptrdiff_t)drawn->pose;
        vecStore(entry, pose.position);
        entry[3] = pose.rotation.w;
        entry[4] = pose.rotation.x;
        entry[5] = pose.rotation.y;
        entry[6] = pose.rotation.z;
    }
}

// ---- what holds and pushes ------------------------------------------------------------------------------------------

static void putArrow(float *to, Vec3 point, Vec3 force)
{
    const double numbers[6] = { point.x, point.y, point.z, force.x, force.y, force.z };
    for (int c = 0; c < 6; ++c)
        to[c] = (float)numbers[c];
}

static void putHands(Live *live)
{
    int count = 0;
    for (int h = 0; h < MOST_HANDS; ++h)
        count += live->hand[h].holds;
    float *to = packSection(live, &live->pack, SECTION_HANDS, 0, count, 10 * sizeof *to);
    for (int h = 0; h < MOST_HANDS && to != NULL; ++h)
    {
        const Hand *hand = &live->hand[h];
        if (!hand->holds)
            continue;
        to[0] = (float)h;
        to[1] = (float)hand->target.x;
        to[2] = (float)hand->target.y;
        to[3] = (float)hand->target.z;
        putArrow(to + 4, handPoint(hand), handForce(hand));
        to += 10;
    }
}

static void putPins(Live *live)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        float *to = pass > 0 ? packSection(live, &live->pack, SECTION_PINS, 0, count, 3 * sizeof *to) : NULL;
        for (int i = 0; i < live->drawnCount; ++i)
        {
            const Drawn *drawn = &live->drawn[i];
            const double *position = drawn->kind == DRAWN_BODY ? vvSoftBody_GetPositions(drawn->body) : NULL;
            for (ptrdiff_t v = 0; position != NULL && v < drawn->bodyCount; ++v)
            {
                bool seen = drawn->slot == NULL || drawn->slot[v] >= 0;
                if (!seen || !vvSoftBody_IsPinned(drawn->body, (int)v))
                    continue;
                count += pass == 0;
                for (int c = 0; c < 3 && to != NULL; ++c)
                    *to++ = (float)position[3 * v + c];
            }
        }
    }
}

static void putContacts(Live *live)
{
    vvContact *contact = ALLOCATE(&live->memory, vvContact, MOST_CONTACTS);
    if (contact == NULL)
        return;
    int count = minInt(vvWorld_GetContacts(sceneWorldId(live->built), contact, MOST_CONTACTS), MOST_CONTACTS);
    float *to = packSection(live, &live->pack, SECTION_CONTACTS, 0, count, 6 * sizeof *to);
    double step = sceneTimestep(live->scene);
    for (int i = 0; i < count && to != NULL; ++i)
    {
        // a hard contact has no force at the present state, but an impulse over the step
        Vec3 force = contact[i].force;
        if (vecLength(force) == 0)
            force = vecScale(1 / step, contact[i].impulse);
        putArrow(to + 6 * (ptrdiff_t)i, contact[i].point, force);
    }
    memoryRelease(&live->memory, contact);
}

static void putForces(Live *live, int object, const Drawn *drawn)
{
    double *force = ALLOCATE(&live->memory, double, 3 * (size_t)drawn->bodyCount);
    float *to = packSection(live, &live->pack, SECTION_FORCES, object, drawn->embedding ? 0 : drawn->vertexCount,
                            6 * sizeof *to);
    const double *position = vvSoftBody_GetPositions(drawn->body);
    if (force != NULL && to != NULL && vvSoftBody_CopyForces(drawn->body, force).code == VV_OK)
    {
        for (ptrdiff_t i = 0; i < drawn->vertexCount && drawn->embedding == NULL; ++i)
            putArrow(to + 6 * i, vecLoad(position + 3 * (ptrdiff_t)drawn->vertex[i]),
                     vecLoad(force + 3 * (ptrdiff_t)drawn->vertex[i]));
    }
    memoryRelease(&live->memory, force);
}

// ---- accounts -------------------------------------------------------------------------------------------------------

static void putLedger(Live *live)
{
    vvLedger l = vvWorld_GetLedger(sceneWorldId(live->built));
    const double row[] = { l.kinetic,
                           l.elastic,
                           l.gravity,
                           l.contact,
                           l.added,
                           l.dissipated,
                           l.total,
                           l.target,
                           l.numerical,
                           l.momentum.x,
                           l.momentum.y,
                           l.momentum.z,
                           l.angularMomentum.x,
                           l.angularMomentum.y,
                           l.angularMomentum.z,
                           auditExchanged(&live->audit),
                           auditShare(&live->audit) };
    _Static_assert(sizeof row / sizeof row[0] == sizeof ledgerNames / sizeof ledgerNames[0], "a name for each");
    double *to = packSection(live, &live->pack, SECTION_LEDGER, 0, COUNT(row), sizeof *to);
    if (to != NULL)
        memcpy(to, row, sizeof row);
}

static void putStatistics(Live *live)
{
    vvStatistics s = vvWorld_GetStatistics(sceneWorldId(live->built));
    const vvProfile *a = &live->before, *b = &live->after;
    const double row[] = { 1e3 * live->stepSeconds,
                           s.iterations,
                           s.residual,
                           s.converged,
                           s.substeps,
                           s.nearCount + s.rigidContactCount,
                           s.sleepingCount,
                           1e3 * (b->prepare - a->prepare),
                           1e3 * (b->gradient - a->gradient),
                           1e3 * (b->matrix - a->matrix),
                           1e3 * (b->factor - a->factor),
                           1e3 * (b->solve - a->solve),
                           1e3 * (b->line - a->line),
                           1e3 * (b->ledger - a->ledger),
                           1e3 * (b->other - a->other),
                           (double)s.memoryBytes,
                           live->stateCount };
    _Static_assert(sizeof row / sizeof row[0] == sizeof statisticNames / sizeof statisticNames[0], "a name for each");
    double *to = packSection(live, &live->pack, SECTION_STATISTICS, 0, COUNT(row), sizeof *to);
    if (to != NULL)
        memcpy(to, row, sizeof row);
}

void frameSend(Live *live)
{
    packBegin(live, &live->pack, PACK_FRAME, live->frame, liveTime(live), 3 * live->drawnCount + 8);
    for (int i = 0; i < live->drawnCount; ++i)
    {
        const Drawn *drawn = &live->drawn[i];
        if (drawn->kind == DRAWN_BODY)
            putBody(live, i, drawn);
        else if (drawn->kind == DRAWN_FLUID)
            putFluid(live, i, drawn);
        else if (drawn->deforms)
            putDeforming(live, i, drawn);
        if (live->forces && drawn->kind == DRAWN_BODY)
            putForces(live, i, drawn);
    }
    putPoses(live);
    putLedger(live);
    putStatistics(live);
    putHands(live);
    putPins(live);
    if (live->contacts)
        putContacts(live);
    packSend(live, &live->pack);
}
