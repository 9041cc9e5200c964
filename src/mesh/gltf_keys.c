// The animations of a glTF file: keys of nodes and of morph weights over time.
#include "mesh/gltf.h"

#include <math.h>
#include <string.h>

#define HALVINGS 16 // of the way between two rotations; what is left is straight to 1e-13

static const char *const again = "repair the file, or export it again";

// ---- reading --------------------------------------------------------------------------------------------------------

static GltfPath pathOf(const Json *target)
{
    static const char *const names[GLTF_PATHS] = { "translation", "rotation", "scale", "weights" };
    const Json *path = jsonFind(target, "path");
    for (int i = 0; i < GLTF_PATHS && jsonIs(path, JSON_STRING); ++i)
    {
        if (strcmp(path->string, names[i]) == 0)
            return (GltfPath)i;
    }
    return GLTF_PATHS;
}

static bool readWay(Gltf *gltf, const Json *sampler, GltfWay *way)
{
    static const char *const names[] = { "LINEAR", "STEP", "CUBICSPLINE" };
    const Json *given = jsonFind(sampler, "interpolation");
    *way = GLTF_LINEAR;
    if (given == NULL)
        return true;
    for (int i = 0; i < 3 && given->kind == JSON_STRING; ++i)
    {
        *way = (GltfWay)i;
        if (strcmp(given->string, names[i]) == 0)
            return true;
    }
    return gltfFault(gltf, "export it with linear keys",
                     "interpolation is '%.20s', must be LINEAR, STEP or CUBICSPLINE",
                     given->kind == JSON_STRING ? given->string : "something else");
}

// times grow
static bool checkInput(Gltf *gltf, const GltfNumbers *input, double *longest)
{
    if (input->count < 1 || input->type != NUMBER_FLOAT32 || !(gltfLargest(input) >= 0) || gltfReal(input, 0, 0) < 0)
        return gltfFault(gltf, again, "the %d times of a channel must be floats, at least one, finite and not below 0",
                         input->count);
    *longest = 0;
    for (int i = 1; i < input->count; ++i)
    {
        double from = gltfReal(input, i - 1, 0), to = gltfReal(input, i, 0);
        if (!(to > from))
            return gltfFault(gltf, again, "key %d is at %g s, must be after the one before, at %g s", i, to, from);
        *longest = maxReal(*longest, to - from);
    }
    return true;
}

static bool readSampler(Gltf *gltf, const Json *sampler, GltfChannel *channel)
{
    long long input, output, last = gltf->accessors.count - 1;
    double longest = 0;
    int across = channel->path == GLTF_WEIGHTS ? 1 : channel->width;
    if (!readWay(gltf, sampler, &channel->way) || !gltfWhole(gltf, sampler, "input", last, -1, &input) ||
        !gltfWhole(gltf, sampler, "output", last, -1, &output) || !gltfNumbers(gltf, input, 1, &channel->input) ||
        !gltfNumbers(gltf, output, across, &channel->output) || !checkInput(gltf, &channel->input, &longest))
        return false;
    long long wanted =
        (long long)channel->input.count * (channel->way == GLTF_CUBIC ? 3 : 1) * (channel->width / across);
    if (channel->output.count < wanted)
        return gltfFault(gltf, again, "accessor %lld has %d values of keys, must have %lld", output,
                         channel->output.count, wanted);
    channel->most = gltfLargest(&channel->output);
    if (channel->most < 0)
        return gltfFault(gltf, again, "a number of accessor %lld is not finite", output);
    // the tangents of a cubic add at most 4/27 of their length each
    channel->most *= channel->way == GLTF_CUBIC ? 1 + 8.0 / 27 * longest : 1;
    return true;
}

static bool readChannel(Gltf *gltf, const Json *entry, const Json *samplers, GltfKeys *keys)
{
    const Json *target = jsonFind(entry, "target");
    GltfChannel channel = { .path = pathOf(target) };
    long long node, sampler;
    if (channel.path == GLTF_PATHS || jsonFind(target, "node") == NULL)
        return true;
    if (!gltfWhole(gltf, target, "node", gltf->nodes.count - 1, -1, &node) ||
        !gltfWhole(gltf, entry, "sampler", jsonCount(samplers) - 1, -1, &sampler))
        return false;
    const GltfNode *own = &gltf->pose.node[node];
    channel.node = (int)node;
    channel.width = channel.path == GLTF_WEIGHTS ? own->weightCount : channel.path == GLTF_TURN ? 4 : 3;
    if (!own->seen || channel.width == 0)
        return true;
    if (own->fixed && channel.path != GLTF_WEIGHTS)
        return gltfFault(gltf, "export it with translation, rotation and scale",
                         "node %lld has a matrix, which no animation can move", node);
    if (!readSampler(gltf, jsonEntry(samplers, (int)sampler), &channel))
        return false;
    keys->channel[keys->count++] = channel;
    double begin = gltfReal(&channel.input, 0, 0);
    keys->begin = keys->count > 1 ? minReal(keys->begin, begin) : begin;
    keys->end = maxReal(keys->end, gltfReal(&channel.input, channel.input.count - 1, 0));
    return true;
}

static bool chooseClip(Gltf *gltf, const char *clip, const Json **animation)
{
    const GltfList *list = &gltf->animations;
    if (list->count == 0)
        return gltfFault(gltf, "export it with its animation, or name a point cache", "the file has no animation");
    *animation = list->entry[0];
    const char *first = "without a name";
    for (int i = list->count - 1; i >= 0 && clip != NULL; --i)
    {
        const Json *name = jsonFind(list->entry[i], "name");
        *animation = list->entry[i];
        if (jsonIs(name, JSON_STRING) && strcmp(name->string, clip) == 0)
            return true;
        first = jsonIs(name, JSON_STRING) ? name->string : "without a name";
    }
    return clip == NULL ||
           gltfFault(gltf, "name one of its animations as clip, or leave clip out",
                     "the file has no animation '%.40s'; the first of its %d is '%.40s'", clip, list->count, first);
}

bool gltfKeysOpen(Gltf *gltf, const char *clip, GltfKeys *keys)
{
    const Json *animation = NULL;
    *keys = (GltfKeys){ 0 };
    if (!chooseClip(gltf, clip, &animation))
        return false;
    const Json *channels = jsonFind(animation, "channels"), *samplers = jsonFind(animation, "samplers");
    if (!jsonIs(channels, JSON_LIST) || !jsonIs(samplers, JSON_LIST))
        return gltfFault(gltf, again, "an animation has no lists of channels and samplers");
    keys->channel = ALLOCATE(gltf->reader->memory, GltfChannel, jsonCount(channels));
    if (keys->channel == NULL)
        return readerOutOfMemory(gltf->reader);
    bool ok = true;
    for (const Json *entry = channels->first; entry != NULL && ok && gltf->pose.node != NULL; entry = entry->next)
        ok = readChannel(gltf, entry, samplers, keys);
    return ok &&
           (keys->count > 0 || gltfFault(gltf, "export the animation with the mesh that it moves, or name another clip",
                                         "the animation moves nothing of the scene"));
}

void gltfKeysClose(Gltf *gltf, GltfKeys *keys)
{
    memoryRelease(gltf->reader->memory, keys->channel);
    *keys = (GltfKeys){ 0 };
}

// ---- values ---------------------------------------------------------------------------------------------------------

// the key before a time, and how far it is to the next, [0, 1]
static int findKey(const GltfNumbers *input, double time, double *share)
{
    int low = 0, high = input->count - 1;
    *share = 0;
    if (high == 0 || time <= gltfReal(input, 0, 0))
        return 0;
    if (time >= gltfReal(input, high, 0))
        return high;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        *(gltfReal(input, middle, 0) <= time ? &low : &high) = middle;
    }
    double from = gltfReal(input, low, 0);
    *share = (time - from) / (gltfReal(input, high, 0) - from);
    return low;
}

static void unit(double *q)
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int c = 0; c < 4; ++c)
        q[c] = length > 0 ? q[c] / length : c == 3;
}

// on the shorter great circle, by halves: square roots have the same bits everywhere
static void turnBetween(double *a, double *b, double share, double *out)
{
    unit(a);
    unit(b);
    double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
    for (int c = 0; c < 4; ++c)
        b[c] *= sign;
    for (int k = 0; k < HALVINGS; ++k)
    {
        double middle[4];
        for (int c = 0; c < 4; ++c)
            middle[c] = a[c] + b[c];
        unit(middle);
        memcpy(share < 0.5 ? b : a, middle, sizeof middle);
        share = share < 0.5 ? 2 * share : 2 * share - 1;
    }
    for (int c = 0; c < 4; ++c)
        out[c] = a[c] + share * (b[c] - a[c]);
    unit(out);
}

// number `column` of key `key`; `part` of a cubic: tangent before, value, tangent behind
static double valueAt(const GltfChannel *channel, int key, int part, int column)
{
    int row = channel->way == GLTF_CUBIC ? 3 * key + part : key;
    return channel->path == GLTF_WEIGHTS ? gltfReal(&channel->output, row * channel->width + column, 0)
                                         : gltfReal(&channel->output, row, column);
}

static double cubicAt(const GltfChannel *channel, int key, int column, double s)
{
    double step = gltfReal(&channel->input, key + 1, 0) - gltfReal(&channel->input, key, 0);
    double s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * valueAt(channel, key, 1, column) +
           (s3 - 2 * s2 + s) * step * valueAt(channel, key, 2, column) +
           (3 * s2 - 2 * s3) * valueAt(channel, key + 1, 1, column) +
           (s3 - s2) * step * valueAt(channel, key + 1, 0, column);
}

static void channelAt(const GltfChannel *channel, double time, double *out)
{
    double s, a[4], b[4];
    int key = findKey(&channel->input, time, &s);
    if (channel->path == GLTF_TURN && channel->way == GLTF_LINEAR && s > 0)
    {
        for (int c = 0; c < 4; ++c)
        {
            a[c] = valueAt(channel, key, 0, c);
            b[c] = valueAt(channel, key + 1, 0, c);
        }
        turnBetween(a, b, s, out);
        return;
    }
    for (int c = 0; c < channel->width; ++c)
    {
        double own = valueAt(channel, key, 1, c);
        if (s > 0 && channel->way == GLTF_LINEAR)
            own += s * (valueAt(channel, key + 1, 1, c) - own);
        out[c] = s > 0 && channel->way == GLTF_CUBIC ? cubicAt(channel, key, c, s) : own;
    }
    if (channel->path == GLTF_TURN)
        unit(out);
}

void gltfKeysAt(Gltf *gltf, const GltfKeys *keys, double time)
{
    for (int i = 0; i < keys->count; ++i)
    {
        const GltfChannel *channel = &keys->channel[i];
        GltfNode *node = &gltf->pose.node[channel->node];
        double *const out[GLTF_PATHS] = { node->move, node->turn, node->scale,
                                          gltf->pose.weight != NULL ? gltf->pose.weight + node->firstWeight : NULL };
        channelAt(channel, time, out[channel->path]);
    }
    gltfPoseUpdate(gltf);
}
