// Colliders that hide bodies from the eye become glass.
#include "studio/show.h"

#define POINTS_LOOKED_AT 48 // of a body
#define HIDDEN 0.7          // of the points of a body: a collider that hides more becomes glass
#define MOST_STEPS 64       // of a ray towards a point
#define TOUCHING 0.04       // of the distance: nearer to the point, a surface is what the point lies on

// whether a ray from the eye meets the collider well before it reaches the point: steps of the distance to the surface
static bool hides(const vvShape *shape, const Pose *pose, Vec3 eye, Vec3 point)
{
    Vec3 ray = vecSub(point, eye);
    double length = vecLength(ray), travelled = 0;
    Mat3 back = matTranspose(&pose->turn);
    for (int i = 0; i < MOST_STEPS && travelled < (1 - TOUCHING) * length; ++i)
    {
        Vec3 at = vecSub(vecAdd(eye, vecScale(travelled / length, ray)), pose->position), normal;
        double distance = vvShape_GetDistance(shape, matApply(&back, at), &normal);
        if (!(distance > 1e-3 * length))
            return true;
        travelled += distance;
    }
    return false;
}

static double hiddenShare(const double *points, int count, const vvShape *shape, const Pose *pose, Vec3 eye)
{
    int step = maxInt(1, count / POINTS_LOOKED_AT), seen = 0, hidden = 0;
    for (int v = 0; v < count; v += step)
    {
        Vec3 point = vecLoad(points + 3 * (size_t)v);
        if (!vecFinite(point))
            continue;
        seen += 1;
        hidden += hides(shape, pose, eye, point) ? 1 : 0;
    }
    return seen > 0 ? (double)hidden / seen : 0;
}

// the shape of a collider that deforms, where its points are in the world; NULL: it has that of its form
static vvShape *deformedShape(const Show *show, const ShownCollider *collider)
{
    vvShape *shape = collider->deforms ? shapeCreateMoving(collider->form, &show->memory->hook, NULL) : NULL;
    if (shape != NULL)
    {
        shapeMovePoints(shape, collider->points);
        shapeArrive(shape);
    }
    return shape;
}

void glassFind(Show *show, Vec3 eye)
{
    for (int i = 0; i < show->colliderCount; ++i)
    {
        ShownCollider *collider = &show->collider[i];
        if (collider->rigid >= 0) // rigid bodies are never glass
            continue;
        vvShape *deformed = deformedShape(show, collider);
        const vvShape *shape = deformed != NULL ? deformed : collider->form;
        Pose pose = deformed != NULL ? poseMake(vec3(0, 0, 0), (vvQuat){ 1, 0, 0, 0 }) : collider->pose;
        for (int k = 0; k < show->bodyCount && !collider->glass; ++k)
            collider->glass = hiddenShare(show->body[k].points, show->body[k].vertexCount, shape, &pose, eye) > HIDDEN;
        for (int k = 0; k < show->fluidCount && !collider->glass; ++k)
            collider->glass = hiddenShare(show->fluid[k].points, show->fluid[k].count, shape, &pose, eye) > HIDDEN;
        vvDestroyShape(deformed);
    }
}
