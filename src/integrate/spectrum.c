// How much of the motion is as short as the mesh: the share of the kinetic energy in what a vertex does beside its
// neighbours. Energy alone cannot tell motion from noise: a blend may hold the total while springs ring from vertex to
// vertex (Dinev 2018, section 6 and Fig 16). Rigid motion is taken out first, since vertices of a surface have their
// neighbours on one side. Independent random velocities give about 1, motion over ten edges less than 0.1.
//
// Only what the free vertices move counts. Pins that are moved have neighbours follow them, and are not noise: a
// neighbour that is pinned is left out, and u of a vertex is its own against the mean of the free ones around it.
#include "integrate/integrate.h"

// what is not rigid motion into `rest`, zero sums into `sum`, and zero degrees
static void removeRigid(const State *s, const Member *member, const double *position, const double *velocity,
                        double *rest, double *sum, double *degree)
{
    int begin = member->offset, end = member->offset + member->count;
    RigidMotion motion = rigidMotion(s, position, velocity, begin, end);
    for (int v = begin; v < end; ++v)
    {
        Vec3 r = vecSub(vecLoad(position + 3 * (ptrdiff_t)v), motion.centre);
        Vec3 rigid = vecAdd(motion.velocity, vecCross(motion.spin, r));
        vecStore(rest + 3 * (ptrdiff_t)v, vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), rigid));
        vecStore(sum + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        degree[v] = 0;
    }
}

// J, 1/2 m |u - mean of the neighbours' u|^2 over the free vertices of a member, scaled so that noise keeps its energy
static double shortMotion(const State *s, const Member *member, const double *rest, double *sum, double *degree)
{
    const Graph *graph = member->graph;
    double energy = 0;
    for (int column = 0; graph != NULL && column < member->count; ++column)
    {
        int a = member->offset + column;
        for (int k = graph->start[column] + 1; k < graph->start[column + 1]; ++k) // the diagonal comes first
        {
            int b = member->offset + graph->row[k];
            if (s->pinned[a] || s->pinned[b])
                continue;
            for (int i = 0; i < 3; ++i)
            {
                sum[3 * (ptrdiff_t)a + i] += rest[3 * (ptrdiff_t)b + i];
                sum[3 * (ptrdiff_t)b + i] += rest[3 * (ptrdiff_t)a + i];
            }
            degree[a] += 1;
            degree[b] += 1;
        }
    }
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (s->pinned[v] || degree[v] == 0)
            continue;
        Vec3 mean = vecScale(1 / degree[v], vecLoad(sum + 3 * (ptrdiff_t)v));
        Vec3 u = vecSub(vecLoad(rest + 3 * (ptrdiff_t)v), mean);
        energy += 0.5 * s->mass[v] * vecDot(u, u) * degree[v] / (degree[v] + 1);
    }
    return energy;
}

double spectrumShare(System *system, const double *position, const double *velocity)
{
    State *s = &system->state;
    double *rest = scratchTake(s), *sum = scratchTake(s), *degree = scratchTake(s), kinetic = 0, brief = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        removeRigid(s, member, position, velocity, rest, sum, degree);
        brief += shortMotion(s, member, rest, sum, degree);
    }
    scratchGive(s, degree);
    scratchGive(s, sum);
    scratchGive(s, rest);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v);
        kinetic += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(u, u);
    }
    return kinetic > 0 ? minReal(brief / kinetic, 1) : 0;
}
