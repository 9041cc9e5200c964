// The sweeps over velocities, the books, and the start of a substep (contact.c).
#include "rigid/lanes.h"

// ---- the start ------------------------------------------------------------------------------------------------------

SIMD_INLINE Wide3 displacing(const RigidRow *r, int lane) // kg m on a
{
    return plus(times(wideLoad(r->lambda + lane), take(&r->normal, lane)), take(&r->slide, lane));
}

// Displacements without velocities take bodies off the lines on which their angular momentum was: couples give it back,
// half each.
static void turn(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, true);
        Sum a = takeSum(pass->motion, pair.bodyA), b = takeSum(pass->motion, pair.bodyB);
        LongWide both = (pair.a.inverseMass > 0) & (pair.b.inverseMass > 0);
        FOR_ROWS(pass, batch, r)
        {
            LongWide acts = both & (wideLoad(r->lambda + lane) > 0);
            if (!wideAny(acts))
                continue;
            Wide3 apart = times(wideSet(-0.5), minus(pair.a.shift, pair.b.shift));
            Wide3 half = where3(acts, cross(displacing(r, lane), apart)), spins = plus(pair.a.twirl, pair.b.twirl);
            pair.a.twirl = plus(pair.a.twirl, apply(&pair.tensorA, half));
            pair.b.twirl = plus(pair.b.twirl, apply(&pair.tensorB, half));
            a.couple = plus(a.couple, half);
            b.couple = plus(b.couple, half);
            DoubleWide lost = -0.25 * dot(half, plus(spins, plus(pair.a.twirl, pair.b.twirl)));
            a.dissipated += lost;
            b.dissipated += lost;
        }
        putPair(pass->motion, &pair);
        putSum(pass->motion, pair.bodyA, &a);
        putSum(pass->motion, pair.bodyB, &b);
    }
}

typedef struct Start
{
    Wide3 impulse, couple;
    DoubleWide slope, share;
} Start;

SIMD_INLINE Start takeStart(const double *motion, const int *body)
{
    DoubleWide s[4], t[4];
    wideLoadPlaces(motion + MOTION_START, body, s);
    wideLoadPlaces(motion + MOTION_STARTED, body, t);
    return (Start){ { s[0], s[1], s[2] }, { t[0], t[1], t[2] }, s[3], t[3] };
}

SIMD_INLINE void putStart(double *motion, const int *body, const Start *start)
{
    DoubleWide s[4] = { start->impulse.x, start->impulse.y, start->impulse.z, start->slope };
    DoubleWide t[4] = { start->couple.x, start->couple.y, start->couple.z, start->share };
    wideStorePlaces(motion + MOTION_START, body, s);
    wideStorePlaces(motion + MOTION_STARTED, body, t);
}

// Where they touch anew, half of a weight acts in the positions. Returns whether they were struck.
SIMD_INLINE LongWide startRow(const RigidPass *pass, RigidRow *r, int lane, LongWide acts)
{
    DoubleWide rate = wideSet(1 / pass->h), lambda = wideLoad(r->lambda + lane), sum = wideLoad(r->sum + lane);
    Wide3 whole = take(&r->whole, lane);
    LongWide hits = wideLoad(r->hits + lane) > 0, anew = (sum == 0) & (dot(whole, whole) == 0), rests = anew & ~hits;
    sum = wideSelect(rests, 2 * rate * lambda, sum);
    DoubleWide push = where(acts, lambda * rate + 0.5 * sum);
    Wide3 drag = select3(rests, times(2 * rate, take(&r->slide, lane)), take(&r->drag, lane));
    wideStore(r->sum + lane, where(acts, sum));
    wideStore(r->start + lane, push);
    wideStore(r->push + lane, push);
    put(&r->drag, lane, within(drag, wideLoad(r->friction + lane) * push));
    return acts & (hits | anew);
}

static void start(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        Start a = takeStart(pass->motion, pair.bodyA), b = takeStart(pass->motion, pair.bodyB);
        LongWide movesA = pair.a.inverseMass > 0;
        FOR_ROWS(pass, batch, r)
        {
            LongWide acts = wideLoad(r->lambda + lane) > 0, struck = startRow(pass, r, lane, acts);
            if (!wideAny(acts))
                continue;
            Wide3 armA = take(&r->armA, lane), armB = take(&r->armB, lane);
            Wide3 base = minus(relative(&pair, armA, armB), beltOf(batch, r, lane));
            Wide3 impulse = plus(times(wideLoad(r->push + lane), take(&r->normal, lane)), take(&r->drag, lane));
            put(&r->base, lane, base);
            a.impulse = plus(a.impulse, impulse);
            b.impulse = minus(b.impulse, impulse);
            a.couple = plus(a.couple, cross(armA, impulse));
            b.couple = minus(b.couple, cross(armB, impulse));
            a.slope += where(movesA, dot(impulse, base));
            b.slope += where(~movesA, dot(impulse, base));
            pair.a.struck = wideSelect(struck, wideSet(1), pair.a.struck);
            pair.b.struck = wideSelect(struck, wideSet(1), pair.b.struck);
        }
        putPair(pass->motion, &pair);
        putStart(pass->motion, pair.bodyA, &a);
        putStart(pass->motion, pair.bodyB, &b);
    }
}

// no impulse of the positions: none of the velocities, and what was remembered is over
static void idle(const RigidPass *pass, int first, int end)
{
    const Wide3 none = { { 0 }, { 0 }, { 0 } };
    FOR_PARTS(pass, batch, lane)
    {
        FOR_ROWS(pass, batch, r)
        {
            wideStore(r->sum + lane, none.x);
            wideStore(r->push + lane, none.x);
            put(&r->whole, lane, none);
        }
    }
}

static void share(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        Start a = takeStart(pass->motion, pair.bodyA), b = takeStart(pass->motion, pair.bodyB);
        DoubleWide part = wideSelect(pair.a.inverseMass > 0, a.share, b.share);
        FOR_ROWS(pass, batch, r)
        {
            wideStore(r->push + lane, part * wideLoad(r->push + lane));
            put(&r->drag, lane, times(part, take(&r->drag, lane)));
        }
    }
}

// ---- sweeps ---------------------------------------------------------------------------------------------------------

// m/s: with which they are to part
SIMD_INLINE DoubleWide partingOf(const RigidRow *r, int lane)
{
    return where(wideLoad(r->hits + lane) > 0, wideLoad(r->restitution + lane) * wideLoad(r->strike + lane));
}

static void together(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        LongWide shares[RIGID_POINTS], any = { 0 };
        RigidRow *row = pass->row + batch->row;
        for (int k = 0; k < batch->rows; ++k)
            any |= shares[k] = rebounds(row + k, lane) & (wideLoad(row[k].lambda + lane) > 0);
        if (!wideAny(any))
            continue;
        Pair pair = takePair(pass->motion, batch, lane, false);
        DoubleWide lacks[RIGID_POINTS], push[RIGID_POINTS];
        for (int k = 0; k < batch->rows; ++k)
        {
            lacks[k] = partingOf(row + k, lane) - alongNormal(&pair, row + k, lane, take(&row[k].normal, lane));
            push[k] = wideLoad(row[k].push + lane);
        }
        shareImpact(pass, batch, &pair, lane, shares, lacks, push);
        for (int k = 0; k < batch->rows; ++k)
            wideStore(row[k].push + lane, push[k]);
        putPair(pass->motion, &pair);
    }
}

SIMD_INLINE void settleNormal(Pair *pair, RigidRow *r, int lane, LongWide of)
{
    LongWide acts = of & (wideLoad(r->lambda + lane) > 0);
    if (!wideAny(acts))
        return;
    Wide3 normal = take(&r->normal, lane);
    DoubleWide push = wideLoad(r->push + lane);
    DoubleWide speed = alongNormal(pair, r, lane, normal); // belts move across it
    DoubleWide next = atLeast(push + (partingOf(r, lane) - speed) / wideLoad(r->ease + lane), wideSet(0));
    next = wideSelect(acts, next, push);
    shiftNormal(pair, r, lane, normal, next - push);
    wideStore(r->push + lane, next);
}

SIMD_INLINE void settleFriction(const RigidBatch *batch, Pair *pair, RigidRow *r, int lane, LongWide of)
{
    LongWide acts = of & (wideLoad(r->lambda + lane) > 0);
    if (!wideAny(acts))
        return;
    Wide3 armA = take(&r->armA, lane), armB = take(&r->armB, lane), had = take(&r->drag, lane);
    Wide3 velocity = minus(relative(pair, armA, armB), beltOf(batch, r, lane));
    Wide3 wanted = plus(had, stopping(pair, armA, armB, acrossNormal(take(&r->normal, lane), velocity)));
    Wide3 next = within(wanted, wideLoad(r->friction + lane) * wideLoad(r->push + lane));
    next = select3(acts, next, had);
    shiftPair(pair, armA, armB, minus(next, had));
    put(&r->drag, lane, next);
}

SIMD_INLINE LongWide struckOf(const Pair *pair)
{
    return ((pair->a.struck > 0) & (pair->a.inverseMass > 0)) | ((pair->b.struck > 0) & (pair->b.inverseMass > 0));
}

// over all contacts, or those of bodies that were struck
SIMD_INLINE void sweep(const RigidPass *pass, int first, int end, bool friction, bool back, bool struck)
{
    for (int n = 0; n < end - first; ++n)
    {
        const RigidBatch *batch = pass->batch + (back ? end - 1 - n : first + n);
        for (int lane = 0; lane < batch->count; lane += WIDE)
        {
            Pair pair = takePair(pass->motion, batch, lane, friction);
            LongWide of = pair.a.inverseMass == pair.a.inverseMass;
            of = struck ? struckOf(&pair) : of;
            if (struck && !wideAny(of))
                continue;
            for (int k = 0; k < batch->rows; ++k)
            {
                RigidRow *r = pass->row + batch->row + (back ? batch->rows - 1 - k : k);
                if (friction)
                    settleFriction(batch, &pair, r, lane, of);
                else
                    settleNormal(&pair, r, lane, of);
            }
            putPair(pass->motion, &pair);
        }
    }
}

static void normals(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, false, false, false);
}

static void normalsBack(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, false, true, false);
}

static void frictions(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, true, false, false);
}

static void frictionsBack(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, true, true, false);
}

static void struckNormals(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, false, false, true);
}

static void struckNormalsBack(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, false, true, true);
}

static void struckFrictions(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, true, false, true);
}

static void struckFrictionsBack(const RigidPass *pass, int first, int end)
{
    sweep(pass, first, end, true, true, true);
}

static void sums(const RigidPass *pass, int first, int end)
{
    FOR_PARTS(pass, batch, lane)
    {
        Pair pair = takePair(pass->motion, batch, lane, false);
        Sum a = takeSum(pass->motion, pair.bodyA), b = takeSum(pass->motion, pair.bodyB);
        FOR_ROWS(pass, batch, r)
        {
            LongWide acts = wideLoad(r->lambda + lane) > 0, slow = wideLoad(r->hits + lane) == 0;
            DoubleWide push = wideLoad(r->push + lane), sum = wideLoad(r->sum + lane);
            Wide3 whole = where3(acts, plus(times(push, take(&r->normal, lane)), take(&r->drag, lane)));
            a.couple = plus(a.couple, cross(take(&r->armA, lane), whole));
            b.couple = minus(b.couple, cross(take(&r->armB, lane), whole));
            DoubleWide next = atLeast(sum + push - wideLoad(r->start + lane), wideSet(0));
            next = wideSelect(slow | (wideLoad(r->restitution + lane) == 0), next, sum); // an impact is over
            wideStore(r->sum + lane, where(acts, next));
            put(&r->whole, lane, whole);
            put(&r->impulse, lane, plus(take(&r->impulse, lane), whole));
        }
        putSum(pass->motion, pair.bodyA, &a);
        putSum(pass->motion, pair.bodyB, &b);
    }
}

// ---- books, and the next substep ------------------------------------------------------------------------------------

// An impulse times the mean of the velocities without and with it is the change of kinetic energy. What outer forces
// give in the substep is part of both velocities; along the displacement of the contact they give it back. What the
// bodies lose against each other is dissipated, what scenery gives is added.
SIMD_INLINE void bookRow(const RigidPass *pass, const Pair *pair, const RigidRow *r, int lane, Wide3 ofA, Wide3 ofB,
                         Sum *a, Sum *b)
{
    LongWide acts = wideLoad(r->lambda + lane) > 0;
    if (!wideAny(acts))
        return;
    LongWide movesA = pair->a.inverseMass > 0, movesB = pair->b.inverseMass > 0;
    DoubleWide part = wideSelect(movesA & movesB, wideSet(0.5), wideSet(1));
    Wide3 whole = take(&r->whole, lane), twice = plus(take(&r->base, lane), minus(ofA, ofB));
    Wide3 pull = pullOf(pass->motion, pair, take(&r->armA, lane), take(&r->armB, lane));
    DoubleWide lost = where(acts, part * (dot(displacing(r, lane), pull) - 0.5 * dot(whole, twice)));
    a->dissipated += where(movesA, lost);
    b->dissipated += where(movesB, lost);
    a->added += where(acts & movesA & ~movesB, dot(whole, ofB));
    b->added -= where(acts & movesB & ~movesA, dot(whole, ofA));
}

SIMD_INLINE void beginRow(const RigidPass *pass, RigidRow *r, int lane, Wide3 before)
{
    Wide3 normal = take(&r->normal, lane), whole = take(&r->whole, lane);
    LongWide over = rebounds(r, lane); // that impact
    whole = select3(over, times(wideLoad(r->sum + lane), normal), whole);
    Wide3 along = acrossNormal(normal, whole);
    DoubleWide half = wideSet(0.5 * pass->h), lambda = half * atLeast(dot(whole, normal), wideSet(0));
    DoubleWide slowest = wideSet(pass->slowest) + wideSet(pass->loaded) * wideLoad(r->loaded + lane);
    put(&r->before, lane, before);
    wideStore(r->hits + lane, where(dot(before, normal) < -slowest, wideSet(1)));
    wideStore(r->lambda + lane, lambda);
    put(&r->slide, lane, within(times(half, along), wideLoad(r->friction + lane) * lambda));
    put(&r->drag, lane, along);
    put(&r->whole, lane, whole);
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
                bookRow(pass, &pair, r, lane, ofA, ofB, &a, &b);
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

const SettleKernels KERNEL(settleKernels) = {
    turn,          start,
    idle,          share,
    together,      normals,
    normalsBack,   frictions,
    frictionsBack, { struckNormals, struckNormalsBack, struckFrictionsBack, struckFrictions },
    sums,          turnSubstep,
    book,          begin,
};
