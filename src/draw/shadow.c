// Shadows: a depth map from the key light for bodies, the same map blurred in levels for the ground (softer the farther
// away the caster is), and a view from above for the darkening where things touch the ground.
#include "draw/stage.h"

#define SUN_SIZE 0.16f // tangent of the half angle of the key light: how quickly shadows get soft

static const int levelRadius[GROUND_LEVELS] = { 1, 1, 3, 6 };               // box blurs, each on top of the last
static const float levelWidth[GROUND_LEVELS] = { 1.5f, 2.5f, 5.5f, 11.0f }; // texels of half shade that comes to

static bool allocate(Memory *memory, Shadow *shadow)
{
    size_t map = (size_t)MAP_SIZE * MAP_SIZE, ground = (size_t)GROUND_SIZE * GROUND_SIZE;
    size_t contact = (size_t)CONTACT_SIZE * CONTACT_SIZE;
    struct
    {
        float **block;
        size_t count;
    } blocks[] = { { &shadow->light.depth, map },    { &shadow->above.depth, contact },
                   { &shadow->work, ground },        { &shadow->distance, ground },
                   { &shadow->contact, contact },    { &shadow->softness[0], ground },
                   { &shadow->softness[1], ground }, { &shadow->softness[2], ground },
                   { &shadow->softness[3], ground } };
    bool good = true;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
    {
        if (*blocks[i].block == NULL)
            *blocks[i].block = ALLOCATE(memory, float, blocks[i].count);
        good = good && *blocks[i].block != NULL;
    }
    return good;
}

void shadowRelease(Memory *memory, Shadow *shadow)
{
    memoryRelease(memory, shadow->light.depth);
    memoryRelease(memory, shadow->above.depth);
    memoryRelease(memory, shadow->work);
    memoryRelease(memory, shadow->distance);
    memoryRelease(memory, shadow->contact);
    for (int i = 0; i < GROUND_LEVELS; ++i)
        memoryRelease(memory, shadow->softness[i]);
}

// distance of the ground along the light at a place of the map
static double groundDepth(const DepthMap *map, double ground, double u, double v)
{
    return (ground - u * map->axisU.y - v * map->axisV.y) / map->axisD.y;
}

// cover and distance in texels of the ground's own size, from the map at twice the size
static void gatherCover(Shadow *shadow, double ground)
{
    const DepthMap *map = &shadow->light;
    int ratio = MAP_SIZE / GROUND_SIZE;
    float share = 1 / (float)(ratio * ratio);
    for (int v = 0; v < GROUND_SIZE; ++v)
    {
        for (int u = 0; u < GROUND_SIZE; ++u)
        {
            double centreU = map->lowU + (u + 0.5) * ratio * map->texel;
            double centreV = map->lowV + (v + 0.5) * ratio * map->texel;
            float floorDepth = (float)groundDepth(map, ground, centreU, centreV), cover = 0, distance = 0;
            for (int k = 0; k < ratio * ratio; ++k)
            {
                float depth = map->depth[(v * ratio + k / ratio) * MAP_SIZE + u * ratio + k % ratio];
                if (depth > floorDepth)
                {
                    cover += share;
                    distance += share * (depth - floorDepth);
                }
            }
            shadow->softness[0][v * GROUND_SIZE + u] = cover;
            shadow->distance[v * GROUND_SIZE + u] = distance;
        }
    }
}

static void softenCover(Shadow *shadow)
{
    size_t texels = (size_t)GROUND_SIZE * GROUND_SIZE;
    for (int level = 0; level < GROUND_LEVELS; ++level)
    {
        for (size_t i = 0; level > 0 && i < texels; ++i)
            shadow->softness[level][i] = shadow->softness[level - 1][i];
        blurMap(shadow->softness[level], shadow->work, GROUND_SIZE, levelRadius[level]);
        if (level < 3)
            blurMap(shadow->distance, shadow->work, GROUND_SIZE, levelRadius[level]);
    }
}

static void gatherContact(Shadow *shadow, double ground)
{
    const DepthMap *map = &shadow->above;
    float reach = 6 * (float)map->texel;
    for (int i = 0; i < CONTACT_SIZE * CONTACT_SIZE; ++i)
    {
        float height = -map->depth[i] - (float)ground, ratio = height > 0 ? height / reach : 0;
        shadow->contact[i] = map->depth[i] == NOTHING_THERE ? 0 : 1 / (1 + ratio * ratio);
    }
    blurMap(shadow->contact, shadow->work, CONTACT_SIZE, 3);
}

bool shadowPrepare(Stage *stage)
{
    Shadow *shadow = &stage->shadow;
    if (!allocate(stage->memory, shadow))
        return false;
    // the light comes from the left, above and behind the eye's shoulder, whatever way the camera looks
    const View *view = &stage->view;
    Vec3 ahead = vecCross(vec3(0, 1, 0), view->right);
    Vec3 light = vecAdd(vecAdd(vecScale(-0.62, view->right), vec3(0, 1.05, 0)), vecScale(-0.45, ahead));
    light = vecScale(1 / vecLength(light), light);
    Vec3 side = vecCross(vec3(0, 1, 0), light);
    side = vecScale(1 / vecLength(side), side);
    stage->light = (Vec3f){ (float)light.x, (float)light.y, (float)light.z };

    shadow->light.size = MAP_SIZE;
    shadow->light.axisU = side;
    shadow->light.axisV = vecCross(light, side);
    shadow->light.axisD = light;
    shadow->above.size = CONTACT_SIZE;
    shadow->above.axisU = vec3(1, 0, 0);
    shadow->above.axisV = vec3(0, 0, 1);
    shadow->above.axisD = vec3(0, -1, 0);
    shadow->empty = !depthMapFit(&shadow->light, stage, 0.1) || !depthMapFit(&shadow->above, stage, 0.2);
    if (shadow->empty)
        return true;
    depthMapDraw(&shadow->light, stage);
    if (!stage->hasGround)
        return true;
    depthMapDraw(&shadow->above, stage);
    gatherCover(shadow, (double)stage->ground);
    softenCover(shadow);
    gatherContact(shadow, (double)stage->ground);
    return true;
}

// 3 x 3 comparisons, smoothed: the weights follow the place within a texel (Bunnell and Pellacini 2004)
float shadowOnBody(const Stage *stage, Vec3f point, Vec3f normal)
{
    const DepthMap *map = &stage->shadow.light;
    if (stage->shadow.empty)
        return 1;
    double offset = 2.5 * map->texel;
    Vec3 p = vec3((double)point.x + offset * (double)normal.x, (double)point.y + offset * (double)normal.y,
                  (double)point.z + offset * (double)normal.z);
    float u = (float)((vecDot(p, map->axisU) - map->lowU) / map->texel - 0.5);
    float v = (float)((vecDot(p, map->axisV) - map->lowV) / map->texel - 0.5);
    float depth = (float)(vecDot(p, map->axisD) + 1.5 * map->texel);
    if (!(u > 2 && v > 2 && u < MAP_SIZE - 3 && v < MAP_SIZE - 3))
        return 1;
    int left = (int)u - 1, top = (int)v - 1;
    float fu = u - (float)(left + 1), fv = v - (float)(top + 1);
    float weightU[4] = { 1 - fu, 1, 1, fu }, weightV[4] = { 1 - fv, 1, 1, fv }, lit = 0;
    for (int j = 0; j < 4; ++j)
    {
        const float *row = map->depth + (size_t)(top + j) * MAP_SIZE + left;
        for (int i = 0; i < 4; ++i)
            lit += row[i] <= depth ? weightU[i] * weightV[j] : 0;
    }
    return lit * (1.0f / 9);
}

static float lookUp(const float *map, int size, float u, float v)
{
    if (!(u >= 0 && v >= 0 && u < (float)(size - 1) && v < (float)(size - 1)))
        return 0;
    int left = (int)u, top = (int)v;
    float fu = u - (float)left, fv = v - (float)top;
    const float *a = map + (size_t)top * (size_t)size + left, *b = a + size;
    return (1 - fv) * (a[0] + fu * (a[1] - a[0])) + fv * (b[0] + fu * (b[1] - b[0]));
}

void shadowOnGround(const Shadow *shadow, Vec3 point, float *key, float *sky)
{
    *key = 1;
    *sky = 1;
    if (shadow->empty)
        return;
    const DepthMap *light = &shadow->light, *above = &shadow->above;
    double texel = light->texel * (MAP_SIZE / GROUND_SIZE);
    float u = (float)((vecDot(point, light->axisU) - light->lowU) / texel - 0.5);
    float v = (float)((vecDot(point, light->axisV) - light->lowV) / texel - 0.5);
    float widest = lookUp(shadow->softness[GROUND_LEVELS - 1], GROUND_SIZE, u, v);
    if (widest > 1e-4f)
    {
        // half shade as wide as the sun looks from the mean distance of what covers it
        float cover = lookUp(shadow->softness[2], GROUND_SIZE, u, v);
        float distance = cover > 1e-4f ? lookUp(shadow->distance, GROUND_SIZE, u, v) / cover : 1;
        float width = distance * SUN_SIZE / (float)texel;
        int level = 0;
        while (level < GROUND_LEVELS - 2 && width > levelWidth[level + 1])
            ++level;
        float share = (width - levelWidth[level]) / (levelWidth[level + 1] - levelWidth[level]);
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        float sharp = lookUp(shadow->softness[level], GROUND_SIZE, u, v);
        float soft = lookUp(shadow->softness[level + 1], GROUND_SIZE, u, v);
        *key = 1 - (sharp + share * (soft - sharp));
    }
    float x = (float)((point.x - above->lowU) / above->texel - 0.5);
    float z = (float)((point.z - above->lowV) / above->texel - 0.5);
    *sky = 1 - 0.75f * lookUp(shadow->contact, CONTACT_SIZE, x, z);
}
