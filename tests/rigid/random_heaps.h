// Heaps of rigid bodies drawn at random: shapes, masses, friction, restitution, substeps, slope, joints, with and
// without ground. What must hold for every one of them is measured here and judged by the tests.
#ifndef TESTS_RIGID_RANDOM_HEAPS_H
#define TESTS_RIGID_RANDOM_HEAPS_H

#include "rigid/rigid_scenes.h"

typedef struct Draw
{
    uint64_t state;
} Draw;

static inline double draw(Draw *d) // [0, 1)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(d->state >> 11) / 9007199254740992.0;
}

static inline double between(Draw *d, double low, double high)
{
    return low + (high - low) * draw(d);
}

typedef struct RandomHeap
{
    vvWorldId world;
    int count, substeps;
    double ratio;       // of the masses, 1 to 1000
    double restitution; // of all
    bool grounded;      // else in free space
    bool joined;
    bool rests;       // friction and slope let it come to rest, and nothing rolls for ever
    double size;      // m, half the smallest
    double scale;     // J: of what it may exchange
    double rise;      // of the scale: the most that energy rose above what was there and added
    double gain;      // of the scale: the most that `numerical` rose
    double loss;      // of the scale: the most that it fell
    double deepest;   // of the size, in the last step
    double momentum;  // of what moved, changed without ground
    double restSpeed; // m/s at the end, of the fastest: balls spin on the spot for ever
} RandomHeap;

static inline vvShape *randomShape(Draw *d, int kind, double r)
{
    if (kind == 0)
        return boxShape((vvVec3){ r * between(d, 1, 2), r * between(d, 1, 2), r * between(d, 1, 2) });
    if (kind == 1)
        return sphereShape(r);
    if (kind == 2)
        return capsuleShape(0.5 * r, r * between(d, 0.5, 2));
    double points[8][3];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            points[i][k] = r * (i >> k & 1 ? 1 : -1) * between(d, 0.5, 1);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_CONVEX;
    def.points = &points[0][0];
    def.pointCount = 8;
    return vvCreateShape(&def, NULL);
}

static inline vvRigidBodyId randomBody(Draw *d, RandomHeap *heap, double friction, Vec3 position)
{
    int kind = (int)(5 * draw(d));
    double r = between(d, 0.1, 0.25);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvRigidShape part = { .position = { r, 0, 0 }, .density = 1000 };
    part.shape = sphereShape(0.5 * r);
    def.shape = randomShape(d, kind, r);
    if (kind == 4) // a hull with a ball at its side
    {
        def.shapes = &part;
        def.shapeCount = 1;
    }
    def.position = position;
    def.rotation = vvQuat_FromDegrees((vvVec3){ between(d, 0, 360), between(d, 0, 360), between(d, 0, 360) });
    def.mass = pow(heap->ratio, draw(d));
    def.friction = friction;
    def.restitution = heap->restitution;
    def.rollingFriction = 0.1;
    if (!heap->grounded)
        def.velocity = vecScale(-2, position);
    def.spin = (vvVec3){ between(d, -3, 3), between(d, -3, 3), between(d, -3, 3) };
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(heap->world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    vvDestroyShape(part.shape);
    heap->size = minReal(heap->size, 0.5 * r);
    heap->scale += def.mass * (heap->grounded ? 9.81 * (position.y + r) : 2 * vecDot(position, position));
    return body;
}

static inline RandomHeap makeRandomHeap(int seed)
{
    Draw d = { (uint64_t)seed * 2654435761u + 12345 };
    for (int i = 0; i < 8; ++i)
        draw(&d);
    RandomHeap heap = { .size = 1, .grounded = draw(&d) < 0.7, .joined = draw(&d) < 0.3 };
    heap.ratio = pow(10, (int)(4 * draw(&d)));
    heap.restitution = draw(&d) < 0.5 ? 0 : draw(&d);
    heap.substeps = 10 + (int)(90 * draw(&d) * draw(&d));
    double friction = draw(&d), slope = heap.grounded && draw(&d) < 0.5 ? between(&d, 0, 25) : 0, sine, cosine;
    sineCosine(slope * PI / 180, &sine, &cosine);
    heap.rests = heap.grounded && heap.restitution == 0 && slope == 0 && friction > 0.2 && !heap.joined;
    heap.world = makeWorld(heap.grounded ? (vvVec3){ 9.81 * sine, -9.81 * cosine, 0 } : (vvVec3){ 0, 0, 0 });
    CHECK_OK(vvWorld_SetRigidSubsteps(heap.world, heap.substeps));
    if (heap.grounded)
        addGround(heap.world, friction, heap.restitution);
    int wanted = 2 + (int)(18 * draw(&d));
    vvRigidBodyId last = { 0, 0, 0 };
    for (heap.count = 0; heap.count < wanted; ++heap.count)
    {
        int i = heap.count;
        Vec3 place = vec3(0.9 * (i % 2) - 0.45, 0.6 + 0.9 * (i / 4), 0.9 * (i / 2 % 2) - 0.45);
        vvRigidBodyId body = randomBody(&d, &heap, friction, place);
        vvJointDef joint = vvDefaultJointDef();
        joint.kind = draw(&d) < 0.5 ? VV_JOINT_BALL : VV_JOINT_HINGE;
        joint.bodyA = last;
        joint.bodyB = body;
        last = body;
        if (!heap.joined || i % 3 == 0)
            continue;
        vvResult result;
        CHECK_OK(vvJointDef_Place(&joint, place, (vvVec3){ 0, 1, 0 }));
        vvCreateJoint(heap.world, &joint, &result);
        CHECK_OK(result);
    }
    return heap;
}

static inline double deepestOverlap(vvWorldId world)
{
    vvContact contacts[512];
    int count = vvWorld_GetContacts(world, contacts, 512);
    double most = 0;
    for (int i = 0; i < count && i < 512; ++i)
        most = maxReal(most, contacts[i].overlap);
    return most;
}

static inline RandomHeap runRandomHeap(int seed, int frames)
{
    RandomHeap heap = makeRandomHeap(seed);
    vvLedger first = vvWorld_GetLedger(heap.world), now = first;
    for (int i = 0; i < frames; ++i)
    {
        steps(heap.world, 1);
        now = vvWorld_GetLedger(heap.world);
        heap.rise = maxReal(heap.rise, (now.total - first.total - (now.added - first.added)) / heap.scale);
        heap.gain = maxReal(heap.gain, (now.numerical - first.numerical) / heap.scale);
        heap.loss = maxReal(heap.loss, (first.numerical - now.numerical) / heap.scale);
    }
    vvRigidBodyId body[32];
    int count = vvWorld_GetRigidBodies(heap.world, body, 32);
    double moving = 1e-3;
    for (int i = 0; i < count; ++i)
    {
        double speed = vecLength(vvRigidBody_GetVelocity(body[i]));
        moving += vvRigidBody_GetMass(body[i]) * speed;
        heap.restSpeed = maxReal(heap.restSpeed, speed);
    }
    heap.deepest = deepestOverlap(heap.world) / heap.size;
    heap.momentum = maxReal(vecLength(vecSub(now.momentum, first.momentum)),
                            vecLength(vecSub(now.angularMomentum, first.angularMomentum))) /
                    maxReal(moving, vecLength(first.angularMomentum));
    vvDestroyWorld(heap.world);
    return heap;
}

#endif
