// How many edges of bodies pass through triangles of bodies, counted without the library's search: all edges against
// all triangles whose boxes overlap. Orientations are computed in quadruple precision; where that does not tell the
// sign, the two count as crossing.
#ifndef TESTS_CONTACT_CROSSINGS_H
#define TESTS_CONTACT_CROSSINGS_H

#include "check.h"

#include <stdlib.h>
#include <verve/verve.h>

__extension__ typedef __float128 Quad;

typedef struct CrossingFacet
{
    double lower[3], upper[3];
    double x[3][3];
    int body, vertex[3], corners; // 2: an edge
    bool self;                    // the body collides with itself
    bool solid;                   // solids meet each other by their vertices alone: two of them do not count
} CrossingFacet;

// sign of six times the volume of a tet; 0: too small to tell. Differences of doubles are exact to 113 bits unless they
// are so far apart that the result does not care
static inline int orientation(const double *a, const double *b, const double *c, const double *d)
{
    Quad p[3], q[3], r[3], sum = 0, size = 0;
    for (int k = 0; k < 3; ++k)
    {
        p[k] = (Quad)b[k] - a[k];
        q[k] = (Quad)c[k] - a[k];
        r[k] = (Quad)d[k] - a[k];
    }
    for (int k = 0; k < 3; ++k)
    {
        Quad plus = p[k] * q[(k + 1) % 3] * r[(k + 2) % 3], minus = p[k] * q[(k + 2) % 3] * r[(k + 1) % 3];
        sum += plus - minus;
        size += (plus < 0 ? -plus : plus) + (minus < 0 ? -minus : minus);
    }
    Quad least = size * (Quad)1e-31;
    return sum > least ? 1 : sum < -least ? -1 : 0;
}

static inline bool crossingPasses(const CrossingFacet *edge, const CrossingFacet *t)
{
    int above = orientation(t->x[0], t->x[1], t->x[2], edge->x[0]),
        below = orientation(t->x[0], t->x[1], t->x[2], edge->x[1]);
    if (above * below > 0)
        return false;
    int side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = orientation(edge->x[0], edge->x[1], t->x[k], t->x[(k + 1) % 3]);
    bool left = side[0] >= 0 && side[1] >= 0 && side[2] >= 0, right = side[0] <= 0 && side[1] <= 0 && side[2] <= 0;
    if (above == 0 && below == 0)
        return side[0] != 0 || side[1] != 0 || side[2] != 0 ? left || right : false;
    return left || right;
}

static inline int crossingByLower(const void *a, const void *b)
{
    const CrossingFacet *p = a, *q = b;
    return p->lower[0] < q->lower[0] ? -1 : p->lower[0] > q->lower[0];
}

static inline CrossingFacet crossingFacet(const double *x, int body, bool self, const int *vertex, int corners)
{
    CrossingFacet f = { .body = body, .self = self, .corners = corners, .vertex = { -1, -1, -1 } };
    for (int a = 0; a < 3; ++a)
    {
        f.lower[a] = INFINITY;
        f.upper[a] = -INFINITY;
    }
    for (int k = 0; k < corners; ++k)
    {
        f.vertex[k] = vertex[k];
        for (int a = 0; a < 3; ++a)
        {
            double value = f.x[k][a] = x[3 * (size_t)vertex[k] + (size_t)a];
            f.lower[a] = fmin(f.lower[a], value);
            f.upper[a] = fmax(f.upper[a], value);
        }
    }
    return f;
}

// triangles, then edges; those of a surface belong to one or two triangles, and the first names them
static inline size_t crossingFacets(vvSoftBodyId id, int body, bool self, CrossingFacet *facet)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(id);
    const double *x = vvSoftBody_GetPositions(id);
    const int *surface = vvMesh_GetSurface(mesh), *edge = vvMesh_GetEdges(mesh), *kind = vvMesh_GetEdgeKinds(mesh);
    size_t count = 0;
    bool solid = vvMesh_GetTetCount(mesh) > 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *corner = surface + 3 * (size_t)t;
        facet[count++] = crossingFacet(x, body, self, corner, 3);
        for (int k = 0; k < 3; ++k) // inner edges come twice, as a > b and as a < b, where triangles wind alike
        {
            int ends[2] = { corner[k], corner[(k + 1) % 3] };
            facet[count++] = crossingFacet(x, body, self, ends, 2);
        }
    }
    for (int e = 0; vvMesh_GetSurfaceCount(mesh) == 0 && e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        if (kind[e] == VV_EDGE_STRUCTURAL)
            facet[count++] = crossingFacet(x, body, self, edge + 2 * (size_t)e, 2);
    }
    for (size_t i = 0; i < count; ++i)
        facet[i].solid = solid;
    return count;
}

static inline bool crossingApart(const CrossingFacet *a, const CrossingFacet *b)
{
    for (int k = 1; k < 3; ++k)
    {
        if (a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k])
            return true;
    }
    if ((a->body == b->body && !a->self) || (a->solid && b->solid))
        return true;
    for (int k = 0; k < 9 && a->body == b->body; ++k)
    {
        if (a->vertex[k / 3] >= 0 && a->vertex[k / 3] == b->vertex[k % 3])
            return true;
    }
    return a->corners == b->corners;
}

// inner edges count twice
static inline int countCrossings(const vvSoftBodyId *body, const bool *self, int bodyCount)
{
    size_t room = 0, count = 0;
    int crossings = 0;
    for (int b = 0; b < bodyCount; ++b)
    {
        const vvMesh *mesh = vvSoftBody_GetMesh(body[b]);
        room += 4 * (size_t)vvMesh_GetSurfaceCount(mesh) + (size_t)vvMesh_GetEdgeCount(mesh);
    }
    CrossingFacet *facet = malloc(room * sizeof *facet);
    assert_non_null(facet);
    for (int b = 0; b < bodyCount; ++b)
        count += crossingFacets(body[b], b, self[b], facet + count);
    qsort(facet, count, sizeof *facet, crossingByLower);
    for (size_t i = 0; i < count; ++i)
    {
        for (size_t k = i + 1; k < count && facet[k].lower[0] <= facet[i].upper[0]; ++k)
        {
            if (crossingApart(&facet[i], &facet[k]))
                continue;
            const CrossingFacet *edge = facet[i].corners == 2 ? &facet[i] : &facet[k];
            crossings += crossingPasses(edge, edge == &facet[i] ? &facet[k] : &facet[i]);
        }
    }
    free(facet);
    return crossings;
}

#endif
