// Vibrations of free bodies keep their pace. The midpoint rule slows a vibration of frequency w down to
// (2/h) atan(h w / 2); what a spin and vibrations exchange then comes at the wrong phase, and a body that flips does so
// at other times. With S = tan(a) / a, a = h w / 2, of the lowest rest modes and 1 of all other motion, the rule
//
//   x = x_n + h S u,   M (v - v_n) = -h S^T grad E(middle),   u = (v_n + v) / 2
//
// has the frequencies of these modes exactly. S enters both lines: energies that are quadratic are conserved as before.
// With Y = S^-1 - 1 = P RU (1/S - 1) U^T R^T M P, U the modes, R their rotations to the middle of the displacement
// (solve/modal.h), P what is not rigid motion, and d = x - x_n,
//
//   2 M d / h = 2 M (v_n + Y v_n) - 2 M (2 Y + Y^2) d / h - h grad E,   u = (d + Y d) / h:
//
// a change of the inertial guess alone, found in the rounds that find what a turning frame does (stabilized.c). Solvers
// know nothing of it. Strains that are damped would be damped by S^2 too much: such bodies go without.
#include "integrate/integrate.h"

#include <string.h>

#define MOST_ANGLE 1.2 // h w / 2: faster modes have S of this one
#define MOST_TORN 0.02 // of the volume, turned against its surroundings: modes turned by means say nothing there

// S, by the series of sine and cosine, which have the same bits everywhere
static double hastening(double angle)
{
    double square = minReal(angle, MOST_ANGLE) * minReal(angle, MOST_ANGLE);
    double sine = 1, cosine = 1, term = 1;
    for (int k = 1; k < 12; ++k)
    {
        term *= -square / ((2 * k - 1) * (2 * k));
        cosine += term;
        sine += term / (2 * k + 1);
    }
    return sine / cosine;
}

static bool keepsPace(const System *system, int index, const Method *method)
{
    const Member *member = system->member[index];
    const Modal *modal = member->modal;
    bool wanted = method->integrator->keepsPace && (method->solving.modes || !method->solver->prefactored);
    bool known = modal != NULL && modal->current && modal->shape->count > 0 && modal->shape->tie == NULL;
    return wanted && known && member->step->loose && memberIsFree(system, index) && !(sweepTime(member) > 0);
}

bool modePaceBegin(System *system, double h, const Method *method)
{
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Modal *modal = member->modal;
        member->step->paced = keepsPace(system, p, method);
        if (!member->step->paced)
            continue;
        for (int k = 0; k < modal->shape->count; ++k)
        {
            double angle = 0.5 * h * sqrt(maxReal(modal->shape->square[k], 0)), s = hastening(angle);
            modal->pace[k] = isfinite(angle) ? 1 / s - 1 : 0;
            modal->lag[k] = isfinite(angle) ? (1 - 1 / (s * s)) / (1 + angle * angle) : 0;
        }
        member->step->paceFound = modal->warm = false;
        any = true;
    }
    return any;
}

bool modePaceStop(System *system)
{
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        any |= system->member[p]->step->paced;
        system->member[p]->step->paced = false;
    }
    return any;
}

// out = Y in, of one member; both count x 3
static void apply(const System *system, const Member *member, const double *middle, const double *in, double *out)
{
    const State *s = &system->state;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    double q[MODAL_MOST];
    memcpy(out + first, in + first, 3 * (size_t)member->count * sizeof(double));
    rigidAdd(system, member, middle, -1, rigidOfVelocity(system, member, middle, out), false, out);
    modalProject(member->modal, out + first, s->mass + member->offset, system->workers, q);
    for (int k = 0; k < member->modal->shape->count; ++k)
        q[k] *= member->modal->pace[k];
    memset(out + first, 0, 3 * (size_t)member->count * sizeof(double));
    modalExpand(member->modal, q, NULL, system->workers, out + first);
    rigidAdd(system, member, middle, -1, rigidOfVelocity(system, member, middle, out), false, out);
}

// modes turned to the middle of the displacement
static void turnTo(System *system, Member *member, const double *middle)
{
    member->step->frame = rigidFrame(system, member, middle);
    modalTurn(member->modal, middle + 3 * (ptrdiff_t)member->offset, system->workers);
    if (!member->step->paceFound && modalTorn(member->modal, system->workers) > MOST_TORN)
        member->step->paced = false;
}

// The displacement with its modes where the rounds lead to: an error of what was foreseen comes back times `lag`.
static void foresee(const System *system, Member *member, double *displacement)
{
    Modal *modal = member->modal;
    double have[MODAL_MOST], more[MODAL_MOST], *own = displacement + 3 * (ptrdiff_t)member->offset;
    modalProject(modal, own, system->state.mass + member->offset, system->workers, have);
    for (int k = 0; k < modal->shape->count; ++k)
    {
        if (member->step->paceFound)
            modal->moved[k] += (have[k] - modal->moved[k]) / (1 - modal->lag[k]);
        else
            modal->moved[k] = have[k];
        more[k] = modal->moved[k] - have[k];
    }
    modalExpand(modal, more, NULL, system->workers, own);
    member->step->paceFound = true;
}

void modePaceInertia(System *system, double h, double *displacement, double *extra)
{
    State *s = &system->state;
    double *middle = scratchTake(s), *once = scratchTake(s), *twice = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        middle[i] = s->start[i] + 0.5 * displacement[i];
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        ptrdiff_t first = 3 * (ptrdiff_t)member->offset, end = first + 3 * (ptrdiff_t)member->count;
        if (!member->step->paced)
            continue;
        turnTo(system, member, middle);
        if (!member->step->paced)
            continue;
        foresee(system, member, displacement);
        apply(system, member, middle, displacement, once);
        apply(system, member, middle, once, twice);
        for (ptrdiff_t i = first; i < end; ++i)
            extra[i] -= 2 * once[i] + twice[i];
        apply(system, member, middle, s->startVelocity, once);
        for (ptrdiff_t i = first; i < end; ++i)
            extra[i] += h * once[i];
    }
    scratchGive(s, twice);
    scratchGive(s, once);
    scratchGive(s, middle);
}

void modePaceVelocity(System *system, double scale)
{
    State *s = &system->state;
    double *middle = scratchTake(s), *moved = scratchTake(s), *more = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        middle[i] = 0.5 * (s->start[i] + s->position[i]);
        moved[i] = s->position[i] - s->start[i];
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        ptrdiff_t first = 3 * (ptrdiff_t)member->offset, end = first + 3 * (ptrdiff_t)member->count;
        if (!member->step->paced)
            continue;
        member->step->frame = rigidFrame(system, member, middle);
        apply(system, member, middle, moved, more);
        for (ptrdiff_t i = first; i < end; ++i)
            s->velocity[i] += scale * more[i];
    }
    scratchGive(s, more);
    scratchGive(s, moved);
    scratchGive(s, middle);
}
