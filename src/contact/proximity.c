// A substep of an island whose bodies may meet. Planes separate pairs that their displacements could bring together
// (near.c), and mostly nobody passes one. Where somebody does, displacements change: vertices become loose, each within
// its reach around the common displacement, and there is a plane wherever loose vertices may meet something.
#include "contact/proximity.h"

#define MANY 0.3 // of the vertices: where more stray, a new list costs less than mending

void proximityRelease(Proximity *p)
{
    memoryRelease(p->memory, p->pair);
    memoryRelease(p->memory, p->name);
    memoryRelease(p->memory, p->plane);
    memoryRelease(p->memory, p->pressed);
    memoryRelease(p->memory, p->batch);
    memoryRelease(p->memory, p->seen);
    memoryRelease(p->memory, p->contact);
    memoryRelease(p->memory, p->tangle);
    *p = (Proximity){ .memory = p->memory };
}

static Vec3 moveOf(const ProximityView *view, int vertex)
{
    return vecSub(vecLoad(view->to + 3 * (ptrdiff_t)vertex), vecLoad(view->x + 3 * (ptrdiff_t)vertex));
}

static int setMoves(NearSlice *slice)
{
    for (int v = slice->begin; v < slice->end; ++v)
        vecStore(slice->proximity->move + 3 * (ptrdiff_t)v, moveOf(slice->view, v));
    return 0;
}

void proximityPlanes(Proximity *p, const ProximityView *view)
{
    double largest;
    int strays = nearStrays(p, view);
    p->common = vec3(0, 0, 0);
    nearEachVertex(p, view, setMoves, NULL, &largest);
    nearFieldMoves(p, view);
    strays += flatLook(p, view, strays > 0);
    if (strays > MANY * p->vertexCount)
        nearListMake(p, view, false);
    else if (strays > 0)
        nearListMend(p, view);
    if (strays > 0)
        nearFieldMoves(p, view);
    nearPlanes(p, view);
}

static int countExceeded(NearSlice *slice)
{
    const Proximity *p = slice->proximity;
    int count = 0;
    for (int i = slice->begin; i < slice->end; ++i)
    {
        int v = slice->body->offset + slice->body->mesh->vertex[i];
        Vec3 change = vecSub(moveOf(slice->view, v), vecLoad(p->move + 3 * (ptrdiff_t)v));
        count += vecDot(change, change) > p->room * p->room;
    }
    return count;
}

bool proximityIsExceeded(Proximity *p, const ProximityView *view)
{
    return nearEachSurface(p, view, countExceeded, NULL) > 0 || nearStrays(p, view) > 0;
}

// ---- where displacements change -------------------------------------------------------------------------------------

// m: the mean displacement; none where something is pinned
static Vec3 commonMove(const Proximity *p, const ProximityView *view)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
    {
        if (view->pinned[v])
            return vec3(0, 0, 0);
        sum = vecAdd(sum, moveOf(view, v));
    }
    return vecScale(1.0 / p->vertexCount, sum);
}

// half of the room is for planes that push
static void findReach(Proximity *p, const ProximityView *view)
{
    double pins = 0; // what goes along with them moves so far
    p->common = commonMove(p, view);
    for (int v = 0; v < p->vertexCount; ++v)
        pins = view->pinned[v] ? maxReal(pins, vecLength(moveOf(view, v))) : pins;
    for (int v = 0; v < p->vertexCount; ++v)
        p->reach[v] = maxReal(vecLength(vecSub(moveOf(view, v), p->common)), pins) + 0.5 * p->room;
}

static bool reachesBeyond(const Proximity *p)
{
    for (int v = 0; v < p->vertexCount; ++v)
    {
        if ((p->crossed[v] & LOOSE_VERTEX) && p->reach[v] > p->room)
            return true;
    }
    return false;
}

void proximityLoosen(Proximity *p, const ProximityView *view)
{
    bool wide = false;
    findReach(p, view);
    do
    {
        if (!wide && reachesBeyond(p))
        {
            nearListMake(p, view, true);
            wide = true;
        }
    } while (nearGrow(p, view));
    nearPlanesLoose(p, view);
}
