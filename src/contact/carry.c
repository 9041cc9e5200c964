// Pins go where they are told, and what they press cannot stay where it was: it goes along with them, as part of one
// copy of them, turned and grown as they are, which brings nothing nearer to anything else of it. Pins that are
// neighbours in a mesh make one such copy. Between two that close on each other nothing helps: who is there is crossed,
// and counted where the next step begins.
#include "contact/proximity.h"

#define FLAT 1e-9 // of the greatest moment: axes with less, as along a line of pins, have no turn of their own

typedef struct Motion
{
    Vec3 centre, move, turn; // m, m, rad
    double growth;           // 1: pins that turn go along chords
} Motion;

// neighbours get the smaller of their numbers, until nothing changes
void carryBegin(Proximity *p, const unsigned char *pinned)
{
    for (int v = 0; v < p->vertexCount; ++v)
        p->group[v] = pinned[v] ? v : -1;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int b = 0; b < p->bodyCount; ++b)
        {
            const Features *f = p->body[b].mesh->features;
            for (int e = 0; e < f->edgeCount; ++e)
            {
                int *one = &p->group[p->body[b].offset + f->edge[2 * (ptrdiff_t)e]];
                int *two = &p->group[p->body[b].offset + f->edge[2 * (ptrdiff_t)e + 1]];
                if (*one < 0 || *two < 0 || *one == *two)
                    continue;
                *one = *two = minInt(*one, *two);
                changed = true;
            }
        }
    }
}

static Motion motionOf(const Proximity *p, const unsigned char *pinned, const double *start, int group)
{
    Motion motion = { 0 };
    Vec3 angular = vec3(0, 0, 0);
    Mat3 inertia = { { { 0 } } };
    double along = 0, square = 0;
    int count = 0;
    for (int v = 0; v < p->vertexCount; ++v)
    {
        if (!pinned[v] || p->group[v] != group)
            continue;
        motion.centre = vecAdd(motion.centre, vecLoad(start + 3 * (ptrdiff_t)v));
        motion.move = vecAdd(motion.move, vecLoad(p->move + 3 * (ptrdiff_t)v));
        count += 1;
    }
    motion.centre = vecScale(1.0 / count, motion.centre);
    motion.move = vecScale(1.0 / count, motion.move);
    for (int v = 0; v < p->vertexCount && count > 1; ++v)
    {
        if (!pinned[v] || p->group[v] != group)
            continue;
        double r[3];
        vecStore(r, vecSub(vecLoad(start + 3 * (ptrdiff_t)v), motion.centre));
        angular = vecAdd(angular, vecCross(vecLoad(r), vecLoad(p->move + 3 * (ptrdiff_t)v)));
        double own = vecDot(vecLoad(r), vecLoad(r));
        along += vecDot(vecLoad(r), vecLoad(p->move + 3 * (ptrdiff_t)v));
        square += own;
        for (int i = 0; i < 9; ++i)
            inertia.m[i / 3][i % 3] += (i / 3 == i % 3 ? own : 0) - r[i / 3] * r[i % 3];
    }
    if (square > 0)
    {
        motion.growth = along / square;
        Mat3 inverse = matPseudoinverse(&inertia, FLAT);
        motion.turn = matApply(&inverse, angular);
    }
    return motion;
}

void carryWith(Proximity *p, const PlaneState *s, int vertex, int group)
{
    Motion motion = motionOf(p, s->pinned, s->start, group);
    Vec3 r = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)vertex), motion.centre);
    Vec3 turned = vecAdd(vecCross(motion.turn, r), vecScale(motion.growth, r));
    p->group[vertex] = group;
    p->carries = true;
    vecStore(p->carried + 3 * (ptrdiff_t)vertex, vecAdd(motion.move, turned));
}
