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

// an attachment or contact, whose stiffness modes do not know
static bool ties(const Energy *energy)
{
    return energy->kind->majorizer != NULL && !(energy->traits & (TRAIT_INTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE)) &&
           !energyIsIdle(energy);
}

static bool isTied(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (ties(member->energy[e]))
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
    frame.axes = svd.u;
    for (int k = 0; k < 3; ++k)
        frame.quick[k] = svd.sigma[k] > FLAT * svd.sigma[0] ? 1 / sqrt(svd.sigma[k]) : 0;
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

// along and about the axes of the body, orthonormal in the masses
static void rigidProject(const State *s, const Member *member, const double *field, double q[6])
{
    const ModalFrame *frame = &member->modal->frame;
    Vec3 sum = vec3(0, 0, 0), moment = sum;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 f = vecLoad(field + 3 * (ptrdiff_t)v);
        sum = vecAdd(sum, f);
        moment = vecAdd(moment, vecCross(vecSub(vecLoad(s->stage + 3 * (ptrdiff_t)v), frame->centre), f));
    }
    Mat3 back = matTranspose(&frame->axes);
    vecStore(q, vecScale(1 / sqrt(frame->mass), sum));
    vecStore(q + 3, matApply(&back, moment));
    for (int k = 0; k < 3; ++k)
        q[3 + k] *= frame->quick[k];
}

static void rigidExpand(const State *s, const Member *member, const double q[6], double *field)
{
    const ModalFrame *frame = &member->modal->frame;
    double spin[3] = { q[3] * frame->quick[0], q[4] * frame->quick[1], q[5] * frame->quick[2] };
    Twist twist = { vecScale(1 / sqrt(frame->mass), vecLoad(q)), matApply(&frame->axes, vecLoad(spin)) };
    addTwist(s, member, twist, 1, false, field);
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

// ---- bodies that something holds ------------------------------------------------------------------------------------

// Attachments and contacts are stiff for some of the modes and not for others, and a split by masses would not be a
// bound. With B the modes and rigid motions, C = s (sum of k_i B_i^T B_i) what holds them and W = B^T A B, the step is
//
//   z = A^-1 r + B ((D^-1 + C)^-1 - W^-1) B^T r
//
// whose second part is positive, since A is above the Hessian. W from the rest shape.

// B at a vertex: modes, then along and about the axes of the body
static void motionsAt(const State *s, const Member *member, int vertex, double out[3][MODAL_TIED])
{
    const Modal *modal = member->modal;
    const ModalShape *shape = modal->shape;
    const float *turn = modal->rotation + (ptrdiff_t)(vertex / MODAL_BLOCK) * 9 * MODAL_BLOCK + vertex % MODAL_BLOCK;
    for (int k = 0; k < shape->count; ++k)
    {
        for (int a = 0; a < 3; ++a)
        {
            out[a][k] = 0;
            for (int b = 0; b < 3; ++b)
                out[a][k] += (double)turn[(3 * a + b) * MODAL_BLOCK] * modalAt(shape, k, vertex, b);
        }
    }
    if (!modal->loose)
        return;
    const ModalFrame *frame = &modal->frame;
    Vec3 r = vecSub(vecLoad(s->stage + 3 * (ptrdiff_t)(member->offset + vertex)), frame->centre);
    for (int k = 0; k < 3; ++k)
    {
        Vec3 axis = vec3(frame->axes.m[0][k], frame->axes.m[1][k], frame->axes.m[2][k]);
        double turned[3];
        vecStore(turned, vecScale(frame->quick[k], vecCross(axis, r)));
        for (int a = 0; a < 3; ++a)
        {
            out[a][shape->count + k] = (a == k) / sqrt(frame->mass);
            out[a][shape->count + 3 + k] = turned[a];
        }
    }
}

// matrix += s (sum of k_i B_i^T B_i)
static void addTies(const State *s, const Member *member, double scale, int size, double *matrix)
{
    double weights[LANES * MAX_CORNERS], row[3][MODAL_TIED];
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        int corners = energy->kind->corners;
        if (!ties(energy) || !energyIsDiagonal(energy))
            continue;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, lane = element % LANES;
            if (lane == 0 && i % corners == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            double weight = scale * weights[lane * corners + i % corners];
            int vertex = laneVertices(energy, element / LANES)[i % corners * LANES + lane];
            if (weight == 0 || s->pinned[member->offset + vertex])
                continue;
            motionsAt(s, member, vertex, row);
            for (int a = 0; a < size; ++a)
                for (int b = 0; b <= a; ++b)
                    matrix[a * size + b] +=
                        weight * (row[0][a] * row[0][b] + row[1][a] * row[1][b] + row[2][a] * row[2][b]);
        }
    }
}

// The inverse of a symmetric positive matrix (its lower triangle; destroyed), scale times of it added to `sum`. False:
// it is not.
static bool addInverse(int size, double *matrix, double scale, double *sum)
{
    for (int j = 0; j < size; ++j)
    {
        for (int i = j; i < size; ++i)
        {
            double left = matrix[i * size + j];
            for (int k = 0; k < j; ++k)
                left -= matrix[i * size + k] * matrix[j * size + k];
            if (i == j && !(left > 0))
                return false;
            matrix[i * size + j] = i == j ? sqrt(left) : left / matrix[j * size + j];
        }
    }
    double column[MODAL_TIED];
    for (int c = 0; c < size; ++c)
    {
        for (int i = 0; i < size; ++i)
        {
            column[i] = i == c;
            for (int k = 0; k < i; ++k)
                column[i] -= matrix[i * size + k] * column[k];
            column[i] /= matrix[i * size + i];
        }
        for (int i = size - 1; i >= 0; --i)
        {
            for (int k = i + 1; k < size; ++k)
                column[i] -= matrix[k * size + i] * column[k];
            column[i] /= matrix[i * size + i];
            sum[i * size + c] += scale * column[i];
        }
    }
    return true;
}

// false: its numbers allow no modes in this step
static bool tieModes(const System *system, Member *member, double s, double viscous)
{
    Modal *modal = member->modal;
    const ModalShape *shape = modal->shape;
    int count = shape->count, size = count + (modal->loose ? 6 : 0);
    double own[MODAL_TIED * MODAL_TIED] = { 0 }, bound[MODAL_TIED * MODAL_TIED];
    if (modal->loose)
        modal->frame = frameOf(&system->state, member);
    addTies(&system->state, member, s, size, own);
    memcpy(bound, own, sizeof bound);
    for (int a = 0; a < size; ++a)
    {
        for (int b = 0; b <= a && a < count; ++b)
            bound[a * size + b] += (s + viscous) * shape->bound[a * count + b];
        double turning = a >= count + 3
                             ? 2 * shape->whole * modal->frame.quick[a - count - 3] * modal->frame.quick[a - count - 3]
                             : 0;
        own[a * size + a] += a < count ? 1 / modal->gain[a] : 1 + modal->drag;
        bound[a * size + a] += 1 + modal->drag + (s + viscous) * turning;
    }
    memset(modal->joint, 0, (size_t)size * (size_t)size * sizeof(double));
    return addInverse(size, own, 1, modal->joint) && addInverse(size, bound, -1, modal->joint);
}

// result += B (joint) B^T right
static void addTied(const System *system, const Member *member, const double *right, double *result)
{
    const Modal *modal = member->modal;
    const State *s = &system->state;
    int count = modal->shape->count, size = count + (modal->loose ? 6 : 0);
    double q[MODAL_TIED] = { 0 }, p[MODAL_TIED] = { 0 };
    modalProject(modal, right + 3 * (ptrdiff_t)member->offset, NULL, system->workers, q);
    if (modal->loose)
        rigidProject(s, member, right, q + count);
    for (int a = 0; a < size; ++a)
        for (int b = 0; b < size; ++b)
            p[a] += modal->joint[a * size + b] * q[b];
    modalExpand(modal, p, NULL, system->workers, result + 3 * (ptrdiff_t)member->offset);
    if (modal->loose)
        rigidExpand(s, member, p + count, result);
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
        modal->tied = isTied(member);
        modal->used = !joined && modal->current && modal->shape->count > 0;
        modal->used = modal->used && !(modal->tied && modal->shape->bound == NULL);
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
        if (modal->tied)
            modal->used = tieModes(system, member, s, viscous);
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
        if (member->modal != NULL && member->modal->used && !member->modal->tied)
            takeOut(system, member, left);
    }
    globalStep(system, stage, left, result);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->modal == NULL || !member->modal->used)
            continue;
        if (member->modal->tied)
            addTied(system, member, right, result);
        else
            putBack(system, member, result);
    }
    scratchGive(state, left);
}

// ---- from modes -----------------------------------------------------------------------------------------------------

static bool isBound(const Energy *energy)
{
    return (energy->traits & TRAIT_INTERNAL) && !(energy->traits & TRAIT_DISSIPATIVE) && !energyIsDiagonal(energy) &&
           energy->kind->majorizer != NULL;
}

static void timesBound(const ModesRecipe *recipe, const double *x, double *y)
{
    memset(y, 0, (size_t)recipe->graph->count * 3 * sizeof(double));
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        if (isBound(recipe->energy[e]))
            energyAddMajorizerTimes(recipe->energy[e], x, y);
    }
}

bool modalShapeBind(ModalShape *shape, const Modes *modes, const ModesRecipe *recipe)
{
    int size = 3 * shape->vertices, count = shape->count;
    double *product = ALLOCATE(shape->memory, double, size);
    shape->bound = ALLOCATE(shape->memory, double, (size_t)maxInt(count, 1) * (size_t)maxInt(count, 1));
    if (product == NULL || shape->bound == NULL)
    {
        memoryRelease(shape->memory, product);
        return false;
    }
    memset(shape->bound, 0, (size_t)count * (size_t)count * sizeof(double));
    for (int a = 0; a <= modes->count; ++a)
    {
        bool last = a == modes->count; // the rest shape: its gradient is the identity, three times a turn's over two
        timesBound(recipe, last ? recipe->rest : modes->shape + (ptrdiff_t)a * size, product);
        for (int b = 0; b < modes->count && !last; ++b)
        {
            const double *u = modes->shape + (ptrdiff_t)b * size;
            double sum = 0;
            for (int i = 0; i < size; ++i)
                sum += u[i] * product[i];
            shape->bound[a * count + b] = sum;
        }
        for (int i = 0; i < size && last; ++i)
            shape->whole += recipe->rest[i] * product[i] / 3;
    }
    memoryRelease(shape->memory, product);
    return true;
}
