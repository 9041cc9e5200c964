// Debug draw shows what is there: as many strokes as there are things, where they are, and without touching the world.
#include "world/scenes.h"

#include "base/system.h"
#include "undamped.h"

#include <stdlib.h>

typedef struct Strokes
{
    vvWorldId world;
    int segments, points, triangles;
    vvVec3 first[2], last[2]; // of segments
    vvVec3 point;             // the last
    double area;              // m^2, of triangles
    double volume;            // m^3, that triangles enclose
    uint32_t colour;          // of the last stroke
    int refused;
} Strokes;

static void segment(vvVec3 a, vvVec3 b, uint32_t colour, void *userData)
{
    Strokes *s = userData;
    if (s->segments++ == 0)
    {
        s->first[0] = a;
        s->first[1] = b;
    }
    s->last[0] = a;
    s->last[1] = b;
    s->colour = colour;
}

static void point(vvVec3 p, uint32_t colour, void *userData)
{
    Strokes *s = userData;
    s->points += 1;
    s->point = p;
    s->colour = colour;
    // a callback may read its world and not change it
    s->refused += vvWorld_GetTime(s->world) >= 0 && vvWorld_Step(s->world, 0.01).code == VV_BAD_ID;
}

static void triangle(vvVec3 a, vvVec3 b, vvVec3 c, uint32_t colour, void *userData)
{
    Strokes *s = userData;
    s->triangles += 1;
    s->colour = colour;
    vvVec3 u = { b.x - a.x, b.y - a.y, b.z - a.z }, v = { c.x - a.x, c.y - a.y, c.z - a.z };
    vvVec3 n = { u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x };
    s->area += 0.5 * sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    s->volume += (a.x * n.x + a.y * n.y + a.z * n.z) / 6;
}

static Strokes drawn(vvWorldId world, uint32_t flags)
{
    Strokes s = { .world = world };
    vvDebugDraw draw = vvDefaultDebugDraw();
    draw.drawSegment = segment;
    draw.drawPoint = point;
    draw.drawTriangle = triangle;
    draw.flags = flags;
    draw.userData = &s;
    uint64_t hash = vvWorld_GetHash(world);
    CHECK_OK(vvWorld_Draw(world, &draw));
    assert_true(vvWorld_GetHash(world) == hash);
    return s;
}

static void bodiesAreDrawn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = undampedDef();
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 2, 2, 2), def);
    Strokes s = drawn(world, VV_DRAW_SURFACE);
    assert_int_equal(s.triangles, vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(cube)));
    CHECK_NEAR(s.area, 2 * (2 + 3 + 6), 1e-12);
    CHECK_NEAR(s.volume, 6, 1e-12); // they wind outward
    assert_int_equal(s.segments + s.points, 0);
    s = drawn(world, VV_DRAW_ELEMENTS);
    assert_int_equal(s.segments, vvMesh_GetEdgeCount(vvSoftBody_GetMesh(cube)));
    assert_int_equal(s.colour, 0xffffff);
    s = drawn(world, VV_DRAW_BOUNDS);
    assert_int_equal(s.segments, 12);
    makeBody(world, vvCreateRopeMesh(1, 7), def);
    assert_int_equal(drawn(world, VV_DRAW_SURFACE).segments, 7);
    assert_int_equal(drawn(world, VV_DRAW_BOUNDS).segments, 24);
    // twice as long: red all over
    double x[24];
    vvSoftBodyId bodies[2];
    vvWorld_GetBodies(world, bodies, 2);
    for (int v = 0; v < 8; ++v)
        memcpy(x + 3 * v, (double[3]){ v * 2 / 7.0, 0, 0 }, 3 * sizeof(double));
    CHECK_OK(vvSoftBody_SetPositions(bodies[1], x));
    assert_int_equal(drawn(world, VV_DRAW_ELEMENTS).colour, 0xff0000);
    vvDestroyWorld(world);
}

static void holdsAreDrawn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
    int corners[2] = { 0, 3 };
    CHECK_OK(vvSoftBody_Pin(cube, corners, 2));
    Strokes s = drawn(world, VV_DRAW_PINS);
    assert_int_equal(s.points, 2);
    assert_int_equal(s.segments, 0);
    assert_int_equal(s.refused, 2);
    assert_memory_equal(&s.point, vvSoftBody_GetPositions(cube) + 9, sizeof s.point);
    CHECK_OK(vvSoftBody_MovePin(cube, 3, (vvVec3){ 1, 2, 3 }));
    s = drawn(world, VV_DRAW_PINS);
    assert_int_equal(s.segments, 1);
    assert_memory_equal(&s.first[0], vvSoftBody_GetPositions(cube) + 9, sizeof s.point);
    CHECK_NEAR(s.first[1].z, 3, 0);

    vvAttachmentDef attachment = vvDefaultAttachmentDef();
    attachment.bodyA = cube;
    attachment.vertexA = 5;
    attachment.target = (vvVec3){ 4, 5, 6 };
    vvCreateAttachment(world, &attachment, NULL);
    vvHandleDef handle = vvDefaultHandleDef();
    handle.body = cube;
    for (int k = 0; k < 3; ++k)
    {
        handle.vertices[k] = 5 + k;
        handle.weights[k] = 0.25 + 0.25 * (k == 1);
    }
    vvResult result;
    vvHandleId hand = vvCreateHandle(world, &handle, &result);
    CHECK_OK(result);
    s = drawn(world, VV_DRAW_ATTACHMENTS); // not those that make the handle
    assert_int_equal(s.segments, 1);
    assert_memory_equal(&s.first[0], vvSoftBody_GetPositions(cube) + 15, sizeof s.point);
    CHECK_NEAR(s.first[1].y, 5, 0);
    s = drawn(world, VV_DRAW_HANDLES);
    assert_int_equal(s.segments, 1);
    assert_int_equal(s.points, 1);
    vvVec3 target = vvHandle_GetTarget(hand);
    CHECK_NEAR(s.first[0].x, target.x, 1e-14); // where it was taken
    CHECK_NEAR(s.point.z, target.z, 1e-14);
    CHECK_OK(vvHandle_MoveTo(hand, (vvVec3){ 2, 2, 2 }));
    CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_NEAR(drawn(world, VV_DRAW_HANDLES).point.x, 2, 1e-14);
    vvDestroySoftBody(cube);
    s = drawn(world, VV_DRAW_ALL);
    assert_int_equal(s.segments + s.points + s.triangles, 0);
    vvDestroyWorld(world);
}

static void collidersAndContactsAreDrawn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, -10, 0 });
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), elasticDef(1000, 1e5, 0.3));
    vvColliderDef def = vvDefaultColliderDef();
    vvShapeDef shape = vvDefaultShapeDef();
    shape.normal = (vvVec3){ 1, 2, 3 };
    def.shape = vvCreateShape(&shape, NULL);
    def.position.y = -0.6;
    vvColliderId plane = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    Strokes s = drawn(world, VV_DRAW_COLLIDERS);
    assert_int_equal(s.triangles, 2);
    CHECK_NEAR(s.area, 100, 1e-10);
    vvDestroyCollider(plane);

    shape.kind = VV_SHAPE_BOX;
    shape.size = (vvVec3){ 2, 0.5, 2 };
    def.shape = vvCreateShape(&shape, NULL);
    def.position.y = -0.75 + 0.001;
    vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    s = drawn(world, VV_DRAW_COLLIDERS);
    assert_int_equal(s.triangles, 12);
    CHECK_NEAR(s.volume, 2, 1e-12);
    vvContact contacts[32];
    int count = vvWorld_GetContacts(world, contacts, 32);
    assert_true(count > 0);
    s = drawn(world, VV_DRAW_CONTACTS);
    assert_int_equal(s.points, count);
    assert_int_equal(s.segments, count);
    assert_memory_equal(&s.point, &contacts[count - 1].point, sizeof s.point);
    CHECK_NEAR(s.last[1].y - s.last[0].y, 0.1, 1e-12);
    // with a scale: the force
    vvDebugDraw draw = vvDefaultDebugDraw();
    draw.drawSegment = segment;
    draw.flags = VV_DRAW_CONTACTS;
    draw.forceScale = 2;
    Strokes scaled = { .world = world };
    draw.userData = &scaled;
    CHECK_OK(vvWorld_Draw(world, &draw));
    CHECK_NEAR(scaled.last[1].y - scaled.last[0].y, 2 * contacts[count - 1].force.y, 1e-12);
    // without triangles: their edges
    draw.flags = VV_DRAW_SURFACE;
    scaled.segments = 0;
    CHECK_OK(vvWorld_Draw(world, &draw));
    assert_int_equal(scaled.segments, 3 * vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(cube)));
    vvDestroyWorld(world);
}

// every kind of shape; a mesh that is sampled has no triangles left
static void everyShapeIsDrawn(void **state)
{
    (void)state;
    static const double points[12] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0 };
    static const int faces[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
    static const double heights[4] = { 0, 1, 0, 1 };
    for (int kind = 0; kind <= VV_SHAPE_HEIGHTFIELD + 1; ++kind)
    {
        vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
        vvShapeDef shape = vvDefaultShapeDef();
        bool sampled = kind > VV_SHAPE_HEIGHTFIELD;
        shape.kind = sampled ? VV_SHAPE_MESH : (vvShapeKind)kind;
        shape.sampling = sampled ? 0.1 : 0;
        shape.points = points;
        shape.pointCount = 4;
        shape.triangles = faces;
        shape.triangleCount = 4;
        shape.heights = heights;
        shape.columns = shape.rows = 2;
        vvColliderDef def = vvDefaultColliderDef();
        vvResult result;
        def.shape = vvCreateShape(&shape, &result);
        CHECK_OK(result);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
        assert_int_equal(drawn(world, VV_DRAW_COLLIDERS).triangles > 0, !sampled);
        vvDestroyWorld(world);
    }
}

static bool refuses;

static void *allocate(size_t size, size_t alignment, void *userData)
{
    (void)userData;
    return refuses ? NULL : systemAllocate(size, alignment);
}

static void release(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

static void refusalsSayWhy(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.allocator = (vvAllocator){ allocate, release, NULL };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvDebugDraw draw = vvDefaultDebugDraw();
    CHECK_OK(vvWorld_Draw(world, &draw)); // nobody listens
    assert_int_equal(vvWorld_Draw(world, NULL).code, VV_BAD_INPUT);
    draw.planeSize = 0;
    assert_int_equal(vvWorld_Draw(world, &draw).code, VV_BAD_INPUT);
    draw = vvDefaultDebugDraw();
    draw.forceScale = NAN;
    assert_int_equal(vvWorld_Draw(world, &draw).code, VV_BAD_INPUT);
    draw = vvDefaultDebugDraw();
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_SPHERE;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shape, NULL);
    vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    refuses = true;
    assert_int_equal(vvWorld_Draw(world, &draw).code, VV_OUT_OF_MEMORY);
    refuses = false;
    CHECK_OK(vvWorld_Draw(world, &draw));
    vvDestroyWorld(world);
    assert_int_equal(vvWorld_Draw(world, &draw).code, VV_BAD_ID);
}

// a compound of two boxes, turned
static void rigidBodiesAreDrawn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvShapeDef box = vvDefaultShapeDef();
    box.kind = VV_SHAPE_BOX;
    box.size = (vvVec3){ 1, 2, 3 };
    vvShape *shape = vvCreateShape(&box, NULL);
    vvRigidShape other = { .shape = shape, .position = { 4, 0, 0 }, .rotation = { 1, 1, 0, 0 } };
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.shapes = &other;
    def.shapeCount = 1;
    def.rotation = vvQuat_FromDegrees((vvVec3){ 10, 20, 30 });
    vvCreateRigidBody(world, &def, NULL);
    vvDestroyShape(shape);
    Strokes s = drawn(world, VV_DRAW_SURFACE);
    assert_int_equal(s.triangles, 24);
    CHECK_NEAR(s.area, 2 * 22, 1e-12);
    CHECK_NEAR(s.volume, 2 * 6, 1e-12);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesAreDrawn),    cmocka_unit_test(rigidBodiesAreDrawn),
        cmocka_unit_test(holdsAreDrawn),     cmocka_unit_test(collidersAndContactsAreDrawn),
        cmocka_unit_test(everyShapeIsDrawn), cmocka_unit_test(refusalsSayWhy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
