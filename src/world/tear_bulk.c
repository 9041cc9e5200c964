// Tearing of solids and ropes: where the stress across a facet reaches the strength. A crack of a solid goes through
// faces that are beyond it, from one face to those that share an edge with it, so that a bar breaks in two and does not
// go to dust. What the new surface takes is owed by its two sides, as of sheets.
#include "world/remake.h"

#include <stdlib.h>

#define MOST_FACES 1024 // of a solid that are looked at in a step
#define ALIGNED 0.7     // cosine between the normals of two faces that a crack goes through one after the other
#define MOST_OF_TET 2   // faces of a tet that open in a step

// N, of an element on its corner, after the gradients of all elements were found
static Vec3 forceAt(const Energy *energy, int element, int corner)
{
    return vecScale(-1, vecLoad(elementSlots(energy, element) + 3 * (ptrdiff_t)corner));
}

static Vec3 placeOf(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

static double factorOf(const Body *body, int caller)
{
    return body->elementToughness != NULL ? body->elementToughness[caller] : 1;
}

// J that the new vertices of the last change owe together, each with the one that it came from
static void oweAll(Body *body, int before, double price)
{
    const MeshEvents *events = &body->world->meshEvents;
    const int *parents = events->item[events->count - 1].event.vertexParents;
    int count = body->count - before;
    for (int v = before; v < body->count; ++v)
        tearOwe(body, parents[2 * (ptrdiff_t)v], v, price / count);
}

// ---- solids ---------------------------------------------------------------------------------------------------------

typedef struct Face
{
    int tet[2], vertex[3];
    Vec3 normal;    // where it is now
    double urgency; // at least 1: it opens
    double factor;  // of toughness
    bool chosen;
} Face;

// Cauchy's stress, Pa, from the forces of a tet on its corners: -(1/V) sum of x f^T
static Mat3 stressOf(const Body *body, int tet)
{
    const int *corner = body->mesh->tet + 4 * (ptrdiff_t)tet;
    Vec3 x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = placeOf(body, corner[c]);
    double volume = vecDot(vecSub(x[1], x[0]), vecCross(vecSub(x[2], x[0]), vecSub(x[3], x[0]))) / 6;
    Mat3 stress = { 0 };
    if (!(volume > 0))
        return stress;
    for (int c = 1; c < 4; ++c)
    {
        double arm[3], force[3];
        vecStore(arm, vecSub(x[c], x[0]));
        vecStore(force, forceAt(body->elastic, tet, c));
        for (int i = 0; i < 9; ++i)
            stress.m[i / 3][i % 3] -= arm[i / 3] * force[i % 3] / volume;
    }
    return stress;
}

static bool hasVertex(const int *corner, int vertex)
{
    return corner[0] == vertex || corner[1] == vertex || corner[2] == vertex || corner[3] == vertex;
}

// the tet on the other side of a face; -1: none
static int across(const Body *body, int tet, const int *face)
{
    const Tears *tears = body->tears;
    for (int k = tears->start[face[0]]; k < tears->start[face[0] + 1]; ++k)
    {
        const int *corner = body->mesh->tet + 4 * (ptrdiff_t)tears->element[k];
        if (tears->element[k] != tet && hasVertex(corner, face[1]) && hasVertex(corner, face[2]))
            return tears->element[k];
    }
    return -1;
}

static bool faceOf(const Body *body, int tet, int skip, Face *face)
{
    const vvMesh *mesh = body->mesh;
    for (int c = 0, k = 0; c < 4; ++c)
    {
        if (c != skip)
            face->vertex[k++] = mesh->tet[4 * (ptrdiff_t)tet + c];
    }
    int other = across(body, tet, face->vertex);
    if (other < 0)
        return false;
    Vec3 a = placeOf(body, face->vertex[0]);
    Vec3 normal = vecCross(vecSub(placeOf(body, face->vertex[1]), a), vecSub(placeOf(body, face->vertex[2]), a));
    double size = vecLength(normal);
    if (!(size > 0))
        return false;
    face->tet[0] = tet;
    face->tet[1] = other;
    face->normal = vecScale(1 / size, normal);
    face->factor = minReal(factorOf(body, mesh->tetToCaller[tet]), factorOf(body, mesh->tetToCaller[other]));
    double pull = 0;
    for (int side = 0; side < 2; ++side)
    {
        Mat3 stress = stressOf(body, face->tet[side]);
        pull += 0.5 * vecDot(face->normal, matApply(&stress, face->normal));
    }
    face->urgency = pull / (face->factor * body->def.tear.strength);
    return true;
}

// the faces beyond their strength, each once
static int findFaces(const Body *body, Face *faces)
{
    int count = 0;
    for (int tet = 0; tet < body->mesh->tetCount; ++tet)
    {
        Mat3 stress = stressOf(body, tet);
        double square = 0;
        for (int i = 0; i < 9; ++i)
            square += stress.m[i / 3][i % 3] * stress.m[i / 3][i % 3];
        // a face has at most the mean of two tets: one of them is beyond it
        double limit = factorOf(body, body->mesh->tetToCaller[tet]) * body->def.tear.strength;
        if (body->elementToughness == NULL && square < limit * limit)
            continue;
        for (int skip = 0; skip < 4 && count < MOST_FACES; ++skip)
        {
            Face face = { .chosen = false };
            if (!faceOf(body, tet, skip, &face) || !(face.urgency >= 1))
                continue;
            bool known = false;
            for (int k = 0; k < count; ++k)
                known |= faces[k].tet[0] == face.tet[1] && faces[k].tet[1] == face.tet[0];
            if (!known)
                faces[count++] = face;
        }
    }
    return count;
}

static int shared(const int *a, const int *b)
{
    int count = 0;
    for (int i = 0; i < 9; ++i)
        count += a[i / 3] == b[i % 3];
    return count;
}

static int openedOf(const Face *faces, int count, int tet)
{
    int opened = 0;
    for (int k = 0; k < count; ++k)
        opened += faces[k].chosen && (faces[k].tet[0] == tet || faces[k].tet[1] == tet);
    return opened;
}

// where the crack begins: beside a face that waits to open, else at the most urgent one
static void chooseFirst(const Body *body, Face *faces, int count)
{
    int waiting = 0, most = 0;
    const int *kept = facetsKept(body, &waiting);
    bool any = false;
    for (int k = 0; k < count; ++k)
    {
        most = faces[k].urgency > faces[most].urgency ? k : most;
        int caller[3];
        for (int c = 0; c < 3; ++c)
            caller[c] = body->mesh->vertexToCaller[faces[k].vertex[c]];
        for (int w = 0; w < waiting && !faces[k].chosen; w += 3)
            faces[k].chosen = shared(caller, kept + w) == 2;
        any |= faces[k].chosen;
    }
    if (!any)
        faces[most].chosen = true;
}

static void spread(Face *faces, int count)
{
    for (bool more = true; more;)
    {
        more = false;
        for (int k = 0; k < count; ++k)
        {
            bool open = openedOf(faces, count, faces[k].tet[0]) < MOST_OF_TET &&
                        openedOf(faces, count, faces[k].tet[1]) < MOST_OF_TET;
            for (int i = 0; i < count && !faces[k].chosen && open; ++i)
            {
                if (faces[i].chosen && shared(faces[k].vertex, faces[i].vertex) == 2 &&
                    fabs(vecDot(faces[k].normal, faces[i].normal)) >= ALIGNED)
                    more = faces[k].chosen = true;
            }
        }
    }
}

static vvResult openFaces(Body *body, const Face *faces, int count, int *facet)
{
    int opened = 0, before = body->count;
    double factor = 0;
    for (int k = 0; k < count; ++k)
    {
        for (int c = 0; c < 3 && faces[k].chosen; ++c)
            facet[3 * opened + c] = body->mesh->vertexToCaller[faces[k].vertex[c]];
        opened += faces[k].chosen;
        factor += faces[k].chosen ? faces[k].factor : 0;
    }
    vvResult result = bodySplit(body, facet, 3 * opened);
    if (result.code != VV_OK || body->count == before)
        return result;
    const MeshEvents *events = &body->world->meshEvents;
    double area = events->item[events->count - 1].event.area;
    if (!originCreate(body) || !tearReserve(body, body->count - before))
        return resultOutOfMemory("the tears of a body");
    oweAll(body, before, factor / opened * body->def.tear.toughness * area);
    return result;
}

vvResult tearSolid(Body *body)
{
    Memory *memory = &body->world->memory;
    Face *faces = ALLOCATE(memory, Face, MOST_FACES);
    int *facet = ALLOCATE(memory, int, 3 * MOST_FACES);
    int count = faces != NULL && facet != NULL ? findFaces(body, faces) : 0;
    vvResult result = resultOk();
    if (count > 0)
    {
        chooseFirst(body, faces, count);
        spread(faces, count);
        result = openFaces(body, faces, count, facet);
    }
    memoryRelease(memory, faces);
    memoryRelease(memory, facet);
    return result;
}

// ---- ropes ----------------------------------------------------------------------------------------------------------

// Pa in a structural edge; its springs are in the order of the edges, but for some that are left out
static double stressOfEdge(const Body *body, int edge, int *spring)
{
    const Energy *energy = body->elastic;
    const int *end = body->mesh->edge + 2 * (ptrdiff_t)edge;
    const int *vertex = laneVertices(energy, *spring / LANES) + *spring % LANES;
    if (*spring >= energy->elementCount || vertex[0] != end[0] || vertex[LANES] != end[1])
        return 0;
    double diameter = body->def.material.thickness;
    Vec3 along = vecSub(placeOf(body, end[1]), placeOf(body, end[0]));
    double length = vecLength(along), pull = length > 0 ? vecDot(along, forceAt(energy, *spring, 0)) / length : 0;
    *spring += 1;
    return body->mesh->edgeKind[edge] == VV_EDGE_STRUCTURAL ? pull / (0.25 * PI * diameter * diameter) : 0;
}

vvResult tearRope(Body *body)
{
    const vvMesh *mesh = body->mesh;
    double most = 1, factor = 1;
    int point = -1, spring = 0, before = body->count;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        double own = factorOf(body, mesh->edgeToCaller[e]);
        double urgency = stressOfEdge(body, e, &spring) / (own * body->def.tear.strength);
        for (int end = 0; end < 2 && urgency >= most; ++end)
        {
            int vertex = mesh->edge[2 * (ptrdiff_t)e + end];
            if (body->tears->start[vertex + 1] - body->tears->start[vertex] < 2)
                continue; // its end
            most = urgency;
            factor = own;
            point = vertex;
        }
    }
    if (point < 0)
        return resultOk();
    vvResult result = bodySplit(body, &(int){ mesh->vertexToCaller[point] }, 1);
    if (result.code != VV_OK || body->count == before)
        return result;
    if (!originCreate(body) || !tearReserve(body, body->count - before))
        return resultOutOfMemory("the tears of a body");
    double diameter = body->def.material.thickness;
    oweAll(body, before, factor * body->def.tear.toughness * 0.25 * PI * diameter * diameter);
    return result;
}
