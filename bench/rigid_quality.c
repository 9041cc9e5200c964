// How well boxes lie: overlap, gaps of pins, drift, speed and energy, by the same measures for all contenders.
#include "bench/rigid.h"

#include "rigid/rigid.h"

#include <stdlib.h>

#define TOUCHING 0.002 // m, apart: counted as contacts

static Vec3 vectorOf(const double *x)
{
    return vec3(x[0], x[1], x[2]);
}

static vvQuat rotationOf(const double *q)
{
    return (vvQuat){ q[0], q[1], q[2], q[3] };
}

static vvShape *shapeOf(const BenchBox *box)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = vectorOf(box->size);
    return vvCreateShape(&def, NULL);
}

static Pose poseOf(const double *state)
{
    return poseMake(vectorOf(state), rotationOf(state + 3));
}

static double energyOf(const BoxProblem *p, const double *states)
{
    double energy = 0;
    for (int i = 0; i < p->boxCount; ++i)
    {
        const BenchBox *box = &p->box[i];
        const double *s = states + (size_t)i * BOX_STATE, *size = box->size;
        if (box->mass == 0)
            continue;
        Vec3 velocity = vectorOf(s + 7), spin = quatRotateBack(rotationOf(s + 3), vectorOf(s + 10));
        double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
        double turning = (yy + zz) * spin.x * spin.x + (xx + zz) * spin.y * spin.y + (xx + yy) * spin.z * spin.z;
        energy += box->mass * (0.5 * vecDot(velocity, velocity) + turning / 24 + p->gravity * s[1]);
    }
    return energy;
}

void qualityFollow(Quality *q, const BoxProblem *p, const double *states, int first)
{
    double energy = energyOf(p, states);
    q->lowest = first ? energy : minReal(q->lowest, energy);
    q->gained = first ? 0 : maxReal(q->gained, energy - q->lowest);
    q->energy = energy;
}

static bool isJoined(const BoxProblem *p, int a, int b)
{
    for (int k = 0; k < p->pinCount; ++k)
    {
        if ((p->pin[k].a == a && p->pin[k].b == b) || (p->pin[k].a == b && p->pin[k].b == a))
            return true;
    }
    return false;
}

static void judgePair(const vvShape *a, Pose poseA, const vvShape *b, Pose poseB, Quality *q)
{
    ManifoldPoint point[MANIFOLD_LIMIT];
    int count = rigidManifold(a, poseA, b, poseB, TOUCHING, point);
    q->contacts += count;
    for (int k = 0; k < count; ++k)
        q->deepest = maxReal(q->deepest, -point[k].distance);
}

static void judgeContacts(const BoxProblem *p, vvShape *const *shape, const double *states, Quality *q)
{
    vvShapeDef planeDef = vvDefaultShapeDef();
    vvShape *plane = vvCreateShape(&planeDef, NULL);
    for (int i = 0; i < p->boxCount; ++i)
    {
        const double *a = states + (size_t)i * BOX_STATE;
        if (p->box[i].mass > 0 && p->floor)
            judgePair(shape[i], poseOf(a), plane, poseMake(vec3(0, 0, 0), (vvQuat){ 1, 0, 0, 0 }), q);
        for (int j = 0; j < i; ++j)
        {
            const double *b = states + (size_t)j * BOX_STATE;
            double reach = vecLength(vectorOf(p->box[i].size)) + vecLength(vectorOf(p->box[j].size));
            bool stand = p->box[i].mass == 0 && p->box[j].mass == 0;
            if (!stand && vecLength(vecSub(vectorOf(a), vectorOf(b))) < 0.5 * reach + TOUCHING && !isJoined(p, i, j))
                judgePair(shape[i], poseOf(a), shape[j], poseOf(b), q);
        }
    }
    vvDestroyShape(plane);
}

void qualityJudge(const BoxProblem *p, const double *states, Quality *q)
{
    vvShape **shape = calloc((size_t)p->boxCount, sizeof *shape);
    double squares = 0;
    q->mass = 0;
    for (int i = 0; i < p->boxCount && shape != NULL; ++i)
    {
        const double *s = states + (size_t)i * BOX_STATE;
        shape[i] = shapeOf(&p->box[i]);
        if (p->box[i].mass == 0)
            continue;
        q->drift = maxReal(q->drift, vecLength(vecSub(vectorOf(s), vectorOf(p->box[i].position))));
        squares += p->box[i].mass * vecDot(vectorOf(s + 7), vectorOf(s + 7));
        q->mass += p->box[i].mass;
    }
    q->speed = sqrt(squares / q->mass);
    for (int k = 0; k < p->pinCount; ++k)
    {
        Vec3 at[2];
        for (int side = 0; side < 2; ++side)
        {
            int i = side ? p->pin[k].b : p->pin[k].a;
            const double *s = states + (size_t)i * BOX_STATE;
            Vec3 local = quatRotateBack(rotationOf(p->box[i].rotation),
                                        vecSub(vectorOf(p->pin[k].anchor), vectorOf(p->box[i].position)));
            at[side] = vecAdd(vectorOf(s), quatRotate(rotationOf(s + 3), local));
        }
        q->gap = maxReal(q->gap, vecLength(vecSub(at[0], at[1])));
    }
    if (shape != NULL)
        judgeContacts(p, shape, states, q);
    for (int i = 0; i < p->boxCount && shape != NULL; ++i)
        vvDestroyShape(shape[i]);
    free(shape);
}
