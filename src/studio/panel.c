// One panel: what is shown, drawn from a camera; captions and the scale of colours over it.
#include "studio/show.h"

#include <string.h>

#define PIN_PIXELS 2.2      // radius of the marker of a pin, at least
#define PIN_SHARE 0.012     // of the shorter side of the panel
#define PARTICLE_PIXELS 4.0 // radius of particles, at least
#define TUBE_PIXELS 1.1     // radius of ropes and springs, at least
#define ROPE_SHARE 0.007    // radius of ropes, of the size of what is seen
#define SPRING_SHARE 0.0025 // likewise of springs
#define TRAIL_SHARE 0.0015  // likewise of trails

static const unsigned inkHex = 0x2E353C;

// the radius of a marker or a tube at a point: never less than `pixels`, so that it is seen from any distance
static double radiusAt(const Camera *camera, Rect rect, Vec3 point, double radius, double pixels)
{
    return maxReal(radius, pixels * cameraPixel(camera, rect, point));
}

// markers have a size in pixels, whatever is seen
static bool addPins(const Show *show, const Camera *camera, Rect rect, Stage *stage)
{
    double pixels = maxReal(PIN_PIXELS, PIN_SHARE * minInt(rect.width, rect.height));
    Paint paint = paintSolid(colourHex(0x30363C));
    bool good = true;
    for (int i = 0; i < show->bodyCount; ++i)
    {
        const ShownBody *body = &show->body[i];
        int pins = 0;
        if (body->embedded || (body->changed && !body->numbered)) // its vertices are not seen, or not known
            continue;
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS; ++v)
            pins += vvSoftBody_IsPinned(body->id, v);
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS && good; ++v)
        {
            Vec3 point = vecLoad(body->points + 3 * (size_t)v);
            if (vvSoftBody_IsPinned(body->id, v))
                good = stageSphere(stage, point, radiusAt(camera, rect, point, 0, pixels), &paint);
        }
    }
    return good;
}

static const ShownBody *bodyOf(const Show *show, vvSoftBodyId id)
{
    for (int i = 0; i < show->bodyCount; ++i)
    {
        if (memcmp(&show->body[i].id, &id, sizeof id) == 0)
            return &show->body[i];
    }
    return NULL;
}

// where an attachment holds a body
static void endAt(const double *points, int vertex, const int *vertices, const double *weights, double *out)
{
    double sum[3] = { 0, 0, 0 };
    bool between = false;
    for (int i = 0; i < 3 * VV_ATTACHMENT_VERTICES; ++i)
    {
        if (weights[i / 3] == 0)
            continue;
        between = true;
        sum[i % 3] += weights[i / 3] * points[3 * (size_t)vertices[i / 3] + (size_t)(i % 3)];
    }
    memcpy(out, between ? sum : points + 3 * (size_t)vertex, sizeof sum);
}

// springs between bodies, from point to point
static bool addSprings(const Show *show, const Look *look, const Camera *camera, Rect rect, Stage *stage)
{
    Paint paint = paintSolid(colourHex(0x59616A));
    bool good = true;
    for (int i = 0; i < show->springCount && good; ++i)
    {
        vvAttachmentDef def = show->spring[i];
        const ShownBody *a = bodyOf(show, def.bodyA), *b = bodyOf(show, def.bodyB);
        if (a == NULL || b == NULL || a->embedded || b->embedded || (a->changed && !a->numbered) ||
            (b->changed && !b->numbered))
            continue;
        double ends[6];
        endAt(a->points, def.vertexA, def.verticesA, def.weightsA, ends);
        endAt(b->points, def.vertexB, def.verticesB, def.weightsB, ends + 3);
        good = stageTubes(stage, ends, (const int[]){ 0, 1 }, 1,
                          radiusAt(camera, rect, vecLoad(ends), SPRING_SHARE * look->size, TUBE_PIXELS), NULL, &paint);
    }
    return good;
}

static Colour colourOfBody(const Look *look, int index)
{
    return look->colourCount > 0 ? colourHex(look->colours[index % look->colourCount]) : colourOfSeries(index);
}

// balls of their diameter
static bool addParticles(const ShownBody *body, const Camera *camera, Rect rect, Stage *stage, const Paint *paint)
{
    double radius = 0.5 * vvSoftBody_GetMaterial(body->id).thickness;
    bool good = true;
    for (int v = 0; v < body->vertexCount && good && vvMesh_HasParticles(body->mesh); ++v)
    {
        Vec3 point = vecLoad(body->points + 3 * (size_t)v);
        good = stageSphere(stage, point, radiusAt(camera, rect, point, radius, PARTICLE_PIXELS), paint);
    }
    return good;
}

static bool addBody(ShownBody *body, const Look *look, const Camera *camera, Rect rect, Stage *stage, int index)
{
    bool solid = body->solid;
    Colour colour = colourOfBody(look, index);
    Paint paint = solid ? paintSolid(colour) : paintCloth(colour);
    const double *field = NULL;
    if (look->colouring != VV_COLOUR_PLAIN)
    {
        paint.field = true;
        field = body->weight;
        for (int v = 0; v < body->vertexCount; ++v)
            body->weight[v] = body->field[v] / look->fieldMost;
    }
    if (body->triangleCount == 0)
    {
        paint.thin = false;
        bool particles = vvMesh_HasParticles(body->mesh);
        double radius = (particles ? SPRING_SHARE : ROPE_SHARE) * look->size;
        Paint balls = paintSolid(colour);
        return stageTubes(stage, body->points, body->line, body->lineCount,
                          radiusAt(camera, rect, camera->target, radius, TUBE_PIXELS), field, &paint) &&
               addParticles(body, camera, rect, stage, &balls);
    }
    paint.wire = body->embedded ? 0 : solid ? 0.22f : 0.1f;
    const double *sharp = body->changed ? body->points : body->rest; // of a cut solid the rest is not recorded
    return stageSurface(stage, body->points, solid ? sharp : NULL, body->vertexCount, body->triangle,
                        body->triangleCount, field, &paint);
}

// paths of vertices, in the colour of their body
static bool addTrails(const Show *show, const Look *look, const Camera *camera, Rect rect, Stage *stage)
{
    double radius = radiusAt(camera, rect, camera->target, TRAIL_SHARE * look->size, TUBE_PIXELS);
    bool good = true;
    for (int t = 0; t < show->trailCount; ++t)
    {
        Paint paint = paintSolid(colourOfBody(look, show->trailBody[t]));
        const double *path = show->trail + 3 * (size_t)t * (size_t)show->trailPlaces;
        for (int p = 1; p < show->trailShown && good; ++p)
            good = stageTubes(stage, path, (const int[]){ p - 1, p }, 1, radius, NULL, &paint);
    }
    return good;
}

Camera lookCamera(const Look *look, const Show *show)
{
    Camera camera = look->camera;
    Vec3 shift = look->follow ? showMiddle(show) : vec3(0, 0, 0);
    camera.eye = vecAdd(camera.eye, shift);
    camera.target = vecAdd(camera.target, shift);
    return camera;
}

vvResult panelShow(const Show *show, const Look *look, Stage *stage, Picture *picture, Rect rect)
{
    Camera camera = lookCamera(look, show);
    Look here = *look;
    here.centre = look->follow ? camera.target : look->centre;
    stageClear(stage);
    stageGround(stage, collidersGround(show));
    bool good = collidersAdd(show, &here, stage) && fluidsAdd(show, &here, stage);
    for (int i = 0; i < show->bodyCount && good; ++i)
        good = addBody(&show->body[i], look, &camera, rect, stage, i);
    double thin = radiusAt(&camera, rect, camera.target, 0, TUBE_PIXELS);
    if (!good || !addSprings(show, look, &camera, rect, stage) || !ropesAdd(show, look, thin, stage) ||
        !addTrails(show, look, &camera, rect, stage) || !addPins(show, &camera, rect, stage))
        return resultOutOfMemory("what is to be drawn");
    return stageDraw(stage, &camera, picture, rect);
}

void panelCaption(Picture *picture, Rect rect, const char *left, const char *right)
{
    double size = minReal(maxReal(rect.height / 30.0, 7), 15), pad = 1.3 * size;
    // what is too long is set smaller, then left out
    double room = rect.width - 2 * pad - 2 * size, width = textWidth(size, left) + textWidth(size, right);
    double fit = width > room ? size * room / width : size;
    if (fit < 4)
        return;
    textDraw(picture, rect.x + pad, rect.y + pad + size, fit, ALIGN_LEFT, colourHex(inkHex), left);
    textDraw(picture, rect.x + rect.width - pad, rect.y + pad + size, fit, ALIGN_RIGHT, colourHex(0x6B747D), right);
}

void panelScale(const Look *look, Picture *picture, Rect rect)
{
    double size = minReal(maxReal(rect.height / 40.0, 7), 12);
    int height = (int)(0.8 * size + 1), left = rect.x + (int)(1.6 * size);
    int top = rect.y + rect.height - height - (int)(3.6 * size);
    char most[48];
    if (look->colouring == VV_COLOUR_STRAIN)
        snprintf(most, sizeof most, "strain %.3g %%", 100 * look->fieldMost);
    else
        snprintf(most, sizeof most, "speed %.3g m/s", look->fieldMost);
    // the names of its ends stand beside each other
    int width = maxInt(minInt(180, rect.width / 3), (int)(textWidth(size, most) + 2 * size));
    for (int x = 0; x < width; ++x)
        pictureFill(picture, (Rect){ left + x, top, 1, height }, colourOfField(x / (double)(width - 1)), 1);
    textDraw(picture, left, top + height + 1.7 * size, size, ALIGN_LEFT, colourHex(inkHex), "0");
    textDraw(picture, left + width, top + height + 1.7 * size, size, ALIGN_RIGHT, colourHex(inkHex), most);
}
