// Colliders in pictures: level planes are the ground, other planes a piece of slab, all else grey and matt; what hides
// bodies from the eye is glass. Rigid bodies are colliders of another grey, which the run moves.
#include "studio/show.h"

#define INSET 0.006   // of the size of what is round
#define LEVEL 0.9999  // cosine: a plane this close to level is ground
#define SLAB_SIZE 1.2 // of what is seen: half the side of a tilted plane's piece
#define PANE_GAP 0.02 // of what is seen: between a plane of glass and what lies on it

// what is round is drawn a little smaller: triangles of cloth on it are chords, and would cut into it
static void shrink(const vvShape *shape, ShapeTriangles *triangles)
{
    vvBox box = vvShape_GetBounds(shape);
    double inset = INSET * maxReal(box.upper.x - box.lower.x, box.upper.y - box.lower.y);
    for (int k = 0; k < triangles->pointCount; ++k)
    {
        Vec3 normal, point = vecLoad(triangles->point + 3 * (size_t)k);
        vvShape_GetDistance(shape, point, &normal);
        vecStore(triangles->point + 3 * (size_t)k, vecSub(point, vecScale(inset, normal)));
    }
}

bool shownColliderStart(Memory *memory, ShownCollider *collider, const vvShape *form, int rigid)
{
    collider->form = form;
    collider->rigid = rigid;
    if (!shapeTriangulate(form, memory, &collider->shape))
        return false;
    vvShapeKind kind = shapeForm(form).kind;
    if (rigid < 0 && (kind == VV_SHAPE_SPHERE || kind == VV_SHAPE_CAPSULE))
        shrink(form, &collider->shape);
    collider->points = ALLOCATE(memory, double, 3 * (size_t)collider->shape.pointCount + 1);
    return collider->points != NULL;
}

void shownColliderFree(Memory *memory, ShownCollider *collider)
{
    shapeTrianglesFree(memory, &collider->shape);
    memoryRelease(memory, collider->points);
}

void shownColliderPlace(ShownCollider *collider, Pose pose, const double *moved)
{
    collider->pose = pose;
    collider->deforms = moved != NULL;
    for (int k = 0; k < collider->shape.pointCount; ++k)
    {
        Vec3 local = vecLoad((moved != NULL ? moved : collider->shape.point) + 3 * (size_t)k);
        vecStore(collider->points + 3 * (size_t)k, vecAdd(matApply(&pose.turn, local), pose.position));
    }
    Vec3 normal;
    double offset;
    collider->plane = shapeIsPlane(collider->form, &normal, &offset);
    collider->normal = matApply(&pose.turn, normal);
    collider->offset = offset + vecDot(collider->normal, pose.position);
}

void collidersFit(const Show *show, double largest, CameraFit *fit)
{
    for (int i = 0; i < show->colliderCount; ++i)
    {
        const ShownCollider *collider = &show->collider[i];
        vvBox box = { { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
        if (collider->plane || pointsBounds(collider->points, collider->shape.pointCount, &box) == 0 ||
            vecLength(vecSub(box.upper, box.lower)) > largest)
            continue;
        for (int k = 0; k < collider->shape.pointCount; ++k)
            cameraFitPoint(fit, vecLoad(collider->points + 3 * (size_t)k));
    }
}

bool colliderIsLevel(const ShownCollider *collider)
{
    return collider->plane && collider->normal.y > LEVEL;
}

double collidersGround(const Show *show)
{
    double ground = -1e300;
    for (int i = 0; i < show->colliderCount; ++i)
    {
        const ShownCollider *collider = &show->collider[i];
        if (colliderIsLevel(collider))
            ground = maxReal(ground, collider->offset / collider->normal.y);
    }
    return ground > -1e300 ? ground : NAN;
}

// a square of a tilted plane about the middle of what is seen
void colliderSlab(const ShownCollider *collider, const Look *look, double points[12])
{
    Vec3 n = collider->normal, away = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    Vec3 side = vecCross(n, away);
    side = vecScale(SLAB_SIZE * look->size / vecLength(side), side);
    Vec3 other = vecCross(n, side),
         middle = vecAdd(look->centre, vecScale(collider->offset - vecDot(n, look->centre), n));
    vecStore(points, vecAdd(middle, vecAdd(side, other)));
    vecStore(points + 3, vecAdd(middle, vecSub(other, side)));
    vecStore(points + 6, vecSub(middle, vecAdd(side, other)));
    vecStore(points + 9, vecAdd(middle, vecSub(side, other)));
}

// A plane has no end, so the edge of the piece that is drawn must not throw a shadow. The surface of a fluid that fills
// a tank lies in the plane of its wall, and would show through a wall of glass in patches: glass keeps away from it.
static bool addSlab(const ShownCollider *collider, const Look *look, Stage *stage, Paint paint)
{
    static const int triangles[] = { 0, 1, 2, 0, 2, 3 };
    double points[12];
    ShownCollider drawn = *collider;
    drawn.offset -= collider->glass ? PANE_GAP * look->size : 0;
    colliderSlab(&drawn, look, points);
    paint.shadowless = true;
    return stageSurface(stage, points, NULL, 4, triangles, 2, NULL, &paint);
}

bool collidersAdd(const Show *show, const Look *look, Stage *stage)
{
    Paint scenery = paintSolid(colourHex(0xB4B8BB)), rigid = paintSolid(colourHex(0x7C8C9B));
    scenery.gloss = rigid.gloss = 0.2f;
    bool good = true;
    for (int i = 0; i < show->colliderCount && good; ++i)
    {
        const ShownCollider *collider = &show->collider[i];
        const ShapeTriangles *shape = &collider->shape;
        Paint paint = collider->rigid >= 0 ? rigid : scenery;
        paint.glass = collider->glass;
        if (collider->plane && !colliderIsLevel(collider))
            good = addSlab(collider, look, stage, paint);
        else if (!collider->plane)
            good = stageSurface(stage, collider->points, shape->point, shape->pointCount, shape->triangle,
                                shape->triangleCount, NULL, &paint);
    }
    return good;
}
