// Bodies drawn at random that are thrown at each other into a corner and tumble: how deep they overlap by the narrow
// phase, in any frame. Substeps as docs/rigid.md says for their masses.
#ifndef TESTS_RIGID_TUMBLES_H
#define TESTS_RIGID_TUMBLES_H

#include "rigid/random_heaps.h"
#include "rigid/rigid.h"

#define TUMBLE_LIMIT 32

typedef struct Tumble
{
    RandomHeap heap;
    vvShape *shape[TUMBLE_LIMIT];
    vvRigidBodyId body[TUMBLE_LIMIT];
    double deepest; // of the smallest half-width
} Tumble;

static inline void tumbleAdd(Tumble *t, Draw *d, double speed, double turning)
{
    int i = t->heap.count++, kind = (int)(4 * draw(d));
    double r = between(d, 0.1, 0.25);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = t->shape[i] = randomShape(d, kind, r);
    def.position = (vvVec3){ 0.9 * (i % 2) + 0.6, 0.6 + 0.9 * (i / 4), 0.9 * (i / 2 % 2) + 0.6 };
    def.rotation = vvQuat_FromDegrees((vvVec3){ between(d, 0, 360), between(d, 0, 360), between(d, 0, 360) });
    def.mass = pow(t->heap.ratio, draw(d));
    def.friction = 0.5;
    def.velocity = vecScale(-speed / 1.7, (vvVec3){ draw(d), 1 + draw(d), draw(d) });
    def.spin = vecScale(turning, (vvVec3){ between(d, -1, 1), between(d, -1, 1), between(d, -1, 1) });
    vvResult result;
    t->body[i] = vvCreateRigidBody(t->heap.world, &def, &result);
    CHECK_OK(result);
    t->heap.size = minReal(t->heap.size, 0.5 * r);
}

static inline double tumbleDepth(const Tumble *t)
{
    double most = 0;
    for (int i = 0; i < t->heap.count; ++i)
    {
        vvPose a = vvRigidBody_GetPose(t->body[i]);
        for (int k = 0; k < i; ++k)
        {
            vvPose b = vvRigidBody_GetPose(t->body[k]);
            ManifoldPoint point[MANIFOLD_LIMIT];
            int count = rigidManifold(t->shape[i], poseMake(a.position, a.rotation), t->shape[k],
                                      poseMake(b.position, b.rotation), 0, point);
            for (int p = 0; p < count; ++p)
                most = maxReal(most, -point[p].distance);
        }
    }
    return most;
}

// thrown at `speed` m/s with a spin of up to `turning` rad/s about each axis
static inline Tumble runTumble(int seed, double speed, double turning, int frames)
{
    Draw d = { (uint64_t)seed * 2654435761u + 777 };
    for (int i = 0; i < 8; ++i)
        draw(&d);
    Tumble t = { .heap = { .size = 1 } };
    int heavier = (int)(3 * draw(&d));
    const int substeps[3] = { 20, 40, 100 };
    t.heap.ratio = pow(10, heavier);
    t.heap.world = makeWorld((vvVec3){ 0, -9.81, 0 });
    CHECK_OK(vvWorld_SetRigidSubsteps(t.heap.world, substeps[heavier]));
    for (int axis = 0; axis < 3; ++axis)
    {
        vvShapeDef plane = vvDefaultShapeDef();
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&plane, NULL);
        def.rotation = vvQuat_FromDegrees((vvVec3){ axis == 2 ? 90 : 0, 0, axis == 0 ? -90 : 0 });
        vvResult result;
        vvCreateCollider(t.heap.world, &def, &result);
        CHECK_OK(result);
        vvDestroyShape(def.shape);
    }
    while (t.heap.count < 20)
        tumbleAdd(&t, &d, speed, turning);
    for (int i = 0; i < frames; ++i)
    {
        steps(t.heap.world, 1);
        t.deepest = maxReal(t.deepest, tumbleDepth(&t) / t.heap.size);
    }
    for (int i = 0; i < t.heap.count; ++i)
        vvDestroyShape(t.shape[i]);
    vvDestroyWorld(t.heap.world);
    return t;
}

#endif
