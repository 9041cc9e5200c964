// How a vibration of two bodies dies that meet or are bonded, over how their linear motion dies. The stiffness of
// everything, and that of the bodies alone, which their damping is a multiple of, come from the accelerations of one
// tiny explicit step where they stand; the lowest modes of everything are then integrated in steps that resolve them.
#ifndef TESTS_WORLD_DECAY_TOGETHER_H
#define TESTS_WORLD_DECAY_TOGETHER_H

#include "world/decay.h"

#include <string.h>

#define TOGETHER_FRAMES 100
#define TOGETHER_MODES 60  // of 210 to 380
#define TOGETHER_AWAY 5e-8 // m, of the vibration and of differences: far below what contacts give way
#define TOGETHER_DEEP 1e-5 // m, that contacts give way by

typedef enum Meeting
{
    MEETING_BONDED,  // two halves of a bar
    MEETING_STACKED, // one bar on the other, on the ground
    MEETING_BESIDE,  // one bar beside the other, pressed against a wall
    MEETINGS
} Meeting;

static const char *const meetingNames[] = { "bonded", "stacked", "beside" };

typedef struct Together
{
    Meeting meeting;
    const char *method, *solver;
    double poisson, thickness, friction, bond; // bond: of its default
    double h, turn, ratio;
    int mode;     // of those in which both bodies move, and contacts little
    double young; // Pa, found for the turn
    int substeps; // of a step; 0: the method's rule
    bool half;    // the second body is not damped
} Together;

typedef struct TogetherWorld
{
    vvWorldId world;
    vvSoftBodyId body[2];
    int size[2], all;
} TogetherWorld;

static void togetherPlane(vvWorldId world, vvVec3 normal, double offset, double friction)
{
    vvResult result;
    vvShapeDef plane = vvDefaultShapeDef();
    plane.normal = normal;
    plane.offset = offset;
    vvShape *shape = vvCreateShape(&plane, &result);
    CHECK_OK(result);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = shape;
    collider.friction = friction;
    collider.restitution = 1; // contacts take nothing
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
}

// `joined` false: the bodies alone, without what they meet
static TogetherWorld togetherWorld(const Together *c, const char *method, double beta, bool joined)
{
    double t = c->thickness, long_ = c->meeting == MEETING_BONDED ? 0.5 : 1;
    int cells = (int)fmin(6, fmax(3, long_ / t + 0.5));
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = c->solver != NULL ? c->solver : def.solver;
    def.threads = 1;
    def.softContact = c->meeting != MEETING_BONDED;
    double pull = 10 * TOGETHER_DEEP * c->young / (1000 * t);
    def.gravity = c->meeting == MEETING_BONDED || !joined ? (vvVec3){ 0, 0, 0 }
                  : c->meeting == MEETING_STACKED         ? (vvVec3){ 0, -pull, 0 }
                                                          : (vvVec3){ 0, -pull, -pull };
    vvResult result;
    TogetherWorld w = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    if (joined && c->meeting != MEETING_BONDED)
        togetherPlane(w.world, (vvVec3){ 0, 1, 0 }, 0, c->friction);
    if (joined && c->meeting == MEETING_BESIDE)
        togetherPlane(w.world, (vvVec3){ 0, 0, 1 }, 0, c->friction);
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef body = elasticDef(1000, c->young, c->poisson);
        body.damping.stiffness = c->half && k == 1 ? 0 : beta;
        body.friction = c->friction;
        double apart = joined ? 0 : 10;
        body.position = c->meeting == MEETING_BONDED    ? (vvVec3){ 0.5 * k - 0.25, k * apart, 0 }
                        : c->meeting == MEETING_STACKED ? (vvVec3){ 0, (k + 0.5) * t, 0 }
                                                        : (vvVec3){ 0, 0.5 * t, (k + 0.5) * t };
        body.mask = joined ? body.mask : 0;
        // vertices of one above triangles of the other, and nothing that makes them slide
        double less = c->meeting != MEETING_BONDED && k == 1 ? 0.83 : 1;
        double deep = c->meeting == MEETING_STACKED ? less * t : t;
        w.body[k] = makeBody(w.world, vvCreateBoxMesh((vvVec3){ less * long_, t, deep }, cells, 2, 2), body);
        w.size[k] = 3 * vvSoftBody_GetVertexCount(w.body[k]);
        w.all += w.size[k];
    }
    if (joined && c->meeting == MEETING_BONDED)
    {
        vvBondDef bond = vvDefaultBondDef();
        bond.bodyA = w.body[0];
        bond.bodyB = w.body[1];
        bond.stiffness = c->bond * 10 * c->young * t;
        vvAttachmentId made[64];
        assert_true(vvCreateBonds(w.world, &bond, made, 64, &result) > 0);
        CHECK_OK(result);
    }
    return w;
}

static void togetherGet(const TogetherWorld *w, double *x, double *v, double *mass)
{
    for (int k = 0, at = 0; k < 2; at += w->size[k++])
    {
        memcpy(x + at, vvSoftBody_GetPositions(w->body[k]), (size_t)w->size[k] * sizeof *x);
        if (v != NULL)
            memcpy(v + at, vvSoftBody_GetVelocities(w->body[k]), (size_t)w->size[k] * sizeof *x);
        for (int i = 0; mass != NULL && i < w->size[k]; ++i)
            mass[at + i] = vvSoftBody_GetMasses(w->body[k])[i / 3];
    }
}

static void togetherSet(const TogetherWorld *w, const double *x, const double *v)
{
    for (int k = 0, at = 0; k < 2; at += w->size[k++])
    {
        CHECK_OK(vvSoftBody_SetPositions(w->body[k], x + at));
        CHECK_OK(vvSoftBody_SetVelocities(w->body[k], v + at));
    }
}

// K / (m_i m_j)^(1/2) at x
static void togetherMatrix(const Together *c, bool joined, const double *x, double *matrix)
{
    const double tiny = 1e-9;
    TogetherWorld w = togetherWorld(c, "symplectic-euler", 0, joined);
    int n = w.all;
    double *at = calloc(5 * (size_t)n, sizeof *at), *v = at + n, *mass = v + n, *still = mass + n, *now = still + n;
    togetherGet(&w, now, NULL, mass);
    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    for (int k = 0; k < 2 * n; ++k)
    {
        int i = k / 2;
        memcpy(at, x, (size_t)n * sizeof *at);
        at[i] += k % 2 ? -TOGETHER_AWAY : TOGETHER_AWAY;
        togetherSet(&w, at, still);
        CHECK_OK(vvWorld_Step(w.world, tiny));
        togetherGet(&w, now, v, NULL);
        for (int j = 0; j < n; ++j)
            matrix[i * n + j] += (k % 2 ? 1 : -1) * v[j] / tiny / (2 * TOGETHER_AWAY) * sqrt(mass[j] / mass[i]);
    }
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < i; ++j)
            matrix[i * n + j] = matrix[j * n + i] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
    }
    vvDestroyWorld(w.world);
    free(at);
}

// Where the bodies stand: friction starts anew again and again, until it holds nothing, as it does in a new world.
static void togetherSettle(const Together *c, double *x, double *mass)
{
    Together calm = *c;
    calm.solver = "newton";
    double unit = sqrt(1e6 / c->young); // 1: of time
    TogetherWorld w = togetherWorld(&calm, "backward-euler", 0.03 * unit, true);
    double *still = calloc((size_t)w.all, sizeof *still);
    togetherGet(&w, x, NULL, mass);
    for (int round = 0; round < 60 && c->meeting != MEETING_BONDED; ++round)
    {
        for (int i = 0; i < (round == 0 ? 300 : 40); ++i)
            CHECK_OK(vvWorld_Step(w.world, 0.01 * unit));
        togetherGet(&w, x, NULL, NULL);
        togetherSet(&w, x, still);
    }
    vvDestroyWorld(w.world);
    free(still);
}

typedef struct TogetherModes
{
    int size, count, which;     // count: of the lowest elastic ones; which: the one that vibrates
    double *x, *mass, *vectors; // vectors: of norm 1, times the roots of the masses
    double values[TOGETHER_MODES], damping[TOGETHER_MODES * TOGETHER_MODES]; // 1/s^2
    double share; // of the stiffness of the mode: the bodies'
} TogetherModes;

static int togetherWhich(const Together *c, const TogetherModes *m, int first)
{
    for (int i = 0, seen = 0; i < m->count; ++i)
    {
        double own = 0; // of the first body
        for (int a = 0; a < first; ++a)
            own += m->vectors[(ptrdiff_t)i * m->size + a] * m->vectors[(ptrdiff_t)i * m->size + a];
        if (m->damping[i * m->count + i] > 0.8 * m->values[i] && own > 0.1 && own < 0.9 && seen++ == c->mode)
            return i;
    }
    fail_msg("both bodies move in %d modes at most", c->mode);
    return -1;
}

// D in the modes, D of the first `damped` coordinates alone; overwrites work
static void togetherDamping(TogetherModes *m, const double *D, int damped, double *work)
{
    int n = m->size;
    for (int i = 0; i < m->count; ++i)
    {
        memset(work, 0, (size_t)n * sizeof *work);
        for (int a = 0; a < n * damped; ++a)
            work[a / n] += a % n < damped ? D[a] * m->vectors[(ptrdiff_t)i * n + a % n] : 0;
        for (int j = 0; j < m->count; ++j)
        {
            m->damping[i * m->count + j] = 0;
            for (int a = 0; a < n; ++a)
                m->damping[i * m->count + j] += work[a] * m->vectors[(ptrdiff_t)j * n + a];
        }
    }
}

static TogetherModes togetherModes(const Together *c)
{
    TogetherWorld w = togetherWorld(c, "symplectic-euler", 0, true);
    int n = w.all, first = 0;
    vvDestroyWorld(w.world);
    TogetherModes m = { .size = n };
    m.x = malloc((2 + (size_t)n) * (size_t)n * sizeof *m.x);
    m.mass = m.x + n;
    m.vectors = m.mass + n;
    double *K = malloc((2 * (size_t)n + 2) * (size_t)n * sizeof *K), *D = K + (ptrdiff_t)n * n;
    double *values = D + (ptrdiff_t)n * n, *work = values + n;
    togetherSettle(c, m.x, m.mass);
    togetherMatrix(c, true, m.x, K);
    togetherMatrix(c, false, m.x, D);
    eigenSymmetric(n, K, values, m.vectors, work);
    while (values[first] < 1e-7 * values[n - 1])
        ++first;
    m.count = (int)fmin(TOGETHER_MODES, n - first);
    memmove(m.vectors, m.vectors + (ptrdiff_t)first * n, (size_t)n * (size_t)m.count * sizeof *m.vectors);
    memcpy(m.values, values + first, (size_t)m.count * sizeof *values);
    togetherDamping(&m, D, n, work);
    m.which = togetherWhich(c, &m, w.size[0]);
    if (c->half)
        togetherDamping(&m, D, w.size[0], work);
    free(K);
    m.share = m.damping[m.which * (m.count + 1)] / m.values[m.which];
    return m;
}

// the place of the mode in x'' = -w^2 x - beta D x', by Runge and Kutta's method
static void togetherLinear(const TogetherModes *m, double beta, double h, int frames, double *series)
{
    double x[TOGETHER_MODES] = { 0 }, v[TOGETHER_MODES] = { 0 }, fastest = m->values[m->count - 1];
    int modes = m->count, parts = (int)(h * sqrt(fastest) * 2 + h * beta * fastest * 1.5) + 8;
    double dt = h / parts;
    x[m->which] = 1;
    series[0] = 1;
    for (int n = 0; n < frames * parts; ++n)
    {
        double kx[4][TOGETHER_MODES], kv[4][TOGETHER_MODES];
        for (int s = 0; s < 4; ++s)
        {
            double part = s == 0 ? 0 : s == 3 ? dt : 0.5 * dt;
            for (int i = 0; i < modes; ++i)
                kx[s][i] = v[i] + (s > 0 ? part * kv[s - 1][i] : 0);
            for (int i = 0; i < modes; ++i)
            {
                kv[s][i] = -m->values[i] * (x[i] + (s > 0 ? part * kx[s - 1][i] : 0));
                for (int j = 0; j < modes; ++j)
                    kv[s][i] -= beta * m->damping[i * modes + j] * kx[s][j];
            }
        }
        for (int i = 0; i < modes; ++i)
        {
            x[i] += dt / 6 * (kx[0][i] + 2 * kx[1][i] + 2 * kx[2][i] + kx[3][i]);
            v[i] += dt / 6 * (kv[0][i] + 2 * kv[1][i] + 2 * kv[2][i] + kv[3][i]);
        }
        if ((n + 1) % parts == 0)
            series[(n + 1) / parts] = x[m->which];
    }
}

typedef struct TogetherDecay
{
    double rate, turn, share;     // rate and turn over those of the linear motion
    double lost, booked, highest; // J; highest: of the energy, above that at the start
    double momentum;              // linear and angular, greatest change over that of the vibration
    int substeps;
} TogetherDecay;

// steps from the mode on; fills series with its place
static TogetherDecay togetherSteps(const Together *c, const TogetherModes *m, double beta, int frames, double *series)
{
    TogetherWorld w = togetherWorld(c, c->method, beta, true);
    if (c->substeps > 0)
        CHECK_OK(vvWorld_SetSubsteps(w.world, c->substeps));
    TogetherDecay d = { .share = m->share };
    const double *u = m->vectors + (ptrdiff_t)m->which * m->size;
    double *x = calloc(2 * (size_t)m->size, sizeof *x), most = 0, whole = 0;
    for (int i = 0; i < m->size; ++i)
    {
        most = fmax(most, fabs(u[i]) / sqrt(m->mass[i]));
        whole += m->mass[i] / 3;
    }
    double scale = 10 * TOGETHER_AWAY / most, all = whole * 10 * TOGETHER_AWAY * sqrt(m->values[m->which]);
    for (int i = 0; i < m->size; ++i)
        x[i] = m->x[i] + scale * u[i] / sqrt(m->mass[i]);
    togetherSet(&w, x, x + m->size);
    vvLedger begin = vvWorld_GetLedger(w.world), end = begin;
    for (int n = 0; n <= frames; ++n)
    {
        togetherGet(&w, x, NULL, NULL);
        series[n] = 0;
        for (int i = 0; i < m->size; ++i)
            series[n] += sqrt(m->mass[i]) * u[i] * (x[i] - m->x[i]) / scale;
        CHECK_OK(vvWorld_Step(w.world, c->h));
        end = vvWorld_GetLedger(w.world);
        d.highest = fmax(d.highest, end.total - begin.total);
        d.momentum = fmax(d.momentum, fmax(decayChange(end.momentum, begin.momentum),
                                           decayChange(end.angularMomentum, begin.angularMomentum)) /
                                          all);
    }
    d.substeps = vvWorld_GetStatistics(w.world).substeps;
    d.lost = begin.total - end.total;
    d.booked = end.dissipated - begin.dissipated;
    vvDestroyWorld(w.world);
    free(x);
    return d;
}

static bool togetherSweeps(const Together *c)
{
    return strcmp(c->method, "small-steps") == 0;
}

// 1/s, by which sweeps damp a body that asks for nothing: what takes no damping off has it beside that of the other
static double togetherOwn(const Together *c, const TogetherModes *m, int substeps, int frames)
{
    Together same = *c;
    same.substeps = substeps;
    double series[TOGETHER_FRAMES + 1], rate, turn;
    togetherSteps(&same, m, 0, frames, series);
    decayFit(series, frames + 1, c->h, &rate, &turn);
    return c->half && togetherSweeps(c) ? (1 - m->share) * rate : 0;
}

static TogetherDecay togetherOf(Together *c)
{
    c->young = 1e6;
    TogetherModes m = togetherModes(c);
    c->young *= c->turn / c->h * c->turn / c->h / m.values[m.which];
    free(m.x);
    m = togetherModes(c); // contacts and gravity grow with the bodies' stiffness, but for rounding
    double omega = sqrt(m.values[m.which]), beta = 2 * c->ratio / (omega * m.share), rate, turn;
    double series[TOGETHER_FRAMES + 1], linear[TOGETHER_FRAMES + 1];
    double slow = c->ratio < 1 ? c->ratio : c->ratio - sqrt(c->ratio * c->ratio - 1);
    int frames = (int)fmin(fmax(fmin(25, 4 / slow) / c->turn, 7), TOGETHER_FRAMES);
    TogetherDecay d = togetherSteps(c, &m, beta, frames, series);
    togetherLinear(&m, beta, c->h, frames, linear);
    decayFit(series, frames + 1, c->h, &d.rate, &d.turn);
    decayFit(linear, frames + 1, c->h, &rate, &turn);
    d.rate /= rate + (c->half ? togetherOwn(c, &m, d.substeps, frames) : 0);
    d.turn /= turn > 0 ? turn : 1;
    free(m.x);
    return d;
}

// What is booked of what was lost. Sweeps do not resolve stiff bodies quite, and what they lose in a body without
// damping is not booked (decay_grid.h).
static bool togetherBooks(const Together *c, const TogetherDecay *d)
{
    double most = 0.01 * d->lost, least = togetherSweeps(c) ? 0.2 * d->lost : most;
    return d->booked - d->lost < most && (d->lost - d->booked < least || (c->half && togetherSweeps(c)));
}

// false: off; stops the test unless it is to print all. Within 5 % of the linear motion; half a percent of what is lost
// is what ledgers of bodies that lie can tell of so small a vibration. Momenta of substeps have the rounding of
// positions over a substep, 1e-9 of the vibration each.
static bool togetherCheck(Together *c, bool all)
{
    TogetherDecay d = togetherOf(c);
    double rounding = c->solver != NULL ? 1e-11 : 1e-7 * fmax(1, 0.1 * d.substeps / c->turn);
    bool good = fabs(d.rate - 1) < 0.05 && togetherBooks(c, &d) && d.highest <= 0.005 * d.lost &&
                (c->meeting != MEETING_BONDED || d.momentum < rounding);
    if (all || !good)
        print_message(
            "%s %s %s%s nu %.2f t %.3f mode %d h %.4f turn %.3f ratio %.3f bond %.2f: %.3f of the stiffness, turn "
            "%.3f, decay %.3f, booked %.4g of %.4g, momenta %.0e\n",
            good ? "     " : "WRONG", c->method, c->half ? "half " : "", meetingNames[c->meeting], c->poisson,
            c->thickness, c->mode, c->h, c->turn, c->ratio, c->bond, d.share, d.turn, d.rate, d.booked, d.lost,
            d.momentum);
    if (!all)
        assert_true(good);
    return good;
}

#endif
