// Attachments of a scene: springs between bodies, and bonds.
#include "base/quaternion.h"
#include "scene/built.h"

#include <stdio.h>
#include <string.h>

static int findNamed(const SceneWorld *built, const char *list, const char *name) // -1: none
{
    int index = 0;
    TREE_EACH(candidate, treeItem(built->scene->tree, list))
    {
        if (strcmp(treeString(candidate, "name"), name) == 0)
            return index;
        index += 1;
    }
    return -1;
}

// One end of an attachment.
typedef struct AttachedEnd
{
    vvSoftBodyId *body;
    int *vertex, *vertices;
    double *weights;
    vvRigidBodyId *rigid;
    vvVec3 *place;
} AttachedEnd;

static vvResult findEnd(const SceneWorld *built, const Json *end, const char *path, const AttachedEnd *out)
{
    int index = findNamed(built, "bodies", treeString(end, "body"));
    if (index < 0) // a rigid body
    {
        *out->rigid = built->rigid[findNamed(built, "rigidBodies", treeString(end, "body"))].id;
        vvPose pose = vvRigidBody_GetPose(*out->rigid);
        vvVec3 at = treeVector(end, "surface"),
               away = { at.x - pose.position.x, at.y - pose.position.y, at.z - pose.position.z };
        *out->place = quatRotateBack(pose.rotation, away);
        return resultOk();
    }
    *out->body = built->body[index];
    *out->vertex = treeInteger(end, "vertex", 0);
    if (treeItem(end, "point") != NULL)
        *out->vertex = selectNearest(built->mesh[index], treeVector(end, "point"));
    if (treeItem(end, "surface") != NULL)
    {
        vvPick pick = vvSoftBody_FindNearest(*out->body, treeVector(end, "surface"), INFINITY);
        for (int k = 0; k < 3; ++k)
        {
            out->vertices[k] = pick.vertices[k];
            out->weights[k] = pick.weights[k];
        }
    }
    int count = vvSoftBody_GetVertexCount(*out->body);
    if (*out->vertex < count)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "vertices count from 0 in the order of the mesh",
                      "%s.vertex is %d, must be 0 to %d", path, *out->vertex, count - 1);
}

static vvResult buildAttachment(SceneWorld *built, const Json *attachment, int index)
{
    char path[40];
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.stiffness = treeNumber(attachment, "stiffness", def.stiffness);
    def.restLength = treeNumber(attachment, "restLength", def.restLength);
    def.breakForce = treeNumber(attachment, "breakForce", def.breakForce);
    snprintf(path, sizeof path, "attachments[%d].a", index);
    AttachedEnd a = { &def.bodyA, &def.vertexA, def.verticesA, def.weightsA, NULL, NULL };
    AttachedEnd b = { &def.bodyB, &def.vertexB, def.verticesB, def.weightsB, &def.rigidB, &def.pointB };
    vvResult result = findEnd(built, treeItem(attachment, "a"), path, &a);
    if (result.code != VV_OK)
        return result;
    snprintf(path, sizeof path, "attachments[%d].b", index);
    result = findEnd(built, treeItem(attachment, "b"), path, &b);
    if (result.code != VV_OK)
        return result;
    vvCreateAttachment(built->world, &def, &result);
    if (result.code == VV_OK)
        built->attachment[built->attachmentCount++] = def;
    snprintf(path, sizeof path, "attachments[%d]", index);
    return result.code == VV_OK ? result : pathResult(path, &result);
}

static vvResult buildBond(const SceneWorld *built, const Json *bond, int index)
{
    vvBondDef def = vvDefaultBondDef();
    int other = findNamed(built, "bodies", treeString(bond, "b"));
    def.bodyA = built->body[findNamed(built, "bodies", treeString(bond, "a"))];
    if (other >= 0)
        def.bodyB = built->body[other];
    else
        def.rigidB = built->rigid[findNamed(built, "rigidBodies", treeString(bond, "b"))].id;
    def.distance = treeNumber(bond, "distance", def.distance);
    def.stiffness = treeNumber(bond, "stiffness", def.stiffness);
    def.breakForce = treeNumber(bond, "breakForce", def.breakForce);
    vvResult result;
    char path[40];
    vvCreateBonds(built->world, &def, NULL, 0, &result);
    snprintf(path, sizeof path, "bonds[%d]", index);
    return result.code == VV_OK ? result : pathResult(path, &result);
}

vvResult buildAttachments(SceneWorld *built)
{
    const Json *tree = built->scene->tree;
    vvResult result = resultOk();
    int index = 0;
    built->attachment = ALLOCATE(&built->memory, vvAttachmentDef, treeCount(tree, "attachments") + 1);
    if (built->attachment == NULL)
        result = resultOutOfMemory("the attachments of a scene");
    TREE_EACH(attachment, treeItem(tree, "attachments"))
    {
        if (result.code == VV_OK)
            result = buildAttachment(built, attachment, index++);
    }
    index = 0;
    TREE_EACH(bond, treeItem(tree, "bonds"))
    {
        if (result.code == VV_OK)
            result = buildBond(built, bond, index++);
    }
    return result;
}

bool isTiedToRigid(const SceneWorld *built, int index)
{
    const Json *tree = built->scene->tree;
    TREE_EACH(attachment, treeItem(tree, "attachments"))
    {
        if (findNamed(built, "bodies", treeString(treeItem(attachment, "a"), "body")) == index &&
            findNamed(built, "bodies", treeString(treeItem(attachment, "b"), "body")) < 0)
            return true;
    }
    TREE_EACH(bond, treeItem(tree, "bonds"))
    {
        if (findNamed(built, "bodies", treeString(bond, "a")) == index &&
            findNamed(built, "bodies", treeString(bond, "b")) < 0)
            return true;
    }
    return false;
}
