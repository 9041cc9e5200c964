// One global step: B right with B near A^-1, A = M + s (majorizer) + drag, by the prefactored matrices of the members.
#include "solve/solve.h"

#include <string.h>

// what holds a member in space: pins, attachments
static bool isHeld(const Member *member, const State *s)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (s->pinned[v])
            return true;
    }
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool holds =
            energy->kind->majorizer != NULL && !(energy->traits & (TRAIT_INTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE));
        if (holds && !energyIsIdle(energy))
            return true;
    }
    return false;
}

bool prefactorsPrepare(System *system, const Stage *stage, SolveReport *report)
{
    double s = stage->sigma * stage->theta * stage->theta, drag = stage->sigma * stage->theta / stage->h;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->held = isHeld(member, &system->state);
        State slice = { .mass = system->state.mass + member->offset, .pinned = system->state.pinned + member->offset };
        const double *coupling = system->couplingDiagonal ? system->couplingDiagonal + member->offset : NULL;
        member->current =
            memberPrefactor(member, system->memory, &slice, s, drag, coupling, system->isa, system->workers, report);
        if (member->current == NULL)
        {
            system->trouble = report->starved ? TROUBLE_MEMORY : TROUBLE_FACTOR;
            return false;
        }
    }
    coarsePrepare(system, stage);
    return true;
}

static const Energy *dragOf(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->kind == &dragKind)
            return member->energy[e];
    }
    return NULL;
}

// The sum of the gradient decides the translation of free members exactly; a float32 factor would lose 1e-7 of it, and
// with it linear momentum. Mass and drag are all that resists a translation.
static void correctTranslation(const System *system, const Stage *stage, const Member *const *members, int count,
                               const double *right, double *result)
{
    const State *s = &system->state;
    double scale = stage->sigma * stage->theta / stage->h, resist = 0, missing[3] = { 0, 0, 0 };
    for (int p = 0; p < count; ++p)
    {
        const Member *member = members[p];
        if (member->held)
            return;
        const Energy *drag = dragOf(member);
        for (int v = 0; v < member->count; ++v)
        {
            int vertex = member->offset + v;
            double weight = s->mass[vertex] + (drag ? scale * energyGetParam(drag, v, 0) : 0);
            resist += weight;
            for (int a = 0; a < 3; ++a)
                missing[a] += right[3 * vertex + a] - weight * result[3 * vertex + a];
        }
    }
    int begin = members[0]->offset, end = members[count - 1]->offset + members[count - 1]->count;
    for (int a = 0; a < 3; ++a)
        missing[a] /= resist;
    for (int v = begin; v < end; ++v)
    {
        for (int a = 0; a < 3; ++a)
            result[3 * v + a] += missing[a];
    }
}

// result = A_0^-1 right, A_0 with joints as a diagonal
static void solveMember(const System *system, const Member *member, Workers *workers, const double *right,
                        double *result)
{
    frontFactorSolve(member->current, right + 3 * member->offset, result + 3 * member->offset, workers);
    memberCorrectTouching(system, member, result + 3 * member->offset);
}

void globalStepMember(const System *system, const Stage *stage, const Member *member, Workers *workers,
                      const double *right, double *result)
{
    solveMember(system, member, workers, right, result);
    if (stage != NULL)
        correctTranslation(system, stage, &member, 1, right, result);
}

typedef struct MembersSolve
{
    const System *system;
    const Stage *stage; // NULL: something joins them
    const double *right;
    double *result;
} MembersSolve;

static void solveOne(void *context, Member *member, Workers *workers)
{
    const MembersSolve *solve = context;
    globalStepMember(solve->system, solve->stage, member, workers, solve->right, solve->result);
}

static void solveMembers(System *system, const Stage *stage, bool joined, const double *right, double *result)
{
    MembersSolve solve = { system, joined ? NULL : stage, right, result };
    systemEachMember(system, solveOne, &solve);
}

void globalStep(System *system, const Stage *stage, const double *right, double *result)
{
    bool joined = systemIsJoined(system);
    solveMembers(system, stage, joined, right, result);
    if (joined)
        coarseCorrect(system, stage, right, result);
    if (joined)
        correctTranslation(system, stage, (const Member *const *)system->member, system->memberCount, right, result);
}

void globalStepSymmetric(System *system, const Stage *stage, const double *right, double *result)
{
    if (!systemIsJoined(system) || system->coarse == NULL)
    {
        globalStep(system, stage, right, result);
        return;
    }
    int size = 3 * system->state.count;
    double *translated = system->work, *left = system->work + size;
    memset(translated, 0, (size_t)size * sizeof(double));
    coarseCorrect(system, stage, right, translated);
    coarseResidual(system, stage, right, translated, left);
    solveMembers(system, stage, true, left, result);
    for (int i = 0; i < size; ++i)
        result[i] += translated[i];
    coarseCorrect(system, stage, right, result);
}

// ---- one column -----------------------------------------------------------------------------------------------------

bool globalStepHasLine(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->bare)
            return false;
    }
    return !systemIsJoined(system);
}

static void solveLine(void *context, Member *member, Workers *workers)
{
    const MembersSolve *solve = context;
    frontFactorSolveLine(member->current, solve->right + member->offset, solve->result + member->offset, workers);
}

void globalStepLine(System *system, const double *right, double *result)
{
    MembersSolve solve = { .system = system, .right = right, .result = result };
    systemEachMember(system, solveLine, &solve);
}
