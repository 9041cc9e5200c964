// The points of a body that meet colliders: the vertices of its surface and, where it asks for them, samples between
// them. Samples are the barycentric lattice of each triangle; a triangle's area is shared equally among its lattice
// points, corners included, so that stiffness per area says the same whatever the number of samples is.
#include "contact/element.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

// what goes with every point; whatever was there before is replaced
static bool allocatePoints(Memory *memory, ContactBody *body, int count)
{
    memoryRelease(memory, body->feature);
    memoryRelease(memory, body->spot);
    memoryRelease(memory, body->carried);
    memoryRelease(memory, body->touching);
    memoryRelease(memory, body->outside);
    memoryRelease(memory, body->impulse);
    memoryRelease(memory, body->before);
    // the last block of lanes is padded
    size_t elements = (size_t)count * CONTACT_SLOTS + LANES;
    body->feature = ALLOCATE(memory, int, elements);
    body->spot = ALLOCATE(memory, ContactSpot, elements);
    body->carried = ALLOCATE(memory, Vec3, elements);
    body->touching = ALLOCATE(memory, double, elements);
    body->outside = ALLOCATE(memory, double, elements);
    body->impulse = ALLOCATE(memory, ContactImpulse, elements);
    body->before = ALLOCATE(memory, double, elements *KEPT_COUNT);
    body->pointCount = count;
    if (!body->feature || !body->spot || !body->carried || !body->touching || !body->outside || !body->impulse ||
        !body->before)
        return false;
    for (size_t i = 0; i < elements; ++i)
    {
        body->feature[i] = -1;
        body->spot[i].distance = -INFINITY;
    }
    return true;
}

static bool allocateShares(Memory *memory, ContactBody *body, int corners, size_t count)
{
    body->corners = corners;
    body->corner = ALLOCATE(memory, int, (size_t)corners *count);
    body->share = ALLOCATE(memory, double, (size_t)corners *count);
    body->sampleArea = ALLOCATE(memory, double, count);
    body->whole = ALLOCATE(memory, double, count);
    return body->corner && body->share && body->sampleArea && body->whole;
}

ContactBody *contactBodyCreate(Memory *memory, int surfaceCount, const int *vertex, const double *area)
{
    ContactBody *body = ALLOCATE(memory, ContactBody, 1);
    if (body == NULL)
        return NULL;
    body->surfaceCount = surfaceCount;
    body->corners = 1;
    body->vertex = ALLOCATE(memory, int, surfaceCount);
    body->area = ALLOCATE(memory, double, surfaceCount);
    if (body->vertex == NULL || body->area == NULL || !allocatePoints(memory, body, surfaceCount))
    {
        contactBodyDestroy(memory, body);
        return NULL;
    }
    for (int i = 0; i < surfaceCount; ++i)
    {
        body->vertex[i] = vertex[i];
        body->area[i] = area[i];
    }
    return body;
}

void contactBodyDestroy(Memory *memory, ContactBody *body)
{
    if (body == NULL)
        return;
    memoryRelease(memory, body->vertex);
    memoryRelease(memory, body->area);
    memoryRelease(memory, body->corner);
    memoryRelease(memory, body->share);
    memoryRelease(memory, body->sampleArea);
    memoryRelease(memory, body->whole);
    memoryRelease(memory, body->facetFirst);
    memoryRelease(memory, body->facet);
    memoryRelease(memory, body->feature);
    memoryRelease(memory, body->spot);
    memoryRelease(memory, body->carried);
    memoryRelease(memory, body->touching);
    memoryRelease(memory, body->outside);
    memoryRelease(memory, body->impulse);
    memoryRelease(memory, body->before);
    memoryRelease(memory, body->rests);
    memoryRelease(memory, body->shareBefore);
    memoryRelease(memory, body);
}

// ---- samples --------------------------------------------------------------------------------------------------------

// an edge of a triangle, found from either side
typedef struct Edge
{
    int low, high; // vertices
    int place;     // triangle x 3 + corner that it starts from
} Edge;

typedef struct Lattice
{
    ContactBody *body;
    const int *triangle; // triangleCount x 3
    int triangleCount;
    int order;      // pieces of an edge: samples + 1
    int *surfaceOf; // vertexCount: number among the surface vertices, or -1
    Edge *edge;     // triangleCount x 3, sorted
    int *edgeOf;    // triangleCount x 3: number of the edge that starts from a corner
    int edgeCount;  // that differ
    int *next;      // pointCount: place of the next facet of each point
} Lattice;

static int compareEdges(const void *left, const void *right)
{
    const Edge *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void numberEdges(Lattice *lattice)
{
    int count = 3 * lattice->triangleCount;
    for (int i = 0; i < count; ++i)
    {
        int from = lattice->triangle[i], to = lattice->triangle[i - i % 3 + (i + 1) % 3];
        lattice->edge[i] = (Edge){ minInt(from, to), maxInt(from, to), i };
    }
    qsort(lattice->edge, (size_t)count, sizeof(Edge), compareEdges);
    for (int i = 0; i < count; ++i)
    {
        const Edge *edge = &lattice->edge[i];
        bool same = i > 0 && edge[-1].low == edge->low && edge[-1].high == edge->high;
        lattice->edgeCount += !same;
        lattice->edgeOf[edge->place] = lattice->edgeCount - 1;
    }
}

// the number of the point i, j, k of a triangle, i + j + k = order
static int pointNumber(const Lattice *lattice, int triangle, const int *at)
{
    const int *corner = lattice->triangle + 3 * (ptrdiff_t)triangle;
    int samples = lattice->order - 1, edges = lattice->body->surfaceCount;
    for (int c = 0; c < 3; ++c)
    {
        if (at[c] == lattice->order)
            return lattice->surfaceOf[corner[c]];
    }
    for (int c = 0; c < 3; ++c)
    {
        int next = (c + 1) % 3;
        if (at[(c + 2) % 3] == 0) // between c and next, counted from the lower vertex
            return edges + lattice->edgeOf[3 * triangle + c] * samples + at[corner[c] < corner[next] ? next : c] - 1;
    }
    int row = at[0] - 1, inside = samples * (samples - 1) / 2; // rows of samples - 1, samples - 2 ... points
    return edges + lattice->edgeCount * samples + triangle * inside + row * (samples - 1) - row * (row - 1) / 2 +
           at[1] - 1;
}

// What is done with a point of a triangle that is given a share of its area, m^2.
typedef void (*LatticePoint)(Lattice *lattice, int triangle, const int *at, double area);

static void fillPoint(Lattice *lattice, int triangle, const int *at, double area)
{
    ContactBody *body = lattice->body;
    const int *corner = lattice->triangle + 3 * (ptrdiff_t)triangle;
    int point = pointNumber(lattice, triangle, at);
    body->sampleArea[point] += area;
    if (body->whole[point] > 0)
        return; // by the triangle beside it
    for (int c = 0; c < 3; ++c)
    {
        double share = (double)at[c] / lattice->order;
        body->corner[3 * point + c] = corner[c];
        body->share[3 * point + c] = share;
        body->whole[point] += share * body->area[lattice->surfaceOf[corner[c]]];
    }
}

static Vec3 areaOf(const int *corner, const double *rest)
{
    Vec3 a = vecLoad(rest + 3 * (ptrdiff_t)corner[0]), b = vecLoad(rest + 3 * (ptrdiff_t)corner[1]);
    Vec3 c = vecLoad(rest + 3 * (ptrdiff_t)corner[2]);
    return vecScale(0.5, vecCross(vecSub(b, a), vecSub(c, a)));
}

static void eachPoint(Lattice *lattice, int triangle, const double *rest, LatticePoint act)
{
    const int *corner = lattice->triangle + 3 * (ptrdiff_t)triangle;
    for (int k = 0; k < 3; ++k)
    {
        if (lattice->surfaceOf[corner[k]] < 0)
            return; // it has no area, nor has any other triangle there
    }
    int order = lattice->order, points = (order + 1) * (order + 2) / 2;
    double area = vecLength(areaOf(corner, rest)) / points;
    for (int i = 0; i <= order; ++i)
    {
        for (int j = 0; j <= order - i; ++j)
            act(lattice, triangle, (const int[3]){ i, j, order - i - j }, area);
    }
}

static bool fillLattice(Memory *memory, Lattice *lattice, const double *rest)
{
    ContactBody *body = lattice->body;
    numberEdges(lattice);
    int samples = lattice->order - 1, inside = samples * (samples - 1) / 2;
    int64_t count =
        body->surfaceCount + (int64_t)lattice->edgeCount * samples + (int64_t)lattice->triangleCount * inside;
    if (count > INT_MAX / (CONTACT_SLOTS * 16)) // elements times entries of their matrices are counted too
        return false;
    size_t padded = (size_t)count + LANES; // lanes without an element read shares too
    if (!allocateShares(memory, body, 3, padded) || !allocatePoints(memory, body, (int)count))
        return false;
    for (int t = 0; t < lattice->triangleCount; ++t)
        eachPoint(lattice, t, rest, fillPoint);
    // inside triangles without corners: of no area, so that they never touch
    for (int p = 0; p < body->pointCount; ++p)
    {
        if (body->whole[p] > 0)
            continue;
        for (int c = 0; c < 3; ++c)
            body->corner[3 * p + c] = body->vertex[0];
        body->share[3 * p] = body->whole[p] = 1;
    }
    return true;
}

static bool latticeCreate(Memory *memory, Lattice *lattice, int vertexCount)
{
    const ContactBody *body = lattice->body;
    lattice->surfaceOf = ALLOCATE(memory, int, vertexCount);
    lattice->edge = ALLOCATE(memory, Edge, 3 * (size_t)lattice->triangleCount);
    lattice->edgeOf = ALLOCATE(memory, int, 3 * (size_t)lattice->triangleCount);
    if (lattice->surfaceOf == NULL || lattice->edge == NULL || lattice->edgeOf == NULL)
        return false;
    for (int v = 0; v < vertexCount; ++v)
        lattice->surfaceOf[v] = -1;
    for (int i = 0; i < body->surfaceCount; ++i)
        lattice->surfaceOf[body->vertex[i]] = i;
    return true;
}

static void latticeDestroy(Memory *memory, Lattice *lattice)
{
    memoryRelease(memory, lattice->surfaceOf);
    memoryRelease(memory, lattice->edge);
    memoryRelease(memory, lattice->edgeOf);
    memoryRelease(memory, lattice->next);
}

bool contactBodySample(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, int vertexCount,
                       const double *rest, int samples)
{
    if (samples == 0 || triangleCount == 0)
        return true;
    Lattice lattice = { .body = body, .triangle = triangle, .triangleCount = triangleCount, .order = samples + 1 };
    bool ok = latticeCreate(memory, &lattice, vertexCount) && fillLattice(memory, &lattice, rest);
    latticeDestroy(memory, &lattice);
    return ok;
}

// ---- which triangles points belong to -------------------------------------------------------------------------------

#define SHARP 0.8 // cosine between triangles: those of a point that enclose less all face the same way

static void countFacet(Lattice *lattice, int triangle, const int *at, double area)
{
    (void)area;
    lattice->body->facetFirst[pointNumber(lattice, triangle, at) + 1] += 1;
}

// behind those that the point has already
static void addFacet(Lattice *lattice, int triangle, const int *at, double area)
{
    const int *corner = lattice->triangle + 3 * (ptrdiff_t)triangle;
    FacetShare facet = { { corner[0], corner[1], corner[2] }, area };
    lattice->body->facet[lattice->next[pointNumber(lattice, triangle, at)]++] = facet;
}

static bool isSharp(const FacetShare *facet, int count, const double *rest)
{
    for (int i = 0; i < count; ++i)
    {
        Vec3 a = areaOf(facet[i].corner, rest);
        for (int k = 0; k < i; ++k)
        {
            Vec3 b = areaOf(facet[k].corner, rest);
            if (vecDot(a, b) < SHARP * vecLength(a) * vecLength(b))
                return true;
        }
    }
    return false;
}

// where the surface is not sharp they are not needed
static void dropSmooth(ContactBody *body, const double *rest)
{
    int kept = 0;
    for (int p = 0, first = 0; p < body->pointCount; ++p)
    {
        int end = body->facetFirst[p + 1], count = end - first;
        bool sharp = isSharp(body->facet + first, count, rest);
        for (int i = 0; i < count && sharp; ++i)
            body->facet[kept++] = body->facet[first + i];
        first = end;
        body->facetFirst[p + 1] = kept;
    }
}

static bool fillFacets(Memory *memory, Lattice *lattice, const double *rest)
{
    ContactBody *body = lattice->body;
    numberEdges(lattice);
    body->facetFirst = ALLOCATE(memory, int, body->pointCount + 1);
    lattice->next = ALLOCATE(memory, int, body->pointCount);
    if (body->facetFirst == NULL || lattice->next == NULL)
        return false;
    for (int t = 0; t < lattice->triangleCount; ++t)
        eachPoint(lattice, t, rest, countFacet);
    for (int p = 0; p < body->pointCount; ++p)
    {
        lattice->next[p] = body->facetFirst[p];
        body->facetFirst[p + 1] += body->facetFirst[p];
    }
    body->facet = ALLOCATE(memory, FacetShare, body->facetFirst[body->pointCount] + 1);
    if (body->facet == NULL)
        return false;
    for (int t = 0; t < lattice->triangleCount; ++t)
        eachPoint(lattice, t, rest, addFacet);
    dropSmooth(body, rest);
    return true;
}

bool contactBodyFace(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, int vertexCount,
                     const double *rest, int samples)
{
    if (triangleCount == 0)
        return true;
    Lattice lattice = { .body = body, .triangle = triangle, .triangleCount = triangleCount, .order = samples + 1 };
    bool ok = latticeCreate(memory, &lattice, vertexCount) && fillFacets(memory, &lattice, rest);
    latticeDestroy(memory, &lattice);
    return ok;
}

// ---- points within tets ---------------------------------------------------------------------------------------------

// `whole` is the area that all points give to the corners of one, by their shares: what a corner has is shared out once
static bool fillWhole(Memory *memory, ContactBody *body)
{
    int last = 0;
    for (int i = 0; i < 4 * body->pointCount; ++i)
        last = maxInt(last, body->corner[i]);
    double *given = ALLOCATE(memory, double, last + 1);
    for (int i = 0; i < 4 * body->pointCount && given != NULL; ++i)
        given[body->corner[i]] += fabs(body->share[i]) * body->sampleArea[i / 4];
    for (int p = 0; p < body->pointCount && given != NULL; ++p)
    {
        for (int c = 4 * p; c < 4 * p + 4; ++c)
            body->whole[p] += fabs(body->share[c]) * given[body->corner[c]];
    }
    bool ok = given != NULL;
    memoryRelease(memory, given);
    return ok;
}

bool contactBodyEmbed(Memory *memory, ContactBody *body, int count, const int *corner, const double *share,
                      const double *area)
{
    if (count > INT_MAX / (CONTACT_SLOTS * 16) || !allocateShares(memory, body, 4, (size_t)count + LANES) ||
        !allocatePoints(memory, body, count))
        return false;
    for (int i = 0; i < 4 * count; ++i)
    {
        body->corner[i] = corner[i];
        body->share[i] = share[i];
    }
    for (int p = 0; p < count; ++p)
        body->sampleArea[p] = area[p];
    return fillWhole(memory, body);
}

// ---- points on triangles --------------------------------------------------------------------------------------------

bool contactBodyTravel(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, const double *rest)
{
    size_t padded = (size_t)triangleCount * CONTACT_SLOTS + LANES;
    if (triangleCount > INT_MAX / (CONTACT_SLOTS * 16) || !allocateShares(memory, body, 3, padded) ||
        !allocatePoints(memory, body, triangleCount))
        return false;
    body->rests = ALLOCATE(memory, bool, padded);
    body->shareBefore = ALLOCATE(memory, double, 3 * padded);
    if (body->rests == NULL || body->shareBefore == NULL)
        return false;
    for (size_t i = 0; i < padded; ++i)
    {
        body->rests[i] = true;
        body->share[3 * i] = body->share[3 * i + 1] = body->share[3 * i + 2] = 1.0 / 3;
    }
    for (int t = 0; t < triangleCount; ++t)
    {
        Vec3 p[3];
        for (int c = 0; c < 3; ++c)
        {
            body->corner[3 * t + c] = triangle[3 * t + c];
            p[c] = vecLoad(rest + 3 * (ptrdiff_t)triangle[3 * t + c]);
        }
        body->sampleArea[t] = body->whole[t] = 0.5 * vecLength(vecCross(vecSub(p[1], p[0]), vecSub(p[2], p[0])));
    }
    return true;
}

// ---- elements -------------------------------------------------------------------------------------------------------

const EnergyKind *contactKindOf(const ContactBody *body)
{
    return body->corners == 1 ? &contactKind : body->corners == 3 ? &contactSampleKind : &contactInnerKind;
}

const EnergyKind *contactDampingKindOf(const ContactBody *body)
{
    return body->corners == 1   ? &contactDampingKind
           : body->corners == 3 ? &contactSampleDampingKind
                                : &contactInnerDampingKind;
}

Energy *contactCreate(Memory *memory, const EnergyKind *kind, ContactBody *body, int vertexCount, const double *rest)
{
    int corners = kind->corners, count = body->pointCount * CONTACT_SLOTS;
    int *vertices = ALLOCATE(memory, int, (size_t)count *(size_t)corners);
    if (vertices == NULL)
        return NULL;
    for (int i = 0; i < count * corners; ++i)
    {
        int point = i / corners / CONTACT_SLOTS;
        vertices[i] = corners == 1 ? body->vertex[point] : body->corner[corners * point + i % corners];
    }
    Recipe recipe = { .rest = rest };
    Energy *energy = energyCreate(memory, kind, vertexCount, count, vertices, &recipe);
    memoryRelease(memory, vertices);
    if (energy != NULL)
        energy->context = body;
    return energy;
}
