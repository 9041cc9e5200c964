#include "studio/show.h"

#include <string.h>

void showRelease(Show *show)
{
    if (show->memory == NULL)
        return;
    for (int i = 0; i < show->bodyCount && show->body != NULL; ++i)
        shownBodyFree(show->memory, &show->body[i]);
    for (int i = 0; i < show->colliderCount && show->collider != NULL; ++i)
        shownColliderFree(show->memory, &show->collider[i]);
    for (int i = 0; i < show->fluidCount; ++i)
        memoryRelease(show->memory, show->fluid[i].points);
    memoryRelease(show->memory, show->body);
    memoryRelease(show->memory, show->collider);
    memoryRelease(show->memory, show->spring);
    memoryRelease(show->memory, show->rope);
    memoryRelease(show->memory, show->trail);
    memoryRelease(show->memory, show->trailBody);
    memset(show, 0, sizeof *show);
}

int pointsBounds(const double *points, int count, vvBox *box)
{
    int finite = 0;
    for (int v = 0; v < count; ++v)
    {
        Vec3 p = vecLoad(points + 3 * (size_t)v);
        if (!vecFinite(p))
            continue;
        box->lower = vec3(minReal(box->lower.x, p.x), minReal(box->lower.y, p.y), minReal(box->lower.z, p.z));
        box->upper = vec3(maxReal(box->upper.x, p.x), maxReal(box->upper.y, p.y), maxReal(box->upper.z, p.z));
        finite += 1;
    }
    return finite;
}

// bodies, then rigid bodies, then fluids
bool showPoints(const Show *show, int index, const double **points, int *count)
{
    if (index < show->bodyCount)
    {
        *points = show->body[index].points;
        *count = show->body[index].vertexCount;
        return true;
    }
    int place = index - show->bodyCount;
    for (int i = 0; i < show->colliderCount; ++i)
    {
        const ShownCollider *collider = &show->collider[i];
        if (collider->rigid < 0 || place-- > 0)
            continue;
        *points = collider->points;
        *count = collider->plane ? 0 : collider->shape.pointCount;
        return true;
    }
    if (place >= show->fluidCount)
        return false;
    *points = show->fluid[place].points;
    *count = show->fluid[place].count;
    return true;
}

double showRadius(const Show *show, int index)
{
    bool balls = index < show->bodyCount && vvMesh_HasParticles(show->body[index].mesh);
    return balls ? 0.5 * vvSoftBody_GetMaterial(show->body[index].id).thickness : 0;
}

void showBounds(const Show *show, vvBox *box)
{
    const double *points;
    int count;
    for (int i = 0; showPoints(show, i, &points, &count); ++i)
    {
        vvBox own = { { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
        Vec3 radius = vec3(showRadius(show, i), showRadius(show, i), showRadius(show, i));
        if (pointsBounds(points, count, &own) == 0)
            continue;
        const Vec3 ends[2] = { vecSub(own.lower, radius), vecAdd(own.upper, radius) };
        pointsBounds((const double[]){ ends[0].x, ends[0].y, ends[0].z, ends[1].x, ends[1].y, ends[1].z }, 2, box);
    }
}

Vec3 showMiddle(const Show *show)
{
    Vec3 sum = vec3(0, 0, 0);
    double finite = 0;
    const double *points;
    int count;
    for (int i = 0; showPoints(show, i, &points, &count); ++i)
    {
        for (int v = 0; v < count; ++v)
        {
            Vec3 p = vecLoad(points + 3 * (size_t)v);
            if (!vecFinite(p))
                continue;
            sum = vecAdd(sum, p);
            finite += 1;
        }
    }
    return vecScale(1 / maxReal(finite, 1), sum);
}
