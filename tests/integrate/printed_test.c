// `stabilized` with `printed` against Algorithm 1 of Dinev 2018 written down here once more, without the library:
// chains of springs, dense matrices, Newton to rounding, bisection. And what the paper's choice of solver makes of it.
#include "integrate/watched.h"
#include "undamped.h"

#include <stdlib.h>

#define VERTICES 5
#define SIZE (3 * VERTICES)
#define H 0.033
#define EPSILON 0.01

typedef struct Chain
{
    bool squared, pinned; // the paper's spring or Hooke's; vertex 0 is held
    double stiffness, length, gravity;
    double mass[VERTICES];
    double x[SIZE], v[SIZE]; // accepted
    double total;            // H_total
    double alpha;            // of the last step, as the library reports it
} Chain;

// ---- energy ---------------------------------------------------------------------------------------------------------

static double potential(const Chain *c, const double *x, double *gradient, double (*hessian)[SIZE])
{
    double sum = 0;
    memset(gradient, 0, SIZE * sizeof(double));
    memset(hessian, 0, SIZE * sizeof *hessian);
    for (int k = 0; k + 1 < VERTICES; ++k)
    {
        double d[3], r = 0, l = c->length;
        for (int a = 0; a < 3; ++a)
        {
            d[a] = x[3 * k + 3 + a] - x[3 * k + a];
            r += d[a] * d[a];
        }
        r = sqrt(r);
        // E(r), E' / r and E''
        double stretch = r * r - l * l, scale = c->stiffness / (2 * l * l);
        double slope = c->squared ? scale * stretch : c->stiffness * (r - l) / r;
        double bend = c->squared ? scale * (3 * r * r - l * l) : c->stiffness;
        sum += c->squared ? 0.25 * scale * stretch * stretch : 0.5 * c->stiffness * (r - l) * (r - l);
        for (int a = 0; a < 3; ++a)
        {
            gradient[3 * k + a] -= slope * d[a];
            gradient[3 * k + 3 + a] += slope * d[a];
            for (int b = 0; b < 3; ++b)
            {
                double h = (bend - slope) * d[a] * d[b] / (r * r) + (a == b ? slope : 0);
                hessian[3 * k + a][3 * k + b] += h;
                hessian[3 * k + 3 + a][3 * k + 3 + b] += h;
                hessian[3 * k + a][3 * k + 3 + b] -= h;
                hessian[3 * k + 3 + a][3 * k + b] -= h;
            }
        }
    }
    for (int i = 0; i < VERTICES; ++i)
    {
        sum += c->mass[i] * c->gravity * x[3 * i + 1];
        gradient[3 * i + 1] += c->mass[i] * c->gravity;
    }
    return sum;
}

static double totalEnergy(const Chain *c, const double *x, const double *v)
{
    double gradient[SIZE], hessian[SIZE][SIZE], sum = potential(c, x, gradient, hessian);
    for (int i = 0; i < SIZE; ++i)
        sum += 0.5 * c->mass[i / 3] * v[i] * v[i];
    return sum;
}

static bool isHeld(const Chain *c, int i)
{
    return c->pinned && i < 3;
}

// ---- solvers --------------------------------------------------------------------------------------------------------

// a x = b by elimination; both are overwritten, b with x. False: a is not positive definite
static bool eliminate(double (*a)[SIZE], double *b)
{
    for (int k = 0; k < SIZE; ++k)
    {
        if (!(a[k][k] > 0))
            return false;
        for (int i = k + 1; i < SIZE; ++i)
        {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < SIZE; ++j)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = SIZE - 1; k >= 0; --k)
    {
        for (int j = k + 1; j < SIZE; ++j)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

// 1/2 (x - y)^T M (x - y) + sigma E(theta x + (1 - theta) x_n) and the Newton step from there
static double objective(const Chain *c, const double *x, const double *y, double sigma, double theta, double *step)
{
    double z[SIZE], gradient[SIZE], hessian[SIZE][SIZE], a[SIZE][SIZE], raise = 0, value = 0;
    for (int i = 0; i < SIZE; ++i)
        z[i] = theta * x[i] + (1 - theta) * c->x[i];
    value = sigma * potential(c, z, gradient, hessian);
    for (int i = 0; i < SIZE; ++i)
        value += 0.5 * c->mass[i / 3] * (x[i] - y[i]) * (x[i] - y[i]);
    do
    {
        for (int i = 0; i < SIZE; ++i)
        {
            bool held = isHeld(c, i);
            for (int j = 0; j < SIZE; ++j)
                a[i][j] = held || isHeld(c, j) ? 0 : sigma * theta * theta * hessian[i][j];
            a[i][i] += c->mass[i / 3] * (1 + raise);
            step[i] = held ? 0 : -(c->mass[i / 3] * (x[i] - y[i]) + sigma * theta * gradient[i]);
        }
        raise = 2 * raise + 1;
    } while (!eliminate(a, step));
    return value;
}

static void minimise(const Chain *c, double *x, const double *y, double sigma, double theta)
{
    for (int k = 0; k < 200; ++k)
    {
        double step[SIZE], next[SIZE], ignored[SIZE], start = objective(c, x, y, sigma, theta, step), length = 1,
                                                      most = 0;
        for (int tries = 0; tries < 40; ++tries, length *= 0.5)
        {
            for (int i = 0; i < SIZE; ++i)
                next[i] = x[i] + length * step[i];
            if (objective(c, next, y, sigma, theta, ignored) <= start + 1e-13 * fabs(start))
                break;
        }
        for (int i = 0; i < SIZE; ++i)
            most = fmax(most, fabs(next[i] - x[i]));
        memcpy(x, next, sizeof next);
        if (most < 1e-15)
            return;
    }
}

// ---- the algorithm --------------------------------------------------------------------------------------------------

static double blendError(const Chain *c, const double *x0, const double *v0, const double *x1, const double *v1,
                         double alpha, double *x, double *v)
{
    for (int i = 0; i < SIZE; ++i)
    {
        x[i] = (1 - alpha) * x0[i] + alpha * x1[i];
        v[i] = (1 - alpha) * v0[i] + alpha * v1[i];
    }
    return totalEnergy(c, x, v) - c->total;
}

// leaves the blend in x_n, v_n; the first end has too much energy
static double blend(Chain *c, const double *x0, const double *v0, const double *x1, const double *v1)
{
    double x[SIZE], v[SIZE], low = 0, high = 1, alpha = 1;
    bool root = blendError(c, x0, v0, x1, v1, 0, x, v) > 0 && blendError(c, x0, v0, x1, v1, 1, x, v) < 0;
    for (int k = 0; k < 60 && root; ++k)
    {
        alpha = 0.5 * (low + high);
        double error = blendError(c, x0, v0, x1, v1, alpha, x, v);
        if (fabs(error) < EPSILON * c->total)
            break;
        *(error > 0 ? &low : &high) = alpha;
    }
    memcpy(c->x, x, sizeof x);
    memcpy(c->v, v, sizeof v);
    return alpha;
}

static void printedFrame(Chain *c)
{
    double y[SIZE], x[SIZE], v[SIZE], other[SIZE], otherVelocity[SIZE], gradient[SIZE], hessian[SIZE][SIZE];
    for (int i = 0; i < SIZE; ++i)
    {
        y[i] = isHeld(c, i) ? c->x[i] : c->x[i] + H * c->v[i];
        x[i] = y[i];
    }
    minimise(c, x, y, H * H, 0.5);
    for (int i = 0; i < SIZE; ++i)
        v[i] = isHeld(c, i) ? 0 : 2 / H * (x[i] - c->x[i]) - c->v[i];
    double error = totalEnergy(c, x, v) - c->total;
    if (fabs(error) < EPSILON * c->total)
    {
        memcpy(c->x, x, sizeof x);
        memcpy(c->v, v, sizeof v);
        c->alpha = 0;
    }
    else if (error > 0)
    {
        memcpy(other, x, sizeof x);
        minimise(c, other, y, H * H, 1);
        for (int i = 0; i < SIZE; ++i)
            otherVelocity[i] = isHeld(c, i) ? 0 : (other[i] - c->x[i]) / H;
        c->alpha = blend(c, x, v, other, otherVelocity);
    }
    else
    {
        potential(c, c->x, gradient, hessian);
        for (int i = 0; i < SIZE; ++i)
        {
            other[i] = y[i];
            otherVelocity[i] = isHeld(c, i) ? 0 : c->v[i] - H / c->mass[i / 3] * gradient[i];
        }
        c->alpha = blend(c, other, otherVelocity, x, v) - 1;
    }
}

// ---- comparisons ----------------------------------------------------------------------------------------------------

static vvWorldId makeChain(Chain *c, vvSoftBodyId *body)
{
    vvWorldDef world = vvDefaultWorldDef();
    world.method = "stabilized";
    world.solver = "newton";
    world.settings.stabilized.printed = true;
    world.gravity = (vvVec3){ 0, -c->gravity, 0 };
    world.tolerance = 1e-14;
    vvResult result;
    vvWorldId id = vvCreateWorld(&world, &result);
    CHECK_OK(result);
    vvSoftBodyDef def = undampedDef();
    def.model = c->squared ? "squared-spring" : "spring";
    for (int k = 0; k < VV_EDGE_KINDS; ++k)
        def.springStiffness[k] = k == VV_EDGE_STRUCTURAL ? c->stiffness : 0;
    def.material.thickness = 0.1;
    def.material.density = 100;
    def.position.y = 10;
    *body = makeBody(id, vvCreateRopeMesh(1, VERTICES - 1), def);
    c->length = 1.0 / (VERTICES - 1);
    int held = 0;
    if (c->pinned)
        CHECK_OK(vvSoftBody_Pin(*body, &held, 1));
    memcpy(c->mass, vvSoftBody_GetMasses(*body), sizeof c->mass);
    memcpy(c->x, vvSoftBody_GetPositions(*body), sizeof c->x);
    for (int i = 0; i < SIZE; ++i)
    {
        c->x[i] += i < 3 ? 0 : 0.02 * sin(3.0 * i);
        c->v[i] = isHeld(c, i) ? 0 : 4 * sin(1.0 + 5.0 * i);
    }
    CHECK_OK(vvSoftBody_SetPositions(*body, c->x));
    CHECK_OK(vvSoftBody_SetVelocities(*body, c->v));
    c->total = totalEnergy(c, c->x, c->v);
    CHECK_CLOSE(vvWorld_GetLedger(id).total, c->total, 1e-9);
    return id;
}

// every state and every alpha; chains are chaotic, so that each step starts from the library's last state
static void isTheAlgorithm(void **unused)
{
    (void)unused;
    int towards[3] = { 0 };
    for (int i = 0; i < 8; ++i)
    {
        Chain c = {
            .squared = i % 2, .pinned = i / 2 % 2, .gravity = i / 4 ? 9.81 : 0, .stiffness = i % 2 ? 4e3 : 1e3
        };
        vvSoftBodyId body;
        vvWorldId world = makeChain(&c, &body);
        double worst = 0;
        for (int n = 0; n < 60; ++n)
        {
            printedFrame(&c);
            CHECK_OK(vvWorld_Step(world, H));
            for (int k = 0; k < SIZE; ++k)
                worst = fmax(worst, fmax(fabs(c.x[k] - vvSoftBody_GetPositions(body)[k]),
                                         H * fabs(c.v[k] - vvSoftBody_GetVelocities(body)[k])));
            CHECK_NEAR(vvWorld_GetStatistics(world).alpha, c.alpha, 1e-12);
            towards[c.alpha > 0 ? 0 : c.alpha < 0 ? 1 : 2] += 1;
            memcpy(c.x, vvSoftBody_GetPositions(body), sizeof c.x);
            memcpy(c.v, vvSoftBody_GetVelocities(body), sizeof c.v);
        }
        print_message("%s%s, gravity %g: off by %.1e m\n", c.squared ? "squared springs" : "springs",
                      c.pinned ? ", held" : "", c.gravity, worst);
        CHECK_BELOW(worst, 1e-9);
        vvDestroyWorld(world);
    }
    print_message("%d blends with backward Euler, %d with forward Euler, %d midpoints\n", towards[0], towards[1],
                  towards[2]);
    assert_true(towards[0] > 20 && towards[1] > 20 && towards[2] > 20);
}

// Local/global as in section 4.2: ten iterations, one more towards backward Euler, never a substep; angular momentum is
// what blends make it, .974 in the study.
static void takesOneIterationTowardsBackwardEuler(void **unused)
{
    (void)unused;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "stabilized";
    def.solver = "local-global";
    def.iterations = 10;
    def.tolerance = 1e-15;
    def.settings.localGlobal.modes = false;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.settings.stabilized.printed = true;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId cube = spinningCube(world, 4, 1e4, 12.566);
    double start = vvWorld_GetLedger(world).total, spin = vvSoftBody_GetAngularMomentum(cube).z, lowest = 1,
           highest = 1;
    int blended[2] = { 0 };
    for (int n = 0; n < 1000; ++n)
    {
        CHECK_OK(vvWorld_Step(world, H));
        vvStatistics s = vvWorld_GetStatistics(world);
        assert_int_equal(s.iterations, s.alpha > 0 ? 11 : 10);
        blended[0] += s.alpha > 0;
        blended[1] += s.alpha < 0;
        lowest = fmin(lowest, vvWorld_GetLedger(world).total / start);
        highest = fmax(highest, vvWorld_GetLedger(world).total / start);
    }
    double kept = vvSoftBody_GetAngularMomentum(cube).z / spin;
    print_message("cube: H %.4f to %.4f, L %.4f, %d blends with backward Euler, %d with forward Euler\n", lowest,
                  highest, kept, blended[0], blended[1]);
    CHECK_BELOW(0.9899, lowest);
    CHECK_BELOW(highest, 1.0101);
    CHECK_NEAR(kept, 0.974, 0.01);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(isTheAlgorithm),
                                        cmocka_unit_test(takesOneIterationTowardsBackwardEuler) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
