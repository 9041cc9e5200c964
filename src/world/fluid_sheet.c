// Sheets and ropes as walls of a fluid. They are thin: which side a particle is on is told by where it was when the
// substep began, and it stays there.
#include "contact/proximity.h"
#include "world/world.h"

#include <string.h>

#define BATCH 32    // particles that are asked about together first
#define REACH 3.0   // radii of a particle: what crossed a sheet in a substep is found so far away
#define ROUNDS 4    // pushes of a particle in a substep: it may be in a fold
#define LIFT 0.1    // radii that what is too near is moved off in a substep, without speed
#define NEAREST 0.3 // radii that a particle keeps off a sheet where that has moved
#define TOUCH 1e-5  // radii: a push of less is none

// ---- where a sheet is nearest ---------------------------------------------------------------------------------------

typedef struct Nearest
{
    int corner[3];
    double share[3];
    Vec3 direction;  // unit, from the sheet to the point
    double distance; // m
} Nearest;

static bool nearestOfSheet(const CollisionMesh *mesh, Vec3 point, double limit, Nearest *nearest)
{
    CollisionQuery query = { .collisionMesh = mesh, .self = -1, .most = 1 };
    CollisionHit hit[PAIR_CONTACTS];
    if (collisionMeshNearest(&query, point, limit, hit) == 0)
        return false;
    memcpy(nearest->corner, mesh->triangle + 3 * (ptrdiff_t)hit->triangle, sizeof nearest->corner);
    memcpy(nearest->share, hit->share, sizeof nearest->share);
    nearest->direction = hit->direction;
    nearest->distance = hit->distance;
    return true;
}

// m: how far the box of a segment is from a point at least, along an axis
static bool isBeyond(Vec3 a, Vec3 b, Vec3 p, double limit)
{
    return p.x < minReal(a.x, b.x) - limit || p.x > maxReal(a.x, b.x) + limit || p.y < minReal(a.y, b.y) - limit ||
           p.y > maxReal(a.y, b.y) + limit || p.z < minReal(a.z, b.z) - limit || p.z > maxReal(a.z, b.z) + limit;
}

static bool nearestOfRope(const CollisionMesh *mesh, Vec3 point, double limit, Nearest *nearest)
{
    const Features *features = mesh->features;
    bool found = false;
    for (int i = 0; i < features->count; ++i)
    {
        const int *corner = features->corner + 3 * (ptrdiff_t)i;
        Vec3 a = vecLoad(mesh->x + 3 * (ptrdiff_t)corner[0]), b = vecLoad(mesh->x + 3 * (ptrdiff_t)corner[1]);
        if (isBeyond(a, b, point, limit))
            continue;
        Vec3 along = vecSub(b, a), from = vecSub(point, a);
        double square = vecDot(along, along), t = square > 0 ? vecDot(from, along) / square : 0;
        t = minReal(maxReal(t, 0), 1);
        Vec3 gap = vecSub(from, vecScale(t, along));
        double distance = vecLength(gap);
        if (!(distance < limit && distance > 0))
            continue;
        limit = distance;
        *nearest =
            (Nearest){ { corner[0], corner[1], corner[1] }, { 1 - t, t, 0 }, vecScale(1 / distance, gap), distance };
        found = true;
    }
    return found;
}

static bool findNearest(const FluidSheet *sheet, Vec3 point, double limit, Nearest *nearest)
{
    const CollisionMesh *mesh = sheet->body->collisionMesh;
    return mesh->triangleCount > 0 ? nearestOfSheet(mesh, point, limit, nearest)
                                   : nearestOfRope(mesh, point, limit, nearest);
}

static Vec3 blend(const double *field, const FluidSheet *sheet, const int *corner, const double *share)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k)
        sum = vecAdd(sum, vecScale(share[k], vecLoad(field + 3 * (ptrdiff_t)(sheet->first + corner[k]))));
    return sum;
}

void fluidSheetsPlace(FluidSheets *sheets)
{
    for (int i = 0; i < sheets->sheetCount; ++i)
    {
        FluidSheet *sheet = &sheets->sheet[i];
        CollisionMesh *mesh = sheet->body->collisionMesh;
        mesh->x = sheets->at + 3 * (ptrdiff_t)sheet->first;
        sheet->box = fluidBoxOf(mesh->x, sheet->body->count);
        if (mesh->triangleCount > 0)
            collisionMeshRefit(mesh);
    }
}

// ---- contact --------------------------------------------------------------------------------------------------------

// A particle beside a sheet, on the side where the substep began for both.
typedef struct Side
{
    Nearest nearest;
    Vec3 normal;   // unit, towards that side
    double before; // m: how far it was, along the normal
    double now;    // m: how far it is; below 0 where it has crossed
} Side;

static bool findSide(const FluidSheets *sheets, const FluidSheet *sheet, Vec3 start, Vec3 at, double limit, Side *side)
{
    if (!fluidBoxNear(&sheet->box, at, limit) || !findNearest(sheet, at, limit, &side->nearest))
        return false;
    Vec3 then = blend(sheets->from, sheet, side->nearest.corner, side->nearest.share);
    double along = vecDot(vecSub(start, then), side->nearest.direction);
    side->normal = along < 0 ? vecScale(-1, side->nearest.direction) : side->nearest.direction;
    side->before = fabs(along);
    side->now = along < 0 ? -side->nearest.distance : side->nearest.distance;
    return true;
}

static void keepHold(FluidSheets *sheets, ptrdiff_t particle, int number, const Side *side, Vec3 impulse)
{
    FluidHold *hold = sheets->touch + particle * SHEET_TOUCHES;
    int k = sheets->holds[particle];
    if (k == SHEET_TOUCHES) // no room: the last one takes it too
    {
        hold[k - 1].impulse = vecAdd(hold[k - 1].impulse, impulse);
        return;
    }
    sheets->holds[particle] += 1;
    hold[k] = (FluidHold){ .sheet = number, .normal = side->normal, .impulse = impulse };
    memcpy(hold[k].corner, side->nearest.corner, sizeof hold[k].corner);
    memcpy(hold[k].share, side->nearest.share, sizeof hold[k].share);
}

// Its motion into the sheet ends; what is still too near is moved off slowly, without speed.
static bool pushParticle(FluidSheets *sheets, int number, double friction, const FluidPush *push, int particle)
{
    const FluidSheet *sheet = &sheets->sheet[number];
    Vec3 at = vecLoad(push->position + 3 * (ptrdiff_t)particle), start = vecLoad(push->start + 3 * (ptrdiff_t)particle);
    double reach = push->radius + sheet->half;
    Side side;
    if (!findSide(sheets, sheet, start, at, reach + REACH * push->radius, &side) || !(side.now < reach))
        return false;
    Vec3 carry = vecSub(blend(sheets->at, sheet, side.nearest.corner, side.nearest.share),
                        blend(sheets->from, sheet, side.nearest.corner, side.nearest.share));
    double whole = reach - side.now, depth = minReal(whole, maxReal(side.before - side.now, 0));
    depth = depth > TOUCH * push->radius ? depth : 0; // less is not counted, and must not push
    double deep = minReal(whole - depth, LIFT * push->radius);
    if (depth == 0 && !(deep > TOUCH * push->radius))
        return false;
    FluidTouch touch = { .depth = depth,
                         .deep = deep,
                         .normal = side.normal,
                         .carry = carry,
                         .friction = friction < 0 ? maxReal(sheet->body->contactDef.friction, 0) : friction };
    FluidPushed pushed = fluidPushOut(push, particle, &touch);
    push->books->added += pushed.work;
    ptrdiff_t place = (push->start - sheets->item->fluid->start) / 3 + particle;
    if (depth > 0)
        keepHold(sheets, place, number, &side, pushed.impulse);
    return true;
}

void fluidSheetsPush(FluidSheets *sheets, const FluidColliders *rules, const FluidPush *push)
{
    for (int number = 0; number < sheets->sheetCount; ++number)
    {
        double reach = sheets->sheet[number].half + (1 + REACH) * push->radius;
        for (int first = 0; first < push->count; first += BATCH)
        {
            int end = minInt(first + BATCH, push->count);
            vvBox box = fluidBoxOf(push->position + 3 * (ptrdiff_t)first, end - first);
            box = fluidBoxGrown(box, reach);
            for (int i = first; i < end && fluidBoxesMeet(&sheets->sheet[number].box, &box); ++i)
            {
                for (int round = 0; round < ROUNDS; ++round)
                {
                    if (!pushParticle(sheets, number, rules->friction, push, i))
                        break;
                }
            }
        }
    }
}

// ---- after the islands ----------------------------------------------------------------------------------------------

// Places alone change: momentum stays.
void fluidSheetsKeepApart(FluidSheets *sheets)
{
    Fluid *fluid = sheets->item->fluid;
    double radius = fluid->settings.spacing / 2;
    for (int number = 0; number < sheets->sheetCount; ++number)
    {
        const FluidSheet *sheet = &sheets->sheet[number];
        double least = sheet->half + NEAREST * radius, limit = least + REACH * radius;
        for (int first = 0; first < fluid->count; first += BATCH)
        {
            int end = minInt(first + BATCH, fluid->count);
            vvBox box = fluidBoxGrown(fluidBoxOf(fluid->position + 3 * (ptrdiff_t)first, end - first), limit);
            for (int i = first; i < end && fluidBoxesMeet(&sheet->box, &box); ++i)
            {
                double *x = fluid->position + 3 * (ptrdiff_t)i;
                Side side;
                if (findSide(sheets, sheet, vecLoad(fluid->start + 3 * (ptrdiff_t)i), vecLoad(x), limit, &side) &&
                    side.now < least)
                    vecStore(x, vecAdd(vecLoad(x), vecScale(least - side.now, side.normal)));
            }
        }
    }
}
