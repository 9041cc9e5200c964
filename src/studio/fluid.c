// Fluids in pictures: the surfaces of their particles, or these as balls.
#include "studio/show.h"

#include "fluid/surface.h"

#define BALL 0.6 // of the spacing: balls of a fluid at rest overlap

static bool addBalls(const ShownFluid *fluid, const Paint *paint, Stage *stage)
{
    bool good = true;
    for (int p = 0; p < fluid->count && good; ++p)
    {
        Vec3 centre = vecLoad(fluid->points + 3 * (size_t)p);
        good = !vecFinite(centre) || stageSphere(stage, centre, BALL * fluid->spacing, paint);
    }
    return good;
}

static bool addSurface(const Show *show, const ShownFluid *fluid, const Paint *paint, Stage *stage)
{
    FluidSurface surface = { 0 };
    bool good = fluidSurfaceMake(show->memory, fluid->points, fluid->count, fluid->spacing, &surface) &&
                stageSurface(stage, surface.point, NULL, surface.pointCount, surface.triangle, surface.triangleCount,
                             NULL, paint);
    fluidSurfaceRelease(show->memory, &surface);
    return good;
}

Colour fluidColour(int index)
{
    static const uint32_t colours[] = { 0x4A90C8, 0xC87A4A, 0x5FA86A, 0x9A6FB8 };
    return colourHex(colours[index % 4]);
}

bool fluidsAdd(const Show *show, const Look *look, Stage *stage)
{
    bool good = true;
    for (int i = 0; i < show->fluidCount && good; ++i)
    {
        Paint paint = paintSolid(fluidColour(i));
        paint.gloss = 0.4f;
        good = look->particles ? addBalls(&show->fluid[i], &paint, stage)
                               : addSurface(show, &show->fluid[i], &paint, stage);
    }
    return good;
}
