// The fronts of cracks in solids. Beside a front the stress of a finer mesh is higher without bound, so that strength
// alone would let a finer mesh tear earlier. There a face opens only where the stress reaches the strength and the
// energy that opening it sets free reaches what its surface takes (the coupled criterion, Leguillon 2002). That energy
// is found at the vertices of the front, which both sides of the crack still share: half of the force between the tets
// on both sides of the plane ahead, times the opening behind (virtual crack closure, Rybicki and Kanninen 1977).
#include "world/tear.h"

#include <stdlib.h>

#define MOST_STAR 96  // tets around a vertex that is looked at
#define MOST_JOINED 8 // vertices of the front beside it
#define MOST_GROUP 3  // vertices along a front whose energies are taken together: single ones depend on the mesh

// Of E T / s^2: how far from a front its own stress is beyond the strength, at most. Irwin's estimate straight ahead is
// half of it; to both sides the stress reaches farther.
#define ZONE (1 / PI)

// The tets around a vertex of a front.
typedef struct Star
{
    int vertex, count;
    int tet[MOST_STAR];
    int beside[MOST_STAR][4]; // across the face opposite a corner, in the star; -1: none
    int lip[MOST_STAR];       // 1 and -1: at a side of the crack, 0: not
    Vec3 up;                  // at rest, from the lower side of the crack to the upper one
    int joined[MOST_JOINED], joinedCount;
    double behind; // m^2 of the crack, the share of this vertex
    double weight; // of the following two
    Vec3 opening;  // sum
    double owed;   // J, likewise
} Star;

// ---- the tets around a vertex ---------------------------------------------------------------------------------------

static const int *cornersOf(const Body *body, int tet)
{
    return body->mesh->tet + 4 * (ptrdiff_t)tet;
}

static int placeIn(const int *corner, int vertex)
{
    return corner[0] == vertex ? 0 : corner[1] == vertex ? 1 : corner[2] == vertex ? 2 : 3;
}

// the two corners of a face beside the vertex of the star
static void othersOf(const Body *body, const Star *star, int i, int skip, int *others)
{
    const int *corner = cornersOf(body, star->tet[i]);
    for (int c = 0, k = 0; c < 4; ++c)
    {
        if (c != skip && corner[c] != star->vertex)
            others[k++] = corner[c];
    }
}

// both in one place at rest
static bool coincide(const Body *body, int a, int b, double size)
{
    Vec3 apart = vecSub(tearRest(body, a), tearRest(body, b));
    return a == b || vecDot(apart, apart) <= TEAR_SAME * TEAR_SAME * size;
}

static void findNeighbours(const Body *body, Star *star)
{
    for (int i = 0; i < 4 * star->count; ++i)
        star->beside[i / 4][i % 4] = -1;
    for (int i = 0; i < star->count; ++i)
    {
        for (int c = 0; c < 4; ++c)
        {
            int a[2], b[2];
            if (cornersOf(body, star->tet[i])[c] == star->vertex || star->beside[i][c] >= 0)
                continue;
            othersOf(body, star, i, c, a);
            for (int j = i + 1; j < star->count && star->beside[i][c] < 0; ++j)
            {
                for (int d = 0; d < 4; ++d)
                {
                    if (cornersOf(body, star->tet[j])[d] == star->vertex)
                        continue;
                    othersOf(body, star, j, d, b);
                    if ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]))
                    {
                        star->beside[i][c] = j;
                        star->beside[j][d] = i;
                    }
                }
            }
        }
    }
}

// Half the normal of the face of a tet, into it, at rest: its length is the area.
static Vec3 inward(const Body *body, const Star *star, int i, int skip)
{
    int other[2];
    othersOf(body, star, i, skip, other);
    Vec3 here = tearRest(body, star->vertex);
    Vec3 normal = vecCross(vecSub(tearRest(body, other[0]), here), vecSub(tearRest(body, other[1]), here));
    Vec3 arm = vecSub(tearRest(body, cornersOf(body, star->tet[i])[skip]), here);
    return vecScale(vecDot(normal, arm) < 0 ? -0.5 : 0.5, normal);
}

static void addJoined(Star *star, int vertex)
{
    for (int k = 0; k < star->joinedCount; ++k)
    {
        if (star->joined[k] == vertex)
            return;
    }
    if (star->joinedCount < MOST_JOINED)
        star->joined[star->joinedCount++] = vertex;
}

// two faces of the surface that are one at rest: a part of the crack
static void addLips(const Body *body, Star *star, int i, int c, int j, int d)
{
    int a[2], b[2];
    othersOf(body, star, i, c, a);
    othersOf(body, star, j, d, b);
    Vec3 edge = vecSub(tearRest(body, a[0]), tearRest(body, star->vertex));
    double size = vecDot(edge, edge);
    if (!coincide(body, a[0], b[0], size))
    {
        int swap = b[0];
        b[0] = b[1];
        b[1] = swap;
    }
    if (!coincide(body, a[0], b[0], size) || !coincide(body, a[1], b[1], size))
        return;
    Vec3 normal = inward(body, star, i, c);
    int side = vecDot(normal, star->up) < 0 ? -1 : 1, fronts = 1 + (a[0] == b[0]) + (a[1] == b[1]);
    star->up = vecAdd(star->up, vecScale(side, normal));
    star->lip[i] = side;
    star->lip[j] = -side;
    double share = vecLength(normal) / fronts;
    star->behind += share;
    for (int k = 0; k < 2; ++k)
    {
        if (a[k] == b[k])
        {
            addJoined(star, a[k]);
            continue;
        }
        Vec3 apart = vecSub(tearPlace(body, a[k]), tearPlace(body, b[k]));
        star->opening = vecAdd(star->opening, vecScale(side * share, apart));
        star->owed += share * tearOwedBy(body, a[k], b[k]);
        star->weight += share;
    }
}

// false: the vertex is not at a front
static bool findStar(const Body *body, int vertex, Star *star)
{
    const Tears *tears = body->tears;
    *star = (Star){ .vertex = vertex, .count = tears->start[vertex + 1] - tears->start[vertex] };
    if (star->count > MOST_STAR)
        return false;
    for (int i = 0; i < star->count; ++i)
        star->tet[i] = tears->element[tears->start[vertex] + i];
    findNeighbours(body, star);
    int open[4 * MOST_STAR], count = 0;
    for (int i = 0; i < 4 * star->count; ++i)
    {
        if (star->beside[i / 4][i % 4] < 0 && cornersOf(body, star->tet[i / 4])[i % 4] != vertex)
            open[count++] = i;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int j = i + 1; j < count; ++j)
            addLips(body, star, open[i] / 4, open[i] % 4, open[j] / 4, open[j] % 4);
    }
    return star->weight > 0;
}

// ---- opening it along a plane ---------------------------------------------------------------------------------------

// What opening vertices of a front along a plane would do.
typedef struct Release
{
    double energy, price; // J, the second per toughness
    double ahead, behind; // m^2
    double owed;          // J
} Release;

// from those at the lips through faces between tets of that side; the others go to the other side
static void keepConnected(const Star *star, int *side, int which)
{
    bool known[MOST_STAR] = { false };
    for (bool more = true; more;)
    {
        more = false;
        for (int i = 0; i < star->count; ++i)
        {
            bool reached = star->lip[i] == which;
            for (int c = 0; c < 4 && !reached; ++c)
                reached = star->beside[i][c] >= 0 && known[star->beside[i][c]];
            if (side[i] == which && reached && !known[i])
                more = known[i] = true;
        }
    }
    for (int i = 0; i < star->count; ++i)
        side[i] = side[i] == which && !known[i] ? -which : side[i];
}

// on which side of the plane each tet is, 1 and -1
static void sidesOf(const Body *body, const Star *star, Vec3 normal, int *side)
{
    Vec3 here = tearRest(body, star->vertex);
    double turn = vecDot(normal, star->up) < 0 ? -1 : 1;
    for (int i = 0; i < star->count; ++i)
    {
        Vec3 sum = vec3(0, 0, 0);
        for (int c = 0; c < 4; ++c)
            sum = vecAdd(sum, vecSub(tearRest(body, cornersOf(body, star->tet[i])[c]), here));
        side[i] = star->lip[i] != 0 ? star->lip[i] : turn * vecDot(sum, normal) > 0 ? 1 : -1;
    }
    keepConnected(star, side, 1);
    keepConnected(star, side, -1);
}

static void addRelease(const Body *body, const Star *star, Vec3 normal, Release *release)
{
    const signed char *mark = body->tears->mark;
    int side[MOST_STAR];
    sidesOf(body, star, normal, side);
    Vec3 pull = vec3(0, 0, 0); // what moves the vertex as a whole does not open it
    for (int i = 0; i < star->count; ++i)
    {
        const int *corner = cornersOf(body, star->tet[i]);
        pull = vecAdd(pull, vecScale(0.5 * side[i], tearForce(body, star->tet[i], placeIn(corner, star->vertex))));
        for (int c = 0; c < 4; ++c)
        {
            int other = star->beside[i][c], at[2];
            if (other < i || side[other] == side[i])
                continue;
            othersOf(body, star, i, c, at);
            double area = vecLength(inward(body, star, i, c)) / (1 + mark[at[0]] + mark[at[1]]);
            double factor = minReal(tearFactor(body, body->mesh->tetToCaller[star->tet[i]]),
                                    tearFactor(body, body->mesh->tetToCaller[star->tet[other]]));
            release->ahead += area;
            release->price += factor * area;
        }
    }
    release->energy += 0.5 * vecDot(pull, star->opening) / star->weight;
    release->behind += star->behind;
    release->owed += star->owed / star->weight;
}

// at least 1: it opens
static double urgencyOf(const Body *body, const Release *release)
{
    double price = body->def.tear.toughness * release->price + release->owed;
    return price > 0 ? release->energy * sqrt(release->ahead / release->behind) / price : 0;
}

// Of the planes of the faces at a vertex that are beyond their strength, the one that sets free most.
static double bestPlane(const Body *body, const TearFace *faces, int count, const Star *group, int members, Vec3 *best)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
    {
        const int *v = faces[k].vertex;
        if (!faces[k].waits || (v[0] != group->vertex && v[1] != group->vertex && v[2] != group->vertex))
            continue;
        Vec3 a = tearRest(body, v[0]);
        Vec3 normal = vecCross(vecSub(tearRest(body, v[1]), a), vecSub(tearRest(body, v[2]), a));
        Release release = { 0 };
        for (int m = 0; m < members; ++m)
            addRelease(body, &group[m], normal, &release);
        double urgency = urgencyOf(body, &release);
        *best = urgency > most ? normal : *best;
        most = maxReal(most, urgency);
    }
    return most;
}

// the faces between both sides are chosen
static int openPlane(const Body *body, const Star *star, Vec3 normal, TearFace *faces, int count, int room)
{
    int side[MOST_STAR];
    sidesOf(body, star, normal, side);
    for (int i = 0; i < 4 * star->count; ++i)
    {
        int tet = i / 4, other = star->beside[tet][i % 4], k = 0;
        if (other < tet || side[other] == side[tet])
            continue;
        TearFace face = { .tet = { star->tet[tet], star->tet[other] }, .vertex = { star->vertex }, .chosen = true };
        othersOf(body, star, tet, i % 4, face.vertex + 1);
        face.factor = minReal(tearFactor(body, body->mesh->tetToCaller[face.tet[0]]),
                              tearFactor(body, body->mesh->tetToCaller[face.tet[1]]));
        while (k < count && tearCommon(&faces[k], &face) < 3)
            ++k;
        if (k < count)
            faces[k].chosen = true;
        else if (count < room)
            faces[count++] = face;
    }
    return count;
}

// a vertex of a front and the next ones along it; 0: it is not at a front
static int gatherGroup(const Body *body, int vertex, Star *group)
{
    int members = findStar(body, vertex, &group[0]);
    for (int m = 0; m < members; ++m)
    {
        for (int k = 0; k < group[m].joinedCount && members < MOST_GROUP; ++k)
        {
            bool known = false;
            for (int i = 0; i < members; ++i)
                known |= group[i].vertex == group[m].joined[k];
            if (!known)
                members += findStar(body, group[m].joined[k], &group[members]);
        }
    }
    return members;
}

static int openFront(const Body *body, int vertex, TearFace *faces, int count, int total, int room)
{
    Star group[MOST_GROUP];
    int members = gatherGroup(body, vertex, group);
    if (members == 0)
        return total;
    Vec3 plane = vec3(0, 0, 0);
    if (bestPlane(body, faces, count, group, members, &plane) >= 1)
        total = openPlane(body, &group[0], plane, faces, total, room);
    return total;
}

// ---- where they are -------------------------------------------------------------------------------------------------

// A vertex of the surface and where it is at rest.
typedef struct Point
{
    Vec3 rest;
    int vertex;
} Point;

static int compareReals(double a, double b)
{
    return (a > b) - (a < b);
}

static int comparePoints(const void *a, const void *b)
{
    const Point *p = a, *q = b;
    int x = compareReals(p->rest.x, q->rest.x), y = compareReals(p->rest.y, q->rest.y);
    int z = compareReals(p->rest.z, q->rest.z);
    return x != 0 ? x : y != 0 ? y : z != 0 ? z : p->vertex - q->vertex;
}

// `mark`: 1 for those of the surface that others are in one place with
static void markTwins(const Body *body, Point *points, signed char *mark)
{
    int count = 0;
    for (int i = 0; i < 3 * body->mesh->surfaceCount; ++i)
    {
        int vertex = body->mesh->surface[i];
        if (!mark[vertex])
            points[count++] = (Point){ tearRest(body, vertex), vertex };
        mark[vertex] = 1;
    }
    for (int k = 0; k < count; ++k)
        mark[points[k].vertex] = 0;
    qsort(points, (size_t)count, sizeof *points, comparePoints);
    for (int k = 1; k < count; ++k)
    {
        Point a = points[k - 1], b = points[k];
        if (a.rest.x == b.rest.x && a.rest.y == b.rest.y && a.rest.z == b.rest.z)
            mark[a.vertex] = mark[b.vertex] = 1;
    }
}

bool tearFindFronts(Body *body)
{
    Tears *tears = body->tears;
    Memory *memory = &body->world->memory;
    const vvMesh *mesh = body->mesh;
    Point *points = ALLOCATE_BARE(memory, Point, body->count);
    signed char *twin = ALLOCATE(memory, signed char, 2 * (size_t)body->count), *near = twin + body->count;
    tears->front = ALLOCATE_BARE(memory, int, body->count);
    tears->mark = ALLOCATE(memory, signed char, body->count);
    bool enough = points != NULL && twin != NULL && tears->front != NULL && tears->mark != NULL;
    if (enough)
    {
        markTwins(body, points, twin);
        for (int i = 0; i < 3 * mesh->surfaceCount; ++i)
        {
            const int *corner = mesh->surface + 3 * (ptrdiff_t)(i / 3);
            near[corner[i % 3]] |= twin[corner[0]] | twin[corner[1]] | twin[corner[2]];
        }
        Star star;
        for (int v = 0; v < body->count; ++v)
        {
            if (!near[v] || !findStar(body, v, &star))
                continue;
            tears->front[tears->frontCount++] = v;
            tears->mark[v] = 1;
        }
    }
    memoryRelease(memory, points);
    memoryRelease(memory, twin);
    return enough;
}

// ---- clusters -------------------------------------------------------------------------------------------------------

static int rootOf(TearFace *faces, int k)
{
    while (faces[k].cluster != k)
        k = faces[k].cluster = faces[faces[k].cluster].cluster;
    return k;
}

// faces with a common vertex, whichever way they face
static void findClusters(TearFace *faces, int count)
{
    for (int k = 0; k < count; ++k)
        faces[k].cluster = k;
    for (int k = 0; k < count; ++k)
    {
        for (int i = 0; i < k; ++i)
        {
            int a = rootOf(faces, i), b = rootOf(faces, k);
            if (a != b && tearCommon(&faces[i], &faces[k]) > 0)
                faces[maxInt(a, b)].cluster = minInt(a, b);
        }
    }
    for (int k = 0; k < count; ++k)
        faces[k].cluster = rootOf(faces, k);
}

// m: beyond it the stress is not that of the front alone
static double zoneOf(const Body *body, const TearFace *face)
{
    const vvMaterial *material = &body->def.material;
    const vvTear *tear = &body->def.tear;
    double modulus = material->young / (1 - material->poisson * material->poisson);
    return ZONE * modulus * tear->toughness / (face->factor * tear->strength * tear->strength);
}

// of its middle from the nearest vertex of a front
static double distanceOf(const Body *body, const TearFace *face)
{
    Vec3 middle = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c)
        middle = vecAdd(middle, vecScale(1.0 / 3, tearRest(body, face->vertex[c])));
    double least = INFINITY;
    for (int k = 0; k < body->tears->frontCount; ++k)
    {
        Vec3 apart = vecSub(tearRest(body, body->tears->front[k]), middle);
        least = minReal(least, vecDot(apart, apart));
    }
    return sqrt(least);
}

// those of clusters that are all so near to a front that its stress explains them
static void findWaiting(const Body *body, TearFace *faces, int count)
{
    for (int k = 0; k < count; ++k)
        faces[k].waits = true;
    for (int k = 0; k < count; ++k)
    {
        if (!faces[faces[k].cluster].waits || distanceOf(body, &faces[k]) <= zoneOf(body, &faces[k]))
            continue;
        for (int i = 0; i < count; ++i)
            faces[i].waits &= faces[i].cluster != faces[k].cluster;
    }
}

// Faces of a cluster that go through all that is left of the section break it by their stress alone.
static void breakSection(const Body *body, TearFace *faces, int count, int cluster)
{
    int most = cluster;
    for (int k = cluster; k < count; ++k)
        most = faces[k].cluster == cluster && faces[k].urgency > faces[most].urgency ? k : most;
    faces[most].chosen = true;
    tearSpread(faces, count, cluster);
    bool whole = true;
    for (int i = 0; i < 3 * count && whole; ++i)
    {
        const TearFace *face = &faces[i / 3];
        int a = face->vertex[i % 3], b = face->vertex[(i + 1) % 3];
        bool met = !face->chosen || face->cluster != cluster || tearEdgeAtSurface(body, a, b);
        for (int k = 0; k < count && !met; ++k)
        {
            bool both = placeIn(faces[k].vertex, a) < 3 && placeIn(faces[k].vertex, b) < 3;
            met = k != i / 3 && faces[k].chosen && faces[k].cluster == cluster && both;
        }
        whole = met;
    }
    for (int k = 0; k < count && !whole; ++k)
        faces[k].chosen &= faces[k].cluster != cluster;
}

int tearFronts(const Body *body, TearFace *faces, int count, int room)
{
    const signed char *mark = body->tears->mark;
    if (body->tears->frontCount == 0)
        return count;
    findClusters(faces, count);
    findWaiting(body, faces, count);
    int total = count;
    for (int i = 0; i < 3 * count; ++i)
    {
        int vertex = faces[i / 3].vertex[i % 3];
        bool again = false; // it was looked at with an earlier face
        for (int k = 0; k < i && !again; ++k)
            again = faces[k / 3].vertex[k % 3] == vertex;
        if (mark[vertex] && !again && faces[i / 3].waits)
            total = openFront(body, vertex, faces, count, total, room);
    }
    for (int k = 0; k < count; ++k)
    {
        bool opens = faces[k].cluster != k || !faces[k].waits;
        for (int i = 0; i < count && !opens; ++i)
            opens = faces[i].chosen && faces[i].cluster == k;
        if (!opens)
            breakSection(body, faces, count, k);
    }
    return total;
}
