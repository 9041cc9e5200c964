// Damping of motion that is neither rigid nor a mode, in the solve of a substep of small-midpoint. The prefactored
// matrix B = M + 1.3 hs^2/4 L + c hs K_L has the majorizers of stiffness and damping, which are mass to whatever bends
// or shears. What is meant is G = M + (1.3 hs^2/(4 beta) + c hs) K, K the damping as it is, and the solve with B is one
// round of an iteration for it,
//
//   y += t_i P B^-1 P^T (r - G y),
//
// P takes modes and rigid motion out. After rounds with t_1 to t_k it leaves the polynomial p(x) of the eigenvalues x
// of B^-1 G, product of 1 - t_i x. With every t_i twice, p is a square: y is then W r with W symmetric, positive and
// not above the inverse of G, whatever K_L and P are, so that the substep is as stable as with G itself. The t_i are
// the inverse roots of 1 + T_k, Chebyshev's polynomial on [LEAST, 1] (Golub and Varga 1961), for which p is at most
// 2 / (1 + T_k((1 + LEAST) / (1 - LEAST))) there. What p leaves of the mean of x, or on average of [LEAST, 1], and
// what the elastic part of G is as a mass to the mean frequency, would be missing of damping: W is as much greater, and
// c with it, within half the margin of the stiffness, so that the substep stays stable.
//
// LEAST is estimated: of motion that substeps resolve and damping does not stop, L is at most as many times stiffer as
// it is of the highest mode. But most of what moves is well above it, and the first product with G tells the mean of x
// by what a substep changes: few rounds do where it is high. (Six for all: no nearer to the true decay, 1.5 times the
// time.) Bodies of which a substep changes little beside their modes take one solve as it is. So do those whose steps
// missed their energy and are taken in more substeps: where a body is much deformed, modes and rest are coupled, and
// what L is more than K is the mass that bears it (a slender rod that falls from level took 20 substeps, now 7).
#include "integrate/integrate.h"

#include <string.h>

#define ENOUGH 0.95  // 1: LEAST from which one solve is right as it is
#define STRONG 0.5   // s of damping over s of a substep: where less is, K_L is no more mass than the stiffness
#define RESOLVED 0.5 // rad in a substep, and
#define STOPPED 2.5  // twice the damping ratio: motion beyond is not resolved, or creeps as it should anyway
#define HIGHEST 8    // modes, by which the others are judged
#define CHANGES 1e-5 // of the energy of vibration: that of what a substep changes of the rest; less is left as it is

// How many rounds motion takes by what x is of it on average, and on which [LEAST, 1] they are right.
typedef struct Rung
{
    double mean, least;
    int rounds;
} Rung;

static const Rung ladder[] = { { 0.9, 0.8, 2 }, { 0.72, 0.6, 2 }, { 0.4, 0.2, 4 }, { -INFINITY, 0.13, DAMPED_ROUNDS } };

typedef struct Rounds
{
    System *system;
    const Stage *stage;
    int round;
    double *right;    // count x 3, P^T r
    double *residual; // count x 3
    double *result;   // count x 3, y
    double *change;   // count x 3
} Rounds;

// ---- which members, and how -----------------------------------------------------------------------------------------

// 1/s^2: L of a mode
static double majorizerOf(Member *member, int mode)
{
    const ModalShape *shape = member->modal->shape;
    const Graph *graph = member->graph;
    const double *majorizer = memberMajorizer(member);
    double sum = 0;
    for (int i = 0; i < 3 * member->count; ++i)
    {
        int vertex = i / 3, axis = i % 3, begin = graph->start[vertex];
        double u = modalAt(shape, mode, vertex, axis);
        for (int k = begin; k < graph->start[vertex + 1]; ++k)
            sum += (k == begin ? 1 : 2) * majorizer[k] * u * modalAt(shape, mode, graph->row[k], axis);
    }
    return sum;
}

// how many times as stiff L is as the highest modes, at most
static void findSpread(Member *member)
{
    Modal *modal = member->modal;
    const double *square = modal->shape->square;
    int last = modal->shape->count - 1;
    while (last > 0 && !isfinite(square[last]))
        --last;
    modal->highest = square[last];
    modal->spread = 1;
    for (int mode = maxInt(last - HIGHEST + 1, 0); mode <= last; ++mode)
        modal->spread = maxReal(modal->spread, majorizerOf(member, mode) / square[mode]);
}

// T_k
static double chebyshev(int k, double t)
{
    double last = 1, now = t;
    for (int i = 1; i < k; ++i)
    {
        double next = 2 * t * now - last;
        last = now;
        now = next;
    }
    return now;
}

// x of the motion beyond the modes, at least; 1: one solve is all it needs
static double leastOf(Member *member, const Stage *stage)
{
    Modal *modal = member->modal;
    double h = stage->h, beta = modal->viscosity;
    if (!(modal->spread > 0))
        findSpread(member);
    if (beta * beta * modal->highest > 4 * STOPPED * STOPPED)
        return 1;
    double fast = minReal(RESOLVED * RESOLVED / (h * h), STOPPED * STOPPED / (beta * beta));
    double mass = 0.25 * h * h * inverseMassMargin(member) + 0.5 * h * beta;
    mass *= maxReal(fast, modal->highest);
    return (1 + mass) / (1 + mass * modal->spread);
}

// t_i of a member, with x of its change `mean` on average: roots of 1 + T_k are where T_k/2 is 0. What p leaves of that
// mean, and what the elastic part of G is as a mass to it, `heavy`, goes by the factor `over`.
static void chooseRounds(Member *member, double mean, double heavy)
{
    static const double root[][3] = { { 0 }, { 0.70710678118654752 }, { 0.86602540378443865, 0 } };
    const Rung *rung = ladder;
    while (member->step->least < rung->least && mean < rung->mean)
        ++rung;
    double least = maxReal(member->step->least, rung->least), middle = 0.5 * (1 + least), half = 0.5 * (1 - least);
    int count = rung->rounds;
    member->step->rounds = count;
    double left = 1;
    for (int i = 0; i < count; ++i)
    {
        double at = root[count / 2 - 1][i % (count / 2) / 2];
        member->step->round[i] = 1 / (middle + (i % (count / 2) % 2 ? -at : at) * half);
        left *= 1 - member->step->round[i] * mean;
    }
    left = maxReal(left, 1 / (1 + chebyshev(count, middle / half))); // what moves is not all at its mean
    double most = 0.5 * (1 + inverseMassMargin(member));             // half of the margin stays
    member->step->over = minReal((1 + heavy) / maxReal(1 - left, 1e-3), most);
}

static bool isStrong(const Member *member, const Stage *stage)
{
    const Modal *modal = member->modal;
    return modal != NULL && modal->used && member->viscosity != NULL && member->viscousTime > STRONG * stage->h &&
           !member->step->apart && (member->step->loose || member->held);
}

bool dampedRestFits(const System *system, const Stage *stage)
{
    bool any = false, calm = controlLevel(system) == 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->least = calm && isStrong(member, stage) ? leastOf(member, stage) : 1;
        member->step->rounds = member->step->least > ENOUGH ? 0 : DAMPED_ROUNDS;
        any |= member->step->rounds > 0;
    }
    return any;
}

// ---- a round --------------------------------------------------------------------------------------------------------

static const double *matrixOf(const Member *member)
{
    const Prefactor *prefactor = member->prefactor;
    while (prefactor->factor != member->current)
        ++prefactor;
    return prefactor->value;
}

// out of a motion: what is rigid and what is in the modes
static void takeMotion(const System *system, const Member *member, Workers *workers, double *motion)
{
    const State *s = &system->state;
    double *own = motion + 3 * (ptrdiff_t)member->offset, q[MODAL_MOST];
    if (member->step->loose)
        rigidAdd(system, member, s->blend, -1, rigidOfVelocity(system, member, s->blend, motion), false, motion);
    modalProject(member->modal, own, s->mass + member->offset, workers, q);
    for (int k = 0; k < member->modal->shape->count; ++k)
        q[k] = -q[k];
    modalExpand(member->modal, q, NULL, workers, own);
}

// out of forces
static void takeForces(const System *system, const Member *member, Workers *workers, double *force)
{
    const State *s = &system->state;
    double *own = force + 3 * (ptrdiff_t)member->offset, q[MODAL_MOST];
    if (member->step->loose)
        rigidAdd(system, member, s->blend, -1, rigidOfForces(system, member, s->blend, force), true, force);
    modalProject(member->modal, own, NULL, workers, q);
    for (int k = 0; k < member->modal->shape->count; ++k)
        q[k] = -q[k];
    modalExpand(member->modal, q, s->mass + member->offset, workers, own);
}

// r - G y of a member, with K y in state->gradient
static void setResidual(const Rounds *rounds, const Member *member, double over)
{
    const State *s = &rounds->system->state;
    const Stage *stage = rounds->stage;
    const Graph *graph = member->graph;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    const double *matrix = matrixOf(member), *y = rounds->result + first;
    double *residual = rounds->residual + first, scale = stage->sigma * stage->theta;
    double elastic = scale * stage->theta * inverseMassMargin(member) / member->modal->viscosity;
    double damping = scale / stage->h * member->viscousShare, less = damping + elastic;
    double more = over * damping + elastic;
    for (int i = 0; i < 3 * member->count; ++i)
        residual[i] = rounds->right[first + i] - more * s->gradient[first + i];
    for (int column = 0; column < member->count; ++column)
    {
        int begin = graph->start[column], end = s->pinned[member->offset + column] ? begin : graph->start[column + 1];
        Vec3 u = vecLoad(y + 3 * (ptrdiff_t)column), sum = vec3(0, 0, 0);
        for (int k = begin; k < end; ++k)
        {
            int row = graph->row[k];
            double weight = matrix[k] - less * member->viscosity[k], *other = residual + 3 * (ptrdiff_t)row;
            sum = vecAdd(sum, vecScale(weight, vecLoad(y + 3 * (ptrdiff_t)row))); // zero at pins
            if (k > begin)
                vecStore(other, vecSub(vecLoad(other), vecScale(weight, u)));
        }
        vecStore(residual + 3 * (ptrdiff_t)column, vecSub(vecLoad(residual + 3 * (ptrdiff_t)column), sum));
    }
    for (int v = nextPin(s, member->offset, member->offset + member->count); v < member->offset + member->count;
         v = nextPin(s, v + 1, member->offset + member->count))
        vecStore(rounds->residual + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
}

// J, of a member beside its rigid motion
static double vibrationOf(const System *system, const Member *member)
{
    const State *s = &system->state;
    double sum = 0;
    RigidTwist twist = { vec3(0, 0, 0), vec3(0, 0, 0) };
    Vec3 centre = member->step->frame.centre;
    if (member->step->loose)
        twist = rigidOfVelocity(system, member, s->blend, s->startVelocity);
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 arm = vecSub(vecLoad(s->blend + 3 * (ptrdiff_t)v), centre);
        Vec3 u = vecSub(vecLoad(s->startVelocity + 3 * (ptrdiff_t)v), twist.linear);
        u = member->step->loose ? vecSub(u, vecCross(twist.spin, arm)) : u;
        sum += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(u, u);
    }
    return sum;
}

// whether more rounds change anything that is seen; y is B^-1 r
static bool changesMuch(const Rounds *rounds, const Member *member)
{
    double sum = 0, scale = 2 / (rounds->stage->h * rounds->stage->h);
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += rounds->right[i] * rounds->result[i];
    return scale * sum > CHANGES * vibrationOf(rounds->system, member);
}

// target = keep target + scale change
static void addRound(const Member *member, double keep, double scale, const double *change, double *target)
{
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        target[i] = keep * target[i] + scale * change[i];
}

// From y = B^-1 r and K y: how many rounds there are, y of the first, and its residual.
static void beginRounds(const Rounds *rounds, Member *member)
{
    const State *s = &rounds->system->state;
    const Stage *stage = rounds->stage;
    double all = 0, own = 0, damping = stage->sigma * stage->theta / stage->h * member->viscousShare;
    double mass = 0, stiffness = 0, margin = inverseMassMargin(member);
    setResidual(rounds, member, 1);
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        all += rounds->result[i] * rounds->right[i];
        own += rounds->result[i] * (rounds->right[i] - rounds->residual[i]);
        mass += s->mass[i / 3] * rounds->result[i] * rounds->result[i];
        stiffness += rounds->result[i] * s->gradient[i];
    }
    double square = stiffness / (member->modal->viscosity * mass) * stage->h * stage->h; // (w hs)^2 on average
    chooseRounds(member, own / all, 0.25 * margin * minReal(maxReal(square, 0), RESOLVED * RESOLVED));
    double first = member->step->round[0], more = (member->step->over - 1) * damping;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        double image = rounds->right[i] - rounds->residual[i] + more * s->gradient[i];
        rounds->residual[i] = s->pinned[i / 3] ? 0 : rounds->right[i] - first * image;
        rounds->result[i] *= first;
    }
}

static void solveMember(void *context, Member *member, Workers *workers)
{
    Rounds *rounds = context;
    System *system = rounds->system;
    const Stage *stage = member->step->loose ? NULL : rounds->stage; // its rigid motion is taken out anyway
    int round = rounds->round, count = member->step->rounds;
    if (round == 0)
    {
        globalStepMember(system, stage, member, workers, rounds->right, rounds->result);
        member->step->rounds = count > 0 && changesMuch(rounds, member) ? count : 0;
        if (member->step->rounds == 0)
            return;
        takeMotion(system, member, workers, rounds->result);
    }
    else if (round < count)
    {
        if (round == 1)
            beginRounds(rounds, member);
        else
            setResidual(rounds, member, member->step->over);
        count = member->step->rounds;
        takeForces(system, member, workers, rounds->residual);
        globalStepMember(system, stage, member, workers, rounds->residual, rounds->change);
        takeMotion(system, member, workers, rounds->change);
        double over = round + 1 == count ? member->step->over : 1;
        addRound(member, over, over * member->step->round[round], rounds->change, rounds->result);
    }
}

// y as a rate, zero at pins and where there are no more rounds
static void setRates(const Rounds *rounds)
{
    System *system = rounds->system;
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            s->rate[i] = rounds->round < member->step->rounds && !s->pinned[i / 3] ? rounds->result[i] : 0;
    }
}

static int mostRounds(const System *system)
{
    int most = 0;
    for (int p = 0; p < system->memberCount; ++p)
        most = maxInt(most, system->member[p]->step->rounds);
    return most;
}

void dampedRestSolve(System *system, const Stage *stage, double *right, double *result, bool frozen)
{
    State *s = &system->state;
    double *kept = scratchTake(s), *residual = scratchTake(s), *change = scratchTake(s);
    Rounds rounds = { system, stage, 0, kept, residual, result, change };
    memcpy(kept, right, 3 * (size_t)s->count * sizeof(double)); // K y takes its place
    systemEachMember(system, solveMember, &rounds);
    int most = mostRounds(system);
    if (most > 0 && !frozen)
        systemFreezeRates(system, s->blend);
    for (rounds.round = 1; rounds.round < most; ++rounds.round)
    {
        setRates(&rounds);
        systemForces(system, energyIsViscous, s->blend);
        systemEachMember(system, solveMember, &rounds);
        most = mostRounds(system);
    }
    scratchGive(s, change);
    scratchGive(s, residual);
    scratchGive(s, kept);
}

// ---- where a step begins --------------------------------------------------------------------------------------------

#define SUDDEN 2.5   // times what damping in the matrix held where the last step ended, and
#define MATTERS 1e-2 // of the energy of vibration: what is more was not there before
#define STOPS 1.0    // times the kinetic energy of a motion: what damping in the matrix holds of one that ends at once

// beside the modes it has velocities that no step left, and that damping stops within a substep
static bool isSudden(const System *system, const Stage *stage, const Member *member)
{
    double held = member->step->inMatrix, before = member->step->recall.energy.inMatrix;
    return isStrong(member, stage) && held > STOPS * member->step->beside &&
           held > SUDDEN * before + MATTERS * vibrationOf(system, member);
}

// v = v - w + G^-1 M w, w that beside the modes; what it loses, damping takes
static void stopMember(System *system, Member *member, const double *right, double *result)
{
    State *s = &system->state;
    takeMotion(system, member, system->workers, result);
    double share = member->step->rounds > 0 ? 1 / member->step->over : 1, lost = 0;
    int begin = 3 * member->offset, end = begin + 3 * member->count;
    for (int i = begin; i < end; ++i)
        result[i] = s->pinned[i / 3] ? 0 : share * result[i] - right[i] / s->mass[i / 3];
    if (member->step->loose) // of a deformed body modes have some of it; momenta are those where the step begins
    {
        member->step->frame = rigidFrame(system, member, s->start);
        rigidAdd(system, member, s->start, -1, rigidOfVelocity(system, member, s->start, result), false, result);
    }
    for (int i = begin; i < end; ++i)
    {
        lost -= s->mass[i / 3] * result[i] * (s->startVelocity[i] + 0.5 * result[i]);
        s->startVelocity[i] += result[i];
    }
    member->step->stopped = lost;
}

bool dampedRestStart(System *system, const Stage *stage)
{
    State *s = &system->state;
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
        any |= isSudden(system, stage, system->member[p]);
    if (!any)
        return false;
    double *right = scratchTake(s), *result = scratchTake(s);
    memset(right, 0, 3 * (size_t)s->count * sizeof(double));
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
        if (!isSudden(system, stage, member))
            continue;
        for (int i = 0; i < 3 * member->count; ++i)
            right[first + i] = s->pinned[member->offset + i / 3] ? 0 : s->startVelocity[first + i];
        takeMotion(system, member, system->workers, right);
        for (int i = 0; i < 3 * member->count; ++i)
            right[first + i] *= s->pinned[member->offset + i / 3] ? 0 : s->mass[member->offset + i / 3];
    }
    dampedRestFits(system, stage);
    dampedRestSolve(system, stage, right, result, false);
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (isSudden(system, stage, system->member[p]))
            stopMember(system, system->member[p], right, result);
    }
    scratchGive(s, result);
    scratchGive(s, right);
    return true;
}
