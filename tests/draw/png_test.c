// PNG files read back without libpng: every pixel, every checksum.
#include "image.h"
#include "pixels.h"

#include <stdlib.h>

// writes the picture, reads it back and compares; returns the size of the file
static int roundTrip(const Picture *picture)
{
    FILE *file = tmpfile();
    size_t size;
    assert_non_null(file);
    assert_int_equal(pngReady().code, VV_OK);
    assert_int_equal(pngWrite(picture, file).code, VV_OK);
    Image image = imageLoad(file, &size);
    fclose(file);
    assert_true(image.width == picture->width && image.height == picture->height);
    assert_memory_equal(image.rgb, picture->rgb, 3 * (size_t)image.width * (size_t)image.height);
    imageFree(&image);
    return (int)size;
}

static void picturesComeBack(void **state)
{
    (void)state;
    const int sides[][2] = { { 1, 1 }, { 1, 97 }, { 97, 1 }, { 64, 64 }, { 257, 131 } };
    TestRandom random = { 3 };
    for (int s = 0; s < 5; ++s)
    {
        Studio studio;
        studioOpen(&studio, sides[s][0], sides[s][1]);
        int bytes = 3 * sides[s][0] * sides[s][1];
        for (int kind = 0; kind < 4; ++kind)
        {
            // flat, slope, noise, noise of two values
            for (int i = 0; i < bytes; ++i)
                studio.picture->rgb[i] = (uint8_t)(kind == 0   ? 77
                                                   : kind == 1 ? i / 7
                                                   : kind == 2 ? (int)(256 * randomUnit(&random))
                                                               : 255 * (int)(2 * randomUnit(&random)));
            roundTrip(studio.picture);
        }
        studioClose(&studio);
    }
}

static void smoothPicturesAreSmall(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 320, 200);
    Paint paint = paintSolid(colourOfSeries(0));
    stageGround(studio.stage, 0);
    assert_true(stageSphere(studio.stage, vec3(0, 0.5, 0), 0.5, &paint));
    Camera camera = cameraFrame(&(vvBox){ { -1, 0, -1 }, { 1, 1, 1 } }, 1.6, 35);
    drawAll(&studio, &camera);
    CHECK_BELOW(roundTrip(studio.picture), 320 * 200 * 3 / 6);
    // one colour: a few bits for every 258 bytes
    pictureFill(studio.picture, (Rect){ 0, 0, 320, 200 }, colourHex(0x336699), 1);
    CHECK_BELOW(roundTrip(studio.picture), 900);
    studioClose(&studio);
}

static void failuresAreSaid(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 300, 300);
    FILE *full = fopen("/dev/full", "wb");
    if (full != NULL)
    {
        setvbuf(full, NULL, _IONBF, 0);
        vvResult result = pngWrite(studio.picture, full);
        assert_int_equal(result.code, VV_INPUT_OUTPUT);
        assert_non_null(strstr(result.message, "could not be written"));
        fclose(full);
    }
    studioClose(&studio);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picturesComeBack),
        cmocka_unit_test(smoothPicturesAreSmall),
        cmocka_unit_test(failuresAreSaid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
