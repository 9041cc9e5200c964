// A world as segments, points and triangles, by functions of the caller's.
#include "world/world.h"

#define DRAW_COOKIE 0x44564431

enum Colour
{
    COLOUR_BODY = 0x5b9bd5,
    COLOUR_ASLEEP = 0x7f7f7f,
    COLOUR_PIN = 0xffcc00,
    COLOUR_ATTACHMENT = 0x33aa55,
    COLOUR_HANDLE = 0xff66cc,
    COLOUR_CONTACT = 0xe03030,
    COLOUR_COLLIDER = 0xc0c0c0,
    COLOUR_BOUNDS = 0xffffff,
};

vvDebugDraw vvDefaultDebugDraw(void)
{
    return (vvDebugDraw){ .flags = VV_DRAW_ALL & ~(VV_DRAW_ELEMENTS | VV_DRAW_BOUNDS),
                          .planeSize = 10,
                          .cookie = DRAW_COOKIE };
}

// ---- strokes --------------------------------------------------------------------------------------------------------

static void segment(const vvDebugDraw *draw, Vec3 a, Vec3 b, uint32_t colour)
{
    if (draw->drawSegment != NULL)
        draw->drawSegment(a, b, colour, draw->userData);
}

static void point(const vvDebugDraw *draw, Vec3 at, uint32_t colour)
{
    if (draw->drawPoint != NULL)
        draw->drawPoint(at, colour, draw->userData);
}

static void triangle(const vvDebugDraw *draw, const Vec3 *p, uint32_t colour)
{
    if (draw->drawTriangle != NULL)
        draw->drawTriangle(p[0], p[1], p[2], colour, draw->userData);
    for (int k = 0; k < 3 && draw->drawTriangle == NULL; ++k)
        segment(draw, p[k], p[(k + 1) % 3], colour);
}

static Vec3 vertexAt(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static void drawSurface(const vvDebugDraw *draw, const Body *body)
{
    const vvMesh *mesh = body->mesh;
    uint32_t colour = body->asleep ? COLOUR_ASLEEP : COLOUR_BODY;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *corner = mesh->surface + 3 * (ptrdiff_t)t;
        const Vec3 p[3] = { vertexAt(body, corner[0]), vertexAt(body, corner[1]), vertexAt(body, corner[2]) };
        triangle(draw, p, colour);
    }
    for (int e = 0; e < mesh->edgeCount && mesh->matter == MATTER_ROPE; ++e)
    {
        if (mesh->edgeKind[e] == VV_EDGE_STRUCTURAL)
            segment(draw, vertexAt(body, mesh->edge[2 * e]), vertexAt(body, mesh->edge[2 * e + 1]), colour);
    }
}

// white at rest, red at twice the length, blue at none
static uint32_t stretchColour(double stretch)
{
    double change = minReal(maxReal(stretch - 1, -1), 1);
    uint32_t other = (uint32_t)(255 * (1 - fabs(change)) + 0.5);
    return change > 0 ? 0xff0000 | other << 8 | other : other << 16 | other << 8 | 0xff;
}

static void drawElements(const vvDebugDraw *draw, const Body *body)
{
    const vvMesh *mesh = body->mesh;
    for (int e = 0; e < mesh->edgeCount; ++e)
        segment(draw, vertexAt(body, mesh->edge[2 * e]), vertexAt(body, mesh->edge[2 * e + 1]),
                stretchColour(edgeStretch(body, e)));
}

static void drawPins(const vvDebugDraw *draw, const Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    for (int v = 0; v < body->count; ++v)
    {
        if (s.hold[v] == HOLD_FREE)
            continue;
        Vec3 at = vecLoad(s.start + 3 * (ptrdiff_t)v), target = vecLoad(s.pinTarget + 3 * (ptrdiff_t)v);
        point(draw, at, COLOUR_PIN);
        if (s.pinned[v] && vecLength(vecSub(target, at)) > 0)
            segment(draw, at, target, COLOUR_PIN);
    }
}

static void drawBounds(const vvDebugDraw *draw, const Body *body)
{
    vvBox box = vvSoftBody_GetBounds(bodyId(body));
    for (int i = 0; i < 12; ++i)
    {
        // edge i along axis i / 4, at one of four corners across it
        int axis = i / 4, first = (axis + 1) % 3, second = (axis + 2) % 3;
        const double low[3] = { box.lower.x, box.lower.y, box.lower.z },
                     high[3] = { box.upper.x, box.upper.y, box.upper.z };
        double a[3], b[3];
        a[axis] = low[axis];
        b[axis] = high[axis];
        a[first] = b[first] = i & 1 ? high[first] : low[first];
        a[second] = b[second] = i & 2 ? high[second] : low[second];
        segment(draw, vecLoad(a), vecLoad(b), COLOUR_BOUNDS);
    }
}

static void drawTouch(const vvDebugDraw *draw, Vec3 at, Vec3 normal, Vec3 force)
{
    Vec3 arrow = draw->forceScale > 0 ? vecScale(draw->forceScale, force) : vecScale(0.1, normal);
    point(draw, at, COLOUR_CONTACT);
    segment(draw, at, vecAdd(at, arrow), COLOUR_CONTACT);
}

static void drawContacts(const vvDebugDraw *draw, const Body *body)
{
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    for (int k = 0; k < 2; ++k)
    {
        const Energy *contact = bodyContact(body, k);
        for (int e = 0; contact != NULL && e < contact->elementCount; ++e)
        {
            Touch touch;
            if (contactTouch(contact, x, e, &touch))
                drawTouch(draw, touch.point, touch.normal, touch.force);
        }
    }
    for (int i = 0; i < softContactCount(body); ++i)
    {
        vvContact contact;
        if (softTouch(body, i, &contact))
            drawTouch(draw, contact.point, contact.normal, contact.force);
    }
}

// ---- what holds bodies ----------------------------------------------------------------------------------------------

static bool isOfHandle(const World *world, int slot)
{
    for (int h = 0; h < world->handleSlotCount; ++h)
    {
        const Handle *handle = &world->handle[h];
        for (int k = 0; k < handle->count; ++k)
        {
            if (handle->attachment[k].index1 == (uint32_t)slot + 1 &&
                handle->attachment[k].generation == world->attachment[slot].generation)
                return true;
        }
    }
    return false;
}

static void drawAttachments(const vvDebugDraw *draw, const World *world)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (attachmentActs(attachment) && attachment->joint == 0 && !isOfHandle(world, i))
            segment(draw, attachmentEnd(world, attachment, 0), attachmentEnd(world, attachment, 1), COLOUR_ATTACHMENT);
    }
}

// a handle holds the point whose offsets from its vertices were what they are now at rest
static void drawHandles(const vvDebugDraw *draw, World *world)
{
    for (int h = 0; h < world->handleSlotCount; ++h)
    {
        const Handle *handle = &world->handle[h];
        Vec3 held = vec3(0, 0, 0), target = held;
        double whole = 0;
        for (int k = 0; k < handle->count; ++k)
        {
            World *own;
            const Attachment *tie = attachmentFind(handle->attachment[k], &own);
            if (tie == NULL)
                continue; // it went with its body
            Vec3 at = vecSub(attachmentEnd(world, tie, 0), handle->offset[k]);
            held = vecAdd(held, vecScale(tie->stiffness, at));
            target = vecSub(tie->start, handle->offset[k]);
            whole += tie->stiffness;
        }
        if (whole == 0)
            continue;
        point(draw, target, COLOUR_HANDLE);
        segment(draw, vecScale(1 / whole, held), target, COLOUR_HANDLE);
    }
}

// ---- shapes: colliders and rigid bodies -----------------------------------------------------------------------------

// a square about the point of the plane that is nearest to its frame's origin
static void drawPlane(const vvDebugDraw *draw, const Pose *pose, Vec3 normal, double offset, uint32_t colour)
{
    Vec3 n = matApply(&pose->turn, normal), centre = vecAdd(pose->position, vecScale(offset, n));
    Vec3 side = vecCross(n, fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0));
    side = vecScale(0.5 * draw->planeSize / vecLength(side), side);
    Vec3 other = vecCross(n, side);
    const Vec3 corner[4] = { vecSub(vecSub(centre, side), other), vecSub(vecAdd(centre, side), other),
                             vecAdd(vecAdd(centre, side), other), vecAdd(vecSub(centre, side), other) };
    const Vec3 half[2][3] = { { corner[0], corner[1], corner[2] }, { corner[0], corner[2], corner[3] } };
    triangle(draw, half[0], colour);
    triangle(draw, half[1], colour);
}

static vvResult drawShape(const vvDebugDraw *draw, World *world, const vvShape *shape, Pose pose, uint32_t colour)
{
    Vec3 normal;
    double offset;
    ShapeTriangles triangles;
    if (shapeIsPlane(shape, &normal, &offset))
    {
        drawPlane(draw, &pose, normal, offset, colour);
        return resultOk();
    }
    if (!shapeTriangulate(shape, &world->memory, &triangles))
        return resultOutOfMemory("the picture of a shape");
    for (int t = 0; t < triangles.triangleCount; ++t)
    {
        Vec3 p[3];
        for (int k = 0; k < 3; ++k)
        {
            Vec3 local = vecLoad(triangles.point + 3 * (ptrdiff_t)triangles.triangle[3 * (ptrdiff_t)t + k]);
            p[k] = vecAdd(matApply(&pose.turn, local), pose.position);
        }
        triangle(draw, p, colour);
    }
    shapeTrianglesFree(&world->memory, &triangles);
    return resultOk();
}

static vvResult drawRigid(const vvDebugDraw *draw, World *world, const RigidBody *body)
{
    vvResult result = resultOk();
    for (int i = 0; i < body->shapeCount && result.code == VV_OK; ++i)
        result = drawShape(draw, world, body->shape[i].shape, rigidShapePose(body, i), COLOUR_BODY);
    return result;
}

// ---- the world ------------------------------------------------------------------------------------------------------

static vvResult checkDraw(const vvDebugDraw *draw)
{
    vvResult result = checkDef(draw != NULL && draw->cookie == DRAW_COOKIE, "debug draw", "vvDefaultDebugDraw()");
    if (result.code == VV_OK && !(draw->forceScale >= 0 && isModest(draw->forceScale)))
        result = resultMake(VV_BAD_INPUT, "0.01 draws a centimetre for each newton",
                            "forceScale is %g m/N, must be 0, or 1e-30 to 1e30", draw->forceScale);
    if (result.code == VV_OK && !(draw->planeSize > 0 && isModest(draw->planeSize)))
        result = resultMake(VV_BAD_INPUT, "10 is a square of 10 m", "planeSize is %g m, must be 1e-30 to 1e30",
                            draw->planeSize);
    return result;
}

static vvResult drawWorld(const vvDebugDraw *draw, World *world)
{
    vvResult result = resultOk();
    for (int i = 0; i < world->colliders.slotCount && draw->flags & VV_DRAW_COLLIDERS && result.code == VV_OK; ++i)
    {
        if (world->colliders.item[i].used)
            result =
                drawShape(draw, world, world->colliders.item[i].shape, world->colliders.item[i].start, COLOUR_COLLIDER);
    }
    for (int i = 0; i < world->rigids.slotCount && draw->flags & VV_DRAW_SURFACE && result.code == VV_OK; ++i)
    {
        if (world->rigids.item[i].used)
            result = drawRigid(draw, world, &world->rigids.item[i].body);
    }
    for (const Body *body = bodySeen(world->firstBody); body != NULL && result.code == VV_OK;
         body = bodySeen(body->next))
    {
        static void (*const parts[])(const vvDebugDraw *, const Body *) = { drawSurface, drawElements, drawPins,
                                                                            drawContacts, drawBounds };
        static const uint32_t flags[] = { VV_DRAW_SURFACE, VV_DRAW_ELEMENTS, VV_DRAW_PINS, VV_DRAW_CONTACTS,
                                          VV_DRAW_BOUNDS };
        for (int k = 0; k < 5; ++k)
        {
            if (draw->flags & flags[k])
                parts[k](draw, body);
        }
    }
    for (int i = 0; i < world->rigidTouches.count && result.code == VV_OK && draw->flags & VV_DRAW_CONTACTS; ++i)
    {
        const vvContact *contact = &world->rigidTouches.item[i];
        if (rigidTouchIsValid(contact))
            drawTouch(draw, contact->point, contact->normal, contact->force);
    }
    if (result.code == VV_OK && draw->flags & VV_DRAW_ATTACHMENTS)
        drawAttachments(draw, world);
    if (result.code == VV_OK && draw->flags & VV_DRAW_HANDLES)
        drawHandles(draw, world);
    return result;
}

vvResult vvWorld_Draw(vvWorldId id, const vvDebugDraw *draw)
{
    World *world = worldOpen(id);
    vvResult result = world ? checkDraw(draw) : refused("world");
    if (result.code != VV_OK)
        return result;
    memoryEnterCall(&world->memory); // the functions may read the world and not change it
    result = drawWorld(draw, world);
    memoryLeaveCall(&world->memory);
    return result;
}
