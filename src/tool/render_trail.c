// Trails: the paths that chosen vertices took until the frame at hand.
#include "tool/render.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TRAILS 256 // of a run
#define MOST_LINKS 1500 // of a path that are drawn

typedef struct Chosen
{
    int body, vertex;
} Chosen;

static vvResult refuse(const char *text, const char *why)
{
    return resultMake(VV_BAD_INPUT, "write a vertex number, several as 0,5,7, BODY:0,5 of another body, or all",
                      "--trail is '%s': %s", shown(text), why);
}

static int findBody(const Run *run, const char *name, size_t length)
{
    for (int i = 0; i < run->show.bodyCount; ++i)
    {
        const char *other = vvSoftBody_GetName(run->show.body[i].id);
        if (strlen(other) == length && strncmp(other, name, length) == 0)
            return i;
    }
    return -1;
}

// "3", "0,5", "ball:0,5", "all"; adds to the list
static vvResult choose(const Run *run, const char *text, Chosen *chosen, int *count)
{
    const char *colon = strrchr(text, ':'), *at = colon ? colon + 1 : text;
    int body = colon ? findBody(run, text, (size_t)(colon - text)) : 0;
    if (body < 0 || run->show.bodyCount == 0)
        return refuse(text, "no body has this name");
    int vertices = run->show.body[body].vertexCount;
    bool all = strcmp(at, "all") == 0;
    for (int v = 0; all && v < vertices && *count < MOST_TRAILS; ++v)
        chosen[(*count)++] = (Chosen){ body, v };
    while (!all)
    {
        char *end;
        long vertex = strtol(at, &end, 10);
        if (end == at || (*end != ',' && *end != 0))
            return refuse(text, "that is no vertex number");
        if (vertex < 0 || vertex >= vertices)
            return refuse(text, "the body has no vertex of this number");
        if (*count == MOST_TRAILS)
            return refuse(text, "those are more than 256 vertices");
        chosen[(*count)++] = (Chosen){ body, (int)vertex };
        if (*end == 0)
            break;
        at = end + 1;
    }
    return resultOk();
}

// the vertex in the frame at hand; NaN where it has no place of its own any more
static void place(const Run *run, Chosen chosen, double *out)
{
    const ShownBody *body = &run->show.body[chosen.body];
    bool known = chosen.vertex < body->vertexCount && (!body->changed || body->numbered);
    for (int k = 0; k < 3; ++k)
        out[k] = known ? body->points[3 * (size_t)chosen.vertex + (size_t)k] : NAN;
}

vvResult trailsOpen(Run *run, const Words *words)
{
    Chosen chosen[MOST_TRAILS];
    int count = 0;
    vvResult result = resultOk();
    for (int i = 0; i < words->optionCount && result.code == VV_OK; ++i)
    {
        if (strcmp(words->option[i].name, "--trail") == 0)
            result = choose(run, words->option[i].value, chosen, &count);
    }
    if (result.code != VV_OK || count == 0)
        return result;
    Show *show = &run->show;
    // long records keep every so many frames, and the last
    int stride = (run->frameCount + MOST_LINKS - 1) / MOST_LINKS, places = (run->frameCount - 1) / stride + 1;
    show->trail = ALLOCATE(show->memory, double, 3 * (size_t)count * (size_t)places);
    show->trailBody = ALLOCATE(show->memory, int, count);
    if (show->trail == NULL || show->trailBody == NULL)
        return resultOutOfMemory("the trails of a run");
    show->trailCount = count;
    show->trailPlaces = places;
    run->trailStride = stride;
    for (int t = 0; t < count; ++t)
        show->trailBody[t] = chosen[t].body;
    for (int p = 0; p < places && result.code == VV_OK; ++p)
    {
        for (int b = 0; b < show->bodyCount && result.code == VV_OK; ++b)
            result = runBodyLoad(run, b, p * stride);
        for (int t = 0; t < count && result.code == VV_OK; ++t)
            place(run, chosen[t], show->trail + 3 * ((size_t)t * (size_t)places + (size_t)p));
    }
    return result.code == VV_OK ? runLoad(run, 0, VV_COLOUR_PLAIN) : result;
}
