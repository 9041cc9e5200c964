// Any bytes as a point cache or an animated glTF file: refused with a reason, or points that are finite at any time.
// The first byte says which kind of file it is.
// rooms: base mesh scene
#define _XOPEN_SOURCE 700
#include "scene/built.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tryPoints(SceneWorld *built, Animation *animation)
{
    double *points = ALLOCATE(&built->memory, double, 3 * (size_t)animation->pointCount);
    for (int k = 0; k < 8 && points != NULL; ++k)
    {
        animation->loop = k % 2;
        animationAt(animation, 0.07 * k * k, points);
        for (int i = 0; i < 3 * animation->pointCount; ++i)
        {
            if (!isfinite(points[i]))
                abort();
        }
    }
    memoryRelease(&built->memory, points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = { "pc2", "mdd", "glb", "gltf" };
    char name[64];
    if (size == 0)
        return 0;
    snprintf(name, sizeof name, "/tmp/verve-fuzz-%d.%s", (int)getpid(), endings[data[0] % 4]);
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return 0;
    fwrite(data + 1, 1, size - 1, file);
    fclose(file);
    SceneWorld built = { .memory = memoryMake(NULL) };
    Animation animation = { .rate = 10 };
    vvResult result = animationLoad(&built, name, NULL, &animation);
    if (result.code == VV_OK)
        tryPoints(&built, &animation);
    else if (strlen(result.message) == 0 || strlen(result.remedy) == 0)
        abort();
    animationRelease(&built, &animation);
    if (built.memory.blocks != 0)
        abort();
    unlink(name);
    return 0;
}
