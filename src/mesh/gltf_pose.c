// Where the nodes of a glTF file are, and the joints of its skins.
#include "mesh/gltf.h"

#include <math.h>
#include <string.h>

#define MOST_WEIGHTS 10000000 // of morph targets, over all nodes or parts

static const char *const again = "repair the file, or export it again";
static const GltfPlace nowhere = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

// ---- places ---------------------------------------------------------------------------------------------------------

static GltfPlace compose(const GltfPlace *outer, const GltfPlace *inner)
{
    GltfPlace p;
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 4; ++c)
        {
            p.m[r][c] = c == 3 ? outer->m[r][3] : 0;
            for (int k = 0; k < 3; ++k)
                p.m[r][c] += outer->m[r][k] * inner->m[k][c];
        }
    }
    return p;
}

static GltfPlace placeOf(const GltfNode *node)
{
    if (node->fixed)
        return node->matrix;
    GltfPlace p;
    double x = node->turn[0], y = node->turn[1], z = node->turn[2], w = node->turn[3];
    double square = x * x + y * y + z * z + w * w, s = square > 0 ? 2 / square : 0;
    const double rotation[3][3] = { { 1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w) },
                                    { s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w) },
                                    { s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y) } };
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
            p.m[r][c] = rotation[r][c] * node->scale[c];
        p.m[r][3] = node->move[r];
    }
    return p;
}

// a matrix of the file has its columns one after the other
GltfPlace gltfInverse(const GltfSkin *skin, int joint)
{
    GltfPlace p = nowhere;
    for (int i = 0; i < 12 && skin->inverse.count > 0; ++i)
        p.m[i % 3][i / 3] = gltfReal(&skin->inverse, joint, i / 3 * 4 + i % 3);
    return p;
}

void gltfPoseUpdate(Gltf *gltf)
{
    GltfPose *pose = &gltf->pose;
    for (int i = 0; i < pose->orderCount; ++i)
    {
        int number = pose->order[i], parent = pose->node[number].parent;
        GltfPlace own = placeOf(&pose->node[number]);
        pose->place[number] = parent >= 0 ? compose(&pose->place[parent], &own) : own;
    }
    for (int i = 0; i < gltf->skins.count; ++i)
    {
        GltfSkin *skin = &pose->skin[i];
        for (int j = 0; j < skin->jointCount; ++j)
        {
            GltfPlace inverse = gltfInverse(skin, j);
            skin->bone[j] = compose(&pose->place[skin->joint[j]], &inverse);
        }
    }
}

// skins know where their points are without the node that shows them
bool gltfMirrors(const Gltf *gltf, int node)
{
    if (node < 0 || gltf->pose.node[node].skin >= 0)
        return false;
    Vec3 rows[3];
    for (int r = 0; r < 3; ++r)
    {
        const double *row = gltf->pose.place[node].m[r];
        rows[r] = vec3(row[0], row[1], row[2]);
    }
    return vecDot(rows[0], vecCross(rows[1], rows[2])) < 0;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

// numbers of a list of `count`; they stay as they are where there is none
static bool readList(Gltf *gltf, const Json *owner, const char *key, double *value, int count)
{
    const Json *list = jsonFind(owner, key), *entry = list != NULL ? list->first : NULL;
    bool good = list == NULL || (list->kind == JSON_LIST && jsonCount(list) == count);
    for (int i = 0; list != NULL && i < count && good; ++i, entry = entry->next)
    {
        good = entry->kind == JSON_NUMBER;
        value[i] = entry->number;
    }
    return good || gltfFault(gltf, again, "%s of a node is no list of %d numbers", key, count);
}

static bool readPlace(Gltf *gltf, const Json *entry, GltfNode *node)
{
    double matrix[16];
    node->turn[3] = node->scale[0] = node->scale[1] = node->scale[2] = 1;
    node->fixed = jsonFind(entry, "matrix") != NULL;
    if (!node->fixed)
        return readList(gltf, entry, "translation", node->move, 3) &&
               readList(gltf, entry, "rotation", node->turn, 4) && readList(gltf, entry, "scale", node->scale, 3);
    if (!readList(gltf, entry, "matrix", matrix, 16))
        return false;
    for (int i = 0; i < 12; ++i)
        node->matrix.m[i % 3][i / 3] = matrix[i / 3 * 4 + i % 3];
    return true;
}

// room for more of a growing array
bool gltfGrow(Gltf *gltf, void **block, int used, int more, int *room, size_t size, const char *what)
{
    if (more > MOST_WEIGHTS - used)
        return gltfFault(gltf, "split the file", "it has more than %d %s", MOST_WEIGHTS, what);
    if (used + more <= *room)
        return true;
    int wanted = maxInt(used + more, minInt(2 * *room, MOST_WEIGHTS));
    if (!memoryGrow(gltf->reader->memory, block, (size_t)used, (size_t)wanted, size))
        return readerOutOfMemory(gltf->reader);
    *room = wanted;
    return true;
}

// what a node or its mesh says of the morph targets; 0 where they say nothing
static bool readWeights(Gltf *gltf, const Json *entry, GltfNode *node)
{
    GltfPose *pose = &gltf->pose;
    const Json *mesh = gltf->meshes.entry[node->mesh], *primitives = jsonFind(mesh, "primitives");
    int count = 0;
    for (const Json *own = jsonIs(primitives, JSON_LIST) ? primitives->first : NULL; own != NULL; own = own->next)
        count = maxInt(count, jsonCount(jsonFind(own, "targets")));
    void *block = pose->weight;
    bool ok = gltfGrow(gltf, &block, pose->weightCount, count, &pose->weightRoom, sizeof(double), "weights of targets");
    pose->weight = block;
    if (!ok)
        return false;
    node->firstWeight = pose->weightCount;
    node->weightCount = count;
    pose->weightCount += count;
    double *weight = count > 0 ? pose->weight + node->firstWeight : NULL;
    for (int i = 0; i < count; ++i)
        weight[i] = 0;
    return count == 0 ||
           (readList(gltf, mesh, "weights", weight, count) && readList(gltf, entry, "weights", weight, count));
}

static bool readOne(Gltf *gltf, int number)
{
    const Json *entry = gltf->nodes.entry[number];
    GltfNode *node = &gltf->pose.node[number];
    long long mesh = -1, skin = -1;
    if (jsonFind(entry, "mesh") != NULL && !gltfWhole(gltf, entry, "mesh", gltf->meshes.count - 1, -1, &mesh))
        return false;
    if (mesh >= 0 && jsonFind(entry, "skin") != NULL &&
        !gltfWhole(gltf, entry, "skin", gltf->skins.count - 1, -1, &skin))
        return false;
    node->mesh = (int)mesh;
    node->skin = (int)skin;
    return readPlace(gltf, entry, node) && (mesh < 0 || readWeights(gltf, entry, node));
}

// the nodes of a list onto the stack; none may be twice in a file
static bool pushNodes(Gltf *gltf, const Json *list, int parent, int *stack, int *depth)
{
    for (const Json *entry = jsonIs(list, JSON_LIST) ? list->first : NULL; entry != NULL; entry = entry->next)
    {
        bool good = entry->kind == JSON_NUMBER && entry->number >= 0 && entry->number < gltf->nodes.count;
        int number = good ? (int)entry->number : -1;
        if (!good || gltf->pose.node[number].seen)
            return gltfFault(gltf, again, good ? "node %d is in two places" : "a node is %d, which is not there",
                             number);
        gltf->pose.node[number].seen = true;
        gltf->pose.node[number].parent = parent;
        stack[(*depth)++] = number;
    }
    return true;
}

static bool walkNodes(Gltf *gltf, const Json *scene)
{
    GltfPose *pose = &gltf->pose;
    int *stack = ALLOCATE(gltf->reader->memory, int, gltf->nodes.count), depth = 0;
    bool ok =
        stack != NULL ? pushNodes(gltf, jsonFind(scene, "nodes"), -1, stack, &depth) : readerOutOfMemory(gltf->reader);
    while (depth > 0 && ok)
    {
        int number = stack[--depth];
        pose->order[pose->orderCount++] = number;
        ok = readOne(gltf, number) &&
             pushNodes(gltf, jsonFind(gltf->nodes.entry[number], "children"), number, stack, &depth);
    }
    memoryRelease(gltf->reader->memory, stack);
    return ok;
}

// ---- skins ----------------------------------------------------------------------------------------------------------

static bool readJoints(Gltf *gltf, int number, const Json *list)
{
    GltfSkin *skin = &gltf->pose.skin[number];
    for (const Json *entry = list->first; entry != NULL; entry = entry->next)
    {
        bool good = entry->kind == JSON_NUMBER && entry->number >= 0 && entry->number < gltf->nodes.count;
        if (!good || !gltf->pose.node[(int)entry->number].seen)
            return gltfFault(gltf, again, "joint %d of skin %d is no node of the scene", skin->jointCount, number);
        skin->joint[skin->jointCount++] = (int)entry->number;
    }
    return true;
}

static bool readSkin(Gltf *gltf, int number)
{
    const Json *entry = gltf->skins.entry[number], *list = jsonFind(entry, "joints");
    GltfSkin *skin = &gltf->pose.skin[number];
    int count = jsonIs(list, JSON_LIST) ? jsonCount(list) : 0;
    long long accessor;
    if (skin->joint != NULL)
        return true;
    if (count == 0)
        return gltfFault(gltf, again, "skin %d has no joints", number);
    skin->joint = ALLOCATE(gltf->reader->memory, int, count);
    skin->bone = ALLOCATE(gltf->reader->memory, GltfPlace, count);
    if (skin->joint == NULL || skin->bone == NULL)
        return readerOutOfMemory(gltf->reader);
    if (!readJoints(gltf, number, list))
        return false;
    if (jsonFind(entry, "inverseBindMatrices") == NULL)
        return true;
    if (!gltfWhole(gltf, entry, "inverseBindMatrices", gltf->accessors.count - 1, -1, &accessor) ||
        !gltfNumbers(gltf, accessor, 16, &skin->inverse))
        return false;
    if (skin->inverse.count < count || skin->inverse.type != NUMBER_FLOAT32)
        return gltfFault(gltf, again, "skin %d has %d matrices for %d joints, must have one of floats for each", number,
                         skin->inverse.count, count);
    return gltfLargest(&skin->inverse) >= 0 || gltfFault(gltf, again, "a matrix of skin %d is not finite", number);
}

// ---- open and close -------------------------------------------------------------------------------------------------

bool gltfPoseOpen(Gltf *gltf)
{
    GltfPose *pose = &gltf->pose;
    Memory *memory = gltf->reader->memory;
    const Json *scenes = jsonFind(gltf->root, "scenes");
    long long number;
    if (jsonCount(scenes) == 0)
        return true;
    if (!gltfWhole(gltf, gltf->root, "scene", jsonCount(scenes) - 1, 0, &number))
        return false;
    pose->node = ALLOCATE(memory, GltfNode, gltf->nodes.count);
    pose->order = ALLOCATE(memory, int, gltf->nodes.count);
    pose->place = ALLOCATE(memory, GltfPlace, gltf->nodes.count);
    pose->skin = ALLOCATE(memory, GltfSkin, gltf->skins.count);
    if (pose->node == NULL || pose->order == NULL || pose->place == NULL || pose->skin == NULL)
        return readerOutOfMemory(gltf->reader);
    bool ok = walkNodes(gltf, jsonEntry(scenes, (int)number));
    for (int i = 0; i < pose->orderCount && ok; ++i)
    {
        int skin = pose->node[pose->order[i]].skin;
        ok = skin < 0 || readSkin(gltf, skin);
    }
    if (ok)
        gltfPoseUpdate(gltf);
    return ok;
}

void gltfPoseClose(Gltf *gltf)
{
    GltfPose *pose = &gltf->pose;
    Memory *memory = gltf->reader->memory;
    for (int i = 0; pose->skin != NULL && i < gltf->skins.count; ++i)
    {
        memoryRelease(memory, pose->skin[i].joint);
        memoryRelease(memory, pose->skin[i].bone);
    }
    void *const blocks[] = { pose->node, pose->order, pose->place, pose->skin, pose->weight, pose->part, pose->target };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    *pose = (GltfPose){ 0 };
}
