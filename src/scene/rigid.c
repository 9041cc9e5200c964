// Rigid bodies and joints of a scene.
#include "scene/built.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static vvResult under(const char *list, int index, const vvResult *result)
{
    return resultMake(result->code, result->remedy, "%s[%d]: %s", list, index, result->message);
}

static vvResult buildRigid(SceneWorld *built, const Json *tree)
{
    int index = built->rigidCount++; // counted, so that its shape is released
    SceneRigid *out = &built->rigid[index];
    vvResult result = resultOk();
    out->shape = sceneShape(built, NULL, tree, &result);
    if (result.code == VV_OK)
    {
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = out->shape;
        def.density = treeNumber(tree, "density", def.density);
        def.mass = treeNumber(tree, "mass", 0);
        def.position = treeVector(tree, "position");
        def.rotation = vvQuat_FromDegrees(treeVector(tree, "rotate"));
        def.velocity = treeVector(tree, "velocity");
        def.spin = treeVector(tree, "spin");
        def.kinematic = treeSwitch(tree, "kinematic");
        def.friction = treeNumber(tree, "friction", def.friction);
        def.restitution = treeNumber(tree, "restitution", 0);
        def.rollingFriction = treeNumber(tree, "rollingFriction", 0);
        def.category = (uint32_t)treeNumber(tree, "category", 1);
        def.mask = (uint32_t)treeNumber(tree, "mask", UINT32_MAX);
        out->id = vvCreateRigidBody(built->world, &def, &result);
    }
    return result.code == VV_OK ? result : under("rigidBodies", index, &result);
}

static vvRigidBodyId findRigid(const SceneWorld *built, const char *name)
{
    int index = 0;
    TREE_EACH(rigid, treeItem(built->scene->tree, "rigidBodies"))
    {
        if (name != NULL && strcmp(treeString(rigid, "name"), name) == 0)
            return built->rigid[index].id;
        index += 1;
    }
    return (vvRigidBodyId){ 0, 0, 0 };
}

static double distance(vvVec3 a, vvVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// its frames; a distance joint and a pulley have one end on either body, and without limits keep their length
static vvResult placeJoint(const Json *tree, vvJointDef *def)
{
    vvVec3 point = treeVector(tree, "point"), axis = treeVector(tree, "axis");
    vvResult result = vvJointDef_Place(def, point, axis);
    if (result.code != VV_OK || treeItem(tree, "pointB") == NULL)
        return result;
    vvVec3 other = treeVector(tree, "pointB");
    vvJointDef end = *def;
    result = vvJointDef_Place(&end, other, axis);
    def->frameB = end.frameB;
    if (treeItem(tree, "lower") == NULL && treeItem(tree, "upper") == NULL)
        def->lower = def->upper = distance(point, other);
    if (def->kind == VV_JOINT_PULLEY && treeItem(tree, "lower") == NULL && treeItem(tree, "upper") == NULL)
    {
        def->lower = -INFINITY; // a rope does not push
        def->upper = distance(point, def->pulleyA) + def->ratio * distance(def->pulleyB, other);
    }
    return result;
}

static vvResult buildJoint(SceneWorld *built, const Json *tree, int index)
{
    vvJointDef def = vvDefaultJointDef();
    def.kind = (vvJointKind)treeWord(tree, "kind", jointKindName);
    def.bodyA = findRigid(built, treeString(tree, "a"));
    def.bodyB = findRigid(built, treeString(tree, "b"));
    def.lower = treeNumber(tree, "lower", def.lower);
    def.upper = treeNumber(tree, "upper", def.upper);
    def.swing = treeNumber(tree, "swing", def.swing);
    def.pulleyA = treeVector(tree, "pulleyA");
    def.pulleyB = treeVector(tree, "pulleyB");
    def.ratio = treeNumber(tree, "ratio", def.ratio);
    def.linearLower = treeVector(tree, "linearLower");
    def.linearUpper = treeVector(tree, "linearUpper");
    def.angularLower = treeVector(tree, "angularLower");
    def.angularUpper = treeVector(tree, "angularUpper");
    def.compliance = treeNumber(tree, "compliance", 0);
    def.angularCompliance = treeNumber(tree, "angularCompliance", 0);
    def.damping = treeNumber(tree, "damping", 0);
    def.angularDamping = treeNumber(tree, "angularDamping", 0);
    def.motor = (vvMotorKind)treeWord(tree, "motor", motorKindName);
    def.motorTarget = treeNumber(tree, "motorTarget", 0);
    def.motorLimit = treeNumber(tree, "motorLimit", 0);
    def.motorAxis = treeInteger(tree, "motorAxis", 0);
    def.breakForce = treeNumber(tree, "breakForce", def.breakForce);
    def.breakTorque = treeNumber(tree, "breakTorque", def.breakTorque);
    def.collide = treeSwitch(tree, "collide");
    vvResult result = placeJoint(tree, &def);
    if (result.code == VV_OK)
        vvCreateJoint(built->world, &def, &result);
    return result.code == VV_OK ? result : under("joints", index, &result);
}

vvResult buildRigids(SceneWorld *built)
{
    const Json *tree = built->scene->tree;
    int count = treeCount(tree, "rigidBodies"), index = 0;
    vvResult result = resultOk();
    if (count == 0)
        return result;
    built->rigid = ALLOCATE(&built->memory, SceneRigid, count);
    if (built->rigid == NULL)
        return resultOutOfMemory("the scene's rigid bodies");
    TREE_EACH(rigid, treeItem(tree, "rigidBodies"))
    {
        if (result.code == VV_OK)
            result = buildRigid(built, rigid);
    }
    TREE_EACH(joint, treeItem(tree, "joints"))
    {
        if (result.code == VV_OK)
            result = buildJoint(built, joint, index++);
    }
    return result;
}

void releaseRigids(SceneWorld *built)
{
    for (int i = 0; i < built->rigidCount; ++i)
        vvDestroyShape(built->rigid[i].shape);
    memoryRelease(&built->memory, built->rigid);
}

// ---- what the program asks ------------------------------------------------------------------------------------------

int sceneRigidCount(const SceneWorld *built)
{
    return built->rigidCount;
}

vvRigidBodyId sceneRigid(const SceneWorld *built, int index)
{
    return built->rigid[index].id;
}

const vvShape *sceneRigidShape(const SceneWorld *built, int index)
{
    return built->rigid[index].shape;
}

const char *sceneRigidName(const SceneWorld *built, int index)
{
    return treeString(jsonEntry(treeItem(built->scene->tree, "rigidBodies"), index), "name");
}
