// For the kernels of contacts: vectors of lanes, and the bodies of a batch.
#ifndef RIGID_LANES_H
#define RIGID_LANES_H

#include "base/simd.h"
#include "rigid/rows.h"

// ---- vectors --------------------------------------------------------------------------------------------------------

typedef struct Wide3
{
    DoubleWide x, y, z;
} Wide3;

SIMD_INLINE Wide3 plus(Wide3 a, Wide3 b)
{
    return (Wide3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SIMD_INLINE Wide3 minus(Wide3 a, Wide3 b)
{
    return (Wide3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SIMD_INLINE Wide3 times(DoubleWide s, Wide3 v)
{
    return (Wide3){ s * v.x, s * v.y, s * v.z };
}

SIMD_INLINE DoubleWide dot(Wide3 a, Wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE Wide3 cross(Wide3 a, Wide3 b)
{
    return (Wide3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SIMD_INLINE Wide3 take(const RigidVectors *v, int lane)
{
    return (Wide3){ wideLoad(v->x + lane), wideLoad(v->y + lane), wideLoad(v->z + lane) };
}

SIMD_INLINE void put(RigidVectors *to, int lane, Wide3 v)
{
    wideStore(to->x + lane, v.x);
    wideStore(to->y + lane, v.y);
    wideStore(to->z + lane, v.z);
}

SIMD_INLINE DoubleWide where(LongWide mask, DoubleWide v) // else 0
{
    return (DoubleWide)(mask & (LongWide)v);
}

SIMD_INLINE Wide3 where3(LongWide mask, Wide3 v)
{
    return (Wide3){ where(mask, v.x), where(mask, v.y), where(mask, v.z) };
}

SIMD_INLINE Wide3 select3(LongWide mask, Wide3 a, Wide3 b)
{
    return (Wide3){ wideSelect(mask, a.x, b.x), wideSelect(mask, a.y, b.y), wideSelect(mask, a.z, b.z) };
}

SIMD_INLINE DoubleWide atLeast(DoubleWide v, DoubleWide least)
{
    return wideSelect(v > least, v, least);
}

SIMD_INLINE Wide3 acrossNormal(Wide3 normal, Wide3 v)
{
    return minus(v, times(dot(v, normal), normal));
}

// `wanted`, shortened to `most`
SIMD_INLINE Wide3 within(Wide3 wanted, DoubleWide most)
{
    DoubleWide length = wideSqrt(dot(wanted, wanted));
    LongWide longer = length > most;
    DoubleWide scale = wideSelect(longer, most / wideSelect(longer, length, wideSet(1)), wideSet(1));
    return times(scale, wanted);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

typedef struct Frame
{
    Wide3 position, row[3];
} Frame;

typedef struct Side // displacements, or velocities
{
    Wide3 shift, twirl;
    DoubleWide inverseMass, struck;
} Side;

typedef struct Tensor
{
    DoubleWide xx, xy, xz, yy, yz, zz;
} Tensor;

typedef struct Sum
{
    Wide3 impulse, couple;
    DoubleWide dissipated, added;
} Sum;

SIMD_INLINE Wide3 takeVector(const double *motion, const int *body)
{
    DoubleWide r[4];
    wideLoadPlaces(motion, body, r);
    return (Wide3){ r[0], r[1], r[2] };
}

SIMD_INLINE Frame takeFrame(const double *motion, const int *body, int at)
{
    Frame frame = { .position = takeVector(motion + at, body) };
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
        frame.row[i] = takeVector(motion + at + 4 + 4 * i, body);
    return frame;
}

SIMD_INLINE Wide3 turned(const Frame *frame, Wide3 v)
{
    return (Wide3){ dot(frame->row[0], v), dot(frame->row[1], v), dot(frame->row[2], v) };
}

SIMD_INLINE Side takeSide(const double *motion, const int *body)
{
    DoubleWide s[4], t[4];
    wideLoadPlaces(motion + MOTION_SHIFT, body, s);
    wideLoadPlaces(motion + MOTION_TWIRL, body, t);
    return (Side){ { s[0], s[1], s[2] }, { t[0], t[1], t[2] }, s[3], t[3] };
}

SIMD_INLINE void putSide(double *motion, const int *body, const Side *side)
{
    DoubleWide s[4] = { side->shift.x, side->shift.y, side->shift.z, side->inverseMass };
    DoubleWide t[4] = { side->twirl.x, side->twirl.y, side->twirl.z, side->struck };
    wideStorePlaces(motion + MOTION_SHIFT, body, s);
    wideStorePlaces(motion + MOTION_TWIRL, body, t);
}

SIMD_INLINE Tensor takeTensor(const double *motion, const int *body)
{
    DoubleWide s[4], t[4];
    wideLoadPlaces(motion + MOTION_TENSOR, body, s);
    wideLoadPlaces(motion + MOTION_TENSOR + 4, body, t);
    return (Tensor){ s[0], s[1], s[2], t[0], t[1], t[2] };
}

SIMD_INLINE Wide3 apply(const Tensor *t, Wide3 v)
{
    return (Wide3){ t->xx * v.x + t->xy * v.y + t->xz * v.z, t->xy * v.x + t->yy * v.y + t->yz * v.z,
                    t->xz * v.x + t->yz * v.y + t->zz * v.z };
}

SIMD_INLINE Sum takeSum(const double *motion, const int *body)
{
    DoubleWide s[4], t[4];
    wideLoadPlaces(motion + MOTION_IMPULSE, body, s);
    wideLoadPlaces(motion + MOTION_COUPLE, body, t);
    return (Sum){ { s[0], s[1], s[2] }, { t[0], t[1], t[2] }, s[3], t[3] };
}

SIMD_INLINE void putSum(double *motion, const int *body, const Sum *sum)
{
    DoubleWide s[4] = { sum->impulse.x, sum->impulse.y, sum->impulse.z, sum->dissipated };
    DoubleWide t[4] = { sum->couple.x, sum->couple.y, sum->couple.z, sum->added };
    wideStorePlaces(motion + MOTION_IMPULSE, body, s);
    wideStorePlaces(motion + MOTION_COUPLE, body, t);
}

// Both bodies of the lanes of a part of a batch.
typedef struct Pair
{
    const int *bodyA, *bodyB;
    Side a, b;
    Tensor tensorA, tensorB;
} Pair;

SIMD_INLINE Pair takePair(const double *motion, const RigidBatch *batch, int lane, bool tensors)
{
    Pair pair = { .bodyA = batch->a + lane, .bodyB = batch->b + lane };
    pair.a = takeSide(motion, pair.bodyA);
    pair.b = takeSide(motion, pair.bodyB);
    if (tensors)
    {
        pair.tensorA = takeTensor(motion, pair.bodyA);
        pair.tensorB = takeTensor(motion, pair.bodyB);
    }
    return pair;
}

SIMD_INLINE void putPair(double *motion, const Pair *pair)
{
    putSide(motion, pair->bodyA, &pair->a);
    putSide(motion, pair->bodyB, &pair->b);
}

// for each batch in [first, end) and each part of its lanes that is in use
#define FOR_PARTS(pass, batch, lane)                                                                                   \
    for (const RigidBatch *batch = (pass)->batch + first; batch < (pass)->batch + end; ++batch)                        \
        for (int lane = 0; lane < batch->count; lane += WIDE)
#define FOR_ROWS(pass, batch, r)                                                                                       \
    for (RigidRow *r = (pass)->row + (batch)->row; r < (pass)->row + (batch)->row + (batch)->rows; ++r)

// ---- impulses -------------------------------------------------------------------------------------------------------

// any impulse on the displacements, or on the velocities
SIMD_INLINE void shiftPair(Pair *pair, Wide3 armA, Wide3 armB, Wide3 impulse)
{
    pair->a.shift = plus(pair->a.shift, times(pair->a.inverseMass, impulse));
    pair->b.shift = minus(pair->b.shift, times(pair->b.inverseMass, impulse));
    pair->a.twirl = plus(pair->a.twirl, apply(&pair->tensorA, cross(armA, impulse)));
    pair->b.twirl = minus(pair->b.twirl, apply(&pair->tensorB, cross(armB, impulse)));
}

// an impulse along the normal
SIMD_INLINE void shiftNormal(Pair *pair, const RigidRow *r, int lane, Wide3 normal, DoubleWide step)
{
    pair->a.shift = plus(pair->a.shift, times(step * pair->a.inverseMass, normal));
    pair->b.shift = minus(pair->b.shift, times(step * pair->b.inverseMass, normal));
    pair->a.twirl = plus(pair->a.twirl, times(step, take(&r->turnA, lane)));
    pair->b.twirl = minus(pair->b.twirl, times(step, take(&r->turnB, lane)));
}

// of a against b, along the normal
SIMD_INLINE DoubleWide alongNormal(const Pair *pair, const RigidRow *r, int lane, Wide3 normal)
{
    return dot(normal, minus(pair->a.shift, pair->b.shift)) + dot(take(&r->crossA, lane), pair->a.twirl) -
           dot(take(&r->crossB, lane), pair->b.twirl);
}

// contacts that rebound: several of a pair share their impact
SIMD_INLINE LongWide rebounds(const RigidRow *r, int lane)
{
    return (wideLoad(r->hits + lane) > 0) & (wideLoad(r->restitution + lane) > 0);
}

// 1/kg: the sum of |d(speed of r) / d(impulse)| over those of a batch that share
SIMD_INLINE DoubleWide sharedEase(const RigidPass *pass, const RigidBatch *batch, const Pair *pair, const RigidRow *r,
                                  int lane, const LongWide *shares)
{
    Wide3 normal = take(&r->normal, lane), turnA = take(&r->turnA, lane), turnB = take(&r->turnB, lane);
    DoubleWide sum = wideSet(0);
    for (int k = 0; k < batch->rows; ++k)
    {
        const RigidRow *other = pass->row + batch->row + k;
        DoubleWide ease = (pair->a.inverseMass + pair->b.inverseMass) * dot(normal, take(&other->normal, lane)) +
                          dot(turnA, take(&other->crossA, lane)) + dot(turnB, take(&other->crossB, lane));
        sum += where(shares[k], atLeast(ease, -ease));
    }
    return wideSelect(sum > 0, sum, wideSet(1));
}

// An impact of several contacts of a pair, from the same state for each: one after the other the first takes most of
// it, and a box that falls flat leaves with a spin. Steps divided by the sum above never go too far; where all of them
// push, they are taken as far as lowers the error most. `lacks` in m or m/s, `impulse` in kg m or N s.
SIMD_INLINE void shareImpact(const RigidPass *pass, const RigidBatch *batch, Pair *pair, int lane,
                             const LongWide *shares, const DoubleWide *lacks, DoubleWide *impulse)
{
    const RigidRow *row = pass->row + batch->row;
    DoubleWide step[RIGID_POINTS], slope = wideSet(0), curve = wideSet(0);
    LongWide pulls = { 0 };
    Pair moved = *pair;
    for (int k = 0; k < batch->rows; ++k)
    {
        DoubleWide ease = sharedEase(pass, batch, pair, row + k, lane, shares);
        step[k] = where(shares[k], atLeast(lacks[k] / ease, -impulse[k]));
        shiftNormal(&moved, row + k, lane, take(&row[k].normal, lane), step[k]);
    }
    for (int k = 0; k < batch->rows; ++k)
    {
        Wide3 normal = take(&row[k].normal, lane);
        slope += step[k] * where(shares[k], lacks[k]);
        curve += step[k] * (alongNormal(&moved, row + k, lane, normal) - alongNormal(pair, row + k, lane, normal));
        pulls |= step[k] < 0;
    }
    LongWide far = (curve > 0) & ~pulls;
    DoubleWide scale = wideSelect(far, slope / wideSelect(far, curve, wideSet(1)), wideSet(1));
    for (int k = 0; k < batch->rows; ++k)
    {
        shiftNormal(pair, row + k, lane, take(&row[k].normal, lane), scale * step[k]);
        impulse[k] += scale * step[k];
    }
}

SIMD_INLINE Wide3 relative(const Pair *pair, Wide3 armA, Wide3 armB)
{
    return minus(plus(pair->a.shift, cross(pair->a.twirl, armA)), plus(pair->b.shift, cross(pair->b.twirl, armB)));
}

// 1/kg, in the direction of v, times its square
SIMD_INLINE DoubleWide easeOf(const Pair *pair, Wide3 armA, Wide3 armB, Wide3 v)
{
    Wide3 crossA = cross(armA, v), crossB = cross(armB, v);
    return (pair->a.inverseMass + pair->b.inverseMass) * dot(v, v) + dot(crossA, apply(&pair->tensorA, crossA)) +
           dot(crossB, apply(&pair->tensorB, crossB));
}

// what stops v: -v / easeAlong(its direction)
SIMD_INLINE Wide3 stopping(const Pair *pair, Wide3 armA, Wide3 armB, Wide3 v)
{
    DoubleWide ease = easeOf(pair, armA, armB, v), square = dot(v, v);
    LongWide moves = (square > 0) & (ease > 0);
    return times(where(moves, -square / wideSelect(moves, ease, wideSet(1))), v);
}

// m/s^2, of a against b: what gravity, forces and torques give
SIMD_INLINE Wide3 pullOf(const double *motion, const Pair *pair, Wide3 armA, Wide3 armB)
{
    Wide3 ofA = plus(takeVector(motion + MOTION_PULL, pair->bodyA),
                     cross(takeVector(motion + MOTION_PULLED, pair->bodyA), armA));
    Wide3 ofB = plus(takeVector(motion + MOTION_PULL, pair->bodyB),
                     cross(takeVector(motion + MOTION_PULLED, pair->bodyB), armB));
    return minus(ofA, ofB);
}

// m/s, of the surface of b along itself
SIMD_INLINE Wide3 beltOf(const RigidBatch *batch, const RigidRow *r, int lane)
{
    return batch->belts ? take(&r->belt, lane) : (Wide3){ { 0 }, { 0 }, { 0 } };
}

#endif
