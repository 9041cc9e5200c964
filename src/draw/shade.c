// Light on surfaces: a warm key light, a sky above and a ground below, a shine, and the tone curve into a sample.
#include "draw/stage.h"

static const Colour keyLight = { 1.62f, 1.52f, 1.36f };
static const Colour skyLight = { 0.52f, 0.59f, 0.70f };
static const Colour groundLight = { 0.40f, 0.37f, 0.34f };

static float dot(Vec3f a, Vec3f b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec3f normalise(Vec3f a, Vec3f otherwise)
{
    float square = dot(a, a);
    if (!(square > 1e-20f))
        return otherwise;
    float scale = 1 / sqrtf(square);
    return (Vec3f){ scale * a.x, scale * a.y, scale * a.z };
}

// straight up to 0.75, then a shoulder that never reaches 1
static uint32_t rootOf(float c)
{
    float x = c > 0 ? c : 0;
    if (x > 0.75f)
        x = 0.75f + (x - 0.75f) / (1 + 4 * (x - 0.75f));
    return (uint32_t)(sqrtf(x) * (ROOT_LEVELS - 1) + 0.5f);
}

uint32_t packColour(Colour colour)
{
    return rootOf(colour.r) << 20 | rootOf(colour.g) << 10 | rootOf(colour.b);
}

static Colour albedoOf(const Stage *stage, const Paint *paint, const Fragment *fragment)
{
    if (!paint->field)
        return fragment->front ? paint->front : paint->back;
    if (isnan(fragment->field))
        return colourOfField(NAN);
    float at = 255 * fragment->field + 0.5f;
    return stage->map[at <= 0 ? 0 : at >= 255 ? 255 : (int)at];
}

// share of the key light that leaves towards the eye, shadow included
static float keyShare(const Stage *stage, const Paint *paint, const Fragment *fragment, Vec3f normal)
{
    float facing = dot(normal, stage->light);
    if (facing <= 0 && !paint->thin)
        return 0;
    float side = facing < 0 ? -1.0f : 1.0f;
    Vec3f towards = { side * normal.x, side * normal.y, side * normal.z };
    float lit = shadowOnBody(stage, fragment->point, towards);
    return lit * (facing < 0 ? -0.4f * facing : facing);
}

uint32_t shadeFragment(const Stage *stage, const Paint *paint, const Fragment *fragment)
{
    Vec3f toEye = normalise((Vec3f){ -fragment->point.x, -fragment->point.y, -fragment->point.z }, (Vec3f){ 0, 0, 1 });
    Vec3f normal = normalise(fragment->normal, toEye);
    if (!fragment->front)
        normal = (Vec3f){ -normal.x, -normal.y, -normal.z };
    Colour albedo = albedoOf(stage, paint, fragment);
    float key = 0.62f * keyShare(stage, paint, fragment, normal);

    // sky above, ground below, darker close to the ground
    float up = 0.5f + 0.5f * normal.y, ambient = 1;
    if (stage->hasGround)
    {
        float height = 9 * (fragment->point.y - stage->ground);
        float closed = height < 0 ? 1 : 1 / (1 + height * height);
        ambient = 1 - 0.55f * closed * (1 - up);
    }
    // a field is to be read: flatter light, and no warmth that shifts its colours
    Colour warm = keyLight;
    if (paint->field)
    {
        ambient *= 1.45f;
        warm = (Colour){ 0.9f, 0.9f, 0.9f };
    }
    // shine: Blinn 1977 with exponent 32, and Schlick's rise towards grazing view
    Vec3f half =
        normalise((Vec3f){ toEye.x + stage->light.x, toEye.y + stage->light.y, toEye.z + stage->light.z }, toEye);
    float shine = dot(normal, half), facing = dot(normal, toEye), graze = 1 - (facing > 0 ? facing : 0);
    shine = shine > 0 && key > 0 ? shine * shine : 0;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    graze *= graze;
    graze *= graze;
    float gloss = paint->gloss * (0.45f * shine * (key > 0 ? 1 : 0) + 0.22f * graze * up);
    float wire = 1;
    if (paint->wire > 0 && fragment->edge < 1)
        wire = 1 - paint->wire * fragment->wire * (fragment->edge > 0 ? 1 - fragment->edge : 1);
    Colour out = {
        albedo.r * wire * (ambient * (groundLight.r + up * (skyLight.r - groundLight.r)) + warm.r * key) + gloss,
        albedo.g * wire * (ambient * (groundLight.g + up * (skyLight.g - groundLight.g)) + warm.g * key) + gloss,
        albedo.b * wire * (ambient * (groundLight.b + up * (skyLight.b - groundLight.b)) + warm.b * key) + gloss,
    };
    return packColour(out);
}
