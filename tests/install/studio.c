// A shipped scene, a few frames, a picture: libverve-studio as a user has it.
#include <verve/studio.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int give(const char *what, const vvResult *result)
{
    fprintf(stderr, "%s: %s; %s\n", what, result->message, result->remedy);
    return 1;
}

int main(int count, char **words)
{
    vvResult result;
    vvSceneDef def = vvDefaultSceneDef();
    def.file = count > 1 ? words[1] : "crate-on-jelly";
    vvScene *scene = vvCreateScene(&def, &result);
    vvSceneWorld *built = scene ? vvCreateSceneWorld(scene, NULL, &result) : NULL;
    vvDestroyScene(scene); // the world keeps what it needs
    if (built == NULL)
        return give("no scene", &result);
    vvWorldId world = vvSceneWorld_GetWorld(built);
    for (int i = 0; i < 3; ++i)
    {
        result = vvSceneWorld_Step(built);
        if (result.code != VV_OK)
            return give("no step", &result);
    }
    vvPictureDef picture = vvDefaultPictureDef();
    size_t size = 4 * (size_t)picture.width * (size_t)picture.height, bytes = 0;
    uint8_t *rgba = malloc(size);
    result = vvWorld_Paint(world, &picture, rgba, size);
    if (result.code != VV_OK)
        return give("no picture", &result);
    uint64_t sum = 0;
    for (size_t i = 0; i < size; ++i)
        sum = 31 * sum + rgba[i];
    uint8_t *png = vvCreatePng(rgba, picture.width, picture.height, &bytes, &result);
    if (png == NULL || bytes < 100 || memcmp(png + 1, "PNG", 3) != 0)
        return give("no PNG", &result);
    printf("studio hash %016" PRIx64 " pixels %016" PRIx64 "\n", vvWorld_GetHash(world), sum);
    vvDestroyPng(png);
    free(rgba);
    vvDestroySceneWorld(built);
    return vvWorld_IsValid(world) ? 1 : 0;
}
