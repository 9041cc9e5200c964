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
#include "solve/solve.h"

bool energyIsViscous(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0 && !energyIsDiagonal(energy);
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

// K times state->rate into state->gradient; of a member the share that is left for it
static void multiply(System *system, const Damping *damping)
{
    State *s = &system->state;
    systemForces(system, energyIsViscous, s->position);
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
    double sum = 0;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (damping->inverse == NULL)
            s->position[i] = s->direction[i] / s->mass[i / 3];
        sum += s->direction[i] * s->position[i];
    }
    return sum;
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
        s->direction[i] = s->pinned[i / 3] ? 0 : -damping->h * s->gradient[i];
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
    double square = precondition(system, damping), beta = last > 0 ? square / last : 0, share = 0;
    for (int i = 0; i < 3 * s->count && first->curve > 0; ++i)
        share += first->image[i] * s->position[i] / first->curve;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double back = first->curve > 0 ? share * first->d[i] : 0;
        s->rate[i] = s->position[i] - back + (last > 0 ? beta * s->rate[i] : 0);
        s->inertial[i] = s->direction[i] - back * s->mass[i / 3] + (last > 0 ? beta * s->inertial[i] : 0);
    }
    return square;
}

// velocity += alpha p, r -= alpha (A + theta h K) p, and the next p; returns the new r . A^-1 r
static double iterate(System *system, const Damping *damping, const First *first, double *velocity, double square)
{
    State *s = &system->state;
    double curve = 0, scale = damping->theta * damping->h;
    multiply(system, damping);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->gradient[i] = s->pinned[i / 3] ? 0 : s->inertial[i] + scale * s->gradient[i];
        curve += s->rate[i] * s->gradient[i];
    }
    double alpha = square / curve;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        velocity[i] += alpha * s->rate[i];
        s->direction[i] -= alpha * s->gradient[i];
    }
    return turn(system, damping, first, square);
}

// what pins did against the damping, and what it took of them and of the motion
static void book(System *system, const Damping *damping, const double *velocity)
{
    State *s = &system->state;
    bool moves = setRates(system, damping, velocity), backward = damping->theta == 1;
    bool asked = moves || !backward || damping->shared;
    if (asked)
        systemForces(system, energyIsViscous, s->position);
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
    double moving = 0;
    for (int p = 0; p < system->memberCount; ++p)
        moving += system->member[p]->viscousLoss = kineticOf(s, system->member[p], velocity);
    First first = { .d = damping->guess, .image = scratchTake(s) };
    setResidual(system, damping, velocity);
    double start = damping->guess != NULL ? precondition(system, damping) : 0;
    if (damping->guess != NULL)
        takeGuess(system, damping, velocity, &first);
    double square = turn(system, damping, &first, 0);
    double least = damping->left * damping->left * minReal(2 * moving, maxReal(start, square));
    for (int k = 0; k < damping->most && square > least; ++k)
        square = iterate(system, damping, &first, velocity, square);
    scratchGive(s, first.image);
    book(system, damping, velocity);
}

void systemFreezeRates(System *system, const double *point)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (energyIsViscous(term->energy))
            term->energy->kind->begin(term->energy, point + 3 * (ptrdiff_t)term->first);
    }
}
