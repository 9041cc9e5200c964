// The inverse mass W of a member at some of its vertices alone, of forces g at these alone. B is what is prefactored;
// arms r = x - c are from the centre of mass. With P = B^-1 M r, one solve where forces are taken, a free member has
//
//   W g = B^-1 g + s x (d r - P) - e x r,   s = I^-1 sum r x g,   e = I^-1 (sum P x g - K s)
//   K = sum m ((P.r) 1 - P r^T)
//
// where s is the spin that g gives, e that which B^-1 has beside it, and d = 1 but for drag: B^-1 M 1 = d 1, so that
// translations are right without a term of their own. A member that is held in space has B^-1 alone.
#include "integrate/integrate.h"

#include <string.h>

// W is B^-1 and rigid motion, or B^-1
static bool isPlain(const System *system, const Member *member)
{
    const StepState *step = member->step;
    bool shaped = (member->modal != NULL && member->modal->used) || (member->smooth != NULL && member->smooth->used);
    if (shaped || step->joined.group >= 0 || step->apart || member->bare || step->loose == member->held)
        return false;
    for (int v = member->offset; v < member->offset + member->count && system->couplingDiagonal != NULL; ++v)
    {
        if (system->couplingDiagonal[v] != 0)
            return false;
    }
    return true;
}

static bool isTouched(const Member *member)
{
    return member->touchedEnd > member->touchedStart;
}

// P and K of a member that nothing ties; takes its gradient
static void prepareMember(void *context, Member *member, Workers *workers)
{
    System *system = context;
    const State *s = &system->state;
    const RigidFrame *frame = &member->step->frame;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    const double *position = s->blend + first, *mass = s->mass + member->offset;
    double *right = s->gradient + first, *answer = system->touched.answer + first;
    if (!isTouched(member) || !member->step->loose)
        return;
    for (int v = 0; v < member->count; ++v)
        vecStore(right + 3 * (ptrdiff_t)v,
                 vecScale(mass[v], vecSub(vecLoad(position + 3 * (ptrdiff_t)v), frame->centre)));
    double product[3][3]; // sums of P (M r)^T
    frontFactorSolveOnto(member->current, right, answer, product, workers);
    for (int i = 0; i < 9; ++i)
        member->step->turn.m[i / 3][i % 3] =
            (i % 4 == 0 ? product[0][0] + product[1][1] + product[2][2] : 0) - product[i / 3][i % 3];
}

bool inverseMassTouchedBegin(System *system, const Stage *stage)
{
    (void)stage;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (isTouched(system->member[p]) && !isPlain(system, system->member[p]))
            return false;
    }
    systemEachMember(system, prepareMember, system);
    return true;
}

typedef struct TouchedMass
{
    System *system;
    const Stage *stage;
    const double *right;
    double *result;
} TouchedMass;

static void applyMember(void *context, Member *member, Workers *workers)
{
    const TouchedMass *o = context;
    const State *s = &o->system->state;
    const RigidFrame *frame = &member->step->frame;
    const int *vertex = o->system->touched.vertex;
    if (!isTouched(member))
        return;
    touchedSolve(o->system, member, workers, o->right, o->result);
    if (!member->step->loose)
        return;
    Vec3 moment = vec3(0, 0, 0), lag = vec3(0, 0, 0);
    for (int k = member->touchedStart; k < member->touchedEnd; ++k)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)(member->offset + vertex[k]);
        Vec3 g = vecLoad(o->right + i);
        moment = vecAdd(moment, vecCross(vecSub(vecLoad(s->blend + i), frame->centre), g));
        lag = vecAdd(lag, vecCross(vecLoad(o->system->touched.answer + i), g));
    }
    Vec3 spin = matApply(&frame->inverse, moment);
    Vec3 excess = matApply(&frame->inverse, vecSub(lag, matApply(&member->step->turn, spin)));
    double drag = 1 / inverseMassDrag(s, member, o->stage);
    for (int k = member->touchedStart; k < member->touchedEnd; ++k)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)(member->offset + vertex[k]);
        Vec3 r = vecSub(vecLoad(s->blend + i), frame->centre), p = vecLoad(o->system->touched.answer + i);
        Vec3 turned = vecSub(vecCross(spin, vecSub(vecScale(drag, r), p)), vecCross(excess, r));
        vecStore(o->result + i, vecAdd(vecLoad(o->result + i), turned));
    }
}

void inverseMassTouched(System *system, const Stage *stage, double *right, double *result)
{
    systemEachMember(system, applyMember, &(TouchedMass){ system, stage, right, result });
}
