// What contacts leave free of the velocities of vertices: a spring of contact holds its vertex along its normal, and
// where friction sticks across it, if it turns the vertex within a small part of the step.
#include "contact/contact.h"
#include "integrate/integrate.h"

#include <string.h>

#define HELD 100.0  // (h/2)^2 k/m, of a contact that holds its vertex; softer ones are part of the stiffness
#define TOUCHES 1.0 // likewise, of one along which nothing slides
#define RUBS 1e-9   // of the stiffness along the normal: that across it, where there is friction
#define CORNERS 4   // of an element of contact, at most
#define SLIDES 0.25 // of the mean square of the velocities: that of the mean along what holds

static Vec3 symmetricApply(const double *d, const double *b, Vec3 u)
{
    return vec3(d[0] * u.x + b[2] * u.y + b[1] * u.z, b[2] * u.x + d[1] * u.y + b[0] * u.z,
                b[1] * u.x + b[0] * u.y + d[2] * u.z);
}

Vec3 freeDirectionsTake(const State *s, const FreeDirections *free, int v, Vec3 u)
{
    ptrdiff_t i = 3 * (ptrdiff_t)v;
    if (s->pinned[v])
        return vec3(0, 0, 0);
    return free->all ? u : symmetricApply(free->diagonal + i, free->beside + i, u);
}

void freeDirectionsPull(const System *system, const FreeDirections *free, const double *u, double *force)
{
    for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)system->state.count && !free->all; i += 3)
    {
        Vec3 pull = symmetricApply(free->softDiagonal + i, free->softBeside + i, vecLoad(u + i));
        vecStore(force + i, vecAdd(vecLoad(force + i), pull));
    }
    jointDirectionsPull(system, free, u, force);
}

// the stiffness of one contact at its vertices, N/m
static void addStiffness(const Energy *energy, int element, const double *hessian, double *diagonal, double *beside)
{
    int width = 3 * energy->kind->corners;
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    for (int c = 0; c < energy->kind->corners; ++c)
    {
        const double *block = hessian + 3 * c * (width + 1);
        ptrdiff_t v = 3 * (ptrdiff_t)vertex[c * LANES];
        for (int k = 0; k < 3; ++k)
        {
            diagonal[v + k] += block[k * (width + 1)];
            beside[v + k] += block[(k + 1) % 3 * width + (k + 2) % 3];
        }
    }
}

static bool isContact(const Energy *energy)
{
    return energy->kind->column == COLUMN_CONTACT && !(energy->traits & TRAIT_DISSIPATIVE) &&
           energy->kind->hessian != NULL && energy->kind->corners <= CORNERS;
}

typedef struct Leaning
{
    bool rubs, held;
    Vec3 slip; // m/s
} Leaning;

// The stiffness at a vertex becomes the matrix that takes out what it holds, and what is left of it. `unit`: N/m, that
// turns the vertex once in half a step
static Leaning keepFree(const FreeDirections *free, int v, double unit, Vec3 u)
{
    ptrdiff_t at = 3 * (ptrdiff_t)v;
    double *diagonal = free->diagonal + at, *beside = free->beside + at;
    double *softDiagonal = free->softDiagonal + at, *softBeside = free->softBeside + at;
    Mat3 stiffness = { { { diagonal[0], beside[2], beside[1] },
                         { beside[2], diagonal[1], beside[0] },
                         { beside[1], beside[0], diagonal[2] } } };
    Svd3 svd = svd3(&stiffness);
    Mat3 axes = matTranspose(&svd.u);
    for (int k = 0; k < 3; ++k)
    {
        diagonal[k] = 1;
        beside[k] = softDiagonal[k] = softBeside[k] = 0;
    }
    for (int e = 0; e < 3; ++e)
    {
        bool holds = svd.sigma[e] > HELD * unit;
        double *on = holds ? diagonal : softDiagonal, *off = holds ? beside : softBeside;
        double scale = holds ? -1 : svd.sigma[e];
        for (int k = 0; k < 3; ++k)
        {
            on[k] += scale * axes.m[e][k] * axes.m[e][k];
            off[k] += scale * axes.m[e][(k + 1) % 3] * axes.m[e][(k + 2) % 3];
        }
        if (svd.sigma[e] > TOUCHES * unit)
            u = vecSub(u, vecScale(vecDot(u, vecLoad(axes.m[e])), vecLoad(axes.m[e])));
    }
    bool rubs = svd.sigma[0] > TOUCHES * unit && svd.sigma[1] > RUBS * svd.sigma[0];
    return (Leaning){ .rubs = rubs, .held = svd.sigma[0] > HELD * unit, .slip = u };
}

static void addContacts(System *system, bool outer, FreeDirections *free)
{
    const double *position = system->state.position;
    double hessians[LANES * 9 * CORNERS * CORNERS];
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        ptrdiff_t first = 3 * (ptrdiff_t)system->term[t].first;
        int size = 9 * energy->kind->corners * energy->kind->corners;
        if (!isContact(energy) || contactIsKind(energy->kind) != outer || system->term[t].coupling != NULL)
            continue;
        for (int e = 0; e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->hessian(energy, position + first, e / LANES, HESSIAN_SEMIDEFINITE, hessians);
            addStiffness(energy, e, hessians + e % LANES * size, free->diagonal + first, free->beside + first);
        }
    }
}

// Which vertices of a member contacts hold. One that slides on them is left alone: friction and the shear that it
// causes are no vibration of a body that lies still, and a cube would slide 5 % too far
static void findHeld(const System *system, double h, const Member *member, FreeDirections *free)
{
    const State *s = &system->state;
    Krylov *krylov = &system->member[member->step->krylov.group]->step->krylov;
    Vec3 slip = vec3(0, 0, 0);
    double square = 0;
    int count = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 u = vecLoad(s->velocity + i);
        square += vecDot(u, u) / member->count;
        krylov->leans |= free->diagonal[i] + free->diagonal[i + 1] + free->diagonal[i + 2] > 0;
        Leaning leaning = keepFree(free, v, 4 * s->mass[v] / (h * h), u);
        krylov->held |= leaning.held;
        slip = leaning.rubs ? vecAdd(slip, leaning.slip) : slip;
        count += leaning.rubs;
    }
    krylov->slides |= count > 0 && vecDot(slip, slip) > SLIDES * square * count * count;
}

void freeDirectionsFind(System *system, double h, FreeDirections *free)
{
    State *s = &system->state;
    free->all = !resolveTouches(system, s->position, 1);
    jointDirectionsFind(system, h, free);
    if (free->all)
        return;
    memset(free->diagonal, 0, 3 * (size_t)s->count * sizeof(double));
    memset(free->beside, 0, 3 * (size_t)s->count * sizeof(double));
    addContacts(system, false, free);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            system->member[member->step->krylov.group]->step->krylov.slides |= free->diagonal[i] > 0;
    }
    addContacts(system, true, free);
    for (int p = 0; p < system->memberCount; ++p)
        findHeld(system, h, system->member[p], free);
}
