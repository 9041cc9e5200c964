// What the midpoint rule leaves of the damping of vibrations. It damps by the mean velocity u of a step: a mode of
// frequency w, q = (h w)^2 / 4, loses 1 / (1 + q) of what it should. With x = beta w^2 h the velocity at the end of the
// step is u + e, and overdamped.c has left 1 / (1 + g x) of its part e beyond the mean. Were it A u + B e, the step of
// the mode would have
//
//   determinant (A + B (q - x/2)) / D,   trace (1 - q + x/2 + A - B (q + x/2)) / D,   D = 1 + q + x/2.
//
// A and B are such that these are exp(-x) and, with q' = q - x^2 / 16, 2 exp(-x/2) (1 - q') / (1 + q'): what oscillates
// decays as it should at any step, with the frequency of the midpoint rule times the root of 1 - ratio^2. Beyond the
// critical ratio the trace is that of the oscillator itself, and creep is exact. Without damping both are 1.
//
// The velocity v becomes A(M^-1 K) v + (f - A)(M^-1 K) (v - u), f = B (1 + g x), each by Lanczos' iteration on the
// vector itself: few steps find the frequencies that it has, whatever others the body could have. Both are small for
// what the step resolves: A - 1 is of second order in h, v - u of first. What was lost is booked.
//
// v is what a body does beside a rigid motion: its own, or that of its pins; where pins move otherwise, what K sees of
// it. Bodies that hold each other, by bonds or in contact, are one group with one K. Bodies that slide are left alone.
// Vertices keep their velocities along what holds them in contact, groups along what holds their bodies to each other.
// K is that of a body so held, which either moves as a whole and is just hit, or stands: the one with less strain.
#include "integrate/integrate.h"
#include "linear/eigen.h"

#include <string.h>

#define SMALL 1e-4  // 1 - f of the mean of all frequencies: so little is left alone
#define BROKEN 1e-9 // of the velocity: what a Krylov space has beyond it is rounding
#define RIGID 1e-6  // of the velocities of pins: what is no rigid motion is rounding
#define SMOOTH 0.25 // of h^2: s of beginStrays
#define MOST 100    // iterations of its solve
#define LEFT 1e-5   // of the velocity: where they may end
#define REAL_LEAST 1e-300

// ---- the factors ----------------------------------------------------------------------------------------------------

typedef double (*Factor)(double square, double h, double beta);

// A and B
static void factorsOf(double square, double h, double beta, double *mean, double *beyond)
{
    double q = 0.25 * h * h * square, x = beta * square * h, whole = 1 + q + 0.5 * x, less = q - x * x / 16, trace;
    *mean = *beyond = 1;
    if (!(q > 1e-8) || !(x > 0) || !isfinite(x * x))
        return;
    if (less > 0)
        trace = 2 * decayOver(0.5 * x) * (1 - less) / (1 + less);
    else
    {
        double fast = 0.5 * x + 2 * sqrt(-less);
        trace = decayOver(fast) + decayOver(4 * q / fast);
    }
    double b = (whole * (decayOver(x) - trace) + 1 - q + 0.5 * x) / (2 * q);
    *beyond = minReal(maxReal(b, 0), 1);
    *mean = minReal(maxReal(decayOver(x) * whole - *beyond * (q - 0.5 * x), 0), 1);
}

// A - 1
static double velocityFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    return mean - 1;
}

// f - A
static double excessFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    return beyond * (1 + OVERDAMPED_SHARE * maxReal(beta * square * h, 0)) - mean;
}

// ---- the rigid motion beside which a group vibrates -----------------------------------------------------------------

static Vec3 motionAt(const State *s, const RigidMotion *motion, int v)
{
    Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion->centre);
    return vecAdd(motion->velocity, vecCross(motion->spin, r));
}

static bool leads(const System *system, int p)
{
    return system->member[p]->step->krylov.group == p;
}

static int nextOf(const System *system, int p)
{
    return system->member[p]->step->krylov.next;
}

// the first pin at or behind v in a member
static int pinOf(const State *s, const Member *member, int v)
{
    return nextPin(s, v, member->offset + member->count);
}

static bool groupIsPinned(const System *system, int leader)
{
    bool pinned = false;
    for (int p = leader; p >= 0 && !pinned; p = nextOf(system, p))
        pinned = memberIsPinned(&system->state, system->member[p]);
    return pinned;
}

static RigidMotion groupMotion(const System *system, int leader, const double *velocity)
{
    const State *s = &system->state;
    RigidMotion sum = { 0 };
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        RigidMotion one = rigidMotion(s, s->position, velocity, member->offset, member->offset + member->count);
        sum = sum.count > 0 && one.count > 0 ? rigidMotionWith(&sum, &one) : sum.count > 0 ? sum : one;
    }
    return sum;
}

// of the pins of a group, which have these velocities; false: they move otherwise
static bool motionOfPins(const System *system, int leader, const double *velocity, RigidMotion *motion)
{
    const State *s = &system->state;
    double second[6] = { 0 }, all = 0, off = 0;
    Vec3 angular = vec3(0, 0, 0);
    *motion = (RigidMotion){ 0 };
    for (int pass = 0; pass < 3; ++pass)
    {
        for (int p = leader; p >= 0; p = nextOf(system, p))
        {
            const Member *member = system->member[p];
            int end = member->offset + member->count;
            for (int v = pinOf(s, member, member->offset); v < end; v = pinOf(s, member, v + 1))
            {
                Vec3 x = vecLoad(s->position + 3 * (ptrdiff_t)v), u = vecLoad(velocity + 3 * (ptrdiff_t)v);
                Vec3 r = vecSub(x, motion->centre), w = vecSub(u, motionAt(s, motion, v));
                if (pass == 0)
                {
                    motion->count += 1;
                    motion->centre = vecAdd(motion->centre, vecScale(1.0 / motion->count, r));
                    motion->velocity =
                        vecAdd(motion->velocity, vecScale(1.0 / motion->count, vecSub(u, motion->velocity)));
                }
                else if (pass == 1)
                {
                    momentsAdd(second, 1, r);
                    angular = vecAdd(angular, vecCross(r, vecSub(u, motion->velocity)));
                }
                else
                {
                    all += vecDot(u, u);
                    off += vecDot(w, w);
                }
            }
        }
        if (motion->count == 0) // slides hold it
            return true;
        motion->inertia = inertiaOf(second);
        motion->spin = pass == 1 ? spinOf(&motion->inertia, angular) : motion->spin;
    }
    return off <= RIGID * RIGID * all;
}

// ---- the space of few motions ---------------------------------------------------------------------------------------

typedef struct Pass
{
    System *system;
    double h;
    FreeDirections free;
    double *const *vector; // VIBRATION_ROOM x count x 3
    double *pull;          // count x 3: of groups whose pins stray what they alone do to the rest, N over s
    bool moves;            // pins do
} Pass;

// of a group, of vectors that are zero at pins; massive: M between them
static double groupProduct(const System *system, int leader, bool massive, const double *a, const double *b)
{
    const State *s = &system->state;
    double sum = 0;
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            const double *x = a + 3 * (ptrdiff_t)v, *y = b + 3 * (ptrdiff_t)v;
            sum += (massive ? s->mass[v] : 1) * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
        }
    }
    return sum;
}

// target = scale x source, + target if `more`
static void groupAdd(const System *system, int leader, double scale, const double *source, bool more, double *target)
{
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            target[i] = (more ? target[i] : 0) + scale * source[i];
    }
}

// what of a velocity is beside a rigid motion
static void setVector(const Pass *pass, int leader, const double *velocity, const RigidMotion *motion, double *vector)
{
    const System *system = pass->system;
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        for (int v = member->offset; v < member->offset + member->count; ++v)
            vecStore(vector + 3 * (ptrdiff_t)v,
                     vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), motionAt(&system->state, motion, v)));
    }
}

// beta K u into state->gradient, as forces of damping
static void strain(const Pass *pass, const double *vector)
{
    State *s = &pass->system->state;
    memcpy(s->rate, vector, 3 * (size_t)s->count * sizeof(double));
    systemForces(pass->system, energyIsViscous, s->position);
}

// state->gradient over the damping of each member: K u, with what soft joints pull
static void stiffness(const Pass *pass, const double *vector, double *force)
{
    const System *system = pass->system;
    memset(force, 0, 3 * (size_t)system->state.count * sizeof(double));
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double time = sweepTime(member);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count) && time > 0; ++i)
            force[i] = system->state.gradient[i] / time;
    }
    freeDirectionsPull(system, &pass->free, vector, force);
}

// Where pins move otherwise than as one rigid body, what follows them without force is no vibration, and not known
// either. But K leaves it out: y = (M + s K)^-1 s K u is the vibration w, but for s w^2 / (1 + s w^2) of each mode,
// which the factors are divided by.
static void beginStrays(const Pass *pass, const double *velocity)
{
    System *system = pass->system;
    State *s = &system->state;
    size_t size = 3 * (size_t)s->count * sizeof(double);
    double *position = scratchTake(s), *after = scratchTake(s);
    double most = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Krylov *k = &system->member[p]->step->krylov;
        most = k->strays ? maxReal(most, k->time) : most;
    }
    memcpy(position, s->position, size);
    memcpy(after, velocity, size);
    Damping damping = {
        .filter = energyIsViscous, .h = SMOOTH * pass->h * pass->h / most, .theta = 1, .most = MOST, .left = LEFT
    };
    systemDampRates(system, &damping, after);
    memcpy(s->position, position, size);
    for (int i = 0; i < 3 * s->count; ++i)
        position[i] = s->pinned[i / 3] ? velocity[i] : 0;
    strain(pass, position);
    stiffness(pass, position, pass->pull);
    for (int i = 0; i < 3 * s->count; ++i)
        after[i] = velocity[i] - after[i];
    for (int p = 0; p < system->memberCount; ++p)
    {
        Krylov *k = &system->member[p]->step->krylov;
        if (!k->strays)
            continue;
        k->smooth = damping.h * k->time;
        groupAdd(system, p, 1, after, false, pass->vector[0]);
    }
    scratchGive(s, after);
    scratchGive(s, position);
}

// whether a group that colliders hold vibrates beside its own rigid motion or beside none: what has less strain
static void choose(const Pass *pass)
{
    System *system = pass->system;
    for (int which = 0; which < 2; ++which)
    {
        jointDirectionsTake(system, &pass->free, pass->vector[which]);
        strain(pass, pass->vector[which]);
        for (int p = 0; p < system->memberCount; ++p)
        {
            if (leads(system, p))
                system->member[p]->step->sum[which] =
                    groupProduct(system, p, false, pass->vector[which], system->state.gradient);
        }
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        StepState *step = system->member[p]->step;
        if (!leads(system, p) || !(step->sum[1] < step->sum[0])) // equal where nothing is to choose
            continue;
        step->krylov.stands = true;
        groupAdd(system, p, 1, pass->vector[1], false, pass->vector[0]);
    }
}

// s, the least damping over stiffness in a group
static double groupTime(const System *system, int leader)
{
    double time = INFINITY;
    for (int p = leader; p >= 0; p = nextOf(system, p))
        time = minReal(time, sweepTime(system->member[p]));
    return time;
}

// The first vector of each group, not yet over its norm: `velocity` without the motion beside which it vibrates. Of
// those that colliders hold this is their own or none, as was found for the velocity.
static void beginVectors(const Pass *pass, const double *velocity, bool found)
{
    System *system = pass->system;
    bool any = false, strays = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Krylov *k = &system->member[p]->step->krylov;
        k->count = 0;
        k->ended = k->strays = false;
        k->time = k->smooth = 0;
        if (!leads(system, p))
            continue;
        bool pinned = groupIsPinned(system, p), chooses = k->held && !pinned;
        RigidMotion none = { 0 }, motion = groupMotion(system, p, velocity);
        k->time = k->slides ? 0 : groupTime(system, p);
        if (pinned && !motionOfPins(system, p, velocity, &motion))
            k->strays = k->strayed = k->time > 0;
        k->stands = chooses ? found && k->stands : k->leans && !pinned; // soft contacts see the motion itself
        if (k->stands)
            motion = none;
        k->beside = found ? k->beside : motion;
        setVector(pass, p, velocity, &motion, pass->vector[0]);
        setVector(pass, p, velocity, chooses && !found ? &none : &motion, pass->vector[1]);
        any |= chooses && !found && k->time > 0;
        strays |= k->strays;
    }
    if (strays)
        beginStrays(pass, velocity);
    if (any)
        choose(pass);
    else
        jointDirectionsTake(system, &pass->free, pass->vector[0]);
}

static void normalise(const Pass *pass, int leader)
{
    Krylov *k = &pass->system->member[leader]->step->krylov;
    double *first = pass->vector[0];
    k->norm = sqrt(groupProduct(pass->system, leader, true, first, first));
    k->time = k->norm > 0 ? k->time : 0;
    groupAdd(pass->system, leader, k->norm > 0 ? 1 / k->norm : 0, first, false, first);
}

static bool goesOn(const System *system, int p)
{
    const Krylov *k = &system->member[p]->step->krylov;
    return leads(system, p) && k->time > 0 && !k->ended;
}

// what K and damping are between vector j of a group and those before it
static void measure(const Pass *pass, int leader, int j, const double *force)
{
    const System *system = pass->system;
    Krylov *k = &system->member[leader]->step->krylov;
    for (int l = 0; l <= j; ++l)
    {
        double *const *vector = pass->vector;
        k->stiff[l * VIBRATION_ROOM + j] = groupProduct(system, leader, false, vector[l], force);
        k->viscous[l * VIBRATION_ROOM + j] = groupProduct(system, leader, false, vector[l], system->state.gradient);
        k->stiff[j * VIBRATION_ROOM + l] = k->stiff[l * VIBRATION_ROOM + j];
        k->viscous[j * VIBRATION_ROOM + l] = k->viscous[l * VIBRATION_ROOM + j];
    }
    k->count = j + 1;
}

// vector j + 1 of a group, which holds M^-1 K v_j of what is free, beside those before it
static void extend(const Pass *pass, int leader, int j)
{
    const System *system = pass->system;
    Krylov *k = &system->member[leader]->step->krylov;
    double *const *vector = pass->vector, *next = vector[j + 1];
    for (int twice = 0; twice < 2; ++twice) // rounding leaves some of the others
    {
        for (int l = 0; l <= j; ++l)
            groupAdd(system, leader, -groupProduct(system, leader, true, vector[l], next), vector[l], true, next);
    }
    double norm = sqrt(groupProduct(system, leader, true, next, next));
    k->ended = !(norm > BROKEN * k->stiff[j * VIBRATION_ROOM + j]) || !isfinite(norm);
    groupAdd(system, leader, k->ended ? 0 : 1 / norm, next, false, next);
}

// the factor of a motion of a group, which has its stiffness and damping
static double factorOf(const Pass *pass, const Krylov *k, Factor factor, double square, double viscous)
{
    double weight = k->smooth > 0 ? 1 + 1 / (k->smooth * square) : 1;
    return square > 0 ? weight * factor(square, pass->h, viscous / square) : 0;
}

// F of the small matrix on its first unit vector, times the vectors; and what pins that stray do by it
static void setChange(const Pass *pass, int leader, Factor factor, double *change)
{
    const System *system = pass->system;
    Krylov *k = &system->member[leader]->step->krylov;
    int n = k->count;
    double matrix[VIBRATION_ROOM * VIBRATION_ROOM], values[VIBRATION_ROOM], shapes[VIBRATION_ROOM * VIBRATION_ROOM];
    double share[VIBRATION_ROOM] = { 0 }, way[VIBRATION_ROOM] = { 0 };
    for (int i = 0; i < n * n; ++i)
        matrix[i] = k->stiff[i / n * VIBRATION_ROOM + i % n];
    eigenDense(n, matrix, values, shapes);
    for (int e = 0; e < n; ++e)
    {
        double viscous = 0;
        for (int i = 0; i < n * n; ++i)
            viscous += shapes[e * n + i / n] * k->viscous[i / n * VIBRATION_ROOM + i % n] * shapes[e * n + i % n];
        double less = factorOf(pass, k, factor, values[e], viscous) * k->norm * shapes[e * n];
        for (int j = 0; j < n; ++j)
        {
            share[j] += less * shapes[e * n + j];
            way[j] -= less / maxReal(values[e], REAL_LEAST) * shapes[e * n + j];
        }
    }
    for (int j = 0; j < n; ++j)
    {
        groupAdd(system, leader, share[j], pass->vector[j], j > 0, change);
        if (k->strayed)
            k->work += way[j] * groupProduct(system, leader, false, pass->vector[j], pass->pull);
    }
}

// The velocity takes the change. What holds a group that moves as a whole, or its bodies to each other, is no part of
// its momenta.
static void apply(const Pass *pass, int leader, const double *change)
{
    const System *system = pass->system;
    const State *s = &system->state;
    const Krylov *k = &system->member[leader]->step->krylov;
    RigidMotion whole = { 0 };
    if ((k->held || k->next >= 0) && !k->stands && !groupIsPinned(system, leader))
        whole = groupMotion(system, leader, change);
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            double *u = s->velocity + 3 * (ptrdiff_t)v;
            if (!s->pinned[v])
                vecStore(u, vecAdd(vecLoad(u), vecSub(vecLoad(change + 3 * (ptrdiff_t)v), motionAt(s, &whole, v))));
        }
    }
}

// the velocity takes F of the vectors that were begun
static void takeFactor(const Pass *pass, Factor factor)
{
    System *system = pass->system;
    State *s = &system->state;
    double *room = scratchTake(s); // forces, then changes
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (leads(system, p))
            normalise(pass, p);
    }
    for (int j = 0; j < VIBRATION_ROOM; ++j)
    {
        bool any = false;
        for (int p = 0; p < system->memberCount; ++p)
            any |= goesOn(system, p);
        if (!any)
            break;
        strain(pass, pass->vector[j]);
        stiffness(pass, pass->vector[j], room);
        for (int p = 0; p < system->memberCount; ++p)
        {
            if (goesOn(system, p))
                measure(pass, p, j, room);
        }
        if (j + 1 == VIBRATION_ROOM)
            break;
        for (int i = 0; i < 3 * s->count; ++i)
            pass->vector[j + 1][i] = room[i] / s->mass[i / 3];
        jointDirectionsTake(system, &pass->free, pass->vector[j + 1]);
        for (int p = 0; p < system->memberCount; ++p)
        {
            if (!goesOn(system, p))
                continue;
            Krylov *k = &system->member[p]->step->krylov;
            extend(pass, p, j);
            k->ended |= j == 0 && fabs(factorOf(pass, k, factor, k->stiff[0], k->viscous[0])) < SMALL;
        }
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!leads(system, p) || system->member[p]->step->krylov.count == 0)
            continue;
        setChange(pass, p, factor, room);
        apply(pass, p, room);
    }
    scratchGive(s, room);
}

// ---- the books ------------------------------------------------------------------------------------------------------

// J that a group lost since its velocities were `before`; `work`: what its pins did, their motion times the impulses
// that they gave, those of the change
static double groupLost(const Pass *pass, int leader, const double *before, double *work)
{
    const System *system = pass->system;
    const State *s = &system->state;
    const Krylov *k = &system->member[leader]->step->krylov;
    bool driven = pass->moves && groupIsPinned(system, leader) && !k->strayed;
    double lost = 0;
    *work = k->work;
    for (int p = leader; p >= 0; p = nextOf(system, p))
    {
        const Member *member = system->member[p];
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v), w = vecLoad(before + 3 * (ptrdiff_t)v), d = vecSub(u, w);
            lost -= s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(d, vecAdd(u, w));
            *work += s->pinned[v] || !driven ? 0 : s->mass[v] * vecDot(d, motionAt(s, &k->beside, v));
        }
    }
    return lost;
}

// J that the velocities lost since they were `before`. What anything else than pins holds takes nothing that would gain
// energy.
static double book(const Pass *pass, const double *before)
{
    System *system = pass->system;
    double sum = 0;
    for (int leader = 0; leader < system->memberCount; ++leader)
    {
        Member *member = system->member[leader];
        const Krylov *k = &member->step->krylov;
        if (!leads(system, leader))
            continue;
        double work, lost = groupLost(pass, leader, before, &work);
        if ((k->held || k->next >= 0 || k->strayed) && lost + work < 0)
        {
            groupAdd(system, leader, 1, before, false, system->state.velocity);
            continue;
        }
        member->dissipated += lost + work;
        member->added += work;
        sum += lost;
    }
    return sum;
}

double dampVibrations(System *system, double h, double *const room[VIBRATION_ROOM + FREE_ROOM])
{
    State *s = &system->state;
    if (!systemIsViscous(system))
        return 0;
    Pass pass = { .system = system,
                  .h = h,
                  .free = { .diagonal = room[VIBRATION_ROOM],
                            .beside = room[VIBRATION_ROOM + 1],
                            .softDiagonal = room[VIBRATION_ROOM + 2],
                            .softBeside = room[VIBRATION_ROOM + 3] },
                  .vector = room,
                  .moves = pinsMove(s) };
    freeDirectionsFind(system, h, &pass.free);
    systemFreezeRates(system, s->position);
    double *velocity = scratchTake(s), *excess = scratchTake(s);
    pass.pull = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double mean = (s->position[i] - s->start[i]) / h;
        velocity[i] = s->pinned[i / 3] ? mean : s->velocity[i];
        excess[i] = velocity[i] - mean;
    }
    beginVectors(&pass, velocity, false);
    takeFactor(&pass, velocityFactor);
    beginVectors(&pass, excess, true);
    takeFactor(&pass, excessFactor);
    double lost = book(&pass, velocity);
    scratchGive(s, pass.pull);
    scratchGive(s, excess);
    scratchGive(s, velocity);
    return lost;
}
