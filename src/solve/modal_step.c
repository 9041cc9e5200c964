// A global step that is exact in the lowest modes of bodies.
//
// The majorizer is a bound for the stiffest strain in every direction. For bending and torsion of slender bodies, and
// for shear near incompressibility, it is 10 to 1000 times too high, and iterations with it alone hardly move such
// motion: after ten of them the body is another material. The lowest rest modes U, turned to where the body is
// (modal.h), are taken out of the right side and get what their own stiffness asks for:
//
//   z = A^-1 (r - M RU q) + RU (D q - U^T R^T M z),   q = U^T R^T r,   D_k = 1 / (1 + drag + (s + viscous) w_k^2)
//
// Of a body that nothing holds, the rigid part of r moves the body by its mass and inertia alone, and z has no other
// rigid part: whatever the iterations leave undone, both momenta follow the forces. Symmetric and positive, as A^-1 is;
// but not above the Hessian any more: steps are checked.
#include "solve/solve.h"

#include <string.h>

// by attachments or contacts, whose stiffness the modes do not know
static bool isTied(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool ties =
            energy->kind->majorizer != NULL && !(energy->traits & (TRAIT_INTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE));
        if (ties && !energyIsIdle(energy))
            return true;
    }
    return false;
}

// 1, by which drag resists more than the mass alone
static double dragOf(const System *system, const Member *member, const Stage *stage)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->kind == &dragKind)
            return stage->sigma * stage->theta / stage->h * energyGetParam(member->energy[e], 0, 0) /
                   system->state.mass[member->offset];
    }
    return 0;
}

// ---- rigid motion of a body that nothing holds ----------------------------------------------------------------------

#define FLAT 1e-12 // axes with less than this share of the greatest moment of inertia have no spin of their own

// A motion of a body as a whole: m/s and 1/s, or what a right side makes of it.
typedef struct Twist
{
    Vec3 linear, angular;
} Twist;

static ModalFrame frameOf(const State *s, const Member *member)
{
    ModalFrame frame = { 0 };
    const double *mass = s->mass + member->offset, *x = s->stage + 3 * (ptrdiff_t)member->offset;
    Vec3 first = vec3(0, 0, 0), origin = vecLoad(x);
    for (int v = 0; v < member->count; ++v)
    {
        frame.mass += mass[v];
        first = vecAdd(first, vecScale(mass[v], vecSub(vecLoad(x + 3 * (ptrdiff_t)v), origin)));
    }
    frame.centre = vecAdd(origin, vecScale(1 / frame.mass, first));
    Mat3 inertia = { { { 0 } } };
    for (int v = 0; v < member->count; ++v)
    {
        double r[3];
        vecStore(r, vecSub(vecLoad(x + 3 * (ptrdiff_t)v), frame.centre));
        double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int i = 0; i < 9; ++i)
            inertia.m[i / 3][i % 3] += mass[v] * ((i % 4 == 0 ? square : 0) - r[i / 3] * r[i % 3]);
    }
    Svd3 svd = svd3(&inertia);
    Mat3 scaled = svd.v;
    for (int i = 0; i < 9; ++i)
        scaled.m[i / 3][i % 3] *= svd.sigma[i % 3] > FLAT * svd.sigma[0] ? 1 / svd.sigma[i % 3] : 0;
    frame.inverse = matMultiplyTransposed(&scaled, &svd.u);
    return frame;
}

// of a right side, or of a motion times the masses
static Twist twistOf(const State *s, const Member *member, const double *field, bool massive)
{
    const ModalFrame *frame = &member->modal->frame;
    Vec3 sum = vec3(0, 0, 0), moment = sum;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 f = vecScale(massive ? s->mass[v] : 1, vecLoad(field + 3 * (ptrdiff_t)v));
        sum = vecAdd(sum, f);
        moment = vecAdd(moment, vecCross(vecSub(vecLoad(s->stage + 3 * (ptrdiff_t)v), frame->centre), f));
    }
    return (Twist){ vecScale(1 / frame->mass, sum), matApply(&frame->inverse, moment) };
}

// field += scale x twist, times the masses of a right side
static void addTwist(const State *s, const Member *member, Twist twist, double scale, bool massive, double *field)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->stage + 3 * (ptrdiff_t)v), member->modal->frame.centre);
        Vec3 a = vecAdd(twist.linear, vecCross(twist.angular, r));
        double weight = scale * (massive ? s->mass[v] : 1);
        vecStore(field + 3 * (ptrdiff_t)v, vecAdd(vecLoad(field + 3 * (ptrdiff_t)v), vecScale(weight, a)));
    }
}

// ---- the step -------------------------------------------------------------------------------------------------------

static bool isPinned(const State *s, const Member *member)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (s->hold[v] != HOLD_FREE)
            return true;
    }
    return false;
}

bool modalStepBegin(System *system, const Stage *stage)
{
    bool used = false, joined = systemIsJoined(system);
    double s = stage->sigma * stage->theta * stage->theta;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Modal *modal = member->modal;
        if (modal == NULL)
            continue;
        modal->used = !joined && modal->current && modal->shape->count > 0 && !isTied(member);
        if (!modal->used)
            continue;
        used = true;
        modal->warm = false;
        modal->loose = !isPinned(&system->state, member);
        modalTurn(modal, system->state.stage + 3 * (ptrdiff_t)member->offset, system->workers);
        double drag = modal->drag = dragOf(system, member, stage);
        double viscous = member->dampedApart ? 0 : stage->sigma * stage->theta / stage->h * modal->viscosity;
        for (int k = 0; k < modal->shape->count; ++k)
            modal->gain[k] = 1 / (1 + drag + (s + viscous) * modal->shape->square[k]);
    }
    return used;
}

// what is exact leaves the right side
static void takeOut(const System *system, Member *member, double *right)
{
    Modal *modal = member->modal;
    const State *s = &system->state;
    double *own = right + 3 * (ptrdiff_t)member->offset, minus[MODAL_MOST];
    if (modal->loose)
    {
        modal->frame = frameOf(s, member);
        Twist twist = twistOf(s, member, right, false);
        modal->push[0] = twist.linear;
        modal->push[1] = twist.angular;
        addTwist(s, member, twist, -1, true, right);
    }
    modalProject(modal, own, NULL, system->workers, modal->force);
    for (int k = 0; k < modal->shape->count; ++k)
        minus[k] = -modal->force[k];
    modalExpand(modal, minus, s->mass + member->offset, system->workers, own);
}

// and comes back as it should be, in place of what a solve made of it
static void putBack(const System *system, const Member *member, double *result)
{
    const Modal *modal = member->modal;
    const State *s = &system->state;
    double *own = result + 3 * (ptrdiff_t)member->offset, have[MODAL_MOST];
    modalProject(modal, own, s->mass + member->offset, system->workers, have);
    for (int k = 0; k < modal->shape->count; ++k)
        have[k] = modal->gain[k] * modal->force[k] - have[k];
    modalExpand(modal, have, NULL, system->workers, own);
    if (!modal->loose)
        return;
    addTwist(s, member, twistOf(s, member, result, true), -1, false, result);
    addTwist(s, member, (Twist){ modal->push[0], modal->push[1] }, 1 / (1 + modal->drag), false, result);
}

void modalStep(System *system, const Stage *stage, const double *right, double *result)
{
    State *state = &system->state;
    double *left = scratchTake(state);
    memcpy(left, right, (size_t)state->count * 3 * sizeof(double));
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (member->modal != NULL && member->modal->used)
            takeOut(system, member, left);
    }
    globalStep(system, stage, left, result);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->modal != NULL && member->modal->used)
            putBack(system, member, result);
    }
    scratchGive(state, left);
}
