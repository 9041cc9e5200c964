// What joints leave free of the velocities of a group of bodies: bonds, attachments and contacts between them, each a
// spring of d = sum c_a x_a. Where it turns its vertices within a small part of the step, (h/2)^2 k (sum c^2/m) > HELD,
// d keeps still along it; softer springs are part of the stiffness of the group. The velocity that is nearest to u and
// leaves d still is found by conjugate gradient on
//
//   (M + sum c k' c^T) u' = M u,   k' = FIRM / (sum c^2/m) along what is held,
//
// whose matrix is 1 but for the held directions, all nearly alike: few iterations.
#include "integrate/integrate.h"

#include "energy/link.h"

#include <string.h>

#define HELD 100.0  // (h/2)^2 k (sum c^2/m), of what holds
#define TOUCHES 1.0 // likewise, of a contact along which nothing slides
#define SOFT 1e-3   // likewise: of what is no joint at all
#define FIRM 1e4    // 1: stiffness that stands for what holds, over the masses
#define MOST 60     // iterations
#define LEFT 1e-10  // of the square of the residual: where they may end
#define RUBS 1e-9   // of the stiffness along the normal: that across it, where there is friction
#define SLIDES 0.25 // as of contacts with colliders (free_directions.c)

// ---- joints ---------------------------------------------------------------------------------------------------------

static Vec3 apart(const Energy *energy, int element, const Coupling *coupling, const double *u)
{
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < energy->kind->corners; ++c)
        sum = vecAdd(sum, vecScale(coupling->share[c], vecLoad(u + 3 * (ptrdiff_t)vertex[c * LANES])));
    return sum;
}

static Vec3 blockApply(const double *block, Vec3 d)
{
    return vec3(block[0] * d.x + block[1] * d.y + block[2] * d.z, block[3] * d.x + block[4] * d.y + block[5] * d.z,
                block[6] * d.x + block[7] * d.y + block[8] * d.z);
}

// What of a displacement between two bodies is held, and how stiff the rest is; false: the joint does nothing. What
// slides of the velocity is added to the slip of the first member.
static bool readJoint(System *system, const Term *term, int element, const double *hessian, double h)
{
    const State *s = &system->state;
    const Energy *energy = term->energy;
    Coupling *coupling = &term->coupling[element];
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    int corners = energy->kind->corners;
    double inverse = 0, first = coupling->share[0] * coupling->share[0];
    for (int c = 0; c < corners; ++c)
    {
        int v = vertex[c * LANES];
        inverse += s->pinned[v] ? 0 : coupling->share[c] * coupling->share[c] / s->mass[v];
    }
    memset(coupling->held, 0, sizeof coupling->held);
    memset(coupling->soft, 0, sizeof coupling->soft);
    Mat3 stiffness;
    for (int i = 0; i < 9; ++i)
        stiffness.m[i / 3][i % 3] = hessian[i / 3 * 3 * corners + i % 3] / first;
    Svd3 svd = svd3(&stiffness);
    Mat3 axes = matTranspose(&svd.u);
    double turn = 0.25 * h * h * inverse;
    Vec3 slip = apart(energy, element, coupling, s->velocity);
    for (int k = 0; k < 3; ++k)
    {
        Vec3 axis = vecLoad(axes.m[k]);
        bool holds = turn * svd.sigma[k] > HELD;
        for (int i = 0; i < 9; ++i)
        {
            double along = axes.m[k][i / 3] * axes.m[k][i % 3];
            coupling->held[i] += holds ? FIRM / inverse * along : 0;
            coupling->soft[i] += holds ? 0 : svd.sigma[k] * along;
        }
        if (turn * svd.sigma[k] > TOUCHES)
            slip = vecSub(slip, vecScale(vecDot(slip, axis), axis));
    }
    Krylov *krylov = &system->member[coupling->member[0]]->step->krylov;
    bool rubs = energy->kind != &linkKind && turn * svd.sigma[0] > TOUCHES && svd.sigma[1] > RUBS * svd.sigma[0];
    krylov->slip = rubs ? vecAdd(krylov->slip, slip) : krylov->slip;
    krylov->contacts += rubs;
    return turn * svd.sigma[0] > SOFT;
}

static bool isJoint(const Term *term)
{
    return term->coupling != NULL && !term->energy->off && !(term->energy->traits & TRAIT_DISSIPATIVE) &&
           term->energy->kind->hessian != NULL;
}

static int leaderOf(const System *system, int member)
{
    while (system->member[member]->step->krylov.group != member)
        member = system->member[member]->step->krylov.group;
    return member;
}

static void join(System *system, int a, int b)
{
    a = leaderOf(system, a);
    b = leaderOf(system, b);
    system->member[maxInt(a, b)]->step->krylov.group = minInt(a, b);
}

// every member knows the first of its group, and the next
static void listGroups(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->krylov.group = leaderOf(system, p);
    for (int p = system->memberCount - 1; p >= 0; --p)
    {
        Krylov *k = &system->member[p]->step->krylov, *first = &system->member[k->group]->step->krylov;
        if (k == first)
            continue;
        k->next = first->next;
        first->next = p;
    }
}

// ---- sliding --------------------------------------------------------------------------------------------------------

// Bodies that slide on each other are left alone, as those that slide on colliders are.
static void findSliding(const System *system, int leader)
{
    const State *s = &system->state;
    Vec3 mean = vec3(0, 0, 0), slip = vec3(0, 0, 0);
    double square = 0;
    int count = 0, contacts = 0;
    for (int p = leader; p >= 0; p = system->member[p]->step->krylov.next)
    {
        const Member *member = system->member[p];
        slip = vecAdd(slip, member->step->krylov.slip);
        contacts += member->step->krylov.contacts;
        count += member->count;
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
            mean = vecAdd(mean, u);
            square += vecDot(u, u);
        }
    }
    square = square / count - vecDot(mean, mean) / count / count; // of the velocities beside their mean
    if (contacts > 0)
        system->member[leader]->step->krylov.slides |= vecDot(slip, slip) > SLIDES * square * contacts * contacts;
}

void jointDirectionsFind(System *system, double h, FreeDirections *free)
{
    const State *s = &system->state;
    double hessians[LANES * 9 * JOINT_CORNERS * JOINT_CORNERS];
    free->joined = false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->krylov = (Krylov){ .group = p, .next = -1 };
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        const Energy *energy = term->energy;
        int width = 3 * energy->kind->corners;
        for (int e = 0; isJoint(term) && e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->hessian(energy, s->position, e / LANES, HESSIAN_SEMIDEFINITE, hessians);
            if (energy->kind == &linkKind)
                linkShares(energy, e, s->position, term->coupling[e].share);
            if (!readJoint(system, term, e, hessians + (ptrdiff_t)(e % LANES) * width * width, h))
                continue;
            free->joined = true;
            for (int c = 0; c < energy->kind->corners; ++c)
                join(system, term->coupling[e].member[0], term->coupling[e].member[c]);
        }
    }
    if (!free->joined)
        return;
    listGroups(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->step->krylov.group == p)
            findSliding(system, p);
    }
}

// y += sum c B c^T u, B what is held or what is soft
static void addJoints(const System *system, bool held, const double *u, double *y)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        const Energy *energy = term->energy;
        for (int e = 0; isJoint(term) && e < energy->elementCount; ++e)
        {
            const Coupling *coupling = &term->coupling[e];
            const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
            Vec3 pull = blockApply(held ? coupling->held : coupling->soft, apart(energy, e, coupling, u));
            for (int c = 0; c < energy->kind->corners; ++c)
            {
                double *target = y + 3 * (ptrdiff_t)vertex[c * LANES];
                vecStore(target, vecAdd(vecLoad(target), vecScale(coupling->share[c], pull)));
            }
        }
    }
}

void jointDirectionsPull(const System *system, const FreeDirections *free, const double *u, double *force)
{
    if (free->joined)
        addJoints(system, false, u, force);
}

// ---- the nearest velocity -------------------------------------------------------------------------------------------

// what neither pins nor colliders hold of a velocity
static void takeFree(const State *s, const FreeDirections *free, double *u)
{
    for (int v = 0; v < s->count; ++v)
        vecStore(u + 3 * (ptrdiff_t)v, freeDirectionsTake(s, free, v, vecLoad(u + 3 * (ptrdiff_t)v)));
}

static double product(const State *s, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// z = M^-1 r of what is free
static double precondition(const State *s, const FreeDirections *free, const double *r, double *z)
{
    for (int i = 0; i < 3 * s->count; ++i)
        z[i] = r[i] / s->mass[i / 3];
    takeFree(s, free, z);
    return product(s, r, z);
}

void jointDirectionsTake(System *system, const FreeDirections *free, double *u)
{
    State *s = &system->state;
    takeFree(s, free, u);
    if (!free->joined)
        return;
    double *r = scratchTake(s), *z = scratchTake(s), *d = scratchTake(s);
    size_t size = 3 * (size_t)s->count * sizeof(double);
    memset(r, 0, size);
    addJoints(system, true, u, r);
    for (int i = 0; i < 3 * s->count; ++i)
        r[i] = -r[i];
    double square = precondition(s, free, r, z), first = square;
    memcpy(d, z, size);
    for (int n = 0; n < MOST && square > LEFT * first && square > 0; ++n)
    {
        for (int i = 0; i < 3 * s->count; ++i)
            z[i] = s->mass[i / 3] * d[i];
        addJoints(system, true, d, z);
        double along = square / product(s, d, z), before = square;
        for (int i = 0; i < 3 * s->count; ++i)
        {
            u[i] += along * d[i];
            r[i] -= along * z[i];
        }
        square = precondition(s, free, r, z);
        for (int i = 0; i < 3 * s->count; ++i)
            d[i] = z[i] + square / before * d[i];
    }
    scratchGive(s, d);
    scratchGive(s, z);
    scratchGive(s, r);
}
