// Every allocation of a drawing fails once: an error each time, nothing lost.
#include "pixels.h"
#include "refuse.h"

#include <stdlib.h>

// draws, writes both kinds of file; false: out of memory somewhere
static bool drawEverything(Memory *memory)
{
    vvResult result = resultOk();
    Picture *picture = pictureCreate(memory, 24, 16, &result);
    Stage *stage = stageCreate(memory);
    Gif *gif = gifCreate(memory, 24, 16);
    FILE *file = tmpfile();
    Paint paint = paintSolid(colourOfSeries(0));
    double points[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    int triangle[3] = { 0, 1, 2 };
    Camera camera = cameraFrame(&(vvBox){ { 0, 0, 0 }, { 1, 1, 1 } }, 1.5, 35);
    bool good = picture != NULL && stage != NULL && gif != NULL;
    if (good)
        stageGround(stage, -1);
    good = good && stageSurface(stage, points, NULL, 3, triangle, 1, NULL, &paint);
    good = good && stageSphere(stage, vec3(0, 0, 0), 0.5, &paint);
    good = good && stageDraw(stage, &camera, picture, (Rect){ 0, 0, 24, 16 }).code == VV_OK;
    good = good && pngWrite(picture, file).code == VV_OK;
    good = good && gifStart(gif, file, 0.04).code == VV_OK && gifFrame(gif, picture).code == VV_OK;
    fclose(file);
    gifDestroy(gif);
    stageDestroy(stage);
    pictureDestroy(picture);
    return good;
}

static void everyAllocationMayFail(void **state)
{
    (void)state;
    int granted = 0;
    for (bool good = false; !good; ++granted)
    {
        int left = granted;
        vvAllocator hook = { refuseAfter, giveBack, &left };
        Memory memory = memoryMake(&hook);
        good = drawEverything(&memory);
        assert_int_equal(memory.blocks, 0);
        assert_true(granted < 200);
    }
    assert_true(granted > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everyAllocationMayFail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
