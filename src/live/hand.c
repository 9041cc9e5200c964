// Hands: what a pointer does to bodies. A soft body is held by a handle of the library, a rigid one by a compliant
// joint; both book their work.
#include "live/session.h"

#include "base/quaternion.h"

#include <math.h>
#include <string.h>

#define FOLLOW 0.4           // of the way to the pointer, in a frame: a jerk of it excites no vibration
#define RIGID_STIFFNESS 900. // 1/s^2 x mass, of the spring that holds a rigid body
#define AIR 1.2              // kg/m^3, where the scene has none

static Hand *readHand(Live *live, const Json *message, vvResult *result)
{
    double number = 0;
    if (!messageNumber(message, "hand", 0, MOST_HANDS - 1, &number, result))
        return NULL;
    return &live->hand[(int)number];
}

static bool readRay(const Json *message, Vec3 *origin, Vec3 *direction, vvResult *result)
{
    if (!messageVector(message, "origin", origin, result) || !messageVector(message, "direction", direction, result))
        return false;
    if (vecLength(*direction) > 0)
        return true;
    *result = resultMake(VV_BAD_INPUT, "give the direction of the ray", "direction is 0 0 0");
    return false;
}

static void letGo(Hand *hand)
{
    vvDestroyHandle(hand->handle);
    vvDestroyJoint(hand->joint);
    *hand = (Hand){ 0 };
}

void handsFree(Live *live)
{
    for (int h = 0; h < MOST_HANDS; ++h)
        letGo(&live->hand[h]);
}

bool handsHold(const Live *live)
{
    for (int h = 0; h < MOST_HANDS; ++h)
    {
        if (live->hand[h].holds)
            return true;
    }
    return false;
}

// ---- grab -----------------------------------------------------------------------------------------------------------

static int indexOfBody(const Live *live, vvSoftBodyId body)
{
    for (int i = 0; i < sceneBodyCount(live->built); ++i)
    {
        vvSoftBodyId id = sceneBody(live->built, i);
        if (memcmp(&id, &body, sizeof id) == 0)
            return drawnOf(live, DRAWN_BODY, i);
    }
    return -1;
}

static int indexOfRigid(const Live *live, vvRigidBodyId body)
{
    for (int i = 0; i < sceneRigidCount(live->built); ++i)
    {
        vvRigidBodyId id = sceneRigid(live->built, i);
        if (memcmp(&id, &body, sizeof id) == 0)
            return drawnOf(live, DRAWN_RIGID, i);
    }
    return -1;
}

static vvPick pickOf(Live *live, Vec3 origin, Vec3 direction)
{
    return vvWorld_CastRay(sceneWorldId(live->built), origin, direction, INFINITY);
}

static void grabSoft(Live *live, Hand *hand, const vvPick *pick, vvResult *result)
{
    vvHandleDef def = vvDefaultHandleDef();
    def.body = pick->body;
    for (int k = 0; k < 3; ++k)
    {
        def.vertices[k] = hand->vertices[k] = pick->vertices[k];
        def.weights[k] = hand->weights[k] = pick->vertices[k] >= 0 ? pick->weights[k] : 0;
    }
    hand->body = pick->body;
    hand->handle = vvCreateHandle(sceneWorldId(live->built), &def, result);
}

static void grabRigid(Live *live, Hand *hand, const vvPick *pick, vvResult *result)
{
    double mass = vvRigidBody_GetMass(pick->rigid);
    if (!(mass > 0))
    {
        *result = resultMake(VV_BAD_INPUT, "grab another body", "this body moves by its own rule: nothing pushes it");
        return;
    }
    hand->jointDef = vvDefaultJointDef();
    hand->jointDef.kind = VV_JOINT_BALL;
    hand->jointDef.bodyB = pick->rigid;
    hand->jointDef.compliance = 1 / (RIGID_STIFFNESS * mass);
    hand->jointDef.damping = sqrt(RIGID_STIFFNESS) * mass; // half critical
    hand->rigid = pick->rigid;
    vvVec3 axis = { 1, 0, 0 };
    *result = vvJointDef_Place(&hand->jointDef, pick->point, axis);
    if (result->code == VV_OK)
        hand->joint = vvCreateJoint(sceneWorldId(live->built), &hand->jointDef, result);
}

void handGrab(Live *live, const Json *message, Json *answer, vvResult *result)
{
    Vec3 origin, direction;
    Hand *hand = readHand(live, message, result);
    if (hand == NULL || !readRay(message, &origin, &direction, result))
        return;
    letGo(hand);
    vvPick pick = pickOf(live, origin, direction);
    int object = pick.kind == VV_PICK_BODY    ? indexOfBody(live, pick.body)
                 : pick.kind == VV_PICK_RIGID ? indexOfRigid(live, pick.rigid)
                                              : -1;
    jsonAddNumber(answer, "object", object);
    if (object < 0)
        return;
    if (pick.kind == VV_PICK_BODY)
        grabSoft(live, hand, &pick, result);
    else
        grabRigid(live, hand, &pick, result);
    if (result->code != VV_OK)
    {
        letGo(hand);
        return;
    }
    hand->holds = true;
    hand->target = hand->wanted = pick.point;
    Json *point = jsonAdd(answer, "point", JSON_LIST);
    jsonAddNumber(point, NULL, pick.point.x);
    jsonAddNumber(point, NULL, pick.point.y);
    jsonAddNumber(point, NULL, pick.point.z);
    live->isNew = true;
}

void handDrag(Live *live, const Json *message, vvResult *result)
{
    Vec3 target;
    Hand *hand = readHand(live, message, result);
    if (hand != NULL && messageVector(message, "target", &target, result) && hand->holds)
        hand->wanted = target;
}

void handRelease(Live *live, const Json *message, vvResult *result)
{
    Hand *hand = readHand(live, message, result);
    if (hand != NULL)
        letGo(hand);
    live->isNew = true;
}

void handsMove(Live *live)
{
    for (int h = 0; h < MOST_HANDS; ++h)
    {
        Hand *hand = &live->hand[h];
        bool isThere = vvHandle_IsValid(hand->handle) || vvJoint_IsValid(hand->joint);
        if (!hand->holds || !isThere)
        {
            hand->holds = false;
            continue;
        }
        hand->target = vecAdd(hand->target, vecScale(FOLLOW, vecSub(hand->wanted, hand->target)));
        if (vvHandle_IsValid(hand->handle))
        {
            vvHandle_MoveTo(hand->handle, hand->target);
            continue;
        }
        // the end in the world cannot be moved: another joint takes over, and the jump of its energy is booked
        vvDestroyJoint(hand->joint);
        hand->jointDef.frameA.position = hand->target;
        hand->joint = vvCreateJoint(sceneWorldId(live->built), &hand->jointDef, NULL);
    }
}

Vec3 handPoint(const Hand *hand)
{
    if (vvJoint_IsValid(hand->joint))
    {
        vvPose pose = vvRigidBody_GetPose(hand->rigid);
        return vecAdd(pose.position, quatRotate(pose.rotation, hand->jointDef.frameB.position));
    }
    const double *position = vvSoftBody_GetPositions(hand->body);
    Vec3 point = vec3(0, 0, 0);
    for (int k = 0; k < 3 && position != NULL; ++k)
    {
        if (hand->vertices[k] >= 0)
            point = vecAdd(point, vecScale(hand->weights[k], vecLoad(position + 3 * (ptrdiff_t)hand->vertices[k])));
    }
    return point;
}

Vec3 handForce(const Hand *hand)
{
    return vvJoint_IsValid(hand->joint) ? vvJoint_GetForce(hand->joint) : vvHandle_GetForce(hand->handle);
}

// ---- pin, cut, blow -------------------------------------------------------------------------------------------------

void handPin(Live *live, const Json *message, Json *answer, vvResult *result)
{
    Vec3 origin, direction;
    if (!readRay(message, &origin, &direction, result))
        return;
    vvPick pick = pickOf(live, origin, direction);
    int object = pick.kind == VV_PICK_BODY ? indexOfBody(live, pick.body) : -1;
    jsonAddNumber(answer, "object", object);
    if (object < 0)
        return;
    bool pinned = vvSoftBody_IsPinned(pick.body, pick.vertex);
    int count = pick.vertices[2] >= 0 ? 3 : 2;
    *result =
        pinned ? vvSoftBody_Unpin(pick.body, pick.vertices, count) : vvSoftBody_Pin(pick.body, pick.vertices, count);
    jsonAdd(answer, "pinned", pinned ? JSON_FALSE : JSON_TRUE);
    live->isNew = true;
}

void handCut(Live *live, const Json *message, Json *answer, vvResult *result)
{
    vvBlade blade;
    const Json *before = jsonFind(message, "before"), *after = jsonFind(message, "after");
    for (int i = 0; i < 2; ++i)
    {
        if (!messagePoint(jsonEntry(before, i), "before", &blade.before[i], result) ||
            !messagePoint(jsonEntry(after, i), "after", &blade.after[i], result))
            return;
    }
    int cuts = 0;
    for (int i = 0; i < sceneBodyCount(live->built) && result->code == VV_OK; ++i)
    {
        vvSoftBodyId body = sceneBody(live->built, i);
        int changes = vvSoftBody_GetChangeCount(body);
        *result = vvSoftBody_Cut(body, &blade);
        cuts += vvSoftBody_GetChangeCount(body) > changes;
    }
    jsonAddNumber(answer, "cuts", cuts);
    live->isNew = true;
}

void handWind(Live *live, const Json *message, vvResult *result)
{
    Vec3 gust;
    if (!messageVector(message, "velocity", &gust, result))
        return;
    vvWind wind = live->wind;
    if (vecLength(gust) > 0)
    {
        wind.velocity = vecAdd(wind.density > 0 ? wind.velocity : vec3(0, 0, 0), gust);
        if (!(wind.density > 0))
            wind.density = AIR;
    }
    *result = vvWorld_SetWind(sceneWorldId(live->built), wind);
}
