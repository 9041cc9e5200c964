// Blades that cut a body while the scene runs.
#include "scene/built.h"

#define ROUNDING 1e-9 // of the time that a blade takes

static vvVec3 cornerOf(const Json *rows, int row)
{
    const Json *at = row == 0 ? rows->first : rows->first->next;
    return (vvVec3){ at->first->number, at->first->next->number, at->first->next->next->number };
}

static vvVec3 between(vvVec3 a, vvVec3 b, double share)
{
    return (vvVec3){ a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z) };
}

// how far the blade has come; times are sums of steps, and what their rounding leaves of the way is no cut
static double shareAt(const Json *blade, double time)
{
    double since = time - treeNumber(blade, "time", 0), duration = treeNumber(blade, "duration", 0);
    double slack = ROUNDING * duration;
    return since <= slack ? 0 : since < duration - slack ? since / duration : 1;
}

vvResult sweepBlades(vvSoftBodyId id, const Json *body, int index, double begin, double end)
{
    vvResult result = resultOk();
    int entry = 0;
    TREE_EACH(blade, treeItem(body, "blades"))
    {
        double first = shareAt(blade, begin), last = shareAt(blade, end);
        const Json *from = treeItem(blade, "from"), *to = treeItem(blade, "to");
        vvBlade swept;
        for (int k = 0; k < 2; ++k)
        {
            swept.before[k] = between(cornerOf(from, k), cornerOf(to, k), first);
            swept.after[k] = between(cornerOf(from, k), cornerOf(to, k), last);
        }
        if (result.code == VV_OK && last > first)
            result = vvSoftBody_Cut(id, &swept);
        if (result.code != VV_OK)
            return resultMake(result.code, result.remedy, "bodies[%d].blades[%d]: %s", index, entry, result.message);
        entry += 1;
    }
    return result;
}
