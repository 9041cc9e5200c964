// What contacts leave free of the velocities of vertices: a spring of contact holds its vertex along its normal, and
// where friction sticks across it, if it turns the vertex within a step.
#include "contact/contact.h"
#include "integrate/integrate.h"

#include <string.h>

#define HELD 1.0    // (h/2)^2 k/m, of a contact that holds its vertex
#define CORNERS 4   // of an element of contact, at most
#define SLIDES 0.25 // of the mean square of the velocities: that of the mean along what holds

Vec3 freeDirectionsTake(const State *s, const FreeDirections *free, int v, Vec3 u)
{
    if (s->pinned[v])
        return vec3(0, 0, 0);
    if (free->all)
        return u;
    const double *d = free->diagonal + 3 * (ptrdiff_t)v, *b = free->beside + 3 * (ptrdiff_t)v;
    return vec3(d[0] * u.x + b[2] * u.y + b[1] * u.z, b[2] * u.x + d[1] * u.y + b[0] * u.z,
                b[1] * u.x + b[0] * u.y + d[2] * u.z);
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

// the stiffness at a vertex becomes the matrix that takes out what it holds; whether it holds anything
static bool keepFree(double least, double *diagonal, double *beside)
{
    Mat3 stiffness = { { { diagonal[0], beside[2], beside[1] },
                         { beside[2], diagonal[1], beside[0] },
                         { beside[1], beside[0], diagonal[2] } } };
    Svd3 svd = svd3(&stiffness);
    Mat3 axes = matTranspose(&svd.u);
    for (int k = 0; k < 3; ++k)
    {
        diagonal[k] = 1;
        beside[k] = 0;
    }
    for (int e = 0; e < 3 && svd.sigma[e] > least; ++e)
    {
        const double *axis = axes.m[e];
        for (int k = 0; k < 3; ++k)
        {
            diagonal[k] -= axis[k] * axis[k];
            beside[k] -= axis[(k + 1) % 3] * axis[(k + 2) % 3];
        }
    }
    return svd.sigma[0] > least;
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
        if (!isContact(energy) || contactIsKind(energy->kind) != outer)
            continue;
        for (int e = 0; e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->hessian(energy, position + first, e / LANES, HESSIAN_SEMIDEFINITE, hessians);
            addStiffness(energy, e, hessians + e % LANES * size, free->diagonal + first, free->beside + first);
        }
    }
}

// Which vertices of a member contacts hold. One that slides on them is treated as one that meets another body: friction
// and the shear that it causes are no vibration of a body that lies still, and a cube would slide 5 % too far
static void findHeld(const State *s, double h, Member *member, FreeDirections *free)
{
    Krylov *krylov = &member->step->krylov;
    Vec3 slide = vec3(0, 0, 0);
    double square = 0;
    int count = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        square += vecDot(u, u) / member->count;
        if (!keepFree(HELD * 4 * s->mass[v] / (h * h), free->diagonal + 3 * (ptrdiff_t)v,
                      free->beside + 3 * (ptrdiff_t)v))
            continue;
        slide = vecAdd(slide, freeDirectionsTake(s, free, v, u));
        ++count;
    }
    krylov->held |= count > 0;
    krylov->meets |= count > 0 && vecDot(slide, slide) > SLIDES * square * count * count;
}

void freeDirectionsFind(System *system, double h, FreeDirections *free)
{
    State *s = &system->state;
    free->all = !resolveTouches(system, s->position, 1);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->krylov = (Krylov){ 0 };
    if (free->all)
        return;
    memset(free->diagonal, 0, 3 * (size_t)s->count * sizeof(double));
    memset(free->beside, 0, 3 * (size_t)s->count * sizeof(double));
    addContacts(system, false, free);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            member->step->krylov.meets |= free->diagonal[i] > 0;
    }
    addContacts(system, true, free);
    for (int p = 0; p < system->memberCount; ++p)
        findHeld(s, h, system->member[p], free);
}
