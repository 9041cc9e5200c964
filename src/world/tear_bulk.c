// Tearing of solids and ropes: where the stress across a facet reaches the strength. A crack of a solid goes through
// faces that are beyond it, from one face to those that share an edge with it, so that a bar breaks in two and does not
// go to dust. What the new surface takes is owed by its two sides, as of sheets.
#include "world/tear.h"

#include <stdlib.h>

#define ALIGNED 0.7   // cosine between the normals of two faces that a crack goes through one after the other
#define MOST_OF_TET 2 // faces of a tet that open in a step

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

// Cauchy's stress, Pa, from the forces of a tet on its corners: -(1/V) sum of x f^T
static Mat3 stressOf(const Body *body, int tet)
{
    const int *corner = body->mesh->tet + 4 * (ptrdiff_t)tet;
    Vec3 x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = tearPlace(body, corner[c]);
    double volume = vecDot(vecSub(x[1], x[0]), vecCross(vecSub(x[2], x[0]), vecSub(x[3], x[0]))) / 6;
    Mat3 stress = { 0 };
    if (!(volume > 0))
        return stress;
    for (int c = 1; c < 4; ++c)
    {
        double arm[3], force[3];
        vecStore(arm, vecSub(x[c], x[0]));
        vecStore(force, tearForce(body, tet, c));
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
int tearAcross(const Body *body, int tet, const int *face)
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

static bool faceOf(const Body *body, int tet, int skip, TearFace *face)
{
    const vvMesh *mesh = body->mesh;
    for (int c = 0, k = 0; c < 4; ++c)
    {
        if (c != skip)
            face->vertex[k++] = mesh->tet[4 * (ptrdiff_t)tet + c];
    }
    int other = tearAcross(body, tet, face->vertex);
    if (other < 0)
        return false;
    Vec3 a = tearPlace(body, face->vertex[0]);
    Vec3 normal = vecCross(vecSub(tearPlace(body, face->vertex[1]), a), vecSub(tearPlace(body, face->vertex[2]), a));
    double size = vecLength(normal);
    if (!(size > 0))
        return false;
    face->tet[0] = tet;
    face->tet[1] = other;
    face->normal = vecScale(1 / size, normal);
    face->factor = minReal(tearFactor(body, mesh->tetToCaller[tet]), tearFactor(body, mesh->tetToCaller[other]));
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
static int findFaces(const Body *body, TearFace *faces)
{
    int count = 0;
    for (int tet = 0; tet < body->mesh->tetCount; ++tet)
    {
        Mat3 stress = stressOf(body, tet);
        double square = 0;
        for (int i = 0; i < 9; ++i)
            square += stress.m[i / 3][i % 3] * stress.m[i / 3][i % 3];
        // a face has at most the mean of two tets: one of them is beyond it
        double limit = tearFactor(body, body->mesh->tetToCaller[tet]) * body->def.tear.strength;
        if (body->elementToughness == NULL && square < limit * limit)
            continue;
        for (int skip = 0; skip < 4 && count < MOST_FACES; ++skip)
        {
            TearFace face = { .chosen = false };
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

int tearCommon(const TearFace *a, const TearFace *b)
{
    int count = 0;
    for (int i = 0; i < 9; ++i)
        count += a->vertex[i / 3] == b->vertex[i % 3];
    return count;
}

static int openedOf(const TearFace *faces, int count, int tet)
{
    int opened = 0;
    for (int k = 0; k < count; ++k)
        opened += faces[k].chosen && (faces[k].tet[0] == tet || faces[k].tet[1] == tet);
    return opened;
}

// where a crack begins: beside a face that is still to open, else at the most urgent one
static void chooseFirst(const Body *body, TearFace *faces, int count)
{
    int keptCount = 0, most = -1;
    const int *kept = facetsKept(body, &keptCount);
    bool any = false;
    for (int k = 0; k < count; ++k)
    {
        if (faces[k].waits)
            continue;
        most = most < 0 || faces[k].urgency > faces[most].urgency ? k : most;
        for (int w = 0; w < keptCount && !faces[k].chosen; w += 3)
        {
            TearFace other;
            for (int c = 0; c < 3; ++c)
                other.vertex[c] = body->mesh->vertexFromCaller[kept[w + c]];
            faces[k].chosen = tearCommon(&faces[k], &other) == 2;
        }
        any |= faces[k].chosen;
    }
    if (!any && most >= 0)
        faces[most].chosen = true;
}

void tearSpread(TearFace *faces, int count, int cluster)
{
    for (bool more = true; more;)
    {
        more = false;
        for (int k = 0; k < count; ++k)
        {
            bool open = (cluster < 0 ? !faces[k].waits : faces[k].cluster == cluster) &&
                        openedOf(faces, count, faces[k].tet[0]) < MOST_OF_TET &&
                        openedOf(faces, count, faces[k].tet[1]) < MOST_OF_TET;
            for (int i = 0; i < count && !faces[k].chosen && open; ++i)
            {
                bool alike = cluster < 0 ? !faces[i].waits : faces[i].cluster == cluster;
                if (faces[i].chosen && alike && tearCommon(&faces[k], &faces[i]) == 2 &&
                    fabs(vecDot(faces[k].normal, faces[i].normal)) >= ALIGNED)
                    more = faces[k].chosen = true;
            }
        }
    }
}

bool tearEdgeAtSurface(const Body *body, int a, int b)
{
    const Tears *tears = body->tears;
    for (int k = tears->start[a]; k < tears->start[a + 1]; ++k)
    {
        const int *corner = body->mesh->tet + 4 * (ptrdiff_t)tears->element[k];
        for (int c = 0; c < 4 && hasVertex(corner, b); ++c)
        {
            if (corner[c] != a && corner[c] != b && tearAcross(body, tears->element[k], (int[]){ a, b, corner[c] }) < 0)
                return true;
        }
    }
    return false;
}

static vvResult openFaces(Body *body, const TearFace *faces, int count, int *facet)
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
    if (opened == 0)
        return resultOk();
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
    TearFace *faces = body->tears->face;
    int count = findFaces(body, faces);
    if (count == 0)
        return resultOk();
    int total = tearFronts(body, faces, count, 2 * MOST_FACES);
    chooseFirst(body, faces, count);
    tearSpread(faces, count, -1);
    return openFaces(body, faces, total, body->tears->facet);
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
    Vec3 along = vecSub(tearPlace(body, end[1]), tearPlace(body, end[0]));
    double length = vecLength(along), pull = length > 0 ? vecDot(along, tearForce(body, *spring, 0)) / length : 0;
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
        double own = tearFactor(body, mesh->edgeToCaller[e]);
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
