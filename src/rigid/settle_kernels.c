// The sweeps over velocities, the books, and the start of a substep (contact.c).
#include "rigid/lanes.h"

#define KEPT 0.5 // of the impulses of the last substep

// ---- velocities -----------------------------------------------------------------------------------------------------

SIMD_INLINE void settleNormal(const RigidPass *pass, Pair *pair, RigidRow *r, int lane, LongWide acts)
{
    Wide3 normal = take(&r->normal, lane);
    DoubleWide push = wideLoad(r->push + lane), lambda = wideLoad(r->lambda + lane);
    DoubleWide speed = alongNormal(pair, r, lane, normal); // belts move across it
    DoubleWide target = -wideLoad(r->restitution + lane) * dot(take(&r->before, lane), normal);
    target = where(wideLoad(r->hits + lane) > 0, target);
    DoubleWide next = atLeast(push + (target - speed) / wideLoad(r->ease + lane), -lambda / pass->h);
    next = wideSelect(acts, next, push);
    shiftNormal(pair, r, lane, normal, next - push);
    wideStore(r->push + lane, next);
}

static void settle(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        FOR_ROWS(pass, batch, r)
        {
            LongWide acts = wideLoad(r->lambda + lane) > 0;
            if (!wideAny(acts))
                continue;
            settleNormal(pass, &pair, r, lane, acts);
            LongWide hits = acts & (wideLoad(r->hits + lane) > 0);
            pair.a.struck = wideSelect(hits, wideSet(1), pair.a.struck);
            pair.b.struck = wideSelect(hits, wideSet(1), pair.b.struck);
        }
        putPair(pass->motion, &pair);
    }
}

// the contacts of bodies that were struck, once more
static void settleStruck(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        LongWide struck =
            ((pair.a.struck > 0) & (pair.a.inverseMass > 0)) | ((pair.b.struck > 0) & (pair.b.inverseMass > 0));
        if (!wideAny(struck))
            continue;
        FOR_ROWS(pass, batch, r)
        {
            LongWide acts = struck & (wideLoad(r->lambda + lane) > 0);
            if (wideAny(acts))
                settleNormal(pass, &pair, r, lane, acts);
        }
        putPair(pass->motion, &pair);
    }
}

static void drag(const RigidPass *pass, int first, int end)
{
    DoubleWide rate = wideSet(1 / pass->h);
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        Sum a = takeSum(pass->motion, pair.bodyA), b = takeSum(pass->motion, pair.bodyB);
        FOR_ROWS(pass, batch, r)
        {
            DoubleWide lambda = wideLoad(r->lambda + lane), push = wideLoad(r->push + lane);
            LongWide acts = lambda > 0;
            if (!wideAny(acts))
                continue;
            Wide3 normal = take(&r->normal, lane), armA = take(&r->armA, lane), armB = take(&r->armB, lane);
            Wide3 velocity = minus(relative(&pair, armA, armB), beltOf(batch, r, lane));
            Wide3 had = times(rate, take(&r->slide, lane));
            Wide3 wanted = plus(had, stopping(&pair, armA, armB, acrossNormal(normal, velocity)));
            DoubleWide normalImpulse = lambda * rate + push;
            Wide3 all = within(wanted, wideLoad(r->friction + lane) * normalImpulse);
            Wide3 more = where3(acts, minus(all, had)), whole = where3(acts, plus(times(normalImpulse, normal), all));
            shiftPair(&pair, armA, armB, more);
            Wide3 gave = plus(times(push, normal), more);
            a.couple = plus(a.couple, cross(armA, gave));
            b.couple = minus(b.couple, cross(armB, gave));
            put(&r->whole, lane, whole);
            put(&r->impulse, lane, plus(take(&r->impulse, lane), whole));
        }
        putPair(pass->motion, &pair);
        putSum(pass->motion, pair.bodyA, &a);
        putSum(pass->motion, pair.bodyB, &b);
    }
}

// ---- books, and the next substep ------------------------------------------------------------------------------------

// An impulse times the mean of the velocities before and after is the change of kinetic energy: what the bodies lose
// against each other by friction and by impacts is dissipated, what scenery gives is added.
SIMD_INLINE void bookRow(const Pair *pair, const RigidRow *r, int lane, Wide3 ofA, Wide3 ofB, Sum *a, Sum *b)
{
    LongWide acts = wideLoad(r->lambda + lane) > 0;
    if (!wideAny(acts))
        return;
    LongWide movesA = pair->a.inverseMass > 0, movesB = pair->b.inverseMass > 0;
    DoubleWide part = wideSelect(movesA & movesB, wideSet(0.5), wideSet(1));
    Wide3 whole = take(&r->whole, lane), mean = plus(take(&r->before, lane), minus(ofA, ofB));
    mean = times(wideSet(0.5), mean);
    mean = select3(wideLoad(r->hits + lane) > 0, mean, acrossNormal(take(&r->normal, lane), mean));
    DoubleWide lost = where(acts, -part * dot(whole, mean));
    a->dissipated += where(movesA, lost);
    b->dissipated += where(movesB, lost);
    a->added += where(acts & movesA & ~movesB, dot(whole, ofB));
    b->added -= where(acts & movesB & ~movesA, dot(whole, ofA));
}

SIMD_INLINE void beginRow(const RigidPass *pass, RigidRow *r, int lane, Wide3 before)
{
    const Wide3 none = { { 0 }, { 0 }, { 0 } };
    Wide3 normal = take(&r->normal, lane);
    LongWide goes = wideLoad(r->hits + lane) == 0; // an impact is over
    Wide3 kept = where3(goes, times(wideSet(KEPT * pass->h), take(&r->whole, lane)));
    DoubleWide lambda = atLeast(dot(kept, normal), wideSet(0));
    put(&r->before, lane, before);
    wideStore(r->hits + lane, where(dot(before, normal) < -pass->slowest, wideSet(1)));
    wideStore(r->lambda + lane, lambda);
    put(&r->slide, lane, within(acrossNormal(normal, kept), wideLoad(r->friction + lane) * lambda));
    wideStore(r->push + lane, wideSet(0));
    put(&r->whole, lane, none);
}

SIMD_INLINE void turnOver(const RigidPass *pass, int first, int end, bool books, bool begins)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        Sum a = takeSum(pass->motion, pair.bodyA), b = takeSum(pass->motion, pair.bodyB);
        FOR_ROWS(pass, batch, r)
        {
            Wide3 ofA = plus(pair.a.shift, cross(pair.a.twirl, take(&r->armA, lane)));
            Wide3 ofB = plus(pair.b.shift, cross(pair.b.twirl, take(&r->armB, lane)));
            ofB = plus(ofB, beltOf(batch, r, lane));
            if (books)
                bookRow(&pair, r, lane, ofA, ofB, &a, &b);
            if (begins)
                beginRow(pass, r, lane, minus(ofA, ofB));
        }
        if (!books)
            continue;
        putSum(pass->motion, pair.bodyA, &a);
        putSum(pass->motion, pair.bodyB, &b);
    }
}

static void turnSubstep(const RigidPass *pass, int first, int end)
{
    turnOver(pass, first, end, true, true);
}

static void book(const RigidPass *pass, int first, int end)
{
    turnOver(pass, first, end, true, false);
}

static void begin(const RigidPass *pass, int first, int end)
{
    turnOver(pass, first, end, false, true);
}

const SettleKernels KERNEL(settleKernels) = { settle, settleStruck, drag, turnSubstep, book, begin };
