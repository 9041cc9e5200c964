// Checks of what callers hand in: every refusal names the value, the limit and the remedy.
#include "world/world.h"

vvResult checkDef(bool hasCookie, const char *what, const char *maker)
{
    if (hasCookie)
        return resultOk();
    char remedy[64] = "start from ";
    for (int i = 0, n = 11; maker[i] != 0 && n < 63; ++i, ++n)
        remedy[n] = maker[i];
    return resultMake(VV_BAD_INPUT, remedy, "the %s definition was not initialised (its cookie is missing)", what);
}

bool isModest(double value)
{
    return value == 0 || (fabs(value) >= 1 / MODEST && fabs(value) <= MODEST);
}

vvResult checkVertex(const Body *body, int vertex)
{
    if (vertex >= 0 && vertex < body->count)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "vertices count from 0 in the order of the mesh", "vertex is %d, must be 0 to %d",
                      vertex, body->count - 1);
}

vvResult checkPoints(const char *what, const double *values, int count)
{
    if (values == NULL)
        return resultMake(VV_BAD_INPUT, "pass vertexCount x 3 doubles", "%s is NULL", what);
    for (int i = 0; i < 3 * count; ++i)
    {
        if (!(fabs(values[i]) <= VAST))
            return resultMake(VV_BAD_INPUT, "look for a division by zero where the numbers come from",
                              "%s of vertex %d is %g in %c, must be finite and within %g", what, i / 3, values[i],
                              "xyz"[i % 3], VAST);
    }
    return resultOk();
}

vvResult checkTarget(const Body *body, const void *target, const char *shape)
{
    if (body == NULL)
        return badId("soft body");
    if (target == NULL)
        return resultMake(VV_BAD_INPUT, "pass room for the numbers that are copied", "target is NULL, must hold %s",
                          shape);
    return resultOk();
}

bool isVast(Vec3 value)
{
    return !(fabs(value.x) <= VAST && fabs(value.y) <= VAST && fabs(value.z) <= VAST);
}

vvResult checkVector(const char *what, Vec3 value)
{
    if (!isVast(value))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "look for a division by zero where the numbers come from",
                      "%s is %g %g %g, must be finite and within %g", what, value.x, value.y, value.z, VAST);
}

vvResult checkCount(const char *what, int count)
{
    if (count < VV_MAX_OBJECTS)
        return resultOk();
    return resultMake(VV_LIMIT, "destroy what is no longer needed, or use a second world",
                      "the world has %d %s, no more fit", count, what);
}

vvResult checkFriction(double friction)
{
    if (friction >= 0 && isModest(friction))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "0.5 is usual, 0 is ice", "friction is %g, must be 0, or 1e-30 to 1e30", friction);
}

vvResult checkRestitution(double restitution)
{
    if (restitution >= 0 && restitution <= 1)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "1 takes no energy, 0 as much as it can", "restitution is %g, must be 0 to 1",
                      restitution);
}

vvResult checkPose(Vec3 position, vvQuat rotation)
{
    vvResult result = checkVector("position", position);
    if (result.code == VV_OK && !quatUnit(&rotation))
        result = resultMake(VV_BAD_INPUT, "1 0 0 0 turns nothing; vvQuat_FromDegrees makes others",
                            "rotation is %g %g %g %g, must be finite and not 0", rotation.w, rotation.x, rotation.y,
                            rotation.z);
    return result;
}

Pose poseOf(Vec3 position, vvQuat rotation)
{
    quatUnit(&rotation);
    return poseMake(position, rotation);
}
