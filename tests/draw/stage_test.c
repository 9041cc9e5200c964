// What is on the stage is where geometry says: coverage, depth, clipping, sides, shadows; and nothing breaks it.
#include "draw/stage.h"
#include "pixels.h"

// a camera on the z axis that sees exactly [-1, 1] up and down at z = 0
static Camera frontCamera(void)
{
    return (Camera){ .eye = { 0, 0, 1 }, .target = { 0, 0, 0 }, .fieldOfView = 90 };
}

static void addTriangle(Studio *studio, const double points[9], Colour front, Colour back)
{
    Paint paint = { .front = front, .back = back };
    int triangle[3] = { 0, 1, 2 };
    assert_true(stageSurface(studio->stage, points, NULL, 3, triangle, 1, NULL, &paint));
}

static const Colour red = { 1, 0, 0 }, green = { 0, 1, 0 };

static int coveredSamples(const Studio *studio)
{
    int covered = 0;
    int samples = studio->picture->width * studio->picture->height * SAMPLES;
    for (int i = 0; i < samples; ++i)
        covered += studio->stage->depth[i] > 0;
    return covered;
}

static bool isRed(const uint8_t *p)
{
    return p[0] > 60 && p[0] > 2 * p[1] && p[0] > 2 * p[2];
}

static bool isGreen(const uint8_t *p)
{
    return p[1] > 60 && p[1] > 2 * p[0] && p[1] > 2 * p[2];
}

static void triangleCoversItsArea(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 200, 200);
    // in pixels 20..180 in both directions: half of 160 x 160 pixels. Along the slanted edge samples are hit or missed
    // by chance of less than one in a pixel of its length
    double points[9] = { -0.8, -0.8, 0, 0.8, -0.8, 0, -0.8, 0.8, 0 };
    addTriangle(&studio, points, red, green);
    Camera camera = frontCamera();
    drawAll(&studio, &camera);
    CHECK_NEAR(coveredSamples(&studio) / (double)SAMPLES, 160 * 160 / 2.0, 160 * 0.5);
    assert_true(isRed(pixelAt(studio.picture, 40, 150)));
    assert_false(isRed(pixelAt(studio.picture, 150, 40)));
    studioClose(&studio);
}

static void rectangleCoversExactly(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 200, 100);
    // two triangles with a common edge cover every sample of 37 x 23 pixels once, none twice and none left out
    double a = (10 - 100) / 50.0, b = (47 - 100) / 50.0, c = (50 - 10) / 50.0, d = (50 - 33) / 50.0;
    double points[12] = { a, c, 0, a, d, 0, b, d, 0, b, c, 0 };
    Paint paint = { .front = red, .back = green };
    int triangles[6] = { 0, 1, 2, 0, 2, 3 };
    assert_true(stageSurface(studio.stage, points, NULL, 4, triangles, 2, NULL, &paint));
    Camera camera = frontCamera();
    drawAll(&studio, &camera);
    assert_int_equal(coveredSamples(&studio), 37 * 23 * SAMPLES);
    int seen = 0;
    for (int i = 0; i < 200 * 100; ++i)
        seen += isRed(studio.picture->rgb + 3 * i);
    assert_int_equal(seen, 37 * 23);
    studioClose(&studio);
}

static void commonEdgesBelongToOne(void **state)
{
    (void)state;
    // a square whose diagonal runs through the first sample of 40 pixels: each of them belongs to one half
    double low = 10.25, high = 50.25, square[4][2] = { { low, 10 }, { low, 50 }, { high, 50 }, { high, 10 } };
    int halves[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } }, sum = 0;
    for (int half = 0; half < 2; ++half)
    {
        Studio studio;
        studioOpen(&studio, 100, 100);
        double points[9];
        for (int k = 0; k < 3; ++k)
        {
            points[3 * k] = (square[halves[half][k]][0] - 50) / 50;
            points[3 * k + 1] = (50 - square[halves[half][k]][1]) / 50;
            points[3 * k + 2] = 0;
        }
        addTriangle(&studio, points, red, green);
        Camera camera = frontCamera();
        drawAll(&studio, &camera);
        sum += coveredSamples(&studio);
        studioClose(&studio);
    }
    assert_int_equal(sum, 40 * 40 * SAMPLES);
}

static void nearerHidesFarther(void **state)
{
    (void)state;
    double nearer[9] = { -0.3, -0.3, 0.3, 0.3, -0.3, 0.3, 0, 0.3, 0.3 };
    double farther[9] = { -0.9, -0.9, 0, 0.9, -0.9, 0, 0, 0.9, 0 };
    for (int order = 0; order < 2; ++order)
    {
        Studio studio;
        studioOpen(&studio, 100, 100);
        addTriangle(&studio, order == 0 ? nearer : farther, order == 0 ? red : green, red);
        addTriangle(&studio, order == 0 ? farther : nearer, order == 0 ? green : red, red);
        Camera camera = frontCamera();
        drawAll(&studio, &camera);
        assert_true(isRed(pixelAt(studio.picture, 50, 50)));
        assert_true(isGreen(pixelAt(studio.picture, 50, 90)));
        studioClose(&studio);
    }
}

static void crossingTrianglesCutEachOther(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 100);
    // red leans towards the eye on the left, green on the right; they meet at x = 0
    double left[9] = { -0.5, -0.5, 0.2, 0.5, -0.5, -0.2, 0, 0.6, 0 };
    double right[9] = { -0.5, -0.5, -0.2, 0.5, -0.5, 0.2, 0, 0.6, 0 };
    addTriangle(&studio, left, red, red);
    addTriangle(&studio, right, green, green);
    Camera camera = frontCamera();
    drawAll(&studio, &camera);
    assert_true(isRed(pixelAt(studio.picture, 44, 60)));
    assert_true(isGreen(pixelAt(studio.picture, 56, 60)));
    studioClose(&studio);
}

static void sidesHaveTheirColours(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 100);
    double points[9] = { -0.8, -0.8, 0, 0.8, -0.8, 0, 0, 0.8, 0 }; // counter-clockwise from +z
    addTriangle(&studio, points, red, green);
    Camera camera = frontCamera();
    drawAll(&studio, &camera);
    assert_true(isRed(pixelAt(studio.picture, 50, 60)));
    camera.eye.z = -1;
    drawAll(&studio, &camera);
    assert_true(isGreen(pixelAt(studio.picture, 50, 60)));
    studioClose(&studio);
}

static void nearPlaneCuts(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 100);
    // a floor from far ahead to far behind the eye, half a metre below it: everything below the horizon, nothing above
    double points[9] = { -1000, -0.5, -1000, 1000, -0.5, -1000, 0, -0.5, 1000 };
    addTriangle(&studio, points, green, red); // seen from above it shows its back: clockwise
    Camera camera = frontCamera();
    drawAll(&studio, &camera);
    for (int x = 5; x < 100; x += 15)
    {
        assert_true(isRed(pixelAt(studio.picture, x, 60)) || isGreen(pixelAt(studio.picture, x, 60)));
        assert_true(isRed(pixelAt(studio.picture, x, 99)) || isGreen(pixelAt(studio.picture, x, 99)));
        assert_false(isRed(pixelAt(studio.picture, x, 45)) || isGreen(pixelAt(studio.picture, x, 45)));
    }
    // all of it behind the eye: nothing
    stageClear(studio.stage);
    double behind[9] = { -1, -1, 2, 1, -1, 2, 0, 1, 2 };
    addTriangle(&studio, behind, red, red);
    drawAll(&studio, &camera);
    assert_int_equal(coveredSamples(&studio), 0);
    studioClose(&studio);
}

static void shadowLiesWhereTheLightSays(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 320, 200);
    Paint paint = paintSolid(colourOfSeries(0));
    Vec3 centre = vec3(0, 1, 0);
    assert_true(stageSphere(studio.stage, centre, 0.25, &paint));
    stageGround(studio.stage, 0);
    Camera camera = { .eye = { 0, 2.5, 5 }, .target = { 0, 0.5, 0 }, .fieldOfView = 40 };
    drawAll(&studio, &camera);
    // down the light from the centre to the ground
    Vec3 light = vec3((double)studio.stage->light.x, (double)studio.stage->light.y, (double)studio.stage->light.z);
    CHECK_NEAR(vecLength(light), 1, 1e-6);
    Vec3 spot = vecSub(centre, vecScale(centre.y / light.y, light)), mirrored = vec3(-spot.x, 0, spot.z);
    Rect all = { 0, 0, 320, 200 };
    double x, y, mx, my;
    assert_true(cameraProject(&camera, all, spot, &x, &y));
    assert_true(cameraProject(&camera, all, mirrored, &mx, &my));
    // the other side of the picture is as bright as ground is
    int dark = brightness(studio.picture, (int)x, (int)y), lit = brightness(studio.picture, (int)mx, (int)my);
    CHECK_BELOW(dark, 0.8 * lit);
    studioClose(&studio);
}

static void shadowFallsOnBodies(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 200, 200);
    // a sheet, and a smaller one above it towards the light
    double big[12] = { -1, 0, -1, -1, 0, 1, 1, 0, 1, 1, 0, -1 };
    int triangles[6] = { 0, 1, 2, 0, 2, 3 };
    Paint paint = { .front = { 0.5f, 0.5f, 0.5f }, .back = { 0.5f, 0.5f, 0.5f } };
    assert_true(stageSurface(studio.stage, big, NULL, 4, triangles, 2, NULL, &paint));
    Camera camera = { .eye = { 0, 3, 3 }, .target = { 0, 0, 0 }, .fieldOfView = 40 };
    drawAll(&studio, &camera);
    int before = brightness(studio.picture, 100, 100);
    Vec3f light = studio.stage->light;
    double small[12];
    for (int i = 0; i < 4; ++i)
    {
        small[3 * i] = 0.15 * big[3 * i] + 0.8 * (double)light.x;
        small[3 * i + 1] = 0.8 * (double)light.y;
        small[3 * i + 2] = 0.15 * big[3 * i + 2] + 0.8 * (double)light.z;
    }
    // a piece of something without an end throws none
    Paint piece = paint;
    piece.shadowless = true;
    assert_true(stageSurface(studio.stage, small, NULL, 4, triangles, 2, NULL, &piece));
    drawAll(&studio, &camera);
    CHECK_NEAR(brightness(studio.picture, 100, 100), before, 1);
    assert_true(stageSurface(studio.stage, small, NULL, 4, triangles, 2, NULL, &paint));
    drawAll(&studio, &camera);
    CHECK_BELOW(brightness(studio.picture, 100, 100), 0.9 * before);
    studioClose(&studio);
}

static void groundHidesWhatIsBelow(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 100);
    Paint paint = paintSolid(red);
    assert_true(stageSphere(studio.stage, vec3(0, -1, 0), 0.5, &paint));
    Camera camera = { .eye = { 0, 2, 4 }, .target = { 0, -1, 0 }, .fieldOfView = 40 };
    drawAll(&studio, &camera);
    assert_true(isRed(pixelAt(studio.picture, 50, 50)));
    stageGround(studio.stage, 0);
    drawAll(&studio, &camera);
    assert_false(isRed(pixelAt(studio.picture, 50, 50)));
    studioClose(&studio);
}

static void roundThingsAreRound(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 400, 400);
    Camera camera = { .eye = { 0, 0, 10 }, .target = { 0, 0, 0 }, .fieldOfView = 20 };
    Paint paint = paintSolid(red);
    double focal = 200 / tan(10 * PI / 180), radius = 1;
    assert_true(stageSphere(studio.stage, vec3(0, 0, 0), radius, &paint));
    drawAll(&studio, &camera);
    // the outline of a sphere: radius r / sqrt(d^2 - r^2). A polyhedron of 12 x 8 faces lies inside it
    double outline = focal * radius / sqrt(100 - radius * radius), disc = PI * outline * outline;
    double covered = coveredSamples(&studio) / (double)SAMPLES;
    CHECK_BELOW(covered, 1.001 * disc);
    CHECK_BELOW(0.92 * disc, covered);
    // a tube: a rectangle and two half discs
    stageClear(studio.stage);
    double ends[6] = { -1, 0, 0, 1, 0, 0 };
    int edge[2] = { 0, 1 };
    assert_true(stageTubes(studio.stage, ends, edge, 1, 0.1, NULL, &paint));
    drawAll(&studio, &camera);
    double pixel = focal / 10, expected = (2 * 0.2 + PI * 0.01) * pixel * pixel;
    CHECK_CLOSE(coveredSamples(&studio) / (double)SAMPLES, expected, 0.06);
    studioClose(&studio);
}

static void sharpEdgesStaySharp(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 64, 64);
    // a roof with an edge of 90 degrees, and the same with a flat rest shape
    double roof[12] = { -1, 0, 0, 0, 1, -1, 0, 1, 1, 1, 0, 0 };
    double flat[12] = { -1, 0, 0, 0, 0, -1, 0, 0, 1, 1, 0, 0 };
    int triangles[6] = { 0, 2, 1, 1, 2, 3 };
    Paint paint = paintSolid(red);
    assert_true(stageSurface(studio.stage, roof, roof, 4, triangles, 2, NULL, &paint));
    const Corner *sharp = &studio.stage->triangles[0].corner[1];
    assert_true(sharp->normal[0] < 0 && fabsf(sharp->normal[0]) > 0.5f * sharp->normal[1]);
    stageClear(studio.stage);
    assert_true(stageSurface(studio.stage, roof, flat, 4, triangles, 2, NULL, &paint));
    CHECK_NEAR((double)studio.stage->triangles[0].corner[1].normal[0], 0, 1e-6);
    studioClose(&studio);
}

static void sameInputSamePicture(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i)
    {
        Studio studio;
        studioOpen(&studio, 160, 90);
        Paint paint = paintSolid(colourOfSeries(2));
        stageGround(studio.stage, 0);
        assert_true(stageSphere(studio.stage, vec3(0, 0.5, 0), 0.5, &paint));
        Camera camera = cameraFrame(&(vvBox){ { -1, 0, -1 }, { 1, 1, 1 } }, 16.0 / 9, 35);
        for (int k = 0; k <= i; ++k) // the second time on a used stage
            drawAll(&studio, &camera);
        hash[i] = hashBytes(HASH_SEED, studio.picture->rgb, 160 * 90 * 3);
        studioClose(&studio);
    }
    assert_true(hash[0] == hash[1]);
}

static void hostileNumbersLeaveAPicture(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 80, 60);
    const double bad[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-308, 0, 1e30, 1e6, 1 };
    const int badCount = sizeof bad / sizeof bad[0];
    TestRandom random = { 7 };
    Paint paint = paintSolid(red);
    paint.wire = 0.5f;
    int triangles[6] = { 0, 1, 2, 1, 2, 3 }, edges[4] = { 0, 1, 2, 2 };
    for (int round = 0; round < 60; ++round)
    {
        double points[12], field[4];
        for (int i = 0; i < 12; ++i)
            points[i] =
                randomUnit(&random) < 0.3 ? bad[(int)(randomUnit(&random) * badCount)] : randomBetween(&random, -2, 2);
        for (int i = 0; i < 4; ++i)
            field[i] = bad[(int)(randomUnit(&random) * badCount)];
        paint.field = round % 2 == 0;
        stageClear(studio.stage);
        stageGround(studio.stage, round % 3 == 0 ? bad[round % badCount] : -1);
        assert_true(stageSurface(studio.stage, points, points, 4, triangles, 2, field, &paint));
        assert_true(
            stageTubes(studio.stage, points, edges, 2, round % 5 == 0 ? bad[round % badCount] : 0.1, field, &paint));
        assert_true(stageSphere(studio.stage, vecLoad(points), 0.2, &paint));
        Camera camera = { .eye = { 0.3, 0.2, 1 }, .target = { 0, 0, 0 }, .fieldOfView = round % 2 ? 150 : 1 };
        drawAll(&studio, &camera);
    }
    studioClose(&studio);
}

static void hugeAndTinyScenesLookAlike(void **state)
{
    (void)state;
    int bright[3];
    const double size[3] = { 1e-12, 1, 1e12 };
    for (int i = 0; i < 3; ++i)
    {
        Studio studio;
        studioOpen(&studio, 100, 100);
        double s = size[i];
        Camera camera = cameraFrame(&(vvBox){ { -s, -s, -s }, { s, s, s } }, 1, 35);
        Paint paint = paintSolid(red);
        assert_true(stageSphere(studio.stage, vec3(0, 0, 0), s, &paint));
        drawAll(&studio, &camera);
        assert_true(isRed(pixelAt(studio.picture, 50, 50)));
        bright[i] = brightness(studio.picture, 50, 50);
        studioClose(&studio);
    }
    CHECK_NEAR(bright[0], bright[1], 2);
    CHECK_NEAR(bright[2], bright[1], 2);
}

static void badRequestsAreRefused(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 80, 60);
    vvResult result;
    assert_null(pictureCreate(&studio.memory, 0, 10, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_null(pictureCreate(&studio.memory, 10, MOST_PIXELS + 1, &result));
    assert_null(pictureCreate(&studio.memory, MOST_PIXELS, MOST_PIXELS, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    Camera camera = frontCamera();
    const Rect bad[] = { { 0, 0, 0, 10 }, { 0, 0, 10, -1 }, { -1, 0, 10, 10 }, { 75, 0, 10, 10 }, { 0, 60, 1, 1 } };
    for (int i = 0; i < 5; ++i)
        assert_int_equal(stageDraw(studio.stage, &camera, studio.picture, bad[i]).code, VV_BAD_INPUT);
    Rect all = { 0, 0, 80, 60 };
    camera.target = camera.eye;
    assert_int_equal(stageDraw(studio.stage, &camera, studio.picture, all).code, VV_BAD_INPUT);
    camera = frontCamera();
    camera.eye.x = NAN;
    assert_int_equal(stageDraw(studio.stage, &camera, studio.picture, all).code, VV_BAD_INPUT);
    // straight down is a direction too
    camera = (Camera){ .eye = { 0, 3, 0 }, .target = { 0, 0, 0 }, .fieldOfView = 40 };
    assert_int_equal(stageDraw(studio.stage, &camera, studio.picture, all).code, VV_OK);
    studioClose(&studio);
}

static void camerasSeeTheWholeBox(void **state)
{
    (void)state;
    const vvBox boxes[] = { { { -1, 0, -1 }, { 1, 2, 1 } },
                            { { -10, 0, 0 }, { 10, 0.1, 0.1 } },
                            { { 5, 5, 5 }, { 5, 5, 5 } },
                            { { 1e9, 0, 0 }, { 1e9 + 1, 1, 1 } },
                            { { 0, -40, 0 }, { 0.1, 40, 0 } } };
    for (int i = 0; i < 5; ++i)
    {
        for (int wide = 0; wide < 2; ++wide)
        {
            Rect rect = { 0, 0, wide ? 300 : 50, 100 };
            Camera camera = cameraFrame(&boxes[i], rect.width / 100.0, 35);
            assert_true(cameraGood(&camera));
            for (int c = 0; c < 8; ++c)
            {
                Vec3 corner =
                    vec3(c & 1 ? boxes[i].upper.x : boxes[i].lower.x, c & 2 ? boxes[i].upper.y : boxes[i].lower.y,
                         c & 4 ? boxes[i].upper.z : boxes[i].lower.z);
                double x, y;
                assert_true(cameraProject(&camera, rect, corner, &x, &y));
                assert_true(x >= 0 && x <= rect.width && y >= 0 && y <= rect.height);
            }
        }
    }
    const vvBox odd[] = { { { NAN, 0, 0 }, { 1, 1, 1 } },
                          { { 1, 1, 1 }, { -1, -1, -1 } },
                          { { -1e308, -1e308, 0 }, { 1e308, 1e308, INFINITY } } };
    for (int i = 0; i < 3; ++i)
    {
        Camera camera = cameraFrame(&odd[i], 1.5, 35);
        assert_true(cameraGood(&camera));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangleCoversItsArea),
        cmocka_unit_test(rectangleCoversExactly),
        cmocka_unit_test(commonEdgesBelongToOne),
        cmocka_unit_test(nearerHidesFarther),
        cmocka_unit_test(crossingTrianglesCutEachOther),
        cmocka_unit_test(sidesHaveTheirColours),
        cmocka_unit_test(nearPlaneCuts),
        cmocka_unit_test(shadowLiesWhereTheLightSays),
        cmocka_unit_test(shadowFallsOnBodies),
        cmocka_unit_test(groundHidesWhatIsBelow),
        cmocka_unit_test(roundThingsAreRound),
        cmocka_unit_test(sharpEdgesStaySharp),
        cmocka_unit_test(sameInputSamePicture),
        cmocka_unit_test(hostileNumbersLeaveAPicture),
        cmocka_unit_test(hugeAndTinyScenesLookAlike),
        cmocka_unit_test(badRequestsAreRefused),
        cmocka_unit_test(camerasSeeTheWholeBox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
