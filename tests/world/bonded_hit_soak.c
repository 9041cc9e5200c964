// Rigid bodies with soft blocks bonded to them that hit something, at length: the table of docs/notes/rigid.md ("Hits
// of bonded bodies") in 300 steps, and random ones. VERVE_FIRST and VERVE_COUNT choose seeds of these alone.
#include "hits.h"

#include <stdlib.h>

static void tableGainsNothing(void **unused)
{
    (void)unused;
    static const double masses[] = { 0.4, 4, 40 }, moduli[] = { 1e4, 1e5, 1e6 };
    for (int i = 0; i < 36 && getenv("VERVE_FIRST") == NULL; ++i)
    {
        HitScene scene = hitScene(masses[i / 12], moduli[i / 4 % 3], i % 2 == 0 ? 0.02 : 0, i % 4 < 2 ? 0 : 3);
        Hit hit = hitMake(&scene, (vvVec3){ 0, 0.4, 0 });
        hitCollider(hit.world, VV_SHAPE_PLANE, (vvVec3){ 0, 1, 0 }, 0.5);
        HitRun run = hitRun(&hit, 300, 1.0 / 60);
        print_message("%g kg, %g Pa, %g s, %g rad/s: gains %.2g, contact adds %.2g\n", scene.mass, scene.young,
                      scene.damping, scene.spin.z, run.gained, run.added);
        assert_true(run.gained < 0.02 && run.added < 0.02);
        vvDestroyWorld(hit.world);
    }
}

static unsigned long long seeded;

static double draw(double from, double to)
{
    seeded = seeded * 6364136223846793005ULL + 1442695040888963407ULL;
    return from + (to - from) * (double)(seeded >> 11) / 9007199254740992.0;
}

static double drawLog(double from, double to)
{
    return exp(draw(log(from), log(to)));
}

static vvVec3 drawVector(double most)
{
    double x = draw(-most, most), y = draw(-most, most), z = draw(-most, most);
    return (vvVec3){ x, y, z };
}

static HitScene drawScene(void)
{
    static const vvShapeKind shapes[] = { VV_SHAPE_BOX, VV_SHAPE_SPHERE, VV_SHAPE_CAPSULE };
    HitScene scene = hitScene(drawLog(0.3, 40), drawLog(1e4, 1e6), draw(0, 1) < 0.3 ? 0.02 : 0, 0);
    scene.shape = shapes[(int)draw(0, 3)];
    scene.density = drawLog(100, 2000);
    scene.spin = drawVector(4);
    scene.velocity = drawVector(1);
    scene.restitution = draw(0, 1) < 0.25 ? 0.5 : 0;
    scene.friction = draw(0, 1);
    return scene;
}

static void drawGround(vvWorldId world)
{
    double heights[144], kind = draw(0, 1);
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_HEIGHTFIELD;
    shape.size = (vvVec3){ 4, 4, 4 };
    shape.heights = heights;
    shape.columns = shape.rows = 12;
    for (int i = 0; i < 144; ++i)
        heights[i] = draw(-0.1, 0.1);
    if (kind < 0.3)
        hitColliderAt(world, &shape, (vvVec3){ 0, 0, 0 }, 0.5);
    hitCollider(world, VV_SHAPE_PLANE, (vvVec3){ draw(-0.4, 0.4), 1, draw(-0.4, 0.4) }, draw(0, 1));
    shape = vvDefaultShapeDef();
    shape.kind = kind < 0.6 ? VV_SHAPE_SPHERE : VV_SHAPE_BOX;
    shape.radius = 0.2;
    shape.size = (vvVec3){ 0.4, 0.2, 0.4 };
    if (kind > 0.4)
        hitColliderAt(world, &shape, (vvVec3){ 0.1, kind < 0.6 ? 0 : 0.1, 0.1 }, 0.5);
}

static int chosen(const char *name, int usual)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : usual;
}

// How many of them gain more than 2 % or get 5 % from contact. With `onto` there are rigid bodies below, one of them
// with a block too.
static int runAll(int first, int count, bool onto, double *worst)
{
    int bad = 0;
    *worst = 0;
    for (int seed = first; seed < first + count; ++seed)
    {
        seeded = 977ULL * (unsigned)seed + 13;
        HitScene scene = drawScene();
        Hit hit = hitMake(&scene, (vvVec3){ 0, draw(1, 1.3), 0 });
        drawGround(hit.world);
        for (int k = 0; k < 2 && onto; ++k)
        {
            HitScene other = drawScene();
            vvVec3 place = { draw(-0.15, 0.15), 0.5 + 1.4 * k, draw(-0.15, 0.15) };
            other.velocity = other.spin = (vvVec3){ 0, 0, 0 };
            vvRigidBodyId rigid = hitRigid(hit.world, &other, place);
            if (k > 0)
                hitBlock(hit.world, &other, rigid, place, other.shape == VV_SHAPE_CAPSULE ? 0.19 : 0.15);
        }
        HitRun run = hitRun(&hit, 120, draw(0, 1) < 0.3 ? 1.0 / 120 : 1.0 / 60);
        bool gains = !(run.gained < 0.02 && run.added < 0.05);
        if (gains)
            print_message("seed %d: gains %.3g, contact adds %.3g; %.2g kg, %.2g Pa, restitution %g\n", seed,
                          run.gained, run.added, scene.mass, scene.young, scene.restitution);
        bad += gains;
        *worst = fmax(*worst, run.gained);
        vvDestroyWorld(hit.world);
    }
    print_message("%d of %d gain more than 2 %%, at most %.3g\n", bad, count, *worst);
    return bad;
}

static void hitsGainNothing(void **unused)
{
    (void)unused;
    double worst;
    // seed 4, of restitution 0.5 and an undamped block, gains 10 %; contact gives seed 3 a seventh of what it takes
    int count = chosen("VERVE_COUNT", 40), bad = runAll(chosen("VERVE_FIRST", 0), count, false, &worst);
    assert_true(20 * bad <= count && worst < 0.11);
}

static void hitsOfRigidBodiesGainNothing(void **unused)
{
    (void)unused;
    double worst;
    // seed 38 gains 6 %; contact gives seeds 3 and 5 back a twelfth
    int count = chosen("VERVE_COUNT", 40), bad = runAll(chosen("VERVE_FIRST", 0), count, true, &worst);
    assert_true(13 * bad <= count && worst < 0.07);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tableGainsNothing),
        cmocka_unit_test(hitsGainNothing),
        cmocka_unit_test(hitsOfRigidBodiesGainNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
