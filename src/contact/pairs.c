// Which vertices may touch which triangles within a step.
//
// Closed skins are one-sided: a vertex finds the nearest point of the surface, on the side that the triangle there says.
// Open ones are two-sided: a vertex belongs to the side it is on and keeps `radius` away, up to GRIPS directions at once.
// A vertex that is not near yet is followed along its way through the frozen surface, as far as the surface is away at
// a time (conservative advancement), so that it meets what it would hit first and does not jump through.
#include "contact/soft.h"

#include <string.h>

#define MARGIN 0.25    // of the edge: near
#define SHEET_ROOM 0.2 // of the edge: the least radius where a sheet takes part, so that it acts before it is crossed
#define DEPTH 2.0      // edges: how deep a vertex inside a solid is still seen
#define SELF_DEPTH 0.5 // edges: the same for a body that overlaps itself
#define APART 2.0      // edges at rest: parts of one body that are closer do not meet
#define CARRIED 0.9    // of the gap that a new normal changes
#define ALIKE 0.5      // cosine of two normals that go on from each other
#define HARDER 3.0     // solids against solids
#define TRACES 6       // steps along the way
#define PATIENCE 3     // steps a diagonal stays larger than needed

// ---- skins -------------------------------------------------------------------------------------------------------------

static double meanEdge(const Skin *skin)
{
    double sum = 0, area = 0;
    for (int t = 0; t < skin->triangleCount; ++t)
    {
        const int *corner = skin->triangle + 3 * (ptrdiff_t)t;
        for (int k = 0; k < 3; ++k)
        {
            Vec3 a = vecLoad(skin->rest + 3 * (ptrdiff_t)corner[k]);
            Vec3 b = vecLoad(skin->rest + 3 * (ptrdiff_t)corner[(k + 1) % 3]);
            sum += vecLength(vecSub(b, a)) / (3.0 * skin->triangleCount);
        }
    }
    for (int i = 0; i < skin->surfaceCount; ++i)
        area += skin->area[i];
    return skin->triangleCount > 0 ? sum : sqrt(area / skin->surfaceCount);
}

Skin *skinCreate(Memory *memory, const ContactBody *surface, int vertexCount, int triangleCount, const int *triangle,
                 const double *rest)
{
    Skin *skin = ALLOCATE(memory, Skin, 1);
    if (skin == NULL)
        return NULL;
    skin->surfaceCount = surface->surfaceCount;
    skin->vertex = surface->vertex;
    skin->area = surface->area;
    skin->vertexCount = vertexCount;
    skin->triangleCount = triangleCount;
    skin->triangle = triangle;
    skin->rest = rest;
    skin->edge = meanEdge(skin);
    size_t grips = (size_t)surface->surfaceCount * GRIPS;
    skin->grip = ALLOCATE(memory, Grip, grips);
    skin->marked = ALLOCATE(memory, Grip, grips);
    skin->load = ALLOCATE(memory, double, vertexCount);
    skin->held = ALLOCATE(memory, double, vertexCount);
    skin->markedHeld = ALLOCATE(memory, double, vertexCount);
    skin->patience = ALLOCATE(memory, unsigned char, vertexCount);
    skin->markedPatience = ALLOCATE(memory, unsigned char, vertexCount);
    bool ok = skin->grip && skin->marked && skin->load && skin->held && skin->markedHeld && skin->patience &&
              skin->markedPatience && skinPlant(memory, skin);
    if (!ok)
    {
        skinDestroy(memory, skin);
        return NULL;
    }
    skinForget(skin);
    skinMark(skin);
    return skin;
}

void skinDestroy(Memory *memory, Skin *skin)
{
    if (skin == NULL)
        return;
    memoryRelease(memory, skin->grip);
    memoryRelease(memory, skin->marked);
    memoryRelease(memory, skin->load);
    memoryRelease(memory, skin->held);
    memoryRelease(memory, skin->markedHeld);
    memoryRelease(memory, skin->patience);
    memoryRelease(memory, skin->markedPatience);
    memoryRelease(memory, skin->node);
    memoryRelease(memory, skin->order);
    memoryRelease(memory, skin);
}

void skinMark(Skin *skin)
{
    memcpy(skin->marked, skin->grip, (size_t)skin->surfaceCount * GRIPS * sizeof(Grip));
    memcpy(skin->markedHeld, skin->held, (size_t)skin->vertexCount * sizeof(double));
    memcpy(skin->markedPatience, skin->patience, (size_t)skin->vertexCount);
    skin->released = 0;
}

void skinRewind(Skin *skin)
{
    memcpy(skin->grip, skin->marked, (size_t)skin->surfaceCount * GRIPS * sizeof(Grip));
    memcpy(skin->held, skin->markedHeld, (size_t)skin->vertexCount * sizeof(double));
    memcpy(skin->patience, skin->markedPatience, (size_t)skin->vertexCount);
    skin->released = 0;
}

void skinForget(Skin *skin)
{
    for (int i = 0; i < skin->surfaceCount * GRIPS; ++i)
        skin->grip[i] = (Grip){ .other = -1, .triangle = -1 };
}

// ---- ways ----------------------------------------------------------------------------------------------------------------

typedef struct Search
{
    Vec3 gravity;
    double h;
} Search;

// where a vertex would go in the step if nothing stopped it
static Vec3 wayOf(const Search *search, const Skin *skin, int vertex)
{
    ptrdiff_t i = 3 * (ptrdiff_t)vertex;
    if (skin->pinned[vertex])
        return search->h > 0 ? vecSub(vecLoad(skin->pinTarget + i), vecLoad(skin->x + i)) : vec3(0, 0, 0);
    double h = search->h;
    return vecAdd(vecScale(h, vecLoad(skin->v + i)), vecScale(h * h, search->gravity));
}

static void measureWays(const Search *search, Skin *skin)
{
    skin->drift = vec3(0, 0, 0);
    skin->lower = vec3(INFINITY, INFINITY, INFINITY);
    skin->upper = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < skin->surfaceCount; ++i)
    {
        Vec3 x = vecLoad(skin->x + 3 * (ptrdiff_t)skin->vertex[i]);
        skin->lower = vec3(minReal(skin->lower.x, x.x), minReal(skin->lower.y, x.y), minReal(skin->lower.z, x.z));
        skin->upper = vec3(maxReal(skin->upper.x, x.x), maxReal(skin->upper.y, x.y), maxReal(skin->upper.z, x.z));
        Vec3 way = wayOf(search, skin, skin->vertex[i]);
        skin->drift = vecAdd(skin->drift, vecScale(1.0 / skin->surfaceCount, way));
    }
    skin->spread = 0;
    for (int i = 0; i < skin->surfaceCount; ++i)
        skin->spread = maxReal(skin->spread, vecLength(vecSub(wayOf(search, skin, skin->vertex[i]), skin->drift)));
}

// ---- one vertex and one skin ---------------------------------------------------------------------------------------------

bool skinsMeet(const Skin *a, const Skin *b)
{
    if (a == b)
        return a->self;
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// What is the same for all vertices of one skin against another.
typedef struct Match
{
    const Search *search;
    const Skin *own, *other;
    double radius;   // m
    double margin;   // m, beyond the radius: near
    double friction; //
    double depth;    // m
} Match;

static Match matchOf(const Search *search, const Skin *own, const Skin *other)
{
    Match match = { .search = search, .own = own, .other = other };
    bool solids = own->closed && other->closed;
    double edge = maxReal(own->closed ? 0 : own->edge, other->closed ? 0 : other->edge);
    match.radius = solids ? 0 : maxReal(own->radius + other->radius, SHEET_ROOM * edge);
    match.margin = MARGIN * minReal(own->edge, other->edge);
    match.depth = (own == other ? SELF_DEPTH : DEPTH) * other->edge;
    match.friction = frictionMix(own->friction, other->friction);
    return match;
}

// The harmonic mean of both, so that a body against its like is as hard as against a collider; solids more, for where
// a corner presses, one vertex carries what a face would.
static double weightOf(const Match *match, int surface)
{
    double a = match->own->stiffness, b = match->other->stiffness;
    double factor = match->own->closed && match->other->closed ? HARDER : 1;
    return factor * match->own->area[surface] * 2 * a * b / (a + b);
}

static bool isInside(const Match *match, const SkinHit *hit)
{
    return match->other->closed && vecDot(hit->direction, hit->face) < 0;
}

static bool isAllPinned(const Match *match, int vertex, const SkinHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    const unsigned char *pinned = match->other->pinned;
    return match->own->pinned[vertex] && pinned[corner[0]] && pinned[corner[1]] && pinned[corner[2]];
}

// the way of the vertex against that of the point that was hit
static Vec3 relativeWay(const Match *match, Vec3 way, const SkinHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    for (int k = 0; k < 3; ++k)
        way = vecSub(way, vecScale(hit->share[k], wayOf(match->search, match->other, corner[k])));
    return way;
}

static Grip gripOf(const Match *match, int surface, const SkinHit *hit)
{
    Grip grip = { .other = match->other->slot,
                  .triangle = hit->triangle,
                  .radius = match->radius,
                  .weight = weightOf(match, surface),
                  .friction = match->friction };
    for (int k = 0; k < 3; ++k)
        grip.share[k] = hit->share[k];
    vecStore(grip.normal, vecScale(isInside(match, hit) ? -1 : 1, hit->direction));
    return grip;
}

// Follows the vertex to the first point it could touch within the step; false: there is none. A vertex that held on to
// nothing cannot be deeper than it moves in a step: what looks like it is the far side of a crumpled surface, and a pair
// from nowhere would come with energy from nowhere.
static bool follow(const Match *match, const SkinQuery *query, bool holds, Vec3 x, Vec3 way, SkinHit *hit)
{
    double near = match->radius + match->margin, passed = 0; // passed: share of the way
    double fastest = vecLength(vecSub(way, match->other->drift)) + match->other->spread;
    Vec3 point = x;
    for (int k = 0; k < TRACES; ++k)
    {
        double limit = near + (1 - passed) * fastest;
        if (k == 0 && match->other->closed && holds)
            limit = maxReal(limit, match->depth);
        if (skinNear(query, point, limit, hit) == 0)
            return false;
        if (isInside(match, hit))
            return hit->distance <= (holds ? match->depth : near + fastest);
        if (hit->distance <= near)
            return true;
        Vec3 relative = relativeWay(match, way, hit);
        double length = vecLength(relative);
        if (passed >= 1 || hit->distance > near + (1 - passed) * length)
            return false;
        passed = minReal(passed + (hit->distance - 0.5 * near) / length, 1);
        point = vecAdd(x, vecScale(passed, relative));
    }
    return true;
}

// grips of one vertex on one skin, at most `room`; returns how many
static int findGrips(const Match *match, int surface, Grip *grips, int room)
{
    bool holds = false;
    for (int k = 0; k < GRIPS; ++k)
        holds |= match->own->grip[surface * GRIPS + k].other == match->other->slot;
    int vertex = match->own->vertex[surface], count = 0;
    Vec3 x = vecLoad(match->own->x + 3 * (ptrdiff_t)vertex), way = wayOf(match->search, match->own, vertex);
    bool self = match->own == match->other;
    SkinQuery query = { .skin = match->other,
                        .self = self ? vertex : -1,
                        .apart = maxReal(APART * match->other->edge, 2 * match->radius),
                        .most = 1 };
    SkinHit hits[GRIPS];
    if (!match->other->closed)
    {
        query.most = GRIPS;
        int near = skinNear(&query, x, match->radius + match->margin, hits);
        for (int k = 0; k < near && count < room; ++k)
        {
            if (!isAllPinned(match, vertex, &hits[k]))
                grips[count++] = gripOf(match, surface, &hits[k]);
        }
        query.most = 1;
        if (near > 0)
            return count;
    }
    if (room > 0 && follow(match, &query, holds, x, way, hits) && !isAllPinned(match, vertex, hits))
        grips[count++] = gripOf(match, surface, hits);
    return count;
}

double pairsDepth(const Skin *own, const Skin *other)
{
    double depth = 0, limit = vecLength(vecSub(other->upper, other->lower));
    bool apart = own->lower.x > other->upper.x || own->lower.y > other->upper.y || own->lower.z > other->upper.z ||
                 own->upper.x < other->lower.x || own->upper.y < other->lower.y || own->upper.z < other->lower.z;
    if (!other->closed || apart || !skinsMeet(own, other))
        return 0;
    SkinQuery query = { .skin = other, .self = -1, .most = 1 };
    for (int i = 0; i < own->surfaceCount; ++i)
    {
        SkinHit hit;
        Vec3 x = vecLoad(own->x + 3 * (ptrdiff_t)own->vertex[i]);
        if (skinNear(&query, x, limit, &hit) > 0 && vecDot(hit.direction, hit.face) < 0)
            depth = maxReal(depth, hit.distance);
    }
    return depth;
}

// ---- from step to step ---------------------------------------------------------------------------------------------------

static bool comesBefore(const Grip *a, const Grip *b)
{
    return a->other < b->other || (a->other == b->other && a->triangle < b->triangle);
}

static void sortGrips(Grip *grips, int count)
{
    for (int i = 1; i < count; ++i)
    {
        Grip grip = grips[i];
        int place = i;
        for (; place > 0 && comesBefore(&grip, &grips[place - 1]); --place)
            grips[place] = grips[place - 1];
        grips[place] = grip;
    }
}

static double gapOf(const Skin *own, const Skin *other, int surface, const Grip *grip)
{
    Vec3 corner[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = vecLoad(other->x + 3 * (ptrdiff_t)other->triangle[3 * (ptrdiff_t)grip->triangle + k]);
    return gripDistance(grip, vecLoad(own->x + 3 * (ptrdiff_t)own->vertex[surface]), corner);
}

// The anchor goes on as far as it lies in the new plane. A vertex that is pressed goes on with nearly the gap it had:
// the new normal and point would change it, and with it the energy; the radius makes up for it and comes back in some
// steps.
static void inheritOne(const Skin *own, const Skin *other, int surface, const Grip *old, Grip *grip)
{
    Vec3 n = vecLoad(grip->normal), offset = vecLoad(old->offset);
    grip->force = old->force;
    vecStore(grip->offset, vecSub(offset, vecScale(vecDot(offset, n), n)));
    double before = gapOf(own, other, surface, old);
    if (before < 0 && vecDot(n, vecLoad(old->normal)) > ALIKE)
        grip->radius -= CARRIED * (before - gapOf(own, other, surface, grip));
}

// each grip goes on from the one on the same triangle, or else on the same body
static void inherit(const Skin *own, Skin *const *skins, int surface, Grip *grips, int count)
{
    const Grip *old = own->grip + (ptrdiff_t)surface * GRIPS;
    bool taken[GRIPS] = { false }, done[GRIPS] = { false };
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < count; ++i)
        {
            for (int k = 0; k < GRIPS && !done[i]; ++k)
            {
                bool same = old[k].other == grips[i].other && (pass == 1 || old[k].triangle == grips[i].triangle);
                if (!same || taken[k])
                    continue;
                inheritOne(own, skins[grips[i].other], surface, &old[k], &grips[i]);
                taken[k] = done[i] = true;
            }
        }
    }
}

static int searchVertex(const Search *search, Skin *own, Skin *const *skins, int slotCount, int surface)
{
    Grip fresh[GRIPS], *old = own->grip + (ptrdiff_t)surface * GRIPS;
    int count = 0;
    for (int slot = 0; slot < slotCount && count < GRIPS; ++slot)
    {
        if (skins[slot] == NULL || skins[slot]->triangleCount == 0 || !skinsMeet(own, skins[slot]))
            continue;
        Match match = matchOf(search, own, skins[slot]);
        count += findGrips(&match, surface, fresh + count, GRIPS - count);
    }
    sortGrips(fresh, count);
    for (int k = 0; k < GRIPS; ++k)
        own->released += old[k].other >= 0 ? gripFriction(&old[k]) : 0;
    inherit(own, skins, surface, fresh, count);
    for (int k = 0; k < GRIPS; ++k)
    {
        old[k] = k < count ? fresh[k] : (Grip){ .other = -1, .triangle = -1 };
        own->released -= k < count ? gripFriction(&old[k]) : 0;
    }
    return count;
}

// ---- what matrices must hold -----------------------------------------------------------------------------------------------

// w c c^T of a pair lies below the diagonal w |c_a| sum |c|, and the shares sum to 2
static void addLoads(Skin *own, Skin *const *skins)
{
    for (int i = 0; i < own->surfaceCount * GRIPS; ++i)
    {
        const Grip *grip = &own->grip[i];
        if (grip->other < 0)
            continue;
        Skin *other = skins[grip->other];
        own->load[own->vertex[i / GRIPS]] += 2 * grip->weight;
        for (int k = 0; k < 3; ++k)
            other->load[other->triangle[3 * (ptrdiff_t)grip->triangle + k]] += 2 * grip->weight * grip->share[k];
    }
}

// rounded up to one of four numbers per octave; whole octaves change less often, but what is too much slows the solver:
// the energy of two thrown cubes was off by 8 % after 10 iterations instead of 0.6 %
static double roundUp(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent); // 0.5 to 1
    return value > 0 ? ldexp(ceil(8 * mantissa) / 8, exponent) : 0;
}

// up at once, down after some steps: most steps change nothing, and nothing is ever missing
static void holdLoads(Skin *skin)
{
    for (int v = 0; v < skin->vertexCount; ++v)
    {
        double needed = roundUp(skin->load[v]);
        bool wait = needed < skin->held[v] && skin->patience[v] < PATIENCE;
        skin->patience[v] = (unsigned char)(wait ? skin->patience[v] + 1 : 0);
        skin->held[v] = wait ? skin->held[v] : needed;
    }
}

int pairsSearch(Skin *const *skins, int slotCount, Vec3 gravity, double h)
{
    Search search = { .gravity = gravity, .h = h };
    int count = 0;
    for (int slot = 0; slot < slotCount; ++slot)
    {
        if (skins[slot] == NULL)
            continue;
        skinRefit(skins[slot]);
        measureWays(&search, skins[slot]);
        memset(skins[slot]->load, 0, (size_t)skins[slot]->vertexCount * sizeof(double));
    }
    for (int slot = 0; slot < slotCount; ++slot)
    {
        for (int i = 0; skins[slot] != NULL && i < skins[slot]->surfaceCount; ++i)
            count += searchVertex(&search, skins[slot], skins, slotCount, i);
    }
    for (int slot = 0; slot < slotCount; ++slot)
    {
        if (skins[slot] != NULL)
            addLoads(skins[slot], skins);
    }
    for (int slot = 0; slot < slotCount; ++slot)
    {
        if (skins[slot] != NULL)
            holdLoads(skins[slot]);
    }
    return count;
}
