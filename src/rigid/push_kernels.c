// Where contacts act, and the sweeps over positions (contact.c).
#include "rigid/lanes.h"

#define PARALLEL 0.1 // sine of the angle between axes of capsules that do not cross

// ---- where they touch -----------------------------------------------------------------------------------------------

// capsules touch where their axes cross, seen along the normal
SIMD_INLINE Wide3 crossing(const RigidRow *r, int lane, const Frame *a, const Frame *b, Wide3 onA, Wide3 onB,
                           Wide3 point)
{
    Wide3 normal = take(&r->normal, lane);
    Wide3 axisA = turned(a, take(&r->axisA, lane)), axisB = turned(b, take(&r->axisB, lane));
    DoubleWide turn = dot(cross(axisA, axisB), normal);
    LongWide cut = ((turn > PARALLEL) | (turn < -PARALLEL)) & (wideLoad(r->radiusA + lane) > 0) &
                   (wideLoad(r->radiusB + lane) > 0);
    DoubleWide way = dot(cross(minus(onB, onA), axisB), normal) / wideSelect(cut, turn, wideSet(1));
    return select3(cut, plus(onA, times(way, axisA)), point);
}

// Where both feel the impulse: one point, so that angular momentum is kept. It goes along with what is round: a roller
// whose load lags behind by half its way in a step is driven by it. Returns the way from the point on b to that on a,
// m.
SIMD_INLINE Wide3 placeRow(RigidRow *r, int lane, bool crosses, const Frame *a, const Frame *b, const Pair *pair)
{
    Wide3 normal = take(&r->normal, lane), between = minus(b->position, a->position);
    Wide3 onA = minus(turned(a, take(&r->localA, lane)), times(wideLoad(r->radiusA + lane), normal));
    Wide3 onB = plus(turned(b, take(&r->localB, lane)), times(wideLoad(r->radiusB + lane), normal));
    onB = plus(onB, between);
    DoubleWide share = wideLoad(r->share + lane);
    Wide3 armA = plus(times(share, onA), times(1 - share, onB));
    if (crosses)
        armA = crossing(r, lane, a, b, onA, onB, armA);
    Wide3 armB = minus(armA, between);
    Wide3 crossA = cross(armA, normal), crossB = cross(armB, normal);
    Wide3 turnA = apply(&pair->tensorA, crossA), turnB = apply(&pair->tensorB, crossB);
    put(&r->armA, lane, armA);
    put(&r->armB, lane, armB);
    put(&r->crossA, lane, crossA);
    put(&r->crossB, lane, crossB);
    put(&r->turnA, lane, turnA);
    put(&r->turnB, lane, turnB);
    wideStore(r->ease + lane, pair->a.inverseMass + pair->b.inverseMass + dot(crossA, turnA) + dot(crossB, turnB));
    return minus(onA, onB);
}

static void place(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        Frame a = takeFrame(pass->motion, pair.bodyA, MOTION_POSITION);
        Frame b = takeFrame(pass->motion, pair.bodyB, MOTION_POSITION);
        FOR_ROWS(pass, batch, r)
        {
            Wide3 apart = placeRow(r, lane, batch->crosses, &a, &b, &pair);
            wideStore(r->gap + lane, dot(apart, take(&r->normal, lane)));
        }
    }
}

// m: what the matter at the end of an arm has moved by since the substep began
SIMD_INLINE Wide3 moved(const Frame *way, Wide3 arm)
{
    return plus(way->position, turned(way, arm));
}

// m/s: with the energy that they have when they meet, within the substep
SIMD_INLINE DoubleWide strikeOf(const RigidPass *pass, const Pair *pair, const RigidRow *r, int lane)
{
    Wide3 normal = take(&r->normal, lane);
    Wide3 pull = pullOf(pass->motion, pair, take(&r->armA, lane), take(&r->armB, lane));
    DoubleWide speed = dot(take(&r->before, lane), normal), gap = atLeast(wideLoad(r->gap + lane), wideSet(0));
    return wideSqrt(atLeast(speed * speed - 2 * gap * dot(pull, normal), wideSet(0)));
}

static void ahead(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        Frame a = takeFrame(pass->motion, pair.bodyA, MOTION_POSITION);
        Frame b = takeFrame(pass->motion, pair.bodyB, MOTION_POSITION);
        Frame wayA = takeFrame(pass->motion, pair.bodyA, MOTION_WAY);
        Frame wayB = takeFrame(pass->motion, pair.bodyB, MOTION_WAY);
        FOR_ROWS(pass, batch, r)
        {
            Wide3 normal = take(&r->normal, lane), apart = placeRow(r, lane, batch->crosses, &a, &b, &pair);
            DoubleWide left = wideLoad(r->depth + lane) - pass->recovered;
            if (wideAny(wideLoad(r->hits + lane) > 0))
                wideStore(r->strike + lane, strikeOf(pass, &pair, r, lane));
            wideStore(r->gap + lane, dot(apart, normal) + atLeast(left, wideSet(0)));
            // the sliding of the substep, and what is left from those before
            Wide3 slid = minus(moved(&wayA, take(&r->armA, lane)), moved(&wayB, take(&r->armB, lane)));
            slid = minus(slid, times(wideSet(pass->h), beltOf(batch, r, lane)));
            put(&r->ahead, lane, acrossNormal(normal, plus(slid, take(&r->slip, lane))));
        }
    }
}

// ---- positions ------------------------------------------------------------------------------------------------------

static void warm(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        FOR_ROWS(pass, batch, r)
        {
            DoubleWide lambda = wideLoad(r->lambda + lane);
            if (!wideAny(lambda > 0))
                continue;
            Wide3 impulse = plus(times(lambda, take(&r->normal, lane)), take(&r->slide, lane));
            shiftPair(&pair, take(&r->armA, lane), take(&r->armB, lane), impulse);
        }
        putPair(pass->motion, &pair);
    }
}

static void together(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        LongWide shares[RIGID_POINTS], any = { 0 };
        RigidRow *row = pass->row + batch->row;
        for (int k = 0; k < batch->rows; ++k)
            any |= shares[k] = rebounds(row + k, lane);
        if (!wideAny(any))
            continue;
        Pair pair = takePair(pass->motion, batch, lane, false);
        DoubleWide lacks[RIGID_POINTS], lambda[RIGID_POINTS];
        for (int k = 0; k < batch->rows; ++k)
        {
            lacks[k] = -wideLoad(row[k].gap + lane) - alongNormal(&pair, row + k, lane, take(&row[k].normal, lane));
            lambda[k] = wideLoad(row[k].lambda + lane);
            shares[k] &= lacks[k] > 0;
        }
        shareImpact(pass, batch, &pair, lane, shares, lacks, lambda);
        for (int k = 0; k < batch->rows; ++k)
            wideStore(row[k].lambda + lane, lambda[k]);
        putPair(pass->motion, &pair);
    }
}

SIMD_INLINE void pushNormal(Pair *pair, RigidRow *r, int lane)
{
    Wide3 normal = take(&r->normal, lane);
    DoubleWide gap = wideLoad(r->gap + lane) + alongNormal(pair, r, lane, normal), lambda = wideLoad(r->lambda + lane);
    DoubleWide next = atLeast(lambda - gap / wideLoad(r->ease + lane), wideSet(0)), step = next - lambda;
    if (!wideAny(step != 0))
        return;
    shiftNormal(pair, r, lane, normal, step);
    wideStore(r->lambda + lane, next);
}

static void normals(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        FOR_ROWS(pass, batch, r)
        pushNormal(&pair, r, lane);
        putPair(pass->motion, &pair);
    }
}

static void normalsBack(const RigidPass *pass, int first, int end)
{
    for (int i = end - 1; i >= first; --i)
    {
        const RigidBatch *batch = pass->batch + i;
        for (int lane = 0; lane < batch->count; lane += WIDE)
        {
            Pair pair = takePair(pass->motion, batch, lane, false);
            for (int k = batch->rows - 1; k >= 0; --k)
                pushNormal(&pair, pass->row + batch->row + k, lane);
            putPair(pass->motion, &pair);
        }
    }
}

SIMD_INLINE Wide3 slipNow(const Pair *pair, const RigidRow *r, int lane, Wide3 armA, Wide3 armB)
{
    return plus(take(&r->ahead, lane), acrossNormal(take(&r->normal, lane), relative(pair, armA, armB)));
}

SIMD_INLINE void pushFriction(Pair *pair, RigidRow *r, int lane)
{
    DoubleWide lambda = wideLoad(r->lambda + lane);
    Wide3 slide = take(&r->slide, lane), armA = take(&r->armA, lane), armB = take(&r->armB, lane);
    LongWide acts = (lambda > 0) | (dot(slide, slide) > 0);
    if (!wideAny(acts))
        return;
    Wide3 wanted = plus(slide, stopping(pair, armA, armB, slipNow(pair, r, lane, armA, armB)));
    Wide3 next = where3(acts, within(wanted, wideLoad(r->friction + lane) * lambda));
    shiftPair(pair, armA, armB, minus(next, slide));
    put(&r->slide, lane, next);
}

static void frictions(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        FOR_ROWS(pass, batch, r)
        pushFriction(&pair, r, lane);
        putPair(pass->motion, &pair);
    }
}

static void frictionsBack(const RigidPass *pass, int first, int end)
{
    for (int i = end - 1; i >= first; --i)
    {
        const RigidBatch *batch = pass->batch + i;
        for (int lane = 0; lane < batch->count; lane += WIDE)
        {
            Pair pair = takePair(pass->motion, batch, lane, true);
            for (int k = batch->rows - 1; k >= 0; --k)
                pushFriction(&pair, pass->row + batch->row + k, lane);
            putPair(pass->motion, &pair);
        }
    }
}

// the slip that is left, but no more than friction could take back
SIMD_INLINE Wide3 slipLeft(const Pair *pair, const RigidRow *r, int lane, Wide3 armA, Wide3 armB, DoubleWide lambda)
{
    Wide3 slip = slipNow(pair, r, lane, armA, armB);
    DoubleWide ease = easeOf(pair, armA, armB, slip), square = dot(slip, slip);
    LongWide slips = (lambda > 0) & (square > 0);
    ease = where(slips, ease / wideSelect(slips, square, wideSet(1)));
    return where3(slips, within(slip, wideLoad(r->friction + lane) * lambda * ease));
}

static void keep(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        FOR_ROWS(pass, batch, r)
        put(&r->slip, lane,
            slipLeft(&pair, r, lane, take(&r->armA, lane), take(&r->armB, lane), wideLoad(r->lambda + lane)));
    }
}

const PushKernels KERNEL(pushKernels) = { place,       ahead,     warm,          together, normals,
                                          normalsBack, frictions, frictionsBack, keep };
