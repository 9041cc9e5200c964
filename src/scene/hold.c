// Pins and forces of a body, from its tree.
#include "scene/built.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 64

// the vertices a `where` chooses, in ascending order
static vvResult choose(SceneWorld *built, vvSoftBodyId body, const Json *owner, const char *path, int **vertex,
                       int *count)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int vertexCount = vvMesh_GetVertexCount(mesh), next = 0;
    unsigned char *chosen = ALLOCATE(&built->memory, unsigned char, vertexCount);
    if (chosen == NULL)
        return resultOutOfMemory("a selection of vertices");
    vvResult result = selectVertices(mesh, treeItem(owner, "where"), path, chosen, count);
    if (result.code == VV_OK)
    {
        *vertex = ALLOCATE(&built->memory, int, *count);
        if (*vertex == NULL)
            result = resultOutOfMemory("a selection of vertices");
    }
    for (int v = 0; v < vertexCount && result.code == VV_OK; ++v)
    {
        if (chosen[v])
            (*vertex)[next++] = v;
    }
    memoryRelease(&built->memory, chosen);
    return result;
}

// ---- pins -----------------------------------------------------------------------------------------------------------

// a vertex that both choose, in ascending lists; -1: none
static int sharedVertex(const Motion *a, const Motion *b)
{
    for (int i = 0, j = 0; i < a->count && j < b->count;)
    {
        if (a->vertex[i] == b->vertex[j])
            return a->vertex[i];
        if (a->vertex[i] < b->vertex[j])
            ++i;
        else
            ++j;
    }
    return -1;
}

// Hard pins and slides each decide alone where a vertex may be: one vertex, one of them.
static vvResult checkShared(const SceneWorld *built, const Motion *motion, const char *path)
{
    for (const Motion *other = built->motion; other < motion; ++other)
    {
        bool same = other->body.index1 == motion->body.index1 && other->attachment == NULL && other->target == NULL;
        int vertex = same ? sharedVertex(other, motion) : -1;
        if (vertex >= 0)
            return resultMake(VV_BAD_INPUT, "let pins and slides of one body share no vertex",
                              "%s.where has vertex %d, which an earlier pin holds already", path, vertex);
    }
    return resultOk();
}

// hard, or a slide
static vvResult pinHard(const SceneWorld *built, const Motion *motion, const Json *pin, const char *path)
{
    vvSoftBodyId body = motion->body;
    const int *vertex = motion->vertex, count = motion->count;
    vvResult shared = checkShared(built, motion, path);
    if (shared.code != VV_OK)
        return shared;
    if (treeItem(pin, "plane") == NULL && treeItem(pin, "line") == NULL)
        return vvSoftBody_Pin(body, vertex, count);
    bool plane = treeItem(pin, "plane") != NULL;
    vvResult result = vvSoftBody_Slide(body, vertex, count, plane ? VV_SLIDE_PLANE : VV_SLIDE_LINE,
                                       treeVector(pin, plane ? "plane" : "line"));
    return result.code == VV_OK ? result : pathResult(path, &result);
}

static vvResult pinSoft(SceneWorld *built, Motion *motion, double stiffness)
{
    motion->attachment = ALLOCATE(&built->memory, vvAttachmentId, motion->count);
    if (motion->attachment == NULL)
        return resultOutOfMemory("a pin");
    vvResult result = resultOk();
    for (int i = 0; i < motion->count && result.code == VV_OK; ++i)
    {
        vvAttachmentDef def = vvDefaultAttachmentDef();
        def.bodyA = motion->body;
        def.vertexA = motion->vertex[i];
        def.target = (vvVec3){ motion->start[3 * i], motion->start[3 * i + 1], motion->start[3 * i + 2] };
        def.stiffness = stiffness;
        motion->attachment[i] = vvCreateAttachment(built->world, &def, &result);
    }
    return result;
}

// where the vertices stand now, and the middle of them
static vvResult rememberStart(SceneWorld *built, Motion *motion)
{
    motion->start = ALLOCATE(&built->memory, double, 3 * (size_t)motion->count);
    if (motion->start == NULL)
        return resultOutOfMemory("a pin");
    const double *x = vvSoftBody_GetPositions(motion->body);
    double middle[3] = { 0 };
    for (int i = 0; i < 3 * motion->count; ++i)
    {
        motion->start[i] = x[3 * (ptrdiff_t)motion->vertex[i / 3] + i % 3];
        middle[i % 3] += motion->start[i] / motion->count;
    }
    motion->centre = (vvVec3){ middle[0], middle[1], middle[2] };
    return resultOk();
}

static vvResult readKeyframes(SceneWorld *built, Motion *motion, const Json *pin)
{
    int next = 0;
    motion->keyframeCount = treeCount(pin, "keyframes");
    if (motion->keyframeCount == 0)
        return resultOk();
    motion->keyframe = ALLOCATE(&built->memory, Keyframe, motion->keyframeCount);
    if (motion->keyframe == NULL)
        return resultOutOfMemory("keyframes");
    TREE_EACH(frame, treeItem(pin, "keyframes"))
        motion->keyframe[next++] =
            (Keyframe){ treeNumber(frame, "time", 0), treeVector(frame, "move"), treeVector(frame, "rotate") };
    return resultOk();
}

// an animation of the whole body, or of the pinned vertices
static vvResult followAnimation(SceneWorld *built, Motion *motion, const Json *pin, const char *path)
{
    Animation *animation = &motion->animation;
    int all = vvSoftBody_GetVertexCount(motion->body);
    vvResult result = animationRead(built, treeItem(pin, "animation"), 1, animation);
    if (result.code == VV_OK && animation->pointCount != all && animation->pointCount != motion->count)
        result = resultMake(VV_BAD_INPUT, "export the animation of this body, or of what is pinned",
                            "it has %d points, must have the body's %d or the %d pinned ones", animation->pointCount,
                            all, motion->count);
    motion->whole = animation->pointCount == all;
    if (result.code == VV_OK)
        motion->point = ALLOCATE(&built->memory, double, 3 * (size_t)animation->pointCount);
    if (result.code == VV_OK && motion->point == NULL)
        result = resultOutOfMemory("an animation");
    return result.code == VV_OK ? result
                                : resultMake(result.code, result.remedy, "%s.animation: %s", path, result.message);
}

// A limit instead of a pin: how far the vertices may be from where it would have them.
static vvResult makeSkin(SceneWorld *built, Motion *motion, const Json *pin, const char *path)
{
    size_t all = (size_t)vvSoftBody_GetVertexCount(motion->body);
    double *far = ALLOCATE(&built->memory, double, all), *behind = ALLOCATE(&built->memory, double, all);
    motion->target = ALLOCATE(&built->memory, double, 3 * all);
    bool enough = far != NULL && behind != NULL && motion->target != NULL;
    vvResult result = enough ? resultOk() : resultOutOfMemory("a skin");
    for (size_t v = 0; v < all && enough; ++v)
        far[v] = behind[v] = INFINITY;
    for (int i = 0; i < motion->count && enough; ++i)
    {
        far[motion->vertex[i]] = treeNumber(pin, "maxDistance", INFINITY);
        behind[motion->vertex[i]] = treeNumber(pin, "backstop", INFINITY);
    }
    if (enough)
    {
        vvSkinDef def = vvDefaultSkinDef();
        memcpy(motion->target, vvSoftBody_GetPositions(motion->body), 3 * all * sizeof(double));
        def.positions = motion->target;
        def.maxDistances = far;
        def.backstopDistances = treeItem(pin, "backstop") != NULL ? behind : NULL;
        def.backstopRadius = treeNumber(pin, "backstopRadius", 0);
        motion->skin = vvCreateSkin(motion->body, &def, &result);
    }
    memoryRelease(&built->memory, far);
    memoryRelease(&built->memory, behind);
    return result.code == VV_OK ? result : pathResult(path, &result);
}

static bool isSkin(const Json *pin)
{
    return treeItem(pin, "maxDistance") != NULL || treeItem(pin, "backstop") != NULL;
}

static vvResult holdPin(SceneWorld *built, Motion *motion, const Json *body, const Json *pin, const char *path)
{
    vvResult result = choose(built, motion->body, pin, path, &motion->vertex, &motion->count);
    if (result.code == VV_OK)
        result = rememberStart(built, motion);
    if (result.code == VV_OK && treeItem(pin, "centre") != NULL)
    {
        vvVec3 rest = treeVector(pin, "centre"), position = treeVector(body, "position");
        motion->centre = (vvVec3){ rest.x + position.x, rest.y + position.y, rest.z + position.z };
    }
    if (result.code == VV_OK)
        result = readKeyframes(built, motion, pin);
    if (result.code == VV_OK && treeItem(pin, "animation") != NULL)
        result = followAnimation(built, motion, pin, path);
    motion->follow = (int)treeNumber(pin, "follow", -1);
    motion->release = treeNumber(pin, "release", INFINITY);
    if (result.code == VV_OK && isSkin(pin))
        return makeSkin(built, motion, pin, path);
    if (result.code == VV_OK)
        result = treeItem(pin, "stiffness") ? pinSoft(built, motion, treeNumber(pin, "stiffness", 0))
                                            : pinHard(built, motion, pin, path);
    return result;
}

// ---- forces ---------------------------------------------------------------------------------------------------------

static vvResult holdForce(SceneWorld *built, vvSoftBodyId body, Push *push, const Json *force, const char *path)
{
    vvResult result = choose(built, body, force, path, &push->vertex, &push->count);
    if (result.code != VV_OK)
        return result;
    push->share = ALLOCATE(&built->memory, double, push->count);
    if (push->share == NULL)
        return resultOutOfMemory("a force");
    const double *mass = vvSoftBody_GetMasses(body);
    for (int i = 0; i < push->count; ++i)
        push->share[i] = mass[push->vertex[i]];
    double total = sumPairwise(push->share, push->count);
    for (int i = 0; i < push->count; ++i)
        push->share[i] /= total;
    push->force = treeVector(force, "force");
    push->from = treeNumber(force, "from", 0);
    push->to = treeNumber(force, "to", INFINITY);
    return result;
}

static vvResult holdForces(SceneWorld *built, int index, const Json *body)
{
    Pushes *pushes = &built->pushes[index];
    int count = treeCount(body, "forces");
    pushes->steady = true;
    if (count == 0)
        return resultOk();
    pushes->push = ALLOCATE(&built->memory, Push, count);
    pushes->sum = ALLOCATE(&built->memory, double, 3 * (size_t)vvSoftBody_GetVertexCount(built->body[index]));
    if (pushes->push == NULL || pushes->sum == NULL)
        return resultOutOfMemory("forces");
    TREE_EACH(force, treeItem(body, "forces"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d].forces[%d]", index, pushes->count);
        Push *push = &pushes->push[pushes->count];
        pushes->count += 1; // so that what it allocated is released
        vvResult result = holdForce(built, built->body[index], push, force, path);
        if (result.code != VV_OK)
            return result;
        pushes->steady = pushes->steady && push->from <= 0 && isinf(push->to);
    }
    return pushBody(built->body[index], pushes, 0, built->step);
}

vvResult holdBody(SceneWorld *built, int index, const Json *body)
{
    int entry = 0;
    TREE_EACH(pin, treeItem(body, "pins"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d].pins[%d]", index, entry++);
        Motion *motion = &built->motion[built->motionCount++];
        motion->body = built->body[index];
        vvResult result = holdPin(built, motion, body, pin, path);
        if (result.code != VV_OK)
            return result;
    }
    if (treeItem(body, "tethers") != NULL)
    {
        vvTetherDef def = vvDefaultTetherDef();
        vvResult result;
        def.scale = treeNumber(body, "tethers", 1);
        vvCreateTethers(built->body[index], &def, &result);
        if (result.code != VV_OK)
            return resultMake(result.code, result.remedy, "bodies[%d].tethers: %s", index, result.message);
    }
    vvResult result = holdMuscles(built, index, body);
    return result.code == VV_OK ? holdForces(built, index, body) : result;
}

bool sceneBodyHeld(const SceneWorld *built, int index, double from, double to)
{
    const Json *tree = built->scene->tree, *body = jsonEntry(treeItem(tree, "bodies"), index);
    if (treeItem(tree, "wind") != NULL || treeNumber(treeItem(body, "damping"), "mass", 0) > 0)
        return true;
    if (isTiedToRigid(built, index))
        return true;
    TREE_EACH(pin, treeItem(body, "pins"))
    {
        if (treeItem(pin, "stiffness") != NULL || treeNumber(pin, "release", INFINITY) > from)
            return true;
    }
    TREE_EACH(force, treeItem(body, "forces"))
    {
        if (treeNumber(force, "from", 0) < to && treeNumber(force, "to", INFINITY) > from)
            return true;
    }
    return false;
}

bool sceneHasContact(const SceneWorld *built)
{
    return built->colliderCount > 0 || treeSwitch(built->scene->tree, "softContact");
}
