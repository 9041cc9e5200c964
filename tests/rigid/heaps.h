// Heaps of rigid bodies that must stand: each returns how far its farthest body, or the one on top, has drifted, m.
#ifndef TESTS_RIGID_HEAPS_H
#define TESTS_RIGID_HEAPS_H

#include "rigid/rigid_scenes.h"

#define HEAP_LIMIT 256

typedef struct Heap
{
    vvWorldId world;
    int count;
    vvRigidBodyId body[HEAP_LIMIT];
    Vec3 place[HEAP_LIMIT];
} Heap;

static inline Heap heapBegin(double friction, int substeps)
{
    Heap heap = { .world = makeWorld((vvVec3){ 0, -9.81, 0 }) };
    CHECK_OK(vvWorld_SetRigidSubsteps(heap.world, substeps));
    addGround(heap.world, friction, 0);
    return heap;
}

// takes the shape over
static inline void heapAdd(Heap *heap, vvShape *shape, Vec3 place, Vec3 degrees, double mass, double friction,
                           double rolling)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.position = place;
    def.rotation = vvQuat_FromDegrees(degrees);
    def.mass = mass;
    def.friction = friction;
    def.rollingFriction = rolling;
    vvResult result;
    heap->body[heap->count] = vvCreateRigidBody(heap->world, &def, &result);
    CHECK_OK(result);
    heap->place[heap->count++] = place;
    vvDestroyShape(shape);
}

// of the body that drifted farthest, of those from `first` on
static inline double heapEnd(Heap *heap, int first, int frames)
{
    steps(heap->world, frames);
    double most = 0;
    for (int i = first; i < heap->count; ++i)
        most = maxReal(most, vecLength(vecSub(vvRigidBody_GetPose(heap->body[i]).position, heap->place[i])));
    vvDestroyWorld(heap->world);
    return most;
}

static inline double towerDrift(int boxes, int frames)
{
    Heap heap = heapBegin(0.5, 20);
    for (int i = 0; i < boxes; ++i)
        heapAdd(&heap, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), vec3(0, 0.2 + 0.4 * i, 0), vec3(0, 0, 0), 1, 0.5, 0);
    return heapEnd(&heap, 0, frames);
}

static inline double pyramidDrift(int base, int frames)
{
    Heap heap = heapBegin(0.5, 20);
    for (int row = 0; row < base; ++row)
        for (int i = 0; i < base - row; ++i)
            heapAdd(&heap, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), vec3(0.42 * (i + 0.5 * row), 0.2 + 0.4 * row, 0),
                    vec3(0, 0, 0), 1, 0.5, 0);
    return heapEnd(&heap, 0, frames);
}

// A house of 15 playing cards: three storeys of cards that lean against each other at 15 degrees, with cards across.
static inline double cardDrift(int frames)
{
    Heap heap = heapBegin(0.7, 40);
    const double height = 0.09, thick = 0.002, wide = 0.06; // m
    double sine, cosine, base = 0;
    sineCosine(PI / 12, &sine, &cosine);
    double pitch = 2 * height * sine + 2.2 * thick;
    for (int pairs = 3; pairs >= 1; --pairs)
    {
        for (int i = 0; i < 2 * pairs; ++i)
        {
            double side = i % 2 == 0 ? -1 : 1;
            double x = (i / 2 - 0.5 * (pairs - 1)) * pitch + side * 0.5 * (height * sine + thick * cosine);
            heapAdd(&heap, boxShape((vvVec3){ thick, height, wide }),
                    vec3(x, base + 0.5 * (height * cosine + thick * sine), 0), vec3(0, 0, side * 15), 0.002, 0.7, 0);
        }
        base += height * cosine + thick * sine;
        for (int i = 0; i < pairs - 1; ++i)
            heapAdd(&heap, boxShape((vvVec3){ 0.99 * pitch, thick, wide }),
                    vec3((i - 0.5 * (pairs - 2)) * pitch, base + 0.5 * thick, 0), vec3(0, 0, 0), 0.002, 0.7, 0);
        base += thick;
    }
    assert_int_equal(heap.count, 15);
    return heapEnd(&heap, 0, frames);
}

// Six layers of three capsules of 1 kg, crosswise, and a box on them: how far the box went.
static inline double capsuleDrift(double mass, double rolling, int substeps, int frames)
{
    Heap heap = heapBegin(0.5, substeps);
    for (int i = 0; i < 18; ++i)
    {
        bool even = i / 3 % 2 == 0;
        double y = 0.1 + 0.2 * (i / 3), offset = 0.4 * (i % 3 - 1);
        heapAdd(&heap, capsuleShape(0.1, 1), even ? vec3(0, y, offset) : vec3(offset, y, 0),
                even ? vec3(0, 0, 90) : vec3(90, 0, 0), 1, 0.5, rolling);
    }
    heapAdd(&heap, boxShape((vvVec3){ 1.2, 0.4, 1.2 }), vec3(0, 1.4, 0), vec3(0, 0, 0), mass, 0.5, 0);
    return heapEnd(&heap, heap.count - 1, frames);
}

#endif
