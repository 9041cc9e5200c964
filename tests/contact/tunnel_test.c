// Nothing tunnels: solids, sheets and ropes at random speeds up to 100 m/s against thin boxes at rest, thin boxes at
// such speeds against them, moved as a whole or by their points, and bodies at up to 20 m/s against a sheet that is
// held, these damped and undamped.
#include "contact/apart.h"

#define CASES 24

typedef struct Shot
{
    vvWorldId world;
    vvSoftBodyId body;
    double speed, start; // m/s, m
} Shot;

static const char *shotMethod = "small-midpoint"; // of the shots to come

static void aim(Shot *shot, TestRandom *random)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = true;
    def.threads = 1;
    def.method = shotMethod;
    def.gravity = (vvVec3){ 0, 0, 0 };
    shot->speed = pow(10, randomBetween(random, 0, 2));
    shot->start = randomBetween(random, 0.3, 1.5);
    shot->world = vvCreateWorld(&def, NULL);
}

static void shoot(Shot *shot, TestRandom *random, int kind, double speed)
{
    static const vvMeshShape shapes[3] = { VV_MESH_BOX, VV_MESH_SHEET, VV_MESH_ROPE };
    vvMeshDef mesh = vvDefaultMeshDef();
    mesh.shape = shapes[kind];
    mesh.size = kind == 2 ? (vvVec3){ 0.5, 1, 1 } : (vvVec3){ 0.3, 0.3, 0.3 };
    mesh.cells[0] = kind == 2 ? 15 : 3;
    mesh.cells[1] = mesh.cells[2] = 3;
    mesh.rotate = (vvVec3){ randomBetween(random, 0, 90), randomBetween(random, 0, 90), 0 };
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.material.thickness = kind == 1 ? 1e-3 : 0.01;
    def.damping.stiffness = 1e-3;
    def.position = (vvVec3){ 0, shot->start, 0 };
    def.velocity =
        (vvVec3){ randomBetween(random, -0.2, 0.2) * speed, -speed, randomBetween(random, -0.2, 0.2) * speed };
    vvResult result;
    vvMesh *made = vvCreateMesh(&mesh, &result);
    CHECK_OK(result);
    shot->body = makeBody(shot->world, made, def);
}

static int framesOf(const Shot *shot)
{
    return (int)fmin(2 * 60 * (shot->start + 0.3) / shot->speed + 5, 60);
}

// vertices under a box of 3 m that began above it
static int countBelow(const Shot *shot, double height)
{
    int count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(shot->body); ++v)
    {
        vvVec3 x = vertexPosition(shot->body, v);
        count += x.y < height && fabs(x.x) < 1.5 && fabs(x.z) < 1.5;
    }
    return count;
}

typedef enum Way
{
    STILL,
    AS_A_WHOLE,
    BY_POINTS, // every third case
} Way;

// the corners of a box, so high
static void boxPoints(double thickness, double height, double *points)
{
    for (int p = 0; p < 8; ++p)
    {
        points[3 * p] = p & 1 ? 1.5 : -1.5;
        points[3 * p + 1] = height + (p & 2 ? 0.5 : -0.5) * thickness;
        points[3 * p + 2] = p & 4 ? 1.5 : -1.5;
    }
}

static vvColliderId plate(vvWorldId world, double thickness, Way way)
{
    static const int triangles[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    vvColliderDef def = vvDefaultColliderDef();
    if (way != BY_POINTS)
        return makeCollider(world, boxShape(3, thickness, 3), def);
    double points[24];
    boxPoints(thickness, 0, points);
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_MESH;
    shape.points = points;
    shape.pointCount = 8;
    shape.triangles = triangles;
    shape.triangleCount = 12;
    def.deforms = true;
    return makeCollider(world, shapeOf(&shape), def);
}

static void lift(vvColliderId box, double thickness, double height, Way way)
{
    double points[24];
    boxPoints(thickness, height, points);
    if (way == BY_POINTS)
        CHECK_OK(vvCollider_MovePoints(box, points, 8));
    else
        CHECK_OK(vvCollider_MoveTo(box, (vvVec3){ 0, height, 0 }, vvQuat_FromDegrees((vvVec3){ 0, 0, 0 })));
}

static void colliders(Way way, int stride)
{
    bool moving = way != STILL;
    for (int seed = 1; seed <= CASES; seed += stride)
    {
        TestRandom random = { (unsigned)seed };
        Shot shot = { .speed = 0 };
        aim(&shot, &random);
        double height = 0, thickness = pow(10, randomBetween(&random, -3, -1.3));
        vvColliderId box = plate(shot.world, thickness, way);
        shoot(&shot, &random, seed % 3, moving ? 0 : shot.speed);
        double begin = vvWorld_GetLedger(shot.world).total;
        for (int n = 0; n < framesOf(&shot); ++n)
        {
            if (moving && height < 3)
            {
                height += shot.speed * APART_H;
                lift(box, thickness, height, way);
            }
            CHECK_OK(vvWorld_Step(shot.world, APART_H));
        }
        int below = countBelow(&shot, height);
        vvLedger ledger = vvWorld_GetLedger(shot.world);
        if (below > 0)
            print_message("seed %d: %.1f m/s, %.4f m thick: %d below\n", seed, shot.speed, thickness, below);
        assert_int_equal(below, 0);
        if (ledger.numerical > 0.01 * (begin + ledger.added))
            print_message("seed %d: %.1f m/s, %.4f m thick: numerical %.3g J, added %.3g J, began %.3g J\n", seed,
                          shot.speed, thickness, ledger.numerical, ledger.added, begin);
        // plates that hit sheets at 40 m/s: up to a tenth of their work is not told; under small-steps a fifth
        bool swept = strcmp(shotMethod, "small-steps") == 0;
        CHECK_BELOW(ledger.numerical, (moving ? swept ? 0.2 : 0.1 : 0.02) * (begin + ledger.added));
        vvDestroyWorld(shot.world);
    }
}

static void thin_boxes_hold(void **state)
{
    (void)state;
    colliders(STILL, 1);
}

static void moving_boxes_push(void **state)
{
    (void)state;
    colliders(AS_A_WHOLE, 1);
}

static void deforming_boxes_push(void **state)
{
    (void)state;
    colliders(BY_POINTS, 3);
}

static void sheetsHold(double damping)
{
    for (int seed = 1; seed <= CASES / 4; ++seed)
    {
        TestRandom random = { (unsigned)seed };
        Shot shot = { .speed = 0 };
        aim(&shot, &random);
        shot.speed = fmin(shot.speed, 20);
        ApartScene scene = { .world = shot.world };
        vvSoftBodyId sheet = apartSheet(&scene, (vvVec3){ 2, 1, 2 }, 12, 12, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 0 });
        int rim[64], count = 0;
        for (int v = 0; v < vvSoftBody_GetVertexCount(sheet); ++v)
        {
            vvVec3 x = vertexPosition(sheet, v);
            if (fmax(fabs(x.x), fabs(x.z)) > 1 - 1e-6 && count < 64)
                rim[count++] = v;
        }
        CHECK_OK(vvSoftBody_Pin(sheet, rim, count));
        shoot(&shot, &random, seed % 3, shot.speed);
        CHECK_OK(vvSoftBody_SetDamping(sheet, (vvDamping){ .stiffness = damping }));
        CHECK_OK(vvSoftBody_SetDamping(shot.body, (vvDamping){ .stiffness = damping }));
        scene.self[scene.bodyCount] = false;
        scene.body[scene.bodyCount++] = shot.body;
        for (int n = 0; n < framesOf(&shot) && n < 20; ++n)
            assert_int_equal(apartStep(&scene), 0);
        vvDestroyWorld(shot.world);
    }
}

static void sheets_hold(void **state)
{
    (void)state;
    sheetsHold(0);
}

static void damped_sheets_hold(void **state)
{
    (void)state;
    sheetsHold(1e-3); // s
}

// a punch of 20 m/s, and plates at up to 100 m/s
static void small_steps_hold(void **state)
{
    (void)state;
    shotMethod = "small-steps";
    colliders(STILL, 2);
    colliders(AS_A_WHOLE, 3);
    sheetsHold(1e-3);
    shotMethod = "small-midpoint";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_boxes_hold), cmocka_unit_test(moving_boxes_push),  cmocka_unit_test(deforming_boxes_push),
        cmocka_unit_test(sheets_hold),     cmocka_unit_test(damped_sheets_hold), cmocka_unit_test(small_steps_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
