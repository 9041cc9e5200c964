// Planes in lanes (plane_kernels.c), in whatever order kinds of pairs come.
#include "contact/proximity.h"

#include <stddef.h>

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &planeKernels_avx2
#else
#define TABLE_AVX2 &planeKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &planeKernels_avx512
#else
#define TABLE_AVX512 &planeKernels_base
#endif

static const PlaneKernels *const kernels[ISA_COUNT] = { &planeKernels_base, TABLE_AVX2, TABLE_AVX512 };

#define STRIDE ((int)(sizeof(Plane) / sizeof(double)))

_Static_assert(sizeof(Plane) % sizeof(double) == 0, "planes are whole numbers of doubles");
_Static_assert(offsetof(Plane, at.normal) == PLANE_NORMAL * sizeof(double), "as lanes expect it");
_Static_assert(offsetof(Plane, slack) == PLANE_SLACK * sizeof(double), "as lanes expect it");
_Static_assert(offsetof(Plane, radius) == (PLANE_SHIFT + 2) * sizeof(double), "as lanes expect it");

static const PlaneKernels *kernelsOf(const Proximity *p)
{
    return kernels[p->body[0].mesh->features->isa];
}

// ---- planes of pairs ------------------------------------------------------------------------------------------------

// Those that wait, of vertices and triangles and of edges.
typedef struct Waiting
{
    const Proximity *proximity;
    const double *x;
    Plane *plane;
    PlaneLanes lanes[2];
    int count[2];
} Waiting;

static void repeatLast(PlaneLanes *lanes, int count)
{
    for (int lane = count; lane < PLANE_LANES; ++lane)
    {
        lanes->place[lane] = lanes->place[count - 1];
        for (int k = 0; k < 4; ++k)
            lanes->vertex[k][lane] = lanes->vertex[k][count - 1];
    }
}

static void makeLanes(Waiting *waiting, int kind)
{
    const PlaneKernels *table = kernelsOf(waiting->proximity);
    repeatLast(&waiting->lanes[kind], waiting->count[kind]);
    (kind == 0 ? table->vertexTriangle : table->edges)(waiting->x, &waiting->lanes[kind], (double *)waiting->plane);
    waiting->count[kind] = 0;
}

static Plane planeOf(const Proximity *p, int pair)
{
    const NearName *name = &p->name[pair];
    return (Plane){ .radius = name->radius,
                    .vertex = { name->vertex[0], name->vertex[1], name->vertex[2], name->vertex[3] },
                    .pair = pair,
                    .first = name->first,
                    .inner = name->inner,
                    .pressed = name->pressed };
}

static void add(Waiting *waiting, int pair, int place)
{
    const NearName *name = &waiting->proximity->name[pair];
    int kind = name->first - 1, lane = waiting->count[kind]++;
    for (int k = 0; k < 4; ++k)
        waiting->lanes[kind].vertex[k][lane] = name->vertex[k];
    waiting->lanes[kind].place[lane] = place * STRIDE;
    waiting->plane[place] = planeOf(waiting->proximity, pair);
    if (lane + 1 == PLANE_LANES)
        makeLanes(waiting, kind);
}

static void makeRest(Waiting *waiting)
{
    for (int kind = 0; kind < 2; ++kind)
    {
        if (waiting->count[kind] > 0)
            makeLanes(waiting, kind);
    }
}

int planesMake(const Proximity *p, const double *x, int begin, int count, const bool *passes, Plane *plane)
{
    Waiting waiting = { .proximity = p, .x = x, .plane = plane };
    int found = 0, kept = 0;
    for (int i = 0; i < count; ++i)
    {
        if (passes[i])
            add(&waiting, begin + i, found++);
    }
    makeRest(&waiting);
    for (int i = 0; i < found; ++i)
    {
        if (!(plane[i].at.distance > 0)) // they have met
            continue;
        if (kept != i)
            plane[kept] = plane[i];
        kept += 1;
    }
    return kept;
}

void planesNearest(const Proximity *p, const double *x, const int *number, int count, Closest *nearest)
{
    Plane plane[PLANES_AT_ONCE];
    Waiting waiting = { .proximity = p, .x = x, .plane = plane };
    for (int i = 0; i < count; ++i)
        add(&waiting, p->plane[number[i]].pair, i);
    makeRest(&waiting);
    for (int i = 0; i < count; ++i)
        nearest[i] = plane[i].at;
}

// `share` of the distance: where the plane is, from the second
Plane planeBetween(const Proximity *p, int pair, const Vec3 at[4], const Closest *closest, double share)
{
    Plane plane = planeOf(p, pair);
    int first = (int)plane.first;
    Vec3 foot = vec3(0, 0, 0); // of the second, from its first corner
    plane.at = *closest;
    for (int k = first; k < 4; ++k)
        foot = vecAdd(foot, vecScale(-closest->weight[k], vecSub(at[k], at[first])));
    double level = share * closest->distance;
    for (int k = 0; k < 4; ++k)
    {
        double above = vecDot(closest->normal, vecSub(vecSub(at[k], at[first]), foot)) - level;
        plane.slack[k] = maxReal(k < first ? above : -above, 0);
    }
    return plane;
}

// ---- planes that there are ------------------------------------------------------------------------------------------

static void loadLanes(const Plane *plane, int count, PlaneLanes *lanes)
{
    for (int lane = 0; lane < count; ++lane)
    {
        lanes->place[lane] = lane * STRIDE;
        for (int k = 0; k < 4; ++k)
            lanes->vertex[k][lane] = plane[lane].vertex[k];
    }
    repeatLast(lanes, count);
}

static bool reaches(const Proximity *p, const Plane *plane, double ahead, double reach)
{
    const double *w = plane->at.weight;
    if (plane->inner && w[0] * w[1] * w[2] * w[3] == 0)
        return false;
    return !(ahead > reach) || (plane->pressed && vecDot(p->pair[plane->pair].impulse, plane->at.normal) > 0);
}

void planesReach(const Proximity *p, const ContactView *view, Plane *plane, int count)
{
    PlaneLanes lanes;
    double gap[PLANE_LANES], ahead[PLANE_LANES];
    for (int i = 0; i < count; i += PLANE_LANES)
    {
        int now = minInt(PLANE_LANES, count - i);
        loadLanes(plane + i, now, &lanes);
        kernelsOf(p)->reach(view->z, view->velocity, view->h, &lanes, (const double *)(plane + i), gap, ahead);
        for (int lane = 0; lane < now; ++lane)
        {
            plane[i + lane].gap = gap[lane];
            plane[i + lane].reaches = reaches(p, &plane[i + lane], ahead[lane], view->reach);
        }
    }
}

bool planesPlace(const Proximity *p, Plane *plane, int count, const unsigned char *pinned, bool *passed)
{
    PlaneLanes lanes;
    double second[PLANE_LANES], shift[PLANE_LANES], most[PLANE_LANES];
    unsigned pins = 0;
    loadLanes(plane, count, &lanes);
    for (int lane = 0; lane < PLANE_LANES; ++lane)
    {
        const Plane *own = &plane[minInt(lane, count - 1)];
        second[lane] = own->first == 2 ? -1 : 1;
        pins |= pinned[own->vertex[0]] | pinned[own->vertex[1]] | pinned[own->vertex[2]] | pinned[own->vertex[3]];
    }
    if (pins != 0)
        return false;
    kernelsOf(p)->place(p->move, second, &lanes, (const double *)plane, shift, most);
    for (int lane = 0; lane < count; ++lane)
    {
        plane[lane].shift = shift[lane];
        *passed |= most[lane] > 0;
    }
    return true;
}
