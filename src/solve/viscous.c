// Damping of strain rates as a pass of its own, for methods whose step has no exact place for it. Of a velocity v' that
// the other forces made, the one that solves
//
//   A (v'' - v') + h K u = 0,   u = theta v'' + (1 - theta) v,
//
// K the damping frozen at one shape, A the mass of the method: the masses, or what small-midpoint has in their place. A
// rigid motion of that shape is in the null space of K, and forces of K have neither sum nor moment there, whatever h K
// is. theta = 1 is backward Euler of the velocities, theta = 1/2 with v where the step began its midpoint rule. Neither
// can gain energy: what damping took is measured, as kinetic energy before less after or as h u^T K u, and with it the
// work of the pins.
//
// Solved by conjugate gradient from v' with A as preconditioner: its directions are A^-1 K times something, so that
// every iterate keeps the momenta, converged or not. For small-midpoint the eigenvalues of A^-1 (A + h/2 K) lie below 1
// + 2 beta / h whatever the mesh, for A is not below h^2/4 times the stiffness.
//
// Few iterations damp what is stiff and hardly what is slow. But what is slow changes little between two short steps,
// so that the change that the last one made, d, is the first direction, and those of the iteration are conjugate to it
// (a deflated conjugate gradient): slow motion is then right to the first order in the change between steps.
//
// Where A^-1 is a solve, iterations end with the first that lowers the quadratic they minimise by little of what all
// did, which needs no further solve; and A (v'' - v'), which they add up, is what is booked, which needs no K u.
#include "solve/solve.h"

#include <string.h>

bool energyIsViscous(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0 && !energyIsDiagonal(energy);
}

bool energyBendsViscous(const Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    return kind == &bendingDamperKind || kind == &wideBendingDamperKind || kind == &dihedralDamperKind ||
           kind == &rodDamperKind;
}

bool energyStretchesViscous(const Energy *energy)
{
    return energyIsViscous(energy) && !energyBendsViscous(energy);
}

bool systemIsViscous(const System *system)
{
    for (int t = 0; t < system->termCount && system->dissipates; ++t)
    {
        if (energyIsViscous(system->term[t].energy))
            return true;
    }
    return false;
}

// J, of the free vertices of a member
static double kineticOf(const State *s, const Member *member, const double *velocity)
{
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * velocity[i] * velocity[i];
    return sum;
}

// ---- vectors --------------------------------------------------------------------------------------------------------

#define SPAN 8 // partial sums, which compilers turn into vectors

static double product(const double *restrict a, const double *restrict b, int count)
{
    double part[SPAN] = { 0 }, rest = 0;
    int i = 0;
    for (; i + SPAN <= count; i += SPAN)
    {
        for (int k = 0; k < SPAN; ++k)
            part[k] += a[i + k] * b[i + k];
    }
    for (; i < count; ++i)
        rest += a[i] * b[i];
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7])) + rest;
}

static void addScaled(double *restrict target, double scale, const double *restrict a, int count)
{
    for (int i = 0; i < count; ++i)
        target[i] += scale * a[i];
}

// target = a + scale target
static void scaleAdd(double *restrict target, double scale, const double *restrict a, int count)
{
    for (int i = 0; i < count; ++i)
        target[i] = a[i] + scale * target[i];
}

static void zeroPins(const State *s, double *vector)
{
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(vector + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
}

// ---- the iteration --------------------------------------------------------------------------------------------------

// K times state->rate into state->gradient; of a member the share that is left for it
static void multiply(System *system, const Damping *damping)
{
    State *s = &system->state;
    systemForces(system, damping->filter, s->position);
    for (int p = 0; p < system->memberCount && damping->shared; ++p)
    {
        const Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            s->gradient[i] *= member->viscousLeft;
    }
}

// state->position = A^-1 state->direction; returns the product of the two
static double precondition(System *system, const Damping *damping)
{
    State *s = &system->state;
    if (damping->inverse != NULL)
        damping->inverse(system, damping->stage, s->direction, s->position);
    for (int i = 0; i < 3 * s->count && damping->inverse == NULL; ++i)
        s->position[i] = s->direction[i] / s->mass[i / 3];
    return product(s->direction, s->position, 3 * s->count);
}

// u into state->rate; returns whether a pin moves
static bool setRates(System *system, const Damping *damping, const double *velocity)
{
    State *s = &system->state;
    double theta = damping->theta;
    bool moves = false;
    for (int i = 0; i < 3 * s->count; ++i)
        s->rate[i] = theta == 1 ? velocity[i] : theta * velocity[i] + (1 - theta) * damping->before[i];
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v);
        vecStore(s->rate + 3 * (ptrdiff_t)v, u);
        moves |= vecDot(u, u) > 0;
    }
    return moves;
}

// The direction that the iteration begins with, d, and (A + theta h K) d.
typedef struct First
{
    const double *d;
    double *image;
    double curve; // d . image; 0: there is none
} First;

// r = -h K u of the free vertices into state->direction
static void setResidual(System *system, const Damping *damping, const double *velocity)
{
    State *s = &system->state;
    setRates(system, damping, velocity);
    multiply(system, damping);
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = -damping->h * s->gradient[i];
    zeroPins(s, s->direction);
}

// velocity and r after the best step along the guess
static void takeGuess(System *system, const Damping *damping, double *velocity, First *first)
{
    State *s = &system->state;
    double scale = damping->theta * damping->h, along = 0;
    first->curve = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        s->rate[i] = first->d[i];
    multiply(system, damping);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        first->image[i] = s->pinned[i / 3] ? 0 : s->mass[i / 3] * first->d[i] + scale * s->gradient[i];
        first->curve += first->d[i] * first->image[i];
        along += first->d[i] * s->direction[i];
    }
    first->curve = isfinite(first->curve) && first->curve > 0 ? first->curve : 0;
    double alpha = first->curve > 0 ? along / first->curve : 0;
    for (int i = 0; i < 3 * s->count && alpha != 0; ++i)
    {
        velocity[i] += alpha * first->d[i];
        s->direction[i] -= alpha * first->image[i];
    }
}

// p = A^-1 r + beta p into state->rate, A p into state->inertial, conjugate to d; returns r . A^-1 r, which beta is the
// ratio of to `last`
static double turn(System *system, const Damping *damping, const First *first, double last)
{
    State *s = &system->state;
    int size = 3 * s->count;
    double square = precondition(system, damping), beta = last > 0 ? square / last : 0;
    double share = first->curve > 0 ? product(first->image, s->position, size) / first->curve : 0;
    if (!(last > 0))
    {
        memcpy(s->rate, s->position, (size_t)size * sizeof(double));
        memcpy(s->inertial, s->direction, (size_t)size * sizeof(double));
    }
    else
    {
        scaleAdd(s->rate, beta, s->position, size);
        scaleAdd(s->inertial, beta, s->direction, size);
    }
    for (int i = 0; i < size && first->curve > 0; ++i)
    {
        s->rate[i] -= share * first->d[i];
        s->inertial[i] -= share * first->d[i] * s->mass[i / 3];
    }
    return square;
}

// velocity += alpha p, impulse (if any) += alpha A p, r -= alpha (A + theta h K) p; returns twice by how much this
// lowers the quadratic
static double iterate(System *system, const Damping *damping, double *velocity, double *impulse, double square)
{
    State *s = &system->state;
    int size = 3 * s->count;
    multiply(system, damping);
    scaleAdd(s->gradient, damping->theta * damping->h, s->inertial, size);
    zeroPins(s, s->gradient);
    double alpha = square / product(s->rate, s->gradient, size);
    addScaled(velocity, alpha, s->rate, size);
    addScaled(s->direction, -alpha, s->gradient, size);
    if (impulse != NULL)
        addScaled(impulse, alpha, s->inertial, size);
    return alpha * square;
}

// what pins did against the damping, and what it took of them and of the motion; impulse: A (v'' - v'), or NULL
static void book(System *system, const Damping *damping, const double *velocity, const double *impulse)
{
    State *s = &system->state;
    bool moves = setRates(system, damping, velocity), backward = damping->theta == 1;
    bool asked = moves || !backward || damping->shared;
    if (impulse != NULL && !moves)
    {
        memset(s->gradient, 0, 3 * (size_t)s->count * sizeof(double));
        for (int i = 0; i < 3 * s->count; ++i)
            s->direction[i] = -impulse[i];
    }
    else if (asked)
        systemForces(system, damping->filter, s->position);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double work = 0, all = 0, power = 0;
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count) && asked; ++i)
        {
            double force = damping->h * s->gradient[i]; // and what the solve left of it
            work += s->pinned[i / 3] ? force * s->rate[i] : 0;
            power += force * s->rate[i];
            s->direction[i] += force;
            all += s->direction[i] * s->rate[i];
        }
        member->viscousWork = work;
        member->viscousLoss = backward ? member->viscousLoss + work - kineticOf(s, member, velocity) : all;
        member->viscousOwn = damping->shared ? (1 - member->viscousLeft) * (power - work) : 0;
        member->viscousLoss += member->viscousOwn;
    }
}

void systemDampRates(System *system, const Damping *damping, double *velocity)
{
    State *s = &system->state;
    bool solves = damping->inverse != NULL;
    double moving = 0, square = 0, least = 0, all = 0, last = INFINITY, share = damping->left * damping->left;
    for (int p = 0; p < system->memberCount; ++p)
        moving += system->member[p]->viscousLoss = kineticOf(s, system->member[p], velocity);
    First first = { .d = damping->guess, .image = scratchTake(s) };
    double *impulse = solves ? first.image : NULL; // there is no guess then
    setResidual(system, damping, velocity);
    double start = damping->guess != NULL ? precondition(system, damping) : 0;
    if (damping->guess != NULL)
        takeGuess(system, damping, velocity, &first);
    if (impulse != NULL)
        memset(impulse, 0, 3 * (size_t)s->count * sizeof(double));
    for (int k = 0; k < damping->most && !(solves && last <= share * all); ++k)
    {
        square = turn(system, damping, &first, square);
        least = k == 0 ? share * minReal(2 * moving, maxReal(start, square)) : least;
        if (!(square > least))
            break;
        last = iterate(system, damping, velocity, impulse, square);
        all += last;
    }
    book(system, damping, velocity, impulse);
    scratchGive(s, first.image);
}

void systemFreezeRates(System *system, const double *point)
{
    systemFreeze(system, energyIsViscous, point);
}
