// The points of a carried surface by which a cage meets colliders: a subset that is spread over it, each for the area
// that is nearest to it.
#include "world/world.h"

typedef struct Spread
{
    const vvEmbedding *surface;
    const double *rest; // pointCount x 3, m
    int pointCount;
    double *area;   // pointCount, m^2 at rest
    double *gap;    // pointCount, m^2: to the nearest chosen point
    int *nearest;   // pointCount: that point, by its place among the chosen
    int *chosen;    // most: points
    int count;      // chosen
    int *corner;    // most x 4, in the mesh's order
    double *share;  // most x 4
    double *stands; // most, m^2
} Spread;

static Vec3 restPoint(const Spread *s, int point)
{
    return vecLoad(s->rest + 3 * (ptrdiff_t)point);
}

static void findAreas(const Spread *s)
{
    for (int t = 0; t < vvEmbedding_GetTriangleCount(s->surface); ++t)
    {
        const int *c = vvEmbedding_GetTriangles(s->surface) + 3 * (ptrdiff_t)t;
        Vec3 a = restPoint(s, c[0]);
        double size = 0.5 * vecLength(vecCross(vecSub(restPoint(s, c[1]), a), vecSub(restPoint(s, c[2]), a)));
        for (int k = 0; k < 3; ++k)
            s->area[c[k]] += size / 3;
    }
}

// Each next point is the one farthest from those before it (Gonzalez 1985): spikes and corners are among the first.
static void choose(Spread *s, int most)
{
    int next = -1;
    for (int p = 0; p < s->pointCount; ++p)
    {
        s->gap[p] = s->area[p] > 0 ? INFINITY : 0;
        next = next < 0 && s->area[p] > 0 ? p : next;
    }
    while (next >= 0 && s->count < most)
    {
        Vec3 at = restPoint(s, next);
        s->chosen[s->count] = next;
        next = -1;
        double farthest = 0;
        for (int p = 0; p < s->pointCount; ++p)
        {
            Vec3 way = vecSub(restPoint(s, p), at);
            double square = vecDot(way, way);
            if (square < s->gap[p])
            {
                s->gap[p] = square;
                s->nearest[p] = s->count;
            }
            if (s->gap[p] > farthest)
            {
                farthest = s->gap[p];
                next = p;
            }
        }
        s->count += 1;
    }
}

// the largest share last: solvers know contacts between bodies by a last share below 0
static void bind(const Spread *s, const int *fromCaller)
{
    for (int i = 0; i < s->count; ++i)
    {
        const int *corner;
        const double *weight;
        embeddingHangsOn(s->surface, s->chosen[i], &corner, &weight);
        int largest = 0;
        for (int c = 1; c < 4; ++c)
            largest = weight[c] > weight[largest] ? c : largest;
        for (int c = 0; c < 4; ++c)
        {
            int from = c == 3 ? largest : c == largest ? 3 : c;
            s->corner[4 * i + c] = fromCaller[corner[from]];
            s->share[4 * i + c] = weight[from];
        }
    }
    for (int p = 0; p < s->pointCount; ++p)
        s->stands[s->nearest[p]] += s->area[p];
}

bool carriedPoints(Memory *memory, ContactBody *body, const vvMesh *mesh, int most)
{
    Spread s = { .surface = vvMesh_GetEmbedding(mesh) };
    if (s.surface == NULL)
        return false;
    s.rest = vvEmbedding_GetPoints(s.surface);
    s.pointCount = vvEmbedding_GetPointCount(s.surface);
    size_t points = (size_t)s.pointCount, room = (size_t)minInt(most, s.pointCount);
    s.area = ALLOCATE(memory, double, points);
    s.gap = ALLOCATE(memory, double, points);
    s.nearest = ALLOCATE(memory, int, points);
    s.chosen = ALLOCATE(memory, int, room);
    s.corner = ALLOCATE(memory, int, 4 * room);
    s.share = ALLOCATE(memory, double, 4 * room);
    s.stands = ALLOCATE(memory, double, room);
    bool ok = s.area && s.gap && s.nearest && s.chosen && s.corner && s.share && s.stands;
    if (ok)
    {
        findAreas(&s);
        choose(&s, (int)room);
        bind(&s, mesh->vertexFromCaller);
        ok = s.count > 0 && contactBodyEmbed(memory, body, s.count, s.corner, s.share, s.stands);
    }
    void *const blocks[] = { s.area, s.gap, s.nearest, s.chosen, s.corner, s.share, s.stands };
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
        memoryRelease(memory, blocks[k]);
    return ok;
}
