// Rods that yield: beyond a bend or a twist the turn between two frames at rest moves. With E = S^T R S^T, R the turn
// from the first frame to the second and S half of that at rest, the rotation vector s of E bends by s_1 and s_2 and
// twists by s_3; flow takes s back towards 0, in its own direction.
#include "energy/kernels.h"
#include "energy/yield.h"

#include "base/quaternion.h"

#include <math.h>

static Mat3 loadTurn(const double *numbers)
{
    Mat3 m;
    for (int k = 0; k < 9; ++k)
        m.m[k / 3][k % 3] = numbers[k * LANES];
    return m;
}

static Vec3 rotationVector(const Mat3 *turn)
{
    vvQuat q = quatOfMatrix(turn);
    double sign = q.w < 0 ? -1 : 1, sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double scale = sine > 1e-12 ? 2 * angleOf(sine, fabs(q.w)) / sine : 2;
    return vecScale(sign * scale, vec3(q.x, q.y, q.z));
}

static Mat3 turnBy(Vec3 vector)
{
    double angle = vecLength(vector), sine, cosine;
    sineCosine(0.5 * angle, &sine, &cosine);
    double scale = angle > 1e-12 ? sine / angle : 0.5;
    return quatMatrix(quatNormalized((vvQuat){ cosine, scale * vector.x, scale * vector.y, scale * vector.z }));
}

// the bend that is as far towards its threshold as bend and twist together
static double sizeOf(const Yield *yield, Vec3 s)
{
    return sqrt(s.x * s.x + s.y * s.y + s.z * s.z / (yield->ratio * yield->ratio));
}

static Vec3 strainOf(const Mat3 *half, const Mat3 *turn)
{
    Mat3 back = matTranspose(half), first = matMultiply(&back, turn), all = matMultiply(&first, &back);
    return rotationVector(&all);
}

// half the turn at rest after a flow
static Mat3 flownHalf(const Mat3 *half, Vec3 flow)
{
    Mat3 change = turnBy(flow), first = matMultiply(half, &change), all = matMultiply(&first, half);
    return rodHalf(&all);
}

static double flowMeasure(const Yield *yield, const Mat3 *rest, const Mat3 *half)
{
    Mat3 turn = matMultiply(half, half);
    return sizeOf(yield, strainOf(rest, &turn));
}

static bool flowElement(Energy *energy, const double *x, int element, double share)
{
    Yield *yield = energy->yield;
    int block = element / LANES, lane = element % LANES;
    double *params = laneParams(energy, block) + ROD_TURN * LANES + lane;
    Mat3 turn, half = loadTurn(params), rest = loadTurn(yield->rest + (size_t)block * 9 * LANES + lane);
    if (!rodTurn(energy, element, x, &turn))
        return false;
    Vec3 s = strainOf(&half, &turn);
    double size = sizeOf(yield, s), beyond = size - yieldNow(yield, element);
    if (!(beyond > 0))
        return false;
    double flow = share * beyond / (1 + yield->hardening), limit = yield->limit * yield->threshold[element];
    double low = 0, high = 1;
    Mat3 after = flownHalf(&half, vecScale(flow / size, s));
    for (int k = 0; k < 30 && isfinite(limit) && (k > 0 || flowMeasure(yield, &rest, &after) > limit); ++k)
    {
        double middle = 0.5 * (low + high);
        after = flownHalf(&half, vecScale(middle * flow / size, s));
        *(flowMeasure(yield, &rest, &after) <= limit ? &low : &high) = middle;
    }
    flow *= high < 1 ? low : 1;
    if (!(flow > 0))
        return false;
    after = flownHalf(&half, vecScale(flow / size, s));
    for (int k = 0; k < 9; ++k)
        params[k * LANES] = after.m[k / 3][k % 3];
    yield->strain[element] += flow;
    return true;
}

// A round rod of diameter d bends without limit under the moment yield d^3 / 6 and twists so under
// yield / sqrt 3 pi d^3 / 12, here all at once: over the stiffnesses young pi d^4 / 64 and young / (1 + poisson)
// pi d^4 / 64 and times the length that a joint stands for these are angles.
static void prepare(Energy *energy, const Recipe *recipe)
{
    double d = recipe->thickness, curvature = 64 * recipe->yield / (6 * PI * recipe->young * d);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        const double *size = laneParams(energy, i / LANES) + ROD_SIZES * LANES + i % LANES;
        energy->yield->threshold[i] = curvature * 0.5 * (size[0] + size[LANES]);
    }
    energy->yield->ratio = (1 + recipe->poisson) * PI / (2 * sqrt(3));
    energy->yield->hardening = recipe->hardening / recipe->young;
    energy->yield->limit = recipe->flowLimit * 2 / (d * curvature);
}

const YieldKind rodYield = { .first = ROD_TURN, .count = 9, .prepare = prepare, .flow = flowElement };
