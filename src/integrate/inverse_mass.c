// The inverse mass of small-midpoint: what turns the gradient g of the energy into minus an acceleration d.
//
//   B   = M + (1 + margin) hs^2/4 L                     the prefactored matrix
//   d   = B^-1 (g - M RU q) + RU (D q - U^T R^T M d),   q = U^T R^T g
//
// U are the lowest rest modes, turned by R to where the body is (solve/modal.h), D_k = sin^2(a)/a^2, a = w_k hs/2: each
// of them keeps its frequency w_k exactly. Of a body that nothing ties, the rigid part of g moves the body by its mass
// and inertia alone, and d has no other rigid part: both momenta follow the forces to rounding. Symmetric and positive,
// whatever R is.
#include "integrate/integrate.h"

#include <string.h>

#define MARGIN 0.3         // of L: modes that deform couple with the rest, and the coupling needs this
#define MOST_TORN 0.02     // of the volume, turned against its surroundings: modes turned by means say nothing there
#define LEAST_CROSSED 0.03 // of a sheet, by a wave in a substep: below it B alone swings and waves right to 1 %

// ---- what is exact in a step ----------------------------------------------------------------------------------------

double inverseMassDrag(const State *s, const Member *member, const Stage *stage)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->kind == &dragKind)
            return 1 + stage->sigma * stage->theta / stage->h * energyGetParam(member->energy[e], 0, 0) /
                           s->mass[member->offset];
    }
    return 1;
}

// Projective energies are below their majorizer everywhere, and need none; but for modes and smooth functions.
double inverseMassMargin(const Member *member)
{
    if (member->smooth != NULL && member->smooth->used)
        return SMOOTH_MARGIN;
    if (member->modal != NULL && member->modal->shape->count > 0)
        return 1 + MARGIN;
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool elastic = (energy->traits & TRAIT_INTERNAL) && !(energy->traits & TRAIT_DISSIPATIVE);
        if (elastic && energy->kind->majorizer != NULL && !(energy->traits & TRAIT_PROJECTIVE))
            return 1 + MARGIN;
    }
    return 1;
}

// ---- what holds a member --------------------------------------------------------------------------------------------

#define RIGID 6
#define HELD_MOST (MODAL_MOST + RIGID)
#define HELD_LIMIT 0.5 // (w hs/2)^2 of exact motion on what holds the body, at most: it is taken explicitly there

// the motions that would be exact, at a vertex: rigid ones, modes; orthonormal in the masses, nearly
static int motionsAt(const State *s, const Member *member, int vertex, double out[3][HELD_MOST])
{
    const RigidFrame *frame = &member->step->frame;
    double arm[3], linear = 1 / sqrt(frame->mass);
    vecStore(arm, vecSub(vecLoad(s->start + 3 * (ptrdiff_t)(member->offset + vertex)), frame->centre));
    for (int axis = 0; axis < 3; ++axis)
    {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        double angular = sqrt(maxReal(frame->inverse.m[axis][axis], 0));
        out[axis][axis] = linear;
        out[next][axis] = out[last][axis] = 0;
        out[axis][3 + axis] = 0;
        out[next][3 + axis] = -angular * arm[last];
        out[last][3 + axis] = angular * arm[next];
    }
    const ModalShape *shape = member->modal->shape;
    for (int i = 0; i < 3 * shape->count; ++i)
        out[i % 3][RIGID + i / 3] = modalAt(shape, i / 3, vertex, i % 3);
    return RIGID + shape->count;
}

// 1/s^2: the largest eigenvalue of a small matrix that is not negative, from below
static double largestOf(int size, double *matrix)
{
    double x[HELD_MOST], y[HELD_MOST], value = 0;
    for (int i = 0; i < size; ++i)
        x[i] = 1 + 0.1 * (i % 7);
    for (int turn = 0; turn < 20; ++turn)
    {
        double square = 0, norm = 0;
        for (int i = 0; i < size; ++i)
        {
            y[i] = 0;
            for (int j = 0; j < size; ++j)
                y[i] += matrix[i * HELD_MOST + j] * x[j];
            square += y[i] * y[i];
            norm += x[i] * x[i];
        }
        if (!(square > 0))
            return value;
        value = sqrt(square / norm);
        for (int i = 0; i < size; ++i)
            x[i] = y[i] / sqrt(square);
    }
    return value;
}

// matrix += weight x what a spring at this vertex is for the exact motions; returns how many there are
static int addHold(const State *s, const Member *member, int vertex, double weight, double *matrix)
{
    double row[3][HELD_MOST];
    int size = motionsAt(s, member, vertex, row);
    for (int a = 0; a < 3 * size; ++a)
    {
        double part = weight * row[a % 3][a / 3];
        for (int b = 0; b < size; ++b)
            matrix[a / 3 * HELD_MOST + b] += part * row[a % 3][b];
    }
    return size;
}

// 1/s^2: how stiff attachments and contacts are for the exact motions, beside the attachments that modes know
static double heldRate(const State *s, const Member *member)
{
    double matrix[HELD_MOST * HELD_MOST] = { 0 }, weights[LANES * MAX_CORNERS];
    const double *tie = member->modal->shape->tie;
    int size = 0;
    for (int v = 0; v < member->count && tie != NULL; ++v)
    {
        if (tie[v] > 0 && !s->pinned[member->offset + v])
            size = addHold(s, member, v, -tie[v], matrix);
    }
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool holds = !(energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE));
        if (!holds || energy->kind->majorizer == NULL || energyIsIdle(energy))
            continue;
        if (!energyIsDiagonal(energy))
            return INFINITY;
        int corners = energy->kind->corners;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, corner = i % corners, lane = element % LANES;
            if (corner == 0 && lane == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            double weight = weights[lane * corners + corner];
            int vertex = laneVertices(energy, element / LANES)[corner * LANES + lane];
            if (weight == 0 || s->pinned[member->offset + vertex])
                continue;
            size = addHold(s, member, vertex, weight, matrix);
        }
    }
    return largestOf(size, matrix);
}

// something beside attachments holds it
static bool touches(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool holds = !(energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE));
        if (holds && energy->kind != &attachmentKind && !energyIsIdle(energy))
            return true;
    }
    return false;
}

static void holdSmooth(Member *member)
{
    double weights[LANES];
    Smooth *smooth = member->smooth;
    memset(smooth->hold, 0, (size_t)(smooth->count * smooth->count) * sizeof(double));
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        for (int i = 0; i < energy->elementCount && energy->kind == &attachmentKind && !energyIsIdle(energy); ++i)
        {
            if (i % LANES == 0)
                energy->kind->majorizer(energy, i / LANES, weights);
            smoothHold(smooth, laneVertices(energy, i / LANES)[i % LANES], weights[i % LANES]);
        }
    }
}

void inverseMassBegin(System *system, bool modes)
{
    joinedBegin(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Modal *modal = member->modal;
        bool joined = member->step->joined.group >= 0;
        // what holds one piece is not told from what holds another, but where the law of contact pushes it
        member->step->apart = member->step->pieces != NULL && !joined && !memberIsHeld(member) && !touches(member);
        if (member->step->apart)
            apartBegin(&system->state, member);
        member->step->loose = !joined && !member->step->apart && memberIsFree(system, p);
        member->step->tied = memberIsTied(&system->state, member);
        if (member->smooth != NULL)
        {
            // hard contacts count too: smooth functions are far lighter than what the law expects of B
            member->smooth->keeps = !joined && smoothExists(member->smooth) && !touches(member) &&
                                    system->contacts.near == 0 && system->proximity == NULL;
            member->smooth->used = modes && member->smooth->keeps;
        }
        if (modal == NULL)
            continue;
        bool held = memberIsHeld(member), pinned = memberIsPinned(&system->state, member);
        modal->heldRate = 0;
        if (held && !joined)
        {
            member->step->frame = rigidFrame(system, member, system->state.start);
            modal->heldRate = heldRate(&system->state, member);
        }
        bool tied = modal->shape->tie != NULL; // joined bodies count what holds them beside their free modes
        modal->used = modes && modal->current && modal->shape->count > 0 && !member->step->joined.stiff;
        modal->used = modal->used && !(joined && tied);
        modal->loose = !joined && !pinned && !tied;
        modal->warm = modal->torn = false;
    }
}

static void beginSmooth(const System *system, const Stage *stage, Member *member)
{
    const State *s = &system->state;
    Smooth *smooth = member->smooth;
    double crossed = stage->h * member->step->waves;
    smooth->used = smooth->used && crossed > LEAST_CROSSED;
    if (!smooth->used)
        return;
    holdSmooth(member);
    smooth->every = smoothLasting(smooth, s->startVelocity + 3 * (ptrdiff_t)member->offset, s->mass + member->offset,
                                  stage->h, system->workers);
}

// what of the stiffness of modes is damped
static void findElastic(Modal *modal)
{
    const ModalShape *shape = modal->shape;
    for (int k = 0; k < shape->count; ++k)
    {
        double held = 0;
        for (int i = 0; i < 3 * shape->vertices && shape->tie != NULL; ++i)
        {
            double u = modalAt(shape, k, i / 3, i % 3);
            held += shape->tie[i / 3] * u * u;
        }
        modal->elastic[k] = maxReal(shape->square[k] - held, 0);
    }
    modal->elasticKnown = true;
}

static void setGains(const System *system, const Stage *stage, Member *member)
{
    Modal *modal = member->modal;
    if (modal == NULL || !modal->used)
        return;
    double drag = 1 / inverseMassDrag(&system->state, member, stage),
           beta = system->dampedInside ? system->dampedTimes * modal->viscosity : 0;
    if (!modal->elasticKnown)
        findElastic(modal);
    for (int k = 0; k < modal->shape->count; ++k)
    {
        double square = modal->shape->square[k],
               share = isfinite(square) && square > 0 ? modal->elastic[k] / square : 0;
        ModeGain gain = modeGain(square, stage->h, beta * share);
        modal->undamped[k] = gain.undamped * drag;
        modal->gain[k] = gain.force * drag;
        modal->viscousGain[k] = gain.damping * drag;
    }
}

void inverseMassStage(System *system, const Stage *stage, int count)
{
    double quarter = 0.25 * stage->h * stage->h;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Modal *modal = member->modal;
        if (member->smooth != NULL)
            beginSmooth(system, stage, member);
        member->step->joined.drag = inverseMassDrag(&system->state, member, stage);
        if (modal == NULL)
            continue;
        bool soft = quarter * modal->heldRate <= HELD_LIMIT;
        modal->used = modal->used && soft;
        member->step->loose = modal->loose && soft && !member->step->apart;
    }
    system->dampedInside = dampingFits(system, stage);
    bool touches = system->contacts.near > 0 || system->proximity != NULL; // rows of contacts know one gain of a mode
    system->dampedTurns = system->dampedInside && !touches ? dampingTurns(system, stage, count) : count;
    system->dampedTimes = (double)count / system->dampedTurns;
    for (int p = 0; p < system->memberCount; ++p)
        setGains(system, stage, system->member[p]);
}

bool systemUsesModes(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->modal != NULL && system->member[p]->modal->used)
            return true;
    }
    return false;
}

bool systemMovesExactly(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->modal == NULL || !system->member[p]->modal->used)
            return false;
    }
    return true;
}

bool systemIsTorn(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->modal != NULL && system->member[p]->modal->torn)
            return true;
    }
    return false;
}

bool systemUsesSmooth(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->smooth != NULL && system->member[p]->smooth->used)
            return true;
    }
    return false;
}

// ---- the operator ---------------------------------------------------------------------------------------------------

typedef struct Operation
{
    System *system;
    const Stage *stage;
    const double *position;
    int substep;
    double *right, *result;
    bool rests;            // damping of strain rates does not act in this substep, but in others
    bool damps;            // with damping of strain rates:
    const double *viscous; //   count x 3, N: forces of dampers beside `right`, or NULL: they are in it
} Operation;

static void turnMember(void *context, Member *member, Workers *workers)
{
    const Operation *o = context;
    if (member->step->loose)
        member->step->frame = rigidFrame(o->system, member, o->position);
    apartTurn(o->system, member, o->position);
    if (member->smooth != NULL && member->smooth->used && o->substep % member->smooth->every == 0)
        smoothTurn(member->smooth, o->position + 3 * (ptrdiff_t)member->offset,
                   0.25 * o->stage->h * o->stage->h + 0.5 * o->stage->h * member->viscousTime,
                   inverseMassDrag(&o->system->state, member, o->stage), workers);
    Modal *modal = member->modal;
    if (modal == NULL || !modal->used)
        return;
    bool first = !modal->warm;
    modalTurn(modal, o->position + 3 * (ptrdiff_t)member->offset, workers);
    if (member->step->joined.group < 0)
        modalFlatten(modal, o->stage->h, workers);
    modal->torn = first && modalTorn(modal, workers) > MOST_TORN;
    modal->used = !modal->torn;
}

void inverseMassTurn(System *system, const Stage *stage, int substep, const double *position)
{
    Operation operation = { .system = system, .stage = stage, .position = position, .substep = substep };
    systemEachMember(system, turnMember, &operation);
    if (system->links != NULL)
        joinedTurn(system, stage, position);
}

// forces of dampers, beside the others; what of them is along the modes is kept in the member
static void addViscous(const Operation *o, Member *member, Workers *workers)
{
    const State *s = &o->system->state;
    Modal *modal = member->modal != NULL && member->modal->used ? member->modal : NULL;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    double scale = o->stage->sigma * o->stage->theta;
    for (int k = 0; modal != NULL && k < modal->shape->count; ++k)
    {
        double rate = o->damps && o->viscous == NULL ? dampingRate(o->system, modal, k) : 0;
        modal->viscous[k] = rate > 0 && isfinite(rate) ? scale * rate * modal->rate[k] : 0;
    }
    if (o->viscous == NULL)
        return;
    for (ptrdiff_t i = first; i < first + 3 * (ptrdiff_t)member->count; ++i)
        o->right[i] += s->pinned[i / 3] ? 0 : scale * o->viscous[i];
    if (modal == NULL)
        return;
    modalProject(modal, o->viscous + first, NULL, workers, modal->viscous);
    for (int k = 0; k < modal->shape->count; ++k)
        modal->viscous[k] *= scale;
}

// out of the forces: the rigid part, kept in the member, and then that along the modes
static void splitForces(const System *system, Member *member, Workers *workers, double *right)
{
    const State *s = &system->state;
    const double *position = s->blend;
    if (member->step->loose)
    {
        member->step->twist = rigidOfForces(system, member, position, right);
        rigidAdd(system, member, position, -1, member->step->twist, true, right);
    }
    apartTakeForces(system, member, right);
    if (member->smooth != NULL && member->smooth->used)
        smoothProject(member->smooth, right + 3 * (ptrdiff_t)member->offset, NULL, workers, member->smooth->force);
    Modal *modal = member->modal;
    if (modal == NULL || !modal->used)
        return;
    double *own = right + 3 * (ptrdiff_t)member->offset, minus[MODAL_MOST];
    modalProject(modal, own, NULL, workers, modal->force);
    for (int k = 0; k < modal->shape->count; ++k)
        minus[k] = -modal->force[k];
    modalExpand(modal, minus, s->mass + member->offset, workers, own);
}

static void joinMotion(const Operation *o, Member *member, Workers *workers)
{
    const System *system = o->system;
    const State *s = &system->state;
    double *result = o->result;
    const double *position = s->blend;
    Modal *modal = member->modal;
    if (modal != NULL && modal->used)
    {
        double *own = result + 3 * (ptrdiff_t)member->offset, have[MODAL_MOST];
        modalProject(modal, own, s->mass + member->offset, workers, have);
        for (int k = 0; k < modal->shape->count; ++k)
            have[k] = (o->rests ? modal->undamped[k] : modal->gain[k]) * modal->force[k] +
                      (modal->viscousGain[k] - modal->gain[k]) * modal->viscous[k] - have[k];
        modalExpand(modal, have, NULL, workers, own);
        modal->loss = o->damps ? dampingOfModes(system, modal, o->stage->h, o->viscous == NULL) : modal->loss;
    }
    if (member->smooth != NULL && member->smooth->used)
    {
        double move[3 * SMOOTH_MOST];
        smoothMove(member->smooth, member->smooth->force, move);
        smoothExpand(member->smooth, move, workers, result + 3 * (ptrdiff_t)member->offset);
    }
    if (!member->step->loose && !member->step->apart)
        return;
    double drag = 1 / inverseMassDrag(s, member, o->stage);
    apartGiveMotion(system, member, drag, result);
    if (!member->step->loose)
        return;
    RigidTwist excess = rigidOfVelocity(system, member, position, result);
    RigidTwist missing = { vecSub(vecScale(drag, member->step->twist.linear), excess.linear),
                           vecSub(vecScale(drag, member->step->twist.spin), excess.spin) };
    rigidAdd(system, member, position, 1, missing, false, result);
}

static bool isZero(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (values[i] != 0)
            return false;
    }
    return true;
}

static void applyMember(void *context, Member *member, Workers *workers)
{
    const Operation *o = context;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    if (member->step->joined.group >= 0)
        return;
    addViscous(o, member, workers);
    if (!o->damps && isZero(o->right + first, 3 * member->count)) // most bodies of an island, when few contacts press
    {
        memset(o->result + first, 0, 3 * (size_t)member->count * sizeof(double));
        member->step->twist = (RigidTwist){ vec3(0, 0, 0), vec3(0, 0, 0) };
        return;
    }
    splitForces(o->system, member, workers, o->right);
    // of a loose member joinMotion takes the whole rigid motion out
    globalStepMember(o->system, member->step->loose ? NULL : o->stage, member, workers, o->right, o->result);
    joinMotion(o, member, workers);
}

static void apply(Operation *o)
{
    systemEachMember(o->system, applyMember, o);
    if (o->system->links != NULL)
        joinedMass(o->system, o->stage, o->right, o->result);
}

void inverseMass(System *system, const Stage *stage, double *right, double *result)
{
    apply(&(Operation){ .system = system, .stage = stage, .right = right, .result = result });
}

static void splitMember(void *context, Member *member, Workers *workers)
{
    const Operation *o = context;
    addViscous(o, member, workers);
    splitForces(o->system, member, workers, o->right);
}

static void joinMember(void *context, Member *member, Workers *workers)
{
    joinMotion(context, member, workers);
}

void inverseMassDamped(System *system, const Stage *stage, double *right, const double *viscous, bool acts,
                       double *result)
{
    Operation o = { .system = system,
                    .stage = stage,
                    .right = right,
                    .result = result,
                    .rests = system->dampedInside && !acts,
                    .damps = system->dampedInside && acts,
                    .viscous = viscous };
    if (!o.damps || !dampedRestFits(system, stage))
    {
        apply(&o);
        return;
    }
    systemEachMember(system, splitMember, &o);
    dampedRestSolve(system, stage, right, result, viscous != NULL);
    systemEachMember(system, joinMember, &o);
}

void inverseMassKept(System *system, const Stage *stage, double *right, double *result)
{
    double *copy = scratchTake(&system->state);
    memcpy(copy, right, (size_t)system->state.count * 3 * sizeof(double));
    inverseMass(system, stage, copy, result);
    scratchGive(&system->state, copy);
}

typedef struct Rest
{
    System *system;
    double *velocity; // count x 3, m/s
} Rest;

static void restOfMember(void *context, Member *member, Workers *workers)
{
    const Rest *rest = context;
    const State *s = &rest->system->state;
    double *own = rest->velocity + 3 * (ptrdiff_t)member->offset, q[MODAL_MOST];
    if (member->step->loose)
        rigidAdd(rest->system, member, s->blend, -1, rigidOfVelocity(rest->system, member, s->blend, rest->velocity),
                 false, rest->velocity);
    apartRemove(rest->system, member, s->blend, rest->velocity);
    if (member->modal == NULL || !member->modal->used || member->step->joined.group >= 0)
        return;
    modalProject(member->modal, own, s->mass + member->offset, workers, q);
    for (int k = 0; k < member->modal->shape->count; ++k)
        q[k] = -q[k];
    modalExpand(member->modal, q, NULL, workers, own);
}

void inverseMassRest(System *system, double *rest)
{
    const State *s = &system->state;
    Rest context = { system, rest };
    memcpy(rest, s->velocity, (size_t)s->count * 3 * sizeof(double));
    systemEachMember(system, restOfMember, &context);
    if (system->links != NULL)
        joinedRest(system, rest);
}
