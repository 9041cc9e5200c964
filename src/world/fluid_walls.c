// All walls of a fluid in a world: bodies first, which give way, then colliders, which do not.
#include "world/world.h"

static void begin(void *context, double dt)
{
    FluidContext *c = context;
    fluidBodiesBegin(c->bodies, dt);
    fluidSoftsBegin(c->surfaces, dt);
    fluidSheetsBegin(c->sheets, dt);
}

static void cover(void *context, const FluidNear *near)
{
    FluidContext *c = context;
    if (c->fixed.cover != NULL) // first: what answers is added to it
        c->fixed.cover(c->fixed.context, near);
    fluidBodiesCover(c->bodies, near);
}

static void press(void *context, const FluidPress *press)
{
    FluidContext *c = context;
    fluidBodiesPress(c->bodies, press);
}

static void push(void *context, const FluidPush *push)
{
    FluidContext *c = context;
    fluidBodiesPush(c->bodies, c->rules, push);
    fluidSoftsPush(c->surfaces, c->rules, push);
    fluidSheetsPush(c->sheets, c->rules, push);
    if (c->fixed.push != NULL)
        c->fixed.push(c->fixed.context, push);
}

static void end(void *context, double dt)
{
    FluidContext *c = context;
    fluidBodiesEnd(c->bodies, dt);
    fluidSoftsEnd(c->surfaces, dt);
    fluidSheetsEnd(c->sheets, dt);
}

FluidWalls fluidWallsIn(FluidContext *context)
{
    if (context->bodies->bodyCount == 0 && context->surfaces->surfaceCount == 0 && context->sheets->sheetCount == 0)
        return context->fixed;
    return (FluidWalls){ context, begin, end, cover, press, push };
}
