// The points of the meshes in a glTF file, moved by morph targets and by a node or the joints of a skin.
#include "mesh/gltf.h"

#include <math.h>

static const char *const again = "repair the file, or export it again";
static const GltfPlace nowhere = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

// ---- parts ----------------------------------------------------------------------------------------------------------

static bool readVectors(Gltf *gltf, const Json *owner, const char *what, GltfNumbers *numbers)
{
    long long accessor;
    if (!gltfWhole(gltf, owner, "POSITION", gltf->accessors.count - 1, -1, &accessor) ||
        !gltfNumbers(gltf, accessor, 3, numbers))
        return false;
    if (numbers->type != NUMBER_FLOAT32)
        return gltfFault(gltf, "export it without quantization",
                         "POSITION of %s is accessor %lld, which is not of floats", what, accessor);
    return gltfLargest(numbers) >= 0 || gltfFault(gltf, again, "a number of accessor %lld is not finite", accessor);
}

// those whose weight is 0 for ever are passed
static bool readTargets(Gltf *gltf, const Json *targets, GltfPart *part)
{
    GltfPose *pose = &gltf->pose;
    const Json *entry = jsonIs(targets, JSON_LIST) ? targets->first : NULL;
    int count = part->node >= 0 ? jsonCount(targets) : 0;
    void *block = pose->target;
    bool ok = gltfGrow(gltf, &block, pose->targetCount, count, &pose->targetRoom, sizeof(GltfNumbers), "morph targets");
    pose->target = block;
    if (!ok)
        return false;
    part->firstTarget = pose->targetCount;
    for (; entry != NULL && part->targetCount < count; entry = entry->next, ++part->targetCount, ++pose->targetCount)
    {
        GltfNumbers *own = &pose->target[pose->targetCount];
        *own = (GltfNumbers){ 0 };
        bool used = gltf->moves || pose->weight[pose->node[part->node].firstWeight + part->targetCount] != 0;
        if (!used || jsonFind(entry, "POSITION") == NULL)
            continue;
        if (!readVectors(gltf, entry, "a morph target", own))
            return false;
        if (own->count != part->count)
            return gltfFault(gltf, again, "morph target %d has %d points, must have the %d of its mesh",
                             part->targetCount, own->count, part->count);
    }
    return true;
}

static bool checkInfluence(Gltf *gltf, const GltfPart *part, int set)
{
    const GltfNumbers *joints = &part->joints[set], *weights = &part->weights[set];
    int most = gltf->pose.skin[part->skin].jointCount;
    if (joints->count != part->count || weights->count != part->count)
        return gltfFault(gltf, again, "JOINTS_%d has %d rows and WEIGHTS_%d %d, must have the %d of the points", set,
                         joints->count, set, weights->count, part->count);
    for (int i = 0; i < 4 * part->count; ++i)
    {
        double weight = gltfReal(weights, i / 4, i % 4);
        long long joint = gltfIndex(joints, i / 4, i % 4);
        if (!(weight >= 0 && weight <= 1e6))
            return gltfFault(gltf, again, "a weight of point %d is %g, must be from 0 to 1", i / 4, weight);
        if (joint < 0 || joint >= most)
            return gltfFault(gltf, again, "point %d names joint %lld, its skin has %d", i / 4, joint, most);
    }
    return true;
}

static bool readInfluences(Gltf *gltf, const Json *attributes, GltfPart *part)
{
    long long accessor, most = gltf->accessors.count - 1;
    for (int set = 0; set < GLTF_SETS; ++set)
    {
        char joints[16], weights[16];
        snprintf(joints, sizeof joints, "JOINTS_%d", set);
        snprintf(weights, sizeof weights, "WEIGHTS_%d", set);
        if (set > 0 && jsonFind(attributes, joints) == NULL)
            continue;
        if (!gltfWhole(gltf, attributes, joints, most, -1, &accessor) ||
            !gltfNumbers(gltf, accessor, 4, &part->joints[set]) ||
            !gltfWhole(gltf, attributes, weights, most, -1, &accessor) ||
            !gltfNumbers(gltf, accessor, 4, &part->weights[set]) || !checkInfluence(gltf, part, set))
            return false;
    }
    return jsonFind(attributes, "JOINTS_2") == NULL ||
           gltfFault(gltf, "export it with at most 8 joints for a point",
                     "a mesh has JOINTS_2, at most %d sets are read", GLTF_SETS);
}

bool gltfAddPart(Gltf *gltf, int node, const Json *primitive, int first)
{
    GltfPose *pose = &gltf->pose;
    const Json *attributes = jsonFind(primitive, "attributes");
    GltfPart part = { .node = node, .skin = node >= 0 ? pose->node[node].skin : -1, .first = first };
    void *block = pose->part;
    bool ok = gltfGrow(gltf, &block, pose->partCount, 1, &pose->partRoom, sizeof(GltfPart), "parts of meshes");
    pose->part = block;
    if (!ok || !readVectors(gltf, attributes, "a mesh", &part.position))
        return false;
    part.count = part.position.count;
    if (jsonFind(attributes, "JOINTS_0") == NULL)
        part.skin = -1;
    if (part.skin >= 0 && !readInfluences(gltf, attributes, &part))
        return false;
    if (!readTargets(gltf, jsonFind(primitive, "targets"), &part))
        return false;
    pose->part[pose->partCount++] = part;
    return true;
}

// ---- points ---------------------------------------------------------------------------------------------------------

// the mean of its bones; that of the first joint where all weights are 0
static GltfPlace blend(const GltfSkin *skin, const GltfPart *part, int row)
{
    GltfPlace sum = { 0 };
    double all = 0;
    for (int k = 0; k < 4 * GLTF_SETS && part->joints[k / 4].count > 0; ++k)
    {
        double weight = gltfReal(&part->weights[k / 4], row, k % 4);
        if (weight == 0)
            continue;
        const double *bone = &skin->bone[gltfIndex(&part->joints[k / 4], row, k % 4)].m[0][0];
        for (int i = 0; i < 12; ++i)
            (&sum.m[0][0])[i] += weight * bone[i];
        all += weight;
    }
    if (all == 0)
        return skin->bone[gltfIndex(&part->joints[0], row, 0)];
    for (int i = 0; i < 12; ++i)
        (&sum.m[0][0])[i] /= all;
    return sum;
}

void gltfPointAt(const Gltf *gltf, const GltfPart *part, int row, double *point)
{
    const GltfPose *pose = &gltf->pose;
    GltfPlace place = part->skin >= 0   ? blend(&pose->skin[part->skin], part, row)
                      : part->node >= 0 ? pose->place[part->node]
                                        : nowhere;
    double given[3];
    for (int c = 0; c < 3; ++c)
        given[c] = gltfReal(&part->position, row, c);
    for (int t = 0; t < part->targetCount; ++t)
    {
        const GltfNumbers *target = &pose->target[part->firstTarget + t];
        double weight = pose->weight[pose->node[part->node].firstWeight + t];
        for (int c = 0; c < 3 && weight != 0 && target->count > 0; ++c)
            given[c] += weight * gltfReal(target, row, c);
    }
    for (int r = 0; r < 3; ++r)
    {
        const double *line = place.m[r];
        point[r] = line[0] * given[0] + line[1] * given[1] + line[2] * given[2] + line[3];
    }
}
