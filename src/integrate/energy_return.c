// Where the energy goes that a step lost, and where it comes from if it gained.
#include "integrate/energy_control.h"

#include <string.h>

#define MOST_RETURN 0.2 // beta, in one step
#define LEAST_REST 0.7  // of what is not resolved, in one step
#define MOST_REST 2.0   // likewise, where finer substeps take it for less

// takes the rigid motion of untied bodies out of a field of velocities
static void removeRigid(const System *system, double *field)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        apartRemove(system, member, s->position, field);
        if (member->step->apart || memberIsTied(s, member))
            continue;
        int begin = member->offset, end = member->offset + member->count;
        RigidMotion motion = rigidMotion(s, s->position, field, begin, end);
        for (int v = begin; v < end; ++v)
        {
            double *u = field + 3 * (ptrdiff_t)v;
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion.centre);
            vecStore(u, vecSub(vecLoad(u), vecAdd(motion.velocity, vecCross(motion.spin, r))));
        }
    }
}

// K along v + beta field: 1/2 square beta^2 + slope beta
typedef struct Parabola
{
    double square, slope;
} Parabola;

static Parabola alongField(const State *s, const double *field)
{
    Parabola sum = { 0, 0 };
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3])
            continue;
        sum.square += s->mass[i / 3] * field[i] * field[i];
        sum.slope += s->mass[i / 3] * s->velocity[i] * field[i];
    }
    return sum;
}

// returns the change of K
static double addField(State *s, double *field, Parabola k, double beta)
{
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(field + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] += beta * field[i];
    return beta * (0.5 * k.square * beta + k.slope);
}

// beta >= 0 with K(v + beta d) = K + missing; returns the change of K
double controlReturn(const Control *c, double missing)
{
    State *s = &c->system->state;
    double *d = s->direction;
    for (int i = 0; i < 3 * s->count; ++i)
        d[i] = (s->position[i] - s->start[i]) / c->h;
    removeRigid(c->system, d);
    Parabola k = alongField(s, d);
    if (!(k.square > 0))
        return 0;
    double beta = (sqrt(k.slope * k.slope + 2 * k.square * missing) - k.slope) / k.square;
    return addField(s, d, k, minReal(beta, MOST_RETURN));
}

// the least b in [0, 1] with K(v - b (v - d)) = K - gained, or the best there is; returns the change of K
double controlCut(const Control *c, double gained)
{
    State *s = &c->system->state;
    double *r = s->direction;
    for (int i = 0; i < 3 * s->count; ++i)
        r[i] = s->velocity[i] - (s->position[i] - s->start[i]) / c->h;
    removeRigid(c->system, r);
    Parabola k = alongField(s, r);
    if (!(k.square > 0) || !(k.slope > 0))
        return 0;
    double inside = k.slope * k.slope - 2 * k.square * gained;
    double b = inside > 0 ? (k.slope - sqrt(inside)) / k.square : k.slope / k.square;
    return addField(s, r, k, -minReal(b, 1));
}

double controlUnresolved(const Control *c, double gained, double kept)
{
    State *s = &c->system->state;
    double *r = s->direction, energy = kept;
    memset(r, 0, (size_t)s->count * 3 * sizeof(double));
    for (int p = 0; p < c->system->memberCount; ++p)
    {
        const Member *member = c->system->member[p];
        if (member->smooth != NULL && member->smooth->used)
            smoothRest(member->smooth, s->velocity + 3 * (ptrdiff_t)member->offset, s->mass + member->offset,
                       c->system->workers, r + 3 * (ptrdiff_t)member->offset);
    }
    removeRigid(c->system, r);
    Parabola k = alongField(s, r);
    energy += 0.5 * k.square;
    if (!(energy > 0))
        return 0;
    double scale = sqrt(maxReal(1 - gained / energy, 0));
    return addField(s, r, k, minReal(maxReal(scale, LEAST_REST), MOST_REST) - 1);
}
