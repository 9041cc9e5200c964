// How far the points of an animated glTF file may go, from the largest numbers of its keys: whatever the time, they are
// finite and near enough to be a mesh.
#include "mesh/gltf.h"

#include <math.h>

// No point goes further than stretch x its own distance from the origin + shift.
typedef struct Reach
{
    double stretch, shift; // shift: m
} Reach;

static double length3(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static Reach reachOfPlace(const GltfPlace *place)
{
    double rows = 0, columns = 0;
    for (int i = 0; i < 3; ++i)
    {
        rows = maxReal(rows, fabs(place->m[i][0]) + fabs(place->m[i][1]) + fabs(place->m[i][2]));
        columns = maxReal(columns, fabs(place->m[0][i]) + fabs(place->m[1][i]) + fabs(place->m[2][i]));
    }
    const double shift[3] = { place->m[0][3], place->m[1][3], place->m[2][3] };
    return (Reach){ sqrt(rows * columns), length3(shift) };
}

static Reach reachOfNode(const GltfNode *node)
{
    if (node->fixed)
        return reachOfPlace(&node->matrix);
    return (Reach){ maxReal(fabs(node->scale[0]), maxReal(fabs(node->scale[1]), fabs(node->scale[2]))),
                    length3(node->move) };
}

static Reach inside(Reach outer, Reach inner)
{
    return (Reach){ outer.stretch * inner.stretch, outer.stretch * inner.shift + outer.shift };
}

// of all nodes, as far as rest and keys take them
static void reachNodes(const Gltf *gltf, const GltfKeys *keys, Reach *reach, double *weight)
{
    const GltfPose *pose = &gltf->pose;
    for (int i = 0; i < pose->orderCount; ++i)
        reach[pose->order[i]] = reachOfNode(&pose->node[pose->order[i]]);
    for (int i = 0; i < pose->weightCount; ++i)
        weight[i] = fabs(pose->weight[i]);
    for (int i = 0; i < keys->count; ++i)
    {
        const GltfChannel *channel = &keys->channel[i];
        const GltfNode *node = &pose->node[channel->node];
        Reach *own = &reach[channel->node];
        if (channel->path == GLTF_MOVE)
            own->shift = maxReal(own->shift, sqrt(3) * channel->most);
        if (channel->path == GLTF_SCALE)
            own->stretch = maxReal(own->stretch, channel->most);
        for (int k = 0; channel->path == GLTF_WEIGHTS && k < node->weightCount; ++k)
            weight[node->firstWeight + k] = maxReal(weight[node->firstWeight + k], channel->most);
    }
    for (int i = 0; i < pose->orderCount; ++i)
    {
        int parent = pose->node[pose->order[i]].parent;
        if (parent >= 0)
            reach[pose->order[i]] = inside(reach[parent], reach[pose->order[i]]);
    }
}

static double reachOfPart(const Gltf *gltf, const GltfPart *part, const Reach *reach, const double *weight)
{
    const GltfPose *pose = &gltf->pose;
    double far = gltfLargest(&part->position), most = 0;
    for (int t = 0; t < part->targetCount; ++t)
        far += weight[pose->node[part->node].firstWeight + t] * gltfLargest(&pose->target[part->firstTarget + t]);
    far *= sqrt(3);
    const GltfSkin *skin = part->skin >= 0 ? &pose->skin[part->skin] : NULL;
    for (int j = 0; skin != NULL && j < skin->jointCount; ++j)
    {
        GltfPlace inverse = gltfInverse(skin, j);
        Reach own = inside(reach[skin->joint[j]], reachOfPlace(&inverse));
        most = fmax(most, isfinite(own.stretch) && isfinite(own.shift) ? own.stretch * far + own.shift : INFINITY);
    }
    return skin != NULL ? most : reach[part->node].stretch * far + reach[part->node].shift;
}

bool gltfReach(Gltf *gltf, const GltfKeys *keys)
{
    const GltfPose *pose = &gltf->pose;
    Memory *memory = gltf->reader->memory;
    Reach *reach = ALLOCATE(memory, Reach, gltf->nodes.count);
    double *weight = ALLOCATE(memory, double, pose->weightCount);
    bool ok = reach != NULL && weight != NULL;
    if (ok)
        reachNodes(gltf, keys, reach, weight);
    else
        readerOutOfMemory(gltf->reader);
    for (int i = 0; i < pose->partCount && ok; ++i)
    {
        double far = reachOfPart(gltf, &pose->part[i], reach, weight);
        ok = far <= FARTHEST ||
             gltfFault(gltf, "repair the keys, or scale the file to metres",
                       "the animation may take points %g m far, must stay within %g m", far, FARTHEST);
    }
    memoryRelease(memory, reach);
    memoryRelease(memory, weight);
    return ok;
}
