// The parts of a run that a player shows: bodies, rigid bodies, colliders, fluids, springs; and their frames as numbers
// of few bytes.
//
// A part of a frame begins with a byte: PART_SAME, nothing has moved; PART_MOVED, what each coordinate differs from a
// straight line through the two frames before; PART_MESH, another mesh: counts, corners, coordinates, each as the
// difference from the one before it. Coordinates are 16-bit steps of the part's box. Differences are written with their
// sign in the lowest bit, seven bits a byte, the lowest first: smooth motion takes a byte a coordinate.
#include "tool/player.h"

#include "base/base.h"

#include <string.h>

// ---- bytes ----------------------------------------------------------------------------------------------------------

static void putByte(Bytes *bytes, unsigned value)
{
    if (bytes->count == bytes->room)
    {
        size_t room = 2 * bytes->room + 65536;
        void *block = bytes->byte;
        if (bytes->full || !memoryGrow(bytes->memory, &block, bytes->count, room, 1))
        {
            bytes->full = true;
            return;
        }
        bytes->byte = block;
        bytes->room = room;
    }
    bytes->byte[bytes->count++] = (uint8_t)value;
}

static void putCount(Bytes *bytes, uint32_t value)
{
    for (; value >= 128; value >>= 7)
        putByte(bytes, (value & 127) | 128);
    putByte(bytes, value);
}

static void putSigned(Bytes *bytes, int value)
{
    putCount(bytes, value < 0 ? 2 * (uint32_t)(-(value + 1)) + 1 : 2 * (uint32_t)value);
}

// ---- what is seen of a run ------------------------------------------------------------------------------------------

static PlayerPart bodyPart(const ShownBody *body, int index)
{
    PlayerPart part = { .kind = body->triangleCount > 0 ? "surface" : "rope", .points = body->points };
    part.colour = colourOfSeries(index);
    part.rest = body->changed ? NULL : body->rest;
    part.solid = body->solid;
    part.pointCount = body->vertexCount;
    part.triangle = body->triangle;
    part.triangleCount = body->triangleCount;
    part.line = body->line;
    part.lineCount = body->triangleCount > 0 ? 0 : body->lineCount;
    part.field = body->field;
    return part;
}

static PlayerPart colliderPart(const ShownCollider *collider)
{
    PlayerPart part = { .kind = "surface", .points = collider->points, .solid = true, .glass = collider->glass };
    part.colour = colourHex(collider->rigid >= 0 ? 0x7C8C9B : 0xB4B8BB);
    part.rest = collider->shape.point;
    part.pointCount = collider->plane ? 0 : collider->shape.pointCount;
    part.triangle = collider->shape.triangle;
    part.triangleCount = collider->plane ? 0 : collider->shape.triangleCount;
    return part;
}

static PlayerPart fluidPart(const ShownFluid *fluid, int index)
{
    PlayerPart part = { .kind = "points", .points = fluid->points, .pointCount = fluid->count };
    part.colour = fluidColour(index);
    part.radius = 0.6 * fluid->spacing;
    return part;
}

static PlayerPart slabPart(const Run *run, int index, const Look *look, PlayerScratch *scratch)
{
    static const int triangles[] = { 0, 1, 2, 0, 2, 3 };
    const ShownCollider *collider = &run->show.collider[index];
    PlayerPart part = { .kind = "surface", .points = scratch->slab, .solid = true, .glass = collider->glass };
    part.colour = colourHex(0xB4B8BB);
    part.triangle = triangles;
    if (collider->plane && !colliderIsLevel(collider))
    {
        colliderSlab(collider, look, scratch->slab);
        part.pointCount = 4;
        part.triangleCount = 2;
    }
    return part;
}

int playerPartCount(const Run *run)
{
    return run->show.bodyCount + 2 * run->show.colliderCount + run->show.fluidCount;
}

PlayerPart playerPart(const Run *run, int index, const Look *look, PlayerScratch *scratch)
{
    if (index < run->show.bodyCount)
        return bodyPart(&run->show.body[index], index);
    index -= run->show.bodyCount;
    if (index < run->show.colliderCount)
        return colliderPart(&run->show.collider[index]);
    index -= run->show.colliderCount;
    if (index < run->show.colliderCount)
        return slabPart(run, index, look, scratch);
    return fluidPart(&run->show.fluid[index - run->show.colliderCount], index - run->show.colliderCount);
}

// ---- frames ---------------------------------------------------------------------------------------------------------

void playerTrackFree(Memory *memory, PlayerTrack *track)
{
    memoryRelease(memory, track->place);
    memoryRelease(memory, track->index);
    for (int i = 0; i < 3; ++i)
        memoryRelease(memory, track->past[i]);
    memset(track, 0, sizeof *track);
}

void playerTrackSee(PlayerTrack *track, const PlayerPart *part)
{
    for (int v = 0; v < part->pointCount; ++v)
    {
        Vec3 p = vecLoad(part->points + 3 * (size_t)v);
        if (!vecFinite(p))
            continue;
        double value[3] = { p.x, p.y, p.z };
        for (int a = 0; a < 3; ++a)
        {
            track->low[a] = track->any ? minReal(track->low[a], value[a]) : value[a];
            track->high[a] = track->any ? maxReal(track->high[a], value[a]) : value[a];
        }
        track->any = true;
    }
}

double playerTrackStep(const PlayerTrack *track)
{
    double span = 0;
    for (int a = 0; a < 3; ++a)
        span = maxReal(span, track->high[a] - track->low[a]);
    return span > 0 ? span / 65535 : 1;
}

static bool reserve(Memory *memory, PlayerTrack *track, int points, int corners)
{
    void *blocks[5] = { track->place, track->index, track->past[0], track->past[1], track->past[2] };
    bool good = true;
    if (points > track->pointRoom)
    {
        size_t old = (size_t)track->pointRoom, now = (size_t)points;
        good = memoryGrow(memory, &blocks[0], old, now, sizeof(int));
        for (int i = 2; i < 5; ++i)
            good = good && memoryGrow(memory, &blocks[i], 3 * old, 3 * now, sizeof(int));
        track->pointRoom = good ? points : track->pointRoom;
    }
    if (good && corners > track->indexRoom)
    {
        good = memoryGrow(memory, &blocks[1], (size_t)track->indexRoom, (size_t)corners, sizeof(int));
        track->indexRoom = good ? corners : track->indexRoom;
    }
    track->place = blocks[0];
    track->index = blocks[1];
    for (int i = 0; i < 3; ++i)
        track->past[i] = blocks[i + 2];
    return good;
}

// points that no triangle or line has, inside a solid, are left out; false: out of memory
static bool takeMesh(Memory *memory, PlayerTrack *track, const PlayerPart *part)
{
    int corners = 3 * part->triangleCount + 2 * part->lineCount;
    if (!reserve(memory, track, part->pointCount, corners))
        return false;
    bool loose = strcmp(part->kind, "points") == 0;
    for (int v = 0; v < part->pointCount; ++v)
        track->place[v] = loose ? v : -1;
    for (int i = 0; i < corners; ++i)
    {
        track->index[i] = i < 3 * part->triangleCount ? part->triangle[i] : part->line[i - 3 * part->triangleCount];
        track->place[track->index[i]] = 0;
    }
    track->shownCount = 0;
    for (int v = 0; v < part->pointCount; ++v)
        track->place[v] = track->place[v] >= 0 ? track->shownCount++ : -1;
    track->pointCount = part->pointCount;
    track->triangleCount = part->triangleCount;
    track->lineCount = part->lineCount;
    track->meshes += 1;
    track->age = 0;
    return true;
}

static bool sameMesh(const PlayerTrack *track, const PlayerPart *part)
{
    return track->begun && track->pointCount == part->pointCount && track->triangleCount == part->triangleCount &&
           track->lineCount == part->lineCount &&
           (part->triangleCount == 0 ||
            memcmp(track->index, part->triangle, 3 * (size_t)part->triangleCount * sizeof(int)) == 0) &&
           (part->lineCount == 0 || memcmp(track->index + 3 * (size_t)part->triangleCount, part->line,
                                           2 * (size_t)part->lineCount * sizeof(int)) == 0);
}

// the coordinates of what is shown, in steps; one that is not finite stays where it was
static void quantise(const PlayerTrack *track, const PlayerPart *part, int *out, const int *before)
{
    double step = playerTrackStep(track);
    for (int v = 0; v < part->pointCount; ++v)
    {
        if (track->place[v] < 0)
            continue;
        for (int a = 0; a < 3; ++a)
        {
            double value = (part->points[3 * (size_t)v + (size_t)a] - track->low[a]) / step;
            int *to = out + 3 * (size_t)track->place[v] + a;
            *to = isfinite(value)  ? (int)(minReal(maxReal(value, 0), 65535) + 0.5)
                  : before != NULL ? before[3 * (size_t)track->place[v] + (size_t)a]
                                   : 32767;
        }
    }
}

static void putMesh(Bytes *bytes, const PlayerTrack *track, const int *now)
{
    int corners = 3 * track->triangleCount + 2 * track->lineCount, last = 0;
    putByte(bytes, PART_MESH);
    putCount(bytes, (uint32_t)track->shownCount);
    putCount(bytes, (uint32_t)track->triangleCount);
    putCount(bytes, (uint32_t)track->lineCount);
    for (int i = 0; i < corners; ++i)
    {
        int place = track->place[track->index[i]];
        putSigned(bytes, place - last);
        last = place;
    }
    for (int i = 0; i < 3 * track->shownCount; ++i)
        putSigned(bytes, now[i] - (i >= 3 ? now[i - 3] : 0));
}

static void putMotion(Bytes *bytes, const PlayerTrack *track, const int *now, const int *one, const int *two)
{
    size_t size = 3 * (size_t)track->shownCount;
    if (size == 0 || (memcmp(now, one, size * sizeof(int)) == 0 && memcmp(one, two, size * sizeof(int)) == 0))
    {
        putByte(bytes, PART_SAME);
        return;
    }
    putByte(bytes, PART_MOVED);
    for (size_t i = 0; i < size; ++i)
        putSigned(bytes, now[i] - (2 * one[i] - two[i]));
}

static void putField(Bytes *bytes, const PlayerTrack *track, const PlayerPart *part, double most)
{
    for (int v = 0; v < part->pointCount; ++v)
    {
        double share = part->field[v] / most;
        if (track->place[v] >= 0)
            putByte(bytes, isfinite(share) ? (unsigned)(255 * minReal(maxReal(share, 0), 1) + 0.5) : 0);
    }
}

bool playerTrackWrite(Bytes *bytes, PlayerTrack *track, const PlayerPart *part, double fieldMost)
{
    bool fresh = !sameMesh(track, part);
    if (fresh && !takeMesh(bytes->memory, track, part))
        return false;
    // the frame before, the one before that, and room for this one: they take turns
    int *now = track->past[track->turn % 3], *one = track->past[(track->turn + 2) % 3];
    int *two = track->age < 2 ? one : track->past[(track->turn + 1) % 3];
    quantise(track, part, now, fresh ? NULL : one);
    if (fresh)
        putMesh(bytes, track, now);
    else
        putMotion(bytes, track, now, one, two);
    if (fieldMost > 0 && part->field != NULL)
        putField(bytes, track, part, fieldMost);
    track->begun = true;
    track->turn += 1;
    track->age += 1;
    return !bytes->full;
}
