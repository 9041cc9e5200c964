#include "shape/kinds.h"

#define COOKIE 0x5653

// in the order of vvShapeKind
static const ShapeKind *const kinds[] = { &shapePlane,  &shapeSphere, &shapeBox,        &shapeCapsule,
                                          &shapeConvex, &shapeMesh,   &shapeHeightfield };
#define KIND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

// ---- creation -------------------------------------------------------------------------------------------------------

vvShapeDef vvDefaultShapeDef(void)
{
    return (vvShapeDef){
        .kind = VV_SHAPE_PLANE,
        .normal = { 0, 1, 0 },
        .radius = 0.5,
        .size = { 1, 1, 1 },
        .cookie = COOKIE,
    };
}

static vvResult checkShapeDef(const vvShapeDef *def)
{
    if (def == NULL)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultShapeDef()", "the shape definition is NULL");
    if (def->cookie != COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultShapeDef()",
                          "the shape definition was not initialised: its cookie is %d, must be %d", def->cookie,
                          COOKIE);
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return resultMake(VV_BAD_INPUT, "set both functions of the allocator, or none",
                          "the allocator has 1 of its 2 functions");
    if ((int)def->kind < 0 || (int)def->kind >= KIND_COUNT)
        return resultMake(VV_BAD_INPUT, "use a vvShapeKind", "kind is %d, must be 0 to %d", (int)def->kind,
                          KIND_COUNT - 1);
    return resultOk();
}

vvResult checkLength(const char *name, double value)
{
    if (value >= SHAPE_SMALLEST && value <= SHAPE_LARGEST) // NaN is refused too
        return resultOk();
    return resultMake(VV_BAD_INPUT, "lengths are in metres", "%s is %g m, must be %g to %g", name, value,
                      SHAPE_SMALLEST, SHAPE_LARGEST);
}

vvResult checkShapePoints(const vvShapeDef *def, int least)
{
    const int most = 1 << 28;
    if (def->points == NULL || def->pointCount < least || def->pointCount > most)
        return resultMake(VV_BAD_INPUT, "set points and pointCount", "%s %d points, must be %d to %d",
                          def->points == NULL ? "points is NULL with" : "there are", def->pointCount, least, most);
    for (int i = 0; i < def->pointCount; ++i)
    {
        Vec3 p = pointAt(def->points, i);
        double largest = maxReal(fabs(p.x), maxReal(fabs(p.y), fabs(p.z)));
        if (!vecFinite(p) || largest > SHAPE_LARGEST)
            return resultMake(VV_BAD_INPUT, "repair the file or the code that made the coordinates; they are in metres",
                              "point %d is (%g, %g, %g), must be finite and within %g m", i, p.x, p.y, p.z,
                              SHAPE_LARGEST);
    }
    return resultOk();
}

static void freeShape(Memory *memory, vvShape *shape)
{
    surfaceFree(memory, &shape->surface);
    movingFree(memory, &shape->moving);
    memoryRelease(memory, shape->heights.height);
    memoryRelease(memory, shape->heights.range);
    memoryRelease(memory, shape->samples.value);
    memoryRelease(memory, shape);
    ASSERT_CHEAP(memory->blocks == 0, "a shape frees all it allocated");
}

vvShape *vvCreateShape(const vvShapeDef *def, vvResult *result)
{
    vvResult outcome = checkShapeDef(def);
    if (!resultPass(result, &outcome))
        return NULL;
    Memory memory = memoryMake(&def->allocator);
    vvShape *shape = ALLOCATE(&memory, vvShape, 1);
    if (shape == NULL)
    {
        outcome = resultOutOfMemory("a shape");
        resultPass(result, &outcome);
        return NULL;
    }
    shape->memory = memory;
    shape->kind = kinds[def->kind];
    atomic_init(&shape->references, 1);
    outcome = shape->kind->create(shape, def);
    if (resultPass(result, &outcome))
        return shape;
    memory = shape->memory;
    freeShape(&memory, shape);
    return NULL;
}

// ---- shared ownership -----------------------------------------------------------------------------------------------

void shapeRetain(vvShape *shape)
{
    int before = atomic_fetch_add(&shape->references, 1);
    (void)before;
    ASSERT(before > 0, "only a living shape is retained");
}

void shapeRelease(vvShape *shape)
{
    int before = atomic_fetch_sub(&shape->references, 1);
    ASSERT_CHEAP(before > 0, "a shape is released as often as it was retained");
    if (before > 1)
        return;
    Memory memory = shape->memory;
    freeShape(&memory, shape);
}

void vvDestroyShape(vvShape *shape)
{
    if (shape != NULL)
        shapeRelease(shape);
}

// ---- questions ------------------------------------------------------------------------------------------------------

// points this far are as good as infinitely far: their squares still fit
static bool pointFits(Vec3 p)
{
    return fabs(p.x) < 1e60 && fabs(p.y) < 1e60 && fabs(p.z) < 1e60;
}

ShapeSample shapeSampleAt(const vvShape *shape, double moment, Vec3 point, double limit, int hint)
{
    ShapeSample sample = { .distance = INFINITY };
    if (pointFits(point))
        sample = movingIs(shape) ? movingSample(shape, moment, point, limit, hint)
                                 : shape->kind->sample(shape, point, limit, hint);
    if (sample.distance < limit)
        return sample;
    sample.normal = vec3(0, 0, 0);
    sample.feature = -1;
    sample.shortfall = 0;
    return sample;
}

ShapeSample shapeSample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    return shapeSampleAt(shape, 0, point, limit, hint);
}

void shapeCurvature(const vvShape *shape, double moment, Vec3 point, double *out)
{
    for (int i = 0; i < 9; ++i)
        out[i] = 0;
    if (!pointFits(point))
        return;
    if (movingIs(shape))
        movingCurvature(shape, moment, point, out);
    else
        shape->kind->curvature(shape, point, out);
}

bool shapeCast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    if (!pointFits(origin) || !vecFinite(direction) || !(farthest >= 0))
        return false;
    // a ray that starts inside has entered
    if (shapeSample(shape, origin, 0, -1).distance <= 0)
    {
        *distance = 0;
        return true;
    }
    return shape->kind->cast(shape, origin, direction, farthest, distance);
}

double vvShape_GetDistance(const vvShape *shape, vvVec3 point, vvVec3 *normal)
{
    ShapeSample sample = shapeSample(shape, point, INFINITY, -1);
    if (normal != NULL)
        *normal = sample.normal;
    return sample.distance;
}

vvBox vvShape_GetBounds(const vvShape *shape)
{
    return shape->bounds;
}

// ---- what kinds share -----------------------------------------------------------------------------------------------

void curvatureAdd(double *out, double scale, Vec3 normal, Vec3 along)
{
    const double n[3] = { normal.x, normal.y, normal.z }, e[3] = { along.x, along.y, along.z };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] += scale * ((i == j ? 1 : 0) - n[i] * n[j] - e[i] * e[j]);
}
